//! Tests the board of each type in `instances/`, with one test for each type.
//!
//! Each test starts the command once, for the snapshot of its text; everything else uses the
//! library.

use std::collections::BTreeMap;

use asp::{Settings, Solver, Symbol};
use asp_solve::{Job, LogicPuzzle, RunResult, Show, Uniqueness, Verdict, solve};
use base::document::Document;
use base::stop::CancelToken;
use base::style::Style;
use pencil::board::{Clue, ClueGrid, GridBoard, SIDES};
use puzzle::Format;
use puzzle::{Describe, Puzzle};
use serde_json::Value;

use super::explained_puzzles as explained;
use super::types::{Boards, PuzzleFile, each_type, puzzles};

each_type!(check_type);

fn check_type(puzzle: &PuzzleFile) {
    check_header(puzzle);
    check_grounding_messages(puzzle);
    let board = puzzle.board();
    check_unique_solution(puzzle, &board);
    let mut job = puzzle.job();
    job.output.show = Show::Pictures;
    let solved = solve(puzzle.logic.clone(), job);
    let solved = solved.unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name));
    check_widths_and_colors(puzzle, &solved);
    check_pictures(puzzle, &board, &solved);
    let printed = crate::snapshots::assert_board_matches_snapshot(puzzle);
    check_facts_and_link(puzzle, &board, &printed["answers"]);
    check_page(puzzle);
    explained::check_words_of_clues_constraints_and_answers(puzzle);
    let solution = explained::check_solution_with_hint_rules(puzzle);
    explained::check_words_of_next_step(puzzle);
    check_that_no_number_is_ignored(puzzle, &changed_numbers(puzzle, &board, 1, &CHANGES), &solution);
    check_unknown_clues(puzzle, &board, &solution);
    explained::check_cause_of_changed_clue(puzzle);
}

/// The header has all paragraphs, and the library reads it as [`PuzzleFile`] does.
fn check_header(puzzle: &PuzzleFile) {
    let about = puzzle.paragraph("").unwrap_or_else(|| panic!("{}: no title", puzzle.name));
    assert!(about.split_once(": ").is_some_and(|(_, rules)| rules.ends_with('.')), "{}: {about}", puzzle.name);
    for head in ["Input", "Output", "Drawing", "Clues", "Answers"] {
        assert!(puzzle.paragraph(head).is_some(), "{}: no {head}", puzzle.name);
    }
    let makes_some = ["#program clues.", "#program areas."].iter().any(|part| puzzle.text.contains(part));
    let has_generator = puzzle.paragraph("Clues").is_some_and(|clues| !clues.starts_with("none"));
    assert_eq!(makes_some, has_generator, "{}: the part that generates boards", puzzle.name);
    assert!(puzzle.files().iter().all(|file| file.is_file()), "{}: {:?}", puzzle.name, puzzle.paragraph("Goes with"));
    let read = puzzle.logic.about();
    assert_eq!((read.name, read.summary), (puzzle.name.as_str(), about.trim_end_matches('.')));
    let tools: Vec<&str> = puzzle.logic.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(tools.contains(&"generate"), has_generator, "{}: {tools:?}", puzzle.name);
}

/// Grounds parts of the puzzle with a board, and returns clingo's messages.
fn clingo_messages(puzzle: &PuzzleFile, board: &str, parts: &[&str]) -> Vec<String> {
    let mut solver = Solver::new(&Settings::default(), &CancelToken::new()).expect("clingo starts");
    solver.load(&puzzle.program(board)).unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name));
    let parts: Vec<(&str, &[Symbol])> = parts.iter().map(|part| (*part, &[][..])).collect();
    solver.ground(&parts).unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name));
    solver.messages().iter().map(|message| message.diagnostic.to_string()).collect()
}

/// clingo grounds the rules for new boards without messages.
/// [`explained::check_solution_with_hint_rules`] checks the other rules.
fn check_grounding_messages(puzzle: &PuzzleFile) {
    if puzzle.text.contains("#program clues.") {
        // If areas are generated, they exist before the clues.
        let areas = if puzzle.text.contains("#program areas.") { "area(1..3,1..6,1). area(4..6,1..6,2)." } else { "" };
        let messages = clingo_messages(puzzle, &format!("rows(6). columns(6). {areas}"), &["base", "clues"]);
        assert_eq!(messages, Vec::<String>::new(), "{}, empty", puzzle.name);
    }
}

