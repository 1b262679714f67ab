//! `asp-solve expand`: counts, searches and draws the expanded graph, in which a copy of the
//! network for each configuration replaces the states of levers and gates.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use serde_json::{Value, json};

use super::{copies, require_builtin_rules};
use crate::asp::{self, AnswerAtoms, AtomError, Term};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::ending::Verdict;
use crate::graph::dot;
use crate::graph::layout::Layout;
use crate::graph::power;
use crate::job::Job;
use crate::puzzle::rail::encodings::EXPANDED;
use crate::puzzle::rail::engines::backward::{ExpandedGraph, Label};
use crate::puzzle::rail::engines::simulation;
use crate::puzzle::rail::network::facts::Facts;
use crate::puzzle::rail::network::instance;
use crate::puzzle::rail::network::instance::instance_program;
use crate::puzzle::rail::network::{Kind, Network, Node, NodeId};
use crate::puzzle::rail::trips::replay::check_failure;
use crate::puzzle::rail::trips::{GateRule, Outcome, Pattern, Trip, configuration_text, levers_text};
use crate::puzzle::{Console, Encoding, Tool, ToolOutput, document_names, has_options, native};
use crate::report::Format;
use crate::sorting;
use crate::stop::{CancelToken, StopReason};
use crate::words::thousands;

#[derive(Debug, Clone, Copy)]
pub struct Expand;

#[derive(Debug, Clone, Default, Args)]
pub struct ExpandOptions {
    /// Draw the copies of these lever states, such as 111 or 111RV; * stands for anything
    #[arg(long, value_name = "CONFIGURATION", conflicts_with = "trip")]
    configuration: Option<String>,
    /// Draw the copies that the trip of a configuration passes through, such as 112RV
    #[arg(long, value_name = "CONFIGURATION")]
    trip: Option<String>,
    /// Draw what the starts reach with nodes grouped, so that few lines stand for many arcs
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1, default_missing_value = "arcs", conflicts_with_all = ["trip", "configuration"])]
    compress: Option<power::Kind>,
    /// The engine: search from the ends without storing states, or clingo on all states
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    engine: ExpandEngine,
    /// How to place the nodes of the picture
    #[arg(long, value_enum, default_value_t, value_name = "LAYOUT")]
    layout: Layout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ExpandEngine {
    #[default]
    Backward,
    Asp,
}

impl Tool for Expand {
    has_options!(ExpandOptions);

    fn name(&self) -> &'static str {
        "expand"
    }

    fn about(&self) -> &'static str {
        "Expand a railway into copies without state, one for each configuration"
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Json, Format::Svg, Format::Dot]
    }

    fn encoding(&self) -> Option<Encoding> {
        Some(EXPANDED)
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.options::<ExpandOptions>();
        let facts = instance::read(&job.documents, &job.settings, &job.stop)?;
        let network = Network::from_facts(&facts)?;
        let is_drawn = options.trip.is_some()
            || options.configuration.is_some()
            || options.compress.is_some()
            || job.format.is_picture();
        if is_drawn {
            require_builtin_rules("a drawing of copies", job)?;
            return draw(&network, options, job, &job.stop);
        }
        if options.engine == ExpandEngine::Backward {
            require_builtin_rules("the engine backward", job)?;
        }
        let size = GraphSize::of(&network);
        let (found, verdict) = match options.engine {
            ExpandEngine::Asp if size.all_arcs() > MAX_CLINGO_ARCS.into() => {
                let text =
                    format!("--engine asp: {} arcs are too many to ground; at most {MAX_CLINGO_ARCS}", size.all_arcs());
                return Err(Diagnostic::error(Code::Usage, text).help("--engine backward stores none of them").into());
            }
            ExpandEngine::Asp => {
                let found = find_wins_with_clingo(&network, &size, &facts, job, &job.stop)?;
                let verdict = if job.rules.is_builtin() {
                    confirm_wins(&network, &found, job, console)?
                } else {
                    Verdict::Solved
                };
                (Some(found), verdict)
            }
            ExpandEngine::Backward => match ExpandedGraph::new(&network, GateRule::DynamicGate) {
                // The graph is too large to search, so only its size is reported.
                Err(Failure(diagnostics)) => {
                    let output = report(&network, &size, None, job);
                    let warnings = diagnostics
                        .into_iter()
                        .map(|found| Diagnostic::warning(Code::IgnoredInput, found.message))
                        .collect();
                    return Ok(ToolOutput {
                        output,
                        verdict: Verdict::GaveUp(StopReason::Unproven),
                        warnings,
                        certificate: None,
                    });
                }
                Ok(expanded) => match Findings::by_search(&expanded, job, console) {
                    Ok(found) => (Some(found), Verdict::Solved),
                    Err(reason) => (None, Verdict::GaveUp(reason)),
                },
            },
        };
        Ok(ToolOutput {
            output: report(&network, &size, found.as_ref(), job),
            verdict,
            warnings: Vec::new(),
            certificate: None,
        })
    }
}

