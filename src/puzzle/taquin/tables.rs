//! Which pattern databases a frame gets, and where they come from: memory, the cache, or a build.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::additive::{View, is_symmetric};
use super::pages::{self, Pages};
use super::pattern::{Layout, Pattern, Table};
use super::shape::Shape;
use crate::cache::Cache;
use crate::diagnostic::Diagnostic;
use crate::sorting;
use crate::stop::Stop;

/// Tables of a frame, as views: of the board and, where the frame is symmetric, its mirror image.
pub type Databases = Arc<[View]>;

/// How large tables may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Size {
    /// Small ones, built in a second (35 MB for the 15-puzzle); large ones if they exist, or if a board is slow
    #[default]
    Default,
    /// Large ones at once (196 MB for the 15-puzzle, built in seconds), kept for the next run
    Large,
}

/// What the building needs.
pub struct Source<'a> {
    pub cache: &'a Cache,
    pub stop: &'a Stop,
    /// Bytes that large tables may take while they are built.
    pub memory: Option<u64>,
    /// There may be many such processes, and little to do in each.
    pub is_batch: bool,
    pub warnings: Vec<Diagnostic>,
}

type Shelf<T> = Mutex<Vec<(Shape, Size, T)>>;

static LOADED: Shelf<Databases> = Mutex::new(Vec::new());

/// Whether there are tables for frames of this shape.
pub fn exist_for(shape: Shape) -> bool {
    (2..=25).contains(&shape.cells()) && shape.rows > 1 && shape.columns > 1
}

/// Those that were built or read before in this process.
pub fn loaded(shape: Shape, size: Size) -> Option<Databases> {
    let shelf = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    shelf.iter().find(|loaded| (loaded.0, loaded.1) == (shape, size)).map(|loaded| loaded.2.clone())
}

/// Whether large tables differ from the small ones.
pub fn are_larger(shape: Shape) -> bool {
    partition(shape, Size::Large) != partition(shape, Size::Default)
}

/// Whether they were built in an earlier run, so that they are ready in a moment.
pub fn are_kept(shape: Shape, size: Size, cache: &Cache) -> bool {
    partition(shape, size).into_iter().all(|pattern| cache.has(&file_name(&pattern.canonical().0)))
}

/// Nodes of a batch that are searched with tables in pages that processes share. Then pages of its own, which are large,
/// are worth their copying: a search is a tenth slower without.
const BEFORE_OWN_PAGES: u64 = 10_000_000;

static SEARCHED: AtomicU64 = AtomicU64::new(0);
static ARE_SHARED: AtomicBool = AtomicBool::new(false);

/// Tells how much was searched with the tables of a frame.
pub fn searched(shape: Shape, size: Size, nodes: u64, source: &mut Source<'_>) {
    let is_worth_it = SEARCHED.fetch_add(nodes, Ordering::Relaxed) + nodes >= BEFORE_OWN_PAGES;
    if is_worth_it
        && ARE_SHARED.swap(false, Ordering::Relaxed)
        && let Some(databases) = fresh(shape, size, source)
    {
        let mut shelf = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.iter_mut().filter(|loaded| (loaded.0, loaded.1) == (shape, size)).for_each(|it| it.2 = databases.clone());
    }
}

/// Reads or builds the tables of a frame; `None` when the search is to stop, or there is no memory for them.
pub fn load(shape: Shape, size: Size, source: &mut Source<'_>) -> Option<Databases> {
    // One after the other: whoever waits will find them.
    static LOADING: Mutex<()> = Mutex::new(());
    let _loading = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = loaded(shape, size) {
        return Some(found);
    }
    let databases = fresh(shape, size, source)?;
    let mut shelf = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    shelf.push((shape, size, databases.clone()));
    Some(databases)
}

fn fresh(shape: Shape, size: Size, source: &mut Source<'_>) -> Option<Databases> {
    let mut fields: Vec<(Arc<Table>, [u8; 32])> = Vec::new();
    for pattern in partition(shape, size) {
        let (pattern, image) = pattern.canonical();
        let known = fields.iter().find(|(table, _)| *table.pattern() == pattern).map(|(table, _)| table.clone());
        let table = match known {
            Some(table) => table,
            None => Arc::new(table(pattern, size, source)?),
        };
        fields.push((table, image));
    }
    let mirrored = |image: &[u8; 32]| {
        let mut seen = *image;
        for cell in 0..shape.cells() {
            seen[cell] = image[cell % shape.columns * shape.columns + cell / shape.columns];
        }
        seen
    };
    let mut views = vec![View::new(fields.clone())];
    if is_symmetric(shape) {
        views.push(View::new(fields.iter().map(|(table, image)| (table.clone(), mirrored(image))).collect()));
    }
    Some(views.into())
}

fn table(pattern: Pattern, size: Size, source: &mut Source<'_>) -> Option<Table> {
    let name = file_name(&pattern);
    let layout = Layout::new(pattern);
    let (bytes, memory) = (layout.bytes(), source.memory);
    let fits = |times: u64| memory.is_none_or(|memory| bytes as u64 * times <= memory);
    if size == Size::Large && !fits(1) {
        return None;
    }
    if let Some(bits) = source.kept(&name, bytes) {
        return Some(layout.with(bits));
    }
    if size == Size::Large && !fits(3) {
        return None;
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let table = layout.build(threads, &|| source.stop.requested().is_some())?;
    source.cache.save(&name, table.bytes());
    Some(table)
}

/// All that the content depends on: the kind of table, the frame, where the free cell ends, and the tiles.
fn file_name(Pattern { shape: Shape { rows, columns, home }, tiles }: &Pattern) -> String {
    let tiles = tiles.iter().map(u8::to_string).collect::<Vec<_>>().join("-");
    format!("taquin-{rows}x{columns}-{home}-bits-{tiles}")
}

impl Source<'_> {
    fn kept(&mut self, name: &str, bytes: usize) -> Option<Pages> {
        let loaded = self.cache.load(name, bytes).map_err(|warning| self.warnings.push(warning));
        let kept = loaded.ok().flatten()?;
        if self.is_batch && SEARCHED.load(Ordering::Relaxed) < BEFORE_OWN_PAGES {
            ARE_SHARED.store(true, Ordering::Relaxed);
            return kept.map().ok();
        }
        let mut own = pages::zeroed(bytes)?;
        kept.read(&mut own).ok().map(|()| own)
    }
}

/// Tiles in patterns: a way to part them.
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
        //  D D D C C     Korf and Felner, 2002. B, C and D are images of each other and share a table.
        //  B B A C C
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
    // Strips of two rows, from left to right.
    let mut tiles: Vec<u8> = (0..shape.cells() as u8).filter(|&tile| usize::from(tile) != shape.home).collect();
    sorting::sort_by_key(&mut tiles, |&tile| {
        let (row, column) = (usize::from(tile) / shape.columns, usize::from(tile) % shape.columns);
        (row / 2, column, row % 2)
    });
    tiles.chunks(6).map(pattern).collect()
}
