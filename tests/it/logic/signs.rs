//! The signs that headers list: each occurs on a board with a solution, and boards of all signs are
//! equal as text, facts and link.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use asp::{Symbol, parse_term};
use asp_solve::{Job, LogicPuzzle, Verdict, solve};
use base::diagnostic::Code;
use base::document::Document;
use fastrand::Rng;
use pencil::Header;
use pencil::board::{Cell, Clue, ClueGrid, GridBoard, SIDES};
use pencil::link::Link;
use puzzle::recognise;

use super::types::{PuzzleFile, puzzles};
use crate::support::{file, folder, run, run_with_input};
use asp_solve::builtin;

/// Small boards with solutions, in which the signs of the headers occur.
const BOARDS: &str = include_str!("../../data/signs.txt");

/// Each number of a range up to this length must occur on some board.
const MAX_RANGE: usize = 30;

/// The part of a board that has a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Cell,
    Side,
    Grid,
}

/// A sign, or a range of signs, that a header lists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ListedSign {
    /// From one number to another.
    Numbers(i32, i32),
    /// From one letter to another.
    Letters(char, char),
    Text(String),
}

impl ListedSign {
    fn matches(&self, part: &Clue) -> bool {
        match (self, part) {
            (ListedSign::Numbers(least, most), Clue::Number(number)) => (least..=most).contains(&number),
            (ListedSign::Letters(first, last), Clue::Text(part)) => {
                part.chars().count() == 1 && part.chars().all(|letter| (*first..=*last).contains(&letter))
            }
            (ListedSign::Text(text), Clue::Text(part)) => text == part,
            _ => false,
        }
    }

    fn random(&self, random: &mut Rng) -> String {
        match self {
            ListedSign::Text(text) => text.clone(),
            ListedSign::Letters(first, last) => random.char(*first..=*last).to_string(),
            ListedSign::Numbers(least, most) => {
                let most = (*most).min(random.choice([3, 9, 40, 1500]).expect("a number")).max(*least);
                random.i32(*least..=most).to_string()
            }
        }
    }
}

/// Parses a paragraph of a header that lists signs, with short ranges of numbers split up.
fn parse_signs(paragraph: &str) -> Vec<ListedSign> {
    let text = |word: &str| word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).map(str::to_owned);
    let letter = |word: &str| word.chars().next().expect("a letter");
    let of_word = |word: &str| -> Vec<ListedSign> {
        let (first, last) = word.split_once("..").unwrap_or((word, word));
        match (text(first), text(last)) {
            (Some(first), Some(last)) if first == last => vec![ListedSign::Text(first)],
            (Some(first), Some(last)) => vec![ListedSign::Letters(letter(&first), letter(&last))],
            _ if word == "numbers" => vec![ListedSign::Numbers(0, i32::MAX)],
            _ => {
                let [least, most] = [first, last].map(|end| end.parse::<i32>().unwrap_or_else(|_| panic!("{word}")));
                if least.abs_diff(most) as usize > MAX_RANGE {
                    vec![ListedSign::Numbers(least, most)]
                } else {
                    (least..=most).map(|number| ListedSign::Numbers(number, number)).collect()
                }
            }
        }
    };
    paragraph.split(',').map(str::trim).filter(|word| !word.is_empty()).flat_map(of_word).collect()
}

/// A puzzle type with the inputs that the header of its rules file lists.
struct Kind {
    puzzle: PuzzleFile,
    inputs: BTreeSet<String>,
    flags: Vec<String>,
    /// Names of the lines with a number in the header of a board.
    lines: Vec<String>,
    is_square: bool,
}

