//! Minesweeper: results against the reference file and brute force, the engines against each other,
//! and the bot against the true optimum.

use std::collections::HashMap;

use base::stop::{self, Canceller};
use minesweeper::adjacency::{Adjacency, Topology};
use minesweeper::count::Budget;
use minesweeper::explain::{Reason, Stage};
use minesweeper::grid::{Cell, Grid};
use minesweeper::play::best_guess;
use minesweeper::play::bot::Strategy;
use minesweeper::play::game::{Click, Game, Setup, Start};
use minesweeper::play::round::RunConfig;
use minesweeper::position::KnownPosition;
use minesweeper::probability::likelihood;
use minesweeper::{Answer, Board as MinesweeperBoard, Conflict};
use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::support::process::*;
use crate::support::{extent, file, folder, run_line, run_with_input};

/// The rows of a board, and its number of mines.
pub type Board = (Vec<String>, usize);

pub fn line((rows, mines): &Board) -> String {
    format!("mines {mines} / {}\n", rows.join(" / "))
}

/// Runs a batch, and returns its objects, one for each board.
fn batch(boards: &[Board], options: &str) -> Vec<Value> {
    let input: String = boards.iter().map(line).collect();
    let ran = run_with_input(&format!("- --batch {options}"), &input);
    let objects: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    assert_eq!(objects.len(), boards.len(), "{}", ran.err);
    objects
}

fn reference() -> Vec<Value> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/minesweeper.jsonl"));
    text.expect("the reference file").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn board(row: &Value) -> Board {
    let rows = row["rows"].as_array().expect("rows").iter().map(|row| row.as_str().expect("a row").to_owned());
    (rows.collect(), row["mines"].as_u64().expect("a number") as usize)
}

#[test]
fn all_boards_of_the_reference_file_have_its_probabilities_and_counts() {
    let reference = reference();
    let boards: Vec<Board> = reference.iter().map(board).collect();
    for (row, object) in reference.iter().zip(batch(&boards, "")) {
        let name = &row["name"];
        if row["consistent"] == false {
            // Impossible numbers and totals are invalid input; the other boards are contradictory.
            let is_bad = ["bad_8_in_corner", "bad_mines_exceed_cells"].contains(&name.as_str().expect("a name"));
            assert_eq!(object["error"].is_string(), is_bad, "{name}");
            assert!(is_bad || object["verdict"] == "impossible", "{name}");
            continue;
        }
        let answer = &object["answers"][0];
        assert_eq!(answer["configurations"], row["configurations"], "{name}");
        for (number, (found, expected)) in pairs(&answer["probabilities"], &row["probabilities"]).enumerate() {
            match found.as_f64() {
                Some(found) => assert!((found - expected.as_f64().expect("a number")).abs() < 1e-9, "{name}: {number}"),
                None => assert_eq!(expected, 0.0, "{name}: cell {number} is open"),
            }
        }
    }
}

/// The corresponding cells of two matrices.
fn pairs<'a>(a: &'a Value, b: &'a Value) -> impl Iterator<Item = (&'a Value, &'a Value)> {
    let cells = |matrix: &'a Value| {
        matrix.as_array().expect("rows").iter().flat_map(|row| row.as_array().expect("cells").iter())
    };
    assert_eq!(cells(a).count(), cells(b).count());
    cells(a).zip(cells(b))
}

pub fn random_boards(count: usize, max_closed: usize) -> Vec<Board> {
    random_boards_of(count, max_closed, |rows, columns| Box::new(king(rows, columns)))
}

/// A function from a cell to the cells that its number counts.
type Near = Box<dyn Fn(usize, usize) -> Vec<(usize, usize)>>;

/// Random boards with some open cells. Every third board has a changed number, every fifth another
/// total.
fn random_boards_of(count: usize, max_closed: usize, near: impl Fn(usize, usize) -> Near) -> Vec<Board> {
    (extent::seed()..)
        .filter_map(|seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            let (rows, columns) = (random.usize(1..=4), random.usize(1..=6));
            let is_mine: Vec<bool> = (0..rows * columns).map(|_| random.u8(..10) < 3).collect();
            let near = near(rows, columns);
            let at = |row: usize, column: usize| is_mine[row * columns + column];
            let share = random.u8(2..9);
            let mut board: Vec<Vec<u8>> = vec![vec![b'?'; columns]; rows];
            for (row, signs) in board.iter_mut().enumerate() {
                for (column, sign) in signs.iter_mut().enumerate() {
                    let around = near(row, column).into_iter().filter(|&(row, column)| at(row, column)).count();
                    if at(row, column) {
                        *sign = if random.u8(..10) == 0 { b'F' } else { b'?' };
                    } else if random.u8(..10) < share {
                        *sign = b'0' + around as u8;
                    }
                }
            }
            let closed = board.iter().flatten().filter(|&&sign| sign == b'?').count();
            let mut mines = is_mine.iter().filter(|&&is_mine| is_mine).count();
            if seed % 3 == 0
                && let Some(number) = board.iter_mut().flatten().find(|sign| (b'1'..b'3').contains(sign))
            {
                *number += 1;
            }
            if seed % 5 == 0 && closed > 0 {
                mines = (mines + 1).min(board.iter().flatten().filter(|sign| !sign.is_ascii_digit()).count());
            }
            let rows = board.into_iter().map(|row| String::from_utf8(row).expect("ASCII")).collect();
            (closed > 0 && closed <= max_closed).then_some((rows, mines))
        })
        .take(extent::sample_size(count))
        .collect()
}

/// All layouts of a board by brute force, with one bit for each cell. `near` returns the cells that
/// a number counts.
pub fn layouts((rows, mines): &Board, near: impl Fn(usize, usize) -> Vec<(usize, usize)>) -> Vec<u64> {
    let columns = rows[0].len();
    let sign = |cell: usize| rows[cell / columns].as_bytes()[cell % columns];
    let cells = rows.len() * columns;
    let closed: Vec<usize> = (0..cells).filter(|&cell| sign(cell) == b'?').collect();
    let flags: u64 = (0..cells).filter(|&cell| sign(cell) == b'F').map(|cell| 1 << cell).sum();
    let numbers: Vec<(u64, u32)> = (0..cells)
        .filter(|&cell| sign(cell).is_ascii_digit())
        .map(|cell| {
            let near = near(cell / columns, cell % columns).into_iter();
            let bits = near.map(|(row, column)| 1_u64 << (row * columns + column)).fold(0, |bits, bit| bits | bit);
            (bits, u32::from(sign(cell) - b'0'))
        })
        .collect();
    (0..1_u64 << closed.len())
        .map(|choice| closed.iter().enumerate().fold(flags, |bits, (bit, &cell)| bits | (choice >> bit & 1) << cell))
        .filter(|layout| layout.count_ones() as usize == *mines)
        .filter(|layout| numbers.iter().all(|&(bits, number)| (layout & bits).count_ones() == number))
        .collect()
}

pub fn king(rows: usize, columns: usize) -> impl Fn(usize, usize) -> Vec<(usize, usize)> {
    move |row, column| {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        cells.filter(|&(r, c)| r.abs_diff(row) <= 1 && c.abs_diff(column) <= 1).collect()
    }
}

pub fn knight(rows: usize, columns: usize) -> impl Fn(usize, usize) -> Vec<(usize, usize)> {
    move |row, column| {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        cells.filter(|&(r, c)| r.abs_diff(row).pow(2) + c.abs_diff(column).pow(2) == 5).collect()
    }
}

