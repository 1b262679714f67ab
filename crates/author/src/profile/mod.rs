//! Profiles grounding and solving, statement by statement.
//!
//! The grounder does not report its current statement. Therefore two literals are added to each
//! statement, which clingo evaluates by calling this program and which are always true:
//!
//! ```text
//! reach(X,Z) :- reach(X,Y); edge(Y,Z); 0 = @__begin(3); 0 = @__instance(3,X,Y,Z).
//! ```
//!
//! The first literal has no variables, so clingo evaluates it as soon as it starts to search for
//! instances (again for each new `reach(X,Y)`). It evaluates the second when all variables have
//! values. Both are decided during grounding: facts remain facts, and the ground program does not
//! change. The time and the rules between two calls are attributed to the statement of the first
//! call. Rules that clingo emits at the end are attributed by their atoms ([`Meter`]).
//!
//! A call can also abort grounding. This enforces time limits where clingo itself cannot be
//! interrupted.
//!
//! An incremental program runs as it does without a profile; the costs of a statement are summed
//! over all steps.
//!
//! | file | contents |
//! |---|---|
//! | `marks.rs` | the instrumented program |
//! | `meter.rs` | costs per statement |
//! | `output.rs` | the profile as text and JSON |

mod marks;
mod meter;
mod output;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use asp::{Program, Settings, Solver, Statement, StepLimits, statements_of};
use base::diagnostic::Failure;
use base::ending::Verdict;
use base::sorting;
use base::stop::{CancelToken, StopReason};
pub use meter::{Cost, Meter};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use serde_json::Value;

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    #[default]
    Reading,
    Grounding,
    /// Preprocessing and search.
    Solving,
    /// The overhead of the profile itself.
    Counting,
    Done,
}

/// Records a run. The profile can be read during the run, or after the run was abandoned.
#[derive(Clone, Default)]
pub struct ProfileRecorder(Arc<Mutex<RecorderState>>);

#[derive(Default)]
struct RecorderState {
    phase: Phase,
    /// The start of the phase, or the time up to which it was added to `durations`.
    since: Option<Instant>,
    /// The durations of the first three phases: reading, grounding and solving.
    durations: [Duration; 3],
    statements: Arc<[Statement]>,
    meter: Option<Arc<Mutex<Meter>>>,
    search: Option<Search>,
    /// The total costs at the start of each step.
    step_starts: Vec<StepProfile>,
}

/// The cost of one step of an incremental program.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepProfile {
    pub grounding: Duration,
    pub solving: Duration,
    pub rules: u64,
    pub conflicts: u64,
}

/// Statistics of the solver.
#[derive(Debug, Clone)]
pub struct Search {
    pub verdict: Verdict,
    pub answers: u64,
    pub choices: u64,
    pub conflicts: u64,
    pub restarts: u64,
    /// The part of the solving time that the solver's search took.
    pub searching: Duration,
}

pub struct Profile {
    pub statements: Arc<[Statement]>,
    /// The grounding costs of each statement.
    pub costs: Vec<Cost>,
    /// The costs that belong to no statement: facts, and the end of grounding.
    pub rest: Cost,
    pub phase: Phase,
    pub reading: Duration,
    pub grounding: Duration,
    pub solving: Duration,
    pub search: Option<Search>,
    /// The costs of each step of an incremental program, from step 0 to the last one.
    pub steps: Vec<StepProfile>,
    /// If grounding has not finished: the current statement, and the time since the last mark.
    pub at_work: Option<(usize, Duration)>,
}

