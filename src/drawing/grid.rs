//! The contents of a grid: in its cells, between them and around it.

use std::collections::{BTreeMap, BTreeSet};

use super::lattice::Lattice;
use crate::picture::Rgb;

/// A row and a column. As a corner, it is the upper left one of that cell.
pub type Coord = (i32, i32);

/// The contents of one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    pub lattice: Lattice,
    pub cells: BTreeMap<Coord, CellContent>,
    /// By side of a cell.
    pub borders: BTreeMap<Segment, Border>,
    pub edges: BTreeMap<Segment, Option<Rgb>>,
    /// Between the centres of cells.
    pub lines: BTreeMap<Segment, LineStyle>,
    /// The names of the cages that contain a cell; each cage has a dashed outline.
    pub cages: BTreeMap<Coord, BTreeSet<String>>,
    /// Texts by side, row or column, and number.
    pub around: BTreeMap<(Side, i32), BTreeMap<i32, Vec<String>>>,
    /// Texts on borders and corners; the centre of the cell (R,C) is at (2R-1,2C-1).
    pub between: BTreeMap<Coord, String>,
    pub captions: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CellContent {
    pub fill: Option<Rgb>,
    pub given: Vec<String>,
    pub found: Vec<String>,
    pub symbols: BTreeMap<Symbol, Option<Rgb>>,
    /// Diagonals from corner to corner; the key is true for one that descends to the right.
    pub diagonals: BTreeMap<bool, Option<Rgb>>,
    /// Small texts that are given.
    pub corners: BTreeMap<Corner, Vec<String>>,
}

/// The corners of a cell, in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Corner {
    NorthWest,
    SouthWest,
    NorthEast,
    SouthEast,
}

/// A step to an adjacent place in the next row, or to the next one on the right.
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
    pub const ALL: [(Direction, Coord); 4] =
        [(Direction::Right, (0, 1)), (Direction::Down, (1, 0)), (Direction::DownRight, (1, 1)), (Direction::DownLeft, (1, -1))];

    pub fn step(self) -> Coord {
        Direction::ALL[self as usize].1
    }
}

/// Of several borders, the greatest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Border {
    None,
    Thin,
    Dashed,
    Thick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineStyle {
    pub is_double: bool,
    pub paint: Option<Rgb>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    Circle,
    Disc,
    Dot,
    Star,
    Cross,
    Plus,
    Square,
    Diamond,
    Triangle,
    Bulb,
    Tree,
    Tent,
    Mine,
    Flag,
    Up,
    Down,
    Left,
    Right,
    HalfNorthWest,
    HalfNorthEast,
    HalfSouthWest,
    HalfSouthEast,
}

impl Corner {
    pub const ALL: [(Corner, &str); 4] =
        [(Corner::NorthWest, "nw"), (Corner::SouthWest, "sw"), (Corner::NorthEast, "ne"), (Corner::SouthEast, "se")];

    pub fn from_name(name: &str) -> Option<Corner> {
        Corner::ALL.iter().find(|(_, known)| *known == name).map(|(corner, _)| *corner)
    }

    /// The offset from the centre of a cell, to the right and down.
    pub fn offset(self) -> (f64, f64) {
        match self {
            Corner::NorthWest => (-1.0, -1.0),
            Corner::SouthWest => (-1.0, 1.0),
            Corner::NorthEast => (1.0, -1.0),
            Corner::SouthEast => (1.0, 1.0),
        }
    }
}

impl Symbol {
    /// All symbols with their names and characters.
    pub const ALL: [(Symbol, &str, char); 22] = [
        (Symbol::Circle, "circle", '○'),
        (Symbol::Disc, "disc", '●'),
        (Symbol::Dot, "dot", '•'),
        (Symbol::Star, "star", '★'),
        (Symbol::Cross, "cross", '×'),
        (Symbol::Plus, "plus", '+'),
        (Symbol::Square, "square", '■'),
        (Symbol::Diamond, "diamond", '◆'),
        (Symbol::Triangle, "triangle", '▲'),
        (Symbol::Bulb, "bulb", '☼'),
        (Symbol::Tree, "tree", '♣'),
        (Symbol::Tent, "tent", 'Λ'),
        (Symbol::Mine, "mine", '✱'),
        (Symbol::Flag, "flag", '⚑'),
        (Symbol::Up, "up", '↑'),
        (Symbol::Down, "down", '↓'),
        (Symbol::Left, "left", '←'),
        (Symbol::Right, "right", '→'),
        (Symbol::HalfNorthWest, "half_nw", '◤'),
        (Symbol::HalfNorthEast, "half_ne", '◥'),
        (Symbol::HalfSouthWest, "half_sw", '◣'),
        (Symbol::HalfSouthEast, "half_se", '◢'),
    ];

