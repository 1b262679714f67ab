//! Certificates for the proofs of a search: recorded during the search, created and checked after
//! it.

use std::sync::Arc;

use asp::{CallError, Model, ReasoningMode, SolveMode};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use certificate::{Certificate, Claim, CostBound};
use ground::{Completion, GroundProgram, Optimisation, ShownTerms};
use parking_lot::Mutex;
use prover::{Certification, CertifyMode};

use super::closing::Proven;
use super::cube_session::JobSolver;
use crate::job::Job;

/// Maximum total number of atoms in the answers of a claim.
const MAX_ATOMS: usize = 20_000_000;

/// Records what a certificate needs: the ground program and the answers.
pub struct CertificateRecorder {
    ground: Arc<Mutex<GroundProgram>>,
    /// The clauses of a ground program that several boards share.
    shared: Option<Arc<SharedClauses>>,
    solve_mode: SolveMode,
    certify: CertifyMode,
    /// Certify uniqueness; otherwise, that the answers found are all.
    pub asks_unique: bool,
    stop: CancelToken,
    /// The true atoms of each answer, or of each optimum if costs are minimised.
    answers: Vec<Vec<u32>>,
    costs: Vec<i64>,
    has_optimum: bool,
    atoms: usize,
    /// The step of an incremental program to which the answers belong.
    step: u32,
    failed: Option<CallError>,
}

/// The clauses of a ground program for any values of its external atoms, and its shown terms. Boards
/// that differ only in these values share them.
pub struct SharedClauses {
    shown: ShownTerms,
    completion: Result<Completion, String>,
}

impl SharedClauses {
    pub fn of(ground: &GroundProgram) -> SharedClauses {
        let shown = prover::shown_terms(ground);
        let completion = Completion::of_any_externals(ground, &shown);
        SharedClauses { shown, completion }
    }
}

impl CertificateRecorder {
    /// Starts recording if the job requests a certificate; call before grounding. Puzzles also
    /// certify uniqueness without a request if that is cheap.
    pub fn start(job: &Job, solver: &mut asp::Solver, is_of_puzzle: bool) -> Result<Option<Self>, Failure> {
        let is_default = is_of_puzzle && job.question.is_unique && job.question.certify == CertifyMode::IfCheap;
        if !job.question.certify.is_requested() && !is_default {
            return Ok(None);
        }
        let solve_mode = solver.solve_mode()?;
        let ground = solver.control().observe()?;
        Ok(Some(CertificateRecorder::of(job, ground, None, solve_mode)))
    }

    /// Starts recording for a board with a shared ground program.
    pub fn of_shared(
        job: &Job,
        ground: Arc<Mutex<GroundProgram>>,
        clauses: Arc<SharedClauses>,
        solve_mode: SolveMode,
    ) -> Self {
        CertificateRecorder::of(job, ground, Some(clauses), solve_mode)
    }

    fn of(
        job: &Job,
        ground: Arc<Mutex<GroundProgram>>,
        shared: Option<Arc<SharedClauses>>,
        solve_mode: SolveMode,
    ) -> Self {
        CertificateRecorder {
            ground,
            shared,
            solve_mode,
            certify: job.question.certify,
            asks_unique: job.question.is_unique,
            stop: job.stop.clone(),
            answers: Vec::new(),
            costs: Vec::new(),
            has_optimum: false,
            atoms: 0,
            step: 0,
            failed: None,
        }
    }

    /// Records an answer and drops the answers of earlier steps.
    pub fn record_answer(&mut self, model: &Model<'_>, step: u32) {
        if std::mem::replace(&mut self.step, step) != step {
            self.answers.clear();
            self.costs.clear();
            (self.has_optimum, self.atoms) = (false, 0);
        }
        if self.failed.is_none()
            && self.solve_mode.mode == ReasoningMode::AnswerSets
            && let Err(error) = self.store_answer(model)
        {
            self.failed = Some(error);
        }
    }

    fn store_answer(&mut self, model: &Model<'_>) -> Result<(), CallError> {
        let costs = model.costs()?;
        if self.solve_mode.optimisation != Optimisation::None && !costs.is_empty() {
            // clingo reports the first optimum again when it is proven.
            let is_optimal = model.optimality_proven()?;
            if !is_optimal || !std::mem::replace(&mut self.has_optimum, is_optimal) {
                self.answers.clear();
                self.atoms = 0;
            }
            self.costs = costs;
        }
        if self.atoms <= MAX_ATOMS {
            let atoms = model.sorted_true_atoms(&self.ground.lock())?;
            self.push_answer(atoms);
        }
        Ok(())
    }

    /// Records the true atoms of an answer without costs, in ascending order.
    pub fn push_answer(&mut self, atoms: Vec<u32>) {
        self.atoms += atoms.len();
        self.answers.push(atoms);
    }

    /// Creates and checks the certificate. Returns `None` if certification failed and was not
    /// explicitly requested.
    ///
    /// # Errors
    /// An answer exists that the solver did not find.
    pub fn finish(self, proof: Proven) -> Result<Option<Certification>, Failure> {
        self.certificate(proof, None)
    }

    /// As [`finish`](Self::finish), for the answers of this solver.
    ///
    /// # Errors
    /// An answer exists that the solver did not find.
    pub fn finish_with(self, proof: Proven, solver: &mut JobSolver) -> Result<Option<Certification>, Failure> {
        self.certificate(proof, Some(solver))
    }

