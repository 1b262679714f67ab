//! A search for an answer set that satisfies the clauses, or for steps that refute them: clause learning with unfounded sets.
//! It can go on after an answer, with more clauses; then it writes no steps.
//!
//! Nothing here is trusted: an answer set is checked by the definition, and the steps are checked by `verify.rs`.
//!
//! Two literals of each clause are watched, conflicts are analysed to the first unique implication point, learnt clauses
//! are minimised, variables are chosen by their activity in conflicts, and the search restarts in Luby's sequence (Moskewicz and others,
//! "Chaff", 2001; Eén and Sörensson, "An extensible SAT-solver", 2003). Each atom that may depend on itself has a
//! source, a rule that founds it without circles; atoms that lose theirs and find no other are an unfounded set, also while
//! other atoms are still open (Simons, Niemelä and Soininen, "Extending and implementing the stable model semantics", 2002).
//! That is what makes it fast: total assignments that are refuted one by one took a thousand times as long.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::completion::Completion;
use super::sources::{Lost, Sources};
use super::verify::Step;
use crate::asp::{Flaw, Ground, is_answer_set};

/// How a search ended.
#[derive(Debug)]
pub enum Outcome {
    /// There is no answer set that satisfies the clauses.
    Refuted(Vec<Step>),
    /// The true atoms of an answer set that satisfies them.
    Answer(Vec<u32>),
    /// Stopped, or the smaller model of a disjunctive program was not found in time.
    GaveUp,
}

/// A literal: twice its variable, and 1 more where it is negated.
type Literal = u32;

pub fn literal_of(literal: i32) -> Literal {
    literal.unsigned_abs() * 2 + u32::from(literal < 0)
}

fn integer_of(literal: Literal) -> i32 {
    let variable = (literal >> 1) as i32;
    if literal & 1 == 1 { -variable } else { variable }
}

/// Of a clause in the arena: its length, its number in the proof, its rank; then its literals.
const HEADER: usize = 3;
const NO_REASON: u32 = u32::MAX;
/// A reason with this bit is an unfounded set, by its number on the stack of sets.
const OF_SET: u32 = 1 << 31;
const BINARY: u32 = 1 << 31;
/// The rank of a clause of the program, which is never dropped.
const GIVEN: u32 = u32::MAX;
const DECAY: f64 = 0.95;
const RESTART: u64 = 100;
const FIRST_REDUCTION: usize = 2000;

#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// If it is true, so is the clause.
    blocker: Literal,
}

pub struct Search<'a> {
    ground: &'a Ground,
    arena: Vec<u32>,
    learnt: Vec<u32>,
    watches: Vec<Vec<Watch>>,
    /// By literal: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<u32>,
    places: Vec<u32>,
    trail: Vec<Literal>,
    limits: Vec<usize>,
    propagated: usize,
    activity: Vec<f64>,
    increment: f64,
    heap: Heap,
    phases: Vec<bool>,
    seen: Vec<bool>,
    /// By variable that is fixed: the number of its unit clause, once it has one.
    units: Vec<u32>,
    /// None where nobody wants them.
    steps: Option<Vec<Step>>,
    last_number: u32,
    /// Clauses of the completion that were taken.
    taken: usize,
    sources: Sources,
    sets: Vec<(usize, Lost)>,
    is_refuted: bool,
    pub conflicts: u64,
    rounds: u64,
    /// Watches and unfounded atoms that were looked at: a measure of time that is the same on every machine.
    pub work: u64,
    most_learnt: usize,
}

impl<'a> Search<'a> {
    /// A search that writes down its steps.
    pub fn new(ground: &'a Ground, completion: &Completion) -> Self {
        Search::of(ground, completion, Some(Vec::new()))
    }

    /// A search for answers alone.
    pub fn for_answers(ground: &'a Ground, completion: &Completion) -> Self {
        Search::of(ground, completion, None)
    }

