//! Runs this program as a child process, for work that must be able to end at once. clingo's grounder cannot be
//! interrupted from inside, and a process that has ended leaves nothing behind.

use std::env;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::output;

/// This program, with empty input and unread output.
pub fn this_program() -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// A process that is killed when it is dropped.
pub struct Process(Child);

impl Process {
    pub fn start(command: &mut Command) -> io::Result<Self> {
        command.spawn().map(Process)
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    /// Reads its output and its errors, those that are pipes, to their ends.
    pub fn read(&mut self) -> [JoinHandle<String>; 2] {
        fn all(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                // What was read before an error is shown.
                let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
                String::from_utf8_lossy(&bytes).into_owned()
            })
        }
        [all(self.0.stdout.take()), all(self.0.stderr.take())]
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process that answers each line with a line.
pub struct Worker {
    process: Process,
    questions: Sender<String>,
}

impl Worker {
    /// Each answer is handed to `take`, which is dropped when no more will come.
    pub fn start(command: &mut Command, take: impl FnMut(String) + Send + 'static) -> io::Result<Self> {
        let mut process = Process::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let (mut input, output) = process.0.stdin.take().zip(process.0.stdout.take()).expect("both are pipes");
        let (questions, asked) = mpsc::channel::<String>();
        // Whoever asks does not wait for a process that is slow to read.
        thread::spawn(move || asked.iter().try_for_each(|question| writeln!(input, "{question}")));
        thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).for_each(take));
        Ok(Worker { process, questions })
    }

    /// Asks; where the process has ended no answer comes.
    pub fn ask(&self, question: impl Display) {
        let _ = self.questions.send(question.to_string());
    }

    pub fn is_alive(&mut self) -> bool {
        matches!(self.process.ended(), Ok(None))
    }
}

/// In a worker: the requests. The process ends when the input ends, even in the middle of a run.
pub fn questions() -> Receiver<String> {
    let (sender, questions) = mpsc::channel();
    thread::spawn(move || {
        io::stdin().lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        output::leave(0);
    });
    questions
}

/// In a worker: answers with a line.
pub fn answer(answer: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{answer}").and_then(|()| out.flush())
}
