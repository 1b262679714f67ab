//! Finds the cells of a board of any size and position in an image.
//!
//! The board is in the middle of its window. Squares of the size of a cell near the middle are
//! compared with the sprites. From the best matches, the board is extended line by line, as long as
//! most of a line matches sprites. With a wrong size, the lines no longer match after a few cells,
//! so the largest board is the right one.

use std::ops::Range;

use base::sorting;
use screen::{Image, Rectangle};

use super::super::grid::Grid;
use super::skin::{Skin, Thumbnail};

/// The position of a board in an image, in pixels. It may be fractional: of cells with a side of
/// 48.75 pixels, most are shown with 49 pixels and some with 48.
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

    /// Returns the same board, relative to an image of the board alone.
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

/// Minimum number of matching cells; boards with fewer are accidental matches.
const MIN_CELLS: usize = 8;
/// Boards of the usual size that cover less than 1/`MIN_AREA_DIVISOR` of the window are compared
/// with other sizes.
const MIN_AREA_DIVISOR: usize = 4;
/// Maximum number of squares near the middle that are refined.
const MAX_COARSE: usize = 8;
/// Maximum number of squares from which a board is grown.
const MAX_SEEDS: usize = 9;

/// Finds the board in an image. Some cells may be covered.
pub fn calibrate(image: &Image, skin: &Skin) -> Option<Lattice> {
    let [least, most] = skin.sizes;
    let largest = |sizes: &mut dyn Iterator<Item = usize>| {
        let candidates =
            sizes.flat_map(|size| boards_of_size(image, skin, size)).filter(|candidate| candidate.cells >= MIN_CELLS);
        candidates.max_by(|a, b| a.area.cmp(&b.area).then(b.distance.total_cmp(&a.distance)))
    };
    let is_board = |candidate: &BoardCandidate| MIN_AREA_DIVISOR * candidate.area > image.width * image.height;
    let best = largest(&mut std::iter::once(skin.cell)).filter(is_board).or_else(|| largest(&mut (least..=most)));
    best.map(|candidate| refine(image, skin, candidate).lattice)
}

/// Refines a board to fractions of a pixel. The refined board is returned if more of its cells
/// match, or as many with a smaller distance. The row of the seed determines the size and the
/// horizontal offset, its column the vertical offset.
fn refine(image: &Image, skin: &Skin, candidate: BoardCandidate) -> BoardCandidate {
    let mut size = candidate.lattice.size;
    let mut seed = candidate.seed;
    let fit = |size: f64, seed: [f64; 2], axis: usize| {
        let (all, place) = around(image, size, seed);
        let line = all.grid.cells().filter(|&cell| all.grid.place(cell)[axis] == place[axis]);
        let distances = line.map(|cell| distance(image, skin, all.cell(cell)));
        let matching: Vec<f32> = distances.filter(|&distance| distance <= CELL_TOLERANCE * skin.tolerance).collect();
        (matching.len(), matching.iter().sum::<f32>())
    };
    let compare = |a: &(usize, f32), b: &(usize, f32)| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1));
    let steps = |reach: i32, step: f64| (-reach..=reach).map(move |steps| f64::from(steps) * step);
    // A square of whole pixels may be one pixel off.
    for (reach, step, shift) in [(12, 1.0 / 16.0, 10), (4, 1.0 / 16.0, 4), (4, 1.0 / 64.0, 4)] {
        let shifts = || steps(shift, 2.0 * step);
        let pairs = steps(reach, step).flat_map(|growth| shifts().map(move |shift| (growth, shift)));
        let variants = pairs.map(|(growth, shift)| (fit(size + growth, [seed[0] + shift, seed[1]], 0), growth, shift));
        let (_, growth, right) = variants.max_by(|a, b| compare(&a.0, &b.0)).expect("there are tries");
        (size, seed[0]) = (size + growth, seed[0] + right);
        let variants = shifts().map(|shift| (fit(size, [seed[0], seed[1] + shift], 1), shift));
        let (_, down) = variants.max_by(|a, b| compare(&a.0, &b.0)).expect("there are tries");
        seed[1] += down;
    }
    let refined = grow(image, skin, size, seed);
    let is_better = compare(&(refined.cells, refined.distance), &(candidate.cells, candidate.distance)).is_gt();
    if is_better { refined } else { candidate }
}

