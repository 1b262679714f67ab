//! Tokens: fluents that actions only exchange one for another, such as the places of boxes.
//!
//! A *class* of tokens is a set of fluents of which each action either touches none, or replaces one
//! that it requires by another one. The number of tokens, those fluents that hold, never changes. If
//! the goal names as many fluents as there are tokens, each token goes from its fluent to one of the
//! goals, and the heuristic is a matching of tokens and goals of least cost. Each action moves at
//! most one token of a class, so the costs of tokens can be added.
//!
//! The cost for a few tokens alone is the distance in an abstraction that forgets all other tokens,
//! and all variables but one, the *context*: the one on which most moves of tokens depend, such as
//! the place of the worker. Other actions cost nothing there, and context values between which they
//! lead are merged, in both directions.
//!
//! Two or three tokens may be in each other's way. The *penalty* of a set of tokens is the least
//! difference, over all sets of goals, between its cost in the abstraction and the cost of the best
//! matching of single tokens. Penalties of disjoint sets may be added to the matching, as linear
//! conflicts are added to the Manhattan distance (O. Hansson, A. Mayer and M. Yung, 1992). If a set
//! cannot reach any goals, the state is a dead end.

use std::cmp::Reverse;
use std::ops::Range;

use base::stop::CancelToken;

use super::heuristic::{HeuristicFn, add_costs};
use super::matching::{MAX_TOKENS, Matcher};
use super::packed::FiniteDomainTask;
use super::token_class::{TokenClass, TokenMove};
use crate::search::{Cost, UNREACHABLE, dijkstra};

/// Maximum number of tokens in a set with a penalty.
const MAX_SIZE: usize = 3;
/// Maximum number of sets that are looked up for each state.
const MAX_LOOKUPS: usize = 1_500;
/// Maximum size of the table for the sets of one size, in bytes.
const MAX_BYTES: usize = 1 << 22;
/// Maximum number of abstract states and transitions that are visited for the sets of one size.
const MAX_WORK: usize = 20_000_000;
/// Maximum number of penalties among which the best disjoint ones are chosen.
const MAX_CHOICES: usize = 10;

/// The penalty of sets of tokens that cannot reach any goals.
const DEAD: u8 = u8::MAX;
/// The component of context values that exclude a token of the set.
const EXCLUDED: u8 = u8::MAX;

/// The heuristic: a sum over all classes of tokens.
pub struct Tokens<'a> {
    fdr: &'a FiniteDomainTask,
    classes: Vec<ClassTables>,
}

/// The tables of one class. Positions are numbered among those from which a goal can be reached.
struct ClassTables {
    class: TokenClass,
    /// The number of each position, or `None` if no goal can be reached from it.
    live: Vec<Option<u16>>,
    /// For each context value and live position, the cost to each goal.
    distances: Vec<Cost>,
    /// For 2, 3, … tokens: for each context value and set, its penalty.
    penalties: Vec<Vec<u8>>,
    subsets: Subsets,
}

/// Numbers the sets of up to [`MAX_SIZE`] of `n` elements, sets of equal size from 0.
struct Subsets {
    /// `binomials[k][n]`
    binomials: Vec<Vec<usize>>,
}

impl Subsets {
    fn of(n: usize) -> Subsets {
        let mut binomials = vec![vec![1; n + 1]];
        for size in 1..=MAX_SIZE {
            let mut row = vec![0; n + 1];
            (1..=n).for_each(|n| row[n] = row[n - 1] + binomials[size - 1][n - 1]);
            binomials.push(row);
        }
        Subsets { binomials }
    }

    fn count(&self, size: usize) -> usize {
        self.binomials[size].last().copied().unwrap_or(0)
    }

    /// The number of a set, whose elements are in increasing order.
    #[inline]
    fn number(&self, elements: &[u16]) -> usize {
        elements.iter().enumerate().map(|(at, &element)| self.binomials[at + 1][usize::from(element)]).sum()
    }
}

/// Calls `visit` with each set of `size` of the numbers below `n`, in the order of [`Subsets`].
fn for_each_subset(n: usize, size: usize, visit: &mut dyn FnMut(&[u16])) {
    let mut elements: Vec<u16> = (0..size as u16).collect();
    if size > n {
        return;
    }
    loop {
        visit(&elements);
        // Increment the first element that has room, and reset all elements before it.
        let limit = |at: usize| elements.get(at + 1).map_or(n as u16, |&next| next);
        let Some(at) = (0..size).find(|&at| elements[at] + 1 < limit(at)) else { return };
        elements[at] += 1;
        (0..at).for_each(|below| elements[below] = below as u16);
    }
}

