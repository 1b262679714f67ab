//! Checks against the definition, without a solver and in linear time, that an interpretation is an
//! answer set of a ground program.
//!
//! An answer set satisfies every rule and is founded: each of its atoms follows from rules of the
//! reduct, in an order in which no atom supports itself (Gelfond and Lifschitz, "The stable model
//! semantics for logic programming", 1988; for choices and weights Niemelä, Simons and Soininen,
//! "Stable model semantics of weight constraint rules", 1999).
//!
//! A disjunction founds an atom if that is the only true atom of its head. If all true atoms are
//! founded in this way, the reduct has no smaller model; for head-cycle-free programs the converse
//! holds, too (Ben-Eliyahu and Dechter, "Propositional semantics for disjunctive logic programs",
//! 1994). For the remaining atoms of other programs, a search looks for an unfounded set: atoms
//! that can be removed together (Leone, Rullo and Scarcello, "Disjunctive stable models: unfounded
//! sets, fixpoint semantics, and computation", 1997). It gives up after `MAX_STEPS`, which the
//! result reports.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::hash::FastMap;
use super::literal::holds_in;
use super::program::{GroundProgram, GroundRule, Truth};

/// Maximum number of literals that the search for a smaller model visits: about a second of work.
const MAX_STEPS: usize = 200_000_000;

/// The extent of a successful check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerCheck {
    Complete,
    /// The search for a smaller model of the reduct was given up.
    ExceptMinimality,
}

/// The reason why an interpretation is not an answer set. Rules are indices and atoms are numbers
/// of the ground program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// The body of this rule holds, but its head does not.
    Violated(usize),
    /// This atom is true but not founded.
    UnfoundedAtom(u32),
    /// The interpretation without these atoms is a smaller model of the reduct.
    UnfoundedSet(Vec<u32>),
    /// The value of this atom differs from its external value.
    External(u32),
    /// This node is on a cycle of edges.
    Cycle(i32),
    /// The costs differ from the claimed ones.
    Costs { claimed: Vec<i64>, actual: Vec<i64> },
}

impl Flaw {
    /// Describes the flaw with the names of the atoms.
    pub fn words(&self, ground: &GroundProgram, name: &dyn Fn(u32) -> String) -> String {
        match self {
            Flaw::Violated(rule) => format!("the rule {} is violated", ground.rules[*rule].text(name)),
            Flaw::UnfoundedAtom(atom) => format!("{} holds, but is unfounded", name(*atom)),
            Flaw::UnfoundedSet(atoms) => {
                let atoms: Vec<String> = atoms.iter().map(|&atom| name(atom)).collect();
                format!("without {} the rules are satisfied as well", atoms.join(", "))
            }
            Flaw::External(atom) => format!("{} does not have its external value", name(*atom)),
            Flaw::Cycle(node) => format!("the edges have a cycle through node {node}"),
            Flaw::Costs { claimed, actual } => format!("expected costs of {claimed:?}, found {actual:?}"),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Violated(rule) => write!(f, "rule {} of the ground program is violated", rule + 1),
            other => f.write_str(
                &other.words(&GroundProgram::default(), &|atom| format!("atom {atom} of the ground program")),
            ),
        }
    }
}

