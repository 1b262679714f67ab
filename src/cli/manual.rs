//! Manual pages, for packagers.

use std::fs;
use std::path::{Path, PathBuf};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::words::did_you_mean;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::groups::OutputArgs;
use super::{args, output};
use crate::builtin::EXAMPLES;

const NAME: &str = "asp-solve";
/// Date of the last change to the manual. The build date would make builds differ.
const DATE: &str = "2026-11-24";

pub fn manual(words: &[String], folder: Option<&Path>) -> i32 {
    let mut root = without_help(args::command());
    root.build();
    let printed = match folder {
        Some(folder) => write_pages_into(&root, folder).map(|()| 0),
        None => page(&root, words).map(|page| OutputArgs::default().conclude(&page, || 0)),
    };
    printed.unwrap_or_else(|failure| OutputArgs::default().fail(&failure, &[]))
}

/// Removes the `help` subcommands, which need no pages.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}

fn render_page(command: &Command) -> String {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).date(DATE).source(concat!("asp-solve ", env!("CARGO_PKG_VERSION")));
    man.manual("asp-solve").render(&mut page).expect("memory takes all");
    // A line break next to a vertical space would leave two blank lines.
    let page = String::from_utf8_lossy(&page).replace(".br\n\n.br\n", "\n").replace(".br\n.sp\n.br\n", ".sp\n");
    let mut roff = Roff::new();
    for (index, line) in examples(command).into_iter().enumerate() {
        if index > 0 {
            roff.control("br", []);
        }
        roff.text([roman(line)]);
    }
    format!("{page}.SH EXAMPLES\n{}", roff.to_roff())
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
