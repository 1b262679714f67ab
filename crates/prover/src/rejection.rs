//! Programs whose answer sets are those of one program, the holder, that another program rejects.
//!
//! Both programs share some atoms. The other program rejects an answer set of the holder if it has
//! no answer set with the same values of these atoms. The rules of the holder are extended by rules
//! that derive the atom "rejected" and by the constraint that it holds:
//!
//! - The values of some atoms of the other program are *given*: of the shared ones, of those that a
//!   given atom determines (the only rule of a given `p` is `p :- q`), and of *guessed* ones: heads
//!   of choices, and enough atoms that every cycle through negation has one.
//! - The remaining atoms have one possible value each. Their rules are copied. They may depend on
//!   themselves, since the answer sets of the extended program are founded.
//! - "rejected" is derived if a constraint is violated, the head of a rule is not true, or a given
//!   atom has no support. Given atoms on positive cycles need a derivation that uses no given atom
//!   of the cycle, for which the rules of the cycle are copied again.
//!
//! Without guessed atoms, the extended program has an answer set if and only if the other program
//! rejects an answer set of the holder. Otherwise each guess gives a necessary condition, and the
//! caller adds guesses until there is no answer set, or one that the other program rejects
//! (expansion of the quantifier: Janota and others, "Solving QBF with counterexample guided
//! refinement", 2016).
//!
//! Atoms of both programs that are defined by the same bodies are one atom of the extended program.
//! This makes most differences in form disappear.

use std::collections::BTreeMap;

use ground::{GroundProgram, GroundRule, RulesByHead, Truth};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};

use super::components::positive_components;

/// The literal that always holds. Its negation never does.
pub const TRUE: i32 = i32::MAX;

/// The extended program. Its atoms are those of the holder, then those of the copies.
pub struct RejectionProgram {
    /// The rules so far.
    pub rules: Vec<GroundRule>,
    last_atom: u32,
    /// By nonrecursive definition: the literal that is equivalent to it.
    definitions: FxHashMap<Vec<RuleBody>, i32>,
    /// The bodies of the constraints of the holder.
    constraints: FxHashSet<RuleBody>,
    other: GivenProgram,
}

/// The other program, with the atoms whose values are given.
struct GivenProgram {
    /// The number of the last atom, plus 1.
    atom_count: usize,
    rules: Vec<GroundRule>,
    rules_by_head: RulesByHead,
    /// Literals of the extended program by atom whose value is given.
    given: BTreeMap<u32, i32>,
    guessed: Vec<u32>,
    /// The other atoms, in components of their dependencies, each after those that it depends on.
    derived: Vec<Component>,
    /// The components of positive dependencies that contain a given atom.
    founded: Vec<Vec<u32>>,
    /// Bodies over literals of the extended program that contradict the shared atoms.
    mismatches: Vec<RuleBody>,
}

struct Component {
    atoms: Vec<u32>,
    is_recursive: bool,
}

/// A body over literals in ascending order, without constants.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct RuleBody {
    literals: Vec<(i32, i32)>,
    bound: Option<i32>,
}

impl RejectionProgram {
    /// Builds the extended program without any guess. `shared` pairs literals of the holder with
    /// literals of the other program. Both may be [`TRUE`] or its negation.
    ///
    /// # Errors
    /// The reason why a program is not supported.
    pub fn new(holder: &GroundProgram, other: &GroundProgram, shared: &[(i32, i32)]) -> Result<Self, String> {
        // A compared atom may occur in no rule.
        let compared = shared.iter().map(|(of_holder, _)| of_holder.abs()).filter(|&atom| atom != TRUE);
        let last_compared = compared.max().map_or(0, i32::unsigned_abs);
        let mut program = RejectionProgram {
            rules: without_externals(holder)?.rules,
            last_atom: holder.last_atom().max(last_compared),
            definitions: FxHashMap::default(),
            constraints: FxHashSet::default(),
            other: GivenProgram::without_values(other)?,
        };
        let canonical = program.canonical_literals();
        let value = |literal: i32| if literal.abs() == TRUE { literal } else { apply_sign(literal, &canonical) };
        for rule in program.rules.iter().filter(|rule| rule.head.is_empty() && !rule.is_choice) {
            program.constraints.extend(RuleBody::of(rule, value));
        }
        let shared = shared.iter().map(|&(of_holder, of_other)| (value(of_holder), of_other));
        program.other.give_values(shared);
        Ok(program)
    }

