//! Naive versions of the rules of puzzles, applied to every set of cells and every loop of tiny
//! boards, against the built-in encodings, with which they share no code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use asp::{Order, Program, Settings, Solver, to_text};
use asp_solve::LogicPuzzle;
use base::document::Document;
use base::stop::CancelToken;
use fastrand::Rng;

use crate::support::extent;
use asp_solve::builtin::registry;

/// Row and column, from 1.
type Cell = (i32, i32);
type Cells = BTreeSet<Cell>;

#[derive(Default)]
struct Board {
    rows: i32,
    columns: i32,
    signs: BTreeMap<Cell, String>,
    areas: BTreeMap<Cell, usize>,
    /// Signs on borders, in a grid of cells and the borders between them.
    between: BTreeMap<Cell, String>,
}

impl Board {
    fn cells(&self) -> Cells {
        (1..=self.rows).flat_map(|row| (1..=self.columns).map(move |column| (row, column))).collect()
    }

    /// Rows and columns.
    fn lines(&self) -> Vec<Vec<Cell>> {
        let rows = (1..=self.rows).map(|row| (1..=self.columns).map(|column| (row, column)).collect());
        rows.chain((1..=self.columns).map(|column| (1..=self.rows).map(|row| (row, column)).collect())).collect()
    }

    fn area(&self, area: usize) -> Cells {
        self.cells().into_iter().filter(|cell| self.areas[cell] == area).collect()
    }

    fn all_areas(&self) -> Vec<Cells> {
        let numbers: BTreeSet<usize> = self.areas.values().copied().collect();
        numbers.into_iter().map(|area| self.area(area)).collect()
    }

    fn numbers(&self) -> impl Iterator<Item = (Cell, usize)> {
        self.signs.iter().filter_map(|(&cell, sign)| Some((cell, sign.parse().ok()?)))
    }

    /// Writes random signs into cells, into each with probability `chance`.
    fn write(&mut self, random: &mut Rng, chance: f64, signs: &[&str]) {
        for cell in self.cells() {
            if random.f64() < chance {
                self.signs.insert(cell, random.choice(signs).expect("a sign").to_string());
            }
        }
    }

    /// Divides the board into `count` connected areas by joining random neighbours.
    fn divide(&mut self, random: &mut Rng, count: usize) {
        self.areas = self.cells().into_iter().zip(1..).collect();
        let mut left = self.areas.len();
        let cells: Vec<Cell> = self.cells().into_iter().collect();
        while left > count {
            let cell = *random.choice(&cells).expect("a cell");
            let other = random.choice(neighbours(cell)).expect("a neighbour");
            if let Some(&to) = self.areas.get(&other).filter(|&&to| to != self.areas[&cell]) {
                let from = self.areas[&cell];
                for area in self.areas.values_mut().filter(|area| **area == from) {
                    *area = to;
                }
                left -= 1;
            }
        }
    }

    fn text(&self) -> String {
        let grid = |(rows, columns): Cell, word: &dyn Fn(&Cell) -> String| -> String {
            let row = |row| (1..=columns).map(|column| word(&(row, column))).collect::<Vec<_>>().join(" ") + "\n";
            (1..=rows).map(row).collect()
        };
        let size = (self.rows, self.columns);
        let empty = || ".".to_owned();
        let mut text = grid(size, &|cell| self.signs.get(cell).cloned().unwrap_or_else(empty));
        if !self.areas.is_empty() {
            text += &format!("\narea\n{}", grid(size, &|cell| self.areas[cell].to_string()));
        }
        if !self.between.is_empty() {
            let size = (2 * self.rows - 1, 2 * self.columns - 1);
            let signs = grid(size, &|cell| self.between.get(cell).cloned().unwrap_or_else(empty));
            text += &format!("\nbetween\n{signs}");
        }
        text
    }
}

