//! The parts of a drawing that can be clicked, and their positions.

use super::grid::{CellContent, Grid, Segment, Coord};
use super::image;
use super::lattice::{CELL, Lattice, corner};
use super::read;
use crate::asp::{self, signature_of};
use crate::picture::Point;

/// A clickable part of a grid. Later ones lie on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    Cell(Coord),
    /// Between the centres of two cells.
    Line(Coord, Coord),
    /// Between two corners of squares, or between two other cells.
    Edge(Coord, Coord),
}

/// The significance of a drawing element for the spot where it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpotWeight {
    /// The cell exists.
    Ground,
    /// A border of cells.
    Border,
    /// A colour of a cell, perhaps one of many.
    Fill,
    /// A text, a symbol or a line.
    Figure,
}

/// Relative to the cell width: the free ends of a clickable band, and its width, which must suit a
/// finger.
const BAND_INSET: f64 = 0.2;
const BAND_WIDTH: f64 = 0.45;

impl Spot {
    /// Returns the spots of an atom `draw(Thing)`, if there are any.
    pub fn of_atom(atom: asp::Symbol, lattice: Lattice) -> Option<(SpotWeight, Vec<Spot>)> {
        signature_of(atom).filter(|signature| matches!(signature, ("draw", 1 | 2)))?;
        let mut grid = Grid { lattice, ..Grid::default() };
        read::read_atom(atom, |_| &mut grid).ok()?;
        let is_figure =
            |cell: &CellContent| cell.texts().next().is_some() || !cell.symbols.is_empty() || cell.corner_text().is_some();
        let weight = match grid.cells.values().next() {
            Some(cell) if is_figure(cell) => SpotWeight::Figure,
            Some(cell) if cell.fill.is_some() => SpotWeight::Fill,
            Some(_) => SpotWeight::Ground,
            None if !grid.borders.is_empty() => SpotWeight::Border,
            None => SpotWeight::Figure,
        };
        let runs = |halves: Vec<Segment>| image::runs(lattice, halves);
        let lines = runs(grid.lines.keys().copied().collect()).into_iter().map(|(from, to)| Spot::Line(from, to));
        let sides = grid.edges.keys().chain(grid.borders.keys()).copied();
        let edges = runs(sides.collect()).into_iter().map(|(from, to)| Spot::Edge(from, to));
        let spots: Vec<Spot> = grid.cells.keys().map(|&place| Spot::Cell(place)).chain(lines).chain(edges).collect();
        (!spots.is_empty()).then_some((weight, spots))
    }

    /// The upper left corner, width and height, in the units of the picture.
    pub fn bounds(self, lattice: Lattice) -> [f64; 4] {
        let Some([from, to]) = self.ends(lattice) else {
            let Spot::Cell(place) = self else { return [0.0; 4] };
            let outline = lattice.outline(place, 0.0).into_iter();
            let [low, high]: [fn(f64, f64) -> f64; 2] = [f64::min, f64::max];
            let [first, end] = [low, high].map(|pick| {
                outline.clone().reduce(|one, other| (pick(one.0, other.0), pick(one.1, other.1))).unwrap_or_default()
            });
            return [first.0, first.1, end.0 - first.0, end.1 - first.1];
        };
        let (along, across) = (CELL * BAND_INSET, CELL * BAND_WIDTH / 2.0);
        let (x, y) = match (from.1 == to.1, from.0 == to.0) {
            (true, _) => (-along, across),
            (_, true) => (across, -along),
            // Diagonals get a square around their centre.
            _ => (across - (from.0 - to.0).abs() / 2.0, across - (from.1 - to.1).abs() / 2.0),
        };
        let (left, top) = (from.0.min(to.0), from.1.min(to.1));
        [left - x, top - y, (to.0 - from.0).abs() + 2.0 * x, (to.1 - from.1).abs() + 2.0 * y]
    }

    /// The ends of a line or an edge, in the units of the picture.
    pub fn ends(self, lattice: Lattice) -> Option<[Point; 2]> {
        match self {
            Spot::Cell(_) => None,
            Spot::Line(from, to) => Some([lattice.middle(from), lattice.middle(to)]),
            Spot::Edge(from, to) if lattice == Lattice::Squares => Some([corner(from), corner(to)]),
            Spot::Edge(from, to) => Segment::between(from, to).map(|side| lattice.ends(side)),
        }
    }

    pub fn words(self) -> String {
        let cell = |(row, column): Coord| format!("row {row}, column {column}");
        match self {
            Spot::Cell(place) => cell(place),
            Spot::Line(from, to) => format!("from {} to {}", cell(from), cell(to)),
            Spot::Edge((row, column), (end_row, end_column)) => {
                format!("from corner ({row},{column}) to corner ({end_row},{end_column})")
            }
        }
    }
}
