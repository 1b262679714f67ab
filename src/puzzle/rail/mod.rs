//! The mine railway of the game Deponia, and similar railways.
//!
//! A trolley enters a mine at a start. Each fork has a colour, and the lever of this colour decides
//! which way the trolley leaves the fork. Before the trip, the player chooses the initial states of
//! the levers and the colour of each gate. When the trolley crosses a gate, the lever of the gate's
//! colour moves to its next state. The trip is therefore determined by these choices. It is won at
//! a target, lost at any other final node, stuck at a node without a way out, or a cycle if it
//! visits a node twice with all levers in the same states.
//!
//! ```
//! use asp_solve::puzzle::rail::Outcome;
//! use asp_solve::{Job, Rail, solve};
//!
//! let job = Job::of("start(a). target(z). final_node(y). color(a, red). rel(a, 1, y). rel(a, 2, z).").all_answers();
//! let solved = solve(Rail, job)?;
//! let [trip] = solved.answers() else { panic!("one trip wins") };
//! assert_eq!((trip.outcome, trip.nodes.len()), (Outcome::Win, 2));
//! assert_eq!(trip.configurations(solved.board().network()), 1_u8.into());
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `network/` | the network, its notations (facts, JSON, Graphviz, plans of tracks) and its validation |
//! | `trips/` | trips, outcomes and configurations, their counts, and the replay of trips |
//! | `engines/` | the searches for trips: clingo, simulation, backward search |
//! | `output/` | trips as text, JSON, graphs and pictures |
//! | `tools/` | the commands `convert`, `expand`, `rate`, `repair` and `generate` |
//! | `play.rs` | interactive play |
//! | `why.rs` | explanations of why no trip wins, or why a given trip does not |

mod engines;
mod network;
mod output;
mod play;
mod tools;
mod trips;
mod why;

use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use serde_json::{Value, json};

use super::{
    About, AnswerSink, BuiltinFile, Encoding, InstanceUnit, OptionReaders, Puzzle, Role, RunResult, Table,
    UnsolvableCause, reasons, rules,
};
use crate::asp::{self, syntax};
use crate::certificate::Certificate;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Certification, SearchEnd, Uniqueness, Verdict};
use crate::graph::layout::Layout;
use crate::graph::{Graph, RoutedGraph, power};
use crate::job::{Job, Rules, Show};
use crate::picture::{Picture, Point};
use crate::play::Game;
use crate::puzzle::Tool;
use crate::report::{Format, Style};
use crate::stop::{CancelToken, StopReason};
use crate::why::{ExplainInput, ExplainQuery, Explanation, QueryKind};
use engines::{Completion, EngineStats, MemoryLimit, TripEngine, backward, clingo, simulation};
use network::facts::{Facts, NAMES, PREDICATES};
use network::instance;
pub use network::{Color, Name, Network, Node, NodeId};
use output::plan_drawing::PlanDrawing;
use output::{answer, drawing, text};
use tools::{convert, copies, expand, generate, rate, repair};
use trips::tally::{RailProof, Tally};
pub use trips::{GateRule, Outcome, Trip};
use trips::{LazyTrip, Pattern, replay};

#[derive(Debug, Clone, Copy)]
pub struct Rail;

const RAILWAY: BuiltinFile = rules::builtin_file!("rail/railway.lp");
const STATES: BuiltinFile = rules::builtin_file!("rail/states.lp");
const DYNAMIC_GATE: Encoding =
    Encoding { name: "dynamic-gate", files: &[rules::builtin_file!("rail/dynamic_gate.lp"), RAILWAY] };
const NO_GATE: Encoding = Encoding { name: "no-gate", files: &[rules::builtin_file!("rail/no_gate.lp"), RAILWAY] };
const EXPANDED: Encoding =
    Encoding { name: "expanded", files: &[RAILWAY, STATES, rules::builtin_file!("rail/expanded.lp")] };
const TRACKS: Encoding = Encoding { name: "tracks", files: &[RAILWAY, rules::builtin_file!("rail/tracks.lp")] };
const REPAIR: Encoding = Encoding { name: "repair", files: &[RAILWAY, STATES, rules::builtin_file!("rail/repair.lp")] };

