//! Detection of unfounded sets with source pointers.
//!
//! Each atom in a non-trivial strongly connected component of the positive dependency graph has a
//! source: a rule that founds it from atoms that are outside of the component or have a source.
//! When a literal that a source needs becomes false, its atom and all atoms that rely on it lose
//! their sources and look for others. Atoms that find none form an unfounded set.

use ground::{ByLiteral, GroundRule, Literal, Support};
use rustc_hash::FxHashSet;

/// An unfounded set and its loop nogood.
///
/// For each atom of the set, the nogood is the clause of the negated atom and the literals of
/// `clause`, which are all false: the external supports of the set, and the literals of `context`.
/// Rules that support the set only if a literal of `context` is true are not among the supports.
#[derive(Debug, Clone)]
pub struct UnfoundedSet {
    pub atoms: Vec<u32>,
    pub context: Vec<i32>,
    pub clause: Vec<Literal>,
}

/// By literal: 1 for true, -1 for false, 0 for unassigned.
pub type Values = ByLiteral<i8>;

const NONE: u32 = u32::MAX;

/// A possible source of an atom in a non-trivial SCC.
struct Source {
    head: u32,
    rule: Option<usize>,
    /// The rule is not a source if this literal is false.
    literal: Literal,
    /// The positive body atoms in the same component, by their numbers as component atoms.
    inner: Vec<u32>,
    is_weighted: bool,
}

/// Source pointers of the atoms in non-trivial SCCs ("component atoms"), which are numbered
/// consecutively from 0.
pub struct UnfoundedSetDetector {
    supports: Vec<Vec<Support>>,
    /// The program atom of each component atom, and the inverse.
    atoms: Vec<u32>,
    numbers: Vec<u32>,
    candidates: Vec<Source>,
    /// By component atom: the candidates that found it, and those whose body contains it.
    candidates_of: Vec<Vec<u32>>,
    dependents: Vec<Vec<u32>>,
    /// By literal: the candidates to check when it becomes false.
    watches: ByLiteral<Vec<u32>>,
    source_of: Vec<u32>,
    /// Queue of component atoms without a source, and by component atom whether it is queued.
    queue: Vec<u32>,
    is_queued: Vec<bool>,
    propagated: usize,
}

impl UnfoundedSetDetector {
    /// Creates a detector without source pointers; the first search sets them.
    ///
    /// `supports` has the supports of each atom and `component_of` the component of each atom, 0 for
    /// atoms that need no source. Atoms that need no source may lack supports.
    pub fn new(rules: &[GroundRule], supports: Vec<Vec<Support>>, component_of: &[u32], variables: usize) -> Self {
        let component_of = |atom: u32| component_of.get(atom as usize).copied().unwrap_or(0);
        let mut atoms = Vec::new();
        let mut numbers = vec![NONE; supports.len()];
        for atom in (1..supports.len() as u32).filter(|&atom| component_of(atom) > 0) {
            numbers[atom as usize] = atoms.len() as u32;
            atoms.push(atom);
        }
        let mut detector = UnfoundedSetDetector {
            supports,
            candidates: Vec::new(),
            candidates_of: vec![Vec::new(); atoms.len()],
            dependents: vec![Vec::new(); atoms.len()],
            watches: ByLiteral::new(variables, Vec::new()),
            source_of: vec![NONE; atoms.len()],
            queue: (0..atoms.len() as u32).collect(),
            is_queued: vec![true; atoms.len()],
            atoms,
            numbers,
            propagated: 0,
        };
        for head in 0..detector.atoms.len() as u32 {
            let atom = detector.atoms[head as usize];
            for support in detector.supports[atom as usize].clone() {
                let is_in_component = |other: &u32| component_of(*other) == component_of(atom);
                let Some(rule) = support.rule.map(|rule| &rules[rule]) else {
                    detector.add_candidate(
                        Source {
                            head,
                            rule: None,
                            literal: Literal::from_signed(support.literal),
                            inner: Vec::new(),
                            is_weighted: false,
                        },
                        &[],
                    );
                    continue;
                };
                let mut inner: Vec<u32> = rule
                    .body
                    .iter()
                    .filter(|(literal, _)| *literal > 0)
                    .map(|(literal, _)| *literal as u32)
                    .filter(is_in_component)
                    .collect();
                inner.sort_unstable();
                inner.dedup();
                let inner: Vec<u32> = inner.into_iter().map(|atom| detector.numbers[atom as usize]).collect();
                // A disjunction may found several atoms of one loop, so that another true head atom
                // does not invalidate it.
                let is_shared =
                    !rule.is_choice && rule.head.iter().any(|other| *other != atom && is_in_component(other));
                let literal = Literal::from_signed(if is_shared { support.body } else { support.literal });
                let is_weighted = rule.bound.is_some() && !inner.is_empty();
                let watched: Vec<Literal> = if is_weighted {
                    rule.body.iter().map(|&(literal, _)| Literal::from_signed(literal)).collect()
                } else {
                    Vec::new()
                };
                detector.add_candidate(Source { head, rule: support.rule, literal, inner, is_weighted }, &watched);
            }
        }
        detector
    }

