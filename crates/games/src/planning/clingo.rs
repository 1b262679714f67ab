//! The engine `asp`: clingo searches for a solution of 0 moves, then 1, then 2, ….

use asp::{AnswerAtoms, AtomError};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::sorting;
use puzzle::ClingoProgram;
use puzzle::job::Job;
use puzzle::one_player::PlanProgram;

use super::board::{PlanningBoard, PlanningGame};

impl ClingoProgram<PlanningGame> for PlanningGame {
    fn program(&self, board: &PlanningBoard, _: &Job) -> Result<asp::Program, Failure> {
        if board.game.ground.task.actions.iter().any(|action| action.cost != 1) {
            let text = "clingo counts steps, and the moves of this game differ in their costs";
            return Err(Diagnostic::error(Code::Unsupported, text).help("--engine astar takes any game").into());
        }
        Ok(board.game.program.clone())
    }
}

impl PlanProgram<PlanningGame> for PlanningGame {
    fn has_steps(&self) -> bool {
        true
    }

    fn read_moves(&self, board: &PlanningBoard, atoms: &AnswerAtoms) -> Result<Vec<u32>, AtomError> {
        let mut rows = atoms.rows::<2>("occurs", "occurs(Move, Step)")?;
        sorting::sort_by_key(&mut rows, |row| row[1].number());
        if let Some((step, _)) = (1..).zip(&rows).find(|(step, row)| row[1].number() != Some(*step)) {
            return Err(AtomError(format!("step {step} does not have exactly one move")));
        }
        let number = |row: &[asp::Term; 2]| {
            let name = row[0].text();
            let known = (0..board.game.ground.moves.len() as u32).find(|&action| board.move_name(action) == name);
            known.ok_or_else(|| AtomError(format!("{name} is not a move")))
        };
        rows.iter().map(number).collect()
    }
}
