//! Answers checked by the definition while they are found, for whoever does not want to trust the solver.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::asp::{self, Checked, Flaw, Ground, Mode, Question};
use crate::diagnostic::{Diagnostic, Failure};
use crate::words::count;

pub struct Check {
    ground: Arc<Mutex<Ground>>,
    /// What the solver hands out is an answer set, and not what answer sets have in common.
    is_of_answers: bool,
    passed: u64,
    /// Answers whose minimality was not decided.
    doubtful: u64,
    refused: Option<Result<Flaw, asp::CallError>>,
}

impl Check {
    /// From now on; nothing may be grounded yet.
    pub fn new(solver: &mut asp::Solver, question: Question) -> Result<Self, Failure> {
        let ground = solver.control().observe().map_err(told)?;
        let is_of_answers = question.mode == Mode::AnswerSets;
        Ok(Check { ground, is_of_answers, passed: 0, doubtful: 0, refused: None })
    }

    pub fn passes(&mut self, model: &asp::Model<'_>) -> bool {
        if !self.is_of_answers {
            return true;
        }
        let ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = model.costs().and_then(|costs| {
            let holding = ground.holding(model)?;
            Ok(asp::check_answer(&ground, |atom| holding.contains(&atom), &costs))
        });
        match checked {
            Ok(Ok(Checked::Wholly)) => self.passed += 1,
            Ok(Ok(Checked::ButForMinimality)) => self.doubtful += 1,
            Ok(Err(flaw)) => self.refused = Some(Ok(flaw)),
            Err(error) => self.refused = Some(Err(error)),
        }
        self.refused.is_none()
    }

    /// How many answers have passed; what else there is to say becomes a warning. The error is about one that has not.
    pub fn conclude(self, solver: &mut asp::Solver, warnings: &mut Vec<Diagnostic>) -> Result<u64, Failure> {
        if let Some(refused) = self.refused {
            let flaw = refused.map_err(told)?;
            let mut names: FxHashMap<u32, String> = FxHashMap::default();
            for (symbol, is_fact) in solver.control().known_atoms().map_err(told)? {
                // All facts share one number.
                if let Some(literal) = solver.control().literal(symbol).filter(|_| !is_fact) {
                    names.entry(literal.unsigned_abs()).or_insert_with(|| asp::to_text(symbol));
                }
            }
            let name = |atom: u32| names.get(&atom).cloned().unwrap_or_else(|| format!("#{atom}"));
            let ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner);
            let text = format!("an answer does not pass the check: {}", flaw.words(&ground, &name));
            return Err(Diagnostic::error(text).into());
        }
        if !self.is_of_answers {
            warnings.push(Diagnostic::warning("nothing was checked: what answers have in common is no answer"));
        }
        if self.doubtful > 0 {
            let answers = count(self.doubtful, "answer", "answers");
            let text = format!(
                "{answers} of a disjunctive program passed the check but for this: the search for a smaller one was given up"
            );
            warnings.push(Diagnostic::warning(text));
        }
        Ok(self.passed)
    }
}

fn told(error: asp::CallError) -> Failure {
    Diagnostic::error(error.text).into()
}
