//! Classes of tokens, found from the effects of actions.

use rustc_hash::FxHashMap;

use super::matching::MAX_TOKENS;
use super::mutex::Literal;
use super::packed::{Assignment, FiniteDomainTask, FluentEncoding, NewValue, Operator};
use super::{Fluent, Task};
use crate::search::Cost;

/// Maximum domain size of the context.
const MAX_CONTEXTS: usize = 1024;
/// Maximum number of fluents in a class.
const MAX_POSITIONS: usize = 4096;

/// Fluents that actions only exchange one for another. A position is an index of `positions`.
pub struct TokenClass {
    pub positions: Vec<Assignment>,
    pub goals: Vec<u16>,
    /// The number of context values; 1 without a context.
    pub contexts: usize,
    context: Option<u32>,
    /// For each context value and position, true if mutexes exclude that both hold.
    excluded: Vec<bool>,
    pub walks: Vec<ContextWalk>,
    pub moves: Vec<TokenMove>,
}

/// A change of the context that is free in the abstraction, unless a token is at one of `blockers`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextWalk {
    pub from: usize,
    pub to: usize,
    pub blockers: Vec<u16>,
}

/// An action that moves a token.
pub struct TokenMove {
    pub from: u16,
    pub to: u16,
    /// The context value before and after the action.
    pub context: usize,
    pub new_context: usize,
    /// Positions at which no other token may be.
    pub blockers: Vec<u16>,
    pub cost: Cost,
}

/// The fluents that an operator replaces or changes otherwise.
#[derive(Default)]
struct Exchanges {
    /// The fluents that it replaces, with those by which it replaces them.
    pairs: Vec<(Fluent, Fluent)>,
    /// Fluents that are no tokens, because it adds or removes them in another way.
    others: Vec<Fluent>,
}

impl Exchanges {
    fn of(fdr: &FiniteDomainTask, task: &Task, operator: &Operator) -> Exchanges {
        let action = &task.actions[operator.action as usize];
        let needs = |fluent: Fluent| action.precondition.holds.contains(&fluent);
        let variable = |fluent: Fluent| match fdr.encodings[fluent as usize] {
            FluentEncoding::Value { variable, .. } => Some(variable),
            FluentEncoding::Never | FluentEncoding::Always => None,
        };
        let adds = |fluent: Fluent| action.effects.iter().any(|effect| effect.holds && effect.fluent == fluent);
        let (mut exchanges, mut removed, mut added) = (Exchanges::default(), Vec::new(), Vec::new());
        for effect in action.effects.iter().filter(|effect| variable(effect.fluent).is_some()) {
            let fluent = effect.fluent;
            match (effect.condition, effect.holds) {
                (Some(_), _) => exchanges.others.push(fluent),
                (None, true) if needs(fluent) => {}
                (None, true) => added.push(fluent),
                (None, false) if adds(fluent) || action.precondition.fails.contains(&fluent) => {}
                (None, false) if needs(fluent) => removed.push(fluent),
                (None, false) => exchanges.others.push(fluent),
            }
        }
        removed.sort_unstable();
        removed.dedup();
        added.sort_unstable();
        added.dedup();
        // A variable changes its value.
        removed.retain(|&fluent| {
            let at = added.iter().position(|&other| variable(other) == variable(fluent));
            at.inspect(|&at| exchanges.pairs.push((fluent, added.remove(at)))).is_none()
        });
        match (&removed[..], &added[..]) {
            (&[from], &[to]) => exchanges.pairs.push((from, to)),
            _ => exchanges.others.extend(removed.iter().chain(&added)),
        }
        exchanges
    }
}

