//! Unit propagation over a ground program. Every inference is sound for all answer sets.
//!
//! The search for small reasons tests thousands of small sets of assumptions per second, while a
//! single call of the solver takes a millisecond. A propagator that can assume literals, report
//! consequences and backtrack suffices for these tests. It uses the rules of smodels and clasp
//! (Gebser, Kaufmann and Schaub, "Conflict-driven answer set solving: from theory to practice",
//! 2012) without learning:
//!
//! ```text
//!   a :- b, not c.        every body is a variable, true iff its literals reach its bound
//!   a :- 2 { d; e; f }.   true bodies make their heads true (choices do not)
//!                         an atom is false if all bodies that support it are false; if an
//!                         atom is true, the last body that is not false must be true
//!   x :- y.  y :- x.      atoms that only support each other are false: each atom of a cycle has a
//!                         source pointer to a body that does not depend on the atom; atoms without
//!                         a source are unfounded
//! ```
//!
//! It misses conclusions that require a case distinction. The body of a disjunction supports each
//! of its atoms, which is sound but incomplete.
//!
//! For every implied literal the antecedent is stored, so that the assumptions that cause a
//! conflict can be traced. Of several antecedents the earliest is stored. Propagation is breadth
//! first, so explanations are short, but not always the shortest.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::asp::{GroundProgram, GroundRule, Truth};

/// A ground program under assumptions. A literal is the number of an atom, or its negative; atoms
/// that do not occur in the program are false.
pub struct Propagator {
    /// The number of atoms. Variables are numbered from 1: first the atoms, then a variable that is
    /// always true, then the bodies.
    atoms: i32,
    bodies: Vec<Body>,
    /// By literal: the bodies in which it occurs, each with the literal's weight.
    occurrences: Vec<Vec<(u32, i64)>>,
    /// By literal: the atoms that it makes true, as the whole body of a rule.
    forced: Vec<Vec<i32>>,
    /// By literal: the atoms that it supports.
    supported: Vec<Vec<i32>>,
    /// By literal: the disjunctions that have it as their body.
    disjunctions_of_body: Vec<Vec<u32>>,
    /// By atom: the literals that support it.
    supports: Vec<Vec<i32>>,
    /// By atom: the literals that make it true.
    forcing: Vec<Vec<i32>>,
    /// By atom: the disjunctions in which it occurs.
    disjunctions_of_head: Vec<Vec<u32>>,
    /// The body and the heads of each disjunction.
    disjunctions: Vec<(i32, Vec<i32>)>,
    /// By atom: the number of its component of the positive dependency graph; 0 if it is in no
    /// cycle.
    components: Vec<u32>,

    values: Vec<i8>,
    reasons: Vec<Antecedent>,
    positions: Vec<u32>,
    trail: Vec<i32>,
    propagated: usize,
    levels: Vec<Checkpoint>,
    conflict: Option<(i32, Antecedent)>,
    /// By atom: the number of supporting literals that are not false.
    open_supports: Vec<u32>,
    /// By atom in a cycle: its source pointer; 0 if it has none.
    sources: Vec<i32>,
    /// Atoms whose source must be checked; true if the source is certainly lost.
    lost_sources: Vec<(i32, bool)>,
    loop_reasons: Vec<i32>,
}

/// A rule body, which is true if and only if the weights of its true literals reach the bound.
struct Body {
    /// Literals and weights, in descending order of weight.
    items: Vec<(i32, i64)>,
    bound: i64,
    total: i64,
    /// The sum of the weights of the literals that are true.
    true_weight: i64,
    /// The sum of the weights of the literals that are not false.
    possible_weight: i64,
    is_conjunction: bool,
    /// The smallest slack for which the items were already scanned; `i64::MAX` if the body has
    /// changed since.
    scanned: i64,
    /// True for a sum in which an atom counts towards its own support.
    is_recursive_sum: bool,
}

/// The state to restore when a decision level is undone.
#[derive(Clone, Copy)]
struct Checkpoint {
    trail_len: usize,
    loop_reasons_len: usize,
    conflict: Option<(i32, Antecedent)>,
}

