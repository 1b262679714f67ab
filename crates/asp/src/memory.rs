//! Files as memory.

use std::fs::File;
use std::io;

#[cfg(not(target_family = "wasm"))]
use memmap2::{MmapMut, MmapOptions};

/// Bytes in pages of their own.
#[cfg(not(target_family = "wasm"))]
pub type Pages = MmapMut;

/// Bytes; WebAssembly has no pages.
#[cfg(target_family = "wasm")]
pub type Pages = Vec<u8>;

/// Maps `length` bytes of a file copy-on-write: processes share its pages, and writes stay in this
/// one. The file must not be modified meanwhile: a changed byte would be seen, and truncating the
/// file kills the process (SIGBUS).
#[cfg(not(target_family = "wasm"))]
pub fn map_file(file: &File, offset: u64, length: usize) -> io::Result<Pages> {
    // SAFETY: the mapping is private, and the bytes are plain numbers of which any value is valid.
    unsafe { MmapOptions::new().offset(offset).len(length).map_copy(file) }
}

#[cfg(target_family = "wasm")]
pub fn map_file(_file: &File, _offset: u64, _length: usize) -> io::Result<Pages> {
    Err(io::ErrorKind::Unsupported.into())
}
