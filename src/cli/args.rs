//! The command line: arguments, options and subcommands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use asp::Signature;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use explain::Blame;
use puzzle::Format;
use puzzle::job::{OptionSet, Show};
use puzzle::{AnyPuzzle, Tool, ToolInput};

use super::compare::Compare;
use super::count::Count;
use super::groups::{
    ColorWhen, CommonArgs, DrawingArgs, EngineArgs, FolderArgs, FormatArgs, Inspect, MemoryArgs, OutputArgs,
    ProgramArgs, PuzzleArgs, QuestionArgs, ScaleArgs, Split, formats,
};
use super::options::PuzzleOptions;
use super::profile::Profile;
use super::puzzles::{board_names, registry};
use super::request::JobRequest;
use super::values::{PuzzleName, output_path, seconds, weight, whole_number};
use super::{extension, output, usage};
use crate::builtin::{AFTER_HELP, COMMAND_GROUPS, FIRST_COMMANDS};

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
#[command(override_usage = "asp-solve [solve] [OPTIONS] <FILE>...\n       asp-solve <COMMAND>")]
#[command(
    after_help = AFTER_HELP
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Sub>,
    #[command(flatten)]
    solve: Solve,
}

#[derive(Debug, Subcommand)]
pub enum Sub {
    /// List the puzzles with their input formats, engines, encodings and a board
    ///
    /// With -f html, a page with the solved board of each puzzle.
    List(List),
    /// Print a board that the program contains: examples NAME | asp-solve -
    ///
    /// Without a NAME, list the boards.
    Examples(Examples),
    /// Add up reports of `play`, or results of `split`, as if one run had made them
    Merge(Merge),
    /// Check a certificate that --proof wrote, and print what it certifies
    ///
    /// Several certificates of cubes, or the results of `split` and --batch --proof -, are checked as
    /// one certificate of the whole.
    ///
    /// With FILE, the files are grounded again, and their ground program must be that of the
    /// certificate. Give the options that the run had, if they change the program: -p, -e, -c, and
    /// those of the puzzle. A proof for VeriPB (NAME.pbp) is checked by `veripb NAME.opb NAME.pbp`.
    Verify(Verify),
    /// Count the answers of a program, or the solutions of a board, without enumerating them
    Count(Count),
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
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json, Format::Html])))]
pub struct List {
    /// Show only this puzzle
    #[arg(value_name = "NAME", value_parser = PuzzleName, hide_possible_values = true)]
    pub name: Option<String>,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub output_args: OutputArgs,
    #[command(flatten)]
    pub folder: FolderArgs,
}

#[derive(Debug, Clone, Args)]
#[command(mut_arg("output", |option| option.help("Write to a file, completely or not at all; - is standard output")))]
pub struct Examples {
    /// A puzzle, or one of the further boards
    #[arg(value_name = "NAME", conflicts_with = "dir", add = ArgValueCandidates::new(board_candidates))]
    pub name: Option<String>,
    /// Write all boards into a folder, but not over files that differ
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub output_args: OutputArgs,
}

#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json])))]
pub struct Verify {
    /// The certificate, or results of cubes with their certificates; - is standard input
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// Further certificates and results of cubes, then the files: check that the certificate is about the ground program of these files; without them it is
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
    // They can change the program that a certificate is about.
    #[command(flatten)]
    pub options: PuzzleOptions,
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
    /// At most N causes, or derivations of each atom; 0 for all [default: 1, the smallest]
    #[arg(short = 'n', value_name = "N", allow_hyphen_values = true, value_parser = whole_number)]
    pub causes: Option<u64>,
    /// Find the cheapest change that gives an answer: what to give up
    #[arg(long)]
    pub fix: bool,
    /// Count the answers without each fact, constraint or rule [default: without each clue of a board, or
    /// each constraint of a program]
    #[arg(long, conflicts_with_all = ["fix", "causes"])]
    pub count: bool,
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
    #[command(flatten)]
    pub scale_args: ScaleArgs,
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
    /// Write a page that needs no server into this folder, instead of serving one
    #[arg(long, value_name = "FOLDER", requires = "wasm", conflicts_with_all = ["files", "port"])]
    pub page: Option<PathBuf>,
    /// The program as WebAssembly, for --page
    #[arg(long, value_name = "FILE", requires = "page")]
    pub wasm: Option<PathBuf>,
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
#[command(mut_arg("format", |option| formats(option, Format::value_variants())))]
pub struct Solve {
    /// What to solve; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: PuzzleArgs,
    #[command(flatten)]
    pub question: QuestionArgs,
    /// Output format
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    #[command(flatten)]
    pub scale_args: ScaleArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Show which encodings are read, every step of a solution, and improving answers
    #[arg(short, long)]
    pub verbose: bool,
    /// Read an instance, or an object {"id": …, "instance": "…"}, from each line, and print a JSON
    /// object for each; encodings are read once
    #[arg(long, help_heading = "Options for batches")]
    pub batch: bool,
    /// With --batch and --output: continue an interrupted run, and solve invalid lines again
    #[arg(long, requires = "batch", requires = "output", help_heading = "Options for batches")]
    pub resume: bool,
    // A heading is that of all arguments below it, too.
    #[command(flatten, next_help_heading = "Options for drawings")]
    pub drawing: DrawingArgs,
    #[command(flatten, next_help_heading = "Options for engines")]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[command(flatten, next_help_heading = "Options for programs")]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub options: PuzzleOptions,
}

impl Solve {
    /// Returns true if each answer is drawn to its own file.
    pub fn writes_numbered_files(&self) -> bool {
        let is_numbered = self.common.output_args.file().is_some_and(|path| path.to_string_lossy().contains("{n}"));
        is_numbered && matches!(self.format, Format::Svg | Format::Dot)
    }

