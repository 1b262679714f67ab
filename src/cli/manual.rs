//! Manual pages, for packagers.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::words::did_you_mean;
use clap::builder::{Resettable, StyledStr};
use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::groups::OutputArgs;
use super::{args, output};
use crate::builtin::EXAMPLES;

const NAME: &str = "asp-solve";
/// Date of the last change to the manual. The build date would make builds differ.
const DATE: &str = "2026-11-24";

pub fn manual(words: &[String], folder: Option<&Path>) -> i32 {
    let mut root = for_pages(args::command());
    root.build();
    let printed = match folder {
        Some(folder) => write_pages_into(&root, folder).map(|()| 0),
        None => page(&root, words).map(|page| {
            let code = OutputArgs::default().conclude(&page, || 0);
            if io::stdout().is_terminal() {
                // It helps only if it can be written.
                let _ = writeln!(io::stderr(), "{}", reading_hint(words));
            }
            code
        }),
    };
    printed.unwrap_or_else(|failure| OutputArgs::default().fail(&failure, &[]))
}

/// Says how to read a page that was printed at a terminal.
fn reading_hint(words: &[String]) -> String {
    let command: String = words.iter().flat_map(|word| [" ", word]).collect();
    format!("This is the source of the page; to read it: asp-solve man{command} | man -l -")
}

/// Removes the `help` subcommands, which need no pages, and marks what may be repeated.
fn for_pages(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_args(with_ellipsis).mut_subcommands(for_pages)
}

fn with_ellipsis(argument: Arg) -> Arg {
    let is_repeated = argument.is_positional() && matches!(argument.get_action(), ArgAction::Append);
    let name = argument.get_value_names().and_then(|names| names.first()).filter(|_| is_repeated);
    match name.map(|name| format!("{name}...")) {
        Some(name) => argument.value_name(name),
        None => argument,
    }
}

fn render_page(command: &Command) -> String {
    let mut page = Vec::new();
    // What stands below the options in the help has sections of its own.
    let plain = command.clone().after_help(Resettable::<StyledStr>::Reset);
    let man = Man::new(plain).date(DATE).source(concat!("asp-solve ", env!("CARGO_PKG_VERSION")));
    man.manual("asp-solve").render(&mut page).expect("memory takes all");
    // A line break next to a vertical space would leave two blank lines.
    let page = String::from_utf8_lossy(&page).replace(".br\n\n.br\n", "\n").replace(".br\n.sp\n.br\n", ".sp\n");
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]).text([roman(exit_status(command))]).control("SH", ["EXAMPLES"]);
    for (index, line) in examples(command).into_iter().enumerate() {
        if index > 0 {
            roff.control("br", []);
        }
        roff.text([roman(line)]);
    }
    format!("{page}{}", roff.to_roff())
}

/// Returns the exit codes of a command and their meanings.
fn exit_status(command: &Command) -> String {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let of_root = help.lines().next().and_then(|line| line.strip_prefix("Exit codes: "));
    let words = match command.get_display_name().unwrap_or(NAME).strip_prefix("asp-solve-") {
        None => of_root.expect("the help has the exit codes"),
        Some("list" | "examples" | "merge" | "studio" | "lsp" | "completions" | "man") => {
            "0 it worked, 2 bad input or usage."
        }
        Some("verify") => "0 the certificate proves its claim, 1 it is refused, 2 bad input or usage.",
        Some("compare") => "0 the same, 1 different, 2 bad input or usage, 3 no difference was found in the time.",
        Some("test") => "0 each test passed, 1 a test failed, 2 bad input or usage, 3 a test gave up.",
        Some("why") => "0 a cause was found, 1 nothing that may be blamed is one, 2 bad input or usage, 3 gave up.",
        Some("clingo") => "That of clingo (10, 20, 30, …).",
        Some(_) => "0 a result was found, 1 proven that there is none, 2 bad input or usage, 3 gave up.",
    };
    words.to_owned()
}

fn examples(command: &Command) -> Vec<String> {
    let name = command.get_display_name().unwrap_or(NAME);
    let has = |option: &str| command.get_arguments().any(|argument| argument.get_id() == option);
    let entry = EXAMPLES.iter().find(|(page, _)| *page == name || has(page));
    let (_, lines) = entry.expect("each command has examples");
    lines.iter().map(|line| line.replacen('*', command.get_name(), 1)).collect()
}

/// Renders the page of the command named by `words`: `generate rail` or `generate-rail`.
fn page(root: &Command, words: &[String]) -> Result<String, Failure> {
    let mut words = words.iter().flat_map(|word| word.split('-'));
    words
        .try_fold(root, |command, word| {
            command.find_subcommand(word).ok_or_else(|| {
                let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
                let suggestion = did_you_mean(word, names.iter().copied());
                let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
                let text =
                    format!("no manual page for {word}{suggestion}; expected {names} after {}", command.get_name());
                Failure::from(Diagnostic::error(Code::Usage, text))
            })
        })
        .map(render_page)
}

fn write_pages_into(command: &Command, folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| output::cannot_write(folder, &error))?;
    let name = command.get_display_name().unwrap_or(NAME);
    let path: PathBuf = folder.join(format!("{name}.1"));
    output::write(Some(&path), false, &render_page(command))?;
    command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .try_for_each(|command| write_pages_into(command, folder))
}
