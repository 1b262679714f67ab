//! Published boards with their solutions and with wrong ones, whose errors are explained in words
//! that name the rule.
//!
//! The boards, solutions and names of rules come from the samples of puzz.link. A wrong solution
//! may violate several rules.

use std::collections::{BTreeMap, BTreeSet};

use asp::{Settings, to_text};
use asp_solve::{Uniqueness, solve};
use base::document::Document;
use base::stop::CancelToken;
use explain::{Blame, RelaxedProgram, SolveOutcome};
use pencil::link::{Link, link_type};
use puzzle::Format;

use super::types::{PuzzleFile, puzzles};

/// The rule of a solution with an atom for which the board has no place.
const NO_PLACE: &str = "noPlace";

pub struct Sample {
    pub link: &'static str,
    /// The rule that the solution violates, if it is wrong.
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

/// Types with the rules of puzz.link that they omit on purpose.
pub fn rules_left_out() -> BTreeSet<(&'static str, &'static str)> {
    lines(include_str!("../../data/rules_left_out.tsv")).map(|columns| (columns[0], columns[1])).collect()
}

/// Parses the atoms of a predicate.
///
/// `shaded=.#,..` is shaded(1,2). Other characters are values. The grid after `;` has pairs of
/// cells, one above the other. `half:1,2,nw;2,1,se` is half(1,2,nw) and half(2,1,se).
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

pub fn puzzle_of<'a>(puzzles: &'a [PuzzleFile], link: &str) -> &'a PuzzleFile {
    let name = link_type(link).unwrap_or_else(|| panic!("{link} is no link"));
    let names = |puzzle: &&PuzzleFile| {
        puzzle
            .paragraph("Link")
            .and_then(|paragraph| paragraph.split_once(':'))
            .is_some_and(|(names, _)| names.split(", ").any(|known| known == name))
    };
    puzzles.iter().find(names).unwrap_or_else(|| panic!("no type reads {link}"))
}

/// A board whose constraints can be turned on one by one.
fn relaxed_program(puzzle: &PuzzleFile, link: &'static str) -> RelaxedProgram {
    let link_type = Link::parse(puzzle.paragraph("Link").expect("links")).expect("a header");
    let board = link_type.read(&Document::in_memory("link", link)).unwrap_or_else(|failure| panic!("{failure}"));
    let mut program = puzzle.program(&board.facts());
    program.additions.push(Document::in_memory("hint", "hint."));
    let relaxed =
        RelaxedProgram::new(&program.into(), &[Blame::Constraints], &Settings::default(), &CancelToken::new());
    relaxed.unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name))
}

/// Returns the words of the constraints that a solution violates, or `None` if the board has no
/// such atoms.
fn violated(relaxed: &mut RelaxedProgram, sample: &Sample) -> Option<Vec<String>> {
    let mut missing: BTreeSet<&String> = sample.solution.values().flatten().collect();
    let mut assumed = Vec::new();
    for (atom, literal, is_fact) in relaxed.known_atoms().expect("atoms") {
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
    let SolveOutcome::Satisfiable(holding) = relaxed.solve(&[], &assumed).expect("solved") else { return None };
    if !missing.is_empty() {
        return None;
    }
    let is_violated = |part: &usize| matches!(relaxed.solve(&[*part], &assumed), Ok(SolveOutcome::Unsatisfiable(_)));
    let parts: Vec<usize> = (0..holding.len()).filter(|&part| !holding[part]).filter(is_violated).collect();
    Some(relaxed.parts(&parts).expect("words").into_iter().map(|part| part.words.to_string()).collect())
}

/// Returns true if the words match one of the patterns, which are pieces in order.
fn match_any(words: &str, patterns: &str) -> bool {
    patterns.split('|').any(|pattern| {
        let mut rest = Some(words);
        for piece in pattern.split('…') {
            rest = rest.and_then(|rest| rest.find(piece).map(|at| &rest[at + piece.len()..]));
        }
        rest.is_some()
    })
}

#[test]
fn published_boards_have_only_their_published_solution() {
    let puzzles = puzzles();
    let mut tried = BTreeSet::new();
    // The first board of a type is its sample; the others only show the effect of a flag.
    for sample in samples().iter().filter(|sample| sample.rule.is_none()) {
        let puzzle = puzzle_of(&puzzles, sample.link);
        if !tried.insert(puzzle.name.as_str()) {
            assert_eq!(
                violated(&mut relaxed_program(puzzle, sample.link), sample),
                Some(Vec::new()),
                "{}",
                sample.link
            );
            continue;
        }
        let solved = solve(puzzle.logic.clone(), puzzle.job_of("link", sample.link).unique());
        let solved = solved.unwrap_or_else(|failure| panic!("{}: {failure}", sample.link));
        assert_eq!((solved.unique(), solved.warnings().len()), (Uniqueness::One, 0), "{}", sample.link);
        let found = solved.answers()[0].atoms().into_iter();
        let is_listed = |atom: &String| sample.solution.contains_key(atom.split('(').next().unwrap_or_default());
        let found: BTreeSet<String> = found.filter(is_listed).collect();
        assert_eq!(found, sample.solution.values().flatten().cloned().collect(), "{}", sample.link);
        let names = puzzle.paragraph("Link").and_then(|link| link.split([',', ':']).next()).expect("a name");
        let written = sample.link.replacen(link_type(sample.link).expect("a name"), names, 1);
        let printed = puzzle.printed(puzzle.job_of("link", sample.link), Format::Url);
        let printed = printed.unwrap_or_else(|failure| panic!("{}: {failure}", sample.link)).0;
        assert_eq!(printed.trim(), format!("https://puzz.link/p?{written}"));
    }
    assert!(tried.len() > 90, "{}", tried.len());
}

#[test]
fn published_wrong_solutions_are_rejected_by_the_rule_that_they_violate() {
    let puzzles = puzzles();
    let patterns: BTreeMap<&str, &str> =
        lines(include_str!("../../data/broken_rules.tsv")).map(|columns| (columns[0], columns[1])).collect();
    let mut differences = rules_left_out();
    for (name, rule) in &differences {
        let puzzle = puzzles.iter().find(|puzzle| puzzle.name == *name).unwrap_or_else(|| panic!("{name} is no type"));
        assert!(puzzle.paragraph("Differs").is_some(), "{name}: the header does not say that it has no rule {rule}");
    }
    let (mut tried, mut used, mut wrong) = (0, BTreeSet::new(), Vec::new());
    let mut latest = None;
    let mut accepted = BTreeSet::new();
    for sample in samples() {
        let Some(rule) = sample.rule else { continue };
        let puzzle = puzzle_of(&puzzles, sample.link);
        if !crate::support::extent::includes(&puzzle.name) {
            continue;
        }
        // The wrong solutions of a board are adjacent.
        if latest.as_ref().is_none_or(|(link, _)| *link != sample.link) {
            latest = Some((sample.link, relaxed_program(puzzle, sample.link)));
        }
        let words = latest.as_mut().and_then(|(_, relaxed)| violated(relaxed, &sample));
        tried += 1;
        if differences.contains(&(&*puzzle.name, rule)) && words == Some(Vec::new()) {
            accepted.insert((&*puzzle.name, rule));
            continue;
        }
        let pattern = patterns.get(rule).unwrap_or_else(|| panic!("{rule} is not among the rules"));
        let is_expected = match &words {
            None => rule == NO_PLACE,
            Some(words) => words.iter().any(|words| match_any(words, pattern)),
        };
        if !is_expected {
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