    fn certificate(self, proof: Proven, solver: Option<&mut JobSolver>) -> Result<Option<Certification>, Failure> {
        let is_requested = self.certify.is_requested();
        let certified = self.certification(proof, solver)?;
        Ok(Some(certified).filter(|certified| is_requested || certified.checked.is_some()))
    }

    fn certification(mut self, proof: Proven, solver: Option<&mut JobSolver>) -> Result<Certification, Failure> {
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        let answers = std::mem::take(&mut self.answers);
        let is_not_unique = self.asks_unique && answers.len() > 1;
        let (claimed, bound) = match proof {
            Proven::AllAnswers | Proven::AllOptima | Proven::SomeOptima | Proven::Nothing if is_not_unique => {
                return Ok(Certification::uncertified("no other", "two answers that differ need no proof"));
            }
            Proven::NoAnswer => ("none", None),
            Proven::AllAnswers if self.asks_unique => ("no other", None),
            Proven::AllAnswers => ("all", None),
            Proven::Optimum | Proven::SomeOptima => ("least", Some(true)),
            Proven::AllOptima if self.asks_unique => ("no other", Some(false)),
            Proven::AllOptima => ("all", Some(false)),
            Proven::Nothing => return Ok(Certification::uncertified("none", "nothing is proven")),
            Proven::Consequences => {
                return Ok(Certification::uncertified("none", "what answers have in common has no certificate"));
            }
        };
        if self.atoms > MAX_ATOMS {
            return Ok(Certification::uncertified(claimed, "the answers are too many"));
        }
        let bound = bound.map(|is_strict| CostBound { costs: self.costs.clone(), is_strict });
        let answers = match proof {
            Proven::SomeOptima => answers.into_iter().next_back().into_iter().collect(),
            _ => answers,
        };
        let claim = Claim { answers, projects_to_shown: self.solve_mode.is_projected, bound };
        match solver.and_then(|solver| solver.take_certificate(claimed)) {
            Some(certified) => Ok(certified),
            None => self.certify_claim(claimed, &claim),
        }
    }

    fn certify_claim(&self, claimed: &'static str, claim: &Claim) -> Result<Certification, Failure> {
        let ground = self.ground.lock();
        if let Some(clauses) = self.shared.as_ref().filter(|_| ground.projected.is_none()) {
            let completion = || {
                let mut completion = clauses.completion.clone()?;
                completion.fix_externals(&ground);
                Ok(completion)
            };
            let claim = (claim, claimed);
            let certified =
                prover::certify_completed(&ground, &clauses.shown, completion, claim, self.certify, &self.stop);
            return Ok(certified?);
        }
        let shown = match &ground.projected {
            Some(atoms) if self.solve_mode.is_projected_explicitly => prover::projected_terms(&ground, atoms),
            Some(_) if claim.projects_to_shown => {
                return Ok(Certification::uncertified(
                    claimed,
                    "answers are projected to atoms that are not those shown",
                ));
            }
            _ => prover::shown_terms(&ground),
        };
        Ok(prover::certify(&ground, &shown, claim, claimed, self.certify, &self.stop)?)
    }
}

/// Returns the first difference between the program of a certificate and the ground program of
/// `program`, or `None` if they are equal.
pub fn difference(
    certificate: &Certificate,
    program: &asp::Program,
    settings: &asp::Settings,
    stop: &CancelToken,
) -> Result<Option<String>, Failure> {
    if program.documents().any(asp::is_incremental) {
        return Err(Diagnostic::error(
            Code::Unsupported,
            "the certificate of a program in steps is about its last step alone, and is not compared with files",
        )
        .into());
    }
    let (_, ground) = ground(program, settings, stop)?;
    let ground = ground.lock();
    Ok(certificate.difference(&ground, &projections(&ground)))
}

/// Grounds a program as for solving.
pub fn ground(
    program: &asp::Program,
    settings: &asp::Settings,
    stop: &CancelToken,
) -> Result<(asp::Solver, Arc<Mutex<GroundProgram>>), Failure> {
    let (mut solver, ground) = ground_open(program, settings, stop)?;
    solver.control().prepare()?;
    Ok((solver, ground))
}

/// Grounds a program like [`ground()`], but does not complete it yet. The atoms then still have the
/// numbers of the ground program: clasp merges equivalent atoms when it completes a program.
pub fn ground_open(
    program: &asp::Program,
    settings: &asp::Settings,
    stop: &CancelToken,
) -> Result<(asp::Solver, Arc<Mutex<GroundProgram>>), Failure> {
    let mut solver = asp::Solver::new(settings, stop)?;
    let ground = solver.control().observe()?;
    solver.load(program)?;
    solver.ground_program(program)?;
    solver.check_inputs(program)?;
    Ok((solver, ground))
}

/// Returns the projections that a certificate may use: the shown atoms, and the atoms of
/// `#project`.
pub fn projections(ground: &GroundProgram) -> Vec<ShownTerms> {
    let projected = ground.projected.as_ref().map(|atoms| prover::projected_terms(ground, atoms));
    [prover::shown_terms(ground)].into_iter().chain(projected).collect()
}
