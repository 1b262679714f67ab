//! States in a few words, and what actions do to them.
//!
//! Fluents of which at most one holds are the values of a variable, a field of bits; its value 0 says that none holds. What
//! never changes is gone. An action writes constants into fields, or looks the new value of a field up by the old one, or,
//! where a field depends on another, goes through its effects.

use std::hash::{Hash, Hasher};

use super::mutex::{self, Literal, Pairs};
use super::{Action, Condition, Effect, Fluent, Task};
use crate::search::Cost;
use crate::sorting;
use crate::stop::Stop;

/// A state of `W` words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State<const W: usize>(pub [u64; W]);

impl<const W: usize> Hash for State<W> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.iter().for_each(|&word| hasher.write_u64(word));
    }
}

/// A field of a state.
#[derive(Debug, Clone)]
pub struct Variable {
    pub word: usize,
    pub shift: u32,
    /// Before it is shifted.
    pub mask: u64,
    /// Those of the values 1, 2, …
    pub fluents: Vec<Fluent>,
}

impl Variable {
    pub fn value(&self, state: &[u64]) -> usize {
        (state[self.word] >> self.shift & self.mask) as usize
    }

    /// Values that there are, 0 among them.
    pub fn values(&self) -> usize {
        self.fluents.len() + 1
    }
}

/// Where a fluent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Never,
    Always,
    Value { variable: u32, value: u32 },
}

/// A value that a field must have.
pub type Wanted = (u32, u32);

/// A task in variables.
pub struct Packing {
    pub variables: Vec<Variable>,
    pub places: Vec<Place>,
    pub words: usize,
    pub start: Vec<u64>,
    pub goal: Needs,
    pub actions: Vec<Packed>,
    /// Why no goal can be reached, where that is seen at once.
    pub obstacle: Option<Obstacle>,
}

/// Why no goal can be reached: what it asks for never holds, or two things that exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    Never(Fluent, bool),
    Exclude((Fluent, bool), (Fluent, bool)),
}

/// Fields and the values that they must have, or must not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    pub values: Vec<Wanted>,
    pub others: Vec<Wanted>,
}

/// An action on variables.
#[derive(Debug, Clone)]
pub struct Packed {
    /// Its number in the task.
    pub action: u32,
    pub cost: Cost,
    pub needs: Needs,
    pub changes: Vec<Change>,
    /// Effects that depend on other fields, in the order in which they are made: what ceases first.
    pub given: Vec<Given>,
}

/// The new value of a variable by its old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub variable: u32,
    pub to: To,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum To {
    Value(u32),
    Of(Vec<u32>),
}

/// A fluent that begins or ceases to hold, if the condition was met before.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    pub condition: Option<Wanted>,
    pub fluent: Wanted,
    pub holds: bool,
}

impl Packing {
    /// Equal under the symmetries too, which are closed under composition.
    pub fn of(task: &Task, symmetries: &[Vec<Fluent>], stop: &Stop) -> Packing {
        let pairs = Pairs::of(task, symmetries, stop);
        let varies = varying(task, symmetries, pairs.as_ref());
        let holds = task.holds();
        let fixed = |holds: bool| if holds { Place::Always } else { Place::Never };
        let mut places: Vec<Place> = holds.iter().map(|&holds| fixed(holds)).collect();
        let mut variables: Vec<Variable> = Vec::new();
        let mut free: Vec<u32> = Vec::new();
        for group in mutex::groups(task, pairs.as_ref(), stop) {
            let group: Vec<Fluent> = group.into_iter().filter(|&fluent| varies[fluent as usize]).collect();
            if group.is_empty() {
                continue;
            }
            let bits = usize::BITS - group.len().leading_zeros();
            // The first word with room for it.
            let word = free.iter().position(|&used| used + bits <= 64).unwrap_or_else(|| {
                free.push(0);
                free.len() - 1
            });
            let mask = (1 << bits) - 1;
            for (value, &fluent) in (1..).zip(&group) {
                places[fluent as usize] = Place::Value { variable: variables.len() as u32, value };
            }
            variables.push(Variable { word, shift: free[word], mask, fluents: group });
            free[word] += bits;
        }
        let mut packing = Packing {
            variables,
            places,
            words: free.len().max(1),
            start: Vec::new(),
            goal: Needs::default(),
            actions: Vec::new(),
            obstacle: None,
        };
        packing.start = packing.pack(&task.start);
        match packing.needs(&task.goal) {
            Ok(goal) => packing.goal = goal,
            Err((fluent, holds)) => packing.obstacle = Some(Obstacle::Never(fluent, holds)),
        }
        if let Some(pairs) = &pairs {
            packing.obstacle = packing.obstacle.or_else(|| obstacle(&task.goal, pairs));
        }
        let possible = |action: &Action| pairs.as_ref().is_none_or(|pairs| pairs.may_all(&literals(&action.needs)));
        let actions = (0..).zip(&task.actions).filter(|(_, action)| possible(action));
        packing.actions = actions.filter_map(|(number, action)| packing.packed(number, action)).collect();
        packing
    }

