//! Which changes of a type's rules its published boards do not notice: those with the right solution, and those with wrong ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use asp_solve::document::Document;
use asp_solve::puzzle::logic::link::Link;
use serde_json::Value;

use super::samples::{Sample, rules_left_out, samples, sheet_of};
use super::types::{Sheet, sheets};
use crate::support::{answers, file, folder, run};

/// The predicate in which `why` lists the facts of a board.
const ASKED: &str = "__asp_solve_fact";

/// The atoms by predicate and arity.
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

/// A part that has exactly these atoms of the predicates that it has any of.
fn accepts(name: &str, input: &str, atoms: &[&str]) -> String {
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

/// A test that a solution is one, or is none: all atoms of some predicates.
fn judges(name: &str, is_right: bool, solution: &[&str], input: &str, told: &BTreeSet<(&str, usize)>) -> String {
    let mut constraints = String::new();
    solution.iter().for_each(|atom| _ = write!(constraints, "sample({atom}). :- not {atom}. "));
    for (name, arity) in told {
        let atom = format!("{name}({})", variables(*arity));
        let _ = write!(constraints, ":- {atom}, not sample({atom}). ");
    }
    let assert = match is_right {
        false => "@noAnswerSet",
        true => "@constraintInAtLeast(number = 1, constraint = ':- not rows(_).')",
    };
    let input = format!("{input} {constraints}").replace('\\', "\\\\");
    format!("%**@test(name = \"{name}\", input = '{input}', assert = {{ {assert} }})**%\n")
}

/// The atoms of a program's answer, if it has one and no other.
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

/// Without the rules for new boards, which no solution is about.
fn before_new_boards(text: &str) -> &str {
    ["#program areas.", "#program clues."].iter().fold(text, |text, part| text.split(part).next().unwrap_or_default())
}

/// Reasons why nothing can notice some mutants, by type, as `test --mutants` reads them.
fn equivalents() -> BTreeMap<&'static str, &'static str> {
    let parts = include_str!("../../data/equivalent_mutants.txt").split("\n%% ").skip(1);
    parts.map(|part| part.split_once('\n').expect("the name of a type")).collect()
}

/// Writes the tests of a type, and beside them its files without the rules for new boards.
fn tests_of(sheet: &Sheet, own: &[&Sample], equivalents: &str, folder: &Path) -> PathBuf {
    let (mut includes, mut rules) = (String::new(), String::new());
    for path in sheet.files() {
        let text = std::fs::read_to_string(&path).expect("a file that ships");
        let name = path.strip_prefix(std::path::absolute("asp/puzzles").expect("a path")).expect("below the puzzles");
        file(folder, name.to_str().expect("UTF-8"), before_new_boards(&text));
        let _ = writeln!(includes, "#include {:?}.", name.display().to_string());
        rules += &text;
    }
    let link = Link::parse(sheet.has("Link").expect("links")).expect("a header");
    let read = |sample: &Sample| {
        let board = link.read(&Document::in_memory("link", sample.link)).unwrap_or_else(|failure| panic!("{failure}"));
        board.facts()
    };
    let mut tests = format!("{includes}#defined sample/1. #defined expected/1.\n");
    // Whether a board has one answer, which the tests then have.
    let mut tell = |name: String, facts: &str| {
        ["hint.", ""].iter().enumerate().all(|(kind, hint)| {
            let input = format!("{facts} {hint}");
            let Some(atoms) = answer_of(&format!("{includes}{input}\n#show draw/1.\n"), folder) else { return false };
            tests += &accepts(&format!("{name}_{kind}"), &input, &texts(&atoms));
            true
        })
    };
    let board = sheet.board().facts();
    assert!(tell("board".to_owned(), &board), "{}", sheet.name);
    // As `why` asks: it lists all facts, and leaves some out, of which the rules may say what they mean then.
    let given = answer_of(&board, folder).expect("facts");
    let listed: String = given.iter().map(|fact| format!("{ASKED}(0,{fact}). ")).collect();
    assert!(tell("listed".to_owned(), &format!("{board} {listed}")), "{}", sheet.name);
    let solution = answer_of(&format!("{includes}{board}"), folder).expect("one answer");
    let solution = texts(&solution);
    let told = predicates(&solution);
    let (mut kinds, mut judgements) = (BTreeSet::new(), String::new());
    for (number, left_out) in given.iter().enumerate() {
        let name = left_out.split('(').next().unwrap_or_default();
        let kind = (name, left_out.rsplit(',').next());
        if rules.contains(&format!("{ASKED}(_,{name}(")) && kinds.insert(kind) {
            let rest = given.iter().filter(|fact| *fact != left_out).map(|fact| format!("{fact}. "));
            let input = rest.collect::<String>() + &listed;
            judgements += &judges(&format!("left out {number}"), true, &solution, &input, &told);
        }
    }
    // Boards that only show what a flag does may have many.
    let is_judged = |(number, sample): &(usize, &&Sample)| {
        sample.rule.is_some() || !tell(format!("sample_{number}"), &read(sample))
    };
    let judged: Vec<(usize, &&Sample)> = own.iter().enumerate().filter(is_judged).collect();
    let atoms = own.iter().flat_map(|sample| sample.solution.values().flatten());
    let known = predicates(&atoms.map(String::as_str).collect::<Vec<_>>());
    for (number, sample) in judged {
        let solution: Vec<&str> = sample.solution.values().flatten().map(String::as_str).collect();
        let told = known.iter().filter(|(name, _)| sample.solution.contains_key(name)).copied().collect();
        judgements += &judges(&format!("sample {number}"), sample.rule.is_none(), &solution, &read(sample), &told);
    }
    file(folder, "tests.lp", tests + &judgements + equivalents)
}

fn mutants_are_noticed() {
    let sheets = sheets();
    let samples = samples();
    let only = std::env::var("TYPES").unwrap_or_default();
    let mut by_type: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    let left_out = rules_left_out();
    for sample in &samples {
        let name = &*sheet_of(&sheets, sample.link).name;
        if !sample.rule.is_some_and(|rule| left_out.contains(&(name, rule))) {
            by_type.entry(name).or_default().push(sample);
        }
    }
    let (mut all, mut unnoticed, mut above, mut equivalents) = (0, 0, Vec::new(), equivalents());
    for sheet in &sheets {
        let Some(own) = by_type.get(&*sheet.name) else { continue };
        // Others have tests that notice all mutants.
        if Path::new("tests/asp").join(format!("{}.lp", sheet.name)).exists() {
            continue;
        }
        if !only.is_empty() && !only.split(' ').any(|one| one == sheet.name) {
            continue;
        }
        let folder = folder();
        let path = tests_of(sheet, own, equivalents.remove(&*sheet.name).unwrap_or_default(), folder.path());
        let told = run(["test", "--mutants", "-f", "json", path.to_str().expect("UTF-8")]).json();
        for errors in ["failing", "wrongly_listed"] {
            assert_eq!(told[errors], Value::Array(Vec::new()), "{}", sheet.name);
        }
        let [made, listed] = ["mutants", "listed"].map(|key| told[key].as_u64().expect("a number"));
        let mutants = made - listed;
        let names = told["unnoticed"].as_array().expect("a list");
        println!("{}: {} of {mutants}, {listed} listed", sheet.name, names.len());
        names.iter().for_each(|mutant| println!("    {}", mutant["name"].as_str().expect("a name")));
        (all, unnoticed) = (all + mutants, unnoticed + names.len() as u64);
        if names.len() as u64 * 10 > mutants {
            above.push(&*sheet.name);
        }
    }
    println!("{unnoticed} of {all} unnoticed");
    assert!(all > 0 && above.is_empty(), "more than a tenth of {above:?}");
    assert!(!only.is_empty() || equivalents.is_empty(), "no types: {:?}", equivalents.keys());
}

mod campaign {
    /// `--nocapture` lists what is left; `TYPES="cave lits"` are types to try alone.
    #[test]
    #[ignore = "takes minutes"]
    fn of_the_mutants_of_a_type_its_samples_leave_at_most_a_tenth_unnoticed() {
        super::mutants_are_noticed();
    }
}
