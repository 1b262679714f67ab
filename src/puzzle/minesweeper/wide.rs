//! Boards whose layouts are not counted: the frontier is too wide for the memory, or the time was over before.
//!
//! What is certain comes from single numbers and windows at first, which takes a moment. Then clingo is asked about the cells that
//! some layouts, which it makes as different as it can, have in common: about one cell at a time, by the numbers alone and at last
//! with the total, and not for long each. That a cell is certain is known as soon as the question is answered,
//! where the intersection of all layouts is known at its end only: a lattice of 31×31 cells takes it minutes or no end, as the
//! total makes a search of what the numbers decide by themselves. For what clingo proves a few numbers around the cell are looked
//! for that prove it too. Of all other cells nothing is known.

use std::ops::ControlFlow;

use super::answer::Answer;
use super::board::Board;
use super::count::Budget;
use super::explain;
use super::grid::Cell;
use super::{Proof, grounded, obvious, pattern};
use crate::diagnostic::Failure;
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::puzzle::Found;
use crate::stop::Reason;

/// How far the numbers around a cell are asked, and the bytes that their count may take.
const REACH: usize = 8;
const MEMORY: u64 = 64 << 20;
/// Windows that are looked at, a moment long if the time is over: a tenth of a second.
const WINDOWS: usize = 4000;
/// Layouts that are compared.
const LAYOUTS: usize = 8;
/// What a second opinion of the cells of clingo may take.
const NODES: u64 = 200_000;

/// Tells what is certain. `reason` is why the layouts were not counted.
pub fn solve(board: &Board, reason: Reason, job: &Job, found: Found<'_, Answer>) -> Result<Ending<Proof>, Failure> {
    let (position, stop) = (&board.position, &job.stop);
    let mut work = position.clone();
    let is_sound = obvious::mark_all(&mut work, |_| ()).is_ok();
    // Contradictions of single numbers were found before anything was counted.
    if !is_sound || position.mines.is_some_and(|mines| mines < work.count(Cell::Mine)) {
        return grounded::certain(board, job, false, found);
    }
    let moment = stop.for_a_moment();
    let budget = Budget { stop: moment.stop.clone(), memory: MEMORY, reason: Reason::WideFrontier };
    let decided = pattern::everywhere(&work, WINDOWS, &budget);
    let mut reasons = explain::some_reasons(position, &decided, 0, &budget);
    let mut by_clingo = Vec::new();
    if stop.requested().is_none() {
        let Some(layouts) = grounded::layouts_of_numbers(board, job, LAYOUTS)? else {
            return grounded::certain(board, job, false, found);
        };
        let is_mine = |layout: &Vec<usize>, cell: usize| layout.binary_search(&cell).is_ok();
        let same = |cell: usize| {
            let first = is_mine(layouts.first()?, cell);
            (layouts.len() > 1 && layouts.iter().all(|layout| is_mine(layout, cell) == first)).then_some((cell, first))
        };
        let mut maybe: Vec<(usize, bool)> = work.all(Cell::Closed).filter_map(same).collect();
        by_clingo = grounded::proven(board, job, &maybe, false)?;
        // Nearly all of them follow from a few numbers around.
        let budget = Budget { stop: stop.clone(), memory: MEMORY, reason: Reason::WideFrontier };
        let more = explain::some_reasons(position, &by_clingo, REACH, &budget);
        if more.len() > reasons.len() {
            reasons = more;
        }
        maybe.retain(|cell| !by_clingo.contains(cell));
        by_clingo.extend(grounded::proven(board, job, &maybe, true)?);
        by_clingo.retain(|&(cell, _)| !reasons.iter().any(|reason| reason.cell == cell));
        by_clingo.sort_unstable();
    }
    let mut answer = Answer::unknown(position);
    let by_reasons = reasons.iter().map(|reason| (reason.cell, reason.is_mine));
    let flags = position.all(Cell::Mine).map(|cell| (cell, true));
    for (cell, is_mine) in by_reasons.chain(flags).chain(by_clingo.iter().copied()) {
        answer.prove(cell, is_mine);
    }
    answer.safe.sort_unstable();
    answer.mines.sort_unstable();
    answer.by_clingo = grounded::not_vouched(board, job, &by_clingo, NODES)?;
    answer.reasons = reasons;
    answer.choose();
    let _: ControlFlow<()> = found(answer)?;
    Ok(Ending::of(Verdict::GaveUp(stop.requested().unwrap_or(reason)), false))
}
