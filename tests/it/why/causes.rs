//! Why programs have no answer: causes and fixes against brute force over all sets of parts, on
//! published contradictions, and as the command prints them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

use asp::{Program, Settings, Signature, Solver};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::{CancelToken, Canceller, StopReason};
use explain::cause::{
    EnumerationEnd, Oracle, Parts, SubsetResult, cheapest_mcs, enumerate_muses, minimal_mus, smallest_mus,
};
use explain::{Blame, RelaxedProgram, SolveOutcome};
use fastrand::Rng;
use serde_json::Value;

use crate::support::process::*;
use crate::support::{RunOutput, extent, file, folder, run, run_with_input};

/// Lines of a program.
type Lines = BTreeSet<usize>;

fn program(text: &str) -> Program {
    Program { instance: vec![Document::in_memory("text", text)], ..Program::default() }
}

fn relaxed(text: &str, blamed: &[Blame]) -> RelaxedProgram {
    RelaxedProgram::new(&program(text).into(), blamed, &Settings::default(), &CancelToken::new()).expect("a program")
}

fn has_answer(text: &str) -> bool {
    let mut solver =
        Solver::with_program(&program(text), &Settings::default(), &CancelToken::new()).expect("a program");
    solver.solve(&[], |_| ControlFlow::Continue(())).expect("clingo solves").result.satisfiable
}

/// A statement, and its text when it is relaxed.
struct Line {
    kind: Blame,
    enforced: String,
    relaxed: String,
}

/// A random program with negation, choices and sums, and many facts and constraints.
fn random_lines(random: &mut Rng) -> Vec<Line> {
    let atom = |random: &mut Rng| ["a", "b", "c", "d", "e"][random.usize(..5)];
    let body = |random: &mut Rng| {
        let literals: Vec<String> = (0..random.usize(1..4))
            .map(|_| {
                let (one, other) = (atom(random), atom(random));
                match random.usize(..8) {
                    0..3 => format!("not {one}"),
                    3 => format!("#sum {{ 2,x : {one}; -1,y : not {other} }} > 0"),
                    _ => one.to_owned(),
                }
            })
            .collect();
        literals.join("; ")
    };
    let line = |number: usize, random: &mut Rng| {
        let (one, other, body) = (atom(random), atom(random), body(random));
        match random.usize(..10) {
            0..3 => Line { kind: Blame::Facts, enforced: format!("{one}."), relaxed: format!("{{ {one} }}.") },
            3..7 => Line { kind: Blame::Constraints, enforced: format!(":- {body}."), relaxed: String::new() },
            7 => Line {
                kind: Blame::Constraints,
                enforced: format!("1 {{ {one}; {other} }} 1 :- {body}."),
                relaxed: format!("{{ {one}; {other} }} :- {body}."),
            },
            _ => Line {
                kind: Blame::Rules,
                enforced: format!("{one} :- {body}."),
                relaxed: format!("{{ on({number}) }}. {one} :- {body}; on({number})."),
            },
        }
    };
    // Repeated facts are a single part.
    let mut lines: Vec<Line> = Vec::new();
    for number in 0..random.usize(5..12) {
        let line = line(number, random);
        if line.kind != Blame::Facts || lines.iter().all(|known| known.enforced != line.enforced) {
            lines.push(line);
        }
    }
    lines
}

