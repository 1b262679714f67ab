//! The grids of a drawing, frame by frame.

use std::collections::{BTreeMap, BTreeSet};

use picture::Rgb;

use super::grid::{FOUND, Grid};
use super::segment::{Coord, Extent, Segment};

/// A grid whose contents may change from frame to frame.
#[derive(Debug, Clone, Default)]
pub struct GridFrames {
    /// The contents that all frames share.
    pub still: Grid,
    /// Additional contents of single frames.
    pub frames: BTreeMap<i32, Grid>,
    /// Highlighted cells.
    pub marks: BTreeSet<Coord>,
    /// Cells that are highlighted as reasons.
    pub reasons: BTreeSet<Coord>,
    pub extent: Option<Extent>,
    /// The bounding box of the cells of all frames, extended by the lines that lie wholly outside it.
    pub board: Option<Extent>,
}

impl GridFrames {
    /// Returns the cells in which two grids differ in some frame: in their contents, or in an
    /// adjacent line or edge.
    pub fn differences(&self, other: &GridFrames) -> BTreeSet<(i32, i32)> {
        let mut differences = BTreeSet::new();
        for frame in 1..=self.frame_count().max(other.frame_count()) {
            let (first, second) = (self.frame(frame), other.frame(frame));
            let cells: BTreeSet<Coord> = first.cells.keys().chain(second.cells.keys()).copied().collect();
            let shown = |grid: &Grid, cell: &Coord| grid.cells.get(cell).cloned().unwrap_or_default();
            differences.extend(cells.iter().filter(|cell| shown(&first, cell) != shown(&second, cell)));
            let segments: BTreeSet<Segment> = first.lines.keys().chain(second.lines.keys()).copied().collect();
            let differing =
                segments.into_iter().filter(|segment| first.lines.get(segment) != second.lines.get(segment));
            differences.extend(differing.flat_map(|segment| [segment.from, segment.to()]));
            let sides =
                first.edges.keys().chain(second.edges.keys()).chain(first.borders.keys()).chain(second.borders.keys());
            let sides: BTreeSet<Segment> = sides.copied().collect();
            let side =
                |grid: &Grid, segment: &Segment| (grid.edges.get(segment).copied(), grid.explicit_border(*segment));
            let differing = sides.into_iter().filter(|segment| side(&first, segment) != side(&second, segment));
            differences.extend(
                differing.flat_map(|segment| self.still.lattice.cells(segment)).filter(|cell| cells.contains(cell)),
            );
        }
        differences
    }

    pub fn frame_count(&self) -> usize {
        self.frames.last_key_value().map_or(1, |(&last, _)| last as usize)
    }

    /// Returns the complete contents of a frame. Frames are numbered from 1.
    pub fn frame(&self, number: usize) -> Grid {
        let still = self.still.clone();
        let mut complete = match self.frames.get(&(number as i32)) {
            Some(grid) => still.with(grid),
            None => still,
        };
        complete.frame_if_thick();
        complete
    }

    /// Returns the text below a frame.
    pub fn caption(&self, grid: &Grid, number: usize) -> String {
        match &grid.captions[..] {
            [] if self.frame_count() > 1 => format!("Frame {number}"),
            captions => captions.join(", "),
        }
    }

    /// Returns true if lines or diagonals of the solution go through cells.
    pub fn has_found_lines(&self) -> bool {
        let is_found = |paint: &Option<Rgb>| *paint == Some(FOUND);
        self.grids().any(|grid| {
            grid.lines.values().any(|line| line.paint.is_none_or(|paint| paint == FOUND))
                || grid.cells.values().any(|cell| cell.diagonals.values().any(is_found))
        })
    }

    /// Returns the additional contents of each frame, and the shared contents.
    pub fn grids(&self) -> impl Iterator<Item = &Grid> {
        self.frames.values().chain([&self.still])
    }
}
