//! Potentials: a number for each value of each variable, whose sum is a lower bound.
//!
//! No action may lower the sum by more than it costs, and at the goal it is 0 at most; of all such numbers a linear program
//! finds those that estimate the start highest (F. Pommerening et al., From Non-Negative to General Operator Cost Partitioning,
//! AAAI 2015). The numbers are rounded, and what an action lowers their sum by is worked out again in integers, so that the bound
//! holds whatever the solver's tolerance.
//!
//! Where actions are taken to cost nothing, a state with more than 0 is one from which no goal can be reached: the pagoda
//! functions of peg solitaire (E. Berlekamp, J. Conway and R. Guy, Winning Ways, 1982). Some are found for the dead ends of random
//! walks. How much a state has left of each also says which states to try first.

use std::ops::{ControlFlow, Range};
use std::time::Duration;

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, Variable};

use super::heuristic::{Blind, Estimates};
use super::packed::{Packed, Packing, To};
use super::space::{Actions, Prepared, Run};
use crate::search::{Cost, Space, UNREACHABLE};
use crate::stop::Stop;

/// Beyond which the linear program takes longer than it helps.
const MOST_CONSTRAINTS: usize = 6_000;
const PATIENCE: Duration = Duration::from_secs(2);
/// Bounds of the potentials, and into how many parts 1 is divided.
const MOST: f64 = 1e4;
const PARTS: f64 = 27_720.0;

/// Sums that tell dead ends, walks from which they are learnt, and linear programs for that.
const DEAD_ENDS: usize = 16;
const MOST_WALKS: usize = 64;
const MOST_PROGRAMS: usize = 300;
/// Walks without a new sum, after which there are no more.
const MOST_IDLE: usize = 4;
const LONGEST_WALK: usize = 200;

pub struct Potentials<'a> {
    packing: &'a Packing,
    cost: Sum,
    /// By variable and value, of all dead ends what one has more than the goal.
    dead_ends: Vec<Vec<[i32; DEAD_ENDS]>>,
    goals: [i32; DEAD_ENDS],
    has_dead_ends: bool,
}

/// Potentials that add up.
struct Sum {
    /// By variable and value.
    potentials: Vec<Vec<i64>>,
    /// What the goal has at most, and what a unit of cost is worth.
    goal: i64,
    unit: i64,
}

/// What an action does to a variable: its old and its new value.
pub(super) type Turn = (u32, u32);

impl<'a> Potentials<'a> {
    /// `None` where there are none, or nobody has the time.
    pub fn of(prepared: &'a Prepared, stop: &Stop) -> Option<Potentials<'a>> {
        let packing = prepared.packing();
        let cost = Sum::of(packing, &packing.start, false)?;
        let dead_ends = packing.variables.iter().map(|variable| vec![[0; DEAD_ENDS]; variable.values()]).collect();
        let mut all = Potentials { packing, cost, dead_ends, goals: [0; DEAD_ENDS], has_dead_ends: false };
        prepared.run(&Blind, false, Walks { potentials: &mut all, stop });
        Some(all)
    }

    fn add(&mut self, sum: &Sum, number: usize) {
        for (own, potentials) in self.dead_ends.iter_mut().zip(&sum.potentials) {
            own.iter_mut().zip(potentials).for_each(|(own, &potential)| own[number] = potential as i32);
        }
        self.goals[number] = sum.goal as i32;
        self.has_dead_ends = true;
    }

    /// What is left of each sum until the state is a dead end; `None` if it is one.
    fn left(&self, state: &[u64]) -> Option<[i32; DEAD_ENDS]> {
        let mut left = self.goals;
        for (variable, potentials) in self.packing.variables.iter().zip(&self.dead_ends) {
            left.iter_mut().zip(&potentials[variable.value(state)]).for_each(|(left, potential)| *left -= potential);
        }
        left.iter().all(|&left| left >= 0).then_some(left)
    }
}

/// Walks at random to where no action leads on, and back to the first state whose potentials tell that.
struct Walks<'a, 'b> {
    potentials: &'a mut Potentials<'b>,
    stop: &'a Stop,
}

impl Run for Walks<'_, '_> {
    type Output = ();

