//! Tests: no heuristic says more than the truth, on all boards of some frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use super::additive::{Additive, View};
use super::linear_conflict::LinearConflict;
use super::manhattan::Manhattan;
use super::pattern::{Layout, Pattern};
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use super::tables::{self, Databases, Size, Source};
use crate::cache::Cache;
use crate::sorting;
use crate::stop::Stop;

/// The distance of every board of a frame, by a complete breadth-first search.
fn distances(shape: Shape) -> FxHashMap<u64, u8> {
    let goal: Vec<u16> = (0..shape.cells() as u16).collect();
    let mut distances = FxHashMap::from_iter([(u64::pack(&goal), 0)]);
    let mut layer = vec![(u64::pack(&goal), shape.home)];
    let mut distance = 0;
    while !layer.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for (board, free) in layer {
            for from in (0..shape.cells()).filter(|&cell| shape.distance(cell, free) == 1) {
                let after = board.slide(board.get(from), from, free, shape.home);
                if let std::collections::hash_map::Entry::Vacant(vacant) = distances.entry(after) {
                    vacant.insert(distance);
                    next.push((after, from));
                }
            }
        }
        layer = next;
    }
    distances
}

/// On every board, reckoned from nothing, and after every move from it.
fn assert_admissible(shape: Shape, name: &str, heuristic: &impl Heuristic, distances: &FxHashMap<u64, u8>) {
    let tiles_of = |board: u64| -> Vec<u16> { (0..shape.cells()).map(|cell| board.get(cell) as u16).collect() };
    let first = |&board: &u64| (board, heuristic.first(&tiles_of(board)));
    let memories: FxHashMap<u64, _> = distances.keys().map(first).collect();
    for (&board, &distance) in distances {
        let (tiles, memory) = (tiles_of(board), &memories[&board]);
        let value = heuristic.value(memory);
        assert!(value <= u32::from(distance), "{name} says {value} of {tiles:?}, which takes {distance}");
        assert_eq!(value % 2, u32::from(distance) % 2, "{name}: every move changes the parity");
        let to = tiles.iter().position(|&tile| usize::from(tile) == shape.home).expect("a free cell");
        for from in (0..shape.cells()).filter(|&cell| shape.distance(cell, to) == 1) {
            let tile = usize::from(tiles[from]);
            let after = board.slide(tile, from, to, shape.home);
            let (_, next) = heuristic.after(memory, Slide { tile, from, to }, &after, u32::MAX);
            assert_eq!(next, heuristic.value(&memories[&after]), "{name}: kept up to date from {tiles:?}");
            assert_eq!(value.abs_diff(next), 1, "{name} is consistent");
        }
    }
}

fn databases(shape: Shape) -> Databases {
    let (cache, stop) = (Cache::default(), Stop::new());
    let mut source = Source { cache: &cache, stop: &stop, memory: None, is_batch: false, warnings: Vec::new() };
    tables::load(shape, Size::Default, &mut source).expect("nobody stops the building")
}

#[test]
fn every_heuristic_is_admissible_on_all_boards_of_some_frames() {
    for (rows, columns, home) in [(3, 3, 8), (3, 3, 4), (2, 5, 9), (5, 2, 9), (2, 4, 3), (2, 2, 3)] {
        let shape = Shape { rows, columns, home };
        let distances = distances(shape);
        assert_admissible(shape, "manhattan", &Manhattan::new(shape), &distances);
        assert_admissible(shape, "linear-conflict", &LinearConflict::new(shape), &distances);
        match &*databases(shape) {
            [view] => assert_admissible(shape, "pdb", &Additive { shape, views: [view] }, &distances),
            [view, mirrored] => {
                assert_admissible(shape, "pdb", &Additive { shape, views: [view, mirrored] }, &distances);
            }
            _ => panic!("a board has one mirror image at most"),
        }
    }
}

