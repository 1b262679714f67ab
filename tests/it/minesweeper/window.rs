//! The bot on the window of another program: on a simulated one, and on real ones if they are
//! installed.

use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use asp_solve::Job;
use base::diagnostic::{Code, Failure};
use base::stop::StopReason;
use minesweeper::count::Budget;
use minesweeper::grid::{Cell, Grid};
use minesweeper::play::bot::Strategy;
use minesweeper::play::game::{Click, Game, Setup, Start};
use minesweeper::play::round::RunConfig;
use minesweeper::window::calibrate::{Lattice, calibrate};
use minesweeper::window::reading::Reader;
use minesweeper::window::skin::{SIDE, Sign, Skin};
use minesweeper::window::{WindowOptions, WindowReport, play};
use puzzle::Console;
use screen::{Image, Rectangle, Screen};

use crate::support::process::*;
use crate::support::{RunOutput, command, extent, file, folder, programs, run_line, run_output};

fn skin() -> Skin {
    Skin::find("sgt-mines", None).expect("an included skin")
}

/// Draws a board with the sprites of a skin.
fn draw_board(skin: &Skin, lattice: Lattice, sign: impl Fn(usize) -> Sign, size: [usize; 2]) -> Image {
    let [width, height] = size;
    let mut image = Image { width, height, pixels: vec![[90, 120, 160]; width * height] };
    for cell in lattice.grid.cells() {
        let sprite = skin.sprite.iter().find(|sprite| sprite.sign == sign(cell)).expect("a sprite");
        let at = lattice.cell(cell);
        for (y, x) in (0..at.height).flat_map(|y| (0..at.width).map(move |x| (y, x))) {
            let part = y * SIDE / at.height * SIDE + x * SIDE / at.width;
            image.pixels[(at.top + y) * width + at.left + x] = sprite.rows.0[part];
        }
    }
    image
}

/// A simulated window: a game that is drawn, with optional faults.
struct FakeScreen {
    skin: Skin,
    lattice: Lattice,
    rules: Setup,
    random: fastrand::Rng,
    game: Option<Game>,
    exploded: Option<usize>,
    pointer: [i32; 2],
    clicks: usize,
    /// The number of clicks after which a person moves the mouse.
    touched_from: usize,
    /// The number of clicks after which cells show wrong numbers.
    wrong_from: usize,
    /// Restarts a running game.
    restart: bool,
    /// The number of keys pressed.
    restarts: usize,
}

impl FakeScreen {
    fn new(rules: Setup) -> Self {
        let lattice = Lattice { left: 37.0, top: 51.0, size: 24.0, grid: rules.grid };
        let random = fastrand::Rng::with_seed(1);
        let (touched_from, wrong_from) = (usize::MAX, usize::MAX);
        FakeScreen {
            // The search begins with the usual size.
            skin: Skin { cell: 24, ..skin() },
            lattice,
            rules,
            random,
            game: None,
            exploded: None,
            pointer: [0; 2],
            clicks: 0,
            touched_from,
            wrong_from,
            restart: false,
            restarts: 0,
        }
    }

    fn sign(&self, cell: usize) -> Sign {
        match self.game.as_ref().map(|game| game.position.cells[cell]) {
            _ if self.exploded == Some(cell) => Sign::Exploded,
            Some(Cell::Open(number)) if self.clicks >= self.wrong_from => Sign::Open((number + 1) % 8),
            Some(Cell::Open(number)) => Sign::Open(number),
            _ => Sign::Closed,
        }
    }
}

impl Screen for FakeScreen {
    fn size(&mut self) -> Result<[usize; 2], Failure> {
        let Rectangle { left, top, width, height } = self.lattice.rectangle();
        Ok([left + width + 31, top + height + 23])
    }

    fn grab(&mut self, of: Rectangle) -> Result<Image, Failure> {
        let size = self.size()?;
        Ok(draw_board(&self.skin, self.lattice, |cell| self.sign(cell), size).part(of))
    }

    fn point(&mut self, at: [i32; 2]) -> Result<(), Failure> {
        self.pointer = at;
        Ok(())
    }

    fn click(&mut self) -> Result<(), Failure> {
        let corner = [self.lattice.left, self.lattice.top];
        let at = |axis: usize| (self.pointer[axis] - corner[axis] as i32) as usize / self.lattice.size as usize;
        let [column, row] = [at(0), at(1)];
        let cell = self.lattice.grid.cell(row, column);
        let (rules, random) = (self.rules, &mut self.random);
        let game = self.game.get_or_insert_with(|| rules.game(random, cell));
        if game.click(cell, &mut Vec::new()) == Click::Mine {
            self.exploded = Some(cell);
        }
        self.clicks += 1;
        Ok(())
    }

