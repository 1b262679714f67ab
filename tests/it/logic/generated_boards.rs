//! Checks the promises of `generate` with other engines, or with a solver that has only the rules
//! and the board.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, RangeInclusive};

use asp_solve::{Job, Verdict};
use base::document::Document;
use pencil::board::{Cell, Clue, GridBoard};
use pencil::link::Link;
use puzzle::{Console, Describe};

use super::types::{Boards, PuzzleFile, puzzles};
use crate::support::process::*;
use crate::support::{answers, extent, file, folder, run_line, run_with_input};
use asp_solve::generator;

/// Generates a board, and returns its text without comments, and the comments.
fn generated(arguments: &str) -> (String, String) {
    let ran = run_line(&format!("generate {arguments}"));
    assert_eq!(ran.code, 0, "{arguments}: {}{}", ran.out, ran.err);
    let (comments, board): (Vec<&str>, Vec<&str>) = ran.out.lines().partition(|line| line.starts_with('%'));
    (board.join("\n") + "\n", comments.join("\n"))
}

/// Generates a taquin, and returns the length of its shortest solution, which its comments state.
fn moves(arguments: &str, engine: &str) -> usize {
    let (board, comments) = generated(&format!("taquin {arguments}"));
    let value = run_with_input(&format!("- -f json --engine {engine}"), &board).json();
    assert_eq!(value["complete"], true, "{board}");
    let moves = answers(&value)[0]["length"].as_u64().expect("a length") as usize;
    let stated = if moves == 1 { "1 move (".to_owned() } else { format!("{moves} moves (") };
    assert!(comments.contains(&stated), "{comments}\n{board}");
    moves
}

#[test]
fn a_taquin_takes_exactly_the_requested_number_of_moves() {
    let seeds = 1..=extent::sample_size(3);
    for (size, expected, engine) in [
        ("2x2", "6", "bfs"),
        ("2x3", "21", "bfs"),
        ("3x2", "1", "asp"),
        ("3x3", "0", "bfs"),
        ("3x3", "7", "asp"),
        ("3x3", "24", "bfs"),
        ("3x3", "31", "bfs"),
        ("5x2", "50", "astar"),
        ("4x3", "40", "astar"),
        ("4x4", "13", "bfs"),
        ("4x4", "60", "idastar"),
        ("5x5", "40", "idastar"),
        ("7x3", "30", "idastar"),
    ] {
        for seed in seeds.clone() {
            assert_eq!(
                moves(&format!("--size {size} --moves {expected} --seed {seed}"), engine).to_string(),
                expected,
                "{size}"
            );
        }
    }
    for seed in seeds {
        let found = moves(&format!("--size 3x3 --moves 20..26 --seed {seed}"), "bfs");
        assert!((20..=26).contains(&found), "{found}");
        moves(&format!("--seed {seed}"), "idastar");
    }
}

#[test]
fn a_solved_taquin_is_generated_only_on_request() {
    for seed in 1..=12 {
        for arguments in ["--moves ..5", "--size 2x2 --moves ..2", "--size 2x2"] {
            let found = moves(&format!("{arguments} --seed {seed}"), "bfs");
            assert!(found > 0, "{arguments}");
        }
        assert_eq!(moves(&format!("--size 2x2 --moves ..0 --seed {seed}"), "bfs"), 0);
    }
}

#[test]
fn taquins_of_one_seed_differ_and_are_reproducible() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let ran = run_line(&format!("generate taquin --moves 45..55 --count 3 -o {}", path("all-{n}.txt")));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = run_line(&format!("generate taquin --moves 45..55 --from 1 --count 2 -o {}", path("some-{n}.txt")));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = |name: &str| std::fs::read_to_string(path(name)).expect("a file");
    assert_ne!(text("all-1.txt"), text("all-2.txt"));
    assert_eq!([text("all-2.txt"), text("all-3.txt")], [text("some-2.txt"), text("some-3.txt")]);
}

