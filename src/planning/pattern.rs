//! Pattern databases: the cost of the best way where only some variables count, for each of their values.
//!
//! Patterns grow from the variables of the goal along what the actions need (P. Haslum et al., Domain-Independent Construction
//! of Pattern Database Heuristics, AAAI 2007, choose them by search). Those that no action changes in common are added up, of the
//! sums the greatest counts.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use sha1::{Digest, Sha1};

use super::heuristic::{Estimates, plus};
use super::packed::{Packed, Packing, To};
use crate::cache::Cache;
use crate::diagnostic::Diagnostic;
use crate::search::{Cost, UNREACHABLE, distances};
use crate::stop::Stop;

/// States of a pattern.
const MOST_STATES: usize = 400_000;
/// Edges between the states of all patterns.
const MOST_EDGES: usize = 20_000_000;
const MOST_PATTERNS: usize = 24;

/// The distances of a pattern's states to the goal.
struct Pattern {
    variables: Vec<u32>,
    /// What a value counts in the number of a state.
    factors: Vec<usize>,
    distances: Vec<Cost>,
}

/// All patterns, and the sets of them whose distances add up.
pub struct Patterns<'a> {
    packing: &'a Packing,
    patterns: Vec<Pattern>,
    sums: Vec<Vec<usize>>,
}

impl<'a> Patterns<'a> {
    /// As far as there is time: each pattern helps.
    pub fn of(packing: &'a Packing, kept: &Kept, stop: &Stop) -> Patterns<'a> {
        let mut chosen = grown(packing);
        chosen.truncate(MOST_PATTERNS);
        let mut room = MOST_EDGES;
        let made = chosen.into_iter().map_while(|variables| Pattern::of(packing, variables, &mut room, kept, stop));
        let patterns: Vec<Pattern> = made.collect();
        let changed: Vec<Vec<bool>> = packing.actions.iter().map(|action| changes(packing, action)).collect();
        let touches =
            |pattern: &Pattern, action: &Vec<bool>| pattern.variables.iter().any(|&variable| action[variable as usize]);
        let add = |one: usize, other: usize| {
            !changed.iter().any(|action| touches(&patterns[one], action) && touches(&patterns[other], action))
        };
        let mut sums: Vec<Vec<usize>> = Vec::new();
        for first in 0..patterns.len() {
            let mut sum = vec![first];
            for other in (0..patterns.len()).filter(|&other| other != first) {
                if sum.iter().all(|&member| add(member, other)) {
                    sum.push(other);
                }
            }
            sum.sort_unstable();
            if !sums.contains(&sum) {
                sums.push(sum);
            }
        }
        Patterns { packing, patterns, sums }
    }
}

impl Estimates for Patterns<'_> {
    fn of(&self, state: &[u64]) -> Cost {
        let mut distances = [0; MOST_PATTERNS];
        for (distance, pattern) in distances.iter_mut().zip(&self.patterns) {
            *distance = pattern.distance(self.packing, state);
            if *distance == UNREACHABLE {
                return UNREACHABLE;
            }
        }
        let sum = |sum: &Vec<usize>| sum.iter().fold(0, |sum, &member| plus(sum, distances[member]));
        self.sums.iter().map(sum).max().unwrap_or(0)
    }
}

/// Which variables an action changes.
fn changes(packing: &Packing, action: &Packed) -> Vec<bool> {
    let mut changes = vec![false; packing.variables.len()];
    action.changes.iter().for_each(|change| changes[change.variable as usize] = true);
    action.given.iter().for_each(|given| changes[given.fluent.0 as usize] = true);
    changes
}

