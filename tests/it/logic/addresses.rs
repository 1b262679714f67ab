//! Addresses of f-puzzles, SudokuPad and penpa-edit: each key and value is read, or rejected with
//! its path.

use std::collections::BTreeMap;

use base::document::Document;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use pencil::LogicPuzzle;
use serde_json::{Value, json};

use crate::logic::notations::ROWS;
use crate::support::{extent, run, run_with_input};

const F_PUZZLES: &str = "https://www.f-puzzles.com/?load=";
const SUDOKU_PAD: &str = "https://sudokupad.app/scl";

fn address(site: &str, json: &str) -> String {
    format!("{site}{}", lz_str::compress_to_base64(json))
}

/// Returns the facts of a board, or the error.
fn facts(puzzle: &str, text: &str) -> Result<String, String> {
    let logic = LogicPuzzle::named(puzzle).expect("a built-in puzzle");
    logic.facts_from(&Document::in_memory("board", text)).map_err(|failure| failure.to_string())
}

/// The cells of a classic Sudoku with one solution; `cell` formats a number as a site does.
fn classic(cell: impl Fn(u32) -> Value) -> Vec<Vec<Value>> {
    let row = |row: &&str| row.chars().map(|sign| sign.to_digit(10).map_or(json!({}), &cell)).collect();
    ROWS.iter().map(row).collect()
}

fn f_puzzles_classic(more: Value) -> Value {
    let mut board = json!({ "size": 9, "grid": classic(|number| json!({ "value": number, "given": true })) });
    board.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    board
}

fn sudoku_pad_classic(more: Value) -> Value {
    let mut board = json!({ "cells": classic(|number| json!({ "value": number })) });
    board.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    board
}

