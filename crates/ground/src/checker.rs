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
/// use ground::{GroundProgram, GroundRule, is_answer_set};
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
    let truth: Vec<bool> = (0..=ground.last_atom()).map(holds).collect();
    let holds = |atom: u32| truth[atom as usize];
    let supporting = check_rules(ground, holds)?;
    let given = check_externals(ground, &truth)?;
    let mut foundation = Foundation::new(&truth, supporting);
    foundation.found(given);
    foundation.propagate();
    // No smaller model lacks one of the atoms founded so far. The search decides about the others.
    let non_hcf_atoms = foundation.unfounded_atoms();
    foundation.apply_disjunctions();
    if let Some(&atom) = foundation.unfounded_atoms().first() {
        return Err(Flaw::UnfoundedAtom(atom));
    }
    if let Some(node) = node_on_cycle(ground, |literal| holds_in(literal, holds)) {
        return Err(Flaw::Cycle(node));
    }
    find_smaller_model(ground, &non_hcf_atoms, holds)
}

/// A rule whose body is true, and at least one atom of its head. It founds the true atoms of its
/// head once founded atoms suffice for its body.
struct SupportingRule<'a> {
    rule: &'a GroundRule,
    /// The weight that the body still needs from founded atoms.
    missing_weight: i64,
}

/// Checks that each rule whose body is true is a choice or has a true atom in its head. Returns the
/// rules that can found atoms.
fn check_rules(ground: &GroundProgram, holds: impl Fn(u32) -> bool) -> Result<Vec<SupportingRule<'_>>, Flaw> {
    let is_true = |literal: i32| holds_in(literal, &holds);
    let mut supporting = Vec::with_capacity(ground.rules.len());
    for (number, rule) in ground.rules.iter().enumerate() {
        if rule.weight(is_true) < rule.required_weight() {
            continue;
        }
        if rule.head.iter().any(|&atom| holds(atom)) {
            // The reduct evaluates negative literals, so these need no foundation.
            let negative_weight = rule.weight(|literal| literal < 0 && is_true(literal));
            supporting.push(SupportingRule { rule, missing_weight: rule.required_weight() - negative_weight });
        } else if !rule.is_choice {
            return Err(Flaw::Violated(number));
        }
    }
    Ok(supporting)
}

/// Checks the values of external atoms. Returns those that are true, which need no rule.
fn check_externals(ground: &GroundProgram, truth: &[bool]) -> Result<Vec<u32>, Flaw> {
    let mut has_rules = vec![false; truth.len()];
    for &atom in ground.rules.iter().flat_map(|rule| &rule.head) {
        has_rules[atom as usize] = true;
    }
    let is_given = |atom: u32| !has_rules[atom as usize] || ground.frozen.get(&atom) == Some(&true);
    let mut given = Vec::new();
    for (&atom, &value) in ground.externals.iter().filter(|(atom, _)| is_given(**atom)) {
        match (value, truth[atom as usize]) {
            (Truth::True, false) | (Truth::False, true) => return Err(Flaw::External(atom)),
            (_, is_true) => given.extend(is_true.then_some(atom)),
        }
    }
    Ok(given)
}

/// The founded atoms, which grow until no rule founds another one. Rules are indices of `rules`.
struct Foundation<'a> {
    /// By atom: its value in the interpretation.
    truth: &'a [bool],
    rules: Vec<SupportingRule<'a>>,
    /// By true atom: the rules whose bodies contain it, with its weight there.
    occurrences: Vec<Vec<(u32, i32)>>,
    /// By atom: true if it is founded.
    is_founded: Vec<bool>,
    /// Founded atoms that are not yet propagated.
    queue: Vec<u32>,
    /// Rules that need no more weight and are not yet applied.
    ready: Vec<u32>,
    /// Rules that need no more weight and are held back: disjunctions with several true atoms.
    disjunctions: Vec<u32>,
}

impl<'a> Foundation<'a> {
    fn new(truth: &'a [bool], rules: Vec<SupportingRule<'a>>) -> Self {
        let mut occurrences: Vec<Vec<(u32, i32)>> = vec![Vec::new(); truth.len()];
        let is_true_atom = |literal: i32| literal > 0 && truth[literal as usize];
        let mut ready = Vec::new();
        for (number, SupportingRule { rule, missing_weight }) in (0..).zip(&rules) {
            for &(literal, weight) in rule.body.iter().filter(|(literal, _)| is_true_atom(*literal)) {
                occurrences[literal as usize].push((number, weight));
            }
            ready.extend((*missing_weight <= 0).then_some(number));
        }
        let is_founded = vec![false; truth.len()];
        Foundation { truth, rules, occurrences, is_founded, queue: Vec::new(), ready, disjunctions: Vec::new() }
    }

    /// Adds the true ones of `atoms` to the founded atoms.
    fn found(&mut self, atoms: impl IntoIterator<Item = u32>) {
        for atom in atoms {
            if self.truth[atom as usize] && !self.is_founded[atom as usize] {
                self.is_founded[atom as usize] = true;
                self.queue.push(atom);
            }
        }
    }

