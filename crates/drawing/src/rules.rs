//! Derives a drawing from an answer by another program, as clingraph does with `--viz-encoding`.
//!
//! The atoms of the answer are facts of the drawing program. It is grounded separately for each
//! answer, so that its constants, rules and constraints do not interfere with those of the solved
//! program.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use asp::{Settings, Solver, Symbol, functions, signature_of};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::stop::CancelToken;
use base::syntax;

/// Returns true if a logic program draws its answers.
pub fn draws(document: &Document) -> bool {
    document.text.contains("draw") && syntax::uses(&document.text, "draw")
}

/// Rules that draw the answers of another program.
#[derive(Debug, Clone, Copy)]
pub struct DrawingRules<'a> {
    pub documents: &'a [Document],
    /// Constants of the command line, which apply to all programs.
    pub constants: &'a [(String, String)],
}

/// The atoms that drawing rules derive from one answer.
pub struct DerivedAtoms {
    /// The atoms to draw, or `None` if the rules and the atoms of the answer have no answer set.
    pub atoms: Option<Vec<Symbol>>,
    pub warnings: Vec<Diagnostic>,
}

impl DrawingRules<'_> {
    /// Returns all atoms that the rules derive from the atoms of an answer, and the terms that they
    /// show.
    ///
    /// # Errors
    /// The rules are invalid, or call a function that fails.
    pub fn derive(&self, answer: &[Symbol], stop: &CancelToken) -> Result<DerivedAtoms, Failure> {
        let settings = Settings {
            constants: self.constants.to_vec(),
            models: Some(2),
            options: vec!["--opt-mode=ignore".to_owned()],
            ..Settings::default()
        };
        // Shown terms that are numbers, strings or tuples are not atoms and cannot be facts.
        let is_atom = |symbol: &Symbol| {
            symbol.symbol_type().is_ok_and(|kind| kind == asp::SymbolType::Function)
                && signature_of(*symbol).is_none_or(|(name, _)| !name.is_empty())
        };
        let facts = answer.iter().copied().filter(is_atom).collect();
        let program = asp::Program { facts, ..asp::Program::of(self.documents.to_vec()) };
        let mut solver = Solver::new(&settings, stop)?;
        solver.load(&program)?;
        let mut invalid_call = None;
        let grounded = solver.ground_calling(&[("base", &[])], |call| match functions::evaluate(call) {
            Ok(values) => ControlFlow::Continue(values),
            Err(expected) => {
                invalid_call = Some(functions::invalid_call(call, &expected));
                ControlFlow::Break(())
            }
        });
        invalid_call.map_or(grounded, |invalid_call| Err(solver.localised(invalid_call).into()))?;
        let mut first = None;
        let mut answer_sets = 0;
        let drawn_atoms = |model: &mut asp::Model<'_>| -> Result<Vec<Symbol>, asp::CallError> {
            let shown: Vec<Symbol> = model.shown(asp::Order::AsFound)?.collect();
            let drawn_atoms: BTreeSet<Symbol> = model.atoms()?.chain(shown).collect();
            Ok(drawn_atoms.into_iter().collect())
        };
        solver.solve(&[], |model| {
            answer_sets += 1;
            first.get_or_insert_with(|| drawn_atoms(model));
            ControlFlow::Continue(())
        })?;
        let atoms = first.transpose()?;
        let names = self.names();
        let messages = solver.messages().iter().filter(|message| !message.is_undefined_atom());
        let mut warnings: Vec<Diagnostic> = messages.map(|message| message.diagnostic.clone()).collect();
        warnings.extend(self.documents.iter().flat_map(ignored_parts));
        warnings.extend((answer_sets > 1).then(|| {
            Diagnostic::warning(
                Code::InvalidDrawing,
                format!("{names}: the drawing has several answer sets for one answer; the first is drawn"),
            )
            .help("the rules must derive one drawing, without choices")
        }));
        Ok(DerivedAtoms { atoms, warnings })
    }

    /// Returns the warning for an answer whose atoms and the rules have no answer set.
    pub fn no_answer_set_warning(&self) -> Diagnostic {
        Diagnostic::warning(
            Code::EmptyDrawing,
            format!("{}: an answer is not drawn: the drawing has no answer set with its atoms", self.names()),
        )
        .help("the rules must derive one drawing, without constraints")
    }

    /// Returns the warning for an answer from which the rules derive no drawing.
    pub fn empty_warning(&self) -> Diagnostic {
        Diagnostic::warning(
            Code::EmptyDrawing,
            format!("{}: nothing is drawn for an answer: no draw, node or edge is derived", self.names()),
        )
        .help("the drawing sees the atoms that the program shows (#show)")
    }

    fn names(&self) -> String {
        self.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Returns a warning for each program part that is ignored, since a drawing has no steps.
fn ignored_parts(document: &Document) -> impl Iterator<Item = Diagnostic> {
    let text = &document.text;
    let is_ignored = |range: &Range<usize>| {
        let words: Vec<&str> = syntax::words(&text[range.clone()]).collect();
        words.first() == Some(&"#program") && words[1..] != ["base", "."]
    };
    syntax::ranges(text).filter(is_ignored).map(|range| {
        Diagnostic::warning(
            Code::InvalidDrawing,
            "this part is ignored: a drawing has no steps and uses only the part base",
        )
        .at(Some(Place::of_range(&document.name, text, range)))
    })
}
