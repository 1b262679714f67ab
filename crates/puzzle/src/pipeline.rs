//! The only path from a job to a report: open, solve, check, sort, verify.
//!
//! ```text
//!   Job ── open ──> Run ── solve, check ──> answers ── sort, verify ──> RunResult ──> report
//! ```
//!
//! A [`RunResult`] cannot be constructed in another way: with built-in rules, its answers have
//! passed their checks, and all other claims (impossible, complete, optimal, unique, counts) are
//! verified.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::format::Format;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::{SearchEnd, Verdict};
use base::stop::StopReason;
use base::words::{did_you_mean, thousands};
use clap::ValueEnum;
use parking_lot::Mutex;

use super::api::{OpenBoard, Puzzle, RuleSupport, RunResult};
use super::selection::Selection;
use crate::job::{Job, Rules, Show};

/// A parsed instance and the engine chosen for it.
pub struct Run<P: Puzzle> {
    pub puzzle: P,
    pub board: Arc<P::Board>,
    pub engine: P::Engine,
    pub job: Arc<Job>,
    /// The name of the puzzle in reports.
    pub name: String,
}

impl<P: Puzzle> Clone for Run<P> {
    fn clone(&self) -> Self {
        let Run { puzzle, board, engine, job, name } = self;
        Run { puzzle: puzzle.clone(), board: board.clone(), engine: *engine, job: job.clone(), name: name.clone() }
    }
}

impl<P: Puzzle> Run<P> {
    /// Parses the instance, and determines the rules and the engine.
    pub fn new(puzzle: P, mut job: Job) -> Result<Self, Failure> {
        let about = puzzle.about();
        // Two answers suffice to refute uniqueness.
        job.question.models = job.question.models.or(job.question.is_unique.then_some(2));
        if let ([], Some(default_encoding)) = (&job.sources.encodings[..], about.encodings.first()) {
            let required = puzzle.inputs().required_encodings(&job.sources.documents);
            let more = about.encodings.iter().filter(|encoding| required.contains(&&*encoding.name));
            for file in [default_encoding].into_iter().chain(more).flat_map(|encoding| &*encoding.files) {
                if !job.sources.encodings.iter().any(|known| known.name == file.path) {
                    job.sources.encodings.push(Document::in_memory(&*file.path, file.text));
                }
            }
        }
        let requested = job.engine.name.as_deref().map(|name| engine_named::<P>(about.name, name)).transpose()?;
        job.rules = rules_of(&puzzle, requested, &job)?;
        let board = puzzle.parse(&job)?;
        Run::with_engine(puzzle, Arc::new(board), requested, job)
    }

    /// Creates a run for a parsed board, with the default engine.
    pub fn with_board(puzzle: P, board: Arc<P::Board>, job: Job) -> Result<Self, Failure> {
        Run::with_engine(puzzle, board, None, job)
    }

    fn with_engine(puzzle: P, board: Arc<P::Board>, requested: Option<P::Engine>, job: Job) -> Result<Self, Failure> {
        let engine = match (requested, &job.rules) {
            (Some(engine), _) => engine,
            // Native engines support only the built-in rules; custom rules run on clingo.
            (None, Rules::Custom(_)) if puzzle.about().rule_support != RuleSupport::Any => {
                engine_named::<P>(puzzle.name(), CLINGO)?
            }
            (None, _) => puzzle.default_engine(&board, &job),
        };
        let name = puzzle.name().to_owned();
        Ok(Run { puzzle, board, engine, job: Arc::new(job), name })
    }

    /// Solves, checks and verifies.
    pub fn solve(&self) -> Result<RunResult<P>, Failure> {
        self.solve_into(&AnswerCollector::new(&self.job), &mut |_| ControlFlow::Continue(()))
    }

    /// As [`solve`](Self::solve), but passes each checked answer to `each` as it is found. Stores
    /// only the first answer, unless the job asks for uniqueness.
    pub fn solve_each(
        &self,
        each: &mut (dyn FnMut(&P::Answer) -> ControlFlow<()> + Send),
    ) -> Result<RunResult<P>, Failure> {
        self.solve_into(&AnswerCollector::storing(self.job.question.is_unique), each)
    }