/// Checks that an interpretation is an answer set; `holds` returns true for its true atoms.
///
/// ```
/// use asp_solve::ground::{GroundProgram, GroundRule, is_answer_set};
///
/// // { a }. b :- a. c :- c.
/// let rule = |is_choice, head: u32, body: &[i32]| GroundRule {
///     is_choice,
///     head: vec![head],
///     body: body.iter().map(|&literal| (literal, 1)).collect(),
///     bound: None,
/// };
/// let rules = vec![rule(true, 1, &[]), rule(false, 2, &[1]), rule(false, 3, &[3])];
/// let ground = GroundProgram { rules, ..GroundProgram::default() };
/// assert!(is_answer_set(&ground, |_| false).is_ok());
/// assert!(is_answer_set(&ground, |atom| atom < 3).is_ok());
/// assert!(is_answer_set(&ground, |atom| atom == 1).is_err(), "b is missing");
/// assert!(is_answer_set(&ground, |atom| atom == 3).is_err(), "c supports itself");
/// ```
pub fn is_answer_set(ground: &GroundProgram, holds: impl Fn(u32) -> bool) -> Result<AnswerCheck, Flaw> {
    let atoms = ground.last_atom() as usize + 1;
    let truth: Vec<bool> = (0..atoms as u32).map(holds).collect();
    let holds = |atom: u32| truth[atom as usize];
    let is_true = |literal: i32| holds_in(literal, holds);
    // By rule: the weight that its body still needs from founded atoms; `i64::MAX` if the rule does
    // not apply or has no true head atom.
    let mut missing_weight: Vec<i64> = Vec::with_capacity(ground.rules.len());
    let mut has_rules = vec![false; atoms];
    for (number, rule) in ground.rules.iter().enumerate() {
        for &atom in &rule.head {
            has_rules[atom as usize] = true;
        }
        let applies = rule.weight(is_true) >= rule.required_weight();
        let has_true_head = rule.head.iter().any(|&atom| holds(atom));
        if applies && !rule.is_choice && !has_true_head {
            return Err(Flaw::Violated(number));
        }
        let is_initially_true = |literal: i32| literal < 0 && is_true(literal);
        missing_weight.push(if applies && has_true_head {
            rule.required_weight() - rule.weight(is_initially_true)
        } else {
            i64::MAX
        });
    }
    // By true atom: the rules whose bodies contain it, with its weight there.
    let mut occurrences: Vec<Vec<(u32, i32)>> = vec![Vec::new(); atoms];
    for (number, rule) in ground.rules.iter().enumerate().filter(|(number, _)| missing_weight[*number] != i64::MAX) {
        for &(literal, weight) in rule.body.iter().filter(|(literal, _)| *literal > 0 && is_true(*literal)) {
            occurrences[literal as usize].push((number as u32, weight));
        }
    }

    let mut founded = vec![false; atoms];
    // Founded atoms that are not yet propagated.
    let mut queue = Vec::new();
    let is_given = |atom: u32| !has_rules[atom as usize] || ground.frozen.get(&atom) == Some(&true);
    for (&atom, &value) in ground.externals.iter().filter(|(atom, _)| is_given(**atom)) {
        match (value, holds(atom)) {
            (Truth::True, false) | (Truth::False, true) => return Err(Flaw::External(atom)),
            (_, is_true) => queue.extend(is_true.then_some(atom)),
        }
    }
    for &atom in &queue {
        founded[atom as usize] = true;
    }
    let mut ready: Vec<u32> =
        (0..missing_weight.len() as u32).filter(|&rule| missing_weight[rule as usize] <= 0).collect();
    let mut disjunctions = Vec::new();
    // True atoms that are only founded if a disjunction may found several atoms; set once all other
    // atoms are founded.
    let mut non_hcf_atoms = None;
    loop {
        loop {
            while let Some(atom) = queue.pop() {
                for &(other, weight) in &occurrences[atom as usize] {
                    let missing = &mut missing_weight[other as usize];
                    let was_missing = *missing > 0;
                    *missing -= i64::from(weight);
                    if was_missing && *missing <= 0 {
                        ready.push(other);
                    }
                }
            }
            let Some(rule) = ready.pop() else { break };
            let GroundRule { is_choice, head, .. } = &ground.rules[rule as usize];
            let true_heads = || head.iter().copied().filter(|&atom| holds(atom));
            if non_hcf_atoms.is_none() && !is_choice && has_distinct(true_heads()) {
                disjunctions.push(rule);
                continue;
            }
            queue.extend(true_heads().filter(|&atom| !std::mem::replace(&mut founded[atom as usize], true)));
        }
        if non_hcf_atoms.is_some() || disjunctions.is_empty() {
            break;
        }
        let is_non_hcf = |atom: &u32| holds(*atom) && !founded[*atom as usize];
        non_hcf_atoms = Some((1..atoms as u32).filter(is_non_hcf).collect::<Vec<u32>>());
        ready.append(&mut disjunctions);
    }
    if let Some(atom) = (1..atoms as u32).find(|&atom| holds(atom) && !founded[atom as usize]) {
        return Err(Flaw::UnfoundedAtom(atom));
    }
    if let Some(node) = node_on_cycle(ground, is_true) {
        return Err(Flaw::Cycle(node));
    }
    find_smaller_model(ground, &non_hcf_atoms.unwrap_or_default(), holds)
}

/// Checks that an interpretation is an answer set with the given costs; empty costs are not
/// compared.
pub fn check_answer(ground: &GroundProgram, holds: impl Fn(u32) -> bool, costs: &[i64]) -> Result<AnswerCheck, Flaw> {
    let checked = is_answer_set(ground, &holds)?;
    let actual = ground.costs_where(&holds);
    if costs.is_empty() || costs == actual { Ok(checked) } else { Err(Flaw::Costs { claimed: costs.to_vec(), actual }) }
}

