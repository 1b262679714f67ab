//! Why parts of a program cannot hold together.
//!
//! An oracle says of some parts, all others being free, whether they can hold together; what holds less can hold. A *cause*
//! is a set of parts that cannot, though it could without any one of them. A *correction* is a set of parts whose freedom makes
//! all others possible, and no smaller one within it does. Each cause and each correction share a part: causes are the
//! minimal sets that hit all corrections, and the other way round (Reiter, "A theory of diagnosis from first principles",
//! Artificial Intelligence 32, 1987).
//!
//! ```text
//!   nothing                                                        everything
//!      ├───────── can hold ─────────┤├──────── cannot hold ───────────┤
//!              grow ──────────────> ││ <────────────── shrink
//!                what is left out:     what is left:
//!                a correction          a cause
//! ```
//!
//! So every question to the oracle leads to one of the two, and what is looked for is found through the other:
//!
//! - the **smallest** cause by implicit hitting sets: the smallest set of parts that hits all corrections met so far is
//!   tried; if it can hold it grows, which is a new correction, and if not it is the answer, and no smaller one exists
//!   (Ignatiev, Previti, Liffiton and Marques-Silva, "Smallest MUS extraction with minimal hitting set dualization", CP 2015).
//!   Before the next smallest set is looked for, the correction is added to the set that was tried, as long as the sum can
//!   hold: corrections without a common part raise the bound together.
//! - the **cheapest** correction by the same with the roles exchanged (Davies and Bacchus, "Solving MAXSAT by solving a sequence of simpler
//!   SAT instances", CP 2011).
//! - **all** causes by a map of what is not yet explained: from a largest unexplained set the oracle leads to a cause, below
//!   which nothing is new if it is contained, or to a correction, outside of which nothing is (MARCO: Liffiton, Previti, Malik and
//!   Marques-Silva, "Fast, flexible MUS enumeration", Constraints 21, 2016).
//!
//! Parts are left out of a core in bites that double while it stays impossible: as few questions as QuickXplain's halves where
//! a small cause hides in a large core, and a model that breaks a single part of the bite tells at once that the part is needed.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::time::Instant;

use super::{Outcome, Switched};
use crate::asp::{Program, Settings, Solver, fact};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::stop::{Hooked, Reason, Stop};

/// Numbers of parts, in order.
pub type Parts = Vec<usize>;

/// Knows whether parts can hold together. What is possible stays possible when fewer are enforced.
pub trait Oracle {
    /// How many parts there are, numbered from 0.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether these parts can hold together, all others being free.
    fn solve(&mut self, parts: &[usize]) -> Result<Outcome, Failure>;

    /// Ends a running question when the stop is requested, as long as the result lives.
    fn stop_on(&mut self, _stop: &Stop) -> Option<Hooked> {
        None
    }

    /// Takes back an interruption that came too late for the last question, and would end the next one.
    fn settle(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

impl Oracle for Switched {
    fn len(&self) -> usize {
        self.len()
    }

    fn solve(&mut self, parts: &[usize]) -> Result<Outcome, Failure> {
        self.solve(parts, &[])
    }

    fn stop_on(&mut self, stop: &Stop) -> Option<Hooked> {
        let interrupter = self.solver().control().interrupter();
        Some(stop.on_request(move || interrupter.interrupt()))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        // It is over at once: nothing both holds and does not.
        let literal = (0..self.len()).find_map(|part| self.assumptions(part).first().copied());
        literal.map_or(Ok(()), |literal| self.solve(&[], &[literal, -literal]).map(drop))
    }
}

/// What a search for one set of parts has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Found {
    Parts {
        parts: Parts,
        /// Proven: no other set is smaller (or cheaper).
        is_least: bool,
        /// Each of the parts is needed. Where time was up, some may not be.
        is_minimal: bool,
    },
    /// All parts hold together.
    #[default]
    Satisfiable,
    /// It is impossible whichever parts are free.
    NotTheCause,
    GaveUp(Reason),
}

/// How a search for all causes has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// There are no others.
    Complete,
    /// More were not asked for.
    Enough,
    GaveUp(Reason),
}