    /// The pipeline. The answers in `collector` are visible to other threads while it runs.
    pub fn solve_into(
        &self,
        collector: &AnswerCollector<P>,
        each: &mut (dyn FnMut(&P::Answer) -> ControlFlow<()> + Send),
    ) -> Result<RunResult<P>, Failure> {
        let Run { puzzle, board, engine, job, .. } = self;
        let rule_support = puzzle.rule_support(board);
        let mut search_end = puzzle.solve(board, *engine, job, &mut |answer| {
            if rule_support.checks(&job.rules) {
                let wrong = |error| self.check_failure("an answer", error);
                puzzle.check_answer(board, &answer).map_err(wrong)?;
            }
            let answer = puzzle.for_output(answer, job);
            let flow = each(&answer);
            collector.put(answer);
            Ok(flow)
        })?;
        search_end.warnings.extend(puzzle.inputs().warnings(&job.sources.documents)?);
        let solved = self.collect_result(collector, search_end);
        if rule_support.supports(&job.rules) {
            puzzle.verify_claims(&solved).map_err(|error| self.check_failure("a claim", error))?;
        }
        Ok(solved)
    }

    /// The result if the engine was abandoned: checked answers, and nothing proven.
    pub fn given_up(&self, collector: &AnswerCollector<P>, reason: StopReason) -> RunResult<P> {
        self.collect_result(collector, SearchEnd::gave_up(reason))
    }

    fn collect_result(&self, collector: &AnswerCollector<P>, search_end: SearchEnd<P::Proof>) -> RunResult<P> {
        /// Maximum number of answers that can be sorted and written in the grace period after a
        /// stop.
        const MAX_AFTER_STOP: usize = 100_000;
        let SearchEnd { verdict, complete, proof, statistics, mut warnings } = search_end;
        let (mut answers, found) = collector.take();
        if matches!(verdict, Verdict::GaveUp(_)) && answers.len() > MAX_AFTER_STOP {
            answers.truncate(MAX_AFTER_STOP);
            warnings.push(Diagnostic::warning(
                Code::OmittedAnswers,
                format!("{} answers were found; at most {} are shown", thousands(found), thousands(MAX_AFTER_STOP)),
            ));
        }
        if let Some(sort) = self.puzzle.capabilities().sort
            && self.job.question.selection == Selection::First
        {
            sort(&mut answers);
        }
        let (puzzle, board, job) = (self.puzzle.clone(), self.board.clone(), self.job.clone());
        RunResult { puzzle, board, job, answers, found, verdict, complete, proof, statistics, warnings }
    }

    fn check_failure(&self, what: &str, error: String) -> Diagnostic {
        let engine = name_of(self.engine);
        Diagnostic::error(
            Code::RejectedAnswer,
            format!("{what} of the engine {engine} does not pass the check: {error}"),
        )
    }
}

/// Collects checked answers until they are sorted. Another thread may read them during the run.
pub struct AnswerCollector<P: Puzzle> {
    inner: Mutex<(Vec<P::Answer>, u64)>,
    /// Stores all answers; otherwise only their number and the first.
    stores_all: bool,
}

impl<P: Puzzle> AnswerCollector<P> {
    pub fn new(job: &Job) -> Self {
        AnswerCollector::storing(job.output.show != Show::Verdict || job.question.is_unique)
    }

    /// A collector that holds one answer.
    pub fn of(answer: P::Answer) -> Self {
        AnswerCollector { inner: Mutex::new((vec![answer], 1)), stores_all: true }
    }

    fn storing(stores_all: bool) -> Self {
        AnswerCollector { inner: Mutex::new((Vec::new(), 0)), stores_all }
    }

    fn put(&self, answer: P::Answer) {
        let (answers, found) = &mut *self.inner.lock();
        *found += 1;
        if self.stores_all || answers.is_empty() {
            answers.push(answer);
        }
    }

    pub fn found(&self) -> u64 {
        self.inner.lock().1
    }

    fn take(&self) -> (Vec<P::Answer>, u64) {
        let (answers, found) = &mut *self.inner.lock();
        (std::mem::take(answers), *found)
    }
}