#[test]
fn impossible_requests_for_taquins_and_burrows_are_rejected() {
    for (arguments, words) in [
        ("taquin --size 3x3 --moves 32", "no 3x3 board takes more than 31 moves"),
        ("taquin --size 5x2 --moves 56..", "no 5x2 board takes more than 55 moves"),
        ("taquin --moves 81", "no 4x4 board takes more than 80 moves"),
        ("taquin --size 1x9", "no tile can pass another"),
        ("taquin --size 40x40 --moves 3", "at most 1024 cells"),
        ("taquin --size 5x5", "--moves is needed"),
        ("taquin --moves 9..3", "the first number is larger"),
        ("amphipod --rooms 9", "expected 2 to 8"),
        ("amphipod --depth 0", "expected 1 to 8"),
        ("amphipod --moves 7", "the number is even"),
        ("amphipod --moves 18", "no amphipod moves more than twice, 16 moves in all"),
        ("amphipod --moves 2", "4 moves or more"),
        ("amphipod --rooms 2 --energy 353..", "takes more than 352 units"),
    ] {
        let ran = run_line(&format!("generate {arguments}"));
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.out);
        assert!(ran.err.contains(words), "{arguments}: {}", ran.err);
    }
}

#[test]
fn an_unfulfilled_request_prints_the_best_board_and_its_shortfall() {
    let ran = run_line("generate amphipod --rooms 2 --energy 300..");
    assert_eq!(
        (ran.code, ran.out.lines().nth(2).map(|line| line.starts_with("% NOT AS REQUESTED: it takes "))),
        (3, Some(true))
    );
    assert!(
        ran.err.contains("warning: not as requested: it takes ") && ran.err.contains("units of energy"),
        "{}",
        ran.err
    );
    let ran = retry_with_longer_limits(|limit| {
        let ran = run_line(&format!("generate taquin --size 6x6 --moves 400 --time-limit {limit}"));
        ran.out.contains("% NOT AS REQUESTED: ").then_some(ran)
    });
    assert_eq!(ran.code, 3);
    assert!(ran.out.contains("% NOT AS REQUESTED: the longest of the shortest solutions found has "), "{}", ran.out);
    assert!(ran.err.contains("gave up: the time limit was reached"), "{}", ran.err);
}

#[test]
fn a_burrow_takes_the_requested_energy_and_moves() {
    for (arguments, energy, number) in [
        ("", 1..=u64::MAX, 4..=16),
        ("--rooms 3 --energy 1000..1400", 1000..=1400, 4..=12),
        ("--energy 12521", 12521..=12521, 4..=16),
        ("--moves 10", 1..=u64::MAX, 10..=10),
        ("--rooms 3 --depth 3 --energy 1000.. --moves ..14", 1000..=u64::MAX, 4..=14),
        ("--rooms 2 --depth 1", 1..=u64::MAX, 4..=4),
    ] {
        for seed in 1..=3 {
            let (burrow, comments) = generated(&format!("amphipod {arguments} --seed {seed}"));
            let value = run_with_input("- -f json --engine memo", &burrow).json();
            assert_eq!(value["complete"], true);
            let answer = &answers(&value)[0];
            let (found, moves) =
                (answer["energy"].as_u64().expect("energy"), answer["moves"].as_array().expect("moves").len());
            assert!(energy.contains(&found) && number.contains(&moves), "{arguments}: {found} {moves}\n{burrow}");
            let digits: String = comments.chars().filter(|&sign| sign != ',').collect();
            assert!(
                digits.contains(&format!("Everyone gets home for {found} units of energy in {moves} moves")),
                "{comments}"
            );
        }
    }
}

fn read(text: &str) -> GridBoard {
    GridBoard::read(&Document::in_memory("made", text)).unwrap_or_else(|failure| panic!("{failure}\n{text}"))
}

/// One generated board of each type.
mod boards_of_all_types {
    use crate::logic::types::each_type;

    each_type!(super::check_one_generated_board);
}

fn check_one_generated_board(puzzle: &PuzzleFile) {
    check_generated_boards(puzzle, 1..=1);
}

