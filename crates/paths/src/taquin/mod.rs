//! Sliding-tile puzzles such as the 15-puzzle: tiles in a frame with one free cell, to be slid into
//! order in the fewest moves.
//!
//! ```
//! use paths::taquin::Taquin;
//! use puzzle::Run;
//!
//! let solved = Run::new(Taquin, "8 6 7\n2 5 4\n3 . 1".into())?.solve()?;
//! let plan = &solved.answers()[0];
//! assert_eq!((plan.0.len(), solved.complete()), (31, true));
//! assert_eq!(solved.board().letters(&plan.0).len(), 31);
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```
//!
//! | file | content |
//! |---|---|
//! | `options.rs` | the puzzle's type and its options |
//! | `board.rs` | the text formats of a board and their errors |
//! | `shape.rs` | the frame, and boards packed in a word |
//! | `space.rs` | the search space |
//! | `automaton.rs` | the automaton that prunes redundant move sequences |
//! | `manhattan.rs`, `linear_conflict.rs` | heuristics computed per state (no tables) |
//! | `pattern.rs`, `additive.rs` | pattern databases, and the additive heuristic over them |
//! | `tables.rs` | the choice of pattern databases, and their loading |
//! | `pages.rs` | large tables in large memory pages |
//! | `solve.rs` | the choice of search and heuristic |
//! | `claims.rs` | checks of lengths and verdicts |
//! | `clingo.rs` | the engine `asp` |
//! | `generate.rs`, `split.rs` | `asp-solve generate taquin`, `asp-solve split` |
//! | `text.rs` | text output, pictures and pieces to click |
//! | `why.rs` | the explanation of boards without a solution |

mod additive;
#[cfg(test)]
mod admissible;
mod automaton;
mod board;
mod claims;
mod clingo;
mod generate;
mod linear_conflict;
mod manhattan;
mod options;
mod pages;
mod pattern;
mod shape;
mod solve;
mod space;
mod split;
mod tables;
mod text;
mod why;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::{Document, Notation};
use base::ending::SearchEnd;
use base::style::Style;
pub use board::{Board, Goal};
use options::heuristic_of;
pub use options::{Options, Taquin, TaquinEngine, TaquinHeuristic};
use puzzle::Format;
use puzzle::job::Job;
use puzzle::native::{self, PathProof};
use puzzle::one_player::{OnePlayer, Plan, PlanCapabilities};
use puzzle::{
    About, AnswerSink, Describe, Encoding, EngineOption, Example, OpenBoard, Role, RunResult, Tool, ignored_option,
};
use serde_json::{Value, json};
use shape::Direction;
use statespace::search::PlanVisitor;
pub use tables::Size;

const SLIDING: Encoding = puzzle::builtin_encoding!("sliding", "taquin/sliding.lp");

impl Describe for Taquin {
    fn about(&self) -> About<'_> {
        About {
            name: "taquin",
            title: "15-puzzle",
            summary: "the 15-puzzle and its kin: slide the tiles into order in the fewest moves",
            input: "rows of numbers, one free cell (0, ., _ or x)",
            encodings: &[SLIDING],
            pictures: &[Format::Svg, Format::Html],
            ..About::default()
        }
    }

    fn example(&self) -> Option<Example> {
        Example::named("taquin_exam.txt")
    }

    fn tools(&self) -> Vec<Box<dyn Tool>> {
        vec![Box::new(generate::GenerateTaquin), Box::new(split::Split)]
    }

    fn recognise(&self, document: &Document) -> Role {
        Role::instance_if(document.notation() != Notation::Dot && board::looks_like_a_board(&document.text))
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
        let document = puzzle::only_document("taquin", job)?;
        Board::parse(document, job.options::<Options>().goal.as_ref())
    }

    fn reads(&self, engine: TaquinEngine, option: EngineOption) -> bool {
        match option {
            EngineOption::DepthLimit => true,
            EngineOption::Heuristic => matches!(engine, TaquinEngine::Idastar | TaquinEngine::Astar),
            EngineOption::Constants => engine == TaquinEngine::Asp,
            _ => option.is_read_by_default(engine),
        }
    }

    fn check_options(&self, engine: TaquinEngine, job: &Job) -> Result<(), Failure> {
        let Options { tables, quick, .. } = *job.options::<Options>();
        let reads_tables = |engine| self.reads(engine, EngineOption::Heuristic);
        if tables.is_some() && !reads_tables(engine) {
            return Err(ignored_option(self, engine, "tables", reads_tables).into());
        }
        let heuristic = heuristic_of(job)?;
        let has_tables = heuristic == TaquinHeuristic::Pdb || heuristic == TaquinHeuristic::Auto && !quick;
        let text = match () {
            () if quick && engine != TaquinEngine::Idastar => "--quick cannot be combined with another engine",
            () if quick && native::wants_several(job) => return native::reject_multiple(job, "--quick", "idastar"),
            () if tables.is_some_and(|size| size != Size::default()) && !has_tables => {
                "--tables requires --heuristic pdb"
            }
            () if quick && job.engine.settings.threads.is_some_and(|threads| threads > 1) => {
                "--threads: --quick uses a single thread"
            }
            () => return Ok(()),
        };
        Err(Diagnostic::error(Code::Usage, text).into())
    }
}

/// Returns a note if the tiles are far from the default goal, but near another usual one.
fn closer_goal(board: &Board) -> Option<Diagnostic> {
    /// A goal is near if its distance is at most this part of that of the default goal.
    const SHARE: usize = 3;
    let goals = why::solvable_goals(board).into_iter();
    let (goal, other) = goals.min_by_key(|(_, other)| other.distance())?;
    (other.distance() * SHARE <= board.distance() && board.distance() > 0).then(|| {
        let text = format!("the tiles are closer to another usual goal, {}", goal.words(&other));
        Diagnostic::info(Code::OtherGoal, text).help(format!("--goal {goal} solves the board to it"))
    })
}

impl OnePlayer for Taquin {
    /// The cell whose tile slides into the free cell.
    type Move = u16;

    fn search(
        &self,
        board: &Board,
        engine: TaquinEngine,
        job: &Job,
        sink: AnswerSink<'_, Plan<u16>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        let (searched, heuristic, warnings) = solve::solve(board, engine, job)?;
        let all = |cost, limits: &_, visit: PlanVisitor<'_, u16>| solve::all(board, engine, job, (cost, limits), visit);
        let mut end = native::finish_all(searched, 0, job, all, &solve::limits(job), Plan, sink)?;
        end.statistics["heuristic"] = json!(heuristic);
        // The bound then applies to this goal instead of that of the instance.
        if let Some(goal) = &job.options::<Options>().goal {
            end.statistics["goal"] = goal.to_string().into();
        }
        end.warnings = warnings;
        if job.options::<Options>().goal.is_none() {
            end.warnings.extend(closer_goal(board));
        }
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
        let bound = format!("no solution is shorter than {bound_text}");
        let verdict = result.rules().verdict_with(&bound, &native::node_count(result.proof()));
        format!("{solved}, at most {more} more than needed: {verdict}.")
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
            pieces: Some(self),
            ..PlanCapabilities::default()
        }
    }
}
