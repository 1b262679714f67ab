//! Runs work in separate threads under supervision: limits, Ctrl-C, progress, and abandoning work
//! that cannot be interrupted.
//!
//! ```text
//!   tasks ──> workers, a thread each ──> ends ──> the watcher: reports tasks, checks the limits
//!                 ▲                                  │
//!                 └─ a cancellation token per task ──┘
//! ```
//!
//! When a limit is reached or Ctrl-C is pressed, the work is asked to stop. Most work stops at
//! once, but clingo's grounder cannot be interrupted, nor can a read from a pipe without a writer.
//! After a grace period the work is abandoned: its thread continues, its result is ignored, and
//! another thread takes its place. At the end the process exits without waiting for such threads
//! ([`leave`](super::exit::leave)).
//!
//! Each worker publishes its task in a slot. The worker or the watcher, whichever empties the slot,
//! reports the result.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::{CancelToken, Canceller, StopReason};
use parking_lot::Mutex;

use super::exit;
use super::memory::{MemoryState, address_space};
use super::terminal::{self, Progress};

/// Stack sizes to try, in bytes. clingo recurses once per level of nested terms; 250,000 levels
/// take a tenth of the first size.
const STACK_BYTES: [u64; 3] = [1 << 30, 256 << 20, 64 << 20];
/// Interval of memory checks; a grounder allocates about a megabyte per millisecond.
const MEMORY_TICK: Duration = Duration::from_millis(1);
const TICK: Duration = Duration::from_millis(10);
const COALESCE_TICK: Duration = Duration::from_micros(500);
/// Interval of progress updates.
const PROGRESS_TICK: Duration = Duration::from_millis(50);

/// Limits of a run, or of each task in a batch.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Bytes that the process may use.
    pub memory: Option<u64>,
    /// Time between the request to stop and abandoning the work.
    pub grace: Duration,
}

/// The end of a task.
pub enum TaskEnd<T> {
    Done(T),
    /// No thread could be started, or the work panicked.
    Failed(Diagnostic),
    /// The task did not end within the grace period.
    Abandoned(StopReason),
}

/// An event that the watcher reports.
pub enum TaskEvent<I, T> {
    Ended(Arc<I>, TaskEnd<T>),
    /// Emitted at regular intervals.
    Tick,
}

/// The reply to an event: continue, with an optional description of the progress, or stop.
pub type Control = ControlFlow<(), Option<String>>;

/// Supervises all work of a command.
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
type OnceTask = Mutex<Option<Box<dyn FnOnce(&CancelToken) + Send>>>;

/// The task that a worker is running.
type TaskSlot<I> = Arc<Mutex<Option<RunningTask<I>>>>;

struct RunningTask<I> {
    task: Arc<I>,
    stop: Canceller,
    began: Instant,
    stop_requested: Option<(Instant, StopReason)>,
}

/// State shared by the workers.
struct TaskQueue<I, W> {
    tasks: Mutex<Receiver<Arc<I>>>,
    work: W,
    /// True if the workers must not start further tasks.
    is_stopping: AtomicBool,
}

enum WorkerEvent<I, T> {
    Ended(Arc<I>, TaskEnd<T>),
    /// A worker has ended because there are no more tasks.
    Left,
}

impl Runner {
    /// Installs the Ctrl-C handler: the first press asks the work to stop, the second abandons it.
    /// While no work is running, Ctrl-C exits at once.
    pub fn new(limits: Limits, wants_progress: bool) -> Self {
        let began = Instant::now();
        let interrupts = Arc::<Interrupts>::default();
        let handler_interrupts = interrupts.clone();
        exit::on_interrupt(move || {
            let before = handler_interrupts.count.fetch_add(1, Ordering::SeqCst);
            if before > 1 || !handler_interrupts.is_watching.load(Ordering::SeqCst) {
                exit::leave_interrupted();
            }
        });
        Runner { limits, began, progress: Progress::new(wants_progress, began), interrupts }
    }

