//! Checks a program: requested by one process, done in another, which the next keystroke may kill.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use asp::{Lints, Program, Settings, Solver, syntax, to_text};
use author::coverage::{self, Coverage, ItemKind};
use author::tests::{self, Suite};
use base::diagnostic::{Code, Diagnostic, Failure, Place, Severity};
use base::document::Document;
use base::stop::CancelToken;
use explain::{Blame, Explanation, Part};
use pencil::Header;
use serde::{Deserialize, Serialize};

/// A changed program; its first text is the one to check.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    pub id: u64,
    /// The names and texts of the program.
    pub files: Vec<(String, String)>,
    /// The files that the tests name.
    pub beside: Vec<(String, String)>,
    /// The file of the chosen board.
    pub board: Option<String>,
}

/// A result of a check: the final one if `is_last` is true, else an intermediate one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CheckReport {
    pub id: u64,
    pub found: Vec<Diagnostic>,
    /// By predicate (`p/2`): the number of its atoms, and examples.
    pub atoms: BTreeMap<String, Atoms>,
    pub is_last: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Atoms {
    pub count: usize,
    pub examples: Vec<String>,
}

/// The program with the chosen board, as it would be solved.
pub struct BoardProgram {
    pub program: Program,
    /// Explains why the program has no answer.
    pub why: Box<dyn Fn() -> Result<Explanation, Failure>>,
}

/// Maximal number of atoms counted per predicate.
pub const MAX_ATOMS: usize = 10_000;
const EXAMPLES: usize = 3;
/// Time limit of all checks after grounding: tests, answers or their absence, and unused rules.
const CHECK_LIMIT: Duration = Duration::from_secs(3);

/// Checks the program of a request. Passes the result to `send` after each step.
pub fn check(
    request: &Request,
    board: Option<Result<BoardProgram, Failure>>,
    stop: &CancelToken,
    mut send: impl FnMut(CheckReport),
) {
    let document = |(name, text): &(String, String)| Document::in_memory(&**name, &**text);
    // Included texts are separate documents here.
    let without_includes = |(name, text): &(String, String)| {
        Document::in_memory(&**name, syntax::without_includes(text, |file| file.is_some()))
    };
    let texts: Vec<Document> = request.files.iter().map(without_includes).collect();
    let Some(first) = texts.first() else { return };
    let text_program = Program::of(texts.clone());
    let mut report = CheckReport { id: request.id, ..CheckReport::default() };
    let has_board = matches!(board, Some(Ok(_)));
    let (program, why) = match board {
        Some(Ok(BoardProgram { program, why })) => (program, Some(why)),
        Some(Err(failure)) => {
            // Errors of the text itself are reported below.
            let is_in_text = |place: &Place| texts.iter().any(|text| text.name == place.file);
            let of_board =
                failure.0.into_iter().filter(|diagnostic| !diagnostic.labels.first().is_some_and(is_in_text));
            report.found.extend(of_board.map(|diagnostic| Diagnostic {
                message: format!("the chosen board: {}", diagnostic.message),
                ..diagnostic
            }));
            (text_program.clone(), None)
        }
        None => (text_program.clone(), None),
    };
    let headers: Vec<Header> = texts.iter().map(|text| Header::of("", &text.text)).collect();
    let inputs: Vec<&str> = headers.iter().flat_map(Header::inputs).collect();
    let is_complete = ground_and_collect(&program, &inputs, has_board, stop, &mut report);
    send(report.clone());
    let limited = stop.child_until(Some(Instant::now() + CHECK_LIMIT));
    let has_no_errors = !report.found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if has_no_errors && tests::may_have_tests(first) {
        let suite = Suite::of(&Program { encoding: request.beside.iter().map(document).collect(), ..text_program });
        report.found.extend(suite.map_or_else(|failure| failure.0, |suite| failed_tests(&suite, &limited.token)));
        send(report.clone());
    }
    // Without its input a program means nothing.
    let has_input =
        || report.atoms.keys().any(|predicate| inputs.iter().any(|name| predicate.starts_with(&format!("{name}/"))));
    if has_no_errors && (has_board || is_complete && (inputs.is_empty() || has_input())) {
        let diagnostics =
            check_answers(&program, why.as_deref(), &limited.token).and_then(|(has_answer, mut diagnostics)| {
                if has_answer && has_board {
                    diagnostics.extend(unused_items(&program, &first.name, &limited.token)?);
                }
                Ok(diagnostics)
            });
        match diagnostics {
            Ok(diagnostics) => report.found.extend(diagnostics),
            // The time limit was reached.
            Err(_) if limited.token.requested().is_some() => {}
            Err(failure) => report.found.extend(failure.0),
        }
    }
    send(CheckReport { is_last: true, ..report });
}

