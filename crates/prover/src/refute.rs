//! A conflict-driven clause learning (CDCL) solver for answer sets. It finds an answer set that
//! satisfies the clauses of a completion, or proof steps that refute them. If it enumerates
//! answers, it can continue after an answer with more clauses, and it writes no steps.
//!
//! Nothing here is trusted: answer sets are checked against the definition, and `verify.rs` checks
//! the steps.
//!
//! The solver learns the 1-UIP clause of each conflict, minimises it, decides on the variable with
//! the greatest activity (VSIDS), saves phases, drops learnt clauses of high LBD, and restarts by
//! Luby's sequence (Moskewicz and others, "Chaff", 2001; Eén and Sörensson, "An extensible
//! SAT-solver", 2003). Loop nogoods propagate under partial assignments (Simons, Niemelä and
//! Soininen, "Extending and implementing the stable model semantics", 2002). Checking only total
//! assignments is about a thousand times slower.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use certificate::ProofStep;
use ground::{AnswerCheck, Completion, Flaw, GroundProgram, Literal, is_answer_set};
use rustc_hash::FxHashSet;

use super::components::{edge_cycle, positive_components};
use super::propagator::{Conflict, Propagator, Reason};
use super::unfounded::UnfoundedSet;

/// The result of [`CdclSolver::run`].
#[derive(Debug)]
pub enum CdclOutcome {
    /// No answer set satisfies the clauses. The steps prove it, if the solver records them.
    Refuted(Vec<ProofStep>),
    /// The true atoms of an answer set that satisfies the clauses, in ascending order.
    Answer(Vec<u32>),
    /// `stop` returned true, or the minimality of an answer was not decided in time.
    GaveUp,
}

/// Mark of clauses of the completion, which are never dropped. The mark of other clauses is their
/// LBD.
const ORIGINAL: u32 = u32::MAX;
const ACTIVITY_DECAY: f64 = 0.95;
const RESTART_UNIT: u64 = 100;
const INITIAL_MAX_LEARNT: usize = 2000;

pub struct CdclSolver<'a> {
    ground: Cow<'a, GroundProgram>,
    propagator: Propagator<'a>,
    learnt: Vec<u32>,
    activity: Vec<f64>,
    activity_increment: f64,
    heap: Heap,
    saved_phases: Vec<bool>,
    seen: Vec<bool>,
    /// By variable assigned at level 0: the number of its unit clause in the proof, or 0.
    unit_ids: Vec<u32>,
    /// The recorded proof; `None` if the solver enumerates answers.
    steps: Option<Vec<ProofStep>>,
    last_id: u32,
    /// The number of clauses of the completion that were added.
    clauses_added: usize,
    is_unsatisfiable: bool,
    pub conflicts: u64,
    /// By variable: the number of conflicts to which it contributed.
    contributions: Vec<u32>,
    iterations: u64,
    max_learnt: usize,
}

/// A conflict clause and its derivation.
struct Analysis {
    /// The literals of the clause. The first is the only one of the level of the conflict.
    learnt: Vec<Literal>,
    /// The variables whose reasons were resolved with the conflict.
    resolved: Vec<u32>,
    /// The variables of level 0 that were resolved away.
    fixed: Vec<u32>,
    /// The variables that are marked as seen.
    marked: Vec<u32>,
}

impl<'a> CdclSolver<'a> {
    /// Creates a solver that records its proof.
    pub fn new(ground: &'a GroundProgram, completion: &Completion) -> Self {
        CdclSolver::build(Cow::Borrowed(ground), completion, Some(Vec::new()))
    }

