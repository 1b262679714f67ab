//! Step by step, as a person would: from what is known to what follows, always by the smallest reason that exists now.
//!
//! A minimal cause of "why this number" has a hundred constraints on an easy Sudoku, and helps nobody. What people do is to look for something
//! that follows from one constraint, then from two; when they have written it down, something else is near
//! (Espasa, Gent, Hoffmann, Jefferson and Lynch, "Using small MUSes to explain how to solve pen and paper puzzles", 2021). So reasons are
//! searched by size, in the neighbourhood of what they are to prove:
//!
//! ```text
//!   suppose the contrary:        not number(1,2,5)
//!   propagate:                   what the known cells and the obvious constraints make of it
//!   1 constraint on:             those that have an atom which has got a value by now; is one of them broken?
//!   2 constraints on:            below each that implies something, again those that have an atom which has got a value …
//! ```
//!
//! Constraints that imply nothing new are not gone into, which loses nothing: if some set of constraints refutes the contrary by propagation,
//! its constraints can be put into an order in which each of them implies something. After a step, what shares a constraint with it is
//! looked at first, and everything again before a larger reason is taken.
//!
//! Before reasons of two are searched, every constraint is turned on: the implication graph, which is built breadth first, tells
//! what can be refuted at all. The same is tried in waves from the contrary outwards, and the smallest of all these explanations, made
//! minimal, is as large as a reason need be. What propagation does not see is found
//! by cases: over the atoms of one constraint; over one atom with every constraint on; and at last by the solver, whose cores are made minimal
//! as far as a moment allows.
//!
//! However it was found, a reason is an entailment of the program with only itself and the obvious constraints on.

mod footprints;
mod rounds;

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use self::footprints::{Footprints, Trial};
use super::propagation::Propagation;
use super::techniques::{Technique, Techniques};
use super::{Outcome, Switched, cause};
use crate::asp::{self, Symbol, is_added};
use crate::diagnostic::Failure;
use crate::sorting;
use crate::stop::{Reason, Stop};

/// Constraints turned on in one search for reasons of several; what is known without is told then.
const TRIED: usize = 150_000;
/// Case distinctions within one constraint.
const CASES: usize = 400;
/// Atoms by whose two values a case distinction is tried with every constraint on, for each thing that is to be found.
const SPLIT: usize = 40;
/// Explanations that are made minimal before the smallest is taken.
const EXPLAINED: usize = 16;
/// The same, of explanations that the solver finds.
const CORES: usize = 4;
/// How long in all they are looked for once there is one, and then made small: for each half of what is left of it, but at least so long.
const PATIENCE: Duration = Duration::from_secs(2);
const LEAST_PATIENCE: Duration = Duration::from_millis(100);
/// What is looked for by two cases, beside reasons of no constraint and of one.
const BY_TWO_CASES: usize = 2;
/// Things to be found for which plain deletion is tried.
const DELETED: usize = 20;

pub use rounds::Round;

/// A thing that follows, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Atoms that hold, and then such that do not. What obviously follows from these is not told.
    pub follows: Vec<(Symbol, bool)>,
    /// The parts of the program from which they follow, with what was known; empty if the rules alone say so.
    pub because: Vec<usize>,
    /// What people call it.
    pub technique: Option<Technique>,
}

/// What there is to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Step(Step),
    /// Nothing is left.
    Solved,
    /// This many atoms are left, none of them the same in all answers.
    Open(usize),
    /// There is no answer.
    Impossible,
    Unknown(Reason),
}

/// What is known, on the way from the program to its answers.
pub struct Steps<'a> {
    switched: &'a mut Switched,
    stop: Stop,
    propagation: Propagation,
    techniques: Option<Techniques>,
    /// The constraints that are no obvious ones.
    reasons: Vec<Constraint>,
    /// By atom: the constraints that have it.
    near: FxHashMap<i32, Vec<u32>>,
    /// Atoms with a name.
    named: FxHashSet<i32>,
    /// Obvious parts, which always hold.
    obvious: Vec<usize>,
    questions: FxHashMap<i32, Symbol>,
    /// Literals of questions that one answer has, and that are not known to be otherwise in another, in the order in which they are tried.
    targets: Vec<i32>,
    known: Vec<i32>,
    steps: usize,
    /// By target: after how many steps no reason was last found for it, without any constraint, with one, and by two cases.
    in_vain: [FxHashMap<i32, usize>; BY_TWO_CASES + 1],
    /// By atom: the last step that has made an atom known with which it shares a constraint.
    moved: FxHashMap<i32, usize>,
    /// What trials with one constraint met that were in vain, and such with every constraint on.
    with_one: Footprints,
    with_all: Footprints,
    /// How many more constraints may be turned on.
    left: usize,
    /// What is left of the patience with cores.
    patience: Duration,
    /// Whether it is known that there is an answer, or none.
    verdict: Option<Next>,
}

