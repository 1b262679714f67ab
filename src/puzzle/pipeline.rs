//! The only path from a job to a report: open, solve, check, sort, vouch.
//!
//! ```text
//!   Job ── open ──> Opened ── solve ──> answers, each checked ── sort, vouch ──> Solved ──> report
//! ```
//!
//! A [`Solved`] cannot be made in another way: its answers passed their checks, and what it says besides (impossible,
//! complete, optimal, unique, counts) was vouched for, where the rules that ship apply.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use clap::ValueEnum;
use serde_json::Value;

use super::report::Header;
use super::{About, Because, Puzzle, names};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure, Level};
use crate::document::Document;
use crate::ending::{Certified, Ending, Uniqueness, Verdict};
use crate::job::{Job, Rules, Show};
use crate::picture::Picture;
use crate::played::{self, Game};
use crate::report::Style;
use crate::stop::Reason;
use crate::why::{self, Question, Told};
use crate::words::{did_you_mean, thousands};

/// A board, and who is to solve it.
pub struct Opened<P: Puzzle> {
    pub(super) puzzle: P,
    pub(super) board: Arc<P::Board>,
    pub(super) engine: P::Engine,
    pub(super) job: Arc<Job>,
    /// The puzzle that the person sees.
    pub(super) name: &'static str,
}

impl<P: Puzzle> Opened<P> {
    /// Reads the instance, and finds out whose rules apply and which engine runs.
    pub fn new(puzzle: P, mut job: Job) -> Result<Self, Failure> {
        let about = puzzle.about();
        job.options.fill::<P::Options>();
        // Two answers tell that there is not one.
        job.models = job.models.or(job.asks_unique.then_some(2));
        if let ([], Some(usual)) = (&job.encodings[..], about.encodings.first()) {
            let asked = puzzle.asks_for(&job.documents);
            let more = about.encodings.iter().filter(|encoding| asked.contains(&encoding.name));
            for file in [usual].into_iter().chain(more).flat_map(|encoding| encoding.files) {
                if !job.encodings.iter().any(|known| known.name == file.path) {
                    job.encodings.push(Document::in_memory(file.path, file.text));
                }
            }
        }
        let asked = job.engine.as_deref().map(|name| engine_named::<P>(about.name, name)).transpose()?;
        job.rules = rules_of(puzzle, asked, &job)?;
        let board = puzzle.parse(&job)?;
        Opened::chosen(puzzle, Arc::new(board), asked, job)
    }

    /// A board that is there by now, with the usual engine.
    pub fn with(puzzle: P, board: Arc<P::Board>, job: Job) -> Result<Self, Failure> {
        Opened::chosen(puzzle, board, None, job)
    }

    fn chosen(puzzle: P, board: Arc<P::Board>, asked: Option<P::Engine>, job: Job) -> Result<Self, Failure> {
        let engine = match (asked, &job.rules) {
            (Some(engine), _) => engine,
            // Other rules than its own hardly a native engine knows.
            (None, Rules::Yours(_)) if !puzzle.knows_any_rules() => engine_named::<P>(puzzle.about().name, CLINGO)?,
            (None, _) => puzzle.usual_engine(&board, &job),
        };
        Ok(Opened { puzzle, board, engine, job: Arc::new(job), name: puzzle.about().name })
    }

    /// Runs to the end.
    pub fn solve(&self) -> Result<Solved<P>, Failure> {
        self.solve_into(&AnswerCollector::new(&self.job))
    }

    /// The pipeline. Whoever holds `gathered` may look at what is found while it runs.
    pub(super) fn solve_into(&self, gathered: &AnswerCollector<P>) -> Result<Solved<P>, Failure> {
        let Opened { puzzle, board, engine, job, .. } = self;
        let checks = puzzle.knows_rules(board, job) || puzzle.checks_any_rules();
        let mut ending = puzzle.solve(board, *engine, job, &mut |answer| {
            if checks {
                let wrong = |error| self.fails_the_check("an answer", error);
                puzzle.check(board, &answer).map_err(wrong)?;
            }
            gathered.put(puzzle.kept(answer, job));
            Ok(ControlFlow::Continue(()))
        })?;
        ending.warnings.extend(puzzle.warnings(job)?);
        let solved = self.sorted(gathered, ending);
        if puzzle.knows_rules(board, job) {
            puzzle.vouch(&solved).map_err(|error| self.fails_the_check("what is said", error))?;
        }
        Ok(solved)
    }