/// Grounds the program and collects the messages. Returns true if no predicate of the program is
/// undefined.
fn ground_and_collect(
    program: &Program,
    inputs: &[&str],
    has_board: bool,
    stop: &CancelToken,
    report: &mut CheckReport,
) -> bool {
    // Another file may ground the steps of an encoding.
    let suppressed = (!inputs.is_empty() && !has_board).then(|| "-Wno-ungrounded-part".to_owned());
    let settings = Settings { options: suppressed.into_iter().collect(), ..Settings::default() };
    // Incremental programs are checked up to their first step.
    let program = Program { last_step: program.last_step.or(program.is_incremental().then_some(1)), ..program.clone() };
    let mut solver = match Solver::new(&settings, stop) {
        Ok(solver) => solver,
        Err(failure) => {
            report.found.extend(failure.0);
            return false;
        }
    };
    let mut lints = Lints::of(&program, &[], &settings, stop);
    let grounded = solver.load(&program).and_then(|()| solver.ground_program(&program));
    let is_input = |message: &asp::Message| {
        message.undefined.as_ref().is_some_and(|predicate| inputs.contains(&predicate.name.as_str()))
    };
    let messages: Vec<&asp::Message> =
        solver.messages().iter().filter(|message| message.diagnostic.severity < Severity::Error).collect();
    let is_complete = !messages.iter().any(|message| message.is_undefined_atom());
    let reported =
        messages.into_iter().filter(|message| has_board || !message.is_undefined_atom() || !is_input(message));
    report.found.extend(reported.map(|message| message.diagnostic.clone()));
    match grounded {
        Ok(()) => {
            lints.grounded(solver.control());
            for signature in solver.control().signatures().unwrap_or_default() {
                let atoms = solver.control().atoms_of(&signature, MAX_ATOMS).unwrap_or_default();
                let examples = atoms.iter().take(EXAMPLES).map(|&atom| asp::to_text_truncated(atom)).collect();
                report.atoms.insert(signature.to_string(), Atoms { count: atoms.len(), examples });
            }
        }
        Err(failure) => report.found.extend(failure.0),
    }
    report.found.extend(lints.into_diagnostics());
    is_complete
}

/// Returns the tests that fail, each at the rule that states the expectation.
fn failed_tests(suite: &Suite, stop: &CancelToken) -> Vec<Diagnostic> {
    let run = |(number, test): (usize, &tests::Test)| match suite.run(number, &Settings::default(), stop) {
        Ok(outcome) if outcome.verdict == tests::TestVerdict::Failed => {
            let text = format!("the test {} fails: {}", test.name, outcome.words);
            let diagnostic = Diagnostic::error(Code::FailedTest, text).at(Some(outcome.place.clone()));
            let test = (test.place != outcome.place).then(|| test.place.clone().label("the test"));
            let shown =
                outcome.answer.map(|answer| answer.shown.into_iter().map(to_text).collect::<Vec<_>>().join(" "));
            let diagnostic = diagnostic.at(test);
            let answer_text = |shown: String| match shown.is_empty() {
                true => "the empty answer set breaks it".to_owned(),
                false => format!("the answer set {shown} breaks it"),
            };
            vec![shown.into_iter().fold(diagnostic, |diagnostic, shown| diagnostic.help(answer_text(shown)))]
        }
        Ok(_) => Vec::new(),
        Err(failure) => failure.0,
    };
    suite.tests().iter().enumerate().flat_map(run).collect()
}

