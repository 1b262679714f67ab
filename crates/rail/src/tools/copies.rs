//! Pictures of the copies of the network that make up the expanded graph.

use std::fmt::Write;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use picture::graph::layout::{self, Layout};
use picture::graph::{self, Arc, Emphasis, Graph, GraphLayout, Site};
use picture::{Look, Paint, Picture, Point, Sprite};
use rustc_hash::FxHashMap;

use crate::network::{Kind, Network, NodeId};
use crate::output::drawing;
use crate::trips::{Pattern, Trip, configuration_text, levers_text};

/// Maximum number of copies in a picture.
const MAX_COPIES: usize = 64;

/// Some copies of the network side by side, as one graph.
pub struct CopiesView {
    pub graph: Graph,
    panels: Vec<Panel>,
    title: String,
    /// The meaning of signs in the picture.
    key: &'static str,
}

const STAR: &str = "★ a gate that moves a lever: trips go on in the copy with the new levers.";
const JUMP: &str = "★ a gate that moves a lever: the trip goes on (dashed) in the copy with the new levers.";

/// A copy of the network, of which some nodes are shown.
struct Panel {
    label: String,
    /// The title in the picture. Panels of a trip are numbered, because the trip may pass through the
    /// same copy several times.
    heading: String,
    /// The nodes at which trips enter the copy.
    entries: Vec<NodeId>,
    /// For each shown node, its index in the combined graph.
    shown: FxHashMap<NodeId, usize>,
}

/// Returns the copies whose lever states match `pattern`, with the nodes that trips reach from
/// starts and from gates.
pub fn of_levers(network: &Network, pattern: &Pattern) -> Result<CopiesView, Failure> {
    let mut view = CopiesView { graph: Graph::default(), panels: Vec::new(), title: String::new(), key: STAR };
    let states: u128 = (network.colors.iter().zip(&pattern.levers))
        .map(|(color, state)| state.map_or(color.states.len() as u128, |_| 1))
        .fold(1, u128::saturating_mul);
    if states > MAX_COPIES as u128 {
        let text =
            format!("there are {states} states of the levers; at most {MAX_COPIES} copies are drawn side by side");
        let help = "--configuration picks some of them, --trip those that a trip passes through";
        return Err(Diagnostic::error(Code::Usage, text).help(help).into());
    }
    let gates = vec![Some(0); network.gates.len()];
    for Pattern { levers, .. } in (Pattern { levers: pattern.levers.clone(), gates }).all_configurations(network) {
        let mut entries = network.starts.clone();
        entries.extend(network.nodes.iter().filter_map(|node| match node.kind {
            Kind::Gate { next, .. } => next,
            _ => None,
        }));
        entries.sort_unstable();
        entries.dedup();
        view.add_panel(network, &with_defaults(&levers), &pattern.gates, entries);
    }
    view.title = format!("{} of the copies", view.panels.len());
    Ok(view)
}

/// Sets open levers, on which the trip does not depend, to their first state.
fn with_defaults(levers: &[Option<usize>]) -> Vec<usize> {
    levers.iter().map(|state| state.unwrap_or(0)).collect()
}

/// Returns the copies through which the trips pass, and the arcs between them. Each copy has the
/// nodes that a trip reaches from the node at which it enters the copy.
pub fn of_trips(network: &Network, trips: &[Trip]) -> Result<CopiesView, Failure> {
    let mut view = CopiesView { graph: Graph::default(), panels: Vec::new(), title: String::new(), key: JUMP };
    let from = |trip: &Trip| match trips {
        [_] => trip.title(network),
        _ => format!("{} from {}", trip.title(network), network.nodes[trip.nodes[0]].name),
    };
    view.title = trips.iter().map(from).collect::<Vec<_>>().join("; ");
    for trip in trips {
        view.add_trip(network, trip)?;
    }
    for (number, panel) in view.panels.iter_mut().enumerate() {
        panel.heading = format!("{}. {}", number + 1, panel.label);
    }
    Ok(view)
}

impl CopiesView {
    fn add_trip(&mut self, network: &Network, trip: &Trip) -> Result<(), Failure> {
        let levers_at = trip.levers_at(network);
        let mut last: Option<usize> = None;
        for (step, &node) in trip.nodes.iter().enumerate() {
            let is_jump = step > 0 && matches!(network.nodes[trip.nodes[step - 1]].kind, Kind::Gate { .. });
            if step == 0 || is_jump {
                if self.panels.len() == MAX_COPIES {
                    let text =
                        format!("the trip passes through more than {MAX_COPIES} copies: too many for one picture");
                    return Err(Diagnostic::error(Code::Usage, text).into());
                }
                self.add_panel(network, &with_defaults(&levers_at[step]), &trip.gates, vec![node]);
            }
            let here = self.panels.last().expect("a panel was added").shown[&node];
            if let Some(before) = last {
                let badge = step.to_string();
                match self.graph.arcs.iter_mut().find(|arc| arc.from == before && arc.to == here) {
                    Some(arc) => (arc.emphasis, arc.badge) = (Emphasis::Strong, badge),
                    None => {
                        let (label, emphasis) = (String::new(), Emphasis::Jump);
                        self.graph.arcs.push(Arc { from: before, to: here, label, badge, emphasis, ..Arc::default() });
                    }
                }
            }
            last = Some(here);
        }
        Ok(())
    }

