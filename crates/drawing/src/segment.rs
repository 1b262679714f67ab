//! Cells, the steps between them, and ranges of them.

/// The row and the column of a cell. A corner has the coordinates of the cell whose upper left
/// corner it is.
pub type Coord = (i32, i32);

/// A step from a cell or corner to the next one on its right, or to an adjacent one in the next
/// row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment {
    pub from: Coord,
    pub direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    Right,
    Down,
    DownRight,
    DownLeft,
}

impl Direction {
    pub const ALL: [(Direction, Coord); 4] = [
        (Direction::Right, (0, 1)),
        (Direction::Down, (1, 0)),
        (Direction::DownRight, (1, 1)),
        (Direction::DownLeft, (1, -1)),
    ];

    pub fn step(self) -> Coord {
        Direction::ALL[self as usize].1
    }
}

impl Segment {
    pub fn right(from: Coord) -> Segment {
        Segment { from, direction: Direction::Right }
    }

    pub fn down(from: Coord) -> Segment {
        Segment { from, direction: Direction::Down }
    }

    /// Returns the step between two cells or corners, if they are adjacent.
    pub fn between(first: Coord, second: Coord) -> Option<Segment> {
        let (from, to) = (first.min(second), first.max(second));
        let step = (to.0 - from.0, to.1 - from.1);
        Direction::ALL.iter().find(|(_, offset)| *offset == step).map(|&(direction, _)| Segment { from, direction })
    }

    /// Returns the side below a square.
    pub fn below((row, column): Coord) -> Segment {
        Segment::right((row + 1, column))
    }

    pub fn right_of((row, column): Coord) -> Segment {
        Segment::down((row, column + 1))
    }

    pub fn above(from: Coord) -> Segment {
        Segment::right(from)
    }

    pub fn left_of(from: Coord) -> Segment {
        Segment::down(from)
    }

    pub fn around(place: Coord) -> [Segment; 4] {
        [Segment::above(place), Segment::left_of(place), Segment::below(place), Segment::right_of(place)]
    }

    pub fn to(self) -> Coord {
        let (down, right) = self.direction.step();
        (self.from.0 + down, self.from.1 + right)
    }

    /// If one of two cells is inside `board` and the other outside, returns the inner cell and the
    /// step from there to the outer one.
    pub fn exit(self, board: Option<Extent>) -> Option<(Coord, Coord)> {
        let (down, right) = self.direction.step();
        match [self.from, self.to()].map(|cell| board.map(|board| board.contains(cell))) {
            [Some(true), Some(false)] => Some((self.from, (down, right))),
            [Some(false), Some(true)] => Some((self.to(), (-down, -right))),
            _ => None,
        }
    }

    /// Returns the two squares that a segment between corners separates.
    pub fn cells(self) -> [Coord; 2] {
        let (row, column) = self.from;
        [self.from, if self.direction == Direction::Down { (row, column - 1) } else { (row - 1, column) }]
    }
}

/// A range of rows and columns: the first row and column, and the last ones plus one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub first: Coord,
    pub end: Coord,
}

impl Extent {
    pub fn of_cell((row, column): Coord) -> Extent {
        Extent { first: (row, column), end: (row + 1, column + 1) }
    }

    pub fn rows(self) -> usize {
        (self.end.0 - self.first.0).max(0) as usize
    }

    pub fn contains(self, (row, column): Coord) -> bool {
        (self.first.0..self.end.0).contains(&row) && (self.first.1..self.end.1).contains(&column)
    }

    pub fn columns(self) -> usize {
        (self.end.1 - self.first.1).max(0) as usize
    }

    pub fn with(self, other: Extent) -> Extent {
        let least = |first: Coord, second: Coord| (first.0.min(second.0), first.1.min(second.1));
        let most = |first: Coord, second: Coord| (first.0.max(second.0), first.1.max(second.1));
        Extent { first: least(self.first, other.first), end: most(self.end, other.end) }
    }
}
