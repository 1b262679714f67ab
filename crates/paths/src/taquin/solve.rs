//! The choice of search and heuristic.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::StopReason;
use puzzle::job::Job;
use puzzle::native;
use statespace::search::{self, Cost, Ladder, Limits, Outcome, PlanVisitor, SearchResult};

use super::additive::Additive;
use super::automaton::Automaton;
use super::board::Board;
use super::linear_conflict::LinearConflict;
use super::manhattan::{self, Manhattan};
use super::options::{Options, TaquinEngine, TaquinHeuristic, heuristic_of};
use super::shape::{Cells, Shape};
use super::space::{self, Sliding};
use super::tables::{self, Size, Source};

/// The node budget of a stage with a cheaper heuristic, shared by all boards of a batch. When it is
/// spent, the next stage is loaded.
struct Stage {
    nodes: u64,
    spent: AtomicU64,
}

/// The stage with the Manhattan distance, before small tables are loaded. It takes a hundredth of a
/// second, and loading the tables a whole one.
static MANHATTAN: Stage = Stage { nodes: 2_000_000, spent: AtomicU64::new(0) };
/// The stage with small tables, before large ones are built. It takes about as long as their
/// construction.
static SMALL_TABLES: Stage = Stage { nodes: 1 << 26, spent: AtomicU64::new(0) };

/// The result, the name of the heuristic, and warnings.
type TaskResult = (SearchResult<u16>, &'static str, Vec<Diagnostic>);

/// Runs the requested search on the board as reflected by [`Board::normalised`].
pub fn solve(board: &Board, engine: TaquinEngine, job: &Job) -> Result<TaskResult, Failure> {
    let (board, image) = board.normalised();
    let mut solved = Task { board: &board, engine, job, limits: limits(job), all: None }.solve()?;
    if let Outcome::Solved(plan) = &mut solved.0.outcome {
        for cell in &mut plan.moves {
            *cell = image[usize::from(*cell)];
        }
    }
    Ok(solved)
}

/// Passes all solutions of the least cost to `visit`, using the heuristic that found the first.
pub fn all(
    board: &Board,
    engine: TaquinEngine,
    job: &Job,
    (cost, limits): (Cost, &Limits),
    visit: PlanVisitor<'_, u16>,
) -> Result<SearchResult<u16>, Failure> {
    let (board, image) = board.normalised();
    let mut visit = |cells: &[u16]| visit(&cells.iter().map(|&cell| image[usize::from(cell)]).collect::<Vec<_>>());
    let visit: RefCell<PlanVisitor<'_, u16>> = RefCell::new(&mut visit);
    let task = Task { board: &board, engine, job, limits: limits.clone(), all: Some((cost, &visit)) };
    Ok(task.solve()?.0)
}

/// The limits of the search. By default a search uses all cores, except in a batch.
pub fn limits(job: &Job) -> Limits {
    let mut limits = native::limits(job);
    if job.engine.settings.threads.is_none() && !job.is_batch {
        limits.threads = std::thread::available_parallelism().map_or(1, usize::from);
    }
    limits
}

/// Returns the automaton for a frame. The depth is limited so that building it takes at most some
/// hundredths of a second.
fn automaton(shape: Shape, is_plain: bool) -> Arc<Automaton> {
    let depth = match shape.cells() {
        _ if is_plain => 2,
        0..=9 => 8,
        10..=25 => 10,
        _ => 2,
    };
    Automaton::shared(shape, depth)
}

/// The values of `IS_INFORMED`: whether a search uses the heuristic. It is a constant parameter, so
/// that blind searches are compiled for one heuristic only.
const INFORMED: bool = true;
const BLIND: bool = false;

/// The parameters of a search, except for its heuristic.
#[derive(Clone)]
struct Task<'a> {
    board: &'a Board,
    engine: TaquinEngine,
    job: &'a Job,
    limits: Limits,
    /// If all solutions are to be enumerated, their cost and the receiver.
    all: Option<(Cost, &'a RefCell<PlanVisitor<'a, u16>>)>,
}

