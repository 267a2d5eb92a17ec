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

struct Heap(UnsafeCell<Dlmalloc<Memory>>);

// SAFETY: a component has one thread.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new(Dlmalloc::new_with_allocator(Memory)));

// SAFETY: Dlmalloc keeps the promises of GlobalAlloc and never unwinds.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: one thread and no call back into the allocator, so this
        // reference is the only one; so it is in each call below.
        unsafe { (*self.0.get()).malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the only reference; memory said to be zero is zero.
        unsafe { (*self.0.get()).calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the only reference; the caller got `pointer` from this heap
        // with this layout and does not use it again.
        unsafe { (*self.0.get()).free(pointer, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the only reference; the caller got `pointer` from this heap
        // with this layout, and `size` is not zero.
        unsafe { (*self.0.get()).realloc(pointer, layout.size(), layout.align(), size) }
    }
}
