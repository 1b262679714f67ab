//! Why an atom holds: derivations, parts of the program that imply it, and answers that differ in
//! it.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use asp::{Order, Program, Settings, Solver, Symbol, parse_term, statements_of, to_text};
use asp_solve::Job;
use base::document::Document;
use base::stop::CancelToken;
use explain::derivation::Derivation;
use explain::{ExplainQuery, QueryKind, explain};
use fastrand::Rng;
use serde_json::{Value, json};

use crate::support::{extent, file, folder, run, run_with_input};

const ATOMS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// A random program with one statement in each line: facts, choices with and without bounds, rules,
/// constraints.
pub fn random_program(random: &mut Rng) -> Vec<String> {
    let lines = random.usize(5..12);
    let mut line = || {
        let [one, other, third, fourth] = [(); 4].map(|()| random.choice(ATOMS).expect("an atom"));
        let negation = if random.f64() < 0.4 { "not " } else { "" };
        match random.u8(0..11) {
            0 => format!("{one}."),
            1 => format!("{{ {one}; {other} }}."),
            2 => format!("{{ {one} }} :- {other}."),
            3 => format!("1 {{ {one}; {other} }} 1 :- {negation}{third}."),
            4 | 5 => format!("{one} :- {other}, {negation}{third}."),
            6 => format!("{one} :- {negation}{other}."),
            7 => format!("{one} :- 2 {{ {other}; {third}; {fourth} }}."),
            8 => format!("{one}; {other} :- {third}."),
            _ => format!(":- {one}, {negation}{other}."),
        }
    };
    (0..lines).map(|_| line()).collect()
}

pub fn program_of(lines: &[String]) -> Program {
    let shown = ATOMS.map(|atom| format!("#show {atom}/0.")).join(" ");
    let text = format!("{}\n{shown}\n", lines.join("\n"));
    Program { instance: vec![Document::in_memory("program", text)], ..Program::default() }
}

pub fn answers(program: &Program) -> BTreeSet<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let settings = Settings { models: Some(0), ..Settings::default() };
    let mut solver = Solver::with_program(program, &settings, &CancelToken::new()).expect("a program");
    let insert = |model: &mut asp::Model<'_>| {
        found.insert(model.shown(Order::Sorted).expect("an answer").map(to_text).collect());
        ControlFlow::Continue(())
    };
    solver.solve(&[], insert).expect("clingo solves");
    found
}

/// The JSON of the explanation of an atom.
fn explanation(program: &Program, atom: &str) -> Value {
    let query = ExplainQuery { kind: QueryKind::About(atom.to_owned()), ..ExplainQuery::default() };
    let job = Job { sources: program.instance.clone().into(), ..Job::default() };
    explain(&program.clone().into(), &query, &(&job).into()).expect("an explanation").json()
}

fn atoms(value: &Value) -> BTreeSet<String> {
    value.as_array().expect("a list").iter().map(|atom| atom.as_str().expect("an atom").to_owned()).collect()
}

/// The program without the parts that may be blamed, except for the parts of the lines `kept`.
fn relaxed(lines: &[String], kept: &BTreeSet<usize>) -> Vec<String> {
    let free = |(number, line): (usize, &String)| match line.as_str() {
        _ if kept.contains(&(number + 1)) => line.clone(),
        constraint if constraint.starts_with(":-") => String::new(),
        choice if choice.starts_with("1 {") => choice.replacen("1 {", "{", 1).replacen("} 1", "}", 1),
        fact if !fact.contains([':', '{', ';']) => format!("{{ {} }}.", fact.trim_end_matches('.')),
        rule => rule.to_owned(),
    };
    lines.iter().enumerate().map(free).collect()
}

