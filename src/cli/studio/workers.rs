//! The processes that answer the studio's page.
//!
//! Each run is in a process of its own, this program again, so that one that is out of date is ended at once, whatever it
//! does: clingo's grounder cannot be interrupted from inside. A process that has answered takes the next request; one stands
//! by for when a process was ended, so that nobody waits for its start.

use std::io;
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval_at};

use crate::cli::child;

/// clingo forgets no symbol, so that a process grows with what it is asked.
const MOST_REQUESTS: u32 = 200;
/// A run that takes longer tells how long.
const PROGRESS: Duration = Duration::from_secs(1);

/// What is asked at the same time: answers, reasons, and where things are in the pictures of answers.
pub const LANES: usize = 3;

pub struct Workers {
    start: Box<dyn Fn() -> io::Result<Command> + Send + Sync>,
    spare: Mutex<Option<Worker>>,
    lanes: [Lane; LANES],
}

/// One run at a time: a newer one ends the older.
#[derive(Default)]
struct Lane {
    idle: Mutex<Option<Worker>>,
    newest: watch::Sender<u64>,
}

/// A process, which ends when it is dropped.
struct Worker {
    process: child::Worker,
    answers: mpsc::UnboundedReceiver<String>,
    asked: u32,
}

/// What became of a request.
pub enum Outcome {
    /// A line of JSON.
    Answered(String),
    /// A newer one came.
    Cancelled,
    /// The process ended without an answer, or none could be started.
    Failed(String),
}

impl Workers {
    /// `start` says how a process is started.
    pub fn new(start: impl Fn() -> io::Result<Command> + Send + Sync + 'static) -> Self {
        Workers { start: Box::new(start), spare: Mutex::default(), lanes: Default::default() }
    }

    /// Ends what a lane is at.
    pub fn cancel(&self, lane: usize) {
        self.lanes[lane].newest.send_modify(|number| *number += 1);
    }

    /// Starts the process that stands by, if there is none.
    pub fn stand_by(&self) {
        let mut spare = lock(&self.spare);
        if spare.is_none() {
            // Errors are ignored here; the next request reports them.
            *spare = Worker::start(&*self.start).ok();
        }
    }

    /// Asks in a lane, whose older request is ended; `progress` is told the seconds now and then.
    pub async fn ask(&self, lane: usize, request: &str, mut progress: impl FnMut(f64)) -> Outcome {
        self.cancel(lane);
        let lane = &self.lanes[lane];
        let mut newest = lane.newest.subscribe();
        let number = *newest.borrow_and_update();
        let own = lock(&lane.idle).take().and_then(Worker::alive);
        let mut ready = own.or_else(|| lock(&self.spare).take().and_then(Worker::alive));
        let began = Instant::now();
        let mut ticks = interval_at((began + PROGRESS).into(), PROGRESS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let is_new = ready.is_none();
            let mut worker = match ready.take().map_or_else(|| Worker::start(&*self.start), Ok) {
                Ok(worker) => worker,
                Err(error) => return Outcome::Failed(format!("no run can be started: {error}")),
            };
            let answered = {
                let answer = worker.ask(request);
                tokio::pin!(answer);
                loop {
                    tokio::select! {
                        answered = &mut answer => break answered,
                        _ = newest.changed() => return Outcome::Cancelled,
                        _ = ticks.tick() => progress(began.elapsed().as_secs_f64()),
                    }
                }
            };
            match answered {
                Some(line) => {
                    if worker.asked < MOST_REQUESTS && *newest.borrow() == number {
                        *lock(&lane.idle) = Some(worker);
                    }
                    return Outcome::Answered(line);
                }
                // Somebody may have ended it while it stood by, or it has given up what it could not end.
                None if !is_new => {}
                None => return Outcome::Failed("the run has ended without an answer".to_owned()),
            }
        }
    }
}

impl Worker {
    fn start(program: &(dyn Fn() -> io::Result<Command> + Send + Sync)) -> io::Result<Self> {
        let (sender, answers) = mpsc::unbounded_channel();
        let process = child::Worker::start(&mut program()?, move |answer| drop(sender.send(answer)))?;
        Ok(Worker { process, answers, asked: 0 })
    }

    /// Itself, unless somebody has ended it.
    fn alive(mut self) -> Option<Self> {
        self.process.is_alive().then_some(self)
    }

    async fn ask(&mut self, request: &str) -> Option<String> {
        self.asked += 1;
        // Ends of lines in JSON are nothing but white space.
        self.process.ask(request.replace(['\n', '\r'], " "));
        self.answers.recv().await
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
