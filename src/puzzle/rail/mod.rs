//! The mine railway of the game Deponia, and any other like it.
//!
//! A trolley enters a mine at a start. Each fork has a colour, and the lever of that colour decides which way it leads.
//! Each gate has a colour that the player chooses before the trip; each crossing moves that colour's lever to its next
//! state. The trip is then determined: it is won at a target, lost at another final node, stuck where no way leads on,
//! or it is a cycle: it comes to the same node with the same levers twice.
//!
//! | room | what it holds |
//! |---|---|
//! | `network/` | the network, its notations (facts, JSON, Graphviz), and all that can be wrong with one |
//! | `trips/` | trips, outcomes, configurations; how many there are of each; the replay by the rules |
//! | `engines/` | who finds the trips: clingo, the simulation, the search from the ends |
//! | `output/` | trips for a person, in JSON, as graphs and pictures |
//! | `tools/` | the commands: `expand`, `rate`, `repair`, `generate` |

mod engines;
mod network;
mod output;
mod tools;
mod trips;

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::path::Path;

use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Value, json};

use super::{About, Encoding, Found, Puzzle, Query, Role, Tool};
use crate::asp::{self, syntax};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Ending, Verdict};
use crate::graph::layout::Layout;
use crate::graph::{Graph, Laid, power};
use crate::picture::Picture;
use crate::report::{Format, Style};
use crate::stop::Reason;
use engines::{backward, grounded, simulation};
use network::facts::Facts;
use network::{Network, instance};
use output::{answer, drawing, text};
use tools::{copies, expand, generate, rate, repair};
use trips::tally::Tally;
use trips::{Leaf, Outcome, Pattern, Rules, Trip, replay};

#[derive(Debug, Clone, Copy)]
pub struct Rail;

const DYNAMIC_GATE: Encoding = Encoding {
    name: "dynamic-gate",
    path: "rail/dynamic_gate.lp",
    text: include_str!("../../../asp/rail/dynamic_gate.lp"),
};
const NO_GATE: Encoding =
    Encoding { name: "no-gate", path: "rail/no_gate.lp", text: include_str!("../../../asp/rail/no_gate.lp") };

const EXPANDED: Encoding =
    Encoding { name: "expanded", path: "rail/expanded.lp", text: include_str!("../../../asp/rail/expanded.lp") };

const REPAIR: Encoding =
    Encoding { name: "repair", path: "rail/repair.lp", text: include_str!("../../../asp/rail/repair.lp") };

/// Beyond either of these, clingo would ground for long: the simulation is the better engine.
const GROUNDED_NODES: usize = 300;
const GROUNDED_CONFIGURATIONS: u64 = 1_000_000;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for rail")]
pub struct Options {
    /// Which trips to show [default: wins, and cycles, which are a defect of the puzzle]
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',')]
    outcome: Vec<Wanted>,
    /// Tell the trip of one configuration, such as 211RR; * stands for anything
    #[arg(long, value_name = "CONFIGURATION")]
    configuration: Option<String>,
    /// Where the nodes of the picture stand
    #[arg(long, value_enum, default_value_t, value_name = "LAYOUT")]
    layout: Layout,
    /// Draw the network with its nodes grouped, so that few lines stand for many arcs (svg)
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1, default_missing_value = "edges")]
    compress: Option<power::Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Wanted {
    Win,
    Loss,
    Cycle,
    Stuck,
    Any,
}

impl Wanted {
    fn outcomes(self) -> Vec<Outcome> {
        match self {
            Wanted::Win => vec![Outcome::Win],
            Wanted::Loss => vec![Outcome::Loss],
            Wanted::Cycle => vec![Outcome::Cycle],
            Wanted::Stuck => vec![Outcome::Stuck],
            Wanted::Any => Outcome::ALL.to_vec(),
        }
    }
}

/// An instance and the question about it.
pub struct Board {
    facts: Facts,
    network: Network,
    pattern: Pattern,
    /// What counts as an answer.
    sought: Vec<Outcome>,
    /// What is shown besides.
    shown: Vec<Outcome>,
    /// Where the network's graph stands, if there is something to draw.
    laid: Laid,
    compress: Option<power::Kind>,
}

impl Puzzle for Rail {
    type Options = Options;
    type Board = Board;
    type Answer = Trip;

