//! Every puzzle that is a file in `asp/puzzles/`, with its board in `instances/`: drop two such files in, and they are tested.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use asp_solve::asp::{Program, Settings, Solver};
use asp_solve::document::Document;
use asp_solve::puzzle::logic::board::{Board, Grid, SIDES, Sign};
use asp_solve::puzzle::logic::link::type_of;
use asp_solve::stop::Stop;
use serde_json::Value;

use crate::support::{answers, file, folder, run, run_line, run_with_input};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A puzzle's file, as one reads it who knows nothing of the program.
pub struct Sheet {
    pub name: String,
    text: String,
    /// The paragraphs of its header, by their heads; the first one has none.
    header: BTreeMap<String, String>,
}

impl Sheet {
    fn of(name: &str) -> Sheet {
        let text = text(&format!("asp/puzzles/{name}.lp"));
        let mut header: BTreeMap<String, String> = BTreeMap::new();
        let mut head = String::new();
        for line in text.lines().map_while(|line| line.strip_prefix('%')) {
            let words = match line.trim_start().split_once("  ") {
                Some((word, rest)) if !line.starts_with("  ") => {
                    head = word.to_owned();
                    rest
                }
                // Words between the paragraphs belong to none.
                _ if !head.is_empty() && !line.starts_with("  ") => continue,
                _ => line,
            };
            let paragraph = header.entry(head.clone()).or_default();
            *paragraph = format!("{paragraph} {}", words.trim()).trim().to_owned();
        }
        Sheet { name: name.to_owned(), text, header }
    }

    pub fn has(&self, head: &str) -> Option<&str> {
        self.header.get(head).map(String::as_str)
    }