fn neighbours((row, column): Cell) -> [Cell; 4] {
    [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
}

/// The connected components of a set of cells.
fn components(cells: &Cells) -> Vec<Cells> {
    let mut left = cells.clone();
    let mut found = Vec::new();
    while let Some(first) = left.pop_first() {
        let (mut component, mut open) = (Cells::from([first]), vec![first]);
        while let Some(cell) = open.pop() {
            for other in neighbours(cell).into_iter().filter(|other| left.remove(other)) {
                component.insert(other);
                open.push(other);
            }
        }
        found.push(component);
    }
    found
}

fn is_connected(cells: &Cells) -> bool {
    components(cells).len() < 2
}

fn touch(cells: &Cells) -> bool {
    cells.iter().any(|&cell| neighbours(cell).iter().any(|other| cells.contains(other)))
}

fn has_block(cells: &Cells) -> bool {
    cells.iter().any(|&(row, column)| {
        [(row, column + 1), (row + 1, column), (row + 1, column + 1)].iter().all(|cell| cells.contains(cell))
    })
}

/// Returns true if each number counts the cells of its area that are in `cells`.
fn numbers_of_areas_are_right(board: &Board, cells: &Cells) -> bool {
    board.numbers().all(|(cell, number)| board.area(board.areas[&cell]).intersection(cells).count() == number)
}

fn heyawake(board: &Board, shaded: &Cells) -> bool {
    let crosses_two = |line: &Vec<Cell>| {
        let runs = line.split(|cell| shaded.contains(cell));
        runs.map(|run| run.windows(2).filter(|pair| board.areas[&pair[0]] != board.areas[&pair[1]]).count())
            .any(|borders| borders > 1)
    };
    !touch(shaded)
        && is_connected(&(&board.cells() - shaded))
        && numbers_of_areas_are_right(board, shaded)
        && !board.lines().iter().any(crosses_two)
}

fn hitori(board: &Board, shaded: &Cells) -> bool {
    let differ = |line: &Vec<Cell>| {
        let seen: Vec<&String> =
            line.iter().filter(|cell| !shaded.contains(cell)).map(|cell| &board.signs[cell]).collect();
        seen.iter().collect::<BTreeSet<_>>().len() == seen.len()
    };
    !touch(shaded) && is_connected(&(&board.cells() - shaded)) && board.lines().iter().all(differ)
}

fn norinori(board: &Board, shaded: &Cells) -> bool {
    board.all_areas().iter().all(|area| area.intersection(shaded).count() == 2)
        && components(shaded).iter().all(|component| component.len() == 2)
}

fn nurikabe(board: &Board, shaded: &Cells) -> bool {
    let is_island = |island: &Cells| {
        let mut signs = island.iter().filter_map(|cell| board.signs.get(cell));
        match (signs.next(), signs.next()) {
            (Some(sign), None) => sign == "?" || *sign == island.len().to_string(),
            _ => false,
        }
    };
    let white = &board.cells() - shaded;
    is_connected(shaded)
        && !has_block(shaded)
        && board.signs.keys().all(|cell| white.contains(cell))
        && components(&white).iter().all(is_island)
}

fn yinyang(board: &Board, black: &Cells) -> bool {
    let white = &board.cells() - black;
    let is_right = |(cell, sign): (&Cell, &String)| black.contains(cell) == (sign == "*");
    let is_good = |cells: &Cells| is_connected(cells) && !has_block(cells);
    board.signs.iter().all(is_right) && is_good(black) && is_good(&white)
}

fn kurodoko(board: &Board, shaded: &Cells) -> bool {
    let white = &board.cells() - shaded;
    let seen = |cell: Cell, (down, right): Cell| {
        (1..).take_while(|step| white.contains(&(cell.0 + step * down, cell.1 + step * right))).count()
    };
    let is_right = |(cell, number): (Cell, usize)| {
        1 + neighbours((0, 0)).map(|direction| seen(cell, direction)).iter().sum::<usize>() == number
    };
    !touch(shaded)
        && is_connected(&white)
        && board.signs.keys().all(|cell| white.contains(cell))
        && board.numbers().all(is_right)
}

fn tapa(board: &Board, shaded: &Cells) -> bool {
    let is_right = |(&(row, column), sign): (&Cell, &String)| {
        let ring = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)];
        let ring = ring.map(|(down, right)| shaded.contains(&(row + down, column + right)));
        // If the ring is rotated so that it begins with a gap, its runs are the runs of a line.
        let begin = ring.iter().position(|is_shaded| !is_shaded).unwrap_or(0);
        let line: Vec<bool> = (0..8).map(|place| ring[(begin + place) % 8]).collect();
        let mut runs: Vec<usize> =
            line.split(|is_shaded| !is_shaded).map(<[bool]>::len).filter(|&run| run > 0).collect();
        if runs.is_empty() {
            runs.push(0);
        }
        let numbers: Vec<&str> = sign.split(',').collect();
        let is_as_long = numbers.len() == runs.len();
        let mut known = numbers.iter().filter_map(|number| number.parse::<usize>().ok());
        let mut take = |number| runs.iter().position(|&run| run == number).map(|place| runs.swap_remove(place));
        is_as_long && known.all(|number| take(number).is_some())
    };
    is_connected(shaded)
        && !has_block(shaded)
        && !board.signs.keys().any(|cell| shaded.contains(cell))
        && board.signs.iter().all(is_right)
}

