//! The ASP engine: clingo finds the trips by an encoding.
//!
//! The encoding draws each trip up to a horizon, so the ground program is as long as the horizon. How long the longest
//! trip is, nobody knows beforehand; the safe bound (nodes × states of all levers) is far beyond it. So the horizon
//! begins small and doubles: a trip that reaches it is, by the encoding's contract, a cycle, and replaying it shows
//! whether it has met the same node with the same levers twice. As long as some trip has not, the horizon was too near.
//! The ground program thus stays within twice the longest real trip.
//!
//! Answers are projected to what the trolley sees: the nodes, the levers that a fork on the way asks, the colours of the
//! gates it crosses. Configurations that differ elsewhere have the same trip and come out as one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

use crate::asp::{self, AnswerAtoms, AtomError, Symbol, Term};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::puzzle::native;
use crate::puzzle::rail::network::{Kind, Network, NodeId};
use crate::puzzle::rail::trips::{Leaf, Outcome, Pattern, Rules, Trip, Weight};
use crate::stop::Stop;

/// The first horizon.
const NEAR: usize = 32;

/// What the trolley sees, for projection.
const SEEN: &str = "\
#defined path/2. #defined initial/2. #defined gate_color/2. #defined gate/2. #defined final_node/1.
asp_solve_end(N) :- target(N).
asp_solve_end(N) :- final_node(N).
asp_solve_lever(C,L) :- initial(C,L), path(N,_), color(N,C), rel(N,_,X), rel(N,_,Y), X != Y, not asp_solve_end(N).
asp_solve_gate(G,C) :- gate_color(G,C), path(N,_), gate(G,N), rel(N,_,_), not asp_solve_end(N).
#project path/2.
#project asp_solve_lever/2.
#project asp_solve_gate/2.
";

/// What clingo has done.
#[derive(Debug, Clone, Default)]
pub struct Work {
    pub horizon: usize,
    pub trips: u64,
    pub longest: usize,
    pub clingo: serde_json::Value,
}

/// What to look for.
pub struct Search<'a> {
    pub network: &'a Network,
    /// The instance alone; the encodings are added here.
    pub program: &'a asp::Program,
    pub encodings: &'a [Document],
    pub settings: &'a asp::Settings,
    /// Trips that end so are found, and cycles; all if empty.
    pub outcomes: &'a [Outcome],
    pub pattern: &'a Pattern,
    pub stop: &'a Stop,
}

/// Takes a trip and says whether to go on.
pub type Found<'f> = &'f mut (dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure> + Send);

/// The messages of the last run, for the caller to show.
pub type Said = Vec<asp::Message>;

/// Hands out every distinct trip; returns the work and whether the search came to its end.
pub fn trips(search: &Search<'_>, found: Found<'_>) -> Result<(Work, bool, Said), Failure> {
    let given =
        search.settings.constants.iter().find(|(name, _)| name == "horizon").and_then(|(_, value)| value.parse().ok());
    let mut horizon = given.filter(|&horizon| horizon > 0).unwrap_or(NEAR);
    let mut known = HashSet::new();
    loop {
        match up_to(search, horizon, &mut known, found)? {
            Reached::All(work, ended, said) => return Ok((work, ended, said)),
            Reached::TooNear if search.stop.requested().is_some() => {
                return Ok((Work { horizon, ..Work::default() }, false, Vec::new()));
            }
            Reached::TooNear => horizon *= 2,
        }
    }
}

enum Reached {
    All(Work, bool, Said),
    /// A trip was cut off.
    TooNear,
}

type Key = (Vec<NodeId>, Vec<Option<usize>>, Vec<Option<usize>>);

