//! Sudoku's variants: rules that a board or `-e` adds, each a file in `asp/puzzles/sudoku/`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{file, folder, run, run_line, run_with_input};

type Grid = BTreeMap<(usize, usize), i64>;

/// The only solution of a board, by the built-in rules.
fn only_solution(ran: &crate::support::RunOutput, what: &str) -> Grid {
    assert!(ran.code == 0 && ran.err.is_empty(), "{what}: {} {}", ran.err, ran.out);
    let value = ran.json();
    assert_eq!((&value["unique"], &value["rules"]), (&json!(true), &json!("shipped")), "{what}");
    let numbers = value["answers"][0]["atoms"].as_array().expect("atoms").iter().map(|atom| {
        let text = atom.as_str().expect("a text").trim_start_matches("number(").trim_end_matches(')');
        let [row, column, number] = text.split(',').map(|part| part.parse().expect("a number")).collect::<Vec<_>>()[..]
        else {
            panic!("{text}")
        };
        ((row as usize, column as usize), number)
    });
    numbers.collect()
}

/// The sorted names of the variants whose files a run has read.
fn variants(value: &Value) -> Vec<String> {
    let files = value["encoding"].as_array().expect("encodings").iter().map(|file| file.as_str().expect("a name"));
    let mut names: Vec<String> = files
        .filter_map(|file| Some(file.split_once("puzzles/sudoku/")?.1.trim_end_matches(".lp").to_owned()))
        .collect();
    names.sort();
    names
}

fn boards() -> Vec<(String, String)> {
    let files = std::fs::read_dir("instances").expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut boards: Vec<(String, String)> = files
        .filter_map(|path| {
            let name = path.file_stem()?.to_str()?.strip_prefix("sudoku-")?.to_owned();
            Some((name, path.to_str()?.to_owned()))
        })
        .collect();
    boards.sort();
    boards
}

#[test]
fn each_variant_has_a_board_that_selects_it_and_has_one_solution() {
    let files = std::fs::read_dir("asp/puzzles/sudoku").expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut names: Vec<String> = files.map(|path| path.file_stem().expect("a name").to_string_lossy().into()).collect();
    names.sort();
    let boards = boards();
    assert_eq!(boards.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);
    for (name, path) in boards {
        let ran = run([path.as_str(), "--unique", "-f", "json"]);
        let solution = only_solution(&ran, &name);
        assert_eq!(variants(&ran.json()), [name.as_str()]);
        let text = std::fs::read_to_string(&path).expect("a board");
        check_rules(&text, &solution).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        // Without the variant the board has other solutions.
        let plain: String = text.split_once("\n\n").expect("a header").1.to_owned();
        let ran = run_with_input("- -p sudoku --unique -q", &plain);
        // Every Sudoku may have areas.
        assert_eq!(ran.code, i32::from(name != "irregular"), "{name}: {}", ran.out);
    }
}