    /// Returns the atoms of the other program whose values must be guessed.
    pub fn guessed(&self) -> &[u32] {
        &self.other.guessed
    }

    /// Adds rules by which the other program rejects the answer if its guessed atoms have the given
    /// values, which are literals of the holder or [`TRUE`] or its negation.
    pub fn add_guess(&mut self, guess: impl Fn(u32) -> i32) {
        let mut values = vec![-TRUE; self.other.atom_count];
        let guessed = self.other.guessed.iter().map(|&atom| (atom, guess(atom)));
        for (atom, value) in self.other.given.iter().map(|(&atom, &value)| (atom, value)).chain(guessed) {
            values[atom as usize] = value;
        }
        let derived = std::mem::take(&mut self.other.derived);
        for component in &derived {
            self.define_component(component, &mut values);
        }
        self.other.derived = derived;
        let mut bodies = self.other.mismatches.clone();
        bodies.extend(self.violations(&values));
        bodies.extend(self.unsupported(&values));
        if bodies.iter().any(RuleBody::is_empty) {
            return;
        }
        bodies.retain(|body| !self.constraints.contains(body));
        let rejected = self.define(bodies);
        self.add_rule(None, RuleBody::conjunction([-rejected]));
    }

    fn add_rule(&mut self, head: Option<i32>, body: Option<RuleBody>) {
        let Some(RuleBody { literals, bound }) = body else { return };
        let head = head.map(|atom| atom as u32).into_iter().collect();
        self.rules.push(GroundRule { is_choice: false, head, body: literals, bound });
    }

    fn new_atom(&mut self) -> i32 {
        self.last_atom += 1;
        self.last_atom as i32
    }

    /// Returns a literal that is equivalent to the disjunction of `bodies`.
    fn define(&mut self, bodies: Vec<RuleBody>) -> i32 {
        let (known, bodies) = self.known_definition(bodies);
        known.unwrap_or_else(|| {
            let atom = self.new_atom();
            for body in &bodies {
                self.add_rule(Some(atom), Some(body.clone()));
            }
            self.definitions.insert(bodies, atom);
            atom
        })
    }

    /// Returns the known literal that is equivalent to the disjunction of `bodies`, and the bodies
    /// in normal form.
    fn known_definition(&self, mut bodies: Vec<RuleBody>) -> (Option<i32>, Vec<RuleBody>) {
        bodies.sort_unstable();
        bodies.dedup();
        let known = match &bodies[..] {
            [] => Some(-TRUE),
            bodies if bodies.iter().any(RuleBody::is_empty) => Some(TRUE),
            [RuleBody { literals, bound: None }] if literals.len() == 1 => Some(literals[0].0),
            bodies => self.definitions.get(bodies).copied(),
        };
        (known, bodies)
    }

