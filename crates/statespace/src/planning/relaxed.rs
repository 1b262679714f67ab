//! Heuristics of the delete relaxation, in which a fact that holds once holds forever: h-max and
//! LM-cut.
//!
//! LM-cut (M. Helmert and C. Domshlak, Landmarks, Critical Paths and Abstractions, ICAPS 2009)
//! repeatedly finds a disjunctive action landmark, a set of actions of which every plan contains
//! one, and splits the action costs among the landmarks. Each conditional effect is a separate
//! step, which shares the cost of its action: a landmark that uses cost of one step reduces the
//! cost of all steps of the action, so the heuristic remains admissible.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::heuristic::{HeuristicFn, add_costs};
use super::packed::{Assignment, FiniteDomainTask};
use crate::search::{Cost, UNREACHABLE};

/// A fact of the relaxed task: a variable has a value, or does not have a value.
type Fact = u32;

/// One (conditional) effect of an action, with its condition and the preconditions of the action.
struct Step {
    action: u32,
    needs: Vec<Fact>,
    adds: Vec<Fact>,
}

/// The relaxed task.
pub struct RelaxedTask {
    steps: Vec<Step>,
    /// For each fact, the steps that require it.
    needed_by: Vec<Vec<u32>>,
    added_by: Vec<Vec<u32>>,
    /// The steps of each action.
    of_action: Vec<Range<u32>>,
    costs: Vec<Cost>,
    /// For each variable, the fact of its value 0; the facts of its other values follow.
    first: Vec<Fact>,
    /// For each variable, the negative facts (the variable does not have this value) that occur in
    /// a condition.
    others: Vec<Vec<(u32, Fact)>>,
    /// A fact that holds in every state.
    always_true: Fact,
    /// The fact that the goal is reached.
    goal: Fact,
    uses_cuts: bool,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Buffers reused between evaluations.
#[derive(Default)]
struct Scratch {
    /// The h-max value of each fact.
    facts: Vec<Cost>,
    /// For each step, the number of unreached preconditions.
    open: Vec<u32>,
    /// For each step, its most expensive precondition.
    supporter: Vec<Fact>,
    /// For each step, the h-max value of its supporter.
    value: Vec<Cost>,
    costs: Vec<Cost>,
    queue: BinaryHeap<Reverse<(Cost, Fact)>>,
    is_in_zone: Vec<bool>,
    is_reached: Vec<bool>,
    stack: Vec<Fact>,
    cut: Vec<u32>,
}

impl RelaxedTask {
    /// Builds the task for LM-cut if `cuts`, otherwise for h-max.
    pub fn of(fdr: &FiniteDomainTask, cuts: bool) -> RelaxedTask {
        let mut facts = 0;
        let mut first = Vec::new();
        for variable in &fdr.variables {
            first.push(facts);
            facts += variable.values() as Fact;
        }
        let mut others: Vec<Vec<(u32, Fact)>> = vec![Vec::new(); fdr.variables.len()];
        let negated = fdr.actions.iter().flat_map(|action| &action.precondition.excluded).chain(&fdr.goal.excluded);
        for &(variable, value) in negated {
            let known = &mut others[variable as usize];
            if !known.iter().any(|(other, _)| *other == value) {
                known.push((value, facts));
                facts += 1;
            }
        }
        let (always_true, goal) = (facts, facts + 1);
        let fact = |&(variable, value): &Assignment| first[variable as usize] + value;
        let other = |&(variable, value): &Assignment| {
            let known = others[variable as usize].iter().find(|(other, _)| *other == value);
            known.expect("it was asked for").1
        };
        // The facts that hold if a variable has a value.
        let fact_added = |variable: u32, value: u32| {
            let others = others[variable as usize].iter().filter(move |(other, _)| *other != value);
            [first[variable as usize] + value].into_iter().chain(others.map(|&(_, fact)| fact))
        };
        let mut relaxed = RelaxedTask {
            steps: Vec::new(),
            needed_by: vec![Vec::new(); facts as usize + 2],
            added_by: vec![Vec::new(); facts as usize + 2],
            of_action: Vec::new(),
            costs: fdr.actions.iter().map(|action| action.cost).collect(),
            always_true,
            goal,
            uses_cuts: cuts,
            first: Vec::new(),
            others: Vec::new(),
        };
        for (number, action) in (0..).zip(&fdr.actions) {
            let before = relaxed.steps.len() as u32;
            let needs: Vec<Fact> = action
                .precondition
                .values
                .iter()
                .map(fact)
                .chain(action.precondition.excluded.iter().map(other))
                .collect();
            let mut always = Vec::new();
            for change in &action.changes {
                match &change.to {
                    super::packed::NewValue::Value(value) => always.extend(fact_added(change.variable, *value)),
                    super::packed::NewValue::Table(values) => {
                        for (old, &new) in (0..).zip(values).filter(|(old, new)| old != *new) {
                            let needs = needs.iter().copied().chain([fact(&(change.variable, old))]).collect();
                            relaxed.add(number, needs, fact_added(change.variable, new).collect());
                        }
                    }
                }
            }
            for effect in &action.conditional {
                let (variable, value) = effect.fluent;
                let condition = effect.condition.iter().map(fact);
                let needs = needs.iter().copied().chain(condition).collect();
                relaxed.add(number, needs, fact_added(variable, if effect.holds { value } else { 0 }).collect());
            }
            relaxed.add(number, needs, always);
            relaxed.of_action.push(before..relaxed.steps.len() as u32);
        }
        let goal_facts = fdr.goal.values.iter().map(fact).chain(fdr.goal.excluded.iter().map(other)).collect();
        let end = relaxed.costs.len() as u32;
        relaxed.costs.push(0);
        relaxed.add(end, goal_facts, vec![goal]);
        (relaxed.first, relaxed.others) = (first, others);
        relaxed
    }

