//! Explains why no goal can be reached: by the remainders of reachable numbers, or else by listing
//! all reachable numbers.
//!
//! If moves are sums, differences and products, the remainder of a number determines the remainder
//! of the next one, and there are few remainders. From 1, the moves n + 3 and 4·n only reach
//! numbers with remainder 1 modulo 3, so 42, with remainder 0, is unreachable. If no divisor gives
//! such a proof, the explanation lists the reachable numbers. There are finitely many of them,
//! since the search has proven the goal unreachable.

use std::collections::BTreeSet;

use base::diagnostic::Failure;
use base::stop::CancelToken;
use explain::{Part, PartKind};
use puzzle::native::{PathProof, count};
use puzzle::one_player::ExplainBoard;

use super::Game;
use super::board::Board;

/// The largest divisor to try.
const MAX_DIVISOR: u64 = 60;
/// Maximum number of numbers to explore.
const MAX_EXPLORED: usize = 100_000;
/// A set of remainders is checked for the numbers up to this one.
const MAX_CHECKED: u64 = 1000;
/// Maximum number of numbers to list.
const MAX_LISTED: usize = 20;

impl ExplainBoard<Game> for Game {
    fn explain_unsolvable(&self, board: &Board, _: &CancelToken) -> Result<Option<PathProof>, Failure> {
        let parts = parts(board);
        Ok((!parts.is_empty()).then(|| PathProof::unsolvable(None, parts, false)))
    }
}

/// Explains a game whose goals cannot be reached. The list is empty if neither method succeeds.
fn parts(board: &Board) -> Vec<Part> {
    let goals = list(board.goals.iter().copied());
    let proof_for = |divisor| {
        let reached = reachable_remainders(board, divisor)?;
        let is_reached = |number: u64| reached.contains(&(number % divisor));
        is_closed_under_moves(board, (1..=MAX_CHECKED).filter(|&number| is_reached(number)), is_reached)
            .then_some((divisor, reached))
    };
    if let Some((divisor, remainders)) = (2..=MAX_DIVISOR).find_map(proof_for) {
        let goal_remainders: BTreeSet<u64> = board.goals.iter().map(|goal| goal % divisor).collect();
        let closed = format!(
            "divided by {divisor}, the start {} leaves remainder {}, and the moves lead only to numbers with remainder {}",
            board.start,
            board.start % divisor,
            list(remainders.iter().copied())
        );
        let goal = format!("{goals} leaves remainder {}", list(goal_remainders.into_iter()));
        return vec![Part::new(PartKind::Rule, "the moves", closed), Part::new(PartKind::Fact, goals, goal)];
    }
    let never_decreases = board.moves.iter().all(|expression| expression.growth().is_some());
    let last = board.goals.last().copied().unwrap_or(0);
    let is_closed = |reached: &BTreeSet<u64>| {
        is_closed_under_moves(board, reached.iter().copied(), |number| {
            reached.contains(&number) || never_decreases && number > last
        })
    };
    let Some(numbers) = reachable(board, never_decreases).filter(is_closed) else { return Vec::new() };
    let mut parts = Vec::new();
    if never_decreases {
        let words = format!("no move leads to a smaller number, so that nothing above {last} leads to a goal");
        parts.push(Part::new(PartKind::Rule, "the moves", words));
    }
    let up_to = if never_decreases { format!(" up to {last}") } else { String::new() };
    let listed = list(numbers.iter().copied().take(MAX_LISTED));
    let more = if numbers.len() > MAX_LISTED { ", …" } else { "" };
    let found = count(numbers.len() as u64, "number", "numbers");
    let words = format!("the moves reach {found}{up_to}: {listed}{more}; no goal is among them");
    parts.push(Part::new(PartKind::Fact, format!("{} to {goals}", board.start), words));
    parts
}

fn list(numbers: impl Iterator<Item = u64>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns true if every move from one of `numbers` leads to a number that satisfies `is_reached`.
/// Uses the independent evaluator to check an explanation before it is printed.
fn is_closed_under_moves(
    board: &Board,
    mut numbers: impl Iterator<Item = u64>,
    is_reached: impl Fn(u64) -> bool,
) -> bool {
    numbers.all(|number| board.postfix_moves.iter().all(|postfix| postfix.apply(number).is_none_or(&is_reached)))
}

/// Returns the remainders of all reachable numbers if no goal has one of them.
fn reachable_remainders(board: &Board, divisor: u64) -> Option<BTreeSet<u64>> {
    let (mut reached, mut open) = (BTreeSet::from([board.start % divisor]), vec![board.start % divisor]);
    while let Some(remainder) = open.pop() {
        for expression in board.moves.iter() {
            let next = expression.remainder(remainder, divisor)?;
            open.extend(reached.insert(next).then_some(next));
        }
    }
    board.goals.iter().all(|goal| !reached.contains(&(goal % divisor))).then_some(reached)
}

/// Returns all reachable numbers, or those up to the last goal if no move decreases a number.
/// `None` if there are too many, or one is too large.
fn reachable(board: &Board, never_decreases: bool) -> Option<BTreeSet<u64>> {
    let last = board.goals.last().copied().unwrap_or(0);
    let (mut reached, mut open) = (BTreeSet::from([board.start]), vec![board.start]);
    while let Some(number) = open.pop() {
        for expression in board.moves.iter() {
            match expression.value(number) {
                Ok(Some(next)) if never_decreases && next > last => {}
                Ok(Some(next)) => open.extend(reached.insert(next).then_some(next)),
                Ok(None) => {}
                Err(_) if never_decreases => {}
                Err(_) => return None,
            }
        }
        if reached.len() > MAX_EXPLORED {
            return None;
        }
    }
    Some(reached)
}
