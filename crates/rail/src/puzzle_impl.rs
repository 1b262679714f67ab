//! The puzzle `rail`.

use base::diagnostic::Failure;
use base::document::Document;
use base::ending::{SearchEnd, Uniqueness, Verdict};
use base::style::Style;
use num_bigint::BigUint;
use picture::Picture;
use picture::graph::Graph;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::{
    About, AnswerSink, Capabilities, CountSolutions, Describe, Draw, DrawGraph, EngineOption, Example, InputDocuments,
    InstanceUnit, OpenBoard, Puzzle, Role, RunResult, Table, Tabulate, Tool, require_format,
};
use serde_json::{Value, json};

use super::board::{RailBoard, RailOptions};
use super::encodings::{DYNAMIC_GATE, NO_GATE};
use super::engines::{TripEngine, fits_clingo};
use super::network::fact::NAMES;
use super::network::instance;
use super::output::{answer, drawing, text};
use super::tools::{convert, expand, generate, rate, repair};
use super::trips::tally::RailProof;
use super::trips::{Outcome, Trip, replay};
use super::{Rail, recognise, solve};

const PICTURES: &[Format] = &[Format::Svg, Format::Dot, Format::Html];

impl Describe for Rail {
    fn about(&self) -> About<'_> {
        About {
            name: "rail",
            title: "Mine railway",
            summary: "a mine railway: a lever for each colour sets its forks, and gates move levers",
            input: "facts start/1, target/1, color/2, rel/3, gate/2; also as JSON or Graphviz; or a plan in lines like `a red: stem s, 1 t, 2 u`",
            encodings: &[DYNAMIC_GATE, NO_GATE],
            instance_unit: InstanceUnit::Object,
            pictures: PICTURES,
            ..About::default()
        }
    }

    fn example(&self) -> Option<Example> {
        Example::named("deponia.lp").map(|example| example.with_options("-n 0"))
    }

    fn input_predicates(&self) -> Vec<&str> {
        NAMES.to_vec()
    }

    fn tools(&self) -> Vec<Box<dyn Tool>> {
        vec![
            Box::new(convert::Convert),
            Box::new(expand::Expand),
            Box::new(rate::RATE),
            Box::new(repair::Repair),
            Box::new(generate::GenerateNetwork),
        ]
    }

    fn recognise(&self, document: &Document) -> Role {
        recognise::role(document)
    }

    fn similarity(&self, document: &Document) -> f64 {
        recognise::similarity(document)
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
        RailBoard::parse(job)
    }

    fn default_engine(&self, board: &RailBoard, _: &Job) -> TripEngine {
        if fits_clingo(&board.network) { TripEngine::Asp } else { TripEngine::Simulation }
    }

    fn reads(&self, engine: TripEngine, option: EngineOption) -> bool {
        option == EngineOption::Certificate || option.is_read_by_default(engine)
    }

    fn check_options(&self, _: TripEngine, job: &Job) -> Result<(), Failure> {
        match job.options::<RailOptions>().layout {
            Some(_) => require_format("layout", PICTURES, job),
            None => Ok(()),
        }
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
        let network = &board.network;
        let table = Table::of(answer::columns(network), trips, |trip| answer::rows(network, trip));
        let is_by_trip = table.rows.len() == trips.len();
        let nouns = if is_by_trip { ["trip", "trips"] } else { ["configuration", "configurations"] };
        Table { settings: answer::choices(network), nouns: Some(nouns.map(str::to_owned)), ..table }
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
