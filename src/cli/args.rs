//! The command line: arguments, options and subcommands.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};

use super::clingo_hints;
use super::compare::Compare;
use super::graph_args::GraphArgs;
use super::output_args::{ColorWhen, FormatArgs, OutputArgs, formats};
use super::profile::Profile;
use crate::asp::{self, Settings, Signature};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::Document;
use crate::puzzle::{self, AnyPuzzle, Tool, ToolInput};
use crate::report::{Format, Style};
use crate::why::Blame;

/// `{n}` in a help text, which clap would replace by a line break; an escape sequence without
/// effect prevents that.
macro_rules! braces {
    () => {
        "{\u{1b}[mn}"
    };
}

/// Solve, explain and generate puzzles with answer set programming
///
/// FILE is the instance of a puzzle (`asp-solve list` shows them all), or any logic program.
/// Several files form one program; `-` reads standard input. The puzzle is recognised from the
/// content.
#[derive(Debug, Parser)]
#[command(name = "asp-solve", args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(
    after_help = "Exit codes: 0 an answer was found, 1 proven that there is none, 2 bad input or usage, 3 gave up. With --format asp \
                        and clingo-json: those of clingo (10, 20, 30, …).\n\nExample: asp-solve instances/deponia.lp -n 0"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Sub>,
    #[command(flatten)]
    pub solve: Solve,
}

#[derive(Debug, Subcommand)]
pub enum Sub {
    /// List the puzzles with their input formats, engines, encodings and an example
    List {
        /// Show only this puzzle
        #[arg(value_name = "NAME", value_parser = PuzzleName, hide_possible_values = true)]
        name: Option<String>,
    },
    /// Add up reports of `play`, as if one run had made them
    Merge(Merge),
    /// Check a certificate that --proof wrote, and print what it certifies
    ///
    /// With FILE, the files are grounded again, and their ground program must be that of the
    /// certificate. Give the options that the run had, if they change the program: -p, -e, -c, and
    /// those of the puzzle.
    Verify(Verify),
    /// Explain why there is no answer, or why an atom holds
    Why(Why),
    /// Show the next step that a person could find, and why
    Hint(Hint),
    /// Run tests of encodings: parts `#program test_…` and comments `%**@test(…)**%`
    Test(super::test::Test),
    /// Show how much grounding and solving time each line of source takes
    Profile(Profile),
    /// Check whether two encodings have the same answers, and which is faster
    Compare(Compare),
    /// Edit, solve, explain and play in the browser
    ///
    /// The printed address contains a token and can be opened only on this machine. Only the named
    /// files are ever written, and only when you save them.
    Studio(Studio),
    /// Run the language server for editors, over standard input and output
    Lsp(Lsp),
    /// Run clingo's own command, with its options, output and exit codes
    #[command(disable_help_flag = true)]
    Clingo {
        #[arg(value_name = "ARG", value_hint = clap::ValueHint::FilePath, trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print a shell's completion script: source <(asp-solve completions bash)
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page: man, man generate rail
    Man {
        #[arg(value_name = "COMMAND", conflicts_with = "dir", add = ArgValueCandidates::new(page_candidates))]
        command: Vec<String>,
        /// Write all pages to a folder
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json])))]
pub struct Verify {
    /// The certificate; - is standard input
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// Check that the certificate is about the ground program of these files; without them it is
    /// about the program inside it
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: PuzzleArgs,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json])))]
pub struct Merge {
    /// Files with one or more JSON reports; - is standard input
    #[arg(value_name = "REPORT", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Debug, Clone, Args)]
pub struct Why {
    #[command(flatten)]
    pub explain_args: ExplainArgs,
    /// What may be the cause: facts, constraints, rules or a predicate [default: facts, then
    /// constraints, then rules]
    #[arg(long, value_name = "facts|constraints|rules|p/2", value_delimiter = ',')]
    pub blame: Vec<Blame>,
    /// At most N causes, 0 for all [default: 1, the smallest]
    #[arg(short = 'n', value_name = "N", allow_hyphen_values = true, value_parser = whole_number)]
    pub causes: Option<u64>,
    /// Find the cheapest change that gives an answer: what to give up
    #[arg(long)]
    pub fix: bool,
    /// Explain the program of this test in the file
    #[arg(long, value_name = "NAME", conflicts_with_all = ["puzzle", "encoding"])]
    pub test: Option<String>,
    /// With --fix: the cost of giving up a fact of a predicate; others cost 1
    #[arg(long, value_name = "p/2=W", requires = "fix", value_delimiter = ',', value_parser = weight)]
    pub weight: Vec<(Signature, u32)>,
}

#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json, Format::Html, Format::Svg])))]
pub struct Hint {
    #[command(flatten)]
    pub explain_args: ExplainArgs,
    /// Show all steps to the end
    #[arg(long)]
    pub steps: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Studio {
    /// A program, a board, or several files that form one program; saving creates missing files
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Listen on this port [default: any free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    #[command(flatten)]
    pub choice: PuzzleArgs,
    #[command(flatten)]
    pub program: ProgramArgs,
    /// End each run after S seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: Option<f64>,
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Run as a worker process that answers requests
    #[arg(long, hide = true)]
    pub worker: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Lsp {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// End each check after S seconds [default: 10]
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: Option<f64>,
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Use standard input and output, as always; some editors pass this option
    #[arg(long, hide = true)]
    pub stdio: bool,
    /// Run as a worker process that checks programs
    #[arg(long, hide = true)]
    pub worker: bool,
}

// Arguments of both `why` and `hint`. (Not a doc comment: clap would show it as the command's
// description.)
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json, Format::Html])))]
pub struct ExplainArgs {
    /// What to explain; - is standard input. For `why` the last word may be an atom, or 'not ATOM'
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: PuzzleArgs,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Show which encodings are read, and from where
    #[arg(short, long)]
    pub verbose: bool,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Debug, Clone, Default, Args)]
