//! Counts the answers of a logic program without enumerating them.

use std::ops::ControlFlow;

use asp::{ReasoningMode, SolveMode};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use certificate::CostBound;
use count::{Count, CountLimits, CountMode, CountStats, Formula, Projection, formula_of};
use ground::{GroundProgram, Optimisation};
use num_bigint::BigUint;

use super::certifying;
use crate::job::Limits;

/// The part of the memory limit that the cache of a count may take; the rest is for the ground
/// program and its clauses.
const CACHE_SHARE: f64 = 0.5;

/// The number of answers of a logic program.
#[derive(Debug, Clone)]
pub struct AnswerCount {
    pub count: Count,
    /// When two answer sets are one answer.
    pub projection: Projection,
    /// The least costs; only answers with these count. `None` if nothing is minimised.
    pub costs: Option<Vec<i64>>,
    pub warnings: Vec<Diagnostic>,
}

impl AnswerCount {
    /// Returns the number of answers if it is known.
    pub fn exact(&self) -> Option<&BigUint> {
        self.count.exact()
    }

    pub fn verdict(&self) -> Verdict {
        match (self.exact(), self.count.stopped) {
            (Some(number), _) if *number == BigUint::ZERO => Verdict::Impossible,
            (Some(_), _) => Verdict::Solved,
            (None, reason) => Verdict::GaveUp(reason.unwrap_or(StopReason::Unproven)),
        }
    }
}

/// The error for answers that cannot be counted.
pub fn unsupported(what: &str) -> Failure {
    Diagnostic::error(Code::Unsupported, format!("answers of this kind cannot be counted: {what}"))
        .help("asp-solve FILE -n 0 enumerates answers")
        .into()
}

/// Grounds a program and counts its answers, or the best of them if it minimises.
///
/// # Errors
/// Errors of the program, or the reason why it cannot be counted.
pub fn count_answers(
    program: &asp::Program,
    settings: &asp::Settings,
    limits: &Limits,
    stop: &CancelToken,
) -> Result<AnswerCount, Failure> {
    if program.documents().any(asp::is_incremental) {
        return Err(unsupported("programs in steps"));
    }
    let (solver, ground) = certifying::ground(program, settings, stop)?;
    let mode = solver.solve_mode()?;
    let mut warnings: Vec<Diagnostic> = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    warnings.extend(solver.theory_warning());
    drop(solver);
    let ground = ground.lock();
    let CountedFormula { formula, projection, costs, unknown } =
        CountedFormula::of(&ground, mode, (program, settings), stop)?;
    let count = match unknown {
        None => count::count(&formula, &count_limits(limits, stop)),
        Some((has_answer, reason)) => Count {
            at_least: BigUint::from(u32::from(has_answer)),
            at_most: formula.max_models(),
            stopped: Some(reason),
            estimate: None,
            stats: CountStats::default(),
        },
    };
    Ok(AnswerCount { count, projection, costs, warnings })
}

/// Derives the limits of a count from the limits of its run.
pub fn count_limits(limits: &Limits, stop: &CancelToken) -> CountLimits {
    let cache_bytes = limits.memory.map(|bytes| (bytes as f64 * CACHE_SHARE) as usize);
    CountLimits {
        cache_bytes: cache_bytes.unwrap_or(CountLimits::default().cache_bytes),
        decisions: limits.nodes,
        stop: stop.clone(),
    }
}

/// The formula that has a model for each answer that counts.
pub struct CountedFormula {
    pub formula: Formula,
    pub projection: Projection,
    /// The least costs; only answers with these count. `None` if nothing is minimised.
    pub costs: Option<Vec<i64>>,
    /// Set if the least costs are not known, so that the models are not those that count: whether
    /// there is an answer, and the reason.
    pub unknown: Option<(bool, StopReason)>,
}

