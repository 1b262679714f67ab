//! Results of calls into clingo, and what each file of calls needs.

use std::ffi::CStr;
use std::sync::atomic::{self, AtomicBool};

use clingo_sys as sys;

/// A failed call: clingo's message, and true if it ran out of memory.
#[derive(Debug, Clone)]
pub struct CallError {
    pub text: String,
    pub out_of_memory: bool,
}

pub type CallResult<T> = Result<T, CallError>;

/// True after a failed allocation that clingo has not reported as an error.
pub static ALLOCATION_FAILED: AtomicBool = AtomicBool::new(false);

/// Returns the error of the last failed call.
pub fn last_error() -> CallError {
    // SAFETY: the message is null or text that ends with NUL, valid until the next failing call of
    // this thread.
    let message = unsafe { sys::clingo_error_message() };
    let text = if message.is_null() {
        "clingo gave no reason".to_owned()
    } else {
        // SAFETY: as above.
        unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()
    };
    // SAFETY: reads a thread-local number.
    let code = unsafe { sys::clingo_error_code() };
    // If a thread of clasp throws, clingo passes on only the text of the exception.
    let out_of_memory = code == sys::clingo_error_e_clingo_error_bad_alloc as i32 || text == "std::bad_alloc";
    if out_of_memory {
        // clingo has caught the exception of the failed allocation.
        ALLOCATION_FAILED.store(false, atomic::Ordering::Relaxed);
    }
    CallError { text, out_of_memory }
}

pub fn check(success: bool) -> CallResult<()> {
    if success { Ok(()) } else { Err(last_error()) }
}

pub fn nul_byte() -> CallError {
    CallError { text: "the text has a NUL byte".to_owned(), out_of_memory: false }
}

/// Returns an array of clingo, which may be null if it is empty.
///
/// # Safety
/// `items` points to `size` items, unless `size` is 0.
pub unsafe fn slice_or_empty<'a, T>(items: *const T, size: usize) -> &'a [T] {
    if size == 0 {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(items, size) }
}

/// Reports to clingo that a callback failed.
pub fn fail(reason: &CStr) -> bool {
    // SAFETY: the text ends with NUL and is copied.
    unsafe { sys::clingo_set_error(sys::clingo_error_e_clingo_error_runtime as i32, reason.as_ptr()) };
    false
}
