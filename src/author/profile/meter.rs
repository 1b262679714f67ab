//! Grounding costs per statement, measured during grounding.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::asp::{Observer, AspifStatement, Symbol};
use crate::stop::CancelToken;

#[derive(Debug, Clone, Default)]
pub struct Cost {
    /// The number of times that all variables had values: its instances, including those that the
    /// rest of the body rejected or that derived nothing new.
    pub tried: u64,
    /// The number of rules passed to the solver, and of their literals.
    pub rules: u64,
    pub literals: u64,
    pub grounding: Duration,
    /// The first and last time at which the grounder was at the statement, from the start of
    /// grounding.
    pub span: Option<(Duration, Duration)>,
    /// The values of its variables in the last instance.
    pub last: Vec<Symbol>,
}

/// Receives the calls of the instrumentation and the ground program.
pub struct Meter {
    /// The last element collects everything that belongs to no statement: facts, and the work at
    /// the end.
    costs: Vec<Cost>,
    began: Instant,
    current: usize,
    since: Instant,
    /// The rules received since the last mark.
    pending: Vec<PendingRule>,
    atoms: Vec<u32>,
    /// By atom: the statement that used it first.
    owner: Vec<Option<u32>>,
    stop: CancelToken,
}

/// A rule that was passed to the solver.
struct PendingRule {
    /// The end of its atoms within `atoms`.
    end: usize,
    at: Instant,
}

impl Meter {
    pub fn new(statements: usize, stop: &CancelToken) -> Self {
        let now = Instant::now();
        Meter {
            costs: vec![Cost::default(); statements + 1],
            began: now,
            current: statements,
            since: now,
            pending: Vec::new(),
            atoms: Vec::new(),
            owner: Vec::new(),
            stop: stop.clone(),
        }
    }

    /// Starts the clock of grounding.
    pub fn begin(&mut self) {
        self.began = Instant::now();
        self.since = self.began;
    }

    /// Restarts the clock after a search.
    pub fn resume(&mut self) {
        self.since = Instant::now();
    }

    /// The number of rules passed to the solver so far.
    pub fn rules(&self) -> u64 {
        self.costs.iter().map(|cost| cost.rules).sum()
    }

    /// Records that the grounder is at a statement, with the values of an instance if it has found
    /// one.
    pub fn mark(&mut self, statement: usize, instance: Option<&[Symbol]>) -> ControlFlow<()> {
        let now = Instant::now();
        let of_last = &mut self.costs[self.current];
        of_last.grounding += now - self.since;
        of_last.rules += self.pending.len() as u64;
        of_last.literals += self.atoms.len() as u64;
        for &atom in &self.atoms {
            claim_atom(&mut self.owner, atom, self.current);
        }
        self.pending.clear();
        self.atoms.clear();
        (self.current, self.since) = (statement.min(self.costs.len() - 1), now);
        let cost = &mut self.costs[self.current];
        let at = now - self.began;
        cost.span = Some((cost.span.map_or(at, |(first, _)| first), at));
        if let Some(values) = instance {
            cost.tried += 1;
            cost.last.clear();
            cost.last.extend_from_slice(values);
        }
        self.flow()
    }

    /// Ends grounding. The rules that clingo emits at the end, such as choices and their bounds,
    /// contain unnamed atoms: they belong to the statement that used such an atom first.
    pub fn end(&mut self, now: Instant, is_named: impl Fn(u32) -> bool) {
        let last = self.current;
        let rest = self.costs.len() - 1;
        self.costs[rest].grounding += now - self.pending.last().map_or(self.since, |pending| pending.at);
        // Rules that use such an atom come after the one that defines it.
        while let Some(PendingRule { end, at }) = self.pending.pop() {
            let (start, before) = self.pending.last().map_or((0, self.since), |pending| (pending.end, pending.at));
            let owner_of = |&atom: &u32| self.owner.get(atom as usize).copied().flatten().filter(|_| !is_named(atom));
            let statement = self.atoms[start..end].iter().find_map(owner_of).map_or(last, |owner| owner as usize);
            for &atom in &self.atoms[start..end] {
                claim_atom(&mut self.owner, atom, statement);
            }
            let cost = &mut self.costs[statement];
            cost.rules += 1;
            cost.literals += (end - start) as u64;
            cost.grounding += at - before;
        }
        self.atoms.clear();
        (self.current, self.since) = (rest, now);
    }

    /// The current statement, and the time since the last mark.
    pub fn at_work(&self) -> (usize, Duration) {
        (self.current, self.since.elapsed())
    }

    /// The costs of all statements so far, and of everything that belongs to none.
    pub fn costs(&self, is_at_work: bool) -> (Vec<Cost>, Cost) {
        let mut costs = self.costs.clone();
        if is_at_work {
            costs[self.current].grounding += self.since.elapsed();
        }
        let rest = costs.pop().unwrap_or_default();
        (costs, rest)
    }

    fn note_rule(&mut self, head: &[u32], body: impl Iterator<Item = i32>) {
        self.atoms.extend(head.iter().copied().chain(body.map(i32::unsigned_abs)));
        self.pending.push(PendingRule { end: self.atoms.len(), at: Instant::now() });
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.stop.requested().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for Meter {
    fn on_statement(&mut self, piece: AspifStatement<'_>) -> ControlFlow<()> {
        match piece {
            AspifStatement::Rule { head, body, .. } => self.note_rule(head, body.iter().copied()),
            AspifStatement::WeightRule { head, body, .. } => self.note_rule(head, body.iter().map(|&(literal, _)| literal)),
            _ => {}
        }
        self.flow()
    }
}

/// Assigns an atom to the first statement that uses it.
fn claim_atom(owner: &mut Vec<Option<u32>>, atom: u32, statement: usize) {
    let atom = atom as usize;
    if atom >= owner.len() {
        owner.resize(atom + 1, None);
    }
    owner[atom].get_or_insert(statement as u32);
}