/// Checks a solution by the rules, independently of the program.
fn check_rules(board: &str, solution: &Grid) -> Result<(), String> {
    let cell = |word: &str| {
        let (row, column) = word.strip_prefix('r')?.split_once('c')?;
        Some((row.parse::<usize>().ok()?, column.parse::<usize>().ok()?))
    };
    let side = 9;
    let different = |cells: &[(usize, usize)]| {
        let mut seen: Vec<i64> = cells.iter().map(|cell| solution[cell]).collect();
        seen.sort_unstable();
        seen.windows(2).all(|pair| pair[0] != pair[1])
    };
    let holds_at_offset = |dr: i64, dc: i64, fits: &dyn Fn(i64, i64) -> bool| {
        solution.iter().all(|(&(row, column), &one)| {
            let other = ((row as i64 + dr) as usize, (column as i64 + dc) as usize);
            solution.get(&other).is_none_or(|&other| fits(one, other))
        })
    };
    let unlike = |one: i64, other: i64| one != other;
    let ok = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    for line in board
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with(['%', 'p']) || line.starts_with("pal"))
    {
        let words: Vec<&str> = line.split(' ').collect();
        let cells: Vec<(usize, usize)> = words.iter().filter_map(|word| cell(word)).collect();
        let values: Vec<i64> = cells.iter().map(|cell| solution[cell]).collect();
        let steps = || values.windows(2);
        let holds = match (words[0], words[1]) {
            ("minimum" | "maximum", _) => [(0, 1), (1, 0), (0, -1), (-1, 0)].iter().all(|(down, right)| {
                let other = ((cells[0].0 as i64 + down) as usize, (cells[0].1 as i64 + right) as usize);
                solution.get(&other).is_none_or(|other| (values[0] < *other) == (words[0] == "minimum"))
            }),
            ("clone", _) => values[0] == values[1],
            ("betweenline", _) => {
                let (first, last) = (values[0], values[values.len() - 1]);
                let between = first.min(last) + 1..first.max(last);
                values[1..values.len() - 1].iter().all(|value| between.contains(value))
            }
            ("xv", letter) => values.iter().sum::<i64>() == if letter == "X" { 10 } else { 5 },
            ("littlekiller", sum) => values.iter().sum::<i64>() == sum.parse::<i64>().expect("a sum"),
            ("quadruple", digits) => digits.chars().all(|digit| {
                let number = digit.to_digit(10).map(i64::from);
                values.iter().filter(|value| Some(**value) == number).count() >= digits.matches(digit).count()
            }),
            ("left" | "top", _) => (1..).zip(&words[1..]).all(|(line, sum)| {
                let at = |index: usize| if words[0] == "left" { (line, index) } else { (index, line) };
                let numbers: Vec<i64> = (1..=side).map(|index| solution[&at(index)]).collect();
                let between = numbers.split(|number| [1, 9].contains(number)).nth(1).expect("a sandwich");
                *sum == between.iter().sum::<i64>().to_string()
            }),
            ("variant", "samurai") => [(0, 0), (0, 12), (6, 6), (12, 0), (12, 12)].iter().all(|(top, left)| {
                (0..9).all(|line| {
                    let row: Vec<_> = (0..9).map(|at| (top + line + 1, left + at + 1)).collect();
                    let column: Vec<_> = (0..9).map(|at| (top + at + 1, left + line + 1)).collect();
                    let square: Vec<_> =
                        (0..9).map(|at| (top + line / 3 * 3 + at / 3 + 1, left + line % 3 * 3 + at % 3 + 1)).collect();
                    [row, column, square].iter().all(|house| different(house))
                })
            }),
            ("cage", sum) => different(&cells) && values.iter().sum::<i64>() == sum.parse::<i64>().expect("a sum"),
            ("thermometer", _) => steps().all(|pair| pair[0] < pair[1]),
            ("arrow", _) => values[0] == values[1..].iter().sum::<i64>(),
            ("palindrome", _) => values.iter().eq(values.iter().rev()),
            ("renban", _) => {
                let (least, most) = (values.iter().min().expect("one"), values.iter().max().expect("one"));
                different(&cells) && most - least == values.len() as i64 - 1
            }
            ("whispers", _) => steps().all(|pair| (pair[0] - pair[1]).abs() >= 5),
            ("region", _) => different(&cells),
            ("even", _) => values.iter().all(|value| value % 2 == 0),
            ("odd", _) => values.iter().all(|value| value % 2 == 1),
            ("white", _) => (values[0] - values[1]).abs() == 1,
            ("black", _) => values[0] == 2 * values[1] || values[1] == 2 * values[0],
            ("variant", "diagonal") => {
                different(&(1..=side).map(|at| (at, at)).collect::<Vec<_>>())
                    && different(&(1..=side).map(|at| (at, side + 1 - at)).collect::<Vec<_>>())
            }
            ("variant", "windoku") => [2, 6].iter().all(|&row| {
                [2, 6]
                    .iter()
                    .all(|&column| different(&(0..9).map(|at| (row + at / 3, column + at % 3)).collect::<Vec<_>>()))
            }),
            ("variant", "antiknight") => {
                [(1, 2), (1, -2), (2, 1), (2, -1)].iter().all(|&(dr, dc)| holds_at_offset(dr, dc, &unlike))
            }
            ("variant", "antiking") => [(1, 1), (1, -1)].iter().all(|&(dr, dc)| holds_at_offset(dr, dc, &unlike)),
            ("variant", "nonconsecutive") => {
                [(0, 1), (1, 0)].iter().all(|&(dr, dc)| holds_at_offset(dr, dc, &|one, other| (one - other).abs() != 1))
            }
            ("variant", "disjoint") => (0..9).all(|place: usize| {
                let of_box = |at: usize| (at / 3 * 3 + place / 3 + 1, at % 3 * 3 + place % 3 + 1);
                different(&(0..9).map(of_box).collect::<Vec<_>>())
            }),
            // Every Sudoku may have areas.
            ("variant", "irregular") => true,
            _ => return Err(format!("an unknown line: {line}")),
        };
        ok(holds, line)?;
    }
    Ok(())
}

