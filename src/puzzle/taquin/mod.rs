//! Sliding-tile puzzles such as the 15-puzzle: tiles in a frame with one free cell, to be slid into
//! order in the fewest moves.
//!
//! ```
//! use asp_solve::{Taquin, solve};
//!
//! let solved = solve(Taquin, "8 6 7\n2 5 4\n3 . 1")?;
//! let plan = &solved.answers()[0];
//! assert_eq!((plan.0.len(), solved.complete()), (31, true));
//! assert_eq!(solved.board().letters(&plan.0).len(), 31);
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! | file | content |
//! |---|---|
//! | `puzzle.rs` | the puzzle's type and its options |
//! | `board.rs` | the text formats of a board and their errors |
//! | `shape.rs` | the frame, and boards packed in a word |
//! | `space.rs` | the search space |
//! | `automaton.rs` | the automaton that prunes redundant move sequences |
//! | `manhattan.rs`, `linear_conflict.rs` | heuristics computed per state (no tables) |
//! | `pattern.rs`, `additive.rs` | pattern databases, and the additive heuristic over them |
//! | `tables.rs` | the choice of pattern databases, and their loading |
//! | `pages.rs` | large tables in large memory pages |
//! | `solve.rs` | the choice of search and heuristic |
//! | `clingo.rs` | the engine `asp` |
//! | `generate.rs`, `split.rs` | `asp-solve generate taquin`, `asp-solve split` |
//! | `text.rs` | text output and pictures |
//! | `why.rs` | the explanation of boards without a solution |

mod additive;
#[cfg(test)]
mod admissible;
mod automaton;
mod board;
mod clingo;
mod generate;
mod linear_conflict;
mod manhattan;
mod pages;
mod pattern;
mod puzzle;
mod shape;
mod solve;
mod space;
mod split;
mod tables;
mod text;
mod why;

use serde_json::{Value, json};

use super::native::{self, PathProof};
use super::one_player::{
    ChooseMove, DrawPlan, ExplainBoard, OnePlayer, Piece, Plan, PlanBounds, PlanCapabilities, PlanProgram, PlanWords,
};
use super::{
    About, AnswerSink, ClingoProgram, Describe, Encoding, OpenBoard, OptionReaders, Role, RunResult, UnsolvableCause,
    engines, rules,
};
use crate::asp::{self, AnswerAtoms, AtomError};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{SearchEnd, Verdict};
use crate::job::Job;
use crate::picture::Picture;
use crate::play;
use crate::report::{Format, Style};
use crate::search::PlanVisitor;
pub use board::{Board, Goal};
use puzzle::heuristic_of;
pub use puzzle::{Options, Taquin, TaquinEngine, TaquinHeuristic};
use shape::Direction;
pub use tables::Size;

const SLIDING: Encoding = Encoding { name: "sliding", files: &[rules::builtin_file!("taquin/sliding.lp")] };

impl Describe for Taquin {
    fn about(&self) -> About {
        About {
            name: "taquin",
            summary: "the 15-puzzle and its kin: slide the tiles into order in the fewest moves",
            input: "rows of numbers, one free cell (0, ., _ or x)",
            example: "echo '8 6 7 / 2 5 4 / 3 . 1' | asp-solve -",
            encodings: &[SLIDING],
            pictures: &[Format::Svg, Format::Html],
            read_by: &[
                ("heuristic", OptionReaders::Engines(&["idastar", "astar"])),
                ("tables", OptionReaders::Engines(&["idastar", "astar"])),
                ("depth_limit", OptionReaders::Engines(&["idastar", "astar", "ids", "bfs", "asp"])),
                ("node_limit", OptionReaders::Engines(&["idastar", "astar", "ids", "bfs"])),
                ("threads", OptionReaders::Engines(&["idastar", "asp"])),
                ("const", OptionReaders::Engines(&["asp"])),
            ],
            tools: &[&generate::GenerateTaquin, &split::Split],
            ..About::default()
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let is_board = document.notation() != Notation::Dot && board::looks_like_a_board(&document.text);
        if is_board { Role::Instance } else { Role::Neither }
    }

    fn similarity(&self, document: &Document) -> f64 {
        board::board_token_share(&document.text)
    }
}

impl OpenBoard for Taquin {
    type Options = Options;
    type Engine = TaquinEngine;
    type Board = Board;

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        let document = super::only_document("taquin", job)?;
        Board::parse(document, job.options::<Options>().goal.as_ref())
    }
}

