//! Cuts the search of a program into cubes: assumptions that exclude each other and together cover
//! all cases.
//!
//! The cubes are the leaves of a binary tree, each of whose inner nodes is an atom that is true in one
//! subtree and false in the other. The atom is chosen by look-ahead: it is the one whose two values
//! imply most by propagation. What they imply also estimates the share of each subtree in the work
//! (Heule and others, "Cube and conquer: guiding CDCL SAT solvers by lookaheads", 2012), and the leaf
//! with the largest share is split next.
//!
//! A short search comes first. If a few atoms contribute to most of its conflicts, as on most boards,
//! they are preferred; combinatorial problems, in which all atoms are alike, are split by look-ahead alone.

use std::cmp::Reverse;

use base::stop::CancelToken;
use ground::{Completion, GroundProgram, ShownTerms};

use super::assumptions::Assumptions;
use super::refute::{CdclOutcome, CdclSolver};

/// Maximum work of the short search, in visited watches: a few seconds.
const MAX_TRIAL_WORK: u64 = 100_000_000;
/// Maximum number of answers that the short search finds.
const MAX_TRIAL_ANSWERS: usize = 1000;
/// Conflicts are concentrated if the first candidate contributes to this many times as many as the median.
const CONCENTRATION: u32 = 4;

/// Maximum number of atoms that are tried at the first leaf, and at each later one.
const MAX_TRIED_FIRST: usize = 2000;
const MAX_TRIED: usize = 60;

/// A cube that can be split further.
struct Leaf {
    cube: Vec<i32>,
    /// Its estimated part of the work.
    share: f64,
}

/// The best split of a leaf.
struct Branch {
    atom: u32,
    /// The numbers of variables that the atom and its negation imply.
    implied: [usize; 2],
}

/// Splits `cubes` until there are `count` of them, or none can be split. Only `candidates` are chosen.
/// Stops early, with fewer cubes, if `stop` is requested.
pub fn split_cubes(
    ground: &GroundProgram,
    candidates: &[u32],
    cubes: Vec<Vec<i32>>,
    count: usize,
    stop: &CancelToken,
) -> Vec<Vec<i32>> {
    let mut look_ahead = LookAhead::new(ground, candidates, stop);
    let share = 1.0 / cubes.len().max(1) as f64;
    let mut leaves: Vec<Leaf> = cubes.into_iter().map(|cube| Leaf { cube, share }).collect();
    let mut done = Vec::new();
    while leaves.len() + done.len() < count && stop.requested().is_none() {
        let heaviest = (0..leaves.len()).max_by(|&one, &other| leaves[one].share.total_cmp(&leaves[other].share));
        let Some(heaviest) = heaviest else { break };
        let leaf = leaves.swap_remove(heaviest);
        let Some(Branch { atom, implied }) = look_ahead.best_branch(&leaf.cube) else {
            done.push(leaf.cube);
            continue;
        };
        for (literal, share) in [atom as i32, -(atom as i32)].into_iter().zip(shares(implied)) {
            let cube = leaf.cube.iter().copied().chain([literal]).collect();
            leaves.push(Leaf { cube, share: leaf.share * share });
        }
    }
    // The leaves of a subtree follow each other: a worker learns more from a cube that has much in common with the
    // next one.
    let mut cubes: Vec<Vec<i32>> = leaves.into_iter().map(|leaf| leaf.cube).chain(done).collect();
    cubes.sort_unstable();
    cubes
}

/// Returns the parts of two subtrees in the work: if each implied variable divides it by the same
/// factor, the factor for which both parts have the sum 1.
fn shares([with, without]: [usize; 2]) -> [f64; 2] {
    let part = |factor: f64, implied: usize| factor.powf(-(implied as f64));
    let (mut low, mut high) = (1.0, 2.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if part(middle, with) + part(middle, without) > 1.0 { low = middle } else { high = middle }
    }
    let share = part(high, with);
    [share, 1.0 - share]
}

/// Searches for a while, and returns by atom to how many conflicts it contributed; nothing if they are not
/// concentrated on some of the candidates.
fn contributions(ground: &GroundProgram, candidates: &[u32], stop: &CancelToken) -> Vec<u32> {
    let Ok(completion) = Completion::of(ground, &ShownTerms::default()) else { return Vec::new() };
    let mut solver = CdclSolver::for_answers(ground, &completion);
    let mut is_over = |work: u64| work > MAX_TRIAL_WORK || stop.requested().is_some();
    for _ in 0..MAX_TRIAL_ANSWERS {
        let CdclOutcome::Answer(_) = solver.run(&mut is_over) else { break };
        solver.block_decisions();
    }
    let of_variables = solver.contributions();
    let contributions: Vec<u32> =
        (0..=ground.last_atom() as usize).map(|atom| of_variables.get(atom).copied().unwrap_or(0)).collect();
    let mut of_candidates: Vec<u32> = candidates.iter().map(|&atom| contributions[atom as usize]).collect();
    of_candidates.sort_unstable();
    let median = of_candidates.get(of_candidates.len() / 2).copied().unwrap_or(0);
    let is_concentrated = of_candidates.last().is_some_and(|&most| most > CONCENTRATION * median);
    if is_concentrated { contributions } else { Vec::new() }
}

