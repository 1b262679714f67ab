//! Compares the answers of two programs.
//!
//! Answer sets are projected to the atoms and terms that both programs show, and answer sets with
//! the same projection count as one answer. Rules that derive `__asp_solve_shown(T)` for each such
//! atom or term T are added to both programs. If both programs minimise something, their answers
//! are the optima. All answers of each program are enumerated. If both enumerations end, the
//! programs are compared by their sets of answers. Otherwise a search looks for an answer of one
//! program that the other rejects (`rejected.rs`). If it is not decided either, more answers are
//! enumerated, and each is tested with the other program: a rejected answer proves a difference,
//! and if none is rejected, nothing is proven. Every answer is checked against the definition of answer sets before it counts. If
//! clingo is known to lose answers of a program, a missing answer proves nothing.
//!
//! Incremental programs are compared in the first step in which one of them has an answer. If the
//! other has none in that step, this is a difference.
//!
//! To explain why a program rejects an answer, the answer is fixed and the constraints of the
//! program are blamed, as `why` does.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use asp::transform::rule;
use asp::tree::Head;
use asp::{
    Program, RewrittenProgram, Settings, Signature, Solver, Statement, Symbol, signature_of, statements_of, to_text,
};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use certificate::{Claim, CostBound};
use explain::{Blame, Part};
use ground::{GroundProgram, ShownTerms};
use parking_lot::Mutex;
use prover::{Certification, CertifyMode, TRUE, without_externals};
use rustc_hash::FxHashMap;

use crate::rejected::{ComparedProgram, RejectionSearch, find_rejected};

/// Maximum number of answers per program, if a search does not decide.
const MAX_ANSWERS: usize = 50_000;
/// The name of the document of projection rules, as in messages of clingo.
const PROJECTION: &str = "<shown>";
/// The signature of shown terms without a predicate, such as variables.
const OTHER_TERMS: Signature = Signature { is_positive: true, name: String::new(), arity: usize::MAX };
/// Time limit for explaining a rejected answer.
const EXPLAIN_TIME: Duration = Duration::from_secs(5);

/// A program that is compared.
pub struct Side {
    pub name: String,
    pub program: Program,
}

/// Limits of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct CompareLimits {
    /// The time of each enumeration of answers, and of each search for a rejected answer.
    pub patience: Duration,
    /// Number of answers per program from which a search is tried instead of counting.
    pub max_counted: usize,
}

impl CompareLimits {
    pub fn with_patience(patience: Duration) -> Self {
        CompareLimits { patience, max_counted: 5_000 }
    }
}

pub struct Comparison {
    /// The predicates that both programs show.
    pub common: Vec<String>,
    /// For each program, the predicates that only it shows, which are ignored.
    pub left_out: [Vec<String>; 2],
    pub found: [SideAnswers; 2],
    /// For each program, the step that it reached, if it is incremental.
    pub steps: [Option<StepProgress>; 2],
    pub outcome: ComparisonOutcome,
    /// True if only one of the programs minimises something, so that costs are ignored.
    pub ignores_costs: bool,
    /// The reason why the answers of a program may be incomplete.
    pub defect: Option<Diagnostic>,
    /// If both programs have the same answers: the certificate that neither has further ones.
    pub certificate: Option<Certification>,
    /// True if a search for rejected answers decided.
    pub is_by_search: bool,
    /// For each program, the reason why the search for its answers that the other rejects has no
    /// result.
    pub undecided: [Option<String>; 2],
}

#[derive(Debug, Clone, Default)]
pub struct SideAnswers {
    pub answers: usize,
    /// True if all answers were found.
    pub is_complete: bool,
    /// The costs of the last answer. If all answers were found, these are the costs of the optimum.
    pub costs: Vec<i64>,
}

