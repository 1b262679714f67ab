//! Unit tests of encodings, in the notations of two tools. clingo ignores these tests, which are
//! comments or program parts that it does not ground.
//!
//! # Parts
//!
//! [asp-selftest](https://codeberg.org/ejgroene/asp-selftest) uses a program part for each test.
//! The parameters of the part name the parts under test, which include `base` only if it is named.
//! The facts of the part are the input of the test. No answer set may contain an atom of `cannot`,
//! whose arguments describe the failure:
//!
//! ```text
//! #program test_edge_leads_to_nodes(base).
//! edge(x,y).
//! cannot("node x") :- not node(x).
//! cannot("no colour",N) :- node(N), not color(N,_).
//! ```
//!
//! A rule for `cannot` in the part `base` is checked by all tests of that part, and without the
//! input of a test, as the test `base`. The notation of the tool's documentation up to version
//! 0.0.21 is also accepted: `assert(@all(name))` must hold in each answer set, `assert(@any(name))`
//! in at least one, and `assert(@models(n))` specifies the number of answer sets. If this number is
//! not specified, there must be at least one answer set, since otherwise nothing has been tested.
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
//! The scope lists names of rules and blocks. A test without a scope tests all of `base`.
//!
//! # Evaluation
//!
//! Each test is run as a separate program ([`Suite::program`]). It consists of the documents, in
//! which everything outside the scope is blanked so that places are preserved, the input of the
//! test, and rules for its expectations. If this program minimises something, only its optimal
//! answer sets count. The answer sets are not enumerated and compared with an expectation one by
//! one. Instead, the solver searches for an answer set that violates the expectation, or for the
//! number of answer sets that decides it. The search ends as soon as the expectation is decided, as
//! in clintest.
//!
//! # Incremental programs
//!
//! If a program includes `<incmode>`, its tests are about the answer sets of the first satisfiable
//! step (or of the last step that `imax` permits, if none is satisfiable), with the rules of all
//! steps up to it. The input of a test is added to `base`. Its expectations are evaluated after all
//! steps, and so are rules of the test's part that depend, by the names of predicates, on atoms of
//! `step` or `check`.

mod annotation;
mod case;
mod expectation;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use annotation::{Annotated, Annotation, Text};
use asp::tree::Head;
use asp::{
    FINAL_PART_DIRECTIVE, Lints, Program, ProgramPart, RewrittenProgram, Settings, Solver, Statement, statements_of,
    syntax,
};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::lines::LineIndex;
use base::stop::CancelToken;
use base::words::did_you_mean;
pub use case::Test;
use case::{CANNOT, PREFIX, is_assert, is_cannot};
pub use expectation::{AnswerSet, TestOutcome, TestVerdict};
use prover::CertifyMode;

/// A file with its includes: a program and its tests.
///
/// Several tests can run at the same time, each on its own thread.
#[derive(Clone)]
pub struct Suite {
    texts: Arc<Texts>,
    tests: Arc<[Test]>,
    /// For a mutant: the index of the changed statement, and its new text.
    changed: Option<(usize, String)>,
}

struct Texts {
    documents: Vec<Document>,
    /// The number of documents that belong to the tested file and its includes. The other documents
    /// are part of a test only if it names them.
    included: usize,
    sources: Vec<SourceStatement>,
    under_test: Vec<Statement>,
    /// The indices of the statements under test in `sources`.
    numbers: Vec<usize>,
    in_steps: bool,
}

/// A statement with its document and its byte range.
struct SourceStatement {
    statement: Statement,
    document: usize,
    range: Range<usize>,
}

