//! The search space of a finite-domain task.

use std::ops::ControlFlow;

use base::diagnostic::Diagnostic;
use base::stop::CancelToken;
use rustc_hash::FxHashSet;

use super::heuristic::HeuristicFn;
use super::invariant::Invariant;
use super::packed::{
    ConditionalEffect, FiniteDomainTask, FluentEncoding, MaskedBits, NewValue, Operator, Precondition, State,
    UnsolvableGoal,
};
use super::pattern::PatternCache;
use super::walks::Walks;
use super::{Fluent, Task};
use crate::cache::Cache;
use crate::search::{Cost, Plan, Space, Step};

/// Maximum size of a symmetry group; larger ones are ignored, because canonicalisation computes
/// every image.
const MAX_SYMMETRIES: usize = 256;

/// The error if a state takes more words than the widest packed state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    pub words: usize,
}

/// The states that a search represents by one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Each state only itself.
    None,
    /// States that are symmetric.
    Symmetries,
    /// States that are symmetric; without symmetries, a walk and the action after it are one step.
    Walks,
}

/// A computation that is generic over the width of the states.
pub trait WithSpace {
    type Output;
    fn run<const W: usize>(self, space: PackedSpace<'_, W>) -> Self::Output;
}

/// A task prepared for searching.
pub struct SearchTask {
    fdr: FiniteDomainTask,
    task: Task,
    /// The symmetry group without the identity.
    symmetries: Vec<Vec<Fluent>>,
    pub(super) pattern_cache: PatternCache,
}

impl SearchTask {
    /// Prepares a task for searching.
    ///
    /// # Errors
    /// A state takes more than 64 words.
    pub fn of(task: Task, stop: &CancelToken) -> Result<SearchTask, TooLarge> {
        const WIDEST: usize = 64;
        let symmetries = group_closure(&task.symmetries);
        let fdr = FiniteDomainTask::of(&task, &symmetries, stop);
        match fdr.words {
            words if words > WIDEST => Err(TooLarge { words }),
            _ => Ok(SearchTask { fdr, task, symmetries, pattern_cache: PatternCache::default() }),
        }
    }

    /// Sets the cache for pattern databases.
    pub fn with_cache(self, cache: Cache) -> SearchTask {
        SearchTask { pattern_cache: PatternCache { cache, ..PatternCache::default() }, ..self }
    }

    /// Drains the warnings about damaged cached tables.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.pattern_cache.warnings.lock())
    }

    pub(super) fn fdr(&self) -> &FiniteDomainTask {
        &self.fdr
    }

    pub(super) fn task(&self) -> &Task {
        &self.task
    }

    /// The packed start.
    pub fn start(&self) -> &[u64] {
        &self.fdr.start
    }

    /// Returns true if each action costs 1.
    pub fn has_unit_costs(&self) -> bool {
        self.task.actions.iter().all(|action| action.cost == 1)
    }

    pub fn unsolvable_goal(&self) -> Option<UnsolvableGoal> {
        self.fdr.unsolvable_goal
    }

    /// Finds a linear invariant that differs between the start and the goal.
    pub fn invariant(&self, stop: &CancelToken) -> Option<Invariant> {
        Invariant::of(&self.fdr, stop)
    }

    /// Returns true if a search may treat walks and the actions after them as one step.
    pub fn has_walks(&self) -> bool {
        self.symmetries.is_empty() && Walks::of(&self.fdr).is_some()
    }

    /// Returns true if no action is free.
    pub fn has_positive_costs(&self) -> bool {
        self.fdr.actions.iter().all(|action| action.cost > 0)
    }

