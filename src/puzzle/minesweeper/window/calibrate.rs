//! Finds the cells of a board of any size and position in an image.
//!
//! The board is in the middle of its window. Squares of the size of a cell near the middle are
//! compared with the sprites; from the best matches the board is grown line by line, as long as
//! most of a line looks like cells. A wrong size is out of step after a few cells, so that the
//! largest board is the right one.

use std::ops::Range;

use super::super::grid::Grid;
use super::image::{Image, Rectangle};
use super::skin::{Skin, Thumbnail};
use crate::sorting;

/// The position of a board in an image, in pixels. It may be fractional: with cells of 48.75 pixels
/// most show 49, some 48.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    pub left: f64,
    pub top: f64,
    /// The side of a cell.
    pub size: f64,
    pub grid: Grid,
}

impl Lattice {
    pub fn rectangle(&self) -> Rectangle {
        self.span(0..self.grid.rows, 0..self.grid.columns)
    }

    pub fn cell(&self, cell: usize) -> Rectangle {
        let [row, column] = self.grid.place(cell);
        self.span(row..row + 1, column..column + 1)
    }

    /// The same board, relative to an image of the board alone.
    pub fn relative_to_board(self) -> Lattice {
        let Rectangle { left, top, .. } = self.rectangle();
        Lattice { left: self.left - left as f64, top: self.top - top as f64, ..self }
    }

    fn span(&self, rows: Range<usize>, columns: Range<usize>) -> Rectangle {
        let edge = |begin: f64, cells: usize| (begin + cells as f64 * self.size + 0.5).floor() as usize;
        let [left, right] = [columns.start, columns.end].map(|column| edge(self.left, column));
        let [top, bottom] = [rows.start, rows.end].map(|row| edge(self.top, row));
        Rectangle { left, top, width: right - left, height: bottom - top }
    }
}

/// Boards with fewer cells are considered accidental.
const MIN_CELLS: usize = 8;
/// Boards of the usual size that cover less than 1/`MIN_AREA_DIVISOR` of the window are compared
/// with other sizes.
const MIN_AREA_DIVISOR: usize = 4;
/// Squares near the middle that are refined, and squares from which a board is grown.
const MAX_COARSE: usize = 8;
const MAX_SEEDS: usize = 9;

/// Finds the board in an image. Some cells may be covered.
pub fn calibrate(image: &Image, skin: &Skin) -> Option<Lattice> {
    let [least, most] = skin.sizes;
    let largest = |sizes: &mut dyn Iterator<Item = usize>| {
        let found = sizes.flat_map(|size| boards_of_size(image, skin, size)).filter(|found| found.cells >= MIN_CELLS);
        found.max_by(|a, b| a.area.cmp(&b.area).then(b.distance.total_cmp(&a.distance)))
    };
    let is_board = |found: &BoardCandidate| MIN_AREA_DIVISOR * found.area > image.width * image.height;
    let found = largest(&mut std::iter::once(skin.cell)).filter(is_board).or_else(|| largest(&mut (least..=most)));
    found.map(|found| refine(image, skin, found).lattice)
}

/// Refines a board to fractions of a pixel, if more cells match then, or the same number match
/// better. The row of the seed determines the size and the horizontal offset, its column the
/// vertical offset.
fn refine(image: &Image, skin: &Skin, found: BoardCandidate) -> BoardCandidate {
    let mut size = found.lattice.size;
    let mut seed = found.seed;
    let fit = |size: f64, seed: [f64; 2], axis: usize| {
        let (all, place) = around(image, size, seed);
        let line = all.grid.cells().filter(|&cell| all.grid.place(cell)[axis] == place[axis]);
        let distances = line.map(|cell| distance(image, skin, all.cell(cell)));
        let near: Vec<f32> = distances.filter(|&distance| distance <= CELL_TOLERANCE * skin.tolerance).collect();
        (near.len(), near.iter().sum::<f32>())
    };
    let better = |a: &(usize, f32), b: &(usize, f32)| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1));
    let steps = |reach: i32, step: f64| (-reach..=reach).map(move |steps| f64::from(steps) * step);
    // A square of whole pixels may be one pixel off.
    for (reach, step, shift) in [(12, 1.0 / 16.0, 10), (4, 1.0 / 16.0, 4), (4, 1.0 / 64.0, 4)] {
        let shifts = || steps(shift, 2.0 * step);
        let pairs = steps(reach, step).flat_map(|more| shifts().map(move |shift| (more, shift)));
        let tries = pairs.map(|(more, shift)| (fit(size + more, [seed[0] + shift, seed[1]], 0), more, shift));
        let (_, more, right) = tries.max_by(|a, b| better(&a.0, &b.0)).expect("there are tries");
        (size, seed[0]) = (size + more, seed[0] + right);
        let tries = shifts().map(|shift| (fit(size, [seed[0], seed[1] + shift], 1), shift));
        let (_, down) = tries.max_by(|a, b| better(&a.0, &b.0)).expect("there are tries");
        seed[1] += down;
    }
    let refined = grow(image, skin, size, seed);
    let is_better = better(&(refined.cells, refined.distance), &(found.cells, found.distance)).is_gt();
    if is_better { refined } else { found }
}