/// There is exactly one solution, with a certificate.
fn check_unique_solution(puzzle: &PuzzleFile, board: &GridBoard) {
    let name = &puzzle.name;
    let solved = solve(puzzle.logic.clone(), puzzle.job().unique());
    let solved = solved.unwrap_or_else(|failure| panic!("{name}: {failure}"));
    assert_eq!(
        (solved.verdict(), solved.unique(), solved.complete()),
        (Verdict::Solved, Uniqueness::One, true),
        "{name}"
    );
    assert!(solved.rules().is_builtin() && solved.warnings().is_empty(), "{name}: {:?}", solved.warnings());
    let certificate = solved.certification().unwrap_or_else(|| panic!("{name}: no certificate"));
    assert_eq!((certificate.claim, certificate.checked), ("no other", Some(true)), "{name}");
    let json = solved.json();
    let [answer] = &json["answers"].as_array().expect("answers")[..] else {
        panic!("{name}: expected one answer, found {}", json["answers"])
    };
    let grid = answer["grid"].as_array().unwrap_or_else(|| panic!("{name}: no grid"));
    let columns = grid.iter().map(|row| row.as_array().map_or(0, Vec::len)).collect::<Vec<_>>();
    assert_eq!(columns, vec![board.columns; board.rows], "{name}: the size of the grid");
    let text = solved.text();
    assert!(text.lines().count() > 2 * board.rows && !text.contains('\u{1b}'), "{name}: {text}");
}

/// The text is no wider than the terminal, and plain without colors.
fn check_widths_and_colors(puzzle: &PuzzleFile, solved: &RunResult<LogicPuzzle>) {
    for columns in [60, 200] {
        let shown = |color| puzzle.logic.text(solved, &Style { color, width: Some(columns), ..Style::default() });
        let (plain, colored) = (shown(false), shown(true));
        let without_colors = anstream::adapter::strip_str(&colored).to_string();
        let widest = [&plain, &without_colors].into_iter().flat_map(|text| text.lines().skip(1));
        let widest = widest.map(|line| line.trim_end().chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= columns), "{}, {columns}:\n{plain}", puzzle.name);
        assert!(!plain.contains('\u{1b}'), "{}: {plain}", puzzle.name);
        assert!(colored.contains('\u{1b}'), "{}: no colors", puzzle.name);
    }
}

/// The rectangles among the paths of a picture: left, top, right, bottom.
fn rectangles(document: &roxmltree::Document<'_>) -> Vec<[f64; 4]> {
    let paths = document
        .descendants()
        .filter(|node| node.has_tag_name("path") && node.attribute("fill").is_some_and(|fill| fill.starts_with('#')));
    let is_untranslated = |node: &roxmltree::Node<'_, '_>| {
        node.ancestors().filter_map(|node| node.attribute("transform")).all(|place| place == "translate(0 0)")
    };
    let corners = |part: &str| -> Option<[f64; 4]> {
        let points: Vec<[f64; 2]> = part
            .split('L')
            .map(|point| point.split_once(' ').and_then(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?])))
            .collect::<Option<_>>()?;
        let [a, b, c, d, e] = points[..] else { return None };
        (a == e && a[1] == b[1] && b[0] == c[0] && c[1] == d[1] && d[0] == a[0]).then_some([a[0], a[1], c[0], c[1]])
    };
    let parts = paths.filter(is_untranslated).filter_map(|path| path.attribute("d")).flat_map(|data| data.split('M'));
    parts.filter_map(corners).collect()
}

/// Counts the texts that contain a digit.
fn numbers<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeMap<&'t str, usize> {
    let mut counts = BTreeMap::new();
    for text in texts.filter(|text| text.contains(|sign: char| sign.is_ascii_digit())) {
        *counts.entry(text).or_default() += 1;
    }
    counts
}

/// The picture of the solution is that of the documentation. It and the picture of the board have
/// a mark for each cell and all texts of the board.
fn check_pictures(puzzle: &PuzzleFile, board: &GridBoard, solved: &RunResult<LogicPuzzle>) {
    for (number, answer) in [solved.answers().first(), None].into_iter().enumerate() {
        let picture = solved.picture(answer).unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name));
        let svg = picture.unwrap_or_else(|| panic!("{}: nothing is drawn", puzzle.name)).svg();
        if number == 0 {
            super::pictures::check_documented_picture(&puzzle.name, &svg);
        }
        check_marks_and_texts(puzzle, board, &svg);
    }
}

