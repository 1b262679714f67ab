//! The mine railway of the game Deponia, and any other like it.
//!
//! A trolley enters a mine at a start. Each fork has a colour, and the lever of that colour decides which way it leads.
//! Each gate has a colour that the player chooses before the trip; each crossing moves that colour's lever to its next
//! state. The trip is then determined: it is won at a target, lost at another final node, stuck where no way leads on,
//! or it is a cycle: it comes to the same node with the same levers twice.
//!
//! ```
//! use asp_solve::puzzle::rail::Outcome;
//! use asp_solve::{Job, Rail, solve};
//!
//! let mut job = Job::of("start(a). target(z). final_node(y). color(a, red). rel(a, 1, y). rel(a, 2, z).");
//! job.models = Some(0);
//! let solved = solve(Rail, job)?;
//! let [trip] = solved.answers() else { panic!("one trip wins") };
//! assert_eq!((trip.outcome, trip.nodes.len()), (Outcome::Win, 2));
//! assert_eq!(trip.configurations(solved.board().network()), 1_u8.into());
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! | room | what it holds |
//! |---|---|
//! | `network/` | the network, its notations (facts, JSON, Graphviz), and all that can be wrong with one |
//! | `trips/` | trips, outcomes, configurations; how many there are of each; the replay by the rules |
//! | `engines/` | the searches for trips: clingo, the simulation, the search from the ends |
//! | `output/` | trips for a person, in JSON, as graphs and pictures |
//! | `tools/` | the commands: `expand`, `rate`, `repair`, `generate` |
//! | `played.rs` | the railway in play |
//! | `why.rs` | why no trip wins, and why one does not |

mod engines;
mod network;
mod output;
mod played;
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

use super::{About, Because, Encoding, Fits, Found, Puzzle, Readers, Role, Shipped, Solved, Table, reasons, rules};
use crate::asp::{self, syntax};
use crate::certificate::Certificate;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Certified, Ending, Uniqueness, Verdict};
use crate::graph::layout::Layout;
use crate::graph::{Graph, Laid, power};
use crate::job::{Job, Rules, Show};
use crate::picture::{Picture, Point};
use crate::played::Game;
use crate::puzzle::Tool;
use crate::report::{Format, Style};
use crate::stop::{Reason, Stop};
use crate::why::{Asks, Question, Source, Told};
use engines::{Effort, End, Engine, Memory, backward, grounded, simulation};
use network::facts::{Facts, NAMES, PREDICATES};
use network::instance;
pub use network::{Color, Name, Network, Node, NodeId};
use output::tracks::Tracks;
use output::{answer, drawing, text};
use tools::{convert, copies, expand, generate, rate, repair};
use trips::tally::{Proof, Tally};
pub use trips::{GateRule, Outcome, Trip};
use trips::{Leaf, Pattern, replay};

#[derive(Debug, Clone, Copy)]
pub struct Rail;

const RAILWAY: Shipped = rules::shipped!("rail/railway.lp");
const STATES: Shipped = rules::shipped!("rail/states.lp");
const DYNAMIC_GATE: Encoding =
    Encoding { name: "dynamic-gate", files: &[rules::shipped!("rail/dynamic_gate.lp"), RAILWAY] };
const NO_GATE: Encoding = Encoding { name: "no-gate", files: &[rules::shipped!("rail/no_gate.lp"), RAILWAY] };
const EXPANDED: Encoding =
    Encoding { name: "expanded", files: &[RAILWAY, STATES, rules::shipped!("rail/expanded.lp")] };
const TRACKS: Encoding = Encoding { name: "tracks", files: &[RAILWAY, rules::shipped!("rail/tracks.lp")] };
const REPAIR: Encoding = Encoding { name: "repair", files: &[RAILWAY, STATES, rules::shipped!("rail/repair.lp")] };