    fn key(&mut self, name: &str) -> Result<(), Failure> {
        assert_eq!(name, "n");
        (self.game, self.exploded) = (None, None);
        self.restarts += 1;
        Ok(())
    }

    fn interruption(&mut self) -> Result<Option<&'static str>, Failure> {
        Ok((self.clicks >= self.touched_from).then_some("the mouse was moved"))
    }

    fn obstruction(&mut self, _: Rectangle) -> Result<Option<String>, Failure> {
        Ok(None)
    }
}

const BEGINNER: Setup = Setup { grid: Grid { rows: 9, columns: 9 }, mines: 10, start: Start::Safe };

fn played(fake: &mut FakeScreen, games: u64) -> Result<WindowReport, Failure> {
    let table = RunConfig::new(fake.rules, Strategy::Best, &Budget::unlimited());
    let mut show = |_: &str| ControlFlow::Continue(());
    let console = Console { progress: &|_, _| {}, show: &mut show, delay: None, sheet: Vec::new() };
    let skin = fake.skin.clone();
    let options = WindowOptions { games, restart: fake.restart, ..WindowOptions::default() };
    play(fake, &skin, &table, &options, &Job::default(), &console)
}

#[test]
fn the_bot_plays_the_board_on_the_screen() {
    let mut fake = FakeScreen::new(BEGINNER);
    let seen = played(&mut fake, 12).expect("a readable board");
    assert_eq!((seen.tally.games, seen.misreadings, seen.ended), (12, 0, None), "{:?}", seen.warnings);
    assert!(seen.tally.wins >= 8, "{:?}", seen.tally);
    // The first click of a game belongs to no stage.
    assert_eq!(seen.clicks, 12 + seen.tally.clicks.iter().sum::<u64>());
    assert_eq!(seen.clicks, fake.clicks as u64);
}

#[test]
fn moving_the_mouse_stops_the_bot_before_the_next_click() {
    let mut fake = FakeScreen { touched_from: 3, ..FakeScreen::new(BEGINNER) };
    let seen = played(&mut fake, 5).expect("a readable board");
    assert_eq!((fake.clicks, seen.ended), (3, Some(StopReason::Interrupted)));
    assert_eq!(seen.warnings[0].code, Code::Stopped);
    assert!(seen.warnings[0].message.contains("the mouse was moved"), "{:?}", seen.warnings);
}

#[test]
fn a_contradictory_reading_is_reported_with_its_picture() {
    let mut fake = FakeScreen { wrong_from: 3, ..FakeScreen::new(BEGINNER) };
    let seen = played(&mut fake, 1).expect("a readable board");
    // The unfinished game counts neither as lost nor as played.
    assert_eq!((seen.misreadings, seen.tally.games, seen.tally.wins), (1, 0, 0));
    let path = seen.warnings[0].message.split("the board is in ").nth(1).expect("the file is named");
    let picture = Image::read(Path::new(path)).expect("a picture");
    assert_eq!([picture.width, picture.height], [9 * 24; 2]);
    std::fs::remove_file(path).expect("a removable file");
}

#[test]
fn a_running_game_is_restarted_only_on_request() {
    for restart in [false, true] {
        let mut fake = FakeScreen { restart, ..FakeScreen::new(BEGINNER) };
        let mut game = BEGINNER.game(&mut fake.random, BEGINNER.grid.cell(4, 4));
        game.click(BEGINNER.grid.cell(4, 4), &mut Vec::new());
        fake.game = Some(game);
        let seen = played(&mut fake, 1).expect("a readable board");
        assert_eq!((seen.tally.games, seen.misreadings), (1, 0), "{:?}", seen.warnings);
        assert_eq!(fake.restarts, usize::from(restart));
    }
}

#[test]
fn a_window_of_another_size_is_an_error() {
    let mut fake = FakeScreen::new(BEGINNER);
    fake.lattice.grid = Grid { rows: 16, columns: 16 };
    let failure = played(&mut fake, 1).expect_err("the sizes differ");
    assert_eq!(failure.code(), Some(Code::System), "{failure}");
    assert!(failure.to_string().contains("the window shows 16×16 cells, but expected 9×9"), "{failure}");
}

