//! Hints for users of the clingo command whose options are rejected.
//!
//! There is no list of clingo's options here: each hint is tested by running clingo.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{args, subprocess};
use crate::asp;
use crate::diagnostic::Diagnostic;
use crate::puzzle;

/// Adds to an error the option or command line with which clingo does what is rejected here, if
/// clingo accepts it.
pub fn add_hints(mut error: clap::Error) -> clap::Error {
    // Some puzzles have no generator, and their files give the reason.
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(about) = puzzle::by_name(name).map(|entry| entry.about())
        && let Some((_, clues)) = about.more.iter().find(|(word, _)| *word == "clues")
    {
        let reason = clues.join(" ");
        let text = format!("{name}: no boards are generated: {}\n", reason.trim_start_matches("none:").trim());
        return clap::Error::raw(ErrorKind::InvalidSubcommand, text);
    }
    // The nearest name helps more than the list of all names.
    if error.get(ContextKind::SuggestedValue).is_some() {
        error.remove(ContextKind::ValidValue);
    }
    // A missing argument has nothing to do with clingo.
    if error.kind() == ErrorKind::MissingRequiredArgument || !error.use_stderr() {
        return error;
    }
    let refused = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.split([' ', '=']).next().unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    // clap reports `-q1` as `-1` only.
    let letter = refused.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
    let contains_letter = |word: &String| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        is_short && word.get(2..).zip(letter).is_some_and(|(rest, letter)| rest.contains(letter))
    };
    if let Some(word) = env::args_os().skip(1).filter_map(|word| word.into_string().ok()).find(contains_letter) {
        error.insert(ContextKind::InvalidArg, ContextValue::String(word));
    }
    // A constant that is invalid here is invalid for clingo too.
    let hints = if refused == "--const" { Vec::new() } else { hints(&refused) };
    if !hints.is_empty() {
        let hints = hints.into_iter().map(Into::into).collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(hints));
    }
    error
}

/// Adds to a diagnostic the hints of `add_hints`, for errors that occur after the command line was
/// parsed.
pub fn with_hints(diagnostic: Diagnostic, refused: &str) -> Diagnostic {
    let advice = hints(refused);
    if advice.is_empty() { diagnostic } else { diagnostic.help(advice.join("; ")) }
}

/// Returns replacements of the rejected option and of the whole command line that clingo accepts.
fn hints(refused: &str) -> Vec<String> {
    let Ok(line) = args::move_options_after_subcommand(&args::command(), env::args_os().collect()) else {
        return Vec::new();
    };
    let line = &line[line.len().min(1)..];
    if line.first().is_some_and(|word| args::command().find_subcommand(word).is_some()) {
        return Vec::new();
    }
    let pass_through =
        pass_through_option(line, refused).map(|option| format!("--clingo={option} passes it on to clingo"));
    let whole = clingo_accepts(line).then(|| {
        let line: Vec<_> = line.iter().map(|word| shell_quoted(&word.to_string_lossy())).collect();
        format!("clingo's own command takes it: asp-solve clingo {}", line.join(" "))
    });
    pass_through.into_iter().chain(whole).collect()
}

/// Returns the rejected option with its value, if clingo's library has it.
fn pass_through_option(line: &[OsString], refused: &str) -> Option<String> {
    // The library accepts gringo's output formats but writes nothing in them.
    let is_option = refused.starts_with("--") && refused != "--output";
    let is_refused = |word: &str| is_option && word.split('=').next() == Some(refused);
    let at = line.iter().position(|word| word.to_str().is_some_and(is_refused))?;
    let option = line[at].to_str()?;
    let with_next = line.get(at + 1).and_then(|value| value.to_str()).map(|value| format!("{option}={value}"));
    [Some(option.to_owned()), with_next]
        .into_iter()
        .flatten()
        .find(|option| asp::accepts_option(option))
        .as_deref()
        .map(shell_quoted)
}

/// Returns true if the clingo command accepts the line. With `--version` it parses the whole line
/// before it prints its version.
fn clingo_accepts(line: &[OsString]) -> bool {
    // `-f` is a file for clingo and a format here.
    let has_format = line.iter().any(|word| word.as_encoded_bytes().starts_with(b"-f"));
    let run = |mut command: Command| command.args(["clingo", "--version"]).args(line).status();
    !has_format && subprocess::this_program().and_then(run).is_ok_and(|status| status.success())
}

/// Quotes a word for the shell if necessary.
fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=./:,+@%".contains(c);
    let is_plain = word.chars().all(is_plain) && !word.is_empty();
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Rejects options of clingo such as `-V0` and `-h3`: clap would act on the flag and ignore the
/// rest of the line.
pub fn reject_glued_flags(arguments: &[OsString]) -> Result<(), clap::Error> {
    let is_glued = |word: &&OsString| matches!(word.as_encoded_bytes(), [b'-', b'V' | b'h', b'0'..=b'9' | b'=', ..]);
    let Some(glued) = arguments.iter().skip(1).take_while(|word| *word != "clingo").find(is_glued) else {
        return Ok(());
    };
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(&args::command());
    error.insert(ContextKind::InvalidArg, ContextValue::String(glued.to_string_lossy().into_owned()));
    Err(error)
}
