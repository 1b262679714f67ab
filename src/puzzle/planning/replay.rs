//! The rules of a game, move by move: what a plan is checked by. It reads the atoms for itself and shares nothing with the search.

use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxHashMap;

use crate::asp::Symbol;

/// The fluents that hold.
pub type State = BTreeSet<u32>;

/// The atoms of each move, as rows behind its name.
#[derive(Default, Clone)]
struct Rows {
    needs: Vec<u32>,
    forbids: Vec<u32>,
    /// Each with what must hold before, if anything.
    adds: Vec<(u32, Option<u32>)>,
    removes: Vec<(u32, Option<u32>)>,
    cost: u64,
}

pub struct Replay {
    rows: Vec<Rows>,
    goal: BTreeSet<u32>,
    goal_not: BTreeSet<u32>,
    pub start: State,
}

/// What is against a move, or against calling a state a goal: a fluent that holds, or does not.
pub struct Lack {
    pub fluent: u32,
    pub holds: bool,
}

impl Replay {
    pub fn of(fluents: &[Symbol], moves: &[Symbol], atoms: &FxHashMap<(&str, usize), Vec<Vec<Symbol>>>) -> Replay {
        let number: HashMap<Symbol, u32> = fluents.iter().copied().zip(0..).collect();
        let mut rows: HashMap<Symbol, Rows> =
            moves.iter().map(|&name| (name, Rows { cost: 1, ..Rows::default() })).collect();
        // Of `init` only what is used elsewhere is a fluent where `start` takes its place.
        let set = |name: &'static str| -> BTreeSet<u32> {
            atoms.get(&(name, 1)).into_iter().flatten().filter_map(|row| number.get(&row[0])).copied().collect()
        };
        for (&(name, _), all) in atoms {
            for row in all {
                let Some(own) = rows.get_mut(&row[0]) else { continue };
                let fluent = |place: usize| row.get(place).and_then(|term| number.get(term)).copied();
                match (name, fluent(1)) {
                    ("needs", Some(fluent)) => own.needs.push(fluent),
                    ("forbids", Some(fluent)) => own.forbids.push(fluent),
                    ("adds", Some(added)) => own.adds.push((added, fluent(2))),
                    ("removes", Some(removed)) => own.removes.push((removed, fluent(2))),
                    ("cost", _) => own.cost = row[1].number().map_or(0, |cost| cost.unsigned_abs().into()),
                    _ => {}
                }
            }
        }
        let (start, init) = (set("start"), set("init"));
        Replay {
            rows: moves.iter().map(|name| rows.remove(name).unwrap_or_default()).collect(),
            goal: set("goal"),
            goal_not: set("goal_not"),
            start: if start.is_empty() { init } else { start },
        }
    }

    /// All that is against a move.
    pub fn against(&self, state: &State, action: u32) -> Vec<Lack> {
        let rows = &self.rows[action as usize];
        let missing = rows.needs.iter().filter(|fluent| !state.contains(fluent));
        let there = rows.forbids.iter().filter(|fluent| state.contains(fluent));
        let missing = missing.map(|&fluent| Lack { fluent, holds: false });
        missing.chain(there.map(|&fluent| Lack { fluent, holds: true })).collect()
    }

    /// The state after a move that nothing is against, and what it costs.
    pub fn after(&self, state: &State, action: u32) -> (State, u64) {
        let rows = &self.rows[action as usize];
        let happens = |given: Option<u32>| given.is_none_or(|given| state.contains(&given));
        let mut after = state.clone();
        for &(fluent, given) in &rows.removes {
            if happens(given) {
                after.remove(&fluent);
            }
        }
        after.extend(rows.adds.iter().filter(|(_, given)| happens(*given)).map(|(fluent, _)| *fluent));
        (after, rows.cost)
    }

    /// A state that a move leads to this one from, if the effects of the move tell it.
    pub fn before(&self, after: &State, action: u32) -> Option<State> {
        let Rows { needs, adds, removes, .. } = &self.rows[action as usize];
        let mut before = after.clone();
        adds.iter().for_each(|(added, _)| _ = before.remove(added));
        let given = adds.iter().filter(|(added, _)| after.contains(added)).filter_map(|(_, given)| *given);
        let removed = removes.iter().filter(|(_, given)| given.is_none()).map(|(removed, _)| *removed);
        before.extend(given.chain(removed).chain(needs.iter().copied()));
        (self.against(&before, action).is_empty() && self.after(&before, action).0 == *after).then_some(before)
    }

    pub fn moves(&self, state: &State) -> Vec<u32> {
        (0..self.rows.len() as u32).filter(|&action| self.against(state, action).is_empty()).collect()
    }

    /// All that a goal has and the state has not, or the other way round.
    pub fn short_of_goal(&self, state: &State) -> Vec<Lack> {
        let missing = self.goal.difference(state).map(|&fluent| Lack { fluent, holds: false });
        missing.chain(self.goal_not.intersection(state).map(|&fluent| Lack { fluent, holds: true })).collect()
    }
}
