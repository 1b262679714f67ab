//! `compare`: checks whether two encodings have the same answers on some instances, and which is
//! faster.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use anstyle::{AnsiColor, Style as Ansi};
use asp::{Settings, to_text};
use author::compare::{
    self, CompareLimits, Comparison, ComparisonOutcome, Difference, Side, SideAnswers, StepProgress, Times, spread,
};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use base::style::Style;
use base::words::{count, did_you_mean, sanitize};
use clap::Args;
use drawing::Drawing;
use prover::{Certification, CertifyMode};
use puzzle::Format;
use puzzle::job::Job;
use serde_json::{Value, json};

use super::groups::{CommonArgs, FormatArgs, MemoryArgs, ProgramArgs, PuzzleArgs, formats};
use super::puzzles::registry;
use super::request::{JobRequest, build_job};
use super::runner::Runner;
use super::values::{PuzzleName, seconds, whole_number};
use super::{input, messages, output, sources};

// (Not a doc comment: clap would show it as the command's description.)
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json])))]
pub struct Compare {
    /// An encoding: a file, or a name that the puzzle gives one; without instances, a whole program
    #[arg(value_name = "A")]
    pub one: PathBuf,
    /// The encoding to compare with
    #[arg(value_name = "B")]
    pub other: PathBuf,
    /// Instances to solve with A and B; - is standard input
    #[arg(value_name = "INSTANCE")]
    pub instances: Vec<PathBuf>,
    /// Read the instances as this puzzle (`asp-solve list` shows all)
    #[arg(short, long, value_name = "NAME", value_parser = PuzzleName)]
    pub puzzle: Option<String>,
    /// Compare on generated instances too: the arguments of `asp-solve generate`, such as 'sudoku
    /// --size 6x6'
    #[arg(long, value_name = "PUZZLE OPTIONS")]
    pub generate: Option<String>,
    /// With --generate: number of instances
    #[arg(long, value_name = "N", default_value_t = 10, requires = "generate", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: u64,
    /// With --generate: the same seed makes the same instances
    #[arg(long, value_name = "S", default_value_t = 1, requires = "generate")]
    pub seed: u64,
    /// Number of timed runs of each encoding, alternating; 0 for none
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub runs: u8,
    /// End a timed run after N answers, 0 for all [default: 1; for optimisation the optimum]
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true, value_parser = whole_number)]
    pub models: Option<u64>,
    /// Where the two are the same, certify that neither has other answers
    #[arg(long)]
    pub certify: bool,
    /// Seconds to look for answers of each encoding on an instance
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    pub each: f64,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Texts that stand in the place of files of their names
    #[arg(skip)]
    pub texts: Vec<Document>,
}

/// The result of comparing the encodings on one instance.
struct InstanceComparison {
    instance: String,
    comparison: Comparison,
    /// A drawing of the first difference; empty if it cannot be drawn.
    drawing: String,
    times: [Times; 2],
}

/// An instance: a file or a generated text; `None` if the two encodings are whole programs.
#[derive(Clone)]
enum Instance {
    None,
    File(PathBuf),
    Generated(Document),
}