pub struct Solve {
    /// What to solve; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: PuzzleArgs,
    /// At most N answers, 0 for all [default: 1; for optimisation the optimum]
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true, value_parser = whole_number)]
    pub models: Option<u64>,
    /// A logic program that draws answers, by draw(…) or clingraph's atoms
    #[arg(long, value_name = "FILE")]
    pub draw: Vec<PathBuf>,
    #[command(flatten)]
    pub graph_args: GraphArgs,
    /// Check that there is exactly one solution; exit code 1 if there is none or a second one
    #[arg(long, conflicts_with_all = ["models", "answer"])]
    pub unique: bool,
    /// Certify "none", "no other", "all" and "least" by a proof that is checked without the solver
    /// [default: with --unique, of puzzles, if it is cheap; never with --batch]
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    pub certify: Option<When>,
    /// Certify, and write the certificate to FILE for `asp-solve verify`; NAME.pbp is a proof for
    /// VeriPB, beside NAME.opb
    #[arg(long, value_name = "FILE", value_parser = output_path())]
    pub proof: Option<PathBuf>,
    /// The engine to solve with
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(engine_candidates))]
    pub engine: Option<String>,
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Output format
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Draw the K-th answer, or 0 for the board without one (svg, dot, html) [default: the first;
    /// for a page that can be played, the board]
    #[arg(long, value_name = "K")]
    pub answer: Option<usize>,
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Native search: ignore solutions that cost more than D
    #[arg(long, value_name = "D")]
    pub depth_limit: Option<u32>,
    /// Native search: stop after N nodes
    #[arg(long, value_name = "N")]
    pub node_limit: Option<u64>,
    /// Native search: the lower bound that guides it [default: auto]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(puzzle::heuristics()))]
    pub heuristic: Option<String>,
    /// Read an instance, or an object {"id": …, "instance": "…"}, from each line, and print a JSON
    /// object for each; encodings are read once
    #[arg(long)]
    pub batch: bool,
    /// With --batch and --output: continue an interrupted run
    #[arg(long, requires = "batch", requires = "output")]
    pub resume: bool,
    /// Print statistics of the engine
    #[arg(long)]
    pub stats: bool,
    /// Show which encodings are read, and every step of a solution
    #[arg(short, long)]
    pub verbose: bool,
}

