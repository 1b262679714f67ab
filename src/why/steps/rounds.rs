//! How hard a program is, in figures that do not depend on the order of its atoms: a board that is turned or mirrored has the same.
//!
//! A hint is one of several equally small steps, and which one is taken decides what is known after it. So a rating goes by rounds:
//! all that follows from the smallest reasons there are becomes known at once.
//!
//! ```text
//!   what follows from        is seen by                                                   its size
//!   no or one constraint     propagation; cases over the atoms of one constraint          exact
//!   k constraints            propagation, every set of k tried                            exact
//!   too many sets            propagation with all on, outwards from the contrary          at least the distance
//!   cases over one atom      the same in both cases                                       at least the longer distance
//!   the program              the solver                                                   at least the distance at which propagation ends
//! ```
//!
//! The distance counts waves: first the constraints are turned on that have an atom of what the contrary implies, then those that have
//! an atom of what these imply, and so on. No set of fewer constraints is a reason that propagation sees. What is propagated,
//! which sets can be reached and how many there are depend on the ground program alone; so does where the search for exact sizes ends.

use rustc_hash::FxHashSet;

use super::{Found, Next, Outcome, Steps, Technique, Trial};
use crate::diagnostic::Failure;
use crate::stop::Reason;

/// Constraints turned on in one round in search of reasons of one size: as many for each thing that is to be found.
const TRIALS: usize = 100_000;
/// Constraints with more open atoms are not split into cases.
const OPEN: usize = 10;
/// Reasons of one size for the same thing, of which the easiest is taken.
const ALIKE: usize = 50;

/// All that follows from the smallest reasons there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Of each atom that becomes known, what people call the step; not among them are those that obviously do not hold once the
    /// others do. Where steps have names, they are all of the easiest level.
    pub found: Vec<Option<Technique>>,
    /// The number of constraints in a reason.
    pub size: usize,
    /// Whether a reason of that size was found; else there is none smaller.
    pub is_exact: bool,
}

/// What one search for reasons of one size has seen.
enum Seen {
    Reasons(Vec<Found>),
    /// How many constraints a search for reasons one larger turns on.
    Nothing(usize),
}

/// What follows, as a literal, and its reasons.
type Reasons = (i32, Vec<Found>);