pub enum ComparisonOutcome {
    /// It is proven that both programs have the same answers at the same costs.
    Same,
    /// No difference was found, but the search was incomplete.
    Unproven,
    /// The optima have different costs. Contains the cheaper answer if the other program rejects
    /// it.
    Costs(Option<Difference>),
    Answer(Difference),
}

/// An answer of one program that the other rejects.
pub struct Difference {
    /// The index of the program that has the answer: 0 or 1.
    pub holder: usize,
    pub atoms: Vec<Symbol>,
    /// All true atoms of the answer set, including the drawing.
    pub true_atoms: Vec<Symbol>,
    /// Shown atoms that the other program can never derive.
    pub underivable: Vec<Symbol>,
    /// The constraints of the other program that reject the answer.
    pub because: Vec<Part>,
}

/// The last step that an incremental program reached.
#[derive(Debug, Clone, Copy)]
pub struct StepProgress {
    pub last: u32,
    /// True if the step has an answer. Then no earlier step has one.
    pub has_answer: bool,
    /// True if the time limit was reached.
    pub is_stopped: bool,
}

/// The durations of the runs of one program, in the order of the runs.
#[derive(Debug, Clone, Default)]
pub struct Times {
    pub grounding: Vec<Duration>,
    pub solving: Vec<Duration>,
}

/// Compares two programs.
pub fn compare(
    sides: &[Side; 2],
    settings: &Settings,
    certify: CertifyMode,
    limits: CompareLimits,
    stop: &CancelToken,
) -> Result<Comparison, Failure> {
    let [first, second] = [statements(&sides[0])?, statements(&sides[1])?];
    let shown = [shown(&first), shown(&second)];
    let common: BTreeSet<Signature> = shown[0].intersection(&shown[1]).cloned().collect();
    if common.is_empty() {
        let list = |shown: &BTreeSet<Signature>| {
            if shown.is_empty() { "no atoms".to_owned() } else { names(shown).join(", ") }
        };
        let text = format!(
            "nothing can be compared: {} shows {}, and {} shows {}",
            sides[0].name,
            list(&shown[0]),
            sides[1].name,
            list(&shown[1])
        );
        return Err(Diagnostic::error(Code::Usage, text)
            .help("add #show statements for the same predicates to both programs")
            .into());
    }
    let left_out = [0, 1].map(|side| names(&shown[side].difference(&common).cloned().collect()));
    let project = |side: &Side, statements: &[Statement]| {
        let mut program = side.program.clone();
        program.additions.push(Document::in_memory(PROJECTION, projection_rules(&side.program, statements, &common)));
        Side { name: side.name.clone(), program }
    };
    let sides = [project(&sides[0], &first), project(&sides[1], &second)];
    let (sides, steps) = &at_one_step(&sides, settings, limits.patience, stop)?;
    let is_stopped = steps.iter().flatten().any(|steps| steps.is_stopped);
    let minimises = [minimises(&first), minimises(&second)];
    let has_costs = minimises == [true; 2];
    let comparer = Comparer { has_costs, settings, certify, limits };
    let CompareDecision { answers, outcome, certificate, is_by_search, undecided } = comparer.decide(sides, stop)?;
    let outcome = match outcome {
        ComparisonOutcome::Same if is_stopped => ComparisonOutcome::Unproven,
        outcome => outcome,
    };
    let [a, b] = &answers;
    let certificate = match outcome {
        ComparisonOutcome::Same if certify.is_requested() && !is_by_search => {
            Some(a.certified(certify, stop)?.and(b.certified(certify, stop)?))
        }
        _ => certificate,
    };
    let defect = a.defect.clone().or_else(|| b.defect.clone());
    let found = answers.map(|answers| answers.found);
    Ok(Comparison {
        common: names(&common),
        left_out,
        found,
        steps: *steps,
        outcome,
        ignores_costs: minimises[0] != minimises[1],
        defect,
        certificate,
        is_by_search,
        undecided,
    })
}

