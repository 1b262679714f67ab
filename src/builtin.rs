//! The built-in puzzles. Nothing else lists them, and no other crate uses this list.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use games::{game, planning};
use paths::{amphipod, taquin};
use pencil::{Catalogue, FOLDER, GAMES_FOLDER, LogicPuzzle};
use puzzle::api::PuzzleFile;
use puzzle::registry::Registry;

/// Command lines for a first try, with descriptions.
pub const FIRST_COMMANDS: [(&str, &str); 3] = [
    ("asp-solve list", "the puzzles; list NAME shows a board and a command that solves it"),
    ("asp-solve slither/4/4/dgdh2c71", "a board: a file, or an address of puzz.link"),
    ("asp-solve generate sudoku", "a new board"),
];

/// The commands by what they are for. Commands that are in no group come last.
pub const COMMAND_GROUPS: [(&str, &[&str]); 6] = [
    ("Solve", &["solve", "watch", "count", "studio", "list", "examples"]),
    ("Explain", &["why", "hint"]),
    ("Create", &["generate", "play"]),
    ("Develop", &["test", "profile", "compare", "lsp", "clingo"]),
    ("Railways", &["convert", "expand", "rate", "repair"]),
    ("Batches and proofs", &["split", "merge", "verify"]),
];

/// The last lines of the help.
pub const AFTER_HELP: &str = "Exit codes: 0 an answer was found, 1 proven that there is none, 2 bad input or usage, 3 gave up. With --format asp \
                        and clingo-json: those of clingo (10, 20, 30, …).\n\nExample, in any folder: asp-solve examples rail | asp-solve - -n 0";

/// Examples of the manual pages: command lines, by the name of the page. In the last two, `*`
/// stands for the name of a game or a pencil puzzle that has the option of this name.
pub const EXAMPLES: [(&str, &[&str]); 32] = [
    (
        "asp-solve",
        &[
            "asp-solve examples --dir instances",
            "asp-solve instances/deponia.lp -n 0",
            "asp-solve 'https://puzz.link/p?slither/4/4/dgdh2c71' --unique",
            "asp-solve instances/taquin_exam.txt -f svg -o board.svg",
            "asp-solve boards.txt --batch -o out.jsonl --resume",
        ],
    ),
    (
        "asp-solve-list",
        &[
            "asp-solve list",
            "asp-solve list sudoku",
            "asp-solve list -f json",
            "asp-solve list -f html -o puzzles.html",
        ],
    ),
    ("asp-solve-examples", &["asp-solve examples", "asp-solve examples tents", "asp-solve examples --dir instances"]),
    ("asp-solve-solve", &["asp-solve solve board.txt --unique"]),
    ("asp-solve-merge", &["asp-solve merge a.json b.json -f json"]),
    ("asp-solve-verify", &["asp-solve verify board.cert"]),
    ("asp-solve-count", &["asp-solve count board.txt", "asp-solve count mine.lp --project"]),
    ("asp-solve-why", &["asp-solve why board.txt -n 0", "asp-solve why queens.lp 'queen(1,2)'"]),
    ("asp-solve-hint", &["asp-solve hint board.txt", "asp-solve hint --steps -f html -o steps.html board.txt"]),
    ("asp-solve-test", &["asp-solve test mine_test.lp --coverage", "asp-solve test tests/asp --mutants"]),
    ("asp-solve-profile", &["asp-solve profile mine.lp --time-limit 10"]),
    ("asp-solve-compare", &["asp-solve compare old.lp new.lp board.txt", "asp-solve compare old.lp new.lp -c n=8"]),
    ("asp-solve-studio", &["asp-solve studio mine.lp board.txt"]),
    ("asp-solve-lsp", &["asp-solve lsp --time-limit 5"]),
    ("asp-solve-clingo", &["asp-solve clingo mine.lp --text"]),
    ("asp-solve-completions", &["source <(asp-solve completions bash)"]),
    ("asp-solve-man", &["asp-solve man generate rail", "asp-solve man --dir man1"]),
    ("asp-solve-generate", &["asp-solve generate slither --size 6x6 --seed 7"]),
    (
        "asp-solve-generate-rail",
        &["asp-solve generate rail -o mine.lp", "asp-solve generate rail --planar --difficulty 16..18"],
    ),
    (
        "asp-solve-generate-minesweeper",
        &["asp-solve generate minesweeper --level expert --no-guess --count 10 -o board-{n}.txt"],
    ),
    ("asp-solve-generate-taquin", &["asp-solve generate taquin --size 3x3 --moves 31"]),
    ("asp-solve-generate-amphipod", &["asp-solve generate amphipod --energy 12000..13000 --solution"]),
    ("asp-solve-play", &["asp-solve play minesweeper --level expert --games 100"]),
    (
        "asp-solve-play-minesweeper",
        &[
            "asp-solve play minesweeper --watch --level beginner",
            "asp-solve play minesweeper --window xdemineur --level expert",
        ],
    ),
    ("asp-solve-watch", &["asp-solve watch mine.lp -n 0"]),
    (
        "asp-solve-split",
        &[
            "asp-solve split mine.lp --into 64 -o parts.jsonl",
            "asp-solve parts.jsonl --batch -o results.jsonl --resume",
            "asp-solve split board.txt --boards 10000 -o parts.jsonl",
        ],
    ),
    ("asp-solve-expand", &["asp-solve expand mine.lp", "asp-solve expand mine.lp --trip 112RV -f svg -o trip.svg"]),
    ("asp-solve-rate", &["asp-solve rate mine.lp"]),
    ("asp-solve-repair", &["asp-solve repair mine.lp -o mended.lp"]),
    ("asp-solve-convert", &["asp-solve convert mine.plan --network -f asp"]),
    ("board", &["asp-solve generate * --moves 5 --solution"]),
    ("symmetric", &["asp-solve generate * --count 3 --symmetric -o board-{n}.txt"]),
];

