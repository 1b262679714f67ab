//! Large tables in large pages.
//!
//! A look-up into a table of many megabytes at random misses the cache and, with pages of 4 KB, also the list of pages that
//! the processor keeps at hand; the second miss costs as much as the first. Systems give pages of 2 MB to those who ask. A
//! table that was kept comes mapped from its file, in small pages that all processes share; they serve a batch until it
//! proves long ([`super::tables`]).

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Bytes that begin as zeros, or come from a file.
pub enum Pages {
    Mapped(MmapMut),
    /// Where nothing can be mapped.
    Plain(Vec<u8>),
}

impl Pages {
    /// `None` where there is not so much memory.
    pub fn zeroed(length: usize) -> Option<Self> {
        match MmapMut::map_anon(length.max(1)) {
            Ok(map) => {
                #[cfg(target_os = "linux")]
                // A system that does not know large pages serves as well, but slower.
                let _ = map.advise(memmap2::Advice::HugePage);
                Some(Pages::Mapped(map))
            }
            Err(_) => {
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(length).ok()?;
                bytes.resize(length, 0);
                Some(Pages::Plain(bytes))
            }
        }
    }
}

impl Deref for Pages {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Pages::Mapped(map) => map,
            Pages::Plain(bytes) => bytes,
        }
    }
}

impl DerefMut for Pages {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Pages::Mapped(map) => map,
            Pages::Plain(bytes) => bytes,
        }
    }
}