pub fn torus(rows: usize, columns: usize) -> impl Fn(usize, usize) -> Vec<(usize, usize)> {
    let step = |a: usize, b: usize, len: usize| a.abs_diff(b).min(len - a.abs_diff(b));
    move |row, column| {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let is_near = |&(r, c): &(usize, usize)| step(r, row, rows).max(step(c, column, columns)) == 1;
        cells.filter(is_near).collect()
    }
}

/// The six neighbours of hexagons. Odd rows are half a cell further right than even ones.
fn hexagons(rows: usize, columns: usize) -> impl Fn(usize, usize) -> Vec<(usize, usize)> {
    let middle = |row: usize, column: usize| 2 * column + row % 2;
    move |row, column| {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let is_near = |&(r, c): &(usize, usize)| match (r.abs_diff(row), middle(r, c).abs_diff(middle(row, column))) {
            (down @ 0..=1, right) => right == 2 - down,
            _ => false,
        };
        cells.filter(is_near).collect()
    }
}

/// Compares the result for a board with its layouts; returns true if the board is contradictory.
fn compare_with_brute_force(board: &Board, object: &Value, near: &Near) -> bool {
    let (columns, name) = (board.0[0].len(), line(board));
    let layouts = layouts(board, near);
    if layouts.is_empty() {
        assert_eq!(object["verdict"], "impossible", "{name}");
        check_contradiction(board, &object["statistics"]["contradiction"], near);
        return true;
    }
    let answer = &object["answers"][0];
    assert_eq!(answer["configurations"], layouts.len().to_string(), "{name}: {object}");
    for cell in 0..board.0.len() * columns {
        let found = &answer["probabilities"][cell / columns][cell % columns];
        if board.0[cell / columns].as_bytes()[cell % columns].is_ascii_digit() {
            assert!(found.is_null(), "{name}");
            continue;
        }
        let mines = layouts.iter().filter(|layout| *layout >> cell & 1 == 1).count();
        // Equal to the last bit.
        assert_eq!(found.as_f64(), Some(mines as f64 / layouts.len() as f64), "{name}: cell {cell}");
    }
    let certain = |key: &str, expected: f64| {
        let cells = answer[key].as_array().expect("a list").iter();
        let probability = |cell: &Value| {
            let at = |axis: usize| cell[axis].as_u64().expect("a number") as usize;
            answer["probabilities"][at(0)][at(1)].as_f64()
        };
        assert!(cells.clone().all(|cell| probability(cell) == Some(expected)), "{name}");
        cells.count()
    };
    let all = |expected: f64| {
        let cells = answer["probabilities"].as_array().expect("rows").iter();
        cells.flat_map(|row| row.as_array().expect("cells")).filter(|cell| **cell == expected).count()
    };
    assert_eq!((certain("safe", 0.0), certain("mines", 1.0)), (all(0.0), all(1.0)), "{name}");
    // Each certain closed cell has a reason.
    let flags = board.0.concat().matches('F').count();
    if let Some(reasons) = answer["explain"].as_array().filter(|reasons| !reasons.is_empty()) {
        assert_eq!(reasons.len() + flags, all(0.0) + all(1.0), "{name}");
    }
    false
}

#[test]
fn random_boards_agree_with_brute_force_and_with_the_logic_program() {
    let boards: Vec<Board> = random_boards(500, 14).into_iter().filter(is_valid_for_batch).collect();
    extent::expect_counts([("boards", boards.len(), 300)]);
    let counted = batch(&boards, "");
    let enumerated = batch(&boards, "--engine asp -n 0");
    let mut contradictory = 0;
    for ((board, counted), enumerated) in boards.iter().zip(counted).zip(enumerated) {
        let near: Near = Box::new(king(board.0.len(), board.0[0].len()));
        for object in [counted, enumerated] {
            contradictory += usize::from(compare_with_brute_force(board, &object, &near));
        }
    }
    extent::expect_counts([("contradictory", contradictory, 40)]);
}

