//! `asp-solve lsp`: the language server's ends. Messages come and go by standard input and output; programs are checked, and
//! commands run, in processes of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lsp_server::{Connection, Message, RequestId};
use serde_json::json;

use super::args::Solve;
use super::child::{self, Process, Worker};
use super::runner::{End, Limits, Runner};
use super::{asked, input, output};
use crate::asp::syntax;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::lsp::{self, Answer, Chosen, Effect, Files, Request, Run, Server};
use crate::puzzle::logic;
use crate::stop::Stop;
use crate::why::Question;

pub use super::args::Lsp;

/// Time limit of a check.
const TIME_LIMIT: f64 = 10.0;
/// Work that was asked to stop is waited for.
const GRACE: Duration = Duration::from_millis(200);
/// clingo forgets no symbol, so that a process grows with what it checks.
const MOST_CHECKS: u32 = 200;

/// Serves an editor until it leaves, and gives the exit code.
pub fn lsp(args: &Lsp) -> i32 {
    if args.worker { work(args) } else { serve(args) }
}

enum Event {
    Client(Message),
    /// The editor has gone.
    Gone,
    /// A line from the process with this number.
    Checked(u32, String),
    CheckEnded(u32),
    Ran(RequestId, Option<String>),
}

fn serve(args: &Lsp) -> i32 {
    let (connection, threads) = Connection::stdio();
    let (events, heard) = mpsc::channel();
    let (receiver, forward) = (connection.receiver, events.clone());
    thread::spawn(move || {
        receiver.iter().for_each(|message| drop(forward.send(Event::Client(message))));
        let _ = forward.send(Event::Gone);
    });
    let mut server = Server::new(Disk { asp_dir: args.program.folder.path().map(Path::to_owned) });
    let mut host = Host { events, checkers: Checkers::default(), runs: BTreeMap::new() };
    loop {
        let event = next(&heard, &mut server, &mut host);
        let effects = match event {
            Event::Client(message) => server.handle(message),
            // A protocol that ends without `exit` has failed.
            Event::Gone => return 1,
            Event::Checked(number, line) if host.checkers.is_current(number) => {
                serde_json::from_str(&line).map_or_else(|_| Vec::new(), |answer: Answer| server.checked(answer))
            }
            Event::CheckEnded(number) if host.checkers.is_current(number) => {
                host.checkers.current = None;
                server.check_ended("the process has ended")
            }
            Event::Checked(..) | Event::CheckEnded(_) => Vec::new(),
            Event::Ran(id, printed) => {
                host.runs.remove(&id);
                vec![server.ran(id, printed)]
            }
        };
        for effect in effects {
            match effect {
                Effect::Send(message) => drop(connection.sender.send(message)),
                Effect::EndCheck => host.checkers.current = None,
                Effect::Run(run) => host.run(run),
                Effect::EndRun(id) => drop(host.runs.get(&id).map(|run| lock(run).take())),
                Effect::Exit(code) => {
                    host.end();
                    drop(connection.sender);
                    // What was answered is written.
                    let _ = threads.join();
                    return code;
                }
            }
        }
    }
}

/// The next event. What the editor has said is all heard before a check begins.
fn next(heard: &Receiver<Event>, server: &mut Server<Disk>, host: &mut Host) -> Event {
    if let Ok(event) = heard.try_recv() {
        return event;
    }
    if let Some(request) = server.next_check()
        && let Err(error) = host.checkers.check(&request, &host.events)
    {
        server.check_ended(&error.to_string());
    }
    heard.recv().unwrap_or(Event::Gone)
}

/// What the server has others do.
struct Host {
    events: Sender<Event>,
    checkers: Checkers,
    runs: BTreeMap<RequestId, Arc<Mutex<Option<Process>>>>,
}

impl Host {
    /// Ends all that is running.
    fn end(&mut self) {
        self.checkers = Checkers::default();
        self.runs.values().for_each(|run| drop(lock(run).take()));
    }

