//! Propagation of assumptions, level by level, with the assumptions that cause each inference.

use std::borrow::Cow;
use std::sync::OnceLock;

use ground::{Completion, GroundProgram, Literal};
use rustc_hash::{FxHashMap, FxHashSet};

use super::components::positive_components;
use super::propagator::{Conflict, Propagator, Reason};

/// A ground program under assumptions. Literals are signed; atoms that do not occur in the program
/// are false.
///
/// It misses conclusions that require a case distinction.
pub struct Assumptions {
    propagator: Propagator<'static>,
    /// A variable that is always true. Atoms are less, auxiliary variables are greater.
    true_var: i32,
    /// The level that has ended in a conflict, and the conflict. Level 0 has no assumptions.
    conflict: Option<(u32, Refutation)>,
    clauses_of: OnceLock<ClausesOfVariables>,
    /// By component of the positive dependency graph: the variables of the rules of its atoms.
    component_variables: Vec<Vec<u32>>,
    /// By variable: the components in which it occurs.
    components_of: FxHashMap<u32, Vec<u32>>,
}

#[derive(Clone, Copy)]
enum Refutation {
    Conflict(Conflict),
    /// This assumption is false.
    Assumption(i32),
    /// A clause without literals.
    Empty,
}

/// By variable: the clauses in which it occurs.
struct ClausesOfVariables {
    /// By variable: the end of its clauses. They begin where those of the previous variable end.
    ends: Vec<u32>,
    clauses: Vec<u32>,
}

impl ClausesOfVariables {
    fn new(propagator: &Propagator<'_>) -> Self {
        let mut ends = vec![0; propagator.variable_count()];
        let occurrences = || {
            let clauses = propagator.clauses();
            clauses.flat_map(|clause| propagator.literals(clause).map(move |literal| (literal.variable(), clause)))
        };
        for (variable, _) in occurrences() {
            ends[variable as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            // Starts, which become ends as the lists are filled.
            sum += std::mem::replace(end, sum);
        }
        let mut clauses = vec![0; sum as usize];
        for (variable, clause) in occurrences() {
            clauses[ends[variable as usize] as usize] = clause;
            ends[variable as usize] += 1;
        }
        ClausesOfVariables { ends, clauses }
    }

    fn of(&self, variable: u32) -> &[u32] {
        let start = if variable == 0 { 0 } else { self.ends[variable as usize - 1] };
        &self.clauses[start as usize..self.ends[variable as usize] as usize]
    }
}

impl Assumptions {
    /// Starts without assumptions. External atoms of the program that are not false may have any
    /// value.
    pub fn new(ground: &GroundProgram) -> Self {
        let completion = Completion::for_propagation(ground);
        let components = positive_components(ground);
        let is_tight = components.iter().all(|&component| component == 0);
        let rules = if is_tight { Vec::new() } else { ground.rules.clone() };
        let mut assumptions = Assumptions {
            propagator: Propagator::new(Cow::Owned(rules), &components, &completion),
            true_var: completion.true_var,
            conflict: None,
            clauses_of: OnceLock::new(),
            component_variables: Vec::new(),
            components_of: FxHashMap::default(),
        };
        assumptions.add_components(ground, &components, &completion);
        assumptions.add_clauses(&completion);
        assumptions
    }

    fn add_components(&mut self, ground: &GroundProgram, components: &[u32], completion: &Completion) {
        let count = components.iter().max().map_or(0, |&last| last as usize + 1);
        self.component_variables.resize(count, Vec::new());
        for (atom, &component) in (0..).zip(components).filter(|(_, component)| **component > 0) {
            let variables = &mut self.component_variables[component as usize];
            variables.push(atom);
            for support in completion.supports.get(&atom).into_iter().flatten() {
                variables.extend([support.body, support.literal].map(i32::unsigned_abs));
                let rule = support.rule.map(|rule| &ground.rules[rule]);
                variables.extend(rule.iter().flat_map(|rule| &rule.body).map(|(literal, _)| literal.unsigned_abs()));
                variables.extend(rule.iter().flat_map(|rule| &rule.head));
            }
        }
        for (component, variables) in (0..).zip(&mut self.component_variables) {
            variables.sort_unstable();
            variables.dedup();
            for &variable in variables.iter().filter(|&&variable| variable != completion.true_var as u32) {
                self.components_of.entry(variable).or_default().push(component);
            }
        }
    }

    fn add_clauses(&mut self, completion: &Completion) {
        let mut literals = Vec::new();
        for clause in &completion.clauses {
            literals.clear();
            literals.extend(clause.iter().map(|&literal| Literal::from_signed(literal)));
            match literals[..] {
                [] => self.conflict = Some((0, Refutation::Empty)),
                [literal] => match self.propagator.value(literal) {
                    0 => self.propagator.assign(literal, Reason::None),
                    1.. => {}
                    _ => self.conflict = Some((0, Refutation::Empty)),
                },
                _ => drop(self.propagator.attach(&literals, 0, 0)),
            }
        }
        let in_sums = (0..self.propagator.sum_count() as u32).find_map(|sum| self.propagator.check_sum(sum));
        if let Some(conflict) = in_sums.or_else(|| self.propagator.propagate()) {
            self.conflict.get_or_insert((0, Refutation::Conflict(conflict)));
        }
    }

