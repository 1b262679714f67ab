//! Errors in the command line: what clap's messages leave out.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use base::words::did_you_mean;
use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use puzzle::AnyPuzzle;

use super::puzzles::{groups, registry, section, solving_command};

/// Help for users of the clingo command, whose options differ.
pub const CLINGO_COMMAND: &str =
    "clingo's own command is `asp-solve clingo …`; `--clingo=OPTION` passes one of its options on";

/// clingo's options that have another name here: the option, its value ("" for any), and ours.
const EQUIVALENTS: [(&str, &str, &str); 16] = [
    ("--outf", "2", "-f clingo-json"),
    ("--outf", "3", "-q"),
    ("--outf", "", "-f asp"),
    ("-V", "0", "-q"),
    ("-V", "", "-v"),
    ("--verbose", "0", "-q"),
    ("--verbose", "", "-v"),
    ("-q", "", "-q, which prints only the verdict"),
    ("--quiet", "", "-q, which prints only the verdict"),
    ("--stats", "", "--stats, without a value"),
    ("--project", "", "--project, which projects to the shown atoms"),
    ("--parallel-mode", "", "--threads N"),
    ("-W", "", "--clingo=--warn=NAME"),
    ("--text", "", "asp-solve clingo --text …"),
    ("--mode", "", "asp-solve clingo --mode=…"),
    ("--pre", "", "asp-solve clingo --pre …"),
];

/// clingo's options that only `--clingo` passes on.
const CLINGO_OPTIONS: [&str; 42] = [
    "--allow-negative-lits",
    "--backprop",
    "--block-restarts",
    "--configuration",
    "--contraction",
    "--counter-restarts",
    "--del-cfl",
    "--del-glue",
    "--del-init",
    "--deletion",
    "--dom-mod",
    "--eq",
    "--fast-exit",
    "--heuristic",
    "--init-moms",
    "--init-watches",
    "--keep-facts",
    "--learn-explicit",
    "--lookahead",
    "--loops",
    "--opt-heuristic",
    "--opt-stop",
    "--opt-strategy",
    "--opt-usc-shrink",
    "--partial-check",
    "--rand-freq",
    "--rand-prob",
    "--restart-on-model",
    "--restarts",
    "--reset-restarts",
    "--reverse-arcs",
    "--sat-prepro",
    "--save-progress",
    "--seed",
    "--shuffle",
    "--sign-def",
    "--strengthen",
    "--supp-models",
    "--trans-ext",
    "--update-lbd",
    "--vsids-progress",
    "--warn",
];

/// Returns what to write for an option of clingo; `words` begin with it.
fn equivalent(words: &[&str]) -> Option<String> {
    let (&word, rest) = words.split_first()?;
    let (option, value) = match word.split_once('=') {
        Some((option, value)) => (option, value),
        None if word.starts_with("--") => (word, rest.first().copied().unwrap_or_default()),
        None => word.split_at(word.len().min(2)),
    };
    let is_same = |known: &&(&str, &str, &str)| known.0 == option && (known.1.is_empty() || known.1 == value);
    let ours = EQUIVALENTS.iter().find(is_same).map(|known| known.2.to_owned());
    let is_passed_on = CLINGO_OPTIONS.contains(&option);
    let value = if word.contains('=') { "" } else { "=…" };
    let ours = ours.or_else(|| is_passed_on.then(|| format!("--clingo={word}{value}")));
    ours.map(|ours| format!("for clingo's {word} write {ours}"))
}

/// Returns true for an option that clingo has too, with another meaning. `option` may be followed by
/// the name of its value.
pub fn is_of_clingo(option: &str) -> bool {
    matches!(option.split([' ', '=']).next(), Some("--configuration" | "--heuristic"))
}

/// Adds what helps with an error of clap.
pub fn explain(mut error: clap::Error, arguments: &[OsString], command: &Command) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(error) = misplaced_command(arguments, command)
    {
        return error;
    }
    if let Some(tool) = arguments.get(1).and_then(|word| word.to_str()) {
        match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
            (ErrorKind::MissingSubcommand, _) => return missing_puzzle(tool),
            (_, Some(ContextValue::String(name))) if ["generate", "play"].contains(&tool) => {
                return without_tool(tool, name);
            }
            _ => {}
        }
    }
    // The nearest name helps more than the list of all names.
    let has_suggestion = error.get(ContextKind::SuggestedValue).is_some();
    let lists_values = error.get(ContextKind::ValidValue).is_some();
    if has_suggestion {
        error.remove(ContextKind::ValidValue);
    }
    let is_of_command = arguments.get(1).is_some_and(|word| word != "solve" && command.find_subcommand(word).is_some());
    // Other errors are not about what clingo has, and the list of values is help enough.
    // Only `--seed` requires `--sample`.
    let lacks_sample = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::Strings(required)) if required.iter().any(|argument| argument == "--sample")
    );
    let refused = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.clone(),
        _ => String::new(),
    };
    let may_be_clingos = match error.kind() {
        ErrorKind::MissingRequiredArgument => lacks_sample,
        ErrorKind::UnknownArgument | ErrorKind::TooManyValues => true,
        ErrorKind::InvalidValue => !lists_values || is_of_clingo(&refused),
        _ => false,
    };
    if !may_be_clingos || is_of_command {
        return error;
    }
    // clap reports `-q1` as `-1` only.
    let letter = refused.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
    let contains_letter = |word: &&str| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        is_short && word.get(2..).zip(letter).is_some_and(|(rest, letter)| rest.contains(letter))
    };
    if let Some(word) = arguments.iter().skip(1).filter_map(|word| word.to_str()).find(contains_letter) {
        error.insert(ContextKind::InvalidArg, ContextValue::String(word.to_owned()));
    }
    let words: Vec<&str> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
    let refused = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.split(' ').next().unwrap_or_default().to_owned(),
        _ if lacks_sample => "--seed".to_owned(),
        _ => String::new(),
    };
    let at = words.iter().position(|word| !refused.is_empty() && word.starts_with(&refused));
    let tips: Vec<StyledStr> = match at.and_then(|at| equivalent(&words[at..])) {
        Some(tip) => {
            error.remove(ContextKind::SuggestedArg);
            error.remove(ContextKind::SuggestedValue);
            vec![tip.into(), CLINGO_COMMAND.into()]
        }
        None if has_suggestion => Vec::new(),
        None => vec![CLINGO_COMMAND.into()],
    };
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// Returns the error of `generate` or `play` without a puzzle: it lists the puzzles in groups.
fn missing_puzzle(tool: &str) -> clap::Error {
    let mut text = format!("expected a puzzle: asp-solve {tool} PUZZLE\n");
    for (heading, entries) in groups() {
        let names: Vec<&str> = with_tool(entries, tool).collect();
        if !names.is_empty() {
            text += &format!("\n{}", section(heading, &names));
        }
    }
    text += &format!("\nasp-solve {tool} PUZZLE --help has the options of a puzzle.\n");
    clap::Error::raw(ErrorKind::MissingSubcommand, text)
}

