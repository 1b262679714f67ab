//! The ground program as clauses: every answer set satisfies them, and what is said of them holds of all answer sets.
//!
//! This file is trusted. Each clause is a *necessary* condition of an answer set, so that a refutation of the clauses is a
//! refutation of all answer sets, whichever kind of program it is:
//!
//! - a rule whose body holds has a true head (a constraint has none);
//! - a true atom has a rule whose body holds, and of a disjunction it is the only true head: without the atom, the rest
//!   would be a smaller model of the reduct otherwise (Clark's completion, with disjunctions shifted);
//! - a new variable stands for a body, for a sum or for a part of one, and is equivalent to it by its own clauses, so that
//!   every interpretation of the atoms extends to the new variables in one way.
//!
//! Variables are the atoms by their numbers, then [`Completion::always`], which is true, then what is defined here.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::claim::Shown;
use crate::asp::{Ground, Truth};

/// Greater numbers of atoms would only fill memory.
const LAST_ATOM: u32 = 1 << 24;
/// Partial sums that one sum may have, and that all sums of a program may have together.
const MOST_PARTS: usize = 1 << 22;
const MOST_PARTS_OF_ALL: usize = 1 << 24;

/// A way in which an atom can be founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// By its place in the program; none where the atom is given from outside.
    pub rule: Option<usize>,
    /// Holds where the body of the rule does.
    pub body: i32,
    /// Holds where, besides, no other atom of a disjunction does.
    pub literal: i32,
}

/// Clauses of a ground program, by their numbers from 0. No clause has a literal twice, or a literal and its opposite.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    pub clauses: Vec<Box<[i32]>>,
    /// By atom. Each atom of the program has an entry.
    pub supports: BTreeMap<u32, Vec<Support>>,
    /// The greatest variable.
    pub variables: i32,
    /// This variable is true.
    pub always: i32,
    /// Partial sums until now.
    parts: usize,
    conjunctions: FxHashMap<Vec<i32>, i32>,
    choices: FxHashMap<[i32; 3], i32>,
}

impl Completion {
    /// # Errors
    /// Why the program has no translation.
    pub fn of(ground: &Ground, shown: &Shown) -> Result<Completion, String> {
        if ground.has_theory {
            return Err("theory atoms have no meaning here".to_owned());
        }
        let in_bodies = ground.rules.iter().flat_map(|rule| &rule.body).map(|(literal, _)| literal);
        let in_costs = ground.costs.values().flatten().map(|(literal, _)| literal);
        let in_edges = ground.edges.iter().flat_map(|(.., condition)| condition);
        let literals =
            in_bodies.chain(in_costs).chain(in_edges).chain(shown.values().flatten().flatten()).chain(&ground.assumed);
        let mut atoms: Vec<u32> = ground.atoms().chain(literals.map(|literal| literal.unsigned_abs())).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let supports: BTreeMap<u32, Vec<Support>> = atoms.into_iter().map(|atom| (atom, Vec::new())).collect();
        let last = supports.last_key_value().map_or(0, |(&atom, _)| atom);
        if last > LAST_ATOM {
            return Err(format!("an atom has the number {last}; at most {LAST_ATOM} can be translated"));
        }
        let always = last as i32 + 1;
        let mut to = Completion { always, variables: always, supports, ..Completion::default() };
        to.add(vec![always]);
        for (number, rule) in ground.rules.iter().enumerate() {
            if rule.body.iter().any(|&(_, weight)| weight < 0) {
                return Err("a body of a rule has a negative weight".to_owned());
            }
            let mut heads: Vec<i32> = rule.head.iter().map(|&atom| atom as i32).collect();
            heads.sort_unstable();
            heads.dedup();
            let literals = || rule.body.iter().map(|&(literal, _)| literal);
            if let (None, [], false) = (rule.bound, &heads[..], rule.is_choice) {
                to.add(literals().map(|literal| -literal).collect());
                continue;
            }
            let body = match rule.bound {
                None => to.conjunction(literals().collect()),
                Some(bound) => to.sum(&rule.body, i64::from(bound))?,
            };
            if !rule.is_choice {
                to.add(heads.iter().copied().chain([-body]).collect());
            }
            for &head in &heads {
                let others = heads.iter().filter(|&&other| other != head && !rule.is_choice).map(|&other| -other);
                let literal = to.conjunction(others.chain([body]).collect());
                let support = Support { rule: Some(number), body, literal };
                to.supports.entry(head as u32).or_default().push(support);
            }
        }
        to.give_externals(ground);
        ground.assumed.iter().for_each(|&literal| to.add(vec![literal]));
        let supports = std::mem::take(&mut to.supports);
        for (&atom, supports) in &supports {
            to.add(supports.iter().map(|support| support.literal).chain([-(atom as i32)]).collect());
        }
        to.supports = supports;
        Ok(to)
    }

    /// An external atom has its value where no rule has it in its head, or the solver goes by the value all the same.
    fn give_externals(&mut self, ground: &Ground) {
        for (&atom, &value) in &ground.externals {
            let has_rules = self.supports.get(&atom).is_some_and(|supports| !supports.is_empty());
            if has_rules && ground.settled.get(&atom) != Some(&true) {
                continue;
            }
            match value {
                Truth::Free => {}
                Truth::True => self.add(vec![atom as i32]),
                Truth::False => self.add(vec![-(atom as i32)]),
            }
            if value != Truth::False {
                let given = Support { rule: None, body: self.always, literal: self.always };
                self.supports.entry(atom).or_default().push(given);
            }
        }
    }

