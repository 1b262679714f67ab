//! Heuristics of the relaxed task, in which what once holds holds for ever: h-max and landmark cut.
//!
//! Landmark cut (M. Helmert and C. Domshlak, Landmarks, Critical Paths and Abstractions, ICAPS 2009) finds sets of actions of
//! which every plan has one, and shares the costs of the actions among them. Conditional effects are steps of their own with the
//! action's cost in common, so that what one step pays its siblings need not pay again: the estimate stays admissible.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::heuristic::{Estimates, plus};
use super::packed::{Packing, Wanted};
use crate::search::{Cost, UNREACHABLE};

/// A fact of the relaxed task: a variable has a value, or has another one.
type Fact = u32;

/// What comes of an action if its preconditions and those of an effect are met.
struct Step {
    action: u32,
    needs: Vec<Fact>,
    makes: Vec<Fact>,
}

/// The relaxed task.
pub struct Relaxed {
    steps: Vec<Step>,
    /// The steps that need a fact.
    needed_by: Vec<Vec<u32>>,
    made_by: Vec<Vec<u32>>,
    /// The steps of an action.
    of_action: Vec<Range<u32>>,
    costs: Vec<Cost>,
    /// For each variable the first of its facts, one a value; and for each of its values the fact that it is not that one,
    /// where somebody asks.
    first: Vec<Fact>,
    others: Vec<Vec<(u32, Fact)>>,
    /// The fact that always holds, and the goal.
    nothing: Fact,
    goal: Fact,
    cuts: bool,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// What an estimate is worked out in.
#[derive(Default)]
struct Memory {
    facts: Vec<Cost>,
    /// For each step the needs that are not met yet, its dearest need, and what that costs.
    open: Vec<u32>,
    dearest: Vec<Fact>,
    value: Vec<Cost>,
    costs: Vec<Cost>,
    queue: BinaryHeap<Reverse<(Cost, Fact)>>,
    is_in_zone: Vec<bool>,
    is_met: Vec<bool>,
    stack: Vec<Fact>,
    cut: Vec<u32>,
}

impl Relaxed {
    /// With cuts, or h-max alone.
    pub fn of(packing: &Packing, cuts: bool) -> Relaxed {
        let mut facts = 0;
        let mut first = Vec::new();
        for variable in &packing.variables {
            first.push(facts);
            facts += variable.values() as Fact;
        }
        let mut others: Vec<Vec<(u32, Fact)>> = vec![Vec::new(); packing.variables.len()];
        let asked = packing.actions.iter().flat_map(|action| &action.needs.others).chain(&packing.goal.others);
        for &(variable, value) in asked {
            let known = &mut others[variable as usize];
            if !known.iter().any(|(other, _)| *other == value) {
                known.push((value, facts));
                facts += 1;
            }
        }
        let (nothing, goal) = (facts, facts + 1);
        let fact = |&(variable, value): &Wanted| first[variable as usize] + value;
        let other = |&(variable, value): &Wanted| {
            let known = others[variable as usize].iter().find(|(other, _)| *other == value);
            known.expect("it was asked for").1
        };
        // All that is so once a variable has a value.
        let made = |variable: u32, value: u32| {
            let others = others[variable as usize].iter().filter(move |(other, _)| *other != value);
            [first[variable as usize] + value].into_iter().chain(others.map(|&(_, fact)| fact))
        };
        let mut relaxed = Relaxed {
            steps: Vec::new(),
            needed_by: vec![Vec::new(); facts as usize + 2],
            made_by: vec![Vec::new(); facts as usize + 2],
            of_action: Vec::new(),
            costs: packing.actions.iter().map(|action| action.cost).collect(),
            nothing,
            goal,
            cuts,
            first: Vec::new(),
            others: Vec::new(),
        };
        for (number, action) in (0..).zip(&packing.actions) {
            let before = relaxed.steps.len() as u32;
            let needs: Vec<Fact> =
                action.needs.values.iter().map(fact).chain(action.needs.others.iter().map(other)).collect();
            let mut always = Vec::new();
            for change in &action.changes {
                match &change.to {
                    super::packed::To::Value(value) => always.extend(made(change.variable, *value)),
                    super::packed::To::Of(values) => {
                        for (old, &new) in (0..).zip(values).filter(|(old, new)| old != *new) {
                            let needs = needs.iter().copied().chain([fact(&(change.variable, old))]).collect();
                            relaxed.add(number, needs, made(change.variable, new).collect());
                        }
                    }
                }
            }
            for given in &action.given {
                let (variable, value) = given.fluent;
                let condition = given.condition.iter().map(fact);
                let needs = needs.iter().copied().chain(condition).collect();
                relaxed.add(number, needs, made(variable, if given.holds { value } else { 0 }).collect());
            }
            relaxed.add(number, needs, always);
            relaxed.of_action.push(before..relaxed.steps.len() as u32);
        }
        let wanted = packing.goal.values.iter().map(fact).chain(packing.goal.others.iter().map(other)).collect();
        let end = relaxed.costs.len() as u32;
        relaxed.costs.push(0);
        relaxed.add(end, wanted, vec![goal]);
        (relaxed.first, relaxed.others) = (first, others);
        relaxed
    }