/// The free cell goes about without moving a tile of the pattern, and what it can then move of them is one move away.
fn moves(shape: Shape, tiles: &[usize], pattern: &Pattern) -> Vec<(Vec<usize>, usize, usize)> {
    let is_own = |cell: usize| tiles[cell] != shape.home && pattern.tiles.contains(&(tiles[cell] as u8));
    let free = tiles.iter().position(|&tile| tile == shape.home).expect("a free cell");
    let mut region = vec![free];
    for next in 0.. {
        let Some(&cell) = region.get(next) else { break };
        let beside = (0..shape.cells()).filter(|&other| shape.distance(cell, other) == 1 && !is_own(other));
        let new: Vec<usize> = beside.filter(|other| !region.contains(other)).collect();
        region.extend(new);
    }
    let pairs = region.iter().flat_map(|&to| (0..shape.cells()).map(move |from| (from, to)));
    let pairs = pairs.filter(|&(from, to)| shape.distance(from, to) == 1 && is_own(from));
    pairs
        .map(|(from, to)| {
            // The others are all alike: none but the pattern's tiles and the free cell have names.
            let mut after = vec![usize::MAX; shape.cells()];
            (0..shape.cells()).filter(|&cell| is_own(cell)).for_each(|cell| after[cell] = tiles[cell]);
            (after[to], after[from]) = (tiles[from], shape.home);
            (after, from, to)
        })
        .collect()
}

#[test]
fn a_table_has_the_distance_of_every_view_and_tells_it_from_that_of_a_neighbour() {
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
        let layout = Layout::new(pattern.clone());
        let bytes = layout.bytes();
        let table = layout.build(2, &|| false).expect("nobody stops the building");
        assert_eq!(table.bytes().len(), bytes);
        let goal: Vec<usize> = (0..shape.cells()).collect();
        let number = |tiles: &[usize]| {
            let free = tiles.iter().position(|&tile| tile == home).expect("a free cell");
            table.number(pattern.placement(|cell| tiles[cell]), free)
        };
        assert_eq!(number(&goal), 0);
        let view = |tiles: &[usize], placement| {
            let mut ways: Vec<_> = moves(shape, tiles, &pattern).into_iter().map(|way| way.0).collect();
            sorting::sort(&mut ways);
            (placement, ways)
        };
        // Cells of one region are one view: the same moves lead on from it.
        let mut met = FxHashMap::from_iter([(view(&goal, pattern.placement(|cell| cell)), 0)]);
        let (mut layer, mut distance) = (vec![goal], 0);
        while !layer.is_empty() {
            let mut next = Vec::new();
            distance += 1;
            for tiles in layer {
                let placement = pattern.placement(|cell| tiles[cell]);
                for (after, from, to) in moves(shape, &tiles, &pattern) {
                    let placement = placement.slide(from, to);
                    assert_eq!(placement, pattern.placement(|cell| after[cell]), "{tiles:?}: {from} to {to}");
                    let known = *met.entry(view(&after, placement)).or_insert_with(|| {
                        next.push(after.clone());
                        distance
                    });
                    assert_eq!(number(&after), known, "{pattern:?}: {after:?}");
                    assert_eq!(table.next_to(number(&tiles), placement, from), known, "{tiles:?}: {from} to {to}");
                }
            }
            layer = next;
        }
        assert!(distance > 2);
    }
}

#[test]
fn no_sum_of_other_patterns_is_more_than_the_truth() {
    for (rows, columns, home, patterns) in [
        (3, 3, 8, vec![vec![0, 1, 3, 4], vec![2, 5, 6, 7]]),
        (3, 3, 8, vec![vec![1, 2], vec![3, 6], vec![0, 4, 5, 7]]),
        (3, 3, 0, vec![vec![1, 2, 3, 4, 5, 6, 7, 8]]),
        (2, 5, 9, vec![vec![0, 1, 2, 5, 6], vec![3, 4, 7, 8]]),
    ] {
        let shape = Shape { rows, columns, home };
        let fields = patterns.into_iter().map(|tiles| {
            let (pattern, image) = Pattern { shape, tiles }.canonical();
            let table = Layout::new(pattern).build(2, &|| false).expect("nobody stops the building");
            (Arc::new(table), image)
        });
        let views = [&View::new(fields.collect())];
        assert_admissible(shape, "pdb", &Additive { shape, views }, &distances(shape));
    }
}

#[test]
fn the_building_of_a_table_can_be_stopped() {
    let shape = Shape { rows: 4, columns: 4, home: 15 };
    let pattern = Pattern { shape, tiles: vec![0, 1, 2, 3, 4, 5, 6, 7] };
    let looks = AtomicUsize::new(0);
    let stop = || looks.fetch_add(1, Ordering::Relaxed) >= 10;
    assert!(Layout::new(pattern).build(2, &stop).is_none());
    assert!(looks.into_inner() < 20, "a thread that sees another stop does not ask");
}