/// Maximum number of nodes for which clingo is the default engine. Grounding larger networks takes
/// long.
const MAX_CLINGO_NODES: usize = 300;
/// Maximum number of configurations for which clingo is the default engine.
const MAX_CLINGO_CONFIGURATIONS: u64 = 1_000_000;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for rail")]
pub struct RailOptions {
    /// Trips to show [default: wins, and cycles, which are a defect of the puzzle]
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',')]
    pub outcome: Vec<OutcomeFilter>,
    /// Show the trip of one configuration, such as 211RR; * stands for anything
    #[arg(long, value_name = "CONFIGURATION")]
    pub configuration: Option<String>,
    /// How to place the nodes of the picture
    #[arg(long, value_enum, default_value_t, value_name = "LAYOUT")]
    pub layout: Layout,
    /// Group nodes, so that few lines stand for many arcs (svg)
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1, default_missing_value = "edges")]
    pub compress: Option<power::Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutcomeFilter {
    Win,
    Loss,
    Cycle,
    Stuck,
    Any,
}

impl OutcomeFilter {
    fn outcomes(self) -> Vec<Outcome> {
        match self {
            OutcomeFilter::Win => vec![Outcome::Win],
            OutcomeFilter::Loss => vec![Outcome::Loss],
            OutcomeFilter::Cycle => vec![Outcome::Cycle],
            OutcomeFilter::Stuck => vec![Outcome::Stuck],
            OutcomeFilter::Any => Outcome::ALL.to_vec(),
        }
    }
}

/// An instance, and the options of the run.
pub struct RailBoard {
    facts: Facts,
    network: Network,
    pattern: Pattern,
    /// Outcomes that count as answers.
    accepted: Vec<Outcome>,
    /// Outcomes whose trips are printed. A superset of `accepted`.
    shown: Vec<Outcome>,
    layout: Layout,
    /// The drawing of the network, computed on first use.
    laid: OnceLock<RoutedGraph>,
    /// The drawing of the network's plan, computed on first use.
    tracks: OnceLock<PlanDrawing>,
    compress: Option<power::Kind>,
}

impl RailBoard {
    pub fn network(&self) -> &Network {
        &self.network
    }

    fn laid(&self, stop: &CancelToken) -> Cow<'_, RoutedGraph> {
        let Ok(laid) =
            stop.cached(&self.laid, || Ok::<_, Infallible>(drawing::lay_out(&self.network, self.layout, stop)));
        laid
    }

    fn tracks(&self, stop: &CancelToken) -> Option<Cow<'_, PlanDrawing>> {
        let plan = self.facts.plan.as_ref()?;
        let make = || Ok::<_, Infallible>(PlanDrawing::new(&self.network, plan, self.layout, stop));
        let Ok(tracks) = stop.cached(&self.tracks, make);
        Some(tracks)
    }

    /// Draws the network, or its plan of tracks, without a trip.
    fn picture(&self, stop: &CancelToken) -> Picture {
        match self.tracks(stop) {
            Some(tracks) => tracks.picture(&self.network),
            None => drawing::picture(&self.network, &self.laid(stop)),
        }
    }

    /// Draws `trip`. Also returns the position of each lever's knob, by colour and state.
    fn trip_picture(&self, trip: &Trip, stop: &CancelToken) -> (Picture, Vec<Vec<Point>>) {
        match self.tracks(stop) {
            Some(tracks) => tracks.trip_picture(&self.network, trip),
            None => drawing::trip_picture(&self.network, &self.laid(stop), trip),
        }
    }
}

impl Puzzle for Rail {
    type Options = RailOptions;
    type Engine = TripEngine;
    type Board = RailBoard;
    type Answer = Trip;
    type Proof = RailProof;

