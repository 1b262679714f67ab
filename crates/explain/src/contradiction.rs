//! Explains why a program has no answer: the parts that contradict each other, or a cheapest
//! correction.
//!
//! Facts are blamed first, since users change them most. If they are not the cause, constraints are
//! blamed, then rules, and finally all together.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use asp::{Settings, Signature, Symbol, function, function_of, to_text_truncated};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::sorting;
use base::stop::CancelToken;
use ground::GroundRule;
use prover::Assumptions;

use super::atom::{derivation_trees, ground_facts};
use super::cause::{
    EnumerationEnd, Parts, SubsetOracle, SubsetResult, cheapest_mcs, enumerate_muses, minimal_mus, smallest_mus,
    smallest_mus_with_deadline,
};
use super::derivation::DerivationTree;
use super::{Blame, ExplainContext, ExplainInput, ExplainQuery, Part, PartKind, RelaxedProgram};

/// Maximum number of instances per source line that are listed in full.
pub const MAX_INSTANCES: usize = 4;

/// Sets of violated constraints up to this size are minimised further.
const MAX_MINIMIZED: usize = 30;

/// Time limit for additional details, such as the smallest set of violated constraints.
const PATIENCE: Duration = Duration::from_secs(1);

/// The parts that are blamed by default, one kind after the other in this order.
const TURNS: [Blame; 3] = [Blame::Facts, Blame::Constraints, Blame::Rules];

/// The result of a search for causes or for a correction.
#[derive(Debug, Clone, Default)]
pub struct CauseReport {
    /// True if the program is a puzzle with a board.
    pub is_of_board: bool,
    /// True if the cheapest correction was searched instead of a cause.
    pub is_fix: bool,
    /// The messages of the grounder.
    pub messages: Vec<Diagnostic>,
    /// Notes about predicates that are used but not defined: users should check these first.
    pub suspects: Vec<String>,
    /// The blamed parts, if they were specified.
    pub blamed: Vec<Blame>,
    /// The result of the search for the first cause or for the correction.
    pub found: SubsetResult,
    pub causes: Vec<Cause>,
    /// The end of the enumeration of causes, if there was one.
    pub ended: Option<EnumerationEnd>,
    /// The correction and its cost.
    pub fix: Vec<Part>,
    pub cost: u64,
    /// Derivations of the atoms that comments select, if there is an answer.
    pub trees: Vec<DerivationTree>,
}

/// Parts that contradict each other.
#[derive(Debug, Clone)]
pub struct Cause {
    pub parts: Vec<Part>,
    /// The constraints that the parts violate together; empty if constraints are blamed themselves.
    pub violated: Vec<Part>,
    /// A sentence about an atom that would hold together with its classical negation.
    pub clash: Option<String>,
}

impl CauseReport {
    pub fn is_least(&self) -> bool {
        matches!(self.found, SubsetResult::Parts { is_least: true, .. })
    }

    /// Returns true if `causes` is exhaustive.
    pub fn is_complete(&self) -> bool {
        self.ended == Some(EnumerationEnd::Complete)
    }

    pub fn verdict(&self) -> Verdict {
        match (&self.found, self.ended) {
            (&SubsetResult::GaveUp(reason), _) | (_, Some(EnumerationEnd::GaveUp(reason))) => Verdict::GaveUp(reason),
            (SubsetResult::Parts { .. }, _) => Verdict::Solved,
            _ if !self.trees.is_empty() => Verdict::Solved,
            (SubsetResult::Satisfiable | SubsetResult::NotTheCause, _) => Verdict::Impossible,
        }
    }
}

/// Returns each element of `blamed` alone and then all together, since causes may mix several
/// kinds.
fn blame_turns(blamed: &[Blame]) -> impl Iterator<Item = &[Blame]> {
    blamed.chunks(1).chain([blamed])
}

