//! The rules of a game, move by move: what a plan is checked by. It reads the atoms for itself and shares nothing with the search.

use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxHashMap;

use crate::asp::Symbol;
use crate::planning::Invariant;

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

    /// The sums of an invariant at a state and at all goals, where they differ and the rules show, by going through all that
    /// each move may meet, that no move changes the sum.
    pub fn excludes_goal(&self, start: &State, invariant: &Invariant) -> Option<(u32, u32)> {
        let sums = Sums::of(invariant);
        let members: usize = invariant.groups.iter().map(|(fluents, _)| fluents.len()).sum();
        if members != sums.group_of.len() || sums.weights.keys().any(|fluent| !sums.group_of.contains_key(fluent)) {
            return None;
        }
        let mut goal = 0;
        for (group, (fluents, has_one)) in invariant.groups.iter().enumerate() {
            if !sums.fits(start, group) {
                return None;
            }
            let wanted = fluents.iter().copied().filter(|fluent| self.goal.contains(fluent)).collect::<Vec<u32>>();
            let allowed = fluents.iter().copied().filter(|fluent| !self.goal_not.contains(fluent));
            let mut states: Vec<State> = match wanted[..] {
                [] => allowed.map(|fluent| State::from([fluent])).collect(),
                _ => vec![wanted.iter().copied().collect()],
            };
            if wanted.is_empty() && !has_one {
                states.push(State::new());
            }
            goal += only(states.iter().map(|state| sums.of_state(state)))?;
        }
        let sum = (sums.of_state(start), goal % sums.modulus);
        let keeps = (0..self.rows.len() as u32).all(|action| self.keeps(action, &sums).is_some());
        (keeps && sum.0 != sum.1).then_some(sum)
    }

    /// Whether a move changes the sum in no state; parts that it changes on different conditions are looked at one by one.
    fn keeps(&self, action: u32, sums: &Sums<'_>) -> Option<()> {
        const MOST_STATES: usize = 1 << 12;
        let rows = &self.rows[action as usize];
        let mut parts: Vec<BTreeSet<usize>> = Vec::new();
        for &(fluent, given) in rows.adds.iter().chain(&rows.removes) {
            let mut part: BTreeSet<usize> =
                [Some(fluent), given].into_iter().flatten().map(|one| sums.group(one)).collect();
            parts.retain(|other| {
                let is_apart = part.is_disjoint(other);
                if !is_apart {
                    part.extend(other);
                }
                is_apart
            });
            parts.push(part);
        }
        let mut change = 0;
        for part in parts {
            let mut states = vec![State::new()];
            for &group in &part {
                let (fluents, has_one) = sums.members(group);
                let needed = fluents.iter().find(|fluent| rows.needs.contains(fluent));
                let may =
                    |fluent: &&u32| needed.is_none_or(|needed| needed == *fluent) && !rows.forbids.contains(fluent);
                let none = (needed.is_none() && !has_one).then(State::new);
                let values: Vec<State> =
                    fluents.iter().filter(may).map(|&fluent| State::from([fluent])).chain(none).collect();
                states = states.iter().flat_map(|state| values.iter().map(move |value| state | value)).collect();
                if states.len() > MOST_STATES {
                    return None;
                }
            }
            if states.is_empty() {
                return Some(());
            }
            let changes = states.iter().map(|before| {
                let mut after = self.after(before, action).0;
                after.retain(|&fluent| part.contains(&sums.group(fluent)));
                let is_kept = part.iter().all(|&group| sums.fits(&after, group));
                is_kept.then(|| (sums.of_state(&after) + sums.modulus - sums.of_state(before)) % sums.modulus)
            });
            change += only(changes)??;
        }
        (change % sums.modulus == 0).then_some(())
    }
}

/// What all of these are, if they are one.
fn only<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// An invariant by its fluents.
struct Sums<'a> {
    modulus: u32,
    weights: HashMap<u32, u32>,
    groups: &'a [(Vec<u32>, bool)],
    group_of: HashMap<u32, usize>,
}

impl Sums<'_> {
    fn of(invariant: &Invariant) -> Sums<'_> {
        let in_groups = invariant.groups.iter().enumerate();
        Sums {
            modulus: invariant.modulus.into(),
            weights: invariant.weights.iter().map(|&(fluent, weight)| (fluent, weight.into())).collect(),
            groups: &invariant.groups,
            group_of: in_groups
                .flat_map(|(group, (fluents, _))| fluents.iter().map(move |&fluent| (fluent, group)))
                .collect(),
        }
    }

    /// Its group; behind all groups one of its own for each fluent of none.
    fn group(&self, fluent: u32) -> usize {
        self.group_of.get(&fluent).copied().unwrap_or(self.groups.len() + fluent as usize)
    }

    fn members(&self, group: usize) -> (Vec<u32>, bool) {
        self.groups.get(group).cloned().unwrap_or_else(|| (vec![(group - self.groups.len()) as u32], false))
    }

    /// Whether at most one of a group holds, or one where there always is one.
    fn fits(&self, state: &State, group: usize) -> bool {
        let (fluents, has_one) = self.members(group);
        let count = fluents.iter().filter(|fluent| state.contains(fluent)).count();
        count == 1 || count == 0 && !has_one
    }

    fn of_state(&self, state: &State) -> u32 {
        state.iter().filter_map(|fluent| self.weights.get(fluent)).sum::<u32>() % self.modulus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lights that are on (0, 2) or off (1, 3), and moves that switch some of them.
    fn lights(moves: &[&[u32]]) -> Replay {
        let switch = |&light: &u32| [(light, Some(light + 1)), (light + 1, Some(light))];
        let back = |&light: &u32| [(light, Some(light)), (light + 1, Some(light + 1))];
        let rows = moves.iter().map(|lights| Rows {
            adds: lights.iter().flat_map(switch).collect(),
            removes: lights.iter().flat_map(back).collect(),
            ..Rows::default()
        });
        Replay {
            rows: rows.collect(),
            goal: BTreeSet::from([1, 3]),
            goal_not: BTreeSet::new(),
            start: State::from([0, 3]),
        }
    }

    #[test]
    fn a_sum_that_a_move_changes_excludes_nothing() {
        let both = Invariant {
            modulus: 2,
            weights: vec![(0, 1), (2, 1)],
            groups: vec![(vec![0, 1], true), (vec![2, 3], true)],
        };
        let excludes = |game: &Replay, invariant: &Invariant| game.excludes_goal(&game.start, invariant);
        assert_eq!(excludes(&lights(&[&[0, 2]]), &both), Some((1, 0)));
        assert_eq!(excludes(&lights(&[&[0, 2], &[2]]), &both), None);
        let one = Invariant { weights: vec![(0, 1)], ..both.clone() };
        assert_eq!(excludes(&lights(&[&[0, 2]]), &one), None);
        // What is said of groups is not believed, nor weights of none.
        let mut leaves = lights(&[&[0, 2]]);
        leaves.rows[0].adds.retain(|&(fluent, _)| fluent != 0);
        assert_eq!(excludes(&leaves, &both), None);
        let none = Invariant { groups: vec![(vec![0, 1], true)], ..both.clone() };
        assert_eq!(excludes(&lights(&[&[0, 2]]), &none), None);
        let twice = Invariant { groups: vec![(vec![0, 1, 2], true), (vec![2, 3], true)], ..both };
        assert_eq!(excludes(&lights(&[&[0, 2]]), &twice), None);
    }
}
