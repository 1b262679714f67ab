//! `why` blames the same smallest set of clues of an impossible board in every notation.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use asp::{Settings, Solver};
use base::document::Document;
use base::stop::CancelToken;
use pencil::board::{ClueGrid, GridBoard};
use serde_json::Value;

use super::types::{PuzzleFile, puzzles};
use crate::support::{file, folder, run, run_with_input};

/// Boards with more clues have too many sets of them.
const MAX_CLUES: usize = 7;

/// Runs `why` and returns the words of the cause and its texts, both sorted, and whether the cause
/// is proven to be smallest.
fn cause(arguments: &[&str], input: &str) -> (Vec<String>, Vec<String>, bool) {
    let line = format!("why {} --blame facts -f json", arguments.join(" "));
    let ran = run_with_input(&line, input);
    assert!(ran.code < 2, "{line}: {}\n{input}", ran.err);
    let value = ran.json();
    let parts = value["causes"][0].as_array().cloned().unwrap_or_default();
    let strings = |key: &str| -> Vec<String> {
        let mut all: Vec<String> = parts.iter().filter_map(|part| Some(part[key].as_str()?.to_owned())).collect();
        all.sort();
        all
    };
    (strings("words"), strings("text"), value["smallest"] == Value::Bool(true))
}

#[test]
fn the_shape_of_a_board_in_facts_is_not_blamed() {
    let minarism = "rows(4). columns(4).\nsign(4,3,2).\nbetween(1,4,3). between(3,2,\">\"). between(4,7,3). \
                    between(6,1,3). between(5,6,\">\"). between(6,7,\">\").\n";
    let size = "rows(2). columns(2).\nbetween(1,2,\"<\"). between(3,2,\"<\").\n";
    let paintarea = "rows(4). columns(2).\nsign(1,2,1). sign(2,2,0).\narea(1,1,b). area(1,2,c). area(2,1,c). \
                     area(2,2,c). area(3,1,a). area(3,2,e). area(4,1,d). area(4,2,e).\n";
    for (name, facts, len) in [("minarism", minarism, 3), ("minarism", size, 2), ("paintarea", paintarea, 1)] {
        let (_, texts, is_smallest) = cause(&["-", "-p", name], facts);
        assert_eq!((texts.len(), is_smallest), (len, true), "{texts:?}");
        let is_shape = |text: &String| ["rows(", "columns(", "area("].iter().any(|name| text.starts_with(name));
        assert!(!texts.iter().any(is_shape), "{texts:?}");
        let ran = run_with_input(&format!("why - -p {name} --blame facts,rows/1"), facts);
        assert!(ran.code == 2 && ran.err.contains("rows/1 is the shape of the board"), "{}", ran.err);
    }
}

fn grids(board: &mut GridBoard) -> Vec<&mut ClueGrid> {
    let around = board.around.iter_mut();
    let grids = [&mut board.signs].into_iter().chain(around).chain(board.grids.values_mut());
    grids.filter(|grid| !grid.is_empty()).collect()
}

/// Returns true if there is a solution with the clues, lines of facts, that `is_kept` selects.
/// The other clues may hold or not, because some rules take a cell without a clue for empty.
fn has_solution(puzzle: &PuzzleFile, lines: &[&str], is_kept: impl Fn(usize) -> bool) -> bool {
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let facts = line.trim_end_matches('.').split(". ");
        for fact in facts {
            text += &if is_kept(number) { format!("{fact}.\n") } else { format!("{{ {fact} }}.\n") };
            if !is_shape(line) {
                text += &format!("__asp_solve_fact(0,{fact}).\n");
            }
        }
    }
    let settings = Settings { models: Some(1), ..Settings::default() };
    let mut solver = Solver::with_program(&puzzle.program(&text), &settings, &CancelToken::new())
        .unwrap_or_else(|failure| panic!("{}: {failure}\n{text}", puzzle.name));
    let solved = solver.solve(&[], |_| ControlFlow::Break(())).expect("clingo solves");
    solved.result.satisfiable
}

fn is_shape(line: &str) -> bool {
    ["rows(", "wall(", "area("].iter().any(|name| line.starts_with(name))
}

