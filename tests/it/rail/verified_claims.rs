//! Claims of engines that the library verifies, and the memory limit of engines.

use std::fmt::Write;

use asp_solve::{Code, Job, Rail, Verdict, check, solve};
use base::stop::StopReason;
use puzzle::Puzzle;
use rail::{OutcomeFilter, RailOptions};

#[test]
fn a_missing_answer_is_detected() {
    let mine = "start(a). target(t). color(a,red). color(b,blue). rel(a,1,t). rel(a,2,b). rel(b,1,t). rel(b,2,c).";
    let mut solved = solve(Rail, Job::of(&format!("{mine} final_node(c).")).all_answers()).expect("a result");
    assert_eq!(solved.answers().len(), 2, "two trips win");
    // One of two, one of one, and none.
    for (answers, found, is_valid) in [(1, 2, true), (1, 1, false), (0, 0, false)] {
        solved.corrupt(answers, found);
        assert_eq!(Rail.verify_claims(&solved).is_ok(), is_valid, "{answers} of {found}");
    }
}

/// Forks in a row, each with a detour over a gate to the next fork.
fn row(forks: usize) -> String {
    let mut text = format!("start(f0). target(f{forks}).\n");
    for fork in 0..forks {
        let _ = writeln!(text, "color(f{fork},c{fork}). rel(f{fork},1,f{0}). rel(f{fork},2,p{fork}).", fork + 1);
        let _ = writeln!(text, "gate({fork},p{fork}). rel(p{fork},1,f{0}).", fork + 1);
    }
    text
}

/// A binary counter: each bit is a lever that the gate behind its fork moves. A trip gets to the
/// next bit only in the lever's second state.
fn counter(bits: usize) -> String {
    let mut text = format!("start(f0). target(f{bits}).\n");
    for bit in 0..bits {
        let _ = writeln!(text, "color(f{bit},c{bit}). rel(f{bit},1,u{bit}). rel(f{bit},2,d{bit}).");
        let _ = writeln!(text, "gate({bit},u{bit}). rel(u{bit},1,f0). gate({bit},d{bit}). rel(d{bit},1,f{}).", bit + 1);
    }
    text
}

#[test]
fn the_memory_of_engines_is_limited() {
    let letters = |bits: usize| ('A'..).take(bits).collect::<String>();
    let levers: String = (0..16).map(|bit| format!("lever({bit},c{bit},\"{}\"). ", &letters(16)[bit..=bit])).collect();
    let long = (counter(16) + &levers, Some("1".repeat(16) + &letters(16)));
    for (engine, (mine, configuration)) in
        [("simulation", long), ("simulation", (row(5), None)), ("backward", (row(5), None))]
    {
        for (memory, gives_up) in [(100_000, true), (1_000_000_000, false)] {
            let mut job = Job::of(&mine).all_answers().engine(engine);
            job.engine.limits.memory = Some(memory);
            job.options.set(RailOptions { configuration: configuration.clone(), ..RailOptions::default() });
            let verdict = solve(Rail, job).expect("a result").verdict();
            let expected = if gives_up { Verdict::GaveUp(StopReason::MemoryLimit) } else { Verdict::Solved };
            assert_eq!(verdict, expected, "{engine}");
        }
    }
}

#[test]
fn a_cycle_ends_at_its_first_repeated_state() {
    let mine = "start(a). target(t). color(a,red). color(b,blue). rel(a,1,b). rel(a,2,t). rel(b,1,p). rel(b,2,t).
                gate(1,p). rel(p,1,c). color(c,blue). rel(c,1,b). rel(c,2,b).";
    let mut job = Job::of(mine).all_answers().engine("simulation");
    job.options.set(RailOptions { outcome: vec![OutcomeFilter::Cycle], ..RailOptions::default() });
    let solved = solve(Rail, job).expect("a result");
    assert!(!solved.answers().is_empty(), "some trips cycle");
    for trip in solved.answers() {
        check(Rail, mine, trip).expect("it follows the rules");
        let with = |nodes: &[_]| {
            let mut other = trip.clone();
            other.nodes = nodes.to_vec();
            other
        };
        let (nodes, all) = (&trip.nodes, trip.nodes.len());
        let first = nodes.iter().position(|node| Some(node) == nodes.last()).unwrap_or(0);
        // One more round, one node more, and one node less.
        let longer = [&nodes[..], &nodes[first + 1..]].concat();
        for wrong in [&longer[..], &longer[..=all], &nodes[..all - 1]] {
            let wrong = with(wrong);
            let rejected = check(Rail, mine, &wrong).expect_err("it breaks a rule");
            assert_eq!(rejected.code(), Some(Code::RejectedAnswer));
        }
    }
}
