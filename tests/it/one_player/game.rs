//! The game on positive integers.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

use num_bigint::{BigInt, BigUint};
use serde_json::{Value, json};

use crate::support::process::*;
use crate::support::{answers, extent, programs, run_command_with_input, run_line, run_with_input};

fn solve(game: &Value, arguments: &str) -> (i32, Value) {
    let ran = run_with_input(&format!("- -f json {arguments}"), &game.to_string());
    assert!(ran.code != 2, "{game}: {}", ran.err);
    (ran.code, ran.json())
}

#[test]
fn the_example_of_the_exam_takes_seven_moves_with_every_engine() {
    for engine in ["bfs", "ids", "idastar", "astar"] {
        let ran = run_line(&format!("instances/game_42.json -f json --engine {engine}"));
        let value = ran.json();
        let answer = &answers(&value)[0];
        assert_eq!(answer["depth"], 7, "{engine}");
        assert_eq!(answer["states"].as_array().map(Vec::len), Some(8));
        assert_eq!(value["complete"], true);
    }
}

/// A breadth-first search that shares no code with the program.
fn depth(start: u64, moves: &[fn(u64) -> Option<u64>], goals: &[u64], max: u64, deepest: usize) -> Option<usize> {
    let mut seen = BTreeSet::from([start]);
    let mut layer = vec![start];
    for depth in 0..=deepest {
        if layer.iter().any(|n| goals.contains(n)) {
            return Some(depth);
        }
        let next = layer.iter().flat_map(|&n| moves.iter().filter_map(move |apply| apply(n)));
        layer = next.filter(|&n| n <= max && seen.insert(n)).collect();
    }
    None
}

/// The text of a move, and its meaning.
type KnownMove = (&'static str, fn(u64) -> Option<u64>);

const KNOWN_MOVES: [KnownMove; 9] = [
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
    let mut state = extent::seed();
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut unreachable = 0;
    for _ in 0..extent::sample_size(60) {
        let chosen: Vec<KnownMove> = (0..2 + below(2)).map(|_| KNOWN_MOVES[below(9) as usize]).collect();
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
                // The search is exhausted or too shallow, but finds no solution.
                None => assert!(code == 1 || value["reason"] == "the depth limit was reached", "{engine}: {game}"),
            }
        }
        unreachable += usize::from(expected.is_none());
    }
    extent::expect_counts([("unreachable", unreachable, 5)]);
}

#[test]
fn a_goal_below_the_start_is_proven_unreachable_if_all_moves_lead_up() {
    for engine in ["bfs", "ids", "idastar", "astar"] {
        let (code, value) =
            solve(&json!({"start": 10, "moves": ["2*n", "n+1"], "goal": [5]}), &format!("--engine {engine}"));
        assert_eq!((code, &value["verdict"]), (1, &json!("impossible")), "{engine}");
    }
    // If a move leads down, a search up to the depth limit proves nothing.
    let (code, value) =
        solve(&json!({"start": 10, "moves": ["n+2", "n-4"], "goal": [5]}), "--engine ids --depth-limit 12");
    assert_eq!((code, &value["reason"]), (3, &json!("the depth limit was reached")));
}

#[test]
fn the_default_engine_ends_on_cyclic_numbers_and_finds_deep_goals() {
    for game in [
        json!({"start": 10, "moves": ["3", "n / n"], "goal": [34]}),
        json!({"start": 2, "moves": ["n*n % 1009 + 1", "n % 500 + 7"], "goal": [2000]}),
    ] {
        let (code, value) = solve(&game, "--time-limit 900");
        assert_eq!((code, &value["verdict"]), (1, &json!("impossible")), "{game}");
    }
    for (game, depth) in [
        (json!({"start": 1, "moves": ["2*n", "3*n", "n+7"], "goal": [300_000]}), None),
        (json!({"start": 1, "moves": ["n+1", "n-1"], "goal": [20_000]}), Some(19_999)),
    ] {
        let (code, value) = solve(&game, "--time-limit 900");
        assert_eq!((code, &value["complete"]), (0, &json!(true)), "{game}");
        let least = &answers(&value)[0]["depth"];
        assert!(depth.is_none_or(|depth| *least == json!(depth)), "{game}: {least}");
    }
}

#[test]
fn a_node_limit_is_exact() {
    let game = json!({"start": 3, "moves": ["2*n + 1", "n + 3", "n - 2"], "goal": [4_000_000_000_u64]});
    for engine in ["bfs", "ids", "idastar", "astar"] {
        for nodes in [1, 150, 3000] {
            let (code, value) = solve(&game, &format!("--engine {engine} --node-limit {nodes}"));
            assert_eq!((code, &value["reason"]), (3, &json!("the node limit was reached")), "{engine}");
            assert_eq!(value["statistics"]["expanded"], json!(nodes), "{engine}");
        }
    }
}