/// Confirms the wins that clingo has found by the backward search. Fails if they differ.
fn confirm_wins(network: &Network, found: &Findings, job: &Job, console: &Console<'_>) -> Result<Verdict, Failure> {
    let Ok(expanded) = ExpandedGraph::new(network, GateRule::DynamicGate) else {
        return Ok(Verdict::GaveUp(StopReason::Unproven));
    };
    let win = Outcome::Win as usize;
    match Findings::by_search(&expanded, job, console) {
        Err(reason) => Ok(Verdict::GaveUp(reason)),
        Ok(other)
            if (other.states[win], other.starts[win], other.targets)
                != (found.states[win], found.starts[win], found.targets) =>
        {
            Err(check_failure("clingo finds other wins than the search from the ends".to_owned()))
        }
        Ok(_) => Ok(Verdict::Solved),
    }
}

/// Maximum number of arcs for the engine `asp`. clingo grounds them within seconds.
const MAX_CLINGO_ARCS: u32 = 1_000_000;

/// The size of the expanded graph, which is known even if the graph is too large to search.
struct GraphSize {
    /// Number of configurations over all starts.
    configurations: BigUint,
    starts: usize,
    lever_states: BigUint,
    colorings: BigUint,
    copies: BigUint,
    /// Number of arcs out of the nodes of a copy, which is the number of nodes with a way out.
    arcs: usize,
}

impl GraphSize {
    fn of(network: &Network) -> Self {
        let (lever_states, colorings) = (network.lever_states(), network.colorings());
        let has_way = |node: &&Node| matches!(node.kind, Kind::Fork { .. } | Kind::Gate { next: Some(_), .. });
        let arcs = network.nodes.iter().filter(has_way).count();
        let (copies, starts) = (&lever_states * &colorings, network.starts.len());
        let configurations = Pattern::any(network).configurations(network);
        GraphSize { configurations, starts, copies, lever_states, colorings, arcs }
    }

    fn all_arcs(&self) -> BigUint {
        &self.copies * self.arcs
    }
}

/// The results of the search.
#[derive(Debug, Default)]
struct Findings {
    /// Number of states with a way out, by outcome.
    states: [u64; 4],
    /// Number of starting states, by outcome.
    starts: [u64; 4],
    /// Number of states at targets to which an arc leads.
    targets: u64,
    /// The starting states that reach a target: the start, the configuration, and the number of
    /// nodes.
    wins: Vec<(String, String, u32)>,
    /// The cycles, and how often each occurs.
    cycles: BTreeMap<Cycle, CycleCount>,
    /// True if the engine finds only wins, as clingo does.
    wins_only: bool,
}

/// A cycle: its nodes, which begin with a canonical one, and the levers and gates on which it
/// depends.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cycle {
    nodes: Vec<NodeId>,
    levers: Vec<Option<usize>>,
    gates: Vec<Option<usize>>,
}

#[derive(Debug, Default)]
struct CycleCount {
    /// Number of cycles in the expanded graph that are copies of this one.
    copies: u64,
    /// True if a start reaches one of them.
    by_start: bool,
}

impl Findings {
    fn winning_starts(&self) -> u64 {
        self.starts[Outcome::Win as usize]
    }

