//! `asp-solve watch`: solves again whenever a file is saved, and shows what changed.
//!
//! Each run is a separate process: this program with the same arguments and `--run`. So an outdated
//! run can be killed at once, limits apply, and nothing of a run outlives it. The output lines of
//! two runs are compared as multisets.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::hash::{Hash, Hasher};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style as Ansi};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::style::Style;
use notify::RecursiveMode;
use puzzle::Format;

use super::args::Watch;
use super::folders::{SAVE_DEBOUNCE, watch_folders};
use super::subprocess::{self, Process};
use super::terminal::escape_controls;
use super::{exit, input, output};

const TICK: Duration = Duration::from_millis(20);
/// Maximum number of lines shown; further ones are only counted.
const MAX_SHOWN: usize = 40;

/// Watches until Ctrl-C and returns the exit code.
pub fn watch(args: &Watch, runs: &[OsString]) -> i32 {
    match run_watch(args, runs) {
        Ok(()) => 0,
        Err(failure) => args.solve.common.output_args.fail(&failure, &[]),
    }
}

fn run_watch(args: &Watch, runs: &[OsString]) -> Result<(), Failure> {
    let solve = &args.solve;
    let wrong = |text: &str| Err(Diagnostic::error(Code::Usage, text).into());
    if solve.files.iter().any(|file| file == Path::new("-")) {
        return wrong("watch: standard input cannot be watched; give a file");
    }
    if solve.common.output_args.file().is_some() || solve.batch || solve.format != Format::Text {
        return wrong("watch shows what has changed; --output, --format and --batch do not go with it");
    }
    if solve.question.certify.is_some() || solve.question.proof.is_some() {
        return wrong("watch shows what has changed; --certify and --proof do not go with it");
    }
    if let Some(missing) = solve.files.iter().find(|file| !file.is_file()) {
        return Err(Diagnostic::error(Code::UnreadableFile, format!("{}: no such file", missing.display())).into());
    }
    let mut files = WatchedFiles::new(args)?;
    let (sender, events) = mpsc::channel();
    let stopper = sender.clone();
    exit::on_interrupt(move || drop(stopper.send(Event::Stop)));
    let _watcher = watch_folders(&files.folders, move |paths| {
        for path in paths {
            drop(sender.send(Event::Changed(path)));
        }
    })?;
    let color = solve.common.output_args.color();
    let mut screen = Screen { style: Style { color, ..Style::default() }, last: None };
    let mut changed: Vec<String> = Vec::new();
    loop {
        let outcome = screen.begin(&changed).and_then(|()| match run(runs, color, &events, &mut files) {
            RunEnd::Done(done) => screen.show(&done).map(|()| Some(Vec::new())),
            RunEnd::OutOfDate(paths) => Ok(Some(paths)),
            RunEnd::Stopped => Ok(None),
        });
        let mut paths = match outcome {
            Ok(Some(paths)) => paths,
            // Stopped, or the output is closed.
            Ok(None) | Err(_) => return Ok(()),
        };
        if paths.is_empty() {
            match next_change(&events, &mut files) {
                Some(newer) => paths = newer,
                None => return Ok(()),
            }
        }
        changed = paths.iter().map(|path| relative(path)).collect();
    }
}

enum Event {
    Changed(PathBuf),
    Stop,
}

/// The files that a run depends on: the named ones, and every logic program in their folders and
/// the encoding folders.
struct WatchedFiles {
    named: Vec<PathBuf>,
    folders: Vec<(PathBuf, RecursiveMode)>,
    /// Hashes of the files' contents when they were last read.
    contents: HashMap<PathBuf, Option<u64>>,
}

impl WatchedFiles {
    fn new(args: &Watch) -> Result<Self, Failure> {
        let encodings = args.solve.choice.encoding.iter().filter(|path| path.is_file());
        let named: Vec<PathBuf> = args.solve.files.iter().chain(encodings).map(|path| absolute(path)).collect();
        let mut folders: BTreeMap<PathBuf, RecursiveMode> = BTreeMap::new();
        for path in &named {
            folders.insert(path.parent().map_or_else(PathBuf::new, Path::to_owned), RecursiveMode::NonRecursive);
        }
        for folder in input::folders(args.solve.program.folder.path())?.iter().filter(|folder| folder.is_dir()) {
            folders.insert(absolute(folder), RecursiveMode::Recursive);
        }
        let mut files = WatchedFiles { named, folders: folders.into_iter().collect(), contents: HashMap::new() };
        for path in files.named.clone() {
            files.has_changed(&path);
        }
        Ok(files)
    }

    fn is_relevant(&self, path: &Path) -> bool {
        self.named.iter().any(|named| named == path) || path.extension() == Some(OsStr::new("lp"))
    }

