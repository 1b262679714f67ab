//! Explanations: the parts of a program from which something follows, with their source lines and
//! in words.
//!
//! A program is split into statements and rewritten so that each part that may be blamed can be
//! relaxed. It is grounded once; every later query only changes the assumptions
//! ([`RelaxedProgram`]).
//!
//! | file | contents |
//! |---|---|
//! | `cause.rs` | smallest causes, all causes and cheapest corrections for any oracle |
//! | `contradiction.rs` | explains why a program has no answer |
//! | `output.rs` | causes as text, JSON and HTML |
//! | `program.rs` | a program whose parts can be left out |
//! | `steps.rs` | the next deduction and the smallest reason for it |
//! | `propagation.rs` | unit propagation, on which the steps are built |
//! | `hint.rs` | steps in words and on the board |
//! | `techniques.rs` | the names of solving techniques |
//! | `rating.rs` | the difficulty of a program |
//! | `atom.rs` | explains whether an atom holds in all, some or no answers |
//! | `derivation.rs` | derivation trees of atoms in an answer |
//! | `lists.rs` | reasons as lists for a page |
//! | `words.rs` | comments that give parts of a program words |

mod atom;
pub mod cause;
mod contradiction;
pub mod derivation;
pub mod hint;
mod lists;
mod output;
pub mod phrase;
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
pub use phrase::Phrase;
pub use lists::{ReasonLine, ReasonList};
pub use program::{Boards, SolveOutcome, ExplainInput, RelaxedProgram};
pub use rating::Rating;
pub use words::Wording;

/// A request for an explanation.
#[derive(Debug, Clone, Default)]
pub struct ExplainQuery {
    pub kind: QueryKind,
    /// The parts that may be blamed; empty for the default.
    pub blame: Vec<Blame>,
    /// The maximum number of causes; 0 for all.
    pub causes: u64,
    /// Asks for the cheapest correction instead of a cause.
    pub fix: bool,
    /// Costs of giving up a fact or rule of a predicate, for `fix`; the default cost is 1.
    pub weights: Vec<(Signature, u32)>,
    pub format: Format,
    pub style: Style,
    /// When this time is reached, a minimal cause is reported in place of the smallest one.
    pub deadline: Option<Instant>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum QueryKind {
    /// Explain why there is no answer.
    #[default]
    NoAnswer,
    /// Explain an atom, or another topic that the puzzle supports. The text is taken from the
    /// command line.
    About(String),
    /// Find the next deduction, or all of them.
    Steps { all: bool },
    /// Rate the difficulty.
    Rating {
        /// Also report the sizes that plain deletion finds.
        deletion: bool,
    },
}

/// An explanation in all requested formats.
#[derive(Debug, Clone, Default)]
pub struct Explanation {
    pub text: String,
    pub json: Value,
    /// The same reasons as lists, for a page that shows them beside the program.
    pub lists: Vec<ReasonList>,
    /// The page for `--format html`.
    pub html: Option<String>,
    /// The picture for `--format svg`.
    pub svg: Option<String>,
    /// `Solved` if a reason was found; `Impossible` if it is proven that none exists.
    pub verdict: Option<Verdict>,
    pub warnings: Vec<Diagnostic>,
}

pub fn explain(source: &ExplainInput, question: &ExplainQuery, job: &Job) -> Result<Explanation, Failure> {
    let mut explanation = match &question.kind {
        QueryKind::NoAnswer => contradiction::explain(source, question, job),
        QueryKind::About(asked) => atom::explain(source, asked, question, job),
        QueryKind::Steps { .. } => hint::explain(source, question, job),
        QueryKind::Rating { .. } => return rating::explain(source, question, job),
    }?;
    if !job.rules.has_builtin_name() {
        explanation.warnings.extend(Lints::of(&source.program, &job.included, &job.settings, &job.stop).into_diagnostics());
    }
    Ok(explanation)
}

/// Parses an atom with its sign: `queen(1,4)`, `not queen(1,4)`.
pub fn parse_literal(text: &str) -> Option<(Symbol, bool)> {
    let text = text.trim();
    let negated = text.strip_prefix("not").filter(|rest| rest.starts_with(char::is_whitespace));
    let atom = negated.unwrap_or(text).trim();
    let atom = atom.strip_suffix('.').unwrap_or(atom);
    // clingo would silently wrap it around.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    Fact,
    Constraint,
    Rule,
}

impl PartKind {
    pub fn name(self) -> &'static str {
        match self {
            PartKind::Fact => "fact",
            PartKind::Constraint => "constraint",
            PartKind::Rule => "rule",
        }
    }
}

/// A part of a program as shown to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub kind: PartKind,
    /// The fact, or the source text of the constraint or rule.
    pub text: String,
    pub place: Option<Place>,
    /// The part in words; for a constraint, with the values of its variables.
    pub words: Phrase,
}

impl Part {
    pub fn json(&self) -> Value {
        let mut object = json!({ "text": self.text, "kind": self.kind.name() });
        if let Some(place) = &self.place {
            object["file"] = json!(place.file);
            object["line"] = json!(place.start.line);
            object["column"] = json!(place.start.column);
        }
        object["words"] = json!(&*self.words);
        object
    }
}

/// The parts of a program that may belong to a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blame {
    Facts,
    Constraints,
    Rules,
    /// Facts and rules of one predicate.
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
                Err(()) => Err("expected facts, constraints, rules or a predicate (p/2)".to_owned()),
            },
        }
    }
}