/// Beyond either of these, clingo would ground for long: the simulation is the better engine.
const GROUNDED_NODES: usize = 300;
const GROUNDED_CONFIGURATIONS: u64 = 1_000_000;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for rail")]
pub struct Options {
    /// Trips to show [default: wins, and cycles, which are a defect of the puzzle]
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',')]
    pub outcome: Vec<Wanted>,
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
pub enum Wanted {
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
    layout: Layout,
    /// Where the network's graph stands, or the plan's tracks, once something is drawn.
    laid: OnceLock<Laid>,
    tracks: OnceLock<Tracks>,
    compress: Option<power::Kind>,
}

impl Board {
    /// Its nodes by name, its colours, levers and gates.
    pub fn network(&self) -> &Network {
        &self.network
    }

    fn laid(&self, stop: &Stop) -> Cow<'_, Laid> {
        let Ok(laid) = stop.kept(&self.laid, || Ok::<_, Infallible>(drawing::laid(&self.network, self.layout, stop)));
        laid
    }

    fn tracks(&self, stop: &Stop) -> Option<Cow<'_, Tracks>> {
        let plan = self.facts.plan.as_ref()?;
        let make = || Ok::<_, Infallible>(Tracks::new(&self.network, plan, self.layout, stop));
        let Ok(tracks) = stop.kept(&self.tracks, make);
        Some(tracks)
    }

    /// The network or its plan, without a trip.
    fn picture(&self, stop: &Stop) -> Picture {
        match self.tracks(stop) {
            Some(tracks) => tracks.picture(&self.network),
            None => drawing::picture(&self.network, &self.laid(stop)),
        }
    }

    /// The trolley on its trip, and where the knob of each lever stands in each of its states.
    fn trip_picture(&self, trip: &Trip, stop: &Stop) -> (Picture, Vec<Vec<Point>>) {
        match self.tracks(stop) {
            Some(tracks) => tracks.trip_picture(&self.network, trip),
            None => drawing::trip_picture(&self.network, &self.laid(stop), trip),
        }
    }
}

impl Puzzle for Rail {
    type Options = Options;
    type Engine = Engine;
    type Board = Board;
    type Answer = Trip;
    type Proof = Proof;