#[test]
fn boards_are_found_at_any_place_and_size() {
    let skin = skin();
    let boards =
        [(32.0, 111.0, 7.0, 5, 8), (40.0, 30.0, 55.0, 9, 9), (24.0, 3.0, 90.0, 16, 30), (48.0, 50.0, 50.0, 16, 16)];
    for (size, left, top, rows, columns) in boards.into_iter().take(if extent::is_complete() { 4 } else { 1 }) {
        let lattice = Lattice { left, top, size, grid: Grid { rows, columns } };
        let sign = |cell: usize| if cell % 7 == 3 { Sign::Open((cell % 9) as u8) } else { Sign::Closed };
        let around = [left as usize + columns * size as usize + 40, top as usize + rows * size as usize + 12];
        let image = draw_board(&skin, lattice, sign, around);
        assert_eq!(calibrate(&image, &skin), Some(lattice));
        let mut reader = Reader::new(lattice);
        assert!(reader.read(image.part(lattice.rectangle()), &skin));
        assert!(!reader.read(image.part(lattice.rectangle()), &skin), "nothing has changed");
        assert!(lattice.grid.cells().all(|cell| reader.signs[cell] == Some(sign(cell))));
    }
}

#[test]
fn boards_with_fractional_cell_sizes_are_read_to_the_last_column() {
    let skin = skin();
    for (rows, columns) in [(9, 9), (16, 30)].into_iter().take(if extent::is_complete() { 2 } else { 1 }) {
        let size = 48.75;
        let lattice = Lattice { left: 41.0, top: 63.0, size, grid: Grid { rows, columns } };
        let sign = |cell: usize| if cell % 7 == 3 { Sign::Open((cell % 9) as u8) } else { Sign::Closed };
        let board = lattice.rectangle();
        let image = draw_board(&skin, lattice, sign, [board.left + board.width + 30, board.top + board.height + 25]);
        let found = calibrate(&image, &skin).expect("a board");
        assert_eq!(found.grid, lattice.grid, "{size}: {found:?}");
        assert!((found.size - size).abs() * (columns as f64) < 2.0, "{size}: {found:?}");
        let mut reader = Reader::new(found);
        reader.read(image.part(found.rectangle()), &skin);
        assert!(found.grid.cells().all(|cell| reader.signs[cell] == Some(sign(cell))), "{size}: {}", reader.text());
    }
}

/// Writes a picture of the board `text`, which may be partly covered.
fn screenshot(folder: &Path, text: &str, covered: bool) -> PathBuf {
    let rows: Vec<&str> = text.lines().collect();
    let grid = Grid { rows: rows.len(), columns: rows[0].len() };
    let lattice = Lattice { left: 30.0, top: 55.0, size: 24.0, grid };
    let sign = |cell: usize| {
        let [row, column] = grid.place(cell);
        Sign::of(rows[row].as_bytes()[column] as char).expect("a sign")
    };
    let mut image = draw_board(&skin(), lattice, sign, [300, 300]);
    if covered {
        let corner = lattice.cell(grid.cell(2, 3));
        for y in 0..30 {
            image.pixels[(corner.top + y) * 300 + corner.left..][..50].fill([10, 200, 10]);
        }
    }
    let mut bytes = Vec::new();
    image.write(&mut bytes).expect("a picture can be written");
    file(folder, if covered { "covered.png" } else { "board.png" }, bytes)
}

const BOARD: &str =
    "0001#####\n0001#####\n0001#####\n1101#####\n#101#####\n#211#####\n#########\n#########\n#########\n";

/// The command that reads a picture, with a skin of the same cell size.
fn dry_run(folder: &Path, covered: bool) -> String {
    let original = std::fs::read_to_string("skins/sgt-mines.toml").expect("an included skin");
    let skin = file(folder, "skin.toml", original.replace("cell = 20\n", "cell = 24\n"));
    let picture = screenshot(folder, BOARD, covered);
    let (skin, picture) = (skin.display(), picture.display());
    format!("play minesweeper --window sgt-mines --skin {skin} --dry-run --screenshot {picture}")
}

