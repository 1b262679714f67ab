//! What is drawn in the cells of a grid, between them and around it.

use std::collections::{BTreeMap, BTreeSet};

use super::lattice::Lattice;
use crate::picture::Rgb;

/// A row and a column; as a corner, the left upper one of that cell.
pub type Place = (i32, i32);

/// What one frame shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    pub lattice: Lattice,
    pub cells: BTreeMap<Place, Cell>,
    /// Sides of cells.
    pub borders: BTreeMap<Half, Border>,
    pub edges: BTreeMap<Half, Option<Rgb>>,
    /// Between the middles of cells.
    pub lines: BTreeMap<Half, Line>,
    /// Names of the cages that a cell belongs to: a dashed line runs around each.
    pub cages: BTreeMap<Place, BTreeSet<String>>,
    /// Texts by side, row or column, and number.
    pub around: BTreeMap<(Side, i32), BTreeMap<i32, Vec<String>>>,
    /// Texts on borders and corners: the middle of the cell (R,C) is at (2R-1,2C-1).
    pub between: BTreeMap<Place, String>,
    pub captions: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    pub fill: Option<Rgb>,
    pub given: Vec<String>,
    pub found: Vec<String>,
    pub symbols: BTreeMap<Symbol, Option<Rgb>>,
    /// From corner to corner: whether it runs down to the right, or up.
    pub diagonals: BTreeMap<bool, Option<Rgb>>,
    /// Small texts that the board gives.
    pub corners: BTreeMap<Corner, Vec<String>>,
}

/// Of a cell, in the order in which they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Corner {
    NorthWest,
    SouthWest,
    NorthEast,
    SouthEast,
}

/// The step from a place to one of the next row, or to the next one on the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Half {
    pub from: Place,
    pub way: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    Right,
    Down,
    DownRight,
    DownLeft,
}

impl Way {
    pub const ALL: [(Way, Place); 4] =
        [(Way::Right, (0, 1)), (Way::Down, (1, 0)), (Way::DownRight, (1, 1)), (Way::DownLeft, (1, -1))];

    pub fn step(self) -> Place {
        Way::ALL[self as usize].1
    }
}

/// The later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Border {
    None,
    Thin,
    Dashed,
    Thick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Line {
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

    pub fn named(name: &str) -> Option<Corner> {
        Corner::ALL.iter().find(|(_, known)| *known == name).map(|(corner, _)| *corner)
    }

    /// To the right and down, from the middle.
    pub fn way(self) -> (f64, f64) {
        match self {
            Corner::NorthWest => (-1.0, -1.0),
            Corner::SouthWest => (-1.0, 1.0),
            Corner::NorthEast => (1.0, -1.0),
            Corner::SouthEast => (1.0, 1.0),
        }
    }
}

impl Symbol {
    /// With their names, and each as one character.
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

    pub fn named(name: &str) -> Option<Symbol> {
        Symbol::ALL.iter().find(|(_, known, _)| *known == name).map(|(symbol, ..)| *symbol)
    }

    pub fn sign(self) -> char {
        Symbol::ALL.iter().find(|(symbol, ..)| *symbol == self).map_or(' ', |(.., sign)| *sign)
    }
}

impl Half {
    pub fn right(from: Place) -> Half {
        Half { from, way: Way::Right }
    }

    pub fn down(from: Place) -> Half {
        Half { from, way: Way::Down }
    }

    /// The step between two places that lie beside each other, if they do.
    pub fn between(one: Place, other: Place) -> Option<Half> {
        let (from, to) = (one.min(other), one.max(other));
        let step = (to.0 - from.0, to.1 - from.1);
        Way::ALL.iter().find(|(_, known)| *known == step).map(|&(way, _)| Half { from, way })
    }

    /// The border below a square.
    pub fn below((row, column): Place) -> Half {
        Half::right((row + 1, column))
    }

    pub fn right_of((row, column): Place) -> Half {
        Half::down((row, column + 1))
    }

    pub fn above(from: Place) -> Half {
        Half::right(from)
    }

    pub fn left_of(from: Place) -> Half {
        Half::down(from)
    }

    /// The four sides of a square.
    pub fn around(place: Place) -> [Half; 4] {
        [Half::above(place), Half::left_of(place), Half::below(place), Half::right_of(place)]
    }

    pub fn to(self) -> Place {
        let (down, right) = self.way.step();
        (self.from.0 + down, self.from.1 + right)
    }

    /// The two squares between which it runs, if it runs between corners.
    pub fn cells(self) -> [Place; 2] {
        let (row, column) = self.from;
        [self.from, if self.way == Way::Down { (row, column - 1) } else { (row - 1, column) }]
    }
}

