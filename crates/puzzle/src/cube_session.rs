//! The solver of a job. A worker keeps it for the next cube of the same program, so that it need not learn again
//! what it learnt from the cubes before.
//!
//! clingo searches the cubes. If they are certified, the proof search does it alone: it finds the answers and
//! proves that there are no others.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Instant;

use asp::{Model, ReasoningMode, SolveOutcome, SolveResult, StoredModel, Symbol};
use base::diagnostic::Failure;
use base::stop::CancelToken;
use prover::{Certification, CertifyMode, ProofSession, SearchedCube};

use super::closing::Times;
use super::cubes::Cube;
use super::observed::{GroundAnswers, ObservedProgram};
use super::proof_chain;
use super::selection::Selection;
use crate::job::Job;

/// The option of a solver that searches its program once.
pub const SINGLE_SHOT: &str = "--single-shot";

/// A solver, with what is kept for the next cube.
pub struct JobSolver {
    pub solver: asp::Solver,
    session: Option<CubeSession>,
}

/// What cubes must have in common to be searched by the same solver.
#[derive(PartialEq)]
struct SessionKey {
    program: String,
    settings: asp::Settings,
    certify: CertifyMode,
    asks_unique: bool,
}

/// The state of a solver between two cubes.
struct CubeSession {
    key: SessionKey,
    /// The program, which is observed if cubes are certified.
    observed: Option<ObservedProgram>,
    is_grounded: bool,
    /// The number of messages of grounding.
    messages: usize,
    /// The literals of the current cube, as the ground program has them.
    cube: Vec<i32>,
    proofs: Proofs,
    is_over: bool,
}

/// The certificates of a session.
enum Proofs {
    /// None are requested, or not yet.
    None,
    Open(Box<OpenProofs>),
    /// The program has no certificates, for this reason.
    Unsupported(String),
}

struct OpenProofs {
    session: ProofSession,
    answers: GroundAnswers,
    /// Maximum number of answers, 0 for all.
    models: u64,
    /// The number of steps and the text of the certificate of the current cube, or why it has none.
    certified: Result<(usize, Option<String>), String>,
    /// True if the checker refused a proof.
    is_refused: bool,
    /// The name of the last certificate that was written.
    last: Option<String>,
}

thread_local! {
    static KEPT: RefCell<Option<JobSolver>> = const { RefCell::new(None) };
}

impl JobSolver {
    /// Creates a solver or, for a cube, takes the one that [`keep`](Self::keep) has kept for it.
    pub fn open(program: &asp::Program, settings: &asp::Settings, job: &Job) -> Result<JobSolver, Failure> {
        let cube = job.cube.as_ref().filter(|cube| may_share_solver(cube, program, settings, job));
        let Some(cube) = cube else {
            return Ok(JobSolver { solver: asp::Solver::new(settings, &job.stop)?, session: None });
        };
        // The same program is searched several times.
        let mut settings = settings.clone();
        settings.options.retain(|option| option != SINGLE_SHOT);
        let key = SessionKey {
            program: cube.program.clone(),
            settings: settings.clone(),
            certify: job.question.certify,
            asks_unique: job.question.is_unique,
        };
        let kept = KEPT.take().filter(|kept| kept.session.as_ref().is_some_and(|session| session.key == key));
        if let Some(mut kept) = kept {
            kept.solver.set_stop(&job.stop);
            let messages = kept.session.as_ref().map_or(0, |session| session.messages);
            kept.solver.truncate_messages(messages);
            return Ok(kept);
        }
        let mut solver = asp::Solver::new(&settings, &job.stop)?;
        let question = solver.solve_mode()?;
        if question.mode != ReasoningMode::AnswerSets || question.is_bounded || question.is_altered {
            return Ok(JobSolver { solver, session: None });
        }
        let is_certified = job.question.certify.is_requested();
        let observed = is_certified.then(|| ObservedProgram::observe(&mut solver)).transpose()?;
        let session = CubeSession {
            key,
            observed,
            is_grounded: false,
            messages: 0,
            cube: Vec::new(),
            proofs: Proofs::None,
            is_over: false,
        };
        Ok(JobSolver { solver, session: Some(session) })
    }

