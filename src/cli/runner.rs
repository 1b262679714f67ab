//! Runs work in threads of its own and watches it: limits, Ctrl-C, progress, and the end of what cannot be interrupted.
//!
//! ```text
//!   tasks ──> workers, a thread each ──> ends ──> the watcher, who hears of each and asks for the time
//!                 ▲                                  │
//!                 └─ a cancellation token per task ──┘
//! ```
//!
//! When a limit is reached or Ctrl-C comes, the work is asked to stop; most does so at once, but clingo's grounder cannot be
//! interrupted, nor can a read from a pipe without a writer. After a moment of grace the work is abandoned: its thread goes on
//! unheard, and another takes its place. At the end the process exits without waiting for such threads
//! ([`leave`](super::output::leave)).
//!
//! What a worker is at stands in its post. The one who takes it from there, the worker or the watcher, tells how it ended.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::messages::{self, Progress};
use super::output;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::stop::{Canceller, Reason, Stop};

/// clingo recurses once per level of nested terms; 250,000 levels take a tenth of the first of these.
const STACK_BYTES: [u64; 3] = [1 << 30, 256 << 20, 64 << 20];
/// Memory is asked for this often; a grounder takes about a megabyte in a millisecond.
const MEMORY_TICK: Duration = Duration::from_millis(1);
const TICK: Duration = Duration::from_millis(10);
const MOMENT: Duration = Duration::from_micros(500);
/// Time between two looks at how far the work is.
const PROGRESS_TICK: Duration = Duration::from_millis(50);

/// Limits of a run, or of each task in a batch.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Bytes of the process.
    pub memory: Option<u64>,
    /// Time for the work to end by itself, after which it is abandoned.
    pub grace: Duration,
}

/// What became of a task.
pub enum End<T> {
    Done(T),
    /// No thread could be started, or the work panicked.
    Failed(Diagnostic),
    /// It did not end in time.
    Abandoned(Reason),
}

/// What the watcher tells.
pub enum News<I, T> {
    Ended(Arc<I>, End<T>),
    /// Some time has gone by.
    Tick,
}

/// Breaks off, or goes on; perhaps with a word on how far it is.
pub type Heard = ControlFlow<(), Option<String>>;

/// Watches all work of a command.
pub struct Runner {
    limits: Limits,
    began: Instant,
    progress: Progress,
    interrupts: Arc<Interrupts>,
}

#[derive(Default)]
struct Interrupts {
    count: AtomicUsize,
    is_watching: AtomicBool,
}

/// One piece of work; `None` once a worker has taken it.
type OneTask = Mutex<Option<Box<dyn FnOnce(&Stop) + Send>>>;

/// What a worker is at.
type Post<I> = Arc<Mutex<Option<Watched<I>>>>;

struct Watched<I> {
    task: Arc<I>,
    stop: Canceller,
    began: Instant,
    asked: Option<(Instant, Reason)>,
}

/// What workers share.
struct Shared<I, W> {
    tasks: Mutex<Receiver<Arc<I>>>,
    work: W,
    /// No task is begun any more.
    is_over: AtomicBool,
}

enum Event<I, T> {
    Ended(Arc<I>, End<T>),
    /// A worker has left: there are no more tasks.
    Left,
}

impl Runner {
    /// From now on Ctrl-C is heard: the first asks the work to stop, the second abandons it; where no work is watched, it
    /// leaves the process at once.
    pub fn new(limits: Limits, wants_progress: bool) -> Self {
        let (began, interrupts) = (Instant::now(), Arc::<Interrupts>::default());
        let heard = interrupts.clone();
        // It can only fail where a handler is set already, which is as good.
        let _ = ctrlc::set_handler(move || {
            let before = heard.count.fetch_add(1, Ordering::SeqCst);
            if before > 1 || !heard.is_watching.load(Ordering::SeqCst) {
                output::leave_interrupted();
            }
        });
        Runner { limits, began, progress: Progress::new(wants_progress, began), interrupts }
    }

