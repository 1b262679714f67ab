//! Tests of encodings, as two tools have them whose comments and parts stock clingo passes over.
//!
//! # Parts
//!
//! [asp-selftest](https://codeberg.org/ejgroene/asp-selftest) has a part for each test. Its parameters are the parts that it is
//! about; the part `base` must be named like any other. Its facts are the test's input, and no answer set may hold an atom
//! `cannot`, whose arguments are for the reader:
//!
//! ```text
//! #program test_edge_leads_to_nodes(base).
//! edge(x,y).
//! cannot("node x") :- not node(x).
//! cannot("no colour",N) :- node(N), not color(N,_).
//! ```
//!
//! A rule for `cannot` in the part `base` is checked by all tests that are about it, and once more by itself: that is the test
//! `base`. What the tool's documentation up to version 0.0.21 has besides is read as well: `assert(@all(name)) :- …` must hold
//! in each answer set, `assert(@any(name))` in one, and `assert(@models(n))` says how many there are. Without the last there must be
//! one: a test without an answer set has looked at nothing, and fails.
//!
//! # Comments
//!
//! ASP-WIDE (*Unit Testing in ASP Revisited*, TPLP 2024, arXiv 2401.02153) has a comment for each test; `annotation.rs` has the
//! grammar.
//!
//! ```text
//! %**@test(name = "two colours do not suffice", scope = {"guess", "check"},
//!          input = "node(1..3). edge(1,2). edge(2,3). edge(1,3).",
//!          assert = { @noAnswerSet })**%
//! ```
//!
//! Its scope are names of rules and blocks; without one the test is about all of `base`.
//!
//! # What is asked
//!
//! A test is a program of its own ([`Suite::program`]): the documents with all that is none of its concern blanked, so that
//! every place stays where it is, and beside them its input and a few rules that say what is expected. Where that program minimises something,
//! its optimal answer sets count. Expectations are not held against all answer sets one by one: the solver is asked for one
//! that breaks them, or for as many as decide the matter. So an expectation ends as soon as it is decided, which is
//! clintest's rule, and here the solver does its best to decide it.
//!
//! # Programs in steps
//!
//! Of a program that includes `<incmode>` the answer sets count of the first step that has one (of the last that `imax` allows, where
//! none has), with all steps until then. A test's input belongs to `base`. Its expectations see all steps: so do the rules
//! of a test's part that have to do with atoms of `step` or `check`, by names.

mod annotation;
mod expectation;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use annotation::{Annotated, Annotation, Text};
use expectation::Expectation;
pub use expectation::{Answer, Outcome, Verdict};

use crate::asp::statement::Head;
use crate::asp::syntax::{self, name_of};
use crate::asp::{BEHIND_ALL, Lints, Program, ProgramPart, Rewritten, Settings, Statement, statements_of};
use crate::certificate::Certify;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::stop::Stop;
use crate::words::did_you_mean;

/// A file with what it includes: a program, and the tests of that file.
///
/// Several are run at once, each from a thread of its own.
#[derive(Clone)]
pub struct Suite {
    texts: Arc<Texts>,
    tests: Arc<[Test]>,
    /// The statement that a mutant has another text for.
    changed: Option<(usize, String)>,
}

/// One test.
#[derive(Debug, Clone)]
pub struct Test {
    pub name: String,
    /// Its `#program`, or its comment.
    pub place: Place,
    /// For each statement whether the test's program has it.
    has: Vec<bool>,
    /// Of a program in steps: the statements of its own part that see all steps.
    behind: Vec<bool>,
    /// The bytes of its comment in the tested file, and facts in it that are its input.
    input: Option<(Range<usize>, Vec<Text>)>,
    /// The rules that say what is expected.
    additions: Vec<Document>,
    expectations: Vec<Expectation>,
}

struct Texts {
    documents: Vec<Document>,
    /// How many of them are the tested file and what it includes; the others are there for tests that name them.
    included: usize,
    sources: Vec<Source>,
    under_test: Vec<Statement>,
    /// Their numbers among the sources.
    numbers: Vec<usize>,
    in_steps: bool,
}

