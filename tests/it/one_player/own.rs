//! A puzzle of one player from outside the library, whose engine may lie.

use asp_solve::diagnostic::Failure;
use asp_solve::document::Document;
use asp_solve::played::Move;
use asp_solve::puzzle::one_player::{OnePlayer, Way, Words};
use asp_solve::puzzle::{About, Engine, Fits, Found, Proof, Role, Rung, finish_all};
use asp_solve::report::Style;
use asp_solve::search::{Conclusion, Limits, Plan, Searched, Visit, Work};
use asp_solve::{Ending, Job, Solved, solve};
use clap::Args;
use serde_json::{Value, json};

/// Up to ten, by one or by three; the search says what the instance asks for, whether it is so or not.
#[derive(Clone, Copy, PartialEq)]
struct Stairs;

#[derive(Debug, Clone, Default, Args)]
struct Options {}

impl OnePlayer for Stairs {
    type Options = Options;
    type Board = (u64, String);
    type Move = u64;

    const ENGINES: &'static [Rung<Self>] = &[Rung::of(Engine::Astar)];
    const WORDS: Words = Words {
        unit: ["step", "steps"],
        best: ["way", "ways"],
        solved: "Climbed in",
        none_better: "no way is shorter",
        bound: "It takes",
    };

    fn about(&self) -> About {
        About {
            name: "stairs",
            summary: "",
            input: "",
            more: &[],
            example: "",
            encodings: &[],
            facts: &[],
            has_options_for_answer_sets: false,
            fits: Fits::Line,
            pictures: &[],
            read_by: &[],
        }
    }

    fn recognise(&self, _: &Document) -> Role {
        Role::Instance
    }

    fn resembles(&self, _: &Document) -> f64 {
        0.0
    }

    fn parse(&self, job: &Job) -> Result<(u64, String), Failure> {
        Ok((0, job.documents[0].text.to_string()))
    }

    fn moves(&self, &(step, _): &(u64, String)) -> Vec<u64> {
        [1, 3].into_iter().filter(|by| step + by <= 10).collect()
    }

    fn make(&self, board: &mut (u64, String), by: u64) -> Result<u64, String> {
        let is_allowed = OnePlayer::moves(self, board).contains(&by);
        board.0 += by;
        is_allowed.then_some(1).ok_or_else(|| format!("nobody goes {by}"))
    }

    fn is_goal(&self, board: &(u64, String)) -> Result<(), String> {
        if board.0 == 10 { Ok(()) } else { Err(format!("step {} is not the last", board.0)) }
    }

    fn search(
        &self,
        (_, told): &(u64, String),
        _: Engine,
        job: &Job,
        found: Found<'_, Way<u64>>,
    ) -> Result<Ending<Proof>, Failure> {
        let moves: Vec<u64> = told.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let plan = Plan { cost: moves.len() as u32, moves, optimal: true };
        let outcome = match &**told {
            "impossible" => Conclusion::Impossible,
            _ => Conclusion::Solved(plan),
        };
        let searched = Searched { outcome, lower_bound: 0, work: Work::default() };
        let all = |_, _: &Limits, _: Visit<'_, u64>| unreachable!("one is asked for");
        finish_all(searched, 0, job, all, &Limits::none(), Way, found)
    }

    fn json(&self, _: &(u64, String), way: &Way<u64>) -> Value {
        json!({ "steps": way.0 })
    }

    fn ways(&self, _: &(u64, String), _: &[Way<u64>], _: &Style) -> String {
        String::new()
    }

    fn impossible(&self, _: &Solved<Self>) -> String {
        "Nobody gets there.".to_owned()
    }

    fn not_proven(&self, solved: &str, _: &Solved<Self>) -> String {
        solved.to_owned()
    }

    fn told(&self, _: &(u64, String), by: u64) -> Move {
        Move::new(by.to_string(), String::new())
    }
}

#[test]
fn no_engine_gets_away_with_a_lie() {
    let solved = |told: &str| solve(Stairs, told).map(|solved| solved.text()).map_err(|error| error.to_string());
    assert_eq!(solved("3 3 3 1"), Ok("Climbed in 4 steps, and no way is shorter: proven (0 nodes).\n".to_owned()));
    for (told, wrong) in [
        ("3 3 2 2", "move 3: nobody goes 2"),
        ("3 3 3", "in the end step 9 is not the last"),
        ("3 3 1 1 1 1", "a goal is reached for 4 already"),
        ("impossible", "a goal is reached for 4 already"),
    ] {
        let error = solved(told).expect_err(told);
        assert!(error.contains("does not pass the check") && error.contains(wrong), "{told}: {error}");
    }
}
