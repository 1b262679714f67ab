//! The parts of a program, which causes and reasons consist of.

use asp::Signature;
use base::diagnostic::Place;

use super::phrase::Phrase;

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
    /// A part without a place in a document.
    pub fn new(kind: PartKind, text: impl Into<String>, words: impl Into<Phrase>) -> Part {
        Part { kind, text: text.into(), place: None, words: words.into() }
    }

    /// The same part at a place.
    pub fn at(self, place: Option<Place>) -> Part {
        Part { place, ..self }
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
