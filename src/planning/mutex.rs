//! Which literals can hold together.
//!
//! The reachable pairs are overestimated, as the heuristic h² does (P. Haslum and H. Geffner, Admissible Heuristics for Optimal
//! Planning, AIPS 2000): a pair is reachable if an action whose preconditions are pairwise reachable makes both of it true, or
//! one while the other stays. What is left over can never hold together.

use super::{Action, Effect, Fluent, Task};
use crate::stop::Stop;

/// A fluent that holds, or does not.
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

/// Bits for the matrix of pairs, beyond which nobody looks for them: 128 MB.
const MOST_BITS: usize = 1 << 30;
/// Words that a pass over the actions may touch.
const MOST_WORK: usize = 1 << 28;

/// Pairs of literals that may hold together; of a literal and itself: it may hold.
pub struct Pairs {
    rows: Vec<u64>,
    /// Words of a row.
    width: usize,
}

/// What an action needs and does, in literals.
struct Change {
    needs: Vec<Literal>,
    /// Whatever else holds.
    always: Vec<Literal>,
    /// The second, if the first held before.
    given: Vec<(Literal, Literal)>,
}

impl Change {
    fn of(action: &Action) -> Change {
        let holds = action.needs.holds.iter().map(|&fluent| Literal::of(fluent, true));
        let needs: Vec<Literal> =
            holds.chain(action.needs.fails.iter().map(|&fluent| Literal::of(fluent, false))).collect();
        let (mut always, mut given) = (Vec::new(), Vec::new());
        for &Effect { fluent, holds, given: condition } in &action.effects {
            let effect = Literal::of(fluent, holds);
            match condition.map(|condition| Literal::of(condition, true)) {
                Some(condition) if !needs.contains(&condition) => given.push((condition, effect)),
                _ => always.push(effect),
            }
        }
        // Where two disagree, the fluent holds.
        let adds: Vec<Literal> = always.iter().copied().filter(|effect| effect.0 & 1 == 0).collect();
        always.retain(|effect| effect.0 & 1 == 0 || !adds.contains(&effect.negated()));
        Change { needs, always, given }
    }
}

impl Pairs {
    /// All pairs that can be reached, from the start and its images, and perhaps more; `None` if the task is too large to look,
    /// or the search is to end.
    pub fn of(task: &Task, symmetries: &[Vec<Fluent>], stop: &Stop) -> Option<Pairs> {
        let literals = task.fluents * 2;
        let width = literals.div_ceil(64);
        let changes: Vec<Change> = task.actions.iter().map(Change::of).collect();
        let work: usize = changes.iter().map(|c| (c.needs.len() + c.always.len() + 2 * c.given.len()) * width).sum();
        if width * literals * 64 > MOST_BITS || work > MOST_WORK {
            return None;
        }
        let mut pairs = Pairs { rows: vec![0; width * literals], width };
        for start in task.starts(symmetries) {
            let mut first = vec![0; width];
            (0..).zip(&start).for_each(|(fluent, &holds)| set(&mut first, Literal::of(fluent, holds)));
            (0..).zip(&start).for_each(|(fluent, &holds)| _ = pairs.join(Literal::of(fluent, holds), &first));
        }
        loop {
            let mut is_new = false;
            for change in &changes {
                if stop.requested().is_some() {
                    return None;
                }
                is_new |= pairs.apply(change);
            }
            if !is_new {
                return Some(pairs);
            }
        }
    }

    /// Whether both may hold together.
    pub fn may(&self, one: Literal, other: Literal) -> bool {
        has(self.row(one), other)
    }

    /// Whether all of them may hold together, as far as pairs tell.
    pub fn may_all(&self, literals: &[Literal]) -> bool {
        literals.iter().all(|&one| literals.iter().all(|&other| self.may(one, other)))
    }

    /// The literals that may hold with this one.
    pub fn row(&self, literal: Literal) -> &[u64] {
        &self.rows[literal.index() * self.width..][..self.width]
    }