    fn run<const W: usize>(self, space: Actions<'_, W>) {
        let Walks { potentials, stop } = self;
        let mut random = fastrand::Rng::with_seed(1);
        let (mut known, mut idle, mut programs) = (0, 0, 0);
        for _ in 0..MOST_WALKS {
            let mut walk = vec![space.start()];
            while walk.len() < LONGEST_WALK {
                let mut next = Vec::new();
                let _ = space.successors(&walk[walk.len() - 1], (), None, |step| {
                    next.extend(potentials.left(&step.state.0).map(|_| step.state));
                    ControlFlow::Continue(())
                });
                let Some(next) = random.choice(next) else { break };
                walk.push(next);
            }
            let (mut least, mut most, mut at, mut found) = (0, walk.len(), walk.len() - 1, None);
            while least < most && programs < MOST_PROGRAMS && stop.requested().is_none() {
                programs += 1;
                let state = &walk[at].0;
                match Sum::of(potentials.packing, state, true).filter(|sum| sum.over(potentials.packing, state) > 0) {
                    Some(sum) => (found, most) = (Some(sum), at),
                    None => least = at + 1,
                }
                at = least.midpoint(most);
            }
            match found {
                Some(sum) => {
                    potentials.add(&sum, known);
                    (known, idle) = (known + 1, 0);
                }
                None => idle += 1,
            }
            if idle == MOST_IDLE || known == DEAD_ENDS {
                break;
            }
        }
    }
}

impl Sum {
    /// Those that are highest at a state; bounded by 1 where actions are taken to be free.
    fn of(packing: &Packing, state: &[u64], is_free: bool) -> Option<Sum> {
        let most = if is_free { 1.0 } else { MOST };
        let turns: Vec<Vec<(u32, Vec<Turn>)>> = packing.actions.iter().map(|action| turns(packing, action)).collect();
        let constraints: usize = turns.iter().flatten().map(|(_, turns)| turns.len()).sum();
        if constraints > MOST_CONSTRAINTS {
            return None;
        }
        let cost_of = |action: &Packed| if is_free { 0 } else { action.cost };
        let mut program = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<Vec<Variable>> = packing
            .variables
            .iter()
            .map(|variable| {
                let here = variable.value(state);
                let weight = |value| if value == here { 1.0 } else { 0.0 };
                (0..variable.values()).map(|value| program.add_var(weight(value), (-most, most))).collect()
            })
            .collect();
        let potential = |variable: u32, value: u32| variables[variable as usize][value as usize];
        for (action, turns) in packing.actions.iter().zip(&turns) {
            let mut sum = Vec::new();
            for (variable, turns) in turns {
                match turns[..] {
                    [(old, new)] if old == new => {}
                    [(old, new)] => sum.extend([(potential(*variable, old), 1.0), (potential(*variable, new), -1.0)]),
                    _ => {
                        // The most that the variable may lose.
                        let loss = program.add_var(0.0, (-2.0 * most, 2.0 * most));
                        for &(old, new) in turns {
                            let mut least = vec![(loss, 1.0)];
                            if old != new {
                                least.extend([(potential(*variable, old), -1.0), (potential(*variable, new), 1.0)]);
                            }
                            program.add_constraint(least, ComparisonOp::Ge, 0.0);
                        }
                        sum.push((loss, 1.0));
                    }
                }
            }
            program.add_constraint(&sum, ComparisonOp::Le, cost_of(action).into());
        }
        let mut sum = Vec::new();
        for (variable, values) in goal_values(packing) {
            match &values[..] {
                [value] => sum.push((potential(variable, *value), 1.0)),
                _ => {
                    let greatest = program.add_var(0.0, (-most, most));
                    for &value in &values {
                        let least = [(greatest, 1.0), (potential(variable, value), -1.0)];
                        program.add_constraint(least, ComparisonOp::Ge, 0.0);
                    }
                    sum.push((greatest, 1.0));
                }
            }
        }
        program.add_constraint(&sum, ComparisonOp::Le, 0.0);
        let mut options = SolveOptions::default();
        options.time_limit = Some(PATIENCE);
        let solution = program.solve_with(options).ok()?.into_solution().ok()?;
        let rounded = |&variable: &Variable| (solution.var_value(variable) * PARTS).round() as i64;
        let potentials: Vec<Vec<i64>> = variables.iter().map(|values| values.iter().map(rounded).collect()).collect();
        let of = |variable: u32, value: u32| potentials[variable as usize][value as usize];
        let most = |variable: u32, values: &[u32]| values.iter().map(|&value| of(variable, value)).max().unwrap_or(0);
        let goal = goal_values(packing).map(|(variable, values)| most(variable, &values)).sum();
        let mut unit = 1;
        for (action, turns) in packing.actions.iter().zip(&turns) {
            let loss = |(variable, turns): &(u32, Vec<Turn>)| {
                turns.iter().map(|&(old, new)| of(*variable, old) - of(*variable, new)).max().unwrap_or(0)
            };
            match (turns.iter().map(loss).sum::<i64>(), i64::from(cost_of(action))) {
                (1.., 0) => return None,
                (loss @ 1.., cost) => unit = unit.max((loss + cost - 1) / cost),
                _ => {}
            }
        }
        Some(Sum { potentials, goal, unit })
    }

