//! `why` and `hint`: the reasons for what a run would say.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::args::{self, Hint, Reasons, Why};
use super::runner::Runner;
use super::writing::ended;
use super::{asked, input, limits, messages};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::job::Job;
use crate::report::{Format, Style};
use crate::stop::{Reason, Stop};
use crate::why::{Asks, Question, Told};
use crate::words::did_you_mean;

/// The smallest cause is looked for so long, unless somebody says how long; after twice that all is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tells why, and gives the exit code.
pub fn why(mut args: Why) -> i32 {
    if args.test.is_some() {
        // A test's program is whole.
        args.reasons.choice.puzzle = Some("program".to_owned());
    }
    let about = args.reasons.about();
    let question = Question {
        asks: about.map_or(Asks::Nothing, Asks::About),
        blame: std::mem::take(&mut args.blame),
        causes: args.causes.unwrap_or(1),
        fix: args.fix,
        weights: std::mem::take(&mut args.weight),
        ..Question::default()
    };
    answer(args.reasons, args.test, question)
}

/// Tells what can be found next, and gives the exit code.
pub fn hint(args: Hint) -> i32 {
    answer(args.reasons, None, Question { asks: Asks::Steps { all: args.steps }, ..Question::default() })
}

fn answer(reasons: Reasons, test: Option<String>, mut question: Question) -> i32 {
    let format = reasons.printed.format;
    let solve = reasons.solve();
    let is_hint = matches!(question.asks, Asks::Steps { .. });
    let list = if is_hint { "steps" } else { "causes" };
    question.format = format;
    question.style = Style { verbose: solve.verbose, ..solve.common.style() };
    let limit = solve.common.time_limit.map(Duration::from_secs_f64);
    // Steps that were found by then are told.
    let patience = if is_hint { (2 * PATIENCE).mul_f64(0.8) } else { PATIENCE };
    question.deadline = Instant::now().checked_add(limit.map_or(patience, |limit| limit.mul_f64(0.8)));
    input::remember_named(&solve.files);
    let mut limits = limits(&solve);
    limits.time.get_or_insert(2 * PATIENCE);
    let mut runner = Runner::new(limits, !solve.common.quiet);
    let own = solve.clone();
    let work = move |read: &mut Vec<Document>, stop: &Stop| told(&own, read, test.as_deref(), question, stop);
    match runner.attend(work, || None) {
        (Ok(Ok(told)), read) => tell(&solve, &read, format, &told),
        (Ok(Err(reason)), _) => {
            let json = serde_json::json!({ "schema": 1, "verdict": "gave-up", list: [] });
            let told = Told { json, verdict: Some(Verdict::GaveUp(reason)), ..Told::default() };
            match format {
                Format::Json => tell(&solve, &[], format, &told),
                _ => gave_up(&solve, reason),
            }
        }
        (Err(failure), read) => solve.common.writing.fail(&failure, &read),
    }
}

fn told(
    args: &args::Solve,
    read: &mut Vec<Document>,
    test: Option<&str>,
    question: Question,
    stop: &Stop,
) -> Result<Told, Failure> {
    *read = match test {
        Some(test) => of_test(args, read, test, stop)?,
        None => super::read(&args.files, stop)?,
    };
    let (entry, job) = asked(args, read, stop)?;
    entry.open(Job { format: Format::Text, ..job })?.why(&question)
}

/// The program of a test.
fn of_test(args: &args::Solve, read: &mut Vec<Document>, name: &str, stop: &Stop) -> Result<Vec<Document>, Failure> {
    let [file, beside @ ..] = &args.files[..] else { return Ok(Vec::new()) };
    let suite =
        super::test::suite(file, beside, args.program.folder.path(), stop).map_err(|(failure, documents)| {
            *read = documents;
            failure
        })?;
    let Some(number) = suite.tests().iter().position(|test| test.name == name) else {
        let names: Vec<&str> = suite.tests().iter().map(|test| test.name.as_str()).collect();
        let near = did_you_mean(name, names.iter().copied());
        let text = format!("--test {name}{near}: no test of {} is called so", file.display());
        return Err(Diagnostic::error(text).help(format!("there are {}", names.join(", "))).into());
    };
    Ok(suite.program(number).instance)
}

fn tell(args: &args::Solve, documents: &[Document], format: Format, told: &Told) -> i32 {
    let text = match format {
        Format::Json => format!("{:#}\n", told.json),
        Format::Html | Format::Svg => match if format == Format::Html { &told.html } else { &told.svg } {
            Some(html_or_svg) => html_or_svg.clone(),
            None => {
                let what = if format == Format::Html { "html: there is no page" } else { "svg: there is no picture" };
                let error = Diagnostic::error(format!("--format {what} for this"));
                return args.common.writing.fail(&error.into(), documents);
            }
        },
        _ => told.text.clone(),
    };
    args.common.warn(&told.warnings, documents);
    args.common.writing.conclude(&text, || match told.verdict.unwrap_or(Verdict::Solved) {
        Verdict::GaveUp(reason) => gave_up(args, reason),
        verdict => ended(verdict),
    })
}

fn gave_up(args: &args::Solve, reason: Reason) -> i32 {
    let code = ended(Verdict::GaveUp(reason));
    if reason == Reason::TimeLimit && args.common.time_limit.is_none() && !args.common.quiet {
        messages::say("--time-limit SECONDS gives it more time");
    }
    code
}

impl Reasons {
    /// The last word, if it names no file: what the question is about.
    fn about(&mut self) -> Option<String> {
        let is_file = |path: &PathBuf| path == Path::new("-") || path.exists() || input::is_written_out(path);
        let last = self.files.pop_if(|path| !is_file(path))?;
        if self.files.is_empty() {
            self.files.push(last);
            return None;
        }
        Some(last.to_string_lossy().into_owned())
    }

    fn solve(self) -> args::Solve {
        let Reasons { files, choice, program, memory, verbose, common, .. } = self;
        args::Solve { files, choice, program, memory, verbose, common, ..args::Solve::default() }
    }
}