impl Solve {
    /// Returns true if each answer is drawn to its own file.
    pub fn writes_numbered_files(&self) -> bool {
        let is_numbered = self.common.output_args.file().is_some_and(|path| path.to_string_lossy().contains("{n}"));
        is_numbered && matches!(self.format, Format::Svg | Format::Dot)
    }
}

// Arguments of `watch` in addition to those of solving. (Not a doc comment, as above.)
#[derive(Debug, Clone, Args)]
pub struct Watch {
    #[command(flatten)]
    pub solve: Solve,
    /// Run as the watched child process: solve once, and print one answer per line
    #[arg(long, hide = true)]
    pub run: bool,
    /// Use colours, because the terminal of the watching process does
    #[arg(long, hide = true)]
    pub run_in_color: bool,
}

// Arguments of every `play NAME`, in addition to those of the tool. (Not a doc comment, as above.)
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options for every puzzle")]
pub struct Play {
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub format_args: FormatArgs,
    /// Milliseconds between moves that you watch [default: 400; at a window 0]
    #[arg(long, value_name = "MS")]
    pub delay: Option<u64>,
}

// Arguments of every `generate NAME`, in addition to those of the tool. (As above, not a doc
// comment: clap would show it.)
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options for every puzzle")]
pub struct Generate {
    #[command(flatten)]
    pub common: CommonArgs,
    /// The same seed makes the same instance
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), help = concat!(
        "Number of instances; in the name of --output, ", braces!(), " stands for the number of each, from 1"
    ))]
    pub count: u64,
    /// Skip the first K instances of the seed
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub from: u64,
    #[arg(long, value_name = "FILE", value_parser = output_path(), help = concat!(
        "Write the certificate that there is one solution to FILE, for `asp-solve verify`; with ", braces!(), " as in --output"
    ))]
    pub proof: Option<PathBuf>,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub folder: FolderArgs,
}

