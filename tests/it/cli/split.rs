//! Tests of programs and boards that are split into cubes, of their merged results, and of
//! certificates in parts.

use std::collections::BTreeSet;
use std::path::Path;

use fastrand::Rng;
use serde_json::{Value, json};

use crate::support::process::*;
use crate::support::{RunOutput, answers, command, extent, file, folder, run, run_line, run_with_input};

/// Returns a program with a few atoms, cycles, sums, disjunctions and hidden atoms.
fn random_program(random: &mut Rng) -> String {
    const ATOMS: [&str; 7] = ["a", "b", "c", "d", "p(1)", "p(2)", "-q"];
    let atom = |random: &mut Rng| ATOMS[random.usize(..ATOMS.len())];
    let literal = |random: &mut Rng| format!("{}{}", ["", "not "][random.usize(..2)], atom(random));
    let mut lines = vec!["{ a; b; p(1) }.".to_owned()];
    for _ in 0..random.usize(3..8) {
        let head = ATOMS[random.usize(..ATOMS.len())];
        let other = ATOMS[random.usize(..ATOMS.len())];
        let body = (0..random.usize(1..3)).map(|_| literal(random)).collect::<Vec<_>>().join(", ");
        lines.push(match random.usize(..6) {
            0 => format!("{{ {head}; {other} }} :- {body}."),
            1 => format!("{head} ; {other} :- {body}."),
            2 => format!(":- {body}, {}.", literal(random)),
            3 => format!("{head} :- 2 #count {{ 1 : {other}; 2 : {body} }}."),
            _ => format!("{head} :- {body}."),
        });
    }
    if random.bool() {
        lines.push("#show a/0. #show p/1.".to_owned());
    }
    lines.join("\n")
}

/// Splits a program, solves its parts, and returns the lines and the results.
fn solve_in_parts(program: &str, cubes: usize, options: &str) -> (String, String) {
    let split = run_with_input(&format!("split - --into {cubes} -p program"), program);
    assert_eq!(split.code, 0, "{program}\n{}", split.err);
    let results = run_with_input(&format!("- --batch -p program {options}"), &split.out);
    assert!(results.code == 0, "{program}\n{}{}", results.out, results.err);
    (split.out, results.out)
}

fn merge(results: &str) -> RunOutput {
    run_with_input("merge - -f json", results)
}

/// Returns the texts of answers, sorted.
fn sorted_answers(report: &Value) -> Vec<String> {
    let text = |answer: &Value| {
        let mut atoms: Vec<String> =
            answers(&json!({ "answers": answer["atoms"] })).iter().map(Value::to_string).collect();
        atoms.sort();
        atoms.join(" ")
    };
    let mut texts: Vec<String> = answers(report).iter().map(text).collect();
    texts.sort();
    texts
}

#[test]
fn the_answers_of_the_cubes_are_those_of_the_program() {
    let mut several = 0;
    let mut without = 0;
    let seeds = extent::seeds(150);
    let cases = seeds.clone().count();
    for seed in seeds {
        let random = &mut Rng::with_seed(seed);
        let mut program = random_program(random);
        if seed.is_multiple_of(6) {
            program += "\n:- a. :- not a.";
        }
        let cubes = random.usize(2..=16);
        let options = ["-n 0", "-n 0 --project"][random.usize(..2)];
        let whole = run_with_input(&format!("- {options} -p program -f json"), &program).json();
        let (lines, results) = solve_in_parts(&program, cubes, &format!("{options} --proof -"));
        let merged = merge(&results);
        let report = merged.json();
        assert_eq!(sorted_answers(&report), sorted_answers(&whole), "seed {seed}, {options}\n{program}\n{lines}");
        assert_eq!(report["verdict"], whole["verdict"], "seed {seed}");
        assert_eq!(
            (&report["complete"], &report["count"]),
            (&true.into(), &answers(&whole).len().into()),
            "seed {seed}"
        );
        assert_eq!(merged.code, i32::from(answers(&whole).is_empty()), "seed {seed}");
        let folder = folder();
        let results = file(folder.path(), "results", &results).display().to_string();
        let source = file(folder.path(), "mine.lp", &program).display().to_string();
        let verified = run(["verify", &results, &source, "-p", "program", "-f", "json"]);
        let certified = verified.json();
        assert_eq!(
            (verified.code, &certified["certificate"]["checked"]),
            (0, &true.into()),
            "seed {seed}\n{program}\n{}",
            verified.out
        );
        assert_eq!(answers(&certified).len(), answers(&whole).len(), "seed {seed}\n{program}");
        several += usize::from(lines.lines().count() > 2);
        without += usize::from(answers(&whole).is_empty());
    }
    assert!(several > cases / 4 && without > 0, "{several} and {without} of {cases}");
}