/// The abstract states of all sets of one size: a set and a component of context values.
struct Abstraction {
    size: usize,
    contexts: usize,
    /// For each set and context value, the component.
    components: Vec<u8>,
    /// For each set, the number of its first abstract state; then the number of all.
    first: Vec<u32>,
    /// The reverse transitions in CSR form.
    ends: Vec<u32>,
    from: Vec<(u32, Cost)>,
}

impl<'a> Tokens<'a> {
    /// Builds the tables. Returns `None` if no class has several tokens, or `stop` is set.
    pub fn of(fdr: &'a FiniteDomainTask, classes: Vec<TokenClass>, stop: &CancelToken) -> Option<Tokens<'a>> {
        if classes.iter().all(|class| class.goals.len() < 2) {
            return None;
        }
        let classes = classes.into_iter().map(|class| ClassTables::of(class, stop)).collect::<Option<_>>()?;
        Some(Tokens { fdr, classes })
    }
}

impl HeuristicFn for Tokens<'_> {
    fn estimate(&self, state: &[u64]) -> Cost {
        let mut sum = 0;
        for class in &self.classes {
            match class.estimate(self.fdr, state) {
                UNREACHABLE => return UNREACHABLE,
                cost => sum = add_costs(sum, cost),
            }
        }
        sum
    }
}

impl ClassTables {
    fn of(class: TokenClass, stop: &CancelToken) -> Option<ClassTables> {
        let positions = class.positions.len();
        let mut tables = ClassTables {
            live: (0..positions as u16).map(Some).collect(),
            subsets: Subsets::of(positions),
            distances: Vec::new(),
            penalties: Vec::new(),
            class,
        };
        tables.set_distances(stop)?;
        let (goals, contexts) = (tables.class.goals.len(), tables.class.contexts);
        for size in 2..=MAX_SIZE.min(goals) {
            let sets = tables.subsets.count(size);
            let lookups = Subsets::of(goals).count(size);
            if sets == 0 || lookups > MAX_LOOKUPS || sets.saturating_mul(contexts) > MAX_BYTES {
                break;
            }
            let abstraction = tables.abstraction(size, stop)?;
            let penalties = tables.penalties_of(&abstraction, stop)?;
            tables.penalties.push(penalties);
        }
        Some(tables)
    }

    /// Computes the costs of single tokens, and drops the positions from which no goal can be
    /// reached. Returns `None` if a goal is among them, or `stop` is set.
    fn set_distances(&mut self, stop: &CancelToken) -> Option<()> {
        let TokenClass { goals, contexts, .. } = &self.class;
        let single = self.abstraction(1, stop)?;
        let costs: Vec<Vec<Cost>> = goals.iter().map(|&goal| single.distances(&[usize::from(goal)])).collect();
        let rows = |context: usize, position: usize| -> Vec<Cost> {
            let node = single.node(position, context);
            costs.iter().map(|costs| node.map_or(UNREACHABLE, |node| costs[node])).collect()
        };
        let is_live = |position: &usize| {
            (0..*contexts).any(|context| rows(context, *position).iter().any(|&cost| cost != UNREACHABLE))
        };
        let live: Vec<usize> = (0..self.live.len()).filter(is_live).collect();
        let distances =
            (0..*contexts).flat_map(|context| live.iter().flat_map(move |&position| rows(context, position)));
        self.distances = distances.collect();
        self.live = vec![None; self.live.len()];
        (0..).zip(&live).for_each(|(number, &position)| self.live[position] = Some(number));
        self.subsets = Subsets::of(live.len());
        self.class.goals.iter().all(|&goal| self.live[usize::from(goal)].is_some()).then_some(())
    }

    /// The live positions, in increasing order.
    fn live_positions(&self) -> Vec<u16> {
        (0..).zip(&self.live).filter(|(_, number)| number.is_some()).map(|(position, _)| position).collect()
    }

