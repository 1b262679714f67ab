//! Results of generators, and the text of generated boards of one-player puzzles with their proven
//! properties.

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::StopReason;

use super::api::Puzzle;
use super::one_player::{OnePlayer, Plan};
use super::tool::ToolOutput;

/// The result of a search for something that fulfils a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Generated<T> {
    Done(T),
    /// The best one found, and why the search ended before it found one that fulfils the request.
    Best(T, StopReason),
    /// Nothing was found.
    None(StopReason),
}

impl<T> Generated<T> {
    /// Creates the result of a search that ended for `reason` unless the best one found `is_done`.
    pub fn of(best: Option<T>, is_done: impl FnOnce(&T) -> bool, reason: StopReason) -> Self {
        match best {
            Some(best) if is_done(&best) => Generated::Done(best),
            Some(best) => Generated::Best(best, reason),
            None => Generated::None(reason),
        }
    }

    /// Returns the best one found, with the reason if it does not fulfil the request.
    ///
    /// # Errors
    /// Nothing was found: the reason.
    pub fn best(self) -> Result<(T, Option<StopReason>), StopReason> {
        match self {
            Generated::Done(done) => Ok((done, None)),
            Generated::Best(best, reason) => Ok((best, Some(reason))),
            Generated::None(reason) => Err(reason),
        }
    }
}

impl<T> From<Result<T, StopReason>> for Generated<T> {
    fn from(result: Result<T, StopReason>) -> Self {
        result.map_or_else(Generated::None, Generated::Done)
    }
}

/// A board with an optimal plan.
pub struct GeneratedBoard<'a, P: OnePlayer> {
    pub puzzle: &'a P,
    pub board: &'a P::Board,
    pub plan: &'a Plan<P::Move>,
    /// "A taquin of 4 rows and 4 columns"
    pub what: String,
    /// "Its shortest solution has 50 moves (proven by IDA*)"
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
        let comments = [what, format!("{}; the solution was replayed.", self.proven)].into_iter().chain(not);
        let comments = comments.chain(self.solution.iter().cloned()).map(|line| format!("% {line}\n"));
        let text = comments.chain(self.lines.iter().map(|line| format!("{line}\n"))).collect();
        Ok(match lack {
            Some((lack, reason)) => ToolOutput::incomplete(&lack, text, reason),
            None => ToolOutput::solved(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_one_found_comes_with_the_reason_if_it_is_not_as_requested() {
        let of = |best| Generated::of(best, |&number: &i32| number > 5, StopReason::AttemptLimit);
        assert_eq!(of(Some(7)).best(), Ok((7, None)));
        assert_eq!(of(Some(3)).best(), Ok((3, Some(StopReason::AttemptLimit))));
        assert_eq!(of(None).best(), Err(StopReason::AttemptLimit));
        assert_eq!(Generated::<i32>::from(Err(StopReason::TimeLimit)), Generated::None(StopReason::TimeLimit));
    }
}
