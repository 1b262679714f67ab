//! Large tables in large memory pages.
//!
//! A random lookup in a table of many megabytes misses the cache and, with pages of 4 KB, also the
//! TLB; the second miss costs as much as the first. Operating systems provide pages of 2 MB on
//! request. A cached table is mapped from its file, in small pages that all processes share. A
//! batch uses these until it has searched many nodes ([`super::tables`]).

/// Bytes that are initially zero, or mapped from a file.
pub use asp::memory::Pages;

/// Allocates zeroed bytes; `None` if memory is exhausted.
#[cfg(not(target_family = "wasm"))]
pub fn zeroed(length: usize) -> Option<Pages> {
    let map = Pages::map_anon(length.max(1)).ok()?;
    #[cfg(target_os = "linux")]
    // Without support for large pages the table works as well, but slower.
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(map)
}

#[cfg(target_family = "wasm")]
pub fn zeroed(length: usize) -> Option<Pages> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).ok()?;
    bytes.resize(length, 0);
    Some(bytes)
}
