//! Shell completion.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::sync::Arc;

use clap::Command;
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::{CompleteEnv, Shells};
use puzzle::AnyPuzzle;

use super::puzzles::registry;

/// Environment variable that a shell sets to request completions.
const COMPLETE_VAR: &str = "ASP_SOLVE_COMPLETE";
const NAME: &str = "asp-solve";

/// Returns the words of the command line that a shell wants completed, if any.
pub fn words_to_complete(arguments: &[OsString]) -> Option<&[OsString]> {
    // The library of completions ignores these values too.
    std::env::var_os(COMPLETE_VAR).filter(|shell| !shell.is_empty() && shell != "0")?;
    let separator = arguments.iter().position(|word| word == "--")?;
    arguments.get(separator + 1..)
}

/// Answers a completion request about the command that `factory` returns; returns `false` if there
/// is none.
pub fn complete(arguments: &[OsString], factory: fn() -> Command) -> Result<bool, clap::Error> {
    let folder = std::env::current_dir().ok();
    let completed =
        CompleteEnv::with_factory(factory).var(COMPLETE_VAR).bin(NAME).try_complete(arguments, folder.as_deref());
    // The answer has no final newline, so it must be flushed.
    io::stdout().flush()?;
    completed
}

/// Returns a shell's registration script, with which the shell calls this program for completions.
pub fn script(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let shell = shells.completer(&shell.to_string()).expect("each shell that can be named has a script");
    shell.write_registration(COMPLETE_VAR, NAME, NAME, NAME, &mut script).expect("memory takes all");
    let script = String::from_utf8_lossy(&script).replace("-F _clap_complete_asp_solve", "-F _asp_solve");
    if shell.name() == "bash" { format!("{BASH}{script}") } else { script }
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

/// Returns the engines of all puzzles for completion, since the puzzle is not recognised yet.
pub fn engine_candidates() -> Vec<CompletionCandidate> {
    let puzzles_with = |name: &str| {
        let has = |entry: &&Arc<dyn AnyPuzzle>| entry.engines().iter().any(|engine| engine == name);
        registry().all().iter().filter(has).map(|entry| entry.name()).collect::<Vec<_>>().join(", ")
    };
    let names: BTreeSet<String> = registry().all().iter().flat_map(|entry| entry.engines()).collect();
    names.into_iter().map(|name| CompletionCandidate::new(&name).help(Some(puzzles_with(&name).into()))).collect()
}

/// Returns the encodings of all puzzles and the files for completion.
pub fn encoding_candidates(current: &OsStr) -> Vec<CompletionCandidate> {
    let named = registry().all().iter().flat_map(|entry| {
        let about = entry.about();
        let matching = about
            .encodings
            .iter()
            .filter(|encoding| current.to_str().is_some_and(|text| encoding.name.starts_with(text)));
        matching.map(move |encoding| CompletionCandidate::new(&*encoding.name).help(Some(about.name.into())))
    });
    named.chain(PathCompleter::file().complete(current)).collect()
}
