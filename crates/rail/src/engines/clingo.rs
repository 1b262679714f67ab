//! The ASP engine: clingo finds the trips with an encoding.
//!
//! The encoding unrolls each trip up to a horizon, so the size of the ground program is
//! proportional to the horizon. The length of the longest trip is not known in advance, and its
//! upper bound (nodes × states of all levers) is far too large. The horizon therefore starts small
//! and doubles. An encoding must report a trip that reaches the horizon as a cycle. The engine then
//! checks if the trip visits a node twice with the same lever states. If it does not, the horizon
//! was too small. The horizon is thus less than twice the length of the longest trip.
//!
//! With the built-in rules, answers are projected to everything on which the trip depends: the
//! nodes, the levers of the forks that it visits, and the colours of the gates that it crosses.
//! Configurations that differ only elsewhere have the same trip and yield one answer.
//!
//! With custom rules, it is not known on what a trip depends, so each configuration yields an
//! answer of its own. The lever states on the trip are those that the encoding reports as
//! `pointing/3`, if it does.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

use asp::{AnswerAtoms, AtomError, Symbol, Term};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use certificate::Certificate;
use num_bigint::BigUint;
use puzzle::certifying::{self, CertificateRecorder};
use puzzle::closing::Proven;
use puzzle::job::{Job, Rules};
use puzzle::native;

use super::EngineStats;
use crate::network::{Kind, Network, NodeId};
use crate::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, Weight, configuration_text};

const FIRST_HORIZON: usize = 32;

/// Projects answers to the nodes, levers and gates on which the trip depends.
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

/// Shows the lever states that a custom encoding reports.
const SHOW_POINTING: &str = "#defined pointing/3.\n#show pointing/3.\n";

/// The input of a search with clingo.
pub struct TripQuery<'a> {
    pub network: &'a Network,
    /// The instance, without the encodings.
    pub program: &'a asp::Program,
    pub encodings: &'a [Document],
    pub settings: &'a asp::Settings,
    pub rules: &'a Rules,
    /// The gate rule of the built-in encoding. `None` for custom rules.
    pub gate_rule: Option<GateRule>,
    /// The outcomes to find, in addition to cycles. Empty for all outcomes.
    pub outcomes: &'a [Outcome],
    pub pattern: &'a Pattern,
    pub stop: &'a CancelToken,
    /// The job, if it may request a certificate.
    pub job: Option<&'a Job>,
}

/// A callback that receives each trip. It breaks to end the search.
pub type TripSink<'f> = &'f mut (dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure> + Send);

pub type Warnings = Vec<Diagnostic>;

/// Passes every distinct trip to `on_trip`. Returns the statistics, true if the search was
/// exhaustive, and clingo's warnings.
pub fn trips(question: &TripQuery<'_>, on_trip: TripSink<'_>) -> Result<(EngineStats, bool, Warnings), Failure> {
    let mut horizon = first_horizon(question);
    let mut known = FoundTrips::default();
    loop {
        match search_to_horizon(question, horizon, &mut known, on_trip)? {
            HorizonResult::Complete(stats, ended, warnings) => return Ok((*stats, ended, warnings)),
            HorizonResult::CutOff if question.stop.requested().is_some() => {
                return Ok((EngineStats { horizon, ..EngineStats::default() }, false, Vec::new()));
            }
            HorizonResult::CutOff => horizon *= 2,
        }
    }
}

fn first_horizon(question: &TripQuery<'_>) -> usize {
    let constant = question.settings.constants.iter().find(|(name, _)| name == "horizon");
    constant.and_then(|(_, value)| value.parse().ok()).filter(|&horizon| horizon > 0).unwrap_or(FIRST_HORIZON)
}

enum HorizonResult {
    Complete(Box<EngineStats>, bool, Warnings),
    /// The horizon cut off a trip.
    CutOff,
}

/// The lever states and gate colours of an answer.
type Setting = (Vec<Option<usize>>, Vec<Option<usize>>);

/// The trips that have been reported, at this horizon or a smaller one.
#[derive(Default)]
struct FoundTrips {
    trips: HashSet<(Vec<NodeId>, Setting)>,
    /// For custom rules, the nodes of the trip of each start and configuration.
    nodes: HashMap<(NodeId, Setting), Vec<NodeId>>,
}

/// The answers without an outcome.
#[derive(Default)]
struct UnfinishedTrips {
    configurations: HashSet<Setting>,
    /// A description of the trip of the first one, for the error message.
    first: String,
}