/// Generates a board as the command does.
fn generate_board(puzzle: &PuzzleFile, options: &str, seed: u64) -> String {
    let tool = generator(puzzle.logic.tools()).expect("a generator");
    let mut job = Job { seed, ..puzzle.job() };
    job.sources.documents.clear();
    job.options = tool.options().parse(&puzzle.name, options.split_whitespace()).expect("options of the generator");
    let mut show = |_: &str| ControlFlow::Continue(());
    let mut console = Console { progress: &|_, _| {}, show: &mut show, delay: None, sheet: Vec::new() };
    let generated = tool.run(&job, &mut console).unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name));
    assert_eq!((generated.verdict, &generated.warnings[..]), (Verdict::Solved, &[][..]), "{}", puzzle.name);
    generated.output
}

/// The board without each clue in turn. If the cell cannot be empty, another sign replaces the
/// clue.
fn boards_with_one_clue_less(puzzle: &PuzzleFile, board: &GridBoard) -> Vec<(Cell, GridBoard)> {
    let is_kept = |sign: &Clue| puzzle.name == "roma" && *sign == Clue::text("o");
    let clues = board.signs.iter().filter(|(_, sign)| !is_kept(sign));
    let less = clues.filter_map(|(&cell, sign)| {
        let mut less = board.clone();
        let left = ["akari", "shakashaka"].contains(&&*puzzle.name).then_some("#");
        let is_open = puzzle.paragraph("Clues").is_some_and(|clues| clues.contains("replaced by \"?\""));
        let mut left = left.or(is_open.then_some("?")).map(str::to_owned);
        if puzzle.name == "firefly" {
            left = sign.parts().last().map(|dot| format!("?{dot}"));
        }
        less.signs.remove(&cell);
        if let Some(left) = &left {
            less.signs.insert(cell, Clue::text(left));
        }
        (left != Some(sign.to_string())).then_some((cell, less))
    });
    less.collect()
}

/// Types whose board of the first seed does not promise that each clue is needed, and Tents, where
/// a sign can be removed without effect if its cell may as well be open.
const WITHOUT_PROMISE: &str =
    "ayeheya balance hitori kakuro lits nonogram norinori nurikabe onsen starbattle tents yajitatami";

fn check_generated_boards(puzzle: &PuzzleFile, seeds: RangeInclusive<u64>) {
    if puzzle.paragraph("Clues").is_some_and(|clues| clues.starts_with("none")) {
        return;
    }
    let size = match &*puzzle.name {
        // These take long, or have no board of 36 cells.
        "aqre" | "cocktail" | "firefly" | "kurotto" | "onsen" | "roma" | "sudoku" | "tasquare" => "4x4",
        "chocona" | "fillomino" | "fivecells" | "hanare" | "moonsun" | "nagenawa" | "pentominous" | "tapa" => "5x5",
        _ => "6x6",
    };
    for seed in seeds {
        let text = generate_board(puzzle, &format!("--size {size}"), seed);
        assert!(text.starts_with(&format!("% {}, ", puzzle.name)), "{text}");
        let board = read(&text);
        let steps = Link::parse(puzzle.paragraph("Link").expect("links")).expect("a header");
        let link = steps.write(&board).unwrap_or_else(|failure| panic!("{text}\n{failure}"));
        let linked = steps.read(&Document::in_memory("link", link.as_str()));
        let linked = linked.unwrap_or_else(|failure| panic!("{link}\n{failure}"));
        assert_eq!((&linked.signs, &linked.around), (&board.signs, &board.around), "{link}\n{text}");
        // After the certificate the comment promises nothing, or that each clue is needed.
        let comment = text.lines().next().unwrap_or_default();
        let (_, promise) = comment.split_once("exactly one solution").expect("a comment with the number of solutions");
        let is_promised = promise.ends_with(" is needed.");
        assert!(is_promised || [".", ", certified."].contains(&promise), "an unknown promise: {comment}");
        let promises_need = is_promised && puzzle.name != "tents";
        let may_lack = WITHOUT_PROMISE.split_whitespace().any(|name| name == puzzle.name);
        assert!(promises_need || may_lack || seed > 1, "{text}");
        let less = if promises_need { boards_with_one_clue_less(puzzle, &board) } else { Vec::new() };
        let all = [&board, &linked].into_iter().chain(less.iter().map(|(_, less)| less));
        let all: Vec<String> = all.map(GridBoard::facts).collect();
        let mut boards = Boards::new(puzzle, &all, "").expect("boards");
        assert_eq!([boards.solutions(&all[0]), boards.solutions(&all[1])], [1, 1], "{link}\n{text}");
        for ((cell, _), less) in less.iter().zip(&all[2..]) {
            assert_ne!(boards.solutions(less), 1, "the clue at {cell:?} is not needed\n{text}");
        }
    }
}