impl Suite {
    /// Reads the tests in the first document of `program.instance`. The other documents of the
    /// instance are its includes, and `program.encoding` has the files that individual tests name.
    /// `#include` statements are ignored, since they are already resolved.
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
            let program = Program { last_step: in_steps.then_some(0), ..Program::of([text]) };
            let lines = LineIndex::new(&document.text);
            for statement in statements_of(&program)? {
                let Place { start, end, .. } = &statement.place;
                let offset = |position| document.text.floor_char_boundary(lines.offset(position));
                let range = offset(*start)..offset(*end);
                sources.push(SourceStatement { statement, document: number, range });
            }
        }
        let is_under_test = |source: &&SourceStatement| {
            let Statement { tree, part, .. } = &source.statement;
            !matches!(tree.head, Head::Program { .. })
                && !part.name.starts_with(PREFIX)
                && !is_cannot(&source.statement)
        };
        let numbers: Vec<usize> = (0..sources.len()).filter(|&number| is_under_test(&&sources[number])).collect();
        let under_test = numbers.iter().map(|&number| sources[number].statement.clone()).collect();
        let included = program.instance.len();
        let texts = Texts { documents, included, sources, under_test, numbers, in_steps };
        let tests = texts.tests()?;
        Ok(Suite { texts: Arc::new(texts), tests: tests.into(), changed: None })
    }

    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// Returns the statements of the program, including those of included files, but not those of
    /// tests.
    pub fn under_test(&self) -> &[Statement] {
        &self.texts.under_test
    }

    /// Returns the warnings about the program.
    pub fn lints(&self, settings: &Settings) -> Vec<Diagnostic> {
        let program = Program::of(self.texts.documents.clone());
        Lints::of(&program, &[], settings, &CancelToken::new()).into_diagnostics()
    }

    /// Returns the warnings about the program and the messages of its grounding. If it lacks input,
    /// the messages would be about that.
    pub fn messages(&self, settings: &Settings, stop: &CancelToken) -> Vec<Diagnostic> {
        let program = Program::of(self.texts.documents.clone());
        let is_loop = program.is_incremental();
        let program = Program { last_step: is_loop.then_some(1), ..program };
        let mut lints = Lints::of(&program, &[], settings, stop);
        let Ok(mut solver) = Solver::new(settings, stop) else { return lints.into_diagnostics() };
        let grounded = solver.load(&program).and_then(|()| solver.ground_program(&program));
        let lacks_input = solver.messages().iter().any(asp::Message::is_undefined_atom);
        let mut messages = Vec::new();
        match grounded {
            Ok(()) if !lacks_input => {
                lints.grounded(solver.control());
                messages.extend(solver.messages().iter().map(|message| message.diagnostic.clone()));
            }
            Ok(()) => {}
            Err(failure) => messages.extend(failure.0),
        }
        messages.extend(lints.into_diagnostics());
        messages
    }

    /// Returns the documents, of which the first is the tested file.
    pub fn documents(&self) -> &[Document] {
        &self.texts.documents
    }

    /// Returns the suite of a mutant, in which `text` replaces the statement under test with index
    /// `number`. The text may be empty.
    pub fn with(&self, number: usize, text: &str) -> Suite {
        Suite { changed: Some((self.texts.numbers[number], text.to_owned())), ..self.clone() }
    }

    /// Returns the program of a test with its input. All statements are in the part `base`, or if
    /// the program is incremental, in their original parts.
    pub fn program(&self, test: usize) -> Program {
        self.program_of(&self.tests[test])
    }

    fn program_of(&self, test: &Test) -> Program {
        let texts = &self.texts;
        let is_in_base = |number: usize| test.has[number] && !test.in_final_part[number];
        let masked =
            |number| texts.masked(number, is_in_base, syntax::BASE, test.input.as_ref(), self.changed.as_ref());
        let mut instance: Vec<Document> = (0..texts.documents.len()).map(masked).collect();
        if texts.in_steps {
            instance.extend(texts.input_of(test));
            let is_in_final_part = |number: usize| test.has[number] && test.in_final_part[number];
            let has_any = (0..test.in_final_part.len()).any(is_in_final_part);
            instance.extend(
                has_any.then(|| texts.masked(0, is_in_final_part, FINAL_PART_DIRECTIVE, test.input.as_ref(), None)),
            );
            instance.push(Document::in_memory("<steps>", "#include <incmode>.\n"));
        }
        Program::of(instance)
    }

    /// Returns true if the program of a test contains the statement.
    pub fn has(&self, test: usize, number: usize) -> bool {
        self.tests[test].has[self.texts.numbers[number]]
    }

    /// Rewrites the program of a test. For each statement under test, `rewrite` may return rules to
    /// add, and true if the statement itself remains.
    pub fn rewritten(&self, test: usize, rewrite: impl Fn(usize, &Statement) -> Option<(bool, String)>) -> Program {
        let mut changed = self.tests[test].clone();
        let mut rules = RewrittenProgram::default();
        let base = ProgramPart::base();
        for number in (0..self.texts.numbers.len()).filter(|&number| self.has(test, number)) {
            let statement = &self.texts.under_test[number];
            if let Some((remains, text)) = rewrite(number, statement) {
                changed.has[self.texts.numbers[number]] = remains;
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

    /// Like [`Suite::run`], but also certifies that there are no further answer sets if the result
    /// depends on that.
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

/// Returns false if the text certainly has no tests. Searches for words only and does not parse the
/// text.
pub fn may_have_tests(document: &Document) -> bool {
    let text = &document.text;
    [PREFIX, "@test", CANNOT].iter().any(|word| text.contains(word))
}

/// Returns the names of the files that tests of a document name in addition to its includes, with
/// their places.
pub fn named_files(document: &Document) -> Result<Vec<(String, Place)>, Failure> {
    let place = |Text { text, range }| (text, Place::of_range(&document.name, &document.text, range));
    Ok(annotation::files(document)?.into_iter().map(place).collect())
}

impl Texts {
    fn tests(&self) -> Result<Vec<Test>, Failure> {
        let mut tests = Vec::new();
        for source in self.sources.iter().filter(|source| source.document == 0) {
            let Statement { tree, part, .. } = &source.statement;
            let place = &tree.place;
            if matches!(tree.head, Head::Program { .. }) && part.name.starts_with(PREFIX) {
                let has = |source: &SourceStatement| {
                    let other = &source.statement.part;
                    let is_in_part = other.name == part.name && source.document == 0;
                    let is_of_tests = other.name.starts_with(PREFIX);
                    is_in_part || self.includes(source) && !is_of_tests && part.parameters.contains(&other.name)
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
            if let Some(earlier) = tests[..number].iter().find(|earlier| earlier.name == test.name) {
                let text = format!("two tests have the name {}", test.name);
                let first = earlier.place.clone().label("the first test with this name");
                return Err(Diagnostic::error(Code::InvalidAnnotation, text)
                    .at(Some(test.place.clone()))
                    .at(Some(first))
                    .into());
            }
        }
        Ok(tests)
    }

    /// Rejects a test part that names an unknown part or misspells `cannot`, since such a test
    /// would check nothing.
    fn check_part(&self, part: &ProgramPart, place: &Place) -> Result<(), Failure> {
        let parts: BTreeSet<&str> = self.sources.iter().map(|source| source.statement.part.name.as_str()).collect();
        let unknown = |tested: &&String| *tested != "base" && !parts.contains(tested.as_str());
        if let Some(tested) = part.parameters.iter().find(unknown) {
            let suggestion = did_you_mean(tested, parts.iter().copied());
            let text = format!("{}: there is no part {tested}{suggestion}", part.name);
            return Err(Diagnostic::error(Code::InvalidAnnotation, text).at(Some(place.clone())).into());
        }
        let sources_of_part =
            || self.sources.iter().filter(|source| source.document == 0 && source.statement.part.name == part.name);
        if sources_of_part().any(|source| is_cannot(&source.statement) || is_assert(&source.statement)) {
            return Ok(());
        }
        let is_used = |name: &str| {
            let mut literals = self.sources.iter().flat_map(|source| source.statement.literals());
            literals.any(|literal| syntax::uses(&literal.to_string(), name))
        };
        let misspelt = sources_of_part().find_map(|source| {
            let name = source.statement.head.signature()?.name;
            let suggestion = did_you_mean(&name, [CANNOT]);
            (!suggestion.is_empty() && !is_used(&name))
                .then(|| format!("nothing reads {name}{suggestion}"))
                .zip(Some(source))
        });
        misspelt.map_or(Ok(()), |(text, source)| {
            Err(Diagnostic::error(Code::InvalidAnnotation, text).at(Some(source.statement.place.clone())).into())
        })
    }

    /// Returns true if the statement is in the tested file or its includes.
    fn includes(&self, source: &SourceStatement) -> bool {
        source.document < self.included
    }

    /// Returns the test of a part. `has` returns true for the statements of its program.
    fn of_part(&self, name: &str, place: &Place, has: impl Fn(&SourceStatement) -> bool) -> Test {
        let has: Vec<bool> = self.sources.iter().map(has).collect();
        let in_final_part = self.in_final_part(&has, name);
        let (additions, expectations) = expectation::of_cannot(self.statements_in(&has), place, self.final_part());
        Test { name: name.to_owned(), place: place.clone(), has, in_final_part, input: None, additions, expectations }
    }

    /// Returns the directive before rules that are evaluated after all steps.
    fn final_part(&self) -> &'static str {
        if self.in_steps { FINAL_PART_DIRECTIVE } else { "" }
    }

    /// Marks the statements of a test's part that must be evaluated after all steps: those that
    /// depend on atoms of the steps.
    fn in_final_part(&self, has: &[bool], part: &str) -> Vec<bool> {
        let mut in_final_part = vec![false; has.len()];
        if !self.in_steps || !part.starts_with(PREFIX) {
            return in_final_part;
        }
        let names_of = |statement: &Statement| {
            let names = statement.heads().into_iter().filter_map(|(head, _)| head.positive_atom()?.name());
            names.map(|(_, name)| name.to_owned()).collect::<Vec<_>>()
        };
        let of_steps = self.statements_in(has).filter(|(_, statement)| !statement.part.parameters.is_empty());
        let of_steps = of_steps.filter(|(_, statement)| !statement.part.name.starts_with(PREFIX));
        let mut names: Vec<String> = of_steps.flat_map(|(_, statement)| names_of(statement)).collect();
        names.push("query".to_owned());
        let of_part: Vec<(usize, &Statement)> =
            self.statements_in(has).filter(|(_, statement)| statement.part.name == part).collect();
        let needs = |statement: &Statement| {
            let literals = statement.literals().map(ToString::to_string);
            literals.collect::<Vec<_>>().join("; ") + "."
        };
        loop {
            let is_next = |&&(number, statement): &&(usize, &Statement)| {
                let needs = needs(statement);
                let is_expectation = is_cannot(statement) || is_assert(statement);
                !in_final_part[number] && (is_expectation || names.iter().any(|name| syntax::uses(&needs, name)))
            };
            let Some(&(number, statement)) = of_part.iter().find(is_next) else { return in_final_part };
            in_final_part[number] = true;
            names.extend(names_of(statement));
        }
    }

    /// Returns the statements that `has` marks, with their indices.
    fn statements_in<'a>(&'a self, has: &'a [bool]) -> impl Iterator<Item = (usize, &'a Statement)> {
        self.sources.iter().map(|source| &source.statement).enumerate().filter(|(number, _)| has[*number])
    }

    /// Returns the test of an annotation. `all` has the annotations of all documents.
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
            let has_name = |document: &Document| Path::new(&document.name).ends_with(file);
            let Some(number) = self.documents.iter().position(has_name) else {
                return Err(Diagnostic::error(Code::UnreadableFile, format!("{file}: no such file"))
                    .at(place(range))
                    .into());
            };
            for (source, has) in self.sources.iter().zip(&mut has) {
                *has |= source.document == number;
            }
        }
        for (source, has) in self.sources.iter().zip(&mut has) {
            *has &= source.statement.is_grounded() && !matches!(source.statement.head, Head::Program { .. });
        }
        let (additions, expectations) = expectation::of_assertions(document, assertions, self.final_part())?;
        let place = Place::of_range(&document.name, &document.text, test.range.clone());
        let input = Some((test.range.clone(), input.clone()));
        let in_final_part = vec![false; has.len()];
        Ok(Some(Test { name: name.clone(), place, has, in_final_part, input, additions, expectations }))
    }

    /// Marks the statements in `has` to which an annotation gives a name.
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

    /// Returns a document in which all statements except those in `has` are blanked, so that
    /// positions are preserved. In an incremental program, statements of tests move to the part
    /// that the directive `part` begins.
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
        let mut replacements = Vec::new();
        let mut previous_end = 0;
        let of_document = self.sources.iter().enumerate().filter(|(_, source)| source.document == document);
        for (number, source) in of_document {
            let is_directive = matches!(source.statement.head, Head::Program { .. });
            if is_directive || !has(number) {
                // Comments before a statement belong to it.
                blank.push(previous_end.min(source.range.start)..self.whole_range(source).end);
            } else if is_assert(&source.statement) && document == 0 {
                replacements.push((source.range.start, expectation::with_names(&text[source.range.clone()])));
            }
            if is_directive && self.in_steps {
                let is_of_tests = source.statement.part.name.starts_with(PREFIX);
                let directive = if is_of_tests { part } else { &text[source.range.clone()] };
                replacements.extend(
                    (directive.len() <= source.range.len()).then(|| (source.range.start, directive.to_owned())),
                );
            }
            previous_end = self.whole_range(source).end;
        }
        if let (0, Some((comment, input))) = (document, input) {
            blank.push(comment.clone());
            replacements.extend(input.iter().filter(|_| !self.in_steps).map(Text::positioned));
        }
        let mut masked = self.with_changes(document, blank, replacements);
        if let Some((number, text)) =
            changed.filter(|(number, _)| self.sources[*number].document == document && has(*number))
        {
            let source = &self.sources[*number];
            let whole = self.whole_range(source);
            let shares_range = |other: &&SourceStatement| {
                other.document == document && whole.contains(&other.range.start) && other.range != source.range
            };
            let others = self.sources.iter().filter(shares_range).map(|other| other.statement.text.as_str());
            let text = others.chain([text.as_str()]).collect::<Vec<_>>().join(" ");
            masked.replace_range(whole, &text);
        }
        Document::in_memory(&*self.documents[document].name, masked)
    }

    /// Returns a document's text with the byte ranges `blank` blanked, and with the texts in
    /// `replacements` written over the text at their positions.
    fn with_changes(
        &self,
        document: usize,
        blank: impl IntoIterator<Item = Range<usize>>,
        replacements: Vec<(usize, String)>,
    ) -> String {
        let mut text = syntax::blank_out(&self.documents[document].text, blank);
        for (at, new) in replacements {
            text.replace_range(at..at + new.len(), &new);
        }
        text
    }

    /// Returns a document with only the input in the comment of a test. It belongs to `base`,
    /// whichever part contains the comment.
    fn input_of(&self, test: &Test) -> Option<Document> {
        let ((_, input), Document { name, text, .. }) = (test.input.as_ref()?, &self.documents[0]);
        let replacements = input.iter().map(Text::positioned).collect();
        Some(Document::in_memory(&**name, self.with_changes(0, std::iter::once(0..text.len()), replacements)))
    }

    /// Returns the byte range of a statement. For an element of `#minimize`, this is the range of
    /// the whole `#minimize` statement.
    fn whole_range(&self, source: &SourceStatement) -> Range<usize> {
        let text = &self.documents[source.document].text;
        if !matches!(source.statement.head, Head::Minimize { .. }) || text[source.range.clone()].starts_with(":~") {
            return source.range.clone();
        }
        let statement_range = syntax::ranges(text).find(|range| range.contains(&source.range.start));
        statement_range.unwrap_or_else(|| source.range.clone())
    }
}

impl Text {
    fn positioned(&self) -> (usize, String) {
        (self.range.start, self.text.clone())
    }
}
