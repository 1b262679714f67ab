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
//! | `generate.rs`, `split.rs` | `asp-solve generate taquin`, `asp-solve split` |
//! | `text.rs` | the output for a person |
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
mod shape;
mod solve;
mod space;
mod split;
mod tables;
mod text;
mod why;

use clap::Args;
use serde_json::{Value, json};

use super::engines::{Engine, Rung};
use super::guided::{Guided, Heuristic};
use super::native::{self, Proof};
use super::one_player::{OnePlayer, Way, Words};
use super::playing::Piece;
use super::{About, Because, Encoding, Fits, Found, Readers, Role, Solved, rules};
use crate::asp::{self, AnswerAtoms, AtomError};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::picture::Picture;
use crate::played;
use crate::puzzle::Tool;
use crate::report::{Format, Style};
use crate::search::Visit;
pub use board::{Board, Goal};
use shape::Direction;
pub use tables::Size;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taquin;

const SLIDING: Encoding = Encoding { name: "sliding", files: &[rules::shipped!("taquin/sliding.lp")] };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for taquin")]
pub struct Options {
    /// Size of the pattern databases
    #[arg(long, value_name = "SIZE", value_enum, default_value_t)]
    pub tables: Size,
    /// The goal: free-first, free-last, or a board in one line such as "1 2 3/8 . 4/7 6 5"
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<Goal>,
    /// Find a good solution quickly, with a proven bound on its excess length
    #[arg(long)]
    pub quick: bool,
}

const HEURISTICS: [Heuristic; 4] = [Heuristic::Auto, Heuristic::Manhattan, Heuristic::LinearConflict, Heuristic::Pdb];

impl OnePlayer for Taquin {
    type Options = Options;
    type Board = Board;
    /// The cell whose tile goes to the free cell.
    type Move = u16;

