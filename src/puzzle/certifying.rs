//! Certificates of what a search has proven: gathered while it runs, made and checked when it has ended.

use std::sync::{Arc, Mutex, PoisonError};

use super::closing::Proof;
use crate::asp::{self, CallError, Ground, Mode, Model, Optimisation, Question};
use crate::certificate::{self, Bound, Certificate, Certify, Claim, Shown};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Certified;
use crate::job::Job;
use crate::stop::Stop;

/// Atoms that the answers of a claim may have together.
const MOST_ATOMS: usize = 20_000_000;

/// What a certificate needs.
pub struct Certifying {
    ground: Arc<Mutex<Ground>>,
    question: Question,
    certify: Certify,
    /// Whether there is one answer; otherwise all that were found are.
    pub asks_unique: bool,
    stop: Stop,
    /// The true atoms of answers: of optima, where there is something to minimise.
    answers: Vec<Vec<u32>>,
    costs: Vec<i64>,
    has_optimum: bool,
    atoms: usize,
    /// The step that the answers are of.
    step: u32,
    failed: Option<CallError>,
}

impl Certifying {
    /// From now on, if the job asks for it; nothing may be grounded yet. Of a puzzle, what is cheap is certified unasked.
    pub fn of(job: &Job, solver: &mut asp::Solver, is_of_puzzle: bool) -> Result<Option<Self>, Failure> {
        let is_unasked = is_of_puzzle && job.asks_unique && job.certify == Certify::IfCheap;
        if !job.certify.is_asked() && !is_unasked {
            return Ok(None);
        }
        let question = solver.question()?;
        let ground = solver.control().observe()?;
        Ok(Some(Certifying {
            ground,
            question,
            certify: job.certify,
            asks_unique: job.asks_unique,
            stop: job.stop.clone(),
            answers: Vec::new(),
            costs: Vec::new(),
            has_optimum: false,
            atoms: 0,
            step: 0,
            failed: None,
        }))
    }

    /// An answer was found. Answers of earlier steps are none of the last one.
    pub fn note(&mut self, model: &Model<'_>, step: u32) {
        if std::mem::replace(&mut self.step, step) != step {
            self.answers.clear();
            self.costs.clear();
            (self.has_optimum, self.atoms) = (false, 0);
        }
        if self.failed.is_none()
            && self.question.mode == Mode::AnswerSets
            && let Err(error) = self.take(model)
        {
            self.failed = Some(error);
        }
    }

    fn take(&mut self, model: &Model<'_>) -> Result<(), CallError> {
        let costs = model.costs()?;
        if self.question.optimisation != Optimisation::None && !costs.is_empty() {
            // The first optimum is found again when it is proven.
            let is_optimal = model.optimality_proven()?;
            if !is_optimal || !std::mem::replace(&mut self.has_optimum, is_optimal) {
                self.answers.clear();
                self.atoms = 0;
            }
            self.costs = costs;
        }
        if self.atoms <= MOST_ATOMS {
            let mut atoms: Vec<u32> = self.lock().holding(model)?.into_iter().collect();
            atoms.sort_unstable();
            self.atoms += atoms.len();
            self.answers.push(atoms);
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Ground> {
        self.ground.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes and checks the certificate of what the search has proven; none where nobody asked for one and there is none.
    ///
    /// # Errors
    /// There is an answer that the solver has not found.
    pub fn certified(self, proof: Proof) -> Result<Option<Certified>, Failure> {
        let is_asked = self.certify.is_asked();
        Ok(Some(self.made(proof)?).filter(|certified| is_asked || certified.checked.is_some()))
    }

    fn made(mut self, proof: Proof) -> Result<Certified, Failure> {
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        let answers = std::mem::take(&mut self.answers);
        let differ = self.asks_unique && answers.len() > 1;
        let (of, bound) = match proof {
            Proof::AllAnswers | Proof::AllOptima | Proof::SomeOptima | Proof::Nothing if differ => {
                return Ok(Certified::not("no other", "two answers that differ need no proof"));
            }
            Proof::NoAnswer => ("none", None),
            Proof::AllAnswers if self.asks_unique => ("no other", None),
            Proof::AllAnswers => ("all", None),
            Proof::Optimum | Proof::SomeOptima => ("least", Some(true)),
            Proof::AllOptima if self.asks_unique => ("no other", Some(false)),
            Proof::AllOptima => ("all", Some(false)),
            Proof::Nothing => return Ok(Certified::not("none", "nothing is proven")),
            Proof::Consequences => {
                return Ok(Certified::not("none", "what answers have in common has no certificate"));
            }
        };
        if self.atoms > MOST_ATOMS {
            return Ok(Certified::not(of, "the answers are too many"));
        }
        let bound = bound.map(|is_strict| Bound { costs: self.costs.clone(), is_strict });
        let answers = match proof {
            Proof::SomeOptima => answers.into_iter().next_back().into_iter().collect(),
            _ => answers,
        };
        let claim = Claim { answers, is_of_shown: self.question.is_projected, bound };
        self.refuted(of, &claim)
    }

    fn refuted(&self, of: &'static str, claim: &Claim) -> Result<Certified, Failure> {
        let ground = self.lock();
        let shown = match &ground.projected {
            Some(atoms) if self.question.is_projected_explicitly => certificate::projected_of(&ground, atoms),
            Some(_) if claim.is_of_shown => {
                return Ok(Certified::not(of, "answers are projected to atoms that are not those shown"));
            }
            _ => certificate::shown_of(&ground),
        };
        Ok(certificate::certify(&ground, &shown, claim, of, self.certify, &self.stop)?)
    }
}

/// The first difference between the program of a certificate and the ground program of `program`; `None` if they are the same.
pub fn difference(
    certificate: &Certificate,
    program: &asp::Program,
    settings: &asp::Settings,
    stop: &Stop,
) -> Result<Option<String>, Failure> {
    if program.documents().any(asp::is_incremental) {
        return Err(Diagnostic::error(
            "the certificate of a program in steps is about its last step alone, and is not compared with files",
        )
        .into());
    }
    let (_, ground) = grounded(program, settings, stop)?;
    let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(certificate.difference(&ground, &projections(&ground)))
}

/// Grounds a program as for solving.
pub fn grounded(
    program: &asp::Program,
    settings: &asp::Settings,
    stop: &Stop,
) -> Result<(asp::Solver, Arc<Mutex<Ground>>), Failure> {
    let mut solver = asp::Solver::new(settings, stop)?;
    let ground = solver.control().observe()?;
    solver.load(program)?;
    solver.ground_program(program)?;
    solver.check_inputs(program)?;
    solver.control().prepare()?;
    Ok((solver, ground))
}

/// What a certificate of a ground program may show: what the program shows, or what it projects answers to.
pub fn projections(ground: &Ground) -> Vec<Shown> {
    let projected = ground.projected.as_ref().map(|atoms| certificate::projected_of(ground, atoms));
    [certificate::shown_of(ground)].into_iter().chain(projected).collect()
}