/// The result of parsing an answer.
enum ParsedAnswer {
    Trip(Trip),
    /// The horizon cut off the trip.
    CutOff,
    /// The answer has no outcome. The text describes its trip.
    Unfinished(Setting, String),
}

/// Returns the program and the settings for a horizon.
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

/// Compares the program of `certificate` with the programs for increasing horizons, until these are
/// at least as large. Returns `None` if one of them is the same program, otherwise the last
/// difference.
pub fn certificate_difference(question: &TripQuery<'_>, certificate: &Certificate) -> Result<Option<String>, Failure> {
    let mut horizon = first_horizon(question);
    loop {
        let (program, settings) = program_for_horizon(question, horizon);
        let (mut solver, ground) = certifying::ground(&program, &settings, question.stop)?;
        let has_horizon = solver.control().constant("horizon").is_ok_and(|value| value.is_some());
        let mut assumed_literals = Vec::new();
        for (symbol, _) in assumptions(&mut solver, question)? {
            assumed_literals.extend(solver.control().literal(symbol));
        }
        let mut ground = ground.lock();
        ground.assumed.extend(assumed_literals);
        let difference = certificate.difference(&ground, &certifying::projections(&ground));
        if difference.is_none() || !has_horizon || ground.rules.len() >= certificate.ground.rules.len() {
            return Ok(difference);
        }
        horizon *= 2;
    }
}

/// Searches for trips with one horizon.
fn search_to_horizon(
    question: &TripQuery<'_>,
    horizon: usize,
    known: &mut FoundTrips,
    on_trip: TripSink<'_>,
) -> Result<HorizonResult, Failure> {
    let network = question.network;
    let (program, settings) = program_for_horizon(question, horizon);
    let mut solver = asp::Solver::new(&settings, question.stop)?;
    let mut certifying =
        question.job.map(|job| CertificateRecorder::start(job, &mut solver, false)).transpose()?.flatten();
    if let Some(certifying) = &mut certifying {
        // Answers of the program and requested trips do not correspond one to one.
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

    let mut answers = AnswerHandler {
        question,
        reader,
        known,
        on_trip,
        stats: EngineStats { horizon, ..EngineStats::default() },
        unfinished: UnfinishedTrips::default(),
        early_result: None,
    };
    let solved = solver.solve(&assumptions, |model| {
        if let Some(certifying) = &mut certifying {
            certifying.record_answer(model, 0);
        }
        answers.handle(model)
    })?;
    let AnswerHandler { mut stats, unfinished, mut early_result, .. } = answers;
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

/// Handles the answers of a search with one horizon.
struct AnswerHandler<'q, 'a, 't> {
    question: &'q TripQuery<'a>,
    reader: Reader<'q>,
    known: &'q mut FoundTrips,
    on_trip: TripSink<'t>,
    stats: EngineStats,
    unfinished: UnfinishedTrips,
    /// The reason why the search ended early.
    early_result: Option<Result<HorizonResult, Failure>>,
}

impl AnswerHandler<'_, '_, '_> {
    /// Reads an answer and reports its trip unless it is known.
    fn handle(&mut self, model: &mut asp::Model<'_>) -> ControlFlow<()> {
        let read = model.shown(asp::Order::AsFound).map_err(|error| AtomError(error.text)).and_then(|atoms| {
            let atoms: Vec<Symbol> = atoms.collect();
            self.reader.trip(&AnswerAtoms::new(atoms.into_iter()))
        });
        match read {
            Ok(ParsedAnswer::Trip(trip)) => self.handle_trip(&trip),
            Ok(ParsedAnswer::CutOff) => self.end(Ok(HorizonResult::CutOff)),
            Ok(ParsedAnswer::Unfinished(setting, progress)) => {
                if self.unfinished.configurations.is_empty() {
                    self.unfinished.first = progress;
                }
                self.unfinished.configurations.insert(setting);
                ControlFlow::Continue(())
            }
            Err(AtomError(text)) => self.end(Err(encoding_error(self.question.encodings, text))),
        }
    }

    fn end(&mut self, result: Result<HorizonResult, Failure>) -> ControlFlow<()> {
        self.early_result = Some(result);
        ControlFlow::Break(())
    }

    fn handle_trip(&mut self, trip: &Trip) -> ControlFlow<()> {
        let network = self.question.network;
        let is_custom = self.question.gate_rule.is_none();
        self.stats.trips += 1;
        self.stats.longest = self.stats.longest.max(trip.nodes.len());
        let Some(trip) = self.question.pattern.narrow(trip) else { return ControlFlow::Continue(()) };
        let setting = (trip.levers.clone(), trip.gates.clone());
        if is_custom {
            let before = self.known.nodes.entry((trip.nodes[0], setting.clone())).or_insert_with(|| trip.nodes.clone());
            if *before != trip.nodes && !extends_cycle(before, &trip) {
                let configuration = configuration_text(network, &trip.levers, &trip.gates);
                let text = format!("configuration {configuration} has two trips; expected one");
                return self.end(Err(encoding_error(self.question.encodings, text)));
            }
        }
        if !self.known.trips.insert((trip.nodes.clone(), setting)) {
            return ControlFlow::Continue(());
        }
        let leaf = LazyTrip {
            outcome: trip.outcome,
            steps: trip.nodes.len(),
            gates: trip.gates_crossed(),
            weight: if is_custom { Weight::Small(1) } else { Weight::Large(trip.configurations(network)) },
            build: &|| trip.clone(),
        };
        (self.on_trip)(&leaf).unwrap_or_else(|failure| self.end(Err(failure)))
    }
}