    fn about(&self) -> About {
        About {
            name: "rail",
            summary: "a mine railway: a lever for each colour sets its forks, and gates move levers",
            input: "facts start/1, target/1, color/2, rel/3, gate/2; also as JSON or Graphviz; or a plan in lines like `a red: stem s, 1 t, 2 u`",
            more: &[],
            example: "echo 'start(a). target(t). final_node(s). color(a,red). rel(a,1,t). rel(a,2,s).' | asp-solve - -n 0",
            encodings: &[DYNAMIC_GATE, NO_GATE],
            facts: &NAMES,
            has_options_for_answer_sets: false,
            instance_unit: InstanceUnit::Object,
            pictures: &[Format::Svg, Format::Dot, Format::Html],
            read_by: &[
                ("layout", OptionReaders::Formats(&[Format::Svg, Format::Dot, Format::Html])),
                ("threads", OptionReaders::Engines(&["asp"])),
                ("certify", OptionReaders::CERTIFIED),
                ("proof", OptionReaders::CERTIFIED),
            ],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let text = &document.text;
        match document.notation() {
            Notation::Json => {
                return if text.contains("\"rel\"") || text.contains("\"track\"") {
                    Role::Instance
                } else {
                    Role::Neither
                };
            }
            Notation::Plan => return Role::Instance,
            Notation::Svg => {
                return if text.contains("<path") || text.contains("<line") { Role::Instance } else { Role::Neither };
            }
            Notation::Dot => return if text.contains("->") { Role::Instance } else { Role::Neither },
            Notation::Program => {}
        }
        const TYPICAL: [&str; 7] = ["start", "target", "final_node", "color", "rel", "gate", "track"];
        if TYPICAL.iter().filter(|name| text.contains(**name)).count() < 2 {
            return Role::Neither;
        }
        let statements = syntax::statements(text);
        let has_fact = |name: &str| {
            let arity =
                PREDICATES.iter().find(|predicate| predicate.0 == name).map(|predicate| predicate.1.split(',').count());
            let head = arity.map(|arity| (name, arity));
            head.is_some() && statements.iter().any(|statement| statement.is_fact && statement.head == head)
        };
        let derives = |name: &str| statements.iter().any(|statement| statement.head == Some((name, 2)));
        let facts = TYPICAL.iter().filter(|name| has_fact(name)).count();
        if derives("game") {
            return if has_fact("rel") { Role::Neither } else { Role::Encoding };
        }
        let has_tracks = statements.iter().any(|statement| statement.head == Some(("track", 2)));
        if has_tracks && facts >= 1 || has_fact("rel") && facts >= 2 || facts >= 4 {
            Role::Instance
        } else {
            Role::Neither
        }
    }

    fn similarity(&self, document: &Document) -> f64 {
        let keys = ["\"start\"", "\"target\"", "\"color\"", "\"gate\""];
        match document.notation() {
            Notation::Json => keys.iter().filter(|key| document.text.contains(**key)).count() as f64 / 4.0,
            Notation::Dot | Notation::Plan => 1.0,
            Notation::Program | Notation::Svg => 0.0,
        }
    }

    fn parse(&self, job: &Job) -> Result<RailBoard, Failure> {
        let facts = instance::read(&job.documents, &job.settings, &job.stop)?;
        let network = Network::from_facts(&facts)?;
        if let (Some(_), Rules::Custom(names)) = (&facts.plan, &job.rules)
            && job.documents.iter().any(|document| names.contains(&document.name))
        {
            let text = "rules cannot be combined with a plan: they would not see the network derived from its tracks";
            return Err(Diagnostic::error(Code::Unsupported, text)
                .help("asp-solve convert FILE -f facts writes the network")
                .into());
        }
        let pattern = match &job.options::<RailOptions>().configuration {
            None => Pattern::any(&network),
            Some(text) => Pattern::parse(&network, text)
                .map_err(|error| Diagnostic::error(Code::Usage, format!("--configuration {text}: {error}")))?,
        };
        let requested: Vec<Outcome> =
            job.options::<RailOptions>().outcome.iter().flat_map(|filter| filter.outcomes()).collect();
        let has_no_gates = gate_rules(&job.rules) == Some(GateRule::NoGate);
        let (accepted, shown) = if !requested.is_empty() {
            (requested.clone(), requested)
        } else if has_no_gates || job.options::<RailOptions>().configuration.is_some() || job.show == Show::Page {
            (Outcome::ALL.to_vec(), Outcome::ALL.to_vec())
        } else {
            (vec![Outcome::Win], vec![Outcome::Win, Outcome::Cycle])
        };
        let RailOptions { layout, compress, .. } = *job.options::<RailOptions>();
        if compress.is_some() && job.show != Show::Pictures {
            return Err(Diagnostic::error(Code::Usage, "--compress goes with --format svg").into());
        }
        Ok(RailBoard {
            facts,
            network,
            pattern,
            accepted,
            shown,
            layout,
            laid: OnceLock::new(),
            tracks: OnceLock::new(),
            compress,
        })
    }

    fn default_engine(&self, board: &RailBoard, _: &Job) -> TripEngine {
        if fits_clingo(&board.network) { TripEngine::Asp } else { TripEngine::Simulation }
    }

    fn program(&self, board: &RailBoard, job: &Job) -> Result<asp::Program, Failure> {
        let mut program = instance_program(&board.facts, &job.documents);
        program.encoding = job.encodings.clone();
        if !job.options::<RailOptions>().outcome.is_empty() {
            program.additions.push(Document::in_memory("<outcome>", clingo::constraint(&board.accepted)));
        }
        if job.options::<RailOptions>().configuration.is_some() {
            let text = "--configuration works with the formats text and json; for answer sets, write a constraint in an encoding";
            return Err(Diagnostic::error(Code::Usage, text).into());
        }
        Ok(program)
    }

    /// Accepts certificates for two programs: one that enumerates all trips, and one that is
    /// restricted to the shown outcomes.
    fn certificate_difference(
        &self,
        board: &RailBoard,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        let program = instance_program(&board.facts, &job.documents);
        let mut first = None;
        for outcomes in [&[][..], &board.shown] {
            let question = trip_query(board, &program, outcomes, job);
            match clingo::certificate_difference(&question, certificate)? {
                None => return Ok(None),
                difference => first = first.or(difference),
            }
        }
        Ok(first)
    }

    fn solve(
        &self,
        board: &RailBoard,
        engine: TripEngine,
        job: &Job,
        sink: AnswerSink<'_, Trip>,
    ) -> Result<SearchEnd<RailProof>, Failure> {
        let network = &board.network;
        let limit = job.models.unwrap_or_else(|| match job.show {
            // `--configuration` asks for every trip that matches.
            _ if job.options::<RailOptions>().configuration.is_some() => 0,
            Show::Page => 0,
            // In small networks, find all trips, so that the first picture shows the first trip in
            // sorted order and not the first one found.
            Show::Pictures if fits_clingo(network) => 0,
            _ => 1,
        });
        let rules = gate_rules(&job.rules);
        let is_clingo = engine == TripEngine::Asp;
        let mut tally = Tally::default();
        let mut answers = 0;
        // Stored trips count against the memory limit too.
        let mut memory = job.limits.memory.unwrap_or(u64::MAX);
        let mut is_full = false;
        let stores_trips = job.show != Show::Verdict || job.asks_unique;
        let mut handle_trip = |leaf: &LazyTrip<'_>| {
            tally.count(leaf);
            let is_answer = board.accepted.contains(&leaf.outcome);
            answers += u64::from(is_answer);
            let is_last = is_answer && limit > 0 && answers >= limit;
            let flow = if board.shown.contains(&leaf.outcome) {
                let trip = (leaf.build)();
                let bytes = if stores_trips { trip.bytes() } else { 0 };
                is_full = bytes > memory;
                memory = memory.saturating_sub(bytes);
                sink(trip)?
            } else {
                // A trip from clingo is replayed even if it is only counted.
                if is_clingo && rules.is_some() {
                    replay::check(network, &(leaf.build)()).map_err(check_failure)?;
                }
                ControlFlow::Continue(())
            };
            Ok(if is_last || is_full { ControlFlow::Break(()) } else { flow })
        };

        // Trips with other outcomes are needed only for counts over all trips.
        let outcomes = if limit == 0 || rules.is_none() { &[][..] } else { &board.shown };
        let (mut engine_stats, mut end, mut warnings) = find_trips(board, engine, outcomes, job, &mut handle_trip)?;
        if is_full {
            end = Completion::Limit(StopReason::MemoryLimit);
        }
        // Pictures show dead ends, so they need no warning.
        if matches!(job.show, Show::Answers | Show::Verdict) {
            warnings.extend(network.lone_ends(&board.facts));
        }
        if let (true, Completion::Complete, Some(rules), false) = (is_clingo, end, rules, outcomes.is_empty()) {
            match count_by_simulation(board, rules, &tally, &job.stop)? {
                Ok(counts) => tally = counts,
                Err(reason) => end = Completion::Limit(reason),
            }
        }
        let ended = end.is_complete();
        let certificate = match (engine, engine_stats.certificate.take()) {
            (TripEngine::Simulation | TripEngine::Backward, _) if job.certify.is_requested() => {
                Some(Certification::uncertified("all", "no program stands behind this engine; --engine asp has one"))
            }
            (TripEngine::Asp, Some(_)) if job.asks_unique && answers > 1 => {
                Some(Certification::uncertified("no other", "two answers that differ need no proof"))
            }
            (_, certificate) => certificate,
        };
        let mut statistics = json!({});
        if limit == 0 || job.stats {
            statistics["search"] = engine_stats.json(engine, job.stats);
        }
        let verdict = match end.reason() {
            Some(reason) => Verdict::GaveUp(reason),
            _ if answers > 0 => Verdict::Solved,
            _ if ended => Verdict::Impossible,
            _ => Verdict::GaveUp(StopReason::Unproven),
        };
        let all = board.pattern.configurations(network);
        let mut cause = None;
        if let (Verdict::Impossible, Some(rules), [Outcome::Win]) = (verdict, rules, &board.accepted[..]) {
            match why::backward_reach(network, rules, &board.pattern, &job.stop) {
                Ok(Some(reach)) => {
                    reach.check(network).map_err(check_failure)?;
                    cause = Some(UnsolvableCause { parts: reach.parts(network, &board.facts), is_smallest: false });
                }
                // The verdict holds even if the search for its reasons reaches a limit.
                Ok(None) | Err(why::Interruption::Limit(_)) => {}
                Err(why::Interruption::Failed(failure)) => return Err(failure),
            }
        }
        let proof = RailProof { tally, all, counts_all: ended && limit == 0, cause, certificate };
        Ok(SearchEnd { verdict, complete: ended, proof, statistics, warnings })
    }

