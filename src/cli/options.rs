//! The options of puzzles on a command line.
//!
//! All puzzles' options are declared together, since the puzzle is recognised only when its
//! instance has been read. Then its options are read, and those of other puzzles are rejected.

use std::sync::Arc;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::puzzles::registry;
use super::usage::{CLINGO_COMMAND, is_of_clingo};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::job::Job;
use crate::puzzle::AnyPuzzle;

#[derive(Clone)]
pub struct PuzzleOptions(Arc<Parsed>);

struct Parsed {
    matches: ArgMatches,
    /// The options that the user gave, each with a puzzle that has it.
    given: Vec<(String, &'static dyn AnyPuzzle)>,
}

impl PuzzleOptions {
    pub fn new(matches: ArgMatches) -> Self {
        let is_given = |option: &&Arg| matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine);
        let given = registry().all().iter().flat_map(|&entry| {
            let command = entry.augment(Command::new("options"));
            let given = command.get_arguments().filter(is_given);
            let names = given.map(|option| format!("--{}", option.get_long().unwrap_or_default()));
            names.map(|name| (name, entry)).collect::<Vec<_>>()
        });
        let given = given.collect();
        PuzzleOptions(Arc::new(Parsed { matches, given }))
    }

    /// Parses options of `entry` alone.
    pub fn of(words: &[&str]) -> Self {
        let command = Command::new("options").no_binary_name(true);
        let command = registry().all().iter().fold(command, |command, entry| entry.augment(command));
        PuzzleOptions::new(command.get_matches_from(words))
    }

    /// Sets the options of the puzzle in its job.
    ///
    /// # Errors
    /// An option of another puzzle was given.
    pub fn apply(&self, entry: &dyn AnyPuzzle, job: &mut Job) -> Result<(), Failure> {
        let about = entry.about();
        // Options about answer sets apply to every puzzle whose answer sets are printed.
        let is_foreign = |(_, owner): &&(String, &'static dyn AnyPuzzle)| {
            owner.name() != about.name
                && !(job.output.format.is_answer_sets() && owner.about().has_options_for_answer_sets)
        };
        let Some((option, owner)) = self.0.given.iter().find(is_foreign) else {
            return entry.read(&self.0.matches, &mut job.options);
        };
        let text = format!("{option} is an option of {}, but the input is {}", owner.name(), about.name);
        let error = Diagnostic::error(Code::Usage, text);
        Err(if owner.about().has_options_for_answer_sets {
            error.help("with --format asp or clingo-json it applies to every puzzle").into()
        } else if about.has_options_for_answer_sets && is_of_clingo(option) {
            error.help(CLINGO_COMMAND).into()
        } else {
            error.into()
        })
    }
}
