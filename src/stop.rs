//! Cancellation token, polled by every engine: set once, by Ctrl-C or by a limit.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Why an engine gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Interrupted,
    TimeLimit,
    MemoryLimit,
    /// As many nodes were expanded as were allowed.
    NodeLimit,
    /// No way within the allowed depth.
    DepthLimit,
    /// States were left out that no word can hold.
    Overflow,
    /// As many attempts were made as one makes.
    Attempts,
    /// More states can be reached than are worth a look.
    States,
    /// A board at a window was misread.
    Unread,
    /// The engine ended without a proof, by itself.
    Unproven,
    /// The board is known, but not its rules.
    NoRules,
    /// A trip of a railway is longer than any that is remembered.
    LongTrip,
    /// A railway has more trips than are followed.
    ManyTrips,
    /// The frontier of a Minesweeper board is too wide for a count in the memory that it takes without a limit.
    WideFrontier,
}

impl Reason {
    /// In words, for a sentence such as "gave up: …".
    pub fn words(self) -> &'static str {
        match self {
            Reason::Interrupted => "interrupted",
            Reason::TimeLimit => "the time limit was reached",
            Reason::MemoryLimit => "the memory limit was reached",
            Reason::NodeLimit => "the node limit was reached",
            Reason::DepthLimit => "the depth limit was reached",
            Reason::Overflow => "numbers beyond 64 bits were left out",
            Reason::Attempts => "as many attempts were made as are worth it",
            Reason::States => "there are too many states to look at all",
            Reason::Unread => "a board was misread",
            Reason::Unproven => "nothing could be proven",
            Reason::NoRules => "no rules for boards of this type ship",
            Reason::LongTrip => "a trip has more steps than 2 GB hold",
            Reason::WideFrontier => "the frontier is too wide to be counted in 2 GiB",
            Reason::ManyTrips => "there are too many trips to follow them all",
        }
    }
}

/// How long what was found is still written where a run was stopped.
const MOMENT: Duration = Duration::from_millis(100);

/// Writing what was found: it ends when somebody asks to stop, but not within a moment from its beginning.
pub struct Telling<'a> {
    stop: &'a Stop,
    began: Instant,
}

impl Telling<'_> {
    /// Why nothing more is to be written.
    pub fn is_over(&self) -> Option<Reason> {
        self.stop.requested().filter(|_| self.began.elapsed() >= MOMENT)
    }

    /// The same where the rest is left out for it, which is remembered.
    pub fn cuts(&self) -> Option<Reason> {
        let reason = self.is_over();
        self.stop.0.has_cut.fetch_or(reason.is_some(), Ordering::SeqCst);
        reason
    }
}

type Hook = (u64, Box<dyn Fn() + Send>);

/// Takes its hook away when dropped.
pub struct Hooked {
    stop: Stop,
    id: u64,
}

/// A wish that comes with another one, and at a moment at the latest. Its deadline ends when it is dropped.
pub struct Earlier {
    pub stop: Stop,
    _with_other: Hooked,
}

