//! Clauses that exclude circular support.
//!
//! A model of the completion is an answer set if each of its atoms is *founded*: it follows from
//! rules whose positive body atoms were founded before. Only atoms on cycles of the positive
//! dependency graph can be true and not founded. Each such atom `p` has a copy `p'`, which means
//! that `p` is founded (Kabir, Chakraborty and Meel, "Exact ASP counting with compact encodings",
//! 2024). The clauses of the copies are
//!
//! 1. `p' → p`, and
//! 2. for each rule that supports `p`: `p ∧ s ∧ q₁' ∧ … ∧ qₙ' → p'`, where the literal `s` says that
//!    the rule supports `p` (its body holds, and no other atom of a disjunction does), and `q₁ … qₙ`
//!    are the body atoms in the component of `p`.
//!
//! Claim: let all variables but the copies have the values of a model `M` of the completion. Unit
//! propagation then assigns all copies if and only if `M` is an answer set, and never ends in a
//! conflict.
//!
//! - The assignment `p' = p` satisfies all clauses of the copies. So propagation ends without a
//!   conflict and assigns to a copy no other value than that of its atom.
//! - A false atom makes its copy false by (1). The copy of a true atom becomes true only by (2), since
//!   `p'` is negative in all other clauses. A copy thus becomes true if and only if a rule supports
//!   its atom by copies that became true before: the least model of the reduct, computed component
//!   by component. All copies are assigned if and only if all true atoms are founded.
//! - A program without cycles through the heads of its disjunctions has the answer sets of the
//!   program in which each disjunction is shifted (Ben-Eliyahu and Dechter, 1994). Its rules are the
//!   supports. Other disjunctions are refused.
//!
//! The counter propagates these clauses together with the completion, before all variables are
//! assigned. No answer is lost: for each answer that extends the partial assignment, `p' = p`
//! satisfies all clauses, so that propagation derives nothing that the answer contradicts. No model
//! is added, since propagation is monotonic and confluent: what it assigns to copies at the end does
//! not depend on the order of decisions. For the same reason components without common variables,
//! the copies included, can be counted separately. In a component that consists of copies alone,
//! propagation has ended without assigning them, so that it has no model.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ground::{Completion, GroundProgram, GroundRule};
use rustc_hash::FxHashMap;

use super::formula::{Formula, Role};

/// Maximum number of partial sums of all recursive sums.
const MAX_PARTIAL_SUMS: usize = 1 << 22;

/// Refuses disjunctions with two head atoms that depend on each other.
pub fn check_disjunctions(ground: &GroundProgram, components: &[u32]) -> Result<(), String> {
    for rule in ground.rules.iter().filter(|rule| !rule.is_choice) {
        let mut heads = rule.head.clone();
        heads.sort_unstable();
        heads.dedup();
        let mut on_cycles: Vec<u32> =
            heads.iter().map(|&atom| components[atom as usize]).filter(|&component| component > 0).collect();
        on_cycles.sort_unstable();
        if on_cycles.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("atoms of one disjunction depend on each other".to_owned());
        }
    }
    Ok(())
}

/// Adds the copies of the atoms on cycles, with their clauses.
pub fn add_copies(ground: &GroundProgram, completion: &Completion, components: &[u32], formula: &mut Formula) {
    let is_on_cycle = |atom: u32| components.get(atom as usize).is_some_and(|&component| component > 0);
    let atoms: Vec<u32> = completion.supports.keys().copied().filter(|&atom| is_on_cycle(atom)).collect();
    let copies: FxHashMap<u32, i32> = atoms.iter().map(|&atom| (atom, formula.add_variable(Role::Copy))).collect();
    for &atom in &atoms {
        let copy = copies[&atom];
        formula.add_clause(&[-copy, atom as i32]);
        for support in &completion.supports[&atom] {
            let body = support.rule.map_or(&[][..], |rule| &ground.rules[rule].body);
            let inner = body
                .iter()
                .map(|&(literal, _)| literal)
                .filter(|&literal| literal > 0 && components[literal as usize] == components[atom as usize]);
            let copied = inner.map(|literal| -copies[&(literal as u32)]);
            let clause: Vec<i32> = copied.chain([-(atom as i32), -support.literal, copy]).collect();
            formula.add_clause(&clause);
        }
    }
}