    /// Creates a solver that records its proof and owns its program.
    pub fn owning(ground: GroundProgram, completion: &Completion) -> CdclSolver<'static> {
        CdclSolver::build(Cow::Owned(ground), completion, Some(Vec::new()))
    }

    /// Creates a solver that enumerates answers and records no proof.
    pub fn for_answers(ground: &'a GroundProgram, completion: &Completion) -> Self {
        CdclSolver::build(Cow::Borrowed(ground), completion, None)
    }

    fn build(ground: Cow<'a, GroundProgram>, completion: &Completion, steps: Option<Vec<ProofStep>>) -> Self {
        let components = positive_components(&ground);
        let has_components = components.iter().any(|&component| component > 0);
        let rules = match &ground {
            Cow::Borrowed(ground) => Cow::Borrowed(&ground.rules[..]),
            Cow::Owned(ground) => Cow::Owned(ground.rules.iter().filter(|_| has_components).cloned().collect()),
        };
        let mut solver = CdclSolver {
            propagator: Propagator::new(rules, &components, completion),
            ground,
            learnt: Vec::new(),
            activity: Vec::new(),
            activity_increment: 1.0,
            heap: Heap::default(),
            saved_phases: Vec::new(),
            seen: Vec::new(),
            unit_ids: Vec::new(),
            steps,
            last_id: completion.clauses.len() as u32,
            clauses_added: 0,
            is_unsatisfiable: false,
            conflicts: 0,
            contributions: Vec::new(),
            iterations: 0,
            max_learnt: INITIAL_MAX_LEARNT,
        };
        solver.add_clauses(completion);
        // Never decide on unused variable numbers.
        let mut atoms = completion.supports.keys().peekable();
        for number in 1..completion.true_var as u32 {
            if atoms.next_if(|atom| **atom == number).is_none() {
                solver.heap.remove(number, &solver.activity);
            }
        }
        solver.heap.remove(0, &solver.activity);
        solver
    }

    /// Adds the clauses of the completion that were added to it since the last call. The solver
    /// backjumps to level 0 first.
    pub fn add_clauses(&mut self, completion: &Completion) {
        self.backjump(0);
        let variables = completion.max_variable as usize + 1;
        self.propagator.resize(variables);
        self.saved_phases.resize(variables, false);
        self.seen.resize(variables, false);
        self.unit_ids.resize(variables, 0);
        self.contributions.resize(variables, 0);
        let old_count = self.activity.len();
        self.activity.resize(variables, 0.0);
        self.heap.grow(old_count..variables, &self.activity);
        let new_clauses = &completion.clauses[self.clauses_added..];
        self.propagator.reserve_watches(new_clauses.iter().map(|clause| &**clause));
        for (number, clause) in (self.clauses_added as u32 + 1..).zip(new_clauses) {
            self.store_clause(clause, number);
        }
        self.clauses_added = completion.clauses.len();
        // New clauses may be unit under the assignment of level 0.
        self.propagator.restart_propagation();
    }

    /// Excludes the current answer by a clause that it contradicts, as a step of the proof.
    pub fn exclude_answer(&mut self, atoms: Vec<u32>, clause: &[i32]) {
        let number = self.add_step(|| ProofStep::Answer { atoms: atoms.into() });
        if clause.len() < 2 {
            self.backjump(0);
            self.store_clause(clause, number);
            self.propagator.restart_propagation();
            return;
        }
        let literals = clause.iter().map(|&literal| Literal::from_signed(literal)).collect();
        let conflict = self.attach_conflicting(literals, number, ORIGINAL);
        self.analyze_conflict(conflict);
    }

    /// Undoes all decisions.
    pub fn restart(&mut self) {
        self.backjump(0);
    }

    fn store_clause(&mut self, clause: &[i32], number: u32) {
        let literals: Vec<Literal> = clause.iter().map(|&literal| Literal::from_signed(literal)).collect();
        match literals[..] {
            [] => self.is_unsatisfiable = true,
            [literal] => self.add_unit(literal, number),
            _ => drop(self.attach_clause(&literals, number, ORIGINAL)),
        }
    }

    fn add_unit(&mut self, literal: Literal, number: u32) {
        let variable = literal.variable() as usize;
        match self.propagator.value(literal) {
            0 => {
                self.unit_ids[variable] = number;
                self.propagator.assign(literal, Reason::None);
            }
            1 => {}
            _ if self.is_unsatisfiable => {}
            _ => {
                let hints = [self.derive_unit(variable as u32), number];
                self.add_step(|| ProofStep::Rup { clause: Box::default(), hints: Box::new(hints) });
                self.is_unsatisfiable = true;
            }
        }
    }

    /// Blocks the current answer: in every further answer some of `literals` has another value.
    pub fn block_assignment(&mut self, literals: &[i32]) {
        let differs = |&literal: &i32| {
            let literal = Literal::from_signed(literal);
            if self.propagator.value(literal) > 0 { !literal } else { literal }
        };
        let mut clause: Vec<Literal> = literals.iter().map(differs).collect();
        clause.sort_unstable();
        clause.dedup();
        let conflict = self.attach_conflicting(clause, 0, ORIGINAL);
        self.analyze_conflict(conflict);
    }

    /// Blocks the current answer by the clause of its negated decisions.
    pub fn block_decisions(&mut self) {
        let choices = (1..=self.propagator.level()).rev();
        let decision = |level: u32| self.propagator.trail()[self.propagator.start_of_level(level).unwrap_or(0)];
        let choices: Vec<Literal> = choices.map(|level| !decision(level)).collect();
        let Some(&last) = choices.first() else {
            self.is_unsatisfiable = true;
            return;
        };
        self.backjump(choices.len() as u32 - 1);
        let reason = match choices.len() {
            1 => Reason::None,
            _ => Reason::Clause(self.attach_clause(&choices, 0, ORIGINAL)),
        };
        self.propagator.assign(last, reason);
    }

    fn add_step(&mut self, step: impl FnOnce() -> ProofStep) -> u32 {
        let Some(steps) = &mut self.steps else { return 0 };
        steps.push(step());
        self.last_id += 1;
        self.last_id
    }

    /// Stores a clause and watches its first two literals.
    fn attach_clause(&mut self, literals: &[Literal], number: u32, lbd: u32) -> u32 {
        let clause = self.propagator.attach(literals, number, lbd);
        if lbd != ORIGINAL {
            self.learnt.push(clause);
        }
        clause
    }

    /// Propagates to a fixpoint. Returns a falsified clause on a conflict.
    fn propagate(&mut self) -> Option<u32> {
        match self.propagator.propagate() {
            Some(Conflict::Clause(clause)) => Some(clause),
            Some(Conflict::Unfounded { set, atom }) => Some(self.attach_loop_nogood(set, atom)),
            Some(Conflict::Sum(..)) => unreachable!("this completion has no sums"),
            None => self.cycle_conflict(),
        }
    }

    /// Attaches the loop nogood of an unfounded set for one of its atoms.
    fn attach_loop_nogood(&mut self, set: u32, atom: u32) -> u32 {
        let UnfoundedSet { atoms, context, clause } = self.propagator.unfounded_set(set).clone();
        let others = atoms.into_iter().filter(|&other| other != atom);
        let number = self.add_step(|| ProofStep::LoopNogood {
            atoms: [atom].into_iter().chain(others).collect(),
            context: context.into(),
        });
        let falsified = !Literal::positive(atom);
        let others = clause.into_iter().filter(|&literal| literal != falsified);
        let literals: Vec<Literal> = [falsified].into_iter().chain(others).collect();
        let lbd = literals.len() as u32;
        self.attach_conflicting(literals, number, lbd)
    }

    /// Attaches a clause with at most one literal that is not false. That literal comes first, then
    /// the false literals by descending decision level.
    fn attach_conflicting(&mut self, mut literals: Vec<Literal>, number: u32, lbd: u32) -> u32 {
        let propagator = &self.propagator;
        let level = |literal: Literal| propagator.level_of(literal.variable());
        literals.sort_by_key(|&literal| (propagator.value(literal) < 0, std::cmp::Reverse(level(literal))));
        self.attach_clause(&literals, number, lbd)
    }

    /// Returns the falsified clause of a cycle of edges whose conditions all hold.
    fn cycle_conflict(&mut self) -> Option<u32> {
        let edges = edge_cycle(&self.ground, |literal| self.propagator.value(Literal::from_signed(literal)) > 0)?;
        let conditions = edges.iter().flat_map(|&edge| &self.ground.edges[edge as usize].2);
        let mut literals: Vec<Literal> = conditions.map(|&literal| Literal::from_signed(-literal)).collect();
        literals.sort_unstable();
        literals.dedup();
        let number = self.add_step(|| ProofStep::Cycle { edges: edges.into() });
        let lbd = literals.len() as u32;
        Some(self.attach_conflicting(literals, number, lbd))
    }

    /// Returns the reason clause of a variable that a clause or an unfounded set implies. The loop
    /// nogood of an unfounded set becomes a clause only here.
    fn reason(&mut self, variable: u32) -> u32 {
        match self.propagator.reason(variable) {
            Reason::Clause(clause) => clause,
            Reason::Unfounded(set) => {
                let clause = self.attach_loop_nogood(set, variable);
                self.propagator.set_reason(variable, Reason::Clause(clause));
                clause
            }
            Reason::None | Reason::Sum(_) => unreachable!("the variable is implied, and there are no sums"),
        }
    }

    /// Returns the number of the unit clause of a variable assigned at level 0, and adds proof
    /// steps that derive this clause if necessary.
    fn derive_unit(&mut self, variable: u32) -> u32 {
        if self.steps.is_none() {
            return 0;
        }
        let mut open = vec![variable];
        while let Some(&variable) = open.last() {
            if self.unit_ids[variable as usize] > 0 {
                open.pop();
                continue;
            }
            let reason = self.reason(variable);
            let others = self.propagator.literals(reason).map(Literal::variable);
            let others: Vec<u32> = others.filter(|&other| other != variable).collect();
            let before = open.len();
            open.extend(others.iter().copied().filter(|&other| self.unit_ids[other as usize] == 0));
            if open.len() > before {
                continue;
            }
            let hints = others.iter().map(|&other| self.unit_ids[other as usize]);
            let hints = hints.chain([self.propagator.number_of(reason)]).collect();
            let literal = Literal::positive(variable);
            let literal = if self.propagator.value(literal) < 0 { !literal } else { literal }.signed();
            self.unit_ids[variable as usize] = self.add_step(|| ProofStep::Rup { clause: Box::new([literal]), hints });
            open.pop();
        }
        self.unit_ids[variable as usize]
    }

    /// Resolves a conflict to the 1-UIP clause, minimises and learns it, and backjumps to the level
    /// at which it is unit.
    fn analyze_conflict(&mut self, conflict: u32) {
        self.conflicts += 1;
        let levels = self.propagator.literals(conflict).map(|literal| self.propagator.level_of(literal.variable()));
        let conflict_level = levels.max().unwrap_or(0);
        self.backjump(conflict_level);
        if conflict_level == 0 {
            self.derive_empty_clause(conflict);
            return;
        }
        let mut analysis = self.first_uip(conflict, conflict_level);
        let mut minimised = vec![analysis.learnt[0]];
        for literal in analysis.learnt.split_off(1) {
            if self.is_redundant(literal.variable(), &mut analysis) {
                analysis.resolved.push(literal.variable());
            } else {
                minimised.push(literal);
            }
        }
        for &variable in &analysis.marked {
            self.seen[variable as usize] = false;
        }
        let hints = if self.steps.is_some() { self.hints(conflict, analysis) } else { Vec::new() };
        self.learn_and_backjump(minimised, hints);
    }

    /// Records that a clause is false at level 0.
    fn derive_empty_clause(&mut self, conflict: u32) {
        self.is_unsatisfiable = true;
        if self.steps.is_none() {
            return;
        }
        let variables: Vec<u32> = self.propagator.literals(conflict).map(Literal::variable).collect();
        let units = variables.into_iter().map(|variable| self.derive_unit(variable)).collect::<Vec<u32>>();
        let hints = units.into_iter().chain([self.propagator.number_of(conflict)]).collect();
        self.add_step(|| ProofStep::Rup { clause: Box::default(), hints });
    }

    /// Resolves a conflict with reasons until one literal of its level is left.
    fn first_uip(&mut self, conflict: u32, conflict_level: u32) -> Analysis {
        let mut learnt = Vec::new();
        let mut resolved = Vec::new();
        let mut fixed = Vec::new();
        let mut clause = conflict;
        let mut unresolved = 0;
        let mut at = self.propagator.trail().len();
        let mut last = u32::MAX;
        let first = loop {
            for place in 0..self.propagator.len_of(clause) {
                let literal = self.propagator.literal_at(clause, place);
                let variable = literal.variable();
                if variable == last || self.seen[variable as usize] {
                    continue;
                }
                self.seen[variable as usize] = true;
                match self.propagator.level_of(variable) {
                    0 => {
                        fixed.push(variable);
                        continue;
                    }
                    level if level == conflict_level => unresolved += 1,
                    _ => learnt.push(literal),
                }
                self.bump(variable);
            }
            loop {
                at -= 1;
                if self.seen[self.propagator.trail()[at].variable() as usize] {
                    break;
                }
            }
            let literal = self.propagator.trail()[at];
            last = literal.variable();
            unresolved -= 1;
            if unresolved == 0 {
                break !literal;
            }
            resolved.push(last);
            clause = self.reason(last);
        };
        learnt.insert(0, first);
        let mut marked: Vec<u32> = resolved.clone();
        marked.extend(learnt.iter().map(|literal| literal.variable()));
        marked.extend(&fixed);
        Analysis { learnt, resolved, fixed, marked }
    }

    /// Returns true if the other literals of the learnt clause imply that this one is redundant.
    /// The variables of the implication are then added to the analysis.
    fn is_redundant(&mut self, variable: u32, analysis: &mut Analysis) -> bool {
        if self.propagator.reason(variable) == Reason::None {
            return false;
        }
        let Analysis { resolved, fixed, marked, .. } = analysis;
        let (first_marked, first_resolved, first_fixed) = (marked.len(), resolved.len(), fixed.len());
        let mut open = vec![variable];
        while let Some(variable) = open.pop() {
            let reason = self.reason(variable);
            for place in 0..self.propagator.len_of(reason) {
                let other = self.propagator.literal_at(reason, place).variable();
                if other == variable || self.seen[other as usize] {
                    continue;
                }
                if self.propagator.level_of(other) == 0 {
                    fixed.push(other);
                } else if self.propagator.reason(other) == Reason::None {
                    for variable in marked.drain(first_marked..) {
                        self.seen[variable as usize] = false;
                    }
                    resolved.truncate(first_resolved);
                    fixed.truncate(first_fixed);
                    return false;
                } else {
                    resolved.push(other);
                    open.push(other);
                }
                self.seen[other as usize] = true;
                marked.push(other);
            }
        }
        true
    }

    /// Returns the numbers of the clauses that derive a learnt clause, in the order in which they
    /// become unit.
    fn hints(&mut self, conflict: u32, analysis: Analysis) -> Vec<u32> {
        let Analysis { mut resolved, mut fixed, .. } = analysis;
        fixed.sort_unstable();
        fixed.dedup();
        resolved.sort_unstable_by_key(|&variable| self.propagator.position(variable));
        resolved.dedup();
        let mut hints: Vec<u32> = fixed.into_iter().map(|variable| self.derive_unit(variable)).collect();
        for variable in resolved {
            let reason = self.reason(variable);
            hints.push(self.propagator.number_of(reason));
        }
        hints.push(self.propagator.number_of(conflict));
        hints
    }

    /// Adds a learnt clause, backjumps, and asserts its first literal.
    fn learn_and_backjump(&mut self, mut learnt: Vec<Literal>, hints: Vec<u32>) {
        let literals = || learnt.iter().map(|literal| literal.signed()).collect();
        let number = self.add_step(|| ProofStep::Rup { clause: literals(), hints: hints.into() });
        let level_of = |solver: &Self, literal: Literal| solver.propagator.level_of(literal.variable());
        if let [literal] = learnt[..] {
            self.backjump(0);
            self.unit_ids[literal.variable() as usize] = number;
            self.propagator.assign(literal, Reason::None);
        } else {
            let second = (1..learnt.len()).max_by_key(|&at| level_of(self, learnt[at])).expect("a second literal");
            learnt.swap(1, second);
            let mut levels: Vec<u32> = learnt.iter().map(|&literal| level_of(self, literal)).collect();
            levels.sort_unstable();
            levels.dedup();
            self.backjump(level_of(self, learnt[1]));
            let clause = self.attach_clause(&learnt, number, levels.len() as u32);
            self.propagator.assign(learnt[0], Reason::Clause(clause));
        }
        self.activity_increment /= ACTIVITY_DECAY;
    }

    fn bump(&mut self, variable: u32) {
        self.contributions[variable as usize] += 1;
        self.activity[variable as usize] += self.activity_increment;
        if self.activity[variable as usize] > 1e100 {
            for activity in &mut self.activity {
                *activity *= 1e-100;
            }
            self.activity_increment *= 1e-100;
        }
        self.heap.sift_up(variable, &self.activity);
    }

    fn backjump(&mut self, level: u32) {
        let (saved_phases, heap, activity) = (&mut self.saved_phases, &mut self.heap, &self.activity);
        self.propagator.backtrack(level, |literal| {
            saved_phases[literal.variable() as usize] = !literal.is_negated();
            heap.insert(literal.variable(), activity);
        });
    }

    /// Drops about half of the learnt clauses: those with the highest LBD.
    fn reduce_db(&mut self) {
        let mut learnt = std::mem::take(&mut self.learnt);
        let propagator = &self.propagator;
        let is_reason = |clause: u32| {
            propagator.literals(clause).any(|literal| propagator.reason(literal.variable()) == Reason::Clause(clause))
        };
        learnt.sort_by_key(|&clause| (propagator.mark_of(clause), std::cmp::Reverse(clause)));
        let is_dropped = |clause: u32| propagator.mark_of(clause) > 2 && !is_reason(clause);
        let dropped: Vec<u32> =
            learnt[learnt.len() / 2..].iter().copied().filter(|&clause| is_dropped(clause)).collect();
        if let Some(steps) = &mut self.steps {
            steps.push(ProofStep::Delete {
                clauses: dropped.iter().map(|&clause| propagator.number_of(clause)).collect(),
            });
        }
        self.max_learnt += 300;
        let dropped: FxHashSet<u32> = dropped.into_iter().collect();
        let is_satisfied = |propagator: &Propagator<'_>, literal: Literal| {
            propagator.value(literal) > 0 && propagator.level_of(literal.variable()) == 0
        };
        let keeps = |propagator: &Propagator<'_>, clause: u32| {
            !dropped.contains(&clause) && !propagator.literals(clause).any(|literal| is_satisfied(propagator, literal))
        };
        let learnt = &mut self.learnt;
        self.propagator.retain(keeps, |clause, mark| learnt.extend((mark != ORIGINAL).then_some(clause)));
    }

    /// Adds the step that a false assumption follows from the others: a clause of negated assumptions.
    fn exclude_assumptions(&mut self, assumption: Literal) {
        let mut clause = vec![!assumption];
        let (mut fixed, mut implied) = (Vec::new(), Vec::new());
        let mut reached = vec![assumption.variable()];
        self.seen[assumption.variable() as usize] = true;
        let mut at = 0;
        while let Some(&variable) = reached.get(at) {
            at += 1;
            if self.propagator.level_of(variable) == 0 {
                fixed.push(variable);
            } else if self.propagator.reason(variable) == Reason::None {
                let literal = Literal::positive(variable);
                clause.push(if self.propagator.value(literal) > 0 { !literal } else { literal });
            } else {
                implied.push(variable);
                let reason = self.reason(variable);
                for place in 0..self.propagator.len_of(reason) {
                    let other = self.propagator.literal_at(reason, place).variable();
                    if !std::mem::replace(&mut self.seen[other as usize], true) {
                        reached.push(other);
                    }
                }
            }
        }
        for variable in reached {
            self.seen[variable as usize] = false;
        }
        let mut hints: Vec<u32> = fixed.into_iter().map(|variable| self.derive_unit(variable)).collect();
        implied.sort_unstable_by_key(|&variable| self.propagator.position(variable));
        for variable in implied {
            let reason = self.reason(variable);
            hints.push(self.propagator.number_of(reason));
        }
        let clause: Vec<i32> = clause.into_iter().map(Literal::signed).collect();
        let number = self.add_step(|| ProofStep::Rup { clause: clause.clone().into(), hints: hints.into() });
        self.backjump(0);
        self.store_clause(&clause, number);
        self.propagator.restart_propagation();
    }

    /// Returns the steps since the last call.
    fn take_steps(&mut self) -> Vec<ProofStep> {
        self.steps.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Searches until the clauses are refuted, an answer set is found, or `stop`, which receives
    /// the work done so far, returns true.
    pub fn run(&mut self, stop: &mut dyn FnMut(u64) -> bool) -> CdclOutcome {
        self.run_under(&[], stop)
    }

    /// Searches under assumptions, as [`run`](Self::run). If they are refuted, the last step of the proof is a
    /// clause of negated assumptions, or the empty clause in this or an earlier call. No two of the
    /// assumptions contradict each other.
    pub fn run_under(&mut self, assumptions: &[i32], stop: &mut dyn FnMut(u64) -> bool) -> CdclOutcome {
        let mut restarts = 1;
        let mut conflicts_left = RESTART_UNIT;
        loop {
            if self.is_unsatisfiable {
                return CdclOutcome::Refuted(self.take_steps());
            }
            self.iterations += 1;
            if self.iterations.is_multiple_of(256) && stop(self.work()) {
                return CdclOutcome::GaveUp;
            }
            if let Some(conflict) = self.propagate() {
                self.analyze_conflict(conflict);
                conflicts_left = conflicts_left.saturating_sub(1);
                continue;
            }
            if self.iterations == 1 {
                self.propagator.drop_satisfied();
            }
            if conflicts_left == 0 {
                restarts += 1;
                conflicts_left = RESTART_UNIT * luby(restarts);
                self.backjump(0);
                if self.learnt.len() > self.max_learnt {
                    self.reduce_db();
                }
                continue;
            }
            if let Some(&assumption) = assumptions.get(self.propagator.level() as usize) {
                let assumption = Literal::from_signed(assumption);
                let value = self.propagator.value(assumption);
                if value < 0 {
                    self.exclude_assumptions(assumption);
                    return CdclOutcome::Refuted(self.take_steps());
                }
                self.propagator.push_level();
                if value == 0 {
                    self.propagator.assign(assumption, Reason::None);
                }
                continue;
            }
            let propagator = &self.propagator;
            let is_open = |variable| propagator.value(Literal::positive(variable)) == 0;
            let Some(variable) = self.heap.pop_max(&self.activity, is_open) else {
                match self.check_total_assignment() {
                    ControlFlow::Continue(conflict) => self.analyze_conflict(conflict),
                    ControlFlow::Break(outcome) => return outcome,
                }
                continue;
            };
            self.propagator.push_level();
            let literal = Literal::positive(variable);
            let phase = self.saved_phases[variable as usize];
            self.propagator.assign(if phase { literal } else { !literal }, Reason::None);
        }
    }

    /// Returns the number of visited watches and unfounded atoms: a measure of time that does not
    /// depend on the machine.
    pub fn work(&self) -> u64 {
        self.propagator.work
    }

    /// Returns by variable to how many conflicts it contributed.
    pub fn contributions(&self) -> &[u32] {
        &self.contributions
    }

    /// Checks a total assignment, since source pointers do not detect all unfounded sets of a
    /// disjunctive program. Returns a conflict or the outcome.
    fn check_total_assignment(&mut self) -> ControlFlow<CdclOutcome, u32> {
        let last = self.propagator.variable_count() as u32;
        let holds = |atom: u32| atom < last && self.propagator.value(Literal::positive(atom)) > 0;
        match is_answer_set(&self.ground, holds) {
            Err(Flaw::UnfoundedSet(mut atoms)) => {
                atoms.sort_unstable();
                let first = atoms[0];
                let set = self.propagator.add_unfounded_under_total(atoms);
                ControlFlow::Continue(self.attach_loop_nogood(set, first))
            }
            Ok(AnswerCheck::Complete) => {
                let atoms: BTreeSet<u32> = self.ground.atoms().filter(|&atom| holds(atom)).collect();
                ControlFlow::Break(CdclOutcome::Answer(atoms.into_iter().collect()))
            }
            _ => ControlFlow::Break(CdclOutcome::GaveUp),
        }
    }
}

