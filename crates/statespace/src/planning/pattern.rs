//! Pattern databases: the minimum cost to the goal in a projection to a few variables, for each
//! abstract state.
//!
//! Patterns grow from the goal variables along the causal dependencies of the actions (P. Haslum et
//! al., Domain-Independent Construction of Pattern Database Heuristics, AAAI 2007, choose them by
//! search). The distances of patterns are added if no action affects two of them. The heuristic is
//! the maximum of these sums.

use std::ops::ControlFlow;

use base::diagnostic::Diagnostic;
use base::stop::CancelToken;
use parking_lot::Mutex;
use sha1::{Digest, Sha1};

use super::heuristic::{HeuristicFn, add_costs};
use super::packed::{FiniteDomainTask, NewValue, Operator};
use crate::cache::Cache;
use crate::search::{Cost, UNREACHABLE, dijkstra};

/// Maximum number of states of a pattern.
const MAX_STATES: usize = 400_000;
/// Maximum number of transitions over all patterns.
const MAX_EDGES: usize = 20_000_000;
const MAX_PATTERNS: usize = 24;

/// A pattern and its goal distances.
struct Pattern {
    variables: Vec<u32>,
    /// The weight of each variable in the index of an abstract state.
    factors: Vec<usize>,
    distances: Vec<Cost>,
}

/// All patterns, and the sets of patterns whose distances are additive.
pub struct PatternDatabases<'a> {
    fdr: &'a FiniteDomainTask,
    patterns: Vec<Pattern>,
    sums: Vec<Vec<usize>>,
}

impl<'a> PatternDatabases<'a> {
    /// Builds patterns until `stop` is set or there are too many transitions.
    pub fn of(fdr: &'a FiniteDomainTask, pattern_cache: &PatternCache, stop: &CancelToken) -> PatternDatabases<'a> {
        let mut chosen = grow_patterns(fdr);
        chosen.truncate(MAX_PATTERNS);
        let mut room = MAX_EDGES;
        let built =
            chosen.into_iter().map_while(|variables| Pattern::of(fdr, variables, &mut room, pattern_cache, stop));
        let patterns: Vec<Pattern> = built.collect();
        let changed: Vec<Vec<bool>> = fdr.actions.iter().map(|action| changed_variables(fdr, action)).collect();
        let touches =
            |pattern: &Pattern, action: &Vec<bool>| pattern.variables.iter().any(|&variable| action[variable as usize]);
        let are_additive = |one: usize, other: usize| {
            !changed.iter().any(|action| touches(&patterns[one], action) && touches(&patterns[other], action))
        };
        let mut sums: Vec<Vec<usize>> = Vec::new();
        for first in 0..patterns.len() {
            let mut sum = vec![first];
            for other in (0..patterns.len()).filter(|&other| other != first) {
                if sum.iter().all(|&member| are_additive(member, other)) {
                    sum.push(other);
                }
            }
            sum.sort_unstable();
            if !sums.contains(&sum) {
                sums.push(sum);
            }
        }
        PatternDatabases { fdr, patterns, sums }
    }
}

impl HeuristicFn for PatternDatabases<'_> {
    fn estimate(&self, state: &[u64]) -> Cost {
        let mut distances = [0; MAX_PATTERNS];
        for (distance, pattern) in distances.iter_mut().zip(&self.patterns) {
            *distance = pattern.distance(self.fdr, state);
            if *distance == UNREACHABLE {
                return UNREACHABLE;
            }
        }
        let sum = |sum: &Vec<usize>| sum.iter().fold(0, |sum, &member| add_costs(sum, distances[member]));
        self.sums.iter().map(sum).max().unwrap_or(0)
    }
}

/// Returns, for each variable, whether the action may change it.
fn changed_variables(fdr: &FiniteDomainTask, action: &Operator) -> Vec<bool> {
    let mut changes = vec![false; fdr.variables.len()];
    action.changes.iter().for_each(|change| changes[change.variable as usize] = true);
    action.conditional.iter().for_each(|given| changes[given.fluent.0 as usize] = true);
    changes
}

