//! Games at the window of another program, which is read from its pixels and operated by clicks. The
//! crate `screen` has the windows.
//!
//! | file | contents |
//! |---|---|
//! | `skin.rs` | the appearance of a program: a file of `skins/` |
//! | `calibrate.rs`, `reading.rs` | locating the cells; reading and checking them |
//! | `learn.rs` | learning a skin from a marked board |
//!
//! After a click the board is read until two consecutive images agree and satisfy the rules, which
//! those of half-drawn and flashing boards do not. A stable image that violates the rules was
//! misread, or shows another program; it is saved for the user.

pub mod calibrate;
pub mod learn;
pub mod reading;
pub mod skin;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use base::words::io_error;
use calibrate::calibrate;
use clap::Args;
use learn::Corner;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::{Console, ToolOutput};
use reading::{Reader, describe_cell};
use screen::{Image, Rectangle, Screen, Window, wrong};
use serde_json::{Value, json};
use skin::{Restart, Sign, Skin};

use super::explain::Stage;
use super::grid::Cell;
use super::play::game::Setup;
use super::play::report::{Tally, interval};
use super::play::round::RunConfig;
use super::position::KnownPosition;

#[derive(Debug, Clone, Args)]
pub struct WindowArgs {
    /// Play at the window of this program: xdemineur, sgt-mines, winemine, or one that skins/NAME.toml describes
    #[arg(long, value_name = "NAME", conflicts_with_all = ["seed", "start", "from", "watch"])]
    pub window: Option<String>,
    /// The description of the program's look, instead of skins/NAME.toml
    #[arg(long, value_name = "FILE", requires = "window")]
    skin: Option<PathBuf>,
    /// Read the board and print what would be clicked, without clicking
    #[arg(long, requires = "window", conflicts_with_all = ["games", "learn"])]
    dry_run: bool,
    /// Make a skin from a file that says what each cell shows (0-8 # F, * mine, ! exploded, x wrong flag, _ ignore)
    #[arg(long, value_name = "FILE", requires = "window", conflicts_with = "games")]
    learn: Option<PathBuf>,
    /// With --dry-run or --learn: a PNG picture instead of the window
    #[arg(long, value_name = "FILE", requires = "window", conflicts_with = "games")]
    screenshot: Option<PathBuf>,
    /// Begin a new game instead of finishing the one that is running there
    #[arg(long, requires = "window", conflicts_with_all = ["dry_run", "learn"])]
    restart: bool,
    /// With --learn: position and size of the first cell in pixels; sizes may be fractions such as 48.75
    #[arg(long, value_name = "X,Y,SIZE", requires = "learn", value_parser = corner)]
    at: Option<Corner>,
}

fn corner(text: &str) -> Result<Corner, String> {
    let numbers: Vec<f64> = text.split(',').map_while(|number| number.trim().parse().ok()).collect();
    match numbers[..] {
        [left, top, size]
            if [left, top].iter().all(|at| (0.0..65536.0).contains(at)) && (4.0..=256.0).contains(&size) =>
        {
            Ok(Corner { left, top, size })
        }
        _ => Err("expected three numbers of pixels, for example 16,81,21 or 30,55,48.75".to_owned()),
    }
}

/// The results of the games.
#[derive(Debug, Default)]
pub struct WindowReport {
    pub tally: Tally,
    pub clicks: u64,
    pub reading: Duration,
    pub deciding: Duration,
    pub misreadings: u64,
    pub warnings: Vec<Diagnostic>,
    /// The reason for an early end.
    pub ended: Option<StopReason>,
}

/// A board was misread.
const MISREAD: StopReason = StopReason::Other("a board was misread");

/// A premature end of a game.
enum Trouble {
    /// The reason, and its description.
    Stop(StopReason, String),
    Misread(String),
    Failed(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Trouble::Failed(failure)
    }
}

