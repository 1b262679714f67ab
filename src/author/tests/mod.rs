//! Unit tests of encodings in the notations of two tools. Stock clingo ignores their comments and
//! parts.
//!
//! # Parts
//!
//! [asp-selftest](https://codeberg.org/ejgroene/asp-selftest) uses a part for each test. Its
//! parameters are the parts under test; the part `base` must be named like any other. Its facts are
//! the input of the test, and no answer set may contain an atom `cannot`, whose arguments are
//! messages for the reader:
//!
//! ```text
//! #program test_edge_leads_to_nodes(base).
//! edge(x,y).
//! cannot("node x") :- not node(x).
//! cannot("no colour",N) :- node(N), not color(N,_).
//! ```
//!
//! A rule for `cannot` in the part `base` is checked by all tests of that part, and once more by
//! itself, as the test `base`. The notation of the tool's documentation up to version 0.0.21 is
//! also accepted: `assert(@all(name)) :- …` must hold in each answer set, `assert(@any(name))` in
//! one, and `assert(@models(n))` specifies the number of answer sets. Without the last, there must
//! be at least one: a test without an answer set has examined nothing, and fails.
//!
//! # Comments
//!
//! ASP-WIDE (*Unit Testing in ASP Revisited*, TPLP 2024, arXiv 2401.02153) uses a comment for each
//! test; `annotation.rs` has the grammar.
//!
//! ```text
//! %**@test(name = "two colours do not suffice", scope = {"guess", "check"},
//!          input = "node(1..3). edge(1,2). edge(2,3). edge(1,3).",
//!          assert = { @noAnswerSet })**%
//! ```
//!
//! The scope lists names of rules and blocks; a test without a scope is about all of `base`.
//!
//! # Evaluation
//!
//! A test is a program of its own ([`Suite::program`]): the documents with everything outside its
//! scope blanked, so that every place is preserved, together with its input and rules for its
//! expectations. If that program minimises something, its optimal answer sets count. Expectations
//! are not compared with all answer sets one by one: the solver searches for one that violates
//! them, or for as many as decide the matter. An expectation thus ends as soon as it is decided, as
//! in clintest, and the solver actively works towards a decision.
//!
//! # Incremental programs
//!
//! For programs that include `<incmode>`, tests see the answer sets of the first satisfiable step
//! (or of the last one that `imax` permits, if none is satisfiable), with all steps up to it. The
//! input of a test belongs to `base`. Its expectations see all steps, and so do rules of the test's
//! part that depend, by name, on atoms of `step` or `check`.

mod annotation;
mod expectation;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use annotation::{Annotated, Annotation, Text};
use expectation::Expectation;
pub use expectation::{AnswerSet, TestOutcome, TestVerdict};

use crate::asp::statement::Head;
use crate::asp::syntax::{self, name_of};
use crate::asp::{FINAL_PART, Lints, Program, ProgramPart, RewrittenProgram, Settings, Statement, statements_of};
use crate::certificate::CertifyMode;
use crate::diagnostic::{Code, Diagnostic, Failure, Place};
use crate::document::Document;
use crate::stop::CancelToken;
use crate::words::did_you_mean;

/// A file with its includes: a program and its tests.
///
/// Several tests can run at the same time, each on its own thread.
#[derive(Clone)]
pub struct Suite {
    texts: Arc<Texts>,
    tests: Arc<[Test]>,
    /// The statement that a mutant replaces, and its new text.
    changed: Option<(usize, String)>,
}

#[derive(Debug, Clone)]
pub struct Test {
    pub name: String,
    /// Its `#program` statement or its comment.
    pub place: Place,
    /// For each statement, whether the test's program contains it.
    has: Vec<bool>,
    /// For incremental programs: the statements of the test's part that see all steps.
    in_final_part: Vec<bool>,
    /// The byte range of its comment in the tested file, and the input facts in it.
    input: Option<(Range<usize>, Vec<Text>)>,
    /// The rules for the expectations.
    additions: Vec<Document>,
    expectations: Vec<Expectation>,
}