/// Parts of a board that are easy to drop silently, each with the expected verdict or the key that
/// the error names.
#[test]
fn parts_of_a_board_that_change_its_rules_are_read_or_rejected() {
    let mut extra = f_puzzles_classic(json!({}));
    extra["grid"][0][2] = json!({ "value": 9.0, "given": true });
    let mut marks = f_puzzles_classic(json!({}));
    marks["grid"][0][2] = json!({ "givenPencilMarks": [1, 2] });
    // The solution has 4 in this cell.
    let entered = |cell: Value| {
        let mut board = f_puzzles_classic(json!({}));
        board["grid"][0][2] = cell;
        board
    };
    let pad_entered = |cell: Value| {
        let mut board = sudoku_pad_classic(json!({}));
        board["cells"][0][2] = cell;
        board
    };
    let mut no_area = f_puzzles_classic(json!({}));
    no_area["grid"][0][2] = json!({ "region": null });
    let cage = |cage: Value| sudoku_pad_classic(json!({ "cages": [cage] }));
    for (site, board, expected) in [
        (SUDOKU_PAD, cage(json!({ "cells": [[0, 0], [1, 5]], "unique": true })), "There is no solution"),
        (SUDOKU_PAD, cage(json!({ "cells": [[0, 2], [0, 3]], "sum": 11, "unique": true })), "There is no solution"),
        (SUDOKU_PAD, cage(json!({ "cells": [[0, 2], [0, 3]], "sum": 10, "value": "10" })), "One solution"),
        (SUDOKU_PAD, cage(json!({ "cells": [[0, 2], [0, 3]], "sum": 10, "value": "11" })), "`cages[0].value`"),
        (SUDOKU_PAD, cage(json!({ "cells": [[0, 2], [0, 3]] })), "`cages[0]`: expected a cage with `value`"),
        (SUDOKU_PAD, cage(json!({ "cells": [[0, 2]], "sum": 4, "unique": false })), "`cages[0].unique`"),
        (SUDOKU_PAD, cage(json!({ "value": "title: one" })), "One solution"),
        (SUDOKU_PAD, cage(json!({ "value": "antiknight: true" })), "`cages[0].value`"),
        (SUDOKU_PAD, sudoku_pad_classic(json!({ "constraints": [{ "type": "antiknight" }] })), "`constraints`"),
        (SUDOKU_PAD, sudoku_pad_classic(json!({ "thermos": [{ "line": [[0, 8], [0, 0]] }] })), "`thermos`"),
        (SUDOKU_PAD, sudoku_pad_classic(json!({ "metadata": { "title": "x" } })), "One solution"),
        (SUDOKU_PAD, sudoku_pad_classic(json!({ "metadata": { "norowcol": "true" } })), "`metadata.norowcol`"),
        (SUDOKU_PAD, sudoku_pad_classic(json!({ "metadata": { "norowcol": "false" } })), "One solution"),
        (F_PUZZLES, extra, "There is no solution"),
        (F_PUZZLES, marks, "`grid[0][2].givenPencilMarks`"),
        (F_PUZZLES, entered(json!({ "value": 4 })), "One solution"),
        (F_PUZZLES, entered(json!({ "value": "2" })), "There is no solution"),
        (F_PUZZLES, entered(json!({ "value": 0 })), "One solution"),
        (F_PUZZLES, entered(json!({ "value": 10 })), "`grid[0][2].value`"),
        (F_PUZZLES, entered(json!({ "centerPencilMarks": [2, 4] })), "One solution"),
        (F_PUZZLES, entered(json!({ "centerPencilMarks": [2, "1"] })), "There is no solution"),
        (F_PUZZLES, entered(json!({ "value": 4, "centerPencilMarks": [1, 2] })), "One solution"),
        (F_PUZZLES, entered(json!({ "centerPencilMarks": [12] })), "`grid[0][2].centerPencilMarks[0]`"),
        (F_PUZZLES, entered(json!({ "cornerPencilMarks": [1] })), "One solution"),
        (SUDOKU_PAD, pad_entered(json!({ "value": 4, "given": false })), "One solution"),
        (SUDOKU_PAD, pad_entered(json!({ "value": 2, "given": false })), "There is no solution"),
        (SUDOKU_PAD, pad_entered(json!({ "centremarks": ["1", "2"] })), "There is no solution"),
        (SUDOKU_PAD, pad_entered(json!({ "centremarks": ["1", "4"], "cornermarks": [1] })), "One solution"),
        (SUDOKU_PAD, pad_entered(json!({ "value": 2 })), "There is no solution"),
        (F_PUZZLES, no_area, "`grid[0][2].region`"),
        (F_PUZZLES, f_puzzles_classic(json!({ "size": 8 })), "`size`"),
        (
            F_PUZZLES,
            f_puzzles_classic(json!({ "killercage": [{ "cells": ["R1C3", "R1C4"], "value": 11.0 }] })),
            "There is no solution",
        ),
        (
            F_PUZZLES,
            f_puzzles_classic(json!({ "killercage": [{ "cells": ["R1C1", "R2C6"] }] })),
            "There is no solution",
        ),
        (F_PUZZLES, f_puzzles_classic(json!({ "arrow": [{ "cells": ["R1C1"], "lines": [["R2C1"]] }] })), "`arrow[0]`"),
        (F_PUZZLES, f_puzzles_classic(json!({ "arrow": [{ "cells": ["R1C1"], "lines": [] }] })), "`arrow[0].lines`"),
        (F_PUZZLES, f_puzzles_classic(json!({ "ratio": [{ "cells": ["R1C1"] }] })), "`ratio[0].cells`"),
        (F_PUZZLES, f_puzzles_classic(json!({ "rowsdiffer": false })), "`rowsdiffer`"),
        // A line alone may mean anything; the drawing of a stated constraint adds nothing.
        (
            F_PUZZLES,
            f_puzzles_classic(json!({ "line": [{ "lines": [["R1C1", "R1C2"]], "fromConstraint": "Renban" }] })),
            "`line`",
        ),
        (
            F_PUZZLES,
            f_puzzles_classic(json!({
                "line": [{ "lines": [["R1C1", "R1C3"]], "fromConstraint": "Renban" }],
                "renban": [{ "lines": [["R1C1", "R1C3"]] }],
            })),
            "One solution",
        ),
    ] {
        let ran = run([&*address(site, &board.to_string()), "--unique", "-q"]);
        assert!(format!("{}{}", ran.out, ran.err).contains(expected), "{expected}\n{board}\n{}{}", ran.out, ran.err);
        assert_eq!(ran.code == 2, expected.starts_with('`'), "{expected}\n{board}\n{}{}", ran.out, ran.err);
    }
}