    /// Keeps the solver for the next cube of the thread. If the job was stopped, clingo may be interrupted later,
    /// in its next search; the proof search may not.
    pub fn keep(mut self, job: &Job) {
        // The limit of this job must not interrupt the next one.
        self.solver.set_stop(&CancelToken::new());
        let is_usable = |session: &CubeSession| {
            // Messages name the line for which the program was grounded.
            session.messages == 0
                && !session.is_over
                && (job.stop.requested().is_none() || matches!(session.proofs, Proofs::Open(_)))
        };
        if self.session.as_ref().is_some_and(is_usable) {
            KEPT.set(Some(self));
        }
    }

    /// Returns true if the program was grounded for an earlier cube.
    pub fn is_grounded(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.is_grounded)
    }

    /// Restricts the next search of the grounded program to a cube. Returns the assumptions under which it must be
    /// searched, if any.
    pub fn restrict(&mut self, cube: &Cube, job: &Job) -> Result<Vec<(Symbol, bool)>, Failure> {
        let Some(session) = &mut self.session else {
            cube.restrict(&mut self.solver)?;
            // A certificate of the whole needs all claims about the same bound.
            if !job.question.certify.is_requested() && !job.question.is_unique {
                cube.restrict_costs(&mut self.solver)?;
            }
            return Ok(Vec::new());
        };
        self.solver.control().forget_assumptions();
        let literals = cube.ground_literals(&mut self.solver)?;
        session.cube = literals.iter().map(|(_, literal)| *literal).collect();
        if !std::mem::replace(&mut session.is_grounded, true) {
            session.messages = self.solver.messages().len();
            if let Some(observed) = &session.observed {
                session.proofs = Proofs::start(observed, &mut self.solver)?;
            }
        }
        Ok(literals.iter().zip(&cube.literals).map(|(&(symbol, _), literal)| (symbol, literal.is_true)).collect())
    }

    /// Searches the cube and proves that it has no answers but those that are found, if certificates are
    /// requested and the program has some. Returns `None` otherwise.
    pub fn prove(
        &mut self,
        stop: &CancelToken,
        on_model: &mut dyn FnMut(&mut Model<'_>) -> ControlFlow<()>,
    ) -> Result<Option<(SolveOutcome, Times)>, Failure> {
        let JobSolver { solver, session: Some(session) } = self else { return Ok(None) };
        let Proofs::Open(proofs) = &mut session.proofs else { return Ok(None) };
        let OpenProofs { session: searcher, answers, models, certified, is_refused, last } = &mut **proofs;
        let began = Instant::now();
        let mut result = SolveResult::default();
        let mut times = Times::default();
        let mut failed = None;
        let mut model = StoredModel::default();
        let mut show = |atoms: &[u32]| {
            if !result.satisfiable {
                times.first_model = began.elapsed().as_secs_f64();
            }
            result.satisfiable = true;
            model = answers.model(atoms.iter().copied().collect(), model.number + 1, false);
            match solver.show(&model, &mut *on_model) {
                Ok(ControlFlow::Continue(())) if model.number != *models => ControlFlow::Continue(()),
                Ok(_) => ControlFlow::Break(()),
                Err(failure) => {
                    failed = Some(failure);
                    ControlFlow::Break(())
                }
            }
        };
        let searched = searcher.search(&session.cube, session.key.certify, stop, &mut show);
        if let Some(failure) = failed {
            return Err(failure);
        }
        if matches!(searched, SearchedCube::GaveUp { .. }) && stop.requested().is_none() && !result.satisfiable {
            // The minimality of an answer of a disjunctive program was not decided; clingo may know.
            session.proofs = Proofs::Unsupported("the search for a proof was given up".to_owned());
            return Ok(None);
        }
        result.exhausted = matches!(searched, SearchedCube::Proven { .. });
        result.unsatisfiable = result.exhausted && !result.satisfiable;
        result.interrupted = stop.requested().is_some();
        times.solving = began.elapsed().as_secs_f64();
        session.is_over = match searched {
            // Its clauses exclude the answers, which later cubes would not list: with hidden atoms, or if cubes
            // overlap, these can have the same ones.
            SearchedCube::Proven { .. } => result.satisfiable,
            SearchedCube::Broken { is_over } | SearchedCube::GaveUp { is_over } => is_over,
            SearchedCube::Refused(_) => true,
        };
        *is_refused = matches!(searched, SearchedCube::Refused(_));
        *certified = match searched {
            SearchedCube::Proven { steps, text } => {
                let text = text.map(|section| proof_chain::continued(&section, last.as_deref()));
                *last = text.as_deref().map(proof_chain::name_of);
                Ok((steps, text))
            }
            SearchedCube::Broken { .. } => Err("the search ended before all answers were found".to_owned()),
            SearchedCube::GaveUp { .. } => {
                let reason = stop.requested().map(|reason| reason.words().to_owned());
                Err(reason.unwrap_or_else(|| "the search for a proof was given up".to_owned()))
            }
            SearchedCube::Refused(why) => Err(why),
        };
        Ok(Some((SolveOutcome { result, ..SolveOutcome::default() }, times)))
    }

    /// Returns the certificate of the last search, if the job has a cube that shares its solver. `of` names the
    /// claim in the output.
    pub fn take_certificate(&mut self, of: &'static str) -> Option<Certification> {
        let session = self.session.as_mut()?;
        let uncertified = |why: &str| Certification::uncertified(of, why);
        Some(match &mut session.proofs {
            Proofs::None => uncertified("nothing was proven"),
            Proofs::Unsupported(why) => uncertified(why),
            Proofs::Open(proofs) => match &mut proofs.certified {
                Ok((steps, text)) => Certification {
                    checked: Some(true),
                    why: None,
                    // It depends on the cubes before. A text has this number of steps.
                    steps: text.is_some().then_some(*steps),
                    text: text.take().map(Into::into),
                    ..uncertified("")
                },
                Err(why) => Certification { checked: proofs.is_refused.then_some(false), ..uncertified(why) },
            },
        })
    }
}

