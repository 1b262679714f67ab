//! Object-safe wrappers of [`Puzzle`](super::Puzzle).

use std::sync::Arc;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, ValueEnum};

use super::guided::Guided;
use super::pipeline::{Conclusion, AnswerCollector, Opened, name_of, reads_encodings};
use super::report::{Header, Scene, Slot};
use super::telling::{Telling, scene};
use super::{About, AnswerSetOptions, Puzzle, Readers, Role, Tool, logic, program};
use crate::asp;
use crate::certificate::Certificate;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::job::{Job, Options};
use crate::played::Game;
use crate::report::Format;
use crate::why::{Question, Told};

/// A puzzle, whatever its types.
pub trait Entry: Sync {
    fn about(&self) -> About;
    fn name(&self) -> &'static str;
    /// Whether a board that names its puzzle so is one of it.
    fn is_called(&self, name: &str) -> bool;
    fn recognise(&self, document: &Document) -> Role;
    /// Whether it may recognise a board that does not name its puzzle.
    fn needs_no_name(&self) -> bool;
    /// The encodings with more rules than the usual one that an instance asks for.
    fn asks_for(&self, documents: &[Document]) -> Vec<&'static str>;
    /// The documents that clingo reads, which may add rules.
    fn programs(&self, documents: &[Document]) -> Vec<Document>;
    /// How much of a text that no puzzle recognises could be an instance.
    fn resembles(&self, document: &Document) -> f64;
    /// The names of its engines; the first is the usual one.
    fn engines(&self) -> Vec<String>;
    /// Adds the options that only this puzzle has.
    fn augment(&self, command: Command) -> Command;
    /// Reads them.
    fn read(&self, matches: &ArgMatches, options: &mut Options) -> Result<(), Failure>;
    /// What else can be done with it.
    fn tools(&self) -> &'static [&'static dyn Tool];
    /// Reads the instance.
    ///
    /// # Errors
    /// What is wrong with it, with its place; or with what was asked of it.
    fn open(&self, job: Job) -> Result<Box<dyn Board>, Failure>;
}

/// A board with the job that is to be done with it, whatever the puzzle.
pub trait Board: Send + Sync {
    fn header(&self) -> Header;
    fn job(&self) -> &Job;
    /// Solves, and leaves what is to be told in the slot.
    fn solve(&self, slot: &Slot) -> Result<Conclusion, Failure>;
    /// Solves, and gives all of it as values.
    fn scene(&self) -> Result<(Scene, Conclusion), Failure>;
    /// Answers a question about why.
    fn why(&self, question: &Question) -> Result<Told, Failure>;
    /// The whole logic program.
    fn program(&self) -> Result<asp::Program, Failure>;
    /// The first difference between the program of a certificate and the one of this board; `None` if they are the same.
    fn certificate_difference(&self, certificate: &Certificate) -> Result<Option<String>, Failure>;
    /// The board in play.
    fn game(&self) -> Result<Box<dyn Game>, Failure>;
}

/// Reads options of this type, and which of all were given.
pub fn read_options<O: Args + Send + Sync + 'static>(
    matches: &ArgMatches,
    options: &mut Options,
) -> Result<(), Failure> {
    let read = O::from_arg_matches(matches).map_err(|error| Diagnostic::error(error.to_string()))?;
    options.set(read);
    let is_given = |name: &&clap::Id| matches.value_source(name.as_str()) == Some(ValueSource::CommandLine);
    options.set_given(matches.ids().filter(is_given).map(|name| name.to_string()));
    Ok(())
}

impl<P: Puzzle> Entry for P {
    fn about(&self) -> About {
        Puzzle::about(self)
    }

    fn name(&self) -> &'static str {
        Puzzle::name(self)
    }

    fn is_called(&self, name: &str) -> bool {
        Puzzle::is_called(self, name)
    }

    fn recognise(&self, document: &Document) -> Role {
        Puzzle::recognise(self, document)
    }

    fn needs_no_name(&self) -> bool {
        Puzzle::needs_no_name(self)
    }

    fn asks_for(&self, documents: &[Document]) -> Vec<&'static str> {
        Puzzle::asks_for(self, documents)
    }

    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        Puzzle::programs(self, documents)
    }

    fn resembles(&self, document: &Document) -> f64 {
        Puzzle::resembles(self, document)
    }

    fn engines(&self) -> Vec<String> {
        P::Engine::value_variants().iter().map(|&engine| name_of(engine)).collect()
    }

    fn augment(&self, command: Command) -> Command {
        let command = P::Options::augment_args(command);
        // What several puzzles read is declared once.
        match Puzzle::is_any_program(self) {
            true => AnswerSetOptions::augment_args(command),
            false => command,
        }
    }

    fn read(&self, matches: &ArgMatches, options: &mut Options) -> Result<(), Failure> {
        read_options::<AnswerSetOptions>(matches, options)?;
        read_options::<Guided>(matches, options)?;
        read_options::<P::Options>(matches, options)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        Puzzle::tools(self)
    }

    fn open(&self, mut job: Job) -> Result<Box<dyn Board>, Failure> {
        let about = Puzzle::about(self);
        if about.has_options_for_answer_sets || job.format.is_answer_sets() {
            job.options::<AnswerSetOptions>().add_to(&mut job.settings);
        }
        let opened = Opened::new(*self, job)?;
        let job = &opened.job;
        if !job.draw.is_empty() && !about.has_options_for_answer_sets {
            // Somebody's program draws the answer sets of this one.
            let board = logic::Board::of_puzzle(opened.program()?);
            let job = Job { engine: None, ..Job::clone(job) };
            let drawn = Opened::with(logic::Logic::program(), Arc::new(board), job)?;
            return Ok(Box::new(Arc::new(Opened { name: about.name, ..drawn })));
        }
        refuse_unread(&about, &name_of(opened.engine), job)?;
        Ok(Box::new(Arc::new(opened)))
    }
}

