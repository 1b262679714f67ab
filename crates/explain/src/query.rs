//! Requests for an explanation.

use std::time::Instant;

use asp::{Settings, Signature, Symbol, SymbolType};
use base::document::Document;
use base::stop::CancelToken;
use base::style::Style;

use super::part::Blame;

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
    /// The use of a picture, if one is wanted.
    pub picture: Option<PictureUse>,
    pub style: Style,
    /// At this time the search for a smaller cause ends, and the smallest one found is reported.
    pub deadline: Option<Instant>,
}

/// What surrounds the program to explain.
#[derive(Clone, Copy)]
pub struct ExplainContext<'a> {
    /// The user's documents.
    pub documents: &'a [Document],
    /// The files that documents and program include.
    pub included: &'a [Document],
    /// True if the rules belong to a built-in puzzle. They are not linted.
    pub has_builtin_rules: bool,
    pub settings: &'a Settings,
    pub stop: &'a CancelToken,
}

/// The use of the picture of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureUse {
    /// It is part of a page, beside the text.
    Page,
    /// It is the whole output.
    Image,
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
    /// Count the answers without each part.
    Counts,
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
    let term = asp::parse_term(atom)?;
    // A tuple is a function without a name, but not an atom.
    let is_atom = term.symbol_type().ok()? == SymbolType::Function && !asp::to_text(term).starts_with('(');
    is_atom.then_some((term, negated.is_none()))
}
