//! Pictures of the network and of trips through it.

use base::sorting;
use base::stop::CancelToken;
use picture::graph::layout::{self, Layout};
use picture::graph::{self, Arc, Emphasis, Graph, GraphLayout, Node, RoutedGraph, Shape, Site, power};
use picture::{Curve, Look, PALETTE, Paint, Picture, Point, Rgb, Sprite, TEXT};
use puzzle::native;

use crate::network::fact::term_source;
use crate::network::{Color, Kind, Network, NodeId};
use crate::trips::{Trip, levers_text};

/// Converts the network to a graph with the same node numbers. The sides of a gate share a site.
///
/// A fork has an arc for each state of its lever, even if two arcs lead to the same node. A side of
/// a gate has one arc.
pub fn graph(network: &Network) -> Graph {
    let levers = network.colors.iter().map(|color| format!("{}={}", term_source(&color.name.term), color.letter));
    let mut levers: Vec<String> = levers.collect();
    // If a name contains blanks, each lever has its own line.
    let separator = if levers.iter().any(|lever| lever.contains(char::is_whitespace)) { "\n" } else { " " };
    levers.extend((separator == "\n").then(String::new));
    let mut graph = Graph { attributes: vec![("levers", levers.join(separator))], ..Graph::default() };
    let fixed = network.colors.iter().filter_map(|color| {
        Some(format!("{}={}", term_source(&color.name.term), term_source(&color.states[color.fixed?].term)))
    });
    let fixed: Vec<String> = fixed.collect();
    graph.attributes.extend((!fixed.is_empty()).then(|| ("fixed", fixed.join("\n"))));
    let own = network.colors.iter().filter(|color| color.is_own).map(|color| term_source(&color.name.term));
    let own: Vec<String> = own.collect();
    graph.attributes.extend((!own.is_empty()).then(|| ("own", own.join("\n"))));
    let palette = palette(network);
    let mut sides = vec![Vec::new(); network.gates.len()];
    for (id, node) in network.nodes.iter().enumerate() {
        graph.nodes.push(graph_node(network, &palette, id));
        match &node.kind {
            Kind::Gate { gate, .. } => sides[*gate].push(id),
            _ => graph.sites.push(Site { nodes: vec![id], label: String::new() }),
        }
        let mut arc = |to: NodeId, label: &str| {
            let (label, badge) = (label.to_owned(), String::new());
            graph.arcs.push(Arc { from: id, to, label, badge, ..Arc::default() });
        };
        match &node.kind {
            Kind::Fork { color, ways } => {
                for (&to, state) in ways.iter().zip(&network.colors[*color].states) {
                    arc(to, &term_source(&state.term));
                }
            }
            Kind::Gate { next: Some(to), .. } => arc(*to, ""),
            _ => {}
        }
    }
    for (gate, nodes) in sides.into_iter().enumerate() {
        graph.sites.push(Site { nodes, label: format!("gate {}", network.gates[gate]) });
    }
    graph
}

fn graph_node(network: &Network, palette: &[Rgb], id: NodeId) -> Node {
    let node = &network.nodes[id];
    let is_start = network.starts.contains(&id);
    let mut attributes = Vec::new();
    let mut note = String::new();
    let (shape, paint, mut hint) = match &node.kind {
        Kind::Target => {
            attributes.extend([("target", "true".to_owned()), ("final", "true".to_owned())]);
            (Shape::Ring, Paint::White, format!("target {}", node.name))
        }
        Kind::Loss => {
            attributes.push(("final", "true".to_owned()));
            (Shape::Ring, Paint::Dark, format!("loss {}", node.name))
        }
        Kind::Fork { color, .. } => {
            let color_name = &network.colors[*color].name;
            attributes.push(("color", term_source(&color_name.term)));
            note = network.colors[*color].letter.to_string();
            (Shape::Disc, Paint::Color(palette[*color]), format!("fork {}, {color_name}", node.name))
        }
        Kind::Gate { gate, .. } => {
            attributes.push(("gate", term_source(&network.gates[*gate].term)));
            let hint = format!("{}, a side of gate {}", node.name, network.gates[*gate]);
            match network.sets[*gate] {
                None => (Shape::Box, Paint::Grey, hint),
                Some((color, state)) => {
                    let Color { name, states, .. } = &network.colors[color];
                    attributes
                        .push(("sets", format!("{}={}", term_source(&name.term), term_source(&states[state].term))));
                    let hint = format!("{hint}, which sets the lever of {name} to {}", states[state]);
                    (Shape::Box, Paint::Color(palette[color]), hint)
                }
            }
        }
        Kind::DeadEnd => (Shape::Disc, Paint::White, format!("dead end {}", node.name)),
    };
    if is_start {
        attributes.push(("start", "true".to_owned()));
        hint += "; the trolley starts here";
    }
    attributes.extend(node.position.map(|(x, y)| ("pos", format!("{x},{y}!"))));
    Node {
        id: term_source(&node.name.term),
        name: node.name.to_string(),
        note,
        shape,
        paint,
        hint,
        attributes,
        ..Node::default()
    }
}