    /// A solution is a trip whose outcome counts as an answer. Configurations that differ only in
    /// levers and gates on which the trip does not depend are one solution.
    fn uniqueness(&self, known: &RunResult<Self>) -> Uniqueness {
        known.uniqueness_of(
            known.answers.iter().filter(|trip| known.board().accepted.contains(&trip.outcome)).count() as u64
        )
    }

    fn check_answer(&self, board: &RailBoard, trip: &Trip) -> Result<(), String> {
        replay::check(&board.network, trip)
    }

    /// Checks that the trips cover each configuration exactly once. Each configuration has exactly
    /// one trip, so no trip is then missing.
    fn verify_claims(&self, known: &RunResult<Self>) -> Result<(), String> {
        let RailBoard { network, accepted, shown, .. } = known.board();
        let (tally, total) = (&known.proof().tally, known.proof().tally.total());
        if known.complete && total != known.proof().all {
            return Err(format!("the trips found stand for {total} configurations of {}", known.proof().all));
        }
        if known.verdict == Verdict::Impossible && accepted.iter().any(|&outcome| tally.trips(outcome) > 0) {
            return Err("there are trips with the outcome reported as impossible".to_owned());
        }
        if !known.stores_all_answers() {
            return Ok(());
        }
        let counted = shown.iter().map(|&outcome| tally.trips(outcome)).sum::<u64>();
        if known.answers.len() as u64 != counted {
            return Err(format!("{} trips are shown, but {counted} were counted", known.answers.len()));
        }
        let is_counted = |outcome: &Outcome| {
            let same = known.answers.iter().filter(|trip| trip.outcome == *outcome);
            same.map(|trip| trip.configurations(network)).sum::<BigUint>() == tally.configurations(*outcome)
        };
        match shown.iter().find(|outcome| !is_counted(outcome)) {
            Some(outcome) => Err(format!("the trips that are a {} do not add up", outcome.name())),
            None => Ok(()),
        }
    }