#[test]
fn the_least_costs_of_the_cubes_are_those_of_the_program() {
    for seed in extent::seeds(60) {
        let random = &mut Rng::with_seed(seed);
        let mut program = random_program(random);
        let weights: Vec<i32> = (0..4).map(|_| random.i32(-2..4)).collect();
        program += &format!(
            "\n#minimize {{ {}@2 : a; {}@2 : b; {}@1 : c; {}@1 : p(1) }}.",
            weights[0], weights[1], weights[2], weights[3]
        );
        let cubes = random.usize(2..=16);
        let mode = ["", "--opt-mode optN"][random.usize(..2)];
        let whole = run_with_input(&format!("- -n 0 {mode} -p program -f json"), &program).json();
        let best = answers(&whole).iter().find(|answer| answer["optimal"] == true).map(|answer| &answer["costs"]);
        let (_, results) = solve_in_parts(&program, cubes, &format!("-n 0 {mode} --proof -"));
        let merged = merge(&results).json();
        assert_eq!(merged["costs"], *best.unwrap_or(&Value::Null), "seed {seed}\n{program}");
        assert_eq!((&merged["verdict"], &merged["complete"]), (&whole["verdict"], &true.into()), "seed {seed}");
        if !mode.is_empty() {
            assert_eq!(sorted_answers(&merged), sorted_answers(&whole), "seed {seed}\n{program}");
        }
        let verified = run_with_input("verify - -f json", &results);
        assert_eq!(verified.code, 0, "seed {seed}\n{program}\n{}", verified.out);
        let certified = verified.json();
        assert_eq!(certified["costs"], *best.unwrap_or(&Value::Null), "seed {seed}\n{program}");
    }
}

/// clingo 5.8.3 as published reports the answer without atoms twice if the last rule is `:- b.`
#[test]
fn an_answer_that_is_reported_twice_counts_once() {
    let program = "{ a; b; p(1) }. :- not a, p(1). -q :- not -q, a. { c; -q } :- -q.
d :- 2 #count { 1 : a; 2 : p(1) }. { a; p(1) } :- not p(2), a. p(2) :- 2 #count { 1 : a; 2 : not b }.
#minimize { 3@2 : a; 0@2 : b; 2@1 : c; 1@1 : p(1) }.";
    for mode in ["optN", "ignore"] {
        let whole = run_with_input(&format!("- -p program -n 0 --opt-mode {mode} -f json"), program).json();
        let (_, results) = solve_in_parts(program, 2, &format!("-n 0 --opt-mode {mode} --proof -"));
        assert_eq!(sorted_answers(&merge(&results).json()), sorted_answers(&whole), "{mode}\n{results}");
        let verified = run_with_input("verify - -f json", &results);
        assert_eq!((verified.code, answers(&verified.json()).len()), (0, answers(&whole).len()), "{}", verified.out);
    }
}

#[test]
fn the_counts_of_the_cubes_are_that_of_the_program() {
    let (mut several, mut projected, mut minimised) = (0, 0, 0);
    for seed in extent::seeds(100) {
        let random = &mut Rng::with_seed(seed);
        let mut program = random_program(random);
        let is_minimised = random.bool();
        if is_minimised {
            program += &format!(
                "\n#minimize {{ {}@2 : a; 1@2 : b; {}@1 : c; 1@1 : p(1) }}.",
                random.i32(-2..4),
                random.i32(-2..4)
            );
        }
        let option = ["", " --project"][random.usize(..2)];
        let whole = run_with_input(&format!("count - -f json -p program{option}"), &program);
        if whole.err.contains("atoms of one disjunction depend on each other") {
            continue;
        }
        let whole = whole.json();
        let split = run_with_input(&format!("split - --count --into {} -p program", random.usize(2..=16)), &program);
        assert_eq!(split.code, 0, "seed {seed}\n{program}\n{}", split.err);
        let results = run_with_input(&format!("- --batch -p program{option}"), &split.out);
        if results.code == 2 {
            // The cubes differ in hidden atoms.
            assert!(
                !option.is_empty() && results.out.contains("may be in several cubes"),
                "seed {seed}\n{}",
                results.out
            );
            assert!(program.contains("#show"), "seed {seed}\n{program}");
            continue;
        }
        let merged = merge(&results.out);
        let report = merged.json();
        for key in ["count", "at_least", "at_most", "verdict", "costs"] {
            assert_eq!(report[key], whole[key], "seed {seed}, {key}{option}\n{program}\n{}", results.out);
        }
        assert_eq!(merged.code, i32::from(whole["count"] == "0"), "seed {seed}");
        several += usize::from(split.out.lines().count() > 1);
        projected += usize::from(!option.is_empty());
        minimised += usize::from(is_minimised);
    }
    extent::expect_counts([("splits", several, 40), ("projected", projected, 15), ("minimised", minimised, 20)]);
}