/// Returns true if a native puzzle has this name, so that no file can define a puzzle of that name.
pub fn is_native(name: &str) -> bool {
    registry().is_native(name)
}

/// The built-in puzzles.
pub fn registry() -> &'static Registry {
    static BUILTIN: LazyLock<Registry> = LazyLock::new(|| registry_with(&[]));
    &BUILTIN
}

/// The built-in puzzles and the puzzles of `files`, which override built-in files of their names.
pub fn registry_with(files: &[PuzzleFile]) -> Registry {
    let catalogue = Catalogue::with_files(files);
    let mut registry = Registry::default();
    registry.add_native(rail::Rail);
    registry.add_native(amphipod::Amphipod);
    registry.add_native(taquin::Taquin);
    registry.add_native(minesweeper::Minesweeper);
    registry.add_native(game::Game);
    // The puzzle of logic programs that no other puzzle recognises.
    registry.add_native(LogicPuzzle::program());
    catalogue.in_folder(FOLDER).for_each(|puzzle| registry.add_defined(puzzle));
    catalogue.in_folder(GAMES_FOLDER).for_each(|puzzle| registry.add_defined(planning::PlanningGame(puzzle)));
    registry.add_recogniser(Box::new(|_, texts| pencil::reject_unreadable_boards(texts)));
    let known = catalogue.clone();
    registry.add_recogniser(Box::new(move |registry, texts| pencil::recognise_named(registry, &known, texts)));
    let known = catalogue.clone();
    registry.add_recogniser(Box::new(move |_, texts| Ok(planning::recognise_game(&known, texts))));
    let known = catalogue.clone();
    registry.add_recogniser(Box::new(move |registry, texts| pencil::recognise_rules(registry, &known, texts)));
    registry.add_recogniser(Box::new(move |_, texts| pencil::reject_unknown_letters(&catalogue, texts)));
    registry.set_title_of(|text| pencil::title_line(text).map(|(name, _)| name));
    registry
}

/// Returns the values of `--heuristic` for all puzzles.
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
