//! Certificates of what a search has proven: gathered while it runs, made and checked when it has ended.

use std::sync::{Arc, Mutex, PoisonError};

use super::closing::Proof;
use crate::asp::{self, CallError, Ground, Mode, Model, Optimisation, Question};
use crate::certificate::{self, Bound, Claim, Outcome, Search, Shown};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Certified;
use crate::job::{Certify, Job};
use crate::stop::Stop;

/// Atoms that the answers of a claim may have together.
const MOST_ATOMS: usize = 20_000_000;

/// Literals that the clauses of a claim may have together.
const MOST_LITERALS: usize = 50_000_000;

/// What a certificate needs.
pub struct Certifying {
    ground: Arc<Mutex<Ground>>,
    question: Question,
    certify: Certify,
    asks_unique: bool,
    stop: Stop,
    /// The true atoms of answers: of optima, where there is something to minimise.
    answers: Vec<Vec<u32>>,
    costs: Vec<i64>,
    has_optimum: bool,
    atoms: usize,
    failed: Option<CallError>,
}

impl Certifying {
    /// From now on, if the job asks for it; nothing may be grounded yet.
    pub fn of(job: &Job, solver: &mut asp::Solver) -> Result<Option<Self>, Failure> {
        if job.certify == Certify::No {
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
            failed: None,
        }))
    }

    /// An answer was found.
    pub fn note(&mut self, model: &Model<'_>) {
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

    /// Makes and checks the certificate of what the search has proven.
    ///
    /// # Errors
    /// There is an answer that the solver has not found.
    pub fn certified(mut self, proof: Proof) -> Result<Certified, Failure> {
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        let answers = std::mem::take(&mut self.answers);
        let differ = self.asks_unique && answers.len() > 1;
        let (of, bound) = match proof {
            Proof::AllAnswers | Proof::Nothing if differ => {
                return Ok(Certified::not("no other", "two answers that differ need no proof"));
            }
            Proof::NoAnswer => ("none", None),
            Proof::AllAnswers if self.asks_unique => ("no other", None),
            Proof::AllAnswers => ("all", None),
            Proof::Optimum | Proof::SomeOptima => ("least", Some(true)),
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
        if ground.has_projection && claim.is_of_shown {
            return Ok(Certified::not(of, "answers are projected to atoms that are not those shown"));
        }
        let mut shown = Shown::new();
        for (symbol, condition) in &ground.outputs {
            shown.entry(asp::to_text(*symbol)).or_default().push(condition.clone());
        }
        let told_apart_by = if claim.is_of_shown { shown.len() } else { ground.last_atom() as usize };
        if claim.answers.len().saturating_mul(told_apart_by) > MOST_LITERALS {
            return Ok(Certified::not(of, "the answers are too many"));
        }
        let completion = match certificate::denied(&ground, &shown, claim) {
            Ok(completion) => completion,
            Err(why) => return Ok(Certified::not(of, why)),
        };
        let is_stopped = || self.stop.requested();
        let gave_up = || {
            let why = is_stopped().map_or("the search for a proof was given up", |reason| reason.words());
            Ok(Certified::not(of, why))
        };
        if is_stopped().is_some() {
            return gave_up();
        }
        let steps = match Search::new(&ground, &completion).run(&mut || is_stopped().is_some()) {
            Outcome::Refuted(steps) => steps,
            Outcome::GaveUp => return gave_up(),
            Outcome::Answer(atoms) => return Err(missed(&ground, &atoms)),
        };
        let in_time = steps.iter().take_while(|_| is_stopped().is_none());
        let checked =
            certificate::answers_are(&ground, claim).and_then(|()| certificate::verify(&ground, &completion, in_time));
        let count = match checked {
            Ok(count) => count,
            Err(_) if is_stopped().is_some() => return gave_up(),
            Err(why) => return Ok(Certified { checked: Some(false), ..Certified::not(of, why) }),
        };
        let mut certified = Certified { of, checked: Some(true), steps: count, why: None, text: None, formula: None };
        if self.certify == Certify::WriteVeriPb {
            let exported = certificate::export(&ground, &completion, &steps).map_err(Diagnostic::error)?;
            (certified.text, certified.formula) = (Some(exported.proof.into()), Some(exported.formula.into()));
        }
        if self.certify == Certify::Write {
            let mut text = Vec::new();
            certificate::write_head(&mut text, &ground, &shown, claim)
                .and_then(|()| certificate::write_steps(&mut text, completion.clauses.len() as u32 + 1, &steps))
                .expect("memory can be written");
            certified.text = Some(String::from_utf8(text).expect("a certificate is text").into());
        }
        Ok(certified)
    }
}

/// The error of a solver that has lost an answer.
fn missed(ground: &Ground, atoms: &[u32]) -> Failure {
    let holds = |literal: &i32| atoms.binary_search(&literal.unsigned_abs()).is_ok() == (*literal > 0);
    let shown = ground.outputs.iter().filter(|(_, condition)| condition.iter().all(holds));
    let words: Vec<String> = shown.map(|(symbol, _)| asp::to_text(*symbol)).collect();
    let what = if words.is_empty() { "one that shows nothing".to_owned() } else { words.join(" ") };
    let text = format!("clingo has lost an answer, which passes the check: {what}");
    Diagnostic::error(text).help("do not trust what clingo says of this program").into()
}