#[test]
fn small_digits_in_corners_are_ignored_with_a_warning() {
    let mut board = f_puzzles_classic(json!({}));
    board["grid"][0][2] = json!({ "cornerPencilMarks": [1] });
    let ran = run([&*address(F_PUZZLES, &board.to_string()), "--unique"]);
    assert!(ran.out.starts_with("One solution"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("the small digits in the corners of cells are ignored"), "{}", ran.err);
    // A wrong digit of the player is named.
    board["grid"][0][2] = json!({ "value": 2 });
    let ran = run([address(F_PUZZLES, &board.to_string())]);
    assert!(ran.out.ends_with("\n  - the player's mark at row 1, column 3 is wrong\n"), "{}{}", ran.out, ran.err);
}

/// SudokuPad draws the constraints of f-puzzles as shapes and lines.
#[test]
fn clues_drawn_in_sudokupad_are_those_of_f_puzzles() {
    let disc = |center: Value, width: f64, fill: &str, text: &str| {
        json!({ "center": center, "width": width, "height": width, "rounded": true, "backgroundColor": fill,
            "borderColor": "#000000", "text": text })
    };
    let label = |center: Value, text: Value| {
        json!({ "center": center, "width": 0.25, "height": 0.25, "rounded": false, "backgroundColor": "#FFFFFF",
            "borderColor": "#FFFFFF", "fontSize": 21, "text": text })
    };
    let grey = |center: Value, width: f64, is_rounded: bool| {
        json!({ "center": center, "width": width, "height": width, "rounded": is_rounded,
            "backgroundColor": "#CFCFCF", "borderColor": "#CFCFCF" })
    };
    let pad = json!({
        "global": ["antiknight", "antixv", "disjoint"],
        "metadata": { "antiknight": true, "antiking": "true" },
        "underlays": [
            { "backgroundColor": "#ffa0a0", "center": [0.5, 0.5], "rounded": false, "width": 1, "height": 1 },
            grey(json!([4.5, 4.5]), 0.7, true), grey(json!([5.5, 4.5]), 0.7, false), grey(json!([8.5, 0.5]), 0.85, true),
        ],
        "overlays": [
            label(json!([6.5, 4.0]), json!("X")), label(json!([8.0, 3.5]), json!("V")),
            label(json!([-0.5, 2.5]), json!("7")), label(json!([3.5, 9.5]), json!(12)), label(json!([-0.5, 0.5]), json!("30")),
            disc(json!([2.5, 4.0]), 0.3, "#FFFFFF", ""), disc(json!([3.0, 3.5]), 0.3, "#000000", "2"),
            disc(json!([6.0, 6.0]), 0.7, "#FFFFFF", "1 3"),
        ],
        "arrows": [{ "color": "#000000", "thickness": 2, "wayPoints": [[-0.2, 0.8], [-0.02, 0.98]] }],
        "lines": [
            { "color": "#34BBE6", "thickness": 2, "wayPoints": [[0, 9], [9, 0]] },
            { "color": "#CFCFCF", "thickness": 21, "wayPoints": [[8.5, 0.5], [7.5, 0.5], [6.5, 1.5]] },
            { "color": "#CFCFCF", "thickness": 16, "wayPoints": [[1.5, 1.5], [1.5, 2.5]] },
        ],
    });
    let same = json!({
        "antiknight": true, "antiking": true, "disjointgroups": true, "diagonal+": true, "negative": ["xv"],
        "odd": [{ "cell": "R5C5" }], "even": [{ "cell": "R6C5" }],
        "xv": [{ "cells": ["R7C4", "R7C5"], "value": "X" }, { "cells": ["R8C4", "R9C4"], "value": "V" }],
        "sandwichsum": [{ "cell": "R0C3", "value": 7 }, { "cell": "R4C10", "value": 12 }],
        "littlekillersum": [{ "cell": "R0C1", "direction": "DR", "value": 30 }],
        "difference": [{ "cells": ["R3C4", "R3C5"] }], "ratio": [{ "cells": ["R3C4", "R4C4"] }],
        "quadruple": [{ "cells": ["R6C6", "R6C7", "R7C6", "R7C7"], "values": [1, 3] }],
        "thermometer": [{ "lines": [["R9C1", "R8C1", "R7C2"]] }], "palindrome": [{ "lines": [["R2C2", "R2C3"]] }],
    });
    let read = |board: Value| facts("sudoku", &address(SUDOKU_PAD, &sudoku_pad_classic(board).to_string()));
    let expected = facts("sudoku", &address(F_PUZZLES, &f_puzzles_classic(same).to_string())).expect("a valid address");
    assert_eq!(read(pad.clone()).as_ref(), Ok(&expected));
    // A drawing that looks otherwise may mean anything.
    for (key, index, change, expected) in [
        ("overlays", 0, json!({ "text": "Y" }), "`overlays[0]` is not supported"),
        ("overlays", 0, json!({ "center": [6.3, 4.2] }), "`overlays[0]` is not supported"),
        ("overlays", 0, json!({ "center": "x" }), "`overlays[0].center`: expected two numbers"),
        ("overlays", 2, json!({ "backgroundColor": "#FF0000" }), "`overlays[2]` is not supported"),
        ("overlays", 5, json!({ "backgroundColor": "#FF0000" }), "`overlays[5]` is not supported"),
        ("overlays", 5, json!({ "text": "3" }), "`difference[0].value`: expected 1"),
        ("overlays", 7, json!({ "text": "1 a" }), "`overlays[7]` is not supported"),
        ("overlays", 7, json!({ "unheardOf": 1 }), "`overlays[7].unheardOf` is not supported"),
        ("underlays", 0, json!({ "backgroundColor": "#CFCFCF" }), "`underlays[0]` is not supported"),
        ("underlays", 3, json!({ "center": [2.5, 2.5] }), "`lines[1]` is not supported"),
        ("arrows", 0, json!({ "wayPoints": [[2.2, 0.8], [3.0, 0.98]] }), "`arrows[0]` is not supported"),
        ("lines", 0, json!({ "wayPoints": [[0, 9], [8, 1]] }), "`lines[0]` is not supported"),
        ("lines", 1, json!({ "thickness": 9 }), "`lines[1]` is not supported"),
        ("lines", 2, json!({ "wayPoints": [[1.5, 1.5], [1.5, 4.5]] }), "`lines[2]`: expected a line from each cell"),
    ] {
        let mut board = pad.clone();
        board[key][index].as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        let error = read(board).expect_err(expected);
        assert!(error.contains(expected), "{key} {change}: {error}");
    }
    assert!(read(json!({ "global": ["entropic"] })).expect_err("an unknown rule").contains("`global[0]`"));
}

/// Other programs may reformat the JSON or decode the plus signs of an address.
#[test]
fn an_address_may_contain_spaces_in_its_json_and_in_place_of_plus_signs() {
    for (site, board) in [
        (F_PUZZLES, f_puzzles_classic(json!({ "title": "a title" }))),
        (SUDOKU_PAD, sudoku_pad_classic(json!({ "metadata": { "title": "it's \"a\" title" } }))),
    ] {
        let expected = facts("sudoku", &address(site, &board.to_string())).expect("a valid address");
        let spaced = serde_json::to_string_pretty(&board).expect("JSON");
        for json in [spaced.clone(), spaced.replace('\n', " ")] {
            let address = address(site, &json);
            assert!(site == SUDOKU_PAD || address.contains('+'), "{address}");
            let changed = [" ", "%20", "%2B"].map(|plus| address.replace('+', plus));
            for text in changed.into_iter().chain([address]) {
                assert_eq!(facts("sudoku", &text).as_ref(), Ok(&expected), "{text}");
            }
        }
    }
    let spaced = address(F_PUZZLES, &f_puzzles_classic(json!({ "title": "pluses" })).to_string()).replace('+', " ");
    let ran = run([&*spaced, "--unique", "-q"]);
    assert!(ran.out.starts_with("One solution"), "{}{}", ran.out, ran.err);
}

/// Collects the JSON pointers of a value and of all values in it.
fn collect_pointers(value: &Value, path: &str, pointers: &mut Vec<String>) {
    pointers.push(path.to_owned());
    match value {
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                collect_pointers(value, &format!("{path}/{index}"), pointers);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                collect_pointers(value, &format!("{path}/{key}"), pointers);
            }
        }
        _ => {}
    }
}

