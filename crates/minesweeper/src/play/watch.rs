//! Shows a game move by move, with the reason for each move.

use std::ops::ControlFlow;

use base::stop::StopReason;
use base::style::Style;
use puzzle::Console;
use puzzle::job::Job;

use super::super::answer::Answer;
use super::super::board::Board;
use super::super::conflict::{self, Conflict};
use super::super::count::Budget;
use super::super::explain::{self, Stage};
use super::super::grid::Cell;
use super::super::position::KnownPosition;
use super::super::{answer, text};
use super::bot::BotMove;
use super::game::{Click, Game};
use super::report::{GameRange, Tally};
use super::round::{Round, RunConfig};

/// Plays games and shows each move; also returns the limit that ended them early, if any.
pub fn watch_games(
    config: &RunConfig,
    GameRange { seed, from, games }: GameRange,
    job: &Job,
    console: &mut Console<'_>,
) -> (Tally, Option<StopReason>) {
    let mut sum = Tally::default();
    for game in from..from + games {
        if job.stop.requested().is_some() {
            break;
        }
        match watch_game(config, config.random(seed, game), job, console) {
            ControlFlow::Continue(tally) => sum.add(&tally),
            ControlFlow::Break(reason) => return (sum, reason),
        }
    }
    (sum, None)
}

fn watch_game(
    config: &RunConfig,
    mut random: fastrand::Rng,
    job: &Job,
    console: &mut Console<'_>,
) -> ControlFlow<Option<StopReason>, Tally> {
    let mut round = Round::new(config, &mut random);
    let mut reason = "The first click.".to_owned();
    for number in 1.. {
        let click = round.click();
        let end = match click {
            Click::Mine => " A mine: lost.",
            Click::Won => " Every safe cell is open: won.",
            Click::Open => "",
        };
        let title = format!("{number}. {}: {reason}{end}", board(&round.game.position).describe_cell(round.cell));
        if (console.show)(&frame(&round.game, round.cell, &title, &job.output.style)).is_break() {
            return ControlFlow::Break(None);
        }
        if click != Click::Open {
            break;
        }
        if job.stop.requested().is_some() {
            return ControlFlow::Break(None);
        }
        // The position before the bot marks further cells.
        let position = round.game.position.clone();
        let words = round.choose().and_then(|next| explain_move(&position, &next, &config.budget));
        reason = match words {
            Ok(words) => words,
            Err(reason) => return ControlFlow::Break(Some(reason)),
        };
    }
    ControlFlow::Continue(round.tally)
}

fn board(position: &KnownPosition) -> Board {
    Board::new(position.clone())
}

/// Describes the reason for a move.
fn explain_move(position: &KnownPosition, next: &BotMove, budget: &Budget) -> Result<String, StopReason> {
    if next.stage == Stage::Guess {
        let chance = next.chance.map_or(String::new(), |chance| format!("; win probability {:.1} %", 100.0 * chance));
        let words = format!("no cell is certain to be safe; this one is with {:.1} %{chance}.", 100.0 * next.safety);
        return Ok(words);
    }
    let conflict = match next.number {
        Some(number) => Conflict { clues: vec![number], needs_total: false },
        None => conflict::reason(position, next.cell, false, None, budget)?,
    };
    Ok(format!(
        "{}.",
        answer::describe_reason(&board(position), &explain::Reason::new((next.cell, false), next.stage, conflict))
    ))
}

/// Draws the board with the results of the bot, and with the mine if one was clicked.
fn frame(game: &Game, clicked: usize, title: &str, style: &Style) -> String {
    let position = &game.position;
    let mut answer = Answer::unknown(position);
    let mut shown = position.clone();
    for cell in position.cells_of(Cell::Safe) {
        answer.prove(cell, false);
        shown.cells[cell] = Cell::Closed;
    }
    for cell in position.cells_of(Cell::Mine) {
        answer.prove(cell, true);
    }
    answer.best = if game.is_mine(clicked) { vec![clicked] } else { Vec::new() };
    format!("{title}\n\n{}\n", text::drawing(&Board::new(shown), &answer, style))
}