impl Task<'_> {
    fn solve(&self) -> Result<TaskResult, Failure> {
        let shape = self.board.shape;
        let heuristic = heuristic_of(self.job)?;
        let quick = self.job.options::<Options>().quick;
        let is_blind = matches!(self.engine, TaquinEngine::Bfs | TaquinEngine::Ids);
        // A longer automaton keeps only one of several equivalent paths.
        let is_plain = heuristic != TaquinHeuristic::Auto || is_blind || self.all.is_some();
        let automaton = automaton(shape, is_plain);
        let has_tables = tables::exist_for(shape);
        let (searched, name) = match heuristic {
            _ if is_blind => (self.run::<BLIND, _>(&Manhattan::new(shape), &automaton), "manhattan"),
            TaquinHeuristic::Pdb if !has_tables => {
                let (rows, columns) = (shape.rows, shape.columns);
                let text = format!("--heuristic pdb: there are no tables for {rows} rows and {columns} columns");
                return Err(Diagnostic::error(Code::Usage, text).help("linear-conflict works on any board").into());
            }
            TaquinHeuristic::Auto if !has_tables || quick => {
                (self.run::<INFORMED, _>(&LinearConflict::new(shape), &automaton), "linear-conflict")
            }
            TaquinHeuristic::LinearConflict => {
                (self.run::<INFORMED, _>(&LinearConflict::new(shape), &automaton), "linear-conflict")
            }
            TaquinHeuristic::Auto if shape.cells() > 9 => return Ok(self.with_tables(heuristic, &automaton)),
            TaquinHeuristic::Pdb => return Ok(self.with_tables(heuristic, &automaton)),
            _ => (self.run::<INFORMED, _>(&Manhattan::new(shape), &automaton), "manhattan"),
        };
        Ok((searched, name, Vec::new()))
    }

    /// Searches with pattern databases, after cheaper stages with limited nodes.
    fn with_tables(&self, heuristic: TaquinHeuristic, automaton: &Automaton) -> TaskResult {
        let Task { job, .. } = *self;
        let Options { tables, quick, .. } = *job.options::<Options>();
        let requested = tables.unwrap_or_default();
        let shape = self.board.shape;
        let cache = &job.engine.cache;
        let memory = job.engine.limits.memory;
        let is_batch = job.is_batch;
        let mut source = Source { cache, stop: &job.stop, memory, is_batch, warnings: Vec::new() };
        let is_deepening = self.engine == TaquinEngine::Idastar && !quick;
        let is_first = self.all.is_none();
        let sizes = [Size::Large, requested];
        let loaded = sizes.into_iter().find(|&size| tables::loaded(shape, size).is_some());
        let cached = || sizes.into_iter().find(|&size| tables::are_cached(shape, size, cache));
        let cached = if loaded.is_none() { cached() } else { None };
        let mut size = loaded.or(cached).unwrap_or(requested);
        let mut may_grow = is_first && size != Size::Large && is_deepening && tables::large_differ(shape);
        let lower_bound = manhattan::distance(shape, &self.board.tiles);
        let mut ladder = Ladder::new(&self.limits, lower_bound, &[StopReason::NodeLimit]);
        // A batch maps a cached table into memory in a moment, and is often one of many processes
        // with few boards each.
        let is_quick_to_load = loaded.is_some() || is_batch && cached.is_some();
        if heuristic == TaquinHeuristic::Auto && is_deepening && !is_quick_to_load {
            self.run_stage(&mut ladder, is_first.then_some(&MANHATTAN), |task| {
                let limits = Limits { threads: 1, ..task.limits.clone() };
                Task { limits, ..task.clone() }.run::<INFORMED, _>(&Manhattan::new(shape), automaton)
            });
            if !ladder.is_open() {
                return (ladder.result, "manhattan", Vec::new());
            }
        }
        while ladder.is_open() {
            let Some(databases) = tables::load(shape, size, &mut source) else {
                let reason = job.stop.requested().unwrap_or(StopReason::MemoryLimit);
                if reason == StopReason::MemoryLimit && size != requested {
                    (size, may_grow) = (requested, false);
                    continue;
                }
                ladder.result.outcome = Outcome::GaveUp(reason);
                break;
            };
            let before = ladder.result.stats.generated();
            self.run_stage(&mut ladder, may_grow.then_some(&SMALL_TABLES), |task| match &*databases {
                [pdbs] => task.run_packed::<INFORMED, _>(&Additive { shape, pdb_sets: [pdbs] }, automaton),
                [pdbs, other, ..] => {
                    task.run_packed::<INFORMED, _>(&Additive { shape, pdb_sets: [pdbs, other] }, automaton)
                }
                [] => unreachable!("a board is seen from somewhere"),
            });
            tables::record_search(shape, size, ladder.result.stats.generated() - before, &mut source);
            (size, may_grow) = (Size::Large, false);
        }
        (ladder.result, "pdb", source.warnings)
    }

    /// Searches with the remaining nodes of `stage`, or up to the limits if there is no stage.
    fn run_stage(
        &self,
        ladder: &mut Ladder<'_, u16>,
        stage: Option<&Stage>,
        run: impl FnOnce(&Self) -> SearchResult<u16>,
    ) {
        let nodes = stage.map_or(u64::MAX, |stage| stage.nodes.saturating_sub(stage.spent.load(Ordering::Relaxed)));
        let expanded = ladder.stage(nodes, |limits| run(&Task { limits: limits.clone(), ..self.clone() }));
        if let Some(stage) = stage {
            stage.spent.fetch_add(expanded, Ordering::Relaxed);
        }
    }

    fn run<const IS_INFORMED: bool, H: space::Heuristic>(
        &self,
        heuristic: &H,
        automaton: &Automaton,
    ) -> SearchResult<u16> {
        match self.board.shape.cells() {
            0..=25 => self.run_packed::<IS_INFORMED, H>(heuristic, automaton),
            _ => self.run_on::<Box<[u16]>, IS_INFORMED, H>(heuristic, automaton),
        }
    }

    /// Searches boards packed into a word. All boards that have tables fit.
    fn run_packed<const IS_INFORMED: bool, H: space::Heuristic>(
        &self,
        heuristic: &H,
        automaton: &Automaton,
    ) -> SearchResult<u16> {
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
    ) -> SearchResult<u16> {
        let space: Sliding<'_, C, H> = Sliding::new(self.board.shape, &self.board.tiles, heuristic, automaton);
        match self.all {
            Some((cost, visit)) => {
                search::all_optimal_plans(&space, cost, &self.limits, &mut |_, _| Ok(true), *visit.borrow_mut())
            }
            None if !IS_INFORMED => match self.engine {
                TaquinEngine::Bfs => search::bfs(&space, &self.limits),
                _ => search::ids(&space, &self.limits),
            },
            None if self.job.options::<Options>().quick => search::weighted_astar(&space, &self.limits),
            None => match self.engine {
                TaquinEngine::Astar => search::astar(&space, &self.limits),
                _ => search::idastar(&space, &self.limits),
            },
        }
    }
}