/// Finds the classes with a goal for each token.
pub fn token_classes(fdr: &FiniteDomainTask, task: &Task) -> Vec<TokenClass> {
    let exchanges: Vec<Exchanges> = fdr.actions.iter().map(|operator| Exchanges::of(fdr, task, operator)).collect();
    let class_of = connected(task.fluents, exchanges.iter().flat_map(|exchange| &exchange.pairs));
    let mut is_class: Vec<bool> = vec![true; task.fluents];
    for exchange in &exchanges {
        exchange.others.iter().for_each(|&fluent| is_class[class_of[fluent as usize] as usize] = false);
        let mut moved: Vec<Fluent> = exchange.pairs.iter().map(|&(from, _)| class_of[from as usize]).collect();
        moved.sort_unstable();
        // An action moves at most one token of a class.
        moved.windows(2).filter(|pair| pair[0] == pair[1]).for_each(|pair| is_class[pair[0] as usize] = false);
    }
    let count = |fluents: &[Fluent]| -> FxHashMap<Fluent, usize> {
        let mut counts = FxHashMap::default();
        fluents.iter().for_each(|&fluent| *counts.entry(class_of[fluent as usize]).or_default() += 1);
        counts
    };
    let (tokens, goals) = (count(&task.start), count(&task.goal.holds));
    let mut classes: Vec<Fluent> = goals
        .into_iter()
        .filter(|&(class, goals)| is_class[class as usize] && goals <= MAX_TOKENS && tokens.get(&class) == Some(&goals))
        .map(|(class, _)| class)
        .collect();
    classes.sort_unstable();
    let mut paid = vec![false; fdr.actions.len()];
    let mut found = Vec::new();
    for class in classes {
        let members: Vec<Fluent> =
            (0..task.fluents as Fluent).filter(|&fluent| class_of[fluent as usize] == class).collect();
        let moved: Vec<Option<(Fluent, Fluent)>> = exchanges
            .iter()
            .map(|exchange| exchange.pairs.iter().find(|(from, _)| class_of[*from as usize] == class).copied())
            .collect();
        if let Some(class) = TokenClass::of(fdr, task, &members, &moved, &paid) {
            found.push(class);
            paid.iter_mut().zip(&moved).for_each(|(paid, moved)| *paid |= moved.is_some());
        }
    }
    found
}

/// Returns, for each number, the least number of its connected component.
fn connected<'a>(count: usize, pairs: impl Iterator<Item = &'a (Fluent, Fluent)>) -> Vec<Fluent> {
    let mut component: Vec<Fluent> = (0..count as Fluent).collect();
    let root = |component: &[Fluent], mut at: Fluent| {
        while component[at as usize] != at {
            at = component[at as usize];
        }
        at
    };
    for &(one, other) in pairs {
        let [one, other] = [one, other].map(|at| root(&component, at));
        component[one.max(other) as usize] = one.min(other);
    }
    (0..count as Fluent).map(|at| root(&component, at)).collect()
}

impl TokenClass {
    /// `moved` has the exchange of each operator in this class. The moves of operators in `paid`
    /// cost nothing here.
    fn of(
        fdr: &FiniteDomainTask,
        task: &Task,
        members: &[Fluent],
        moved: &[Option<(Fluent, Fluent)>],
        paid: &[bool],
    ) -> Option<TokenClass> {
        let mut positions = Vec::new();
        let mut position_of: FxHashMap<Fluent, u16> = FxHashMap::default();
        for &fluent in members {
            let FluentEncoding::Value { variable, value } = fdr.encodings[fluent as usize] else { return None };
            position_of.insert(fluent, positions.len() as u16);
            positions.push((variable, value));
        }
        if positions.len() > MAX_POSITIONS {
            return None;
        }
        let goals = task.goal.holds.iter().filter_map(|goal| position_of.get(goal).copied()).collect();
        let context = most_required(fdr, &positions, moved);
        let contexts = context.map_or(1, |variable| fdr.variables[variable as usize].values());
        let excluded = exclusions(fdr, context, members);
        let mut class =
            TokenClass { positions, goals, contexts, context, excluded, walks: Vec::new(), moves: Vec::new() };
        for ((operator, moved), &is_paid) in fdr.actions.iter().zip(moved).zip(paid) {
            let fails = &task.actions[operator.action as usize].precondition.fails;
            let from = moved.map(|(from, _)| position_of[&from]);
            let mut blockers: Vec<u16> = fails.iter().filter_map(|fluent| position_of.get(fluent).copied()).collect();
            blockers.retain(|&position| Some(position) != from);
            let required = |variable: u32| {
                let need = operator.precondition.values.iter().find(|need| need.0 == variable);
                need.map(|need| need.1 as usize)
            };
            let before = context.and_then(required);
            let table = context.map_or(vec![0], |variable| new_values(operator, variable, contexts));
            if let Some((from, to)) = moved.map(|(from, to)| (position_of[&from], position_of[&to])) {
                let cost = if is_paid { 0 } else { operator.cost };
                let sources: Vec<usize> = before.map_or((0..contexts).collect(), |before| vec![before]);
                for context in sources {
                    let (new_context, blockers) = (table[context], blockers.clone());
                    class.moves.push(TokenMove { from, to, context, new_context, blockers, cost });
                }
                // The token may be one that the abstraction forgets.
                blockers.extend([from, to]);
            }
            blockers.sort_unstable();
            blockers.dedup();
            for (from, &to) in table.iter().enumerate().filter(|&(from, &to)| from != to) {
                if before.is_none_or(|before| before == from) {
                    class.walks.push(ContextWalk { from, to, blockers: blockers.clone() });
                }
            }
        }
        class.drop_redundant_walks();
        Some(class)
    }

