//! `compare`: are two encodings the same on some instances, and which is faster.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use anstyle::{AnsiColor, Style as Ansi};
use clap::Args;
use serde_json::{Value, json};

use super::args::{self, Common};
use super::runner::Runner;
use super::writing::{Printed, formats};
use super::{asked, input, limits, messages, output, read};
use crate::asp::{Settings, to_text};
use crate::author::compare::{self, Comparison, Difference, Found, Outcome, Side, Steps, Times, spread};
use crate::certificate::Certify;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::drawing::Drawing;
use crate::ending::Certified;
use crate::job::Job;
use crate::puzzle;
use crate::report::{Format, Style};
use crate::stop::Stop;
use crate::words::{count, did_you_mean, shown};

// (No doc comment: it would be told as what the command does.)
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
    #[arg(short, long, value_name = "NAME", value_parser = args::PuzzleName)]
    pub puzzle: Option<String>,
    /// Compare on generated instances too: the arguments of `asp-solve generate`, such as 'sudoku --size 6x6'
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
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true, value_parser = args::whole_number)]
    pub models: Option<u64>,
    /// Where the two are the same, certify that neither has other answers
    #[arg(long)]
    pub certify: bool,
    /// Seconds to look for answers of each encoding on an instance
    #[arg(long, value_name = "S", default_value = "10", value_parser = args::seconds)]
    pub each: f64,
    #[command(flatten)]
    pub program: args::Program,
    #[command(flatten)]
    pub printed: Printed,
    #[command(flatten)]
    pub memory: args::Memory,
    #[command(flatten)]
    pub common: Common,
}

/// What was found on an instance.
struct Compared {
    instance: String,
    comparison: Comparison,
    /// The first difference, drawn.
    drawing: String,
    times: [Times; 2],
}

/// An instance: a file, or a text that was made; none where the two are whole programs.
#[derive(Clone)]
enum Instance {
    None,
    File(PathBuf),
    Made(Document),
}

/// Compares, tells and gives the exit code.
pub fn compare(args: Compare) -> i32 {
    let writing = &args.common.writing;
    let format = args.printed.format;
    input::remember_named(args.instances.iter().chain([&args.one, &args.other]));
    let mut runner = Runner::new(limits(&args.solve()), !args.common.quiet);
    let (told, heard) = mpsc::channel();
    let own = args.clone();
    let work = move |_: &mut Vec<Document>, stop: &Stop| all(&own, &told, stop).map(|()| stop.requested());
    let mut compared: Vec<Compared> = Vec::new();
    let progress = || {
        compared.extend(heard.try_iter());
        Some(count(compared.len(), "instance", "instances"))
    };
    let (failure, stopped) = match runner.attend(work, progress).0 {
        Ok(ended) => (None, ended.unwrap_or_else(Some)),
        Err(failure) => (Some(failure), None),
    };
    compared.extend(heard.try_iter());
    // What was compared before is told first.
    if let (Some(failure), true) = (&failure, compared.is_empty()) {
        return writing.fail(failure, &[]);
    }
    let style = Style { width: None, ..args.common.style() };
    let names = [&args.one, &args.other].map(|path| shown(&path.display().to_string()));
    let is_whole = failure.is_none() && stopped.is_none();
    let told = Told { names, compared: &compared, is_whole, style };
    let text = if format == Format::Json { format!("{:#}\n", told.json()) } else { told.text() };
    writing.conclude(&text, || {
        let defects = told.compared.iter().filter_map(|one| one.comparison.defect.clone());
        writing.say(&defects.collect::<Vec<_>>(), &[]);
        if let Some(reason) = stopped {
            messages::gave_up(reason);
        }
        failure.map_or_else(|| told.code(), |failure| writing.fail(&failure, &[]))
    })
}

/// Compares on one instance after the other.
fn all(args: &Compare, told: &Sender<Compared>, stop: &Stop) -> Result<(), Failure> {
    let generated = args.generate.as_deref().map(|words| Generator::of(words, args)).transpose()?;
    let files = args.instances.iter().cloned().map(|path| Ok(Instance::File(path)));
    let made =
        (0..args.count).filter_map(|number| Some(generated.as_ref()?.instance(number, stop).map(Instance::Made)));
    let none = (args.instances.is_empty() && generated.is_none()).then_some(Ok(Instance::None));
    for instance in files.chain(made).chain(none) {
        let instance = instance?;
        if stop.requested().is_some() {
            break;
        }
        let _ = told.send(compared(args, &instance, stop)?);
    }
    Ok(())
}

