//! The choice of pattern databases for a frame, and their sources: memory, the cache, or a build.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use asp::memory;
use base::diagnostic::Diagnostic;
use base::sorting;
use base::stop::CancelToken;
use parking_lot::Mutex;
use statespace::cache::Cache;

use super::additive::{DisjointPdbs, is_symmetric};
use super::pages::{self, Pages};
use super::pattern::{BitTable, Pattern, TableLayout};
use super::shape::Shape;

/// The databases of a frame, for the board and, if the frame is symmetric, for its reflection.
pub type Databases = Arc<[DisjointPdbs]>;

/// The size of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Size {
    /// Small ones, built in a second (35 MB for the 15-puzzle); large ones if they exist, or if a
    /// board is slow
    #[default]
    Default,
    /// Large ones at once (196 MB for the 15-puzzle, built in seconds), kept for the next run
    Large,
}

/// The resources for loading and building.
pub struct Source<'a> {
    pub cache: &'a Cache,
    pub stop: &'a CancelToken,
    /// Bytes that large tables may take during construction.
    pub memory: Option<u64>,
    /// True in a batch: many such processes may run, with little work each.
    pub is_batch: bool,
    pub warnings: Vec<Diagnostic>,
}

type Registry<T> = Mutex<Vec<(Shape, Size, T)>>;

static LOADED: Registry<Databases> = Mutex::new(Vec::new());

/// Returns true if there are tables for frames of this shape.
pub fn exist_for(shape: Shape) -> bool {
    (2..=25).contains(&shape.cells()) && shape.rows > 1 && shape.columns > 1
}

/// Returns the databases if this process has built or read them before.
pub fn loaded(shape: Shape, size: Size) -> Option<Databases> {
    let registry = LOADED.lock();
    registry.iter().find(|loaded| (loaded.0, loaded.1) == (shape, size)).map(|loaded| loaded.2.clone())
}

/// Returns true if the large tables differ from the small ones.
pub fn large_differ(shape: Shape) -> bool {
    partition(shape, Size::Large) != partition(shape, Size::Default)
}

/// Returns true if all tables of the frame are in the cache.
pub fn are_cached(shape: Shape, size: Size, cache: &Cache) -> bool {
    partition(shape, size).into_iter().all(|pattern| cache.has(&file_name(&pattern.canonical().0)))
}

/// Number of nodes that a batch searches with tables in shared pages. After that, copying the
/// tables to large private pages pays off, because searches in shared pages are a tenth slower.
const MIN_NODES_FOR_PRIVATE_PAGES: u64 = 10_000_000;

static SEARCHED_NODES: AtomicU64 = AtomicU64::new(0);
static ARE_SHARED: AtomicBool = AtomicBool::new(false);

/// Records `nodes` searched with the tables of a frame, and replaces shared pages by private ones
/// once that pays off.
pub fn record_search(shape: Shape, size: Size, nodes: u64, source: &mut Source<'_>) {
    let pays_off = SEARCHED_NODES.fetch_add(nodes, Ordering::Relaxed) + nodes >= MIN_NODES_FOR_PRIVATE_PAGES;
    if pays_off
        && ARE_SHARED.swap(false, Ordering::Relaxed)
        && let Some(databases) = load_or_build(shape, size, source)
    {
        let mut registry = LOADED.lock();
        for entry in registry.iter_mut().filter(|loaded| (loaded.0, loaded.1) == (shape, size)) {
            entry.2 = databases.clone();
        }
    }
}

/// Reads or builds the tables of a frame; `None` if cancelled or out of memory.
pub fn load(shape: Shape, size: Size, source: &mut Source<'_>) -> Option<Databases> {
    // Only one thread loads at a time. A waiting thread then finds the tables loaded.
    static LOADING: Mutex<()> = Mutex::new(());
    let _loading = LOADING.lock();
    if let Some(found) = loaded(shape, size) {
        return Some(found);
    }
    let databases = load_or_build(shape, size, source)?;
    let mut registry = LOADED.lock();
    registry.push((shape, size, databases.clone()));
    Some(databases)
}

