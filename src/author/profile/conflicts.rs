//! Which constraints a search runs into.
//!
//! From each conflict the solver learns a clause, derived from the constraints that led to it. To see which, each constraint gets
//! a switch: a choice of its own in its body, which is assumed to be on. What is derived with a constraint then has its switch in
//! it, since assumptions are nothing that a derivation can resolve away. The bounds of a choice are a constraint too, and stand
//! apart here:
//!
//! ```text
//! { __on(0); __on(1) }.
//! { queen(R,C) : C = 1..n } :- R = 1..n.          % = 1
//! :- R = 1..n; not { queen(R,C) : C = 1..n } = 1; __on(0).
//! :- queen(R,C); queen(R',C); R < R'; __on(1).
//! ```
//!
//! An aggregate has atoms of its own in the ground program. What follows from a switch at once may be one of those, which then
//! stands in a clause in the place of the switch; it counts for the statement that has it ([`Meter::owners`]).
//!
//! The search is one of its own, by clasp as a process of its own, which writes what it learns. It need not take the way of the
//! search without switches: the figures tell which constraints do the work, and in which proportion.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Meter, ground, lock, marks, told};
use crate::asp::statement::Head;
use crate::asp::{self, Observer, Piece, Program, Settings, Solver, Statement, Truth, borrowed, statements_of};
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::stop::Stop;

const ON: &str = "__on";

/// What a solver has learnt.
#[derive(Debug, Clone, Default)]
pub struct Conflicts {
    /// Clauses.
    pub learnt: u64,
    /// By statement: those that were derived with it.
    pub of: Vec<u64>,
}

/// A ground program with switches, and whose its atoms are.
pub struct Switches {
    /// For clasp, in the format aspif.
    pub aspif: String,
    owners: FxHashMap<u32, usize>,
    statements: usize,
}

impl Switches {
    pub fn new(program: &Program, settings: &Settings, stop: &Stop) -> Result<Self, Failure> {
        let program = &program.at_last_step(settings, stop)?;
        let statements = statements_of(program)?;
        let switched: Vec<usize> = (0..statements.len()).filter(|&number| is_constraint(&statements[number])).collect();
        let mut text: String = switched.iter().map(|number| format!("{{ {ON}({number}) }}.\n")).collect();
        for (number, statement) in statements.iter().enumerate() {
            text += &with_switch(number, statement);
            text.push('\n');
        }
        let mut solver = Solver::new(settings, stop)?;
        let meter = Arc::new(Mutex::new(Meter::new(statements.len(), stop)));
        let aspif = Arc::new(Mutex::new(Aspif("asp 1 0 0\n".to_owned())));
        solver.control().observe_by(meter.clone()).map_err(told)?;
        solver.control().observe_by(aspif.clone()).map_err(told)?;
        let instance = vec![Document::in_memory("<switched>", text)];
        let switched_program =
            Program { instance, facts: program.facts.clone(), last_step: program.last_step, ..Program::default() };
        solver.load(&switched_program)?;
        switched_program.groundings().try_for_each(|parts| ground(&mut solver, &borrowed(&parts), &meter))?;
        let control = solver.control();
        let named: FxHashSet<i32> = control.known_literals().map_err(told)?.into_iter().collect();
        let mut meter = lock(&meter);
        meter.end(Instant::now(), |atom| named.contains(&(atom as i32)));
        let nameless = meter.owners().filter(|&(atom, owner)| {
            !named.contains(&(atom as i32)) && statements.get(owner).is_some_and(is_constraint)
        });
        let mut owners: FxHashMap<u32, usize> = nameless.collect();
        let mut assumed = String::new();
        let mut count = 0;
        for number in switched {
            let switch = asp::function(ON, &[asp::number(number as i32)]).and_then(|switch| control.literal(switch));
            if let Some(switch) = switch {
                let _ = write!(assumed, " {switch}");
                owners.insert(switch.unsigned_abs(), number);
                count += 1;
            }
        }
        let mut aspif = std::mem::take(&mut lock(&aspif).0);
        let _ = write!(aspif, "6 {count}{assumed}\n0\n");
        Ok(Switches { aspif, owners, statements: statements.len() })
    }

    pub fn none(&self) -> Conflicts {
        Conflicts { learnt: 0, of: vec![0; self.statements] }
    }

    /// Counts a clause as clasp writes it: a constraint in aspif. Other lines are none.
    pub fn count(&self, line: &str, conflicts: &mut Conflicts) {
        let Some(literals) = line.strip_prefix("1 0 0 0 ") else { return };
        conflicts.learnt += 1;
        let literals = literals.split(' ').skip(1).filter_map(|literal| literal.trim().parse::<i32>().ok());
        let mut owners: Vec<usize> =
            literals.filter_map(|literal| self.owners.get(&literal.unsigned_abs()).copied()).collect();
        owners.sort_unstable();
        owners.dedup();
        for owner in owners {
            conflicts.of[owner] += 1;
        }
    }
}

