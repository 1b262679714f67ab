//! `asp-solve merge`: reports of many runs, added up by the tool that made them.

use serde_json::Value;

use super::args::Merge;
use super::read;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::puzzle;
use crate::stop::Stop;

/// Prints the sum and gives the exit code.
pub fn merge(args: &Merge) -> i32 {
    match merged(args) {
        Ok(text) => args.writing.conclude(&text, || 0),
        Err(failure) => args.writing.fail(&failure, &[]),
    }
}

fn merged(args: &Merge) -> Result<String, Failure> {
    let wrong = |text: String| Failure::from(Diagnostic::error(text));
    let mut reports = Vec::new();
    for document in read(&args.files, &Stop::new())? {
        let before = reports.len();
        reports.extend(reports_of(&document)?);
        if reports.len() == before {
            return Err(wrong(format!("{}: there is no report", document.name)));
        }
    }
    let (name, first) = &reports[0];
    let makers = first["puzzle"].as_str().and_then(puzzle::named).map_or(&[][..], |entry| entry.tools());
    let merged = makers.iter().find_map(|tool| tool.merge(&reports, args.printed.format));
    merged.unwrap_or_else(|| {
        Err(wrong(format!("{name}: \"puzzle\" is {}, of which there are no reports to add", first["puzzle"])))
    })
}

/// Each with the name of its file, and its number where there are more.
fn reports_of(document: &Document) -> Result<Vec<(String, Value)>, Failure> {
    let parsed: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(&document.text).into_iter().collect();
    let parsed = parsed.map_err(|error| Diagnostic::error(format!("{}: is no JSON: {error}", document.name)))?;
    let is_alone = parsed.len() == 1;
    let name = |number| match is_alone {
        true => document.name.clone(),
        false => format!("{}, report {number}", document.name),
    };
    Ok(parsed.into_iter().zip(1..).map(|(report, number)| (name(number), report)).collect())
}