#[test]
fn a_dry_run_reads_a_picture_and_prints_the_next_click() {
    let folder = folder();
    let line = dry_run(folder.path(), false);
    let ran = run_line(&line);
    assert!(ran.out.starts_with(BOARD) && ran.out.contains("Would click on row"), "{}{}", ran.out, ran.err);
    let json = run_line(&format!("{line} -f json")).json();
    assert_eq!((&json["board"][3], &json["dry_run"]), (&"1101#####".into(), &true.into()));
    let ran = run_line(&format!("{line} --level expert"));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("shows 9×9 cells, but expected 30×16"), "{}", ran.err);
}

#[test]
fn a_covered_board_is_an_error() {
    let folder = folder();
    let ran = run_line(&dry_run(folder.path(), true));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("row 3, column 4 looks like no cell: the window is partly covered"), "{}", ran.err);
}

#[test]
fn a_skin_is_learnt_from_a_marked_board() {
    let folder = folder();
    let picture = screenshot(folder.path(), BOARD, false).display().to_string();
    let marks = file(folder.path(), "marks.txt", format!("% the first game\n{BOARD}")).display().to_string();
    let skin = folder.path().join("own.toml").display().to_string();
    let learn = format!("play minesweeper --window own --learn {marks} --screenshot {picture}");
    let ran = run_line(&format!("{learn} --at 30,55,24 -o {skin}"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = run_line(&format!("play minesweeper --window own --skin {skin} --dry-run --screenshot {picture}"));
    assert!(ran.out.starts_with(BOARD), "{}{}", ran.out, ran.err);
    let ran = run_line(&learn);
    assert!(ran.code == 2 && ran.err.contains("skins/own.toml: cannot read a skin"), "{}", ran.err);
    let marks = file(folder.path(), "wrong.txt", "01\n2z\n").display().to_string();
    let ran = run_line(&format!("play minesweeper --window own --learn {marks} --screenshot {picture} --at 30,55,24"));
    assert!(ran.code == 2 && ran.err.contains("wrong.txt:2:2") && ran.err.contains("found z"), "{}", ran.err);
}

#[test]
fn options_that_conflict_with_a_window_are_rejected() {
    for (line, expected) in [
        ("--dry-run", "--window"),
        ("--skin x.toml", "--window"),
        ("--delay 5", "--watch or --window"),
        ("--window sgt-mines --seed 3", "--seed"),
        ("--window sgt-mines --start safe", "--start"),
        ("--window sgt-mines --watch", "--watch"),
        ("--window sgt-mines --screenshot x.png", "--dry-run or --learn"),
        ("--window ../nothing", "cannot read a skin"),
        ("--window sgt-mines --skin Cargo.toml", "Cargo.toml: unknown field"),
    ] {
        let ran = run_line(&format!("play minesweeper {line}"));
        assert!(ran.code == 2 && ran.err.contains(expected), "{line}: {} {}", ran.code, ran.err);
    }
    let ran =
        run_output(command().args("play minesweeper --window sgt-mines".split(' ')).env_remove("DISPLAY").finished());
    assert!(ran.code == 2 && ran.err.contains("no X display"), "{}", ran.err);
}

/// An X server that ends with the test.
struct Server {
    child: Child,
    display: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(name: &str) -> Option<PathBuf> {
    programs::find_program(&[name], "/usr/games")
}

/// Starts `$XVFB` or an installed Xvfb, if both games are installed.
fn server() -> Option<Server> {
    let named = std::env::var_os("XVFB").map(PathBuf::from);
    let is_required = named.is_some();
    let all = [named.or_else(|| program("Xvfb")), program("xdemineur"), program("sgt-mines")];
    let [Some(xvfb), Some(_), Some(_)] = all else {
        assert!(!is_required, "$XVFB is there, and not all of Xvfb, xdemineur and sgt-mines are");
        programs::skip("Xvfb, xdemineur and sgt-mines (Debian: xvfb xdemineur sgt-puzzles) are not all installed");
        return None;
    };
    // The server chooses a free display number and prints it.
    let mut child = command_of(xvfb)
        .args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let out = child.stdout.take().expect("the output is piped");
    let mut server = Server { child, display: String::new() };
    let number = with_timeout("the server prints its number", || BufReader::new(out).lines().next());
    server.display = format!(":{}", number.expect("a line").expect("a number").trim());
    Some(server)
}

fn at_window(server: &Server, line: &str) -> RunOutput {
    let mut command = command();
    run_output(command.args(["play", "minesweeper"]).args(line.split(' ')).env("DISPLAY", &server.display).finished())
}

fn play_games(runs: &[(&str, &str, u64)]) {
    let Some(server) = server() else { return };
    for (window, level, games) in runs {
        let ran = at_window(&server, &format!("--window {window} --level {level} --games {games} -f json"));
        assert_eq!(ran.code, 0, "{window}, {level}: {}", ran.err);
        let report = ran.json();
        assert_eq!((&report["games"], &report["misreadings"]), (&(*games).into(), &0.into()), "{report} {}", ran.err);
        // Boards of sgt-mines need no guess.
        if *window == "sgt-mines" {
            assert_eq!((&report["wins"], &report["guesses"]), (&(*games).into(), &0.into()), "{report}");
        }
    }
}

#[test]
#[ignore = "needs windows"]
fn real_windows_are_played_without_a_misreading() {
    let runs = [
        ("xdemineur", "beginner", 20),
        ("xdemineur", "intermediate", 10),
        ("sgt-mines", "beginner", 10),
        ("sgt-mines", "intermediate", 3),
    ];
    play_games(&runs);
}

/// Plays at WineMine with `$WINE`, with the settings of Wine in a folder of its own.
fn play_winemine(games: u64) {
    let Some(wine) = std::env::var_os("WINE") else {
        programs::skip("$WINE does not name Wine (Debian: wine), whose first start takes most of a minute");
        return;
    };
    let server = server().expect("a server, since $WINE is there");
    let settings = tempfile::tempdir().expect("a temporary folder");
    for level in ["beginner", "intermediate", "expert", "custom"] {
        let board = if level == "custom" { "--size 12x10 --mines 15".to_owned() } else { format!("--level {level}") };
        let line = format!("play minesweeper --window winemine {board} --games {games} -f json");
        let mut command = command();
        command.args(line.split(' ')).env("DISPLAY", &server.display);
        command.env("WINEPREFIX", settings.path()).env("WINEDEBUG", "-all");
        let ran = run_output(command.finished());
        assert_eq!(ran.code, 0, "{level}: {}", ran.err);
        let report = ran.json();
        assert_eq!((&report["games"], &report["misreadings"]), (&games.into(), &0.into()), "{report} {}", ran.err);
    }
    // Wine's processes would write into the folder while it is deleted.
    let _ = command_of(wine)
        .args(["wineboot", "--end-session", "--shutdown"])
        .env("WINEPREFIX", settings.path())
        .finished();
}

#[test]
#[ignore = "needs windows"]
fn winemine_is_played_at_all_levels_without_a_misreading() {
    play_winemine(3);
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "needs windows and takes minutes"]
    fn many_games_at_winemine_are_played_without_a_misreading() {
        play_winemine(100);
    }

    #[test]
    #[ignore = "needs windows and takes minutes"]
    fn many_games_on_real_windows_are_played_without_a_misreading() {
        for level in ["beginner", "intermediate", "expert"] {
            play_games(&[("xdemineur", level, 100), ("sgt-mines", level, 100)]);
        }
    }
}

#[test]
#[ignore = "needs windows"]
fn problems_with_real_windows_are_reported() {
    let Some(server) = server() else { return };
    let start = |program_name: &str, arguments: &[&str]| {
        let path = program(program_name).expect("an installed program");
        let mut command = command_of(path);
        let child =
            command.args(arguments).env("DISPLAY", &server.display).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Server { child: child.expect("a started program"), display: String::new() }
    };
    let window = start("xdemineur", &["-geometry", "16x16", "-m", "40"]);
    // The window exists once it can be read.
    let dry = |line: &str| Some(at_window(&server, line)).filter(|dry| dry.code == 0);
    let mut seen = None;
    wait_until("the window is drawn", || {
        seen = dry("--window xdemineur --dry-run --level intermediate");
        seen.is_some()
    });
    let seen = seen.expect("a drawn window");
    assert_eq!(seen.out.lines().next().map(str::len), Some(16), "{}{}", seen.out, seen.err);
    let other = at_window(&server, "--window xdemineur --dry-run --level expert");
    assert!(other.code == 2 && other.err.contains("shows 16×16 cells, but expected 30×16"), "{}", other.err);
    // Without a window manager the second window covers the first.
    let cover = start("sgt-mines", &["9x9n10"]);
    wait_until("the other window is drawn", || dry("--window sgt-mines --dry-run --level beginner").is_some());
    let covered = at_window(&server, "--window xdemineur --level intermediate");
    assert!(covered.code == 2 && covered.err.contains("another window covers a part of it"), "{}", covered.err);
    drop((window, cover));
}
