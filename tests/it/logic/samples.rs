//! Published boards, each with its solution and with wrong ones: what is wrong is told in words that name the rule.
//!
//! The boards, solutions and names of rules are those of the samples of puzz.link. A wrong solution may break several rules.

use std::collections::{BTreeMap, BTreeSet};

use asp_solve::asp::{Settings, to_text};
use asp_solve::document::Document;
use asp_solve::puzzle::logic::link::{Link, link_type};
use asp_solve::report::Format;
use asp_solve::stop::CancelToken;
use asp_solve::why::{Blame, SolveOutcome, RelaxedProgram};
use asp_solve::{Job, Uniqueness, solve};

use super::types::{Sheet, sheets};

/// What is wrong with a solution that has something where the board has no place for it.
const NO_PLACE: &str = "noPlace";

pub struct Sample {
    pub link: &'static str,
    /// The rule that the solution breaks, if it is wrong.
    pub rule: Option<&'static str>,
    /// Predicates and their atoms.
    pub solution: BTreeMap<&'static str, BTreeSet<String>>,
}

fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with('%')).map(|line| line.split('\t').collect())
}

pub fn samples() -> Vec<Sample> {
    let sample = |columns: Vec<&'static str>| {
        let [link, rule, solution] = columns[..] else { panic!("{columns:?}") };
        Sample { link, rule: (!rule.is_empty()).then_some(rule), solution: solution.split(' ').map(atoms).collect() }
    };
    lines(include_str!("../../data/samples.tsv")).map(sample).collect()
}

/// Types, and rules of puzz.link that they leave out on purpose.
pub fn rules_left_out() -> BTreeSet<(&'static str, &'static str)> {
    lines(include_str!("../../data/rules_left_out.tsv")).map(|columns| (columns[0], columns[1])).collect()
}

/// `shaded=.#,..` is shaded(1,2); other characters are values; behind `;` stand pairs of cells, one above the other.
/// `half:1,2,nw;2,1,se` is half(1,2,nw) and half(2,1,se).
fn atoms(grid: &'static str) -> (&'static str, BTreeSet<String>) {
    if let Some((name, atoms)) = grid.split_once(':') {
        let atoms = atoms.split(';').filter(|arguments| !arguments.is_empty());
        return (name, atoms.map(|arguments| format!("{name}({arguments})")).collect());
    }
    let (name, grid) = grid.split_once('=').expect("predicate=grid");
    let is_pairs = grid.contains(';');
    let mut atoms = BTreeSet::new();
    for (part, grid) in grid.split(';').enumerate() {
        for (row, line) in (1..).zip(grid.split(',')) {
            for (column, sign) in (1..).zip(line.chars()).filter(|(_, sign)| *sign != '.') {
                let rest = match sign {
                    '#' if is_pairs => format!(",{},{}", row + part, column + 1 - part),
                    '#' => String::new(),
                    'A'..='Z' if name == "letter" => format!(",\"{sign}\""),
                    '0'..='9' | 'A'..='Z' => format!(",{}", sign.to_digit(36).expect("a digit")),
                    '\\' => ",\"\\\\\"".to_owned(),
                    _ => format!(",\"{sign}\""),
                };
                atoms.insert(format!("{name}({row},{column}{rest})"));
            }
        }
    }
    (name, atoms)
}

pub fn sheet_of<'a>(sheets: &'a [Sheet], link: &str) -> &'a Sheet {
    let name = link_type(link).unwrap_or_else(|| panic!("{link} is no link"));
    let names = |sheet: &&Sheet| {
        sheet
            .has("Link")
            .and_then(|paragraph| paragraph.split_once(':'))
            .is_some_and(|(names, _)| names.split(", ").any(|known| known == name))
    };
    sheets.iter().find(names).unwrap_or_else(|| panic!("no type reads {link}"))
}

/// A board whose constraints can be turned on one by one.
fn opened(sheet: &Sheet, link: &'static str) -> RelaxedProgram {
    let read = Link::parse(sheet.has("Link").expect("links")).expect("a header");
    let board = read.read(&Document::in_memory("link", link)).unwrap_or_else(|failure| panic!("{failure}"));
    let mut program = sheet.program(&board.facts());
    program.additions.push(Document::in_memory("hint", "hint."));
    let switched = RelaxedProgram::new(&program.into(), &[Blame::Constraints], &Settings::default(), &CancelToken::new());
    switched.unwrap_or_else(|failure| panic!("{}: {failure}", sheet.name))
}