/// Fixes the last step of incremental programs: the first step in which one has an answer, or if
/// none has, the last step that both reached. Returns the fixed programs, and the step that each
/// program reached.
fn at_one_step(
    sides: &[Side; 2],
    settings: &Settings,
    patience: Duration,
    stop: &CancelToken,
) -> Result<([Side; 2], [Option<StepProgress>; 2]), Failure> {
    let mut steps: [Option<StepProgress>; 2] = [None, None];
    for (side, steps) in sides.iter().zip(&mut steps).filter(|(side, _)| side.program.is_incremental()) {
        let deadline = stop.child_until(Instant::now().checked_add(patience));
        let (last, has_answer) = side.program.find_final_step(settings, &deadline.token)?;
        *steps =
            Some(StepProgress { last, has_answer, is_stopped: !has_answer && deadline.token.requested().is_some() });
    }
    let progress = || steps.iter().flatten();
    let first = progress().filter(|steps| steps.has_answer).map(|steps| steps.last).min();
    let common = first.or(progress().map(|steps| steps.last).min());
    let fixed = |side: &Side| {
        let last_step = common.filter(|_| side.program.is_incremental());
        Side { name: side.name.clone(), program: Program { last_step, ..side.program.clone() } }
    };
    Ok(([fixed(&sides[0]), fixed(&sides[1])], steps))
}

/// Runs both programs alternately, `runs` times each, and measures the time from reading the texts
/// to the last requested answer. Returns the completed runs if it is cancelled.
pub fn times(sides: &[Side; 2], settings: &Settings, runs: usize, stop: &CancelToken) -> Result<[Times; 2], Failure> {
    let mut times = [Times::default(), Times::default()];
    for side in [0, 1].repeat(runs) {
        let started = Instant::now();
        let program = &sides[side].program;
        let mut grounding;
        if program.is_incremental() {
            let mut solver = Solver::new(settings, stop)?;
            solver.load(program)?;
            let steps = asp::StepLimits::of(&mut solver)?;
            grounding = started.elapsed();
            let ground = |solver: &mut Solver, _, parts: &[asp::GroundPart<'_>]| {
                let started = Instant::now();
                let grounded = solver.ground(parts);
                grounding += started.elapsed();
                grounded
            };
            asp::solve_steps_by(&mut solver, &steps, stop, ground, |_| ControlFlow::Continue(()))?;
        } else {
            let mut solver = Solver::with_program(program, settings, stop)?;
            grounding = started.elapsed();
            solver.solve(&[], |_| ControlFlow::Continue(()))?;
        }
        if stop.requested().is_some() {
            break;
        }
        times[side].grounding.push(grounding);
        times[side].solving.push(started.elapsed().saturating_sub(grounding));
    }
    Ok(times)
}

impl Times {
    /// Returns the total duration of each run.
    pub fn totals(&self) -> Vec<Duration> {
        self.grounding.iter().zip(&self.solving).map(|(&grounding, &solving)| grounding + solving).collect()
    }
}

/// Returns the median, the minimum and the maximum of `times`, or `None` if there are none.
pub fn spread(times: &[Duration]) -> Option<[Duration; 3]> {
    let mut sorted = times.to_vec();
    sorted.sort();
    let median = sorted.get(sorted.len() / 2)?;
    Some([*median, *sorted.first()?, *sorted.last()?])
}

/// Enumerates and tests answers, with the same settings for both programs.
struct Comparer<'a> {
    /// True if both programs minimise something. Then only optima count as answers.
    has_costs: bool,
    settings: &'a Settings,
    certify: CertifyMode,
    limits: CompareLimits,
}

/// The outcome of a comparison, and what decided it.
struct CompareDecision {
    answers: [Answers; 2],
    outcome: ComparisonOutcome,
    certificate: Option<Certification>,
    is_by_search: bool,
    undecided: [Option<String>; 2],
}

