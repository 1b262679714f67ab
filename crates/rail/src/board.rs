//! An instance, with the options of the run and its drawings.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::OnceLock;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use clap::{Args, ValueEnum};
use picture::graph::layout::Layout;
use picture::graph::{RoutedGraph, power};
use picture::{Picture, Point};
use puzzle::job::{Job, Rules, Show};

use super::encodings::gate_rules;
use super::network::Network;
use super::network::facts::Facts;
use super::network::instance;
use super::output::drawing;
use super::output::plan_drawing::PlanDrawing;
use super::trips::{GateRule, Outcome, Pattern, Trip};

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for rail")]
pub struct RailOptions {
    /// Trips to show [default: wins, and cycles, which are a defect of the puzzle]
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',')]
    pub outcome: Vec<OutcomeFilter>,
    /// Show the trip of one configuration, such as 211RR; * stands for anything
    #[arg(long, value_name = "CONFIGURATION")]
    pub configuration: Option<String>,
    /// How to place the nodes of the picture [default: map]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    pub layout: Option<Layout>,
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
    pub(super) fn outcomes(self) -> Vec<Outcome> {
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
    pub(super) facts: Facts,
    pub(super) network: Network,
    pub(super) pattern: Pattern,
    /// Outcomes that count as answers.
    pub(super) accepted: Vec<Outcome>,
    /// Outcomes whose trips are printed. A superset of `accepted`.
    pub(super) shown: Vec<Outcome>,
    pub(super) layout: Layout,
    /// The drawing of the network, computed on first use.
    pub(super) laid: OnceLock<RoutedGraph>,
    /// The drawing of the network's plan, computed on first use.
    pub(super) tracks: OnceLock<PlanDrawing>,
    pub(super) compress: Option<power::Kind>,
}

impl RailBoard {
    /// Reads the instance, and the trips that the options and the rules ask for.
    pub(super) fn parse(job: &Job) -> Result<RailBoard, Failure> {
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
            layout: layout.unwrap_or_default(),
            laid: OnceLock::new(),
            tracks: OnceLock::new(),
            compress,
        })
    }

    pub fn network(&self) -> &Network {
        &self.network
    }

    pub(super) fn laid(&self, stop: &CancelToken) -> Cow<'_, RoutedGraph> {
        let Ok(laid) =
            stop.cached(&self.laid, || Ok::<_, Infallible>(drawing::lay_out(&self.network, self.layout, stop)));
        laid
    }

    pub(super) fn tracks(&self, stop: &CancelToken) -> Option<Cow<'_, PlanDrawing>> {
        let plan = self.facts.plan.as_ref()?;
        let make = || Ok::<_, Infallible>(PlanDrawing::new(&self.network, plan, self.layout, stop));
        let Ok(tracks) = stop.cached(&self.tracks, make);
        Some(tracks)
    }

    /// Draws the network, or its plan of tracks, without a trip.
    pub(super) fn picture(&self, stop: &CancelToken) -> Picture {
        match self.tracks(stop) {
            Some(tracks) => tracks.picture(&self.network),
            None => drawing::picture(&self.network, &self.laid(stop)),
        }
    }

    /// Draws `trip`. Also returns the position of each lever's knob, by colour and state.
    pub(super) fn trip_picture(&self, trip: &Trip, stop: &CancelToken) -> (Picture, Vec<Vec<Point>>) {
        match self.tracks(stop) {
            Some(tracks) => tracks.trip_picture(&self.network, trip),
            None => drawing::trip_picture(&self.network, &self.laid(stop), trip),
        }
    }
}