    /// Returns the fluents that hold in the goal, if it is a single state.
    pub fn goal_state(&self) -> Option<Vec<Fluent>> {
        let FiniteDomainTask { goal, variables, encodings, .. } = &self.fdr;
        let is_single_state = goal.values.len() == variables.len() && self.unsolvable_goal().is_none();
        let holds = |place: &FluentEncoding| match *place {
            FluentEncoding::Never => false,
            FluentEncoding::Always => true,
            FluentEncoding::Value { variable, value } => goal.values.contains(&(variable, value)),
        };
        is_single_state
            .then(|| (0..).zip(encodings).filter(|(_, place)| holds(place)).map(|(fluent, _)| fluent).collect())
    }

    /// Returns true if the task can be searched backwards: the goal is a single state, and each
    /// action is invertible and costs 1.
    pub fn supports_bidirectional(&self) -> bool {
        let FiniteDomainTask { goal, variables, actions, .. } = &self.fdr;
        goal.values.len() == variables.len()
            && self.unsolvable_goal().is_none()
            && actions.iter().all(|action| action.cost == 1 && inverse(action, &self.fdr).is_some())
    }

    /// Returns true if the inverse of each action is an action.
    pub fn is_reversible(&self) -> bool {
        let actions = &self.fdr.actions;
        let undoes = |back: &Operator, action: &Operator| {
            back.precondition == action.precondition && back.changes == action.changes
        };
        actions.iter().all(|action| {
            inverse(action, &self.fdr).is_some_and(|back| actions.iter().any(|other| undoes(&back, other)))
        })
    }

    /// Runs a computation on the space with the given heuristic and reduction.
    pub fn run<R: WithSpace>(&self, estimates: &dyn HeuristicFn, reduction: Reduction, run: R) -> R::Output {
        let symmetries = if reduction == Reduction::None { &[] } else { &self.symmetries[..] };
        let has_walks = reduction == Reduction::Walks && symmetries.is_empty();
        let walks = if has_walks { Walks::of(&self.fdr) } else { None };
        let (start, goal) = (&self.fdr.start, &self.fdr.goal);
        let actions = self.fdr.actions.clone();
        let parts = SpaceParts { fdr: &self.fdr, start, goal, actions, symmetries, walks, estimates };
        match self.fdr.words {
            1 => run.run(PackedSpace::<1>::of(parts)),
            2 => run.run(PackedSpace::<2>::of(parts)),
            3..=4 => run.run(PackedSpace::<4>::of(parts)),
            5..=16 => run.run(PackedSpace::<16>::of(parts)),
            _ => run.run(PackedSpace::<64>::of(parts)),
        }
    }
}

/// The data from which a space is built.
struct SpaceParts<'a, 'b> {
    fdr: &'a FiniteDomainTask,
    start: &'b [u64],
    goal: &'b Precondition,
    actions: Vec<Operator>,
    symmetries: &'b [Vec<Fluent>],
    walks: Option<Walks>,
    estimates: &'a dyn HeuristicFn,
}

/// Returns the group generated by `symmetries`, without the identity, or an empty list if it is too
/// large.
fn group_closure(symmetries: &[Vec<Fluent>]) -> Vec<Vec<Fluent>> {
    let Some(first) = symmetries.first() else { return Vec::new() };
    let identity: Vec<Fluent> = (0..first.len() as Fluent).collect();
    let mut known = FxHashSet::from_iter([identity.clone()]);
    let mut open = vec![identity.clone()];
    while let Some(symmetry) = open.pop() {
        for generator in symmetries {
            let product: Vec<Fluent> = symmetry.iter().map(|&fluent| generator[fluent as usize]).collect();
            if known.insert(product.clone()) {
                open.push(product);
            }
            if known.len() > MAX_SYMMETRIES {
                return Vec::new();
            }
        }
    }
    known.remove(&identity);
    let mut known: Vec<Vec<Fluent>> = known.into_iter().collect();
    known.sort_unstable();
    known
}

