//! The ASP engine: clingo finds the trips with an encoding.
//!
//! The encoding unrolls each trip up to a horizon, so the size of the ground program is
//! proportional to the horizon. The length of the longest trip is unknown beforehand, and the safe
//! bound (nodes × states of all levers) is far above it. The horizon therefore starts small and
//! doubles. By the contract of the encoding, a trip that reaches the horizon is a cycle; its steps
//! show whether it really visits a node twice with the same lever states. While some trip does not,
//! the horizon is too near. The horizon thus stays within twice the longest real trip.
//!
//! With the built-in rules, answers are projected to what the trip depends on: the nodes, the
//! levers of the forks on it, and the colours of the gates it crosses. Configurations that differ
//! elsewhere share the trip and yield one answer.
//!
//! With custom rules it is unknown what a trip depends on, so each configuration yields its own
//! answer. The lever states on the trip are those that the encoding reports as `pointing/3`, if
//! any.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::PoisonError;

use num_bigint::BigUint;

use super::EngineStats;
use crate::asp::{self, AnswerAtoms, AtomError, Symbol, Term};
use crate::certificate::Certificate;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::Document;
use crate::job::{Job, Rules};
use crate::puzzle::certifying::{self, CertificateRecorder};
use crate::puzzle::closing::Proven;
use crate::puzzle::native;
use crate::puzzle::rail::network::{Kind, Network, NodeId};
use crate::puzzle::rail::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, Weight, configuration_text};
use crate::stop::CancelToken;

const FIRST_HORIZON: usize = 32;

/// Projects answers to what the trip depends on.
const PROJECTION: &str = "\
#defined path/2. #defined initial/2. #defined gate_color/2. #defined gate/2. #defined final_node/1. #defined sets/3.
asp_solve_end(N) :- target(N).
asp_solve_end(N) :- final_node(N).
asp_solve_lever(C,L) :- initial(C,L), path(N,_), color(N,C), rel(N,_,X), rel(N,_,Y), X != Y, not asp_solve_end(N).
asp_solve_lever(C,L) :- initial(C,L), path(N,_), gate(G,N), sets(G,C,_), rel(N,_,_), not asp_solve_end(N).
asp_solve_gate(G,C) :- gate_color(G,C), path(N,_), gate(G,N), rel(N,_,_), not asp_solve_end(N).
#project path/2.
#project asp_solve_lever/2.
#project asp_solve_gate/2.
#show asp_solve_lever/2.
#show asp_solve_gate/2.
";

/// Shows the lever states of a custom encoding.
const SHOW_POINTING: &str = "#defined pointing/3.\n#show pointing/3.\n";

/// Input of a search with clingo.
pub struct TripQuery<'a> {
    pub network: &'a Network,
    /// The instance, without the encodings.
    pub program: &'a asp::Program,
    pub encodings: &'a [Document],
    pub settings: &'a asp::Settings,
    pub rules: &'a Rules,
    /// The gate rule of the built-in encodings; `None` for custom rules.
    pub gate_rule: Option<GateRule>,
    /// Outcomes to find, in addition to cycles; empty for all.
    pub outcomes: &'a [Outcome],
    pub pattern: &'a Pattern,
    pub stop: &'a CancelToken,
    /// The job, if it may request a certificate.
    pub job: Option<&'a Job>,
}

/// Receives each trip; breaks to end the search.
pub type TripSink<'f> = &'f mut (dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure> + Send);

pub type Warnings = Vec<Diagnostic>;

/// Passes every distinct trip to `found`. Returns the statistics, whether the search was
/// exhaustive, and clingo's warnings.
pub fn trips(question: &TripQuery<'_>, found: TripSink<'_>) -> Result<(EngineStats, bool, Warnings), Failure> {
    let mut horizon = first_horizon(question);
    let mut known = FoundTrips::default();
    loop {
        match search_to_horizon(question, horizon, &mut known, found)? {
            HorizonResult::Complete(stats, ended, warnings) => return Ok((*stats, ended, warnings)),
            HorizonResult::CutOff if question.stop.requested().is_some() => {
                return Ok((EngineStats { horizon, ..EngineStats::default() }, false, Vec::new()));
            }
            HorizonResult::CutOff => horizon *= 2,
        }
    }
}