#[test]
fn random_boards_of_every_neighborhood_agree_with_brute_force() {
    let folder = folder();
    // The orthogonal neighbours, and the second cell to the right, which makes the relation
    // asymmetric.
    let text = "neighbor(R,C,R+D,C) :- number(R,C,_), D = (-1;1), closed(R+D,C).\n\
                neighbor(R,C,R,C+D) :- number(R,C,_), D = (-1;1;2), closed(R,C+D).\n";
    let custom = file(folder.path(), "own.lp", text).display().to_string();
    let beside = |rows: usize, columns: usize| {
        move |row: usize, column: usize| {
            let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
            let is_near = |&(r, c): &(usize, usize)| match (r.abs_diff(row), c.abs_diff(column)) {
                (0, 2) => c > column,
                (down, right) => down + right == 1,
            };
            cells.filter(is_near).collect()
        }
    };
    type Shape = (&'static str, usize, fn(usize, usize) -> Near);
    let shapes: [Shape; 4] = [
        ("", 2000, |rows, columns| Box::new(king(rows, columns))),
        ("-e torus", 1000, |rows, columns| Box::new(torus(rows, columns))),
        ("-e knight", 1000, |rows, columns| Box::new(knight(rows, columns))),
        ("-e hexagons", 1000, |rows, columns| Box::new(hexagons(rows, columns))),
    ];
    let (mut all, mut contradictory) = (0, 0);
    let mut compare = |options: &str, boards: Vec<Board>, near: &dyn Fn(usize, usize) -> Near| {
        for (board, object) in boards.iter().zip(batch(&boards, options)) {
            let near = near(board.0.len(), board.0[0].len());
            all += 1;
            contradictory += usize::from(compare_with_brute_force(board, &object, &near));
        }
    };
    for (options, count, near) in shapes {
        let mut boards = random_boards_of(count, 9, near);
        let neighbor_count = |board: &Board, row: usize, column: usize| {
            let near = near(board.0.len(), board.0[0].len())(row, column);
            near.iter().filter(|&&cell| cell != (row, column)).count()
        };
        boards.retain(|board| is_valid(board, |row, column| neighbor_count(board, row, column)));
        compare(options, boards, &near);
    }
    let custom_near = |rows: usize, columns: usize| -> Near { Box::new(beside(rows, columns)) };
    let boards = random_boards_of(600, 9, custom_near);
    let boards = boards.into_iter().filter(|board| is_valid(board, |_, _| 8)).collect();
    compare(&format!("-e minesweeper/layout.lp -e {custom}"), boards, &custom_near);
    extent::expect_counts([("all", all, 5000), ("contradictory", contradictory, 300)]);
}

#[test]
fn cells_that_a_number_counts_are_not_among_the_other_closed_cells() {
    // The 1 counts eight cells, few of them adjacent, and the other mine is among sixteen cells.
    let rows = ["?????"; 5];
    for (encoding, place) in [("torus", 0), ("knight", 2)] {
        let mut rows: Vec<String> = rows.map(str::to_owned).to_vec();
        rows[place].replace_range(place..=place, "1");
        let ran = run_with_input(&format!("- -e {encoding}"), &format!("mines 2\n{}\n", rows.join("\n")));
        assert_eq!(ran.out.matches(" 13%").count(), 8, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("# other closed cells: 6.2 % each"), "{}", ran.out);
    }
}

#[test]
fn boards_with_other_neighbors_have_reasons_and_pictures() {
    // The last cell is a neighbour of the 0 only on a torus or by a knight's move; a hexagon has
    // six neighbours.
    for (encoding, rows) in [("torus", "0??\n???\n???\n???\n"), ("knight", "0??\n???\n"), ("hexagons", "???\n0??\n")] {
        let ran = run_with_input(&format!("- -e {encoding}"), &format!("mines 1\n{rows}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("the 0 at row") && ran.out.contains("(obvious)"), "{}", ran.out);
        let why = run_with_input(&format!("hint - -e {encoding} --steps -f json"), &format!("mines 1\n{rows}"));
        assert!(why.out.contains("\"obvious\""), "{}{}", why.out, why.err);
    }
    let board = "mines 3\n??1?\n????\n2???\n";
    let ran = run_with_input("- -e hexagons", board);
    // Every second row is half a cell further right.
    let rows = "\n   1   o 25%   1 25%\n   2     * 25% 25%   o\n   3   2   *   o   o\n";
    assert!(ran.out.contains(rows), "{}", ran.out);
    // The printed board is read back, with flags on the mines.
    let again = run_with_input("- -e hexagons", &ran.out);
    assert!(again.out.contains(&rows.replace('*', "F")), "{}{}", again.out, again.err);
    let svg = run_with_input("- -e hexagons -f svg", board).out;
    assert_eq!(svg.matches("<path d=\"M0,-").count(), 12, "a path of six corners for each cell: {svg}");
}

/// Returns true if no number of the board exceeds its neighbours, and no flag exceeds the total.
pub fn is_valid_for_batch(board: &Board) -> bool {
    let near = king(board.0.len(), board.0[0].len());
    is_valid(board, |row, column| near(row, column).len() - 1)
}

/// The same with a function that returns the number of neighbours of a cell.
fn is_valid((rows, mines): &Board, neighbors: impl Fn(usize, usize) -> usize) -> bool {
    let flags = rows.iter().flat_map(|row| row.bytes()).filter(|&sign| sign == b'F').count();
    let fits = |row: usize, column: usize, sign: u8| {
        !sign.is_ascii_digit() || usize::from(sign - b'0') <= neighbors(row, column)
    };
    let all = rows
        .iter()
        .enumerate()
        .all(|(row, signs)| signs.bytes().enumerate().all(|(column, sign)| fits(row, column, sign)));
    all && flags <= *mines
}

/// Checks that the named numbers and flags contradict each other, and that none of them is
/// redundant.
fn check_contradiction(board: &Board, contradiction: &Value, near: impl Fn(usize, usize) -> Vec<(usize, usize)>) {
    let columns = board.0[0].len();
    let places = |key: &str| -> Vec<(usize, usize)> {
        let place = |place: &Value| [0, 1].map(|at| place[at].as_u64().expect("a number") as usize).into();
        contradiction[key].as_array().into_iter().flatten().map(place).collect()
    };
    let named = [places("numbers"), places("flags")].concat();
    let with_total = contradiction["total"].as_bool().expect("a truth value");
    let fits = |kept: &[(usize, usize)], with_total: bool| {
        // A number that is left out is an open cell without a number; a flag that is left out is a
        // closed cell.
        let mut rows = board.0.clone();
        for (row, signs) in rows.iter_mut().enumerate() {
            let is_kept = |column: usize| kept.contains(&(row, column));
            let sign = |(column, sign): (usize, u8)| match sign {
                b'F' if !is_kept(column) => '?',
                _ if sign.is_ascii_digit() && !is_kept(column) => 'o',
                _ => sign.into(),
            };
            *signs = signs.bytes().enumerate().map(sign).collect();
        }
        let totals = if with_total { board.1..=board.1 } else { 0..=rows.len() * columns };
        totals.into_iter().any(|mines| !layouts(&(rows.clone(), mines), &near).is_empty())
    };
    assert!(!named.is_empty() && !fits(&named, with_total), "{} {contradiction}", line(board));
    for left_out in 0..named.len() {
        let mut fewer = named.clone();
        fewer.remove(left_out);
        assert!(fits(&fewer, with_total), "{} {contradiction}", line(board));
    }
    assert!(!with_total || fits(&named, false), "{} {contradiction}", line(board));
}

#[test]
fn encodings_of_other_neighborhoods_count_all_layouts() {
    let folder = folder();
    for seed in extent::seeds(25) {
        let mut random = fastrand::Rng::with_seed(seed);
        let (rows, columns) = (random.usize(3..=4), random.usize(3..=4));
        let is_mine: Vec<bool> = (0..rows * columns).map(|_| random.u8(..10) < 3).collect();
        for encoding in ["knight", "torus"] {
            let (knight, torus) = (knight(rows, columns), torus(rows, columns));
            let near = |row, column| if encoding == "knight" { knight(row, column) } else { torus(row, column) };
            let number = |row: usize, column: usize| {
                near(row, column).into_iter().filter(|&(r, c)| is_mine[r * columns + c]).count()
            };
            let board: Vec<String> = (0..rows)
                .map(|row| {
                    let sign = |column: usize| {
                        let is_open = !is_mine[row * columns + column] && (row + column).is_multiple_of(2);
                        if is_open { number(row, column).to_string() } else { "?".to_owned() }
                    };
                    (0..columns).map(sign).collect()
                })
                .collect();
            let mines = is_mine.iter().filter(|&&is_mine| is_mine).count();
            // A corner of a torus may have a larger number than the plain rules allow for text.
            let facts: String = (0..rows)
                .flat_map(|row| (0..columns).map(move |column| (row, column)))
                .map(|(row, column)| match board[row].as_bytes()[column] {
                    b'?' => format!("cell({row},{column}). "),
                    number => format!("cell({row},{column}). number({row},{column},{}). ", number - b'0'),
                })
                .collect();
            let path = file(folder.path(), "board.lp", format!("{facts}mines({mines})."));
            let ran = run_line(&format!("{} -e {encoding} -n 0 -f json", path.display()));
            let expected = layouts(&(board, mines), near).len();
            assert_eq!(ran.code, 0, "{encoding} {facts}: {}", ran.err);
            assert_eq!(ran.json()["answers"][0]["configurations"], expected.to_string(), "{encoding} {facts}");
        }
    }
}

/// The facts of a board whose first cell is at `origin`; `o` is a missing cell.
pub fn facts((rows, mines): &Board, origin: [i32; 2]) -> String {
    let mut facts = format!("mines({mines}).\n");
    for (row, signs) in rows.iter().enumerate() {
        for (column, sign) in signs.bytes().enumerate() {
            let place = format!("{},{}", row as i32 + origin[0], column as i32 + origin[1]);
            match sign {
                b'o' => continue,
                b'F' => facts += &format!("flag({place}). "),
                b'?' => {}
                number => facts += &format!("number({place},{}). ", number - b'0'),
            }
            facts += &format!("cell({place}).\n");
        }
    }
    facts
}

#[test]
fn contradictory_boards_of_every_encoding_have_a_minimal_set_of_numbers() {
    let folder = folder();
    let mut contradictory = [0; 3];
    for (seed, board) in random_boards(160, 9).into_iter().enumerate() {
        let (rows, columns) = (board.0.len(), board.0[0].len());
        let origin = [seed as i32 % 7 - 3, 5];
        let path = file(folder.path(), "board.lp", facts(&board, origin));
        for (index, encoding) in ["layout", "torus", "knight"].into_iter().enumerate() {
            let near = |row, column| match index {
                0 => king(rows, columns)(row, column),
                1 => torus(rows, columns)(row, column),
                _ => knight(rows, columns)(row, column),
            };
            let ran = run_line(&format!("{} -e {encoding} -n 0 -f json", path.display()));
            let fits = layouts(&board, near);
            if ran.code == 2 {
                // A number that exceeds the neighbours, or more flags than mines.
                assert!(ran.err.contains("neighbour") || ran.err.contains("one flag too many"), "{}", ran.err);
                assert!(fits.is_empty());
                continue;
            }
            let value = ran.json();
            if fits.is_empty() {
                contradictory[index] += 1;
                assert_eq!(ran.code, 1, "{}", facts(&board, origin));
                check_contradiction(&board, &value["statistics"]["contradiction"], near);
                let drawn = run_line(&format!("{} -e {encoding} -f svg", path.display()));
                assert_eq!((drawn.code, drawn.out.contains("cannot be satisfied")), (1, true), "{}", drawn.err);
            } else {
                assert_eq!(value["answers"][0]["configurations"], fits.len().to_string(), "{encoding} {}", ran.err);
                assert!(value["answers"][0].get("by_clingo").is_none());
            }
        }
    }
    for count in contradictory {
        extent::expect_counts([("contradictory", count, 2)]);
    }
}

#[test]
fn a_contradictory_board_is_shown_with_the_contradictory_numbers_marked() {
    let board = "instances/minesweeper_contradictory.txt";
    for engine in ["csp", "asp"] {
        let run = |rest: &str| run_line(&format!("{board} --engine {engine} {rest}"));
        let text = run("");
        assert_eq!(text.code, 1);
        assert!(text.out.contains("\n   2   1  3!  1!\n"), "{}", text.out);
        assert_eq!(run("-q").out.lines().count(), 1);
        let svg = run("-f svg").out;
        assert_eq!(svg.matches("stroke-width=\"3\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("class=\"mark\"").count(), 9, "{svg}");
        let html = run("-f html").out;
        assert_eq!(html.matches("stroke-width=\\\"3\\\"").count(), 2, "{html}");
    }
}

#[test]
fn only_flags_that_take_part_in_a_contradiction_are_named() {
    let folder = folder();
    let cases = [
        (
            "mines 3\nF0?\n???\n",
            "the flag at row 1, column 1 and the 0 at row 1, column 2 cannot be satisfied together",
        ),
        (
            "mines 5\nF1F??\n?????\n",
            "the flag at row 1, column 1, the 1 at row 1, column 2 and the flag at row 1, column 3 cannot be satisfied together",
        ),
        (
            "mines 2\nF1?\n???\n??1\nF??\n",
            "the flag at row 1, column 1, the 1 at row 3, column 3, the flag at row 4, column 1 and the total of 2 mines cannot",
        ),
        ("mines 2\nF?2\n?1?\n", "Contradictory: the 2 at row 1, column 3 and the 1 at row 2, column 2 cannot"),
    ];
    for (text, blamed) in cases {
        let path = file(folder.path(), "board.txt", text);
        for engine in ["csp", "asp"] {
            let ran = run_line(&format!("{} --engine {engine}", path.display()));
            assert_eq!(ran.code, 1, "{engine} {text}: {} {}", ran.out, ran.err);
            assert!(ran.out.contains(blamed), "{engine} {text}: {}", ran.out);
        }
        let value = run_line(&format!("{} -f json", path.display())).json();
        let because = value["because"].as_array().expect("parts");
        let is_flag = |part: &&Value| part["text"].as_str().is_some_and(|text| text.starts_with("flag("));
        assert_eq!(because.iter().filter(is_flag).count(), blamed.matches("flag").count(), "{value}");
    }
    let path = file(folder.path(), "board.txt", cases[0].0);
    let value = run_line(&format!("{} -f json", path.display())).json();
    let contradiction = serde_json::json!({ "numbers": [[0, 1]], "flags": [[0, 0]], "total": false });
    assert_eq!(value["statistics"]["contradiction"], contradiction);
    let svg = run_line(&format!("{} -f svg", path.display())).out;
    assert_eq!(svg.matches("stroke-width=\"3\"").count(), 2, "{svg}");
}

#[test]
fn a_copy_of_the_usual_neighborhood_is_counted_natively() {
    let folder = folder();
    let king = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/asp/minesweeper/king.lp")).expect("text");
    let copy = file(folder.path(), "own.lp", &king);
    let usual = run_line("instances/minesweeper.txt -f json").json();
    for encodings in [format!("-e minesweeper/layout.lp -e {}", copy.display()), "-e layout".to_owned()] {
        let counted = run_line(&format!("instances/minesweeper.txt {encodings} -f json")).json();
        assert_eq!((&counted["engine"], &counted["answers"]), (&"csp".into(), &usual["answers"]), "{encodings}");
    }
    let with_asp = run_line("instances/minesweeper.txt -e layout --engine asp -f json").json();
    assert!(with_asp["answers"][0].get("configurations").is_none(), "{with_asp}");
}

#[test]
fn the_native_engine_rejects_an_instance_with_rules() {
    let folder = folder();
    let board = facts(&(vec!["1?".to_owned(), "??".to_owned()], 1), [0, 0]);
    let path = file(folder.path(), "board.lp", format!("{board}\n:- mine(0,1).\n"));
    let ran = run_line(&format!("{} -f json", path.display()));
    assert_eq!((ran.code, &ran.json()["engine"]), (0, &"asp".into()), "{}", ran.err);
    assert_eq!(ran.json()["answers"][0]["safe"], serde_json::json!([[0, 1]]));
    let ran = run_line(&format!("{} --engine csp", path.display()));
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("the engine csp supports only the built-in rules"), "{}", ran.err);
    let ran = run_line("instances/minesweeper_facts.lp -e torus --engine csp");
    assert_eq!(ran.code, 0, "{}", ran.err);
    // Helper predicates that only derive cells do not count as rules.
    let text = "#const n = 2. side(0..n). cell(0,0). cell(R,C) :- side(R), side(C). number(1,1,3). mines(3).";
    let ran = run_line(&format!("{} -f json", file(folder.path(), "helped.lp", text).display()));
    assert_eq!((ran.code, &ran.json()["engine"]), (0, &"csp".into()), "{}", ran.err);
}

/// The binomial coefficient "all choose taken", from Pascal's triangle.
fn binomial(all: usize, taken: usize) -> BigUint {
    let mut row = vec![BigUint::from(1_u32)];
    for length in 1..=all {
        row.push(BigUint::ZERO);
        for index in (1..=length).rev() {
            row[index] = &row[index] + row[index - 1].clone();
        }
    }
    row[taken].clone()
}

#[test]
fn counts_beyond_floating_point_numbers_are_exact() {
    let closed: Vec<Board> = [(8, 8, 20), (12, 12, 40), (5, 40, 99)]
        .map(|(rows, columns, mines)| (vec!["?".repeat(columns); rows], mines))
        .to_vec();
    for (board, object) in closed.iter().zip(batch(&closed, "")) {
        let cells = board.0.len() * board.0[0].len();
        assert_eq!(object["answers"][0]["configurations"], binomial(cells, board.1).to_string());
    }
    // Boards side by side share only the total, so their numbers of layouts by mines multiply as
    // polynomials. clingo enumerates each board alone.
    let folder = folder();
    let mut boards = random_boards(10_000, 12);
    boards.retain(|board| is_valid_for_batch(board) && board.0.concat().contains(|sign: char| sign.is_ascii_digit()));
    let has_many = |board: &Board| layouts(board, king(board.0.len(), board.0[0].len())).len() > 20;
    let boards: Vec<Board> = boards.into_iter().filter(has_many).take(18).collect();
    assert_eq!(boards.len(), 18, "more random boards are needed");
    let mut whole: Board = (vec![String::new(); 4], 0);
    let mut product = vec![BigUint::from(1_u32)];
    let mut enumerated = BigUint::from(1_u32);
    for (rows, mines) in &boards {
        let (height, width) = (rows.len(), rows[0].len());
        for (row, line) in whole.0.iter_mut().enumerate() {
            *line += &rows.get(row).map_or("o".repeat(width + 2), |signs| format!("{signs}oo"));
        }
        whole.1 += mines;
        let by_mines: Vec<BigUint> = (0..=height * width)
            .map(|mines| layouts(&(rows.clone(), mines), king(height, width)).len().into())
            .collect();
        let mut next = vec![BigUint::ZERO; product.len() + by_mines.len()];
        for (a, left) in product.iter().enumerate() {
            for (b, right) in by_mines.iter().enumerate() {
                next[a + b] += left * right;
            }
        }
        product = next;
        let facts = facts(&(rows.clone(), 0), [0, 0]).replace("mines(0).", "");
        let path = file(folder.path(), "one.lp", facts);
        let ran = run_line(&format!("{} --engine asp -n 0 -f json", path.display()));
        let count = ran.json()["answers"][0]["configurations"].as_str().expect("a count").parse::<u32>();
        enumerated *= count.expect("a small number");
    }
    let with_total = facts(&whole, [3, 9]);
    let without = with_total.replace(&format!("mines({}).", whole.1), "");
    for (text, expected) in [(with_total, &product[whole.1]), (without, &product.iter().sum())] {
        assert!(expected.bits() > 60, "{expected}");
        let ran = run_line(&format!("{} -f json", file(folder.path(), "all.lp", text).display()));
        assert_eq!(ran.json()["answers"][0]["configurations"], expected.to_string(), "{}", ran.err);
    }
    assert_eq!(enumerated, product.iter().sum());
}

#[test]
fn counts_of_twenty_digits_are_printed_in_full() {
    let ran = run_with_input("- -q", &format!("mines 34\n{}", "?????????????????\n".repeat(4)));
    assert!(ran.out.contains(" 28,453,041,475,240,576,740 layouts fit."), "{}", ran.out);
}

#[test]
fn counts_are_reported_if_only_the_look_ahead_exceeds_the_time_limit() {
    // Counting takes a tenth of a second, but looking ahead for all candidates takes many seconds.
    let row = |row: usize| (0..15).map(|column| if row * column % 2 == 1 { '3' } else { '?' }).collect::<String>();
    let rows: Vec<String> = (0..15).map(row).collect();
    let board = format!("mines 70\n{}\n", rows.join("\n"));
    let ran = retry_with_longer_limits(|limit| {
        let ran = run_with_input(&format!("- -f json --time-limit {limit}"), &board);
        ran.json()["answers"][0]["configurations"].is_string().then_some(ran)
    });
    assert_eq!((ran.code, &ran.json()["verdict"]), (0, &"solved".into()), "{}", ran.err);
    let answer = &ran.json()["answers"][0];
    assert!(answer["configurations"].is_string() && answer["best"][0].is_array(), "{answer}");
}

/// A million cells in a complete run.
#[test]
fn boards_of_many_cells_are_read_solved_checked_and_drawn() {
    let side = if extent::is_complete() { 1000 } else { 300 };
    let folder = folder();
    let mut random = fastrand::Rng::with_seed(1);
    let is_mine: Vec<bool> = (0..side * side).map(|_| random.u8(..100) < 15).collect();
    let mines = is_mine.iter().filter(|&&is_mine| is_mine).count();
    let rows = |sign: &dyn Fn(usize, usize) -> char| -> Vec<String> {
        (0..side).map(|row| (0..side).map(|column| sign(row, column)).collect()).collect()
    };
    let number = |row: usize, column: usize| {
        let near = |at: usize| at.saturating_sub(1)..(at + 2).min(side);
        let mines = near(row).flat_map(|row| near(column).map(move |column| (row, column)));
        char::from(b'0' + mines.filter(|&(row, column)| is_mine[row * side + column]).count() as u8)
    };
    let some_open = |row: usize, column: usize| match (row % 7, column % 5, is_mine[row * side + column]) {
        (0, 0, false) => number(row, column),
        (1, 0, false) if row % 140 == 1 => number(row, column),
        (3, _, true) => 'F',
        _ => '?',
    };
    for (name, rows) in [("closed", rows(&|_, _| '?')), ("some open, with flags", rows(&some_open))] {
        let path = file(folder.path(), "board.txt", line(&(rows.clone(), mines)).replace(" / ", "\n"));
        let run = |format: &str| {
            let ran = run_line(&format!("{} -f {format}", path.display()));
            assert_eq!(ran.code, 0, "{name}: {}", ran.err);
            ran
        };
        let text = run("text").out;
        assert!(text.lines().count() > side, "{name}");
        assert_eq!(run("svg").out.matches("class=\"mark\"").count(), side * side, "{name}");
        let value = run("json").json();
        let answer = &value["answers"][0];
        for (key, expected) in [("safe", false), ("mines", true)] {
            for place in answer[key].as_array().expect("a list") {
                let at = |axis: usize| place[axis].as_u64().expect("a number") as usize;
                assert_eq!(is_mine[at(0) * side + at(1)], expected, "{name}: {place}");
            }
        }
        if name == "closed" {
            // Stirling's series for the logarithm of the binomial coefficient.
            let logarithm = |n: usize| {
                let n = n as f64;
                n * n.ln() - n + (2.0 * std::f64::consts::PI * n).ln() / 2.0 + 1.0 / (12.0 * n)
            };
            let digits = (logarithm(side * side) - logarithm(mines) - logarithm(side * side - mines)) / 10_f64.ln();
            assert_eq!(answer["configurations"].as_str().map(str::len), Some(digits as usize + 1));
            assert_eq!(answer["probabilities"][side / 2][0], mines as f64 / (side * side) as f64);
        } else {
            assert!(answer["safe"].as_array().is_some_and(|safe| safe.len() > side));
        }
    }
}

#[test]
fn an_edited_encoding_takes_effect_without_recompilation() {
    let folder = folder();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/asp/minesweeper/layout.lp");
    let text = std::fs::read_to_string(path).expect("text");
    file(
        folder.path(),
        "minesweeper/layout.lp",
        format!("{text}\nrow(R) :- cell(R,_).\n:- row(R), {{ mine(R,C) }} > 1.\n"),
    );
    let board = (vec!["1??".to_owned(), "2?3".to_owned(), "???".to_owned()], 3);
    let path = file(folder.path(), "board.txt", line(&board).replace(" / ", "\n"));
    let plain = run_line(&format!("{} -f json", path.display())).json();
    let edited = run_line(&format!("{} --asp-dir {} -n 0 -f json", path.display(), folder.path().display())).json();
    assert_eq!((&plain["engine"], &edited["engine"]), (&"csp".into(), &"asp".into()));
    let all = layouts(&board, king(3, 3));
    let kept = all.iter().filter(|layout| (0..3).all(|row| (*layout >> (3 * row) & 7).count_ones() <= 1)).count();
    assert!(kept < all.len());
    assert_eq!(plain["answers"][0]["configurations"], all.len().to_string());
    assert_eq!(edited["answers"][0]["configurations"], kept.to_string());
}

/// A game after clicks on a part of its cells.
fn partly_played(grid: Grid, mines: usize, percent: u64) -> Game {
    let mut random = fastrand::Rng::with_seed(percent);
    let mut game = Setup { grid, mines, start: Start::Safe }.game(&mut random, grid.cell(0, 0));
    for cell in grid.cells() {
        if !game.is_mine(cell) && random.u64(..100) < percent {
            game.click(cell, &mut Vec::new());
        }
    }
    game
}

fn rows_of(game: &Game) -> Vec<String> {
    let grid = game.position.grid;
    let sign = |cell: usize| match game.position.cells[cell] {
        Cell::Open(number) => char::from(b'0' + number),
        _ => '?',
    };
    (0..grid.rows).map(|row| (0..grid.columns).map(|column| sign(grid.cell(row, column))).collect()).collect()
}

#[test]
fn both_engines_find_the_same_certain_cells_on_boards_with_thousands_of_closed_cells() {
    let game = partly_played(Grid { rows: 100, columns: 100 }, 2000, 20);
    let boards = [(rows_of(&game), 2000)];
    let counted = &batch(&boards, "")[0]["answers"][0];
    let grounded = &batch(&boards, "--engine asp")[0]["answers"][0];
    assert!(counted["safe"].as_array().expect("a list").len() > 100);
    assert_eq!(counted["safe"], grounded["safe"]);
    assert_eq!(counted["mines"], grounded["mines"]);
    for (key, is_mine) in [("safe", false), ("mines", true)] {
        for place in counted[key].as_array().expect("a list") {
            let at = |axis: usize| place[axis].as_u64().expect("a number") as usize;
            assert_eq!(game.is_mine(game.position.grid.cell(at(0), at(1))), is_mine);
        }
    }
}

#[test]
fn a_frontier_too_wide_for_the_memory_leaves_certain_cells() {
    // Every second cell of every second row: the widest frontier.
    let grid = Grid { rows: 25, columns: 25 };
    let mut random = fastrand::Rng::with_seed(1);
    let mut rows: Vec<Vec<u8>> = vec![vec![b'?'; 25]; 25];
    let mut is_mine = vec![false; grid.extent()];
    let mut mines = 0;
    for cell in grid.cells() {
        let [row, column] = grid.place(cell);
        if (row % 2 == 1 || column % 2 == 1) && random.u8(..10) < 3 {
            is_mine[cell] = true;
            mines += 1;
        }
    }
    for cell in grid.cells() {
        let [row, column] = grid.place(cell);
        if row % 2 == 0 && column % 2 == 0 {
            rows[row][column] = b'0' + grid.around(cell).iter().filter(|&&near| is_mine[near]).count() as u8;
        }
    }
    let rows = rows.into_iter().map(|row| String::from_utf8(row).expect("ASCII")).collect();
    let folder = folder();
    let text = line(&(rows, mines)).replace(" / ", "\n");
    let path = file(folder.path(), "lattice.txt", text);
    let ran = run_line(&format!("{} --memory-limit 150 -f json", path.display()));
    assert_eq!(ran.code, 3, "{}", ran.err);
    let value = ran.json();
    assert_eq!((&value["verdict"], &value["reason"]), (&"gave-up".into(), &"the memory limit was reached".into()));
    let answer = &value["answers"][0];
    assert!(answer.get("configurations").is_none());
    let certain = answer["safe"].as_array().expect("a list");
    assert!(!certain.is_empty());
    for place in certain {
        let at = |axis: usize| place[axis].as_u64().expect("a number") as usize;
        assert!(!is_mine[grid.cell(at(0), at(1))]);
    }
}

/// The chance to win with optimal play, by a search over every click in every position.
struct Expectimax {
    rows: usize,
    columns: usize,
    /// Cells that are safe in all layouts are opened first, which loses nothing.
    takes_safe_cells: bool,
    known: HashMap<(u32, Vec<u32>), u32>,
}

impl Expectimax {
    fn around(&self, cell: usize) -> u32 {
        let near = king(self.rows, self.columns)(cell / self.columns, cell % self.columns);
        near.into_iter().fold(0, |bits, (row, column)| bits | 1 << (row * self.columns + column))
    }

    /// The number of consistent layouts in which the game is won.
    fn wins(&mut self, open: u32, layouts: &[u32]) -> u32 {
        let cells = self.rows * self.columns;
        let closed = |open: u32| (0..cells).filter(move |cell| open >> cell & 1 == 0);
        if layouts.iter().all(|layout| closed(open).all(|cell| layout >> cell & 1 == 1)) {
            return layouts.len() as u32;
        }
        let is_safe = |cell: &usize| layouts.iter().all(|layout| layout >> cell & 1 == 0);
        if self.takes_safe_cells
            && let Some(cell) = closed(open).find(is_safe)
        {
            return self.after(open, layouts, cell);
        }
        let key = (open, layouts.to_vec());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let best = closed(open).map(|cell| self.after(open, layouts, cell)).max().expect("a closed cell");
        self.known.insert(key, best);
        best
    }

    fn after(&mut self, open: u32, layouts: &[u32], cell: usize) -> u32 {
        let around = self.around(cell);
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); 9];
        for &layout in layouts.iter().filter(|layout| *layout >> cell & 1 == 0) {
            groups[(layout & around).count_ones() as usize].push(layout);
        }
        groups.iter().filter(|group| !group.is_empty()).map(|group| self.wins(open | 1 << cell, group)).sum()
    }
}