    fn of(ground: &'a Ground, completion: &Completion, steps: Option<Vec<Step>>) -> Self {
        let mut search = Search {
            ground,
            arena: Vec::with_capacity(completion.clauses.len() * 6),
            learnt: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            places: Vec::new(),
            trail: Vec::new(),
            limits: Vec::new(),
            propagated: 0,
            activity: Vec::new(),
            increment: 1.0,
            heap: Heap::default(),
            phases: Vec::new(),
            seen: Vec::new(),
            units: Vec::new(),
            steps,
            last_number: completion.clauses.len() as u32,
            taken: 0,
            sources: Sources::new(ground, completion),
            sets: Vec::new(),
            is_refuted: false,
            conflicts: 0,
            rounds: 0,
            work: 0,
            most_learnt: FIRST_REDUCTION,
        };
        search.take(completion);
        // A number that is nobody's variable is not chosen.
        let mut atoms = completion.supports.keys().peekable();
        for number in 1..completion.always as u32 {
            if atoms.next_if(|atom| **atom == number).is_none() {
                search.heap.remove(number, &search.activity);
            }
        }
        search.heap.remove(0, &search.activity);
        search
    }

    /// Takes the clauses of the completion that are new, of which the search so far has made use of none.
    pub fn take(&mut self, completion: &Completion) {
        self.backtrack(0);
        let variables = completion.variables as usize + 1;
        self.watches.resize(variables * 2, Vec::new());
        self.values.resize(variables * 2, 0);
        self.levels.resize(variables, 0);
        self.reasons.resize(variables, NO_REASON);
        self.places.resize(variables, 0);
        self.phases.resize(variables, false);
        self.seen.resize(variables, false);
        self.units.resize(variables, 0);
        let known = self.activity.len();
        self.activity.resize(variables, 0.0);
        self.heap.grow(known..variables, &self.activity);
        self.sources.grow(variables);
        let fresh = &completion.clauses[self.taken..];
        let mut literals = Vec::new();
        for (number, clause) in (self.taken as u32 + 1..).zip(fresh) {
            literals.clear();
            literals.extend(clause.iter().map(|&literal| literal_of(literal)));
            match literals[..] {
                [] => self.is_refuted = true,
                [literal] => self.take_unit(literal, number),
                _ => drop(self.put(&literals, number, GIVEN)),
            }
        }
        self.taken = completion.clauses.len();
        // What is known by now may make new clauses unit.
        self.propagated = 0;
    }

    fn take_unit(&mut self, literal: Literal, number: u32) {
        let variable = (literal >> 1) as usize;
        match self.value(literal) {
            0 => {
                self.units[variable] = number;
                self.assign(literal, NO_REASON);
            }
            1 => {}
            _ if self.is_refuted => {}
            _ => {
                let hints = [self.units[variable], number];
                self.step(|| Step::Learnt { literals: Box::default(), hints: Box::new(hints) });
                self.is_refuted = true;
            }
        }
    }

    /// Goes on after an answer, looking for one in which one of these literals has another value.
    pub fn forbid(&mut self, literals: &[i32]) {
        let differs = |&literal: &i32| literal_of(literal) ^ u32::from(self.value(literal_of(literal)) > 0);
        let mut clause: Vec<Literal> = literals.iter().map(differs).collect();
        clause.sort_unstable();
        clause.dedup();
        let conflict = self.put_late(clause, 0, GIVEN);
        self.learn(conflict);
    }

    /// Goes on after an answer, looking for another one: by other choices than those that made it.
    pub fn forbid_choices(&mut self) {
        let choices: Vec<Literal> = self.limits.iter().rev().map(|&limit| self.trail[limit] ^ 1).collect();
        let Some(&last) = choices.first() else {
            self.is_refuted = true;
            return;
        };
        self.backtrack(choices.len() as u32 - 1);
        let reason = match choices.len() {
            1 => NO_REASON,
            _ => self.put(&choices, 0, GIVEN),
        };
        self.assign(last, reason);
    }

    fn value(&self, literal: Literal) -> i8 {
        self.values[literal as usize]
    }

    fn level(&self) -> u32 {
        self.limits.len() as u32
    }

    fn step(&mut self, step: impl FnOnce() -> Step) -> u32 {
        let Some(steps) = &mut self.steps else { return 0 };
        steps.push(step());
        self.last_number += 1;
        self.last_number
    }