impl CountedFormula {
    /// Translates a ground program. If it minimises, clingo finds the least costs of the program.
    ///
    /// # Errors
    /// The reason why the answers cannot be counted.
    pub fn of(
        ground: &GroundProgram,
        mode: SolveMode,
        (program, settings): (&asp::Program, &asp::Settings),
        stop: &CancelToken,
    ) -> Result<Self, Failure> {
        let mut count_mode = CountMode { projection: projection_of(mode, ground)?, bound: None };
        let (mut costs, mut unknown) = (None, None);
        match least_costs(ground, mode, (program, settings), stop)? {
            LeastCosts::NotMinimised => {}
            LeastCosts::Proven(least) => {
                count_mode.bound = Some(CostBound { costs: least.clone(), is_strict: false });
                costs = Some(least);
            }
            LeastCosts::NoAnswer => costs = Some(Vec::new()),
            LeastCosts::Unknown { has_answer, reason } => unknown = Some((has_answer, reason)),
        }
        let formula = formula_of(ground, &count_mode).map_err(|why| unsupported(&why))?;
        Ok(CountedFormula { formula, projection: count_mode.projection, costs, unknown })
    }
}

/// Returns why a search in this mode does not report all answers, or other results than answers.
pub fn obstacle(mode: SolveMode) -> Option<&'static str> {
    match mode {
        SolveMode { mode: ReasoningMode::Brave | ReasoningMode::Cautious, .. } => {
            Some("what answers have in common (--enum-mode)")
        }
        SolveMode { is_bounded: true, .. } => Some("bounds of --opt-mode"),
        SolveMode { is_altered: true, .. } => Some("options that leave answers out or let others in"),
        _ => None,
    }
}

fn projection_of(mode: SolveMode, ground: &GroundProgram) -> Result<Projection, Failure> {
    if let Some(obstacle) = obstacle(mode) {
        return Err(unsupported(obstacle));
    }
    match mode {
        SolveMode { is_projected: false, .. } => Ok(Projection::None),
        SolveMode { is_projected_explicitly: true, .. } => {
            Ok(Projection::Atoms(ground.projected.clone().unwrap_or_default()))
        }
        _ if ground.projected.is_some() => Err(unsupported("--project=show together with #project")),
        _ => Ok(Projection::Shown),
    }
}

/// The least costs of a program's answers.
pub enum LeastCosts {
    /// The program or the mode minimises nothing.
    NotMinimised,
    Proven(Vec<i64>),
    NoAnswer,
    Unknown {
        has_answer: bool,
        reason: StopReason,
    },
}

/// Finds the least costs by clingo.
pub fn least_costs(
    ground: &GroundProgram,
    mode: SolveMode,
    (program, settings): (&asp::Program, &asp::Settings),
    stop: &CancelToken,
) -> Result<LeastCosts, Failure> {
    if mode.optimisation == Optimisation::None || ground.costs.is_empty() {
        return Ok(LeastCosts::NotMinimised);
    }
    let mut settings = asp::Settings { models: Some(0), ..settings.clone() };
    // clingo passes over better answers that show the same as a worse one.
    settings.options.retain(|option| !option.starts_with("--project"));
    let mut solver = asp::Solver::with_program(program, &settings, stop)?;
    let mut best: Option<Vec<i64>> = None;
    let mut failed = None;
    let mut is_proven = false;
    let outcome = solver.solve(&[], |model| {
        match (model.costs(), model.optimality_proven()) {
            (Ok(costs), Ok(proven)) => {
                best = Some(costs);
                is_proven = proven;
            }
            (Err(error), _) | (_, Err(error)) => failed = Some(error),
        }
        // With optN, all optima would follow.
        if is_proven || failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let is_sound = solver.known_defect().is_none();
    Ok(match best {
        Some(costs) if is_sound && (is_proven || outcome.result.exhausted) => LeastCosts::Proven(costs),
        None if is_sound && outcome.result.unsatisfiable => LeastCosts::NoAnswer,
        best => {
            LeastCosts::Unknown { has_answer: best.is_some(), reason: stop.requested().unwrap_or(StopReason::Unproven) }
        }
    })
}