#[test]
fn causes_and_fixes_of_random_programs_are_those_of_brute_force() {
    let mut random = extent::random();
    let (mut contradictions, mut satisfiable, mut not_the_cause) = (0, 0, 0);
    while contradictions < extent::sample_size(100) {
        let lines = random_lines(&mut random);
        let blamed = match random.usize(..4) {
            0 => vec![Blame::Facts],
            1 => vec![Blame::Constraints],
            2 => vec![Blame::Rules],
            _ => vec![Blame::Facts, Blame::Constraints],
        };
        // If rules are blamed, a choice with bounds is a rule, which is relaxed in another way.
        let is_blamed = |line: &Line| blamed.contains(&line.kind);
        let is_choice = |line: &Line| line.enforced.contains("} 1");
        let parts: Vec<usize> = (0..lines.len()).filter(|&line| is_blamed(&lines[line])).collect();
        if parts.len() > 6 || blamed == [Blame::Rules] && lines.iter().any(is_choice) {
            continue;
        }
        let text = |enforced: &Lines| {
            let line = |(number, line): (usize, &Line)| {
                let is_enforced = enforced.contains(&number) || !is_blamed(line);
                if is_enforced { line.enforced.clone() } else { line.relaxed.clone() }
            };
            lines.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
        };
        let sets = || {
            (0..1_usize << parts.len()).map(|set| -> Lines {
                parts.iter().enumerate().filter(|(at, _)| set >> at & 1 > 0).map(|(_, &line)| line).collect()
            })
        };
        let every: Lines = parts.iter().copied().collect();
        let possible: BTreeSet<Lines> = sets().filter(|set| has_answer(&text(set))).collect();
        let without =
            |set: &Lines, part: &usize| -> Lines { set.iter().filter(|other| *other != part).copied().collect() };
        let minimal_of = |has_property: &dyn Fn(&Lines) -> bool| -> BTreeSet<Lines> {
            sets()
                .filter(|set| has_property(set) && !set.iter().any(|part| has_property(&without(set, part))))
                .collect()
        };
        let causes = minimal_of(&|set| !possible.contains(set));
        let fixes = minimal_of(&|set| possible.contains(&every.difference(set).copied().collect()));

        let whole = text(&every);
        let mut oracle = relaxed(&whole, &blamed);
        let parts = oracle.parts(&(0..oracle.len()).collect::<Parts>()).expect("words");
        let line_of = |part: usize| parts[part].place.as_ref().expect("a place in the text").start.line - 1;
        let lines_of = |parts: &[usize]| parts.iter().map(|&part| line_of(part)).collect::<Lines>();
        let costs: Vec<u32> = (0..oracle.len()).map(|_| random.u32(1..4)).collect();
        let cost = |lines: &Lines| -> u32 {
            (0..costs.len()).filter(|&part| lines.contains(&line_of(part))).map(|part| costs[part]).sum()
        };

        let found = [
            minimal_mus(&mut oracle, &CancelToken::new()).expect("a result"),
            smallest_mus(&mut oracle, &CancelToken::new()).expect("a result"),
            cheapest_mcs(&mut oracle, &costs, &CancelToken::new()).expect("a result"),
        ];
        match found {
            [
                SubsetResult::Parts { parts: minimal, .. },
                SubsetResult::Parts { parts: smallest, is_least: true, .. },
                SubsetResult::Parts { parts: fix, is_least: true, .. },
            ] => {
                contradictions += 1;
                assert!(causes.contains(&lines_of(&minimal)), "{blamed:?}\n{whole}");
                assert!(causes.contains(&lines_of(&smallest)), "{blamed:?}\n{whole}");
                assert_eq!(causes.iter().map(Lines::len).min(), Some(smallest.len()), "{blamed:?}\n{whole}");
                assert!(fixes.contains(&lines_of(&fix)), "{blamed:?}\n{whole}");
                // No fix contains a part that does not occur in the ground program.
                assert_eq!(fixes.iter().map(cost).min(), Some(cost(&lines_of(&fix))), "{blamed:?}\n{whole}");
            }
            [SubsetResult::Satisfiable, SubsetResult::Satisfiable, SubsetResult::Satisfiable] => {
                satisfiable += 1;
                assert!(possible.contains(&every), "{blamed:?}\n{whole}");
            }
            [SubsetResult::NotTheCause, SubsetResult::NotTheCause, SubsetResult::NotTheCause] => {
                not_the_cause += 1;
                assert!(!possible.contains(&Lines::new()), "{blamed:?}\n{whole}");
            }
            other => panic!("{other:?}\n{whole}"),
        }
        let mut shown = BTreeSet::new();
        let ended = enumerate_muses(&mut oracle, &[], &CancelToken::new(), |cause| {
            assert!(shown.insert(lines_of(&cause)), "shown twice");
            ControlFlow::Continue(())
        });
        assert_eq!(ended, Ok(EnumerationEnd::Complete));
        assert_eq!(shown, causes, "{blamed:?}\n{whole}");
    }
    extent::expect_counts([("satisfiable", satisfiable, 40), ("not the cause", not_the_cause, 15)]);
}