    /// Adapts the watch lists to a new number of variables.
    pub fn resize(&mut self, variables: usize) {
        self.watches.resize(variables, Vec::new());
    }

    fn add_candidate(&mut self, candidate: Source, watched: &[Literal]) {
        let number = self.candidates.len() as u32;
        self.candidates_of[candidate.head as usize].push(number);
        for &atom in &candidate.inner {
            self.dependents[atom as usize].push(number);
        }
        for &literal in [candidate.literal].iter().chain(watched) {
            self.watches[literal].push(number);
        }
        self.candidates.push(candidate);
    }

    /// Notes that backjumping has unassigned a variable.
    pub fn on_unassign(&mut self, variable: u32) {
        let Some(&number) = self.numbers.get(variable as usize).filter(|number| **number != NONE) else { return };
        if self.source_of[number as usize] == NONE {
            self.enqueue(number);
        }
    }

    /// Notes that backjumping has cut the trail to this length.
    pub fn on_backjump(&mut self, length: usize) {
        self.propagated = self.propagated.min(length);
    }

    fn enqueue(&mut self, number: u32) {
        if !std::mem::replace(&mut self.is_queued[number as usize], true) {
            self.queue.push(number);
        }
    }

    fn is_false(&self, number: u32, values: &Values) -> bool {
        values[Literal::positive(self.atoms[number as usize])] < 0
    }

    /// Returns an unfounded set whose atoms are not all false. Unit propagation must be complete.
    pub fn find_unfounded_set(
        &mut self,
        rules: &[GroundRule],
        trail: &[Literal],
        values: &Values,
    ) -> Option<UnfoundedSet> {
        if self.atoms.is_empty() {
            return None;
        }
        self.invalidate(trail);
        self.find_new_sources(rules, values);
        // False atoms need no source until they are unassigned.
        let first = loop {
            let &number = self.queue.last()?;
            if self.source_of[number as usize] == NONE && !self.is_false(number, values) {
                break number;
            }
            self.queue.pop();
            self.is_queued[number as usize] = false;
        };
        Some(self.unfounded_closure(first, rules, values))
    }

    /// Removes the sources that new assignments invalidate, and transitively all sources that rely
    /// on them.
    fn invalidate(&mut self, trail: &[Literal]) {
        let mut unsourced = Vec::new();
        for &literal in &trail[self.propagated..] {
            for &candidate in &self.watches[!literal] {
                let head = self.candidates[candidate as usize].head;
                if self.source_of[head as usize] == candidate {
                    self.source_of[head as usize] = NONE;
                    unsourced.push(head);
                }
            }
        }
        self.propagated = trail.len();
        while let Some(atom) = unsourced.pop() {
            self.enqueue(atom);
            for &candidate in &self.dependents[atom as usize] {
                let head = self.candidates[candidate as usize].head;
                if self.source_of[head as usize] == candidate {
                    self.source_of[head as usize] = NONE;
                    unsourced.push(head);
                }
            }
        }
    }

    /// Finds new sources for queued atoms.
    fn find_new_sources(&mut self, rules: &[GroundRule], values: &Values) {
        let mut newly_founded = Vec::new();
        for at in 0..self.queue.len() {
            let atom = self.queue[at];
            if self.source_of[atom as usize] != NONE || self.is_false(atom, values) {
                continue;
            }
            let found = self.candidates_of[atom as usize]
                .iter()
                .copied()
                .find(|&candidate| self.is_valid_source(candidate, rules, values));
            if let Some(candidate) = found {
                self.source_of[atom as usize] = candidate;
                newly_founded.push(atom);
            }
        }
        while let Some(atom) = newly_founded.pop() {
            for at in 0..self.dependents[atom as usize].len() {
                let candidate = self.dependents[atom as usize][at];
                let head = self.candidates[candidate as usize].head;
                let needs_source = self.source_of[head as usize] == NONE && !self.is_false(head, values);
                if needs_source && self.is_valid_source(candidate, rules, values) {
                    self.source_of[head as usize] = candidate;
                    newly_founded.push(head);
                }
            }
        }
    }

