//! Tests the checker of answer sets against clingo and against the definition: on random programs
//! it accepts exactly the answer sets.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

use asp::{Program, Settings, Solver};
use base::document::Document;
use base::stop::CancelToken;
use fastrand::Rng;
use ground::{GroundProgram, check_answer, is_answer_set};

use crate::support::{extent, lacks_patches, run, run_with_input};

const ATOMS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
/// Programs with more atoms have too many subsets.
const MOST_ATOMS: u32 = 16;

/// Generates choices, negation, cardinality bounds, sums and a constraint; some of them recursive.
pub fn random_program(random: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(4..11) {
        let literal = |random: &mut Rng| {
            let negation = if random.f64() < 0.35 { "not " } else { "" };
            format!("{negation}{}", random.choice(ATOMS).expect("there are atoms"))
        };
        let [one, other, third] = [(); 3].map(|()| literal(random));
        let atom = random.choice(ATOMS).expect("there are atoms");
        let second = random.choice(ATOMS).expect("there are atoms");
        let bound = random.u8(1..4);
        let rule = match random.u8(0..9) {
            0 | 1 => format!("{atom} :- {one}, {other}."),
            2 => format!("{atom} :- {one}."),
            3 => format!("{{ {atom}; {second} }} :- {one}."),
            4 => format!("{{ {atom} }}."),
            5 => format!("1 {{ {atom}; {second} }} {bound} :- {one}."),
            6 => format!("{atom} :- 2 {{ {one}; {other}; {third} }}."),
            7 => format!("{atom} :- #sum {{ 2,x : {one}; 1,y : {other}; 1,z : {third} }} >= {bound}."),
            _ => format!(":- {one}, {other}, {third}."),
        };
        let _ = writeln!(text, "{rule}");
    }
    text
}

/// Generates disjunctions with recursive heads, choices and sums.
fn random_disjunctive_program(random: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(3..9) {
        let [one, other, third, fourth] = [(); 4].map(|()| random.choice(ATOMS).expect("there are atoms"));
        let rule = match random.u8(0..8) {
            0..=2 => format!("{one}; {other}."),
            3 => format!("{one} :- {other}."),
            4 => format!("{one}; {other} :- {third}, not {fourth}."),
            5 => format!("{one}; {other} :- {third}."),
            6 => format!("{one} :- #sum {{ 1,x : {other}; 2,y : {third}; 1,z : {fourth} }} >= 2."),
            _ => format!("{{ {one} }} :- {other}."),
        };
        let _ = writeln!(text, "{rule}");
    }
    text
}

/// Generates a ground program of choices, sums, constraints and, if asked for, disjunctions, in
/// clingo's format for ground programs (aspif). Any literals may repeat.
fn random_ground_program(random: &mut Rng, has_disjunctions: bool) -> String {
    let mut text = "asp 1 0 0\n".to_owned();
    let atoms = random.i32(2..8);
    for _ in 0..random.usize(3..13) {
        let (is_choice, heads) = match random.u8(0..10) {
            0..=3 => (true, random.usize(1..3)),
            4..=7 => (false, 1),
            8 => (false, 0),
            _ if has_disjunctions => (false, 2),
            _ => (false, 1),
        };
        let _ = write!(text, "1 {} {heads}", u8::from(is_choice));
        for _ in 0..heads {
            let _ = write!(text, " {}", random.i32(1..=atoms));
        }
        let literals: Vec<i32> =
            (0..random.usize(0..4)).map(|_| random.i32(1..=atoms) * if random.bool() { 1 } else { -1 }).collect();
        if random.u8(0..4) == 0 && !literals.is_empty() {
            let weights: Vec<i32> = literals.iter().map(|_| random.i32(1..4)).collect();
            let bound = random.i32(1..=weights.iter().sum());
            let _ = write!(text, " 1 {bound} {}", literals.len());
            for (literal, weight) in literals.iter().zip(weights) {
                let _ = write!(text, " {literal} {weight}");
            }
        } else {
            let _ = write!(text, " 0 {}", literals.len());
            for literal in &literals {
                let _ = write!(text, " {literal}");
            }
        }
        text.push('\n');
    }
    text + "0\n"
}

