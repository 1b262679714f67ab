//! Whether two programs say the same, as far as they are asked.
//!
//! Answers are looked at as far as both programs show them: an answer is the set of what is shown of it, atoms and terms, of
//! the predicates that both show, and two answer sets that show the same are one. In each program rules are added that derive
//! `__asp_solve_shown(T)` for every such T; nothing else is looked at. Where both programs minimise something, their answers are the
//! optima. Of each all answers are looked for. Where that ends, the two sets are the whole truth. Where it does not, each answer
//! that was found is handed to the other program, which takes it or refuses it: one that is refused proves a difference, and
//! if there is none, nothing is proven. Every answer is checked by the definition of one before it counts; and where clingo is
//! known to lose answers, nothing follows from one that is not found.
//!
//! Programs in steps are compared in the first step in which one of them has an answer; that the other has none there is a
//! difference like any other.
//!
//! Why a program refuses an answer is asked as any `why`: of the program in which the answer is fixed, and its constraints
//! are blamed.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::asp::statement::Head;
use crate::asp::transform::rule;
use crate::asp::{
    self, Ground, Program, Rewritten, Settings, Signature, Solver, Statement, Symbol, signature_of, statements_of,
    to_text,
};
use crate::certificate::{self, Bound, Certify, Claim, Shown};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Certified;
use crate::stop::Stop;
use crate::why::{self, Blame, Part};

/// Of more answers the rest is not looked for.
const MOST_ANSWERS: usize = 50_000;
/// What is called so in messages of clingo is the rules that say what both show.
const LENS: &str = "<shown>";
/// Terms whose form tells no predicate, as variables.
const OTHER_TERMS: Signature = Signature { is_positive: true, name: String::new(), arity: usize::MAX };
/// Why an answer is refused is looked for so long.
const PATIENCE: Duration = Duration::from_secs(5);

/// One of two programs.
pub struct Side {
    pub name: String,
    pub program: Program,
}

/// What was found.
pub struct Comparison {
    /// The predicates that both show, and those that one side alone shows, which are not looked at.
    pub common: Vec<String>,
    pub left_out: [Vec<String>; 2],
    pub found: [Found; 2],
    /// How far each came that is a program in steps.
    pub steps: [Option<Steps>; 2],
    pub outcome: Outcome,
    /// One of them minimises something, the other does not, so that it is left out.
    pub ignores_costs: bool,
    /// Why the answers of a side may not be all.
    pub defect: Option<Diagnostic>,
    /// What came of certifying that each side has no other answers, where both have the same.
    pub certificate: Option<Certified>,
}

/// The answers of one side.
#[derive(Debug, Clone, Default)]
pub struct Found {
    pub answers: usize,
    /// There are no others.
    pub is_complete: bool,
    /// What the last one costs: the optimum, if all were found.
    pub costs: Vec<i64>,
}

pub enum Outcome {
    /// Proven: the same answers, and at the same cost.
    Same,
    /// Not all was looked at, and what was is the same.
    Unproven,
    /// The optima cost differently; the cheaper one may be an answer that the other side refuses.
    Costs(Option<Difference>),
    Answer(Difference),
}

/// An answer of one side that the other refuses.
pub struct Difference {
    /// Whose answer it is: 0 or 1.
    pub holder: usize,
    pub atoms: Vec<Symbol>,
    /// All atoms that hold there, also those that draw it.
    pub all: Vec<Symbol>,
    /// Atoms of it that the other side can never derive.
    pub underivable: Vec<Symbol>,
    /// What of the other side it breaks.
    pub because: Vec<Part>,
}

/// How far a program in steps came.
#[derive(Debug, Clone, Copy)]
pub struct Steps {
    pub last: u32,
    /// In that step there is an answer, and in none before.
    pub has_answer: bool,
    /// There was no time for more.
    pub is_stopped: bool,
}

/// How long the runs of a side took, in order.
#[derive(Debug, Clone, Default)]
pub struct Times {
    pub grounding: Vec<Duration>,
    pub solving: Vec<Duration>,
}