    pub fn board(&self) -> Board {
        let name = format!("instances/{}.txt", self.name);
        Board::read(&Document::in_memory(name.as_str(), text(&name))).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// The files that a stock clingo is given.
    pub fn files(&self) -> Vec<PathBuf> {
        let others = self.has("Goes with").unwrap_or_default().split(", ").map(str::to_owned);
        let files = others.chain([format!("{}.lp", self.name)]).filter(|name| !name.is_empty());
        files.map(|name| root().join("asp/puzzles").join(name)).collect()
    }

    /// The puzzle with a board in facts.
    pub fn program(&self, board: &str) -> Program {
        let document = |path: &PathBuf| {
            let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Document::in_memory(path.display().to_string(), text)
        };
        Program {
            instance: vec![Document::in_memory("board", board)],
            encoding: self.files().iter().map(document).collect(),
            ..Program::default()
        }
    }

    /// Grounds the puzzle with a board, and gives what clingo has to say.
    fn grounded(&self, board: &str, parts: &[&str]) -> Vec<String> {
        let program = self.program(board);
        let mut solver = Solver::new(&Settings::default(), &Stop::new()).expect("clingo starts");
        solver.load(&program).unwrap_or_else(|failure| panic!("{}: {failure}", self.name));
        let parts: Vec<(&str, &[asp_solve::asp::Symbol])> = parts.iter().map(|part| (*part, &[][..])).collect();
        solver.ground(&parts).unwrap_or_else(|failure| panic!("{}: {failure}", self.name));
        solver.messages().iter().map(|message| message.diagnostic.to_string()).collect()
    }
}

pub fn sheets() -> Vec<Sheet> {
    let files = std::fs::read_dir(root().join("asp/puzzles")).expect("the folder of puzzles");
    let paths = files.map(|file| file.expect("a file").path()).filter(|path| path.extension().is_some());
    let mut names: Vec<String> =
        paths.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(
        names.len(),
        crate::support::pencil_puzzles(),
        "the folder and the program have the same puzzles: {names:?}"
    );
    names.iter().map(|name| Sheet::of(name)).collect()
}

fn solved(arguments: &str) -> Value {
    let ran = run_line(&format!("{arguments} -f json"));
    assert!(ran.code < 2 && ran.err.is_empty(), "{arguments}: {}", ran.err);
    ran.json()
}

#[test]
fn every_file_says_what_the_puzzle_is_and_is_listed() {
    let list = run_line("list").out;
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
    for sheet in sheets() {
        let about = sheet.has("").unwrap_or_else(|| panic!("{}: no title", sheet.name));
        assert!(about.split_once(": ").is_some_and(|(_, rules)| rules.ends_with('.')), "{}: {about}", sheet.name);
        for head in ["Input", "Output", "Drawing", "Clues", "Answers"] {
            assert!(sheet.has(head).is_some(), "{}: no {head}", sheet.name);
        }
        let makes_some = ["#program clues.", "#program areas."].iter().any(|part| sheet.text.contains(part));
        let has_generator = sheet.has("Clues").is_some_and(|clues| !clues.starts_with("none"));
        assert_eq!(makes_some, has_generator, "{}: the part that says what boards there are", sheet.name);
        assert!(sheet.files().iter().all(|file| file.is_file()), "{}: {:?}", sheet.name, sheet.has("Goes with"));
        let line = format!("{}: {}\n", sheet.name, about.trim_end_matches('.'));
        let title = about.split_once(": ").expect("a title").0;
        assert!(list.contains(&format!("\n  {}: {title}: ", sheet.name)), "{} is not in\n{list}", sheet.name);
        let alone = run_line(&format!("list {}", sheet.name)).out;
        assert!(alone.starts_with(&line), "{alone}");
        assert_eq!(alone.contains("commands   generate"), has_generator, "{alone}");
    }
}

#[test]
fn a_board_without_a_solution_by_its_size_rooms_or_signs_names_the_rule() {
    for (link, words) in [
        ("stostone/2/3/00g", "there is no lower half: the number of rows, 3, is odd"),
        ("ayeheya/4/3/2ehsl", "does not look the same after half a turn"),
        ("nurimaze/3/3/vvvvd", "the number of cells with"),
        ("nurimaze/3/3/vvvv1c", "the number of cells with G is not 1"),
        ("nurimaze/3/3/vvvv122a", "the number of cells with G is not 1"),
    ] {
        let ran = run([link, "--unique"]);
        assert!(ran.out.contains("no solution") && ran.out.contains(words), "{link}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn every_puzzle_of_the_folder_solves_its_board_proves_it_unique_and_draws_it() {
    for sheet in sheets() {
        let name = format!("instances/{}.txt", sheet.name);
        let (board, value) = (sheet.board(), solved(&format!("{name} --unique")));
        let said = ["puzzle", "verdict", "rules"].map(|key| value[key].as_str().unwrap_or_default().to_owned());
        assert_eq!(said, [sheet.name.as_str(), "solved", "shipped"], "{name}");
        assert_eq!((&value["unique"], &value["complete"]), (&true.into(), &true.into()), "{name}");
        let [answer] = &answers(&value)[..] else { panic!("{name}: one answer was wanted") };
        let grid = answer["grid"].as_array().unwrap_or_else(|| panic!("{name}: no grid"));
        let columns = grid.iter().map(|row| row.as_array().map_or(0, Vec::len)).collect::<Vec<_>>();
        assert_eq!(columns, vec![board.columns; board.rows], "{name}: as large as the board");

        let text = run([name.as_str(), "--unique"]);
        assert_eq!(text.code, 0, "{name}: {}", text.err);
        assert!(text.out.starts_with("One solution: proven, and certified in "), "{name}: {}", text.out);
        assert!(text.out.lines().count() > 2 * board.rows && !text.out.contains('\u{1b}'), "{name}: {}", text.out);
        let page = run([name.as_str(), "-f", "html"]);
        assert!(page.code == 0 && page.out.contains("<svg") && page.out.contains("</html>"), "{name}: {}", page.err);
    }
}

/// The rectangles among the paths of a picture: left, top, right, bottom.
fn rectangles(document: &roxmltree::Document<'_>) -> Vec<[f64; 4]> {
    let paths = document
        .descendants()
        .filter(|node| node.has_tag_name("path") && node.attribute("fill").is_some_and(|fill| fill.starts_with('#')));
    let is_at_home = |node: &roxmltree::Node<'_, '_>| {
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
    let parts = paths.filter(is_at_home).filter_map(|path| path.attribute("d")).flat_map(|way| way.split('M'));
    parts.filter_map(corners).collect()
}

/// Texts that hold a digit, and how often each is there.
fn numbers<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeMap<&'t str, usize> {
    let mut counts = BTreeMap::new();
    for text in texts.filter(|text| text.contains(|sign: char| sign.is_ascii_digit())) {
        *counts.entry(text).or_default() += 1;
    }
    counts
}

#[test]
fn every_picture_has_a_mark_for_each_cell_and_the_texts_that_the_board_gives() {
    for sheet in sheets() {
        let board = sheet.board();
        for answer in ["1", "0"] {
            let name = format!("instances/{}.txt", sheet.name);
            let svg = run([name.as_str(), "-f", "svg", "--answer", answer]);
            assert_eq!(svg.code, 0, "{name}: {}", svg.err);
            let document = roxmltree::Document::parse(&svg.out).unwrap_or_else(|error| panic!("{name}: {error}"));
            let grounds = rectangles(&document);
            let edge = |side: usize, better: fn(f64, f64) -> f64| {
                grounds.iter().map(|ground| ground[side]).reduce(better).expect("a cell has a ground")
            };
            let [left, top, right, bottom] =
                [(0, f64::min as fn(f64, f64) -> f64), (1, f64::min), (2, f64::max), (3, f64::max)]
                    .map(|(side, better)| edge(side, better));
            let size = [(right - left) / board.columns as f64, (bottom - top) / board.rows as f64];
            // Some draw only the cells that are there, such as islands.
            let draws_all = sheet
                .text
                .lines()
                .any(|line| line.starts_with("draw(cell(R,C)) ") && line.trim_end().ends_with(" :- cell(R,C)."));
            let is_there =
                |cell: &(usize, usize)| draws_all || board.signs.get(cell).is_some_and(|sign| *sign != Sign::text("#"));
            for (row, column) in board.cells().filter(is_there) {
                let [x, y] = [left + (column as f64 - 0.5) * size[0], top + (row as f64 - 0.5) * size[1]];
                let is_on = |ground: &&[f64; 4]| ground[0] < x && x < ground[2] && ground[1] < y && y < ground[3];
                assert!(grounds.iter().any(|ground| is_on(&ground)), "{name}: no mark for ({row},{column})");
            }
            let words: Vec<&str> = document
                .descendants()
                .filter(|node| node.has_tag_name("text"))
                .filter_map(|node| node.text())
                .collect();
            let shown = numbers(words.iter().copied());
            let given: Vec<String> = board
                .signs
                .values()
                .chain(board.around.iter().flat_map(|side| side.values()))
                // The two sums of a cell stand on either side of its diagonal.
                .flat_map(|sign| sign.to_string().split('\\').map(str::to_owned).collect::<Vec<_>>())
                .collect();
            for (text, count) in numbers(given.iter().map(String::as_str)) {
                let there = shown.get(text).copied().unwrap_or_default();
                // A circle may be drawn, and the four numbers of a compass stand in its corners.
                let parts: Vec<String> = Sign::text(text).parts().iter().map(Sign::to_string).collect();
                let is_apart = parts.len() > 1
                    && numbers(parts.iter().map(String::as_str))
                        .keys()
                        .all(|part| shown.keys().any(|text| text.contains(part)));
                assert!(
                    there >= count || is_apart,
                    "{name}: `{text}` is given {count} times and shown {there} times: {words:?}"
                );
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn every_puzzle_fits_narrow_and_wide_terminals_and_is_plain_where_no_color_is_wanted() {
    use crate::support::on_a_terminal;

    for sheet in sheets() {
        let instance = root().join(format!("instances/{}.txt", sheet.name));
        for columns in [60, 200] {
            let shown = on_a_terminal(&[instance.as_os_str()], root(), columns, false);
            let plain = anstream::adapter::strip_str(&shown).to_string();
            let widest = plain.lines().skip(1).map(|line| line.trim_end().chars().count()).max();
            assert!(widest.is_some_and(|widest| widest <= columns.into()), "{}, {columns}:\n{plain}", sheet.name);
            assert!(shown.contains('\u{1b}'), "{}: colours are there", sheet.name);
            let shown = on_a_terminal(&[instance.as_os_str()], root(), columns, true);
            assert!(!shown.contains('\u{1b}'), "{}: {shown}", sheet.name);
        }
    }
}

#[test]
fn every_puzzle_grounds_without_a_word_from_clingo() {
    for sheet in sheets() {
        assert_eq!(sheet.grounded(&sheet.board().facts(), &["base"]), Vec::<String>::new(), "{}", sheet.name);
        if sheet.text.contains("#program clues.") {
            // Where areas are drawn, they are there before the clues.
            let areas =
                if sheet.text.contains("#program areas.") { "area(1..3,1..6,1). area(4..6,1..6,2)." } else { "" };
            let said = sheet.grounded(&format!("rows(6). columns(6). {areas}"), &["base", "clues"]);
            assert_eq!(said, Vec::<String>::new(), "{}, empty", sheet.name);
        }
    }
}

#[test]
fn boards_as_text_as_facts_and_as_a_link_are_one() {
    let folder = folder();
    for sheet in sheets() {
        let board = sheet.board();
        let wanted = solved(&format!("instances/{}.txt", sheet.name));
        let facts = file(folder.path(), &format!("{}.lp", sheet.name), board.facts());
        let value = solved(&format!("{} -p {}", facts.display(), sheet.name));
        assert_eq!(value["answers"], wanted["answers"], "{}: as facts", sheet.name);
        assert_eq!(value["rules"], "shipped", "{}: as facts", sheet.name);
        if sheet.has("Link").is_none() {
            continue;
        }
        let links = [format!("instances/{}.txt", sheet.name), format!("{} -p {}", facts.display(), sheet.name)]
            .map(|arguments| run_line(&format!("{arguments} -f url")));
        let url = links[0].out.trim();
        assert_eq!((links[0].code, &links[1].out), (0, &links[0].out), "{}: {}", sheet.name, links[0].err);
        let value = solved(url);
        assert_eq!(value["answers"], wanted["answers"], "{url}");
        assert_eq!(run([url, "-f", "url"]).out.trim(), url);
        let again = run_with_input("- -f url", &format!("% from a page\n{url}\n"));
        assert_eq!(again.out.trim(), url, "{}", again.err);
    }
}

#[test]
fn published_boards_are_read_from_their_links_and_have_one_solution() {
    let mut found = 0;
    for line in text("tests/data/links.tsv").lines().filter(|line| !line.starts_with('%')) {
        let (paragraph, url) = line.split_once('\t').expect("two columns");
        let sheet = Sheet::of(type_of(url).expect("a link"));
        assert_eq!(sheet.has("Link"), Some(paragraph), "{}", sheet.name);
        // Of this one an island may lie in three ways.
        let wanted = if url.ends_with("nurikabe/6/6/m8n8i9u") { 2 } else { 1 };
        let value = solved(&format!("{url} --unique"));
        assert_eq!((answers(&value).len(), &value["unique"]), (wanted, &(wanted == 1).into()), "{url}");
        assert_eq!(run([url, "-f", "url"]).out.trim(), url);
        found += 1;
    }
    assert_eq!(found, 35);
}

#[test]
fn game_ids_of_sgt_puzzles_are_boards_with_one_solution() {
    let sheets = sheets();
    let (mut found, mut games) = (0, Vec::new());
    for line in text("tests/data/game_ids.tsv").lines().filter(|line| !line.starts_with('%')) {
        let (paragraph, id) = line.split_once('\t').expect("two columns");
        let reads = sheets.iter().filter(|sheet| sheet.has("Game") == Some(paragraph));
        for sheet in reads {
            let value = solved(&format!("{id} -p {} --unique", sheet.name));
            assert_eq!((&value["unique"], &value["verdict"]), (&true.into(), &"solved".into()), "{}: {id}", sheet.name);
            games.push(sheet.name.clone());
            found += 1;
        }
    }
    assert!(found >= 10, "{games:?}");
    for sheet in sheets.iter().filter(|sheet| sheet.has("Game").is_some()) {
        assert!(games.contains(&sheet.name), "no id of {} is tried", sheet.name);
    }
}

/// What a board is with one of its numbers changed, for the first ones of each grid, and what was changed.
fn with_one_number_changed(board: &Board, most: usize, change: Change) -> Vec<(String, Board)> {
    let mut changed = Vec::new();
    for (kind, _) in grids(&mut board.clone()) {
        let before = changed.len();
        for at in 0.. {
            let mut board = board.clone();
            let (_, grid) = grids(&mut board).into_iter().find(|(name, _)| *name == kind).expect("the same grids");
            let Some((cell, sign)) = grid.iter_mut().nth(at).filter(|_| changed.len() - before < most) else { break };
            let text = sign.to_string();
            let is_digit = |letter: char| letter.is_ascii_digit();
            let digits = text.trim_start_matches(|letter| !is_digit(letter));
            let behind = digits.trim_start_matches(is_digit);
            let Some(number) = digits[..digits.len() - behind.len()].parse().ok().and_then(change) else { continue };
            *sign = Sign::text(&format!("{}{number}{behind}", &text[..text.len() - digits.len()]));
            changed.push((format!("{number} for {text} at {cell:?}, {kind}"), board));
        }
    }
    changed
}

/// The grids that have clues, by name.
fn grids(board: &mut Board) -> Vec<(String, &mut Grid)> {
    let named = board.grids.iter_mut().map(|(name, grid)| (name.clone(), grid));
    let sides = SIDES.map(str::to_owned).into_iter().zip(&mut board.around);
    [("cell".to_owned(), &mut board.signs)].into_iter().chain(named).chain(sides).collect()
}

type Change = fn(i32) -> Option<i32>;

/// No board has its solution any more when one of its numbers is another: such a number counts, however large it is.
fn no_number_is_passed_over(most: usize, changes: &[Change]) {
    let (mut tried, mut passed_over) = (Vec::new(), Vec::new());
    for sheet in sheets() {
        let board = sheet.board();
        let solution = answers(&solved(&format!("instances/{}.txt", sheet.name)))[0].clone();
        for (which, board) in changes.iter().flat_map(|&change| with_one_number_changed(&board, most, change)) {
            // Numbers of renban may be that large, and it would go through all up to there.
            if sheet.name == "renban" && which.starts_with(&i32::MAX.to_string()) {
                continue;
            }
            let ran = run_with_input(&format!("- -p {} -f json", sheet.name), &board.facts());
            let which = format!("{}: {which}", sheet.name);
            let has_solution = ran.code > 1 || answers(&ran.json()).contains(&solution);
            if has_solution { passed_over.push(which + &ran.err) } else { tried.push(which) }
        }
    }
    assert!(passed_over.is_empty(), "{passed_over:?}");
    for kind in ["cell", "corner", "left", "top"] {
        assert!(tried.iter().any(|which| which.ends_with(kind)), "{kind}: {tried:?}");
    }
}

#[test]
fn no_number_of_a_board_is_passed_over() {
    no_number_is_passed_over(1, &[|number| number.checked_add(1), |_| Some(i32::MAX)]);
}

#[test]
#[ignore = "minutes: all numbers of all boards"]
fn none_of_all_numbers_of_a_board_is_passed_over() {
    let less: Change = |number| (number > 0).then_some(number - 1);
    no_number_is_passed_over(usize::MAX, &[|number| number.checked_add(1), less, |_| Some(i32::MAX)]);
}

#[test]
fn two_solutions_are_shown_with_the_cells_in_which_they_differ() {
    let cases = [
        ("nurikabe/6/6/m8n8i9u", "nurikabe"),
        ("puzzle sudoku\n12..\n34..\n21..\n43..\n", "sudoku"),
        ("puzzle slither\n..\n..\n", "slither"),
        ("puzzle akari\n..\n..\n", "akari"),
    ];
    for (board, puzzle) in cases {
        let text = run_with_input("- --unique", board);
        assert_eq!(text.code, 1, "{board}: {}", text.err);
        assert!(text.out.starts_with("More than one solution: proven.\n"), "{}", text.out);
        let drawings: Vec<&str> = text.out.split("\nSolution ").collect();
        let [_, one, other] = drawings[..] else { panic!("{}", text.out) };
        let marks = [one, other].map(|drawing| drawing.matches(['»', '«']).count());
        assert!(marks[0] == marks[1] && marks[0] > 0, "{puzzle}: {}", text.out);
        let value = run_with_input("- --unique -f json", board).json();
        assert_eq!((&value["unique"], &value["complete"]), (&false.into(), &false.into()), "{puzzle}");
        assert_eq!(answers(&value).len(), 2);
        let cells = |answer: usize| value["answers"][answer]["grid"].as_array().expect("a grid").clone();
        assert!(puzzle != "sudoku" || cells(0) != cells(1));
        let svg = run_with_input("- --unique -f svg", board);
        assert_eq!(svg.code, 1, "{}", svg.err);
        let document = roxmltree::Document::parse(&svg.out).expect("XML");
        let is_mark = |node: &roxmltree::Node<'_, '_>| node.attribute("stroke") == Some("#d03070");
        assert!(document.descendants().any(|node| is_mark(&node)), "{puzzle}: {}", svg.out);
        let alone = run_with_input("- -f svg", board);
        assert!(!alone.out.contains("#d03070"), "{puzzle}: nothing is marked where nobody asked");
    }
}

#[test]
fn the_cells_that_are_marked_are_those_that_differ() {
    let text = run_with_input("- --unique", "puzzle sudoku\n1234\n34..\n21..\n4321\n");
    assert_eq!(text.code, 0, "{}", text.out);
    let text = run_with_input("- --unique", "puzzle sudoku\n12..\n34..\n21..\n43..\n");
    // The left half is given, and cannot differ.
    for line in text.out.lines().filter(|line| line.contains('»')) {
        let middle = line.char_indices().nth(9).expect("four cells of four characters").0;
        assert!(!line[..middle].contains(['»', '«']), "{}", text.out);
    }
}

#[test]
fn a_board_without_a_solution_is_told_and_drawn() {
    let board = "puzzle sudoku\n11..\n....\n....\n....\n";
    for (arguments, words) in [
        ("-", "There is no solution: proven."),
        ("- --unique", "There is no solution: proven, and certified in 0 steps."),
    ] {
        let ran = run_with_input(arguments, board);
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.out.starts_with(words), "{}", ran.out);
    }
    let value = run_with_input("- --unique -f json", board).json();
    assert_eq!((&value["verdict"], &value["unique"]), (&"impossible".into(), &false.into()));
    let svg = run_with_input("- -f svg", board);
    assert_eq!(svg.code, 1);
    let document = roxmltree::Document::parse(&svg.out).expect("XML");
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("text")).count(), 2, "{}", svg.out);
}

#[test]
fn puzzles_written_in_rust_say_whether_there_is_one_solution_too() {
    let folder = folder();
    let path = |name: &str, text: &str| file(folder.path(), name, text).display().to_string();
    let cases = [
        // One layout, though not all of its cells are closed; several; none.
        (path("certain.txt", "mines 1\n?1\n11\n"), Some(true)),
        (path("flags.txt", "mines 1\nF1\n1?\n"), Some(true)),
        (path("middle.txt", "mines 1\n1?\n1?\n1?\n"), Some(true)),
        (path("open.txt", "mines 1\n1?\n??\n"), Some(false)),
        (path("none.txt", "mines 1\n1?1\n???\n?4?\n"), Some(false)),
        ("instances/minesweeper.txt".to_owned(), Some(false)),
        // By the encoding, which tells what is certain and does not count.
        (path("asp.txt", "mines 1\n?1\n11\n") + " --engine asp", Some(true)),
        (path("asp_open.txt", "mines 1\n1?\n??\n") + " --engine asp", Some(false)),
        ("instances/taquin_near.txt".to_owned(), Some(true)),
        ("instances/taquin_impossible.txt".to_owned(), Some(false)),
        ("instances/amphipod_swap.txt".to_owned(), Some(false)),
        ("instances/game_42.json".to_owned(), Some(true)),
        ("instances/game_unreachable.json".to_owned(), Some(false)),
        ("instances/deponia.lp".to_owned(), Some(false)),
        // A win and a cycle: one trip was looked for.
        ("instances/cycle.lp".to_owned(), Some(true)),
        ("instances/no_solution.lp".to_owned(), Some(false)),
        // Nothing is known where the search was not let run.
        ("instances/taquin_exam.txt --node-limit 10".to_owned(), None),
    ];
    for (arguments, wanted) in cases {
        let ran = run_line(&format!("{arguments} --unique -f json"));
        let code = match wanted {
            Some(true) => 0,
            Some(false) => 1,
            None => 3,
        };
        assert_eq!((ran.code, ran.json()["unique"].as_bool()), (code, wanted), "{arguments}: {}{}", ran.out, ran.err);
        let text = run_line(&format!("{arguments} --unique")).out;
        let words = match (wanted, ran.json()["verdict"].as_str()) {
            (Some(true), _) => "One solution: proven",
            (Some(false), Some("impossible")) => "There is no solution: proven",
            (Some(false), _) => "More than one solution: proven.\n",
            (None, _) => "Gave up: ",
        };
        assert!(text.starts_with(words), "{arguments}: {text}");
    }
}

#[test]
fn a_quiet_run_counts_the_solutions_that_it_does_not_show() {
    for (arguments, expected) in [
        ("nurikabe/6/6/m8n8i9u -n 0 -q", "3 solutions, and no others: proven.\n"),
        ("nurikabe/6/6/m8n8i9u -n 2 -q", "2 solutions; there may be more (--unique tells, -n 0 finds all).\n"),
        ("instances/queens.lp -n 0 -q", "4 answers, and no others: proven.\n"),
    ] {
        assert_eq!(run_line(arguments).out, expected, "{arguments}");
    }
}

#[test]
fn a_program_of_somebodys_own_may_speak_of_puzzles() {
    for program in ["puzzle(easy). a.", "puzzle(sudoku). { b } = 1."] {
        let ran = run_with_input("- -f json", program);
        let run: Value =
            serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{program}: {error}\n{}", ran.err));
        assert_eq!(run["puzzle"], "program", "{program}");
    }
}