    /// What a state has more than the goal.
    fn over(&self, packing: &Packing, state: &[u64]) -> i64 {
        let fields = packing.variables.iter().zip(&self.potentials);
        fields.map(|(variable, potentials)| potentials[variable.value(state)]).sum::<i64>() - self.goal
    }
}

impl Estimates for Potentials<'_> {
    fn of(&self, state: &[u64]) -> Cost {
        if self.has_dead_ends && self.left(state).is_none() {
            return UNREACHABLE;
        }
        match (self.cost.over(self.packing, state), self.cost.unit) {
            (..=0, _) => 0,
            (over, unit) => Cost::try_from((over + unit - 1) / unit).unwrap_or(UNREACHABLE - 1),
        }
    }

    /// Where little is left of something, a way soon ends.
    fn promise(&self, state: &[u64]) -> i64 {
        let Some(left) = self.has_dead_ends.then(|| self.left(state)).flatten() else { return 0 };
        let worry = |left: i32| PARTS / (PARTS / 4.0 + f64::from(left));
        -(left.into_iter().map(worry).sum::<f64>() * 1e6) as i64
    }
}

/// The values that each variable may have at the goal.
pub(super) fn goal_values(packing: &Packing) -> impl Iterator<Item = (u32, Vec<u32>)> {
    (0..).zip(&packing.variables).map(|(number, variable)| {
        let wanted = packing.goal.values.iter().find(|wanted| wanted.0 == number).map(|wanted| wanted.1);
        let values = wanted.map_or(0..variable.values() as u32, |value| value..value + 1);
        (number, values.filter(|&value| !packing.goal.others.contains(&(number, value))).collect())
    })
}

/// What an action may do to each variable that it may change.
pub(super) fn turns(packing: &Packing, action: &Packed) -> Vec<(u32, Vec<Turn>)> {
    let values = |variable: u32| -> Range<u32> {
        let needed = action.needs.values.iter().find(|need| need.0 == variable).map(|need| need.1);
        needed.map_or(0..packing.variables[variable as usize].values() as u32, |value| value..value + 1)
    };
    let fits = |variable: u32, value: u32| !action.needs.others.contains(&(variable, value));
    let mut turns: Vec<(u32, Vec<Turn>)> = Vec::new();
    for change in &action.changes {
        let to = |old: u32| match &change.to {
            To::Value(value) => *value,
            To::Of(values) => values[old as usize],
        };
        let olds = values(change.variable).filter(|&old| fits(change.variable, old));
        turns.push((change.variable, olds.map(|old| (old, to(old))).collect()));
    }
    // What depends on others may happen or not.
    for given in &action.given {
        let (variable, value) = given.fluent;
        let may = values(variable).filter(|&old| given.holds || old == value);
        let mut may: Vec<Turn> = may.map(|old| (old, if given.holds { value } else { 0 })).collect();
        match turns.iter_mut().find(|(known, _)| *known == variable) {
            Some((_, known)) => known.append(&mut may),
            None => {
                may.extend(values(variable).map(|old| (old, old)));
                turns.push((variable, may));
            }
        }
    }
    turns
}