/// Runs `play` with `--window`.
pub fn run(
    options: &WindowArgs,
    name: &str,
    config: impl Fn(usize) -> Result<RunConfig, Failure>,
    games: u64,
    job: &Job,
    console: &Console<'_>,
) -> Result<ToolOutput, Failure> {
    if let Some(marks) = &options.learn {
        let known_skin = options.skin.is_some() || options.at.is_none();
        let known_skin = known_skin.then(|| Skin::find(name, options.skin.as_deref())).transpose()?;
        let text = fs::read_to_string(marks)
            .map_err(|error| wrong(format!("{}: cannot be read: {}", marks.display(), io_error(&error))))?;
        let class = known_skin.as_ref().map_or(name, |skin| &skin.class);
        let image = picture(options.screenshot.as_deref(), || Window::open(class, &[]))?;
        let skin = learn::learn(name, &image, (&marks.display().to_string(), &text), options.at, known_skin)?;
        let text =
            toml::to_string_pretty(&skin).map_err(|error| wrong(format!("the skin cannot be written: {error}")))?;
        return Ok(ToolOutput::solved(text));
    }
    let skin = Skin::find(name, options.skin.as_deref())?;
    let config = config(skin.least_columns)?;
    let open = || Window::open(&skin.class, &skin.command_for(&config.setup));
    if options.dry_run {
        let image = picture(options.screenshot.as_deref(), open)?;
        return dry_run(&find(&image, &skin, &config)?, &config, job.output.format);
    }
    if options.screenshot.is_some() {
        return Err(wrong("--screenshot requires --dry-run or --learn: a picture cannot be played"));
    }
    let began = Instant::now();
    let window_options = WindowOptions { games, delay: console.delay.unwrap_or_default(), restart: options.restart };
    let report = play(&mut open()?, &skin, &config, &window_options, job, console)?;
    let seconds = began.elapsed().as_secs_f64();
    let output = match job.output.format {
        Format::Json => format!("{:#}\n", report.json(name, &config, seconds)),
        _ => report.text(name, &config, seconds),
    };
    let misread = (report.misreadings > 0).then_some(MISREAD);
    let verdict = report.ended.or(misread).map_or(Verdict::Solved, Verdict::GaveUp);
    Ok(ToolOutput { output, verdict, warnings: report.warnings, certificate: None })
}

/// Reads an image file, or grabs the whole window.
fn picture<S: Screen>(file: Option<&Path>, open: impl FnOnce() -> Result<S, Failure>) -> Result<Image, Failure> {
    match file {
        Some(file) => Image::read(file),
        None => grab_settled(&mut open()?),
    }
}

/// The interval between two reads of the board.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The timeout for a board to become stable and valid: programs draw step by step.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The same timeout after the first click, since a new board may take time to generate.
const FIRST_CLICK_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval between two images of a window that was just opened, which may not be drawn yet.
const REDRAW_INTERVAL: Duration = Duration::from_millis(300);

/// Grabs the window once its image no longer changes, or after a timeout, as it may contain a
/// clock.
fn grab_settled(screen: &mut impl Screen) -> Result<Image, Failure> {
    let began = Instant::now();
    let mut last = None;
    loop {
        let [width, height] = screen.size()?;
        let image = screen.grab(Rectangle { left: 0, top: 0, width, height })?;
        if last.as_ref() == Some(&image) || began.elapsed() > READ_TIMEOUT {
            return Ok(image);
        }
        last = Some(image);
        std::thread::sleep(REDRAW_INTERVAL);
    }
}

/// Finds the board in an image and checks its size.
fn find(image: &Image, skin: &Skin, config: &RunConfig) -> Result<Reader, Failure> {
    let lattice = calibrate(image, skin).ok_or_else(|| {
        wrong("no board in the window looks like the skin: it is covered, or the skin is of another program or theme")
    })?;
    let (grid, expected) = (lattice.grid, config.setup.grid);
    if grid != expected {
        let text = format!(
            "the window shows {}×{} cells, but expected {}×{}",
            grid.columns, grid.rows, expected.columns, expected.rows
        );
        let help =
            "--level, or --size and --mines, say how large the board is; a window that is partly covered shows less";
        return Err(Diagnostic::error(Code::System, text).help(help).into());
    }
    let mut reader = Reader::new(lattice);
    reader.read(image.part(lattice.rectangle()), skin);
    match grid.cells().find(|&cell| reader.signs[cell].is_none()) {
        Some(cell) => {
            Err(wrong(format!("{} looks like no cell: the window is partly covered", describe_cell(grid, cell))))
        }
        None => Ok(reader),
    }
}

