//! Solves a program step by step, as a person would: each step follows from the known atoms by a
//! smallest reason that exists at that point.
//!
//! A minimal cause for a single number can have a hundred constraints, even on an easy Sudoku. Such
//! a cause is no help. People look for a conclusion from one constraint, then from two; after each
//! step, new conclusions are close by (Espasa, Gent, Hoffmann, Jefferson and Lynch, "Using small
//! MUSes to explain how to solve pen and paper puzzles", 2021). Reasons are therefore searched by
//! size, in the neighbourhood of the conclusion:
//!
//! ```text
//!   assume the negation:         not number(1,2,5)
//!   propagate:                   the known atoms and the obvious constraints
//!   activate 1 constraint:       each one with an atom that now has a value; is one violated?
//!   activate 2 constraints:      for each one that implies something, again those with an atom
//!                                that now has a value …
//! ```
//!
//! Constraints that imply nothing new are not extended. This is complete: if propagation refutes
//! the negation with some set of constraints, the set can be ordered so that each constraint
//! implies something. After a step, the search first tries conclusions that share a constraint with
//! it, and tries all conclusions again before it accepts a larger reason.
//!
//! Before the search for reasons of two constraints, every constraint is activated: the implication
//! graph, which is built breadth first, shows which conclusions propagation can reach at all.
//! Constraints are also activated layer by layer from the negation outwards. The smallest of all
//! these explanations, minimised, is an upper bound for the size of a reason. Conclusions that
//! propagation misses are found by case distinctions: over the atoms of one constraint, then over
//! one atom with every constraint active. The last resort is the solver, whose cores are minimised
//! within a time limit.
//!
//! Whichever method finds a reason, the conclusion follows from the program with only this reason
//! and the obvious constraints enforced.

mod footprints;
mod rounds;

use std::time::{Duration, Instant};

use asp::{Symbol, is_added};
use base::diagnostic::Failure;
use base::sorting;
use base::stop::{CancelToken, StopReason};
use prover::Assumptions;
use rustc_hash::{FxHashMap, FxHashSet};

use self::footprints::{Footprints, Trial};
use super::techniques::{Technique, Techniques};
use super::{RelaxedProgram, SolveOutcome, cause};

/// Maximum number of constraint activations per search for reasons of several constraints;
/// after that, the smallest reason known so far is used.
const MAX_ACTIVATIONS: usize = 150_000;
/// Maximum number of case distinctions within one constraint.
const MAX_CASES: usize = 400;
/// Maximum number of atoms per target whose two values are tried with every constraint active.
const MAX_SPLITS: usize = 40;
/// Maximum number of explanations that are minimised before the smallest is chosen.
const MAX_EXPLANATIONS: usize = 16;
/// Maximum number of cores of the solver among which the smallest is chosen.
const MAX_CORES: usize = 4;
/// Total time for collecting further cores after the first one, and for minimising the smallest.
const CORE_TIME: Duration = Duration::from_secs(2);
/// Each search for cores may use half of the remaining [`CORE_TIME`], but at least this time.
const MIN_CORE_TIME: Duration = Duration::from_millis(100);
/// Index of case splits in `last_failed`. The indices 0 and 1 are for reasons with that number of
/// constraints.
const SPLIT_KIND: usize = 2;

pub use rounds::Round;

/// A deduction and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintStep {
    /// The literals that follow: first the atoms that hold, then those that do not. Literals that
    /// obviously follow from earlier ones are left out.
    pub conclusions: Vec<(Symbol, bool)>,
    /// The parts of the program that imply the literals, together with the known atoms; empty if
    /// the rules suffice.
    pub reasons: Vec<usize>,
    /// The solving technique, if the program names one for this step.
    pub technique: Option<Technique>,
    /// The query atoms that occur in the reasons.
    pub atoms: Vec<Symbol>,
}

/// The next deduction, or the end of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    Step(HintStep),
    /// All query atoms are known.
    Solved,
    /// Nothing more follows. The number of unknown query atoms; each of them has different values
    /// in different answers.
    Open(usize),
    Impossible,
    Unknown(StopReason),
}