/// Compares, reports and returns the exit code.
pub fn compare(args: Compare) -> i32 {
    let output_args = &args.common.output_args;
    let format = args.format_args.format;
    sources::record_named(args.instances.iter().chain([&args.one, &args.other]));
    let mut runner = Runner::new(args.common.limits(args.memory), !args.common.quiet);
    let (sender, receiver) = mpsc::channel();
    let task_args = args.clone();
    let work = move |_: &mut Vec<Document>, stop: &CancelToken| {
        compare_all(&task_args, &sender, stop).map(|()| stop.requested())
    };
    let mut compared: Vec<InstanceComparison> = Vec::new();
    let progress = || {
        compared.extend(receiver.try_iter());
        Some(count(compared.len(), "instance", "instances"))
    };
    let (failure, stopped) = match runner.run_fallible(work, progress).0 {
        Ok(stop_reason) => (None, stop_reason.unwrap_or_else(Some)),
        Err(failure) => (Some(failure), None),
    };
    compared.extend(receiver.try_iter());
    // Report the instances that were compared before the failure first.
    if let Some(failure) = &failure
        && compared.is_empty()
    {
        return output_args.fail(failure, &[]);
    }
    let style = Style { width: None, ..args.common.style() };
    let names = [&args.one, &args.other].map(|path| sanitize(&path.display().to_string()));
    let is_complete_run = failure.is_none() && stopped.is_none();
    let report = ComparisonReport { names, compared: &compared, is_complete_run, style };
    let text = if format == Format::Json { format!("{:#}\n", report.json()) } else { report.text() };
    output_args.conclude(&text, || {
        let defects = report.compared.iter().filter_map(|instance| instance.comparison.defect.clone());
        output_args.print_messages(&defects.collect::<Vec<_>>(), &[]);
        if let Some(reason) = stopped {
            messages::gave_up(reason);
        }
        failure.map_or_else(|| report.exit_code(), |failure| output_args.fail(&failure, &[]))
    })
}

/// Compares, and returns what the command prints, as text and as JSON.
pub fn written(args: &Compare, stop: &CancelToken) -> Result<[String; 2], Failure> {
    let (sender, receiver) = mpsc::channel();
    compare_all(args, &sender, stop)?;
    drop(sender);
    let compared: Vec<InstanceComparison> = receiver.iter().collect();
    let names = [&args.one, &args.other].map(|path| sanitize(&path.display().to_string()));
    let is_complete_run = stop.requested().is_none();
    let report = ComparisonReport { names, compared: &compared, is_complete_run, style: Style::default() };
    Ok([report.text(), report.json().to_string()])
}

/// Compares the encodings on one instance after the other.
fn compare_all(args: &Compare, sender: &Sender<InstanceComparison>, stop: &CancelToken) -> Result<(), Failure> {
    let generator = args.generate.as_deref().map(|words| Generator::of(words, args)).transpose()?;
    let files = args.instances.iter().cloned().map(|path| Ok(Instance::File(path)));
    let generated_instances =
        (0..args.count).filter_map(|number| Some(generator.as_ref()?.instance(number, stop).map(Instance::Generated)));
    let no_instance = (args.instances.is_empty() && generator.is_none()).then_some(Ok(Instance::None));
    for instance in files.chain(generated_instances).chain(no_instance) {
        let instance = instance?;
        if stop.requested().is_some() {
            break;
        }
        let _ = sender.send(compare_on(args, &instance, stop)?);
    }
    Ok(())
}

fn compare_on(args: &Compare, instance: &Instance, stop: &CancelToken) -> Result<InstanceComparison, Failure> {
    let sides = [build_side(args, &args.one, instance, stop)?, build_side(args, &args.other, instance, stop)?];
    let settings = args.program.settings();
    let certify = if args.certify { CertifyMode::Check } else { CertifyMode::No };
    let limits = CompareLimits::with_patience(Duration::from_secs_f64(args.each));
    let comparison = compare::compare(&sides, &settings, certify, limits, stop)?;
    let drawing = match &comparison.outcome {
        ComparisonOutcome::Answer(difference) | ComparisonOutcome::Costs(Some(difference)) => {
            draw_difference(difference, args)
        }
        _ => String::new(),
    };
    let settings = Settings { models: args.models, threads: args.common.threads.map(usize::from), ..settings };
    // A search that was stopped is not run again for its time.
    let is_stopped = comparison.steps.iter().flatten().any(|steps| steps.is_stopped);
    let runs = if is_stopped { 0 } else { args.runs.into() };
    let times = compare::times(&sides, &settings, runs, stop)?;
    let instance = match instance {
        Instance::None => String::new(),
        Instance::File(path) => path.display().to_string(),
        Instance::Generated(document) => document.name.clone(),
    };
    Ok(InstanceComparison { instance, comparison, drawing, times })
}

