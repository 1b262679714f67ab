//! Where the things of a drawing stand, to be pointed at.

use super::grid::{Cell, Grid, Half, Place};
use super::image;
use super::read;
use crate::asp::{self, signature_of};
use crate::picture::Point;

/// A part of a grid that one can point at. Later ones lie above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    Cell(Place),
    /// Between the middles of two cells.
    Line(Place, Place),
    /// Between two corners.
    Edge(Place, Place),
}

/// How much a thing says of the spot where it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// There is a cell.
    Ground,
    /// It frames cells.
    Border,
    /// It colours a cell, perhaps one of many.
    Fill,
    /// A text, a symbol, a line.
    Figure,
}

/// Parts of a cell's width: what a band leaves free at its ends, and how wide it is for a finger.
const END: f64 = 0.2;
const WIDE: f64 = 0.45;

impl Spot {
    /// The spots of an atom `draw(Thing)`, if there are such.
    pub fn of_atom(atom: asp::Symbol) -> Option<(Weight, Vec<Spot>)> {
        signature_of(atom).filter(|signature| matches!(signature, ("draw", 1 | 2)))?;
        let mut grid = Grid::default();
        read::read(atom, |_| &mut grid).ok()?;
        let is_figure =
            |cell: &Cell| cell.texts().next().is_some() || !cell.symbols.is_empty() || cell.in_corners().is_some();
        let weight = match grid.cells.values().next() {
            Some(cell) if is_figure(cell) => Weight::Figure,
            Some(cell) if cell.fill.is_some() => Weight::Fill,
            Some(_) => Weight::Ground,
            None if !grid.borders.is_empty() => Weight::Border,
            None => Weight::Figure,
        };
        let runs = |halves: Vec<Half>| image::runs(halves);
        let lines = runs(grid.lines.keys().copied().collect()).into_iter().map(|(from, to)| Spot::Line(from, to));
        let sides = grid.edges.keys().chain(grid.borders.keys()).copied();
        let edges = runs(sides.collect()).into_iter().map(|(from, to)| Spot::Edge(from, to));
        let spots: Vec<Spot> = grid.cells.keys().map(|&place| Spot::Cell(place)).chain(lines).chain(edges).collect();
        (!spots.is_empty()).then_some((weight, spots))
    }

    /// Left upper corner, width and height, in the units of the picture.
    pub fn at(self) -> [f64; 4] {
        let band = |from: Point, to: Point| {
            let is_across = from.1 == to.1;
            let (along, across) = (image::CELL * END, image::CELL * WIDE / 2.0);
            let (x, y) = if is_across { (-along, across) } else { (across, -along) };
            [from.0 - x, from.1 - y, to.0 - from.0 + 2.0 * x, to.1 - from.1 + 2.0 * y]
        };
        match self {
            Spot::Cell(place) => {
                let (x, y) = image::corner(place);
                [x, y, image::CELL, image::CELL]
            }
            Spot::Line(from, to) => band(image::middle(from), image::middle(to)),
            Spot::Edge(from, to) => band(image::corner(from), image::corner(to)),
        }
    }

    /// Where a line or an edge begins and ends, in the units of the picture.
    pub fn ends(self) -> Option<[Point; 2]> {
        match self {
            Spot::Cell(_) => None,
            Spot::Line(from, to) => Some([image::middle(from), image::middle(to)]),
            Spot::Edge(from, to) => Some([image::corner(from), image::corner(to)]),
        }
    }

    pub fn words(self) -> String {
        let cell = |(row, column): Place| format!("row {row}, column {column}");
        match self {
            Spot::Cell(place) => cell(place),
            Spot::Line(from, to) => format!("from {} to {}", cell(from), cell(to)),
            Spot::Edge((row, column), (end_row, end_column)) => {
                format!("from corner ({row},{column}) to corner ({end_row},{end_column})")
            }
        }
    }
}
