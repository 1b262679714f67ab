//! Boards as text: how they are read, and the errors of malformed ones.

use base::diagnostic::Code;
use base::document::Document;
use pencil::board::{Clue, ClueGrid, ClueLocation, GridBoard, MAX_BYTES, MAX_CELLS, SIDES};

fn read(text: &str) -> GridBoard {
    GridBoard::read(&Document::in_memory("text", text)).unwrap_or_else(|failure| panic!("{failure}\n{text}"))
}

fn error(text: &str) -> String {
    let failure = GridBoard::read(&Document::in_memory("text", text)).expect_err(text);
    assert_eq!(failure.code(), Some(Code::InvalidInstance), "{text}");
    failure.to_string()
}

fn with_single_spaces(facts: &str) -> String {
    facts.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn rows_are_split_into_words_if_one_contains_a_space_and_into_characters_otherwise() {
    assert_eq!(with_single_spaces(&read("1.\n.?\n").facts()), {
        "rows(2). columns(2). sign(1,1,1). part(1,1,1,1). sign(2,2,\"?\"). part(2,2,1,\"?\")."
    });
    let facts = with_single_spaces(&read("% Kakuro.\n\n  16\\3  -\n  2>  1,-3\n").facts());
    for fact in
        ["sign(1,1,\"16\\\\3\").", "part(1,1,2,\"\\\\\").", "part(2,1,2,\">\").", "part(2,2,1,1). part(2,2,2,-3)."]
    {
        assert!(facts.contains(fact), "{fact} in {facts}");
    }
    assert_eq!(read("columns 1\n12\n.\n").signs, ClueGrid::from([((1, 1), Clue::Number(12))]));
}

#[test]
fn header_lines_become_facts_and_commas_separate_lists_of_clues() {
    let board = read("puzzle tents\nstars: 2\nat 1 x\nleft 3 1, 1 1, , 2\ntop 1 . 0\n\n...\n...\n...\n...");
    assert_eq!(board.puzzle(), Some("tents"));
    assert_eq!(with_single_spaces(&board.facts()), {
        "rows(4). columns(3). at(1,\"x\"). stars(2). left(1,1,3). left(1,2,1). left(2,1,1). left(2,2,1). left(4,1,2). \
         top(1,1,1). top(3,1,0)."
    });
    let clues_alone = read("top 1, 1 1\nleft 1, 2, .");
    assert_eq!((clues_alone.rows, clues_alone.columns), (3, 2));
    assert_eq!(read("left 1 2,\n....").around[0].len(), 2);
}

#[test]
fn bars_that_only_separate_columns_are_not_walls() {
    let plain = read("1...\n..3.\n....\n...2");
    for text in [
        "1 . | . .\n. . | 3 .\n----+----\n. . | . .\n. . | . 2",
        "1.|..\n..|3.\n--+--\n..|..\n..|.2",
        "+-----+-----+\n| 1 . | . . |\n| . . | 3 . |\n+-----+-----+\n| . . | . . |\n| . . | . 2 |\n+-----+-----+",
        "1.....3........2",
    ] {
        assert_eq!(read(text), plain, "{text}");
    }
    let walls = read("+--+--+--+--+\n|1  2 |3  4 |\n+--+--+--+--+\n|1  . |3  4 |\n+--+--+--+--+");
    assert_eq!((walls.columns, walls.walls.len(), walls.areas.len()), (4, 6, 8));
    assert_eq!(read("+--+--+--+--+\n|1  2 |3  4 |\n+  +  +--+--+\n|1  . |3  4 |\n+--+--+--+--+").walls.len(), 4);
}

#[test]
fn borders_are_walls_and_enclose_areas() {
    let board = read("+---+---+\n| 1   . |\n+   +---+\n| é | # |\n+---+---+\n");
    assert_eq!(with_single_spaces(&board.facts()), {
        "rows(2). columns(2). sign(1,1,1). part(1,1,1,1). sign(2,1,\"é\"). part(2,1,1,\"é\"). sign(2,2,\"#\"). \
         part(2,2,1,\"#\"). wall(1,2,2,2). wall(2,1,2,2). area(1,1,1). area(1,2,1). area(2,1,1). area(2,2,2)."
    });
}

#[test]
fn a_name_on_its_own_line_begins_another_grid() {
    let board = read("1..\n...\narea\nabb\naab\n\nheight\n5 6 7\n. . 8");
    assert_eq!(board.areas.values().copied().collect::<Vec<_>>(), [1, 2, 2, 1, 1, 2]);
    assert!(board.walls.contains(&((1, 1), (1, 2))) && !board.walls.contains(&((1, 1), (2, 1))));
    assert!(board.facts().contains("height(2,3,8)."));
    assert_eq!(read("area\naab\nabb").areas.len(), 6);
}

#[test]
fn a_written_board_is_read_back() {
    let texts = [
        "1.\n.?\n",
        "16\\3 -\n2> 1,3\n",
        "columns 1\n12\n.\n",
        "puzzle tents\nstars 2\nleft 3 1, 1 1, , 2\ntop 1 . 0\n\n...\n...\n...\n...",
        "left 1 2,\n....",
        "+--+--+\n|1   .|\n+  +  +\n|  |10|\n+--+--+\n",
        "1..\n...\narea\nabb\nbba\n\nheight\n5 6 7\n. . 8",
        "+-+-+\n| | |\n+-+-+\narea\naa",
    ];
    for text in texts {
        let board = read(text);
        assert_eq!(read(&board.text()), board, "{text}\n{}", board.text());
    }
}

#[test]
fn each_clue_has_the_place_of_its_text_and_its_own_line_of_facts() {
    let texts = [
        "1.\n.?\n",
        "% Kakuro.\n\n  16\\3  -\n  2>  1,-3\n",
        "puzzle tents\nstars 2\nleft 3 1, 1 1, , 2\ntop 1 . 0\n\n...\n...\n...\n...",
        "+---+---+\n| 1   . |\n+   +---+\n| é | # |\n+---+---+\n",
        "1..\n...\narea\nabb\naab\n\nheight\n5 6 7\n. . 8",
        "1..2.3..4.5.6..7",
    ];
    for text in texts {
        let (board, mut places) = GridBoard::read_with_places(&Document::in_memory("text", text))
            .unwrap_or_else(|failure| panic!("{failure}"));
        let mut clues = Vec::new();
        let facts = board.facts_with_clues(|clue| clues.push(clue));
        assert_eq!(facts.lines().count(), clues.len(), "{text}");
        for (line, clue) in facts.lines().zip(clues) {
            let name = line.split('(').next().unwrap_or_default();
            let Some(clue) = clue else {
                assert!(["rows", "wall", "area"].contains(&name), "{line}");
                continue;
            };
            let sign = match &clue {
                ClueLocation::Cell(cell) => board.signs[cell].to_string(),
                ClueLocation::Mark(_) => panic!("{line} is no mark"),
                ClueLocation::Header(name, arguments) => format!("{name} {}", arguments[0]),
                ClueLocation::Named(name, place) => match SIDES.iter().position(|side| side == name) {
                    Some(side) => board.around[side][place].to_string(),
                    None => board.grids[name][place].to_string(),
                },
            };
            let place = places.remove(&clue).unwrap_or_else(|| panic!("{text}: {line} has no place"));
            assert_eq!(text[place], sign, "{text}: {line}");
        }
        assert!(places.is_empty(), "{text}: {places:?}");
    }
}

#[test]
fn errors_of_malformed_boards_have_places() {
    let cases = [
        ("", "text:1:1: error: no board: neither rows of cells, nor clues beside and above them"),
        ("12\n1234\n12\n", "text:2:1: error: expected 2 cells as in the other rows, found 4"),
        ("1 2\n1 2 3\n1 2 3\n", "text:1:1: error: expected 3 cells as in the other rows, found 2"),
        ("1.\n.99999999999\n", "text:2:1: error: expected 2 cells as in the other rows, found 12"),
        ("1 .\n. 99999999999>\n", "text:2:3: error: the number 99999999999 is too large"),
        (".\u{7}\n", "text:1:2: error: expected a sign, found the control character U+0007"),
        ("..\n.\u{fffd}\n", "text:2:2: error: not valid UTF-8"),
        ("+-+\n|1|\n", "text:2:1: error: the drawing ends without a border below its last row"),
        (
            "+-+\n|1\n+-+\n",
            "text:2:3: error: expected a border `|` (the drawing must be closed), found the end of the line",
        ),
        ("+-+\n|1|\n+ +\n", "text:3:2: error: expected a border `-` (the drawing must be closed), found ` `"),
        ("+--+\n|12|\n+-x+\n", "text:3:2: error: expected a border `-` (the drawing must be closed), found `-x`"),
        (
            "+---+\n|1|2|\n+---+\n",
            "text:2:2: error: `1|2` in one cell; the corners `+` of the first line set cells apart",
        ),
        ("+-+\n|1|2\n+-+\n", "text:2:4: error: a line that is longer than the first line of its drawing"),
        (
            "++\n||\n++\n",
            "text:1:2: error: expected a border `-` (the drawing must be closed), found the end of the line",
        ),
        ("left 1 2\n..\n", "text:1:1: error: 2 lists of clues `left` for 1 row"),
        ("top 1, 2, 3\n..\n", "text:1:1: error: 3 lists of clues `top` for 2 columns"),
        ("..\n\nab\n12\n\nab\n12\n", "text:7:1: error: a second grid `ab`"),
        ("rows 3\n..\n", "text:1:1: error: the header says rows 3, but the board has 1 row"),
        ("rows many\n..\n", "text:1:6: error: expected the number of rows"),
        (
            "rows 1000000000\ncolumns 3",
            "text:1:1: error: a board of 1,000,000,000 rows and 3 columns; it can have from 1 to 1,000,000 cells",
        ),
        ("..\narea\n", "text:1:1: error: the grid `area` has no rows"),
        ("..\narea\nabc\n", "text:3:1: error: the grid `area` has 1 row of 3; the board has 1 row of 2"),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
    assert!(error(&"1".repeat(MAX_CELLS + 1)).contains("it can have from 1 to 1,000,000 cells"));
    assert!(error(&".\n".repeat(MAX_CELLS + 1)).contains("it can have from 1 to 1,000,000 cells"));
    let long = error(&format!("a {}", "x".repeat(101)));
    assert_eq!(long, "text:1:3: error: `xxxxxxxxxxxxxxxxxxxx…` has 101 bytes; the maximum is 100");
    assert!(error(&"x".repeat(MAX_BYTES + 1)).contains("a text of 61 MB"));
    assert_eq!(read(&"1 ".repeat(MAX_CELLS)).columns, MAX_CELLS);
}

#[test]
fn facts_are_converted_back_to_a_board() {
    let facts = "rows(2). columns(2). sign(1,1,2). sign(2,2,\"2>\"). wall(1,1,1,2). stars(2). left(2,1,3). other(1,2). \
                 cell(1). cell(2).";
    let atoms: Vec<asp::Symbol> =
        facts.split_whitespace().map(|fact| asp::parse_term(fact.trim_end_matches('.')).unwrap()).collect();
    let board = GridBoard::of_facts(&atoms).unwrap();
    assert_eq!(board, read("stars 2\nleft . 3\n+--+--+\n|2 |  |\n+  +  +\n|   2>|\n+--+--+"));
    let wrong = |facts: &[&str]| {
        let atoms: Vec<asp::Symbol> = facts.iter().map(|fact| asp::parse_term(fact).unwrap()).collect();
        GridBoard::of_facts(&atoms).unwrap_err()
    };
    let clue =
        |fact: &str| GridBoard::of_facts(&["rows(1)", "columns(1)", fact].map(|fact| asp::parse_term(fact).unwrap()));
    assert_eq!(clue("sign(1,1,(2,\"^\"))"), clue("sign(1,1,\"2^\")"));
    assert_eq!(clue("sign(1,1,(1,\",\",(1,\",\",3)))"), clue("sign(1,1,\"1,1,3\")"));
    assert_eq!(wrong(&["rows(2)"]), "a board has rows(R) and columns(C)");
    let outside = wrong(&["rows(2)", "columns(2)", "sign(3,1,1)"]);
    assert_eq!(outside, "the atom sign(3,1,1) is not on a board of 2 rows and 2 columns");
    assert!(wrong(&["rows(0)"]).ends_with("expected a number from 1, found 0"));
}

#[test]
fn boards_are_distinguished_from_programs() {
    let is_board = |text: &str| GridBoard::looks_like(&Document::in_memory("text", text));
    for text in ["1..2\n....", "oo.\n.*.", "+-+\n|1|\n+-+", "stars 2\n..", "% rows(2).\n#.#"] {
        assert!(is_board(text), "{text}");
    }
    for text in ["rows(2). columns(2).", "a :- b.", "\n", "#show a/1.", "{\"a\": 1}"] {
        assert!(!is_board(text), "{text}");
    }
}