    fn literals(&self, clause: u32) -> &[Literal] {
        let at = clause as usize;
        &self.arena[at + HEADER..at + HEADER + self.arena[at] as usize]
    }

    /// Keeps a clause of two literals or more, and watches its first two.
    fn put(&mut self, literals: &[Literal], number: u32, rank: u32) -> u32 {
        let clause = self.arena.len() as u32;
        self.arena.extend([literals.len() as u32, number, rank]);
        self.arena.extend_from_slice(literals);
        if rank != GIVEN {
            self.learnt.push(clause);
        }
        self.watch(clause);
        clause
    }

    fn watch(&mut self, clause: u32) {
        let [one, other, ..] = *self.literals(clause) else { return };
        let marked = if self.arena[clause as usize] == 2 { clause | BINARY } else { clause };
        self.watches[one as usize].push(Watch { clause: marked, blocker: other });
        self.watches[other as usize].push(Watch { clause: marked, blocker: one });
    }

    fn assign(&mut self, literal: Literal, reason: u32) {
        let variable = (literal >> 1) as usize;
        self.values[literal as usize] = 1;
        self.values[(literal ^ 1) as usize] = -1;
        self.levels[variable] = self.level();
        self.reasons[variable] = reason;
        self.places[variable] = self.trail.len() as u32;
        self.trail.push(literal);
    }