// Arguments of every command about an instance, in addition to those of the tool. (Not a doc
// comment, as above.)
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options for every instance")]
pub struct Inspect {
    /// The instance; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

// Arguments that select the puzzle and its rules.
#[derive(Debug, Clone, Default, Args)]
pub struct PuzzleArgs {
    /// Read the input as this puzzle (`asp-solve list` shows all)
    #[arg(short, long, value_name = "NAME", value_parser = PuzzleName, hide_possible_values = true)]
    pub puzzle: Option<String>,
    /// An encoding: a file, or a name that the puzzle gives one
    #[arg(short, long, value_name = "NAME-or-PATH", add = ArgValueCompleter::new(encoding_candidates))]
    pub encoding: Vec<PathBuf>,
}

// Arguments that control how programs are read.
#[derive(Debug, Clone, Default, Args)]
pub struct ProgramArgs {
    /// Set a constant of the program, as in clingo
    #[arg(id = "const", short, long, value_name = "NAME=VALUE", value_parser = constant)]
    pub constants: Vec<(String, String)>,
    #[arg(short = 'W', long = "warn", value_name = "[no-]NAME", value_parser = warning, help = warnings_help())]
    pub warnings: Vec<String>,
    #[command(flatten)]
    pub folder: FolderArgs,
}

impl ProgramArgs {
    pub fn settings(&self) -> Settings {
        let options = self.warnings.iter().map(|name| format!("--warn={name}")).collect();
        Settings { constants: self.constants.clone(), options, ..Settings::default() }
    }
}

/// The names of clingo's warnings.
const CLINGO_WARNINGS: [&str; 5] =
    ["atom-undefined", "file-included", "global-variable", "operation-undefined", "other"];

fn warning(value: &str) -> Result<String, String> {
    let name = value.strip_prefix("no-").unwrap_or(value);
    let mut names = asp::LINTS.into_iter().map(Code::name).chain(CLINGO_WARNINGS);
    let is_known = matches!(value, "none" | "all") || names.any(|known_name| known_name == name);
    is_known.then(|| value.to_owned()).ok_or_else(|| format!("expected none, all or one of {}", warning_names()))
}

fn warning_names() -> String {
    [&asp::LINTS.map(Code::name)[..], &CLINGO_WARNINGS].concat().join(", ")
}

fn warnings_help() -> String {
    format!("Silence warnings about the program: none, or no- before one of {}", warning_names())
}

#[derive(Debug, Clone, Default, Args)]
pub struct FolderArgs {
    /// Where encodings are read [default: $ASP_SOLVE_DIR, then ./asp, then the copies inside the
    /// program]
    #[arg(long, value_name = "DIR")]
    pub asp_dir: Option<PathBuf>,
}

impl FolderArgs {
    pub fn path(&self) -> Option<&Path> {
        self.asp_dir.as_deref()
    }
}

#[derive(Debug, Clone, Copy, Default, Args)]
pub struct MemoryArgs {
    /// Stop when the process uses MB megabytes, and print what is known by then
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: Option<u64>,
}

impl MemoryArgs {
    pub fn bytes(self) -> Option<u64> {
        self.memory_limit.map(|megabytes| megabytes.saturating_mul(1_000_000))
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct CommonArgs {
    #[command(flatten)]
    pub output_args: OutputArgs,
    /// Stop after S seconds
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub time_limit: Option<f64>,
    /// Threads [default: one for each core]
    #[arg(short = 't', long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub threads: Option<u8>,
    /// Do not show progress
    #[arg(short, long)]
    pub quiet: bool,
}

impl CommonArgs {
    pub fn style(&self) -> Style {
        let (color, width) = (self.output_args.color(), self.output_args.width());
        Style { color, width, quiet: self.quiet, ..Style::default() }
    }

    /// Prints warnings, unless `--quiet` is given.
    pub fn warn(&self, warnings: &[Diagnostic], documents: &[Document]) {
        if !self.quiet {
            self.output_args.print_messages(warnings, documents);
        }
    }
}

/// Adds `play` and `generate` with a subcommand for each puzzle that has the tool, `watch`, and the
/// tools that take instances.
fn with_tool_commands(command: Command) -> Command {
    let sub = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).subcommand_required(true).subcommand_value_name("PUZZLE")
    };
    let mut play = sub("play", "Let a bot play many games and report");
    let mut generate = sub("generate", "Generate new instances");
    for (entry, tool) in tools() {
        let command = Command::new(entry.name());
        match tool.input() {
            ToolInput::Instance => {}
            ToolInput::Nothing => play = play.subcommand(with_tool::<Play>(tool, command)),
            ToolInput::Seed => generate = generate.subcommand(with_tool::<Generate>(tool, command)),
        }
    }
    let watch = Command::new("watch").about("Solve again whenever a file is saved, and show what changed");
    let watch =
        puzzle::all().iter().fold(with_solve_help(Watch::augment_args(watch)), |command, entry| entry.augment(command));
    let command = command.subcommand(generate).subcommand(play).subcommand(watch);
    // Options of puzzles can change the program that a certificate is about.
    let command = command
        .mut_subcommand("verify", |verify| puzzle::all().iter().fold(verify, |command, entry| entry.augment(command)));
    tools()
        .filter(|(_, tool)| tool.input() == ToolInput::Instance)
        .fold(command, |command, (_, tool)| command.subcommand(with_tool::<Inspect>(tool, Command::new(tool.name()))))
}

/// Replaces the help texts of the common options by those for solving.
fn with_solve_help(command: Command) -> Command {
    const OUTPUT: &str = concat!(
        "Write to a file, completely or not at all; with ",
        braces!(),
        " in its name (svg, dot) each answer has a file of its own, with its number for the ",
        braces!(),
        "; - is standard output"
    );
    let help = [
        ("output", OUTPUT),
        ("time_limit", "Stop after S seconds, and print what was found"),
        ("memory_limit", "Stop when the process uses MB megabytes, and print what was found"),
        ("threads", "Threads of the solver, of the native search, or of the batch"),
        ("quiet", "Print only the verdict: no answers, warnings or progress"),
    ];
    help.into_iter().fold(command, |command, (name, help)| command.mut_arg(name, |option| option.help(help)))
}

/// Adds to the command of a tool its own options and the common options `A`.
fn with_tool<A: Args>(tool: &dyn Tool, command: Command) -> Command {
    let command = A::augment_args(tool.augment(command.about(tool.about())));
    let command = if tool.takes_any_puzzle() { PuzzleArgs::augment_args(command) } else { command };
    command.mut_arg("format", |option| formats(option, tool.formats()))
}

/// Returns every tool with the puzzle whose instances it takes.
fn tools() -> impl Iterator<Item = (&'static dyn AnyPuzzle, &'static dyn Tool)> {
    puzzle::all().iter().flat_map(|&entry| entry.about().tools.iter().map(move |&tool| (entry, tool)))
}

/// `0.1.0 (clingo 5.8.3)`.
pub fn version() -> String {
    format!("{} (clingo {})", env!("CARGO_PKG_VERSION"), asp::clingo_version())
}

/// Returns the command with the options of all puzzles.
pub fn command() -> Command {
    let command = with_solve_help(Cli::command().version(version()));
    with_tool_commands(puzzle::all().iter().fold(command, |command, entry| entry.augment(command)))
}

/// Whether to do an expensive optional step, such as certification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    Always,
    Never,
}