pub fn lay_out(network: &Network, layout: Layout, stop: &CancelToken) -> RoutedGraph {
    let graph = graph(network);
    graph::route(&graph, &place_sites(network, &graph, layout, stop))
}

/// Places the sites: at their positions on the map if `layout` allows it and all have distinct
/// ones, otherwise in layers.
pub fn place_sites(network: &Network, graph: &Graph, layout: Layout, stop: &CancelToken) -> GraphLayout {
    let on_map = |site: &Site| {
        site.nodes.iter().find_map(|&node| network.nodes[node].position).map(|(x, y)| (f64::from(x), f64::from(y)))
    };
    let map: Option<Vec<Point>> = graph.sites.iter().map(on_map).collect();
    // Nodes at the same position would hide each other.
    let map = map.filter(|map| {
        let mut sorted = map.clone();
        sorting::sort_by(&mut sorted, |a, b| a.partial_cmp(b).expect("positions are whole numbers"));
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    });
    match (layout, map) {
        (Layout::Map, Some(places)) => {
            let scale = graph::scale(graph, &places);
            graph::separated(graph, GraphLayout { places, bends: Vec::new(), scale })
        }
        _ => layout::layered(graph, stop),
    }
}

/// Converts the network to a graph in which the arcs of a trip are emphasised and numbered, and the
/// gates have their colours.
pub fn with_trip(network: &Network, trip: &Trip) -> Graph {
    let mut graph = graph(network);
    graph.title = trip.title(network);
    let first_arcs = first_arcs(&graph);
    for (step, (node, state)) in trip.branches_taken(network).into_iter().enumerate() {
        let arc = &mut graph.arcs[first_arcs[node] + state];
        arc.emphasis = Emphasis::Strong;
        if !arc.badge.is_empty() {
            arc.badge.push(',');
        }
        arc.badge += &(step + 1).to_string();
    }
    let palette = palette(network);
    for (id, node) in network.nodes.iter().enumerate() {
        if let Kind::Gate { gate, .. } = node.kind
            && let Some(color) = trip.gates[gate]
        {
            graph.nodes[id].paint = Paint::Color(palette[color]);
        }
    }
    graph
}

/// Returns the index of the first arc of each node. The arcs of a node are in the order of lever
/// states.
fn first_arcs(graph: &Graph) -> Vec<usize> {
    (0..graph.nodes.len()).map(|node| graph.arcs.partition_point(|arc| arc.from < node)).collect()
}

/// Draws the network without a trip.
pub fn picture(network: &Network, laid: &RoutedGraph) -> Picture {
    let mut sprites = laid.clone().draw(&graph(network));
    sprites.extend(entry_arrows(&network.starts, &laid.at));
    with_caption(network, sprites)
}

