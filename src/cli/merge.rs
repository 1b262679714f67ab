//! `asp-solve merge`: merges the reports of many runs, using the tool that wrote them.

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use serde_json::Value;

use super::args::Merge;
use super::input;
use super::puzzles::registry;

/// Prints the merged report and returns the exit code.
pub fn merge(args: &Merge) -> i32 {
    match merge_reports(args) {
        Ok(text) => args.output_args.conclude(&text, || 0),
        Err(failure) => args.output_args.fail(&failure, &[]),
    }
}

fn merge_reports(args: &Merge) -> Result<String, Failure> {
    let wrong = |text: String| Failure::from(Diagnostic::error(Code::InvalidReport, text));
    let mut reports = Vec::new();
    for document in input::read_all(&args.files, &CancelToken::new())? {
        let before = reports.len();
        reports.extend(reports_of(&document)?);
        if reports.len() == before {
            return Err(wrong(format!("{}: contains no report", document.name)));
        }
    }
    let (name, first) = &reports[0];
    let puzzle = first["puzzle"].as_str().and_then(|name| registry().by_name(name));
    let tools = puzzle.map(|entry| entry.tools()).unwrap_or_default();
    let merged = tools.iter().find_map(|tool| tool.merge(&reports, args.format_args.format));
    merged.unwrap_or_else(|| {
        Err(wrong(format!("{name}: \"puzzle\" is {}, which has no reports to merge", first["puzzle"])))
    })
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
