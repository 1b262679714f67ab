//! `asp-solve watch`: solves again whenever a file is saved, and tells what has changed.
//!
//! Each run is a process of its own, this program with the same arguments and the word that it is one of the runs: so a run
//! that is out of date can be ended at once, limits hold, and nothing of a run outlives it. The lines of two runs are
//! compared as sets.

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
use notify::{RecursiveMode, Watcher};

use super::args::Watch;
use super::child::{self, Process};
use super::input;
use super::output::{self, visible};
use crate::diagnostic::{Diagnostic, Failure};
use crate::report::{Format, Style};

/// An editor may save in several steps.
const QUIET: Duration = Duration::from_millis(60);
const TICK: Duration = Duration::from_millis(20);
/// More lines than this are counted, not shown.
const SHOWN: usize = 40;

/// Watches until Ctrl-C and gives the exit code.
pub fn watch(args: &Watch, runs: &[OsString]) -> i32 {
    match follow(args, runs) {
        Ok(()) => 0,
        Err(failure) => args.solve.common.writing.fail(&failure, &[]),
    }
}

fn follow(args: &Watch, runs: &[OsString]) -> Result<(), Failure> {
    let solve = &args.solve;
    let wrong = |text: &str| Err(Diagnostic::error(text).into());
    if solve.files.iter().any(|file| file == Path::new("-")) {
        return wrong("watch: standard input cannot be watched; give a file");
    }
    if solve.common.writing.file().is_some() || solve.batch || solve.format != Format::Text {
        return wrong("watch shows what has changed; --output, --format and --batch do not go with it");
    }
    if solve.certify.is_some() || solve.proof.is_some() {
        return wrong("watch shows what has changed; --certify and --proof do not go with it");
    }
    if let Some(missing) = solve.files.iter().find(|file| !file.is_file()) {
        return Err(Diagnostic::error(format!("{}: no such file", missing.display())).into());
    }
    let mut files = Files::new(args)?;
    let (sender, events) = mpsc::channel();
    let stopper = sender.clone();
    // It can only fail where a handler is set already, which is as good.
    let _ = ctrlc::set_handler(move || drop(stopper.send(Event::Stop)));
    let on_change = move |event: notify::Result<notify::Event>| {
        // Reading a file is an event as well, which a run would cause without end.
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            event.paths.into_iter().for_each(|path| drop(sender.send(Event::Changed(path))));
        }
    };
    let unwatched =
        |error: notify::Error| Failure::from(Diagnostic::error(format!("files cannot be watched: {error}")));
    let mut watcher = notify::recommended_watcher(on_change).map_err(unwatched)?;
    for (folder, mode) in &files.folders {
        watcher.watch(folder, *mode).map_err(unwatched)?;
    }
    let color = solve.common.writing.color();
    let mut screen = Screen { style: Style { color, ..Style::default() }, last: None };
    let mut changed: Vec<String> = Vec::new();
    loop {
        let told = screen.begin(&changed).and_then(|()| match run(runs, color, &events, &mut files) {
            Run::Done(done) => screen.show(&done).map(|()| Some(Vec::new())),
            Run::OutOfDate(paths) => Ok(Some(paths)),
            Run::Stopped => Ok(None),
        });
        let mut paths = match told {
            Ok(Some(paths)) => paths,
            // Stopped, or nobody looks any more.
            Ok(None) | Err(_) => return Ok(()),
        };
        if paths.is_empty() {
            match next_change(&events, &mut files) {
                Some(newer) => paths = newer,
                None => return Ok(()),
            }
        }
        changed = paths.iter().map(|path| short(path)).collect();
    }
}

enum Event {
    Changed(PathBuf),
    Stop,
}

/// What a run depends on: the named files, and every logic program in their folders and in those of encodings.
struct Files {
    named: Vec<PathBuf>,
    folders: Vec<(PathBuf, RecursiveMode)>,
    /// What was in a file when it was last looked at.
    contents: HashMap<PathBuf, Option<u64>>,
}

impl Files {
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
        let mut files = Files { named, folders: folders.into_iter().collect(), contents: HashMap::new() };
        for path in files.named.clone() {
            files.has_changed(&path);
        }
        Ok(files)
    }

    fn is_relevant(&self, path: &Path) -> bool {
        self.named.iter().any(|named| named == path) || path.extension() == Some(OsStr::new("lp"))
    }

    /// Whether the file has other contents than when it was last looked at.
    fn has_changed(&mut self, path: &Path) -> bool {
        let contents = std::fs::read(path).ok().map(|bytes| {
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            hasher.finish()
        });
        // A file that is gone for a moment, while an editor replaces it, is no change; the run would fail.
        contents.is_some() && self.contents.insert(path.to_owned(), contents) != Some(contents)
    }
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The path from where the person stands.
fn short(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(absolute(&here)).unwrap_or(path).display().to_string()
}

