//! Worker processes that answer requests: this program again, so that an outdated run can be killed
//! at once, whatever it does. clingo's grounder cannot be interrupted from inside.
//!
//! A process that has answered takes the next request. A spare process replaces a killed one, so
//! that no request waits for a process to start.

use std::fmt::Display;
use std::io;

use parking_lot::Mutex;

use super::subprocess::LineProcess;

/// clingo never frees symbols, so a process grows with each request and is replaced after this
/// many.
const MAX_REQUESTS: u32 = 200;

/// A worker process, which is killed when this value is dropped. `answers` is where its answers
/// arrive.
pub struct Worker<A> {
    process: LineProcess,
    pub answers: A,
    requests: u32,
}

impl<A> Worker<A> {
    pub fn new(process: LineProcess, answers: A) -> Self {
        Worker { process, answers, requests: 0 }
    }

    /// Sends a request. If the process has ended, no answer comes.
    pub fn send(&mut self, request: impl Display) {
        self.requests += 1;
        self.process.send(request);
    }

    /// Returns true if it can take another request.
    fn is_usable(&mut self) -> bool {
        self.requests < MAX_REQUESTS && self.process.is_alive()
    }
}

/// Starts workers, and has a spare one.
pub struct WorkerPool<A> {
    start: Box<dyn Fn() -> io::Result<Worker<A>> + Send + Sync>,
    spare: Mutex<Option<Worker<A>>>,
}

impl<A> WorkerPool<A> {
    pub fn new(start: impl Fn() -> io::Result<Worker<A>> + Send + Sync + 'static) -> Self {
        WorkerPool { start: Box::new(start), spare: Mutex::new(None) }
    }

    /// Starts a worker.
    pub fn start(&self) -> io::Result<Worker<A>> {
        (self.start)()
    }

    /// Returns `idle` if it can take another request, else the spare worker.
    pub fn ready(&self, idle: Option<Worker<A>>) -> Option<Worker<A>> {
        let usable = |mut worker: Worker<A>| worker.is_usable().then_some(worker);
        idle.and_then(usable).or_else(|| self.spare.lock().take().and_then(usable))
    }

    /// Starts the spare worker, if there is none.
    pub fn start_spare(&self) {
        let mut spare = self.spare.lock();
        if spare.is_none() {
            // Errors are ignored here; the next request reports them.
            *spare = self.start().ok();
        }
    }

    pub fn end_spare(&self) {
        drop(self.spare.lock().take());
    }
}
