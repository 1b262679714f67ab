//! A one-player puzzle that this file defines: it climbs stairs in steps of 1 or 5, or goes down by 2. The
//! rules check every plan that the search finds; play, hints and formats come from the crate.

use std::ops::ControlFlow;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::SearchEnd;
use clap::ValueEnum;
use puzzle::job::Job;
use puzzle::one_player::{OnePlayer, Plan};
use puzzle::{About, AnswerSink, Describe, OpenBoard, PathProof, Role, Run, finish_all};
use statespace::search::{Cost, Limits, Space, Step, all_optimal_plans, bfs};

#[derive(Clone, Copy, PartialEq)]
struct Stairs;

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Engine {
    Bfs,
}

/// The step on which the climber is, and the number of steps.
type Board = (i32, i32);

impl Describe for Stairs {
    fn about(&self) -> About<'_> {
        About { name: "stairs", summary: "climb stairs in the fewest moves", ..About::default() }
    }

    fn recognise(&self, _: &Document) -> Role {
        Role::Instance
    }
}

impl OpenBoard for Stairs {
    type Options = ();
    type Engine = Engine;
    type Board = Board;

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        let text = job.sources.documents[0].text.trim();
        let wrong = |_| Diagnostic::error(Code::InvalidInstance, format!("expected a number of steps, found `{text}`"));
        Ok((0, text.parse().map_err(wrong)?))
    }
}

impl OnePlayer for Stairs {
    type Move = i32;

    fn moves(&self, &(step, steps): &Board) -> Vec<i32> {
        [-2, 1, 5].into_iter().filter(|by| (0..=steps).contains(&(step + by))).collect()
    }

    fn apply(&self, board: &mut Board, by: i32) -> Result<u64, String> {
        let is_allowed = self.moves(board).contains(&by);
        board.0 += by;
        is_allowed.then_some(1).ok_or_else(|| format!("a move by {by} is not allowed"))
    }

    fn is_goal(&self, &(step, steps): &Board) -> Result<(), String> {
        if step == steps { Ok(()) } else { Err(format!("step {step} is not the last")) }
    }

    fn search(
        &self,
        board: &Board,
        _: Engine,
        job: &Job,
        sink: AnswerSink<'_, Plan<i32>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        let (space, limits) = (StairSpace(*board), Limits { stop: job.stop.clone(), ..Limits::none() });
        let all = |cost, limits: &_, visit: statespace::search::PlanVisitor<'_, i32>| {
            Ok(all_optimal_plans(&space, cost, limits, &mut |_, _| Ok(true), visit))
        };
        finish_all(bfs(&space, &limits), 0, job, all, &limits, Plan, sink)
    }

    fn describe_move(&self, _: &Board, by: i32) -> play::Move {
        play::Move::new(by.to_string(), if by < 0 { format!("go down {}", -by) } else { format!("climb {by}") })
    }
}

/// The search has code of its own, so that the rules can find its errors.
struct StairSpace(Board);

impl Space for StairSpace {
    type State = i32;
    type Move = i32;
    type Pruning = ();

    fn start(&self) -> i32 {
        self.0.0
    }

    fn is_goal(&self, &step: &i32) -> bool {
        step == self.0.1
    }

    fn initial_pruning(&self, _: &i32) {}

    fn successors(
        &self,
        &step: &i32,
        (): (),
        _: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let ends = [-2, 1, 5].map(|by| (by, step + by)).into_iter().filter(|(_, end)| (0..=self.0.1).contains(end));
        ends.into_iter()
            .try_for_each(|(action, state)| visit(Step { action, cost: 1, estimate: 0, state, pruning: () }))
    }
}

fn main() -> Result<(), Failure> {
    print!("{}", Run::new(Stairs, Job::of("8"))?.solve()?.text());
    Ok(())
}
