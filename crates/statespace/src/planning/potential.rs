//! Potential heuristics: each value of each variable has a number, and the sum of the numbers of a
//! state is a lower bound.
//!
//! No action may decrease the sum by more than its cost, and in goal states it is at most 0. Among
//! all such potentials, a linear program finds those that maximise the value of the start (F.
//! Pommerening et al., From Non-Negative to General Operator Cost Partitioning, AAAI 2015). The
//! potentials are rounded, and the largest decrease by each action is recomputed in integers, so
//! that the bound does not depend on the tolerance of the solver.
//!
//! Potentials for actions without costs prove that every state with a positive sum is a dead end,
//! as do the pagoda functions of peg solitaire (E. Berlekamp, J. Conway and R. Guy, Winning Ways,
//! 1982). Some such functions are learnt from the dead ends of random walks. Their slack in a state
//! is also used to break ties.

use std::ops::ControlFlow;
use std::time::Duration;

use base::stop::CancelToken;
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, Variable};

use super::heuristic::{Blind, HeuristicFn};
use super::packed::{FiniteDomainTask, Operator, Transition};
use super::space::{PackedSpace, Reduction, SearchTask, WithSpace};
use crate::search::{Cost, Space, UNREACHABLE};

/// Maximum size of a linear program; larger ones take longer than they save.
const MAX_CONSTRAINTS: usize = 6_000;
const LP_TIME_LIMIT: Duration = Duration::from_secs(2);
/// Bound on the absolute values of potentials.
const MAX_POTENTIAL: f64 = 1e4;
/// The factor by which potentials are multiplied before they are rounded to integers.
const SCALE: f64 = 27_720.0;

/// Maximum number of dead-end functions.
const MAX_DEAD_ENDS: usize = 16;
/// Maximum number of random walks from which they are learnt.
const MAX_WALKS: usize = 64;
/// Maximum number of linear programs that are solved to learn them.
const MAX_PROGRAMS: usize = 300;
/// Learning ends after this many walks without a new function.
const MAX_IDLE_WALKS: usize = 4;
const MAX_WALK_LENGTH: usize = 200;

pub struct Potentials<'a> {
    fdr: &'a FiniteDomainTask,
    cost: PotentialFunction,
    /// For each variable and value, the potential in each dead-end function.
    dead_ends: Vec<Vec<[i32; MAX_DEAD_ENDS]>>,
    goals: [i32; MAX_DEAD_ENDS],
    has_dead_ends: bool,
}

/// A potential function.
struct PotentialFunction {
    /// The potentials by variable and value.
    potentials: Vec<Vec<i64>>,
    /// The maximum sum of a goal state.
    goal: i64,
    /// The decrease of the sum that one unit of cost permits.
    unit: i64,
}

impl<'a> Potentials<'a> {
    /// Computes the potentials. Returns `None` if the linear program is infeasible, too large or
    /// interrupted.
    pub fn of(task: &'a SearchTask, stop: &CancelToken) -> Option<Potentials<'a>> {
        let fdr = task.fdr();
        let cost = PotentialFunction::of(fdr, &fdr.start, false)?;
        let dead_ends = fdr.variables.iter().map(|variable| vec![[0; MAX_DEAD_ENDS]; variable.values()]).collect();
        let mut all = Potentials { fdr, cost, dead_ends, goals: [0; MAX_DEAD_ENDS], has_dead_ends: false };
        task.run(&Blind, Reduction::None, DeadEndLearner { potentials: &mut all, stop });
        Some(all)
    }

    fn add(&mut self, sum: &PotentialFunction, number: usize) {
        for (values, potentials) in self.dead_ends.iter_mut().zip(&sum.potentials) {
            values.iter_mut().zip(potentials).for_each(|(value, &potential)| value[number] = potential as i32);
        }
        self.goals[number] = sum.goal as i32;
        self.has_dead_ends = true;
    }

    /// Returns the slack of each dead-end function in a state, or `None` if the state is a dead
    /// end.
    fn slack(&self, state: &[u64]) -> Option<[i32; MAX_DEAD_ENDS]> {
        let mut slack = self.goals;
        for (variable, potentials) in self.fdr.variables.iter().zip(&self.dead_ends) {
            slack.iter_mut().zip(&potentials[variable.value(state)]).for_each(|(slack, potential)| *slack -= potential);
        }
        slack.iter().all(|&slack| slack >= 0).then_some(slack)
    }
}

/// Makes random walks until no action is applicable, then finds by bisection the first state of
/// each walk that a potential function recognises as a dead end.
struct DeadEndLearner<'a, 'b> {
    potentials: &'a mut Potentials<'b>,
    stop: &'a CancelToken,
}

impl WithSpace for DeadEndLearner<'_, '_> {
    type Output = ();