    fn by_search(expanded: &ExpandedGraph<'_>, job: &Job, console: &Console<'_>) -> Result<Self, StopReason> {
        let network = expanded.network;
        let mut found = Findings::default();
        for (number, gates) in expanded.colorings(&Pattern::any(network)).enumerate() {
            (console.progress)(number as u64, expanded.colorings(&Pattern::any(network)).size_hint().0 as u64);
            let stopped = || job.stop.requested().unwrap_or(StopReason::Interrupted);
            let labels = expanded.labels(&gates, &job.stop).ok_or_else(stopped)?;
            let all = network.nodes.len() * expanded.lever_states;
            for state in 0..all {
                match labels.of(state) {
                    // States with one step are ends.
                    Label { outcome: Outcome::Win, steps: 1 } => {
                        found.targets += u64::from(expanded.has_predecessor(state, &gates))
                    }
                    Label { steps: 1, .. } => {}
                    Label { outcome, .. } => found.states[outcome as usize] += 1,
                }
            }
            let starts =
                network.starts.iter().flat_map(|&start| expanded.initial_levers().map(move |levers| (start, levers)));
            let mut into_cycles = Vec::new();
            for (start, number) in starts {
                let state = expanded.state(start, number);
                let label = labels.of(state);
                found.starts[label.outcome as usize] += 1;
                match label.outcome {
                    Outcome::Win if found.wins.len() < MAX_LISTED => {
                        let copy = expanded.copy_text(number, &gates);
                        found.wins.push((network.nodes[start].name.to_string(), copy, label.steps));
                    }
                    Outcome::Cycle => into_cycles.push(state),
                    _ => {}
                }
            }
            let is_cyclic = |state: usize| labels.of(state).outcome == Outcome::Cycle;
            found.add_cycles(expanded, &gates, is_cyclic, &into_cycles);
        }
        sorting::sort(&mut found.wins);
        Ok(found)
    }

    /// Adds the cycles of a colouring. Walks from every state that leads into a cycle until the
    /// walk reaches a visited state.
    fn add_cycles(
        &mut self,
        expanded: &ExpandedGraph<'_>,
        gates: &[usize],
        is_cyclic: impl Fn(usize) -> bool,
        starts: &[usize],
    ) {
        let all = expanded.network.nodes.len() * expanded.lever_states;
        if !(0..all).any(&is_cyclic) {
            return;
        }
        // For each state, the number of the walk that has visited it, or 0.
        let mut walk_of = vec![0_u32; all];
        let after = |state: usize| expanded.successor(state, gates).expect("a cycle has no end");
        // Walks from starts come first, so all cycles that starts reach belong to them.
        let walks = starts.iter().copied().chain((0..all).filter(|&state| is_cyclic(state)));
        for (number, first) in (1..).zip(walks) {
            let mut state = first;
            while walk_of[state] == 0 {
                walk_of[state] = number;
                state = after(state);
            }
            if walk_of[state] != number {
                continue;
            }
            let mut states = vec![state];
            while after(states[states.len() - 1]) != state {
                states.push(after(states[states.len() - 1]));
            }
            let reached = self.cycles.entry(Cycle::of(expanded, &states, gates)).or_default();
            reached.copies += 1;
            reached.by_start |= number as usize <= starts.len();
        }
    }
}

impl Cycle {
    fn of(expanded: &ExpandedGraph<'_>, states: &[usize], gates: &[usize]) -> Self {
        let network = expanded.network;
        let nodes: Vec<NodeId> = states.iter().map(|&state| expanded.split_state(state).0).collect();
        let rotated = |offset: usize| [&nodes[offset..], &nodes[..offset]].concat();
        let first = (0..nodes.len()).min_by_key(|&offset| (rotated(offset), states[offset])).unwrap_or(0);
        let levers = expanded.levers(expanded.split_state(states[first]).1);
        let mut cycle = Cycle {
            nodes: rotated(first),
            levers: vec![None; network.colors.len()],
            gates: vec![None; network.gates.len()],
        };
        for &node in &nodes {
            if let Some(color) = network.lever_used_at(node) {
                cycle.levers[color] = Some(levers[color]);
            }
            if let Kind::Gate { gate, .. } = network.nodes[node].kind {
                cycle.gates[gate] = Some(gates[gate]);
            }
        }
        cycle
    }
}

/// Finds the wins with `asp/rail/expanded.lp`, which grounds the whole graph.
fn find_wins_with_clingo(
    network: &Network,
    size: &GraphSize,
    facts: &Facts,
    job: &Job,
    stop: &CancelToken,
) -> Result<Findings, Failure> {
    let mut program = instance_program(facts, &job.documents);
    program.encoding = job.encodings.clone();
    let mut solver = asp::Solver::with_program(&program, &job.settings, stop)?;
    let mut found = None;
    solver.solve(&[], |model| {
        let atoms = model.shown(asp::Order::AsFound).map_err(|error| AtomError(error.text));
        found =
            Some(atoms.and_then(|atoms| parse_answer(network, size, job.rules.is_builtin(), &AnswerAtoms::new(atoms))));
        std::ops::ControlFlow::Break(())
    })?;
    let wrong = |AtomError(text)| Failure::from(native::wrong_answer(&job.encodings, &text));
    match found {
        Some(found) => found.map_err(wrong),
        None => Err(wrong(AtomError("it has no answer set".to_owned()))),
    }
}