    /// Runs one piece of work; its time limit counts from the start of the command.
    pub fn run<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&CancelToken) -> T + Send + 'static,
        mut progress: impl FnMut() -> Option<String>,
    ) -> TaskEnd<T> {
        let result = Arc::new(Mutex::new(None));
        let slot = result.clone();
        let task: OnceTask = Mutex::new(Some(Box::new(move |stop| {
            let value = work(stop);
            *slot.lock() = Some(value);
        })));
        match self.run_one(task, &mut progress) {
            TaskEnd::Done(()) => {
                let value = result.lock().take();
                value.map_or_else(
                    || TaskEnd::Failed(Diagnostic::error(Code::System, "no thread can be started")),
                    TaskEnd::Done,
                )
            }
            TaskEnd::Failed(diagnostic) => TaskEnd::Failed(diagnostic),
            TaskEnd::Abandoned(reason) => TaskEnd::Abandoned(reason),
        }
    }

    /// The part of [`run`](Self::run) that is independent of the result type, so it is compiled
    /// once.
    fn run_one(&mut self, task: OnceTask, progress: &mut dyn FnMut() -> Option<String>) -> TaskEnd<()> {
        let (sender, tasks) = mpsc::channel();
        let _ = sender.send(Arc::new(task));
        drop(sender);
        let began = Some(self.began);
        fn once(task: &OnceTask, stop: &CancelToken) {
            let work = task.lock().take();
            if let Some(work) = work {
                work(stop);
            }
        }
        let mut end = None;
        let stop_reason = self.watch(1, tasks, once, began, &mut |event| {
            if let TaskEvent::Ended(_, ended) = event {
                end = Some(ended);
            }
            ControlFlow::Continue(progress())
        });
        match (end, stop_reason) {
            (Some(TaskEnd::Done(())), _) => TaskEnd::Done(()),
            (Some(TaskEnd::Abandoned(reason)), _) | (_, Some(reason)) => TaskEnd::Abandoned(reason),
            (Some(TaskEnd::Failed(diagnostic)), _) => TaskEnd::Failed(diagnostic),
            (None, None) => TaskEnd::Failed(Diagnostic::error(Code::System, "no thread can be started")),
        }
    }

    /// Like `run`, for work that reads texts and may fail. A failure after a request to stop counts
    /// as caused by it. The inner error is the reason for giving up.
    pub fn run_fallible<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Vec<Document>, &CancelToken) -> Result<T, Failure> + Send + 'static,
        progress: impl FnMut() -> Option<String>,
    ) -> (Result<Result<T, StopReason>, Failure>, Vec<Document>) {
        let work = |stop: &CancelToken| {
            let mut read = Vec::new();
            (work(&mut read, stop), read, stop.requested())
        };
        match self.run(work, progress) {
            TaskEnd::Done((Err(_), read, Some(reason))) => (Ok(Err(reason)), read),
            TaskEnd::Done((result, read, _)) => (result.map(Ok), read),
            TaskEnd::Abandoned(reason) => (Ok(Err(reason)), Vec::new()),
            TaskEnd::Failed(diagnostic) => (Err(diagnostic.into()), Vec::new()),
        }
    }

    /// Runs the tasks, each with its own time limit, and reports each when it ends. Returns the
    /// reason if not all tasks were run.
    pub fn run_all<I, T>(
        &mut self,
        workers: usize,
        tasks: Receiver<Arc<I>>,
        work: impl Fn(&I, &CancelToken) -> T + Send + Sync + 'static,
        on_event: &mut dyn FnMut(TaskEvent<I, T>) -> Control,
    ) -> Option<StopReason>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.watch(workers, tasks, work, None, on_event)
    }

    fn watch<I, T, W>(
        &mut self,
        workers: usize,
        tasks: Receiver<Arc<I>>,
        work: W,
        began: Option<Instant>,
        on_event: &mut dyn FnMut(TaskEvent<I, T>) -> Control,
    ) -> Option<StopReason>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        W: Fn(&I, &CancelToken) -> T + Send + Sync + 'static,
    {
        if cfg!(target_family = "wasm") {
            self.run_here(&tasks, work, began, on_event);
            return None;
        }
        let shared = Arc::new(TaskQueue { tasks: Mutex::new(tasks), work, is_stopping: AtomicBool::new(false) });
        let (sender, events) = mpsc::channel();
        let start = |slot: &TaskSlot<I>| start(workers, &shared, slot, &sender, began);
        let mut slots: Vec<TaskSlot<I>> = (0..workers).map(|_| TaskSlot::default()).collect();
        slots.retain(start);
        let mut active_workers = slots.len();
        self.interrupts.is_watching.store(true, Ordering::SeqCst);
        let mut last_check = Instant::now();
        let mut last_tick = Instant::now();
        // Without a single thread nothing can run.
        let mut result = slots.is_empty().then_some(StopReason::MemoryLimit);
        'watching: while active_workers > 0 {
            let wait = if self.limits.memory.is_some() { MEMORY_TICK } else { TICK };
            match report_next(&events, wait, began.is_none(), on_event) {
                ControlFlow::Continue(left) => active_workers -= left,
                ControlFlow::Break(()) => break,
            }
            if last_check.elapsed() < wait {
                continue;
            }
            last_check = Instant::now();
            let interrupts = self.interrupts.count.load(Ordering::SeqCst);
            if interrupts > 0 {
                shared.is_stopping.store(true, Ordering::SeqCst);
                result = Some(StopReason::Interrupted);
            }
            let memory = self.limits.memory.map_or(MemoryState::Enough, MemoryState::now);
            let mut is_idle = true;
            for slot in &mut slots {
                if let Some((task, reason)) = self.poll(slot, memory, interrupts) {
                    let control = on_event(TaskEvent::Ended(task, TaskEnd::Abandoned(reason)));
                    // The abandoned thread continues to allocate, so no memory is left for other
                    // tasks.
                    if reason == StopReason::MemoryLimit {
                        result = Some(reason);
                    }
                    if control.is_break() || reason == StopReason::MemoryLimit {
                        break 'watching;
                    }
                    *slot = TaskSlot::default();
                    if shared.is_stopping.load(Ordering::SeqCst) || !start(slot) {
                        active_workers -= 1;
                        result = result.or((active_workers == 0).then_some(StopReason::MemoryLimit));
                    }
                }
                is_idle &= slot.lock().is_none();
            }
            if is_idle && result.is_some() {
                report_ended(&events, on_event);
                break;
            }
            if last_tick.elapsed() >= PROGRESS_TICK {
                last_tick = Instant::now();
                if self.show_progress(on_event(TaskEvent::Tick)).is_break() {
                    break;
                }
            }
        }
        self.interrupts.is_watching.store(false, Ordering::SeqCst);
        drop(terminal::try_clear_progress());
        result
    }

    /// Runs the tasks in this thread, for systems without threads. Work that polls its token ends at
    /// the time limit; other work must be ended from outside.
    fn run_here<I, T>(
        &self,
        tasks: &Receiver<Arc<I>>,
        work: impl Fn(&I, &CancelToken) -> T,
        began: Option<Instant>,
        on_event: &mut dyn FnMut(TaskEvent<I, T>) -> Control,
    ) {
        for task in tasks {
            let deadline = self.limits.time.map(|limit| began.unwrap_or_else(Instant::now) + limit);
            let stop = CancelToken::new().child_until(deadline);
            let done = work(&task, &stop.token);
            if on_event(TaskEvent::Ended(task, TaskEnd::Done(done))).is_break() {
                return;
            }
        }
    }

    fn show_progress(&mut self, control: Control) -> ControlFlow<()> {
        control.map_continue(|progress| {
            if let Some(progress) = progress {
                self.progress.show(|| progress);
            }
        })
    }

    /// Asks the task in a slot to stop if there is a reason; empties the slot if the grace period
    /// is over.
    fn poll<I>(&self, slot: &TaskSlot<I>, memory: MemoryState, interrupts: usize) -> Option<(Arc<I>, StopReason)> {
        let mut slot = slot.lock();
        let running = slot.as_mut()?;
        let Some((since, reason)) = running.stop_requested else {
            let reason = match self.limits.time {
                _ if interrupts > 0 => StopReason::Interrupted,
                Some(time) if running.began.elapsed() >= time => StopReason::TimeLimit,
                _ if memory != MemoryState::Enough => StopReason::MemoryLimit,
                _ => return None,
            };
            running.stop_requested = Some((Instant::now(), reason));
            running.stop.request(reason);
            return None;
        };
        let is_late = since.elapsed() >= self.limits.grace || interrupts > 1 || memory == MemoryState::Spent;
        let task = is_late.then(|| running.task.clone())?;
        *slot = None;
        Some((task, reason))
    }
}