#[test]
fn counts_of_cubes_give_bounds_and_are_split_again() {
    // 2^70 subsets, without those that have all of the first five.
    let program = "{ a(1..70) }. :- a(1), a(2), a(3), a(4), a(5).";
    let number = "1,143,698,132,569,992,200,192 answers";
    let folder = folder();
    let source = file(folder.path(), "subsets.lp", program).display().to_string();
    let split = run_line(&format!("split {source} --count --into 5"));
    let results = run_with_input("- --batch", &split.out).out;
    let merged = run_with_input("merge -", &results);
    assert_eq!((&*merged.out, merged.code), (&*format!("{number} (in 5 cubes).\n"), 0), "{}", merged.err);

    let lines: Vec<String> = results.lines().map(|line| format!("{line}\n")).collect();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut result: Value = serde_json::from_str(&lines[0]).expect("JSON");
        change(&mut result);
        format!("{result}\n")
    };
    let open = changed(&|result| {
        result["verdict"] = json!("gave-up");
        result["count"] = Value::Null;
        result["at_least"] = json!("0");
    });
    let bounds = run_with_input("merge -", &(open.clone() + &lines[1..].concat()));
    assert!(bounds.code == 3 && bounds.out.starts_with("At least "), "{}", bounds.out);
    assert!(bounds.out.contains(", and at most 1,143,698,132,569,992,200,192: 1 of 5 cubes is open"), "{}", bounds.out);
    let missing = run_with_input("merge -", &lines[1..].concat());
    assert!(missing.code == 3 && missing.out.contains(" answers: 1 of 5 cubes has no result"), "{}", missing.out);

    let first = file(folder.path(), "first.jsonl", open + &lines[1..].concat()).display().to_string();
    let again = run_line(&format!("split {source} --into 3 --again {first}"));
    assert_eq!((again.code, again.out.lines().count()), (0, 3), "{}", again.err);
    let second = file(folder.path(), "second.jsonl", run_with_input("- --batch", &again.out).out);
    let merged = run(["merge", &first, &second.display().to_string()]);
    assert_eq!((&*merged.out, merged.code), (&*format!("{number} (in 7 cubes).\n"), 0), "{}", merged.err);

    for (message, results) in [
        ("its verdict contradicts its count", changed(&|result| result["verdict"] = json!("impossible"))),
        ("its verdict contradicts its count", changed(&|result| result["at_least"] = json!("3"))),
        ("expected a number as a string at \"at_most\"", changed(&|result| result["at_most"] = json!(3))),
        ("expected a list of integers at \"costs\"", changed(&|result| result["costs"] = json!("x"))),
        (
            "either all results count answers or none does",
            lines[1].clone() + &changed(&|result| result["cube"]["count"] = json!(false)),
        ),
        (
            "expected \"projection\": \"none\"",
            lines[1].clone() + &changed(&|result| result["projection"] = json!("shown")),
        ),
        (
            "contradicts",
            lines[0].clone()
                + &changed(&|result| {
                    for key in ["count", "at_least", "at_most"] {
                        result[key] = json!("17");
                    }
                }),
        ),
    ] {
        let ran = run_with_input("merge -", &results);
        assert!(ran.code == 2 && ran.err.contains(message), "{message}: {}{}", ran.out, ran.err);
    }
    let ran = run_with_input("- --batch --unique", &split.out);
    assert!(
        ran.code == 2 && ran.out.contains("--unique: the answers of this cube are counted, not listed"),
        "{}",
        ran.out
    );
}

/// A board whose solutions are counted in cubes.
#[test]
fn the_solutions_of_a_board_are_counted_in_cubes() {
    let board = ". . . .\n. . . .\n. . . .\n. . . .\n";
    let split = run_with_input("split - -p sudoku --count --into 6", board);
    assert_eq!(split.code, 0, "{}", split.err);
    let results = run_with_input("- --batch -p sudoku", &split.out);
    let merged = run_with_input("merge -", &results.out);
    assert_eq!(&*merged.out, "288 solutions (in 6 cubes).\n", "{}{}", merged.err, results.out);
}

/// A program whose first cube has an answer, of whose other cubes one has a better answer and two have
/// only worse ones.
const BETTER_WITHOUT_A: &str = "{ a; b; p(1) }. a :- -q. -q :- not b, d. a :- b. p(2) ; a :- not c.
b :- 2 #count { 1 : b; 2 : not a }. p(1) :- 2 #count { 1 : b; 2 : c }. a :- not p(1). #show a/0. #show p/1.";