    /// Returns true if the contents of the file differ from when it was last read.
    fn has_changed(&mut self, path: &Path) -> bool {
        let contents = std::fs::read(path).ok().map(|bytes| {
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            hasher.finish()
        });
        // A file that is briefly missing while an editor replaces it counts as unchanged, since a
        // run would fail.
        contents.is_some() && self.contents.insert(path.to_owned(), contents) != Some(contents)
    }
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns the path relative to the current folder.
fn relative(path: &Path) -> String {
    let current_folder = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(absolute(&current_folder)).unwrap_or(path).display().to_string()
}

/// Waits for files to be saved and returns them; returns `None` on Ctrl-C.
fn next_change(events: &Receiver<Event>, files: &mut WatchedFiles) -> Option<Vec<PathBuf>> {
    let mut changed: Vec<PathBuf> = Vec::new();
    loop {
        let event = if changed.is_empty() {
            events.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            events.recv_timeout(SAVE_DEBOUNCE)
        };
        match event {
            Ok(Event::Changed(path)) => {
                if files.is_relevant(&path) && !changed.contains(&path) && files.has_changed(&path) {
                    changed.push(path);
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                // Remember the contents after the last step of saving.
                for path in &changed {
                    files.has_changed(path);
                }
                return Some(changed);
            }
            Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// The end of a run.
enum RunEnd {
    Done(FinishedRun),
    /// A file was saved during the run.
    OutOfDate(Vec<PathBuf>),
    Stopped,
}

struct FinishedRun {
    code: Option<i32>,
    output: String,
    errors: String,
    seconds: f64,
}

fn run(arguments: &[OsString], color: bool, events: &Receiver<Event>, files: &mut WatchedFiles) -> RunEnd {
    let began = Instant::now();
    let failed = |text: String| FinishedRun { code: None, output: String::new(), errors: text, seconds: 0.0 };
    let process = subprocess::this_program().and_then(|mut program| {
        program.args(["watch", "--run"]).args(color.then_some("--run-in-color")).args(arguments);
        Process::start(program.stdout(Stdio::piped()).stderr(Stdio::piped()))
    });
    let mut process = match process {
        Ok(process) => process,
        Err(error) => return RunEnd::Done(failed(format!("error: cannot start the run: {error}\n"))),
    };
    let readers = process.read_output();
    loop {
        match process.try_wait() {
            Ok(Some(status)) => {
                let seconds = began.elapsed().as_secs_f64();
                let [output, errors] = readers.map(|reader| reader.join().unwrap_or_default());
                return RunEnd::Done(FinishedRun { code: status.code(), output, errors, seconds });
            }
            Ok(None) => {}
            Err(error) => return RunEnd::Done(failed(format!("error: the run cannot be watched: {error}\n"))),
        }
        match events.recv_timeout(TICK) {
            Ok(Event::Changed(path)) if files.is_relevant(&path) && files.has_changed(&path) => {
                return RunEnd::OutOfDate(vec![path]);
            }
            Ok(Event::Stop) => return RunEnd::Stopped,
            _ => {}
        }
    }
}

/// The terminal output, and the lines of the last successful run.
struct Screen {
    style: Style,
    last: Option<Vec<String>>,
}

impl Screen {
    /// Clears the terminal before a run.
    fn begin(&mut self, changed: &[String]) -> io::Result<()> {
        let mut out = output::standard();
        if io::stdout().is_terminal() {
            write!(out, "\x1b[H\x1b[2J\x1b[3J")?;
        }
        if !changed.is_empty() {
            writeln!(out, "{}", self.style.paint(Ansi::new().dimmed(), &format!("saved: {}", changed.join(", "))))?;
        }
        out.flush()
    }

    fn show(&mut self, done: &FinishedRun) -> io::Result<()> {
        let mut out = output::standard();
        // If a run fails, its message stays until the next save, and the last answers are
        // remembered.
        if !matches!(done.code, Some(0 | 1 | 3)) {
            write!(out, "{}", done.errors)?;
            return out.flush();
        }
        let lines: Vec<String> = done.output.lines().map(str::to_owned).collect();
        let verdict = match done.code {
            Some(1) => "none".to_owned(),
            Some(3) => "gave up".to_owned(),
            _ => format!("{} {}", lines.len(), if lines.len() == 1 { "line" } else { "lines" }),
        };
        let mut title = verdict;
        let mut page = String::new();
        match &self.last {
            None => self.list(&mut page, ' ', Ansi::new(), &lines.iter().map(String::as_str).collect::<Vec<_>>()),
            Some(last) => {
                let gone = lines_not_in(last, &lines);
                let new = lines_not_in(&lines, last);
                title += &format!(": {} new, {} gone, {} same", new.len(), gone.len(), lines.len() - new.len());
                self.list(&mut page, '-', AnsiColor::Red.on_default(), &gone);
                self.list(&mut page, '+', AnsiColor::Green.on_default(), &new);
            }
        }
        let title = self.style.paint(Ansi::new().bold(), &title);
        // The title comes last, so that it is visible even after a long list.
        writeln!(out, "{}{page}{title} ({:.2} s)", done.errors, done.seconds)?;
        self.last = Some(lines);
        out.flush()
    }

    fn list(&self, page: &mut String, sign: char, ansi: Ansi, lines: &[&str]) {
        for line in lines.iter().take(MAX_SHOWN) {
            *page += &self.style.paint(ansi, &format!("{sign} {}", escape_controls(line, false).replace('\t', "  ")));
            page.push('\n');
        }
        if lines.len() > MAX_SHOWN {
            *page += &format!("{sign} … and {} more\n", lines.len() - MAX_SHOWN);
        }
    }
}

/// Returns the lines of `one` that `other` lacks, with multiplicity.
fn lines_not_in<'a>(one: &'a [String], other: &[String]) -> Vec<&'a str> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for line in other {
        *count.entry(line).or_default() += 1;
    }
    let mut is_missing = |line: &&String| match count.get_mut(line.as_str()) {
        Some(remaining) if *remaining > 0 => {
            *remaining -= 1;
            false
        }
        _ => true,
    };
    one.iter().filter(|line| is_missing(line)).map(String::as_str).collect()
}
