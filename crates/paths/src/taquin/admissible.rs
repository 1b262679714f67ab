//! Tests that no heuristic exceeds the true distance, on all boards of some frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::sorting;
use base::stop::CancelToken;
use rustc_hash::FxHashMap;
use statespace::cache::Cache;

use super::additive::{Additive, DisjointPdbs};
use super::generate::layers;
use super::linear_conflict::LinearConflict;
use super::manhattan::Manhattan;
use super::pattern::{Pattern, TableLayout};
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use super::tables::{self, Databases, Size, Source};

/// Returns the distance of every board of a frame.
fn distances(shape: Shape) -> FxHashMap<u64, u8> {
    let layers = (0..).zip(layers(shape, usize::MAX));
    layers.flat_map(|(distance, layer)| layer.into_iter().map(move |board| (board, distance))).collect()
}

/// Checks the heuristic on every board, both evaluated from scratch and updated incrementally after
/// every move.
fn assert_admissible(shape: Shape, name: &str, heuristic: &impl Heuristic, distances: &FxHashMap<u64, u8>) {
    let tiles_of = |board: u64| -> Vec<u16> { (0..shape.cells()).map(|cell| board.get(cell) as u16).collect() };
    let first = |&board: &u64| (board, heuristic.initial_memory(&tiles_of(board)));
    let memories: FxHashMap<u64, _> = distances.keys().map(first).collect();
    for (&board, &distance) in distances {
        let tiles = tiles_of(board);
        let memory = &memories[&board];
        let value = heuristic.value(memory);
        assert!(value <= u32::from(distance), "{name} says {value} of {tiles:?}, which takes {distance}");
        assert_eq!(value % 2, u32::from(distance) % 2, "{name}: every move changes the parity");
        let to = tiles.iter().position(|&tile| usize::from(tile) == shape.home).expect("a free cell");
        for from in (0..shape.cells()).filter(|&cell| shape.distance(cell, to) == 1) {
            let tile = usize::from(tiles[from]);
            let after = board.slide(tile, from, to, shape.home);
            let (_, next) = heuristic.update(memory, Slide { tile, from, to }, &after, u32::MAX);
            assert_eq!(next, heuristic.value(&memories[&after]), "{name}: kept up to date from {tiles:?}");
            assert_eq!(value.abs_diff(next), 1, "{name} is consistent");
        }
    }
}

fn databases(shape: Shape) -> Databases {
    let cache = Cache::default();
    let stop = CancelToken::new();
    let mut source = Source { cache: &cache, stop: &stop, memory: None, is_batch: false, warnings: Vec::new() };
    tables::load(shape, Size::Default, &mut source).expect("the construction is not cancelled")
}

#[test]
fn every_heuristic_is_admissible_on_all_boards_of_some_shapes() {
    for (rows, columns, home) in [(3, 3, 8), (3, 3, 4), (2, 5, 9), (5, 2, 9), (2, 4, 3), (2, 2, 3)] {
        let shape = Shape { rows, columns, home };
        let distances = distances(shape);
        assert_admissible(shape, "manhattan", &Manhattan::new(shape), &distances);
        assert_admissible(shape, "linear-conflict", &LinearConflict::new(shape), &distances);
        match &*databases(shape) {
            [pdbs] => assert_admissible(shape, "pdb", &Additive { shape, pdb_sets: [pdbs] }, &distances),
            [pdbs, mirrored] => {
                assert_admissible(shape, "pdb", &Additive { shape, pdb_sets: [pdbs, mirrored] }, &distances);
            }
            _ => panic!("a board has one mirror image at most"),
        }
    }
}

/// Returns the moves of the pattern's tiles: the blank moves to any cell that it can reach without
/// moving such a tile, then exchanges places with an adjacent one. For each move, the result
/// contains the tiles after it, and the cells `from` and `to` of the tile.
fn moves(shape: Shape, tiles: &[usize], pattern: &Pattern) -> Vec<(Vec<usize>, usize, usize)> {
    let is_in_pattern = |cell: usize| tiles[cell] != shape.home && pattern.tiles.contains(&(tiles[cell] as u8));
    let blank = tiles.iter().position(|&tile| tile == shape.home).expect("a free cell");
    let mut region = vec![blank];
    for next in 0.. {
        let Some(&cell) = region.get(next) else { break };
        let neighbours = (0..shape.cells()).filter(|&other| shape.distance(cell, other) == 1 && !is_in_pattern(other));
        let new: Vec<usize> = neighbours.filter(|other| !region.contains(other)).collect();
        region.extend(new);
    }
    let pairs = region.iter().flat_map(|&to| (0..shape.cells()).map(move |from| (from, to)));
    let pairs = pairs.filter(|&(from, to)| shape.distance(from, to) == 1 && is_in_pattern(from));
    pairs
        .map(|(from, to)| {
            // Only the pattern's tiles and the blank are distinguishable.
            let mut after = vec![usize::MAX; shape.cells()];
            (0..shape.cells()).filter(|&cell| is_in_pattern(cell)).for_each(|cell| after[cell] = tiles[cell]);
            (after[to], after[from]) = (tiles[from], shape.home);
            (after, from, to)
        })
        .collect()
}

