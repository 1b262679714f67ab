//! Unit propagation.

use ground::{ByLiteral, Literal};

use super::formula::Formula;

/// A clause of three literals or more, as a range of `Clauses::literals`.
type ClauseRange = (u32, u32);

/// The clauses of a formula. A clause of two literals is stored as two implications; longer clauses
/// are stored in one list.
pub struct Clauses {
    /// By literal: the literals that it implies by clauses of two literals.
    pub implied: ByLiteral<Vec<Literal>>,
    literals: Vec<Literal>,
    ranges: Vec<ClauseRange>,
    /// By long clause: true if clauses of two literals exclude that two of its literals are true.
    is_exclusive: Vec<bool>,
}

/// A long clause that is visited when a watched literal becomes false, unless `blocker`, another of
/// its literals, is true.
#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    blocker: Literal,
}

/// A partial assignment that is closed under unit propagation.
pub struct Propagation {
    pub clauses: Clauses,
    watches: ByLiteral<Vec<Watch>>,
    is_true: ByLiteral<bool>,
    trail: Vec<Literal>,
    propagated: usize,
}

impl Clauses {
    pub fn literals(&self, clause: u32) -> &[Literal] {
        let (from, to) = self.ranges[clause as usize];
        &self.literals[from as usize..to as usize]
    }

    /// Returns true if exactly one literal of a long clause is true in each model.
    #[inline]
    pub fn is_exclusive(&self, clause: u32) -> bool {
        self.is_exclusive[clause as usize]
    }

    /// Finds the long clauses with exactly one true literal.
    fn find_exclusive(&mut self) {
        let excludes = |one: Literal, other: Literal| self.implied[one].contains(&!other);
        let is_exclusive = |clause| {
            let literals = self.literals(clause);
            (1..literals.len()).all(|at| literals[..at].iter().all(|&other| excludes(literals[at], other)))
        };
        self.is_exclusive = (0..self.len() as u32).map(is_exclusive).collect();
    }

    /// Returns the number of long clauses.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }
}

impl Propagation {
    /// Starts without decisions. Returns `None` if that is a conflict already.
    pub fn new(formula: &Formula) -> Option<Self> {
        let variables = formula.roles.len();
        let clauses = Clauses {
            implied: ByLiteral::new(variables, Vec::new()),
            literals: Vec::new(),
            ranges: Vec::new(),
            is_exclusive: Vec::new(),
        };
        let mut propagation = Propagation {
            clauses,
            watches: ByLiteral::new(variables, Vec::new()),
            is_true: ByLiteral::new(variables, false),
            trail: Vec::new(),
            propagated: 0,
        };
        for clause in &formula.clauses {
            match clause[..] {
                [] => return None,
                [literal] => {
                    if propagation.is_true[!literal] {
                        return None;
                    }
                    propagation.assign(literal);
                }
                [one, other] => {
                    propagation.clauses.implied[!one].push(other);
                    propagation.clauses.implied[!other].push(one);
                }
                _ => propagation.add_long_clause(clause),
            }
        }
        propagation.clauses.find_exclusive();
        propagation.propagate().then_some(propagation)
    }

    fn add_long_clause(&mut self, clause: &[Literal]) {
        let number = self.clauses.ranges.len() as u32;
        let from = self.clauses.literals.len() as u32;
        self.clauses.literals.extend_from_slice(clause);
        self.clauses.ranges.push((from, self.clauses.literals.len() as u32));
        self.watches[clause[0]].push(Watch { clause: number, blocker: clause[1] });
        self.watches[clause[1]].push(Watch { clause: number, blocker: clause[0] });
    }

    #[inline]
    pub fn is_true(&self, literal: Literal) -> bool {
        self.is_true[literal]
    }

    #[inline]
    pub fn is_assigned(&self, variable: u32) -> bool {
        let literal = Literal::positive(variable);
        self.is_true[literal] || self.is_true[!literal]
    }

    /// Returns the number of assigned literals, to which [`undo`](Self::undo) can return.
    pub fn trail_len(&self) -> usize {
        self.trail.len()
    }

    /// Makes an unassigned literal true and propagates. Returns false at a conflict, after which only
    /// [`undo`](Self::undo) may be called.
    pub fn decide(&mut self, literal: Literal) -> bool {
        self.assign(literal);
        self.propagate()
    }

    pub fn undo(&mut self, trail_len: usize) {
        for literal in self.trail.drain(trail_len..) {
            self.is_true[literal] = false;
        }
        self.propagated = trail_len;
    }

    fn assign(&mut self, literal: Literal) {
        if !self.is_true[literal] {
            self.is_true[literal] = true;
            self.trail.push(literal);
        }
    }

    fn propagate(&mut self) -> bool {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            for at in 0..self.clauses.implied[literal].len() {
                let implied = self.clauses.implied[literal][at];
                if self.is_true[!implied] {
                    return false;
                }
                self.assign(implied);
            }
            if !self.visit_watches(!literal) {
                return false;
            }
        }
        true
    }

    /// Visits the long clauses that watch a literal which has become false.
    fn visit_watches(&mut self, falsified: Literal) -> bool {
        let mut watches = std::mem::take(&mut self.watches[falsified]);
        let mut is_consistent = true;
        watches.retain_mut(|watch| {
            if !is_consistent || self.is_true[watch.blocker] {
                return true;
            }
            let (from, to) = self.clauses.ranges[watch.clause as usize];
            let literals = &mut self.clauses.literals[from as usize..to as usize];
            if literals[0] == falsified {
                literals.swap(0, 1);
            }
            let other = literals[0];
            watch.blocker = other;
            if self.is_true[other] {
                return true;
            }
            if let Some(at) = (2..literals.len()).find(|&at| !self.is_true[!literals[at]]) {
                literals.swap(1, at);
                self.watches[literals[1]].push(Watch { clause: watch.clause, blocker: other });
                return false;
            }
            if self.is_true[!other] {
                is_consistent = false;
            } else {
                self.is_true[other] = true;
                self.trail.push(other);
            }
            true
        });
        self.watches[falsified] = watches;
        is_consistent
    }
}
