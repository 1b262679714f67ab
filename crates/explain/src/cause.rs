//! Minimal unsatisfiable and minimal correction subsets of the parts of a program.
//!
//! An oracle decides whether a set of parts can hold together while all others are free; every
//! subset of a satisfiable set is satisfiable. A *cause* is a minimal unsatisfiable subset (MUS):
//! its parts cannot hold together, but any proper subset of them can. A *correction* is a minimal
//! correction subset (MCS): after its removal the remaining parts can hold together, but not after
//! the removal of a proper subset. Each cause intersects each correction: causes are the minimal
//! hitting sets of the corrections, and vice versa (Reiter, "A theory of diagnosis from first
//! principles", Artificial Intelligence 32, 1987).
//!
//! ```text
//!   empty set                                                      all parts
//!      ├──────── satisfiable ───────┤├───────── unsatisfiable ────────┤
//!              grow ──────────────> ││ <────────────── shrink
//!                complement:          remaining set:
//!                a correction         a cause
//! ```
//!
//! Every query to the oracle leads to a cause or a correction, and each kind of set helps to find
//! the other:
//!
//! - The **smallest** cause is found with implicit hitting sets: the smallest set that hits all
//!   known corrections is tested. If it is satisfiable it is grown, which yields a new correction;
//!   otherwise it is the answer, and no smaller cause exists (Ignatiev, Previti, Liffiton and
//!   Marques-Silva, "Smallest MUS extraction with minimal hitting set dualization", CP 2015).
//!   Before the next hitting set is computed, the correction is added to the tested set for as long
//!   as the union remains satisfiable: disjoint corrections raise the lower bound together.
//! - The **cheapest** correction is found in the same way, with the roles exchanged (Davies and
//!   Bacchus, "Solving MAXSAT by solving a sequence of simpler SAT instances", CP 2011).
//! - **All** causes are found with a map of unexplored sets: from a maximal unexplored set the
//!   oracle leads either to a cause, whose supersets are blocked, or to a correction, whose
//!   complement's subsets are blocked (MARCO: Liffiton, Previti, Malik and Marques-Silva, "Fast,
//!   flexible MUS enumeration", Constraints 21, 2016).
//!
//! A core is shrunk by removing chunks, whose size doubles while the rest remains unsatisfiable. If
//! a large core contains a small cause, this takes as few queries as QuickXplain's bisection. A
//! model that violates a single part of the chunk proves at once that the part is needed.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::time::Instant;

use asp::{Program, Settings, Solver, fact};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::{CancelToken, HookGuard, StopReason};

use super::{RelaxedProgram, SolveOutcome};

/// Sorted numbers of parts.
pub type Parts = Vec<usize>;

/// Decides whether parts can hold together. Implementations must be monotone: every subset of a
/// satisfiable set is satisfiable.
pub trait Oracle {
    /// The number of parts. They are numbered from 0.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Decides whether `parts` can hold together while all other parts are free.
    fn solve(&mut self, parts: &[usize]) -> Result<SolveOutcome, Failure>;

    /// Interrupts a running query when `stop` is requested, until the returned guard is dropped.
    fn interrupt_on(&mut self, _stop: &CancelToken) -> Option<HookGuard> {
        None
    }

    /// Consumes a pending interruption: one that arrived after the last query and would otherwise
    /// end the next one.
    fn consume_interruption(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

impl Oracle for RelaxedProgram {
    fn len(&self) -> usize {
        self.len()
    }

    fn solve(&mut self, parts: &[usize]) -> Result<SolveOutcome, Failure> {
        self.solve(parts, &[])
    }

    fn interrupt_on(&mut self, stop: &CancelToken) -> Option<HookGuard> {
        let interrupter = self.solver().control().interrupter();
        Some(stop.on_request(move || interrupter.interrupt()))
    }

    fn consume_interruption(&mut self) -> Result<(), Failure> {
        // The query ends at once, because its assumptions contradict each other.
        let literal = (0..self.len()).find_map(|part| self.assumptions(part).first().copied());
        literal.map_or(Ok(()), |literal| self.solve(&[], &[literal, -literal]).map(drop))
    }
}

/// Result of a search for one set of parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SubsetResult {
    Parts {
        parts: Parts,
        /// True if it is proven that no other set is smaller (or cheaper).
        is_least: bool,
        /// True if every part is needed; false if time ran out and some parts may be redundant.
        is_minimal: bool,
    },
    /// All parts can hold together.
    #[default]
    Satisfiable,
    /// The program is unsatisfiable even if all parts are free.
    NotTheCause,
    GaveUp(StopReason),
}

/// The end of an enumeration of causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnumerationEnd {
    /// All causes were enumerated.
    Complete,
    /// The callback ended the enumeration.
    LimitReached,
    GaveUp(StopReason),
}

