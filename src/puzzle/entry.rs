//! Object-safe wrappers of [`Puzzle`](super::Puzzle).

use std::ops::ControlFlow;
use std::sync::Arc;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};

use super::heuristic::HeuristicArgs;
use super::pipeline::{AnswerCollector, AnyRunResult, Run, engine_names, name_of, reads_encodings};
use super::puzzle_report::{PuzzleReport, render_run};
use super::report::{Header, RenderedRun, ReportSlot};
use super::{About, AnswerSetOptions, OptionReaders, Puzzle, Role, Tool, logic, program};
use crate::asp;
use crate::certificate::Certificate;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::Document;
use crate::job::{Job, OptionSet};
use crate::play::Game;
use crate::report::Format;
use crate::why::{ExplainQuery, Explanation};

/// A puzzle without its types.
pub trait AnyPuzzle: Sync {
    fn about(&self) -> About;
    fn name(&self) -> &'static str;
    /// Returns true if a board may name this puzzle by `name`.
    fn has_alias(&self, name: &str) -> bool;
    fn recognise(&self, document: &Document) -> Role;
    /// Returns true if the puzzle may recognise boards that do not name it.
    fn recognises_unnamed(&self) -> bool;
    /// The names of the encodings with additional rules that an instance requires.
    fn required_encodings(&self, documents: &[Document]) -> Vec<&'static str>;
    /// The documents that clingo reads, which may add rules.
    fn programs(&self, documents: &[Document]) -> Vec<Document>;
    /// The similarity of an unrecognised text to an instance, from 0 to 1.
    fn similarity(&self, document: &Document) -> f64;
    /// The names of its engines, the default first.
    fn engines(&self) -> Vec<String>;
    /// Adds the options of this puzzle.
    fn augment(&self, command: Command) -> Command;
    /// Reads its options.
    fn read(&self, matches: &ArgMatches, options: &mut OptionSet) -> Result<(), Failure>;
    /// The tools of the puzzle.
    fn tools(&self) -> &'static [&'static dyn Tool];
    /// Parses the instance.
    ///
    /// # Errors
    /// The instance or the job is invalid. Errors of the instance have their places.
    fn open(&self, job: Job) -> Result<Box<dyn AnyRun>, Failure>;
}

/// A run without the types of its puzzle.
pub trait AnyRun: Send + Sync {
    fn header(&self) -> Header;
    fn job(&self) -> &Job;
    /// Solves, and opens the report in `slot`.
    fn solve(&self, slot: &ReportSlot) -> Result<AnyRunResult, Failure>;
    /// Solves, and returns all results as values.
    fn render(&self) -> Result<(RenderedRun, AnyRunResult), Failure>;
    /// Explains the verdict, an atom or the next step.
    fn why(&self, question: &ExplainQuery) -> Result<Explanation, Failure>;
    /// The complete logic program.
    fn program(&self) -> Result<asp::Program, Failure>;
    /// The first difference between the program of a certificate and the program of this board, or
    /// `None` if they are equal.
    fn certificate_difference(&self, certificate: &Certificate) -> Result<Option<String>, Failure>;
    /// The board in play.
    fn game(&self) -> Result<Box<dyn Game>, Failure>;
}

/// Reads options of type `O`, and records which options were given.
pub fn read_options<O: Args + Send + Sync + 'static>(
    matches: &ArgMatches,
    options: &mut OptionSet,
) -> Result<(), Failure> {
    let read = O::from_arg_matches(matches).map_err(|error| Diagnostic::error(Code::Usage, error.to_string()))?;
    options.set(read);
    let is_given = |name: &&clap::Id| matches.value_source(name.as_str()) == Some(ValueSource::CommandLine);
    options.set_given(matches.ids().filter(is_given).map(|name| name.to_string()));
    Ok(())
}

impl<P: Puzzle> AnyPuzzle for P {
    fn about(&self) -> About {
        Puzzle::about(self)
    }

    fn name(&self) -> &'static str {
        Puzzle::name(self)
    }

    fn has_alias(&self, name: &str) -> bool {
        Puzzle::has_alias(self, name)
    }

    fn recognise(&self, document: &Document) -> Role {
        Puzzle::recognise(self, document)
    }

    fn recognises_unnamed(&self) -> bool {
        Puzzle::recognises_unnamed(self)
    }

    fn required_encodings(&self, documents: &[Document]) -> Vec<&'static str> {
        Puzzle::required_encodings(self, documents)
    }

    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        Puzzle::programs(self, documents)
    }

    fn similarity(&self, document: &Document) -> f64 {
        Puzzle::similarity(self, document)
    }

    fn engines(&self) -> Vec<String> {
        engine_names::<P>()
    }

    fn augment(&self, command: Command) -> Command {
        let command = P::Options::augment_args(command);
        // Options shared by several puzzles are declared once.
        if Puzzle::is_any_program(self) { AnswerSetOptions::augment_args(command) } else { command }
    }

    fn read(&self, matches: &ArgMatches, options: &mut OptionSet) -> Result<(), Failure> {
        read_options::<AnswerSetOptions>(matches, options)?;
        read_options::<HeuristicArgs>(matches, options)?;
        read_options::<P::Options>(matches, options)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        Puzzle::tools(self)
    }

    fn open(&self, mut job: Job) -> Result<Box<dyn AnyRun>, Failure> {
        let about = Puzzle::about(self);
        if about.has_options_for_answer_sets || job.format.is_answer_sets() {
            job.options::<AnswerSetOptions>().add_to(&mut job.settings);
        }
        let run = Run::new(*self, job)?;
        let job = &run.job;
        if !job.draw.is_empty() && !about.has_options_for_answer_sets {
            // A custom program draws the answer sets of this puzzle.
            let board = logic::PuzzleBoard::for_puzzle(run.program()?);
            let job = Job { engine: None, ..Job::clone(job) };
            let drawn = Run::with_board(logic::LogicPuzzle::program(), Arc::new(board), job)?;
            return Ok(Box::new(Arc::new(Run { name: about.name, ..drawn })));
        }
        reject_ignored_options(&about, &name_of(run.engine), job)?;
        Ok(Box::new(Arc::new(run)))
    }
}

