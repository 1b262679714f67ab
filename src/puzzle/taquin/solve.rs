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
use super::{Engine, Heuristic, Options};
use crate::diagnostic::{Diagnostic, Failure};
use crate::job::Job;
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
    let mut solved = with_limits(&board, engine, job, limits(job), None)?;
    if let Conclusion::Solved(plan) = &mut solved.0.outcome {
        for cell in &mut plan.moves {
            *cell = turned[usize::from(*cell)];
        }
    }
    Ok(solved)
}

/// What is to be found where it is not one way: all that cost so much, and who takes them.
#[derive(Clone, Copy)]
struct All<'a> {
    cost: Cost,
    visit: &'a RefCell<Visit<'a, u16>>,
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
    let mut visit = |cells: &[u16]| {
        let cells: Vec<u16> = cells.iter().map(|&cell| turned[usize::from(cell)]).collect();
        visit(&cells)
    };
    let all = All { cost, visit: &RefCell::new(&mut visit) };
    Ok(with_limits(&board, engine, job, limits.clone(), Some(all))?.0)
}

/// What the search may use: where nobody says how many cores, all of them.
pub fn limits(job: &Job) -> Limits {
    let mut limits = native::limits(job);
    if job.settings.threads.is_none() && !job.is_batch {
        limits.threads = std::thread::available_parallelism().map_or(1, usize::from);
    }
    limits
}

fn with_limits<'a>(
    board: &'a Board,
    engine: Engine,
    job: &Job,
    limits: Limits,
    all: Option<All<'a>>,
) -> Result<Solved, Failure> {
    match board.shape.cells() {
        0..=16 => with_cells::<u64>(board, engine, job, limits, all),
        17..=25 => with_cells::<u128>(board, engine, job, limits, all),
        _ => with_cells::<Box<[u16]>>(board, engine, job, limits, all),
    }
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

fn with_cells<'a, C: Cells>(
    board: &'a Board,
    engine: Engine,
    job: &Job,
    limits: Limits,
    all: Option<All<'a>>,
) -> Result<Solved, Failure> {
    let shape = board.shape;
    let is_blind = matches!(engine, Engine::Bfs | Engine::Ids);
    let search =
        Choice::<C> { board, engine, limits, all, quick: job.options::<Options>().quick, of: std::marker::PhantomData };
    let chosen = match job.options::<Options>().heuristic {
        Heuristic::Auto if is_blind => Heuristic::Manhattan,
        Heuristic::Auto if !tables::exist_for(shape) || job.options::<Options>().quick => Heuristic::LinearConflict,
        Heuristic::Auto if shape.cells() <= 9 => Heuristic::Manhattan,
        Heuristic::Auto => Heuristic::Pdb,
        chosen => chosen,
    };
    // The automaton lets one of several equal ways pass.
    let is_plain = job.options::<Options>().heuristic != Heuristic::Auto || is_blind || all.is_some();
    let automaton = automaton(shape, is_plain);
    let solved = match chosen {
        Heuristic::Manhattan | Heuristic::Auto => (search.run(&Manhattan::new(shape), &automaton), "manhattan"),
        Heuristic::LinearConflict => (search.run(&LinearConflict::new(shape), &automaton), "linear-conflict"),
        Heuristic::Pdb if !tables::exist_for(shape) => {
            let text =
                format!("--heuristic pdb: there are no tables for {} rows and {} columns", shape.rows, shape.columns);
            return Err(Diagnostic::error(text).help("linear-conflict is for any board").into());
        }
        Heuristic::Pdb => return Ok(with_tables(&search, &automaton, job)),
    };
    Ok((solved.0, solved.1, Vec::new()))
}

