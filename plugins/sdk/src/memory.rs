//! The heap of a component.
//!
//! An instance lives for one step, a fraction of a millisecond. Growing its
//! memory asks the operating system to change the protection of pages, which
//! costs more than the step's own allocations. So the heap begins in memory
//! the component is born with, and grows only beyond it.

#![expect(
    unsafe_code,
    reason = "an allocator is unsafe by its nature; each use says why it holds"
)]

use crate::small::{self, PIECE, Small};
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};
use dlmalloc::{Allocator, Dlmalloc};

/// Enough for a document of some hundred lines; untouched pages cost nothing.
const RESERVED: usize = 4 << 20;
const PAGE: usize = 64 << 10;

#[repr(align(65536))]
struct Reserve(UnsafeCell<[u8; RESERVED]>);

// SAFETY: a component has one thread, and only `Memory` touches the bytes.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve(UnsafeCell::new([0; RESERVED]));
static GIVEN: AtomicBool = AtomicBool::new(false);

/// The reserve first, then the end of the linear memory.
struct Memory;

// SAFETY: the reserve is given out once and `memory.grow` gives fresh pages;
// both are zero and stay the heap's until the instance ends.
unsafe impl Allocator for Memory {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        if size <= RESERVED && !GIVEN.swap(true, Ordering::Relaxed) {
            return (RESERVE.0.get().cast(), RESERVED, 0);
        }
        let pages = size.div_ceil(PAGE);
        match core::arch::wasm32::memory_grow::<0>(pages) {
            usize::MAX => (core::ptr::null_mut(), 0, 0),
            before => ((before * PAGE) as *mut u8, pages * PAGE, 0),
        }
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        core::ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PAGE
    }
}

/// Where pieces for small blocks begin.
const PIECE_ALIGN: usize = 16;

struct Heap {
    small: UnsafeCell<Small>,
    large: UnsafeCell<Dlmalloc<Memory>>,
}

// SAFETY: a component has one thread.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap {
    small: UnsafeCell::new(Small::new()),
    large: UnsafeCell::new(Dlmalloc::new_with_allocator(Memory)),
};

impl Heap {
    #[inline]
    fn take(&self, class: usize) -> *mut u8 {
        // SAFETY: one thread and no call back into the allocator, so these references
        // are the only ones; so they are in each use below.
        let (small, large) = unsafe { (&mut *self.small.get(), &mut *self.large.get()) };
        // SAFETY: the size is not zero and the alignment is a power of two.
        small.take(class, || unsafe { large.malloc(PIECE, PIECE_ALIGN) })
    }
}

// SAFETY: a block is given out once until it comes back, is as long and as aligned as
// asked for, and nothing here unwinds. Which of the two heaps has a block follows from
// its layout alone, which is the same when it comes back.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match small::class(layout) {
            Some(class) => self.take(class),
            // SAFETY: the only reference.
            None => unsafe { (*self.large.get()).malloc(layout.size(), layout.align()) },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(class) = small::class(layout) else {
            // SAFETY: the only reference; memory said to be zero is zero.
            return unsafe { (*self.large.get()).calloc(layout.size(), layout.align()) };
        };
        let block = self.take(class);
        if !block.is_null() {
            // SAFETY: the block has at least so many bytes, and nobody else uses it.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match small::class(layout) {
            // SAFETY: the only reference; the caller got `pointer` with this layout, so
            // of this class, and does not use it again.
            Some(class) => unsafe { (*self.small.get()).give(pointer, class) },
            // SAFETY: the same of the other heap.
            None => unsafe {
                (*self.large.get()).free(pointer, layout.size(), layout.align());
            },
        }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that such a layout is one.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (small::class(layout), small::class(wanted)) {
            (Some(before), Some(after)) if before == after => return pointer,
            // SAFETY: the only reference; the caller got `pointer` from this heap with
            // this layout, and `size` is not zero.
            (None, None) => unsafe {
                return (*self.large.get()).realloc(pointer, layout.size(), layout.align(), size);
            },
            _ => {}
        }
        // SAFETY: `size` is not zero.
        let block = unsafe { self.alloc(wanted) };
        if !block.is_null() {
            // SAFETY: both blocks have so many bytes and are different ones; the caller
            // got `pointer` with this layout and does not use it again.
            unsafe {
                block.copy_from_nonoverlapping(pointer, layout.size().min(size));
                self.dealloc(pointer, layout);
            }
        }
        block
    }
}