#[test]
fn a_table_has_the_distance_of_every_view_and_distinguishes_it_from_its_neighbours() {
    for (rows, columns, home, tiles) in [
        (3, 3, 8, vec![0, 1, 3, 4]),
        (3, 3, 8, vec![5, 7]),
        (3, 3, 4, vec![1, 3, 5, 7]),
        (2, 5, 9, vec![0, 1, 2, 5, 6]),
        (5, 2, 4, vec![8, 9]),
        (3, 4, 11, vec![1, 2, 3, 6]),
        (2, 2, 3, vec![0]),
        (2, 4, 0, vec![1, 2, 3, 4, 5, 6, 7]),
    ] {
        let shape = Shape { rows, columns, home };
        let pattern = Pattern { shape, tiles };
        let layout = TableLayout::new(pattern.clone());
        let bytes = layout.bytes();
        let table = layout.build(2, &|| false).expect("the construction is not cancelled");
        assert_eq!(table.bytes().len(), bytes);
        let goal: Vec<usize> = (0..shape.cells()).collect();
        let value = |tiles: &[usize]| {
            let blank = tiles.iter().position(|&tile| tile == home).expect("a free cell");
            table.distance(pattern.placement(|cell| tiles[cell]), blank)
        };
        assert_eq!(value(&goal), 0);
        let abstract_state = |tiles: &[usize], placement| {
            let mut successors: Vec<_> = moves(shape, tiles, &pattern).into_iter().map(|step| step.0).collect();
            sorting::sort(&mut successors);
            (placement, successors)
        };
        // Boards that differ only in the cell of the blank within its region are one abstract
        // state: they have the same successors.
        let mut visited = FxHashMap::from_iter([(abstract_state(&goal, pattern.placement(|cell| cell)), 0)]);
        let mut layer = vec![goal];
        let mut distance = 0;
        while !layer.is_empty() {
            let mut next = Vec::new();
            distance += 1;
            for tiles in layer {
                let placement = pattern.placement(|cell| tiles[cell]);
                for (after, from, to) in moves(shape, &tiles, &pattern) {
                    let placement = placement.slide(from, to);
                    assert_eq!(placement, pattern.placement(|cell| after[cell]), "{tiles:?}: {from} to {to}");
                    let expected = *visited.entry(abstract_state(&after, placement)).or_insert_with(|| {
                        next.push(after.clone());
                        distance
                    });
                    assert_eq!(value(&after), expected, "{pattern:?}: {after:?}");
                    assert_eq!(
                        table.adjacent_distance(value(&tiles), placement, from),
                        expected,
                        "{tiles:?}: {from} to {to}"
                    );
                }
            }
            layer = next;
        }
        assert!(distance > 2);
    }
}

#[test]
fn sums_over_other_disjoint_patterns_are_admissible() {
    for (rows, columns, home, patterns) in [
        (3, 3, 8, vec![vec![0, 1, 3, 4], vec![2, 5, 6, 7]]),
        (3, 3, 8, vec![vec![1, 2], vec![3, 6], vec![0, 4, 5, 7]]),
        (3, 3, 0, vec![vec![1, 2, 3, 4, 5, 6, 7, 8]]),
        (2, 5, 9, vec![vec![0, 1, 2, 5, 6], vec![3, 4, 7, 8]]),
    ] {
        let shape = Shape { rows, columns, home };
        let databases = patterns.into_iter().map(|tiles| {
            let (pattern, image) = Pattern { shape, tiles }.canonical();
            let table = TableLayout::new(pattern).build(2, &|| false).expect("the construction is not cancelled");
            (Arc::new(table), image)
        });
        let pdb_sets = [&DisjointPdbs::new(databases.collect())];
        assert_admissible(shape, "pdb", &Additive { shape, pdb_sets }, &distances(shape));
    }
}

#[test]
fn building_a_table_can_be_cancelled() {
    let shape = Shape { rows: 4, columns: 4, home: 15 };
    let pattern = Pattern { shape, tiles: vec![0, 1, 2, 3, 4, 5, 6, 7] };
    let calls = AtomicUsize::new(0);
    let stop = || calls.fetch_add(1, Ordering::Relaxed) >= 10;
    assert!(TableLayout::new(pattern).build(2, &stop).is_none());
    assert!(calls.into_inner() < 20, "a thread does not call `stop` after another thread has stopped");
}
