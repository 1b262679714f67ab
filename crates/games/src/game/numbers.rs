//! The game as a search space.
//!
//! If no move leads to a smaller number, no number beyond the largest goal leads back to one, so
//! the space is finite. If, in addition, every move makes a number at most c times as large, a plan
//! from n to t takes at least ⌈log_c(t/n)⌉ moves. For {2n, n + 1} that is ⌈log₂(t/n)⌉. With several
//! goals, the heuristic uses the smallest one that is not below n.
//!
//! Otherwise a path may exceed 64 bits and come down again. The search skips such paths, so its
//! proof covers only the others. A second, relaxed search treats every number beyond 64 bits as one
//! move from a goal, and so finds a lower bound on the cost of the skipped paths.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use base::stop::StopReason;
use clap::ValueEnum;
use statespace::search::{self, Cost, Ladder, Limits, Outcome, PlanVisitor, SearchResult, Space, Step, UNREACHABLE};

use super::board::Board;
use super::expression::{Growth, Overflow};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NumberEngine {
    Astar,
    Idastar,
    Ids,
    Bfs,
}

pub struct NumberSpace<'a> {
    board: &'a Board,
    /// True if no move leads to a smaller number.
    never_decreases: bool,
    /// The largest growth factor of a move.
    factor: Option<u64>,
    /// Relaxation: a number beyond 64 bits is a state from which a move leads to a goal.
    is_relaxed: bool,
    /// Generates a number once even if several moves lead to it.
    merges_moves: bool,
    has_skipped: AtomicBool,
    /// Default memory limit of A*, in bytes.
    memory: u64,
}

/// The state that represents every number beyond 64 bits; all other states are positive.
const BEYOND: u64 = 0;

/// Searches for a shortest plan. The result claims optimality or impossibility only if paths beyond
/// 64 bits cannot refute it.
pub fn search(board: &Board, engine: NumberEngine, limits: &Limits) -> SearchResult<u64> {
    let mut space = NumberSpace::new(board);
    let mut searched = space.search(engine, limits);
    if !space.has_skipped.load(Ordering::Relaxed) {
        return searched;
    }
    if matches!(searched.outcome, Outcome::Impossible) {
        searched.outcome = Outcome::GaveUp(StopReason::Overflow);
    }
    space.is_relaxed = true;
    // Only paths shorter than the known bound could refute the result.
    let depth = searched.lower_bound.saturating_sub(1);
    let left = limits.remaining_after(&searched.stats);
    let depth = Some(limits.depth.map_or(depth, |limit| limit.min(depth)));
    let relaxed = space.search(engine, &Limits { depth, ..left });
    searched.stats.iterations.extend(relaxed.stats.iterations);
    searched.lower_bound = searched.lower_bound.min(relaxed.lower_bound);
    if let Outcome::Solved(plan) = &mut searched.outcome {
        plan.optimal &= plan.cost == searched.lower_bound;
    }
    searched
}

/// Visits every plan of cost `cost`, the minimum. Two moves that lead to the same number count as
/// one.
pub fn all_optimal(board: &Board, cost: Cost, limits: &Limits, visit: PlanVisitor<'_, u64>) -> SearchResult<u64> {
    let space = NumberSpace { merges_moves: true, ..NumberSpace::new(board) };
    let mut searched = search::all_optimal_plans(&space, cost, limits, &mut |_, _| Ok(true), visit);
    if matches!(searched.outcome, Outcome::Impossible) && space.has_skipped.load(Ordering::Relaxed) {
        searched.outcome = Outcome::GaveUp(StopReason::Overflow);
    }
    searched
}

impl<'a> NumberSpace<'a> {
    fn new(board: &'a Board) -> Self {
        let growth: Option<Vec<Growth>> = board.moves.iter().map(|expression| expression.growth()).collect();
        let factor = growth.as_ref().and_then(|growth| {
            let factors = growth.iter().map(|growth| match growth {
                Growth::Factor(factor) => Some(*factor),
                Growth::Unbounded => None,
            });
            factors.collect::<Option<Vec<u64>>>()?.into_iter().max().filter(|&factor| factor > 1)
        });
        let never_decreases = growth.is_some();
        let has_skipped = AtomicBool::new(false);
        NumberSpace {
            board,
            never_decreases,
            factor,
            is_relaxed: false,
            merges_moves: false,
            has_skipped,
            memory: 1 << 30,
        }
    }