    /// Runs this program, and tells what it printed.
    fn run(&mut self, Run { id, arguments, input }: Run) {
        let start = || -> io::Result<Process> {
            let mut command = child::this_program()?;
            command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
            if let Some((text, folder)) = input {
                let mut file = tempfile::tempfile()?;
                file.write_all(text.as_bytes())?;
                file.rewind()?;
                command.stdin(file);
                if Path::new(&folder).is_dir() {
                    command.current_dir(folder);
                }
            }
            Process::start(&mut command)
        };
        let mut process = match start() {
            Ok(process) => process,
            Err(error) => return drop(self.events.send(Event::Ran(id, Some(error.to_string())))),
        };
        let [printed, said] = process.read();
        let running = Arc::new(Mutex::new(Some(process)));
        self.runs.insert(id.clone(), running.clone());
        let events = self.events.clone();
        thread::spawn(move || {
            let printed: Vec<String> = [printed, said].into_iter().filter_map(|reader| reader.join().ok()).collect();
            let is_whole = lock(&running).take().is_some();
            let _ = events.send(Event::Ran(id, is_whole.then(|| printed.concat())));
        });
    }
}

/// The process that checks, and one that stands by for when that was ended.
#[derive(Default)]
struct Checkers {
    current: Option<Checker>,
    spare: Option<Checker>,
    started: u32,
}

struct Checker {
    number: u32,
    worker: Worker,
    asked: u32,
}

impl Checkers {
    fn is_current(&self, number: u32) -> bool {
        self.current.as_ref().is_some_and(|current| current.number == number)
    }

    fn check(&mut self, request: &Request, events: &Sender<Event>) -> io::Result<()> {
        let alive = |checker: &mut Checker| checker.worker.is_alive() && checker.asked < MOST_CHECKS;
        let ready = self.current.take_if(alive).or_else(|| self.spare.take_if(alive));
        let mut checker = ready.map_or_else(|| self.start(events), Ok)?;
        checker.asked += 1;
        checker.worker.ask(json!(request));
        self.current = Some(checker);
        if self.spare.is_none() {
            self.spare = self.start(events).ok();
        }
        Ok(())
    }