/// Compares the answers of two programs, each looked for as long as `patience` says.
pub fn compare(
    sides: &[Side; 2],
    settings: &Settings,
    certify: Certify,
    patience: Duration,
    stop: &Stop,
) -> Result<Comparison, Failure> {
    let [one, other] = [statements(&sides[0])?, statements(&sides[1])?];
    let shown = [shown(&one), shown(&other)];
    let common: BTreeSet<Signature> = shown[0].intersection(&shown[1]).cloned().collect();
    if common.is_empty() {
        let list = |shown: &BTreeSet<Signature>| match shown.is_empty() {
            true => "no atoms".to_owned(),
            false => names(shown).join(", "),
        };
        let text = format!(
            "nothing can be compared: {} shows {}, and {} shows {}",
            sides[0].name,
            list(&shown[0]),
            sides[1].name,
            list(&shown[1])
        );
        return Err(Diagnostic::error(text)
            .help("a #show of the same predicates in both says what is compared")
            .into());
    }
    let left_out = [0, 1].map(|side| names(&shown[side].difference(&common).cloned().collect()));
    let lens = |side: &Side, statements: &[Statement]| {
        let mut program = side.program.clone();
        program.additions.push(Document::in_memory(LENS, lens(&side.program, statements, &common)));
        Side { name: side.name.clone(), program }
    };
    let sides = [lens(&sides[0], &one), lens(&sides[1], &other)];
    let (sides, steps) = &at_one_step(&sides, settings, patience, stop)?;
    let is_stopped = steps.iter().flatten().any(|steps| steps.is_stopped);
    let minimises = [minimises(&one), minimises(&other)];
    let has_costs = minimises == [true; 2];
    let asked = Asked { has_costs, settings };
    let answers = [asked.answers(&sides[0], patience, stop)?, asked.answers(&sides[1], patience, stop)?];
    let [a, b] = &answers;
    let have_optima = has_costs && answers.iter().all(|side| side.found.is_complete && side.found.answers > 0);
    // Where there is nothing to pay for, an answer costs nothing.
    let levels = a.found.costs.len().max(b.found.costs.len());
    let [cost, other_cost] = [a, b].map(|side| match &side.found.costs[..] {
        [] => vec![0; levels],
        costs => costs.to_vec(),
    });
    let outcome = if have_optima && cost != other_cost {
        let holder = usize::from(other_cost < cost);
        let cheapest = answers[holder].all.first();
        let is_refused =
            |atoms: &&Vec<Symbol>| asked.accepts(&sides[1 - holder], atoms, stop).is_ok_and(|accepts| !accepts);
        let difference = cheapest.filter(is_refused).map(|atoms| asked.difference(sides, holder, atoms, stop));
        Outcome::Costs(difference.transpose()?)
    } else {
        match asked.first_difference(sides, &answers, patience, stop)? {
            Some(difference) => Outcome::Answer(difference),
            None if a.found.is_complete && b.found.is_complete && !is_stopped => Outcome::Same,
            None => Outcome::Unproven,
        }
    };
    let certificate = match outcome {
        Outcome::Same if certify.is_asked() => Some(a.certified(certify, stop)?.and(b.certified(certify, stop)?)),
        _ => None,
    };
    let defect = a.defect.clone().or_else(|| b.defect.clone());
    let found = answers.map(|answers| answers.found);
    let ignores_costs = minimises[0] != minimises[1];
    let common = names(&common);
    Ok(Comparison { common, left_out, found, steps: *steps, outcome, ignores_costs, defect, certificate })
}

/// Programs in steps at the first step in which one has an answer, or at the last that both were seen in; and how far each
/// came.
fn at_one_step(
    sides: &[Side; 2],
    settings: &Settings,
    patience: Duration,
    stop: &Stop,
) -> Result<([Side; 2], [Option<Steps>; 2]), Failure> {
    let mut steps: [Option<Steps>; 2] = [None, None];
    for (side, steps) in sides.iter().zip(&mut steps).filter(|(side, _)| side.program.is_in_steps()) {
        let enough = stop.by(Instant::now().checked_add(patience));
        let (last, has_answer) = side.program.first_answer(settings, &enough.stop)?;
        *steps = Some(Steps { last, has_answer, is_stopped: !has_answer && enough.stop.requested().is_some() });
    }
    let known = || steps.iter().flatten();
    let first = known().filter(|steps| steps.has_answer).map(|steps| steps.last).min();
    let common = first.or(known().map(|steps| steps.last).min());
    let at = |side: &Side| {
        let last_step = common.filter(|_| side.program.is_in_steps());
        Side { name: side.name.clone(), program: Program { last_step, ..side.program.clone() } }
    };
    Ok(([at(&sides[0]), at(&sides[1])], steps))
}

