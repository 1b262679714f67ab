//! Boards whose layouts are not counted: the frontier is too wide for the memory, or the time was over before.
//!
//! What is certain comes from four sources, the quick ones first: single numbers, windows, the numbers around a cell, and
//! clingo. The last three are asked about few cells alone, which the first rounds of sampling choose: a cell that is a mine
//! in one layout and none in another is not certain, and nearly all are like that. Clingo is asked about one cell at a time,
//! by the numbers alone and at last with the total, and no longer than [`CONFLICTS`] each: that a cell is certain is known as
//! soon as the question is answered, where the intersection of all layouts is known at its end only. A lattice of 31×31
//! cells takes it minutes or no end, as the total makes a search of what the numbers decide by themselves.
//!
//! All other cells are sampled. When the time is over, what was found stays; if it was over before any of this began, single
//! numbers and small windows are looked at nevertheless.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::answer::Answer;
use super::board::Board;
use super::count::Budget;
use super::explain::{self, Stage};
use super::frontier::Frontier;
use super::grid::{Cell, Position};
use super::sampling::{BURN_IN, CHAINS, ROUNDS, Sampler};
use super::{Proof, grounded, obvious, pattern};
use crate::diagnostic::Failure;
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::puzzle::Found;
use crate::stop::Reason;

/// How far the numbers around a cell are asked, and the bytes that their count may take.
const REACH: usize = 8;
const MEMORY: u64 = 64 << 20;
/// Windows that are looked at when the time is over: a tenth of a second.
const WINDOWS: usize = 4000;
/// What a second opinion of the cells of clingo may take.
const NODES: u64 = 200_000;
/// The standard error from which on an estimate tells nothing: the chains have hardly met a layout with the right total.
const VAGUE: f64 = 0.25;
/// Conflicts of clingo for a cell.
pub const CONFLICTS: u32 = 2000;

/// Tells what is certain, and estimates the rest. `reason` is why the layouts were not counted.
pub fn solve(board: &Board, reason: Reason, job: &Job, found: Found<'_, Answer>) -> Result<Ending<Proof>, Failure> {
    let (position, stop) = (&board.position, &job.stop);
    let mut work = position.clone();
    let frontier = obvious::mark_all(&mut work, |_| ()).and_then(|()| Frontier::new(&work));
    let left = position.mines.map(|mines| mines.checked_sub(work.count(Cell::Mine)));
    // Contradictions of single numbers were found before anything was counted.
    let (Ok(frontier), None | Some(Some(_))) = (frontier, left) else {
        return grounded::certain(board, job, found);
    };
    let mut answer = Answer::unknown(position);
    let starts = match stop.requested() {
        Some(_) => Vec::new(),
        None => match grounded::layouts_of_numbers(board, job, CHAINS)? {
            None => return grounded::certain(board, job, found),
            Some(starts) => starts,
        },
    };
    // What is left of the time is for what is certain.
    let starts = if stop.requested().is_none() && starts.len() > 1 { starts } else { Vec::new() };
    let mut sampler = Sampler::new(position.grid, &frontier, left.flatten(), &starts);
    let closed = || position.grid.cells().filter(|&cell| work.cells[cell] == Cell::Closed);
    let is_over = sampler.walk(BURN_IN, stop).is_err() || starts.is_empty();
    let maybe: Vec<(usize, bool)> = if is_over {
        in_windows(&work)
    } else if sampler.is_telling() {
        let alike = sampler.estimates().into_iter();
        let always = alike.filter_map(|(cells, estimate)| Some((cells, estimate.always?)));
        always.flat_map(|(cells, is_mine)| cells.iter().map(move |&cell| (cell as usize, is_mine))).collect()
    } else {
        let is_mine = |cell: usize| starts.iter().map(move |start| start.binary_search(&cell).is_ok());
        let same = |cell: usize| is_mine(cell).all(|other| is_mine(cell).next() == Some(other));
        closed().filter(|&cell| same(cell)).map(|cell| (cell, is_mine(cell).next() == Some(true))).collect()
    };
    let budget = if is_over { Budget::none() } else { Budget { stop: stop.clone(), memory: MEMORY } };
    let (mut reasons, mut open) = explain::some_reasons(position, &maybe, if is_over { 0 } else { REACH }, &budget);
    if !is_over && stop.requested().is_some() {
        let (quick, _) = explain::some_reasons(position, &in_windows(&work), 0, &Budget::none());
        if quick.len() > reasons.len() {
            reasons = quick;
        }
    }
    let mut by_clingo = if is_over { Vec::new() } else { grounded::proven(board, job, &open, false)? };
    sampler.forget();
    if sampler.walk(ROUNDS, stop).is_ok() && !is_over {
        let varied = sampler.estimates().into_iter().filter(|(_, estimate)| estimate.always.is_none());
        let varied: FxHashSet<u32> = varied.flat_map(|(cells, _)| cells).copied().collect();
        open.retain(|(cell, is_mine)| !varied.contains(&(*cell as u32)) && !by_clingo.contains(&(*cell, *is_mine)));
        by_clingo.extend(grounded::proven(board, job, &open, true)?);
    }
    if sampler.is_telling() {
        let mut errors = vec![None; position.grid.extent()];
        for (cells, estimate) in sampler.estimates() {
            for &cell in cells {
                if estimate.error < VAGUE {
                    answer.probabilities[cell as usize] = Some(estimate.probability);
                    errors[cell as usize] = Some(estimate.error);
                }
            }
        }
        answer.errors = errors.iter().any(Option::is_some).then_some(errors);
    }
    let by_reasons = reasons.iter().map(|reason| (reason.cell, reason.is_mine));
    let flags = position.grid.cells().filter(|&cell| position.cells[cell] == Cell::Mine).map(|cell| (cell, true));
    for (cell, is_mine) in by_reasons.chain(flags).chain(by_clingo.iter().copied()) {
        answer.prove(cell, is_mine);
    }
    answer.safe.sort_unstable();
    answer.mines.sort_unstable();
    let safe = reasons.iter().filter(|reason| !reason.is_mine).map(|reason| reason.stage);
    answer.found_by = safe.min().unwrap_or(if answer.safe.is_empty() { Stage::Guess } else { Stage::Csp });
    answer.best = if answer.safe.is_empty() { answer.safest().into_iter().collect() } else { answer.safe.clone() };
    answer.by_clingo = grounded::not_vouched(board, job, &by_clingo, NODES)?;
    answer.reasons = reasons;
    let _: ControlFlow<()> = found(answer)?;
    Ok(Ending::of(Verdict::GaveUp(stop.requested().unwrap_or(reason)), false))
}

/// What small windows say, as long as a moment takes.
fn in_windows(position: &Position) -> Vec<(usize, bool)> {
    pattern::everywhere(position, WINDOWS).into_iter().map(|decided| (decided.cell, decided.is_mine)).collect()
}
