//! A game move by move, with the reason for each.

use std::ops::ControlFlow;

use super::super::answer::Answer;
use super::super::board::Board;
use super::super::conflict::{self, Conflict};
use super::super::count::Budget;
use super::super::explain::{self, Stage};
use super::super::grid::{Cell, Position};
use super::super::{answer, text};
use super::bot::Move;
use super::game::{Click, Game};
use super::player::{Round, Table, Tally};
use super::report::Range;
use crate::job::Job;
use crate::puzzle::Console;
use crate::report::Style;
use crate::stop::Reason;

/// Plays games one after the other and shows each of their moves; tells why they ended early, if a limit was reached.
pub fn games(
    table: &Table,
    Range { seed, from, games }: Range,
    job: &Job,
    console: &mut Console<'_>,
) -> (Tally, Option<Reason>) {
    let mut sum = Tally::default();
    for game in from..from + games {
        if job.stop.requested().is_some() {
            break;
        }
        match watched(table, table.random(seed, game), job, console) {
            ControlFlow::Continue(tally) => sum.add(&tally),
            ControlFlow::Break(reason) => return (sum, reason),
        }
    }
    (sum, None)
}

fn watched(
    table: &Table,
    mut random: fastrand::Rng,
    job: &Job,
    console: &mut Console<'_>,
) -> ControlFlow<Option<Reason>, Tally> {
    let mut round = Round::new(table, &mut random);
    let mut why = "The first click.".to_owned();
    for number in 1.. {
        let click = round.click();
        let end = match click {
            Click::Mine => " A mine: lost.",
            Click::Won => " Every safe cell is open: won.",
            Click::Open => "",
        };
        let title = format!("{number}. {}: {why}{end}", board(&round.game.position).words(round.cell));
        if (console.show)(&frame(&round.game, round.cell, &title, &job.style)).is_break() {
            return ControlFlow::Break(None);
        }
        if click != Click::Open {
            break;
        }
        if job.stop.requested().is_some() {
            return ControlFlow::Break(None);
        }
        // What the player knows at once, without what it finds out about other cells.
        let before = round.game.position.clone();
        let words = round.choose().and_then(|next| words(&before, &next, &table.budget));
        why = match words {
            Ok(words) => words,
            Err(reason) => return ControlFlow::Break(Some(reason)),
        };
    }
    ControlFlow::Continue(round.tally)
}

fn board(position: &Position) -> Board {
    Board::of(position.clone())
}

/// Why a cell is opened.
fn words(position: &Position, next: &Move, budget: &Budget) -> Result<String, Reason> {
    if next.stage == Stage::Guess {
        let chance =
            next.chance.map_or(String::new(), |chance| format!("; the game is won with {:.1} %", 100.0 * chance));
        let words = format!("no cell is certain to be safe; this one is with {:.1} %{chance}.", 100.0 * next.safety);
        return Ok(words);
    }
    let conflict = match next.number {
        Some(number) => Conflict { clues: vec![number], needs_total: false },
        None => conflict::reason(position, next.cell, false, None, budget)?,
    };
    Ok(format!("{}.", answer::words(&board(position), &explain::Reason::new((next.cell, false), next.stage, conflict))))
}

/// The board with what the player knows of it; a mine that was clicked is shown.
fn frame(game: &Game, clicked: usize, title: &str, style: &Style) -> String {
    let position = &game.position;
    let mut answer = Answer::unknown(position);
    let mut seen = position.clone();
    for cell in position.all(Cell::Safe) {
        answer.prove(cell, false);
        seen.cells[cell] = Cell::Closed;
    }
    position.all(Cell::Mine).for_each(|cell| answer.prove(cell, true));
    answer.best = if game.is_mine(clicked) { vec![clicked] } else { Vec::new() };
    format!("{title}\n\n{}\n", text::drawing(&Board::of(seen), &answer, style))
}