/// The smallest of all rotated, reflected and moved copies of a set of cells.
fn shape(cells: &Cells) -> Vec<Cell> {
    let turned = (0..8).map(|symmetry| {
        let turn = |&(row, column): &Cell| {
            let (row, column) = if symmetry & 1 > 0 { (column, row) } else { (row, column) };
            (if symmetry & 2 > 0 { -row } else { row }, if symmetry & 4 > 0 { -column } else { column })
        };
        let turned: Vec<Cell> = cells.iter().map(turn).collect();
        let least = |of: fn(&Cell) -> i32| turned.iter().map(of).min().expect("a cell");
        let (top, left) = (least(|cell| cell.0), least(|cell| cell.1));
        let mut moved: Vec<Cell> = turned.iter().map(|(row, column)| (row - top, column - left)).collect();
        moved.sort_unstable();
        moved
    });
    turned.min().expect("eight symmetries")
}

fn lits(board: &Board, shaded: &Cells) -> bool {
    let pieces: Vec<Cells> = board.all_areas().iter().map(|area| area & shaded).collect();
    let are_beside =
        |one: &Cells, other: &Cells| one.iter().any(|&cell| neighbours(cell).iter().any(|cell| other.contains(cell)));
    pieces.iter().all(|piece| piece.len() == 4 && is_connected(piece))
        && is_connected(shaded)
        && !has_block(shaded)
        && pieces.iter().enumerate().all(|(number, one)| {
            pieces[..number].iter().all(|other| !are_beside(one, other) || shape(one) != shape(other))
        })
}

fn starbattle(board: &Board, stars: &Cells) -> bool {
    let are_apart = |one: &Cell, other: &Cell| (one.0 - other.0).abs().max((one.1 - other.1).abs()) > 1;
    let has_one = |cells: Cells| cells.intersection(stars).count() == 1;
    board.lines().into_iter().map(|line| line.into_iter().collect()).chain(board.all_areas()).all(has_one)
        && stars.iter().all(|one| stars.iter().all(|other| one == other || are_apart(one, other)))
}

fn akari(board: &Board, bulbs: &Cells) -> bool {
    let is_white = |cell: &Cell| board.cells().contains(cell) && !board.signs.contains_key(cell);
    let lit_by = |cell: Cell| {
        let ray = move |(down, right): Cell| (1..).map(move |step| (cell.0 + step * down, cell.1 + step * right));
        neighbours((0, 0)).into_iter().flat_map(move |direction| ray(direction).take_while(is_white))
    };
    let bulbs_beside = |cell: Cell| neighbours(cell).iter().filter(|other| bulbs.contains(other)).count();
    bulbs.iter().all(|bulb| is_white(bulb) && !lit_by(*bulb).any(|cell| bulbs.contains(&cell)))
        && board
            .cells()
            .iter()
            .filter(|cell| is_white(cell))
            .all(|&cell| bulbs.contains(&cell) || lit_by(cell).any(|other| bulbs.contains(&other)))
        && board.numbers().all(|(cell, number)| bulbs_beside(cell) == number)
}

