//! Names solving techniques. The part `techniques` of a program derives their names from the
//! reasons of a step.
//!
//! | input | meaning |
//! |---|---|
//! | the facts of the program | the same |
//! | `open(A)` | before the step it is unknown whether A holds |
//! | `holds(A)` | A follows from earlier steps |
//! | `because(S,T)` | T is a reason of step S, as named by its comment `%!trace_rule {T,"words",…}` |
//! | `because(S,other)` | a reason of step S has no such name |
//! | `follows(S,A)`, `excludes(S,A)` | A holds; A does not hold |
//!
//! | output | meaning |
//! |---|---|
//! | `technique(S,Level,Name)` | the name of step S and its level: 1 easy, 2 medium, 3 or more hard |
//! | `named_value(S,V)`, `named_cell(S,R,C)` | values and cells that are printed with the name |
//! | `seen_cell(S,R,C)` | further cells that show why the step is possible |

use asp::{Program, Solver, Symbol, Term, signature_of};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;

use super::RelaxedProgram;

const PART: &str = "#program techniques.";

/// A named solving technique. Easier techniques are less than harder ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Technique {
    pub level: i32,
    pub name: String,
    /// The values that are printed after the name, such as `3` and `7`.
    pub values: Vec<String>,
    /// The cells that are printed after the name, each as row and column.
    pub cells: Vec<(i32, i32)>,
    /// Further cells that show why the step is possible.
    pub seen: Vec<(i32, i32)>,
}

/// The rules that classify steps.
pub struct Techniques {
    documents: Vec<Document>,
    /// Atoms that hold in every answer.
    facts: Vec<Symbol>,
}

/// A conclusion, as an atom that holds or not, and the parts of the program that are its reason.
pub type ReasonedStep = ((Symbol, bool), Vec<usize>);

impl Techniques {
    /// Reads the part `techniques` of a program. Returns `None` if there is none.
    pub fn of(relaxed: &mut RelaxedProgram) -> Result<Option<Techniques>, Failure> {
        let documents: Vec<Document> = relaxed.documents().filter(|document| document.text.contains(PART)).collect();
        if documents.is_empty() {
            return Ok(None);
        }
        let is_input = |atom: Symbol| !asp::is_added(atom) && signature_of(atom) != Some(("draw", 1));
        let known = relaxed.known_atoms()?.into_iter();
        let facts = known.filter(|&(atom, _, is_fact)| is_fact && is_input(atom)).map(|(atom, ..)| atom).collect();
        Ok(Some(Techniques { documents, facts }))
    }

    /// Returns the technique of each step, or `None` if it has none. The atoms in `open` are
    /// unknown in the current state, in which all steps are possible; those in `holding` hold.
    pub fn classify(
        &self,
        relaxed: &RelaxedProgram,
        open: impl Iterator<Item = Symbol>,
        holding: impl Iterator<Item = Symbol>,
        steps: &[ReasonedStep],
    ) -> Result<Vec<Option<Technique>>, Failure> {
        let atom_of = |name: &str, arguments: &[Symbol]| asp::function(name, arguments).expect("the name has no NUL");
        let number = |step: usize| i32::try_from(step).unwrap_or(i32::MAX);
        let mut facts = self.facts.clone();
        facts.extend(open.map(|atom| atom_of("open", &[atom])));
        facts.extend(holding.map(|atom| atom_of("holds", &[atom])));
        let mut reasons = format!("{PART}\n");
        for (step, ((atom, holds), reasons_of_step)) in steps.iter().enumerate() {
            let name = if *holds { "follows" } else { "excludes" };
            facts.push(atom_of(name, &[asp::number(number(step)), *atom]));
            reasons += &relaxed.names(step, reasons_of_step);
        }
        // clingo would otherwise print every atom that might be shown, however long.
        let hidden = Document::in_memory("<hidden>", "#show.");
        let additions = vec![Document::in_memory("<reasons>", reasons), hidden];
        let program = Program { encoding: self.documents.clone(), additions, facts, ..Program::default() };
        // Grounding cannot be cancelled, and nothing is solved.
        let mut solver = Solver::new(relaxed.settings(), &CancelToken::new())?;
        solver.load(&program)?;
        solver.ground(&[("techniques", &[])])?;
        let known = solver.control().known_atoms()?;
        let mut derived: Vec<Symbol> = known.into_iter().filter(|(_, holds)| *holds).map(|(atom, _)| atom).collect();
        asp::sort_by_symbols(&mut derived, |&atom| asp::is_deep(atom), |&atom| atom);
        let mut names: Vec<Option<Technique>> = vec![None; steps.len()];
        // In reverse order, names precede the details (`technique/3`, `seen_cell/3`), and the
        // easiest name comes last.
        for atom in derived.into_iter().rev() {
            let terms: Vec<Term> = atom.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
            let [Term::Number(step), arguments @ ..] = &terms[..] else { continue };
            let Some(name) = usize::try_from(*step).ok().and_then(|step| names.get_mut(step)) else { continue };
            match (signature_of(atom), arguments, name) {
                (Some(("technique", 3)), [Term::Number(level), text], name) => {
                    let (values, cells, seen) = (Vec::new(), Vec::new(), Vec::new());
                    *name = Some(Technique { level: *level, name: text.text(), values, cells, seen });
                }
                (Some(("named_value", 2)), [value], Some(name)) => name.values.insert(0, value.text()),
                (Some(("named_cell", 3)), [Term::Number(row), Term::Number(column)], Some(name)) => {
                    name.cells.insert(0, (*row, *column));
                }
                (Some(("seen_cell", 3)), [Term::Number(row), Term::Number(column)], Some(name)) => {
                    name.seen.push((*row, *column));
                }
                _ => {}
            }
        }
        Ok(names)
    }
}
