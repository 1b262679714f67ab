//! What people call a step: a program's part `techniques` tells by the shape of the reasons.
//!
//! | given | meaning |
//! |---|---|
//! | the facts of the program | as they are |
//! | `open(A)` | before the step, A is neither known to hold nor known not to |
//! | `because(S,T)` | T is a reason of step S, as its comment `%!trace_rule {T,"words",…}` names it |
//! | `follows(S,A)`, `excludes(S,A)` | A holds; A does not |
//!
//! | derived | meaning |
//! |---|---|
//! | `technique(S,Level,Name)` | what step S is called, and how hard that is: 1 easy, 2 medium, 3 or more hard |
//! | `named_value(S,V)`, `named_cell(S,R,C)` | what is told with the name |

use super::Switched;
use crate::asp::{self, Program, Solver, Symbol, Term, signature_of};
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::stop::Stop;

const PART: &str = "#program techniques.";

/// What a step is called. The easiest comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Technique {
    pub level: i32,
    pub name: String,
    /// What it is about: `3` and `7`.
    pub values: Vec<String>,
    /// Rows and columns.
    pub cells: Vec<(i32, i32)>,
}

/// The techniques of a program.
pub struct Techniques {
    texts: Vec<Document>,
    /// What holds whatever the answer.
    facts: Vec<Symbol>,
}

/// What follows, and the parts of the program that are the reasons.
pub type Reasoned = ((Symbol, bool), Vec<usize>);

impl Techniques {
    /// None where the program has no such part.
    pub fn of(switched: &mut Switched) -> Result<Option<Techniques>, Failure> {
        let texts: Vec<Document> = switched.texts().filter(|document| document.text.contains(PART)).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let is_told = |atom: Symbol| !asp::is_added(atom) && signature_of(atom) != Some(("draw", 1));
        let known = switched.known_atoms()?.into_iter();
        let facts = known.filter(|&(atom, _, is_fact)| is_fact && is_told(atom)).map(|(atom, ..)| atom).collect();
        Ok(Some(Techniques { texts, facts }))
    }

    /// What steps are called that can all be taken now; none for what has no name.
    pub fn names(
        &self,
        switched: &Switched,
        open: impl Iterator<Item = Symbol>,
        steps: &[Reasoned],
    ) -> Result<Vec<Option<Technique>>, Failure> {
        let made = |name: &str, arguments: &[Symbol]| asp::function(name, arguments).expect("the name has no NUL");
        let number = |step: usize| i32::try_from(step).unwrap_or(i32::MAX);
        let mut facts = self.facts.clone();
        facts.extend(open.map(|atom| made("open", &[atom])));
        let mut reasons = format!("{PART}\n");
        for (step, ((atom, holds), because)) in steps.iter().enumerate() {
            let name = if *holds { "follows" } else { "excludes" };
            facts.push(made(name, &[asp::number(number(step)), *atom]));
            reasons += &switched.names(step, because);
        }
        // clingo would print all atoms that it may have to show, however long.
        let hidden = Document::in_memory("<hidden>", "#show.");
        let additions = vec![Document::in_memory("<reasons>", reasons), hidden];
        let program = Program { encoding: self.texts.clone(), additions, facts, ..Program::default() };
        // Nothing is solved, so that there is nothing to stop.
        let mut solver = Solver::new(switched.settings(), &Stop::new())?;
        solver.load(&program)?;
        solver.ground(&[("techniques", &[])])?;
        let known = solver.control().known_atoms()?;
        let mut derived: Vec<Symbol> = known.into_iter().filter(|(_, holds)| *holds).map(|(atom, _)| atom).collect();
        asp::sort_by_symbols(&mut derived, |&atom| asp::is_deep(atom), |&atom| atom);
        let mut names: Vec<Option<Technique>> = vec![None; steps.len()];
        // Backwards, names come before what is told with them (`technique/3`, `named_value/2`), and the easiest name last.
        for atom in derived.into_iter().rev() {
            let terms: Vec<Term> = atom.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
            let [Term::Number(step), told @ ..] = &terms[..] else { continue };
            let Some(name) = usize::try_from(*step).ok().and_then(|step| names.get_mut(step)) else { continue };
            match (signature_of(atom), told, name) {
                (Some(("technique", 3)), [Term::Number(level), told], name) => {
                    let (values, cells) = (Vec::new(), Vec::new());
                    *name = Some(Technique { level: *level, name: told.text(), values, cells });
                }
                (Some(("named_value", 2)), [value], Some(name)) => name.values.insert(0, value.text()),
                (Some(("named_cell", 3)), [Term::Number(row), Term::Number(column)], Some(name)) => {
                    name.cells.insert(0, (*row, *column));
                }
                _ => {}
            }
        }
        Ok(names)
    }
}