/// Costs that are known bound the search of cubes that are split again.
#[test]
fn bounds_pass_from_round_to_round() {
    let (mut bounded, mut improved) = (0, 0);
    for seed in extent::seeds(60) {
        let random = &mut Rng::with_seed(seed);
        let rules = if seed.is_multiple_of(6) { BETTER_WITHOUT_A.to_owned() } else { random_program(random) };
        let program = format!("{rules}\n#minimize {{ 2@2 : a; 3@2 : b; -1@1 : c; 1@1 : p(1) }}.");
        let mode = ["", "--opt-mode optN"][random.usize(..2)];
        let whole = run_with_input(&format!("- -n 0 {mode} -p program -f json"), &program).json();
        let best = answers(&whole).iter().find(|answer| answer["optimal"] == true).map(|answer| &answer["costs"]);
        let (_, results) = solve_in_parts(&program, 4, &format!("-n 0 {mode}"));
        let mut first: Vec<Value> = results.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let is_solved = |result: &&Value| result["verdict"] == "solved";
        if first.len() < 2 || first.iter().filter(is_solved).count() == 0 {
            continue;
        }
        // One cube with an answer is done; the others have given up without one.
        let done = first.iter().position(|result| is_solved(&result)).expect("a solved cube");
        for (_, result) in first.iter_mut().enumerate().filter(|(index, _)| *index != done) {
            result["verdict"] = json!("gave-up");
            result["complete"] = json!(false);
            result["answers"] = json!([]);
        }
        let known = answers(&first[done]).iter().find(|answer| answer["optimal"] == true).expect("an optimum");
        let known = known["costs"].clone();
        let folder = folder();
        let first: String = first.iter().map(|result| format!("{result}\n")).collect();
        let first_path = file(folder.path(), "first", &first).display().to_string();
        let source = file(folder.path(), "mine.lp", &program).display().to_string();
        let split = run(["split", &source, "-p", "program", "--into", "6", "--again", &first_path]);
        assert_eq!(split.code, 0, "seed {seed}\n{}", split.err);
        for line in split.out.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(line["cube"]["at_most"], known, "seed {seed}");
        }
        for options in ["", "--proof -"] {
            let second = run_with_input(&format!("- --batch -n 0 {mode} -p program {options}"), &split.out);
            assert_eq!(second.code, 0, "seed {seed}\n{}", second.err);
            for result in second.out.lines().filter(|_| options.is_empty()) {
                let result: Value = serde_json::from_str(result).expect("JSON");
                for answer in answers(&result) {
                    let first = |costs: &Value| costs[0].as_i64().expect("a cost");
                    assert!(first(&answer["costs"]) <= first(&known), "seed {seed}: {result}");
                }
                bounded += usize::from(result["verdict"] == "impossible");
            }
            let merged = merge(&(first.clone() + &second.out)).json();
            assert_eq!(merged["costs"], *best.expect("an optimum"), "seed {seed}\n{program}");
            assert_eq!((&merged["verdict"], &merged["complete"]), (&"solved".into(), &true.into()), "seed {seed}");
            if !mode.is_empty() {
                assert_eq!(sorted_answers(&merged), sorted_answers(&whole), "seed {seed}\n{program}");
            }
            improved += usize::from(merged["costs"] != known);
        }
    }
    assert!(bounded > 0 && improved > 0, "{bounded} and {improved}");
}

/// The answer whose costs are the bound must be among the results.
#[test]
fn results_within_a_bound_need_the_answer_that_has_it() {
    let program = "{ a; b }. #minimize { 1 : a; 1 : b }.";
    let (lines, _) = solve_in_parts(program, 2, "");
    let bounded: String = lines
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            line["cube"]["at_most"] = json!([-1]);
            format!("{line}\n")
        })
        .collect();
    let results = run_with_input("- --batch -p program", &bounded);
    assert_eq!(results.code, 0, "{}", results.err);
    assert!(results.out.lines().all(|line| line.contains("\"verdict\": \"impossible\"")), "{}", results.out);
    let merged = run_with_input("merge -", &results.out);
    assert!(merged.code == 2 && merged.err.contains("no result has an answer within it"), "{}", merged.err);
}

/// More pigeons than holes.
const PIGEONS: &str = "#const n = 6. 1 { in(P,H) : H = 1..n-1 } 1 :- P = 1..n. :- in(P,H), in(Q,H), P < Q.";

#[test]
fn the_cubes_exclude_each_other_and_cover_everything() {
    let split = run_with_input("split - --into 20 -p program", PIGEONS);
    let cube = |line: &str| -> Vec<String> {
        let line: Value = serde_json::from_str(line).expect("JSON");
        answers(&json!({ "answers": line["cube"]["literals"] }))
            .iter()
            .map(|literal| literal.as_str().expect("a literal").to_owned())
            .collect()
    };
    let cubes: Vec<Vec<String>> = split.out.lines().map(cube).collect();
    assert_eq!(cubes.len(), 20, "{}", split.err);
    let negated = |literal: &String| literal.strip_prefix("not ").map_or(format!("not {literal}"), str::to_owned);
    for (index, one) in cubes.iter().enumerate() {
        for other in &cubes[..index] {
            assert!(one.iter().any(|literal| other.contains(&negated(literal))), "{one:?} {other:?}");
        }
    }
    // Each cube covers 2^-length of all cases.
    let covered: f64 = cubes.iter().map(|cube| 0.5_f64.powi(cube.len() as i32)).sum();
    assert!((covered - 1.0).abs() < 1e-9, "{covered}");
    let ids: BTreeSet<String> =
        split.out.lines().map(|line| line.split("\"id\":").nth(1).expect("an id").to_owned()).collect();
    assert_eq!(ids.len(), 20);
}

