//! Runs this program as a child process, for work that must be killable at any time: clingo's
//! grounder cannot be interrupted from inside the process, and a process that has ended leaves
//! nothing behind.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use super::exit;

static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the words that start this program, if it is not the executable of this process: a module of
/// an interpreter is started by the interpreter. Only the first call counts.
pub fn set_program(words: Vec<OsString>) {
    let _ = PROGRAM.set(words);
}

/// Returns a command that runs this program with empty input and discarded output.
pub fn this_program() -> io::Result<Command> {
    let mut command = match PROGRAM.get().and_then(|words| words.split_first()) {
        Some((program, arguments)) => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        None => Command::new(env::current_exe()?),
    };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

pub struct Process(Child);

impl Process {
    pub fn start(command: &mut Command) -> io::Result<Self> {
        command.spawn().map(Process)
    }

    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    /// Reads standard output and standard error to their ends, where they are pipes.
    pub fn read_output(&mut self) -> [JoinHandle<String>; 2] {
        fn read_all(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                // Output before a read error is still shown.
                let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
                String::from_utf8_lossy(&bytes).into_owned()
            })
        }
        [read_all(self.0.stdout.take()), read_all(self.0.stderr.take())]
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process that answers each line of its input with a line.
pub struct LineProcess {
    process: Process,
    requests: Sender<String>,
}

impl LineProcess {
    /// Calls `on_line` for each answer; `on_line` is dropped at the end of the output.
    pub fn start(command: &mut Command, on_line: impl FnMut(String) + Send + 'static) -> io::Result<Self> {
        let mut process = Process::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let (mut input, output) = process.0.stdin.take().zip(process.0.stdout.take()).expect("both are pipes");
        let (requests, pending) = mpsc::channel::<String>();
        // Sending must not block on a process that is slow to read.
        thread::spawn(move || pending.iter().try_for_each(|request| writeln!(input, "{request}")));
        thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).for_each(on_line));
        Ok(LineProcess { process, requests })
    }

    /// Sends a request. If the process has ended, no answer comes.
    pub fn send(&self, request: impl Display) {
        let _ = self.requests.send(request.to_string());
    }

    pub fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }
}

/// In a worker: returns the requests. The process exits when its input ends, even in the middle of
/// a run if the system has threads.
pub fn requests() -> Box<dyn Iterator<Item = String> + Send> {
    if cfg!(target_family = "wasm") {
        return Box::new(BufReader::new(io::stdin()).lines().map_while(Result::ok));
    }
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        io::stdin().lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        exit::leave(0);
    });
    Box::new(requests.into_iter())
}

/// In a worker: writes an answer of one line.
pub fn respond(answer: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{answer}").and_then(|()| out.flush())
}