/// The sizes of all causes, and of the smallest fix.
fn sizes(text: &str, blamed: &[Blame]) -> (Vec<usize>, usize) {
    let mut oracle = relaxed(text, blamed);
    let mut sizes = Vec::new();
    let ended = enumerate_muses(&mut oracle, &[], &CancelToken::new(), |cause| {
        sizes.push(cause.len());
        ControlFlow::Continue(())
    });
    assert_eq!(ended, Ok(EnumerationEnd::Complete));
    sizes.sort_unstable();
    let found = smallest_mus(&mut oracle, &CancelToken::new());
    let ones = vec![1; oracle.len()];
    assert!(matches!(found, Ok(SubsetResult::Parts { parts, is_least: true, .. }) if parts.len() == sizes[0]));
    match cheapest_mcs(&mut oracle, &ones, &CancelToken::new()) {
        Ok(SubsetResult::Parts { parts, is_least: true, .. }) => (sizes, parts.len()),
        other => panic!("{other:?}"),
    }
}

/// No eight of the nine pigeons fit into seven holes; without two pigeons the others fit.
#[test]
fn the_causes_of_too_many_pigeons_are_all_sets_with_one_pigeon_more_than_holes() {
    let text = "pigeon(1..9). { in(P,H) : H = 1..7 } = 1 :- pigeon(P). :- in(P,H), in(Q,H), P < Q.";
    assert_eq!(sizes(text, &[Blame::Facts]), (vec![8; 9], 2));
}

/// The graphs on six nodes that are critical for four colours are the 15 complete graphs on four
/// nodes and the 72 wheels with five spokes. At most 12 of the 15 edges can be coloured (Turán).
#[test]
fn the_causes_of_a_complete_graph_in_three_colours_are_the_critical_graphs() {
    let text =
        "node(1..6). edge(A,B) :- link(A,B). { has(N,(r;g;b)) } = 1 :- node(N). :- edge(A,B), has(A,C), has(B,C).";
    let links: String = (1..=6).flat_map(|a| (a + 1..=6).map(move |b| format!("link({a},{b}). "))).collect();
    let expected = [vec![6; 15], vec![10; 72]].concat();
    assert_eq!(sizes(&(links + text), &[Blame::Predicate(Signature::new("link", 2))]), (expected, 3));
}

/// The example of clingo-explaid's tests: three causes, and a constraint whose facts contain a
/// cause.
#[test]
fn overlapping_causes_are_distinguished() {
    let text = "a(1..10). :- a(1), a(2). :- a(5), a(8), a(3). :- a(1), a(9). :- a(1), a(9), a(4).";
    assert_eq!(sizes(text, &[Blame::Facts]), (vec![2, 2, 3], 2));
}

const RULES: &str = include_str!("../../data/sudoku.lp");

/// The Sudoku of Wikipedia's article with 30 facts, and a wrong fact.
fn contradictory_sudoku() -> String {
    let signs = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let mut text = String::new();
    for (at, sign) in signs.chars().enumerate().filter(|(_, sign)| *sign != '.') {
        let _ = writeln!(text, "given({},{},{sign}).", at / 9 + 1, at % 9 + 1);
    }
    text + "given(1,3,2).\n" + RULES
}

