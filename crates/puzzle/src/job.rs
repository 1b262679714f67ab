//! A job: the complete request for a run.
//!
//! The command, library callers, batches, games in play, `why` and the studio create jobs; a puzzle
//! opens a job as a board, and engines read it.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::selection::Selection;
use crate::format::Format;
use asp::Settings;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use base::style::Style;
use drawing::Vocabulary;
use explain::ExplainContext;
pub use prover::CertifyMode;
use statespace::cache::Cache;

use crate::cubes::Cube;

/// The request for a run: an instance, the question and limits.
///
/// ```
/// # use puzzle::job::Job;
/// use std::time::Duration;
///
/// let job = Job::of("{ seat(1..n) } = 2.").constant("n", "3").all_answers().time_limit(Duration::from_secs(10));
/// assert_eq!(job.question.models, Some(0));
/// assert_eq!(job.time_limit, Some(Duration::from_secs(10)));
/// ```
#[derive(Clone, Default)]
pub struct Job {
    #[doc(hidden)]
    pub sources: Sources,
    #[doc(hidden)]
    pub drawing: DrawingPrograms,
    /// The rules in effect, set when the job is opened.
    #[doc(hidden)]
    pub rules: Rules,
    /// The options of the puzzle or tool, by type.
    #[doc(hidden)]
    pub options: OptionSet,
    pub question: Question,
    pub engine: EngineSettings,
    #[doc(hidden)]
    pub output: OutputSettings,
    /// The time limit of the library's functions; the command sets `stop` instead.
    pub time_limit: Option<Duration>,
    /// Seed of generators: the same seed yields the same instance.
    #[doc(hidden)]
    pub seed: u64,
    /// The part of the search to do; `None` for all of it.
    #[doc(hidden)]
    pub cube: Option<Arc<Cube>>,
    /// The instance is a line of a batch.
    #[doc(hidden)]
    pub is_batch: bool,
    /// Other jobs of this thread have boards that differ in their clues only: they share a ground
    /// program.
    #[doc(hidden)]
    pub shares_ground_program: bool,
    /// Ends the job with the results so far when
    /// [`Canceller::request`](base::stop::Canceller::request) is called, from any thread.
    pub stop: CancelToken,
}

/// The texts of a job.
#[derive(Clone, Default)]
pub struct Sources {
    /// The instance: one or more texts.
    pub documents: Vec<Document>,
    /// The files included by the instance and the encodings; clingo reads them by itself.
    pub included: Vec<Document>,
    /// The encodings given by `-e`, else those of the puzzle. If empty, the embedded copies are
    /// used.
    pub encodings: Vec<Document>,
    /// True if the user gave encodings, with `-e` or as files.
    pub names_encodings: bool,
    /// No puzzle recognised the instance; this one is the closest match.
    pub is_guessed: bool,
}

impl From<Vec<Document>> for Sources {
    /// Returns an instance without encodings.
    fn from(documents: Vec<Document>) -> Self {
        Sources { documents, ..Sources::default() }
    }
}

/// Logic programs that draw the answers.
#[derive(Clone, Default)]
pub struct DrawingPrograms {
    pub programs: Vec<Document>,
    /// The predicates of graphs in `programs`.
    pub vocabulary: Vocabulary,
}

/// How many answers are requested, and what must hold of them.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Maximum number of answers; `Some(0)` for all, `None` for the default.
    pub models: Option<u64>,
    /// Asks whether there is exactly one solution.
    pub is_unique: bool,
    /// Which answers are reported if there are more.
    pub selection: Selection,
    /// When to certify what is proven.
    #[doc(hidden)]
    pub certify: CertifyMode,
}

/// What solves, and with which means.
#[derive(Clone, Default)]
pub struct EngineSettings {
    /// The name of the engine; `None` for the default.
    pub name: Option<String>,
    /// The name of the heuristic that guides a native search; `None` for the default.
    pub heuristic: Option<String>,
    /// Constants, threads, and further options of clingo.
    #[doc(hidden)]
    pub settings: Settings,
    pub limits: Limits,
    /// Storage of tables between runs.
    #[doc(hidden)]
    pub cache: Cache,
}

/// What is printed, and how.
#[derive(Debug, Clone, Default)]
pub struct OutputSettings {
    pub show: Show,
    pub format: Format,
    pub style: Style,
    /// Reports all statistics of the engine, with times.
    pub stats: bool,
}