/// Converts a pointer such as `/cages/0/value` to the form of errors: `cages[0].value`.
fn path_in_error(pointer: &str) -> String {
    pointer.split('/').skip(1).fold(String::new(), |path, key| match key.parse::<usize>() {
        Ok(at) => format!("{path}[{at}]"),
        Err(_) if path.is_empty() => key.to_owned(),
        Err(_) => format!("{path}.{key}"),
    })
}

/// A board of f-puzzles that has every supported key.
fn complete_f_puzzles_board() -> Value {
    let mut board = f_puzzles_classic(json!({
        "antiknight": true, "antiking": true, "disjointgroups": true, "nonconsecutive": true,
        "diagonal+": true, "diagonal-": true, "negative": ["ratio", "difference", "xv"],
        "xv": [{ "cells": ["R7C4", "R7C5"], "value": "X" }, { "cells": ["R8C4", "R9C4"], "value": "V" }],
        "sandwichsum": [{ "cell": "R0C3", "value": "7" }, { "cell": "R4C10", "value": 12 }],
        "littlekillersum": [
            { "cell": "R0C2", "direction": "DR", "value": "30", "cells": ["R1C3", "R2C4", "R3C5", "R4C6", "R5C7", "R6C8", "R7C9"] },
            { "cell": "R3C10", "direction": "UL", "value": "9" },
        ],
        "minimum": [{ "cell": "R5C5" }], "maximum": [{ "cell": "R5C6" }],
        "clone": [{ "cells": ["R1C1", "R1C2"], "cloneCells": ["R5C1", "R5C2"] }],
        "betweenline": [{ "lines": [["R1C1", "R2C2", "R3C3"]] }],
        "quadruple": [{ "cells": ["R6C6", "R6C7", "R7C6", "R7C7"], "values": [1, 3] }],
        "arrow": [{ "cells": ["R1C1"], "lines": [["R1C1", "R1C2"], ["R1C1", "R2C2"]] }],
        "killercage": [{ "cells": ["R1C3", "R1C4"], "value": "12" }, { "cells": ["R5C3", "R5C4"] }],
        "odd": [{ "cell": "R4C4" }], "even": [{ "cell": "R4C5" }],
        "extraregion": [{ "cells": ["R7C1", "R7C2"] }],
        "thermometer": [{ "lines": [["R9C1", "R9C2", "R9C3"]] }],
        "palindrome": [{ "lines": [["R8C1", "R8C2"]] }],
        "renban": [{ "lines": [["R2C2", "R2C3"]] }],
        "whispers": [{ "lines": [["R2C4", "R2C5"]], "value": "5" }],
        "difference": [{ "cells": ["R3C4", "R3C5"], "value": "1" }, { "cells": ["R3C5", "R3C6"] }],
        "ratio": [{ "cells": ["R4C4", "R3C4"], "value": 2 }],
    }));
    for cell in 0..9 {
        board["grid"][8][cell]["region"] = json!(8);
        board["grid"][7][cell]["region"] = json!(7.0);
    }
    board
}

