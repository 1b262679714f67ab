//! Mutexes: pairs of literals that cannot hold together.
//!
//! The reachable pairs are overestimated as in the heuristic h² (P. Haslum and H. Geffner,
//! Admissible Heuristics for Optimal Planning, AIPS 2000): a pair is reachable if an action whose
//! preconditions are pairwise reachable makes both of its literals true, or makes one true while
//! the other persists. All other pairs are mutex.

use base::stop::CancelToken;

use super::{Action, Effect, Fluent, Task};

/// A fluent and whether it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal(u32);

impl Literal {
    pub fn of(fluent: Fluent, holds: bool) -> Self {
        Literal(fluent * 2 + u32::from(!holds))
    }

    fn index(self) -> usize {
        self.0 as usize
    }

    fn negated(self) -> Self {
        Literal(self.0 ^ 1)
    }
}

/// Maximum size of the matrix in bits (128 MB); no mutexes are computed for larger tasks.
const MAX_BITS: usize = 1 << 30;
/// Maximum number of words that one pass over the actions reads or writes.
const MAX_WORK: usize = 1 << 28;

/// The matrix of pairs of literals that may hold together; all other pairs are mutex. A literal
/// that may hold is compatible with itself.
pub struct H2Mutexes {
    rows: Vec<u64>,
    /// Number of words in a row.
    width: usize,
}

/// The preconditions and effects of an action as literals.
struct ActionLiterals {
    needs: Vec<Literal>,
    /// Unconditional effects.
    always: Vec<Literal>,
    /// Conditional effects: (condition, effect).
    conditional: Vec<(Literal, Literal)>,
}

impl ActionLiterals {
    fn of(action: &Action) -> ActionLiterals {
        let holds = action.precondition.holds.iter().map(|&fluent| Literal::of(fluent, true));
        let needs: Vec<Literal> =
            holds.chain(action.precondition.fails.iter().map(|&fluent| Literal::of(fluent, false))).collect();
        let (mut always, mut given) = (Vec::new(), Vec::new());
        for &Effect { fluent, holds, condition } in &action.effects {
            let effect = Literal::of(fluent, holds);
            match condition.map(|condition| Literal::of(condition, true)) {
                Some(condition) if !needs.contains(&condition) => given.push((condition, effect)),
                _ => always.push(effect),
            }
        }
        // If two effects disagree, the fluent holds.
        let adds: Vec<Literal> = always.iter().copied().filter(|effect| effect.0 & 1 == 0).collect();
        always.retain(|effect| effect.0 & 1 == 0 || !adds.contains(&effect.negated()));
        ActionLiterals { needs, always, conditional: given }
    }
}

impl H2Mutexes {
    /// Computes an overestimate of the pairs that are reachable from the start and its images.
    /// Returns `None` if the task is too large or the search is cancelled.
    pub fn of(task: &Task, symmetries: &[Vec<Fluent>], stop: &CancelToken) -> Option<H2Mutexes> {
        let literals = task.fluents * 2;
        let width = literals.div_ceil(64);
        let changes: Vec<ActionLiterals> = task.actions.iter().map(ActionLiterals::of).collect();
        let work: usize =
            changes.iter().map(|c| (c.needs.len() + c.always.len() + 2 * c.conditional.len()) * width).sum();
        if width * literals * 64 > MAX_BITS || work > MAX_WORK {
            return None;
        }
        let mut mutexes = H2Mutexes { rows: vec![0; width * literals], width };
        for start in task.starts(symmetries) {
            let mut first = vec![0; width];
            (0..).zip(&start).for_each(|(fluent, &holds)| set(&mut first, Literal::of(fluent, holds)));
            (0..).zip(&start).for_each(|(fluent, &holds)| _ = mutexes.join(Literal::of(fluent, holds), &first));
        }
        loop {
            let mut is_new = false;
            for change in &changes {
                if stop.requested().is_some() {
                    return None;
                }
                is_new |= mutexes.apply(change);
            }
            if !is_new {
                return Some(mutexes);
            }
        }
    }

