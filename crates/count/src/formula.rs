//! Formulas whose models are counted.

use ground::Literal;
use num_bigint::BigUint;

/// The role of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It does not occur.
    Unused,
    /// Models that differ in it are counted separately.
    Counted,
    /// The clauses leave exactly one value to it in each assignment of the other variables, so that
    /// models never differ in it alone.
    Defined,
    /// Models that differ only in such variables are counted once.
    Existential,
    /// The copy of an atom that must not support itself. It is never decided: a model counts only if
    /// unit propagation assigns all copies, once all other variables are assigned.
    Copy,
}

/// Clauses, and the role of each variable.
#[derive(Debug, Clone)]
pub struct Formula {
    /// By variable; the variable 0 is unused.
    pub(crate) roles: Vec<Role>,
    /// Clauses without duplicate or complementary literals.
    pub(crate) clauses: Vec<Box<[Literal]>>,
}

impl Formula {
    /// Creates a formula without clauses. `roles` has the role of each variable from 1.
    pub fn new(roles: impl IntoIterator<Item = Role>) -> Self {
        Formula { roles: [Role::Unused].into_iter().chain(roles).collect(), clauses: Vec::new() }
    }

    /// Creates the formula of a clause normal form, of which all variables count.
    pub fn of_clauses(variables: usize, clauses: &[Vec<i32>]) -> Self {
        let mut formula = Formula::new(vec![Role::Counted; variables]);
        clauses.iter().for_each(|clause| formula.add_clause(clause));
        formula
    }

    /// Returns an upper bound of the number of models: that of the assignments of counted variables.
    pub fn max_models(&self) -> BigUint {
        BigUint::from(1_u32) << self.roles.iter().filter(|role| **role == Role::Counted).count()
    }

    /// Adds a variable.
    pub(crate) fn add_variable(&mut self, role: Role) -> i32 {
        self.roles.push(role);
        self.roles.len() as i32 - 1
    }

    /// Adds a clause of signed literals.
    pub fn add_clause(&mut self, clause: &[i32]) {
        let literals = clause.iter().map(|&literal| Literal::from_signed(literal)).collect();
        self.clauses.extend(normalized(literals).map(Vec::into_boxed_slice));
    }
}

/// Sorts literals and removes duplicates; returns `None` for a tautology.
pub fn normalized(mut literals: Vec<Literal>) -> Option<Vec<Literal>> {
    literals.sort_unstable();
    literals.dedup();
    let is_tautology = literals.windows(2).any(|pair| pair[0].variable() == pair[1].variable());
    (!is_tautology).then_some(literals)
}