/// A board of SudokuPad that has every supported key.
fn complete_sudoku_pad_board() -> Value {
    let rows = (0..9).map(|row| (0..9).map(|column| json!([row, column])).collect::<Vec<_>>());
    sudoku_pad_classic(json!({
        "regions": rows.collect::<Vec<_>>(),
        "cages": [
            { "cells": [[0, 2], [0, 3]], "value": "12" },
            { "cells": [[1, 2], [1, 3]], "sum": 12, "unique": true },
            { "cells": [[2, 2], [2, 3]], "unique": true },
            { "cells": [[3, 2], [3, 3]], "unique": true, "sum": 7, "type": "killer" },
            { "value": "title: one" },
        ],
        "metadata": { "title": "one" },
    }))
}

/// Keys that change no rule and may have any value.
const COSMETIC: [&str; 1] = ["/metadata/title"];

#[test]
fn a_changed_value_of_any_key_is_rejected_or_changes_the_board() {
    let mangled = [
        json!(null),
        json!(true),
        json!(false),
        json!("x"),
        json!(""),
        json!("-1"),
        json!(7.5),
        json!(-3),
        json!(4_000_000_000_u64),
        json!([]),
        json!([1]),
        json!([[]]),
        json!({}),
        json!({ "q": 1 }),
        json!("R1C"),
        json!(["R1C2", 3]),
    ];
    let (mut rejected, mut changed) = (0, 0);
    for (site, whole) in [(F_PUZZLES, complete_f_puzzles_board()), (SUDOKU_PAD, complete_sudoku_pad_board())] {
        let read = |board: &Value| facts("sudoku", &address(site, &board.to_string()));
        let expected = read(&whole).unwrap_or_else(|error| panic!("{site}: {error}"));
        let mut all = Vec::new();
        collect_pointers(&whole, "", &mut all);
        // A few cells represent the others, which are alike.
        all.retain(|path| {
            !["/grid", "/cells", "/regions"].iter().any(|part| {
                let cell = path.strip_prefix(part).unwrap_or_default().trim_start_matches('/');
                cell.contains('/')
                    && !["0/0", "0/1", "0/2", "4/4", "8/8"]
                        .iter()
                        .any(|kept| cell == *kept || cell.starts_with(&format!("{kept}/")))
            })
        });
        assert!(all.len() > 50, "{}", all.len());
        for path in all.iter().filter(|path| !COSMETIC.contains(&path.as_str())) {
            let original = whole.pointer(path).expect("a pointer into the board");
            for value in mangled.iter().filter(|value| *value != original) {
                let mut board = whole.clone();
                *board.pointer_mut(path).expect("a pointer into the board") = value.clone();
                match read(&board) {
                    Ok(facts) if path == "/size" || path == "/metadata" => {
                        assert_eq!(facts, expected, "{site}{path}: {value}")
                    }
                    Ok(facts) if path.ends_with("/type") || states_a_default(path, value) => {
                        assert_eq!(facts, expected, "{site}{path}: {value}")
                    }
                    Ok(facts) => {
                        assert_ne!(facts, expected, "{site}{path}: {value}");
                        changed += 1;
                    }
                    Err(error) => {
                        // The error names the value itself, or a value beside, around or in it.
                        let named = path_in_error(path);
                        let around = named.rfind(['.', '[']).map_or("", |end| &named[..end]);
                        let first = named.split(['[', '.']).next().unwrap_or_default();
                        let names =
                            [format!("`{named}"), format!("`{around}"), format!("`{first}`"), format!("`{first}=")];
                        let is_named = names.iter().any(|name| name.len() > 2 && error.contains(name))
                            || ["the board", "its board", "their board", "areas do not fill", "`grid` is missing"]
                                .iter()
                                .any(|words| error.contains(words));
                        assert!(is_named, "{site}{path}: {value}\n{error}");
                        rejected += 1;
                    }
                }
            }
            // An unknown key at each level.
            if original.is_object() {
                for value in [json!(1), json!(false), json!("x"), json!([0])] {
                    let mut board = whole.clone();
                    let object = board.pointer_mut(path).and_then(Value::as_object_mut).expect("an object");
                    object.insert("unheardOf".to_owned(), value);
                    let error = read(&board).expect_err(path);
                    let name = path_in_error(&format!("{path}/unheardOf"));
                    assert!(error.contains(&format!("`{name}` is not supported")), "{site}{path}: {error}");
                }
            }
        }
    }
    assert!(rejected > 1500 && changed > 100, "{rejected} {changed}");
}

/// Returns true if the value is empty and its key may be missing.
fn states_a_default(path: &str, value: &Value) -> bool {
    let is_empty = [json!(null), json!(""), json!([]), json!({})].contains(value);
    // The distances of whispers and dots, and the redundant parts of cages.
    let may_be_missing =
        ["/whispers/0/value", "/difference/0/value", "/ratio/0/value", "/cages/1/unique", "/cages/3/unique"];
    let is_empty_cage = path == "/cages/4" && is_empty;
    is_empty && (may_be_missing.contains(&path) || path == "/cages/4/value") || is_empty_cage
}

/// A random Sudoku as text, and as both sites write it.
struct RandomBoard {
    text: String,
    f_puzzles: Value,
    /// `None` if the board has more than numbers, areas and cages.
    sudoku_pad: Option<Value>,
}