impl Drop for Earlier {
    fn drop(&mut self) {
        if let Some(deadline) = &self.stop.0.deadline {
            deadline.is_off.store(true, Ordering::SeqCst);
            deadline.clock.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
}

/// A moment at which a wish comes by itself. It is compared whenever the wish is polled.
struct Deadline {
    at: Instant,
    is_off: AtomicBool,
    /// Keeps the thread alive that runs the hooks at the deadline. Only hooks need one.
    clock: Mutex<Option<Sender<()>>>,
}

impl Deadline {
    fn is_over(&self) -> bool {
        !self.is_off.load(Ordering::SeqCst) && self.at <= Instant::now()
    }
}

/// What an engine polls; only a [`Canceller`] sets it. Clones are the same token.
#[derive(Clone, Default)]
pub struct Stop(Arc<Inner>);

/// Sets a token. Whoever starts a job holds it, and hands on the token alone: an engine that reaches a limit of its own returns
/// the reason, and the rest of the job goes on.
#[derive(Clone, Default)]
pub struct Canceller(Stop);

impl Canceller {
    pub fn new() -> Self {
        Self::default()
    }

    /// What engines poll.
    pub fn token(&self) -> Stop {
        self.0.clone()
    }

    /// Asks all engines to stop; the first reason stays.
    pub fn request(&self, reason: Reason) {
        self.0.request(reason);
    }
}

#[derive(Default)]
struct Inner {
    reason: OnceLock<Reason>,
    /// Something that was found was left out of what is told.
    has_cut: AtomicBool,
    hooks: Mutex<Vec<Hook>>,
    next_id: AtomicU64,
    /// The wish that this one comes with.
    other: Option<Stop>,
    deadline: Option<Deadline>,
}

impl Stop {
    /// A token that nothing sets.
    pub fn new() -> Self {
        Self::default()
    }

    /// The process cannot allocate what it needs: where a part of the work has no memory left, the rest has none. A limit of one
    /// part is no reason for that.
    pub(crate) fn out_of_memory(&self) {
        self.request(Reason::MemoryLimit);
        if let Some(other) = self.0.other.as_ref().filter(|other| other.requested().is_none()) {
            other.out_of_memory();
        }
    }

    /// Sets the token; the first reason stays.
    fn request(&self, reason: Reason) {
        let _ = self.0.reason.set(reason);
        for (_, hook) in self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            hook();
        }
    }

    /// Returns the value in `cell`, or else makes it with `make` and stores it there. A value that was made under a request to
    /// stop may be incomplete, so it is returned without being stored.
    pub fn kept<'a, T: Clone, E>(
        &self,
        cell: &'a OnceLock<T>,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Cow<'a, T>, E> {
        if let Some(known) = cell.get() {
            return Ok(Cow::Borrowed(known));
        }
        let made = make()?;
        Ok(match self.requested() {
            Some(_) => Cow::Owned(made),
            None => Cow::Borrowed(cell.get_or_init(|| made)),
        })
    }

    /// Why to stop, once somebody asked or the deadline has passed.
    pub fn requested(&self) -> Option<Reason> {
        if let Some(&reason) = self.0.reason.get() {
            return Some(reason);
        }
        let is_over = self.0.deadline.as_ref().is_some_and(Deadline::is_over);
        let reason = if is_over { Some(Reason::TimeLimit) } else { self.0.other.as_ref()?.requested() };
        self.request(reason?);
        self.0.reason.get().copied()
    }

    /// Why not all that was found is told, if so.
    pub fn has_cut(&self) -> Option<Reason> {
        self.requested().filter(|_| self.0.has_cut.load(Ordering::SeqCst))
    }

    pub fn telling(&self) -> Telling<'_> {
        Telling { stop: self, began: Instant::now() }
    }

    /// `hook` runs at every request while the result lives, and at once if there was one.
    pub fn on_request(&self, hook: impl Fn() + Send + 'static) -> Hooked {
        let mut ancestor = Some(self);
        while let Some(stop) = ancestor {
            stop.start_clock();
            ancestor = stop.0.other.as_ref();
        }
        self.requested();
        self.hook(hook)
    }

    fn hook(&self, hook: impl Fn() + Send + 'static) -> Hooked {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        // A request that is not seen here waits for the list, and finds the hook in it.
        let mut hooks = self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        if self.0.reason.get().is_some() {
            hook();
        }
        hooks.push((id, Box::new(hook)));
        drop(hooks);
        Hooked { stop: self.clone(), id }
    }