#[test]
fn the_smallest_cause_of_a_contradictory_sudoku_is_proven() {
    let text = contradictory_sudoku();
    let mut oracle = relaxed(&text, &[Blame::Facts]);
    assert_eq!(oracle.len(), 31);
    let Ok(SubsetResult::Parts { parts, is_least: true, .. }) = smallest_mus(&mut oracle, &CancelToken::new()) else {
        panic!("none found")
    };
    assert_eq!(parts.len(), 10);
    // Plain clingo confirms that it is a cause, and that none of its facts is redundant.
    let facts: Vec<String> = oracle.parts(&parts).expect("words").into_iter().map(|part| part.text + ". ").collect();
    assert!(!has_answer(&(facts.concat() + RULES)));
    for left_out in 0..facts.len() {
        let others: String =
            facts.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, fact)| &**fact).collect();
        assert!(has_answer(&(others + RULES)));
    }
}

fn why(text: &str, options: &str) -> RunOutput {
    let folder = folder();
    let path = file(folder.path(), "text.lp", text);
    let path = path.to_str().expect("a name");
    let mut ran = run(["why", path].into_iter().chain(options.split_whitespace()));
    ran.out = ran.out.replace(path, "text.lp");
    ran.err = ran.err.replace(path, "text.lp");
    ran
}

fn texts(parts: &Value) -> Vec<&str> {
    parts.as_array().expect("a list").iter().map(|part| part["text"].as_str().expect("a text")).collect()
}