fn compared(args: &Compare, instance: &Instance, stop: &Stop) -> Result<Compared, Failure> {
    let sides = [side(args, &args.one, instance, stop)?, side(args, &args.other, instance, stop)?];
    let settings = args.program.settings();
    let certify = if args.certify { Certify::Check } else { Certify::No };
    let comparison = compare::compare(&sides, &settings, certify, Duration::from_secs_f64(args.each), stop)?;
    let drawing = match &comparison.outcome {
        Outcome::Answer(difference) | Outcome::Costs(Some(difference)) => drawn(difference, args),
        _ => String::new(),
    };
    let settings = Settings { models: args.models, threads: args.common.threads.map(usize::from), ..settings };
    // What came to no end is not waited for once more.
    let is_stopped = comparison.steps.iter().flatten().any(|steps| steps.is_stopped);
    let runs = if is_stopped { 0 } else { args.runs.into() };
    let times = compare::times(&sides, &settings, runs, stop)?;
    let instance = match instance {
        Instance::None => String::new(),
        Instance::File(path) => path.display().to_string(),
        Instance::Made(document) => document.name.clone(),
    };
    Ok(Compared { instance, comparison, drawing, times })
}

/// An encoding with an instance, put together as for solving.
fn side(args: &Compare, encoding: &Path, instance: &Instance, stop: &Stop) -> Result<Side, Failure> {
    let (files, encodings) = match instance {
        Instance::None => (vec![encoding.to_owned()], Vec::new()),
        Instance::File(path) => (vec![path.clone()], vec![encoding.to_owned()]),
        Instance::Made(_) => (Vec::new(), vec![encoding.to_owned()]),
    };
    let solve =
        args::Solve { files, choice: args::Choice { encoding: encodings, ..args.solve().choice }, ..args.solve() };
    let mut documents = match instance {
        Instance::Made(document) => vec![document.clone()],
        _ => read(&solve.files, stop)?,
    };
    let (entry, job) = asked(&solve, &mut documents, stop)?;
    let program = entry.open(job)?.program()?;
    if let Some(path) = args.common.writing.file() {
        output::refuse_inputs("--output", path)?;
    }
    Ok(Side { name: encoding.display().to_string(), program })
}

/// The answer as its own side draws it, if it does.
fn drawn(difference: &Difference, args: &Compare) -> String {
    let style = args.common.style();
    Drawing::of(&difference.all, "answer").map(|(drawing, _)| drawing.text(&style)).unwrap_or_default()
}

/// A generator of instances, with its options.
struct Generator {
    tool: &'static dyn puzzle::Tool,
    job: Job,
    seed: u64,
    words: String,
}

impl Generator {
    fn of(words: &str, args: &Compare) -> Result<Generator, Failure> {
        let name = words.split_whitespace().next().unwrap_or_default();
        let wrong = |text: String| Failure::from(Diagnostic::error(text));
        let tool = puzzle::named(name).and_then(|entry| puzzle::generator(entry.tools()));
        let tool = tool.ok_or_else(|| {
            let near = did_you_mean(name, args::puzzles());
            wrong(format!("--generate {name}{near}: nothing generates that (asp-solve generate --help)"))
        })?;
        let mut job = Job::default();
        let options = words.trim_start().strip_prefix(name).unwrap_or_default();
        puzzle::read_words(tool, "--generate", options, &mut job)?;
        let encodings = tool.encoding().map(|encoding| input::encoding(&encoding, args.program.folder.path()));
        job.encodings = encodings.transpose()?.unwrap_or_default();
        job.cache = input::cache();
        Ok(Generator { tool, job, seed: args.seed, words: words.to_owned() })
    }

    /// An instance, called as it can be made again.
    fn instance(&self, number: u64, stop: &Stop) -> Result<Document, Failure> {
        let seed = self.seed.wrapping_add(number);
        let mut show = |_: &str| ControlFlow::Continue(());
        let console = &mut puzzle::Console { progress: &|_, _| {}, show: &mut show, delay: None, sheet: Vec::new() };
        let job = Job { seed, stop: stop.clone(), ..self.job.clone() };
        let done = self.tool.run(&job, console)?;
        let name = format!("generate {} --seed {seed}", self.words);
        if done.output.is_empty() {
            return Err(Diagnostic::error(format!("{name}: no instance was made")).into());
        }
        Ok(Document::in_memory(name, done.output))
    }
}

/// How far a program in steps came, in words.
fn came(steps: Steps) -> String {
    let Steps { last, has_answer, .. } = steps;
    if has_answer { format!("its first answer in step {last}") } else { format!("no answer up to step {last}") }
}

/// All that is told.
struct Told<'a> {
    names: [String; 2],
    compared: &'a [Compared],
    /// Nothing was left out, by a limit or an error.
    is_whole: bool,
    style: Style,
}

