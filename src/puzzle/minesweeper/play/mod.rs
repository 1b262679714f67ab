//! Games, the bot that plays them, and what `asp-solve play minesweeper` reports.

pub mod bot;
mod cliques;
pub mod endgame;
pub mod game;
mod options;
pub mod player;
pub mod report;
mod untold;
mod watch;

use std::sync::Arc;

use super::grid::{Cell, Position};
use bot::{Factorials, Strategy};
pub use options::Field;
pub use player::Player;

/// A guess, and the chance to win with it, where the game tree was searched through.
pub struct Guess {
    pub cell: usize,
    pub chance: Option<f64>,
}

/// Boards with more cells are not looked ahead on: counting a board for each number of each candidate takes too long.
const MOST_TO_LOOK_AHEAD: usize = 2_500;

/// The best guess in a position without a safe cell; `risks` are by cell.
pub fn best_guess(position: &Position, risks: &[f64]) -> Option<Guess> {
    let closed = position.grid.cells().filter(|&cell| position.cells[cell] == Cell::Closed && risks[cell] < 1.0);
    closed.clone().next()?;
    if position.mines.is_none() || position.grid.area() > MOST_TO_LOOK_AHEAD {
        let safest = closed.min_by(|&a, &b| risks[a].total_cmp(&risks[b]));
        return safest.map(|cell| Guess { cell, chance: None });
    }
    let mut work = position.clone();
    // To the player all that is open is new.
    let open = |&cell: &usize| matches!(position.cells[cell], Cell::Open(_));
    let opened: Vec<usize> = position.grid.cells().filter(open).collect();
    let mut player = bot::Bot::new(Strategy::Best, Arc::new(Factorials::new(position.grid.area())));
    let next = player.next(&mut work, &opened);
    (risks[next.cell] < 1.0).then_some(Guess { cell: next.cell, chance: next.chance })
}
