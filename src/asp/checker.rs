//! Whether an interpretation is an answer set of a ground program: the definition, in linear time, and no solver.
//!
//! An answer set satisfies every rule, and is founded: each of its atoms follows from rules of the reduct, in an order in
//! which no atom supports itself (Gelfond and Lifschitz, "The stable model semantics for logic programming", 1988; for choices and weights
//! Niemelä, Simons and Soininen, "Stable model semantics of weight constraint rules", 1999).
//!
//! A disjunction founds an atom where it is the only true one of its head. If all atoms are founded so, no smaller model of
//! the reduct exists, and where the program is head-cycle-free the converse is true, too (Ben-Eliyahu and Dechter,
//! "Propositional semantics for disjunctive logic programs", 1994). What is left over elsewhere is decided by a search for
//! atoms that could be taken away together (Leone, Rullo and Scarcello, "Disjunctive stable models: unfounded sets, fixpoint
//! semantics, and computation", 1997), which gives up after a number of steps and says so.

use std::fmt;

use rustc_hash::FxHashMap;

use super::ffi::Truth;
use super::ground::{Ground, GroundRule};

/// Literals that a search for a smaller model looks at, at the most: a second's work.
const MOST_STEPS: usize = 200_000_000;

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    Wholly,
    /// Disjunctions might have a smaller model: the search for one was given up.
    ButForMinimality,
}

/// Why an interpretation is no answer set; rules and atoms by their numbers in the ground program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// Its body holds, and nothing of its head; counted from 0.
    Violated(usize),
    /// It holds, but is unfounded.
    Unfounded(u32),
    /// Without these every rule of the reduct is satisfied as well.
    Needless(Vec<u32>),
    /// It does not have its external value.
    External(u32),
    /// This node lies on a cycle of edges.
    Cycle(i32),
    /// It costs other than was said.
    Costs { said: Vec<i64>, are: Vec<i64> },
}

impl Flaw {
    /// The flaw in words, with the atoms' names.
    pub fn words(&self, ground: &Ground, name: &dyn Fn(u32) -> String) -> String {
        match self {
            Flaw::Violated(rule) => format!("the rule {} is violated", ground.rules[*rule].text(name)),
            Flaw::Unfounded(atom) => format!("{} holds, but is unfounded", name(*atom)),
            Flaw::Needless(atoms) => {
                let atoms: Vec<String> = atoms.iter().map(|&atom| name(atom)).collect();
                format!("without {} it satisfies the rules as well", atoms.join(", "))
            }
            Flaw::External(atom) => format!("{} does not have its external value", name(*atom)),
            Flaw::Cycle(node) => format!("the edges have a cycle through node {node}"),
            Flaw::Costs { said, are } => format!("it is said to cost {said:?}, and costs {are:?}"),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Violated(rule) => write!(f, "rule {} of the ground program is violated", rule + 1),
            other => {
                f.write_str(&other.words(&Ground::default(), &|atom| format!("atom {atom} of the ground program")))
            }
        }
    }
}

