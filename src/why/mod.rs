//! Why: the parts of a program from which something follows, with the lines where they stand and in words.
//!
//! A program is taken apart into statements, rewritten so that each part that may be blamed can be left out, and grounded once;
//! every question after that is one of assumptions ([`Switched`]).
//!
//! | file | what it holds |
//! |---|---|
//! | `cause.rs` | the smallest cause, all of them, the cheapest change; of any oracle |
//! | `contradiction.rs` | why a program has no answer |
//! | `output.rs` | causes as text, JSON and a page |
//! | `program.rs` | a program whose parts can be left out |
//! | `steps.rs` | what follows next, and the smallest reason for it |
//! | `propagation.rs` | what follows at once, below the steps |
//! | `hint.rs` | steps in words and on the board |
//! | `techniques.rs` | what people call steps |
//! | `rating.rs` | how hard a program is |
//! | `atom.rs` | whether an atom holds in every answer, in none or in some, and why |
//! | `derivation.rs` | how an atom comes to hold in an answer |
//! | `lists.rs` | reasons as lists, for a page |
//! | `words.rs` | what parts are called: comments that give rules words |

mod atom;
pub mod cause;
mod contradiction;
pub mod derivation;
pub mod hint;
mod lists;
mod output;
mod program;
pub mod propagation;
mod rating;
pub mod steps;
pub mod techniques;
pub(crate) mod words;

use std::time::Instant;

use serde_json::{Value, json};

use crate::asp::{Lints, Signature, Symbol, SymbolType};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::ending::Verdict;
use crate::job::Job;
use crate::report::{Format, Style};

pub use contradiction::{cause_among, cause_of};
pub use lists::{Line, List};
pub use program::{Boards, Outcome, Source, Switched};
pub use rating::Rating;
pub use words::Words;

/// What somebody wants to know.
#[derive(Debug, Clone, Default)]
pub struct Question {
    pub asks: Asks,
    /// What may be blamed; empty for the default.
    pub blame: Vec<Blame>,
    /// At most so many causes; 0 for all.
    pub causes: u64,
    /// The cheapest change is asked for.
    pub fix: bool,
    /// What it costs to give up a fact or rule of a predicate, for `fix`; others cost 1.
    pub weights: Vec<(Signature, u32)>,
    pub format: Format,
    pub style: Style,
    /// When the smallest cause is to be there; a minimal one is told then.
    pub deadline: Option<Instant>,
}

/// Which question it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Asks {
    /// Why there is no answer.
    #[default]
    Nothing,
    /// Why an atom holds, or what else the puzzle can be asked about: the words of the command line.
    About(String),
    /// What can be found next, or all of it.
    Steps { all: bool },
    /// How hard it is.
    Rating {
        /// Told besides: what plain deletion would say.
        deletion: bool,
    },
}

/// What is told.
#[derive(Debug, Clone, Default)]
pub struct Told {
    pub text: String,
    pub json: Value,
    /// The same reasons, for a page that shows them beside the program.
    pub lists: Vec<List>,
    /// The page of `--format html`.
    pub html: Option<String>,
    /// The picture of `--format svg`.
    pub svg: Option<String>,
    /// Solved: there is a reason, and it is told; impossible: proven that there is none to tell.
    pub verdict: Option<Verdict>,
    pub warnings: Vec<Diagnostic>,
}

/// Explains a logic program.
pub fn explain(source: &Source, question: &Question, job: &Job) -> Result<Told, Failure> {
    let mut told = match &question.asks {
        Asks::Nothing => contradiction::explain(source, question, job),
        Asks::About(asked) => atom::explain(source, asked, question, job),
        Asks::Steps { .. } => hint::explain(source, question, job),
        Asks::Rating { .. } => return rating::explain(source, question, job),
    }?;
    if !job.rules.are_a_puzzles() {
        told.warnings.extend(Lints::of(&source.program, &job.included, &job.settings, &job.stop).told());
    }
    Ok(told)
}

/// An atom and whether it is to hold: `queen(1,4)`, `not queen(1,4)`.
pub fn literal(text: &str) -> Option<(Symbol, bool)> {
    let text = text.trim();
    let negated = text.strip_prefix("not").filter(|rest| rest.starts_with(char::is_whitespace));
    let atom = negated.unwrap_or(text).trim();
    let atom = atom.strip_suffix('.').unwrap_or(atom);
    // clingo would wrap it in silence.
    let is_too_large =
        |word: &str| word.starts_with(|first: char| first.is_ascii_digit()) && word.parse::<i32>().is_err();
    let mut words = atom.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'));
    if !atom.contains('"') && words.any(is_too_large) {
        return None;
    }
    let term = crate::asp::parse_term(atom)?;
    // A tuple has no name.
    let is_atom = term.symbol_type().ok()? == SymbolType::Function && !crate::asp::to_text(term).starts_with('(');
    is_atom.then_some((term, negated.is_none()))
}

/// What a part of a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Fact,
    Constraint,
    Rule,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Fact => "fact",
            Kind::Constraint => "constraint",
            Kind::Rule => "rule",
        }
    }
}

/// A part of a program, as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub kind: Kind,
    /// The fact, or the constraint or rule as it stands in the source.
    pub text: String,
    pub place: Option<Place>,
    /// What it says here: of a constraint, with the values of its variables.
    pub words: String,
}

impl Part {
    pub fn json(&self) -> Value {
        let mut object = json!({ "text": self.text, "kind": self.kind.name() });
        if let Some(place) = &self.place {
            object["file"] = json!(place.file);
            object["line"] = json!(place.start.line);
            object["column"] = json!(place.start.column);
        }
        object["words"] = json!(self.words);
        object
    }
}

/// Which parts of a program may be the cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blame {
    Facts,
    Constraints,
    Rules,
    /// Facts and rules for a predicate.
    Predicate(Signature),
}

impl std::str::FromStr for Blame {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "facts" => Ok(Blame::Facts),
            "constraints" => Ok(Blame::Constraints),
            "rules" => Ok(Blame::Rules),
            _ => match text.parse() {
                Ok(predicate) => Ok(Blame::Predicate(predicate)),
                Err(()) => Err("facts, constraints, rules or a predicate (p/2) was wanted".to_owned()),
            },
        }
    }
}
