//! How the cells of a grid lie beside each other, and where that is in a picture.
//!
//! ```text
//!   squares        hexagons: even rows lie half   triangles: one that points up has an even sum of row and
//!   ┌───┬───┐      a cell further right           column, and the one below for a neighbour
//!   │1,1│1,2│         ╱ ╲ ╱ ╲                         ╱╲‾‾‾‾╱
//!   ├───┼───┤        │1,1│1,2│                       ╱  ╲1,2╱
//!   │2,1│2,2│         ╲ ╱ ╲ ╱ ╲                     ╱1,1 ╲ ╱
//!   └───┴───┘          │2,1│2,2│                    ‾‾‾‾‾‾
//! ```
//!
//! A side of a square is the way between two corners; of other cells, that between the two cells which it parts.

use super::grid::{Extent, Half, Place, Way};
use crate::picture::Point;

/// Pixels of a square cell.
pub const CELL: f64 = 32.0;
/// Of its width: a hexagon's radius, and how far below its row the next one begins.
const RADIUS: f64 = 0.577_350_269_189_625_8;
const ROW: f64 = 0.866_025_403_784_438_6;
/// A triangle is as wide as two columns.
const HIGH: f64 = 2.0 * CELL * ROW;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lattice {
    #[default]
    Squares,
    Hexagons,
    Triangles,
}

impl Lattice {
    pub const ALL: [(Lattice, &str); 3] =
        [(Lattice::Squares, "squares"), (Lattice::Hexagons, "hexagons"), (Lattice::Triangles, "triangles")];

    pub fn named(name: &str) -> Option<Lattice> {
        Lattice::ALL.iter().find(|(_, known)| *known == name).map(|(lattice, _)| *lattice)
    }

    /// The sides of a cell.
    pub fn around(self, place: Place) -> Vec<Half> {
        let (row, column) = place;
        let neighbors: Vec<Place> = match self {
            Lattice::Squares => return Half::around(place).to_vec(),
            Lattice::Hexagons => {
                let left = column - i32::from(!is_shifted(row));
                let beside = [-1, 1].map(|by| (row, column + by));
                beside
                    .into_iter()
                    .chain([-1, 1].into_iter().flat_map(|by| [left, left + 1].map(|at| (row + by, at))))
                    .collect()
            }
            Lattice::Triangles => {
                let other_row = if points_up(place) { row + 1 } else { row - 1 };
                vec![(row, column - 1), (row, column + 1), (other_row, column)]
            }
        };
        neighbors.into_iter().filter_map(|other| Half::between(place, other)).collect()
    }

    /// The side that two cells share.
    pub fn side(self, one: Place, other: Place) -> Option<Half> {
        let (from, to) = (one.min(other), one.max(other));
        match self {
            Lattice::Squares => match Half::between(from, to)?.way {
                Way::Right => Some(Half::left_of(to)),
                Way::Down => Some(Half::above(to)),
                _ => None,
            },
            _ => Half::between(from, to).filter(|side| self.around(from).contains(side)),
        }
    }

    /// The two cells that a side parts.
    pub fn cells(self, side: Half) -> [Place; 2] {
        if self == Lattice::Squares { side.cells() } else { [side.from, side.to()] }
    }

    /// The middle of a cell, where texts stand and lines meet.
    pub fn middle(self, place: Place) -> Point {
        let (row, column) = (f64::from(place.0), f64::from(place.1));
        match self {
            Lattice::Squares => ((column + 0.5) * CELL, (row + 0.5) * CELL),
            Lattice::Hexagons => {
                let shift = if is_shifted(place.0) { 1.0 } else { 0.5 };
                ((column + shift) * CELL, (row * ROW + RADIUS) * CELL)
            }
            Lattice::Triangles => {
                let down = if points_up(place) { 2.0 / 3.0 } else { 1.0 / 3.0 };
                ((column + 1.0) * CELL, (row + down) * HIGH)
            }
        }
    }

    /// The cell with that middle.
    pub fn place_of(self, (x, y): Point) -> Place {
        let row = match self {
            Lattice::Squares => y / CELL,
            Lattice::Hexagons => (y / CELL - RADIUS) / ROW + 0.5,
            Lattice::Triangles => y / HIGH,
        }
        .floor() as i32;
        let left = self.middle((row, 0)).0;
        (row, ((x - left) / CELL).round() as i32)
    }

    /// The corners of a cell, which may be a little smaller.
    pub fn outline(self, place: Place, inset: f64) -> Vec<Point> {
        let (x, y) = self.middle(place);
        let around = |points: &[Point]| {
            let least = points.iter().map(|(x, y)| x.hypot(*y)).fold(f64::MAX, f64::min);
            let share = 1.0 - inset / least;
            points.iter().map(|(right, down)| (x + right * share, y + down * share)).collect()
        };
        let half = CELL / 2.0;
        match self {
            Lattice::Squares => {
                let half = half - inset;
                [(-half, -half), (half, -half), (half, half), (-half, half)]
                    .map(|(right, down)| (x + right, y + down))
                    .to_vec()
            }
            Lattice::Hexagons => {
                let (far, near) = (RADIUS * CELL, RADIUS * half);
                around(&[(0.0, -far), (half, -near), (half, near), (0.0, far), (-half, near), (-half, -near)])
            }
            Lattice::Triangles => {
                let up = if points_up(place) { 1.0 } else { -1.0 };
                let (far, near) = (up * HIGH * 2.0 / 3.0, up * HIGH / 3.0);
                around(&[(0.0, -far), (CELL, near), (-CELL, near)])
            }
        }
    }

    /// The ends of a side.
    pub fn ends(self, side: Half) -> [Point; 2] {
        if self == Lattice::Squares {
            return [corner(side.from), corner(side.to())];
        }
        let [one, other] = self.cells(side).map(|cell| self.outline(cell, 0.0));
        let is_shared = |(x, y): &&Point| other.iter().any(|there| (there.0 - x).hypot(there.1 - y) < 1.0);
        let shared: Vec<Point> = one.iter().filter(is_shared).copied().collect();
        [shared.first().copied().unwrap_or_default(), shared.last().copied().unwrap_or_default()]
    }

    /// The left upper and the right lower corner of what holds all cells.
    pub fn bounds(self, Extent { first, end }: Extent) -> [Point; 2] {
        let rows = [first.0, first.0 + 1, end.0 - 2, end.0 - 1].map(|row| row.clamp(first.0, (end.0 - 1).max(first.0)));
        let places = rows.into_iter().flat_map(|row| [first.1, end.1 - 1].map(|column| (row, column)));
        let corners: Vec<Point> = places.flat_map(|place| self.outline(place, 0.0)).collect();
        let fold = |pick: fn(f64, f64) -> f64| {
            corners.iter().copied().reduce(|one, other| (pick(one.0, other.0), pick(one.1, other.1)))
        };
        [fold(f64::min), fold(f64::max)].map(Option::unwrap_or_default)
    }
}

/// Whether a row of hexagons lies half a cell further right.
pub fn is_shifted(row: i32) -> bool {
    row.rem_euclid(2) == 0
}

/// Which way a triangle points.
pub fn points_up((row, column): Place) -> bool {
    (row + column).rem_euclid(2) == 0
}

/// Pixels of a square's corner.
pub fn corner((row, column): Place) -> Point {
    (f64::from(column) * CELL, f64::from(row) * CELL)
}
