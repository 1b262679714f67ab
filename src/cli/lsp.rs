//! `asp-solve lsp`: the language server's input and output. Messages use standard input and output;
//! programs are checked and commands run in separate processes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use asp::syntax;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use base::words::sanitize;
use explain::ExplainQuery;
use lsp::{BoardProgram, CheckReport, CommandRun, Effect, Files, Request, Server};
use lsp_server::{ErrorCode, Message, RequestId};
use parking_lot::Mutex;
use serde_json::json;

pub use super::args::Lsp;
use super::folders::ProgramFiles;
use super::request::{JobRequest, build_job};
use super::runner::{Limits, Runner, TaskEnd};
use super::subprocess::{self, LineProcess, Process};
use super::worker_pool::{Worker, WorkerPool};
use super::{exit, input, memory, sources, terminal};

/// Time limit of a check, in seconds.
const TIME_LIMIT: f64 = 10.0;
/// Grace period for a check that was asked to stop.
const GRACE: Duration = Duration::from_millis(200);

/// Serves an editor until it disconnects, and returns the exit code.
pub fn lsp(args: &Lsp) -> i32 {
    if args.worker { run_worker(args) } else { serve(args) }
}

enum Event {
    Client(Message),
    /// The editor sent something other than a message.
    Malformed(String),
    /// The editor closed the connection.
    Disconnected,
    /// A line from the worker with this number.
    Checked(u32, String),
    CheckEnded(u32),
    CommandEnded(RequestId, Option<String>),
}

fn serve(args: &Lsp) -> i32 {
    let (events, receiver) = mpsc::channel();
    let forward = events.clone();
    thread::spawn(move || read_events(&forward));
    let client = ClientWriter::start();
    let mut server = Server::new(Disk { asp_dir: args.program.folder.path().map(Path::to_owned) });
    let mut host = Host { pool: checkers(events.clone()), checker: None, events, runs: BTreeMap::new() };
    loop {
        let event = next_event(&receiver, &mut server, &mut host);
        let effects = match event {
            Event::Client(message) => server.handle(message),
            // Ending without `exit` is an error of the protocol.
            Event::Disconnected => return 1,
            Event::Malformed(words) => {
                terminal::print_line(format_args!("error: <stdin>: {words}"));
                let error = json!({ "code": ErrorCode::ParseError as i32, "message": words });
                let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
                client.send(format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes());
                host.end();
                client.finish();
                return 2;
            }
            Event::Checked(number, line) if host.is_current(number) => {
                serde_json::from_str(&line).map_or_else(|_| Vec::new(), |answer: CheckReport| server.checked(answer))
            }
            Event::CheckEnded(number) if host.is_current(number) => {
                host.checker = None;
                server.check_ended("the process has ended")
            }
            Event::Checked(..) | Event::CheckEnded(_) => Vec::new(),
            Event::CommandEnded(id, printed) => {
                host.runs.remove(&id);
                vec![server.command_ended(id, printed)]
            }
        };
        for effect in effects {
            match effect {
                Effect::Send(message) => {
                    let mut bytes = Vec::new();
                    message.write(&mut bytes).expect("memory can be written");
                    client.send(bytes);
                }
                Effect::EndCheck => host.checker = None,
                Effect::Run(run) => host.run(run),
                Effect::EndRun(id) => drop(host.runs.get(&id).map(|run| run.lock().take())),
                Effect::Exit(code) => {
                    host.end();
                    client.finish();
                    return code;
                }
            }
        }
    }
}

