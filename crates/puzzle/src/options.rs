//! The declaration of the options of puzzles and tools. No other file of this folder parses a
//! command line.

use std::any::TypeId;
use std::ffi::OsString;

use base::diagnostic::{Code, Diagnostic, Failure};
use clap::{ArgMatches, Args, Command, Id};

use crate::job::OptionSet;

/// The options of a puzzle or tool, declared by a type that derives [`Args`].
#[derive(Clone, Copy)]
pub struct OptionDeclaration {
    options_type: TypeId,
    /// clap's group of these options.
    group: fn() -> Option<Id>,
    augment: fn(Command) -> Command,
    read: fn(&ArgMatches, &mut OptionSet) -> Result<(), clap::Error>,
}

impl OptionDeclaration {
    pub fn of<O: Args + Send + Sync + 'static>() -> Self {
        let read = |matches: &ArgMatches, options: &mut OptionSet| {
            options.set(O::from_arg_matches(matches)?);
            Ok(())
        };
        OptionDeclaration { options_type: TypeId::of::<O>(), group: O::group_id, augment: O::augment_args, read }
    }

    /// The type that declares the options.
    pub fn options_type(&self) -> TypeId {
        self.options_type
    }

    /// Adds the options to a command.
    pub fn augment(&self, command: Command) -> Command {
        (self.augment)(command)
    }

    /// Adds the values of the options to `options`.
    pub fn read(&self, matches: &ArgMatches, options: &mut OptionSet) -> Result<(), clap::Error> {
        (self.read)(matches, options)
    }

    /// The names of those options that were given, even with their defaults.
    pub fn given(&self, matches: &ArgMatches) -> Vec<String> {
        let group = (self.group)();
        let given = group.and_then(|group| matches.try_get_many::<Id>(group.as_str()).ok().flatten());
        given.into_iter().flatten().map(|option| format!("--{}", option.as_str().replace('_', "-"))).collect()
    }

    /// Parses the options of the command `name`, given as the words of a command line.
    pub fn parse(
        &self,
        name: &str,
        words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<OptionSet, Failure> {
        let mut options = OptionSet::default();
        let command = self.augment(Command::new(name.to_owned()).no_binary_name(true));
        let parsed = command.try_get_matches_from(words).and_then(|matches| self.read(&matches, &mut options));
        parsed.map_err(|error| {
            let text = error.to_string();
            Diagnostic::error(Code::Usage, format!("{name}: {}", text.trim_start_matches("error: ").trim_end()))
        })?;
        Ok(options)
    }
}