#[derive(Clone, Copy)]
enum Antecedent {
    Assumed,
    /// The equivalence of a body with its literals.
    Body(u32),
    /// A single other literal.
    Literal(i32),
    /// The implication from an atom to its supports.
    Support(i32),
    Disjunction(u32),
    /// An unfounded set: the start and the length of its reason in `loop_reasons`.
    Unfounded(u32, u32),
}

/// The error of a propagation that ends in a conflict, which
/// [`Propagator::conflict_assumptions`] explains.
struct Conflict;

/// Maps the items and the bound of a body to its literal.
type BodyLiterals = FxHashMap<(Vec<(i32, i64)>, i64), i32>;

impl Propagator {
    pub fn new(ground: &GroundProgram) -> Self {
        // External atoms that are not false may have any value.
        let external_atoms =
            ground.externals.iter().filter(|(_, value)| **value != Truth::False).map(|(&atom, _)| atom);
        let externals = GroundRule { is_choice: true, head: external_atoms.collect(), body: Vec::new(), bound: None };
        let rules: Vec<&GroundRule> = ground.rules.iter().chain([&externals]).collect();
        let atoms = ground.last_atom() as i32;
        let mut propagator = Propagator {
            atoms,
            bodies: Vec::new(),
            occurrences: Vec::new(),
            forced: Vec::new(),
            supported: Vec::new(),
            disjunctions_of_body: Vec::new(),
            supports: vec![Vec::new(); atoms as usize + 1],
            forcing: vec![Vec::new(); atoms as usize + 1],
            disjunctions_of_head: vec![Vec::new(); atoms as usize + 1],
            disjunctions: Vec::new(),
            components: vec![0; atoms as usize + 1],
            values: Vec::new(),
            reasons: Vec::new(),
            positions: Vec::new(),
            trail: Vec::new(),
            propagated: 0,
            levels: Vec::new(),
            conflict: None,
            open_supports: Vec::new(),
            sources: vec![0; atoms as usize + 1],
            lost_sources: Vec::new(),
            loop_reasons: Vec::new(),
        };
        let mut known = FxHashMap::default();
        let bodies: Vec<i32> =
            rules.iter().map(|rule| propagator.body_literal(&rule.body, rule.required_weight(), &mut known)).collect();
        propagator.build_index(&rules, &bodies);
        propagator.find_components();
        let impossible = rules.iter().zip(&bodies).filter(|(rule, _)| rule.head.is_empty() && !rule.is_choice);
        let _ = propagator.propagate_initial(impossible.map(|(_, &body)| -body).collect());
        propagator
    }

    /// Returns the literal of a body. Adds the body if it is not in `known`.
    fn body_literal(&mut self, items: &[(i32, i32)], bound: i64, known: &mut BodyLiterals) -> i32 {
        let mut bound = bound;
        let mut items: Vec<(i32, i64)> = items
            .iter()
            .filter(|(_, weight)| *weight != 0)
            .map(|&(literal, weight)| match i64::from(weight) {
                // A negative weight of a literal is a positive weight of its complement.
                weight @ ..0 => {
                    bound -= weight;
                    (-literal, -weight)
                }
                weight => (literal, weight),
            })
            .collect();
        items.sort_unstable_by_key(|&(literal, weight)| (-weight, literal));
        let total: i64 = items.iter().map(|(_, weight)| weight).sum();
        let truth = self.atoms + 1;
        match &items[..] {
            _ if bound <= 0 => truth,
            _ if total < bound => -truth,
            &[(literal, _)] => literal,
            _ => *known.entry((items, bound)).or_insert_with_key(|(items, bound)| {
                let is_conjunction = items.iter().all(|(_, weight)| total - weight < *bound);
                self.bodies.push(Body {
                    items: items.clone(),
                    bound: *bound,
                    total,
                    true_weight: 0,
                    possible_weight: total,
                    is_conjunction,
                    scanned: i64::MAX,
                    is_recursive_sum: false,
                });
                truth + self.bodies.len() as i32
            }),
        }
    }

