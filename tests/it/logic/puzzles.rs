//! Pencil puzzles on the command line: published boards, and the output for several solutions and
//! for none.

use pencil::link::link_type;
use serde_json::Value;

use super::types::{PuzzleFile, puzzles, text};
use crate::support::{answers, file, folder, run, run_line, run_with_input};

fn solved(arguments: &str) -> Value {
    let ran = run_line(&format!("{arguments} -f json"));
    assert!(ran.code < 2 && ran.err.is_empty(), "{arguments}: {}", ran.err);
    ran.json()
}

#[test]
fn every_type_is_listed() {
    let list = run_line("list").out;
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
    for puzzle in puzzles() {
        let title = puzzle.paragraph("").and_then(|about| about.split_once(": ")).expect("a title").0;
        assert!(list.contains(&format!("\n  {}: {title}: ", puzzle.name)), "{} is not in\n{list}", puzzle.name);
    }
    for (name, has_generator) in [("akari", true), ("arukone", false), ("sudoku", true)] {
        let puzzle = PuzzleFile::of(name);
        let alone = run_line(&format!("list {name}")).out;
        let about = puzzle.paragraph("").expect("a title").trim_end_matches('.');
        assert!(alone.starts_with(&format!("{name}: {about}\n")), "{alone}");
        assert_eq!(alone.contains("commands   generate"), has_generator, "{alone}");
    }
}

/// The tests of all types check the same with the library.
#[cfg(unix)]
#[test]
fn boards_fit_narrow_and_wide_terminals_and_are_plain_without_colors() {
    use crate::support::on_a_terminal;

    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["akari", "compass", "kakuro", "tapa", "yajilin"] {
        let instance = root.join(format!("instances/{name}.txt"));
        for columns in [60, 200] {
            let shown = on_a_terminal(&[instance.as_os_str()], root, columns, false);
            let plain = anstream::adapter::strip_str(&shown).to_string();
            let widest = plain.lines().skip(1).map(|line| line.trim_end().chars().count()).max();
            assert!(widest.is_some_and(|widest| widest <= columns.into()), "{name}, {columns}:\n{plain}");
            assert!(shown.contains('\u{1b}'), "{name}: no colors");
            let shown = on_a_terminal(&[instance.as_os_str()], root, columns, true);
            assert!(!shown.contains('\u{1b}'), "{name}: {shown}");
        }
    }
}