/// The text of a move, and its meaning for numbers of any size.
type LargeMove = (&'static str, fn(&BigUint) -> BigUint);

const LARGE_MOVES: [LargeMove; 9] = [
    ("n*n", |n| n * n),
    ("n+1", |n| n + 1u32),
    ("n-1", |n| n - 1u32),
    ("n/2", |n| n / 2u32),
    ("n^3 + 5", |n| n.pow(3) + 5u32),
    ("n*n*n*n", |n| n.pow(4)),
    ("n % 1000", |n| n % 1000u32),
    // Intermediate results exceed 128 bits long before the result does.
    ("n^7 / n^6 + 2", |n| n + 2u32),
    ("n/3 + 1", |n| n / 3u32 + 1u32),
];

/// The depth of the nearest goal, if it is at most `deepest`, and whether no deeper state can be a
/// goal.
fn true_depth(start: u32, moves: &[LargeMove], goals: &[u32], deepest: usize) -> (Option<usize>, bool) {
    let mut seen = BTreeSet::from([BigUint::from(start)]);
    let mut layer = vec![BigUint::from(start)];
    for depth in 0..=deepest {
        if layer.iter().any(|n| goals.iter().any(|&goal| *n == BigUint::from(goal))) {
            return (Some(depth), false);
        }
        let next: Vec<BigUint> = layer.iter().flat_map(|n| moves.iter().map(move |known| known.1(n))).collect();
        layer = next.into_iter().filter(|n| *n > BigUint::ZERO && seen.insert(n.clone())).collect();
    }
    // Moves that never lead down.
    let only_up = moves.iter().all(|known| ["n*n", "n+1", "n^3 + 5", "n*n*n*n"].contains(&known.0));
    let is_beyond = |n: &BigUint| goals.iter().all(|&goal| *n > BigUint::from(goal));
    (None, layer.iter().all(|n| only_up && is_beyond(n)))
}

#[test]
fn proofs_hold_for_numbers_of_any_size() {
    let mut state = extent::seed();
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let deepest = 7;
    let (mut proven, mut unproven, mut gave_up) = (0, 0, 0);
    for round in 0..extent::sample_size(240) {
        let chosen: Vec<LargeMove> = (0..2 + below(2)).map(|_| LARGE_MOVES[below(9) as usize]).collect();
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
    extent::expect_counts([("proven", proven, 20), ("unproven", unproven, 1), ("given up", gave_up, 5)]);
}

#[test]
fn omitted_numbers_beyond_64_bits_are_reported() {
    let game = json!({"start": 3, "moves": ["n*n", "n+1", "n-1"], "goal": [53]});
    for engine in ["bfs", "ids", "idastar", "astar"] {
        let (code, value) = solve(&game, &format!("--engine {engine}"));
        assert_eq!((code, &answers(&value)[0]["depth"]), (0, &json!(8)), "{engine}");
        assert_eq!((&value["complete"], &value["statistics"]["lower_bound"]), (&json!(false), &json!(7)), "{engine}");
    }
    let ran = run_with_input("-", &game.to_string());
    assert!(ran.out.contains("8 moves, perhaps not the fewest: numbers beyond 64 bits were left out"), "{}", ran.out);
    // A plan that is shorter than all plans beyond 64 bits.
    let (_, value) = solve(&json!({"start": 3, "moves": ["n*n", "n+1", "n-1"], "goal": [11]}), "");
    assert_eq!((&answers(&value)[0]["depth"], &value["complete"]), (&json!(3), &json!(true)));
    // No goal within 64 bits.
    let game = json!({"start": 3, "moves": ["n*n*n"], "goal": [4]});
    assert_eq!(solve(&game, "").0, 1, "products never lead down");
    let ran = run_with_input("- --engine bfs", &json!({"start": 3, "moves": ["n*n - 1"], "goal": [4]}).to_string());
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.out.contains("Gave up: numbers beyond 64 bits were left out."), "{}", ran.out);
}

/// An expression, evaluated independently of the program.
enum Tree {
    N,
    Number(u32),
    Minus(Box<Tree>),
    Binary(char, Box<[Tree; 2]>),
}

/// The reason why an expression has no value of at most 127 bits.
#[derive(Debug, PartialEq)]
enum NoValue {
    Undefined,
    TooLarge,
}

impl Tree {
    fn random(below: &mut impl FnMut(u64) -> u64, depth: u32) -> Tree {
        match below(if depth == 0 { 5 } else { 12 }) {
            0..3 => Tree::N,
            3..5 => Tree::Number(below(21) as u32),
            5 => Tree::Minus(Box::new(Tree::random(below, depth - 1))),
            _ => {
                let operator = ['+', '-', '*', '/', '%', '^'][below(6) as usize];
                let sides = [0; 2].map(|_| Tree::random(below, depth - 1));
                Tree::Binary(operator, Box::new(sides))
            }
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Tree::Binary('+' | '-', _) => 1,
            Tree::Binary('*' | '/' | '%', _) => 2,
            Tree::Minus(_) => 3,
            Tree::Binary(..) => 4,
            Tree::N | Tree::Number(_) => 5,
        }
    }

    /// The text of the expression, with the necessary brackets and those that `more` adds.
    fn text(&self, least: u8, more: &mut impl FnMut() -> bool) -> String {
        let text = match self {
            Tree::N => "n".to_owned(),
            Tree::Number(number) => number.to_string(),
            Tree::Minus(inside) => format!("-{}", inside.text(3, more)),
            Tree::Binary('^', sides) => format!("{}^{}", sides[0].text(5, more), sides[1].text(3, more)),
            Tree::Binary(operator, sides) => {
                let rank = self.rank();
                format!("{}{operator}{}", sides[0].text(rank, more), sides[1].text(rank + 1, more))
            }
        };
        if self.rank() < least || more() { format!("({text})") } else { text }
    }

    fn value(&self, n: &BigInt) -> Result<BigInt, NoValue> {
        let value = match self {
            Tree::N => n.clone(),
            Tree::Number(number) => BigInt::from(*number),
            Tree::Minus(inside) => -inside.value(n)?,
            Tree::Binary(operator, sides) => {
                let (left, right) = (sides[0].value(n)?, sides[1].value(n)?);
                let zero = BigInt::ZERO;
                // The quotient that leaves a remainder of the divisor's sign, searched near the
                // truncated one.
                let floor = |left: &BigInt, right: &BigInt| {
                    let near = left / right;
                    [near.clone() - 1, near.clone(), near + 1].into_iter().find(|quotient| {
                        let rest = left - quotient * right;
                        if *right > zero { rest >= zero && rest < *right } else { rest <= zero && rest > *right }
                    })
                };
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    '/' | '%' if right == zero => return Err(NoValue::Undefined),
                    '^' if right < zero => return Err(NoValue::Undefined),
                    '/' => floor(&left, &right).expect("a quotient near the truncated one"),
                    '%' => &left - floor(&left, &right).expect("a quotient near the truncated one") * &right,
                    _ => left.pow(u32::try_from(right).ok().filter(|right| *right < 200).ok_or(NoValue::TooLarge)?),
                }
            }
        };
        if value.bits() < 127 { Ok(value) } else { Err(NoValue::TooLarge) }
    }
}