impl<P: Puzzle> AnyRun for Arc<Run<P>> {
    fn header(&self) -> Header {
        Run::header(self)
    }

    fn job(&self) -> &Job {
        &self.job
    }

    fn solve(&self, slot: &ReportSlot) -> Result<AnyRunResult, Failure> {
        let Run { puzzle, board, job, .. } = &**self;
        if job.format.is_answer_sets() || puzzle.streams_answers(board, job) {
            if !reads_encodings(&name_of(self.engine)) {
                let engine = name_of(self.engine);
                let text = format!(
                    "the engine {engine} has no answer sets to print; take --format text or json, or --engine asp"
                );
                return Err(Diagnostic::error(Code::Usage, text).into());
            }
            let mut conclusion = program::run(&Run::program(self)?, Run::header(self), job, slot)?;
            conclusion.warnings.extend(puzzle.warnings(job)?);
            return Ok(conclusion);
        }
        let collector = Arc::new(AnswerCollector::new(job));
        let report = slot.open(PuzzleReport::new(self.clone(), collector.clone()));
        if job.format == Format::Url {
            // Only the board is written.
            return Ok(AnyRunResult::board_only());
        }
        let solved = self.solve_into(&collector, &mut |_| ControlFlow::Continue(()))?;
        let conclusion = solved.erased();
        report.lock().unwrap_or_else(std::sync::PoisonError::into_inner).set_solved(solved);
        Ok(conclusion)
    }

    fn render(&self) -> Result<(RenderedRun, AnyRunResult), Failure> {
        let solved = Run::solve(self)?;
        Ok((render_run(self.puzzle, &solved)?, solved.erased()))
    }

    fn why(&self, question: &ExplainQuery) -> Result<Explanation, Failure> {
        Run::why(self, question)
    }

    fn program(&self) -> Result<asp::Program, Failure> {
        Run::program(self)
    }

    fn certificate_difference(&self, certificate: &Certificate) -> Result<Option<String>, Failure> {
        self.puzzle.certificate_difference(&self.board, &self.job, certificate)
    }

    fn game(&self) -> Result<Box<dyn Game>, Failure> {
        Run::game(self)
    }
}

/// Search options, rejected unless the puzzle lists them in `read_by`.
const SEARCH_OPTIONS: [(&str, OptionReaders); 3] = [
    ("depth_limit", OptionReaders::Engines(&[])),
    ("node_limit", OptionReaders::Engines(&[])),
    ("heuristic", OptionReaders::Engines(&[])),
];
/// Options of certificates, for logic programs and for formats that report certification.
const CERTIFICATE_OPTIONS: [&str; 2] = ["certify", "proof"];
const NO_CERTIFICATE: &str = "the verdict rests on a search or a simulation, which has no proof of this kind";

/// Rejects options that were given but would be ignored.
fn reject_ignored_options(about: &About, engine: &str, job: &Job) -> Result<(), Failure> {
    let is_declared = |option: &str| about.read_by.iter().any(|(declared, _)| *declared == option);
    let search_options = SEARCH_OPTIONS.iter().filter(|(option, _)| !is_declared(option));
    let certificate_options = CERTIFICATE_OPTIONS.into_iter().filter(|option| !is_declared(option)).map(|option| {
        if about.has_options_for_answer_sets {
            (option, OptionReaders::CERTIFIED)
        } else {
            (option, OptionReaders::Engines(&[]))
        }
    });
    // An engine without threads accepts one thread; the threads of a batch are its workers.
    let is_one_thread = job.num_threads() == 1;
    let is_given = |(option, _): &&(&str, OptionReaders)| job.options.is_given(option);
    for &(option, readers) in
        about.read_by.iter().chain(search_options).chain(&certificate_options.collect::<Vec<_>>()).filter(is_given)
    {
        let words = match readers {
            OptionReaders::Engines(engines) if engines.contains(&engine) || option == "threads" && is_one_thread => {
                continue;
            }
            OptionReaders::Engines([]) => format!("no engine of {} reads it", about.name),
            OptionReaders::Engines(engines) => {
                format!("the engine {engine} of {} ignores it; it is for {}", about.name, engines.join(", "))
            }
            OptionReaders::Formats(formats) if formats.contains(&job.format) => continue,
            OptionReaders::Formats(formats) => {
                let names: Vec<String> = formats.iter().map(|format| format.name()).collect();
                format!("it goes with --format {}", names.join(" or "))
            }
        };
        let error = Diagnostic::error(Code::Usage, format!("--{}: {words}", option.replace('_', "-")));
        return Err(if CERTIFICATE_OPTIONS.contains(&option) && matches!(readers, OptionReaders::Engines(_)) {
            error.help(NO_CERTIFICATE).into()
        } else {
            error.into()
        });
    }
    Ok(())
}