fn first_horizon(question: &TripQuery<'_>) -> usize {
    let given = question.settings.constants.iter().find(|(name, _)| name == "horizon");
    given.and_then(|(_, value)| value.parse().ok()).filter(|&horizon| horizon > 0).unwrap_or(FIRST_HORIZON)
}

enum HorizonResult {
    Complete(Box<EngineStats>, bool, Warnings),
    /// The horizon cut off a trip.
    CutOff,
}

/// The levers and gates of an answer.
type Setting = (Vec<Option<usize>>, Vec<Option<usize>>);

/// Trips already passed on, at this horizon or a smaller one.
#[derive(Default)]
struct FoundTrips {
    trips: HashSet<(Vec<NodeId>, Setting)>,
    /// Custom rules only: the nodes of the trip, by start and configuration.
    nodes: HashMap<(NodeId, Setting), Vec<NodeId>>,
}

/// Answers whose trip has no end.
#[derive(Default)]
struct UnfinishedTrips {
    configurations: HashSet<Setting>,
    /// How far the first of them gets, for the error message.
    first: String,
}

/// The result of parsing an answer.
enum ParsedAnswer {
    Trip(Trip),
    /// Cut off at the horizon.
    CutOff,
    /// No end; with a description of how far it gets.
    Unfinished(Setting, String),
}

/// The program and settings for one horizon.
fn program_for_horizon(question: &TripQuery<'_>, horizon: usize) -> (asp::Program, asp::Settings) {
    let mut settings = question.settings.clone();
    settings.constants.retain(|(name, _)| name != "horizon");
    settings.constants.push(("horizon".to_owned(), horizon.to_string()));
    settings.models = Some(0);
    let mut program = question.program.clone();
    program.encoding = question.encodings.to_vec();
    if question.gate_rule.is_none() {
        program.additions.push(Document::in_memory("<pointing>", SHOW_POINTING));
    } else {
        settings.options.push("--project=project".to_owned());
        // A trip that is cut off is reported as a cycle, so cycles are always included.
        let mut outcomes = question.outcomes.to_vec();
        if !outcomes.is_empty() && !outcomes.contains(&Outcome::Cycle) {
            outcomes.push(Outcome::Cycle);
        }
        program.additions.push(Document::in_memory("<projection>", PROJECTION.to_owned() + &constraint(&outcomes)));
    }
    (program, settings)
}

/// Compares the program of `certificate` with the program at each horizon, stopping once the latter
/// is larger. Returns the first difference, or `None` if some horizon gives the same program.
pub fn certificate_difference(question: &TripQuery<'_>, certificate: &Certificate) -> Result<Option<String>, Failure> {
    let mut horizon = first_horizon(question);
    loop {
        let (program, settings) = program_for_horizon(question, horizon);
        let (mut solver, ground) = certifying::ground(&program, &settings, question.stop)?;
        let has_horizon = solver.control().constant("horizon").is_ok_and(|value| value.is_some());
        let mut assumed = Vec::new();
        for (symbol, _) in assumptions(&mut solver, question)? {
            assumed.extend(solver.control().literal(symbol));
        }
        let mut ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
        ground.assumed.extend(assumed);
        let difference = certificate.difference(&ground, &certifying::projections(&ground));
        if difference.is_none() || !has_horizon || ground.rules.len() >= certificate.ground.rules.len() {
            return Ok(difference);
        }
        horizon *= 2;
    }
}