/// Returns the ground program and its answers, each as a set of atoms with its costs.
fn ground_and_solve(text: &str) -> (GroundProgram, Vec<(u32, Vec<i64>)>) {
    solve_with(text, &["--opt-mode=enum"])
}

/// The same with options of clingo.
fn solve_with(text: &str, options: &[&str]) -> (GroundProgram, Vec<(u32, Vec<i64>)>) {
    let options = options.iter().map(|&option| option.to_owned()).collect();
    let settings = Settings { models: Some(0), options, ..Settings::default() };
    let mut solver = Solver::new(&settings, &CancelToken::new()).expect("clingo starts");
    let ground = solver.control().observe().expect("clingo can be observed");
    let program = Program { instance: vec![Document::in_memory("program", text)], ..Program::default() };
    solver.load(&program).expect("the program parses");
    solver.ground(&[("base", &[])]).expect("the program grounds");
    let mut found = Vec::new();
    solver
        .solve(&[], |model| {
            let holding = model.true_atoms(&ground.lock()).expect("atoms have numbers");
            let set = holding.iter().filter(|&&atom| atom < u32::BITS).map(|atom| 1 << atom).sum();
            found.push((set, model.costs().expect("answers have costs")));
            ControlFlow::Continue(())
        })
        .expect("the search succeeds");
    let ground = std::mem::take(&mut *ground.lock());
    (ground, found)
}

fn accepts(ground: &GroundProgram, set: u32) -> bool {
    is_answer_set(ground, |atom| set >> atom & 1 > 0).is_ok()
}

/// Returns all sets of atoms. Atom 0 does not exist.
fn subsets(ground: &GroundProgram) -> impl Iterator<Item = u32> + use<> {
    (0..1_u32 << ground.last_atom()).map(|set| set << 1)
}

/// Returns true if the set is an answer set by definition: it is a model of the reduct, and no
/// proper subset is.
fn is_minimal_model(ground: &GroundProgram, set: u32) -> bool {
    let is_in = |set: u32, literal: i32| set >> literal.unsigned_abs() & 1 > 0;
    let is_model_of_reduct = |part: u32| {
        ground.rules.iter().all(|rule| {
            let counts = |literal: i32| if literal > 0 { is_in(part, literal) } else { !is_in(set, literal) };
            let has = |atom: &u32| part >> atom & 1 > 0;
            let is_satisfied = if rule.is_choice {
                rule.head.iter().all(|atom| set >> atom & 1 == 0 || has(atom))
            } else {
                rule.head.iter().any(has)
            };
            is_satisfied || rule.weight(counts) < rule.required_weight()
        })
    };
    let parts = std::iter::successors(Some(set), |&part| (part > 0).then(|| (part - 1) & set));
    is_model_of_reduct(set) && !parts.skip(1).any(is_model_of_reduct)
}

#[test]
fn exactly_the_answer_sets_are_accepted() {
    let (mut programs, mut answer_sets, mut recursive) = (0, 0, 0);
    for seed in extent::seed().. {
        if programs == extent::sample_size(150) {
            break;
        }
        let text = random_program(&mut Rng::with_seed(seed));
        let (ground, found) = ground_and_solve(&text);
        if ground.last_atom() > MOST_ATOMS {
            continue;
        }
        let found: BTreeSet<u32> = found.into_iter().map(|(set, _)| set).collect();
        programs += 1;
        answer_sets += found.len();
        let accepted: BTreeSet<u32> = subsets(&ground).filter(|&set| accepts(&ground, set)).collect();
        assert_eq!(accepted, found, "seed {seed}\n{text}");
        recursive += usize::from(text.contains("2 {") || text.contains("#sum"));
    }
    extent::expect_counts([("answer sets", answer_sets, 150), ("programs with bounds", recursive, 50)]);
}

