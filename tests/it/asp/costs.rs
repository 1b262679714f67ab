//! Tests costs beyond 32 and 64 bits in every format, against brute force.

use std::ops::ControlFlow;

use asp::{Program, Settings, Solver, function};
use base::document::Document;
use base::stop::CancelToken;
use certificate::{Claim, CostBound};
use fastrand::Rng;
use prover::{CertifyMode, Contradiction, certify, shown_terms};
use serde_json::{Value, json};

use crate::support::{extent, file, folder, run, run_with_input};

/// libclingo reports that the optimum costs -294967295.
const LARGE: &str = "\
cost(1,2000000000). cost(2,2000000000). {a}. :- not a.
#minimize{C,X : cost(X,C)}. #minimize{1,z:a}.
";

#[test]
fn costs_beyond_32_bits_are_correct_in_every_format() {
    let text = run_with_input("- -n 0", LARGE);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    assert!(text.out.contains("  cost 4000000001\n"), "{}", text.out);
    assert!(text.out.contains("Optimum found (proven): no answer costs less than 4000000001."), "{}", text.out);
    let value = run_with_input("- -n 0 -f json", LARGE).json();
    assert_eq!((&value["answers"][0]["costs"], &value["complete"]), (&json!([4_000_000_001_u64]), &json!(true)));
    let clingos = run_with_input("- -n 0 -f asp", LARGE).out;
    for line in ["Optimization: 4000000001", "Optimization : 4000000001"] {
        assert!(clingos.lines().any(|printed| printed == line), "{clingos}");
    }
    let value = run_with_input("- -n 0 -f clingo-json", LARGE).json();
    assert_eq!(value["Models"]["Costs"], json!([4_000_000_001_u64]));
    assert_eq!(value["Call"][0]["Witnesses"][0]["Costs"], json!([4_000_000_001_u64]));
    // All other readers of the cost agree with it.
    let checked = run_with_input("- -n 0 --check", LARGE);
    assert_eq!((checked.code, checked.err.as_str()), (0, ""));
    assert!(checked.out.contains("Each answer has passed the check."), "{}", checked.out);
    let certified = run_with_input("- -n 0 --certify", LARGE);
    assert_eq!(certified.code, 0, "{}", certified.err);
    assert!(certified.out.contains("proven, certified in"), "{}", certified.out);
    let folder = folder();
    let path = file(folder.path(), "large.lp", LARGE);
    let path = path.to_str().expect("UTF-8");
    let compared = run(["compare", path, path, "--runs", "0"]);
    assert_eq!(compared.code, 0, "{}{}", compared.out, compared.err);
    let tested = file(
        folder.path(),
        "tested.lp",
        format!(
            "%**@test(name = \"the cost\", assert = {{ @bestModelCost(cost = 4000000001, level = 0) }})**%\n{LARGE}"
        ),
    );
    let tested = run(["test", tested.to_str().expect("UTF-8")]);
    assert_eq!(tested.code, 0, "{}{}", tested.out, tested.err);
    assert!(tested.out.contains("1 passed"), "{}", tested.out);
}

#[test]
fn incremental_programs_have_costs_beyond_32_bits() {
    let text = "\
#include <incmode>.
c(1..4). {a}.
#minimize{ 2000000000,X : c(X) }.
#program step(t).
{b(t)} :- t < 3. b(3) :- t = 3.
#minimize{ 2000000000@1,b,t : b(t) }.
#program check(t).
:- query(t), t < 3.
";
    let value = run_with_input("- -n 0 -f json", text).json();
    let best = value["answers"].as_array().expect("answers").first().expect("an answer").clone();
    assert_eq!(
        (&best["costs"], &best["optimal"]),
        (&json!([2_000_000_000_u64, 8_000_000_000_u64]), &json!(true)),
        "{value}"
    );
    let value = run_with_input("- -n 0 --check -f json", text).json();
    assert_eq!(value["error"], Value::Null);
}

