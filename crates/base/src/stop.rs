//! Cancellation tokens, polled by every engine and set once, by Ctrl-C or by a limit.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The reason why an engine gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    Interrupted,
    TimeLimit,
    MemoryLimit,
    /// The maximum number of nodes was expanded.
    NodeLimit,
    /// There is no plan within the allowed depth.
    DepthLimit,
    /// A state did not fit into 64 bits and was left out.
    Overflow,
    /// A randomised search used up its attempts.
    AttemptLimit,
    /// Too many states are reachable to explore them.
    TooManyStates,
    /// The engine ended by itself, without a proof.
    Unproven,
    /// A reason that a single puzzle has, in words.
    Other(&'static str),
}

impl StopReason {
    /// Describes the reason, for sentences such as "gave up: …".
    pub fn words(self) -> &'static str {
        match self {
            StopReason::Interrupted => "interrupted",
            StopReason::TimeLimit => "the time limit was reached",
            StopReason::MemoryLimit => "the memory limit was reached",
            StopReason::NodeLimit => "the node limit was reached",
            StopReason::DepthLimit => "the depth limit was reached",
            StopReason::Overflow => "numbers beyond 64 bits were left out",
            StopReason::AttemptLimit => "too many failed attempts",
            StopReason::TooManyStates => "too many states to explore",
            StopReason::Unproven => "nothing could be proven",
            StopReason::Other(words) => words,
        }
    }
}

/// Grace period for writing results after a cancellation.
const OUTPUT_GRACE: Duration = Duration::from_millis(100);

/// Time limit for writing results. It is over once the token is set and `OUTPUT_GRACE` has passed
/// since its creation.
pub struct OutputGrace<'a> {
    stop: &'a CancelToken,
    began: Instant,
}

impl OutputGrace<'_> {
    /// Returns the reason if writing must end now.
    pub fn is_over(&self) -> Option<StopReason> {
        self.stop.requested().filter(|_| self.began.elapsed() >= OUTPUT_GRACE)
    }

    /// As [`is_over`](Self::is_over), and records that results are omitted if writing must end.
    pub fn check_truncated(&self) -> Option<StopReason> {
        let reason = self.is_over();
        self.stop.0.is_truncated.fetch_or(reason.is_some(), Ordering::SeqCst);
        reason
    }
}

type Hook = (u64, Box<dyn Fn() + Send>);

/// Removes its hook when dropped.
pub struct HookGuard {
    stop: CancelToken,
    id: u64,
}

/// Child token: cancelled with its parent, or at its deadline. Dropping it disables the deadline.
pub struct ChildToken {
    pub token: CancelToken,
    _parent_hook: HookGuard,
}

impl Drop for ChildToken {
    fn drop(&mut self) {
        if let Some(deadline) = &self.token.0.deadline {
            deadline.is_disabled.store(true, Ordering::SeqCst);
            deadline.clock.lock().take();
        }
    }
}

/// The deadline of a token. Every poll compares it with the clock.
struct Deadline {
    at: Instant,
    is_disabled: AtomicBool,
    /// The thread that runs the hooks at the deadline ends when this sender is dropped. There is no
    /// thread without hooks.
    clock: Mutex<Option<Sender<()>>>,
}

impl Deadline {
    fn is_over(&self) -> bool {
        !self.is_disabled.load(Ordering::SeqCst) && self.at <= Instant::now()
    }
}

/// Cancellation token, set by a [`Canceller`]. Clones share state.
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Inner>);

/// Sets a token. The caller that starts a job holds the canceller and passes on only the token: an
/// engine that reaches its own limit returns the reason, and the rest of the job continues.
#[derive(Clone, Default)]
pub struct Canceller(CancelToken);

impl Canceller {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the token for engines.
    pub fn token(&self) -> CancelToken {
        self.0.clone()
    }

    /// Asks all engines to stop. Only the first reason counts.
    pub fn request(&self, reason: StopReason) {
        self.0.request(reason);
    }
}

#[derive(Default)]
struct Inner {
    reason: OnceLock<StopReason>,
    /// Results were omitted from the output.
    is_truncated: AtomicBool,
    hooks: Mutex<Vec<Hook>>,
    next_id: AtomicU64,
    /// Cancelling the parent cancels this token.
    parent: Option<CancelToken>,
    deadline: Option<Deadline>,
}

impl CancelToken {
    /// Creates a token that is never set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the token and all its ancestors after a failed allocation: if one part of a job is out
    /// of memory, so are the other parts. (The limits of a single part do not affect its
    /// ancestors.)
    pub fn out_of_memory(&self) {
        self.request(StopReason::MemoryLimit);
        if let Some(parent) = self.0.parent.as_ref().filter(|parent| parent.requested().is_none()) {
            parent.out_of_memory();
        }
    }

    /// Sets the token. Only the first reason counts.
    fn request(&self, reason: StopReason) {
        let _ = self.0.reason.set(reason);
        for (_, hook) in self.0.hooks.lock().iter() {
            hook();
        }
    }