impl<'a> From<&'a Job> for ExplainContext<'a> {
    fn from(job: &'a Job) -> Self {
        ExplainContext {
            documents: &job.sources.documents,
            included: &job.sources.included,
            has_builtin_rules: job.rules.has_builtin_name(),
            settings: &job.engine.settings,
            stop: &job.stop,
        }
    }
}

impl Job {
    /// Creates a job from an instance in the command's input format.
    pub fn of(instance: &str) -> Self {
        let document = Document::from_bytes("instance".to_owned(), None, instance.as_bytes().to_vec());
        Job { sources: vec![document].into(), ..Job::default() }
    }

    /// Searches for all answers instead of the puzzle's default number, which is usually one.
    #[must_use]
    pub fn all_answers(self) -> Self {
        self.models(0)
    }

    /// Searches for at most `number` answers; 0 for all.
    #[must_use]
    pub fn models(mut self, number: u64) -> Self {
        self.question.models = Some(number);
        self
    }

    /// Asks whether there is exactly one solution. [`RunResult::unique`](crate::RunResult::unique)
    /// returns the result.
    #[must_use]
    pub fn unique(mut self) -> Self {
        self.question.is_unique = true;
        self
    }

    /// Draws the answers at random, each with the same probability; their number is that of
    /// [`models`](Self::models), else 1. The same answer may be drawn twice, and the same seed draws the
    /// same answers. For logic programs and pencil puzzles.
    #[must_use]
    pub fn sample(mut self, seed: u64) -> Self {
        self.question.selection = Selection::Sample { seed };
        self
    }

    /// Selects answers that differ as much as possible in what they show; their number is that of
    /// [`models`](Self::models), else 2. For logic programs and pencil puzzles.
    #[must_use]
    pub fn diverse(mut self) -> Self {
        self.question.selection = Selection::Diverse;
        self
    }

    /// Selects an engine by name, as `asp-solve list PUZZLE` lists them; `asp` is clingo.
    #[must_use]
    pub fn engine(mut self, name: &str) -> Self {
        self.engine.name = Some(name.to_owned());
        self
    }

    /// Replaces the puzzle's rules by a logic program; several are used together. The results are
    /// then not called proven.
    #[must_use]
    pub fn encoding(mut self, program: &str) -> Self {
        let name = match self.sources.encodings.len() {
            0 => "encoding".to_owned(),
            others => format!("encoding {}", others + 1),
        };
        self.sources.encodings.push(Document::in_memory(name, program));
        self.sources.names_encodings = true;
        self
    }

    /// Sets a constant of the logic program, as `#const` does.
    #[must_use]
    pub fn constant(mut self, name: &str, value: impl ToString) -> Self {
        self.engine.settings.constants.push((name.to_owned(), value.to_string()));
        self
    }

    /// Ends the run after this time with the results so far; the verdict is then
    /// [`GaveUp`](base::ending::Verdict::GaveUp), unless the results are proven. The time begins with the
    /// call of a function such as [`Run::solve`](crate::Run::solve). clingo cannot be interrupted while it
    /// grounds a program.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        Job { time_limit: Some(limit), ..self }
    }

    /// Sets limits of native engines.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.engine.limits = limits;
        self
    }

    /// Sets the number of threads of the engine.
    #[must_use]
    pub fn threads(mut self, number: usize) -> Self {
        self.engine.settings.threads = Some(number);
        self
    }

    /// Certifies what is proven, for instance that there is no answer, or no other: a checker that
    /// shares no code with the solver verifies each step of a proof.
    /// [`RunResult::certification`](crate::RunResult::certification) returns the result.
    #[must_use]
    pub fn certify(mut self) -> Self {
        self.question.certify = CertifyMode::Check;
        self
    }

    /// Sets the options that only one puzzle has, such as `RailOptions`, `TaquinOptions` or
    /// `AmphipodOptions`.
    #[must_use]
    pub fn puzzle_options<O: Send + Sync + 'static>(mut self, options: O) -> Self {
        self.options.set(options);
        self
    }

    /// Sets the token that ends the run early, from any thread.
    #[must_use]
    pub fn cancel_token(self, stop: CancelToken) -> Self {
        Job { stop, ..self }
    }

    /// Returns the options of a puzzle, or their defaults.
    #[doc(hidden)]
    pub fn options<O: Default + Send + Sync + 'static>(&self) -> Arc<O> {
        self.options.get().unwrap_or_default()
    }

    /// Returns the options of a tool.
    ///
    /// # Errors
    /// The job was not made from a command line of the tool, which declares the defaults.
    #[doc(hidden)]
    pub fn tool_options<O: Send + Sync + 'static>(&self) -> Result<Arc<O>, Failure> {
        let missing = || Diagnostic::error(Code::Defect, "expected a job with the options of the tool, found none");
        Ok(self.options.get().ok_or_else(missing)?)
    }

    /// Number of threads for a native engine.
    #[doc(hidden)]
    pub fn num_threads(&self) -> usize {
        self.engine.settings.threads.unwrap_or(1)
    }
}

