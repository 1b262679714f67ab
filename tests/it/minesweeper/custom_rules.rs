//! Hints, ratings and explanations of boards with custom rules, against all layouts of small
//! boards.
//!
//! Rows and columns have the numbers of the facts: from 1 for text, and from any number for a logic
//! program.

use std::fmt::Write;

use fastrand::Rng;
use serde_json::Value;

use crate::support::{extent, file, folder, run};

type Cell = (i32, i32);

/// The mines that a number counts, by an encoding and by a test of two cells.
struct Neighborhood {
    name: &'static str,
    /// A file of `asp/minesweeper`, or the text of a custom one.
    file: Result<&'static str, &'static str>,
    is_near: fn(&Board, Cell, Cell) -> bool,
}

/// A further rule, as a logic program and as a test of a layout.
struct Rule {
    text: &'static str,
    holds: fn(&Board, &dyn Fn(Cell) -> bool) -> bool,
}

const NEIGHBORHOODS: [Neighborhood; 5] = [
    Neighborhood {
        name: "king",
        file: Ok("minesweeper/king.lp"),
        is_near: |_, a, b| a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)) == 1,
    },
    Neighborhood {
        name: "torus",
        file: Ok("minesweeper/torus.lp"),
        is_near: |board, a, b| {
            let step = |a: i32, b: i32, len: i32| (a - b).rem_euclid(len).min((b - a).rem_euclid(len));
            step(a.0, b.0, board.rows()).max(step(a.1, b.1, board.columns())) == 1
        },
    },
    Neighborhood {
        name: "knight",
        file: Ok("minesweeper/knight.lp"),
        is_near: |_, a, b| a.0.abs_diff(b.0).pow(2) + a.1.abs_diff(b.1).pow(2) == 5,
    },
    Neighborhood {
        name: "hexagons",
        file: Ok("minesweeper/hexagons.lp"),
        is_near: |_, a, b| {
            // Even rows are half a cell further right.
            let middle = |(row, column): Cell| 2 * column - row.rem_euclid(2);
            let right = middle(a).abs_diff(middle(b));
            matches!((a.0.abs_diff(b.0), right), (0, 2) | (1, 1))
        },
    },
    Neighborhood {
        name: "below",
        file: Err("neighbor(R,C,R+1,C..C+(C\\2)) :- number(R,C,_), C >= 0, closed(R+1,C..C+(C\\2)).\n\
                   neighbor(R,C,R,D) :- number(R,C,_), closed(R,D), R\\2 = 0, D != C.\n"),
        is_near: |_, a, b| {
            let below = b.0 == a.0 + 1 && (a.1..=a.1 + a.1 % 2).contains(&b.1);
            below || a.0 % 2 == 0 && a.0 == b.0 && a.1 != b.1
        },
    },
];

const RULES: [Rule; 6] = [
    Rule { text: ":- mine(1,1), not mine(1,1).", holds: |_, _| true },
    Rule {
        text: ":- mine(R,C), R\\2 = 1.",
        holds: |board, is_mine| board.cells().all(|cell| cell.0 % 2 == 0 || !is_mine(cell)),
    },
    Rule { text: ":- mine(0,0).", holds: |_, is_mine| !is_mine((0, 0)) },
    Rule {
        text: ":- mine(R,C), not cell(R+1,C), not cell(R,C+1).",
        holds: |board, is_mine| {
            let [row, column] = board.origin;
            !is_mine((row + board.rows() - 1, column + board.columns() - 1))
        },
    },
    Rule {
        text: ":- 2 { mine(1,C) }.",
        holds: |board, is_mine| board.cells().filter(|&cell| cell.0 == 1 && is_mine(cell)).count() < 2,
    },
    Rule {
        text: ":- mine(R,C), mine(R+1,C+1), C > R.",
        holds: |board, is_mine| {
            !board.cells().any(|(row, column)| column > row && is_mine((row, column)) && is_mine((row + 1, column + 1)))
        },
    },
];

