//! Replays a plan move by move to check it. This module reads the atoms by itself and shares no
//! code with the search.

use std::collections::{BTreeSet, HashMap};

use asp::Symbol;
use rustc_hash::FxHashMap;
use statespace::planning::Invariant;

pub type FluentSet = BTreeSet<u32>;

/// The rules of a move.
#[derive(Default, Clone)]
struct MoveRules {
    needs: Vec<u32>,
    forbids: Vec<u32>,
    /// Added and removed fluents, each with its condition, if it has one.
    adds: Vec<(u32, Option<u32>)>,
    removes: Vec<(u32, Option<u32>)>,
    cost: u64,
}

pub struct Replay {
    rows: Vec<MoveRules>,
    goal: BTreeSet<u32>,
    goal_not: BTreeSet<u32>,
    pub start: FluentSet,
}

/// An unmet condition of a move or of the goal: a fluent that wrongly holds or does not hold.
pub struct UnmetCondition {
    pub fluent: u32,
    pub holds: bool,
}

impl Replay {
    pub fn of(fluents: &[Symbol], moves: &[Symbol], atoms: &FxHashMap<(&str, usize), Vec<Vec<Symbol>>>) -> Replay {
        let number: HashMap<Symbol, u32> = fluents.iter().copied().zip(0..).collect();
        let mut rows: HashMap<Symbol, MoveRules> =
            moves.iter().map(|&name| (name, MoveRules { cost: 1, ..MoveRules::default() })).collect();
        // If `start` replaces `init`, terms that occur only in `init` are not fluents.
        let set = |name: &'static str| -> BTreeSet<u32> {
            atoms.get(&(name, 1)).into_iter().flatten().filter_map(|row| number.get(&row[0])).copied().collect()
        };
        for (&(name, _), all) in atoms {
            for row in all {
                let Some(rules) = rows.get_mut(&row[0]) else { continue };
                let fluent = |place: usize| row.get(place).and_then(|term| number.get(term)).copied();
                match (name, fluent(1)) {
                    ("needs", Some(fluent)) => rules.needs.push(fluent),
                    ("forbids", Some(fluent)) => rules.forbids.push(fluent),
                    ("adds", Some(added)) => rules.adds.push((added, fluent(2))),
                    ("removes", Some(removed)) => rules.removes.push((removed, fluent(2))),
                    ("cost", _) => rules.cost = row[1].number().map_or(0, |cost| cost.unsigned_abs().into()),
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

    /// The unmet preconditions of a move.
    pub fn unmet_conditions(&self, state: &FluentSet, action: u32) -> Vec<UnmetCondition> {
        let rows = &self.rows[action as usize];
        let missing = rows.needs.iter().filter(|fluent| !state.contains(fluent));
        let violated = rows.forbids.iter().filter(|fluent| state.contains(fluent));
        let missing = missing.map(|&fluent| UnmetCondition { fluent, holds: false });
        missing.chain(violated.map(|&fluent| UnmetCondition { fluent, holds: true })).collect()
    }

    /// Returns the state after a legal move, and the cost of the move.
    pub fn after(&self, state: &FluentSet, action: u32) -> (FluentSet, u64) {
        let rows = &self.rows[action as usize];
        let happens = |condition: Option<u32>| condition.is_none_or(|condition| state.contains(&condition));
        let mut after = state.clone();
        for &(fluent, condition) in &rows.removes {
            if happens(condition) {
                after.remove(&fluent);
            }
        }
        after.extend(rows.adds.iter().filter(|(_, condition)| happens(*condition)).map(|(fluent, _)| *fluent));
        (after, rows.cost)
    }

    /// Returns a state from which the move leads to `after`, if the effects of the move determine
    /// one.
    pub fn before(&self, after: &FluentSet, action: u32) -> Option<FluentSet> {
        let MoveRules { needs, adds, removes, .. } = &self.rows[action as usize];
        let mut before = after.clone();
        for (added, _) in adds {
            before.remove(added);
        }
        let condition = adds.iter().filter(|(added, _)| after.contains(added)).filter_map(|(_, condition)| *condition);
        let removed = removes.iter().filter(|(_, condition)| condition.is_none()).map(|(removed, _)| *removed);
        before.extend(condition.chain(removed).chain(needs.iter().copied()));
        (self.unmet_conditions(&before, action).is_empty() && self.after(&before, action).0 == *after).then_some(before)
    }

    pub fn moves(&self, state: &FluentSet) -> Vec<u32> {
        (0..self.rows.len() as u32).filter(|&action| self.unmet_conditions(state, action).is_empty()).collect()
    }

    /// The unmet conditions of the goal.
    pub fn unmet_goals(&self, state: &FluentSet) -> Vec<UnmetCondition> {
        let missing = self.goal.difference(state).map(|&fluent| UnmetCondition { fluent, holds: false });
        missing.chain(self.goal_not.intersection(state).map(|&fluent| UnmetCondition { fluent, holds: true })).collect()
    }

    /// Returns the sums of an invariant at `start` and at the goals, if they differ and no move
    /// changes the sum. Verifies the latter by enumerating, for each move, all states of the
    /// fluents on which its effects depend.
    pub fn excludes_goal(&self, start: &FluentSet, invariant: &Invariant) -> Option<(u32, u32)> {
        let sums = InvariantSums::of(invariant);
        let members: usize = invariant.groups.iter().map(|(fluents, _)| fluents.len()).sum();
        if members != sums.group_of.len() || sums.weights.keys().any(|fluent| !sums.group_of.contains_key(fluent)) {
            return None;
        }
        let mut goal = 0;
        for (group, (fluents, has_one)) in invariant.groups.iter().enumerate() {
            if !sums.fits(start, group) {
                return None;
            }
            let required = fluents.iter().copied().filter(|fluent| self.goal.contains(fluent)).collect::<Vec<u32>>();
            let allowed = fluents.iter().copied().filter(|fluent| !self.goal_not.contains(fluent));
            let mut states: Vec<FluentSet> = match required[..] {
                [] => allowed.map(|fluent| FluentSet::from([fluent])).collect(),
                _ => vec![required.iter().copied().collect()],
            };
            if required.is_empty() && !has_one {
                states.push(FluentSet::new());
            }
            goal += single_value(states.iter().map(|state| sums.of_state(state)))?;
        }
        let sum = (sums.of_state(start), goal % sums.modulus);
        let is_invariant = (0..self.rows.len() as u32).all(|action| self.preserves_sum(action, &sums).is_some());
        (is_invariant && sum.0 != sum.1).then_some(sum)
    }

    /// Returns `Some` if a move preserves the sum in every state. Effects on separate groups are
    /// enumerated separately; their changes add up.
    fn preserves_sum(&self, action: u32, sums: &InvariantSums<'_>) -> Option<()> {
        const MAX_STATES: usize = 1 << 12;
        let rows = &self.rows[action as usize];
        let mut parts: Vec<BTreeSet<usize>> = Vec::new();
        for &(fluent, condition) in rows.adds.iter().chain(&rows.removes) {
            let mut part: BTreeSet<usize> =
                [Some(fluent), condition].into_iter().flatten().map(|fluent| sums.group(fluent)).collect();
            parts.retain(|other| {
                let is_disjoint = part.is_disjoint(other);
                if !is_disjoint {
                    part.extend(other);
                }
                is_disjoint
            });
            parts.push(part);
        }
        let mut change = 0;
        for part in parts {
            let mut states = vec![FluentSet::new()];
            for &group in &part {
                let (fluents, has_one) = sums.members(group);
                let needed = fluents.iter().find(|fluent| rows.needs.contains(fluent));
                let is_possible =
                    |fluent: &&u32| needed.is_none_or(|needed| needed == *fluent) && !rows.forbids.contains(fluent);
                let none = (needed.is_none() && !has_one).then(FluentSet::new);
                let values: Vec<FluentSet> =
                    fluents.iter().filter(is_possible).map(|&fluent| FluentSet::from([fluent])).chain(none).collect();
                states = states.iter().flat_map(|state| values.iter().map(move |value| state | value)).collect();
                if states.len() > MAX_STATES {
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
            change += single_value(changes)??;
        }
        (change % sums.modulus == 0).then_some(())
    }
}

/// Returns the common value of all items, if they are equal.
fn single_value<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// An invariant, indexed by fluent.
struct InvariantSums<'a> {
    modulus: u32,
    weights: HashMap<u32, u32>,
    groups: &'a [(Vec<u32>, bool)],
    group_of: HashMap<u32, usize>,
}

impl InvariantSums<'_> {
    fn of(invariant: &Invariant) -> InvariantSums<'_> {
        let in_groups = invariant.groups.iter().enumerate();
        InvariantSums {
            modulus: invariant.modulus.into(),
            weights: invariant.weights.iter().map(|&(fluent, weight)| (fluent, weight.into())).collect(),
            groups: &invariant.groups,
            group_of: in_groups
                .flat_map(|(group, (fluents, _))| fluents.iter().map(move |&fluent| (fluent, group)))
                .collect(),
        }
    }

    /// Returns the group of a fluent. A fluent outside all groups has a separate group, numbered
    /// after them.
    fn group(&self, fluent: u32) -> usize {
        self.group_of.get(&fluent).copied().unwrap_or(self.groups.len() + fluent as usize)
    }

    fn members(&self, group: usize) -> (Vec<u32>, bool) {
        self.groups.get(group).cloned().unwrap_or_else(|| (vec![(group - self.groups.len()) as u32], false))
    }

    /// Returns true if at most one fluent of the group holds, or exactly one if the group always
    /// has one.
    fn fits(&self, state: &FluentSet, group: usize) -> bool {
        let (fluents, has_one) = self.members(group);
        let count = fluents.iter().filter(|fluent| state.contains(fluent)).count();
        count == 1 || count == 0 && !has_one
    }

    fn of_state(&self, state: &FluentSet) -> u32 {
        state.iter().filter_map(|fluent| self.weights.get(fluent)).sum::<u32>() % self.modulus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lights, each on (fluents 0, 2) or off (1, 3). Each move toggles the lights in its list.
    fn lights(moves: &[&[u32]]) -> Replay {
        let switch = |&light: &u32| [(light, Some(light + 1)), (light + 1, Some(light))];
        let back = |&light: &u32| [(light, Some(light)), (light + 1, Some(light + 1))];
        let rows = moves.iter().map(|lights| MoveRules {
            adds: lights.iter().flat_map(switch).collect(),
            removes: lights.iter().flat_map(back).collect(),
            ..MoveRules::default()
        });
        Replay {
            rows: rows.collect(),
            goal: BTreeSet::from([1, 3]),
            goal_not: BTreeSet::new(),
            start: FluentSet::from([0, 3]),
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
        // The groups of an invariant are verified, not trusted.
        let mut leaves = lights(&[&[0, 2]]);
        leaves.rows[0].adds.retain(|&(fluent, _)| fluent != 0);
        assert_eq!(excludes(&leaves, &both), None);
        let none = Invariant { groups: vec![(vec![0, 1], true)], ..both.clone() };
        assert_eq!(excludes(&lights(&[&[0, 2]]), &none), None);
        let twice = Invariant { groups: vec![(vec![0, 1, 2], true), (vec![2, 3], true)], ..both };
        assert_eq!(excludes(&lights(&[&[0, 2]]), &twice), None);
    }
}