    /// Returns the request for the job of one instance, or of each line of a batch.
    pub fn request(&self) -> JobRequest {
        let Solve { choice, question, drawing, engine, program, memory, .. } = self.clone();
        // Drawing the K-th answer, or each answer to its own file, requires all answers in order.
        let draws_later = self.writes_numbered_files() || drawing.answer > Some(1);
        let takes_all = draws_later && !question.unique && !question.sample;
        let models = question.models.or(takes_all.then_some(0));
        let show = match self.format {
            Format::Html => Show::Page,
            format if format.is_picture() => Show::Pictures,
            Format::Text if self.common.quiet && !self.batch => Show::Verdict,
            _ => Show::Answers,
        };
        JobRequest {
            choice,
            question: QuestionArgs { models, ..question },
            drawing,
            engine,
            program,
            memory,
            // In a batch `--threads` is the number of workers.
            threads: self.common.threads.filter(|_| !self.batch),
            format: if self.batch { Format::Json } else { self.format },
            show,
            verbose: self.verbose,
            is_batch: self.batch,
            texts: Vec::new(),
        }
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
    /// Size of the printed pages (html) [default: a4]
    #[arg(long, value_enum, value_name = "SIZE")]
    pub page_size: Option<picture::page::PageSize>,
    #[arg(long, value_name = "FILE", value_parser = output_path(), help = concat!(
        "Write the certificate that there is one solution to FILE, for `asp-solve verify`; with ", braces!(), " as in --output"
    ))]
    pub proof: Option<PathBuf>,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub scale_args: ScaleArgs,
    #[command(flatten)]
    pub folder: FolderArgs,
}

/// Adds `play` and `generate` with a subcommand for each puzzle that has the tool, `watch`, and the
/// tools that take instances. There are hundreds of generators, so commands get their arguments
/// when they are used.
fn with_tool_commands(command: Command) -> Command {
    let sub = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).subcommand_required(true).subcommand_value_name("PUZZLE")
    };
    let play = sub("play", "Let a bot play many games and report").defer(|command| {
        let players = tools_of(registry().all()).filter(|(_, tool)| tool.input() == ToolInput::Nothing);
        players.fold(command, |command, (entry, tool)| {
            command.subcommand(with_tool::<Play>(&*tool, Command::new(entry.name())))
        })
    });
    let generate = sub("generate", "Generate new instances").defer(|command| {
        let generators = tools_of(registry().all()).filter(|(_, tool)| tool.input() == ToolInput::Seed);
        generators.fold(command, |command, (entry, tool)| {
            command.subcommand(with_tool::<Generate>(&*tool, Command::new(entry.name())))
        })
    });
    let watch = Command::new("watch").about("Solve again whenever a file is saved, and show what changed");
    let watch = watch.defer(|command| with_solve_help(Watch::augment_args(command)));
    let solve = Command::new("solve").about("Solve an instance; the word `solve` may be left out");
    let solve = solve.defer(|command| with_solve_help(Solve::augment_args(command)));
    let split =
        Command::new("split").about("Split a hard board or program into a batch, whose results `merge` combines");
    let split = split.defer(|command| {
        let splitters = tools_of(registry().natives()).filter(|(_, tool)| tool.input() == ToolInput::Batch);
        splitters.fold(Split::augment_args(command), |command, (_, tool)| tool.options().augment(command))
    });
    let command = command.subcommand(solve).subcommand(generate).subcommand(play).subcommand(watch).subcommand(split);
    tools_of(registry().natives())
        .filter(|(_, tool)| tool.input() == ToolInput::Instance)
        .fold(command, |command, (_, tool)| command.subcommand(with_tool::<Inspect>(&*tool, Command::new(tool.name()))))
}