/// A constraint, or a choice with bounds.
pub fn is_constraint(statement: &Statement) -> bool {
    !statement.is_elsewhere() && (matches!(statement.head, Head::Nothing) || statement.head.bounds().is_some())
}

fn with_switch(number: usize, statement: &Statement) -> String {
    let switch = format!("{ON}({number})");
    let body = statement.body_text();
    let body = if body.is_empty() { String::new() } else { format!("{body}; ") };
    match (&statement.head, statement.head.bounds()) {
        _ if !is_constraint(statement) => marks::with_marks(number, statement),
        (Head::Choice { function, elements, .. }, Some(bounds)) => {
            let head = Head::Choice { function: function.clone(), elements: elements.clone(), left: None, right: None };
            let choice = marks::with_marks(number, &Statement { head, ..statement.clone() });
            format!("{choice} #false :- {body}not {bounds}; {switch}; 0 = @{}({number}).", marks::BEGIN)
        }
        _ => format!("#false :- {body}{switch}; 0 = @{}({number}).", marks::BEGIN),
    }
}

/// Writes a ground program down for clasp.
struct Aspif(String);

impl Observer for Aspif {
    fn note(&mut self, piece: Piece<'_>) -> ControlFlow<()> {
        fn list<T: ToString>(items: &[T]) -> String {
            items.iter().fold(items.len().to_string(), |list, item| list + " " + &item.to_string())
        }
        let weighted = |items: &[(i32, i32)]| {
            items.iter().fold(items.len().to_string(), |list, (literal, weight)| format!("{list} {literal} {weight}"))
        };
        let line = match piece {
            Piece::Rule { is_choice, head, body } => {
                format!("1 {} {} 0 {}", u8::from(is_choice), list(head), list(body))
            }
            Piece::WeightRule { is_choice, head, bound, body } => {
                format!("1 {} {} 1 {bound} {}", u8::from(is_choice), list(head), weighted(body))
            }
            Piece::Minimize { priority, literals } => format!("2 {priority} {}", weighted(literals)),
            Piece::Project(atoms) => format!("3 {}", list(atoms)),
            Piece::External(atom, value) => {
                let value = match value {
                    Truth::Free => 0,
                    Truth::True => 1,
                    Truth::False => 2,
                };
                format!("5 {atom} {value}")
            }
            Piece::Heuristic { atom, modifier, bias, priority, condition } => {
                format!("7 {modifier} {atom} {bias} {priority} {}", list(condition))
            }
            Piece::Edge { from, to, condition } => format!("8 {from} {to} {}", list(condition)),
            // No theory gives them a meaning: they are free.
            Piece::TheoryAtom(0) => return ControlFlow::Continue(()),
            Piece::TheoryAtom(atom) => format!("5 {atom} 0"),
        };
        self.0 += &line;
        self.0.push('\n');
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_counts_for_each_constraint_whose_switch_or_aggregate_is_in_it() {
        let text = "{ a(1..3) } = 2.\n:- a(1), a(2).\n:- #sum { X : a(X) } > 4.\nb :- a(1).";
        let instance = vec![Document::in_memory("text", text)];
        let program = Program { instance, ..Program::default() };
        let switches = Switches::new(&program, &Settings::default(), &Stop::new()).expect("a program");
        let assumed = switches.aspif.lines().find(|line| line.starts_with("6 ")).expect("assumptions");
        let switch: Vec<i32> = assumed.split(' ').skip(2).map(|literal| literal.parse().expect("a literal")).collect();
        assert_eq!(switch.len(), 3, "{}", switches.aspif);
        let mut conflicts = switches.none();
        switches.count(&format!("1 0 0 0 2 {} -{}", switch[0], switch[1]), &mut conflicts);
        switches.count(&format!("1 0 0 0 1 {}", switch[1]), &mut conflicts);
        switches.count("asp 1 0 0", &mut conflicts);
        assert_eq!((conflicts.learnt, &conflicts.of[..]), (2, &[1, 2, 0, 0][..]));
        let sum = switches.aspif.lines().find(|line| line.contains(" 1 5 ")).expect("the sum reaches five");
        let atom = sum.split(' ').nth(3).expect("its atom");
        switches.count(&format!("1 0 0 0 1 {atom}"), &mut conflicts);
        assert_eq!(conflicts.of, [1, 2, 1, 0]);
    }
}