    /// Runs the hooks at the deadline, even if nobody polls then. Without a thread they run at the next poll.
    fn start_clock(&self) {
        let Some(deadline) = self.0.deadline.as_ref().filter(|deadline| !deadline.is_off.load(Ordering::SeqCst)) else {
            return;
        };
        let mut clock = deadline.clock.lock().unwrap_or_else(PoisonError::into_inner);
        if clock.is_some() {
            return;
        }
        let (running, end) = mpsc::channel();
        let (at, this) = (deadline.at, Arc::downgrade(&self.0));
        let run = move || {
            if end.recv_timeout(at.saturating_duration_since(Instant::now())) == Err(RecvTimeoutError::Timeout)
                && let Some(stop) = this.upgrade().map(Stop)
                && stop.0.deadline.as_ref().is_some_and(|deadline| !deadline.is_off.load(Ordering::SeqCst))
            {
                stop.request(Reason::TimeLimit);
            }
        };
        if thread::Builder::new().spawn(run).is_ok() {
            *clock = Some(running);
        }
    }

    /// For what is still computed after a request so that what was found can be told: this token before, and one that lasts a
    /// moment afterwards.
    pub fn for_a_moment(&self) -> Earlier {
        match self.requested() {
            None => self.by(None),
            Some(_) => Stop::default().by(Some(Instant::now() + MOMENT)),
        }
    }

    /// A wish that comes when this one does, or at the deadline.
    pub fn by(&self, deadline: Option<Instant>) -> Earlier {
        let deadline = deadline.map(|at| Deadline { at, is_off: AtomicBool::default(), clock: Mutex::default() });
        let stop = Stop(Arc::new(Inner { other: Some(self.clone()), deadline, ..Inner::default() }));
        let (earlier, this) = (stop.clone(), self.clone());
        let with_other = self.hook(move || earlier.request(this.requested().unwrap_or(Reason::Interrupted)));
        Earlier { stop, _with_other: with_other }
    }
}