    /// Restricts the program to the outcomes that count as answers.
    fn source(&self, board: &RailBoard, job: &Job) -> Result<ExplainInput, Failure> {
        let mut program = self.program(board, job)?;
        if board.accepted[..] != Outcome::ALL {
            program.additions.push(Document::in_memory("<outcome>", clingo::constraint(&board.accepted)));
        }
        Ok(program.into())
    }

    fn why(&self, board: &Arc<RailBoard>, job: &Job, question: &ExplainQuery) -> Result<Option<Explanation>, Failure> {
        let Some(rules) = gate_rules(&job.rules) else { return Ok(None) };
        match &question.kind {
            _ if !question.blame.is_empty() => reasons::of_verdict_alone(*self, board, job, question),
            QueryKind::About(asked) => why::about(board, asked, rules, &job.stop).map(Some),
            QueryKind::NoAnswer if question.fix => {
                let text = "--fix does not remove facts of a railway";
                Err(Diagnostic::error(Code::NoSolution, text)
                    .help("asp-solve repair FILE --goal solution redirects the fewest arcs")
                    .into())
            }
            QueryKind::NoAnswer => why::no_win(board, rules, &job.stop, question).map(Some),
            _ => reasons::of_verdict_alone(*self, board, job, question),
        }
    }

    fn game(&self, board: &Arc<RailBoard>, job: &Job) -> Result<Option<Box<dyn Game>>, Failure> {
        let Some(rules) = gate_rules(&job.rules) else { return Ok(None) };
        Ok(Some(Box::new(play::RailGame::new(board, rules, &job.stop)?)))
    }

