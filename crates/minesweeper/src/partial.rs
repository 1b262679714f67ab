//! Partial answers for boards whose layouts cannot be counted: the frontier is too wide for the
//! memory, or the time limit was reached.
//!
//! Single numbers and windows decide the first cells, which takes a moment. Then clingo generates
//! some layouts, as different as possible, and the cells in which they agree are queried one by
//! one: first with the numbers alone, then with the total, each with a conflict limit. A cell is
//! proven as soon as its query is answered, whereas the intersection of all layouts is known only
//! after the last one: on a lattice of 31×31 cells this takes minutes or does not end, because the
//! total turns a local deduction into a search. For each cell that clingo proves, a search looks
//! for a few numbers around it that prove it, too. All other cells remain unknown.

use std::ops::ControlFlow;

use base::diagnostic::Failure;
use base::ending::{SearchEnd, Verdict};
use base::stop::StopReason;
use puzzle::AnswerSink;
use puzzle::job::Job;

use super::answer::Answer;
use super::board::Board;
use super::count::{Budget, WIDE_FRONTIER};
use super::explain;
use super::grid::Cell;
use super::proof::Proof;
use super::{clingo, obvious, pattern};

/// The reach of the numbers around a cell in rows and columns.
const REACH: usize = 8;
/// The memory limit in bytes of a count of such numbers.
const MEMORY: u64 = 64 << 20;
/// Maximum number of windows to try. If the time limit was reached before, the windows still have a
/// tenth of a second.
const MAX_WINDOWS: usize = 4000;
/// Number of layouts to compare.
const LAYOUTS: usize = 8;
/// Node limit for rechecking the cells that clingo proves.
const NODES: u64 = 200_000;

/// Reports the certain cells. `reason` is the limit that ended the count of the layouts.
pub fn solve(
    board: &Board,
    reason: StopReason,
    job: &Job,
    sink: AnswerSink<'_, Answer>,
) -> Result<SearchEnd<Proof>, Failure> {
    let position = &board.position;
    let stop = &job.stop;
    let mut work = position.clone();
    let is_sound = obvious::mark_all(&mut work, |_| ()).is_ok();
    // Contradictions of single numbers were already found by the count.
    if !is_sound || position.mines.is_some_and(|mines| mines < work.count(Cell::Mine)) {
        return clingo::solve_by_consequences(board, job, false, sink);
    }
    let grace = stop.for_output();
    let budget = Budget { stop: grace.token.clone(), memory: MEMORY, reason: WIDE_FRONTIER };
    let decided = pattern::decided_anywhere(&work, MAX_WINDOWS, &budget);
    let mut reasons = explain::local_reasons(position, &decided, 0, &budget);
    let mut by_clingo = Vec::new();
    if stop.requested().is_none() {
        let Some(layouts) = clingo::layouts_of_numbers(board, job, LAYOUTS)? else {
            return clingo::solve_by_consequences(board, job, false, sink);
        };
        let is_mine = |layout: &Vec<usize>, cell: usize| layout.binary_search(&cell).is_ok();
        let agreed_value = |cell: usize| {
            let first = is_mine(layouts.first()?, cell);
            (layouts.len() > 1 && layouts.iter().all(|layout| is_mine(layout, cell) == first)).then_some((cell, first))
        };
        let mut candidates: Vec<(usize, bool)> = work.cells_of(Cell::Closed).filter_map(agreed_value).collect();
        by_clingo = clingo::prove_cells(board, job, &candidates, false)?;
        // Nearly all of these cells follow from a few numbers around them.
        let budget = Budget { stop: stop.clone(), memory: MEMORY, reason: WIDE_FRONTIER };
        let more_reasons = explain::local_reasons(position, &by_clingo, REACH, &budget);
        if more_reasons.len() > reasons.len() {
            reasons = more_reasons;
        }
        candidates.retain(|cell| !by_clingo.contains(cell));
        by_clingo.extend(clingo::prove_cells(board, job, &candidates, true)?);
        by_clingo.retain(|&(cell, _)| !reasons.iter().any(|reason| reason.cell == cell));
        by_clingo.sort_unstable();
    }
    let mut answer = Answer::unknown(position);
    let by_reasons = reasons.iter().map(|reason| (reason.cell, reason.is_mine));
    let flags = position.cells_of(Cell::Mine).map(|cell| (cell, true));
    for (cell, is_mine) in by_reasons.chain(flags).chain(by_clingo.iter().copied()) {
        answer.prove(cell, is_mine);
    }
    answer.safe.sort_unstable();
    answer.mines.sort_unstable();
    answer.by_clingo = clingo::unverified(board, job, &by_clingo, NODES)?;
    answer.reasons = reasons;
    answer.choose_best();
    let _: ControlFlow<()> = sink(answer)?;
    Ok(SearchEnd::of(Verdict::GaveUp(stop.requested().unwrap_or(reason)), false))
}
