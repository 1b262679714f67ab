//! C++'s `new` and `delete`, by mimalloc: grounding makes and frees many small objects, and takes a fifth less so.
//!
//! These two are enough: those for arrays, with sizes and without exceptions call them, and those for alignments are two of
//! their own. What Rust and C allocate stays with the C library, which keeps less of what was freed; so do objects where the
//! address space is limited (`ulimit -v`), since mimalloc does not live through its end.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::OnceLock;

use libmimalloc_sys::{mi_free, mi_malloc};
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
    if object.is_null() { throw_bad_alloc() } else { object }
}

// SAFETY: as above.
#[unsafe(export_name = "_ZdlPv")]
extern "C" fn delete(object: *mut c_void) {
    // SAFETY: `new` made it, in the same way, or it is null.
    unsafe { if is_limited() { free(object) } else { mi_free(object) } }
}