/// An atom and its truth value.
type Choice = (usize, bool);

/// A program of choices, constraints and weights that brute force can solve.
struct Weighted {
    atoms: usize,
    /// Forbidden combinations of literals.
    forbidden: Vec<Vec<Choice>>,
    /// Priority, weight and literal. An element without a literal always counts.
    weights: Vec<(i32, i32, Option<Choice>)>,
}

const WEIGHTS: [i32; 8] = [i32::MAX, i32::MAX - 1, i32::MIN, i32::MIN + 1, 2_000_000_000, -2_000_000_000, 1, -1];

impl Weighted {
    fn random(random: &mut Rng) -> Self {
        let atoms = random.usize(2..6);
        let forbidden = (0..random.usize(0..4))
            .map(|_| (0..random.usize(1..3)).map(|_| (random.usize(..atoms), random.bool())).collect())
            .collect();
        let mut weights = Vec::new();
        for priority in 1..=random.i32(1..=3) {
            // clasp rejects weights of one literal whose sum exceeds 32 bits, so each literal has
            // one weight, which can be negated.
            for atom in (0..atoms).filter(|_| random.bool()).collect::<Vec<_>>() {
                let weight =
                    random.choice(&WEIGHTS[..2]).copied().expect("weights") * random.choice([1, -1]).expect("signs");
                weights.push((priority, weight, Some((atom, random.bool()))));
            }
            let always = random.choice(WEIGHTS).expect("weights");
            weights.extend((0..random.usize(0..9)).map(|_| (priority, always, None)));
        }
        Weighted { atoms, forbidden, weights }
    }

    fn text(&self) -> String {
        let literal = |&(atom, holds): &(usize, bool)| format!("{}a({atom})", if holds { "" } else { "not " });
        let mut text = format!("{{ a(0..{}) }}.\n", self.atoms - 1);
        for body in &self.forbidden {
            text += &format!(":- {}.\n", body.iter().map(literal).collect::<Vec<_>>().join(", "));
        }
        for (number, (priority, weight, when)) in self.weights.iter().enumerate() {
            let when = when.as_ref().map_or(String::new(), |when| format!(" : {}", literal(when)));
            text += &format!("#minimize {{ ({weight})@{priority},{number}{when} }}.\n");
        }
        text
    }

    /// Returns the costs of all answers, highest priority first.
    fn brute_force_costs(&self) -> Vec<Vec<i128>> {
        let mut all = Vec::new();
        for set in 0..1_u32 << self.atoms {
            let holds = |&(atom, holds): &(usize, bool)| (set >> atom & 1 == 1) == holds;
            if self.forbidden.iter().any(|body| body.iter().all(holds)) {
                continue;
            }
            let mut priorities: Vec<i32> = self.weights.iter().map(|(priority, ..)| *priority).collect();
            priorities.sort_unstable();
            priorities.dedup();
            let cost = |priority: &i32| {
                let counts = |(own, weight, when): &(i32, i32, Option<(usize, bool)>)| {
                    let is_paid = own == priority && when.as_ref().is_none_or(holds);
                    if is_paid { i128::from(*weight) } else { 0 }
                };
                self.weights.iter().map(counts).sum()
            };
            all.push(priorities.iter().rev().map(cost).collect());
        }
        all.sort();
        all
    }
}

fn costs_of(text: &str, options: &[&str]) -> Result<Vec<Vec<i128>>, String> {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    let settings = Settings { models: Some(0), options, check: true, ..Settings::default() };
    let program = Program::of([Document::in_memory("text", text)]);
    let mut found = Vec::new();
    let mut solver = Solver::with_program(&program, &settings, &CancelToken::new()).expect("a program");
    let solved = solver.solve(&[], |model| {
        found.push(model.costs().expect("costs").into_iter().map(i128::from).collect());
        ControlFlow::Continue(())
    });
    solved.map(|_| found).map_err(|failure| failure.to_string())
}