    /// Returns for each atom of the holder a literal that is equivalent to it in every answer set,
    /// and registers their definitions.
    fn canonical_literals(&mut self) -> Vec<i32> {
        let size = self.last_atom as usize + 1;
        let mut canonical: Vec<i32> = (0..size as i32).collect();
        let holder = GroundProgram { rules: std::mem::take(&mut self.rules), ..GroundProgram::default() };
        let rules_by_head = holder.rules_by_head();
        let all: Vec<u32> = (1..size as u32).collect();
        for component in components(&holder.rules, &all) {
            let atom = component.atoms[0];
            let rules = || rules_by_head.of(atom).iter().map(|&number| &holder.rules[number]);
            if component.is_recursive || rules().any(|rule| rule.is_choice || rule.head.len() > 1) {
                continue;
            }
            let bodies =
                rules().filter_map(|rule| RuleBody::of(rule, |literal| apply_sign(literal, &canonical))).collect();
            let (known, bodies) = self.known_definition(bodies);
            canonical[atom as usize] = known.unwrap_or_else(|| {
                self.definitions.insert(bodies, atom as i32);
                atom as i32
            });
        }
        self.rules = holder.rules;
        canonical
    }

    /// Copies the rules of derived atoms.
    fn define_component(&mut self, component: &Component, values: &mut [i32]) {
        let rules_of = |other: &GivenProgram, atom: u32, values: &[i32]| -> Vec<RuleBody> {
            other.rules_of(atom).filter_map(|rule| RuleBody::of(rule, |literal| apply_sign(literal, values))).collect()
        };
        if !component.is_recursive {
            let atom = component.atoms[0];
            let bodies = rules_of(&self.other, atom, values);
            values[atom as usize] = self.define(bodies);
            return;
        }
        for &atom in &component.atoms {
            values[atom as usize] = self.new_atom();
        }
        for &atom in &component.atoms {
            for body in rules_of(&self.other, atom, values) {
                self.add_rule(Some(values[atom as usize]), Some(body));
            }
        }
    }

    /// Returns the bodies of violated rules: of constraints, and of rules whose given head is false.
    fn violations(&mut self, values: &[i32]) -> Vec<RuleBody> {
        let mut violations = Vec::new();
        let mut with_false_head = Vec::new();
        for rule in self.other.rules.iter().filter(|rule| !rule.is_choice) {
            let body = || RuleBody::of(rule, |literal| apply_sign(literal, values));
            match rule.head.first() {
                None => violations.extend(body()),
                Some(&head) if self.other.is_given(head) => {
                    with_false_head.extend(body().map(|body| (body, -values[head as usize])));
                }
                Some(_) => {}
            }
        }
        violations.extend(with_false_head.into_iter().filter_map(|(body, literal)| self.and(body, literal)));
        violations
    }

    /// Returns the bodies that hold if a given atom is true without a derivation.
    fn unsupported(&mut self, values: &[i32]) -> Vec<RuleBody> {
        let mut unsupported = Vec::new();
        let founded = std::mem::take(&mut self.other.founded);
        for atoms in &founded {
            self.copy_cycle(atoms, values, &mut unsupported);
        }
        let on_cycles: FxHashSet<u32> = founded.iter().flatten().copied().collect();
        self.other.founded = founded;
        let given: Vec<u32> = self.other.given.keys().chain(&self.other.guessed).copied().collect();
        for atom in given.into_iter().filter(|atom| !on_cycles.contains(atom)) {
            let rules = self.other.rules_of(atom);
            let supports = rules.filter_map(|rule| RuleBody::of(rule, |literal| apply_sign(literal, values))).collect();
            let support = self.define(supports);
            unsupported.extend(RuleBody::conjunction([values[atom as usize], -support]));
        }
        unsupported
    }

    /// Copies the rules of the atoms of a positive cycle. A copied atom is true if the atom has a
    /// derivation.
    fn copy_cycle(&mut self, atoms: &[u32], values: &[i32], unsupported: &mut Vec<RuleBody>) {
        let copies: FxHashMap<i32, i32> = atoms.iter().map(|&atom| (atom as i32, self.new_atom())).collect();
        let value = |literal: i32| copies.get(&literal).copied().unwrap_or_else(|| apply_sign(literal, values));
        for &atom in atoms {
            let copy = copies[&(atom as i32)];
            let body_of = |rule: &GroundRule| Some((RuleBody::of(rule, value)?, rule.is_choice));
            for (body, is_choice) in self.other.rules_of(atom).filter_map(body_of).collect::<Vec<_>>() {
                let body = if is_choice { self.and(body, values[atom as usize]) } else { Some(body) };
                self.add_rule(Some(copy), body);
            }
            if self.other.is_given(atom) {
                unsupported.extend(RuleBody::conjunction([values[atom as usize], -copy]));
            }
        }
    }