/// Plays every layout of a small board and compares the wins with the optimum over all first
/// clicks.
fn compare_with_optimum(rows: usize, columns: usize, mines: usize, start: Start, takes_safe_cells: bool) {
    let grid = Grid { rows, columns };
    let rules = Setup { grid, mines, start };
    let cells: Vec<usize> = grid.cells().collect();
    let layouts_for = |first: usize| -> Vec<u32> {
        let kept = rules.mine_free_cells(first);
        let kept: u32 = cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| kept.clone().any(|free| free == **cell))
            .map(|(bit, _)| 1 << bit)
            .sum();
        (0..1_u32 << cells.len()).filter(|layout| layout.count_ones() as usize == mines && layout & kept == 0).collect()
    };
    let mut optimum = Expectimax { rows, columns, takes_safe_cells, known: HashMap::new() };
    let best = (0..cells.len())
        .map(|bit| {
            let layouts = layouts_for(cells[bit]);
            let wins = optimum.after(0, &layouts, bit);
            (f64::from(wins) / layouts.len().max(1) as f64, wins, layouts.len())
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .expect("cells");
    let table = RunConfig::new(rules, Strategy::Best, &Budget::unlimited());
    let layouts = layouts_for(table.first);
    let mut wins = 0;
    for &layout in &layouts {
        let mut is_mine = vec![false; grid.extent()];
        cells.iter().enumerate().for_each(|(bit, &cell)| is_mine[cell] = layout >> bit & 1 == 1);
        let mut game = Game::new(grid, is_mine);
        let mut bot = table.bot();
        let (mut cell, mut opened) = (table.first, Vec::new());
        loop {
            opened.clear();
            match game.click(cell, &mut opened) {
                Click::Mine => break,
                Click::Won => {
                    wins += 1;
                    break;
                }
                Click::Open => cell = bot.next(&mut game.position, &opened).expect("no limit").cell,
            }
        }
    }
    let rate = f64::from(wins) / layouts.len() as f64;
    assert!(
        (rate - best.0).abs() < 1e-12,
        "{rows}×{columns}, {mines} mines: {wins} of {}, not {best:?}",
        layouts.len()
    );
}

#[test]
fn a_game_tree_of_thousands_of_layouts_is_searched_completely() {
    // Rows, columns, mines, layouts, the layouts that a search without cliques wins, and the cells.
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/minesweeper_endgames.txt"));
    for line in text.expect("the file").lines() {
        let (numbers, signs) = line.rsplit_once(' ').expect("cells");
        let numbers: Vec<usize> = numbers.split(' ').map(|number| number.parse().expect("a number")).collect();
        let [rows, columns, mines, layouts, wins] = numbers[..] else { panic!("five numbers: {line}") };
        let grid = Grid { rows, columns };
        let mut position = KnownPosition::closed(grid, Some(mines));
        for (cell, sign) in grid.cells().zip(signs.bytes()) {
            position.cells[cell] = match sign {
                b'?' => Cell::Closed,
                b'F' => Cell::Mine,
                digit => Cell::Open(digit - b'0'),
            };
        }
        let chance =
            best_guess(&position, &vec![0.0; grid.extent()], &Budget::unlimited()).and_then(|guess| guess.chance);
        assert_eq!(chance, Some(wins as f64 / layouts as f64), "{line}");
    }
}

#[test]
fn the_bot_plays_small_boards_optimally() {
    for (rows, columns, mines) in
        [(1, 5, 2), (2, 2, 1), (2, 3, 2), (3, 3, 1), (3, 3, 2), (3, 3, 3), (3, 3, 5), (3, 4, 2)]
    {
        for takes_safe_cells in [false, true] {
            compare_with_optimum(rows, columns, mines, Start::Safe, takes_safe_cells);
        }
    }
    let is_tried =
        |(rows, columns, mines): &(usize, usize, usize)| extent::is_complete() || rows * columns * mines < 40;
    let boards = [(3, 4, 3), (3, 4, 4), (4, 4, 1), (4, 4, 2), (4, 4, 3), (5, 5, 1), (5, 5, 2)];
    for (rows, columns, mines) in boards.into_iter().filter(is_tried) {
        compare_with_optimum(rows, columns, mines, Start::Safe, true);
    }
    for (rows, columns, mines) in [(3, 3, 1), (3, 4, 2), (4, 4, 2), (4, 4, 4), (5, 5, 2)].into_iter().filter(is_tried) {
        compare_with_optimum(rows, columns, mines, Start::Opening, true);
    }
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn the_bot_plays_larger_boards_optimally() {
        compare_with_optimum(3, 4, 3, Start::Safe, false);
        for mines in [4, 5, 6, 8, 12] {
            compare_with_optimum(4, 4, mines, Start::Safe, true);
        }
        compare_with_optimum(4, 4, 7, Start::Opening, true);
        compare_with_optimum(5, 5, 3, Start::Opening, true);
    }
}

#[test]
fn games_depend_on_the_seed_and_not_on_the_threads() {
    let played = |options: &str| {
        let ran = run_line(&format!("play minesweeper --games 200 -f json {options}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let mut value = ran.json();
        for key in ["seconds", "seconds_per_game"] {
            assert!(value[key].as_f64().expect("a number") > 0.0);
            value[key] = Value::Null;
        }
        value
    };
    let one = played("--threads 1");
    assert_eq!(one, played("--threads 3"));
    assert_ne!(one["wins"], 0);
    assert_ne!(one["clicks"], played("--seed 2")["clicks"]);
    let (low, high) = (one["interval"][0].as_f64(), one["interval"][1].as_f64());
    assert!(low < one["rate"].as_f64() && one["rate"].as_f64() < high);
    // With an opening more games are won; the strategy `article` finds patterns.
    let opening = played("--start opening");
    assert!(opening["wins"].as_u64() > one["wins"].as_u64());
    let article = played("--strategy article");
    assert!(article["clicks"]["pattern"].as_u64() > Some(0));
    assert_eq!(article["games"], 200);
}

#[test]
fn a_game_can_be_watched() {
    let ran = run_line("play minesweeper --watch --seed 3");
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!(ran.out);
    let ran = run_line("play minesweeper --watch --seed 3 -f json");
    assert_eq!(ran.json()["wins"], 1);
}

/// The rows of the layout in a generated file.
fn solution(text: &str) -> Vec<Vec<bool>> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("% ")).filter(|line| line.starts_with(['*', '.']));
    lines.map(|line| line.bytes().map(|sign| sign == b'*').collect()).collect()
}

#[test]
fn boards_without_guessing_are_solved_by_certain_cells() {
    for options in [
        "--level beginner --no-guess",
        "--level expert --no-guess --seed 4",
        "--level intermediate --hardest obvious",
        "--level intermediate --hardest pattern",
        "--level intermediate --hardest csp",
        "--size 6x5 --mines 9 --no-guess --first 1,1",
    ] {
        let ran = run_line(&format!("generate minesweeper {options} --solution"));
        assert_eq!(ran.code, 0, "{options}: {}", ran.err);
        let is_mine = solution(&ran.out);
        let mut lines = ran.out.lines();
        let mines: usize = lines.next().and_then(|line| line.strip_prefix("mines ")?.parse().ok()).expect("a header");
        assert_eq!(is_mine.iter().flatten().filter(|&&is_mine| is_mine).count(), mines, "{options}");
        let mut rows: Vec<String> =
            lines.filter(|line| !line.starts_with('%')).map(|row| row.replace('.', "0")).collect();
        let near = king(rows.len(), rows[0].len());
        // The easiest stage of each step, and the stages of all reasons.
        let (mut stages, mut needed): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        while rows.iter().flat_map(|row| row.bytes()).filter(|&sign| sign == b'?').count() > mines {
            let answer = &batch(&[(rows.clone(), mines)], "")[0]["answers"][0];
            let mut safe: Vec<(usize, usize)> = Vec::new();
            for place in answer["safe"].as_array().expect("a list") {
                safe.push((place[0].as_u64().expect("a row") as usize, place[1].as_u64().expect("a column") as usize));
            }
            assert!(!safe.is_empty(), "{options}: a guess is needed\n{}", rows.join("\n"));
            let reasons = answer["explain"].as_array().expect("a list").iter();
            needed.extend(reasons.map(|reason| reason["found_by"].as_str().expect("a stage").to_owned()));
            stages.push(answer["found_by"].as_str().expect("a stage").to_owned());
            for (row, column) in safe {
                assert!(!is_mine[row][column], "{options}");
                let number = near(row, column).into_iter().filter(|&(row, column)| is_mine[row][column]).count();
                rows[row].replace_range(column..=column, &number.to_string());
            }
        }
        for stage in ["pattern", "csp"] {
            assert!(
                !options.contains(stage) || needed.iter().any(|stage_of_reason| stage_of_reason == stage),
                "{options}: {needed:?}"
            );
        }
        if options.contains("obvious") {
            assert!(!stages.is_empty() && stages.iter().all(|stage| stage == "obvious"), "{options}: {stages:?}");
        }
    }
}

#[test]
fn generated_files_are_numbered_and_the_seed_repeats_them() {
    let folder = folder();
    let make = |name: &str| {
        let pattern = folder.path().join(format!("{name}-{{n}}.txt"));
        let ran = run_line(&format!("generate minesweeper --count 3 --seed 9 -o {}", pattern.display()));
        assert_eq!(ran.code, 0, "{}", ran.err);
        (1..=3)
            .map(|number| std::fs::read_to_string(folder.path().join(format!("{name}-{number}.txt"))).expect("a file"))
            .collect::<Vec<String>>()
    };
    let (first, second) = (make("a"), make("b"));
    assert_eq!(first, second);
    let ran = run_line("generate minesweeper --seed 9");
    assert!(ran.out.ends_with("% seed 9; --seed N for another\n"), "{}", ran.out);
    assert!(first[0] != first[1] && first[1] != first[2]);
    let name = folder.path().join("a-1.txt");
    assert_eq!(run_line(&name.display().to_string()).code, 0);
    let ran = run_line(&format!("generate minesweeper --count 2 -o {}", folder.path().join("c.txt").display()));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("{n}"), "{}", ran.err);
}