/// Returns a smallest set of parts that contradict each other, and true if it is proven that no
/// smaller one exists. Returns `None` if there is an answer or time ran out.
pub fn cause_of(
    source: &ExplainInput,
    settings: &Settings,
    stop: &CancelToken,
) -> Result<Option<(Vec<Part>, bool)>, Failure> {
    cause_among(&TURNS, source, settings, stop)
}

/// Like [`cause_of`], but blames the kinds in `turns` one after the other, and then all together.
pub fn cause_among(
    turns: &[Blame],
    source: &ExplainInput,
    settings: &Settings,
    stop: &CancelToken,
) -> Result<Option<(Vec<Part>, bool)>, Failure> {
    for blamed in blame_turns(turns) {
        let mut relaxed = RelaxedProgram::new(source, blamed, settings, stop)?;
        match smallest_mus(&mut relaxed, stop)? {
            SubsetResult::Parts { parts, is_least, .. } => return Ok(Some((relaxed.parts(&parts)?, is_least))),
            SubsetResult::NotTheCause => {}
            SubsetResult::Satisfiable | SubsetResult::GaveUp(_) => break,
        }
    }
    Ok(None)
}

pub fn explain(
    source: &ExplainInput,
    question: &ExplainQuery,
    context: &ExplainContext<'_>,
) -> Result<CauseReport, Failure> {
    let turns: Vec<&[Blame]> = match &question.blame[..] {
        [] => blame_turns(&TURNS).collect(),
        blamed => vec![blamed],
    };
    let enough = context.stop.child_until(question.deadline);
    // Leave time for further causes if they are requested.
    let after_a_third = |deadline: Instant| Instant::now() + deadline.saturating_duration_since(Instant::now()) / 3;
    let soon = || question.deadline.map(after_a_third).filter(|_| question.causes != 1);
    let mut report = CauseReport {
        is_of_board: source.clues.is_some(),
        is_fix: question.fix,
        blamed: question.blame.clone(),
        ..CauseReport::default()
    };
    for blamed in turns {
        let mut relaxed = RelaxedProgram::new(source, blamed, context.settings, context.stop)?;
        check_blamed(source, &relaxed, blamed)?;
        check_weights(&relaxed, &question.weights)?;
        report.messages = relaxed.messages().to_vec();
        report.suspects = relaxed.undefined().to_vec();
        let costs = costs(&relaxed, &question.weights);
        let result = if question.fix {
            cheapest_mcs(&mut relaxed, &costs, &enough.token)?
        } else {
            smallest_mus_with_deadline(&mut relaxed, &enough.token, soon)?
        };
        report.found = result.clone();
        match result {
            SubsetResult::NotTheCause => continue,
            SubsetResult::Parts { parts, .. } if question.fix => {
                report.cost = parts.iter().map(|&part| u64::from(costs[part])).sum();
                report.fix = relaxed.parts(&parts)?;
            }
            SubsetResult::Parts { parts, .. } => {
                let violated = ViolatedConstraints::new(source, blamed, context, &enough.token)?;
                collect_causes(&mut report, &mut relaxed, parts, violated, question, &enough.token)?;
            }
            SubsetResult::Satisfiable if relaxed.words().has_shown_atoms() => {
                let parts: Vec<usize> = (0..relaxed.len()).collect();
                let model = relaxed.model(&parts, &[])?.unwrap_or_default();
                let shown = relaxed.words().shown(&model)?;
                let given = ground_facts(source, context)?;
                report.trees = derivation_trees(&relaxed, &shown, &model, &given, question, context)?;
            }
            SubsetResult::Satisfiable | SubsetResult::GaveUp(_) => {}
        }
        break;
    }
    Ok(report)
}

