//! `asp-solve expand`: counts, searches and draws the expanded graph, in which a copy of the
//! network for each configuration replaces the states of levers and gates.

use std::collections::BTreeMap;
use std::fmt::Write;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::sorting;
use base::stop::{CancelToken, StopReason};
use base::words::thousands;
use clap::Args;
use num_bigint::BigUint;
use picture::graph::dot;
use picture::graph::layout::Layout;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::{Console, Encoding, OptionDeclaration, Tool, ToolOutput, document_names, native};
use serde_json::{Value, json};

use super::{check_layout, copies, require_builtin_rules};
use crate::encodings::DYNAMIC_GATE;
use crate::engines::backward::{ExpandedGraph, Label};
use crate::engines::simulation;
use crate::network::{Kind, Network, Node, NodeId, instance};
use crate::trips::{GateRule, Outcome, Pattern, Trip, configuration_text, levers_text};

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
    /// How to place the nodes of the picture [default: map]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    layout: Option<Layout>,
}

impl Tool for Expand {
    fn name(&self) -> &'static str {
        "expand"
    }

    fn about(&self) -> &'static str {
        "Expand a railway into copies without state, one for each configuration"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<ExpandOptions>()
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Json, Format::Svg, Format::Dot]
    }

    fn encoding(&self) -> Option<&Encoding> {
        Some(&DYNAMIC_GATE)
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<ExpandOptions>()?;
        check_layout(options.layout, job)?;
        let facts = instance::read(&job.sources.documents, &job.engine.settings, &job.stop)?;
        let network = Network::from_facts(&facts)?;
        require_builtin_rules("expand", job)?;
        if options.trip.is_some() || options.configuration.is_some() || job.output.format.is_picture() {
            return draw(&network, options, job, &job.stop);
        }
        let size = GraphSize::of(&network);
        let (found, verdict, warnings) = match ExpandedGraph::new(&network, GateRule::DynamicGate) {
            // The graph is too large to search, so only its size is reported.
            Err(Failure(diagnostics)) => {
                let warning = |found: Diagnostic| Diagnostic::warning(Code::IgnoredInput, found.message);
                let warnings = diagnostics.into_iter().map(warning).collect();
                (None, Verdict::GaveUp(StopReason::Unproven), warnings)
            }
            Ok(expanded) => match Findings::by_search(&expanded, job, console) {
                Ok(found) => (Some(found), Verdict::Solved, Vec::new()),
                Err(reason) => (None, Verdict::GaveUp(reason), Vec::new()),
            },
        };
        Ok(ToolOutput { output: report(&network, &size, found.as_ref(), job), verdict, warnings, certificate: None })
    }
}

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

fn report(network: &Network, size: &GraphSize, found: Option<&Findings>, job: &Job) -> String {
    if job.output.format == Format::Json {
        return format!("{:#}\n", as_json(network, size, found, job));
    }
    as_text(network, size, found) + &job.rules.footnote()
}

fn as_json(network: &Network, size: &GraphSize, found: Option<&Findings>, job: &Job) -> Value {
    let mut object = json!({
        "schema": 1, "puzzle": "rail", "instance": document_names(&job.sources.documents), "rules": &job.rules.name(),
        "configurations": size.configurations.to_string(),
        "copies": size.copies.to_string(), "lever_states": size.lever_states.to_string(),
        "colorings": size.colorings.to_string(), "arcs_per_copy": size.arcs, "arcs": size.all_arcs().to_string(),
        "complete": found.is_some(),
    });
    let Some(found) = found else { return object };
    let counts = |of: &[u64; 4]| Outcome::json(|outcome| json!(of[outcome as usize].to_string()));
    object["states"] = counts(&found.states);
    object["on_ways_to_target"] = json!((found.states[Outcome::Win as usize] + found.targets).to_string());
    object["starts"] = counts(&found.starts);
    let win = |(start, configuration, steps): &(String, String, u32)| json!({"start": start, "configuration": configuration, "steps": steps});
    object["wins"] = found.wins.iter().map(win).collect();
    object["lists_all_wins"] = json!(found.wins.len() as u64 == found.winning_starts());
    let cycle = |(cycle, reached): (&Cycle, &CycleCount)| {
        json!({
            "nodes": cycle.nodes.iter().map(|&node| network.nodes[node].name.as_str()).collect::<Vec<_>>(),
            "configuration": configuration_text(network, &cycle.levers, &cycle.gates),
            "copies": reached.copies.to_string(), "latent": !reached.by_start,
        })
    };
    object["cycles"] = found.cycles.iter().map(cycle).collect();
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

/// Draws some of the copies.
fn draw(network: &Network, options: &ExpandOptions, job: &Job, stop: &CancelToken) -> Result<ToolOutput, Failure> {
    let solved = |output| Ok(ToolOutput { output, verdict: Verdict::Solved, warnings: Vec::new(), certificate: None });
    let view = match &options.trip {
        Some(text) => copies::of_trips(network, &trips_of(network, text, stop)?)?,
        None => {
            let text = options.configuration.clone().unwrap_or_default();
            copies::of_levers(network, &parse_levers(network, &text)?)?
        }
    };
    match job.output.format {
        Format::Svg => solved(view.picture(network, options.layout.unwrap_or_default(), stop).svg()),
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
    let (_, end) = simulation::for_each_trip(network, &pattern, stop, |lazy_trip| {
        let trip = (lazy_trip.build)();
        first_levers = trips.iter().find(|other| other.nodes[0] == trip.nodes[0]).map(|other| other.levers.clone());
        trips.push(trip);
        let is_several = first_levers.is_some();
        if is_several { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
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