/// A number in one of the notations of the sites.
fn number(rng: &mut Rng, number: usize) -> Value {
    match rng.u8(0..3) {
        0 => json!(number),
        1 => json!(number as f64),
        _ => json!(number.to_string()),
    }
}

fn random_board(rng: &mut Rng) -> RandomBoard {
    let side = [4, 6, 8, 9][rng.usize(0..4)];
    let mut all: Vec<(usize, usize)> = (0..side * side).map(|at| (at / side, at % side)).collect();
    rng.shuffle(&mut all);
    let mut grid = vec![vec![json!({}); side]; side];
    let mut cells = grid.clone();
    let mut rows = vec![vec!['.'; side]; side];
    for &(row, column) in all.iter().take(rng.usize(0..side)) {
        let value = rng.usize(1..=side);
        grid[row][column] = json!({ "given": true, "value": number(rng, value) });
        cells[row][column] = json!({ "value": number(rng, value) });
        rows[row][column] = char::from_digit(value as u32, 10).expect("a digit");
    }
    // Small digits in corners have no effect.
    if let Some(&(row, column)) = all.iter().find(|(row, column)| rows[*row][*column] == '.') {
        grid[row][column] = json!({ "value": number(rng, 0), "cornerPencilMarks": [1] });
        cells[row][column] = json!({ "cornermarks": [number(rng, 1)] });
    }
    let mut areas = String::new();
    let mut regions = vec![Vec::new(); side];
    if rng.bool() {
        // The cells of an area may lie apart, because this test only reads boards.
        let mut names: Vec<usize> = (0..side * side).map(|at| at % side).collect();
        rng.shuffle(&mut names);
        areas.push_str("\narea\n");
        for (at, &name) in names.iter().enumerate() {
            grid[at / side][at % side]["region"] = json!(name);
            regions[name].push(json!([at / side, at % side]));
            areas.push(char::from(b'A' + name as u8));
            areas.push_str(if (at + 1) % side == 0 { "\n" } else { "" });
        }
    }
    let mut lines = Vec::new();
    let mut f_puzzles = json!({ "size": number(rng, side), "grid": grid, "title": "x" });
    let mut cages = Vec::new();
    let mut list = |rng: &mut Rng, length: usize| {
        rng.shuffle(&mut all);
        all[..length].to_vec()
    };
    let name = |(row, column): (usize, usize)| format!("R{}C{}", row + 1, column + 1);
    let words =
        |cells: &[(usize, usize)]| cells.iter().map(|cell| name(*cell).to_lowercase()).collect::<Vec<_>>().join(" ");
    let names = |cells: &[(usize, usize)]| json!(cells.iter().map(|cell| name(*cell)).collect::<Vec<_>>());
    let has_more = rng.bool();
    for _ in 0..rng.usize(0..4) {
        let (length, total) = (rng.usize(1..4), rng.usize(1..30));
        let cells = list(rng, length);
        let pairs: Vec<Value> = cells.iter().map(|(row, column)| json!([row, column])).collect();
        let is_open = rng.bool();
        lines.push(format!("cage {} {}", if is_open { "?".to_owned() } else { total.to_string() }, words(&cells)));
        let mut cage = json!({ "cells": names(&cells) });
        let mut pad = json!({ "cells": pairs });
        if is_open {
            pad["unique"] = json!(true);
        } else {
            cage["value"] = number(rng, total);
            pad[["value", "sum"][rng.usize(0..2)]] = number(rng, total);
        }
        push(&mut f_puzzles, "killercage", cage);
        cages.push(pad);
    }
    if has_more {
        for (key, line, value) in [
            ("thermometer", "thermometer", None),
            ("palindrome", "palindrome", None),
            ("renban", "renban", None),
            ("betweenline", "betweenline", None),
            ("whispers", "whispers", Some(5)),
        ] {
            for _ in 0..rng.usize(0..2) {
                let length = rng.usize(2..5);
                let cells = [list(rng, length), list(rng, length)];
                lines.extend(cells.iter().map(|cells| format!("{line} {}", words(cells))));
                let mut object = json!({ "lines": [names(&cells[0]), names(&cells[1])] });
                if let Some(value) = value.filter(|_| rng.bool()) {
                    object["value"] = number(rng, value);
                }
                push(&mut f_puzzles, key, object);
            }
        }
        for (key, line) in [("difference", "white"), ("ratio", "black"), ("extraregion", "region")] {
            for _ in 0..rng.usize(0..2) {
                let cells = list(rng, 2);
                lines.push(format!("{line} {}", words(&cells)));
                push(&mut f_puzzles, key, json!({ "cells": names(&cells) }));
            }
        }
        for letter in ["X", "V"] {
            let cells = list(rng, 2);
            lines.push(format!("xv {letter} {}", words(&cells)));
            push(&mut f_puzzles, "xv", json!({ "cells": names(&cells), "value": letter }));
        }
        let cells = list(rng, 4);
        lines.push(format!("quadruple 133 {}", words(&cells)));
        push(&mut f_puzzles, "quadruple", json!({ "cells": names(&cells), "values": [number(rng, 1), 3, 3] }));
        let (column, total) = (rng.usize(0..side), rng.usize(2..40));
        let diagonal: Vec<(usize, usize)> = (0..=column).map(|step| (step, column - step)).collect();
        lines.push(format!("littlekiller {total} {}", words(&diagonal)));
        let mut sum = json!({ "cell": format!("R0C{}", column + 2), "direction": "DL", "value": number(rng, total) });
        if rng.bool() {
            sum["cells"] = names(&diagonal);
        }
        push(&mut f_puzzles, "littlekillersum", sum);
        for (header, place) in [("left", "R1C0"), ("bottom", &*format!("R{}C1", side + 1))] {
            let total = rng.usize(0..36);
            lines.push(format!("{header} {total}{}", " .".repeat(side - 1)));
            push(&mut f_puzzles, "sandwichsum", json!({ "cell": place, "value": number(rng, total) }));
        }
        let cells = list(rng, 2);
        lines.push(format!("clone {}", words(&cells)));
        push(&mut f_puzzles, "clone", json!({ "cells": names(&cells[..1]), "cloneCells": names(&cells[1..]) }));
        for (key, line) in [("odd", "odd"), ("even", "even"), ("minimum", "minimum"), ("maximum", "maximum")] {
            for cell in list(rng, 2) {
                lines.push(format!("{line} {}", words(&[cell])));
                push(&mut f_puzzles, key, json!({ "cell": name(cell) }));
            }
        }
        let cells = list(rng, 3);
        lines.push(format!("arrow {}", words(&cells)));
        push(&mut f_puzzles, "arrow", json!({ "cells": names(&cells[..1]), "lines": [names(&cells)] }));
        for (key, variant) in [
            ("antiknight", "antiknight"),
            ("antiking", "antiking"),
            ("nonconsecutive", "nonconsecutive"),
            ("disjointgroups", "disjoint"),
            ("diagonal+", "diagonal_up"),
            ("diagonal-", "diagonal_down"),
        ] {
            let is_chosen = rng.bool();
            f_puzzles[key] = json!(is_chosen);
            lines.extend(is_chosen.then(|| format!("variant {variant}")));
        }
    }
    let grid: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
    let text = format!("puzzle sudoku\n{}\n\n{}\n{areas}", lines.join("\n"), grid.join("\n"));
    let mut sudoku_pad = json!({ "cells": cells, "cages": cages });
    if !areas.is_empty() {
        sudoku_pad["regions"] = json!(regions);
    }
    RandomBoard { text, f_puzzles, sudoku_pad: (!has_more).then_some(sudoku_pad) }
}

