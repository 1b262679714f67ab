//! Finds the parts of a drawing that can be clicked, and their positions.

use asp::signature_of;
use picture::Point;

use super::grid::{CellContent, Grid};
use super::image;
use super::lattice::{CELL, Lattice, corner};
use super::read;
use super::segment::{Coord, Segment};

/// A clickable part of a grid. Later kinds are on top of earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    Cell(Coord),
    /// A line between the centres of two cells.
    Line(Coord, Coord),
    /// An edge between two corners of squares, or the side between two other cells.
    Edge(Coord, Coord),
}

/// The significance of a drawing element for its spot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpotWeight {
    /// The cell itself.
    Ground,
    /// A border of cells.
    Border,
    /// A colour of a cell; the cell may have different colours in different answers.
    Fill,
    /// A text, a symbol or a line.
    Figure,
}

/// Length of each end of a line or edge that is not clickable, relative to the cell width.
const BAND_INSET: f64 = 0.2;
/// Width of the clickable band along a line or edge, relative to the cell width. It is wide enough
/// for a finger.
const BAND_WIDTH: f64 = 0.45;

impl Spot {
    /// Returns the spots of an atom `draw(Thing)` and their weight, if there are any.
    pub fn of_atom(atom: asp::Symbol, lattice: Lattice) -> Option<(SpotWeight, Vec<Spot>)> {
        signature_of(atom).filter(|signature| matches!(signature, ("draw", 1 | 2)))?;
        let mut grid = Grid { lattice, ..Grid::default() };
        read::read_atom(atom, |_| &mut grid).ok()?;
        let is_figure = |cell: &CellContent| {
            cell.texts().next().is_some()
                || !cell.symbols.is_empty()
                || !cell.diagonals.is_empty()
                || cell.corner_text().is_some()
        };
        let weight = match grid.cells.values().next() {
            Some(cell) if is_figure(cell) => SpotWeight::Figure,
            Some(cell) if cell.fill.is_some() => SpotWeight::Fill,
            Some(_) => SpotWeight::Ground,
            None if !grid.borders.is_empty() => SpotWeight::Border,
            None => SpotWeight::Figure,
        };
        let runs = |segments: Vec<Segment>| image::runs(lattice, segments);
        let lines = runs(grid.lines.keys().copied().collect()).into_iter().map(|(from, to)| Spot::Line(from, to));
        let sides = grid.edges.keys().chain(grid.borders.keys()).copied();
        let edges = runs(sides.collect()).into_iter().map(|(from, to)| Spot::Edge(from, to));
        let spots: Vec<Spot> = grid.cells.keys().map(|&place| Spot::Cell(place)).chain(lines).chain(edges).collect();
        (!spots.is_empty()).then_some((weight, spots))
    }

    /// Returns the left, the top, the width and the height of the clickable area, in the units of
    /// the picture.
    pub fn bounds(self, lattice: Lattice) -> [f64; 4] {
        let Some([from, to]) = self.ends(lattice) else {
            let Spot::Cell(place) = self else { return [0.0; 4] };
            let outline = lattice.outline(place, 0.0).into_iter();
            let [low, high]: [fn(f64, f64) -> f64; 2] = [f64::min, f64::max];
            let [first, end] = [low, high]
                .map(|pick| outline.clone().reduce(|a, b| (pick(a.0, b.0), pick(a.1, b.1))).unwrap_or_default());
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

    /// Returns the ends of a line or an edge, in the units of the picture.
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
