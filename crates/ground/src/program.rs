//! Ground programs as values, as a grounder passes them to a solver.

use std::collections::{BTreeMap, BTreeSet};

use super::literal::holds_in;

/// A disjunctive rule or a choice rule of a ground program.
///
/// Without a bound the body is a conjunction; with a bound it is a weight constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundRule {
    pub is_choice: bool,
    pub head: Vec<u32>,
    /// Literals with their weights; the weights of a conjunction are 1.
    pub body: Vec<(i32, i32)>,
    pub bound: Option<i32>,
}

/// A support of an atom: a rule with the atom in its head, or an external value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// Index of the rule in the program; `None` for an external value.
    pub rule: Option<usize>,
    /// Literal that is equivalent to the body of the rule.
    pub body: i32,
    /// Literal that is equivalent to the body and, in a disjunction, the falsity of all other head
    /// atoms.
    pub literal: i32,
}

/// A ground program. Atoms are numbers from 1; a negative literal is the negated number.
#[derive(Debug, Clone, Default)]
pub struct GroundProgram {
    pub rules: Vec<GroundRule>,
    /// The minimize statements by priority: literals with their costs.
    pub costs: BTreeMap<i32, Vec<(i32, i32)>>,
    /// External atoms with their values. A value only applies to an atom that occurs in no rule
    /// head or is frozen. Theory atoms are free externals.
    pub externals: BTreeMap<u32, Truth>,
    /// By external atom: true if clasp treats it as external ("frozen"). An atom that occurs in
    /// rule heads is frozen if clasp has dropped these rules because they support themselves (`e :-
    /// e.`). Released atoms are not frozen, and an atom that is not frozen never becomes so again.
    pub frozen: BTreeMap<u32, bool>,
    /// Edges `(from, to, condition)` of the graph that must be acyclic; an edge exists if all
    /// literals of its condition hold.
    pub edges: Vec<(i32, i32, Vec<i32>)>,
    /// The texts of shown terms, each with a condition under which it is shown.
    pub outputs: Vec<(String, Vec<i32>)>,
    /// Assumptions.
    pub assumed: Vec<i32>,
    /// The atoms of `#project`, if there are such statements.
    pub projected: Option<Vec<u32>>,
    /// True if the program has theory atoms. No theory is supported.
    pub has_theory: bool,
}

/// The value of an external atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    False,
    True,
    Free,
}

/// The effect of the costs on what a search reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Optimisation {
    /// One optimum.
    One,
    /// All optima.
    All,
    /// No optimisation; answers may have costs.
    #[default]
    None,
}

/// By atom: the indices of the rules that have it in their head.
pub struct RulesByHead(Vec<Vec<usize>>);

impl RulesByHead {
    /// Returns the rules of an atom; none for atoms beyond the last one.
    pub fn of(&self, atom: u32) -> &[usize] {
        self.0.get(atom as usize).map_or(&[], |rules| rules)
    }
}

impl GroundRule {
    /// Returns the constraint with an empty body, which no interpretation satisfies.
    pub fn contradiction() -> Self {
        GroundRule { is_choice: false, head: Vec::new(), body: Vec::new(), bound: None }
    }

    /// Returns the bound of the body; for a conjunction, the number of its literals.
    pub fn required_weight(&self) -> i64 {
        self.bound.map_or(self.body.len() as i64, i64::from)
    }

    /// Returns the sum of the weights of the body literals that `counts` selects.
    pub fn weight(&self, counts: impl Fn(i32) -> bool) -> i64 {
        let counted = self.body.iter().filter(|(literal, _)| counts(*literal));
        counted.map(|&(_, weight)| i64::from(weight)).sum()
    }

    /// Formats the rule in the input language, with the names of its atoms.
    pub fn text(&self, name: &dyn Fn(u32) -> String) -> String {
        let literal = |literal: i32| {
            let atom = name(literal.unsigned_abs());
            if literal < 0 { format!("not {atom}") } else { atom }
        };
        let head = self.head.iter().map(|&atom| name(atom)).collect::<Vec<_>>().join("; ");
        let head = if self.is_choice { format!("{{ {head} }}") } else { head };
        let body = match self.bound {
            None => self.body.iter().map(|&(part, _)| literal(part)).collect::<Vec<_>>().join(", "),
            Some(bound) => {
                let weighted = self.body.iter().map(|&(part, weight)| format!("{weight}: {}", literal(part)));
                format!("{bound} <= #sum {{ {} }}", weighted.collect::<Vec<_>>().join("; "))
            }
        };
        match (head.is_empty(), body.is_empty()) {
            (false, true) => format!("{head}."),
            (true, _) => format!(":- {body}."),
            (false, false) => format!("{head} :- {body}."),
        }
    }
}

impl GroundProgram {
    /// Updates [`frozen`](Self::frozen) from the atoms that clasp treats as external.
    pub fn update_frozen(&mut self, is_external: impl Fn(u32) -> bool) {
        for &atom in self.externals.keys() {
            *self.frozen.entry(atom).or_insert(true) &= is_external(atom);
        }
    }

    /// Returns the atoms that can be true, possibly with duplicates.
    pub fn atoms(&self) -> impl Iterator<Item = u32> {
        self.rules.iter().flat_map(|rule| &rule.head).copied().chain(self.externals.keys().copied())
    }

    /// Returns by atom the indices of the rules that have it in their head.
    pub fn rules_by_head(&self) -> RulesByHead {
        let mut rules = vec![Vec::new(); self.last_atom() as usize + 1];
        for (number, rule) in self.rules.iter().enumerate() {
            for &atom in &rule.head {
                rules[atom as usize].push(number);
            }
        }
        RulesByHead(rules)
    }

    /// Returns the named atoms that occur in the rules of some literals, directly or through
    /// auxiliary atoms without a name.
    pub fn named_dependencies(
        &self,
        literals: &[i32],
        rules_by_head: &RulesByHead,
        is_named: impl Fn(i32) -> bool,
    ) -> Vec<i32> {
        let mut visited: BTreeSet<i32> = literals.iter().map(|literal| literal.abs()).collect();
        let mut open: Vec<i32> = visited.iter().copied().collect();
        let mut atoms = Vec::new();
        while let Some(atom) = open.pop() {
            let rules = rules_by_head.of(atom as u32);
            for &(literal, _) in rules.iter().flat_map(|&rule| &self.rules[rule].body) {
                if visited.insert(literal.abs()) {
                    let list = if is_named(literal.abs()) { &mut atoms } else { &mut open };
                    list.push(literal.abs());
                }
            }
        }
        atoms
    }

    /// Returns the greatest atom; 0 for a program without atoms.
    pub fn last_atom(&self) -> u32 {
        let in_bodies = self.rules.iter().flat_map(|rule| &rule.body).map(|(literal, _)| literal.unsigned_abs());
        let in_costs = self.costs.values().flatten().map(|(literal, _)| literal.unsigned_abs());
        let in_edges = self.edges.iter().flat_map(|(.., condition)| condition).map(|literal| literal.unsigned_abs());
        self.atoms().chain(in_bodies).chain(in_costs).chain(in_edges).max().unwrap_or(0)
    }

    /// Returns the costs of an interpretation, highest priority first.
    pub fn costs_where(&self, holds: impl Fn(u32) -> bool) -> Vec<i64> {
        let counts = |literal: i32| holds_in(literal, &holds);
        let sum = |items: &Vec<(i32, i32)>| {
            items.iter().filter(|(literal, _)| counts(*literal)).map(|&(_, weight)| i64::from(weight)).sum()
        };
        self.costs.values().rev().map(sum).collect()
    }
}
