//! Text of generated boards of one-player puzzles, with their proven properties.

use super::one_player::{OnePlayer, Plan};
use super::{Puzzle, ToolOutput};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::stop::StopReason;

/// A board with an optimal plan.
pub struct GeneratedBoard<'a, P: OnePlayer> {
    pub puzzle: P,
    pub board: &'a P::Board,
    pub plan: &'a Plan<P::Move>,
    /// "A taquin of 4 rows and 4 columns"
    pub what: String,
    /// "Its shortest solution has 50 moves: proven by IDA*"
    pub proven: String,
    /// The lines of the plan, if requested.
    pub solution: Vec<String>,
    pub lines: Vec<String>,
}

impl<P: OnePlayer> GeneratedBoard<'_, P> {
    /// Replays the plan and formats the board. `lack` is the unmet requirement, with the reason why
    /// the search for a better board ended.
    pub fn output(&self, seed: u64, lack: Option<(String, StopReason)>) -> Result<ToolOutput, Failure> {
        let wrong = |error| Diagnostic::error(Code::RejectedAnswer, format!("the solution that was made: {error}"));
        self.puzzle.check_answer(self.board, self.plan).map_err(wrong)?;
        let what = format!("{}. Made at random, seed {seed}.", self.what);
        let not = lack.iter().map(|(lack, _)| format!("NOT AS REQUESTED: {lack}."));
        let comments = [what, format!("{}, and replayed.", self.proven)].into_iter().chain(not);
        let comments = comments.chain(self.solution.iter().cloned()).map(|line| format!("% {line}\n"));
        let text = comments.chain(self.lines.iter().map(|line| format!("{line}\n"))).collect();
        Ok(match lack {
            Some((lack, reason)) => ToolOutput::incomplete(&lack, text, reason),
            None => ToolOutput::solved(text),
        })
    }
}
