//! Watches a run from outside: limits, Ctrl-C, progress, and the end of what cannot be interrupted.
//!
//! The engine works in a thread of its own. When a limit is reached or Ctrl-C comes, it is asked to stop; solving does so
//! at once, but clingo's grounder cannot be interrupted. After a moment of grace the watcher then finishes the report
//! with what is known and the process is left, whatever the thread is doing.

use std::sync::TryLockError;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::messages::Progress;
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Ending;
use crate::report::Slot;
use crate::stop::{Reason, Stop};

/// clingo recurses once per level of nested terms; 250,000 levels take a tenth of the first of these.
pub const STACK_BYTES: [usize; 3] = [1 << 30, 256 << 20, 64 << 20];
/// Memory is asked for this often; a grounder takes about a megabyte in a millisecond.
const MEMORY_TICK: Duration = Duration::from_millis(1);
const TICK: Duration = Duration::from_millis(50);
/// Time for the engine to end by itself, after which it is left alone.
const GRACE: Duration = Duration::from_millis(400);
const GRACE_MEMORY: Duration = Duration::from_millis(3);

/// Limits of one run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
}

/// How a run ended, as the watcher sees it.
pub enum End {
    /// The engine returned.
    Done(Result<Ending, Failure>),
    /// The engine did not return in time.
    Abandoned(Reason),
}

enum Event {
    Done(Box<Result<Ending, Failure>>),
    Interrupt,
}

/// Runs `work` in a thread of its own and watches it.
pub fn run(
    work: impl FnOnce() -> Result<Ending, Failure> + Send + 'static,
    stop: &Stop,
    slot: &Slot,
    limits: Limits,
    progress: bool,
) -> End {
    let began = Instant::now();
    let (sender, events) = mpsc::channel();
    catch_interrupts(sender.clone());
    if !spawn(work, sender) {
        return End::Done(Err(Diagnostic::error("no thread can be started").into()));
    }
    let mut progress = Progress::new(progress, began);
    let mut found = None;
    let mut give_up_at: Option<(Instant, Reason)> = None;
    let mut last_flush = began;
    let end = loop {
        let now = Instant::now();
        if let Some((deadline, reason)) = give_up_at
            && now >= deadline
        {
            break End::Abandoned(reason);
        }
        let mut wait = if limits.memory.is_some() { MEMORY_TICK } else { TICK };
        let next_deadline = give_up_at.map(|(deadline, _)| deadline).or(limits.time.map(|time| began + time));
        wait = next_deadline.map_or(wait, |deadline| wait.min(deadline.saturating_duration_since(now)));
        match events.recv_timeout(wait) {
            Ok(Event::Done(result)) => break End::Done(*result),
            Err(RecvTimeoutError::Disconnected) => {
                break End::Done(Err(Diagnostic::error("the engine failed; this is a defect of asp-solve").into()));
            }
            Ok(Event::Interrupt) if give_up_at.is_some() => break End::Abandoned(Reason::Interrupted),
            Ok(Event::Interrupt) => give_up_at = Some(ask(stop, Reason::Interrupted, GRACE)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if give_up_at.is_none() && limits.time.is_some_and(|time| began.elapsed() >= time) {
            give_up_at = Some(ask(stop, Reason::TimeLimit, GRACE));
        }
        if give_up_at.is_none() && limits.memory.is_some_and(|memory| resident_bytes() > budget(memory)) {
            give_up_at = Some(ask(stop, Reason::MemoryLimit, GRACE_MEMORY));
        }
        if last_flush.elapsed() >= TICK {
            last_flush = Instant::now();
            found = touch(slot).or(found);
            progress.show(|| match found {
                None | Some(0) => "no answer yet".to_owned(),
                Some(1) => "1 answer".to_owned(),
                Some(found) => format!("{found} answers"),
            });
        }
    };
    progress.clear();
    end
}

/// Some of the limit is kept back: memory grows while the watcher sleeps, and the report needs some.
fn budget(memory: u64) -> u64 {
    memory - (memory / 10).max(12 << 20).min(memory / 4)
}

fn resident_bytes() -> u64 {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64)
}

fn ask(stop: &Stop, reason: Reason, grace: Duration) -> (Instant, Reason) {
    stop.request(reason);
    (Instant::now() + grace, reason)
}

/// A third Ctrl-C, or a second while the watcher itself is held up, leaves at once.
fn catch_interrupts(sender: Sender<Event>) {
    let mut count = 0;
    let handler = move || {
        count += 1;
        if count > 2 || sender.send(Event::Interrupt).is_err() {
            asp::leave(3);
        }
    };
    // It can only fail where a handler is set already, which is as good.
    let _ = ctrlc::set_handler(handler);
}

/// The largest stack that the machine gives.
fn spawn(work: impl FnOnce() -> Result<Ending, Failure> + Send + 'static, sender: Sender<Event>) -> bool {
    let work = std::sync::Arc::new(std::sync::Mutex::new(Some(move || {
        let result = work();
        let _ = sender.send(Event::Done(Box::new(result)));
    })));
    STACK_BYTES.into_iter().any(|bytes| {
        let work = work.clone();
        let run = move || {
            let taken = work.lock().expect("nobody else holds the work").take();
            if let Some(work) = taken {
                work();
            }
        };
        thread::Builder::new().name("engine".to_owned()).stack_size(bytes).spawn(run).is_ok()
    })
}

/// Hands on what is buffered and counts the answers. The engine holds the report for moments only, unless the reader of
/// the output is slow; it is not waited for.
fn touch(slot: &Slot) -> Option<u64> {
    let report = slot.report()?;
    for _ in 0..10_000 {
        match report.try_lock() {
            Ok(mut report) => {
                // An error of the output comes up again when the engine writes or the report is finished.
                let _ = report.flush();
                return Some(report.found());
            }
            Err(TryLockError::Poisoned(_)) => return None,
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}