/// The state of the search for steps: the atoms known so far and the statistics of failed trials.
pub struct StepSearch<'a> {
    program: &'a mut RelaxedProgram,
    stop: CancelToken,
    propagator: Assumptions,
    techniques: Option<Techniques>,
    /// The constraints that are not obvious.
    constraints: Vec<Constraint>,
    /// The constraints in which each atom occurs.
    constraints_of_atom: FxHashMap<i32, Vec<u32>>,
    /// The atoms of the program, without auxiliary atoms of the grounder and the rewriting.
    named_atoms: FxHashSet<i32>,
    /// The obvious parts, which are always enforced.
    obvious: Vec<usize>,
    query_atoms: FxHashMap<i32, Symbol>,
    /// The possible conclusions: unknown literals of query atoms that have been true in all answers
    /// seen so far, in the order in which they are tried.
    targets: Vec<i32>,
    known: Vec<i32>,
    steps: usize,
    /// By kind of reason and target: the number of steps after which the last search failed. The
    /// kinds are reasons without a constraint, reasons with one, and case splits.
    last_failed: [FxHashMap<i32, usize>; SPLIT_KIND + 1],
    /// By atom: the last step that determined an atom that shares a constraint with it.
    last_changed: FxHashMap<i32, usize>,
    /// Footprints of failed trials with one constraint active.
    one_footprints: Footprints,
    /// Footprints of failed trials with all constraints active.
    all_footprints: Footprints,
    /// The number of further constraint activations that are permitted.
    activations_left: usize,
    /// The part of [`CORE_TIME`] that is left.
    core_time_left: Duration,
    /// The final result, once it is known.
    verdict: Option<NextStep>,
}

/// An instance of a constraint.
struct Constraint {
    part: usize,
    /// The literals that enforce it.
    switch: Vec<i32>,
    /// The named atoms that occur in it.
    atoms: Vec<i32>,
}

/// A reason, as indices of constraints.
type ConstraintSet = Vec<u32>;

impl<'a> StepSearch<'a> {
    /// Starts a search with the literals that follow from the rules and the obvious constraints.
    pub fn new(program: &'a mut RelaxedProgram, stop: &CancelToken) -> Result<Self, Failure> {
        StepSearch::from_known(program, &[], stop)
    }