struct LookAhead {
    assumptions: Assumptions,
    /// The atoms to try, the most promising first.
    candidates: Vec<u32>,
    is_ranked: bool,
    /// By atom: to how many conflicts it contributed; empty if they are not concentrated.
    contributions: Vec<u32>,
}

impl LookAhead {
    fn new(ground: &GroundProgram, candidates: &[u32], stop: &CancelToken) -> Self {
        let mut occurrences = vec![0; ground.last_atom() as usize + 1];
        for rule in &ground.rules {
            let body = rule.body.iter().map(|(literal, _)| literal.unsigned_abs());
            for atom in rule.head.iter().copied().chain(body) {
                occurrences[atom as usize] += 1;
            }
        }
        let mut candidates: Vec<u32> =
            candidates.iter().copied().filter(|&atom| (atom as usize) < occurrences.len()).collect();
        let contributions = contributions(ground, &candidates, stop);
        let contributed = |atom: u32| contributions.get(atom as usize);
        candidates.sort_by_key(|&atom| (Reverse(contributed(atom)), Reverse(occurrences[atom as usize]), atom));
        LookAhead { assumptions: Assumptions::new(ground), candidates, is_ranked: false, contributions }
    }

    /// Returns the best atom to split a cube; `None` if propagation refutes the cube or determines all
    /// candidates.
    fn best_branch(&mut self, cube: &[i32]) -> Option<Branch> {
        let mut levels = 1;
        let best = if self.assumptions.assume(cube) { self.try_candidates(&mut levels) } else { None };
        (0..levels).for_each(|_| self.assumptions.undo());
        best
    }

    /// Tries candidates under the current assumptions. A value of an atom that ends in a conflict is
    /// excluded in a level of its own, which `levels` counts.
    fn try_candidates(&mut self, levels: &mut usize) -> Option<Branch> {
        let limit = if self.is_ranked { MAX_TRIED } else { MAX_TRIED_FIRST };
        let open: Vec<u32> = self.candidates.iter().copied().filter(|&atom| self.is_open(atom)).take(limit).collect();
        let mut tried: Vec<(f64, Branch)> = Vec::new();
        for atom in open {
            if !self.is_open(atom) {
                continue;
            }
            let literals = [atom as i32, -(atom as i32)];
            match literals.map(|literal| self.implied_by(literal)) {
                [None, None] => return None,
                [Some(with), Some(without)] => {
                    let branch = Branch { atom, implied: [with, without] };
                    tried.push((self.score(&branch), branch));
                }
                [with, _] => {
                    *levels += 1;
                    if !self.assumptions.assume(&literals[usize::from(with.is_none())..][..1]) {
                        return None;
                    }
                }
            }
        }
        tried.sort_by(|(one, branch), (other, other_branch)| {
            other.total_cmp(one).then(branch.atom.cmp(&other_branch.atom))
        });
        if !std::mem::replace(&mut self.is_ranked, true) {
            let ranked: Vec<u32> = tried.iter().map(|(_, branch)| branch.atom).collect();
            let rest: Vec<u32> = self.candidates.iter().copied().filter(|atom| !ranked.contains(atom)).collect();
            self.candidates = ranked.into_iter().chain(rest).collect();
        }
        // A value that was excluded later may have determined the best atom.
        tried.into_iter().map(|(_, branch)| branch).find(|branch| self.is_open(branch.atom))
    }

    /// Returns a measure of how much a branch shortens the search of both subtrees.
    fn score(&self, Branch { atom, implied: [with, without] }: &Branch) -> f64 {
        let product = (with * without) as f64 + (with + without) as f64 / 1024.0;
        match self.contributions.get(*atom as usize) {
            Some(&contributed) => product.sqrt() * f64::from(contributed),
            None => product,
        }
    }

    fn is_open(&self, atom: u32) -> bool {
        self.assumptions.value(atom as i32).is_none()
    }

    /// Returns the number of variables that `literal` implies, itself included; `None` for a conflict.
    fn implied_by(&mut self, literal: i32) -> Option<usize> {
        let is_consistent = self.assumptions.assume(&[literal]);
        let implied = is_consistent.then(|| self.assumptions.assigned_by_level().count());
        self.assumptions.undo();
        implied
    }
}