/// Grows one pattern from each goal variable by breadth-first search over dependencies, up to the
/// maximum size.
fn grow_patterns(fdr: &FiniteDomainTask) -> Vec<Vec<u32>> {
    let variables = fdr.variables.len();
    // Variables with conditional effects that depend on other variables are excluded.
    let mut is_ignored = vec![false; variables];
    fdr.actions
        .iter()
        .flat_map(|action| &action.conditional)
        .for_each(|given| is_ignored[given.fluent.0 as usize] = true);
    let mut needed_by: Vec<Vec<u32>> = vec![Vec::new(); variables];
    for action in &fdr.actions {
        for change in &action.changes {
            let needs = action.precondition.values.iter().chain(&action.precondition.excluded).map(|need| need.0);
            let co_changed = action.changes.iter().map(|other| other.variable);
            needed_by[change.variable as usize].extend(needs.chain(co_changed));
        }
    }
    for needs in &mut needed_by {
        needs.sort_unstable();
        needs.dedup();
    }
    let mut goals: Vec<u32> = fdr.goal.values.iter().chain(&fdr.goal.excluded).map(|need| need.0).collect();
    goals.sort_unstable();
    goals.dedup();
    goals.retain(|&goal| !is_ignored[goal as usize]);
    let mut patterns: Vec<Vec<u32>> = Vec::new();
    for (number, &goal) in goals.iter().enumerate() {
        let (mut pattern, mut states) = (vec![goal], fdr.variables[goal as usize].values());
        let (mut visited, mut at) = (vec![goal], 0);
        let later = goals[number..].iter().chain(&goals[..number]).copied();
        let mut later = later.peekable();
        loop {
            let next = match visited.get(at) {
                Some(&variable) => {
                    at += 1;
                    let needs = needed_by[variable as usize].iter().copied();
                    // Goal variables come first.
                    let (required, others): (Vec<u32>, Vec<u32>) = needs.partition(|need| goals.contains(need));
                    required.into_iter().chain(others).collect()
                }
                None => match later.next() {
                    Some(goal) => vec![goal],
                    None => break,
                },
            };
            for variable in next {
                if visited.contains(&variable) || is_ignored[variable as usize] {
                    continue;
                }
                visited.push(variable);
                let more = states * fdr.variables[variable as usize].values();
                if more <= MAX_STATES {
                    pattern.push(variable);
                    states = more;
                }
            }
        }
        pattern.sort_unstable();
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    patterns
}

impl Pattern {
    /// Builds or loads the pattern. Returns `None` if `stop` is set or the transitions exceed
    /// `room`.
    fn of(
        fdr: &FiniteDomainTask,
        variables: Vec<u32>,
        room: &mut usize,
        pattern_cache: &PatternCache,
        stop: &CancelToken,
    ) -> Option<Pattern> {
        let sizes: Vec<usize> = variables.iter().map(|&variable| fdr.variables[variable as usize].values()).collect();
        let factors: Vec<usize> =
            sizes.iter().scan(1, |product, size| Some(std::mem::replace(product, *product * size))).collect();
        let place = |variable: u32| variables.iter().position(|&known| known == variable);
        let mut steps: Vec<ProjectedOperator> =
            fdr.actions.iter().filter_map(|action| ProjectedOperator::of(action, &variables)).collect();
        steps.sort_unstable();
        steps.dedup();
        let goal = [&fdr.goal.values, &fdr.goal.excluded]
            .map(|needs| needs.iter().filter_map(|need| Some((place(need.0)?, need.1))).collect::<Vec<(usize, u32)>>());
        let all = Projection { sizes, factors, steps, goal };
        let name = all.name();
        let (edges, distances) = match pattern_cache.load(&name, all.states()) {
            Some(table) => table,
            None => {
                let table = all.distances(*room, stop)?;
                pattern_cache.save(&name, &table);
                table
            }
        };
        *room = room.checked_sub(edges)?;
        Some(Pattern { variables, factors: all.factors, distances })
    }

    fn distance(&self, fdr: &FiniteDomainTask, state: &[u64]) -> Cost {
        let places = self.variables.iter().zip(&self.factors);
        let number =
            places.map(|(&variable, factor)| fdr.variables[variable as usize].value(state) * factor).sum::<usize>();
        self.distances[number]
    }
}

/// The number of transitions of a pattern, and its distances.
type Table = (usize, Vec<Cost>);

/// Tables cached between runs. A file contains the number of transitions, followed by the
/// distances, one byte each.
#[derive(Default)]
pub struct PatternCache {
    pub cache: Cache,
    /// Warnings about damaged files.
    pub warnings: Mutex<Vec<Diagnostic>>,
}

impl PatternCache {
    /// Minimum number of transitions of a cached table; smaller ones are rebuilt faster than read.
    const MIN_EDGES: usize = 500_000;
    const HEADER_BYTES: usize = size_of::<u32>();

    fn load(&self, name: &str, states: usize) -> Option<Table> {
        let warn = |warning| self.warnings.lock().push(warning);
        let mut bytes = vec![0; Self::HEADER_BYTES + states];
        self.cache.load(name, bytes.len()).map_err(warn).ok().flatten()?.read(&mut bytes).ok()?;
        let (edges, distances) = bytes.split_first_chunk()?;
        let distance = |&byte: &u8| if byte == u8::MAX { UNREACHABLE } else { byte.into() };
        Some((u32::from_le_bytes(*edges) as usize, distances.iter().map(distance).collect()))
    }

    fn save(&self, name: &str, (edges, distances): &Table) {
        let fits_byte = |&distance: &Cost| distance < u8::MAX.into() || distance == UNREACHABLE;
        if *edges >= Self::MIN_EDGES && distances.iter().all(fits_byte) {
            let edges = (*edges as u32).to_le_bytes();
            self.cache
                .save(name, &edges.into_iter().chain(distances.iter().map(|&far| far as u8)).collect::<Vec<u8>>());
        }
    }
}

/// A projected task. Its variables are numbered by their positions in the pattern.
struct Projection {
    sizes: Vec<usize>,
    factors: Vec<usize>,
    steps: Vec<ProjectedOperator>,
    /// Required and forbidden goal values.
    goal: [Vec<(usize, u32)>; 2],
}

impl Projection {
    fn states(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Returns the name of the cached table: a hash of all data on which the distances depend.
    fn name(&self) -> String {
        let known = format!("{:?} {:?} {:?}", self.sizes, self.goal, self.steps);
        let digits: String = Sha1::digest(known).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("game-{digits}")
    }

    /// Computes the distances. Returns `None` if `stop` is set or there are more than `room`
    /// transitions.
    fn distances(&self, room: usize, stop: &CancelToken) -> Option<Table> {
        let Projection { sizes, factors, steps, goal: [required, forbidden] } = self;
        let states = self.states();
        let for_each_transition = |visit: &mut dyn FnMut(usize, usize, Cost)| -> Option<()> {
            for step in steps {
                if stop.requested().is_some() {
                    return None;
                }
                step.for_each_transition(sizes, factors, visit);
            }
            Some(())
        };
        // The reverse transitions in CSR form.
        let mut ends = vec![0_u32; states + 1];
        let mut edges = 0;
        for_each_transition(&mut |_, to, _| {
            ends[to] += 1;
            edges += 1;
        })?;
        if edges > room {
            return None;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum - *end;
        }
        let mut from = vec![(0_u32, 0); edges];
        let mut next = ends.clone();
        for_each_transition(&mut |before, to, cost| {
            from[next[to] as usize] = (before as u32, cost);
            next[to] += 1;
        })?;
        let has = |state: usize, &(at, value): &(usize, u32)| state / factors[at] % sizes[at] == value as usize;
        let is_goal = |state: usize| {
            required.iter().all(|need| has(state, need)) && !forbidden.iter().any(|need| has(state, need))
        };
        let goals: Vec<u32> = (0..states).filter(|&state| is_goal(state)).map(|state| state as u32).collect();
        Some((edges, dijkstra(&ends, &from, &goals)))
    }
}

/// An operator projected to a pattern; a variable is a position in the pattern.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ProjectedOperator {
    cost: Cost,
    /// For each variable, the required value.
    needs: Vec<Option<u32>>,
    /// Variables and values that they must not have.
    excluded: Vec<(usize, u32)>,
    /// For each variable, its new value, or its new values by the old one; `None` if it is
    /// unchanged.
    to: Vec<Option<Vec<u32>>>,
}

impl ProjectedOperator {
    /// Projects an operator. Returns `None` if it changes no variable of the pattern.
    fn of(action: &Operator, variables: &[u32]) -> Option<ProjectedOperator> {
        let place = |variable: u32| variables.iter().position(|&known| known == variable);
        let mut to: Vec<Option<Vec<u32>>> = vec![None; variables.len()];
        for change in &action.changes {
            let Some(place) = place(change.variable) else { continue };
            to[place] = Some(match &change.to {
                NewValue::Value(value) => vec![*value],
                NewValue::Table(values) => values.clone(),
            });
        }
        if to.iter().all(Option::is_none) {
            return None;
        }
        let mut needs = vec![None; variables.len()];
        action.precondition.values.iter().for_each(|&(variable, value)| {
            if let Some(place) = place(variable) {
                needs[place] = Some(value);
            }
        });
        let excluded = action
            .precondition
            .excluded
            .iter()
            .filter_map(|&(variable, value)| Some((place(variable)?, value)))
            .collect();
        Some(ProjectedOperator { cost: action.cost, needs, excluded, to })
    }

    /// Calls `visit` for each transition with the indices of its two states and the cost.
    fn for_each_transition(&self, sizes: &[usize], factors: &[usize], visit: &mut dyn FnMut(usize, usize, Cost)) {
        let _ = self.from(0, (0, 0), sizes, factors, visit);
    }

    fn from(
        &self,
        place: usize,
        (before, after): (usize, usize),
        sizes: &[usize],
        factors: &[usize],
        visit: &mut dyn FnMut(usize, usize, Cost),
    ) -> ControlFlow<()> {
        if place == sizes.len() {
            if before != after {
                visit(before, after, self.cost);
            }
            return ControlFlow::Continue(());
        }
        let values = self.needs[place].map_or(0..sizes[place] as u32, |value| value..value + 1);
        for value in values.filter(|&value| !self.excluded.contains(&(place, value))) {
            let new = match &self.to[place] {
                None => value,
                Some(values) => values[if values.len() == 1 { 0 } else { value as usize }],
            };
            let at = factors[place];
            self.from(place + 1, (before + value as usize * at, after + new as usize * at), sizes, factors, visit)?;
        }
        ControlFlow::Continue(())
    }
}