#[test]
fn impossible_games_are_errors() {
    for (options, expected) in [
        ("play minesweeper --size 3x3 --mines 9", "8 mines at the most"),
        ("play minesweeper --size 3x3 --mines 1 --start opening", "0 mines at the most"),
        ("generate minesweeper --size 100000x100000 --mines 5", "at most 4096 cells"),
        ("generate minesweeper --size 99999999999999999999x2 --mines 5", "expected columns x rows"),
        ("generate minesweeper --first 10,1", "9 rows of 9"),
        ("play minesweeper --size 4x4", "--mines"),
        ("generate minesweeper --size 4x4 --mines 0", "at least one mine"),
        ("play rail", "rail"),
    ] {
        let ran = run_line(options);
        assert_eq!(ran.code, 2, "{options}: {}", ran.out);
        assert!(ran.err.contains(expected), "{options}: {}", ran.err);
    }
    // Only mines surround the opening, so logic cannot find the free cells.
    let ran = run_line("generate minesweeper --size 20x20 --mines 330 --no-guess --time-limit 0.3");
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("gave up: the time limit was reached"), "{}", ran.err);
}

/// Checks a closed board with its correct probabilities, one of which is changed by `change`.
fn check_closed(side: usize, mines: usize, change: f64) -> Result<(), String> {
    let grid = Grid { rows: side, columns: side };
    let board = MinesweeperBoard::new(KnownPosition::closed(grid, Some(mines)));
    let mut answer = Answer::unknown(&board.position);
    for cell in grid.cells() {
        answer.probabilities[cell] = Some(mines as f64 / grid.area() as f64);
    }
    let changed = &mut answer.probabilities[grid.cell(side / 2, side / 3)];
    *changed = changed.map(|probability| probability + change);
    answer.check(&board)
}

