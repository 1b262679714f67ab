//! Finite-domain tasks: packed states and the operators on them.
//!
//! A variable is stored in a bit field. Its values are fluents of which at most one holds; value 0
//! means that none of them holds. Fluents that never change are removed. An operator writes
//! constants into fields, looks up the new value of a field by the old one, or, if a field depends
//! on another, applies its conditional effects one by one.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use base::sorting;
use base::stop::CancelToken;

use super::mutex::{self, H2Mutexes, Literal};
use super::{Action, Condition, Effect, Fluent, Task};
use crate::search::Cost;

/// A state of `W` words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State<const W: usize>(pub [u64; W]);

impl<const W: usize> Hash for State<W> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.iter().for_each(|&word| hasher.write_u64(word));
    }
}

impl<const W: usize> State<W> {
    #[inline]
    pub fn has(&self, bits: MaskedBits) -> bool {
        self.0[bits.word as usize % W] & bits.mask == bits.value
    }
}

/// The value of the bits of a word that a mask selects.
#[derive(Clone, Copy)]
pub struct MaskedBits {
    pub word: u32,
    pub mask: u64,
    pub value: u64,
}

/// A bit field of a state.
#[derive(Debug, Clone)]
pub struct Variable {
    pub word: usize,
    pub shift: u32,
    /// The mask before shifting.
    pub mask: u64,
    /// The fluents of the values 1, 2, …
    pub fluents: Vec<Fluent>,
}

impl Variable {
    pub fn value(&self, state: &[u64]) -> usize {
        (state[self.word] >> self.shift & self.mask) as usize
    }

    /// The bits of the state in which the variable has a value.
    pub fn bits(&self, value: u32) -> MaskedBits {
        MaskedBits { word: self.word as u32, mask: self.mask << self.shift, value: u64::from(value) << self.shift }
    }

    /// The domain size, including value 0.
    pub fn values(&self) -> usize {
        self.fluents.len() + 1
    }
}

/// The representation of a fluent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FluentEncoding {
    Never,
    Always,
    Value { variable: u32, value: u32 },
}

/// A variable and a value.
pub type Assignment = (u32, u32);

/// The old and the new value of a variable.
pub type Transition = (u32, u32);

/// A task in finite-domain variables.
pub struct FiniteDomainTask {
    pub variables: Vec<Variable>,
    pub encodings: Vec<FluentEncoding>,
    pub words: usize,
    pub start: Vec<u64>,
    pub goal: Precondition,
    pub actions: Vec<Operator>,
    /// Set if mutexes alone prove that no goal can be reached.
    pub unsolvable_goal: Option<UnsolvableGoal>,
    /// The mutexes of the task, unless they take too much memory.
    pub mutexes: Option<H2Mutexes>,
}

/// The reason why no goal can be reached: it requires a literal that never holds, or two literals
/// that exclude each other. A literal is a fluent, with true if it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsolvableGoal {
    Never(Fluent, bool),
    Exclude((Fluent, bool), (Fluent, bool)),
}

/// Values that variables must have, and values that they must not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Precondition {
    pub values: Vec<Assignment>,
    pub excluded: Vec<Assignment>,
}

/// An action on variables.
#[derive(Debug, Clone)]
pub struct Operator {
    /// Index of the action in the task.
    pub action: u32,
    pub cost: Cost,
    pub precondition: Precondition,
    pub changes: Vec<Change>,
    /// Effects that depend on other variables, in the order in which they are applied: deletions
    /// first.
    pub conditional: Vec<ConditionalEffect>,
}

/// The effect on one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub variable: u32,
    pub to: NewValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewValue {
    Value(u32),
    Table(Vec<u32>),
}

/// Sets or clears a fluent if the condition held before the action.
#[derive(Debug, Clone, Copy)]
pub struct ConditionalEffect {
    pub condition: Option<Assignment>,
    pub fluent: Assignment,
    pub holds: bool,
}

