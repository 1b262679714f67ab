//! Sums that no action changes, modulo 2 or 3, and that differ between start and goal: why the goal cannot be reached.
//!
//! Each fluent has a weight; a state has the sum of those that hold. That no action changes it, and that it is the same in
//! all goals and another one at the start, are linear equations in the weights, which elimination solves: the lights of a quiet
//! pattern, the diagonals of peg solitaire, a twisted corner of a cube.

use super::Fluent;
use super::packed::Packing;
use super::potential::{goal_values, turns};
use crate::stop::Stop;

/// Fluents with a weight; more take longer than a search.
const MOST_WEIGHTS: usize = 1_000;

/// Fluents whose weights add up to the same after each action, and to something else in all goals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariant {
    pub modulus: u8,
    /// Those that are not 0.
    pub weights: Vec<(Fluent, u8)>,
    /// Fluents of which at most one holds, and whether there is always one.
    pub groups: Vec<(Vec<Fluent>, bool)>,
}

impl Invariant {
    pub(super) fn of(packing: &Packing, stop: &Stop) -> Option<Invariant> {
        with_modulus::<2>(packing, stop).or_else(|| with_modulus::<3>(packing, stop))
    }
}

fn with_modulus<const P: u8>(packing: &Packing, stop: &Stop) -> Option<Invariant> {
    let mut firsts = vec![0];
    for variable in &packing.variables {
        firsts.push(firsts[firsts.len() - 1] + variable.fluents.len());
    }
    let unknowns = firsts[packing.variables.len()];
    if unknowns > MOST_WEIGHTS {
        return None;
    }
    let mut turns: Vec<_> = packing.actions.iter().map(|action| turns(packing, action)).collect();
    // A variable that has a value at the start, and keeps one, always has one.
    let mut has_value: Vec<bool> =
        packing.variables.iter().map(|variable| variable.value(&packing.start) != 0).collect();
    for (variable, turns) in turns.iter().flatten() {
        has_value[*variable as usize] &= turns.iter().all(|&(old, new)| old == 0 || new != 0);
    }
    turns.iter_mut().flatten().for_each(|(variable, turns)| {
        turns.retain(|&(old, _)| old != 0 || !has_value[*variable as usize]);
    });
    // The weight of value 0 is 0.
    let add = |row: &mut Vec<u8>, variable: u32, value: u32, times: u8| {
        if let Some(value) = (value as usize).checked_sub(1) {
            let weight = &mut row[firsts[variable as usize] + value];
            *weight = (*weight + times) % P;
        }
    };
    let mut equations = Equations::<P>::new(unknowns);
    for turns in &turns {
        if stop.requested().is_some() {
            return None;
        }
        let mut sum = vec![0; unknowns + 1];
        for (variable, turns) in turns {
            let Some((&(old, new), others)) = turns.split_first() else { continue };
            add(&mut sum, *variable, new, 1);
            add(&mut sum, *variable, old, P - 1);
            // Whatever it was before, the sum changes by the same.
            for &(other_old, other_new) in others {
                let mut row = vec![0; unknowns + 1];
                [(new, 1), (old, P - 1), (other_new, P - 1), (other_old, 1)]
                    .into_iter()
                    .for_each(|(value, times)| add(&mut row, *variable, value, times));
                equations.add(row)?;
            }
        }
        equations.add(sum)?;
    }
    let mut difference = vec![0; unknowns + 1];
    for (variable, values) in goal_values(packing) {
        let values: Vec<u32> =
            values.into_iter().filter(|&value| value != 0 || !has_value[variable as usize]).collect();
        let (&goal, others) = values.split_first()?;
        for &other in others {
            let mut row = vec![0; unknowns + 1];
            add(&mut row, variable, goal, 1);
            add(&mut row, variable, other, P - 1);
            equations.add(row)?;
        }
        add(&mut difference, variable, goal, 1);
        add(&mut difference, variable, packing.variables[variable as usize].value(&packing.start) as u32, P - 1);
    }
    difference[unknowns] = 1;
    equations.add(difference)?;
    let mut solution = equations.solution();
    // Where one always holds, all of them may weigh more; what the goal wants had best weigh nothing.
    for &(variable, value) in
        packing.goal.values.iter().filter(|&&(variable, value)| has_value[variable as usize] && value > 0)
    {
        let own = &mut solution[firsts[variable as usize]..firsts[variable as usize + 1]];
        let goal = own[value as usize - 1];
        let others: Vec<u8> = own.iter().map(|weight| (weight + P - goal) % P).collect();
        if size(&others) <= size(own) {
            own.copy_from_slice(&others);
        }
    }
    let fluents = packing.variables.iter().flat_map(|variable| variable.fluents.iter().copied());
    let weights = fluents.zip(solution).filter(|&(_, weight)| weight != 0).collect();
    let groups =
        packing.variables.iter().zip(&has_value).map(|(variable, &has_value)| (variable.fluents.clone(), has_value));
    Some(Invariant { modulus: P, weights, groups: groups.collect() })
}

/// Linear equations modulo a prime: each has a number behind the factors, and a pivot, a column that no other one has.
struct Equations<const P: u8> {
    unknowns: usize,
    rows: Vec<Vec<u8>>,
    pivots: Vec<Option<usize>>,
}

impl<const P: u8> Equations<P> {
    fn new(unknowns: usize) -> Self {
        Equations { unknowns, rows: Vec::new(), pivots: vec![None; unknowns] }
    }

    /// `None` if there is no solution any more.
    fn add(&mut self, mut row: Vec<u8>) -> Option<()> {
        for column in 0..self.unknowns {
            if let (factor @ 1.., Some(pivot)) = (row[column], self.pivots[column]) {
                subtract::<P>(&mut row, &self.rows[pivot], factor);
            }
        }
        let Some(pivot) = row[..self.unknowns].iter().position(|&factor| factor != 0) else {
            return (row[self.unknowns] == 0).then_some(());
        };
        // In these fields each number but 0 is its own inverse.
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

    /// One with few that are not 0.
    fn solution(&self) -> Vec<u8> {
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
            match others.min_by_key(|other| size(other)) {
                Some(other) if size(&other) < size(&solution) => solution = other,
                _ => return solution,
            }
        }
    }
}

fn size(weights: &[u8]) -> usize {
    weights.iter().filter(|&&weight| weight != 0).count()
}

fn subtract<const P: u8>(row: &mut [u8], other: &[u8], times: u8) {
    row.iter_mut().zip(other).for_each(|(one, other)| *one = (*one + (P - times) * other) % P);
}
