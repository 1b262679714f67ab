//! The network, and a trip over it, to look at.

use crate::diagnostic::{Diagnostic, Failure};
use crate::graph::layout::{self, Layout};
use crate::graph::{self, Arc, Emphasis, Graph, Laid, Node, Shape, Site};
use crate::picture::{Look, Paint, Picture, Point, Sprite};
use crate::puzzle::rail::network::facts::free_text;
use crate::puzzle::rail::network::{Color, Kind, Network, NodeId};
use crate::puzzle::rail::trips::{Trip, levers_text};

/// The network as a graph with the same numbers for its nodes. The sides of a gate share a site.
///
/// A fork has an arc for each state of its lever, also where two lead to the same node; a side of a gate has one.
pub fn graph(network: &Network) -> Graph {
    let levers = network.colors.iter().map(|color| format!("{}={}", free_text(&color.name.term), color.letter));
    let mut levers: Vec<String> = levers.collect();
    // A name may have blanks; then each lever stands in a line of its own.
    let between = if levers.iter().any(|lever| lever.contains(char::is_whitespace)) { "\n" } else { " " };
    levers.extend((between == "\n").then(String::new));
    let mut graph = Graph { attributes: vec![("levers", levers.join(between))], ..Graph::default() };
    let mut sides = vec![Vec::new(); network.gates.len()];
    for (id, node) in network.nodes.iter().enumerate() {
        graph.nodes.push(drawn_node(network, id));
        match &node.kind {
            Kind::Gate { gate, .. } => sides[*gate].push(id),
            _ => graph.sites.push(Site { nodes: vec![id], label: String::new() }),
        }
        let mut arc = |to: NodeId, label: &str| {
            let (label, badge) = (label.to_owned(), String::new());
            graph.arcs.push(Arc { from: id, to, label, badge, emphasis: Emphasis::Plain });
        };
        match &node.kind {
            Kind::Fork { color, ways } => {
                ways.iter()
                    .zip(&network.colors[*color].states)
                    .for_each(|(&to, state)| arc(to, &free_text(&state.term)));
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

fn drawn_node(network: &Network, id: NodeId) -> Node {
    let node = &network.nodes[id];
    let is_start = network.starts.contains(&id);
    let mut attributes = Vec::new();
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
            attributes.push(("color", free_text(&color_name.term)));
            (Shape::Disc, Paint::Hue(hue(network, *color)), format!("fork {}, {color_name}", node.name))
        }
        Kind::Gate { gate, .. } => {
            attributes.push(("gate", free_text(&network.gates[*gate].term)));
            (Shape::Box, Paint::Grey, format!("{}, a side of gate {}", node.name, network.gates[*gate]))
        }
        Kind::DeadEnd => (Shape::Disc, Paint::White, format!("dead end {}", node.name)),
    };
    if is_start {
        attributes.push(("start", "true".to_owned()));
        hint += "; the trolley comes in here";
    }
    attributes.extend(node.position.map(|(x, y)| ("pos", format!("{x},{y}!"))));
    Node { id: free_text(&node.name.term), name: node.name.to_string(), shape, paint, hint, attributes }
}

/// The network where it stands. The error says what is wrong.
pub fn laid(network: &Network, layout: Layout) -> Result<Laid, Failure> {
    let graph = graph(network);
    let (places, scale) = places(network, &graph, layout)?;
    Ok(graph::lay(&graph, &places, scale))
}

/// A place for each site, and how many pixels a unit has. The error says what is wrong.
pub fn places(network: &Network, graph: &Graph, layout: Layout) -> Result<(Vec<Point>, f64), Failure> {
    let on_map = |site: &Site| {
        site.nodes.iter().find_map(|&node| network.nodes[node].position).map(|(x, y)| (f64::from(x), f64::from(y)))
    };
    let map: Option<Vec<Point>> = graph.sites.iter().map(on_map).collect();
    // Two nodes at one place would hide each other.
    let map = map.filter(|map| {
        let mut sorted = map.clone();
        sorted.sort_by(|a, b| a.partial_cmp(b).expect("positions are whole numbers"));
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    });
    match (layout, map) {
        (Layout::Dot, _) => {
            let places = layout::by_dot(graph);
            Ok((places.map_err(|error| Diagnostic::error(format!("--layout: {error}")))?, 1.0))
        }
        (Layout::Map, Some(map)) => {
            let scale = graph::scale(&map);
            Ok((map, scale))
        }
        _ => Ok((layout::layered(graph), 1.0)),
    }
}

/// The graph with the arcs of a trip made strong and numbered by its steps, and the gates in their colours.
pub fn with_trip(network: &Network, trip: &Trip) -> Graph {
    let mut graph = graph(network);
    graph.title = trip.title(network);
    for (step, (node, state)) in trip.taken(network).into_iter().enumerate() {
        let arc = graph.arcs.iter_mut().filter(|arc| arc.from == node).nth(state).expect("trips follow arcs");
        arc.emphasis = Emphasis::Strong;
        if !arc.badge.is_empty() {
            arc.badge.push(',');
        }
        arc.badge += &(step + 1).to_string();
    }
    for (id, node) in network.nodes.iter().enumerate() {
        if let Kind::Gate { gate, .. } = node.kind
            && let Some(color) = trip.gates[gate]
        {
            graph.nodes[id].paint = Paint::Hue(hue(network, color));
        }
    }
    graph
}

/// The network as it is.
pub fn picture(network: &Network, laid: &Laid) -> Picture {
    let mut sprites = graph::draw(&graph(network), laid);
    sprites.extend(arrivals(&network.starts, &laid.at));
    let forks = network.nodes.iter().filter(|node| matches!(node.kind, Kind::Fork { .. })).count();
    let caption = format!("{forks} forks, {} colours, {} gates", network.colors.len(), network.gates.len());
    Picture { width: laid.width, height: laid.height, title: caption.clone(), sprites, captions: vec![caption] }
}

/// A short arrow from nowhere into each of the nodes.
pub fn arrivals(entries: &[usize], at: &[Point]) -> Vec<Sprite> {
    let arrow = |&entry: &usize| {
        let look = Look::Curve {
            from: (-30.0, -22.0),
            bend: (-20.0, -15.0),
            to: (-12.0, -10.0),
            width: 3.0,
            is_dashed: false,
            has_arrow: true,
        };
        Sprite::still(look, Paint::Ink(0), "", at[entry]).hint("trips come in here")
    };
    entries.iter().map(arrow).collect()
}

/// The trolley on its trip: the way over the network, the changes of levers at the gates, and the levers below.
pub fn trip_picture(network: &Network, laid: &Laid, trip: &Trip) -> Picture {
    let graph = with_trip(network, trip);
    let mut sprites = graph::draw(&graph, laid);
    sprites.extend(arrivals(&network.starts, &laid.at));
    let mut changes = vec![0; network.gates.len()];
    for (step, color, words) in trip.marks(network) {
        let Kind::Gate { gate, .. } = network.nodes[trip.nodes[step]].kind else { continue };
        let (x, y) = laid.at[trip.nodes[step]];
        let place = (x, y - 22.0 - 12.0 * f64::from(changes[gate]));
        changes[gate] += 1;
        let words = format!("{}: {words}", step + 1);
        sprites.push(Sprite::still(Look::Text { size: 11.0 }, Paint::Hue(hue(network, color)), words, place));
    }
    let levers_at = trip.levers_at(network);
    let below = lever_sprites(network, &levers_at, laid.height);
    let width = laid.width.max(below.1.0 + 20.0);
    sprites.extend(below.0);
    sprites.push(Sprite {
        look: Look::Halo { radius: 19.0 },
        paint: Paint::Accent,
        label: String::new(),
        hint: "the trolley".to_owned(),
        places: trip.nodes.iter().map(|&node| laid.at[node]).collect(),
    });
    let captions = (trip.nodes.iter().zip(&levers_at).enumerate())
        .map(|(step, (&node, levers))| {
            let end = if step + 1 == trip.nodes.len() { format!(", {}", trip.outcome.name()) } else { String::new() };
            let name = &network.nodes[node].name;
            format!("step {} of {}: {name}, levers {}{end}", step + 1, trip.nodes.len(), levers_text(network, levers))
        })
        .collect();
    Picture { width, height: below.1.1, title: graph.title, sprites, captions }
}

/// A lever for each colour: its states one above the other, and a knob that stands at one of them. Beside them the sprites' lower
/// right corner.
fn lever_sprites(network: &Network, levers_at: &[Vec<Option<usize>>], top: f64) -> (Vec<Sprite>, Point) {
    const STATE: f64 = 22.0;
    const COLUMN: f64 = 84.0;
    let most = network.colors.iter().map(|color| color.states.len()).max().unwrap_or(0);
    let mut sprites = Vec::new();
    for (color, Color { name, states, .. }) in network.colors.iter().enumerate() {
        let x = 50.0 + COLUMN * color as f64;
        let paint = Paint::Hue(hue(network, color));
        let height = STATE * states.len() as f64;
        sprites.push(Sprite::still(Look::Text { size: 12.0 }, paint, name.as_str(), (x, top + 8.0)));
        let slot = Look::Tile { width: 10.0, height };
        sprites.push(Sprite::still(slot, Paint::White, "", (x, top + 20.0 + height / 2.0)));
        let y_of = |state: usize| top + 20.0 + STATE * (state as f64 + 0.5);
        for (state, label) in states.iter().enumerate() {
            sprites.push(Sprite::still(
                Look::Text { size: 11.0 },
                Paint::White,
                label.as_str(),
                (x - 20.0, y_of(state)),
            ));
        }
        let places: Vec<Point> = levers_at
            .iter()
            .map(|levers| levers[color].map_or((x, top + 20.0 + height / 2.0), |state| (x, y_of(state))))
            .collect();
        let is_open = levers_at.iter().all(|levers| levers[color].is_none());
        sprites.push(Sprite {
            look: Look::Disc { radius: 9.0 },
            paint,
            label: if is_open { "*" } else { "" }.to_owned(),
            hint: if is_open { format!("{name}: any state gives this trip") } else { format!("the lever of {name}") },
            places,
        });
    }
    (sprites, (50.0 + COLUMN * network.colors.len() as f64, top + 32.0 + STATE * most as f64))
}

/// The hue that the name says, else one of its own for each rank.
pub fn hue(network: &Network, color: usize) -> u16 {
    match network.colors[color].name.as_str() {
        "red" | "rouge" => 0,
        "orange" => 28,
        "brown" | "brun" => 20,
        "yellow" | "jaune" => 50,
        "green" | "vert" => 125,
        "cyan" => 180,
        "blue" | "bleu" => 215,
        "violet" | "purple" => 270,
        "magenta" => 300,
        "pink" | "rose" => 335,
        // The golden angle keeps neighbours apart.
        _ => ((color * 137 + 190) % 360) as u16,
    }
}