/// Returns the smallest cause, or the best one found until `enough` requests a stop.
pub fn smallest_mus(oracle: &mut dyn Oracle, enough: &CancelToken) -> Result<SubsetResult, Failure> {
    smallest_mus_with_deadline(oracle, enough, || None)
}

/// Like [`smallest_mus`], with a deadline for improvements that `soon` computes when the first
/// cause is found.
pub fn smallest_mus_with_deadline(
    oracle: &mut dyn Oracle,
    enough: &CancelToken,
    soon: impl FnOnce() -> Option<Instant>,
) -> Result<SubsetResult, Failure> {
    let costs = vec![1; oracle.len()];
    smallest_subset(oracle, Target::Mus, &costs, enough, soon)
}

/// Returns the cheapest correction, or the best one found until `enough` requests a stop. `costs`
/// has the cost of each part.
pub fn cheapest_mcs(oracle: &mut dyn Oracle, costs: &[u32], enough: &CancelToken) -> Result<SubsetResult, Failure> {
    smallest_subset(oracle, Target::Mcs, costs, enough, || None)
}

/// Returns the minimal cause to which the first core shrinks.
pub fn minimal_mus(oracle: &mut dyn Oracle, enough: &CancelToken) -> Result<SubsetResult, Failure> {
    interruptible(oracle, enough, |oracle| {
        let first = first_subset(oracle, Target::Mus)?;
        Ok(first.map_or_else(
            |found| found,
            |(parts, is_minimal)| SubsetResult::Parts { parts, is_least: false, is_minimal },
        ))
    })
}

/// Returns a minimal cause, or all parts if none is found in time.
pub fn minimal_mus_or_all(oracle: &mut dyn Oracle, enough: &CancelToken) -> Result<Parts, Failure> {
    Ok(match minimal_mus(oracle, enough)? {
        SubsetResult::Parts { parts, .. } => parts,
        SubsetResult::NotTheCause => Parts::new(),
        SubsetResult::Satisfiable | SubsetResult::GaveUp(_) => (0..oracle.len()).collect(),
    })
}

/// Calls `visit` once with each cause that is not in `known`, until it breaks.
pub fn enumerate_muses(
    oracle: &mut dyn Oracle,
    known: &[Parts],
    stop: &CancelToken,
    mut visit: impl FnMut(Parts) -> ControlFlow<()>,
) -> Result<EnumerationEnd, Failure> {
    let guard = oracle.interrupt_on(stop);
    let mut search = || -> Interruptible<EnumerationEnd> {
        let mut map = SubsetMap::new(MapBias::Maximal, &vec![1; oracle.len()], stop)?;
        known.iter().try_for_each(|cause| map.block_up(cause))?;
        let mut corrections = Vec::new();
        while let Some(candidate) = map.next_candidate()? {
            match query(oracle, &candidate)? {
                // The candidate is maximal, so its model need not be grown.
                Ok(holds) => {
                    let correction: Parts = (0..holds.len()).filter(|&part| !holds[part]).collect();
                    map.block_down(&correction)?;
                    corrections.push(correction);
                }
                Err(core) => {
                    let cause = shrink(oracle, core, &corrections)?;
                    let cause = cause.completed()?;
                    map.block_up(&cause)?;
                    if visit(cause).is_break() {
                        return Ok(EnumerationEnd::LimitReached);
                    }
                }
            }
        }
        Ok(EnumerationEnd::Complete)
    };
    let result = search();
    drop(guard);
    stop.requested().map_or(Ok(()), |_| oracle.consume_interruption())?;
    match result {
        Ok(result) => Ok(result),
        Err(Interrupted::GaveUp(reason)) => Ok(EnumerationEnd::GaveUp(stop.requested().unwrap_or(reason))),
        Err(Interrupted::Failed(failure)) => Err(failure),
    }
}