/// A board without a solution and with few clues: some signs are copied over others, and clues
/// that the contradiction does not need are removed.
fn impossible_board(puzzle: &PuzzleFile, random: &mut fastrand::Rng) -> Option<GridBoard> {
    let mut board = puzzle.board();
    for _ in 0..random.usize(1..4) {
        let mut grids = grids(&mut board);
        let grid = random.choice(0..grids.len()).map(|number| &mut *grids[number])?;
        let signs: Vec<_> = grid.values().cloned().collect();
        let cells: Vec<_> = grid.keys().copied().collect();
        grid.insert(*random.choice(&cells)?, random.choice(&signs)?.clone());
    }
    let facts = board.facts();
    let lines: Vec<&str> = facts.lines().collect();
    if has_solution(puzzle, &lines, |_| true) {
        return None;
    }
    let mut clues: Vec<usize> = (0..lines.len()).filter(|&number| !is_shape(lines[number])).collect();
    random.shuffle(&mut clues);
    let mut kept: BTreeSet<usize> = clues.iter().copied().collect();
    for number in clues {
        if kept.len() <= MAX_CLUES {
            break;
        }
        kept.remove(&number);
        if has_solution(puzzle, &lines, |number| is_shape(lines[number]) || kept.contains(&number)) {
            kept.insert(number);
        }
    }
    let mut numbers = 0..;
    let mut is_kept = || numbers.next().is_some_and(|number| is_shape(lines[number]) || kept.contains(&number));
    // The lines of a board's facts are in the order of its parts.
    let mut thin = board.clone();
    let mut clues = Vec::new();
    board.facts_with_clues(|clue| clues.push((clue, is_kept())));
    for (clue, _) in clues.into_iter().filter(|(_, is_kept)| !is_kept) {
        use pencil::board::ClueLocation;
        match clue? {
            ClueLocation::Cell(cell) => _ = thin.signs.remove(&cell),
            ClueLocation::Header(name, words) => _ = thin.header.remove(&(name, words)),
            ClueLocation::Named(name, place) => {
                let side = ["left", "right", "top", "bottom"].iter().position(|side| **side == name);
                match side {
                    Some(side) => thin.around[side].remove(&place),
                    None => thin.grids.get_mut(&name)?.remove(&place),
                };
            }
            ClueLocation::Mark(_) => return None,
        }
    }
    // A clue that is removed from within a list moves the others, which gives another board.
    let text = GridBoard { puzzle: Some(puzzle.name.clone()), ..thin.clone() }.text();
    let again = GridBoard::read(&Document::in_memory("thin", text)).ok()?;
    let clues = thin.facts().lines().filter(|line| !is_shape(line)).count();
    let is_same = again.facts() == thin.facts() && (2..=MAX_CLUES).contains(&clues);
    is_same.then_some(thin)
}

/// All subsets of `numbers` with `len` elements.
fn subsets(numbers: &[usize], len: usize) -> Vec<BTreeSet<usize>> {
    let all = 0_u32..1 << numbers.len();
    let set = |bits: u32| (0..numbers.len()).filter(|at| bits >> at & 1 > 0).map(|at| numbers[at]).collect();
    all.filter(|bits| bits.count_ones() as usize == len).map(set).collect()
}

/// Compares the causes of one impossible board in all notations with brute force. Returns false if
/// no such board was found.
fn compare(puzzle: &PuzzleFile, random: &mut fastrand::Rng, wrong: &mut Vec<String>) -> bool {
    let Some(board) = (0..10).find_map(|_| impossible_board(puzzle, random)) else { return false };
    let facts = board.facts();
    let lines: Vec<&str> = facts.lines().collect();
    let clues: Vec<usize> = (0..lines.len()).filter(|&number| !is_shape(lines[number])).collect();
    if has_solution(puzzle, &lines, |_| true) {
        // Some rules take a cell without a clue for empty; `impossible_board` left it open.
        return false;
    }
    let folder = folder();
    let text = GridBoard { puzzle: Some(puzzle.name.clone()), ..board.clone() }.text();
    let (words, texts, is_smallest) = cause(&["-", "-p", &puzzle.name], &facts);
    let mut report = |what: &str| wrong.push(format!("{}: {what}: {texts:?}\n{text}\n{facts}", puzzle.name));
    let as_text = cause(&["-", "-p", &puzzle.name], &text);
    if (&as_text.0, as_text.2) != (&words, is_smallest) {
        report(&format!("as text {as_text:?}"));
    }
    let path = file(folder.path(), "board.lp", &facts);
    let link = run(["-f".as_ref(), "url".as_ref(), "-p".as_ref(), puzzle.name.as_ref(), path.as_os_str()]);
    if link.code == 0 {
        let as_link = cause(&["-", "-p", &puzzle.name], &link.out);
        if (&as_link.0, as_link.2) != (&words, is_smallest) {
            report(&format!("as the link {} {as_link:?}", link.out.trim()));
        }
    }
    let is_of_cause = |number: usize| texts.iter().any(|text| lines[number].starts_with(&format!("{text}.")));
    if texts.is_empty() {
        // An empty cause means that there is no solution without clues either.
        if has_solution(puzzle, &lines, |number| is_shape(lines[number])) {
            report("there is a solution without clues");
        }
        return true;
    }
    if clues.iter().filter(|&&number| is_of_cause(number)).count() != texts.len() {
        report("not clues of the board");
    }
    if has_solution(puzzle, &lines, |number| is_shape(lines[number]) || is_of_cause(number)) {
        report("there is a solution with the cause");
    }
    let fewer = (0..texts.len()).flat_map(|len| subsets(&clues, len));
    for set in fewer.filter(|_| is_smallest) {
        if !has_solution(puzzle, &lines, |number| is_shape(lines[number]) || set.contains(&number)) {
            let smaller: Vec<&str> = set.iter().map(|&number| lines[number]).collect();
            report(&format!("a smaller cause is {smaller:?}"));
            break;
        }
    }
    true
}

fn check_causes_in_all_notations(types: usize) {
    let seed = crate::support::extent::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut puzzles, mut wrong, mut compared) = (puzzles(), Vec::new(), 0);
    random.shuffle(&mut puzzles);
    for puzzle in &puzzles {
        compared += usize::from(compare(puzzle, &mut random, &mut wrong));
        if compared == types {
            break;
        }
    }
    assert!(wrong.is_empty(), "seed {seed}:\n{}", wrong.join("\n"));
    assert!(compared >= types.min(60), "seed {seed}: {compared} boards");
}

#[test]
fn causes_are_smallest_and_equal_in_text_facts_and_links() {
    check_causes_in_all_notations(crate::support::extent::sample_size(6));
}

mod campaign {
    #[test]
    #[ignore = "takes minutes"]
    fn causes_of_impossible_boards_of_all_types_are_smallest() {
        super::check_causes_in_all_notations(usize::MAX);
    }
}