    /// Returns the conjunction of a body and a literal; `None` if it cannot hold.
    fn and(&mut self, body: RuleBody, literal: i32) -> Option<RuleBody> {
        if body.bound.is_none() {
            return RuleBody::conjunction(body.literals.into_iter().map(|(literal, _)| literal).chain([literal]));
        }
        let body = self.define(vec![body]);
        RuleBody::conjunction([body, literal])
    }
}

impl GivenProgram {
    fn without_values(other: &GroundProgram) -> Result<Self, String> {
        if !other.edges.is_empty() {
            return Err("#edge is not supported".to_owned());
        }
        let shifted = GroundProgram { rules: shifted_rules(&without_externals(other)?)?, ..GroundProgram::default() };
        Ok(GivenProgram {
            atom_count: other.last_atom() as usize + 1,
            rules_by_head: shifted.rules_by_head(),
            rules: shifted.rules,
            given: BTreeMap::new(),
            guessed: Vec::new(),
            derived: Vec::new(),
            founded: Vec::new(),
            mismatches: Vec::new(),
        })
    }

    fn rules_of(&self, atom: u32) -> impl Iterator<Item = &GroundRule> {
        self.rules_by_head.of(atom).iter().map(|&number| &self.rules[number])
    }

    /// Sets the values of the shared atoms and divides the other atoms into given and derived ones.
    fn give_values(&mut self, shared: impl Iterator<Item = (i32, i32)>) {
        for (value, literal) in shared {
            match literal {
                TRUE => self.mismatches.extend(RuleBody::conjunction([-value])),
                _ if literal == -TRUE => self.mismatches.extend(RuleBody::conjunction([value])),
                _ => self.give(literal, value),
            }
        }
        let mut open: Vec<u32> = self.given.keys().copied().collect();
        while let Some(atom) = open.pop() {
            let determined = match self.rules_by_head.of(atom) {
                [rule] => match &self.rules[*rule] {
                    GroundRule { is_choice: false, body, bound: None, .. } if body.len() == 1 => body[0].0,
                    _ => continue,
                },
                _ => continue,
            };
            if !self.given.contains_key(&determined.unsigned_abs()) {
                self.give(determined, self.given[&atom]);
                open.push(determined.unsigned_abs());
            }
        }
        self.divide();
        self.find_founded_cycles();
    }

    fn give(&mut self, literal: i32, value: i32) {
        let value = value * literal.signum();
        // A compared atom may occur in no rule.
        self.atom_count = self.atom_count.max(literal.unsigned_abs() as usize + 1);
        let known = *self.given.entry(literal.unsigned_abs()).or_insert(value);
        self.mismatches.extend(RuleBody::conjunction([known, -value]));
        self.mismatches.extend(RuleBody::conjunction([-known, value]));
    }

    /// Divides the atoms without a given value into guessed and derived ones.
    fn divide(&mut self) {
        let mut is_guessed = vec![false; self.atom_count];
        for &head in self.rules.iter().filter(|rule| rule.is_choice).flat_map(|rule| &rule.head) {
            is_guessed[head as usize] = !self.given.contains_key(&head);
        }
        loop {
            let is_derived = |atom: &u32| !is_guessed[*atom as usize] && !self.given.contains_key(atom);
            let derived: Vec<u32> = (1..self.atom_count as u32).filter(is_derived).collect();
            let components = components(&self.rules, &derived);
            let mut component_of = vec![usize::MAX; self.atom_count];
            for (number, component) in components.iter().enumerate() {
                component.atoms.iter().for_each(|&atom| component_of[atom as usize] = number);
            }
            let mut is_changed = false;
            for rule in &self.rules {
                let Some(&head) = rule.head.first().filter(|head| is_derived_in(&component_of, **head)) else {
                    continue;
                };
                for &(literal, _) in rule.body.iter().filter(|(literal, _)| *literal < 0) {
                    let negated = literal.unsigned_abs() as usize;
                    if component_of[negated] == component_of[head as usize] {
                        is_guessed[negated] = true;
                        is_changed = true;
                    }
                }
            }
            if !is_changed {
                self.derived = components;
                break;
            }
        }
        self.guessed = (1..self.atom_count as u32).filter(|&atom| is_guessed[atom as usize]).collect();
    }

