//! Files as memory.

use std::fs::File;
use std::io;

use memmap2::{MmapMut, MmapOptions};

/// Maps `length` bytes of a file copy-on-write: processes share its pages, and writes stay in this
/// one. The file must not be modified meanwhile: a changed byte would be seen, and truncating the
/// file kills the process (SIGBUS).
pub fn map_file(file: &File, offset: u64, length: usize) -> io::Result<MmapMut> {
    // SAFETY: the mapping is private, and the bytes are plain numbers of which any value is valid.
    unsafe { MmapOptions::new().offset(offset).len(length).map_copy(file) }
}