/// One run. Trips that an earlier, nearer run has handed out (`known`) are not handed out again.
fn up_to(search: &Search<'_>, horizon: usize, known: &mut HashSet<Key>, found: Found<'_>) -> Result<Reached, Failure> {
    let mut settings = search.settings.clone();
    settings.constants.retain(|(name, _)| name != "horizon");
    settings.constants.push(("horizon".to_owned(), horizon.to_string()));
    settings.models = Some(0);
    settings.options.push("--project=project".to_owned());
    let mut program = search.program.clone();
    program.encoding = search.encodings.to_vec();
    // A trip that is cut off says that it is a cycle, and must be heard whatever is looked for.
    let mut outcomes = search.outcomes.to_vec();
    if !outcomes.is_empty() && !outcomes.contains(&Outcome::Cycle) {
        outcomes.push(Outcome::Cycle);
    }
    program.additions.push(Document::in_memory("<projection>", SEEN.to_owned() + &constraint(&outcomes)));

    let mut solver = asp::Solver::with_program(&program, &settings, search.stop)?;
    let has_horizon = solver.control().constant("horizon").is_ok_and(|value| value.is_some());
    let assumptions = assumptions(&mut solver, search)?;
    let ids: HashMap<&Term, NodeId> =
        search.network.nodes.iter().enumerate().map(|(id, node)| (&node.name.term, id)).collect();

    let mut work = Work { horizon, ..Work::default() };
    let mut trouble: Option<Result<Reached, Failure>> = None;
    let solved = solver.solve(&assumptions, |model| {
        let read = model.shown(asp::Order::AsFound).map_err(|error| AtomError(error.text)).and_then(|atoms| {
            let atoms: Vec<Symbol> = atoms.collect();
            read_trip(search.network, &ids, &AnswerAtoms::new(atoms.into_iter()))
        });
        let trip = match read {
            Ok(Some(trip)) => trip,
            Ok(None) if has_horizon => {
                trouble = Some(Ok(Reached::TooNear));
                return ControlFlow::Break(());
            }
            Ok(None) => {
                trouble = Some(Err(of_encoding(
                    search.encodings,
                    "an answer says that its trip is a cycle, but the trip meets no node with the same levers twice"
                        .to_owned(),
                )));
                return ControlFlow::Break(());
            }
            Err(AtomError(text)) => {
                trouble = Some(Err(of_encoding(search.encodings, text)));
                return ControlFlow::Break(());
            }
        };
        work.trips += 1;
        work.longest = work.longest.max(trip.nodes.len());
        let Some(trip) = search.pattern.narrow(&trip) else { return ControlFlow::Continue(()) };
        if !known.insert((trip.nodes.clone(), trip.levers.clone(), trip.gates.clone())) {
            return ControlFlow::Continue(());
        }
        let ended = Leaf {
            outcome: trip.outcome,
            steps: trip.nodes.len(),
            gates: trip.crossed(),
            weight: Weight::Large(trip.configurations(search.network)),
            trip: &|| trip.clone(),
        };
        found(&ended).unwrap_or_else(|failure| {
            trouble = Some(Err(failure));
            ControlFlow::Break(())
        })
    })?;
    match trouble {
        // What clingo said may be the reason, such as a predicate that nothing defines.
        Some(Err(Failure(mut diagnostics))) => {
            let said = solver.messages().iter().map(|message| message.diagnostic.clone());
            diagnostics.splice(0..0, said);
            return Err(Failure(diagnostics));
        }
        Some(reached) => return reached,
        None => {}
    }
    work.clingo = solver.statistics();
    Ok(Reached::All(work, solved.result.exhausted && !solved.result.interrupted, solver.messages().to_vec()))
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
fn assumptions(solver: &mut asp::Solver, search: &Search<'_>) -> Result<Vec<(Symbol, bool)>, Failure> {
    let network = search.network;
    let mut wanted = BTreeSet::new();
    for (color, state) in search.pattern.levers.iter().enumerate() {
        let color = &network.colors[color];
        wanted.extend(state.map(|state| ("initial", &color.name.term, &color.states[state].term)));
    }
    for (gate, color) in search.pattern.gates.iter().enumerate() {
        wanted.extend(color.map(|color| ("gate_color", &network.gates[gate].term, &network.colors[color].name.term)));
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let atoms = solver.control().known_atoms().map_err(|error| Diagnostic::error(error.text))?;
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

/// The trip of an answer; `None` if it was cut off at the horizon.
fn read_trip(network: &Network, ids: &HashMap<&Term, NodeId>, atoms: &AnswerAtoms) -> Result<Option<Trip>, AtomError> {
    let games = atoms.some_rows::<2>("game", "game(Outcome, Steps), how the trip ends")?;
    let [[outcome, steps]] = &games[..] else {
        return Err(AtomError(format!(
            "an answer has {} atoms game/2; one was wanted: game(Outcome, Steps)",
            games.len()
        )));
    };
    let outcome = Outcome::named(&outcome.text()).ok_or_else(|| {
        AtomError(format!("an answer has the outcome {}; win, loss, cycle or stuck was wanted", outcome.text()))
    })?;
    let mut nodes = read_path(ids, atoms)?;
    if steps.number() != i32::try_from(nodes.len()).ok() {
        return Err(AtomError(format!(
            "an answer ends in step {}, but its path has {} steps",
            steps.text(),
            nodes.len()
        )));
    }

    let color_of = |term: &Term| network.colors.iter().position(|color| color.name.term == *term);
    let mut levers = vec![None; network.colors.len()];
    for [color, state] in
        atoms.rows::<2>("initial", "initial(Color, State), the state of a lever when the trip begins")?
    {
        let index = color_of(&color)
            .ok_or_else(|| AtomError(format!("an answer sets the lever of {}, a colour that no fork has", color)))?;
        let found = network.colors[index].states.iter().position(|label| label.term == state);
        levers[index] = Some(found.ok_or_else(|| {
            AtomError(format!("an answer sets the lever of {} to {}, which is no state of it", color, state))
        })?);
    }
    let mut gates = vec![None; network.gates.len()];
    for [gate, color] in atoms.rows::<2>("gate_color", "gate_color(Gate, Color), the colour of a gate")? {
        let index = network.gates.iter().position(|name| name.term == gate);
        let index = index.ok_or_else(|| {
            AtomError(format!("an answer colours the gate {}, which the network does not have", gate))
        })?;
        gates[index] = Some(color_of(&color).ok_or_else(|| {
            AtomError(format!("an answer gives gate {} the colour {}, which no fork has", gate, color))
        })?);
    }

    if outcome == Outcome::Cycle {
        match end_of_cycle(network, &nodes, &gates) {
            Some(length) => nodes.truncate(length),
            None => return Ok(None),
        }
    }
    let last = &network.nodes[*nodes.last().expect("a path has a step")].kind;
    let stops_at_gate = outcome == Outcome::Stuck && matches!(last, Kind::Gate { next: Some(_), .. });
    let rules = if stops_at_gate { Rules::NoGate } else { Rules::DynamicGate };
    keep_seen(network, &nodes, &mut levers, &mut gates)?;
    Ok(Some(Trip { nodes, outcome, levers, gates, rules }))
}

/// The nodes in the order of their steps, which are 1, 2, 3, ….
fn read_path(ids: &HashMap<&Term, NodeId>, atoms: &AnswerAtoms) -> Result<Vec<NodeId>, AtomError> {
    let mut path = Vec::new();
    for [node, step] in atoms.some_rows::<2>("path", "path(Node, Step), where the trip is in a step")? {
        let number = step
            .number()
            .ok_or_else(|| AtomError(format!("an answer has path({},{}); the step must be a number", node, step)))?;
        let id = ids.get(&node).ok_or_else(|| {
            AtomError(format!("an answer's path has the node {}, which the network does not have", node))
        })?;
        path.push((number, *id));
    }
    path.sort_unstable();
    for (expected, (step, _)) in (1..).zip(&path) {
        if *step != expected {
            return Err(AtomError(format!(
                "an answer's path has step {step} where step {expected} was wanted: it must be at one node in each step, from 1 on"
            )));
        }
    }
    Ok(path.into_iter().map(|(_, id)| id).collect())
}

/// How many steps a trip has when it first meets a node with the same levers again.
fn end_of_cycle(network: &Network, nodes: &[NodeId], gates: &[Option<usize>]) -> Option<usize> {
    let mut crossings = vec![0; network.colors.len()];
    let mut met = HashSet::new();
    for (step, &node) in nodes.iter().enumerate() {
        if !met.insert((node, crossings.clone())) {
            return Some(step + 1);
        }
        if let Kind::Gate { gate, .. } = network.nodes[node].kind
            && let Some(color) = gates[gate]
        {
            crossings[color] = (crossings[color] + 1) % network.colors[color].states.len();
        }
    }
    None
}

/// Opens the levers and gates that the trip does not see; those that it sees must have a value.
fn keep_seen(
    network: &Network,
    nodes: &[NodeId],
    levers: &mut [Option<usize>],
    gates: &mut [Option<usize>],
) -> Result<(), AtomError> {
    let (mut seen_levers, mut seen_gates) = (vec![false; levers.len()], vec![false; gates.len()]);
    for &node in &nodes[..nodes.len() - 1] {
        match network.nodes[node].kind {
            Kind::Fork { color, .. } => seen_levers[color] |= network.is_true_fork(node),
            Kind::Gate { gate, .. } => seen_gates[gate] = true,
            _ => {}
        }
    }
    for (color, seen) in seen_levers.into_iter().enumerate() {
        if seen && levers[color].is_none() {
            return Err(AtomError(format!(
                "an answer has no initial({},State), but its trip asks for that lever",
                network.colors[color].name
            )));
        }
        levers[color] = levers[color].filter(|_| seen);
    }
    for (gate, seen) in seen_gates.into_iter().enumerate() {
        if seen && gates[gate].is_none() {
            return Err(AtomError(format!(
                "an answer has no gate_color({},Color), but its trip crosses that gate",
                network.gates[gate]
            )));
        }
        gates[gate] = gates[gate].filter(|_| seen);
    }
    Ok(())
}
