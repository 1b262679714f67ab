//! Notations that people use: every text of `tests/data/notations.toml` is read as the board beside
//! it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::support::process::retry_with_longer_limits;
use crate::support::{file, folder, run, run_line, run_with_input};

#[derive(Deserialize)]
struct Notations {
    notation: Vec<Notation>,
}

#[derive(Deserialize)]
struct Notation {
    name: String,
    text: String,
    /// The puzzle of `as`, if its text alone does not determine it.
    puzzle: Option<String>,
    r#as: String,
}

/// The result for a text, without the name of its file and the statistics.
fn result_of(text: &str) -> Value {
    result_as(text, None)
}

fn result_as(text: &str, puzzle: Option<&str>) -> Value {
    let folder = folder();
    let path = file(folder.path(), "board", text);
    let named = puzzle.map(|puzzle| ["-p".as_ref(), puzzle.as_ref()]);
    let ran = run([path.as_os_str(), "-f".as_ref(), "json".as_ref()].into_iter().chain(named.into_iter().flatten()));
    assert!(ran.code < 2, "{text}\n{}", ran.err);
    let mut value = ran.json();
    // A cause has places in the text, and depends on a time limit.
    for key in ["instance", "statistics", "because"] {
        value.as_object_mut().expect("an object").remove(key);
    }
    value
}