    /// Builds the abstract states of all sets of `size` tokens. Returns `None` if `stop` is set.
    fn abstraction(&self, size: usize, stop: &CancelToken) -> Option<Abstraction> {
        let contexts = self.class.contexts;
        let live = self.live_positions();
        let mut abstraction =
            Abstraction { size, contexts, components: Vec::new(), first: vec![0], ends: Vec::new(), from: Vec::new() };
        let mut components = ContextComponents::of(&self.class);
        for_each_subset(live.len(), size, &mut |elements| {
            if stop.requested().is_none() {
                let set: Vec<u16> = elements.iter().map(|&element| live[usize::from(element)]).collect();
                let count = components.append_to(&mut abstraction.components, &set);
                abstraction.first.push(abstraction.first[abstraction.first.len() - 1] + count);
            }
        });
        if stop.requested().is_some() {
            return None;
        }
        let mut edges: Vec<(u32, u32, Cost)> = Vec::new();
        let mut moves_from = vec![Vec::new(); self.live.len()];
        self.class.moves.iter().for_each(|step| moves_from[usize::from(step.from)].push(step));
        let mut set = 0;
        for_each_subset(live.len(), size, &mut |elements| {
            for (at, &element) in elements.iter().enumerate() {
                for step in &moves_from[usize::from(live[usize::from(element)])] {
                    let Some(after) = self.set_after(elements, at, step) else { continue };
                    let ends = [abstraction.node(set, step.context), abstraction.node(after, step.new_context)];
                    if let [Some(before), Some(after)] = ends {
                        edges.push((after as u32, before as u32, step.cost));
                    }
                }
            }
            set += 1;
        });
        abstraction.set_transitions(edges);
        Some(abstraction)
    }

    /// Returns the set after a move of its `at`-th token, or `None` if other tokens are in the way or
    /// no goal can be reached.
    fn set_after(&self, elements: &[u16], at: usize, step: &TokenMove) -> Option<usize> {
        let to = self.live[usize::from(step.to)]?;
        let has = |position: &u16| self.live[usize::from(*position)].is_some_and(|number| elements.contains(&number));
        if elements.contains(&to) || step.blockers.iter().any(has) {
            return None;
        }
        let mut after = [0; MAX_SIZE];
        let after = &mut after[..elements.len()];
        after.copy_from_slice(elements);
        after[at] = to;
        after.sort_unstable();
        Some(self.subsets.number(after))
    }

    /// Computes the penalties of all sets of one size, by context and set.
    fn penalties_of(&self, abstraction: &Abstraction, stop: &CancelToken) -> Option<Vec<u8>> {
        let least = self.least_differences(abstraction, stop)?;
        let sets = self.subsets.count(abstraction.size);
        let mut penalties = vec![0; self.class.contexts * sets];
        let mut set = 0;
        for_each_subset(self.live_count(), abstraction.size, &mut |elements| {
            for context in 0..self.class.contexts {
                let Some(node) = abstraction.node(set, context) else { continue };
                let penalty = match least[node] {
                    UNREACHABLE => DEAD,
                    cost => cost.min(Cost::from(DEAD) - 1) as u8,
                };
                // A penalty that a smaller set has is not repeated.
                if penalty > 0 && penalty > self.greatest_penalty(context, elements) {
                    penalties[context * sets + set] = penalty;
                }
            }
            set += 1;
        });
        Some(penalties)
    }

    /// Returns, for each abstract state, the least difference between its cost to goals and the cost
    /// of single tokens. If there are too many sets of goals, the difference is 0 if some of them can
    /// be reached.
    fn least_differences(&self, abstraction: &Abstraction, stop: &CancelToken) -> Option<Vec<Cost>> {
        let goals = self.class.goals.len();
        let (mut goal_sets, mut goals_of) = (Vec::new(), Vec::new());
        for_each_subset(goals, abstraction.size, &mut |chosen| {
            let live = |&goal: &u16| self.live[usize::from(self.class.goals[usize::from(goal)])].unwrap_or(0);
            let mut set: Vec<u16> = chosen.iter().map(live).collect();
            set.sort_unstable();
            goal_sets.push(self.subsets.number(&set));
            goals_of.push(chosen.to_vec());
        });
        let mut least = vec![UNREACHABLE; abstraction.nodes()];
        if goal_sets.len().saturating_mul(abstraction.nodes() + abstraction.from.len()) > MAX_WORK {
            let costs = abstraction.distances(&goal_sets);
            let costs = costs.into_iter().map(|cost| if cost == UNREACHABLE { UNREACHABLE } else { 0 });
            return Some(costs.collect());
        }
        let members = self.members(abstraction);
        for (&goal_set, chosen) in goal_sets.iter().zip(&goals_of) {
            if stop.requested().is_some() {
                return None;
            }
            let costs = abstraction.distances(&[goal_set]);
            for ((least, cost), (context, elements)) in least.iter_mut().zip(costs).zip(&members) {
                if cost != UNREACHABLE && *least > 0 {
                    *least = (*least).min(cost.saturating_sub(self.assignment_cost(*context, elements, chosen, 0)));
                }
            }
        }
        Some(least)
    }

