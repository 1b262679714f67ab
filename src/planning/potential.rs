//! Potentials: a number for each value of each variable, whose sum is a lower bound.
//!
//! No action may lower the sum by more than it costs, and at the goal it is 0 at most; of all such numbers a linear program
//! finds those that estimate the start highest (F. Pommerening et al., From Non-Negative to General Operator Cost Partitioning,
//! AAAI 2015). The numbers are rounded, and what an action lowers their sum by is worked out again in integers, so that the bound
//! holds whatever the solver's tolerance.

use std::ops::Range;
use std::time::Duration;

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, Variable};

use super::heuristic::Estimates;
use super::packed::{Packed, Packing, To};
use crate::search::{Cost, UNREACHABLE};

/// Beyond which the linear program takes longer than it helps.
const MOST_CONSTRAINTS: usize = 6_000;
const PATIENCE: Duration = Duration::from_secs(2);
/// Bounds of the potentials, and into how many parts 1 is divided.
const MOST: f64 = 1e4;
const PARTS: f64 = 27_720.0;

pub struct Potentials<'a> {
    packing: &'a Packing,
    /// By variable and value.
    potentials: Vec<Vec<i64>>,
    /// What the goal has at most, and what a unit of cost is worth.
    goal: i64,
    unit: i64,
}

/// What an action does to a variable: its old and its new value.
type Turn = (u32, u32);

impl<'a> Potentials<'a> {
    /// `None` where there are none, or nobody has the time.
    pub fn of(packing: &'a Packing) -> Option<Potentials<'a>> {
        let turns: Vec<Vec<(u32, Vec<Turn>)>> = packing.actions.iter().map(|action| turns(packing, action)).collect();
        let constraints: usize = turns.iter().flatten().map(|(_, turns)| turns.len()).sum();
        if constraints > MOST_CONSTRAINTS {
            return None;
        }
        let mut program = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<Vec<Variable>> = packing
            .variables
            .iter()
            .map(|variable| {
                let start = variable.value(&packing.start);
                let weight = |value| if value == start { 1.0 } else { 0.0 };
                (0..variable.values()).map(|value| program.add_var(weight(value), (-MOST, MOST))).collect()
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
                        let loss = program.add_var(0.0, (-2.0 * MOST, 2.0 * MOST));
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
            program.add_constraint(&sum, ComparisonOp::Le, f64::from(action.cost));
        }
        let mut sum = Vec::new();
        for (variable, values) in goal_values(packing) {
            match &values[..] {
                [value] => sum.push((potential(variable, *value), 1.0)),
                _ => {
                    let most = program.add_var(0.0, (-MOST, MOST));
                    for &value in &values {
                        let least = [(most, 1.0), (potential(variable, value), -1.0)];
                        program.add_constraint(least, ComparisonOp::Ge, 0.0);
                    }
                    sum.push((most, 1.0));
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
            match (turns.iter().map(loss).sum::<i64>(), i64::from(action.cost)) {
                (1.., 0) => return None,
                (loss @ 1.., cost) => unit = unit.max((loss + cost - 1) / cost),
                _ => {}
            }
        }
        Some(Potentials { packing, potentials, goal, unit })
    }
}

impl Estimates for Potentials<'_> {
    fn of(&self, state: &[u64]) -> Cost {
        let fields = self.packing.variables.iter().zip(&self.potentials);
        let sum: i64 = fields.map(|(variable, potentials)| potentials[variable.value(state)]).sum();
        let over = sum - self.goal;
        if over <= 0 { 0 } else { Cost::try_from((over + self.unit - 1) / self.unit).unwrap_or(UNREACHABLE - 1) }
    }
}

/// The values that each variable may have at the goal.
fn goal_values(packing: &Packing) -> impl Iterator<Item = (u32, Vec<u32>)> {
    (0..).zip(&packing.variables).map(|(number, variable)| {
        let wanted = packing.goal.values.iter().find(|wanted| wanted.0 == number).map(|wanted| wanted.1);
        let values = wanted.map_or(0..variable.values() as u32, |value| value..value + 1);
        (number, values.filter(|&value| !packing.goal.others.contains(&(number, value))).collect())
    })
}

/// What an action may do to each variable that it may change.
fn turns(packing: &Packing, action: &Packed) -> Vec<(u32, Vec<Turn>)> {
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