#[test]
fn boards_are_split_too() {
    let board = "1 . . .\n. . 3 .\n. 4 . .\n. . . 2\n";
    for (options, board) in [("-p sudoku", board), ("", "puzzle slither\n3 . .\n. . 3\n. 2 .\n")] {
        let whole = run_with_input(&format!("- {options} -n 0 -f json"), board).json();
        let split = run_with_input(&format!("split - {options} --into 7"), board);
        assert_eq!(split.code, 0, "{}", split.err);
        let results = run_with_input(&format!("- {options} --batch -n 0 --proof -"), &split.out);
        assert_eq!(results.code, 0, "{}{}", results.out, results.err);
        let merged = merge(&results.out).json();
        assert_eq!(sorted_answers(&merged), sorted_answers(&whole), "{board}");
        assert_eq!((&merged["rules"], &merged["complete"]), (&whole["rules"], &true.into()));
        let folder = folder();
        let path = file(folder.path(), "results", &results.out).display().to_string();
        let board = file(folder.path(), "board.txt", board).display().to_string();
        let verified = run_line(&format!("verify {path} {board} {options} -f json"));
        assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
        assert_eq!(answers(&verified.json()).len(), answers(&whole).len());
    }
}

/// Returns the results of pigeons without room, each line on its own, and each by another worker.
fn pigeon_results() -> Vec<String> {
    let (lines, _) = solve_in_parts(PIGEONS, 6, "");
    let result = |line: &str| {
        let ran = run_with_input("- --batch -p program --proof -", line);
        assert!(ran.code == 0 && ran.out.lines().count() == 1, "{}{}", ran.out, ran.err);
        ran.out
    };
    let results: Vec<String> = lines.lines().map(result).collect();
    assert_eq!(results.len(), 6);
    results
}

