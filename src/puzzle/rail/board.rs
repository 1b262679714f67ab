//! An instance, with the options of the run and its drawings.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::OnceLock;

use clap::{Args, ValueEnum};

use super::network::Network;
use super::network::facts::Facts;
use super::output::drawing;
use super::output::plan_drawing::PlanDrawing;
use super::trips::{Outcome, Pattern, Trip};
use crate::graph::layout::Layout;
use crate::graph::{RoutedGraph, power};
use crate::picture::{Picture, Point};
use crate::stop::CancelToken;

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