fn parse_answer(
    network: &Network,
    size: &GraphSize,
    is_builtin_rules: bool,
    atoms: &AnswerAtoms,
) -> Result<Findings, AtomError> {
    let arcs = rows::<5>(atoms, size.arcs > 0, "arc", "arc(Node, Levers, Coloring, Next, Levers'), a way out")?;
    // Custom rules may have other arcs.
    if is_builtin_rules && size.all_arcs() != arcs.len().into() {
        let (found, expected) = (arcs.len(), size.all_arcs());
        return Err(AtomError(format!("an answer has {found} atoms arc/5; expected {expected}, one for each way out")));
    }
    // There is at least one win, since the copies of targets win.
    let wins = rows::<4>(atoms, true, "win", "win(Node, Levers, Coloring, Steps), a state that reaches a target")?;
    let start_of = |node: &Term| network.starts.iter().find(|&&start| network.nodes[start].name.term == *node);
    // A fixed lever can exclude the winning states of a start.
    let is_free = network.colors.iter().all(|color| color.fixed.is_none());
    let has_start = is_free && wins.iter().any(|[node, ..]| start_of(node).is_some());
    let starts =
        rows::<4>(atoms, has_start, "start_win", "start_win(Node, Levers, Coloring, Steps), a start that does")?;
    // States at targets have no way out, so they are not counted here.
    let inner = wins.iter().filter(|[.., steps]| steps.number() != Some(1)).count() as u64;
    let mut found = Findings { wins_only: true, ..Findings::default() };
    let targets: BTreeSet<_> = wins
        .iter()
        .filter(|[.., steps]| steps.number() == Some(1))
        .map(|[node, levers, coloring, _]| [node, levers, coloring])
        .collect();
    let arc_ends: BTreeSet<_> = arcs.iter().map(|[_, _, coloring, node, levers]| [node, levers, coloring]).collect();
    found.targets = targets.intersection(&arc_ends).count() as u64;
    found.states[Outcome::Win as usize] = inner;
    found.states[Outcome::Loss as usize] = (arcs.len() as u64).saturating_sub(inner);
    found.starts[Outcome::Win as usize] = starts.len() as u64;
    let (has_colors, has_gates) = (!network.colors.is_empty(), network.free_gates().next().is_some());
    let pointing = rows::<3>(atoms, has_colors, "pointing", "pointing(Levers, Color, State), where a lever points")?;
    let gate_colors =
        rows::<3>(atoms, has_gates, "gate_color", "gate_color(Coloring, Gate, Color), the colour of a gate")?;
    for [start, levers, coloring, steps] in &starts {
        let mut pattern = Pattern::any(network);
        for [_, color, state] in pointing.iter().filter(|row| row[0] == *levers) {
            if let Some(index) = network.colors.iter().position(|known| known.name.term == *color) {
                pattern.levers[index] = network.colors[index].states.iter().position(|known| known.term == *state);
            }
        }
        for [_, gate, color] in gate_colors.iter().filter(|row| row[0] == *coloring) {
            if let Some(index) = network.gates.iter().position(|known| known.term == *gate) {
                pattern.gates[index] = network.colors.iter().position(|known| known.name.term == *color);
            }
        }
        let text = configuration_text(network, &pattern.levers, &pattern.gates);
        let name = start_of(start).map_or_else(|| start.to_string(), |&start| network.nodes[start].name.to_string());
        found.wins.push((name, text, steps.number().unwrap_or(0) as u32));
    }
    sorting::sort(&mut found.wins);
    Ok(found)
}

fn rows<const N: usize>(
    atoms: &AnswerAtoms,
    is_required: bool,
    name: &str,
    meaning: &str,
) -> Result<Vec<[Term; N]>, AtomError> {
    if is_required { atoms.some_rows(name, meaning) } else { atoms.rows(name, meaning) }
}

