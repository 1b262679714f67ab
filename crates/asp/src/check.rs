//! Checks each answer that clingo finds against the definition of an answer set.

use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic};
use base::words::count;
use ground::{AnswerCheck, Flaw, GroundProgram, check_answer};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::ffi::{CallError, Control, Model};
use super::solve_mode::{ReasoningMode, SolveMode};
use super::symbols::to_text;

/// Checks the answers of a solver against the observed ground program.
pub struct AnswerChecker {
    ground: Arc<Mutex<GroundProgram>>,
    /// True if the solver reports answer sets, not brave or cautious consequences.
    checks_answers: bool,
    passed: u64,
    /// Answers whose minimality was not decided.
    undecided: u64,
    rejection: Option<Result<Flaw, CallError>>,
}

impl AnswerChecker {
    /// Starts to observe the ground program. Nothing may be grounded yet.
    pub fn new(control: &mut Control) -> Result<Self, CallError> {
        let checks_answers = SolveMode::of(control)?.mode == ReasoningMode::AnswerSets;
        Ok(AnswerChecker { ground: control.observe()?, checks_answers, passed: 0, undecided: 0, rejection: None })
    }

    pub fn accepts(&mut self, model: &Model<'_>) -> bool {
        if !self.checks_answers {
            return true;
        }
        let ground = self.ground.lock();
        let checked = model.costs().and_then(|costs| {
            let true_atoms = model.true_atoms(&ground)?;
            Ok(check_answer(&ground, |atom| true_atoms.contains(&atom), &costs))
        });
        match checked {
            Ok(Ok(AnswerCheck::Complete)) => self.passed += 1,
            Ok(Ok(AnswerCheck::ExceptMinimality)) => self.undecided += 1,
            Ok(Err(flaw)) => self.rejection = Some(Ok(flaw)),
            Err(error) => self.rejection = Some(Err(error)),
        }
        self.rejection.is_none()
    }

    /// Returns the flaw of the last answer as an error, if [`accepts`](Self::accepts) rejected it.
    pub fn take_rejection(&mut self, control: &mut Control) -> Result<(), Diagnostic> {
        let Some(rejection) = self.rejection.take() else { return Ok(()) };
        let to_diagnostic = |error: CallError| Diagnostic::error(Code::Clingo, error.text);
        let flaw = rejection.map_err(to_diagnostic)?;
        let mut names = FxHashMap::<u32, String>::default();
        for (symbol, is_fact) in control.known_atoms().map_err(to_diagnostic)? {
            // All facts share one number.
            if let Some(literal) = control.literal(symbol).filter(|_| !is_fact) {
                names.entry(literal.unsigned_abs()).or_insert_with(|| to_text(symbol));
            }
        }
        let name = |atom: u32| names.get(&atom).cloned().unwrap_or_else(|| format!("#{atom}"));
        let ground = self.ground.lock();
        Err(Diagnostic::error(
            Code::RejectedAnswer,
            format!("an answer does not pass the check: {}", flaw.words(&ground, &name)),
        ))
    }

    /// Returns the number of accepted answers.
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// Returns warnings about answers that were not checked completely.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        if !self.checks_answers {
            warnings.push(Diagnostic::warning(
                Code::UncheckedAnswer,
                "no answer was checked: brave and cautious consequences are not answer sets",
            ));
        }
        if self.undecided > 0 {
            let answers = count(self.undecided, "answer", "answers");
            let text = format!(
                "{answers} of a disjunctive program passed the check except for minimality: the search for a smaller model was given up"
            );
            warnings.push(Diagnostic::warning(Code::UncheckedAnswer, text));
        }
        warnings
    }
}
