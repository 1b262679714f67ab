//! Parsers of option values.

use std::ffi::OsStr;
use std::path::PathBuf;

use asp::Signature;
use base::diagnostic::Code;
use clap::builder::{PathBufValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, ValueEnum};
use puzzle::Format;

use super::puzzles::{registry, similar_puzzles};

/// Parses the name of a puzzle, or one of its aliases in links and titles.
#[derive(Debug, Clone)]
pub struct PuzzleName;

impl TypedValueParser for PuzzleName {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        if let Some(entry) = value.to_str().and_then(|name| registry().by_any_name(name)) {
            return Ok(entry.name().to_owned());
        }
        let name = value.to_string_lossy();
        let option = arg.and_then(Arg::get_long).map_or(String::new(), |option| format!("--{option} {name}: "));
        let similar = similar_puzzles(&name);
        let near = if similar.is_empty() { String::new() } else { format!(" (did you mean {}?)", similar.join(", ")) };
        let count = registry().all().len();
        let text = format!("{option}there is no puzzle {name}{near}\n\n`asp-solve list` shows all {count} puzzles.\n");
        Err(clap::Error::raw(ErrorKind::InvalidValue, text).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(registry().all().iter().map(|entry| PossibleValue::new(entry.name()))))
    }
}

/// Parses the name of an output file. The name of a format is rejected, because it was probably
/// meant for `--format`.
pub fn output_path() -> impl TypedValueParser<Value = PathBuf> {
    /// The formats of gringo's `--output`.
    const GRINGO_FORMATS: [&str; 4] = ["intermediate", "text", "reify", "smodels"];
    PathBufValueParser::new().try_map(|path| {
        let name = path.to_str().unwrap_or_default();
        let known_format = Format::from_str(name, false).map(|_| format!("use --format {name} for the format"));
        match known_format.or_else(|_| {
            GRINGO_FORMATS
                .iter()
                .find(|known| **known == name)
                .map(|_| "this is a format of gringo".to_owned())
                .ok_or(())
        }) {
            Ok(words) => Err(format!("{words}; use --output ./{name} for a file of that name")),
            Err(()) => Ok(path),
        }
    })
}

pub fn weight(text: &str) -> Result<(Signature, u32), String> {
    let expected = || "expected p/2=3: a predicate, and the cost of giving up one of its facts".to_owned();
    let (predicate, weight) = text.split_once('=').ok_or_else(expected)?;
    match (predicate.parse(), weight.parse()) {
        // clingo adds weights in 32 bits.
        (Ok(predicate), Ok(weight)) if weight <= 1_000_000 => Ok((predicate, weight)),
        (Ok(_), Ok(_)) => Err("expected a weight of at most 1,000,000".to_owned()),
        _ => Err(expected()),
    }
}

pub fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a number of answers, 0 for all".to_owned())
}

pub fn seconds(text: &str) -> Result<f64, String> {
    /// About a century; more seconds could overflow a clock.
    const MAX_SECONDS: f64 = 3e9;
    text.parse()
        .ok()
        .filter(|seconds: &f64| !seconds.is_nan() && *seconds >= 0.0)
        .map(|seconds| seconds.min(MAX_SECONDS))
        .ok_or("expected a number of seconds".to_owned())
}

/// Parses the scale of a picture in pixels.
pub fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale: &f64| (0.05..=100.0).contains(scale));
    scale.ok_or("expected a number from 0.05 to 100".to_owned())
}

pub fn constant(text: &str) -> Result<(String, String), String> {
    let wrong = || "expected NAME=VALUE, such as n=3".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let is_name = name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
    if !is_name {
        return Err(wrong());
    }
    // clingo would silently wrap the number.
    if value.parse::<i128>().is_ok_and(|number| i32::try_from(number).is_err()) {
        return Err(format!("{value} has more than 32 bits"));
    }
    if asp::syntax::nesting_depth(value) > asp::MAX_NESTING || asp::parse_term(value).is_none() {
        return Err(format!("{value} is not a term"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// The names of clingo's warnings.
const CLINGO_WARNINGS: [&str; 5] =
    ["atom-undefined", "file-included", "global-variable", "operation-undefined", "other"];

pub fn warning(value: &str) -> Result<String, String> {
    let name = value.strip_prefix("no-").unwrap_or(value);
    let mut names = asp::LINTS.into_iter().map(Code::name).chain(CLINGO_WARNINGS);
    let is_known = matches!(value, "none" | "all") || names.any(|known_name| known_name == name);
    is_known.then(|| value.to_owned()).ok_or_else(|| format!("expected none, all or one of {}", warning_names()))
}

fn warning_names() -> String {
    [&asp::LINTS.map(Code::name)[..], &CLINGO_WARNINGS].concat().join(", ")
}

pub fn warnings_help() -> String {
    format!("Silence warnings about the program: none, or no- before one of {}", warning_names())
}