/// Grounds and solves a program and records its profile.
pub fn profile(
    program: &Program,
    settings: &Settings,
    stop: &CancelToken,
    record: &ProfileRecorder,
) -> Result<(), Failure> {
    record.enter(Phase::Reading);
    let in_steps = program.is_incremental();
    let statements = statements_of(program)?;
    let marked = Program {
        instance: vec![marks::marked(&statements)?.document()],
        facts: program.facts.clone(),
        ..Program::default()
    };
    let meter = Arc::new(Mutex::new(Meter::new(statements.len(), stop)));
    let mut solver = Solver::new(settings, stop)?;
    solver.control().observe_by(meter.clone())?;
    let loaded = solver.load(&marked);
    record.0.lock().statements = statements.into();
    let mut search = Search::none();
    let mut ground_parts = |solver: &mut Solver, parts: &[asp::GroundPart<'_>]| -> Result<(), Failure> {
        search.add(&solver.statistics());
        if in_steps {
            record.0.lock().begin_step(&search);
        }
        record.enter(Phase::Grounding);
        meter.lock().resume();
        ground(solver, parts, &meter)?;
        record.enter(Phase::Counting);
        let end_time = Instant::now();
        let named: FxHashSet<i32> = solver.control().known_literals()?.into_iter().collect();
        meter.lock().end(end_time, |atom| named.contains(&(atom as i32)));
        record.enter(Phase::Solving);
        Ok(())
    };
    let mut answers = 0;
    let mut on_answer = |_: &mut asp::Model<'_>| {
        answers += 1;
        ControlFlow::Continue(())
    };
    let result = loaded.and_then(|()| {
        meter.lock().begin();
        record.0.lock().meter = Some(meter.clone());
        let steps = in_steps.then(|| StepLimits::of(&mut solver)).transpose()?;
        if steps.is_none() {
            ground_parts(&mut solver, &[("base", &[])])?;
        }
        match steps {
            Some(steps) => {
                let ground = |solver: &mut Solver, _, parts: &[asp::GroundPart<'_>]| ground_parts(solver, parts);
                asp::solve_steps_by(&mut solver, &steps, stop, ground, &mut on_answer).map(|(result, _)| result)
            }
            None => solver.solve(&[], &mut on_answer),
        }
    });
    let phase = record.0.lock().phase;
    let result = match (result, phase, stop.requested()) {
        (_, Phase::Reading | Phase::Grounding, Some(_)) => return Ok(()),
        (Ok(result), ..) => result,
        (Err(failure), ..) => {
            // If the original program has the error, too, report it without the instrumentation.
            let last_step = in_steps.then_some(1);
            Solver::with_program(&Program { last_step, ..program.clone() }, settings, stop)?;
            return Err(failure);
        }
    };
    search.add(&solver.statistics());
    search.answers = answers;
    let stopped = stop.requested();
    search.verdict = match result.result {
        result if result.satisfiable => Verdict::Solved,
        result if result.unsatisfiable && !in_steps => Verdict::Impossible,
        // Further steps might have answers.
        _ => Verdict::GaveUp(stopped.unwrap_or(if in_steps { StopReason::DepthLimit } else { StopReason::Unproven })),
    };
    record.0.lock().search = Some(search);
    record.enter(Phase::Done);
    Ok(())
}