    fn run<const W: usize>(self, space: PackedSpace<'_, W>) {
        let DeadEndLearner { potentials, stop } = self;
        let mut random = fastrand::Rng::with_seed(1);
        let (mut known, mut idle, mut programs) = (0, 0, 0);
        for _ in 0..MAX_WALKS {
            let mut walk = vec![space.start()];
            while walk.len() < MAX_WALK_LENGTH {
                let mut next = Vec::new();
                let _ = space.successors(&walk[walk.len() - 1], (), None, |step| {
                    next.extend(potentials.slack(&step.state.0).map(|_| step.state));
                    ControlFlow::Continue(())
                });
                let Some(next) = random.choice(next) else { break };
                walk.push(next);
            }
            let (mut least, mut most, mut at, mut found) = (0, walk.len(), walk.len() - 1, None);
            while least < most && programs < MAX_PROGRAMS && stop.requested().is_none() {
                programs += 1;
                let state = &walk[at].0;
                match PotentialFunction::of(potentials.fdr, state, true)
                    .filter(|sum| sum.excess(potentials.fdr, state) > 0)
                {
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
            if idle == MAX_IDLE_WALKS || known == MAX_DEAD_ENDS {
                break;
            }
        }
    }
}

impl PotentialFunction {
    /// Solves the linear program that maximises the potential of `state`. With `is_free`, all
    /// actions cost 0 and the potentials are bounded by 1.
    fn of(fdr: &FiniteDomainTask, state: &[u64], is_free: bool) -> Option<PotentialFunction> {
        let most = if is_free { 1.0 } else { MAX_POTENTIAL };
        let transitions: Vec<Vec<(u32, Vec<Transition>)>> =
            fdr.actions.iter().map(|action| fdr.transitions(action)).collect();
        let constraints: usize = transitions.iter().flatten().map(|(_, transitions)| transitions.len()).sum();
        if constraints > MAX_CONSTRAINTS {
            return None;
        }
        let cost_of = |action: &Operator| if is_free { 0 } else { action.cost };
        let mut program = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<Vec<Variable>> = fdr
            .variables
            .iter()
            .map(|variable| {
                let current = variable.value(state);
                let weight = |value| if value == current { 1.0 } else { 0.0 };
                (0..variable.values()).map(|value| program.add_var(weight(value), (-most, most))).collect()
            })
            .collect();
        let potential = |variable: u32, value: u32| variables[variable as usize][value as usize];
        for (action, transitions) in fdr.actions.iter().zip(&transitions) {
            let mut sum = Vec::new();
            for (variable, transitions) in transitions {
                match transitions[..] {
                    [(old, new)] if old == new => {}
                    [(old, new)] => sum.extend([(potential(*variable, old), 1.0), (potential(*variable, new), -1.0)]),
                    _ => {
                        // The largest decrease of the variable's potential.
                        let loss = program.add_var(0.0, (-2.0 * most, 2.0 * most));
                        for &(old, new) in transitions {
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
        for (variable, values) in fdr.goal_values() {
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
        options.time_limit = Some(LP_TIME_LIMIT);
        let solution = program.solve_with(options).ok()?.into_solution().ok()?;
        let rounded = |&variable: &Variable| (solution.var_value(variable) * SCALE).round() as i64;
        let potentials: Vec<Vec<i64>> = variables.iter().map(|values| values.iter().map(rounded).collect()).collect();
        let of = |variable: u32, value: u32| potentials[variable as usize][value as usize];
        let most = |variable: u32, values: &[u32]| values.iter().map(|&value| of(variable, value)).max().unwrap_or(0);
        let goal = fdr.goal_values().map(|(variable, values)| most(variable, &values)).sum();
        let mut unit = 1;
        for (action, transitions) in fdr.actions.iter().zip(&transitions) {
            let loss = |(variable, transitions): &(u32, Vec<Transition>)| {
                transitions.iter().map(|&(old, new)| of(*variable, old) - of(*variable, new)).max().unwrap_or(0)
            };
            match (transitions.iter().map(loss).sum::<i64>(), i64::from(cost_of(action))) {
                (1.., 0) => return None,
                (loss @ 1.., cost) => unit = unit.max((loss + cost - 1) / cost),
                _ => {}
            }
        }
        Some(PotentialFunction { potentials, goal, unit })
    }

    /// Returns the sum of a state minus the maximum sum of a goal state.
    fn excess(&self, fdr: &FiniteDomainTask, state: &[u64]) -> i64 {
        let fields = fdr.variables.iter().zip(&self.potentials);
        fields.map(|(variable, potentials)| potentials[variable.value(state)]).sum::<i64>() - self.goal
    }
}

impl HeuristicFn for Potentials<'_> {
    fn estimate(&self, state: &[u64]) -> Cost {
        if self.has_dead_ends && self.slack(state).is_none() {
            return UNREACHABLE;
        }
        match (self.cost.excess(self.fdr, state), self.cost.unit) {
            (..=0, _) => 0,
            (excess, unit) => Cost::try_from((excess + unit - 1) / unit).unwrap_or(UNREACHABLE - 1),
        }
    }

    /// Prefers states with much slack: a state with little slack in a function is close to a dead
    /// end.
    fn tie_break(&self, state: &[u64]) -> i64 {
        let Some(slack) = self.has_dead_ends.then(|| self.slack(state)).flatten() else { return 0 };
        let penalty = |slack: i32| SCALE / (SCALE / 4.0 + f64::from(slack));
        -(slack.into_iter().map(penalty).sum::<f64>() * 1e6) as i64
    }
}
