//! Tips for users of the clingo command whose options are refused.
//!
//! No list of clingo's options: clingo is asked whether it takes one.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{args, child};
use crate::asp;
use crate::diagnostic::Diagnostic;
use crate::puzzle;

/// The error with words on how to have from clingo what is refused here, if clingo has it.
pub fn advise(mut error: clap::Error) -> clap::Error {
    // Of some puzzles no boards are made, and their files say why.
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(about) = puzzle::named(name).map(|entry| entry.about())
        && let Some((_, clues)) = about.more.iter().find(|(word, _)| *word == "clues")
    {
        let reason = clues.join(" ");
        let text = format!("{name}: no boards are generated: {}\n", reason.trim_start_matches("none:").trim());
        return clap::Error::raw(ErrorKind::InvalidSubcommand, text);
    }
    // A near name says more than all that are known.
    if error.get(ContextKind::SuggestedValue).is_some() {
        error.remove(ContextKind::ValidValue);
    }
    // What is missing is no habit.
    if error.kind() == ErrorKind::MissingRequiredArgument || !error.use_stderr() {
        return error;
    }
    let refused = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.split([' ', '=']).next().unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    // Of `-q1` clap names the `-1` alone.
    let letter = refused.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
    let is_whole = |word: &String| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        is_short && word.get(2..).zip(letter).is_some_and(|(rest, letter)| rest.contains(letter))
    };
    if let Some(word) = env::args_os().skip(1).filter_map(|word| word.into_string().ok()).find(is_whole) {
        error.insert(ContextKind::InvalidArg, ContextValue::String(word));
    }
    // What is no constant here is none for clingo.
    let advice = if refused == "--const" { Vec::new() } else { advice(&refused) };
    if !advice.is_empty() {
        let advice = advice.into_iter().map(Into::into).collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(advice));
    }
    error
}

/// The same for an error that is found later than on the command line.
pub fn helped(diagnostic: Diagnostic, refused: &str) -> Diagnostic {
    let advice = advice(refused);
    if advice.is_empty() { diagnostic } else { diagnostic.help(advice.join("; ")) }
}

/// What to write instead of the refused option, or of the whole line, if clingo takes it.
fn advice(refused: &str) -> Vec<String> {
    let Ok(line) = args::in_order(&args::command(), env::args_os().collect()) else { return Vec::new() };
    let line = &line[line.len().min(1)..];
    if line.first().is_some_and(|word| args::command().find_subcommand(word).is_some()) {
        return Vec::new();
    }
    let passed = passed_on(line, refused).map(|option| format!("--clingo={option} passes it on to clingo"));
    let whole = takes(line).then(|| {
        let line: Vec<_> = line.iter().map(|word| quoted(&word.to_string_lossy())).collect();
        format!("clingo's own command takes it: asp-solve clingo {}", line.join(" "))
    });
    passed.into_iter().chain(whole).collect()
}

/// The refused option with its value, if it is one that the library has.
fn passed_on(line: &[OsString], refused: &str) -> Option<String> {
    // The library takes gringo's formats, and writes nothing in them.
    let is_option = refused.starts_with("--") && refused != "--output";
    let is_refused = |word: &str| is_option && word.split('=').next() == Some(refused);
    let at = line.iter().position(|word| word.to_str().is_some_and(is_refused))?;
    let option = line[at].to_str()?;
    let with_next = line.get(at + 1).and_then(|value| value.to_str()).map(|value| format!("{option}={value}"));
    [Some(option.to_owned()), with_next]
        .into_iter()
        .flatten()
        .find(|option| asp::takes_option(option))
        .as_deref()
        .map(quoted)
}

/// Whether the clingo command takes the line. It looks at all of it before it gives the version that is asked for here.
fn takes(line: &[OsString]) -> bool {
    // To clingo, a file; here, a format.
    let has_format = line.iter().any(|word| word.as_encoded_bytes().starts_with(b"-f"));
    let ask = |mut command: Command| command.args(["clingo", "--version"]).args(line).status();
    !has_format && child::this_program().and_then(ask).is_ok_and(|status| status.success())
}

/// As one types it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=./:,+@%".contains(c);
    let is_plain = word.chars().all(is_plain) && !word.is_empty();
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// `-V0` and `-h3` are clingo's: here these flags would end the run before anybody looks at what stands behind them.
pub fn refuse_glued(arguments: &[OsString]) -> Result<(), clap::Error> {
    let is_glued = |word: &&OsString| matches!(word.as_encoded_bytes(), [b'-', b'V' | b'h', b'0'..=b'9' | b'=', ..]);
    let Some(glued) = arguments.iter().skip(1).take_while(|word| *word != "clingo").find(is_glued) else {
        return Ok(());
    };
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(&args::command());
    error.insert(ContextKind::InvalidArg, ContextValue::String(glued.to_string_lossy().into_owned()));
    Err(error)
}