/// Waits for an event, reports the tasks that have ended, and returns the number of workers that
/// have left. Breaks if `on_event` does.
fn report_next<I, T>(
    events: &Receiver<WorkerEvent<I, T>>,
    wait: Duration,
    coalesces: bool,
    on_event: &mut dyn FnMut(TaskEvent<I, T>) -> Control,
) -> ControlFlow<(), usize> {
    let first = events.recv_timeout(wait).ok();
    // Coalesce completions so that workers do not wake the watcher one by one.
    if first.is_some() && coalesces {
        thread::sleep(COALESCE_TICK);
    }
    let mut left = 0;
    for event in first.into_iter().chain(events.try_iter()) {
        match event {
            WorkerEvent::Ended(task, end) => {
                if on_event(TaskEvent::Ended(task, end)).is_break() {
                    return ControlFlow::Break(());
                }
            }
            WorkerEvent::Left => left += 1,
        }
    }
    ControlFlow::Continue(left)
}

/// Reports tasks that have ended in the meantime.
fn report_ended<I, T>(events: &Receiver<WorkerEvent<I, T>>, on_event: &mut dyn FnMut(TaskEvent<I, T>) -> Control) {
    for event in events.try_iter() {
        if let WorkerEvent::Ended(task, end) = event {
            let _ = on_event(TaskEvent::Ended(task, end));
        }
    }
}

