//! Where the cells of a board are in a picture, whatever its size and place.
//!
//! The board lies in the middle of its window. A square the size of a cell that begins somewhere near is compared with the
//! sprites; where it looks like one of them, the board is grown from there, line by line, as long as most of a line looks
//! like cells. A wrong size is out of step after a few cells, so that the largest board is the right one.

use std::ops::Range;

use super::super::grid::Grid;
use super::image::{Image, Rectangle};
use super::skin::{Skin, Thumbnail};

/// Where a board is in a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    pub left: usize,
    pub top: usize,
    /// Pixels along the side of a cell, not always whole ones: of cells of 48.75 pixels most show 49, some 48.
    pub size: f64,
    pub grid: Grid,
}

impl Lattice {
    pub fn rectangle(&self) -> Rectangle {
        let [width, height] = [self.grid.columns, self.grid.rows].map(|cells| edge(0, cells as isize, self.size));
        Rectangle { left: self.left, top: self.top, width, height }
    }

    pub fn cell(&self, cell: usize) -> Rectangle {
        square([self.left, self.top], self.grid.place(cell).map(|at| at as isize), self.size)
    }

    /// The same board in a picture of itself alone.
    pub fn alone(self) -> Lattice {
        Lattice { left: 0, top: 0, ..self }
    }
}

/// The pixel at which a cell begins that is so many cells away from one that begins at `first`.
fn edge(first: usize, cells: isize, size: f64) -> usize {
    (first as f64 + (cells as f64 * size).round()) as usize
}

/// The cell that is so many rows and columns away from one with this corner.
fn square([left, top]: [usize; 2], [row, column]: [isize; 2], size: f64) -> Rectangle {
    let [x, right] = [column, column + 1].map(|at| edge(left, at, size));
    let [y, bottom] = [row, row + 1].map(|at| edge(top, at, size));
    Rectangle { left: x, top: y, width: right - x, height: bottom - y }
}

/// Boards with fewer cells are taken for chance.
const LEAST_CELLS: usize = 8;
/// Boards of the usual size that have less than one part in so many of the window are compared with others.
const LEAST_SHARE: usize = 4;
/// Squares near the middle that are looked closer at, and from which a board is grown.
const CLOSER: usize = 8;
const GROWN: usize = 9;

/// The board in a picture. Cells of it may be covered.
pub fn calibrate(image: &Image, skin: &Skin) -> Option<Lattice> {
    let [least, most] = skin.sizes;
    let largest = |sizes: &mut dyn Iterator<Item = usize>| {
        let found = sizes.flat_map(|size| of_size(image, skin, size)).filter(|found| found.cells >= LEAST_CELLS);
        found.max_by(|a, b| a.area.cmp(&b.area).then(b.distance.total_cmp(&a.distance)))
    };
    let is_board = |found: &Found| LEAST_SHARE * found.area > image.width * image.height;
    let found = largest(&mut std::iter::once(skin.cell)).filter(is_board).or_else(|| largest(&mut (least..=most)));
    found.map(|found| refined(image, skin, found).lattice)
}

/// The same board with a size that is no whole number, or a pixel beside, if more cells, or the same ones better, are in step
/// with that.
fn refined(image: &Image, skin: &Skin, mut best: Found) -> Found {
    for step in [1.0 / 4.0, 1.0 / 16.0, 1.0 / 64.0] {
        let sizes = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0].map(|steps| (steps * step, [0, 0]));
        let beside = [[-1, 0], [1, 0], [0, -1], [0, 1]].map(|beside| (0.0, beside));
        for (more, beside) in sizes.into_iter().chain(beside) {
            let size = (best.lattice.size + more).max(4.0);
            let seed = [0, 1].map(|axis| best.seed[axis].saturating_add_signed(beside[axis]));
            if seed[0] + size as usize >= image.width || seed[1] + size as usize >= image.height {
                continue;
            }
            let found = grow(image, skin, size, seed);
            let is_better = found.cells.cmp(&best.cells).then(best.distance.total_cmp(&found.distance)).is_gt();
            best = if is_better { found } else { best };
        }
    }
    best
}

/// How near cells must be by which a board grows, as a part of the tolerance: what is around a board looks a little like cells.
const CLOSE: f32 = 0.5;

