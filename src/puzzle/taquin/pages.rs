//! Large tables in large pages.
//!
//! A look-up into a table of many megabytes at random misses the cache and, with pages of 4 KB, also the list of pages that
//! the processor keeps at hand; the second miss costs as much as the first. Systems give pages of 2 MB to those who ask. A
//! table that was kept comes mapped from its file, in small pages that all processes share; they serve a batch until it
//! proves long ([`super::tables`]).

use memmap2::MmapMut;

/// Bytes that begin as zeros, or come from a file.
pub type Pages = MmapMut;

/// `None` where there is not so much memory.
pub fn zeroed(length: usize) -> Option<Pages> {
    let map = MmapMut::map_anon(length.max(1)).ok()?;
    #[cfg(target_os = "linux")]
    // A system that does not know large pages serves as well, but slower.
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(map)
}