    /// Returns true if the candidate founds its atom using only atoms that have a source.
    fn is_valid_source(&self, candidate: u32, rules: &[GroundRule], values: &Values) -> bool {
        let Source { rule, literal, inner, is_weighted, .. } = &self.candidates[candidate as usize];
        if values[*literal] < 0 {
            return false;
        }
        let has_source = |number: u32| self.source_of[number as usize] != NONE;
        match rule {
            Some(rule) if *is_weighted => {
                let is_unsourced = |atom: u32| {
                    let number = self.numbers[atom as usize];
                    number != NONE && inner.binary_search(&number).is_ok() && !has_source(number)
                };
                can_reach_bound(&rules[*rule], |literal| {
                    values[Literal::from_signed(literal)] >= 0 && !(literal > 0 && is_unsourced(literal as u32))
                })
            }
            _ => inner.iter().all(|&number| has_source(number)),
        }
    }

    /// Returns an unfounded set with the atom `first`: the closure under adding, for each candidate
    /// that is not false, a body atom without a source (all of them for a weighted body).
    fn unfounded_closure(&self, first: u32, rules: &[GroundRule], values: &Values) -> UnfoundedSet {
        let mut set = vec![first];
        let mut at = 0;
        let mut is_in = FxHashSet::default();
        is_in.insert(first);
        while let Some(&atom) = set.get(at) {
            at += 1;
            for &candidate in &self.candidates_of[atom as usize] {
                let Source { literal, inner, is_weighted, .. } = &self.candidates[candidate as usize];
                if values[*literal] < 0 {
                    continue;
                }
                let mut unsourced = inner
                    .iter()
                    .copied()
                    .filter(|&number| self.source_of[number as usize] == NONE && !self.is_false(number, values));
                if *is_weighted {
                    set.extend(unsourced.filter(|&number| is_in.insert(number)));
                } else if !unsourced.clone().any(|number| is_in.contains(&number)) {
                    let number = unsourced.next().expect("else it would found the atom");
                    is_in.insert(number);
                    set.push(number);
                }
            }
        }
        let atoms = set.into_iter().map(|number| self.atoms[number as usize]).collect();
        self.loop_nogood(rules, atoms, values)
    }

    /// Returns the loop nogood of a set that is unfounded under a total assignment.
    pub fn unfounded_under_total(&self, rules: &[GroundRule], atoms: Vec<u32>, values: &Values) -> UnfoundedSet {
        self.loop_nogood(rules, atoms, values)
    }

    /// Computes the loop nogood of an unfounded set.
    fn loop_nogood(&self, rules: &[GroundRule], atoms: Vec<u32>, values: &Values) -> UnfoundedSet {
        let set: FxHashSet<u32> = atoms.iter().copied().collect();
        let is_false = |literal: i32| values[Literal::from_signed(literal)] < 0;
        let is_in = |literal: i32| literal > 0 && set.contains(&(literal as u32));
        let mut context = Vec::new();
        for support in atoms.iter().flat_map(|&atom| &self.supports[atom as usize]) {
            let Some(rule) = support.rule.map(|rule| &rules[rule]).filter(|_| !is_false(support.body)) else {
                continue;
            };
            if !can_reach_bound(rule, |literal| !is_in(literal)) {
                continue;
            }
            // The rule supports the set externally except for a true head atom outside of the set,
            // or for false literals of its weighted body.
            let is_true_outside = |&&other: &&u32| !set.contains(&other) && is_false(-(other as i32));
            if let Some(&other) = rule.head.iter().find(is_true_outside).filter(|_| !rule.is_choice) {
                context.push(-(other as i32));
            } else {
                let literals = rule.body.iter().map(|&(literal, _)| literal);
                context.extend(literals.filter(|&literal| !is_in(literal) && is_false(literal)));
            }
        }
        context.sort_unstable();
        context.dedup();
        let joins = |literal: i32| context.binary_search(&literal).is_ok();
        let mut clause: Vec<Literal> = context.iter().map(|&literal| Literal::from_signed(literal)).collect();
        for &atom in &atoms {
            for support in &self.supports[atom as usize] {
                let Some(rule) = support.rule.map(|rule| &rules[rule]) else { continue };
                let others = || rule.head.iter().filter(|&&other| other != atom && !rule.is_choice);
                let has_true_outside_head = others().any(|&other| !set.contains(&other) && joins(-(other as i32)));
                if can_reach_bound(rule, |literal| !is_in(literal) && !joins(literal)) && !has_true_outside_head {
                    let is_shared = others().any(|other| set.contains(other));
                    clause.push(Literal::from_signed(if is_shared { support.body } else { support.literal }));
                }
            }
        }
        clause.sort_unstable();
        clause.dedup();
        UnfoundedSet { atoms, context, clause }
    }
}

/// Returns true if the body can hold with only the literals that `counts` selects. Literals with
/// negative weights need not count.
fn can_reach_bound(rule: &GroundRule, counts: impl Fn(i32) -> bool) -> bool {
    let counted = rule.body.iter().filter(|&&(literal, weight)| weight > 0 && counts(literal));
    counted.map(|&(_, weight)| i64::from(weight)).sum::<i64>() >= rule.required_weight()
}
