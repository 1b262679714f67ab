//! The atoms of one answer, read with the types that the reader wants.
//!
//! People edit encodings, so an atom of another arity or type than the contract says is an ordinary error: it names the
//! atom and what was wanted.

use std::collections::BTreeMap;

use super::{Symbol, SymbolType, signature_of, to_text};

/// One argument of an atom.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    Number(i32),
    /// Anything that is no number, as clingo prints it; a string without its quotes.
    Name(String),
}

impl Term {
    pub fn of(symbol: Symbol) -> Term {
        match symbol.symbol_type() {
            Ok(SymbolType::Number) => Term::Number(symbol.number().unwrap_or_default()),
            Ok(SymbolType::String) => {
                let text = to_text(symbol);
                Term::Name(text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&text).to_owned())
            }
            _ => Term::Name(to_text(symbol)),
        }
    }

    /// The term as text, whatever its type.
    pub fn text(&self) -> String {
        match self {
            Term::Number(number) => number.to_string(),
            Term::Name(name) => name.clone(),
        }
    }

    pub fn number(&self) -> Option<i32> {
        match self {
            Term::Number(number) => Some(*number),
            Term::Name(_) => None,
        }
    }
}

/// What is wrong with an answer's atoms.
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

    /// All atoms `name/N`, each as its N arguments. `meaning` says what was wanted, for instance `path(Node, Step)`.
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
                        "an answer has the atom {} ({name}/{found}); {name}/{N} was wanted: {meaning}",
                        to_text(atom)
                    ))
                })
            })
            .collect()
    }

    /// As [`rows`](Self::rows), and an error if there is none: the encoding does not show the predicate, or derives none.
    pub fn some_rows<const N: usize>(&self, name: &str, meaning: &str) -> Result<Vec<[Term; N]>, AtomError> {
        let rows = self.rows(name, meaning)?;
        if rows.is_empty() {
            return Err(AtomError(format!(
                "an answer has no atom {name}/{N}; wanted: {meaning}. Is a `#show {name}/{N}.` missing from the encoding?"
            )));
        }
        Ok(rows)
    }
}