/// Waits for a file to be saved; `None` for Ctrl-C.
fn next_change(events: &Receiver<Event>, files: &mut Files) -> Option<Vec<PathBuf>> {
    let mut changed: Vec<PathBuf> = Vec::new();
    loop {
        let event = if changed.is_empty() {
            events.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            events.recv_timeout(QUIET)
        };
        match event {
            Ok(Event::Changed(path)) => {
                if files.is_relevant(&path) && !changed.contains(&path) && files.has_changed(&path) {
                    changed.push(path);
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                // The last of several steps of saving is the one that counts.
                for path in &changed {
                    files.has_changed(path);
                }
                return Some(changed);
            }
            Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// How a run ended.
enum Run {
    Done(Done),
    /// A file was saved meanwhile.
    OutOfDate(Vec<PathBuf>),
    Stopped,
}

struct Done {
    code: Option<i32>,
    output: String,
    errors: String,
    seconds: f64,
}

fn run(arguments: &[OsString], color: bool, events: &Receiver<Event>, files: &mut Files) -> Run {
    let began = Instant::now();
    let failed = |text: String| Done { code: None, output: String::new(), errors: text, seconds: 0.0 };
    let process = child::this_program().and_then(|mut program| {
        program.args(["watch", "--run"]).args(color.then_some("--run-in-color")).args(arguments);
        Process::start(program.stdout(Stdio::piped()).stderr(Stdio::piped()))
    });
    let mut process = match process {
        Ok(process) => process,
        Err(error) => return Run::Done(failed(format!("error: no run can be started: {error}\n"))),
    };
    let read = process.read();
    loop {
        match process.ended() {
            Ok(Some(status)) => {
                let seconds = began.elapsed().as_secs_f64();
                let [output, errors] = read.map(|reader| reader.join().unwrap_or_default());
                return Run::Done(Done { code: status.code(), output, errors, seconds });
            }
            Ok(None) => {}
            Err(error) => return Run::Done(failed(format!("error: the run cannot be watched: {error}\n"))),
        }
        match events.recv_timeout(TICK) {
            Ok(Event::Changed(path)) if files.is_relevant(&path) && files.has_changed(&path) => {
                return Run::OutOfDate(vec![path]);
            }
            Ok(Event::Stop) => return Run::Stopped,
            _ => {}
        }
    }
}

/// What one sees, and the lines of the last run that had any.
struct Screen {
    style: Style,
    last: Option<Vec<String>>,
}

impl Screen {
    /// On a terminal each run begins on an empty screen.
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

    fn show(&mut self, done: &Done) -> io::Result<()> {
        let mut out = output::standard();
        // A broken edit: its message stays until the next save, and the last answers stay known.
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
        let (mut title, mut page) = (verdict, String::new());
        match &self.last {
            None => self.list(&mut page, ' ', Ansi::new(), &lines.iter().map(String::as_str).collect::<Vec<_>>()),
            Some(last) => {
                let gone = without(last, &lines);
                let new = without(&lines, last);
                title += &format!(": {} new, {} gone, {} same", new.len(), gone.len(), lines.len() - new.len());
                self.list(&mut page, '-', AnsiColor::Red.on_default(), &gone);
                self.list(&mut page, '+', AnsiColor::Green.on_default(), &new);
            }
        }
        let title = self.style.paint(Ansi::new().bold(), &title);
        // At the end, where one sees it however long the list is.
        writeln!(out, "{}{page}{title} ({:.2} s)", done.errors, done.seconds)?;
        self.last = Some(lines);
        out.flush()
    }

    fn list(&self, page: &mut String, sign: char, ansi: Ansi, lines: &[&str]) {
        for line in lines.iter().take(SHOWN) {
            *page += &self.style.paint(ansi, &format!("{sign} {}", visible(line, false).replace('\t', "  ")));
            page.push('\n');
        }
        if lines.len() > SHOWN {
            *page += &format!("{sign} … and {} more\n", lines.len() - SHOWN);
        }
    }
}

/// The lines of one that the other has not, each as often as it is missing.
fn without<'a>(one: &'a [String], other: &[String]) -> Vec<&'a str> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for line in other {
        *count.entry(line).or_default() += 1;
    }
    let mut is_missing = |line: &&String| match count.get_mut(line.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    one.iter().filter(|line| is_missing(line)).map(String::as_str).collect()
}