fn ground(solver: &mut Solver, parts: &[asp::GroundPart<'_>], meter: &Mutex<Meter>) -> Result<(), Failure> {
    let zero = asp::number(0);
    solver.ground_calling(parts, |call| {
        let is_instance = match call.name {
            marks::BEGIN => false,
            marks::INSTANCE => true,
            _ => return ControlFlow::Continue(asp::functions::evaluate(call).unwrap_or_default()),
        };
        let number = call.arguments.first().and_then(|number| number.number().ok()).unwrap_or(-1);
        let values = is_instance.then(|| &call.arguments[1..]);
        meter.lock().mark(number as usize, values).map_continue(|()| vec![zero])
    })
}

impl Search {
    fn none() -> Self {
        let verdict = Verdict::GaveUp(StopReason::Unproven);
        Search { verdict, answers: 0, choices: 0, conflicts: 0, restarts: 0, searching: Duration::ZERO }
    }

    /// Adds the statistics of the last solve call, if there was one.
    fn add(&mut self, statistics: &Value) {
        let number = |path: &str| statistics.pointer(path).and_then(Value::as_f64).unwrap_or_default();
        let count = |name: &str| number(&format!("/solving/solvers/{name}")) as u64;
        self.searching += Duration::try_from_secs_f64(number("/summary/times/solve")).unwrap_or_default();
        let [choices, conflicts, restarts] = ["choices", "conflicts", "restarts"].map(count);
        self.choices += choices;
        self.conflicts += conflicts;
        self.restarts += restarts;
    }
}

impl ProfileRecorder {
    fn enter(&self, phase: Phase) {
        let mut state = self.0.lock();
        let now = Instant::now();
        state.leave(now);
        (state.phase, state.since) = (phase, Some(now));
    }

    /// Returns the profile up to now.
    pub fn profile(&self) -> Profile {
        let mut state = self.0.lock();
        let now = Instant::now();
        state.leave(now);
        state.since = Some(now);
        let is_grounding = state.phase == Phase::Grounding;
        let meter = state.meter.as_deref().map(|part| part.lock());
        let (mut costs, rest) = meter.as_ref().map(|meter| meter.costs(is_grounding)).unwrap_or_default();
        costs.resize(state.statements.len(), Cost::default());
        let [reading, grounding, solving] = state.durations;
        let rules = costs.iter().chain([&rest]).map(|cost| cost.rules).sum();
        let conflicts = state.search.as_ref().map_or(0, |search| search.conflicts);
        let now = StepProfile { grounding, solving, rules, conflicts };
        let ended = state.step_starts.iter().skip(1).chain([&now]);
        let steps = state.step_starts.iter().zip(ended).map(|(begun, ended)| ended.since(begun)).collect();
        Profile {
            statements: state.statements.clone(),
            costs,
            rest,
            phase: state.phase,
            reading,
            grounding,
            solving,
            search: state.search.clone(),
            steps,
            at_work: meter.as_ref().filter(|_| is_grounding).map(|meter| meter.at_work()),
        }
    }
}

impl StepProfile {
    fn since(&self, begun: &StepProfile) -> StepProfile {
        StepProfile {
            grounding: self.grounding.saturating_sub(begun.grounding),
            solving: self.solving.saturating_sub(begun.solving),
            rules: self.rules.saturating_sub(begun.rules),
            conflicts: self.conflicts.saturating_sub(begun.conflicts),
        }
    }
}

impl RecorderState {
    fn begin_step(&mut self, search: &Search) {
        self.leave(Instant::now());
        self.since = Some(Instant::now());
        let [_, grounding, solving] = self.durations;
        let rules = self.meter.as_deref().map_or(0, |meter| meter.lock().rules());
        self.step_starts.push(StepProfile { grounding, solving, rules, conflicts: search.conflicts });
    }

    fn leave(&mut self, now: Instant) {
        if let (Some(since), Some(duration)) = (self.since, self.durations.get_mut(self.phase as usize)) {
            *duration += now - since;
        }
    }
}

impl Profile {
    /// Returns the statements that were still producing instances when grounding was interrupted:
    /// those that were active recently, in descending order of their number of instances.
    pub fn growing(&self) -> Vec<usize> {
        const RECENT_FROM: f64 = 0.9;
        let Some((at_work, _)) = self.at_work else { return Vec::new() };
        let end = self.costs.iter().filter_map(|cost| Some(cost.span?.1)).max().unwrap_or_default();
        let is_growing = |&number: &usize| {
            let is_recent = |(_, last): (Duration, Duration)| last >= end.mul_f64(RECENT_FROM);
            number == at_work || self.costs[number].span.is_some_and(is_recent) && self.costs[number].tried > 1
        };
        let mut growing: Vec<usize> = (0..self.costs.len()).filter(is_growing).collect();
        sorting::sort_by_key(&mut growing, |&number| std::cmp::Reverse(self.costs[number].tried));
        growing
    }
}