    /// Runs A*, which terminates if finitely many numbers are reachable, and falls back to IDA*
    /// when its memory is full.
    fn search(&self, engine: NumberEngine, limits: &Limits) -> SearchResult<u64> {
        match engine {
            NumberEngine::Ids => return search::ids(self, limits),
            NumberEngine::Bfs => return search::bfs(self, limits),
            NumberEngine::Idastar => return search::idastar(self, limits),
            NumberEngine::Astar if limits.memory.is_some() => return search::astar(self, limits),
            NumberEngine::Astar => {}
        }
        let mut ladder = Ladder::new(limits, 0, &[StopReason::MemoryLimit]);
        ladder.stage(u64::MAX, |limits| search::astar(self, &Limits { memory: Some(self.memory), ..limits.clone() }));
        ladder.stage(u64::MAX, |limits| search::idastar(self, limits));
        ladder.result
    }

    /// Returns true if `number` provably leads to no goal.
    fn is_beyond(&self, number: u64) -> bool {
        self.never_decreases && self.board.goals.last().is_none_or(|&last| number > last)
    }
}

impl Space for NumberSpace<'_> {
    type State = u64;
    type Move = u64;
    type Pruning = ();

    fn start(&self) -> u64 {
        self.board.start
    }

    fn is_goal(&self, number: &u64) -> bool {
        self.board.goals.binary_search(number).is_ok()
    }

    fn initial_pruning(&self, _: &u64) {}

    fn successors(
        &self,
        &number: &u64,
        (): (),
        _: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.is_beyond(number) {
            return ControlFlow::Continue(());
        }
        let mut step =
            |state: u64| visit(Step { action: state, cost: 1, estimate: self.heuristic(&state), state, pruning: () });
        if number == BEYOND {
            return step(self.board.goals[0]);
        }
        for (rank, expression) in self.board.moves.iter().enumerate() {
            let value = expression.value(number);
            if self.merges_moves && self.board.moves[..rank].iter().any(|before| before.value(number) == value) {
                continue;
            }
            match value {
                Ok(Some(next)) if next == number || self.is_beyond(next) => {}
                Ok(Some(next)) => step(next)?,
                // If no move decreases a number, no number beyond 64 bits leads to a goal.
                Ok(None) => {}
                Err(_) if self.never_decreases => {}
                Err(overflow) if self.is_relaxed => step(match overflow {
                    Overflow::Result => BEYOND,
                    Overflow::Intermediate => self.board.goals[0],
                })?,
                Err(_) => self.has_skipped.store(true, Ordering::Relaxed),
            }
        }
        ControlFlow::Continue(())
    }

    fn heuristic(&self, &number: &u64) -> Cost {
        if self.is_goal(&number) {
            return 0;
        }
        if self.is_beyond(number) {
            return UNREACHABLE;
        }
        let least = self.board.goals.iter().find(|&&goal| goal >= number);
        match (self.factor, least) {
            (Some(factor), Some(&goal)) => {
                let (mut moves, mut reached) = (0, u128::from(number));
                while reached < u128::from(goal) {
                    reached *= u128::from(factor);
                    moves += 1;
                }
                moves
            }
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::expression::Expression;

    fn board(moves: [&str; 2], goal: u64) -> Board {
        let moves = moves.map(|text| Expression::parse(text).expect("an expression")).into();
        Board { start: 1, moves, postfix_moves: [].into(), goals: [goal].into() }
    }

    #[test]
    fn a_search_continues_with_idastar_when_its_memory_is_full() {
        let board = board(["2*n - n % 3", "n * 3 + 1"], 387_121);
        let numbers = NumberSpace { memory: 1 << 16, ..NumberSpace::new(&board) };
        let all = search::bfs(&numbers, &Limits::none());
        let (Outcome::Solved(best), stored) = (&all.outcome, all.stats.stored) else { panic!("{all:?}") };
        let searched = numbers.search(NumberEngine::Astar, &Limits::none());
        assert!(searched.stats.stored < stored, "{searched:?}");
        assert!(matches!(&searched.outcome, Outcome::Solved(plan) if plan.optimal && plan.cost == best.cost));
    }

    #[test]
    fn the_logarithm_is_admissible_from_everywhere() {
        let mut above_one = 0;
        for target in (1..200).chain([1000, 1023, 1024, 1025, 10_000]) {
            let board = board(["2*n", "n+1"], target);
            let numbers = NumberSpace::new(&board);
            // Computes distances backwards: a number leads to its double and its successor.
            let mut distance = vec![Cost::MAX; target as usize + 1];
            distance[target as usize] = 0;
            for n in (1..target as usize).rev() {
                let double = distance.get(2 * n).copied().unwrap_or(Cost::MAX);
                distance[n] = distance[n + 1].min(double).saturating_add(1);
            }
            for n in 1..=target {
                let estimate = numbers.heuristic(&n);
                assert!(estimate <= distance[n as usize], "{n} to {target}");
                above_one += usize::from(estimate > 1);
            }
        }
        assert!(above_one > 10_000, "the heuristic is not constant");
    }
}