/// The values of expressions in Python, if it is installed. Its operators are // and **; a result
/// that is not an integer counts as undefined.
fn by_python(expressions: &[(u64, String)]) -> Option<Vec<Option<String>>> {
    let script = "import sys\nfor line in sys.stdin:\n    n, text = line.split('\\t')\n    try: value = \
                  eval(text.replace('/', '//').replace('^', '**'), {'n': int(n)})\n    except (ZeroDivisionError, \
                  OverflowError): value = None\n    print(value if isinstance(value, int) else 'none')";
    let lines: String = expressions.iter().map(|(n, text)| format!("{n}\t{text}\n")).collect();
    let mut python = command_of("python3");
    let mut child =
        python.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = Some(child.finished()).filter(|output| output.status.success())?;
    writer.join().expect("the writer ends").ok()?;
    let output = String::from_utf8(output.stdout).expect("ASCII");
    Some(output.lines().map(|line| (line != "none").then(|| line.to_owned())).collect())
}

#[test]
fn expressions_have_the_values_of_mathematics() {
    let mut state = extent::seed();
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut cases: Vec<(u64, String, Result<BigInt, NoValue>)> = Vec::new();
    while cases.len() < extent::sample_size(3000) {
        let depth = 1 + below(4) as u32;
        let tree = Tree::random(&mut below, depth);
        let n = 1 + below(30);
        let value = tree.value(&BigInt::from(n));
        let percent = [0, 0, 15, 100][below(4) as usize];
        let text = tree.text(0, &mut || below(100) < percent);
        if value != Err(NoValue::TooLarge) && text.len() > 2 {
            cases.push((n, text, value));
        }
    }
    let plain = cases.iter().filter(|(_, text, _)| !text.contains('(')).count();
    extent::expect_counts([("without brackets", plain, 500)]);
    let written: Vec<(u64, String)> = cases.iter().map(|(n, text, _)| (*n, text.clone())).collect();
    let by_python = by_python(&written);
    if by_python.is_none() {
        programs::skip("python3 is not installed");
    }
    assert_eq!(by_python.as_ref().map_or(cases.len(), Vec::len), cases.len());
    for ((n, text, value), python) in cases.iter().zip(by_python.unwrap_or_default()) {
        assert_eq!(value.as_ref().ok().map(ToString::to_string), python, "{text} of {n}, by Python");
    }
    let target = |n: u64, value: &Result<BigInt, NoValue>| {
        value.as_ref().ok().and_then(|value| u64::try_from(value).ok()).filter(|&to| to > 0 && to != n)
    };
    let game = |(n, text, value): &(u64, String, Result<BigInt, NoValue>)| {
        json!({ "start": n, "moves": text, "goal": target(*n, value).unwrap_or(n + 1) }).to_string()
    };
    let lines: Vec<String> = cases.iter().map(game).collect();
    let ran = run_with_input("- --batch --engine bfs", &lines.join("\n"));
    let objects: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    assert_eq!(objects.len(), cases.len(), "{}", ran.err);
    let mut reached = 0;
    for ((n, text, value), object) in cases.iter().zip(&objects) {
        match target(*n, value) {
            Some(to) => {
                assert_eq!(answers(object)[0]["states"], json!([n, to]), "{text} of {n}: {object}");
                reached += 1;
            }
            // Beyond 64 bits nothing is proven.
            None if value.as_ref().is_ok_and(|value| value.bits() > 64) => assert_ne!(object["verdict"], "solved"),
            None => assert_eq!(object["verdict"], "impossible", "{text} of {n} is {value:?}: {object}"),
        }
    }
    extent::expect_counts([("reached", reached, 800), ("not reached", cases.len() - reached, 100)]);
}

