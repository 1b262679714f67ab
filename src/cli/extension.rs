//! The format of an output file by its extension, if `--format` is not given.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

/// The extensions that choose a format: that of the same name.
const EXTENSIONS: [&str; 6] = ["svg", "png", "html", "json", "dot", "sarif"];

/// Returns the arguments with the format that the extension of the output file chooses, or `None`
/// if it chooses none.
///
/// # Errors
/// The command cannot write that format.
pub fn with_format(
    arguments: &[OsString],
    matches: &ArgMatches,
    command: &Command,
) -> Result<Option<Vec<OsString>>, clap::Error> {
    let (mut inner, mut command, mut depth) = (matches, command, 0);
    while let Some((name, next)) = inner.subcommand() {
        let Some(found) = command.find_subcommand(name) else { return Ok(None) };
        (inner, command, depth) = (next, found, depth + 1);
    }
    let Some(option) = command.get_arguments().find(|argument| argument.get_id() == "format") else { return Ok(None) };
    // A batch always writes JSON.
    let is_batch = matches!(inner.try_get_one::<bool>("batch"), Ok(Some(true)));
    if is_batch || inner.value_source("format") != Some(ValueSource::DefaultValue) {
        return Ok(None);
    }
    let Ok(Some(path)) = inner.try_get_one::<PathBuf>("output") else { return Ok(None) };
    let extension = path.extension().unwrap_or_default();
    let Some(format) = EXTENSIONS.into_iter().find(|known| extension.eq_ignore_ascii_case(known)) else {
        return Ok(None);
    };
    let known = option.get_possible_values();
    if !known.iter().any(|value| value.matches(format, false)) {
        let names: Vec<&str> = known.iter().map(clap::builder::PossibleValue::get_name).collect();
        let (path, names) = (path.display(), names.join(", "));
        let text = format!(
            "--output {path}: the format {format} is not one of this command: {names}; with -f, any name is possible\n"
        );
        return Err(clap::Error::raw(ErrorKind::InvalidValue, text));
    }
    let mut arguments = arguments.to_vec();
    // All words before the options of a subcommand are its name and those of the commands around it.
    arguments.insert(depth + 1, format!("--format={format}").into());
    Ok(Some(arguments))
}