/// Starts a worker with the largest stack that the system grants.
fn start<I, T, W>(
    workers: usize,
    shared: &Arc<TaskQueue<I, W>>,
    slot: &TaskSlot<I>,
    sender: &Sender<WorkerEvent<I, T>>,
    began: Option<Instant>,
) -> bool
where
    I: Send + Sync + 'static,
    T: Send + 'static,
    W: Fn(&I, &CancelToken) -> T + Send + Sync + 'static,
{
    let room = address_space() / (8 * workers as u64);
    let fitting = STACK_BYTES.into_iter().filter(|&bytes| bytes <= room && (workers == 1 || bytes < STACK_BYTES[0]));
    fitting.chain(STACK_BYTES.last().copied()).any(|bytes| {
        let shared = shared.clone();
        let slot = slot.clone();
        let sender = sender.clone();
        let work = move || work(&shared, &slot, &sender, began);
        thread::Builder::new().name("worker".to_owned()).stack_size(bytes as usize).spawn(work).is_ok()
    })
}

/// Runs one task after another, until there are no more or this worker was abandoned.
fn work<I, T>(
    shared: &TaskQueue<I, impl Fn(&I, &CancelToken) -> T>,
    slot: &TaskSlot<I>,
    sender: &Sender<WorkerEvent<I, T>>,
    began: Option<Instant>,
) {
    // The watcher may be gone.
    let report = |event| drop(sender.send(event));
    loop {
        let next = shared.tasks.lock().recv();
        let Ok(task) = next else { break };
        if shared.is_stopping.load(Ordering::SeqCst) {
            break;
        }
        let canceller = Canceller::new();
        let stop = canceller.token();
        let began = began.unwrap_or_else(Instant::now);
        *slot.lock() = Some(RunningTask { task: task.clone(), stop: canceller, began, stop_requested: None });
        let done = catch_unwind(AssertUnwindSafe(|| (shared.work)(&task, &stop)));
        let mut slot = slot.lock();
        if slot.is_none() {
            return;
        }
        let defect =
            |_| TaskEnd::Failed(Diagnostic::error(Code::Defect, "the engine failed; this is a defect of asp-solve"));
        report(WorkerEvent::Ended(task, done.map_or_else(defect, TaskEnd::Done)));
        *slot = None;
    }
    report(WorkerEvent::Left);
}

/// Returns the requested number of threads, or one per core.
pub fn threads(requested: Option<u8>) -> usize {
    requested.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
}