/// Runs both in turn as often as is asked, with all their steps, each time from the texts to the last answer that is wanted;
/// who stops it is given the runs until then.
pub fn times(sides: &[Side; 2], settings: &Settings, runs: usize, stop: &Stop) -> Result<[Times; 2], Failure> {
    let mut times = [Times::default(), Times::default()];
    for side in [0, 1].repeat(runs) {
        let began = Instant::now();
        let program = &sides[side].program;
        let mut grounding;
        if program.is_in_steps() {
            let mut solver = Solver::new(settings, stop)?;
            solver.load(program)?;
            let steps = asp::Steps::of(&mut solver)?;
            grounding = began.elapsed();
            let ground = |solver: &mut Solver, _, parts: &[asp::Part<'_>]| {
                let began = Instant::now();
                let grounded = solver.ground(parts);
                grounding += began.elapsed();
                grounded
            };
            asp::solve_steps_by(&mut solver, &steps, stop, ground, |_| ControlFlow::Continue(()))?;
        } else {
            let mut solver = Solver::with_program(program, settings, stop)?;
            grounding = began.elapsed();
            solver.solve(&[], |_| ControlFlow::Continue(()))?;
        }
        if stop.requested().is_some() {
            break;
        }
        times[side].grounding.push(grounding);
        times[side].solving.push(began.elapsed().saturating_sub(grounding));
    }
    Ok(times)
}

impl Times {
    /// Grounding and solving of each run.
    pub fn whole(&self) -> Vec<Duration> {
        self.grounding.iter().zip(&self.solving).map(|(&grounding, &solving)| grounding + solving).collect()
    }
}

/// The median of some times, the least and the greatest of them; none of none.
pub fn spread(times: &[Duration]) -> Option<[Duration; 3]> {
    let mut sorted = times.to_vec();
    sorted.sort();
    let median = sorted.get(sorted.len() / 2)?;
    Some([*median, *sorted.first()?, *sorted.last()?])
}

/// What both sides are asked.
struct Asked<'a> {
    /// Answers are optima.
    has_costs: bool,
    settings: &'a Settings,
}

#[derive(Default)]
struct Answers {
    found: Found,
    defect: Option<Diagnostic>,
    all: BTreeSet<Vec<Symbol>>,
    /// What a certificate needs: the ground program, the literals of what both show, and the true atoms of the answers.
    ground: Arc<Mutex<Ground>>,
    shown: Shown,
    listed: Vec<Vec<u32>>,
    has_costs: bool,
}

impl Answers {
    /// The certificate that there are no others.
    fn certified(&self, certify: Certify, stop: &Stop) -> Result<Certified, Failure> {
        let Found { costs, answers, .. } = &self.found;
        let has_bound = self.has_costs && !costs.is_empty() && *answers > 0;
        let bound = has_bound.then(|| Bound { costs: costs.clone(), is_strict: false });
        let claim = Claim { answers: self.listed.clone(), is_of_shown: true, bound };
        let of = if *answers == 0 { "none" } else { "all" };
        let ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(certificate::certify(&ground, &self.shown, &claim, of, certify, stop)?)
    }
}

