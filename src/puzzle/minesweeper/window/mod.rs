//! Games at the window of another program, which is looked at and clicked in as a person does.
//!
//! | file | what it holds |
//! |---|---|
//! | `image.rs` | pictures and their parts |
//! | `skin.rs` | what a program looks like: a file of `skins/` |
//! | `calibrate.rs`, `reading.rs` | where the cells are; what they show, and whether that can be |
//! | `learn.rs` | a skin from a marked board |
//! | `x11.rs` | the window itself |
//!
//! After a click the board is looked at until two pictures agree and fit the rules: half-drawn and flashing boards do not.
//! A picture that stays and does not fit was misread, or the program is not what it is taken for; it is kept for a person.

pub mod calibrate;
pub mod image;
pub mod learn;
pub mod reading;
pub mod skin;
#[cfg_attr(not(feature = "window"), path = "no_window.rs")]
mod x11;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use super::explain::Stage;
use super::grid::{Cell, Position};
use super::play::game::Setup;
use super::play::player::{Table, Tally};
use super::play::report::interval;
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Verdict;
use crate::job::Job;
use crate::puzzle::Console;
use crate::puzzle::Done;
use crate::report::Format;
use crate::stop::{Reason, Stop};
use crate::words::why;
use calibrate::calibrate;
use image::{Image, Rectangle};
use learn::Corner;
use reading::{Reader, words};
use skin::{Restart, Sign, Skin};

#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Play at the window of this program: xdemineur, sgt-mines, or one that skins/NAME.toml describes
    #[arg(long, value_name = "NAME", conflicts_with_all = ["seed", "start", "watch"])]
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

/// What is looked at and clicked in; places are pixels of the window.
pub trait Screen {
    fn size(&mut self) -> Result<[usize; 2], Failure>;
    fn grab(&mut self, of: Rectangle) -> Result<Image, Failure>;
    /// Puts the pointer there.
    fn point(&mut self, at: [i32; 2]) -> Result<(), Failure>;
    /// Clicks where the pointer is.
    fn click(&mut self) -> Result<(), Failure>;
    fn key(&mut self, name: &str) -> Result<(), Failure>;
    /// What a person does who wants it to end: the pointer is not where it was put, or Escape is down.
    fn interruption(&mut self) -> Result<Option<&'static str>, Failure>;
    /// Why a part of it cannot be seen.
    fn obstruction(&mut self, part: Rectangle) -> Result<Option<String>, Failure>;
}

/// How games went.
#[derive(Debug, Default)]
pub struct Played {
    pub tally: Tally,
    pub clicks: u64,
    pub reading: Duration,
    pub deciding: Duration,
    pub misreadings: u64,
    pub warnings: Vec<Diagnostic>,
    /// Why it ended before all games were played.
    pub ended: Option<Reason>,
}

/// What ends a game before its end.
enum Trouble {
    /// Why it ends, in words.
    Stop(Reason, String),
    Misread(String),
    Failed(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Trouble::Failed(failure)
    }
}

fn wrong(text: impl Into<String>) -> Failure {
    Diagnostic::error(text).into()
}

/// Does what the options of `play` want of a window.
pub fn run(
    own: &Options,
    name: &str,
    table: impl Fn(usize) -> Result<Table, Failure>,
    games: u64,
    job: &Job,
    console: &Console<'_>,
) -> Result<Done, Failure> {
    if let Some(marks) = &own.learn {
        let known = own.skin.is_some() || own.at.is_none();
        let known = known.then(|| Skin::find(name, own.skin.as_deref())).transpose()?;
        let text = fs::read_to_string(marks)
            .map_err(|error| wrong(format!("{}: cannot be read: {}", marks.display(), why(error.kind()))))?;
        let class = known.as_ref().map_or(name, |skin| &skin.class);
        let image = picture(own.screenshot.as_deref(), || x11::Window::open(class, &[]))?;
        let skin = learn::learn(name, &image, (&marks.display().to_string(), &text), own.at, known)?;
        let text =
            toml::to_string_pretty(&skin).map_err(|error| wrong(format!("the skin cannot be written: {error}")))?;
        return Ok(Done::solved(text));
    }
    let skin = Skin::find(name, own.skin.as_deref())?;
    let table = table(skin.least_columns)?;
    let open = || x11::Window::open(&skin.class, &skin.command_for(&table.rules));
    if own.dry_run {
        let image = picture(own.screenshot.as_deref(), open)?;
        return dry(&find(&image, &skin, &table)?, &table, job.format);
    }
    if own.screenshot.is_some() {
        return Err(wrong("--screenshot: with --dry-run or --learn; a picture cannot be played with"));
    }
    let began = Instant::now();
    let wish = Wish { games, delay: console.delay.unwrap_or_default(), restart: own.restart };
    let played = play(&mut open()?, &skin, &table, &wish, job, console)?;
    let seconds = began.elapsed().as_secs_f64();
    let output = match job.format {
        Format::Json => format!("{:#}\n", played.json(name, &table, seconds)),
        _ => played.text(name, &table, seconds),
    };
    let unread = (played.misreadings > 0).then_some(Reason::Unread);
    let verdict = played.ended.or(unread).map_or(Verdict::Solved, Verdict::GaveUp);
    Ok(Done { output, verdict, warnings: played.warnings, certificate: None })
}