#[test]
fn generated_boards_obey_the_quality_rules_of_their_type() {
    let share = |board: &GridBoard, number: usize| 100 * number / (board.rows * board.columns);
    for seed in 11..11 + extent::sample_size(3) {
        let (text, _) = generated(&format!("norinori --size 7x7 --seed {seed}"));
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for area in read(&text).areas.values() {
            *sizes.entry(*area).or_default() += 1;
        }
        assert!(sizes.values().all(|size| (3..=8).contains(size)), "{sizes:?}\n{text}");
        let akari = read(&generated(&format!("akari --size 10x10 --seed {seed}")).0);
        let black = share(&akari, akari.signs.len());
        assert!((12..=25).contains(&black), "{black}");
        let (text, _) = generated(&format!("tapa --size 7x7 --seed {seed}"));
        let value = run_with_input("- -f json", &text).json();
        let shaded = share(&read(&text), answers(&value)[0]["atoms"].as_array().expect("atoms").len());
        assert!((38..=60).contains(&shaded), "{shaded}\n{text}");
    }
}

/// Returns true if each area looks the same after half a turn.
fn is_symmetric(areas: &BTreeMap<(usize, usize), usize>) -> bool {
    let mut bounds: BTreeMap<usize, [usize; 4]> = BTreeMap::new();
    for (&(row, column), &area) in areas {
        let [top, bottom, left, right] = bounds.entry(area).or_insert([row, row, column, column]);
        (*top, *bottom) = (row.min(*top), row.max(*bottom));
        (*left, *right) = (column.min(*left), column.max(*right));
    }
    areas.iter().all(|(&(row, column), area)| {
        let [top, bottom, left, right] = bounds[area];
        areas.get(&(top + bottom - row, left + right - column)) == Some(area)
    })
}

#[test]
fn areas_of_ayeheya_are_symmetric_and_stostone_has_an_even_number_of_rows() {
    check_areas(1);
}

fn check_areas(seeds: u32) {
    let first = fastrand::u32(..1_000_000);
    println!("seeds from {first}");
    for seed in first..first + seeds {
        for size in ["4x4", "5x5", "6x7", "7x4", "9x3"] {
            let (text, _) = generated(&format!("ayeheya --size {size} --seed {seed}"));
            assert!(is_symmetric(&read(&text).areas), "--size {size} --seed {seed}\n{text}");
        }
        for size in ["4x4", "5x4", "3x6"] {
            let (text, _) = generated(&format!("stostone --size {size} --seed {seed}"));
            assert!(read(&text).rows.is_multiple_of(2), "--size {size} --seed {seed}\n{text}");
        }
    }
}

#[test]
fn an_easy_sudoku_needs_only_singles_and_a_medium_one_pairs_or_triples() {
    for level in ["easy", "medium"] {
        let (text, comments) = generated(&format!("sudoku --difficulty {level} --seed 6"));
        let rated = run_with_input("rate - -f json", &text).json();
        let names: Vec<&String> = rated["techniques"].as_object().expect("techniques").keys().collect();
        let is_single = |name: &&String| name.ends_with(" single");
        let is_medium = |name: &&String| {
            let kinds = ["pointing ", "box-line ", "naked pair", "naked triple", "hidden pair", "hidden triple"];
            kinds.iter().any(|kind| name.starts_with(kind))
        };
        assert!(names.iter().all(|name| is_single(name) || level == "medium" && is_medium(name)), "{text}{rated}");
        assert_eq!(names.iter().all(is_single), level == "easy", "{text}{rated}");
        assert!(names.iter().any(|name| comments.contains(&format!(" ({name})"))), "{comments}");
    }
}

