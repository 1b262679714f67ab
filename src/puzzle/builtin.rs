//! The built-in puzzles. Nothing else lists them, and no other file of this folder uses this list.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::api::{AnyPuzzle, PuzzleFile};
use super::logic::{Catalogue, FOLDER, GAMES_FOLDER, LogicPuzzle};
use super::registry::Registry;
use super::{amphipod, game, minesweeper, planning, rail, taquin};

/// Command lines for a first try, with descriptions.
pub const FIRST_COMMANDS: [(&str, &str); 3] = [
    ("asp-solve list", "the puzzles; list NAME has an example to paste into a shell"),
    ("asp-solve slither/4/4/dgdh2c71", "a board: a file, or an address of puzz.link"),
    ("asp-solve generate sudoku", "a new board"),
];

/// The native puzzles, and the puzzle of logic programs that no other puzzle recognises.
fn natives() -> [&'static dyn AnyPuzzle; 6] {
    static PROGRAM: LazyLock<LogicPuzzle> = LazyLock::new(LogicPuzzle::program);
    [&rail::Rail, &amphipod::Amphipod, &taquin::Taquin, &minesweeper::Minesweeper, &game::Game, &*PROGRAM]
}

/// Returns true if a native puzzle has this name, so that no file can define a puzzle of that name.
pub fn is_native(name: &str) -> bool {
    natives().iter().any(|puzzle| puzzle.name() == name)
}

/// The built-in puzzles.
pub fn registry() -> &'static Registry {
    static BUILTIN: LazyLock<Registry> = LazyLock::new(|| registry_with(&[]));
    &BUILTIN
}

/// The built-in puzzles and the puzzles of `files`, which override built-in files of their names.
pub fn registry_with(files: &[PuzzleFile]) -> Registry {
    let catalogue = Catalogue::with_files(files);
    let mut registry = Registry::new(catalogue);
    natives().into_iter().for_each(|puzzle| registry.add_native(puzzle));
    catalogue.in_folder(FOLDER).iter().for_each(|puzzle| registry.add_defined(puzzle));
    catalogue.in_folder(GAMES_FOLDER).iter().for_each(|puzzle| registry.add_defined(planning::game_of(puzzle)));
    registry
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
