//! Linear invariants modulo 2 or 3 that differ between start and goal, and so prove that the goal
//! is unreachable.
//!
//! Each fluent has a weight, and the sum of a state is the sum of the weights of its fluents. The
//! weights must satisfy linear equations: no action changes the sum, and it is the same in all goal
//! states but different at the start. Gaussian elimination solves the equations. Examples of such
//! invariants are the quiet patterns of Lights Out, the diagonals of peg solitaire, and the twist
//! of the corners of a cube.

use base::stop::CancelToken;

use super::Fluent;
use super::packed::{Assignment, FiniteDomainTask, Transition};

/// Tasks with more fluents are skipped: elimination would take longer than a search.
const MAX_WEIGHTS: usize = 1_000;

/// Weights of fluents whose sum no action changes, and whose sum in all goal states differs from
/// the sum at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariant {
    pub modulus: u8,
    /// The non-zero weights.
    pub weights: Vec<(Fluent, u8)>,
    /// Groups of fluents of which at most one holds; with each, true if exactly one always holds.
    pub groups: Vec<(Vec<Fluent>, bool)>,
}

impl Invariant {
    pub(super) fn of(fdr: &FiniteDomainTask, stop: &CancelToken) -> Option<Invariant> {
        with_modulus::<2>(fdr, stop).or_else(|| with_modulus::<3>(fdr, stop))
    }
}

fn with_modulus<const P: u8>(fdr: &FiniteDomainTask, stop: &CancelToken) -> Option<Invariant> {
    let mut system = WeightSystem::<P>::of(fdr)?;
    system.require_constant_sum(stop)?;
    system.require_difference()?;
    let mut solution = system.equations.sparse_solution();
    system.prefer_no_goal_weights(&mut solution);
    let fluents = fdr.variables.iter().flat_map(|variable| variable.fluents.iter().copied());
    let weights = fluents.zip(solution).filter(|&(_, weight)| weight != 0).collect();
    let groups = fdr.variables.iter().zip(&system.has_value);
    let groups = groups.map(|(variable, &has_value)| (variable.fluents.clone(), has_value)).collect();
    Some(Invariant { modulus: P, weights, groups })
}

/// The equations that the weights of all values must satisfy. Value 0 of a variable has weight 0.
struct WeightSystem<'a, const P: u8> {
    fdr: &'a FiniteDomainTask,
    /// For each variable, the index of the weight of value 1; then the number of weights.
    offsets: Vec<usize>,
    /// For each operator, the transitions of the variables that it may change.
    transitions: Vec<Vec<(u32, Vec<Transition>)>>,
    /// For each variable, true if it always has a value other than 0.
    has_value: Vec<bool>,
    equations: Equations<P>,
}

impl<'a, const P: u8> WeightSystem<'a, P> {
    /// Returns `None` if there are too many weights.
    fn of(fdr: &'a FiniteDomainTask) -> Option<Self> {
        let mut offsets = vec![0];
        for variable in &fdr.variables {
            offsets.push(offsets[offsets.len() - 1] + variable.fluents.len());
        }
        let unknowns = offsets[fdr.variables.len()];
        if unknowns > MAX_WEIGHTS {
            return None;
        }
        let mut transitions: Vec<_> = fdr.actions.iter().map(|action| fdr.transitions(action)).collect();
        // A variable always has a value if it has one at the start and no action clears it.
        let mut has_value: Vec<bool> = fdr.variables.iter().map(|variable| variable.value(&fdr.start) != 0).collect();
        for (variable, transitions) in transitions.iter().flatten() {
            has_value[*variable as usize] &= transitions.iter().all(|&(old, new)| old == 0 || new != 0);
        }
        transitions.iter_mut().flatten().for_each(|(variable, transitions)| {
            transitions.retain(|&(old, _)| old != 0 || !has_value[*variable as usize]);
        });
        Some(WeightSystem { fdr, offsets, transitions, has_value, equations: Equations::new(unknowns) })
    }

    /// Returns the equation that a sum of weights is 0. A term is a variable, a value and a factor.
    fn sum(&self, terms: impl IntoIterator<Item = (u32, u32, u8)>) -> Vec<u8> {
        let mut row = vec![0; self.equations.unknowns + 1];
        for (variable, value, factor) in terms {
            if let Some(value) = (value as usize).checked_sub(1) {
                let weight = &mut row[self.offsets[variable as usize] + value];
                *weight = (*weight + factor) % P;
            }
        }
        row
    }

    /// Requires that no operator changes the sum. Returns `None` if this is impossible or `stop` is
    /// set.
    fn require_constant_sum(&mut self, stop: &CancelToken) -> Option<()> {
        for transitions in std::mem::take(&mut self.transitions) {
            if stop.requested().is_some() {
                return None;
            }
            let mut change = Vec::new();
            for (variable, transitions) in transitions {
                let Some((&(old, new), others)) = transitions.split_first() else { continue };
                change.extend([(variable, new, 1), (variable, old, P - 1)]);
                // The change of the sum must not depend on the old value.
                for &(other_old, other_new) in others {
                    let terms = [(new, 1), (old, P - 1), (other_new, P - 1), (other_old, 1)];
                    let row = self.sum(terms.map(|(value, factor)| (variable, value, factor)));
                    self.equations.add(row)?;
                }
            }
            let row = self.sum(change);
            self.equations.add(row)?;
        }
        Some(())
    }

