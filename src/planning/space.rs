//! A packed task as a space to search.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use rustc_hash::FxHashSet;

use super::heuristic::Estimates;
use super::invariant::Invariant;
use super::packed::{Given, Needs, Obstacle, Packed, Packing, Place, State, To};
use super::pattern::Kept;
use super::{Fluent, Task};
use crate::cache::Cache;
use crate::diagnostic::Diagnostic;
use crate::search::{Cost, Plan, Space, Step};
use crate::stop::Stop;

/// More symmetries than this are none: each state is compared with all of its images.
const MOST_SYMMETRIES: usize = 256;

/// A state of the task does not fit the widest packed state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    pub words: usize,
}

/// Something to do with a space, whatever its states.
pub trait Run {
    type Output;
    fn run<const W: usize>(self, space: Actions<'_, W>) -> Self::Output;
}

/// A task that is ready to be searched.
pub struct Prepared {
    packing: Packing,
    task: Task,
    /// All of them, closed under composition, without the identity.
    symmetries: Vec<Vec<Fluent>>,
    pub(super) kept: Kept,
}

impl Prepared {
    /// # Errors
    /// The task has more variables than fit a state.
    pub fn of(task: Task, stop: &Stop) -> Result<Prepared, TooLarge> {
        const WIDEST: usize = 64;
        let symmetries = closed(&task.symmetries);
        let packing = Packing::of(&task, &symmetries, stop);
        match packing.words {
            words if words > WIDEST => Err(TooLarge { words }),
            _ => Ok(Prepared { packing, task, symmetries, kept: Kept::default() }),
        }
    }

    /// The same, with a place for tables.
    pub fn with_cache(self, cache: Cache) -> Prepared {
        Prepared { kept: Kept { cache, ..Kept::default() }, ..self }
    }

    /// Says once which of the tables that were kept are damaged.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.kept.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn packing(&self) -> &Packing {
        &self.packing
    }

    /// The packed start.
    pub fn start(&self) -> &[u64] {
        &self.packing.start
    }

    /// Whether each action costs 1.
    pub fn is_even(&self) -> bool {
        self.task.actions.iter().all(|action| action.cost == 1)
    }

    pub fn obstacle(&self) -> Option<Obstacle> {
        self.packing.obstacle
    }

    /// A sum that no action changes, and that the goal and the start do not share.
    pub fn invariant(&self, stop: &Stop) -> Option<Invariant> {
        Invariant::of(&self.packing, stop)
    }

    /// Whether no action is for nothing.
    pub fn costs_something(&self) -> bool {
        self.packing.actions.iter().all(|action| action.cost > 0)
    }

    /// The fluents of the goal, where that is one state.
    pub fn only_goal(&self) -> Option<Vec<Fluent>> {
        let Packing { goal, variables, places, .. } = &self.packing;
        let is_one = goal.values.len() == variables.len() && self.obstacle().is_none();
        let holds = |place: &Place| match *place {
            Place::Never => false,
            Place::Always => true,
            Place::Value { variable, value } => goal.values.contains(&(variable, value)),
        };
        is_one.then(|| (0..).zip(places).filter(|(_, place)| holds(place)).map(|(fluent, _)| fluent).collect())
    }

    /// Whether the task can be searched from its goal: that is one state, each action can be taken back, and costs 1.
    pub fn goes_both_ways(&self) -> bool {
        let Packing { goal, variables, actions, .. } = &self.packing;
        goal.values.len() == variables.len()
            && self.obstacle().is_none()
            && actions.iter().all(|action| action.cost == 1 && inverse(action, &self.packing).is_some())
    }

    /// Whether each action is taken back by another one.
    pub fn is_reversible(&self) -> bool {
        let actions = &self.packing.actions;
        let takes_back = |back: &Packed, action: &Packed| back.needs == action.needs && back.changes == action.changes;
        actions.iter().all(|action| {
            inverse(action, &self.packing).is_some_and(|back| actions.iter().any(|other| takes_back(&back, other)))
        })
    }

    /// Goes through the states with what estimates them.
    pub fn run<R: Run>(&self, estimates: &dyn Estimates, symmetric: bool, run: R) -> R::Output {
        let symmetries = if symmetric { &self.symmetries[..] } else { &[] };
        let (start, goal) = (&self.packing.start, &self.packing.goal);
        let actions = self.packing.actions.clone();
        let seen = Seen { packing: &self.packing, start, goal, actions, symmetries, estimates };
        match self.packing.words {
            1 => run.run(Actions::<1>::of(seen)),
            2 => run.run(Actions::<2>::of(seen)),
            3..=4 => run.run(Actions::<4>::of(seen)),
            5..=16 => run.run(Actions::<16>::of(seen)),
            _ => run.run(Actions::<64>::of(seen)),
        }
    }
}