/// Returns true if `trip` is a cycle that begins with the nodes `before`, which a smaller horizon
/// had cut off.
fn extends_cycle(before: &[NodeId], trip: &Trip) -> bool {
    trip.outcome == Outcome::Cycle && trip.nodes.starts_with(before)
}

impl UnfinishedTrips {
    /// Creates the error "3 of 72 configurations have no trip by the rules of mine.lp: …".
    fn failure(&self, question: &TripQuery<'_>) -> Failure {
        let all = question.pattern.configurations(question.network);
        Diagnostic::error(
            Code::NoSolution,
            missing_trips_message(&self.configurations.len().into(), &all, question.rules),
        )
        .help(self.first.clone())
        .into()
    }
}

/// Returns the error message for an encoding by which some configurations have no trip.
pub fn missing_trips_message(number: &BigUint, all: &BigUint, rules: &Rules) -> String {
    let have = if *number == 1_u32.into() { "has" } else { "have" };
    format!("{number} of {all} configurations {have} no trip {}: does it still derive game/2?", rules.attribution())
}

/// Returns a constraint that allows only the given outcomes, or an empty text if `outcomes` is
/// empty.
pub fn constraint(outcomes: &[Outcome]) -> String {
    if outcomes.is_empty() {
        return String::new();
    }
    let others: Vec<String> = outcomes.iter().map(|outcome| format!("not game({},_)", outcome.name())).collect();
    format!(":- {}.\n", others.join(", "))
}

/// Returns the assumptions under which answers match the pattern.
fn assumptions(solver: &mut asp::Solver, question: &TripQuery<'_>) -> Result<Vec<(Symbol, bool)>, Failure> {
    let network = question.network;
    let mut requirements = BTreeSet::new();
    for (color, state) in question.pattern.levers.iter().enumerate() {
        let color = &network.colors[color];
        requirements.extend(state.map(|state| ("initial", &color.name.term, &color.states[state].term)));
    }
    for (gate, color) in question.pattern.gates.iter().enumerate() {
        requirements
            .extend(color.map(|color| ("gate_color", &network.gates[gate].term, &network.colors[color].name.term)));
    }
    if requirements.is_empty() {
        return Ok(Vec::new());
    }
    let atoms = solver.control().known_atoms()?;
    let is_required = |symbol: &Symbol| {
        let Some((name, 2)) = asp::signature_of(*symbol) else { return false };
        let arguments: Vec<Term> = symbol.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
        requirements
            .iter()
            .any(|&(predicate, first, second)| predicate == name && [&arguments[0], &arguments[1]] == [first, second])
    };
    Ok(atoms.into_iter().map(|(symbol, _)| symbol).filter(is_required).map(|symbol| (symbol, true)).collect())
}

fn encoding_error(encodings: &[Document], text: String) -> Failure {
    native::wrong_answer(encodings, &text)
        .help("an encoding of this puzzle shows initial(Color, State), gate_color(Gate, Color), path(Node, Step) and game(Outcome, Steps)")
        .into()
}

/// A parser for the atoms of answers.
struct Reader<'a> {
    network: &'a Network,
    ids: HashMap<&'a Term, NodeId>,
    gate_rule: Option<GateRule>,
    /// The length at which the encoding cuts off trips, if it has a horizon.
    horizon: Option<usize>,
}

