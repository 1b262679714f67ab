//! The puzzle `rail`.

use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::Rail;
use super::board::{RailBoard, RailOptions};
use super::encodings::{DYNAMIC_GATE, NO_GATE, gate_rules};
use super::engines::{TripEngine, clingo, fits_clingo};
use super::network::Network;
use super::network::fact::{NAMES, PREDICATES};
use super::network::instance::{self, instance_program};
use super::network::lines;
use super::output::{answer, drawing, text};
use super::tools::{convert, expand, generate, rate, repair};
use super::trips::tally::RailProof;
use super::trips::{GateRule, Outcome, Pattern, Trip, replay};
use super::{play, solve, why};
use crate::asp::{self, syntax};
use crate::certificate::Certificate;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{SearchEnd, Uniqueness, Verdict};
use crate::graph::Graph;
use crate::job::{Job, Rules, Show};
use crate::picture::Picture;
use crate::play::Game;
use crate::puzzle::{
    About, AnswerSink, Capabilities, ClingoProgram, CountSolutions, Describe, Draw, DrawGraph, Explain, InputDocuments,
    InstanceUnit, OpenBoard, OptionReaders, Playable, Puzzle, Role, RunResult, Table, Tabulate, reasons,
    unsupported_rules,
};
use crate::report::{Format, Style};
use crate::why::{ExplainInput, ExplainQuery, Explanation, QueryKind};

impl Describe for Rail {
    fn about(&self) -> About {
        About {
            name: "rail",
            summary: "a mine railway: a lever for each colour sets its forks, and gates move levers",
            input: "facts start/1, target/1, color/2, rel/3, gate/2; also as JSON or Graphviz; or a plan in lines like `a red: stem s, 1 t, 2 u`",
            example: "echo 'start(a). target(t). final_node(s). color(a,red). rel(a,1,t). rel(a,2,s).' | asp-solve - -n 0",
            encodings: &[DYNAMIC_GATE, NO_GATE],
            facts: &NAMES,
            instance_unit: InstanceUnit::Object,
            pictures: &[Format::Svg, Format::Dot, Format::Html],
            read_by: &[
                ("layout", OptionReaders::Formats(&[Format::Svg, Format::Dot, Format::Html])),
                ("certify", OptionReaders::CERTIFIED),
                ("proof", OptionReaders::CERTIFIED),
            ],
            tools: &[&convert::Convert, &expand::Expand, &rate::RATE, &repair::Repair, &generate::GenerateNetwork],
            ..About::default()
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
            Notation::Svg => {
                return if text.contains("<path") || text.contains("<line") { Role::Instance } else { Role::Neither };
            }
            Notation::Dot => return if text.contains("->") { Role::Instance } else { Role::Neither },
            Notation::Program if lines::is_plan(document) => return Role::Instance,
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
            Notation::Dot => 1.0,
            Notation::Program if lines::is_plan(document) => 1.0,
            Notation::Program | Notation::Svg => 0.0,
        }
    }

    fn inputs(&self) -> &dyn InputDocuments {
        self
    }
}

impl InputDocuments for Rail {
    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        instance::programs(documents)
    }
}

impl OpenBoard for Rail {
    type Options = RailOptions;
    type Engine = TripEngine;
    type Board = RailBoard;

    fn parse(&self, job: &Job) -> Result<RailBoard, Failure> {
        let facts = instance::read(&job.sources.documents, &job.engine.settings, &job.stop)?;
        let network = Network::from_facts(&facts)?;
        if let (Some(_), Rules::Custom(names)) = (&facts.plan, &job.rules)
            && job.sources.documents.iter().any(|document| names.contains(&document.name))
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
        } else if has_no_gates || job.options::<RailOptions>().configuration.is_some() || job.output.show == Show::Page
        {
            (Outcome::ALL.to_vec(), Outcome::ALL.to_vec())
        } else {
            (vec![Outcome::Win], vec![Outcome::Win, Outcome::Cycle])
        };
        let RailOptions { layout, compress, .. } = *job.options::<RailOptions>();
        if compress.is_some() && job.output.show != Show::Pictures {
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
}

impl Puzzle for Rail {
    type Answer = Trip;
    type Proof = RailProof;

