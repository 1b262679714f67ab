//! Which search, with which heuristic.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::additive::Additive;
use super::automaton::Automaton;
use super::board::Board;
use super::linear_conflict::LinearConflict;
use super::manhattan::{self, Manhattan};
use super::shape::{Cells, Shape};
use super::space::{self, Sliding};
use super::tables::{self, Size, Source};
use super::{Engine, Options};
use crate::diagnostic::{Diagnostic, Failure};
use crate::job::Job;
use crate::puzzle::guided::{Guided, Heuristic};
use crate::puzzle::native;
use crate::search::{self, Conclusion, Cost, Limits, Searched, Visit};
use crate::stop::Reason;

/// A quicker means, on which a run spends so many nodes, over all its boards, before the next one is got ready.
struct Means {
    nodes: u64,
    spent: AtomicU64,
}

/// The Manhattan distance, before the small tables: a hundredth of a second, and they take a whole one.
static MANHATTAN: Means = Means { nodes: 2_000_000, spent: AtomicU64::new(0) };
/// Small tables, before large ones are built: as many seconds as that takes.
static SMALL_TABLES: Means = Means { nodes: 1 << 26, spent: AtomicU64::new(0) };

/// What was found, the name of the heuristic, and what there is to say besides.
type Solved = (Searched<u16>, &'static str, Vec<Diagnostic>);

/// The search that was asked for, on the board turned so that its free cell ends last.
pub fn solve(board: &Board, engine: Engine, job: &Job) -> Result<Solved, Failure> {
    let (board, turned) = board.turned();
    let mut solved = Task { board: &board, engine, job, limits: limits(job), all: None }.solve()?;
    if let Conclusion::Solved(plan) = &mut solved.0.outcome {
        plan.moves.iter_mut().for_each(|cell| *cell = turned[usize::from(*cell)]);
    }
    Ok(solved)
}

/// Shows all ways of the least cost, by the heuristic that has found the first.
pub fn all(
    board: &Board,
    engine: Engine,
    job: &Job,
    (cost, limits): (Cost, &Limits),
    visit: Visit<'_, u16>,
) -> Result<Searched<u16>, Failure> {
    let (board, turned) = board.turned();
    let mut visit = |cells: &[u16]| visit(&cells.iter().map(|&cell| turned[usize::from(cell)]).collect::<Vec<_>>());
    let visit: RefCell<Visit<'_, u16>> = RefCell::new(&mut visit);
    let task = Task { board: &board, engine, job, limits: limits.clone(), all: Some((cost, &visit)) };
    Ok(task.solve()?.0)
}

/// What the search may use: where nobody says how many cores, all of them.
pub fn limits(job: &Job) -> Limits {
    let mut limits = native::limits(job);
    if job.settings.threads.is_none() && !job.is_batch {
        limits.threads = std::thread::available_parallelism().map_or(1, usize::from);
    }
    limits
}

/// How long the sequences are that the automaton knows. Its building takes some hundredths of a second at most.
fn automaton(shape: Shape, is_plain: bool) -> Arc<Automaton> {
    let depth = match shape.cells() {
        _ if is_plain => 2,
        0..=9 => 8,
        10..=25 => 10,
        _ => 2,
    };
    Automaton::shared(shape, depth)
}

/// Whether a search looks at the heuristic. A constant, so that blind searches are compiled for one heuristic alone.
const INFORMED: bool = true;
const BLIND: bool = false;

/// A search, but for its heuristic.
#[derive(Clone)]
struct Task<'a> {
    board: &'a Board,
    engine: Engine,
    job: &'a Job,
    limits: Limits,
    /// Where all ways are wanted: what they cost, and who takes them.
    all: Option<(Cost, &'a RefCell<Visit<'a, u16>>)>,
}

