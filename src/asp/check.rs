//! Checks answers by the definition as they are found, without trusting the solver.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::checker::{Checked, Flaw, check_answer};
use super::ffi::{CallError, Control, Model};
use super::ground::Ground;
use super::question::{Mode, Question};
use super::to_text;
use crate::diagnostic::Diagnostic;
use crate::words::count;

/// What a solver's answers are held against.
pub struct Check {
    ground: Arc<Mutex<Ground>>,
    /// What the solver hands out is an answer set, and not what answer sets have in common.
    is_of_answers: bool,
    passed: u64,
    /// Answers whose minimality was not decided.
    doubtful: u64,
    refused: Option<Result<Flaw, CallError>>,
}

impl Check {
    /// From now on; nothing may be grounded yet.
    pub(crate) fn new(control: &mut Control) -> Result<Self, CallError> {
        let is_of_answers = Question::of(control)?.mode == Mode::AnswerSets;
        Ok(Check { ground: control.observe()?, is_of_answers, passed: 0, doubtful: 0, refused: None })
    }

    pub(crate) fn passes(&mut self, model: &Model<'_>) -> bool {
        if !self.is_of_answers {
            return true;
        }
        let ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = model.costs().and_then(|costs| {
            let holding = ground.holding(model)?;
            Ok(check_answer(&ground, |atom| holding.contains(&atom), &costs))
        });
        match checked {
            Ok(Ok(Checked::Wholly)) => self.passed += 1,
            Ok(Ok(Checked::ButForMinimality)) => self.doubtful += 1,
            Ok(Err(flaw)) => self.refused = Some(Ok(flaw)),
            Err(error) => self.refused = Some(Err(error)),
        }
        self.refused.is_none()
    }

    /// What is wrong with the last answer, if it has not passed.
    pub(crate) fn refused(&mut self, control: &mut Control) -> Result<(), Diagnostic> {
        let Some(refused) = self.refused.take() else { return Ok(()) };
        let told = |error: CallError| Diagnostic::error(error.text);
        let (flaw, mut names) = (refused.map_err(told)?, FxHashMap::<u32, String>::default());
        for (symbol, is_fact) in control.known_atoms().map_err(told)? {
            // All facts share one number.
            if let Some(literal) = control.literal(symbol).filter(|_| !is_fact) {
                names.entry(literal.unsigned_abs()).or_insert_with(|| to_text(symbol));
            }
        }
        let name = |atom: u32| names.get(&atom).cloned().unwrap_or_else(|| format!("#{atom}"));
        let ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner);
        Err(Diagnostic::error(format!("an answer does not pass the check: {}", flaw.words(&ground, &name))))
    }

    /// How many answers have passed.
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// What else there is to say.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        if !self.is_of_answers {
            warnings.push(Diagnostic::warning("nothing was checked: what answers have in common is not an answer"));
        }
        if self.doubtful > 0 {
            let answers = count(self.doubtful, "answer", "answers");
            let text = format!(
                "{answers} of a disjunctive program passed the check but for this: the search for a smaller one was given up"
            );
            warnings.push(Diagnostic::warning(text));
        }
        warnings
    }
}
