//! Lanes of requests of the studio's page, each answered by a worker process.

use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval_at};

use super::worker::LANES;
use crate::cli::subprocess::LineProcess;
use crate::cli::worker_pool::{Worker, WorkerPool};

/// Interval of progress events.
const PROGRESS: Duration = Duration::from_secs(1);

/// The lane of the gallery. Its requests do not depend on the texts of the page.
pub const GALLERY_LANE: usize = 4;

type LaneWorker = Worker<mpsc::UnboundedReceiver<String>>;

pub struct Lanes {
    pool: WorkerPool<mpsc::UnboundedReceiver<String>>,
    lanes: [Lane; LANES],
}

/// A lane runs one request at a time; a newer request cancels the older one.
#[derive(Default)]
struct Lane {
    idle: Mutex<Option<LaneWorker>>,
    newest: watch::Sender<u64>,
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

impl Lanes {
    /// Creates the lanes. `command` returns the command that starts a worker process.
    pub fn new(command: impl Fn() -> io::Result<Command> + Send + Sync + 'static) -> Self {
        let start = move || {
            let (sender, answers) = mpsc::unbounded_channel();
            let process = LineProcess::start(&mut command()?, move |answer| drop(sender.send(answer)))?;
            Ok(Worker::new(process, answers))
        };
        Lanes { pool: WorkerPool::new(start), lanes: Default::default() }
    }

    /// Cancels the current request of a lane.
    pub fn cancel(&self, lane: usize) {
        self.lanes[lane].newest.send_modify(|number| *number += 1);
    }

    /// Starts the spare process, if there is none.
    pub fn start_spare(&self) {
        self.pool.start_spare();
    }

    /// Sends a request in a lane and cancels the lane's older request. Calls `progress` with the
    /// elapsed seconds at intervals.
    pub async fn ask(&self, lane: usize, request: &str, mut progress: impl FnMut(f64)) -> RequestOutcome {
        self.cancel(lane);
        let lane = &self.lanes[lane];
        let mut newest = lane.newest.subscribe();
        let number = *newest.borrow_and_update();
        let idle = lane.idle.lock().take();
        let mut ready = self.pool.ready(idle);
        let began = Instant::now();
        let mut ticks = interval_at((began + PROGRESS).into(), PROGRESS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let is_new = ready.is_none();
            let mut worker = match ready.take().map_or_else(|| self.pool.start(), Ok) {
                Ok(worker) => worker,
                Err(error) => return RequestOutcome::Failed(format!("cannot start a run: {error}")),
            };
            let answered = {
                // In JSON, newlines are only white space.
                worker.send(request.replace(['\n', '\r'], " "));
                let answer = worker.answers.recv();
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
                    if *newest.borrow() == number {
                        *lane.idle.lock() = Some(worker);
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
