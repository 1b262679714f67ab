//! The ASP engine: clingo finds the trips by an encoding.
//!
//! The encoding draws each trip up to a horizon, so the ground program is as long as the horizon. How long the longest
//! trip is, nobody knows beforehand; the safe bound (nodes × states of all levers) is far beyond it. So the horizon
//! begins small and doubles: a trip that reaches it is, by the encoding's contract, a cycle, and its steps show whether it
//! has met the same node with the same levers twice. As long as some trip has not, the horizon was too near.
//! The ground program thus stays within twice the longest real trip.
//!
//! By the rules that ship, answers are projected to what the trolley sees: the nodes, the levers that a fork on the way asks,
//! the colours of the gates it crosses. Configurations that differ elsewhere have the same trip and come out as one.
//!
//! By rules of one's own nobody knows what a trip depends on, so that each configuration comes out by itself. Where levers
//! point on the way is what the encoding says of it (`pointing/3`), if it says anything.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::PoisonError;

use num_bigint::BigUint;

use super::Effort;
use crate::asp::{self, AnswerAtoms, AtomError, Symbol, Term};
use crate::certificate::Certificate;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::job::{Job, Rules};
use crate::puzzle::certifying::{self, Certifying};
use crate::puzzle::closing::Proof;
use crate::puzzle::native;
use crate::puzzle::rail::network::{Kind, Network, NodeId};
use crate::puzzle::rail::trips::{GateRule, Leaf, Outcome, Pattern, Trip, Weight, configuration_text};
use crate::stop::Stop;

/// The first horizon.
const NEAR: usize = 32;

/// What the trolley sees, for projection.
const SEEN: &str = "\
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

/// Where the levers point on the way, by somebody's own rules.
const TOLD: &str = "#defined pointing/3.\n#show pointing/3.\n";

/// What to look for.
pub struct Question<'a> {
    pub network: &'a Network,
    /// The instance alone; the encodings are added here.
    pub program: &'a asp::Program,
    pub encodings: &'a [Document],
    pub settings: &'a asp::Settings,
    pub rules: &'a Rules,
    /// What the rules that ship say of gates; `None` where the rules are somebody's own.
    pub gates: Option<GateRule>,
    /// Trips that end so are found, and cycles; all if empty.
    pub outcomes: &'a [Outcome],
    pub pattern: &'a Pattern,
    pub stop: &'a Stop,
    /// Who may ask for a certificate of all trips.
    pub job: Option<&'a Job>,
}

/// Takes a trip and says whether to go on.
pub type Found<'f> = &'f mut (dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure> + Send);

/// What there is to say besides, for a person.
pub type Said = Vec<Diagnostic>;

/// Hands out every distinct trip; returns the work and whether the search came to its end.
pub fn trips(question: &Question<'_>, found: Found<'_>) -> Result<(Effort, bool, Said), Failure> {
    let mut horizon = first_horizon(question);
    let mut known = Known::default();
    loop {
        match up_to(question, horizon, &mut known, found)? {
            Reached::All(work, ended, said) => return Ok((*work, ended, said)),
            Reached::TooNear if question.stop.requested().is_some() => {
                return Ok((Effort { horizon, ..Effort::default() }, false, Vec::new()));
            }
            Reached::TooNear => horizon *= 2,
        }
    }
}

fn first_horizon(question: &Question<'_>) -> usize {
    let given = question.settings.constants.iter().find(|(name, _)| name == "horizon");
    given.and_then(|(_, value)| value.parse().ok()).filter(|&horizon| horizon > 0).unwrap_or(NEAR)
}

enum Reached {
    All(Box<Effort>, bool, Said),
    /// A trip was cut off.
    TooNear,
}

/// The levers and gates of an answer.
type Setting = (Vec<Option<usize>>, Vec<Option<usize>>);

/// Trips that a nearer run has handed out, or this one.
#[derive(Default)]
struct Known {
    trips: HashSet<(Vec<NodeId>, Setting)>,
    /// By rules of one's own: the nodes of each configuration, from each start.
    nodes: HashMap<(NodeId, Setting), Vec<NodeId>>,
}

/// Answers that tell no trip to an end.
#[derive(Default)]
struct Endless {
    configurations: HashSet<Setting>,
    /// How far the first of them got, in words.
    first: String,
}

/// An answer, as far as it could be read.
enum Read {
    Trip(Trip),
    /// Cut off at the horizon.
    CutOff,
    /// No end; how far it got.
    Endless(Setting, String),
}

