//! Terms that nest 20,000 deep: reasons and hints come to their end, without a stack that is too small and without texts of
//! all that is nested.

use crate::support::{RunOutput, run_with_input};

const DEPTH: usize = 20_000;

/// Runs a command on a program that has t(N,T) for each term T of depth N. The limit is there for bugs alone.
fn ran(command: &str, rules: &str) -> RunOutput {
    let text = format!("t(0,a). t(N+1,f(T)) :- t(N,T), N < {DEPTH}.\n{rules}\n");
    run_with_input(&format!("{command} --time-limit 600"), &text)
}

#[test]
fn the_cause_of_a_program_with_deep_terms_is_told_briefly() {
    let rules = [
        format!("p(T) :- t({DEPTH},T). :- p(_)."),
        format!("{{ q(T) : t(_,T) }}. :- q(T), T != a. :- not q(T), t({DEPTH},T)."),
        format!("%!trace_rule {{\"no % may be\",T}}.\n:- q(T), t({DEPTH},T).\n{{ q(T) : t({DEPTH},T) }} = 1."),
    ];
    for rules in &rules {
        for blamed in ["", " --blame constraints", " --blame rules"] {
            let ran = ran(&format!("why - -f json{blamed}"), rules);
            assert_eq!(ran.json()["verdict"], "unsatisfiable", "{rules}: {}", ran.err);
            assert!(ran.out.len() < 10_000, "{rules}: {} bytes", ran.out.len());
        }
    }
}

#[test]
fn hints_about_deep_terms_come_to_their_end() {
    for (rules, steps) in [
        (format!("{{ q(T) : t({DEPTH},T); r(1..2) }} = 1. :- r(_). #show q/1. #show r/1."), 3),
        (format!("{{ q(T) : t({DEPTH},T) }}. :- q(T). #show q/1."), 1),
        // A value of a cell.
        (format!("{{ v(1,1,T) : t({DEPTH},T); v(1,1,b) }} = 1. :- v(1,1,b). #show v/3."), 2),
    ] {
        let ran = ran("hint - --steps -f json", &rules);
        let value = ran.json();
        assert_eq!((&value["verdict"], ran.code), (&"solved".into(), 0), "{rules}: {}{}", ran.out, ran.err);
        let told: usize = value["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .map(|step| step["follows"].as_array().map_or(0, Vec::len))
            .sum();
        assert_eq!(told, steps, "{rules}: {}", ran.out);
        assert!(ran.out.len() < 10_000, "{rules}: {} bytes", ran.out.len());
    }
}

/// Written out, the terms would be as long as 2 to the power of their depth.
#[test]
fn terms_that_share_their_parts_are_not_written_out() {
    let text = format!(
        "t(0,a). t(N+1,f(T,T)) :- t(N,T), N < {DEPTH}. {{ q(T) : t({DEPTH},T); r }} = 1. :- q(_). #show q/1. #show r/0."
    );
    for (command, verdict) in [("hint - --steps", "solved"), ("why -", "satisfiable")] {
        let ran = run_with_input(&format!("{command} -f json --time-limit 600"), &text);
        assert_eq!(ran.json()["verdict"], verdict, "{command}: {}", ran.err);
        assert!(ran.out.len() < 200_000, "{command}: {} bytes", ran.out.len());
    }
}

fn why_b(rules: &str, holds: &str) {
    let ran = ran("why - q(b) -f json", &format!("{rules} #show q/1. #show p/1."));
    assert_eq!(ran.json()["holds"], holds, "{rules}: {}", ran.err);
    assert!(ran.out.len() < 20_000, "{rules}: {} bytes", ran.out.len());
}

#[test]
fn why_an_atom_holds_beside_deep_ones_is_told() {
    why_b(&format!("{{ q(T) : t({DEPTH},T); q(b) }} = 1. :- q(T), t({DEPTH},T)."), "always");
}

/// The answers hold all deep atoms, which clingo prints when they are added.
#[test]
#[ignore = "a quarter of a minute, or a whole one on a busy machine"]
fn answers_that_differ_in_deep_atoms_are_told() {
    why_b(&format!("{{ q(T) : t({DEPTH},T); q(b) }} = 1. p(T) :- q(T)."), "sometimes");
}