    /// Returns the value in `cell`, or computes it with `make` and stores it. A value computed
    /// after a request to stop may be incomplete, so it is returned without being stored.
    pub fn cached<'a, T: Clone, E>(
        &self,
        cell: &'a OnceLock<T>,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Cow<'a, T>, E> {
        if let Some(stored) = cell.get() {
            return Ok(Cow::Borrowed(stored));
        }
        let value = make()?;
        Ok(match self.requested() {
            Some(_) => Cow::Owned(value),
            None => Cow::Borrowed(cell.get_or_init(|| value)),
        })
    }

    /// Returns the reason to stop, if the token is set or its deadline has passed.
    pub fn requested(&self) -> Option<StopReason> {
        if let Some(&reason) = self.0.reason.get() {
            return Some(reason);
        }
        let is_over = self.0.deadline.as_ref().is_some_and(Deadline::is_over);
        let reason = if is_over { Some(StopReason::TimeLimit) } else { self.0.parent.as_ref()?.requested() };
        self.request(reason?);
        self.0.reason.get().copied()
    }

    /// Returns the reason if results were left out of the output.
    pub fn truncation_reason(&self) -> Option<StopReason> {
        self.requested().filter(|_| self.0.is_truncated.load(Ordering::SeqCst))
    }

    pub fn output_grace(&self) -> OutputGrace<'_> {
        OutputGrace { stop: self, began: Instant::now() }
    }

    /// Runs `hook` at every request while the guard lives, and at once if the token is set.
    pub fn on_request(&self, hook: impl Fn() + Send + 'static) -> HookGuard {
        let mut ancestor = Some(self);
        while let Some(stop) = ancestor {
            stop.start_clock();
            ancestor = stop.0.parent.as_ref();
        }
        self.requested();
        self.hook(hook)
    }

    fn hook(&self, hook: impl Fn() + Send + 'static) -> HookGuard {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        // A request that is not yet visible here waits for the lock and then finds the hook.
        let mut hooks = self.0.hooks.lock();
        if self.0.reason.get().is_some() {
            hook();
        }
        hooks.push((id, Box::new(hook)));
        drop(hooks);
        HookGuard { stop: self.clone(), id }
    }

    /// Starts a thread that runs the hooks at the deadline, even without a poll. If no thread can
    /// be started, they run at the next poll.
    fn start_clock(&self) {
        let Some(deadline) = self.0.deadline.as_ref().filter(|deadline| !deadline.is_disabled.load(Ordering::SeqCst))
        else {
            return;
        };
        let mut clock = deadline.clock.lock();
        if clock.is_some() {
            return;
        }
        let (running, end) = mpsc::channel();
        let at = deadline.at;
        let this = Arc::downgrade(&self.0);
        let run = move || {
            if end.recv_timeout(at.saturating_duration_since(Instant::now())) == Err(RecvTimeoutError::Timeout)
                && let Some(stop) = this.upgrade().map(CancelToken)
                && stop.0.deadline.as_ref().is_some_and(|deadline| !deadline.is_disabled.load(Ordering::SeqCst))
            {
                stop.request(StopReason::TimeLimit);
            }
        };
        if thread::Builder::new().spawn(run).is_ok() {
            *clock = Some(running);
        }
    }

    /// Returns a child token for computations that the output needs. If this token is set already,
    /// the child ignores it and lasts `OUTPUT_GRACE`.
    pub fn for_output(&self) -> ChildToken {
        match self.requested() {
            None => self.child_until(None),
            Some(_) => CancelToken::default().child_until(Some(Instant::now() + OUTPUT_GRACE)),
        }
    }

    /// Returns a child token, which is set with this one or at `deadline`.
    pub fn child_until(&self, deadline: Option<Instant>) -> ChildToken {
        let deadline = deadline.map(|at| Deadline { at, is_disabled: AtomicBool::default(), clock: Mutex::default() });
        let token = CancelToken(Arc::new(Inner { parent: Some(self.clone()), deadline, ..Inner::default() }));
        let child = token.clone();
        let parent = self.clone();
        let parent_hook = self.hook(move || child.request(parent.requested().unwrap_or(StopReason::Interrupted)));
        ChildToken { token, _parent_hook: parent_hook }
    }
}