#[test]
fn an_atom_holds_always_never_or_sometimes_as_in_all_answers() {
    let (mut always, mut never, mut sometimes, mut of_parts) = (0, 0, 0, 0);
    for seed in extent::seeds(150) {
        let lines = random_program(&mut Rng::with_seed(seed));
        let program = program_of(&lines);
        let all = answers(&program);
        let is_known =
            |atom: &&&str| lines.iter().any(|line| line.split(":-").next().is_some_and(|head| head.contains(**atom)));
        for atom in ATOMS.iter().filter(is_known) {
            let about = format!("seed {seed}, {atom}\n{}", lines.join("\n"));
            let json = explanation(&program, atom);
            let having = all.iter().filter(|answer| answer.contains(*atom)).count();
            let expected = match having {
                _ if all.is_empty() => Value::Null,
                0 => json!("never"),
                _ if having == all.len() => json!("always"),
                _ => json!("sometimes"),
            };
            assert_eq!(json["holds"], expected, "{about}");
            if expected == "sometimes" {
                sometimes += 1;
                check_pair(&json, atom, &all, &about);
            } else if json["because"].is_array() && json["smallest"] == true {
                let is_always = expected == "always";
                let wrong = if is_always { format!(":- {atom}.") } else { format!(":- not {atom}.") };
                let parts = json["because"].as_array().expect("a list").iter();
                let parts: BTreeSet<usize> =
                    parts.map(|part| part["line"].as_u64().expect("a line") as usize).collect();
                let is_possible = |parts: &BTreeSet<usize>| {
                    let mut lines = relaxed(&lines, parts);
                    lines.push(wrong.clone());
                    !answers(&program_of(&lines)).is_empty()
                };
                assert!(!is_possible(&parts), "{parts:?} are not enough: {about}");
                for part in &parts {
                    let fewer = parts.iter().copied().filter(|other| other != part).collect();
                    assert!(is_possible(&fewer), "{part} of {parts:?} is not needed: {about}");
                }
                always += usize::from(is_always);
                never += usize::from(!is_always);
                of_parts += parts.len();
            }
        }
    }
    extent::expect_counts([
        ("always", always, 8),
        ("never", never, 50),
        ("sometimes", sometimes, 100),
        ("parts", of_parts, 40),
    ]);
}

/// Checks that the explanation has an answer with the atom, and the nearest answer without it.
fn check_pair(json: &Value, atom: &str, all: &BTreeSet<BTreeSet<String>>, about: &str) {
    let [with, without] = ["with", "without"].map(|key| atoms(&json[key]));
    // The explanation omits facts.
    let is_part = |answer: &BTreeSet<String>, listed: &BTreeSet<String>| {
        listed.is_subset(answer) && answer.difference(listed).all(|atom| all.iter().all(|answer| answer.contains(atom)))
    };
    let first =
        all.iter().find(|answer| is_part(answer, &with)).unwrap_or_else(|| panic!("{with:?} is no answer: {about}"));
    assert!(all.iter().any(|answer| is_part(answer, &without)), "{without:?} is no answer: {about}");
    assert!(with.contains(atom) && !without.contains(atom), "{about}");
    let fewest =
        all.iter().filter(|answer| !answer.contains(atom)).map(|other| first.symmetric_difference(other).count()).min();
    assert_eq!(json["fewest"], true, "{about}");
    assert_eq!(Some(json["differ"].as_array().expect("a list").len() + 1), fewest, "{json:#}\n{about}");
}

#[test]
fn every_derivation_is_founded_and_each_step_is_a_rule_that_applies() {
    let mut checked = 0;
    // In the first program, `a` and `f` need each other, and the disjunction needs one of them.
    let mutual = ["c.", "g :- c.", "f; a :- g.", "a :- f.", "f :- 2 { g; a }."].map(str::to_owned).to_vec();
    let random = extent::seeds(150).map(|seed| random_program(&mut Rng::with_seed(seed)));
    for lines in std::iter::once(mutual).chain(random) {
        let program = program_of(&lines);
        let statements = statements_of(&program).expect("statements");
        for answer in answers(&program) {
            let holding: Vec<Symbol> = answer.iter().map(|atom| parse_term(atom).expect("an atom")).collect();
            for &atom in &holding {
                let about = format!("{} in {answer:?}\n{}", to_text(atom), lines.join("\n"));
                let derivation =
                    Derivation::of(&statements, None, &holding, &[atom], &Settings::default(), &CancelToken::new());
                let derivation = derivation.expect("a derivation");
                let mut waiting = vec![atom];
                let mut seen = BTreeSet::new();
                while let Some(atom) = waiting.pop().filter(|atom| seen.insert(to_text(*atom))) {
                    let instance = derivation.instance(atom).unwrap_or_else(|| panic!("no rule: {about}"));
                    let round = derivation.round(atom);
                    assert!(instance.needs.iter().all(|&need| derivation.round(need) < round), "{about}");
                    // The rule derives the atom from its needs alone.
                    let mut alone: Vec<String> =
                        instance.needs.iter().map(|need| format!("{}.", to_text(*need))).collect();
                    alone.push(lines[instance.rule].clone());
                    let has = |answer: &BTreeSet<String>| answer.contains(&to_text(atom));
                    assert!(answers(&program_of(&alone)).iter().any(has), "{alone:?}: {about}");
                    waiting.extend(&instance.needs);
                    checked += 1;
                }
            }
        }
    }
    extent::expect_counts([("steps", checked, 400)]);
}

