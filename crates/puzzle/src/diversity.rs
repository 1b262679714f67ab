//! Answers of logic programs that differ as much as possible in what they show.
//!
//! The distance of two answers is the number of terms that exactly one of them shows. Of all sets of
//! `k` answers, those are best whose least distance is greatest (max-min dispersion). The first answer
//! is arbitrary. clingo then maximises, for each further answer, the distance from the nearest of the
//! earlier answers, and proves the maximum.
//!
//! Let `r` be the distance of the last answer from the nearest of the `k - 1` answers before it. Two
//! bounds hold for all sets of `k` answers:
//!
//! - Their least distance is at most `2r`: each answer is within `r` of one of the `k - 1` answers, so
//!   that two of any `k` answers are within `r` of the same one (Gonzalez, "Clustering to minimize the
//!   maximum intercluster distance", 1985). This also holds for an upper bound of `r`.
//! - A term that `s` of `k` answers show differs in `s(k - s)` of their `k(k - 1)/2` pairs. The sum over
//!   all `n` terms that answers may or may not show, divided by the number of pairs, is an upper bound
//!   of the least distance (Plotkin, "Binary codes with specified minimum distance", 1960). If no
//!   answer shows more than `w` of these terms, the numbers `s` have at most the sum `kw`. Since
//!   `s(k - s)` is concave, the sum is greatest if all `s` are as equal as possible (Johnson, "A new
//!   upper bound for error-correcting codes", 1962).
//!
//! clingo searches a copy of the ground program in text, with an atom for each term and with atoms
//! that stand for a distance; a search assumes one of them.

use std::fmt::Write;
use std::ops::ControlFlow;

use asp::ground_text::{self, conjunction, literal, sum};
use asp::{Model, SolveOutcome, SolveResult, Symbol};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::{CancelToken, StopReason};
use ground::{GroundProgram, Truth};
use rustc_hash::FxHashSet;

use super::counting::{self, LeastCosts};
use super::observed::{GroundAnswers, ObservedProgram};
use super::selection::DiversitySummary;
use crate::job::Job;

