//! Propagation over the completion of a ground program: unit propagation, sums, and unfounded sets.
//! Every inference is sound for all answer sets.
//!
//! Two searches are based on it. The proof search of certificates learns clauses and needs a clause
//! for every inference, so that its completion has no sums. The search for small reasons in
//! [`Assumptions`](super::Assumptions) tests thousands of small sets of assumptions per second and
//! learns nothing.
//!
//! ```text
//!   a clause       two of its literals are watched; if one becomes false, another is watched, or
//!                  the clause is unit
//!   a sum          the weights of its true literals, and of those that are not false, are counted
//!   x :- y. y :- x.  atoms that only support each other are false (`unfounded.rs`)
//! ```
//!
//! Propagation is breadth first, and each implied literal keeps its first reason (Moskewicz and
//! others, "Chaff", 2001; Gebser, Kaufmann and Schaub, "Conflict-driven answer set solving: from
//! theory to practice", 2012).

use std::borrow::Cow;

use ground::{ByLiteral, Completion, GroundRule, Literal, Sum};

use super::unfounded::{UnfoundedSet, UnfoundedSetDetector, Values};

/// Words of a clause in the arena before its literals: length, number, and a third word for the
/// user of the clause.
const HEADER: usize = 3;
const BINARY_BIT: u32 = 1 << 31;

/// The reason for the value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A decision, an assumption, or a unit clause.
    None,
    Clause(u32),
    /// The index of an unfounded set that contains the variable.
    Unfounded(u32),
    /// The index of a sum.
    Sum(u32),
}

/// An inference that contradicts a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// All literals of a clause are false.
    Clause(u32),
    /// An atom of an unfounded set is true.
    Unfounded { set: u32, atom: u32 },
    /// A sum implies this literal, which is false.
    Sum(u32, Literal),
}

#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// Another literal of the clause. If it is true, the clause need not be visited.
    blocker: Literal,
}

/// Counters of a sum.
struct SumState {
    /// True if and only if the weights of the true items reach the bound.
    literal: Literal,
    /// Literals and positive weights, in descending order of weight.
    items: Vec<(Literal, i64)>,
    bound: i64,
    /// The sum of the weights of the literals that are true.
    true_weight: i64,
    /// The sum of the weights of the literals that are not false.
    possible_weight: i64,
    /// The smallest slack for which the items were already scanned; `i64::MAX` if the sum has
    /// changed since.
    scanned: i64,
}

/// Clauses, sums, and a trail of assigned literals.
pub struct Propagator<'a> {
    rules: Cow<'a, [GroundRule]>,
    arena: Vec<u32>,
    watches: ByLiteral<Vec<Watch>>,
    sums: Vec<SumState>,
    /// By literal: the sums in which it occurs, each with its weight.
    occurrences: ByLiteral<Vec<(u32, i64)>>,
    /// By variable: the sum that defines it.
    sum_defining: Vec<Option<u32>>,
    values: Values,
    levels: Vec<u32>,
    reasons: Vec<Reason>,
    positions: Vec<u32>,
    trail: Vec<Literal>,
    /// By level from 1: the length of the trail before it.
    limits: Vec<usize>,
    /// The number of literals of the trail whose clauses and sums have been visited.
    propagated: usize,
    /// The number of literals of the trail that the sums have counted.
    counted: usize,
    detector: UnfoundedSetDetector,
    /// Unfounded sets, each with the length of the trail when it was found.
    unfounded_sets: Vec<(usize, UnfoundedSet)>,
    /// The number of visited watches and unfounded atoms: a measure of time that does not depend on
    /// the machine.
    pub work: u64,
}

impl<'a> Propagator<'a> {
    /// Creates a propagator with the sums of a completion, but without its clauses. `components` are
    /// those of the positive dependency graph; if there are none, `rules` may be empty.
    pub fn new(rules: Cow<'a, [GroundRule]>, components: &[u32], completion: &Completion) -> Self {
        let mut supports = vec![Vec::new(); completion.true_var as usize];
        for (&atom, list) in &completion.supports {
            supports[atom as usize] = list.clone();
        }
        let variables = completion.max_variable as usize + 1;
        let detector = UnfoundedSetDetector::new(&rules, supports, components, variables);
        let mut propagator = Propagator {
            rules,
            arena: Vec::with_capacity(completion.clauses.len() * 6),
            watches: ByLiteral::default(),
            sums: Vec::new(),
            occurrences: ByLiteral::default(),
            sum_defining: Vec::new(),
            values: Values::default(),
            levels: Vec::new(),
            reasons: Vec::new(),
            positions: Vec::new(),
            trail: Vec::new(),
            limits: Vec::new(),
            propagated: 0,
            counted: 0,
            detector,
            unfounded_sets: Vec::new(),
            work: 0,
        };
        propagator.resize(variables);
        for sum in &completion.sums {
            propagator.add_sum(sum);
        }
        propagator
    }