#[test]
fn sums_of_probabilities_are_checked_exactly_on_boards_of_any_size() {
    for (side, mines) in [(3, 2), (9, 10), (500, 25_000), (500, 125), (800, 64_000), (1000, 99_999), (1000, 333_333)] {
        assert_eq!(check_closed(side, mines, 0.0), Ok(()), "{side}");
        for change in [1e-9, -1e-9] {
            assert!(check_closed(side, mines, change).is_err(), "{side}: {change:e}");
        }
    }
    assert!(check_closed(3, 2, 1e-14).is_err());
}

#[test]
fn a_reason_that_a_layout_contradicts_is_rejected() {
    // 1 ? ? ?, with one mine in all.
    let grid = Grid { rows: 1, columns: 4 };
    let mut board = MinesweeperBoard::new(KnownPosition::closed(grid, Some(1)));
    board.position.cells[grid.cell(0, 0)] = Cell::Open(1);
    let holds = |column: usize, is_mine: bool, needs_total: bool| {
        let mut answer = Answer::unknown(&board.position);
        let (cell, numbers) = (grid.cell(0, column), vec![grid.cell(0, 0)]);
        let because = Conflict { clues: numbers, needs_total };
        answer.reasons = vec![Reason::new((cell, is_mine), Stage::Csp, because)];
        answer.check(&board).is_ok()
    };
    assert!(holds(1, true, false) && holds(2, false, true));
    assert!(!holds(1, false, false) && !holds(2, false, false) && !holds(2, true, true));
}