    /// Starts a search with the literals `known` in addition.
    pub fn from_known(program: &'a mut RelaxedProgram, known: &[i32], stop: &CancelToken) -> Result<Self, Failure> {
        let all: Vec<usize> = (0..program.len()).collect();
        let query_atoms: FxHashMap<i32, Symbol> =
            program.query_atoms().iter().map(|&(atom, literal)| (literal, atom)).collect();
        let (targets, verdict) = match program.solve(&all, known)? {
            SolveOutcome::Unknown(reason) => (Vec::new(), Some(NextStep::Unknown(reason))),
            SolveOutcome::Unsatisfiable(_) => (Vec::new(), Some(NextStep::Impossible)),
            SolveOutcome::Satisfiable(_) => (literals_of_answer(program, &all, known)?, None),
        };
        let named_atoms: FxHashSet<i32> = program
            .known_atoms()?
            .into_iter()
            .filter(|(atom, ..)| !is_added(*atom))
            .map(|(_, literal, _)| literal.abs())
            .collect();
        let techniques = Techniques::of(program)?;
        let ground = program.ground();
        let ground = ground.lock();
        let rules = ground.rules_by_head();
        let atoms_of = |switch: &[i32]| ground.named_dependencies(switch, &rules, |atom| named_atoms.contains(&atom));
        let (obvious, parts): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&part| program.is_obvious(part));
        let constraints: Vec<Constraint> = parts
            .into_iter()
            .map(|part| {
                let switch = program.assumptions(part).to_vec();
                Constraint { part, atoms: atoms_of(&switch), switch }
            })
            .collect();
        let mut constraints_of_atom: FxHashMap<i32, Vec<u32>> = FxHashMap::default();
        for (number, constraint) in constraints.iter().enumerate() {
            for &atom in &constraint.atoms {
                constraints_of_atom.entry(atom).or_default().push(number as u32);
            }
        }
        let mut propagator = Assumptions::new(&ground);
        let literals: Vec<i32> = obvious.iter().flat_map(|&part| program.assumptions(part)).copied().collect();
        propagator.assume(&literals);
        propagator.assume(known);
        drop(ground);
        let mut steps = StepSearch {
            program,
            stop: stop.clone(),
            propagator,
            techniques,
            constraints,
            constraints_of_atom,
            named_atoms,
            obvious,
            query_atoms,
            targets,
            known: known.to_vec(),
            steps: 0,
            last_failed: Default::default(),
            last_changed: FxHashMap::default(),
            one_footprints: Footprints::default(),
            all_footprints: Footprints::default(),
            activations_left: 0,
            core_time_left: CORE_TIME,
            verdict,
        };
        steps.drop_known_targets();
        Ok(steps)
    }

    /// Returns the value of `literal`, if it is known.
    pub fn value(&self, literal: i32) -> Option<bool> {
        self.propagator.value(literal)
    }

    /// Returns true if the program names solving techniques.
    pub fn has_techniques(&self) -> bool {
        self.techniques.is_some()
    }

    pub fn program(&mut self) -> &mut RelaxedProgram {
        self.program
    }

    /// Returns the next step and adds its conclusions to the known literals.
    pub fn next_step(&mut self) -> Result<NextStep, Failure> {
        if let Some(verdict) = &self.verdict {
            return Ok(verdict.clone());
        }
        let step = match self.find_reason()? {
            Ok((target, reason)) => self.conclude(target, reason)?,
            Err(StopReason::Unproven) => return Ok(self.finish()),
            Err(reason) => return Ok(NextStep::Unknown(reason)),
        };
        Ok(NextStep::Step(step))
    }

    /// Returns the final result when nothing more follows.
    fn finish(&mut self) -> NextStep {
        let left = self.query_atoms.keys().filter(|&&atom| self.propagator.value(atom).is_none()).count();
        self.verdict.get_or_insert(if left == 0 { NextStep::Solved } else { NextStep::Open(left) }).clone()
    }

    /// Drops the targets whose value is known.
    fn drop_known_targets(&mut self) {
        let propagator = &self.propagator;
        self.targets.retain(|&literal| propagator.value(literal).is_none());
    }

    /// Returns a target and a smallest reason for it. Tries methods of increasing cost.
    fn find_reason(&mut self) -> Result<Result<(i32, ConstraintSet), StopReason>, Failure> {
        if let Some(found) = self.by_one().or_else(|| self.by_cases()) {
            return Ok(Ok(found));
        }
        if let Some(found) = self.easiest()? {
            return Ok(Ok(found));
        }
        let (refuted, explained) = self.by_full_propagation();
        if let Some((_, reasons)) = &explained {
            self.activations_left = MAX_ACTIVATIONS;
            for size in 2..reasons.len() {
                if let Some(found) = self.search_targets(&refuted, size) {
                    return Ok(Ok(found));
                }
            }
        }
        if let Some(reason) = self.stop.requested() {
            return Ok(Err(reason));
        }
        match explained.or_else(|| self.by_split()) {
            Some(found) => Ok(Ok(found)),
            None => self.by_cores(),
        }
    }

    /// Searches for a target that `size` constraints imply.
    fn search_targets(&mut self, targets: &[i32], size: usize) -> Option<(i32, ConstraintSet)> {
        for &target in targets {
            if self.stop.requested().is_some() || self.activations_left == 0 {
                return None;
            }
            if let Some(found) = self.refute(target, size) {
                return Some((target, found));
            }
        }
        None
    }

    /// Finds a target that follows from at most one constraint. Tries the targets near the last
    /// steps first, but gives up only after all have been tried.
    fn by_one(&mut self) -> Option<(i32, ConstraintSet)> {
        self.one_footprints.record_known(&self.propagator);
        for (is_near, size) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
            for target in self.due_targets(size, is_near) {
                if self.stop.requested().is_some() {
                    return None;
                }
                if let Some(found) = self.refute(target, size) {
                    return Some((target, found));
                }
                self.last_failed[size].insert(target, self.steps);
            }
        }
        None
    }

    /// Returns the targets whose last failed search of this `kind` is older than the last change in
    /// their constraints. If not `is_near`, returns those whose last failed search is older than
    /// the last step; targets that were tried least recently come first.
    fn due_targets(&self, kind: usize, is_near: bool) -> Vec<i32> {
        let last_failed = |target: &i32| self.last_failed[kind].get(target).copied();
        let last_change =
            |target: &i32| if is_near { self.last_changed.get(&target.abs()).copied() } else { Some(self.steps) };
        let is_open = |target: &i32| {
            last_failed(target).is_none_or(|last| last_change(target).is_some_and(|last_change| last < last_change))
        };
        let mut untried: Vec<i32> = self.targets.iter().copied().filter(is_open).collect();
        if !is_near {
            sorting::sort_by_key(&mut untried, last_failed);
        }
        untried
    }

    /// Finds `size` constraints with which propagation refutes the negation of `target`.
    fn refute(&mut self, target: i32, size: usize) -> Option<ConstraintSet> {
        if size < 2 && self.one_footprints.would_fail_again(Trial::Negation(target)) {
            return None;
        }
        let mut reason = None;
        if self.propagator.assume(&[-target]) {
            if size > 0 {
                if size == 1 {
                    self.one_footprints.start(&self.propagator);
                }
                let mut seen = FxHashSet::default();
                let near = self.constraints_of_implied(&mut seen);
                let mut tried = FxHashSet::default();
                let mut chosen = Vec::new();
                reason = self.search_constraints(size, &near, &mut chosen, &mut tried);
            }
        } else {
            reason = Some(Vec::new());
        }
        self.propagator.undo();
        if size == 1 && reason.is_none() {
            self.one_footprints.mark_failed(Trial::Negation(target));
        }
        reason
    }

    /// Returns the constraints that are not in `seen` and have an atom that the last level has
    /// assigned, and adds them to `seen`.
    fn constraints_of_implied(&self, seen: &mut FxHashSet<u32>) -> Vec<u32> {
        let atoms = self.propagator.implied().map(|literal| literal.abs());
        let all = atoms.filter_map(|atom| self.constraints_of_atom.get(&atom)).flatten().copied();
        all.filter(|&number| seen.insert(number)).collect()
    }

    /// Searches for `size` further constraints that lead to a conflict, starting with one in
    /// `near`. `chosen` are the active ones, `tried` the sets that were tried before.
    fn search_constraints(
        &mut self,
        size: usize,
        near: &[u32],
        chosen: &mut ConstraintSet,
        tried: &mut FxHashSet<ConstraintSet>,
    ) -> Option<ConstraintSet> {
        for &number in near {
            if size > 1 && self.activations_left == 0 || self.stop.requested().is_some() {
                return None;
            }
            let is_on = |literal: &i32| self.propagator.value(*literal) == Some(true);
            if self.constraints[number as usize].switch.iter().all(is_on) {
                continue;
            }
            chosen.push(number);
            let mut key = chosen.clone();
            key.sort_unstable();
            let found =
                if size < 2 || tried.insert(key) { self.activate(number, size, near, chosen, tried) } else { None };
            chosen.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Continues [`StepSearch::search_constraints`] with the constraint `number` active.
    fn activate(
        &mut self,
        number: u32,
        size: usize,
        near: &[u32],
        chosen: &mut ConstraintSet,
        tried: &mut FxHashSet<ConstraintSet>,
    ) -> Option<ConstraintSet> {
        let mut found = None;
        self.activations_left = self.activations_left.saturating_sub(1);
        if !self.propagator.assume(&self.constraints[number as usize].switch) {
            found = Some(self.conflict_constraints());
        } else if size == 1 && chosen.len() == 1 {
            self.one_footprints.extend(&self.propagator);
        } else if size > 1 && self.propagator.implied().any(|literal| self.named_atoms.contains(&literal.abs())) {
            let mut seen: FxHashSet<u32> = near.iter().copied().collect();
            let more = self.constraints_of_implied(&mut seen);
            let near: Vec<u32> = near.iter().copied().chain(more).filter(|other| !chosen.contains(other)).collect();
            found = self.search_constraints(size - 1, &near, chosen, tried);
        }
        self.propagator.undo();
        found
    }

    /// Returns the constraints that cause the conflict.
    fn conflict_constraints(&self) -> ConstraintSet {
        let assumptions: FxHashSet<i32> = self.propagator.conflict_assumptions().into_iter().collect();
        self.constraints_of_assumptions(&assumptions)
    }

    fn constraints_of_assumptions(&self, assumptions: &FxHashSet<i32>) -> ConstraintSet {
        let is_in = |constraint: &Constraint| constraint.switch.iter().any(|literal| assumptions.contains(literal));
        (0..self.constraints.len() as u32).filter(|&number| is_in(&self.constraints[number as usize])).collect()
    }

    /// Finds a target that follows from one constraint by case distinction over its atoms.
    fn by_cases(&mut self) -> Option<(i32, ConstraintSet)> {
        let is_target: FxHashSet<i32> = self.targets.iter().copied().collect();
        let mut best: Option<(i32, ConstraintSet)> = None;
        for number in 0..self.constraints.len() {
            if self.one_footprints.would_fail_again(Trial::Cases(number as u32)) {
                continue;
            }
            let is_open = |atom: &&i32| self.propagator.value(**atom).is_none();
            let atoms: Vec<i32> = self.constraints[number].atoms.iter().filter(is_open).copied().collect();
            if atoms.is_empty() || self.stop.requested().is_some() {
                continue;
            }
            let targets: Vec<i32> =
                atoms.iter().flat_map(|&atom| [atom, -atom]).filter(|literal| is_target.contains(literal)).collect();
            self.propagator.assume(&self.constraints[number].switch);
            self.one_footprints.start(&self.propagator);
            let mut is_in_vain = true;
            for target in targets {
                if target < 0 && best.is_some() || self.stop.requested().is_some() {
                    is_in_vain = false;
                    continue;
                }
                let mut budget = MAX_CASES;
                let may_hold = self.is_consistent(&[-target], &atoms, &mut budget);
                is_in_vain &= may_hold && budget > 0;
                if !may_hold && budget > 0 {
                    best = Some((target, vec![number as u32]));
                    if target > 0 {
                        self.propagator.undo();
                        return best;
                    }
                }
            }
            self.propagator.undo();
            if is_in_vain {
                self.one_footprints.mark_failed(Trial::Cases(number as u32));
            }
        }
        best
    }

    /// Returns false if propagation refutes every assignment of `atoms` under the literals
    /// `assumed`; true otherwise, or if `budget` is used up.
    fn is_consistent(&mut self, assumed: &[i32], atoms: &[i32], budget: &mut usize) -> bool {
        let mut holds = self.propagator.assume(assumed);
        self.one_footprints.extend(&self.propagator);
        if holds && *budget > 0 {
            *budget -= 1;
            if let Some(&atom) = atoms.iter().find(|&&atom| self.propagator.value(atom).is_none()) {
                holds = self.is_consistent(&[atom], atoms, budget) || self.is_consistent(&[-atom], atoms, budget);
            }
        }
        self.propagator.undo();
        holds
    }

    /// Returns the targets that propagation refutes with every constraint active, and a smallest
    /// minimised explanation.
    fn by_full_propagation(&mut self) -> (Vec<i32>, Option<(i32, ConstraintSet)>) {
        let mut explained: Vec<(i32, Option<i32>, ConstraintSet)> = Vec::new();
        self.activate_all();
        self.all_footprints.record_known(&self.propagator);
        for &target in &self.targets {
            if self.stop.requested().is_some() {
                break;
            }
            if self.all_footprints.would_fail_again(Trial::Negation(target)) {
                continue;
            }
            if self.propagator.assume(&[-target]) {
                self.all_footprints.start(&self.propagator);
                self.all_footprints.mark_failed(Trial::Negation(target));
            } else {
                explained.push((target, None, self.conflict_constraints()));
            }
            self.propagator.undo();
        }
        self.propagator.undo();
        let refuted: Vec<i32> = explained.iter().map(|(target, ..)| *target).collect();
        for &target in &refuted {
            explained.extend(self.bfs_layers(&[-target]).1.map(|found| (target, None, found)));
        }
        (refuted, self.smallest_explanation(explained))
    }

    /// Activates the constraints layer by layer, starting from the literals `assumed`, until a
    /// conflict occurs. The constraints of such a conflict are close to the assumed literals.
    /// Returns the number of layers and, if there is a conflict, its constraints.
    fn bfs_layers(&mut self, assumed: &[i32]) -> (usize, Option<ConstraintSet>) {
        let mut layers = 0;
        let mut seen = FxHashSet::default();
        let mut is_possible = self.propagator.assume(assumed);
        while is_possible {
            let near = self.constraints_of_implied(&mut seen);
            if near.is_empty() {
                break;
            }
            let switches: Vec<i32> =
                near.iter().flat_map(|&number| self.constraints[number as usize].switch.iter().copied()).collect();
            is_possible = self.propagator.assume(&switches);
            layers += 1;
        }
        let found = (!is_possible).then(|| self.conflict_constraints());
        for _ in 0..=layers {
            self.propagator.undo();
        }
        (layers, found)
    }

    /// Finds a target for which both values of some atom lead to a conflict with every constraint
    /// active.
    fn by_split(&mut self) -> Option<(i32, ConstraintSet)> {
        let mut explained = Vec::new();
        self.activate_all();
        for target in self.due_targets(SPLIT_KIND, true) {
            if self.stop.requested().is_some() || explained.len() == MAX_EXPLANATIONS {
                break;
            }
            let is_possible = self.propagator.assume(&[-target]);
            let near = if is_possible { self.split_atoms() } else { Vec::new() };
            let found = |split: i32| Some((target, Some(split), self.refuting_constraints(&[], Some(split))?));
            let smallest = near.into_iter().take(MAX_SPLITS).filter_map(found).min_by_key(|(.., found)| found.len());
            self.propagator.undo();
            match smallest {
                Some(found) => explained.push(found),
                None => drop(self.last_failed[SPLIT_KIND].insert(target, self.steps)),
            }
        }
        self.propagator.undo();
        self.smallest_explanation(explained)
    }

    /// Returns the unassigned atoms of the constraints in which the last level has assigned an
    /// atom.
    fn split_atoms(&self) -> Vec<i32> {
        let near = self.constraints_of_implied(&mut FxHashSet::default());
        let atoms = near.iter().flat_map(|&number| &self.constraints[number as usize].atoms).copied();
        let mut is_new = FxHashSet::default();
        atoms.filter(|&atom| self.propagator.value(atom).is_none() && is_new.insert(atom)).collect()
    }

    fn activate_all(&mut self) {
        let all: Vec<i32> = self.constraints.iter().flat_map(|constraint| constraint.switch.iter().copied()).collect();
        self.propagator.assume(&all);
    }

    /// Returns the constraints with which propagation refutes the literals `assumed`, or together
    /// with these both values of the atom `split`. Returns `None` if it refutes neither.
    fn refuting_constraints(&mut self, assumed: &[i32], split: Option<i32>) -> Option<ConstraintSet> {
        let refuted = match (self.propagator.assume(assumed), split) {
            (false, _) => Some(self.conflict_constraints()),
            (true, None) => None,
            (true, Some(atom)) => self.refuting_constraints(&[atom], None).and_then(|mut constraints| {
                constraints.extend(self.refuting_constraints(&[-atom], None)?);
                constraints.sort_unstable();
                constraints.dedup();
                Some(constraints)
            }),
        };
        self.propagator.undo();
        refuted
    }

    /// Minimises the smallest explanations, each in two orders of deletion, and returns the
    /// smallest result.
    fn smallest_explanation(
        &mut self,
        mut explained: Vec<(i32, Option<i32>, ConstraintSet)>,
    ) -> Option<(i32, ConstraintSet)> {
        let key = |target: i32, found: &ConstraintSet| (found.len(), target < 0);
        sorting::sort_by_key(&mut explained, |(target, _, found)| key(*target, found));
        explained.truncate(MAX_EXPLANATIONS);
        let both_orders = explained.into_iter().flat_map(|(target, split, found)| {
            let backwards: ConstraintSet = found.iter().rev().copied().collect();
            [found, backwards].map(|found| (target, split, found))
        });
        let minimal = both_orders.map(|(target, split, found)| (target, self.minimize(target, split, found)));
        minimal.min_by_key(|(target, found)| key(*target, found))
    }

    /// Removes constraints from `found` until the refutation of the negation of `target` needs all
    /// of them.
    fn minimize(&mut self, target: i32, split: Option<i32>, mut found: ConstraintSet) -> ConstraintSet {
        let mut at = 0;
        while at < found.len() {
            let others = found.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, &number)| number);
            let switches = others.flat_map(|number| self.constraints[number as usize].switch.iter().copied());
            let assumed: Vec<i32> = [-target].into_iter().chain(switches).collect();
            match self.refuting_constraints(&assumed, split) {
                // This does not remove earlier constraints: each of them was needed when it was
                // tried.
                Some(needed) => found.retain(|number| needed.contains(number)),
                None => at += 1,
            }
        }
        found
    }

    /// Finds a target whose negation the solver refutes with every constraint active.
    fn by_cores(&mut self) -> Result<Result<(i32, ConstraintSet), StopReason>, Failure> {
        let all: Vec<usize> = (0..self.program.len()).collect();
        let place: FxHashMap<usize, u32> =
            self.constraints.iter().enumerate().map(|(number, constraint)| (constraint.part, number as u32)).collect();
        let started = Instant::now();
        let deadline = self.stop.child_until(Some(started + MIN_CORE_TIME.max(self.core_time_left / 2)));
        let mut cores: Vec<(i32, Vec<usize>)> = Vec::new();
        let mut at = 0;
        let is_enough = |cores: usize| cores == MAX_CORES || cores > 0 && deadline.token.requested().is_some();
        while at < self.targets.len() && !is_enough(cores.len()) {
            let target = self.targets[at];
            match self.program.solve(&all, &self.known_with(-target))? {
                SolveOutcome::Unknown(reason) => return Ok(Err(reason)),
                SolveOutcome::Unsatisfiable(core) => {
                    cores.push((target, core));
                    at += 1;
                }
                SolveOutcome::Satisfiable(_) => self.drop_refuted_targets(target)?,
            }
        }
        sorting::sort_by_key(&mut cores, |(target, core)| (core.len(), *target < 0));
        let Some((target, mut core)) = cores.into_iter().next() else { return Ok(Err(StopReason::Unproven)) };
        core.retain(|part| place.contains_key(part));
        let obvious = self.obvious.iter().flat_map(|&part| self.program.assumptions(part)).copied();
        let always = obvious.chain(self.known_with(-target)).collect();
        let groups = core.iter().map(|&part| self.program.assumptions(part).to_vec()).collect();
        let needed = cause::minimal_mus_or_all(
            &mut cause::AssumptionOracle { relaxed: self.program, always, groups },
            &deadline.token,
        )?;
        self.core_time_left = self.core_time_left.saturating_sub(started.elapsed());
        match self.stop.requested() {
            Some(reason) => Ok(Err(reason)),
            None => Ok(Ok((target, needed.into_iter().map(|part| place[&core[part]]).collect()))),
        }
    }

    /// Drops `target` and all other targets that are false in some answer in which `target` is
    /// false. Such an answer exists and shows that they do not follow.
    fn drop_refuted_targets(&mut self, target: i32) -> Result<(), Failure> {
        let all: Vec<usize> = (0..self.program.len()).collect();
        let answer = self.program.model(&all, &self.known_with(-target))?.unwrap_or_default();
        let answer: FxHashSet<Symbol> = answer.into_iter().collect();
        let query_atoms = &self.query_atoms;
        let holds = |literal: i32| answer.contains(&query_atoms[&literal.abs()]) == (literal > 0);
        self.targets.retain(|&literal| literal != target && holds(literal));
        Ok(())
    }

    fn known_with(&self, literal: i32) -> Vec<i32> {
        self.known.iter().copied().chain([literal]).collect()
    }

    /// Returns a smallest reason with the easiest technique, if the program names techniques.
    fn easiest(&mut self) -> Result<Option<(i32, ConstraintSet)>, Failure> {
        if self.techniques.is_none() {
            return Ok(None);
        }
        let Some((found, _)) = self.exact() else { return Ok(None) };
        Ok(self.easiest_of(found)?.into_iter().next().map(|(target, found, _)| (target, found)))
    }

    /// Returns the technique of each step, if it has one. All steps must be possible in the current
    /// state.
    fn techniques_of(&self, steps: &[(i32, ConstraintSet)]) -> Result<Vec<Option<Technique>>, Failure> {
        let Some(techniques) = &self.techniques else { return Ok(vec![None; steps.len()]) };
        let with_parts = |(target, found): &(i32, ConstraintSet)| {
            let parts = found.iter().map(|&number| self.constraints[number as usize].part).collect();
            ((self.query_atoms[&target.abs()], *target > 0), parts)
        };
        let of_value = |value| {
            self.query_atoms.iter().filter(move |(literal, _)| self.value(**literal) == value).map(|(_, &atom)| atom)
        };
        techniques.classify(
            self.program,
            of_value(None),
            of_value(Some(true)),
            &steps.iter().map(with_parts).collect::<Vec<_>>(),
        )
    }

    /// Adds `target`, which follows from the reason `found`, and everything else that follows from
    /// it to the known literals.
    fn conclude(&mut self, target: i32, found: ConstraintSet) -> Result<HintStep, Failure> {
        let technique = self.techniques_of(&[(target, found.clone())])?.pop().flatten();
        let switches: Vec<i32> =
            found.iter().flat_map(|&number| self.constraints[number as usize].switch.iter().copied()).collect();
        let mut follows = vec![target];
        let nearby: FxHashSet<i32> =
            found.iter().flat_map(|&number| self.constraints[number as usize].atoms.iter().copied()).collect();
        if self.propagator.assume(&switches) {
            for at in 0..self.targets.len() {
                let other = self.targets[at];
                let is_refuted = match self.propagator.value(other) {
                    Some(value) => value,
                    // A named step reports all its conclusions, including those that need obvious
                    // constraints.
                    None if self.techniques.is_some() || nearby.contains(&other.abs()) => {
                        let is_possible = self.propagator.assume(&[-other]);
                        self.propagator.undo();
                        !is_possible
                    }
                    None => false,
                };
                if is_refuted && other != target {
                    follows.push(other);
                }
            }
        }
        self.propagator.undo();
        sorting::sort_by_key(&mut follows, |literal| *literal < 0);
        self.steps += 1;
        // Conclusions that earlier ones obviously imply are not reported.
        let mut reported = Vec::new();
        for literal in follows {
            if self.propagator.value(literal).is_none() {
                reported.push(literal);
                self.propagator.assume(&[literal]);
                let near = self.constraints_of_implied(&mut FxHashSet::default());
                let atoms = near.iter().flat_map(|&number| &self.constraints[number as usize].atoms);
                self.last_changed.extend(atoms.map(|&atom| (atom, self.steps)));
            }
        }
        self.known.extend(&reported);
        self.drop_known_targets();
        let mut reasons: Vec<usize> = found.iter().map(|&number| self.constraints[number as usize].part).collect();
        reasons.sort_unstable();
        let mut follows: Vec<(Symbol, bool)> =
            reported.into_iter().map(|literal| (self.query_atoms[&literal.abs()], literal > 0)).collect();
        asp::sort_by_symbols(&mut follows, |&(atom, _)| asp::is_deep(atom), |&(atom, holds)| (!holds, atom));
        let atoms = nearby.iter().filter_map(|atom| self.query_atoms.get(atom).copied()).collect();
        Ok(HintStep { conclusions: follows, reasons, technique, atoms })
    }
}

/// Returns the query atoms as literals that hold in an answer with the literals `known`. Atoms that
/// hold come first, so that they are reported before atoms that do not.
fn literals_of_answer(program: &mut RelaxedProgram, parts: &[usize], known: &[i32]) -> Result<Vec<i32>, Failure> {
    let answer: FxHashSet<Symbol> = program.model(parts, known)?.unwrap_or_default().into_iter().collect();
    let literal = |(atom, literal): &(Symbol, i32)| if answer.contains(atom) { *literal } else { -literal };
    let mut literals: Vec<i32> = program.query_atoms().iter().map(literal).collect();
    sorting::sort_by_key(&mut literals, |literal| *literal < 0);
    Ok(literals)
}
