//! The heuristics by name, and their construction.

use base::stop::CancelToken;

use super::heuristic::{Blind, HeuristicFn};
use super::pattern::PatternDatabases;
use super::potential::Potentials;
use super::relaxed::{DeleteRelaxation, RelaxedTask};
use super::space::SearchTask;
use super::token_class::token_classes;
use super::tokens::Tokens;

/// A kind of lower bound on the cost to reach the goal. Each is admissible for every task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heuristic {
    /// Always 0.
    Blind,
    /// h-max: the most expensive goal fact under delete relaxation.
    Hmax,
    /// LM-cut.
    Lmcut,
    /// Pattern databases.
    Patterns,
    /// Potentials.
    Potentials,
    /// Matchings of tokens and goals.
    Tokens,
}

impl Heuristic {
    /// Builds the heuristic function for a task.
    pub fn build<'a>(self, task: &'a SearchTask, stop: &CancelToken) -> Box<dyn HeuristicFn + 'a> {
        let fdr = task.fdr();
        let relaxed = |cuts| DeleteRelaxation { fdr, relaxed: RelaxedTask::of(fdr, cuts) };
        match self {
            Heuristic::Blind => Box::new(Blind),
            Heuristic::Hmax => Box::new(relaxed(false)),
            Heuristic::Lmcut => Box::new(relaxed(true)),
            Heuristic::Patterns => Box::new(PatternDatabases::of(fdr, &task.pattern_cache, stop)),
            Heuristic::Potentials => match Potentials::of(task, stop) {
                Some(potentials) => Box::new(potentials),
                None => Box::new(Blind),
            },
            Heuristic::Tokens => match Tokens::of(fdr, token_classes(fdr, task.task()), stop) {
                Some(tokens) => Box::new(tokens),
                None => Box::new(Blind),
            },
        }
    }
}
