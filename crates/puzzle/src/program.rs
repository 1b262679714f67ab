//! Logic programs run by clingo: their options, the search, and streamed answer sets.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use crate::format::Format;
use asp::Lints;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::{SearchEnd, Verdict};
use base::stop::{CancelToken, StopReason};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::answer_sets::AnswerSetReport;
use super::any_result::AnyRunResult;
use super::certifying::CertificateRecorder;
use super::closing::{ClingoStatus, Proven, Times};
use super::cube_session::{JobSolver, SINGLE_SHOT};
use super::observed::ObservedProgram;
use super::pipeline::NATIVE;
use super::report::{Header, Report, output_result};
use super::report_slot::ReportSlot;
use super::selection::{Selection, SelectionSummary};
use super::{UnsolvableCause, diversity, native_answers, sampling};
use crate::job::Job;

// Options about answer sets, for every puzzle. (A doc comment would become the help of the
// command.)
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for logic programs (and for the formats asp and clingo-json)")]
pub struct ProgramOptions {
    /// All answers, or the atoms of some (brave) or every (cautious) answer
    #[arg(long, value_name = "MODE")]
    enum_mode: Option<EnumMode>,
    /// Show answers that differ only in hidden atoms once
    #[arg(long)]
    project: bool,
    /// What #minimize does: one optimum (opt), all optima (optN), all answers (enum), nothing (ignore)
    #[arg(long, value_name = "MODE")]
    opt_mode: Option<OptMode>,
    /// Pass an option to clingo, for instance --clingo=--heuristic=vsids
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub clingo: Vec<String>,
    /// Check each answer without the solver; one that fails ends the run with an error
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EnumMode {
    Auto,
    Brave,
    Cautious,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OptMode {
    Opt,
    #[value(name = "optN")]
    OptN,
    Enum,
    Ignore,
}

impl ProgramOptions {
    pub fn with_enum_mode(mode: EnumMode) -> Self {
        ProgramOptions { enum_mode: Some(mode), ..ProgramOptions::default() }
    }

    /// Returns true if answers that show the same count once.
    pub fn projects(&self) -> bool {
        self.project || self.clingo.iter().any(|option| option.starts_with("--project") && !option.ends_with("=no"))
    }

    pub fn add_to(&self, settings: &mut asp::Settings) {
        let options = &mut settings.options;
        options.extend(
            self.enum_mode
                .filter(|&mode| mode != EnumMode::Auto)
                .map(|mode| format!("--enum-mode={mode:?}").to_lowercase()),
        );
        options.extend(self.opt_mode.map(|mode| {
            format!(
                "--opt-mode={}",
                if mode == OptMode::OptN { "optN".to_owned() } else { format!("{mode:?}").to_lowercase() }
            )
        }));
        options.extend(self.project.then(|| "--project=show".to_owned()));
        options.extend(self.clingo.iter().cloned());
        settings.check = self.check;
    }
}

/// Runs a program and prints its answers as they are found.
pub fn run(program: &asp::Program, header: Header, job: &Job, slot: &ReportSlot) -> Result<AnyRunResult, Failure> {
    let mut settings = asp::Settings { models: job.question.models, ..job.engine.settings.clone() };
    // With costs, the question is whether the optimum is unique.
    let has_costs =
        job.question.is_unique && program.documents().any(|document| asp::syntax::minimises(&document.text));
    if has_costs && !settings.options.iter().any(|option| option.contains("opt-mode")) {
        settings.options.push("--opt-mode=optN".to_owned());
    }
    let began = Instant::now();
    let mut solver = JobSolver::open(program, &single_shot_settings(&settings, program, job), job)?;
    let question = solver.solver.solve_mode()?;
    let report = slot.open(AnswerSetReport::new(header, job, question));
    let lock = || report.lock();
    let texts = program.documents().chain(&job.sources.included).map(|document| &*document.text);
    lock().set_maximized(asp::MaximizedPriorities::of(texts));
    // An answer may be drawn twice.
    if question.is_projected
        && job.question.selection == Selection::First
        && program
            .documents()
            .any(|document| asp::syntax::shown_signatures(&document.text).any(|shown| shown.is_none()))
    {
        lock().merge_equal_texts();
    }
    if program.documents().any(drawing::draws) {
        lock().hide_drawing();
    }
    let mut recorder = CertificateRecorder::start(job, &mut solver.solver, false)?;
    let on_model = |model: &mut asp::Model<'_>, step: u32| {
        if let Some(recorder) = &mut recorder {
            recorder.record_answer(model, step);
        }
        if lock().put(model) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let lints =
        if job.is_batch { Lints::default() } else { Lints::of(program, &job.sources.included, &settings, &job.stop) };
    let ProgramSearch { status, mut warnings, steps: _, mut statistics, selection } =
        search(&mut solver, program, lints, job, |_| Ok(()), || lock().begin_call(), on_model)?;
    let mut report = lock();
    warnings.extend(solver.solver.check().into_iter().flat_map(asp::AnswerChecker::warnings));
    if let Some(error) = report.failure() {
        output_result(Err(error))?;
    }
    report.set_status(status);
    if let Some(check) = solver.solver.check() {
        report.set_checked(check.passed());
        statistics["checked"] = json!(check.passed());
    }
    let (verdict, complete) = verdict_of(report.proof(), status, report.found(), &job.stop);
    let verdict = selection.as_ref().map_or(verdict, |selection| selection.verdict(verdict));
    let proof = report.proof();
    let certificate = recorder.map(|recorder| recorder.finish_with(proof, &mut solver)).transpose()?.flatten();
    solver.keep(job);
    // That a part has no answer says nothing about the program.
    if verdict == Verdict::Impossible && job.output.format == Format::Json && job.cube.is_none() {
        let cause = UnsolvableCause::of_program(&program.clone().into(), &settings, began, &job.stop);
        report.set_cause(cause.map(|cause| cause.json()));
    }
    let unique = report.uniqueness(verdict, complete);
    let search_end = SearchEnd { verdict, complete, proof: unique, statistics, warnings };
    Ok(AnyRunResult::new(search_end, certificate).with_selection(selection))
}

/// Returns settings for a program that is solved once: as in the clingo command, clasp simplifies
/// more if nothing can be added later.
///
/// Settings with search options are not changed: with some of these, the intermediate answers would
/// differ, or clasp would print warnings.
pub fn single_shot_settings(settings: &asp::Settings, program: &asp::Program, job: &Job) -> asp::Settings {
    let mut settings = settings.clone();
    let is_search_option = |option: &String| !option.starts_with("--warn=") && !option.starts_with("--stats");
    let is_inspected =
        settings.check || job.question.certify.is_requested() || job.question.selection != Selection::First;
    if !is_inspected && !settings.options.iter().any(is_search_option) && !program.documents().any(asp::is_incremental)
    {
        settings.options.push(SINGLE_SHOT.to_owned());
    }
    settings
}

/// The end of a search, with warnings and statistics.
pub struct ProgramSearch {
    pub status: ClingoStatus,
    pub warnings: Vec<Diagnostic>,
    pub steps: u32,
    /// Search statistics, a JSON object.
    pub statistics: Value,
    /// How the answers were selected, if not as they were found.
    pub selection: Option<SelectionSummary>,
}

/// Grounds a program, step by step if it is incremental, and searches for its answers, which the
/// lints inspect, too. Calls `on_grounded` before the search of a program that is not incremental,
/// `begin` before the search of each step, and `on_model` with each answer and the number of
/// earlier searches.
pub fn search<F>(
    job_solver: &mut JobSolver,
    program: &asp::Program,
    mut lints: Lints,
    job: &Job,
    on_grounded: impl FnOnce(&mut asp::Solver) -> Result<(), Failure>,
    mut begin: impl FnMut(),
    mut on_model: F,
) -> Result<ProgramSearch, Failure>
where
    F: FnMut(&mut asp::Model<'_>, u32) -> ControlFlow<()> + Send,
{
    let stop = &job.stop;
    let is_grounded = job_solver.is_grounded();
    let solver = &mut job_solver.solver;
    let step = AtomicU32::new(0);
    let is_incremental = program.documents().any(asp::is_incremental);
    let native = match job.engine.name.as_deref() {
        Some(NATIVE) if is_incremental => return Err(native_answers::unsupported("programs in steps").into()),
        Some(NATIVE) => Some(native_answers::NativeSearch::observe(solver)?),
        _ => None,
    };
    let selecting = match job.question.selection.option() {
        Some(option) if is_incremental => {
            let text = format!("--{option} does not work for programs in steps");
            return Err(Diagnostic::error(Code::Unsupported, text).into());
        }
        Some(_) => Some(ObservedProgram::observe(solver)?),
        None => None,
    };
    if !is_grounded {
        solver.load(program)?;
    }
    let mut visit = |model: &mut asp::Model<'_>| {
        // Errors are ignored: the lint then has no message.
        let _ = lints.answered(model);
        on_model(model, step.load(Ordering::Relaxed))
    };
    let (mut native_result, mut selection) = (None, None);
    if is_incremental && job.cube.is_some() {
        let text = "the search of a program in steps cannot be split into cubes";
        return Err(Diagnostic::error(Code::Unsupported, text).into());
    }
    let (solved, steps) = if is_incremental {
        let steps = asp::StepLimits::of(solver)?;
        let begin = |number| {
            step.store(number, Ordering::Relaxed);
            begin();
        };
        asp::solve_steps(solver, &steps, stop, begin, &mut visit)?
    } else {
        if !is_grounded {
            solver.ground(&[("base", &[])])?;
            solver.check_inputs(program)?;
        }
        on_grounded(solver)?;
        let assumptions = job.cube.as_ref().map(|cube| job_solver.restrict(cube, job)).transpose()?.unwrap_or_default();
        let solver = &mut job_solver.solver;
        begin();
        match (&native, job.question.selection, &selecting) {
            (_, Selection::Sample { seed }, Some(observed)) => {
                let (solved, summary) =
                    sampling::draw_answers(program, observed, (&mut *solver, seed), job, &mut visit)?;
                selection = Some(SelectionSummary::Sample(summary));
                (solved, 1)
            }
            (_, Selection::Diverse, Some(observed)) => {
                let (solved, summary) = diversity::select_answers(program, observed, solver, job, &mut visit)?;
                selection = Some(SelectionSummary::Diverse(summary));
                (solved, 1)
            }
            (Some(native), ..) => {
                let (solved, times, native_statistics) = native.solve(solver, stop, &mut visit)?;
                native_result = Some((times, native_statistics));
                (solved, 1)
            }
            (None, ..) => match job_solver.prove(stop, &mut visit)? {
                Some((solved, times)) => {
                    native_result = Some((times, json!({})));
                    (solved, 1)
                }
                None => (job_solver.solver.solve(&assumptions, &mut visit)?, 1),
            },
        }
    };
    let solver = &mut job_solver.solver;
    let mut warnings: Vec<Diagnostic> = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    lints.grounded(solver.control());
    warnings.extend(lints.into_diagnostics());
    warnings.extend(solver.theory_warning());
    let defect = solver.known_defect();
    let has_defect = defect.is_some();
    warnings.extend(defect);
    let asp::SolveResult { satisfiable, exhausted, .. } = solved.result;
    if exhausted {
        warnings.retain(|warning| warning.message != asp::MAY_END_EARLY);
    }
    let was_interrupted = solved.steps.is_some_and(|steps| steps.end == asp::LoopEnd::Interrupted);
    let is_stopped = (!exhausted || was_interrupted) && stop.requested().is_some();
    let (times, mut statistics) = match native_result {
        Some((times, native_statistics)) => (times, json!({ "native": native_statistics })),
        None if job.output.stats => (times(solver), json!({ "clingo": solver.statistics() })),
        None => (times(solver), json!({})),
    };
    if !job.output.stats {
        statistics = json!({});
    }
    if steps > 1 {
        statistics["steps"] = json!(steps);
    }
    let status = ClingoStatus { satisfiable, exhausted, is_stopped, steps: solved.steps, has_defect, times };
    Ok(ProgramSearch { status, warnings, steps, statistics, selection })
}

/// Returns the verdict and whether it is complete. `found` is the number of reported answers of all
/// steps.
pub fn verdict_of(proof: Proven, status: ClingoStatus, found: u64, stop: &CancelToken) -> (Verdict, bool) {
    let verdict = match stop.requested().filter(|_| status.is_stopped) {
        Some(reason) => Verdict::GaveUp(reason),
        _ if status.satisfiable => Verdict::Solved,
        _ if proof == Proven::NoAnswer => Verdict::Impossible,
        _ if status.is_at_limit() => Verdict::GaveUp(StopReason::DepthLimit),
        // The loop continued to a step without an answer, as requested.
        _ if status.steps.is_some_and(|steps| steps.end == asp::LoopEnd::Reached) && found > 0 => Verdict::Solved,
        _ => Verdict::GaveUp(StopReason::Unproven),
    };
    // The result is complete only if every step with reported answers is exhausted.
    let is_exhausted = status.steps.is_none_or(|steps| steps.is_exhausted);
    (verdict, is_exhausted && !matches!(proof, Proven::Nothing | Proven::SomeOptima))
}

fn times(solver: &asp::Solver) -> Times {
    let times = solver.times();
    let seconds = |name: &str| times.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    Times { solving: seconds("solve"), first_model: seconds("sat"), unsat: seconds("unsat"), cpu: seconds("cpu") }
}
