//! The engines of one-player puzzles: state-space searches, and clingo.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::json;

use super::native::{self, PathProof};
use super::one_player::{OnePlayer, Plan};
use super::{AnswerSink, Puzzle, name_of};
use crate::asp::{self, AnswerAtoms};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::ending::{SearchEnd, Verdict};
use crate::job::Job;
use crate::search::{self, Limits, SearchResult, Space};
use crate::stop::StopReason;

/// All engines of one-player puzzles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Astar,
    Bidirectional,
    Idastar,
    Ids,
    Bfs,
    Memo,
    Backtracking,
    Asp,
}

/// An engine that the puzzle `P` offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PuzzleEngine<P>(pub Engine, PhantomData<P>);

impl<P> PuzzleEngine<P> {
    pub const fn of(engine: Engine) -> Self {
        PuzzleEngine(engine, PhantomData)
    }
}

impl<P: OnePlayer> ValueEnum for PuzzleEngine<P> {
    fn value_variants<'a>() -> &'a [Self] {
        P::ENGINES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        self.0.to_possible_value()
    }
}

impl Engine {
    /// Searches a space with the heuristic of the space.
    ///
    /// The compiler instantiates each search for each space, so a puzzle calls this function or
    /// [`blind`](Self::blind) only for engines that it offers.
    pub fn informed<S: Space>(self, space: &S, limits: &Limits) -> SearchResult<S::Move> {
        match self {
            Engine::Astar => search::astar(space, limits),
            Engine::Idastar => search::idastar(space, limits),
            other => unreachable!("{other:?} has no heuristic"),
        }
    }

    /// Searches a space without a heuristic.
    pub fn blind<S: Space>(self, space: &S, limits: &Limits) -> SearchResult<S::Move> {
        match self {
            Engine::Ids => search::ids(space, limits),
            Engine::Bfs => search::bfs(space, limits),
            other => unreachable!("{other:?} is no blind search"),
        }
    }
}

/// Searches for an optimal plan or for all optimal plans, or proves that there is no plan.
pub fn solve<P: OnePlayer>(
    puzzle: P,
    board: &P::Board,
    engine: Engine,
    job: &Job,
    sink: AnswerSink<'_, Plan<P::Move>>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let supports_rules = Puzzle::supports_rules(&puzzle, board, job);
    if let Some(proof) = puzzle.obstacle(board).filter(|_| supports_rules) {
        return Ok(SearchEnd { proof, ..SearchEnd::of(Verdict::Impossible, true) });
    }
    puzzle.check_options(engine, job)?;
    let default_engine = P::ENGINES[0].0;
    if matches!(engine, Engine::Memo | Engine::Backtracking | Engine::Asp) {
        native::reject_multiple(job, &format!("the engine {}", name_of(engine)), &name_of(default_engine))?;
    }
    if engine == Engine::Asp {
        let mut ending = solve_by_clingo(puzzle, board, job, sink)?;
        if ending.complete && supports_rules {
            confirm(puzzle, default_engine, board, job, &mut ending)?;
        }
        return Ok(ending);
    }
    let mut ending = puzzle.search(board, engine, job, sink)?;
    if ending.verdict == Verdict::Impossible
        && supports_rules
        && let Some(proof) = puzzle.explain_unsolvable(board, &job.stop)?
    {
        ending.proof = PathProof { nodes: ending.proof.nodes, ..proof };
    }
    Ok(ending)
}

/// Finds an optimal plan by clingo: the cheapest answer of the program, or the first answer of an
/// incremental program.
fn solve_by_clingo<P: OnePlayer>(
    puzzle: P,
    board: &P::Board,
    job: &Job,
    sink: AnswerSink<'_, Plan<P::Move>>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let program = OnePlayer::program(&puzzle, board, job)?;
    let mut moves = None;
    let mut read_plan = |model: &mut asp::Model<'_>| {
        let atoms = model.shown(asp::Order::AsFound).map_err(|error| asp::AtomError(error.text));
        let atoms = atoms.map(|atoms| AnswerAtoms::new(atoms.collect::<Vec<_>>().into_iter()));
        moves = Some(atoms.and_then(|atoms| puzzle.read_moves(board, &atoms)));
    };
    let mut statistics = json!({});
    let (mut solver, solved);
    if P::HAS_STEPS {
        let max_steps = job.limits.depth.map(|depth| depth.saturating_add(1));
        let steps = asp::StepLimits { min_steps: 0, max_steps, stop_result: asp::StopResult::Satisfiable };
        solver = asp::Solver::new(&job.settings, &job.stop)?;
        solver.load(&program)?;
        let on_model = |model: &mut asp::Model<'_>| {
            read_plan(model);
            ControlFlow::Break(())
        };
        let count;
        (solved, count) = asp::solve_steps(&mut solver, &steps, &job.stop, |_| (), on_model)?;
        statistics["steps"] = json!(count);
    } else {
        solver = asp::Solver::with_program(&program, &job.settings, &job.stop)?;
        solved = solver.solve(&[], |model| {
            read_plan(model);
            ControlFlow::Continue(())
        })?;
    }
    if job.stats {
        statistics["clingo"] = solver.statistics();
    }
    let wrong = |asp::AtomError(text)| native::wrong_answer(&job.encodings, &text);
    let plan = moves.transpose().map_err(wrong)?.map(Plan);
    // If no move is needed there are no costs, and the first answer is the only one.
    let is_proven = P::HAS_STEPS || solved.result.exhausted || puzzle.lower_bound(board) == 0;
    let verdict = match (&plan, job.stop.requested()) {
        (Some(_), Some(reason)) if !is_proven => Verdict::GaveUp(reason),
        (Some(_), _) => Verdict::Solved,
        (None, Some(reason)) => Verdict::GaveUp(reason),
        (None, None) if !solved.result.unsatisfiable => Verdict::GaveUp(StopReason::Unproven),
        (None, None) if P::HAS_STEPS => Verdict::GaveUp(StopReason::DepthLimit),
        (None, None) => Verdict::Impossible,
    };
    let complete = verdict == Verdict::Impossible || verdict == Verdict::Solved && is_proven;
    let lower_bound = match &plan {
        // An interrupted step proves nothing.
        _ if P::HAS_STEPS => Some(u64::from(solved.unsat_steps.count())),
        plan => plan.as_ref().filter(|_| complete).map(|plan| puzzle.cost(board, plan)),
    };
    if let Some(plan) = plan {
        let _: ControlFlow<()> = sink(plan)?;
    }
    let warnings = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    Ok(SearchEnd { verdict, complete, proof: PathProof { lower_bound, ..PathProof::default() }, statistics, warnings })
}

/// Confirms clingo's claim by a native engine: a claim of clingo alone is not reported as proven.
fn confirm<P: OnePlayer>(
    puzzle: P,
    engine: Engine,
    board: &P::Board,
    job: &Job,
    ending: &mut SearchEnd<PathProof>,
) -> Result<(), Failure> {
    let other = solve(puzzle, board, engine, job, &mut |_| Ok(ControlFlow::Continue(())))?;
    if let Verdict::GaveUp(reason) = other.verdict {
        ending.complete = false;
        if ending.verdict == Verdict::Impossible || job.stop.requested().is_some() {
            ending.verdict = Verdict::GaveUp(reason);
        }
    } else if (other.verdict, other.proof.lower_bound) != (ending.verdict, ending.proof.lower_bound) {
        let text = format!("the engines asp and {} disagree about the optimal plan", name_of(engine));
        return Err(Diagnostic::error(Code::Unsupported, text).into());
    }
    ending.proof = PathProof { nodes: None, ..other.proof };
    Ok(())
}
