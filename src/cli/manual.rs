//! Manual pages and shell completion, for packagers.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::CompleteEnv;
use clap_complete::env::Shells;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::output_args::OutputArgs;
use super::{args, output};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::puzzle::EXAMPLES;
use crate::words::did_you_mean;

/// Environment variable that a shell sets to request completions.
const COMPLETE_VAR: &str = "ASP_SOLVE_COMPLETE";
const NAME: &str = "asp-solve";
/// Date of the last change to the manual. The build date would make builds differ.
const DATE: &str = "2026-11-24";

/// Returns the words of the command line that a shell wants completed, if any.
pub fn words_to_complete(arguments: &[std::ffi::OsString]) -> Option<&[std::ffi::OsString]> {
    std::env::var_os(COMPLETE_VAR)?;
    let separator = arguments.iter().position(|word| word == "--")?;
    arguments.get(separator + 1..)
}

/// Answers a completion request; returns `false` if there is none.
pub fn complete(arguments: &[std::ffi::OsString]) -> Result<bool, clap::Error> {
    let folder = std::env::current_dir().ok();
    let completed =
        CompleteEnv::with_factory(args::command).var(COMPLETE_VAR).bin(NAME).try_complete(arguments, folder.as_deref());
    // The answer has no final newline, so it must be flushed.
    io::stdout().flush()?;
    completed
}

/// Prints a shell's registration script, with which the shell calls this program for completions.
pub fn completions(shell: clap_complete::Shell) -> i32 {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let shell = shells.completer(&shell.to_string()).expect("each shell that can be named has a script");
    shell.write_registration(COMPLETE_VAR, NAME, NAME, NAME, &mut script).expect("memory takes all");
    let script = String::from_utf8_lossy(&script).replace("-F _clap_complete_asp_solve", "-F _asp_solve");
    let script = if shell.name() == "bash" { format!("{BASH}{script}") } else { script };
    OutputArgs::default().conclude(&script, || 0)
}

/// bash splits `--engine=x` into three words and replaces only the last one.
const BASH: &str = r#"_asp_solve() {
    local words=("${COMP_WORDS[@]}") current=$COMP_CWORD at
    local COMP_WORDS=() COMP_CWORD=0
    for at in "${!words[@]}"; do
        [[ ${words[at]} == = && $at != "$current" ]] || COMP_WORDS+=("${words[at]}")
        [[ $at != "$current" ]] || COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    done
    _clap_complete_asp_solve "$@"
}
"#;

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