impl FiniteDomainTask {
    /// Translates `task`. The result respects `symmetries`, which must be closed under composition.
    pub fn of(task: &Task, symmetries: &[Vec<Fluent>], stop: &CancelToken) -> FiniteDomainTask {
        let mutexes = H2Mutexes::of(task, symmetries, stop);
        let varies = varying_fluents(task, symmetries, mutexes.as_ref());
        let holds = task.holds();
        let fixed = |holds: bool| if holds { FluentEncoding::Always } else { FluentEncoding::Never };
        let mut encodings: Vec<FluentEncoding> = holds.iter().map(|&holds| fixed(holds)).collect();
        let mut variables: Vec<Variable> = Vec::new();
        let mut used_bits: Vec<u32> = Vec::new();
        for group in mutex::groups(task, mutexes.as_ref(), stop) {
            let group: Vec<Fluent> = group.into_iter().filter(|&fluent| varies[fluent as usize]).collect();
            if group.is_empty() {
                continue;
            }
            let bits = usize::BITS - group.len().leading_zeros();
            // The first word with enough unused bits.
            let word = used_bits.iter().position(|&used| used + bits <= 64).unwrap_or_else(|| {
                used_bits.push(0);
                used_bits.len() - 1
            });
            let mask = (1 << bits) - 1;
            for (value, &fluent) in (1..).zip(&group) {
                encodings[fluent as usize] = FluentEncoding::Value { variable: variables.len() as u32, value };
            }
            variables.push(Variable { word, shift: used_bits[word], mask, fluents: group });
            used_bits[word] += bits;
        }
        let mut fdr = FiniteDomainTask {
            variables,
            encodings,
            words: used_bits.len().max(1),
            start: Vec::new(),
            goal: Precondition::default(),
            actions: Vec::new(),
            unsolvable_goal: None,
            mutexes: None,
        };
        fdr.start = fdr.pack(&task.start);
        match fdr.needs(&task.goal) {
            Ok(goal) => fdr.goal = goal,
            Err((fluent, holds)) => fdr.unsolvable_goal = Some(UnsolvableGoal::Never(fluent, holds)),
        }
        if let Some(mutexes) = &mutexes {
            fdr.unsolvable_goal = fdr.unsolvable_goal.or_else(|| find_unsolvable_goal(&task.goal, mutexes));
        }
        let possible = |action: &Action| {
            mutexes.as_ref().is_none_or(|mutexes| mutexes.all_compatible(&literals(&action.precondition)))
        };
        let actions = (0..).zip(&task.actions).filter(|(_, action)| possible(action));
        fdr.actions = actions.filter_map(|(number, action)| fdr.operator(number, action)).collect();
        fdr.mutexes = mutexes.filter(H2Mutexes::is_small);
        fdr
    }

    /// Packs the state in which exactly `fluents` hold.
    pub fn pack(&self, fluents: &[Fluent]) -> Vec<u64> {
        let mut state = vec![0; self.words];
        for &fluent in fluents {
            if let FluentEncoding::Value { variable, value } = self.encodings[fluent as usize] {
                let Variable { word, shift, .. } = self.variables[variable as usize];
                state[word] |= u64::from(value) << shift;
            }
        }
        state
    }

    /// Translates a condition. The error is a literal that never holds.
    fn needs(&self, condition: &Condition) -> Result<Precondition, (Fluent, bool)> {
        let mut needs = Precondition::default();
        for &fluent in &condition.holds {
            match self.encodings[fluent as usize] {
                FluentEncoding::Never => return Err((fluent, true)),
                FluentEncoding::Always => {}
                FluentEncoding::Value { variable, value } => needs.values.push((variable, value)),
            }
        }
        for &fluent in &condition.fails {
            match self.encodings[fluent as usize] {
                FluentEncoding::Never => {}
                FluentEncoding::Always => return Err((fluent, false)),
                // With a domain of two values, the complement is a single value.
                FluentEncoding::Value { variable, .. } if self.variables[variable as usize].values() == 2 => {
                    needs.values.push((variable, 0));
                }
                FluentEncoding::Value { variable, value } => needs.excluded.push((variable, value)),
            }
        }
        needs.values.sort_unstable();
        needs.values.dedup();
        // If a value is required, excluded values of the same variable are redundant.
        let is_new = |second: &Assignment| !needs.values.iter().any(|known| known.0 == second.0 && known.1 != second.1);
        needs.excluded.retain(is_new);
        needs.excluded.sort_unstable();
        needs.excluded.dedup();
        Ok(needs)
    }

    fn assignment(&self, fluent: Fluent) -> Option<Assignment> {
        match self.encodings[fluent as usize] {
            FluentEncoding::Value { variable, value } => Some((variable, value)),
            _ => None,
        }
    }

    /// Translates an action. Returns `None` if it is never applicable or has no effect.
    fn operator(&self, number: u32, action: &Action) -> Option<Operator> {
        let needs = self.needs(&action.precondition).ok()?;
        if needs.values.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let mut effects: Vec<ConditionalEffect> = Vec::new();
        for &Effect { fluent, holds, condition } in &action.effects {
            // Effects on constant fluents change nothing.
            let Some(fluent) = self.assignment(fluent) else { continue };
            let condition = match condition.map(|condition| self.encodings[condition as usize]) {
                Some(FluentEncoding::Never) => continue,
                None | Some(FluentEncoding::Always) => None,
                Some(FluentEncoding::Value { variable, value }) => Some((variable, value)),
            };
            effects.push(ConditionalEffect { condition, fluent, holds });
        }
        sorting::sort_by_key(&mut effects, |effect| (effect.fluent.0, effect.holds));
        let (mut changes, mut conditional) = (Vec::new(), Vec::new());
        for effects in effects.chunk_by(|first, second| first.fluent.0 == second.fluent.0) {
            let variable = effects[0].fluent.0;
            if effects.iter().any(|effect| effect.condition.is_some_and(|(on, _)| on != variable)) {
                conditional.extend_from_slice(effects);
                continue;
            }
            let needed = needs.values.iter().find(|(known, _)| *known == variable).map(|&(_, value)| value);
            let to = |old: u32| {
                effects.iter().fold(old, |now, effect| {
                    let happens = effect.condition.is_none_or(|(_, value)| value == old);
                    match effect.holds {
                        true if happens => effect.fluent.1,
                        false if happens && old == effect.fluent.1 => 0,
                        _ => now,
                    }
                })
            };
            let values = self.variables[variable as usize].values() as u32;
            let all: Vec<u32> = (0..values).map(to).collect();
            match needed {
                Some(old) if all[old as usize] != old => {
                    changes.push(Change { variable, to: NewValue::Value(all[old as usize]) });
                }
                Some(_) => {}
                None if all.iter().all(|&value| value == all[0]) => {
                    changes.push(Change { variable, to: NewValue::Value(all[0]) });
                }
                None if (0..).zip(&all).all(|(old, &new)| old == new) => {}
                None => changes.push(Change { variable, to: NewValue::Table(all) }),
            }
        }
        if changes.is_empty() && conditional.is_empty() {
            return None;
        }
        Some(Operator { action: number, cost: action.cost, precondition: needs, changes, conditional })
    }