#[test]
fn an_easy_board_without_one_of_its_clues_is_not_easy() {
    let mut harder = 0;
    for seed in [1, 4] {
        let (text, _) = generated(&format!("slither --size 5x5 --difficulty easy --seed {seed}"));
        let begin = text.find("\n\n").expect("a blank line");
        for (at, _) in text.char_indices().filter(|&(at, sign)| at > begin && sign.is_ascii_digit()) {
            let mut fewer = text.clone();
            fewer.replace_range(at..=at, ".");
            let rated = run_with_input("rate - -f json", &fewer).json();
            let is_easy = rated["exact"] == true && rated["largest"].as_u64() <= Some(2);
            assert!(rated["verdict"] != "solved" || !is_easy, "{text}{fewer}{rated}");
            harder += usize::from(rated["verdict"] == "solved");
        }
    }
    assert!(harder > 0, "no clue was kept for the difficulty alone");
}

#[test]
fn a_board_has_the_requested_difficulty_in_every_orientation_and_notation() {
    let folder = folder();
    let rated = |text: &str| {
        let path = file(folder.path(), "board.txt", text);
        let rated = run_line(&format!("rate {path} -f json", path = path.display())).json();
        (rated["largest"].as_u64().expect("a number"), rated["exact"] == true)
    };
    for (arguments, expected) in [
        ("slither --size 5x5 --difficulty easy", 1..=2),
        ("slither --size 5x5 --difficulty 3..5", 3..=5),
        ("slither --size 5x5 --difficulty ..9 --seed 4", 1..=9),
        ("norinori --size 5x5 --difficulty ..3", 1..=3),
        ("nurikabe --size 5x5 --difficulty ..9 --seed 2", 1..=9),
        ("fillomino --size 5x5 --difficulty ..9 --seed 1", 1..=9),
        ("fillomino --size 5x5 --difficulty 2.. --seed 1", 2..=u64::MAX),
    ] {
        let (text, comments) = generated(arguments);
        let (largest, is_exact) = rated(&text);
        assert!(expected.contains(&largest), "{arguments}: {largest}");
        assert!(is_exact || *expected.end() == u64::MAX, "{arguments}: at least {largest}");
        let reasons = if largest == 1 { "1 reason." } else { &format!("{largest} reasons.") };
        let bound = if is_exact { "" } else { "at least " };
        assert!(comments.ends_with(&format!("the hardest step needs {bound}{reasons}")), "{comments}\n{text}");
        let (header, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("puzzle "));
        let upside_down: Vec<&str> = header.into_iter().chain(lines.into_iter().rev()).collect();
        assert_eq!(rated(&(upside_down.join("\n") + "\n")), (largest, is_exact), "{arguments} upside down\n{text}");
        let link = run_line(&format!("generate {arguments} -f url")).out;
        assert_eq!(rated(&link), (largest, is_exact), "{arguments}: {link}");
    }
    for (arguments, words) in [
        ("slither --difficulty trivial", "easy, medium, hard"),
        ("heyawake --symmetric", "--symmetric: the areas of heyawake are drawn at random"),
        ("starbattle --size 6x7", "a board of starbattle is a square"),
        ("stostone --size 6x7", "a board of stostone has an even number of rows"),
    ] {
        let ran = run_line(&format!("generate {arguments}"));
        assert!(ran.code == 2 && ran.err.contains(words), "{arguments}: {}", ran.err);
    }
}