/// Returns a node on a cycle of the edges whose conditions hold.
fn node_on_cycle(ground: &GroundProgram, is_true: impl Fn(i32) -> bool) -> Option<i32> {
    let exists = |condition: &[i32]| condition.iter().all(|&literal| is_true(literal));
    let mut successors: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    let mut predecessors: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for &(from, to, _) in ground.edges.iter().filter(|(.., condition)| exists(condition)) {
        successors.entry(from).or_default().push(to);
        predecessors.entry(to).or_default().push(from);
    }
    // Removes nodes without predecessors. What is left has a cycle, unless nothing is left.
    let mut missing: BTreeMap<i32, usize> = predecessors.iter().map(|(&node, list)| (node, list.len())).collect();
    let mut removable: Vec<i32> = successors.keys().copied().filter(|node| !missing.contains_key(node)).collect();
    while let Some(node) = removable.pop() {
        for to in successors.get(&node).into_iter().flatten() {
            let count = missing.get_mut(to).expect("the node has a predecessor");
            *count -= 1;
            if *count == 0 {
                missing.remove(to);
                removable.push(*to);
            }
        }
    }
    // Each node that is left has a predecessor that is left. Going backwards ends on a cycle.
    let mut node = *missing.keys().next()?;
    let mut visited = BTreeSet::new();
    while visited.insert(node) {
        node = *predecessors[&node].iter().find(|from| missing.contains_key(from)).expect("a predecessor is left");
    }
    Some(node)
}

/// Returns true if two of the atoms differ.
fn has_distinct(mut atoms: impl Iterator<Item = u32>) -> bool {
    let first = atoms.next();
    atoms.any(|atom| Some(atom) != first)
}

/// The value of an atom in the search for a smaller model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Undecided,
    Kept,
    Removed,
}

/// A rule of the reduct. If an atom of the head is removed (all of them for a disjunction), body
/// atoms with a weight of more than `spare` must be removed, too.
struct ReductRule {
    is_choice: bool,
    head: Vec<usize>,
    body: Vec<(usize, i64)>,
    /// The weight of the body above its bound.
    spare: i64,
}

/// Searches for a subset of `non_hcf_atoms` whose removal yields a smaller model of the reduct.
fn find_smaller_model(
    ground: &GroundProgram,
    non_hcf_atoms: &[u32],
    holds: impl Fn(u32) -> bool,
) -> Result<AnswerCheck, Flaw> {
    let is_true = |literal: i32| holds_in(literal, &holds);
    let indices: FastMap<u32, usize> = non_hcf_atoms.iter().enumerate().map(|(index, &atom)| (atom, index)).collect();
    let mut rules = Vec::new();
    for rule in &ground.rules {
        let spare = rule.weight(is_true) - rule.required_weight();
        let true_heads = || rule.head.iter().filter(|&&atom| holds(atom));
        let head: Vec<usize> = true_heads().filter_map(|atom| indices.get(atom).copied()).collect();
        // A disjunction stays satisfied if one of its true atoms cannot be removed.
        if spare < 0 || head.is_empty() || !rule.is_choice && head.len() < true_heads().count() {
            continue;
        }
        let body = rule.body.iter().filter_map(|&(literal, weight)| {
            let index = u32::try_from(literal).ok().and_then(|atom| indices.get(&atom))?;
            Some((*index, i64::from(weight)))
        });
        rules.push(ReductRule { is_choice: rule.is_choice, head, body: body.collect(), spare });
    }
    let mut steps = 0;
    let mut branches: Vec<Vec<Decision>> = (0..non_hcf_atoms.len())
        .map(|index| {
            let decision = |other: usize| match other.cmp(&index) {
                std::cmp::Ordering::Less => Decision::Kept,
                std::cmp::Ordering::Equal => Decision::Removed,
                std::cmp::Ordering::Greater => Decision::Undecided,
            };
            (0..non_hcf_atoms.len()).map(decision).collect()
        })
        .collect();
    'branches: while let Some(mut decisions) = branches.pop() {
        loop {
            let is_removed = |index: usize| decisions[index] == Decision::Removed;
            let is_violated = |rule: &&ReductRule| {
                steps += rule.head.len() + rule.body.len();
                let removed_weight: i64 =
                    rule.body.iter().filter(|(index, _)| is_removed(*index)).map(|(_, weight)| weight).sum();
                let mut head = rule.head.iter();
                let requires_removal = if rule.is_choice {
                    head.any(|&index| is_removed(index))
                } else {
                    head.all(|&index| is_removed(index))
                };
                requires_removal && removed_weight <= rule.spare
            };
            let Some(rule) = rules.iter().find(is_violated) else {
                let removed = (0..non_hcf_atoms.len()).filter(|&index| is_removed(index));
                return Err(Flaw::UnfoundedSet(removed.map(|index| non_hcf_atoms[index]).collect()));
            };
            if steps > MAX_STEPS {
                return Ok(AnswerCheck::ExceptMinimality);
            }
            let undecided =
                rule.body.iter().map(|(index, _)| *index).filter(|&index| decisions[index] == Decision::Undecided);
            let undecided: Vec<usize> = undecided.collect();
            let Some((&first, others)) = undecided.split_first() else { continue 'branches };
            if !others.is_empty() {
                // Branch: keep the first atom.
                let mut other_branch = decisions.clone();
                other_branch[first] = Decision::Kept;
                branches.push(other_branch);
            }
            decisions[first] = Decision::Removed;
        }
    }
    Ok(AnswerCheck::Complete)
}