/// Replaces the help texts of the common options by those for solving.
fn with_solve_help(command: Command) -> Command {
    const OUTPUT: &str = concat!(
        "Write to a file, completely or not at all (with --batch: line by line); without -f, the extension svg, png, \
          html, json or dot chooses the format; with ",
        braces!(),
        " in its name (svg, png, dot) each answer has a file of its own, with its number for the ",
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
    let command = A::augment_args(tool.options().augment(command.about(tool.about())));
    let command = if tool.takes_any_puzzle() { PuzzleArgs::augment_args(command) } else { command };
    command.mut_arg("format", |option| formats(option, tool.formats()))
}

/// Returns the tools of puzzles, each with its puzzle. Only native puzzles have tools that take
/// instances; to ask the others would parse all definitions.
fn tools_of(
    puzzles: &'static [Arc<dyn AnyPuzzle>],
) -> impl Iterator<Item = (&'static Arc<dyn AnyPuzzle>, Box<dyn Tool>)> {
    puzzles.iter().flat_map(|entry| entry.tools().into_iter().map(move |tool| (entry, tool)))
}

/// `0.1.0 (clingo 5.8.3)`.
pub fn version() -> String {
    format!("{} (clingo {})", env!("CARGO_PKG_VERSION"), asp::clingo_version())
}

/// Lists the commands in groups at the top of the help.
fn with_grouped_help(command: Command) -> Command {
    const HEADING: anstyle::Style = anstyle::Style::new().bold().underline();
    const NAME: anstyle::Style = anstyle::Style::new().bold();
    let is_grouped = |name: &str| COMMAND_GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others = command.get_subcommands().map(Command::get_name).filter(|name| !is_grouped(name)).collect();
    let groups = COMMAND_GROUPS.iter().map(|(heading, names)| (*heading, names.to_vec())).chain([("Other", others)]);
    let mut list = String::new();
    for (heading, names) in groups {
        list += &format!("{HEADING}{heading}:{HEADING:#}\n");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            list += &format!("  {NAME}{:<13}{NAME:#}{about}\n", subcommand.get_name());
        }
        list.push('\n');
    }
    let template = format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{{all-args}}{{after-help}}");
    // Hidden commands are not listed a second time.
    command.mut_subcommands(|subcommand| subcommand.hide(true)).help_template(template)
}

/// Returns the whole command.
pub fn command() -> Command {
    with_tool_commands(with_solve_help(Cli::command().version(version())))
}

/// A parsed command line. There is only one per run, so its size does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Parsed {
    Solve(Solve),
    Command(Sub),
    Play(ToolCall, Play),
    Generate(ToolCall, Generate),
    /// The second field contains the arguments after the word `watch`.
    Watch(Watch, Vec<OsString>),
    Inspect(ToolCall, Inspect),
    /// The tools that split the instances of their puzzles.
    Split(Vec<ToolCall>, Split),
}

/// A tool with its options.
pub struct ToolCall {
    /// The puzzle that the tool belongs to.
    pub entry: Arc<dyn AnyPuzzle>,
    pub tool: Box<dyn Tool>,
    pub options: OptionSet,
    /// The puzzle and its rules, if the tool takes instances of any puzzle.
    pub choice: PuzzleArgs,
    /// The options of the tool that the user gave.
    pub given: Vec<String>,
}

impl ToolCall {
    fn new((entry, tool): (&Arc<dyn AnyPuzzle>, Box<dyn Tool>), matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = OptionSet::default();
        tool.options().read(matches, &mut options)?;
        let choice =
            if tool.takes_any_puzzle() { PuzzleArgs::from_arg_matches(matches)? } else { PuzzleArgs::default() };
        let given = tool.options().given(matches);
        Ok(ToolCall { entry: entry.clone(), tool, options, choice, given })
    }
}