/// Returns all cells of a size that fit in the image around a seed, and the row and column of the
/// seed among them.
fn around(image: &Image, size: f64, seed: [f64; 2]) -> (Lattice, [usize; 2]) {
    let seed = seed.map(|at| at.max(0.0));
    let [column, row] = seed.map(|at| (at / size) as usize);
    let (left, top) = (seed[0] - column as f64 * size, seed[1] - row as f64 * size);
    let room = |end: usize, begin: f64| ((end as f64 - begin) / size) as usize;
    let grid = Grid { rows: room(image.height, top), columns: room(image.width, left) };
    (Lattice { left, top, size, grid }, [row, column])
}

/// Returns the distance of a cell from the nearest sprite.
fn distance(image: &Image, skin: &Skin, at: Rectangle) -> f32 {
    let is_inside = at.left + at.width <= image.width && at.top + at.height <= image.height;
    if is_inside { skin.nearest(&Thumbnail::of(image, at)).1 } else { f32::INFINITY }
}

/// A cell next to a board that was found counts as part of it only within this fraction of the
/// tolerance, because the surroundings of a board often look like cells.
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
    // Try several places in the image: one may be covered, and an empty part of the window may look
    // like an empty cell.
    let mut candidates = Vec::new();
    for [across, down] in [[2, 2], [1, 1], [3, 1], [1, 3], [3, 3]] {
        let middle = [image.width * across / 4 - size / 2, image.height * down / 4 - size / 2];
        let places_near = |[left, top]: [usize; 2], reach: usize, step: usize| {
            let range = move |at: usize, end: usize| {
                let most = (end - size).min(at + reach);
                (at.saturating_sub(reach)..=most).step_by(step)
            };
            range(left, image.width)
                .flat_map(move |left| range(top, image.height).map(move |top| [left, top]))
                .map(|place| (distance(place), place))
                .collect::<Vec<_>>()
        };
        // At the usual size, try every place; at other sizes, the edges of closed cells lead to the
        // best place.
        let step = if size == skin.cell { 1 } else { (size / 10).max(1) };
        let best = |mut places: Vec<(f32, [usize; 2])>, most: usize| {
            sorting::sort_by(&mut places, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            places.dedup();
            places.truncate(most);
            places
        };
        let coarse = best(places_near(middle, size / 2, step), MAX_COARSE);
        let fine = best(coarse.iter().flat_map(|&(_, place)| places_near(place, step, 1)).collect(), MAX_SEEDS);
        let matching = fine.iter().filter(|&&(distance, _)| distance <= skin.tolerance);
        candidates.extend(matching.map(|&(_, place)| grow(image, skin, size as f64, place.map(|at| at as f64))));
    }
    candidates
}

/// Grows a board from a cell.
fn grow(image: &Image, skin: &Skin, size: f64, seed: [f64; 2]) -> BoardCandidate {
    let (all, [row, column]) = around(image, size, seed);
    let Grid { rows, columns } = all.grid;
    if column >= columns || row >= rows {
        return BoardCandidate { lattice: all, seed, cells: 0, area: 0, distance: 0.0 };
    }
    let distances: Vec<f32> = all.grid.cells().map(|cell| distance(image, skin, all.cell(cell))).collect();
    let matching_distances = |rows: Range<usize>, across: Range<usize>| {
        let cells = rows.flat_map(|row| &distances[row * columns..][across.clone()]);
        cells.filter(|&&distance| distance <= CELL_TOLERANCE * skin.tolerance).copied().collect::<Vec<f32>>()
    };
    let count = |rows: Range<usize>, across: Range<usize>| matching_distances(rows, across).len();
    let [mut y, mut x] = [row..row + 1, column..column + 1];
    loop {
        let previous = (y.clone(), x.clone());
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
        if previous == (y.clone(), x.clone()) {
            break;
        }
    }
    let matching_distances = matching_distances(y.clone(), x.clone());
    let (left, top) = (all.left + x.start as f64 * size, all.top + y.start as f64 * size);
    let lattice = Lattice { left, top, size, grid: Grid { rows: y.len(), columns: x.len() } };
    let area = (matching_distances.len() as f64 * size * size) as usize;
    BoardCandidate { lattice, seed, cells: matching_distances.len(), area, distance: matching_distances.iter().sum() }
}