fn compare_with_brute_force(programs: usize) {
    let seed = extent::seed();
    let mut random = Rng::with_seed(seed);
    let (mut wide, mut levels, mut none) = (0, 0, 0);
    for _ in 0..programs {
        let weighted = Weighted::random(&mut random);
        let text = weighted.text();
        let all = weighted.brute_force_costs();
        let mut enumerated = costs_of(&text, &["--opt-mode=enum"]).expect("answers");
        enumerated.sort();
        if weighted.weights.is_empty() {
            continue;
        }
        assert_eq!(enumerated, all, "seed {seed}:\n{text}");
        for options in [&["--opt-strategy=bb"][..], &["--opt-strategy=usc"]] {
            let best = costs_of(&text, options).expect("answers").pop();
            assert_eq!(best.as_ref(), all.first(), "seed {seed}, {options:?}:\n{text}");
        }
        let is_wide = |cost: &i128| i32::try_from(*cost).is_err();
        wide += usize::from(all.first().is_some_and(|best| best.iter().any(is_wide)));
        levels += usize::from(all.first().is_some_and(|best| best.iter().filter(|cost| is_wide(cost)).count() > 1));
        none += usize::from(all.is_empty());
    }
    extent::expect_counts([
        ("wide", wide, 40),
        ("at several levels", levels, 10),
        ("with answers", programs - none, 1),
    ]);
}

#[test]
fn costs_of_random_programs_with_large_weights_agree_with_brute_force() {
    compare_with_brute_force(extent::sample_size(200));
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes a minute"]
    fn costs_of_many_random_programs_with_large_weights_agree_with_brute_force() {
        compare_with_brute_force(20_000);
    }
}

#[test]
fn weights_of_one_literal_beyond_32_bits_are_an_error() {
    let text = "1{ab;c}1. a:-ab. b:-ab. #minimize{2147483647,0:a;2147483647,1:b;5,2:c}.";
    let ran = run_with_input("-", text);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("weight too large") && !ran.out.contains("cost"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_certificate_that_contradicts_a_cost_is_an_error() {
    let mut solver = Solver::new(&Settings::default(), &CancelToken::new()).expect("a solver");
    let ground = solver.control().observe().expect("clingo can be observed");
    let text = "{a; b}. :- not a, not b. #minimize {3 : a; 4 : b}.";
    solver.add(&Document::in_memory("text", text)).expect("a program");
    solver.ground(&[("base", &[])]).expect("a ground program");
    solver.control().prepare().expect("a solver");
    let mut literal =
        |name: &str| function(name, &[]).and_then(|atom| solver.control().literal(atom)).expect("an atom");
    let [a, b] = ["a", "b"].map(&mut literal);
    let ground = ground.lock();
    let certified = |answer: i32, cost: i64| {
        let bound = Some(CostBound { costs: vec![cost], is_strict: true });
        let claim = Claim { answers: vec![vec![answer.unsigned_abs()]], projects_to_shown: false, bound };
        certify(&ground, &shown_terms(&ground), &claim, "least", CertifyMode::Check, &CancelToken::new())
    };
    assert!(certified(a, 3).is_ok_and(|certified| certified.checked == Some(true)));
    assert!(matches!(certified(a, 2), Err(Contradiction::NotAnAnswer(why)) if why.contains("found [3]")));
    assert!(matches!(certified(b, 4), Err(Contradiction::MissedAnswer(what)) if what == "a"));
}

#[test]
fn an_optimum_of_the_last_step_is_not_claimed_for_all_steps() {
    let text = "#include <incmode>.\n#program base. {a}.\n#program step(t). { p(t) }. #minimize { t,t : p(t) }.\n\
        #program check(t). :- query(t), not p(t). :- query(t), t < 2.\n";
    let ran = run_with_input("- -c imin=4 -c imax=4 -n 0", text);
    let words =
        "Earlier steps have 1 answer. Optimum found (proven): no answer in the last of 4 steps costs less than 3";
    assert!(ran.out.contains(words), "{}", ran.out);
}