#[test]
fn a_board_that_is_impossible_by_its_size_areas_or_signs_names_the_rule() {
    for (link, words) in [
        ("stostone/2/3/00g", "would have no lower half: the number of rows, 3, is odd"),
        ("ayeheya/4/3/2ehsl", "would not look the same after half a turn"),
        ("nurimaze/3/3/vvvvd", "the number of cells with"),
        ("nurimaze/3/3/vvvv1c", "the number of cells with G would not be 1"),
        ("nurimaze/3/3/vvvv122a", "the number of cells with G would not be 1"),
    ] {
        let ran = run([link, "--unique"]);
        assert!(ran.out.contains("no solution") && ran.out.contains(words), "{link}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn published_boards_are_read_from_their_links_and_have_one_solution() {
    let mut found = 0;
    for line in text("tests/data/links.tsv").lines().filter(|line| !line.starts_with('%')) {
        let (paragraph, url) = line.split_once('\t').expect("two columns");
        let puzzle = PuzzleFile::of(link_type(url).expect("a link"));
        assert_eq!(puzzle.paragraph("Link"), Some(paragraph), "{}", puzzle.name);
        // An island of this board may lie in three ways.
        let expected = if url.ends_with("nurikabe/6/6/m8n8i9u") { 2 } else { 1 };
        let value = solved(&format!("{url} --unique"));
        assert_eq!((answers(&value).len(), &value["unique"]), (expected, &(expected == 1).into()), "{url}");
        assert_eq!(run([url, "-f", "url"]).out.trim(), url);
        found += 1;
    }
    assert_eq!(found, 35);
}

#[test]
fn game_ids_of_sgt_puzzles_are_boards_with_one_solution() {
    let puzzles = puzzles();
    let (mut found, mut games) = (0, Vec::new());
    for line in text("tests/data/game_ids.tsv").lines().filter(|line| !line.starts_with('%')) {
        let (paragraph, id) = line.split_once('\t').expect("two columns");
        let reads = puzzles.iter().filter(|puzzle| puzzle.paragraph("Game") == Some(paragraph));
        for puzzle in reads {
            let value = solved(&format!("{id} -p {} --unique", puzzle.name));
            assert_eq!(
                (&value["unique"], &value["verdict"]),
                (&true.into(), &"solved".into()),
                "{}: {id}",
                puzzle.name
            );
            games.push(puzzle.name.clone());
            found += 1;
        }
    }
    assert!(found >= 10, "{games:?}");
    for puzzle in puzzles.iter().filter(|puzzle| puzzle.paragraph("Game").is_some()) {
        assert!(games.contains(&puzzle.name), "no id of {} is tried", puzzle.name);
    }
}

#[test]
fn two_solutions_are_shown_with_their_differences_marked() {
    let cases = [
        ("nurikabe/6/6/m8n8i9u", "nurikabe"),
        ("puzzle sudoku\n12..\n34..\n21..\n43..\n", "sudoku"),
        ("puzzle slither\n..\n..\n", "slither"),
        ("puzzle akari\n..\n..\n", "akari"),
    ];
    for (board, puzzle) in cases {
        let text = run_with_input("- --unique", board);
        assert_eq!(text.code, 1, "{board}: {}", text.err);
        assert!(text.out.starts_with("More than one solution (proven).\n"), "{}", text.out);
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
        assert!(!alone.out.contains("#d03070"), "{puzzle}: nothing is marked without --unique");
    }
}

#[test]
fn only_cells_that_differ_are_marked() {
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
fn an_impossible_board_is_reported_and_drawn() {
    let board = "puzzle sudoku\n11..\n....\n....\n....\n";
    for (arguments, words) in [
        ("-", "There is no solution (proven)."),
        ("- --unique", "There is no solution (proven, certified in 0 steps)."),
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
fn native_puzzles_report_whether_there_is_one_solution() {
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
        // With the encoding, which derives certain cells and does not count.
        (path("asp.txt", "mines 1\n?1\n11\n") + " --engine asp", Some(true)),
        (path("asp_open.txt", "mines 1\n1?\n??\n") + " --engine asp", Some(false)),
        ("instances/taquin_near.txt".to_owned(), Some(true)),
        ("instances/taquin_impossible.txt".to_owned(), Some(false)),
        ("instances/amphipod_swap.txt".to_owned(), Some(false)),
        ("instances/game_42.json".to_owned(), Some(true)),
        ("instances/game_unreachable.json".to_owned(), Some(false)),
        ("instances/deponia.lp".to_owned(), Some(false)),
        // A win and a cycle: the search looks for one trip.
        ("instances/cycle.lp".to_owned(), Some(true)),
        ("instances/no_solution.lp".to_owned(), Some(false)),
        // A search that a limit ends proves nothing.
        ("instances/taquin_exam.txt --node-limit 10".to_owned(), None),
    ];
    for (arguments, expected) in cases {
        let ran = run_line(&format!("{arguments} --unique -f json"));
        let code = match expected {
            Some(true) => 0,
            Some(false) => 1,
            None => 3,
        };
        assert_eq!((ran.code, ran.json()["unique"].as_bool()), (code, expected), "{arguments}: {}{}", ran.out, ran.err);
        let text = run_line(&format!("{arguments} --unique")).out;
        let words = match (expected, ran.json()["verdict"].as_str()) {
            (Some(true), _) => "One solution (proven",
            (Some(false), Some("impossible")) => "There is no solution (proven",
            (Some(false), _) => "More than one solution (proven).\n",
            (None, _) => "Gave up: ",
        };
        assert!(text.starts_with(words), "{arguments}: {text}");
    }
}

#[test]
fn a_quiet_run_counts_solutions_without_showing_them() {
    for (arguments, expected) in [
        ("nurikabe/6/6/m8n8i9u -n 0 -q", "3 solutions, and no others (proven).\n"),
        ("nurikabe/6/6/m8n8i9u -n 2 -q", "2 solutions; there may be more (--unique tells, -n 0 finds all).\n"),
        ("instances/queens.lp -n 0 -q", "4 answers, and no others (proven).\n"),
    ] {
        assert_eq!(run_line(arguments).out, expected, "{arguments}");
    }
}

#[test]
fn a_custom_program_may_use_a_predicate_puzzle() {
    for program in ["puzzle(easy). a.", "puzzle(sudoku). { b } = 1."] {
        let ran = run_with_input("- -f json", program);
        let run: Value =
            serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{program}: {error}\n{}", ran.err));
        assert_eq!(run["puzzle"], "program", "{program}");
    }
}

#[test]
fn a_heuristic_of_the_encoding_guides_the_search() {
    // Without it, there is no solution after minutes.
    let ran = run_line("tests/data/numlin-20x20.txt -q --time-limit 300");
    assert!(ran.code == 0 && ran.out.starts_with("1 solution; "), "{}{}", ran.out, ran.err);
}
