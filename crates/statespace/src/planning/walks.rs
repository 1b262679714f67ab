//! Walks: actions that change only one variable, such as the steps of a worker between two pushes.
//!
//! If the goal does not mention that variable and every other action requires a value of it, a plan
//! alternates between walks and other actions. A search may then treat a walk and the action after
//! it as one step, and no plan of least cost is lost: it stores only states after other actions. If
//! walks are also free and can be undone, all states that differ only by walks have the same plans,
//! and the one with the least value represents them.

use std::ops::ControlFlow;

use super::Fluent;
use super::mutex::Literal;
use super::packed::{FiniteDomainTask, MaskedBits, NewValue, Operator, State, Variable};
use crate::search::Cost;

/// Maximum domain size of the variable.
const MAX_VALUES: usize = 1024;

/// Values that a state must have and must not have.
#[derive(Default)]
struct Guard {
    needs: Vec<MaskedBits>,
    excluded: Vec<MaskedBits>,
}

struct Walk {
    action: u32,
    to: u32,
    guard: Guard,
}

/// The walks of a task, and its other operators by the value that they require.
pub struct Walks {
    field: Variable,
    /// The cost of each walk.
    cost: Cost,
    walks: Vec<Vec<Walk>>,
    others: Vec<Vec<(u32, Guard)>>,
    /// True if walks are free and can be undone.
    are_merged: bool,
}

impl Guard {
    fn of(fdr: &FiniteDomainTask, operator: &Operator, except: u32) -> Guard {
        let bits = |&(variable, value): &(u32, u32)| fdr.variables[variable as usize].bits(value);
        let mut needs: Vec<MaskedBits> = Vec::new();
        for need in operator.precondition.values.iter().filter(|need| need.0 != except).map(bits) {
            match needs.iter_mut().find(|known| known.word == need.word) {
                Some(known) => (known.mask, known.value) = (known.mask | need.mask, known.value | need.value),
                None => needs.push(need),
            }
        }
        Guard { needs, excluded: operator.precondition.excluded.iter().map(bits).collect() }
    }

    #[inline]
    fn admits<const W: usize>(&self, state: &State<W>) -> bool {
        self.needs.iter().all(|&bits| state.has(bits)) && !self.excluded.iter().any(|&bits| state.has(bits))
    }
}

/// Returns the only change of an operator: the variable, its required value and its new value.
fn single_change(operator: &Operator) -> Option<(u32, u32, u32)> {
    let ([change], []) = (&operator.changes[..], &operator.conditional[..]) else { return None };
    let NewValue::Value(to) = change.to else { return None };
    let required = operator.precondition.values.iter().find(|need| need.0 == change.variable)?;
    Some((change.variable, required.1, to))
}

impl Walks {
    /// Finds the variable that most walks change. Returns `None` if no variable has walks, or if
    /// their costs differ.
    pub fn of(fdr: &FiniteDomainTask) -> Option<Walks> {
        let mut counts = vec![0; fdr.variables.len()];
        fdr.actions.iter().filter_map(single_change).for_each(|(variable, ..)| counts[variable as usize] += 1);
        let is_goal = |variable: u32| fdr.goal.values.iter().chain(&fdr.goal.excluded).any(|goal| goal.0 == variable);
        let candidates = (0..).zip(&counts).filter(|&(variable, &count)| count > 1 && !is_goal(variable));
        let variable = candidates.max_by_key(|&(_, count)| count)?.0;
        let field = fdr.variables[variable as usize].clone();
        let values = field.values();
        if values > MAX_VALUES {
            return None;
        }
        let mut costs = Vec::new();
        let mut walks: Vec<Vec<Walk>> = (0..values).map(|_| Vec::new()).collect();
        let mut others: Vec<Vec<(u32, Guard)>> = (0..values).map(|_| Vec::new()).collect();
        for (number, operator) in (0..).zip(&fdr.actions) {
            let guard = Guard::of(fdr, operator, variable);
            match single_change(operator).filter(|change| change.0 == variable) {
                Some((_, from, to)) => {
                    costs.push(operator.cost);
                    walks[from as usize].push(Walk { action: number, to, guard });
                }
                None => {
                    let required = operator.precondition.values.iter().find(|need| need.0 == variable)?;
                    others[required.1 as usize].push((number, guard));
                }
            }
        }
        let cost = costs[0];
        if costs.iter().any(|&other| other != cost) {
            return None;
        }
        let are_merged = cost == 0 && can_be_undone(fdr, variable, &walks);
        Some(Walks { field, cost, walks, others, are_merged })
    }

    #[inline]
    fn with_value<const W: usize>(&self, state: &State<W>, value: u32) -> State<W> {
        let Variable { word, shift, mask, .. } = self.field;
        let mut state = *state;
        state.0[word] = state.0[word] & !(mask << shift) | u64::from(value) << shift;
        state
    }