/// The smallest cause, or the best one found when `enough` is requested.
pub fn smallest(oracle: &mut dyn Oracle, enough: &Stop) -> Result<Found, Failure> {
    smallest_soon(oracle, enough, || None)
}

/// The same where a smaller one than the first is looked for until a moment that is told once the first is there.
pub fn smallest_soon(
    oracle: &mut dyn Oracle,
    enough: &Stop,
    soon: impl FnOnce() -> Option<Instant>,
) -> Result<Found, Failure> {
    let costs = vec![1; oracle.len()];
    least(oracle, Looked::ForCause, &costs, enough, soon)
}

/// The cheapest correction, or the best one found when `enough` is requested. Each part has its cost.
pub fn cheapest_correction(oracle: &mut dyn Oracle, costs: &[u32], enough: &Stop) -> Result<Found, Failure> {
    least(oracle, Looked::ForCorrection, costs, enough, || None)
}

/// A minimal cause, as the first core leads to it.
pub fn minimal(oracle: &mut dyn Oracle, enough: &Stop) -> Result<Found, Failure> {
    until(oracle, enough, |oracle| {
        let first = first(oracle, Looked::ForCause)?;
        Ok(first.map_or_else(|found| found, |(parts, is_minimal)| Found::Parts { parts, is_least: false, is_minimal }))
    })
}

/// Parts that cannot hold together, without those that are not needed for that; all of them where that is not known in time.
pub fn needed(oracle: &mut dyn Oracle, enough: &Stop) -> Result<Parts, Failure> {
    Ok(match minimal(oracle, enough)? {
        Found::Parts { parts, .. } => parts,
        Found::NotTheCause => Parts::new(),
        Found::Satisfiable | Found::GaveUp(_) => (0..oracle.len()).collect(),
    })
}

/// Shows every cause that is not among the `known` ones, each once, until `found` breaks.
pub fn all(
    oracle: &mut dyn Oracle,
    known: &[Parts],
    stop: &Stop,
    mut found: impl FnMut(Parts) -> ControlFlow<()>,
) -> Result<Ended, Failure> {
    let stopped = oracle.stop_on(stop);
    let mut search = || -> Halting<Ended> {
        let mut map = Map::new(Aim::Largest, &vec![1; oracle.len()], stop)?;
        known.iter().try_for_each(|cause| map.exclude(cause))?;
        let mut corrections = Vec::new();
        while let Some(unexplained) = map.next()? {
            match ask(oracle, &unexplained)? {
                // A set that the map has no larger one of needs not grow.
                Ok(holds) => {
                    let correction: Parts = (0..holds.len()).filter(|&part| !holds[part]).collect();
                    map.hit(&correction)?;
                    corrections.push(correction);
                }
                Err(core) => {
                    let cause = shrink(oracle, core, &corrections)?;
                    let cause = cause.finished()?;
                    map.exclude(&cause)?;
                    if found(cause).is_break() {
                        return Ok(Ended::Enough);
                    }
                }
            }
        }
        Ok(Ended::Complete)
    };
    let ended = search();
    drop(stopped);
    stop.requested().map_or(Ok(()), |_| oracle.settle())?;
    match ended {
        Ok(ended) => Ok(ended),
        Err(Halt::GaveUp(reason)) => Ok(Ended::GaveUp(stop.requested().unwrap_or(reason))),
        Err(Halt::Failed(failure)) => Err(failure),
    }
}

/// An oracle's parts `among` which one looks, while those `always` enforced are none of its parts.
pub struct Within<'a> {
    pub oracle: &'a mut dyn Oracle,
    pub always: &'a [usize],
    pub among: &'a [usize],
}

