//! Runs work in a thread while the calling thread looks for signals and limits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use asp_solve::stop::{CancelToken, Canceller, StopReason};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Stack sizes to try, in bytes. clingo recurses once per level of nested terms.
const STACK_BYTES: [usize; 3] = [1 << 30, 256 << 20, 64 << 20];
/// Interval at which signals and limits are looked at.
pub const TICK: Duration = Duration::from_millis(20);
/// Time between a request to stop and abandoning the work: clingo cannot be interrupted while it
/// grounds.
const GRACE: Duration = Duration::from_millis(600);

/// Limits of a call.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    time: Option<Duration>,
    /// Bytes by which the memory of the process may grow during the call.
    memory: Option<u64>,
}

impl Limits {
    /// Takes seconds and megabytes.
    pub fn new((seconds, megabytes): (Option<f64>, Option<u64>)) -> Self {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Limits { time, memory: megabytes.map(|megabytes| megabytes.saturating_mul(1_000_000)) }
    }

    pub fn or_time(self, time: Duration) -> Self {
        Limits { time: self.time.or(Some(time)), ..self }
    }
}

/// Compares the time and the memory of a call with its limits.
pub struct Watch {
    limits: Limits,
    began: Instant,
    memory_before: u64,
}

fn memory() -> u64 {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64)
}

impl Watch {
    pub fn start(limits: Limits) -> Self {
        let memory_before = if limits.memory.is_some() { memory() } else { 0 };
        Watch { limits, began: Instant::now(), memory_before }
    }

    pub fn exceeded(&self) -> Option<StopReason> {
        let is_late = self.limits.time.is_some_and(|limit| self.began.elapsed() >= limit);
        let is_large = || self.limits.memory.is_some_and(|limit| memory().saturating_sub(self.memory_before) > limit);
        if is_late { Some(StopReason::TimeLimit) } else { is_large().then_some(StopReason::MemoryLimit) }
    }
}

/// Starts a thread with the largest stack that the system grants.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> PyResult<()> {
    let work = std::sync::Arc::new(std::sync::Mutex::new(Some(work)));
    for bytes in STACK_BYTES {
        let work = work.clone();
        let take = move || {
            let work = work.lock().ok().and_then(|mut work| work.take());
            if let Some(work) = work {
                work();
            }
        };
        if thread::Builder::new().name("asp_solve".to_owned()).stack_size(bytes).spawn(take).is_ok() {
            return Ok(());
        }
    }
    Err(PyRuntimeError::new_err("the system refuses a thread"))
}

/// Runs `work` in a thread. Returns the reason if the work was abandoned: it was asked to stop, and
/// did not end. A signal whose handler raises, as Ctrl-C does, ends the work with that exception.
pub fn supervise<T: Send + 'static>(
    py: Python<'_>,
    limits: Limits,
    work: impl FnOnce(&CancelToken) -> T + Send + 'static,
) -> PyResult<Result<T, StopReason>> {
    let canceller = Canceller::new();
    let stop = canceller.token();
    let (sender, receiver) = mpsc::channel();
    spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&stop)));
        // The caller may have given up.
        drop(sender.send(done));
    })?;
    let watch = Watch::start(limits);
    let mut asked: Option<(Instant, StopReason)> = None;
    // Python objects belong to their threads.
    let receiver = std::sync::Mutex::new(receiver);
    let next = || match receiver.lock() {
        Ok(receiver) => receiver.recv_timeout(TICK),
        Err(_) => Err(RecvTimeoutError::Disconnected),
    };
    loop {
        match py.detach(next) {
            Ok(Ok(result)) => return Ok(Ok(result)),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the engine failed; this is a defect of asp-solve"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals() {
            canceller.request(StopReason::Interrupted);
            // Do not leave work behind that stops at once.
            py.detach(|| receiver.lock().is_ok_and(|receiver| receiver.recv_timeout(GRACE).is_ok()));
            return Err(interrupt);
        }
        match (asked, watch.exceeded()) {
            (None, Some(reason)) => {
                canceller.request(reason);
                asked = Some((Instant::now(), reason));
            }
            (Some((at, reason)), _) if at.elapsed() >= GRACE => return Ok(Err(reason)),
            _ => {}
        }
    }
}
