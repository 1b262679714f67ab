//! Files of puzz.link are read as boards with the player's marks, and written.

use base::document::Document;
use pencil::LogicPuzzle;
use pencil::board::GridBoard;
use puzzle::Format;

use super::types::PuzzleFile;
use crate::support::run_with_input;

/// The type whose marks are not the atoms that solutions show.
const WITHOUT_SOLUTION: &str = "shikaku";

fn read(puzzle: &LogicPuzzle, text: &str) -> GridBoard {
    let read = puzzle.read(&Document::in_memory("file", text));
    read.unwrap_or_else(|failure| panic!("{text}\n{failure}")).expect("a board")
}

/// The board of the type is the same as text, facts and file; its file with the solution, too.
fn check_file(puzzle: &PuzzleFile) {
    let (name, board) = (&puzzle.name, puzzle.board());
    let printed = |job, format| puzzle.printed(job, format).unwrap_or_else(|failure| panic!("{name}: {failure}")).0;
    let file = printed(puzzle.job(), Format::Pzprv3);
    assert!(file.starts_with("pzprv3"), "{name}: {file}");
    assert_eq!(printed(puzzle.job_of("board.lp", &board.facts()), Format::Pzprv3), file, "{name}: as facts");
    let one_line = file.replace('\n', "/");
    let address = format!("https://puzz.link/p?{}", one_line.replace(' ', "%20"));
    for text in
        [&file, &one_line, &address, &file.replace('\n', "\r\n"), &format!("{file}history:{{\n\"current\":0\n}}\n")]
    {
        let read = read(&puzzle.logic, text);
        assert_eq!(read.facts(), with_default_header(puzzle, &board).facts(), "{name}\n{text}");
        assert_eq!(printed(puzzle.job_of("file", text), Format::Pzprv3), file, "{name}");
    }
    let mut job = puzzle.job();
    job.output.style.drawn = Some(1);
    let solved = puzzle.printed(job, Format::Pzprv3);
    if name == WITHOUT_SOLUTION {
        assert!(solved.expect_err(name).to_string().contains("a solution: files of the type `shikaku` cannot express"));
        return;
    }
    let solved = solved.unwrap_or_else(|failure| panic!("{name}: {failure}")).0;
    let marks = read(&puzzle.logic, &solved).player_marks;
    assert!(!marks.is_empty(), "{name}: {solved}");
    let (_, result) = puzzle
        .printed(puzzle.job_of("file", &solved), Format::Json)
        .unwrap_or_else(|failure| panic!("{name}: {failure}"));
    assert_eq!(result.exit_code(), 0, "{name}: {solved}");
}

/// A file always states the number of stars.
fn with_default_header(puzzle: &PuzzleFile, board: &GridBoard) -> GridBoard {
    let mut board = board.clone();
    if puzzle.name == "starbattle" && board.header.is_empty() {
        board.header.insert(("stars".to_owned(), vec![1.into()]));
    }
    board
}

mod types {
    use crate::logic::types::each_type;

    each_type!(super::check_file);
}

/// A small board with one solution.
const HITORI: &str = "pzprv3\nhitori\n3\n3\n1 2 3 \n2 2 1 \n3 1 3 \n";

fn logic(name: &str) -> LogicPuzzle {
    LogicPuzzle::named(name).expect("a puzzle")
}

#[test]
fn marks_in_a_file_are_constraints() {
    let of = |marks: &str| run_with_input("- -n 0", &format!("{HITORI}{marks}"));
    assert!(of("").out.starts_with("1 solution"), "{}", of("").out);
    // Borders of cells that are not on the board are no marks.
    let lapaz = "pzprv3/lapaz/2/8/2 . . . . # . . /. . . . . . # . /0 1 0 0 0 0 0 /1 0 1 1 0 1 0 /1 1 0 0 1 0 0 0 /. . # . # . # . /# . . . . . . . /";
    assert_eq!(run_with_input("-", lapaz).code, 0);
    let right = of(". . . \n. # . \n. . # \n");
    assert!(right.out.starts_with("1 solution"), "{}{}", right.out, right.err);
    let wrong = ". + . \n# . . \n. . . \n";
    assert_eq!(of(wrong).code, 1);
    let why = run_with_input("why - -f json", &format!("{HITORI}{wrong}"));
    assert!(why.out.contains("the player's mark at row 2, column 1"), "{}{}", why.out, why.err);
    // The moves that led to the marks are ignored.
    let moves = "history:{\n\"current\":2,\n\"datas\":[[\"CS3,3\",0,1]]\n}\n";
    assert!(of(&format!(". . . \n. # . \n. . . \n{moves}")).out.starts_with("1 solution"));
    // A trial repeats the board as it was before it.
    let trial = "TrialData(1)\n1 2 3 \n2 2 1 \n3 1 3 \n. . . \n. . . \n. . . \n";
    assert!(of(&format!(". . . \n. # . \n. . . \n{trial}")).out.starts_with("1 solution"));
}