    fn live_count(&self) -> usize {
        self.subsets.count(1)
    }

    /// Returns, for each abstract state, a context value of it and its set.
    fn members(&self, abstraction: &Abstraction) -> Vec<(usize, Vec<u16>)> {
        let mut members = vec![(0, Vec::new()); abstraction.nodes()];
        let mut set = 0;
        for_each_subset(self.live_count(), abstraction.size, &mut |elements| {
            for context in 0..self.class.contexts {
                if let Some(node) = abstraction.node(set, context).filter(|&node| members[node].1.is_empty()) {
                    members[node] = (context, elements.to_vec());
                }
            }
            set += 1;
        });
        members
    }

    /// Returns the least cost at which single tokens reach distinct goals, from the `at`-th one on.
    fn assignment_cost(&self, context: usize, elements: &[u16], goals: &[u16], used: u32) -> Cost {
        let at = used.count_ones() as usize;
        let Some(&element) = elements.get(at) else { return 0 };
        let row = self.row(context, element);
        let free = goals.iter().enumerate().filter(|(number, _)| used >> number & 1 == 0);
        let costs = free.filter(|(_, goal)| row[usize::from(**goal)] != UNREACHABLE).map(|(number, &goal)| {
            row[usize::from(goal)].saturating_add(self.assignment_cost(context, elements, goals, used | 1 << number))
        });
        costs.min().unwrap_or(UNREACHABLE)
    }

    /// The cost from a live position to each goal.
    #[inline]
    fn row(&self, context: usize, element: u16) -> &[Cost] {
        let goals = self.class.goals.len();
        &self.distances[(context * self.subsets.count(1) + usize::from(element)) * goals..][..goals]
    }

    /// Returns the greatest penalty of a proper subset.
    fn greatest_penalty(&self, context: usize, elements: &[u16]) -> u8 {
        let mut greatest = 0;
        for size in 2..elements.len() {
            for_each_subset(elements.len(), size, &mut |chosen| {
                let set: Vec<u16> = chosen.iter().map(|&at| elements[usize::from(at)]).collect();
                let number = context * self.subsets.count(size) + self.subsets.number(&set);
                greatest = greatest.max(self.penalties[size - 2][number]);
            });
        }
        greatest
    }

    fn estimate(&self, fdr: &FiniteDomainTask, state: &[u64]) -> Cost {
        let context = self.class.context_of(fdr, state);
        let (mut elements, mut tokens) = ([0_u16; MAX_TOKENS], 0);
        for (&(variable, value), live) in self.class.positions.iter().zip(&self.live) {
            if fdr.variables[variable as usize].value(state) != value as usize {
                continue;
            }
            match live {
                Some(number) if tokens < self.class.goals.len() => {
                    elements[tokens] = *number;
                    tokens += 1;
                }
                _ => return UNREACHABLE,
            }
        }
        if tokens < self.class.goals.len() {
            return UNREACHABLE;
        }
        let elements = &elements[..tokens];
        let Some(penalty) = self.penalty(context, elements) else { return UNREACHABLE };
        match Matcher::default().least_cost(tokens, |token| self.row(context, elements[token])) {
            UNREACHABLE => UNREACHABLE,
            cost => add_costs(cost, penalty),
        }
    }

    /// Returns a sum of penalties of disjoint sets, or `None` if a set is a dead end.
    fn penalty(&self, context: usize, elements: &[u16]) -> Option<Cost> {
        let mut found: Vec<(u8, u64)> = Vec::new();
        for (size, penalties) in (2..).zip(&self.penalties) {
            let sets = self.subsets.count(size);
            let penalties = &penalties[context * sets..][..sets];
            if !self.collect(penalties, elements, (0, size, 0, 0), &mut found) {
                return None;
            }
        }
        found.sort_unstable_by_key(|&(penalty, tokens)| (Reverse(penalty), tokens.count_ones(), tokens));
        found.truncate(MAX_CHOICES);
        Some(greatest_sum(&found, 0))
    }

    /// Collects the penalties of all sets of `size` tokens that extend a set of `have` smaller ones,
    /// whose number so far is `number`. Returns false if a set is a dead end.
    fn collect(
        &self,
        penalties: &[u8],
        elements: &[u16],
        (have, size, number, tokens): (usize, usize, usize, u64),
        found: &mut Vec<(u8, u64)>,
    ) -> bool {
        let next = (64 - tokens.leading_zeros()) as usize;
        (next..elements.len()).all(|token| {
            let number = number + self.subsets.binomials[have + 1][usize::from(elements[token])];
            let tokens = tokens | 1 << token;
            if have + 1 < size {
                return self.collect(penalties, elements, (have + 1, size, number, tokens), found);
            }
            let penalty = penalties[number];
            if penalty > 0 {
                found.push((penalty, tokens));
            }
            penalty != DEAD
        })
    }
}