/// Adds the cause `first` to the report, and further ones up to the requested number.
fn collect_causes(
    report: &mut CauseReport,
    relaxed: &mut RelaxedProgram,
    first: Parts,
    mut violated_constraints: Option<ViolatedConstraints>,
    question: &ExplainQuery,
    enough: &CancelToken,
) -> Result<(), Failure> {
    let max_causes = usize::try_from(question.causes).unwrap_or(usize::MAX);
    let mut causes = vec![first];
    // The enumeration starts from a minimal cause.
    if max_causes != 1 && matches!(report.found, SubsetResult::Parts { is_minimal: true, .. }) {
        let known = causes.clone();
        let end = enumerate_muses(relaxed, &known, enough, |cause| {
            causes.push(cause);
            if causes.len() == max_causes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        report.ended = Some(end?);
    }
    sorting::sort_by_key(&mut causes[1..], Vec::len);
    let extras_limit = enough.child_until(Instant::now().checked_add(PATIENCE));
    // The words of all parts are computed together, since each call grounds a program.
    let numbers: Vec<usize> = causes.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let described: HashMap<usize, Part> = numbers.iter().copied().zip(relaxed.parts(&numbers)?).collect();
    for (number, parts) in causes.iter().enumerate() {
        let limit = if number == 0 { enough } else { &extras_limit.token };
        let violated = match &mut violated_constraints {
            Some(constraints) if limit.requested().is_none() => constraints.of_cause(parts, limit)?,
            _ => Vec::new(),
        };
        let may_clash = violated.is_empty() && (number == 0 || limit.requested().is_none());
        let clash = if may_clash { clash(relaxed, parts)? } else { None };
        let mut parts = parts.clone();
        if number > 0 && parts.len() > MAX_INSTANCES {
            // Only the beginning of a long cause is shown; parts that distinguish it from the
            // previous cause come first.
            sorting::sort_by_key(&mut parts, |part| causes[number - 1].contains(part));
        }
        let parts = parts.iter().map(|part| described[part].clone()).collect();
        report.causes.push(Cause { parts, violated, clash });
    }
    Ok(())
}

/// Returns a sentence about an atom that follows from the parts, as does its classical negation.
/// clingo excludes that without a constraint of the program.
fn clash(relaxed: &mut RelaxedProgram, parts: &[usize]) -> Result<Option<String>, Failure> {
    let mut pairs: Vec<(i32, i32, Symbol)> = Vec::new();
    for (negation, literal, _) in relaxed.known_atoms()? {
        if let Some((false, name, _)) = function_of(negation)
            && let Some(atom) = function(name, &negation.arguments().unwrap_or_default())
            && let Some(other) = relaxed.literal(atom)
        {
            pairs.push((other, literal, atom));
        }
    }
    if pairs.is_empty() {
        return Ok(None);
    }
    let assumed: Vec<i32> = parts.iter().flat_map(|&part| relaxed.assumptions(part)).copied().collect();
    let ground = relaxed.ground();
    let ground = ground.lock();
    let mut propagator = Assumptions::new(&ground);
    propagator.assume(&assumed);
    let rules = ground.rules_by_head();
    let follows = |literal: i32| {
        let mut deriving_rules = rules.of(literal.unsigned_abs()).iter().map(|&rule| &ground.rules[rule]);
        let applies = |rule: &GroundRule| {
            rule.weight(|literal| propagator.value(literal) == Some(true)) >= rule.required_weight()
        };
        propagator.value(literal) == Some(true) || deriving_rules.any(|rule| !rule.is_choice && applies(rule))
    };
    let clash = pairs.into_iter().find(|&(atom, negation, _)| follows(atom) && follows(negation));
    Ok(clash
        .map(|(.., atom)| to_text_truncated(atom))
        .map(|atom| format!("With that, {atom} and -{atom} would both hold.")))
}

/// Finds the constraints that the facts of a cause violate together, if constraints are not blamed
/// themselves.
struct ViolatedConstraints {
    relaxed: RelaxedProgram,
    /// The blamed parts, ordered as in the program that relaxes only them.
    blamed: Parts,
    constraints: Parts,
}

impl ViolatedConstraints {
    fn new(
        source: &ExplainInput,
        blamed: &[Blame],
        context: &ExplainContext<'_>,
        enough: &CancelToken,
    ) -> Result<Option<Self>, Failure> {
        if blamed.contains(&Blame::Constraints) || blamed.contains(&Blame::Rules) || enough.requested().is_some() {
            return Ok(None);
        }
        let with_constraints = [blamed, &[Blame::Constraints]].concat();
        let relaxed = RelaxedProgram::new(source, &with_constraints, context.settings, context.stop)?;
        let (constraints, blamed) = (0..relaxed.len()).partition(|&part| relaxed.kind(part) == PartKind::Constraint);
        Ok(Some(ViolatedConstraints { relaxed, blamed, constraints }))
    }

    fn of_cause(&mut self, cause: &[usize], enough: &CancelToken) -> Result<Vec<Part>, Failure> {
        let cause: Parts = cause.iter().map(|&part| self.blamed[part]).collect();
        let (obvious, others): (Parts, Parts) =
            self.constraints.iter().partition(|&&part| self.relaxed.is_obvious(part));
        // Obvious constraints are reported only if no other constraint is violated.
        for (enforced, candidates) in [(&*obvious, &others), (&[], &obvious)] {
            let always = [&cause, enforced].concat();
            let mut oracle = SubsetOracle { oracle: &mut self.relaxed, always: &always, among: candidates };
            let mut result = minimal_mus(&mut oracle, enough)?;
            if matches!(&result, SubsetResult::Parts { parts, .. } if (2..=MAX_MINIMIZED).contains(&parts.len())) {
                let extras_limit = enough.child_until(Instant::now().checked_add(PATIENCE));
                result = smallest_mus(&mut oracle, &extras_limit.token)?;
            }
            if let SubsetResult::Parts { parts, .. } = result {
                let parts: Parts = parts.iter().map(|&part| candidates[part]).collect();
                return self.relaxed.parts(&parts);
            }
        }
        Ok(Vec::new())
    }
}

/// Rejects a blamed predicate that has neither facts nor rules.
pub fn check_blamed(source: &ExplainInput, relaxed: &RelaxedProgram, blamed: &[Blame]) -> Result<(), Failure> {
    let signatures: Vec<_> = (0..relaxed.len()).filter_map(|part| relaxed.signature(part)).collect();
    for blame in blamed {
        if let Blame::Predicate(predicate) = blame
            && source.shape.contains(predicate)
        {
            let text = format!("--blame: {predicate} is the shape of the board, which is never blamed");
            return Err(Diagnostic::error(Code::UnknownName, text).into());
        }
        if let Blame::Predicate(predicate) = blame
            && !signatures.contains(predicate)
        {
            return Err(Diagnostic::error(
                Code::UnknownName,
                format!("the program has neither facts nor rules for {predicate}"),
            )
            .into());
        }
    }
    Ok(())
}

/// Rejects a weight for a predicate that does not occur.
fn check_weights(relaxed: &RelaxedProgram, weights: &[(Signature, u32)]) -> Result<(), Failure> {
    let heads: Vec<_> = relaxed.statements().iter().filter_map(|statement| statement.head.signature()).collect();
    for (predicate, _) in weights {
        if !heads.contains(predicate) {
            let text = format!("--weight: the program has neither facts nor rules for {predicate}");
            return Err(Diagnostic::error(Code::UnknownName, text).into());
        }
    }
    Ok(())
}

/// The cost of giving up each part.
fn costs(relaxed: &RelaxedProgram, weights: &[(Signature, u32)]) -> Vec<u32> {
    let cost = |part| {
        let own = relaxed.signature(part)?;
        weights.iter().rev().find(|(predicate, _)| *predicate == own).map(|(_, weight)| (*weight).min(i32::MAX as u32))
    };
    (0..relaxed.len()).map(|part| cost(part).unwrap_or(1)).collect()
}
