//! A conflict-driven clause learning (CDCL) solver for answer sets. It finds an answer set that
//! satisfies the clauses of a completion, or proof steps that refute them. If it enumerates
//! answers, it can continue after an answer with more clauses, and it writes no steps.
//!
//! Nothing here is trusted: answer sets are checked against the definition, and `verify.rs` checks
//! the steps.
//!
//! The solver watches two literals of each clause, learns the 1-UIP clause of each conflict,
//! minimises it, decides on the variable with the greatest activity (VSIDS), saves phases, drops
//! learnt clauses of high LBD, and restarts by Luby's sequence (Moskewicz and others, "Chaff",
//! 2001; Eén and Sörensson, "An extensible SAT-solver", 2003). Each atom of a positive cycle has a
//! source pointer: a rule that founds it without circularity. Atoms that lose their source and find
//! no other form an unfounded set; its loop nogood propagates under partial assignments (Simons,
//! Niemelä and Soininen, "Extending and implementing the stable model semantics", 2002). Checking
//! only total assignments is about a thousand times slower.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::completion::Completion;
use super::sources::{UnfoundedSet, UnfoundedSetDetector};
use super::verify::ProofStep;
use crate::asp::{Flaw, GroundProgram, is_answer_set};

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

/// A literal: twice its variable, plus 1 if it is negated.
type Literal = u32;

pub fn to_literal(literal: i32) -> Literal {
    literal.unsigned_abs() * 2 + u32::from(literal < 0)
}

fn to_signed(literal: Literal) -> i32 {
    let variable = (literal >> 1) as i32;
    if literal & 1 == 1 { -variable } else { variable }
}

/// Words of a clause in the arena before its literals: length, number in the proof, LBD.
const HEADER: usize = 3;
const NO_REASON: u32 = u32::MAX;
/// A reason with this bit is the index of an unfounded set. Its loop nogood becomes a clause only
/// when conflict analysis needs it.
const UNFOUNDED_SET_BIT: u32 = 1 << 31;
const BINARY_BIT: u32 = 1 << 31;
/// LBD entry of clauses of the completion, which are never dropped.
const ORIGINAL: u32 = u32::MAX;
const ACTIVITY_DECAY: f64 = 0.95;
const RESTART_UNIT: u64 = 100;
const INITIAL_MAX_LEARNT: usize = 2000;

#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// Another literal of the clause. If it is true, the clause need not be visited.
    blocker: Literal,
}

pub struct CdclSolver<'a> {
    ground: &'a GroundProgram,
    arena: Vec<u32>,
    learnt: Vec<u32>,
    watches: Vec<Vec<Watch>>,
    /// By literal: 1 for true, -1 for false, 0 for unassigned.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<u32>,
    trail_pos: Vec<u32>,
    trail: Vec<Literal>,
    trail_lim: Vec<usize>,
    propagation_head: usize,
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
    detector: UnfoundedSetDetector,
    unfounded_sets: Vec<(usize, UnfoundedSet)>,
    is_unsatisfiable: bool,
    pub conflicts: u64,
    iterations: u64,
    /// The number of visited watches and unfounded atoms: a measure of time that does not depend on
    /// the machine.
    pub work: u64,
    max_learnt: usize,
}

impl<'a> CdclSolver<'a> {
    /// Creates a solver that records its proof.
    pub fn new(ground: &'a GroundProgram, completion: &Completion) -> Self {
        CdclSolver::build(ground, completion, Some(Vec::new()))
    }

    /// Creates a solver that enumerates answers and records no proof.
    pub fn for_answers(ground: &'a GroundProgram, completion: &Completion) -> Self {
        CdclSolver::build(ground, completion, None)
    }