fn check_marks_and_texts(puzzle: &PuzzleFile, board: &GridBoard, svg: &str) {
    let name = &puzzle.name;
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{name}: {error}"));
    let grounds = rectangles(&document);
    let edge = |side: usize, better: fn(f64, f64) -> f64| {
        grounds.iter().map(|ground| ground[side]).reduce(better).expect("a cell has a ground")
    };
    let [left, top, right, bottom] =
        [(0, f64::min as fn(f64, f64) -> f64), (1, f64::min), (2, f64::max), (3, f64::max)]
            .map(|(side, better)| edge(side, better));
    let size = [(right - left) / board.columns as f64, (bottom - top) / board.rows as f64];
    // Some types draw only cells with a sign, such as islands.
    let draws_all = puzzle
        .text
        .lines()
        .any(|line| line.starts_with("draw(cell(R,C)) ") && line.trim_end().ends_with(" :- cell(R,C)."));
    let is_there =
        |cell: &(usize, usize)| draws_all || board.signs.get(cell).is_some_and(|sign| *sign != Clue::text("#"));
    for (row, column) in board.cells().filter(is_there) {
        let [x, y] = [left + (column as f64 - 0.5) * size[0], top + (row as f64 - 0.5) * size[1]];
        let is_on = |ground: &&[f64; 4]| ground[0] < x && x < ground[2] && ground[1] < y && y < ground[3];
        assert!(grounds.iter().any(|ground| is_on(&ground)), "{name}: no mark for ({row},{column})");
    }
    let words: Vec<&str> =
        document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    let shown = numbers(words.iter().copied());
    let given: Vec<String> = board
        .signs
        .values()
        .chain(board.around.iter().flat_map(|side| side.values()))
        // The two sums of a cell are on either side of its diagonal.
        .flat_map(|sign| sign.to_string().split('\\').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    for (text, count) in numbers(given.iter().map(String::as_str)) {
        let drawn = shown.get(text).copied().unwrap_or_default();
        // A circle may be a mark, and the four numbers of a compass are separate texts.
        let parts: Vec<String> = Clue::text(text).parts().iter().map(Clue::to_string).collect();
        let is_split = parts.len() > 1
            && numbers(parts.iter().map(String::as_str))
                .keys()
                .all(|part| shown.keys().any(|text| text.contains(part)));
        assert!(
            drawn >= count || is_split,
            "{name}: `{text}` is given {count} times and shown {drawn} times: {words:?}"
        );
    }
}

/// The board's facts and its link give the same solutions.
fn check_facts_and_link(puzzle: &PuzzleFile, board: &GridBoard, solutions: &Value) {
    let (name, facts) = (&puzzle.name, board.facts());
    let job_of_facts = || puzzle.job_of("board.lp", &facts);
    let printed = |what: &str, job: Job, format: Format| {
        puzzle.printed(job, format).unwrap_or_else(|failure| panic!("{name}: {what}: {failure}")).0
    };
    let solved = |what: &str, job: Job| {
        let value: Value = serde_json::from_str(&printed(what, job, Format::Json)).expect("JSON");
        assert_eq!((&value["answers"], &value["rules"]), (solutions, &"shipped".into()), "{name}: {what}");
    };
    solved("as facts", job_of_facts());
    if puzzle.paragraph("Link").is_none() {
        return;
    }
    let url = printed("as text", puzzle.job(), Format::Url);
    assert_eq!(printed("as facts", job_of_facts(), Format::Url), url);
    for link in [url.clone(), format!("% from a page\n{url}")] {
        assert_eq!(printed("as link", puzzle.job_of("link", &link), Format::Url), url);
    }
    let read = puzzle.logic.read(&Document::in_memory("link", url.as_str()));
    let read = read.unwrap_or_else(|failure| panic!("{url}: {failure}")).expect("a board");
    // Equal facts give the same program.
    if read.facts() != facts {
        solved("as link", puzzle.job_of("link", &url));
    }
}

fn check_page(puzzle: &PuzzleFile) {
    let page =
        puzzle.printed(puzzle.job(), Format::Html).unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name)).0;
    assert!(page.contains("<svg") && page.contains("</html>"), "{}: {page}", puzzle.name);
}

/// Boards with one number changed, for the first `max` numbers of each grid, each with a
/// description of the change.
fn with_one_number_changed(board: &GridBoard, max: usize, change: Change) -> Vec<(String, GridBoard)> {
    let mut changed = Vec::new();
    for (kind, _) in grids(&mut board.clone()) {
        let before = changed.len();
        for at in 0.. {
            let mut board = board.clone();
            let (_, grid) = grids(&mut board).into_iter().find(|(name, _)| *name == kind).expect("the same grids");
            let Some((cell, sign)) = grid.iter_mut().nth(at).filter(|_| changed.len() - before < max) else { break };
            let text = sign.to_string();
            let is_digit = |letter: char| letter.is_ascii_digit();
            let digits = text.trim_start_matches(|letter| !is_digit(letter));
            let behind = digits.trim_start_matches(is_digit);
            let Some(number) = digits[..digits.len() - behind.len()].parse().ok().and_then(change) else { continue };
            *sign = Clue::text(&format!("{}{number}{behind}", &text[..text.len() - digits.len()]));
            changed.push((format!("{number} for {text} at {cell:?}, {kind}"), board));
        }
    }
    changed
}