impl Oracle for Within<'_> {
    fn len(&self) -> usize {
        self.among.len()
    }

    fn solve(&mut self, parts: &[usize]) -> Result<Outcome, Failure> {
        let enforced: Parts = self.always.iter().copied().chain(parts.iter().map(|&part| self.among[part])).collect();
        Ok(match self.oracle.solve(&enforced)? {
            Outcome::Satisfiable(holds) => Outcome::Satisfiable(self.among.iter().map(|&part| holds[part]).collect()),
            Outcome::Unsatisfiable(mut core) => {
                core.sort_unstable();
                let is_in_core = |part: &usize| core.binary_search(&self.among[*part]).is_ok();
                Outcome::Unsatisfiable(parts.iter().copied().filter(is_in_core).collect())
            }
            unknown => unknown,
        })
    }

    fn stop_on(&mut self, stop: &Stop) -> Option<Hooked> {
        self.oracle.stop_on(stop)
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.oracle.settle()
    }
}

/// Groups of literals that may be assumed or not, some others being assumed always.
pub struct Assumed<'a> {
    pub switched: &'a mut Switched,
    pub always: Vec<i32>,
    pub groups: Vec<Vec<i32>>,
}

impl Oracle for Assumed<'_> {
    fn len(&self) -> usize {
        self.groups.len()
    }

    fn solve(&mut self, parts: &[usize]) -> Result<Outcome, Failure> {
        let of_parts = parts.iter().flat_map(|&part| &self.groups[part]);
        let assumed: Vec<i32> = self.always.iter().chain(of_parts).copied().collect();
        let (groups, mut holding) = (&self.groups, Vec::new());
        let solved = self.switched.solver().control().solve(&assumed, &mut |model| {
            let holds = |literal: &i32| model.holds(*literal).unwrap_or(false);
            holding = groups.iter().map(|group| group.iter().all(holds)).collect();
            ControlFlow::Break(())
        });
        let (result, core) = solved?;
        let core: HashSet<i32> = core.into_iter().collect();
        let is_in_core = |part: &usize| groups[*part].iter().any(|literal| core.contains(literal));
        Ok(match (result.satisfiable, result.unsatisfiable) {
            (true, _) => Outcome::Satisfiable(holding),
            (_, true) => Outcome::Unsatisfiable(parts.iter().copied().filter(is_in_core).collect()),
            _ => Outcome::Unknown(Reason::Unproven),
        })
    }

    fn stop_on(&mut self, stop: &Stop) -> Option<Hooked> {
        self.switched.stop_on(stop)
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.switched.settle()
    }
}

/// Why a search ends before it is through.
enum Halt {
    GaveUp(Reason),
    Failed(Failure),
}

type Halting<T> = Result<T, Halt>;

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Halt::Failed(failure)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Looked {
    ForCause,
    ForCorrection,
}

fn least(
    oracle: &mut dyn Oracle,
    looked: Looked,
    costs: &[u32],
    enough: &Stop,
    soon: impl FnOnce() -> Option<Instant>,
) -> Result<Found, Failure> {
    until(oracle, enough, |oracle| {
        let (mut parts, mut is_minimal) = match first(oracle, looked)? {
            Ok(first) => first,
            Err(found) => return Ok(found),
        };
        let soon = enough.by(soon());
        let stopped = oracle.stop_on(&soon.stop);
        let improved = is_minimal.then(|| improve(oracle, looked, costs, &soon.stop, &mut parts));
        drop(stopped);
        soon.stop.requested().map_or(Ok(()), |_| oracle.settle())?;
        let is_least = match improved {
            Some(Ok(())) => true,
            Some(Err(Halt::GaveUp(_))) | None => false,
            Some(Err(failed)) => return Err(failed),
        };
        is_minimal |= is_least;
        Ok(Found::Parts { parts, is_least, is_minimal })
    })
}