    /// Founds all atoms that follow without disjunctions of several true atoms.
    fn propagate(&mut self) {
        while let Some(number) = self.next_ready_rule() {
            let rule = self.rules[number as usize].rule;
            let true_heads = rule.head.iter().copied().filter(|&atom| self.truth[atom as usize]);
            if !rule.is_choice && has_distinct(true_heads) {
                self.disjunctions.push(number);
            } else {
                self.found(rule.head.iter().copied());
            }
        }
    }

    /// Founds all atoms that follow if a disjunction founds all its true atoms.
    fn apply_disjunctions(&mut self) {
        self.ready.append(&mut self.disjunctions);
        while let Some(number) = self.next_ready_rule() {
            self.found(self.rules[number as usize].rule.head.iter().copied());
        }
    }

    /// Propagates the atoms in `queue`: subtracts their weights from what the rules still need.
    /// Removes a rule from `ready` and returns it.
    fn next_ready_rule(&mut self) -> Option<u32> {
        while let Some(atom) = self.queue.pop() {
            for &(number, weight) in &self.occurrences[atom as usize] {
                let missing = &mut self.rules[number as usize].missing_weight;
                let was_missing = *missing > 0;
                *missing -= i64::from(weight);
                if was_missing && *missing <= 0 {
                    self.ready.push(number);
                }
            }
        }
        self.ready.pop()
    }

    /// Returns the true atoms that are not founded.
    fn unfounded_atoms(&self) -> Vec<u32> {
        let is_unfounded = |atom: &u32| self.truth[*atom as usize] && !self.is_founded[*atom as usize];
        (1..self.truth.len() as u32).filter(is_unfounded).collect()
    }
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
/// atoms with a weight of more than `spare` must be removed, too. Atoms are indices of the atoms
/// that can be removed.
struct ReductRule {
    is_choice: bool,
    head: Vec<usize>,
    body: Vec<(usize, i64)>,
    /// The weight of the body above its bound.
    spare: i64,
}

impl ReductRule {
    /// Returns true if the model without the removed atoms violates the rule.
    fn is_violated(&self, decisions: &[Decision]) -> bool {
        let is_removed = |index: usize| decisions[index] == Decision::Removed;
        let removed_weight: i64 =
            self.body.iter().filter(|(index, _)| is_removed(*index)).map(|(_, weight)| weight).sum();
        let mut head = self.head.iter();
        let requires_removal =
            if self.is_choice { head.any(|&index| is_removed(index)) } else { head.all(|&index| is_removed(index)) };
        requires_removal && removed_weight <= self.spare
    }
}

/// Returns the rules that the removal of atoms in `non_hcf_atoms` can violate.
fn reduct_rules(ground: &GroundProgram, non_hcf_atoms: &[u32], holds: impl Fn(u32) -> bool) -> Vec<ReductRule> {
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
    rules
}

/// Searches for a subset of `non_hcf_atoms` whose removal yields a smaller model of the reduct.
fn find_smaller_model(
    ground: &GroundProgram,
    non_hcf_atoms: &[u32],
    holds: impl Fn(u32) -> bool,
) -> Result<AnswerCheck, Flaw> {
    let rules = reduct_rules(ground, non_hcf_atoms, holds);
    let mut steps = 0;
    // A branch for each atom: it is the first one that is removed.
    let mut branches: Vec<Vec<Decision>> = (0..non_hcf_atoms.len())
        .map(|first| {
            let mut decisions = vec![Decision::Undecided; non_hcf_atoms.len()];
            decisions[..first].fill(Decision::Kept);
            decisions[first] = Decision::Removed;
            decisions
        })
        .collect();
    while let Some(mut decisions) = branches.pop() {
        loop {
            let violated = rules.iter().find(|rule| {
                steps += rule.head.len() + rule.body.len();
                rule.is_violated(&decisions)
            });
            let Some(rule) = violated else {
                let decided = non_hcf_atoms.iter().zip(&decisions);
                let removed = decided.filter(|(_, decision)| **decision == Decision::Removed);
                return Err(Flaw::UnfoundedSet(removed.map(|(atom, _)| *atom).collect()));
            };
            if steps > MAX_STEPS {
                return Ok(AnswerCheck::ExceptMinimality);
            }
            // An undecided atom of the body must be removed. Without one, the branch has no model.
            let body = rule.body.iter().map(|(index, _)| *index);
            let mut undecided = body.filter(|&index| decisions[index] == Decision::Undecided);
            let Some(atom) = undecided.next() else { break };
            let has_others = undecided.next().is_some();
            if has_others {
                let mut other_branch = decisions.clone();
                other_branch[atom] = Decision::Kept;
                branches.push(other_branch);
            }
            decisions[atom] = Decision::Removed;
        }
    }
    Ok(AnswerCheck::Complete)
}
