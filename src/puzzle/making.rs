//! Boards of puzzles of one player that were made, as a text with what is proven of them.

use super::one_player::{OnePlayer, Way};
use super::{Done, Puzzle};
use crate::diagnostic::{Diagnostic, Failure};
use crate::stop::Reason;

/// A board, and a best way to its goal.
pub struct Made<'a, P: OnePlayer> {
    pub puzzle: P,
    pub board: &'a P::Board,
    pub way: &'a Way<P::Move>,
    /// "A taquin of 4 rows and 4 columns"
    pub what: String,
    /// "Its shortest solution has 50 moves: proven by IDA*"
    pub proven: String,
    /// The way in lines, where it is wanted.
    pub solution: Vec<String>,
    pub lines: Vec<String>,
}

impl<P: OnePlayer> Made<'_, P> {
    /// Replays the way and writes the board; with what is not as requested, and why there is no better one.
    pub fn told(&self, seed: u64, lack: Option<(String, Reason)>) -> Result<Done, Failure> {
        let wrong = |error| Diagnostic::error(format!("the solution that was made: {error}"));
        self.puzzle.check(self.board, self.way).map_err(wrong)?;
        let what = format!("{}. Made at random, seed {seed}.", self.what);
        let not = lack.iter().map(|(lack, _)| format!("NOT AS REQUESTED: {lack}."));
        let comments = [what, format!("{}, and replayed.", self.proven)].into_iter().chain(not);
        let comments = comments.chain(self.solution.iter().cloned()).map(|line| format!("% {line}\n"));
        let text = comments.chain(self.lines.iter().map(|line| format!("{line}\n"))).collect();
        Ok(match lack {
            Some((lack, reason)) => Done::short_of(&lack, text, reason),
            None => Done::solved(text),
        })
    }
}