    fn build(ground: &'a GroundProgram, completion: &Completion, steps: Option<Vec<ProofStep>>) -> Self {
        let mut solver = CdclSolver {
            ground,
            arena: Vec::with_capacity(completion.clauses.len() * 6),
            learnt: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            trail_pos: Vec::new(),
            trail: Vec::new(),
            trail_lim: Vec::new(),
            propagation_head: 0,
            activity: Vec::new(),
            activity_increment: 1.0,
            heap: Heap::default(),
            saved_phases: Vec::new(),
            seen: Vec::new(),
            unit_ids: Vec::new(),
            steps,
            last_id: completion.clauses.len() as u32,
            clauses_added: 0,
            detector: UnfoundedSetDetector::new(ground, completion),
            unfounded_sets: Vec::new(),
            is_unsatisfiable: false,
            conflicts: 0,
            iterations: 0,
            work: 0,
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
        self.watches.resize(variables * 2, Vec::new());
        self.values.resize(variables * 2, 0);
        self.levels.resize(variables, 0);
        self.reasons.resize(variables, NO_REASON);
        self.trail_pos.resize(variables, 0);
        self.saved_phases.resize(variables, false);
        self.seen.resize(variables, false);
        self.unit_ids.resize(variables, 0);
        let old_count = self.activity.len();
        self.activity.resize(variables, 0.0);
        self.heap.grow(old_count..variables, &self.activity);
        self.detector.resize(variables);
        let new_clauses = &completion.clauses[self.clauses_added..];
        let mut literals = Vec::new();
        for (number, clause) in (self.clauses_added as u32 + 1..).zip(new_clauses) {
            literals.clear();
            literals.extend(clause.iter().map(|&literal| to_literal(literal)));
            match literals[..] {
                [] => self.is_unsatisfiable = true,
                [literal] => self.add_unit(literal, number),
                _ => drop(self.attach_clause(&literals, number, ORIGINAL)),
            }
        }
        self.clauses_added = completion.clauses.len();
        // New clauses may be unit under the assignment of level 0.
        self.propagation_head = 0;
    }

    fn add_unit(&mut self, literal: Literal, number: u32) {
        let variable = (literal >> 1) as usize;
        match self.value(literal) {
            0 => {
                self.unit_ids[variable] = number;
                self.assign(literal, NO_REASON);
            }
            1 => {}
            _ if self.is_unsatisfiable => {}
            _ => {
                let hints = [self.unit_ids[variable], number];
                self.add_step(|| ProofStep::Rup { clause: Box::default(), hints: Box::new(hints) });
                self.is_unsatisfiable = true;
            }
        }
    }

    /// Blocks the current answer: in every further answer some of `literals` has another value.
    pub fn block_assignment(&mut self, literals: &[i32]) {
        let differs = |&literal: &i32| to_literal(literal) ^ u32::from(self.value(to_literal(literal)) > 0);
        let mut clause: Vec<Literal> = literals.iter().map(differs).collect();
        clause.sort_unstable();
        clause.dedup();
        let conflict = self.attach_conflicting(clause, 0, ORIGINAL);
        self.analyze_conflict(conflict);
    }

    /// Blocks the current answer by the clause of its negated decisions.
    pub fn block_decisions(&mut self) {
        let choices: Vec<Literal> = self.trail_lim.iter().rev().map(|&limit| self.trail[limit] ^ 1).collect();
        let Some(&last) = choices.first() else {
            self.is_unsatisfiable = true;
            return;
        };
        self.backjump(choices.len() as u32 - 1);
        let reason = match choices.len() {
            1 => NO_REASON,
            _ => self.attach_clause(&choices, 0, ORIGINAL),
        };
        self.assign(last, reason);
    }

    fn value(&self, literal: Literal) -> i8 {
        self.values[literal as usize]
    }

    fn decision_level(&self) -> u32 {
        self.trail_lim.len() as u32
    }

    fn add_step(&mut self, step: impl FnOnce() -> ProofStep) -> u32 {
        let Some(steps) = &mut self.steps else { return 0 };
        steps.push(step());
        self.last_id += 1;
        self.last_id
    }

    fn literals(&self, clause: u32) -> &[Literal] {
        let at = clause as usize;
        &self.arena[at + HEADER..at + HEADER + self.arena[at] as usize]
    }

    /// Stores a clause and watches its first two literals.
    fn attach_clause(&mut self, literals: &[Literal], number: u32, lbd: u32) -> u32 {
        let clause = self.arena.len() as u32;
        self.arena.extend([literals.len() as u32, number, lbd]);
        self.arena.extend_from_slice(literals);
        if lbd != ORIGINAL {
            self.learnt.push(clause);
        }
        self.watch(clause);
        clause
    }

    fn watch(&mut self, clause: u32) {
        let [one, other, ..] = *self.literals(clause) else { return };
        let marked = if self.arena[clause as usize] == 2 { clause | BINARY_BIT } else { clause };
        self.watches[one as usize].push(Watch { clause: marked, blocker: other });
        self.watches[other as usize].push(Watch { clause: marked, blocker: one });
    }

    fn assign(&mut self, literal: Literal, reason: u32) {
        let variable = (literal >> 1) as usize;
        self.values[literal as usize] = 1;
        self.values[(literal ^ 1) as usize] = -1;
        self.levels[variable] = self.decision_level();
        self.reasons[variable] = reason;
        self.trail_pos[variable] = self.trail.len() as u32;
        self.trail.push(literal);
    }

    /// Runs unit propagation. Returns a falsified clause on a conflict.
    fn propagate_units(&mut self) -> Option<u32> {
        while self.propagation_head < self.trail.len() {
            let falsified = self.trail[self.propagation_head] ^ 1;
            self.propagation_head += 1;
            let mut list = std::mem::take(&mut self.watches[falsified as usize]);
            self.work += list.len() as u64 + 1;
            let (mut read, mut kept) = (0, 0);
            let mut conflict = None;
            'watches: while read < list.len() {
                let watch = list[read];
                read += 1;
                if self.values[watch.blocker as usize] > 0 {
                    list[kept] = watch;
                    kept += 1;
                    continue;
                }
                let clause = watch.clause & !BINARY_BIT;
                if watch.clause & BINARY_BIT == 0 {
                    let (start, length) = (clause as usize + HEADER, self.arena[clause as usize] as usize);
                    if self.arena[start] == falsified {
                        self.arena.swap(start, start + 1);
                    }
                    let first = self.arena[start];
                    if self.values[first as usize] > 0 {
                        list[kept] = Watch { clause, blocker: first };
                        kept += 1;
                        continue;
                    }
                    for at in start + 2..start + length {
                        let literal = self.arena[at];
                        if self.values[literal as usize] >= 0 {
                            self.arena.swap(start + 1, at);
                            self.watches[literal as usize].push(Watch { clause, blocker: first });
                            continue 'watches;
                        }
                    }
                    list[kept] = Watch { clause, blocker: first };
                    kept += 1;
                    if self.values[first as usize] < 0 {
                        conflict = Some(clause);
                        break;
                    }
                    self.assign(first, clause);
                } else {
                    list[kept] = watch;
                    kept += 1;
                    if self.values[watch.blocker as usize] < 0 {
                        conflict = Some(clause);
                        break;
                    }
                    self.assign(watch.blocker, clause);
                }
            }
            list.copy_within(read.., kept);
            list.truncate(kept + list.len() - read);
            self.watches[falsified as usize] = list;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Propagates units and unfounded sets to a fixpoint. Returns a falsified clause on a conflict.
    fn propagate(&mut self) -> Option<u32> {
        loop {
            if let Some(conflict) = self.propagate_units() {
                return Some(conflict);
            }
            let Some(unfounded_set) = self.detector.find_unfounded_set(self.ground, &self.trail, &self.values) else {
                return self.cycle_conflict();
            };
            let set = self.unfounded_sets.len() as u32;
            let atoms = unfounded_set.atoms.clone();
            self.work += (atoms.len() + unfounded_set.clause.len()) as u64;
            self.unfounded_sets.push((self.trail.len(), unfounded_set));
            if let Some(&atom) = atoms.iter().find(|&&atom| self.value(atom * 2) > 0) {
                return Some(self.attach_loop_nogood(set, atom));
            }
            for atom in atoms {
                if self.value(atom * 2) == 0 {
                    self.assign(atom * 2 + 1, set | UNFOUNDED_SET_BIT);
                }
            }
        }
    }

    /// Attaches the loop nogood of an unfounded set for one of its atoms.
    fn attach_loop_nogood(&mut self, set: u32, atom: u32) -> u32 {
        let (_, UnfoundedSet { atoms, context, clause }) = self.unfounded_sets[set as usize].clone();
        let others = atoms.into_iter().filter(|&other| other != atom);
        let number = self.add_step(|| ProofStep::LoopNogood {
            atoms: [atom].into_iter().chain(others).collect(),
            context: context.into(),
        });
        let falsified = atom * 2 + 1;
        let others = clause.into_iter().filter(|&literal| literal != falsified);
        let literals: Vec<Literal> = [falsified].into_iter().chain(others).collect();
        let lbd = literals.len() as u32;
        self.attach_conflicting(literals, number, lbd)
    }

    /// Attaches a clause with at most one literal that is not false. That literal comes first, then
    /// the false literals by descending decision level.
    fn attach_conflicting(&mut self, mut literals: Vec<Literal>, number: u32, lbd: u32) -> u32 {
        literals
            .sort_by_key(|&literal| (self.value(literal) < 0, std::cmp::Reverse(self.levels[(literal >> 1) as usize])));
        self.attach_clause(&literals, number, lbd)
    }

    /// Returns the falsified clause of a cycle of edges whose conditions all hold.
    fn cycle_conflict(&mut self) -> Option<u32> {
        let edges = find_cycle(self.ground, |literal| self.value(to_literal(literal)) > 0)?;
        let conditions = edges.iter().flat_map(|&edge| &self.ground.edges[edge as usize].2);
        let mut literals: Vec<Literal> = conditions.map(|&literal| to_literal(-literal)).collect();
        literals.sort_unstable();
        literals.dedup();
        let number = self.add_step(|| ProofStep::Cycle { edges: edges.into() });
        let lbd = literals.len() as u32;
        Some(self.attach_conflicting(literals, number, lbd))
    }

    /// Returns the reason clause of an assigned variable.
    fn reason(&mut self, variable: usize) -> u32 {
        let reason = self.reasons[variable];
        if reason & UNFOUNDED_SET_BIT == 0 || reason == NO_REASON {
            return reason;
        }
        let clause = self.attach_loop_nogood(reason & !UNFOUNDED_SET_BIT, variable as u32);
        self.reasons[variable] = clause;
        clause
    }

    fn clause_id(&self, clause: u32) -> u32 {
        self.arena[clause as usize + 1]
    }

    /// Returns the number of the unit clause of a variable assigned at level 0, and adds proof
    /// steps that derive this clause if necessary.
    fn derive_unit(&mut self, variable: usize) -> u32 {
        let mut open = vec![variable];
        while let Some(&variable) = open.last() {
            if self.unit_ids[variable] > 0 {
                open.pop();
                continue;
            }
            let reason = self.reason(variable);
            let others = |solver: &Self| {
                let literals = solver.literals(reason).iter().map(|literal| (literal >> 1) as usize);
                literals.filter(|&other| other != variable).collect::<Vec<usize>>()
            };
            let others = others(self);
            let before = open.len();
            open.extend(others.iter().copied().filter(|&other| self.unit_ids[other] == 0));
            if open.len() > before {
                continue;
            }
            let hints = others.iter().map(|&other| self.unit_ids[other]).chain([self.clause_id(reason)]).collect();
            let literal = to_signed((variable as u32) * 2 + u32::from(self.value(variable as u32 * 2) < 0));
            self.unit_ids[variable] = self.add_step(|| ProofStep::Rup { clause: Box::new([literal]), hints });
            open.pop();
        }
        self.unit_ids[variable]
    }

    /// Resolves a conflict to the 1-UIP clause, minimises and learns it, and backjumps to the level
    /// at which it is unit.
    fn analyze_conflict(&mut self, conflict: u32) {
        self.conflicts += 1;
        let conflict_level = self.literals(conflict).iter().map(|&literal| self.levels[(literal >> 1) as usize]).max();
        let conflict_level = conflict_level.unwrap_or(0);
        self.backjump(conflict_level);
        if conflict_level == 0 && self.steps.is_none() {
            self.is_unsatisfiable = true;
            return;
        }
        if conflict_level == 0 {
            let variables: Vec<usize> = self.literals(conflict).iter().map(|literal| (literal >> 1) as usize).collect();
            let units = variables.into_iter().map(|variable| self.derive_unit(variable)).collect::<Vec<u32>>();
            let hints = units.into_iter().chain([self.clause_id(conflict)]).collect();
            self.add_step(|| ProofStep::Rup { clause: Box::default(), hints });
            self.is_unsatisfiable = true;
            return;
        }
        let mut learnt = vec![0];
        let mut resolved = Vec::new();
        let mut fixed = Vec::new();
        let mut clause = conflict;
        let mut unresolved = 0;
        let mut at = self.trail.len();
        let mut last = usize::MAX;
        loop {
            for place in 0..self.arena[clause as usize] as usize {
                let literal = self.arena[clause as usize + HEADER + place];
                let variable = (literal >> 1) as usize;
                if variable == last || self.seen[variable] {
                    continue;
                }
                self.seen[variable] = true;
                if self.levels[variable] == 0 {
                    fixed.push(variable);
                    continue;
                }
                self.bump(variable);
                if self.levels[variable] == conflict_level {
                    unresolved += 1;
                } else {
                    learnt.push(literal);
                }
            }
            loop {
                at -= 1;
                if self.seen[(self.trail[at] >> 1) as usize] {
                    break;
                }
            }
            let literal = self.trail[at];
            last = (literal >> 1) as usize;
            unresolved -= 1;
            if unresolved == 0 {
                learnt[0] = literal ^ 1;
                break;
            }
            resolved.push(last);
            clause = self.reason(last);
        }
        let mut marked: Vec<usize> = resolved.clone();
        marked.extend(learnt.iter().map(|literal| (literal >> 1) as usize));
        marked.extend(&fixed);
        let mut minimised = vec![learnt[0]];
        for &literal in &learnt[1..] {
            let variable = (literal >> 1) as usize;
            if self.is_redundant(variable, &mut marked, &mut resolved, &mut fixed) {
                resolved.push(variable);
            } else {
                minimised.push(literal);
            }
        }
        for variable in marked {
            self.seen[variable] = false;
        }
        if self.steps.is_none() {
            return self.learn_and_backjump(minimised, Vec::new());
        }
        fixed.sort_unstable();
        fixed.dedup();
        resolved.sort_unstable_by_key(|&variable| self.trail_pos[variable]);
        resolved.dedup();
        let mut hints: Vec<u32> = fixed.into_iter().map(|variable| self.derive_unit(variable)).collect();
        for variable in resolved {
            let reason = self.reason(variable);
            hints.push(self.clause_id(reason));
        }
        hints.push(self.clause_id(conflict));
        self.learn_and_backjump(minimised, hints);
    }

    /// Returns true if the other literals of the learnt clause imply that this one is redundant.
    /// The variables of the implication are then added to `resolved` and `fixed`.
    fn is_redundant(
        &mut self,
        variable: usize,
        marked: &mut Vec<usize>,
        resolved: &mut Vec<usize>,
        fixed: &mut Vec<usize>,
    ) -> bool {
        if self.reasons[variable] == NO_REASON {
            return false;
        }
        let first_marked = marked.len();
        let first_resolved = resolved.len();
        let first_fixed = fixed.len();
        let mut open = vec![variable];
        while let Some(variable) = open.pop() {
            let reason = self.reason(variable);
            for place in 0..self.arena[reason as usize] as usize {
                let other = (self.arena[reason as usize + HEADER + place] >> 1) as usize;
                if other == variable || self.seen[other] {
                    continue;
                }
                if self.levels[other] == 0 {
                    fixed.push(other);
                } else if self.reasons[other] == NO_REASON {
                    for variable in marked.drain(first_marked..) {
                        self.seen[variable] = false;
                    }
                    resolved.truncate(first_resolved);
                    fixed.truncate(first_fixed);
                    return false;
                } else {
                    resolved.push(other);
                    open.push(other);
                }
                self.seen[other] = true;
                marked.push(other);
            }
        }
        true
    }

    /// Adds a learnt clause, backjumps, and asserts its first literal.
    fn learn_and_backjump(&mut self, mut learnt: Vec<Literal>, hints: Vec<u32>) {
        let literals = || learnt.iter().map(|&literal| to_signed(literal)).collect();
        let number = self.add_step(|| ProofStep::Rup { clause: literals(), hints: hints.into() });
        let level_of = |solver: &Self, literal: Literal| solver.levels[(literal >> 1) as usize];
        if let [literal] = learnt[..] {
            self.backjump(0);
            self.unit_ids[(literal >> 1) as usize] = number;
            self.assign(literal, NO_REASON);
        } else {
            let second = (1..learnt.len()).max_by_key(|&at| level_of(self, learnt[at])).expect("a second literal");
            learnt.swap(1, second);
            let mut levels: Vec<u32> = learnt.iter().map(|&literal| level_of(self, literal)).collect();
            levels.sort_unstable();
            levels.dedup();
            self.backjump(level_of(self, learnt[1]));
            let clause = self.attach_clause(&learnt, number, levels.len() as u32);
            self.assign(learnt[0], clause);
        }
        self.activity_increment /= ACTIVITY_DECAY;
    }

    fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.activity_increment;
        if self.activity[variable] > 1e100 {
            for activity in &mut self.activity {
                *activity *= 1e-100;
            }
            self.activity_increment *= 1e-100;
        }
        self.heap.sift_up(variable as u32, &self.activity);
    }

    fn backjump(&mut self, level: u32) {
        let Some(&limit) = self.trail_lim.get(level as usize) else { return };
        for at in (limit..self.trail.len()).rev() {
            let literal = self.trail[at];
            let variable = literal >> 1;
            self.saved_phases[variable as usize] = literal & 1 == 0;
            self.values[literal as usize] = 0;
            self.values[(literal ^ 1) as usize] = 0;
            self.reasons[variable as usize] = NO_REASON;
            self.heap.insert(variable, &self.activity);
            self.detector.on_unassign(variable);
        }
        self.trail.truncate(limit);
        self.trail_lim.truncate(level as usize);
        self.propagation_head = self.propagation_head.min(limit);
        self.detector.on_backjump(limit);
        while self.unfounded_sets.last().is_some_and(|(place, _)| *place >= limit) {
            self.unfounded_sets.pop();
        }
    }

    /// Stops watching the clauses that are satisfied at level 0.
    fn simplify(&mut self) {
        let arena = &self.arena;
        let values = &self.values;
        for list in &mut self.watches {
            list.retain(|watch| {
                let clause = (watch.clause & !BINARY_BIT) as usize;
                let literals = &arena[clause + HEADER..clause + HEADER + arena[clause] as usize];
                !literals.iter().any(|&literal| values[literal as usize] > 0)
            });
        }
    }

    /// Drops about half of the learnt clauses: those with the highest LBD.
    fn reduce_db(&mut self) {
        let mut learnt = std::mem::take(&mut self.learnt);
        let is_reason = |solver: &Self, clause: u32| {
            solver.literals(clause).iter().any(|&literal| solver.reasons[(literal >> 1) as usize] == clause)
        };
        learnt.sort_by_key(|&clause| (self.arena[clause as usize + 2], std::cmp::Reverse(clause)));
        let keep = learnt.len() / 2;
        let mut dropped = Vec::new();
        for (at, &clause) in learnt.iter().enumerate() {
            if at >= keep && self.arena[clause as usize + 2] > 2 && !is_reason(self, clause) {
                dropped.push(self.clause_id(clause));
                // Marks the clause for `garbage_collect`.
                self.arena[clause as usize + 2] = 0;
            }
        }
        if let Some(steps) = &mut self.steps {
            steps.push(ProofStep::Delete { clauses: dropped.into() });
        }
        self.max_learnt += 300;
        self.garbage_collect();
    }

    fn garbage_collect(&mut self) {
        let old = std::mem::take(&mut self.arena);
        for list in &mut self.watches {
            list.clear();
        }
        let mut moved = rustc_hash::FxHashMap::default();
        let mut at = 0;
        let values = std::mem::take(&mut self.values);
        let levels = std::mem::take(&mut self.levels);
        while at < old.len() {
            let size = HEADER + old[at] as usize;
            let clause = &old[at..at + size];
            let lbd = old[at + 2];
            let is_satisfied = clause[HEADER..]
                .iter()
                .any(|&literal| values[literal as usize] > 0 && levels[(literal >> 1) as usize] == 0);
            let is_reason = clause[HEADER..].iter().any(|&literal| self.reasons[(literal >> 1) as usize] == at as u32);
            if lbd != 0 && (!is_satisfied || is_reason) {
                let place = self.arena.len() as u32;
                moved.insert(at as u32, place);
                self.arena.extend_from_slice(clause);
                if lbd != ORIGINAL {
                    self.learnt.push(place);
                }
                self.watch(place);
            }
            at += size;
        }
        self.values = values;
        self.levels = levels;
        for reason in &mut self.reasons {
            if *reason & UNFOUNDED_SET_BIT == 0 {
                *reason = moved[reason];
            }
        }
    }

    /// Searches until the clauses are refuted, an answer set is found, or `stop`, which receives
    /// the work done so far, returns true.
    pub fn run(&mut self, stop: &mut dyn FnMut(u64) -> bool) -> CdclOutcome {
        let mut restarts = 1;
        let mut conflicts_left = RESTART_UNIT;
        loop {
            if self.is_unsatisfiable {
                return CdclOutcome::Refuted(self.steps.take().unwrap_or_default());
            }
            self.iterations += 1;
            if self.iterations.is_multiple_of(256) && stop(self.work) {
                return CdclOutcome::GaveUp;
            }
            if let Some(conflict) = self.propagate() {
                self.analyze_conflict(conflict);
                conflicts_left = conflicts_left.saturating_sub(1);
                continue;
            }
            if self.iterations == 1 {
                self.simplify();
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
            let Some(variable) = self.heap.pop_max(&self.activity, |variable| self.values[variable as usize * 2] == 0)
            else {
                match self.check_total_assignment() {
                    ControlFlow::Continue(conflict) => self.analyze_conflict(conflict),
                    ControlFlow::Break(outcome) => return outcome,
                }
                continue;
            };
            self.trail_lim.push(self.trail.len());
            let phase = self.saved_phases[variable as usize];
            self.assign(variable * 2 + u32::from(!phase), NO_REASON);
        }
    }

    /// Checks a total assignment, since source pointers do not detect all unfounded sets of a
    /// disjunctive program. Returns a conflict or the outcome.
    fn check_total_assignment(&mut self) -> ControlFlow<CdclOutcome, u32> {
        let holds = |atom: u32| self.values.get(atom as usize * 2) == Some(&1);
        match is_answer_set(self.ground, holds) {
            Err(Flaw::UnfoundedSet(mut atoms)) => {
                atoms.sort_unstable();
                let unfounded_set = self.detector.unfounded_under_total(self.ground, atoms, &self.values);
                let first = unfounded_set.atoms[0];
                self.unfounded_sets.push((self.trail.len(), unfounded_set));
                ControlFlow::Continue(self.attach_loop_nogood(self.unfounded_sets.len() as u32 - 1, first))
            }
            Ok(crate::asp::AnswerCheck::Complete) => {
                let atoms: BTreeSet<u32> = self.ground.atoms().filter(|&atom| holds(atom)).collect();
                ControlFlow::Break(CdclOutcome::Answer(atoms.into_iter().collect()))
            }
            _ => ControlFlow::Break(CdclOutcome::GaveUp),
        }
    }
}

/// Returns the edges of a cycle among those whose conditions hold.
fn find_cycle(ground: &GroundProgram, is_true: impl Fn(i32) -> bool) -> Option<Vec<u32>> {
    if ground.edges.is_empty() {
        return None;
    }
    let exists = |edge: &u32| ground.edges[*edge as usize].2.iter().all(|&literal| is_true(literal));
    let mut outgoing_edges = rustc_hash::FxHashMap::<i32, Vec<u32>>::default();
    for edge in (0..ground.edges.len() as u32).filter(exists) {
        outgoing_edges.entry(ground.edges[edge as usize].0).or_default().push(edge);
    }
    let mut nodes: Vec<i32> = outgoing_edges.keys().copied().collect();
    nodes.sort_unstable();
    let mut finished = rustc_hash::FxHashSet::default();
    for node in nodes {
        // The edges of the path to the current node, and its nodes with the number of edges
        // visited.
        let mut path = Vec::<u32>::new();
        let mut stack = vec![(node, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let edge = outgoing_edges.get(node).filter(|_| !finished.contains(node)).and_then(|edges| edges.get(*next));
            let Some(&edge) = edge else {
                finished.insert(*node);
                stack.pop();
                path.pop();
                continue;
            };
            *next += 1;
            let target = ground.edges[edge as usize].1;
            path.push(edge);
            if let Some(from) = stack.iter().position(|(node, _)| *node == target) {
                return Some(path.split_off(from));
            }
            stack.push((target, 0));
        }
    }
    None
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
