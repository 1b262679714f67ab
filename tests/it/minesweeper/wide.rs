//! Boards with a frontier that is too wide to count: certain cells are still found.

use serde_json::Value;

use crate::support::process::*;
use crate::support::{RunOutput, extent, file, folder, run_line};

/// A board in which every second cell of every second row is open: the widest possible frontier.
fn lattice(side: usize, seed: u64) -> (String, Vec<Vec<bool>>) {
    let mines = side * side * 245 / 1000;
    let mut random = fastrand::Rng::with_seed(seed);
    let is_open = |row: usize, column: usize| row.is_multiple_of(2) && column.is_multiple_of(2);
    let mut is_mine = vec![vec![false; side]; side];
    let mut left = mines;
    while left > 0 {
        let (row, column) = (random.usize(..side), random.usize(..side));
        if !is_open(row, column) && !is_mine[row][column] {
            is_mine[row][column] = true;
            left -= 1;
        }
    }
    let near = |at: usize| at.saturating_sub(1)..(at + 2).min(side);
    let sign = |row: usize, column: usize| {
        let around = near(row).flat_map(|row| near(column).map(move |column| (row, column)));
        let mines = around.filter(|&(row, column)| is_mine[row][column]).count();
        if is_open(row, column) { char::from(b'0' + mines as u8) } else { '?' }
    };
    let rows: Vec<String> = (0..side).map(|row| (0..side).map(|column| sign(row, column)).collect()).collect();
    (format!("mines {mines}\n{}\n", rows.join("\n")), is_mine)
}

fn run_on(text: &str, options: &str) -> RunOutput {
    let folder = folder();
    run_line(&format!("{} {options}", file(folder.path(), "board.txt", text).display()))
}

/// Rows and columns of a list of cells.
fn places(cells: &Value) -> Vec<(usize, usize)> {
    let at = |place: &Value, axis: usize| place[axis].as_u64().expect("a number") as usize;
    cells.as_array().expect("a list").iter().map(|place| (at(place, 0), at(place, 1))).collect()
}

/// Checks the certain cells of an answer with the mines, and returns their number.
fn check_certain_cells(answer: &Value, is_mine: &[Vec<bool>]) -> usize {
    let both = [("safe", false), ("mines", true)].map(|(key, expected)| {
        let cells = places(&answer[key]);
        assert!(cells.iter().all(|&(row, column)| is_mine[row][column] == expected), "{key}");
        cells.len()
    });
    both[0] + both[1]
}

#[test]
fn a_lattice_too_wide_to_count_has_certain_cells_and_no_other_probabilities() {
    for seed in [1, 2] {
        let (text, is_mine) = lattice(31, seed);
        let ran = run_on(&text, "-f json --memory-limit 400");
        assert_eq!(ran.code, 3, "{}", ran.err);
        let value = ran.json();
        assert_eq!((&value["verdict"], &value["reason"]), (&"gave-up".into(), &"the memory limit was reached".into()));
        let answer = &value["answers"][0];
        assert!(check_certain_cells(answer, &is_mine) > 50);
        assert!(answer.get("configurations").is_none() && answer.get("sampled").is_none());
        let rows = answer["probabilities"].as_array().into_iter().flatten();
        let known: Vec<f64> =
            rows.flat_map(|row| row.as_array().into_iter().flatten()).filter_map(Value::as_f64).collect();
        assert!(known.len() > 50 && known.iter().all(|&probability| probability == 0.0 || probability == 1.0));
        assert!(answer["explain"].as_array().is_some_and(|reasons| reasons.len() > 50));
    }
    let text = run_on(&lattice(31, 1).0, "--memory-limit 400");
    assert!(text.out.contains("What is stated above is certain; the rest was not counted."), "{}", text.out);
}

#[test]
fn nearly_all_certain_cells_are_found_without_counting() {
    let mut missing = 0;
    for seed in [2, 6].into_iter().take(if extent::is_complete() { 2 } else { 1 }) {
        let (text, is_mine) = lattice(25, seed);
        // Counting fits into 500 MB.
        let counted = run_on(&text, "-f json --memory-limit 500").json();
        let proven = run_on(&text, "-f json --memory-limit 110").json();
        assert_eq!((&counted["verdict"], &proven["verdict"]), (&"solved".into(), &"gave-up".into()));
        missing += check_certain_cells(&counted["answers"][0], &is_mine)
            - check_certain_cells(&proven["answers"][0], &is_mine);
    }
    assert!(missing < 10, "{missing}");
}

#[test]
fn proven_cells_are_reported_despite_the_time_limit() {
    // The time limit may end the proofs of cells or the count.
    for side in [31, 25, 23] {
        let (text, is_mine) = lattice(side, 1);
        let ran = retry_with_longer_limits(|limit| {
            let ran = run_on(&text, &format!("-f json --time-limit {limit} --memory-limit 100000"));
            let answer = &ran.json()["answers"][0];
            (answer.is_object() && check_certain_cells(answer, &is_mine) > 10).then_some(ran)
        });
        if ran.code == 3 {
            assert_eq!(ran.json()["reason"], "the time limit was reached", "{side}");
        }
    }
}

#[test]
fn certain_cells_are_reported_if_no_layout_is_found_in_time() {
    let (text, is_mine) = lattice(65, 1);
    let ran = retry_with_longer_limits(|limit| {
        let ran = run_on(&text, &format!("-f json --time-limit {limit}"));
        let answer = &ran.json()["answers"][0];
        (ran.code == 3 && answer.is_object() && check_certain_cells(answer, &is_mine) > 100).then_some(ran)
    });
    assert_eq!(ran.json()["verdict"], "gave-up");
}

#[test]
fn a_contradictory_wide_board_obeys_the_time_limit() {
    let (text, _) = lattice(31, 1);
    let (_, rows) = text.split_once('\n').expect("a first line");
    let ran = run_on(&format!("mines 0\n{rows}"), "-f json --time-limit 0.5");
    assert!(matches!(ran.code, 1 | 3), "{}: {}", ran.code, ran.err);
}