impl OnePlayer for Taquin {
    /// The cell whose tile slides into the free cell.
    type Move = u16;

    const WORDS: PlanWords = PlanWords::MOVES;

    fn check_options(&self, engine: TaquinEngine, job: &Job) -> Result<(), Failure> {
        let Options { tables, quick, .. } = *job.options::<Options>();
        let heuristic = heuristic_of(job)?;
        let has_tables = heuristic == TaquinHeuristic::Pdb || heuristic == TaquinHeuristic::Auto && !quick;
        let text = match () {
            () if quick && engine != TaquinEngine::Idastar => "--quick cannot be combined with another engine",
            () if quick && native::wants_several(job) => return native::reject_multiple(job, "--quick", "idastar"),
            () if tables != Size::default() && !has_tables => "--tables requires --heuristic pdb",
            () if quick && job.engine.settings.threads.is_some_and(|threads| threads > 1) => {
                "--threads: --quick uses a single thread"
            }
            () => return Ok(()),
        };
        Err(Diagnostic::error(Code::Usage, text).into())
    }

    fn search(
        &self,
        board: &Board,
        engine: TaquinEngine,
        job: &Job,
        sink: AnswerSink<'_, Plan<u16>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        if engine == TaquinEngine::Asp {
            return engines::ask_clingo(*self, board, job, sink);
        }
        let (searched, heuristic, warnings) = solve::solve(board, engine, job)?;
        let all = |cost, limits: &_, visit: PlanVisitor<'_, u16>| solve::all(board, engine, job, (cost, limits), visit);
        let mut end = native::finish_all(searched, 0, job, all, &solve::limits(job), Plan, sink)?;
        end.statistics["heuristic"] = json!(heuristic);
        // The bound then applies to this goal instead of that of the instance.
        if let Some(goal) = &job.options::<Options>().goal {
            end.statistics["goal"] = goal.to_string().into();
        }
        end.warnings = warnings;
        Ok(end)
    }

    fn moves(&self, board: &Board) -> Vec<u16> {
        let blank = board.blank();
        let neighbours = Direction::ALL.into_iter().filter_map(|direction| board.shape.neighbour(blank, direction));
        neighbours.map(|cell| cell as u16).collect()
    }

    fn apply(&self, board: &mut Board, cell: u16) -> Result<u64, String> {
        let (blank, cell) = (board.blank(), usize::from(cell));
        if cell >= board.tiles.len() || board.shape.distance(blank, cell) != 1 {
            return Err(format!("cell {cell} is not next to the free cell {blank}"));
        }
        board.tiles.swap(blank, cell);
        Ok(1)
    }

    fn is_goal(&self, board: &Board) -> Result<(), String> {
        match board.tiles.iter().enumerate().find(|&(cell, &tile)| usize::from(tile) != cell) {
            Some((cell, _)) => Err(format!("cell {cell} does not have the tile that belongs there")),
            None => Ok(()),
        }
    }

    fn plan_json(&self, board: &Board, plan: &Plan<u16>) -> Value {
        json!({ "length": plan.0.len(), "moves": board.letters(&plan.0) })
    }

    fn describe_plans(&self, board: &Board, plans: &[Plan<u16>], style: &Style) -> String {
        text::format_solutions(board, plans, style)
    }

    fn describe_impossible(&self, result: &RunResult<Self>) -> String {
        text::impossible(result)
    }

    fn not_proven(&self, solved: &str, result: &RunResult<Self>) -> String {
        let lower_bound = result.proof().lower_bound.unwrap_or(0);
        let length = result.answers().first().map_or(0, |plan| plan.0.len() as u64);
        let (more, bound_text) = (Self::WORDS.cost(length - lower_bound), Self::WORDS.cost(lower_bound));
        let verdict = result.rules().verdict(&format!("no solution is shorter than {bound_text}"));
        format!("{solved}, at most {more} more than needed: {verdict}{}.", native::nodes(result.proof()))
    }

    fn describe_move(&self, board: &Board, cell: u16) -> play::Move {
        let letter = board.letters(&[cell]);
        let (direction, key) = match letter.as_str() {
            "U" => ("up", "ArrowUp"),
            "D" => ("down", "ArrowDown"),
            "L" => ("left", "ArrowLeft"),
            _ => ("right", "ArrowRight"),
        };
        let words = format!("{} goes {direction}", board.label(cell.into()));
        play::Move::new(letter, words).on_key(key)
    }

    fn plan_capabilities(&self) -> PlanCapabilities<'_, Self> {
        PlanCapabilities {
            bounds: Some(self),
            program: Some(self),
            explain: Some(self),
            draw: Some(self),
            choose: Some(self),
            ..PlanCapabilities::default()
        }
    }
}