    /// Drops walks that are possible only where another one between the same values is.
    fn drop_redundant_walks(&mut self) {
        self.walks.sort_unstable_by(|one, other| {
            (one.from, one.to, one.blockers.len(), &one.blockers).cmp(&(
                other.from,
                other.to,
                other.blockers.len(),
                &other.blockers,
            ))
        });
        let mut kept: Vec<ContextWalk> = Vec::new();
        for walk in self.walks.drain(..) {
            let mut same = kept.iter().rev().take_while(|other| (other.from, other.to) == (walk.from, walk.to));
            if !same.any(|other| other.blockers.iter().all(|position| walk.blockers.contains(position))) {
                kept.push(walk);
            }
        }
        self.walks = kept;
    }

    /// Returns true if no token can be at the position while the context has the value.
    #[inline]
    pub fn excludes(&self, context: usize, position: u16) -> bool {
        self.excluded[context * self.positions.len() + usize::from(position)]
    }

    #[inline]
    pub fn context_of(&self, fdr: &FiniteDomainTask, state: &[u64]) -> usize {
        self.context.map_or(0, |variable| fdr.variables[variable as usize].value(state))
    }
}

/// Returns the variable outside the class that most moves of its tokens require.
fn most_required(fdr: &FiniteDomainTask, positions: &[Assignment], moved: &[Option<(Fluent, Fluent)>]) -> Option<u32> {
    let mut counts = vec![0; fdr.variables.len()];
    for (operator, _) in fdr.actions.iter().zip(moved).filter(|(_, moved)| moved.is_some()) {
        operator.precondition.values.iter().for_each(|need| counts[need.0 as usize] += 1);
    }
    positions.iter().for_each(|&(variable, _)| counts[variable as usize] = 0);
    let conditional = fdr.actions.iter().flat_map(|operator| &operator.conditional);
    conditional.for_each(|effect| counts[effect.fluent.0 as usize] = 0);
    let fits = |variable: u32| (3..=MAX_CONTEXTS).contains(&fdr.variables[variable as usize].values());
    let candidates = (0..).zip(&counts).filter(|&(variable, &count)| count > 0 && fits(variable));
    candidates.max_by_key(|&(variable, count)| (count, std::cmp::Reverse(variable))).map(|(variable, _)| variable)
}

/// Returns, for each value of the context and each member, whether they exclude each other.
fn exclusions(fdr: &FiniteDomainTask, context: Option<u32>, members: &[Fluent]) -> Vec<bool> {
    let none = vec![false; members.len()];
    let Some(variable) = context else { return none };
    let excludes = |one: Fluent, other: Fluent| {
        let [one, other] = [one, other].map(|fluent| Literal::of(fluent, true));
        fdr.mutexes.as_ref().is_some_and(|mutexes| !mutexes.compatible(one, other))
    };
    let field = &fdr.variables[variable as usize];
    let is_cleared = fdr.actions.iter().flat_map(|operator| &operator.changes).any(|change| {
        change.variable == variable
            && match &change.to {
                NewValue::Value(to) => *to == 0,
                NewValue::Table(values) => values.contains(&0),
            }
    });
    // Value 0 does not occur if the variable has another value at the start and is never cleared.
    let has_value = field.value(&fdr.start) != 0 && !is_cleared;
    let rows = field.fluents.iter().flat_map(|&one| members.iter().map(move |&other| excludes(one, other)));
    none.iter().map(|_| has_value).chain(rows).collect()
}

/// Returns the value of a variable after an operator, for each value before it.
fn new_values(operator: &Operator, variable: u32, count: usize) -> Vec<usize> {
    let change = operator.changes.iter().find(|change| change.variable == variable);
    (0..count)
        .map(|old| match change.map(|change| &change.to) {
            None => old,
            Some(NewValue::Value(to)) => *to as usize,
            Some(NewValue::Table(values)) => values[old] as usize,
        })
        .collect()
}
