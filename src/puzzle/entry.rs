//! Puzzles and runs without their types.

use std::ops::ControlFlow;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command};

use super::any_result::AnyRunResult;
use super::api::{About, AnyPuzzle, OptionReaders, Puzzle, document_names};
use super::heuristic::HeuristicArgs;
use super::logic;
use super::pipeline::{AnswerCollector, Run, engine_names, name_of, reads_encodings};
use super::program::{self, ProgramOptions};
use super::puzzle_report::{PuzzleReport, render_run};
use super::report::{Header, RenderedRun};
use super::report_slot::ReportSlot;
use super::tool::{AnyRun, read_options};
use crate::asp;
use crate::certificate::Certificate;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::job::{Job, OptionSet};
use crate::play::{self, Game};
use crate::report::Format;
use crate::why::{self, ExplainQuery, Explanation};

impl<P: Puzzle> AnyPuzzle for P {
    fn engines(&self) -> Vec<String> {
        engine_names::<P>()
    }

    fn augment(&self, command: Command) -> Command {
        let command = P::Options::augment_args(command);
        // Options shared by several puzzles are declared once.
        if self.name() == logic::PROGRAM { ProgramOptions::augment_args(command) } else { command }
    }

    fn read(&self, matches: &ArgMatches, options: &mut OptionSet) -> Result<(), Failure> {
        read_options::<ProgramOptions>(matches, options)?;
        read_options::<HeuristicArgs>(matches, options)?;
        read_options::<P::Options>(matches, options)
    }

    fn open(&self, mut job: Job) -> Result<Box<dyn AnyRun>, Failure> {
        let about = self.about();
        if about.has_options_for_answer_sets || job.output.format.is_answer_sets() {
            job.options::<ProgramOptions>().add_to(&mut job.engine.settings);
        }
        let run = Run::new(*self, job)?;
        let job = &run.job;
        if !job.drawing.programs.is_empty() && !about.has_options_for_answer_sets {
            // A custom program draws the answer sets of this puzzle.
            let board = logic::PuzzleBoard::for_puzzle(run.program()?);
            let mut job = Job::clone(job);
            job.engine.name = None;
            let drawn = Run::with_board(logic::LogicPuzzle::program(), Arc::new(board), job)?;
            return Ok(Box::new(Run { name: about.name, ..drawn }));
        }
        reject_ignored_options(&about, &engine_names::<P>(), &name_of(run.engine), job)?;
        Ok(Box::new(run))
    }
}

impl<P: Puzzle> AnyRun for Run<P> {
    fn header(&self) -> Header {
        let engine = name_of(self.engine);
        let encoding = if reads_encodings(&engine) { document_names(&self.job.sources.encodings) } else { Vec::new() };
        // Arbitrary logic programs have no built-in rules.
        let rules = (!self.puzzle.about().is_any_program()).then(|| self.job.rules.name());
        Header { puzzle: self.name, instance: document_names(&self.job.sources.documents), engine, encoding, rules }
    }

    fn job(&self) -> &Job {
        &self.job
    }

    fn solve(&self, slot: &ReportSlot) -> Result<AnyRunResult, Failure> {
        let Run { puzzle, board, job, .. } = self;
        let program = puzzle.capabilities().program;
        if job.output.format.is_answer_sets() || program.is_some_and(|program| program.streams_answers(board, job)) {
            if !reads_encodings(&name_of(self.engine)) {
                let engine = name_of(self.engine);
                let text = format!(
                    "the engine {engine} has no answer sets to print; take --format text or json, or --engine asp"
                );
                return Err(Diagnostic::error(Code::Usage, text).into());
            }
            let mut conclusion = program::run(&AnyRun::program(self)?, self.header(), job, slot)?;
            conclusion.warnings.extend(puzzle.inputs().warnings(&job.sources.documents)?);
            return Ok(conclusion);
        }
        let collector = Arc::new(AnswerCollector::new(job));
        let report = slot.open(PuzzleReport::new(self.clone(), self.header(), collector.clone()));
        if job.output.format == Format::Url {
            // Only the board is written.
            return Ok(AnyRunResult::board_only());
        }
        let solved = self.solve_into(&collector, &mut |_| ControlFlow::Continue(()))?;
        let conclusion = solved.erased();
        report.lock().set_solved(solved);
        Ok(conclusion)
    }

