//! Selection of heuristics and engines for games.

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::{SearchEnd, Verdict};
use base::stop::{CancelToken, StopReason};
use clap::ValueEnum;
use puzzle::AnswerSink;
use puzzle::heuristic::heuristic_among;
use puzzle::job::Job;
use puzzle::native::{self, PathProof};
use puzzle::one_player::Plan;
use statespace::planning::{Heuristic, HeuristicFn, Maximum, PackedSpace, Reduction, SearchTask, WithSpace};
use statespace::search::{self, Cost, Ladder, Limits, Outcome, PlanVisitor, SearchResult, StateGraph, UNREACHABLE};

use self::GameHeuristic as Named;
use super::board::PlanningBoard;

/// Node limit of the first, blind stage, which suffices for most games.
const BLIND_NODES: u64 = 100_000;
/// A step that begins with a walk takes as long as this number of moves.
const WALK_FACTOR: u64 = 8;
/// Node limit of bidirectional search, and of the stage with potential heuristics.
const CHEAP_NODES: u64 = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlanningEngine {
    Astar,
    Bidirectional,
    Idastar,
    Bfs,
    Asp,
}

/// The heuristics that every game supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum GameHeuristic {
    /// The best one for the board
    #[default]
    Auto,
    /// Games: no heuristic
    Blind,
    /// Games: h-max
    Hmax,
    /// Games: landmark cut
    Lmcut,
    /// Pattern databases
    Pdb,
    /// Games: potential heuristics
    Potentials,
    /// Games: matching of tokens and goals
    Tokens,
}

/// The heuristic that the job names.
pub fn heuristic_of(job: &Job) -> Result<GameHeuristic, Failure> {
    heuristic_among("a game", job)
}

/// Finds one optimal plan.
struct BestPlan<'a> {
    engine: PlanningEngine,
    limits: &'a Limits,
}

impl WithSpace for BestPlan<'_> {
    type Output = SearchResult<u32>;

    fn run<const W: usize>(self, space: PackedSpace<'_, W>) -> SearchResult<u32> {
        let mut searched = match self.engine {
            PlanningEngine::Bidirectional => search::bidirectional_bfs(&space, &space.backwards(), self.limits),
            PlanningEngine::Bfs => search::bfs(&space, self.limits),
            PlanningEngine::Idastar => search::idastar(&space, self.limits),
            _ => search::astar(&space, self.limits),
        };
        if let Outcome::Solved(plan) = searched.outcome {
            searched.outcome = Outcome::Solved(space.unfold(plan));
        }
        searched
    }
}

/// Visits all plans of a given cost.
struct AllPlans<'a, 'v> {
    cost: Cost,
    limits: &'a Limits,
    visit: PlanVisitor<'v, u32>,
}

impl WithSpace for AllPlans<'_, '_> {
    type Output = SearchResult<u32>;

    fn run<const W: usize>(self, space: PackedSpace<'_, W>) -> SearchResult<u32> {
        search::all_optimal_plans(&space, self.cost, self.limits, &mut |_, _| Ok(true), self.visit)
    }
}

/// Chooses the heuristic with the largest estimate at the start, or the fastest of equals; LM-cut
/// must be more than twice as large. Tokens recognise dead ends, so another heuristic is added to
/// them.
fn best_heuristic<'a>(
    prepared: &'a SearchTask,
    tokens: Box<dyn HeuristicFn + 'a>,
    potentials: Box<dyn HeuristicFn + 'a>,
    stop: &CancelToken,
) -> Box<dyn HeuristicFn + 'a> {
    let at_start = |estimates: &dyn HeuristicFn| estimates.estimate(prepared.start());
    let patterns = Heuristic::Patterns.build(prepared, stop);
    let best = if at_start(&*potentials) >= at_start(&*patterns) { potentials } else { patterns };
    if at_start(&*tokens) > 0 {
        return if at_start(&*best) > at_start(&*tokens) { Box::new(Maximum(tokens, best)) } else { tokens };
    }
    let slow = Heuristic::Lmcut.build(prepared, stop);
    // Evaluating LM-cut takes a hundred times as long as a table lookup.
    let is_better = at_start(&*slow) != UNREACHABLE && at_start(&*slow) > at_start(&*best).saturating_mul(2);
    if is_better { slow } else { best }
}

/// Builds the named heuristic.
pub fn heuristic_named<'a>(prepared: &'a SearchTask, named: Named, stop: &CancelToken) -> Box<dyn HeuristicFn + 'a> {
    let heuristic = match named {
        Named::Blind => Heuristic::Blind,
        Named::Hmax => Heuristic::Hmax,
        Named::Lmcut => Heuristic::Lmcut,
        Named::Pdb => Heuristic::Patterns,
        Named::Potentials => Heuristic::Potentials,
        Named::Tokens => Heuristic::Tokens,
        Named::Auto => {
            let [tokens, potentials] =
                [Heuristic::Tokens, Heuristic::Potentials].map(|heuristic| heuristic.build(prepared, stop));
            return best_heuristic(prepared, tokens, potentials, stop);
        }
    };
    heuristic.build(prepared, stop)
}