impl Asked<'_> {
    /// What an answer is as far as both show it.
    fn projected(&self, atoms: impl Iterator<Item = Symbol>) -> Vec<Symbol> {
        let mut atoms: Vec<Symbol> = atoms.filter(|&atom| is_shown(atom)).collect();
        atoms.sort();
        atoms
    }

    /// All answers of a side, as far as there is time.
    fn answers(&self, side: &Side, patience: Duration, stop: &Stop) -> Result<Answers, Failure> {
        let mode = if self.has_costs { "optN" } else { "ignore" };
        let options = ["--project=project".to_owned(), format!("--opt-mode={mode}")];
        let settings = self.with(0, options);
        let enough = stop.by(Instant::now().checked_add(patience));
        let mut solver = match Solver::with_program(&side.program, &settings, &enough.stop) {
            Ok(solver) => solver,
            Err(_) if enough.stop.requested().is_some() => {
                return Ok(Answers::default());
            }
            Err(failure) => return Err(failure),
        };
        let (mut all, mut costs, mut taken, mut is_full) = (BTreeSet::new(), Vec::new(), Ok(()), false);
        let ground = solver.control().observe()?;
        let (shown, mut listed) = (shown_literals(&mut solver)?, Vec::new());
        let solved = solver.solve(&[], |model| {
            taken = (|| {
                costs = model.costs()?;
                // What costs more is only on the way to the optimum; where there is nothing to pay for, all cost the same.
                if (!self.has_costs || costs.is_empty() || model.optimality_proven()?)
                    && all.insert(self.projected(model.atoms()?))
                {
                    let holding = ground.lock().unwrap_or_else(PoisonError::into_inner).holding(model)?;
                    listed.push(holding.into_iter().collect::<BTreeSet<u32>>().into_iter().collect());
                }
                Ok::<_, asp::CallError>(())
            })();
            is_full = all.len() >= MOST_ANSWERS;
            if taken.is_err() || is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        taken?;
        let defect = solver.known_defect();
        let is_ended = solved.result.exhausted && !is_full && enough.stop.requested().is_none();
        let found = Found { answers: all.len(), is_complete: is_ended && defect.is_none(), costs };
        Ok(Answers { found, defect, all, ground, shown, listed, has_costs: self.has_costs })
    }

    /// The least answer of one that the other does not have.
    fn first_difference(
        &self,
        sides: &[Side; 2],
        answers: &[Answers; 2],
        patience: Duration,
        stop: &Stop,
    ) -> Result<Option<Difference>, Failure> {
        let enough = stop.by(Instant::now().checked_add(patience));
        for holder in [0, 1] {
            let (own, others) = (&answers[holder], &answers[1 - holder]);
            let mut missing = own.all.difference(&others.all).peekable();
            if others.found.is_complete {
                if let Some(atoms) = missing.next() {
                    return self.difference(sides, holder, atoms, stop).map(Some);
                }
            } else if missing.peek().is_some() && !self.has_costs {
                let mut judge = self.judge(&sides[1 - holder], &enough.stop)?;
                for atoms in missing {
                    if enough.stop.requested().is_some() {
                        return Ok(None);
                    }
                    match self.judged(&mut judge, atoms)? {
                        Some(true) => {}
                        Some(false) => return self.difference(sides, holder, atoms, stop).map(Some),
                        None => break,
                    }
                }
            }
        }
        Ok(None)
    }

    /// A side that is asked about answers, whatever they cost.
    fn judge(&self, side: &Side, stop: &Stop) -> Result<Solver, Failure> {
        Solver::with_program(&side.program, &self.with(1, ["--opt-mode=ignore".to_owned()]), stop)
    }

    /// Whether a side has an answer; none if it was stopped, or is known to lose some.
    fn judged(&self, judge: &mut Solver, atoms: &[Symbol]) -> Result<Option<bool>, Failure> {
        let assumed = self.assumed(judge, atoms)?;
        let result = judge.solve(&assumed, |_| ControlFlow::Break(()))?.result;
        let is_refused = || result.unsatisfiable && judge.known_defect().is_none();
        Ok(if result.satisfiable { Some(true) } else { is_refused().then_some(false) })
    }

    fn accepts(&self, side: &Side, atoms: &[Symbol], stop: &Stop) -> Result<bool, Failure> {
        Ok(self.judged(&mut self.judge(side, stop)?, atoms)? != Some(false))
    }

    /// Assumptions under which nothing but this answer is one.
    fn assumed(&self, judge: &mut Solver, atoms: &[Symbol]) -> Result<Vec<(Symbol, bool)>, Failure> {
        let known = judge.control().known_atoms()?;
        let others = known.into_iter().map(|(atom, _)| atom).filter(|&atom| is_shown(atom));
        let others = others.filter(|atom| atoms.binary_search(atom).is_err()).map(|atom| (atom, false));
        Ok(atoms.iter().map(|&atom| (atom, true)).chain(others).collect())
    }

    /// All there is to tell of an answer that the other side refuses.
    fn difference(
        &self,
        sides: &[Side; 2],
        holder: usize,
        atoms: &[Symbol],
        stop: &Stop,
    ) -> Result<Difference, Failure> {
        let mut solver = self.judge(&sides[holder], stop)?;
        let assumed = self.assumed(&mut solver, atoms)?;
        let mut all = Vec::new();
        solver.solve(&assumed, |model| {
            all = model.atoms().map(|atoms| atoms.filter(|&atom| !is_shown(atom)).collect()).unwrap_or_default();
            ControlFlow::Break(())
        })?;
        let refuser = &sides[1 - holder].program;
        let known = self.judge(&sides[1 - holder], stop)?.control().known_atoms()?;
        let known: BTreeSet<Symbol> = known.into_iter().map(|(atom, _)| atom).collect();
        let underivable: Vec<Symbol> = atoms.iter().filter(|atom| !known.contains(atom)).map(inside).collect();
        let because = match underivable.is_empty() {
            true => self.because(refuser, atoms, stop)?,
            false => Vec::new(),
        };
        Ok(Difference { holder, atoms: atoms.iter().map(inside).collect(), all, underivable, because })
    }

    /// What of a program an answer breaks, as far as it is found in time.
    fn because(&self, program: &Program, atoms: &[Symbol], stop: &Stop) -> Result<Vec<Part>, Failure> {
        // No constraints, since those are blamed.
        let mut fixed = "__asp_solve_differs :- __asp_solve_shown(T), not __asp_solve_answer(T), not __asp_solve_differs.\n\
                         __asp_solve_differs :- __asp_solve_answer(T), not __asp_solve_shown(T), not __asp_solve_differs.\n"
            .to_owned();
        fixed.extend(atoms.iter().map(|atom| format!("__asp_solve_answer({}).\n", to_text(inside(atom)))));
        let mut program = program.clone();
        let fixed = format!("{}\n{fixed}", program.behind_all());
        program.additions.push(Document::in_memory("<answer>", fixed));
        let enough = stop.by(Some(Instant::now() + PATIENCE));
        let settings = self.with(0, []);
        let cause = why::cause_among(&[Blame::Constraints, Blame::Rules], &program.into(), &settings, &enough.stop);
        let mut parts = cause.ok().flatten().map_or_else(Vec::new, |(parts, _)| parts);
        parts.retain(|part| part.place.as_ref().is_none_or(|place| !["<answer>", LENS].contains(&place.file.as_str())));
        Ok(parts)
    }

    fn with<const N: usize>(&self, models: u64, options: [String; N]) -> Settings {
        let options = self.settings.options.iter().cloned().chain(options).collect();
        Settings { models: Some(models), options, check: true, ..self.settings.clone() }
    }
}

/// Where each atom or term holds that both sides show.
fn shown_literals(solver: &mut Solver) -> Result<Shown, Failure> {
    let mut shown = Shown::new();
    for (atom, is_fact) in solver.control().known_atoms()? {
        let literal = solver.control().literal(atom);
        let condition = if is_fact { Some(Vec::new()) } else { literal.map(|literal| vec![literal]) };
        if let Some(condition) = condition.filter(|_| is_shown(atom)) {
            shown.entry(to_text(inside(&atom))).or_default().push(condition);
        }
    }
    Ok(shown)
}

fn statements(side: &Side) -> Result<Vec<Statement>, Failure> {
    let mut statements = statements_of(&side.program)?;
    statements.retain(|statement| !statement.is_elsewhere());
    Ok(statements)
}

fn minimises(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| matches!(statement.head, Head::Minimize))
}