impl Drop for HookGuard {
    fn drop(&mut self) {
        self.stop.0.hooks.lock().retain(|&(id, _)| id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_token_is_set_with_its_parent_or_at_its_deadline() {
        let stop = CancelToken::new();
        let (never, soon) = (stop.child_until(None), stop.child_until(Some(Instant::now())));
        assert_eq!((soon.token.requested(), never.token.requested()), (Some(StopReason::TimeLimit), None));
        stop.request(StopReason::MemoryLimit);
        assert_eq!(never.token.requested(), Some(StopReason::MemoryLimit));
    }

    #[test]
    fn values_computed_after_a_stop_are_not_cached() {
        let (stopped, cell) = (CancelToken::new(), OnceLock::new());
        stopped.request(StopReason::TimeLimit);
        let cached =
            |stop: &CancelToken, value: Result<u8, &'static str>| stop.cached(&cell, || value).map(Cow::into_owned);
        assert_eq!(cached(&stopped, Ok(1)), Ok(1));
        assert_eq!(cached(&CancelToken::new(), Err("wrong")), Err("wrong"));
        assert_eq!(cached(&CancelToken::new(), Ok(2)), Ok(2));
        assert_eq!(cached(&CancelToken::new(), Ok(3)), Ok(2));
    }

    #[test]
    fn a_token_gives_the_reason_of_the_first_request() {
        for reason in [StopReason::Interrupted, StopReason::Unproven, StopReason::Other("a board was misread")] {
            let stop = CancelToken::new();
            stop.request(reason);
            stop.request(StopReason::TimeLimit);
            assert_eq!(stop.requested(), Some(reason));
        }
    }

    #[test]
    fn a_poll_checks_the_deadline_without_a_thread() {
        let stop = CancelToken::new();
        let soon = stop.child_until(Some(Instant::now()));
        let child = soon.token.child_until(Some(Instant::now() + Duration::from_secs(3600)));
        assert_eq!((child.token.requested(), stop.requested()), (Some(StopReason::TimeLimit), None));
        let has_clock = |earlier: &ChildToken| {
            let deadline = earlier.token.0.deadline.as_ref().expect("it has one");
            deadline.clock.lock().is_some()
        };
        assert!(!has_clock(&soon) && !has_clock(&child));
    }

    #[test]
    fn a_deadline_runs_the_hooks_of_its_descendants_without_a_poll() {
        let soon = CancelToken::new().child_until(Some(Instant::now() + OUTPUT_GRACE));
        let child = soon.token.child_until(None);
        let (sender, receiver) = mpsc::channel();
        let _hooked = child.token.on_request(move || _ = sender.send(()));
        assert_eq!(receiver.recv(), Ok(()));
        assert_eq!(child.token.requested(), Some(StopReason::TimeLimit));
    }

    #[test]
    fn a_deadline_ends_with_its_owner() {
        let soon = CancelToken::new().child_until(Some(Instant::now()));
        let stop = soon.token.clone();
        drop(soon);
        assert_eq!(stop.requested(), None);
    }

    #[test]
    fn output_has_a_grace_period_after_a_request() {
        let stop = CancelToken::new();
        let output_grace = stop.output_grace();
        let earlier = OutputGrace { stop: &stop, began: output_grace.began - OUTPUT_GRACE };
        assert_eq!(earlier.is_over(), None);
        stop.request(StopReason::TimeLimit);
        assert_eq!(earlier.is_over(), Some(StopReason::TimeLimit));
        while output_grace.is_over().is_none() {
            thread::yield_now();
        }
        assert!(output_grace.began.elapsed() >= OUTPUT_GRACE);
    }

    #[test]
    fn complete_output_is_not_marked_as_truncated() {
        let stop = CancelToken::new();
        let late = || OutputGrace { stop: &stop, began: Instant::now() - OUTPUT_GRACE };
        assert_eq!((late().check_truncated(), stop.truncation_reason()), (None, None));
        stop.request(StopReason::TimeLimit);
        assert_eq!((late().is_over(), stop.truncation_reason()), (Some(StopReason::TimeLimit), None));
        assert_eq!(
            (late().check_truncated(), stop.truncation_reason()),
            (Some(StopReason::TimeLimit), Some(StopReason::TimeLimit))
        );
    }

    #[test]
    fn exhausted_memory_stops_all_ancestors() {
        let stop = CancelToken::new();
        let (first, second) = (stop.child_until(None), stop.child_until(None));
        second.token.request(StopReason::TimeLimit);
        assert_eq!(stop.requested(), None);
        first.token.out_of_memory();
        assert_eq!(
            (stop.requested(), second.token.requested()),
            (Some(StopReason::MemoryLimit), Some(StopReason::TimeLimit))
        );
    }

    #[test]
    fn computations_for_output_have_a_grace_period() {
        let canceller = Canceller::new();
        let before = canceller.token().for_output();
        canceller.request(StopReason::Interrupted);
        assert_eq!(before.token.requested(), Some(StopReason::Interrupted));
        let (after, began) = (canceller.token().for_output(), Instant::now());
        while after.token.requested().is_none() {
            thread::yield_now();
        }
        assert!(began.elapsed() + Duration::from_millis(1) >= OUTPUT_GRACE);
    }

    #[test]
    fn a_request_during_hooking_reaches_the_hook() {
        let rounds: Vec<(CancelToken, Arc<AtomicBool>)> = (0..200_000).map(|_| Default::default()).collect();
        let now = AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for (round, (stop, _)) in rounds.iter().enumerate() {
                    while now.load(Ordering::SeqCst) < round as u64 {
                        std::thread::yield_now();
                    }
                    stop.request(StopReason::TimeLimit);
                }
            });
            let _hooked: Vec<HookGuard> = rounds
                .iter()
                .enumerate()
                .map(|(round, (stop, was_called))| {
                    now.store(round as u64, Ordering::SeqCst);
                    let was_called = was_called.clone();
                    stop.on_request(move || was_called.store(true, Ordering::SeqCst))
                })
                .collect();
        });
        assert_eq!(rounds.iter().filter(|(_, was_called)| !was_called.load(Ordering::SeqCst)).count(), 0);
    }
}
