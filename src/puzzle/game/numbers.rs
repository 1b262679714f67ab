//! The game as a space.
//!
//! If no move leads to a smaller number, what is beyond the largest goal leads nowhere, and the space is finite. If every move
//! then makes a number at most c times as large, it takes at least ⌈log_c(t/n)⌉ moves from n to t: for {2n, n + 1}
//! that is ⌈log₂(t/n)⌉, the heuristic that the exam asks for. Of several goals the least that is not below n counts.
//!
//! Otherwise a way may lead beyond 64 bits and down again. Such ways are left out, and what is proven is proven without
//! them: a second search, in which any number beyond is one move from a goal, finds how short they could be.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Board;
use super::expression::{Growth, Overflow};
use crate::puzzle::engines::Engine;
use crate::search::{self, Conclusion, Cost, Limits, Searched, Space, Step, UNREACHABLE, Visit};
use crate::stop::Reason;

pub struct Numbers<'a> {
    board: &'a Board,
    /// No move leads down.
    only_up: bool,
    /// The greatest factor of a move.
    factor: Option<u64>,
    /// Whether a number beyond 64 bits is looked at, as if every move from it led to a goal.
    is_relaxed: bool,
    /// Whether a number that several moves lead to is shown for one of them alone.
    shows_once: bool,
    has_left_out: AtomicBool,
    /// Bytes that A* may remember where nobody says how many.
    memory: u64,
}

/// A number beyond 64 bits; the others are positive.
const BEYOND: u64 = 0;

/// Searches, and proves no more than is true: ways may lead beyond 64 bits.
pub fn search(board: &Board, engine: Engine, limits: &Limits) -> Searched<u64> {
    let mut space = Numbers::new(board);
    let mut searched = space.search(engine, limits);
    if !space.has_left_out.load(Ordering::Relaxed) {
        return searched;
    }
    if matches!(searched.outcome, Conclusion::Impossible) {
        searched.outcome = Conclusion::GaveUp(Reason::Overflow);
    }
    space.is_relaxed = true;
    // Only shorter ways matter.
    let depth = searched.lower_bound.saturating_sub(1);
    let left = limits.after(&searched.work);
    let depth = Some(limits.depth.map_or(depth, |limit| limit.min(depth)));
    let relaxed = space.search(engine, &Limits { depth, ..left });
    searched.work.iterations.extend(relaxed.work.iterations);
    searched.lower_bound = searched.lower_bound.min(relaxed.lower_bound);
    if let Conclusion::Solved(plan) = &mut searched.outcome {
        plan.optimal &= plan.cost == searched.lower_bound;
    }
    searched
}

/// Shows every way of the least cost. Two moves that lead to the same number are one.
pub fn all(board: &Board, cost: Cost, limits: &Limits, visit: Visit<'_, u64>) -> Searched<u64> {
    let space = Numbers { shows_once: true, ..Numbers::new(board) };
    let mut searched = search::all(&space, cost, limits, &mut |_, _| Ok(true), visit);
    if matches!(searched.outcome, Conclusion::Impossible) && space.has_left_out.load(Ordering::Relaxed) {
        searched.outcome = Conclusion::GaveUp(Reason::Overflow);
    }
    searched
}

impl<'a> Numbers<'a> {
    fn new(board: &'a Board) -> Self {
        let growth: Option<Vec<Growth>> = board.moves.iter().map(|expression| expression.growth()).collect();
        let factor = growth.as_ref().and_then(|growth| {
            let factors = growth.iter().map(|growth| match growth {
                Growth::Factor(factor) => Some(*factor),
                Growth::Unbounded => None,
            });
            factors.collect::<Option<Vec<u64>>>()?.into_iter().max().filter(|&factor| factor > 1)
        });
        let (only_up, has_left_out) = (growth.is_some(), AtomicBool::new(false));
        Numbers { board, only_up, factor, is_relaxed: false, shows_once: false, has_left_out, memory: 1 << 30 }
    }