/// Searches with one horizon.
fn search_to_horizon(question: &TripQuery<'_>, horizon: usize, known: &mut FoundTrips, found: TripSink<'_>) -> Result<HorizonResult, Failure> {
    let network = question.network;
    let is_custom = question.gate_rule.is_none();
    let (program, settings) = program_for_horizon(question, horizon);
    let mut solver = asp::Solver::new(&settings, question.stop)?;
    let mut certifying = question.job.map(|job| CertificateRecorder::start(job, &mut solver, false)).transpose()?.flatten();
    if let Some(certifying) = &mut certifying {
        // The program has other answers than the requested trips.
        certifying.asks_unique = false;
    }
    solver.load(&program)?;
    solver.ground_program(&program)?;
    solver.check_inputs(&program)?;
    let has_horizon = solver.control().constant("horizon").is_ok_and(|value| value.is_some());
    let assumptions = assumptions(&mut solver, question)?;
    let reader = Reader {
        network,
        ids: network.nodes.iter().enumerate().map(|(id, node)| (&node.name.term, id)).collect(),
        gate_rule: question.gate_rule,
        horizon: has_horizon.then_some(horizon),
    };

    let mut stats = EngineStats { horizon, ..EngineStats::default() };
    let mut unfinished = UnfinishedTrips::default();
    let mut early_result: Option<Result<HorizonResult, Failure>> = None;
    let solved = solver.solve(&assumptions, |model| {
        if let Some(certifying) = &mut certifying {
            certifying.note(model, 0);
        }
        let read = model.shown(asp::Order::AsFound).map_err(|error| AtomError(error.text)).and_then(|atoms| {
            let atoms: Vec<Symbol> = atoms.collect();
            reader.trip(&AnswerAtoms::new(atoms.into_iter()))
        });
        let trip = match read {
            Ok(ParsedAnswer::Trip(trip)) => trip,
            Ok(ParsedAnswer::CutOff) => {
                early_result = Some(Ok(HorizonResult::CutOff));
                return ControlFlow::Break(());
            }
            Ok(ParsedAnswer::Unfinished(setting, progress)) => {
                if unfinished.configurations.is_empty() {
                    unfinished.first = progress;
                }
                unfinished.configurations.insert(setting);
                return ControlFlow::Continue(());
            }
            Err(AtomError(text)) => {
                early_result = Some(Err(encoding_error(question.encodings, text)));
                return ControlFlow::Break(());
            }
        };
        stats.trips += 1;
        stats.longest = stats.longest.max(trip.nodes.len());
        let Some(trip) = question.pattern.narrow(&trip) else { return ControlFlow::Continue(()) };
        let setting = (trip.levers.clone(), trip.gates.clone());
        if is_custom {
            let before = known.nodes.entry((trip.nodes[0], setting.clone())).or_insert_with(|| trip.nodes.clone());
            if *before != trip.nodes && !extends_cycle(before, &trip) {
                let configuration = configuration_text(network, &trip.levers, &trip.gates);
                let text = format!("configuration {configuration} has two trips; expected one");
                early_result = Some(Err(encoding_error(question.encodings, text)));
                return ControlFlow::Break(());
            }
        }
        if !known.trips.insert((trip.nodes.clone(), setting)) {
            return ControlFlow::Continue(());
        }
        let leaf = LazyTrip {
            outcome: trip.outcome,
            steps: trip.nodes.len(),
            gates: trip.gates_crossed(),
            weight: if is_custom { Weight::Small(1) } else { Weight::Large(trip.configurations(network)) },
            build: &|| trip.clone(),
        };
        found(&leaf).unwrap_or_else(|failure| {
            early_result = Some(Err(failure));
            ControlFlow::Break(())
        })
    })?;
    if early_result.is_none() && !unfinished.configurations.is_empty() {
        early_result = Some(Err(unfinished.failure(question)));
    }
    let warnings: Warnings = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    match early_result {
        // clingo's messages may name the cause, such as an undefined predicate.
        Some(Err(Failure(mut diagnostics))) => {
            diagnostics.splice(0..0, warnings);
            return Err(Failure(diagnostics));
        }
        Some(reached) => return reached,
        None => {}
    }
    stats.clingo = solver.statistics();
    let is_exhaustive = solved.result.exhausted;
    let proof = match is_exhaustive {
        true if solved.result.satisfiable => Proven::AllAnswers,
        true => Proven::NoAnswer,
        false => Proven::Nothing,
    };
    stats.certificate = certifying.map(|certifying| certifying.finish(proof)).transpose()?.flatten();
    Ok(HorizonResult::Complete(Box::new(stats), is_exhaustive, warnings))
}

/// Returns true if `trip` is the cycle that a smaller horizon cut after the nodes `before`.
fn extends_cycle(before: &[NodeId], trip: &Trip) -> bool {
    trip.outcome == Outcome::Cycle && trip.nodes.starts_with(before)
}

