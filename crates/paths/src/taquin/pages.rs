//! Large tables in large memory pages.
//!
//! A random lookup in a table of many megabytes misses the cache and, with pages of 4 KB, also the
//! TLB; the second miss costs as much as the first. Operating systems provide pages of 2 MB on
//! request. A cached table is mapped from its file, in small pages that all processes share. A
//! batch uses these until it has searched many nodes ([`super::tables`]).

use memmap2::MmapMut;

/// Bytes that are initially zero, or mapped from a file.
pub type Pages = MmapMut;

/// Allocates zeroed bytes; `None` if memory is exhausted.
pub fn zeroed(length: usize) -> Option<Pages> {
    let map = MmapMut::map_anon(length.max(1)).ok()?;
    #[cfg(target_os = "linux")]
    // Without support for large pages the table works as well, but slower.
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(map)
}
