//! Solves a board with one of the engines, and explains the result.

use std::ops::ControlFlow;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::{SearchEnd, Verdict};
use clap::ValueEnum;
use puzzle::job::Job;
use puzzle::{AnswerSink, UnsolvableCause, unsupported_rules};
use serde_json::json;

use super::answer::Answer;
use super::board::Board;
use super::conflict::{self, Conflict};
use super::count::Budget;
use super::grid::Cell;
use super::obvious::Contradiction;
use super::position::KnownPosition;
use super::probability::{self, Likelihood};
use super::proof::Proof;
use super::{certify, clingo, explain, partial, play, why};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MinesweeperEngine {
    /// Counts all layouts
    Csp,
    /// clingo, by the encoding
    Asp,
}

pub fn solve(
    board: &Board,
    engine: MinesweeperEngine,
    job: &Job,
    sink: AnswerSink<'_, Answer>,
) -> Result<SearchEnd<Proof>, Failure> {
    let mut decided = Vec::new();
    let mut end = solve_unexplained(board, engine, job, &mut |answer| {
        decided = answer.decided(&board.position);
        sink(answer)
    })?;
    if job.question.certify.is_requested() {
        end.proof.certificate = Some(certify::certify(board, &decided, end.verdict, job)?);
    }
    if let Some(conflict) = &end.proof.conflict {
        let parts = why::parts(board, conflict, &job.sources.documents);
        // `conflict::smallest_conflict` tries every set of one and of two clues.
        let is_smallest = parts.len() <= 2 && board.is_plain;
        end.proof.cause = (!parts.is_empty()).then_some(UnsolvableCause { parts, is_smallest });
    }
    Ok(end)
}

fn solve_unexplained(
    board: &Board,
    engine: MinesweeperEngine,
    job: &Job,
    sink: AnswerSink<'_, Answer>,
) -> Result<SearchEnd<Proof>, Failure> {
    // Custom neighbourhoods are counted natively as well, unless `--engine asp` is given.
    let is_counted = board.is_plain && !job.rules.is_builtin() && job.engine.name.is_none();
    if engine == MinesweeperEngine::Asp && !is_counted {
        return clingo::solve(board, job, sink);
    }
    if !board.is_plain {
        return Err(unsupported_rules("the engine csp", &job.rules).help("--engine asp works with any rules").into());
    }
    let budget = Budget::of(job);
    match probability::likelihood(&board.position, &budget) {
        Ok(Ok(likelihood)) => report_probabilities(board, likelihood, &budget, sink),
        Ok(Err(contradiction)) => impossible(board, &contradiction, &budget),
        Err(reason) => partial::solve(board, reason, job, sink),
    }
}

/// Reports the probabilities, the reasons of the certain cells and the best guess.
fn report_probabilities(
    board: &Board,
    likelihood: Likelihood,
    budget: &Budget,
    sink: AnswerSink<'_, Answer>,
) -> Result<SearchEnd<Proof>, Failure> {
    let position = &board.position;
    let mut answer = Answer::from_likelihood(position, &likelihood);
    let mut warnings = Vec::new();
    let (reasons, explained) = explain::reasons(position, &answer.decided(position), budget);
    answer.reasons = reasons;
    if let Err(reason) = explained {
        let text = format!("not all cells are explained: {}", reason.words());
        warnings.push(Diagnostic::warning(Code::Stopped, text));
    }
    answer.choose_best();
    if answer.safe.is_empty() {
        let mines = position.mines.or(answer.implied_total());
        let known = KnownPosition { mines, ..position.clone() };
        let guess = play::best_guess(&known, &likelihood.probabilities, budget);
        answer.best = guess.iter().map(|guess| guess.cell).collect();
        answer.chance = guess.and_then(|guess| guess.chance);
    }
    let _: ControlFlow<()> = sink(answer)?;
    let statistics = json!({ "states": likelihood.states });
    Ok(SearchEnd { verdict: Verdict::Solved, complete: true, proof: Proof::default(), statistics, warnings })
}

/// Reports that no layout fits, with a small conflict.
fn impossible(board: &Board, contradiction: &Contradiction, budget: &Budget) -> Result<SearchEnd<Proof>, Failure> {
    let position = &board.position;
    // If the budget ends before the conflict is minimized, all clues are reported.
    let all_clues = || position.cells_where(|cell| cell.is_number() || cell == Cell::Mine).collect();
    let conflict = conflict::smallest_conflict(position, contradiction, budget)
        .unwrap_or_else(|_| Conflict { clues: all_clues(), needs_total: position.mines.is_some() });
    Ok(SearchEnd { proof: Proof::from_conflict(board, conflict), ..SearchEnd::of(Verdict::Impossible, true) })
}