    /// What is known where the engine was left alone: answers that were checked, and nothing proven.
    pub(super) fn given_up(&self, gathered: &AnswerCollector<P>, reason: Reason) -> Solved<P> {
        self.sorted(gathered, Ending::gave_up(reason))
    }

    fn sorted(&self, gathered: &AnswerCollector<P>, ending: Ending<P::Proof>) -> Solved<P> {
        /// More cannot be put in order and written in the moment that is left where a run was stopped.
        const MOST_OF_STOPPED: usize = 100_000;
        let Ending { verdict, complete, proof, statistics, mut warnings } = ending;
        let (mut answers, found) = gathered.take();
        if matches!(verdict, Verdict::GaveUp(_)) && answers.len() > MOST_OF_STOPPED {
            answers.truncate(MOST_OF_STOPPED);
            warnings.push(Diagnostic::warning(format!(
                "{} answers were found; at most {} are shown",
                thousands(found),
                thousands(MOST_OF_STOPPED)
            )));
        }
        self.puzzle.sort(&mut answers);
        let (puzzle, board, job) = (self.puzzle, self.board.clone(), self.job.clone());
        Solved { puzzle, board, job, answers, found, verdict, complete, proof, statistics, warnings }
    }

    /// What the run is about.
    pub(super) fn header(&self) -> Header {
        let engine = name_of(self.engine);
        let encoding = if reads_encodings(&engine) { names(&self.job.encodings) } else { Vec::new() };
        // A program of which no puzzle is known has no rules but its own.
        let rules = (!self.puzzle.about().is_any_program()).then(|| self.job.rules.name());
        Header { puzzle: self.name, instance: names(&self.job.documents), engine, encoding, rules }
    }

    fn fails_the_check(&self, what: &str, error: String) -> Diagnostic {
        let engine = name_of(self.engine);
        Diagnostic::error(format!("{what} of the engine {engine} does not pass the check: {error}"))
    }

    /// Answers a question about why: the puzzle itself, else its logic program is explained.
    pub fn why(&self, question: &Question) -> Result<Told, Failure> {
        let mut told = match self.puzzle.why(&self.board, &self.job, question)? {
            Some(told) => told,
            None => why::explain(&self.puzzle.source(&self.board, &self.job)?, question, &self.job)?,
        };
        told.warnings.extend(self.puzzle.warnings(&self.job)?);
        Ok(told)
    }

    /// The whole logic program.
    pub fn program(&self) -> Result<asp::Program, Failure> {
        self.puzzle.program(&self.board, &self.job)
    }

    /// The board in play.
    pub fn game(&self) -> Result<Box<dyn Game>, Failure> {
        let knows_rules = self.puzzle.knows_rules(&self.board, &self.job);
        let own = if knows_rules { self.puzzle.game(&self.board, &self.job)? } else { None };
        match own {
            Some(game) => Ok(game),
            None => {
                let (source, title) = (self.puzzle.source(&self.board, &self.job)?, self.puzzle.title(&self.job));
                played::of_program(&source, &title, &self.job.settings, &self.job.stop)
            }
        }
    }
}

/// Answers that were checked, until they are put in order. The watcher of a run may look at them while they come.
pub(super) struct AnswerCollector<P: Puzzle> {
    inner: Mutex<(Vec<P::Answer>, u64)>,
    /// All of them, or only how many there are.
    keeps: bool,
}

impl<P: Puzzle> AnswerCollector<P> {
    pub(super) fn new(job: &Job) -> Self {
        let keeps = job.show != Show::Verdict || job.asks_unique;
        AnswerCollector { inner: Mutex::new((Vec::new(), 0)), keeps }
    }

