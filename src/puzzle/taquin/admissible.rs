//! Tests: no heuristic says more than the truth, on all boards of some frames.

use rustc_hash::FxHashMap;

use super::additive::{Sum, is_symmetric};
use super::direct::Lookup;
use super::linear_conflict::LinearConflict;
use super::manhattan::Manhattan;
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use super::tables::{self, Databases, Size, Source};
use super::walking_distance::WalkingDistance;
use crate::cache::Cache;
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
    for (&board, &distance) in distances {
        let tiles: Vec<u16> = (0..shape.cells()).map(|cell| board.get(cell) as u16).collect();
        let memory = heuristic.first(&tiles);
        let value = heuristic.value(&memory);
        assert!(value <= u32::from(distance), "{name} says {value} of {tiles:?}, which takes {distance}");
        assert_eq!(value % 2, u32::from(distance) % 2, "{name}: every move changes the parity");
        let to = tiles.iter().position(|&tile| usize::from(tile) == shape.home).expect("a free cell");
        for from in (0..shape.cells()).filter(|&cell| shape.distance(cell, to) == 1) {
            let tile = usize::from(tiles[from]);
            let after = board.slide(tile, from, to, shape.home);
            let (_, value) = heuristic.after(&memory, Slide { tile, from, to }, &after, u32::MAX);
            let mut moved = tiles.clone();
            moved.swap(from, to);
            assert_eq!(value, heuristic.value(&heuristic.first(&moved)), "{name}: kept up to date from {tiles:?}");
        }
    }
}

fn databases(shape: Shape) -> Databases {
    let (cache, stop) = (Cache::default(), Stop::new());
    let mut source = Source { cache: &cache, stop: &stop, is_batch: false, warnings: Vec::new() };
    tables::load(shape, Size::Default, &mut source).expect("nobody stops the building")
}

#[test]
fn every_heuristic_is_admissible_on_all_boards_of_some_frames() {
    for (rows, columns, home) in [(3, 3, 8), (3, 3, 4), (2, 5, 9), (5, 2, 9), (2, 4, 3), (2, 2, 3)] {
        let shape = Shape { rows, columns, home };
        let distances = distances(shape);
        assert_admissible(shape, "manhattan", &Manhattan::new(shape), &distances);
        assert_admissible(shape, "linear-conflict", &LinearConflict::new(shape), &distances);
        let walking = WalkingDistance::new(shape).expect("small frames have few tables");
        assert_admissible(shape, "walking-distance", &walking, &distances);
        match (databases(shape), is_symmetric(shape)) {
            (Databases::Direct(tables), true) => assert_admissible(shape, "pdb", &Lookup::<2>(&tables), &distances),
            (Databases::Direct(tables), false) => assert_admissible(shape, "pdb", &Lookup::<1>(&tables), &distances),
            (Databases::Additive(_), _) => panic!("small frames have direct tables"),
        }
    }
}

#[test]
fn ranked_tables_are_admissible_too() {
    for (rows, columns, home, patterns) in [
        (3, 3, 8, vec![vec![0, 1, 3, 4], vec![2, 5, 6, 7]]),
        (3, 3, 8, vec![vec![1, 2], vec![3, 6], vec![0, 4, 5, 7]]),
        (2, 5, 9, vec![vec![0, 1, 5, 6, 2], vec![3, 4, 7, 8]]),
    ] {
        let shape = Shape { rows, columns, home };
        let patterns: Vec<_> = patterns.into_iter().map(|tiles| super::pattern::Pattern { shape, tiles }).collect();
        let additive = super::additive::Additive::new(shape, &patterns, |pattern| {
            super::pattern::Ranked::build(pattern, &|| false).map(std::sync::Arc::new).ok_or(())
        });
        let additive = additive.expect("nobody stops the building");
        let distances = distances(shape);
        if is_symmetric(shape) {
            assert_admissible(shape, "ranked", &Sum::<u64, 2>::new(&additive), &distances);
        } else {
            assert_admissible(shape, "ranked", &Sum::<u64, 1>::new(&additive), &distances);
        }
    }
}