    fn build_index(&mut self, rules: &[&GroundRule], bodies: &[i32]) {
        let variables = self.atoms as usize + 2 + self.bodies.len();
        self.values = vec![0; variables];
        self.reasons = vec![Antecedent::Assumed; variables];
        self.positions = vec![0; variables];
        self.occurrences = vec![Vec::new(); 2 * variables];
        self.forced = vec![Vec::new(); 2 * variables];
        self.supported = vec![Vec::new(); 2 * variables];
        self.disjunctions_of_body = vec![Vec::new(); 2 * variables];
        for (number, body) in self.bodies.iter().enumerate() {
            for &(literal, weight) in &body.items {
                self.occurrences[index_of(literal)].push((number as u32, weight));
            }
        }
        for (rule, &body) in rules.iter().zip(bodies) {
            for &atom in &rule.head {
                self.supports[atom as usize].push(body);
            }
            match &rule.head[..] {
                _ if rule.is_choice => {}
                [] => {}
                &[atom] => self.forcing[atom as usize].push(body),
                several => {
                    let number = self.disjunctions.len() as u32;
                    let heads: Vec<i32> = several.iter().map(|&atom| atom as i32).collect();
                    for &atom in &heads {
                        self.disjunctions_of_head[atom as usize].push(number);
                    }
                    self.disjunctions_of_body[index_of(body)].push(number);
                    self.disjunctions.push((body, heads));
                }
            }
        }
        for atom in 1..=self.atoms {
            for (list, by_literal) in [(&mut self.supports, &mut self.supported), (&mut self.forcing, &mut self.forced)]
            {
                let list = &mut list[atom as usize];
                list.sort_unstable();
                list.dedup();
                for &body in list.iter() {
                    by_literal[index_of(body)].push(atom);
                }
            }
        }
        self.open_supports = self.supports.iter().map(|supports| supports.len() as u32).collect();
    }

    fn find_components(&mut self) {
        let mut edges = Vec::new();
        for atom in 1..=self.atoms {
            for &support in &self.supports[atom as usize] {
                self.for_each_positive_atom(support, |other| edges.push((other as u32, atom as u32)));
            }
        }
        let graph = DiGraph::<(), ()>::from_edges(edges);
        let mut number = 0;
        for component in kosaraju_scc(&graph) {
            if component.len() > 1 || graph.contains_edge(component[0], component[0]) {
                number += 1;
                for atom in component {
                    self.components[atom.index()] = number;
                    self.lost_sources.push((atom.index() as i32, true));
                }
            }
        }
        for body in 0..self.bodies.len() {
            let literal = self.atoms + 2 + body as i32;
            let mut is_recursive = false;
            self.for_each_positive_atom(literal, |other| {
                let cycle = self.components[other as usize];
                let mut heads = self.supported[index_of(literal)].iter();
                is_recursive |= cycle > 0 && heads.any(|&head| self.components[head as usize] == cycle);
            });
            self.bodies[body].is_recursive_sum = is_recursive && !self.bodies[body].is_conjunction;
        }
    }

    /// Calls `visit` with each positive atom of the body that `literal` represents.
    fn for_each_positive_atom(&self, literal: i32, mut visit: impl FnMut(i32)) {
        match self.body_of(literal) {
            Some(body) => {
                for &(item, _) in self.bodies[body].items.iter().filter(|(item, _)| *item > 0) {
                    visit(item);
                }
            }
            None if (1..=self.atoms).contains(&literal) => visit(literal),
            None => {}
        }
    }

    /// Returns the index of the body that `literal` represents, if any.
    fn body_of(&self, literal: i32) -> Option<usize> {
        (literal.unsigned_abs() as usize).checked_sub(self.atoms as usize + 2)
    }

    /// Propagates `literals` and everything else that holds without assumptions.
    fn propagate_initial(&mut self, literals: Vec<i32>) -> Result<(), Conflict> {
        self.enqueue(self.atoms + 1, Antecedent::Assumed)?;
        literals.into_iter().try_for_each(|literal| self.enqueue(literal, Antecedent::Assumed))?;
        (0..self.bodies.len()).try_for_each(|body| self.check_body(body as u32))?;
        (1..=self.atoms).try_for_each(|atom| self.check_support(atom))?;
        self.propagate()
    }