impl Proofs {
    /// Starts certificates of a grounded program.
    fn start(observed: &ObservedProgram, solver: &mut asp::Solver) -> Result<Proofs, Failure> {
        let question = solver.solve_mode()?;
        let models = solver.control().setting("solve.models")?.parse::<i64>().ok();
        let answers = observed.finish(solver)?;
        let shown = match &answers.ground.projected {
            Some(atoms) if question.is_projected_explicitly => prover::projected_terms(&answers.ground, atoms),
            Some(_) if question.is_projected => {
                return Ok(Proofs::Unsupported("answers are projected to atoms that are not those shown".to_owned()));
            }
            _ => prover::shown_terms(&answers.ground),
        };
        if !answers.ground.costs.is_empty() {
            return Ok(Proofs::Unsupported("the costs of a cube are not certified".to_owned()));
        }
        let started = ProofSession::new(answers.ground.clone(), shown, question.is_projected);
        Ok(match started {
            Err(why) => Proofs::Unsupported(why),
            Ok(session) => Proofs::Open(Box::new(OpenProofs {
                session,
                answers,
                models: models.and_then(|models| u64::try_from(models).ok()).unwrap_or(1),
                certified: Err("nothing was searched".to_owned()),
                is_refused: false,
                last: None,
            })),
        })
    }
}

/// Returns true if cubes of the program may be searched one after the other by one solver.
fn may_share_solver(cube: &Cube, program: &asp::Program, settings: &asp::Settings, job: &Job) -> bool {
    let certify = job.question.certify;
    let contradicts_itself = cube.literals.iter().any(|literal| cube.literals.contains(&literal.negated()));
    let minimises = program.documents().chain(&job.sources.included).any(|text| asp::syntax::minimises(&text.text));
    job.is_batch
        && !contradicts_itself
        && !cube.is_counted
        && !minimises
        && job.engine.name.is_none()
        && job.question.selection == Selection::First
        && !job.output.stats
        && !settings.check
        && (matches!(certify, CertifyMode::No | CertifyMode::Check | CertifyMode::Write)
            || certify == CertifyMode::IfCheap && !job.question.is_unique)
}