/// The signs, the total, and the coordinates of the first cell. Only a board at 1,1 can be text.
struct Board {
    signs: Vec<Vec<u8>>,
    mines: usize,
    origin: [i32; 2],
    is_text: bool,
}

impl Board {
    fn random(random: &mut Rng, neighborhood: &Neighborhood, rule: Option<&Rule>) -> Board {
        let (rows, columns) = (random.usize(2..=4), random.usize(2..=4));
        let is_text = random.u8(..3) > 0;
        let origin = if is_text { [1, 1] } else { [random.i32(0..=2), random.i32(0..=2)] };
        let mut board = Board { signs: vec![vec![b'?'; columns]; rows], mines: 0, origin, is_text };
        let cells: Vec<Cell> = board.cells().collect();
        // Most layouts obey the rule.
        let mut mines: Vec<Cell> = Vec::new();
        for _ in 0..20 {
            mines = cells.iter().copied().filter(|_| random.u8(..10) < 3).collect();
            if rule.is_none_or(|rule| (rule.holds)(&board, &|cell| mines.contains(&cell))) {
                break;
            }
        }
        board.mines = mines.len();
        for &cell in &cells {
            let near = mines.iter().filter(|&&mine| (neighborhood.is_near)(&board, cell, mine)).count();
            let sign = match mines.contains(&cell) {
                true if random.u8(..8) == 0 => b'F',
                false if random.u8(..10) < 4 && near <= 8 => b'0' + near as u8,
                _ => b'?',
            };
            *board.sign_mut(cell) = sign;
        }
        board
    }

    fn rows(&self) -> i32 {
        self.signs.len() as i32
    }

    fn columns(&self) -> i32 {
        self.signs[0].len() as i32
    }

    fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let ([row, column], rows, columns) = (self.origin, self.rows(), self.columns());
        (row..row + rows).flat_map(move |row| (column..column + columns).map(move |column| (row, column)))
    }

    fn sign_mut(&mut self, (row, column): Cell) -> &mut u8 {
        &mut self.signs[(row - self.origin[0]) as usize][(column - self.origin[1]) as usize]
    }

    fn sign(&self, (row, column): Cell) -> u8 {
        self.signs[(row - self.origin[0]) as usize][(column - self.origin[1]) as usize]
    }

    fn text(&self) -> String {
        if self.is_text {
            let rows = self.signs.iter().map(|row| String::from_utf8_lossy(row).into_owned() + "\n");
            return format!("mines {}\n{}", self.mines, rows.collect::<String>());
        }
        let mut facts = format!("mines({}).\n", self.mines);
        for (row, column) in self.cells() {
            let _ = match self.sign((row, column)) {
                b'?' => writeln!(facts, "cell({row},{column})."),
                b'F' => writeln!(facts, "cell({row},{column}). flag({row},{column})."),
                number => writeln!(facts, "cell({row},{column}). number({row},{column},{}).", number - b'0'),
            };
        }
        facts
    }

    /// All layouts by brute force.
    fn layouts(&self, neighborhood: &Neighborhood, rule: Option<&Rule>) -> Vec<Vec<Cell>> {
        let closed: Vec<Cell> = self.cells().filter(|&cell| matches!(self.sign(cell), b'?' | b'F')).collect();
        let fits = |mines: &Vec<Cell>| {
            let number_fits = |cell: Cell| {
                let near = mines.iter().filter(|&&mine| (neighborhood.is_near)(self, cell, mine)).count();
                near == usize::from(self.sign(cell) - b'0')
            };
            mines.len() == self.mines
                && self.cells().all(|cell| self.sign(cell) != b'F' || mines.contains(&cell))
                && self.cells().filter(|&cell| self.sign(cell).is_ascii_digit()).all(number_fits)
                && rule.is_none_or(|rule| (rule.holds)(self, &|cell| mines.contains(&cell)))
        };
        let chosen = |bits: u32| closed.iter().enumerate().filter(move |(bit, _)| bits >> bit & 1 == 1);
        (0..1_u32 << closed.len()).map(|bits| chosen(bits).map(|(_, &cell)| cell).collect()).filter(fits).collect()
    }
}

