//! Literals.
//!
//! Ground programs, clauses and proofs write a literal as aspif does ("signed"): the number of its
//! variable, negative for the complement. Tables by literal use [`Literal`].

use std::ops::Not;

/// A literal as the index of a table: twice its variable, plus 1 if it is negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// Returns the literal with this [`index`](Self::index).
    #[inline]
    pub fn from_index(index: u32) -> Self {
        Literal(index)
    }

    #[inline]
    pub fn from_signed(literal: i32) -> Self {
        Literal(literal.unsigned_abs() * 2 + u32::from(literal < 0))
    }

    /// Returns the literal that is true if the variable is.
    #[inline]
    pub fn positive(variable: u32) -> Self {
        Literal(variable * 2)
    }

    #[inline]
    pub fn signed(self) -> i32 {
        let variable = (self.0 >> 1) as i32;
        if self.is_negated() { -variable } else { variable }
    }

    #[inline]
    pub fn index(self) -> u32 {
        self.0
    }

    #[inline]
    pub fn variable(self) -> u32 {
        self.0 >> 1
    }

    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The complement.
impl Not for Literal {
    type Output = Literal;

    #[inline]
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// A table by literal.
#[derive(Debug, Clone, Default)]
pub struct ByLiteral<T>(Vec<T>);

impl<T: Clone> ByLiteral<T> {
    pub fn new(variables: usize, value: T) -> Self {
        ByLiteral(vec![value; variables * 2])
    }

    /// Adapts the table to a new number of variables.
    pub fn resize(&mut self, variables: usize, value: T) {
        self.0.resize(variables * 2, value);
    }
}

impl<T> ByLiteral<T> {
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }
}

impl<T> std::ops::Index<Literal> for ByLiteral<T> {
    type Output = T;

    #[inline]
    fn index(&self, literal: Literal) -> &T {
        &self.0[literal.0 as usize]
    }
}

impl<T> std::ops::IndexMut<Literal> for ByLiteral<T> {
    #[inline]
    fn index_mut(&mut self, literal: Literal) -> &mut T {
        &mut self.0[literal.0 as usize]
    }
}

/// Returns true if a signed literal holds in the interpretation with the true atoms that `is_true`
/// selects.
#[inline]
pub fn holds_in(literal: i32, is_true: impl Fn(u32) -> bool) -> bool {
    is_true(literal.unsigned_abs()) == (literal > 0)
}