impl Kind {
    fn of(puzzle: PuzzleFile) -> Kind {
        let path = format!("{}/asp/puzzles/{}.lp", env!("CARGO_MANIFEST_DIR"), puzzle.name);
        let header = Header::of(&puzzle.name, &std::fs::read_to_string(path).expect("a puzzle"));
        let lines = header.lines("Input");
        let named = |name: &str| -> Vec<&String> {
            lines.iter().filter(|line| line.starts_with(&format!("{name}("))).collect()
        };
        let flags = named("flag").iter().filter_map(|line| Some(line.split('"').nth(1)?.to_owned())).collect();
        let is_number = |name: &&String| {
            let others = ["rows", "columns", "flag", "bank"];
            !others.contains(&name.as_str())
                && named(name).iter().any(|line| !line.split(')').next().unwrap_or_default().contains(','))
        };
        let inputs: BTreeSet<String> = header.inputs().into_iter().map(str::to_owned).collect();
        let is_square = ["rows(N)", "columns(N)"].iter().all(|known| lines.iter().any(|line| line.starts_with(known)));
        let lines = inputs.iter().filter(is_number).cloned().collect();
        Kind { puzzle, inputs, flags, lines, is_square }
    }

    fn name(&self) -> &str {
        &self.puzzle.name
    }

    fn reads(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.inputs.contains(*name))
    }

    fn signs(&self, spot: Spot) -> Vec<ListedSign> {
        let has = |head: &str| self.puzzle.paragraph(head).map(parse_signs);
        let signs = match spot {
            Spot::Cell if self.reads(&["sign", "part"]) => has("Signs"),
            Spot::Side if self.reads(&SIDES) => has("Side signs").or_else(|| has("Signs")),
            Spot::Grid if self.reads(&["between", "corner", "shade"]) => has("Grid signs"),
            _ => None,
        };
        signs.unwrap_or_default()
    }

    fn all_signs(&self) -> BTreeSet<(Spot, ListedSign)> {
        let of = |spot| self.signs(spot).into_iter().map(move |sign| (spot, sign));
        [Spot::Cell, Spot::Side, Spot::Grid].into_iter().flat_map(of).collect()
    }

    fn logic(&self) -> LogicPuzzle {
        LogicPuzzle::named(self.name()).expect("a built-in puzzle")
    }
}

fn kinds() -> Vec<Kind> {
    puzzles().into_iter().map(Kind::of).collect()
}

/// The signs of a board and their places.
fn parts(board: &GridBoard) -> Vec<(Spot, Clue)> {
    let of = |spot: Spot, grid: &ClueGrid| -> Vec<(Spot, Clue)> {
        grid.values().flat_map(Clue::parts).map(|part| (spot, part)).collect()
    };
    let sides = board.around.iter().flat_map(|grid| of(Spot::Side, grid));
    let grids = board.grids.values().flat_map(|grid| of(Spot::Grid, grid));
    of(Spot::Cell, &board.signs).into_iter().chain(sides).chain(grids).collect()
}

/// The boards of [`BOARDS`] by puzzle.
fn boards() -> BTreeMap<&'static str, Vec<String>> {
    let mut boards = BTreeMap::<&str, Vec<String>>::new();
    for text in BOARDS.split("puzzle ").skip(1) {
        let name = text.lines().next().expect("a name");
        boards.entry(name).or_default().push(format!("puzzle {text}"));
    }
    boards
}

#[test]
fn each_listed_sign_occurs_on_a_board_with_a_solution() {
    let mut boards = boards();
    let kinds = kinds();
    assert!(kinds.len() >= 119);
    for kind in kinds {
        let mut left = kind.all_signs();
        let instance = format!("{}/instances/{}.txt", env!("CARGO_MANIFEST_DIR"), kind.name());
        let instance = std::fs::read_to_string(instance).expect("an instance");
        for text in boards.remove(kind.name()).unwrap_or_default().into_iter().chain([instance]) {
            let name = kind.name();
            if left.is_empty() {
                break;
            }
            let read = kind.logic().read(&Document::in_memory("board", text.as_str()));
            let board = read.unwrap_or_else(|failure| panic!("{name}\n{text}\n{failure}")).expect("a board");
            let solved =
                solve(kind.logic(), Job::of(&text)).unwrap_or_else(|failure| panic!("{name}\n{text}\n{failure}"));
            assert_eq!(solved.verdict(), Verdict::Solved, "{name}\n{text}");
            let parts = parts(&board);
            left.retain(|(spot, sign)| !parts.iter().any(|(at, part)| at == spot && sign.matches(part)));
        }
        assert!(left.is_empty(), "{}: no board with a solution has {left:?}", kind.name());
    }
    assert!(boards.is_empty(), "boards of no puzzle: {boards:?}");
}