/// Runs a search whose questions end when `enough` is requested.
fn until(
    oracle: &mut dyn Oracle,
    enough: &Stop,
    search: impl FnOnce(&mut dyn Oracle) -> Halting<Found>,
) -> Result<Found, Failure> {
    let stopped = oracle.stop_on(enough);
    let found = search(oracle);
    drop(stopped);
    enough.requested().map_or(Ok(()), |_| oracle.settle())?;
    match found {
        Ok(found) => Ok(found),
        Err(Halt::GaveUp(reason)) => Ok(Found::GaveUp(enough.requested().unwrap_or(reason))),
        Err(Halt::Failed(failure)) => Err(failure),
    }
}

/// A cause or correction with whether it is minimal, or why there is none.
fn first(oracle: &mut dyn Oracle, looked: Looked) -> Halting<Result<(Parts, bool), Found>> {
    let every: Parts = (0..oracle.len()).collect();
    let core = match ask(oracle, &every)? {
        Ok(_) => return Ok(Err(Found::Satisfiable)),
        Err(core) => core,
    };
    let shrunk = match (ask(oracle, &[]), looked) {
        (Ok(Err(_)), _) => return Ok(Err(Found::NotTheCause)),
        (Ok(Ok(_)), Looked::ForCause) => shrink(oracle, core, &[])?,
        (Ok(Ok(holds)), Looked::ForCorrection) => grow(oracle, holds)?,
        (Err(Halt::GaveUp(_)), Looked::ForCause) if !core.is_empty() => return Ok(Ok((core, false))),
        (Err(halt), _) => return Err(halt),
    };
    Ok(Ok((shrunk.parts, shrunk.cut.is_none())))
}

/// What is left of a set that is made minimal.
struct Shrunk {
    parts: Parts,
    /// Why it may not be minimal yet.
    cut: Option<Reason>,
}

impl Shrunk {
    fn finished(self) -> Halting<Parts> {
        self.cut.map_or(Ok(self.parts), |reason| Err(Halt::GaveUp(reason)))
    }
}

/// Makes `best` the least of all.
fn improve(oracle: &mut dyn Oracle, looked: Looked, costs: &[u32], enough: &Stop, best: &mut Parts) -> Halting<()> {
    let cost = |parts: &[usize]| -> u64 { parts.iter().map(|&part| u64::from(costs[part])).sum() };
    let mut map = Map::new(Aim::Least, costs, enough)?;
    let mut corrections = Vec::new();
    loop {
        // What is looked for hits all that was met, so that nothing costs less than this.
        let mut tried = map.next()?.expect("what is looked for hits everything");
        if cost(&tried) >= cost(best) {
            return Ok(());
        }
        loop {
            if let Some(reason) = enough.requested() {
                return Err(Halt::GaveUp(reason));
            }
            let enforced = if looked == Looked::ForCause { tried.clone() } else { others(oracle.len(), &tried) };
            let (correction, cause) = match ask(oracle, &enforced)? {
                Ok(holds) => (Some(grow(oracle, holds)?.finished()?), None),
                Err(core) => (None, Some(shrink(oracle, core, &corrections)?.finished()?)),
            };
            corrections.extend(correction.clone());
            let (better, missed) = match looked {
                Looked::ForCause => (cause, correction),
                Looked::ForCorrection => (correction, cause),
            };
            if let Some(missed) = missed {
                map.hit(&missed)?;
                tried.extend(missed);
                tried.sort_unstable();
            }
            if let Some(better) = better {
                if cost(&better) < cost(best) {
                    *best = better;
                }
                break;
            }
        }
    }
}

/// Whether parts can hold together: with which others, or why not.
fn ask(oracle: &mut dyn Oracle, parts: &[usize]) -> Halting<Result<Vec<bool>, Parts>> {
    match oracle.solve(parts)? {
        Outcome::Satisfiable(holds) => Ok(Ok(holds)),
        Outcome::Unsatisfiable(mut core) => {
            core.sort_unstable();
            Ok(Err(core))
        }
        Outcome::Unknown(reason) => Err(Halt::GaveUp(reason)),
    }
}