    fn about(&self) -> About {
        About {
            name: "rail",
            summary: "a mine railway: a lever for each colour sets its switches, and gates flip levers",
            input: "facts start/1, target/1, color/2, rel/3, gate/2; also as JSON or Graphviz; or a plan in lines like `a red: stem s, 1 t, 2 u`",
            more: &[],
            example: "echo 'start(a). target(t). final_node(s). color(a,red). rel(a,1,t). rel(a,2,s).' | asp-solve - -n 0",
            encodings: &[DYNAMIC_GATE, NO_GATE],
            facts: &NAMES,
            has_options_for_answer_sets: false,
            fits: Fits::Object,
            pictures: &[Format::Svg, Format::Dot, Format::Html],
            read_by: &[
                ("layout", Readers::Formats(&[Format::Svg, Format::Dot, Format::Html])),
                ("threads", Readers::Engines(&["asp"])),
                ("certify", Readers::CERTIFIED),
                ("proof", Readers::CERTIFIED),
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
        const OWN: [&str; 7] = ["start", "target", "final_node", "color", "rel", "gate", "track"];
        if OWN.iter().filter(|name| text.contains(**name)).count() < 2 {
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
        let facts = OWN.iter().filter(|name| has_fact(name)).count();
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

    fn resembles(&self, document: &Document) -> f64 {
        let keys = ["\"start\"", "\"target\"", "\"color\"", "\"gate\""];
        match document.notation() {
            Notation::Json => keys.iter().filter(|key| document.text.contains(**key)).count() as f64 / 4.0,
            Notation::Dot | Notation::Plan => 1.0,
            Notation::Program | Notation::Svg => 0.0,
        }
    }

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        let facts = instance::read(&job.documents, &job.settings, &job.stop)?;
        let network = Network::from_facts(&facts)?;
        if let (Some(_), Rules::Yours(names)) = (&facts.plan, &job.rules)
            && job.documents.iter().any(|document| names.contains(&document.name))
        {
            let text = "rules beside a plan: they would not know the network that follows from its tracks";
            return Err(Diagnostic::error(text).help("asp-solve convert FILE -f facts writes the network").into());
        }
        let pattern = match &job.options::<Options>().configuration {
            None => Pattern::any(&network),
            Some(text) => Pattern::parse(&network, text)
                .map_err(|error| Diagnostic::error(format!("--configuration {text}: {error}")))?,
        };
        let chosen: Vec<Outcome> =
            job.options::<Options>().outcome.iter().flat_map(|wanted| wanted.outcomes()).collect();
        let decides_nothing = gate_rules(&job.rules) == Some(GateRule::NoGate);
        let (sought, shown) = if !chosen.is_empty() {
            (chosen.clone(), chosen)
        } else if decides_nothing || job.options::<Options>().configuration.is_some() || job.show == Show::Page {
            (Outcome::ALL.to_vec(), Outcome::ALL.to_vec())
        } else {
            (vec![Outcome::Win], vec![Outcome::Win, Outcome::Cycle])
        };
        let Options { layout, compress, .. } = *job.options::<Options>();
        if compress.is_some() && job.show != Show::Pictures {
            return Err(Diagnostic::error("--compress goes with --format svg").into());
        }
        Ok(Board {
            facts,
            network,
            pattern,
            sought,
            shown,
            layout,
            laid: OnceLock::new(),
            tracks: OnceLock::new(),
            compress,
        })
    }

    fn usual_engine(&self, board: &Board, _: &Job) -> Engine {
        if takes_grounding(&board.network) { Engine::Asp } else { Engine::Simulation }
    }

    fn program(&self, board: &Board, job: &Job) -> Result<asp::Program, Failure> {
        let mut program = instance_program(&board.facts, &job.documents);
        program.encoding = job.encodings.clone();
        if !job.options::<Options>().outcome.is_empty() {
            program.additions.push(Document::in_memory("<outcome>", grounded::constraint(&board.sought)));
        }
        if job.options::<Options>().configuration.is_some() {
            let text = "--configuration works with the formats text and json; for answer sets, write a constraint in an encoding";
            return Err(Diagnostic::error(text).into());
        }
        Ok(program)
    }

    /// The program that finds all trips, or those of the outcomes that are sought.
    fn certificate_difference(
        &self,
        board: &Board,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        let program = instance_program(&board.facts, &job.documents);
        let mut first = None;
        for outcomes in [&[][..], &board.shown] {
            let question = question_of(board, &program, outcomes, job);
            match grounded::certificate_difference(&question, certificate)? {
                None => return Ok(None),
                difference => first = first.or(difference),
            }
        }
        Ok(first)
    }

    fn solve(
        &self,
        board: &Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Trip>,
    ) -> Result<Ending<Proof>, Failure> {
        let network = &board.network;
        let limit = job.models.unwrap_or_else(|| match job.show {
            // A question about a configuration is answered in full.
            _ if job.options::<Options>().configuration.is_some() => 0,
            Show::Page => 0,
            // The first picture is that of the first answer in their order, whichever is found first, where it takes no
            // more than a moment to find them all.
            Show::Pictures if takes_grounding(network) => 0,
            _ => 1,
        });
        let rules = gate_rules(&job.rules);
        let is_clingo = engine == Engine::Asp;
        let mut tally = Tally::default();
        let mut answers = 0;
        // What is kept takes memory as well.
        let mut memory = job.limits.memory.unwrap_or(u64::MAX);
        let mut is_full = false;
        let keeps_all = job.show != Show::Verdict || job.asks_unique;
        let mut take = |leaf: &Leaf<'_>| {
            tally.count(leaf);
            let is_sought = board.sought.contains(&leaf.outcome);
            answers += u64::from(is_sought);
            let is_last = is_sought && limit > 0 && answers >= limit;
            let flow = if board.shown.contains(&leaf.outcome) {
                let trip = (leaf.trip)();
                let bytes = if keeps_all { trip.bytes() } else { 0 };
                is_full = bytes > memory;
                memory = memory.saturating_sub(bytes);
                found(trip)?
            } else {
                // What clingo only counts is replayed as well.
                if is_clingo && rules.is_some() {
                    replay::check(network, &(leaf.trip)()).map_err(disagree)?;
                }
                ControlFlow::Continue(())
            };
            Ok(if is_last || is_full { ControlFlow::Break(()) } else { flow })
        };

        // With all answers wanted the losses are counted too; otherwise clingo need not look for them.
        let outcomes = if limit == 0 || rules.is_none() { &[][..] } else { &board.shown };
        let (mut effort, mut end, mut warnings) = trips(board, engine, outcomes, job, &mut take)?;
        if is_full {
            end = End::Limit(Reason::MemoryLimit);
        }
        // A picture shows them.
        if matches!(job.show, Show::Answers | Show::Verdict) {
            warnings.extend(network.lone_ends(&board.facts));
        }
        if let (true, End::Complete, Some(rules), false) = (is_clingo, end, rules, outcomes.is_empty()) {
            match counted_by_simulation(board, rules, &tally, &job.stop)? {
                Ok(whole) => tally = whole,
                Err(reason) => end = End::Limit(reason),
            }
        }
        let ended = end.is_complete();
        let certificate = match (engine, effort.certificate.take()) {
            (Engine::Simulation | Engine::Backward, _) if job.certify.is_asked() => {
                Some(Certified::not("all", "no program stands behind this engine; --engine asp has one"))
            }
            (Engine::Asp, Some(_)) if job.asks_unique && answers > 1 => {
                Some(Certified::not("no other", "two answers that differ need no proof"))
            }
            (_, certificate) => certificate,
        };
        let mut statistics = json!({});
        if limit == 0 || job.stats {
            statistics["search"] = effort.json(engine, job.stats);
        }
        let verdict = match end.reason() {
            Some(reason) => Verdict::GaveUp(reason),
            _ if answers > 0 => Verdict::Solved,
            _ if ended => Verdict::Impossible,
            _ => Verdict::GaveUp(Reason::Unproven),
        };
        let all = board.pattern.configurations(network);
        let mut because = None;
        if let (Verdict::Impossible, Some(rules), [Outcome::Win]) = (verdict, rules, &board.sought[..]) {
            match why::behind(network, rules, &board.pattern, &job.stop) {
                Ok(Some(behind)) => {
                    behind.check(network).map_err(disagree)?;
                    because = Some(Because { parts: behind.parts(network, &board.facts), is_smallest: false });
                }
                // Without time for the reasons the verdict stays.
                Ok(None) | Err(why::Halt::Limit(_)) => {}
                Err(why::Halt::Failed(failure)) => return Err(failure),
            }
        }
        let proof = Proof { tally, all, counts_all: ended && limit == 0, because, certificate };
        Ok(Ending { verdict, complete: ended, proof, statistics, warnings })
    }

    /// A solution is a trip that was looked for; configurations that differ in what cannot matter are one.
    fn uniqueness(&self, known: &Solved<Self>) -> Uniqueness {
        known.uniqueness_of(
            known.answers.iter().filter(|trip| known.board().sought.contains(&trip.outcome)).count() as u64
        )
    }

    fn check(&self, board: &Board, trip: &Trip) -> Result<(), String> {
        replay::check(&board.network, trip)
    }

    /// Every configuration has one trip, so that trips which were replayed and stand for all of them are all there are.
    fn vouch(&self, known: &Solved<Self>) -> Result<(), String> {
        let Board { network, sought, shown, .. } = known.board();
        let (tally, total) = (&known.proof().tally, known.proof().tally.total());
        if known.complete && total != known.proof().all {
            return Err(format!("the trips found stand for {total} configurations of {}", known.proof().all));
        }
        if known.verdict == Verdict::Impossible && sought.iter().any(|&outcome| tally.trips(outcome) > 0) {
            return Err("there are trips of the kind that is said to be impossible".to_owned());
        }
        if !known.keeps_all() {
            return Ok(());
        }
        let counted = shown.iter().map(|&outcome| tally.trips(outcome)).sum::<u64>();
        if known.answers.len() as u64 != counted {
            return Err(format!("{} trips are shown, but {counted} were counted", known.answers.len()));
        }
        let is_counted = |outcome: &Outcome| {
            let same = known.answers.iter().filter(|trip| trip.outcome == *outcome);
            same.map(|trip| trip.configurations(network)).sum::<BigUint>() == tally.of(*outcome)
        };
        match shown.iter().find(|outcome| !is_counted(outcome)) {
            Some(outcome) => Err(format!("the trips that are a {} do not add up", outcome.name())),
            None => Ok(()),
        }
    }

    /// The program asks for the trips that the run asks for.
    fn source(&self, board: &Board, job: &Job) -> Result<Source, Failure> {
        let mut program = self.program(board, job)?;
        if board.sought[..] != Outcome::ALL {
            program.additions.push(Document::in_memory("<outcome>", grounded::constraint(&board.sought)));
        }
        Ok(program.into())
    }

    fn why(&self, board: &Arc<Board>, job: &Job, question: &Question) -> Result<Option<Told>, Failure> {
        let Some(rules) = gate_rules(&job.rules) else { return Ok(None) };
        match &question.asks {
            _ if !question.blame.is_empty() => reasons::of_verdict_alone(*self, board, job, question),
            Asks::About(asked) => why::about(board, asked, rules, &job.stop).map(Some),
            Asks::Nothing if question.fix => {
                let text = "--fix: facts of a railway are not given up, its arcs are redirected";
                Err(Diagnostic::error(text).help("asp-solve repair FILE --goal solution redirects the fewest").into())
            }
            Asks::Nothing => why::no_win(board, rules, &job.stop, question).map(Some),
            _ => reasons::of_verdict_alone(*self, board, job, question),
        }
    }

    fn game(&self, board: &Arc<Board>, job: &Job) -> Result<Option<Box<dyn Game>>, Failure> {
        let Some(rules) = gate_rules(&job.rules) else { return Ok(None) };
        Ok(Some(Box::new(played::Ridden::new(board, rules, &job.stop)?)))
    }

    fn because<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Because> {
        known.proof().because.as_ref()
    }

    fn certificate<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Certified> {
        known.proof().certificate.as_ref()
    }

    fn sort(&self, trips: &mut [Trip]) {
        trips.sort_by(|a, b| a.outcome.cmp(&b.outcome).then_with(|| a.compare(b)));
    }

    fn json(&self, board: &Board, trip: &Trip) -> Value {
        json!(answer::answer(&board.network, trip))
    }

    fn text(&self, known: &Solved<Self>, style: &Style) -> String {
        text::page(known, style)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&convert::Convert, &expand::Expand, &rate::Rate, &repair::Repair, &generate::Generate]
    }

    fn table(&self, board: &Board, trips: &[Trip]) -> Table {
        let rows = |(number, trip)| answer::rows(&board.network, trip).into_iter().map(move |row| (number, row));
        let rows = trips.iter().enumerate().flat_map(rows).collect();
        Table { columns: answer::columns(&board.network), rows, settings: answer::settings(&board.network) }
    }

    fn draw(&self, known: &Solved<Self>, trip: Option<&Trip>) -> Result<Option<Picture>, Failure> {
        let Board { network, compress, .. } = known.board();
        if let Some(kind) = *compress {
            return Ok(Some(copies::compressed_network(network, kind, &known.job.stop)));
        }
        let (board, stop) = (known.board(), &known.job.stop);
        Ok(Some(trip.map_or_else(|| board.picture(stop), |trip| board.trip_picture(trip, stop).0)))
    }

    fn graph(&self, board: &Board, trip: Option<&Trip>) -> Option<Graph> {
        Some(match trip {
            Some(trip) => drawing::with_trip(&board.network, trip),
            None => drawing::graph(&board.network),
        })
    }
}

/// Hands every trip to `take`; also what the engine did, whether it came to its end, and what there is to say besides.
fn trips(
    board: &Board,
    engine: Engine,
    outcomes: &[Outcome],
    job: &Job,
    take: grounded::Found<'_>,
) -> Result<(Effort, End, grounded::Said), Failure> {
    let Board { network, pattern, .. } = board;
    let rules = gate_rules(&job.rules);
    let native = |(effort, end)| (effort, end, Vec::new());
    let memory = Memory::of(&job.limits);
    match (engine, rules) {
        (Engine::Simulation, Some(rules)) => {
            simulation::simulate_within(network, rules, pattern, memory, &job.stop, take).map(native)
        }
        (Engine::Backward, Some(rules)) => {
            backward::trips(network, rules, pattern, memory, &job.stop, take).map(native)
        }
        _ => {
            let program = instance_program(&board.facts, &job.documents);
            let (effort, ended, said) = grounded::trips(&question_of(board, &program, outcomes, job), take)?;
            let end = match job.stop.requested() {
                _ if ended => End::Complete,
                Some(reason) => End::Limit(reason),
                None => End::Enough,
            };
            Ok((effort, end, said))
        }
    }
}

fn question_of<'a>(
    board: &'a Board,
    program: &'a asp::Program,
    outcomes: &'a [Outcome],
    job: &'a Job,
) -> grounded::Question<'a> {
    grounded::Question {
        network: &board.network,
        program,
        encodings: &job.encodings,
        settings: &job.settings,
        rules: &job.rules,
        gates: gate_rules(&job.rules),
        outcomes,
        pattern: &board.pattern,
        stop: &job.stop,
        job: Some(job),
    }
}