/// Checks an interpretation: `holds` tells whether an atom is true.
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
pub fn is_answer_set(ground: &Ground, holds: impl Fn(u32) -> bool) -> Result<Checked, Flaw> {
    let atoms = ground.last_atom() as usize + 1;
    let truth: Vec<bool> = (0..atoms as u32).map(holds).collect();
    let holds = |atom: u32| truth[atom as usize];
    let is_true = |literal: i32| holds(literal.unsigned_abs()) == (literal > 0);
    // What each rule with a true body still lacks until it founds its head, and where an atom would help.
    let mut lacking: Vec<i64> = Vec::with_capacity(ground.rules.len());
    let mut has_rules = vec![false; atoms];
    for (number, rule) in ground.rules.iter().enumerate() {
        rule.head.iter().for_each(|&atom| has_rules[atom as usize] = true);
        let applies = rule.weight(is_true) >= rule.wanted();
        let has_true_head = rule.head.iter().any(|&atom| holds(atom));
        if applies && !rule.is_choice && !has_true_head {
            return Err(Flaw::Violated(number));
        }
        let at_once = |literal: i32| literal < 0 && is_true(literal);
        lacking.push(if applies && has_true_head { rule.wanted() - rule.weight(at_once) } else { i64::MAX });
    }
    let mut helps: Vec<Vec<(u32, i32)>> = vec![Vec::new(); atoms];
    for (number, rule) in ground.rules.iter().enumerate().filter(|(number, _)| lacking[*number] != i64::MAX) {
        for &(literal, weight) in rule.body.iter().filter(|(literal, _)| *literal > 0 && is_true(*literal)) {
            helps[literal as usize].push((number as u32, weight));
        }
    }

    let mut founded = vec![false; atoms];
    // Atoms that are founded, and whose rules have not heard of it.
    let mut fresh = Vec::new();
    let is_given = |atom: u32| !has_rules[atom as usize] || ground.settled.get(&atom) == Some(&true);
    for (&atom, &value) in ground.externals.iter().filter(|(atom, _)| is_given(**atom)) {
        match (value, holds(atom)) {
            (Truth::True, false) | (Truth::False, true) => return Err(Flaw::External(atom)),
            (_, is_true) => fresh.extend(is_true.then_some(atom)),
        }
    }
    fresh.iter().for_each(|&atom| founded[atom as usize] = true);
    let mut ready: Vec<u32> = (0..lacking.len() as u32).filter(|&rule| lacking[rule as usize] <= 0).collect();
    let mut disjunctions = Vec::new();
    // Those that are founded if disjunctions may found all of their true atoms.
    let mut doubtful = None;
    loop {
        loop {
            while let Some(atom) = fresh.pop() {
                for &(other, weight) in &helps[atom as usize] {
                    let lacks = &mut lacking[other as usize];
                    let lacked = *lacks > 0;
                    *lacks -= i64::from(weight);
                    if lacked && *lacks <= 0 {
                        ready.push(other);
                    }
                }
            }
            let Some(rule) = ready.pop() else { break };
            let GroundRule { is_choice, head, .. } = &ground.rules[rule as usize];
            let true_heads = || head.iter().copied().filter(|&atom| holds(atom));
            if doubtful.is_none() && !is_choice && has_several(true_heads()) {
                disjunctions.push(rule);
                continue;
            }
            fresh.extend(true_heads().filter(|&atom| !std::mem::replace(&mut founded[atom as usize], true)));
        }
        if doubtful.is_some() || disjunctions.is_empty() {
            break;
        }
        let is_doubtful = |atom: &u32| holds(*atom) && !founded[*atom as usize];
        doubtful = Some((1..atoms as u32).filter(is_doubtful).collect::<Vec<u32>>());
        ready.append(&mut disjunctions);
    }
    if let Some(atom) = (1..atoms as u32).find(|&atom| holds(atom) && !founded[atom as usize]) {
        return Err(Flaw::Unfounded(atom));
    }
    if let Some(node) = cycle(ground, is_true) {
        return Err(Flaw::Cycle(node));
    }
    needless(ground, &doubtful.unwrap_or_default(), holds)
}

/// The same for an answer that is said to cost so much, if it is said to cost anything.
pub fn check_answer(ground: &Ground, holds: impl Fn(u32) -> bool, costs: &[i64]) -> Result<Checked, Flaw> {
    let checked = is_answer_set(ground, &holds)?;
    let are = ground.costs_where(&holds);
    match costs.is_empty() || costs == are {
        true => Ok(checked),
        false => Err(Flaw::Costs { said: costs.to_vec(), are }),
    }
}

/// Whether there are two different ones.
fn has_several(mut atoms: impl Iterator<Item = u32>) -> bool {
    let first = atoms.next();
    atoms.any(|atom| Some(atom) != first)
}

/// What becomes of a doubtful atom in a smaller model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Open,
    Kept,
    Removed,
}

/// A rule of the reduct: if one of the atoms is removed (all of them, in a disjunction), so much weight must be.
struct Held {
    is_choice: bool,
    head: Vec<usize>,
    body: Vec<(usize, i64)>,
    /// How much weight more than is wanted the body has.
    spare: i64,
}

