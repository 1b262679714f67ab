//! The pool of worker processes that answer the studio's page.
//!
//! Each run is in a separate process (this program again), so that an outdated run can be killed at
//! once, whatever it does: clingo's grounder cannot be interrupted from inside. A process that has
//! answered takes the next request. A spare process replaces a killed one, so that no request waits
//! for a process to start.

use std::io;
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval_at};

use crate::cli::subprocess;

/// clingo never frees symbols, so a process grows with each request and is replaced after this
/// many.
const MAX_REQUESTS: u32 = 200;
/// Interval of progress events.
const PROGRESS: Duration = Duration::from_secs(1);

/// Number of lanes, one for each kind of request: solving and play, explanations and tests, and
/// places in pictures.
pub const LANES: usize = 3;

pub struct WorkerPool {
    start: Box<dyn Fn() -> io::Result<Command> + Send + Sync>,
    spare: Mutex<Option<PooledWorker>>,
    lanes: [Lane; LANES],
}

/// A lane runs one request at a time; a newer request cancels the older one.
#[derive(Default)]
struct Lane {
    idle: Mutex<Option<PooledWorker>>,
    newest: watch::Sender<u64>,
}

/// A worker process, which is killed when this value is dropped.
struct PooledWorker {
    process: subprocess::LineProcess,
    answers: mpsc::UnboundedReceiver<String>,
    requests: u32,
}

/// The outcome of a request.
pub enum RequestOutcome {
    /// A line of JSON.
    Answered(String),
    /// A newer request replaced it.
    Cancelled,
    /// The process ended without an answer, or could not be started.
    Failed(String),
}

impl WorkerPool {
    /// Creates a pool. `start` returns the command that starts a worker process.
    pub fn new(start: impl Fn() -> io::Result<Command> + Send + Sync + 'static) -> Self {
        WorkerPool { start: Box::new(start), spare: Mutex::default(), lanes: Default::default() }
    }

    /// Cancels the current request of a lane.
    pub fn cancel(&self, lane: usize) {
        self.lanes[lane].newest.send_modify(|number| *number += 1);
    }

    /// Starts the spare process, if there is none.
    pub fn start_spare(&self) {
        let mut spare = lock(&self.spare);
        if spare.is_none() {
            // Errors are ignored here; the next request reports them.
            *spare = PooledWorker::start(&*self.start).ok();
        }
    }

    /// Sends a request in a lane and cancels the lane's older request. Calls `progress` with the
    /// elapsed seconds at intervals.
    pub async fn ask(&self, lane: usize, request: &str, mut progress: impl FnMut(f64)) -> RequestOutcome {
        self.cancel(lane);
        let lane = &self.lanes[lane];
        let mut newest = lane.newest.subscribe();
        let number = *newest.borrow_and_update();
        let idle = lock(&lane.idle).take().and_then(PooledWorker::alive);
        let mut ready = idle.or_else(|| lock(&self.spare).take().and_then(PooledWorker::alive));
        let began = Instant::now();
        let mut ticks = interval_at((began + PROGRESS).into(), PROGRESS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let is_new = ready.is_none();
            let mut worker = match ready.take().map_or_else(|| PooledWorker::start(&*self.start), Ok) {
                Ok(worker) => worker,
                Err(error) => return RequestOutcome::Failed(format!("cannot start a run: {error}")),
            };
            let answered = {
                let answer = worker.ask(request);
                tokio::pin!(answer);
                loop {
                    tokio::select! {
                        answered = &mut answer => break answered,
                        _ = newest.changed() => return RequestOutcome::Cancelled,
                        _ = ticks.tick() => progress(began.elapsed().as_secs_f64()),
                    }
                }
            };
            match answered {
                Some(line) => {
                    if worker.requests < MAX_REQUESTS && *newest.borrow() == number {
                        *lock(&lane.idle) = Some(worker);
                    }
                    return RequestOutcome::Answered(line);
                }
                // A reused process may have been killed while idle, or may have exited because it
                // could not stop a run.
                None if !is_new => {}
                None => return RequestOutcome::Failed("the run has ended without an answer".to_owned()),
            }
        }
    }
}

impl PooledWorker {
    fn start(program: &(dyn Fn() -> io::Result<Command> + Send + Sync)) -> io::Result<Self> {
        let (sender, answers) = mpsc::unbounded_channel();
        let process = subprocess::LineProcess::start(&mut program()?, move |answer| drop(sender.send(answer)))?;
        Ok(PooledWorker { process, answers, requests: 0 })
    }

    /// Returns `self` if the process is still running.
    fn alive(mut self) -> Option<Self> {
        self.process.is_alive().then_some(self)
    }

    async fn ask(&mut self, request: &str) -> Option<String> {
        self.requests += 1;
        // In JSON, newlines are only white space.
        self.process.send(request.replace(['\n', '\r'], " "));
        self.answers.recv().await
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