    const WORDS: Words = Words::MOVES;
    const ENGINES: &'static [Rung<Self>] = &[
        Rung::of(Engine::Idastar),
        Rung::of(Engine::Astar),
        Rung::of(Engine::Ids),
        Rung::of(Engine::Bfs),
        Rung::of(Engine::Asp),
    ];
    const HAS_STEPS: bool = true;

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
            fits: Fits::Line,
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

    fn read(&self, board: &Board, atoms: &AnswerAtoms) -> Result<Vec<u16>, AtomError> {
        grounded::moves(board, atoms)
    }

    fn obstacle(&self, board: &Board) -> Option<Proof> {
        let cause = why::cause(board)?;
        let other = board.free_first().filter(|other| why::cause(other).is_none());
        let because = Some(Because { parts: cause.parts(board), is_smallest: true });
        let solvable_to = other.map(|_| "free-first");
        Some(Proof { cause: Some(cause.summary()), because, solvable_to, ..Proof::default() })
    }

    fn takes(&self, engine: Engine, job: &Job) -> Result<(), Failure> {
        let Options { tables, quick, .. } = *job.options::<Options>();
        let heuristic = job.options::<Guided>().heuristic();
        heuristic.is_of("taquin", &HEURISTICS)?;
        let has_tables = heuristic == Heuristic::Pdb || heuristic == Heuristic::Auto && !quick;
        let text = match () {
            () if quick && engine != Engine::Idastar => "--quick is a search of its own; it goes with no other engine",
            () if quick && native::wants_more(job) => return native::finds_one(job, "--quick", "idastar"),
            () if tables != Size::default() && !has_tables => "--tables: it goes with --heuristic pdb",
            () if quick && job.settings.threads.is_some_and(|threads| threads > 1) => "--threads: --quick has one",
            () => return Ok(()),
        };
        Err(Diagnostic::error(text).into())
    }

    fn search(
        &self,
        board: &Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Way<u16>>,
    ) -> Result<Ending<Proof>, Failure> {
        let (searched, heuristic, warnings) = solve::solve(board, engine, job)?;
        let all = |cost, limits: &_, visit: Visit<'_, u16>| solve::all(board, engine, job, (cost, limits), visit);
        let mut ending = native::finish_all(searched, 0, job, all, &solve::limits(job), Way, found)?;
        ending.statistics["heuristic"] = json!(heuristic);
        // What is said then is about another goal than the instance's.
        if let Some(goal) = &job.options::<Options>().goal {
            ending.statistics["goal"] = goal.to_string().into();
        }
        ending.warnings = warnings;
        Ok(ending)
    }

    fn moves(&self, board: &Board) -> Vec<u16> {
        let free = board.free();
        let neighbours = Direction::ALL.into_iter().filter_map(|direction| board.shape.neighbour(free, direction));
        neighbours.map(|cell| cell as u16).collect()
    }

    fn make(&self, board: &mut Board, cell: u16) -> Result<u64, String> {
        let (free, cell) = (board.free(), usize::from(cell));
        if cell >= board.tiles.len() || board.shape.distance(free, cell) != 1 {
            return Err(format!("cell {cell} is not next to the free cell {free}"));
        }
        board.tiles.swap(free, cell);
        Ok(1)
    }

    fn is_goal(&self, board: &Board) -> Result<(), String> {
        match board.tiles.iter().enumerate().find(|&(cell, &tile)| usize::from(tile) != cell) {
            Some((cell, _)) => Err(format!("cell {cell} has not the tile that belongs there")),
            None => Ok(()),
        }
    }

    /// The tiles' steps home.
    fn least(&self, board: &Board) -> u64 {
        let tiles = board.tiles.iter().map(|&tile| usize::from(tile)).enumerate();
        tiles.filter(|&(_, tile)| tile != board.shape.home).map(|(cell, tile)| steps(board, cell, tile)).sum()
    }

    /// All ways are even, or all are odd: pairs of tiles in the wrong order are counted, where the solver follows the cycles of
    /// the permutation.
    fn contradiction(&self, known: &Solved<Self>) -> Option<String> {
        let Board { shape, tiles, .. } = known.board();
        let pairs = (0..tiles.len()).flat_map(|cell| (0..cell).map(move |before| (before, cell)));
        let inversions = pairs.filter(|&(before, cell)| tiles[before] > tiles[cell]).count();
        let steps = steps(known.board(), known.board().free(), shape.home);
        let fits = (inversions as u64 + steps).is_multiple_of(2);
        let is_line = shape.rows == 1 || shape.columns == 1;
        match known.answers().first() {
            Some(way) if way.0.len() as u64 % 2 != steps % 2 => {
                Some("the free cell cannot come home in that many moves".to_owned())
            }
            None if known.verdict() == Verdict::Impossible && fits && (!is_line || inversions == 0) => {
                Some("the board is said to be unsolvable, and its parity is right".to_owned())
            }
            _ => None,
        }
    }

    fn json(&self, board: &Board, way: &Way<u16>) -> Value {
        json!({ "length": way.0.len(), "moves": board.letters(&way.0) })
    }

    fn ways(&self, board: &Board, ways: &[Way<u16>], style: &Style) -> String {
        text::ways(board, ways, style)
    }

    fn impossible(&self, known: &Solved<Self>) -> String {
        text::impossible(known)
    }

    fn not_proven(&self, solved: &str, known: &Solved<Self>) -> String {
        let bound = known.proof().lower_bound.unwrap_or(0);
        let length = known.answers().first().map_or(0, |way| way.0.len() as u64);
        let (more, bound) = (Self::WORDS.cost(length - bound), Self::WORDS.cost(bound));
        let bound = known.rules().verdict(&format!("no solution is shorter than {bound}"));
        format!("{solved}, at most {more} more than needed: {bound}{}.", native::nodes(known.proof()))
    }

    fn picture(&self, board: &Board, way: Option<&Way<u16>>) -> Picture {
        text::picture(board, way.map_or(&[], |way| &way.0))
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&generate::Generate, &split::Split]
    }

    fn told(&self, board: &Board, cell: u16) -> played::Move {
        let letter = board.letters(&[cell]);
        let (way, key) = match letter.as_str() {
            "U" => ("up", "ArrowUp"),
            "D" => ("down", "ArrowDown"),
            "L" => ("left", "ArrowLeft"),
            _ => ("right", "ArrowRight"),
        };
        let words = format!("{} goes {way}", board.label(cell.into()));
        played::Move::new(letter, words).on_key(key)
    }

    fn pieces(&self, board: &Board) -> Vec<Piece<u16>> {
        let (moves, columns) = (OnePlayer::moves(self, board), board.shape.columns);
        let piece = |cell: usize| {
            let (row, column) = (cell / columns, cell % columns);
            let at = [text::TILE * column as f64, text::TILE * row as f64, text::TILE, text::TILE];
            let words = format!("{}, row {}, column {}", board.label(cell), row + 1, column + 1);
            let own = moves.iter().filter(|&&other| usize::from(other) == cell);
            Piece { at, words, moves: own.map(|&action| (action, None)).collect(), pick: None }
        };
        (0..board.shape.cells()).filter(|&cell| cell != board.free()).map(piece).collect()
    }
}

/// From cell to cell.
fn steps(board: &Board, cell: usize, other: usize) -> u64 {
    let columns = board.shape.columns;
    ((cell / columns).abs_diff(other / columns) + (cell % columns).abs_diff(other % columns)) as u64
}