    pub fn from_name(name: &str) -> Option<Symbol> {
        Symbol::ALL.iter().find(|(_, known, _)| *known == name).map(|(symbol, ..)| *symbol)
    }

    pub fn sign(self) -> char {
        Symbol::ALL.iter().find(|(symbol, ..)| *symbol == self).map_or(' ', |(.., sign)| *sign)
    }
}

impl Segment {
    pub fn right(from: Coord) -> Segment {
        Segment { from, direction: Direction::Right }
    }

    pub fn down(from: Coord) -> Segment {
        Segment { from, direction: Direction::Down }
    }

    /// Returns the step between two adjacent places.
    pub fn between(one: Coord, other: Coord) -> Option<Segment> {
        let (from, to) = (one.min(other), one.max(other));
        let step = (to.0 - from.0, to.1 - from.1);
        Direction::ALL.iter().find(|(_, known)| *known == step).map(|&(direction, _)| Segment { from, direction })
    }

    /// The border below a square.
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

    /// The two squares on either side of a segment between corners.
    pub fn cells(self) -> [Coord; 2] {
        let (row, column) = self.from;
        [self.from, if self.direction == Direction::Down { (row, column - 1) } else { (row - 1, column) }]
    }
}

impl CellContent {
    /// The texts of the cell: first the given ones, then those that were found and are not given as
    /// well.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        self.given.iter().chain(self.found.iter().filter(|found| !self.given.contains(found)))
    }

    /// The corner texts on one line, with the diagonal between those on the left and those on the
    /// right.
    pub fn corner_text(&self) -> Option<String> {
        let side = |corners: [Corner; 2]| {
            let texts = corners.iter().filter_map(|corner| self.corners.get(corner)).flatten();
            texts.map(String::as_str).collect::<Vec<_>>().join(" ")
        };
        let between = match (self.diagonals.contains_key(&true), self.diagonals.contains_key(&false)) {
            (true, true) => "×",
            (true, false) => "\\",
            (false, true) => "/",
            (false, false) => " ",
        };
        let [left, right] = [[Corner::NorthWest, Corner::SouthWest], [Corner::NorthEast, Corner::SouthEast]].map(side);
        let text = [left.as_str(), between, right.as_str()].concat();
        (!text.trim().is_empty()).then(|| text.trim().to_owned())
    }
}

/// The first row and column, and one more than the last ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub first: Coord,
    pub end: Coord,
}

impl Extent {
    pub fn rows(self) -> usize {
        (self.end.0 - self.first.0).max(0) as usize
    }

    pub fn columns(self) -> usize {
        (self.end.1 - self.first.1).max(0) as usize
    }
}

impl Grid {
    pub fn cell(&mut self, place: Coord) -> &mut CellContent {
        self.cells.entry(place).or_default()
    }

    pub fn is_empty(&self) -> bool {
        *self == Grid { lattice: self.lattice, ..Grid::default() }
    }

    /// The number of elements to draw.
    pub fn size(&self) -> usize {
        self.cells.len()
            + self.borders.len()
            + self.edges.len()
            + self.lines.len()
            + self.between.len()
            + self.cages.len()
    }

    /// The number of rows or columns that the texts on two sides need.
    pub fn texts_on(&self, sides: [Side; 2]) -> usize {
        let last = |side: Side| {
            let own = self.around.iter().filter(|((of, _), _)| *of == side);
            own.filter_map(|(_, texts)| texts.last_key_value()).map(|(&last, _)| last as usize).max().unwrap_or(0)
        };
        sides.into_iter().map(last).sum()
    }

    /// Adds the contents of another grid.
    pub fn with(mut self, other: &Grid) -> Grid {
        for (&place, cell) in &other.cells {
            let own = self.cell(place);
            own.fill = cell.fill.or(own.fill);
            own.given.extend(cell.given.iter().cloned());
            own.found.extend(cell.found.iter().cloned());
            own.symbols.extend(&cell.symbols);
            own.diagonals.extend(&cell.diagonals);
            for (&corner, texts) in &cell.corners {
                own.corners.entry(corner).or_default().extend(texts.iter().cloned());
            }
        }
        for (&segment, &border) in &other.borders {
            let drawn = self.borders.entry(segment).or_insert(border);
            *drawn = border.max(*drawn);
        }
        self.edges.extend(&other.edges);
        self.lines.extend(&other.lines);
        self.cages.extend(other.cages.iter().map(|(&place, names)| (place, names.clone())));
        self.between.extend(other.between.iter().map(|(&place, text)| (place, text.clone())));
        for (&place, texts) in &other.around {
            let own = self.around.entry(place).or_default();
            for (&number, texts) in texts {
                own.entry(number).or_default().extend(texts.iter().cloned());
            }
        }
        self.captions.extend(other.captions.iter().cloned());
        self
    }

