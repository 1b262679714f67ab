//! Steps of a Sudoku have the usual names of techniques.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::run_with_input;

type Cell = (usize, usize);

/// The possible numbers of each cell.
struct Candidates(Vec<Vec<BTreeSet<u64>>>);

fn houses() -> Vec<Vec<Cell>> {
    let rows = (0..9).map(|row| (0..9).map(|column| (row, column)).collect());
    let columns = (0..9).map(|column| (0..9).map(|row| (row, column)).collect());
    let boxes = (0..9).map(|b| (0..9).map(|at| (b / 3 * 3 + at / 3, b % 3 * 3 + at % 3)).collect());
    rows.chain(columns).chain(boxes).collect()
}

impl Candidates {
    fn of(board: &str) -> Self {
        let mut candidates = Candidates(vec![vec![(1..=9).collect(); 9]; 9]);
        for (at, sign) in board.chars().enumerate() {
            if let Some(number) = sign.to_digit(10) {
                candidates.place((at / 9, at % 9), number.into());
            }
        }
        candidates
    }

    fn at(&self, (row, column): Cell) -> &BTreeSet<u64> {
        &self.0[row][column]
    }

    fn place(&mut self, cell: Cell, number: u64) {
        for (row, column) in houses().into_iter().filter(|house| house.contains(&cell)).flatten() {
            self.0[row][column].remove(&number);
        }
        self.0[cell.0][cell.1] = BTreeSet::from([number]);
    }

    fn places(&self, house: &[Cell], number: u64) -> BTreeSet<Cell> {
        house.iter().copied().filter(|&cell| self.at(cell).contains(&number)).collect()
    }

    /// Returns true if a step is an instance of the technique; `None` for other techniques.
    fn is_instance(
        &self,
        name: &str,
        cells: &BTreeSet<Cell>,
        values: &BTreeSet<u64>,
        found: &[(bool, Cell, u64)],
    ) -> Option<bool> {
        let in_house = |house: &&Vec<Cell>| cells.iter().all(|cell| house.contains(cell));
        let houses = houses();
        let mut shared = houses.iter().filter(in_house);
        let places = |house: &[Cell], number: u64| self.places(house, number);
        Some(match name {
            "naked single" => {
                found.iter().all(|&(holds, cell, number)| !holds || *self.at(cell) == BTreeSet::from([number]))
            }
            "hidden single" => found.iter().all(|&(holds, cell, number)| {
                let mut around = houses.iter().filter(|house| house.contains(&cell));
                !holds || around.any(|house| places(house, number) == BTreeSet::from([cell]))
            }),
            "naked pair" | "naked triple" | "naked quad" => {
                let all: BTreeSet<u64> = cells.iter().flat_map(|&cell| self.at(cell).iter().copied()).collect();
                shared.next().is_some() && all == *values && all.len() == cells.len()
            }
            "hidden pair" | "hidden triple" | "hidden quad" => {
                values.len() == cells.len()
                    && shared.any(|house| values.iter().all(|&value| places(house, value).is_subset(cells)))
            }
            // The cells share a box and a line, and the value occurs nowhere else in one of them.
            "pointing pair" | "box-line reduction" => {
                let is_box = |house: &Vec<Cell>| house[0].0 != house[8].0 && house[0].1 != house[8].1;
                let (boxes, lines): (Vec<_>, Vec<_>) = shared.partition(|house| is_box(house));
                let all = if name == "pointing pair" { boxes.clone() } else { lines.clone() };
                let is_all = |house: &&Vec<Cell>| values.iter().all(|&value| places(house, value).is_subset(cells));
                !boxes.is_empty() && !lines.is_empty() && all.iter().any(is_all)
            }
            _ => return None,
        })
    }
}

fn numbers(list: &Value) -> Vec<u64> {
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok()).expect("a number");
    list.as_array().expect("a list").iter().map(number).collect()
}

#[test]
fn steps_are_instances_of_their_techniques() {
    let mut seen = BTreeSet::new();
    for board in [
        "....4.35.5..9.2....72......9...1.4.....7.8....1...5........123.835.....61.....5.9",
        "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
        "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
    ] {
        let mut candidates = Candidates::of(board);
        let steps = run_with_input("hint --steps - -f json --time-limit 900", board).json();
        let steps = steps["steps"].as_array().expect("steps").clone();
        assert!(!steps.is_empty(), "{board}");
        for step in steps {
            let found: Vec<(bool, Cell, u64)> = step["follows"]
                .as_array()
                .expect("conclusions")
                .iter()
                .map(|literal| {
                    let literal = literal.as_str().expect("an atom");
                    let digits: Vec<u64> =
                        literal.bytes().filter(u8::is_ascii_digit).map(|digit| u64::from(digit - b'0')).collect();
                    let [row, column, number] = digits[..] else { panic!("{literal}") };
                    (!literal.starts_with("not "), (row as usize - 1, column as usize - 1), number)
                })
                .collect();
            if let Some(name) = step["technique"]["name"].as_str() {
                let cells = step["technique"]["cells"].as_array().expect("cells").iter().map(numbers);
                let cells = cells.map(|cell| (cell[0] as usize - 1, cell[1] as usize - 1)).collect();
                let values = numbers(&step["technique"]["values"]).into_iter().collect();
                let is_instance = candidates.is_instance(name, &cells, &values, &found);
                assert_ne!(is_instance, Some(false), "{board} {step}");
                seen.extend(is_instance.map(|_| name.to_owned()));
            }
            for (holds, cell, number) in found {
                if holds {
                    candidates.place(cell, number);
                } else {
                    candidates.0[cell.0][cell.1].remove(&number);
                }
            }
        }
    }
    for name in ["naked single", "hidden single", "naked pair", "pointing pair"] {
        assert!(seen.contains(name), "{seen:?}");
    }
}

#[test]
fn a_hint_names_the_technique_and_a_rating_counts_techniques() {
    let naked = "....4.35.5..9.2....72......9...1.4.....7.8....1...5........123.835.....61.....5.9";
    let rated = run_with_input("rate -", naked).out;
    assert!(rated.contains("Techniques: hidden single "), "{rated}");
    let json = run_with_input("rate - -f json", naked).json();
    let count: u64 = json["techniques"].as_object().expect("names").values().filter_map(|number| number.as_u64()).sum();
    assert_eq!(Some(count), json["steps"].as_u64(), "{json}");
    let steps = run_with_input("hint --steps - -f json", naked).json();
    let words = |step: &serde_json::Value| step["words"].as_str().unwrap_or_default().to_owned();
    let pair = steps["steps"].as_array().expect("steps").iter().find(|step| step["technique"]["name"] == "naked pair");
    let pair = pair.unwrap_or_else(|| panic!("{steps}"));
    assert!(words(pair).starts_with("Naked pair ") && words(pair).contains(" cannot be "), "{pair}");
    assert_eq!(pair["technique"]["cells"].as_array().map(Vec::len), Some(2), "{pair}");
    assert_eq!(pair["technique"]["values"].as_array().map(Vec::len), Some(2), "{pair}");
}
