//! Programs in steps, as an author asks about them: in one program what the loop does step by step.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use asp_solve::asp::{Order, Program, Settings, Solver, Steps, solve_steps, to_text};
use asp_solve::document::Document;
use asp_solve::stop::Stop;
use fastrand::Rng;

use crate::support::process::*;
use crate::support::{Ran, file, folder, run, run_with_input};

/// Towers of Hanoi.
const HANOI: &str = "\
#include <incmode>.
#program base.
disk(1..3). peg(a;b;c).
on(D,a,0) :- disk(D).
#program step(t).
{ move(D,P,t) : disk(D), peg(P) } = 1.
on(D,P,t) :- move(D,P,t).
on(D,P,t) :- on(D,P,t-1), not move(D,_,t).
%!trace_rule {\"in step % disk % lies below another\",t,D}.
:- move(D,_,t), on(D,P,t-1), on(D',P,t-1), D' < D.
:- move(D,P,t), on(D',P,t-1), D' < D.
#defined move/3.
#show move/3.
#program check(t).
:- query(t), disk(D), not on(D,c,t).
";

fn program(text: &str) -> Program {
    Program { instance: vec![Document::in_memory("text", text)], ..Program::default() }
}

type Answers = BTreeSet<Vec<String>>;

/// The answers of the last step, as the loop finds them, and its number.
fn by_the_loop(program: &Program) -> (Answers, u32) {
    let settings = Settings { models: Some(0), ..Settings::default() };
    let mut solver = Solver::new(&settings, &Stop::new()).expect("a solver");
    solver.load(program).expect("a program");
    let steps = Steps::of(&mut solver).expect("steps");
    let answers = Mutex::new(Answers::new());
    let found = |model: &mut asp_solve::asp::Model<'_>| {
        let answer = model.shown(Order::Sorted).expect("memory").map(to_text).collect();
        answers.lock().expect("answers").insert(answer);
        ControlFlow::Continue(())
    };
    // What an earlier step has is searched for as well, and does not end a loop of at least so many steps.
    let begin = |_| answers.lock().expect("answers").clear();
    let (_, count) = solve_steps(&mut solver, &steps, &Stop::new(), begin, found).expect("a loop");
    (answers.into_inner().expect("answers"), count - 1)
}

fn at_once(program: &Program) -> (Answers, u32) {
    let settings = Settings { models: Some(0), ..Settings::default() };
    let program = program.at_last_step(&settings, &Stop::new()).expect("a loop");
    let mut solver = Solver::with_program(&program, &settings, &Stop::new()).expect("a program");
    let mut answers = Answers::new();
    let found = |model: &mut asp_solve::asp::Model<'_>| {
        answers.insert(model.shown(Order::Sorted).expect("memory").map(to_text).collect());
        ControlFlow::Continue(())
    };
    solver.solve(&[], found).expect("a search");
    (answers, program.last_step.expect("a step"))
}

#[test]
fn a_program_at_its_last_step_has_the_answers_of_the_loop() {
    let mut random = Rng::with_seed(29);
    let mut lengths = BTreeSet::new();
    for round in 0..300 {
        let least = round % 5;
        let mut literal = |times: &[&str]| {
            let sign = random.choice(["", "", "not "]).expect("signs");
            let name = random.choice(["p", "q", "r"]).expect("names");
            let time = random.choice(times.iter().copied()).expect("times");
            format!("{sign}{name}({time})")
        };
        let step: String = (0..3)
            .map(|_| {
                let (head, body) = (literal(&["t"]).replace("not ", ""), [literal(&["t", "t-1"]), literal(&["t-1"])]);
                format!("{head} :- {}.\n", body.join(", "))
            })
            .collect();
        let constraints = format!(
            "#program step(t). :- {}, {}.\n#program check(t). :- query(t), {}.\n:- query(t), {}. :- not query(t), {}, {}.\n",
            literal(&["t"]),
            literal(&["t-1"]),
            literal(&["t"]),
            literal(&["t"]),
            literal(&["t"]),
            literal(&["t"]),
        );
        let text = format!(
            "#include <incmode>. #const imax = 5. #const imin = {least}. {{ p(0); q(0) }}. r(0) :- p(0), not q(0).\n\
             #program step(t). {{ q(t) }} :- p(t-1).\n{step}{constraints}"
        );
        let program = program(&text);
        let (looped, at) = (by_the_loop(&program), at_once(&program));
        assert_eq!(looped, at, "{text}");
        lengths.insert((at.1, at.0.is_empty()));
    }
    assert!(lengths.len() >= 5, "{lengths:?}");
}

fn tested(text: &str, options: &[&str]) -> Ran {
    let folder = folder();
    let path = file(folder.path(), "hanoi.lp", format!("{HANOI}{text}"));
    run(["test", path.to_str().expect("a name")].into_iter().chain(options.iter().copied()))
}

#[test]
fn a_test_is_about_the_first_step_that_has_an_answer() {
    let passing = tested(
        "%**@test(name = \"seven moves, in one way\",
            assert = { @trueInExactly(number = 1, atoms = 'move(1,c,1). move(3,c,4).'),
                       @constraintForAll(constraint = ':- { move(D,P,T) } != 7.') })**%
        %**@test(name = \"no plan is shorter\", input = '#const imax = 7.', assert = { @noAnswerSet })**%
        #program test_part(base,step,check).
        least(7).
        moves(N) :- N = #count { T : move(_,_,T) }.
        cannot(\"so many\",N) :- moves(N), not least(N).
        cannot(\"the last is no query\") :- not query(7).",
        &[],
    );
    assert_eq!(passing.code, 0, "{}{}", passing.out, passing.err);
    assert!(passing.out.contains("3 passed"), "{}", passing.out);
    let failing = tested("#program test_part(base,step,check).\ncannot(D) :- on(D,b,2).\n", &[]);
    assert_eq!(failing.code, 1);
    assert!(
        failing.out.contains("cannot(2) in an answer set") && failing.out.contains("hanoi.lp:17:1"),
        "{}",
        failing.out
    );
}

#[test]
fn what_stands_in_a_step_is_covered_and_changed() {
    let test = "%**@test(name = \"one plan\", input = '#const imax = 10.',
        assert = { @trueInExactly(number = 1, atoms = 'move(1,c,1). on(3,c,7).'),
                   @constraintForAll(constraint = ':- { move(D,P,T) } != 7.') })**%\n";
    let covered = tested(test, &["--coverage", "-f", "json"]).json();
    let items = covered["coverage"][0]["items"].as_array().expect("items").clone();
    let used = |line: u64| {
        let mut of_line = items.iter().filter(|item| item["line"] == line).peekable();
        of_line.peek().is_some() && of_line.all(|item| item["used"] == 1)
    };
    assert!([6, 7, 8, 10, 11, 15].into_iter().all(used), "{items:?}");
    let mutants = tested(test, &["--mutants", "-f", "json"]).json();
    let names: Vec<&str> =
        mutants["unnoticed"].as_array().expect("a list").iter().filter_map(|mutant| mutant["name"].as_str()).collect();
    assert!(mutants["noticed"].as_u64() > Some(20), "{mutants}");
    // A disk that goes to where it is makes no plan shorter.
    assert_eq!(names, [":- move(D,P,t); on(D',P,(t-1)); D' <= D."]);
}

#[test]
fn causes_are_told_with_their_step() {
    let short = format!("{HANOI}#program base. #const imax = 3. disk(3). #program step(t). :- move(3,c,t), t = 2.\n");
    let told = run_with_input("why - --blame constraints", &short);
    assert_eq!(told.code, 0, "{}", told.err);
    for words in ["in step 1 disk 3 lies below another", "move(3,c,2), 2 = 2", "query(2), disk(3), not on(3,c,2)"] {
        assert!(told.out.contains(words), "{}", told.out);
    }
    let atom = run_with_input("why - on(3,c,4)", HANOI);
    assert_eq!(atom.code, 0, "{}", atom.err);
    assert!(atom.out.contains("on(3,c,4) holds in every answer"), "{}", atom.out);
}

#[test]
fn a_profile_adds_up_the_steps_and_tells_each() {
    let value = run_with_input("profile - -f json", HANOI).json();
    assert_eq!(value["verdict"], "solved");
    let statements = value["statements"].as_array().expect("statements");
    let tried = |line: u64| statements.iter().find(|one| one["line"] == line).map(|one| one["tried"].as_u64());
    assert_eq!(tried(6), Some(Some(7)), "the choice, once in each of seven steps: {statements:#?}");
    assert!(tried(15).flatten() > Some(16), "three disks in each check, but where it is known: {statements:#?}");
    let steps = value["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 8);
    assert!(steps[1..].iter().all(|step| step["rules"].as_u64() > Some(0)), "{steps:?}");
    let rules: u64 = statements.iter().filter_map(|one| one["rules"].as_u64()).sum::<u64>()
        + value["rest"]["rules"].as_u64().expect("rules");
    assert_eq!(steps.iter().filter_map(|step| step["rules"].as_u64()).sum::<u64>(), rules);
    let growing = "#include <incmode>. p(0,1..80). #program step(t). p(t,X) :- p(t-1,X).\n\
                   q(X,Y,Z,V) :- t > 1, p(t,X), p(t,Y), p(t,Z), p(t,V). #program check(t). :- query(t).\n";
    let stopped = with_longer_limits(|limit| {
        let stopped = run_with_input(&format!("profile - -f json --time-limit {limit}"), growing);
        assert_eq!(stopped.code, 3, "{}", stopped.err);
        let stopped = stopped.json();
        (stopped["growing"][0]["last"]["t"] == "2").then_some(stopped)
    });
    assert_eq!(
        (&stopped["growing"][0]["line"], &stopped["growing"][0]["last"]["t"]),
        (&2.into(), &"2".into()),
        "{stopped:#}"
    );
    assert_eq!(stopped["steps"].as_array().map(Vec::len), Some(3));
}

#[test]
fn plans_are_compared_in_the_first_step_that_has_one() {
    let folder = folder();
    let compared = |text: &str, rest: &[&str]| {
        let files = [("a.lp", HANOI), ("b.lp", text)].map(|(name, text)| file(folder.path(), name, text));
        run(["compare", "--runs", "1"]
            .into_iter()
            .chain(files.iter().map(|path| path.to_str().expect("a name")))
            .chain(rest.iter().copied()))
    };
    let same = compared(&format!("{HANOI}#program step(t). :- t > 1, move(D,_,t), move(D,_,t-1).\n"), &[]);
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    assert!(same.out.starts_with("the same: 1 answer in step 7\n"), "{}", same.out);
    let lax = compared(&HANOI.replace(":- move(D,P,t), on(D',P,t-1), D' < D.\n", ""), &[]);
    assert_eq!(lax.code, 1, "{}", lax.err);
    let told = "different: a.lp has its first answer in step 7, b.lp has its first answer in step ";
    assert!(lax.out.replace(&format!("{}/", folder.path().display()), "").starts_with(told), "{}", lax.out);
    assert!(lax.out.contains("a.lp:11: ") || lax.out.contains("never derives"), "{}", lax.out);
    let stuck = compared(&format!("{HANOI}#program step(t). :- move(3,_,t).\n"), &["--each", "1", "-f", "json"]);
    assert_eq!((stuck.code, &stuck.json()["instances"][0]["sides"][1]["has_answer"]), (1, &false.into()));
}
