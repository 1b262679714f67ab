//! Tests the commands for authors on programs in steps: they ground all steps at once, as the loop
//! does step by step.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use asp::{Order, Program, Settings, Solver, StepLimits, solve_steps, to_text};
use base::document::Document;
use base::stop::CancelToken;
use fastrand::Rng;

use crate::support::process::*;
use crate::support::{RunOutput, extent, file, folder, lacks_patches, run, run_with_input};

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

/// Returns the answers of the last step by the loop, and the number of that step.
fn answers_by_loop(program: &Program) -> (Answers, u32) {
    let settings = Settings { models: Some(0), ..Settings::default() };
    let mut solver = Solver::new(&settings, &CancelToken::new()).expect("a solver");
    solver.load(program).expect("a program");
    let steps = StepLimits::of(&mut solver).expect("steps");
    let answers = Mutex::new(Answers::new());
    let found = |model: &mut asp::Model<'_>| {
        let answer = model.shown(Order::Sorted).expect("clingo has enough memory").map(to_text).collect();
        answers.lock().expect("answers").insert(answer);
        ControlFlow::Continue(())
    };
    // Earlier steps are searched too; their answers do not end a loop with a minimum number of
    // steps.
    let begin = |_| answers.lock().expect("answers").clear();
    let (_, count) = solve_steps(&mut solver, &steps, &CancelToken::new(), begin, found).expect("a loop");
    (answers.into_inner().expect("answers"), count - 1)
}

fn answers_at_last_step(program: &Program) -> (Answers, u32) {
    let settings = Settings { models: Some(0), ..Settings::default() };
    let program = program.at_final_step(&settings, &CancelToken::new()).expect("a loop");
    let mut solver = Solver::with_program(&program, &settings, &CancelToken::new()).expect("a program");
    let mut answers = Answers::new();
    let found = |model: &mut asp::Model<'_>| {
        answers.insert(model.shown(Order::Sorted).expect("clingo has enough memory").map(to_text).collect());
        ControlFlow::Continue(())
    };
    solver.solve(&[], found).expect("a search");
    (answers, program.last_step.expect("a step"))
}