/// Restricts an oracle to the parts in `among`. The parts in `always` are enforced in every query.
pub struct SubsetOracle<'a> {
    pub oracle: &'a mut dyn Oracle,
    pub always: &'a [usize],
    pub among: &'a [usize],
}

impl Oracle for SubsetOracle<'_> {
    fn len(&self) -> usize {
        self.among.len()
    }

    fn solve(&mut self, parts: &[usize]) -> Result<SolveOutcome, Failure> {
        let enforced: Parts = self.always.iter().copied().chain(parts.iter().map(|&part| self.among[part])).collect();
        Ok(match self.oracle.solve(&enforced)? {
            SolveOutcome::Satisfiable(holds) => {
                SolveOutcome::Satisfiable(self.among.iter().map(|&part| holds[part]).collect())
            }
            SolveOutcome::Unsatisfiable(mut core) => {
                core.sort_unstable();
                let is_in_core = |part: &usize| core.binary_search(&self.among[*part]).is_ok();
                SolveOutcome::Unsatisfiable(parts.iter().copied().filter(is_in_core).collect())
            }
            unknown => unknown,
        })
    }

    fn interrupt_on(&mut self, stop: &CancelToken) -> Option<HookGuard> {
        self.oracle.interrupt_on(stop)
    }

    fn consume_interruption(&mut self) -> Result<(), Failure> {
        self.oracle.consume_interruption()
    }
}

/// An oracle whose parts are groups of assumed literals. The literals in `always` are assumed in
/// every query.
pub struct AssumptionOracle<'a> {
    pub relaxed: &'a mut RelaxedProgram,
    pub always: Vec<i32>,
    pub groups: Vec<Vec<i32>>,
}

impl Oracle for AssumptionOracle<'_> {
    fn len(&self) -> usize {
        self.groups.len()
    }

    fn solve(&mut self, parts: &[usize]) -> Result<SolveOutcome, Failure> {
        let of_parts = parts.iter().flat_map(|&part| &self.groups[part]);
        let assumed: Vec<i32> = self.always.iter().chain(of_parts).copied().collect();
        let groups = &self.groups;
        let mut holding = Vec::new();
        let solved = self.relaxed.solver().control().solve(&assumed, &mut |model| {
            let holds = |literal: &i32| model.holds(*literal).unwrap_or(false);
            holding = groups.iter().map(|group| group.iter().all(holds)).collect();
            ControlFlow::Break(())
        });
        let (result, core) = solved?;
        let core: HashSet<i32> = core.into_iter().collect();
        let is_in_core = |part: &usize| groups[*part].iter().any(|literal| core.contains(literal));
        Ok(match (result.satisfiable, result.unsatisfiable) {
            (true, _) => SolveOutcome::Satisfiable(holding),
            (_, true) => SolveOutcome::Unsatisfiable(parts.iter().copied().filter(is_in_core).collect()),
            _ => SolveOutcome::Unknown(StopReason::Unproven),
        })
    }

    fn interrupt_on(&mut self, stop: &CancelToken) -> Option<HookGuard> {
        self.relaxed.interrupt_on(stop)
    }

    fn consume_interruption(&mut self) -> Result<(), Failure> {
        self.relaxed.consume_interruption()
    }
}

/// The reason for ending a search early.
enum Interrupted {
    GaveUp(StopReason),
    Failed(Failure),
}

type Interruptible<T> = Result<T, Interrupted>;