    fn solve(
        &self,
        board: &RailBoard,
        engine: TripEngine,
        job: &Job,
        sink: AnswerSink<'_, Trip>,
    ) -> Result<SearchEnd<RailProof>, Failure> {
        solve::solve(board, engine, job, sink)
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

    fn json(&self, board: &RailBoard, trip: &Trip) -> Value {
        json!(answer::answer(&board.network, trip))
    }

    fn text(&self, known: &RunResult<Self>, style: &Style) -> String {
        text::page(known, style)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            program: Some(self),
            explain: Some(self),
            play: Some(self),
            draw: Some(self),
            graph: Some(self),
            table: Some(self),
            solutions: Some(self),
            sort: Some(sort_trips),
            ..Capabilities::default()
        }
    }
}

impl ClingoProgram<Rail> for Rail {
    fn program(&self, board: &RailBoard, job: &Job) -> Result<asp::Program, Failure> {
        let mut program = instance_program(&board.facts, &job.sources.documents);
        program.encoding = job.sources.encodings.clone();
        if !job.options::<RailOptions>().outcome.is_empty() {
            program.additions.push(Document::in_memory("<outcome>", clingo::constraint(&board.accepted)));
        }
        if job.options::<RailOptions>().configuration.is_some() {
            let text = "--configuration works with the formats text and json; for answer sets, write a constraint in an encoding";
            return Err(Diagnostic::error(Code::Usage, text).into());
        }
        Ok(program)
    }

    /// Restricts the program to the outcomes that count as answers.
    fn source(&self, board: &RailBoard, job: &Job) -> Result<ExplainInput, Failure> {
        let mut program = self.program(board, job)?;
        if board.accepted[..] != Outcome::ALL {
            program.additions.push(Document::in_memory("<outcome>", clingo::constraint(&board.accepted)));
        }
        Ok(program.into())
    }

    /// Accepts certificates for two programs: one that enumerates all trips, and one that is
    /// restricted to the shown outcomes.
    fn certificate_difference(
        &self,
        board: &RailBoard,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        let program = instance_program(&board.facts, &job.sources.documents);
        let mut first = None;
        for outcomes in [&[][..], &board.shown] {
            let question = solve::trip_query(board, &program, outcomes, job);
            match clingo::certificate_difference(&question, certificate)? {
                None => return Ok(None),
                difference => first = first.or(difference),
            }
        }
        Ok(first)
    }
}

impl Explain<Rail> for Rail {
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
}

impl Playable<Rail> for Rail {
    fn game(&self, board: &Arc<RailBoard>, job: &Job) -> Result<Box<dyn Game>, Failure> {
        let rules = gate_rules(&job.rules).ok_or_else(|| unsupported_rules("play", &job.rules))?;
        Ok(Box::new(play::RailGame::new(board, rules, &job.stop)?))
    }
}

impl Draw<Rail> for Rail {
    fn draw(&self, known: &RunResult<Self>, trip: Option<&Trip>) -> Result<Option<Picture>, Failure> {
        let RailBoard { network, compress, .. } = known.board();
        if let Some(kind) = *compress {
            return Ok(Some(drawing::compressed_picture(network, kind, &known.job.stop)));
        }
        let (board, stop) = (known.board(), &known.job.stop);
        Ok(Some(trip.map_or_else(|| board.picture(stop), |trip| board.trip_picture(trip, stop).0)))
    }
}

impl DrawGraph<Rail> for Rail {
    fn graph(&self, board: &RailBoard, trip: Option<&Trip>) -> Option<Graph> {
        Some(match trip {
            Some(trip) => drawing::with_trip(&board.network, trip),
            None => drawing::graph(&board.network),
        })
    }
}

impl Tabulate<Rail> for Rail {
    fn table(&self, board: &RailBoard, trips: &[Trip]) -> Table {
        let rows = |(number, trip)| answer::rows(&board.network, trip).into_iter().map(move |row| (number, row));
        let rows = trips.iter().enumerate().flat_map(rows).collect();
        Table { columns: answer::columns(&board.network), rows, settings: answer::choices(&board.network) }
    }
}

impl CountSolutions<Rail> for Rail {
    /// A solution is a trip whose outcome counts as an answer. Configurations that differ only in
    /// levers and gates on which the trip does not depend are one solution.
    fn uniqueness(&self, known: &RunResult<Self>) -> Uniqueness {
        known.uniqueness_of(
            known.answers.iter().filter(|trip| known.board().accepted.contains(&trip.outcome)).count() as u64
        )
    }
}

/// Sorts trips by outcome.
fn sort_trips(trips: &mut [Trip]) {
    trips.sort_by(|a, b| a.outcome.cmp(&b.outcome).then_with(|| a.compare(b)));
}