/// A board, and how many of its cells look like any and how far these are from the sprites; a pixel beside the right place
/// some still look alike.
struct Found {
    lattice: Lattice,
    /// The corner of the cell from which it was grown.
    seed: [usize; 2],
    cells: usize,
    /// In pixels.
    area: usize,
    distance: f32,
}

/// Boards of cells of one size.
fn of_size(image: &Image, skin: &Skin, size: usize) -> Vec<Found> {
    if image.width < 2 * size || image.height < 2 * size {
        return Vec::new();
    }
    let distance = |corner: [usize; 2]| skin.nearest(&Thumbnail::of(image, square(corner, [0, 0], size as f64))).1;
    // Several places in the picture: one may be covered, and an empty part of the window may look like an empty cell.
    let mut found = Vec::new();
    for [across, down] in [[2, 2], [1, 1], [3, 1], [1, 3], [3, 3]] {
        let middle = [image.width * across / 4 - size / 2, image.height * down / 4 - size / 2];
        let near = |[left, top]: [usize; 2], reach: usize, step: usize| {
            let range = move |at: usize, end: usize| {
                let most = (end - size).min(at + reach);
                (at.saturating_sub(reach)..=most).step_by(step)
            };
            range(left, image.width)
                .flat_map(move |left| range(top, image.height).map(move |top| [left, top]))
                .map(|place| (distance(place), place))
                .collect::<Vec<_>>()
        };
        // All places at the usual size; elsewhere the edges of closed cells lead to the best.
        let step = if size == skin.cell { 1 } else { (size / 10).max(1) };
        let best = |mut places: Vec<(f32, [usize; 2])>, most: usize| {
            places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            places.dedup();
            places.truncate(most);
            places
        };
        let coarse = best(near(middle, size / 2, step), CLOSER);
        let fine = best(coarse.iter().flat_map(|&(_, place)| near(place, step, 1)).collect(), GROWN);
        let near = fine.iter().filter(|&&(distance, _)| distance <= skin.tolerance);
        found.extend(near.map(|&(_, place)| grow(image, skin, size as f64, place)));
    }
    found
}

/// The board around a cell.
fn grow(image: &Image, skin: &Skin, size: f64, seed: [usize; 2]) -> Found {
    // The cells that have room in the picture, and where the first one is among them.
    let [before_x, before_y] = seed.map(|at| (at as f64 / size) as usize);
    let room = |end: usize, at: usize| ((end - at) as f64 / size) as usize;
    let (columns, rows) = (before_x + room(image.width, seed[0]), before_y + room(image.height, seed[1]));
    let away = |at: usize, before: usize| at as isize - before as isize;
    let distances: Vec<f32> = (0..rows * columns)
        .map(|at| square(seed, [away(at / columns, before_y), away(at % columns, before_x)], size))
        .map(|at| match at.left + at.width <= image.width && at.top + at.height <= image.height {
            true => skin.nearest(&Thumbnail::of(image, at)).1,
            false => f32::INFINITY,
        })
        .collect();
    let near = |rows: Range<usize>, across: Range<usize>| {
        let cells = rows.flat_map(|row| &distances[row * columns..][across.clone()]);
        cells.filter(|&&distance| distance <= CLOSE * skin.tolerance).copied().collect::<Vec<f32>>()
    };
    let count = |rows: Range<usize>, across: Range<usize>| near(rows, across).len();
    let [mut y, mut x] = [before_y..before_y + 1, before_x..before_x + 1];
    loop {
        let before = (y.clone(), x.clone());
        if y.start > 0 && 2 * count(y.start - 1..y.start, x.clone()) > x.len() {
            y.start -= 1;
        }
        if y.end < rows && 2 * count(y.end..y.end + 1, x.clone()) > x.len() {
            y.end += 1;
        }
        if x.start > 0 && 2 * count(y.clone(), x.start - 1..x.start) > y.len() {
            x.start -= 1;
        }
        if x.end < columns && 2 * count(y.clone(), x.end..x.end + 1) > y.len() {
            x.end += 1;
        }
        if before == (y.clone(), x.clone()) {
            break;
        }
    }
    let near = near(y.clone(), x.clone());
    let [left, top] = [edge(seed[0], away(x.start, before_x), size), edge(seed[1], away(y.start, before_y), size)];
    let lattice = Lattice { left, top, size, grid: Grid { rows: y.len(), columns: x.len() } };
    let area = (near.len() as f64 * size * size) as usize;
    Found { lattice, seed, cells: near.len(), area, distance: near.iter().sum() }
}