/// A parsed command line; the matches hold the options of the puzzles. There is only one per run,
/// so its size does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Parsed {
    Solve(Cli, ArgMatches),
    Verify(Verify, ArgMatches),
    Play(&'static dyn Tool, Play, ArgMatches),
    Generate(&'static dyn Tool, Generate, ArgMatches),
    /// The second field contains the arguments after the word `watch`.
    Watch(Watch, Vec<OsString>),
    Inspect(&'static dyn AnyPuzzle, &'static dyn Tool, Inspect, ArgMatches),
}

/// Parses the arguments.
pub fn parse(arguments: Vec<OsString>) -> Result<Parsed, clap::Error> {
    if arguments.len() < 2 {
        return Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, getting_started()));
    }
    if let Some((solve, matches)) = parse_without_subcommand(&arguments) {
        return Ok(Parsed::Solve(Cli { command: None, solve }, matches));
    }
    let command = command();
    let arguments = move_options_after_subcommand(&command, arguments)?;
    clingo_hints::reject_glued_flags(&arguments)?;
    let matches = command.try_get_matches_from(&arguments)?;
    if let Some(("watch", matches)) = matches.subcommand() {
        let watch = Watch::from_arg_matches(matches)?;
        if !watch.run {
            // `move_options_after_subcommand` has left nothing before the subcommand.
            return Ok(Parsed::Watch(watch, arguments.into_iter().skip(2).collect()));
        }
        let mut solve = Solve { format: Format::Lines, ..watch.solve };
        solve.common.output_args.color = if watch.run_in_color { ColorWhen::Always } else { ColorWhen::Never };
        return Ok(Parsed::Solve(Cli { command: None, solve }, matches.clone()));
    }
    if let Some(("verify", matches)) = matches.subcommand() {
        return Ok(Parsed::Verify(Verify::from_arg_matches(matches)?, matches.clone()));
    }
    if let Some((name @ ("play" | "generate"), matches)) = matches.subcommand()
        && let Some((puzzle, matches)) = matches.subcommand()
    {
        let is_requested = |(entry, tool): &(&dyn AnyPuzzle, &dyn Tool)| entry.name() == puzzle && tool.name() == name;
        let (_, tool) = tools().find(is_requested).expect("only those that have the tool have the subcommand");
        return Ok(match tool.input() {
            ToolInput::Seed => Parsed::Generate(tool, Generate::from_arg_matches(matches)?, matches.clone()),
            _ => Parsed::Play(tool, Play::from_arg_matches(matches)?, matches.clone()),
        });
    }
    if let Some((name, matches)) = matches.subcommand()
        && let Some((entry, tool)) = tools().find(|(_, tool)| tool.name() == name)
    {
        return Ok(Parsed::Inspect(entry, tool, Inspect::from_arg_matches(matches)?, matches.clone()));
    }
    Ok(Parsed::Solve(Cli::from_arg_matches(&matches)?, matches))
}