    /// Adapts all tables to a new number of variables.
    pub fn resize(&mut self, variables: usize) {
        self.watches.resize(variables, Vec::new());
        self.occurrences.resize(variables, Vec::new());
        self.sum_defining.resize(variables, None);
        self.values.resize(variables, 0);
        self.levels.resize(variables, 0);
        self.reasons.resize(variables, Reason::None);
        self.positions.resize(variables, 0);
        self.detector.resize(variables);
    }

    fn add_sum(&mut self, sum: &Sum) {
        let number = self.sums.len() as u32;
        let items: Vec<(Literal, i64)> =
            sum.items.iter().map(|&(literal, weight)| (Literal::from_signed(literal), weight)).collect();
        for &(literal, weight) in &items {
            self.occurrences[literal].push((number, weight));
        }
        self.sum_defining[sum.variable as usize] = Some(number);
        self.sums.push(SumState {
            literal: Literal::from_signed(sum.variable),
            possible_weight: items.iter().map(|(_, weight)| weight).sum(),
            items,
            bound: sum.bound,
            true_weight: 0,
            scanned: i64::MAX,
        });
    }

    /// Returns 1 if the literal is true, -1 if it is false, and 0 if it has no value.
    #[inline]
    pub fn value(&self, literal: Literal) -> i8 {
        self.values[literal]
    }

    /// Returns the level at which a variable was assigned.
    #[inline]
    pub fn level_of(&self, variable: u32) -> u32 {
        self.levels[variable as usize]
    }

    #[inline]
    pub fn reason(&self, variable: u32) -> Reason {
        self.reasons[variable as usize]
    }

    pub fn set_reason(&mut self, variable: u32, reason: Reason) {
        self.reasons[variable as usize] = reason;
    }

    /// Returns the position of a variable in the trail.
    #[inline]
    pub fn position(&self, variable: u32) -> u32 {
        self.positions[variable as usize]
    }

    #[inline]
    pub fn trail(&self) -> &[Literal] {
        &self.trail
    }

    #[inline]
    pub fn level(&self) -> u32 {
        self.limits.len() as u32
    }

    /// Returns the length of the trail before a level, from 1.
    pub fn start_of_level(&self, level: u32) -> Option<usize> {
        self.limits.get((level as usize).wrapping_sub(1)).copied()
    }

    pub fn push_level(&mut self) {
        self.limits.push(self.trail.len());
    }