impl UnfinishedTrips {
    /// "3 of 72 configurations have no trip by the rules of mine.lp: does it still derive game/2?"
    fn failure(&self, question: &TripQuery<'_>) -> Failure {
        let all = question.pattern.configurations(question.network);
        Diagnostic::error(Code::NoSolution, missing_trips_message(&self.configurations.len().into(), &all, question.rules))
            .help(self.first.clone())
            .into()
    }
}

/// Error message for an encoding that leaves configurations without a trip.
pub fn missing_trips_message(number: &BigUint, all: &BigUint, rules: &Rules) -> String {
    let have = if *number == 1_u32.into() { "has" } else { "have" };
    format!("{number} of {all} configurations {have} no trip {}: does it still derive game/2?", rules.attribution())
}

/// A constraint that admits only the given outcomes; empty for all.
pub fn constraint(outcomes: &[Outcome]) -> String {
    if outcomes.is_empty() {
        return String::new();
    }
    let others: Vec<String> = outcomes.iter().map(|outcome| format!("not game({},_)", outcome.name())).collect();
    format!(":- {}.\n", others.join(", "))
}

/// The atoms to assume so that answers match the pattern.
fn assumptions(solver: &mut asp::Solver, question: &TripQuery<'_>) -> Result<Vec<(Symbol, bool)>, Failure> {
    let network = question.network;
    let mut wanted = BTreeSet::new();
    for (color, state) in question.pattern.levers.iter().enumerate() {
        let color = &network.colors[color];
        wanted.extend(state.map(|state| ("initial", &color.name.term, &color.states[state].term)));
    }
    for (gate, color) in question.pattern.gates.iter().enumerate() {
        wanted.extend(color.map(|color| ("gate_color", &network.gates[gate].term, &network.colors[color].name.term)));
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let atoms = solver.control().known_atoms()?;
    let is_wanted = |symbol: &Symbol| {
        let Some((name, 2)) = asp::signature_of(*symbol) else { return false };
        let arguments: Vec<Term> = symbol.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
        wanted
            .iter()
            .any(|&(predicate, first, second)| predicate == name && [&arguments[0], &arguments[1]] == [first, second])
    };
    Ok(atoms.into_iter().map(|(symbol, _)| symbol).filter(is_wanted).map(|symbol| (symbol, true)).collect())
}

fn encoding_error(encodings: &[Document], text: String) -> Failure {
    native::wrong_answer(encodings, &text)
        .help("an encoding of this puzzle shows initial(Color, State), gate_color(Gate, Color), path(Node, Step) and game(Outcome, Steps)")
        .into()
}

/// Parses the atoms of answers.
struct Reader<'a> {
    network: &'a Network,
    ids: HashMap<&'a Term, NodeId>,
    gate_rule: Option<GateRule>,
    /// Length at which the encoding cuts trips off, if it has a horizon.
    horizon: Option<usize>,
}