/// Returns the inverse of an operator, if it is invertible.
fn inverse(action: &Operator, fdr: &FiniteDomainTask) -> Option<Operator> {
    if !action.conditional.is_empty() {
        return None;
    }
    let Operator { precondition: mut needs, mut changes, .. } = action.clone();
    for change in &mut changes {
        let variable = change.variable;
        match &mut change.to {
            NewValue::Value(to) => {
                let need = needs.values.iter_mut().find(|need| need.0 == variable)?;
                std::mem::swap(&mut need.1, to);
            }
            NewValue::Table(values) => {
                let mut back = vec![u32::MAX; fdr.variables[variable as usize].values()];
                (0..).zip(&*values).for_each(|(old, &new)| back[new as usize] = old);
                if back.contains(&u32::MAX) {
                    return None;
                }
                needs
                    .excluded
                    .iter_mut()
                    .filter(|need| need.0 == variable)
                    .for_each(|need| need.1 = values[need.1 as usize]);
                *values = back;
            }
        }
    }
    // If a value is required, excluded values of the same variable are redundant.
    needs.excluded.retain(|other| !needs.values.iter().any(|need| need.0 == other.0));
    Some(Operator { precondition: needs, changes, ..action.clone() })
}

/// A field whose new value is looked up in a table.
struct Lookup {
    word: u32,
    shift: u32,
    mask: u64,
    /// Index in `tables` of its first new value. The values are shifted to the position of the
    /// field.
    first: u32,
}

/// An operator compiled to word operations.
struct CompiledOperator {
    action: u32,
    cost: Cost,
    /// Values that the state must not have.
    excluded: Vec<MaskedBits>,
    /// For each word that constants are written to, the bits to clear and to set.
    writes: Vec<MaskedBits>,
    lookups: Vec<Lookup>,
    /// Conditional effects: the condition, the fluent, and true if it is set.
    conditional: Vec<(Option<MaskedBits>, MaskedBits, bool)>,
}

/// Node of the successor generator: the actions whose required values are all matched, and the
/// variable on which the node branches.
#[derive(Default)]
struct SuccessorTree {
    actions: Vec<u32>,
    variable: usize,
    /// The child for each value of the variable; 0 if there is none.
    by_value: Vec<u32>,
    /// The child for the actions that do not depend on the variable; 0 if there is none.
    any: u32,
}

/// The images of some adjacent fields under a symmetry, indexed by the bits of the fields.
struct SymmetryTable<const W: usize> {
    word: usize,
    shift: u32,
    mask: u64,
    images: Vec<[u64; W]>,
}

/// The packed states of a task and the transitions between them.
pub struct PackedSpace<'a, const W: usize> {
    fdr: &'a FiniteDomainTask,
    start: State<W>,
    goal: Vec<MaskedBits>,
    not_goal: Vec<MaskedBits>,
    actions: Vec<CompiledOperator>,
    tables: Vec<u64>,
    nodes: Vec<SuccessorTree>,
    symmetries: Vec<Vec<SymmetryTable<W>>>,
    walks: Option<Walks>,
    estimates: &'a dyn HeuristicFn,
}