#[test]
fn a_mine_in_nearly_all_layouts_is_not_certain() {
    // Eight numbers 1 count the first cell and one more cell each, so either the first cell or all
    // eight others are mines. The rest of the eight mines lie anywhere.
    let grid = Grid { rows: 1, columns: 3017 };
    let cell = |column: usize| grid.cell(0, column);
    let counts = (1..=8).map(|number| (cell(8 + number), vec![cell(0), cell(number)]));
    let adjacency = Adjacency::from_lists(Topology::Custom, grid, counts).expect("few neighbours");
    let mut position = KnownPosition { adjacency, ..KnownPosition::closed(grid, Some(8)) };
    for number in 9..=16 {
        position.cells[cell(number)] = Cell::Open(1);
    }
    let likelihood = likelihood(&position, &Budget::unlimited()).expect("no limit").expect("layouts");
    assert_eq!(likelihood.configurations, binomial(3000, 7) + 1_u8);
    assert!(likelihood.probabilities[cell(0)] < 1.0 && likelihood.probabilities[cell(0)] > 0.999);
    assert!(likelihood.probabilities[cell(1)] > 0.0 && likelihood.probabilities[cell(1)] < 1e-15);
}

#[test]
fn the_search_for_the_first_click_obeys_the_time_limit() {
    // The game trees of all first clicks take far longer than the limit.
    let ran = run_line("play minesweeper --size 5x5 --mines 4 --games 1 --time-limit 0.001 -f json");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    let report = ran.json();
    assert_eq!((&report["games"], &report["played"]), (&json!(0), &json!([])), "{report}");
    assert!(ran.err.contains("the time limit was reached"), "{}", ran.err);
}