/// Prints the board and the cell that would be clicked.
fn dry_run(reader: &Reader, config: &RunConfig, format: Format) -> Result<ToolOutput, Failure> {
    let grid = config.setup.grid;
    let mut position = reader.position(config.setup.mines);
    let closed = KnownPosition::closed(grid, Some(config.setup.mines));
    if let Some(text) = reader.contradiction(&closed, &config.budget) {
        return Err(wrong(format!("the board was misread, or has another number of mines: {text}")));
    }
    let opened: Vec<usize> = position.numbers().collect();
    let is_over = reader.has(Sign::Exploded) || grid.area() - opened.len() == config.setup.mines;
    let (click, words) = if is_over {
        (None, "The game is over.".to_owned())
    } else if opened.is_empty() {
        (Some(config.first), format!("Would click on {}: the first click.", describe_cell(grid, config.first)))
    } else {
        let next = config.bot().next(&mut position, &opened);
        let next = next.map_err(|reason| wrong(format!("no click was found: {}", reason.words())))?;
        let safety = if next.stage == Stage::Guess {
            format!("a guess, safe with {:.1} %", 100.0 * next.safety)
        } else {
            "safe".to_owned()
        };
        (Some(next.cell), format!("Would click on {}: {safety}.", describe_cell(grid, next.cell)))
    };
    let output = match format {
        Format::Json => {
            let text = reader.text();
            let board: Vec<&str> = text.lines().collect();
            let click = click.map(|cell| grid.place(cell));
            format!(
                "{:#}\n",
                json!({ "schema": 1, "puzzle": "minesweeper", "dry_run": true, "board": board, "click": click })
            )
        }
        _ => format!("{}\n{words}\n", reader.text()),
    };
    Ok(ToolOutput::solved(output))
}

/// The options of games at a window.
#[derive(Debug, Clone, Copy, Default)]
pub struct WindowOptions {
    pub games: u64,
    /// Delay before each click.
    pub delay: Duration,
    /// True to abandon a running game and start a new one.
    pub restart: bool,
}

pub fn play<S: Screen>(
    screen: &mut S,
    skin: &Skin,
    config: &RunConfig,
    &WindowOptions { games, delay, restart }: &WindowOptions,
    job: &Job,
    console: &Console<'_>,
) -> Result<WindowReport, Failure> {
    let whole = grab_settled(screen)?;
    let window = Rectangle { left: 0, top: 0, width: whole.width, height: whole.height };
    let reader = match find(&whole, skin, config) {
        Ok(reader) => reader,
        Err(failure) => return Err(screen.obstruction(window)?.map_or(failure, wrong)),
    };
    let mut session = WindowSession {
        screen,
        skin,
        config,
        reader,
        delay,
        restart,
        stop: &job.stop,
        played: WindowReport::default(),
    };
    for game in 0..games {
        match session.game() {
            Ok(tally) => session.played.tally.add(&tally),
            Err(Trouble::Failed(failure)) => return Err(failure),
            Err(Trouble::Stop(reason, words)) => {
                session.played.warnings.push(Diagnostic::warning(Code::Stopped, format!("stopped: {words}")));
                session.played.ended = Some(reason);
                break;
            }
            Err(Trouble::Misread(text)) => session.report_misreading(&text)?,
        }
        (console.progress)(game + 1, games);
    }
    Ok(session.played)
}

struct WindowSession<'a, S> {
    screen: &'a mut S,
    skin: &'a Skin,
    config: &'a RunConfig,
    reader: Reader,
    delay: Duration,
    /// True if the running game must be abandoned.
    restart: bool,
    stop: &'a CancelToken,
    played: WindowReport,
}