impl<'a, const W: usize> PackedSpace<'a, W> {
    fn of(parts: SpaceParts<'a, '_>) -> Self {
        let SpaceParts { fdr, start, goal, actions, symmetries, walks, estimates } = parts;
        let mut tables = Vec::new();
        let bits = |&(variable, value): &(u32, u32)| fdr.variables[variable as usize].bits(value);
        let compiled = actions.iter().map(|action| {
            let (mut writes, mut lookups) = (Vec::<MaskedBits>::new(), Vec::new());
            for change in &action.changes {
                let field = &fdr.variables[change.variable as usize];
                match &change.to {
                    NewValue::Value(value) => {
                        let found = bits(&(change.variable, *value));
                        match writes.iter_mut().find(|known| known.word == found.word) {
                            Some(known) => {
                                known.mask |= found.mask;
                                known.value |= found.value;
                            }
                            None => writes.push(found),
                        }
                    }
                    NewValue::Table(values) => {
                        let first = tables.len() as u32;
                        tables.extend(values.iter().map(|&value| u64::from(value) << field.shift));
                        lookups.push(Lookup { word: field.word as u32, shift: field.shift, mask: field.mask, first });
                    }
                }
            }
            let compile_effect =
                |effect: &ConditionalEffect| (effect.condition.as_ref().map(bits), bits(&effect.fluent), effect.holds);
            CompiledOperator {
                action: action.action,
                cost: action.cost,
                excluded: action.precondition.excluded.iter().map(bits).collect(),
                writes,
                lookups,
                conditional: action.conditional.iter().map(compile_effect).collect(),
            }
        });
        let compiled = compiled.collect();
        let mut nodes = vec![SuccessorTree::default()];
        let all: Vec<PendingAction<'_>> =
            (0..).zip(actions.iter().map(|action| action.precondition.values.as_slice())).collect();
        insert(&mut nodes, 0, all, fdr);
        let symmetries = symmetries.iter().map(|symmetry| symmetry_tables(fdr, symmetry)).collect();
        let (goal, not_goal) = (goal.values.iter().map(bits).collect(), goal.excluded.iter().map(bits).collect());
        let start = State(widen(start));
        PackedSpace { fdr, start, goal, not_goal, actions: compiled, tables, nodes, symmetries, walks, estimates }
    }

    /// Returns the space that is searched backwards from the goal, which must be a single state.
    pub fn backwards(&self) -> PackedSpace<'a, W> {
        let fdr = self.fdr;
        let mut goal = vec![0; fdr.words];
        for &(variable, value) in &fdr.goal.values {
            let field = &fdr.variables[variable as usize];
            goal[field.word] |= u64::from(value) << field.shift;
        }
        let actions = fdr.actions.iter().filter_map(|action| inverse(action, fdr)).collect();
        let never = Precondition::default();
        let (symmetries, walks) = (&[], None);
        let parts =
            SpaceParts { fdr, start: &goal, goal: &never, actions, symmetries, walks, estimates: self.estimates };
        PackedSpace::of(parts)
    }

    #[inline]
    fn after(&self, state: &State<W>, action: &CompiledOperator) -> State<W> {
        let mut next = *state;
        for write in &action.writes {
            let word = &mut next.0[write.word as usize % W];
            *word = *word & !write.mask | write.value;
        }
        for &Lookup { word, shift, mask, first } in &action.lookups {
            let value = state.0[word as usize % W] >> shift & mask;
            let word = &mut next.0[word as usize % W];
            *word = *word & !(mask << shift) | self.tables[first as usize + value as usize];
        }
        for &(condition, fluent, holds) in &action.conditional {
            if condition.is_none_or(|condition| state.has(condition)) && (holds || next.has(fluent)) {
                let word = &mut next.0[fluent.word as usize % W];
                *word = *word & !fluent.mask | if holds { fluent.value } else { 0 };
            }
        }
        next
    }

    /// Returns the minimum of the images of a state under the symmetries, or of the states that
    /// differ by free walks.
    #[inline]
    fn canonical(&self, state: State<W>) -> State<W> {
        if let Some(walks) = &self.walks {
            return walks.representative(&state);
        }
        let mut least = state;
        for symmetry in &self.symmetries {
            let mut image = [0; W];
            for SymmetryTable { word, shift, mask, images } in symmetry {
                let of = &images[(state.0[*word] >> shift & mask) as usize];
                image.iter_mut().zip(of).for_each(|(image, of)| *image |= of);
            }
            if image < least.0 {
                least = State(image);
            }
        }
        least
    }

    /// Calls `visit` for each applicable operator and the state after it.
    #[inline]
    fn for_each_successor(
        &self,
        state: &State<W>,
        mut visit: impl FnMut(&CompiledOperator, State<W>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut open = [0; 64];
        let mut waiting = 1;
        let mut beyond = Vec::new();
        while waiting > 0 {
            waiting -= 1;
            let mut at = open[waiting];
            // Follow the chain of actions that do not depend on the branching variables.
            loop {
                let node = &self.nodes[at as usize];
                for &action in &node.actions {
                    let action = &self.actions[action as usize];
                    if action.excluded.iter().all(|&other| !state.has(other)) {
                        visit(action, self.after(state, action))?;
                    }
                }
                if let Some(&next) =
                    node.by_value.get(self.fdr.variables.get(node.variable).map_or(0, |field| field.value(&state.0)))
                    && next != 0
                {
                    if waiting < open.len() {
                        open[waiting] = next;
                        waiting += 1;
                    } else {
                        beyond.push(next);
                    }
                }
                at = node.any;
                if at == 0 {
                    break;
                }
            }
            if waiting == 0
                && let Some(next) = beyond.pop()
            {
                open[0] = next;
                waiting = 1;
            }
        }
        ControlFlow::Continue(())
    }

    /// Translates a plan over canonical states into a plan for the start itself.
    pub fn unfold(&self, plan: Plan<u32>) -> Plan<u32> {
        if let Some(walks) = &self.walks {
            return self.with_walks(plan, walks);
        }
        if self.symmetries.is_empty() {
            return plan;
        }
        let (mut state, mut least) = (self.start, self.canonical(self.start));
        let mut moves = Vec::with_capacity(plan.moves.len());
        for &action in &plan.moves {
            let mut target = None;
            let _ = self.for_each_successor(&least, |taken, next| {
                if taken.action != action {
                    return ControlFlow::Continue(());
                }
                target = Some((self.canonical(next), taken.cost));
                ControlFlow::Break(())
            });
            let (target, cost) = target.expect("the action was taken there");
            let mut found = None;
            let _ = self.for_each_successor(&state, |taken, next| {
                if taken.cost != cost || self.canonical(next) != target {
                    return ControlFlow::Continue(());
                }
                found = Some((taken.action, next));
                ControlFlow::Break(())
            });
            let (action, next) = found.expect("symmetries map actions to actions");
            moves.push(action);
            (state, least) = (next, target);
        }
        Plan { moves, ..plan }
    }

    /// Inserts the walks into a plan without them.
    fn with_walks(&self, plan: Plan<u32>, walks: &Walks) -> Plan<u32> {
        let mut state = self.start;
        let mut moves = Vec::with_capacity(plan.moves.len());
        for &action in &plan.moves {
            let number = self.actions.iter().position(|operator| operator.action == action);
            let number = number.expect("the plan consists of operators");
            let (path, before) = walks.walk_to(&state, number as u32).expect("the operator was applied after a walk");
            moves.extend(path.iter().map(|&walk| self.actions[walk as usize].action));
            moves.push(action);
            state = self.after(&before, &self.actions[number]);
        }
        Plan { moves, ..plan }
    }
}