    /// A clause as it is kept, or none where it says nothing.
    pub fn normal(mut literals: Vec<i32>, always: i32) -> Option<Box<[i32]>> {
        literals.retain(|&literal| literal != -always);
        literals.sort_unstable_by_key(|literal| (literal.abs(), *literal));
        literals.dedup();
        let says_nothing =
            literals.len() > 1 && literals.contains(&always) || literals.windows(2).any(|pair| pair[0] == -pair[1]);
        (!says_nothing).then(|| literals.into_boxed_slice())
    }

    pub fn add(&mut self, literals: Vec<i32>) {
        self.clauses.extend(Completion::normal(literals, self.always));
    }

    fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    /// A literal that holds where all of these do.
    pub fn conjunction(&mut self, mut literals: Vec<i32>) -> i32 {
        literals.retain(|&literal| literal != self.always);
        literals.sort_unstable_by_key(|literal| (literal.abs(), *literal));
        literals.dedup();
        match literals[..] {
            [] => return self.always,
            [literal] => return literal,
            _ if literals.windows(2).any(|pair| pair[0] == -pair[1]) => return -self.always,
            _ if literals.contains(&-self.always) => return -self.always,
            _ => {}
        }
        if let Some(&known) = self.conjunctions.get(&literals) {
            return known;
        }
        let all = self.variable();
        literals.iter().for_each(|&literal| self.add(vec![-all, literal]));
        self.add(literals.iter().map(|literal| -literal).chain([all]).collect());
        self.conjunctions.insert(literals, all);
        all
    }

    /// A literal that holds where one of these does.
    pub fn disjunction(&mut self, literals: impl IntoIterator<Item = i32>) -> i32 {
        -self.conjunction(literals.into_iter().map(|literal| -literal).collect())
    }

    /// A literal that holds where the weights of the literals that hold sum up to the bound: a decision diagram, whose node
    /// stands for "the literals from here on weigh as much as is still needed".
    pub fn sum(&mut self, weighted: &[(i32, i32)], bound: i64) -> Result<i32, String> {
        let (mut items, mut bound) = (BTreeMap::<i32, i64>::new(), bound);
        for &(literal, weight) in weighted {
            // A weight of `not a` is one that `a` lacks.
            if literal < 0 {
                bound -= i64::from(weight);
            }
            *items.entry(literal.abs()).or_default() += i64::from(weight) * i64::from(literal.signum());
        }
        let turned = |(atom, weight): (i32, i64)| if weight < 0 { (-atom, -weight) } else { (atom, weight) };
        bound += items.values().filter(|weight| **weight < 0).map(|weight| -weight).sum::<i64>();
        let mut items: Vec<(i32, i64)> = items.into_iter().filter(|(_, weight)| *weight != 0).map(turned).collect();
        items.sort_by_key(|&(literal, weight)| (-weight, literal.abs()));
        // What is left from each literal on, and its greatest divisor.
        let mut left = vec![(0, 0); items.len() + 1];
        for at in (0..items.len()).rev() {
            let (total, divisor) = left[at + 1];
            left[at] = (total + items[at].1, greatest_divisor(divisor, items[at].1));
        }
        let needs = |at: usize, need: i64| match left[at] {
            _ if need <= 0 => 0,
            (total, _) if need > total => i64::MAX,
            (_, divisor) => (need + divisor - 1) / divisor * divisor,
        };
        let mut layers = vec![vec![needs(0, bound)]];
        let mut parts = 1;
        for (at, &(_, weight)) in items.iter().enumerate() {
            let open = layers[at].iter().filter(|need| (1..i64::MAX).contains(*need));
            let mut next: Vec<i64> =
                open.flat_map(|&need| [needs(at + 1, need - weight), needs(at + 1, need)]).collect();
            next.sort_unstable();
            next.dedup();
            parts += next.len();
            layers.push(next);
            if parts > MOST_PARTS {
                return Err(format!("a sum has more than {MOST_PARTS} partial sums"));
            }
        }
        self.parts += parts;
        if self.parts > MOST_PARTS_OF_ALL {
            return Err(format!("the sums have more than {MOST_PARTS_OF_ALL} partial sums together"));
        }
        let mut below = FxHashMap::<i64, i32>::default();
        for (at, layer) in layers.iter().enumerate().rev() {
            let mut nodes = FxHashMap::default();
            for &need in layer {
                let node = match need {
                    0 => self.always,
                    i64::MAX => -self.always,
                    need => {
                        let (literal, weight) = items[at];
                        let (with, without) = (needs(at + 1, need - weight), needs(at + 1, need));
                        self.choice(literal, below[&with], below[&without])
                    }
                };
                nodes.insert(need, node);
            }
            below = nodes;
        }
        Ok(below[&needs(0, bound)])
    }

    /// A literal that holds where `with` does, if the literal holds, else `without`, which implies `with`.
    fn choice(&mut self, literal: i32, with: i32, without: i32) -> i32 {
        if with == without {
            return with;
        }
        if with == self.always {
            return self.disjunction([literal, without]);
        }
        if without == -self.always {
            return self.conjunction(vec![literal, with]);
        }
        if let Some(&known) = self.choices.get(&[literal, with, without]) {
            return known;
        }
        let node = self.variable();
        self.add(vec![-node, with]);
        self.add(vec![-node, literal, without]);
        self.add(vec![node, -without]);
        self.add(vec![node, -literal, -with]);
        self.choices.insert([literal, with, without], node);
        node
    }
}

fn greatest_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { greatest_divisor(other, one % other) }
}
