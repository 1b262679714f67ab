//! A job: everything that is asked of a run, from the door to the engine.
//!
//! The command, a caller of the library, a batch, a game in play, a question about why, and the studio each make one;
//! a puzzle opens it as a board, and engines read it.

use std::any::{Any, TypeId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use clap::{Args, Command};

use crate::asp::Settings;
use crate::cache::Cache;
pub use crate::certificate::Certify;
use crate::document::Document;
use crate::drawing::Vocabulary;
use crate::report::{Format, Style};
use crate::stop::Stop;

/// What is to be done, with what, and under which limits.
#[derive(Clone, Default)]
pub struct Job {
    /// The instance: one or more texts.
    pub documents: Vec<Document>,
    /// The files that these and encodings include: clingo reads them by itself.
    pub included: Vec<Document>,
    /// The encodings: those of `-e`, else the puzzle's own. None: the copies inside the program.
    pub encodings: Vec<Document>,
    /// The encodings were named, with `-e` or as files.
    pub names_encodings: bool,
    /// Logic programs that say how answers are drawn.
    pub draw: Vec<Document>,
    /// How graphs are written in what draws.
    pub vocabulary: Vocabulary,
    /// The rules that apply, once the puzzle is known.
    pub rules: Rules,
    /// The options that one puzzle or tool has, by their type.
    pub options: Options,
    pub engine: Option<String>,
    /// At most this many answers; `Some(0)` for all; `None` where the person did not say.
    pub models: Option<u64>,
    /// Whether what is proven is to be certified.
    pub certify: Certify,
    /// The question is whether there is exactly one solution.
    pub asks_unique: bool,
    pub show: Show,
    pub format: Format,
    pub style: Style,
    /// Constants, threads, and further options of clingo.
    pub settings: Settings,
    /// Statistics of the engine, with times.
    pub stats: bool,
    pub limits: Limits,
    /// The same seed makes the same instance.
    pub seed: u64,
    /// The instance is one of many, one in each line.
    pub is_batch: bool,
    /// No puzzle recognised the instance: this one came nearest.
    pub is_a_guess: bool,
    /// Where tables are kept from one run to the next.
    pub cache: Cache,
    /// [`Canceller::request`](crate::stop::Canceller::request), from any thread, ends the job with what is known by then.
    pub stop: Stop,
}

impl Job {
    /// The instance, written as the command reads it.
    pub fn of(instance: &str) -> Self {
        let document = Document::from_bytes("instance".to_owned(), None, instance.as_bytes().to_vec());
        Job { documents: vec![document], ..Job::default() }
    }

    /// The options of a puzzle or tool, as given, else as they are by default.
    pub fn options<O: Args + Send + Sync + 'static>(&self) -> Arc<O> {
        self.options.get()
    }

    /// Threads that a native engine may use.
    pub fn threads(&self) -> usize {
        self.settings.threads.unwrap_or(1)
    }
}

impl From<&str> for Job {
    fn from(instance: &str) -> Self {
        Job::of(instance)
    }
}

/// What a native engine may use.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Bytes for what it remembers.
    pub memory: Option<u64>,
    /// Nodes that it may expand.
    pub nodes: Option<u64>,
    /// Cost of the ways that it looks at.
    pub depth: Option<u32>,
}

/// What becomes of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Each is told.
    #[default]
    Answers,
    /// They are counted, and the verdict alone is told.
    Verdict,
    /// The first is drawn, or each.
    Pictures,
    /// A page tells all there is to know.
    Page,
}

/// Values by their type: the options of each puzzle and tool are a type of its own.
#[derive(Clone, Default)]
pub struct Options {
    values: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    given: BTreeSet<String>,
}

impl Options {
    pub fn set<O: Send + Sync + 'static>(&mut self, options: O) {
        self.values.insert(TypeId::of::<O>(), Arc::new(options));
    }

    fn get<O: Args + Send + Sync + 'static>(&self) -> Arc<O> {
        let known = self.values.get(&TypeId::of::<O>()).cloned();
        known.and_then(|value| value.downcast().ok()).unwrap_or_else(|| Arc::new(defaults()))
    }

    /// Takes the defaults where nothing was set, so that [`get`](Self::get) need not make them each time.
    pub fn fill<O: Args + Send + Sync + 'static>(&mut self) {
        self.values.entry(TypeId::of::<O>()).or_insert_with(|| Arc::new(defaults::<O>()));
    }

    /// Says which options the person gave, by their names on the command line.
    pub fn set_given(&mut self, names: impl IntoIterator<Item = String>) {
        self.given = names.into_iter().collect();
    }

    /// Whether the person gave this option: it is not just what it is by default.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }
}

/// What the command line has where nothing is said.
fn defaults<O: Args>() -> O {
    let matches = O::augment_args(Command::new("defaults")).get_matches_from(["defaults"]);
    O::from_arg_matches(&matches).expect("no puzzle and no tool has an option that must be given")
}

/// Whose rules apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rules {
    /// Those of the encoding of this name; of none where the puzzle has none.
    Shipped(&'static str),
    /// Those of these texts.
    Yours(Vec<String>),
}

impl Default for Rules {
    fn default() -> Self {
        Rules::Shipped("")
    }
}

impl Rules {
    pub fn are_shipped(&self) -> bool {
        matches!(self, Rules::Shipped(_))
    }

    /// They are those of a puzzle, which nobody has to be told of.
    pub fn are_a_puzzles(&self) -> bool {
        matches!(self, Rules::Shipped(name) if !name.is_empty())
    }

    /// For JSON.
    pub fn name(&self) -> &'static str {
        if self.are_shipped() { "shipped" } else { "yours" }
    }

    /// What a verdict rests on: "proven", or "by the rules of mine.lp".
    pub fn proven(&self) -> String {
        match self {
            Rules::Shipped(_) => "proven".to_owned(),
            Rules::Yours(_) => self.by(),
        }
    }

    /// "by the rules of mine.lp"
    pub fn by(&self) -> String {
        match self {
            Rules::Shipped(name) => format!("by the rules of {name}"),
            Rules::Yours(names) => format!("by the rules of {}", names.join(", ")),
        }
    }

    /// The last line of a report: nothing, or "All of this is by the rules of mine.lp."
    pub fn footnote(&self) -> String {
        if self.are_shipped() { String::new() } else { format!("All of this is {}.\n", self.by()) }
    }

    /// A verdict that ends with what it rests on: "…: proven.", or "… by the rules of mine.lp.".
    pub fn verdict(&self, words: &str) -> String {
        match self {
            Rules::Shipped(_) => format!("{words}: proven"),
            Rules::Yours(_) => format!("{words} {}", self.by()),
        }
    }
}
