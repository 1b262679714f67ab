//! The options of puzzles on a command line.
//!
//! All puzzles' options are declared together, since the puzzle is recognised only when its
//! instance has been read. Then options of other puzzles are rejected.

use std::collections::HashSet;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use puzzle::AnyPuzzle;
use puzzle::job::{Job, OptionSet};

use super::puzzles::registry;
use super::usage::{CLINGO_COMMAND, is_of_clingo};

/// The options of all puzzles.
#[derive(Debug, Clone, Default)]
pub struct PuzzleOptions {
    values: OptionSet,
    /// The options that the user gave, each with the name of its puzzle.
    given: Vec<(String, &'static str)>,
}

/// The puzzles whose options no puzzle before them declares.
fn owners() -> impl Iterator<Item = &'static Arc<dyn AnyPuzzle>> {
    let mut known = HashSet::new();
    registry().all().iter().filter(move |puzzle| known.insert(puzzle.options().options_type()))
}

impl Args for PuzzleOptions {
    fn augment_args(command: Command) -> Command {
        owners().fold(command, |command, puzzle| puzzle.options().augment(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        PuzzleOptions::augment_args(command)
    }
}

impl FromArgMatches for PuzzleOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = PuzzleOptions::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for puzzle in owners() {
            puzzle.options().read(matches, &mut self.values)?;
            self.given.extend(puzzle.options().given(matches).into_iter().map(|option| (option, puzzle.name())));
        }
        Ok(())
    }
}

impl PuzzleOptions {
    /// Sets the options of the puzzle in its job.
    ///
    /// # Errors
    /// An option of another puzzle was given.
    pub fn apply(&self, entry: &dyn AnyPuzzle, job: &mut Job) -> Result<(), Failure> {
        let about = entry.about();
        // Options about answer sets apply to every puzzle whose answer sets are printed.
        let is_about_answer_sets =
            |owner: &str| registry().by_name(owner).is_some_and(|owner| owner.about().has_options_for_answer_sets);
        let is_foreign = |(_, owner): &&(String, &'static str)| {
            *owner != about.name && !(job.output.format.is_answer_sets() && is_about_answer_sets(owner))
        };
        let Some((option, owner)) = self.given.iter().find(is_foreign) else {
            job.options = self.values.clone();
            return Ok(());
        };
        let text = format!("{option} is an option of {owner}, but the input is {}", about.name);
        let error = Diagnostic::error(Code::Usage, text);
        Err(if is_about_answer_sets(owner) {
            error.help("with --format asp or clingo-json it applies to every puzzle").into()
        } else if about.has_options_for_answer_sets && is_of_clingo(option) {
            error.help(CLINGO_COMMAND).into()
        } else {
            error.into()
        })
    }
}