#[derive(Default)]
struct Answers {
    found: SideAnswers,
    defect: Option<Diagnostic>,
    all: BTreeSet<Vec<Symbol>>,
    /// The ground program, for a certificate.
    ground: Arc<Mutex<GroundProgram>>,
    /// The literals of the shown terms, for a certificate.
    shown: ShownTerms,
    /// The true atoms of each answer, for a certificate.
    listed: Vec<Vec<u32>>,
    has_costs: bool,
    /// The literals of all atoms, for a search; `None` if the program was not grounded in time.
    named: Option<FxHashMap<Symbol, i32>>,
}

impl Answers {
    /// True if all optima have the costs of the last answer.
    fn has_optimum(&self) -> bool {
        self.has_costs && !self.all.is_empty()
    }

    /// Returns the program for a search, restricted to its optima.
    ///
    /// # Errors
    /// The reason why it cannot be searched.
    fn for_search(&self) -> Result<ComparedProgram, String> {
        let named = self.named.clone().ok_or("it was not grounded in time")?;
        let compared = named.iter().filter(|(atom, _)| is_shown(**atom)).map(|(&atom, &literal)| (atom, literal));
        let mut program =
            ComparedProgram { compared: compared.collect(), named, ground: without_externals(&self.ground.lock())? };
        if self.has_costs {
            // Without answers, no costs are known.
            match self.all.is_empty() {
                true if self.found.is_complete => {}
                true => return Err("its optimum was not found in time".to_owned()),
                false => program.require_costs(&self.found.costs)?,
            }
        }
        Ok(program)
    }

    /// Certifies that there are no other answers.
    fn certified(&self, certify: CertifyMode, stop: &CancelToken) -> Result<Certification, Failure> {
        let SideAnswers { costs, answers, .. } = &self.found;
        let has_bound = self.has_costs && !costs.is_empty() && *answers > 0;
        let bound = has_bound.then(|| CostBound { costs: costs.clone(), is_strict: false });
        let claim = Claim { answers: self.listed.clone(), projects_to_shown: true, bound };
        let of = if *answers == 0 { "none" } else { "all" };
        let ground = self.ground.lock();
        Ok(prover::certify(&ground, &self.shown, &claim, of, certify, stop)?)
    }
}

