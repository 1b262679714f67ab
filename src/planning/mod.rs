//! Planning tasks: one-player games whose states are sets of fluents. Knows no puzzle and no clingo.
//!
//! A task has a start, a goal, and actions that need some fluents and change others, on conditions if they like (STRIPS with
//! negative preconditions and conditional effects). Fluents and actions are numbers; the maker of the task knows their names.
//!
//! | file | what it does |
//! |---|---|
//! | `mutex.rs` | which fluents exclude each other |
//! | `invariant.rs` | sums that no action changes |
//! | `packed.rs` | states in a few words, and what actions do to them |
//! | `space.rs` | the states as a space to search, with symmetries, forwards and backwards |
//! | `relaxed.rs` | h-max and landmark cut |
//! | `pattern.rs` | pattern databases |
//! | `potential.rs` | potentials, by linear programming |
//! | `heuristic.rs` | the heuristics by name, and which one is used |

mod heuristic;
mod invariant;
mod mutex;
mod packed;
mod pattern;
mod potential;
mod relaxed;
mod space;

use crate::search::Cost;

pub use heuristic::{Estimates, Heuristic};
pub use invariant::Invariant;
pub use packed::Obstacle;
pub use space::{Actions, Prepared, Run, TooLarge};

/// A fluent, by its number in the task.
pub type Fluent = u32;

/// What must hold, and what must not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    pub holds: Vec<Fluent>,
    pub fails: Vec<Fluent>,
}

/// A fluent that holds after an action, or does not. Where two effects disagree, it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    pub fluent: Fluent,
    pub holds: bool,
    /// Only if this one held before.
    pub given: Option<Fluent>,
}

#[derive(Debug, Clone, Default)]
pub struct Action {
    pub needs: Condition,
    pub effects: Vec<Effect>,
    pub cost: Cost,
}

#[derive(Debug, Clone, Default)]
pub struct Task {
    /// How many there are.
    pub fluents: usize,
    /// Those that hold at the start.
    pub start: Vec<Fluent>,
    pub goal: Condition,
    pub actions: Vec<Action>,
    /// Permutations of the fluents, the image of each, that map actions, costs and the goal to themselves.
    pub symmetries: Vec<Vec<Fluent>>,
}

impl Task {
    /// Which fluents hold at the start.
    fn holds(&self) -> Vec<bool> {
        let mut holds = vec![false; self.fluents];
        self.start.iter().for_each(|&fluent| holds[fluent as usize] = true);
        holds
    }

    /// The start, and its images.
    fn starts(&self, symmetries: &[Vec<Fluent>]) -> Vec<Vec<bool>> {
        let image = |symmetry: &Vec<Fluent>| {
            let mut holds = vec![false; self.fluents];
            self.start.iter().for_each(|&fluent| holds[symmetry[fluent as usize] as usize] = true);
            holds
        };
        let mut starts: Vec<Vec<bool>> = [self.holds()].into_iter().chain(symmetries.iter().map(image)).collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The number of a symmetry that is none: no permutation, or one that changes the actions, their costs or the goal.
    pub fn wrong_symmetry(&self) -> Option<usize> {
        let sorted = |mut fluents: Vec<Fluent>| {
            fluents.sort_unstable();
            fluents
        };
        self.symmetries.iter().position(|symmetry| {
            let image = |fluent: &Fluent| symmetry[*fluent as usize];
            let condition = |of: &Condition, image: &dyn Fn(&Fluent) -> Fluent| {
                [&of.holds, &of.fails].map(|fluents| sorted(fluents.iter().map(image).collect()))
            };
            let action = |action: &Action, image: &dyn Fn(&Fluent) -> Fluent| {
                let effect = |effect: &Effect| (image(&effect.fluent), effect.holds, effect.given.as_ref().map(image));
                let mut effects: Vec<_> = action.effects.iter().map(effect).collect();
                effects.sort_unstable();
                (condition(&action.needs, image), effects, action.cost)
            };
            let actions = |image: &dyn Fn(&Fluent) -> Fluent| -> std::collections::BTreeSet<_> {
                self.actions.iter().map(|of| action(of, image)).collect()
            };
            let itself = |fluent: &Fluent| *fluent;
            sorted(symmetry.clone()).iter().enumerate().any(|(number, &fluent)| number != fluent as usize)
                || condition(&self.goal, &image) != condition(&self.goal, &itself)
                || actions(&image) != actions(&itself)
        })
    }
}
