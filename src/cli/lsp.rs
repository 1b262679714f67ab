//! `asp-solve lsp`: the language server's ends. Messages come and go by standard input and output; programs are checked, and
//! commands run, in processes of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use lsp_server::{ErrorCode, Message, RequestId};
use serde_json::json;

use super::args::Solve;
use super::child::{self, Process, Worker};
use super::runner::{End, Limits, Runner};
use super::{asked, input, messages, output};
use crate::asp::syntax;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::lsp::{self, Answer, Chosen, Effect, Files, Request, Run, Server};
use crate::puzzle::logic;
use crate::stop::Stop;
use crate::why::Question;
use crate::words::shown;

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
    /// The editor has sent something else than a message.
    Malformed(String),
    /// The editor has gone.
    Gone,
    /// A line from the process with this number.
    Checked(u32, String),
    CheckEnded(u32),
    Ran(RequestId, Option<String>),
}

fn serve(args: &Lsp) -> i32 {
    let (events, heard) = mpsc::channel();
    let forward = events.clone();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let event = match read_message(&mut input) {
                Ok(Some(message)) => Event::Client(message),
                Ok(None) => Event::Gone,
                Err(words) => Event::Malformed(words),
            };
            let is_last = !matches!(event, Event::Client(_));
            if forward.send(event).is_err() || is_last {
                return;
            }
        }
    });
    let (outgoing, to_write) = mpsc::channel::<Vec<u8>>();
    let writer = thread::spawn(move || {
        let mut output = io::stdout().lock();
        to_write.iter().try_for_each(|message| output.write_all(&message).and_then(|()| output.flush()))
    });
    let mut server = Server::new(Disk { asp_dir: args.program.folder.path().map(Path::to_owned) });
    let mut host = Host { events, checkers: Checkers::default(), runs: BTreeMap::new() };
    loop {
        let event = next(&heard, &mut server, &mut host);
        let effects = match event {
            Event::Client(message) => server.handle(message),
            // A protocol that ends without `exit` has failed.
            Event::Gone => return 1,
            Event::Malformed(words) => {
                messages::say(format_args!("error: <stdin>: {words}"));
                let error = json!({ "code": ErrorCode::ParseError as i32, "message": words });
                let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
                let _ = outgoing.send(format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes());
                host.end();
                drop(outgoing);
                let _ = writer.join();
                return 2;
            }
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
                Effect::Send(message) => {
                    let mut bytes = Vec::new();
                    message.write(&mut bytes).expect("memory can be written");
                    let _ = outgoing.send(bytes);
                }
                Effect::EndCheck => host.checkers.current = None,
                Effect::Run(run) => host.run(run),
                Effect::EndRun(id) => drop(host.runs.get(&id).map(|run| lock(run).take())),
                Effect::Exit(code) => {
                    host.end();
                    drop(outgoing);
                    // What was answered is written.
                    let _ = writer.join();
                    return code;
                }
            }
        }
    }
}

/// Reads the next message; none at the end of the input. The error says what was found instead.
fn read_message(input: &mut impl BufRead) -> Result<Option<Message>, String> {
    /// Bytes of a message, which holds a text at most.
    const MOST_BYTES: u64 = 1 << 28;
    const MOST_BYTES_OF_A_LINE: u64 = 1 << 12;
    const MOST_HEADERS: usize = 100;
    let failed = |error: io::Error| format!("cannot be read: {error}");
    let mut length = None;
    for number in 0..=MOST_HEADERS {
        let mut line = Vec::new();
        input.by_ref().take(MOST_BYTES_OF_A_LINE).read_until(b'\n', &mut line).map_err(failed)?;
        if line.is_empty() && number == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        if line == "\r\n" {
            break;
        }
        let header = line.strip_suffix("\r\n").and_then(|line| line.split_once(": "));
        let Some((name, value)) = header.filter(|_| number < MOST_HEADERS) else {
            return Err(format!(
                "expected a header line such as `Content-Length: 2`, found `{}`",
                shown(line.trim_end())
            ));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let bytes = value.parse::<u64>().ok().filter(|bytes| *bytes <= MOST_BYTES);
            length = Some(bytes.ok_or_else(|| {
                format!("expected a Content-Length of at most {MOST_BYTES} bytes, found `{}`", shown(value))
            })?);
        }
    }
    let length = length.ok_or("expected a header line `Content-Length`, found none")?;
    let mut body = Vec::new();
    let read = input.take(length).read_to_end(&mut body).map_err(failed)?;
    if (read as u64) < length {
        return Err(format!("expected a message of {length} bytes, found the end after {read}"));
    }
    serde_json::from_slice(&body).map(Some).map_err(|error| format!("expected a message of JSON-RPC: {error}"))
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

    fn state(&self, name: &str) -> Option<(SystemTime, u64)> {
        match name.strip_prefix(INSIDE) {
            Some(_) => Some((SystemTime::UNIX_EPOCH, 0)),
            None => std::fs::metadata(name).ok().and_then(|file| Some((file.modified().ok()?, file.len()))),
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