impl Reader<'_> {
    fn trip(&self, atoms: &AnswerAtoms) -> Result<ParsedAnswer, AtomError> {
        let (mut levers, mut gates) = self.setting(atoms)?;
        let configuration = configuration_text(self.network, &levers, &gates);
        let of = |AtomError(text)| AtomError(format!("configuration {configuration}: {text}"));
        let mut nodes = self.path(atoms).map_err(of)?;
        let games = atoms.rows::<2>("game", "game(Outcome, Steps), how the trip ends").map_err(of)?;
        let [[outcome, steps]] = &games[..] else {
            if games.is_empty() {
                let progress = match nodes.last() {
                    Some(&last) => {
                        let (name, steps) = (&self.network.nodes[last].name, nodes.len());
                        format!("for example, {configuration} reaches {name} in step {steps} and goes no further")
                    }
                    None => format!("for example, {configuration} has no path at all"),
                };
                return Ok(ParsedAnswer::Unfinished((levers, gates), progress));
            }
            return Err(of(AtomError(format!("an answer has {} atoms game/2; expected one", games.len()))));
        };
        let outcome = Outcome::from_name(&outcome.text()).ok_or_else(|| {
            of(AtomError(format!("the outcome {}; expected win, loss, cycle or stuck", outcome.text())))
        })?;
        if nodes.is_empty() {
            let text = "an answer has no atom path/2; expected path(Node, Step). Is a `#show path/2.` missing?";
            return Err(of(AtomError(text.to_owned())));
        }
        if steps.number() != i32::try_from(nodes.len()).ok() {
            return Err(of(AtomError(format!(
                "the trip ends in step {}, but its path has {} steps",
                steps.text(),
                nodes.len()
            ))));
        }
        let reported = match self.gate_rule {
            Some(_) => None,
            None => Some(self.reported_levers(atoms, &levers, nodes.len())?),
        };
        if outcome == Outcome::Cycle {
            let is_at_horizon = self.horizon.is_some_and(|horizon| nodes.len() >= horizon);
            let end = match &reported {
                None => self.end_of_cycle(&nodes, &levers, &gates),
                Some(reported) => first_repeat(nodes.iter().copied().zip(reported)),
            };
            match end {
                Some(steps) => nodes.truncate(steps),
                // The state space of custom rules is unknown; past the safe bound, trust the
                // answer.
                None if is_at_horizon && (reported.is_none() || nodes.len() < self.safe_bound()) => {
                    return Ok(ParsedAnswer::CutOff);
                }
                None if reported.is_some() => {}
                None => {
                    let text = "it is reported as a cycle, but visits no node twice with the same lever states";
                    return Err(of(AtomError(text.to_owned())));
                }
            }
        }
        let rules = self.gate_rule.unwrap_or(GateRule::DynamicGate);
        if self.gate_rule.is_some() {
            self.open_unseen(&nodes, &mut levers, &mut gates).map_err(of)?;
        }
        let reported = reported.map(|reported| reported[..nodes.len()].to_vec());
        Ok(ParsedAnswer::Trip(Trip { nodes, outcome, levers, gates, rules, reported_levers: reported }))
    }

    /// Length after which any trip whose state is the node and the levers must have repeated a
    /// state.
    fn safe_bound(&self) -> usize {
        let states = self.network.lever_states() * self.network.nodes.len() + 1_u32;
        states.try_into().unwrap_or(usize::MAX)
    }

    fn color(&self, term: &Term) -> Option<usize> {
        self.network.colors.iter().position(|color| color.name.term == *term)
    }

    /// Looks up a colour and a state of its lever.
    fn state(&self, color: &Term, state: &Term) -> Result<(usize, usize), AtomError> {
        let index = self.color(color).ok_or_else(|| {
            AtomError(format!("an answer sets the lever of {}, a colour that no fork has", color.text()))
        })?;
        let found = self.network.colors[index].states.iter().position(|label| label.term == *state);
        found.map(|state| (index, state)).ok_or_else(|| {
            let (color, state) = (color.text(), state.text());
            AtomError(format!("an answer sets the lever of {color} to {state}, which is not one of its states"))
        })
    }

    /// Parses the initial lever states and the gate colours.
    fn setting(&self, atoms: &AnswerAtoms) -> Result<Setting, AtomError> {
        let mut levers = vec![None; self.network.colors.len()];
        for [color, state] in
            atoms.rows::<2>("initial", "initial(Color, State), the state of a lever when the trip begins")?
        {
            let (index, found) = self.state(&color, &state)?;
            if levers[index].replace(found).is_some_and(|other| other != found) {
                return Err(AtomError(format!("an answer gives the lever of {} two states", color.text())));
            }
        }
        let mut gates = vec![None; self.network.gates.len()];
        for [gate, color] in atoms.rows::<2>("gate_color", "gate_color(Gate, Color), the colour of a gate")? {
            let index = self.network.gates.iter().position(|name| name.term == gate).ok_or_else(|| {
                AtomError(format!("an answer colours the gate {}, which the network does not have", gate.text()))
            })?;
            let found = self.color(&color).ok_or_else(|| {
                AtomError(format!(
                    "an answer gives gate {} the colour {}, which no fork has",
                    gate.text(),
                    color.text()
                ))
            })?;
            if gates[index].replace(found).is_some_and(|other| other != found) {
                return Err(AtomError(format!("an answer gives gate {} two colours", gate.text())));
            }
        }
        Ok((levers, gates))
    }

    /// Parses `path/2` into the nodes in order of steps.
    fn path(&self, atoms: &AnswerAtoms) -> Result<Vec<NodeId>, AtomError> {
        let mut path = Vec::new();
        for [node, step] in atoms.rows::<2>("path", "path(Node, Step), where the trip is in each step")? {
            let number = step.number().ok_or_else(|| {
                AtomError(format!("path({}, {}): the step must be a number", node.text(), step.text()))
            })?;
            let id = self.ids.get(&node).ok_or_else(|| {
                AtomError(format!("the path has the node {}, which the network does not have", node.text()))
            })?;
            path.push((number, *id));
        }
        path.sort_unstable();
        let name = |index: usize| &self.network.nodes[path[index].1].name;
        for (index, (step, _)) in path.iter().enumerate() {
            let wanted = index as i32 + 1;
            if *step == wanted {
                continue;
            }
            let progress = match index {
                0 => String::new(),
                _ => format!(" after {} in step {}", name(index - 1), path[index - 1].0),
            };
            return Err(AtomError(format!(
                "the path is at {} in step {step}{progress}: it must be at one node in each step, from 1 on",
                name(index)
            )));
        }
        Ok(path.into_iter().map(|(_, id)| id).collect())
    }

    /// The lever states at each step, where the answer reports them; the first are the initial
    /// ones.
    fn reported_levers(
        &self,
        atoms: &AnswerAtoms,
        levers: &[Option<usize>],
        steps: usize,
    ) -> Result<Vec<Vec<Option<usize>>>, AtomError> {
        let mut reported = vec![vec![None; levers.len()]; steps];
        if let Some(first) = reported.first_mut() {
            first.copy_from_slice(levers);
        }
        // A custom encoding may use `pointing/3` for something else.
        let rows = atoms.rows::<3>("pointing", "pointing(Color, State, Step)").unwrap_or_default();
        for [color, state, step] in rows {
            let at =
                step.number().and_then(|step| usize::try_from(step).ok()).filter(|step| (1..=steps).contains(step));
            if let (Some(step), Ok((color, state))) = (at, self.state(&color, &state)) {
                reported[step - 1][color] = Some(state);
            }
        }
        Ok(reported)
    }

    /// Length of the trip up to the first repeated node and lever states.
    fn end_of_cycle(&self, nodes: &[NodeId], levers: &[Option<usize>], gates: &[Option<usize>]) -> Option<usize> {
        let mut levers: Vec<usize> = levers.iter().map(|state| state.unwrap_or(0)).collect();
        first_repeat(nodes.iter().map(|&node| {
            let before = (node, levers.clone());
            if let Kind::Gate { gate, .. } = self.network.nodes[node].kind
                && let Some(color) = gates[gate]
            {
                levers[color] = self.network.after_gate(gate, color, levers[color]);
            }
            before
        }))
    }

    /// Opens the levers and gates that the trip does not depend on. Fails if one that it depends on
    /// has no value.
    fn open_unseen(
        &self,
        nodes: &[NodeId],
        levers: &mut [Option<usize>],
        gates: &mut [Option<usize>],
    ) -> Result<(), AtomError> {
        let network = self.network;
        let (mut seen_levers, mut seen_gates) = (vec![false; levers.len()], vec![false; gates.len()]);
        for &node in &nodes[..nodes.len() - 1] {
            if let Some(color) = network.lever_used_at(node) {
                seen_levers[color] = true;
            }
            if let Kind::Gate { gate, .. } = network.nodes[node].kind {
                seen_gates[gate] = true;
            }
        }
        for (color, seen) in seen_levers.into_iter().enumerate() {
            if seen && levers[color].is_none() {
                let name = &network.colors[color].name;
                return Err(AtomError(format!("no initial({name},State), but the trip depends on that lever")));
            }
            levers[color] = levers[color].filter(|_| seen);
        }
        for (gate, seen) in seen_gates.into_iter().enumerate() {
            if seen && gates[gate].is_none() {
                let name = &network.gates[gate];
                return Err(AtomError(format!("no gate_color({name},Color), but the trip crosses that gate")));
            }
            gates[gate] = gates[gate].filter(|_| seen);
        }
        Ok(())
    }
}

/// Number of states up to and including the first repeated one.
fn first_repeat<S: Eq + std::hash::Hash>(states: impl Iterator<Item = S>) -> Option<usize> {
    let mut met = HashSet::new();
    let mut states = states.enumerate();
    states.find_map(|(index, state)| (!met.insert(state)).then_some(index + 1))
}