fn widen<const W: usize>(words: &[u64]) -> [u64; W] {
    std::array::from_fn(|word| words.get(word).copied().unwrap_or(0))
}

/// Inserts actions, with their unmatched required values, below a node.
fn insert(nodes: &mut Vec<SuccessorTree>, at: usize, actions: Vec<PendingAction<'_>>, fdr: &FiniteDomainTask) {
    let (ready, rest): (Vec<_>, Vec<_>) = actions.into_iter().partition(|(_, needs)| needs.is_empty());
    nodes[at].actions = ready.into_iter().map(|(action, _)| action).collect();
    let Some(variable) = rest.iter().map(|(_, needs)| needs[0].0).min() else { return };
    let (with, without): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, needs)| needs[0].0 == variable);
    let values = fdr.variables[variable as usize].values();
    let mut by_value: Vec<Vec<PendingAction<'_>>> = vec![Vec::new(); values];
    with.into_iter().for_each(|(action, needs)| by_value[needs[0].1 as usize].push((action, &needs[1..])));
    nodes[at].variable = variable as usize;
    let mut below = Vec::with_capacity(values);
    for actions in by_value {
        below.push(child(nodes, actions, fdr));
    }
    nodes[at].by_value = below;
    nodes[at].any = child(nodes, without, fdr);
}