/// The atoms of one predicate in each answer of the encoding.
fn solutions(puzzle: &str, board: &Board, predicate: &str) -> BTreeSet<BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("asp");
    let files = &registry().by_name(puzzle).expect("a built-in puzzle").about().encodings[0].files;
    let read = |path: &str| Document::in_memory(path, std::fs::read_to_string(root.join(path)).expect("an encoding"));
    let text = Document::in_memory("board", board.text());
    let facts = LogicPuzzle::named(puzzle).and_then(|logic| logic.facts_from(&text)).expect("a board");
    let program = Program {
        instance: vec![Document::in_memory("board", facts)],
        encoding: files.iter().map(|file| read(&file.path)).collect(),
        ..Program::default()
    };
    let settings = Settings { models: Some(0), options: vec!["--project=show".to_owned()], ..Settings::default() };
    let mut solver = Solver::with_program(&program, &settings, &CancelToken::new()).expect("a program that grounds");
    let (mut found, mut count) = (BTreeSet::new(), 0);
    solver
        .solve(&[], |model| {
            let atoms = model.shown(Order::AsFound).expect("a model").map(to_text);
            found.insert(atoms.filter(|atom| atom.split('(').next() == Some(predicate)).collect());
            count += 1;
            ControlFlow::Continue(())
        })
        .expect("clingo solves");
    assert_eq!(found.len(), count, "{puzzle}: one answer for each solution\n{}", board.text());
    found
}

/// Compares the encoding with `rule` on random boards; returns how many boards have solutions, and
/// how many have several.
fn compare<S>(
    puzzle: &str,
    size: (i32, i32),
    fill: impl Fn(&mut Rng, &mut Board),
    candidates: &[S],
    rule: impl Fn(&Board, &S) -> bool,
    predicate: &str,
    atoms: impl Fn(&S) -> BTreeSet<String>,
) -> [usize; 2] {
    let (mut solvable, mut ambiguous) = (0, 0);
    for seed in extent::seeds(40) {
        let mut board = Board { rows: size.0, columns: size.1, ..Board::default() };
        fill(&mut Rng::with_seed(seed), &mut board);
        let expected: BTreeSet<_> = candidates.iter().filter(|&one| rule(&board, one)).map(&atoms).collect();
        solvable += usize::from(!expected.is_empty());
        ambiguous += usize::from(expected.len() > 1);
        assert_eq!(solutions(puzzle, &board, predicate), expected, "{puzzle}, seed {seed}\n{}", board.text());
    }
    // Few random boards of some puzzles have a solution.
    let is_rare = ["hitori", "simpleloop", "starbattle"].contains(&puzzle);
    extent::expect_counts([(puzzle, solvable, usize::from(!is_rare))]);
    [solvable, ambiguous]
}

#[test]
fn encodings_find_all_sets_of_cells_that_obey_the_rules() {
    type Fill = fn(&mut Rng, &mut Board);
    type Rule = fn(&Board, &Cells) -> bool;
    let puzzles: [(&str, Cell, &str, Fill, Rule); 10] = [
        (
            "heyawake",
            (3, 4),
            "shaded",
            |random, board| {
                let count = random.usize(2..7);
                board.divide(random, count);
                for area in board.all_areas() {
                    if random.f64() < 0.4 {
                        board.signs.insert(*area.first().expect("a cell"), random.u8(0..3).to_string());
                    }
                }
            },
            heyawake,
        ),
        ("hitori", (3, 4), "shaded", |random, board| board.write(random, 1.0, &["1", "2", "3", "4"]), hitori),
        (
            "norinori",
            (4, 3),
            "shaded",
            |random, board| {
                let count = random.usize(1..4);
                board.divide(random, count);
            },
            norinori,
        ),
        ("nurikabe", (3, 4), "shaded", |random, board| board.write(random, 0.2, &["1", "2", "3", "?"]), nurikabe),
        ("yinyang", (4, 3), "black", |random, board| board.write(random, 0.2, &["o", "*"]), yinyang),
        ("kurodoko", (3, 4), "shaded", |random, board| board.write(random, 0.15, &["2", "3", "4", "5", "?"]), kurodoko),
        (
            "tapa",
            (4, 3),
            "shaded",
            |random, board| {
                board.write(random, 0.15, &["1", "2", "3", "5", "0", "1,1", "1,2", "1,?", "?,?", "1,1,1"]);
            },
            tapa,
        ),
        (
            "lits",
            (4, 3),
            "shaded",
            |random, board| {
                let count = random.usize(1..3);
                board.divide(random, count);
            },
            lits,
        ),
        ("starbattle", (4, 4), "star", |random, board| board.divide(random, 4), starbattle),
        ("akari", (3, 4), "bulb", |random, board| board.write(random, 0.25, &["#", "#", "0", "1", "2"]), akari),
    ];
    let mut found = [0, 0];
    for (puzzle, size, predicate, fill, rule) in puzzles {
        let cells: Vec<Cell> =
            Board { rows: size.0, columns: size.1, ..Board::default() }.cells().into_iter().collect();
        let set = |bits: u32| {
            cells.iter().enumerate().filter(|(place, _)| bits >> place & 1 > 0).map(|(_, &cell)| cell).collect()
        };
        let sets: Vec<Cells> = (0..1 << cells.len()).map(set).collect();
        let atoms = |set: &Cells| set.iter().map(|(row, column)| format!("{predicate}({row},{column})")).collect();
        let [solvable, ambiguous] = compare(puzzle, size, fill, &sets, rule, predicate, atoms);
        found[0] += solvable;
        found[1] += ambiguous;
    }
    extent::expect_counts([("solvable", found[0], 100), ("with several solutions", found[1], 50)]);
}