/// The engines that read encodings: clingo, and clingo's grounder with the native solver.
pub const CLINGO: &str = "asp";
pub const NATIVE: &str = "native";

pub fn reads_encodings(engine: &str) -> bool {
    [CLINGO, NATIVE].contains(&engine)
}

/// The name of an engine for `--engine`.
pub fn name_of(engine: impl ValueEnum) -> String {
    engine.to_possible_value().expect("every engine can be asked for").get_name().to_owned()
}

/// The names of a puzzle's engines, the default first, without the hidden ones.
pub fn engine_names<P: OpenBoard>() -> Vec<String> {
    engine_names_where::<P>(|_| true)
}

fn engine_names_where<P: OpenBoard>(fits: impl Fn(P::Engine) -> bool) -> Vec<String> {
    let engines = P::Engine::value_variants().iter().filter(|&&engine| fits(engine));
    let values = engines.filter_map(ValueEnum::to_possible_value);
    values.filter(|value| !value.is_hide_set()).map(|value| value.get_name().to_owned()).collect()
}

fn engine_named<P: Puzzle>(puzzle: &str, name: &str) -> Result<P::Engine, Failure> {
    let engines = P::Engine::value_variants();
    engines.iter().copied().find(|&engine| name_of(engine) == name).ok_or_else(|| {
        let names = engine_names::<P>();
        let suggestion = did_you_mean(name, names.iter().map(String::as_str));
        Diagnostic::error(
            Code::UnknownName,
            format!("{puzzle} has no engine {name}{suggestion}; expected {}", names.join(", ")),
        )
        .into()
    })
}

/// Determines the rules of a run. Native engines support only the built-in rules, even if an edited
/// copy of the encoding was found.
fn rules_of<P: Puzzle>(puzzle: &P, requested: Option<P::Engine>, job: &Job) -> Result<Rules, Failure> {
    let encodings = puzzle.about().encodings;
    if encodings.is_empty() {
        return Ok(Rules::default());
    }
    let facts = &puzzle.input_predicates();
    let programs = &puzzle.inputs().programs(&job.sources.documents);
    let native = requested.map(name_of).filter(|name| !reads_encodings(name));
    let rules = match (encodings.first(), &native) {
        (Some(default_encoding), Some(_)) if job.sources.encodings.is_empty() => {
            Rules::of_encoding(default_encoding, facts, programs)
        }
        _ => Rules::in_use(encodings, facts, &job.sources.encodings, programs),
    };
    match native {
        Some(native) if !rules.is_builtin() && puzzle.about().rule_support != RuleSupport::Any => {
            let error = unsupported_rules(&format!("the engine {native}"), &rules);
            Err(error.help("--engine asp works with any rules").into())
        }
        _ => Ok(rules),
    }
}

/// The error of a native engine or tool for custom rules.
pub fn unsupported_rules(engine: &str, rules: &Rules) -> Diagnostic {
    Diagnostic::error(
        Code::Unsupported,
        format!("{engine} supports only the built-in rules, but this run goes {}", rules.attribution()),
    )
}

/// The error for an option that `engine` ignores; `reads` returns true for the engines that read it.
pub fn ignored_option<P: OpenBoard>(
    puzzle: &P,
    engine: P::Engine,
    option: &str,
    reads: impl Fn(P::Engine) -> bool,
) -> Diagnostic {
    let (engine, puzzle) = (name_of(engine), puzzle.name());
    let words = match &engine_names_where::<P>(reads)[..] {
        [] => format!("no engine of {puzzle} reads it"),
        readers => format!("the engine {engine} of {puzzle} ignores it; it is for {}", readers.join(", ")),
    };
    Diagnostic::error(Code::Usage, format!("--{option}: {words}"))
}

/// Rejects an option that has an effect only with other output formats.
pub fn require_format(option: &str, formats: &[Format], job: &Job) -> Result<(), Failure> {
    if formats.contains(&job.output.format) {
        return Ok(());
    }
    let names: Vec<String> = formats.iter().map(|format| format.name()).collect();
    let text = format!("--{option}: it goes with --format {}", names.join(" or "));
    Err(Diagnostic::error(Code::Usage, text).into())
}