impl Told<'_> {
    /// Different, if one difference is proven; the same, if all was compared.
    fn code(&self) -> i32 {
        let is = |wanted: fn(&Outcome) -> bool| self.compared.iter().any(|one| wanted(&one.comparison.outcome));
        if is(|outcome| matches!(outcome, Outcome::Answer(_) | Outcome::Costs(_))) {
            return 1;
        }
        if !self.is_whole || is(|outcome| matches!(outcome, Outcome::Unproven)) { 3 } else { 0 }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for one in self.compared {
            let heading = if one.instance.is_empty() { String::new() } else { format!("{}: ", one.instance) };
            let verdict = self.verdict(&one.comparison);
            let color = match one.comparison.outcome {
                Outcome::Same => AnsiColor::Green,
                Outcome::Unproven => AnsiColor::Yellow,
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
            if let Outcome::Answer(difference) | Outcome::Costs(Some(difference)) = &one.comparison.outcome {
                out += &self.difference(difference, &one.drawing);
            }
            for (name, left_out) in self.names.iter().zip(&one.comparison.left_out).filter(|(_, all)| !all.is_empty()) {
                let _ = writeln!(out, "  not compared: {}, which {name} alone shows", left_out.join(", "));
            }
            out += &self.times(&one.times);
        }
        if self.compared.len() > 1 {
            out += &self.summary();
        }
        out
    }

    fn verdict(&self, comparison: &Comparison) -> String {
        let [one, other] = &comparison.found;
        let number = |found: &Found| {
            let least = if found.is_complete { "" } else { "at least " };
            format!("{least}{}", count(found.answers, "answer", "answers"))
        };
        let costs = |found: &Found| found.costs.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let cost = if one.is_complete && !one.costs.is_empty() && one.answers > 0 && !comparison.ignores_costs {
            format!(" at cost {}", costs(one))
        } else {
            String::new()
        };
        let mut words = match &comparison.outcome {
            Outcome::Same if one.answers == 0 => "the same: no answer".to_owned(),
            Outcome::Same => format!("the same: {}{cost}", number(one)),
            Outcome::Unproven => format!(
                "no difference found, but the search was incomplete: {} of {}, {} of {}",
                number(one),
                self.names[0],
                number(other),
                self.names[1]
            ),
            Outcome::Costs(_) => {
                format!(
                    "different: the optimum of {} costs {}, that of {} {}",
                    self.names[0],
                    costs(one),
                    self.names[1],
                    costs(other)
                )
            }
            Outcome::Answer(_) => {
                format!("different: {} of {}, {} of {}", number(one), self.names[0], number(other), self.names[1])
            }
        };
        words = match comparison.steps {
            [Some(one), Some(other)] if (one.last, one.has_answer) != (other.last, other.has_answer) => {
                let (verdict, rest) = words.split_once(": ").unwrap_or((&words, ""));
                let [first, second] = &self.names;
                let came = format!("{first} has {}, {second} has {}", came(one), came(other));
                format!("{verdict}: {came}; in step {}: {rest}", one.last.min(other.last))
            }
            [Some(Steps { last, has_answer: true, .. }), _] | [_, Some(Steps { last, has_answer: true, .. })] => {
                format!("{words} in step {last}")
            }
            _ => words,
        };
        if comparison.ignores_costs {
            words += " (only one of them minimises: costs are left out)";
        }
        match &comparison.certificate {
            Some(Certified { why: Some(why), .. }) => words += &format!("; not certified: {why}"),
            Some(Certified { steps, .. }) => {
                words += &format!("; certified in {}", count(*steps as u64, "step", "steps"));
            }
            None => {}
        }
        words
    }

    /// An answer that one has and the other refuses, and why.
    fn difference(&self, difference: &Difference, drawing: &str) -> String {
        let (holder, refuser) = (&self.names[difference.holder], &self.names[1 - difference.holder]);
        let atoms: Vec<String> = difference.atoms.iter().map(|&atom| shown(&to_text(atom))).collect();
        let atoms = if atoms.is_empty() { "nothing".to_owned() } else { atoms.join(" ") };
        let mut out = format!("  an answer of {holder} that {refuser} refuses:\n");
        out += &if drawing.is_empty() { format!("    {atoms}\n") } else { drawing.to_owned() };
        if !difference.underivable.is_empty() {
            let atoms: Vec<String> = difference.underivable.iter().map(|&atom| shown(&to_text(atom))).collect();
            let _ = writeln!(out, "  {refuser} never derives {}", atoms.join(" "));
        }
        for part in &difference.because {
            let place = part
                .place
                .as_ref()
                .map_or(String::new(), |place| format!("{}:{}: ", shown(&place.file), place.start.line));
            let words = if part.words.is_empty() { &part.text } else { &part.words };
            let _ = writeln!(out, "  - {place}{}", shown(words));
        }
        out
    }

    fn times(&self, times: &[Times; 2]) -> String {
        let mut out = String::new();
        let width = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for (name, times) in self.names.iter().zip(times) {
            if let [Some(whole), Some(grounding), Some(solving)] =
                [&times.whole(), &times.grounding, &times.solving].map(|times| spread(times))
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

    /// Which is faster, if the times of one lie below all times of the other.
    fn faster(&self, times: &[Times; 2]) -> Option<String> {
        let [one, other] = [spread(&times[0].whole())?, spread(&times[1].whole())?];
        let runs = times[1].solving.len();
        let ratio = |slow: [Duration; 3], fast: [Duration; 3]| {
            slow[0].as_secs_f64() / fast[0].as_secs_f64().max(f64::MIN_POSITIVE)
        };
        let (name, ratio) = match () {
            () if one[2] < other[1] => (&self.names[0], ratio(other, one)),
            () if other[2] < one[1] => (&self.names[1], ratio(one, other)),
            () => return Some(format!("neither is faster than the other in all of {}", count(runs, "run", "runs"))),
        };
        Some(format!("{name} is {ratio:.2} times as fast ({} of each, in turn)", count(runs, "run", "runs")))
    }

    fn summary(&self) -> String {
        let of =
            |wanted: fn(&Outcome) -> bool| self.compared.iter().filter(|one| wanted(&one.comparison.outcome)).count();
        let same = of(|outcome| matches!(outcome, Outcome::Same));
        let unproven = of(|outcome| matches!(outcome, Outcome::Unproven));
        let different = self.compared.len() - same - unproven;
        let mut words = vec![format!("the same on {}", count(same, "instance", "instances"))];
        if different > 0 {
            words.push(format!("different on {different}"));
        }
        if unproven > 0 {
            words.push(format!("not known on {unproven}"));
        }
        let mut out = format!("\n{}\n", self.style.paint(Ansi::new().bold(), &words.join(", ")));
        let medians = |side: usize| -> Option<Duration> {
            self.compared.iter().map(|one| Some(spread(&one.times[side].whole())?[0])).sum()
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
        let atoms = |atoms: &[crate::asp::Symbol]| atoms.iter().map(|&atom| to_text(atom)).collect::<Vec<_>>();
        let difference = |difference: &Difference| {
            json!({
                "answer_of": self.names[difference.holder],
                "refused_by": self.names[1 - difference.holder],
                "atoms": atoms(&difference.atoms),
                "never_derived": atoms(&difference.underivable),
                "because": difference.because.iter().map(crate::why::Part::json).collect::<Vec<_>>(),
            })
        };
        let of_times = |times: &[Duration]| times.iter().map(Duration::as_secs_f64).collect::<Vec<_>>();
        let one = |one: &Compared| {
            let Comparison { common, found, steps, outcome, ignores_costs, .. } = &one.comparison;
            let (verdict, shown) = match outcome {
                Outcome::Same => ("same", None),
                Outcome::Unproven => ("unknown", None),
                Outcome::Costs(shown) => ("different", shown.as_ref()),
                Outcome::Answer(shown) => ("different", Some(shown)),
            };
            let sides: Vec<Value> = (0..2)
                .map(|side| {
                    let mut told = json!({
                        "encoding": self.names[side], "answers": found[side].answers, "complete": found[side].is_complete,
                        "costs": found[side].costs, "grounding": of_times(&one.times[side].grounding),
                        "solving": of_times(&one.times[side].solving),
                    });
                    if let Some(Steps { last, has_answer, .. }) = steps[side] {
                        told["last_step"] = json!(last);
                        told["has_answer"] = json!(has_answer);
                    }
                    told
                })
                .collect();
            let mut told = json!({
                "instance": one.instance, "verdict": verdict, "predicates": common, "costs_ignored": ignores_costs,
                "sides": sides, "difference": shown.map(difference),
            });
            if let Some(certificate) = &one.comparison.certificate {
                told["certificate"] = certificate.json();
            }
            told
        };
        let verdict = match self.code() {
            1 => "different",
            0 => "same",
            _ => "unknown",
        };
        json!({ "schema": 1, "verdict": verdict, "instances": self.compared.iter().map(one).collect::<Vec<_>>() })
    }
}

impl Compare {
    fn solve(&self) -> args::Solve {
        let choice = args::Choice { puzzle: self.puzzle.clone(), ..args::Choice::default() };
        let common = Common { time_limit: self.common.time_limit, ..Common::default() };
        args::Solve { choice, program: self.program.clone(), common, memory: self.memory, ..args::Solve::default() }
    }
}