/// Parses `mine(0,3)` or `not mine(0,3)`: the cell, and whether it is a mine.
fn literal(text: &str) -> (Cell, bool) {
    let (atom, holds) = text.strip_prefix("not ").map_or((text, true), |atom| (atom, false));
    let places =
        atom.strip_prefix("mine(").and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once(','));
    let (row, column) = places.unwrap_or_else(|| panic!("an atom mine/2: {text}"));
    let number = |text: &str| text.parse().expect("a number");
    ((number(row), number(column)), holds)
}

/// Compares the output of `hint --steps`, `rate` and `why` with all layouts.
fn compare(board: &Board, neighborhood: &Neighborhood, rule: Option<&Rule>, random: &mut Rng, seed: u64) {
    let folder = folder();
    let path = |name: &str, text: &str| file(folder.path(), name, text).display().to_string();
    let text = board.text();
    let what =
        format!("seed {seed}, {}, {}:\n{text}", neighborhood.name, rule.map_or("no custom rule", |rule| rule.text));
    let name = if board.is_text { "board.txt" } else { "board.lp" };
    let mut arguments = vec![path(name, &text), "-p".to_owned(), "minesweeper".to_owned()];
    let neighbors = neighborhood.file.map_or_else(|text| path("neighbors.lp", text), str::to_owned);
    let rule_file = rule.map(|rule| path("rule.lp", rule.text));
    for encoding in ["minesweeper/layout.lp".to_owned(), neighbors].into_iter().chain(rule_file) {
        arguments.extend(["-e".to_owned(), encoding]);
    }
    let run_json = |command: &str, more: &[&str]| {
        let mut all = vec![command.to_owned()];
        all.extend(arguments.iter().cloned());
        all.extend(more.iter().map(|&word| word.to_owned()));
        all.extend(["-f".to_owned(), "json".to_owned()]);
        let ran = run(all);
        (ran.code != 2).then(|| ran.json())
    };
    let Some(hints) = run_json("hint", &["--steps"]) else {
        // The board is invalid: a number exceeds its neighbours, or no cell is closed.
        return;
    };
    let layouts = board.layouts(neighborhood, rule);
    let always = |(cell, is_mine): (Cell, bool)| layouts.iter().all(|layout| layout.contains(&cell) == is_mine);
    let empty = Vec::new();
    let steps = hints["steps"].as_array().unwrap_or(&empty);
    let follows: Vec<(Cell, bool)> = steps
        .iter()
        .flat_map(|step| step["follows"].as_array().unwrap_or(&empty))
        .map(|atom| literal(atom.as_str().expect("a text")))
        .collect();
    for &step in &follows {
        assert!(always(step), "{what}hint: {step:?} does not follow\n{hints:#}");
    }
    let closed: Vec<Cell> = board.cells().filter(|&cell| board.sign(cell) == b'?').collect();
    let is_certain = |&cell: &Cell| always((cell, true)) || always((cell, false));
    let verdict = hints["verdict"].as_str();
    match verdict {
        Some("impossible") => assert!(layouts.is_empty(), "{what}{hints:#}"),
        Some("solved") => assert!(layouts.len() == 1, "{what}{hints:#}"),
        Some("open") => {
            let is_found = |cell: &Cell| follows.iter().any(|(found, _)| found == cell);
            let missed: Vec<&Cell> = closed.iter().filter(|cell| is_certain(cell) && !is_found(cell)).collect();
            assert!(!layouts.is_empty() && missed.is_empty(), "{what}hint: missed {missed:?}\n{hints:#}");
        }
        // Boards without custom rules have no verdict here.
        None => {}
        Some(verdict) => panic!("{what}hint: {verdict}"),
    }
    if rule.is_some() {
        let rated = run_json("rate", &[]).unwrap_or_else(|| panic!("{what}rate fails"));
        assert_eq!(rated["verdict"].as_str(), verdict, "{what}{rated:#}");
    }
    let Some(&cell) = closed.get(random.usize(0..closed.len().max(1))) else { return };
    let Some(why) = run_json("why", &[&format!("mine({},{})", cell.0, cell.1)]) else {
        panic!("{what}why {cell:?} fails")
    };
    let expected = match (layouts.is_empty(), always((cell, true)), always((cell, false))) {
        // Contradictory boards are explained as such.
        (true, ..) => None,
        (_, true, _) => Some("always"),
        (_, _, true) => Some("never"),
        _ => Some("sometimes"),
    };
    assert_eq!(why["holds"].as_str(), expected, "{what}why mine{cell:?}: {why:#}");
    if expected == Some("sometimes") {
        for (key, is_mine) in [("with", true), ("without", false)] {
            let mines = why[key].as_array().unwrap_or(&empty).iter();
            let mut mines: Vec<Cell> = mines.map(|atom| literal(atom.as_str().expect("a text")).0).collect();
            mines.sort_unstable();
            assert!(layouts.contains(&mines) && mines.contains(&cell) == is_mine, "{what}{key} mine{cell:?}: {why:#}");
        }
    }
}

