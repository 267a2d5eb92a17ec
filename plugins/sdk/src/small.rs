//! Blocks for small values: names, codes, amounts, lists of a few elements.
//!
//! Nearly all that an adapter asks for is small and soon given back. A block of a size
//! class that came back is the next one given out of it, and a new one is cut off a
//! piece: both take a few instructions, where dlmalloc looks for the best fit and joins
//! neighbours. Blocks stay in their class until the instance ends, after one step.

#![expect(
    unsafe_code,
    reason = "an allocator is unsafe by its nature; each use says why it holds"
)]

use core::alloc::Layout;
use core::ptr::null_mut;

/// Bytes between two classes, and the alignment of every block.
const STEP: usize = 16;
/// Largest block.
pub const LARGEST: usize = 512;
/// Bytes of a piece that blocks are cut off.
pub const PIECE: usize = 16 << 10;
const CLASSES: usize = LARGEST / STEP;

/// A block that is free: where the next one of its class is.
struct Free {
    next: *mut Free,
}

/// The free blocks of each class, and what is left of the last piece.
pub struct Small {
    free: [*mut Free; CLASSES],
    left: *mut u8,
    left_bytes: usize,
}

/// The class of blocks that fit, if they are small.
#[inline]
pub fn class(layout: Layout) -> Option<usize> {
    let fits = layout.size() <= LARGEST && layout.align() <= STEP && layout.size() > 0;
    fits.then(|| (layout.size() - 1) / STEP)
}

impl Small {
    pub const fn new() -> Small {
        Small {
            free: [null_mut(); CLASSES],
            left: null_mut(),
            left_bytes: 0,
        }
    }

    /// A block of a class, which holds whatever it held before; null when there is no
    /// memory. `more` gives pieces of [`PIECE`] bytes that begin at a multiple of 16
    /// and are this heap's for good, or null.
    #[inline]
    pub fn take(&mut self, class: usize, more: impl FnOnce() -> *mut u8) -> *mut u8 {
        let Some(first) = self.free.get_mut(class) else {
            return null_mut();
        };
        if !first.is_null() {
            let block = *first;
            // SAFETY: a block in the list is free, and `give` wrote it.
            *first = unsafe { (*block).next };
            return block.cast();
        }
        self.cut((class + 1) * STEP, more)
    }

    /// A block that was never given out.
    #[cold]
    #[inline(never)]
    fn cut(&mut self, bytes: usize, more: impl FnOnce() -> *mut u8) -> *mut u8 {
        if self.left_bytes < bytes {
            self.keep_rest();
            let piece = more();
            if piece.is_null() {
                return null_mut();
            }
            (self.left, self.left_bytes) = (piece, PIECE);
        }
        let block = self.left;
        // SAFETY: at least so many bytes are left of the piece.
        self.left = unsafe { block.add(bytes) };
        self.left_bytes -= bytes;
        block
    }

    /// The end of a piece becomes a free block: it is a multiple of the step long, and
    /// shorter than the largest block.
    fn keep_rest(&mut self) {
        if self.left_bytes >= STEP {
            let class = self.left_bytes / STEP - 1;
            // SAFETY: nobody was given the rest, and it is as long as a block of the class.
            unsafe { self.give(self.left, class) };
            self.left_bytes = 0;
        }
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// `take` gave it for this class, and nobody uses it any more.
    #[inline]
    pub unsafe fn give(&mut self, block: *mut u8, class: usize) {
        let Some(first) = self.free.get_mut(class) else {
            return;
        };
        let block: *mut Free = block.cast();
        // SAFETY: the block is free, long enough for a pointer (16 bytes) and aligned for it.
        unsafe { (*block).next = *first };
        *first = block;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::{alloc, dealloc};

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a layout")
    }

    fn piece() -> Layout {
        Layout::from_size_align(PIECE, STEP).expect("a layout")
    }

    /// A heap with the pieces it was given.
    struct Heap {
        small: Small,
        pieces: Vec<*mut u8>,
    }

    impl Heap {
        fn take(&mut self, class: usize) -> *mut u8 {
            let pieces = &mut self.pieces;
            self.small.take(class, || {
                // SAFETY: the size is not zero.
                let piece = unsafe { alloc(piece()) };
                pieces.push(piece);
                piece
            })
        }
    }

    impl Drop for Heap {
        fn drop(&mut self) {
            for given in &self.pieces {
                // SAFETY: it was given with this layout, and the heap ends.
                unsafe { dealloc(*given, piece()) };
            }
        }
    }

    fn heap() -> Heap {
        Heap {
            small: Small::new(),
            pieces: Vec::new(),
        }
    }

    #[test]
    fn a_class_fits_its_sizes() {
        let aligned = |size, align| class(Layout::from_size_align(size, align).expect("layout"));
        for (size, expected) in [
            (0, None),
            (1, Some(0)),
            (16, Some(0)),
            (17, Some(1)),
            (LARGEST, Some(CLASSES - 1)),
            (LARGEST + 1, None),
        ] {
            assert_eq!(class(layout(size)), expected, "{size}");
        }
        assert_eq!(aligned(16, 16), Some(0));
        assert_eq!(aligned(16, 32), None);
    }

    #[test]
    fn blocks_in_use_do_not_overlap_and_keep_what_they_hold() {
        let mut heap = heap();
        let mut seed = 7_u32;
        let mut used: Vec<(*mut u8, usize, u8)> = Vec::new();
        for round in 0..20_000_u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let size = (seed >> 8) as usize % LARGEST + 1;
            if used.len() > 300 || (seed >> 30 == 0 && !used.is_empty()) {
                let (block, size, mark) = used.swap_remove((seed >> 4) as usize % used.len());
                // SAFETY: the block is in use and has so many bytes.
                let held = unsafe { std::slice::from_raw_parts(block, size) };
                assert!(held.iter().all(|byte| *byte == mark));
                // SAFETY: it was given for this class and is used no more.
                unsafe { heap.small.give(block, (size - 1) / STEP) };
            }
            let block = heap.take(class(layout(size)).expect("small"));
            assert_eq!(block as usize % STEP, 0);
            let mark = (round % 251) as u8;
            // SAFETY: the block is ours and has so many bytes.
            unsafe { block.write_bytes(mark, size) };
            used.push((block, size, mark));
        }
        // 300 blocks of at most 512 bytes, of any class at any time.
        assert!(heap.pieces.len() < 40, "{}", heap.pieces.len());
    }

    #[test]
    fn a_block_that_came_back_is_given_out_next() {
        let mut heap = heap();
        let (first, second) = (heap.take(3), heap.take(3));
        assert_ne!(first, second);
        // SAFETY: both were given for this class and are used no more.
        unsafe {
            heap.small.give(first, 3);
            heap.small.give(second, 3);
        }
        assert_eq!((heap.take(3), heap.take(3)), (second, first));
        assert_eq!(heap.pieces.len(), 1);
    }

    #[test]
    fn without_memory_there_is_no_block() {
        let mut small = Small::new();
        assert!(small.take(0, null_mut).is_null());
        assert!(small.take(CLASSES, null_mut).is_null());
    }
}