    /// Calls `visit` with each value that walks reach, in the order of their costs, with the cost,
    /// the previous value and the last action.
    #[inline]
    fn for_each_value<const W: usize>(
        &self,
        state: &State<W>,
        mut visit: impl FnMut(u32, Cost, Option<(u32, u32)>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (mut is_reached, mut queue) = ([0_u64; MAX_VALUES / 64], [(0_u16, 0_u16); MAX_VALUES]);
        let first = self.field.value(&state.0);
        is_reached[first / 64] |= 1 << (first % 64);
        queue[0] = (first as u16, 0);
        visit(first as u32, 0, None)?;
        let (mut head, mut tail) = (0, 1);
        while head < tail {
            let (value, steps) = queue[head];
            head += 1;
            for walk in &self.walks[usize::from(value)] {
                let to = walk.to as usize;
                if is_reached[to / 64] >> (to % 64) & 1 == 0 && walk.guard.admits(state) {
                    is_reached[to / 64] |= 1 << (to % 64);
                    queue[tail] = (to as u16, steps + 1);
                    tail += 1;
                    visit(walk.to, self.cost * Cost::from(steps + 1), Some((value.into(), walk.action)))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` for each other operator that is applicable after a walk, with the state before
    /// it and the cost of the walk.
    #[inline]
    pub fn for_each_action<const W: usize>(
        &self,
        state: &State<W>,
        mut visit: impl FnMut(u32, State<W>, Cost) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.for_each_value(state, |value, cost, _| {
            let before = self.with_value(state, value);
            for (number, guard) in &self.others[value as usize] {
                if guard.admits(&before) {
                    visit(*number, before, cost)?;
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Returns the state that represents all states that differ only by walks, if walks are merged.
    #[inline]
    pub fn representative<const W: usize>(&self, state: &State<W>) -> State<W> {
        if !self.are_merged {
            return *state;
        }
        let mut least = u32::MAX;
        let _ = self.for_each_value(state, |value, _, _| {
            least = least.min(value);
            ControlFlow::Continue(())
        });
        self.with_value(state, least)
    }

    /// Returns the operators of a shortest walk after which the operator `number` is applicable, and
    /// the state before that operator.
    pub fn walk_to<const W: usize>(&self, state: &State<W>, number: u32) -> Option<(Vec<u32>, State<W>)> {
        let mut from = vec![None; self.walks.len()];
        let mut target = None;
        let _ = self.for_each_value(state, |value, _, last| {
            from[value as usize] = last;
            let mut found = self.others[value as usize].iter().filter(|other| other.0 == number);
            if found.any(|(_, guard)| guard.admits(state)) {
                target = Some(value);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let target = target?;
        let (mut path, mut at) = (Vec::new(), target);
        while let Some((before, action)) = from[at as usize] {
            path.push(action);
            at = before;
        }
        path.reverse();
        Some((path, self.with_value(state, target)))
    }
}

/// Returns true if each walk has a walk back that is applicable wherever the first one is: the
/// conditions of the walk back are conditions of the walk, or follow from the value before it.
fn can_be_undone(fdr: &FiniteDomainTask, variable: u32, walks: &[Vec<Walk>]) -> bool {
    let Some(mutexes) = &fdr.mutexes else { return false };
    let fluent_of = |(variable, value): (u32, u32)| -> Option<Fluent> {
        fdr.variables[variable as usize].fluents.get((value as usize).checked_sub(1)?).copied()
    };
    let precondition = |walk: &Walk| &fdr.actions[walk.action as usize].precondition;
    (0..).zip(walks).all(|(from, leaving)| {
        let Some(source) = fluent_of((variable, from)) else { return leaving.is_empty() };
        let excludes = |other: (u32, u32)| {
            let literal = |fluent| Literal::of(fluent, true);
            fluent_of(other).is_some_and(|fluent| !mutexes.compatible(literal(source), literal(fluent)))
        };
        leaving.iter().all(|walk| {
            let forth = precondition(walk);
            walks[walk.to as usize].iter().filter(|back| back.to == from).any(|back| {
                let back = precondition(back);
                // Value 0 of a variable means that no fluent of it holds.
                let no_fluent_holds = |other: u32| {
                    let values = fdr.variables[other as usize].values() as u32;
                    (1..values).all(|value| excludes((other, value)))
                };
                back.values
                    .iter()
                    .filter(|need| need.0 != variable)
                    .all(|need| forth.values.contains(need) || need.1 == 0 && no_fluent_holds(need.0))
                    && back.excluded.iter().all(|&other| {
                        let requires_another = forth.values.iter().any(|need| need.0 == other.0 && need.1 != other.1);
                        forth.excluded.contains(&other) || requires_another || excludes(other)
                    })
            })
        })
    })
}