impl Comparer<'_> {
    /// Projects an answer set to the terms that both programs show.
    fn projected(&self, atoms: impl Iterator<Item = Symbol>) -> Vec<Symbol> {
        let mut atoms: Vec<Symbol> = atoms.filter(|&atom| is_shown(atom)).collect();
        atoms.sort();
        atoms
    }

    /// Decides by enumeration or by search.
    fn decide(&self, sides: &[Side; 2], stop: &CancelToken) -> Result<CompareDecision, Failure> {
        let answers_up_to =
            |most| Ok::<_, Failure>([self.answers(&sides[0], most, stop)?, self.answers(&sides[1], most, stop)?]);
        let answers = answers_up_to(self.limits.max_counted)?;
        let mut decision = CompareDecision {
            outcome: self.by_enumeration(sides, &answers, false, stop)?,
            answers,
            certificate: None,
            is_by_search: false,
            undecided: [None, None],
        };
        if !matches!(decision.outcome, ComparisonOutcome::Unproven) {
            return Ok(decision);
        }
        self.search(sides, &mut decision, stop)?;
        let is_cut = |side: &Answers| side.found.answers >= self.limits.max_counted;
        if matches!(decision.outcome, ComparisonOutcome::Unproven) {
            if self.limits.max_counted < MAX_ANSWERS && decision.answers.iter().any(is_cut) {
                decision.answers = answers_up_to(MAX_ANSWERS)?;
            }
            decision.outcome = self.by_enumeration(sides, &decision.answers, true, stop)?;
        }
        Ok(decision)
    }

    /// Compares the answers that were enumerated. If an enumeration is incomplete and
    /// `tests_answers` is set, answers of the other program are tested.
    fn by_enumeration(
        &self,
        sides: &[Side; 2],
        answers: &[Answers; 2],
        tests_answers: bool,
        stop: &CancelToken,
    ) -> Result<ComparisonOutcome, Failure> {
        let [a, b] = answers;
        // Without terms to minimise, the cost is zero at all levels.
        let levels = a.found.costs.len().max(b.found.costs.len());
        let [cost, other_cost] = [a, b].map(|side| match &side.found.costs[..] {
            [] => vec![0; levels],
            costs => costs.to_vec(),
        });
        if a.has_optimum() && b.has_optimum() && cost != other_cost {
            let holder = usize::from(other_cost < cost);
            let cheapest = answers[holder].all.first();
            let is_rejected =
                |atoms: &&Vec<Symbol>| self.accepts(&sides[1 - holder], atoms, stop).is_ok_and(|accepts| !accepts);
            let difference = cheapest.filter(is_rejected).map(|atoms| self.difference(sides, holder, atoms, stop));
            return Ok(ComparisonOutcome::Costs(difference.transpose()?));
        }
        Ok(match self.first_difference(sides, answers, tests_answers, stop)? {
            Some(difference) => ComparisonOutcome::Answer(difference),
            None if a.found.is_complete && b.found.is_complete => ComparisonOutcome::Same,
            None => ComparisonOutcome::Unproven,
        })
    }

    /// Searches for an answer of each program that the other rejects.
    fn search(&self, sides: &[Side; 2], decision: &mut CompareDecision, stop: &CancelToken) -> Result<(), Failure> {
        let programs = match (decision.answers[0].for_search(), decision.answers[1].for_search()) {
            (Ok(one), Ok(other)) => [one, other],
            (one, other) => {
                decision.undecided = [one.err(), other.err()];
                return Ok(());
            }
        };
        let mut certificates = Vec::new();
        for holder in [0, 1] {
            let deadline = stop.child_until(Instant::now().checked_add(self.limits.patience));
            let found =
                find_rejected(&programs[holder], &programs[1 - holder], self.settings, self.certify, &deadline.token)?;
            match found {
                RejectionSearch::AllAccepted(certificate) => certificates.push(certificate),
                RejectionSearch::Rejected(atoms) => {
                    decision.outcome = ComparisonOutcome::Answer(self.difference(sides, holder, &atoms, stop)?);
                    decision.is_by_search = true;
                    decision.undecided = [None, None];
                    return Ok(());
                }
                RejectionSearch::Undecided(why) => decision.undecided[holder] = Some(why),
            }
        }
        if let [one, other] = &mut certificates[..] {
            decision.outcome = ComparisonOutcome::Same;
            decision.is_by_search = true;
            decision.certificate = one.take().zip(other.take()).map(|(one, other)| one.and(other));
        }
        Ok(())
    }

    /// Enumerates at most `most` answers of a program in the time of the limits.
    fn answers(&self, side: &Side, most: usize, stop: &CancelToken) -> Result<Answers, Failure> {
        let mode = if self.has_costs { "optN" } else { "ignore" };
        let options = ["--project=project".to_owned(), format!("--opt-mode={mode}")];
        let settings = self.settings_with(0, options);
        let deadline = stop.child_until(Instant::now().checked_add(self.limits.patience));
        let mut solver = match Solver::with_program(&side.program, &settings, &deadline.token) {
            Ok(solver) => solver,
            Err(_) if deadline.token.requested().is_some() => {
                return Ok(Answers::default());
            }
            Err(failure) => return Err(failure),
        };
        let mut all = BTreeSet::new();
        let mut costs = Vec::new();
        let mut outcome = Ok(());
        let mut is_full = false;
        let ground = solver.control().observe()?;
        let shown = shown_literals(&mut solver)?;
        let named = named_literals(&mut solver)?;
        let mut listed = Vec::new();
        let solved = solver.solve(&[], |model| {
            outcome = (|| {
                costs = model.costs()?;
                // Answers that are not proven optimal do not count. Without terms to
                // minimise, every answer is optimal.
                if (!self.has_costs || costs.is_empty() || model.optimality_proven()?)
                    && all.insert(self.projected(model.atoms()?))
                {
                    listed.push(model.sorted_true_atoms(&ground.lock())?);
                }
                Ok::<_, asp::CallError>(())
            })();
            is_full = all.len() >= most;
            if outcome.is_err() || is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        outcome?;
        let defect = solver.known_defect();
        let is_ended = solved.result.exhausted && !is_full && deadline.token.requested().is_none();
        let found = SideAnswers { answers: all.len(), is_complete: is_ended && defect.is_none(), costs };
        Ok(Answers { found, defect, all, ground, shown, listed, has_costs: self.has_costs, named: Some(named) })
    }

    /// Returns the first answer of one program, in the order of symbols, that the other program
    /// rejects.
    fn first_difference(
        &self,
        sides: &[Side; 2],
        answers: &[Answers; 2],
        tests_answers: bool,
        stop: &CancelToken,
    ) -> Result<Option<Difference>, Failure> {
        let deadline = stop.child_until(Instant::now().checked_add(self.limits.patience));
        for holder in [0, 1] {
            let (own_answers, other_answers) = (&answers[holder], &answers[1 - holder]);
            let mut missing = own_answers.all.difference(&other_answers.all).peekable();
            if other_answers.found.is_complete {
                if let Some(atoms) = missing.next() {
                    return self.difference(sides, holder, atoms, stop).map(Some);
                }
            } else if tests_answers && missing.peek().is_some() && !self.has_costs {
                let mut tester = self.judge(&sides[1 - holder], &deadline.token)?;
                for atoms in missing {
                    if deadline.token.requested().is_some() {
                        return Ok(None);
                    }
                    match self.accepted_by(&mut tester, atoms)? {
                        Some(true) => {}
                        Some(false) => return self.difference(sides, holder, atoms, stop).map(Some),
                        None => break,
                    }
                }
            }
        }
        Ok(None)
    }

    /// Creates a solver that tests whether a program has an answer, at whichever cost.
    fn judge(&self, side: &Side, stop: &CancelToken) -> Result<Solver, Failure> {
        Solver::with_program(&side.program, &self.settings_with(1, ["--opt-mode=ignore".to_owned()]), stop)
    }

    /// Returns true if the program of `judge` has the answer `atoms`, false if it does not, and
    /// `None` if the test was cancelled or clingo is known to lose answers.
    fn accepted_by(&self, judge: &mut Solver, atoms: &[Symbol]) -> Result<Option<bool>, Failure> {
        let assumed = self.assumed(judge, atoms)?;
        let result = judge.solve(&assumed, |_| ControlFlow::Break(()))?.result;
        let is_rejected = || result.unsatisfiable && judge.known_defect().is_none();
        Ok(if result.satisfiable { Some(true) } else { is_rejected().then_some(false) })
    }

    fn accepts(&self, side: &Side, atoms: &[Symbol], stop: &CancelToken) -> Result<bool, Failure> {
        Ok(self.accepted_by(&mut self.judge(side, stop)?, atoms)? != Some(false))
    }

    /// Returns assumptions that among all answers only `atoms` satisfies.
    fn assumed(&self, judge: &mut Solver, atoms: &[Symbol]) -> Result<Vec<(Symbol, bool)>, Failure> {
        let known = judge.control().known_atoms()?;
        let others = known.into_iter().map(|(atom, _)| atom).filter(|&atom| is_shown(atom));
        let others = others.filter(|atom| atoms.binary_search(atom).is_err()).map(|atom| (atom, false));
        Ok(atoms.iter().map(|&atom| (atom, true)).chain(others).collect())
    }

    /// Describes the answer `atoms` of the program `holder`, which the other program rejects.
    fn difference(
        &self,
        sides: &[Side; 2],
        holder: usize,
        atoms: &[Symbol],
        stop: &CancelToken,
    ) -> Result<Difference, Failure> {
        let mut solver = self.judge(&sides[holder], stop)?;
        let assumed = self.assumed(&mut solver, atoms)?;
        let mut all = Vec::new();
        solver.solve(&assumed, |model| {
            all = model.atoms().map(|atoms| atoms.filter(|&atom| !is_shown(atom)).collect()).unwrap_or_default();
            ControlFlow::Break(())
        })?;
        let rejecting_program = &sides[1 - holder].program;
        let derivable = self.judge(&sides[1 - holder], stop)?.control().known_atoms()?;
        let derivable: BTreeSet<Symbol> = derivable.into_iter().map(|(atom, _)| atom).collect();
        let underivable: Vec<Symbol> = atoms.iter().filter(|atom| !derivable.contains(atom)).map(shown_term).collect();
        let rejecting_parts =
            if underivable.is_empty() { self.rejecting_parts(rejecting_program, atoms, stop)? } else { Vec::new() };
        Ok(Difference {
            holder,
            atoms: atoms.iter().map(shown_term).collect(),
            true_atoms: all,
            underivable,
            because: rejecting_parts,
        })
    }

    /// Returns the parts of a program that reject the answer `atoms`, if they are found in time.
    fn rejecting_parts(&self, program: &Program, atoms: &[Symbol], stop: &CancelToken) -> Result<Vec<Part>, Failure> {
        // The answer is fixed by unstable rules, since constraints would be blamed.
        let mut fixed = "__asp_solve_differs :- __asp_solve_shown(T), not __asp_solve_answer(T), not __asp_solve_differs.\n\
                         __asp_solve_differs :- __asp_solve_answer(T), not __asp_solve_shown(T), not __asp_solve_differs.\n"
            .to_owned();
        fixed.extend(atoms.iter().map(|atom| format!("__asp_solve_answer({}).\n", to_text(shown_term(atom)))));
        let mut program = program.clone();
        let fixed = format!("{}\n{fixed}", program.final_part());
        program.additions.push(Document::in_memory("<answer>", fixed));
        let deadline = stop.child_until(Some(Instant::now() + EXPLAIN_TIME));
        let settings = self.settings_with(0, []);
        let cause =
            explain::cause_among(&[Blame::Constraints, Blame::Rules], &program.into(), &settings, &deadline.token);
        let mut parts = cause.ok().flatten().map_or_else(Vec::new, |(parts, _)| parts);
        parts.retain(|part| {
            part.place.as_ref().is_none_or(|place| !["<answer>", PROJECTION].contains(&place.file.as_str()))
        });
        Ok(parts)
    }

    fn settings_with<const N: usize>(&self, models: u64, options: [String; N]) -> Settings {
        let options = self.settings.options.iter().cloned().chain(options).collect();
        Settings { models: Some(models), options, check: true, ..self.settings.clone() }
    }
}

/// Returns the conditions under which each atom or term is shown by both programs.
fn shown_literals(solver: &mut Solver) -> Result<ShownTerms, Failure> {
    let mut shown = ShownTerms::new();
    for (atom, is_fact) in solver.control().known_atoms()? {
        let literal = solver.control().literal(atom);
        let condition = if is_fact { Some(Vec::new()) } else { literal.map(|literal| vec![literal]) };
        if let Some(condition) = condition.filter(|_| is_shown(atom)) {
            shown.entry(to_text(shown_term(&atom))).or_default().push(condition);
        }
    }
    Ok(shown)
}

/// Returns the literals of all atoms that can be true; [`TRUE`] for facts.
fn named_literals(solver: &mut Solver) -> Result<FxHashMap<Symbol, i32>, Failure> {
    let known = solver.control().known_atoms()?;
    let literal = |(atom, is_fact)| {
        let literal = if is_fact { Some(TRUE) } else { solver.control().literal(atom) };
        literal.map(|literal| (atom, literal))
    };
    Ok(known.into_iter().filter_map(literal).collect())
}

fn statements(side: &Side) -> Result<Vec<Statement>, Failure> {
    let mut statements = statements_of(&side.program)?;
    statements.retain(|statement| statement.is_grounded());
    Ok(statements)
}

fn minimises(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| matches!(statement.head, Head::Minimize { .. }))
}