/// Returns the results of the same cubes, all by one worker.
fn continued_pigeon_results() -> Vec<Value> {
    let (_, results) = solve_in_parts(PIGEONS, 6, "--proof - --threads 1");
    results.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Otherwise the results of some workers would say that a program with answers has none.
#[test]
fn each_result_has_all_answers_of_its_cube() {
    let program = "{ a; b }. x :- a. x :- not a. #show x/0.";
    let split = run_with_input("split - --into 2 -p program", program);
    let lines: Vec<&str> = split.out.lines().collect();
    let [first, second] = lines[..] else { panic!("two cubes: {}", split.out) };
    let again = |line: &str| line.replacen("\"id\":\"", "\"id\":\"again ", 1);
    for certify in ["", "--certify", "--proof -"] {
        for order in [[first, second], [second, first]] {
            let input = format!("{}\n{}\n{}\n", order[0], order[1], again(order[1]));
            let ran = run_with_input(&format!("- --batch -p program -n 0 --project --threads 1 {certify}"), &input);
            assert_eq!(ran.code, 0, "{certify}: {}", ran.err);
            for line in ran.out.lines() {
                let result: Value = serde_json::from_str(line).expect("JSON");
                assert_eq!(result["verdict"], "solved", "{certify}: {line}");
            }
            let merged = merge(&ran.out);
            assert_eq!((merged.code, &merged.json()["count"]), (0, &json!(1)), "{certify}: {}", merged.out);
        }
    }
}

/// A warning names the line of its result.
#[test]
fn warnings_of_cubes_name_their_lines() {
    let (_, results) = solve_in_parts("{ a; b }. c :- d.", 3, "--proof - --threads 1");
    for line in results.lines() {
        let result: Value = serde_json::from_str(line).expect("JSON");
        let (id, warnings) = (result["id"].as_str().expect("an id"), &result["warnings"]);
        assert!(warnings.to_string().contains(id), "{id}: {warnings}");
    }
}

#[test]
fn a_worker_continues_its_certificate() {
    let results = continued_pigeon_results();
    let proof = |result: &Value| result["proof"].as_str().expect("a proof").to_owned();
    let verify = |results: &[Value]| {
        let lines: String = results.iter().map(|result| format!("{result}\n")).collect();
        run_with_input("verify -", &lines)
    };
    for result in &results[1..] {
        assert!(proof(result).starts_with("continues "), "{result}");
        assert!(proof(result).len() < proof(&results[0]).len() / 2, "the program is not repeated: {result}");
    }
    let whole = verify(&results);
    assert!(whole.code == 0 && whole.out.contains(" steps of 6 parts, "), "{}{}", whole.out, whole.err);
    // In any order, and some of them twice.
    let mut mixed: Vec<Value> = results.iter().rev().cloned().collect();
    mixed.extend_from_slice(&results[2..4]);
    assert_eq!(verify(&mixed).out, whole.out);
    // Two workers began with the same cube.
    let folder = folder();
    let whole_text: String = results
        .iter()
        .map(|result| {
            proof(result).split_inclusive('\n').filter(|line| !line.starts_with("continues ")).collect::<String>()
        })
        .collect();
    let path = file(folder.path(), "whole.proof", &whole_text).display().to_string();
    let ran = run(["verify", &path]);
    assert_eq!((ran.code, &*ran.out), (0, &*whole.out), "{}", ran.err);
    for index in 0..results.len() {
        let ran = verify(&[&results[..index], &results[index + 1..]].concat());
        let expected = if index + 1 < results.len() {
            "continues a certificate that is missing"
        } else {
            "no part has the assumptions"
        };
        assert!(ran.code == 1 && ran.out.contains(expected), "{}{}", ran.out, ran.err);
        // Each cube is in the text, and each change of it is found.
        let mut changed = results.clone();
        changed[index]["proof"] =
            json!(proof(&results[index]).replacen("\nwithin ", "\nwithin -", 1).replace("--", ""));
        let ran = verify(&changed);
        assert!(ran.code == 1, "{index}: {}{}", ran.out, ran.err);
        let lone = file(folder.path(), "lone.proof", proof(&results[index])).display().to_string();
        let ran = run(["verify", &lone]);
        let expected = if index == 0 { (1, "no part has the assumptions") } else { (2, "give that one, too") };
        assert!(ran.code == expected.0 && (ran.out + &ran.err).contains(expected.1), "{index}: {}", ran.code);
    }
}

#[test]
fn results_that_lack_a_cube_or_contradict_each_other_are_not_merged() {
    let lines = pigeon_results();
    let whole = run_with_input("merge -", &lines.concat());
    assert_eq!((&*whole.out, whole.code), ("There is no answer (proven by 6 cubes).\n", 1), "{}", whole.err);
    let ran = run_with_input("merge -", &lines[1..].concat());
    assert!(ran.code == 3 && ran.out.starts_with("Not known: 1 of 6 cubes has no result, such as `"), "{}", ran.out);
    let twice = lines.concat() + &lines[2];
    assert_eq!(run_with_input("merge -", &twice).out, whole.out, "the same result twice");
    let changed = |index: usize, change: &dyn Fn(&mut Value)| {
        let mut result: Value = serde_json::from_str(&lines[index]).expect("JSON");
        change(&mut result);
        format!("{}{}{result}\n", lines[..index].concat(), lines[index + 1..].concat())
    };
    let answer = json!([{ "atoms": ["in(1,1)"], "costs": [], "optimal": false }]);
    let cases: [(&str, i32, String); 8] = [
        ("expected a result for the program", 2, changed(0, &|result| result["cube"]["program"] = json!("0000"))),
        ("expected \"encoding\": []", 2, changed(1, &|result| result["encoding"] = json!(["other.lp"]))),
        ("expected \"engine\"", 2, changed(1, &|result| result["engine"] = json!("native"))),
        ("expected solved, impossible or gave-up", 2, changed(1, &|result| result["verdict"] = json!("maybe"))),
        ("its verdict contradicts its answers", 2, changed(1, &|result| result["answers"] = answer.clone())),
        ("the cube `", 2, changed(1, &|result| result["error"] = json!("no"))),
        ("expected the result of a cube", 2, lines[1..].concat() + "{\"puzzle\":\"program\"}\n"),
        ("is split by two atoms", 2, changed(3, &|result| result["cube"]["literals"][0] = json!("other"))),
    ];
    for (message, code, results) in cases {
        let ran = run_with_input("merge -", &results);
        assert!(ran.code == code && ran.err.contains(message), "{message}: {}{}", ran.out, ran.err);
    }
    let solved = |result: &mut Value| {
        result["answers"] = answer.clone();
        result["verdict"] = json!("solved");
    };
    let ran = run_with_input("merge -", &(lines.concat() + &changed(2, &solved)));
    assert!(ran.code == 2 && ran.err.contains("contradicts"), "{}{}", ran.out, ran.err);
}

#[test]
fn certificates_that_lack_a_part_or_are_changed_are_refused() {
    let lines = pigeon_results();
    let verify = |results: &str| run_with_input("verify -", results);
    let whole = verify(&lines.concat());
    assert!(whole.code == 0 && whole.out.contains("There is no answer: certified in "), "{}", whole.out);
    assert!(whole.out.contains(" steps of 6 parts, for the program inside the certificate."), "{}", whole.out);
    for index in 0..lines.len() {
        let ran = verify(&[&lines[..index], &lines[index + 1..]].concat().concat());
        assert!(ran.code == 1 && ran.out.contains("no part has the assumptions"), "{}", ran.out);
        // The assumptions are in the certificate; the key `cube` says nothing about them.
        let mut result: Value = serde_json::from_str(&lines[index]).expect("JSON");
        let proof = result["proof"].as_str().expect("a proof").to_owned();
        let at = proof.find("\nwithin ").expect("assumptions") + 1;
        let end = at + proof[at..].find('\n').expect("a line");
        let mut words: Vec<String> = proof[at..end].split(' ').map(str::to_owned).collect();
        for word in 1..words.len() - 1 {
            let literal: i32 = words[word].parse().expect("a literal");
            words[word] = (-literal).to_string();
            result["proof"] = json!(format!("{}{}{}", &proof[..at], words.join(" "), &proof[end..]));
            words[word] = literal.to_string();
            let ran = verify(&format!("{}{}{result}\n", lines[..index].concat(), lines[index + 1..].concat()));
            assert_eq!(ran.code, 1, "part {index}, word {word}: {}{}", ran.out, ran.err);
        }
        // A rule of another program.
        result["proof"] = json!(proof.replacen("\n1 ", "\n1 0 0 0 1 1\n1 ", 1));
        let ran = verify(&format!("{}{}{result}\n", lines[..index].concat(), lines[index + 1..].concat()));
        assert!(ran.code == 1 && ran.out.contains("its program is not that of the first part"), "{}", ran.out);
    }
    let folder = folder();
    let path = file(folder.path(), "results", lines.concat()).display().to_string();
    let other = file(folder.path(), "other.lp", PIGEONS.replace("n = 6", "n = 7")).display().to_string();
    let ran = run(["verify", &path, &other]);
    assert!(ran.code == 1 && ran.out.contains("its program is not that of"), "{}", ran.out);
    // Certificates in files of their own.
    let proofs = lines.iter().enumerate().map(|(number, line)| {
        let result: Value = serde_json::from_str(line).expect("JSON");
        file(folder.path(), &format!("{number}.proof"), result["proof"].as_str().expect("a proof"))
            .display()
            .to_string()
    });
    let ran = run(["verify".to_owned()].into_iter().chain(proofs));
    assert_eq!((ran.code, &*ran.out), (0, &*whole.out), "{}", ran.err);
    let (_, without) = solve_in_parts(PIGEONS, 3, "");
    let ran = verify(&without);
    assert!(
        ran.code == 2 && ran.err.contains("result 1: expected a result of a cube with its certificate"),
        "{}",
        ran.err
    );
}

#[test]
fn cubes_that_were_given_up_are_split_again() {
    let folder = folder();
    let program = file(folder.path(), "pigeons.lp", PIGEONS);
    let lines = pigeon_results();
    let gave_up = |line: &String| {
        let mut result: Value = serde_json::from_str(line).expect("JSON");
        result["verdict"] = json!("gave-up");
        result["complete"] = json!(false);
        result.as_object_mut().expect("an object").remove("proof");
        format!("{result}\n")
    };
    let first = gave_up(&lines[0]) + &gave_up(&lines[1]) + &lines[2..].concat();
    let open = run_with_input("merge -", &first);
    assert!(open.code == 3 && open.out.starts_with("Not known: 2 of 6 cubes are open"), "{}", open.out);
    let results = file(folder.path(), "first.jsonl", &first).display().to_string();
    let split = run_line(&format!("split {} --into 5 --again {results}", program.display()));
    assert_eq!((split.code, split.out.lines().count()), (0, 5), "{}", split.err);
    let second = run_with_input("- --batch --proof -", &split.out).out;
    let second = file(folder.path(), "second.jsonl", second).display().to_string();
    let merged = run(["merge", &results, &second]);
    assert_eq!((&*merged.out, merged.code), ("There is no answer (proven by 9 cubes).\n", 1), "{}", merged.err);
    let verified = run(["verify", &results, &second, &program.display().to_string()]);
    assert!(verified.code == 0 && verified.out.contains(" steps of 9 parts"), "{}{}", verified.out, verified.err);
    let none = run(["split", &program.display().to_string(), "--again", &second]);
    assert_eq!(none.code, 2, "{}", none.err);
}

#[test]
fn an_interrupted_batch_of_cubes_is_resumed() {
    let folder = folder();
    let split = run_with_input("split - --into 6 -p program", PIGEONS);
    let parts = file(folder.path(), "parts.jsonl", &split.out);
    let out = folder.path().join("out.jsonl");
    let solve = || run_line(&format!("{} --batch -q -o {} --resume", parts.display(), out.display()));
    assert_eq!(solve().code, 0);
    let all = std::fs::read_to_string(&out).expect("results");
    let begun: String = all.lines().take(3).map(|line| format!("{line}\n")).collect();
    std::fs::write(&out, begun + "{\"id\":\"").expect("written");
    assert_eq!(solve().code, 0);
    assert_eq!(std::fs::read_to_string(&out).expect("results"), all);
    // The same id with another cube is not the same line.
    let changed = split.out.replacen("[\"in", "[\"not in", 1);
    assert_ne!(changed, split.out);
    std::fs::write(&parts, changed).expect("written");
    let ran = solve();
    assert!(ran.code == 2 && ran.err.contains("--resume requires the same input"), "{}", ran.err);
}

/// An interruption may come while a certificate is made, when the search has ended. The result is then
/// incomplete, and a run that is resumed must make it again.
#[cfg(unix)]
#[test]
fn an_interrupted_batch_has_no_result_whose_certificate_was_interrupted() {
    const MORE_PIGEONS: &str = "{ in(P,H) : H = 1..8 } = 1 :- P = 1..9. :- H = 1..8, { in(P,H) : P = 1..9 } > 1.";
    let folder = folder();
    let split = run_with_input("split - --into 64 -p program", MORE_PIGEONS);
    let parts = file(folder.path(), "parts.jsonl", &split.out);
    let out = folder.path().join("out.jsonl");
    let mut results = 0;
    for tick in 1..=30 {
        let mut command = command();
        command.arg(&parts).args(["--batch", "--threads", "1", "--proof", "-", "-o"]).arg(&out);
        let child = command.stderr(std::process::Stdio::null()).spawn().expect("the command starts");
        std::thread::sleep(std::time::Duration::from_millis(20 * tick));
        crate::cli::limits::interrupt(child.id());
        child.finished();
        for line in std::fs::read_to_string(&out).unwrap_or_default().lines() {
            let result: Value = serde_json::from_str(line).expect("an object");
            assert_eq!(result["certificate"]["checked"], true, "{}", result["certificate"]);
            results += 1;
        }
    }
    assert!(results > 0);
}

#[test]
fn bad_inputs_of_split_have_clear_messages() {
    let folder = folder();
    let path = |name: &str, text: &str| file(folder.path(), name, text).display().to_string();
    let rail = "instances/deponia.lp".to_owned();
    let game = "instances/taquin_exam.txt".to_owned();
    let steps =
        path("steps.lp", "#include <incmode>. #program step(t). { a(t) }. #program check(t). :- not a(1), query(t).");
    let program = path("program.lp", "{ a; b }.");
    let other = path("other.lp", "{ a; b; c }.");
    let results = path(
        "results.jsonl",
        &solve_in_parts("{ a; b }.", 2, "")
            .1
            .replace("\"complete\": true", "\"complete\": false")
            .replace("impossible", "gave-up"),
    );
    assert!(Path::new(&rail).exists() && Path::new(&game).exists());
    for (line, message) in [
        (format!("split {rail}"), "the search of rail cannot be split into cubes"),
        (format!("split {game} --into 4"), "--into: taquin is not split into cubes"),
        (format!("split {program} --boards 4"), "--boards: only taquin has this option"),
        (format!("split {steps}"), "a program in steps cannot be split"),
        (format!("split {program} --into 0"), "0 is not in 1..=100000"),
        (format!("split {other} --again {results}"), "expected the program"),
    ] {
        let ran = run_line(&line);
        assert!(ran.code == 2 && ran.err.contains(message), "{line}: {} {}", ran.code, ran.err);
    }
    let line = |cube: &str| format!("{{\"id\":1,\"instance\":\"{{ a; b }}.\",\"cube\":{cube}}}\n");
    let name = {
        let line: Value = serde_json::from_str(&run_with_input("split - --into 1", "{ a; b }.").out).expect("JSON");
        line["cube"]["program"].as_str().expect("a name").to_owned()
    };
    for (cube, options, message) in [
        ("7".to_owned(), "", "invalid type: integer `7`"),
        (format!("{{\"program\":\"{name}\"}}"), "", "missing field `literals`"),
        (
            "{\"program\":\"1234\",\"literals\":[]}".to_owned(),
            "",
            "expected the program 1234 of the cube, found the program",
        ),
        (
            format!("{{\"program\":\"{name}\",\"literals\":[\"x\"]}}"),
            "",
            "expected an atom of the ground program in the cube, found `x`",
        ),
        (format!("{{\"program\":\"{name}\",\"literals\":[]}}"), "-c n=3", "expected the program"),
    ] {
        let ran = run_with_input(&format!("- --batch {options}"), &line(&cube));
        assert!(ran.code == 2 && ran.out.contains(message), "{cube}: {}{}", ran.out, ran.err);
    }
    let ran = run_with_input("- --batch --proof x.proof", &line("7"));
    assert!(ran.code == 2 && ran.err.contains("--proof - to write each certificate into its object"), "{}", ran.err);
}

#[test]
fn several_files_and_constants_are_part_of_the_program() {
    let folder = folder();
    let rules = file(folder.path(), "rules.lp", PIGEONS).display().to_string();
    let more = file(folder.path(), "more.lp", "#program other. x. #program base. :- in(1,2).").display().to_string();
    let split = run(["split", &rules, &more, "-c", "n=4", "--into", "4"]);
    assert_eq!(split.code, 0, "{}", split.err);
    let ran = run_with_input("- --batch -c n=4", &split.out);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert_eq!(run_with_input("merge -", &ran.out).code, 1);
    let wrong = run_with_input("- --batch -c n=3", &split.out);
    assert!(wrong.code == 2 && wrong.out.contains("its texts, -p, -e and -c must be those"), "{}", wrong.out);
}