impl PlanBounds<Taquin> for Taquin {
    /// The Manhattan distance.
    fn lower_bound(&self, board: &Board) -> u64 {
        let tiles = board.tiles.iter().map(|&tile| usize::from(tile)).enumerate();
        tiles.filter(|&(_, tile)| tile != board.shape.home).map(|(cell, tile)| steps(board, cell, tile)).sum()
    }

    /// Checks the parity of the moves: the lengths of all solutions are even, or all are odd.
    /// Unlike `why.rs`, which follows the cycles of the permutation, this counts inversions.
    fn contradiction(&self, result: &RunResult<Self>) -> Option<String> {
        let Board { shape, tiles, .. } = result.board();
        let pairs = (0..tiles.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
        let inversions = pairs.filter(|&(first, second)| tiles[first] > tiles[second]).count();
        let steps = steps(result.board(), result.board().blank(), shape.home);
        let fits = (inversions as u64 + steps).is_multiple_of(2);
        let is_line = shape.rows == 1 || shape.columns == 1;
        match result.answers().first() {
            Some(plan) if plan.0.len() as u64 % 2 != steps % 2 => {
                Some("the free cell cannot reach its goal in that many moves".to_owned())
            }
            None if result.verdict() == Verdict::Impossible && fits && (!is_line || inversions == 0) => {
                Some("the board is reported as unsolvable, but its parity permits a solution".to_owned())
            }
            _ => None,
        }
    }
}

impl ClingoProgram<Taquin> for Taquin {
    fn program(&self, board: &Board, job: &Job) -> Result<asp::Program, Failure> {
        Ok(clingo::program(board, &job.sources.encodings))
    }
}

impl PlanProgram<Taquin> for Taquin {
    fn has_steps(&self) -> bool {
        true
    }

    fn read_moves(&self, board: &Board, atoms: &AnswerAtoms) -> Result<Vec<u16>, AtomError> {
        clingo::moves(board, atoms)
    }
}

impl ExplainBoard<Taquin> for Taquin {
    fn obstacle(&self, board: &Board) -> Option<PathProof> {
        let cause = why::cause(board)?;
        let other = board.free_first().filter(|other| why::cause(other).is_none());
        let unsolvable_cause = Some(UnsolvableCause { parts: cause.parts(board), is_smallest: true });
        let solvable_to = other.map(|_| "free-first");
        Some(PathProof { reason: Some(cause.summary()), cause: unsolvable_cause, solvable_to, ..PathProof::default() })
    }
}

impl DrawPlan<Taquin> for Taquin {
    fn picture(&self, board: &Board, plan: Option<&Plan<u16>>) -> Picture {
        text::picture(board, plan.map_or(&[], |plan| &plan.0))
    }
}

impl ChooseMove<Taquin> for Taquin {
    fn pieces(&self, board: &Board) -> Vec<Piece<u16>> {
        let moves = self.moves(board);
        let columns = board.shape.columns;
        let piece = |cell: usize| {
            let (row, column) = (cell / columns, cell % columns);
            let at = [text::TILE * column as f64, text::TILE * row as f64, text::TILE, text::TILE];
            let words = format!("{}, row {}, column {}", board.label(cell), row + 1, column + 1);
            let cell_moves = moves.iter().filter(|&&other| usize::from(other) == cell);
            Piece { at, words, moves: cell_moves.map(|&action| (action, None)).collect(), pick: None }
        };
        (0..board.shape.cells()).filter(|&cell| cell != board.blank()).map(piece).collect()
    }
}

/// Returns the Manhattan distance between two cells.
fn steps(board: &Board, cell: usize, other: usize) -> u64 {
    let columns = board.shape.columns;
    ((cell / columns).abs_diff(other / columns) + (cell % columns).abs_diff(other % columns)) as u64
}