/// The cause that is left when nothing more can be left out of a core.
///
/// A part that is all that a known correction has in common with it is needed.
fn shrink(oracle: &mut dyn Oracle, mut open: Parts, corrections: &[Parts]) -> Halting<Shrunk> {
    let mut needed = Parts::new();
    let mut bite = 1;
    let cut = loop {
        let known = only_common(corrections, &needed, &open);
        open.retain(|part| !known.contains(part));
        needed.extend(known);
        if open.is_empty() {
            break None;
        }
        let kept = open.len() - bite.min(open.len());
        match ask(oracle, &[&needed, &open[..kept]].concat()) {
            Err(Halt::GaveUp(reason)) => break Some(reason),
            Err(failed) => return Err(failed),
            Ok(Err(core)) => {
                open.truncate(kept);
                open.retain(|part| core.binary_search(part).is_ok());
                bite *= 2;
            }
            Ok(Ok(holds)) => {
                let mut broken = (kept..open.len()).filter(|&at| !holds[open[at]]);
                if let (Some(at), None) = (broken.next(), broken.next()) {
                    needed.push(open.remove(at));
                }
                bite = (bite / 2).max(1);
            }
        }
    };
    needed.extend(open);
    needed.sort_unstable();
    Ok(Shrunk { parts: needed, cut })
}

/// The parts that are open, and the only ones of all that are left in some correction.
fn only_common(corrections: &[Parts], needed: &[usize], open: &[usize]) -> Parts {
    let is_open: HashSet<usize> = open.iter().copied().collect();
    let is_needed: HashSet<usize> = needed.iter().copied().collect();
    let only = |correction: &Parts| {
        let mut common = correction.iter().copied().filter(|part| is_open.contains(part));
        let first = common.next()?;
        (common.next().is_none() && !correction.iter().any(|part| is_needed.contains(part))).then_some(first)
    };
    corrections.iter().filter_map(only).collect::<BTreeSet<usize>>().into_iter().collect()
}

/// The correction that is left when nothing more can be added to what holds.
fn grow(oracle: &mut dyn Oracle, mut holds: Vec<bool>) -> Halting<Shrunk> {
    let left_out = |holds: &[bool]| (0..holds.len()).filter(|&part| !holds[part]).collect::<Parts>();
    // All that is in nobody's way joins at once; what is, waits.
    let mut waits = vec![false; holds.len()];
    loop {
        let joined: Parts = (0..holds.len()).filter(|&part| holds[part] || !waits[part]).collect();
        match ask(oracle, &joined) {
            Ok(Ok(more)) => {
                holds = more;
                break;
            }
            Ok(Err(core)) => core.iter().for_each(|&part| waits[part] = true),
            Err(Halt::GaveUp(reason)) => return Ok(Shrunk { parts: left_out(&holds), cut: Some(reason) }),
            Err(failed) => return Err(failed),
        }
    }
    for part in 0..holds.len() {
        if holds[part] {
            continue;
        }
        let joined: Parts = (0..holds.len()).filter(|&other| holds[other] || other == part).collect();
        match ask(oracle, &joined) {
            Ok(Ok(more)) => holds = more,
            Ok(Err(_)) => {}
            Err(Halt::GaveUp(reason)) => return Ok(Shrunk { parts: left_out(&holds), cut: Some(reason) }),
            Err(failed) => return Err(failed),
        }
    }
    Ok(Shrunk { parts: left_out(&holds), cut: None })
}

/// The parts that are not among these, which are in order.
fn others(len: usize, parts: &[usize]) -> Parts {
    (0..len).filter(|part| parts.binary_search(part).is_err()).collect()
}

/// Which sets of parts a [`Map`] shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// The cheapest.
    Least,
    /// Such as have no larger one.
    Largest,
}

/// What is known of all sets of parts: which sets they hit, and which they do not contain.
struct Map {
    solver: Solver,
    /// The literals of the parts.
    taken: Vec<i32>,
    stop: Stop,
}