    fn apply(&mut self, change: &Change) -> bool {
        if !self.may_all(&change.needs) {
            return false;
        }
        // What may hold before, and what may stay.
        let mut before = match change.needs.split_first() {
            Some((first, _)) => self.row(*first).to_vec(),
            None => self.possible(),
        };
        change.needs.iter().for_each(|&need| meet(&mut before, self.row(need)));
        let mut after = before.clone();
        for &(condition, effect) in &change.given {
            if effect == condition.negated() {
                unset(&mut after, condition);
            }
        }
        change.always.iter().for_each(|effect| unset(&mut after, effect.negated()));
        change.always.iter().for_each(|&effect| set(&mut after, effect));
        let mut is_new = false;
        let possible: Vec<(Literal, Literal)> =
            change.given.iter().copied().filter(|&(condition, _)| has(&before, condition)).collect();
        // What happens always goes with what may happen besides.
        let mut with = after.clone();
        possible.iter().for_each(|&(_, effect)| set(&mut with, effect));
        for &effect in &change.always {
            is_new |= self.join(effect, &with);
        }
        for &(condition, effect) in &possible {
            let mut with = before.clone();
            meet(&mut with, self.row(condition));
            let beside: Vec<Literal> =
                possible.iter().filter(|(other, _)| has(&with, *other)).map(|&(_, effect)| effect).collect();
            for &(other, effect) in &possible {
                if other == condition || effect == other.negated() {
                    unset(&mut with, effect.negated());
                }
            }
            change.always.iter().for_each(|effect| unset(&mut with, effect.negated()));
            beside.iter().chain(&change.always).for_each(|&effect| set(&mut with, effect));
            unset(&mut with, effect.negated());
            is_new |= self.join(effect, &with);
        }
        is_new
    }

    /// All literals that may hold.
    fn possible(&self) -> Vec<u64> {
        let mut all = vec![0; self.width];
        let literals = (0..(self.rows.len() / self.width.max(1)) as u32).map(Literal);
        literals.filter(|&literal| self.may(literal, literal)).for_each(|literal| set(&mut all, literal));
        all
    }

