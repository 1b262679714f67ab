//! `asp-solve play minesweeper`: plays many games and reports the results.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};

use super::super::count::Budget;
use super::super::grid::{Grid, KnownPosition};
use super::super::layouts::{Layouts, push_combinations};
use super::super::window;
use super::bot::{Bot, BotMove, LogFactorials, Strategy};
use super::endgame;
use super::game::{Click, Game, Setup, Start};
use super::options::BoardOptions;
use super::report::{self, GameRange};
use super::watch;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::ending::Verdict;
use crate::job::Job;
use crate::puzzle::{Console, Tool, ToolInput, ToolOutput, has_options, name_of};
use crate::report::Format;
use crate::stop::{CancelToken, StopReason};

#[derive(Debug, Clone, Copy)]
pub struct Player;

#[derive(Debug, Clone, Args)]
pub struct PlayOptions {
    #[command(flatten)]
    field: BoardOptions,
    /// What the first click finds
    #[arg(long, value_enum, default_value_t)]
    start: Start,
    /// Games to play [default: 1000; with --watch or --window 1]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// The same seed gives the same mines, with any number of threads
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Skip the first K games of the seed: --from 0 --games 500 and --from 500 --games 500 are parts of --games 1000
    #[arg(long, value_name = "K", default_value_t = 0, conflicts_with = "window")]
    from: u64,
    /// How to guess
    #[arg(long, value_enum, default_value_t)]
    strategy: Strategy,
    /// Show every move, with its reason
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    window: window::WindowArgs,
}

/// Games, wins, and clicks by stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub games: u64,
    pub wins: u64,
    /// Clicks by stage: obvious, pattern, csp, guess.
    pub clicks: [u64; 4],
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.games += other.games;
        self.wins += other.wins;
        for (sum, clicks) in self.clicks.iter_mut().zip(other.clicks) {
            *sum += clicks;
        }
    }
}

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

impl Tool for Player {
    has_options!(PlayOptions);

    fn name(&self) -> &'static str {
        "play"
    }

    fn about(&self) -> &'static str {
        "Let the bot play Minesweeper, here or at another program's window, and report"
    }

    fn input(&self) -> ToolInput {
        ToolInput::Nothing
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Json]
    }

    fn merge(&self, reports: &[(String, Value)], format: Format) -> Option<Result<String, Failure>> {
        Some(report::merge(reports).map(|merged| report::render(&merged, format, true)))
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.options::<PlayOptions>();
        let budget = Budget::of(job);
        let config =
            |columns| Ok(RunConfig::new(options.field.setup(options.start, columns)?, options.strategy, &budget));
        let is_slow = options.watch || options.window.window.is_some();
        if console.delay.is_some() && !is_slow {
            return Err(Diagnostic::error(Code::Usage, "--delay requires --watch or --window").into());
        }
        let games = options.games.unwrap_or(if is_slow { 1 } else { 1000 });
        if let Some(name) = &options.window.window {
            return window::run(&options.window, name, config, games, job, console);
        }
        let config = config(0)?;
        let PlayOptions { seed, from, .. } = *options;
        if from.checked_add(games).is_none() {
            return Err(Diagnostic::error(Code::Usage, format!("--from {from}: a seed has 2⁶⁴ games")).into());
        }
        let began = Instant::now();
        let range = GameRange { seed, from, games };
        let (tally, limit) = if options.watch {
            watch::watch_games(&config, range, job, console)
        } else {
            play_in_parallel(&config, range, job, console)
        };
        let mut report = config.json(&tally, began.elapsed().as_secs_f64());
        report["start"] = name_of(options.start).into();
        report["seed"] = seed.into();
        let played = GameRange { games: tally.games, ..range };
        report["played"] = json!(Vec::from_iter((played.games > 0).then_some(played)));
        let output = report::render(&report, job.format, !options.watch);
        let reason = job.stop.requested().or(limit).filter(|_| tally.games < games);
        Ok(ToolOutput { verdict: reason.map_or(Verdict::Solved, Verdict::GaveUp), ..ToolOutput::solved(output) })
    }
}

/// The results of finished games, summed in the order of their numbers without gaps.
#[derive(Default)]
struct OrderedTally {
    sum: Tally,
    /// Games with unfinished predecessors.
    early: BTreeMap<u64, Tally>,
    limit: Option<StopReason>,
}

impl OrderedTally {
    fn add(&mut self, game: u64, tally: Tally) {
        self.early.insert(game, tally);
        while let Some(next) = self.early.remove(&self.sum.games) {
            self.sum.add(&next);
        }
    }
}

/// Plays games on several threads; the result does not depend on their number. Also returns the
/// limit that ended them early, if any.
fn play_in_parallel(
    config: &RunConfig,
    range: GameRange,
    job: &Job,
    console: &Console<'_>,
) -> (Tally, Option<StopReason>) {
    let next = AtomicU64::new(0);
    let finished = Mutex::new(OrderedTally::default());
    std::thread::scope(|scope| {
        for _ in 0..job.num_threads() {
            scope.spawn(|| {
                while job.stop.requested().is_none() {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    if game >= range.games {
                        break;
                    }
                    let tally = config.play(&mut config.random(range.seed, range.from + game));
                    let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
                    match tally {
                        Ok(tally) => finished.add(game, tally),
                        Err(reason) => finished.limit = Some(reason),
                    }
                    if finished.limit.is_some() {
                        break;
                    }
                    (console.progress)(finished.sum.games, range.games);
                }
            });
        }
    });
    let OrderedTally { sum, limit, .. } = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    (sum, limit)
}

impl RunConfig {
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