#[test]
fn a_program_grounded_at_its_last_step_has_the_answers_of_the_loop() {
    let mut random = extent::random();
    let mut lengths = BTreeSet::new();
    for round in 0..extent::sample_size(300) {
        let minimum = round % 5;
        let mut literal = |times: &[&str]| {
            let sign = random.choice(["", "", "not "]).expect("signs");
            let name = random.choice(["p", "q", "r"]).expect("names");
            let time = random.choice(times.iter().copied()).expect("times");
            format!("{sign}{name}({time})")
        };
        let step: String = (0..3)
            .map(|_| {
                let head = literal(&["t"]).replace("not ", "");
                let body = [literal(&["t", "t-1"]), literal(&["t-1"])];
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
            "#include <incmode>. #const imax = 5. #const imin = {minimum}. {{ p(0); q(0) }}. r(0) :- p(0), not q(0).\n\
             #program step(t). {{ q(t) }} :- p(t-1).\n{step}{constraints}"
        );
        let program = program(&text);
        let looped = answers_by_loop(&program);
        let at = answers_at_last_step(&program);
        assert_eq!(looped, at, "{text}");
        lengths.insert((at.1, at.0.is_empty()));
    }
    assert!(lengths.len() >= 5, "{lengths:?}");
}

/// Rules for three steps. An atom is defined in one step, and is false before it. Rules depend positively
/// only on atoms of their own and of earlier steps.
struct RandomSteps {
    externals: String,
    rules: [Vec<String>; 3],
}

impl RandomSteps {
    fn new(random: &mut Rng) -> Self {
        const ATOMS: [&str; 5] = ["a", "b", "c", "d", "e"];
        let defined: Vec<usize> = ATOMS.iter().map(|_| random.usize(..3)).collect();
        let mut rules: [Vec<String>; 3] = Default::default();
        for _ in 0..random.usize(4..13) {
            let step = random.usize(..3);
            let own: Vec<&str> =
                ATOMS.iter().zip(&defined).filter(|(_, of)| **of == step).map(|(atom, _)| *atom).collect();
            let mut literal = || loop {
                let index = random.usize(..ATOMS.len());
                match random.bool() {
                    true => break format!("not {}", ATOMS[index]),
                    false if defined[index] <= step => break ATOMS[index].to_owned(),
                    false => {}
                }
            };
            let [one, other, third] = [literal(), literal(), literal()];
            let mut head = || random.choice(&own).copied().unwrap_or_default();
            let [first, second] = [head(), head()];
            let head = match random.u8(0..8) {
                _ if own.is_empty() => String::new(),
                0..=2 => format!("{{ {first}; {second} }}"),
                3 if first != second => format!("{first}; {second}"),
                4 if random.bool() => String::new(),
                _ => first.to_owned(),
            };
            let body = match random.u8(0..8) {
                0 if !head.is_empty() => "#true".to_owned(),
                0 | 1 => format!("{} <= #sum {{ 1,x : {one}; 2,y : {other}; 1,z : {third} }}", random.u8(1..4)),
                2..=4 => format!("{one}, {other}"),
                _ => format!("{one}, {other}, {third}"),
            };
            rules[step].push(format!("{head} :- {body}"));
        }
        let externals = ATOMS.iter().zip(&defined).filter(|(_, step)| **step > 0);
        RandomSteps { externals: externals.map(|(atom, _)| format!("#external {atom}. ")).collect(), rules }
    }

    /// The rules of a step and those before it.
    fn until(&self, step: usize) -> String {
        self.rules[..=step].iter().flatten().map(|rule| format!("{rule}.\n")).collect()
    }

    fn program(&self) -> String {
        let of_step = |step: usize| self.rules[step].iter().map(move |rule| format!("{rule}, t = {step}.\n"));
        format!(
            "#include <incmode>.\n#const imin = 3.\n#const imax = 3.\n#program base.\n{}\n{}#program step(t).\n{}",
            self.externals,
            self.until(0),
            of_step(1).chain(of_step(2)).collect::<String>(),
        )
    }
}

/// Adds an answer, without the atom of its step, to the last list.
fn add_answer(model: &mut asp::Model<'_>, answers: &Mutex<Vec<Vec<String>>>) -> ControlFlow<()> {
    let shown = model.shown(Order::Sorted).expect("clingo has enough memory").map(to_text);
    let answer: Vec<String> = shown.filter(|atom| !atom.starts_with("query(")).collect();
    answers.lock().expect("answers").last_mut().expect("a step").push(answer.join(" "));
    ControlFlow::Continue(())
}

#[test]
fn each_step_has_the_answers_of_the_rules_so_far() {
    if lacks_patches("each_step_has_the_answers_of_the_rules_so_far") {
        return;
    }
    let settings = Settings { models: Some(0), ..Settings::default() };
    let mut found = 0;
    for seed in extent::seeds(400) {
        let steps = RandomSteps::new(&mut Rng::with_seed(seed));
        let text = steps.program();
        let mut solver = Solver::new(&settings, &CancelToken::new()).expect("a solver");
        solver.load(&program(&text)).expect("a program");
        let limits = StepLimits::of(&mut solver).expect("steps");
        let answers = Mutex::new(Vec::new());
        let begin = |_| answers.lock().expect("answers").push(Vec::new());
        solve_steps(&mut solver, &limits, &CancelToken::new(), begin, |model| add_answer(model, &answers))
            .expect("a loop");
        let answers = answers.into_inner().expect("answers");
        assert_eq!(answers.len(), 3, "seed {seed}\n{text}");
        for (step, mut answers) in answers.into_iter().enumerate() {
            let expected = Mutex::new(vec![Vec::new()]);
            let mut solver =
                Solver::with_program(&program(&steps.until(step)), &settings, &CancelToken::new()).expect("a program");
            solver.solve(&[], |model| add_answer(model, &expected)).expect("a search");
            let mut expected = expected.into_inner().expect("answers").remove(0);
            answers.sort_unstable();
            expected.sort_unstable();
            assert_eq!(answers, expected, "seed {seed}, step {step}\n{text}");
            found += answers.len();
        }
    }
    extent::expect_counts([("answers", found, 400)]);
}

fn run_tests(text: &str, options: &[&str]) -> RunOutput {
    let folder = folder();
    let path = file(folder.path(), "hanoi.lp", format!("{HANOI}{text}"));
    run(["test", path.to_str().expect("a name")].into_iter().chain(options.iter().copied()))
}

#[test]
fn tests_apply_to_the_first_step_with_an_answer() {
    let passing = run_tests(
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
    let failing = run_tests("#program test_part(base,step,check).\ncannot(D) :- on(D,b,2).\n", &[]);
    assert_eq!(failing.code, 1);
    assert!(
        failing.out.contains("cannot(2) in an answer set") && failing.out.contains("hanoi.lp:17:1"),
        "{}",
        failing.out
    );
}

#[test]
fn coverage_and_mutants_include_statements_of_steps() {
    let test = "%**@test(name = \"one plan\", input = '#const imax = 10.',
        assert = { @trueInExactly(number = 1, atoms = 'move(1,c,1). on(3,c,7).'),
                   @constraintForAll(constraint = ':- { move(D,P,T) } != 7.') })**%\n";
    let covered = run_tests(test, &["--coverage", "-f", "json"]).json();
    let items = covered["coverage"][0]["items"].as_array().expect("items").clone();
    let used = |line: u64| {
        let mut of_line = items.iter().filter(|item| item["line"] == line).peekable();
        of_line.peek().is_some() && of_line.all(|item| item["used"] == 1)
    };
    assert!([6, 7, 8, 10, 11, 15].into_iter().all(used), "{items:?}");
    let mutants = run_tests(test, &["--mutants", "-f", "json"]).json();
    let names: Vec<&str> =
        mutants["unnoticed"].as_array().expect("a list").iter().filter_map(|mutant| mutant["name"].as_str()).collect();
    assert!(mutants["noticed"].as_u64() > Some(20), "{mutants}");
    // Moving a disk to its own peg makes no plan shorter.
    assert_eq!(names, [":- move(D,P,t); on(D',P,(t-1)); D' <= D."]);
}

#[test]
fn causes_name_their_step() {
    let short = format!("{HANOI}#program base. #const imax = 3. disk(3). #program step(t). :- move(3,c,t), t = 2.\n");
    let causes = run_with_input("why - --blame constraints", &short);
    assert_eq!(causes.code, 0, "{}", causes.err);
    for words in ["in step 1 disk 3 lies below another", "move(3,c,2), 2 = 2", "query(2), disk(3), not on(3,c,2)"] {
        assert!(causes.out.contains(words), "{}", causes.out);
    }
    let atom = run_with_input("why - on(3,c,4)", HANOI);
    assert_eq!(atom.code, 0, "{}", atom.err);
    assert!(atom.out.contains("on(3,c,4) holds in every answer"), "{}", atom.out);
}

#[test]
fn profiles_list_the_steps_and_their_sum() {
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
    let stopped = retry_with_longer_limits(|limit| {
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
fn plans_are_compared_in_the_first_step_with_one() {
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
    let prefix = "different: a.lp has its first answer in step 7, b.lp has its first answer in step ";
    assert!(lax.out.replace(&format!("{}/", folder.path().display()), "").starts_with(prefix), "{}", lax.out);
    assert!(lax.out.contains("a.lp:11: ") || lax.out.contains("never derives"), "{}", lax.out);
    let stuck = compared(&format!("{HANOI}#program step(t). :- move(3,_,t).\n"), &["--each", "1", "-f", "json"]);
    assert_eq!((stuck.code, &stuck.json()["instances"][0]["sides"][1]["has_answer"]), (1, &false.into()));
}

/// Programs in steps with answers in all steps, in the first alone, from the third on, in odd
/// steps, and in none.
const STEP_PROGRAMS: [&str; 5] = [
    "{a}.",
    "#program check(t). :- query(t), t > 0.",
    "{a(1..2)}. #program check(t). :- query(t), t < 2.",
    "#program step(t). {b(t)}. #program check(t). :- query(t), t \\ 2 = 0.",
    "#program check(t). :- query(t).",
];

/// Returns the lines of clingo's output that are compared, without times.
fn without_times(text: &str) -> Vec<String> {
    let is_compared =
        |line: &&str| !["clingo version", "Reading", "Time ", "CPU Time"].iter().any(|word| line.starts_with(word));
    // The order of atoms in an answer depends on the order of their creation.
    let sorted = |line: &str| {
        let line = line.split(" (Time").next().unwrap_or_default();
        let mut words: Vec<&str> = line.split(' ').collect();
        if line.contains('(') {
            words.sort_unstable();
        }
        words.join(" ")
    };
    text.lines().filter(is_compared).map(sorted).collect()
}

#[test]
fn the_loop_ends_as_in_the_clingo_command() {
    let seed = extent::seed();
    let mut random = Rng::with_seed(seed);
    let folder = folder();
    let mut verdicts = BTreeSet::new();
    for round in 0..extent::sample_size(40) {
        let mut constant = |name: &str, values: &[&str]| {
            let value = random.choice(values.iter().copied()).expect("values");
            if value.is_empty() { String::new() } else { format!("#const {name} = {value}. ") }
        };
        let constants = constant("imin", &["", "", "-1", "0", "1", "2", "3", "5"])
            + &constant("imax", &["-1", "0", "1", "2", "3", "4"])
            + &constant("istop", &["", "", "\"SAT\"", "\"UNSAT\"", "\"UNKNOWN\""]);
        let program = random.choice(STEP_PROGRAMS).expect("programs");
        let minimises = random.choice(["", "", "#program base. #minimize { 2@2 : a; 2000000000,1; 2000000000,2 }."]);
        let text = format!("#include <incmode>. {constants}\n{program}\n{}\n", minimises.expect("texts"));
        let path = file(folder.path(), &format!("{round}.lp"), &text);
        let path = path.to_str().expect("UTF-8");
        let models = random.choice(["0", "1", "2"]).expect("numbers");
        let clingos = run(["clingo", path, models]);
        let quiet = run([path, "-n", models, "-f", "asp", "-q"]);
        let own_lines = run([path, "-n", models, "-f", "asp"]);
        let context = format!("seed {seed}, -n {models}:\n{text}");
        assert_eq!((quiet.code, own_lines.code), (clingos.code, clingos.code), "{context}");
        assert_eq!(without_times(&own_lines.out), without_times(&clingos.out), "{context}");
        let value = run([path, "-n", models, "-f", "clingo-json"]).json();
        let result = clingos
            .out
            .lines()
            .find(|line| ["SATISFIABLE", "UNSATISFIABLE", "UNKNOWN", "OPTIMUM FOUND"].contains(line));
        assert_eq!(value["Result"].as_str(), result, "{context}");
        // Nothing is proven about steps beyond a limit.
        let text = run([path, "-n", models]);
        let value = run([path, "-n", models, "-f", "json"]).json();
        let is_last_empty = result != Some("SATISFIABLE") && result != Some("OPTIMUM FOUND");
        if is_last_empty {
            assert!(!text.out.contains("proven") && value["complete"] == false, "{context}{}{value}", text.out);
            assert!(!text.out.contains("no other"), "{context}{}", text.out);
        }
        let code = match value["verdict"].as_str() {
            Some("solved") => 0,
            _ => 3,
        };
        assert_eq!(text.code, code, "{context}{}", text.out);
        verdicts.insert((is_last_empty, code, value["answers"].as_array().is_some_and(Vec::is_empty)));
    }
    // A test below covers the rarer ends of a loop.
    assert!(verdicts.len() >= 2, "seed {seed}: {verdicts:?}");
}

#[test]
fn claims_about_steps_apply_to_the_last_step() {
    let program = "#include <incmode>. #program check(t). :- query(t), t > 0.";
    let at_limit = run_with_input("- -n 0 -c imin=3 -c imax=4", program);
    assert_eq!(at_limit.code, 3);
    assert!(
        at_limit.out.ends_with("Earlier steps have 1 answer. No answer in the last of 4 steps.\n"),
        "{}",
        at_limit.out
    );
    let value = run_with_input("- -n 0 -c imin=3 -c imax=4 -f json", program).json();
    assert_eq!((&value["verdict"], &value["complete"]), (&"gave-up".into(), &false.into()));
    assert_eq!(value["reason"], "the depth limit was reached");
    // A loop with `istop = "UNSAT"` ends normally at a step without an answer.
    let until_none = run_with_input("- -n 0", &format!("{program} #program base. #const istop = \"UNSAT\"."));
    assert_eq!((until_none.code, until_none.err.as_str()), (0, ""));
    assert!(
        until_none.out.ends_with("Earlier steps have 1 answer. No answer in the last of 2 steps.\n"),
        "{}",
        until_none.out
    );
    // There are answers, but `imin` requires more steps.
    let too_short = run_with_input("- -n 0 -c imin=3 -c imax=2", "#include <incmode>. {a}.");
    assert!(
        too_short.out.contains("2 answers in the last of 2 steps; the maximum number of steps"),
        "{}",
        too_short.out
    );
    assert!(!too_short.out.contains("proven"), "{}", too_short.out);
    let several = run_with_input("- -n 0 -c imin=3", "#include <incmode>. {a}.");
    assert!(several.out.contains("2 answers in the last of 3 steps, and no others (proven)."), "{}", several.out);
    assert!(several.out.contains("Earlier steps have 4 answers."), "{}", several.out);
    // One answer per step is not a unique answer.
    let unique = run_with_input("- --unique -c imin=2 -f json", "#include <incmode>. a.").json();
    assert_eq!(unique["unique"], serde_json::Value::Null);
    // A certificate applies to the last step.
    let certified = run_with_input("- -n 0 -c imin=2 --certify", "#include <incmode>. {a}.");
    assert_eq!(certified.code, 0, "{}", certified.err);
    assert!(certified.out.contains("proven, certified in"), "{}", certified.out);
    // The same holds for programs with a drawing.
    let drawn = format!("{program} #program base. draw(cell(1,1)).");
    let drawn = run_with_input("- -n 0 -c imin=3 -c imax=4 -f svg", &drawn);
    assert_eq!(drawn.code, 3, "{}", drawn.err);
}
