//! A game move by move, with the reason for each.

use std::ops::ControlFlow;

use super::super::answer::Answer;
use super::super::board::Board;
use super::super::conflict::{self, Conflict};
use super::super::count::Budget;
use super::super::explain::{Reason, Stage};
use super::super::grid::{Cell, Position};
use super::super::{answer, text};
use super::bot::Move;
use super::game::{Click, Game};
use super::player::{Round, Table, Tally};
use super::report::Range;
use crate::job::Job;
use crate::puzzle::Console;
use crate::report::Style;

/// Plays games one after the other and shows each of their moves.
pub fn games(table: &Table, Range { seed, from, games }: Range, job: &Job, console: &mut Console<'_>) -> Tally {
    let mut sum = Tally::default();
    for game in from..from + games {
        if job.stop.requested().is_some() {
            break;
        }
        match watched(table, table.random(seed, game), job, console) {
            ControlFlow::Continue(tally) => sum.add(&tally),
            ControlFlow::Break(()) => break,
        }
    }
    sum
}

fn watched(table: &Table, mut random: fastrand::Rng, job: &Job, console: &mut Console<'_>) -> ControlFlow<(), Tally> {
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
        (console.show)(&frame(&round.game, round.cell, &title, &job.style))?;
        if click != Click::Open {
            break;
        }
        if job.stop.requested().is_some() {
            return ControlFlow::Break(());
        }
        // What the player knows at once, without what it finds out about other cells.
        let before = round.game.position.clone();
        why = words(&before, &round.choose());
    }
    ControlFlow::Continue(round.tally)
}

fn board(position: &Position) -> Board {
    Board::of(position.clone())
}

/// Why a cell is opened.
fn words(position: &Position, next: &Move) -> String {
    if next.stage == Stage::Guess {
        let chance =
            next.chance.map_or(String::new(), |chance| format!("; the game is won with {:.1} %", 100.0 * chance));
        return format!("no cell is certain to be safe; this one is with {:.1} %{chance}.", 100.0 * next.safety);
    }
    let conflict = match next.number {
        Some(number) => Conflict { clues: vec![number], needs_total: false },
        None => conflict::reason(position, next.cell, false, None, &Budget::none()).unwrap_or_default(),
    };
    format!("{}.", answer::words(&board(position), &Reason::new((next.cell, false), next.stage, conflict)))
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