    fn is_given(&self, atom: u32) -> bool {
        self.given.contains_key(&atom) || self.guessed.binary_search(&atom).is_ok()
    }

    fn find_founded_cycles(&mut self) {
        let rules = std::mem::take(&mut self.rules);
        let program = GroundProgram { rules, ..GroundProgram::default() };
        let mut components: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (atom, component) in (0..).zip(positive_components(&program)).filter(|(_, component)| *component > 0) {
            components.entry(component).or_default().push(atom);
        }
        self.rules = program.rules;
        self.founded = components.into_values().filter(|atoms| atoms.iter().any(|&atom| self.is_given(atom))).collect();
    }
}

impl RuleBody {
    /// Returns a body over other literals; `None` if it cannot hold.
    fn of(rule: &GroundRule, value: impl Fn(i32) -> i32) -> Option<RuleBody> {
        let literals = rule.body.iter().map(|&(literal, weight)| (value(literal), weight));
        let Some(bound) = rule.bound else { return RuleBody::conjunction(literals.map(|(literal, _)| literal)) };
        let mut bound = i64::from(bound);
        let mut weights = BTreeMap::<i32, i64>::new();
        for (literal, weight) in literals {
            match literal {
                TRUE => bound -= i64::from(weight),
                _ if literal == -TRUE => {}
                _ => *weights.entry(literal).or_default() += i64::from(weight),
            }
        }
        let total: i64 = weights.values().sum();
        if bound <= 0 {
            return RuleBody::conjunction([]);
        }
        if total < bound {
            return None;
        }
        if weights.values().all(|weight| total - weight < bound) {
            return RuleBody::conjunction(weights.into_keys());
        }
        // Bounds are 32-bit numbers, and so are weights up to the bound.
        let clipped = |(literal, weight): (i32, i64)| (literal, weight.min(bound) as i32);
        Some(RuleBody { literals: weights.into_iter().map(clipped).collect(), bound: Some(bound as i32) })
    }

    fn conjunction(literals: impl IntoIterator<Item = i32>) -> Option<RuleBody> {
        let mut all: Vec<i32> = literals.into_iter().filter(|&literal| literal != TRUE).collect();
        all.sort_unstable();
        all.dedup();
        let is_false = |literal: &i32| *literal == -TRUE || all.binary_search(&-literal).is_ok();
        if all.iter().any(is_false) {
            return None;
        }
        Some(RuleBody { literals: all.into_iter().map(|literal| (literal, 1)).collect(), bound: None })
    }

    fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }
}

/// Returns the literal that stands for `literal`, by the table of its atom.
fn apply_sign(literal: i32, by_atom: &[i32]) -> i32 {
    by_atom[literal.unsigned_abs() as usize] * literal.signum()
}

fn is_derived_in(component_of: &[usize], atom: u32) -> bool {
    component_of[atom as usize] != usize::MAX
}