/// A file, or the whole window.
fn picture<S: Screen>(file: Option<&Path>, open: impl FnOnce() -> Result<S, Failure>) -> Result<Image, Failure> {
    match file {
        Some(file) => Image::read(file),
        None => settled(&mut open()?),
    }
}

/// Between two looks, and for how long to look: programs draw bit by bit, and a new board may take its time to be made.
const LOOK: Duration = Duration::from_millis(2);
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_AT_FIRST: Duration = Duration::from_secs(20);
/// A window that was just opened is not drawn at once.
const DRAWN: Duration = Duration::from_millis(300);

/// The window's picture, once it stays; a clock in it may go on.
fn settled(screen: &mut impl Screen) -> Result<Image, Failure> {
    let began = Instant::now();
    let mut last = None;
    loop {
        let [width, height] = screen.size()?;
        let image = screen.grab(Rectangle { left: 0, top: 0, width, height })?;
        if last.as_ref() == Some(&image) || began.elapsed() > PATIENCE {
            return Ok(image);
        }
        last = Some(image);
        std::thread::sleep(DRAWN);
    }
}

/// The board in a picture, if it is the one that was wanted.
fn find(image: &Image, skin: &Skin, table: &Table) -> Result<Reader, Failure> {
    let lattice = calibrate(image, skin).ok_or_else(|| {
        wrong("no board in the window looks like the skin: it is covered, or the skin is of another program or theme")
    })?;
    let (found, wanted) = (lattice.grid, table.rules.grid);
    if found != wanted {
        let text = format!(
            "the window shows {}×{} cells, but expected {}×{}",
            found.columns, found.rows, wanted.columns, wanted.rows
        );
        let help =
            "--level, or --size and --mines, say how large the board is; a window that is partly covered shows less";
        return Err(Diagnostic::error(text).help(help).into());
    }
    let mut reader = Reader::new(lattice);
    reader.read(image.part(lattice.rectangle()), skin);
    match found.cells().find(|&cell| reader.signs[cell].is_none()) {
        Some(cell) => Err(wrong(format!("{} looks like no cell: the window is partly covered", words(found, cell)))),
        None => Ok(reader),
    }
}

/// What is read, and what would be clicked.
fn dry(reader: &Reader, table: &Table, format: Format) -> Result<Done, Failure> {
    let grid = table.rules.grid;
    let mut position = reader.position(table.rules.mines);
    let known = Position::closed(grid, Some(table.rules.mines));
    if let Some(text) = reader.contradiction(&known, &table.budget) {
        return Err(wrong(format!("the board was misread, or has another number of mines: {text}")));
    }
    let opened: Vec<usize> = position.numbers().collect();
    let is_over = reader.has(Sign::Exploded) || grid.area() - opened.len() == table.rules.mines;
    let (click, words) = if is_over {
        (None, "The game is over.".to_owned())
    } else if opened.is_empty() {
        (Some(table.first), format!("Would click on {}: the first click.", words(grid, table.first)))
    } else {
        let next = table.bot().next(&mut position, &opened);
        let next = next.map_err(|reason| wrong(format!("no click was found: {}", reason.words())))?;
        let why = if next.stage == Stage::Guess {
            format!("a guess, safe with {:.1} %", 100.0 * next.safety)
        } else {
            "safe".to_owned()
        };
        (Some(next.cell), format!("Would click on {}: {why}.", words(grid, next.cell)))
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
    Ok(Done::solved(output))
}

/// What is to be played.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wish {
    pub games: u64,
    /// Before each click.
    pub delay: Duration,
    /// A game that is running there is given up for a new one.
    pub restart: bool,
}

