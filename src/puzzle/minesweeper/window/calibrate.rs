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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lattice {
    pub left: usize,
    pub top: usize,
    /// Pixels along the side of a cell.
    pub size: usize,
    pub grid: Grid,
}

impl Lattice {
    pub fn rectangle(&self) -> Rectangle {
        let [width, height] = [self.grid.columns, self.grid.rows].map(|cells| cells * self.size);
        Rectangle { left: self.left, top: self.top, width, height }
    }

    pub fn cell(&self, cell: usize) -> Rectangle {
        let [row, column] = self.grid.place(cell);
        let (left, top) = (self.left + column * self.size, self.top + row * self.size);
        Rectangle { left, top, width: self.size, height: self.size }
    }

    /// The same board in a picture of itself alone.
    pub fn alone(self) -> Lattice {
        Lattice { left: 0, top: 0, ..self }
    }
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
        let found = sizes.flat_map(|size| of_size(image, skin, size)).filter(|(fit, _)| fit.cells >= LEAST_CELLS);
        found.max_by(|(a, _), (b, _)| a.area.cmp(&b.area).then(b.distance.total_cmp(&a.distance)))
    };
    let is_board = |(fit, _): &(Fit, Lattice)| LEAST_SHARE * fit.area > image.width * image.height;
    let found = largest(&mut std::iter::once(skin.cell)).filter(is_board).or_else(|| largest(&mut (least..=most)));
    found.map(|(_, lattice)| lattice)
}

/// How near cells must be by which a board grows, as a part of the tolerance: what is around a board looks a little like cells.
const CLOSE: f32 = 0.5;

/// How many cells of a board look like any, and how far these are from the sprites; a pixel beside the right place some
/// still look alike.
struct Fit {
    cells: usize,
    /// In pixels.
    area: usize,
    distance: f32,
}

/// Boards of cells of one size.
fn of_size(image: &Image, skin: &Skin, size: usize) -> Vec<(Fit, Lattice)> {
    if image.width < 2 * size || image.height < 2 * size {
        return Vec::new();
    }
    let distance = |[left, top]: [usize; 2]| skin.nearest(&Thumbnail::of(image, left, top, size)).1;
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
        found.extend(near.map(|&(_, place)| grow(image, skin, size, place)));
    }
    found
}

/// The board around a cell.
fn grow(image: &Image, skin: &Skin, size: usize, [left, top]: [usize; 2]) -> (Fit, Lattice) {
    // The place of the cell among all that have room in the picture.
    let (column, row) = (left / size, top / size);
    let (left, top) = (left % size, top % size);
    let (columns, rows) = ((image.width - left) / size, (image.height - top) / size);
    let distances: Vec<f32> = (0..rows * columns)
        .map(|at| Thumbnail::of(image, left + at % columns * size, top + at / columns * size, size))
        .map(|thumbnail| skin.nearest(&thumbnail).1)
        .collect();
    let near = |rows: Range<usize>, across: Range<usize>| {
        let cells = rows.flat_map(|row| &distances[row * columns..][across.clone()]);
        cells.filter(|&&distance| distance <= CLOSE * skin.tolerance).copied().collect::<Vec<f32>>()
    };
    let count = |rows: Range<usize>, across: Range<usize>| near(rows, across).len();
    let [mut y, mut x] = [row..row + 1, column..column + 1];
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
    let fit = Fit { cells: near.len(), area: near.len() * size * size, distance: near.iter().sum() };
    let grid = Grid { rows: y.len(), columns: x.len() };
    (fit, Lattice { left: left + x.start * size, top: top + y.start * size, size, grid })
}