    fn add(&mut self, action: u32, mut needs: Vec<Fact>, makes: Vec<Fact>) {
        needs.sort_unstable();
        needs.dedup();
        if needs.is_empty() {
            needs.push(self.nothing);
        }
        if makes.is_empty() {
            return;
        }
        let step = self.steps.len() as u32;
        needs.iter().for_each(|&need| self.needed_by[need as usize].push(step));
        makes.iter().for_each(|&made| self.made_by[made as usize].push(step));
        self.steps.push(Step { action, needs, makes });
    }

    /// What holds in a state, of each variable.
    fn holding(&self, packing: &Packing, state: &[u64], mut visit: impl FnMut(Fact)) {
        visit(self.nothing);
        for ((variable, &first), others) in packing.variables.iter().zip(&self.first).zip(&self.others) {
            let value = variable.value(state) as u32;
            visit(first + value);
            others.iter().filter(|(other, _)| *other != value).for_each(|&(_, fact)| visit(fact));
        }
    }

    /// The cost of the facts in `memory.facts`, by the costs in `memory.costs`; the steps' dearest needs with it.
    fn explore(&self, memory: &mut Memory) {
        while let Some(Reverse((cost, fact))) = memory.queue.pop() {
            if cost > memory.facts[fact as usize] {
                continue;
            }
            for &number in &self.needed_by[fact as usize] {
                let at = number as usize;
                memory.open[at] -= 1;
                if memory.open[at] == 0 {
                    // The last need that is met is the dearest.
                    (memory.dearest[at], memory.value[at]) = (fact, cost);
                    self.make(memory, number);
                }
            }
        }
    }

    fn make(&self, memory: &mut Memory, number: u32) {
        let step = &self.steps[number as usize];
        let cost = plus(memory.value[number as usize], memory.costs[step.action as usize]);
        for &made in &step.makes {
            if cost < memory.facts[made as usize] {
                memory.facts[made as usize] = cost;
                memory.queue.push(Reverse((cost, made)));
            }
        }
    }

    /// The same after some actions became cheaper: what they make, and all that follows from it.
    fn explore_again(&self, memory: &mut Memory, cut: &[u32]) {
        for &number in cut {
            self.make(memory, number);
        }
        while let Some(Reverse((cost, fact))) = memory.queue.pop() {
            if cost > memory.facts[fact as usize] {
                continue;
            }
            for &number in &self.needed_by[fact as usize] {
                let at = number as usize;
                if memory.open[at] > 0 || memory.dearest[at] != fact || memory.value[at] <= cost {
                    continue;
                }
                let needs = &self.steps[at].needs;
                let dearest = *needs.iter().max_by_key(|&&need| memory.facts[need as usize]).expect("one at least");
                let value = memory.facts[dearest as usize];
                (memory.dearest[at], memory.value[at]) = (dearest, value);
                self.make(memory, number);
            }
        }
    }

