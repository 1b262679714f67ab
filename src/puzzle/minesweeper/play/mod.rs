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

use super::adjacency::Adjacency;
use super::count::Budget;
use super::grid::{Cell, Position};
use bot::{Bot, Factorials, Move, Strategy};
pub use options::Field;
pub use player::Player;

/// Boards with more cells are not looked ahead on: counting a board for each number of each candidate takes too long.
const MOST_TO_LOOK_AHEAD: usize = 2_500;

/// The best guess in a position without a safe cell; `risks` are by cell. Where a limit ends the search for it, and
/// with other neighbours than the game's own, for which the player was not made, it is the cell of least risk.
pub fn best_guess(position: &Position, risks: &[f64], budget: &Budget) -> Option<Move> {
    let closed = position.all(Cell::Closed).filter(|&cell| risks[cell] < 1.0);
    let safest = closed.min_by(|&a, &b| risks[a].total_cmp(&risks[b]))?;
    let safest = Move::guess(safest, 1.0 - risks[safest]);
    let is_usual = position.adjacency == Adjacency::King && position.mines.is_some();
    if !is_usual || position.grid.area() > MOST_TO_LOOK_AHEAD {
        return Some(safest);
    }
    let mut work = position.clone();
    // To the player all that is open is new.
    let opened: Vec<usize> = position.numbers().collect();
    let factorials = Arc::new(Factorials::new(position.grid.area()));
    match Bot::new(Strategy::Best, factorials, budget).next(&mut work, &opened) {
        Ok(next) => (risks[next.cell] < 1.0).then_some(next),
        Err(_) => Some(safest),
    }
}
