//! `asp-solve merge`: merges the reports of many runs, using the tool that wrote them.

use std::path::PathBuf;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::Verdict;
use base::stop::CancelToken;
use puzzle::{Format, merging};
use serde_json::Value;

use super::args::Merge;
use super::input;
use super::messages::verdict_exit_code;
use super::puzzles::registry;

/// Prints the merged report and returns the exit code.
pub fn merge(args: &Merge) -> i32 {
    match merge_reports(args) {
        Ok((text, code)) => args.output_args.conclude(&text, || code),
        Err(failure) => args.output_args.fail(&failure, &[]),
    }
}

fn merge_reports(args: &Merge) -> Result<(String, i32), Failure> {
    let wrong = |text: String| Failure::from(Diagnostic::error(Code::InvalidReport, text));
    let reports = read_reports(&args.files, &CancelToken::new())?;
    if reports.iter().any(|(_, report)| merging::is_of_cube(report)) {
        let merged = merging::merge_cubes(&reports)?;
        let text = match args.format_args.format {
            Format::Json => format!("{:#}\n", merged.json()),
            _ => merged.text(),
        };
        let code = match merged.verdict() {
            // The text contains the reason.
            Verdict::GaveUp(_) => 3,
            verdict => verdict_exit_code(verdict),
        };
        return Ok((text, code));
    }
    let (name, first) = &reports[0];
    let puzzle = first["puzzle"].as_str().and_then(|name| registry().by_name(name));
    let tools = puzzle.map(|entry| entry.tools()).unwrap_or_default();
    let merged = tools.iter().find_map(|tool| tool.merge(&reports, args.format_args.format));
    let merged = merged.unwrap_or_else(|| {
        Err(wrong(format!("{name}: \"puzzle\" is {}, which has no reports to merge", first["puzzle"])))
    });
    Ok((merged?, 0))
}

/// Reads the reports of files, each with a name for messages.
pub fn read_reports(files: &[PathBuf], stop: &CancelToken) -> Result<Vec<(String, Value)>, Failure> {
    let mut reports = Vec::new();
    for document in input::read_all(files, stop)? {
        let before = reports.len();
        reports.extend(reports_of(&document)?);
        if reports.len() == before {
            let text = format!("{}: contains no report", document.name);
            return Err(Diagnostic::error(Code::InvalidReport, text).into());
        }
    }
    Ok(reports)
}

/// Returns the reports of a file, each named by the file, and by its number if there are several.
fn reports_of(document: &Document) -> Result<Vec<(String, Value)>, Failure> {
    let parsed: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(&document.text).into_iter().collect();
    let parsed = parsed
        .map_err(|error| Diagnostic::error(Code::InvalidJson, format!("{}: invalid JSON: {error}", document.name)))?;
    let is_alone = parsed.len() == 1;
    let name = |number| {
        if is_alone { document.name.clone() } else { format!("{}, report {number}", document.name) }
    };
    Ok(parsed.into_iter().zip(1..).map(|(report, number)| (name(number), report)).collect())
}
