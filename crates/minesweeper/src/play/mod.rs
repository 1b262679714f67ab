//! Games, the bot that plays them, and the report of `asp-solve play minesweeper`.

pub mod bot;
mod cliques;
pub mod endgame;
mod fifty_fifty;
pub mod game;
mod options;
pub mod player;
pub mod report;
pub mod round;
mod watch;

use std::sync::Arc;

use super::adjacency::Adjacency;
use super::count::Budget;
use super::grid::Cell;
use super::position::KnownPosition;
use bot::{Bot, BotMove, LogFactorials, Strategy};
pub use options::BoardOptions;
pub use player::Player;

/// Maximum number of cells of a board for look-ahead: on larger boards, a count for each number of
/// each candidate takes too long.
const MAX_CELLS_TO_LOOK_AHEAD: usize = 2_500;

/// Returns the best guess in a position without a safe cell. `risks` contains the probability of a
/// mine for each cell. The guess is the cell of least risk if a limit ends the search, or if the
/// bot is not designed for the board, because its neighbourhood is not that of a king or its total
/// is unknown.
pub fn best_guess(position: &KnownPosition, risks: &[f64], budget: &Budget) -> Option<BotMove> {
    let closed = position.cells_of(Cell::Closed).filter(|&cell| risks[cell] < 1.0);
    let safest = closed.min_by(|&a, &b| risks[a].total_cmp(&risks[b]))?;
    let safest = BotMove::guess(safest, 1.0 - risks[safest]);
    let is_supported = position.adjacency == Adjacency::King && position.mines.is_some();
    if !is_supported || position.grid.area() > MAX_CELLS_TO_LOOK_AHEAD {
        return Some(safest);
    }
    let mut work = position.clone();
    // All open cells are new to the bot.
    let opened: Vec<usize> = position.numbers().collect();
    let factorials = Arc::new(LogFactorials::new(position.grid.area()));
    match Bot::new(Strategy::Best, factorials, budget).next(&mut work, &opened) {
        Ok(next) => (risks[next.cell] < 1.0).then_some(next),
        Err(_) => Some(safest),
    }
}
