//! Where small objects live: in mimalloc, which makes and frees them in half the time that the C library takes.
//!
//! They are C++'s (its `new` and `delete`; these two are enough: those for arrays, with sizes and without exceptions call them,
//! and those for alignments are two of their own), and the small ones of Rust. Rust's large ones and those of C stay with the
//! C library, which keeps less of what was freed and lets a vector grow where it is; so does everything where the address
//! space is limited (`ulimit -v`), since mimalloc does not live through its end.
//!
//! `_Znwm` is `operator new(unsigned long)`: on a 32-bit machine `size_t` is another type, and `new` has another name.

#![allow(unsafe_code)]

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
    /// What `new` does where there is no memory; clingo catches it.
    #[link_name = "_ZSt17__throw_bad_allocv"]
    safe fn throw_bad_alloc() -> !;
}

/// The same from the first object to the last.
fn is_limited() -> bool {
    static IS_LIMITED: OnceLock<bool> = OnceLock::new();
    *IS_LIMITED.get_or_init(|| getrlimit(Resource::As).current.is_some())
}

// SAFETY: C++ lets a program define these, by which all its objects are made and freed.
#[unsafe(export_name = "_Znwm")]
extern "C-unwind" fn new(size: usize) -> *mut c_void {
    // SAFETY: both take any size; an object without one has an address, too.
    let object = unsafe { if is_limited() { malloc(size.max(1)) } else { mi_malloc(size) } };
    if noted(object.cast()).is_null() { throw_bad_alloc() } else { object }
}

// SAFETY: as above.
#[unsafe(export_name = "_ZdlPv")]
extern "C" fn delete(object: *mut c_void) {
    // SAFETY: `new` made it, in the same way, or it is null.
    unsafe { if is_limited() { free(object) } else { mi_free(object) } }
}

/// Where there was no memory, whoever asked may abort the process.
fn noted(object: *mut u8) -> *mut u8 {
    if object.is_null() {
        asp_solve::note_failed_allocation();
    }
    object
}

/// Rust's objects: an object's layout tells where it lives.
struct Objects;

#[global_allocator]
static OBJECTS: Objects = Objects;

/// Bytes of a small object.
const MOST: usize = 1024;

fn is_small(layout: Layout) -> bool {
    layout.size() <= MOST && layout.align() <= size_of::<usize>() && !is_limited()
}

// SAFETY: what mimalloc or the C library gave goes back to the same, and mimalloc aligns any object for a word.
unsafe impl GlobalAlloc for Objects {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout has a size.
        noted(unsafe { if is_small(layout) { mi_malloc(layout.size()).cast() } else { System.alloc(layout) } })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above. Both know what is zero already.
        noted(unsafe { if is_small(layout) { mi_zalloc(layout.size()).cast() } else { System.alloc_zeroed(layout) } })
    }

    unsafe fn dealloc(&self, object: *mut u8, layout: Layout) {
        // SAFETY: the object was made with this layout.
        unsafe { if is_small(layout) { mi_free(object.cast()) } else { System.dealloc(object, layout) } }
    }

    unsafe fn realloc(&self, object: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's size fits the alignment; the object was made with `layout`, and as much of it is copied as both hold.
        noted(unsafe {
            let wanted = Layout::from_size_align_unchecked(size, layout.align());
            match (is_small(layout), is_small(wanted)) {
                (true, true) => mi_realloc(object.cast(), size).cast(),
                (false, false) => System.realloc(object, layout, size),
                _ => {
                    let moved = self.alloc(wanted);
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