#[test]
fn external_atoms_have_their_value_until_a_rule_defines_them() {
    let (mut programs, mut defined, mut wrong) = (0, 0, 0);
    for seed in extent::seeds(400) {
        let random = &mut Rng::with_seed(seed);
        let mut text = String::new();
        // clingo 5.8.2 can report an unfounded atom if a released atom is in the head of a disjunction.
        let has_disjunctions = random.bool();
        let values = &["true", "true", "false", "free", "release"][..if has_disjunctions { 4 } else { 5 }];
        for _ in 0..random.usize(1..4) {
            let (atom, condition) = (random.choice(ATOMS).expect("an atom"), random.choice(ATOMS).expect("an atom"));
            let condition = if random.bool() { format!(" : {condition}") } else { String::new() };
            let value = random.choice(values).expect("a value");
            let _ = writeln!(text, "#external {atom}{condition}. [{value}]");
        }
        text.push_str(&random_program(random));
        if has_disjunctions {
            text.push_str(&random_disjunctive_program(random));
        }
        // These rules can never support an atom; clingo drops them.
        let [one, other] = [(); 2].map(|()| random.choice(ATOMS).expect("an atom"));
        let _ = writeln!(text, "{one} :- {one}, {other}. {{ {other} }} :- {one}, {other}. {other} :- not {other}.");
        let (ground, found) = ground_and_solve(&text);
        if ground.last_atom() > MOST_ATOMS || found.is_empty() || ground.externals.is_empty() {
            continue;
        }
        programs += 1;
        let heads: BTreeSet<u32> = ground.rules.iter().flat_map(|rule| rule.head.clone()).collect();
        defined += ground.externals.keys().filter(|atom| heads.contains(atom)).count();
        let found: BTreeSet<u32> = found.into_iter().map(|(set, _)| set).collect();
        let accepted: BTreeSet<u32> = subsets(&ground).filter(|&set| accepts(&ground, set)).collect();
        if has_disjunctions {
            wrong += usize::from(!found.is_subset(&accepted));
        } else {
            assert_eq!(accepted, found, "seed {seed}\n{text}");
        }
    }
    assert!(wrong < 3, "{wrong} of {programs} programs have wrong answers, and clingo is seldom wrong");
    extent::expect_counts([("programs", programs, 80), ("external atoms with rules", defined, 50)]);
}

#[test]
fn models_of_disjunctions_are_checked_for_minimality() {
    let (mut answer_sets, mut not_minimal, mut wrong) = (0, 0, 0);
    for seed in extent::seeds(300) {
        let text = random_disjunctive_program(&mut Rng::with_seed(seed));
        let (ground, found) = ground_and_solve(&text);
        if ground.last_atom() > 12 {
            continue;
        }
        let found: BTreeSet<u32> = found.into_iter().map(|(set, _)| set).collect();
        let accepted: BTreeSet<u32> = subsets(&ground).filter(|&set| accepts(&ground, set)).collect();
        let by_definition: BTreeSet<u32> = subsets(&ground).filter(|&set| is_minimal_model(&ground, set)).collect();
        assert_eq!(accepted, by_definition, "seed {seed}\n{text}");
        // clingo gives wrong answers to a few such programs.
        wrong += usize::from(!found.is_subset(&accepted));
        answer_sets += accepted.len();
        let is_needless = |&set: &u32| {
            is_answer_set(&ground, |atom| set >> atom & 1 > 0).is_err_and(|flaw| flaw.to_string().contains("without"))
        };
        not_minimal += subsets(&ground).filter(is_needless).count();
    }
    assert!(wrong < 3, "{wrong} programs have wrong answers, and clingo is seldom wrong");
    extent::expect_counts([("answer sets", answer_sets, 300), ("not minimal", not_minimal, 100)]);
}

#[test]
fn tampered_answers_are_rejected() {
    let (mut flipped, mut rejected) = (0, 0);
    for seed in extent::seeds(100) {
        let mut text = random_program(&mut Rng::with_seed(seed));
        text.push_str(
            "#external h. [free] i :- h. #external j. [true] #minimize { 2@2,x : a; -1@1,y : b; 3@1,z : i }.",
        );
        let (ground, found) = ground_and_solve(&text);
        if ground.last_atom() >= u32::BITS {
            continue;
        }
        let sets: BTreeSet<u32> = found.iter().map(|&(set, _)| set).collect();
        for (set, costs) in &found {
            let holds = |atom: u32| set >> atom & 1 > 0;
            assert!(check_answer(&ground, holds, costs).is_ok(), "seed {seed}\n{text}");
            let [first, ..] = costs[..] else { panic!("there is something to minimise: {text}") };
            assert!(
                check_answer(&ground, holds, &[&[first + 1], &costs[1..]].concat()).is_err(),
                "seed {seed}\n{text}"
            );
            for atom in 1..=ground.last_atom() {
                let other = set ^ 1 << atom;
                flipped += 1;
                // The changed set may be an answer too.
                assert_eq!(accepts(&ground, other), sets.contains(&other), "seed {seed}, atom {atom}\n{text}");
                rejected += usize::from(!accepts(&ground, other));
            }
        }
    }
    extent::expect_counts([("flipped", flipped, 1000)]);
    assert!(rejected * 2 > flipped, "{flipped} flipped, {rejected} rejected");
}