/// Parses a command line without a subcommand. Building the many subcommands takes longer than
/// solving most boards. Returns `None` if a word could be the name of a subcommand, and if an error
/// or a help text needs all of them.
fn parse_without_subcommand(arguments: &[OsString]) -> Option<(Solve, ArgMatches)> {
    let command = puzzle::all()
        .iter()
        .fold(Solve::augment_args(Command::new("asp-solve")), |command, entry| entry.augment(command));
    clingo_hints::reject_glued_flags(arguments).ok()?;
    let matches = command.try_get_matches_from(arguments).ok()?;
    let solve = Solve::from_arg_matches(&matches).ok()?;
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'-';
    let may_be_a_name =
        |path: &PathBuf| path != Path::new("-") && path.as_os_str().as_encoded_bytes().iter().all(is_letter);
    (!solve.files.iter().any(may_be_a_name)).then_some((solve, matches))
}

/// Returns the message for an empty command line.
fn getting_started() -> String {
    let lines = puzzle::FIRST_COMMANDS.map(|(line, words)| format!("  {line:<34}{words}\n")).concat();
    format!("nothing to solve was given. Try\n\n{lines}\nasp-solve --help has all commands and options.\n")
}

/// Moves options that precede a subcommand's name behind it, where clap expects them.
pub fn move_options_after_subcommand(
    command: &Command,
    mut arguments: Vec<OsString>,
) -> Result<Vec<OsString>, clap::Error> {
    let mut options = Vec::new();
    let mut begin = 1;
    while let Some(word) = arguments.get(begin).filter(|word| word.as_encoded_bytes().starts_with(b"-")) {
        let Some(word_options) = word.to_str().and_then(|word| options_in_word(command, word)) else {
            return Ok(arguments);
        };
        begin += if word_options.takes_next { 2 } else { 1 };
        options.extend(word_options.names);
    }
    let Some(mut named) = arguments.get(begin).filter(|_| begin > 1).and_then(|name| command.find_subcommand(name))
    else {
        return Ok(arguments);
    };
    let mut end = begin + 1;
    if let Some(inner) = arguments.get(end).and_then(|name| named.find_subcommand(name)) {
        (named, end) = (inner, end + 1);
    }
    let has = |name: &str| named.get_arguments().any(|argument| has_flag(argument, name));
    if let Some(name) = options.iter().find(|name| !has(name)) {
        let words: Vec<_> = arguments[begin..end].iter().map(|word| word.to_string_lossy()).collect();
        let words = words.join(" ");
        let text = format!("{words} has no option {name} (asp-solve {words} --help)\n");
        return Err(clap::Error::raw(ErrorKind::UnknownArgument, text));
    }
    arguments[1..end].rotate_left(begin - 1);
    Ok(arguments)
}

