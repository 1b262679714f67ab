//! The contents of a grid: of its cells, of the borders between them, and around it.

use std::collections::{BTreeMap, BTreeSet};

use picture::Rgb;

use super::lattice::Lattice;
use super::segment::{Coord, Extent, Segment};

/// The colour of the solution.
pub const FOUND: Rgb = Rgb(0x1f, 0x5f, 0xd0);
/// The colour of the cells that the solution shades. Black texts on it are readable.
pub const SHADED: Rgb = Rgb(0x8e, 0x99, 0xa8);

/// The contents of one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    pub lattice: Lattice,
    pub cells: BTreeMap<Coord, CellContent>,
    /// The borders of cells, by their sides.
    pub borders: BTreeMap<Segment, Border>,
    /// The colours of lines along the sides of cells.
    pub edges: BTreeMap<Segment, Option<Rgb>>,
    /// Lines between the centres of cells.
    pub lines: BTreeMap<Segment, LineStyle>,
    /// By cell: the names of the cages that contain it. Each cage has a dashed outline.
    pub cages: BTreeMap<Coord, BTreeSet<String>>,
    /// Texts around the grid: by side and row or column, and then by number.
    pub around: BTreeMap<(Side, i32), BTreeMap<i32, Vec<String>>>,
    /// Texts on borders and corners, by position; the centre of the cell (R,C) is at (2R-1,2C-1).
    pub between: BTreeMap<Coord, String>,
    pub captions: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CellContent {
    pub fill: Option<Rgb>,
    /// The texts that the board gives.
    pub given: Vec<String>,
    /// The texts of the solution.
    pub found: Vec<String>,
    pub symbols: BTreeMap<Symbol, Option<Rgb>>,
    /// The colours of the diagonals. The key is true for the diagonal that descends to the right.
    pub diagonals: BTreeMap<bool, Option<Rgb>>,
    /// Small texts that the board gives.
    pub corners: BTreeMap<Corner, Vec<String>>,
}

/// The corners of a cell, and the middles of its sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Corner {
    NorthWest,
    SouthWest,
    NorthEast,
    SouthEast,
    North,
    East,
    South,
    West,
}

/// The style of a border. If several are drawn on the same side, the greatest is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Border {
    None,
    Thin,
    Dashed,
    /// Thick, in the colour of the solution.
    Found,
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
    pub const ALL: [(Corner, &str); 8] = [
        (Corner::NorthWest, "nw"),
        (Corner::SouthWest, "sw"),
        (Corner::NorthEast, "ne"),
        (Corner::SouthEast, "se"),
        (Corner::North, "n"),
        (Corner::East, "e"),
        (Corner::South, "s"),
        (Corner::West, "w"),
    ];

    pub fn from_name(name: &str) -> Option<Corner> {
        Corner::ALL.iter().find(|(_, corner_name)| *corner_name == name).map(|(corner, _)| *corner)
    }

    /// Returns the direction from the centre of a cell, to the right and down.
    pub fn offset(self) -> (f64, f64) {
        match self {
            Corner::NorthWest => (-1.0, -1.0),
            Corner::SouthWest => (-1.0, 1.0),
            Corner::NorthEast => (1.0, -1.0),
            Corner::SouthEast => (1.0, 1.0),
            Corner::North => (0.0, -1.0),
            Corner::East => (1.0, 0.0),
            Corner::South => (0.0, 1.0),
            Corner::West => (-1.0, 0.0),
        }
    }
}

impl Side {
    /// Returns the side to which an arrow points that is the whole text.
    pub fn of_arrow(text: &str) -> Option<Side> {
        match text {
            "←" => Some(Side::Left),
            "→" => Some(Side::Right),
            "↑" => Some(Side::Top),
            "↓" => Some(Side::Bottom),
            _ => None,
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
        Symbol::ALL.iter().find(|(_, symbol_name, _)| *symbol_name == name).map(|(symbol, ..)| *symbol)
    }

    pub fn sign(self) -> char {
        Symbol::ALL.iter().find(|(symbol, ..)| *symbol == self).map_or(' ', |(.., sign)| *sign)
    }
}

impl CellContent {
    /// Returns the texts of the cell: first the given ones, then the found ones that are not also
    /// given.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        self.given.iter().chain(self.found.iter().filter(|found| !self.given.contains(found)))
    }

