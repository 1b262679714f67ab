//! The engines of one-player puzzles: those of the puzzle, and clingo, whose claims they confirm.

use std::ops::ControlFlow;

use asp::AnswerAtoms;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::{SearchEnd, Verdict};
use base::stop::StopReason;
use clap::ValueEnum;
use serde_json::json;

use super::api::AnswerSink;
use super::native::{self, PathProof};
use super::one_player::{OnePlayer, Plan, PlanProgram};
use super::pipeline::{CLINGO, name_of};
use crate::job::Job;

/// Searches for an optimal plan or for all optimal plans, or proves that there is no plan.
pub fn solve<P: OnePlayer>(
    puzzle: &P,
    board: &P::Board,
    engine: P::Engine,
    job: &Job,
    sink: AnswerSink<'_, Plan<P::Move>>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let supports_rules = puzzle.rule_support(board).supports(&job.rules);
    let capabilities = puzzle.plan_capabilities();
    if let Some(proof) = capabilities.explain.filter(|_| supports_rules).and_then(|explain| explain.obstacle(board)) {
        return Ok(SearchEnd { proof, ..SearchEnd::of(Verdict::Impossible, true) });
    }
    puzzle.check_options(engine, job)?;
    let mut ending = match capabilities.program.filter(|_| name_of(engine) == CLINGO) {
        Some(program) => ask_clingo(puzzle, program, board, job, sink)?,
        None => puzzle.search(board, engine, job, sink)?,
    };
    if ending.verdict == Verdict::Impossible
        && supports_rules
        && ending.proof.cause.is_none()
        && let Some(explain) = capabilities.explain
        && let Some(proof) = explain.explain_unsolvable(board, &job.stop)?
    {
        ending.proof = PathProof { nodes: ending.proof.nodes, ..proof };
    }
    Ok(ending)
}

/// The search of the engine `asp`: clingo finds an optimal plan, and the default engine confirms it.
fn ask_clingo<P: OnePlayer>(
    puzzle: &P,
    program: &dyn PlanProgram<P>,
    board: &P::Board,
    job: &Job,
    sink: AnswerSink<'_, Plan<P::Move>>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let default_engine = P::Engine::value_variants()[0];
    native::reject_multiple(job, &format!("the engine {CLINGO}"), &name_of(default_engine))?;
    let mut ending = solve_by_clingo(puzzle, program, board, job, sink)?;
    if ending.complete && puzzle.rule_support(board).supports(&job.rules) {
        confirm(puzzle, default_engine, board, job, &mut ending)?;
    }
    Ok(ending)
}

/// Finds an optimal plan by clingo: the cheapest answer of the program, or the first answer of an
/// incremental program.
fn solve_by_clingo<P: OnePlayer>(
    puzzle: &P,
    plan_program: &dyn PlanProgram<P>,
    board: &P::Board,
    job: &Job,
    sink: AnswerSink<'_, Plan<P::Move>>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let has_steps = plan_program.has_steps();
    let program = plan_program.program(board, job)?;
    let mut moves = None;
    let mut read_plan = |model: &mut asp::Model<'_>| {
        let atoms = model.shown(asp::Order::AsFound).map_err(|error| asp::AtomError(error.text));
        let atoms = atoms.map(|atoms| AnswerAtoms::new(atoms.collect::<Vec<_>>().into_iter()));
        moves = Some(atoms.and_then(|atoms| plan_program.read_moves(board, &atoms)));
    };
    let mut statistics = json!({});
    let (mut solver, solved);
    if has_steps {
        let max_steps = job.engine.limits.depth.map(|depth| depth.saturating_add(1));
        let steps = asp::StepLimits { min_steps: 0, max_steps, stop_result: asp::StopResult::Satisfiable };
        solver = asp::Solver::new(&job.engine.settings, &job.stop)?;
        solver.load(&program)?;
        let on_model = |model: &mut asp::Model<'_>| {
            read_plan(model);
            ControlFlow::Break(())
        };
        let count;
        (solved, count) = asp::solve_steps(&mut solver, &steps, &job.stop, |_| (), on_model)?;
        statistics["steps"] = json!(count);
    } else {
        solver = asp::Solver::with_program(&program, &job.engine.settings, &job.stop)?;
        solved = solver.solve(&[], |model| {
            read_plan(model);
            ControlFlow::Continue(())
        })?;
    }
    if job.output.stats {
        statistics["clingo"] = solver.statistics();
    }
    let wrong = |asp::AtomError(text)| native::wrong_answer(&job.sources.encodings, &text);
    let plan = moves.transpose().map_err(wrong)?.map(Plan);
    // If no move is needed there are no costs, and the first answer is the only one.
    let is_proven = has_steps
        || solved.result.exhausted
        || puzzle.plan_capabilities().bounds.is_none_or(|bounds| bounds.lower_bound(board) == 0);
    let verdict = match (&plan, job.stop.requested()) {
        (Some(_), Some(reason)) if !is_proven => Verdict::GaveUp(reason),
        (Some(_), _) => Verdict::Solved,
        (None, Some(reason)) => Verdict::GaveUp(reason),
        (None, None) if !solved.result.unsatisfiable => Verdict::GaveUp(StopReason::Unproven),
        (None, None) if has_steps => Verdict::GaveUp(StopReason::DepthLimit),
        (None, None) => Verdict::Impossible,
    };
    let complete = verdict == Verdict::Impossible || verdict == Verdict::Solved && is_proven;
    let lower_bound = match &plan {
        // An interrupted step proves nothing.
        _ if has_steps => Some(u64::from(solved.unsat_steps.count())),
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
    puzzle: &P,
    engine: P::Engine,
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