#[test]
fn check_reports_that_the_answers_passed() {
    let cases = [
        ("a :- not b. b :- not a. c :- a.", "2 answers, and no others (proven). Each answer has passed the check."),
        (
            "{ a; b }. :- not a, not b. #minimize { 2@2 : a; 1@1 : b }.",
            "(proven): no answer costs less than 0, 1. Each answer has passed the check.",
        ),
        ("a; b. a :- b. b :- a. { c }.", "2 answers, and no others (proven). Each answer has passed the check."),
        ("#external e. [true] a :- e. #external f. [free] b :- f.", "2 answers, and no others (proven). Each answer"),
        (
            "#external e. [true] e :- e. {e} :- e. e :- not e. e :- a, not a. { a }.",
            "2 answers, and no others (proven). Each answer",
        ),
        ("#external e. [true] e; f :- e. e :- b. { b }. :- b.", "1 answer, and no other (proven). Each answer"),
        ("asp 1 0 0\n5 1 1\n1 0 1 2 0 1 1\n4 1 e 1 1\n4 1 b 1 2\n0\n", "1 answer, and no other (proven). Each answer"),
        ("#external e. [release] #external e. [true] a :- e.", "1 answer, and no other (proven). Each answer"),
        (
            "#include <incmode>. #program step(t). { f(t) }. #external f(t+1). [true] f(t+1) :- f(t+1).
             #external query(t-1). [true] a(t) :- query(t-1). #program check(t). :- query(t), t < 3.",
            "Each answer",
        ),
        ("{ e(1..3) }. #edge (N,(N\\3)+1) : e(N).", "7 answers, and no others (proven). Each answer"),
        ("#theory t { x { - : 1, binary, left }; &d/0 : x, {<=}, x, body }. a :- &d { 1-2 } <= 3.", "Each answer"),
        (
            "#include <incmode>. { p(0) }. #program step(t). { p(t) } :- p(t-1). #program check(t). :- not p(2), query(t).",
            "Each answer",
        ),
        (":- not a.", "There is no answer (proven)."),
    ];
    for (text, expected) in cases {
        let ran = run_with_input("- -n 0 --check", text);
        assert!(ran.out.contains(expected), "{text}\n{}{}", ran.out, ran.err);
    }
    let ran = run_with_input("- -n 0 --check -f json", "{ a; b }.");
    assert_eq!(ran.json()["statistics"]["checked"], 4);
    let ran = run_with_input("- --enum-mode brave --check", "{ a; b }.");
    assert!(ran.err.contains("no answer was checked"), "{}", ran.err);
}

/// clingo 5.8.3 as published omits an answer of each of these, or reports a wrong one; the patch
/// `kinds-of-supports` corrects the version that is compiled here.
#[test]
fn programs_with_disjunctions_have_all_answers() {
    if lacks_patches("programs_with_disjunctions_have_all_answers") {
        return;
    }
    let cases = [
        ("{ a; b }. c :- b. d; e. a; f :- not e. a :- c.", ["a b c d", "a b c e", "a d", "a e", "d f", "e"].as_slice()),
        (
            "b :- d, not c. { a } :- b. a; f :- not b. :- d, not b. c; d; f :- c, not d. a; f. e. d :- e, not a.",
            &["a e", "b d e f"],
        ),
        (
            "e :- c. b; d :- b, not d. d. { d } :- a, c. b; d :- d, not f. { f } :- not a. a; b; c :- not e.
             { b; c; f } :- e.",
            &["a d", "b d", "b d f"],
        ),
    ];
    for (program, expected) in cases {
        let ran = run_with_input("- -n 0 -f lines", program);
        let mut answers: Vec<&str> = ran.out.lines().collect();
        answers.sort_unstable();
        assert_eq!(answers, expected, "{program}\n{}", ran.err);
        let certified = run_with_input("- -n 0 --certify", program);
        assert!(certified.out.contains("certified"), "{program}\n{}{}", certified.out, certified.err);
    }
}

