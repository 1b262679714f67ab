//! Terms of depth 20,000: explanations and hints finish without overflowing the stack and without
//! printing whole terms.

use crate::support::{RunOutput, run_with_input};

const DEPTH: usize = 20_000;

/// Runs a command on a program that has t(N,T) for each term T of depth N. Only a bug reaches the
/// time limit.
fn run_on_deep_terms(command: &str, rules: &str) -> RunOutput {
    let text = format!("t(0,a). t(N+1,f(T)) :- t(N,T), N < {DEPTH}.\n{rules}\n");
    run_with_input(&format!("{command} --time-limit 600"), &text)
}

#[test]
fn the_cause_of_a_program_with_deep_terms_is_abbreviated() {
    let rules = [
        format!("p(T) :- t({DEPTH},T). :- p(_)."),
        format!("{{ q(T) : t(_,T) }}. :- q(T), T != a. :- not q(T), t({DEPTH},T)."),
        format!("%!trace_rule {{\"no % may be\",T}}.\n:- q(T), t({DEPTH},T).\n{{ q(T) : t({DEPTH},T) }} = 1."),
    ];
    for rules in &rules {
        for blamed in ["", " --blame constraints", " --blame rules"] {
            let ran = run_on_deep_terms(&format!("why - -f json{blamed}"), rules);
            assert_eq!(ran.json()["verdict"], "unsatisfiable", "{rules}: {}", ran.err);
            assert!(ran.out.len() < 10_000, "{rules}: {} bytes", ran.out.len());
        }
    }
}

#[test]
fn hints_about_deep_terms_finish() {
    for (rules, steps) in [
        (format!("{{ q(T) : t({DEPTH},T); r(1..2) }} = 1. :- r(_). #show q/1. #show r/1."), 3),
        (format!("{{ q(T) : t({DEPTH},T) }}. :- q(T). #show q/1."), 1),
        // A value of a cell.
        (format!("{{ v(1,1,T) : t({DEPTH},T); v(1,1,b) }} = 1. :- v(1,1,b). #show v/3."), 2),
    ] {
        let ran = run_on_deep_terms("hint - --steps -f json", &rules);
        let value = ran.json();
        assert_eq!((&value["verdict"], ran.code), (&"solved".into(), 0), "{rules}: {}{}", ran.out, ran.err);
        let conclusions: usize = value["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .map(|step| step["follows"].as_array().map_or(0, Vec::len))
            .sum();
        assert_eq!(conclusions, steps, "{rules}: {}", ran.out);
        assert!(ran.out.len() < 10_000, "{rules}: {} bytes", ran.out.len());
    }
}

/// The full text of a term would have a length of 2 to the power of its depth.
#[test]
fn terms_with_shared_parts_are_not_expanded() {
    let text = format!(
        "t(0,a). t(N+1,f(T,T)) :- t(N,T), N < {DEPTH}. {{ q(T) : t({DEPTH},T); r }} = 1. :- q(_). #show q/1. #show r/0."
    );
    for (command, verdict) in [("hint - --steps", "solved"), ("why -", "satisfiable")] {
        let ran = run_with_input(&format!("{command} -f json --time-limit 600"), &text);
        assert_eq!(ran.json()["verdict"], verdict, "{command}: {}", ran.err);
        assert!(ran.out.len() < 200_000, "{command}: {} bytes", ran.out.len());
    }
}

fn check_explanation_of_b(rules: &str, holds: &str) {
    let ran = run_on_deep_terms("why - q(b) -f json", &format!("{rules} #show q/1. #show p/1."));
    assert_eq!(ran.json()["holds"], holds, "{rules}: {}", ran.err);
    assert!(ran.out.len() < 20_000, "{rules}: {} bytes", ran.out.len());
}

#[test]
fn an_atom_beside_deep_ones_is_explained() {
    check_explanation_of_b(&format!("{{ q(T) : t({DEPTH},T); q(b) }} = 1. :- q(T), t({DEPTH},T)."), "always");
}

/// The answers contain all deep atoms, which clingo prints when they are added.
#[test]
#[ignore = "a quarter of a minute, or a whole one on a busy machine"]
fn answers_that_differ_in_deep_atoms_are_compared() {
    check_explanation_of_b(&format!("{{ q(T) : t({DEPTH},T); q(b) }} = 1. p(T) :- q(T)."), "sometimes");
}
