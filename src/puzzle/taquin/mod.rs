//! The taquin: tiles in a frame with one free cell, to be slid into order in the fewest moves.
//!
//! ```
//! use asp_solve::{Taquin, solve};
//!
//! let solved = solve(Taquin, "8 6 7\n2 5 4\n3 . 1")?;
//! let way = &solved.answers()[0];
//! assert_eq!((way.0.len(), solved.complete()), (31, true));
//! assert_eq!(solved.board().letters(&way.0).len(), 31);
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `board.rs` | a board as it is written, and what can be wrong with one |
//! | `shape.rs` | the frame, and boards packed in a word |
//! | `space.rs` | the taquin as a space to search |
//! | `automaton.rs` | sequences of moves that need not be followed |
//! | `manhattan.rs`, `linear_conflict.rs` | heuristics that are reckoned out |
//! | `pattern.rs` | pattern databases; `additive.rs`: the heuristic over them; `tables.rs`: which, and from where |
//! | `pages.rs` | large tables in large pages |
//! | `solve.rs` | which search, with which heuristic |
//! | `grounded.rs` | the engine `asp` |
//! | `generate.rs` | `asp-solve generate taquin` |
//! | `text.rs` | the output for a person |
//! | `played.rs` | the taquin in play |
//! | `why.rs` | why there is no solution |

mod additive;
#[cfg(test)]
mod admissible;
mod automaton;
mod board;
mod generate;
mod grounded;
mod linear_conflict;
mod manhattan;
mod pages;
mod pattern;
mod played;
mod shape;
mod solve;
mod space;
mod tables;
mod text;
mod why;

use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{About, Because, Encoding, Found, Puzzle, Readers, Role, Solved, native, reasons, rules};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::picture::Picture;
use crate::played::Game;
use crate::puzzle::Tool;
use crate::puzzle::playing::Walk;
use crate::report::{Format, Style};
use crate::search::{Conclusion, Visit};
use crate::why::{Question, Told};
pub use board::{Board, Goal};
pub use tables::Size;

#[derive(Debug, Clone, Copy)]
pub struct Taquin;

const SLIDING: Encoding = Encoding { name: "sliding", files: &[rules::shipped!("taquin/sliding.lp")] };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for taquin")]
pub struct Options {
    /// The lower bound that guides the search
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    pub heuristic: Heuristic,
    /// How large the pattern databases may be
    #[arg(long, value_name = "SIZE", value_enum, default_value_t)]
    pub tables: Size,
    /// The goal: free-first, free-last, or a board in one line such as "1 2 3/8 . 4/7 6 5"
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<Goal>,
    /// Find a good solution quickly, and prove how far from the shortest it can be at most
    #[arg(long)]
    pub quick: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Heuristic {
    /// The best one for the board
    #[default]
    Auto,
    Manhattan,
    LinearConflict,
    /// Additive pattern databases
    Pdb,
}

/// The cells whose tiles go to the free cell, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way(pub Vec<u16>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Idastar,
    Astar,
    Ids,
    Bfs,
    /// clingo, move by move
    Asp,
}

impl Puzzle for Taquin {
    type Options = Options;
    type Engine = Engine;
    type Board = Board;
    type Answer = Way;
    type Proof = native::Proof;

    fn about(&self) -> About {
        About {
            name: "taquin",
            summary: "the 15-puzzle and its kin: slide the tiles into order in the fewest moves",
            input: "rows of numbers, one free cell (0, ., _ or x)",
            more: &[],
            example: "echo '8 6 7 / 2 5 4 / 3 . 1' | asp-solve -",
            encodings: &[SLIDING],
            facts: &[],
            has_options_for_answer_sets: false,
            fits_a_line: true,
            pictures: &[Format::Svg, Format::Html],
            read_by: &[
                ("heuristic", Readers::Engines(&["idastar", "astar"])),
                ("tables", Readers::Engines(&["idastar", "astar"])),
                ("depth_limit", Readers::Engines(&["idastar", "astar", "ids", "bfs", "asp"])),
                ("node_limit", Readers::Engines(&["idastar", "astar", "ids", "bfs"])),
                ("threads", Readers::Engines(&["idastar", "asp"])),
                ("const", Readers::Engines(&["asp"])),
            ],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let is_board = document.notation() != Notation::Dot && board::looks_like_a_board(&document.text);
        if is_board { Role::Instance } else { Role::Neither }
    }

    fn resembles(&self, document: &Document) -> f64 {
        board::share_of_cells(&document.text)
    }

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        let document = super::only_document("taquin", job)?;
        Board::parse(document, job.options::<Options>().goal.as_ref())
    }

    fn program(&self, board: &Board, job: &Job) -> Result<asp::Program, Failure> {
        Ok(grounded::program(board, &job.encodings))
    }

