//! Reads a board from its image, and checks it against the rules.

use screen::Image;

use super::super::count::Budget;
use super::super::grid::{Cell, Grid};
use super::super::obvious;
use super::super::position::KnownPosition;
use super::super::probability::has_layout;
use super::calibrate::Lattice;
use super::skin::{Sign, Skin, Thumbnail};

/// A reader of successive images of a board. Only cells whose pixels have changed are recognized
/// again.
pub struct Reader {
    pub lattice: Lattice,
    last: Option<Image>,
    /// The sign of each cell, including the wall; `None` if the cell matches no sprite.
    pub signs: Vec<Option<Sign>>,
}

impl Reader {
    pub fn new(lattice: Lattice) -> Self {
        Reader { lattice, last: None, signs: vec![None; lattice.grid.extent()] }
    }

    /// Reads the cells whose pixels differ from the last image. Returns true if there are any.
    pub fn read(&mut self, image: Image, skin: &Skin) -> bool {
        let lattice = self.lattice.relative_to_board();
        let mut has_changed = false;
        for cell in lattice.grid.cells() {
            let at = lattice.cell(cell);
            if !self.last.as_ref().is_some_and(|last| last.part_equals(&image, at)) {
                self.signs[cell] = skin.sign(&Thumbnail::of(&image, at));
                has_changed = true;
            }
        }
        self.last = Some(image);
        has_changed
    }

    pub fn has(&self, sign: Sign) -> bool {
        self.signs.contains(&Some(sign))
    }

    /// Formats the board as text, with a line for each row.
    pub fn text(&self) -> String {
        let grid = self.lattice.grid;
        let sign = |cell: usize| self.signs[cell].map_or("_".to_owned(), |sign| sign.to_string());
        let row = |row: usize| (0..grid.columns).map(|column| sign(grid.cell(row, column))).collect::<String>() + "\n";
        (0..grid.rows).map(row).collect()
    }

    /// Returns the position of the open cells, with a total of `mines`.
    pub fn position(&self, mines: usize) -> KnownPosition {
        let mut position = KnownPosition::closed(self.lattice.grid, Some(mines));
        for cell in self.lattice.grid.cells() {
            if let Some(Sign::Open(number)) = self.signs[cell] {
                position.cells[cell] = Cell::Open(number);
            }
        }
        position
    }

    /// Describes why the board is impossible given the cells of `known`, or returns `None` if it is
    /// possible.
    pub fn contradiction(&self, known: &KnownPosition, budget: &Budget) -> Option<String> {
        let grid = self.lattice.grid;
        for cell in grid.cells() {
            let Some(sign) = self.signs[cell] else {
                return Some(format!("{} matches no sprite of the skin", describe_cell(grid, cell)));
            };
            match (known.cells[cell], sign) {
                (Cell::Open(old), sign) if sign != Sign::Open(old) => {
                    return Some(format!("{} showed {old} and now shows {sign}", describe_cell(grid, cell)));
                }
                (Cell::Mine, Sign::Open(number)) => {
                    return Some(format!("{} shows {number} but must be a mine", describe_cell(grid, cell)));
                }
                (Cell::Safe, Sign::Mine | Sign::Exploded) => {
                    return Some(format!("{} shows a mine but must be safe", describe_cell(grid, cell)));
                }
                _ => {}
            }
        }
        let mut position = self.position(known.mines.unwrap_or_default());
        let is_closed = |&neighbor: &usize| position.cells[neighbor] == Cell::Closed;
        let is_inconsistent_zero =
            |&cell: &usize| position.cells[cell] == Cell::Open(0) && position.around(cell).iter().any(is_closed);
        if let Some(cell) = grid.cells().find(is_inconsistent_zero) {
            return Some(format!("{} shows 0, but cells around it are closed", describe_cell(grid, cell)));
        }
        // Shown mines are known; further closed cells may be mines as well.
        for cell in grid.cells() {
            if matches!(self.signs[cell], Some(Sign::Mine | Sign::Exploded)) {
                position.cells[cell] = Cell::Mine;
            }
        }
        let closed = position.count(Cell::Closed) + position.count(Cell::Mine);
        let mines = known.mines.unwrap_or_default();
        if closed < mines || position.count(Cell::Mine) > mines {
            return Some(format!(
                "{mines} mines do not fit {closed} closed cells, {} of them mines",
                position.count(Cell::Mine)
            ));
        }
        if let Err(contradiction) = obvious::mark_all(&mut position, |_| {}) {
            return Some(format!("the number at {} is impossible", describe_cell(grid, contradiction.numbers[0])));
        }
        let fits = has_layout(position, budget).unwrap_or(true);
        (!fits).then(|| format!("no layout of {mines} mines fits the numbers"))
    }
}

/// Returns "row 3, column 4", counted from 1.
pub fn describe_cell(grid: Grid, cell: usize) -> String {
    let [row, column] = grid.place(cell).map(|at| at + 1);
    format!("row {row}, column {column}")
}