    fn render(&self) -> Result<(RenderedRun, AnyRunResult), Failure> {
        let solved = Run::solve(self)?;
        Ok((render_run(self.puzzle, &solved)?, solved.erased()))
    }

    fn why(&self, question: &ExplainQuery) -> Result<Explanation, Failure> {
        let Run { puzzle, board, job, .. } = self;
        let capabilities = puzzle.capabilities();
        let own = capabilities.explain.map_or(Ok(None), |explain| explain.why(board, job, question))?;
        let mut explanation = match own {
            Some(explanation) => explanation,
            None => why::explain(
                &capabilities.require_program(*puzzle)?.source(board, job)?,
                question,
                &job.as_ref().into(),
            )?,
        };
        explanation.warnings.extend(puzzle.inputs().warnings(&job.sources.documents)?);
        Ok(explanation)
    }

    fn program(&self) -> Result<asp::Program, Failure> {
        self.puzzle.capabilities().require_program(self.puzzle)?.program(&self.board, &self.job)
    }

    fn certificate_difference(&self, certificate: &Certificate) -> Result<Option<String>, Failure> {
        let program = self.puzzle.capabilities().require_program(self.puzzle)?;
        program.certificate_difference(&self.board, &self.job, certificate)
    }

    fn game(&self) -> Result<Box<dyn Game>, Failure> {
        let Run { puzzle, board, job, .. } = self;
        let capabilities = puzzle.capabilities();
        match capabilities.play.filter(|_| puzzle.rule_support(board).supports(&job.rules)) {
            Some(play) => play.game(board, job),
            None => {
                let source = capabilities.require_program(*puzzle)?.source(board, job)?;
                let about = puzzle.about();
                let title = if about.is_any_program() {
                    document_names(&job.sources.documents).join(", ")
                } else {
                    about.name.into()
                };
                play::of_program(&source, &title, &job.engine.settings, &job.stop)
            }
        }
    }
}

/// The searches of `crate::search` that count nodes and moves.
const SEARCHES: &[&str] = &["astar", "bidirectional", "idastar", "ids", "bfs"];
/// The engines that read search options, for puzzles that do not list them in `read_by`.
const SEARCH_OPTIONS: [(&str, OptionReaders); 4] = [
    ("depth_limit", OptionReaders::Engines(SEARCHES)),
    ("node_limit", OptionReaders::Engines(SEARCHES)),
    ("threads", OptionReaders::Engines(&["idastar", "asp"])),
    ("heuristic", OptionReaders::Engines(&[])),
];
/// Options of certificates, for logic programs and for formats that report certification.
const CERTIFICATE_OPTIONS: [&str; 2] = ["certify", "proof"];
const NO_CERTIFICATE: &str = "the verdict rests on a search or a simulation, which has no proof of this kind";

/// Rejects options that were given but would be ignored. `engines` are those of the puzzle.
fn reject_ignored_options(about: &About, engines: &[String], engine: &str, job: &Job) -> Result<(), Failure> {
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
            OptionReaders::Engines(readers) if readers.contains(&engine) || option == "threads" && is_one_thread => {
                continue;
            }
            OptionReaders::Engines(readers) => {
                let has_readers = |name: &&String| readers.contains(&name.as_str());
                let readers: Vec<&str> = engines.iter().filter(has_readers).map(String::as_str).collect();
                match &readers[..] {
                    [] => format!("no engine of {} reads it", about.name),
                    readers => {
                        format!("the engine {engine} of {} ignores it; it is for {}", about.name, readers.join(", "))
                    }
                }
            }
            OptionReaders::Formats(formats) if formats.contains(&job.output.format) => continue,
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