/// A loop through points of a grid, as a set of edges, each from its left or upper point.
type Loop = BTreeSet<(Cell, Cell)>;

/// All loops through points of a grid.
fn loops(rows: i32, columns: i32) -> Vec<Loop> {
    let points = Board { rows, columns, ..Board::default() }.cells();
    let beyond = |&(row, column): &Cell| [(row, column + 1), (row + 1, column)];
    let edges: Vec<(Cell, Cell)> = points
        .iter()
        .flat_map(|point| beyond(point).map(|other| (*point, other)))
        .filter(|(_, other)| points.contains(other))
        .collect();
    let at = |point: &Cell| {
        let bits = edges.iter().enumerate().filter(|(_, edge)| edge.0 == *point || edge.1 == *point);
        bits.map(|(place, _)| 1_u32 << place).sum::<u32>()
    };
    let at_points: Vec<u32> = points.iter().map(at).collect();
    let is_even = |bits: &u32| at_points.iter().all(|at| matches!((bits & at).count_ones(), 0 | 2));
    // All edges are reached from the first one.
    let is_one = |bits: &u32| {
        let mut reached = 1 << bits.trailing_zeros();
        for _ in 0..edges.len() {
            reached |= at_points.iter().filter(|&at| at & reached > 0).fold(0, |all, at| all | at & bits);
        }
        reached == *bits
    };
    let of_bits = |bits: u32| {
        edges.iter().enumerate().filter(|(place, _)| bits >> place & 1 > 0).map(|(_, &edge)| edge).collect()
    };
    (1..1 << edges.len()).filter(is_even).filter(is_one).map(of_bits).collect()
}

/// The neighbours of a point on the loop.
fn joined(path: &Loop, point: Cell) -> Vec<Cell> {
    neighbours(point).into_iter().filter(|&other| path.contains(&(point.min(other), point.max(other)))).collect()
}

fn visited(path: &Loop) -> Cells {
    path.iter().flat_map(|edge| [edge.0, edge.1]).collect()
}

fn slither(board: &Board, path: &Loop) -> bool {
    board.numbers().all(|((row, column), number)| {
        let [a, b, c, d] = [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)];
        [(a, b), (a, c), (b, d), (c, d)].iter().filter(|edge| path.contains(edge)).count() == number
    })
}

fn masyu(board: &Board, path: &Loop) -> bool {
    let is_straight = |point: Cell| match joined(path, point)[..] {
        [one, other] => one.0 == other.0 || one.1 == other.1,
        _ => false,
    };
    board.signs.iter().all(|(&cell, sign)| {
        let ends = joined(path, cell);
        let straight_ends = ends.iter().filter(|&&end| is_straight(end)).count();
        match sign.as_str() {
            "o" => is_straight(cell) && straight_ends < 2,
            _ => ends.len() == 2 && !is_straight(cell) && straight_ends == 2,
        }
    })
}

fn simpleloop(board: &Board, path: &Loop) -> bool {
    let open: Cells = board.cells().into_iter().filter(|cell| !board.signs.contains_key(cell)).collect();
    visited(path) == open
}