    /// Unit propagation; a conflict is a clause that is false.
    fn propagate_units(&mut self) -> Option<u32> {
        while self.propagated < self.trail.len() {
            let wrong = self.trail[self.propagated] ^ 1;
            self.propagated += 1;
            let mut list = std::mem::take(&mut self.watches[wrong as usize]);
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
                let clause = watch.clause & !BINARY;
                if watch.clause & BINARY == 0 {
                    let (start, length) = (clause as usize + HEADER, self.arena[clause as usize] as usize);
                    if self.arena[start] == wrong {
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
            self.watches[wrong as usize] = list;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Unit propagation and unfounded sets, until nothing follows any more.
    fn propagate(&mut self) -> Option<u32> {
        loop {
            if let Some(conflict) = self.propagate_units() {
                return Some(conflict);
            }
            let Some(lost) = self.sources.unfounded(self.ground, &self.trail, &self.values) else {
                return self.cycle();
            };
            let set = self.sets.len() as u32;
            let atoms = lost.atoms.clone();
            self.work += (atoms.len() + lost.clause.len()) as u64;
            self.sets.push((self.trail.len(), lost));
            if let Some(&atom) = atoms.iter().find(|&&atom| self.value(atom * 2) > 0) {
                return Some(self.clause_of_set(set, atom));
            }
            for atom in atoms {
                if self.value(atom * 2) == 0 {
                    self.assign(atom * 2 + 1, set | OF_SET);
                }
            }
        }
    }

    /// The clause of an unfounded set for one of its atoms.
    fn clause_of_set(&mut self, set: u32, atom: u32) -> u32 {
        let (_, Lost { atoms, besides, clause }) = self.sets[set as usize].clone();
        let others = atoms.into_iter().filter(|&other| other != atom);
        let number = self
            .step(|| Step::Unfounded { atoms: [atom].into_iter().chain(others).collect(), besides: besides.into() });
        let wrong = atom * 2 + 1;
        let others = clause.into_iter().filter(|&literal| literal != wrong);
        let literals: Vec<Literal> = [wrong].into_iter().chain(others).collect();
        let rank = literals.len() as u32;
        self.put_late(literals, number, rank)
    }

    /// Keeps a clause of which one literal at the most is not false: it comes first, then those that became false last.
    fn put_late(&mut self, mut literals: Vec<Literal>, number: u32, rank: u32) -> u32 {
        literals
            .sort_by_key(|&literal| (self.value(literal) < 0, std::cmp::Reverse(self.levels[(literal >> 1) as usize])));
        self.put(&literals, number, rank)
    }

    /// A cycle of edges that are all there.
    fn cycle(&mut self) -> Option<u32> {
        let edges = cycle_of(self.ground, |literal| self.value(literal_of(literal)) > 0)?;
        let conditions = edges.iter().flat_map(|&edge| &self.ground.edges[edge as usize].2);
        let mut literals: Vec<Literal> = conditions.map(|&literal| literal_of(-literal)).collect();
        literals.sort_unstable();
        literals.dedup();
        let number = self.step(|| Step::Cycle { edges: edges.into() });
        let rank = literals.len() as u32;
        Some(self.put_late(literals, number, rank))
    }

    /// The clause by which a variable has its value.
    fn reason(&mut self, variable: usize) -> u32 {
        let reason = self.reasons[variable];
        if reason & OF_SET == 0 || reason == NO_REASON {
            return reason;
        }
        let clause = self.clause_of_set(reason & !OF_SET, variable as u32);
        self.reasons[variable] = clause;
        clause
    }

    fn number(&self, clause: u32) -> u32 {
        self.arena[clause as usize + 1]
    }

    /// The number of the unit clause of a variable that is fixed.
    fn unit(&mut self, variable: usize) -> u32 {
        let mut open = vec![variable];
        while let Some(&variable) = open.last() {
            if self.units[variable] > 0 {
                open.pop();
                continue;
            }
            let reason = self.reason(variable);
            let others = |search: &Self| {
                let literals = search.literals(reason).iter().map(|literal| (literal >> 1) as usize);
                literals.filter(|&other| other != variable).collect::<Vec<usize>>()
            };
            let others = others(self);
            let before = open.len();
            open.extend(others.iter().copied().filter(|&other| self.units[other] == 0));
            if open.len() > before {
                continue;
            }
            let hints = others.iter().map(|&other| self.units[other]).chain([self.number(reason)]).collect();
            let literal = integer_of((variable as u32) * 2 + u32::from(self.value(variable as u32 * 2) < 0));
            self.units[variable] = self.step(|| Step::Learnt { literals: Box::new([literal]), hints });
            open.pop();
        }
        self.units[variable]
    }

    /// Learns from a conflict, and goes back to where the clause is unit.
    fn learn(&mut self, conflict: u32) {
        self.conflicts += 1;
        let latest = self.literals(conflict).iter().map(|&literal| self.levels[(literal >> 1) as usize]).max();
        let latest = latest.unwrap_or(0);
        self.backtrack(latest);
        if latest == 0 && self.steps.is_none() {
            self.is_refuted = true;
            return;
        }
        if latest == 0 {
            let variables: Vec<usize> = self.literals(conflict).iter().map(|literal| (literal >> 1) as usize).collect();
            let units = variables.into_iter().map(|variable| self.unit(variable)).collect::<Vec<u32>>();
            let hints = units.into_iter().chain([self.number(conflict)]).collect();
            self.step(|| Step::Learnt { literals: Box::default(), hints });
            self.is_refuted = true;
            return;
        }
        let (mut learnt, mut resolved, mut fixed) = (vec![0], Vec::new(), Vec::new());
        let (mut clause, mut open, mut at, mut last) = (conflict, 0, self.trail.len(), usize::MAX);
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
                if self.levels[variable] == latest {
                    open += 1;
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
            open -= 1;
            if open == 0 {
                learnt[0] = literal ^ 1;
                break;
            }
            resolved.push(last);
            clause = self.reason(last);
        }
        let mut marked: Vec<usize> = resolved.clone();
        marked.extend(learnt.iter().map(|literal| (literal >> 1) as usize));
        marked.extend(&fixed);
        let mut kept = vec![learnt[0]];
        for &literal in &learnt[1..] {
            let variable = (literal >> 1) as usize;
            if self.is_implied(variable, &mut marked, &mut resolved, &mut fixed) {
                resolved.push(variable);
            } else {
                kept.push(literal);
            }
        }
        marked.into_iter().for_each(|variable| self.seen[variable] = false);
        if self.steps.is_none() {
            return self.assert(kept, Vec::new());
        }
        fixed.sort_unstable();
        fixed.dedup();
        resolved.sort_unstable_by_key(|&variable| self.places[variable]);
        resolved.dedup();
        let mut hints: Vec<u32> = fixed.into_iter().map(|variable| self.unit(variable)).collect();
        for variable in resolved {
            let reason = self.reason(variable);
            hints.push(self.number(reason));
        }
        hints.push(self.number(conflict));
        self.assert(kept, hints);
    }

    /// Whether a literal of the clause follows from the others; the variables by which it does are resolved.
    fn is_implied(
        &mut self,
        variable: usize,
        marked: &mut Vec<usize>,
        resolved: &mut Vec<usize>,
        fixed: &mut Vec<usize>,
    ) -> bool {
        if self.reasons[variable] == NO_REASON {
            return false;
        }
        let (first_marked, first_resolved, first_fixed) = (marked.len(), resolved.len(), fixed.len());
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
                    marked.drain(first_marked..).for_each(|variable| self.seen[variable] = false);
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

    /// Takes a learnt clause, whose first literal follows one level back.
    fn assert(&mut self, mut learnt: Vec<Literal>, hints: Vec<u32>) {
        let literals = || learnt.iter().map(|&literal| integer_of(literal)).collect();
        let number = self.step(|| Step::Learnt { literals: literals(), hints: hints.into() });
        let level_of = |search: &Self, literal: Literal| search.levels[(literal >> 1) as usize];
        if let [literal] = learnt[..] {
            self.backtrack(0);
            self.units[(literal >> 1) as usize] = number;
            self.assign(literal, NO_REASON);
        } else {
            let second = (1..learnt.len()).max_by_key(|&at| level_of(self, learnt[at])).expect("a second literal");
            learnt.swap(1, second);
            let mut levels: Vec<u32> = learnt.iter().map(|&literal| level_of(self, literal)).collect();
            levels.sort_unstable();
            levels.dedup();
            self.backtrack(level_of(self, learnt[1]));
            let clause = self.put(&learnt, number, levels.len() as u32);
            self.assign(learnt[0], clause);
        }
        self.increment /= DECAY;
    }

    fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.increment;
        if self.activity[variable] > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.increment *= 1e-100;
        }
        self.heap.raised(variable as u32, &self.activity);
    }

    fn backtrack(&mut self, level: u32) {
        let Some(&limit) = self.limits.get(level as usize) else { return };
        for at in (limit..self.trail.len()).rev() {
            let literal = self.trail[at];
            let variable = literal >> 1;
            self.phases[variable as usize] = literal & 1 == 0;
            self.values[literal as usize] = 0;
            self.values[(literal ^ 1) as usize] = 0;
            self.reasons[variable as usize] = NO_REASON;
            self.heap.insert(variable, &self.activity);
            self.sources.opened(variable);
        }
        self.trail.truncate(limit);
        self.limits.truncate(level as usize);
        self.propagated = self.propagated.min(limit);
        self.sources.heard(limit);
        while self.sets.last().is_some_and(|(place, _)| *place >= limit) {
            self.sets.pop();
        }
    }

    /// Clauses that are true for good are not watched any more.
    fn forget_satisfied(&mut self) {
        let (arena, values) = (&self.arena, &self.values);
        for list in &mut self.watches {
            list.retain(|watch| {
                let clause = (watch.clause & !BINARY) as usize;
                let literals = &arena[clause + HEADER..clause + HEADER + arena[clause] as usize];
                !literals.iter().any(|&literal| values[literal as usize] > 0)
            });
        }
    }

    /// Drops half of the learnt clauses: long ones, of many levels.
    fn reduce(&mut self) {
        let mut learnt = std::mem::take(&mut self.learnt);
        let is_reason = |search: &Self, clause: u32| {
            search.literals(clause).iter().any(|&literal| search.reasons[(literal >> 1) as usize] == clause)
        };
        learnt.sort_by_key(|&clause| (self.arena[clause as usize + 2], std::cmp::Reverse(clause)));
        let keep = learnt.len() / 2;
        let mut dropped = Vec::new();
        for (at, &clause) in learnt.iter().enumerate() {
            if at >= keep && self.arena[clause as usize + 2] > 2 && !is_reason(self, clause) {
                dropped.push(self.number(clause));
                // Of no length any more: left out when the arena is made anew.
                self.arena[clause as usize + 2] = 0;
            }
        }
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Delete { clauses: dropped.into() });
        }
        self.most_learnt += 300;
        self.compact();
    }

    fn compact(&mut self) {
        let old = std::mem::take(&mut self.arena);
        self.watches.iter_mut().for_each(Vec::clear);
        let mut moved = rustc_hash::FxHashMap::default();
        let mut at = 0;
        let values = std::mem::take(&mut self.values);
        let levels = std::mem::take(&mut self.levels);
        while at < old.len() {
            let size = HEADER + old[at] as usize;
            let (clause, rank) = (&old[at..at + size], old[at + 2]);
            let is_satisfied = clause[HEADER..]
                .iter()
                .any(|&literal| values[literal as usize] > 0 && levels[(literal >> 1) as usize] == 0);
            let is_reason = clause[HEADER..].iter().any(|&literal| self.reasons[(literal >> 1) as usize] == at as u32);
            if rank != 0 && (!is_satisfied || is_reason) {
                let place = self.arena.len() as u32;
                moved.insert(at as u32, place);
                self.arena.extend_from_slice(clause);
                if rank != GIVEN {
                    self.learnt.push(place);
                }
                self.watch(place);
            }
            at += size;
        }
        self.values = values;
        self.levels = levels;
        for reason in &mut self.reasons {
            if *reason & OF_SET == 0 {
                *reason = moved[reason];
            }
        }
    }

    /// Searches until the clauses are refuted, or an answer set is found, or `stop` says so, which sees the work so far.
    pub fn run(&mut self, stop: &mut dyn FnMut(u64) -> bool) -> Outcome {
        let (mut restarts, mut left) = (1, RESTART);
        loop {
            if self.is_refuted {
                return Outcome::Refuted(self.steps.take().unwrap_or_default());
            }
            self.rounds += 1;
            if self.rounds.is_multiple_of(256) && stop(self.work) {
                return Outcome::GaveUp;
            }
            if let Some(conflict) = self.propagate() {
                self.learn(conflict);
                left = left.saturating_sub(1);
                continue;
            }
            if self.rounds == 1 {
                self.forget_satisfied();
            }
            if left == 0 {
                restarts += 1;
                left = RESTART * luby(restarts);
                self.backtrack(0);
                if self.learnt.len() > self.most_learnt {
                    self.reduce();
                }
                continue;
            }
            let Some(variable) = self.heap.next(&self.activity, |variable| self.values[variable as usize * 2] == 0)
            else {
                match self.total() {
                    ControlFlow::Continue(conflict) => self.learn(conflict),
                    ControlFlow::Break(outcome) => return outcome,
                }
                continue;
            };
            self.limits.push(self.trail.len());
            let phase = self.phases[variable as usize];
            self.assign(variable * 2 + u32::from(!phase), NO_REASON);
        }
    }

    /// All variables have a value. Of a disjunctive program, sources do not tell all unfounded sets.
    fn total(&mut self) -> ControlFlow<Outcome, u32> {
        let holds = |atom: u32| self.values.get(atom as usize * 2) == Some(&1);
        match is_answer_set(self.ground, holds) {
            Err(Flaw::Needless(mut atoms)) => {
                atoms.sort_unstable();
                let lost = self.sources.needless(self.ground, atoms, &self.values);
                let first = lost.atoms[0];
                self.sets.push((self.trail.len(), lost));
                ControlFlow::Continue(self.clause_of_set(self.sets.len() as u32 - 1, first))
            }
            Ok(crate::asp::Checked::Wholly) => {
                let atoms: BTreeSet<u32> = self.ground.atoms().filter(|&atom| holds(atom)).collect();
                ControlFlow::Break(Outcome::Answer(atoms.into_iter().collect()))
            }
            _ => ControlFlow::Break(Outcome::GaveUp),
        }
    }
}

/// The edges of a cycle, if those that are there have one.
fn cycle_of(ground: &Ground, is_true: impl Fn(i32) -> bool) -> Option<Vec<u32>> {
    if ground.edges.is_empty() {
        return None;
    }
    let is_there = |edge: &u32| ground.edges[*edge as usize].2.iter().all(|&literal| is_true(literal));
    let mut leaving = rustc_hash::FxHashMap::<i32, Vec<u32>>::default();
    for edge in (0..ground.edges.len() as u32).filter(is_there) {
        leaving.entry(ground.edges[edge as usize].0).or_default().push(edge);
    }
    let mut nodes: Vec<i32> = leaving.keys().copied().collect();
    nodes.sort_unstable();
    let mut done = rustc_hash::FxHashSet::default();
    for node in nodes {
        // The way to here: edges, and how many of each node's were looked at.
        let (mut way, mut looked) = (Vec::<u32>::new(), vec![(node, 0)]);
        while let Some((node, next)) = looked.last_mut() {
            let edge = leaving.get(node).filter(|_| !done.contains(node)).and_then(|edges| edges.get(*next));
            let Some(&edge) = edge else {
                done.insert(*node);
                looked.pop();
                way.pop();
                continue;
            };
            *next += 1;
            let to = ground.edges[edge as usize].1;
            way.push(edge);
            if let Some(from) = looked.iter().position(|(node, _)| *node == to) {
                return Some(way.split_off(from));
            }
            looked.push((to, 0));
        }
    }
    None
}

/// 1 1 2 1 1 2 4 …, from 1.
fn luby(mut number: u64) -> u64 {
    loop {
        let bits = u64::BITS - number.leading_zeros();
        if number + 1 == 1 << bits {
            return 1 << (bits - 1);
        }
        number -= (1 << (bits - 1)) - 1;
    }
}

/// Variables, the most active one first.
#[derive(Default)]
struct Heap {
    items: Vec<u32>,
    places: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Heap {
    fn grow(&mut self, variables: std::ops::Range<usize>, activity: &[f64]) {
        self.places.resize(variables.end, NOWHERE);
        variables.for_each(|variable| self.insert(variable as u32, activity));
    }

    fn remove(&mut self, variable: u32, activity: &[f64]) {
        let place = self.places[variable as usize];
        if place == NOWHERE {
            return;
        }
        let last = self.items.pop().expect("it holds the variable");
        self.places[variable as usize] = NOWHERE;
        if last != variable {
            self.items[place as usize] = last;
            self.places[last as usize] = place;
            self.down(place as usize, activity);
            self.raised(last, activity);
        }
    }

    fn next(&mut self, activity: &[f64], is_open: impl Fn(u32) -> bool) -> Option<u32> {
        loop {
            let &first = self.items.first()?;
            self.remove(first, activity);
            if is_open(first) {
                return Some(first);
            }
        }
    }

    fn insert(&mut self, variable: u32, activity: &[f64]) {
        if self.places[variable as usize] == NOWHERE {
            self.places[variable as usize] = self.items.len() as u32;
            self.items.push(variable);
            self.raised(variable, activity);
        }
    }

    fn raised(&mut self, variable: u32, activity: &[f64]) {
        let mut place = self.places[variable as usize] as usize;
        if place == NOWHERE as usize {
            return;
        }
        while place > 0 {
            let above = (place - 1) / 2;
            if activity[self.items[above] as usize] >= activity[variable as usize] {
                break;
            }
            self.swap(place, above);
            place = above;
        }
    }

    fn down(&mut self, mut place: usize, activity: &[f64]) {
        loop {
            let below = (2 * place + 1..2 * place + 3).filter(|&below| below < self.items.len());
            let key = |&at: &usize| activity[self.items[at] as usize];
            let Some(best) = below.max_by(|one, other| key(one).total_cmp(&key(other))) else { return };
            if activity[self.items[best] as usize] <= activity[self.items[place] as usize] {
                return;
            }
            self.swap(place, best);
            place = best;
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.items.swap(one, other);
        self.places[self.items[one] as usize] = one as u32;
        self.places[self.items[other] as usize] = other as u32;
    }
}
