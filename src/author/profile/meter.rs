//! What each statement costs the grounder, counted while it grounds.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::asp::{Observer, Piece, Symbol};
use crate::stop::Stop;

/// What a statement costs.
#[derive(Debug, Clone, Default)]
pub struct Cost {
    /// How often all its variables had values: its instances, those that the rest of the body refused, and those that said
    /// what was known already.
    pub tried: u64,
    /// Rules that the solver was given of it, and the literals in them.
    pub rules: u64,
    pub literals: u64,
    pub grounding: Duration,
    /// When it was at work first and last, after the beginning of the grounding.
    pub span: Option<(Duration, Duration)>,
    /// The values of its variables in the last instance.
    pub last: Vec<Symbol>,
}

/// Hears the marks and the ground program.
pub struct Meter {
    /// The last is of no statement: facts, and what is left to do in the end.
    costs: Vec<Cost>,
    began: Instant,
    current: usize,
    since: Instant,
    /// Since the last mark.
    pending: Vec<Pending>,
    atoms: Vec<u32>,
    /// The statement that had an atom first, by atom.
    owner: Vec<Option<u32>>,
    stop: Stop,
}

/// A rule that was handed to the solver.
struct Pending {
    /// Where its atoms end in those of all.
    end: usize,
    at: Instant,
}

impl Meter {
    pub fn new(statements: usize, stop: &Stop) -> Self {
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

    /// Grounding begins now.
    pub fn begin(&mut self) {
        self.began = Instant::now();
        self.since = self.began;
    }

    /// Grounding goes on, after a search.
    pub fn resume(&mut self) {
        self.since = Instant::now();
    }

    /// The rules that the solver was given until now.
    pub fn rules(&self) -> u64 {
        self.costs.iter().map(|cost| cost.rules).sum()
    }

    /// A statement is at work; with the values of an instance, if it has found one.
    pub fn mark(&mut self, statement: usize, instance: Option<&[Symbol]>) -> ControlFlow<()> {
        let now = Instant::now();
        let of_last = &mut self.costs[self.current];
        of_last.grounding += now - self.since;
        of_last.rules += self.pending.len() as u64;
        of_last.literals += self.atoms.len() as u64;
        for &atom in &self.atoms {
            own(&mut self.owner, atom, self.current);
        }
        self.pending.clear();
        self.atoms.clear();
        (self.current, self.since) = (statement.min(self.costs.len() - 1), now);
        let (cost, at) = (&mut self.costs[self.current], now - self.began);
        cost.span = Some((cost.span.map_or(at, |(first, _)| first), at));
        if let Some(values) = instance {
            cost.tried += 1;
            cost.last.clear();
            cost.last.extend_from_slice(values);
        }
        self.flow()
    }

    /// Grounding has ended then. What clingo keeps for the end, such as choices and their bounds, is about atoms without a name: it
    /// belongs to the statement that had them first.
    pub fn end(&mut self, now: Instant, is_named: impl Fn(u32) -> bool) {
        let (last, rest) = (self.current, self.costs.len() - 1);
        self.costs[rest].grounding += now - self.pending.last().map_or(self.since, |pending| pending.at);
        // Whoever uses such an atom comes after the one who defines it.
        while let Some(Pending { end, at }) = self.pending.pop() {
            let (start, before) = self.pending.last().map_or((0, self.since), |pending| (pending.end, pending.at));
            let owner_of = |&atom: &u32| self.owner.get(atom as usize).copied().flatten().filter(|_| !is_named(atom));
            let statement = self.atoms[start..end].iter().find_map(owner_of).map_or(last, |owner| owner as usize);
            for &atom in &self.atoms[start..end] {
                own(&mut self.owner, atom, statement);
            }
            let cost = &mut self.costs[statement];
            cost.rules += 1;
            cost.literals += (end - start) as u64;
            cost.grounding += at - before;
        }
        self.atoms.clear();
        (self.current, self.since) = (rest, now);
    }

    /// The statement at work, and since when nothing was heard of it.
    pub fn at_work(&self) -> (usize, Duration) {
        (self.current, self.since.elapsed())
    }

    /// The costs of all statements until now, and of what belongs to none.
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
        self.pending.push(Pending { end: self.atoms.len(), at: Instant::now() });
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.stop.requested().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for Meter {
    fn note(&mut self, piece: Piece<'_>) -> ControlFlow<()> {
        match piece {
            Piece::Rule { head, body, .. } => self.note_rule(head, body.iter().copied()),
            Piece::WeightRule { head, body, .. } => self.note_rule(head, body.iter().map(|&(literal, _)| literal)),
            _ => {}
        }
        self.flow()
    }
}

/// An atom belongs to the first who has it.
fn own(owner: &mut Vec<Option<u32>>, atom: u32, statement: usize) {
    let atom = atom as usize;
    if atom >= owner.len() {
        owner.resize(atom + 1, None);
    }
    owner[atom].get_or_insert(statement as u32);
}