    fn estimate(&self, packing: &Packing, state: &[u64], memory: &mut Memory) -> Cost {
        let facts = self.needed_by.len();
        memory.facts.clear();
        memory.facts.resize(facts, UNREACHABLE);
        memory.open.clear();
        memory.open.extend(self.steps.iter().map(|step| step.needs.len() as u32));
        memory.dearest.resize(self.steps.len(), 0);
        memory.value.resize(self.steps.len(), 0);
        memory.costs.clone_from(&self.costs);
        let (known, queue) = (&mut memory.facts, &mut memory.queue);
        self.holding(packing, state, |fact| {
            known[fact as usize] = 0;
            queue.push(Reverse((0, fact)));
        });
        self.explore(memory);
        let goal = self.goal as usize;
        if memory.facts[goal] == UNREACHABLE || !self.cuts {
            return memory.facts[goal];
        }
        let mut sum = 0;
        while memory.facts[goal] > 0 {
            self.zone(memory);
            self.cut(packing, state, memory);
            let cut = std::mem::take(&mut memory.cut);
            let of = |number: &u32| memory.costs[self.steps[*number as usize].action as usize];
            let least = cut.iter().map(of).min().expect("the goal is not reached for nothing");
            sum = plus(sum, least);
            let mut actions: Vec<u32> = cut.iter().map(|&number| self.steps[number as usize].action).collect();
            actions.sort_unstable();
            actions.dedup();
            actions.iter().for_each(|&action| memory.costs[action as usize] -= least);
            // Siblings of the steps in the cut are cheaper as well.
            let steps = actions.iter().flat_map(|&action| self.of_action[action as usize].clone());
            let cheaper: Vec<u32> = steps.filter(|&step| memory.open[step as usize] == 0).collect();
            self.explore_again(memory, &cheaper);
            memory.cut = cut;
        }
        sum
    }

    /// Marks the facts from which the goal is reached for nothing, along the dearest needs.
    fn zone(&self, memory: &mut Memory) {
        memory.is_in_zone.clear();
        memory.is_in_zone.resize(self.needed_by.len(), false);
        memory.is_in_zone[self.goal as usize] = true;
        memory.stack.push(self.goal);
        while let Some(fact) = memory.stack.pop() {
            for &step in &self.made_by[fact as usize] {
                let (at, action) = (step as usize, self.steps[step as usize].action as usize);
                let from = memory.dearest[at];
                if memory.costs[action] == 0
                    && memory.open[at] == 0
                    && !std::mem::replace(&mut memory.is_in_zone[from as usize], true)
                {
                    memory.stack.push(from);
                }
            }
        }
    }

    /// The steps that lead into the zone from what is reached outside of it.
    fn cut(&self, packing: &Packing, state: &[u64], memory: &mut Memory) {
        memory.is_met.clear();
        memory.is_met.resize(self.needed_by.len(), false);
        memory.cut.clear();
        let (is_met, stack) = (&mut memory.is_met, &mut memory.stack);
        self.holding(packing, state, |fact| {
            is_met[fact as usize] = true;
            stack.push(fact);
        });
        while let Some(fact) = memory.stack.pop() {
            for &number in &self.needed_by[fact as usize] {
                let at = number as usize;
                if memory.open[at] > 0 || memory.dearest[at] != fact {
                    continue;
                }
                let makes = &self.steps[at].makes;
                if makes.iter().any(|&made| memory.is_in_zone[made as usize]) {
                    memory.cut.push(number);
                    continue;
                }
                for &made in makes {
                    if !std::mem::replace(&mut memory.is_met[made as usize], true) {
                        memory.stack.push(made);
                    }
                }
            }
        }
    }
}

/// An estimate by the relaxed task.
pub struct ByRelaxation<'a> {
    pub packing: &'a Packing,
    pub relaxed: Relaxed,
}

impl Estimates for ByRelaxation<'_> {
    fn of(&self, state: &[u64]) -> Cost {
        MEMORY.with_borrow_mut(|memory| self.relaxed.estimate(self.packing, state, memory))
    }
}
