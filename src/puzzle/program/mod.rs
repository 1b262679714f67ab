//! Any logic program: plain clingo, with every message shown where it belongs.

use std::ops::ControlFlow;
use std::sync::PoisonError;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{About, Because, Role, Task, names};
use crate::answer_sets::{AnswerSets, Proof, Summary, Times};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Ending, Uniqueness, Verdict};
use crate::played;
use crate::report::{Format, Header, written};
use crate::stop::{Reason, Stop};
use crate::why::{self, Question, Told};

pub struct Program;

// Options that concern answer sets, whatever they are about. (A doc comment would become the help of the command.)
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for logic programs (and for the formats asp and clingo-json)")]
pub struct Options {
    /// Which answers: all, or the atoms that some (brave) or every (cautious) answer has
    #[arg(long, value_name = "MODE")]
    enum_mode: Option<EnumMode>,
    /// Show answers that differ only in hidden atoms once
    #[arg(long)]
    project: bool,
    /// What #minimize asks for: one optimum, all optima (optN), all answers (enum), none (ignore)
    #[arg(long, value_name = "MODE")]
    opt_mode: Option<OptMode>,
    /// Pass an option to clingo, for instance --clingo=--heuristic=vsids
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    clingo: Vec<String>,
    /// Check each answer by the definition of an answer set, without the solver; one that fails ends the run with an error
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EnumMode {
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

impl Options {
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

impl Program {
    pub fn about(&self) -> About {
        About {
            name: "program",
            summary: "any logic program, as the clingo command runs it",
            input: "a logic program that is no other puzzle",
            more: &[],
            example: "echo '1 { a; b }.' | asp-solve - -n 0",
            encodings: &[],
            facts: &[],
            has_options_for_answer_sets: true,
            fits_a_line: false,
            pictures: &[],
            read_by: &[],
        }
    }

    /// Anything but an empty text and the notations of other puzzles is taken for a program that clingo may judge.
    pub fn recognise(&self, document: &Document) -> Role {
        let is_program = document.notation() == Notation::Program && !asp::syntax::is_blank(&document.text);
        if is_program { Role::Program } else { Role::Neither }
    }

    pub fn run(&self, options: &Options, task: &Task) -> Result<Ending, Failure> {
        if let Some(engine) = task.request.engine.as_deref().filter(|&engine| engine != "asp") {
            return Err(Diagnostic::error(format!("a logic program has no engine {engine}; wanted: asp")).into());
        }
        let program = program_of(task);
        let header = Header {
            puzzle: "program",
            instance: names(&task.documents),
            engine: "asp".to_owned(),
            encoding: names(&task.request.encodings),
            rules: None,
        };
        run(&program, header, options, task)
    }

    pub fn why(&self, task: &Task, question: &Question) -> Result<Told, Failure> {
        why::explain(&program_of(task).into(), question, &super::means(task))
    }

    pub fn program(&self, task: &Task) -> asp::Program {
        program_of(task)
    }

    pub fn game(&self, task: &Task) -> Result<Box<dyn played::Game>, Failure> {
        let title = names(&task.documents).join(", ");
        played::of_program(&program_of(task).into(), &title, &task.request.settings, &task.stop)
    }
}

/// The texts of a run as one program.
fn program_of(task: &Task) -> asp::Program {
    let (instance, encoding) = (task.documents.clone(), task.request.encodings.clone());
    asp::Program { instance, encoding, additions: task.request.draw.clone(), ..asp::Program::default() }
}

/// Runs a program and puts its answers into the task's slot as they are found.
pub fn run(program: &asp::Program, header: Header, options: &Options, task: &Task) -> Result<Ending, Failure> {
    let mut settings = task.request.settings.clone();
    settings.models = task.request.models;
    options.add_to(&mut settings);
    let (began, mut solver) = (Instant::now(), asp::Solver::new(&settings, &task.stop)?);
    let question = solver.question()?;
    let report = task.slot.open(AnswerSets::new(header, question));
    let lock = || report.lock().unwrap_or_else(PoisonError::into_inner);
    if question.is_projected && program.documents().any(|document| asp::syntax::shows_terms(&document.text)) {
        lock().tell_apart_by_words();
    }
    let found = |model: &mut asp::Model<'_>| {
        if lock().put(model) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let Searched { summary, mut warnings, steps } =
        search(&mut solver, program, &task.stop, |_| Ok(()), || lock().begin_call(), found)?;
    let mut report = lock();
    warnings.extend(solver.check().into_iter().flat_map(asp::Check::warnings));
    if let Some(error) = report.failure() {
        written(Err(error))?;
    }
    report.set_summary(summary);
    let proof = report.proof();
    let mut statistics = statistics(&solver, steps, task.request.stats);
    if let Some(check) = solver.check() {
        report.set_checked(check.passed());
        statistics["checked"] = json!(check.passed());
    }
    let (verdict, complete) = concluded(proof, summary, &task.stop);
    if verdict == Verdict::Impossible && task.format == Format::Json {
        let because = Because::of_program(&program.clone().into(), &settings, began, &task.stop);
        report.set_because(because.map(|because| because.json()));
    }
    Ok(Ending { verdict, complete, proof: Uniqueness::default(), statistics, warnings })
}

/// How a search ended, and what there is to say of it.
pub struct Searched {
    pub summary: Summary,
    pub warnings: Vec<Diagnostic>,
    pub steps: u32,
}

/// Grounds a program, in steps if it asks for them, and looks for its answers. `grounded` sees the solver before the search;
/// `begin` is called before each step's search.
pub fn search<F>(
    solver: &mut asp::Solver,
    program: &asp::Program,
    stop: &Stop,
    grounded: impl FnOnce(&mut asp::Solver) -> Result<(), Failure>,
    mut begin: impl FnMut(),
    found: F,
) -> Result<Searched, Failure>
where
    F: FnMut(&mut asp::Model<'_>) -> ControlFlow<()> + Send,
{
    solver.load(program)?;
    let in_steps = program.documents().any(asp::is_incremental);
    let (solved, steps) = if in_steps {
        let steps = asp::Steps::of(solver)?;
        asp::solve_steps(solver, &steps, stop, |_| begin(), found)?
    } else {
        solver.ground(&[("base", &[])])?;
        solver.check_inputs(program)?;
        grounded(solver)?;
        begin();
        (solver.solve(&[], found)?, 1)
    };
    let mut warnings: Vec<Diagnostic> = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    warnings.extend(theory_warning(solver));
    let defect = solver.known_defect();
    let has_defect = defect.is_some();
    warnings.extend(defect);
    let asp::SolveResult { satisfiable, exhausted, .. } = solved.result;
    let is_stopped = !exhausted && stop.requested().is_some();
    let summary = Summary { satisfiable, exhausted, is_stopped, in_steps, has_defect, times: times(solver) };
    Ok(Searched { summary, warnings, steps })
}

/// The verdict, and whether it is complete.
pub fn concluded(proof: Proof, summary: Summary, stop: &Stop) -> (Verdict, bool) {
    let verdict = match stop.requested().filter(|_| summary.is_stopped) {
        Some(reason) => Verdict::GaveUp(reason),
        _ if summary.satisfiable => Verdict::Solved,
        _ if proof == Proof::NoAnswer => Verdict::Impossible,
        _ if summary.in_steps && summary.exhausted => Verdict::GaveUp(Reason::DepthLimit),
        _ => Verdict::GaveUp(Reason::Unproven),
    };
    (verdict, !matches!(proof, Proof::Nothing | Proof::SomeOptima))
}

fn times(solver: &asp::Solver) -> Times {
    let statistics = solver.statistics();
    let seconds =
        |name: &str| statistics.pointer(&format!("/summary/times/{name}")).and_then(Value::as_f64).unwrap_or(0.0);
    Times { solving: seconds("solve"), first_model: seconds("sat"), unsat: seconds("unsat"), cpu: seconds("cpu") }
}

fn theory_warning(solver: &asp::Solver) -> Option<Diagnostic> {
    let atoms = solver.theory_atoms();
    (atoms > 0).then(|| {
        Diagnostic::warning(format!("the program has {atoms} theory atom{}, which no theory gives a meaning to here", if atoms == 1 { "" } else { "s" }))
            .help("theory atoms are unsupported: they are free to hold or not; a solver such as clingo-dl or clingcon is needed")
    })
}

/// What clingo did.
pub fn statistics(solver: &asp::Solver, steps: u32, wanted: bool) -> Value {
    let mut statistics = json!({});
    if steps > 1 {
        statistics["steps"] = json!(steps);
    }
    if wanted {
        statistics["clingo"] = solver.statistics();
    }
    statistics
}