    #[inline]
    pub fn literals(&self, clause: u32) -> impl DoubleEndedIterator<Item = Literal> + ExactSizeIterator + '_ {
        let at = clause as usize;
        self.arena[at + HEADER..at + HEADER + self.arena[at] as usize].iter().map(|&index| Literal::from_index(index))
    }

    /// Returns the number of literals of a clause.
    #[inline]
    pub fn len_of(&self, clause: u32) -> usize {
        self.arena[clause as usize] as usize
    }

    /// Returns a literal of a clause.
    #[inline]
    pub fn literal_at(&self, clause: u32, place: usize) -> Literal {
        Literal::from_index(self.arena[clause as usize + HEADER + place])
    }

    /// Returns the number with which a clause was attached.
    pub fn number_of(&self, clause: u32) -> u32 {
        self.arena[clause as usize + 1]
    }

    /// Returns the mark of a clause.
    pub fn mark_of(&self, clause: u32) -> u32 {
        self.arena[clause as usize + 2]
    }

    /// Stores a clause and watches its first two literals. They must not be false unless all others
    /// were assigned before them.
    pub fn attach(&mut self, literals: &[Literal], number: u32, mark: u32) -> u32 {
        let clause = self.arena.len() as u32;
        self.arena.extend([literals.len() as u32, number, mark]);
        self.arena.extend(literals.iter().map(|literal| literal.index()));
        self.watch(clause);
        clause
    }

    /// Reserves memory for the watches of new clauses.
    pub fn reserve_watches<'c>(&mut self, clauses: impl Iterator<Item = &'c [i32]>) {
        let mut counts: ByLiteral<u32> = ByLiteral::default();
        counts.resize(self.levels.len(), 0);
        for clause in clauses.filter(|clause| clause.len() > 1) {
            for &literal in &clause[..2] {
                counts[Literal::from_signed(literal)] += 1;
            }
        }
        for (list, count) in self.watches.iter_mut().zip(counts.iter_mut()) {
            list.reserve(*count as usize);
        }
    }

    fn watch(&mut self, clause: u32) {
        if self.len_of(clause) < 2 {
            return;
        }
        let (one, other) = (self.literal_at(clause, 0), self.literal_at(clause, 1));
        let marked = if self.len_of(clause) == 2 { clause | BINARY_BIT } else { clause };
        self.watches[one].push(Watch { clause: marked, blocker: other });
        self.watches[other].push(Watch { clause: marked, blocker: one });
    }

    /// Visits all literals of the trail again, for clauses that were attached since.
    pub fn restart_propagation(&mut self) {
        self.propagated = 0;
    }

    /// Stops watching the clauses that are satisfied. The level must be 0.
    pub fn drop_satisfied(&mut self) {
        let (arena, values) = (&self.arena, &self.values);
        for list in self.watches.iter_mut() {
            list.retain(|watch| {
                let clause = (watch.clause & !BINARY_BIT) as usize;
                let literals = &arena[clause + HEADER..clause + HEADER + arena[clause] as usize];
                !literals.iter().any(|&index| values[Literal::from_index(index)] > 0)
            });
        }
    }

    /// Keeps the clauses that `keeps` selects, and the reasons of assigned variables. Calls
    /// `on_kept` with the new place and the mark of each.
    pub fn retain(&mut self, keeps: impl Fn(&Self, u32) -> bool, mut on_kept: impl FnMut(u32, u32)) {
        for list in self.watches.iter_mut() {
            list.clear();
        }
        let is_reason = |clause: u32| {
            self.literals(clause).any(|literal| self.reason(literal.variable()) == Reason::Clause(clause))
        };
        let kept: Vec<u32> = self.clauses().filter(|&clause| is_reason(clause) || keeps(self, clause)).collect();
        let old = std::mem::take(&mut self.arena);
        let mut moved = rustc_hash::FxHashMap::default();
        for clause in kept {
            let size = HEADER + old[clause as usize] as usize;
            let place = self.arena.len() as u32;
            moved.insert(clause, place);
            self.arena.extend_from_slice(&old[clause as usize..clause as usize + size]);
            self.watch(place);
            on_kept(place, self.mark_of(place));
        }
        for reason in &mut self.reasons {
            if let Reason::Clause(clause) = reason {
                *clause = moved[clause];
            }
        }
    }

    #[inline]
    pub fn assign(&mut self, literal: Literal, reason: Reason) {
        let variable = literal.variable() as usize;
        self.values[literal] = 1;
        self.values[!literal] = -1;
        self.levels[variable] = self.limits.len() as u32;
        self.reasons[variable] = reason;
        self.positions[variable] = self.trail.len() as u32;
        self.trail.push(literal);
    }

    /// Undoes all levels above `level`. Calls `on_unassign` with each literal, the last one first.
    pub fn backtrack(&mut self, level: u32, mut on_unassign: impl FnMut(Literal)) {
        let Some(&limit) = self.limits.get(level as usize) else { return };
        while self.trail.len() > limit {
            let Some(literal) = self.trail.pop() else { break };
            if self.counted > self.trail.len() {
                self.counted -= 1;
                self.uncount(literal);
            }
            self.values[literal] = 0;
            self.values[!literal] = 0;
            self.reasons[literal.variable() as usize] = Reason::None;
            on_unassign(literal);
            self.detector.on_unassign(literal.variable());
        }
        self.limits.truncate(level as usize);
        self.propagated = self.propagated.min(limit);
        self.detector.on_backjump(limit);
        while self.unfounded_sets.last().is_some_and(|(place, _)| *place >= limit) {
            self.unfounded_sets.pop();
        }
    }

    pub fn unfounded_set(&self, set: u32) -> &UnfoundedSet {
        &self.unfounded_sets[set as usize].1
    }

    /// Stores a set that is unfounded under the current assignment, which must be total.
    pub fn add_unfounded_under_total(&mut self, atoms: Vec<u32>) -> u32 {
        let unfounded_set = self.detector.unfounded_under_total(&self.rules, atoms, &self.values);
        self.unfounded_sets.push((self.trail.len(), unfounded_set));
        self.unfounded_sets.len() as u32 - 1
    }

    /// Propagates to a fixpoint or to a conflict.
    pub fn propagate(&mut self) -> Option<Conflict> {
        loop {
            if let Some(conflict) = self.propagate_units() {
                return Some(conflict);
            }
            let unfounded_set = self.detector.find_unfounded_set(&self.rules, &self.trail, &self.values)?;
            let set = self.unfounded_sets.len() as u32;
            let atoms = unfounded_set.atoms.clone();
            self.work += (atoms.len() + unfounded_set.clause.len()) as u64;
            self.unfounded_sets.push((self.trail.len(), unfounded_set));
            if let Some(&atom) = atoms.iter().find(|&&atom| self.value(Literal::positive(atom)) > 0) {
                return Some(Conflict::Unfounded { set, atom });
            }
            for atom in atoms {
                if self.value(Literal::positive(atom)) == 0 {
                    self.assign(!Literal::positive(atom), Reason::Unfounded(set));
                }
            }
        }
    }

    /// Propagates clauses and sums.
    fn propagate_units(&mut self) -> Option<Conflict> {
        while self.propagated < self.trail.len() {
            let literal = self.trail[self.propagated];
            self.propagated += 1;
            if self.counted < self.propagated {
                self.counted = self.propagated;
                self.count(literal);
            }
            if let Some(clause) = self.visit_watches(!literal) {
                return Some(Conflict::Clause(clause));
            }
            if !self.sums.is_empty()
                && let Some(conflict) = self.visit_sums(literal)
            {
                return Some(conflict);
            }
        }
        None
    }

    /// Visits the clauses that watch a literal that has become false. Returns a falsified clause on
    /// a conflict.
    fn visit_watches(&mut self, falsified: Literal) -> Option<u32> {
        let mut list = std::mem::take(&mut self.watches[falsified]);
        self.work += list.len() as u64 + 1;
        let (mut read, mut kept) = (0, 0);
        let mut conflict = None;
        'watches: while read < list.len() {
            let watch = list[read];
            read += 1;
            if self.values[watch.blocker] > 0 {
                list[kept] = watch;
                kept += 1;
                continue;
            }
            let clause = watch.clause & !BINARY_BIT;
            let mut implied = watch.blocker;
            let mut new_watch = watch;
            if watch.clause & BINARY_BIT == 0 {
                let (start, length) = (clause as usize + HEADER, self.arena[clause as usize] as usize);
                if self.arena[start] == falsified.index() {
                    self.arena.swap(start, start + 1);
                }
                implied = Literal::from_index(self.arena[start]);
                new_watch = Watch { clause, blocker: implied };
                if self.values[implied] > 0 {
                    list[kept] = new_watch;
                    kept += 1;
                    continue;
                }
                for at in start + 2..start + length {
                    let literal = Literal::from_index(self.arena[at]);
                    if self.values[literal] >= 0 {
                        self.arena.swap(start + 1, at);
                        self.watches[literal].push(new_watch);
                        continue 'watches;
                    }
                }
            }
            list[kept] = new_watch;
            kept += 1;
            if self.values[implied] < 0 {
                conflict = Some(clause);
                break;
            }
            self.assign(implied, Reason::Clause(clause));
        }
        list.copy_within(read.., kept);
        list.truncate(kept + list.len() - read);
        self.watches[falsified] = list;
        conflict
    }

    /// Updates the counters of the sums after a literal has become true.
    fn count(&mut self, literal: Literal) {
        for &(sum, weight) in &self.occurrences[literal] {
            self.sums[sum as usize].true_weight += weight;
        }
        for &(sum, weight) in &self.occurrences[!literal] {
            self.sums[sum as usize].possible_weight -= weight;
        }
    }

    /// Reverts [`count`](Self::count).
    fn uncount(&mut self, literal: Literal) {
        for &(sum, weight) in &self.occurrences[literal] {
            let sum = &mut self.sums[sum as usize];
            (sum.true_weight, sum.scanned) = (sum.true_weight - weight, i64::MAX);
        }
        for &(sum, weight) in &self.occurrences[!literal] {
            let sum = &mut self.sums[sum as usize];
            (sum.possible_weight, sum.scanned) = (sum.possible_weight + weight, i64::MAX);
        }
        if let Some(sum) = self.sum_defining[literal.variable() as usize] {
            self.sums[sum as usize].scanned = i64::MAX;
        }
    }

    /// Propagates the sums of a literal that has become true.
    fn visit_sums(&mut self, literal: Literal) -> Option<Conflict> {
        for sign in [literal, !literal] {
            for at in 0..self.occurrences[sign].len() {
                let conflict = self.check_sum(self.occurrences[sign][at].0);
                if conflict.is_some() {
                    return conflict;
                }
            }
        }
        self.sum_defining[literal.variable() as usize].and_then(|sum| self.check_sum(sum))
    }

    /// Propagates a sum.
    pub fn check_sum(&mut self, number: u32) -> Option<Conflict> {
        let reason = Reason::Sum(number);
        let sum = &self.sums[number as usize];
        let literal = sum.literal;
        let implied = if sum.true_weight >= sum.bound {
            Some(literal)
        } else if sum.possible_weight < sum.bound {
            Some(!literal)
        } else {
            None
        };
        if let Some(implied) = implied {
            match self.value(implied) {
                0 => self.assign(implied, reason),
                1.. => {}
                _ => return Some(Conflict::Sum(number, implied)),
            }
            return None;
        }
        let (slack, is_true) = match self.value(literal) {
            0 => return None,
            // An unassigned literal is implied if the bound cannot be reached without it, or must
            // not be reached with it.
            1.. => (sum.possible_weight - sum.bound, true),
            _ => (sum.bound - sum.true_weight - 1, false),
        };
        if sum.scanned <= slack {
            return None;
        }
        for at in 0..self.sums[number as usize].items.len() {
            let (item, weight) = self.sums[number as usize].items[at];
            if weight <= slack {
                break;
            }
            if self.value(item) == 0 {
                self.assign(if is_true { item } else { !item }, reason);
            }
        }
        self.sums[number as usize].scanned = slack;
        None
    }

    /// Returns the number of sums.
    pub fn sum_count(&self) -> usize {
        self.sums.len()
    }

    /// Returns the items of a sum, and the literal that it defines.
    pub fn sum_literals(&self, number: u32) -> impl Iterator<Item = Literal> + '_ {
        let sum = &self.sums[number as usize];
        sum.items.iter().map(|&(item, _)| item).chain([sum.literal])
    }

    /// Returns the sums in which a variable occurs, or that define it.
    pub fn sums_of(&self, variable: u32) -> impl Iterator<Item = u32> + '_ {
        let literal = Literal::positive(variable);
        let occurrences = self.occurrences[literal].iter().chain(&self.occurrences[!literal]);
        occurrences.map(|&(sum, _)| sum).chain(self.sum_defining[variable as usize])
    }

    /// Returns all clauses.
    pub fn clauses(&self) -> impl Iterator<Item = u32> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let clause = next;
            next += HEADER as u32 + self.arena.get(clause as usize)?;
            Some(clause)
        })
    }

    /// Returns the largest variable plus one.
    pub fn variable_count(&self) -> usize {
        self.levels.len()
    }

    /// Adds literals to `found` that imply `literal` by `reason` and were true before `position`.
    pub fn antecedents(&self, literal: Literal, reason: Reason, position: u32, found: &mut Vec<Literal>) {
        match reason {
            Reason::None => {}
            Reason::Clause(clause) => {
                let others = self.literals(clause).filter(|&other| other != literal && other != !literal);
                found.extend(others.map(|other| !other));
            }
            Reason::Unfounded(set) => found.extend(self.unfounded_set(set).clause.iter().map(|&literal| !literal)),
            Reason::Sum(number) => self.antecedents_in_sum(&self.sums[number as usize], literal, position, found),
        }
    }

    /// Adds the earliest literals that suffice for a sum to imply `literal`.
    fn antecedents_in_sum(&self, sum: &SumState, literal: Literal, position: u32, found: &mut Vec<Literal>) {
        let holds = |literal: Literal| self.value(literal) > 0 && self.position(literal.variable()) < position;
        let weight_of =
            |literal: Literal| sum.items.iter().find(|(item, _)| *item == literal).map_or(0, |(_, weight)| *weight);
        let total: i64 = sum.items.iter().map(|(_, weight)| weight).sum();
        // True if true items imply the literal, false if false items do, and the weight that they
        // must reach.
        let (by_true, required) = if literal == sum.literal {
            (true, sum.bound)
        } else if literal == !sum.literal {
            (false, total - sum.bound + 1)
        } else if holds(sum.literal) {
            found.push(sum.literal);
            (false, total - weight_of(literal) - sum.bound + 1)
        } else {
            found.push(!sum.literal);
            (true, sum.bound - weight_of(!literal))
        };
        let sign = |item: Literal| if by_true { item } else { !item };
        let mut counting: Vec<(u32, Literal, i64)> = sum
            .items
            .iter()
            .filter(|(item, _)| item.variable() != literal.variable() && holds(sign(*item)))
            .map(|&(item, weight)| (self.position(item.variable()), sign(item), weight))
            .collect();
        counting.sort_unstable();
        let mut weight = 0;
        for (_, item, more) in counting {
            if weight >= required {
                break;
            }
            weight += more;
            found.push(item);
        }
    }
}