/// A constraint instance.
struct Constraint {
    part: usize,
    /// What is assumed where it is enforced.
    switch: Vec<i32>,
    /// The named atoms in it.
    atoms: Vec<i32>,
}

/// What a search for reasons found: constraints, by their place among the reasons.
type Found = Vec<u32>;

impl<'a> Steps<'a> {
    /// Begins with what is known without any reason: what the rules and the obvious constraints say at once.
    pub fn new(switched: &'a mut Switched, stop: &Stop) -> Result<Self, Failure> {
        Steps::after(switched, &[], stop)
    }

    /// Begins with literals that are known besides, whoever has found them.
    pub fn after(switched: &'a mut Switched, known: &[i32], stop: &Stop) -> Result<Self, Failure> {
        let all: Vec<usize> = (0..switched.len()).collect();
        let questions: FxHashMap<i32, Symbol> =
            switched.questions().iter().map(|&(atom, literal)| (literal, atom)).collect();
        let mut verdict = None;
        let mut targets = Vec::new();
        match switched.solve(&all, known)? {
            Outcome::Unknown(reason) => verdict = Some(Next::Unknown(reason)),
            Outcome::Unsatisfiable(_) => verdict = Some(Next::Impossible),
            Outcome::Satisfiable(_) => {
                let answer: FxHashSet<Symbol> = switched.model(&all, known)?.unwrap_or_default().into_iter().collect();
                let literal = |(atom, literal): &(Symbol, i32)| if answer.contains(atom) { *literal } else { -literal };
                targets = switched.questions().iter().map(literal).collect();
                // What holds is said before what does not, as people do.
                sorting::sort_by_key(&mut targets, |literal| *literal < 0);
            }
        }
        let named: FxHashSet<i32> = switched
            .known_atoms()?
            .into_iter()
            .filter(|(atom, ..)| !is_added(*atom))
            .map(|(_, literal, _)| literal.abs())
            .collect();
        let techniques = Techniques::of(switched)?;
        let ground = switched.ground();
        let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = ground.rules_by_head();
        let atoms_of = |switch: &[i32]| ground.named_below(switch, &rules, |atom| named.contains(&atom));
        let (obvious, parts): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&part| switched.is_obvious(part));
        let reasons: Vec<Constraint> = parts
            .into_iter()
            .map(|part| {
                let switch = switched.assumptions(part).to_vec();
                Constraint { part, atoms: atoms_of(&switch), switch }
            })
            .collect();
        let mut near: FxHashMap<i32, Vec<u32>> = FxHashMap::default();
        for (number, reason) in reasons.iter().enumerate() {
            reason.atoms.iter().for_each(|&atom| near.entry(atom).or_default().push(number as u32));
        }
        let mut propagation = Propagation::new(&ground);
        let literals: Vec<i32> = obvious.iter().flat_map(|&part| switched.assumptions(part)).copied().collect();
        propagation.assume(&literals);
        propagation.assume(known);
        drop(ground);
        let mut steps = Steps {
            switched,
            stop: stop.clone(),
            propagation,
            techniques,
            reasons,
            near,
            named,
            obvious,
            questions,
            targets,
            known: known.to_vec(),
            steps: 0,
            in_vain: Default::default(),
            moved: FxHashMap::default(),
            with_one: Footprints::default(),
            with_all: Footprints::default(),
            left: 0,
            patience: PATIENCE,
            verdict,
        };
        steps.forget_known();
        Ok(steps)
    }

    /// The literal of what is known until now: `None` if it is not.
    pub fn value(&self, literal: i32) -> Option<bool> {
        self.propagation.value(literal)
    }

    /// Whether the program knows what people call steps.
    pub fn have_names(&self) -> bool {
        self.techniques.is_some()
    }

    pub fn switched(&mut self) -> &mut Switched {
        self.switched
    }

    /// The next step, which is known from then on.
    pub fn next_step(&mut self) -> Result<Next, Failure> {
        if let Some(verdict) = &self.verdict {
            return Ok(verdict.clone());
        }
        let found = match self.find()? {
            Ok((target, found)) => self.conclude(target, found)?,
            Err(Reason::Unproven) => return Ok(self.end()),
            Err(reason) => return Ok(Next::Unknown(reason)),
        };
        Ok(Next::Step(found))
    }

    /// How it ends where nothing more follows.
    fn end(&mut self) -> Next {
        let left = self.questions.keys().filter(|&&atom| self.propagation.value(atom).is_none()).count();
        self.verdict.get_or_insert(if left == 0 { Next::Solved } else { Next::Open(left) }).clone()
    }

    /// What is known need not be proven.
    fn forget_known(&mut self) {
        let propagation = &self.propagation;
        self.targets.retain(|&literal| propagation.value(literal).is_none());
    }

    /// The smallest reason for something, by ever more work.
    fn find(&mut self) -> Result<Result<(i32, Found), Reason>, Failure> {
        if let Some(found) = self.by_one().or_else(|| self.by_cases()) {
            return Ok(Ok(found));
        }
        if let Some(found) = self.easiest()? {
            return Ok(Ok(found));
        }
        let (refuted, explained) = self.by_graph();
        if let Some((_, reasons)) = &explained {
            self.left = TRIED;
            for size in 2..reasons.len() {
                if let Some(found) = self.search_all(&refuted, size) {
                    return Ok(Ok(found));
                }
            }
        }
        if let Some(reason) = self.stop.requested() {
            return Ok(Err(reason));
        }
        match explained.or_else(|| self.by_two_cases()) {
            Some(found) => Ok(Ok(found)),
            None => self.by_cores(),
        }
    }

    fn search_all(&mut self, targets: &[i32], size: usize) -> Option<(i32, Found)> {
        for &target in targets {
            if self.stop.requested().is_some() || self.left == 0 {
                return None;
            }
            if let Some(found) = self.refute(target, size) {
                return Some((target, found));
            }
        }
        None
    }

    /// Something that follows from no constraint or from one: what is near to the last steps is looked at first, and all else
    /// before one says that there is nothing.
    fn by_one(&mut self) -> Option<(i32, Found)> {
        self.with_one.know(&self.propagation);
        for (is_near, size) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
            for target in self.untried(size, is_near) {
                if self.stop.requested().is_some() {
                    return None;
                }
                if let Some(found) = self.refute(target, size) {
                    return Some((target, found));
                }
                self.in_vain[size].insert(target, self.steps);
            }
        }
        None
    }

    /// Targets for which no reason of some kind was looked for since something near to them became known, or anything at all;
    /// of these, the longest ago first.
    fn untried(&self, kind: usize, is_near: bool) -> Vec<i32> {
        let in_vain = |target: &i32| self.in_vain[kind].get(target).copied();
        let since = |target: &i32| if is_near { self.moved.get(&target.abs()).copied() } else { Some(self.steps) };
        let is_open = |target: &i32| in_vain(target).is_none_or(|last| since(target).is_some_and(|since| last < since));
        let mut untried: Vec<i32> = self.targets.iter().copied().filter(is_open).collect();
        if !is_near {
            sorting::sort_by_key(&mut untried, in_vain);
        }
        untried
    }

    /// Constraints, so many, with which propagation refutes the contrary.
    fn refute(&mut self, target: i32, size: usize) -> Option<Found> {
        if size < 2 && self.with_one.is_left_alone(Trial::Contrary(target)) {
            return None;
        }
        let mut found = None;
        if self.propagation.assume(&[-target]) {
            if size > 0 {
                if size == 1 {
                    self.with_one.begin(&self.propagation);
                }
                let mut near = FxHashSet::default();
                let near_now = self.near_implied(&mut near);
                let mut tried = FxHashSet::default();
                let mut chosen = Vec::new();
                found = self.search(size, &near_now, &mut chosen, &mut tried);
            }
        } else {
            found = Some(Vec::new());
        }
        self.propagation.undo();
        if size == 1 && found.is_none() {
            self.with_one.leave(Trial::Contrary(target));
        }
        found
    }

    /// Constraints with an atom that the last assumptions have given a value, and that are not in `near` already.
    fn near_implied(&self, near: &mut FxHashSet<u32>) -> Vec<u32> {
        let atoms = self.propagation.implied().map(|literal| literal.abs());
        let all = atoms.filter_map(|atom| self.near.get(&atom)).flatten().copied();
        all.filter(|&number| near.insert(number)).collect()
    }

    fn search(&mut self, size: usize, near: &[u32], chosen: &mut Found, tried: &mut FxHashSet<Found>) -> Option<Found> {
        for &number in near {
            if size > 1 && self.left == 0 || self.stop.requested().is_some() {
                return None;
            }
            let is_on = |literal: &i32| self.propagation.value(*literal) == Some(true);
            if self.reasons[number as usize].switch.iter().all(is_on) {
                continue;
            }
            chosen.push(number);
            let mut key = chosen.clone();
            key.sort_unstable();
            let found =
                if size < 2 || tried.insert(key) { self.turn_on(number, size, near, chosen, tried) } else { None };
            chosen.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn turn_on(
        &mut self,
        number: u32,
        size: usize,
        near: &[u32],
        chosen: &mut Found,
        tried: &mut FxHashSet<Found>,
    ) -> Option<Found> {
        let mut found = None;
        self.left = self.left.saturating_sub(1);
        if !self.propagation.assume(&self.reasons[number as usize].switch) {
            found = Some(self.needed());
        } else if size == 1 && chosen.len() == 1 {
            self.with_one.go_on(&self.propagation);
        } else if size > 1 && self.propagation.implied().any(|literal| self.named.contains(&literal.abs())) {
            let mut seen: FxHashSet<u32> = near.iter().copied().collect();
            let more = self.near_implied(&mut seen);
            let near: Vec<u32> = near.iter().copied().chain(more).filter(|other| !chosen.contains(other)).collect();
            found = self.search(size - 1, &near, chosen, tried);
        }
        self.propagation.undo();
        found
    }

    /// The constraints that the conflict needs.
    fn needed(&self) -> Found {
        let causes: FxHashSet<i32> = self.propagation.causes().into_iter().collect();
        self.of_causes(&causes)
    }

    fn of_causes(&self, causes: &FxHashSet<i32>) -> Found {
        let is_in = |reason: &Constraint| reason.switch.iter().any(|literal| causes.contains(literal));
        (0..self.reasons.len() as u32).filter(|&number| is_in(&self.reasons[number as usize])).collect()
    }

    /// Something that follows from one constraint by cases over its atoms.
    fn by_cases(&mut self) -> Option<(i32, Found)> {
        let is_target: FxHashSet<i32> = self.targets.iter().copied().collect();
        let mut best: Option<(i32, Found)> = None;
        for number in 0..self.reasons.len() {
            if self.with_one.is_left_alone(Trial::Cases(number as u32)) {
                continue;
            }
            let open = |atom: &&i32| self.propagation.value(**atom).is_none();
            let atoms: Vec<i32> = self.reasons[number].atoms.iter().filter(open).copied().collect();
            if atoms.is_empty() || self.stop.requested().is_some() {
                continue;
            }
            let targets: Vec<i32> =
                atoms.iter().flat_map(|&atom| [atom, -atom]).filter(|literal| is_target.contains(literal)).collect();
            self.propagation.assume(&self.reasons[number].switch);
            self.with_one.begin(&self.propagation);
            let mut is_in_vain = true;
            for target in targets {
                if target < 0 && best.is_some() || self.stop.requested().is_some() {
                    is_in_vain = false;
                    continue;
                }
                let mut budget = CASES;
                let may_hold = self.may_hold(&[-target], &atoms, &mut budget);
                is_in_vain &= may_hold && budget > 0;
                if !may_hold && budget > 0 {
                    best = Some((target, vec![number as u32]));
                    if target > 0 {
                        self.propagation.undo();
                        return best;
                    }
                }
            }
            self.propagation.undo();
            if is_in_vain {
                self.with_one.leave(Trial::Cases(number as u32));
            }
        }
        best
    }

    /// Whether some values of the atoms go with the assumptions, as far as propagation sees; true once the budget is used up.
    fn may_hold(&mut self, assumed: &[i32], atoms: &[i32], budget: &mut usize) -> bool {
        let mut holds = self.propagation.assume(assumed);
        self.with_one.go_on(&self.propagation);
        if holds && *budget > 0 {
            *budget -= 1;
            if let Some(&atom) = atoms.iter().find(|&&atom| self.propagation.value(atom).is_none()) {
                holds = self.may_hold(&[atom], atoms, budget) || self.may_hold(&[-atom], atoms, budget);
            }
        }
        self.propagation.undo();
        holds
    }

    /// What propagation finds with every constraint on, and the smallest of its explanations, made minimal.
    fn by_graph(&mut self) -> (Vec<i32>, Option<(i32, Found)>) {
        let mut explained: Vec<(i32, Option<i32>, Found)> = Vec::new();
        self.turn_all_on();
        self.with_all.know(&self.propagation);
        for &target in &self.targets {
            if self.stop.requested().is_some() {
                break;
            }
            if self.with_all.is_left_alone(Trial::Contrary(target)) {
                continue;
            }
            if self.propagation.assume(&[-target]) {
                self.with_all.begin(&self.propagation);
                self.with_all.leave(Trial::Contrary(target));
            } else {
                explained.push((target, None, self.needed()));
            }
            self.propagation.undo();
        }
        self.propagation.undo();
        let refuted: Vec<i32> = explained.iter().map(|(target, ..)| *target).collect();
        for &target in &refuted {
            explained.extend(self.wave(&[-target]).1.map(|found| (target, None, found)));
        }
        (refuted, self.smallest(explained))
    }

    /// What is near is turned on, then what is near that: explanations that stay where they began, if there are such. How often
    /// something was turned on, and what a conflict needs.
    fn wave(&mut self, assumed: &[i32]) -> (usize, Option<Found>) {
        let mut waves = 0;
        let mut seen = FxHashSet::default();
        let mut is_possible = self.propagation.assume(assumed);
        while is_possible {
            let near = self.near_implied(&mut seen);
            if near.is_empty() {
                break;
            }
            let switches: Vec<i32> =
                near.iter().flat_map(|&number| self.reasons[number as usize].switch.iter().copied()).collect();
            is_possible = self.propagation.assume(&switches);
            waves += 1;
        }
        let found = (!is_possible).then(|| self.needed());
        (0..=waves).for_each(|_| self.propagation.undo());
        (waves, found)
    }

    /// The same where both values of some atom lead to a conflict.
    fn by_two_cases(&mut self) -> Option<(i32, Found)> {
        let mut explained = Vec::new();
        self.turn_all_on();
        for target in self.untried(BY_TWO_CASES, true) {
            if self.stop.requested().is_some() || explained.len() == EXPLAINED {
                break;
            }
            let is_possible = self.propagation.assume(&[-target]);
            let near = if is_possible { self.splits() } else { Vec::new() };
            let found = |split: i32| Some((target, Some(split), self.refuted_by(&[], Some(split))?));
            let smallest = near.into_iter().take(SPLIT).filter_map(found).min_by_key(|(.., found)| found.len());
            self.propagation.undo();
            match smallest {
                Some(found) => explained.push(found),
                None => drop(self.in_vain[BY_TWO_CASES].insert(target, self.steps)),
            }
        }
        self.propagation.undo();
        self.smallest(explained)
    }

    /// Open atoms of the constraints near to what the last assumptions imply.
    fn splits(&self) -> Vec<i32> {
        let around = self.near_implied(&mut FxHashSet::default());
        let atoms = around.iter().flat_map(|&number| &self.reasons[number as usize].atoms).copied();
        let mut is_new = FxHashSet::default();
        atoms.filter(|&atom| self.propagation.value(atom).is_none() && is_new.insert(atom)).collect()
    }

    fn turn_all_on(&mut self) {
        let all: Vec<i32> = self.reasons.iter().flat_map(|reason| reason.switch.iter().copied()).collect();
        self.propagation.assume(&all);
    }

    /// The constraints that refute some assumptions, or both cases below them, if propagation sees that.
    fn refuted_by(&mut self, assumed: &[i32], split: Option<i32>) -> Option<Found> {
        let refuted = match (self.propagation.assume(assumed), split) {
            (false, _) => Some(self.needed()),
            (true, None) => None,
            (true, Some(atom)) => self.refuted_by(&[atom], None).and_then(|mut one| {
                one.extend(self.refuted_by(&[-atom], None)?);
                one.sort_unstable();
                one.dedup();
                Some(one)
            }),
        };
        self.propagation.undo();
        refuted
    }

    /// The smallest of explanations, once they have been made minimal.
    fn smallest(&mut self, mut explained: Vec<(i32, Option<i32>, Found)>) -> Option<(i32, Found)> {
        let key = |target: i32, found: &Found| (found.len(), target < 0);
        sorting::sort_by_key(&mut explained, |(target, _, found)| key(*target, found));
        explained.truncate(EXPLAINED);
        let both_ways = explained.into_iter().flat_map(|(target, split, found)| {
            let backwards: Found = found.iter().rev().copied().collect();
            [found, backwards].map(|found| (target, split, found))
        });
        let minimal = both_ways.map(|(target, split, found)| (target, self.minimal(target, split, found)));
        minimal.min_by_key(|(target, found)| key(*target, found))
    }

    /// Leaves out what the refutation can do without.
    fn minimal(&mut self, target: i32, split: Option<i32>, mut found: Found) -> Found {
        let mut at = 0;
        while at < found.len() {
            let others = found.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, &number)| number);
            let switches = others.flat_map(|number| self.reasons[number as usize].switch.iter().copied());
            let assumed: Vec<i32> = [-target].into_iter().chain(switches).collect();
            match self.refuted_by(&assumed, split) {
                // Those before are needed, or they had been left out.
                Some(needed) => found.retain(|number| needed.contains(number)),
                None => at += 1,
            }
        }
        found
    }

    /// What the solver refutes with every constraint on.
    fn by_cores(&mut self) -> Result<Result<(i32, Found), Reason>, Failure> {
        let all: Vec<usize> = (0..self.switched.len()).collect();
        let place: FxHashMap<usize, u32> =
            self.reasons.iter().enumerate().map(|(number, reason)| (reason.part, number as u32)).collect();
        let began = Instant::now();
        let soon = self.stop.by(Some(began + LEAST_PATIENCE.max(self.patience / 2)));
        let mut cores: Vec<(i32, Vec<usize>)> = Vec::new();
        let mut at = 0;
        let is_enough = |cores: usize| cores == CORES || cores > 0 && soon.stop.requested().is_some();
        while at < self.targets.len() && !is_enough(cores.len()) {
            let target = self.targets[at];
            match self.switched.solve(&all, &self.with_known(-target))? {
                Outcome::Unknown(reason) => return Ok(Err(reason)),
                Outcome::Unsatisfiable(core) => {
                    cores.push((target, core));
                    at += 1;
                }
                Outcome::Satisfiable(_) => self.forget_otherwise(target)?,
            }
        }
        sorting::sort_by_key(&mut cores, |(target, core)| (core.len(), *target < 0));
        let Some((target, mut core)) = cores.into_iter().next() else { return Ok(Err(Reason::Unproven)) };
        core.retain(|part| place.contains_key(part));
        let obvious = self.obvious.iter().flat_map(|&part| self.switched.assumptions(part)).copied();
        let always = obvious.chain(self.with_known(-target)).collect();
        let groups = core.iter().map(|&part| self.switched.assumptions(part).to_vec()).collect();
        let needed = cause::needed(&mut cause::Assumed { switched: self.switched, always, groups }, &soon.stop)?;
        self.patience = self.patience.saturating_sub(began.elapsed());
        match self.stop.requested() {
            Some(reason) => Ok(Err(reason)),
            None => Ok(Ok((target, needed.into_iter().map(|part| place[&core[part]]).collect()))),
        }
    }

    /// There is another answer without the target: what it has otherwise follows from nothing.
    fn forget_otherwise(&mut self, target: i32) -> Result<(), Failure> {
        let all: Vec<usize> = (0..self.switched.len()).collect();
        let answer = self.switched.model(&all, &self.with_known(-target))?.unwrap_or_default();
        let answer: FxHashSet<Symbol> = answer.into_iter().collect();
        let questions = &self.questions;
        let holds = |literal: i32| answer.contains(&questions[&literal.abs()]) == (literal > 0);
        self.targets.retain(|&literal| literal != target && holds(literal));
        Ok(())
    }

    /// How many parts plain deletion leaves of the solver's core, for each of the first things that are to be found: sorted.
    pub fn by_deletion(&mut self) -> Result<Vec<usize>, Failure> {
        let all: Vec<usize> = (0..self.switched.len()).collect();
        let mut sizes = Vec::new();
        for &target in self.targets.iter().filter(|literal| **literal > 0).take(DELETED) {
            let Outcome::Unsatisfiable(mut core) = self.switched.solve(&all, &[-target])? else { continue };
            let mut at = 0;
            while at < core.len() {
                let removed = core.remove(at);
                if !matches!(self.switched.solve(&core, &[-target])?, Outcome::Unsatisfiable(_)) {
                    core.insert(at, removed);
                    at += 1;
                }
            }
            sizes.push(core.len());
        }
        sizes.sort_unstable();
        Ok(sizes)
    }

    fn with_known(&self, literal: i32) -> Vec<i32> {
        self.known.iter().copied().chain([literal]).collect()
    }

    /// The smallest reason for something that people find easiest, where the program knows what they call it.
    fn easiest(&mut self) -> Result<Option<(i32, Found)>, Failure> {
        if self.techniques.is_none() {
            return Ok(None);
        }
        let Some((found, _)) = self.exact() else { return Ok(None) };
        Ok(self.easiest_of(found)?.into_iter().next().map(|(target, found, _)| (target, found)))
    }

    /// What people call steps that can all be taken now.
    fn names(&self, steps: &[(i32, Found)]) -> Result<Vec<Option<Technique>>, Failure> {
        let Some(techniques) = &self.techniques else { return Ok(vec![None; steps.len()]) };
        let reasoned = |(target, found): &(i32, Found)| {
            let because = found.iter().map(|&number| self.reasons[number as usize].part).collect();
            ((self.questions[&target.abs()], *target > 0), because)
        };
        let open = self.questions.iter().filter(|(literal, _)| self.value(**literal).is_none());
        techniques.names(self.switched, open.map(|(_, &atom)| atom), &steps.iter().map(reasoned).collect::<Vec<_>>())
    }

    /// All that follows from the same reason becomes known.
    fn conclude(&mut self, target: i32, found: Found) -> Result<Step, Failure> {
        let technique = self.names(&[(target, found.clone())])?.pop().flatten();
        let switches: Vec<i32> =
            found.iter().flat_map(|&number| self.reasons[number as usize].switch.iter().copied()).collect();
        let mut follows = vec![target];
        let nearby: FxHashSet<i32> =
            found.iter().flat_map(|&number| self.reasons[number as usize].atoms.iter().copied()).collect();
        if self.propagation.assume(&switches) {
            for at in 0..self.targets.len() {
                let other = self.targets[at];
                let is_refuted = match self.propagation.value(other) {
                    Some(value) => value,
                    // What has a name is told whole, also where only obvious constraints lead to it.
                    None if self.techniques.is_some() || nearby.contains(&other.abs()) => {
                        let is_possible = self.propagation.assume(&[-other]);
                        self.propagation.undo();
                        !is_possible
                    }
                    None => false,
                };
                if is_refuted && other != target {
                    follows.push(other);
                }
            }
        }
        self.propagation.undo();
        sorting::sort_by_key(&mut follows, |literal| *literal < 0);
        self.steps += 1;
        // What the first of them obviously imply need not be told.
        let mut told = Vec::new();
        for literal in follows {
            if self.propagation.value(literal).is_none() {
                told.push(literal);
                self.propagation.assume(&[literal]);
                let near = self.near_implied(&mut FxHashSet::default());
                let atoms = near.iter().flat_map(|&number| &self.reasons[number as usize].atoms);
                self.moved.extend(atoms.map(|&atom| (atom, self.steps)));
            }
        }
        self.known.extend(&told);
        self.forget_known();
        let mut because: Vec<usize> = found.iter().map(|&number| self.reasons[number as usize].part).collect();
        because.sort_unstable();
        let mut follows: Vec<(Symbol, bool)> =
            told.into_iter().map(|literal| (self.questions[&literal.abs()], literal > 0)).collect();
        asp::sort_by_symbols(&mut follows, |&(atom, _)| asp::is_deep(atom), |&(atom, holds)| (!holds, atom));
        Ok(Step { follows, because, technique })
    }
}
