//! Simplifies a formula without changing its number of models.
//!
//! - Literals that clauses of one literal fix are removed, with the clauses that they satisfy.
//! - Equivalent variables become one.
//! - Clauses that contain another one are removed. If a clause contains another one but for one
//!   complementary literal, it loses this literal (self-subsuming resolution).
//! - Variables that are not counted are eliminated: their clauses are replaced by all resolvents, as
//!   long as that makes no more clauses (Eén and Biere, "Effective preprocessing in SAT through
//!   variable and clause elimination", 2005), or twice as many but no more long ones. Clauses of two
//!   literals cost little, and "exactly one of n" thus becomes one long clause. The assignments of
//!   the other variables that have an extension stay the same, and defined variables never have two.
//!
//! The clauses of copies are defined by unit propagation, not by their models. So copies and the
//! variables in their clauses are not eliminated, and copies are not merged with other variables.
//!
//! [`Simplified`] records the removed variables in order. From it, [`Simplified::extend`] computes their
//! values in a model of the simpler formula.

use std::collections::BTreeSet;

use base::stop::CancelToken;
use ground::{ByLiteral, Literal};

use super::formula::{Formula, Role, normalized};

/// Maximum number of pairs of clauses that the elimination of one variable resolves.
const MAX_PAIRS: usize = 400;
/// Maximum number of literals of a resolvent.
const MAX_RESOLVENT: usize = 40;
/// Maximum number of literals that simplification visits.
const MAX_WORK: usize = 30_000_000;

/// A simpler formula, with the removed variables of the original formula.
pub struct Simplified {
    pub formula: Formula,
    /// In the order of removal.
    removed: Vec<Removed>,
}

/// A variable that was removed.
enum Removed {
    /// The literal is true in all models.
    Fixed(Literal),
    /// The first literal has the value of the second one.
    Merged(Literal, Literal),
    /// The literal is true if one of the clauses with it has no other true literal.
    Eliminated(Literal, Vec<Box<[Literal]>>),
}

impl Simplified {
    /// Gives the removed variables their values in a model, the values of all variables.
    pub fn extend(&self, values: &mut [bool]) {
        for removed in self.removed.iter().rev() {
            let holds = |literal: Literal| values[literal.variable() as usize] != literal.is_negated();
            let (literal, value) = match removed {
                Removed::Fixed(literal) => (*literal, true),
                Removed::Merged(literal, kept) => (*literal, holds(*kept)),
                Removed::Eliminated(literal, clauses) => {
                    let needs = |clause: &[Literal]| !clause.iter().any(|&other| other != *literal && holds(other));
                    (*literal, clauses.iter().any(|clause| needs(clause)))
                }
            };
            values[literal.variable() as usize] = value != literal.is_negated();
        }
    }
}

struct Simplifier<'a> {
    stop: &'a CancelToken,
    roles: Vec<Role>,
    /// Sorted literals; `None` for a removed clause.
    clauses: Vec<Option<Box<[Literal]>>>,
    /// By literal: the clauses that contain it, and some that contained it earlier.
    occurrences: ByLiteral<Vec<u32>>,
    /// Literals of unit clauses that are not propagated yet.
    units: Vec<Literal>,
    /// The literals of all unit clauses so far.
    is_fixed: ByLiteral<bool>,
    is_inconsistent: bool,
    removed: Vec<Removed>,
    work: usize,
}

/// Returns a simpler formula with as many models; after a stop, one that could be simpler.
pub fn simplify(formula: &Formula, stop: &CancelToken) -> Simplified {
    let mut simplifier = Simplifier {
        stop,
        roles: formula.roles.clone(),
        clauses: Vec::new(),
        occurrences: ByLiteral::new(formula.roles.len(), Vec::new()),
        units: Vec::new(),
        is_fixed: ByLiteral::new(formula.roles.len(), false),
        is_inconsistent: false,
        removed: Vec::new(),
        work: 0,
    };
    for clause in &formula.clauses {
        simplifier.add(clause);
    }
    simplifier.propagate();
    let mut is_changed = true;
    while is_changed && !simplifier.is_inconsistent && !simplifier.is_over() {
        is_changed = simplifier.merge_equivalent();
        is_changed |= simplifier.subsume_all();
        is_changed |= simplifier.eliminate();
    }
    let Simplifier { roles, clauses, removed, is_inconsistent, .. } = simplifier;
    let clauses: BTreeSet<Box<[Literal]>> = match is_inconsistent {
        true => [Box::default()].into(),
        false => clauses.into_iter().flatten().collect(),
    };
    Simplified { formula: Formula { roles, clauses: clauses.into_iter().collect() }, removed }
}