/// Finds an optimal plan or all optimal plans, by the engine and the heuristic of the job.
pub fn solve(
    board: &PlanningBoard,
    engine: PlanningEngine,
    job: &Job,
    found: AnswerSink<'_, Plan<u32>>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let limits = native::limits(job);
    let named = heuristic_of(job)?;
    let task = board.search_task(&job.stop);
    if let Some(reason) = job.stop.requested() {
        return Ok(SearchEnd::of(Verdict::GaveUp(reason), false));
    }
    let task = &*task?;
    if board.obstacle(task, &job.stop).is_some() {
        return Ok(SearchEnd::of(Verdict::Impossible, true));
    }
    if matches!(engine, PlanningEngine::Bidirectional) && !task.supports_bidirectional() {
        let text = "the engine bidirectional needs reversible moves that cost 1, and a goal that is a single state";
        return Err(Diagnostic::error(Code::Unsupported, text).help("--engine astar takes any game").into());
    }
    if native::wants_several(job) && !task.has_positive_costs() {
        let text = "moves without a cost can be repeated endlessly, so best solutions cannot be counted";
        return Err(Diagnostic::error(Code::Unsupported, text).help("leave -n out").into());
    }
    if matches!(engine, PlanningEngine::Bfs) && !task.has_unit_costs() {
        let text = "the engine bfs counts moves, and the moves of this game differ in their costs";
        return Err(Diagnostic::error(Code::Unsupported, text).help("--engine astar takes any game").into());
    }
    if matches!(engine, PlanningEngine::Idastar) && !task.has_positive_costs() {
        let text = "the engine idastar does not terminate if moves cost nothing";
        return Err(Diagnostic::error(Code::Unsupported, text).help("--engine astar takes any game").into());
    }
    let all = |cost, limits: &_, visit: PlanVisitor<'_, u32>| Ok(find_all(task, cost, named, limits, visit));
    let best = find_best(task, engine, job.engine.name.is_some(), named, &limits);
    let mut ending = native::finish_all(best, 0, job, all, &limits, Plan, found)?;
    ending.warnings.extend(task.warnings());
    Ok(ending)
}

/// Finds one optimal plan. A default engine falls back to A* when the state space is too large for
/// it.
pub fn find_best(
    prepared: &SearchTask,
    engine: PlanningEngine,
    is_chosen: bool,
    named: Named,
    limits: &Limits,
) -> SearchResult<u32> {
    let run_with = |estimates: &dyn HeuristicFn, limits: &Limits| {
        let reduction = match engine {
            PlanningEngine::Bidirectional => Reduction::None,
            PlanningEngine::Bfs => Reduction::Symmetries,
            _ => Reduction::Walks,
        };
        prepared.run(estimates, reduction, BestPlan { engine, limits })
    };
    let run = |named: Named, limits: &Limits| run_with(&*heuristic_named(prepared, named, &limits.stop), limits);
    match (named, engine) {
        (_, PlanningEngine::Bidirectional) if !is_chosen => {
            let mut ladder = Ladder::new(limits, 0, &[StopReason::NodeLimit, StopReason::MemoryLimit]);
            ladder.stage(CHEAP_NODES, |limits| run(Named::Blind, limits));
            ladder.stage(u64::MAX, |limits| find_best(prepared, PlanningEngine::Astar, true, named, limits));
            ladder.result
        }
        (Named::Auto, PlanningEngine::Astar) => {
            let mut ladder = Ladder::new(limits, 0, &[StopReason::NodeLimit]);
            let blind_nodes = if prepared.has_walks() { BLIND_NODES / WALK_FACTOR } else { BLIND_NODES };
            ladder.stage(blind_nodes, |limits| run(Named::Blind, limits));
            if ladder.is_open() {
                let tokens = heuristic_named(prepared, Named::Tokens, &limits.stop);
                let start = prepared.start();
                // The search with the cheap heuristic may succeed before expensive ones are built.
                let potentials = heuristic_named(prepared, Named::Potentials, &limits.stop);
                if tokens.estimate(start) == 0
                    && (potentials.tie_break(start) != 0 || potentials.estimate(start) == UNREACHABLE)
                {
                    ladder.stage(CHEAP_NODES, |limits| run_with(&*potentials, limits));
                }
                let best = best_heuristic(prepared, tokens, potentials, &limits.stop);
                ladder.stage(u64::MAX, |limits| run_with(&*best, limits));
            }
            ladder.result
        }
        (Named::Auto, PlanningEngine::Idastar) => run(Named::Auto, limits),
        (Named::Auto, _) => run(Named::Blind, limits),
        (named, _) => run(named, limits),
    }
}

/// Visits every plan of cost `cost`, the minimum.
fn find_all(
    prepared: &SearchTask,
    cost: Cost,
    named: Named,
    limits: &Limits,
    visit: PlanVisitor<'_, u32>,
) -> SearchResult<u32> {
    let estimates = heuristic_named(prepared, named, &limits.stop);
    prepared.run(&*estimates, Reduction::None, AllPlans { cost, limits, visit })
}

/// Explores all states and their distances from the goal. On failure returns the reason and the
/// number of states found.
pub fn explore_all(prepared: &SearchTask, limits: &Limits) -> Result<StateGraph<u32>, (StopReason, usize)> {
    struct FullExploration<'a>(&'a Limits);
    impl WithSpace for FullExploration<'_> {
        type Output = Result<StateGraph<u32>, (StopReason, usize)>;

        fn run<const W: usize>(self, space: PackedSpace<'_, W>) -> Self::Output {
            search::explore_all(&space, self.0)
        }
    }
    let blind = heuristic_named(prepared, Named::Blind, &limits.stop);
    prepared.run(&*blind, Reduction::None, FullExploration(limits))
}
