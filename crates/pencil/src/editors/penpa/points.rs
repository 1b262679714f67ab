//! The numbers that penpa-edit assigns to the points of its grid of squares.
//!
//! ```text
//!   cells, the corners at their lower right, the middles of their lower sides and of their right
//!   sides have `points` numbers each; then each cell has 4 quarters (nw, ne, sw, se) and 4 sides
//!   (n, e, w, s)
//! ```
//!
//! Positions count from 1, and the cell (R,C) of the board is at (2R-1,2C-1), as in the grid
//! `between`.

/// Two rows and columns of points surround the cells of a drawing.
const BORDER: i64 = 2;

/// A position: odd numbers are centres of rows and columns, even ones the borders between them.
pub type DrawnPlace = (i64, i64);

/// A point of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GridPoint {
    At(DrawnPlace),
    /// A quarter of the cell at a position: 0 to 3 for nw, ne, sw, se.
    Quarter(DrawnPlace, u8),
    /// A side of the cell at a position: 0 to 3 for n, e, w, s.
    Side(DrawnPlace, u8),
}

/// The numbering of a drawing.
#[derive(Debug, Clone, Copy)]
pub struct PointNumbering {
    /// The number of points in a row.
    width: i64,
    /// The total number of cells.
    points: i64,
    /// The numbers of points above the board and to its left.
    origin: (i64, i64),
}

impl PointNumbering {
    /// The numbering of a drawing of `columns` by `rows` cells. Its board begins below `margins.0`
    /// rows and right of `margins.1` columns.
    pub fn new(columns: i64, rows: i64, margins: (i64, i64)) -> Self {
        let (width, height) = (columns + 2 * BORDER, rows + 2 * BORDER);
        PointNumbering { width, points: width * height, origin: (margins.0 + BORDER, margins.1 + BORDER) }
    }

    /// Moves the board's first cell to the point `cell`.
    pub fn with_first_cell(self, (row, column): (i64, i64)) -> Self {
        PointNumbering { origin: (row, column), ..self }
    }

    /// Returns the row and the column of points of a cell, from 0.
    pub fn raw_cell(self, number: i64) -> Option<(i64, i64)> {
        (0..self.points).contains(&number).then_some((number / self.width, number % self.width))
    }

    pub fn point(self, number: i64) -> Option<GridPoint> {
        let cell = |cell: i64| {
            let (row, column) = (cell / self.width - self.origin.0, cell % self.width - self.origin.1);
            (2 * row + 1, 2 * column + 1)
        };
        let layer = number.checked_div(self.points)?;
        let (y, x) = cell(number.rem_euclid(self.points));
        let part = |first: i64| (cell((number - first * self.points) / 4), (number % 4) as u8);
        match layer {
            _ if number < 0 => None,
            0 => Some(GridPoint::At((y, x))),
            1 => Some(GridPoint::At((y + 1, x + 1))),
            2 => Some(GridPoint::At((y + 1, x))),
            3 => Some(GridPoint::At((y, x + 1))),
            4..8 => Some(part(4)).map(|(cell, quarter)| GridPoint::Quarter(cell, quarter)),
            8..12 => Some(part(8)).map(|(cell, side)| GridPoint::Side(cell, side)),
            _ => None,
        }
    }

    pub fn number(self, point: GridPoint) -> i64 {
        let cell =
            |(y, x): DrawnPlace| (y.div_euclid(2) + self.origin.0) * self.width + x.div_euclid(2) + self.origin.1;
        match point {
            GridPoint::At((y, x)) => match (y.rem_euclid(2), x.rem_euclid(2)) {
                (1, 1) => cell((y, x)),
                (0, 0) => self.points + cell((y - 1, x - 1)),
                (0, _) => 2 * self.points + cell((y - 1, x)),
                _ => 3 * self.points + cell((y, x - 1)),
            },
            GridPoint::Quarter(at, quarter) => 4 * (self.points + cell(at)) + i64::from(quarter),
            GridPoint::Side(at, side) => 4 * (2 * self.points + cell(at)) + i64::from(side),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_points_correspond() {
        let numbering = PointNumbering::new(4, 3, (1, 2));
        // 8 by 7 points; the board begins in the fourth row and the fifth column of points.
        assert_eq!(numbering.number(GridPoint::At((1, 1))), 3 * 8 + 4);
        assert_eq!(numbering.number(GridPoint::At((0, 0))), 56 + 2 * 8 + 3);
        assert_eq!(numbering.number(GridPoint::Quarter((1, 1), 2)), 4 * (56 + 3 * 8 + 4) + 2);
        for number in 0..12 * 56 {
            let point = numbering.point(number).expect("a point");
            assert_eq!(numbering.number(point), number, "{point:?}");
        }
        assert_eq!((numbering.point(-1), numbering.point(12 * 56)), (None, None));
    }
}