    /// Returns true if the matrix takes at most 8 MB, so that it may be kept during a search.
    pub fn is_small(&self) -> bool {
        self.rows.len() <= 1 << 20
    }

    /// Returns true if both literals may hold together.
    pub fn compatible(&self, one: Literal, other: Literal) -> bool {
        has(self.row(one), other)
    }

    /// Returns true if all literals are pairwise compatible.
    pub fn all_compatible(&self, literals: &[Literal]) -> bool {
        literals.iter().all(|&one| literals.iter().all(|&other| self.compatible(one, other)))
    }

    /// Returns the literals that are compatible with `literal`, as a bit set.
    pub fn row(&self, literal: Literal) -> &[u64] {
        &self.rows[literal.index() * self.width..][..self.width]
    }

    fn apply(&mut self, change: &ActionLiterals) -> bool {
        if !self.all_compatible(&change.needs) {
            return false;
        }
        // The literals that may hold before, and those that may persist.
        let mut before = match change.needs.split_first() {
            Some((first, _)) => self.row(*first).to_vec(),
            None => self.possible(),
        };
        change.needs.iter().for_each(|&need| intersect(&mut before, self.row(need)));
        let mut after = before.clone();
        for &(condition, effect) in &change.conditional {
            if effect == condition.negated() {
                unset(&mut after, condition);
            }
        }
        change.always.iter().for_each(|effect| unset(&mut after, effect.negated()));
        change.always.iter().for_each(|&effect| set(&mut after, effect));
        let mut is_new = false;
        let possible: Vec<(Literal, Literal)> =
            change.conditional.iter().copied().filter(|&(condition, _)| has(&before, condition)).collect();
        // Unconditional effects may occur together with every conditional effect.
        let mut with = after.clone();
        possible.iter().for_each(|&(_, effect)| set(&mut with, effect));
        for &effect in &change.always {
            is_new |= self.join(effect, &with);
        }
        for &(condition, effect) in &possible {
            let mut with = before.clone();
            intersect(&mut with, self.row(condition));
            let companions: Vec<Literal> =
                possible.iter().filter(|(other, _)| has(&with, *other)).map(|&(_, effect)| effect).collect();
            for &(other, effect) in &possible {
                if other == condition || effect == other.negated() {
                    unset(&mut with, effect.negated());
                }
            }
            change.always.iter().for_each(|effect| unset(&mut with, effect.negated()));
            companions.iter().chain(&change.always).for_each(|&effect| set(&mut with, effect));
            unset(&mut with, effect.negated());
            is_new |= self.join(effect, &with);
        }
        is_new
    }

    /// Returns all literals that may hold, as a bit set.
    fn possible(&self) -> Vec<u64> {
        let mut all = vec![0; self.width];
        let literals = (0..(self.rows.len() / self.width.max(1)) as u32).map(Literal);
        literals.filter(|&literal| self.compatible(literal, literal)).for_each(|literal| set(&mut all, literal));
        all
    }

    /// Makes `literal` compatible with itself and with all literals in `with`. Returns true if a
    /// pair is new.
    fn join(&mut self, literal: Literal, with: &[u64]) -> bool {
        let (at, mut is_new) = (literal.index() * self.width, false);
        for (word, with) in with.iter().enumerate().take(self.width) {
            let mut fresh = with & !self.rows[at + word];
            self.rows[at + word] |= fresh;
            is_new |= fresh != 0;
            while fresh != 0 {
                let other = word * 64 + fresh.trailing_zeros() as usize;
                fresh &= fresh - 1;
                set(&mut self.rows[other * self.width..][..self.width], literal);
            }
        }
        let itself = &mut self.rows[at..][..self.width];
        is_new |= !has(itself, literal);
        set(itself, literal);
        is_new
    }
}

fn set(bits: &mut [u64], literal: Literal) {
    bits[literal.index() / 64] |= 1 << (literal.index() % 64);
}

fn unset(bits: &mut [u64], literal: Literal) {
    bits[literal.index() / 64] &= !(1 << (literal.index() % 64));
}