#[test]
fn published_f_puzzles_boards_select_their_variants_and_have_their_published_solution() {
    let mut count = 0;
    for line in include_str!("../../data/variants.tsv").lines().filter(|line| !line.starts_with('%')) {
        let [names, title, _, address, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let ran = run([address, "--unique", "-f", "json"]);
        let solution: String = only_solution(&ran, title).values().map(i64::to_string).collect();
        assert_eq!(solution, expected, "{title}");
        assert_eq!(variants(&ran.json()).join(","), names, "{title}");
        count += 1;
    }
    let killer = include_str!("../../data/killer.txt").trim();
    assert_eq!(variants(&run([killer, "-f", "json"]).json()), ["killer"]);
    assert_eq!(count, 11);
}

#[test]
fn combined_variants_count_as_built_in_rules() {
    let board = |variants: &str| format!("puzzle sudoku\n{variants}\n{}", "\n........".repeat(8));
    for (options, text) in [
        ("-e antiknight -e diagonal", board("")),
        ("", board("variant antiknight diagonal")),
        ("-e diagonal", board("variant antiknight")),
        ("-e antiknight.lp -e diagonal.lp", board("")),
    ] {
        // A path names the same rules.
        let options = options.replace("-e antiknight.lp", "-e asp/puzzles/sudoku/antiknight.lp");
        let options = options.replace("-e diagonal.lp", "-e asp/puzzles/sudoku/diagonal.lp");
        let ran = run_with_input(&format!("- -f json {options}"), &text);
        let value = ran.json();
        assert_eq!(variants(&value), ["antiknight", "diagonal"], "{options} {text}");
        assert_eq!(value["rules"], "shipped", "{options} {text}");
        let printed = run_with_input(&format!("- -q --unique {options}"), &text).out;
        assert_eq!(printed, "More than one solution (proven).\n");
    }
    // A changed rule is a custom rule.
    let folder = folder();
    let changed = std::fs::read_to_string("asp/puzzles/sudoku/antiknight.lp")
        .expect("a file")
        .replace("(D,E) = (1,2;1,-2;2,1;2,-1)", "(D,E) = (1,3;1,-3)");
    let custom = file(folder.path(), "camel.lp", changed);
    let ran = run_with_input(&format!("- -q --unique -e diagonal -e {}", custom.display()), &board(""));
    assert!(ran.out.contains("by the rules of") && ran.out.contains("camel.lp"), "{}", ran.out);
}

#[test]
fn an_unsupported_header_line_is_an_error_with_its_place() {
    for (line, expected) in [
        ("variant antinight", "sudoku has no variant antinight (did you mean antiknight?)"),
        ("cage 15 r1c1 r1c10", "`r1c10` in `cage 15 r1c1 r1c10` is not on the board of 9 rows and 9 columns"),
        ("cage 15", "`cage 15` has no cells"),
        ("cage 15 r1c1 r1c1", "`r1c1` occurs twice in `cage 15 r1c1 r1c1`"),
        ("cage r1c1 r1c2", "`r1c1` in `cage r1c1 r1c2`: expected a number or ?, then cells"),
        ("xv r1c1 r1c2", "`r1c1` in `xv r1c1 r1c2`: expected X or V, then cells"),
        ("quadruple x r1c1", "`x` in `quadruple x r1c1`: expected a number or ?, then cells"),
        ("thermometer r1c1 9", "`9` in `thermometer r1c1 9`: expected a cell such as r1c2"),
        ("thermometer r0c1 r1c1", "is not on the board"),
        ("thermometre r1c1 r1c2", "`thermometre` is not an input of sudoku"),
        ("arrow r99999999999999999999c1 r1c1", "the number 99999999999999999999 is too large"),
    ] {
        let folder = folder();
        let path = file(folder.path(), "board", format!("puzzle sudoku\n{line}\n{}", "\n.........".repeat(9)));
        let ran = run([path.to_str().expect("a path")]);
        assert!(ran.code == 2 && ran.err.contains(expected), "{line}: {}", ran.err);
        assert!(ran.err.contains("board:2:") || line.starts_with("thermometre"), "{line}: {}", ran.err);
    }
    let without = run_with_input("- -e killer", &format!("puzzle sudoku\n{}", "\n.........".repeat(9)));
    assert!(without.code == 2 && without.err.contains("has cage, and this one has none"), "{}", without.err);
}

#[test]
fn an_input_is_not_taken_for_another_whose_name_has_the_same_ending() {
    let folder = folder();
    let rules = "% Halves: rules.\n%\n% Input      rows(R), columns(C)\n%            sign(R,C,S)\n\
        %            area(A,R,C)      a grid\n%            subarea(A,R,C)   a grid\n% Output     a\n\na.\n#show a/0.\n";
    file(folder.path(), "puzzles/halves.lp", rules);
    let solve = |grids: &[&str]| {
        let grids: String = grids.iter().map(|name| format!("\n{name}\na b\na b\n")).collect();
        let board = file(folder.path(), "board.txt", format!("puzzle halves\n1 1\n1 1\n{grids}"));
        run([board.to_str().expect("UTF-8"), "--asp-dir", folder.path().to_str().expect("UTF-8")])
    };
    let ran = solve(&["subarea"]);
    assert!(ran.code == 2 && ran.err.contains("a board of halves has area, and this one has none"), "{}", ran.err);
    assert_eq!(solve(&["area", "subarea"]).code, 0);
}

#[test]
fn unsupported_keys_of_f_puzzles_are_rejected_by_name() {
    let grid: Vec<Value> = (0..9).map(|_| Value::from(vec![json!({}); 9])).collect();
    let address = |more: Value| {
        let mut board = json!({ "size": 9, "grid": grid });
        board.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        format!("https://www.f-puzzles.com/?load={}", lz_str::compress_to_base64(&board.to_string()))
    };
    for (more, expected) in [
        (json!({ "xsum": [{ "cell": "R0C1", "value": "1" }] }), "`xsum` is not supported: it may change the rules"),
        (json!({ "negative": ["xx"] }), "`negative=xx` is not supported: it may change the rules"),
        (json!({ "xv": [{ "cells": ["R1C1", "R1C2"] }] }), "`xv[0].value` is missing"),
        (json!({ "xv": [{ "cells": ["R1C1", "R1C2"], "value": "I" }] }), "`xv[0].value`: expected X or V, found \"I\""),
        (
            json!({ "quadruple": [{ "cells": ["R1C1"], "values": [1, 10] }] }),
            "`quadruple[0].values[1]`: expected a number from 1 to 9, found 10",
        ),
        (
            json!({ "sandwichsum": [{ "cell": "R1C1", "value": "10" }] }),
            "`sandwichsum[0].cell`: expected a place at the end of a row or column",
        ),
        (
            json!({ "littlekillersum": [{ "cell": "R0C4", "direction": "UR", "value": "10" }] }),
            "`littlekillersum[0].cell`: expected a place from which a diagonal of the board goes UR",
        ),
        (
            json!({ "littlekillersum": [{ "cell": "R0C4", "direction": "DR", "value": "9", "cells": ["R1C5"] }] }),
            "`littlekillersum[0].cells`: expected the cells from `cell` in `direction`",
        ),
        (
            json!({ "ratio": [{ "cells": ["R1C1", "R1C2"], "value": "3" }] }),
            "`ratio[0].value`: expected 2, found \"3\"",
        ),
        (
            json!({ "arrow": [{ "cells": ["R1C1", "R1C2"], "lines": [["R1C1", "R2C1"]] }] }),
            "`arrow[0].cells`: expected 1 cell, found",
        ),
        (
            json!({ "killercage": [{ "cells": ["R1C1", 7], "value": "3" }] }),
            "`killercage[0].cells[1]`: expected a cell such as R1C2, found 7",
        ),
        (
            json!({ "killercage": [{ "cells": ["R1C1"], "value": "<3" }] }),
            "`killercage[0].value`: expected a number from 0, found \"<3\"",
        ),
        (json!({ "thermometer": [{ "lines": [["R1C1", "R1C12"]] }] }), "is not on the board"),
        (json!({ "thermometer": 7 }), "`thermometer`: expected a list, found 7"),
    ] {
        let ran = run([address(more.clone())]);
        assert!(ran.code == 2 && ran.err.contains(expected), "{more}: {}", ran.err);
    }
    // Empty values and titles have no effect.
    let plain = run([
        address(json!({ "killercage": [], "antiknight": false, "title": "x" })),
        "-f".to_owned(),
        "json".to_owned(),
    ]);
    assert_eq!(variants(&plain.json()), [""; 0]);
}

#[test]
fn addresses_of_sudokupad_have_cages_and_areas() {
    let text = |name: &str| std::fs::read_to_string(format!("instances/sudoku-{name}.txt")).expect("a board");
    let address =
        |board: &Value| format!("https://sudokupad.app/scl{}", lz_str::compress_to_base64(&board.to_string()));
    // Converts a cell such as r1c1 to a row and a column from 0.
    let cell = |word: &str| {
        let (row, column) = word.strip_prefix('r').expect("a cell").split_once('c').expect("a cell");
        json!([row.parse::<i64>().expect("a row") - 1, column.parse::<i64>().expect("a column") - 1])
    };
    let killer = text("killer");
    let cages = killer.lines().filter_map(|line| line.strip_prefix("cage ")).map(|line| {
        let (sum, cells) = line.split_once(' ').expect("a sum");
        json!({ "value": sum, "cells": cells.split(' ').map(cell).collect::<Vec<_>>() })
    });
    let cages: Vec<Value> = cages.chain([json!({ "value": "title: x" })]).collect();
    let ran =
        run([&*address(&json!({ "cells": vec![vec![json!({}); 9]; 9], "cages": cages })), "--unique", "-f", "json"]);
    assert_eq!(
        only_solution(&ran, "killer"),
        only_solution(&run(["instances/sudoku-killer.txt", "--unique", "-f", "json"]), "killer")
    );
    let irregular = text("irregular");
    let grid = |fits: fn(&&str) -> bool| irregular.split("\n\n").find(fits).expect("a grid");
    let mut regions = BTreeMap::<char, Vec<Value>>::new();
    for (row, line) in grid(|grid| grid.starts_with("area")).lines().skip(1).enumerate() {
        line.chars().enumerate().for_each(|(column, name)| regions.entry(name).or_default().push(json!([row, column])));
    }
    let cells: Vec<Vec<Value>> = grid(|grid| grid.len() == 89)
        .lines()
        .map(|line| {
            line.chars().map(|sign| sign.to_digit(10).map_or(json!({}), |number| json!({ "value": number }))).collect()
        })
        .collect();
    let mut regions: Vec<Value> = regions.into_values().map(Value::from).collect();
    let ran = run([&*address(&json!({ "cells": cells, "regions": regions })), "--unique", "-f", "json"]);
    assert_eq!(
        only_solution(&ran, "irregular"),
        only_solution(&run(["instances/sudoku-irregular.txt", "--unique", "-f", "json"]), "irregular")
    );
    regions.pop();
    for (board, expected) in [
        (json!({ "cells": cells, "regions": regions }), "whose areas do not fill its board"),
        (
            json!({ "cells": cells, "cages": [{ "cells": [[0, 0]], "value": "x" }] }),
            "`cages[0].value`: expected a number from 0, found \"x\"",
        ),
        (
            json!({ "cells": cells, "cages": [{ "cells": [[0, -1]], "value": "9" }] }),
            "`cages[0].cells[0]`: expected a row and a column from 0 to 8, found [0,-1]",
        ),
        (
            json!({ "cells": cells, "lines": [{ "wayPoints": [] }] }),
            "`lines[0]` is not supported: it may change the rules",
        ),
    ] {
        let ran = run([address(&board)]);
        assert!(ran.code == 2 && ran.err.contains(expected), "{expected}: {}", ran.err);
    }
}

/// The rules of layouts and windows are stated by other lines, but select the same solution.
#[test]
fn boards_of_all_variants_have_the_same_solution_as_addresses_of_sudokupad() {
    let plain = ("sudoku".to_owned(), "instances/sudoku.txt".to_owned());
    for (name, path) in boards().into_iter().chain([plain]) {
        let written = run([&*path, "-f", "sudokupad"]);
        assert_eq!((written.code, &*written.err), (0, ""), "{name}");
        let format = if name == "overlap" { "scl" } else { "fpuzzles" };
        assert!(written.out.starts_with(&format!("https://sudokupad.app/{format}N4Ig")), "{}", written.out);
        assert_eq!(written.out.matches(['+', '=', '\n']).count(), 1, "{}", written.out);
        let read = run([written.out.trim(), "--unique", "-f", "json"]);
        let expected = only_solution(&run([&*path, "--unique", "-f", "json"]), &name);
        assert_eq!(only_solution(&read, &name), expected, "{name}");
    }
    for (board, expected) in [
        ("variant samurai antiknight", "`variant antiknight`: addresses of SudokuPad cannot express that"),
        ("littlekiller 9 r1c1 r2c2", "`littlekiller 9 r1c1 r2c2`: addresses of SudokuPad cannot express that"),
        ("grid 9 r14c1", "the grid at r14c1, which is not on the board"),
    ] {
        let ran = run_with_input(
            "- -f sudokupad",
            &format!("puzzle sudoku\n{board}\n{}", format!("\n{}", ".".repeat(21)).repeat(21)),
        );
        assert!(ran.code == 2 && ran.err.contains(expected), "{board}: {}{}", ran.out, ran.err);
    }
    let akari = run_line("instances/akari.txt -f sudokupad");
    assert!(akari.code == 2 && akari.err.contains("--format sudokupad: akari has svg, html, url"), "{}", akari.err);
}

/// A board can have several variants, so their files must not define the same predicates. The
/// exceptions extend the rules of Sudoku.
#[test]
fn variants_define_different_predicates() {
    let shared =
        ["draw", "clue", "house", "box", "side", "used", "several_grids", "may_stand", "area_size", "number_of_areas"];
    let files = std::fs::read_dir("asp/puzzles/sudoku").expect("a folder").map(|entry| entry.expect("an entry").path());
    let others = ["sudoku.lp", "shared/grid.lp", "shared/around.lp", "shared/techniques.lp"];
    let mut definers = BTreeMap::<(String, usize), std::collections::BTreeSet<String>>::new();
    for path in files.chain(others.map(|name| format!("asp/puzzles/{name}").into())) {
        let text = std::fs::read_to_string(&path).expect("a file");
        for (name, arity) in asp::syntax::statements(&text).into_iter().filter_map(|statement| statement.head) {
            let definer = path.file_stem().expect("a name").to_string_lossy().into_owned();
            definers.entry((name.to_owned(), arity)).or_default().insert(definer);
        }
    }
    let clashes = definers.iter().filter(|((name, _), files)| files.len() > 1 && !shared.contains(&&**name));
    assert_eq!(clashes.collect::<Vec<_>>(), []);
}

/// Two grids of four rows and columns share a box.
#[test]
fn overlapping_grids_are_sudokus_that_agree() {
    let board = |rows: &str| format!("puzzle sudoku\ngrid 4 r1c1\ngrid 4 r3c3\n\n{rows}");
    let empty = "......\n".repeat(6);
    // 288 Sudokus for the first grid; 12 for the second one, whose first box is given.
    let all = run_with_input("- -n 0 -f json", &board(&empty)).json();
    assert_eq!(all["answers"].as_array().map(Vec::len), Some(288 * 12));
    let first = &all["answers"][0]["atoms"];
    assert_eq!(first.as_array().map(Vec::len), Some(16 + 12));
    let outside = run_with_input("why -", &board(&empty.replacen("......", "....1.", 1)));
    let cause = "row 1, column 5, which shows a number, would be outside the grids";
    assert!(outside.out.contains(cause), "{}{}", outside.out, outside.err);
    for (rows, number) in [
        (empty.replacen("......", "1..1..", 1), "No"),
        ("......\n......\n..1...\n......\n..1...\n......\n".to_owned(), "No"),
        // The columns of different grids may have a number twice.
        ("1.....\n......\n......\n......\n....1.\n......\n".to_owned(), "More than one"),
    ] {
        let ran = run_with_input("- -q --unique", &board(&rows));
        let expected = if number == "No" { "There is no solution (proven" } else { "More than one solution" };
        assert!(ran.out.starts_with(expected), "{rows}{}{}", ran.out, ran.err);
    }
    let far = run_with_input("why -", "puzzle sudoku\ngrid 4 r2c1\n\n....\n....\n....\n....\n");
    assert!(far.out.contains("a grid would not be on the board at row 5, column 1"), "{}{}", far.out, far.err);
    for variant in ["diagonal", "disjoint", "windoku"] {
        let ran =
            run_with_input("- -q", &board(&empty).replace("grid 4 r1c1", &format!("variant {variant}\ngrid 4 r1c1")));
        assert_eq!(ran.out, "There is no solution (proven).\n", "{variant}: {}", ran.err);
    }
}

/// Causes name clues in words, not as atoms.
#[test]
fn clues_of_every_variant_are_named_in_words() {
    for (clue, rows, words) in [
        ("cage 5 r1c1", "9........", "the cage of 5 at row 1, column 1"),
        ("cage ? r1c2 r1c1 r2c4", "9........\n...9.....", "the cage at row 1, column 1"),
        ("thermometer r1c2 r1c1", "1........", "the thermometer from row 1, column 2"),
        ("arrow r1c1 r1c2", "91.......", "the arrow from row 1, column 1"),
        ("palindrome r1c1 r1c2 r2c5", "1........\n....2....", "the palindrome from row 1, column 1"),
        ("renban r1c1 r1c2", "19.......", "the renban line from row 1, column 1"),
        ("whispers r1c1 r1c2", "12.......", "the whispers line from row 1, column 1"),
        ("region r1c1 r2c4", "1........\n...1.....", "the region from row 1, column 1"),
        ("even r1c1", "1........", "the square at row 1, column 1"),
        ("odd r2c2 r1c1", "2........", "the circles at row 2, column 2 and other cells"),
        ("white r1c1 r1c2", "13.......", "the white dot between row 1, column 1 and row 1, column 2"),
        ("black r1c1 r1c2", "13.......", "the black dot between row 1, column 1 and row 1, column 2"),
        ("variant all_white", "12.......", "all white dots are given"),
        ("variant all_black", "12.......", "all black dots are given"),
        ("xv V r1c1 r1c2", "13.......", "V is between row 1, column 1 and row 1, column 2"),
        ("variant all_xv", "23.......", "all X and V are given"),
        ("minimum r1c1", "9........", "row 1, column 1 is a minimum"),
        ("maximum r1c1", "1........", "row 1, column 1 is a maximum"),
        ("clone r1c1 r2c4", "1........\n...2.....", "row 1, column 1 and row 2, column 4 are clones"),
        ("betweenline r1c1 r1c2 r1c3", "213......", "the line between row 1, column 1 and row 1, column 3"),
        ("left 1 . . . . . . . .", ".........", "1 is written left of row 1"),
        ("right 1 . . . . . . . .", ".........", "1 is written right of row 1"),
        ("littlekiller 5 r1c2 r2c1", ".1.......\n2........", "the diagonal from row 1, column 2 has the sum 5"),
        (
            "quadruple 99 r1c1 r1c2 r2c1 r2c2",
            ".........",
            "the circle at the lower right corner of row 1, column 1 shows 99",
        ),
    ] {
        let count = rows.lines().count();
        let more = ".........\n".repeat(9 - count);
        let board = format!("puzzle sudoku\n{clue}\n\n{rows}\n{more}");
        let ran = run_with_input("why -", &board);
        assert!(ran.code == 0 && ran.out.contains(words), "{clue}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn generated_boards_of_variants_keep_their_variants() {
    for line in ["-e antiknight --size 6x6", "-e diagonal -e antiknight --size 8x8", "-e irregular --size 6x6"] {
        let ran = run_line(&format!("generate sudoku {line}"));
        assert!(ran.code == 0 && ran.err.is_empty(), "{line}: {}", ran.err);
        let requested: Vec<&str> = line.split_whitespace().filter(|word| word.starts_with(['a', 'd', 'i'])).collect();
        let solved = run_with_input("- --unique -f json", &ran.out);
        assert_eq!(solved.json()["unique"], true, "{line}");
        let mut named = variants(&solved.json());
        named.sort();
        let mut requested: Vec<String> = requested.into_iter().map(str::to_owned).collect();
        requested.sort();
        assert_eq!(named, requested, "{line}\n{}", ran.out);
    }
    for (line, expected) in [
        ("generate sudoku -e killer", "boards with cage cannot be generated"),
        ("generate sudoku -e anti", "sudoku has no such variant; its variants are"),
        ("generate akari -e killer", "akari has no such variant; its variants are: none"),
    ] {
        let ran = run_line(line);
        assert!(ran.code == 2 && ran.err.contains(expected), "{line}: {}", ran.err);
    }
}

#[test]
fn variants_are_listed_drawn_and_explained() {
    let list = run_line("list sudoku").out;
    for (name, _) in boards() {
        assert!(list.contains(&format!("-e {name}: ")), "{name}: {list}");
    }
    assert!(!list.contains("antiknight (asp"), "{list}");
    for (name, drawn) in [
        ("killer", "stroke-dasharray"),
        ("thermometer", "#c9ccd4"),
        ("arrow", "#b3b8c4"),
        ("diagonal", "#b9c4e8"),
        ("windoku", "#e4e7ee"),
        ("parity", "#d9dce3"),
        ("region", "#dfe3ea"),
    ] {
        let svg = run([format!("instances/sudoku-{name}.txt"), "-f".to_owned(), "svg".to_owned()]).out;
        assert!(svg.contains(drawn), "{name}: {svg}");
    }
    let wrong =
        std::fs::read_to_string("instances/sudoku-killer.txt").expect("a board").replace("cage 3 r1c1", "cage 2 r1c1");
    let explanation = run_with_input("why -", &wrong).out;
    assert!(
        explanation.contains("the cage of row 1, column 1") && explanation.contains("cage 2 r1c1 r1c2"),
        "{explanation}"
    );
    // A link cannot express these rules.
    let ran = run_line("instances/sudoku-diagonal.txt -f url");
    assert!(
        ran.code == 2 && ran.err.contains("more than a link of the type `sudoku` can express"),
        "{} {}",
        ran.err,
        ran.out
    );
}