impl Cell {
    /// What one reads in it: what is given comes first, and is found but once.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        self.given.iter().chain(self.found.iter().filter(|found| !self.given.contains(found)))
    }

    /// The texts in its corners in a line, with the diagonal between those on the left and on the right.
    pub fn in_corners(&self) -> Option<String> {
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

/// The first row and column, and those behind the last ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub first: Place,
    pub end: Place,
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
    pub fn cell(&mut self, place: Place) -> &mut Cell {
        self.cells.entry(place).or_default()
    }

    pub fn is_empty(&self) -> bool {
        *self == Grid { lattice: self.lattice, ..Grid::default() }
    }

    /// How much there is to draw.
    pub fn size(&self) -> usize {
        self.cells.len()
            + self.borders.len()
            + self.edges.len()
            + self.lines.len()
            + self.between.len()
            + self.cages.len()
    }

    /// How many texts stand on two sides together.
    pub fn texts_on(&self, sides: [Side; 2]) -> usize {
        let last = |side: Side| {
            let own = self.around.iter().filter(|((of, _), _)| *of == side);
            own.filter_map(|(_, texts)| texts.last_key_value()).map(|(&last, _)| last as usize).max().unwrap_or(0)
        };
        sides.into_iter().map(last).sum()
    }

    /// With what another one shows as well.
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
        for (&half, &border) in &other.borders {
            let drawn = self.borders.entry(half).or_insert(border);
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

    /// The cells that another one shows something of, with their sides.
    pub fn near(&self, other: &Grid) -> Grid {
        let halves = other.borders.keys().chain(other.edges.keys()).flat_map(|half| self.lattice.cells(*half));
        let lines = other.lines.keys().flat_map(|half| [half.from, half.to()]);
        let near: BTreeSet<Place> = other.cells.keys().copied().chain(halves).chain(lines).collect();
        let cells = near.iter().filter_map(|place| Some((*place, self.cells.get(place)?.clone()))).collect();
        let sides = near.iter().flat_map(|&place| self.lattice.around(place));
        let borders = sides.filter_map(|half| Some((half, *self.borders.get(&half)?))).collect();
        Grid { lattice: self.lattice, cells, borders, ..Grid::default() }
    }

    /// How a side of a cell is drawn where a cage has no line of its own.
    pub fn border(&self, half: Half) -> Border {
        let [one, other] = self.lattice.cells(half).map(|cell| self.cages.get(&cell));
        match self.plain_border(half) {
            Border::Thin if one != other => Border::Dashed,
            border => border,
        }
    }

    /// How a side of a cell is drawn: as somebody says, else thin where there is a cell.
    fn plain_border(&self, half: Half) -> Border {
        let is_at_cell = || self.lattice.cells(half).iter().any(|cell| self.cells.contains_key(cell));
        self.borders.get(&half).copied().unwrap_or_else(|| if is_at_cell() { Border::Thin } else { Border::None })
    }

    /// What is said of a side; that it frames all cells says nothing of any.
    pub fn told_border(&self, half: Half) -> Option<Border> {
        let is_frame = |border: &Border| *border == Border::Thick && self.is_outer(&half);
        self.borders.get(&half).copied().filter(|border| !is_frame(border))
    }

    fn is_outer(&self, half: &Half) -> bool {
        self.lattice.cells(*half).iter().any(|cell| !self.cells.contains_key(cell))
    }

    fn around_cells(&self) -> impl Iterator<Item = Half> + '_ {
        self.cells.keys().flat_map(|&place| self.lattice.around(place))
    }

    /// All sides that are drawn.
    pub fn sides(&self) -> BTreeMap<Half, Border> {
        let halves: BTreeSet<Half> = self.around_cells().chain(self.borders.keys().copied()).collect();
        let drawn = halves.into_iter().map(|half| (half, self.plain_border(half)));
        drawn.filter(|(_, border)| *border != Border::None).collect()
    }

    /// Where borders between cells are thick, so is the frame around all of them, unless something is said of it.
    pub fn frame_areas(&mut self) {
        if self.borders.values().any(|&border| border == Border::Thick) {
            self.frame();
        }
    }

    /// A thick frame around all cells, unless something is said of it.
    pub fn frame(&mut self) {
        let outer: Vec<Half> = self.around_cells().filter(|half| self.is_outer(half)).collect();
        for half in outer {
            self.borders.entry(half).or_insert(Border::Thick);
        }
    }

    /// What holds all cells, lines and edges; `None` if there are none.
    pub fn extent(&self) -> Option<Extent> {
        let lines = self.lines.keys().flat_map(|half| [half.from, half.to()]);
        let cells = self.cells.keys().copied().chain(lines);
        let cells = cells.map(|(row, column)| ((row, column), (row + 1, column + 1)));
        let corners = self.edges.keys().chain(self.borders.keys());
        // Sides of other cells than squares are told by cells, some of which are outside.
        let corners = corners.filter(|_| self.lattice == Lattice::Squares).flat_map(|half| [half.from, half.to()]);
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
        let least = |one: Place, other: Place| (one.0.min(other.0), one.1.min(other.1));
        let most = |one: Place, other: Place| (one.0.max(other.0), one.1.max(other.1));
        Extent { first: least(self.first, other.first), end: most(self.end, other.end) }
    }
}