impl Reader<'_> {
    fn trip(&self, atoms: &AnswerAtoms) -> Result<ParsedAnswer, AtomError> {
        let (mut levers, mut gates) = self.setting(atoms)?;
        let configuration = configuration_text(self.network, &levers, &gates);
        let with_configuration = |AtomError(text)| AtomError(format!("configuration {configuration}: {text}"));
        let mut nodes = self.path(atoms).map_err(with_configuration)?;
        let games = atoms.rows::<2>("game", "game(Outcome, Steps), how the trip ends").map_err(with_configuration)?;
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
            return Err(with_configuration(AtomError(format!(
                "an answer has {} atoms game/2; expected one",
                games.len()
            ))));
        };
        let outcome = Outcome::from_name(&outcome.text()).ok_or_else(|| {
            with_configuration(AtomError(format!("the outcome {}; expected win, loss, cycle or stuck", outcome.text())))
        })?;
        if nodes.is_empty() {
            let text = "an answer has no atom path/2; expected path(Node, Step). Is a `#show path/2.` missing?";
            return Err(with_configuration(AtomError(text.to_owned())));
        }
        if steps.number() != i32::try_from(nodes.len()).ok() {
            return Err(with_configuration(AtomError(format!(
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
                // The states of custom rules are not known, so beyond the safe bound a reported
                // cycle is accepted.
                None if is_at_horizon && (reported.is_none() || nodes.len() < self.safe_bound()) => {
                    return Ok(ParsedAnswer::CutOff);
                }
                None if reported.is_some() => {}
                None => {
                    let text = "it is reported as a cycle, but visits no node twice with the same lever states";
                    return Err(with_configuration(AtomError(text.to_owned())));
                }
            }
        }
        let rules = self.gate_rule.unwrap_or(GateRule::DynamicGate);
        if self.gate_rule.is_some() {
            self.open_unused(&nodes, &mut levers, &mut gates).map_err(with_configuration)?;
        }
        let reported = reported.map(|reported| reported[..nodes.len()].to_vec());
        Ok(ParsedAnswer::Trip(Trip { nodes, outcome, levers, gates, rules, reported_levers: reported }))
    }

    /// Returns a length at which every trip has visited a node twice with the same lever states.
    fn safe_bound(&self) -> usize {
        let states = self.network.lever_states() * self.network.nodes.len() + 1_u32;
        states.try_into().unwrap_or(usize::MAX)
    }

    fn color(&self, term: &Term) -> Option<usize> {
        self.network.colors.iter().position(|color| color.name.term == *term)
    }

    /// Returns the indices of a colour and of a state of its lever.
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
            let expected_step = index as i32 + 1;
            if *step == expected_step {
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

    /// Returns the lever states at each step, as far as the answer reports them. Those at the first
    /// step are the initial ones.
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

    /// Returns the length of the trip up to the first node that is visited a second time with the
    /// same lever states.
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

    /// Sets the levers and gates on which the trip does not depend to `None`. Fails if one on which
    /// it depends has no value.
    fn open_unused(
        &self,
        nodes: &[NodeId],
        levers: &mut [Option<usize>],
        gates: &mut [Option<usize>],
    ) -> Result<(), AtomError> {
        let network = self.network;
        let (mut used_levers, mut used_gates) = (vec![false; levers.len()], vec![false; gates.len()]);
        for &node in &nodes[..nodes.len() - 1] {
            if let Some(color) = network.lever_used_at(node) {
                used_levers[color] = true;
            }
            if let Kind::Gate { gate, .. } = network.nodes[node].kind {
                used_gates[gate] = true;
            }
        }
        for (color, is_used) in used_levers.into_iter().enumerate() {
            if is_used && levers[color].is_none() {
                let name = &network.colors[color].name;
                return Err(AtomError(format!("no initial({name},State), but the trip depends on that lever")));
            }
            levers[color] = levers[color].filter(|_| is_used);
        }
        for (gate, is_used) in used_gates.into_iter().enumerate() {
            if is_used && gates[gate].is_none() {
                let name = &network.gates[gate];
                return Err(AtomError(format!("no gate_color({name},Color), but the trip crosses that gate")));
            }
            gates[gate] = gates[gate].filter(|_| is_used);
        }
        Ok(())
    }
}

/// Returns the number of states up to and including the first one that repeats.
fn first_repeat<S: Eq + std::hash::Hash>(states: impl Iterator<Item = S>) -> Option<usize> {
    let mut visited = HashSet::new();
    let mut states = states.enumerate();
    states.find_map(|(index, state)| (!visited.insert(state)).then_some(index + 1))
}