/// What a space is made from.
struct Seen<'a, 'b> {
    packing: &'a Packing,
    start: &'b [u64],
    goal: &'b Needs,
    actions: Vec<Packed>,
    symmetries: &'b [Vec<Fluent>],
    estimates: &'a dyn Estimates,
}

/// All products of the permutations, without the identity; none if they are too many.
fn closed(symmetries: &[Vec<Fluent>]) -> Vec<Vec<Fluent>> {
    let Some(first) = symmetries.first() else { return Vec::new() };
    let identity: Vec<Fluent> = (0..first.len() as Fluent).collect();
    let mut known = FxHashSet::from_iter([identity.clone()]);
    let mut open = vec![identity.clone()];
    while let Some(one) = open.pop() {
        for other in symmetries {
            let product: Vec<Fluent> = one.iter().map(|&fluent| other[fluent as usize]).collect();
            if known.insert(product.clone()) {
                open.push(product);
            }
            if known.len() > MOST_SYMMETRIES {
                return Vec::new();
            }
        }
    }
    known.remove(&identity);
    let mut known: Vec<Vec<Fluent>> = known.into_iter().collect();
    known.sort_unstable();
    known
}

/// The action that takes this one back, if there is one.
fn inverse(action: &Packed, packing: &Packing) -> Option<Packed> {
    if !action.given.is_empty() {
        return None;
    }
    let Packed { mut needs, mut changes, .. } = action.clone();
    for change in &mut changes {
        let variable = change.variable;
        match &mut change.to {
            To::Value(to) => {
                let need = needs.values.iter_mut().find(|need| need.0 == variable)?;
                std::mem::swap(&mut need.1, to);
            }
            To::Of(values) => {
                let mut back = vec![u32::MAX; packing.variables[variable as usize].values()];
                (0..).zip(&*values).for_each(|(old, &new)| back[new as usize] = old);
                if back.contains(&u32::MAX) {
                    return None;
                }
                needs
                    .others
                    .iter_mut()
                    .filter(|need| need.0 == variable)
                    .for_each(|need| need.1 = values[need.1 as usize]);
                *values = back;
            }
        }
    }
    // A variable that must have a value before has another one after.
    needs.others.retain(|other| !needs.values.iter().any(|need| need.0 == other.0));
    Some(Packed { needs, changes, ..action.clone() })
}

/// Bits of a word that must have a value.
#[derive(Clone, Copy)]
struct Bits {
    word: u32,
    mask: u64,
    value: u64,
}

/// A field that is looked up.
struct Lookup {
    word: u32,
    shift: u32,
    mask: u64,
    /// The first of its values, where they stand in their field.
    first: u32,
}

/// Effects of an action on words.
struct Compiled {
    action: u32,
    cost: Cost,
    others: Vec<Bits>,
    /// Bits that are cleared and those that are set; in a word each.
    writes: Vec<Bits>,
    lookups: Vec<Lookup>,
    given: Vec<(Option<Bits>, Bits, bool)>,
}

/// Actions by the values that they need: those that need no more, and where to look next.
#[derive(Default)]
struct Node {
    actions: Vec<u32>,
    variable: usize,
    /// By value; 0 for none.
    by_value: Vec<u32>,
    /// Of the actions that do not need the variable.
    any: u32,
}

/// Images of some fields under a symmetry, by their bits.
struct Images<const W: usize> {
    word: usize,
    shift: u32,
    mask: u64,
    images: Vec<[u64; W]>,
}

/// The states of a task, and the actions between them.
pub struct Actions<'a, const W: usize> {
    packing: &'a Packing,
    start: State<W>,
    goal: Vec<Bits>,
    not_goal: Vec<Bits>,
    actions: Vec<Compiled>,
    tables: Vec<u64>,
    nodes: Vec<Node>,
    symmetries: Vec<Vec<Images<W>>>,
    estimates: &'a dyn Estimates,
}