struct Texts {
    documents: Vec<Document>,
    /// The number of documents that belong to the tested file and its includes; the others are only
    /// for tests that name them.
    included: usize,
    sources: Vec<SourceStatement>,
    under_test: Vec<Statement>,
    /// Their indices in `sources`.
    numbers: Vec<usize>,
    in_steps: bool,
}

/// A statement and its position.
struct SourceStatement {
    statement: Statement,
    document: usize,
    range: Range<usize>,
}

/// The prefix of test parts.
const PREFIX: &str = "test_";
/// The predicate of forbidden cases.
const CANNOT: &str = "cannot";
/// The predicate of required cases.
const ASSERT: &str = "assert";

impl Suite {
    /// Reads the tests of a program's first document. The rest of the instance are its includes,
    /// whose `#include` statements are already resolved. Encodings are the files that single tests
    /// name.
    pub fn of(program: &Program) -> Result<Suite, Failure> {
        let in_steps = program.is_incremental();
        let documents: Vec<Document> = program
            .documents()
            .map(|document| Document {
                text: syntax::without_includes(&document.text, |_| true).into(),
                ..document.clone()
            })
            .collect();
        let mut sources = Vec::new();
        for (number, document) in documents.iter().enumerate() {
            let text = Document { path: None, ..document.clone() };
            let alone = Program { last_step: in_steps.then_some(0), ..Program::of([text]) };
            let lines = syntax::line_starts(&document.text);
            for statement in statements_of(&alone)? {
                let Place { start, end, .. } = &statement.place;
                let offset = |line: usize, column: usize| {
                    let offset = lines.get(line - 1).map_or(0, |start| start + column - 1);
                    document.text.floor_char_boundary(offset)
                };
                let range = offset(start.line, start.column)..offset(end.line, end.column);
                sources.push(SourceStatement { statement, document: number, range });
            }
        }
        let of_program = |source: &&SourceStatement| {
            let Statement { head, part, .. } = &source.statement;
            !matches!(head, Head::Program) && !part.name.starts_with(PREFIX) && !is_cannot(&source.statement)
        };
        let numbers: Vec<usize> = (0..sources.len()).filter(|&number| of_program(&&sources[number])).collect();
        let under_test = numbers.iter().map(|&number| sources[number].statement.clone()).collect();
        let included = program.instance.len();
        let texts = Texts { documents, included, sources, under_test, numbers, in_steps };
        let tests = texts.tests()?;
        Ok(Suite { texts: Arc::new(texts), tests: tests.into(), changed: None })
    }

    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// The statements of the program, including those of included files, but not of tests.
    pub fn under_test(&self) -> &[Statement] {
        &self.texts.under_test
    }

    /// Returns the warnings about the program.
    pub fn lints(&self, settings: &Settings) -> Vec<Diagnostic> {
        let program = Program::of(self.texts.documents.clone());
        Lints::of(&program, &[], settings, &CancelToken::new()).into_diagnostics()
    }

    /// The documents, with the tested file first.
    pub fn documents(&self) -> &[Document] {
        &self.texts.documents
    }

    /// Returns the suite of a mutant, in which `text` replaces a statement; the text may be empty.
    pub fn with(&self, number: usize, text: &str) -> Suite {
        Suite { changed: Some((self.texts.numbers[number], text.to_owned())), ..self.clone() }
    }

    /// The program of a test with its input: all in the part `base`, or in the parts of its steps.
    pub fn program(&self, test: usize) -> Program {
        self.program_of(&self.tests[test])
    }

    fn program_of(&self, test: &Test) -> Program {
        let texts = &self.texts;
        let is_there = |number: usize| test.has[number] && !test.in_final_part[number];
        let masked = |number| texts.masked(number, is_there, syntax::BASE, test.input.as_ref(), self.changed.as_ref());
        let mut instance: Vec<Document> = (0..texts.documents.len()).map(masked).collect();
        if texts.in_steps {
            instance.extend(texts.input_of(test));
            let is_behind = |number: usize| test.has[number] && test.in_final_part[number];
            let has_any = (0..test.in_final_part.len()).any(is_behind);
            instance.extend(has_any.then(|| texts.masked(0, is_behind, FINAL_PART, test.input.as_ref(), None)));
            instance.push(Document::in_memory("<steps>", "#include <incmode>.\n"));
        }
        Program::of(instance)
    }