/// Reads messages of the client until it disconnects or sends a malformed one.
fn read_events(events: &Sender<Event>) {
    let mut input = io::stdin().lock();
    loop {
        let event = match read_message(&mut input) {
            Ok(Some(message)) => Event::Client(message),
            Ok(None) => Event::Disconnected,
            Err(words) => Event::Malformed(words),
        };
        let is_last = !matches!(event, Event::Client(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

/// The thread that writes messages to the client.
struct ClientWriter {
    messages: Sender<Vec<u8>>,
    thread: JoinHandle<io::Result<()>>,
}

impl ClientWriter {
    fn start() -> Self {
        let (messages, to_write) = mpsc::channel::<Vec<u8>>();
        let thread = thread::spawn(move || {
            let mut output = io::stdout().lock();
            to_write.iter().try_for_each(|message| output.write_all(&message).and_then(|()| output.flush()))
        });
        ClientWriter { messages, thread }
    }

    /// Writes a message, unless the client does not read any more.
    fn send(&self, message: Vec<u8>) {
        let _ = self.messages.send(message);
    }

    /// Ends the thread after it has written the pending messages.
    fn finish(self) {
        drop(self.messages);
        let _ = self.thread.join();
    }
}

/// Reads the next message. Returns `None` at the end of the input. The error describes the
/// malformed input.
fn read_message(input: &mut impl BufRead) -> Result<Option<Message>, String> {
    /// Maximal size of a message in bytes; a message holds at most one text.
    const MAX_BYTES: u64 = 1 << 28;
    const MAX_HEADER_BYTES: u64 = 1 << 12;
    const MAX_HEADERS: usize = 100;
    let failed = |error: io::Error| format!("cannot be read: {error}");
    let mut length = None;
    for number in 0..=MAX_HEADERS {
        let mut line = Vec::new();
        input.by_ref().take(MAX_HEADER_BYTES).read_until(b'\n', &mut line).map_err(failed)?;
        if line.is_empty() && number == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        if line == "\r\n" {
            break;
        }
        let header = line.strip_suffix("\r\n").and_then(|line| line.split_once(": "));
        let Some((name, value)) = header.filter(|_| number < MAX_HEADERS) else {
            return Err(format!(
                "expected a header line such as `Content-Length: 2`, found `{}`",
                sanitize(line.trim_end())
            ));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let bytes = value.parse::<u64>().ok().filter(|bytes| *bytes <= MAX_BYTES);
            length = Some(bytes.ok_or_else(|| {
                format!("expected a Content-Length of at most {MAX_BYTES} bytes, found `{}`", sanitize(value))
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

/// Returns the next event. A check starts only when no message of the editor is pending.
fn next_event(receiver: &Receiver<Event>, server: &mut Server<Disk>, host: &mut Host) -> Event {
    if let Ok(event) = receiver.try_recv() {
        return event;
    }
    if let Some(request) = server.next_check()
        && let Err(error) = host.check(&request)
    {
        server.check_ended(&error.to_string());
    }
    receiver.recv().unwrap_or(Event::Disconnected)
}

/// Runs the checks and commands that the server delegates to other processes.
struct Host {
    events: Sender<Event>,
    pool: WorkerPool<u32>,
    /// The process that checks, with its number.
    checker: Option<Worker<u32>>,
    runs: BTreeMap<RequestId, Arc<Mutex<Option<Process>>>>,
}

impl Host {
    fn is_current(&self, number: u32) -> bool {
        self.checker.as_ref().is_some_and(|checker| checker.answers == number)
    }

    fn check(&mut self, request: &Request) -> io::Result<()> {
        let ready = self.pool.ready(self.checker.take());
        let mut checker = ready.map_or_else(|| self.pool.start(), Ok)?;
        checker.send(json!(request));
        self.checker = Some(checker);
        self.pool.start_spare();
        Ok(())
    }

    /// Ends all processes.
    fn end(&mut self) {
        self.checker = None;
        self.pool.end_spare();
        for run in self.runs.values() {
            drop(run.lock().take());
        }
    }

    /// Runs this program, and sends its output as an event.
    fn run(&mut self, CommandRun { id, arguments, input }: CommandRun) {
        let start = || -> io::Result<Process> {
            let mut command = subprocess::this_program()?;
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
            Err(error) => return drop(self.events.send(Event::CommandEnded(id, Some(error.to_string())))),
        };
        let [printed, errors] = process.read_output();
        let running = Arc::new(Mutex::new(Some(process)));
        self.runs.insert(id.clone(), running.clone());
        let events = self.events.clone();
        thread::spawn(move || {
            let printed: Vec<String> = [printed, errors].into_iter().filter_map(|reader| reader.join().ok()).collect();
            let is_complete = running.lock().take().is_some();
            let _ = events.send(Event::CommandEnded(id, is_complete.then(|| printed.concat())));
        });
    }
}

/// Returns the pool of processes that check programs, each with its number.
fn checkers(events: Sender<Event>) -> WorkerPool<u32> {
    /// Reports the end of a worker's output when dropped.
    struct Lines(u32, Sender<Event>);
    impl Drop for Lines {
        fn drop(&mut self) {
            let _ = self.1.send(Event::CheckEnded(self.0));
        }
    }
    let started = AtomicU32::new(0);
    WorkerPool::new(move || {
        let number = started.fetch_add(1, Ordering::Relaxed);
        let mut program = subprocess::this_program()?;
        program.args(["lsp", "--worker"]).args(std::env::args_os().skip(2));
        let lines = Lines(number, events.clone());
        let take = move |line| {
            let Lines(number, events) = &lines;
            let _ = events.send(Event::Checked(*number, line));
        };
        Ok(Worker::new(LineProcess::start(&mut program, take)?, number))
    })
}

/// The files on disk, and the built-in files.
struct Disk {
    asp_dir: Option<PathBuf>,
}

/// Maximal number of files collected below a folder.
const MAX_FILES: usize = 5_000;
const EMBEDDED: &str = "embedded:";

impl Files for Disk {
    fn read(&self, name: &str) -> Option<String> {
        match name.strip_prefix(EMBEDDED) {
            Some(path) => pencil::builtin_text(path).map(str::to_owned),
            None => {
                let bytes = Path::new(name).is_file().then(|| std::fs::read(name).ok()).flatten()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }

    fn state(&self, name: &str) -> Option<(SystemTime, u64)> {
        match name.strip_prefix(EMBEDDED) {
            Some(_) => Some((SystemTime::UNIX_EPOCH, 0)),
            None => std::fs::metadata(name).ok().and_then(|file| Some((file.modified().ok()?, file.len()))),
        }
    }

    fn resolve_include(&self, from: &str, file: &str) -> Option<String> {
        let sibling = Path::new(from).parent().map(|folder| folder.join(file));
        let path = sibling.filter(|path| path.is_file()).or_else(|| sources::resolve_include(None, file));
        path.map(|path| normalized(&path))
    }

    fn resolve_companion(&self, from: &str, file: &str) -> Option<String> {
        if let Some(inside) = from.strip_prefix(EMBEDDED).and_then(|_| embedded_name(file)) {
            return Some(inside);
        }
        // A shared file names other files relative to its parent folder.
        let nearby =
            Path::new(from).ancestors().skip(1).take(2).map(|folder| folder.join(file)).find(|path| path.is_file());
        let in_folders = || {
            let folders = input::folders(self.asp_dir.as_deref()).unwrap_or_default();
            let candidates = |folder: PathBuf| pencil::builtin_folders().map(move |kind| folder.join(kind).join(file));
            folders.into_iter().flat_map(candidates).find(|path| path.is_file())
        };
        nearby.or_else(in_folders).map(|path| normalized(&path)).or_else(|| embedded_name(file))
    }

    fn programs_below(&self, folders: &[String]) -> Vec<String> {
        let is_skipped = |name: &str| name.starts_with('.') || name == "target" || name == "node_modules";
        let folders = folders.iter().filter(|folder| !folder.is_empty());
        let paths = folders.flat_map(|folder| ProgramFiles::below(Path::new(folder), is_skipped).flatten());
        let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let mut files = BTreeSet::new();
        for path in paths.filter(|path| !is_hidden(path)) {
            if files.len() >= MAX_FILES {
                break;
            }
            files.insert(normalized(&path));
        }
        files.into_iter().collect()
    }

    fn shared_files(&self) -> Vec<String> {
        pencil::shared_files()
    }
}

fn embedded_name(file: &str) -> Option<String> {
    let mut paths = pencil::builtin_folders().map(|folder| format!("{folder}/{file}"));
    paths.find(|path| pencil::builtin_text(path).is_some()).map(|path| format!("{EMBEDDED}{path}"))
}

/// Returns an absolute path without `.` and `..`, so that a file has one name.
fn normalized(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    let name = plain.display().to_string();
    if cfg!(windows) { lsp::plain_name(&name) } else { name }
}

/// Checks one program after another until the input ends.
fn run_worker(args: &Lsp) -> i32 {
    let limits = Limits {
        time: Some(Duration::from_secs_f64(args.time_limit.unwrap_or(TIME_LIMIT))),
        memory: Some(args.memory.bytes().unwrap_or_else(|| memory::half_of_memory() / 2)),
        grace: GRACE,
    };
    for line in subprocess::requests() {
        let Ok(request) = serde_json::from_str::<Request>(&line) else { return 2 };
        let latest_report = Arc::new(Mutex::new(CheckReport { id: request.id, ..CheckReport::default() }));
        let shared_report = latest_report.clone();
        let job = JobRequest { program: args.program.clone(), ..JobRequest::default() };
        let work = move |stop: &CancelToken| {
            let board = request.board.as_ref().map(|board| board_context(&job, &request, board, stop));
            lsp::check(&request, board, stop, |report| {
                let _ = subprocess::respond(json!(report));
                *shared_report.lock() = report;
            });
        };
        let words = match Runner::new(limits, false).run(work, || None) {
            TaskEnd::Done(()) => continue,
            TaskEnd::Abandoned(reason) => format!("not checked to the end: {}", reason.words()),
            TaskEnd::Failed(error) => error.message,
        };
        let mut report = latest_report.lock().clone();
        report.found.push(Diagnostic::warning(Code::Stopped, words));
        let _ = subprocess::respond(json!(CheckReport { is_last: true, ..report }));
        // The abandoned work still runs in this process.
        exit::leave(0);
    }
    0
}

/// Returns the program together with a board, as if both were given to the command.
fn board_context(
    job: &JobRequest,
    request: &Request,
    board: &str,
    stop: &CancelToken,
) -> Result<BoardProgram, Failure> {
    let Some((name, text)) = request.files.first() else { return Err(Failure::default()) };
    let mut absolute_text = text.clone();
    let disk = Disk { asp_dir: None };
    for (range, file) in syntax::includes(text).into_iter().rev() {
        if let Some(path) = file.and_then(|file| disk.resolve_include(name, &file)) {
            absolute_text.replace_range(range, &format!("#include {}.", json!(path)));
        }
    }
    let mut read = vec![Document::in_memory(&**name, absolute_text), input::read(Path::new(board), stop)?];
    let (entry, job) = build_job(job, &mut read, stop)?;
    let board = entry.open(job)?;
    let program = board.program()?;
    let question = ExplainQuery { causes: 1, ..ExplainQuery::default() };
    Ok(BoardProgram { program, why: Box::new(move || board.why(&question)) })
}