fn report(network: &Network, size: &GraphSize, found: Option<&Findings>, job: &Job) -> String {
    if job.format == Format::Json {
        return format!("{:#}\n", as_json(network, size, found, job));
    }
    as_text(network, size, found) + &job.rules.footnote()
}

fn as_json(network: &Network, size: &GraphSize, found: Option<&Findings>, job: &Job) -> Value {
    let mut object = json!({
        "schema": 1, "puzzle": "rail", "instance": document_names(&job.documents), "rules": &job.rules.name(),
        "configurations": size.configurations.to_string(),
        "copies": size.copies.to_string(), "lever_states": size.lever_states.to_string(),
        "colorings": size.colorings.to_string(), "arcs_per_copy": size.arcs, "arcs": size.all_arcs().to_string(),
        "complete": found.is_some(),
    });
    let Some(found) = found else { return object };
    let counts = |of: &[u64; 4]| {
        if found.wins_only {
            json!({"win": of[Outcome::Win as usize].to_string()})
        } else {
            Outcome::json(|outcome| json!(of[outcome as usize].to_string()))
        }
    };
    object["states"] = counts(&found.states);
    object["on_ways_to_target"] = json!((found.states[Outcome::Win as usize] + found.targets).to_string());
    object["starts"] = counts(&found.starts);
    let win = |(start, configuration, steps): &(String, String, u32)| json!({"start": start, "configuration": configuration, "steps": steps});
    object["wins"] = found.wins.iter().map(win).collect();
    object["lists_all_wins"] = json!(found.wins.len() as u64 == found.winning_starts());
    if !found.wins_only {
        let cycle = |(cycle, reached): (&Cycle, &CycleCount)| {
            json!({
                "nodes": cycle.nodes.iter().map(|&node| network.nodes[node].name.as_str()).collect::<Vec<_>>(),
                "configuration": configuration_text(network, &cycle.levers, &cycle.gates),
                "copies": reached.copies.to_string(), "latent": !reached.by_start,
            })
        };
        object["cycles"] = found.cycles.iter().map(cycle).collect();
    }
    object
}

/// Maximum number of wins, and of cycles of each kind, that the text lists.
const MAX_SHOWN: usize = 20;
/// Maximum number of wins that are stored.
const MAX_LISTED: usize = 100_000;

fn as_text(network: &Network, size: &GraphSize, found: Option<&Findings>) -> String {
    let starts = if size.starts == 1 { String::new() } else { format!("{} starts × ", size.starts) };
    let all = &size.copies * size.starts;
    let fixed = if size.configurations == all { String::new() } else { format!(" of {}", thousands(all)) };
    let mut text = format!(
        "{}{fixed}: {starts}{} × {}. {} in each copy, {} in all.\n",
        native::count(&size.configurations, "configuration", "configurations"),
        native::count(&size.lever_states, "state of the levers", "states of the levers"),
        native::count(&size.colorings, "colouring of the gates", "colourings of the gates"),
        native::count(size.arcs, "arc", "arcs"),
        thousands(size.all_arcs())
    );
    let Some(found) = found else { return text };
    let all: u64 = found.states.iter().sum();
    let of = |outcome: Outcome| found.states[outcome as usize];
    let _ = writeln!(
        text,
        "\n{} on ways to a target: {} of the {} that have a way out, and {} at a target.",
        native::count(of(Outcome::Win) + found.targets, "state lies", "states lie"),
        thousands(of(Outcome::Win)),
        thousands(all),
        thousands(found.targets)
    );
    let wins = found.winning_starts();
    let colon = if wins == 0 { '.' } else { ':' };
    let _ = writeln!(
        text,
        "{} of {} {} a target{colon}",
        thousands(wins),
        native::count(&size.configurations, "start", "starts"),
        if wins == 1 { "reaches" } else { "reach" }
    );
    for (start, configuration, steps) in found.wins.iter().take(MAX_SHOWN) {
        let _ = writeln!(text, "  {configuration} from {start} through {}", native::count(*steps, "node", "nodes"));
    }
    if wins > MAX_SHOWN as u64 {
        let _ = writeln!(text, "  … and {} more", thousands(wins - MAX_SHOWN as u64));
    }
    if found.wins_only {
        return text;
    }
    let _ = writeln!(
        text,
        "Of the others, {} end in a loss, {} get stuck, {} end in a cycle.",
        thousands(of(Outcome::Loss)),
        thousands(of(Outcome::Stuck)),
        thousands(of(Outcome::Cycle))
    );
    for (by_start, title) in [
        (true, "Cycles that a start reaches, which is a defect of the puzzle:"),
        (false, "Latent cycles, which no start reaches:"),
    ] {
        let cycles: Vec<_> = found.cycles.iter().filter(|(_, reached)| reached.by_start == by_start).collect();
        if !cycles.is_empty() {
            let _ = writeln!(text, "\n{title}");
        }
        for (cycle, reached) in cycles.iter().take(MAX_SHOWN) {
            let nodes: Vec<&str> = cycle.nodes.iter().map(|&node| network.nodes[node].name.as_str()).collect();
            let configuration = configuration_text(network, &cycle.levers, &cycle.gates);
            let copies = native::count(reached.copies, "copy", "copies");
            let _ = writeln!(text, "  {} with {configuration} (in {copies})", nodes.join(" → "));
        }
        if cycles.len() > MAX_SHOWN {
            let _ = writeln!(text, "  … and {} more", cycles.len() - MAX_SHOWN);
        }
    }
    text
}