impl Map {
    fn new(aim: Aim, costs: &[u32], stop: &Stop) -> Halting<Self> {
        // A part that is decided to be taken, and is not, was excluded by others that are: none can be added.
        let (options, rules) = match aim {
            Aim::Least => (vec!["--opt-strategy=usc,stratify".to_owned()], "#minimize { C,P : cost(P,C), taken(P) }."),
            Aim::Largest => (vec!["--sign-def=pos".to_owned(), "--sign-fix".to_owned()], ""),
        };
        let settings = Settings { models: Some(u64::from(aim == Aim::Largest)), options, ..Settings::default() };
        let named = |name, arguments: &[usize]| fact(name, arguments).expect("the name has no NUL byte");
        let program = Program {
            instance: vec![Document::in_memory("<map>", format!("{{ taken(P) }} :- cost(P,C). {rules}"))],
            facts: costs.iter().enumerate().map(|(part, &cost)| named("cost", &[part, cost as usize])).collect(),
            ..Program::default()
        };
        let mut solver = Solver::with_program(&program, &settings, stop)?;
        let control = solver.control();
        let literal = |part| control.literal(named("taken", &[part])).expect("every part can be taken");
        let taken = (0..costs.len()).map(literal).collect();
        Ok(Map { solver, taken, stop: stop.clone() })
    }

    /// From now on one of the parts is taken.
    fn hit(&mut self, parts: &[usize]) -> Halting<()> {
        self.forbid(parts.iter().map(|&part| -self.taken[part]).collect())
    }

    /// From now on not all of the parts are taken.
    fn exclude(&mut self, parts: &[usize]) -> Halting<()> {
        self.forbid(parts.iter().map(|&part| self.taken[part]).collect())
    }

    fn forbid(&mut self, literals: Vec<i32>) -> Halting<()> {
        let forbidden = self.solver.control().forbid(&literals);
        forbidden.map_err(|error| Failure::from(Diagnostic::error(error.text)).into())
    }