/// Builds the program of an encoding with an instance, as for solving.
fn build_side(args: &Compare, encoding: &Path, instance: &Instance, stop: &CancelToken) -> Result<Side, Failure> {
    let (files, encodings) = match instance {
        Instance::None => (vec![encoding.to_owned()], Vec::new()),
        Instance::File(path) => (vec![path.clone()], vec![encoding.to_owned()]),
        Instance::Generated(_) => (Vec::new(), vec![encoding.to_owned()]),
    };
    let choice = PuzzleArgs { encoding: encodings, puzzle: args.puzzle.clone() };
    let (program, memory, texts) = (args.program.clone(), args.memory, args.texts.clone());
    let request = JobRequest { choice, program, memory, texts, ..JobRequest::default() };
    let mut documents = match instance {
        Instance::Generated(document) => vec![document.clone()],
        _ => input::read_or_take_all(&files, &args.texts, stop)?,
    };
    let (entry, job) = build_job(&request, &mut documents, stop)?;
    let program = entry.open(job)?.program()?;
    if let Some(path) = args.common.output_args.file() {
        output::reject_input_overwrite("--output", path)?;
    }
    Ok(Side { name: encoding.display().to_string(), program })
}

/// Draws the answer with the drawing rules of the encoding that has it, if any.
fn draw_difference(difference: &Difference, args: &Compare) -> String {
    let style = args.common.style();
    Drawing::of(&difference.true_atoms, "answer").map(|(drawing, _)| drawing.text(&style)).unwrap_or_default()
}

struct Generator {
    tool: Box<dyn puzzle::Tool>,
    job: Job,
    seed: u64,
    words: String,
}

impl Generator {
    fn of(words: &str, args: &Compare) -> Result<Generator, Failure> {
        let name = words.split_whitespace().next().unwrap_or_default();
        let wrong = |text: String| Failure::from(Diagnostic::error(Code::Usage, text));
        let tool = registry().by_name(name).and_then(|entry| crate::facade::generator(entry.tools()));
        let tool = tool.ok_or_else(|| {
            let suggestion = did_you_mean(name, registry().all().iter().map(|entry| entry.name()));
            wrong(format!("--generate {name}{suggestion}: no such generator (asp-solve generate --help)"))
        })?;
        let options = words.trim_start().strip_prefix(name).unwrap_or_default();
        let options = tool.options().parse("--generate", options.split_whitespace())?;
        let mut job = Job { options, ..Job::default() };
        let encodings = tool.encoding().map(|encoding| input::encoding(encoding, args.program.folder.path()));
        job.sources.encodings = encodings.transpose()?.unwrap_or_default();
        job.engine.cache = input::cache();
        Ok(Generator { tool, job, seed: args.seed, words: words.to_owned() })
    }

    /// Generates an instance, named by the command that reproduces it.
    fn instance(&self, number: u64, stop: &CancelToken) -> Result<Document, Failure> {
        let seed = self.seed.wrapping_add(number);
        let mut show = |_: &str| ControlFlow::Continue(());
        let console = &mut puzzle::Console { progress: &|_, _| {}, show: &mut show, delay: None, sheet: Vec::new() };
        let job = Job { seed, stop: stop.clone(), ..self.job.clone() };
        let generated = self.tool.run(&job, console)?;
        let name = format!("generate {} --seed {seed}", self.words);
        if generated.output.is_empty() {
            return Err(Diagnostic::error(Code::Unfulfilled, format!("{name}: no instance was generated")).into());
        }
        Ok(Document::in_memory(name, generated.output))
    }
}

/// Returns the number of answers that were found.
fn number(answers: &SideAnswers) -> String {
    let least = if answers.is_complete { "" } else { "at least " };
    format!("{least}{}", count(answers.answers, "answer", "answers"))
}

