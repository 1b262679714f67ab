//! The game on positive integers from outside.

use std::collections::BTreeSet;

use num_bigint::BigUint;
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
    let mut seen = BTreeSet::from([start]);
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

/// A move as it is written, and as it is meant, on numbers of any size.
type Large = (&'static str, fn(&BigUint) -> BigUint);

const LARGE: [Large; 9] = [
    ("n*n", |n| n * n),
    ("n+1", |n| n + 1u32),
    ("n-1", |n| n - 1u32),
    ("n/2", |n| n / 2u32),
    ("n^3 + 5", |n| n.pow(3) + 5u32),
    ("n*n*n*n", |n| n.pow(4)),
    ("n % 1000", |n| n % 1000u32),
    // What is reckoned out on the way has more than 128 bits long before the result has.
    ("n^7 / n^6 + 2", |n| n + 2u32),
    ("n/3 + 1", |n| n / 3u32 + 1u32),
];

/// The depth of a goal, if it is no deeper than that; and whether nothing that is deeper can be one.
fn true_depth(start: u32, moves: &[Large], goals: &[u32], deepest: usize) -> (Option<usize>, bool) {
    let mut seen = BTreeSet::from([BigUint::from(start)]);
    let mut layer = vec![BigUint::from(start)];
    for depth in 0..=deepest {
        if layer.iter().any(|n| goals.iter().any(|&goal| *n == BigUint::from(goal))) {
            return (Some(depth), false);
        }
        let next: Vec<BigUint> = layer.iter().flat_map(|n| moves.iter().map(move |known| known.1(n))).collect();
        layer = next.into_iter().filter(|n| *n > BigUint::ZERO && seen.insert(n.clone())).collect();
    }
    // These never lead down.
    let only_up = moves.iter().all(|known| ["n*n", "n+1", "n^3 + 5", "n*n*n*n"].contains(&known.0));
    let is_beyond = |n: &BigUint| goals.iter().all(|&goal| *n > BigUint::from(goal));
    (None, layer.iter().all(|n| only_up && is_beyond(n)))
}

#[test]
fn what_is_proven_holds_for_numbers_of_any_size() {
    let mut state = 7u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let deepest = 7;
    let (mut proven, mut unproven, mut gave_up) = (0, 0, 0);
    for round in 0..240 {
        let chosen: Vec<Large> = (0..2 + below(2)).map(|_| LARGE[below(9) as usize]).collect();
        let (start, goals) = (2 + below(30) as u32, vec![1 + below(30) as u32, 1 + below(200) as u32]);
        let (expected, is_exhausted) = true_depth(start, &chosen, &goals, deepest);
        let names: Vec<&str> = chosen.iter().map(|known| known.0).collect();
        let game = json!({ "start": start, "moves": names, "goal": goals });
        let engine = ["bfs", "ids", "idastar", "astar"][round % 4];
        let (code, value) = solve(&game, &format!("--engine {engine} --depth-limit {deepest}"));
        let bound = value["statistics"]["lower_bound"].as_u64().unwrap_or(0) as usize;
        assert!(expected.is_none_or(|depth| bound <= depth), "{engine}: {game}: {value}");
        match (code, value["complete"] == true) {
            (0, true) => assert_eq!(answers(&value)[0]["depth"].as_u64().map(|depth| depth as usize), expected),
            (0, false) => {
                let depth = answers(&value)[0]["depth"].as_u64().expect("a depth") as usize;
                assert!(expected.is_some_and(|least| least <= depth) && bound < depth, "{engine}: {game}: {value}");
            }
            (1, true) => assert!(is_exhausted, "{engine}: {game}"),
            (3, false) => {}
            other => panic!("{other:?}: {engine}: {game}: {value}"),
        }
        proven += usize::from(code == 0 && value["complete"] == true);
        unproven += usize::from(code == 0 && value["complete"] == false);
        gave_up += usize::from(code == 3);
    }
    assert!(proven > 20 && unproven > 0 && gave_up > 5, "{proven} {unproven} {gave_up}");
}

#[test]
fn ways_beyond_64_bits_are_left_out_and_told() {
    let game = json!({"start": 3, "moves": ["n*n", "n+1", "n-1"], "goal": [53]});
    for engine in ["bfs", "ids", "idastar", "astar"] {
        let (code, value) = solve(&game, &format!("--engine {engine}"));
        assert_eq!((code, &answers(&value)[0]["depth"]), (0, &json!(8)), "{engine}");
        assert_eq!((&value["complete"], &value["statistics"]["lower_bound"]), (&json!(false), &json!(7)), "{engine}");
    }
    let ran = run_with_input("-", &game.to_string());
    assert!(ran.out.contains("8 moves, perhaps not the fewest: numbers beyond 64 bits were left out"), "{}", ran.out);
    // A shorter way than any that leads so far.
    let (_, value) = solve(&json!({"start": 3, "moves": ["n*n", "n+1", "n-1"], "goal": [11]}), "");
    assert_eq!((&answers(&value)[0]["depth"], &value["complete"]), (&json!(3), &json!(true)));
    // All that there is within 64 bits, and no goal.
    let game = json!({"start": 3, "moves": ["n*n*n"], "goal": [4]});
    assert_eq!(solve(&game, "").0, 1, "products only lead up");
    let ran = run_with_input("- --engine bfs", &json!({"start": 3, "moves": ["n*n - 1"], "goal": [4]}).to_string());
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.out.contains("Gave up: numbers beyond 64 bits were left out."), "{}", ran.out);
}
