//! Puzzles from Rust, without the command: the same run, read, solved, checked and vouched for, as values.

use serde_json::Value;

use super::{Known, Puzzle, Query, Request, Rules, engine_named, engine_of, not_vouched_for, rules_of, solve_checked};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::picture::Picture;
use crate::report::Style;
use crate::stop::Stop;

/// Solves an instance, written as the command reads it, with the puzzle's usual engine and no limit.
///
/// ```
/// use asp_solve::{Taquin, solve};
///
/// let solved = solve(Taquin, "1 2 3\n4 5 6\n. 7 8")?;
/// assert_eq!(solved.answers[0].0.len(), 2);
/// assert!(solved.complete, "no solution is shorter");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// What is wrong with the instance, with its line and column; or an answer that did not pass its check, which is a defect of
/// an engine.
pub fn solve<P: Puzzle>(puzzle: P, instance: &str) -> Result<Solved<P>, Failure> {
    Solve::new(puzzle).run(instance)
}

/// A run that is yet to begin, with all that can be asked of it.
///
/// ```
/// use asp_solve::{Rail, Solve};
///
/// let mine = "start(a). target(z). final_node(y). color(a,red). rel(a,1,y). rel(a,2,z).";
/// let mut run = Solve::new(Rail);
/// run.request.engine = Some("simulation".to_owned());
/// run.request.models = Some(0);
/// let solved = run.run(mine)?;
/// assert_eq!(solved.json()["answers"][0]["configuration"], "2");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
pub struct Solve<P: Puzzle> {
    puzzle: P,
    /// Those that only this puzzle has.
    pub options: P::Options,
    /// Engine, number of answers, limits, encodings (none named: those that ship, from inside the library).
    pub request: Request,
    /// [`Stop::request`], from whatever thread, ends the run with what is known by then.
    pub stop: Stop,
}

impl<P: Puzzle> Solve<P> {
    pub fn new(puzzle: P) -> Self {
        Solve { puzzle, options: P::Options::default(), request: Request::default(), stop: Stop::new() }
    }

    /// Reads the instance, solves it, checks each answer and vouches for the rest.
    pub fn run(mut self, instance: &str) -> Result<Solved<P>, Failure> {
        let about = self.puzzle.about();
        let documents = [Document::from_bytes("instance".to_owned(), None, instance.as_bytes().to_vec())];
        if let ([], Some(usual)) = (&self.request.encodings[..], about.encodings.first()) {
            let inside = usual.files.iter().map(|file| Document::in_memory(file.path, file.text));
            self.request.encodings = inside.collect();
        }
        let (puzzle, request) = (self.puzzle, &self.request);
        let asked = request.engine.as_deref().map(|name| engine_named::<P>(about.name, name)).transpose()?;
        let rules = rules_of(puzzle, asked, request, &documents)?;
        let query = Query { documents: &documents, request, options: &self.options, rules: &rules, stop: &self.stop };
        let board = puzzle.parse(&query)?;
        let engine = engine_of(puzzle, asked, &board, &query)?;
        let mut answers = Vec::new();
        let ending = solve_checked(puzzle, &board, engine, &query, |answer| answers.push(answer))?;
        puzzle.sort(&mut answers);
        let (verdict, complete) = (ending.verdict, ending.complete);
        let asks_unique = self.request.asks_unique;
        let (proof, warnings) = (ending.proof, ending.warnings);
        let stop = self.stop;
        let solved = Solved { puzzle, board, answers, verdict, complete, proof, rules, warnings, asks_unique, stop };
        if solved.rules.are_shipped() {
            puzzle.vouch(&solved.known()).map_err(|error| not_vouched_for(engine, error))?;
        }
        Ok(solved)
    }
}

/// What came of a run.
pub struct Solved<P: Puzzle> {
    puzzle: P,
    /// The instance as it was read.
    pub board: P::Board,
    /// In canonical order; each is checked by the rules, if these are the shipped ones.
    pub answers: Vec<P::Answer>,
    pub verdict: Verdict,
    /// All answers were found, or the optimum is proven.
    pub complete: bool,
    /// What is known besides: counts, a bound, the cause why there is none.
    pub proof: P::Proof,
    pub rules: Rules,
    pub warnings: Vec<Diagnostic>,
    asks_unique: bool,
    stop: Stop,
}

impl<P: Puzzle> Solved<P> {
    fn known(&self) -> Known<'_, P> {
        let Solved { board, answers, proof, rules, stop, .. } = self;
        let (verdict, complete, asks_unique) = (self.verdict, self.complete, self.asks_unique);
        Known { board, answers, verdict, complete, proof, rules, asks_unique, keeps_all: true, stop }
    }

    /// Verdict and answers as the command's `--format json` has them.
    pub fn json(&self) -> Value {
        let answers: Vec<Value> = self.answers.iter().map(|answer| self.puzzle.json(&self.board, answer)).collect();
        serde_json::json!({ "verdict": self.verdict.name(), "complete": self.complete, "answers": answers })
    }

    /// What the command would print for a person.
    pub fn text(&self) -> String {
        self.puzzle.text(&self.known(), &Style::default())
    }

    /// An answer as a picture (`Picture::svg`), or the board alone; `None` where the puzzle cannot be drawn.
    ///
    /// # Errors
    /// A layout that somebody asked for and that cannot be had.
    pub fn picture(&self, answer: Option<&P::Answer>) -> Result<Option<Picture>, Failure> {
        self.puzzle.draw(&self.known(), answer)
    }
}
