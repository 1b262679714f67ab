//! The lattices of a grid. A lattice determines which cells are adjacent, and their positions in a
//! picture.
//!
//! ```text
//!   squares        hexagons: even rows are       triangles: if one points up, it has an even
//!   ┌───┬───┐      shifted right by half a cell  row + column, and its third neighbour is below
//!   │1,1│1,2│         ╱ ╲ ╱ ╲                         ╱╲‾‾‾‾╱
//!   ├───┼───┤        │1,1│1,2│                       ╱  ╲1,2╱
//!   │2,1│2,2│         ╲ ╱ ╲ ╱ ╲                     ╱1,1 ╲ ╱
//!   └───┴───┘          │2,1│2,2│                    ‾‾‾‾‾‾
//! ```
//!
//! A side of a square is a segment between two corners. On the other lattices, a side is identified
//! by the two cells that it separates.

use picture::Point;

use super::segment::{Coord, Direction, Extent, Segment};

/// The size of a square cell in pixels.
pub const CELL: f64 = 32.0;
/// Radius of a hexagon, relative to the cell width.
const RADIUS: f64 = 0.577_350_269_189_625_8;
/// Distance between two rows of hexagons, relative to the cell width.
const ROW_STEP: f64 = 0.866_025_403_784_438_6;
/// Height of a triangle in pixels. A triangle is as wide as two columns.
const TRIANGLE_HEIGHT: f64 = 2.0 * CELL * ROW_STEP;

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

    pub fn from_name(name: &str) -> Option<Lattice> {
        Lattice::ALL.iter().find(|(_, lattice_name)| *lattice_name == name).map(|(lattice, _)| *lattice)
    }

    pub fn sides(self, place: Coord) -> Vec<Segment> {
        let (row, column) = place;
        let neighbors: Vec<Coord> = match self {
            Lattice::Squares => return Segment::around(place).to_vec(),
            Lattice::Hexagons => {
                let left = column - i32::from(!is_shifted(row));
                let same_row = [-1, 1].map(|step| (row, column + step));
                same_row
                    .into_iter()
                    .chain([-1, 1].into_iter().flat_map(|step| [left, left + 1].map(|column| (row + step, column))))
                    .collect()
            }
            Lattice::Triangles => {
                let other_row = if points_up(place) { row + 1 } else { row - 1 };
                vec![(row, column - 1), (row, column + 1), (other_row, column)]
            }
        };
        neighbors.into_iter().filter_map(|other| Segment::between(place, other)).collect()
    }

    /// Returns the side between two cells, if they are adjacent.
    pub fn side(self, first: Coord, second: Coord) -> Option<Segment> {
        let (from, to) = (first.min(second), first.max(second));
        match self {
            Lattice::Squares => match Segment::between(from, to)?.direction {
                Direction::Right => Some(Segment::left_of(to)),
                Direction::Down => Some(Segment::above(to)),
                _ => None,
            },
            _ => Segment::between(from, to).filter(|side| self.sides(from).contains(side)),
        }
    }

    /// Returns the two cells that a side separates.
    pub fn cells(self, side: Segment) -> [Coord; 2] {
        if self == Lattice::Squares { side.cells() } else { [side.from, side.to()] }
    }

    /// Returns the centre of a cell, in pixels, where texts are placed and lines meet.
    pub fn middle(self, place: Coord) -> Point {
        let (row, column) = (f64::from(place.0), f64::from(place.1));
        match self {
            Lattice::Squares => ((column + 0.5) * CELL, (row + 0.5) * CELL),
            Lattice::Hexagons => {
                let shift = if is_shifted(place.0) { 1.0 } else { 0.5 };
                ((column + shift) * CELL, (row * ROW_STEP + RADIUS) * CELL)
            }
            Lattice::Triangles => {
                let down = if points_up(place) { 2.0 / 3.0 } else { 1.0 / 3.0 };
                ((column + 1.0) * CELL, (row + down) * TRIANGLE_HEIGHT)
            }
        }
    }

    /// Returns the cell with the centre `(x, y)`.
    pub fn coord_at(self, (x, y): Point) -> Coord {
        let row = match self {
            Lattice::Squares => y / CELL,
            Lattice::Hexagons => (y / CELL - RADIUS) / ROW_STEP + 0.5,
            Lattice::Triangles => y / TRIANGLE_HEIGHT,
        }
        .floor() as i32;
        let left = self.middle((row, 0)).0;
        (row, ((x - left) / CELL).round() as i32)
    }

    /// Returns the corners of a cell, moved inwards by `inset` pixels.
    pub fn outline(self, place: Coord, inset: f64) -> Vec<Point> {
        let (x, y) = self.middle(place);
        let around = |points: &[Point]| {
            let least = points.iter().map(|(x, y)| x.hypot(*y)).fold(f64::MAX, f64::min);
            let factor = 1.0 - inset / least;
            points.iter().map(|(right, down)| (x + right * factor, y + down * factor)).collect()
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
                let (far, near) = (up * TRIANGLE_HEIGHT * 2.0 / 3.0, up * TRIANGLE_HEIGHT / 3.0);
                around(&[(0.0, -far), (CELL, near), (-CELL, near)])
            }
        }
    }

    /// Returns the two ends of a side, in pixels.
    pub fn ends(self, side: Segment) -> [Point; 2] {
        if self == Lattice::Squares {
            return [corner(side.from), corner(side.to())];
        }
        let [first, second] = self.cells(side).map(|cell| self.outline(cell, 0.0));
        let is_shared = |(x, y): &&Point| second.iter().any(|corner| (corner.0 - x).hypot(corner.1 - y) < 1.0);
        let shared: Vec<Point> = first.iter().filter(is_shared).copied().collect();
        [shared.first().copied().unwrap_or_default(), shared.last().copied().unwrap_or_default()]
    }

    /// Returns the upper left and the lower right corner of the bounding box of the cells in
    /// `extent`.
    pub fn bounds(self, Extent { first, end }: Extent) -> [Point; 2] {
        let rows = [first.0, first.0 + 1, end.0 - 2, end.0 - 1].map(|row| row.clamp(first.0, (end.0 - 1).max(first.0)));
        let places = rows.into_iter().flat_map(|row| [first.1, end.1 - 1].map(|column| (row, column)));
        let corners: Vec<Point> = places.flat_map(|place| self.outline(place, 0.0)).collect();
        let fold = |pick: fn(f64, f64) -> f64| corners.iter().copied().reduce(|a, b| (pick(a.0, b.0), pick(a.1, b.1)));
        [fold(f64::min), fold(f64::max)].map(Option::unwrap_or_default)
    }
}

/// Returns true if a row of hexagons is shifted right by half a cell.
pub fn is_shifted(row: i32) -> bool {
    row.rem_euclid(2) == 0
}

/// Returns true if a triangle points up.
pub fn points_up((row, column): Coord) -> bool {
    (row + column).rem_euclid(2) == 0
}

/// Returns the position of a corner of squares in pixels.
pub fn corner((row, column): Coord) -> Point {
    (f64::from(column) * CELL, f64::from(row) * CELL)
}