#[test]
fn constants_are_not_combined_across_operators() {
    for (start, moves, goal, depth) in [
        (7, json!("n-2+3"), 8, 1),
        (7, json!("n/2*3"), 9, 1),
        (7, json!("n%4*3"), 9, 1),
        (7, json!("n - 2 - 3"), 2, 1),
        (3, json!("-n^2+20"), 11, 1),
        (2, json!("n^3^2"), 512, 1),
        (19_990, json!(["n+1", "n*n*(-1)+20000*n+(-19994)"]), 5, 10),
    ] {
        let (code, value) = solve(&json!({ "start": start, "moves": moves, "goal": goal }), "");
        assert_eq!((code, &answers(&value)[0]["depth"]), (0, &json!(depth)), "{moves}: {value}");
    }
    assert_eq!(solve(&json!({"start": 7, "moves": ["n-2+3"], "goal": [2]}), "--depth-limit 4").0, 3);
}

#[test]
fn a_term_with_coefficient_zero_does_not_hide_its_overflow() {
    // n·n·n exceeds 128 bits here, but its coefficient is 0.
    let start = 10_000_000_000_000_u64;
    let game = json!({ "start": start, "moves": ["(n*n*n)*0+n+1"], "goal": [start + 1] });
    assert_ne!(solve(&game, "--engine bfs").0, 1);
}

#[test]
fn errors_of_moves_name_the_column() {
    for (text, column, what) in [
        ("n+", 6, "expected n, an integer, `-` or `(`, found the end"),
        ("2n", 5, "expected an operator (+ - * / % ^), found `n`"),
        ("(n+1", 8, "expected an operator (+ - * / % ^) or `)`, found the end"),
        ("n*m2", 6, "expected n, an integer, `-` or `(`, found `m2`"),
        ("n)", 5, "expected an operator (+ - * / % ^), found `)`"),
        ("n+999999999999999999999999999999999999999", 6, "has more than 127 bits"),
    ] {
        let ran = run_with_input("-", &format!("{{\"start\": 1, \"goal\": 2, \"moves\":\n [\"{text}\"]}}"));
        assert_eq!(ran.code, 2, "{text}: {}", ran.out);
        assert!(ran.err.contains(what) && ran.err.contains(&format!(":2:{column}")), "{text}: {}", ran.err);
    }
}

/// The process has little address space.
#[cfg(unix)]
#[test]
fn a_plan_of_a_million_moves_fits_a_small_stack() {
    for (goal, arguments, moves) in [(1_000_000, "--engine bfs -n 0", 999_999), (3_000, "--engine ids", 2_999)] {
        let game = json!({ "start": 1, "moves": ["n+1"], "goal": goal }).to_string();
        let mut limited = command_of("sh");
        let program = env!("CARGO_BIN_EXE_asp-solve");
        limited.args(["-c", &format!("ulimit -v 1000000; exec {program} \"$@\""), "sh"]);
        let ran = run_command_with_input(limited, &format!("- -p game -f json --stats {arguments}"), &game);
        assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
        let value = ran.json();
        assert_eq!((&answers(&value)[0]["depth"], &value["complete"]), (&json!(moves), &json!(true)), "{arguments}");
    }
}