/// The options in one argument, such as `-q`, `-qf` or `--format`.
struct WordOptions {
    names: Vec<String>,
    /// True if the next argument is the value of the last option.
    takes_next: bool,
}

/// Parses an argument that begins with `-`. Returns `None` if no command has one of its options, or
/// if it contains no option.
fn options_in_word(command: &Command, word: &str) -> Option<WordOptions> {
    /// Finds an option of the command or of its subcommands.
    fn option<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
        let argument = command.get_arguments().find(|argument| has_flag(argument, name));
        argument.or_else(|| command.get_subcommands().find_map(|command| option(command, name)))
    }
    let takes_value = |argument: &Arg| {
        let may_lack_value = argument.get_num_args().is_some_and(|number| number.min_values() == 0);
        argument.get_action().takes_values() && !may_lack_value
    };
    if word.starts_with("--") {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let takes_next = takes_value(option(command, name)?) && value.is_none();
        return Some(WordOptions { names: vec![name.to_owned()], takes_next });
    }
    let mut names = Vec::new();
    let mut letters = word.strip_prefix('-')?.chars();
    while let Some(letter) = letters.next() {
        let name = format!("-{letter}");
        let takes_value = takes_value(option(command, &name)?);
        names.push(name);
        if takes_value {
            return Some(WordOptions { names, takes_next: letters.as_str().is_empty() });
        }
    }
    (!names.is_empty()).then_some(WordOptions { names, takes_next: false })
}

/// Returns true if the option has this name, such as `--format` or `-f`.
fn has_flag(argument: &Arg, name: &str) -> bool {
    match name.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long),
        None => argument
            .get_short()
            .is_some_and(|short| name.strip_prefix('-').is_some_and(|name| name == short.to_string())),
    }
}

/// Returns an option on the command line that belongs to another puzzle than `chosen`, with the
/// name of that puzzle.
pub fn foreign_option(matches: &ArgMatches, chosen: &str, is_answer_sets: bool) -> Option<(String, &'static str)> {
    puzzle::all().iter().find_map(|entry| {
        if entry.name() == chosen || is_answer_sets && entry.about().has_options_for_answer_sets {
            return None;
        }
        let options = entry.augment(Command::new("own"));
        let is_given = |argument: &&Arg| {
            matches.value_source(argument.get_id().as_str()) == Some(clap::parser::ValueSource::CommandLine)
        };
        options
            .get_arguments()
            .find(is_given)
            .map(|argument| (format!("--{}", argument.get_long().unwrap_or_default()), entry.name()))
    })
}

pub fn puzzle_names() -> Vec<&'static str> {
    puzzle::all().iter().map(|entry| entry.name()).collect()
}

/// Parses the name of a puzzle, or one of its aliases in links and titles.
#[derive(Debug, Clone)]
pub struct PuzzleName;

impl TypedValueParser for PuzzleName {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        if let Some(entry) = value.to_str().and_then(puzzle::by_any_name) {
            return Ok(entry.name().to_owned());
        }
        let parsed = PossibleValuesParser::new(puzzle_names()).parse_ref(command, arg, value);
        parsed.map_err(|mut error| {
            // Listing all names would fill the screen.
            error.remove(ContextKind::ValidValue);
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(puzzle_names().into_iter().map(PossibleValue::new)))
    }
}

/// Returns the manual pages for completion; the page of a subcommand is named like `generate-rail`.
fn page_candidates() -> Vec<CompletionCandidate> {
    let about = |command: &Command| command.get_about().cloned();
    let pages_of = |command: &Command| {
        let name = command.get_name().to_owned();
        let subpages =
            command.get_subcommands().map(|command| (format!("{name}-{}", command.get_name()), about(command)));
        [(name.clone(), about(command))].into_iter().chain(subpages).collect::<Vec<_>>()
    };
    let pages = command().get_subcommands().flat_map(pages_of).collect::<Vec<_>>();
    pages.into_iter().map(|(name, about)| CompletionCandidate::new(name).help(about)).collect()
}

