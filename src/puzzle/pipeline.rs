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
use std::sync::{Arc, Mutex, PoisonError};

use clap::ValueEnum;
use serde_json::Value;

use super::report::Header;
use super::{About, Puzzle, UnsolvableCause, document_names};
use crate::asp;
use crate::diagnostic::{Code, Diagnostic, Failure, Severity};
use crate::document::Document;
use crate::ending::{Certification, SearchEnd, Uniqueness, Verdict};
use crate::job::{Job, Rules, Show};
use crate::picture::Picture;
use crate::play::{self, Game};
use crate::report::Style;
use crate::stop::StopReason;
use crate::why::{self, ExplainQuery, Explanation};
use crate::words::{did_you_mean, thousands};

/// A parsed instance and the engine chosen for it.
pub struct Run<P: Puzzle> {
    pub(super) puzzle: P,
    pub(super) board: Arc<P::Board>,
    pub(super) engine: P::Engine,
    pub(super) job: Arc<Job>,
    /// The name of the puzzle in reports.
    pub(super) name: &'static str,
}

impl<P: Puzzle> Run<P> {
    /// Parses the instance, and determines the rules and the engine.
    pub fn new(puzzle: P, mut job: Job) -> Result<Self, Failure> {
        let about = puzzle.about();
        // Two answers suffice to refute uniqueness.
        job.models = job.models.or(job.asks_unique.then_some(2));
        if let ([], Some(default_encoding)) = (&job.encodings[..], about.encodings.first()) {
            let required = puzzle.required_encodings(&job.documents);
            let more = about.encodings.iter().filter(|encoding| required.contains(&encoding.name));
            for file in [default_encoding].into_iter().chain(more).flat_map(|encoding| encoding.files) {
                if !job.encodings.iter().any(|known| known.name == file.path) {
                    job.encodings.push(Document::in_memory(file.path, file.text));
                }
            }
        }
        let requested = job.engine.as_deref().map(|name| engine_named::<P>(about.name, name)).transpose()?;
        job.rules = rules_of(puzzle, requested, &job)?;
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
            (None, Rules::Custom(_)) if !puzzle.supports_any_rules() => engine_named::<P>(puzzle.about().name, CLINGO)?,
            (None, _) => puzzle.default_engine(&board, &job),
        };
        Ok(Run { puzzle, board, engine, job: Arc::new(job), name: puzzle.about().name })
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
        self.solve_into(&AnswerCollector::storing(self.job.asks_unique), each)
    }

    /// The pipeline. The answers in `collector` are visible to other threads while it runs.
    pub(super) fn solve_into(
        &self,
        collector: &AnswerCollector<P>,
        each: &mut (dyn FnMut(&P::Answer) -> ControlFlow<()> + Send),
    ) -> Result<RunResult<P>, Failure> {
        let Run { puzzle, board, engine, job, .. } = self;
        let checks = puzzle.supports_rules(board, job) || puzzle.checks_any_rules();
        let mut search_end = puzzle.solve(board, *engine, job, &mut |answer| {
            if checks {
                let wrong = |error| self.check_failure("an answer", error);
                puzzle.check_answer(board, &answer).map_err(wrong)?;
            }
            let answer = puzzle.for_output(answer, job);
            let flow = each(&answer);
            collector.put(answer);
            Ok(flow)
        })?;
        search_end.warnings.extend(puzzle.warnings(job)?);
        let solved = self.collect_result(collector, search_end);
        if puzzle.supports_rules(board, job) {
            puzzle.verify_claims(&solved).map_err(|error| self.check_failure("a claim", error))?;
        }
        Ok(solved)
    }

    /// The result if the engine was abandoned: checked answers, and nothing proven.
    pub(super) fn given_up(&self, collector: &AnswerCollector<P>, reason: StopReason) -> RunResult<P> {
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
        self.puzzle.sort(&mut answers);
        let (puzzle, board, job) = (self.puzzle, self.board.clone(), self.job.clone());
        RunResult { puzzle, board, job, answers, found, verdict, complete, proof, statistics, warnings }
    }

    /// The header of the report.
    pub(super) fn header(&self) -> Header {
        let engine = name_of(self.engine);
        let encoding = if reads_encodings(&engine) { document_names(&self.job.encodings) } else { Vec::new() };
        // Arbitrary logic programs have no built-in rules.
        let rules = (!self.puzzle.about().is_any_program()).then(|| self.job.rules.name());
        Header { puzzle: self.name, instance: document_names(&self.job.documents), engine, encoding, rules }
    }

    fn check_failure(&self, what: &str, error: String) -> Diagnostic {
        let engine = name_of(self.engine);
        Diagnostic::error(
            Code::RejectedAnswer,
            format!("{what} of the engine {engine} does not pass the check: {error}"),
        )
    }

    /// Explains the run: by the puzzle itself, else by its logic program.
    pub fn why(&self, question: &ExplainQuery) -> Result<Explanation, Failure> {
        let mut explanation = match self.puzzle.why(&self.board, &self.job, question)? {
            Some(explanation) => explanation,
            None => why::explain(&self.puzzle.source(&self.board, &self.job)?, question, &self.job)?,
        };
        explanation.warnings.extend(self.puzzle.warnings(&self.job)?);
        Ok(explanation)
    }

    /// The complete logic program.
    pub fn program(&self) -> Result<asp::Program, Failure> {
        self.puzzle.program(&self.board, &self.job)
    }

    /// The board in play.
    pub fn game(&self) -> Result<Box<dyn Game>, Failure> {
        let supports_rules = self.puzzle.supports_rules(&self.board, &self.job);
        let own_game = if supports_rules { self.puzzle.game(&self.board, &self.job)? } else { None };
        match own_game {
            Some(game) => Ok(game),
            None => {
                let source = self.puzzle.source(&self.board, &self.job)?;
                let title = self.puzzle.title(&self.job);
                play::of_program(&source, &title, &self.job.settings, &self.job.stop)
            }
        }
    }
}

