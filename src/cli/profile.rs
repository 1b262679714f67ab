//! `profile`: where grounding and solving go, by line of source.

use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::args::{self, Inspect};
use super::runner::{End, Runner};
use super::{Run, input, limits, messages, output, prepare, read, wants_color};
use crate::asp::{Program, Settings};
use crate::author::profile::{self, Record, Switches};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::report::{Format, Style};
use crate::stop::{Reason, Stop};

const TICK: Duration = Duration::from_millis(10);
/// Conflicts are counted for so long, and twice as long as the search took.
const AT_LEAST: Duration = Duration::from_secs(1);

// (No doc comment: it would be told as what the command does.)
#[derive(Debug, Clone, Args)]
pub struct Profile {
    #[command(flatten)]
    pub inspect: Inspect,
    /// Take the input for this puzzle
    #[arg(short, long, value_name = "NAME", value_parser = PossibleValuesParser::new(args::puzzles()))]
    pub puzzle: Option<String>,
    /// An encoding: the name of one that the puzzle has, or a file
    #[arg(short, long, value_name = "NAME-or-PATH")]
    pub encoding: Vec<PathBuf>,
    /// Look for at most N answers, 0 for all [default: 1; for optimisation the optimum]
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true, value_parser = args::whole_number)]
    pub models: Option<u64>,
    /// Do not count conflicts by constraint: that is a second search, with a switch in each constraint
    #[arg(long)]
    pub no_conflicts: bool,
    /// Stop when so many megabytes are in use, and tell what was growing
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory_limit: Option<u64>,
}

/// Tells where a run goes, and gives the exit code.
pub fn profile(args: Profile) -> i32 {
    let format = args.inspect.format.unwrap_or_default();
    let solve = args.solve();
    let color_errors = wants_color(solve.color, &io::stderr());
    if !matches!(format, Format::Text | Format::Json | Format::Svg) {
        let text = format!("--format {}: text, json or svg was wanted", format.name());
        return messages::fail(&Diagnostic::error(text).into(), &[], color_errors);
    }
    input::remember_named(&solve.files);
    let mut runner = Runner::new(limits(&solve), !solve.quiet);
    let mut run = Run { args: solve, color_errors, documents: Vec::new() };
    let record = Record::default();
    let own = Own {
        record: record.clone(),
        models: args.models,
        deadline: run.args.time_limit.and_then(|limit| Instant::now().checked_add(Duration::from_secs_f64(limit))),
        counts_conflicts: !args.no_conflicts,
    };
    // What is told of a run that was left alone needs the texts that it read.
    let (sender, documents) = mpsc::channel();
    let (solve, output) = (run.args.clone(), run.args.output.clone());
    let work = move |stop: &Stop| {
        let done = own.measured(&mut run, stop, &sender);
        (run, done, stop.requested())
    };
    let progress = || Some(record.profile().progress());
    let reason = match runner.run(work, progress) {
        End::Done((run, Err(failure), None)) => return run.fail(&failure),
        End::Done((_, Err(_) | Ok(()), reason)) => reason,
        End::Abandoned(reason) => Some(reason),
        End::Failed(diagnostic) => return messages::fail(&diagnostic.into(), &[], color_errors),
    };
    let run = Run { args: solve, color_errors, documents: documents.try_iter().last().unwrap_or_default() };
    let profile = record.profile();
    let reason = reason.or(match profile.search.as_ref().map(|search| search.verdict) {
        Some(Verdict::GaveUp(reason)) => Some(reason),
        _ => None,
    });
    let text_of = |place: &_| input::text_of(place, &run.documents);
    let color = output.is_none() && wants_color(run.args.color, &io::stdout());
    let style = Style { color, quiet: run.args.quiet, verbose: run.args.verbose, ..Style::default() };
    let text = match format {
        Format::Json => format!("{:#}\n", profile.json(&text_of)),
        Format::Svg => profile.flame(&text_of).picture("asp-solve profile").svg(),
        _ => profile.text(reason, &text_of, &style),
    };
    match (output::write(output.as_deref(), color, &text), reason) {
        (Err(failure), _) if !failure.0.is_empty() => run.fail(&failure),
        (_, Some(reason)) => gave_up(reason, format),
        (_, None) => 0,
    }
}

