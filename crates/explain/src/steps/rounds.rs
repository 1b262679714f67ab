//! Measures the difficulty of a program independently of the order of its atoms: a rotated or
//! reflected board has the same rating.
//!
//! A hint is one of several equally small steps, and the following steps depend on this choice. A
//! rating therefore proceeds in rounds: in each, all conclusions from smallest reasons become known
//! at the same time.
//!
//! ```text
//!   conclusions from         are found by                              size
//!   no or one constraint     propagation; cases over the atoms of      exact
//!                            one constraint
//!   k constraints            propagation, every set of k tried         exact
//!   too many sets            propagation with all active, outwards     at least the distance
//!                            from the negation
//!   cases over one atom      the same in both cases                    at least the longer distance
//!   the program              the solver                                at least the distance at which
//!                                                                      propagation ends
//! ```
//!
//! The distance counts layers: the first layer activates the constraints with an atom that the
//! negation implies, the next layer those with an atom that the first layer implies, and so on. No
//! reason with fewer constraints can be found by propagation. The propagated literals and the sets
//! that can be reached depend on the ground program alone, and so does the point where the search
//! for exact sizes ends.

use base::diagnostic::Failure;
use base::stop::StopReason;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ConstraintSet, NextStep, SolveOutcome, StepSearch, Technique, Trial};

/// Maximum number of constraint activations per round and size, shared equally by all targets.
const MAX_TRIALS: usize = 100_000;
/// Maximum number of unassigned atoms in a constraint that is split into cases.
const MAX_CASE_ATOMS: usize = 10;
/// The easiest reason for a target is chosen among at most this many reasons of equal size.
const MAX_ALTERNATIVES: usize = 50;

/// All conclusions that follow from a reason of the smallest size found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The technique of each new conclusion. Atoms that obviously do not hold because others hold
    /// are left out. If the program names techniques and `is_exact`, all conclusions have the easiest
    /// level.
    pub found: Vec<Option<Technique>>,
    /// The number of constraints in a reason.
    pub size: usize,
    /// True if a reason of that size was found; otherwise `size` is a lower bound.
    pub is_exact: bool,
}

/// The result of a search for reasons of one size.
enum SizeSearch {
    Reasons(Vec<ConstraintSet>),
    /// No reason has this size. The number of constraints that a search for the next larger size
    /// would activate.
    NoneFound(usize),
}

/// A target literal and its reasons.
type TargetReasons = (i32, Vec<ConstraintSet>);

