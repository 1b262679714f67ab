//! Typed access to the atoms of an answer.
//!
//! Users edit encodings, so an atom whose arity or types differ from the contract is an ordinary
//! error, which names the atom and the expected form.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use super::ffi::{Symbol, SymbolType, signature_of};
use super::symbols::to_text;

/// An argument of an atom. `a`, `"a"`, `1` and `"1"` are four different terms. The order is
/// clingo's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    Number(i32),
    /// A constant.
    Name(String),
    /// A string, without its quotes and escapes.
    Text(String),
    /// Any other term, such as a function or a tuple.
    Other(Symbol),
}

impl Term {
    pub fn of(symbol: Symbol) -> Term {
        match symbol.symbol_type() {
            Ok(SymbolType::Number) => Term::Number(symbol.number().unwrap_or_default()),
            Ok(SymbolType::String) => Term::Text(symbol.string().unwrap_or_default()),
            Ok(SymbolType::Function)
                if signature_of(symbol).is_some_and(|(name, size)| size == 0 && to_text(symbol) == name) =>
            {
                Term::Name(to_text(symbol))
            }
            _ => Term::Other(symbol),
        }
    }

    /// Returns the term as text, a string without its quotes.
    pub fn text(&self) -> String {
        match self {
            Term::Name(text) | Term::Text(text) => text.clone(),
            _ => self.to_string(),
        }
    }

    pub fn number(&self) -> Option<i32> {
        if let Term::Number(number) = self { Some(*number) } else { None }
    }

    fn key(&self) -> (u8, i32, &str) {
        match self {
            Term::Number(number) => (0, *number, ""),
            Term::Name(name) => (1, 0, name),
            Term::Text(text) => (2, 0, text),
            Term::Other(_) => (3, 0, ""),
        }
    }
}

/// Formats the term as clingo prints it.
impl fmt::Display for Term {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Number(number) => number.fmt(out),
            Term::Name(name) => out.write_str(name),
            Term::Text(text) => {
                write!(out, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
            }
            Term::Other(symbol) => out.write_str(&to_text(*symbol)),
        }
    }
}

impl Ord for Term {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Term::Other(one), Term::Other(other)) => one.cmp(other),
            _ => self.key().cmp(&other.key()),
        }
    }
}

impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An atom of an answer violates the contract of the encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomError(pub String);

/// The atoms of one answer, by predicate name.
#[derive(Debug, Default)]
pub struct AnswerAtoms(BTreeMap<String, Vec<Symbol>>);

impl AnswerAtoms {
    pub fn new(atoms: impl Iterator<Item = Symbol>) -> Self {
        let mut by_name = BTreeMap::<String, Vec<Symbol>>::new();
        for atom in atoms {
            if let Some((name, _)) = signature_of(atom) {
                by_name.entry(name.to_owned()).or_default().push(atom);
            }
        }
        AnswerAtoms(by_name)
    }

    /// Returns the arguments of all atoms `name/N`. `meaning` describes the expected form in
    /// errors, for instance `path(Node, Step)`.
    ///
    /// # Errors
    /// An atom of this name has another arity.
    pub fn rows<const N: usize>(&self, name: &str, meaning: &str) -> Result<Vec<[Term; N]>, AtomError> {
        let atoms = self.0.get(name).map_or(&[][..], Vec::as_slice);
        atoms
            .iter()
            .map(|&atom| {
                let arguments = atom.arguments().unwrap_or_default();
                let terms: Vec<Term> = arguments.into_iter().map(Term::of).collect();
                let found = terms.len();
                <[Term; N]>::try_from(terms).map_err(|_| {
                    AtomError(format!(
                        "an answer has the atom {} ({name}/{found}); expected {name}/{N}: {meaning}",
                        to_text(atom)
                    ))
                })
            })
            .collect()
    }

    /// Like [`rows`](Self::rows), but it is also an error if there is no such atom: the encoding
    /// does not show the predicate, or derives no atom of it.
    pub fn some_rows<const N: usize>(&self, name: &str, meaning: &str) -> Result<Vec<[Term; N]>, AtomError> {
        let rows = self.rows(name, meaning)?;
        if rows.is_empty() {
            return Err(AtomError(format!(
                "an answer has no atom {name}/{N}; expected {meaning}. Is a `#show {name}/{N}.` missing from the encoding?"
            )));
        }
        Ok(rows)
    }
}
