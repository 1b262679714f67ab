//! Which changes of a program its tests do not notice.
//!
//! A mutant is the program with one change: a rule, a literal or a bound is left out or turned round ([`changes_of`] has the
//! list), so that all variables are safe, those of a constraint's words among them. A test that fails notices it. What no test
//! notices is a test that is missing, or changes nothing: a rule that only helps the solver, a comparison that no board can
//! tell from another. Who finds that out says so once, in the file of the tests, with the reason:
//!
//! ```text
//! %!equivalent {"both rows and columns are told, and either is enough"}
//! % left out: :- rows(R); not columns(R).
//! % :- row(R); R <= 9.
//! ```
//!
//! Below the reason each line is a comment with the name of a mutant, as the report prints it: the statement that is left
//! out, or what becomes of it. A name that no mutant has, and one that a test does notice, are errors: reasons stay true.
//!
//! A mutant may never end, so it is tried in a process that can be ended, and what takes much longer than all
//! tests took without a change is noticed by that.

use std::collections::{HashMap, HashSet};

use super::tests::Suite;
use crate::asp::{Change, Program, Settings, Statement, changes_of, is_safe, statements_of};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::stop::Stop;
use crate::why::words::Words;

/// A program with one change.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The number of the statement among those under test.
    pub statement: usize,
    pub change: Change,
    /// Why nothing can notice it, and where that is said.
    pub equivalent: Option<(String, Place)>,
}

/// What came of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The number of the test that fails.
    Noticed(usize),
    /// It took too long, or too much memory.
    Endless,
    Unnoticed,
}

impl Mutant {
    /// What it is called in lists of those that change nothing.
    pub fn name(&self) -> String {
        let Change { from, text, .. } = &self.change;
        let short = |text: &str| text.strip_prefix("#false :- ").map_or(text.to_owned(), |body| format!(":- {body}"));
        if text.is_empty() { format!("left out: {}", short(from)) } else { short(text) }
    }

    /// What was changed, in words.
    pub fn words(&self) -> String {
        match &self.change {
            Change { from, to: Some(to), .. } => format!("`{from}` becomes `{to}`"),
            Change { text, .. } if text.is_empty() => "the statement is left out".to_owned(),
            Change { from, .. } => format!("`{from}` is left out"),
        }
    }

    /// Runs tests in some order until one notices.
    pub fn meet(&self, suite: &Suite, order: &[usize], settings: &Settings, stop: &Stop) -> Fate {
        let changed = suite.with(self.statement, &self.change.text);
        // That a test cannot be run any more is noticed, too.
        let notices = |&&test: &&usize| !changed.run(test, settings, stop).is_ok_and(|outcome| outcome.passed());
        order.iter().find(notices).map_or(Fate::Unnoticed, |&test| Fate::Noticed(test))
    }
}

/// All mutants of the statements that stand in some files, in the order of the source.
///
/// # Errors
/// A list of those that change nothing that has a name of none.
pub fn mutants_of(suite: &Suite, is_changed: impl Fn(&str) -> bool) -> Result<Vec<Mutant>, Failure> {
    // Their includes are done.
    let text = |document: &Document| Document { path: None, ..document.clone() };
    let program = Program::of(suite.documents().iter().map(text));
    let under_test = suite.under_test();
    let statements = statements_of(&program)?;
    // Whether the comments are right is no question of mutants.
    let words = Words::of(suite.documents(), &statements).unwrap_or_default();
    let (mut mutants, mut next) = (Vec::new(), 0);
    for (statement, changes) in changes_of(&program)? {
        // Statements of tests are none of those under test.
        let is_it = |other: &Statement| (&other.place, &other.text) == (&statement.place, &statement.text);
        let Some(found) = under_test[next..].iter().position(is_it).map(|found| next + found) else { continue };
        next = found + 1;
        if !is_changed(&statement.place.file) {
            continue;
        }
        // What a constraint is called has variables, too; where they are bound, they stay so.
        let number = statements.iter().position(is_it).unwrap_or_default();
        let document = |text: String| Document::in_memory("", text);
        let has_words = is_safe(&document(words.in_head(number, &statement.text)));
        let checked = |text: &str| if has_words { words.in_head(number, text) } else { text.to_owned() };
        let mut known = HashSet::from([statement.text]);
        let is_new = |change: &Change| known.insert(change.text.clone()) && is_safe(&document(checked(&change.text)));
        let mutant = |change| Mutant { statement: found, change, equivalent: None };
        mutants.extend(changes.into_iter().filter(is_new).map(mutant));
    }
    if let Some(document) = suite.documents().first() {
        mark_equivalents(document, &mut mutants)?;
    }
    Ok(mutants)
}