    /// Requires that the sum is the same in all goal states, and by 1 larger than at the start.
    fn require_difference(&mut self) -> Option<()> {
        let fdr = self.fdr;
        let mut difference = Vec::new();
        for (variable, values) in fdr.goal_values() {
            let has_value = self.has_value[variable as usize];
            let values: Vec<u32> = values.into_iter().filter(|&value| value != 0 || !has_value).collect();
            let (&goal, others) = values.split_first()?;
            for &other in others {
                let row = self.sum([(variable, goal, 1), (variable, other, P - 1)]);
                self.equations.add(row)?;
            }
            let start = fdr.variables[variable as usize].value(&fdr.start) as u32;
            difference.extend([(variable, goal, 1), (variable, start, P - 1)]);
        }
        let mut row = self.sum(difference);
        row[self.equations.unknowns] = 1;
        self.equations.add(row)
    }

    /// If exactly one fluent of a variable always holds, adding a constant to all its weights
    /// changes nothing: prefers weight 0 for the goal's value.
    fn prefer_no_goal_weights(&self, solution: &mut [u8]) {
        let has_value = |&&(variable, value): &&Assignment| self.has_value[variable as usize] && value > 0;
        for &(variable, value) in self.fdr.goal.values.iter().filter(has_value) {
            let old_weights = &mut solution[self.offsets[variable as usize]..self.offsets[variable as usize + 1]];
            let goal = old_weights[value as usize - 1];
            let others: Vec<u8> = old_weights.iter().map(|weight| (weight + P - goal) % P).collect();
            if support_size(&others) <= support_size(old_weights) {
                old_weights.copy_from_slice(&others);
            }
        }
    }
}

/// Linear equations modulo a prime in reduced row echelon form. Each row ends with its right-hand
/// side and has a pivot, a column in which no other row is non-zero.
struct Equations<const P: u8> {
    unknowns: usize,
    rows: Vec<Vec<u8>>,
    pivots: Vec<Option<usize>>,
}

impl<const P: u8> Equations<P> {
    fn new(unknowns: usize) -> Self {
        Equations { unknowns, rows: Vec::new(), pivots: vec![None; unknowns] }
    }

    /// Adds an equation. Returns `None` if the system becomes inconsistent.
    fn add(&mut self, mut row: Vec<u8>) -> Option<()> {
        for column in 0..self.unknowns {
            if let (factor @ 1.., Some(pivot)) = (row[column], self.pivots[column]) {
                subtract::<P>(&mut row, &self.rows[pivot], factor);
            }
        }
        let Some(pivot) = row[..self.unknowns].iter().position(|&factor| factor != 0) else {
            return (row[self.unknowns] == 0).then_some(());
        };
        // Modulo 2 and 3, each number except 0 is its own inverse.
        let inverse = row[pivot];
        row.iter_mut().for_each(|factor| *factor = *factor * inverse % P);
        for other in &mut self.rows {
            if let factor @ 1.. = other[pivot] {
                subtract::<P>(other, &row, factor);
            }
        }
        self.pivots[pivot] = Some(self.rows.len());
        self.rows.push(row);
        Some(())
    }

    /// Returns a solution with few non-zero weights: adds homogeneous solutions while this reduces
    /// their number.
    fn sparse_solution(&self) -> Vec<u8> {
        let at_pivots = |column: usize, sign: u8| -> Vec<u8> {
            self.pivots.iter().map(|pivot| pivot.map_or(0, |row| self.rows[row][column] * sign % P)).collect()
        };
        let mut solution = at_pivots(self.unknowns, 1);
        let free: Vec<usize> = (0..self.unknowns).filter(|&column| self.pivots[column].is_none()).collect();
        loop {
            let others = free.iter().flat_map(|&column| {
                let mut homogeneous = at_pivots(column, P - 1);
                homogeneous[column] = 1;
                let solution = &solution;
                (1..P).map(move |times| {
                    let mut other = solution.clone();
                    subtract::<P>(&mut other, &homogeneous, times);
                    other
                })
            });
            match others.min_by_key(|other| support_size(other)) {
                Some(other) if support_size(&other) < support_size(&solution) => solution = other,
                _ => return solution,
            }
        }
    }
}

fn support_size(weights: &[u8]) -> usize {
    weights.iter().filter(|&&weight| weight != 0).count()
}

fn subtract<const P: u8>(row: &mut [u8], other: &[u8], times: u8) {
    row.iter_mut().zip(other).for_each(|(value, other)| *value = (*value + (P - times) * other) % P);
}