/// Returns an element of Luby's sequence 1 1 2 1 1 2 4 …; `number` counts from 1.
fn luby(mut number: u64) -> u64 {
    loop {
        let bits = u64::BITS - number.leading_zeros();
        if number + 1 == 1 << bits {
            return 1 << (bits - 1);
        }
        number -= (1 << (bits - 1)) - 1;
    }
}

/// A binary max-heap of variables by activity.
#[derive(Default)]
struct Heap {
    items: Vec<u32>,
    positions: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl Heap {
    fn grow(&mut self, variables: std::ops::Range<usize>, activity: &[f64]) {
        self.positions.resize(variables.end, ABSENT);
        for variable in variables {
            self.insert(variable as u32, activity);
        }
    }

    fn remove(&mut self, variable: u32, activity: &[f64]) {
        let position = self.positions[variable as usize];
        if position == ABSENT {
            return;
        }
        let last = self.items.pop().expect("it holds the variable");
        self.positions[variable as usize] = ABSENT;
        if last != variable {
            self.items[position as usize] = last;
            self.positions[last as usize] = position;
            self.sift_down(position as usize, activity);
            self.sift_up(last, activity);
        }
    }

    fn pop_max(&mut self, activity: &[f64], is_open: impl Fn(u32) -> bool) -> Option<u32> {
        loop {
            let &first = self.items.first()?;
            self.remove(first, activity);
            if is_open(first) {
                return Some(first);
            }
        }
    }

    fn insert(&mut self, variable: u32, activity: &[f64]) {
        if self.positions[variable as usize] == ABSENT {
            self.positions[variable as usize] = self.items.len() as u32;
            self.items.push(variable);
            self.sift_up(variable, activity);
        }
    }

    fn sift_up(&mut self, variable: u32, activity: &[f64]) {
        let mut position = self.positions[variable as usize] as usize;
        if position == ABSENT as usize {
            return;
        }
        while position > 0 {
            let parent = (position - 1) / 2;
            if activity[self.items[parent] as usize] >= activity[variable as usize] {
                break;
            }
            self.swap(position, parent);
            position = parent;
        }
    }

    fn sift_down(&mut self, mut position: usize, activity: &[f64]) {
        loop {
            let children = (2 * position + 1..2 * position + 3).filter(|&child| child < self.items.len());
            let key = |&at: &usize| activity[self.items[at] as usize];
            let Some(best) = children.max_by(|first, other| key(first).total_cmp(&key(other))) else { return };
            if activity[self.items[best] as usize] <= activity[self.items[position] as usize] {
                return;
            }
            self.swap(position, best);
            position = best;
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.items.swap(one, other);
        self.positions[self.items[one] as usize] = one as u32;
        self.positions[self.items[other] as usize] = other as u32;
    }
}
