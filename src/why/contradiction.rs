//! Explains why a program has no answer: the parts that contradict each other, or what to give up.
//!
//! Facts are blamed first, since a person changes them most; if they are not the cause, constraints are, then rules, and then all
//! together.

use std::collections::{BTreeSet, HashMap};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::atom::{given, trees};
use super::cause::{Found, Parts, Within, all, cheapest_correction, minimal, smallest, smallest_soon};
use super::output::{self, Answer, Cause};
use super::propagation::Propagation;
use super::{Blame, Kind, Part, Question, Source, Switched, Told};
use crate::asp::{GroundRule, Settings, Signature, Symbol, brief, function, function_of};
use crate::diagnostic::{Diagnostic, Failure};
use crate::job::Job;
use crate::sorting;
use crate::stop::Stop;

/// Where so many constraints are broken together at most, the fewest are looked for; more nobody reads.
const READABLE: usize = 30;

/// They are told besides, and nobody waits for the fewest longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is blamed by default, in turn.
const TURNS: [Blame; 3] = [Blame::Facts, Blame::Constraints, Blame::Rules];

/// Each alone: if the first are not the cause, the next. Last all together, since causes of several kinds may lie side by side.
fn in_turn(blamed: &[Blame]) -> impl Iterator<Item = &[Blame]> {
    blamed.chunks(1).chain([blamed])
}

/// Why a program has no answer: parts that contradict each other, and whether no fewer do. None if there is an answer, or time
/// was up.
pub fn cause_of(source: &Source, settings: &Settings, stop: &Stop) -> Result<Option<(Vec<Part>, bool)>, Failure> {
    cause_among(&TURNS, source, settings, stop)
}

/// The same, where these are blamed in turn, and then together.
pub fn cause_among(
    turns: &[Blame],
    source: &Source,
    settings: &Settings,
    stop: &Stop,
) -> Result<Option<(Vec<Part>, bool)>, Failure> {
    for blamed in in_turn(turns) {
        let mut switched = Switched::new(source, blamed, settings, stop)?;
        match smallest(&mut switched, stop)? {
            Found::Parts { parts, is_least, .. } => return Ok(Some((switched.parts(&parts)?, is_least))),
            Found::NotTheCause => {}
            Found::Satisfiable | Found::GaveUp(_) => break,
        }
    }
    Ok(None)
}

pub fn explain(source: &Source, question: &Question, job: &Job) -> Result<Told, Failure> {
    let turns: Vec<&[Blame]> = match &question.blame[..] {
        [] => in_turn(&TURNS).collect(),
        blamed => vec![blamed],
    };
    let enough = job.stop.by(question.deadline);
    // Where others are wanted, time is left for them.
    let third = |deadline: Instant| Instant::now() + deadline.saturating_duration_since(Instant::now()) / 3;
    let soon = || question.deadline.map(third).filter(|_| question.causes != 1);
    let mut answer = Answer { blamed: question.blame.clone(), ..Answer::default() };
    for blamed in turns {
        let mut switched = Switched::new(source, blamed, &job.settings, &job.stop)?;
        check_blamed(source, &switched, blamed)?;
        check_weights(&switched, &question.weights)?;
        answer.messages = switched.messages().to_vec();
        answer.suspects = switched.undefined().to_vec();
        let costs = costs(&switched, &question.weights);
        let found = match question.fix {
            true => cheapest_correction(&mut switched, &costs, &enough.stop)?,
            false => smallest_soon(&mut switched, &enough.stop, soon)?,
        };
        answer.found = found.clone();
        match found {
            Found::NotTheCause => continue,
            Found::Parts { parts, .. } if question.fix => {
                answer.cost = parts.iter().map(|&part| u64::from(costs[part])).sum();
                answer.fix = switched.parts(&parts)?;
            }
            Found::Parts { parts, .. } => {
                let through = Through::new(source, blamed, job, &enough.stop)?;
                tell_causes(&mut answer, &mut switched, parts, through, question, &enough.stop)?;
            }
            Found::Satisfiable if switched.words().show_atoms() => {
                let parts: Vec<usize> = (0..switched.len()).collect();
                let model = switched.model(&parts, &[])?.unwrap_or_default();
                let shown = switched.words().shown(&model)?;
                answer.trees = trees(&switched, &shown, &model, &given(source, job)?, job)?;
            }
            Found::Satisfiable | Found::GaveUp(_) => {}
        }
        break;
    }
    Ok(output::told(&answer, source, question, job))
}