impl<P: Puzzle> Board for Arc<Opened<P>> {
    fn header(&self) -> Header {
        Opened::header(self)
    }

    fn job(&self) -> &Job {
        &self.job
    }

    fn solve(&self, slot: &Slot) -> Result<Conclusion, Failure> {
        let Opened { puzzle, board, job, .. } = &**self;
        if job.format.is_answer_sets() || puzzle.streams(board, job) {
            if !reads_encodings(&name_of(self.engine)) {
                let engine = name_of(self.engine);
                let text = format!(
                    "the engine {engine} has no answer sets to print; take --format text or json, or --engine asp"
                );
                return Err(Diagnostic::error(text).into());
            }
            let mut conclusion = program::run(&Opened::program(self)?, Opened::header(self), job, slot)?;
            conclusion.warnings.extend(puzzle.warnings(job)?);
            return Ok(conclusion);
        }
        let gathered = Arc::new(AnswerCollector::new(job));
        let report = slot.open(Telling::new(self.clone(), gathered.clone()));
        if job.format == Format::Url {
            // The board is told, and nothing is solved.
            return Ok(Conclusion::told());
        }
        let solved = self.solve_into(&gathered)?;
        let conclusion = solved.conclusion();
        report.lock().unwrap_or_else(std::sync::PoisonError::into_inner).set_solved(solved);
        Ok(conclusion)
    }

    fn scene(&self) -> Result<(Scene, Conclusion), Failure> {
        let solved = Opened::solve(self)?;
        Ok((scene(self.puzzle, &solved)?, solved.conclusion()))
    }

    fn why(&self, question: &Question) -> Result<Told, Failure> {
        Opened::why(self, question)
    }

    fn program(&self) -> Result<asp::Program, Failure> {
        Opened::program(self)
    }

    fn certificate_difference(&self, certificate: &Certificate) -> Result<Option<String>, Failure> {
        self.puzzle.certificate_difference(&self.board, &self.job, certificate)
    }

    fn game(&self) -> Result<Box<dyn Game>, Failure> {
        Opened::game(self)
    }
}

/// Options of searches: where a puzzle does not say who reads them, nobody does.
const OF_SEARCHES: [(&str, Readers); 3] = [
    ("depth_limit", Readers::Engines(&[])),
    ("node_limit", Readers::Engines(&[])),
    ("heuristic", Readers::Engines(&[])),
];
/// Options of certificates: of logic programs, and in formats that tell whether what is said is certified.
const OF_CERTIFICATES: [&str; 2] = ["certify", "proof"];
const NO_CERTIFICATE: &str = "the verdict rests on a search or a simulation, which has no proof of this kind";

/// Refuses what was given and would not be read.
fn refuse_unread(about: &About, engine: &str, job: &Job) -> Result<(), Failure> {
    let own = |option: &str| about.read_by.iter().any(|(own, _)| *own == option);
    let of_searches = OF_SEARCHES.iter().filter(|(option, _)| !own(option));
    let of_certificates = OF_CERTIFICATES.into_iter().filter(|option| !own(option)).map(|option| {
        match about.has_options_for_answer_sets {
            true => (option, Readers::CERTIFIED),
            false => (option, Readers::Engines(&[])),
        }
    });
    // One thread is what an engine without threads has; those of a batch are its workers.
    let is_one_thread = job.threads() == 1;
    let is_given = |(option, _): &&(&str, Readers)| job.options.is_given(option);
    for &(option, readers) in
        about.read_by.iter().chain(of_searches).chain(&of_certificates.collect::<Vec<_>>()).filter(is_given)
    {
        let words = match readers {
            Readers::Engines(engines) if engines.contains(&engine) || option == "threads" && is_one_thread => continue,
            Readers::Engines([]) => format!("no engine of {} reads it", about.name),
            Readers::Engines(engines) => {
                format!("the engine {engine} of {} ignores it; it is for {}", about.name, engines.join(", "))
            }
            Readers::Formats(formats) if formats.contains(&job.format) => continue,
            Readers::Formats(formats) => {
                let names: Vec<String> = formats.iter().map(|format| format.name()).collect();
                format!("it goes with --format {}", names.join(" or "))
            }
        };
        let error = Diagnostic::error(format!("--{}: {words}", option.replace('_', "-")));
        return Err(match OF_CERTIFICATES.contains(&option) && matches!(readers, Readers::Engines(_)) {
            true => error.help(NO_CERTIFICATE).into(),
            false => error.into(),
        });
    }
    Ok(())
}