const ROOMS: &str = "room(1..2). person(ann). person(bob). person(carl).
hates(ann,bob). hates(bob,carl). hates(ann,carl). person(dora).
%!trace_rule {\"% needs one room\",P}
{ in(P,R) : room(R) } = 1 :- person(P).
%!trace_rule {\"% and % share room %\",P,Q,R}
:- in(P,R), in(Q,R), hates(P,Q).
";

#[test]
fn a_cause_is_printed_with_its_lines_underlined_and_the_rules_that_it_contradicts() {
    let ran = why(ROOMS, "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!(ran.out);
    let json = why(ROOMS, "-f json").json();
    assert_eq!((&json["verdict"], &json["smallest"]), (&"unsatisfiable".into(), &true.into()));
    let facts = ["person(ann)", "person(bob)", "person(carl)", "hates(ann,bob)", "hates(bob,carl)", "hates(ann,carl)"];
    assert_eq!(texts(&json["causes"][0]), facts);
    assert_eq!((&json["causes"][0][3]["line"], &json["causes"][0][3]["column"]), (&2.into(), &1.into()));
    assert_eq!(json["through"][0].as_array().map(Vec::len), Some(9));
    assert_eq!(json["through"][0][0]["words"], "ann needs one room");
    let page = why(ROOMS, "-f html").out;
    assert_eq!(page.matches("<mark").count(), 6, "{page}");
}

#[test]
fn the_blamed_kind_is_the_cause_or_reported_not_to_be() {
    let first = |text: &str, options: &str| {
        let ran = why(text, &format!("-f json {options}"));
        let json = ran.json();
        let kinds: BTreeSet<String> =
            json["causes"][0].as_array().into_iter().flatten().map(|part| part["kind"].to_string()).collect();
        (
            ran.code,
            json["verdict"].as_str().expect("a verdict").to_owned(),
            kinds.into_iter().collect::<Vec<_>>().join(" "),
        )
    };
    let expected = |code, verdict: &str, kinds: &str| (code, verdict.to_owned(), kinds.to_owned());
    assert_eq!(first(ROOMS, ""), expected(0, "unsatisfiable", "\"fact\""));
    assert_eq!(first(ROOMS, "--blame constraints"), expected(0, "unsatisfiable", "\"constraint\""));
    assert_eq!(first(ROOMS, "--blame rules"), expected(0, "unsatisfiable", "\"rule\""));
    assert_eq!(first(ROOMS, "--blame hates/2"), expected(0, "unsatisfiable", "\"fact\""));
    assert_eq!(first(ROOMS, "--blame room/1"), expected(1, "not-the-cause", ""));
    let rule = why(ROOMS, "--blame rules -f json").json()["causes"][0][0].clone();
    assert_eq!(rule["words"], rule["text"], "a rule is blamed as a whole, without the words of its instances");
    // If facts are not the cause, constraints are blamed, and without constraints rules.
    assert_eq!(first("a. b :- not c. :- b.", ""), expected(0, "unsatisfiable", "\"constraint\""));
    assert_eq!(first("a. b :- not b.", ""), expected(0, "unsatisfiable", "\"rule\""));
    assert_eq!(first("a. b :- not b.", "--blame facts"), expected(1, "not-the-cause", ""));
    assert_eq!(first("a. { b }.", ""), expected(1, "satisfiable", ""));
    assert_eq!(first("a. { b }.", "--fix"), expected(1, "satisfiable", ""));
    let misspelt = why(ROOMS, "--blame hate/2");
    assert_eq!(misspelt.code, 2);
    assert!(misspelt.err.contains("neither facts nor rules for hate/2"), "{}", misspelt.err);
}

/// If no single kind is the cause, the cause is searched among all kinds.
#[test]
fn parts_of_two_kinds_may_be_a_cause() {
    for (text, cause) in
        [("c :- not c. :- f. f.", 1), ("{x}. :- x. :- not x. c :- not c.", 1), ("a. -a. c :- not c.", 1)]
    {
        let json = why(text, "-f json").json();
        assert_eq!((&json["verdict"], &json["smallest"]), (&"unsatisfiable".into(), &true.into()), "{text}: {json}");
        assert_eq!(json["causes"][0].as_array().map(Vec::len), Some(cause), "{text}: {json}");
    }
    let fixed = why("c :- not c. :- f. f.", "--fix -f json").json();
    assert_eq!(
        (&fixed["verdict"], &fixed["cost"], &fixed["cheapest"]),
        (&"unsatisfiable".into(), &2.into(), &true.into())
    );
}

#[test]
fn the_cheapest_fix_respects_weights() {
    let fix = |options: &str| {
        let json = why(ROOMS, &format!("-f json --fix {options}")).json();
        assert_eq!(json["cheapest"], true);
        (json["cost"].as_u64(), json["fix"][0]["text"].as_str().expect("a text").split('(').next().map(str::to_owned))
    };
    assert_eq!(fix("--weight hates/2=3,person/1=2"), (Some(2), Some("person".to_owned())));
    assert_eq!(fix("--weight person/1=9"), (Some(1), Some("hates".to_owned())));
    let ran = why("a. b. :- a, b. :- a, c. c.", "--fix");
    assert!(
        ran.out.starts_with("There is an answer without this fact: no other change is cheaper (proven)."),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("text.lp:1:1"), "{}", ran.out);
}

#[test]
fn several_causes_are_printed_on_request() {
    let text = "a(1..10). :- a(1), a(2). :- a(5), a(8), a(3). :- a(1), a(9). :- a(1), a(9), a(4).";
    for (options, sizes, complete) in
        [("-n 0", &[2, 2, 3][..], true.into()), ("-n 2", &[2, 2], false.into()), ("", &[2], Value::Null)]
    {
        let json = why(text, &format!("-f json {options}")).json();
        let found: Vec<usize> =
            json["causes"].as_array().expect("a list").iter().map(|cause| texts(cause).len()).collect();
        assert_eq!(json["complete"], complete, "{options}");
        assert!(found == sizes || options == "-n 2" && found.len() == 2, "{options}: {found:?}");
    }
    let ran = why(text, "-n 0");
    assert!(ran.out.ends_with("These are all 3 causes.\n"), "{}", ran.out);
}

/// Twelve pigeons in eleven holes are too hard for a solver without symmetry breaking.
#[test]
fn a_limit_proves_nothing() {
    let pigeons = "pigeon(1..12). { in(P,H) : H = 1..11 } = 1 :- pigeon(P). :- in(P,H), in(Q,H), P < Q.";
    let ran = why(pigeons, "-f json --time-limit 1");
    assert_eq!((ran.code, &ran.json()["verdict"]), (3, &"gave-up".into()));
}

/// Clues are underlined in the board and not listed again.
#[test]
fn a_contradictory_board_is_underlined_and_equal_words_are_printed_once() {
    let folder = folder();
    let board = "puzzle sudoku\n.....8.1.\n7...2.6.9\n9........\n.2.3..75.\n.........\n.19..5.4.\n........8\n3...4...6\n.4.5.....\n";
    let path = file(folder.path(), "board.txt", board);
    let ran = run(["why", path.to_str().expect("a name")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("These 21 facts together rule out every answer"), "{}", ran.out);
    assert!(ran.out.contains(" 2 | .....8.1.\n   |      ^ ^\n"), "{}", ran.out);
    let queens = run(["why", "instances/queens.lp", "-c", "n=3"]);
    assert_eq!(
        queens.out.matches("the queens of rows 1 and 3 would be in the same column\n").count(),
        1,
        "{}",
        queens.out
    );
}

#[test]
fn misspelt_names_are_reported_and_messages_never_show_the_rewriting() {
    let ran = why("seat(ann). :- seats(ann). :- seat(ann).", "");
    assert!(ran.err.contains("atom does not occur in any rule head"), "{}", ran.err);
    assert!(!ran.err.contains("__"), "{}", ran.err);
    let wrong = why("color(Red;Green).", "");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("unsafe") && !wrong.err.contains("__"), "{}", wrong.err);
    let weights = why("p(1;2). q. :- p(1), q.", "--fix --weight p/1=3 -f json");
    assert_eq!(weights.json()["fix"][0]["text"], "q", "{}", weights.out);
    assert_eq!(why("p(1). :- p(1).", "--fix --weight pp/1=3").code, 2);
    assert_eq!(why("p(1). :- p(1).", "--blame p/1").code, 0);
}

#[test]
fn deeply_nested_terms_are_explained() {
    let text = "m(a,1). m(f(X),N+1) :- m(X,N), N < 20000.\n:- m(X,20000).\n";
    let ran = run_with_input("why - --time-limit 900", text);
    assert!(ran.code == 0 && ran.out.contains("This fact alone rules out every answer"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_fact_of_a_range_is_named_and_a_repeated_fact_is_a_single_part() {
    let ran = why("p(1..9). p(4). :- p(4).", "-n 0");
    assert!(ran.out.contains("p(4)") && ran.out.contains("There is no other cause"), "{}", ran.out);
}

/// An undefined predicate is a better suspect than the blamed fact.
#[test]
fn an_undefined_predicate_is_the_first_suspect() {
    let text = "color(1,red). node(1).\nok(N) :- colour(N,_), node(N).\n:- node(N), not ok(N).\n";
    let ran = why(text, "");
    let first = ran.out.lines().nth(1).unwrap_or_default();
    assert_eq!(first, "Look at this first: colour/2 is defined nowhere (did you mean color?).", "{}", ran.out);
    let suspects = why(text, "-f json").json()["suspects"].clone();
    assert_eq!(suspects[0], "colour/2 is defined nowhere (did you mean color?)");
    assert!(why(text, "-f html").out.contains("<p>Look at this first: colour/2"));
    // clingo warns of each atom that no head matches, even if other atoms of its predicate are
    // derived.
    for text in ["a. :- a.", "p(2). :- p(1). :- p(2).", "a. {p(2)}. :- p(1). :- a.", "a. p(1;2). :- p(3). :- a."] {
        assert_eq!(why(text, "-f json").json()["suspects"], Value::Null, "{text}");
    }
}

#[test]
fn an_atom_and_its_classical_negation_clash() {
    let ran = why("a(1..2). b(X) :- a(X), c. -b(X) :- a(X), X > 1. c.", "");
    assert!(ran.out.contains("With that, b(2) and -b(2) would both hold.\n"), "{}", ran.out);
    let none = why("a. -b :- a. :- -b, a.", "");
    assert!(!none.out.contains("would both hold"), "{}", none.out);
}

/// A program may use any name that clingo allows.
#[test]
fn programs_may_use_names_with_underscores() {
    let json = why("__p(1). __on(1). __broken(2). :- __p(X), __on(X).", "-f json").json();
    assert_eq!(texts(&json["causes"][0]), ["__p(1)", "__on(1)"]);
    let ran = run_with_input("why - __p(1)", "__p(1) :- __fact. __fact. {__q}.");
    assert!(ran.out.starts_with("__p(1) holds in every answer"), "{}{}", ran.out, ran.err);
}

/// The program has more causes than can be found in time.
#[test]
fn causes_found_before_the_limit_are_printed() {
    let text = "p(1..24). :- #count { X : p(X) } >= 12.";
    let ran = retry_with_longer_limits(|limit| {
        let ran = why(text, &format!("-n 0 -f json --time-limit {limit}"));
        assert_eq!(ran.code, 3, "{}", ran.err);
        ran.json()["causes"].as_array().is_some_and(|causes| causes.len() > 1).then_some(ran)
    });
    assert_eq!(ran.json()["complete"], false);
}

/// The first cause may take the whole time limit, regardless of the number of requested causes.
#[test]
fn the_first_of_several_causes_gets_the_time_that_it_needs() {
    let text = "p(1..8). { in(P,H) : H = 1..7 } = 1 :- p(P). :- in(P,H), in(Q,H), P < Q.";
    let found = |options: &str| why(text, &format!("-f json --time-limit 900 {options}")).json()["causes"].clone();
    assert_eq!(texts(&found("-n 2")[0]).len(), 8);
}

/// If the time is over before a core is minimal, the core is reported as possibly redundant.
#[test]
fn a_cause_that_is_not_minimal_in_time_is_marked() {
    struct Slow(usize, Canceller);
    impl Oracle for Slow {
        fn len(&self) -> usize {
            9
        }
        fn solve(&mut self, parts: &[usize]) -> Result<SolveOutcome, Failure> {
            self.0 += 1;
            if self.0 == 4 {
                self.1.request(StopReason::TimeLimit);
                return Ok(SolveOutcome::Unknown(StopReason::Unproven));
            }
            let all = [2, 5, 7].iter().all(|part| parts.contains(part));
            Ok(if all {
                SolveOutcome::Unsatisfiable(parts.to_vec())
            } else {
                SolveOutcome::Satisfiable(vec![false; 9])
            })
        }
    }
    let canceller = Canceller::new();
    let found = smallest_mus(&mut Slow(0, canceller.clone()), &canceller.token()).expect("a result");
    let SubsetResult::Parts { parts, is_least, is_minimal } = found else { panic!("{found:?}") };
    assert!(!is_least && !is_minimal && [2, 5, 7].iter().all(|part| parts.contains(part)), "{parts:?}");
}

#[test]
fn causes_that_differ_in_their_last_parts_look_different() {
    let text = "p(1..9). q(1..2).\n%!trace_rule {\"rule %\",X}\n:- p(X), q(2), #count { Y : p(Y) } >= 9, X = 9.\n:- q(1), #count { Y : p(Y) } >= 9.";
    let text = why(text, "-n 0").out;
    let sections: Vec<&str> = text.split("Another cause").collect();
    assert_eq!(sections.len(), 2, "{text}");
    assert!(sections[0].contains("q(1)") != sections[1].contains("q(1)"), "{text}");
}

#[test]
fn theory_atoms_cause_a_warning() {
    let text = "#theory t { s { }; &sum/0 : s, head }. p. &sum { } :- p. :- p.";
    let ran = why(text, "");
    assert!(ran.err.contains("1 theory atom, but theories are not supported"), "{}", ran.err);
}

/// clingo compares and prints terms recursively, so the cost of a thousand deep terms must not grow
/// with their depth in each step.
#[test]
fn deep_terms_are_blamed_and_abbreviated() {
    let text = "m(a,1). m(f(X),N+1) :- m(X,N), N < 1500. :- m(X,1500).";
    let ran = why(text, "");
    assert!(ran.out.starts_with("This fact alone rules out every answer."), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("…") && ran.out.len() < 1_000, "{}", ran.out);
}