/// The predicates that a program shows, of atoms and terms; all that it derives, but for drawings, where it says nothing
/// about that (#show with a term hides no atom).
fn shown(statements: &[Statement]) -> BTreeSet<Signature> {
    let says = says_what_it_shows(statements);
    let heads = statements.iter().filter(|_| !says).flat_map(Statement::head_signatures);
    let heads = heads.filter(|predicate| predicate.name != "draw").cloned();
    let shown = statements.iter().filter_map(|statement| match &statement.head {
        Head::Show(signature) => signature.clone(),
        Head::ShowTerm { signature, .. } => Some(signature.clone().unwrap_or(OTHER_TERMS)),
        _ => None,
    });
    heads.chain(shown).collect()
}

fn says_what_it_shows(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| matches!(statement.head, Head::Show(_)))
}

/// The rules that derive `__asp_solve_shown(T)` for each atom and term of these predicates that is shown.
fn lens(program: &Program, statements: &[Statement], common: &BTreeSet<Signature>) -> String {
    let says = says_what_it_shows(statements);
    let (mut terms, mut atoms) = (Rewritten::default(), BTreeSet::new());
    for (number, statement) in statements.iter().enumerate() {
        match &statement.head {
            Head::ShowTerm { term, signature } if common.contains(signature.as_ref().unwrap_or(&OTHER_TERMS)) => {
                // Each step has its own, so that none is defined twice.
                let step = statement.part.parameters.join(",");
                let shown = statement.rule(&format!("__asp_solve_shown_in({term},({step}))"), &["#true"]);
                terms.add(number, &statement.part, &shown);
            }
            Head::Show(Some(signature)) => atoms.extend(common.get(signature)),
            _ if !says => {
                atoms.extend(statement.head_signatures().into_iter().filter(|&signature| common.contains(signature)));
            }
            _ => {}
        }
    }
    let mut rules = format!(
        "{}#program base.\n{}\n#defined __asp_solve_shown_in/2.\n__asp_solve_shown(T) :- __asp_solve_shown_in(T,_).\n",
        terms.text(),
        program.behind_all()
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

/// What is shown.
fn inside(atom: &Symbol) -> Symbol {
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