/// clingo 5.8.3 as published loses answers of each of these, or reports some twice; the other
/// patches correct the version that is compiled here. The first program has its answers twice with
/// clingo's own options, and that with edges has one with a cycle; the others need options or are in
/// the format for ground programs.
#[test]
fn answers_are_neither_lost_nor_doubled() {
    if lacks_patches("answers_are_neither_lost_nor_doubled") {
        return;
    }
    let frumpy = "--clingo=--configuration=frumpy";
    let not_transformed = "--clingo=--trans-ext=no";
    let cases = [
        ("{ a }. { d }. { q; a } :- not p, not d. p :- not q, not d. :- q.", "", 4),
        ("{ c }. { a } :- 1 <= #sum { 3 : c; 1 : not a }.", frumpy, 3),
        ("{ e; f }. { c }. { a } :- 1 <= #sum { 3,0 : c; 1,1 : not a; 2,2 : c }. { e; d } :- not d, e.", frumpy, 12),
        ("a; b :- 1 <= #sum { 2 : not d }. d :- e. { e }. { b } :- 1 { a; not b }. { a } :- b.", not_transformed, 4),
        ("{ d }. c. a :- d. #edge (1,0) : d, c. #edge (0,1) : d, a.", "", 1),
        (
            "asp 1 0 0\n1 1 2 3 3 1 4 3 1 3 -6 1 -3 2\n1 1 1 2 0 1 6\n1 0 1 6 1 1 1 2 3\n1 0 1 3 0 1 -1\n1 0 1 5 0 0\n\
             1 0 1 1 0 0\n1 0 1 2 0 2 -3 -6\n0\n",
            "",
            1,
        ),
        ("asp 1 0 0\n1 0 1 1 1 1 3 -4 1 -1 1 -2 1\n1 0 1 4 1 1 1 1 3\n0\n", not_transformed, 1),
        (
            "asp 1 0 0\n1 0 1 1 1 2 2 1 1 -2 2\n1 1 1 2 1 1 2 2 1 1 1\n0\n",
            "--clingo=--trans-ext=no --clingo=--eq=0 --clingo=--heuristic=None",
            1,
        ),
        ("asp 1 0 0\n1 0 1 3 1 1 2 -1 1 -2 1\n1 0 1 2 1 2 2 -3 2 2 1\n1 0 1 1 0 0\n0\n", not_transformed, 2),
    ];
    for (program, option, expected) in cases {
        let ran = run_with_input(&format!("- -n 0 --certify=never -f json {option}"), program);
        assert_eq!(ran.json()["answers"].as_array().expect("a list").len(), expected, "{program}\n{}", ran.err);
    }
}

/// clingo 5.8.3 as published ends by a segmentation fault.
#[test]
fn a_disjunction_of_a_removed_body_does_no_harm() {
    if lacks_patches("a_disjunction_of_a_removed_body_does_no_harm") {
        return;
    }
    let program = "#include <incmode>.
#const imin = 3.
#const imax = 3.
#program base.
#external p4. #external p1. #external p2. { p3 }.
#program step(t).
{ p4 } :- t = 2. p1; p4 :- p3, p2, t = 2. p2 :- t = 2, 3 <= #sum { 2,0 : not p2; 1,1 : not p1 }.
p2 :- p1, not p3, t = 2. { p2 } :- p1, p4, p2, t = 2. p4 :- p2, not p3, t = 2. { p1 } :- p1, p2, t = 2.";
    let ran = run_with_input("- -n 0", program);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("Earlier steps have 4 answers. No answer in the last of 3 steps.\n"), "{}", ran.out);
}

