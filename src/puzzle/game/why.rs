//! Why no goal can be reached: the remainders that numbers leave, or else all numbers there are.
//!
//! Where moves are sums, differences and products, the remainder of a number tells that of the next one, and there are few of them. From 1
//! the moves n + 3 and 4·n lead to numbers that leave 1 by 3, forever: 42, which leaves 0, is not among them. Where no
//! remainder tells, the numbers that can be reached are told themselves; they are finitely many, or this would not be known.

use std::collections::BTreeSet;

use super::Board;
use crate::puzzle::native::count;
use crate::why::{Kind, Part};

/// Divisors that are tried.
const MOST_DIVISOR: u64 = 60;
/// Numbers that are looked at, those by which remainders are checked, and those that are told.
const LOOKED_AT: usize = 100_000;
const CHECKED: u64 = 1000;
const TOLD: usize = 20;

/// Of a game whose goals cannot be reached; nothing where neither tells.
pub fn parts(board: &Board) -> Vec<Part> {
    let part = |kind: Kind, text: String, words: String| Part { kind, text, place: None, words };
    let goals = list(board.goals.iter().copied());
    let of_divisor = |divisor| {
        let met = remainders(board, divisor)?;
        let is_met = |number: u64| met.contains(&(number % divisor));
        is_closed(board, (1..=CHECKED).filter(|&number| is_met(number)), is_met).then_some((divisor, met))
    };
    if let Some((divisor, remainders)) = (2..=MOST_DIVISOR).find_map(of_divisor) {
        let of_goals: BTreeSet<u64> = board.goals.iter().map(|goal| goal % divisor).collect();
        let closed = format!(
            "divided by {divisor} the start {} leaves {}, and the moves lead to numbers that leave {} alone",
            board.start,
            board.start % divisor,
            list(remainders.iter().copied())
        );
        let goal = format!("{goals} leaves {}", list(of_goals.into_iter()));
        return vec![part(Kind::Rule, "the moves".to_owned(), closed), part(Kind::Fact, goals, goal)];
    }
    let only_up = board.moves.iter().all(|expression| expression.growth().is_some());
    let last = board.goals.last().copied().unwrap_or(0);
    let is_all = |met: &BTreeSet<u64>| {
        is_closed(board, met.iter().copied(), |number| met.contains(&number) || only_up && number > last)
    };
    let Some(numbers) = reachable(board, only_up).filter(is_all) else { return Vec::new() };
    let mut parts = Vec::new();
    if only_up {
        let words = format!("no move leads to a smaller number, so that nothing above {last} leads to a goal");
        parts.push(part(Kind::Rule, "the moves".to_owned(), words));
    }
    let up_to = if only_up { format!(" up to {last}") } else { String::new() };
    let told = list(numbers.iter().copied().take(TOLD));
    let more = if numbers.len() > TOLD { ", …" } else { "" };
    let found = count(numbers.len() as u64, "number", "numbers");
    let words = format!("the moves reach {found}{up_to}: {told}{more}; no goal is among them");
    parts.push(part(Kind::Fact, format!("{} to {goals}", board.start), words));
    parts
}

fn list(numbers: impl Iterator<Item = u64>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

/// Whether no move leads from these numbers to others, by its second reading: what does not pass is not told.
fn is_closed(board: &Board, mut numbers: impl Iterator<Item = u64>, is_met: impl Fn(u64) -> bool) -> bool {
    numbers.all(|number| board.readings.iter().all(|made| made.leads(number).is_none_or(&is_met)))
}

/// The remainders that numbers on the way can leave, if no goal leaves one of them.
fn remainders(board: &Board, divisor: u64) -> Option<BTreeSet<u64>> {
    let (mut met, mut open) = (BTreeSet::from([board.start % divisor]), vec![board.start % divisor]);
    while let Some(remainder) = open.pop() {
        for expression in board.moves.iter() {
            let next = expression.remainder(remainder, divisor)?;
            open.extend(met.insert(next).then_some(next));
        }
    }
    board.goals.iter().all(|goal| !met.contains(&(goal % divisor))).then_some(met)
}

/// All numbers that can be reached, those up to the last goal where no move leads down; `None` if they are too many, or too large.
fn reachable(board: &Board, only_up: bool) -> Option<BTreeSet<u64>> {
    let last = board.goals.last().copied().unwrap_or(0);
    let (mut met, mut open) = (BTreeSet::from([board.start]), vec![board.start]);
    while let Some(number) = open.pop() {
        for expression in board.moves.iter() {
            match expression.value(number) {
                Ok(Some(next)) if only_up && next > last => {}
                Ok(Some(next)) => open.extend(met.insert(next).then_some(next)),
                Ok(None) => {}
                Err(_) if only_up => {}
                Err(_) => return None,
            }
        }
        if met.len() > LOOKED_AT {
            return None;
        }
    }
    Some(met)
}