/// Returns the engines of all puzzles for completion, since the puzzle is not recognised yet.
fn engine_candidates() -> Vec<CompletionCandidate> {
    let puzzles_with = |name: &str| {
        let has = |entry: &&&dyn AnyPuzzle| entry.engines().iter().any(|engine| engine == name);
        puzzle::all().iter().filter(has).map(|entry| entry.name()).collect::<Vec<_>>().join(", ")
    };
    let names: BTreeSet<String> = puzzle::all().iter().flat_map(|entry| entry.engines()).collect();
    names.into_iter().map(|name| CompletionCandidate::new(&name).help(Some(puzzles_with(&name).into()))).collect()
}

/// Returns the encodings of all puzzles and the files for completion.
fn encoding_candidates(current: &OsStr) -> Vec<CompletionCandidate> {
    let named = puzzle::all().iter().flat_map(|entry| {
        let about = entry.about();
        let matching = about
            .encodings
            .iter()
            .filter(|encoding| current.to_str().is_some_and(|text| encoding.name.starts_with(text)));
        matching.map(move |encoding| CompletionCandidate::new(encoding.name).help(Some(about.name.into())))
    });
    named.chain(PathCompleter::file().complete(current)).collect()
}

/// Parses the name of an output file. The name of a format is rejected, because it was probably
/// meant for `--format`.
pub fn output_path() -> impl TypedValueParser<Value = PathBuf> {
    /// The formats of gringo's `--output`.
    const GRINGO_FORMATS: [&str; 4] = ["intermediate", "text", "reify", "smodels"];
    PathBufValueParser::new().try_map(|path| {
        let name = path.to_str().unwrap_or_default();
        let known_format = Format::from_str(name, false).map(|_| format!("use --format {name} for the format"));
        match known_format.or_else(|_| {
            GRINGO_FORMATS
                .iter()
                .find(|known| **known == name)
                .map(|_| "this is a format of gringo".to_owned())
                .ok_or(())
        }) {
            Ok(words) => Err(format!("{words}; use --output ./{name} for a file of that name")),
            Err(()) => Ok(path),
        }
    })
}

fn weight(text: &str) -> Result<(Signature, u32), String> {
    let expected = || "expected p/2=3: a predicate, and the cost of giving up one of its facts".to_owned();
    let (predicate, weight) = text.split_once('=').ok_or_else(expected)?;
    match (predicate.parse(), weight.parse()) {
        // clingo adds weights in 32 bits.
        (Ok(predicate), Ok(weight)) if weight <= 1_000_000 => Ok((predicate, weight)),
        (Ok(_), Ok(_)) => Err("expected a weight of at most 1,000,000".to_owned()),
        _ => Err(expected()),
    }
}

pub fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a number of answers, 0 for all".to_owned())
}

pub fn seconds(text: &str) -> Result<f64, String> {
    /// About a century; more seconds could overflow a clock.
    const MAX_SECONDS: f64 = 3e9;
    text.parse()
        .ok()
        .filter(|seconds: &f64| !seconds.is_nan() && *seconds >= 0.0)
        .map(|seconds| seconds.min(MAX_SECONDS))
        .ok_or("expected a number of seconds".to_owned())
}

pub fn constant(text: &str) -> Result<(String, String), String> {
    let wrong = || "expected NAME=VALUE, such as n=3".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let is_name = name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
    if !is_name {
        return Err(wrong());
    }
    // clingo would silently wrap the number.
    if value.parse::<i128>().is_ok_and(|number| i32::try_from(number).is_err()) {
        return Err(format!("{value} has more than 32 bits"));
    }
    if asp::syntax::nesting_depth(value) > asp::MAX_NESTING || asp::parse_term(value).is_none() {
        return Err(format!("{value} is not a term"));
    }
    Ok((name.to_owned(), value.to_owned()))
}