fn has(bits: &[u64], literal: Literal) -> bool {
    bits[literal.index() / 64] >> (literal.index() % 64) & 1 != 0
}

fn intersect(bits: &mut [u64], with: &[u64]) {
    bits.iter_mut().zip(with).for_each(|(word, with)| *word &= with);
}

/// A growing mutex group, and the literals that are compatible with some member.
struct Group {
    members: Vec<Fluent>,
    companions: Vec<u64>,
}

impl Group {
    /// Adds the fluent if it is mutex with all members. Each member is compatible with itself, so
    /// no fluent is added twice.
    fn join(&mut self, fluent: Fluent, mutexes: &H2Mutexes) {
        let literal = Literal::of(fluent, true);
        if !has(&self.companions, literal) {
            self.members.push(fluent);
            self.companions.iter_mut().zip(mutexes.row(literal)).for_each(|(word, with)| *word |= with);
        }
    }
}

/// Partitions the fluents into mutex groups, the largest first. Fluents that never hold are
/// omitted. If cancelled, each remaining fluent forms its own group.
pub fn groups(task: &Task, mutexes: Option<&H2Mutexes>, stop: &CancelToken) -> Vec<Vec<Fluent>> {
    /// Maximum number of seeds tried for each group.
    const MAX_SEEDS: usize = 200;
    let fluents = 0..task.fluents as Fluent;
    let Some(mutexes) = mutexes else { return fluents.map(|fluent| vec![fluent]).collect() };
    let literal = |fluent: Fluent| Literal::of(fluent, true);
    let next = successors(task);
    let mut left: Vec<Fluent> =
        fluents.filter(|&fluent| mutexes.compatible(literal(fluent), literal(fluent))).collect();
    let mut is_left = vec![0; mutexes.width];
    left.iter().for_each(|&fluent| set(&mut is_left, literal(fluent)));
    let mut groups: Vec<Vec<Fluent>> = Vec::new();
    while !left.is_empty() {
        // Grow along successors first, such as the cells to which a piece can move; then by any
        // other fluent that is mutex with all members.
        let grow = |&seed: &Fluent| {
            let mut group = Group { members: Vec::new(), companions: vec![0; mutexes.width] };
            group.join(seed, mutexes);
            let mut at = 0;
            while let Some(&member) = group.members.get(at) {
                for &fluent in next[member as usize].iter().filter(|&&fluent| has(&is_left, literal(fluent))) {
                    group.join(fluent, mutexes);
                }
                at += 1;
            }
            for (word, left) in is_left.iter().enumerate() {
                let mut open = left & !group.companions[word];
                while open != 0 {
                    // Each fluent has two bits; the lower one is its positive literal.
                    group.join((word * 32) as Fluent + open.trailing_zeros() / 2, mutexes);
                    open &= open - 1;
                    open &= !group.companions[word];
                }
            }
            group.members
        };
        let mut best: Vec<Fluent> = Vec::new();
        for seed in left.iter().step_by(left.len().div_ceil(MAX_SEEDS)) {
            if stop.requested().is_some() {
                groups.extend(left.iter().map(|&fluent| vec![fluent]));
                return groups;
            }
            let group = grow(seed);
            if group.len() > best.len() {
                best = group;
            }
        }
        best.iter().for_each(|&fluent| unset(&mut is_left, literal(fluent)));
        left.retain(|&fluent| has(&is_left, literal(fluent)));
        groups.push(best);
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

/// Returns, for each fluent, the fluents by which an action may replace it.
fn successors(task: &Task) -> Vec<Vec<Fluent>> {
    let mut next = vec![Vec::new(); task.fluents];
    for action in &task.actions {
        let adds = || action.effects.iter().filter(|effect| effect.holds);
        for effect in adds() {
            if let Some(given) = effect.condition {
                next[given as usize].push(effect.fluent);
            }
        }
        for removes in action.effects.iter().filter(|effect| !effect.holds && effect.condition.is_none()) {
            let always = adds().filter(|effect| effect.condition.is_none());
            next[removes.fluent as usize].extend(always.map(|effect| effect.fluent));
        }
    }
    for next in &mut next {
        next.sort_unstable();
        next.dedup();
    }
    next
}

#[cfg(test)]
mod tests {
    use base::stop::{Canceller, StopReason};

    use super::*;
    use crate::planning::Condition;

    /// A random task with many mutexes: moves of some pieces between places, and switches.
    fn random_task(random: &mut fastrand::Rng) -> Task {
        let (pieces, places) = (random.u32(1..5), random.u32(2..7));
        let switches = random.u32(0..5);
        let fluents = pieces * places + switches;
        let mut actions = Vec::new();
        for _ in 0..random.usize(1..40) {
            let piece = random.u32(0..pieces);
            let [from, to] = [random.u32(0..places), random.u32(0..places)].map(|place| piece * places + place);
            let effect = |fluent, holds| Effect { fluent, holds, condition: None };
            let mut effects = vec![effect(from, false), effect(to, true)];
            if switches > 0 && random.bool() {
                effects.push(effect(pieces * places + random.u32(0..switches), random.bool()));
            }
            let needs = Condition { holds: vec![from], fails: Vec::new() };
            actions.push(Action { precondition: needs, effects, cost: 1 });
        }
        let start = (0..pieces).map(|piece| piece * places + random.u32(0..places)).collect();
        let goal = Condition { holds: vec![random.u32(0..fluents)], fails: Vec::new() };
        Task { fluents: fluents as usize, start, goal, actions, symmetries: Vec::new() }
    }

    /// Computes the same groups by comparing each fluent with each member.
    fn groups_by_pairs(task: &Task, mutexes: &H2Mutexes) -> Vec<Vec<Fluent>> {
        let compatible = |one, other| mutexes.compatible(Literal::of(one, true), Literal::of(other, true));
        let next = successors(task);
        let mut left: Vec<Fluent> = (0..task.fluents as Fluent).filter(|&fluent| compatible(fluent, fluent)).collect();
        let mut groups = Vec::new();
        while !left.is_empty() {
            let mut best: Vec<Fluent> = Vec::new();
            for &seed in &left {
                let mut group = vec![seed];
                let join = |group: &mut Vec<Fluent>, fluent: Fluent| {
                    let is_free = left.contains(&fluent) && !group.contains(&fluent);
                    if is_free && group.iter().all(|&member| !compatible(member, fluent)) {
                        group.push(fluent);
                    }
                };
                let mut at = 0;
                while at < group.len() {
                    next[group[at] as usize].iter().for_each(|&fluent| join(&mut group, fluent));
                    at += 1;
                }
                left.iter().for_each(|&fluent| join(&mut group, fluent));
                if group.len() > best.len() {
                    best = group;
                }
            }
            left.retain(|fluent| !best.contains(fluent));
            best.sort_unstable();
            groups.push(best);
        }
        groups
    }

    #[test]
    fn groups_by_bit_rows_equal_groups_by_pairs() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut largest = 0;
        for _ in 0..300 {
            let task = random_task(&mut random);
            let mutexes = H2Mutexes::of(&task, &[], &CancelToken::new()).expect("the task is small");
            let found = groups(&task, Some(&mutexes), &CancelToken::new());
            largest = found.iter().map(Vec::len).max().unwrap_or(0).max(largest);
            assert_eq!(found, groups_by_pairs(&task, &mutexes), "seed {seed}");
        }
        assert!(largest > 2, "seed {seed}");
    }

    #[test]
    fn after_cancellation_each_remaining_fluent_is_its_own_group() {
        let task = random_task(&mut fastrand::Rng::with_seed(1));
        let mutexes = H2Mutexes::of(&task, &[], &CancelToken::new()).expect("the task is small");
        let canceller = Canceller::new();
        canceller.request(StopReason::TimeLimit);
        assert!(groups(&task, Some(&mutexes), &canceller.token()).iter().all(|group| group.len() == 1));
    }
}