    /// Opens a decision level and assumes all `literals`. Returns false if propagation ends in a
    /// conflict.
    pub fn assume(&mut self, literals: &[i32]) -> bool {
        self.levels.push(Checkpoint {
            trail_len: self.trail.len(),
            loop_reasons_len: self.loop_reasons.len(),
            conflict: self.conflict,
        });
        if self.conflict.is_some() {
            return false;
        }
        let assumed = literals.iter().try_for_each(|&literal| {
            // An atom that does not occur becomes a literal that is false.
            let known = self.normalized(literal);
            self.enqueue(known, Antecedent::Assumed)
                .inspect_err(|_| self.conflict = Some((literal, Antecedent::Assumed)))
        });
        assumed.and_then(|()| self.propagate()).is_ok()
    }

    /// Undoes the last decision level.
    pub fn undo(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        self.conflict = level.conflict;
        while self.trail.len() > level.trail_len {
            let literal = self.trail.pop().expect("it is longer");
            if self.propagated > self.trail.len() {
                self.propagated -= 1;
                // Only literals that were propagated have changed counters.
                for &(body, weight) in &self.occurrences[index_of(literal)] {
                    let body = &mut self.bodies[body as usize];
                    (body.true_weight, body.scanned) = (body.true_weight - weight, i64::MAX);
                }
                for &(body, weight) in &self.occurrences[index_of(-literal)] {
                    let body = &mut self.bodies[body as usize];
                    (body.possible_weight, body.scanned) = (body.possible_weight + weight, i64::MAX);
                }
                if let Some(body) = self.body_of(literal) {
                    self.bodies[body].scanned = i64::MAX;
                }
                for &atom in &self.supported[index_of(-literal)] {
                    self.open_supports[atom as usize] += 1;
                }
            }
            self.values[literal.unsigned_abs() as usize] = 0;
            if literal < 0 && -literal <= self.atoms {
                let atom = -literal;
                if self.components[atom as usize] > 0 && self.sources[atom as usize] == 0 {
                    self.lost_sources.push((atom, true));
                }
            }
        }
        self.loop_reasons.truncate(level.loop_reasons_len);
    }

    /// Returns the value of `literal`, if it has one.
    pub fn value(&self, literal: i32) -> Option<bool> {
        let literal = self.normalized(literal);
        match self.values[literal.unsigned_abs() as usize] * literal.signum() as i8 {
            0 => None,
            value => Some(value > 0),
        }
    }