/// Returns a program with as many answers, without edges, and without sums that depend on the atoms
/// of their heads. New atoms have exactly one value in each answer.
pub fn without_edges_and_recursive_sums(ground: &GroundProgram) -> Result<Cow<'_, GroundProgram>, String> {
    if ground.rules.iter().flat_map(|rule| &rule.body).any(|&(_, weight)| weight < 0) {
        return Err("a rule body has a negative weight".to_owned());
    }
    let mut ground = Cow::Borrowed(ground);
    if !ground.edges.is_empty() {
        let mut atoms = NewAtoms::of(&ground);
        translate_edges(ground.to_mut(), &mut atoms);
    }
    let components = prover::positive_components(&ground);
    let is_recursive = |rule: &GroundRule| {
        let component = |atom: u32| components[atom as usize];
        rule.bound.is_some()
            && rule.body.iter().any(|&(literal, _)| {
                literal > 0
                    && component(literal as u32) > 0
                    && rule.head.iter().any(|&head| component(head) == component(literal as u32))
            })
    };
    let recursive: Vec<usize> = (0..ground.rules.len()).filter(|&rule| is_recursive(&ground.rules[rule])).collect();
    if !recursive.is_empty() {
        let mut atoms = NewAtoms::of(&ground);
        let ground = ground.to_mut();
        let mut partial_sums = 0;
        for number in recursive {
            let rule = &mut ground.rules[number];
            let bound = rule.required_weight();
            rule.bound = None;
            let items = std::mem::take(&mut rule.body);
            let mut sum = RecursiveSum { items: &items, atoms: &mut atoms, known: BTreeMap::new(), rules: Vec::new() };
            let body = sum.reach(bound);
            partial_sums += sum.known.len();
            if partial_sums > MAX_PARTIAL_SUMS {
                return Err(format!("sums on cycles have more than {MAX_PARTIAL_SUMS} partial sums"));
            }
            let rules = sum.rules;
            // A sum that cannot reach its bound is an atom without rules.
            ground.rules[number].body = body.map(|atom| (atom, 1)).into_iter().collect();
            ground.rules.extend(rules);
        }
    }
    Ok(ground)
}

/// Numbers for new atoms.
struct NewAtoms(u32);

impl NewAtoms {
    fn of(ground: &GroundProgram) -> Self {
        let in_outputs = ground.outputs.iter().flat_map(|(_, condition)| condition);
        let literals = in_outputs.chain(&ground.assumed).map(|literal| literal.unsigned_abs());
        let projected = ground.projected.iter().flatten().copied();
        NewAtoms(literals.chain(projected).max().unwrap_or(0).max(ground.last_atom()))
    }

    fn next(&mut self) -> i32 {
        self.0 += 1;
        self.0 as i32
    }
}

fn rule(head: i32, body: &[i32]) -> GroundRule {
    let body = body.iter().map(|&literal| (literal, 1)).collect();
    GroundRule { is_choice: false, head: vec![head as u32], body, bound: None }
}

/// Translates edges: a node is reached if all existing edges to it come from reached nodes. The
/// edges form no cycle if and only if all nodes are reached.
fn translate_edges(ground: &mut GroundProgram, atoms: &mut NewAtoms) {
    let edges = std::mem::take(&mut ground.edges);
    let mut reached: BTreeMap<i32, i32> = BTreeMap::new();
    let mut passed: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (from, to, condition) in &edges {
        let [from, _] = [from, to].map(|node| *reached.entry(*node).or_insert_with(|| atoms.next()));
        let edge = atoms.next();
        ground.rules.push(rule(edge, &[from]));
        let exists = atoms.next();
        ground.rules.push(rule(exists, condition));
        ground.rules.push(rule(edge, &[-exists]));
        passed.entry(*to).or_default().push(edge);
    }
    for (node, &atom) in &reached {
        ground.rules.push(rule(atom, passed.get(node).map_or(&[], |edges| edges)));
        ground.rules.push(GroundRule { body: vec![(-atom, 1)], ..GroundRule::contradiction() });
    }
}

/// A sum that becomes rules: an atom for each number of items and each weight that they must reach.
struct RecursiveSum<'a> {
    items: &'a [(i32, i32)],
    atoms: &'a mut NewAtoms,
    known: BTreeMap<(usize, i64), i32>,
    rules: Vec<GroundRule>,
}

impl RecursiveSum<'_> {
    /// Returns an atom that holds if and only if the items reach `need`; `None` if they always do.
    fn reach(&mut self, need: i64) -> Option<i32> {
        // The weight of the first items, by their number.
        let mut totals = vec![0_i64];
        for &(_, weight) in self.items {
            totals.push(totals[totals.len() - 1] + i64::from(weight));
        }
        let count = self.items.len();
        if need <= 0 {
            return None;
        }
        let root = self.atom(count, need);
        let mut open = vec![(count, need)];
        while let Some((count, need)) = open.pop() {
            let head = self.known[&(count, need)];
            if totals[count] < need || self.known.len() > MAX_PARTIAL_SUMS {
                continue;
            }
            let (literal, weight) = self.items[count - 1];
            for (condition, rest) in [(None, need), (Some(literal), need - i64::from(weight))] {
                let mut body: Vec<i32> = condition.into_iter().collect();
                if rest > 0 {
                    let before = self.known.len();
                    body.push(self.atom(count - 1, rest));
                    if self.known.len() > before {
                        open.push((count - 1, rest));
                    }
                }
                self.rules.push(rule(head, &body));
            }
        }
        Some(root)
    }

    fn atom(&mut self, count: usize, need: i64) -> i32 {
        let atoms = &mut self.atoms;
        *self.known.entry((count, need)).or_insert_with(|| atoms.next())
    }
}