impl Drop for Hooked {
    fn drop(&mut self) {
        self.stop.0.hooks.lock().unwrap_or_else(PoisonError::into_inner).retain(|&(id, _)| id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_wish_comes_with_the_other_or_at_its_deadline() {
        let stop = Stop::new();
        let (never, soon) = (stop.by(None), stop.by(Some(Instant::now())));
        assert_eq!((soon.stop.requested(), never.stop.requested()), (Some(Reason::TimeLimit), None));
        stop.request(Reason::MemoryLimit);
        assert_eq!(never.stop.requested(), Some(Reason::MemoryLimit));
    }

    #[test]
    fn what_is_made_under_a_request_to_stop_is_not_kept() {
        let (stopped, cell) = (Stop::new(), OnceLock::new());
        stopped.request(Reason::TimeLimit);
        let kept = |stop: &Stop, made: Result<u8, &'static str>| stop.kept(&cell, || made).map(Cow::into_owned);
        assert_eq!(kept(&stopped, Ok(1)), Ok(1));
        assert_eq!(kept(&Stop::new(), Err("wrong")), Err("wrong"));
        assert_eq!(kept(&Stop::new(), Ok(2)), Ok(2));
        assert_eq!(kept(&Stop::new(), Ok(3)), Ok(2));
    }

    #[test]
    fn a_token_gives_the_reason_of_the_first_request() {
        for reason in [Reason::Interrupted, Reason::Unread, Reason::Unproven, Reason::NoRules] {
            let stop = Stop::new();
            stop.request(reason);
            stop.request(Reason::TimeLimit);
            assert_eq!(stop.requested(), Some(reason));
        }
    }

    #[test]
    fn a_poll_compares_the_deadline_without_a_clock() {
        let stop = Stop::new();
        let soon = stop.by(Some(Instant::now()));
        let child = soon.stop.by(Some(Instant::now() + Duration::from_secs(3600)));
        assert_eq!((child.stop.requested(), stop.requested()), (Some(Reason::TimeLimit), None));
        let has_clock = |earlier: &Earlier| {
            let deadline = earlier.stop.0.deadline.as_ref().expect("it has one");
            deadline.clock.lock().expect("no thread panics").is_some()
        };
        assert!(!has_clock(&soon) && !has_clock(&child));
    }

    #[test]
    fn a_deadline_runs_the_hooks_of_its_descendants_though_nobody_polls() {
        let soon = Stop::new().by(Some(Instant::now() + MOMENT));
        let child = soon.stop.by(None);
        let (sender, receiver) = mpsc::channel();
        let _hooked = child.stop.on_request(move || _ = sender.send(()));
        assert_eq!(receiver.recv(), Ok(()));
        assert_eq!(child.stop.requested(), Some(Reason::TimeLimit));
    }

    #[test]
    fn a_deadline_ends_with_its_owner() {
        let soon = Stop::new().by(Some(Instant::now()));
        let stop = soon.stop.clone();
        drop(soon);
        assert_eq!(stop.requested(), None);
    }

    #[test]
    fn what_was_found_is_told_for_a_moment_after_a_request() {
        let stop = Stop::new();
        let telling = stop.telling();
        let earlier = Telling { stop: &stop, began: telling.began - MOMENT };
        assert_eq!(earlier.is_over(), None);
        stop.request(Reason::TimeLimit);
        assert_eq!(earlier.is_over(), Some(Reason::TimeLimit));
        while telling.is_over().is_none() {
            thread::yield_now();
        }
        assert!(telling.began.elapsed() >= MOMENT);
    }

    #[test]
    fn what_was_told_in_full_is_not_said_to_be_cut() {
        let stop = Stop::new();
        let late = || Telling { stop: &stop, began: Instant::now() - MOMENT };
        assert_eq!((late().cuts(), stop.has_cut()), (None, None));
        stop.request(Reason::TimeLimit);
        assert_eq!((late().is_over(), stop.has_cut()), (Some(Reason::TimeLimit), None));
        assert_eq!((late().cuts(), stop.has_cut()), (Some(Reason::TimeLimit), Some(Reason::TimeLimit)));
    }

    #[test]
    fn memory_is_short_for_all_of_the_work() {
        let stop = Stop::new();
        let (one, other) = (stop.by(None), stop.by(None));
        other.stop.request(Reason::TimeLimit);
        assert_eq!(stop.requested(), None);
        one.stop.out_of_memory();
        assert_eq!((stop.requested(), other.stop.requested()), (Some(Reason::MemoryLimit), Some(Reason::TimeLimit)));
    }

    #[test]
    fn what_is_still_told_after_a_request_has_a_moment() {
        let canceller = Canceller::new();
        let before = canceller.token().for_a_moment();
        canceller.request(Reason::Interrupted);
        assert_eq!(before.stop.requested(), Some(Reason::Interrupted));
        let (after, began) = (canceller.token().for_a_moment(), Instant::now());
        while after.stop.requested().is_none() {
            thread::yield_now();
        }
        assert!(began.elapsed() + Duration::from_millis(1) >= MOMENT);
    }

    #[test]
    fn a_request_at_the_moment_of_hooking_reaches_the_hook() {
        let rounds: Vec<(Stop, Arc<AtomicBool>)> = (0..200_000).map(|_| Default::default()).collect();
        let now = AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for (round, (stop, _)) in rounds.iter().enumerate() {
                    while now.load(Ordering::SeqCst) < round as u64 {
                        std::thread::yield_now();
                    }
                    stop.request(Reason::TimeLimit);
                }
            });
            let _hooked: Vec<Hooked> = rounds
                .iter()
                .enumerate()
                .map(|(round, (stop, heard))| {
                    now.store(round as u64, Ordering::SeqCst);
                    let heard = heard.clone();
                    stop.on_request(move || heard.store(true, Ordering::SeqCst))
                })
                .collect();
        });
        assert_eq!(rounds.iter().filter(|(_, heard)| !heard.load(Ordering::SeqCst)).count(), 0);
    }
}
