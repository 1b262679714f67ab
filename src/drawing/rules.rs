//! Programs that derive a drawing from an answer, as clingraph's `--viz-encoding` does.
//!
//! The atoms of the answer are facts, and each program begins anew with them: no constant, rule or constraint of a drawing
//! meets those of the program that was solved.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use crate::asp::{self, Settings, Solver, Symbol, functions, signature_of};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::stop::Stop;
use crate::syntax;

/// What draws the answers of another program.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    pub documents: &'a [Document],
    /// Constants of the command line, which are those of all programs.
    pub constants: &'a [(String, String)],
}

/// What comes of an answer.
pub struct Derived {
    /// What is drawn; `None` where the answer and the rules have no answer set together.
    pub atoms: Option<Vec<Symbol>>,
    pub warnings: Vec<Diagnostic>,
}

impl Rules<'_> {
    /// All atoms that the rules derive from those of an answer, with the terms that they show.
    ///
    /// # Errors
    /// What is wrong with the rules, a function that they call among it.
    pub fn derive(&self, answer: &[Symbol], stop: &Stop) -> Result<Derived, Failure> {
        let settings = Settings {
            constants: self.constants.to_vec(),
            models: Some(2),
            options: vec!["--opt-mode=ignore".to_owned()],
            ..Settings::default()
        };
        // A term that is shown may be a number, a text or a tuple, which no fact is.
        let is_atom = |symbol: &Symbol| {
            symbol.symbol_type().is_ok_and(|kind| kind == asp::SymbolType::Function)
                && signature_of(*symbol).is_none_or(|(name, _)| !name.is_empty())
        };
        let facts = answer.iter().copied().filter(is_atom).collect();
        let program = asp::Program { facts, ..asp::Program::of(self.documents.to_vec()) };
        let mut solver = Solver::new(&settings, stop)?;
        solver.load(&program)?;
        let mut wrong = None;
        let grounded = solver.ground_calling(&[("base", &[])], |call| match functions::values(call) {
            Ok(values) => ControlFlow::Continue(values),
            Err(wanted) => {
                wrong = Some(functions::wrong_call(call, &wanted));
                ControlFlow::Break(())
            }
        });
        wrong.map_or(grounded, |wrong| Err(solver.localised(wrong).into()))?;
        let (mut read, mut found) = (None, 0);
        let all = |model: &mut asp::Model<'_>| -> Result<Vec<Symbol>, asp::CallError> {
            let shown: Vec<Symbol> = model.shown(asp::Order::AsFound)?.collect();
            let all: BTreeSet<Symbol> = model.atoms()?.chain(shown).collect();
            Ok(all.into_iter().collect())
        };
        solver.solve(&[], |model| {
            found += 1;
            read.get_or_insert_with(|| all(model));
            ControlFlow::Continue(())
        })?;
        let atoms = read.transpose()?;
        let names = self.names();
        let messages = solver.messages().iter().filter(|message| !message.undefined);
        let mut warnings: Vec<Diagnostic> = messages.map(|message| message.diagnostic.clone()).collect();
        warnings.extend(self.documents.iter().flat_map(unread));
        warnings.extend((found > 1).then(|| {
            Diagnostic::warning(format!(
                "{names}: with the atoms of an answer the drawing has several answer sets; the first is drawn"
            ))
            .help("the rules must derive one drawing, without choices")
        }));
        Ok(Derived { atoms, warnings })
    }

    /// Why an answer is not drawn that has no answer set with the rules.
    pub fn none(&self) -> Diagnostic {
        Diagnostic::warning(format!(
            "{}: an answer is not drawn: with its atoms the drawing has no answer set",
            self.names()
        ))
        .help("the rules must derive one drawing, without constraints")
    }

    /// That an answer set draws nothing.
    pub fn nothing(&self) -> Diagnostic {
        Diagnostic::warning(format!(
            "{}: nothing is drawn of an answer: no draw, node or edge is derived",
            self.names()
        ))
        .help("the drawing reads what the program shows (#show)")
    }

    fn names(&self) -> String {
        self.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// The parts of a program that are not read, as a drawing has no steps.
fn unread(document: &Document) -> impl Iterator<Item = Diagnostic> {
    let text = &document.text;
    let is_other = |range: &Range<usize>| {
        let words: Vec<&str> = syntax::words(&text[range.clone()]).collect();
        words.first() == Some(&"#program") && words[1..] != ["base", "."]
    };
    syntax::ranges(text).filter(is_other).map(|range| {
        Diagnostic::warning("a drawing has no steps: its part base alone is read, and not this one")
            .at(Some(Place::of_range(&document.name, text, range)))
    })
}