/// Returns the greatest sum of penalties of disjoint sets that avoid the tokens in `used`.
fn greatest_sum(found: &[(u8, u64)], used: u64) -> Cost {
    let Some((&(penalty, tokens), rest)) = found.split_first() else { return 0 };
    let without = greatest_sum(rest, used);
    if tokens & used != 0 {
        return without;
    }
    without.max(Cost::from(penalty) + greatest_sum(rest, used | tokens))
}

/// Returns the root of an element, and shortens the path to it.
fn root_of(roots: &mut [u16], mut element: u16) -> u16 {
    while roots[usize::from(element)] != element {
        let above = roots[usize::from(roots[usize::from(element)])];
        roots[usize::from(element)] = above;
        element = above;
    }
    element
}

/// Finds the components of context values that walks connect.
struct ContextComponents<'a> {
    class: &'a TokenClass,
    roots: Vec<u16>,
    is_taken: Vec<bool>,
    is_excluded: Vec<bool>,
}

impl<'a> ContextComponents<'a> {
    fn of(class: &'a TokenClass) -> Self {
        let (roots, is_excluded) = (vec![0; class.contexts], vec![false; class.contexts]);
        ContextComponents { class, roots, is_taken: vec![false; class.positions.len()], is_excluded }
    }

    /// Appends the component of each context value while tokens are at the positions `set`. Returns
    /// the number of components.
    fn append_to(&mut self, components: &mut Vec<u8>, set: &[u16]) -> u32 {
        set.iter().for_each(|&position| self.is_taken[usize::from(position)] = true);
        for (context, is_excluded) in self.is_excluded.iter_mut().enumerate() {
            *is_excluded = set.iter().any(|&position| self.class.excludes(context, position));
        }
        (0..).zip(&mut self.roots).for_each(|(context, root)| *root = context);
        for walk in &self.class.walks {
            let is_blocked = walk.blockers.iter().any(|&position| self.is_taken[usize::from(position)]);
            if !is_blocked && !self.is_excluded[walk.from] && !self.is_excluded[walk.to] {
                let [one, other] = [walk.from, walk.to].map(|context| root_of(&mut self.roots, context as u16));
                self.roots[usize::from(one.max(other))] = one.min(other);
            }
        }
        set.iter().for_each(|&position| self.is_taken[usize::from(position)] = false);
        let (first, mut count) = (components.len(), 0_u8);
        for context in 0..self.roots.len() {
            // A root is the least context value of its component.
            let root = usize::from(root_of(&mut self.roots, context as u16));
            let component = if self.is_excluded[context] {
                EXCLUDED
            } else if root < context {
                components[first + root]
            } else {
                // Components beyond the range of the numbers are merged.
                count = count.saturating_add(1);
                count - 1
            };
            components.push(component);
        }
        count.into()
    }
}

impl Abstraction {
    /// Returns the abstract state of a set and a context value, unless they exclude each other.
    #[inline]
    fn node(&self, set: usize, context: usize) -> Option<usize> {
        let component = self.components[set * self.contexts + context];
        (component != EXCLUDED).then(|| self.first[set] as usize + usize::from(component))
    }

    fn nodes_of(&self, set: usize) -> Range<u32> {
        self.first[set]..self.first[set + 1]
    }

    fn nodes(&self) -> usize {
        self.ends.len() - 1
    }

    /// Stores the transitions; an edge consists of its target, its source and its cost.
    fn set_transitions(&mut self, mut edges: Vec<(u32, u32, Cost)>) {
        let nodes = self.first[self.first.len() - 1] as usize;
        edges.sort_unstable();
        edges.dedup_by_key(|edge| (edge.0, edge.1));
        self.ends = vec![0; nodes + 1];
        edges.iter().for_each(|edge| self.ends[edge.0 as usize + 1] += 1);
        (0..nodes).for_each(|node| self.ends[node + 1] += self.ends[node]);
        self.from = edges.into_iter().map(|(_, before, cost)| (before, cost)).collect();
    }

    /// Returns the cost from each abstract state to one of the sets.
    fn distances(&self, sets: &[usize]) -> Vec<Cost> {
        let goals: Vec<u32> = sets.iter().flat_map(|&set| self.nodes_of(set)).collect();
        dijkstra(&self.ends, &self.from, &goals)
    }
}