/// Reads the lists of a file of tests.
fn mark_equivalents(document: &Document, mutants: &mut [Mutant]) -> Result<(), Failure> {
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, mutant) in mutants.iter().enumerate() {
        by_name.entry(mutant.name()).or_default().push(number);
    }
    let (mut reason, mut at) = (None, 0);
    for line in document.text.split_inclusive('\n') {
        let (start, written) = (at, line.trim_end());
        at += line.len();
        let place = |from: usize| Place::of_range(&document.name, &document.text, start + from..start + written.len());
        if let Some(rest) = written.strip_prefix("%!equivalent") {
            let quoted = rest.trim().strip_prefix("{\"").and_then(|rest| rest.strip_suffix("\"}"));
            let Some(words) = quoted.filter(|words| !words.is_empty()) else {
                let text =
                    "%!equivalent {\"reason\"} was wanted: why no test can notice the mutants in the lines below";
                return Err(Diagnostic::error(text).at(Some(place(0))).into());
            };
            reason = Some(words.to_owned());
        } else if let (Some(words), Some(name)) = (&reason, written.strip_prefix("% ")) {
            let Some(numbers) = by_name.get(name.trim()) else {
                let wrong = Diagnostic::error("no mutant is called that").at(Some(place(2)));
                return Err(wrong
                    .help("the report names them; a name goes with its mutant when the rule changes")
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

    /// The mutants that no test notices.
    fn unnoticed(text: &str) -> Vec<String> {
        let suite = suite(text);
        let all: Vec<usize> = (0..suite.tests().len()).collect();
        let fate = |mutant: &Mutant| mutant.meet(&suite, &all, &Settings::default(), &Stop::new());
        let mutants = mutants_of(&suite, |_| true).expect("mutants");
        mutants.iter().filter(|mutant| fate(mutant) == Fate::Unnoticed).map(Mutant::name).collect()
    }

    #[test]
    fn what_no_test_notices_is_told() {
        let known = [
            "left out: known(X) :- edge(X,Y); X < Y.",
            "known(X) :- edge(X,Y); #true.",
            "known(X) :- edge(X,Y); X >= Y.",
            "known(X) :- edge(X,Y); X <= Y.",
        ];
        assert_eq!(unnoticed(COLOURS), known);
        let tested = format!("{COLOURS}edge(2,1). cannot(\"unknown\") :- not known(1). cannot(\"known\") :- known(2).");
        assert_eq!(unnoticed(&tested), known[3..]);
    }

    #[test]
    fn unsafe_statements_are_no_mutants_and_those_of_tests_are_not_changed() {
        let mutants = mutants_of(&suite(COLOURS), |_| true).expect("mutants");
        let texts: Vec<&str> = mutants.iter().map(|mutant| mutant.change.text.as_str()).collect();
        assert!(texts.contains(&"known(X) :- edge(X,Y); #true."));
        assert!(!texts.contains(&"known(X) :- #true; X < Y."));
        assert!(mutants.iter().all(|mutant| mutant.change.place.start.line < 5));
        assert_eq!(mutants_of(&suite(COLOURS), |file| file != "text").expect("none").len(), 0);
    }

    #[test]
    fn variables_of_words_stay_bound_and_wrong_words_are_none() {
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
    fn a_listed_mutant_has_its_reason_and_a_name_of_none_is_refused() {
        let list = "%!equivalent {\"nobody asks\"}\n% left out: known(X) :- edge(X,Y); X < Y.\n% known(X) :- edge(X,Y); X >= Y.\n";
        let mutants = mutants_of(&suite(&format!("{list}{COLOURS}")), |_| true).expect("mutants");
        let listed = |mutant: &Mutant| mutant.equivalent.clone().map(|(reason, place)| (reason, place.start.line));
        let listed: Vec<_> = mutants.iter().filter_map(listed).collect();
        assert_eq!(listed, [("nobody asks".to_owned(), 2), ("nobody asks".to_owned(), 3)]);
        for (wrong, at) in [("%!equivalent {\"why\"}\n% known.\n", (2, 3)), ("\n%!equivalent {}\n", (2, 1))] {
            let failure = mutants_of(&suite(&format!("{wrong}{COLOURS}")), |_| true).expect_err("wrong");
            let start = failure.0[0].places[0].start;
            assert_eq!((start.line, start.column), at);
        }
    }
}