/// All cells of a size that fit in the image around a seed, and the place of the seed among them.
fn around(image: &Image, size: f64, seed: [f64; 2]) -> (Lattice, [usize; 2]) {
    let seed = seed.map(|at| at.max(0.0));
    let [column, row] = seed.map(|at| (at / size) as usize);
    let (left, top) = (seed[0] - column as f64 * size, seed[1] - row as f64 * size);
    let room = |end: usize, begin: f64| ((end as f64 - begin) / size) as usize;
    let grid = Grid { rows: room(image.height, top), columns: room(image.width, left) };
    (Lattice { left, top, size, grid }, [row, column])
}

/// The distance of a cell from the nearest sprite.
fn distance(image: &Image, skin: &Skin, at: Rectangle) -> f32 {
    let is_inside = at.left + at.width <= image.width && at.top + at.height <= image.height;
    if is_inside { skin.nearest(&Thumbnail::of(image, at)).1 } else { f32::INFINITY }
}

/// Fraction of the tolerance for cells that grow a board, as the surroundings of a board look a
/// little like cells.
const CELL_TOLERANCE: f32 = 0.5;

/// A possible board: the number of matching cells and their total distance from the sprites. A
/// board that is one pixel off still has some matching cells.
struct BoardCandidate {
    lattice: Lattice,
    /// The corner of the cell from which the board was grown.
    seed: [f64; 2],
    cells: usize,
    /// The area of the matching cells in pixels.
    area: usize,
    distance: f32,
}

/// Finds boards with cells of one size.
fn boards_of_size(image: &Image, skin: &Skin, size: usize) -> Vec<BoardCandidate> {
    if image.width < 2 * size || image.height < 2 * size {
        return Vec::new();
    }
    let square = |[left, top]: [usize; 2]| Rectangle { left, top, width: size, height: size };
    let distance = |corner: [usize; 2]| distance(image, skin, square(corner));
    // Several places in the image: one may be covered, and an empty part of the window may look
    // like an empty cell.
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
        // Every place at the usual size; at other sizes the edges of closed cells lead to the best
        // place.
        let step = if size == skin.cell { 1 } else { (size / 10).max(1) };
        let best = |mut places: Vec<(f32, [usize; 2])>, most: usize| {
            sorting::sort_by(&mut places, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            places.dedup();
            places.truncate(most);
            places
        };
        let coarse = best(near(middle, size / 2, step), MAX_COARSE);
        let fine = best(coarse.iter().flat_map(|&(_, place)| near(place, step, 1)).collect(), MAX_SEEDS);
        let near = fine.iter().filter(|&&(distance, _)| distance <= skin.tolerance);
        found.extend(near.map(|&(_, place)| grow(image, skin, size as f64, place.map(|at| at as f64))));
    }
    found
}

/// Grows a board from a cell.
fn grow(image: &Image, skin: &Skin, size: f64, seed: [f64; 2]) -> BoardCandidate {
    let (all, [row, column]) = around(image, size, seed);
    let Grid { rows, columns } = all.grid;
    if column >= columns || row >= rows {
        return BoardCandidate { lattice: all, seed, cells: 0, area: 0, distance: 0.0 };
    }
    let distances: Vec<f32> = all.grid.cells().map(|cell| distance(image, skin, all.cell(cell))).collect();
    let near = |rows: Range<usize>, across: Range<usize>| {
        let cells = rows.flat_map(|row| &distances[row * columns..][across.clone()]);
        cells.filter(|&&distance| distance <= CELL_TOLERANCE * skin.tolerance).copied().collect::<Vec<f32>>()
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
    let (left, top) = (all.left + x.start as f64 * size, all.top + y.start as f64 * size);
    let lattice = Lattice { left, top, size, grid: Grid { rows: y.len(), columns: x.len() } };
    let area = (near.len() as f64 * size * size) as usize;
    BoardCandidate { lattice, seed, cells: near.len(), area, distance: near.iter().sum() }
}