#[test]
fn a_sheet_has_all_boards_and_then_all_solutions() {
    let folder = folder();
    let path = folder.path().join("sheet.html");
    let ran = run_line(&format!("generate akari --size 5x5 --count 3 -f html -o {}", path.display()));
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let page = std::fs::read_to_string(path).expect("a file");
    let (boards, solutions) = page.split_once("id=\"solutions\"").expect("solutions");
    let words = ["<svg", ">Akari 2<", "5 rows and 5 columns, seed 2<", "<p>Put bulbs"];
    let count = |text: &str| words.map(|word| text.matches(word).count());
    assert_eq!((count(boards), count(solutions)), ([3, 1, 0, 1], [3, 1, 1, 0]));
    assert!(page.contains("size: A4;"));
    assert_ne!(boards.matches("<path").count(), solutions.matches("<path").count(), "only solutions have bulbs");
    assert!(!page.contains("<script"));
    let ran = retry_with_longer_limits(|limit| {
        let ran = run_line(&format!("generate akari --size 6x6 --count 1000000 -f html --time-limit {limit}"));
        ran.out.contains("Akari 1<").then_some(ran)
    });
    assert_eq!(ran.code, 3, "{}", ran.err);
    let ran = run_line("generate akari --size 4x4 --from 2 --count 2 -f html --page-size letter");
    let numbers = [2, 3, 4, 5].map(|number| ran.out.matches(&format!(">Akari {number}<")).count());
    assert_eq!((numbers, ran.out.contains("size: letter;")), ([0, 2, 2, 0], true));
    let ran = run_line("generate akari --size 4x4 -f svg --page-size a5");
    assert!(ran.code == 2 && ran.err.contains("--page-size"), "{}", ran.err);
    let (_, comments) = generated("akari --size 1x5");
    assert!(comments.ends_with("exactly one solution, certified; its 1 clue is needed."), "{comments}");
}

#[test]
fn areas_have_only_the_listed_sizes() {
    for (name, given, sizes) in [("norinori", "3..8", [3, 4, 7]), ("heyawake", "2..9", [2, 4, 9])] {
        let folder = folder();
        let path = format!("puzzles/{name}.lp");
        let builtin = std::fs::read_to_string(format!("asp/{path}")).expect("a file");
        let original = format!("area_size({given}).");
        let changed = format!("area_size({}).", sizes.map(|size| size.to_string()).join(";"));
        assert!(builtin.contains(&original));
        file(folder.path(), &path, builtin.replace(&original, &changed));
        let asp = folder.path().display();
        let (text, _) = generated(&format!("{name} --size 6x6 --seed 3 --asp-dir {asp}"));
        let mut areas: BTreeMap<usize, usize> = BTreeMap::new();
        for &area in read(&text).areas.values() {
            *areas.entry(area).or_default() += 1;
        }
        assert!(areas.values().all(|size| sizes.contains(size)), "{areas:?}\n{text}");
    }
}

#[test]
fn a_board_is_drawn_only_for_picture_formats() {
    let folder = folder();
    let builtin = std::fs::read_to_string("asp/puzzles/akari.lp").expect("a file");
    let changed = builtin.replace("\n#show", "\ndraw(fill(1,1,\"no such colour\")) :- rows(_).\n#show");
    file(folder.path(), "puzzles/akari.lp", changed);
    let asp = folder.path().display();
    for (format, code) in [("text", 0), ("url", 0), ("penpa", 0), ("svg", 2), ("html", 2)] {
        let ran = run_line(&format!("generate akari --size 4x4 -f {format} --asp-dir {asp}"));
        assert_eq!(ran.code, code, "{format}: {}", ran.err);
        assert!(code == 0 || ran.err.contains("no such colour"), "{}", ran.err);
    }
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn more_generated_boards_of_every_type_have_one_solution_and_only_needed_clues() {
        for puzzle in puzzles() {
            check_generated_boards(&puzzle, 2..=5);
        }
    }

    #[test]
    #[ignore = "takes minutes"]
    fn areas_of_more_boards_are_valid() {
        check_areas(20);
    }
}
