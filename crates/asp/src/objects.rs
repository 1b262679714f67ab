//! The memory allocator: mimalloc for small objects, which takes half the time of the C library.
//!
//! It serves C++ (`new` and `delete`; the variants for arrays, with sizes and without exceptions
//! call these two, and over-aligned types have their own) and small objects of Rust. Large objects
//! of Rust and all of C's use the C library, which retains less freed memory and can grow a vector
//! in place. If the address space is limited (`ulimit -v`), everything uses the C library, because
//! mimalloc aborts when the address space is exhausted.
//!
//! `_Znwm` is `operator new(unsigned long)`. On 32-bit machines `size_t` is another type, and the
//! symbol has another name.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::sync::OnceLock;

use libmimalloc_sys::{mi_free, mi_malloc, mi_realloc, mi_zalloc};
use rustix::process::{Resource, getrlimit};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(object: *mut c_void);
}

unsafe extern "C-unwind" {
    /// `operator new(unsigned long, std::align_val_t)`, which this file leaves to the C++ runtime.
    #[link_name = "_ZnwmSt11align_val_t"]
    safe fn aligned_new(size: usize, alignment: usize) -> *mut c_void;
}

/// Throws `std::bad_alloc`, as `new` does when memory is exhausted; clingo catches it. Both C++
/// runtimes throw it for a size that no allocator can serve.
fn throw_bad_alloc() -> *mut c_void {
    aligned_new(isize::MAX.unsigned_abs(), align_of::<u128>())
}

/// Returns true if the address space is limited. The value never changes, since objects must be
/// freed by the allocator that made them.
fn is_limited() -> bool {
    static IS_LIMITED: OnceLock<bool> = OnceLock::new();
    *IS_LIMITED.get_or_init(|| getrlimit(Resource::As).current.is_some())
}

// SAFETY: C++ allows a program to replace these functions, which then serve all its objects.
#[unsafe(export_name = "_Znwm")]
extern "C-unwind" fn new(size: usize) -> *mut c_void {
    // SAFETY: both allocators accept any size. An empty object needs an address, too.
    let object = unsafe { if is_limited() { malloc(size.max(1)) } else { mi_malloc(size) } };
    if note_failure(object.cast()).is_null() { throw_bad_alloc() } else { object }
}

// SAFETY: as above.
#[unsafe(export_name = "_ZdlPv")]
extern "C" fn delete(object: *mut c_void) {
    // SAFETY: `new` allocated it by the same allocator, or it is null.
    unsafe { if is_limited() { free(object) } else { mi_free(object) } }
}

/// Records a failed allocation, after which the caller may abort the process.
fn note_failure(object: *mut u8) -> *mut u8 {
    if object.is_null() {
        crate::note_failed_allocation();
    }
    object
}

/// The allocator for Rust, which chooses between mimalloc and the C library by the layout.
///
/// A program that makes it its global allocator also replaces the operators of C++.
pub struct Allocator;

/// Maximum size of a small object in bytes.
const MAX_SMALL_SIZE: usize = 1024;

fn is_small(layout: Layout) -> bool {
    layout.size() <= MAX_SMALL_SIZE && layout.align() <= size_of::<usize>() && !is_limited()
}

// SAFETY: memory is returned to the allocator it came from, and mimalloc aligns every object for a
// word.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees a non-zero size.
        note_failure(unsafe { if is_small(layout) { mi_malloc(layout.size()).cast() } else { System.alloc(layout) } })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above. Neither allocator has to clear fresh pages.
        note_failure(unsafe {
            if is_small(layout) { mi_zalloc(layout.size()).cast() } else { System.alloc_zeroed(layout) }
        })
    }

    unsafe fn dealloc(&self, object: *mut u8, layout: Layout) {
        // SAFETY: the object was allocated with this layout.
        unsafe { if is_small(layout) { mi_free(object.cast()) } else { System.dealloc(object, layout) } }
    }

    unsafe fn realloc(&self, object: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's size fits the alignment; the object was allocated with `layout`, and
        // the copy is limited to the smaller size.
        note_failure(unsafe {
            let new_layout = Layout::from_size_align_unchecked(size, layout.align());
            match (is_small(layout), is_small(new_layout)) {
                (true, true) => mi_realloc(object.cast(), size).cast(),
                (false, false) => System.realloc(object, layout, size),
                _ => {
                    let moved = self.alloc(new_layout);
                    if !moved.is_null() {
                        moved.copy_from_nonoverlapping(object, size.min(layout.size()));
                        self.dealloc(object, layout);
                    }
                    moved
                }
            }
        })
    }
}