/// Collects checked answers until they are sorted. Another thread may read them during the run.
pub(super) struct AnswerCollector<P: Puzzle> {
    inner: Mutex<(Vec<P::Answer>, u64)>,
    /// Stores all answers; otherwise only their number and the first.
    stores_all: bool,
}

impl<P: Puzzle> AnswerCollector<P> {
    pub(super) fn new(job: &Job) -> Self {
        AnswerCollector::storing(job.show != Show::Verdict || job.asks_unique)
    }

    fn storing(stores_all: bool) -> Self {
        AnswerCollector { inner: Mutex::new((Vec::new(), 0)), stores_all }
    }

    fn put(&self, answer: P::Answer) {
        let (answers, found) = &mut *self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        *found += 1;
        if self.stores_all || answers.is_empty() {
            answers.push(answer);
        }
    }

    pub(super) fn found(&self) -> u64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    fn take(&self) -> (Vec<P::Answer>, u64) {
        let (answers, found) = &mut *self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(answers), *found)
    }
}

/// The checked result of a run: answers in canonical order, and verified claims.
pub struct RunResult<P: Puzzle> {
    puzzle: P,
    pub(super) board: Arc<P::Board>,
    pub(super) job: Arc<Job>,
    /// All answers, or only the first if the output is the verdict alone.
    pub(super) answers: Vec<P::Answer>,
    /// Number of answers found.
    pub(super) found: u64,
    pub(super) verdict: Verdict,
    pub(super) complete: bool,
    pub(super) proof: P::Proof,
    statistics: Value,
    warnings: Vec<Diagnostic>,
}

impl<P: Puzzle> RunResult<P> {
    /// The parsed instance.
    pub fn board(&self) -> &P::Board {
        &self.board
    }

    /// The answers in canonical order. With built-in rules each is checked.
    pub fn answers(&self) -> &[P::Answer] {
        &self.answers
    }

    /// Truncates the answers and sets their number. Tests use it to simulate a defective engine.
    #[doc(hidden)]
    pub fn corrupt(&mut self, answers: usize, found: u64) {
        self.answers.truncate(answers);
        self.found = found;
    }

    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns true if all answers were found or the optimum is proven.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Counts, a bound, the cause of unsolvability.
    pub fn proof(&self) -> &P::Proof {
        &self.proof
    }

