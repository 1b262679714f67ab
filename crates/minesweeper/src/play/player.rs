//! `asp-solve play minesweeper`: plays many games and reports the results.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::StopReason;
use clap::Args;
use parking_lot::Mutex;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::{Console, OptionDeclaration, Tool, ToolInput, ToolOutput, name_of};
use serde_json::{Value, json};

use super::super::count::Budget;
#[cfg(feature = "window")]
use super::super::window;
use super::bot::Strategy;
use super::game::Start;
use super::options::BoardOptions;
use super::report::{self, GameRange, Tally};
use super::round::RunConfig;
use super::watch;

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
    #[arg(long, value_name = "K", default_value_t = 0)]
    from: u64,
    /// How to guess
    #[arg(long, value_enum, default_value_t)]
    strategy: Strategy,
    /// Show every move, with its reason
    #[arg(long)]
    watch: bool,
    #[cfg(feature = "window")]
    #[command(flatten)]
    window: window::WindowArgs,
}

impl PlayOptions {
    /// The program at whose window to play.
    fn window_name(&self) -> Option<&str> {
        #[cfg(feature = "window")]
        return self.window.window.as_deref();
        #[cfg(not(feature = "window"))]
        None
    }
}

impl Tool for Player {
    fn name(&self) -> &'static str {
        "play"
    }

    fn about(&self) -> &'static str {
        "Let the bot play Minesweeper, here or at another program's window, and report"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<PlayOptions>()
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
        let options = &*job.tool_options::<PlayOptions>()?;
        let budget = Budget::of(job);
        let config = |columns| -> Result<RunConfig, Failure> {
            Ok(RunConfig::new(options.field.setup(options.start, columns)?, options.strategy, &budget))
        };
        let is_slow = options.watch || options.window_name().is_some();
        if console.delay.is_some() && !is_slow {
            return Err(Diagnostic::error(Code::Usage, "--delay requires --watch or --window").into());
        }
        let games = options.games.unwrap_or(if is_slow { 1 } else { 1000 });
        #[cfg(feature = "window")]
        if let Some(name) = options.window_name() {
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
        let output = report::render(&report, job.output.format, !options.watch);
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
                    let mut finished = finished.lock();
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
    let OrderedTally { sum, limit, .. } = finished.into_inner();
    (sum, limit)
}