    /// Runs one piece of work; the time limit counts from the beginning of the command.
    pub fn run<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Stop) -> T + Send + 'static,
        mut progress: impl FnMut() -> Option<String>,
    ) -> End<T> {
        let result = Arc::new(Mutex::new(None));
        let slot = result.clone();
        let task: OneTask = Mutex::new(Some(Box::new(move |stop| {
            let done = work(stop);
            *lock(&slot) = Some(done);
        })));
        match self.run_one(task, &mut progress) {
            End::Done(()) => {
                let done = lock(&result).take();
                done.map_or_else(|| End::Failed(Diagnostic::error("no thread can be started")), End::Done)
            }
            End::Failed(diagnostic) => End::Failed(diagnostic),
            End::Abandoned(reason) => End::Abandoned(reason),
        }
    }

    /// The part of [`run`](Self::run) that does not depend on the type of the result, compiled once.
    fn run_one(&mut self, task: OneTask, progress: &mut dyn FnMut() -> Option<String>) -> End<()> {
        let (sender, tasks) = mpsc::channel();
        let _ = sender.send(Arc::new(task));
        drop(sender);
        let began = Some(self.began);
        fn once(task: &OneTask, stop: &Stop) {
            let work = lock(task).take();
            if let Some(work) = work {
                work(stop);
            }
        }
        let mut end = None;
        let broken_off = self.watch(1, tasks, once, began, &mut |news| {
            if let News::Ended(_, ended) = news {
                end = Some(ended);
            }
            ControlFlow::Continue(progress())
        });
        match (end, broken_off) {
            (Some(End::Done(())), _) => End::Done(()),
            (Some(End::Abandoned(reason)), _) | (_, Some(reason)) => End::Abandoned(reason),
            (Some(End::Failed(diagnostic)), _) => End::Failed(diagnostic),
            (None, None) => End::Failed(Diagnostic::error("no thread can be started")),
        }
    }

    /// The same for work that reads texts and may fail: whatever failed while stopping failed because of it. The inner error
    /// is why it was given up.
    pub fn attend<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Vec<Document>, &Stop) -> Result<T, Failure> + Send + 'static,
        progress: impl FnMut() -> Option<String>,
    ) -> (Result<Result<T, Reason>, Failure>, Vec<Document>) {
        let work = |stop: &Stop| {
            let mut read = Vec::new();
            (work(&mut read, stop), read, stop.requested())
        };
        match self.run(work, progress) {
            End::Done((Err(_), read, Some(reason))) => (Ok(Err(reason)), read),
            End::Done((result, read, _)) => (result.map(Ok), read),
            End::Abandoned(reason) => (Ok(Err(reason)), Vec::new()),
            End::Failed(diagnostic) => (Err(diagnostic.into()), Vec::new()),
        }
    }

    /// Runs the tasks, each with time limits of its own, and tells of each when it ends. The reason is why not all were run.
    pub fn run_all<I, T>(
        &mut self,
        workers: usize,
        tasks: Receiver<Arc<I>>,
        work: impl Fn(&I, &Stop) -> T + Send + Sync + 'static,
        hear: &mut dyn FnMut(News<I, T>) -> Heard,
    ) -> Option<Reason>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.watch(workers, tasks, work, None, hear)
    }

    fn watch<I, T, W>(
        &mut self,
        workers: usize,
        tasks: Receiver<Arc<I>>,
        work: W,
        began: Option<Instant>,
        hear: &mut dyn FnMut(News<I, T>) -> Heard,
    ) -> Option<Reason>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        W: Fn(&I, &Stop) -> T + Send + Sync + 'static,
    {
        let shared = Arc::new(Shared { tasks: Mutex::new(tasks), work, is_over: AtomicBool::new(false) });
        let (sender, events) = mpsc::channel();
        let start = |post: &Post<I>| start(workers, &shared, post, &sender, began);
        let mut posts: Vec<Post<I>> = (0..workers).map(|_| Post::default()).collect();
        posts.retain(start);
        let mut at_work = posts.len();
        self.interrupts.is_watching.store(true, Ordering::SeqCst);
        let (mut last_look, mut last_tick) = (Instant::now(), Instant::now());
        // Where not one thread is to be had, nothing is done either.
        let mut result = posts.is_empty().then_some(Reason::MemoryLimit);
        'watching: while at_work > 0 {
            let wait = if self.limits.memory.is_some() { MEMORY_TICK } else { TICK };
            let first = events.recv_timeout(wait).ok();
            // Of many tasks some end in every moment: those are told of together, so that workers need not wake the watcher each.
            if first.is_some() && began.is_none() {
                thread::sleep(MOMENT);
            }
            for event in first.into_iter().chain(events.try_iter()) {
                match event {
                    Event::Ended(task, end) => {
                        if hear(News::Ended(task, end)).is_break() {
                            break 'watching;
                        }
                    }
                    Event::Left => at_work -= 1,
                }
            }
            if last_look.elapsed() < wait {
                continue;
            }
            last_look = Instant::now();
            let interrupts = self.interrupts.count.load(Ordering::SeqCst);
            if interrupts > 0 {
                shared.is_over.store(true, Ordering::SeqCst);
                result = Some(Reason::Interrupted);
            }
            let memory = self.limits.memory.map_or(Memory::Enough, Memory::now);
            let mut is_idle = true;
            for post in &mut posts {
                if let Some((task, reason)) = self.look(post, memory, interrupts) {
                    let heard = hear(News::Ended(task, End::Abandoned(reason)));
                    // Its thread goes on to take memory: there is none for the others.
                    if reason == Reason::MemoryLimit {
                        result = Some(reason);
                    }
                    if heard.is_break() || reason == Reason::MemoryLimit {
                        break 'watching;
                    }
                    *post = Post::default();
                    if shared.is_over.load(Ordering::SeqCst) || !start(post) {
                        at_work -= 1;
                        result = result.or((at_work == 0).then_some(Reason::MemoryLimit));
                    }
                }
                is_idle &= lock(post).is_none();
            }
            if is_idle && result.is_some() {
                // What ended just now is still told of.
                for event in events.try_iter() {
                    if let Event::Ended(task, end) = event {
                        let _ = hear(News::Ended(task, end));
                    }
                }
                break;
            }
            if last_tick.elapsed() >= PROGRESS_TICK {
                last_tick = Instant::now();
                match hear(News::Tick) {
                    ControlFlow::Continue(Some(how_far)) => self.progress.show(|| how_far),
                    ControlFlow::Continue(None) => {}
                    ControlFlow::Break(()) => break,
                }
            }
        }
        self.interrupts.is_watching.store(false, Ordering::SeqCst);
        drop(messages::try_clear_progress());
        result
    }

    /// Asks the work at a post to stop if there is a reason; takes it from there if it was asked and had its time.
    fn look<I>(&self, post: &Post<I>, memory: Memory, interrupts: usize) -> Option<(Arc<I>, Reason)> {
        let mut post = lock(post);
        let watched = post.as_mut()?;
        let Some((since, reason)) = watched.asked else {
            let reason = match self.limits.time {
                _ if interrupts > 0 => Reason::Interrupted,
                Some(time) if watched.began.elapsed() >= time => Reason::TimeLimit,
                _ if memory != Memory::Enough => Reason::MemoryLimit,
                _ => return None,
            };
            watched.asked = Some((Instant::now(), reason));
            watched.stop.request(reason);
            return None;
        };
        let is_late = since.elapsed() >= self.limits.grace || interrupts > 1 || memory == Memory::Spent;
        let task = is_late.then(|| watched.task.clone())?;
        *post = None;
        Some((task, reason))
    }
}

