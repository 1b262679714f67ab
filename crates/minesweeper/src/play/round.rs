//! A game of the bot, click by click, and the configuration that all games of a run share.

use std::sync::Arc;

use base::stop::{CancelToken, StopReason};
use puzzle::name_of;
use serde_json::{Value, json};

use super::super::count::Budget;
use super::super::grid::Grid;
use super::super::layouts::{Layouts, push_combinations};
use super::super::position::KnownPosition;
use super::bot::{Bot, BotMove, LogFactorials, Strategy};
use super::endgame;
use super::game::{Click, Game, Setup, Start};
use super::report::{self, Tally};

/// The configuration shared by all games of a run.
#[derive(Clone)]
pub struct RunConfig {
    pub setup: Setup,
    pub strategy: Strategy,
    pub first: usize,
    pub budget: Budget,
    log_factorials: Arc<LogFactorials>,
}

impl RunConfig {
    pub fn new(setup: Setup, strategy: Strategy, budget: &Budget) -> Self {
        let log_factorials = Arc::new(LogFactorials::new(setup.grid.area()));
        let first = first_click(&setup, strategy, &budget.stop);
        RunConfig { setup, strategy, first, budget: budget.clone(), log_factorials }
    }

    pub fn bot(&self) -> Bot {
        Bot::new(self.strategy, self.log_factorials.clone(), &self.budget)
    }

    /// Returns the random generator of one game.
    pub fn random(&self, seed: u64, game: u64) -> fastrand::Rng {
        // Two generators are seeded in turn, so that games of consecutive seeds are unrelated.
        let mixed = fastrand::Rng::with_seed(seed).u64(..).wrapping_add(game.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        fastrand::Rng::with_seed(mixed)
    }

    /// Plays one game to its end, or until a limit ends it.
    pub fn play(&self, random: &mut fastrand::Rng) -> Result<Tally, StopReason> {
        let mut round = Round::new(self, random);
        while round.click() == Click::Open {
            round.choose()?;
        }
        Ok(round.tally)
    }

    /// Returns the report of games, without the keys that games at a window lack.
    pub fn json(&self, tally: &Tally, seconds: f64) -> Value {
        let game = json!({
            "schema": 1, "puzzle": "minesweeper", "strategy": name_of(self.strategy),
            "rows": self.setup.grid.rows, "columns": self.setup.grid.columns, "mines": self.setup.mines,
            "first": self.setup.grid.place(self.first),
        });
        report::json(game.as_object().cloned().unwrap_or_default(), tally, seconds)
    }
}

/// A game of the bot, click by click.
pub struct Round {
    pub game: Game,
    bot: Bot,
    /// The cell to open next.
    pub cell: usize,
    opened: Vec<usize>,
    pub tally: Tally,
}

impl Round {
    pub fn new(config: &RunConfig, random: &mut fastrand::Rng) -> Self {
        let game = config.setup.game(random, config.first);
        let tally = Tally { games: 1, ..Tally::default() };
        Round { game, bot: config.bot(), cell: config.first, opened: Vec::new(), tally }
    }

    pub fn click(&mut self) -> Click {
        self.opened.clear();
        let click = self.game.click(self.cell, &mut self.opened);
        self.tally.wins = u64::from(click == Click::Won);
        click
    }

    pub fn choose(&mut self) -> Result<BotMove, StopReason> {
        let next = self.bot.next(&mut self.game.position, &self.opened)?;
        self.tally.clicks[next.stage as usize] += 1;
        self.cell = next.cell;
        Ok(next)
    }
}

/// Maximum number of layouts of a board whose first click is searched.
const MAX_FIRST_CLICK_LAYOUTS: usize = 12_870;

/// Returns the first click: on boards with few layouts that of the game tree; otherwise a corner,
/// where a zero is most likely, or, if an opening is guaranteed, a few cells from a corner, where
/// the opening is largest.
fn first_click(setup: &Setup, strategy: Strategy, stop: &CancelToken) -> usize {
    let grid = setup.grid;
    if strategy == Strategy::Best
        && grid.area() <= 25
        && let Some(best) = first_click_by_search(setup, stop)
    {
        return best;
    }
    let distance = match setup.start {
        Start::Safe => 0,
        Start::Opening if grid.rows.min(grid.columns) >= 16 && grid.area() > 256 => 3,
        Start::Opening => 2,
    };
    grid.cell(distance.min((grid.rows - 1) / 2), distance.min((grid.columns - 1) / 2))
}

/// Returns true for the first cell among its images under rotations and reflections of the board.
fn is_first_of_its_images(grid: Grid, cell: usize) -> bool {
    let [row, column] = grid.place(cell);
    let mirrored = [[row, column], [grid.rows - 1 - row, column]];
    let turned = mirrored.map(|[row, column]| [row, grid.columns - 1 - column]);
    let images = mirrored.into_iter().chain(turned);
    let images =
        images.flat_map(|[row, column]| [Some([row, column]), (grid.rows == grid.columns).then_some([column, row])]);
    images.flatten().all(|image| [row, column] <= image)
}

/// Returns the first click that wins the most games, or `None` if there are too many layouts or the
/// run is stopped.
fn first_click_by_search(setup: &Setup, stop: &CancelToken) -> Option<usize> {
    let cells: Vec<usize> = setup.grid.cells().collect();
    let mut best: Option<(f64, usize)> = None;
    for &first in cells.iter().filter(|&&cell| is_first_of_its_images(setup.grid, cell)) {
        let mine_free = setup.mine_free_cells(first);
        let candidates: Vec<usize> =
            (0..cells.len()).filter(|&bit| !mine_free.clone().any(|free| free == cells[bit])).collect();
        if candidates.len() < setup.mines {
            continue;
        }
        let mut all = Vec::new();
        if !push_combinations(&candidates, setup.mines, 0, MAX_FIRST_CLICK_LAYOUTS, &mut all) {
            return None;
        }
        let position = KnownPosition::closed(setup.grid, Some(setup.mines));
        let layouts = Layouts { cells: cells.clone(), all };
        let chance = f64::from(endgame::wins(&position, &layouts, stop)?) / layouts.all.len() as f64;
        if best.is_none_or(|(most, _)| chance > most) {
            best = Some((chance, first));
        }
    }
    best.map(|(_, first)| first)
}
