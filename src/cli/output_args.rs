//! Shared output handling: colours, messages, the output as a whole, and the exit code.

use std::io;
use std::path::{Path, PathBuf};

use anstream::stream::RawStream;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum};

use super::{args, messages, output};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::report::Format;

// (No doc comments on groups: clap would show them as a command's description.)
#[derive(Debug, Clone, Default, Args)]
pub struct OutputArgs {
    /// Write to a file, completely or not at all; - is standard output
    #[arg(short, long, value_name = "FILE", value_parser = args::output_path())]
    output: Option<PathBuf>,
    /// Colours in the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorWhen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Default, Args)]
pub struct FormatArgs {
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: Format,
}

/// Restricts the option `--format` to the formats `known`.
pub fn formats(option: Arg, known: &'static [Format]) -> Arg {
    // Commands that write an instance write it as a plan or as facts, so `text` and `asp` also have
    // these names.
    let value = move |format: &Format| {
        let value = format.to_possible_value()?;
        Some(match format {
            Format::Text if known.contains(&Format::Asp) => value.alias("plan"),
            Format::Asp => value.alias("facts"),
            _ => value,
        })
    };
    let parser = PossibleValuesParser::new(known.iter().filter_map(value));
    let is_named = move |format: &Format, name: &str| value(format).is_some_and(|value| value.matches(name, false));
    option.value_parser(
        parser
            .map(move |name| known.iter().copied().find(|format| is_named(format, &name)).expect("it is one of them")),
    )
}

impl OutputArgs {
    /// Returns the file to write, or `None` for standard output.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Returns true if the output is in colour.
    pub fn color(&self) -> bool {
        self.file().is_none() && self.wants_color(&io::stdout())
    }

    fn wants_color(&self, stream: &impl RawStream) -> bool {
        match self.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never,
        }
    }

    /// Returns the width of the terminal that the output goes to.
    pub fn width(&self) -> Option<usize> {
        self.file().is_none().then(output::width).flatten()
    }

    /// Prints messages on standard error, with the source lines that they refer to.
    pub fn print_messages(&self, diagnostics: &[Diagnostic], documents: &[Document]) {
        messages::print(diagnostics, documents, self.wants_color(&io::stderr()));
    }

    /// Prints a failure and returns its exit code. A failure without messages (a closed output) is
    /// no error.
    pub fn fail(&self, failure: &Failure, documents: &[Document]) -> i32 {
        self.print_messages(&failure.0, documents);
        if failure.0.is_empty() { 0 } else { 2 }
    }

    /// Writes a text atomically and returns the exit code: the value of `exit_code`, or 2 if
    /// writing fails.
    pub fn conclude(&self, text: &str, exit_code: impl FnOnce() -> i32) -> i32 {
        match output::write(self.file(), self.color(), text) {
            Err(failure) if !failure.0.is_empty() => self.fail(&failure, &[]),
            _ => exit_code(),
        }
    }
}

/// Returns the exit code of a verdict; prints the reason if the run gave up.
pub fn verdict_exit_code(verdict: Verdict) -> i32 {
    match verdict {
        Verdict::Solved => 0,
        Verdict::Impossible => 1,
        Verdict::GaveUp(reason) => messages::gave_up(reason),
    }
}
