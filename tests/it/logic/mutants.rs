//! Measures which mutants of a type's rules survive its published boards with their right and wrong
//! solutions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use base::document::Document;
use pencil::link::Link;
use serde_json::Value;

use super::samples::{Sample, puzzle_of, rules_left_out, samples};
use super::types::{PuzzleFile, puzzles};
use crate::support::{answers, file, folder, run};

/// The predicate in which `why` lists the facts of a board.
const LISTED_FACT: &str = "__asp_solve_fact";

/// Returns the names and arities of the predicates of some atoms.
fn predicates<'a>(atoms: &[&'a str]) -> BTreeSet<(&'a str, usize)> {
    let arity = |rest: &str| {
        let (mut depth, mut is_text, mut commas) = (0, false, 0);
        for sign in rest.chars() {
            match sign {
                '"' => is_text = !is_text,
                '(' if !is_text => depth += 1,
                ')' if !is_text => depth -= 1,
                ',' if !is_text && depth == 0 => commas += 1,
                _ => {}
            }
        }
        commas + 1
    };
    atoms
        .iter()
        .filter_map(|atom| atom.strip_suffix(')')?.split_once('('))
        .map(|(name, rest)| (name, arity(rest)))
        .collect()
}

fn variables(arity: usize) -> String {
    (0..arity).map(|number| format!("X{number}")).collect::<Vec<_>>().join(",")
}

/// Returns a test part that expects exactly these atoms of their predicates.
fn expectation(name: &str, input: &str, atoms: &[&str]) -> String {
    let mut part = format!("#program test_{name}(base).\n{input}\n");
    for atom in atoms {
        let _ = writeln!(part, "expected({atom}). cannot({atom:?}) :- not {atom}.");
    }
    for (name, arity) in predicates(atoms) {
        let atom = format!("{name}({})", variables(arity));
        let _ = writeln!(part, "cannot({atom}) :- {atom}, not expected({atom}).");
    }
    part
}

/// Returns a test that asserts that a solution, all atoms of `predicates`, is right or wrong.
fn solution_test(
    name: &str,
    is_right: bool,
    solution: &[&str],
    input: &str,
    predicates: &BTreeSet<(&str, usize)>,
) -> String {
    let mut constraints = String::new();
    for atom in solution {
        let _ = write!(constraints, "sample({atom}). :- not {atom}. ");
    }
    for (name, arity) in predicates {
        let atom = format!("{name}({})", variables(*arity));
        let _ = write!(constraints, ":- {atom}, not sample({atom}). ");
    }
    let assert =
        if is_right { "@constraintInAtLeast(number = 1, constraint = ':- not rows(_).')" } else { "@noAnswerSet" };
    let input = format!("{input} {constraints}").replace('\\', "\\\\");
    format!("%**@test(name = \"{name}\", input = '{input}', assert = {{ {assert} }})**%\n")
}

/// The atoms of the only answer of a program; `None` if it has no answer or several.
fn answer_of(text: &str, folder: &Path) -> Option<Vec<String>> {
    let program = file(folder, "board.lp", text);
    let path = program.to_str().expect("UTF-8");
    let found = run([path, "-p", "program", "--project", "-n", "2", "-f", "json"]).json();
    let [answer] = &answers(&found)[..] else { return None };
    let atoms = answer["atoms"].as_array().expect("atoms").iter();
    Some(atoms.map(|atom| atom.as_str().expect("a text").to_owned()).collect())
}

fn texts(atoms: &[String]) -> Vec<&str> {
    atoms.iter().map(String::as_str).collect()
}

/// Removes the rules for new boards, which no solution concerns.
fn without_generator(text: &str) -> &str {
    ["#program areas.", "#program clues."].iter().fold(text, |text, part| text.split(part).next().unwrap_or_default())
}

/// The equivalent mutants by type, with reasons, in the format of `test --mutants`.
fn equivalents() -> BTreeMap<&'static str, &'static str> {
    let parts = include_str!("../../data/equivalent_mutants.txt").split("\n%% ").skip(1);
    parts.map(|part| part.split_once('\n').expect("the name of a type")).collect()
}