/// What clingo alone says is not proven before the simulation agrees: its counts of all configurations, or the limit
/// that ended it before.
fn counted_by_simulation(
    board: &Board,
    rules: GateRule,
    found: &Tally,
    stop: &Stop,
) -> Result<Result<Tally, Reason>, Failure> {
    let mut whole = Tally::default();
    let mut count = |leaf: &Leaf<'_>| {
        whole.count(leaf);
        Ok(ControlFlow::Continue(()))
    };
    let (_, end) = simulation::simulate(&board.network, rules, &board.pattern, stop, &mut count)?;
    if let Some(reason) = end.reason() {
        return Ok(Err(reason));
    }
    if board.shown.iter().any(|&outcome| whole.of(outcome) != found.of(outcome)) {
        return Err(disagree("clingo finds other trips than the simulation".to_owned()));
    }
    Ok(Ok(whole))
}

/// Two engines of ours that do not agree.
fn disagree(error: String) -> Failure {
    Diagnostic::error(format!("what was found does not pass the check: {error}")).into()
}

/// Whether clingo grounds the encoding for it in seconds.
fn takes_grounding(network: &Network) -> bool {
    network.nodes.len() <= GROUNDED_NODES
        && Pattern::any(network).configurations(network) <= BigUint::from(GROUNDED_CONFIGURATIONS)
}

/// What the rules say of gates; `None` if they are somebody's own.
fn gate_rules(rules: &Rules) -> Option<GateRule> {
    match rules {
        Rules::Shipped(name) if *name == NO_GATE.name => Some(GateRule::NoGate),
        Rules::Shipped(_) => Some(GateRule::DynamicGate),
        Rules::Yours(_) => None,
    }
}

/// The instance for clingo: logic programs as they are, other notations and plans as facts of the network.
fn instance_program(facts: &Facts, documents: &[Document]) -> asp::Program {
    let is_program = documents.iter().all(|document| document.notation() == Notation::Program);
    if is_program && facts.plan.is_none() {
        asp::Program::of(documents.to_vec())
    } else {
        asp::Program { facts: facts.symbols(), ..asp::Program::default() }
    }
}
