//! The command line interface: reads the input, recognises the puzzle, runs the job and prints the
//! result. All input and output of the program happens here.

mod args;
mod batch;
mod certified_parts;
mod ci;
mod compare;
mod completion;
mod count;
mod examples;
mod exit;
mod extension;
mod finish;
mod folders;
mod gallery;
mod graph_args;
mod groups;
mod input;
mod list;
mod lsp;
mod manual;
mod memory;
mod merge;
mod messages;
mod mutants;
mod open;
mod options;
mod output;
#[cfg(feature = "png")]
mod png;
mod profile;
mod proof;
mod puzzles;
mod request;
mod runner;
mod solve;
mod sources;
mod split;
mod statistics;
#[cfg(feature = "studio")]
mod studio;
mod subprocess;
mod terminal;
mod test;
mod tools;
pub mod untyped;
mod usage;
mod values;
mod verify;
mod watch;
mod why;
mod worker_pool;

use std::ffi::OsString;

use args::{Parsed, Sub};
use base::diagnostic::Failure;
#[cfg(not(feature = "studio"))]
use base::diagnostic::{Code, Diagnostic};
pub use exit::leave;
use groups::OutputArgs;
pub use subprocess::set_program;

/// The stack of threads that clingo starts: terms nested 250,000 deep take a tenth of it.
const CLINGO_STACK_BYTES: u64 = 256 << 20;

/// Runs the command and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Shell completion includes the user's puzzles, without warnings about them.
    if let Some(words) = completion::words_to_complete(&arguments)
        && let Ok(files) = input::load_puzzles(words, |_| ())
        && let Err(error) = puzzles::load(&files)
    {
        return OutputArgs::default().fail(&error.into(), &[]);
    }
    match completion::complete(&arguments, args::command) {
        Ok(false) => {}
        Ok(true) => return 0,
        Err(error) => return print_clap_error(&error),
    }
    if arguments.get(1).is_some_and(|word| word == "clingo") {
        return asp::main(arguments.into_iter().skip(2).collect());
    }
    // `--version` needs no puzzles and no options.
    if let [_, argument] = &arguments[..]
        && (argument == "--version" || argument == "-V")
    {
        return OutputArgs::default().conclude(&format!("asp-solve {}\n", args::version()), || 0);
    }
    asp::install_signal_handlers(memory::address_space() < u64::MAX);
    // Addresses only: a stack takes memory where it is used. clingo starts at most 64 threads.
    if memory::address_space() / 128 >= CLINGO_STACK_BYTES {
        asp::set_thread_stack(CLINGO_STACK_BYTES as usize);
    }
    let loaded = input::load_puzzles(&arguments, terminal::print_line);
    if let Err(failure) = loaded.and_then(|files| puzzles::load(&files).map_err(Failure::from)) {
        return OutputArgs::default().fail(&failure, &[]);
    }
    match args::parse(arguments) {
        Ok(Parsed::Solve(args)) => solve::solve(args),
        Ok(Parsed::Play(player, args)) => tools::play(player, &args),
        Ok(Parsed::Generate(generator, args)) => tools::generate(generator, &args),
        Ok(Parsed::Watch(args, runs)) => watch::watch(&args, &runs),
        Ok(Parsed::Split(calls, args)) => split::split(calls, &args),
        Ok(Parsed::Inspect(tool, args)) => tools::inspect(tool, &args),
        Ok(Parsed::Command(command)) => run_command(command),
        Err(error) => print_clap_error(&error),
    }
}

fn run_command(command: Sub) -> i32 {
    match command {
        Sub::List(args) => list::list(&args),
        Sub::Examples(args) => examples::examples(&args),
        Sub::Merge(args) => merge::merge(&args),
        Sub::Count(args) => count::run(args),
        Sub::Verify(args) => verify::verify(&args),
        Sub::Why(args) => why::why(args),
        Sub::Hint(args) => why::hint(args),
        Sub::Test(args) => test::test(args),
        Sub::Profile(args) => profile::profile(args),
        Sub::Compare(args) => compare::compare(args),
        #[cfg(feature = "studio")]
        Sub::Studio(args) => studio::studio(&args),
        #[cfg(not(feature = "studio"))]
        Sub::Studio(_) => {
            let text = "asp-solve was built without the feature `studio`";
            OutputArgs::default().fail(&Diagnostic::error(Code::Usage, text).into(), &[])
        }
        Sub::Lsp(args) => lsp::lsp(&args),
        Sub::Clingo { arguments } => asp::main(arguments),
        Sub::Completions { shell } => OutputArgs::default().conclude(&completion::script(shell), || 0),
        Sub::Man { command, dir } => manual::manual(&command, dir.as_deref()),
    }
}

/// Prints a clap error, or the help or version that was requested, and returns the exit code.
fn print_clap_error(error: &clap::Error) -> i32 {
    if error.use_stderr() {
        // A message that cannot be printed has nowhere else to go.
        let _ = error.print();
        return error.exit_code();
    }
    let output_args = OutputArgs::default();
    let help = error.render();
    let help = if output_args.color() { help.ansi().to_string() } else { help.to_string() };
    output_args.conclude(&help, || error.exit_code())
}