/// A sign for a cell, or several parts that a reader can separate again.
fn random_sign(random: &mut Rng, signs: &[ListedSign], are_plain: bool) -> Clue {
    let mut word = random.choice(signs).expect("signs").random(random);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    while !are_plain && random.f64() < 0.3 {
        let next = random.choice(signs).expect("signs").random(random);
        let joint = match (word.ends_with(|sign: char| sign.is_ascii_digit()), is_number(&next)) {
            (true, true) => ",",
            (false, false) if word.ends_with('?') == (next == "?") => ",",
            _ => "",
        };
        word = format!("{word}{joint}{next}");
    }
    Clue::text(&word)
}

fn fill(random: &mut Rng, (rows, columns): Cell, signs: &[ListedSign], are_plain: bool) -> ClueGrid {
    let chance = random.choice([0.2, 0.6, 1.0]).expect("a chance");
    let cells = (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
    let cells: Vec<Cell> = cells.filter(|_| random.f64() < chance).collect();
    let is_short = |sign: &Clue| sign.to_string().chars().count() == 1;
    let mut sign = || loop {
        let sign = random_sign(random, signs, are_plain);
        // Some boards have only signs of one character.
        if !are_plain || is_short(&sign) || !signs.iter().any(|sign| !matches!(sign, ListedSign::Numbers(10.., _))) {
            return sign;
        }
    };
    cells.into_iter().map(|cell| (cell, sign())).collect()
}

/// Random areas, usually connected, as a name for each cell.
fn random_areas(random: &mut Rng, board: &GridBoard) -> ClueGrid {
    let cells: Vec<Cell> = board.cells().collect();
    let mut names: BTreeMap<Cell, i32> = cells.iter().copied().zip(1..).collect();
    for _ in 0..random.usize(0..3 * cells.len()) {
        let cell = *random.choice(&cells).expect("cells");
        let neighbours: Vec<Cell> = board.neighbours(cell).collect();
        let Some(other) = random.choice(&neighbours) else { break };
        let (from, to) = (names[&cell], names[other]);
        names.values_mut().filter(|name| **name == from).for_each(|name| *name = to);
    }
    if random.f64() < 0.2 {
        // Areas may have several pieces.
        names.values_mut().for_each(|name| *name %= 3);
    }
    names.into_iter().map(|(cell, name)| (cell, Clue::from(name))).collect()
}

fn random_board(random: &mut Rng, kind: &Kind) -> GridBoard {
    let long = random.choice([1, 2, 5, 10, 16, 25]).expect("a length");
    let small = random.usize(1..=5);
    let (mut rows, mut columns) = match random.u8(0..4) {
        0 => (1, long),
        1 => (long, 1),
        _ => (small, random.usize(1..=5)),
    };
    if kind.is_square {
        (rows, columns) = (small, small);
    }
    if kind.name() == "sudoku" {
        (rows, columns) = random.choice([(4, 4), (6, 6), (9, 9)]).expect("a size");
    }
    let are_plain = random.bool();
    let mut board = GridBoard::of_size(rows, columns);
    let signs = kind.signs(Spot::Cell);
    if !signs.is_empty() {
        board.signs = fill(random, (rows, columns), &signs, are_plain);
    }
    for side in (0..4).filter(|&side| kind.reads(&[SIDES[side]])) {
        let (lines, signs) = (if side < 2 { rows } else { columns }, kind.signs(Spot::Side));
        let are_lists = random.bool();
        for line in (1..=lines).filter(|_| random.bool()).collect::<Vec<_>>() {
            for index in 1..=if are_lists { random.usize(1..4) } else { 1 } {
                board.around[side].insert((line, index), random_sign(random, &signs, true));
            }
        }
    }
    for grid in ["between", "corner", "shade"].into_iter().filter(|grid| kind.reads(&[grid])) {
        let signs = fill(random, board.grid_size(grid), &kind.signs(Spot::Grid), true);
        board.grids.extend((!signs.is_empty()).then(|| (grid.to_owned(), signs)));
    }
    if kind.reads(&["area"]) && (kind.name() != "sudoku" || random.bool()) {
        let areas = random_areas(random, &board);
        let count = areas.values().collect::<BTreeSet<_>>().len();
        // A Sudoku takes a single area, and areas of one cell, for a frame.
        if kind.name() != "sudoku" || (2..areas.len()).contains(&count) {
            board.set_areas(&areas);
        }
    } else if kind.reads(&["wall"]) && random.bool() {
        let pairs = board.cells().flat_map(|cell| board.neighbours(cell).map(move |other| (cell, other)));
        board.walls = pairs.filter(|(one, other)| one < other && random.f64() < 0.3).collect();
        board.areas = if board.walls.is_empty() { BTreeMap::new() } else { board.enclosed_areas() };
    }
    for line in &kind.lines {
        board.header.insert((line.clone(), vec![Clue::from(random.i32(1..20))]));
    }
    for flag in kind.flags.iter().filter(|_| random.bool()).collect::<Vec<_>>() {
        board.header.insert(("flag".to_owned(), vec![Clue::text(flag)]));
    }
    if kind.reads(&["bank"]) {
        board.header.insert(("bank".to_owned(), vec![Clue::text("c")]));
    }
    board
}

/// The rows of a board as a person might type them, with a random sign for empty cells; `None` if
/// rows cannot express the board.
fn type_rows(random: &mut Rng, board: &GridBoard) -> Option<String> {
    let rows = |random: &mut Rng, grid: &ClueGrid, (rows, columns): Cell| -> String {
        let words = grid.values().any(|sign| sign.to_string().chars().count() > 1) || columns > 1 && random.bool();
        let empty = random.choice([".", "_", "-"]).expect("a sign");
        let word = |cell: Cell| grid.get(&cell).map_or(empty.to_owned(), Clue::to_string);
        let row = |row| (1..=columns).map(|column| word((row, column))).collect::<Vec<_>>();
        (1..=rows).map(|number| row(number).join(if words { " " } else { "" }) + "\n").collect()
    };
    let has_sides = board.around.iter().any(|grid| !grid.is_empty());
    let bank = board.header.iter().any(|(name, _)| name == "bank");
    if !board.walls.is_empty() || !board.areas.is_empty() || has_sides || bank {
        return None;
    }
    let mut text = String::new();
    for (name, words) in &board.header {
        text += &format!("{name} {}\n", words[0]);
    }
    if board.rows == 1 {
        text += "rows 1\n";
    }
    if board.columns == 1 {
        text += "columns 1\n";
    }
    if !text.is_empty() {
        text += "\n";
    }
    text += &rows(random, &board.signs, (board.rows, board.columns));
    for (name, grid) in &board.grids {
        text += &format!("\n{name}\n{}", rows(random, grid, board.grid_size(name)));
    }
    Some(text)
}

/// The content of a board, independent of its source.
fn content(board: &GridBoard) -> GridBoard {
    let grids = board.grids.iter().filter(|(_, grid)| !grid.is_empty());
    let grids = grids.map(|(name, grid)| (name.clone(), grid.clone())).collect();
    GridBoard { puzzle: None, link: None, grids, ..board.clone() }
}

/// Compares random boards of a type in all notations, and returns how many had a link.
fn compare(kind: &Kind, seed: u64, count: usize) -> usize {
    let random = &mut Rng::with_seed(seed);
    let logic = kind.logic();
    let link = kind.puzzle.paragraph("Link").map(|link| Link::parse(link).expect("steps"));
    let mut linked = 0;
    for _ in 0..count {
        let board = random_board(random, kind);
        let context =
            |what: &str, text: &str| format!("{}, seed {seed}: {what}\n{text}\n{}", kind.name(), board.facts());
        let read = |what: &str, text: &str| -> Option<GridBoard> {
            let read = logic.read(&Document::in_memory("board", text));
            Some(content(&read.unwrap_or_else(|failure| panic!("{}\n{failure}", context(what, text)))?))
        };
        let is_square = kind.name() == "sudoku";
        let same = |what: &str, text: &str| {
            let (mut found, mut expected) = (read(what, text), content(&board));
            if is_square {
                // A square of numbers has many notations, and question marks mean nothing in it.
                let is_clue = |sign: &Clue| !matches!(sign.to_string().as_str(), "?" | "0");
                expected.signs.retain(|_, sign| is_clue(sign));
                found.iter_mut().for_each(|board| board.signs.retain(|_, sign| is_clue(sign)));
            }
            assert!(
                found.as_ref() == Some(&expected),
                "{}\nfound {found:?}\nexpected {expected:?}",
                context(what, text)
            );
        };
        // Text, with and without the name of the puzzle.
        let text = GridBoard { puzzle: Some(kind.name().to_owned()), ..board.clone() }.text();
        same("text with a name", &text);
        let documents = [Document::in_memory("board", text.as_str())];
        let recognised = recognise(builtin::registry(), &documents, &[], &[]);
        let entry = recognised.unwrap_or_else(|failure| panic!("{}\n{failure}", context("not known", &text))).entry;
        assert_eq!(entry.name(), kind.name(), "{}", context("another puzzle", &text));
        same("text", &board.text());
        if let Some(rows) = type_rows(random, &board) {
            same("rows", &rows);
            same("rows with a name", &format!("puzzle {}\n\n{rows}", kind.name()));
        }
        // Facts.
        let facts = board.facts();
        assert_eq!(read("facts are no text", &facts), None);
        let atoms: Vec<Symbol> =
            facts.split_whitespace().map(|fact| parse_term(fact.trim_end_matches('.')).expect("an atom")).collect();
        let of_facts =
            GridBoard::of_facts(&atoms).unwrap_or_else(|what| panic!("{}\n{what}", context("facts", &facts)));
        assert!(content(&of_facts) == content(&board), "{}\nfound {of_facts:?}", context("facts", &facts));
        // A link, if the type has one that can carry the board.
        let Some(Ok(url)) = link.as_ref().map(|link| link.write(&board)) else { continue };
        same("link", &url);
        linked += 1;
    }
    linked
}

fn compare_all(count: usize) {
    let seed = crate::support::extent::seed();
    let kinds = kinds();
    let differs = |(number, kind): &(usize, &Kind)| {
        let compared = AssertUnwindSafe(|| compare(kind, seed.wrapping_add(*number as u64), count));
        catch_unwind(compared).is_err()
    };
    let wrong: Vec<&str> = kinds.iter().enumerate().filter(differs).map(|(_, kind)| kind.name()).collect();
    assert_eq!(wrong, Vec::<&str>::new(), "seed {seed}");
}

#[test]
fn boards_of_all_signs_are_equal_as_text_facts_and_link() {
    compare_all(crate::support::extent::sample_size(20));
}

mod campaign {
    #[test]
    #[ignore = "takes a minute"]
    fn many_boards_of_all_signs_are_equal_as_text_facts_and_link() {
        super::compare_all(1000);
    }
}

/// Without the signs of the puzzle these rows would be a frame, a border, a title, a header line, a
/// link or a rule.
#[test]
fn signs_of_the_puzzle_are_not_taken_for_frames_borders_or_header_lines() {
    for (puzzle, text, size, signs) in [
        ("tatamibari", "|+.\n.+|\n", (2, 3), "|++|"),
        ("tatamibari", "+-+\n|=|\n+-+\n", (3, 3), "++|=|++"),
        ("tatamibari", "++\n||\n", (2, 2), "++||"),
        ("tatamibari", "|==|\n|--|\n|==|\n", (3, 4), "|==||||==|"),
        ("balance", "o2 . .\n.  . *\n", (2, 3), "o2*"),
        ("balance", "columns 1\n *\no10\n", (2, 1), "*o10"),
        ("slalom", ":-:\n===\no..\n", (3, 3), "::===o"),
        ("slalom", "rows 1\n\n:-:\n", (1, 3), "::"),
        ("dbchoco", "1 3 2\n5 ? ?\n\nshade\n# # #\n# # #\n", (2, 3), "1325??"),
        ("tetrominous", "LITS\n....\n", (2, 4), "LITS"),
        ("castle", "?o..\n", (1, 4), "?o"),
        ("masyu", "rows 1\n\n................\n", (1, 16), ""),
    ] {
        let named = format!("puzzle {puzzle}\n\n{text}");
        for text in [text, &named] {
            let logic = LogicPuzzle::named(puzzle).expect("a built-in puzzle");
            let read = logic.read(&Document::in_memory("board", text));
            let board = read.unwrap_or_else(|failure| panic!("{text}\n{failure}")).expect("a board");
            let found: String = board.signs.values().map(Clue::to_string).collect();
            assert_eq!(((board.rows, board.columns), found.as_str()), (size, signs), "{puzzle}\n{text}");
        }
    }
}

#[test]
fn unsupported_parts_of_a_board_are_errors() {
    for (text, expected) in [
        (
            "puzzle minarism\n\n..\n..\n\nbetween\n...\n#..\n...\n",
            "8:1: error: `#` in row 2, column 1 of the grid `between`",
        ),
        (
            "puzzle tents\ntop . 1\n\nT.\n.3\n",
            "5:2: error: `3` in row 2, column 2 is not a clue of tents: expected \"T\"",
        ),
        (
            "puzzle tents\ntop T 1\n\nT.\n..\n",
            "2:5: error: `T` beside row or column 1 is not a clue of tents: expected numbers, \"?\"",
        ),
        ("puzzle slither\ntop 1 2\n\n..\n..\n", "2:5: error: the board has clues `top`; slither reads only"),
        ("puzzle lits\n\n+-+-+\n|3|.|\n+-+-+\n", "4:2: error: the board has `3` in row 1, column 1; lits reads only"),
        ("puzzle slither\n\n+-+-+\n|3|.|\n+-+-+\n", "the board has borders between cells; slither reads only"),
        ("puzzle slither\n..\n..\nbetween\n...\n.#.\n...\n", "6:2: error: `between` is not an input of slither"),
        ("puzzle slither\nspeed 3\n\n..\n..\n", "2:1: error: `speed` is not an input of slither"),
    ] {
        let name = text.split_whitespace().nth(1).expect("a name");
        let solved = solve(LogicPuzzle::named(name).expect("a built-in puzzle"), Job::of(text));
        let failure = solved.err().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(failure.code(), Some(Code::InvalidInstance), "{text}\n{failure}");
        assert!(failure.to_string().contains(expected), "{text}\n{failure}");
    }
}

#[test]
fn a_wrong_sign_is_shown_with_its_place_and_line() {
    let folder = folder();
    let path = file(folder.path(), "board.txt", "puzzle slither\n..\n.5\n");
    let ran = run([path.as_os_str()]);
    let expected = |name: &str| {
        format!(
            "error: `5` in row 2, column 2 is not a clue of slither: expected 0..4, \"?\"\n --> {name}:3:2\n  |\n3 | .5\n  |  ^\n"
        )
    };
    assert_eq!((ran.code, ran.err), (2, expected(&path.display().to_string())));
    let ran = run_with_input("-", "puzzle slither\n..\n.5\n");
    assert_eq!((ran.code, ran.err), (2, expected("<stdin>")));
}

#[test]
fn a_drawn_sudoku_keeps_unusual_boxes() {
    let border = format!("{}+\n", "+---".repeat(6));
    let row = format!("{}|\n", "| .   . ".repeat(3));
    let gap = format!("{}+\n", "+   ".repeat(6));
    let text = format!("puzzle sudoku\n\n{border}{0}{border}{0}{border}", [row.as_str(); 3].join(&gap));
    let logic = LogicPuzzle::named("sudoku").expect("a built-in puzzle");
    let board = logic.read(&Document::in_memory("board", text.as_str())).expect("a valid text").expect("a board");
    let areas: BTreeSet<usize> = board.areas.values().copied().collect();
    assert_eq!((board.rows, board.columns, areas.len()), (6, 6, 6), "{text}");
    assert_eq!((board.areas[&(3, 1)], board.areas[&(3, 3)]), (1, 2), "{text}");
}
