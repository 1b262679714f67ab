//! `why` and `hint`: the reasons for what a run would say.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::args::{self, Hint, Reasons, Why};
use super::runner::{End, Runner};
use super::{asked, fail, input, limits, messages, output, wants_color};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::job::Job;
use crate::report::{Format, Style};
use crate::stop::Stop;
use crate::why::{Asks, Question, Told};
use crate::words::did_you_mean;

/// The smallest cause is looked for so long, unless somebody says how long.
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
    let format = reasons.format;
    let solve = reasons.solve();
    let color_errors = wants_color(solve.common.color, &io::stderr());
    if !matches!(format, Format::Text | Format::Json | Format::Html) {
        let text = format!("--format {}: text, json or html was wanted", format.name());
        return messages::fail(&Diagnostic::error(text).into(), &[], color_errors);
    }
    let color = solve.common.output.is_none() && wants_color(solve.common.color, &io::stdout());
    let width = solve.common.output.is_none().then(output::width).flatten();
    question.format = format;
    question.style = Style { color, quiet: solve.common.quiet, verbose: solve.verbose, drawn: None, width };
    let limit = solve.common.time_limit.map(Duration::from_secs_f64);
    question.deadline = Instant::now().checked_add(limit.map_or(PATIENCE, |limit| limit.mul_f64(0.8)));
    input::remember_named(&solve.files);
    let mut runner = Runner::new(limits(&solve), !solve.common.quiet);
    let list = if matches!(question.asks, Asks::Steps { .. }) { "steps" } else { "causes" };
    let own = solve.clone();
    let work = move |stop: &Stop| {
        let mut read = Vec::new();
        let told = told(&own, &mut read, test.as_deref(), question, stop);
        (read, told, stop.requested())
    };
    match runner.run(work, || None) {
        End::Done((read, Ok(told), _)) => tell(&solve, &read, format, &told),
        End::Done((read, Err(failure), None)) => fail(&solve, &read, &failure),
        End::Done((_, Err(_), Some(reason))) | End::Abandoned(reason) => {
            let json = serde_json::json!({ "schema": 1, "verdict": "gave-up", list: [] });
            let told = Told { json, verdict: Some(Verdict::GaveUp(reason)), ..Told::default() };
            match format {
                Format::Json => tell(&solve, &[], format, &told),
                _ => messages::gave_up(reason),
            }
        }
        End::Failed(diagnostic) => messages::fail(&diagnostic.into(), &[], color_errors),
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
    let [file] = &args.files[..] else {
        return Err(Diagnostic::error("--test goes with one file, that of the test").into());
    };
    let suite = super::test::suite(file, args.program.folder.path(), stop).map_err(|(failure, documents)| {
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
        Format::Html => match &told.html {
            Some(html) => html.clone(),
            None => {
                let error = Diagnostic::error("--format html: there is no page for this");
                return fail(args, documents, &error.into());
            }
        },
        _ => told.text.clone(),
    };
    if !args.common.quiet {
        messages::print(&told.warnings, documents, wants_color(args.common.color, &io::stderr()));
    }
    output::conclude(args.common.output.as_deref(), args.common.color, &text, || match told.verdict {
        None | Some(Verdict::Solved) => 0,
        Some(Verdict::Impossible) => 1,
        Some(Verdict::GaveUp(reason)) => messages::gave_up(reason),
    })
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