    /// Returns the literals of atoms that the last level has made true, including its assumptions,
    /// in order of assignment.
    pub fn implied(&self) -> impl Iterator<Item = i32> + '_ {
        let since = self.levels.last().map_or(0, |level| level.trail_len);
        self.trail[since..].iter().copied().filter(|literal| literal.abs() <= self.atoms)
    }

    /// Returns the variables that the last level has assigned, including bodies.
    pub fn assigned_by_level(&self) -> impl Iterator<Item = u32> + '_ {
        let since = self.levels.last().map_or(0, |level| level.trail_len);
        self.trail[since..].iter().map(|literal| literal.unsigned_abs())
    }

    /// Returns all assigned variables.
    pub fn assigned(&self) -> impl Iterator<Item = u32> + '_ {
        self.trail.iter().map(|literal| literal.unsigned_abs())
    }

    /// Returns the largest variable plus one.
    pub fn variable_count(&self) -> usize {
        self.values.len()
    }

    /// Calls `visit` with the neighbourhood of `variables`: the variables of all inferences that
    /// involve one of them. The consequences of assumptions do not change until a variable in their
    /// neighbourhood is assigned.
    pub fn inference_neighbourhood(&self, variables: impl Iterator<Item = u32>, mut visit: impl FnMut(u32)) {
        let mut bodies = FxHashSet::default();
        let mut atoms = FxHashSet::default();
        let (mut disjunctions, mut cycles) = (FxHashSet::<u32>::default(), FxHashSet::default());
        for variable in variables {
            let literal = variable as i32;
            for sign in [index_of(literal), index_of(-literal)] {
                bodies.extend(self.occurrences[sign].iter().map(|(body, _)| *body as usize));
                atoms.extend(&self.supported[sign]);
                disjunctions.extend(&self.disjunctions_of_body[sign]);
            }
            match self.body_of(literal) {
                Some(body) => drop(bodies.insert(body)),
                None if literal <= self.atoms => {
                    atoms.insert(literal);
                    disjunctions.extend(&self.disjunctions_of_head[literal as usize]);
                }
                None => {}
            }
        }
        for &body in &bodies {
            let body_variable = self.atoms + 2 + body as i32;
            visit(body_variable as u32);
            for (item, _) in &self.bodies[body].items {
                visit(item.unsigned_abs());
            }
            cycles.extend(self.supported[index_of(body_variable)].iter().map(|&atom| self.components[atom as usize]));
        }
        cycles.extend(atoms.iter().map(|&atom| self.components[atom as usize]));
        for &number in &disjunctions {
            let (body, heads) = &self.disjunctions[number as usize];
            for literal in heads.iter().chain([body]) {
                visit(literal.unsigned_abs());
            }
        }
        cycles.remove(&0);
        if !cycles.is_empty() {
            atoms.extend((1..=self.atoms).filter(|&atom| cycles.contains(&self.components[atom as usize])));
        }
        for atom in atoms {
            visit(atom as u32);
            for &support in &self.supports[atom as usize] {
                visit(support.unsigned_abs());
                let body = self.body_of(support).filter(|_| self.components[atom as usize] > 0);
                if let Some(body) = body {
                    for (item, _) in &self.bodies[body].items {
                        visit(item.unsigned_abs());
                    }
                }
            }
        }
    }

    /// Returns the assumptions that cause the conflict, from all levels; none if there is no
    /// conflict.
    pub fn conflict_assumptions(&self) -> Vec<i32> {
        let Some((literal, reason)) = self.conflict else { return Vec::new() };
        if self.levels.first().is_none_or(|level| level.conflict.is_some()) {
            return Vec::new();
        }
        if let Antecedent::Assumed = reason {
            let mut causes = self.assumptions_implying(-literal);
            causes.push(literal);
            return causes;
        }
        let mut literals = vec![-literal];
        self.antecedents(literal, reason, self.trail.len() as u32, &mut literals);
        self.trace_to_assumptions(literals)
    }

    /// Returns the assumptions that imply `literal`, which must be true.
    pub fn assumptions_implying(&self, literal: i32) -> Vec<i32> {
        self.trace_to_assumptions(vec![self.normalized(literal)])
    }

    /// Returns the assumptions that imply `literals`.
    fn trace_to_assumptions(&self, mut literals: Vec<i32>) -> Vec<i32> {
        let base_len = self.levels.first().map_or(self.trail.len(), |level| level.trail_len) as u32;
        let mut is_seen = vec![false; self.values.len()];
        let mut assumed = Vec::new();
        let mut antecedents = Vec::new();
        while let Some(literal) = literals.pop() {
            let variable = literal.unsigned_abs() as usize;
            let position = self.positions[variable];
            if position < base_len || std::mem::replace(&mut is_seen[variable], true) {
                continue;
            }
            match self.reasons[variable] {
                Antecedent::Assumed => assumed.push(literal),
                reason => {
                    self.antecedents(literal, reason, position, &mut antecedents);
                    literals.append(&mut antecedents);
                }
            }
        }
        assumed
    }

    /// Adds literals to `found` that were true before `position` and imply `literal` by `reason`.
    fn antecedents(&self, literal: i32, reason: Antecedent, position: u32, found: &mut Vec<i32>) {
        let holds = |literal: i32| self.is_true(literal) && self.positions[literal.unsigned_abs() as usize] < position;
        match reason {
            Antecedent::Assumed => {}
            Antecedent::Literal(other) => found.push(other),
            Antecedent::Unfounded(from, length) => {
                found.extend_from_slice(&self.loop_reasons[from as usize..][..length as usize]);
            }
            Antecedent::Support(atom) => {
                if literal > 0 || literal != -atom {
                    found.push(atom);
                }
                let others = self.supports[atom as usize].iter().filter(|&&support| support != literal);
                found.extend(others.map(|support| -support));
            }
            Antecedent::Disjunction(number) => {
                let (body, heads) = &self.disjunctions[number as usize];
                found.extend(
                    [*body]
                        .into_iter()
                        .chain(heads.iter().map(|head| -head))
                        .filter(|&other| other != -literal && other != literal),
                );
            }
            Antecedent::Body(number) => {
                let body = &self.bodies[number as usize];
                let body_literal = self.atoms + 2 + number as i32;
                let weight_of = |literal: i32| {
                    body.items.iter().find(|(item, _)| *item == literal).map_or(0, |(_, weight)| *weight)
                };
                // The sign of the literals that imply `literal`, and the weight that they must
                // reach.
                let (sign, required) = if literal == body_literal {
                    (1, body.bound)
                } else if literal == -body_literal {
                    (-1, body.total - body.bound + 1)
                } else if holds(body_literal) {
                    found.push(body_literal);
                    (-1, body.total - weight_of(literal) - body.bound + 1)
                } else {
                    found.push(-body_literal);
                    (1, body.bound - weight_of(-literal))
                };
                let mut counting: Vec<(u32, i32, i64)> = body
                    .items
                    .iter()
                    .filter(|(item, _)| item.abs() != literal.abs() && holds(sign * item))
                    .map(|&(item, weight)| (self.positions[item.unsigned_abs() as usize], sign * item, weight))
                    .collect();
                counting.sort_unstable();
                let mut weight = 0;
                for (_, item, more) in counting {
                    if weight >= required {
                        break;
                    }
                    weight += more;
                    found.push(item);
                }
            }
        }
    }

    /// Maps literals of atoms that do not occur in the program to a literal with the same value,
    /// since these atoms are false.
    fn normalized(&self, literal: i32) -> i32 {
        if literal.abs() <= self.atoms { literal } else { -literal.signum() * (self.atoms + 1) }
    }

    fn is_true(&self, literal: i32) -> bool {
        self.values[literal.unsigned_abs() as usize] == literal.signum() as i8
    }

    fn is_false(&self, literal: i32) -> bool {
        self.is_true(-literal)
    }

    fn enqueue(&mut self, literal: i32, reason: Antecedent) -> Result<(), Conflict> {
        if self.is_true(literal) {
            return Ok(());
        }
        if self.is_false(literal) {
            self.conflict = Some((literal, reason));
            return Err(Conflict);
        }
        let variable = literal.unsigned_abs() as usize;
        self.values[variable] = literal.signum() as i8;
        self.reasons[variable] = reason;
        self.positions[variable] = self.trail.len() as u32;
        self.trail.push(literal);
        Ok(())
    }

    fn propagate(&mut self) -> Result<(), Conflict> {
        loop {
            while self.propagated < self.trail.len() {
                let literal = self.trail[self.propagated];
                self.propagated += 1;
                self.update_counters(literal);
                self.propagate_literal(literal)?;
            }
            if !self.falsify_unfounded()? {
                return Ok(());
            }
        }
    }

    /// Updates all counters after `literal` has become true.
    fn update_counters(&mut self, literal: i32) {
        for &(body, weight) in &self.occurrences[index_of(literal)] {
            self.bodies[body as usize].true_weight += weight;
        }
        for &(number, weight) in &self.occurrences[index_of(-literal)] {
            let body = &mut self.bodies[number as usize];
            body.possible_weight -= weight;
            if body.is_recursive_sum {
                let body_literal = self.atoms + 2 + number as i32;
                let heads = self.supported[index_of(body_literal)]
                    .iter()
                    .filter(|&&head| self.sources[head as usize] == body_literal);
                self.lost_sources.extend(heads.map(|&head| (head, true)));
            }
        }
        for &atom in &self.supported[index_of(-literal)] {
            self.open_supports[atom as usize] -= 1;
            if self.sources[atom as usize] == -literal {
                self.lost_sources.push((atom, false));
            }
        }
    }

    /// Enqueues the consequences of a literal that has become true.
    fn propagate_literal(&mut self, literal: i32) -> Result<(), Conflict> {
        for sign in [literal, -literal] {
            for at in 0..self.occurrences[index_of(sign)].len() {
                self.check_body(self.occurrences[index_of(sign)][at].0)?;
            }
        }
        if let Some(body) = self.body_of(literal) {
            self.check_body(body as u32)?;
        }
        for at in 0..self.forced[index_of(literal)].len() {
            self.enqueue(self.forced[index_of(literal)][at], Antecedent::Literal(literal))?;
        }
        for at in 0..self.disjunctions_of_body[index_of(literal)].len() {
            self.check_disjunction(self.disjunctions_of_body[index_of(literal)][at])?;
        }
        for at in 0..self.supported[index_of(-literal)].len() {
            self.check_support(self.supported[index_of(-literal)][at])?;
        }
        let atom = literal.abs();
        if atom > self.atoms {
            return Ok(());
        }
        if literal > 0 {
            return self.check_support(atom);
        }
        for at in 0..self.forcing[atom as usize].len() {
            self.enqueue(-self.forcing[atom as usize][at], Antecedent::Literal(literal))?;
        }
        for at in 0..self.disjunctions_of_head[atom as usize].len() {
            self.check_disjunction(self.disjunctions_of_head[atom as usize][at])?;
        }
        Ok(())
    }

    fn check_body(&mut self, number: u32) -> Result<(), Conflict> {
        let body_literal = self.atoms + 2 + number as i32;
        let reason = Antecedent::Body(number);
        let body = &self.bodies[number as usize];
        if body.true_weight >= body.bound {
            return self.enqueue(body_literal, reason);
        }
        if body.possible_weight < body.bound {
            return self.enqueue(-body_literal, reason);
        }
        let (slack, sign) = match self.values[body_literal as usize] {
            0 => return Ok(()),
            // An unassigned literal is implied if the bound cannot be reached without it, or must
            // not be reached with it.
            1.. => (body.possible_weight - body.bound, 1),
            _ => (body.bound - body.true_weight - 1, -1),
        };
        if body.scanned <= slack {
            return Ok(());
        }
        for at in 0..self.bodies[number as usize].items.len() {
            let (literal, weight) = self.bodies[number as usize].items[at];
            if weight <= slack {
                break;
            }
            if self.values[literal.unsigned_abs() as usize] == 0 {
                self.enqueue(sign * literal, reason)?;
            }
        }
        self.bodies[number as usize].scanned = slack;
        Ok(())
    }

    fn check_support(&mut self, atom: i32) -> Result<(), Conflict> {
        match self.open_supports[atom as usize] {
            0 => self.enqueue(-atom, Antecedent::Support(atom)),
            1 if self.is_true(atom) => {
                let last = self.supports[atom as usize].iter().find(|&&support| !self.is_false(support));
                last.copied().map_or(Ok(()), |last| self.enqueue(last, Antecedent::Support(atom)))
            }
            _ => Ok(()),
        }
    }

    fn check_disjunction(&mut self, number: u32) -> Result<(), Conflict> {
        let (body, heads) = &self.disjunctions[number as usize];
        let literals = || [-body].into_iter().chain(heads.iter().copied());
        if literals().any(|literal| self.is_true(literal)) {
            return Ok(());
        }
        let mut open = literals().filter(|&literal| !self.is_false(literal));
        match (open.next(), open.next()) {
            // All heads are false but the body is true: a conflict.
            (None, _) => self.enqueue(-*body, Antecedent::Disjunction(number)),
            (Some(last), None) => self.enqueue(last, Antecedent::Disjunction(number)),
            _ => Ok(()),
        }
    }

    /// Makes the atoms of cycles false that have lost their source and for which no other source
    /// exists. Returns true if there were any.
    fn falsify_unfounded(&mut self) -> Result<bool, Conflict> {
        if self.lost_sources.is_empty() {
            return Ok(false);
        }
        let mut lost = Vec::new();
        let mut losing: Vec<i32> = Vec::new();
        for (atom, is_lost) in std::mem::take(&mut self.lost_sources) {
            if is_lost || self.is_false(self.sources[atom as usize]) {
                losing.push(atom);
            }
        }
        let mut is_lost = FxHashSet::default();
        while let Some(atom) = losing.pop() {
            if !is_lost.insert(atom) {
                continue;
            }
            self.sources[atom as usize] = 0;
            lost.push(atom);
            self.for_each_dependent(atom, |head, body| {
                if self.sources[head as usize] == body {
                    losing.push(head);
                }
            });
        }
        let mut seeking = lost.clone();
        while let Some(atom) = seeking.pop() {
            if self.sources[atom as usize] != 0 || self.is_false(atom) {
                continue;
            }
            let source = self.supports[atom as usize].iter().copied().find(|&support| self.is_source(support, atom));
            if let Some(source) = source {
                self.sources[atom as usize] = source;
                self.for_each_dependent(atom, |head, _| {
                    if self.sources[head as usize] == 0 {
                        seeking.push(head);
                    }
                });
            }
        }
        lost.retain(|&atom| self.sources[atom as usize] == 0 && !self.is_false(atom));
        for at in 0..lost.len() {
            if self.is_false(lost[at]) {
                continue;
            }
            let (set, literals) = self.unfounded_set(lost[at]);
            let reason = Antecedent::Unfounded(self.loop_reasons.len() as u32, literals.len() as u32);
            self.loop_reasons.extend(literals);
            for atom in set {
                if let Err(conflict) = self.enqueue(-atom, reason) {
                    self.lost_sources.extend(lost.iter().map(|&atom| (atom, true)));
                    return Err(conflict);
                }
            }
        }
        Ok(!lost.is_empty())
    }

    /// Calls `visit` with each atom of the same component that has `atom` in a body, and with the
    /// literal of that body.
    fn for_each_dependent(&self, atom: i32, mut visit: impl FnMut(i32, i32)) {
        let bodies = self.occurrences[index_of(atom)].iter().map(|&(body, _)| self.atoms + 2 + body as i32);
        for body in bodies.chain([atom]) {
            for &head in &self.supported[index_of(body)] {
                if self.components[head as usize] == self.components[atom as usize] {
                    visit(head, body);
                }
            }
        }
    }

    /// Returns true if `support` can hold without atoms of the component that have no source.
    fn is_source(&self, support: i32, atom: i32) -> bool {
        let cycle = self.components[atom as usize];
        let has_no_source = |literal: i32| {
            let is_of_cycle = (1..=self.atoms).contains(&literal) && self.components[literal as usize] == cycle;
            is_of_cycle && self.sources[literal as usize] == 0
        };
        let counts = |literal: i32| !self.is_false(literal) && !has_no_source(literal);
        match self.body_of(support) {
            None => counts(support),
            Some(_) if self.is_false(support) => false,
            Some(number) => {
                let body = &self.bodies[number];
                let items = body.items.iter().filter(|&&(literal, _)| counts(literal));
                items.map(|(_, weight)| weight).sum::<i64>() >= body.bound
            }
        }
    }

    /// Returns a small unfounded set that contains `atom`, and true literals that imply that no
    /// atom of the set has a source outside it.
    fn unfounded_set(&self, atom: i32) -> (Vec<i32>, Vec<i32>) {
        let cycle = self.components[atom as usize];
        let is_unfounded = |literal: i32| {
            literal > 0
                && literal <= self.atoms
                && self.components[literal as usize] == cycle
                && self.sources[literal as usize] == 0
                && !self.is_false(literal)
        };
        let mut set = vec![atom];
        let mut is_in = FxHashSet::from_iter([atom]);
        let mut at = 0;
        while at < set.len() {
            for &support in &self.supports[set[at] as usize] {
                if self.is_false(support) {
                    continue;
                }
                let inside: Vec<i32> = match self.body_of(support) {
                    None => vec![support],
                    Some(number) => {
                        let body = &self.bodies[number];
                        let inside =
                            || body.items.iter().map(|&(literal, _)| literal).filter(|&literal| is_unfounded(literal));
                        match body.is_conjunction {
                            // One literal without a source is enough.
                            true if inside().any(|literal| is_in.contains(&literal)) => Vec::new(),
                            true => inside().take(1).collect(),
                            false => inside().collect(),
                        }
                    }
                };
                set.extend(inside.into_iter().filter(|&literal| is_in.insert(literal)));
            }
            at += 1;
        }
        let mut reason = Vec::new();
        for &support in set.iter().flat_map(|&atom| &self.supports[atom as usize]) {
            let items = match self.body_of(support) {
                None => &[(support, 1)][..],
                Some(number) => &self.bodies[number].items,
            };
            let bound = self.body_of(support).map_or(1, |number| self.bodies[number].bound);
            let outside = || items.iter().filter(|(literal, _)| !is_in.contains(literal));
            if outside().map(|(_, weight)| weight).sum::<i64>() < bound {
                continue;
            }
            if self.is_false(support) {
                reason.push(-support);
            } else {
                reason.extend(outside().filter(|&&(literal, _)| self.is_false(literal)).map(|&(literal, _)| -literal));
            }
        }
        reason.sort_unstable();
        reason.dedup();
        (set, reason)
    }
}

fn index_of(literal: i32) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}