/// The first cause, and the others as far as they are wanted.
fn tell_causes(
    answer: &mut Answer,
    switched: &mut Switched,
    first: Parts,
    mut through: Option<Through>,
    question: &Question,
    enough: &Stop,
) -> Result<(), Failure> {
    let wanted = usize::try_from(question.causes).unwrap_or(usize::MAX);
    let mut causes = vec![first];
    // What is not minimal is none of the causes that are enumerated.
    if wanted != 1 && matches!(answer.found, Found::Parts { is_minimal: true, .. }) {
        let known = causes.clone();
        let ended = all(switched, &known, enough, |cause| {
            causes.push(cause);
            match causes.len() == wanted {
                true => std::ops::ControlFlow::Break(()),
                false => std::ops::ControlFlow::Continue(()),
            }
        });
        answer.ended = Some(ended?);
    }
    sorting::sort_by_key(&mut causes[1..], Vec::len);
    let soon = enough.by(Instant::now().checked_add(PATIENCE));
    // Words are asked for together, since each question grounds a program.
    let numbers: Vec<usize> = causes.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let known: HashMap<usize, Part> = numbers.iter().copied().zip(switched.parts(&numbers)?).collect();
    for (number, parts) in causes.iter().enumerate() {
        let until = if number == 0 { enough } else { &soon.stop };
        let wanted = through.as_mut().filter(|_| until.requested().is_none());
        let through = wanted.map_or(Ok(Vec::new()), |through| through.constraints(parts, until))?;
        let is_open = through.is_empty() && (number == 0 || until.requested().is_none());
        let clash = if is_open { clash(switched, parts)? } else { None };
        let mut parts = parts.clone();
        if number > 0 && parts.len() > output::MOST_INSTANCES {
            // Of a long one the beginning is shown, where it should not look like the one before.
            sorting::sort_by_key(&mut parts, |part| causes[number - 1].contains(part));
        }
        let parts = parts.iter().map(|part| known[part].clone()).collect();
        answer.causes.push(Cause { parts, through, clash });
    }
    Ok(())
}

/// An atom and its classical negation that both follow from parts at once: no constraint says that they may not.
fn clash(switched: &mut Switched, parts: &[usize]) -> Result<Option<String>, Failure> {
    let mut pairs: Vec<(i32, i32, Symbol)> = Vec::new();
    for (negation, literal, _) in switched.known_atoms()? {
        if let Some((false, name, _)) = function_of(negation)
            && let Some(atom) = function(name, &negation.arguments().unwrap_or_default())
            && let Some(other) = switched.literal(atom)
        {
            pairs.push((other, literal, atom));
        }
    }
    if pairs.is_empty() {
        return Ok(None);
    }
    let assumed: Vec<i32> = parts.iter().flat_map(|&part| switched.assumptions(part)).copied().collect();
    let ground = switched.ground();
    let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
    let mut propagation = Propagation::new(&ground);
    propagation.assume(&assumed);
    let rules = ground.rules_by_head();
    let follows = |literal: i32| {
        let mut brought = rules.get(&literal.unsigned_abs()).into_iter().flatten().map(|&rule| &ground.rules[rule]);
        let applies =
            |rule: &GroundRule| rule.weight(|literal| propagation.value(literal) == Some(true)) >= rule.wanted();
        propagation.value(literal) == Some(true) || brought.any(|rule| !rule.is_choice && applies(rule))
    };
    let clash = pairs.into_iter().find(|&(atom, negation, _)| follows(atom) && follows(negation));
    Ok(clash.map(|(.., atom)| brief(atom)).map(|atom| format!("With that, {atom} and -{atom} would both hold.")))
}