    /// Joins the corner texts to one line: the left ones, the given diagonals, and the right ones;
    /// then those at the sides, each with an arrow to its side.
    pub fn corner_text(&self) -> Option<String> {
        let texts_at = |corner: Corner| {
            self.corners.get(&corner).into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
        };
        let [left, right] = [[Corner::NorthWest, Corner::SouthWest], [Corner::NorthEast, Corner::SouthEast]]
            .map(|side| side.map(texts_at).join(" ").trim().to_owned());
        let sides = [(Corner::North, '↑'), (Corner::East, '→'), (Corner::South, '↓'), (Corner::West, '←')]
            .map(|(side, arrow)| (texts_at(side), arrow));
        let has_one_text = sides.iter().all(|(text, _)| *text == sides[0].0);
        let sides: String = match &sides[0] {
            // The same text at all sides needs no arrows.
            (text, _) if has_one_text => text.clone(),
            _ => sides
                .iter()
                .filter(|(text, _)| !text.is_empty())
                .map(|(text, arrow)| format!("{text}{arrow}"))
                .collect(),
        };
        // Diagonals between texts at the sides say nothing more.
        let between = self.diagonal_sign(false).filter(|_| sides.is_empty()).unwrap_or(' ');
        let text = format!("{left}{between}{right} {sides}").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Returns the character of the diagonals that the board gives, or of those that are found.
    pub fn diagonal_sign(&self, is_found: bool) -> Option<char> {
        let has = |is_down| self.diagonals.get(&is_down).is_some_and(|paint| (*paint == Some(FOUND)) == is_found);
        match (has(true), has(false)) {
            (true, true) => Some('×'),
            (true, false) => Some('\\'),
            (false, true) => Some('/'),
            (false, false) => None,
        }
    }
}

impl Grid {
    pub fn cell(&mut self, place: Coord) -> &mut CellContent {
        self.cells.entry(place).or_default()
    }

    pub fn is_empty(&self) -> bool {
        *self == Grid { lattice: self.lattice, ..Grid::default() }
    }

    /// Returns the number of elements to draw.
    pub fn size(&self) -> usize {
        self.cells.len()
            + self.borders.len()
            + self.edges.len()
            + self.lines.len()
            + self.between.len()
            + self.cages.len()
    }

    /// Returns the number of rows or columns that the texts on `sides` need.
    pub fn texts_on(&self, sides: [Side; 2]) -> usize {
        let last = |side: Side| {
            let on_side = self.around.iter().filter(|((other, _), _)| *other == side);
            on_side.filter_map(|(_, texts)| texts.last_key_value()).map(|(&last, _)| last as usize).max().unwrap_or(0)
        };
        sides.into_iter().map(last).sum()
    }