impl Steps<'_> {
    /// The next round, or how the rounds end.
    pub fn next_round(&mut self) -> Result<Result<Round, Next>, Failure> {
        if let Some(verdict) = &self.verdict {
            return Ok(Err(verdict.clone()));
        }
        let (found, size, is_exact) = match self.exact() {
            Some((found, size)) => {
                let easiest = self.easiest_of(found)?.into_iter();
                (easiest.map(|(target, _, name)| (target, name)).collect(), size, true)
            }
            None => match self.bounded()? {
                Some((found, size)) => (found.into_iter().map(|target| (target, None)).collect(), size, false),
                None => (Vec::new(), 0, false),
            },
        };
        Ok(match self.stop.requested() {
            Some(reason) => Err(Next::Unknown(reason)),
            None if found.is_empty() => Err(self.end()),
            None => Ok(Round { found: self.learn(found), size, is_exact }),
        })
    }

    /// What people find easiest, with the easiest reason for each.
    pub(super) fn easiest_of(
        &self,
        found: Vec<(i32, Vec<Found>)>,
    ) -> Result<Vec<(i32, Found, Option<Technique>)>, Failure> {
        let steps: Vec<(i32, Found)> =
            found.into_iter().flat_map(|(target, reasons)| reasons.into_iter().map(move |one| (target, one))).collect();
        let names = self.names(&steps)?;
        let level = |name: &Option<Technique>| name.as_ref().map_or(i32::MAX, |name| name.level);
        let least = names.iter().map(level).min().unwrap_or_default();
        let mut easiest: Vec<(i32, Found, Option<Technique>)> = Vec::new();
        // Among names of one level, too, the order of cells decides nothing.
        let name_of = |name: &Option<Technique>| name.as_ref().map(|name| name.name.clone());
        for ((target, reasons), name) in steps.into_iter().zip(names).filter(|(_, name)| level(name) == least) {
            match easiest.last_mut() {
                Some((other, ..)) if *other != target => easiest.push((target, reasons, name)),
                None => easiest.push((target, reasons, name)),
                Some((_, kept, known)) if name_of(&name) < name_of(known) => (*kept, *known) = (reasons, name),
                Some(_) => {}
            }
        }
        Ok(easiest)
    }

    /// What follows from the smallest reasons, with these, as far as they can be searched through.
    pub(super) fn exact(&mut self) -> Option<(Vec<Reasons>, usize)> {
        self.with_one.know(&self.propagation);
        for size in [0, 1] {
            let reason = |steps: &mut Self, target: i32| {
                let one = steps.refute(target, size)?;
                // Of all constraints that alone say so, one has the easiest name.
                let all = if size == 1 && steps.techniques.is_some() { Some(steps.seek(target, size)) } else { None };
                Some((target, if let Some(Seen::Reasons(all)) = all { all } else { vec![one] }))
            };
            let found = self.those(&self.targets.clone(), reason);
            if !found.is_empty() {
                return Some((found, size));
            }
        }
        let found = self.all_by_cases();
        if !found.is_empty() {
            return Some((found, 1));
        }
        let mut left = self.refuted_by_all();
        let most = TRIALS / left.len().max(1);
        for size in 1.. {
            let (mut found, mut next) = (Vec::new(), Vec::new());
            for target in left {
                if self.stop.requested().is_some() {
                    return None;
                }
                match self.seek(target, size) {
                    Seen::Reasons(reasons) => found.push((target, reasons)),
                    Seen::Nothing(trials) if (1..=most).contains(&trials) => next.push(target),
                    Seen::Nothing(_) => {}
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

    /// What follows from what is nearest, and a size that no reason for it falls short of.
    fn bounded(&mut self) -> Result<Option<(Vec<i32>, usize)>, Failure> {
        let refuted = self.refuted_by_all();
        let mut bounds: Vec<(i32, usize)> = Vec::new();
        for target in refuted {
            bounds.push((target, self.wave(&[-target]).0));
        }
        if bounds.is_empty() {
            if let Some(reason) = self.keep_entailed()? {
                self.verdict = Some(Next::Unknown(reason));
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
                bounds.push((target, self.wave(&[-target]).0));
            }
        }
        // Reasons of one constraint have been searched before.
        let Some(least) = bounds.iter().map(|&(_, bound)| bound.max(2)).min() else { return Ok(None) };
        let nearest = bounds.into_iter().filter(|&(_, bound)| bound <= least).map(|(target, _)| target);
        Ok(Some((nearest.collect(), least)))
    }

    /// What there is to tell of targets; of fewer once nobody wants them any more.
    fn those<T>(&mut self, targets: &[i32], mut told: impl FnMut(&mut Self, i32) -> Option<T>) -> Vec<T> {
        let wanted = |&target: &i32| if self.stop.requested().is_none() { told(self, target) } else { None };
        targets.iter().filter_map(wanted).collect()
    }

    /// What propagation refutes the contrary of, with every constraint on.
    fn refuted_by_all(&mut self) -> Vec<i32> {
        self.turn_all_on();
        let is_refuted = |steps: &mut Self, target: i32| steps.refuted_by(&[-target], None).map(|_| target);
        let found = self.those(&self.targets.clone(), is_refuted);
        self.propagation.undo();
        found
    }

    /// What follows from one constraint by cases over its atoms.
    fn all_by_cases(&mut self) -> Vec<(i32, Vec<Found>)> {
        let all: FxHashSet<i32> = self.targets.iter().copied().collect();
        let mut left = all.clone();
        let mut found = Vec::new();
        for number in 0..self.reasons.len() {
            if self.with_one.is_left_alone(Trial::Cases(number as u32)) {
                continue;
            }
            let open = |atom: &i32| self.propagation.value(*atom).is_none();
            let atoms: Vec<i32> = self.reasons[number].atoms.iter().copied().filter(open).collect();
            if atoms.len() > OPEN || self.stop.requested().is_some() {
                continue;
            }
            self.propagation.assume(&self.reasons[number].switch);
            self.with_one.begin(&self.propagation);
            let mut is_in_vain = true;
            for target in atoms.iter().flat_map(|&atom| [atom, -atom]).filter(|target| all.contains(target)) {
                let mut budget = usize::MAX;
                let may_hold = left.contains(&target).then(|| self.may_hold(&[-target], &atoms, &mut budget));
                if may_hold == Some(false) {
                    left.remove(&target);
                    found.push((target, vec![vec![number as u32]]));
                }
                is_in_vain &= may_hold == Some(true);
            }
            self.propagation.undo();
            if is_in_vain {
                self.with_one.leave(Trial::Cases(number as u32));
            }
        }
        found
    }

    /// Sets of so many constraints that refute the contrary, one of them where steps have no names. No smaller one does.
    fn seek(&mut self, target: i32, size: usize) -> Seen {
        let (mut found, mut trials) = (FxHashSet::default(), 0);
        self.propagation.assume(&[-target]);
        let mut seen = FxHashSet::default();
        let near = self.near_implied(&mut seen);
        self.seek_below(size, &near, &mut Vec::new(), &mut FxHashSet::default(), &mut found, &mut trials);
        self.propagation.undo();
        if found.is_empty() {
            return Seen::Nothing(trials);
        }
        let mut found: Vec<Found> = found.into_iter().collect();
        found.sort_unstable();
        Seen::Reasons(found)
    }

    /// Goes into each set once, and only into such whose last constraint implies something.
    fn seek_below(
        &mut self,
        size: usize,
        near: &[u32],
        chosen: &mut Found,
        tried: &mut FxHashSet<Found>,
        found: &mut FxHashSet<Found>,
        trials: &mut usize,
    ) {
        let is_on = |steps: &Self, number: u32| {
            let switch = &steps.reasons[number as usize].switch;
            switch.iter().all(|&literal| steps.propagation.value(literal) == Some(true))
        };
        if size == 0 {
            *trials += near.iter().filter(|&&number| !is_on(self, number)).count();
            return;
        }
        for &number in near {
            if is_on(self, number) {
                continue;
            }
            let mut key: Found = chosen.iter().copied().chain([number]).collect();
            key.sort_unstable();
            if tried.contains(&key) {
                continue;
            }
            if !self.propagation.assume(&self.reasons[number as usize].switch) {
                found.insert(self.needed());
            } else if self.propagation.implied().any(|literal| self.named.contains(&literal.abs())) {
                tried.insert(key);
                let mut seen: FxHashSet<u32> = near.iter().copied().collect();
                let more = self.near_implied(&mut seen);
                let near: Vec<u32> = near.iter().copied().chain(more).collect();
                chosen.push(number);
                self.seek_below(size - 1, &near, chosen, tried, found, trials);
                chosen.pop();
            }
            self.propagation.undo();
            if found.len() >= if self.techniques.is_some() { ALIKE } else { 1 } {
                return;
            }
        }
    }

    /// The least distance at which both cases over some atom nearby end in a conflict: that of the farther one.
    fn distance_by_cases(&mut self, target: i32) -> Option<usize> {
        self.turn_all_on();
        let is_possible = self.propagation.assume(&[-target]);
        let mut splits = if is_possible { self.splits() } else { Vec::new() };
        splits.retain(|&atom| self.refuted_by(&[], Some(atom)).is_some());
        self.propagation.undo();
        self.propagation.undo();
        let mut distance = |atom: i32| self.wave(&[-target, atom]).0.max(self.wave(&[-target, -atom]).0);
        splits.into_iter().map(&mut distance).min()
    }

    /// Forgets targets that some answer has otherwise.
    fn keep_entailed(&mut self) -> Result<Option<Reason>, Failure> {
        let all: Vec<usize> = (0..self.switched.len()).collect();
        let mut at = 0;
        while at < self.targets.len() {
            let target = self.targets[at];
            match self.switched.solve(&all, &self.with_known(-target))? {
                Outcome::Unknown(reason) => return Ok(Some(reason)),
                Outcome::Unsatisfiable(_) => at += 1,
                Outcome::Satisfiable(_) => self.forget_otherwise(target)?,
            }
        }
        Ok(None)
    }

    /// Makes all of a round known; gives the names of what of it is told.
    fn learn(&mut self, found: Vec<(i32, Option<Technique>)>) -> Vec<Option<Technique>> {
        let (holding, not): (Vec<_>, Vec<_>) = found.into_iter().partition(|(literal, _)| *literal > 0);
        let literals = |found: &[(i32, _)]| found.iter().map(|(literal, _)| *literal).collect::<Vec<i32>>();
        let (all_holding, all_not) = (literals(&holding), literals(&not));
        self.propagation.assume(&all_holding);
        let told = not.into_iter().filter(|&(literal, _)| self.propagation.value(literal).is_none());
        let told = holding.into_iter().chain(told).map(|(_, name)| name).collect();
        self.propagation.assume(&all_not);
        self.known.extend(all_holding.into_iter().chain(all_not));
        self.forget_known();
        told
    }
}