/// Which constraints the facts of a cause break together: told besides, where constraints are not what is blamed.
struct Through {
    switched: Switched,
    /// The parts that are blamed without the constraints, in their order there, and the constraints.
    blamed: Parts,
    constraints: Parts,
}

impl Through {
    fn new(source: &Source, blamed: &[Blame], job: &Job, enough: &Stop) -> Result<Option<Self>, Failure> {
        if blamed.contains(&Blame::Constraints) || blamed.contains(&Blame::Rules) || enough.requested().is_some() {
            return Ok(None);
        }
        let with_constraints = [blamed, &[Blame::Constraints]].concat();
        let switched = Switched::new(source, &with_constraints, &job.settings, &job.stop)?;
        let (constraints, blamed) = (0..switched.len()).partition(|&part| switched.kind(part) == Kind::Constraint);
        Ok(Some(Through { switched, blamed, constraints }))
    }

    fn constraints(&mut self, cause: &[usize], enough: &Stop) -> Result<Vec<Part>, Failure> {
        let cause: Parts = cause.iter().map(|&part| self.blamed[part]).collect();
        let (obvious, others): (Parts, Parts) =
            self.constraints.iter().partition(|&&part| self.switched.is_obvious(part));
        // What nobody would call a reason is told where nothing else is broken.
        for (held, among) in [(&*obvious, &others), (&[], &obvious)] {
            let always = [&cause, held].concat();
            let mut within = Within { oracle: &mut self.switched, always: &always, among };
            let mut found = minimal(&mut within, enough)?;
            if matches!(&found, Found::Parts { parts, .. } if (2..=READABLE).contains(&parts.len())) {
                let soon = enough.by(Instant::now().checked_add(PATIENCE));
                found = smallest(&mut within, &soon.stop)?;
            }
            if let Found::Parts { parts, .. } = found {
                let parts: Parts = parts.iter().map(|&part| among[part]).collect();
                return self.switched.parts(&parts);
            }
        }
        Ok(Vec::new())
    }
}

/// A predicate that is to be blamed, and has neither fact nor rule, was misspelt.
fn check_blamed(source: &Source, switched: &Switched, blamed: &[Blame]) -> Result<(), Failure> {
    let signatures: Vec<_> = (0..switched.len()).filter_map(|part| switched.signature(part)).collect();
    for blame in blamed {
        if let Blame::Predicate(predicate) = blame
            && source.shape.contains(predicate)
        {
            let text = format!("--blame: {predicate} is the shape of the board, which is never blamed");
            return Err(Diagnostic::error(text).into());
        }
        if let Blame::Predicate(predicate) = blame
            && !signatures.contains(predicate)
        {
            return Err(Diagnostic::error(format!("the program has neither facts nor rules for {predicate}")).into());
        }
    }
    Ok(())
}

/// So was one that has a weight, and that nothing is about.
fn check_weights(switched: &Switched, weights: &[(Signature, u32)]) -> Result<(), Failure> {
    let heads: Vec<_> = switched.statements().iter().filter_map(|statement| statement.head.signature()).collect();
    for (predicate, _) in weights {
        if !heads.contains(&predicate) {
            let text = format!("--weight: the program has neither facts nor rules for {predicate}");
            return Err(Diagnostic::error(text).into());
        }
    }
    Ok(())
}

/// What it costs to give each part up.
fn costs(switched: &Switched, weights: &[(Signature, u32)]) -> Vec<u32> {
    let cost = |part| {
        let own = switched.signature(part)?;
        weights.iter().rev().find(|(predicate, _)| *predicate == own).map(|(_, weight)| (*weight).min(i32::MAX as u32))
    };
    (0..switched.len()).map(|part| cost(part).unwrap_or(1)).collect()
}