/// An action, and its required values that no ancestor has matched.
type PendingAction<'a> = (u32, &'a [(u32, u32)]);

fn child(nodes: &mut Vec<SuccessorTree>, actions: Vec<PendingAction<'_>>, fdr: &FiniteDomainTask) -> u32 {
    if actions.is_empty() {
        return 0;
    }
    nodes.push(SuccessorTree::default());
    let at = nodes.len() - 1;
    insert(nodes, at, actions, fdr);
    at as u32
}

/// Returns tables of the images of all fields under a symmetry, one for each group of adjacent
/// fields.
fn symmetry_tables<const W: usize>(fdr: &FiniteDomainTask, symmetry: &[Fluent]) -> Vec<SymmetryTable<W>> {
    const MAX_BITS: u32 = 10;
    let mut tables: Vec<SymmetryTable<W>> = Vec::new();
    for field in &fdr.variables {
        let bits = field.mask.count_ones();
        let joins = |last: &&mut SymmetryTable<W>| last.word == field.word && last.mask.count_ones() + bits <= MAX_BITS;
        // The fields of one word are contiguous, but the iteration may alternate between words.
        let table =
            match tables.iter_mut().find(|last| joins(last) && last.shift + last.mask.count_ones() == field.shift) {
                Some(last) => last,
                None => {
                    let images = vec![[0; W]];
                    tables.push(SymmetryTable { word: field.word, shift: field.shift, mask: 0, images });
                    tables.last_mut().expect("it was pushed")
                }
            };
        let of_value = |value: usize| {
            let fluent = value.checked_sub(1).and_then(|value| field.fluents.get(value));
            widen::<W>(&fdr.pack(fluent.map(|&fluent| symmetry[fluent as usize]).as_slice()))
        };
        let before = table.images.clone();
        table.images = (0..=field.mask as usize)
            .flat_map(|value| {
                let image = of_value(value);
                before.iter().map(move |other| std::array::from_fn(|word| other[word] | image[word]))
            })
            .collect();
        table.mask = table.mask << bits | field.mask;
    }
    tables
}

impl<const W: usize> Space for PackedSpace<'_, W> {
    const LAZY_HEURISTIC: bool = true;
    const USE_TRANSPOSITION_TABLE: bool = true;
    type State = State<W>;
    type Move = u32;
    type Pruning = ();

    fn start(&self) -> State<W> {
        self.canonical(self.start)
    }

    fn is_goal(&self, state: &State<W>) -> bool {
        self.fdr.unsolvable_goal.is_none()
            && self.goal.iter().all(|&bits| state.has(bits))
            && !self.not_goal.iter().any(|&bits| state.has(bits))
    }

    fn initial_pruning(&self, _: &State<W>) {}

    fn successors(
        &self,
        state: &State<W>,
        (): (),
        budget: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut arrive = |action: &CompiledOperator, next: State<W>, walked: Cost| {
            if next == *state {
                return ControlFlow::Continue(());
            }
            let state = self.canonical(next);
            let estimate = if budget.is_some() { self.heuristic(&state) } else { 0 };
            visit(Step { action: action.action, cost: action.cost + walked, estimate, state, pruning: () })
        };
        match &self.walks {
            Some(walks) => walks.for_each_action(state, |number, before, walked| {
                let action = &self.actions[number as usize];
                arrive(action, self.after(&before, action), walked)
            }),
            None => self.for_each_successor(state, |action, next| arrive(action, next, 0)),
        }
    }

    fn heuristic(&self, state: &State<W>) -> Cost {
        self.estimates.estimate(&state.0)
    }

    fn tie_break(&self, state: &State<W>) -> i64 {
        self.estimates.tie_break(&state.0)
    }

    fn max_moves(&self, cost: Cost) -> u64 {
        match self.actions.iter().map(|action| action.cost).min() {
            Some(least @ 1..) => (cost / least).into(),
            _ => u64::MAX,
        }
    }
}
