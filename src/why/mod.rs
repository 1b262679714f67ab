//! Explains conclusions by the parts of a program from which they follow: as sentences, and with
//! their source lines.
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
//! | `hint.rs` | steps in words and on the board |
//! | `techniques.rs` | the names of solving techniques |
//! | `rating.rs` | the difficulty of a program |
//! | `atom.rs` | explains whether an atom holds in all, some or no answers |
//! | `derivation.rs` | derivation trees of atoms in an answer |
//! | `lists.rs` | reasons as lists for a page |
//! | `words.rs` | comments that describe parts of a program in words |

mod atom;
pub mod cause;
mod contradiction;
pub mod derivation;
pub mod hint;
mod lists;
mod output;
pub mod phrase;
mod program;
mod rating;
pub mod steps;
pub mod techniques;
pub(crate) mod words;

use std::fmt;
use std::time::Instant;

use serde_json::{Value, json};

use crate::asp::{Lints, Signature, Symbol, SymbolType};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::ending::Verdict;
use crate::job::Job;
use crate::report::{Format, Style};

pub use contradiction::{cause_among, cause_of};
pub use lists::{ReasonLine, ReasonList};
pub use phrase::Phrase;
pub use program::{Boards, ExplainInput, RelaxedProgram, SolveOutcome};
pub use rating::Rating;
pub use techniques::Technique;
pub use words::Wording;

/// A request for an explanation.
#[derive(Debug, Clone, Default)]
pub struct ExplainQuery {
    pub kind: QueryKind,
    /// The parts that may be blamed. If empty, each kind is tried in turn.
    pub blame: Vec<Blame>,
    /// The maximum number of causes; 0 for all.
    pub causes: u64,
    /// If true, the cheapest correction is searched instead of a cause.
    pub fix: bool,
    /// Costs of giving up a fact or rule of a predicate, for `fix`; the default cost is 1.
    pub weights: Vec<(Signature, u32)>,
    pub format: Format,
    pub style: Style,
    /// At this time the search for a smaller cause ends, and the smallest one found is reported.
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
    Rating,
}

/// An explanation as values, as text and as JSON.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The command's text output.
    pub text: String,
    /// The command's JSON output.
    pub json: Value,
    /// The next step of a solution, or all steps; empty unless hints were requested.
    pub steps: Vec<Step>,
    /// The causes that were found. The parts of a cause together exclude every answer. If the
    /// question is about an atom, they exclude every answer in which the atom has the opposite
    /// truth value; if it is about a move or a trip, they explain why it fails.
    pub causes: Vec<Vec<Part>>,
    /// True if it is proven that no cause has fewer parts than the first.
    pub is_smallest: bool,
    /// `Solved` if a step or cause was found; `Impossible` if it is proven that none exists, for
    /// instance because the board has a solution.
    pub verdict: Verdict,
    pub warnings: Vec<Diagnostic>,
    /// The steps, causes or derivations as lists, for a page that shows them next to the program.
    #[doc(hidden)]
    pub lists: Vec<ReasonList>,
    /// The page for `--format html`.
    #[doc(hidden)]
    pub html: Option<String>,
    /// The picture for `--format svg`.
    #[doc(hidden)]
    pub svg: Option<String>,
}

impl Explanation {
    /// Creates an explanation with this verdict and without contents.
    pub fn of(verdict: Verdict) -> Self {
        Explanation {
            text: String::new(),
            json: Value::Null,
            steps: Vec::new(),
            causes: Vec::new(),
            is_smallest: false,
            verdict,
            warnings: Vec::new(),
            lists: Vec::new(),
            html: None,
            svg: None,
        }
    }
}

/// A step of a solution: conclusions that follow from the board and the previous steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// The conclusions. If a solution is a sequence of moves, the only one is the name of the next
    /// move.
    pub conclusions: Vec<AtomConclusion>,
    /// The step and its reason as sentences.
    pub words: String,
    /// The parts of the rules and the board from which the conclusions follow; empty for a move.
    pub because: Vec<Part>,
    /// The solving technique, if the puzzle names techniques.
    pub technique: Option<Technique>,
}

impl Step {
    /// Returns the step as it appears in the command's JSON.
    pub fn json(&self) -> Value {
        let mut object = json!({
            "follows": self.conclusions.iter().map(AtomConclusion::to_string).collect::<Vec<_>>(),
            "because": self.because.iter().map(Part::json).collect::<Vec<_>>(),
            "size": self.because.len(),
            "words": self.words,
        });
        if let Some(Technique { name, values, cells, .. }) = &self.technique {
            object["technique"] = json!({ "name": name, "values": values, "cells": cells });
        }
        object
    }
}

/// An atom and its truth value, displayed as `number(1,4,4)` or `not number(1,4,4)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomConclusion {
    /// The atom in clingo's syntax.
    pub atom: String,
    pub holds: bool,
}

impl fmt::Display for AtomConclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.holds { "" } else { "not " }, self.atom)
    }
}

pub fn explain(source: &ExplainInput, question: &ExplainQuery, job: &Job) -> Result<Explanation, Failure> {
    let mut explanation = match &question.kind {
        QueryKind::NoAnswer => contradiction::explain(source, question, job),
        QueryKind::About(asked) => atom::explain(source, asked, question, job),
        QueryKind::Steps { .. } => hint::explain(source, question, job),
        QueryKind::Rating => return rating::explain(source, job),
    }?;
    if !job.rules.has_builtin_name() {
        explanation
            .warnings
            .extend(Lints::of(&source.program, &job.included, &job.settings, &job.stop).into_diagnostics());
    }
    Ok(explanation)
}

/// Parses an atom with its sign: `queen(1,4)`, `not queen(1,4)`.
pub fn parse_literal(text: &str) -> Option<(Symbol, bool)> {
    let text = text.trim();
    let negated = text.strip_prefix("not").filter(|rest| rest.starts_with(char::is_whitespace));
    let atom = negated.unwrap_or(text).trim();
    let atom = atom.strip_suffix('.').unwrap_or(atom);
    // clingo silently wraps integers that are too large.
    let is_too_large =
        |word: &str| word.starts_with(|first: char| first.is_ascii_digit()) && word.parse::<i32>().is_err();
    let mut words = atom.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'));
    if !atom.contains('"') && words.any(is_too_large) {
        return None;
    }
    let term = crate::asp::parse_term(atom)?;
    // A tuple is a function without a name, but not an atom.
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