/// Parses the arguments.
pub fn parse(arguments: Vec<OsString>) -> Result<Parsed, clap::Error> {
    if arguments.len() < 2 {
        return Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, getting_started()));
    }
    let mut command = with_grouped_help(command());
    usage::reject_glued_flags(&arguments, &command)?;
    let mut matches =
        command.try_get_matches_from_mut(&arguments).map_err(|error| usage::explain(error, &arguments, &command))?;
    if let Some(arguments) = extension::with_format(&arguments, &matches, &command)? {
        matches = command.try_get_matches_from_mut(arguments)?;
    }
    select_png(&matches)?;
    let (name, inner) = matches.subcommand().unwrap_or(("solve", &matches));
    match (name, inner.subcommand()) {
        ("solve", _) => {
            let solve = Solve::from_arg_matches(inner)?;
            solve.files.first().map_or(Ok(()), |file| usage::reject_command_name(file, &arguments, &command))?;
            Ok(Parsed::Solve(solve))
        }
        ("watch", _) => {
            let watch = Watch::from_arg_matches(inner)?;
            if !watch.run {
                // The subcommand is the first argument.
                return Ok(Parsed::Watch(watch, arguments.into_iter().skip(2).collect()));
            }
            let mut solve = Solve { format: Format::Lines, ..watch.solve };
            solve.common.output_args.color = if watch.run_in_color { ColorWhen::Always } else { ColorWhen::Never };
            Ok(Parsed::Solve(solve))
        }
        ("split", _) => {
            let splitters = tools_of(registry().natives()).filter(|(_, tool)| tool.input() == ToolInput::Batch);
            let calls = splitters.map(|splitter| ToolCall::new(splitter, inner)).collect::<Result<_, _>>()?;
            Ok(Parsed::Split(calls, Split::from_arg_matches(inner)?))
        }
        ("play" | "generate", Some((puzzle, inner))) => {
            let is_requested =
                |(entry, tool): &(&Arc<dyn AnyPuzzle>, Box<dyn Tool>)| entry.name() == puzzle && tool.name() == name;
            let found = tools_of(registry().all()).find(is_requested);
            let call = ToolCall::new(found.expect("only those that have the tool have the subcommand"), inner)?;
            Ok(match call.tool.input() {
                ToolInput::Seed => Parsed::Generate(call, Generate::from_arg_matches(inner)?),
                _ => Parsed::Play(call, Play::from_arg_matches(inner)?),
            })
        }
        _ => match tools_of(registry().natives()).find(|(_, tool)| tool.name() == name) {
            Some(found) => Ok(Parsed::Inspect(ToolCall::new(found, inner)?, Inspect::from_arg_matches(inner)?)),
            None => Ok(Parsed::Command(Sub::from_arg_matches(&matches)?)),
        },
    }
}

/// The usual number of pixels for each unit of a picture: a cell of a board is 32 units wide.
const PNG_SCALE: f64 = 2.0;

/// Lets pictures be written as PNG if `--format png` is given, which is another name of `svg` for
/// everything else.
fn select_png(matches: &ArgMatches) -> Result<(), clap::Error> {
    let mut inner = matches;
    while let Some((_, next)) = inner.subcommand() {
        inner = next;
    }
    let mut formats = inner.try_get_raw("format").ok().flatten().into_iter().flatten();
    let scale = inner.try_get_one::<f64>("scale").ok().flatten();
    match (formats.any(|format| format == "png"), scale) {
        (true, _) if cfg!(not(feature = "png")) => {
            let text = "-f png: this program was built without the feature `png`; -f svg writes a picture\n";
            Err(clap::Error::raw(ErrorKind::InvalidValue, text))
        }
        (true, scale) => {
            output::write_png(scale.copied().unwrap_or(PNG_SCALE));
            Ok(())
        }
        (false, Some(_)) => Err(clap::Error::raw(ErrorKind::ArgumentConflict, "--scale: only -f png has pixels\n")),
        (false, None) => Ok(()),
    }
}

/// Returns the message for an empty command line.
fn getting_started() -> String {
    let lines = FIRST_COMMANDS.map(|(line, words)| format!("  {line:<34}{words}\n")).concat();
    format!("nothing to solve was given. Try\n\n{lines}\nasp-solve --help has all commands and options.\n")
}

/// Returns the names of boards for completion.
fn board_candidates() -> Vec<CompletionCandidate> {
    board_names().into_iter().map(CompletionCandidate::new).collect()
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
    let mut command = command();
    command.build();
    let pages = command.get_subcommands().flat_map(pages_of).collect::<Vec<_>>();
    pages.into_iter().map(|(name, about)| CompletionCandidate::new(name).help(about)).collect()
}