    fn put(&self, answer: P::Answer) {
        let (answers, found) = &mut *self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        *found += 1;
        if self.keeps || answers.is_empty() {
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

/// What came of a run: answers that were checked, in canonical order, and what was vouched for.
pub struct Solved<P: Puzzle> {
    puzzle: P,
    pub(super) board: Arc<P::Board>,
    pub(super) job: Arc<Job>,
    /// The first alone where only the verdict is told.
    pub(super) answers: Vec<P::Answer>,
    /// How many were found.
    pub(super) found: u64,
    pub(super) verdict: Verdict,
    pub(super) complete: bool,
    pub(super) proof: P::Proof,
    statistics: Value,
    warnings: Vec<Diagnostic>,
}

impl<P: Puzzle> Solved<P> {
    /// The instance as it was read.
    pub fn board(&self) -> &P::Board {
        &self.board
    }

    /// In canonical order; each is checked by the rules, if these are the shipped ones.
    pub fn answers(&self) -> &[P::Answer] {
        &self.answers
    }

    /// Forgets all but the first answers, and says how many were found: what a defective engine would do.
    #[doc(hidden)]
    pub fn keep(&mut self, answers: usize, found: u64) {
        self.answers.truncate(answers);
        self.found = found;
    }

    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// All answers were found, or the optimum is proven.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// What is known besides: counts, a bound, the cause why there is none.
    pub fn proof(&self) -> &P::Proof {
        &self.proof
    }

    /// Whose rules the verdict rests on.
    pub fn rules(&self) -> &Rules {
        &self.job.rules
    }

    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Why it is impossible, if it is.
    pub fn because(&self) -> Option<&Because> {
        self.puzzle.because(self)
    }

    /// Whether there is exactly one solution, if that is the question.
    pub fn unique(&self) -> Uniqueness {
        self.puzzle.uniqueness(self)
    }

    /// Verdict and answers as the command's `--format json` has them.
    pub fn json(&self) -> Value {
        let answers: Vec<Value> = self.answers.iter().map(|answer| self.puzzle.json(&self.board, answer)).collect();
        serde_json::json!({ "verdict": self.verdict.name(), "complete": self.complete, "answers": answers })
    }

    /// What the command would print for a person.
    pub fn text(&self) -> String {
        self.puzzle.text(self, &Style::default())
    }

    /// An answer as a picture (`Picture::svg`), or the board alone; `None` where the puzzle cannot be drawn.
    ///
    /// # Errors
    /// A layout that somebody asked for and that cannot be had.
    pub fn picture(&self, answer: Option<&P::Answer>) -> Result<Option<Picture>, Failure> {
        self.puzzle.draw(self, answer)
    }

    /// All of it without the puzzle's own types.
    pub(super) fn conclusion(&self) -> Conclusion {
        let mut statistics = self.statistics.clone();
        if let (Some(object), Ok(Value::Object(proof))) =
            (statistics.as_object_mut(), serde_json::to_value(&self.proof))
        {
            // What is proven comes first.
            let work = std::mem::replace(object, proof);
            object.extend(work);
        }
        let (verdict, complete, unique) = (self.verdict, self.complete, self.unique());
        let certificate = self.puzzle.certificate(self).cloned();
        let warnings = self.warnings.clone();
        Conclusion { verdict, complete, unique, certificate, statistics, warnings, error: None }
    }

    /// Whether the answers are all that were found, not the first alone.
    pub(super) fn keeps_all(&self) -> bool {
        self.answers.len() as u64 == self.found
    }

    /// Whether there is exactly one solution, as far as the verdict and the number of those that were found tell.
    pub(super) fn uniqueness_of(&self, found: u64) -> Uniqueness {
        Uniqueness::of(self.job.asks_unique, self.verdict, self.complete, found)
    }

    /// Whether there is one solution, in a sentence, if that is the question.
    pub(super) fn uniqueness_words(&self) -> Option<String> {
        let words = uniqueness_words(self.unique(), self.verdict, &self.job.rules)?;
        let certificate = self.puzzle.certificate(self).filter(|_| self.unique() != Uniqueness::Unknown);
        Some(certificate.map_or(words.clone(), |certified| certified.said(&words)))
    }
}

/// Whether there is one solution, in a sentence, if that is the question.
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

/// How a run ended, whatever the puzzle: made from what was vouched for, or from a run that was given up.
#[derive(Debug, Clone)]
pub struct Conclusion {
    verdict: Verdict,
    complete: bool,
    unique: Uniqueness,
    pub certificate: Option<Certified>,
    pub statistics: Value,
    pub warnings: Vec<Diagnostic>,
    /// What ended the run, if it failed.
    pub error: Option<String>,
}

impl Conclusion {
    /// Nothing is known but why.
    pub fn gave_up(reason: Reason) -> Self {
        let statistics = Value::Object(Default::default());
        let (verdict, unique) = (Verdict::GaveUp(reason), Uniqueness::NotAsked);
        Conclusion {
            verdict,
            complete: false,
            unique,
            certificate: None,
            statistics,
            warnings: Vec::new(),
            error: None,
        }
    }

    /// The run failed, and nothing of what was found by then is known to be right.
    pub fn failed(failure: &Failure) -> Self {
        let errors = failure.0.iter().filter(|diagnostic| diagnostic.level == Level::Error);
        let words = |error: &Diagnostic| if error.places.is_empty() { error.text.clone() } else { error.to_string() };
        let error = Some(errors.map(words).collect::<Vec<_>>().join("; "));
        Conclusion { error, ..Conclusion::gave_up(Reason::Unproven) }
    }

    /// The board was told, and nothing was solved.
    pub(super) fn told() -> Self {
        Conclusion { verdict: Verdict::Solved, ..Conclusion::gave_up(Reason::Unproven) }
    }

    /// Of answer sets that were told as they came: what clingo has proven of them.
    pub(super) fn of_answer_sets(ending: Ending<Uniqueness>, certificate: Option<Certified>) -> Self {
        let Ending { verdict, complete, proof: unique, statistics, warnings } = ending;
        Conclusion { verdict, complete, unique, certificate, statistics, warnings, error: None }
    }

    /// The same where not all could be written in time.
    pub fn cut(self, reason: Reason) -> Self {
        let complete = self.complete && !matches!(self.verdict, Verdict::Solved);
        Conclusion { verdict: Verdict::GaveUp(reason), complete, ..self }
    }

    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// All answers were found, or the optimum is proven.
    pub fn complete(&self) -> bool {
        self.complete
    }

    pub fn unique(&self) -> Uniqueness {
        self.unique
    }

    /// 0 answers, 1 proven that there is none (or not one alone), 3 gave up.
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

/// The engines that read encodings: clingo; and its grounder, with a solver of our own.
pub(super) const CLINGO: &str = "asp";
pub(super) const NATIVE: &str = "native";

pub fn reads_encodings(engine: &str) -> bool {
    [CLINGO, NATIVE].contains(&engine)
}

/// As one writes it after --engine.
pub fn name_of(engine: impl ValueEnum) -> String {
    engine.to_possible_value().expect("every engine can be asked for").get_name().to_owned()
}

fn engine_named<P: Puzzle>(puzzle: &str, name: &str) -> Result<P::Engine, Failure> {
    let known = P::Engine::value_variants();
    known.iter().copied().find(|&engine| name_of(engine) == name).ok_or_else(|| {
        let known: Vec<String> = known.iter().map(|&engine| name_of(engine)).collect();
        let near = did_you_mean(name, known.iter().map(String::as_str));
        Diagnostic::error(format!("{puzzle} has no engine {name}{near}; wanted: {}", known.join(", "))).into()
    })
}

/// Whose rules a run goes by. A native engine knows those that ship alone, also where an edited copy of them was found.
fn rules_of<P: Puzzle>(puzzle: P, asked: Option<P::Engine>, job: &Job) -> Result<Rules, Failure> {
    let About { encodings, facts, .. } = puzzle.about();
    if encodings.is_empty() {
        return Ok(Rules::default());
    }
    let programs = &puzzle.programs(&job.documents);
    let native = asked.map(name_of).filter(|name| !reads_encodings(name));
    let rules = match (encodings.first(), &native) {
        (Some(usual), Some(_)) if job.encodings.is_empty() => Rules::with(usual, facts, programs),
        _ => Rules::of(encodings, facts, &job.encodings, programs),
    };
    match native {
        Some(native) if !rules.are_shipped() && !puzzle.knows_any_rules() => {
            let error = knows_not(&format!("the engine {native}"), &rules);
            Err(error.help("--engine asp works with any rules").into())
        }
        _ => Ok(rules),
    }
}

/// The error of a native engine or a tool that is asked to go by other rules than its own.
pub fn knows_not(engine: &str, rules: &Rules) -> Diagnostic {
    Diagnostic::error(format!("{engine} only knows the rules that ship, but this run goes {}", rules.by()))
}
