//! Whether an interpretation is an answer set of a ground program: the definition, in linear time, and no solver.
//!
//! An answer set satisfies every rule, and is founded: each of its atoms follows from rules of the reduct, in an order in
//! which no atom supports itself (Gelfond and Lifschitz, "The stable model semantics for logic programming", 1988; for choices and weights
//! Niemelä, Simons and Soininen, "Stable model semantics of weight constraint rules", 1999). Two true atoms in the head of one
//! disjunction would need a search for a smaller model; they are taken for founded.

use super::{Ground, GroundRule};

/// Checks an interpretation: `holds` tells whether an atom is true. The error names a rule or an atom by its number.
///
/// ```
/// use asp_solve::asp::{Ground, GroundRule, is_answer_set};
///
/// // { a }. b :- a. c :- c.
/// let rule = |is_choice, head: u32, body: &[i32]| GroundRule {
///     is_choice,
///     head: vec![head],
///     body: body.iter().map(|&literal| (literal, 1)).collect(),
///     bound: None,
/// };
/// let rules = vec![rule(true, 1, &[]), rule(false, 2, &[1]), rule(false, 3, &[3])];
/// let ground = Ground { rules, ..Ground::default() };
/// assert!(is_answer_set(&ground, |_| false).is_ok());
/// assert!(is_answer_set(&ground, |atom| atom < 3).is_ok());
/// assert!(is_answer_set(&ground, |atom| atom == 1).is_err(), "b is missing");
/// assert!(is_answer_set(&ground, |atom| atom == 3).is_err(), "c supports itself");
/// ```
pub fn is_answer_set(ground: &Ground, holds: impl Fn(u32) -> bool) -> Result<(), String> {
    let is_true = |literal: i32| holds(literal.unsigned_abs()) == (literal > 0);
    let weight_of = |rule: &GroundRule, counts: &dyn Fn(i32) -> bool| -> i64 {
        let weights = rule.body.iter().filter(|(literal, _)| counts(*literal));
        weights.map(|&(_, weight)| i64::from(weight)).sum()
    };
    // A body without a bound wants all of its literals.
    let bound = |rule: &GroundRule| rule.bound.map_or(rule.body.len() as i64, i64::from);

    // What each rule with a true body still lacks until it supports its head, and where an atom would help.
    let mut lacking: Vec<i64> = Vec::with_capacity(ground.rules.len());
    let mut atoms = 0;
    for (number, rule) in ground.rules.iter().enumerate() {
        let applies = weight_of(rule, &is_true) >= bound(rule);
        if applies && !rule.is_choice && !rule.head.iter().any(|&atom| holds(atom)) {
            return Err(format!("rule {} of the ground program is violated", number + 1));
        }
        let supports = applies && rule.head.iter().any(|&atom| holds(atom));
        let at_once = |literal: i32| literal < 0 && is_true(literal);
        lacking.push(if supports { bound(rule) - weight_of(rule, &at_once) } else { i64::MAX });
        let literals = rule.body.iter().map(|(literal, _)| literal.unsigned_abs());
        atoms = literals.chain(rule.head.iter().copied()).fold(atoms, u32::max);
    }
    let mut helps: Vec<Vec<(u32, i32)>> = vec![Vec::new(); atoms as usize + 1];
    for (number, rule) in ground.rules.iter().enumerate().filter(|(number, _)| lacking[*number] != i64::MAX) {
        for &(literal, weight) in rule.body.iter().filter(|(literal, _)| *literal > 0 && is_true(*literal)) {
            helps[literal as usize].push((number as u32, weight));
        }
    }

    let mut founded = vec![false; atoms as usize + 1];
    let mut ready: Vec<u32> = (0..lacking.len() as u32).filter(|&rule| lacking[rule as usize] <= 0).collect();
    while let Some(rule) = ready.pop() {
        for &atom in ground.rules[rule as usize].head.iter().filter(|&&atom| holds(atom)) {
            if std::mem::replace(&mut founded[atom as usize], true) {
                continue;
            }
            for &(other, weight) in &helps[atom as usize] {
                let lacks = &mut lacking[other as usize];
                let lacked = *lacks > 0;
                *lacks -= i64::from(weight);
                if lacked && *lacks <= 0 {
                    ready.push(other);
                }
            }
        }
    }
    match (1..=atoms).find(|&atom| holds(atom) && !founded[atom as usize]) {
        Some(atom) => Err(format!("atom {atom} of the ground program holds, and no rule founds it")),
        None => Ok(()),
    }
}