const PATHS: &str = "edge(a,b). edge(b,c).
edge(c,d). edge(d,b).
-edge(c,a).
node(X;Y) :- edge(X,Y).
path(X,Y) :- edge(X,Y), not -edge(X,Y).
path(X,Z) :- path(X,Y), edge(Y,Z).
leaves(X) :- edge(X,_).
far(X) :- node(X), #count { Y : path(X,Y) } >= 3.
{ in(X) : node(X) }.
:- in(a), in(b).
%!trace {\"% is chosen\",X} in(X).
pair(X) :- in(X), 2 { in(Y) : node(Y) } 2.
";

#[test]
fn a_derivation_is_printed_as_a_tree() {
    let folder = folder();
    let program = file(folder.path(), "paths.lp", PATHS);
    let tree = |atom: &str| {
        let ran = run(["why".as_ref(), program.as_os_str(), "--".as_ref(), atom.as_ref()]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.replace(&format!("{}/", folder.path().display()), "")
    };
    let atoms = ["path(a,d)", "far(d)", "leaves(d)", "-edge(c,a)", "pair(c)", "not path(d,a)"];
    insta::assert_snapshot!(atoms.map(tree).join("\n"));
}

#[test]
fn an_aggregate_that_depends_on_itself_is_founded() {
    // Companies that control each other.
    let text = "owns(a,b,60). owns(a,c,20). owns(b,c,35). owns(c,d,51). owns(d,c,45). owns(d,b,40).
        controls(X,Y) :- owns(X,_,_), owns(_,Y,_), X != Y, #sum { S : owns(X,Y,S); S,Z : owns(Z,Y,S), controls(X,Z) } > 50.";
    let program = Program { instance: vec![Document::in_memory("companies", text)], ..Program::default() };
    let statements = statements_of(&program).expect("statements");
    let answer = answers(&program).pop_first().expect("an answer");
    let holding: Vec<Symbol> = answer.iter().map(|atom| parse_term(atom).expect("an atom")).collect();
    let atom = parse_term("controls(a,c)").expect("an atom");
    let derivation = Derivation::of(&statements, None, &holding, &[atom], &Settings::default(), &CancelToken::new())
        .expect("a derivation");
    let needs: Vec<String> =
        derivation.instance(atom).expect("a rule").needs.iter().map(|&need| to_text(need)).collect();
    assert!(needs.contains(&"controls(a,b)".to_owned()), "{needs:?}");
    assert!(!needs.contains(&"controls(a,d)".to_owned()), "{needs:?}");
}

#[test]
fn the_error_of_an_unknown_atom_suggests_the_nearest_predicate() {
    for (atom, message) in [
        ("pth(a,b)", "did you mean path/2?"),
        ("path(a)", "did you mean path/2?"),
        ("edge(c,a,b)", "did you mean edge/2?"),
        ("unlike(1)", "the program has no predicate unlike/1"),
        ("path(a,", "neither a file nor an atom"),
        ("17", "neither a file nor an atom"),
    ] {
        let folder = folder();
        let program = file(folder.path(), "paths.lp", PATHS);
        let ran = run(["why".as_ref(), program.as_os_str(), atom.as_ref()]);
        assert_eq!(ran.code, 2, "{atom}: {}", ran.out);
        assert!(ran.err.contains(message), "{atom}: {}", ran.err);
    }
}

#[test]
fn an_atom_of_a_board_is_explained() {
    let ran = run(["why", "instances/queens.lp", "queen(1,1)", "-c", "n=4", "-f", "json"]);
    let value = ran.json();
    assert_eq!((ran.code, &value["holds"], &value["smallest"]), (0, &json!("never"), &json!(true)), "{}", ran.err);
    let parts = value["because"].as_array().expect("a list");
    assert!(
        !parts.is_empty() && parts.iter().all(|part| part["kind"] == "constraint" && part["words"].is_string()),
        "{value:#}"
    );
    let ran = run(["why", "instances/queens.lp", "not queen(1,2)", "-c", "n=4", "-f", "json"]);
    let value = ran.json();
    assert_eq!(value["holds"], "sometimes");
    assert_eq!((value["with"].as_array().map(Vec::len), value["without"].as_array().map(Vec::len)), (Some(4), Some(4)));
    assert_eq!(value["because"]["atom"], "queen(1,2)");
}

#[test]
fn an_atom_of_a_program_without_answers_is_not_explained() {
    let ran = run_with_input("why - a -f json", "{ a }. :- not a. :- a.");
    assert_eq!((ran.code, &ran.json()["holds"]), (1, &Value::Null), "{}", ran.err);
}

#[test]
fn a_long_derivation_is_abbreviated() {
    let text = "n(0). n(X+1) :- n(X), X < 3000.";
    let ran = run_with_input("why - n(3000)", text);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines = ran.out.lines().count();
    assert!(ran.out.contains('…') && lines < 50, "{lines} lines\n{}", ran.out);
    let ran = run_with_input("why - n(3000) -f json", text);
    assert_eq!(ran.json()["holds"], "always", "JSON readers accept at most 128 levels");
}

#[test]
fn a_disjunction_derives_an_atom_only_if_none_of_the_others_holds() {
    let ran = run_with_input("why - x", "x ; y. x :- f. y :- f. f.");
    assert!(ran.out.contains("x :- f"), "{}", ran.out);
    assert!(!ran.out.contains("x ; y"), "{}", ran.out);
}

/// The nearest pair does not depend on the answer that the solver finds first.
#[test]
fn both_answers_of_a_pair_are_chosen_to_be_near() {
    let json = explanation(&program_of(&["1 { a; d } 2.".to_owned()]), "a");
    assert_eq!(
        (atoms(&json["with"]), atoms(&json["without"])),
        (["a", "d"].map(str::to_owned).into(), ["d".to_owned()].into())
    );
    assert_eq!(json["differ"], json!([]));
}

#[test]
fn a_tree_contains_the_words_of_rules() {
    let text = "b(1..2).\n%!trace_rule {\"% follows\",X}\na(X) :- b(X), not c(X).\n{ c(2) }.\n";
    let ran = run_with_input("why - a(2)", text);
    assert!(ran.out.contains("\na(2)  2 follows  <stdin>:3\n"), "{}", ran.out);
}

#[test]
fn further_derivations_of_an_atom_are_counted_and_shown_with_n() {
    let text = "person(gabriel;clare). drive(gabriel). alcohol(gabriel,40). resist(gabriel).
punish(P) :- drive(P), alcohol(P,A), A > 30, person(P).
punish(P) :- resist(P), person(P).
sentence(P,prison) :- punish(P).
e(1,2). e(2,3). e(3,1). e(1,3). r(1). r(Y) :- r(X), e(X,Y).\n";
    let ran = run_with_input("why - sentence(gabriel,prison)", text);
    assert!(ran.out.contains("<stdin>:3  (1 of 2: -n 0 shows all)\n"), "{}{}", ran.out, ran.err);
    let ran = run_with_input("why - sentence(gabriel,prison) -n 0", text);
    let tree: Vec<&str> = ran.out.lines().skip(1).collect();
    assert_eq!(
        tree,
        [
            "sentence(gabriel,prison)  sentence(P,prison) :- punish(P).  <stdin>:4",
            "├─ punish(gabriel)  punish(P) :- resist(P), person(P).  <stdin>:3  (1 of 2)",
            "│  ├─ resist(gabriel)  <stdin>:1",
            "│  └─ person(gabriel)  <stdin>:1",
            "└─ punish(gabriel)  punish(P) :- drive(P), alcohol(P,A), A > 30, person(P).  <stdin>:2  (2 of 2)",
            "   ├─ drive(gabriel)  <stdin>:1",
            "   ├─ alcohol(gabriel,40)  <stdin>:1",
            "   └─ person(gabriel)  <stdin>:1",
        ],
        "{}",
        ran.err
    );
    let value = run_with_input("why - sentence(gabriel,prison) -n 2 -f json", text).json();
    let punish = &value["because"]["because"][0];
    assert_eq!((&punish["derivations"], punish["others"].as_array().map(Vec::len)), (&json!(2), Some(1)), "{value:#}");
    // A derivation that uses the atom itself does not count.
    let count =
        |atom: &str| run_with_input(&format!("why - {atom} -f json"), text).json()["because"]["derivations"].clone();
    assert_eq!([count("r(1)"), count("r(2)"), count("r(3)")], [Value::Null, Value::Null, json!(2)]);
    // xclingo's comments select the atoms.
    let traced = format!("{text}%!show_trace {{sentence(P,S)}} :- sentence(P,S).\n");
    let ran = run_with_input("why - -n 0", &traced);
    assert!(ran.out.contains("(1 of 2)") && ran.out.contains("(2 of 2)"), "{}{}", ran.out, ran.err);
}

#[test]
fn xclingo_2_comments_outside_of_block_comments_provide_words() {
    let text = "p(1..2). person(1).\n%*\n%!trace {\"no words\"} p(X).\n%!trace {\n*%\n\
        %!trace {p(X),\"person % is in\",X} :- p(X), person(X).\n%!trace {q(X),\"% asks\",X}.\nq(X) :- p(X), not r. {r}.\n";
    let ran = run_with_input("why - q(1)", text);
    assert!(ran.out.contains("\n1 asks") && ran.out.contains("person 1 is in"), "{}{}", ran.out, ran.err);
    let other = run_with_input("why - q(2)", text);
    assert!(other.out.contains("\n2 asks") && other.out.contains("p(2)"), "{}", other.out);
}

/// The atoms of a tree, each before the atoms that it needs.
fn atoms_of(tree: &Value) -> Vec<String> {
    let below = tree["because"].as_array().into_iter().flatten().flat_map(atoms_of);
    [tree["atom"].as_str().expect("an atom").to_owned()].into_iter().chain(below).collect()
}

#[test]
fn comments_mute_atoms_of_derivations_and_select_atoms_to_derive() {
    let folder = folder();
    let why = |comment: &str, rest: &[&str]| {
        let text = format!(
            "vip(a). rich(a). famous(X) :- rich(X).\n{comment}\nknown(X) :- famous(X), vip(X), not q.\n{{ q }}.\n"
        );
        let path = file(folder.path(), "trace.lp", text).display().to_string();
        run(["why", &path, "-f", "json"].iter().chain(rest))
    };
    for (comment, expected) in [
        ("", &["known(a)", "famous(a)", "vip(a)"][..]),
        ("%!mute famous(X) : rich(X).", &["known(a)", "vip(a)"]),
        ("%!mute {famous(X)} :- rich(X).", &["known(a)", "vip(a)"]),
        ("%!mute {vip(a)}.", &["known(a)", "famous(a)"]),
        ("%!mute famous(X):rich(X),not vip(X).", &["known(a)", "famous(a)", "vip(a)"]),
        ("%!mute_body", &["known(a)"]),
    ] {
        let ran = why(comment, &["known(a)"]);
        assert_eq!(atoms_of(&ran.json()["because"]), expected, "{comment}: {}", ran.out);
    }
    let plain = why("", &[]);
    assert_eq!((plain.code, plain.json().get("traces")), (1, None));
    for comment in ["%!show_trace known(X) : vip(X).", "%!show_trace {known(X)} :- vip(X)."] {
        let ran = why(comment, &[]);
        let traces = ran.json()["traces"].clone();
        assert_eq!((ran.code, &ran.json()["verdict"]), (0, &json!("satisfiable")), "{}", ran.err);
        let atoms: Vec<String> = traces.as_array().into_iter().flatten().map(|tree| tree["atom"].to_string()).collect();
        assert_eq!(atoms, ["\"known(a)\""], "{traces:#}");
    }
    for wrong in ["%!mute .", "%!mute {famous(X)", "%!show_trace X : rich(X).", "%!mute famous(X) : ( ."] {
        let ran = why(wrong, &["known(a)"]);
        assert!(ran.code == 2 && ran.err.contains("trace.lp:2:1"), "{wrong}: {}", ran.err);
    }
}