/// What is wrong with a solution, in words; nothing where the solution cannot be said.
fn broken(switched: &mut RelaxedProgram, sample: &Sample) -> Option<Vec<String>> {
    let mut missing: BTreeSet<&String> = sample.solution.values().flatten().collect();
    let mut assumed = Vec::new();
    for (atom, literal, is_fact) in switched.known_atoms().expect("atoms") {
        let text = to_text(atom);
        let name = text.split('(').next().unwrap_or_default();
        if let Some(atoms) = sample.solution.get(name) {
            missing.remove(&text);
            match atoms.contains(&text) {
                _ if is_fact => {}
                true => assumed.push(literal),
                false => assumed.push(-literal),
            }
        }
    }
    let SolveOutcome::Satisfiable(holding) = switched.solve(&[], &assumed).expect("solved") else { return None };
    if !missing.is_empty() {
        return None;
    }
    let is_broken = |part: &usize| matches!(switched.solve(&[*part], &assumed), Ok(SolveOutcome::Unsatisfiable(_)));
    let parts: Vec<usize> = (0..holding.len()).filter(|&part| !holding[part]).filter(is_broken).collect();
    Some(switched.parts(&parts).expect("words").into_iter().map(|part| part.words.to_string()).collect())
}

/// Whether words are as one of the patterns says: pieces that follow each other.
fn are_as(words: &str, patterns: &str) -> bool {
    patterns.split('|').any(|pattern| {
        let mut rest = Some(words);
        for piece in pattern.split('…') {
            rest = rest.and_then(|rest| rest.find(piece).map(|at| &rest[at + piece.len()..]));
        }
        rest.is_some()
    })
}

#[test]
fn published_boards_have_the_solution_that_was_published_and_no_other() {
    let sheets = sheets();
    let mut tried = BTreeSet::new();
    // The first one of a type is its sample; others only show what a flag does.
    for sample in samples().iter().filter(|sample| sample.rule.is_none()) {
        let sheet = sheet_of(&sheets, sample.link);
        if !tried.insert(sheet.name.as_str()) {
            assert_eq!(broken(&mut opened(sheet, sample.link), sample), Some(Vec::new()), "{}", sample.link);
            continue;
        }
        let solved = solve(sheet.logic, Job { asks_unique: true, ..sheet.job_of("link", sample.link) });
        let solved = solved.unwrap_or_else(|failure| panic!("{}: {failure}", sample.link));
        assert_eq!((solved.unique(), solved.warnings().len()), (Uniqueness::One, 0), "{}", sample.link);
        let found = solved.answers()[0].atoms().into_iter();
        let is_told = |atom: &String| sample.solution.contains_key(atom.split('(').next().unwrap_or_default());
        let found: BTreeSet<String> = found.filter(is_told).collect();
        assert_eq!(found, sample.solution.values().flatten().cloned().collect(), "{}", sample.link);
        let names = sheet.has("Link").and_then(|link| link.split([',', ':']).next()).expect("a name");
        let written = sample.link.replacen(link_type(sample.link).expect("a name"), names, 1);
        let printed = sheet.printed(sheet.job_of("link", sample.link), Format::Url);
        let printed = printed.unwrap_or_else(|failure| panic!("{}: {failure}", sample.link)).0;
        assert_eq!(printed.trim(), format!("https://puzz.link/p?{written}"));
    }
    assert!(tried.len() > 90, "{}", tried.len());
}

#[test]
fn published_wrong_solutions_are_refused_by_the_rule_that_they_break() {
    let sheets = sheets();
    let patterns: BTreeMap<&str, &str> =
        lines(include_str!("../../data/broken_rules.tsv")).map(|columns| (columns[0], columns[1])).collect();
    let mut differences = rules_left_out();
    for (name, rule) in &differences {
        let sheet = sheets.iter().find(|sheet| sheet.name == *name).unwrap_or_else(|| panic!("{name} is no type"));
        assert!(sheet.has("Differs").is_some(), "{name}: the header does not say that it has no rule {rule}");
    }
    let (mut tried, mut used, mut wrong) = (0, BTreeSet::new(), Vec::new());
    let mut kept = None;
    let mut accepted = BTreeSet::new();
    for sample in samples() {
        let Some(rule) = sample.rule else { continue };
        let sheet = sheet_of(&sheets, sample.link);
        if !crate::support::extent::includes(&sheet.name) {
            continue;
        }
        // Several wrong solutions of a board stand one behind the other.
        if kept.as_ref().is_none_or(|(link, _)| *link != sample.link) {
            kept = Some((sample.link, opened(sheet, sample.link)));
        }
        let words = kept.as_mut().and_then(|(_, switched)| broken(switched, &sample));
        tried += 1;
        if differences.contains(&(&*sheet.name, rule)) && words == Some(Vec::new()) {
            accepted.insert((&*sheet.name, rule));
            continue;
        }
        let pattern = patterns.get(rule).unwrap_or_else(|| panic!("{rule} is not among the rules"));
        let is_as_said = match &words {
            None => rule == NO_PLACE,
            Some(words) => words.iter().any(|words| are_as(words, pattern)),
        };
        if !is_as_said {
            wrong.push(format!("{} {rule}: {words:?}", sample.link));
        }
        used.insert(rule);
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    if !crate::support::extent::is_complete() {
        assert!(tried > 100, "{tried}");
        return;
    }
    assert!(tried > 500, "{tried}");
    let unused: Vec<&&str> = patterns.keys().filter(|rule| !used.contains(*rule)).collect();
    assert!(unused.is_empty(), "{unused:?}");
    differences.retain(|difference| !accepted.contains(difference));
    assert!(differences.is_empty(), "no sample shows {differences:?}");
}