/// Draws some of the copies, or all states that starts reach as a compressed graph.
fn draw(network: &Network, options: &ExpandOptions, job: &Job, stop: &CancelToken) -> Result<ToolOutput, Failure> {
    let solved = |output| Ok(ToolOutput { output, verdict: Verdict::Solved, warnings: Vec::new(), certificate: None });
    if let Some(kind) = options.compress {
        let expanded = ExpandedGraph::new(network, GateRule::DynamicGate)?;
        let (graph, arcs) = copies::reached_states(&expanded)?;
        let power = power::compress(graph.nodes.len(), &arcs, kind, 1, stop);
        return solved(copies::compressed(&graph, &arcs, &power, job)?);
    }
    let view = match &options.trip {
        Some(text) => copies::of_trips(network, &trips_of(network, text, stop)?)?,
        None => {
            let text = options.configuration.clone().unwrap_or_default();
            copies::of_levers(network, &parse_levers(network, &text)?)?
        }
    };
    match job.format {
        Format::Svg => solved(view.picture(network, options.layout, stop).svg()),
        Format::Dot => solved(dot::text(&view.graph)),
        Format::Json => {
            let name = |node: usize| &view.graph.nodes[node].id;
            let arcs: Vec<_> = view.graph.arcs.iter().map(|arc| [name(arc.from), name(arc.to)]).collect();
            solved(format!("{:#}\n", json!({"schema": 1, "puzzle": "rail", "arcs": arcs})))
        }
        _ => solved(view.text()),
    }
}

/// Parses lever states, or a whole configuration.
fn parse_levers(network: &Network, text: &str) -> Result<Pattern, Failure> {
    if text.is_empty() {
        return Ok(Pattern::any(network));
    }
    let with_gates = text.to_owned() + &"*".repeat(network.free_gates().count());
    Pattern::parse(network, text)
        .or_else(|error| Pattern::parse(network, &with_gates).map_err(|_| error))
        .map_err(|error| Diagnostic::error(Code::Usage, format!("--configuration {text}: {error}")).into())
}

/// Returns the trip of a configuration from each start. Fails if there are several.
fn trips_of(network: &Network, text: &str, stop: &CancelToken) -> Result<Vec<Trip>, Failure> {
    let wrong = |error: String| Failure::from(Diagnostic::error(Code::Usage, format!("--trip {text}: {error}")));
    let pattern = Pattern::parse(network, text).map_err(wrong)?;
    let mut trips: Vec<Trip> = Vec::new();
    let mut first_levers = None;
    let (_, end) = simulation::simulate(network, GateRule::DynamicGate, &pattern, stop, &mut |lazy_trip| {
        let trip = (lazy_trip.build)();
        first_levers = trips.iter().find(|other| other.nodes[0] == trip.nodes[0]).map(|other| other.levers.clone());
        trips.push(trip);
        let is_several = first_levers.is_some();
        Ok(if is_several { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) })
    })?;
    if let Some(reason) = end.reason() {
        return Err(wrong(format!("not all its trips were found: {}", reason.words())));
    }
    match first_levers {
        Some(levers) => Err(wrong(format!(
            "it matches several trips, {} and others; specify every lever and gate that the trip depends on",
            levers_text(network, &levers)
        ))),
        None => Ok(trips),
    }
}

/// A set of arcs, as pairs of node numbers.
pub type ArcSet = BTreeSet<(usize, usize)>;