    fn about(&self) -> About {
        About {
            name: "rail",
            summary: "a mine railway: levers set the forks of each colour, gates move the levers",
            input: "facts start/1, target/1, color/2, rel/3, gate/2; also as JSON or Graphviz",
            encodings: &[DYNAMIC_GATE, NO_GATE, EXPANDED, REPAIR],
            engines: &["asp", "simulation", "backward"],
            has_options_for_answer_sets: false,
            fits_a_line: false,
            pictures: &[Format::Svg, Format::Dot, Format::Html],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let text = &document.text;
        match document.notation() {
            Notation::Json => return if text.contains("\"rel\"") { Role::Instance } else { Role::Neither },
            Notation::Dot => return if text.contains("->") { Role::Instance } else { Role::Neither },
            Notation::Program => {}
        }
        const OWN: [&str; 6] = ["start", "target", "final_node", "color", "rel", "gate"];
        if OWN.iter().filter(|name| text.contains(**name)).count() < 2 {
            return Role::Neither;
        }
        let statements = syntax::statements(text);
        let has_fact = |name: &str| {
            statements
                .iter()
                .any(|statement| statement.is_fact && statement.head.as_ref().is_some_and(|head| head.0 == name))
        };
        let derives = |name: &str| {
            statements.iter().any(|statement| statement.head.as_ref().is_some_and(|head| *head == (name.to_owned(), 2)))
        };
        let facts = OWN.iter().filter(|name| has_fact(name)).count();
        if derives("game") {
            return if has_fact("rel") { Role::Neither } else { Role::Encoding };
        }
        if has_fact("rel") && facts >= 2 || facts >= 4 { Role::Instance } else { Role::Neither }
    }

    fn parse(&self, query: &Query<'_, Options>) -> Result<Board, Failure> {
        let facts = instance::read(query.documents, &query.request.settings, query.stop)?;
        let network = Network::from_facts(&facts)?;
        let pattern = match &query.options.configuration {
            None => Pattern::any(&network),
            Some(text) => Pattern::parse(&network, text)
                .map_err(|error| Diagnostic::error(format!("--configuration {text}: {error}")))?,
        };
        let chosen: Vec<Outcome> = query.options.outcome.iter().flat_map(|wanted| wanted.outcomes()).collect();
        let decides_nothing = rules(query) == Some(Rules::NoGate);
        let (sought, shown) = if !chosen.is_empty() {
            (chosen.clone(), chosen)
        } else if decides_nothing || query.options.configuration.is_some() || query.request.format == Format::Html {
            (Outcome::ALL.to_vec(), Outcome::ALL.to_vec())
        } else {
            (vec![Outcome::Win], vec![Outcome::Win, Outcome::Cycle])
        };
        if query.options.compress.is_some() && query.request.format != Format::Svg {
            return Err(Diagnostic::error("--compress goes with --format svg").into());
        }
        let stands = matches!(query.request.format, Format::Svg | Format::Html) && query.options.compress.is_none();
        let laid = if stands { drawing::laid(&network, query.options.layout)? } else { Laid::default() };
        Ok(Board { facts, network, pattern, sought, shown, laid, compress: query.options.compress })
    }

    fn engine(&self, board: &Board, query: &Query<'_, Options>) -> Result<&'static str, Failure> {
        let is_small = takes_grounding(&board.network);
        match query.request.engine.as_deref() {
            Some("asp") => Ok("asp"),
            Some(native @ ("simulation" | "backward")) if rules(query).is_none() => Err(Diagnostic::error(format!(
                "the engine {native} knows the rules of the encodings dynamic-gate and no-gate; {} needs --engine asp",
                query.request.encoding_names.join(", ")
            ))
            .into()),
            Some("simulation") => Ok("simulation"),
            Some("backward") => Ok("backward"),
            Some(other) => {
                let text = format!("rail has no engine {other}; wanted: asp, simulation or backward");
                Err(Diagnostic::error(text).into())
            }
            None if is_small || rules(query).is_none() => Ok("asp"),
            None => Ok("simulation"),
        }
    }

    fn program(&self, board: &Board, query: &Query<'_, Options>) -> Result<asp::Program, Failure> {
        let mut program = instance_program(&board.facts, query.documents);
        program.encoding = query.request.encodings.clone();
        if !query.options.outcome.is_empty() {
            program.additions.push(Document::in_memory("<outcome>", grounded::constraint(&board.sought)));
        }
        if query.options.configuration.is_some() {
            let text = "--configuration goes with the formats text and json; for answer sets write a constraint in an encoding";
            return Err(Diagnostic::error(text).into());
        }
        Ok(program)
    }

    fn solve(&self, board: &Board, query: &Query<'_, Options>, found: Found<'_, Trip>) -> Result<Ending, Failure> {
        // A question about a configuration is answered in full.
        // The first picture is that of the first answer in their order, whichever is found first.
        let wants_all = query.options.configuration.is_some() || query.request.format.is_picture();
        let limit = query.request.models.unwrap_or(if wants_all { 0 } else { 1 });
        let mut tally = Tally::default();
        let mut answers = 0;
        let mut take = |ended: &Leaf<'_>| {
            tally.count(ended);
            let is_sought = board.sought.contains(&ended.outcome);
            answers += u64::from(is_sought);
            let is_last = is_sought && limit > 0 && answers >= limit;
            let flow =
                if board.shown.contains(&ended.outcome) { found((ended.trip)())? } else { ControlFlow::Continue(()) };
            Ok(if is_last { ControlFlow::Break(()) } else { flow })
        };

        let engine = self.engine(board, query)?;
        let rules = rules(query).unwrap_or(Rules::DynamicGate);
        let (ended, mut statistics, warnings) = if engine == "backward" {
            let (work, ended) = backward::trips(&board.network, rules, &board.pattern, query.stop, &mut take)?;
            (ended, json!({"trips": work.trips, "states": work.states, "longest": work.longest}), Vec::new())
        } else if engine == "simulation" {
            let (work, ended) = simulation::simulate(&board.network, rules, &board.pattern, query.stop, &mut take)?;
            (ended, json!({"trips": work.trips, "steps": work.steps, "longest": work.longest}), Vec::new())
        } else {
            // With all answers wanted the losses are counted too; otherwise clingo need not look for them.
            let outcomes = if limit == 0 { &[][..] } else { &board.shown };
            let search = grounded::Search {
                network: &board.network,
                program: &instance_program(&board.facts, query.documents),
                encodings: &query.request.encodings,
                settings: &query.request.settings,
                outcomes,
                pattern: &board.pattern,
                stop: query.stop,
            };
            let (work, ended, said) = grounded::trips(&search, &mut take)?;
            let warnings = said.into_iter().map(|message| message.diagnostic).collect();
            (
                ended,
                json!({"trips": work.trips, "longest": work.longest, "horizon": work.horizon, "clingo": work.clingo}),
                warnings,
            )
        };

        let all = board.pattern.configurations(&board.network);
        let counts_all = ended && limit == 0;
        if counts_all && tally.total() != all {
            let text = format!("the trips found stand for {} configurations of {all}", tally.total());
            return Err(Diagnostic::error(text).help("an encoding must have one answer for each configuration").into());
        }
        if !query.request.stats {
            statistics.as_object_mut().map(|object| object.remove("clingo"));
        }
        let mut object = tally.json(&all);
        if counts_all || query.request.stats {
            object.insert("search".to_owned(), statistics);
        }
        let verdict = match query.stop.requested() {
            Some(reason) if !ended => Verdict::GaveUp(reason),
            _ if answers > 0 => Verdict::Solved,
            _ if ended => Verdict::Impossible,
            _ => Verdict::GaveUp(Reason::Unproven),
        };
        Ok(Ending { verdict, complete: ended, statistics: Value::Object(object), warnings })
    }

    fn check(&self, board: &Board, trip: &Trip) -> Result<(), String> {
        replay::check(&board.network, trip)
    }

    fn compare(&self, a: &Trip, b: &Trip) -> Ordering {
        a.outcome.cmp(&b.outcome).then_with(|| a.compare(b))
    }

    fn json(&self, board: &Board, trip: &Trip) -> impl Serialize {
        answer::answer(&board.network, trip)
    }

    fn text(&self, board: &Board, trips: &[Trip], ending: &Ending, style: &Style) -> String {
        text::page(&board.network, trips, ending, style)
    }

    fn maker(&self) -> Option<&'static dyn super::Maker> {
        Some(&generate::Maker)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&expand::Expand, &rate::Rate, &repair::Repair]
    }

    fn columns(&self, board: &Board) -> Vec<&'static str> {
        answer::columns(&board.network)
    }

    fn rows(&self, board: &Board, trip: &Trip) -> Vec<Vec<String>> {
        answer::rows(&board.network, trip)
    }

    fn draw(&self, board: &Board, trip: Option<&Trip>) -> Option<Picture> {
        if let Some(kind) = board.compress {
            return Some(copies::compressed_network(&board.network, kind));
        }
        Some(match trip {
            Some(trip) => drawing::trip_picture(&board.network, &board.laid, trip),
            None => drawing::picture(&board.network, &board.laid),
        })
    }

    fn graph(&self, board: &Board, trip: Option<&Trip>) -> Option<Graph> {
        Some(match trip {
            Some(trip) => drawing::with_trip(&board.network, trip),
            None => drawing::graph(&board.network),
        })
    }
}

/// Whether clingo grounds the encoding for it in seconds.
fn takes_grounding(network: &Network) -> bool {
    network.nodes.len() <= GROUNDED_NODES
        && Pattern::any(network).configurations(network) <= BigUint::from(GROUNDED_CONFIGURATIONS)
}

/// The rules of the encoding in use; `None` if it is somebody's own.
fn rules(query: &Query<'_, Options>) -> Option<Rules> {
    let is = |name: &str, encoding: &Encoding| name == encoding.name || Path::new(name).ends_with(encoding.path);
    match &query.request.encoding_names[..] {
        [] => Some(Rules::DynamicGate),
        [name] if is(name, &DYNAMIC_GATE) => Some(Rules::DynamicGate),
        [name] if is(name, &NO_GATE) => Some(Rules::NoGate),
        _ => None,
    }
}

/// The instance for clingo: logic programs as they are, other notations as facts.
fn instance_program(facts: &Facts, documents: &[Document]) -> asp::Program {
    let is_program = documents.iter().all(|document| document.notation() == Notation::Program);
    if is_program {
        asp::Program { instance: documents.to_vec(), ..asp::Program::default() }
    } else {
        asp::Program { facts: facts.symbols(), ..asp::Program::default() }
    }
}
