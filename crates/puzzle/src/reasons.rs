//! Explanations that rest on the claims of a puzzle's engines instead of a logic program.

use std::iter;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::StopReason;
use explain::PictureUse;
use explain::{AtomConclusion, ExplainQuery, Explanation, NativeFinding, NativePage, NativeReport, QueryKind, Step};
use picture::Picture;
use play::GameState;

use super::api::Puzzle;
use super::cause::UnsolvableCause;
use super::pipeline::Run;
use crate::job::Job;

/// Solves a board, and explains why it has no answer if this is so.
pub fn of_verdict<P: Puzzle>(
    puzzle: &P,
    board: &Arc<P::Board>,
    job: &Job,
    question: &ExplainQuery,
) -> Result<Explanation, Failure> {
    let solved = Run::with_board(puzzle.clone(), board.clone(), job.clone())?.solve()?;
    let mut style = question.style;
    style.quiet |= solved.verdict == Verdict::Solved;
    let text = puzzle.text(&solved, &style);
    let picture = if question.picture == Some(PictureUse::Page) { solved.picture(None)? } else { None };
    Ok(verdict_explanation(puzzle, solved.verdict, solved.cause(), text, picture))
}

/// The explanation of a verdict.
pub fn verdict_explanation<P: Puzzle>(
    puzzle: &P,
    of_board: Verdict,
    cause: Option<&UnsolvableCause>,
    text: String,
    picture: Option<Picture>,
) -> Explanation {
    let verdict = match of_board {
        Verdict::Impossible if cause.is_some() => Verdict::Solved,
        Verdict::Solved | Verdict::Impossible => Verdict::Impossible,
        gave_up @ Verdict::GaveUp(_) => gave_up,
    };
    let is_smallest = cause.is_some_and(|cause| cause.is_smallest);
    let cause = cause.map(|cause| cause.parts.clone());
    let finding = NativeFinding::Verdict { of_board, cause, is_smallest };
    NativeReport { verdict, text, finding, page: page(puzzle, picture) }.into()
}

/// The page of an explanation.
pub fn page<P: Puzzle>(puzzle: &P, picture: Option<Picture>) -> Option<NativePage> {
    Some(NativePage { title: puzzle.name().to_owned(), picture })
}

/// As [`of_verdict`], and rejects queries that the puzzle does not support.
pub fn of_verdict_alone<P: Puzzle>(
    puzzle: &P,
    board: &Arc<P::Board>,
    job: &Job,
    question: &ExplainQuery,
) -> Result<Option<Explanation>, Failure> {
    let name = puzzle.name();
    let text = match &question.kind {
        _ if !puzzle.rule_support(board).supports(&job.rules) => return Ok(None),
        _ if !question.blame.is_empty() => {
            format!("--blame: {name} tells its own reasons, and no fact or rule of its program is blamed for that")
        }
        QueryKind::NoAnswer if question.fix => format!("--fix: {name} is not a logic program with facts to give up"),
        QueryKind::NoAnswer => return of_verdict(puzzle, board, job, question).map(Some),
        QueryKind::About(asked) => format!("{asked}: of {name} one can ask why there is no solution, and no more"),
        QueryKind::Steps { all } => return of_play(puzzle, board, job, *all, question).map(Some),
        QueryKind::Rating => format!("{name} is not rated"),
        QueryKind::Counts => {
            format!("--count: {name} tells its own reasons, and no part of a logic program is left out for that")
        }
    };
    Err(Diagnostic::error(Code::Unsupported, text).into())
}

/// Explains the next move in play or, if `all`, each move until the game ends.
fn of_play<P: Puzzle>(
    puzzle: &P,
    board: &Arc<P::Board>,
    job: &Job,
    all: bool,
    question: &ExplainQuery,
) -> Result<Explanation, Failure> {
    let no_hints = || Diagnostic::error(Code::Unsupported, format!("there are no hints for {}", puzzle.name()));
    let mut game = puzzle.capabilities().play.ok_or_else(no_hints)?.game(board, job)?;
    let (mut moves, mut steps, mut picture) = (Vec::<String>::new(), Vec::<Step>::new(), None);
    let mut was_solved = false;
    let (end, verdict) = loop {
        let now = game.view_after(&moves, play::PlayQuery::Hint)?;
        picture = if moves.is_empty() || all { now.picture } else { picture };
        match (now.state, now.moves.first(), job.stop.requested()) {
            (GameState::Won, ..) if steps.is_empty() => {
                was_solved = true;
                break ("Nothing is left to do.".to_owned(), Verdict::Impossible);
            }
            (GameState::Won, ..) => break (now.words, Verdict::Solved),
            (_, _, Some(reason)) => break (format!("Gave up: {}.", reason.words()), Verdict::GaveUp(reason)),
            (_, Some(next), _) if now.explanation.is_some() => {
                let conclusions = vec![AtomConclusion { atom: next.name.clone(), holds: true }];
                let words = now.explanation.unwrap_or_default();
                steps.push(Step { conclusions, words, ..Step::default() });
                moves.push(next.name.clone());
                if !all {
                    break (String::new(), Verdict::Solved);
                }
            }
            (GameState::Stuck | GameState::Lost, ..) => {
                break (now.explanation.unwrap_or(now.words), Verdict::Impossible);
            }
            _ => {
                let reason = now.gave_up.unwrap_or(StopReason::TimeLimit);
                break (now.explanation.unwrap_or(now.words), Verdict::GaveUp(reason));
            }
        }
    };
    let mut text = String::new();
    for (number, step) in steps.iter().enumerate() {
        let label = if all { format!("{}. ", number + 1) } else { String::new() };
        text += &format!("{label}{}\n", step.words);
    }
    if !end.is_empty() {
        text += &format!("{end}\n");
    }
    let name = match verdict {
        Verdict::GaveUp(_) => "gave-up",
        Verdict::Solved if all => "solved",
        Verdict::Solved => "step",
        Verdict::Impossible if was_solved => "solved",
        Verdict::Impossible => "impossible",
    };
    let text = match question.style.quiet {
        true => text.lines().take(1).map(|line| format!("{line}\n")).collect(),
        false => text,
    };
    let mut frames_per_step = 0;
    let is_drawn = question.picture.is_some() && !steps.is_empty();
    if let Some((played, frames)) = is_drawn.then(|| game.picture_of_moves(&moves)).flatten() {
        let numbered = |(number, step): (usize, &Step)| match all {
            true => format!("{}. {}", number + 1, step.words),
            false => step.words.clone(),
        };
        let captions = steps.iter().enumerate().map(numbered);
        let captions =
            iter::once("The start.".to_owned()).chain(captions.flat_map(|text| iter::repeat_n(text, frames)));
        let played = Picture { captions: captions.collect(), ..played };
        let is_still = question.picture == Some(PictureUse::Image) && !all;
        (picture, frames_per_step) = (Some(if is_still { played.last_frame() } else { played }), frames);
    }
    let finding = NativeFinding::Moves { steps, end: name, frames_per_step };
    Ok(NativeReport { verdict, text, finding, page: page(puzzle, picture) }.into())
}
