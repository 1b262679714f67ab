//! `asp-solve play minesweeper`: many games, and how they went.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};

use super::super::explain::Stage;
use super::super::grid::Position;
use super::super::layouts::{Layouts, choose};
use super::super::window;
use super::bot::{Bot, Factorials, Strategy};
use super::endgame;
use super::game::{Click, Setup, Start};
use super::options::Field;
use super::watch;
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Verdict;
use crate::puzzle::{Done, Input, Means, Takes, Tool};
use crate::report::Format;

#[derive(Debug, Clone, Copy)]
pub struct Player;

#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    field: Field,
    /// What the first click may meet
    #[arg(long, value_enum, default_value_t)]
    start: Start,
    /// Games to play [default: 1000; with --watch or --window 1]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Games of the same seed have the same mines, whatever the threads
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How to guess
    #[arg(long, value_enum, default_value_t)]
    strategy: Strategy,
    /// Show every move, with its reason
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    window: window::Options,
}

/// Cells opened in each stage, and how many games were won.
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

/// What is the same for all games of a run.
#[derive(Clone)]
pub struct Table {
    pub rules: Setup,
    pub strategy: Strategy,
    pub first: usize,
    pub logarithms: Arc<Factorials>,
}

impl Table {
    pub fn new(rules: Setup, strategy: Strategy) -> Self {
        let logarithms = Arc::new(Factorials::new(rules.grid.area()));
        Table { rules, strategy, first: first_click(&rules, strategy), logarithms }
    }

    /// Random numbers of one game.
    pub fn random(&self, seed: u64, game: u64) -> fastrand::Rng {
        // Two rounds, so that games of neighbouring seeds have nothing in common.
        let mixed = fastrand::Rng::with_seed(seed).u64(..).wrapping_add(game.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        fastrand::Rng::with_seed(mixed)
    }

    /// Plays one game to its end.
    pub fn play(&self, random: &mut fastrand::Rng) -> Tally {
        let mut game = self.rules.game(random, self.first);
        let mut bot = Bot::new(self.strategy, self.logarithms.clone());
        let mut tally = Tally { games: 1, ..Tally::default() };
        let mut opened = Vec::new();
        let mut cell = self.first;
        loop {
            opened.clear();
            match game.click(cell, &mut opened) {
                Click::Mine => return tally,
                Click::Won => return Tally { wins: 1, ..tally },
                Click::Open => {}
            }
            let next = bot.next(&mut game.position, &opened);
            tally.clicks[next.stage as usize] += 1;
            cell = next.cell;
        }
    }
}

/// Layouts of a whole board that are searched through for the first click.
const MOST_LAYOUTS: usize = 12_870;

/// Where to begin: on boards with few layouts where the game tree says, else in a corner, where a zero is most likely, or for
/// an opening a few cells inside, where it is largest.
fn first_click(rules: &Setup, strategy: Strategy) -> usize {
    let grid = rules.grid;
    if strategy == Strategy::Best
        && grid.area() <= 25
        && let Some(best) = searched_first_click(rules)
    {
        return best;
    }
    let inside = match rules.start {
        Start::Safe => 0,
        Start::Opening if grid.rows.min(grid.columns) >= 16 && grid.area() > 256 => 3,
        Start::Opening => 2,
    };
    grid.cell(inside.min((grid.rows - 1) / 2), inside.min((grid.columns - 1) / 2))
}

fn searched_first_click(rules: &Setup) -> Option<usize> {
    let cells: Vec<usize> = rules.grid.cells().collect();
    let mut best: Option<(f64, usize)> = None;
    for &first in &cells {
        let kept = rules.kept_free(first);
        let open: Vec<usize> = (0..cells.len()).filter(|&bit| !kept.clone().any(|free| free == cells[bit])).collect();
        if open.len() < rules.mines {
            continue;
        }
        let mut all = Vec::new();
        if !choose(&open, rules.mines, 0, MOST_LAYOUTS, &mut all) {
            return None;
        }
        let position = Position::closed(rules.grid, Some(rules.mines));
        let layouts = Layouts { cells: cells.clone(), all };
        let wins = endgame::wins(&position, &layouts);
        let chance = f64::from(wins) / layouts.all.len() as f64;
        if best.is_none_or(|(most, _)| chance > most) {
            best = Some((chance, first));
        }
    }
    best.map(|(_, first)| first)
}

impl Tool for Player {
    type Options = Options;

    fn name(&self) -> &'static str {
        "play"
    }