    /// A state in which these fluents hold.
    pub fn pack(&self, fluents: &[Fluent]) -> Vec<u64> {
        let mut state = vec![0; self.words];
        for &fluent in fluents {
            if let Place::Value { variable, value } = self.places[fluent as usize] {
                let Variable { word, shift, .. } = self.variables[variable as usize];
                state[word] |= u64::from(value) << shift;
            }
        }
        state
    }

    /// In variables; the literal that never holds, if there is one.
    fn needs(&self, condition: &Condition) -> Result<Needs, (Fluent, bool)> {
        let mut needs = Needs::default();
        for &fluent in &condition.holds {
            match self.places[fluent as usize] {
                Place::Never => return Err((fluent, true)),
                Place::Always => {}
                Place::Value { variable, value } => needs.values.push((variable, value)),
            }
        }
        for &fluent in &condition.fails {
            match self.places[fluent as usize] {
                Place::Never => {}
                Place::Always => return Err((fluent, false)),
                // A variable with two values has one other.
                Place::Value { variable, .. } if self.variables[variable as usize].values() == 2 => {
                    needs.values.push((variable, 0));
                }
                Place::Value { variable, value } => needs.others.push((variable, value)),
            }
        }
        needs.values.sort_unstable();
        needs.values.dedup();
        // What has one value has no other.
        let is_new = |other: &Wanted| !needs.values.iter().any(|known| known.0 == other.0 && known.1 != other.1);
        needs.others.retain(is_new);
        needs.others.sort_unstable();
        needs.others.dedup();
        Ok(needs)
    }

    fn place(&self, fluent: Fluent) -> Option<Wanted> {
        match self.places[fluent as usize] {
            Place::Value { variable, value } => Some((variable, value)),
            _ => None,
        }
    }

    /// `None` if it can never be taken, or changes nothing.
    fn packed(&self, number: u32, action: &Action) -> Option<Packed> {
        let needs = self.needs(&action.needs).ok()?;
        if needs.values.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let mut effects: Vec<Given> = Vec::new();
        for &Effect { fluent, holds, given } in &action.effects {
            // What never changes is not changed.
            let Some(fluent) = self.place(fluent) else { continue };
            let condition = match given.map(|given| self.places[given as usize]) {
                Some(Place::Never) => continue,
                None | Some(Place::Always) => None,
                Some(Place::Value { variable, value }) => Some((variable, value)),
            };
            effects.push(Given { condition, fluent, holds });
        }
        sorting::sort_by_key(&mut effects, |effect| (effect.fluent.0, effect.holds));
        let (mut changes, mut given) = (Vec::new(), Vec::new());
        for effects in effects.chunk_by(|one, other| one.fluent.0 == other.fluent.0) {
            let variable = effects[0].fluent.0;
            if effects.iter().any(|effect| effect.condition.is_some_and(|(on, _)| on != variable)) {
                given.extend_from_slice(effects);
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
                    changes.push(Change { variable, to: To::Value(all[old as usize]) });
                }
                Some(_) => {}
                None if all.iter().all(|&value| value == all[0]) => {
                    changes.push(Change { variable, to: To::Value(all[0]) });
                }
                None if (0..).zip(&all).all(|(old, &new)| old == new) => {}
                None => changes.push(Change { variable, to: To::Of(all) }),
            }
        }
        if changes.is_empty() && given.is_empty() {
            return None;
        }
        Some(Packed { action: number, cost: action.cost, needs, changes, given })
    }
}

/// Which fluents may change; the others are as at the start.
fn varying(task: &Task, symmetries: &[Vec<Fluent>], pairs: Option<&Pairs>) -> Vec<bool> {
    let mut varies = vec![false; task.fluents];
    if let Some(pairs) = pairs {
        for (fluent, varies) in (0..).zip(&mut varies) {
            let may = |holds| pairs.may(Literal::of(fluent, holds), Literal::of(fluent, holds));
            *varies = may(true) && may(false);
        }
        return varies;
    }
    let holds = task.holds();
    for start in task.starts(symmetries) {
        varies.iter_mut().zip(start.iter().zip(&holds)).for_each(|(varies, (one, other))| *varies |= one != other);
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

fn obstacle(goal: &Condition, pairs: &Pairs) -> Option<Obstacle> {
    let wanted: Vec<(Fluent, bool)> = goal
        .holds
        .iter()
        .map(|&fluent| (fluent, true))
        .chain(goal.fails.iter().map(|&fluent| (fluent, false)))
        .collect();
    let may = |one: (Fluent, bool), other: (Fluent, bool)| {
        pairs.may(Literal::of(one.0, one.1), Literal::of(other.0, other.1))
    };
    let never = wanted.iter().find(|&&one| !may(one, one)).map(|&(fluent, holds)| Obstacle::Never(fluent, holds));
    never.or_else(|| {
        let mut both = wanted.iter().flat_map(|&one| wanted.iter().map(move |&other| (one, other)));
        both.find(|&(one, other)| !may(one, other)).map(|(one, other)| Obstacle::Exclude(one, other))
    })
}
