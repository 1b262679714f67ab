//! The puzzle that every [`OnePlayer`] is: replay of plans, a sanity check of claims, sentences,
//! explanations, play.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::diagnostic::Failure;
use base::ending::{SearchEnd, Verdict};
use base::sorting;
use base::style::Style;
use explain::{ExplainQuery, Explanation, QueryKind};
use picture::Picture;
use picture::graph::Graph;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::api::{
    AnswerSink, Capabilities, ClingoProgram, Draw, DrawGraph, Explain, Playable, Puzzle, RunResult, Table,
};
use super::cause::UnsolvableCause;
use super::native::{self, PathProof};
use super::one_player::{OnePlayer, Plan, PlanWords, described_moves};
use super::playing::PlaySession;
use super::{engines, line, reasons};
use crate::job::{Job, Rules};

impl<P: OnePlayer> Puzzle for P {
    type Answer = Plan<P::Move>;
    type Proof = PathProof;

    fn solve(
        &self,
        board: &P::Board,
        engine: P::Engine,
        job: &Job,
        sink: AnswerSink<'_, Plan<P::Move>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        engines::solve(self, board, engine, job, sink)
    }

    fn check_answer(&self, board: &P::Board, plan: &Plan<P::Move>) -> Result<(), String> {
        let mut now = board.clone();
        for (number, &action) in plan.0.iter().enumerate() {
            self.apply(&mut now, action).map_err(|error| format!("move {}: {error}", number + 1))?;
        }
        self.is_goal(&now).map_err(|error| format!("in the end {error}"))
    }

    fn verify_claims(&self, result: &RunResult<Self>) -> Result<(), String> {
        let (board, plans) = (result.board(), result.answers());
        let cost = plans.first().map(|plan| self.cost(board, plan));
        let differ =
            |pair: &[Plan<P::Move>]| pair[0] != pair[1] && self.cost(board, &pair[0]) == self.cost(board, &pair[1]);
        result.proof().verify_claims(cost, result.complete, plans.windows(2).all(differ))?;
        if let Some(bounds) = self.plan_capabilities().bounds {
            let least = bounds.lower_bound(board);
            if let Some(cost) = cost.filter(|&cost| cost < least) {
                return Err(format!("{cost} is less than any way costs, {least}"));
            }
            if let Some(contradiction) = bounds.contradiction(result) {
                return Err(contradiction);
            }
        }
        sanity_check_bound(self, result)
    }

    fn json(&self, board: &P::Board, plan: &Plan<P::Move>) -> Value {
        self.plan_json(board, plan)
    }

    fn text(&self, result: &RunResult<Self>, style: &Style) -> String {
        let bold = anstyle::Style::new().bold();
        let mut page = format!("{}\n", style.paint(bold, &summary(self, result)));
        if !style.quiet {
            page += &result.proof().cause.as_ref().map_or(String::new(), UnsolvableCause::lines);
            page += &self.describe_plans(result.board(), result.answers(), style);
        }
        page
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        let own = self.plan_capabilities();
        Capabilities {
            program: own.program.map(|program| program as &dyn ClingoProgram<P>),
            explain: Some(self),
            play: Some(self),
            draw: Some(self),
            graph: own.names.map(|_| self as &dyn DrawGraph<P>),
            table: own.table,
            page_table: Some(move_table),
            sort: Some(sorting::sort),
            ..Capabilities::default()
        }
    }
}

impl<P: OnePlayer> Explain<P> for P {
    fn why(&self, board: &Arc<P::Board>, job: &Job, question: &ExplainQuery) -> Result<Option<Explanation>, Failure> {
        let explanation = match (&question.kind, self.plan_capabilities().explain) {
            (QueryKind::Rating, Some(explain)) => explain.rate(board, job)?,
            (QueryKind::About(subject), Some(explain)) => explain.reason(board, subject)?,
            _ => None,
        };
        match explanation {
            Some(explanation) => Ok(Some(explanation)),
            None => reasons::of_verdict_alone(self, board, job, question),
        }
    }
}

impl<P: OnePlayer> Playable<P> for P {
    fn game(&self, board: &Arc<P::Board>, job: &Job) -> Result<Box<dyn play::Game>, Failure> {
        Ok(Box::new(PlaySession::new(self.clone(), P::Board::clone(board), job)))
    }
}