    /// The literal may hold with all of these, and with itself; says whether one of the pairs is new.
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

fn meet(bits: &mut [u64], with: &[u64]) {
    bits.iter_mut().zip(with).for_each(|(word, with)| *word &= with);
}

/// A group of fluents that grows, and what may hold with one of its members.
struct Group {
    members: Vec<Fluent>,
    beside: Vec<u64>,
}

impl Group {
    /// Joins the fluent if it excludes all members. Of a member it is known that it may hold with itself.
    fn join(&mut self, fluent: Fluent, pairs: &Pairs) {
        let literal = Literal::of(fluent, true);
        if !has(&self.beside, literal) {
            self.members.push(fluent);
            self.beside.iter_mut().zip(pairs.row(literal)).for_each(|(word, with)| *word |= with);
        }
    }
}

/// Groups of fluents of which at most one holds, each fluent in one group, the largest groups first. Fluents that never hold
/// are in none. Under a request to stop, each fluent that is left is a group.
pub fn groups(task: &Task, pairs: Option<&Pairs>, stop: &Stop) -> Vec<Vec<Fluent>> {
    /// Fluents that are tried as the first of a group, each time.
    const TRIED: usize = 200;
    let fluents = 0..task.fluents as Fluent;
    let Some(pairs) = pairs else { return fluents.map(|fluent| vec![fluent]).collect() };
    let literal = |fluent: Fluent| Literal::of(fluent, true);
    let next = following(task);
    let mut left: Vec<Fluent> = fluents.filter(|&fluent| pairs.may(literal(fluent), literal(fluent))).collect();
    let mut is_left = vec![0; pairs.width];
    left.iter().for_each(|&fluent| set(&mut is_left, literal(fluent)));
    let mut groups: Vec<Vec<Fluent>> = Vec::new();
    while !left.is_empty() {
        // First what comes after the members, such as the places where a piece can go; then what excludes them besides.
        let grown = |&seed: &Fluent| {
            let mut group = Group { members: Vec::new(), beside: vec![0; pairs.width] };
            group.join(seed, pairs);
            let mut at = 0;
            while let Some(&member) = group.members.get(at) {
                for &fluent in next[member as usize].iter().filter(|&&fluent| has(&is_left, literal(fluent))) {
                    group.join(fluent, pairs);
                }
                at += 1;
            }
            for (word, left) in is_left.iter().enumerate() {
                let mut open = left & !group.beside[word];
                while open != 0 {
                    // Two bits for each fluent, the lower one where it holds.
                    group.join((word * 32) as Fluent + open.trailing_zeros() / 2, pairs);
                    open &= open - 1;
                    open &= !group.beside[word];
                }
            }
            group.members
        };
        let mut best: Vec<Fluent> = Vec::new();
        for seed in left.iter().step_by(left.len().div_ceil(TRIED)) {
            if stop.requested().is_some() {
                groups.extend(left.iter().map(|&fluent| vec![fluent]));
                return groups;
            }
            let group = grown(seed);
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

/// For each fluent those that an action may put in its place.
fn following(task: &Task) -> Vec<Vec<Fluent>> {
    let mut next = vec![Vec::new(); task.fluents];
    for action in &task.actions {
        let adds = || action.effects.iter().filter(|effect| effect.holds);
        for effect in adds() {
            if let Some(given) = effect.given {
                next[given as usize].push(effect.fluent);
            }
        }
        for removes in action.effects.iter().filter(|effect| !effect.holds && effect.given.is_none()) {
            let always = adds().filter(|effect| effect.given.is_none());
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
    use super::*;
    use crate::planning::Condition;
    use crate::stop::{Canceller, Reason};

    /// A random task in which most fluents exclude others: moves of some pieces between places, and switches.
    fn random_task(random: &mut fastrand::Rng) -> Task {
        let (pieces, places) = (random.u32(1..5), random.u32(2..7));
        let switches = random.u32(0..5);
        let fluents = pieces * places + switches;
        let mut actions = Vec::new();
        for _ in 0..random.usize(1..40) {
            let piece = random.u32(0..pieces);
            let [from, to] = [random.u32(0..places), random.u32(0..places)].map(|place| piece * places + place);
            let effect = |fluent, holds| Effect { fluent, holds, given: None };
            let mut effects = vec![effect(from, false), effect(to, true)];
            if switches > 0 && random.bool() {
                effects.push(effect(pieces * places + random.u32(0..switches), random.bool()));
            }
            let needs = Condition { holds: vec![from], fails: Vec::new() };
            actions.push(Action { needs, effects, cost: 1 });
        }
        let start = (0..pieces).map(|piece| piece * places + random.u32(0..places)).collect();
        let goal = Condition { holds: vec![random.u32(0..fluents)], fails: Vec::new() };
        Task { fluents: fluents as usize, start, goal, actions, symmetries: Vec::new() }
    }

    /// The same groups by comparing each fluent with each member.
    fn groups_by_pairs(task: &Task, pairs: &Pairs) -> Vec<Vec<Fluent>> {
        let may = |one, other| pairs.may(Literal::of(one, true), Literal::of(other, true));
        let next = following(task);
        let mut left: Vec<Fluent> = (0..task.fluents as Fluent).filter(|&fluent| may(fluent, fluent)).collect();
        let mut groups = Vec::new();
        while !left.is_empty() {
            let mut best: Vec<Fluent> = Vec::new();
            for &seed in &left {
                let mut group = vec![seed];
                let join = |group: &mut Vec<Fluent>, fluent: Fluent| {
                    let is_free = left.contains(&fluent) && !group.contains(&fluent);
                    if is_free && group.iter().all(|&member| !may(member, fluent)) {
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
    fn groups_by_rows_of_bits_are_those_by_pairs() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut largest = 0;
        for _ in 0..300 {
            let task = random_task(&mut random);
            let pairs = Pairs::of(&task, &[], &Stop::new()).expect("the task is small");
            let found = groups(&task, Some(&pairs), &Stop::new());
            largest = found.iter().map(Vec::len).max().unwrap_or(0).max(largest);
            assert_eq!(found, groups_by_pairs(&task, &pairs), "seed {seed}");
        }
        assert!(largest > 2, "seed {seed}");
    }

    #[test]
    fn each_fluent_that_is_left_at_a_request_to_stop_is_a_group() {
        let task = random_task(&mut fastrand::Rng::with_seed(1));
        let pairs = Pairs::of(&task, &[], &Stop::new()).expect("the task is small");
        let canceller = Canceller::new();
        canceller.request(Reason::TimeLimit);
        assert!(groups(&task, Some(&pairs), &canceller.token()).iter().all(|group| group.len() == 1));
    }
}