/// Quicker means first, as long as they may last.
fn with_tables<C: Cells>(search: &Choice<'_, C>, automaton: &Automaton, job: &Job) -> Solved {
    let (shape, asked) = (search.board.shape, job.options::<Options>().tables);
    let (request, stop) = (job, &job.stop);
    let (cache, memory, is_batch) = (&request.cache, job.limits.memory, request.is_batch);
    let mut source = Source { cache, stop, memory, is_batch, warnings: Vec::new() };
    let is_deepening = search.engine == Engine::Idastar && !search.quick;
    let sizes = [Size::Large, asked];
    let loaded = sizes.into_iter().find(|&size| tables::loaded(shape, size).is_some());
    let kept = || sizes.into_iter().find(|&size| tables::are_kept(shape, size, cache));
    let kept = if loaded.is_none() { kept() } else { None };
    let mut size = loaded.or(kept).unwrap_or(asked);
    let is_first = search.all.is_none();
    let mut may_grow = is_first && size != Size::Large && is_deepening && tables::are_larger(shape);
    let mut whole = Searched {
        outcome: Conclusion::GaveUp(Reason::MemoryLimit),
        lower_bound: manhattan::distance(shape, &search.board.tiles),
        work: search::Work::default(),
    };
    // A batch maps what was kept in a moment, and is often one of many processes, each with few boards.
    let is_at_hand = loaded.is_some() || is_batch && kept.is_some();
    if job.options::<Options>().heuristic == Heuristic::Auto
        && is_deepening
        && !is_at_hand
        && search.concludes(&mut whole, is_first.then_some(&MANHATTAN), |search| {
            let limits = Limits { threads: 1, ..search.limits.clone() };
            Choice { limits, ..*search }.run(&Manhattan::new(shape), automaton)
        })
    {
        return (whole, "manhattan", Vec::new());
    }
    loop {
        let Some(databases) = tables::load(shape, size, &mut source) else {
            let reason = stop.requested().unwrap_or(Reason::MemoryLimit);
            if reason == Reason::MemoryLimit && size != asked {
                (size, may_grow) = (asked, false);
                continue;
            }
            whole.outcome = Conclusion::GaveUp(reason);
            return (whole, "pdb", source.warnings);
        };
        let run = |search: &Choice<'_, C>| match &*databases {
            [view] => search.run(&Additive { shape, views: [view] }, automaton),
            [view, other, ..] => search.run(&Additive { shape, views: [view, other] }, automaton),
            [] => unreachable!("a board is seen from somewhere"),
        };
        let before = whole.work.generated();
        let concluded = search.concludes(&mut whole, may_grow.then_some(&SMALL_TABLES), run);
        tables::searched(shape, size, whole.work.generated() - before, &mut source);
        if concluded {
            return (whole, "pdb", source.warnings);
        }
        (size, may_grow) = (Size::Large, false);
    }
}

/// All of a search but the heuristic.
struct Choice<'a, C> {
    board: &'a Board,
    engine: Engine,
    limits: Limits,
    all: Option<All<'a>>,
    quick: bool,
    of: std::marker::PhantomData<C>,
}

impl<C: Cells> Choice<'_, C> {
    fn run<H: space::Heuristic>(&self, heuristic: &H, automaton: &Automaton) -> Searched<u16> {
        let space: Sliding<'_, C, H> = Sliding::new(self.board.shape, &self.board.tiles, heuristic, automaton);
        if let Some(All { cost, visit }) = self.all {
            return search::all(&space, cost, &self.limits, &mut |_, _| Ok(true), *visit.borrow_mut());
        }
        match self.engine {
            _ if self.quick => search::quick(&space, &self.limits),
            Engine::Bfs => search::bfs(&space, &self.limits),
            Engine::Ids => search::ids(&space, &self.limits),
            Engine::Astar => search::astar(&space, &self.limits),
            _ => search::idastar(&space, &self.limits),
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
        let allowed = self.limits.nodes.map(|nodes| nodes.saturating_sub(whole.work.expanded()));
        let left = means.map(|means| means.nodes.saturating_sub(means.spent.load(Ordering::Relaxed)));
        let nodes = left.into_iter().chain(allowed).min();
        let mut searched = run(&Choice { limits: Limits { nodes, ..self.limits.clone() }, ..*self });
        if let Some(means) = means {
            means.spent.fetch_add(searched.work.expanded(), Ordering::Relaxed);
        }
        let spent = std::mem::take(&mut whole.work.iterations);
        searched.work.iterations.splice(0..0, spent);
        searched.lower_bound = searched.lower_bound.max(whole.lower_bound);
        *whole = searched;
        whole.outcome != Conclusion::GaveUp(Reason::NodeLimit) || nodes == allowed
    }
}