fn compare_random_boards(count: usize) {
    let seed = extent::seed();
    let mut random = Rng::with_seed(seed);
    for neighborhood in &NEIGHBORHOODS {
        for rule in RULES.iter().map(Some).chain([None]) {
            for _ in 0..count {
                let board = Board::random(&mut random, neighborhood, rule);
                compare(&board, neighborhood, rule, &mut random, seed);
            }
        }
    }
}

#[test]
fn hints_ratings_and_explanations_agree_with_all_layouts_under_custom_rules() {
    compare_random_boards(if extent::is_complete() { 2 } else { 1 });
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn hints_ratings_and_explanations_agree_with_all_layouts_of_many_boards() {
        compare_random_boards(60);
    }
}

#[test]
fn explanations_and_atoms_count_rows_and_columns_from_one() {
    let folder = folder();
    let board = file(folder.path(), "board.txt", "mines 1\n??\n1?\n");
    let rule = file(folder.path(), "rule.lp", ":- mine(1,2). :- mine(2,2).");
    let run_with = |command: &str, more: &[&str]| {
        let (board, rule) = (board.display().to_string(), rule.display().to_string());
        let mut all = vec![command, &board, "-p", "minesweeper", "-e", "minesweeper/layout.lp"];
        all.extend(["-e", "minesweeper/hexagons.lp", "-e", &rule]);
        all.extend(more);
        run(all)
    };
    let hint: Value = run_with("hint", &["--steps", "-f", "json"]).json();
    let steps = hint["steps"].to_string();
    assert!(steps.contains("\"mine(1,1)\"") && steps.contains("\"not mine(1,2)\""), "{steps}");
    let text = run_with("hint", &["--steps"]);
    assert!(text.out.contains("ow 1, column 1 has a mine"), "{}", text.out);
    assert!(!text.out.contains("row 0") && !text.out.contains("column 0"), "{}", text.out);
    let why = run_with("why", &["mine(1,1)"]);
    assert_eq!(why.code, 0, "{}", why.err);
    assert!(why.out.contains("row 2, column 1") && !why.out.contains("column 0"), "{}", why.out);
}

#[test]
fn words_for_a_program_use_the_rows_and_columns_of_its_facts() {
    let folder = folder();
    let cells = "cell(0..1,0..1). number(1,0,1). mines(1).\n";
    let board = file(folder.path(), "board.lp", cells).display().to_string();
    let rule = file(folder.path(), "rule.lp", ":- mine(0,1). :- mine(1,1).").display().to_string();
    let encodings = ["-e", "minesweeper/layout.lp", "-e", "minesweeper/hexagons.lp", "-e", &rule];
    let hint = run([&["hint", &board, "--steps"][..], &encodings].concat());
    assert!(hint.out.contains("ow 0, column 0 has a mine"), "{}{}", hint.out, hint.err);
}