    fn add(&mut self, action: u32, mut needs: Vec<Fact>, adds: Vec<Fact>) {
        needs.sort_unstable();
        needs.dedup();
        if needs.is_empty() {
            needs.push(self.always_true);
        }
        if adds.is_empty() {
            return;
        }
        let step = self.steps.len() as u32;
        needs.iter().for_each(|&need| self.needed_by[need as usize].push(step));
        adds.iter().for_each(|&fact_added| self.added_by[fact_added as usize].push(step));
        self.steps.push(Step { action, needs, adds });
    }

    /// Calls `visit` for each fact that holds in a state.
    fn for_each_fact(&self, fdr: &FiniteDomainTask, state: &[u64], mut visit: impl FnMut(Fact)) {
        visit(self.always_true);
        for ((variable, &first), others) in fdr.variables.iter().zip(&self.first).zip(&self.others) {
            let value = variable.value(state) as u32;
            visit(first + value);
            others.iter().filter(|(other, _)| *other != value).for_each(|&(_, fact)| visit(fact));
        }
    }

    /// Computes the h-max values in `scratch.facts` from the costs in `scratch.costs`, and the
    /// supporters of the steps.
    fn explore(&self, scratch: &mut Scratch) {
        while let Some(Reverse((cost, fact))) = scratch.queue.pop() {
            if cost > scratch.facts[fact as usize] {
                continue;
            }
            for &number in &self.needed_by[fact as usize] {
                let at = number as usize;
                scratch.open[at] -= 1;
                if scratch.open[at] == 0 {
                    // The precondition reached last is the most expensive one.
                    (scratch.supporter[at], scratch.value[at]) = (fact, cost);
                    self.apply_step(scratch, number);
                }
            }
        }
    }

    fn apply_step(&self, scratch: &mut Scratch, number: u32) {
        let step = &self.steps[number as usize];
        let cost = add_costs(scratch.value[number as usize], scratch.costs[step.action as usize]);
        for &fact_added in &step.adds {
            if cost < scratch.facts[fact_added as usize] {
                scratch.facts[fact_added as usize] = cost;
                scratch.queue.push(Reverse((cost, fact_added)));
            }
        }
    }

    /// Updates the values after the costs of the steps in `cut` have decreased.
    fn explore_again(&self, scratch: &mut Scratch, cut: &[u32]) {
        for &number in cut {
            self.apply_step(scratch, number);
        }
        while let Some(Reverse((cost, fact))) = scratch.queue.pop() {
            if cost > scratch.facts[fact as usize] {
                continue;
            }
            for &number in &self.needed_by[fact as usize] {
                let at = number as usize;
                if scratch.open[at] > 0 || scratch.supporter[at] != fact || scratch.value[at] <= cost {
                    continue;
                }
                let needs = &self.steps[at].needs;
                let supporter = *needs.iter().max_by_key(|&&need| scratch.facts[need as usize]).expect("one at least");
                let value = scratch.facts[supporter as usize];
                (scratch.supporter[at], scratch.value[at]) = (supporter, value);
                self.apply_step(scratch, number);
            }
        }
    }