    /// The rules in effect.
    pub fn rules(&self) -> &Rules {
        &self.job.rules
    }

    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The cause of unsolvability.
    pub fn cause(&self) -> Option<&UnsolvableCause> {
        self.puzzle.cause(self)
    }

    /// Returns whether there is exactly one solution, if the job asks for uniqueness.
    pub fn unique(&self) -> Uniqueness {
        self.puzzle.uniqueness(self)
    }

    /// The result of certification, if it was requested or cheap.
    pub fn certification(&self) -> Option<&Certification> {
        self.puzzle.certificate(self)
    }

    /// The number of answers found. [`answers`](Self::answers()) may store only the first.
    pub fn num_answers(&self) -> u64 {
        self.found
    }

    /// Verdict and answers as in the command's `--format json`.
    pub fn json(&self) -> Value {
        let answers: Vec<Value> = self.answers.iter().map(|answer| self.puzzle.json(&self.board, answer)).collect();
        serde_json::json!({ "verdict": self.verdict.name(), "complete": self.complete, "answers": answers })
    }

    /// The command's text output.
    pub fn text(&self) -> String {
        self.puzzle.text(self, &Style::default())
    }

    /// Draws an answer, or the board alone; `None` if the puzzle has no pictures. [`Picture::svg`]
    /// converts the picture.
    ///
    /// # Errors
    /// The requested layout is not available.
    pub fn picture(&self, answer: Option<&P::Answer>) -> Result<Option<Picture>, Failure> {
        self.puzzle.draw(self, answer)
    }

    /// The result without the puzzle's types.
    pub(super) fn erased(&self) -> AnyRunResult {
        let mut statistics = self.statistics.clone();
        if let (Some(object), Ok(Value::Object(proof))) =
            (statistics.as_object_mut(), serde_json::to_value(&self.proof))
        {
            // The proof comes first.
            let work = std::mem::replace(object, proof);
            object.extend(work);
        }
        let (verdict, complete, unique) = (self.verdict, self.complete, self.unique());
        let certificate = self.puzzle.certificate(self).cloned();
        let warnings = self.warnings.clone();
        AnyRunResult { verdict, complete, unique, certificate, statistics, warnings, error: None }
    }

    /// Returns true if all answers found are stored.
    pub(super) fn stores_all_answers(&self) -> bool {
        self.answers.len() as u64 == self.found
    }

    /// Derives uniqueness from the verdict and the number of answers.
    pub(super) fn uniqueness_of(&self, found: u64) -> Uniqueness {
        Uniqueness::of(self.job.asks_unique, self.verdict, self.complete, found)
    }

    /// Returns a sentence about uniqueness, if the job asks for it.
    pub(super) fn uniqueness_words(&self) -> Option<String> {
        let words = uniqueness_words(self.unique(), self.verdict, &self.job.rules)?;
        let certificate = self.puzzle.certificate(self).filter(|_| self.unique() != Uniqueness::Unknown);
        Some(certificate.map_or(words.clone(), |certified| certified.describe(&words)))
    }
}

/// Returns a sentence about uniqueness, if the job asks for it.
pub(super) fn uniqueness_words(unique: Uniqueness, verdict: Verdict, rules: &Rules) -> Option<String> {
    let proven = |words: &str| format!("{}.", rules.verdict(words));
    Some(match (unique, verdict) {
        (Uniqueness::NotAsked, _) => return None,
        (Uniqueness::One, _) => proven("One solution"),
        (Uniqueness::NotOne, Verdict::Impossible) => proven("There is no solution"),
        (Uniqueness::NotOne, _) => proven("More than one solution"),
        (Uniqueness::Unknown, verdict) => {
            format!("{} Whether there is one solution is not known.", verdict.gave_up_words()).trim().to_owned()
        }
    })
}

/// The result of a run without the puzzle's types: either derived from a verified result, or the
/// result of a run that gave up.
#[derive(Debug, Clone)]
pub struct AnyRunResult {
    verdict: Verdict,
    complete: bool,
    unique: Uniqueness,
    pub certificate: Option<Certification>,
    pub statistics: Value,
    pub warnings: Vec<Diagnostic>,
    /// The error that ended the run.
    pub error: Option<Failure>,
}

