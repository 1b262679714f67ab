//! The engines of puzzles of one player: searches through a space, and clingo.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::json;

use super::native::{self, Proof};
use super::one_player::{OnePlayer, Way};
use super::{Found, Puzzle, name_of};
use crate::asp::{self, AnswerAtoms};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::search::{self, Limits, Searched, Space};
use crate::stop::Reason;

/// All engines there are.
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

/// One that a puzzle has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung<P>(pub Engine, PhantomData<P>);

impl<P> Rung<P> {
    pub const fn of(engine: Engine) -> Self {
        Rung(engine, PhantomData)
    }
}

impl<P: OnePlayer> ValueEnum for Rung<P> {
    fn value_variants<'a>() -> &'a [Self] {
        P::ENGINES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        self.0.to_possible_value()
    }
}

impl Engine {
    /// Goes through a space with its heuristic.
    ///
    /// The compiler instantiates each search for each space, so a puzzle calls this function or [`blind`](Self::blind) only for
    /// engines that it offers.
    pub fn informed<S: Space>(self, space: &S, limits: &Limits) -> Searched<S::Move> {
        match self {
            Engine::Astar => search::astar(space, limits),
            Engine::Idastar => search::idastar(space, limits),
            other => unreachable!("{other:?} has no heuristic"),
        }
    }

    /// Goes through a space without a heuristic.
    pub fn blind<S: Space>(self, space: &S, limits: &Limits) -> Searched<S::Move> {
        match self {
            Engine::Ids => search::ids(space, limits),
            Engine::Bfs => search::bfs(space, limits),
            other => unreachable!("{other:?} is no blind search"),
        }
    }
}

/// Looks for the best way, or for all that are as good; or tells why there is none.
pub fn solve<P: OnePlayer>(
    puzzle: P,
    board: &P::Board,
    engine: Engine,
    job: &Job,
    found: Found<'_, Way<P::Move>>,
) -> Result<Ending<Proof>, Failure> {
    let knows_rules = Puzzle::knows_rules(&puzzle, board, job);
    if let Some(proof) = puzzle.obstacle(board).filter(|_| knows_rules) {
        return Ok(Ending { proof, ..Ending::of(Verdict::Impossible, true) });
    }
    puzzle.takes(engine, job)?;
    let usual = P::ENGINES[0].0;
    if matches!(engine, Engine::Memo | Engine::Backtracking | Engine::Asp) {
        native::finds_one(job, &format!("the engine {}", name_of(engine)), &name_of(usual))?;
    }
    if engine == Engine::Asp {
        let mut ending = by_clingo(puzzle, board, job, found)?;
        if ending.complete && knows_rules {
            confirm(puzzle, usual, board, job, &mut ending)?;
        }
        return Ok(ending);
    }
    let mut ending = puzzle.search(board, engine, job, found)?;
    if ending.verdict == Verdict::Impossible
        && knows_rules
        && let Some(proof) = puzzle.cause(board, &job.stop)?
    {
        ending.proof = Proof { nodes: ending.proof.nodes, ..proof };
    }
    Ok(ending)
}

/// The best way by clingo: the cheapest that the program allows, or the first of a program in steps.
fn by_clingo<P: OnePlayer>(
    puzzle: P,
    board: &P::Board,
    job: &Job,
    found: Found<'_, Way<P::Move>>,
) -> Result<Ending<Proof>, Failure> {
    let program = OnePlayer::program(&puzzle, board, job)?;
    let mut read = None;
    let mut see = |model: &mut asp::Model<'_>| {
        let atoms = model.shown(asp::Order::AsFound).map_err(|error| asp::AtomError(error.text));
        let atoms = atoms.map(|atoms| AnswerAtoms::new(atoms.collect::<Vec<_>>().into_iter()));
        read = Some(atoms.and_then(|atoms| puzzle.read(board, &atoms)));
    };
    let mut statistics = json!({});
    let (mut solver, solved);
    if P::HAS_STEPS {
        let most = job.limits.depth.map(|depth| depth.saturating_add(1));
        let steps = asp::Steps { least: 0, most, until: asp::Until::Satisfiable };
        solver = asp::Solver::new(&job.settings, &job.stop)?;
        solver.load(&program)?;
        let found = |model: &mut asp::Model<'_>| {
            see(model);
            ControlFlow::Break(())
        };
        let count;
        (solved, count) = asp::solve_steps(&mut solver, &steps, &job.stop, |_| (), found)?;
        statistics["steps"] = json!(count);
    } else {
        solver = asp::Solver::with_program(&program, &job.settings, &job.stop)?;
        solved = solver.solve(&[], |model| {
            see(model);
            ControlFlow::Continue(())
        })?;
    }
    if job.stats {
        statistics["clingo"] = solver.statistics();
    }
    let wrong = |asp::AtomError(text)| native::wrong_answer(&job.encodings, &text);
    let way = read.transpose().map_err(wrong)?.map(Way);
    // Where nobody has to move there is nothing to minimise, and the first answer is the only one.
    let is_proven = P::HAS_STEPS || solved.result.exhausted || puzzle.least(board) == 0;
    let verdict = match (&way, job.stop.requested()) {
        (Some(_), Some(reason)) if !is_proven => Verdict::GaveUp(reason),
        (Some(_), _) => Verdict::Solved,
        (None, Some(reason)) => Verdict::GaveUp(reason),
        (None, None) if !solved.result.unsatisfiable => Verdict::GaveUp(Reason::Unproven),
        (None, None) if P::HAS_STEPS => Verdict::GaveUp(Reason::DepthLimit),
        (None, None) => Verdict::Impossible,
    };
    let complete = verdict == Verdict::Impossible || verdict == Verdict::Solved && is_proven;
    let lower_bound = match &way {
        // A step that was broken off says nothing.
        _ if P::HAS_STEPS => Some(u64::from(solved.refuted.steps())),
        way => way.as_ref().filter(|_| complete).map(|way| puzzle.cost(board, way)),
    };
    if let Some(way) = way {
        let _: ControlFlow<()> = found(way)?;
    }
    let warnings = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    Ok(Ending { verdict, complete, proof: Proof { lower_bound, ..Proof::default() }, statistics, warnings })
}

/// What clingo alone says is not proven before a native engine agrees.
fn confirm<P: OnePlayer>(
    puzzle: P,
    engine: Engine,
    board: &P::Board,
    job: &Job,
    ending: &mut Ending<Proof>,
) -> Result<(), Failure> {
    let other = solve(puzzle, board, engine, job, &mut |_| Ok(ControlFlow::Continue(())))?;
    if let Verdict::GaveUp(reason) = other.verdict {
        ending.complete = false;
        if ending.verdict == Verdict::Impossible || job.stop.requested().is_some() {
            ending.verdict = Verdict::GaveUp(reason);
        }
    } else if (other.verdict, other.proof.lower_bound) != (ending.verdict, ending.proof.lower_bound) {
        let text = format!("the engines asp and {} do not agree on the best way", name_of(engine));
        return Err(Diagnostic::error(text).into());
    }
    ending.proof = Proof { nodes: None, ..other.proof };
    Ok(())
}
