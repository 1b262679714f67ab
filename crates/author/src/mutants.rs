//! Mutation testing of encodings.
//!
//! A mutant is the program with one change: a rule, literal or bound is removed or inverted
//! ([`changes_of`] lists the changes). All variables must remain safe, including those in the
//! explanation text of a constraint. A failing test kills the mutant. If a mutant survives, either
//! a test is missing, or the mutant is equivalent to the program: for example, the removed rule
//! only helps the solver, or no board distinguishes the two comparisons. The test file lists
//! equivalent mutants, with a reason:
//!
//! ```text
//! %!equivalent {"both rows and columns are counted, and either is enough"}
//! % left out: :- rows(R); not columns(R).
//! % :- row(R); R <= 9.
//! ```
//!
//! Each line below the reason is a comment with the name of a mutant as the report prints it: the
//! statement that is left out, or the changed statement. Unknown names and names of killed mutants
//! are errors, so that the lists remain correct.
//!
//! The solver may not terminate on a mutant. Mutants are therefore run in a process that can be
//! killed. A mutant counts as killed if it takes much longer than all tests of the original
//! program.

use std::collections::{HashMap, HashSet};

use asp::{Change, Program, Settings, Statement, changes_of, is_safe, statements_of};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::stop::CancelToken;
use explain::words::Wording;

use super::tests::Suite;

#[derive(Debug, Clone)]
pub struct Mutant {
    /// The index of the statement under test.
    pub statement: usize,
    pub change: Change,
    /// If the mutant is listed as equivalent: the reason, and the place of the mutant's name.
    pub equivalent: Option<(String, Place)>,
}

/// The result of testing a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutantStatus {
    /// Killed by the test with this number.
    Killed(usize),
    /// The time or memory limit was reached.
    TimedOut,
    Survived,
}

impl Mutant {
    /// Returns the name of the mutant in reports and in lists of equivalent mutants.
    pub fn name(&self) -> String {
        let Change { from, text, .. } = &self.change;
        let short = |text: &str| text.strip_prefix("#false :- ").map_or(text.to_owned(), |body| format!(":- {body}"));
        if text.is_empty() { format!("left out: {}", short(from)) } else { short(text) }
    }

    pub fn words(&self) -> String {
        match &self.change {
            Change { from, to: Some(to), .. } => format!("`{from}` becomes `{to}`"),
            Change { text, .. } if text.is_empty() => "the statement is left out".to_owned(),
            Change { from, .. } => format!("`{from}` is left out"),
        }
    }

    /// Runs the tests in the order `order` until one kills the mutant.
    pub fn run_tests(&self, suite: &Suite, order: &[usize], settings: &Settings, stop: &CancelToken) -> MutantStatus {
        let changed = suite.with(self.statement, &self.change.text);
        // A test that cannot be run on the mutant kills it, too.
        let kills = |&&test: &&usize| !changed.run(test, settings, stop).is_ok_and(|outcome| outcome.passed());
        order.iter().find(kills).map_or(MutantStatus::Survived, |&test| MutantStatus::Killed(test))
    }
}