/// Starts a worker with the largest stack that the machine gives.
fn start<I, T, W>(
    workers: usize,
    shared: &Arc<Shared<I, W>>,
    post: &Post<I>,
    sender: &Sender<Event<I, T>>,
    began: Option<Instant>,
) -> bool
where
    I: Send + Sync + 'static,
    T: Send + 'static,
    W: Fn(&I, &Stop) -> T + Send + Sync + 'static,
{
    let room = address_space() / (8 * workers as u64);
    let fitting = STACK_BYTES.into_iter().filter(|&bytes| bytes <= room && (workers == 1 || bytes < STACK_BYTES[0]));
    fitting.chain(STACK_BYTES.last().copied()).any(|bytes| {
        let (shared, post, sender) = (shared.clone(), post.clone(), sender.clone());
        let work = move || work(&shared, &post, &sender, began);
        thread::Builder::new().name("worker".to_owned()).stack_size(bytes as usize).spawn(work).is_ok()
    })
}

/// Does one task after another, until there are no more or the worker was abandoned.
fn work<I, T>(
    shared: &Shared<I, impl Fn(&I, &Stop) -> T>,
    post: &Post<I>,
    sender: &Sender<Event<I, T>>,
    began: Option<Instant>,
) {
    // The watcher may have left.
    let tell = |event| drop(sender.send(event));
    loop {
        let next = lock(&shared.tasks).recv();
        let Ok(task) = next else { break };
        if shared.is_over.load(Ordering::SeqCst) {
            break;
        }
        let canceller = Canceller::new();
        let stop = canceller.token();
        let began = began.unwrap_or_else(Instant::now);
        *lock(post) = Some(Watched { task: task.clone(), stop: canceller, began, asked: None });
        let done = catch_unwind(AssertUnwindSafe(|| (shared.work)(&task, &stop)));
        let mut post = lock(post);
        if post.is_none() {
            return;
        }
        let defect = |_| End::Failed(Diagnostic::error("the engine failed; this is a defect of asp-solve"));
        tell(Event::Ended(task, done.map_or_else(defect, End::Done)));
        *post = None;
    }
    tell(Event::Left);
}

/// Memory of the process, against its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    Enough,
    Short,
    /// What is left is for the report.
    Spent,
}

impl Memory {
    /// Some of the limit is kept back: memory grows while the watcher sleeps, and the report needs some.
    fn now(limit: u64) -> Self {
        let reserve = (limit / 10).max(12 << 20).min(limit / 4);
        match memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64) {
            used if used > limit - reserve / 2 => Memory::Spent,
            used if used > limit - reserve => Memory::Short,
            _ => Memory::Enough,
        }
    }
}

/// Bytes that the process may map.
#[cfg(unix)]
pub fn address_space() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::As).current.unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
pub fn address_space() -> u64 {
    u64::MAX
}

/// As many threads as were asked for, else one for each core.
pub fn threads(asked: Option<u8>) -> usize {
    asked.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
