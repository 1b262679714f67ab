//! The list of all puzzles.

use std::sync::OnceLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::api::{AnyPuzzle, PuzzleFile};
use super::{amphipod, game, logic, minesweeper, planning, rail, taquin};

/// The puzzles written in Rust, and the one for logic programs that no other puzzle recognises.
pub fn written_in_rust() -> &'static [&'static dyn AnyPuzzle] {
    static PROGRAM: OnceLock<logic::LogicPuzzle> = OnceLock::new();
    static WRITTEN: OnceLock<[&'static dyn AnyPuzzle; 6]> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let program = PROGRAM.get_or_init(logic::LogicPuzzle::program);
        [&rail::Rail, &amphipod::Amphipod, &taquin::Taquin, &minesweeper::Minesweeper, &game::Game, program]
    })
}

/// Command lines for a first try, with descriptions.
pub const FIRST_COMMANDS: [(&str, &str); 3] = [
    ("asp-solve list", "the puzzles; list NAME has an example to paste into a shell"),
    ("asp-solve slither/4/4/dgdh2c71", "a board: a file, or an address of puzz.link"),
    ("asp-solve generate sudoku", "a new board"),
];

static ALL: OnceLock<Vec<&'static dyn AnyPuzzle>> = OnceLock::new();

/// All puzzles, in the order of `asp-solve list`: those written in Rust, then those defined by
/// files.
pub fn all() -> &'static [&'static dyn AnyPuzzle] {
    ALL.get_or_init(|| with_files(&[]))
}

/// Adds puzzles defined by files; has no effect after the first call of [`all`].
pub fn add_files(files: &[PuzzleFile]) {
    let _ = ALL.set(with_files(files));
}

/// The built-in puzzles, and those of `files`.
fn with_files(files: &[PuzzleFile]) -> Vec<&'static dyn AnyPuzzle> {
    written_in_rust().iter().copied().chain(logic::entries(files)).chain(planning::entries(files)).collect()
}

/// The values of `--heuristic`: those of all puzzles that have heuristics.
pub fn heuristics() -> Vec<PossibleValue> {
    let mut all: Vec<PossibleValue> = Vec::new();
    let of_taquin = taquin::TaquinHeuristic::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let of_games = planning::GameHeuristic::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    for value in of_taquin.chain(of_games) {
        if all.iter().all(|known| known.get_name() != value.get_name()) {
            all.push(value);
        }
    }
    all
}

/// The folders of files that define puzzles.
pub const FOLDERS: [&str; 2] = [logic::FOLDER, planning::FOLDER];

/// Returns true for puzzles written in Rust.
pub fn is_written_in_rust(name: &str) -> bool {
    written_in_rust().iter().any(|entry| entry.name() == name)
}
