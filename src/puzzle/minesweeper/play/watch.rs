//! A game move by move, with the reason for each.

use std::fmt::Write;
use std::ops::ControlFlow;

use super::super::answer::Answer;
use super::super::board::Board;
use super::super::conflict;
use super::super::count::Budget;
use super::super::explain::{Reason, Stage};
use super::super::grid::{Cell, Position};
use super::super::{answer, text};
use super::bot::{Bot, Move};
use super::game::{Click, Game};
use super::player::{Table, Tally};
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
    let mut game = table.rules.game(&mut random, table.first);
    let mut bot = Bot::new(table.strategy, table.logarithms.clone());
    let mut tally = Tally { games: 1, ..Tally::default() };
    let mut opened = Vec::new();
    let mut cell = table.first;
    let mut why = "The first click.".to_owned();
    for number in 1.. {
        opened.clear();
        let click = game.click(cell, &mut opened);
        let end = match click {
            Click::Mine => " A mine: lost.",
            Click::Won => " Every safe cell is open: won.",
            Click::Open => "",
        };
        let title = format!("{number}. {}: {why}{end}", board(&game.position).words(cell));
        let frame = frame(&game, cell, &title, &job.style);
        (console.show)(&frame)?;
        match click {
            Click::Mine => break,
            Click::Won => {
                tally.wins = 1;
                break;
            }
            Click::Open => {}
        }
        if job.stop.requested().is_some() {
            return ControlFlow::Break(());
        }
        // What the player knows at once, without what it finds out about other cells.
        let before = game.position.clone();
        let next = bot.next(&mut game.position, &opened);
        tally.clicks[next.stage as usize] += 1;
        why = words(&before, &next);
        cell = next.cell;
    }
    ControlFlow::Continue(tally)
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
    let (numbers, needs_total) = match next.number {
        Some(number) => (vec![number], false),
        None => match conflict::reason(position, next.cell, false, None, &Budget::none()) {
            Ok(conflict) => (conflict.numbers, conflict.needs_total),
            Err(_) => (Vec::new(), false),
        },
    };
    let reason = Reason { cell: next.cell, is_mine: false, stage: next.stage, numbers, needs_total, window: None };
    format!("{}.", answer::words(&board(position), &reason))
}

/// The board with what the player knows of it; a mine that was clicked is shown.
fn frame(game: &Game, clicked: usize, title: &str, style: &Style) -> String {
    let position = &game.position;
    let mut probabilities = vec![None; position.grid.extent()];
    for cell in position.grid.cells() {
        probabilities[cell] = match position.cells[cell] {
            Cell::Mine => Some(1.0),
            Cell::Safe => Some(0.0),
            _ => None,
        };
    }
    let seen: Vec<Cell> =
        position.cells.iter().map(|&cell| if cell == Cell::Safe { Cell::Closed } else { cell }).collect();
    let best = if game.is_mine(clicked) { vec![clicked] } else { Vec::new() };
    let answer = Answer { probabilities, best, ..Answer::unknown(position) };
    let board = board(&Position { cells: seen, ..position.clone() });
    let mut frame = format!("{title}\n\n");
    let _ = writeln!(frame, "{}", text::drawing(&board, &answer, style));
    frame
}
