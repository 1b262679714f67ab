//! One-player puzzles defined outside the library, whose engines may return wrong results.

use std::sync::Arc;

use asp_solve::{Job, SearchEnd, solve};
use base::diagnostic::{Code, Failure};
use base::document::Document;
use base::stop::StopReason;
use clap::ValueEnum;
use play::{GameState, GameView, Move, PlayQuery};
use puzzle::one_player::{OnePlayer, Plan, PlanWords};
use puzzle::{About, AnswerSink, Describe, OpenBoard, PathProof, Playable, Role, finish_all, recognise};
use serde_json::json;
use statespace::search::{self, Limits, Outcome, PlanVisitor, SearchResult, SearchStats};

use asp_solve::builtin;

/// Climbs from step 0 to step 10 in steps of 1 or 3. The search returns the result that the
/// instance states, right or wrong.
#[derive(Clone, Copy, PartialEq)]
struct Stairs;

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Engine {
    Astar,
}

impl Describe for Stairs {
    fn about(&self) -> About<'_> {
        About { name: "stairs", ..About::default() }
    }

    fn recognise(&self, _: &Document) -> Role {
        Role::Instance
    }
}

impl OpenBoard for Stairs {
    type Options = ();
    type Engine = Engine;
    type Board = (u64, String);

    fn parse(&self, job: &Job) -> Result<(u64, String), Failure> {
        Ok((0, job.sources.documents[0].text.to_string()))
    }
}

impl OnePlayer for Stairs {
    type Move = u64;

    const WORDS: PlanWords = PlanWords {
        unit: ["step", "steps"],
        solved: "Climbed in",
        optimality: "no plan is shorter",
        ..PlanWords::MOVES
    };

    fn moves(&self, &(step, _): &(u64, String)) -> Vec<u64> {
        [1, 3].into_iter().filter(|by| step + by <= 10).collect()
    }

    fn apply(&self, board: &mut (u64, String), by: u64) -> Result<u64, String> {
        let is_allowed = self.moves(board).contains(&by);
        board.0 += by;
        is_allowed.then_some(1).ok_or_else(|| format!("a step of {by} is not allowed"))
    }

    fn is_goal(&self, board: &(u64, String)) -> Result<(), String> {
        if board.0 == 10 { Ok(()) } else { Err(format!("step {} is not the last", board.0)) }
    }

    fn search(
        &self,
        (_, result): &(u64, String),
        _: Engine,
        job: &Job,
        found: AnswerSink<'_, Plan<u64>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        let moves: Vec<u64> = result.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let plan = search::Plan { cost: moves.len() as u32, moves, optimal: true };
        let outcome = match &**result {
            "impossible" => Outcome::Impossible,
            _ => Outcome::Solved(plan),
        };
        let searched = SearchResult { outcome, lower_bound: 0, stats: SearchStats::default() };
        let all = |_, _: &Limits, _: PlanVisitor<'_, u64>| unreachable!("a single plan is requested");
        finish_all(searched, 0, job, all, &Limits::none(), Plan, found)
    }

    fn describe_move(&self, _: &(u64, String), by: u64) -> Move {
        Move::new(by.to_string(), format!("climb {by}"))
    }
}

#[test]
fn wrong_results_of_engines_are_rejected() {
    let solved = |result: &str| solve(Stairs, result).map(|solved| solved.text());
    let moves = "  1. climb 3\n  2. climb 3\n  3. climb 3\n  4. climb 1\n";
    let text = format!("Climbed in 4 steps (proven optimal; 0 nodes).\n{moves}");
    assert_eq!(solved("3 3 3 1"), Ok(text));
    let json = solve(Stairs, "3 3 3 1").expect("a plan").json();
    assert_eq!(json["answers"], json!([{ "cost": 4, "moves": ["3", "3", "3", "1"] }]));
    for (result, wrong) in [
        ("3 3 2 2", "move 3: a step of 2 is not allowed"),
        ("3 3 3", "in the end step 9 is not the last"),
        ("3 3 1 1 1 1", "a goal is reached for 4 already"),
        ("impossible", "a goal is reached for 4 already"),
    ] {
        let failure = solved(result).expect_err(result);
        assert_eq!(failure.code(), Some(Code::RejectedAnswer), "{result}: {failure}");
        assert!(failure.to_string().contains(wrong), "{result}: {failure}");
    }
}