impl<S: Screen> WindowSession<'_, S> {
    fn game(&mut self) -> Result<Tally, Trouble> {
        let setup = self.config.setup;
        let config = self.config;
        self.begin()?;
        let mut position = KnownPosition::closed(setup.grid, Some(setup.mines));
        let mut bot = config.bot();
        let mut tally = Tally { games: 1, ..Tally::default() };
        let mut open = 0;
        loop {
            let mut opened = Vec::new();
            for cell in setup.grid.cells() {
                if let Some(Sign::Open(number)) = self.reader.signs[cell]
                    && position.cells[cell] != Cell::Open(number)
                {
                    position.cells[cell] = Cell::Open(number);
                    opened.push(cell);
                }
            }
            open += opened.len();
            if open + setup.mines == setup.grid.area() {
                return Ok(Tally { wins: 1, ..tally });
            }
            let (mut cell, mut stage) = (config.first, Stage::Guess);
            if open > 0 {
                let began = Instant::now();
                let next = bot.next(&mut position, &opened);
                let next = next.map_err(|reason| Trouble::Stop(reason, reason.words().to_owned()))?;
                self.played.deciding += began.elapsed();
                tally.clicks[next.stage as usize] += 1;
                (cell, stage) = (next.cell, next.stage);
            }
            self.pause(self.delay)?;
            self.played.clicks += 1;
            self.point_at(cell)?;
            self.screen.click()?;
            let timeout = if open == 0 { FIRST_CLICK_TIMEOUT } else { READ_TIMEOUT };
            self.wait_for_board(timeout, |reader| {
                let is_mine = reader.signs[cell] == Some(Sign::Exploded);
                if matches!(reader.signs[cell], Some(Sign::Closed | Sign::Flag)) {
                    Some(format!("a click on {} did nothing", describe_cell(setup.grid, cell)))
                } else if reader.has(Sign::Exploded) && !(is_mine && stage == Stage::Guess) {
                    Some(format!("a click on {}, which is safe, lost the game", describe_cell(setup.grid, cell)))
                } else {
                    reader.contradiction(&position, &config.budget)
                }
            })?;
            if self.reader.has(Sign::Exploded) {
                return Ok(tally);
            }
        }
    }

    /// Continues the running game, or starts the next one.
    fn begin(&mut self) -> Result<(), Trouble> {
        let Setup { grid, mines, .. } = self.config.setup;
        let is_open = |&cell: &usize| matches!(self.reader.signs[cell], Some(Sign::Open(_)));
        let open = grid.cells().filter(is_open).count();
        let is_over = self.reader.has(Sign::Mine) || self.reader.has(Sign::Exploded) || open + mines == grid.area();
        if is_over || open > 0 && std::mem::take(&mut self.restart) {
            return self.restart();
        }
        let new = KnownPosition::closed(grid, Some(mines));
        self.reader.contradiction(&new, &self.config.budget).map_or(Ok(()), |text| Err(Trouble::Misread(text)))
    }

    /// Starts a new game. Its cells are closed, except for those that some programs open without a
    /// click.
    fn restart(&mut self) -> Result<(), Trouble> {
        self.pause(Duration::from_secs(self.skin.seconds_between_games))?;
        let board = self.reader.lattice.rectangle();
        match &self.skin.restart {
            Restart::Key { key } => {
                // Without a window manager, keys go to the window below the pointer.
                self.point_at(self.config.first)?;
                self.screen.key(key)?;
            }
            Restart::Click { across, above } => {
                let x = board.left as f32 + across * board.width as f32;
                let y = board.top as f32 - above * self.reader.lattice.size as f32;
                self.screen.point([x as i32, y as i32])?;
                self.screen.click()?;
            }
        }
        let setup = self.config.setup;
        let new = KnownPosition::closed(setup.grid, Some(setup.mines));
        let old_signs = self.reader.signs.clone();
        self.wait_for_board(READ_TIMEOUT, |reader| {
            if setup.grid.cells().all(|cell| reader.signs[cell] == Some(Sign::Closed)) {
                None
            } else if reader.signs == old_signs || [Sign::Mine, Sign::Exploded].iter().any(|&sign| reader.has(sign)) {
                Some("no new game begins".to_owned())
            } else {
                reader.contradiction(&new, &self.config.budget)
            }
        })
    }

    fn point_at(&mut self, cell: usize) -> Result<(), Failure> {
        let Rectangle { left, top, width, height } = self.reader.lattice.cell(cell);
        self.screen.point([left + width / 2, top + height / 2].map(|at| at as i32))
    }

    /// Reads the board until it no longer changes and `find_error` returns `None`.
    fn wait_for_board(
        &mut self,
        timeout: Duration,
        find_error: impl Fn(&Reader) -> Option<String>,
    ) -> Result<(), Trouble> {
        let began = Instant::now();
        loop {
            let read_began = Instant::now();
            let image = self.screen.grab(self.reader.lattice.rectangle())?;
            let has_changed = self.reader.read(image, self.skin);
            let error = find_error(&self.reader);
            self.played.reading += read_began.elapsed();
            match error {
                None if !has_changed => return Ok(()),
                Some(text) if began.elapsed() > timeout => return Err(Trouble::Misread(text)),
                _ => {}
            }
            self.check_interruption()?;
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Fails if the run was cancelled or the user interrupted it.
    fn check_interruption(&mut self) -> Result<(), Trouble> {
        if let Some(reason) = self.stop.requested() {
            return Err(Trouble::Stop(reason, reason.words().to_owned()));
        }
        match self.screen.interruption()? {
            Some(words) => Err(Trouble::Stop(StopReason::Interrupted, words.to_owned())),
            None => Ok(()),
        }
    }

    fn pause(&mut self, length: Duration) -> Result<(), Trouble> {
        let began = Instant::now();
        loop {
            self.check_interruption()?;
            let remaining = length.saturating_sub(began.elapsed());
            if remaining.is_zero() {
                return Ok(());
            }
            std::thread::sleep(remaining.min(POLL_INTERVAL));
        }
    }

    /// Saves the image of an impossible board, unless the window is obstructed. The game counts
    /// neither as won nor as lost, and is abandoned.
    fn report_misreading(&mut self, text: &str) -> Result<(), Failure> {
        let part = self.reader.lattice.rectangle();
        if let Some(reason) = self.screen.obstruction(part)? {
            return Err(wrong(format!("{reason}: {text}")));
        }
        let image = self.screen.grab(part)?;
        let unwritten = |error: String| wrong(format!("the screenshot cannot be written: {error}"));
        let file = tempfile::Builder::new().prefix("minesweeper-").suffix(".png").tempfile();
        let (file, path) = file
            .map_err(|error| error.to_string())
            .and_then(|file| file.keep().map_err(|error| error.to_string()))
            .map_err(unwritten)?;
        image.write(file).map_err(|error| unwritten(error.to_string()))?;
        let text = format!("misread: {text}; the board is in {}", path.display());
        self.played.warnings.push(Diagnostic::warning(Code::System, text));
        self.played.misreadings += 1;
        self.restart = true;
        Ok(())
    }
}

impl WindowReport {
    /// Returns the milliseconds per click.
    fn per_click(&self, time: Duration) -> f64 {
        1000.0 * time.as_secs_f64() / self.clicks.max(1) as f64
    }

    fn per_hour(&self, seconds: f64) -> f64 {
        3600.0 * self.tally.games as f64 / seconds.max(1e-9)
    }

    fn json(&self, name: &str, config: &RunConfig, seconds: f64) -> Value {
        let mut report = config.json(&self.tally, seconds);
        report["window"] = name.into();
        report["games_per_hour"] = self.per_hour(seconds).into();
        report["reading_ms"] = self.per_click(self.reading).into();
        report["deciding_ms"] = self.per_click(self.deciding).into();
        report["misreadings"] = self.misreadings.into();
        report
    }

    fn text(&self, name: &str, config: &RunConfig, seconds: f64) -> String {
        let Tally { games, wins, clicks } = self.tally;
        let [low, high] = interval(wins, games).map(|bound| 100.0 * bound);
        let rate = 100.0 * wins as f64 / games.max(1) as f64;
        let mut text = match games {
            0 => "No game was played to its end.\n".to_owned(),
            _ => format!("{wins} of {games} games won: {rate:.2} % (95 %: {low:.2} to {high:.2}).\n"),
        };
        let _ = writeln!(
            text,
            "{}×{}, {} mines, strategy {}, at the window of {name}; {:.2} guesses per game, {:.0} games per hour.",
            config.setup.grid.columns,
            config.setup.grid.rows,
            config.setup.mines,
            puzzle::name_of(config.strategy),
            clicks[Stage::Guess as usize] as f64 / games.max(1) as f64,
            self.per_hour(seconds),
        );
        let misread = match self.misreadings {
            0 => "no board was misread".to_owned(),
            1 => "1 board was misread".to_owned(),
            many => format!("{many} boards were misread"),
        };
        let (reading, deciding) = (self.per_click(self.reading), self.per_click(self.deciding));
        let _ = writeln!(text, "Each click took {reading:.1} ms to read and {deciding:.2} ms to decide; {misread}.");
        text
    }
}