/// The program of one run, and its settings.
fn within(question: &Question<'_>, horizon: usize) -> (asp::Program, asp::Settings) {
    let mut settings = question.settings.clone();
    settings.constants.retain(|(name, _)| name != "horizon");
    settings.constants.push(("horizon".to_owned(), horizon.to_string()));
    settings.models = Some(0);
    let mut program = question.program.clone();
    program.encoding = question.encodings.to_vec();
    if question.gates.is_none() {
        program.additions.push(Document::in_memory("<pointing>", TOLD));
    } else {
        settings.options.push("--project=project".to_owned());
        // A trip that is cut off says that it is a cycle, and must be heard whatever is looked for.
        let mut outcomes = question.outcomes.to_vec();
        if !outcomes.is_empty() && !outcomes.contains(&Outcome::Cycle) {
            outcomes.push(Outcome::Cycle);
        }
        program.additions.push(Document::in_memory("<projection>", SEEN.to_owned() + &constraint(&outcomes)));
    }
    (program, settings)
}

/// The first difference between the program of a certificate and that of some run; `None` if they are the same. A run that is
/// larger than the certificate is too long for it.
pub fn certificate_difference(question: &Question<'_>, certificate: &Certificate) -> Result<Option<String>, Failure> {
    let mut horizon = first_horizon(question);
    loop {
        let (program, settings) = within(question, horizon);
        let (mut solver, ground) = certifying::grounded(&program, &settings, question.stop)?;
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

/// One run.
fn up_to(question: &Question<'_>, horizon: usize, known: &mut Known, found: Found<'_>) -> Result<Reached, Failure> {
    let network = question.network;
    let is_own = question.gates.is_none();
    let (program, settings) = within(question, horizon);
    let mut solver = asp::Solver::new(&settings, question.stop)?;
    let mut certifying = question.job.map(|job| Certifying::of(job, &mut solver, false)).transpose()?.flatten();
    if let Some(certifying) = &mut certifying {
        // The answers of the program are not only the trips that are looked for.
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
        gates: question.gates,
        horizon: has_horizon.then_some(horizon),
    };

    let mut work = Effort { horizon, ..Effort::default() };
    let mut endless = Endless::default();
    let mut trouble: Option<Result<Reached, Failure>> = None;
    let solved = solver.solve(&assumptions, |model| {
        if let Some(certifying) = &mut certifying {
            certifying.note(model, 0);
        }
        let read = model.shown(asp::Order::AsFound).map_err(|error| AtomError(error.text)).and_then(|atoms| {
            let atoms: Vec<Symbol> = atoms.collect();
            reader.trip(&AnswerAtoms::new(atoms.into_iter()))
        });
        let trip = match read {
            Ok(Read::Trip(trip)) => trip,
            Ok(Read::CutOff) => {
                trouble = Some(Ok(Reached::TooNear));
                return ControlFlow::Break(());
            }
            Ok(Read::Endless(setting, how_far)) => {
                if endless.configurations.is_empty() {
                    endless.first = how_far;
                }
                endless.configurations.insert(setting);
                return ControlFlow::Continue(());
            }
            Err(AtomError(text)) => {
                trouble = Some(Err(of_encoding(question.encodings, text)));
                return ControlFlow::Break(());
            }
        };
        work.trips += 1;
        work.longest = work.longest.max(trip.nodes.len());
        let Some(trip) = question.pattern.narrow(&trip) else { return ControlFlow::Continue(()) };
        let setting = (trip.levers.clone(), trip.gates.clone());
        if is_own {
            let before = known.nodes.entry((trip.nodes[0], setting.clone())).or_insert_with(|| trip.nodes.clone());
            if *before != trip.nodes && !is_longer(before, &trip) {
                let configuration = configuration_text(network, &trip.levers, &trip.gates);
                let text = format!("configuration {configuration} has two trips; an encoding of this puzzle gives one");
                trouble = Some(Err(of_encoding(question.encodings, text)));
                return ControlFlow::Break(());
            }
        }
        if !known.trips.insert((trip.nodes.clone(), setting)) {
            return ControlFlow::Continue(());
        }
        let leaf = Leaf {
            outcome: trip.outcome,
            steps: trip.nodes.len(),
            gates: trip.crossed(),
            weight: if is_own { Weight::Small(1) } else { Weight::Large(trip.configurations(network)) },
            trip: &|| trip.clone(),
        };
        found(&leaf).unwrap_or_else(|failure| {
            trouble = Some(Err(failure));
            ControlFlow::Break(())
        })
    })?;
    if trouble.is_none() && !endless.configurations.is_empty() {
        trouble = Some(Err(endless.failure(question)));
    }
    let said: Said = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    match trouble {
        // What clingo said may be the reason, such as a predicate that nothing defines.
        Some(Err(Failure(mut diagnostics))) => {
            diagnostics.splice(0..0, said);
            return Err(Failure(diagnostics));
        }
        Some(reached) => return reached,
        None => {}
    }
    work.clingo = solver.statistics();
    let is_whole = solved.result.exhausted;
    let proof = match is_whole {
        true if solved.result.satisfiable => Proof::AllAnswers,
        true => Proof::NoAnswer,
        false => Proof::Nothing,
    };
    work.certificate = certifying.map(|certifying| certifying.certified(proof)).transpose()?.flatten();
    Ok(Reached::All(Box::new(work), is_whole, said))
}

/// A cycle that was cut at a horizon, and the same one drawn further.
fn is_longer(before: &[NodeId], trip: &Trip) -> bool {
    trip.outcome == Outcome::Cycle && trip.nodes.starts_with(before)
}

impl Endless {
    /// "3 of 72 configurations have no trip by the rules of mine.lp: does it still derive game/2?"
    fn failure(&self, question: &Question<'_>) -> Failure {
        let all = question.pattern.configurations(question.network);
        Diagnostic::error(no_trip(&self.configurations.len().into(), &all, question.rules))
            .help(self.first.clone())
            .into()
    }
}

/// That an encoding leaves configurations without a trip, and what that may come from.
pub fn no_trip(number: &BigUint, all: &BigUint, rules: &Rules) -> String {
    let have = if *number == 1_u32.into() { "has" } else { "have" };
    format!("{number} of {all} configurations {have} no trip {}: does it still derive game/2?", rules.by())
}

/// Keeps the trips that end in one of the outcomes.
pub fn constraint(outcomes: &[Outcome]) -> String {
    if outcomes.is_empty() {
        return String::new();
    }
    let others: Vec<String> = outcomes.iter().map(|outcome| format!("not game({},_)", outcome.name())).collect();
    format!(":- {}.\n", others.join(", "))
}

/// The atoms that fix what the pattern fixes.
fn assumptions(solver: &mut asp::Solver, question: &Question<'_>) -> Result<Vec<(Symbol, bool)>, Failure> {
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

fn of_encoding(encodings: &[Document], text: String) -> Failure {
    native::wrong_answer(encodings, &text)
        .help("an encoding of this puzzle shows initial(Color, State), gate_color(Gate, Color), path(Node, Step) and game(Outcome, Steps)")
        .into()
}

/// Reads the atoms of answers.
struct Reader<'a> {
    network: &'a Network,
    ids: HashMap<&'a Term, NodeId>,
    gates: Option<GateRule>,
    /// The encoding cuts trips off there.
    horizon: Option<usize>,
}

impl Reader<'_> {
    fn trip(&self, atoms: &AnswerAtoms) -> Result<Read, AtomError> {
        let (mut levers, mut gates) = self.setting(atoms)?;
        let configuration = configuration_text(self.network, &levers, &gates);
        let of = |AtomError(text)| AtomError(format!("configuration {configuration}: {text}"));
        let mut nodes = self.path(atoms).map_err(of)?;
        let games = atoms.rows::<2>("game", "game(Outcome, Steps), how the trip ends").map_err(of)?;
        let [[outcome, steps]] = &games[..] else {
            if games.is_empty() {
                let how_far = match nodes.last() {
                    Some(&last) => {
                        let (name, steps) = (&self.network.nodes[last].name, nodes.len());
                        format!("{configuration}, for one, gets to {name} in step {steps}, and no further")
                    }
                    None => format!("{configuration}, for one, has no path at all"),
                };
                return Ok(Read::Endless((levers, gates), how_far));
            }
            return Err(of(AtomError(format!("an answer has {} atoms game/2; expected one", games.len()))));
        };
        let outcome = Outcome::named(&outcome.text()).ok_or_else(|| {
            of(AtomError(format!("the outcome {}; expected win, loss, cycle or stuck", outcome.text())))
        })?;
        if nodes.is_empty() {
            let text = "an answer has no atom path/2; wanted: path(Node, Step). Is a `#show path/2.` missing?";
            return Err(of(AtomError(text.to_owned())));
        }
        if steps.number() != i32::try_from(nodes.len()).ok() {
            return Err(of(AtomError(format!(
                "the trip ends in step {}, but its path has {} steps",
                steps.text(),
                nodes.len()
            ))));
        }
        let told = match self.gates {
            Some(_) => None,
            None => Some(self.told(atoms, &levers, nodes.len())?),
        };
        if outcome == Outcome::Cycle {
            let is_at_horizon = self.horizon.is_some_and(|horizon| nodes.len() >= horizon);
            let end = match &told {
                None => self.end_of_cycle(&nodes, &levers, &gates),
                Some(told) => repeated(nodes.iter().copied().zip(told)),
            };
            match end {
                Some(steps) => nodes.truncate(steps),
                // Nobody knows the state of somebody else's rules: beyond the safe bound they are believed.
                None if is_at_horizon && (told.is_none() || nodes.len() < self.safe_bound()) => {
                    return Ok(Read::CutOff);
                }
                None if told.is_some() => {}
                None => {
                    let text = "it is said to be a cycle, but meets no node with the same levers twice";
                    return Err(of(AtomError(text.to_owned())));
                }
            }
        }
        let rules = self.gates.unwrap_or(GateRule::DynamicGate);
        if self.gates.is_some() {
            self.keep_seen(&nodes, &mut levers, &mut gates).map_err(of)?;
        }
        let told = told.map(|told| told[..nodes.len()].to_vec());
        Ok(Read::Trip(Trip { nodes, outcome, levers, gates, rules, told }))
    }

    /// Steps after which every trip of a deterministic state of node and levers has come round.
    fn safe_bound(&self) -> usize {
        let states = self.network.lever_states() * self.network.nodes.len() + 1_u32;
        states.try_into().unwrap_or(usize::MAX)
    }

    fn color(&self, term: &Term) -> Option<usize> {
        self.network.colors.iter().position(|color| color.name.term == *term)
    }

    /// The state of a lever.
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

    /// The levers and the gates.
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

    /// The nodes of `path/2` in the order of their steps.
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
            let how_far = match index {
                0 => String::new(),
                _ => format!(" after {} in step {}", name(index - 1), path[index - 1].0),
            };
            return Err(AtomError(format!(
                "the path is at {} in step {step}{how_far}: it must be at one node in each step, from 1 on",
                name(index)
            )));
        }
        Ok(path.into_iter().map(|(_, id)| id).collect())
    }

    /// Where the levers point in each step, as far as the answer tells; in the first they are as they were set.
    fn told(
        &self,
        atoms: &AnswerAtoms,
        levers: &[Option<usize>],
        steps: usize,
    ) -> Result<Vec<Vec<Option<usize>>>, AtomError> {
        let mut told = vec![vec![None; levers.len()]; steps];
        if let Some(first) = told.first_mut() {
            first.copy_from_slice(levers);
        }
        // An encoding may use the name for something else.
        let rows = atoms.rows::<3>("pointing", "pointing(Color, State, Step)").unwrap_or_default();
        for [color, state, step] in rows {
            let at =
                step.number().and_then(|step| usize::try_from(step).ok()).filter(|step| (1..=steps).contains(step));
            if let (Some(step), Ok((color, state))) = (at, self.state(&color, &state)) {
                told[step - 1][color] = Some(state);
            }
        }
        Ok(told)
    }

    /// How many steps a trip has when it first meets a node with the same levers again.
    fn end_of_cycle(&self, nodes: &[NodeId], levers: &[Option<usize>], gates: &[Option<usize>]) -> Option<usize> {
        let mut levers: Vec<usize> = levers.iter().map(|state| state.unwrap_or(0)).collect();
        repeated(nodes.iter().map(|&node| {
            let before = (node, levers.clone());
            if let Kind::Gate { gate, .. } = self.network.nodes[node].kind
                && let Some(color) = gates[gate]
            {
                levers[color] = self.network.after_gate(gate, color, levers[color]);
            }
            before
        }))
    }

    /// Opens the levers and gates that the trip does not see; those that it sees must have a value.
    fn keep_seen(
        &self,
        nodes: &[NodeId],
        levers: &mut [Option<usize>],
        gates: &mut [Option<usize>],
    ) -> Result<(), AtomError> {
        let network = self.network;
        let (mut seen_levers, mut seen_gates) = (vec![false; levers.len()], vec![false; gates.len()]);
        for &node in &nodes[..nodes.len() - 1] {
            if let Some(color) = network.asks(node) {
                seen_levers[color] = true;
            }
            if let Kind::Gate { gate, .. } = network.nodes[node].kind {
                seen_gates[gate] = true;
            }
        }
        for (color, seen) in seen_levers.into_iter().enumerate() {
            if seen && levers[color].is_none() {
                let name = &network.colors[color].name;
                return Err(AtomError(format!("no initial({name},State), but the trip asks for that lever")));
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

/// The number of states up to the first that comes again, and with it.
fn repeated<S: Eq + std::hash::Hash>(states: impl Iterator<Item = S>) -> Option<usize> {
    let mut met = HashSet::new();
    let mut states = states.enumerate();
    states.find_map(|(index, state)| (!met.insert(state)).then_some(index + 1))
}