/// Selects as many answers of a grounded program as the job requests.
///
/// # Errors
/// The program has features that the search does not support.
pub fn select_answers(
    program: &asp::Program,
    observed: &ObservedProgram,
    solver: &mut asp::Solver,
    job: &Job,
    on_model: &mut dyn FnMut(&mut Model<'_>) -> ControlFlow<()>,
) -> Result<(SolveOutcome, DiversitySummary), Failure> {
    let requested = job.question.models.unwrap_or(2);
    let mode = solver.solve_mode()?;
    let answers = observed.finish(solver)?;
    if let Some(obstacle) = counting::obstacle(mode) {
        let text = format!("answers of this kind cannot be compared: {obstacle}");
        return Err(Diagnostic::error(Code::Unsupported, text).into());
    }
    let costs = match counting::least_costs(&answers.ground, mode, (program, &job.engine.settings), None, &job.stop)? {
        LeastCosts::Unknown { reason, .. } => {
            return Ok((
                outcome(0, false),
                DiversitySummary { stopped: Some(reason), ..DiversitySummary::of(requested) },
            ));
        }
        LeastCosts::NoAnswer => Some(Vec::new()),
        LeastCosts::NotMinimised => None,
        LeastCosts::Proven(costs) => Some(costs),
    };
    let mut search = DistanceSearch::new(&answers, costs.as_deref(), job)?;
    let mut found = 0;
    let mut least = None;
    // An upper bound of the distance of the next answer from the nearest one.
    let mut radius = search.terms.len() as u64;
    let mut stopped = None;
    while found < requested {
        let farthest = search.farthest(radius, &job.stop)?;
        radius = farthest.at_most;
        stopped = farthest.stopped;
        let Some(atoms) = farthest.atoms else { break };
        let model = answers.model(atoms, found + 1, costs.is_some());
        let distance = search.add(&model.shown, found + 1)?;
        if distance.is_some_and(|distance| distance > radius || distance < farthest.at_least) {
            let text = "the distance of two answers is not the one that the search has proven";
            return Err(Diagnostic::error(Code::RejectedAnswer, text).into());
        }
        least = distance.or(least).map(|distance: u64| least.map_or(distance, |least: u64| least.min(distance)));
        found += 1;
        if solver.show(&model, &mut *on_model)?.is_break() || stopped.is_some() {
            break;
        }
    }
    let terms = search.terms.len() as u64;
    let mut at_most = bound(radius, terms, terms, requested);
    if stopped.is_none() && least.is_some_and(|least| least < at_most) {
        at_most = bound(radius, terms, search.greatest_number()?, requested);
    }
    let at_most = Some(at_most);
    let is_of_optima = costs.is_some();
    let summary = DiversitySummary { requested, found, distance: least, at_most, stopped, is_of_optima };
    Ok((outcome(found, found < requested && stopped.is_none()), summary))
}

fn outcome(found: u64, is_exhausted: bool) -> SolveOutcome {
    let result = SolveResult {
        satisfiable: found > 0,
        unsatisfiable: found == 0 && is_exhausted,
        exhausted: found == 0 && is_exhausted,
        interrupted: false,
    };
    SolveOutcome { result, ..SolveOutcome::default() }
}

/// Returns an upper bound of the least distance of any `k` answers: `radius` bounds the distance of
/// each answer from the nearest of at most `k - 1` ones, `terms` is the number of terms that may differ,
/// and `shown` bounds the number of these that an answer shows.
fn bound(radius: u64, terms: u64, shown: u64, k: u64) -> u64 {
    let [terms, shown, k] = [terms, shown, k].map(u128::from);
    let differing = |s: u128| s * (k - s);
    // The answers show all terms together this often, if they differ most.
    let total = (k * shown).min(terms * (k / 2));
    let each = total.checked_div(terms).unwrap_or_default();
    let rest = total - each * terms;
    let pairs = k * (k - 1) / 2;
    let by_terms = ((terms - rest) * differing(each) + rest * differing(each + 1)) / pairs;
    radius.saturating_mul(2).min(u64::try_from(by_terms).unwrap_or(u64::MAX))
}

/// What one search says.
enum DistanceStep {
    /// The true atoms of an answer, and its distance from the nearest answer before.
    Found(FxHashSet<u32>, u64),
    /// It is proven that there is no such answer.
    Refuted,
    Stopped,
}

/// A search for answers that are far from those before.
struct DistanceSearch {
    solver: asp::Solver,
    /// The original atoms that can be true, with their symbols in the copy.
    atoms: Vec<(u32, Symbol)>,
    /// The terms that may differ.
    terms: Vec<Symbol>,
    /// What the answers so far show.
    chosen: Vec<FxHashSet<u64>>,
}

/// The result of a search for the farthest answer.
struct Farthest {
    /// The true atoms of the answer; `None` if there is no other, or none was found.
    atoms: Option<FxHashSet<u32>>,
    at_least: u64,
    at_most: u64,
    stopped: Option<StopReason>,
}

impl DistanceSearch {
    fn new(answers: &GroundAnswers, costs: Option<&[i64]>, job: &Job) -> Result<Self, Failure> {
        let ground = &answers.ground;
        if ground.has_theory {
            return Err(Diagnostic::error(Code::Unsupported, "--diverse does not support theory atoms").into());
        }
        let shown = answers.conditional_terms();
        let mut text = program_text(ground, costs);
        for (number, (_, conditions)) in shown.iter().enumerate() {
            for condition in conditions {
                let _ = writeln!(text, "s({number}) :- {}.", conjunction(condition.iter().copied()));
            }
        }
        let terms: Vec<Symbol> = shown.into_iter().map(|(term, _)| term).collect();
        // d(B): the distance from each answer before is at least B. w(B): at least B terms are shown.
        let n = terms.len();
        let _ = writeln!(text, "{{ d(1..{n}); w(1..{n}) }}. :- d(B), B > 1, not d(B-1). :- w(B), B > 1, not w(B-1).");
        let _ = writeln!(text, ":- #sum {{ 1,w,B : not w(B), B = 1..{n}; 1,s,T : s(T), T = 0..{n}-1 }} < {n}.");
        let settings = asp::Settings { threads: job.engine.settings.threads, ..asp::Settings::default() };
        let mut solver = asp::Solver::new(&settings, &job.stop)?;
        solver.add(&Document::in_memory("<ground>", text))?;
        solver.ground(&[("base", &[])])?;
        let mut numbers: Vec<u32> = ground.atoms().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let atoms = numbers.into_iter().filter_map(|atom| Some((atom, ground_text::atom(atom)?))).collect();
        Ok(DistanceSearch { solver, atoms, terms, chosen: Vec::new() })
    }

    /// Finds the answer that is farthest from the nearest one before; `radius` is an upper bound of
    /// this distance.
    fn farthest(&mut self, radius: u64, stop: &CancelToken) -> Result<Farthest, Failure> {
        let mut farthest = Farthest { atoms: None, at_least: 0, at_most: radius, stopped: None };
        if self.chosen.is_empty() {
            match self.search("d", 0)? {
                DistanceStep::Found(atoms, _) => farthest.atoms = Some(atoms),
                DistanceStep::Refuted => {}
                DistanceStep::Stopped => farthest.stopped = Some(stop_reason(stop)),
            }
            return Ok(farthest);
        }
        while farthest.at_least < farthest.at_most {
            let target = (farthest.at_least + farthest.at_most).div_ceil(2);
            match self.search("d", target)? {
                DistanceStep::Found(atoms, distance) => {
                    farthest.atoms = Some(atoms);
                    farthest.at_least = distance.clamp(target, farthest.at_most);
                }
                DistanceStep::Refuted => farthest.at_most = target - 1,
                DistanceStep::Stopped => {
                    farthest.stopped = Some(stop_reason(stop));
                    break;
                }
            }
        }
        Ok(farthest)
    }

    /// Returns an upper bound of the number of terms that an answer shows, of those that may differ.
    fn greatest_number(&mut self) -> Result<u64, Failure> {
        let number_of = |terms: &[Symbol], shown: &FxHashSet<u64>| {
            terms.iter().filter(|&&term| shown.contains(&asp::id_of(term))).count() as u64
        };
        let mut at_least = self.chosen.iter().map(|shown| number_of(&self.terms, shown)).max().unwrap_or(0);
        let mut at_most = self.terms.len() as u64;
        // Solutions of boards often have the same number.
        let mut target = at_least + 1;
        while at_least < at_most {
            match self.search("w", target)? {
                DistanceStep::Found(..) => at_least = target,
                DistanceStep::Refuted => at_most = target - 1,
                DistanceStep::Stopped => break,
            }
            target = (at_least + at_most).div_ceil(2);
        }
        Ok(at_most)
    }

    /// Finds an answer at least this far from all before, with `d`, or one that shows at least as many
    /// terms, with `w`.
    fn search(&mut self, what: &str, least: u64) -> Result<DistanceStep, Failure> {
        let assumed: Vec<(Symbol, bool)> = (least > 0).then(|| (symbol(what, least), true)).into_iter().collect();
        let mut found = None;
        let DistanceSearch { solver, atoms, terms, chosen } = self;
        let outcome = solver.solve(&assumed, |model| {
            found = model.atoms().ok().map(|symbols| symbols.map(asp::id_of).collect::<FxHashSet<u64>>());
            ControlFlow::Break(())
        })?;
        let Some(holding): Option<FxHashSet<u64>> = found else {
            let is_refuted =
                outcome.result.unsatisfiable && outcome.result.exhausted && solver.known_defect().is_none();
            return Ok(if is_refuted { DistanceStep::Refuted } else { DistanceStep::Stopped });
        };
        let is_true = |symbol: Symbol| holding.contains(&asp::id_of(symbol));
        let true_atoms = atoms.iter().filter(|(_, symbol)| is_true(*symbol)).map(|(atom, _)| *atom).collect();
        let is_shown = |number: usize| is_true(symbol("s", number as u64));
        let differs =
            |number: usize, shown: &FxHashSet<u64>| is_shown(number) != shown.contains(&asp::id_of(terms[number]));
        let distances =
            chosen.iter().map(|shown| (0..terms.len()).filter(|&number| differs(number, shown)).count() as u64);
        Ok(DistanceStep::Found(true_atoms, distances.min().unwrap_or(0)))
    }

    /// Adds an answer by what it shows. Returns its distance from the nearest answer before.
    fn add(&mut self, shown: &[Symbol], number: u64) -> Result<Option<u64>, Failure> {
        let shown: FxHashSet<u64> = shown.iter().map(|&term| asp::id_of(term)).collect();
        let distance = |other: &FxHashSet<u64>| shown.symmetric_difference(other).count() as u64;
        let nearest = self.chosen.iter().map(distance).min();
        let mut text = format!("#program far{number}.\n:- #sum {{ 1,d,B : not d(B), B = 1..{}", self.terms.len());
        for (number, &term) in self.terms.iter().enumerate() {
            let sign = if shown.contains(&asp::id_of(term)) { "not " } else { "" };
            let _ = write!(text, "; 1,s,{number} : {sign}s({number})");
        }
        let _ = writeln!(text, " }} < {}.", self.terms.len());
        self.chosen.push(shown);
        let name = format!("far{number}");
        self.solver.add(&Document::in_memory(format!("<{name}>"), text))?;
        self.solver.ground(&[(&name, &[])])?;
        Ok(nearest)
    }
}

fn stop_reason(stop: &CancelToken) -> StopReason {
    stop.requested().unwrap_or(StopReason::Unproven)
}

fn symbol(name: &str, number: u64) -> Symbol {
    asp::function(name, &[asp::number(number as i32)]).expect("a name without a NUL byte")
}

/// Writes a ground program in the input language, with the atom `x(N)` for each atom `N`. Only
/// answers with the given costs remain.
fn program_text(ground: &GroundProgram, costs: Option<&[i64]>) -> String {
    let mut text = String::new();
    ground.rules.iter().for_each(|rule| ground_text::write_rule(&mut text, rule));
    let heads: FxHashSet<u32> = ground.rules.iter().flat_map(|rule| rule.head.iter().copied()).collect();
    for (atom, value) in &ground.externals {
        if heads.contains(atom) && ground.frozen.get(atom) != Some(&true) {
            continue;
        }
        let _ = match value {
            Truth::False => Ok(()),
            Truth::True => writeln!(text, "x({atom})."),
            Truth::Free => writeln!(text, "{{ x({atom}) }}."),
        };
    }
    ground.edges.iter().for_each(|edge| ground_text::write_edge(&mut text, edge));
    for &assumed in &ground.assumed {
        let _ = writeln!(text, ":- {}.", literal(-assumed));
    }
    for (items, cost) in ground.costs.values().rev().zip(costs.into_iter().flatten()) {
        let _ = writeln!(text, ":- {} != {cost}.", sum(items));
    }
    text
}