impl<P: OnePlayer> Draw<P> for P {
    fn draw(&self, result: &RunResult<P>, plan: Option<&Plan<P::Move>>) -> Result<Option<Picture>, Failure> {
        Ok(Some(line::picture_of(self, result.board(), plan)))
    }
}

impl<P: OnePlayer> DrawGraph<P> for P {
    fn graph(&self, board: &P::Board, plan: Option<&Plan<P::Move>>) -> Option<Graph> {
        Some(line::graph(self, board, plan))
    }
}

/// The table of plans on a page: a row for each move, in words. If moves differ in cost, it has the
/// cost after each move.
fn move_table<P: OnePlayer>(puzzle: &P, board: &P::Board, plans: &[Plan<P::Move>]) -> Table {
    let [_, unit] = puzzle.words(board).unit;
    let has_costs = unit != PlanWords::MOVES.unit[1];
    let row = |plan: &Plan<P::Move>| {
        let moves = described_moves(puzzle, board, plan).enumerate();
        moves
            .map(|(number, described)| {
                let until = Plan(plan.0[..=number].to_vec());
                let cost = has_costs.then(|| puzzle.cost(board, &until).to_string());
                [(number + 1).to_string(), described.words].into_iter().chain(cost).collect()
            })
            .collect()
    };
    let cost = has_costs.then(|| format!("{} so far", unit.strip_prefix("units of ").unwrap_or("cost")));
    let columns = ["", "move"].map(str::to_owned).into_iter().chain(cost).collect();
    let nouns = Some(PlanWords::MOVES.unit.map(str::to_owned));
    Table { frames_per_row: line::frames_per_move(puzzle), nouns, ..Table::of(columns, plans, row) }
}

/// Checks an engine's claims on a few boards, in the order of their cost: no goal among them may be
/// cheaper than the claimed optimum or bound. It expands at most [`OnePlayer::SANITY_BOARDS`]
/// boards, so it proves nothing, and no output depends on it.
fn sanity_check_bound<P: OnePlayer>(puzzle: &P, result: &RunResult<P>) -> Result<(), String> {
    let bound = match result.verdict() {
        Verdict::Impossible => u64::MAX,
        _ => result.proof().lower_bound.unwrap_or(0),
    };
    let start = result.board().clone();
    let mut costs = FxHashMap::from_iter([(start.clone(), 0)]);
    // Sorted by cost, then by time of discovery. Numbers are unique, since a board may be reached
    // again.
    let mut open = BTreeMap::from([((0, 0), start)]);
    let mut next_number = 1;
    while let Some(((cost, _), board)) = open.pop_first() {
        if cost >= bound || costs.len() > P::SANITY_BOARDS {
            break;
        }
        if puzzle.is_solved(&board) {
            return Err(format!("a goal is reached for {cost} already"));
        }
        for action in puzzle.moves(&board) {
            let mut next = board.clone();
            let total = puzzle.apply(&mut next, action)?.saturating_add(cost);
            if costs.get(&next).is_none_or(|&best| total < best) {
                costs.insert(next.clone(), total);
                open.insert((total, next_number), next);
                next_number += 1;
            }
        }
    }
    Ok(())
}

/// The verdict in one or two sentences.
fn summary<P: OnePlayer>(puzzle: &P, result: &RunResult<P>) -> String {
    let words = puzzle.words(result.board());
    let cost = result.answers().first().map(|plan| words.cost(puzzle.cost(result.board(), plan)));
    match (cost, result.verdict()) {
        (Some(cost), _) if result.proof().count.is_some() => native::optimal_solutions_text(result, words.best, &cost),
        (Some(cost), _) => {
            let solved = format!("{} {cost}", words.solved);
            if result.complete() {
                let rules = result.rules();
                let nodes = native::node_count(result.proof());
                let text = match (rules, words.custom_optimality) {
                    (Rules::BuiltIn(_), _) if nodes.is_empty() => format!("{solved} (proven optimal)"),
                    (Rules::BuiltIn(_), _) => format!("{solved} (proven optimal; {nodes})"),
                    (_, Some(optimality)) => rules.verdict_with(&format!("{solved}, {optimality}"), &nodes),
                    (_, None) => rules.verdict_with(&format!("{solved}, and {}", words.optimality), &nodes),
                };
                text + "."
            } else {
                puzzle.not_proven(&solved, result)
            }
        }
        (None, Verdict::GaveUp(_)) => native::gave_up(result, |bound| format!("{} {}", words.bound, words.cost(bound))),
        (None, _) => puzzle.describe_impossible(result),
    }
}