fn push(board: &mut Value, key: &str, object: Value) {
    let board = board.as_object_mut().expect("an object");
    board.entry(key).or_insert_with(|| json!([])).as_array_mut().expect("a list").push(object);
}

/// JSON in SudokuPad's short form: short, unquoted keys, single-quoted strings, and an empty text
/// for an empty object.
fn shorten(value: &Value, rng: &mut Rng) -> String {
    let names = BTreeMap::from([("cells", "ce"), ("cages", "ca"), ("regions", "re"), ("value", "v")]);
    match value {
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(|value| shorten(value, rng)).collect();
            format!("[{}]", list.join(","))
        }
        Value::Object(map) if map.is_empty() => String::new(),
        Value::Object(map) => {
            let pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| {
                    let key = names.get(&**key).copied().filter(|_| rng.bool()).unwrap_or(key);
                    format!("{key}:{}", shorten(value, rng))
                })
                .collect();
            format!("{{{}}}", pairs.join(","))
        }
        Value::Bool(value) => if *value { "t" } else { "f" }.to_owned(),
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

#[test]
fn random_sudokus_are_equal_as_text_and_as_address() {
    let mut rng = extent::random();
    let (mut pads, mut variants) = (0, 0);
    for round in 0..extent::sample_size(150) {
        let RandomBoard { text, f_puzzles, sudoku_pad } = random_board(&mut rng);
        let expected = facts("sudoku", &text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let read = facts("sudoku", &address(F_PUZZLES, &f_puzzles.to_string()));
        assert_eq!(read.as_ref(), Ok(&expected), "round {round}\n{text}\n{f_puzzles}");
        if round < 20 {
            let written = run_with_input("- -f sudokupad", &text);
            assert_eq!(facts("sudoku", &written.out).as_ref(), Ok(&expected), "{text}\n{}{}", written.out, written.err);
        }
        let Some(board) = sudoku_pad else {
            variants += 1;
            continue;
        };
        pads += 1;
        for json in [board.to_string(), shorten(&board, &mut rng)] {
            let read = facts("sudoku", &address(SUDOKU_PAD, &json));
            assert_eq!(read.as_ref(), Ok(&expected), "round {round}\n{text}\n{json}");
        }
    }
    extent::expect_counts([("addresses of SudokuPad", pads, 21), ("variants", variants, 21)]);
}

/// The line of a penpa-edit drawing that holds its layers.
const LAYERS: usize = 3;

fn unpack(address: &str) -> (String, Vec<String>) {
    let (head, packed) = address.split_once("&p=").expect("a drawing");
    let packed = STANDARD.decode(packed.to_owned() + &"=".repeat((4 - packed.len() % 4) % 4)).expect("base64");
    let text = miniz_oxide::inflate::decompress_to_vec(&packed).expect("compressed data");
    let text = String::from_utf8(text).expect("a text");
    (head.to_owned(), text.split('\n').map(str::to_owned).collect())
}

fn pack(head: &str, lines: &[String]) -> String {
    let bytes = miniz_oxide::deflate::compress_to_vec(lines.join("\n").as_bytes(), 6);
    format!("{head}&p={}", STANDARD.encode(bytes))
}

/// penpa-edit's short names of layers, and the long ones.
const SHORT: [(&str, &str); 5] =
    [("zN", "number"), ("z1", "numberS"), ("zY", "symbol"), ("zS", "surface"), ("zE", "lineE")];

#[test]
fn everything_drawn_in_penpa_edit_is_read_or_rejected() {
    let (mut rejected, mut changed) = (0, 0);
    for line in include_str!("../../data/drawn.tsv").lines().filter(|line| !line.starts_with('%')) {
        let [link, drawing, ..] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let name = link.split(['?', '/']).nth(4).expect("a name");
        let (head, lines) = unpack(drawing);
        // Replaces short names with long ones.
        let mut layers = lines[LAYERS].clone();
        for (short, long) in SHORT {
            layers = layers
                .replace(&format!("{{{short}"), &format!("{{\"{long}\""))
                .replace(&format!(",{short}:"), &format!(",\"{long}\":"));
        }
        let read = |layers: &str| {
            let mut lines = lines.clone();
            lines[LAYERS] = layers.to_owned();
            facts(name, &pack(&head, &lines))
        };
        let expected = read(&lines[LAYERS]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read(&layers).as_ref(), Ok(&expected), "{name}\n{layers}");
        // An empty cell of the board, if there is one.
        let numbers = |line: usize| lines[line].split([',', '[', ']']).filter_map(|word| word.parse::<usize>().ok());
        let [width, height, ..] = numbers(0).collect::<Vec<_>>()[..] else { panic!("no size") };
        let margins: Vec<usize> = numbers(1).collect();
        let rows = margins[0]..height - margins[1];
        let cells = rows
            .flat_map(|row| (margins[2]..width - margins[3]).map(move |column| (row + 2) * (width + 4) + column + 2));
        let cell = cells.into_iter().find(|cell| !layers.contains(&format!("\"{cell}\":")));
        let mut mutants = vec![
            layers.replacen('{', "{\"unheardOf\":{\"1\":1},", 1),
            layers.replacen("\"number\":{", "\"number\":{\"99999\":[1,1,\"1\"],", 1),
            layers.replacen("\"lineE\":{", "\"lineE\":{\"1,2\":2,", 1),
            layers.replacen("\"lineE\":{", "\"lineE\":{\"-9223372036854775808,2\":2,", 1),
        ];
        if let Some(cell) = cell {
            mutants.push(layers.replacen("\"symbol\":{", &format!("\"symbol\":{{\"{cell}\":[1,\"sun_moon\",1],"), 1));
            mutants.push(layers.replacen("\"surface\":{", &format!("\"surface\":{{\"{cell}\":1,"), 1));
        }
        // Changes the first value of each layer, except the colours of lines, which are not read.
        for (_, long) in SHORT.iter().filter(|(_, long)| *long != "lineE") {
            let Some(begin) = layers.find(&format!("\"{long}\":{{\"")) else { continue };
            let begin = begin + long.len() + 4;
            let end = begin + layers[begin..].find('}').expect("an end");
            let first = layers[begin..end].split_once(':').map_or(0, |(key, _)| begin + key.len() + 1);
            mutants.extend(["null", "[]", "{}", "\"zz\"", "[[],1,\"1\"]", "[{},\"zz\"]"].map(|value| {
                let rest = &layers[first..];
                let length = if rest.starts_with('[') {
                    rest.find(']').map_or(0, |end| {
                        // Nested lists.
                        let open = rest[1..end].matches('[').count();
                        rest.match_indices(']').nth(open).map_or(end, |(end, _)| end) + 1
                    })
                } else {
                    rest.find([',', '}']).unwrap_or(0)
                };
                format!("{}{value}{}", &layers[..first], &layers[first + length..])
            }));
        }
        for mutant in mutants.into_iter().map(|mutant| mutant.replace(",}", "}")).filter(|mutant| *mutant != layers) {
            match read(&mutant) {
                Ok(facts) => {
                    assert_ne!(facts, expected, "{name}\n{mutant}");
                    changed += 1;
                }
                Err(_) => rejected += 1,
            }
        }
    }
    assert!(rejected > 150, "{rejected} {changed}");
}