impl<'a, const W: usize> Actions<'a, W> {
    fn of(seen: Seen<'a, '_>) -> Self {
        let Seen { packing, start, goal, actions, symmetries, estimates } = seen;
        let mut tables = Vec::new();
        let bits = |&(variable, value): &(u32, u32)| {
            let field = &packing.variables[variable as usize];
            Bits { word: field.word as u32, mask: field.mask << field.shift, value: u64::from(value) << field.shift }
        };
        let compiled = actions.iter().map(|action| {
            let (mut writes, mut lookups) = (Vec::<Bits>::new(), Vec::new());
            for change in &action.changes {
                let field = &packing.variables[change.variable as usize];
                match &change.to {
                    To::Value(value) => {
                        let made = bits(&(change.variable, *value));
                        match writes.iter_mut().find(|known| known.word == made.word) {
                            Some(known) => {
                                known.mask |= made.mask;
                                known.value |= made.value;
                            }
                            None => writes.push(made),
                        }
                    }
                    To::Of(values) => {
                        let first = tables.len() as u32;
                        tables.extend(values.iter().map(|&value| u64::from(value) << field.shift));
                        lookups.push(Lookup { word: field.word as u32, shift: field.shift, mask: field.mask, first });
                    }
                }
            }
            let given = |effect: &Given| (effect.condition.as_ref().map(bits), bits(&effect.fluent), effect.holds);
            Compiled {
                action: action.action,
                cost: action.cost,
                others: action.needs.others.iter().map(bits).collect(),
                writes,
                lookups,
                given: action.given.iter().map(given).collect(),
            }
        });
        let compiled = compiled.collect();
        let mut nodes = vec![Node::default()];
        let all: Vec<Waiting<'_>> = (0..).zip(actions.iter().map(|action| action.needs.values.as_slice())).collect();
        sort_in(&mut nodes, 0, all, packing);
        let symmetries = symmetries.iter().map(|symmetry| images(packing, symmetry)).collect();
        let (goal, not_goal) = (goal.values.iter().map(bits).collect(), goal.others.iter().map(bits).collect());
        let start = State(widened(start));
        Actions { packing, start, goal, not_goal, actions: compiled, tables, nodes, symmetries, estimates }
    }

    /// The same, from the goal back, where that is one state.
    pub fn backwards(&self) -> Actions<'a, W> {
        let packing = self.packing;
        let mut goal = vec![0; packing.words];
        for &(variable, value) in &packing.goal.values {
            let field = &packing.variables[variable as usize];
            goal[field.word] |= u64::from(value) << field.shift;
        }
        let actions = packing.actions.iter().filter_map(|action| inverse(action, packing)).collect();
        let never = Needs::default();
        let seen = Seen { packing, start: &goal, goal: &never, actions, symmetries: &[], estimates: self.estimates };
        Actions::of(seen)
    }

    #[inline]
    fn is(state: &State<W>, bits: Bits) -> bool {
        state.0[bits.word as usize % W] & bits.mask == bits.value
    }

    #[inline]
    fn after(&self, state: &State<W>, action: &Compiled) -> State<W> {
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
        for &(condition, fluent, holds) in &action.given {
            if condition.is_none_or(|condition| Self::is(state, condition)) && (holds || Self::is(&next, fluent)) {
                let word = &mut next.0[fluent.word as usize % W];
                *word = *word & !fluent.mask | if holds { fluent.value } else { 0 };
            }
        }
        next
    }

    /// Of its images the least.
    #[inline]
    fn least(&self, state: State<W>) -> State<W> {
        let mut least = state;
        for symmetry in &self.symmetries {
            let mut image = [0; W];
            for Images { word, shift, mask, images } in symmetry {
                let of = &images[(state.0[*word] >> shift & mask) as usize];
                image.iter_mut().zip(of).for_each(|(image, of)| *image |= of);
            }
            if image < least.0 {
                least = State(image);
            }
        }
        least
    }

    /// Each action that can be taken, by its number here, and the state after it.
    #[inline]
    fn each(&self, state: &State<W>, mut visit: impl FnMut(&Compiled, State<W>) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut open = [0; 64];
        let mut waiting = 1;
        let mut beyond = Vec::new();
        while waiting > 0 {
            waiting -= 1;
            let mut at = open[waiting];
            // Along the actions that need none of the variables.
            loop {
                let node = &self.nodes[at as usize];
                for &action in &node.actions {
                    let action = &self.actions[action as usize];
                    if action.others.iter().all(|&other| !Self::is(state, other)) {
                        visit(action, self.after(state, action))?;
                    }
                }
                if let Some(&next) = node
                    .by_value
                    .get(self.packing.variables.get(node.variable).map_or(0, |field| field.value(&state.0)))
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

    /// The plan for the start itself, where states on the way were replaced by their images.
    pub fn unfolded(&self, plan: Plan<u32>) -> Plan<u32> {
        if self.symmetries.is_empty() {
            return plan;
        }
        let (mut state, mut least) = (self.start, self.least(self.start));
        let mut moves = Vec::with_capacity(plan.moves.len());
        for &action in &plan.moves {
            let mut wanted = None;
            let _ = self.each(&least, |taken, next| {
                if taken.action != action {
                    return ControlFlow::Continue(());
                }
                wanted = Some((self.least(next), taken.cost));
                ControlFlow::Break(())
            });
            let (wanted, cost) = wanted.expect("the action was taken there");
            let mut made = None;
            let _ = self.each(&state, |taken, next| {
                if taken.cost != cost || self.least(next) != wanted {
                    return ControlFlow::Continue(());
                }
                made = Some((taken.action, next));
                ControlFlow::Break(())
            });
            let (action, next) = made.expect("symmetries map actions to actions");
            moves.push(action);
            (state, least) = (next, wanted);
        }
        Plan { moves, ..plan }
    }
}

fn widened<const W: usize>(words: &[u64]) -> [u64; W] {
    std::array::from_fn(|word| words.get(word).copied().unwrap_or(0))
}

/// Sorts actions, each with the values that it needs still, below a node.
fn sort_in(nodes: &mut Vec<Node>, at: usize, actions: Vec<Waiting<'_>>, packing: &Packing) {
    let (ready, rest): (Vec<_>, Vec<_>) = actions.into_iter().partition(|(_, needs)| needs.is_empty());
    nodes[at].actions = ready.into_iter().map(|(action, _)| action).collect();
    let Some(variable) = rest.iter().map(|(_, needs)| needs[0].0).min() else { return };
    let (with, without): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, needs)| needs[0].0 == variable);
    let values = packing.variables[variable as usize].values();
    let mut by_value: Vec<Vec<Waiting<'_>>> = vec![Vec::new(); values];
    with.into_iter().for_each(|(action, needs)| by_value[needs[0].1 as usize].push((action, &needs[1..])));
    nodes[at].variable = variable as usize;
    let mut below = Vec::with_capacity(values);
    for actions in by_value {
        below.push(child(nodes, actions, packing));
    }
    nodes[at].by_value = below;
    nodes[at].any = child(nodes, without, packing);
}