    fn cause<'a>(&self, known: &'a RunResult<Self>) -> Option<&'a UnsolvableCause> {
        known.proof().cause.as_ref()
    }

    fn certificate<'a>(&self, known: &'a RunResult<Self>) -> Option<&'a Certification> {
        known.proof().certificate.as_ref()
    }

    fn sort(&self, trips: &mut [Trip]) {
        trips.sort_by(|a, b| a.outcome.cmp(&b.outcome).then_with(|| a.compare(b)));
    }

    fn json(&self, board: &RailBoard, trip: &Trip) -> Value {
        json!(answer::answer(&board.network, trip))
    }

    fn text(&self, known: &RunResult<Self>, style: &Style) -> String {
        text::page(known, style)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&convert::Convert, &expand::Expand, &rate::Rate, &repair::Repair, &generate::GenerateNetwork]
    }

    fn table(&self, board: &RailBoard, trips: &[Trip]) -> Table {
        let rows = |(number, trip)| answer::rows(&board.network, trip).into_iter().map(move |row| (number, row));
        let rows = trips.iter().enumerate().flat_map(rows).collect();
        Table { columns: answer::columns(&board.network), rows, settings: answer::choices(&board.network) }
    }

    fn draw(&self, known: &RunResult<Self>, trip: Option<&Trip>) -> Result<Option<Picture>, Failure> {
        let RailBoard { network, compress, .. } = known.board();
        if let Some(kind) = *compress {
            return Ok(Some(copies::compressed_network(network, kind, &known.job.stop)));
        }
        let (board, stop) = (known.board(), &known.job.stop);
        Ok(Some(trip.map_or_else(|| board.picture(stop), |trip| board.trip_picture(trip, stop).0)))
    }

    fn graph(&self, board: &RailBoard, trip: Option<&Trip>) -> Option<Graph> {
        Some(match trip {
            Some(trip) => drawing::with_trip(&board.network, trip),
            None => drawing::graph(&board.network),
        })
    }
}