/// Creates a picture with a caption: the numbers of forks, colours and gates.
pub fn with_caption(network: &Network, sprites: Vec<Sprite>) -> Picture {
    let forks = network.fork_count();
    let colors = network.gate_colors().map(|color| &network.colors[color]);
    let colors: Vec<String> =
        colors.map(|color| format!("{} {}", color.letter, term_source(&color.name.term))).collect();
    let counts =
        [(forks, "fork", "forks"), (colors.len(), "colour", "colours"), (network.gates.len(), "gate", "gates")]
            .map(|(number, one, many)| native::count(number as u64, one, many));
    let title = counts.join(", ");
    let key = if colors.is_empty() { String::new() } else { format!(": {}", colors.join(", ")) };
    Picture { title: title.clone(), sprites, captions: vec![title + &key] }
}

/// Returns a short arrow into each entry node.
pub fn entry_arrows(entries: &[usize], at: &[Point]) -> Vec<Sprite> {
    let arrow = |&entry: &usize| {
        let curve = Curve::line((-32.0, -24.0), (-14.0, -11.0));
        let look = Look::Curve { curve, width: 3.0, is_dashed: false, has_arrow: true };
        Sprite::still(look, Paint::Ink(Rgb(0, 0, 0)), "", at[entry]).hint("trips start here")
    };
    entries.iter().map(arrow).collect()
}

/// Draws a trip on the network, with the levers below it. Also returns the positions of each
/// lever's knob, by colour and state.
pub fn trip_picture(network: &Network, laid: &RoutedGraph, trip: &Trip) -> (Picture, Vec<Vec<Point>>) {
    let graph = with_trip(network, trip);
    let first_arcs = first_arcs(&graph);
    let mut laid = laid.clone();
    let mut sprites = laid.draw(&graph);
    sprites.extend(entry_arrows(&network.starts, &laid.at));
    let places = trip.nodes.iter().map(|&node| laid.at[node]).collect();
    let ways =
        trip.branches_taken(network).into_iter().map(|(node, state)| laid.path(&graph, first_arcs[node] + state));
    let ways = ways.collect();
    animate_trip(network, trip, sprites, |step, words| laid.place_label(trip.nodes[step], words), (places, ways), false)
}

/// Adds a trip to `sprites`: the lever changes at the positions that `place_label` finds near their
/// steps, the levers above or below the network, and the trolley, which moves along `paths` between
/// `places`.
pub fn animate_trip(
    network: &Network,
    trip: &Trip,
    mut sprites: Vec<Sprite>,
    mut place_label: impl FnMut(usize, &str) -> Point,
    (places, paths): (Vec<Point>, Vec<Curve>),
    is_above: bool,
) -> (Picture, Vec<Vec<Point>>) {
    let palette = palette(network);
    for (step, color, words) in trip.lever_changes(network) {
        let words = format!("{}: {words}", step + 1);
        let place = place_label(step, &words);
        // In a plan, each change is shown only in the frame in which it happens.
        let shown = (0..trip.nodes.len()).filter(|_| is_above).map(|frame| frame == step + 1).collect();
        let text = Sprite::still(Look::Text { size: TEXT }, Paint::Color(palette[color]), words, place);
        sprites.push(Sprite { shown, ..text });
    }
    let levers_at = trip.levers_at(network);
    let (low, high) = picture::extent(&sprites);
    let states = network.colors.iter().map(|color| color.states.len()).max().unwrap_or(0);
    let top = if is_above { low.1 - LEVER - STATE * states as f64 - 10.0 } else { high.1 + 20.0 };
    let (levers, knobs) = lever_sprites(network, &levers_at, (low.0, top));
    sprites.extend(levers);
    let trolley = Look::Halo { radius: 21.0 };
    sprites.push(Sprite {
        hint: "the trolley".to_owned(),
        paths,
        ..Sprite::moving(trolley, Paint::Accent, "", places)
    });
    let captions = (trip.nodes.iter().zip(&levers_at).enumerate())
        .map(|(step, (&node, levers))| {
            let end = if step + 1 == trip.nodes.len() { format!(", {}", trip.outcome.name()) } else { String::new() };
            let name = &network.nodes[node].name;
            format!("node {} of {}: {name}, levers {}{end}", step + 1, trip.nodes.len(), levers_text(network, levers))
        })
        .collect();
    (Picture { title: trip.title(network), sprites, captions }, knobs)
}

/// The height of a state in the drawing of a lever, in pixels.
const STATE: f64 = 22.0;
/// The height of the name of a lever, in pixels.
const LEVER: f64 = 14.0;

