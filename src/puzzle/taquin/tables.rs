//! Which pattern databases a frame gets, and where they come from: memory, the cache, or a build.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::additive::Additive;
use super::direct::{self, Tables};
use super::pages::Pages;
use super::pattern::{Pattern, Ranked};
use super::shape::Shape;
use crate::cache::Cache;
use crate::diagnostic::Diagnostic;
use crate::stop::Stop;

/// Tables of a frame.
#[derive(Clone)]
pub enum Databases {
    /// Boards of up to 16 cells.
    Direct(Arc<Tables>),
    Additive(Arc<Additive>),
}

/// How large tables may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Size {
    /// Ready in a second or two: 34 MB for the 15-puzzle, 190 MB for the 24-puzzle
    #[default]
    Default,
    /// The 7-8 tables of the 15-puzzle: 1 GB, minutes to build, kept for the next run
    Large,
}

/// What the building needs.
pub struct Source<'a> {
    pub cache: &'a Cache,
    pub stop: &'a Stop,
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
    if let Some(found) = loaded(shape, size) {
        return Some(found);
    }
    let databases = fresh(shape, size, source)?;
    let mut shelf = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    shelf.push((shape, size, databases.clone()));
    Some(databases)
}

fn fresh(shape: Shape, size: Size, source: &mut Source<'_>) -> Option<Databases> {
    let patterns = partition(shape, size);
    let is_direct = shape.cells() <= 16 && patterns.iter().all(|pattern| pattern.tiles.len() <= direct::TILES);
    if is_direct {
        return Some(Databases::Direct(Arc::new(direct_tables(shape, &patterns, source)?)));
    }
    let mut known: Vec<Arc<Ranked>> = Vec::new();
    let additive: Result<Additive, ()> = Additive::new(shape, &patterns, |pattern| {
        if let Some(table) = known.iter().find(|table| table.pattern == pattern) {
            return Ok(table.clone());
        }
        let table = Arc::new(ranked_table(pattern, source).ok_or(())?);
        known.push(table.clone());
        Ok(table)
    });
    Some(Databases::Additive(Arc::new(additive.ok()?)))
}

fn direct_tables(shape: Shape, patterns: &[Pattern], source: &mut Source<'_>) -> Option<Tables> {
    let name = file_name(shape, "direct", patterns);
    if let Some(moves) = source.kept(&name, Tables::bytes(patterns)) {
        return Some(Tables::with(shape, patterns, moves));
    }
    let tables = Tables::build(shape, patterns, &|| source.stop.requested().is_some())?;
    source.cache.save(&name, tables.entries());
    Some(tables)
}

fn ranked_table(pattern: Pattern, source: &mut Source<'_>) -> Option<Ranked> {
    let name = file_name(pattern.shape, "ranked", std::slice::from_ref(&pattern));
    if let Some(excess) = source.kept(&name, Ranked::bytes(&pattern)) {
        return Some(Ranked::with(pattern, excess));
    }
    let table = Ranked::build(pattern, &|| source.stop.requested().is_some())?;
    source.cache.save(&name, &table.excess);
    Some(table)
}

/// All that the content depends on: the frame, where the free cell ends, the kind of table, and the tiles of each pattern.
fn file_name(Shape { rows, columns, home }: Shape, kind: &str, patterns: &[Pattern]) -> String {
    let tiles = |pattern: &Pattern| pattern.tiles.iter().map(u8::to_string).collect::<Vec<_>>().join("-");
    let patterns: Vec<String> = patterns.iter().map(tiles).collect();
    format!("taquin-{rows}x{columns}-{home}-{kind}-{}", patterns.join("_"))
}

impl Source<'_> {
    fn kept(&mut self, name: &str, bytes: usize) -> Option<Pages> {
        let loaded = self.cache.load(name, bytes).map_err(|warning| self.warnings.push(warning));
        let kept = loaded.ok().flatten()?;
        if self.is_batch && SEARCHED.load(Ordering::Relaxed) < BEFORE_OWN_PAGES {
            ARE_SHARED.store(true, Ordering::Relaxed);
            return kept.map().ok().map(Pages::Mapped);
        }
        let mut own = Pages::zeroed(bytes)?;
        kept.read(&mut own).ok().map(|()| own)
    }
}

/// Tiles in patterns whose tables are built together.
fn partition(shape: Shape, size: Size) -> Vec<Pattern> {
    let fixed: &[&[u8]] = match (shape.rows, shape.columns, shape.home, size) {
        //  A C C C
        //  A A B B
        //  A A B B
        //  A B B .
        (4, 4, 15, Size::Default) => &[&[0, 4, 5, 8, 9, 12], &[6, 7, 10, 11, 13, 14], &[1, 2, 3]],
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
    let pattern = |tiles: &[u8]| Pattern { shape, tiles: tiles.to_vec() };
    if !fixed.is_empty() {
        return fixed.iter().map(|tiles| pattern(tiles)).collect();
    }
    // Strips of two rows, from left to right.
    let mut tiles: Vec<u8> = (0..shape.cells() as u8).filter(|&tile| usize::from(tile) != shape.home).collect();
    tiles.sort_by_key(|&tile| {
        let (row, column) = (usize::from(tile) / shape.columns, usize::from(tile) % shape.columns);
        (row / 2, column, row % 2)
    });
    tiles.chunks(direct::TILES).map(pattern).collect()
}