fn load_or_build(shape: Shape, size: Size, source: &mut Source<'_>) -> Option<Databases> {
    let mut tables: Vec<(Arc<BitTable>, [u8; 32])> = Vec::new();
    for pattern in partition(shape, size) {
        let (pattern, image) = pattern.canonical();
        let shared = tables.iter().find(|(table, _)| *table.pattern() == pattern).map(|(table, _)| table.clone());
        let table = match shared {
            Some(table) => table,
            None => Arc::new(table(pattern, size, source)?),
        };
        tables.push((table, image));
    }
    let mirrored = |image: &[u8; 32]| {
        let mut reflected = *image;
        for cell in 0..shape.cells() {
            reflected[cell] = image[cell % shape.columns * shape.columns + cell / shape.columns];
        }
        reflected
    };
    let mut pdb_sets = vec![DisjointPdbs::new(tables.clone())];
    if is_symmetric(shape) {
        pdb_sets
            .push(DisjointPdbs::new(tables.iter().map(|(table, image)| (table.clone(), mirrored(image))).collect()));
    }
    Some(pdb_sets.into())
}

fn table(pattern: Pattern, size: Size, source: &mut Source<'_>) -> Option<BitTable> {
    let name = file_name(&pattern);
    let layout = TableLayout::new(pattern);
    let bytes = layout.bytes();
    let memory = source.memory;
    let fits = |factor: u64| memory.is_none_or(|memory| bytes as u64 * factor <= memory);
    if size == Size::Large && !fits(1) {
        return None;
    }
    if let Some(bits) = source.cached(&name, bytes) {
        return Some(layout.with_bits(bits));
    }
    if size == Size::Large && !fits(3) {
        return None;
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let table = layout.build(threads, &|| source.stop.requested().is_some())?;
    source.cache.save(&name, table.bytes());
    Some(table)
}

/// Returns the file name of a table. It encodes everything that the content depends on: the kind of
/// table, the frame, the goal of the blank, and the tiles.
fn file_name(Pattern { shape: Shape { rows, columns, home }, tiles }: &Pattern) -> String {
    let tiles = tiles.iter().map(u8::to_string).collect::<Vec<_>>().join("-");
    format!("taquin-{rows}x{columns}-{home}-bits-{tiles}")
}

impl Source<'_> {
    fn cached(&mut self, name: &str, bytes: usize) -> Option<Pages> {
        let loaded = self.cache.load(name, bytes).map_err(|warning| self.warnings.push(warning));
        let cached = loaded.ok().flatten()?;
        if self.is_batch && SEARCHED_NODES.load(Ordering::Relaxed) < MIN_NODES_FOR_PRIVATE_PAGES {
            ARE_SHARED.store(true, Ordering::Relaxed);
            let (file, offset, length) = cached.place();
            return memory::map_file(file, offset, length).ok();
        }
        let mut pages_copy = pages::zeroed(bytes)?;
        cached.read(&mut pages_copy).ok().map(|()| pages_copy)
    }
}

/// Returns the partition of the tiles into patterns.
fn partition(shape: Shape, size: Size) -> Vec<Pattern> {
    let fixed: &[&[u8]] = match (shape.rows, shape.columns, shape.home, size) {
        //  A C B B
        //  A A B B     The place of the single tile matters (docs/notes/search.md).
        //  A A B B
        //  A A B .
        (4, 4, 15, Size::Default) => &[&[0, 4, 5, 8, 9, 12, 13], &[2, 3, 6, 7, 10, 11, 14], &[1]],
        //  A B B B
        //  A A B B
        //  A A B B
        //  A A B .
        (4, 4, 15, Size::Large) => &[&[0, 4, 5, 8, 9, 12, 13], &[1, 2, 3, 6, 7, 10, 11, 14]],
        //  D D D C C
        //  D D D C C     Korf and Felner, 2002. B, C and D are images of each other, so they share
        //  B B A C C     a table.
        //  B B A A A
        //  B B A A .
        (5, 5, 24, _) => {
            &[&[12, 17, 18, 19, 22, 23], &[10, 11, 15, 16, 20, 21], &[3, 4, 8, 9, 13, 14], &[0, 1, 2, 5, 6, 7]]
        }
        _ => &[],
    };
    let pattern = |tiles: &[u8]| {
        let mut tiles = tiles.to_vec();
        tiles.sort_unstable();
        Pattern { shape, tiles }
    };
    if !fixed.is_empty() {
        return fixed.iter().map(|tiles| pattern(tiles)).collect();
    }
    // Default: strips of two rows, from left to right.
    let mut tiles: Vec<u8> = (0..shape.cells() as u8).filter(|&tile| usize::from(tile) != shape.home).collect();
    sorting::sort_by_key(&mut tiles, |&tile| {
        let (row, column) = (usize::from(tile) / shape.columns, usize::from(tile) % shape.columns);
        (row / 2, column, row % 2)
    });
    tiles.chunks(6).map(pattern).collect()
}