/// Returns true if there is an answer, with the warnings about it; or explains why there is none:
/// the parts that contradict each other, at their places.
fn check_answers(
    program: &Program,
    why: Option<&dyn Fn() -> Result<Explanation, Failure>>,
    stop: &CancelToken,
) -> Result<(bool, Vec<Diagnostic>), Failure> {
    // Another step may have an answer.
    if program.is_incremental() {
        return Ok((false, Vec::new()));
    }
    let settings = Settings::default();
    let of_answers = ["-Wnone", "-Wmerged-tuples"].map(str::to_owned).into();
    let mut lints = Lints::of(program, &[], &Settings { options: of_answers, ..Settings::default() }, stop);
    let mut solver = Solver::with_program(program, &settings, stop)?;
    let outcome = solver.solve(&[], |model| {
        // Errors of this lint are ignored.
        let _ = lints.answered(model);
        ControlFlow::Break(())
    })?;
    if !outcome.result.unsatisfiable {
        return Ok((outcome.result.satisfiable, lints.into_diagnostics()));
    }
    let (words, parts): (String, Vec<Part>) = match why {
        Some(why) => {
            let explanation = why()?;
            let lines = explanation.lists().into_iter().flat_map(|list| list.lines);
            (
                explanation.text().lines().next().unwrap_or_default().to_owned(),
                lines.filter_map(|line| line.part).collect(),
            )
        }
        None => {
            let blamed = [Blame::Constraints, Blame::Facts, Blame::Rules];
            let Some((parts, is_smallest)) = explain::cause_among(&blamed, &program.clone().into(), &settings, stop)?
            else {
                return Ok((false, Vec::new()));
            };
            let words = match (parts.len(), is_smallest) {
                (1, _) => "there is no answer, because of this".to_owned(),
                (number, true) => format!("there is no answer: these {number} contradict each other, and no fewer do"),
                (number, false) => format!("there is no answer: these {number} contradict each other"),
            };
            (words, parts)
        }
    };
    let places = parts.into_iter().filter_map(|part| Some(part.place?.label(part.words.to_string()))).collect();
    Ok((false, vec![Diagnostic { labels: places, ..Diagnostic::warning(Code::NoAnswer, words) }]))
}

/// Returns the rules that never fire with this board, and the constraints that never bite.
fn unused_items(program: &Program, name: &str, stop: &CancelToken) -> Result<Vec<Diagnostic>, Failure> {
    let facts: String = program.facts.iter().map(|&fact| format!("{}.\n", to_text(fact))).collect();
    let (mut documents, mut rest): (Vec<Document>, Vec<Document>) =
        program.documents().cloned().partition(|document| document.name == name);
    let Some(first) = documents.first_mut() else { return Ok(Vec::new()) };
    let test = format!("{}\n#program test_board(base).\n", first.text);
    *first = Document::in_memory(&*first.name, test);
    rest.push(Document::in_memory("<board>", facts));
    documents.extend(rest);
    let suite = Suite::of(&Program::of(documents))?;
    let Some(test) = suite.tests().iter().position(|test| test.name.ends_with("board")) else { return Ok(Vec::new()) };
    let levels = coverage::of_test(&suite, test, &Settings::default(), stop)?;
    if stop.requested().is_some() {
        return Ok(Vec::new());
    }
    let mut coverage = Coverage::default();
    coverage.register(&suite);
    coverage.add(&suite, &levels);
    let items = coverage.files().into_iter().filter(|(file, _)| *file == name).flat_map(|(_, items)| items);
    let unused_items = items.filter(|item| item.tests > 0 && item.used == 0).map(|item| {
        let words = match item.kind {
            ItemKind::Rule => "this rule never fires",
            ItemKind::Constraint => "this constraint forbids nothing that the others allow",
            ItemKind::Bounds => "these bounds forbid nothing that the others allow",
        };
        Diagnostic::info(Code::UnusedRule, format!("with this board {words}")).at(Some(item.place.clone()))
    });
    Ok(unused_items.collect())
}