/// Returns the strongly connected components of `atoms` by all dependencies, each after those that
/// it depends on.
fn components(rules: &[GroundRule], atoms: &[u32]) -> Vec<Component> {
    let last = rules.iter().flat_map(|rule| &rule.head).max().max(atoms.last()).map_or(0, |&last| last);
    let mut is_included = vec![false; last as usize + 1];
    atoms.iter().for_each(|&atom| is_included[atom as usize] = true);
    let includes = |atom: u32| is_included.get(atom as usize).is_some_and(|&included| included);
    let mut edges = Vec::new();
    for rule in rules {
        for &head in rule.head.iter().filter(|head| includes(**head)) {
            let body = rule.body.iter().map(|(literal, _)| literal.unsigned_abs()).filter(|&atom| includes(atom));
            edges.extend(body.map(|atom| (head, atom)));
        }
    }
    let mut graph = DiGraph::<(), ()>::from_edges(edges);
    while graph.node_count() <= last as usize {
        graph.add_node(());
    }
    let component = |nodes: Vec<petgraph::graph::NodeIndex>| {
        let is_recursive = nodes.len() > 1 || graph.contains_edge(nodes[0], nodes[0]);
        Component { atoms: nodes.into_iter().map(|node| node.index() as u32).collect(), is_recursive }
    };
    kosaraju_scc(&graph).into_iter().map(component).filter(|component| includes(component.atoms[0])).collect()
}

/// Returns the rules, edges and costs of a program without external atoms: those that are true
/// become facts, and those of any value become choices.
///
/// # Errors
/// The reason why the answer sets depend on something else.
pub fn without_externals(ground: &GroundProgram) -> Result<GroundProgram, String> {
    if ground.has_theory {
        return Err("theory atoms are not supported".to_owned());
    }
    if !ground.assumed.is_empty() {
        return Err("assumptions are not supported".to_owned());
    }
    let heads: FxHashSet<u32> = ground.rules.iter().flat_map(|rule| &rule.head).copied().collect();
    let mut program = GroundProgram { rules: ground.rules.clone(), ..GroundProgram::default() };
    for (&atom, value) in &ground.externals {
        if heads.contains(&atom) && ground.frozen.get(&atom) != Some(&true) {
            continue;
        }
        if heads.contains(&atom) {
            return Err("external atoms that rules derive are not supported".to_owned());
        }
        let (is_choice, head) = (*value == Truth::Free, vec![atom]);
        if *value != Truth::False {
            program.rules.push(GroundRule { is_choice, head, body: Vec::new(), bound: None });
        }
    }
    program.edges.clone_from(&ground.edges);
    program.costs.clone_from(&ground.costs);
    Ok(program)
}

/// Returns the rules without disjunctions: `a; b :- c` becomes `a :- c, not b` and `b :- c, not a`,
/// which has the same answer sets if no two head atoms are on a common cycle.
fn shifted_rules(ground: &GroundProgram) -> Result<Vec<GroundRule>, String> {
    let is_disjunction = |rule: &GroundRule| !rule.is_choice && rule.head.len() > 1;
    if !ground.rules.iter().any(is_disjunction) {
        return Ok(ground.rules.clone());
    }
    let components = positive_components(ground);
    let mut rules = Vec::new();
    for rule in &ground.rules {
        if !is_disjunction(rule) {
            rules.push(rule.clone());
            continue;
        }
        let heads: std::collections::BTreeSet<u32> = rule.head.iter().copied().collect();
        let mut cycles: Vec<u32> =
            heads.iter().map(|&head| components[head as usize]).filter(|&cycle| cycle > 0).collect();
        cycles.sort_unstable();
        let has_common_cycle = cycles.windows(2).any(|pair| pair[0] == pair[1]);
        if has_common_cycle || rule.bound.is_some() && heads.len() > 1 {
            return Err("disjunctions whose atoms depend on each other are not supported".to_owned());
        }
        for &head in &heads {
            let others = heads.iter().filter(|&&other| other != head).map(|&other| (-(other as i32), 1));
            let body = rule.body.iter().copied().chain(others).collect();
            rules.push(GroundRule { head: vec![head], body, ..rule.clone() });
        }
    }
    Ok(rules)
}