/// Roads between places. An instance has lines `road FROM TO COST`, `goal PLACE` and
/// `says PLACE RESULT`, in order. The engine tries all paths, unless the instance states its result
/// for a place: `impossible` or `unknown`.
#[derive(Clone, Copy, PartialEq)]
struct Roads;

type Place = (String, u64, String);

impl Roads {
    fn lines<'a>(map: &'a str, name: &str) -> Vec<Vec<&'a str>> {
        let words = map.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        words.filter(|words| words[0] == name).map(|words| words[1..].to_vec()).collect()
    }

    /// The places that are one road away, with their costs.
    fn roads((map, at, _): &Place) -> Vec<(u64, u64)> {
        let number = |word: &str| word.parse::<u64>().expect("a number");
        let roads = Roads::lines(map, "road").into_iter().filter(|road| number(road[0]) == *at);
        roads.map(|road| (number(road[1]), number(road[2]))).collect()
    }

    /// The cheapest path that visits no place twice.
    fn cheapest(board: &Place, passed: &mut Vec<u64>) -> Option<(u64, Vec<u64>)> {
        if Roads.is_goal(board).is_ok() {
            return Some((0, Vec::new()));
        }
        let mut best: Option<(u64, Vec<u64>)> = None;
        for (to, cost) in Roads::roads(board) {
            if passed.contains(&to) {
                continue;
            }
            passed.push(to);
            let rest = Roads::cheapest(&(board.0.clone(), to, String::new()), passed);
            passed.pop();
            if let Some((rest, mut plan)) = rest
                && best.as_ref().is_none_or(|(known, _)| cost + rest < *known)
            {
                plan.insert(0, to);
                best = Some((cost + rest, plan));
            }
        }
        best
    }
}

impl Describe for Roads {
    fn about(&self) -> About<'_> {
        About { name: "roads", ..About::default() }
    }

    fn recognise(&self, _: &Document) -> Role {
        Role::Instance
    }
}

impl OpenBoard for Roads {
    type Options = ();
    type Engine = Engine;
    type Board = Place;

    fn parse(&self, job: &Job) -> Result<Place, Failure> {
        Ok((job.sources.documents[0].text.to_string(), 0, String::new()))
    }
}

impl OnePlayer for Roads {
    type Move = u64;

    const WORDS: PlanWords = <Stairs as OnePlayer>::WORDS;

    fn moves(&self, board: &Place) -> Vec<u64> {
        Roads::roads(board).into_iter().map(|(to, _)| to).collect()
    }

    fn apply(&self, board: &mut Place, to: u64) -> Result<u64, String> {
        let road = Roads::roads(board).into_iter().find(|road| road.0 == to);
        board.1 = to;
        road.map(|(_, cost)| cost).ok_or_else(|| format!("no road leads to {to}"))
    }

    fn is_goal(&self, (map, at, _): &Place) -> Result<(), String> {
        let is_goal = Roads::lines(map, "goal").iter().any(|goal| goal[0].parse() == Ok(*at));
        is_goal.then_some(()).ok_or_else(|| format!("{at} is no goal"))
    }

    fn cost(&self, board: &Place, plan: &Plan<u64>) -> u64 {
        let mut now = board.clone();
        plan.0.iter().map(|&to| self.apply(&mut now, to).expect("a road")).sum()
    }

    fn search(
        &self,
        board: &Place,
        _: Engine,
        job: &Job,
        found: AnswerSink<'_, Plan<u64>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        let lines = Roads::lines(&board.0, "says");
        let stated = lines.iter().find(|words| words[0].parse() == Ok(board.1)).map(|words| words[1]);
        let (outcome, lower_bound) = match (stated, Roads::cheapest(board, &mut vec![board.1])) {
            (Some("impossible"), _) | (None, None) => (Outcome::Impossible, 0),
            (Some("unknown"), _) => (Outcome::GaveUp(StopReason::NodeLimit), 0),
            (_, Some((cost, moves))) => {
                (Outcome::Solved(search::Plan { cost: cost as u32, moves, optimal: true }), cost as u32)
            }
            (stated, None) => panic!("{stated:?}"),
        };
        let searched = SearchResult { outcome, lower_bound, stats: SearchStats::default() };
        let all = |_, _: &Limits, _: PlanVisitor<'_, u64>| unreachable!("a single plan is requested");
        finish_all(searched, 0, job, all, &Limits::none(), Plan, found)
    }

