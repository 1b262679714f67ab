//! Puzzles and their tools, erased: outside they have no types of their own, inside no command line.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use serde_json::Value;

use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Ending;
use crate::played::Game;
use crate::puzzle::{self, About, AnswerSetOptions, Done, Encoding, Input, Means, Puzzle, Role, Takes, Task, Tool};
use crate::report::Format;
use crate::why::{Question, Told};

/// A puzzle, for the command.
pub trait Entry: Sync {
    fn about(&self) -> About;
    /// Whether a board that names its puzzle so is one of it.
    fn is_called(&self, name: &str) -> bool {
        self.about().name == name
    }
    fn recognise(&self, document: &Document) -> Role;
    /// How much of a text that no puzzle recognises could be an instance.
    fn resembles(&self, document: &Document) -> f64;
    /// The names of its engines; the first is the usual one.
    fn engines(&self) -> Vec<String>;
    /// Adds the options that only this puzzle has.
    fn augment(&self, command: Command) -> Command;
    /// What else can be done with it.
    fn tools(&self) -> &'static [&'static dyn AnyTool] {
        &[]
    }
    /// Parses, solves, checks and leaves the answers in the task's slot.
    fn run(&self, matches: &ArgMatches, task: &Task) -> Result<Ending, Failure>;
    /// Answers a question about why.
    fn why(&self, task: &Task, question: &Question) -> Result<Told, Failure>;
    /// The whole logic program.
    fn logic_program(&self, task: &Task) -> Result<asp::Program, Failure>;
    /// The board in play.
    fn game(&self, task: &Task) -> Result<Box<dyn Game>, Failure>;
}

/// A tool, for the command.
pub trait AnyTool: Sync {
    fn name(&self) -> &'static str;
    fn takes(&self) -> Takes;
    fn formats(&self) -> &'static [Format];
    fn encoding(&self) -> Option<Encoding>;
    /// Adds its options, and tells what it does.
    fn augment(&self, command: Command) -> Command;
    fn merge(&self, reports: &[(String, Value)], format: Format) -> Option<Result<String, Failure>>;
    fn run(&self, matches: &ArgMatches, input: &Input<'_>, means: &mut Means<'_>) -> Result<Done, Failure>;
}

/// The options that one of them has, read from all that were given.
fn options<O: FromArgMatches>(matches: &ArgMatches) -> Result<O, Failure> {
    O::from_arg_matches(matches).map_err(|error| Diagnostic::error(error.to_string()).into())
}

/// Whether an option was given, and is not just what it is by default.
fn is_given(matches: &ArgMatches) -> impl Fn(&str) -> bool {
    |option| matches.value_source(option) == Some(ValueSource::CommandLine)
}

impl<P: Puzzle> Entry for P {
    fn about(&self) -> About {
        Puzzle::about(self)
    }

    fn is_called(&self, name: &str) -> bool {
        Puzzle::is_called(self, name)
    }

    fn recognise(&self, document: &Document) -> Role {
        Puzzle::recognise(self, document)
    }

    fn resembles(&self, document: &Document) -> f64 {
        Puzzle::resembles(self, document)
    }

    fn engines(&self) -> Vec<String> {
        P::Engine::value_variants().iter().map(|&engine| puzzle::name_of(engine)).collect()
    }

    fn augment(&self, command: Command) -> Command {
        P::Options::augment_args(command)
    }

    fn tools(&self) -> &'static [&'static dyn AnyTool] {
        Puzzle::tools(self)
    }

    fn run(&self, matches: &ArgMatches, task: &Task) -> Result<Ending, Failure> {
        puzzle::run(*self, &options(matches)?, &options(matches)?, task, &is_given(matches))
    }

    fn why(&self, task: &Task, question: &Question) -> Result<Told, Failure> {
        puzzle::why(*self, task, question)
    }

    fn logic_program(&self, task: &Task) -> Result<asp::Program, Failure> {
        puzzle::program(*self, task)
    }

    fn game(&self, task: &Task) -> Result<Box<dyn Game>, Failure> {
        puzzle::game(*self, task)
    }
}

/// The puzzle that is none: its options are those of the formats that print answer sets.
impl Entry for puzzle::Program {
    fn about(&self) -> About {
        self.about()
    }

    fn recognise(&self, document: &Document) -> Role {
        self.recognise(document)
    }

    fn resembles(&self, _: &Document) -> f64 {
        0.0
    }

    fn engines(&self) -> Vec<String> {
        vec!["asp".to_owned()]
    }

    fn augment(&self, command: Command) -> Command {
        AnswerSetOptions::augment_args(command)
    }

    fn run(&self, matches: &ArgMatches, task: &Task) -> Result<Ending, Failure> {
        puzzle::refuse_unread(&self.about(), "asp", task, &is_given(matches))?;
        self.run(&options(matches)?, task)
    }

    fn why(&self, task: &Task, question: &Question) -> Result<Told, Failure> {
        self.why(task, question)
    }

    fn logic_program(&self, task: &Task) -> Result<asp::Program, Failure> {
        Ok(self.program(task))
    }

    fn game(&self, task: &Task) -> Result<Box<dyn Game>, Failure> {
        self.game(task)
    }
}

impl<T: Tool> AnyTool for T {
    fn name(&self) -> &'static str {
        Tool::name(self)
    }

    fn takes(&self) -> Takes {
        Tool::takes(self)
    }

    fn formats(&self) -> &'static [Format] {
        Tool::formats(self)
    }

    fn encoding(&self) -> Option<Encoding> {
        Tool::encoding(self)
    }

    fn augment(&self, command: Command) -> Command {
        T::Options::augment_args(command.about(self.about()))
    }

    fn merge(&self, reports: &[(String, Value)], format: Format) -> Option<Result<String, Failure>> {
        Tool::merge(self, reports, format)
    }

    fn run(&self, matches: &ArgMatches, input: &Input<'_>, means: &mut Means<'_>) -> Result<Done, Failure> {
        Tool::run(self, &options(matches)?, input, means)
    }
}