#[test]
fn texts_are_read_as_the_boards_beside_them() {
    let text = include_str!("../../data/notations.toml");
    let Notations { notation } = toml::from_str(text).expect("the list of notations can be read");
    let mut names = BTreeSet::new();
    let mut wrong = Vec::new();
    // Many texts describe the same board.
    let mut known = BTreeMap::new();
    for Notation { name, text, puzzle, r#as } in notation {
        let result = std::panic::catch_unwind(|| result_of(&text));
        let expected =
            known.entry((r#as, puzzle)).or_insert_with_key(|(text, puzzle)| result_as(text, puzzle.as_deref()));
        if result.as_ref().ok() != Some(expected) {
            wrong.push(format!("{name}\n{text}\n{result:?}\n{expected}"));
        }
        assert!(names.insert(name.clone()), "{name} is there twice");
    }
    assert!(wrong.is_empty(), "{} of {}:\n\n{}", wrong.len(), names.len(), wrong.join("\n\n"));
}

/// A solved Sudoku in which the cells of the number `open` are empty; `written` formats a number.
fn sudoku_without(side: usize, open: usize, written: impl Fn(usize) -> String) -> String {
    let root = side.isqrt();
    let number = |row: usize, column: usize| (row % root * root + row / root + column) % side;
    let cell = |row: usize, column: usize| match number(row, column) {
        number if number == open => ".".to_owned(),
        number => written(number),
    };
    (0..side).map(|row| (0..side).map(|column| cell(row, column)).collect::<String>() + "\n").collect()
}

#[test]
fn zeros_and_letters_are_numbers_if_another_sign_means_empty() {
    let board = |side: usize, open: usize| {
        format!(
            "puzzle sudoku\n\n{}",
            sudoku_without(side, open, |number| format!(" {} ", number + 1)).replace('.', " . ")
        )
    };
    // 0 to F without an F, 0 to F without a 3, and A to Y, in which X is no empty cell.
    for open in [15, 3] {
        assert_eq!(result_of(&sudoku_without(16, open, |number| format!("{number:X}"))), result_of(&board(16, open)));
    }
    let letter = |number: usize| char::from(b'A' + number as u8).to_string();
    assert_eq!(result_of(&sudoku_without(25, 0, letter)), result_of(&board(25, 0)));
}

#[test]
fn a_text_in_utf_16_is_read() {
    let folder = folder();
    for (mark, to_bytes) in [("little", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("big", u16::to_be_bytes)] {
        let bytes: Vec<u8> = "\u{feff}mines 3\r\n1??\r\n1F?\r\n1??\r\n".encode_utf16().flat_map(to_bytes).collect();
        let ran = run([file(folder.path(), mark, bytes).as_os_str(), "-q".as_ref()]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "2 cells are safe. 3 layouts fit.\n"), "{mark}: {}", ran.err);
    }
}

#[test]
fn places_count_lines_with_all_line_endings_as_editors_do() {
    for text in ["\u{feff}mines 3\r\n1??\r\n1z?\r\n", "mines 3\r1??\r1z?\r", "mines 3\n1??\n1z?\n"] {
        let ran = run_with_input("-", text);
        assert!(ran.err.contains("<stdin>:3:2"), "{text:?}: {}", ran.err);
    }
}

#[test]
fn a_batch_may_have_a_byte_order_mark_and_windows_line_endings() {
    let ran = run_with_input("--batch -", "\u{feff}1 2 3/4 . 6/7 5 8\r\n\r\n% two\r\n8-puzzle: 1,2,3,4,0,6,7,5,8\r\n");
    assert_eq!(ran.out.matches("\"length\":2").count(), 2, "{}{}", ran.out, ran.err);
}

#[test]
fn a_printed_board_is_read_back() {
    for board in ["minesweeper.txt", "minesweeper_guess.txt", "amphipod.txt"] {
        let path = format!("{}/instances/{board}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("an instance");
        let printed = run([path.as_str(), "-v"]).out;
        let (mut one, mut other) = (result_of(&text), result_of(&printed));
        if board.starts_with("minesweeper") {
            // Certain mines are printed as flags, which need no reason when they are read back.
            for value in [&mut one, &mut other] {
                let answer = value["answers"][0].as_object_mut().expect("an answer");
                for key in ["explain", "found_by", "by_clingo"] {
                    answer.remove(key);
                }
            }
        }
        assert_eq!(one, other, "{board}\n{printed}");
    }
}

#[test]
fn an_answer_printed_by_clingo_is_an_instance() {
    let program = "cell(1..3,1..3). number(1,1,1). flag(2,2). mines(3). number(2..3,1,1).";
    let printed = run_with_input("- -p program -f asp", program).out;
    assert!(printed.contains("Answer: 1\n"), "{printed}");
    let answers = |text: &str| result_of(text)["answers"].clone();
    assert_eq!(answers(&printed), answers(program), "{printed}");
}

/// The goal of Korf's boards has the free cell first.
#[test]
fn an_unsolvable_board_names_the_goal_that_it_can_reach() {
    let board = "1 . 2 3/4 5 6 7/8 9 10 11/12 13 14 15\n";
    let ran = run_with_input("-", board);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let expected = "But it can be solved to free, 1, 2, …, 15: use --goal free-first.";
    assert!(ran.out.contains(expected), "{}", ran.out);
    let value = run_with_input("- -f json", board).json();
    assert_eq!(value["statistics"]["solvable_to"], "free-first", "{value}");
    let value = run_with_input("- -f json --goal free-first", board).json();
    assert_eq!(value["answers"][0]["length"], 1, "{value}");
    // A 3x3 board can reach the free cell at both ends or at neither. Otherwise it can reach the
    // spiral.
    let board = "2 1 3/4 5 6/7 8 .";
    let value = run_with_input("- -f json", board).json();
    assert_eq!((&value["verdict"], &value["statistics"]["solvable_to"]), (&"impossible".into(), &"spiral".into()));
    let out = run_with_input("-", board).out;
    assert!(out.contains("But it can be solved to the spiral 1 2 3 / 8 . 4 / 7 6 5: use --goal spiral."), "{out}");
    let [named, rows] = ["- -f json --goal spiral", "- -f json"].map(|line| {
        run_with_input(line, &format!("{board}{}", if line.contains("goal") { "" } else { "//1 2 3/8 . 4/7 6 5" }))
            .json()
    });
    assert_eq!(named["answers"], rows["answers"], "{named}");
    let value = run_with_input("- -f json --goal free-first", board).json();
    assert_eq!((&value["verdict"], &value["statistics"]["solvable_to"]), (&"impossible".into(), &Value::Null));
    let ran = run(["-", "--goal", "1 2 3/8 . 4/7 6 5"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}

/// Boards near another usual goal get a note. No note disturbs other boards, or a goal that is
/// given.
#[test]
fn boards_near_another_usual_goal_get_a_note() {
    let first = "the tiles are closer to another usual goal, free, 1, 2, …, 8";
    for (line, board, expected) in [
        ("-", "1 . 2/3 4 5/6 7 8", Some(first)),
        ("-", "1 2 3/8 4 ./7 6 5", None),
        ("-", "1 2 3/8 6 4/7 . 5", None),
        ("- --goal free-last", "1 . 2/3 4 5/6 7 8", None),
        ("- --goal free-first", "1 . 2/3 4 5/6 7 8", None),
        ("-", "8 6 7/2 5 4/3 . 1", None),
        ("-", "1 2 3/4 5 6/7 8 .", None),
    ] {
        let ran = run_with_input(line, board);
        match expected {
            Some(expected) => assert!(ran.err.contains(expected), "{board}\n{}", ran.err),
            None => assert!(!ran.err.contains("another usual goal"), "{board}\n{}", ran.err),
        }
    }
    let value = run_with_input("- -f json", "1 . 2/3 4 5/6 7 8").json();
    assert_eq!(value["warnings"][0]["code"], "other-goal", "{value}");
}

/// Grids with a size line that do not fit it or their puzzle, with a part of the message.
#[test]
fn grids_that_do_not_fit_their_size_line_are_rejected() {
    for (line, text, expected) in [
        ("-", "4 4\n4 - - -\n- - - -\n- - - -\n- - - -\n", "does not name its puzzle"),
        ("-", "4 4\n4 4 3 4\n1 3 2 3\n4 2 1 2\n1 3 2 1\n", "does not name its puzzle"),
        ("- -p aqre", "3 3\n4 - -\n- - -\n- -\n", "expected row 3 of cells with 3 words"),
        (
            "- -p hitori",
            "3 3\n1 2 3\n1 2\n3 2 1\n",
            "expected row 2 of cells with 3 words, as the size line says, found 2",
        ),
        ("- -p hitori", "3 4\n1 2 3 1\n1 2 2 3\n", "the text ends: expected row 3 of cells"),
        ("- -p hitori", "2 4 5\n1 2 3 1\n3 2 1 4\n", "expected the end of the size line, found `5`"),
        ("- -p creek", "2 2\n- 0 -\n- 2 -\n- - 1\n1 1\n", "expected 3 cells as in the other rows, found 2"),
        ("- -p starbattle", "4 4\n1 1 1 1\n2 2 2 2\n3 3 3 3\n4 4 4 4\n", "the size line ends: expected `stars`"),
        ("- -p starbattle", "4 4 1\n1 1 1 1\n2 @ 2 2\n3 3 3 3\n4 4 4 4\n", "expected the number of an area, found `@`"),
        ("- -p tentaisho", "2 3\n1 - 0\n- 2 -\n", "`2` puts a star on the edge of the board"),
        ("- -p tentaisho", "2 3\n1 - 0\n- 5 -\n", "expected a star's place, 0 to 3, found `5`"),
        (
            "- -p skyscrapers",
            "3 3 2\n- - -\n- - -\n1 2 -\n- - -\n",
            "5 rows and 3 columns; a board of skyscrapers is a square",
        ),
        (
            "- -p sudoku",
            "4 4\n9 9 8 3\n- 7 - -\n4 - - 9\n- - - -\n2 2 4 1\n2 3 4 1\n6 3 4 5\n6 3 5 5\n",
            "expected areas of 4 cells, found one of 3",
        ),
        (
            "- -p aqre",
            "4 4\nq - - -\n- - - -\n- - - -\n- - - -\n1 1 1 1\n1 1 1 1\n1 1 1 1\n1 1 1 1\n",
            "`q` in row 1, column 1",
        ),
        ("- -p creek", "corner\n.\n", "no board has a grid `corner` of 1 row of 1"),
        ("- -p mejilink", "puzzle mejilink\n\nbetween\n..\n..\n", "no board has a grid `between` of 2 rows of 2"),
    ] {
        let ran = run_with_input(line, text);
        assert!(ran.code == 2 && ran.err.contains(expected), "{text}\nexit code {}\n{}{}", ran.code, ran.out, ran.err);
    }
    let sized = "3 4 2\n1 - - -\n- 2 - -\n- - - 1\n";
    let [sized, plain] = [("- -p minesweeper -f json", sized), ("- -f json", "mines 2\n1???\n?2??\n???1\n")]
        .map(|(line, text)| run_with_input(line, text).json()["answers"].clone());
    assert_eq!(sized, plain);
    let ran = run_with_input("- -p minesweeper", "3 4 2\n1 - - -\n- 2 - #\n- - - 1\n");
    assert!(ran.err.contains("cells that are not part of the board are not supported"), "{}", ran.err);
    // Tiles in a frame are no clues.
    let ran = run_with_input("-", "3 3\n1 2 3\n4 5 6\n7 . 8\n");
    assert!(ran.err.contains("expected 2 cells as in the first row"), "{}", ran.err);
}

/// A frame of `#` with signs of no known notation is not taken for another puzzle.
#[test]
fn unknown_letters_in_a_frame_are_named() {
    let help = "\"@\" the worker";
    for (line, text, expected) in [
        ("-", "######\n#@ Q.#\n#    #\n######\n", "`Q` is not a sign of sokoban"),
        ("-", "############\n#..  #     ###\n#..  # Q  Q  #\n############\n", "`Q` is not a sign of sokoban"),
        ("-", "4#|#-Q#|#@.#|4#\n", "`Q` is not a sign of sokoban"),
        ("- -p sokoban", "######\n#@ Q.#\n######\n", "`Q` in row 2, column 4 is not a clue of sokoban"),
        ("- -p sokoban", "3#|#@3|3#\n", "a run length without a sign"),
        ("- -p sokoban", "3#|2(#@|3#\n", "a bar in brackets"),
        ("- -p sokoban", "3#|2(#@\n", "a bracket without its end"),
        ("- -p sokoban", "3#|#@)\n", "a bracket without its beginning"),
        ("- -p sokoban", "99999999999#|#@\n", "a run of more than"),
        ("- -p sokoban", "999999(999999#)|#@\n", "a run of more than"),
        ("- -p sokoban", "999999#|999999#\n", "a board of more than"),
    ] {
        let ran = run_with_input(line, text);
        assert!(ran.code == 2 && ran.err.contains(expected), "{text}\nexit code {}\n{}{}", ran.code, ran.out, ran.err);
        assert!(!expected.contains("is not a sign") || ran.err.contains(help), "{}", ran.err);
    }
    for text in ["#############\n#...x.......#\n###B#C#B#D###\n  #A#D#C#A#\n  #########\n", "#####\n#1#2#\n#####\n"] {
        assert!(!run_with_input("-", text).err.contains("sokoban"), "{text}");
    }
}

/// Texts that are easy to misread silently, with the exit code and a part of the output.
#[test]
fn ambiguous_texts_are_rejected_or_read_literally() {
    for (text, code, expected) in [
        // A gap between commas or tabs is the free cell. Without separators its place is not
        // guessed.
        ("1,2,3,4\n5,6,7,8\n9,10,11,12\n13,14,15,\n", 0, "Solved in 0 moves"),
        ("1\t2\t3\t4\n5\t6\t7\t8\n9\t10\t11\t12\n13\t14\t\t15\n", 0, "Solved in 1 move"),
        ("1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15\n", 2, "expected 4 cells as in the first row, found 3"),
        ("Thanks for this one!\n1 2 3\n4 5 6\n7 . 8\nSee you soon\n", 0, "Solved in 1 move"),
        ("Goal: 1 2 3/4 5 6/7 8 .\nStart: 1 2 3/4 5 6/. 7 8\n", 0, "  LL"),
        ("{\"board\":[[1,2,3],[4,5,6],[7,0,8]],\"previous\":[[1,2,3],[4,0,6],[7,5,8]]}", 2, "a second board"),
        // Invalid cells, second boards, and totals that are counters.
        ("{\"mines\":1,\"board\":[[-1,1],[1,-1]]}", 2, "found `-1`"),
        ("{\"mines\":1,\"board\":[\"1?\"],\"solution\":[\"1*\"]}", 0, "1 mine is certain"),
        ("mines 2\n?1?\n...\n\n?1?\n...\n", 2, "a second board begins here"),
        ("Mines: 1/10\n1#\n11\n", 2, "10 mines, but"),
        ("Mines: 0/1\n1#\n11\n", 0, "1 mine is certain"),
        ("mines 2\n# # #\n2 2 2\n_ _ _\n", 0, "One layout fits"),
        ("mines 2\nF1__\n", 0, "1 mine is certain"),
        ("mines 3\n3x2\nxxx\n???\n", 0, "3 mines are certain"),
        // Programs that resemble a board.
        ("x(1). x(2).", 0, "x(1) x(2)"),
        ("armed. {bomb : armed}.\n", 0, "armed"),
        ("q. a :- q, bomb : q.\n", 0, "q"),
        ("color(1,red). rel(1,2). rel(2,3). ok :- rel(X,Y).", 0, "ok"),
        ("cell(1..2,1..2). number(1,1,3). 1 { value(R,C,1..4) } 1 :- cell(R,C).", 0, "value(1,1,"),
        ("start(1). target(2). color(1,red). rel(1,1,2). { pick(X) } :- color(X,_).", 0, "rel(1,1,2)"),
        // Default attributes.
        ("digraph { node [final=true]; s; a -> s [label=1]; }", 2, "final is not read as a default"),
    ] {
        let ran = run_with_input("-", text);
        let shown = format!("{}{}", ran.out, ran.err);
        assert!(ran.code == code && shown.contains(expected), "{text}\nexit code {}\n{shown}", ran.code);
    }
    // Brackets in comments and in quotes do not nest.
    let sparse = "// a < b {\n# {\n/* < { */ x [label=\"< \\\" {\"];\n".repeat(200);
    let mine = "a [start=true, color=red]; t [target=true]; s [final=true]; a -> t [label=1]; a -> s [label=2];";
    assert_eq!(run_with_input("- -n 0 -p rail", &format!("digraph {{ {sparse} {mine} }}")).code, 0);
    let nested = format!("digraph {{{}a->b{}}}", "{".repeat(60), "}".repeat(60));
    assert_eq!(run_with_input("- -p rail", &nested).code, 2);
    let long: String = (0..40_000).map(|number| format!("p({number}). ")).collect();
    assert_eq!(run_with_input("- -q", &format!("{long} :- p(50000).")).code, 0);
    for limit in [45, 46] {
        let ran = run_with_input(&format!("- --depth-limit {limit}"), "..(10).(01)..");
        assert_eq!(ran.code, if limit < 46 { 3 } else { 0 }, "{}", ran.out);
    }
    let [plain, colored] = ["never", "always"]
        .map(|when| crate::support::run_line(&format!("instances/minesweeper.txt --color {when}")).out);
    assert_eq!(run_with_input("-", &colored).out, run_with_input("-", &plain).out);
    let wide = crate::support::run_line("generate minesweeper --level expert").out;
    let printed = run_with_input("-", &wide).out;
    // Its certain mines have become flags.
    let again = run_with_input("-", &printed).out;
    assert_eq!(again.split('.').next(), printed.split('.').next());
    assert_eq!(run_with_input("-", &again).out, again);
}

/// Messages for texts whose name or content does not fit a puzzle.
#[test]
fn near_names_are_suggested_and_sudokus_are_not_taken_for_minesweeper() {
    for (text, code, expected) in [
        ("nurikab\n2...\n....\n...3\n....\n", 2, "there is no puzzle nurikab (did you mean nurikabe?)"),
        ("puzzle nurikab\n2...\n....\n", 2, "there is no puzzle nurikab (did you mean nurikabe?)"),
        // Fewer than a fifth of the cells have numbers, or a line belongs to another puzzle.
        ("....\n.12.\n....\n....\n", 2, "error"),
        ("mines 3\n1???\n????\n????\n???2\n", 0, "layouts fit"),
        // A row is too short, and dots are empty cells.
        (
            "puzzle sudoku\n53..7....\n6..195...\n.98....6.\n8...6...\n",
            2,
            "expected 9 cells as in the other rows, found 8",
        ),
        (
            "53..7....\n6..195...\n.98...6.\n8...6...3.\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79\n",
            2,
            "expected 9 cells as in the other rows, found 8",
        ),
        (
            "puzzle sudoku\n53..7....\n6..195...\n.98...6.\n8...6...3.\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79\n",
            2,
            "expected 9 cells as in the other rows, found 8",
        ),
        (
            &"puzzle sudoku\n1...\n..2.\n.3..\n...4\n".replacen("1...", &"1...\n..2.\n.3..\n...4\n\n".repeat(3), 1),
            2,
            "a board of sudoku is a square",
        ),
        (". 2 . 4\n3 . 1 .\n. 1 . .\n0 . 2 .\n", 0, "1 solution"),
        (". 2 . .\n3 . 1 .\n. 1 . .\n0 . 2 .\n", 2, "expected one free cell, found a second one"),
        // Rows without a repeated number, and a row with one.
        ("1234\n3412\n....\n....\n", 0, "1 solution"),
        ("1134\n3412\n....\n....\n", 2, "error"),
    ] {
        let ran = run_with_input("-", text);
        let shown = format!("{}{}", ran.out, ran.err);
        assert!(ran.code == code && shown.contains(expected), "{text}\nexit code {}\n{shown}", ran.code);
    }
}

#[test]
fn lines_beside_a_sudoku_that_look_like_entries_are_ignored_with_a_warning() {
    let board = "53..7....\n6..195...\n.98....6.\n8...6...3\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79\n";
    for (line, warning) in [
        ("speed 3", "this line is ignored: sudoku has no entry speed"),
        ("  pages: 1 2,3", "this line is ignored"),
        ("varient antiknight", "sudoku has no entry varient (did you mean variant?)"),
    ] {
        for (text, place) in [(format!("{line}\n\n{board}"), ":1:"), (format!("{board}\n{line}\n"), ":11:")] {
            let ran = run_with_input("-", &text);
            let is_warned = ran.err.contains(warning) && ran.err.contains(place);
            assert!(ran.code == 0 && is_warned, "{text}\n{}\n{}", ran.out, ran.err);
        }
    }
    for prose in ["Easy, no. 12", "the puzzle of the day", "Grid 01", "found by 3 of 5 readers", "# 17"] {
        let ran = run_with_input("-", &format!("{prose}\n{board}"));
        assert!(ran.code == 0 && ran.err.is_empty(), "{prose}\n{}\n{}", ran.out, ran.err);
    }
}

#[test]
fn lines_of_a_batch_may_be_sudokus_of_81_characters() {
    let board = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let ran = run_with_input("--batch -", &format!("{board}\n{}\n1...../..2..\n", board.replace('.', "0")));
    assert_eq!(ran.out.matches("\"number(1,3,4)\"").count(), 2, "{}{}", ran.out, ran.err);
    // In a table only the boards are solved, neither the solutions nor the heading.
    let solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let table = format!("quizzes,solutions\n{},{solution}\n{board},{solution}\n", board.replace('.', "0"));
    let ran = run_with_input("--batch -", &table);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 2), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out.matches("\"number(1,3,4)\"").count(), 2, "{}{}", ran.out, ran.err);
}

#[test]
fn the_error_of_an_unreadable_board_names_a_command_that_prints_a_readable_one() {
    let ran = run_with_input("-", "puzzle tents\n..T\n....\n");
    assert!(
        ran.code == 2 && ran.err.contains("`asp-solve generate tents` shows how a board is written"),
        "{}",
        ran.err
    );
}

/// A save file of sgt-puzzles after the moves.
fn saved(game: &str, params: &str, desc: &str, moves: &[&str]) -> String {
    let field = |key: &str, value: &str| format!("{key:8}:{}:{value}\n", value.len());
    let count = (moves.len() + 1).to_string();
    let head = [("SAVEFILE", "Simon Tatham's Portable Puzzle Collection"), ("VERSION", "1"), ("GAME", game)];
    let state = [("PARAMS", params), ("DESC", desc), ("NSTATES", &count), ("STATEPOS", &count)];
    let fields = head.into_iter().chain(state).chain(moves.iter().map(|step| ("MOVE", *step)));
    fields.map(|(key, value)| field(key, value)).collect()
}

const SOLO: &str = "a6c5b3_4c1c2a7b3a4a1c1c5a8_9e2_6a2c9c6a8a2b7a7c6c4_2b9c1a";

/// The player's marks are constraints, and `why` reports a wrong one as the cause.
#[test]
fn marks_of_a_saved_game_are_constraints() {
    let of = |moves: &[&str]| run_with_input("- -n 0", &saved("Solo", "3x3", SOLO, moves));
    assert!(of(&[]).out.starts_with("1 solution"), "{}", of(&[]).out);
    assert!(of(&["R0,0,1", "R2,0,2"]).out.starts_with("1 solution"));
    let wrong = of(&["R2,0,2", "R0,0,9"]);
    assert_eq!(wrong.code, 1, "{}", wrong.out);
    let why = run_with_input("why -", &saved("Solo", "3x3", SOLO, &["R2,0,2", "R0,0,9"]));
    assert!(why.out.contains("the player's mark at row 1, column 1"), "{}{}", why.out, why.err);
    assert_eq!(of(&["R0,0,9", "R0,0,0"]).code, 0, "the mark was removed again");
    // Of several marks, all wrong ones are named, and no others.
    let several = of(&["R2,0,2", "R0,0,9", "R3,0,9", "R0,0,8"]);
    let [first, second] =
        ["row 1, column 1", "row 1, column 4"].map(|cell| format!("  - the player's mark at {cell} is wrong\n"));
    assert!(several.out.ends_with(&(first + &second)), "{}", several.out);
    // Without the marks, this board has several solutions.
    let open = run_with_input("- -n 0", &saved("Solo", "2x2", "p", &["R0,0,1", "R1,0,1"]));
    assert!(
        open.out.contains("  - the player's mark at row 1, column 1\n") && !open.out.contains("wrong"),
        "{}",
        open.out
    );
    let unknown = saved("Inertia", "3x3", SOLO, &[]);
    assert!(run_with_input("-", &unknown).err.contains("there is no puzzle inertia"));
}

/// For each game: moves of a solution, a wrong move with its place, and a move that undoes it.
#[test]
fn the_moves_of_every_game_with_marks_are_read() {
    let pattern = "4/4/3/2.2/1/2/3/1.1/2/4/4/3";
    let slant = "a10h23a32a02b22e3a2c1g3a20d32a0c221a210i0a101b0";
    let towers = "2/2/1/3/2/2/3/1/3/1/2/2/2/3/2/1";
    let unequal = "0D,0,0L,0,0,0,0,0,0D,0U,0R,0,0,0,0,4,";
    let bridges = "3a4b3h2c4d5g1c2";
    let pearl = "bBfWWeWaWBdWhWaB";
    let loopy = "b312a2d2222b230a21g02a2a3";
    let rectangles = "a6f2_2_4h2_2_4c3b2c5b4";
    let galaxies = "ikrqfedzljjsp";
    let palisade = "b1d2a3e3d1f2b2a3b2";
    // The last move undoes what the previous one states about the opposite cell.
    let star = ["E12,9", "E8,11", "A1,1,1,6", "M1,6", "A3,1,7,2", "U11,3"];
    let cases = [
        ("Slant", "8x8de", slant, &["/7,0", r"\7,1;\1,0"][..], r"\2,0", "at row 1, column 3", "C2,0"),
        ("Towers", "4de", towers, &["R2,0,4", "P0,0,3", "D0,-1", "R0,1,4"], "R3,3,1", "at row 4, column 4", "R3,3,0"),
        ("Unequal", "4de", unequal, &["R2,1,4", "R0,0,4"], "R1,2,1", "at row 3, column 2", "R1,2,4"),
        ("Filling", "3x3", "1b3a1a2a", &["1,2_2", "6_3"], "4_1", "at row 2, column 2", "4_0"),
        ("Pattern", "6x6", pattern, &[], "F0,0,1,6", "at row 1, column 1", "U0,0,1,6"),
        ("Range", "6x6", "3_6h6c6f6c9h9_4", &["W,0,3"], "W,0,3B,0,4", "at row 1, column 5", "E,0,3E,0,4"),
        // A second bridge may come later, and islands come in either order.
        (
            "Bridges",
            "6x6m2",
            bridges,
            &["L0,0,2,0,1", "L2,2,2,0,2", "M2,2"],
            "N0,3,5,3",
            "between (4,1) and (4,6)",
            "N5,3,0,3",
        ),
        ("Bridges", "6x6m2", bridges, &["L0,0,2,0,1"], "L0,0,2,0,2", "between (1,1) and (1,3)", "L2,0,0,0,0"),
        // Both cells of a line state it.
        (
            "Pearl",
            "6x6dt",
            pearl,
            &["F1,0,0;F4,1,0", "M1,2,0;M4,3,0"],
            "F8,1,0;F2,1,1",
            "between (1,2) and (2,2)",
            "F8,1,0;F2,1,1",
        ),
        ("Loopy", "6x6t0", loopy, &["0y3y1n"], "2n", "between (2,1) and (2,2)", "2u"),
        // A side of a rectangle is removed and drawn again.
        ("Rectangles", "6x6", rectangles, &["R0,0,2,3", "V2,0", "V2,0"], "H0,2", "between (2,1) and (3,1)", "E0,0,2,3"),
        ("Rectangles", "6x6", rectangles, &["R0,0,2,3"], "R1,0,2,2", "between (1,1) and (1,2)", "R0,0,2,3"),
        // The opposite cell belongs to the same galaxy. Here it lies outside the board, which is a
        // small cause.
        ("Galaxies", "7x7dh", galaxies, &star, "A3,1,1,6", "at row 1, column 2", "U3,1"),
        (
            "Palisade",
            "6x6n4",
            palisade,
            &["F0,0,2F1,0,8", "F1,0,32F2,0,128"],
            "F0,1,2F1,1,8",
            "between (2,1) and (2,2)",
            "F0,1,2F1,1,8",
        ),
        (
            "Palisade",
            "5x5n5",
            "2d23c33e2c1b2",
            &["F2,0,2F3,0,8"],
            "F0,0,4F0,1,1",
            "between (1,1) and (2,1)",
            "F0,0,4F0,1,1",
        ),
    ];
    for (game, params, desc, right, wrong, place, back) in cases {
        let save = |more: &[&str]| saved(game, params, desc, &[right, more].concat());
        let of = |more: &[&str]| run_with_input("- -n 0", &save(more));
        let ran = of(&[]);
        assert!(ran.out.starts_with("1 solution") && ran.err.is_empty(), "{game}: {}{}", ran.out, ran.err);
        // The proof that a cause is smallest takes seconds.
        let place = format!("the player's mark {place}");
        retry_with_longer_limits(|limit| {
            let ran = run_with_input(&format!("why - -f json --time-limit {limit}"), &save(&[wrong]));
            println!("{game}: {}{}", ran.out, ran.err);
            (ran.code == 0 && ran.out.contains(&place)).then_some(())
        });
        assert!(of(&[wrong, back]).out.starts_with("1 solution"), "{game}");
    }
}

#[test]
fn ignored_moves_of_a_saved_game_are_reported() {
    let pearl = |moves: &[&str]| saved("Pearl", "6x6", "bBfWWeWaWBdWhWaB", moves);
    for command in ["- -n 0", "why -", "hint -", "hint - -f html", "- -f asp"] {
        let ran = run_with_input(command, &pearl(&["F1,0,0;F4,1,0", "H"]));
        assert!(ran.err.contains("moves of this saved game are ignored: `H`"), "{command}: {}{}", ran.out, ran.err);
        assert_eq!(run_with_input(command, &pearl(&["F1,0,0;F4,1,0"])).err, "", "{command}");
    }
    let solved = pearl(&["F1,0,0;F4,1,0"]).replace("MOVE    ", "SOLVE   ");
    assert!(run_with_input("-", &solved).err.contains("`SOLVE`"));
}

/// Parameters select the rules of one of two puzzles that share a game, or unsupported rules.
#[test]
fn parameters_of_a_saved_game_select_its_rules() {
    let id = run_with_input("- -p palisade", "6x6n4:b1d2a3e3d1f2b2a3b2");
    assert!(id.code == 2 && id.err.contains("-p fourcells reads it"), "{}{}", id.out, id.err);
    for (game, params, desc, expected) in [
        ("Palisade", "5x5n6", "2d23c33e2c1b2", "expected `n5`"),
        ("Bridges", "6x6m2L", "3a4b3h2c4d5g1c2", "the parameter `L`, which selects other rules: no loop of bridges"),
        ("Bridges", "6x6m3", "3a4b3h2c4d5g1c2", "expected `m2`"),
        ("Loopy", "6x6t1", "b312a2d2222b230a21g02a2a3", "expected `t0`"),
        ("Solo", "3x3y", SOLO, "begins a parameter that solo does not have"),
        ("Unequal", "4a", "0,0,0,0,", "the parameter `a`, which selects other rules"),
    ] {
        let ran = run_with_input("-", &saved(game, params, desc, &[]));
        assert!(ran.code == 2 && ran.err.contains(expected), "{game} {params}: {}{}", ran.out, ran.err);
        // The error is in the line of the parameters.
        assert!(ran.err.contains("<stdin>:4:"), "{}", ran.err);
    }
}

/// No part of a saved game is dropped silently, neither keys nor moves with unsuitable numbers.
#[test]
fn every_key_and_move_of_a_saved_game_is_read_or_reported() {
    let whole = saved("Solo", "3x3", SOLO, &["R0,0,1"]);
    for (text, expected) in [
        (whole.replace("VERSION ", "VERSIONS"), "unknown key in the saved game"),
        (whole.replace("VERSION ", "GAME    "), "duplicate key in the saved game"),
        (saved("Solo", "3x3q", SOLO, &[]), "begins a parameter that solo does not have"),
    ] {
        let ran = run_with_input("-", &text);
        assert!(ran.code == 2 && ran.err.contains(expected), "{text}: {}{}", ran.out, ran.err);
    }
    for params in ["3x3", "3x3r2dt", "3x3a", "3x3md4"] {
        let ran = run_with_input("- --unique -q", &saved("Solo", params, SOLO, &[]));
        assert!(ran.out.starts_with("One solution"), "{params}: {}{}", ran.out, ran.err);
    }
    for step in ["R0", "R0,99999999999999999999,1"] {
        let ran = run_with_input("- -n 0", &saved("Solo", "3x3", SOLO, &[step]));
        assert!(ran.err.contains("ignored: `R`"), "{step}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn a_truncated_saved_game_is_an_error() {
    let whole = saved("Solo", "3x3", SOLO, &["R0,0,1", "R2,0,2"]);
    for end in [20, 100, 150, 210, whole.len() - 12, whole.len() - 3] {
        for options in ["-", "- -p sudoku"] {
            let ran = run_with_input(options, &whole[..end]);
            assert!(ran.code == 2 && ran.err.contains("the saved game is cut off"), "{end}: {}{}", ran.out, ran.err);
        }
    }
}

/// A Sudoku with one solution, by rows.
pub const ROWS: [&str; 9] = [
    "53..7....",
    "6..195...",
    ".98....6.",
    "8...6...3",
    "4..8.3..1",
    "7...2...6",
    ".6....28.",
    "...419..5",
    "....8..79",
];

#[test]
fn a_sudoku_with_a_wrong_row_is_reported_as_a_sudoku() {
    let with = |row: usize, text: &str| {
        let mut rows = ROWS;
        rows[row] = text;
        rows.join("\n") + "\n"
    };
    let spaced = |text: String| -> String {
        text.chars().flat_map(|sign| [sign].into_iter().chain((sign != '\n').then_some(' '))).collect()
    };
    let cases = [
        (with(6, ".6....28.."), "expected 9 cells as in the other rows, found 10"),
        (with(4, "4..8.3.."), "expected 9 cells as in the other rows, found 8"),
        (spaced(with(4, "4..8.3..")), "expected 9 cells as in the first row, found 8"),
        (ROWS[..8].join("\n") + "\n", "8 rows and 9 columns; a board of sudoku is a square"),
        (ROWS.concat()[..80].to_owned(), "1 row and 80 columns; a board of sudoku is a square"),
    ];
    for (text, expected) in cases {
        let ran = run_with_input("-", &text);
        assert!(ran.code == 2 && ran.err.contains(expected), "{text}: {}{}", ran.out, ran.err);
        assert!(!ran.err.contains("minesweeper"), "{}", ran.err);
    }
    // A board with many equal numbers is one of Minesweeper.
    let mines = run_with_input("-", "1111....\n1..1....\n11111...\n..111...\n..1.1...\n..111111\n......1.\n");
    assert!(mines.err.contains("minesweeper"), "{}", mines.err);
}

#[test]
fn a_sudoku_with_few_clues_is_recognised() {
    let mut rows = ["........."; 9];
    (rows[0], rows[4], rows[8]) = ("........1", "2........", "..3......");
    let ran = run_with_input("-", &(rows.join("\n") + "\n"));
    assert!(ran.out.contains("not the only one") || ran.out.contains("solution"), "{}{}", ran.out, ran.err);
    assert!(ran.code != 2 && !ran.err.contains("minesweeper"), "{}", ran.err);
}

#[test]
fn an_unknown_name_on_the_first_line_is_reported_with_a_suggestion() {
    let ran = run_with_input("-", "nurikabbe\n2 . .\n. . .\n");
    assert!(ran.code == 2 && ran.err.contains("there is no puzzle nurikabbe (did you mean nurikabe?)"), "{}", ran.err);
    let ran = run_with_input("-", "qwertzuiop\n2 . .\n. . .\n");
    assert!(ran.code == 2 && ran.err.contains("qwertzuiop"), "{}", ran.err);
}

#[test]
fn sizes_without_boxes_and_several_pictures_at_once_are_rejected() {
    for size in ["7x7", "7"] {
        let ran = run_line(&format!("generate sudoku --size {size}"));
        assert!(ran.code == 2 && ran.err.contains("such a board has no boxes"), "{}{}", ran.out, ran.err);
    }
    assert!(run_line("generate sudoku --size 4").out.contains("4 rows and 4 columns"));
    let ran = run_line("generate sudoku --size 4 --count 2 -f svg");
    assert!(ran.code == 2 && ran.out.is_empty() && ran.err.contains("{n}.svg"), "{}{}", ran.out, ran.err);
}