    /// Returns the cells that `other` affects, with their sides.
    pub fn neighbourhood(&self, other: &Grid) -> Grid {
        let segments = other.borders.keys().chain(other.edges.keys()).flat_map(|segment| self.lattice.cells(*segment));
        let lines = other.lines.keys().flat_map(|segment| [segment.from, segment.to()]);
        let near: BTreeSet<Coord> = other.cells.keys().copied().chain(segments).chain(lines).collect();
        let cells = near.iter().filter_map(|place| Some((*place, self.cells.get(place)?.clone()))).collect();
        let sides = near.iter().flat_map(|&place| self.lattice.sides(place));
        let borders = sides.filter_map(|segment| Some((segment, *self.borders.get(&segment)?))).collect();
        Grid { lattice: self.lattice, cells, borders, ..Grid::default() }
    }

    /// The border of a side of a cell; an otherwise thin border between cages is dashed.
    pub fn border(&self, segment: Segment) -> Border {
        let [one, other] = self.lattice.cells(segment).map(|cell| self.cages.get(&cell));
        match self.plain_border(segment) {
            Border::Thin if one != other => Border::Dashed,
            border => border,
        }
    }

    /// The drawn border of a side; without one, thin next to a cell.
    fn plain_border(&self, segment: Segment) -> Border {
        let is_at_cell = || self.lattice.cells(segment).iter().any(|cell| self.cells.contains_key(cell));
        self.borders.get(&segment).copied().unwrap_or_else(|| if is_at_cell() { Border::Thin } else { Border::None })
    }

    /// The border that was drawn explicitly; the outer frame does not count.
    pub fn explicit_border(&self, segment: Segment) -> Option<Border> {
        let is_frame = |border: &Border| *border == Border::Thick && self.is_outer(&segment);
        self.borders.get(&segment).copied().filter(|border| !is_frame(border))
    }

    fn is_outer(&self, segment: &Segment) -> bool {
        self.lattice.cells(*segment).iter().any(|cell| !self.cells.contains_key(cell))
    }

    fn cell_sides(&self) -> impl Iterator<Item = Segment> + '_ {
        self.cells.keys().flat_map(|&place| self.lattice.sides(place))
    }

    /// All visible sides.
    pub fn sides(&self) -> BTreeMap<Segment, Border> {
        let segments: BTreeSet<Segment> = self.cell_sides().chain(self.borders.keys().copied()).collect();
        let drawn = segments.into_iter().map(|segment| (segment, self.plain_border(segment)));
        drawn.filter(|(_, border)| *border != Border::None).collect()
    }

    /// Adds a thick outer frame if some border is thick.
    pub fn frame_if_thick(&mut self) {
        if self.borders.values().any(|&border| border == Border::Thick) {
            self.add_frame();
        }
    }

    /// Adds a thick outer frame where no border is drawn explicitly.
    pub fn add_frame(&mut self) {
        let outer: Vec<Segment> = self.cell_sides().filter(|segment| self.is_outer(segment)).collect();
        for segment in outer {
            self.borders.entry(segment).or_insert(Border::Thick);
        }
    }

    /// The bounding box of all cells, lines and edges; `None` if there are none.
    pub fn extent(&self) -> Option<Extent> {
        let lines = self.lines.keys().flat_map(|segment| [segment.from, segment.to()]);
        let cells = self.cells.keys().copied().chain(lines);
        let cells = cells.map(|(row, column)| ((row, column), (row + 1, column + 1)));
        let corners = self.edges.keys().chain(self.borders.keys());
        // On other lattices, sides are identified by cells, some of which lie outside.
        let corners = corners.filter(|_| self.lattice == Lattice::Squares).flat_map(|segment| [segment.from, segment.to()]);
        let outside = self.around.keys().filter_map(|&(side, rank)| {
            let (row, column) = cells.clone().next()?.0;
            Some(match side {
                Side::Left | Side::Right => ((rank, column), (rank + 1, column + 1)),
                Side::Top | Side::Bottom => ((row, rank), (row + 1, rank + 1)),
            })
        });
        let boxes = cells.clone().chain(corners.map(|corner| (corner, corner))).chain(outside);
        boxes.map(|(first, end)| Extent { first, end }).reduce(Extent::with)
    }
}

impl Extent {
    pub fn with(self, other: Extent) -> Extent {
        let least = |one: Coord, other: Coord| (one.0.min(other.0), one.1.min(other.1));
        let most = |one: Coord, other: Coord| (one.0.max(other.0), one.1.max(other.1));
        Extent { first: least(self.first, other.first), end: most(self.end, other.end) }
    }
}
