//! Which search, with which heuristic.

use std::sync::Arc;

use super::additive::{Sum, is_symmetric};
use super::automaton::Automaton;
use super::board::Board;
use super::direct::Lookup;
use super::linear_conflict::LinearConflict;
use super::manhattan::Manhattan;
use super::shape::{Cells, Shape};
use super::space::{self, Sliding};
use super::tables::{self, Databases, Source};
use super::walking_distance::WalkingDistance;
use super::{Engine, Heuristic, Options};
use crate::diagnostic::{Diagnostic, Failure};
use crate::puzzle::{Query, native};
use crate::search::{self, Conclusion, Limits, Searched};
use crate::stop::Reason;

/// Nodes of a search with the Manhattan distance that is tried before tables are read or built: a tenth of a second.
const BEFORE_TABLES: u64 = 2_000_000;

/// What was found, the name of the heuristic, and what there is to say besides.
type Solved = (Searched<u16>, &'static str, Vec<Diagnostic>);

/// The search that was asked for, on the board turned so that its free cell ends last.
pub fn solve(board: &Board, engine: Engine, query: &Query<'_, Options>) -> Result<Solved, Failure> {
    let (board, turned) = board.turned();
    let mut solved = match board.shape.cells() {
        0..=16 => with_cells::<u64>(&board, engine, query),
        17..=25 => with_cells::<u128>(&board, engine, query),
        _ => with_cells::<Box<[u16]>>(&board, engine, query),
    }?;
    if let Conclusion::Solved(plan) = &mut solved.0.outcome {
        for cell in &mut plan.moves {
            *cell = turned[usize::from(*cell)];
        }
    }
    Ok(solved)
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

fn with_cells<C: Cells>(board: &Board, engine: Engine, query: &Query<'_, Options>) -> Result<Solved, Failure> {
    let shape = board.shape;
    let mut limits = native::limits(query.request, query.stop);
    if query.request.settings.threads.is_none() && !query.request.is_batch {
        limits.threads = std::thread::available_parallelism().map_or(1, usize::from);
    }
    let is_blind = matches!(engine, Engine::Bfs | Engine::Ids);
    let search = Choice::<C> { board, engine, limits, quick: query.options.quick, of: std::marker::PhantomData };
    let chosen = match query.options.heuristic {
        Heuristic::Auto if is_blind => Heuristic::Manhattan,
        Heuristic::Auto if !tables::exist_for(shape) || query.options.quick => Heuristic::LinearConflict,
        Heuristic::Auto if shape.cells() <= 9 => Heuristic::Manhattan,
        Heuristic::Auto => Heuristic::Pdb,
        chosen => chosen,
    };
    let is_plain = query.options.heuristic != Heuristic::Auto || is_blind;
    let refused = |what: &str| {
        let text =
            format!("--heuristic {what}: there are no tables for {} rows and {} columns", shape.rows, shape.columns);
        Failure::from(Diagnostic::error(text).help("linear-conflict is for any board"))
    };
    let automaton = automaton(shape, is_plain);
    let solved = match chosen {
        Heuristic::Manhattan | Heuristic::Auto => (search.run(&Manhattan::new(shape), &automaton), "manhattan"),
        Heuristic::LinearConflict => (search.run(&LinearConflict::new(shape), &automaton), "linear-conflict"),
        Heuristic::WalkingDistance => {
            let distance = WalkingDistance::new(shape).ok_or_else(|| refused("walking-distance"))?;
            (search.run(&distance, &automaton), "walking-distance")
        }
        Heuristic::Pdb if !tables::exist_for(shape) => return Err(refused("pdb")),
        Heuristic::Pdb => return Ok(with_tables(&search, &automaton, query)),
    };
    Ok((solved.0, solved.1, Vec::new()))
}

fn with_tables<C: Cells>(search: &Choice<'_, C>, automaton: &Automaton, query: &Query<'_, Options>) -> Solved {
    let (shape, size) = (search.board.shape, query.options.tables);
    let (request, stop) = (query.request, query.stop);
    let mut source = Source { cache: &request.cache, stop, is_batch: request.is_batch, warnings: Vec::new() };
    let mut first = None;
    if query.options.heuristic == Heuristic::Auto
        && search.engine == Engine::Idastar
        && tables::loaded(shape, size).is_none()
    {
        let nodes = Some(search.limits.nodes.map_or(BEFORE_TABLES, |nodes| nodes.min(BEFORE_TABLES)));
        let easy = Choice { limits: Limits { nodes, threads: 1, ..search.limits.clone() }, ..*search };
        let searched = easy.run(&Manhattan::new(shape), automaton);
        if searched.outcome != Conclusion::GaveUp(Reason::NodeLimit)
            || search.limits.nodes <= Some(BEFORE_TABLES) && search.limits.nodes.is_some()
        {
            return (searched, "manhattan", Vec::new());
        }
        first = Some(searched);
    }
    let Some(databases) = tables::load(shape, size, &mut source) else {
        let reason = query.stop.requested().unwrap_or(Reason::MemoryLimit);
        let gave_up = first.unwrap_or_else(|| Searched {
            outcome: Conclusion::GaveUp(reason),
            lower_bound: Manhattan::new(shape).sum(&search.board.tiles),
            work: search::Work::default(),
        });
        return (Searched { outcome: Conclusion::GaveUp(reason), ..gave_up }, "pdb", source.warnings);
    };
    let searched = match (databases, is_symmetric(shape)) {
        (Databases::Direct(tables), true) => search.run(&Lookup::<2>(&tables), automaton),
        (Databases::Direct(tables), false) => search.run(&Lookup::<1>(&tables), automaton),
        // The cells of 15 tiles fit 64 bits; those of 24 need 120.
        (Databases::Additive(sum), true) if shape.cells() <= 16 => search.run(&Sum::<u64, 2>::new(&sum), automaton),
        (Databases::Additive(sum), false) if shape.cells() <= 16 => search.run(&Sum::<u64, 1>::new(&sum), automaton),
        (Databases::Additive(sum), true) => search.run(&Sum::<u128, 2>::new(&sum), automaton),
        (Databases::Additive(sum), false) => search.run(&Sum::<u128, 1>::new(&sum), automaton),
    };
    tables::searched(shape, size, searched.work.generated(), &mut source);
    (searched, "pdb", source.warnings)
}

/// All of a search but the heuristic.
struct Choice<'a, C> {
    board: &'a Board,
    engine: Engine,
    limits: Limits,
    quick: bool,
    of: std::marker::PhantomData<C>,
}

impl<C: Cells> Choice<'_, C> {
    fn run<H: space::Heuristic>(&self, heuristic: &H, automaton: &Automaton) -> Searched<u16> {
        let space: Sliding<'_, C, H> = Sliding::new(self.board.shape, &self.board.tiles, heuristic, automaton);
        match self.engine {
            _ if self.quick => search::quick(&space, &self.limits),
            Engine::Bfs => search::bfs(&space, &self.limits),
            Engine::Ids => search::ids(&space, &self.limits),
            Engine::Astar => search::astar(&space, &self.limits),
            _ => search::idastar(&space, &self.limits),
        }
    }
}