    fn solve(
        &self,
        board: &Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Way>,
    ) -> Result<Ending<native::Proof>, Failure> {
        if let (Some(cause), true) = (why::cause(board), job.rules.are_shipped()) {
            let mut ending = Ending::of(Verdict::Impossible, true);
            let other = board.free_first().filter(|other| why::cause(other).is_none());
            let because = Some(Because { parts: cause.parts(board), is_smallest: true });
            ending.proof = native::Proof { cause: Some(cause.summary()), because, ..native::Proof::default() };
            ending.proof.solvable_to = other.map(|_| "free-first");
            return Ok(ending);
        }
        if job.options::<Options>().quick && engine != Engine::Idastar {
            return Err(Diagnostic::error("--quick is a search of its own; it goes with no other engine").into());
        }
        if engine == Engine::Asp || job.options::<Options>().quick {
            let means = if job.options::<Options>().quick { "--quick" } else { "the engine asp" };
            native::finds_one(job, means, "idastar")?;
        }
        let Options { heuristic, tables, quick, .. } = &*job.options::<Options>();
        let has_tables = *heuristic == Heuristic::Pdb || *heuristic == Heuristic::Auto && !*quick;
        if *tables != Size::default() && !has_tables {
            return Err(Diagnostic::error("--tables: it goes with --heuristic pdb").into());
        }
        if *quick && job.settings.threads.is_some_and(|threads| threads > 1) {
            return Err(Diagnostic::error("--threads: --quick has one").into());
        }
        if engine == Engine::Asp {
            let mut ending = grounded::solve(board, job, found)?;
            if ending.complete && job.rules.are_shipped() {
                self.confirm(board, job, &mut ending)?;
            }
            return Ok(ending);
        }
        let (searched, heuristic, warnings) = solve::solve(board, engine, job)?;
        let all = |cost, limits: &_, visit: Visit<'_, u16>| solve::all(board, engine, job, (cost, limits), visit);
        let way = |cells| Ok(Way(cells));
        let mut ending = native::finish_all(searched, 0, job, all, &solve::limits(job), way, found)?;
        ending.statistics["heuristic"] = json!(heuristic);
        ending.warnings = warnings;
        Ok(ending)
    }

    fn check(&self, board: &Board, way: &Way) -> Result<(), String> {
        let (mut tiles, mut free) = (board.tiles.clone(), board.free());
        for (step, &cell) in way.0.iter().enumerate() {
            let cell = usize::from(cell);
            if cell >= tiles.len() || board.shape.distance(free, cell) != 1 {
                return Err(format!("step {}: cell {cell} is not next to the free cell {free}", step + 1));
            }
            tiles.swap(std::mem::replace(&mut free, cell), cell);
        }
        match tiles.iter().enumerate().find(|&(cell, &tile)| usize::from(tile) != cell) {
            Some((cell, _)) => Err(format!("in the end cell {cell} has not the tile that belongs there")),
            None => Ok(()),
        }
    }

    /// No way is shorter than the tiles are far from home, and all ways are even, or all are odd: pairs of tiles in the wrong
    /// order are counted, where the solver follows the cycles of the permutation.
    fn vouch(&self, known: &Solved<Self>) -> Result<(), String> {
        let Board { shape, tiles, .. } = known.board();
        let length = known.answers.first().map(|way| way.0.len() as u64);
        let differ = |pair: &[Way]| pair[0] != pair[1] && pair[0].0.len() == pair[1].0.len();
        known.proof().vouch(length, known.complete, known.answers.windows(2).all(differ))?;
        let tile_at = |cell: usize| usize::from(tiles[cell]);
        let cells = 0..tiles.len();
        let steps = |cell: usize, other: usize| {
            let (row, column) = (cell / shape.columns, cell % shape.columns);
            row.abs_diff(other / shape.columns) + column.abs_diff(other % shape.columns)
        };
        let far: usize =
            cells.clone().filter(|&cell| tile_at(cell) != shape.home).map(|cell| steps(cell, tile_at(cell))).sum();
        let inversions = cells.clone().flat_map(|cell| (0..cell).map(move |before| (before, cell)));
        let inversions = inversions.filter(|&(before, cell)| tile_at(before) > tile_at(cell)).count();
        let free = known.board().free();
        let fits = (inversions + steps(free, shape.home)).is_multiple_of(2);
        let is_line = shape.rows == 1 || shape.columns == 1;
        match length {
            Some(length) if length < far as u64 => Err(format!("the tiles are {far} steps from home")),
            Some(length) if length % 2 != steps(free, shape.home) as u64 % 2 => {
                Err("the free cell cannot come home in so many moves".to_owned())
            }
            None if known.verdict == Verdict::Impossible && fits && (!is_line || inversions == 0) => {
                Err("the board is said to be unsolvable, and its parity is right".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn why(&self, board: &Arc<Board>, job: &Job, question: &Question) -> Result<Option<Told>, Failure> {
        reasons::of_verdict_alone(*self, board, job, question)
    }

    fn game(&self, board: &Arc<Board>, job: &Job) -> Result<Option<Box<dyn Game>>, Failure> {
        let start = played::Slid { board: Board::clone(board), moves: 0 };
        Ok(Some(Box::new(Walk::new(start, job))))
    }

    fn because<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Because> {
        known.proof().because.as_ref()
    }

    fn sort(&self, ways: &mut [Way]) {
        ways.sort_by(|way, other| way.0.cmp(&other.0));
    }

    fn json(&self, board: &Board, way: &Way) -> Value {
        json!({ "length": way.0.len(), "moves": board.letters(&way.0) })
    }

    fn text(&self, known: &Solved<Self>, style: &Style) -> String {
        text::page(known, style)
    }

    fn draw(&self, known: &Solved<Self>, way: Option<&Way>) -> Result<Option<Picture>, Failure> {
        Ok(Some(text::picture(known.board(), way.unwrap_or(&Way(Vec::new())))))
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&generate::Generate]
    }
}

impl Taquin {
    /// What clingo alone says is not proven before the native search agrees.
    fn confirm(&self, board: &Board, job: &Job, ending: &mut Ending<native::Proof>) -> Result<(), Failure> {
        let (searched, ..) = solve::solve(board, Engine::Idastar, job)?;
        match searched.outcome {
            Conclusion::Solved(plan) if Some(u64::from(plan.cost)) == ending.proof.lower_bound => {}
            Conclusion::GaveUp(_) => {
                ending.complete = false;
                ending.proof.lower_bound = Some(searched.lower_bound.into());
            }
            _ => {
                let text = "the engines asp and idastar do not agree on the length of the shortest solution";
                return Err(Diagnostic::error(text).into());
            }
        }
        Ok(())
    }
}