    fn start(&mut self, events: &Sender<Event>) -> io::Result<Checker> {
        /// Tells that no more lines come.
        struct Lines(u32, Sender<Event>);
        impl Drop for Lines {
            fn drop(&mut self) {
                let _ = self.1.send(Event::CheckEnded(self.0));
            }
        }
        self.started += 1;
        let number = self.started;
        let mut program = child::this_program()?;
        program.args(["lsp", "--worker"]).args(std::env::args_os().skip(2));
        let lines = Lines(number, events.clone());
        let take = move |line| {
            let Lines(number, events) = &lines;
            let _ = events.send(Event::Checked(*number, line));
        };
        Ok(Checker { number, worker: Worker::start(&mut program, take)?, asked: 0 })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Texts on disk, and those inside the program.
struct Disk {
    asp_dir: Option<PathBuf>,
}

/// More files below a folder are not looked into.
const MOST_FILES: usize = 5_000;
const INSIDE: &str = "embedded:";

impl Files for Disk {
    fn read(&self, name: &str) -> Option<String> {
        match name.strip_prefix(INSIDE) {
            Some(path) => logic::shipped_text(path).map(str::to_owned),
            None => {
                let bytes = Path::new(name).is_file().then(|| std::fs::read(name).ok()).flatten()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }

    fn included(&self, from: &str, file: &str) -> Option<String> {
        let beside = Path::new(from).parent().map(|folder| folder.join(file));
        let found = beside.filter(|path| path.is_file()).or_else(|| input::beside(None, file));
        found.map(|path| plain(&path))
    }

    fn companion(&self, from: &str, file: &str) -> Option<String> {
        if let Some(inside) = from.strip_prefix(INSIDE).and_then(|_| shipped(file)) {
            return Some(inside);
        }
        // A shared file names another from the folder above.
        let near =
            Path::new(from).ancestors().skip(1).take(2).map(|folder| folder.join(file)).find(|path| path.is_file());
        let in_folders = || {
            let folders = input::folders(self.asp_dir.as_deref()).unwrap_or_default();
            let of = |folder: PathBuf| logic::shipped_folders().map(move |kind| folder.join(kind).join(file));
            folders.into_iter().flat_map(of).find(|path| path.is_file())
        };
        near.or_else(in_folders).map(|path| plain(&path)).or_else(|| shipped(file))
    }

    fn below(&self, folders: &[String]) -> Vec<String> {
        fn look(folder: &Path, found: &mut BTreeSet<String>) {
            let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
            for entry in entries {
                let path = entry.path();
                let name = entry.file_name();
                let is_hidden = name.to_string_lossy().starts_with('.') || name == "target" || name == "node_modules";
                if is_hidden || found.len() >= MOST_FILES {
                    continue;
                }
                // A link may lead back.
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => look(&path, found),
                    Ok(_) if path.extension().is_some_and(|ending| ending == "lp") => drop(found.insert(plain(&path))),
                    _ => {}
                }
            }
        }
        let mut found = BTreeSet::new();
        folders.iter().filter(|folder| !folder.is_empty()).for_each(|folder| look(Path::new(folder), &mut found));
        found.into_iter().collect()
    }

    fn shared(&self) -> Vec<String> {
        logic::shared_files()
    }
}

fn shipped(file: &str) -> Option<String> {
    let mut paths = logic::shipped_folders().map(|folder| format!("{folder}/{file}"));
    paths.find(|path| logic::shipped_text(path).is_some()).map(|path| format!("{INSIDE}{path}"))
}

/// A path without `.` and `..`, by which a file has one name.
fn plain(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain.display().to_string()
}

/// Checks one program after the other until the input ends.
fn work(args: &Lsp) -> i32 {
    let limits = Limits {
        time: Some(Duration::from_secs_f64(args.time_limit.unwrap_or(TIME_LIMIT))),
        memory: Some(args.memory.bytes().unwrap_or_else(|| input::half_of_memory() / 2)),
        grace: GRACE,
    };
    for line in child::questions() {
        let Ok(request) = serde_json::from_str::<Request>(&line) else { return 2 };
        let told = Arc::new(Mutex::new(Answer { id: request.id, ..Answer::default() }));
        let (own, solve) = (told.clone(), Solve { program: args.program.clone(), ..Solve::default() });
        let work = move |stop: &Stop| {
            let board = request.board.as_ref().map(|board| with_board(&solve, &request, board, stop));
            lsp::check(&request, board, stop, |answer| {
                let _ = child::answer(json!(answer));
                *lock(&own) = answer;
            });
        };
        let words = match Runner::new(limits, false).run(work, || None) {
            End::Done(()) => continue,
            End::Abandoned(reason) => format!("not checked to the end: {}", reason.words()),
            End::Failed(error) => error.text,
        };
        let mut answer = lock(&told).clone();
        answer.found.push(Diagnostic::warning(words));
        let _ = child::answer(json!(Answer { is_last: true, ..answer }));
        // What could not be ended goes on.
        output::leave(0);
    }
    0
}

/// The program with a board, as a run of both has it.
fn with_board(solve: &Solve, request: &Request, board: &str, stop: &Stop) -> Result<Chosen, Failure> {
    let Some((name, text)) = request.files.first() else { return Err(Failure::default()) };
    let mut own = text.clone();
    let disk = Disk { asp_dir: None };
    for (range, file) in syntax::includes(text).into_iter().rev() {
        if let Some(path) = file.and_then(|file| disk.included(name, &file)) {
            own.replace_range(range, &format!("#include {}.", json!(path)));
        }
    }
    let mut read = vec![Document::in_memory(&**name, own), input::read(Path::new(board), stop)?];
    let (entry, job) = asked(solve, &mut read, stop)?;
    let board = entry.open(job)?;
    let program = board.program()?;
    let question = Question { causes: 1, ..Question::default() };
    Ok(Chosen { program, why: Box::new(move || board.why(&question)) })
}