/// Returns all mutants of the statements in the files for which `is_changed` returns true, in
/// source order.
///
/// # Errors
/// A list of equivalent mutants contains an unknown name.
pub fn mutants_of(suite: &Suite, is_changed: impl Fn(&str) -> bool) -> Result<Vec<Mutant>, Failure> {
    // Without a path, clingo does not resolve the includes again.
    let text = |document: &Document| Document { path: None, ..document.clone() };
    let program = Program::of(suite.documents().iter().map(text));
    let under_test = suite.under_test();
    let statements = statements_of(&program)?;
    // Errors in the comments are reported elsewhere.
    let words = Wording::of(suite.documents(), &statements).unwrap_or_default();
    let mut mutants = Vec::new();
    let mut next = 0;
    for (statement, changes) in changes_of(&program)? {
        // Statements of tests are not mutated.
        let is_same = |other: &Statement| (&other.place, &other.text) == (&statement.place, &statement.text);
        let Some(index) = under_test[next..].iter().position(is_same).map(|offset| next + offset) else { continue };
        next = index + 1;
        if !is_changed(&statement.place.file) {
            continue;
        }
        // The explanation text of a constraint also contains variables. If they are bound in the
        // original, they must be bound in the mutant.
        let number = statements.iter().position(is_same).unwrap_or_default();
        let document = |text: String| Document::in_memory("", text);
        let has_bound_words = is_safe(&document(words.with_words_in_head(number, &statement.text)));
        let with_words =
            |text: &str| if has_bound_words { words.with_words_in_head(number, text) } else { text.to_owned() };
        let mut seen = HashSet::from([statement.tree.text]);
        let is_new = |change: &Change| seen.insert(change.text.clone()) && is_safe(&document(with_words(&change.text)));
        let mutant = |change| Mutant { statement: index, change, equivalent: None };
        mutants.extend(changes.into_iter().filter(is_new).map(mutant));
    }
    if let Some(document) = suite.documents().first() {
        mark_equivalents(document, &mut mutants)?;
    }
    Ok(mutants)
}