    fn describe_move(&self, _: &Place, to: u64) -> Move {
        Move::new(to.to_string(), format!("go to {to}"))
    }
}

/// Place 3 is reached through 2 at a cost of 2; place 1 is reached at 9, and then again at 2, when
/// the number of known places stays the same.
#[test]
fn the_smoke_test_keeps_places_that_are_reached_again_at_a_lower_cost() {
    let map = "road 0 1 9\nroad 0 2 1\nroad 2 3 1\nroad 2 1 1\ngoal 3\nsays 0 impossible";
    let failure = solve(Roads, map).err().expect("a wrong result");
    assert_eq!(failure.code(), Some(Code::RejectedAnswer), "{failure}");
    assert!(failure.to_string().contains("a goal is reached for 2 already"), "{failure}");
}

/// The view after the moves from 0 to 4, of which the goal can be reached up to 2. The engine gives
/// up at the places `unknown`.
fn view_after_a_wrong_move(unknown: &[u64], query: PlayQuery) -> GameView {
    let mut map = "goal 9\n".to_owned();
    map.extend((0..5).map(|at| format!("road {at} {} 1\n", at + 1)));
    map.extend((0..3).map(|at| format!("road {at} 9 1\n")));
    map.extend(unknown.iter().map(|at| format!("says {at} unknown\n")));
    let job = Job { sources: vec![Document::in_memory("map", map)].into(), ..Job::default() };
    let board = Arc::new(Roads.parse(&job).expect("a board"));
    let mut game = Roads.game(&board, &job).expect("a game");
    let moves: Vec<String> = (1..5).map(|to| to.to_string()).collect();
    game.view_after(&moves, query).expect("valid moves")
}

#[test]
fn a_hint_names_the_losing_move_only_if_both_sides_of_it_are_proven() {
    let exact = "Move 3 made it unreachable: go to 3. Undo that move.";
    let late = |at: u64| {
        format!(
            "It has been unreachable since move {at} at the latest: go to {at}. Whether it was reachable before is unknown."
        )
    };
    for (unknown, sentence) in [
        (&[][..], exact.to_owned()),
        // The start is unknown, but later boards are known.
        (&[0], exact.to_owned()),
        (&[1], exact.to_owned()),
        (&[2], late(3)),
        (&[3], late(4)),
        (&[0, 2], late(3)),
        (&[0, 1, 2, 3], late(4)),
    ] {
        let because = view_after_a_wrong_move(unknown, PlayQuery::Hint).explanation.unwrap_or_default();
        assert_eq!(because, format!("The goal cannot be reached from here. {sentence}"), "{unknown:?}");
    }
}

#[test]
fn an_engine_that_gives_up_leaves_it_open_whether_there_is_a_mistake() {
    let played = view_after_a_wrong_move(&[4], PlayQuery::Mistake);
    assert_eq!(played.gave_up, Some(StopReason::NodeLimit));
    assert_eq!(played.words, "4 steps so far. Whether there is a mistake is unknown: the node limit was reached.");
    assert_eq!(view_after_a_wrong_move(&[], PlayQuery::Mistake).state, GameState::Stuck);
}

#[test]
fn a_registry_takes_puzzles_of_other_crates() {
    let mut registry = builtin::registry_with(&[]);
    registry.add_native(Stairs);
    assert!(registry.is_native("stairs") && registry.by_name("stairs").is_some());
    assert_eq!(registry.all().len(), builtin::registry().all().len() + 1);
    assert!(builtin::registry().by_name("stairs").is_none());
    let documents = [Document::in_memory("stairs", "up, up & up")];
    let recognised = recognise(&registry, &documents, &[], &[]).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!((recognised.entry.name(), recognised.is_guessed), ("stairs", false));
}