    fn about(&self) -> &'static str {
        "Let the bot play many games of Minesweeper, here or at the window of another program, and report"
    }

    fn takes(&self) -> Takes {
        Takes::Nothing
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Json]
    }

    fn run(&self, options: &Options, input: &Input<'_>, means: &mut Means<'_>) -> Result<Done, Failure> {
        let table = |columns| Ok(Table::new(options.field.rules(options.start, columns)?, options.strategy));
        let is_slow = options.watch || options.window.window.is_some();
        if input.delay.is_some() && !is_slow {
            return Err(Diagnostic::error("--delay: with --watch or --window").into());
        }
        let games = options.games.unwrap_or(if is_slow { 1 } else { 1000 });
        if let Some(name) = &options.window.window {
            return window::run(&options.window, name, table, games, input, means);
        }
        let table = table(0)?;
        let began = Instant::now();
        let tally = if options.watch {
            watch::games(&table, options.seed, games, means)
        } else {
            many(&table, options.seed, games, means)
        };
        let seconds = began.elapsed().as_secs_f64();
        let output = match input.format {
            Format::Json => {
                let mut report = table.json(&tally, seconds);
                report["start"] = name(options.start).into();
                report["seed"] = options.seed.into();
                format!("{report:#}\n")
            }
            _ => text(&table, options, &tally, seconds),
        };
        let reason = means.stop.requested().filter(|_| tally.games < games);
        Ok(Done { verdict: reason.map_or(Verdict::Solved, Verdict::GaveUp), ..Done::solved(output) })
    }
}

/// Plays games on several threads; the result does not depend on their number.
fn many(table: &Table, seed: u64, games: u64, means: &Means<'_>) -> Tally {
    let next = AtomicU64::new(0);
    let sum = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..means.threads {
            scope.spawn(|| {
                while means.stop.requested().is_none() {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    if game >= games {
                        break;
                    }
                    let tally = table.play(&mut table.random(seed, game));
                    let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                    sum.add(&tally);
                    (means.progress)(sum.games, games);
                }
            });
        }
    });
    sum.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Wilson's interval for a rate, at 95 %.
pub fn interval(wins: u64, games: u64) -> [f64; 2] {
    if games == 0 {
        return [0.0, 1.0];
    }
    const QUANTILE: f64 = 1.959_963_984_540_054;
    let (games, rate) = (games as f64, wins as f64 / games as f64);
    let square = QUANTILE * QUANTILE / games;
    let middle = (rate + square / 2.0) / (1.0 + square);
    let half = QUANTILE * (rate * (1.0 - rate) / games + square / games / 4.0).sqrt() / (1.0 + square);
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

fn rate(tally: &Tally) -> f64 {
    if tally.games == 0 { 0.0 } else { tally.wins as f64 / tally.games as f64 }
}

fn name(value: impl clap::ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

impl Table {
    /// The report of games, without what only those have that are played here.
    pub fn json(&self, tally: &Tally, seconds: f64) -> Value {
        let [obvious, pattern, csp, guess] = tally.clicks;
        let mut clicks = json!({ "obvious": obvious, "pattern": pattern, "csp": csp, "guess": guess });
        if self.strategy == Strategy::Best
            && let Some(clicks) = clicks.as_object_mut()
        {
            // This player goes from what is obvious to the whole board at once.
            clicks.remove("pattern");
        }
        json!({
            "schema": 1, "puzzle": "minesweeper", "strategy": name(self.strategy),
            "rows": self.rules.grid.rows, "columns": self.rules.grid.columns, "mines": self.rules.mines,
            "first": self.rules.grid.place(self.first),
            "games": tally.games, "wins": tally.wins, "rate": rate(tally), "interval": interval(tally.wins, tally.games),
            "guesses": guess, "clicks": clicks, "seconds": seconds,
            "seconds_per_game": if tally.games == 0 { 0.0 } else { seconds / tally.games as f64 },
        })
    }
}

fn text(table: &Table, options: &Options, tally: &Tally, seconds: f64) -> String {
    let (rules, games) = (&table.rules, tally.games.max(1) as f64);
    let [low, high] = interval(tally.wins, tally.games).map(|bound| 100.0 * bound);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} of {} games won: {:.2} % (95 %: {low:.2} to {high:.2}).",
        tally.wins,
        tally.games,
        100.0 * rate(tally)
    );
    // Who watches waits between the moves.
    let time = if options.watch { String::new() } else { format!(" and {:.3} ms", 1000.0 * seconds / games) };
    let _ = writeln!(
        text,
        "{}×{}, {} mines, strategy {}, first click {}; {:.2} guesses{time} per game.",
        rules.grid.columns,
        rules.grid.rows,
        rules.mines,
        name(options.strategy),
        name(options.start),
        tally.clicks[Stage::Guess as usize] as f64 / games,
    );
    text
}