/// From each variable of the goal the variables that matter to it, the nearest first, as many as have room.
fn grown(packing: &Packing) -> Vec<Vec<u32>> {
    let variables = packing.variables.len();
    // What depends on other variables of its own accord is left out.
    let mut is_out = vec![false; variables];
    packing.actions.iter().flat_map(|action| &action.given).for_each(|given| is_out[given.fluent.0 as usize] = true);
    let mut needed_by: Vec<Vec<u32>> = vec![Vec::new(); variables];
    for action in &packing.actions {
        for change in &action.changes {
            let needs = action.needs.values.iter().chain(&action.needs.others).map(|need| need.0);
            let besides = action.changes.iter().map(|other| other.variable);
            needed_by[change.variable as usize].extend(needs.chain(besides));
        }
    }
    for needs in &mut needed_by {
        needs.sort_unstable();
        needs.dedup();
    }
    let mut goals: Vec<u32> = packing.goal.values.iter().chain(&packing.goal.others).map(|need| need.0).collect();
    goals.sort_unstable();
    goals.dedup();
    goals.retain(|&goal| !is_out[goal as usize]);
    let mut patterns: Vec<Vec<u32>> = Vec::new();
    for (number, &goal) in goals.iter().enumerate() {
        let (mut pattern, mut states) = (vec![goal], packing.variables[goal as usize].values());
        let (mut met, mut at) = (vec![goal], 0);
        let later = goals[number..].iter().chain(&goals[..number]).copied();
        let mut later = later.peekable();
        loop {
            let next = match met.get(at) {
                Some(&variable) => {
                    at += 1;
                    let needs = needed_by[variable as usize].iter().copied();
                    // Those that the goal names matter most.
                    let (wanted, others): (Vec<u32>, Vec<u32>) = needs.partition(|need| goals.contains(need));
                    wanted.into_iter().chain(others).collect()
                }
                None => match later.next() {
                    Some(goal) => vec![goal],
                    None => break,
                },
            };
            for variable in next {
                if met.contains(&variable) || is_out[variable as usize] {
                    continue;
                }
                met.push(variable);
                let more = states * packing.variables[variable as usize].values();
                if more <= MOST_STATES {
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
    /// `None` if there is no time or no room.
    fn of(packing: &Packing, variables: Vec<u32>, room: &mut usize, kept: &Kept, stop: &Stop) -> Option<Pattern> {
        let sizes: Vec<usize> =
            variables.iter().map(|&variable| packing.variables[variable as usize].values()).collect();
        let factors: Vec<usize> =
            sizes.iter().scan(1, |product, size| Some(std::mem::replace(product, *product * size))).collect();
        let place = |variable: u32| variables.iter().position(|&known| known == variable);
        let mut steps: Vec<Projected> =
            packing.actions.iter().filter_map(|action| Projected::of(action, &variables)).collect();
        steps.sort_unstable();
        steps.dedup();
        let goal = [&packing.goal.values, &packing.goal.others]
            .map(|needs| needs.iter().filter_map(|need| Some((place(need.0)?, need.1))).collect::<Vec<(usize, u32)>>());
        let all = All { sizes, factors, steps, goal };
        let name = all.name();
        let (edges, distances) = match kept.load(&name, all.states()) {
            Some(table) => table,
            None => {
                let table = all.distances(*room, stop)?;
                kept.save(&name, &table);
                table
            }
        };
        *room = room.checked_sub(edges)?;
        Some(Pattern { variables, factors: all.factors, distances })
    }

    fn distance(&self, packing: &Packing, state: &[u64]) -> Cost {
        let places = self.variables.iter().zip(&self.factors);
        let number =
            places.map(|(&variable, factor)| packing.variables[variable as usize].value(state) * factor).sum::<usize>();
        self.distances[number]
    }
}

/// How many edges there are between the states of a pattern, and the distances.
type Table = (usize, Vec<Cost>);

/// Tables that are kept from one run to the next: a byte for each distance, behind the number of edges.
#[derive(Default)]
pub struct Kept {
    pub cache: Cache,
    /// What was damaged.
    pub warnings: Mutex<Vec<Diagnostic>>,
}

impl Kept {
    /// Tables with fewer edges are built sooner than they are read.
    const WORTH_IT: usize = 500_000;
    const EDGES: usize = size_of::<u32>();

    fn load(&self, name: &str, states: usize) -> Option<Table> {
        let warn = |warning| self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
        let mut bytes = vec![0; Self::EDGES + states];
        self.cache.load(name, bytes.len()).map_err(warn).ok().flatten()?.read(&mut bytes).ok()?;
        let (edges, distances) = bytes.split_first_chunk()?;
        let distance = |&byte: &u8| if byte == u8::MAX { UNREACHABLE } else { byte.into() };
        Some((u32::from_le_bytes(*edges) as usize, distances.iter().map(distance).collect()))
    }

    fn save(&self, name: &str, (edges, distances): &Table) {
        let is_near = |&distance: &Cost| distance < u8::MAX.into() || distance == UNREACHABLE;
        if *edges >= Self::WORTH_IT && distances.iter().all(is_near) {
            let edges = (*edges as u32).to_le_bytes();
            self.cache
                .save(name, &edges.into_iter().chain(distances.iter().map(|&far| far as u8)).collect::<Vec<u8>>());
        }
    }
}

/// All states of a pattern, whose variables are numbered by their places in it.
struct All {
    sizes: Vec<usize>,
    factors: Vec<usize>,
    steps: Vec<Projected>,
    /// Values that the goal has, and those that it has not.
    goal: [Vec<(usize, u32)>; 2],
}

impl All {
    fn states(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Tells all that the distances depend on.
    fn name(&self) -> String {
        let known = format!("{:?} {:?} {:?}", self.sizes, self.goal, self.steps);
        let digits: String = Sha1::digest(known).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("game-{digits}")
    }

    /// `None` if there is no time, or there are more edges than have room.
    fn distances(&self, room: usize, stop: &Stop) -> Option<Table> {
        let All { sizes, factors, steps, goal: [wanted, unwanted] } = self;
        let states = self.states();
        let each = |visit: &mut dyn FnMut(usize, usize, Cost)| -> Option<()> {
            for step in steps {
                if stop.requested().is_some() {
                    return None;
                }
                step.each(sizes, factors, visit);
            }
            Some(())
        };
        // The edges by where they lead to.
        let mut ends = vec![0_u32; states + 1];
        let mut edges = 0;
        each(&mut |_, to, _| {
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
        each(&mut |before, to, cost| {
            from[next[to] as usize] = (before as u32, cost);
            next[to] += 1;
        })?;
        let has = |state: usize, &(at, value): &(usize, u32)| state / factors[at] % sizes[at] == value as usize;
        let is_goal =
            |state: usize| wanted.iter().all(|need| has(state, need)) && !unwanted.iter().any(|need| has(state, need));
        let goals: Vec<u32> = (0..states).filter(|&state| is_goal(state)).map(|state| state as u32).collect();
        Some((edges, distances(&ends, &from, &goals)))
    }
}

/// What an action needs and does where only the variables of a pattern count, by their places in it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Projected {
    cost: Cost,
    /// The value that a variable must have, and its new values by the old one; nothing where it stays.
    needs: Vec<Option<u32>>,
    others: Vec<(usize, u32)>,
    to: Vec<Option<Vec<u32>>>,
}

impl Projected {
    /// `None` if it changes nothing.
    fn of(action: &Packed, variables: &[u32]) -> Option<Projected> {
        let place = |variable: u32| variables.iter().position(|&known| known == variable);
        let mut to: Vec<Option<Vec<u32>>> = vec![None; variables.len()];
        for change in &action.changes {
            let Some(place) = place(change.variable) else { continue };
            to[place] = Some(match &change.to {
                To::Value(value) => vec![*value],
                To::Of(values) => values.clone(),
            });
        }
        if to.iter().all(Option::is_none) {
            return None;
        }
        let mut needs = vec![None; variables.len()];
        action.needs.values.iter().for_each(|&(variable, value)| {
            if let Some(place) = place(variable) {
                needs[place] = Some(value);
            }
        });
        let others =
            action.needs.others.iter().filter_map(|&(variable, value)| Some((place(variable)?, value))).collect();
        Some(Projected { cost: action.cost, needs, others, to })
    }

    /// Each state in which it can be taken, the state after it, and its cost.
    fn each(&self, sizes: &[usize], factors: &[usize], visit: &mut dyn FnMut(usize, usize, Cost)) {
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
        for value in values.filter(|&value| !self.others.contains(&(place, value))) {
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
