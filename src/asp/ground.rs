//! A ground program as a value: what clingo hands to its solver.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ffi::{CallError, Model, Symbol, Truth};

/// A piece of a ground program, as the grounder hands it to the solver.
#[derive(Debug, Clone, Copy)]
pub enum Piece<'a> {
    /// A disjunction of atoms, or a choice among them, if all literals hold.
    Rule {
        is_choice: bool,
        head: &'a [u32],
        body: &'a [i32],
    },
    /// The same, if the weights of the literals that hold sum up to the bound.
    WeightRule {
        is_choice: bool,
        head: &'a [u32],
        bound: i32,
        body: &'a [(i32, i32)],
    },
    Minimize {
        priority: i32,
        literals: &'a [(i32, i32)],
    },
    /// With its value; none where it is false for good.
    External(u32, Option<Truth>),
    Edge {
        from: i32,
        to: i32,
        condition: &'a [i32],
    },
    /// Zero for a directive, which has no atom.
    TheoryAtom(u32),
    /// An atom or a term that is shown where all literals hold.
    Output(Symbol, &'a [i32]),
    /// Literals that hold in every answer that is looked for.
    Assume(&'a [i32]),
    /// What answers are projected to.
    Project(&'a [u32]),
}

/// Who is told what the grounder makes, while it does; a break ends the grounding, which is an error.
pub trait Observer: Send {
    fn note(&mut self, piece: Piece<'_>) -> ControlFlow<()>;
}

/// A rule of a ground program: a disjunction of atoms, or a choice among them, if all literals hold; if there is a bound, if
/// the weights of those that hold sum up to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundRule {
    pub is_choice: bool,
    pub head: Vec<u32>,
    /// Literals and their weights.
    pub body: Vec<(i32, i32)>,
    pub bound: Option<i32>,
}

/// A ground program: atoms are numbers from 1, literals are atoms with a sign.
#[derive(Debug, Clone, Default)]
pub struct Ground {
    pub rules: Vec<GroundRule>,
    /// What is to be minimised, by priority: literals, and what each costs where it holds.
    pub costs: BTreeMap<i32, Vec<(i32, i32)>>,
    /// Atoms that get their value from outside as long as no rule has them in its head; theory atoms, too, are free.
    pub externals: BTreeMap<u32, Truth>,
    /// Of those with rules, whether the solver takes them for external all the same, as it drops rules that can found
    /// nothing (`e :- e.`). What was released is not, and what is not will never be again.
    pub settled: FxHashMap<u32, bool>,
    /// Edges between nodes, each with the literals under which it is there; together they must have no cycle.
    pub edges: Vec<(i32, i32, Vec<i32>)>,
    /// What is shown, each with the literals under which it is.
    pub outputs: Vec<(Symbol, Vec<i32>)>,
    /// Literals that are assumed to hold.
    pub assumed: Vec<i32>,
    /// The atoms of `#project`, if there are such statements.
    pub projected: Option<Vec<u32>>,
    /// There are theory atoms, to which no theory gives a meaning here.
    pub has_theory: bool,
}

impl Observer for Ground {
    fn note(&mut self, piece: Piece<'_>) -> ControlFlow<()> {
        match piece {
            Piece::Rule { is_choice, head, body } => {
                let body = body.iter().map(|&literal| (literal, 1)).collect();
                self.rules.push(GroundRule { is_choice, head: head.to_vec(), body, bound: None });
            }
            Piece::WeightRule { is_choice, head, bound, body } => {
                self.rules.push(GroundRule { is_choice, head: head.to_vec(), body: body.to_vec(), bound: Some(bound) });
            }
            Piece::Minimize { priority, literals } => self.costs.entry(priority).or_default().extend(literals),
            Piece::External(atom, Some(value)) => {
                if self.settled.get(&atom) != Some(&false) {
                    self.externals.insert(atom, value);
                }
            }
            Piece::External(atom, None) => {
                self.externals.insert(atom, Truth::False);
                self.settled.insert(atom, false);
            }
            Piece::Edge { from, to, condition } => self.edges.push((from, to, condition.to_vec())),
            Piece::Output(symbol, condition) => self.outputs.push((symbol, condition.to_vec())),
            Piece::Assume(literals) => self.assumed.extend_from_slice(literals),
            Piece::Project(atoms) => self.projected.get_or_insert_default().extend_from_slice(atoms),
            Piece::TheoryAtom(atom) => {
                self.has_theory = true;
                if atom != 0 {
                    self.externals.entry(atom).or_insert(Truth::Free);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl GroundRule {
    /// A constraint that nothing satisfies.
    pub fn contradiction() -> Self {
        GroundRule { is_choice: false, head: Vec::new(), body: Vec::new(), bound: None }
    }

    /// What the literals that hold must weigh together for the body to hold: without a bound, as much as all of them.
    pub fn wanted(&self) -> i64 {
        self.bound.map_or(self.body.len() as i64, i64::from)
    }

    /// What the literals weigh together that `counts` tells.
    pub fn weight(&self, counts: impl Fn(i32) -> bool) -> i64 {
        let counted = self.body.iter().filter(|(literal, _)| counts(*literal));
        counted.map(|&(_, weight)| i64::from(weight)).sum()
    }

    /// The rule as one would write it.
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

impl Ground {
    /// Takes note of the atoms that are external for the solver.
    pub(super) fn settle_externals(&mut self, external: &FxHashSet<u32>) {
        for &atom in self.externals.keys() {
            *self.settled.entry(atom).or_insert(true) &= external.contains(&atom);
        }
    }

    /// The atoms that can hold.
    pub fn atoms(&self) -> impl Iterator<Item = u32> {
        self.rules.iter().flat_map(|rule| &rule.head).copied().chain(self.externals.keys().copied())
    }

    /// By atom: the rules that have it in their head.
    pub fn rules_by_head(&self) -> FxHashMap<u32, Vec<usize>> {
        let mut rules: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (number, rule) in self.rules.iter().enumerate() {
            rule.head.iter().for_each(|&atom| rules.entry(atom).or_default().push(number));
        }
        rules
    }

    /// The named atoms that the rules of some atoms have, through atoms without a name.
    pub fn named_below(
        &self,
        literals: &[i32],
        rules_by_head: &FxHashMap<u32, Vec<usize>>,
        is_named: impl Fn(i32) -> bool,
    ) -> Vec<i32> {
        let mut seen: FxHashSet<i32> = literals.iter().map(|literal| literal.abs()).collect();
        let mut open: Vec<i32> = seen.iter().copied().collect();
        let mut atoms = Vec::new();
        while let Some(atom) = open.pop() {
            let rules = rules_by_head.get(&(atom as u32)).into_iter().flatten();
            for &(literal, _) in rules.flat_map(|&rule| &self.rules[rule].body) {
                if seen.insert(literal.abs()) {
                    let list = if is_named(literal.abs()) { &mut atoms } else { &mut open };
                    list.push(literal.abs());
                }
            }
        }
        atoms
    }

    /// The greatest number of an atom.
    pub fn last_atom(&self) -> u32 {
        let in_bodies = self.rules.iter().flat_map(|rule| &rule.body).map(|(literal, _)| literal.unsigned_abs());
        let in_costs = self.costs.values().flatten().map(|(literal, _)| literal.unsigned_abs());
        let in_edges = self.edges.iter().flat_map(|(.., condition)| condition).map(|literal| literal.unsigned_abs());
        self.atoms().chain(in_bodies).chain(in_costs).chain(in_edges).max().unwrap_or(0)
    }

    /// The atoms that hold in an answer.
    pub fn holding(&self, model: &Model<'_>) -> Result<FxHashSet<u32>, CallError> {
        let mut holding = FxHashSet::default();
        for atom in self.atoms() {
            if model.holds(atom as i32)? {
                holding.insert(atom);
            }
        }
        Ok(holding)
    }

    /// What an interpretation costs, highest priority first.
    pub fn costs_where(&self, holds: impl Fn(u32) -> bool) -> Vec<i64> {
        let counts = |literal: i32| holds(literal.unsigned_abs()) == (literal > 0);
        let sum = |items: &Vec<(i32, i32)>| {
            items.iter().filter(|(literal, _)| counts(*literal)).map(|&(_, weight)| i64::from(weight)).sum()
        };
        self.costs.values().rev().map(sum).collect()
    }
}