impl From<&str> for Job {
    fn from(instance: &str) -> Self {
        Job::of(instance)
    }
}

impl From<&String> for Job {
    fn from(instance: &String) -> Self {
        Job::of(instance)
    }
}

impl From<String> for Job {
    fn from(instance: String) -> Self {
        Job::of(&instance)
    }
}

/// Limits of native engines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Bytes of memory for visited states and tables.
    pub memory: Option<u64>,
    /// Maximum number of expanded nodes.
    pub nodes: Option<u64>,
    /// Maximum cost of a plan.
    pub depth: Option<u32>,
}

/// The treatment of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Report each answer.
    #[default]
    Answers,
    /// Count them and report the verdict only.
    Verdict,
    /// Draw the first answer, or each.
    Pictures,
    /// Write an HTML page with all results.
    Page,
}

/// Option values by type: each puzzle and tool has its own options type.
#[derive(Debug, Clone, Default)]
pub struct OptionSet(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl OptionSet {
    pub fn set<O: Send + Sync + 'static>(&mut self, options: O) {
        self.0.insert(TypeId::of::<O>(), Arc::new(options));
    }

    fn get<O: Send + Sync + 'static>(&self) -> Option<Arc<O>> {
        self.0.get(&TypeId::of::<O>())?.clone().downcast().ok()
    }
}

/// The rules in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rules {
    /// Built-in rules: the encoding of this name, or `""` if the puzzle has none.
    BuiltIn(Cow<'static, str>),
    /// Custom rules: the names of the files that contain them.
    Custom(Vec<String>),
}

impl Default for Rules {
    fn default() -> Self {
        Rules::BuiltIn(Cow::Borrowed(""))
    }
}

impl Rules {
    pub fn is_builtin(&self) -> bool {
        matches!(self, Rules::BuiltIn(_))
    }

    /// Returns true for a puzzle's own rules, which need no footnote.
    pub fn has_builtin_name(&self) -> bool {
        matches!(self, Rules::BuiltIn(name) if !name.is_empty())
    }

    /// The value in JSON.
    pub fn name(&self) -> &'static str {
        if self.is_builtin() { "shipped" } else { "custom" }
    }

    /// The basis of a verdict: "proven", or "by the rules of mine.lp".
    pub fn proven(&self) -> String {
        match self {
            Rules::BuiltIn(_) => "proven".to_owned(),
            Rules::Custom(_) => self.attribution(),
        }
    }

    /// "by the rules of mine.lp"
    pub fn attribution(&self) -> String {
        match self {
            Rules::BuiltIn(name) => format!("by the rules of {name}"),
            Rules::Custom(names) => format!("by the rules of {}", names.join(", ")),
        }
    }

    /// The last line of a report: empty, or "All of this is by the rules of mine.lp."
    pub fn footnote(&self) -> String {
        if self.is_builtin() { String::new() } else { format!("All of this is {}.\n", self.attribution()) }
    }

    /// Appends the basis to a verdict: "… (proven)", or "… by the rules of mine.lp".
    pub fn verdict(&self, words: &str) -> String {
        self.verdict_with(words, "")
    }

    /// As `verdict`, with a detail such as "51 nodes", if it is not empty: "… (proven; 51 nodes)".
    pub fn verdict_with(&self, words: &str, detail: &str) -> String {
        match (self, detail) {
            (Rules::BuiltIn(_), "") => format!("{words} (proven)"),
            (Rules::BuiltIn(_), _) => format!("{words} (proven; {detail})"),
            (Rules::Custom(_), "") => format!("{words} {}", self.attribution()),
            (Rules::Custom(_), _) => format!("{words} {} ({detail})", self.attribution()),
        }
    }
}