    /// Adds the contents of `other`.
    pub fn with(mut self, other: &Grid) -> Grid {
        for (&place, cell) in &other.cells {
            let content = self.cell(place);
            content.fill = cell.fill.or(content.fill);
            content.given.extend(cell.given.iter().cloned());
            content.found.extend(cell.found.iter().cloned());
            content.symbols.extend(&cell.symbols);
            content.diagonals.extend(&cell.diagonals);
            for (&corner, texts) in &cell.corners {
                content.corners.entry(corner).or_default().extend(texts.iter().cloned());
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
            let content = self.around.entry(place).or_default();
            for (&number, texts) in texts {
                content.entry(number).or_default().extend(texts.iter().cloned());
            }
        }
        self.captions.extend(other.captions.iter().cloned());
        self
    }

    /// Returns the part of this grid that `other` may change: the cells with contents or lines in
    /// `other`, and their borders.
    pub fn neighbourhood(&self, other: &Grid) -> Grid {
        let segments = other.borders.keys().chain(other.edges.keys()).flat_map(|segment| self.lattice.cells(*segment));
        let lines = other.lines.keys().flat_map(|segment| [segment.from, segment.to()]);
        let near: BTreeSet<Coord> = other.cells.keys().copied().chain(segments).chain(lines).collect();
        let cells = near.iter().filter_map(|place| Some((*place, self.cells.get(place)?.clone()))).collect();
        let sides = near.iter().flat_map(|&place| self.lattice.sides(place));
        let borders = sides.filter_map(|segment| Some((segment, *self.borders.get(&segment)?))).collect();
        Grid { lattice: self.lattice, cells, borders, ..Grid::default() }
    }

    /// Returns the border of a side of a cell. A thin border between different cages becomes
    /// dashed.
    pub fn border(&self, segment: Segment) -> Border {
        let [first, second] = self.lattice.cells(segment).map(|cell| self.cages.get(&cell));
        match self.plain_border(segment) {
            Border::Thin if first != second => Border::Dashed,
            border => border,
        }
    }

    /// Returns the border that is drawn on a side. If none is drawn, the border is thin next to a
    /// cell.
    fn plain_border(&self, segment: Segment) -> Border {
        let is_at_cell = || self.lattice.cells(segment).iter().any(|cell| self.cells.contains_key(cell));
        self.borders.get(&segment).copied().unwrap_or_else(|| if is_at_cell() { Border::Thin } else { Border::None })
    }

    /// Returns the border that is drawn explicitly. The thick outer frame does not count.
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

    /// Returns all visible sides, each with its border.
    pub fn sides(&self) -> BTreeMap<Segment, Border> {
        let segments: BTreeSet<Segment> = self.cell_sides().chain(self.borders.keys().copied()).collect();
        let drawn = segments.into_iter().map(|segment| (segment, self.plain_border(segment)));
        drawn.filter(|(_, border)| *border != Border::None).collect()
    }

    /// Adds an outer frame, as [`Grid::add_frame`], if some border is thick.
    pub fn frame_if_thick(&mut self) {
        if self.has_thick_border() {
            self.add_frame();
        }
    }

    /// Returns true if some border is thick, in whichever colour.
    pub fn has_thick_border(&self) -> bool {
        self.borders.values().any(|&border| border >= Border::Found)
    }

    /// Draws thick borders on the outer sides on which no border is drawn.
    pub fn add_frame(&mut self) {
        let outer: Vec<Segment> = self.cell_sides().filter(|segment| self.is_outer(segment)).collect();
        for segment in outer {
            self.borders.entry(segment).or_insert(Border::Thick);
        }
    }

    /// Returns the bounding box of all cells, or `None` if there are none.
    pub fn cell_extent(&self) -> Option<Extent> {
        self.cells.keys().copied().map(Extent::of_cell).reduce(Extent::with)
    }

    /// Returns the bounding box of the steps of lines that begin and end outside `cells`, if there
    /// are any.
    pub fn line_extent_outside(&self, cells: Extent) -> Option<Extent> {
        let steps = self.lines.keys().map(|segment| [segment.from, segment.to()]);
        let outside = steps.filter(|ends| ends.iter().all(|&end| !cells.contains(end))).flatten();
        outside.map(Extent::of_cell).reduce(Extent::with)
    }

    /// Returns the bounding box of all cells, lines, edges and borders, and of the rows and columns
    /// with texts around them; `None` if there is nothing. Lines that lead out of `board` do not
    /// enlarge it.
    pub fn extent(&self, board: Option<Extent>) -> Option<Extent> {
        let lines = self.lines.keys().filter(|segment| segment.exit(board).is_none());
        let lines = lines.flat_map(|segment| [segment.from, segment.to()]);
        let cells = self.cells.keys().copied().chain(lines);
        let cells = cells.map(|(row, column)| ((row, column), (row + 1, column + 1)));
        let corners = self.edges.keys().chain(self.borders.keys());
        // On other lattices, sides are identified by pairs of cells, one of which may lie outside.
        let corners =
            corners.filter(|_| self.lattice == Lattice::Squares).flat_map(|segment| [segment.from, segment.to()]);
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