impl AnyRunResult {
    /// The result of a run that proved nothing.
    pub fn gave_up(reason: StopReason) -> Self {
        let statistics = Value::Object(Default::default());
        let verdict = Verdict::GaveUp(reason);
        let unique = Uniqueness::NotAsked;
        AnyRunResult {
            verdict,
            complete: false,
            unique,
            certificate: None,
            statistics,
            warnings: Vec::new(),
            error: None,
        }
    }

    /// The result of a failed run, whose answers are unreliable.
    pub fn failed(failure: &Failure) -> Self {
        // A copy of the exact size: after memory has run out, a larger allocation may fail.
        let mut errors = failure.0.clone();
        errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
        let error = Some(Failure(errors));
        AnyRunResult { error, ..AnyRunResult::gave_up(StopReason::Unproven) }
    }

    /// The messages of `error` on one line.
    pub fn error_text(&self) -> Option<String> {
        let text = |error: &Diagnostic| if error.labels.is_empty() { error.message.clone() } else { error.to_string() };
        self.error.as_ref().map(|failure| failure.0.iter().map(text).collect::<Vec<_>>().join("; "))
    }

    /// The result of writing the board without solving.
    pub(super) fn board_only() -> Self {
        AnyRunResult { verdict: Verdict::Solved, ..AnyRunResult::gave_up(StopReason::Unproven) }
    }

    /// The result of streamed answer sets.
    pub(super) fn of_answer_sets(search_end: SearchEnd<Uniqueness>, certificate: Option<Certification>) -> Self {
        let SearchEnd { verdict, complete, proof: unique, statistics, warnings } = search_end;
        AnyRunResult { verdict, complete, unique, certificate, statistics, warnings, error: None }
    }

    /// Records that results were left out of the output.
    pub fn truncated(self, reason: StopReason) -> Self {
        let complete = self.complete && !matches!(self.verdict, Verdict::Solved);
        AnyRunResult { verdict: Verdict::GaveUp(reason), complete, ..self }
    }

    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns true if all answers were found or the optimum is proven.
    pub fn complete(&self) -> bool {
        self.complete
    }

    pub fn unique(&self) -> Uniqueness {
        self.unique
    }

    /// The exit code: 0 for answers, 1 for a proof that there is none (or not exactly one), 3 for
    /// gave up.
    pub fn exit_code(&self) -> i32 {
        match (self.verdict, self.unique) {
            (Verdict::Solved, Uniqueness::Unknown) => 3,
            (Verdict::Solved, Uniqueness::NotOne) => 1,
            (Verdict::Solved, _) => 0,
            (Verdict::Impossible, _) => 1,
            (Verdict::GaveUp(_), _) => 3,
        }
    }
}

/// The engines that read encodings: clingo, and clingo's grounder with the native solver.
pub(super) const CLINGO: &str = "asp";
pub(super) const NATIVE: &str = "native";

pub fn reads_encodings(engine: &str) -> bool {
    [CLINGO, NATIVE].contains(&engine)
}

/// The name of an engine for `--engine`.
pub fn name_of(engine: impl ValueEnum) -> String {
    engine.to_possible_value().expect("every engine can be asked for").get_name().to_owned()
}

/// The names of a puzzle's engines, the default first, without the hidden ones.
pub fn engine_names<P: Puzzle>() -> Vec<String> {
    let values = P::Engine::value_variants().iter().filter_map(ValueEnum::to_possible_value);
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
fn rules_of<P: Puzzle>(puzzle: P, requested: Option<P::Engine>, job: &Job) -> Result<Rules, Failure> {
    let About { encodings, facts, .. } = puzzle.about();
    if encodings.is_empty() {
        return Ok(Rules::default());
    }
    let programs = &puzzle.programs(&job.documents);
    let native = requested.map(name_of).filter(|name| !reads_encodings(name));
    let rules = match (encodings.first(), &native) {
        (Some(default_encoding), Some(_)) if job.encodings.is_empty() => {
            Rules::of_encoding(default_encoding, facts, programs)
        }
        _ => Rules::in_use(encodings, facts, &job.encodings, programs),
    };
    match native {
        Some(native) if !rules.is_builtin() && !puzzle.supports_any_rules() => {
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