#[test]
fn older_versions_of_files_are_read() {
    let rooms = "pzprv3/heyawake/2/2/2/0 1 /0 1 /1 . /. . /";
    let walls = "pzprv3.1/heyawake/2/2/1 /1 /0 0 /1 . /. . /. # /. . /0 /0 /0 0 /";
    let heyawake = logic("heyawake");
    let [rooms, walls] = [rooms, walls].map(|text| read(&heyawake, text));
    assert_eq!(GridBoard { player_marks: Default::default(), ..walls.clone() }, rooms);
    assert_eq!(walls.player_marks.into_values().collect::<Vec<_>>(), ["shaded(1,2)"]);
    let slalom = logic("slalom");
    let boards = [
        "pzprv3/slalom/3/3/. . . /# w4 # /. o . /",
        "pzprv3.1/slalom/3/3/. . . /4 - 4 /. o . /",
        "pzprv3.3/slalom/3/3/. . . /0,4 - 0,4 /. o . /0 0 /0 0 /1r -1 /0 0 0 /0 0 0 /",
    ];
    let [first, second, third] = boards.map(|text| read(&slalom, text));
    assert_eq!(first.signs, second.signs);
    assert_eq!(first.signs, third.signs);
    let marks: Vec<String> = third.player_marks.into_values().collect();
    assert_eq!(marks, ["line(3,1,3,2)", "not line(3,2,3,3)"]);
}

#[test]
fn what_a_file_has_and_a_type_has_not_is_refused_by_name() {
    let cases = [
        ("pzprv3/hitori/2/2/1 2 /2 x /. . /. . /", "`x` is not supported here"),
        ("pzprv3/hitori/2/2/1 2 /2 /. . /. . /", "expected a line of 2 words, found 1"),
        ("pzprv3/hitori/2/2/1 2 /2 1 1 /. . /. . /", "expected a line of 2 words, found 3"),
        ("pzprv3/hitori/2/2/1 2 /", "the file ends here: expected a line of 2 words"),
        ("pzprv3/hitori/2/2/1 2 /2 1 /. . /", "the file ends here: expected a line of 2 words"),
        ("pzprv3/hitori/2/2/1 2 /2 1 /. . /. . /0 /0 /0 0 /1 2 /", "comes after the last section"),
        ("pzprv3/hitori/2/", "the file ends here: expected the number of columns"),
        ("pzprv3/hitori/x/2/", "expected the number of rows, found `x`"),
        ("pzprv3/hitori/0/2/", "a board of 0 rows"),
        ("pzprv3/hitori/99999/99999/", "it can have from 1 to 1,000,000 cells"),
        ("pzprv3/hitori/99999999999/2/", "expected the number of rows, found `99999999999`"),
        ("pzprv3/hitori/1/2/99999999999 1 /", "`99999999999` is not supported here"),
        ("v:x/pzprv3/hitori/2/2/1 2 /2 1 /", "`v:x` is not supported: variant rules of hitori"),
        ("pzprv3/nosuchtype/2/2/. . /. . /", "there is no puzzle nosuchtype"),
        ("pzprv3/aho/2/2/. . /. . /", "files of the type `aho` are not supported"),
        ("pzprv3/compass/1/2/# . /0 /", "`#` is not supported here"),
        ("pzprv3/icebarn/1/1/9/0/0 /0 0 /0 /0 /", "`9` is not an outer border"),
    ];
    for (text, message) in cases {
        let ran = run_with_input("-", text);
        assert!(ran.code == 2 && ran.err.contains(message), "{text}: {}{}", ran.out, ran.err);
    }
    assert!(run_with_input("-", "pzprv3/hitori/2/2").out.contains("solution"), "a board without clues");
}