impl From<Failure> for Interrupted {
    fn from(failure: Failure) -> Self {
        Interrupted::Failed(failure)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Mus,
    Mcs,
}

fn smallest_subset(
    oracle: &mut dyn Oracle,
    target: Target,
    costs: &[u32],
    enough: &CancelToken,
    soon: impl FnOnce() -> Option<Instant>,
) -> Result<SubsetResult, Failure> {
    interruptible(oracle, enough, |oracle| {
        let (mut parts, mut is_minimal) = match first_subset(oracle, target)? {
            Ok(first) => first,
            Err(result) => return Ok(result),
        };
        let soon = enough.child_until(soon());
        let guard = oracle.interrupt_on(&soon.token);
        let outcome = is_minimal.then(|| improve(oracle, target, costs, &soon.token, &mut parts));
        drop(guard);
        soon.token.requested().map_or(Ok(()), |_| oracle.consume_interruption())?;
        let is_least = match outcome {
            Some(Ok(())) => true,
            Some(Err(Interrupted::GaveUp(_))) | None => false,
            Some(Err(error)) => return Err(error),
        };
        is_minimal |= is_least;
        Ok(SubsetResult::Parts { parts, is_least, is_minimal })
    })
}

/// Runs a search whose queries end when `enough` requests a stop.
fn interruptible(
    oracle: &mut dyn Oracle,
    enough: &CancelToken,
    search: impl FnOnce(&mut dyn Oracle) -> Interruptible<SubsetResult>,
) -> Result<SubsetResult, Failure> {
    let guard = oracle.interrupt_on(enough);
    let result = search(oracle);
    drop(guard);
    enough.requested().map_or(Ok(()), |_| oracle.consume_interruption())?;
    match result {
        Ok(result) => Ok(result),
        Err(Interrupted::GaveUp(reason)) => Ok(SubsetResult::GaveUp(enough.requested().unwrap_or(reason))),
        Err(Interrupted::Failed(failure)) => Err(failure),
    }
}

/// Returns a cause or correction and whether it is minimal, or the result of the search if there is
/// neither.
fn first_subset(oracle: &mut dyn Oracle, target: Target) -> Interruptible<Result<(Parts, bool), SubsetResult>> {
    let all_parts: Parts = (0..oracle.len()).collect();
    let core = match query(oracle, &all_parts)? {
        Ok(_) => return Ok(Err(SubsetResult::Satisfiable)),
        Err(core) => core,
    };
    let shrunk = match (query(oracle, &[]), target) {
        (Ok(Err(_)), _) => return Ok(Err(SubsetResult::NotTheCause)),
        (Ok(Ok(_)), Target::Mus) => shrink(oracle, core, &[])?,
        (Ok(Ok(holds)), Target::Mcs) => grow(oracle, holds)?,
        (Err(Interrupted::GaveUp(_)), Target::Mus) if !core.is_empty() => return Ok(Ok((core, false))),
        (Err(error), _) => return Err(error),
    };
    Ok(Ok((shrunk.parts, shrunk.interruption.is_none())))
}

/// The result of minimising a set.
struct MinimizedSet {
    parts: Parts,
    /// The interruption that may have left redundant parts.
    interruption: Option<StopReason>,
}

impl MinimizedSet {
    fn completed(self) -> Interruptible<Parts> {
        self.interruption.map_or(Ok(self.parts), |reason| Err(Interrupted::GaveUp(reason)))
    }
}

/// Improves `best` until it is proven optimal.
fn improve(
    oracle: &mut dyn Oracle,
    target: Target,
    costs: &[u32],
    enough: &CancelToken,
    best: &mut Parts,
) -> Interruptible<()> {
    let cost = |parts: &[usize]| -> u64 { parts.iter().map(|&part| u64::from(costs[part])).sum() };
    let mut map = SubsetMap::new(MapBias::Cheapest, costs, enough)?;
    let mut corrections = Vec::new();
    loop {
        // The optimum hits every set of the other kind found so far, so it costs at least as much
        // as this candidate, the cheapest hitting set.
        let mut candidate = map.next_candidate()?.expect("what is looked for hits everything");
        if cost(&candidate) >= cost(best) {
            return Ok(());
        }
        loop {
            if let Some(reason) = enough.requested() {
                return Err(Interrupted::GaveUp(reason));
            }
            let enforced = if target == Target::Mus { candidate.clone() } else { complement(oracle.len(), &candidate) };
            let (correction, cause) = match query(oracle, &enforced)? {
                Ok(holds) => (Some(grow(oracle, holds)?.completed()?), None),
                Err(core) => (None, Some(shrink(oracle, core, &corrections)?.completed()?)),
            };
            corrections.extend(correction.clone());
            let (better, to_hit) = match target {
                Target::Mus => (cause, correction),
                Target::Mcs => (correction, cause),
            };
            if let Some(to_hit) = to_hit {
                map.block_down(&to_hit)?;
                candidate.extend(to_hit);
                candidate.sort_unstable();
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

/// Queries the oracle: returns the model, or a sorted core.
fn query(oracle: &mut dyn Oracle, parts: &[usize]) -> Interruptible<Result<Vec<bool>, Parts>> {
    match oracle.solve(parts)? {
        SolveOutcome::Satisfiable(holds) => Ok(Ok(holds)),
        SolveOutcome::Unsatisfiable(mut core) => {
            core.sort_unstable();
            Ok(Err(core))
        }
        SolveOutcome::Unknown(reason) => Err(Interrupted::GaveUp(reason)),
    }
}

/// Shrinks the core `open` to a minimal cause.
///
/// A part is needed if it is the only common element of the current set and one of `corrections`.
fn shrink(oracle: &mut dyn Oracle, mut open: Parts, corrections: &[Parts]) -> Interruptible<MinimizedSet> {
    let mut needed = Parts::new();
    let mut chunk = 1;
    let interruption = loop {
        let critical = critical_parts(corrections, &needed, &open);
        open.retain(|part| !critical.contains(part));
        needed.extend(critical);
        if open.is_empty() {
            break None;
        }
        let remaining_len = open.len() - chunk.min(open.len());
        match query(oracle, &[&needed, &open[..remaining_len]].concat()) {
            Err(Interrupted::GaveUp(reason)) => break Some(reason),
            Err(error) => return Err(error),
            Ok(Err(core)) => {
                open.truncate(remaining_len);
                open.retain(|part| core.binary_search(part).is_ok());
                chunk *= 2;
            }
            Ok(Ok(holds)) => {
                let mut violated = (remaining_len..open.len()).filter(|&at| !holds[open[at]]);
                if let (Some(at), None) = (violated.next(), violated.next()) {
                    needed.push(open.remove(at));
                }
                chunk = (chunk / 2).max(1);
            }
        }
    };
    needed.extend(open);
    needed.sort_unstable();
    Ok(MinimizedSet { parts: needed, interruption })
}

/// Returns each part in `open` that is the only element of some correction in `open` and `needed`
/// together.
fn critical_parts(corrections: &[Parts], needed: &[usize], open: &[usize]) -> Parts {
    let is_open: HashSet<usize> = open.iter().copied().collect();
    let is_needed: HashSet<usize> = needed.iter().copied().collect();
    let only_common = |correction: &Parts| {
        let mut common = correction.iter().copied().filter(|part| is_open.contains(part));
        let first = common.next()?;
        (common.next().is_none() && !correction.iter().any(|part| is_needed.contains(part))).then_some(first)
    };
    corrections.iter().filter_map(only_common).collect::<BTreeSet<usize>>().into_iter().collect()
}

/// Extends a satisfiable set to a maximal one and returns its complement, a correction.
fn grow(oracle: &mut dyn Oracle, mut holds: Vec<bool>) -> Interruptible<MinimizedSet> {
    let left_out = |holds: &[bool]| (0..holds.len()).filter(|&part| !holds[part]).collect::<Parts>();
    // First add every part that has not occurred in a core.
    let mut in_core = vec![false; holds.len()];
    loop {
        let extended: Parts = (0..holds.len()).filter(|&part| holds[part] || !in_core[part]).collect();
        match query(oracle, &extended) {
            Ok(Ok(model)) => {
                holds = model;
                break;
            }
            Ok(Err(core)) => {
                for part in core {
                    in_core[part] = true;
                }
            }
            Err(Interrupted::GaveUp(reason)) => {
                return Ok(MinimizedSet { parts: left_out(&holds), interruption: Some(reason) });
            }
            Err(error) => return Err(error),
        }
    }
    for part in 0..holds.len() {
        if holds[part] {
            continue;
        }
        let extended: Parts = (0..holds.len()).filter(|&other| holds[other] || other == part).collect();
        match query(oracle, &extended) {
            Ok(Ok(model)) => holds = model,
            Ok(Err(_)) => {}
            Err(Interrupted::GaveUp(reason)) => {
                return Ok(MinimizedSet { parts: left_out(&holds), interruption: Some(reason) });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(MinimizedSet { parts: left_out(&holds), interruption: None })
}

/// Returns the numbers below `len` that are not in `parts`, which must be sorted.
fn complement(len: usize, parts: &[usize]) -> Parts {
    (0..len).filter(|part| parts.binary_search(part).is_err()).collect()
}

/// The unexplored sets that a [`SubsetMap`] returns first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MapBias {
    /// Sets of minimum cost.
    Cheapest,
    /// Sets that have no unexplored superset.
    Maximal,
}

/// A map of the sets of parts. The sets that satisfy all blocking clauses are unexplored.
struct SubsetMap {
    solver: Solver,
    /// The literal of each part.
    selectors: Vec<i32>,
    stop: CancelToken,
}

impl SubsetMap {
    fn new(bias: MapBias, costs: &[u32], stop: &CancelToken) -> Interruptible<Self> {
        // With a positive sign heuristic, a part is left out only if a clause excludes it together
        // with the selected parts. The set is therefore maximal.
        let (options, rules) = match bias {
            MapBias::Cheapest => {
                (vec!["--opt-strategy=usc,stratify".to_owned()], "#minimize { C,P : cost(P,C), taken(P) }.")
            }
            MapBias::Maximal => (vec!["--sign-def=pos".to_owned(), "--sign-fix".to_owned()], ""),
        };
        let settings = Settings { models: Some(u64::from(bias == MapBias::Maximal)), options, ..Settings::default() };
        let atom = |name, arguments: &[usize]| fact(name, arguments).expect("the name has no NUL byte");
        let program = Program {
            instance: vec![Document::in_memory("<map>", format!("{{ taken(P) }} :- cost(P,C). {rules}"))],
            facts: costs.iter().enumerate().map(|(part, &cost)| atom("cost", &[part, cost as usize])).collect(),
            ..Program::default()
        };
        let mut solver = Solver::with_program(&program, &settings, stop)?;
        let control = solver.control();
        let literal = |part| control.literal(atom("taken", &[part])).expect("every part can be taken");
        let selectors = (0..costs.len()).map(literal).collect();
        Ok(SubsetMap { solver, selectors, stop: stop.clone() })
    }

    /// Marks all sets that contain none of `parts` as explored.
    fn block_down(&mut self, parts: &[usize]) -> Interruptible<()> {
        self.add_nogood(parts.iter().map(|&part| -self.selectors[part]).collect())
    }

    /// Marks all sets that contain all of `parts` as explored.
    fn block_up(&mut self, parts: &[usize]) -> Interruptible<()> {
        self.add_nogood(parts.iter().map(|&part| self.selectors[part]).collect())
    }

    fn add_nogood(&mut self, literals: Vec<i32>) -> Interruptible<()> {
        let forbidden = self.solver.control().forbid(&literals);
        forbidden.map_err(|error| Failure::from(Diagnostic::error(Code::Clingo, error.text)).into())
    }

    /// Returns an unexplored set, or `None` if there is none.
    fn next_candidate(&mut self) -> Interruptible<Option<Parts>> {
        let mut next = None;
        let selectors = &self.selectors;
        let solved = self.solver.solve(&[], |model| {
            let is_taken = |part: &usize| model.holds(selectors[*part]).unwrap_or_default();
            next = Some((0..selectors.len()).filter(is_taken).collect());
            ControlFlow::Continue(())
        })?;
        if solved.result.interrupted {
            return Err(Interrupted::GaveUp(self.stop.requested().unwrap_or(StopReason::Unproven)));
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An oracle whose minimal unsatisfiable sets are among `causes`. It returns random models and
    /// cores.
    struct RandomOracle {
        len: usize,
        causes: Vec<u32>,
        random: fastrand::Rng,
        queries: usize,
    }

    #[test]
    fn an_interrupted_search_reports_its_stop_reason() {
        let canceller = base::stop::Canceller::new();
        let map = SubsetMap::new(MapBias::Cheapest, &[1; 3], &canceller.token());
        let mut map = map.unwrap_or_else(|_| panic!("clingo takes the map"));
        canceller.request(StopReason::TimeLimit);
        assert!(matches!(map.next_candidate(), Err(Interrupted::GaveUp(StopReason::TimeLimit))));
    }

    fn set(parts: &[usize]) -> u32 {
        parts.iter().map(|part| 1 << part).sum()
    }

    impl RandomOracle {
        fn new(random: &mut fastrand::Rng) -> Self {
            let len = random.usize(0..11);
            let size = random.usize(0..5);
            let mut cause =
                || (0..size.max(1)).map(|_| 1_u32 << random.usize(0..len.max(1))).fold(0, |set, bit| set | bit);
            let mut causes: Vec<u32> = if len == 0 { Vec::new() } else { (0..size * 2).map(|_| cause()).collect() };
            causes.extend((random.u8(0..10) == 0).then_some(0));
            RandomOracle { len, causes, random: random.fork(), queries: 0 }
        }

        fn is_possible(&self, set: u32) -> bool {
            self.causes.iter().all(|cause| set & cause != *cause)
        }

        /// Returns the minimal sets with `has_property`, which every superset of such a set must
        /// have.
        fn minimal_sets(&self, has_property: impl Fn(u32) -> bool) -> Vec<u32> {
            let smaller_sets =
                |set: u32| (0..self.len).map(move |part| set & !(1 << part)).filter(move |&smaller| smaller != set);
            (0..1 << self.len).filter(|&set| has_property(set) && !smaller_sets(set).any(&has_property)).collect()
        }

        fn corrections(&self) -> Vec<u32> {
            let all_parts = (1 << self.len) - 1;
            self.minimal_sets(|set| self.is_possible(all_parts & !set))
        }

        fn all_causes(&self) -> Vec<u32> {
            self.minimal_sets(|set| !self.is_possible(set))
        }
    }

    impl Oracle for RandomOracle {
        fn len(&self) -> usize {
            self.len
        }

        fn solve(&mut self, parts: &[usize]) -> Result<SolveOutcome, Failure> {
            self.queries += 1;
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
            Ok(if is_possible {
                SolveOutcome::Satisfiable(holds.collect())
            } else {
                SolveOutcome::Unsatisfiable((0..self.len).filter(|_| holds.next() == Some(true)).collect())
            })
        }
    }

    #[test]
    fn searches_agree_with_brute_force_on_random_oracles() {
        let mut random = fastrand::Rng::with_seed(16);
        let mut counts = [0; 3];
        for _ in 0..300 {
            let mut oracle = RandomOracle::new(&mut random);
            let (causes, corrections) = (oracle.all_causes(), oracle.corrections());
            let costs: Vec<u32> = (0..oracle.len).map(|_| random.u32(1..4)).collect();
            let cost = |set: u32| -> u32 {
                costs.iter().enumerate().filter(|(part, _)| set >> part & 1 > 0).map(|(_, cost)| cost).sum()
            };
            let fewest = causes.iter().map(|cause| cause.count_ones()).min();
            let cheapest = corrections.iter().map(|&correction| cost(correction)).min();
            let found = [
                minimal_mus(&mut oracle, &CancelToken::new()).expect("a result"),
                smallest_mus(&mut oracle, &CancelToken::new()).expect("a result"),
                cheapest_mcs(&mut oracle, &costs, &CancelToken::new()).expect("a result"),
            ];
            match found {
                [
                    SubsetResult::Parts { parts: minimal, is_least: false, is_minimal: true },
                    SubsetResult::Parts { parts: smallest, is_least: true, .. },
                    SubsetResult::Parts { parts: correction, is_least: true, .. },
                ] => {
                    counts[0] += 1;
                    assert!(causes.contains(&set(&minimal)));
                    assert!(causes.contains(&set(&smallest)) && Some(smallest.len() as u32) == fewest);
                    assert!(corrections.contains(&set(&correction)) && Some(cost(set(&correction))) == cheapest);
                }
                [SubsetResult::Satisfiable, SubsetResult::Satisfiable, SubsetResult::Satisfiable] => {
                    counts[1] += 1;
                    assert!(causes.is_empty());
                }
                [SubsetResult::NotTheCause, SubsetResult::NotTheCause, SubsetResult::NotTheCause] => {
                    counts[2] += 1;
                    assert_eq!(causes, [0]);
                }
                other => panic!("{other:?}"),
            }
            let mut shown = Vec::new();
            let show = |cause: Parts| {
                shown.push(set(&cause));
                ControlFlow::Continue(())
            };
            assert_eq!(enumerate_muses(&mut oracle, &[], &CancelToken::new(), show), Ok(EnumerationEnd::Complete));
            shown.sort_unstable();
            assert_eq!(shown, causes);
        }
        assert!(counts[0] > 150 && counts[1] > 20 && counts[2] > 20, "{counts:?}");
    }
}