/// Passes every trip to `take`. Returns the statistics of the engine, whether it found all trips,
/// and warnings.
fn find_trips(
    board: &RailBoard,
    engine: TripEngine,
    outcomes: &[Outcome],
    job: &Job,
    take: clingo::TripSink<'_>,
) -> Result<(EngineStats, Completion, clingo::Warnings), Failure> {
    let RailBoard { network, pattern, .. } = board;
    let rules = gate_rules(&job.rules);
    let native = |(engine_stats, end)| (engine_stats, end, Vec::new());
    let memory = MemoryLimit::of(&job.limits);
    match (engine, rules) {
        (TripEngine::Simulation, Some(rules)) => {
            simulation::simulate_with_limit(network, rules, pattern, memory, &job.stop, take).map(native)
        }
        (TripEngine::Backward, Some(rules)) => {
            backward::trips(network, rules, pattern, memory, &job.stop, take).map(native)
        }
        _ => {
            let program = instance_program(&board.facts, &job.documents);
            let (engine_stats, ended, warnings) = clingo::trips(&trip_query(board, &program, outcomes, job), take)?;
            let end = match job.stop.requested() {
                _ if ended => Completion::Complete,
                Some(reason) => Completion::Limit(reason),
                None => Completion::Enough,
            };
            Ok((engine_stats, end, warnings))
        }
    }
}

fn trip_query<'a>(
    board: &'a RailBoard,
    program: &'a asp::Program,
    outcomes: &'a [Outcome],
    job: &'a Job,
) -> clingo::TripQuery<'a> {
    clingo::TripQuery {
        network: &board.network,
        program,
        encodings: &job.encodings,
        settings: &job.settings,
        rules: &job.rules,
        gate_rule: gate_rules(&job.rules),
        outcomes,
        pattern: &board.pattern,
        stop: &job.stop,
        job: Some(job),
    }
}

/// Confirms the counts in `found`, which come from clingo, by simulation. (Results of clingo are
/// reported as proven only if a second engine agrees.)
///
/// Returns the counts over all configurations, or the limit that ended the simulation. Fails if the
/// engines disagree.
fn count_by_simulation(
    board: &RailBoard,
    rules: GateRule,
    found: &Tally,
    stop: &CancelToken,
) -> Result<Result<Tally, StopReason>, Failure> {
    let mut counts = Tally::default();
    let mut count = |leaf: &LazyTrip<'_>| {
        counts.count(leaf);
        Ok(ControlFlow::Continue(()))
    };
    let (_, end) = simulation::simulate(&board.network, rules, &board.pattern, stop, &mut count)?;
    if let Some(reason) = end.reason() {
        return Ok(Err(reason));
    }
    if board.shown.iter().any(|&outcome| counts.configurations(outcome) != found.configurations(outcome)) {
        return Err(check_failure("clingo finds other trips than the simulation".to_owned()));
    }
    Ok(Ok(counts))
}

/// Creates the error for a result that fails a consistency check.
fn check_failure(error: String) -> Failure {
    Diagnostic::error(Code::RejectedAnswer, format!("the result does not pass the check: {error}")).into()
}

/// Returns true if clingo grounds the encoding for `network` within seconds.
fn fits_clingo(network: &Network) -> bool {
    network.nodes.len() <= MAX_CLINGO_NODES
        && Pattern::any(network).configurations(network) <= BigUint::from(MAX_CLINGO_CONFIGURATIONS)
}

/// Returns the gate rule of the built-in encodings, or `None` for custom rules.
fn gate_rules(rules: &Rules) -> Option<GateRule> {
    match rules {
        Rules::BuiltIn(name) if *name == NO_GATE.name => Some(GateRule::NoGate),
        Rules::BuiltIn(_) => Some(GateRule::DynamicGate),
        Rules::Custom(_) => None,
    }
}

/// Returns the instance for clingo: the documents if they are logic programs that describe a
/// network, otherwise the facts of the network.
fn instance_program(facts: &Facts, documents: &[Document]) -> asp::Program {
    let are_programs = documents.iter().all(|document| document.notation() == Notation::Program);
    if are_programs && facts.plan.is_none() {
        asp::Program::of(documents.to_vec())
    } else {
        asp::Program { facts: facts.symbols(), ..asp::Program::default() }
    }
}
