//! Groups of options that several commands share.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::stream::RawStream;
use asp::Settings;
use base::diagnostic::{Diagnostic, Failure};
use base::document::Document;
use base::style::Style;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum};
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter};
use puzzle::Format;

use super::completion::{encoding_candidates, engine_candidates};
use super::graph_args::GraphArgs;
use super::runner::Limits;
use super::values::{PuzzleName, constant, output_path, scale, seconds, warning, warnings_help, whole_number};
use super::{messages, output, terminal};
use crate::builtin;

// (No doc comments on groups: clap would show them as a command's description.)
#[derive(Debug, Clone, Default, Args)]
pub struct OutputArgs {
    /// Write to a file, completely or not at all; without -f, the extension svg, png, html, json or
    /// dot chooses the format; - is standard output
    #[arg(short, long, value_name = "FILE", value_parser = output_path())]
    output: Option<PathBuf>,
    /// Colours in the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorWhen,
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
            ColorWhen::Always => {
                terminal::enable_escapes();
                true
            }
            ColorWhen::Never => false,
            ColorWhen::Auto => {
                anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never && terminal::enable_escapes()
            }
        }
    }

    /// Returns the width of the terminal that the output goes to.
    pub fn width(&self) -> Option<usize> {
        self.file().is_none().then(terminal::width).flatten()
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

#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ScaleArgs {
    /// Pixels for each unit of the picture; a cell of a board has 32 units (png) [default: 2]
    #[arg(long, value_name = "N", value_parser = scale)]
    pub scale: Option<f64>,
}

/// Restricts the option `--format` to the formats `known`.
pub fn formats(option: Arg, known: &'static [Format]) -> Arg {
    // Commands that write an instance write it as a plan or as facts, so `text` and `asp` also have
    // these names.
    let writes_instance = known.contains(&Format::Asp) && !known.contains(&Format::ClingoJson);
    let value = move |format: &Format| {
        let value = format.to_possible_value()?;
        Some(match format {
            Format::Text if writes_instance => value.alias("plan"),
            Format::Asp if writes_instance => value.alias("facts"),
            _ => value,
        })
    };
    // The output turns the picture into pixels.
    let pixels = |format: &Format| {
        let is_picture = *format == Format::Svg;
        is_picture.then(|| PossibleValue::new("png").help("The first frame of the picture in pixels"))
    };
    let values = move |format: &Format| value(format).into_iter().chain(pixels(format));
    let parser = PossibleValuesParser::new(known.iter().flat_map(values));
    let is_named = move |format: &Format, name: &str| values(format).any(|value| value.matches(name, false));
    option.value_parser(
        parser
            .map(move |name| known.iter().copied().find(|format| is_named(format, &name)).expect("it is one of them")),
    )
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

// Options about the number and the certainty of answers.
#[derive(Debug, Clone, Default, Args)]
pub struct QuestionArgs {
    /// At most N answers, 0 for all [default: 1; for optimisation the optimum]
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true, value_parser = whole_number)]
    pub models: Option<u64>,
    /// Check that there is exactly one solution; exit code 1 if there is none or a second one
    #[arg(long, conflicts_with_all = ["models", "answer"])]
    pub unique: bool,
    /// Draw the -n answers at random, each with the same probability; needs their exact number
    #[arg(long, conflicts_with_all = ["unique", "certify", "proof"])]
    pub sample: bool,
    /// With --sample: the same seed draws the same answers [default: 1]
    #[arg(long, value_name = "S", requires = "sample")]
    pub seed: Option<u64>,
    /// Select -n answers that differ as much as possible in what they show, and print a proven bound
    #[arg(long, requires = "models", conflicts_with_all = ["sample", "unique", "certify", "proof"])]
    pub diverse: bool,
    /// Certify "none", "no other", "all" and "least" by a proof that is checked without the solver
    /// [default: with --unique, of puzzles, if it is cheap; never with --batch]
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    #[arg(help_heading = "Options for proofs")]
    pub certify: Option<When>,
    /// Certify, and write the certificate to FILE for `asp-solve verify`; NAME.pbp is a proof for
    /// VeriPB, beside NAME.opb; with --batch only -, which writes each into its object
    #[arg(long, value_name = "FILE", value_parser = output_path(), help_heading = "Options for proofs")]
    pub proof: Option<PathBuf>,
}

/// Whether to do an expensive optional step, such as certification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    Always,
    Never,
}

// How answers are drawn.
#[derive(Debug, Clone, Default, Args)]
pub struct DrawingArgs {
    /// A logic program that draws answers, by draw(…) or clingraph's atoms
    #[arg(long, value_name = "FILE")]
    pub draw: Vec<PathBuf>,
    #[command(flatten)]
    pub graph_args: GraphArgs,
    /// Draw the K-th answer, or 0 for the board without one (svg, dot, html, penpa, pzprv3) [default: the first;
    /// for a page that can be played, the board]
    #[arg(long, value_name = "K")]
    pub answer: Option<usize>,
}

// What solves, and how far it searches.
#[derive(Debug, Clone, Default, Args)]
pub struct EngineArgs {
    /// The engine to solve with
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(engine_candidates))]
    pub engine: Option<String>,
    /// Native search: ignore solutions that cost more than D
    #[arg(long, value_name = "D")]
    pub depth_limit: Option<u32>,
    /// Native search: stop after N nodes
    #[arg(long, value_name = "N")]
    pub node_limit: Option<u64>,
    /// Native search: the lower bound that guides it [default: auto]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(builtin::heuristics()))]
    pub heuristic: Option<String>,
    /// Print statistics of the engine
    #[arg(long)]
    pub stats: bool,
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

    /// Returns the limits of a run, or of each line of a batch. Engines that poll the cancellation
    /// token need only a short grace period.
    pub fn limits(&self, memory: MemoryArgs) -> Limits {
        /// Grace period after a request to stop.
        const GRACE: Duration = Duration::from_millis(600);
        /// Time to report partial results after an engine was abandoned.
        const REPORT_GRACE: Duration = Duration::from_millis(150);
        let time = self.time_limit.map(Duration::from_secs_f64);
        // A run ends within twice its time limit plus `REPORT_GRACE`.
        Limits { time, memory: memory.bytes(), grace: time.map_or(GRACE, |limit| GRACE.min(limit + REPORT_GRACE)) }
    }

    /// Prints warnings, unless `--quiet` is given.
    pub fn warn(&self, warnings: &[Diagnostic], documents: &[Document]) {
        if !self.quiet {
            self.output_args.print_messages(warnings, documents);
        }
    }
}

// (Not a doc comment: clap would show it as the command's description.)
#[derive(Debug, Clone, Args)]
pub struct Split {
    /// The board or the program; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Logic programs, and boards of pencil puzzles: the number of cubes [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub into: Option<u32>,
    /// Split only the cubes that these results of a batch leave open, into N in all
    #[arg(long, value_name = "RESULTS")]
    pub again: Vec<PathBuf>,
    /// Logic programs, and boards of pencil puzzles: count the answers of the cubes, do not list them
    #[arg(long, conflicts_with = "again")]
    pub count: bool,
    #[command(flatten)]
    pub choice: PuzzleArgs,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub common: CommonArgs,
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
    pub scale_args: ScaleArgs,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