/// clingo 5.8.3 as published says that atom 6 holds, though the body of its only rule is false.
#[test]
fn an_atom_whose_rules_are_all_dropped_is_false() {
    if lacks_patches("an_atom_whose_rules_are_all_dropped_is_false") {
        return;
    }
    let program = "asp 1 0 0\n1 0 2 5 3 1 3 3 5 1 2 3 -1 3\n1 0 1 4 0 0\n1 1 1 6 0 2 2 -4\n1 0 0 0 3 5 -3 1\n";
    let ran = run_with_input("- -n 0 --certify", &format!("{program}0\n"));
    assert!(ran.code == 0 && ran.out.contains("certified"), "{}{}", ran.out, ran.err);
    let ran = run_with_input("- -f json", &format!("{program}2 0 1 6 1\n0\n"));
    assert_eq!(ran.json()["answers"][0]["costs"], serde_json::json!([0]), "{}{}", ran.out, ran.err);
}

/// clingo 5.8.3 as published never ends.
#[test]
fn searches_end_with_any_options() {
    if lacks_patches("searches_end_with_any_options") {
        return;
    }
    let ran = run_with_input("- -n 0 -f lines --clingo=--trans-ext=all --time-limit 60", "{ a; b } :- not a.");
    assert_eq!((&*ran.out, ran.code), ("\nb\n", 0), "{}", ran.err);
    let program = "asp 1 0 0\n2 0 3 -1 1 -2 2 -3 -2\n2 1 4 2 4 2 2 1 4 -2 -2\n2 4 3 1 4 -1 3 2 2\n1 0 1 2 1 2 1 -1 3\n\
                   1 1 2 2 1 0 0\n1 0 1 2 1 2 1 1 2\n1 0 1 3 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 2 -1 -2\n1 1 1 3 0 0\n0\n";
    for options in ["", "--clingo=--sat-prepro=2 --clingo=--opt-strategy=usc"] {
        let ran = run_with_input(&format!("- -f json --time-limit 60 {options}"), program);
        let report = ran.json();
        assert_eq!(report["complete"], true, "{options}\n{}{}", ran.out, ran.err);
        assert_eq!(report["answers"][0]["costs"], serde_json::json!([6, 10, 0]), "{options}\n{}", ran.out);
    }
}

#[test]
fn ground_programs_have_each_answer_once_with_any_configuration() {
    if lacks_patches("ground_programs_have_each_answer_once_with_any_configuration") {
        return;
    }
    const OPTIONS: [&[&str]; 8] = [
        &[],
        &["--configuration=frumpy"],
        &["--configuration=jumpy"],
        &["--eq=1"],
        &["--eq=0"],
        &["--trans-ext=no", "--sat-prepro=2"],
        &["--trans-ext=all"],
        &["--trans-ext=weight"],
    ];
    let mut answers = 0;
    for seed in extent::seeds(400) {
        let mut random = Rng::with_seed(seed);
        // clingo refuses sums in loops with disjunctions if they are not transformed.
        let options = random.choice(OPTIONS).expect("there are options");
        let has_disjunctions = !options.contains(&"--trans-ext=no") && !options.contains(&"--configuration=frumpy");
        let text = random_ground_program(&mut random, has_disjunctions);
        let (ground, found) = solve_with(&text, options);
        let mut found: Vec<u32> = found.into_iter().map(|(set, _)| set).collect();
        found.sort_unstable();
        let expected: Vec<u32> = subsets(&ground).filter(|&set| is_minimal_model(&ground, set)).collect();
        assert_eq!(found, expected, "seed {seed}, options {options:?}\n{text}");
        answers += found.len();
    }
    extent::expect_counts([("answers", answers, 400)]);
}

#[test]
fn a_rejected_answer_ends_the_run() {
    // With this option clingo enumerates supported models, which need not be answer sets.
    let ran = run_with_input("- -n 0 --check --clingo=--supp-models", "{ c }. a :- b. b :- a. a :- c.");
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("does not pass the check: a holds, but is unfounded"), "{}", ran.err);
    assert!(!ran.out.contains("a b\n"), "{}", ran.out);
}

#[test]
fn answers_of_built_in_encodings_pass_the_check() {
    for line in [
        "instances/queens.lp",
        "instances/deponia.lp -f asp",
        "instances/sudoku.txt -f asp",
        "instances/slither.txt -f asp",
    ] {
        let ran = run(line.split(' ').chain(["--check", "-n", "0"]));
        assert!([0, 30].contains(&ran.code), "{line}\n{}{}", ran.out, ran.err);
    }
}