    /// A set of parts, if there is one.
    fn next(&mut self) -> Halting<Option<Parts>> {
        let mut next = None;
        let taken = &self.taken;
        let solved = self.solver.solve(&[], |model| {
            let is_taken = |part: &usize| model.holds(taken[*part]).unwrap_or_default();
            next = Some((0..taken.len()).filter(is_taken).collect());
            ControlFlow::Continue(())
        })?;
        match solved.result.interrupted {
            true => Err(Halt::GaveUp(self.stop.requested().unwrap_or(Reason::Unproven))),
            false => Ok(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts that cannot hold together are given; what it answers besides the truth is random.
    struct Given {
        len: usize,
        causes: Vec<u32>,
        random: fastrand::Rng,
        questions: usize,
    }

    #[test]
    fn what_ended_the_search_for_parts_is_what_is_said() {
        let canceller = crate::stop::Canceller::new();
        let map = Map::new(Aim::Least, &[1; 3], &canceller.token());
        let mut map = map.unwrap_or_else(|_| panic!("clingo takes the map"));
        canceller.request(Reason::TimeLimit);
        assert!(matches!(map.next(), Err(Halt::GaveUp(Reason::TimeLimit))));
    }

    fn set(parts: &[usize]) -> u32 {
        parts.iter().map(|part| 1 << part).sum()
    }

    impl Given {
        fn new(random: &mut fastrand::Rng) -> Self {
            let len = random.usize(0..11);
            let size = random.usize(0..5);
            let mut one =
                || (0..size.max(1)).map(|_| 1_u32 << random.usize(0..len.max(1))).fold(0, |set, bit| set | bit);
            let mut causes: Vec<u32> = if len == 0 { Vec::new() } else { (0..size * 2).map(|_| one()).collect() };
            causes.extend((random.u8(0..10) == 0).then_some(0));
            Given { len, causes, random: random.fork(), questions: 0 }
        }

        fn is_possible(&self, set: u32) -> bool {
            self.causes.iter().all(|cause| set & cause != *cause)
        }

        /// Every minimal set of those that are wanted, where all larger ones are wanted too.
        fn minimal(&self, wanted: impl Fn(u32) -> bool) -> Vec<u32> {
            let less = |set: u32| (0..self.len).map(move |part| set & !(1 << part)).filter(move |&less| less != set);
            (0..1 << self.len).filter(|&set| wanted(set) && !less(set).any(&wanted)).collect()
        }

        fn corrections(&self) -> Vec<u32> {
            let every = (1 << self.len) - 1;
            self.minimal(|set| self.is_possible(every & !set))
        }

        fn all_causes(&self) -> Vec<u32> {
            self.minimal(|set| !self.is_possible(set))
        }
    }

    impl Oracle for Given {
        fn len(&self) -> usize {
            self.len
        }

        fn solve(&mut self, parts: &[usize]) -> Result<Outcome, Failure> {
            self.questions += 1;
            let mut set = set(parts);
            let mut order: Parts = (0..self.len).collect();
            self.random.shuffle(&mut order);
            order.truncate(self.random.usize(0..self.len + 1));
            let is_possible = self.is_possible(set);
            for bit in order.iter().map(|part| 1 << part) {
                let other = if is_possible { set | bit } else { set & !bit };
                if self.is_possible(other) == is_possible {
                    set = other;
                }
            }
            let mut holds = (0..self.len).map(|part| set >> part & 1 > 0);
            Ok(match is_possible {
                true => Outcome::Satisfiable(holds.collect()),
                false => Outcome::Unsatisfiable((0..self.len).filter(|_| holds.next() == Some(true)).collect()),
            })
        }
    }

    #[test]
    fn on_random_oracles_all_is_as_brute_force_has_it() {
        let mut random = fastrand::Rng::with_seed(16);
        let mut met = [0; 3];
        for _ in 0..300 {
            let mut oracle = Given::new(&mut random);
            let (causes, corrections) = (oracle.all_causes(), oracle.corrections());
            let costs: Vec<u32> = (0..oracle.len).map(|_| random.u32(1..4)).collect();
            let cost = |set: u32| -> u32 {
                costs.iter().enumerate().filter(|(part, _)| set >> part & 1 > 0).map(|(_, cost)| cost).sum()
            };
            let fewest = causes.iter().map(|cause| cause.count_ones()).min();
            let cheapest = corrections.iter().map(|&correction| cost(correction)).min();
            let found = [
                minimal(&mut oracle, &Stop::new()).expect("it answers"),
                smallest(&mut oracle, &Stop::new()).expect("it answers"),
                cheapest_correction(&mut oracle, &costs, &Stop::new()).expect("it answers"),
            ];
            match found {
                [
                    Found::Parts { parts: minimal, is_least: false, is_minimal: true },
                    Found::Parts { parts: smallest, is_least: true, .. },
                    Found::Parts { parts: correction, is_least: true, .. },
                ] => {
                    met[0] += 1;
                    assert!(causes.contains(&set(&minimal)));
                    assert!(causes.contains(&set(&smallest)) && Some(smallest.len() as u32) == fewest);
                    assert!(corrections.contains(&set(&correction)) && Some(cost(set(&correction))) == cheapest);
                }
                [Found::Satisfiable, Found::Satisfiable, Found::Satisfiable] => {
                    met[1] += 1;
                    assert!(causes.is_empty());
                }
                [Found::NotTheCause, Found::NotTheCause, Found::NotTheCause] => {
                    met[2] += 1;
                    assert_eq!(causes, [0]);
                }
                other => panic!("{other:?}"),
            }
            let mut shown = Vec::new();
            let show = |cause: Parts| {
                shown.push(set(&cause));
                ControlFlow::Continue(())
            };
            assert_eq!(all(&mut oracle, &[], &Stop::new(), show), Ok(Ended::Complete));
            shown.sort_unstable();
            assert_eq!(shown, causes);
        }
        assert!(met[0] > 150 && met[1] > 20 && met[2] > 20, "{met:?}");
    }
}