impl Simplifier<'_> {
    /// Returns true if simplification must end.
    fn is_over(&self) -> bool {
        self.work > MAX_WORK || self.stop.requested().is_some()
    }

    fn role(&self, literal: Literal) -> Role {
        self.roles[literal.variable() as usize]
    }

    /// Returns true for a clause of copies.
    fn has_copy(&self, clause: &[Literal]) -> bool {
        clause.iter().any(|&literal| self.role(literal) == Role::Copy)
    }

    /// Adds a clause; one literal alone waits for propagation.
    fn add(&mut self, clause: &[Literal]) {
        match clause {
            [] => self.is_inconsistent = true,
            [literal] if self.is_fixed[!*literal] => self.is_inconsistent = true,
            [literal] => {
                self.is_fixed[*literal] = true;
                self.units.push(*literal);
            }
            _ => {
                let number = self.clauses.len() as u32;
                for &literal in clause {
                    self.occurrences[literal].push(number);
                }
                self.clauses.push(Some(clause.into()));
            }
        }
        self.work += clause.len();
    }

    /// Returns the clauses that contain a literal.
    fn clauses_with(&mut self, literal: Literal) -> Vec<u32> {
        let clauses = &self.clauses;
        let contains = |number: &u32| {
            clauses[*number as usize].as_ref().is_some_and(|clause| clause.binary_search(&literal).is_ok())
        };
        let mut numbers = std::mem::take(&mut self.occurrences[literal]);
        self.work += numbers.len();
        numbers.retain(contains);
        self.occurrences[literal].clone_from(&numbers);
        numbers
    }

    /// Replaces a clause by one with other literals.
    fn replace(&mut self, number: u32, literals: Vec<Literal>) {
        self.clauses[number as usize] = None;
        self.add(&literals);
    }

    /// Removes fixed variables.
    fn propagate(&mut self) {
        while let Some(literal) = self.units.pop() {
            if self.role(literal) == Role::Unused {
                continue;
            }
            for number in self.clauses_with(literal) {
                self.clauses[number as usize] = None;
            }
            for number in self.clauses_with(!literal) {
                let clause = self.clauses[number as usize].take().expect("it contains the literal");
                let rest: Vec<Literal> = clause.iter().copied().filter(|&other| other != !literal).collect();
                self.add(&rest);
            }
            self.roles[literal.variable() as usize] = Role::Unused;
            self.removed.push(Removed::Fixed(literal));
        }
    }

    /// Merges variables that clauses of two literals make equivalent.
    fn merge_equivalent(&mut self) -> bool {
        let mut implications = Vec::new();
        for clause in self.clauses.iter().flatten() {
            if let [one, other] = **clause
                && !self.has_copy(clause)
            {
                implications.push(((!one).index(), other.index()));
                implications.push(((!other).index(), one.index()));
            }
        }
        let mut is_changed = false;
        for component in prover::cyclic_components(&implications) {
            let literals: Vec<Literal> = component.into_iter().map(Literal::from_index).collect();
            // The complements of a component are another one; the first of the two merges both.
            if literals.iter().any(|&literal| self.role(literal) == Role::Unused) {
                continue;
            }
            let rank = |literal: &Literal| {
                let role = self.role(*literal);
                (role != Role::Counted, role == Role::Existential, literal.variable())
            };
            let Some(&kept) = literals.iter().min_by_key(|literal| rank(literal)) else { continue };
            if literals.contains(&!kept) {
                self.is_inconsistent = true;
                return true;
            }
            for &merged in literals.iter().filter(|&&literal| literal != kept) {
                self.substitute(merged, kept);
                is_changed = true;
            }
        }
        self.propagate();
        is_changed
    }

    fn substitute(&mut self, merged: Literal, kept: Literal) {
        for (from, to) in [(merged, kept), (!merged, !kept)] {
            for number in self.clauses_with(from) {
                let clause = self.clauses[number as usize].take().expect("it contains the literal");
                let literals = clause.iter().map(|&literal| if literal == from { to } else { literal });
                if let Some(literals) = normalized(literals.collect()) {
                    self.add(&literals);
                }
            }
        }
        self.roles[merged.variable() as usize] = Role::Unused;
        self.removed.push(Removed::Merged(merged, kept));
    }

    fn subsume_all(&mut self) -> bool {
        let mut is_changed = false;
        let mut number = 0;
        while number < self.clauses.len() && !self.is_over() {
            is_changed |= self.subsume_by(number as u32);
            number += 1;
        }
        self.propagate();
        is_changed
    }

    /// Removes clauses that contain this one, and shortens those that contain it but for one
    /// complementary literal.
    fn subsume_by(&mut self, number: u32) -> bool {
        let Some(clause) = self.clauses[number as usize].clone().filter(|clause| !self.has_copy(clause)) else {
            return false;
        };
        let mut is_changed = false;
        for flipped in [None].into_iter().chain((0..clause.len()).map(Some)) {
            let mut literals = clause.to_vec();
            if let Some(at) = flipped {
                literals[at] = !literals[at];
                literals.sort_unstable();
            }
            let rarest = literals.iter().copied().min_by_key(|&literal| self.occurrences[literal].len());
            for other in self.clauses_with(rarest.expect("no clause is empty")) {
                let containing = self.clauses[other as usize].as_ref().expect("it contains the literal");
                self.work += containing.len();
                let contains = |literal: &Literal| containing.binary_search(literal).is_ok();
                if other == number || containing.len() < literals.len() || !literals.iter().all(contains) {
                    continue;
                }
                let removed = flipped.map(|at| !clause[at]);
                let rest: Vec<Literal> =
                    containing.iter().copied().filter(|&literal| Some(literal) != removed).collect();
                match flipped {
                    None => self.clauses[other as usize] = None,
                    Some(_) => self.replace(other, rest),
                }
                is_changed = true;
            }
        }
        is_changed
    }

    /// Eliminates variables that are not counted.
    fn eliminate(&mut self) -> bool {
        let mut is_frozen = vec![false; self.roles.len()];
        for clause in self.clauses.iter().flatten().filter(|clause| self.has_copy(clause)) {
            clause.iter().for_each(|literal| is_frozen[literal.variable() as usize] = true);
        }
        let mut is_changed = false;
        let mut order: Vec<u32> = (1..self.roles.len() as u32)
            .filter(|&variable| {
                matches!(self.roles[variable as usize], Role::Defined | Role::Existential)
                    && !is_frozen[variable as usize]
            })
            .collect();
        let size = |literal: Literal| self.occurrences[literal].len();
        order.sort_by_key(|&variable| size(Literal::positive(variable)) * size(!Literal::positive(variable)));
        for variable in order {
            if self.is_inconsistent || self.is_over() {
                break;
            }
            is_changed |= self.roles[variable as usize] != Role::Unused && self.eliminate_variable(variable);
            self.propagate();
        }
        is_changed
    }

    fn eliminate_variable(&mut self, variable: u32) -> bool {
        let literal = Literal::positive(variable);
        let (positive, negative) = (self.clauses_with(literal), self.clauses_with(!literal));
        if positive.len() * negative.len() > MAX_PAIRS {
            return false;
        }
        let is_long = |&&number: &&u32| self.clauses[number as usize].as_ref().is_some_and(|clause| clause.len() > 2);
        let clauses = positive.len() + negative.len();
        let long_clauses = positive.iter().chain(&negative).filter(is_long).count();
        let mut resolvents = Vec::new();
        let mut long_resolvents = 0;
        for &one in &positive {
            for &other in &negative {
                let pair = [one, other].map(|number| self.clauses[number as usize].as_ref().expect("it is listed"));
                let literals = pair.into_iter().flat_map(|clause| clause.iter().copied());
                let Some(resolvent) = normalized(literals.filter(|other| other.variable() != variable).collect())
                else {
                    continue;
                };
                self.work += resolvent.len();
                resolvents.push(resolvent);
                let last = &resolvents[resolvents.len() - 1];
                long_resolvents += usize::from(last.len() > 2);
                let max_resolvents = if long_resolvents > long_clauses { clauses } else { clauses * 2 };
                if resolvents.len() > max_resolvents || last.len() > MAX_RESOLVENT {
                    return false;
                }
            }
        }
        let implying = positive.into_iter().filter_map(|number| self.clauses[number as usize].take()).collect();
        self.removed.push(Removed::Eliminated(literal, implying));
        for number in negative {
            self.clauses[number as usize] = None;
        }
        self.roles[variable as usize] = Role::Unused;
        for resolvent in resolvents {
            let number = self.clauses.len() as u32;
            self.add(&resolvent);
            if (number as usize) < self.clauses.len() {
                self.subsume_by(number);
            }
        }
        true
    }
}