    /// Returns true if the program of a test contains the statement.
    pub fn has(&self, test: usize, number: usize) -> bool {
        self.tests[test].has[self.texts.numbers[number]]
    }

    /// Rewrites the program of a test. For each statement, `rewrite` may return additional rules
    /// and whether the statement itself remains.
    pub fn rewritten(&self, test: usize, rewrite: impl Fn(usize, &Statement) -> Option<(bool, String)>) -> Program {
        let mut changed = self.tests[test].clone();
        let mut rules = RewrittenProgram::default();
        let base = ProgramPart::base();
        for number in (0..self.texts.numbers.len()).filter(|&number| self.has(test, number)) {
            let statement = &self.texts.under_test[number];
            if let Some((stays, text)) = rewrite(number, statement) {
                changed.has[self.texts.numbers[number]] = stays;
                rules.add(number, if self.texts.in_steps { &statement.part } else { &base }, &text);
            }
        }
        let mut program = self.program_of(&changed);
        program.instance.push(rules.document());
        program
    }

    /// Runs a test.
    ///
    /// # Errors
    /// The program of the test is invalid.
    pub fn run(&self, test: usize, settings: &Settings, stop: &CancelToken) -> Result<TestOutcome, Failure> {
        self.run_with_certificate(test, settings, CertifyMode::No, stop)
    }

    /// Like [`Suite::run`], and certifies that there are no more answer sets if the result depends
    /// on it.
    pub fn run_with_certificate(
        &self,
        test: usize,
        settings: &Settings,
        certify: CertifyMode,
        stop: &CancelToken,
    ) -> Result<TestOutcome, Failure> {
        let program = self.program(test);
        let test = &self.tests[test];
        let mut program = match (program.at_final_step(settings, stop), stop.requested()) {
            (Err(_), Some(reason)) => return Ok(TestOutcome::gave_up(reason, test.place.clone())),
            (program, _) => program?,
        };
        program.instance.extend(test.additions.iter().cloned());
        let statements: Vec<(usize, &Statement)> = self.texts.statements_in(&test.has).collect();
        expectation::run(&program, &statements, test, self.changed.is_none(), settings, certify, stop)
    }
}

/// Returns false if the text certainly has no tests. Does not parse it.
pub fn may_have_tests(document: &Document) -> bool {
    let text = &document.text;
    [PREFIX, "@test", CANNOT].iter().any(|word| text.contains(word))
}

/// Returns the files, with their places, that the tests of a document name in addition to its
/// includes.
pub fn named_files(document: &Document) -> Result<Vec<(String, Place)>, Failure> {
    let place = |Text { text, range }| (text, Place::of_range(&document.name, &document.text, range));
    Ok(annotation::files(document)?.into_iter().map(place).collect())
}

impl Texts {
    fn tests(&self) -> Result<Vec<Test>, Failure> {
        let mut tests = Vec::new();
        for source in self.sources.iter().filter(|source| source.document == 0) {
            let Statement { head, part, place, .. } = &source.statement;
            if matches!(head, Head::Program) && part.name.starts_with(PREFIX) {
                let has = |source: &SourceStatement| {
                    let other = &source.statement.part;
                    let is_own = other.name == part.name && source.document == 0;
                    let is_of_tests = other.name.starts_with(PREFIX);
                    is_own || self.includes(source) && !is_of_tests && part.parameters.contains(&other.name)
                };
                self.check_part(part, place)?;
                tests.push(self.of_part(&part.name, place, has));
            }
        }
        let base_cannot = |source: &&SourceStatement| source.statement.is_grounded() && is_cannot(&source.statement);
        let mut annotations = Vec::new();
        for (number, document) in self.documents.iter().enumerate() {
            annotations.extend(annotation::parse_all(document)?.into_iter().map(|annotated| (number, annotated)));
        }
        for (document, annotated) in &annotations {
            if *document == 0 {
                tests.extend(self.of_annotation(annotated, &annotations)?);
            }
        }
        if let Some(source) = self.sources.iter().find(base_cannot) {
            tests.push(self.of_part("base", &source.statement.place, |source| {
                self.includes(source) && source.statement.is_grounded()
            }));
        }
        for (number, test) in tests.iter().enumerate() {
            if let Some(before) = tests[..number].iter().find(|before| before.name == test.name) {
                let text = format!("two tests have the name {}", test.name);
                let first = before.place.clone().label("the first test with this name");
                return Err(Diagnostic::error(Code::InvalidAnnotation, text).at(Some(test.place.clone())).at(Some(first)).into());
            }
        }
        Ok(tests)
    }