/// What the one who measures has.
struct Own {
    record: Record,
    models: Option<u64>,
    deadline: Option<Instant>,
    counts_conflicts: bool,
}

impl Own {
    fn measured(&self, run: &mut Run, stop: &Stop, documents: &Sender<Vec<Document>>) -> Result<(), Failure> {
        run.documents = read(&run.args.files, stop)?;
        let prepared = prepare(run, stop)?;
        let settings = Settings { models: self.models, ..prepared.request.settings.clone() };
        let program = prepared.entry.logic_program(&prepared.task(Format::Text, stop))?;
        let _ = documents.send(run.documents.iter().chain(program.documents()).cloned().collect());
        profile::profile(&program, &settings, self.deadline, stop, &self.record)?;
        let conflicts = self.record.profile().search.map_or(0, |search| search.conflicts);
        if conflicts > 0 && self.counts_conflicts {
            self.count_conflicts(&program, &settings, stop)?;
        }
        Ok(())
    }

    /// In a process of its own, since the library tells nobody what it learns; for about as long as the first search took.
    fn count_conflicts(&self, program: &Program, settings: &Settings, stop: &Stop) -> Result<(), Failure> {
        let profile = self.record.profile();
        let switches = Switches::new(program, settings, stop)?;
        let mut conflicts = switches.none();
        let wrong = |error: io::Error| Failure::from(Diagnostic::error(format!("clasp cannot be run: {error}")));
        let mut child = Command::new(std::env::current_exe().map_err(wrong)?)
            .args(["clingo", "--mode=clasp", "--verbose=0", "--quiet=2,2,2", "--lemma-out=-"])
            .args(settings.models.map(|models| format!("--models={models}")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(wrong)?;
        let (mut input, output) = (child.stdin.take(), child.stdout.take());
        let aspif = switches.aspif.clone();
        // Who has been ended reads no more.
        let writer = thread::spawn(move || input.as_mut().map(|input| input.write_all(aspif.as_bytes())));
        let (sender, lines) = mpsc::channel();
        let reader = thread::spawn(move || {
            let lines = output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok);
            lines.for_each(|line| drop(sender.send(line)));
        });
        let until = Instant::now().checked_add(AT_LEAST + 2 * profile.solving);
        let until = until.into_iter().chain(self.deadline).min();
        let enough = stop.by(until);
        loop {
            match lines.recv_timeout(TICK) {
                Ok(line) => switches.count(&line, &mut conflicts),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if enough.stop.requested().is_some() {
                let _ = child.kill();
                break;
            }
        }
        let _ = child.wait();
        let _ = (writer.join(), reader.join());
        lines.try_iter().for_each(|line| switches.count(&line, &mut conflicts));
        self.record.set_conflicts(&conflicts);
        Ok(())
    }
}

fn gave_up(reason: Reason, format: Format) -> i32 {
    if format != Format::Text {
        messages::say(format_args!("gave up: {}", reason.words()));
    }
    3
}

impl Profile {
    fn solve(&self) -> args::Solve {
        let Inspect { files, constants, asp_dir, common, .. } = self.inspect.clone();
        args::Solve {
            files,
            puzzle: self.puzzle.clone(),
            encoding: self.encoding.clone(),
            constants,
            asp_dir,
            output: common.output.filter(|path| path.as_os_str() != "-"),
            time_limit: common.time_limit,
            memory_limit: self.memory_limit,
            threads: common.threads,
            color: common.color,
            quiet: common.quiet,
            ..args::Solve::default()
        }
    }
}