    /// Returns, for each variable, the values that it may have in goal states.
    pub fn goal_values(&self) -> impl Iterator<Item = (u32, Vec<u32>)> {
        (0..).zip(&self.variables).map(|(number, variable)| {
            let required = self.goal.values.iter().find(|required| required.0 == number).map(|required| required.1);
            let values = required.map_or(0..variable.values() as u32, |value| value..value + 1);
            (number, values.filter(|&value| !self.goal.excluded.contains(&(number, value))).collect())
        })
    }

    /// Returns, for each variable that an operator may change, its possible transitions.
    pub fn transitions(&self, action: &Operator) -> Vec<(u32, Vec<Transition>)> {
        let values = |variable: u32| -> Range<u32> {
            let needed = action.precondition.values.iter().find(|need| need.0 == variable).map(|need| need.1);
            needed.map_or(0..self.variables[variable as usize].values() as u32, |value| value..value + 1)
        };
        let fits = |variable: u32, value: u32| !action.precondition.excluded.contains(&(variable, value));
        let mut transitions: Vec<(u32, Vec<Transition>)> = Vec::new();
        for change in &action.changes {
            let to = |old: u32| match &change.to {
                NewValue::Value(value) => *value,
                NewValue::Table(values) => values[old as usize],
            };
            let olds = values(change.variable).filter(|&old| fits(change.variable, old));
            transitions.push((change.variable, olds.map(|old| (old, to(old))).collect()));
        }
        // A conditional effect may or may not occur.
        for effect in &action.conditional {
            let (variable, value) = effect.fluent;
            let possible = values(variable).filter(|&old| effect.holds || old == value);
            let mut possible: Vec<Transition> =
                possible.map(|old| (old, if effect.holds { value } else { 0 })).collect();
            match transitions.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, known)) => known.append(&mut possible),
                None => {
                    possible.extend(values(variable).map(|old| (old, old)));
                    transitions.push((variable, possible));
                }
            }
        }
        transitions
    }
}

/// Returns, for each fluent, whether it may change. The others keep their value from the start.
fn varying_fluents(task: &Task, symmetries: &[Vec<Fluent>], mutexes: Option<&H2Mutexes>) -> Vec<bool> {
    let mut varies = vec![false; task.fluents];
    if let Some(mutexes) = mutexes {
        for (fluent, varies) in (0..).zip(&mut varies) {
            let compatible = |holds| mutexes.compatible(Literal::of(fluent, holds), Literal::of(fluent, holds));
            *varies = compatible(true) && compatible(false);
        }
        return varies;
    }
    let holds = task.holds();
    for start in task.starts(symmetries) {
        varies
            .iter_mut()
            .zip(start.iter().zip(&holds))
            .for_each(|(varies, (first, second))| *varies |= first != second);
    }
    for effect in task.actions.iter().flat_map(|action| &action.effects) {
        varies[effect.fluent as usize] |= effect.holds != holds[effect.fluent as usize];
    }
    varies
}

fn literals(condition: &Condition) -> Vec<Literal> {
    let holds = condition.holds.iter().map(|&fluent| Literal::of(fluent, true));
    holds.chain(condition.fails.iter().map(|&fluent| Literal::of(fluent, false))).collect()
}

fn find_unsolvable_goal(goal: &Condition, mutexes: &H2Mutexes) -> Option<UnsolvableGoal> {
    let goal_literals: Vec<(Fluent, bool)> = goal
        .holds
        .iter()
        .map(|&fluent| (fluent, true))
        .chain(goal.fails.iter().map(|&fluent| (fluent, false)))
        .collect();
    let compatible = |first: (Fluent, bool), second: (Fluent, bool)| {
        mutexes.compatible(Literal::of(first.0, first.1), Literal::of(second.0, second.1))
    };
    let never = goal_literals
        .iter()
        .find(|&&first| !compatible(first, first))
        .map(|&(fluent, holds)| UnsolvableGoal::Never(fluent, holds));
    never.or_else(|| {
        let mut both = goal_literals.iter().flat_map(|&first| goal_literals.iter().map(move |&second| (first, second)));
        both.find(|&(first, second)| !compatible(first, second))
            .map(|(first, second)| UnsolvableGoal::Exclude(first, second))
    })
}
