//! The game on positive integers from outside.

use serde_json::{Value, json};

use crate::support::{answers, run_line, run_with_input};

fn solve(game: &Value, arguments: &str) -> (i32, Value) {
    let ran = run_with_input(&format!("- -f json {arguments}"), &game.to_string());
    assert!(ran.code != 2, "{game}: {}", ran.err);
    (ran.code, ran.json())
}

#[test]
fn the_exam_s_example_takes_seven_moves_with_every_engine() {
    for engine in ["bfs", "ids", "idastar", "astar"] {
        let ran = run_line(&format!("instances/game_42.json -f json --engine {engine}"));
        let value = ran.json();
        let answer = &answers(&value)[0];
        assert_eq!(answer["depth"], 7, "{engine}");
        assert_eq!(answer["states"].as_array().map(Vec::len), Some(8));
        assert_eq!(value["complete"], true);
    }
}

/// A layer at a time, in a set, without anything of the program.
fn depth(start: u64, moves: &[fn(u64) -> Option<u64>], goals: &[u64], most: u64, deepest: usize) -> Option<usize> {
    let mut seen = std::collections::BTreeSet::from([start]);
    let mut layer = vec![start];
    for depth in 0..=deepest {
        if layer.iter().any(|n| goals.contains(n)) {
            return Some(depth);
        }
        let next = layer.iter().flat_map(|&n| moves.iter().filter_map(move |apply| apply(n)));
        layer = next.filter(|&n| n <= most && seen.insert(n)).collect();
    }
    None
}

/// A move as it is written, and as it is meant.
type Known = (&'static str, fn(u64) -> Option<u64>);

const KNOWN: [Known; 9] = [
    ("2*n", |n| Some(2 * n)),
    ("n+1", |n| Some(n + 1)),
    ("3*n", |n| Some(3 * n)),
    ("n + 7", |n| Some(n + 7)),
    ("n*(n+1)", |n| Some(n * (n + 1))),
    ("n-3", |n| n.checked_sub(3).filter(|&n| n > 0)),
    ("n/2", |n| Some(n / 2).filter(|&n| n > 0)),
    ("(n % 5) + 2*n", |n| Some(n % 5 + 2 * n)),
    ("2^(n%6)", |n| Some(1 << (n % 6))),
];

#[test]
fn all_engines_agree_with_a_plain_search_on_random_moves_and_goals() {
    let mut state = 42u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut unreachable = 0;
    for _ in 0..60 {
        let chosen: Vec<Known> = (0..2 + below(2)).map(|_| KNOWN[below(9) as usize]).collect();
        let (start, goals) = (1 + below(5), vec![1 + below(60), 1 + below(200)]);
        let moves: Vec<_> = chosen.iter().map(|known| known.1).collect();
        // Products outgrow 64 bits after four moves.
        let limit = 4;
        let expected = depth(start, &moves, &goals, u64::MAX >> 31, limit);
        let names: Vec<&str> = chosen.iter().map(|known| known.0).collect();
        let game = json!({ "start": start, "moves": names, "goal": goals });
        for engine in ["bfs", "ids", "idastar", "astar"] {
            let (code, value) = solve(&game, &format!("--engine {engine} --depth-limit {limit}"));
            match expected {
                Some(depth) => {
                    assert_eq!(code, 0, "{engine}: {game}");
                    assert_eq!(answers(&value)[0]["depth"], depth, "{engine}: {game}");
                }
                // Exhausted, or too far: but never solved.
                None => assert!(code == 1 || value["reason"] == "the depth limit was reached", "{engine}: {game}"),
            }
        }
        unreachable += usize::from(expected.is_none());
    }
    assert!(unreachable > 5);
}

#[test]
fn a_goal_below_the_start_cannot_be_reached_where_moves_lead_up() {
    for engine in ["bfs", "ids", "idastar", "astar"] {
        let (code, value) =
            solve(&json!({"start": 10, "moves": ["2*n", "n+1"], "goal": [5]}), &format!("--engine {engine}"));
        assert_eq!((code, &value["verdict"]), (1, &json!("impossible")), "{engine}");
    }
    // Where a move leads down nothing is proven, and the depth limit is no proof.
    let (code, value) =
        solve(&json!({"start": 10, "moves": ["n+2", "n-4"], "goal": [5]}), "--engine ids --depth-limit 12");
    assert_eq!((code, &value["reason"]), (3, &json!("the depth limit was reached")));
}

#[test]
fn overflow_is_an_error_and_no_wrap() {
    let game = json!({"start": 3, "moves": ["n*n", "n-1"], "goal": [1000003]}).to_string();
    let ran = run_with_input("- --engine bfs", &game);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("the move n*n overflows 64 bits at n = "), "{}", ran.err);
}