impl Task<'_> {
    fn solve(&self) -> Result<Solved, Failure> {
        let shape = self.board.shape;
        let (heuristic, quick) = (self.job.options::<Guided>().heuristic(), self.job.options::<Options>().quick);
        let is_blind = matches!(self.engine, Engine::Bfs | Engine::Ids);
        // The automaton lets one of several equal ways pass.
        let is_plain = heuristic != Heuristic::Auto || is_blind || self.all.is_some();
        let automaton = automaton(shape, is_plain);
        let has_tables = tables::exist_for(shape);
        let (searched, name) = match heuristic {
            _ if is_blind => (self.run::<BLIND, _>(&Manhattan::new(shape), &automaton), "manhattan"),
            Heuristic::Pdb if !has_tables => {
                let (rows, columns) = (shape.rows, shape.columns);
                let text = format!("--heuristic pdb: there are no tables for {rows} rows and {columns} columns");
                return Err(Diagnostic::error(text).help("linear-conflict is for any board").into());
            }
            Heuristic::Auto if !has_tables || quick => {
                (self.run::<INFORMED, _>(&LinearConflict::new(shape), &automaton), "linear-conflict")
            }
            Heuristic::LinearConflict => {
                (self.run::<INFORMED, _>(&LinearConflict::new(shape), &automaton), "linear-conflict")
            }
            Heuristic::Auto if shape.cells() > 9 => return Ok(self.with_tables(&automaton)),
            Heuristic::Pdb => return Ok(self.with_tables(&automaton)),
            _ => (self.run::<INFORMED, _>(&Manhattan::new(shape), &automaton), "manhattan"),
        };
        Ok((searched, name, Vec::new()))
    }

    /// Quicker means first, as long as they may last.
    fn with_tables(&self, automaton: &Automaton) -> Solved {
        let Task { job, .. } = *self;
        let Options { tables: asked, quick, .. } = *job.options::<Options>();
        let heuristic = job.options::<Guided>().heuristic();
        let (shape, cache, memory, is_batch) = (self.board.shape, &job.cache, job.limits.memory, job.is_batch);
        let mut source = Source { cache, stop: &job.stop, memory, is_batch, warnings: Vec::new() };
        let (is_deepening, is_first) = (self.engine == Engine::Idastar && !quick, self.all.is_none());
        let sizes = [Size::Large, asked];
        let loaded = sizes.into_iter().find(|&size| tables::loaded(shape, size).is_some());
        let kept = || sizes.into_iter().find(|&size| tables::are_kept(shape, size, cache));
        let kept = if loaded.is_none() { kept() } else { None };
        let mut size = loaded.or(kept).unwrap_or(asked);
        let mut may_grow = is_first && size != Size::Large && is_deepening && tables::are_larger(shape);
        let mut whole = Searched {
            outcome: Conclusion::GaveUp(Reason::MemoryLimit),
            lower_bound: manhattan::distance(shape, &self.board.tiles),
            work: search::Work::default(),
        };
        // A batch maps what was kept in a moment, and is often one of many processes, each with few boards.
        let is_at_hand = loaded.is_some() || is_batch && kept.is_some();
        if heuristic == Heuristic::Auto
            && is_deepening
            && !is_at_hand
            && self.concludes(&mut whole, is_first.then_some(&MANHATTAN), |task| {
                let limits = Limits { threads: 1, ..task.limits.clone() };
                Task { limits, ..task.clone() }.run::<INFORMED, _>(&Manhattan::new(shape), automaton)
            })
        {
            return (whole, "manhattan", Vec::new());
        }
        loop {
            let Some(databases) = tables::load(shape, size, &mut source) else {
                let reason = job.stop.requested().unwrap_or(Reason::MemoryLimit);
                if reason == Reason::MemoryLimit && size != asked {
                    (size, may_grow) = (asked, false);
                    continue;
                }
                whole.outcome = Conclusion::GaveUp(reason);
                return (whole, "pdb", source.warnings);
            };
            let before = whole.work.generated();
            let concluded = self.concludes(&mut whole, may_grow.then_some(&SMALL_TABLES), |task| match &*databases {
                [view] => task.run_packed::<INFORMED, _>(&Additive { shape, views: [view] }, automaton),
                [view, other, ..] => {
                    task.run_packed::<INFORMED, _>(&Additive { shape, views: [view, other] }, automaton)
                }
                [] => unreachable!("a board is seen from somewhere"),
            });
            tables::searched(shape, size, whole.work.generated() - before, &mut source);
            if concluded {
                return (whole, "pdb", source.warnings);
            }
            (size, may_grow) = (Size::Large, false);
        }
    }

    /// Searches with what is left of a means, or as far as the limits go, and adds it to what was done before; whether that
    /// concludes it.
    fn concludes(
        &self,
        whole: &mut Searched<u16>,
        means: Option<&Means>,
        run: impl FnOnce(&Self) -> Searched<u16>,
    ) -> bool {
        let allowed = self.limits.after(&whole.work);
        let left = means.map(|means| means.nodes.saturating_sub(means.spent.load(Ordering::Relaxed)));
        let limits = left.map_or_else(|| allowed.clone(), |left| allowed.within(left));
        let is_all = limits.nodes == allowed.nodes;
        let searched = run(&Task { limits, ..self.clone() });
        if let Some(means) = means {
            means.spent.fetch_add(searched.work.expanded(), Ordering::Relaxed);
        }
        *whole = searched.after(whole);
        whole.outcome != Conclusion::GaveUp(Reason::NodeLimit) || is_all
    }

    fn run<const IS_INFORMED: bool, H: space::Heuristic>(&self, heuristic: &H, automaton: &Automaton) -> Searched<u16> {
        match self.board.shape.cells() {
            0..=25 => self.run_packed::<IS_INFORMED, H>(heuristic, automaton),
            _ => self.run_on::<Box<[u16]>, IS_INFORMED, H>(heuristic, automaton),
        }
    }

    /// Searches with boards packed in a word. Boards that have tables fit one.
    fn run_packed<const IS_INFORMED: bool, H: space::Heuristic>(
        &self,
        heuristic: &H,
        automaton: &Automaton,
    ) -> Searched<u16> {
        match self.board.shape.cells() {
            0..=16 => self.run_on::<u64, IS_INFORMED, H>(heuristic, automaton),
            17..=25 => self.run_on::<u128, IS_INFORMED, H>(heuristic, automaton),
            cells => unreachable!("{cells} cells do not fit a word"),
        }
    }

    fn run_on<C: Cells, const IS_INFORMED: bool, H: space::Heuristic>(
        &self,
        heuristic: &H,
        automaton: &Automaton,
    ) -> Searched<u16> {
        let space: Sliding<'_, C, H> = Sliding::new(self.board.shape, &self.board.tiles, heuristic, automaton);
        match self.all {
            Some((cost, visit)) => search::all(&space, cost, &self.limits, &mut |_, _| Ok(true), *visit.borrow_mut()),
            None if !IS_INFORMED => self.engine.blind(&space, &self.limits),
            None if self.job.options::<Options>().quick => search::quick(&space, &self.limits),
            None => self.engine.informed(&space, &self.limits),
        }
    }
}
