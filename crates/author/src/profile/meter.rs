//! Measures the grounding costs of each statement during grounding.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use asp::{AspifStatement, Observer, Symbol};
use base::stop::CancelToken;

/// The grounding costs of a statement.
#[derive(Debug, Clone, Default)]
pub struct Cost {
    /// The number of instances that the grounder has tried, including those that the rest of the
    /// body rejected and those that derived nothing new.
    pub tried: u64,
    /// The number of ground rules passed to the solver.
    pub rules: u64,
    /// The number of literals in these rules.
    pub literals: u64,
    pub grounding: Duration,
    /// The first and the last time at which the grounder processed the statement, from the start of
    /// grounding.
    pub span: Option<(Duration, Duration)>,
    /// The values of the statement's variables in the last instance.
    pub last: Vec<Symbol>,
}

/// Attributes grounding time and ground rules to statements, from the calls of the instrumentation
/// and the ground program.
pub struct Meter {
    /// The costs of each statement. The last element is for everything that belongs to no
    /// statement: facts, and the end of grounding.
    costs: Vec<Cost>,
    started: Instant,
    /// The current statement.
    current: usize,
    /// The time of the last mark.
    since: Instant,
    /// The rules received since the last mark.
    pending: Vec<PendingRule>,
    /// The atoms of the pending rules.
    atoms: Vec<u32>,
    /// By atom: the statement that used it first.
    owner: Vec<Option<u32>>,
    stop: CancelToken,
}

/// A rule that was passed to the solver.
struct PendingRule {
    /// The end of its atoms in [`Meter::atoms`].
    end: usize,
    at: Instant,
}

impl Meter {
    pub fn new(statements: usize, stop: &CancelToken) -> Self {
        let now = Instant::now();
        Meter {
            costs: vec![Cost::default(); statements + 1],
            started: now,
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
        self.started = Instant::now();
        self.since = self.started;
    }

    /// Restarts the clock after a search.
    pub fn resume(&mut self) {
        self.since = Instant::now();
    }

    /// Returns the number of rules passed to the solver so far.
    pub fn rules(&self) -> u64 {
        self.costs.iter().map(|cost| cost.rules).sum()
    }

    /// Records that the grounder processes `statement`: a new instance with the values `instance`,
    /// or the start of a search for instances if there are none.
    pub fn mark(&mut self, statement: usize, instance: Option<&[Symbol]>) -> ControlFlow<()> {
        let now = Instant::now();
        let last_cost = &mut self.costs[self.current];
        last_cost.grounding += now - self.since;
        last_cost.rules += self.pending.len() as u64;
        last_cost.literals += self.atoms.len() as u64;
        for &atom in &self.atoms {
            claim_atom(&mut self.owner, atom, self.current);
        }
        self.pending.clear();
        self.atoms.clear();
        (self.current, self.since) = (statement.min(self.costs.len() - 1), now);
        let cost = &mut self.costs[self.current];
        let at = now - self.started;
        cost.span = Some((cost.span.map_or(at, |(first, _)| first), at));
        if let Some(values) = instance {
            cost.tried += 1;
            cost.last.clear();
            cost.last.extend_from_slice(values);
        }
        self.flow()
    }

    /// Ends grounding at the time `now`. Rules that clingo emits at the end, such as choices and
    /// their bounds, contain unnamed atoms. They are attributed to the statement that used such an
    /// atom first. `is_named` returns true for the named atoms.
    pub fn end(&mut self, now: Instant, is_named: impl Fn(u32) -> bool) {
        let last = self.current;
        let rest = self.costs.len() - 1;
        self.costs[rest].grounding += now - self.pending.last().map_or(self.since, |pending| pending.at);
        // The rules are processed in reverse, since rules that use an unnamed atom come after the
        // rule that defines it.
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

    /// Returns the current statement, and the time since the last mark.
    pub fn at_work(&self) -> (usize, Duration) {
        (self.current, self.since.elapsed())
    }

    /// Returns the costs of all statements so far, and the costs that belong to none. If
    /// `is_at_work`, the time since the last mark is included.
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
    fn on_statement(&mut self, statement: AspifStatement<'_>) -> ControlFlow<()> {
        match statement {
            AspifStatement::Rule { head, body, .. } => self.note_rule(head, body.iter().copied()),
            AspifStatement::WeightRule { head, body, .. } => {
                self.note_rule(head, body.iter().map(|&(literal, _)| literal))
            }
            _ => {}
        }
        self.flow()
    }
}

/// Sets the owner of an atom to `statement`, if it has none.
fn claim_atom(owner: &mut Vec<Option<u32>>, atom: u32, statement: usize) {
    let atom = atom as usize;
    if atom >= owner.len() {
        owner.resize(atom + 1, None);
    }
    owner[atom].get_or_insert(statement as u32);
}