fn country(board: &Board, path: &Loop) -> bool {
    let on_loop = visited(path);
    let border = |one: Cell, other: Cell| board.areas.get(&other).is_some_and(|&area| area != board.areas[&one]);
    let areas = board.all_areas();
    let visits = |area: &Cells| path.iter().filter(|(one, other)| area.contains(one) != area.contains(other)).count();
    (areas.len() == 1 || areas.iter().all(|area| visits(area) == 2))
        && numbers_of_areas_are_right(board, &on_loop)
        && board.cells().into_iter().all(|cell| {
            on_loop.contains(&cell)
                || neighbours(cell).into_iter().all(|other| !border(cell, other) || on_loop.contains(&other))
        })
}

#[test]
fn encodings_find_all_loops_that_obey_the_rules() {
    type Fill = fn(&mut Rng, &mut Board);
    type Rule = fn(&Board, &Loop) -> bool;
    let loops = loops(4, 4);
    assert_eq!(loops.len(), 213, "the number of loops in a grid of 4 by 4 points");
    let puzzles: [(&str, Cell, &str, Fill, Rule); 4] = [
        ("slither", (3, 3), "edge", |random, board| board.write(random, 0.35, &["0", "1", "2", "3", "?"]), slither),
        ("masyu", (4, 4), "line", |random, board| board.write(random, 0.2, &["o", "*"]), masyu),
        ("simpleloop", (4, 4), "line", |random, board| board.write(random, 0.15, &["#"]), simpleloop),
        (
            "country",
            (4, 4),
            "line",
            |random, board| {
                let count = random.usize(1..6);
                board.divide(random, count);
                for area in board.all_areas() {
                    if random.f64() < 0.2 {
                        board.signs.insert(*area.first().expect("a cell"), random.u8(1..6).to_string());
                    }
                }
            },
            country,
        ),
    ];
    let mut found = [0, 0];
    for (puzzle, size, predicate, fill, rule) in puzzles {
        let atom = |((row, column), (other_row, other_column)): &(Cell, Cell)| {
            format!("{predicate}({row},{column},{other_row},{other_column})")
        };
        let atoms = |path: &Loop| path.iter().map(atom).collect();
        let [solvable, ambiguous] = compare(puzzle, size, fill, &loops, rule, predicate, atoms);
        found[0] += solvable;
        found[1] += ambiguous;
    }
    extent::expect_counts([("solvable", found[0], 35), ("with several solutions", found[1], 20)]);
}

/// Numbers by cell.
type Numbers = BTreeMap<Cell, i32>;

/// All Latin squares.
fn squares(side: i32) -> Vec<Numbers> {
    let mut squares = vec![Numbers::new()];
    for cell @ (row, column) in (Board { rows: side, columns: side, ..Board::default() }).cells() {
        let with = |square: &Numbers| -> Vec<Numbers> {
            let is_free = |number: &i32| {
                !square.iter().any(|(other, known)| known == number && (other.0 == row || other.1 == column))
            };
            let next = |number| square.iter().map(|(&cell, &known)| (cell, known)).chain([(cell, number)]).collect();
            (1..=side).filter(is_free).map(next).collect()
        };
        squares = squares.iter().flat_map(with).collect();
    }
    squares
}

fn minarism(board: &Board, square: &Numbers) -> bool {
    let is_right = |(&(y, x), sign): (&Cell, &String)| {
        let [first, second] = [((y + 1) / 2, (x + 1) / 2), (y / 2 + 1, x / 2 + 1)].map(|cell| square[&cell]);
        match sign.as_str() {
            "?" => true,
            "<" | "^" => first < second,
            ">" | "v" => first > second,
            number => (first - second).to_string().trim_start_matches('-') == number,
        }
    };
    board.signs.iter().all(|(cell, sign)| square[cell].to_string() == *sign) && board.between.iter().all(is_right)
}

