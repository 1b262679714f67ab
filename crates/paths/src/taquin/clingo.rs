//! The engine `asp`: clingo searches for a solution of 0 moves, then 1, then 2, ….

use asp::{AnswerAtoms, AtomError, Term};
use base::diagnostic::Failure;
use base::document::Document;
use base::sorting;
use puzzle::ClingoProgram;
use puzzle::job::Job;
use puzzle::one_player::PlanProgram;

use super::board::Board;
use super::options::Taquin;

impl ClingoProgram<Taquin> for Taquin {
    /// Returns the program: the instance as facts, and the encodings.
    fn program(&self, board: &Board, job: &Job) -> Result<asp::Program, Failure> {
        let columns = board.shape.columns;
        let mut facts = Vec::new();
        for (cell, &tile) in board.tiles.iter().enumerate() {
            let (tile, at) = (usize::from(tile), [cell / columns, cell % columns]);
            if tile == board.shape.home {
                facts.extend(asp::fact("free", &at));
            } else {
                facts.extend(asp::fact("tile", &[tile, at[0], at[1]]));
                facts.extend(asp::fact("goal", &[tile, tile / columns, tile % columns]));
            }
        }
        let mut encoding = job.sources.encodings.clone();
        // The solver runs a program incrementally if it includes this.
        encoding.push(Document::in_memory("<steps>", "#include <incmode>.\n"));
        Ok(asp::Program { encoding, facts, ..asp::Program::default() })
    }
}

impl PlanProgram<Taquin> for Taquin {
    fn has_steps(&self) -> bool {
        true
    }

    /// Reads the moves of an answer: the cell whose tile slides in each step.
    fn read_moves(&self, board: &Board, atoms: &AnswerAtoms) -> Result<Vec<u16>, AtomError> {
        let mut rows = atoms.rows::<3>("slide", "slide(Row, Column, Step)")?;
        sorting::sort_by_key(&mut rows, |row| row[2].number());
        if let Some((step, _)) = (1..).zip(&rows).find(|(step, row)| row[2].number() != Some(*step)) {
            return Err(AtomError(format!("expected one tile to slide in step {step}")));
        }
        let columns = board.shape.columns;
        let cell = |[row, column, step]: &[Term; 3]| {
            let number = |term: &Term, most: usize| {
                term.number().and_then(|number| usize::try_from(number).ok()).filter(|&number| number < most)
            };
            let cell = number(row, board.shape.rows).zip(number(column, columns));
            let off_board =
                || AtomError(format!("slide({},{},{}) is not on the board", row.text(), column.text(), step.text()));
            cell.map(|(row, column)| (row * columns + column) as u16).ok_or_else(off_board)
        };
        rows.iter().map(cell).collect()
    }
}
