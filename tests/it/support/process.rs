//! Child processes of the tests. They start with default signals, and every wait has a limit.

use std::ffi::OsStr;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

/// A process that takes longer is considered hung, even on a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(900);

/// Returns a command with captured output. Signals that the tests ignore, as under `nohup`, have
/// their default effect on it.
pub fn command_of(name: impl AsRef<OsStr>) -> Command {
    let mut command = if IGNORED.is_empty() {
        Command::new(name)
    } else {
        let mut command = Command::new("env");
        command.arg(format!("--default-signal={}", IGNORED.join(","))).arg(name);
        command
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Signals that would end a process and are ignored by this one.
static IGNORED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    [("INT", 2), ("QUIT", 3), ("TERM", 15)]
        .into_iter()
        .filter(|(_, number)| mask >> (number - 1) & 1 == 1)
        .map(|(name, _)| name)
        .collect()
});

pub trait BoundedCommand {
    /// Starts the program, waits for its end and returns its output.
    fn finished(&mut self) -> Output;
}

impl BoundedCommand for Command {
    fn finished(&mut self) -> Output {
        let child = self.spawn().unwrap_or_else(|error| panic!("{self:?}: {error}"));
        collect_output(child, &format!("{self:?}"))
    }
}

pub trait BoundedChild {
    /// Reads all output and waits for the end of the process.
    fn finished(self) -> Output;
    /// Waits for the end of the process.
    fn ended(&mut self) -> ExitStatus;
}

impl BoundedChild for Child {
    fn finished(self) -> Output {
        let what = format!("process {}", self.id());
        collect_output(self, &what)
    }

    fn ended(&mut self) -> ExitStatus {
        let what = format!("process {}", self.id());
        wait_for_exit(self, &what, Instant::now() + PATIENCE)
    }
}

fn collect_output(mut child: Child, what: &str) -> Output {
    drop(child.stdin.take());
    let deadline = Instant::now() + PATIENCE;
    let [stdout, stderr] = [read(child.stdout.take()), read(child.stderr.take())].map(|bytes| {
        bytes
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            .unwrap_or_else(|_| kill_and_panic(&mut child, what))
    });
    Output { status: wait_for_exit(&mut child, what, deadline), stdout, stderr }
}

/// Reads a pipe in a thread and sends all bytes when it is closed.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // Bytes read before an error are kept.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

fn wait_for_exit(child: &mut Child, what: &str, deadline: Instant) -> ExitStatus {
    let mut pause = Duration::from_micros(100);
    loop {
        match child.try_wait().unwrap_or_else(|error| panic!("{what}: {error}")) {
            Some(status) => return status,
            None if Instant::now() > deadline => kill_and_panic(child, what),
            None => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(Duration::from_millis(20));
    }
}

fn kill_and_panic(child: &mut Child, what: &str) -> ! {
    let _ = child.kill();
    panic!("{what} did not end within {} seconds, and was killed", PATIENCE.as_secs())
}

/// Returns the result of a blocking call, such as a read from a pipe. Panics if it takes too long.
pub fn with_timeout<T: Send + 'static>(what: &str, wait: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    std::thread::spawn(move || drop(sender.send(wait())));
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{what}: not within {} seconds", PATIENCE.as_secs()))
}

/// Tests cases on four threads. This saves time because cases mostly wait for time limits.
pub fn in_parallel<T: Send>(cases: impl IntoIterator<Item = T, IntoIter: Send>, test: impl Fn(T) + Sync) {
    let cases = Mutex::new(cases.into_iter());
    let next = || cases.lock().expect("the lock is not poisoned").next();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| std::iter::from_fn(next).for_each(&test));
        }
    });
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not within {} seconds", PATIENCE.as_secs());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Tries increasing time limits until a run comes far enough for the test on this machine.
pub fn retry_with_longer_limits<T>(mut run: impl FnMut(&str) -> Option<T>) -> T {
    let limits = ["0.3", "1", "4", "16", "64", "256"];
    limits.iter().find_map(|limit| run(limit)).expect("the run comes far enough within 256 seconds")
}