/// Draws the lever of each colour as a slot with its states one below the other, and a knob. Also
/// returns the position of the knob for each state.
fn lever_sprites(
    network: &Network,
    levers_at: &[Vec<Option<usize>>],
    (left, top): Point,
) -> (Vec<Sprite>, Vec<Vec<Point>>) {
    let palette = palette(network);
    let (mut sprites, mut knobs) = (Vec::new(), Vec::new());
    let mut x = left;
    for (color, Color { name, letter, states, .. }) in network.colors.iter().enumerate() {
        let title = format!("{letter} {name}");
        let half = picture::text_width(&title, TEXT).max(60.0) / 2.0;
        x += half;
        let ground = Paint::Color(palette[color]);
        let height = STATE * states.len() as f64;
        sprites.push(Sprite::still(Look::Text { size: TEXT }, ground, title, (x, top)));
        let slot = Look::Tile { width: 10.0, height };
        sprites.push(Sprite::still(slot, Paint::White, "", (x, top + LEVER + height / 2.0)));
        let y_of = |state: usize| top + LEVER + STATE * (state as f64 + 0.5);
        for (state, label) in states.iter().enumerate() {
            let place = (x - 16.0 - picture::text_width(label.as_str(), TEXT) / 2.0, y_of(state));
            sprites.push(Sprite::still(Look::Text { size: TEXT }, Paint::White, label.as_str(), place));
        }
        let middle = (x, top + LEVER + height / 2.0);
        let places = levers_at.iter().map(|levers| levers[color].map_or(middle, |state| (x, y_of(state)))).collect();
        let is_open = levers_at.iter().all(|levers| levers[color].is_none());
        let (label, hint) = match is_open {
            _ if network.colors[color].fixed.is_some() => {
                (letter.to_string(), format!("the lever of {name}, which is fixed"))
            }
            true => ("*".to_owned(), format!("the lever of {name}, whose state does not matter")),
            false => (letter.to_string(), format!("the lever of {name}")),
        };
        sprites.push(Sprite::moving(Look::Disc { radius: 9.0 }, ground, label, places).hint(hint));
        knobs.push((0..states.len()).map(|state| (x, y_of(state))).collect());
        x += half + 20.0;
    }
    (sprites, knobs)
}

/// Returns the RGB value of each colour: the one that its name denotes, otherwise one of the
/// palette that no name denotes.
pub fn palette(network: &Network) -> Vec<Rgb> {
    let named: Vec<Option<Rgb>> = network.colors.iter().map(|color| Rgb::by_name(color.name.as_str())).collect();
    let free: Vec<Rgb> = PALETTE.iter().map(|(_, free)| *free).filter(|free| !named.contains(&Some(*free))).collect();
    let mut free = free.iter().copied().cycle();
    let rgb_of = |(rank, named): (usize, &Option<Rgb>)| named.or_else(|| free.next()).unwrap_or(Rgb::of_rank(rank));
    named.iter().enumerate().map(rgb_of).collect()
}

/// Draws the network with its nodes grouped, so that few lines stand for many arcs.
pub fn compressed_picture(network: &Network, kind: power::Kind, stop: &CancelToken) -> Picture {
    let graph = graph(network);
    let arcs = graph.arcs.iter().map(|arc| (arc.from, arc.to)).collect();
    let power = power::compress(graph.nodes.len(), &arcs, kind, 1, stop);
    let (lines, groups) = (power.lines.len(), power.groups.len());
    let title = format!("{} arcs as {lines} lines between {groups} groups and the nodes", arcs.len());
    let sprites = graph::draw_compressed(&graph, &power, stop);
    let two_heads = match kind {
        power::Kind::Arcs => "",
        power::Kind::Edges => " Two heads: some of these arcs run the other way; the tooltip names them.",
    };
    let key = "Grey line: one arc. Blue line: an arc from each node at one end to each node at the other, \
        where a box stands for all nodes in it.";
    let captions = vec![format!("{title}.\n{key}{two_heads}")];
    Picture { title, sprites, captions }
}