/// An action, and the values that it needs besides those that were looked at.
type Waiting<'a> = (u32, &'a [(u32, u32)]);

fn child(nodes: &mut Vec<Node>, actions: Vec<Waiting<'_>>, packing: &Packing) -> u32 {
    if actions.is_empty() {
        return 0;
    }
    nodes.push(Node::default());
    let at = nodes.len() - 1;
    sort_in(nodes, at, actions, packing);
    at as u32
}

/// The images of all fields under a symmetry, in tables of neighbouring fields.
fn images<const W: usize>(packing: &Packing, symmetry: &[Fluent]) -> Vec<Images<W>> {
    const MOST_BITS: u32 = 10;
    let mut tables: Vec<Images<W>> = Vec::new();
    for field in &packing.variables {
        let bits = field.mask.count_ones();
        let joins = |last: &&mut Images<W>| last.word == field.word && last.mask.count_ones() + bits <= MOST_BITS;
        // Fields follow each other in a word, though words may take turns.
        let table =
            match tables.iter_mut().find(|last| joins(last) && last.shift + last.mask.count_ones() == field.shift) {
                Some(last) => last,
                None => {
                    let images = vec![[0; W]];
                    tables.push(Images { word: field.word, shift: field.shift, mask: 0, images });
                    tables.last_mut().expect("it was pushed")
                }
            };
        let of_value = |value: usize| {
            let fluent = value.checked_sub(1).and_then(|value| field.fluents.get(value));
            widened::<W>(&packing.pack(fluent.map(|&fluent| symmetry[fluent as usize]).as_slice()))
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

impl<const W: usize> Space for Actions<'_, W> {
    const ESTIMATES_LATE: bool = true;
    const MEETS_AGAIN: bool = true;
    type State = State<W>;
    type Move = u32;
    type Trail = ();

    fn start(&self) -> State<W> {
        self.least(self.start)
    }

    fn is_goal(&self, state: &State<W>) -> bool {
        self.packing.obstacle.is_none()
            && self.goal.iter().all(|&bits| Self::is(state, bits))
            && !self.not_goal.iter().any(|&bits| Self::is(state, bits))
    }

    fn no_trail(&self, _: &State<W>) {}

    fn successors(
        &self,
        state: &State<W>,
        (): (),
        budget: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.each(state, |action, next| {
            if next == *state {
                return ControlFlow::Continue(());
            }
            let state = self.least(next);
            let estimate = if budget.is_some() { self.estimate(&state) } else { 0 };
            visit(Step { action: action.action, cost: action.cost, estimate, state, trail: () })
        })
    }

    fn estimate(&self, state: &State<W>) -> Cost {
        self.estimates.of(&state.0)
    }

    fn promise(&self, state: &State<W>) -> i64 {
        self.estimates.promise(&state.0)
    }

    fn most_moves(&self, cost: Cost) -> u64 {
        match self.actions.iter().map(|action| action.cost).min() {
            Some(least @ 1..) => (cost / least).into(),
            _ => u64::MAX,
        }
    }
}