/// Looks for doubtful atoms that can be removed together.
fn needless(ground: &Ground, doubtful: &[u32], holds: impl Fn(u32) -> bool) -> Result<Checked, Flaw> {
    let is_true = |literal: i32| holds(literal.unsigned_abs()) == (literal > 0);
    let places: FxHashMap<u32, usize> = doubtful.iter().enumerate().map(|(place, &atom)| (atom, place)).collect();
    let mut rules = Vec::new();
    for rule in &ground.rules {
        let spare = rule.weight(is_true) - rule.wanted();
        let true_heads = || rule.head.iter().filter(|&&atom| holds(atom));
        let head: Vec<usize> = true_heads().filter_map(|atom| places.get(atom).copied()).collect();
        // A disjunction that has an atom that stays asks for nothing.
        if spare < 0 || head.is_empty() || !rule.is_choice && head.len() < true_heads().count() {
            continue;
        }
        let body = rule.body.iter().filter_map(|&(literal, weight)| {
            let place = u32::try_from(literal).ok().and_then(|atom| places.get(&atom))?;
            Some((*place, i64::from(weight)))
        });
        rules.push(Held { is_choice: rule.is_choice, head, body: body.collect(), spare });
    }
    let mut steps = 0;
    let mut branches: Vec<Vec<Fate>> = (0..doubtful.len())
        .map(|place| {
            let fate = |other: usize| match other.cmp(&place) {
                std::cmp::Ordering::Less => Fate::Kept,
                std::cmp::Ordering::Equal => Fate::Removed,
                std::cmp::Ordering::Greater => Fate::Open,
            };
            (0..doubtful.len()).map(fate).collect()
        })
        .collect();
    'branches: while let Some(mut fates) = branches.pop() {
        loop {
            let is_removed = |place: usize| fates[place] == Fate::Removed;
            let is_violated = |rule: &&Held| {
                steps += rule.head.len() + rule.body.len();
                let of_body: i64 =
                    rule.body.iter().filter(|(place, _)| is_removed(*place)).map(|(_, weight)| weight).sum();
                let mut head = rule.head.iter();
                let wants = if rule.is_choice {
                    head.any(|&place| is_removed(place))
                } else {
                    head.all(|&place| is_removed(place))
                };
                wants && of_body <= rule.spare
            };
            let Some(rule) = rules.iter().find(is_violated) else {
                let removed = (0..doubtful.len()).filter(|&place| is_removed(place));
                return Err(Flaw::Needless(removed.map(|place| doubtful[place]).collect()));
            };
            if steps > MOST_STEPS {
                return Ok(Checked::ButForMinimality);
            }
            let open = rule.body.iter().map(|(place, _)| *place).filter(|&place| fates[place] == Fate::Open);
            let open: Vec<usize> = open.collect();
            let Some((&first, others)) = open.split_first() else { continue 'branches };
            if !others.is_empty() {
                // Later: without the first one.
                let mut kept = fates.clone();
                kept[first] = Fate::Kept;
                branches.push(kept);
            }
            fates[first] = Fate::Removed;
        }
    }
    Ok(Checked::Wholly)
}

/// A node on a cycle of the edges that are there, found by taking away again and again the nodes that none leads to.
fn cycle(ground: &Ground, is_true: impl Fn(i32) -> bool) -> Option<i32> {
    let is_there = |condition: &[i32]| condition.iter().all(|&literal| is_true(literal));
    let mut ways: FxHashMap<i32, Vec<i32>> = FxHashMap::default();
    let mut leading_to: FxHashMap<i32, usize> = FxHashMap::default();
    for (from, to, _) in ground.edges.iter().filter(|(.., condition)| is_there(condition)) {
        ways.entry(*from).or_default().push(*to);
        leading_to.entry(*from).or_default();
        *leading_to.entry(*to).or_default() += 1;
    }
    let mut free: Vec<i32> = leading_to.iter().filter(|(_, ways)| **ways == 0).map(|(&node, _)| node).collect();
    while let Some(node) = free.pop() {
        leading_to.remove(&node);
        for to in ways.get(&node).into_iter().flatten() {
            let ways = leading_to.get_mut(to).expect("a node goes when no way leads to it");
            *ways -= 1;
            if *ways == 0 {
                free.push(*to);
            }
        }
    }
    leading_to.into_keys().min()
}