/// The grids of clues, by name.
fn grids(board: &mut GridBoard) -> Vec<(String, &mut ClueGrid)> {
    let named = board.grids.iter_mut().map(|(name, grid)| (name.clone(), grid));
    let sides = SIDES.map(str::to_owned).into_iter().zip(&mut board.around);
    [("cell".to_owned(), &mut board.signs)].into_iter().chain(named).chain(sides).collect()
}

type Change = fn(i32) -> Option<i32>;

/// Adds one to a number, and replaces it with the largest one.
const CHANGES: [Change; 2] = [|number| number.checked_add(1), |_| Some(i32::MAX)];

fn changed_numbers(puzzle: &PuzzleFile, board: &GridBoard, max: usize, changes: &[Change]) -> Vec<(String, GridBoard)> {
    let changed = changes.iter().flat_map(|&change| with_one_number_changed(board, max, change));
    // renban allows the largest number, and would enumerate all numbers up to it.
    changed.filter(|(which, _)| puzzle.name != "renban" || !which.starts_with(&i32::MAX.to_string())).collect()
}

/// Types whose clues may be false or shaded: a changed number may keep the solution, among others.
const HAVE_FREE_NUMBERS: [&str; 4] = ["hitori", "usoone", "usotatami", "yajikazu"];

/// No board keeps its solution if one of its numbers is changed, however large the number is.
fn check_that_no_number_is_ignored(puzzle: &PuzzleFile, changed: &[(String, GridBoard)], solution: &[String]) {
    for (which, board) in changed {
        // Each board is grounded alone, because numbers this large are too expensive as choices.
        let solutions =
            |rules: &str| Boards::new(puzzle, &[board.facts()], rules).map(|mut one| one.solutions(&board.facts()));
        let keeps_solution = solutions(&explained::restrict_to(puzzle, solution)) != Some(0);
        let has_more = || HAVE_FREE_NUMBERS.contains(&&*puzzle.name) && solutions("") == Some(2);
        assert!(!keeps_solution || has_more(), "{}: {which} leaves the solution", puzzle.name);
    }
}

/// `why` relies on this: a clue that is left out may have any value, including its own.
fn check_unknown_clues(puzzle: &PuzzleFile, board: &GridBoard, solution: &[String]) {
    let facts = board.facts();
    let is_clue = |line: &&str| ["sign(", "left(", "top(", "stars("].iter().any(|name| line.starts_with(name));
    let clues: Vec<&str> = facts.lines().filter(is_clue).collect();
    let without = |clue: &&str| -> String {
        let left_out = clue.trim_end_matches('.').split(". ").map(|fact| format!("__asp_solve_fact(0,{fact}). "));
        let left_out: String = left_out.collect();
        facts.lines().map(|line| format!("{}\n", if line == *clue { left_out.trim_end() } else { line })).collect()
    };
    let boards: Vec<String> = clues.iter().map(without).collect();
    let Some(mut grounded) = Boards::new(puzzle, &boards, &explained::restrict_to(puzzle, solution)) else { return };
    for (clue, board) in clues.iter().zip(&boards) {
        assert!(grounded.solutions(board) > 0, "{}: without {clue}", puzzle.name);
    }
}

#[test]
fn numbers_of_each_kind_of_grid_are_changed() {
    let of = |puzzle: &PuzzleFile| changed_numbers(puzzle, &puzzle.board(), 1, &CHANGES);
    let changed: Vec<String> = puzzles().iter().flat_map(of).map(|(which, _)| which).collect();
    for kind in ["cell", "corner", "left", "top"] {
        assert!(changed.iter().any(|which| which.ends_with(kind)), "{kind}: {changed:?}");
    }
}

#[test]
#[ignore = "all numbers of all boards"]
fn no_number_of_any_board_is_ignored() {
    // 0 may be an empty cell.
    let less: Change = |number| (number > 1).then_some(number - 1);
    // A change of a free number may have no effect.
    for puzzle in puzzles().iter().filter(|puzzle| !HAVE_FREE_NUMBERS.contains(&&*puzzle.name)) {
        let (board, solution) = (puzzle.board(), explained::solution(puzzle));
        let changed = changed_numbers(puzzle, &board, usize::MAX, &[CHANGES[0], less, CHANGES[1]]);
        check_that_no_number_is_ignored(puzzle, &changed, &solution);
    }
}