    /// Rejects a part that names an unknown part or misspells `cannot`, since it would test
    /// nothing.
    fn check_part(&self, part: &ProgramPart, place: &Place) -> Result<(), Failure> {
        let parts: BTreeSet<&str> = self.sources.iter().map(|source| source.statement.part.name.as_str()).collect();
        let unknown = |tested: &&String| *tested != "base" && !parts.contains(tested.as_str());
        if let Some(tested) = part.parameters.iter().find(unknown) {
            let near = did_you_mean(tested, parts.iter().copied());
            let text = format!("{}: there is no part {tested}{near}", part.name);
            return Err(Diagnostic::error(Code::InvalidAnnotation, text).at(Some(place.clone())).into());
        }
        let own =
            || self.sources.iter().filter(|source| source.document == 0 && source.statement.part.name == part.name);
        if own().any(|source| is_cannot(&source.statement) || is_assert(&source.statement)) {
            return Ok(());
        }
        let is_used = |name: &str| {
            let mut literals = self.sources.iter().flat_map(|source| source.statement.literals());
            literals.any(|literal| syntax::uses(&literal.text, name))
        };
        let misspelt = own().find_map(|source| {
            let name = &source.statement.head.signature()?.name;
            let near = did_you_mean(name, [CANNOT]);
            (!near.is_empty() && !is_used(name)).then(|| format!("nothing reads {name}{near}")).zip(Some(source))
        });
        misspelt.map_or(Ok(()), |(text, source)| {
            Err(Diagnostic::error(Code::InvalidAnnotation, text).at(Some(source.statement.place.clone())).into())
        })
    }

    /// Returns true if the statement belongs to all tests.
    fn includes(&self, source: &SourceStatement) -> bool {
        source.document < self.included
    }

    fn of_part(&self, name: &str, place: &Place, has: impl Fn(&SourceStatement) -> bool) -> Test {
        let has: Vec<bool> = self.sources.iter().map(has).collect();
        let in_final_part = self.in_final_part(&has, name);
        let (additions, expectations) = expectation::of_cannot(self.statements_in(&has), place, self.final_part());
        Test { name: name.to_owned(), place: place.clone(), has, in_final_part, input: None, additions, expectations }
    }