/// Reads the lists of equivalent mutants in a test file and stores the reasons in `mutants`.
fn mark_equivalents(document: &Document, mutants: &mut [Mutant]) -> Result<(), Failure> {
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, mutant) in mutants.iter().enumerate() {
        by_name.entry(mutant.name()).or_default().push(number);
    }
    let mut reason = None;
    let mut at = 0;
    for line in document.text.split_inclusive('\n') {
        let start = at;
        let trimmed = line.trim_end();
        at += line.len();
        let place = |from: usize| Place::of_range(&document.name, &document.text, start + from..start + trimmed.len());
        if let Some(rest) = trimmed.strip_prefix("%!equivalent") {
            let quoted = rest.trim().strip_prefix("{\"").and_then(|rest| rest.strip_suffix("\"}"));
            let Some(words) = quoted.filter(|words| !words.is_empty()) else {
                let text = "expected `%!equivalent {\"reason\"}`: why no test can kill the mutants in the lines below";
                return Err(Diagnostic::error(Code::InvalidMutants, text).at(Some(place(0))).into());
            };
            reason = Some(words.to_owned());
        } else if let (Some(words), Some(name)) = (&reason, trimmed.strip_prefix("% ")) {
            let Some(numbers) = by_name.get(name.trim()) else {
                let unknown_name =
                    Diagnostic::error(Code::InvalidMutants, "no mutant has this name").at(Some(place(2)));
                return Err(unknown_name
                    .help("the report prints the names; when a rule changes, the names of its mutants change")
                    .into());
            };
            for &number in numbers {
                mutants[number].equivalent = Some((words.clone(), place(2)));
            }
        } else {
            reason = None;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(text: &str) -> Suite {
        Suite::of(&Program::of([Document::in_memory("text", text)])).expect("tests")
    }

    const COLOURS: &str = "
1 { color(N,(r;g)) } 1 :- node(N).
:- edge(X,Y), color(X,C), color(Y,C).
known(X) :- edge(X,Y), X < Y.

#program test_neighbours(base).
node(1..3). edge(1,2).
cannot(\"the same\") :- color(1,C), color(2,C).
cannot(\"no colour\",N) :- node(N), not color(N,_).
cannot(\"two\",N) :- color(N,C), color(N,D), C < D.
";

    /// Returns the mutants that survive all tests.
    fn survivors(text: &str) -> Vec<String> {
        let suite = suite(text);
        let all: Vec<usize> = (0..suite.tests().len()).collect();
        let status = |mutant: &Mutant| mutant.run_tests(&suite, &all, &Settings::default(), &CancelToken::new());
        let mutants = mutants_of(&suite, |_| true).expect("mutants");
        mutants.iter().filter(|mutant| status(mutant) == MutantStatus::Survived).map(Mutant::name).collect()
    }

    #[test]
    fn surviving_mutants_are_reported() {
        let expected = [
            "left out: known(X) :- edge(X,Y); X < Y.",
            "known(X) :- edge(X,Y); #true.",
            "known(X) :- edge(X,Y); X >= Y.",
            "known(X) :- edge(X,Y); X <= Y.",
        ];
        assert_eq!(survivors(COLOURS), expected);
        let tested = format!("{COLOURS}edge(2,1). cannot(\"unknown\") :- not known(1). cannot(\"known\") :- known(2).");
        assert_eq!(survivors(&tested), expected[3..]);
    }

    #[test]
    fn unsafe_mutants_are_skipped_and_statements_of_tests_are_not_mutated() {
        let mutants = mutants_of(&suite(COLOURS), |_| true).expect("mutants");
        let texts: Vec<&str> = mutants.iter().map(|mutant| mutant.change.text.as_str()).collect();
        assert!(texts.contains(&"known(X) :- edge(X,Y); #true."));
        assert!(!texts.contains(&"known(X) :- #true; X < Y."));
        assert!(mutants.iter().all(|mutant| mutant.change.place.start.line < 5));
        assert_eq!(mutants_of(&suite(COLOURS), |file| file != "text").expect("none").len(), 0);
    }

    #[test]
    fn variables_of_words_stay_bound_and_invalid_words_are_ignored() {
        let names = |words: &str| -> Vec<String> {
            let text = format!(
                "{{ p(1..2) }}. q(1..2).\n{words}\n:- q(X), p(X).\n#program test_one(base).\n%!trace_rule {{\"% is in\",X}}.\ncannot(X) :- p(X)."
            );
            let mutants = mutants_of(&suite(&text), |_| true).expect("mutants");
            mutants.iter().map(Mutant::name).filter(|name| name.contains(":- ")).collect()
        };
        let all = [
            "left out: :- q(X); p(X).",
            ":- #true; p(X).",
            ":- not q(X); p(X).",
            ":- q(X); #true.",
            ":- q(X); not p(X).",
        ];
        for wrong in ["", "%!trace_rule {\"% is in\",Z}.", "%!trace_rule {no words}.", "%!trace_rule {\"one is in\"}."]
        {
            assert_eq!(names(wrong), all, "{wrong}");
        }
        let text = "{ p(1..2) }. q(1..2).\n%!trace_rule {\"% and %\",X,Y}.\n:- q(Y), p(X).\n";
        let mutants = mutants_of(&suite(text), |_| true).expect("mutants");
        let names: Vec<String> = mutants.iter().map(Mutant::name).filter(|name| name.contains(":- ")).collect();
        assert_eq!(names, ["left out: :- q(Y); p(X)."]);
    }

    #[test]
    fn a_listed_mutant_has_its_reason_and_an_unknown_name_is_rejected() {
        let list = "%!equivalent {\"nobody asks\"}\n% left out: known(X) :- edge(X,Y); X < Y.\n% known(X) :- edge(X,Y); X >= Y.\n";
        let mutants = mutants_of(&suite(&format!("{list}{COLOURS}")), |_| true).expect("mutants");
        let listed = |mutant: &Mutant| mutant.equivalent.clone().map(|(reason, place)| (reason, place.start.line));
        let listed: Vec<_> = mutants.iter().filter_map(listed).collect();
        assert_eq!(listed, [("nobody asks".to_owned(), 2), ("nobody asks".to_owned(), 3)]);
        for (wrong, at) in [("%!equivalent {\"why\"}\n% known.\n", (2, 3)), ("\n%!equivalent {}\n", (2, 1))] {
            let failure = mutants_of(&suite(&format!("{wrong}{COLOURS}")), |_| true).expect_err("wrong");
            let start = failure.0[0].labels[0].start;
            assert_eq!((start.line, start.column), at);
        }
    }
}