/// Writes the tests of a type, and beside them its files without the rules for new boards.
fn write_tests(puzzle: &PuzzleFile, own_samples: &[&Sample], equivalents: &str, folder: &Path) -> PathBuf {
    let (mut includes, mut rules) = (String::new(), String::new());
    for path in puzzle.files() {
        let text = std::fs::read_to_string(&path).expect("a file of the type");
        let name = path.strip_prefix(std::path::absolute("asp/puzzles").expect("a path")).expect("below the puzzles");
        file(folder, name.to_str().expect("UTF-8"), without_generator(&text));
        let _ = writeln!(includes, "#include {:?}.", name.display().to_string());
        rules += &text;
    }
    let link = Link::parse(puzzle.paragraph("Link").expect("links")).expect("a header");
    let read = |sample: &Sample| {
        let board = link.read(&Document::in_memory("link", sample.link)).unwrap_or_else(|failure| panic!("{failure}"));
        board.facts()
    };
    let mut tests = format!("{includes}#defined sample/1. #defined expected/1.\n");
    // Adds tests that expect the answer of a board, without and with hints; false if it is not
    // unique.
    let mut add_answer = |name: String, facts: &str| {
        ["hint.", ""].iter().enumerate().all(|(kind, hint)| {
            let input = format!("{facts} {hint}");
            let Some(atoms) = answer_of(&format!("{includes}{input}\n#show draw/1.\n"), folder) else { return false };
            tests += &expectation(&format!("{name}_{kind}"), &input, &texts(&atoms));
            true
        })
    };
    let board = puzzle.board().facts();
    assert!(add_answer("board".to_owned(), &board), "{}", puzzle.name);
    // As in `why`: all facts are listed, and some are left out, which some rules take into account.
    let given = answer_of(&board, folder).expect("facts");
    let listed: String = given.iter().map(|fact| format!("{LISTED_FACT}(0,{fact}). ")).collect();
    assert!(add_answer("listed".to_owned(), &format!("{board} {listed}")), "{}", puzzle.name);
    let solution = answer_of(&format!("{includes}{board}"), folder).expect("one answer");
    let solution = texts(&solution);
    let shown = predicates(&solution);
    let (mut kinds, mut judgements) = (BTreeSet::new(), String::new());
    for (number, left_out) in given.iter().enumerate() {
        let name = left_out.split('(').next().unwrap_or_default();
        let kind = (name, left_out.rsplit(',').next());
        if rules.contains(&format!("{LISTED_FACT}(_,{name}(")) && kinds.insert(kind) {
            let rest = given.iter().filter(|fact| *fact != left_out).map(|fact| format!("{fact}. "));
            let input = rest.collect::<String>() + &listed;
            judgements += &solution_test(&format!("left out {number}"), true, &solution, &input, &shown);
        }
    }
    // Boards that only show the effect of a flag may have several answers.
    let is_judged = |(number, sample): &(usize, &&Sample)| {
        sample.rule.is_some() || !add_answer(format!("sample_{number}"), &read(sample))
    };
    let judged: Vec<(usize, &&Sample)> = own_samples.iter().enumerate().filter(is_judged).collect();
    let atoms = own_samples.iter().flat_map(|sample| sample.solution.values().flatten());
    let known = predicates(&atoms.map(String::as_str).collect::<Vec<_>>());
    for (number, sample) in judged {
        let solution: Vec<&str> = sample.solution.values().flatten().map(String::as_str).collect();
        let shown = known.iter().filter(|(name, _)| sample.solution.contains_key(name)).copied().collect();
        judgements +=
            &solution_test(&format!("sample {number}"), sample.rule.is_none(), &solution, &read(sample), &shown);
    }
    file(folder, "tests.lp", tests + &judgements + equivalents)
}

fn check_survivors() {
    let puzzles = puzzles();
    let samples = samples();
    let only = std::env::var("TYPES").unwrap_or_default();
    let mut by_type: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    let left_out = rules_left_out();
    for sample in &samples {
        let name = &*puzzle_of(&puzzles, sample.link).name;
        if !sample.rule.is_some_and(|rule| left_out.contains(&(name, rule))) {
            by_type.entry(name).or_default().push(sample);
        }
    }
    let (mut all, mut survivors, mut above, mut equivalents) = (0, 0, Vec::new(), equivalents());
    for puzzle in &puzzles {
        let Some(own_samples) = by_type.get(&*puzzle.name) else { continue };
        // Tests in `tests/asp` kill all mutants of their types.
        if Path::new("tests/asp").join(format!("{}.lp", puzzle.name)).exists() {
            continue;
        }
        if !only.is_empty() && !only.split(' ').any(|name| name == puzzle.name) {
            continue;
        }
        let folder = folder();
        let path =
            write_tests(puzzle, own_samples, equivalents.remove(&*puzzle.name).unwrap_or_default(), folder.path());
        let report = run(["test", "--mutants", "-f", "json", path.to_str().expect("UTF-8")]).json();
        for errors in ["failing", "wrongly_listed"] {
            assert_eq!(report[errors], Value::Array(Vec::new()), "{}", puzzle.name);
        }
        let [all_mutants, listed] = ["mutants", "listed"].map(|key| report[key].as_u64().expect("a number"));
        let mutants = all_mutants - listed;
        let names = report["unnoticed"].as_array().expect("a list");
        println!("{}: {} of {mutants}, {listed} listed", puzzle.name, names.len());
        names.iter().for_each(|mutant| println!("    {}", mutant["name"].as_str().expect("a name")));
        all += mutants;
        survivors += names.len() as u64;
        if names.len() as u64 * 10 > mutants {
            above.push(&*puzzle.name);
        }
    }
    println!("{survivors} of {all} survived");
    assert!(all > 0 && above.is_empty(), "more than a tenth of {above:?}");
    assert!(!only.is_empty() || equivalents.is_empty(), "no types: {:?}", equivalents.keys());
}

mod campaign {
    /// `--nocapture` lists the survivors; `TYPES="cave lits"` restricts the test to these types.
    #[test]
    #[ignore = "takes minutes"]
    fn samples_of_a_type_kill_nine_tenths_of_its_mutants() {
        super::check_survivors();
    }
}