    /// The prefix of rules that see all steps.
    fn final_part(&self) -> &'static str {
        if self.in_steps { FINAL_PART } else { "" }
    }

    /// Returns the statements of a test's part that see all steps: those that depend on atoms of
    /// the steps.
    fn in_final_part(&self, has: &[bool], part: &str) -> Vec<bool> {
        let mut in_final_part = vec![false; has.len()];
        if !self.in_steps || !part.starts_with(PREFIX) {
            return in_final_part;
        }
        let names_of = |statement: &Statement| {
            let names = statement.heads().into_iter().map(|(atom, _)| name_of(atom.trim_start_matches('-')).to_owned());
            names.collect::<Vec<_>>()
        };
        let of_steps = self.statements_in(has).filter(|(_, statement)| !statement.part.parameters.is_empty());
        let of_steps = of_steps.filter(|(_, statement)| !statement.part.name.starts_with(PREFIX));
        let mut names: Vec<String> = of_steps.flat_map(|(_, statement)| names_of(statement)).collect();
        names.push("query".to_owned());
        let own: Vec<(usize, &Statement)> = self.statements_in(has).filter(|(_, statement)| statement.part.name == part).collect();
        let needs = |statement: &Statement| {
            let literals = statement.literals().map(|literal| literal.text.as_str());
            literals.collect::<Vec<_>>().join("; ") + "."
        };
        loop {
            let is_next = |&&(number, statement): &&(usize, &Statement)| {
                let needs = needs(statement);
                let is_about_all = is_cannot(statement) || is_assert(statement);
                !in_final_part[number] && (is_about_all || names.iter().any(|name| syntax::uses(&needs, name)))
            };
            let Some(&(number, statement)) = own.iter().find(is_next) else { return in_final_part };
            in_final_part[number] = true;
            names.extend(names_of(statement));
        }
    }

    /// The statements of a test, with their indices.
    fn statements_in<'a>(&'a self, has: &'a [bool]) -> impl Iterator<Item = (usize, &'a Statement)> {
        self.sources.iter().map(|source| &source.statement).enumerate().filter(|(number, _)| has[*number])
    }

    fn of_annotation(&self, test: &Annotated, all: &[(usize, Annotated)]) -> Result<Option<Test>, Failure> {
        let Annotation::Test { name, scope, files, input, assertions } = &test.annotation else { return Ok(None) };
        let document = &self.documents[0];
        let place = |range: &Range<usize>| Some(Place::of_range(&document.name, &document.text, range.clone()));
        let is_whole = scope.is_empty() && files.is_empty();
        let mut has: Vec<bool> = self.sources.iter().map(|source| is_whole && self.includes(source)).collect();
        for Text { text, range } in scope {
            let named: Vec<&(usize, Annotated)> = all.iter().filter(|(_, annotated)| annotated.names(text)).collect();
            if named.is_empty() {
                const HELP: &str = "%**@rule(name = \"…\", block = \"…\")**% before a rule names it";
                let text = format!("no rule or block has the name {text:?}");
                return Err(Diagnostic::error(Code::InvalidAnnotation, text).at(place(range)).help(HELP).into());
            }
            for (document, annotated) in named {
                self.mark_named(*document, annotated, all, &mut has);
            }
        }
        for Text { text: file, range } in files {
            let is_it = |known: &Document| Path::new(&known.name).ends_with(file);
            let Some(number) = self.documents.iter().position(is_it) else {
                return Err(Diagnostic::error(Code::UnreadableFile, format!("{file}: no such file")).at(place(range)).into());
            };
            for (source, has) in self.sources.iter().zip(&mut has) {
                *has |= source.document == number;
            }
        }
        for (source, has) in self.sources.iter().zip(&mut has) {
            *has &= source.statement.is_grounded() && !matches!(source.statement.head, Head::Program);
        }
        let (additions, expectations) = expectation::of_assertions(document, assertions, self.final_part())?;
        let place = Place::of_range(&document.name, &document.text, test.range.clone());
        let input = Some((test.range.clone(), input.clone()));
        let in_final_part = vec![false; has.len()];
        Ok(Some(Test { name: name.clone(), place, has, in_final_part, input, additions, expectations }))
    }

    /// Marks the statements that an annotation names.
    fn mark_named(&self, document: usize, annotated: &Annotated, all: &[(usize, Annotated)], has: &mut [bool]) {
        let after = annotated.range.end;
        let of_document = || self.sources.iter().enumerate().filter(|(_, source)| source.document == document);
        match &annotated.annotation {
            Annotation::Rule { .. } => {
                if let Some((number, _)) = of_document().find(|(_, source)| source.range.start >= after) {
                    has[number] = true;
                }
            }
            Annotation::Block { rules, end, .. } => {
                let inside = after..end.unwrap_or(after);
                for (number, _) in of_document().filter(|(_, source)| inside.contains(&source.range.start)) {
                    has[number] = true;
                }
                let is_rule = |annotated: &Annotated| matches!(&annotated.annotation, Annotation::Rule { name, .. } if rules.contains(name));
                for (document, rule) in all.iter().filter(|(_, annotated)| is_rule(annotated)) {
                    self.mark_named(*document, rule, all, has);
                }
            }
            Annotation::Test { .. } => {}
        }
    }

    /// Returns a document with all but some statements blanked, so that positions are preserved. In
    /// an incremental program, statements of tests move to another part.
    fn masked(
        &self,
        document: usize,
        has: impl Fn(usize) -> bool,
        part: &str,
        input: Option<&(Range<usize>, Vec<Text>)>,
        changed: Option<&(usize, String)>,
    ) -> Document {
        let text = &self.documents[document].text;
        let mut blank = Vec::new();
        let mut put = Vec::new();
        let mut before = 0;
        let of_document = self.sources.iter().enumerate().filter(|(_, source)| source.document == document);
        for (number, source) in of_document {
            let is_mark = matches!(source.statement.head, Head::Program);
            if is_mark || !has(number) {
                // Comments before a statement belong to it.
                blank.push(before.min(source.range.start)..self.whole_range(source).end);
            } else if is_assert(&source.statement) && document == 0 {
                put.push((source.range.start, expectation::with_names(&text[source.range.clone()])));
            }
            if is_mark && self.in_steps {
                let is_of_tests = source.statement.part.name.starts_with(PREFIX);
                let mark = if is_of_tests { part } else { &text[source.range.clone()] };
                put.extend((mark.len() <= source.range.len()).then(|| (source.range.start, mark.to_owned())));
            }
            before = self.whole_range(source).end;
        }
        if let (0, Some((comment, input))) = (document, input) {
            blank.push(comment.clone());
            put.extend(input.iter().filter(|_| !self.in_steps).map(Text::positioned));
        }
        let mut masked = self.with_changes(document, blank, put);
        if let Some((number, text)) =
            changed.filter(|(number, _)| self.sources[*number].document == document && has(*number))
        {
            let source = &self.sources[*number];
            let whole = self.whole_range(source);
            let is_beside = |other: &&SourceStatement| {
                other.document == document && whole.contains(&other.range.start) && other.range != source.range
            };
            let others = self.sources.iter().filter(is_beside).map(|other| other.statement.text.as_str());
            let text = others.chain([text.as_str()]).collect::<Vec<_>>().join(" ");
            masked.replace_range(whole, &text);
        }
        Document::in_memory(&*self.documents[document].name, masked)
    }

    /// Returns a document's text with some byte ranges blanked, and others replaced by text of the
    /// same length.
    fn with_changes(
        &self,
        document: usize,
        blank: impl IntoIterator<Item = Range<usize>>,
        put: Vec<(usize, String)>,
    ) -> String {
        let mut text = syntax::blank_out(&self.documents[document].text, blank);
        for (at, new) in put {
            text.replace_range(at..at + new.len(), &new);
        }
        text
    }

    /// Returns the input of a test's comment alone; it belongs to `base`, wherever the comment is.
    fn input_of(&self, test: &Test) -> Option<Document> {
        let ((_, input), Document { name, text, .. }) = (test.input.as_ref()?, &self.documents[0]);
        let put = input.iter().map(Text::positioned).collect();
        Some(Document::in_memory(&**name, self.with_changes(0, std::iter::once(0..text.len()), put)))
    }

    /// The byte range of a statement; for an element of `#minimize`, that of the whole statement.
    fn whole_range(&self, source: &SourceStatement) -> Range<usize> {
        let text = &self.documents[source.document].text;
        if !matches!(source.statement.head, Head::Minimize) || text[source.range.clone()].starts_with(":~") {
            return source.range.clone();
        }
        let around = syntax::ranges(text).find(|range| range.contains(&source.range.start));
        around.unwrap_or_else(|| source.range.clone())
    }
}

fn is_cannot(statement: &Statement) -> bool {
    derives(statement, CANNOT)
}

fn is_assert(statement: &Statement) -> bool {
    statement.part.name.starts_with(PREFIX) && derives(statement, ASSERT)
}

fn derives(statement: &Statement, name: &str) -> bool {
    statement.head.signature().is_some_and(|signature| signature.is_positive && signature.name == name)
}

impl Text {
    fn positioned(&self) -> (usize, String) {
        (self.range.start, self.text.clone())
    }
}