/// Returns the error of `generate` or `play` for a name that is none of its puzzles.
fn without_tool(tool: &str, name: &str) -> clap::Error {
    if tool == "play"
        && let Some(entry) = registry().by_any_name(name)
    {
        return no_bot(name, &**entry);
    }
    // Some puzzles have no generator, and their files give the reason.
    let clues = registry().by_name(name).and_then(|entry| entry.about().more.iter().find(|(word, _)| *word == "clues"));
    let text = match clues {
        Some((_, clues)) => {
            let reason = clues.join(" ");
            format!("{name}: no boards are generated: {}\n", reason.trim_start_matches("none:").trim())
        }
        None => {
            let near = did_you_mean(name, with_tool(registry().all(), tool));
            format!("{tool} {name}: there is no such puzzle{near}\n\n`asp-solve {tool}` lists the puzzles.\n")
        }
    };
    clap::Error::raw(ErrorKind::InvalidSubcommand, text)
}

/// Returns the error of `play` for a puzzle without a bot: the user probably wants to play it.
fn no_bot(name: &str, entry: &dyn AnyPuzzle) -> clap::Error {
    let bots: Vec<&str> = with_tool(registry().all(), "play").collect();
    let puzzle = entry.name();
    let text = format!(
        "play {name}: `play` lets a bot play, and it plays only {}\n\nTo play {puzzle} yourself:\n  \
         asp-solve examples {puzzle} | asp-solve - -f html > {puzzle}.html\n  asp-solve studio\n",
        bots.join(", ")
    );
    clap::Error::raw(ErrorKind::InvalidSubcommand, text)
}

/// The names of the puzzles that have a tool.
fn with_tool<'a>(entries: &'static [Arc<dyn AnyPuzzle>], tool: &'a str) -> impl Iterator<Item = &'static str> + 'a {
    let has_tool = move |entry: &&Arc<dyn AnyPuzzle>| entry.tools().iter().any(|known| known.name() == tool);
    entries.iter().filter(has_tool).map(|entry| entry.name())
}

/// Returns an error if options precede the name of a command.
fn misplaced_command(arguments: &[OsString], command: &Command) -> Option<clap::Error> {
    arguments.get(1).filter(|word| word.as_encoded_bytes().starts_with(b"-"))?;
    let is_command = |word: &&str| command.find_subcommand(word).is_some() && !Path::new(word).exists();
    let name = arguments.iter().skip(2).filter_map(|word| word.to_str()).find(is_command)?;
    let text = format!("the command {name} comes first, its options follow: asp-solve {name} …\n");
    Some(clap::Error::raw(ErrorKind::ArgumentConflict, text))
}

/// Rejects options of clingo such as `-V0` and `-h3`: clap would act on the flag and ignore the
/// rest of the line.
pub fn reject_glued_flags(arguments: &[OsString], command: &Command) -> Result<(), clap::Error> {
    let is_glued = |word: &&OsString| matches!(word.as_encoded_bytes(), [b'-', b'V' | b'h', b'0'..=b'9' | b'=', ..]);
    let Some(glued) = arguments.iter().skip(1).take_while(|word| *word != "clingo").find(is_glued) else {
        return Ok(());
    };
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(glued.to_string_lossy().into_owned()));
    Err(explain(error, arguments, command))
}

/// Rejects a file that does not exist, if its name is that of a command behind options, or similar
/// to one.
pub fn reject_command_name(file: &Path, arguments: &[OsString], command: &Command) -> Result<(), clap::Error> {
    let Some(name) = file.to_str().filter(|name| !file.exists() && !pencil::is_link_or_id(name)) else {
        return Ok(());
    };
    misplaced_command(arguments, command).map_or(Ok(()), Err)?;
    let text = if let Some(entry) = registry().by_any_name(name) {
        let puzzle = entry.name();
        let solve = solving_command(&**entry).map_or(String::new(), |command| format!("  {command}\n"));
        format!(
            "{name} is a puzzle, not a file. To see a board and how to solve it:\n  asp-solve list {puzzle}\n{solve}"
        )
    } else {
        let suggestion = did_you_mean(name, command.get_subcommands().map(Command::get_name));
        if suggestion.is_empty() {
            return Ok(());
        }
        format!("{name}{suggestion}: no such command or file\n")
    };
    Err(clap::Error::raw(ErrorKind::InvalidValue, text))
}
