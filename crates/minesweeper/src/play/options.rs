//! Options for the board of a game.

use base::diagnostic::{Code, Diagnostic, Failure};
use clap::{Args, ValueEnum};
use puzzle::values::size;

use super::super::grid::Grid;
use super::game::{Setup, Start};

/// Maximum number of cells of a game; on larger boards the weights of the bot overflow `f64`.
const MAX_CELLS: usize = 4096;

#[derive(Debug, Clone, Args)]
pub struct BoardOptions {
    /// The board
    #[arg(long, value_enum, conflicts_with_all = ["size", "mines"])]
    pub level: Option<Level>,
    /// Columns and rows
    #[arg(long, value_name = "CxR", value_parser = size, requires = "mines")]
    pub size: Option<(usize, usize)>,
    /// Mines, with --size
    #[arg(long, value_name = "N", requires = "size")]
    pub mines: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// 9×9, 10 mines
    Beginner,
    /// 16×16, 40 mines
    Intermediate,
    /// 30×16, 99 mines
    Expert,
}

impl BoardOptions {
    /// Returns the setup of a game, by default that of the level for beginners. A level has at
    /// least `least_columns` columns.
    pub fn setup(&self, start: Start, least_columns: usize) -> Result<Setup, Failure> {
        let (columns, rows, mines) = match (self.level, self.size, self.mines) {
            (_, Some((columns, rows)), Some(mines)) => (columns, rows, mines),
            (Some(Level::Intermediate), ..) => (16.max(least_columns), 16, 40),
            (Some(Level::Expert), ..) => (30.max(least_columns), 16, 99),
            _ => (9.max(least_columns), 9, 10),
        };
        let usage_error = |text: String| Err(Diagnostic::error(Code::Usage, text).into());
        if columns.checked_mul(rows).is_none_or(|area| area > MAX_CELLS) {
            return usage_error(format!("--size {columns}x{rows}: a game has at most {MAX_CELLS} cells"));
        }
        if mines == 0 {
            return usage_error("--mines 0: a game has at least one mine".to_owned());
        }
        let setup = Setup { grid: Grid { rows, columns }, mines, start };
        let mine_free = setup.max_mine_free_cells();
        if mines + mine_free > setup.grid.area() {
            let area = setup.grid.area();
            let free_words = if mine_free == 1 { "that one" } else { "its surroundings" };
            return usage_error(format!(
                "--mines {mines}: there are {area} cells, and the first click keeps {free_words} free: {} mines at the most",
                area.saturating_sub(mine_free)
            ));
        }
        Ok(setup)
    }
}