    /// A*, which ends where there are finitely many numbers, gives way to IDA* when its memory is full.
    fn search(&self, engine: Engine, limits: &Limits) -> Searched<u64> {
        if matches!(engine, Engine::Ids | Engine::Bfs) {
            return engine.blind(self, limits);
        }
        if engine != Engine::Astar || limits.memory.is_some() {
            return engine.informed(self, limits);
        }
        let mut searched = engine.informed(self, &Limits { memory: Some(self.memory), ..limits.clone() });
        match searched.outcome {
            Conclusion::GaveUp(Reason::MemoryLimit) => {
                Engine::Idastar.informed(self, &limits.after(&searched.work)).after(&mut searched)
            }
            _ => searched,
        }
    }

    fn is_beyond(&self, number: u64) -> bool {
        self.only_up && self.board.goals.last().is_none_or(|&last| number > last)
    }
}

impl Space for Numbers<'_> {
    type State = u64;
    /// The number that the move leads to.
    type Move = u64;
    type Trail = ();

    fn start(&self) -> u64 {
        self.board.start
    }

    fn is_goal(&self, number: &u64) -> bool {
        self.board.goals.binary_search(number).is_ok()
    }

    fn no_trail(&self, _: &u64) {}

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
            |state: u64| visit(Step { action: state, cost: 1, estimate: self.estimate(&state), state, trail: () });
        if number == BEYOND {
            return step(self.board.goals[0]);
        }
        for (rank, expression) in self.board.moves.iter().enumerate() {
            let value = expression.value(number);
            if self.shows_once && self.board.moves[..rank].iter().any(|before| before.value(number) == value) {
                continue;
            }
            match value {
                Ok(Some(next)) if next == number || self.is_beyond(next) => {}
                Ok(Some(next)) => step(next)?,
                // Where moves only lead up, nothing beyond 64 bits leads to a goal.
                Ok(None) => {}
                Err(_) if self.only_up => {}
                Err(overflow) if self.is_relaxed => step(match overflow {
                    Overflow::OfResult => BEYOND,
                    Overflow::OnTheWay => self.board.goals[0],
                })?,
                Err(_) => self.has_left_out.store(true, Ordering::Relaxed),
            }
        }
        ControlFlow::Continue(())
    }

    fn estimate(&self, &number: &u64) -> Cost {
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
    use crate::puzzle::game::expression::Expression;

    fn board(moves: [&str; 2], goal: u64) -> Board {
        let moves = moves.map(|text| Expression::parse(text).expect("an expression")).into();
        Board { start: 1, moves, readings: [].into(), goals: [goal].into() }
    }

    #[test]
    fn where_the_memory_is_full_a_search_goes_on_without() {
        let board = board(["2*n - n % 3", "n * 3 + 1"], 387_121);
        let numbers = Numbers { memory: 1 << 16, ..Numbers::new(&board) };
        let all = Engine::Bfs.blind(&numbers, &Limits::none());
        let (Conclusion::Solved(best), stored) = (&all.outcome, all.work.stored) else { panic!("{all:?}") };
        let searched = numbers.search(Engine::Astar, &Limits::none());
        assert!(searched.work.stored < stored, "{searched:?}");
        assert!(matches!(&searched.outcome, Conclusion::Solved(plan) if plan.optimal && plan.cost == best.cost));
    }

    #[test]
    fn the_logarithm_is_admissible_from_everywhere() {
        let mut above_one = 0;
        for target in (1..200).chain([1000, 1023, 1024, 1025, 10_000]) {
            let board = board(["2*n", "n+1"], target);
            let numbers = Numbers::new(&board);
            // Depths backwards: a number leads to its double and its successor.
            let mut distance = vec![Cost::MAX; target as usize + 1];
            distance[target as usize] = 0;
            for n in (1..target as usize).rev() {
                let double = distance.get(2 * n).copied().unwrap_or(Cost::MAX);
                distance[n] = distance[n + 1].min(double).saturating_add(1);
            }
            for n in 1..=target {
                let estimate = numbers.estimate(&n);
                assert!(estimate <= distance[n as usize], "{n} to {target}");
                above_one += usize::from(estimate > 1);
            }
        }
        assert!(above_one > 10_000, "the heuristic is not constant");
    }
}