#[test]
fn the_encoding_finds_all_numbers_that_obey_the_signs_between_them() {
    let mut found = [0, 0];
    for side in [2, 3] {
        let fill = |random: &mut Rng, board: &mut Board| {
            board.write(random, 0.1, &["1", "2"]);
            let cells = (1..2 * side).flat_map(|y| (1..2 * side).map(move |x| (y, x)));
            for (y, x) in cells.filter(|(y, x)| (y + x) % 2 == 1) {
                // Signs that point across their border, and others.
                let signs = if y % 2 == 1 { ["<", ">", "1", "2", "?"] } else { ["^", "v", "1", "?", "<"] };
                if random.f64() < 0.3 {
                    board.between.insert((y, x), random.choice(signs).expect("a sign").to_owned());
                }
            }
        };
        let atoms = |square: &Numbers| {
            square.iter().map(|((row, column), number)| format!("number({row},{column},{number})")).collect()
        };
        let [solvable, ambiguous] = compare("minarism", (side, side), fill, &squares(side), minarism, "number", atoms);
        found[0] += solvable;
        found[1] += ambiguous;
    }
    extent::expect_counts([("solvable", found[0], 20), ("with several solutions", found[1], 5)]);
}

/// A rectangle: its first and last row, and its first and last column.
type Rectangle = (Cell, Cell);

/// All ways to divide a board into rectangles.
fn divisions(board: &Board) -> Vec<Vec<Rectangle>> {
    fn divide(board: &Board, free: &Cells, chosen: &mut Vec<Rectangle>, all: &mut Vec<Vec<Rectangle>>) {
        let Some(&(row, column)) = free.first() else { return all.push(chosen.clone()) };
        for last_row in row..=board.rows {
            for last_column in column..=board.columns {
                let rectangle = ((row, last_row), (column, last_column));
                let cells = cells_of(&rectangle);
                if cells.is_subset(free) {
                    chosen.push(rectangle);
                    divide(board, &(free - &cells), chosen, all);
                    chosen.pop();
                }
            }
        }
    }
    let mut all = Vec::new();
    divide(board, &board.cells(), &mut Vec::new(), &mut all);
    all
}

fn cells_of(((first, last), (left, right)): &Rectangle) -> Cells {
    (*first..=*last).flat_map(|row| (*left..=*right).map(move |column| (row, column))).collect()
}

fn tatamibari(board: &Board, division: &[Rectangle]) -> bool {
    let is_right = |rectangle: &Rectangle| {
        let ((first, last), (left, right)) = rectangle;
        let (height, width) = (last - first, right - left);
        let cells = cells_of(rectangle);
        let signs: Vec<&str> = cells.iter().filter_map(|cell| board.signs.get(cell)).map(String::as_str).collect();
        match signs[..] {
            ["?"] => true,
            ["+"] => height == width,
            ["="] => height < width,
            ["|"] => height > width,
            _ => false,
        }
    };
    // Four rectangles meet if the four cells around a corner are in different rectangles.
    let of_cell = |cell: Cell| division.iter().position(|rectangle| cells_of(rectangle).contains(&cell));
    let meet_at = |&(row, column): &Cell| {
        let around = [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)];
        row < board.rows
            && column < board.columns
            && around.map(of_cell).into_iter().collect::<BTreeSet<_>>().len() == 4
    };
    division.iter().all(is_right) && !board.cells().iter().any(meet_at)
}

#[test]
fn the_encoding_finds_all_divisions_that_obey_the_signs() {
    let size = (3, 4);
    let empty = Board { rows: size.0, columns: size.1, ..Board::default() };
    let fill = |random: &mut Rng, board: &mut Board| board.write(random, 0.25, &["+", "=", "|", "?"]);
    let atoms = |division: &Vec<Rectangle>| {
        let rooms: Vec<Cells> = division.iter().map(cells_of).collect();
        let is_apart = |one: &Cell, other: &Cell| !rooms.iter().any(|room| room.contains(one) && room.contains(other));
        let pairs = empty
            .cells()
            .into_iter()
            .flat_map(|(row, column)| [(row, column + 1), (row + 1, column)].map(|other| ((row, column), other)));
        let pairs = pairs.filter(|(one, other)| empty.cells().contains(other) && is_apart(one, other));
        pairs.map(|(one, other)| format!("border({},{},{},{})", one.0, one.1, other.0, other.1)).collect()
    };
    let found = compare(
        "tatamibari",
        size,
        fill,
        &divisions(&empty),
        |board, division| tatamibari(board, division),
        "border",
        atoms,
    );
    extent::expect_counts([("solvable", found[0], 3)]);
}