    fn estimate(&self, fdr: &FiniteDomainTask, state: &[u64], scratch: &mut Scratch) -> Cost {
        let facts = self.needed_by.len();
        scratch.facts.clear();
        scratch.facts.resize(facts, UNREACHABLE);
        scratch.open.clear();
        scratch.open.extend(self.steps.iter().map(|step| step.needs.len() as u32));
        scratch.supporter.resize(self.steps.len(), 0);
        scratch.value.resize(self.steps.len(), 0);
        scratch.costs.clone_from(&self.costs);
        let (known, queue) = (&mut scratch.facts, &mut scratch.queue);
        self.for_each_fact(fdr, state, |fact| {
            known[fact as usize] = 0;
            queue.push(Reverse((0, fact)));
        });
        self.explore(scratch);
        let goal = self.goal as usize;
        if scratch.facts[goal] == UNREACHABLE || !self.uses_cuts {
            return scratch.facts[goal];
        }
        let mut sum = 0;
        while scratch.facts[goal] > 0 {
            self.mark_goal_zone(scratch);
            self.find_cut(fdr, state, scratch);
            let cut = std::mem::take(&mut scratch.cut);
            let of = |number: &u32| scratch.costs[self.steps[*number as usize].action as usize];
            let least = cut.iter().map(of).min().expect("the goal is not reached for nothing");
            sum = add_costs(sum, least);
            let mut actions: Vec<u32> = cut.iter().map(|&number| self.steps[number as usize].action).collect();
            actions.sort_unstable();
            actions.dedup();
            actions.iter().for_each(|&action| scratch.costs[action as usize] -= least);
            // The costs of the other steps of these actions have decreased, too.
            let steps = actions.iter().flat_map(|&action| self.of_action[action as usize].clone());
            let cheaper: Vec<u32> = steps.filter(|&step| scratch.open[step as usize] == 0).collect();
            self.explore_again(scratch, &cheaper);
            scratch.cut = cut;
        }
        sum
    }

    /// Marks the goal zone: the facts from which the goal is reachable via supporters at no cost.
    fn mark_goal_zone(&self, scratch: &mut Scratch) {
        scratch.is_in_zone.clear();
        scratch.is_in_zone.resize(self.needed_by.len(), false);
        scratch.is_in_zone[self.goal as usize] = true;
        scratch.stack.push(self.goal);
        while let Some(fact) = scratch.stack.pop() {
            for &step in &self.added_by[fact as usize] {
                let (at, action) = (step as usize, self.steps[step as usize].action as usize);
                let from = scratch.supporter[at];
                if scratch.costs[action] == 0
                    && scratch.open[at] == 0
                    && !std::mem::replace(&mut scratch.is_in_zone[from as usize], true)
                {
                    scratch.stack.push(from);
                }
            }
        }
    }

    /// Collects the steps that lead from reachable facts outside the goal zone into it.
    fn find_cut(&self, fdr: &FiniteDomainTask, state: &[u64], scratch: &mut Scratch) {
        scratch.is_reached.clear();
        scratch.is_reached.resize(self.needed_by.len(), false);
        scratch.cut.clear();
        let (is_reached, stack) = (&mut scratch.is_reached, &mut scratch.stack);
        self.for_each_fact(fdr, state, |fact| {
            is_reached[fact as usize] = true;
            stack.push(fact);
        });
        while let Some(fact) = scratch.stack.pop() {
            for &number in &self.needed_by[fact as usize] {
                let at = number as usize;
                if scratch.open[at] > 0 || scratch.supporter[at] != fact {
                    continue;
                }
                let adds = &self.steps[at].adds;
                if adds.iter().any(|&fact_added| scratch.is_in_zone[fact_added as usize]) {
                    scratch.cut.push(number);
                    continue;
                }
                for &fact_added in adds {
                    if !std::mem::replace(&mut scratch.is_reached[fact_added as usize], true) {
                        scratch.stack.push(fact_added);
                    }
                }
            }
        }
    }
}

/// A heuristic of the relaxed task.
pub struct DeleteRelaxation<'a> {
    pub fdr: &'a FiniteDomainTask,
    pub relaxed: RelaxedTask,
}

impl HeuristicFn for DeleteRelaxation<'_> {
    fn estimate(&self, state: &[u64]) -> Cost {
        SCRATCH.with_borrow_mut(|scratch| self.relaxed.estimate(self.fdr, state, scratch))
    }
}