    /// Opens a level and assumes all `literals`. Returns false if propagation ends in a conflict.
    pub fn assume(&mut self, literals: &[i32]) -> bool {
        self.propagator.push_level();
        if self.conflict.is_some() {
            return false;
        }
        let mut refutation = None;
        for &literal in literals {
            let known = self.normalized(literal);
            match self.propagator.value(known) {
                0 => self.propagator.assign(known, Reason::None),
                1.. => {}
                _ => {
                    refutation = Some(Refutation::Assumption(literal));
                    break;
                }
            }
        }
        let refutation = refutation.or_else(|| self.propagator.propagate().map(Refutation::Conflict));
        self.conflict = refutation.map(|refutation| (self.propagator.level(), refutation));
        self.conflict.is_none()
    }

    /// Undoes the last level.
    pub fn undo(&mut self) {
        let Some(level) = self.propagator.level().checked_sub(1) else { return };
        self.propagator.backtrack(level, |_| {});
        self.conflict = self.conflict.filter(|(of, _)| *of <= level);
    }

    /// Returns the value of `literal`, if it has one.
    pub fn value(&self, literal: i32) -> Option<bool> {
        match self.propagator.value(self.normalized(literal)) {
            0 => None,
            value => Some(value > 0),
        }
    }

    /// Maps literals of atoms that do not occur in the program to a literal with the same value,
    /// since these atoms are false.
    fn normalized(&self, literal: i32) -> Literal {
        Literal::from_signed(if literal.abs() < self.true_var { literal } else { -literal.signum() * self.true_var })
    }

    fn literals_of_level(&self) -> &[Literal] {
        let start = self.propagator.start_of_level(self.propagator.level()).unwrap_or(0);
        &self.propagator.trail()[start..]
    }

    /// Returns the literals of atoms that the last level has made true, including its assumptions,
    /// in order of assignment.
    pub fn implied(&self) -> impl Iterator<Item = i32> + '_ {
        let literals = self.literals_of_level().iter().map(|literal| literal.signed());
        literals.filter(|literal| literal.abs() < self.true_var)
    }

    /// Returns the variables that the last level has assigned, including auxiliary ones.
    pub fn assigned_by_level(&self) -> impl Iterator<Item = u32> + '_ {
        self.literals_of_level().iter().map(|literal| literal.variable())
    }

    /// Returns all assigned variables.
    pub fn assigned(&self) -> impl Iterator<Item = u32> + '_ {
        self.propagator.trail().iter().map(|literal| literal.variable())
    }

    /// Returns the largest variable plus one.
    pub fn variable_count(&self) -> usize {
        self.propagator.variable_count()
    }

    /// Calls `visit` with the neighbourhood of `variables`: the variables of all inferences that
    /// involve one of them. The consequences of assumptions do not change until a variable in their
    /// neighbourhood is assigned.
    pub fn inference_neighbourhood(&self, variables: impl Iterator<Item = u32>, mut visit: impl FnMut(u32)) {
        let clauses_of = self.clauses_of.get_or_init(|| ClausesOfVariables::new(&self.propagator));
        let mut clauses = FxHashSet::<u32>::default();
        let mut sums = FxHashSet::<u32>::default();
        let mut components = FxHashSet::<u32>::default();
        for variable in variables {
            // A variable of no inference is its own neighbourhood.
            visit(variable);
            clauses.extend(clauses_of.of(variable));
            sums.extend(self.propagator.sums_of(variable));
            components.extend(self.components_of.get(&variable).into_iter().flatten());
        }
        for clause in clauses {
            self.propagator.literals(clause).for_each(|literal| visit(literal.variable()));
        }
        for sum in sums {
            self.propagator.sum_literals(sum).for_each(|literal| visit(literal.variable()));
        }
        for component in components {
            self.component_variables[component as usize].iter().for_each(|&variable| visit(variable));
        }
    }

    /// Returns the assumptions that cause the conflict, from all levels; none if there is no
    /// conflict.
    pub fn conflict_assumptions(&self) -> Vec<i32> {
        let mut causes = Vec::new();
        match self.conflict {
            None | Some((0, _)) | Some((_, Refutation::Empty)) => return Vec::new(),
            Some((_, Refutation::Assumption(literal))) => {
                let mut causes = self.assumptions_implying(-literal);
                causes.push(literal);
                return causes;
            }
            Some((_, Refutation::Conflict(conflict))) => match conflict {
                Conflict::Clause(clause) => causes.extend(self.propagator.literals(clause).map(|literal| !literal)),
                Conflict::Unfounded { set, atom } => {
                    let clause = &self.propagator.unfounded_set(set).clause;
                    causes.extend(clause.iter().map(|&literal| !literal).chain([Literal::positive(atom)]));
                }
                Conflict::Sum(sum, literal) => {
                    causes.push(!literal);
                    let end = self.propagator.trail().len() as u32;
                    self.propagator.antecedents(literal, Reason::Sum(sum), end, &mut causes);
                }
            },
        }
        self.trace_to_assumptions(causes)
    }

    /// Returns the assumptions that imply `literal`, which must be true.
    pub fn assumptions_implying(&self, literal: i32) -> Vec<i32> {
        self.trace_to_assumptions(vec![self.normalized(literal)])
    }

    /// Returns the assumptions that imply `literals`.
    fn trace_to_assumptions(&self, mut literals: Vec<Literal>) -> Vec<i32> {
        let mut is_seen = vec![false; self.propagator.variable_count()];
        let mut assumed = Vec::new();
        while let Some(literal) = literals.pop() {
            let variable = literal.variable();
            if self.propagator.level_of(variable) == 0 || std::mem::replace(&mut is_seen[variable as usize], true) {
                continue;
            }
            match self.propagator.reason(variable) {
                Reason::None => assumed.push(literal.signed()),
                reason => {
                    self.propagator.antecedents(literal, reason, self.propagator.position(variable), &mut literals);
                }
            }
        }
        assumed
    }
}