    fn add_panel(&mut self, network: &Network, levers: &[usize], gates: &[Option<usize>], entries: Vec<NodeId>) {
        let all: Vec<Option<usize>> = levers.iter().copied().map(Some).collect();
        let label = configuration_text(network, &all, gates);
        let (base, palette) = (drawing::graph(network), drawing::palette(network));
        let number = self.panels.len() + 1;
        let heading = label.clone();
        let mut panel = Panel { label: label.clone(), heading, entries: entries.clone(), shown: FxHashMap::default() };
        let mut open = entries;
        while let Some(node) = open.pop() {
            if panel.shown.contains_key(&node) {
                continue;
            }
            panel.shown.insert(node, self.graph.nodes.len());
            let mut drawn = base.nodes[node].clone();
            drawn.id = format!("{number}:{} {label}", drawn.id);
            drawn.attributes.clear();
            if let Kind::Gate { gate, .. } = network.nodes[node].kind {
                drawn.name += "★";
                if let Some(color) = gates[gate] {
                    drawn.paint = Paint::Color(palette[color]);
                    let mut moved = all.clone();
                    moved[color] = Some(network.after_gate(gate, color, levers[color]));
                    drawn.hint += &format!("; on to the copy {}", levers_text(network, &moved));
                }
            }
            self.graph.nodes.push(drawn);
            if let Kind::Fork { color, ways } = &network.nodes[node].kind {
                open.push(ways[levers[*color]]);
            }
        }
        let mut shown: Vec<(NodeId, usize)> = panel.shown.iter().map(|(&node, &at)| (node, at)).collect();
        shown.sort_unstable();
        for (node, from) in shown {
            if let Kind::Fork { color, ways } = &network.nodes[node].kind {
                let label = network.colors[*color].states[levers[*color]].to_string();
                let (to, badge) = (panel.shown[&ways[levers[*color]]], String::new());
                self.graph.arcs.push(Arc { from, to, label, badge, ..Arc::default() });
            }
        }
        self.panels.push(panel);
    }

    /// Returns the arcs as text, one in each line.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for panel in &self.panels {
            let _ = writeln!(text, "{}", panel.label);
            for arc in &self.graph.arcs {
                if panel.shown.values().any(|&node| node == arc.from) {
                    let (from, to) = (&self.graph.nodes[arc.from], &self.graph.nodes[arc.to]);
                    let jump = if arc.emphasis == Emphasis::Jump { " in the next copy" } else { "" };
                    let _ = writeln!(text, "  {} → {}{jump}", from.name, to.name);
                }
            }
        }
        text
    }

    /// Draws the copies in rows of panels. Nodes have the same relative positions in each panel.
    pub fn picture(mut self, network: &Network, layout: Layout, stop: &CancelToken) -> Picture {
        const ROOM: f64 = 92.0;
        let base = drawing::graph(network);
        let GraphLayout { places, scale, .. } = drawing::place_sites(network, &base, layout, stop);
        // The size of a panel depends on the positions of its shown nodes.
        let mut corners = Vec::new();
        let mut sizes = Vec::new();
        for panel in &self.panels {
            let shown = base
                .sites
                .iter()
                .zip(&places)
                .filter(|(site, _)| site.nodes.iter().any(|node| panel.shown.contains_key(node)));
            let (low, high) = picture::frame(shown.map(|(_, at)| *at));
            corners.push(low);
            let width = ((high.0 - low.0) * scale + ROOM).max(heading_width(panel));
            sizes.push((width, (high.1 - low.1) * scale + ROOM));
        }
        let middles = layout::packed(&sizes);
        let mut sites = Vec::new();
        let mut all_places = Vec::new();
        for (((panel, low), size), middle) in self.panels.iter().zip(corners).zip(sizes).zip(middles) {
            let corner = ((middle.0 - size.0 / 2.0) / scale, (middle.1 - size.1 / 2.0) / scale);
            for (site, place) in base.sites.iter().zip(&places) {
                let nodes: Vec<usize> = site.nodes.iter().filter_map(|node| panel.shown.get(node).copied()).collect();
                if !nodes.is_empty() {
                    sites.push(Site { nodes, label: site.label.clone() });
                    all_places.push((place.0 - low.0 + corner.0, place.1 - low.1 + corner.1));
                }
            }
        }
        self.graph.sites = sites;
        let mut laid = graph::route(&self.graph, &GraphLayout { places: all_places, bends: Vec::new(), scale });
        let frame = |panel: &Panel, at: &[Point]| {
            let (low, high) = picture::frame(panel.shown.values().map(|&node| at[node]));
            let (width, height) =
                ((high.0 - low.0 + ROOM - 8.0).max(heading_width(panel)), high.1 - low.1 + ROOM - 8.0);
            (((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0), width, height)
        };
        let mut sprites = Vec::new();
        for panel in &self.panels {
            let (middle, width, height) = frame(panel, &laid.at);
            sprites.push(Sprite::still(Look::Panel { width, height }, Paint::Grey, panel.heading.clone(), middle));
        }
        sprites.extend(laid.draw(&self.graph));
        for panel in &self.panels {
            let entries: Vec<usize> = panel.entries.iter().map(|entry| panel.shown[entry]).collect();
            sprites.extend(drawing::entry_arrows(&entries, &laid.at));
        }
        let has_gate = self
            .panels
            .iter()
            .any(|panel| panel.shown.keys().any(|&node| matches!(network.nodes[node].kind, Kind::Gate { .. })));
        let key = if has_gate { format!("\n{}", self.key) } else { String::new() };
        let captions = vec![self.title.clone() + &key];
        Picture { title: self.title, sprites, captions }
    }
}

/// Returns the width of the heading of a panel, in pixels.
fn heading_width(panel: &Panel) -> f64 {
    picture::text_width(&panel.heading, 12.0) + 16.0
}