/// Where a statement stands.
struct Source {
    statement: Statement,
    document: usize,
    range: Range<usize>,
}

/// What parts of tests begin with.
const PREFIX: &str = "test_";
/// The predicate of what may not be.
const CANNOT: &str = "cannot";
/// The predicate of what must be.
const ASSERT: &str = "assert";

impl Suite {
    /// The tests of a program's first document. The rest of the instance is what it includes: its `#include`s are taken to be
    /// done. Encodings are the files that single tests name.
    pub fn of(program: &Program) -> Result<Suite, Failure> {
        let in_steps = program.is_in_steps();
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
                sources.push(Source { statement, document: number, range });
            }
        }
        let of_program = |source: &&Source| {
            let Statement { head, part, .. } = &source.statement;
            !matches!(head, Head::Part) && !part.name.starts_with(PREFIX) && !is_cannot(&source.statement)
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

    /// The statements of the program itself, those of included files among them: none that stands in a test.
    pub fn under_test(&self) -> &[Statement] {
        &self.texts.under_test
    }

    /// What there is to say of the program, tested or not.
    pub fn lints(&self, settings: &Settings) -> Vec<Diagnostic> {
        let program = Program::of(self.texts.documents.clone());
        Lints::of(&program, &[], settings, &Stop::new()).told()
    }

    /// The texts, the tested file's first.
    pub fn documents(&self) -> &[Document] {
        &self.texts.documents
    }

    /// The same tests of a program that has another text, or none, in place of the statement with this number.
    pub fn with(&self, number: usize, text: &str) -> Suite {
        Suite { changed: Some((self.texts.numbers[number], text.to_owned())), ..self.clone() }
    }

    /// The program that a test is about, with its input: all of it in the part `base`, or in those of its steps.
    pub fn program(&self, test: usize) -> Program {
        self.program_of(&self.tests[test])
    }

    fn program_of(&self, test: &Test) -> Program {
        let texts = &self.texts;
        let is_there = |number: usize| test.has[number] && !test.behind[number];
        let masked = |number| texts.masked(number, is_there, syntax::BASE, test.input.as_ref(), self.changed.as_ref());
        let mut instance: Vec<Document> = (0..texts.documents.len()).map(masked).collect();
        if texts.in_steps {
            instance.extend(texts.input_of(test));
            let is_behind = |number: usize| test.has[number] && test.behind[number];
            let has_any = (0..test.behind.len()).any(is_behind);
            instance.extend(has_any.then(|| texts.masked(0, is_behind, BEHIND_ALL, test.input.as_ref(), None)));
            instance.push(Document::in_memory("<steps>", "#include <incmode>.\n"));
        }
        Program::of(instance)
    }

    /// Whether a test's program has the statement with this number.
    pub fn has(&self, test: usize, number: usize) -> bool {
        self.tests[test].has[self.texts.numbers[number]]
    }

    /// The program of a test with other rules: for each statement that it has, whether the statement stays, and what is to
    /// stand beside it or in its place.
    pub fn rewritten(&self, test: usize, rewrite: impl Fn(usize, &Statement) -> Option<(bool, String)>) -> Program {
        let (mut changed, mut rules, base) = (self.tests[test].clone(), Rewritten::default(), ProgramPart::base());
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

    /// Whether the test passes, and what breaks it if it does not.
    ///
    /// # Errors
    /// What is wrong with its program.
    pub fn run(&self, test: usize, settings: &Settings, stop: &Stop) -> Result<Outcome, Failure> {
        self.run_certifying(test, settings, Certify::No, stop)
    }

    /// The same; that there are no more answer sets is certified, where that decides.
    pub fn run_certifying(
        &self,
        test: usize,
        settings: &Settings,
        certify: Certify,
        stop: &Stop,
    ) -> Result<Outcome, Failure> {
        let (program, test) = (self.program(test), &self.tests[test]);
        let mut program = match (program.at_last_step(settings, stop), stop.requested()) {
            (Err(_), Some(reason)) => return Ok(Outcome::gave_up(reason, test.place.clone())),
            (program, _) => program?,
        };
        program.instance.extend(test.additions.iter().cloned());
        let statements: Vec<(usize, &Statement)> = self.texts.of(&test.has).collect();
        expectation::run(&program, &statements, test, self.changed.is_none(), settings, certify, stop)
    }
}

/// Whether a text may have tests: a glance, before it is parsed.
pub fn may_have_tests(document: &Document) -> bool {
    let text = &document.text;
    [PREFIX, "@test", CANNOT].iter().any(|word| text.contains(word))
}

/// The files that a text's tests name besides what it includes, each with its place.
pub fn named_files(document: &Document) -> Result<Vec<(String, Place)>, Failure> {
    let place = |Text { text, range }| (text, Place::of_range(&document.name, &document.text, range));
    Ok(annotation::files(document)?.into_iter().map(place).collect())
}

impl Texts {
    fn tests(&self) -> Result<Vec<Test>, Failure> {
        let mut tests = Vec::new();
        for source in self.sources.iter().filter(|source| source.document == 0) {
            let Statement { head, part, place, .. } = &source.statement;
            if matches!(head, Head::Part) && part.name.starts_with(PREFIX) {
                let has = |source: &Source| {
                    let other = &source.statement.part;
                    let is_own = other.name == part.name && source.document == 0;
                    let is_of_tests = other.name.starts_with(PREFIX);
                    is_own || self.includes(source) && !is_of_tests && part.parameters.contains(&other.name)
                };
                self.is_sound(part, place)?;
                tests.push(self.of_part(&part.name, place, has));
            }
        }
        let base_cannot = |source: &&Source| !source.statement.is_elsewhere() && is_cannot(&source.statement);
        let mut annotations = Vec::new();
        for (number, document) in self.documents.iter().enumerate() {
            annotations.extend(annotation::all(document)?.into_iter().map(|annotated| (number, annotated)));
        }
        for (document, annotated) in &annotations {
            if *document == 0 {
                tests.extend(self.of_annotation(annotated, &annotations)?);
            }
        }
        if let Some(source) = self.sources.iter().find(base_cannot) {
            tests.push(self.of_part("base", &source.statement.place, |source| {
                self.includes(source) && !source.statement.is_elsewhere()
            }));
        }
        for (number, test) in tests.iter().enumerate() {
            if let Some(before) = tests[..number].iter().find(|before| before.name == test.name) {
                let text = format!("two tests are called {}", test.name);
                let first = before.place.clone().label("the other one");
                return Err(Diagnostic::error(text).at(Some(test.place.clone())).at(Some(first)).into());
            }
        }
        Ok(tests)
    }

    /// A part that tests another one which is nowhere, or whose `cannot` is misspelt, would test nothing.
    fn is_sound(&self, part: &ProgramPart, place: &Place) -> Result<(), Failure> {
        let parts: BTreeSet<&str> = self.sources.iter().map(|source| source.statement.part.name.as_str()).collect();
        let unknown = |tested: &&String| *tested != "base" && !parts.contains(tested.as_str());
        if let Some(tested) = part.parameters.iter().find(unknown) {
            let near = did_you_mean(tested, parts.iter().copied());
            let text = format!("{}: there is no part {tested}{near}", part.name);
            return Err(Diagnostic::error(text).at(Some(place.clone())).into());
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
            Err(Diagnostic::error(text).at(Some(source.statement.place.clone())).into())
        })
    }

    /// Whether a statement is there for all tests.
    fn includes(&self, source: &Source) -> bool {
        source.document < self.included
    }

    fn of_part(&self, name: &str, place: &Place, has: impl Fn(&Source) -> bool) -> Test {
        let has: Vec<bool> = self.sources.iter().map(has).collect();
        let behind = self.behind(&has, name);
        let (additions, expectations) = expectation::of_cannot(self.of(&has), place, self.behind_all());
        Test { name: name.to_owned(), place: place.clone(), has, behind, input: None, additions, expectations }
    }

    /// What stands in front of rules about all steps.
    fn behind_all(&self) -> &'static str {
        if self.in_steps { BEHIND_ALL } else { "" }
    }

    /// Which statements of a test's part see all steps of a program: those that have to do with atoms of its steps.
    fn behind(&self, has: &[bool], part: &str) -> Vec<bool> {
        let mut behind = vec![false; has.len()];
        if !self.in_steps || !part.starts_with(PREFIX) {
            return behind;
        }
        let names_of = |statement: &Statement| {
            let names = statement.heads().into_iter().map(|(atom, _)| name_of(atom.trim_start_matches('-')).to_owned());
            names.collect::<Vec<_>>()
        };
        let of_steps = self.of(has).filter(|(_, statement)| !statement.part.parameters.is_empty());
        let of_steps = of_steps.filter(|(_, statement)| !statement.part.name.starts_with(PREFIX));
        let mut names: Vec<String> = of_steps.flat_map(|(_, statement)| names_of(statement)).collect();
        names.push("query".to_owned());
        let own: Vec<(usize, &Statement)> = self.of(has).filter(|(_, statement)| statement.part.name == part).collect();
        let needs = |statement: &Statement| {
            let literals = statement.literals().map(|literal| literal.text.as_str());
            literals.collect::<Vec<_>>().join("; ") + "."
        };
        loop {
            let is_next = |&&(number, statement): &&(usize, &Statement)| {
                let needs = needs(statement);
                let is_about_all = is_cannot(statement) || is_assert(statement);
                !behind[number] && (is_about_all || names.iter().any(|name| syntax::uses(&needs, name)))
            };
            let Some(&(number, statement)) = own.iter().find(is_next) else { return behind };
            behind[number] = true;
            names.extend(names_of(statement));
        }
    }

    /// The statements that a test has, with their numbers.
    fn of<'a>(&'a self, has: &'a [bool]) -> impl Iterator<Item = (usize, &'a Statement)> {
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
                const HELP: &str = "%**@rule(name = \"…\", block = \"…\")**% in front of a rule gives it a name";
                let text = format!("no rule and no block is called {text:?}");
                return Err(Diagnostic::error(text).at(place(range)).help(HELP).into());
            }
            for (document, annotated) in named {
                self.name(*document, annotated, all, &mut has);
            }
        }
        for Text { text: file, range } in files {
            let is_it = |known: &Document| Path::new(&known.name).ends_with(file);
            let Some(number) = self.documents.iter().position(is_it) else {
                return Err(Diagnostic::error(format!("{file}: no such file")).at(place(range)).into());
            };
            let of_file = self.sources.iter().zip(&mut has).filter(|(source, _)| source.document == number);
            of_file.for_each(|(_, has)| *has = true);
        }
        for (source, has) in self.sources.iter().zip(&mut has) {
            *has &= !source.statement.is_elsewhere() && !matches!(source.statement.head, Head::Part);
        }
        let (additions, expectations) = expectation::of_assertions(document, assertions, self.behind_all())?;
        let place = Place::of_range(&document.name, &document.text, test.range.clone());
        let input = Some((test.range.clone(), input.clone()));
        let behind = vec![false; has.len()];
        Ok(Some(Test { name: name.clone(), place, has, behind, input, additions, expectations }))
    }

    /// Takes the statements that an annotation gives a name to.
    fn name(&self, document: usize, annotated: &Annotated, all: &[(usize, Annotated)], has: &mut [bool]) {
        let behind = annotated.range.end;
        let of_document = || self.sources.iter().enumerate().filter(|(_, source)| source.document == document);
        match &annotated.annotation {
            Annotation::Rule { .. } => {
                if let Some((number, _)) = of_document().find(|(_, source)| source.range.start >= behind) {
                    has[number] = true;
                }
            }
            Annotation::Block { rules, end, .. } => {
                let inside = behind..end.unwrap_or(behind);
                of_document()
                    .filter(|(_, source)| inside.contains(&source.range.start))
                    .for_each(|(number, _)| has[number] = true);
                let is_rule = |annotated: &Annotated| matches!(&annotated.annotation, Annotation::Rule { name, .. } if rules.contains(name));
                for (document, rule) in all.iter().filter(|(_, annotated)| is_rule(annotated)) {
                    self.name(*document, rule, all, has);
                }
            }
            Annotation::Test { .. } => {}
        }
    }

    /// A document in which only some statements are left, and all that is left stands where it stood. In a program in steps
    /// those of tests get another part.
    fn masked(
        &self,
        document: usize,
        has: impl Fn(usize) -> bool,
        part: &str,
        input: Option<&(Range<usize>, Vec<Text>)>,
        changed: Option<&(usize, String)>,
    ) -> Document {
        let text = &self.documents[document].text;
        let (mut blank, mut put, mut before) = (Vec::new(), Vec::new(), 0);
        let of_document = self.sources.iter().enumerate().filter(|(_, source)| source.document == document);
        for (number, source) in of_document {
            let is_mark = matches!(source.statement.head, Head::Part);
            if is_mark || !has(number) {
                // What is said about the statement, in comments in front of it, goes with it.
                blank.push(before.min(source.range.start)..self.whole(source).end);
            } else if is_assert(&source.statement) && document == 0 {
                put.push((source.range.start, expectation::with_names(&text[source.range.clone()])));
            }
            if is_mark && self.in_steps {
                let is_of_tests = source.statement.part.name.starts_with(PREFIX);
                let mark = if is_of_tests { part } else { &text[source.range.clone()] };
                put.extend((mark.len() <= source.range.len()).then(|| (source.range.start, mark.to_owned())));
            }
            before = self.whole(source).end;
        }
        if let (0, Some((comment, input))) = (document, input) {
            blank.push(comment.clone());
            put.extend(input.iter().filter(|_| !self.in_steps).map(Text::at_its_place));
        }
        let mut masked = self.with(document, blank, put);
        if let Some((number, text)) =
            changed.filter(|(number, _)| self.sources[*number].document == document && has(*number))
        {
            let source = &self.sources[*number];
            let whole = self.whole(source);
            let is_beside = |other: &&Source| {
                other.document == document && whole.contains(&other.range.start) && other.range != source.range
            };
            let others = self.sources.iter().filter(is_beside).map(|other| other.statement.text.as_str());
            let text = others.chain([text.as_str()]).collect::<Vec<_>>().join(" ");
            masked.replace_range(whole, &text);
        }
        Document::in_memory(&*self.documents[document].name, masked)
    }

    /// A document's text with blanks for some of its bytes, and new words of the same length for others.
    fn with(
        &self,
        document: usize,
        blank: impl IntoIterator<Item = Range<usize>>,
        put: Vec<(usize, String)>,
    ) -> String {
        let mut text = syntax::blanked(&self.documents[document].text, blank);
        put.into_iter().for_each(|(at, new)| text.replace_range(at..at + new.len(), &new));
        text
    }

    /// The input in a test's comment, and nothing else: wherever that stands, its input belongs to `base`.
    fn input_of(&self, test: &Test) -> Option<Document> {
        let ((_, input), Document { name, text, .. }) = (test.input.as_ref()?, &self.documents[0]);
        let put = input.iter().map(Text::at_its_place).collect();
        Some(Document::in_memory(&**name, self.with(0, std::iter::once(0..text.len()), put)))
    }

    /// The bytes of a statement; of an element of `#minimize`, those of the whole.
    fn whole(&self, source: &Source) -> Range<usize> {
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
    fn at_its_place(&self) -> (usize, String) {
        (self.range.start, self.text.clone())
    }
}
