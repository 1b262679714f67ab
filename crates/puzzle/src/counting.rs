//! Counts the answers of a logic program without enumerating them.

use std::ops::ControlFlow;

use asp::{ReasoningMode, SolveMode};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use certificate::CostBound;
use count::{Count, CountLimits, CountMode, CountStats, Estimate, Formula, Projection, formula_of};
use ground::{GroundProgram, Optimisation};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::certifying;
use crate::cubes::Cube;
use crate::job::Limits;
use crate::report::Header;

/// The part of the memory limit that the cache of a count may take; the rest is for the ground
/// program and its clauses.
const CACHE_SHARE: f64 = 0.5;

/// The number of answers of a logic program.
#[derive(Debug, Clone)]
pub struct AnswerCount {
    pub count: Count,
    /// When two answer sets are one answer.
    pub projection: Projection,
    /// Only the answers of the least costs count.
    pub is_minimised: bool,
    /// The least costs, one for each priority, if they are known; empty if there is no answer.
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

    /// Returns the result as a JSON object.
    pub fn json(&self, header: &Header) -> Value {
        let projection = match &self.projection {
            Projection::None => "none",
            Projection::Shown => "shown",
            Projection::Atoms(_) => "project",
        };
        let mut object = json!({
            "schema": 1,
            "puzzle": header.puzzle,
            "instance": header.instance,
            "encoding": header.encoding,
            "verdict": self.verdict().name(),
            "count": self.exact().map(ToString::to_string),
            "at_least": self.count.at_least.to_string(),
            "at_most": self.count.at_most.to_string(),
            "projection": projection,
        });
        if self.is_minimised {
            object["costs"] = json!(self.costs);
        }
        if let Some(reason) = self.count.stopped {
            object["reason"] = json!(reason.words());
        }
        if let Some(Estimate { log2, relative_error, probes, seed }) = self.count.estimate {
            object["estimate"] =
                json!({ "log2": log2, "relative_error": relative_error, "probes": probes, "seed": seed });
        }
        let stats = self.count.stats;
        object["statistics"] = json!({
            "decisions": stats.decisions,
            "conflicts": stats.conflicts,
            "cache_hits": stats.cache_hits,
            "cached_components": stats.cached_components,
            "width": stats.width,
        });
        object
    }
}

/// The error for answers that cannot be counted.
pub fn unsupported(what: &str) -> Failure {
    Diagnostic::error(Code::Unsupported, format!("answers of this kind cannot be counted: {what}"))
        .help("asp-solve FILE -n 0 enumerates answers")
        .into()
}

/// Grounds a program and counts its answers, or the best of them if it minimises. With a cube, only the
/// answers of the cube count.
///
/// # Errors
/// Errors of the program, or the reason why it cannot be counted.
pub fn count_answers(
    program: &asp::Program,
    settings: &asp::Settings,
    cube: Option<&Cube>,
    limits: &Limits,
    stop: &CancelToken,
) -> Result<AnswerCount, Failure> {
    if program.documents().any(asp::is_incremental) {
        return Err(unsupported("programs in steps"));
    }
    let (mut solver, ground) = certifying::ground_open(program, settings, stop)?;
    let required = cube.map_or(Ok(Vec::new()), |cube| cube.restrict(&mut solver))?;
    solver.control().prepare()?;
    let mode = solver.solve_mode()?;
    let mut warnings: Vec<Diagnostic> = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    warnings.extend(solver.theory_warning());
    drop(solver);
    let ground = ground.lock();
    if !required.is_empty()
        && let Some(atoms) = projected_atoms(&projection_of(mode, &ground)?, &ground)
        && required.iter().any(|literal| !atoms.contains(&literal.unsigned_abs()))
    {
        let text = "answers that count as one may be in several cubes";
        let help = "count without --project, or show the atoms by which the cubes differ and split again";
        return Err(Diagnostic::error(Code::Unsupported, text).help(help).into());
    }
    let CountedFormula { formula, projection, is_minimised, costs, unknown } =
        CountedFormula::of(&ground, mode, (program, settings), cube, stop)?;
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
    Ok(AnswerCount { count, projection, is_minimised, costs, warnings })
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
    /// Only the answers of the least costs count.
    pub is_minimised: bool,
    /// The least costs, one for each priority, if they are known; empty if there is no answer.
    pub costs: Option<Vec<i64>>,
    /// Set if the least costs are not known, so that the models are not those that count: whether
    /// there is an answer, and the reason.
    pub unknown: Option<(bool, StopReason)>,
}

impl CountedFormula {
    /// Translates a ground program. If it minimises, clingo finds the least costs of the program, or of the
    /// cube to which it was restricted.
    ///
    /// # Errors
    /// The reason why the answers cannot be counted.
    pub fn of(
        ground: &GroundProgram,
        mode: SolveMode,
        (program, settings): (&asp::Program, &asp::Settings),
        cube: Option<&Cube>,
        stop: &CancelToken,
    ) -> Result<Self, Failure> {
        let mut count_mode = CountMode { projection: projection_of(mode, ground)?, bound: None };
        let (mut is_minimised, mut costs, mut unknown) = (true, None, None);
        match least_costs(ground, mode, (program, settings), cube, stop)? {
            LeastCosts::NotMinimised => is_minimised = false,
            LeastCosts::Proven(least) => {
                count_mode.bound = Some(CostBound { costs: least.clone(), is_strict: false });
                costs = Some(least);
            }
            LeastCosts::NoAnswer => costs = Some(Vec::new()),
            LeastCosts::Unknown { has_answer, reason } => unknown = Some((has_answer, reason)),
        }
        let formula = formula_of(ground, &count_mode).map_err(|why| unsupported(&why))?;
        Ok(CountedFormula { formula, projection: count_mode.projection, is_minimised, costs, unknown })
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

/// Returns when two answers of a search in this mode are one.
///
/// # Errors
/// The reason why the answers cannot be counted.
pub fn projection_of(mode: SolveMode, ground: &GroundProgram) -> Result<Projection, Failure> {
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

/// Returns the atoms that have the same value in all answer sets that are one answer; `None` for all atoms.
pub fn projected_atoms(projection: &Projection, ground: &GroundProgram) -> Option<FxHashSet<u32>> {
    match projection {
        Projection::None => None,
        Projection::Atoms(atoms) => Some(atoms.iter().copied().collect()),
        Projection::Shown => {
            let shown = prover::shown_terms(ground);
            let conditions = shown.values().filter(|conditions| conditions.len() == 1).flatten();
            let atoms = conditions.filter(|condition| condition.len() == 1).flatten();
            Some(atoms.map(|literal| literal.unsigned_abs()).collect())
        }
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

/// Finds the least costs by clingo, of a cube if there is one.
pub fn least_costs(
    ground: &GroundProgram,
    mode: SolveMode,
    (program, settings): (&asp::Program, &asp::Settings),
    cube: Option<&Cube>,
    stop: &CancelToken,
) -> Result<LeastCosts, Failure> {
    if mode.optimisation == Optimisation::None || ground.costs.is_empty() {
        return Ok(LeastCosts::NotMinimised);
    }
    let mut settings = asp::Settings { models: Some(0), ..settings.clone() };
    // clingo passes over better answers that show the same as a worse one.
    settings.options.retain(|option| !option.starts_with("--project"));
    let mut solver = asp::Solver::with_program(program, &settings, stop)?;
    if let Some(cube) = cube {
        cube.restrict(&mut solver)?;
    }
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
