//! Planning tasks: one-player games whose states are sets of fluents, independent of puzzles and of
//! clingo.
//!
//! A task has a start, a goal, and actions. An action requires some fluents and changes others,
//! possibly conditionally (STRIPS with negative preconditions and conditional effects). Fluents and
//! actions are numbers without names.
//!
//! | file | content |
//! |---|---|
//! | `mutex.rs` | h² mutexes: fluents that exclude each other |
//! | `invariant.rs` | linear invariants that prove a goal unreachable |
//! | `packed.rs` | the finite-domain (SAS⁺) form: packed states and operators |
//! | `space.rs` | the search space over packed states, with symmetries, forwards and backwards |
//! | `relaxed.rs` | h-max and LM-cut |
//! | `pattern.rs` | pattern databases |
//! | `potential.rs` | potential heuristics, by linear programming |
//! | `walks.rs` | walks and the action after them as one step |
//! | `token_class.rs` | fluents that actions exchange, such as the places of boxes |
//! | `tokens.rs` | matchings of tokens and goals, with penalties for tokens in each other's way |
//! | `matching.rs` | matchings of least cost |
//! | `heuristic.rs` | the trait of heuristic functions |
//! | `named.rs` | the heuristics by name, and their construction |

mod heuristic;
mod invariant;
mod matching;
mod mutex;
mod named;
mod packed;
mod pattern;
mod potential;
mod relaxed;
mod space;
mod token_class;
mod tokens;
mod walks;

use crate::search::Cost;

pub use heuristic::{HeuristicFn, Maximum};
pub use invariant::Invariant;
pub use named::Heuristic;
pub use packed::UnsolvableGoal;
pub use space::{PackedSpace, Reduction, SearchTask, TooLarge, WithSpace};

/// A fluent, by its index in the task.
pub type Fluent = u32;

/// A conjunction of literals: fluents that must hold, and fluents that must not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    pub holds: Vec<Fluent>,
    pub fails: Vec<Fluent>,
}

/// Sets or clears a fluent. If two effects of an action disagree, the fluent holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    pub fluent: Fluent,
    pub holds: bool,
    /// If set, the effect occurs only if this fluent held before.
    pub condition: Option<Fluent>,
}

#[derive(Debug, Clone, Default)]
pub struct Action {
    pub precondition: Condition,
    pub effects: Vec<Effect>,
    pub cost: Cost,
}

#[derive(Debug, Clone, Default)]
pub struct Task {
    /// Number of fluents.
    pub fluents: usize,
    /// The fluents that hold at the start.
    pub start: Vec<Fluent>,
    pub goal: Condition,
    pub actions: Vec<Action>,
    /// Permutations of the fluents (`symmetry[fluent]` is the image) that map the actions, their
    /// costs and the goal to themselves.
    pub symmetries: Vec<Vec<Fluent>>,
}

impl Task {
    /// Returns, for each fluent, whether it holds at the start.
    fn holds(&self) -> Vec<bool> {
        let mut holds = vec![false; self.fluents];
        self.start.iter().for_each(|&fluent| holds[fluent as usize] = true);
        holds
    }

    /// Returns the start and its distinct images under `symmetries`.
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

    /// Returns the index of the first invalid symmetry: it is not a permutation, or it does not map
    /// the actions, their costs and the goal to themselves.
    pub fn invalid_symmetry(&self) -> Option<usize> {
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
                let effect =
                    |effect: &Effect| (image(&effect.fluent), effect.holds, effect.condition.as_ref().map(image));
                let mut effects: Vec<_> = action.effects.iter().map(effect).collect();
                effects.sort_unstable();
                (condition(&action.precondition, image), effects, action.cost)
            };
            let actions = |image: &dyn Fn(&Fluent) -> Fluent| -> std::collections::BTreeSet<_> {
                self.actions.iter().map(|of| action(of, image)).collect()
            };
            let identity = |fluent: &Fluent| *fluent;
            sorted(symmetry.clone()).iter().enumerate().any(|(number, &fluent)| number != fluent as usize)
                || condition(&self.goal, &image) != condition(&self.goal, &identity)
                || actions(&image) != actions(&identity)
        })
    }
}
