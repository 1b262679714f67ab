//! Boards as people have them: every text of `tests/data/notations.toml` is read as the board that stands beside it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use crate::support::{file, folder, run, run_with_input};

#[derive(Deserialize)]
struct Notations {
    notation: Vec<Notation>,
}

#[derive(Deserialize)]
struct Notation {
    name: String,
    text: String,
    /// What `as` does not say.
    puzzle: Option<String>,
    r#as: String,
}

/// What is found out about a text, whatever it is called and however it was searched.
fn found(text: &str) -> Value {
    found_as(text, None)
}

fn found_as(text: &str, puzzle: Option<&str>) -> Value {
    let folder = folder();
    let path = file(folder.path(), "board", text);
    let named = puzzle.map(|puzzle| ["-p".as_ref(), puzzle.as_ref()]);
    let ran = run([path.as_os_str(), "-f".as_ref(), "json".as_ref()].into_iter().chain(named.into_iter().flatten()));
    assert!(ran.code < 2, "{text}\n{}", ran.err);
    let mut value = ran.json();
    // A reason stands elsewhere, as the texts do, and is looked for within a second.
    for key in ["instance", "statistics", "because"] {
        value.as_object_mut().expect("an object").remove(key);
    }
    value
}

#[test]
fn boards_are_read_as_people_have_them() {
    let text = include_str!("../../data/notations.toml");
    let Notations { notation } = toml::from_str(text).expect("the list of notations can be read");
    let mut names = BTreeSet::new();
    let mut wrong = Vec::new();
    for Notation { name, text, puzzle, r#as } in notation {
        let (one, other) = (std::panic::catch_unwind(|| found(&text)), found_as(&r#as, puzzle.as_deref()));
        if one.as_ref().ok() != Some(&other) {
            wrong.push(format!("{name}\n{text}\n{one:?}\n{other}"));
        }
        assert!(names.insert(name.clone()), "{name} is there twice");
    }
    assert!(wrong.is_empty(), "{} of {}:\n\n{}", wrong.len(), names.len(), wrong.join("\n\n"));
}

/// A solved Sudoku but for one number, each cell as it is written.
fn but_one(side: usize, open: usize, written: impl Fn(usize) -> String) -> String {
    let root = side.isqrt();
    let number = |row: usize, column: usize| (row % root * root + row / root + column) % side;
    let cell = |row: usize, column: usize| match number(row, column) {
        number if number == open => ".".to_owned(),
        number => written(number),
    };
    (0..side).map(|row| (0..side).map(|column| cell(row, column)).collect::<String>() + "\n").collect()
}

#[test]
fn zeros_and_letters_are_numbers_where_another_sign_is_empty() {
    let words = |side: usize, open: usize| {
        format!("puzzle sudoku\n\n{}", but_one(side, open, |number| format!(" {} ", number + 1)).replace('.', " . "))
    };
    // 0 to F without an F, 0 to F without a 3, and A to Y, in which X is no empty cell.
    for open in [15, 3] {
        assert_eq!(found(&but_one(16, open, |number| format!("{number:X}"))), found(&words(16, open)));
    }
    let letter = |number: usize| char::from(b'A' + number as u8).to_string();
    assert_eq!(found(&but_one(25, 0, letter)), found(&words(25, 0)));
}

#[test]
fn a_text_in_utf_16_is_read_as_powershell_writes_it() {
    let folder = folder();
    for (mark, to_bytes) in [("little", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("big", u16::to_be_bytes)] {
        let bytes: Vec<u8> = "\u{feff}mines 3\r\n1??\r\n1F?\r\n1??\r\n".encode_utf16().flat_map(to_bytes).collect();
        let ran = run([file(folder.path(), mark, bytes).as_os_str(), "-q".as_ref()]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "2 cells are safe. 3 layouts fit.\n"), "{mark}: {}", ran.err);
    }
}

#[test]
fn places_are_those_of_the_editor_whatever_ends_the_lines() {
    for text in ["\u{feff}mines 3\r\n1??\r\n1z?\r\n", "mines 3\r1??\r1z?\r", "mines 3\n1??\n1z?\n"] {
        let ran = run_with_input("-", text);
        assert!(ran.err.contains("<stdin>:3:2"), "{text:?}: {}", ran.err);
    }
}

#[test]
fn the_lines_of_a_batch_may_come_from_windows() {
    let ran = run_with_input("--batch -", "\u{feff}1 2 3/4 . 6/7 5 8\r\n\r\n% two\r\n8-puzzle: 1,2,3,4,0,6,7,5,8\r\n");
    assert_eq!(ran.out.matches("\"length\":2").count(), 2, "{}{}", ran.out, ran.err);
}

#[test]
fn a_board_that_this_program_prints_can_be_pasted_back() {
    for board in ["minesweeper.txt", "minesweeper_guess.txt", "amphipod.txt"] {
        let path = format!("{}/instances/{board}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("an instance");
        let printed = run([path.as_str(), "-v"]).out;
        let (mut one, mut other) = (found(&text), found(&printed));
        if board.starts_with("minesweeper") {
            // Of a board with flags the mines that are certain come back as flags, and need no reason.
            for value in [&mut one, &mut other] {
                let answer = value["answers"][0].as_object_mut().expect("an answer");
                ["explain", "found_by", "by_clingo"].iter().for_each(|key| drop(answer.remove(*key)));
            }
        }
        assert_eq!(one, other, "{board}\n{printed}");
    }
}

#[test]
fn an_answer_that_clingo_printed_is_an_instance() {
    let program = "cell(1..3,1..3). number(1,1,1). flag(2,2). mines(3). number(2..3,1,1).";
    let printed = run_with_input("- -p program -f asp", program).out;
    assert!(printed.contains("Answer: 1\n"), "{printed}");
    let answers = |text: &str| found(text)["answers"].clone();
    assert_eq!(answers(&printed), answers(program), "{printed}");
}

/// Korf's boards have their free cell first in the goal.
#[test]
fn a_board_of_another_goal_says_which_and_how_to_ask_for_it() {
    let board = "1 . 2 3/4 5 6 7/8 9 10 11/12 13 14 15\n";
    let ran = run_with_input("-", board);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let wanted = "But it can be solved to free, 1, 2, …, 15: --goal free-first asks for that.";
    assert!(ran.out.contains(wanted), "{}", ran.out);
    let value = run_with_input("- -f json", board).json();
    assert_eq!(value["statistics"]["solvable_to"], "free-first", "{value}");
    let value = run_with_input("- -f json --goal free-first", board).json();
    assert_eq!(value["answers"][0]["length"], 1, "{value}");
    // On three rows of three both goals can be reached, or neither.
    let value = run_with_input("- -f json", "2 1 3/4 5 6/7 8 .").json();
    assert_eq!((&value["verdict"], &value["statistics"]["solvable_to"]), (&"impossible".into(), &Value::Null));
    let ran = run(["-", "--goal", "1 2 3/8 . 4/7 6 5"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}

/// Readings that would be wrong without a word about it: what is printed, and the exit code.
#[test]
fn what_could_be_misread_is_refused_or_read_as_it_stands() {
    for (text, code, told) in [
        // A hole between commas or tabs; a place that nobody can know is not guessed.
        ("1,2,3,4\n5,6,7,8\n9,10,11,12\n13,14,15,\n", 0, "Solved in 0 moves"),
        ("1\t2\t3\t4\n5\t6\t7\t8\n9\t10\t11\t12\n13\t14\t\t15\n", 0, "Solved in 1 move"),
        ("1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15\n", 2, "this row has 3 cells"),
        ("Thanks for this one!\n1 2 3\n4 5 6\n7 . 8\nSee you soon\n", 0, "Solved in 1 move"),
        ("Goal: 1 2 3/4 5 6/7 8 .\nStart: 1 2 3/4 5 6/. 7 8\n", 0, "  LL"),
        ("{\"board\":[[1,2,3],[4,5,6],[7,0,8]],\"previous\":[[1,2,3],[4,0,6],[7,5,8]]}", 2, "a second board"),
        // Cells that are none, boards that are two, totals that are counters.
        ("{\"mines\":1,\"board\":[[-1,1],[1,-1]]}", 2, "found -1"),
        ("{\"mines\":1,\"board\":[\"1?\"],\"solution\":[\"1*\"]}", 0, "1 mine is certain"),
        ("mines 2\n?1?\n...\n\n?1?\n...\n", 2, "a second board begins here"),
        ("Mines: 1/10\n1#\n11\n", 2, "10 mines, but"),
        ("Mines: 0/1\n1#\n11\n", 0, "1 mine is certain"),
        ("mines 2\n# # #\n2 2 2\n_ _ _\n", 0, "One layout fits"),
        ("mines 2\nF1__\n", 0, "1 mine is certain"),
        ("mines 3\n3x2\nxxx\n???\n", 0, "3 mines are certain"),
        // Programs that look a bit like a board.
        ("x(1). x(2).", 0, "x(1) x(2)"),
        ("armed. {bomb : armed}.\n", 0, "armed"),
        ("q. a :- q, bomb : q.\n", 0, "q"),
        ("color(1,red). rel(1,2). rel(2,3). ok :- rel(X,Y).", 0, "ok"),
        ("cell(1..2,1..2). number(1,1,3). 1 { value(R,C,1..4) } 1 :- cell(R,C).", 0, "value(1,1,"),
        ("start(1). target(2). color(1,red). rel(1,1,2). { pick(X) } :- color(X,_).", 0, "rel(1,1,2)"),
        // What is nested, or long, takes no longer than it should.
        ("digraph { node [final=true]; s; a -> s [label=1]; }", 2, "final is not read as a default"),
    ] {
        let ran = run_with_input("-", text);
        let shown = format!("{}{}", ran.out, ran.err);
        assert!(ran.code == code && shown.contains(told), "{text}\nexit code {}\n{shown}", ran.code);
    }
    // Brackets in comments and in quotes nest nothing.
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
    let told = run_with_input("-", &wide).out;
    // Its certain mines are flags then.
    let again = run_with_input("-", &told).out;
    assert_eq!(again.split('.').next(), told.split('.').next());
    assert_eq!(run_with_input("-", &again).out, again);
}

/// What is said of a text that names no puzzle, and that fits none or another.
#[test]
fn a_name_that_is_nearly_one_is_offered_and_a_sudoku_is_no_minesweeper() {
    for (text, code, told) in [
        ("nurikab\n2...\n....\n...3\n....\n", 2, "there is no puzzle nurikab (did you mean nurikabe?)"),
        ("puzzle nurikab\n2...\n....\n", 2, "there is no puzzle nurikab (did you mean nurikabe?)"),
        // Fewer than a fifth of its cells have numbers, or a line is one of another puzzle's.
        ("....\n.12.\n....\n....\n", 2, "error"),
        ("mines 3\n1???\n????\n????\n???2\n", 0, "layouts fit"),
        // A row is too short where dots are the empty cells.
        ("puzzle sudoku\n53..7....\n6..195...\n.98....6.\n8...6...\n", 2, "a row of 8 among rows of 9"),
        (
            "53..7....\n6..195...\n.98...6.\n8...6...3.\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79\n",
            2,
            "no puzzle is recognised",
        ),
        (
            "puzzle sudoku\n53..7....\n6..195...\n.98...6.\n8...6...3.\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79\n",
            2,
            "a row of 8 among rows of 9",
        ),
        (
            &"puzzle sudoku\n1...\n..2.\n.3..\n...4\n".replacen("1...", &"1...\n..2.\n.3..\n...4\n\n".repeat(3), 1),
            2,
            "a board of sudoku is a square",
        ),
        (". 2 . 4\n3 . 1 .\n. 1 . .\n0 . 2 .\n", 0, "1 solution"),
        (". 2 . .\n3 . 1 .\n. 1 . .\n0 . 2 .\n", 2, "a second free cell"),
        // Numbers in a line with rows that have none twice; and one that has, without its largest number.
        ("1234\n3412\n....\n....\n", 0, "1 solution"),
        ("1134\n3412\n....\n....\n", 2, "error"),
    ] {
        let ran = run_with_input("-", text);
        let shown = format!("{}{}", ran.out, ran.err);
        assert!(ran.code == code && shown.contains(told), "{text}\nexit code {}\n{shown}", ran.code);
    }
}

#[test]
fn lines_of_a_batch_may_be_sudokus_of_81_characters() {
    let one = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let ran = run_with_input("--batch -", &format!("{one}\n{}\n1...../..2..\n", one.replace('.', "0")));
    assert_eq!(ran.out.matches("\"number(1,3,4)\"").count(), 2, "{}{}", ran.out, ran.err);
    // Of a table, the board and not its solution; the head has no object.
    let solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let table = format!("quizzes,solutions\n{},{solution}\n{one},{solution}\n", one.replace('.', "0"));
    let ran = run_with_input("--batch -", &table);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 2), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out.matches("\"number(1,3,4)\"").count(), 2, "{}{}", ran.out, ran.err);
}

#[test]
fn who_does_not_know_how_a_board_is_written_is_shown_one() {
    let ran = run_with_input("-", "puzzle tents\n..T\n....\n");
    assert!(
        ran.code == 2 && ran.err.contains("`asp-solve generate tents` shows how a board is written"),
        "{}",
        ran.err
    );
}

/// What the player has marked holds; a wrong mark is told as the reason why there is no solution.
#[test]
fn the_marks_of_a_saved_game_are_its_state() {
    let save = |moves: &[&str]| {
        let line = |made: &&str| format!("MOVE    :{}:{made}\n", made.len());
        let (count, moves) = (moves.len() + 1, moves.iter().map(line).collect::<String>());
        let desc = "a6c5b3_4c1c2a7b3a4a1c1c5a8_9e2_6a2c9c6a8a2b7a7c6c4_2b9c1a";
        let (length, head) = (desc.len(), "SAVEFILE:41:Simon Tatham's Portable Puzzle Collection\nVERSION :1:1\n");
        let state = format!("NSTATES :1:{count}\nSTATEPOS:1:{count}\n");
        format!("{head}GAME    :4:Solo\nPARAMS  :3:3x3\nDESC    :{length}:{desc}\n{state}{moves}")
    };
    let of = |moves: &[&str]| run_with_input("- -n 0", &save(moves));
    assert!(of(&[]).out.starts_with("1 solution"), "{}", of(&[]).out);
    assert!(of(&["R0,0,1", "R2,0,2"]).out.starts_with("1 solution"));
    let wrong = of(&["R2,0,2", "R0,0,9"]);
    assert_eq!(wrong.code, 1, "{}", wrong.out);
    let why = run_with_input("why -", &save(&["R2,0,2", "R0,0,9"]));
    assert!(why.out.contains("the player's mark at row 1, column 1"), "{}{}", why.out, why.err);
    assert_eq!(of(&["R0,0,9", "R0,0,0"]).code, 0, "a mark that was taken back");
    let unknown = save(&[]).replace(":4:Solo", ":7:Inertia");
    assert!(run_with_input("-", &unknown).err.contains("there is no puzzle inertia"));
}