#[test]
fn a_cancelled_bot_finds_no_move() {
    let canceller = Canceller::new();
    let grid = Grid { rows: 4, columns: 4 };
    let rules = Setup { grid, mines: 4, start: Start::Safe };
    let budget = Budget { stop: canceller.token(), ..Budget::unlimited() };
    let table = RunConfig::new(rules, Strategy::Best, &budget);
    assert_eq!(table.play(&mut table.random(1, 1)).map(|tally| tally.games), Ok(1));
    canceller.request(stop::StopReason::TimeLimit);
    let mut position = KnownPosition::closed(grid, Some(4));
    position.cells[grid.cell(0, 0)] = Cell::Open(1);
    assert_eq!(table.bot().next(&mut position, &[grid.cell(0, 0)]), Err(stop::StopReason::TimeLimit));
}

#[test]
fn certificates_use_the_coordinates_of_the_facts() {
    let folder = folder();
    let board = (vec!["0??".to_owned(), "???".to_owned()], 1);
    let path = file(folder.path(), "board.lp", facts(&board, [3, 5]));
    let proof = folder.path().join("board.proof");
    let ran = run_line(&format!("{} --proof {}", path.display(), proof.display()));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let text = std::fs::read_to_string(&proof).expect("a certificate");
    for cell in ["3,6", "4,5", "4,6"] {
        assert!(text.contains(&format!("safe({cell})")), "{cell}: {text}");
    }
    assert!(!text.contains("safe(0,1)"), "{text}");
    assert_eq!(run_line(&format!("verify {}", proof.display())).code, 0);
}