impl StepSearch<'_> {
    /// Returns the next round, or the final result.
    pub fn next_round(&mut self) -> Result<Result<Round, NextStep>, Failure> {
        if let Some(verdict) = &self.verdict {
            return Ok(Err(verdict.clone()));
        }
        let (found, size, is_exact) = match self.exact() {
            Some((found, size)) => {
                let easiest = self.easiest_of(found)?.into_iter();
                (easiest.map(|(target, _, name)| (target, name)).collect(), size, true)
            }
            None => match self.bounded()? {
                Some((found, size)) => {
                    let names = self.chain_techniques(&found)?;
                    (found.into_iter().zip(names).collect(), size, false)
                }
                None => (Vec::new(), 0, false),
            },
        };
        Ok(match self.stop.requested() {
            Some(reason) => Err(NextStep::Unknown(reason)),
            None if found.is_empty() => Err(self.finish()),
            None => Ok(Round { found: self.record_round(found), size, is_exact }),
        })
    }

    /// Returns the targets of the easiest level, each with its easiest reason and its technique.
    pub(super) fn easiest_of(
        &self,
        found: Vec<(i32, Vec<ConstraintSet>)>,
    ) -> Result<Vec<(i32, ConstraintSet, Option<Technique>)>, Failure> {
        let steps: Vec<(i32, ConstraintSet)> = found
            .into_iter()
            .flat_map(|(target, reasons)| reasons.into_iter().map(move |reason| (target, reason)))
            .collect();
        let names = self.techniques_of(&steps)?;
        let level = |name: &Option<Technique>| name.as_ref().map_or(i32::MAX, |name| name.level);
        let least = names.iter().map(level).min().unwrap_or_default();
        let mut easiest: Vec<(i32, ConstraintSet, Option<Technique>)> = Vec::new();
        // Of several techniques of the same level, the one with the first name is chosen, since the
        // result must not depend on the order of cells.
        let name_of = |name: &Option<Technique>| name.as_ref().map(|name| name.name.clone());
        for ((target, reasons), name) in steps.into_iter().zip(names).filter(|(_, name)| level(name) == least) {
            match easiest.last_mut() {
                Some((other, ..)) if *other != target => easiest.push((target, reasons, name)),
                None => easiest.push((target, reasons, name)),
                Some((_, best_reasons, best_name)) if name_of(&name) < name_of(best_name) => {
                    (*best_reasons, *best_name) = (reasons, name);
                }
                Some(_) => {}
            }
        }
        Ok(easiest)
    }

    /// Returns the targets with the smallest reasons, and these reasons, if the search space is
    /// small enough.
    pub(super) fn exact(&mut self) -> Option<(Vec<TargetReasons>, usize)> {
        self.one_footprints.record_known(&self.propagator);
        for size in [0, 1] {
            let reason = |steps: &mut Self, target: i32| {
                let reason = steps.refute(target, size)?;
                // Each of the single constraints may be the one with the easiest technique.
                let all = if size == 1 && steps.techniques.is_some() {
                    Some(steps.reasons_of_size(target, size))
                } else {
                    None
                };
                Some((target, if let Some(SizeSearch::Reasons(all)) = all { all } else { vec![reason] }))
            };
            let found = self.map_targets(&self.targets.clone(), reason);
            if !found.is_empty() {
                return Some((found, size));
            }
        }
        let found = self.all_by_cases();
        if !found.is_empty() {
            return Some((found, 1));
        }
        let mut left = self.refuted_by_all();
        let max_trials = MAX_TRIALS / left.len().max(1);
        for size in 1.. {
            let mut found = Vec::new();
            let mut next = Vec::new();
            for target in left {
                if self.stop.requested().is_some() {
                    return None;
                }
                match self.reasons_of_size(target, size) {
                    SizeSearch::Reasons(reasons) => found.push((target, reasons)),
                    SizeSearch::NoneFound(trials) if (1..=max_trials).contains(&trials) => next.push(target),
                    SizeSearch::NoneFound(_) => {}
                }
            }
            if !found.is_empty() {
                return Some((found, size));
            }
            if next.is_empty() {
                break;
            }
            left = next;
        }
        None
    }

    /// Returns the nearest targets and a lower bound for the size of their reasons.
    fn bounded(&mut self) -> Result<Option<(Vec<i32>, usize)>, Failure> {
        let refuted = self.refuted_by_all();
        let mut bounds: Vec<(i32, usize)> = Vec::new();
        for target in refuted {
            bounds.push((target, self.bfs_layers(&[-target]).0));
        }
        if bounds.is_empty() {
            if let Some(reason) = self.keep_entailed()? {
                self.verdict = Some(NextStep::Unknown(reason));
                return Ok(None);
            }
            for target in self.targets.clone() {
                if self.stop.requested().is_some() {
                    return Ok(None);
                }
                bounds.extend(self.distance_by_cases(target).map(|distance| (target, distance)));
            }
        }
        if bounds.is_empty() {
            for target in self.targets.clone() {
                bounds.push((target, self.bfs_layers(&[-target]).0));
            }
        }
        // Reasons of one constraint have already been ruled out.
        let Some(least) = bounds.iter().map(|&(_, bound)| bound.max(2)).min() else { return Ok(None) };
        let nearest = bounds.into_iter().filter(|&(_, bound)| bound <= least).map(|(target, _)| target);
        Ok(Some((nearest.collect(), least)))
    }

    /// Returns the technique of each target whose smallest reason is unknown. A reason of chains
    /// consists of all constraints with two open atoms, and perhaps one with more; any other reason
    /// consists of all constraints. So the result does not depend on the order of atoms.
    fn chain_techniques(&mut self, targets: &[i32]) -> Result<Vec<Option<Technique>>, Failure> {
        if self.techniques.is_none() {
            return Ok(vec![None; targets.len()]);
        }
        let (links, wide) = self.constraints_by_width();
        let all: ConstraintSet = [&links[..], &wide].concat();
        let mut reasons: Vec<Vec<ConstraintSet>> = Vec::new();
        for &target in targets {
            let chains = [&[][..]].into_iter().chain(wide.chunks(1));
            let mut found = Vec::new();
            for more in chains {
                let set = [&links[..], more].concat();
                if self.stop.requested().is_none() && self.is_refuted_by(target, &set) {
                    found.push(set);
                    if more.is_empty() {
                        break;
                    }
                }
            }
            if found.is_empty() && self.is_refuted_by(target, &all) {
                found.push(all.clone());
            }
            reasons.push(found);
        }
        // Targets share sets, so each set is classified once.
        let mut classified: FxHashMap<&ConstraintSet, Option<Technique>> = FxHashMap::default();
        for (&target, sets) in targets.iter().zip(&reasons) {
            for set in sets {
                if !classified.contains_key(set) {
                    let name = self.techniques_of(&[(target, set.clone())])?.pop().flatten();
                    classified.insert(set, name);
                }
            }
        }
        let easiest = |sets: &Vec<ConstraintSet>| {
            let names = sets.iter().filter_map(|set| classified[set].as_ref());
            names.min_by_key(|name| (name.level, &name.name)).cloned()
        };
        Ok(reasons.iter().map(easiest).collect())
    }

    /// Returns the constraints with one or two open atoms, and those with more.
    fn constraints_by_width(&self) -> (ConstraintSet, ConstraintSet) {
        let open_atoms = |number: &u32| {
            let atoms = self.constraints[*number as usize].atoms.iter();
            atoms.filter(|atom| self.propagator.value(**atom).is_none()).count()
        };
        (0..self.constraints.len() as u32)
            .filter(|number| open_atoms(number) > 0)
            .partition(|number| open_atoms(number) <= 2)
    }

    /// Returns true if propagation refutes the negation of `target` with these constraints active.
    fn is_refuted_by(&mut self, target: i32, set: &[u32]) -> bool {
        let switches: Vec<i32> =
            set.iter().flat_map(|&number| self.constraints[number as usize].switch.iter().copied()).collect();
        let is_possible = self.propagator.assume(&[-target]) && {
            let is_possible = self.propagator.assume(&switches);
            self.propagator.undo();
            is_possible
        };
        self.propagator.undo();
        !is_possible
    }

    /// Applies `map` to each target until the run is cancelled, and returns the results.
    fn map_targets<T>(&mut self, targets: &[i32], mut map: impl FnMut(&mut Self, i32) -> Option<T>) -> Vec<T> {
        let map_unless_cancelled =
            |&target: &i32| if self.stop.requested().is_none() { map(self, target) } else { None };
        targets.iter().filter_map(map_unless_cancelled).collect()
    }

    /// Returns the targets whose negation propagation refutes with every constraint active.
    fn refuted_by_all(&mut self) -> Vec<i32> {
        self.activate_all();
        let is_refuted = |steps: &mut Self, target: i32| steps.refuting_constraints(&[-target], None).map(|_| target);
        let found = self.map_targets(&self.targets.clone(), is_refuted);
        self.propagator.undo();
        found
    }

    /// Returns the targets that follow from one constraint by case distinction over its atoms.
    fn all_by_cases(&mut self) -> Vec<(i32, Vec<ConstraintSet>)> {
        let all: FxHashSet<i32> = self.targets.iter().copied().collect();
        let mut left = all.clone();
        let mut found = Vec::new();
        for number in 0..self.constraints.len() {
            if self.one_footprints.would_fail_again(Trial::Cases(number as u32)) {
                continue;
            }
            let is_open = |atom: &i32| self.propagator.value(*atom).is_none();
            let atoms: Vec<i32> = self.constraints[number].atoms.iter().copied().filter(is_open).collect();
            if atoms.len() > MAX_CASE_ATOMS || self.stop.requested().is_some() {
                continue;
            }
            self.propagator.assume(&self.constraints[number].switch);
            self.one_footprints.start(&self.propagator);
            let mut is_in_vain = true;
            for target in atoms.iter().flat_map(|&atom| [atom, -atom]).filter(|target| all.contains(target)) {
                let mut budget = usize::MAX;
                let may_hold = left.contains(&target).then(|| self.is_consistent(&[-target], &atoms, &mut budget));
                if may_hold == Some(false) {
                    left.remove(&target);
                    found.push((target, vec![vec![number as u32]]));
                }
                is_in_vain &= may_hold == Some(true);
            }
            self.propagator.undo();
            if is_in_vain {
                self.one_footprints.mark_failed(Trial::Cases(number as u32));
            }
        }
        found
    }

    /// Returns sets of `size` constraints that refute the negation of `target`: at most one set if
    /// the program names no techniques. The caller has ruled out smaller sets.
    fn reasons_of_size(&mut self, target: i32, size: usize) -> SizeSearch {
        let mut found = FxHashSet::default();
        let mut trials = 0;
        self.propagator.assume(&[-target]);
        let mut seen = FxHashSet::default();
        let near = self.constraints_of_implied(&mut seen);
        self.extend_set(size, &near, &mut Vec::new(), &mut FxHashSet::default(), &mut found, &mut trials);
        self.propagator.undo();
        if found.is_empty() {
            return SizeSearch::NoneFound(trials);
        }
        let mut found: Vec<ConstraintSet> = found.into_iter().collect();
        found.sort_unstable();
        SizeSearch::Reasons(found)
    }

    /// Extends the set `chosen` by `size` constraints, starting with one in `near`, and adds the
    /// sets that lead to a conflict to `found`. Visits each set once, and extends only sets whose
    /// last constraint implies something. Adds the number of possible further extensions to
    /// `trials`.
    fn extend_set(
        &mut self,
        size: usize,
        near: &[u32],
        chosen: &mut ConstraintSet,
        tried: &mut FxHashSet<ConstraintSet>,
        found: &mut FxHashSet<ConstraintSet>,
        trials: &mut usize,
    ) {
        let is_on = |steps: &Self, number: u32| {
            let switch = &steps.constraints[number as usize].switch;
            switch.iter().all(|&literal| steps.propagator.value(literal) == Some(true))
        };
        if size == 0 {
            *trials += near.iter().filter(|&&number| !is_on(self, number)).count();
            return;
        }
        for &number in near {
            if is_on(self, number) {
                continue;
            }
            let mut key: ConstraintSet = chosen.iter().copied().chain([number]).collect();
            key.sort_unstable();
            if tried.contains(&key) {
                continue;
            }
            if !self.propagator.assume(&self.constraints[number as usize].switch) {
                found.insert(self.conflict_constraints());
            } else if self.propagator.implied().any(|literal| self.named_atoms.contains(&literal.abs())) {
                tried.insert(key);
                let mut seen: FxHashSet<u32> = near.iter().copied().collect();
                let more = self.constraints_of_implied(&mut seen);
                let near: Vec<u32> = near.iter().copied().chain(more).collect();
                chosen.push(number);
                self.extend_set(size - 1, &near, chosen, tried, found, trials);
                chosen.pop();
            }
            self.propagator.undo();
            if found.len() >= if self.techniques.is_some() { MAX_ALTERNATIVES } else { 1 } {
                return;
            }
        }
    }

    /// Returns the distance at which a case distinction over a nearby atom refutes the negation of
    /// `target`: the larger distance of its two cases, minimised over the atoms.
    fn distance_by_cases(&mut self, target: i32) -> Option<usize> {
        self.activate_all();
        let is_possible = self.propagator.assume(&[-target]);
        let mut splits = if is_possible { self.split_atoms() } else { Vec::new() };
        splits.retain(|&atom| self.refuting_constraints(&[], Some(atom)).is_some());
        self.propagator.undo();
        self.propagator.undo();
        let mut distance = |atom: i32| self.bfs_layers(&[-target, atom]).0.max(self.bfs_layers(&[-target, -atom]).0);
        splits.into_iter().map(&mut distance).min()
    }

    /// Drops the targets that are false in some answer. Returns the reason if the solver gave up.
    fn keep_entailed(&mut self) -> Result<Option<StopReason>, Failure> {
        let all: Vec<usize> = (0..self.program.len()).collect();
        let mut at = 0;
        while at < self.targets.len() {
            let target = self.targets[at];
            match self.program.solve(&all, &self.known_with(-target))? {
                SolveOutcome::Unknown(reason) => return Ok(Some(reason)),
                SolveOutcome::Unsatisfiable(_) => at += 1,
                SolveOutcome::Satisfiable(_) => self.drop_refuted_targets(target)?,
            }
        }
        Ok(None)
    }

    /// Adds all conclusions of a round to the known literals and returns the techniques of those
    /// that are reported.
    fn record_round(&mut self, found: Vec<(i32, Option<Technique>)>) -> Vec<Option<Technique>> {
        let (positive, negative): (Vec<_>, Vec<_>) = found.into_iter().partition(|(literal, _)| *literal > 0);
        let literals = |found: &[(i32, _)]| found.iter().map(|(literal, _)| *literal).collect::<Vec<i32>>();
        let (positive_literals, negative_literals) = (literals(&positive), literals(&negative));
        self.propagator.assume(&positive_literals);
        let reported = negative.into_iter().filter(|&(literal, _)| self.propagator.value(literal).is_none());
        let reported = positive.into_iter().chain(reported).map(|(_, name)| name).collect();
        self.propagator.assume(&negative_literals);
        self.known.extend(positive_literals.into_iter().chain(negative_literals));
        self.drop_known_targets();
        reported
    }
}