/// Returns the predicates of shown atoms and terms. If there is no `#show` statement for atoms,
/// these include all derived predicates except `draw`, since `#show` with a term hides no atom.
fn shown(statements: &[Statement]) -> BTreeSet<Signature> {
    let has_show = has_show_statements(statements);
    let heads = statements.iter().filter(|_| !has_show).flat_map(|statement| statement.head_signatures());
    let heads = heads.filter(|predicate| predicate.name != "draw");
    let shown = statements.iter().filter_map(|statement| match &statement.head {
        Head::Show(signature) => signature.clone(),
        Head::ShowTerm(term) => Some(term.signature().unwrap_or(OTHER_TERMS)),
        _ => None,
    });
    heads.chain(shown).collect()
}

fn has_show_statements(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| matches!(statement.head, Head::Show(_)))
}

/// Returns rules that derive `__asp_solve_shown(T)` for each shown atom and term T of the common
/// predicates.
fn projection_rules(program: &Program, statements: &[Statement], common: &BTreeSet<Signature>) -> String {
    let has_show = has_show_statements(statements);
    let mut terms = RewrittenProgram::default();
    let mut atoms = BTreeSet::new();
    for (number, statement) in statements.iter().enumerate() {
        match &statement.head {
            Head::ShowTerm(term) if common.contains(&term.signature().unwrap_or(OTHER_TERMS)) => {
                // The atom has the step as an argument, so that no atom is defined in two steps.
                let step = statement.part.parameters.join(",");
                let shown = statement.rule(&format!("__asp_solve_shown_in({term},({step}))"), &["#true"]);
                terms.add(number, &statement.part, &shown);
            }
            Head::Show(Some(signature)) => atoms.extend(common.get(signature)),
            _ if !has_show => {
                atoms.extend(statement.head_signatures().iter().filter_map(|signature| common.get(signature)));
            }
            _ => {}
        }
    }
    let mut rules = format!(
        "{}#program base.\n{}\n#defined __asp_solve_shown_in/2.\n__asp_solve_shown(T) :- __asp_solve_shown_in(T,_).\n",
        terms.text(),
        program.final_part()
    );
    for signature in atoms {
        let variables: Vec<String> = (1..=signature.arity).map(|number| format!("X{number}")).collect();
        let atom = signature.atom(&variables);
        rules += &format!("#defined {signature}. {}\n", rule(&format!("__asp_solve_shown({atom})"), &[atom]));
    }
    rules + "#defined __asp_solve_shown/1. #project __asp_solve_shown/1.\n"
}

fn is_shown(atom: Symbol) -> bool {
    signature_of(atom) == Some(("__asp_solve_shown", 1))
}

/// Returns the shown term T within an atom `__asp_solve_shown(T)`.
fn shown_term(atom: &Symbol) -> Symbol {
    atom.arguments().ok().and_then(|arguments| arguments.first().copied()).unwrap_or(*atom)
}

fn names(signatures: &BTreeSet<Signature>) -> Vec<String> {
    let name = |signature: &Signature| match signature {
        signature if *signature == OTHER_TERMS => "terms".to_owned(),
        Signature { name, arity, .. } if name.is_empty() => format!("tuples of {arity}"),
        signature => signature.to_string(),
    };
    signatures.iter().map(name).collect()
}
