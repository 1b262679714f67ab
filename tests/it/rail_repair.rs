//! The least repair: both engines, and a brute force over single changes.

use proptest::strategy::{Strategy, ValueTree};
use serde_json::Value;

use crate::rail_engines::networks;
use crate::support::{file, folder, run, run_line};

fn repair(path: &str, engine: &str, goal: &str) -> (i32, Value) {
    let ran = run(["repair", path, "--engine", engine, "--goal", goal, "-f", "json"]);
    assert!(ran.code <= 1 || ran.code == 3, "{engine} {goal}: {}", ran.err);
    (ran.code, if ran.code == 0 { ran.json() } else { Value::Null })
}

fn number(value: &Value) -> usize {
    value["redirected"].as_array().map_or(usize::MAX, Vec::len)
}

#[test]
fn a_cycle_is_taken_away_with_as_few_arcs_as_possible() {
    let ran = run_line("repair instances/cycle.lp");
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!(ran.out);
    let text = std::fs::read_to_string("instances/deponia.lp").expect("an instance");
    let broken = text.replace("rel(c,1,s)", "rel(c,1,a)").replace("rel(k,1,s)", "rel(k,1,b)");
    let folder = folder();
    let path = file(folder.path(), "broken.lp", broken);
    let path = path.to_str().expect("UTF-8");
    let ((_, asp), (_, search)) = (repair(path, "asp", "both"), repair(path, "search", "both"));
    for value in [&asp, &search] {
        assert_eq!((number(value), &value["least"]), (2, &true.into()), "{value}");
        assert_eq!((&value["before"]["cycle"], &value["after"]["cycle"]), (&28.0.into(), &0.0.into()));
        assert_eq!(value["after"]["win"], 4.0);
    }
    let svg = run(["repair", path, "-f", "svg"]).out;
    assert_eq!(svg.matches("stroke-width=\"3\"").count(), 2 + 1, "the two arcs, and the way in");
}

#[test]
fn a_solution_is_given_and_nothing_is_done_without_need() {
    let (_, value) = repair("instances/no_solution.lp", "asp", "both");
    assert_eq!((number(&value), &value["least"]), (1, &true.into()));
    let mended = value["program"].as_str().expect("a program");
    let folder = folder();
    let path = file(folder.path(), "mended.lp", mended);
    let solved = run([path.to_str().expect("UTF-8"), "-n", "0"]);
    assert_eq!(solved.code, 0, "{mended}");
    let (_, value) = repair("instances/deponia.lp", "search", "both");
    assert_eq!(number(&value), 0);
    // Nothing leads to the target, and no arc can.
    let path = file(
        folder.path(),
        "lost.lp",
        "start(a). target(t). final_node(t). gate(1,a). color(b,red). rel(b,1,t). rel(b,2,t).",
    );
    let ran = run(["repair", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
}

#[test]
fn both_engines_redirect_equally_many_on_random_networks() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let folder = folder();
    let (mut tried, mut repaired) = (0, 0);
    while tried < 40 {
        let random = networks().new_tree(&mut runner).expect("a network").current();
        let path = file(folder.path(), "random.lp", random.text());
        let path = path.to_str().expect("UTF-8");
        for goal in ["both", "no-cycle", "solution"] {
            let ((asp_code, asp), (code, search)) = (repair(path, "asp", goal), repair(path, "search", goal));
            if asp_code == 1 {
                // The search gives up what clingo proves impossible.
                assert_ne!(code, 0, "{goal}\n{}", random.text());
                continue;
            }
            assert_eq!((asp_code, &asp["least"]), (0, &true.into()), "{goal}\n{}", random.text());
            // What is called least is least; the search may know less, never more.
            if code == 0 && search["least"] == true {
                assert_eq!(number(&search), number(&asp), "{goal}\n{}", random.text());
            } else if code == 0 {
                assert!(number(&search) >= number(&asp), "{goal}\n{}", random.text());
            }
            repaired += usize::from(number(&asp) > 0);
        }
        tried += 1;
    }
    assert!(repaired > 20, "{repaired}");
}