/// Plays games one after the other.
pub fn play<S: Screen>(
    screen: &mut S,
    skin: &Skin,
    table: &Table,
    &Wish { games, delay, restart }: &Wish,
    job: &Job,
    console: &Console<'_>,
) -> Result<Played, Failure> {
    let whole = settled(screen)?;
    let everything = Rectangle { left: 0, top: 0, width: whole.width, height: whole.height };
    let reader = match find(&whole, skin, table) {
        Ok(reader) => reader,
        Err(failure) => return Err(screen.obstruction(everything)?.map_or(failure, wrong)),
    };
    let mut session =
        Session { screen, skin, table, reader, delay, restart, stop: &job.stop, played: Played::default() };
    for game in 0..games {
        match session.game() {
            Ok(tally) => session.played.tally.add(&tally),
            Err(Trouble::Failed(failure)) => return Err(failure),
            Err(Trouble::Stop(reason, words)) => {
                session.played.warnings.push(Diagnostic::warning(format!("stopped: {words}")));
                session.played.ended = Some(reason);
                break;
            }
            Err(Trouble::Misread(text)) => session.misread(&text)?,
        }
        (console.progress)(game + 1, games);
    }
    Ok(session.played)
}

struct Session<'a, S> {
    screen: &'a mut S,
    skin: &'a Skin,
    table: &'a Table,
    reader: Reader,
    delay: Duration,
    /// The game that is running there is not to be played.
    restart: bool,
    stop: &'a Stop,
    played: Played,
}