/// Describes the last step that an incremental program reached.
fn describe_steps(steps: StepProgress) -> String {
    let StepProgress { last, has_answer, .. } = steps;
    if has_answer { format!("its first answer in step {last}") } else { format!("no answer up to step {last}") }
}

/// Renders the comparisons as text or JSON.
struct ComparisonReport<'a> {
    names: [String; 2],
    compared: &'a [InstanceComparison],
    /// True if no limit and no error ended the run early.
    is_complete_run: bool,
    style: Style,
}

impl ComparisonReport<'_> {
    /// Returns 1 if a difference is proven, 3 if the result is unknown, and 0 if all are the same.
    fn exit_code(&self) -> i32 {
        let is = |wanted: fn(&ComparisonOutcome) -> bool| {
            self.compared.iter().any(|instance| wanted(&instance.comparison.outcome))
        };
        if is(|outcome| matches!(outcome, ComparisonOutcome::Answer(_) | ComparisonOutcome::Costs(_))) {
            return 1;
        }
        if !self.is_complete_run || is(|outcome| matches!(outcome, ComparisonOutcome::Unproven)) { 3 } else { 0 }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for instance in self.compared {
            let heading = if instance.instance.is_empty() { String::new() } else { format!("{}: ", instance.instance) };
            let verdict = self.verdict(&instance.comparison);
            let color = match instance.comparison.outcome {
                ComparisonOutcome::Same => AnsiColor::Green,
                ComparisonOutcome::Unproven => AnsiColor::Yellow,
                _ => AnsiColor::Red,
            };
            let bold = Ansi::new().bold();
            out += &format!(
                "{}{}\n",
                self.style.paint(bold, &heading),
                self.style.paint(bold.fg_color(Some(color.into())), &verdict)
            );
            if self.style.quiet {
                continue;
            }
            if let ComparisonOutcome::Answer(difference) | ComparisonOutcome::Costs(Some(difference)) =
                &instance.comparison.outcome
            {
                out += &self.difference(difference, &instance.drawing);
            }
            for (name, left_out) in
                self.names.iter().zip(&instance.comparison.left_out).filter(|(_, all)| !all.is_empty())
            {
                let _ = writeln!(out, "  not compared: {}, which only {name} shows", left_out.join(", "));
            }
            out += &self.times(&instance.times);
        }
        if self.compared.len() > 1 {
            out += &self.summary();
        }
        out
    }

    fn verdict(&self, comparison: &Comparison) -> String {
        let [one, other] = &comparison.found;
        let costs = |answers: &SideAnswers| answers.costs.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let has_optimum = one.is_complete || comparison.is_by_search;
        let cost = if has_optimum && !one.costs.is_empty() && one.answers > 0 && !comparison.ignores_costs {
            format!(" at cost {}", costs(one))
        } else {
            String::new()
        };
        let mut words = match &comparison.outcome {
            ComparisonOutcome::Same if one.answers == 0 => "the same: no answer".to_owned(),
            ComparisonOutcome::Same if comparison.is_by_search => {
                format!("the same: {}{cost}; a search for an answer of only one of them found none", number(one))
            }
            ComparisonOutcome::Same => format!("the same: {}{cost}", number(one)),
            ComparisonOutcome::Unproven => self.unproven(comparison),
            ComparisonOutcome::Costs(_) => {
                format!(
                    "different: the optimum of {} costs {}, that of {} {}",
                    self.names[0],
                    costs(one),
                    self.names[1],
                    costs(other)
                )
            }
            ComparisonOutcome::Answer(_) => {
                format!("different: {} of {}, {} of {}", number(one), self.names[0], number(other), self.names[1])
            }
        };
        words = match comparison.steps {
            [Some(one), Some(other)] if (one.last, one.has_answer) != (other.last, other.has_answer) => {
                let (verdict, rest) = words.split_once(": ").unwrap_or((&words, ""));
                let [first, second] = &self.names;
                let came = format!("{first} has {}, {second} has {}", describe_steps(one), describe_steps(other));
                format!("{verdict}: {came}; in step {}: {rest}", one.last.min(other.last))
            }
            [Some(StepProgress { last, has_answer: true, .. }), _]
            | [_, Some(StepProgress { last, has_answer: true, .. })] => {
                format!("{words} in step {last}")
            }
            _ => words,
        };
        if comparison.ignores_costs {
            words += " (only one of them minimises: costs are ignored)";
        }
        match &comparison.certificate {
            Some(Certification { why: Some(why), .. }) => words += &format!("; not certified: {why}"),
            Some(certificate) => words += &format!("; certified{}", certificate.in_steps()),
            None => {}
        }
        words
    }

    /// Says what was searched if no difference was found.
    fn unproven(&self, comparison: &Comparison) -> String {
        let sides = || self.names.iter().zip(&comparison.found);
        let numbers: Vec<String> = sides().map(|(name, found)| format!("{} of {name}", number(found))).collect();
        let mut words = format!("no difference found, but the search was incomplete: {}", numbers.join(", "));
        for (name, why) in self.names.iter().zip(&comparison.undecided) {
            if let Some(why) = why {
                let _ = write!(words, "; {name}: {why}");
            }
        }
        words
    }

    /// Describes an answer that one encoding has and the other rejects, and the reason.
    fn difference(&self, difference: &Difference, drawing: &str) -> String {
        let holder = &self.names[difference.holder];
        let refuser = &self.names[1 - difference.holder];
        let atoms: Vec<String> = difference.atoms.iter().map(|&atom| sanitize(&to_text(atom))).collect();
        let atoms = if atoms.is_empty() { "nothing".to_owned() } else { atoms.join(" ") };
        let mut out = format!("  an answer of {holder} that {refuser} refuses:\n");
        out += &if drawing.is_empty() { format!("    {atoms}\n") } else { drawing.to_owned() };
        if !difference.underivable.is_empty() {
            let atoms: Vec<String> = difference.underivable.iter().map(|&atom| sanitize(&to_text(atom))).collect();
            let _ = writeln!(out, "  {refuser} never derives {}", atoms.join(" "));
        }
        for part in &difference.because {
            let place = part
                .place
                .as_ref()
                .map_or(String::new(), |place| format!("{}:{}: ", sanitize(&place.file), place.start.line));
            let words: &str = if part.words.is_empty() { &part.text } else { &part.words };
            let _ = writeln!(out, "  - {place}{}", sanitize(words));
        }
        out
    }

    fn times(&self, times: &[Times; 2]) -> String {
        let mut out = String::new();
        let width = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for (name, times) in self.names.iter().zip(times) {
            if let [Some(whole), Some(grounding), Some(solving)] =
                [&times.totals(), &times.grounding, &times.solving].map(|times| spread(times))
            {
                let words = |[median, least, most]: [Duration; 3]| {
                    format!("{:.3} s ({:.3} to {:.3})", median.as_secs_f64(), least.as_secs_f64(), most.as_secs_f64())
                };
                let _ = writeln!(
                    out,
                    "  {name:<width$}  {}; grounding {}, solving {}",
                    words(whole),
                    words(grounding),
                    words(solving)
                );
            }
        }
        if let Some(words) = self.faster(times) {
            let _ = writeln!(out, "  {words}");
        }
        out
    }

    /// Names the faster encoding, if its slowest run is faster than the other's fastest.
    fn faster(&self, times: &[Times; 2]) -> Option<String> {
        let [one, other] = [spread(&times[0].totals())?, spread(&times[1].totals())?];
        let runs = times[1].solving.len();
        let ratio = |slow: [Duration; 3], fast: [Duration; 3]| {
            slow[0].as_secs_f64() / fast[0].as_secs_f64().max(f64::MIN_POSITIVE)
        };
        let (name, ratio) = if one[2] < other[1] {
            (&self.names[0], ratio(other, one))
        } else if other[2] < one[1] {
            (&self.names[1], ratio(one, other))
        } else {
            return Some(format!("neither is faster than the other in all of {}", count(runs, "run", "runs")));
        };
        Some(format!("{name} is {ratio:.2} times as fast ({} of each, in turn)", count(runs, "run", "runs")))
    }

    fn summary(&self) -> String {
        let of = |wanted: fn(&ComparisonOutcome) -> bool| {
            self.compared.iter().filter(|instance| wanted(&instance.comparison.outcome)).count()
        };
        let same = of(|outcome| matches!(outcome, ComparisonOutcome::Same));
        let unproven = of(|outcome| matches!(outcome, ComparisonOutcome::Unproven));
        let different = self.compared.len() - same - unproven;
        let mut words = vec![format!("the same on {}", count(same, "instance", "instances"))];
        if different > 0 {
            words.push(format!("different on {different}"));
        }
        if unproven > 0 {
            words.push(format!("unknown on {unproven}"));
        }
        let mut out = format!("\n{}\n", self.style.paint(Ansi::new().bold(), &words.join(", ")));
        let medians = |side: usize| -> Option<Duration> {
            self.compared.iter().map(|instance| Some(spread(&instance.times[side].totals())?[0])).sum()
        };
        if let [Some(one), Some(other)] = [medians(0), medians(1)] {
            let _ = writeln!(
                out,
                "medians added up: {} {:.3} s, {} {:.3} s",
                self.names[0],
                one.as_secs_f64(),
                self.names[1],
                other.as_secs_f64()
            );
        }
        out
    }

    fn json(&self) -> Value {
        let atoms = |atoms: &[asp::Symbol]| atoms.iter().map(|&atom| to_text(atom)).collect::<Vec<_>>();
        let difference = |difference: &Difference| {
            json!({
                "answer_of": self.names[difference.holder],
                "refused_by": self.names[1 - difference.holder],
                "atoms": atoms(&difference.atoms),
                "never_derived": atoms(&difference.underivable),
                "because": difference.because.iter().map(explain::Part::json).collect::<Vec<_>>(),
            })
        };
        let of_times = |times: &[Duration]| times.iter().map(Duration::as_secs_f64).collect::<Vec<_>>();
        let comparison_json = |comparison_json: &InstanceComparison| {
            let Comparison { common, found, steps, outcome, ignores_costs, is_by_search, undecided, .. } =
                &comparison_json.comparison;
            let (verdict, shown) = match outcome {
                ComparisonOutcome::Same => ("same", None),
                ComparisonOutcome::Unproven => ("unknown", None),
                ComparisonOutcome::Costs(shown) => ("different", shown.as_ref()),
                ComparisonOutcome::Answer(shown) => ("different", Some(shown)),
            };
            let sides: Vec<Value> = (0..2)
                .map(|side| {
                    let mut object = json!({
                        "encoding": self.names[side], "answers": found[side].answers, "complete": found[side].is_complete,
                        "costs": found[side].costs, "grounding": of_times(&comparison_json.times[side].grounding),
                        "solving": of_times(&comparison_json.times[side].solving),
                    });
                    if let Some(StepProgress { last, has_answer, .. }) = steps[side] {
                        object["last_step"] = json!(last);
                        object["has_answer"] = json!(has_answer);
                    }
                    if let Some(why) = &undecided[side] {
                        object["undecided"] = json!(why);
                    }
                    object
                })
                .collect();
            let mut object = json!({
                "instance": comparison_json.instance, "verdict": verdict, "predicates": common, "costs_ignored": ignores_costs, "by_search": is_by_search,
                "sides": sides, "difference": shown.map(difference),
            });
            if let Some(certificate) = &comparison_json.comparison.certificate {
                object["certificate"] = certificate.json();
            }
            object
        };
        let verdict = match self.exit_code() {
            1 => "different",
            0 => "same",
            _ => "unknown",
        };
        json!({ "schema": 1, "verdict": verdict, "instances": self.compared.iter().map(comparison_json).collect::<Vec<_>>() })
    }
}