impl<S: Screen> Session<'_, S> {
    fn game(&mut self) -> Result<Tally, Trouble> {
        let (rules, table) = (self.table.rules, self.table);
        self.begin()?;
        let mut position = Position::closed(rules.grid, Some(rules.mines));
        let mut bot = table.bot();
        let mut tally = Tally { games: 1, ..Tally::default() };
        let mut open = 0;
        loop {
            let mut opened = Vec::new();
            for cell in rules.grid.cells() {
                if let Some(Sign::Open(number)) = self.reader.signs[cell]
                    && position.cells[cell] != Cell::Open(number)
                {
                    position.cells[cell] = Cell::Open(number);
                    opened.push(cell);
                }
            }
            open += opened.len();
            if open + rules.mines == rules.grid.area() {
                return Ok(Tally { wins: 1, ..tally });
            }
            let (mut cell, mut stage) = (table.first, Stage::Guess);
            if open > 0 {
                let began = Instant::now();
                let next = bot.next(&mut position, &opened);
                let next = next.map_err(|reason| Trouble::Stop(reason, reason.words().to_owned()))?;
                self.played.deciding += began.elapsed();
                tally.clicks[next.stage as usize] += 1;
                (cell, stage) = (next.cell, next.stage);
            }
            self.pause()?;
            self.played.clicks += 1;
            self.point_at(cell)?;
            self.screen.click()?;
            let patience = if open == 0 { PATIENCE_AT_FIRST } else { PATIENCE };
            self.look(patience, |reader| {
                let is_mine = reader.signs[cell] == Some(Sign::Exploded);
                if matches!(reader.signs[cell], Some(Sign::Closed | Sign::Flag)) {
                    Some(format!("a click on {} did nothing", words(rules.grid, cell)))
                } else if reader.has(Sign::Exploded) && !(is_mine && stage == Stage::Guess) {
                    Some(format!("a click on {}, which is safe, lost the game", words(rules.grid, cell)))
                } else {
                    reader.contradiction(&position, &table.budget)
                }
            })?;
            if self.reader.has(Sign::Exploded) {
                return Ok(tally);
            }
        }
    }

    /// Goes on with the game that is running, or begins the next one.
    fn begin(&mut self) -> Result<(), Trouble> {
        let Setup { grid, mines, .. } = self.table.rules;
        let is_open = |&cell: &usize| matches!(self.reader.signs[cell], Some(Sign::Open(_)));
        let open = grid.cells().filter(is_open).count();
        let is_over = self.reader.has(Sign::Mine) || self.reader.has(Sign::Exploded) || open + mines == grid.area();
        if is_over || open > 0 && std::mem::take(&mut self.restart) {
            return self.restart();
        }
        let new = Position::closed(grid, Some(mines));
        self.reader.contradiction(&new, &self.table.budget).map_or(Ok(()), |text| Err(Trouble::Misread(text)))
    }

    /// Begins a new game. Its cells are closed, but for those that some programs open by themselves.
    fn restart(&mut self) -> Result<(), Trouble> {
        self.check()?;
        let board = self.reader.lattice.rectangle();
        match &self.skin.restart {
            Restart::Key { key } => {
                // Without a window manager, keys go to the window below the pointer.
                self.point_at(self.table.first)?;
                self.screen.key(key)?;
            }
            Restart::Click { across, above } => {
                let x = board.left as f32 + across * board.width as f32;
                let y = board.top as f32 - above * self.reader.lattice.size as f32;
                self.screen.point([x as i32, y as i32])?;
                self.screen.click()?;
            }
        }
        let rules = self.table.rules;
        let new = Position::closed(rules.grid, Some(rules.mines));
        let before = self.reader.signs.clone();
        self.look(PATIENCE, |reader| {
            if rules.grid.cells().all(|cell| reader.signs[cell] == Some(Sign::Closed)) {
                None
            } else if reader.signs == before || [Sign::Mine, Sign::Exploded].iter().any(|&sign| reader.has(sign)) {
                Some("no new game begins".to_owned())
            } else {
                reader.contradiction(&new, &self.table.budget)
            }
        })
    }

    fn point_at(&mut self, cell: usize) -> Result<(), Failure> {
        let Rectangle { left, top, width, height } = self.reader.lattice.cell(cell);
        self.screen.point([left + width / 2, top + height / 2].map(|at| at as i32))
    }

    /// Looks at the board until it stays and nothing is wrong with it.
    fn look(&mut self, patience: Duration, wrong: impl Fn(&Reader) -> Option<String>) -> Result<(), Trouble> {
        let began = Instant::now();
        loop {
            let look = Instant::now();
            let image = self.screen.grab(self.reader.lattice.rectangle())?;
            let has_changed = self.reader.read(image, self.skin);
            let wrong = wrong(&self.reader);
            self.played.reading += look.elapsed();
            match wrong {
                None if !has_changed => return Ok(()),
                Some(wrong) if began.elapsed() > patience => return Err(Trouble::Misread(wrong)),
                _ => {}
            }
            self.check()?;
            std::thread::sleep(LOOK);
        }
    }

    /// Whether anybody wants it to end.
    fn check(&mut self) -> Result<(), Trouble> {
        if let Some(reason) = self.stop.requested() {
            return Err(Trouble::Stop(reason, reason.words().to_owned()));
        }
        match self.screen.interruption()? {
            Some(words) => Err(Trouble::Stop(Reason::Interrupted, words.to_owned())),
            None => Ok(()),
        }
    }

    fn pause(&mut self) -> Result<(), Trouble> {
        let began = Instant::now();
        loop {
            self.check()?;
            let left = self.delay.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// Keeps the picture of a board that cannot be, unless there is a plain reason. The game counts neither as won nor as lost,
    /// and nothing is known of what is left of it.
    fn misread(&mut self, text: &str) -> Result<(), Failure> {
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
        self.played.warnings.push(Diagnostic::warning(text));
        self.played.misreadings += 1;
        self.restart = true;
        Ok(())
    }
}

impl Played {
    /// Milliseconds for each click.
    fn per_click(&self, time: Duration) -> f64 {
        1000.0 * time.as_secs_f64() / self.clicks.max(1) as f64
    }

    fn per_hour(&self, seconds: f64) -> f64 {
        3600.0 * self.tally.games as f64 / seconds.max(1e-9)
    }

    fn json(&self, name: &str, table: &Table, seconds: f64) -> Value {
        let mut report = table.json(&self.tally, seconds);
        report["window"] = name.into();
        report["games_per_hour"] = self.per_hour(seconds).into();
        report["reading_ms"] = self.per_click(self.reading).into();
        report["deciding_ms"] = self.per_click(self.deciding).into();
        report["misreadings"] = self.misreadings.into();
        report
    }

    fn text(&self, name: &str, table: &Table, seconds: f64) -> String {
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
            table.rules.grid.columns,
            table.rules.grid.rows,
            table.rules.mines,
            crate::puzzle::name_of(table.strategy),
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
