//! Graphs in the vocabulary of clingraph (Hahn, Sabuncu, Schaub and Stolzmann, "Clingraph: a system for ASP-based visualization",
//! Theory and Practice of Logic Programming 24, 2024).
//!
//! Nodes are `node(Id)` or `node(Id,Graph)`, edges `edge((A,B))`, `edge((A,B,Number))` or either with a graph, graphs
//! `graph(Id)` and, within another one, `graph(Id,Parent)`; `attr(Kind,Id,Name,Value)` has all the rest, whose names are those
//! of Graphviz. A value may be a template with `{{variable}}`, whose variables are values of `(Name,Variable)`. An edge has no
//! direction unless its graph has the type `digraph`, or it a `dir`. The edges of textbooks, `edge(A,B)`, are drawn as well.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::asp::{self, Term, signature_of, to_text};
use crate::diagnostic::{Diagnostic, Failure};
use crate::graph::{self, Arc, Emphasis, Graph, Node, Outline, Placed, Shape, Site, layout};
use crate::picture::{self, Curve, Look, Paint, Picture, Point, Rgb, Sprite, TEXT};
use crate::stop::Stop;

/// Where nodes and edges are whose graph is not told.
const DEFAULT: &str = "default";
/// Graphs within graphs.
const MOST_NESTED: usize = 50;
/// Nodes and edges of a picture that one can read.
const MOST_DRAWN: usize = 3_000;
/// Pixels for an inch of Graphviz, around the nodes of a graph in a graph, and for its label.
const INCH: f64 = 48.0;
const MARGIN: f64 = 14.0;
const HEAD: f64 = 20.0;

const BLACK: Rgb = Rgb(0x22, 0x22, 0x22);
const LINE: Rgb = Rgb(0x66, 0x66, 0x62);
/// As Graphviz fills what has no colour.
const FILLED: Rgb = Rgb(0xd3, 0xd3, 0xd3);

/// What is drawn here; Graphviz draws the others as well.
const DRAWN: [&str; 17] = [
    "label",
    "color",
    "fillcolor",
    "style",
    "shape",
    "fontcolor",
    "penwidth",
    "pos",
    "xlabel",
    "dir",
    "width",
    "height",
    "type",
    "tooltip",
    "rankdir",
    "bgcolor",
    "arrowhead",
];

/// The atoms of clingraph among those of an answer; graphs, nodes and edges by what one reads.
#[derive(Debug, Clone, Default)]
pub struct Clingraph {
    /// Each graph with the one that it is in.
    graphs: BTreeMap<String, Option<String>>,
    /// Each with its graph.
    nodes: Vec<(String, String)>,
    edges: Vec<Edge>,
    /// By kind and element.
    attributes: BTreeMap<(String, String), BTreeMap<String, Value>>,
}

#[derive(Debug, Clone)]
struct Edge {
    id: String,
    from: String,
    to: String,
    graph: String,
}

/// The value of an attribute.
#[derive(Debug, Clone, Default)]
struct Value {
    templates: Vec<String>,
    variables: BTreeMap<String, String>,
}

type Attributes = BTreeMap<String, String>;

impl Clingraph {
    pub fn of(atoms: &[asp::Symbol], source: &str) -> Result<(Clingraph, Vec<Diagnostic>), Failure> {
        let mut read = Clingraph::default();
        let mut others = BTreeSet::new();
        let text = |symbol: asp::Symbol| Term::of(symbol).text();
        let arguments = |atom: &asp::Symbol| atom.arguments().unwrap_or_default();
        let of_kind = |name: &'static str, sizes: &'static [usize]| {
            let is_it = move |atom: &&asp::Symbol| {
                signature_of(**atom).is_some_and(|(own, size)| own == name && sizes.contains(&size))
            };
            atoms.iter().filter(is_it).map(arguments)
        };
        for own in of_kind("graph", &[1, 2]) {
            read.graphs.insert(text(own[0]), own.get(1).map(|&parent| text(parent)));
        }
        let parents: Vec<String> = read.graphs.values().flatten().cloned().collect();
        for parent in parents {
            read.graphs.entry(parent).or_default();
        }
        for own in of_kind("node", &[1, 2]) {
            read.nodes.push((text(own[0]), own.get(1).map_or(DEFAULT.to_owned(), |&graph| text(graph))));
        }
        for own in of_kind("edge", &[1, 2]) {
            let ends = parts(own[0]).filter(|parts| matches!(parts.len(), 2 | 3));
            let graph = own.get(1).map_or(DEFAULT.to_owned(), |&graph| text(graph));
            let is_pair = ends.is_some() && (graph == DEFAULT || read.graphs.contains_key(&graph));
            let (id, from, to, graph) = match (&own[..], ends) {
                ([first, ..], Some(ends)) if is_pair => (to_text(*first), ends[0], ends[1], graph),
                ([from, to], _) => (format!("({},{})", to_text(*from), to_text(*to)), *from, *to, DEFAULT.to_owned()),
                _ => continue,
            };
            read.edges.push(Edge { id, from: text(from), to: text(to), graph });
        }
        for own in of_kind("attr", &[4]) {
            let (kind, value) = (text(own[0]), text(own[3]));
            if !["graph", "node", "edge", "graph_nodes", "graph_edges"].contains(&kind.as_str()) {
                let atom = own.iter().map(|&term| to_text(term)).collect::<Vec<_>>().join(",");
                let text = format!("{source}: attr({atom}) cannot be drawn: there are no attributes of a {kind}");
                let wanted =
                    "wanted: attr(Kind,Id,Name,Value), Kind one of graph, node, edge, graph_nodes, graph_edges";
                return Err(Diagnostic::error(text).help(wanted).into());
            }
            let names = parts(own[2]).unwrap_or_else(|| vec![own[2]]);
            let names: Vec<String> = names.into_iter().map(text).collect();
            let name = names.first().cloned().unwrap_or_default();
            if !DRAWN.contains(&name.as_str()) {
                others.insert(name.clone());
            }
            let id = if kind == "edge" { to_text(own[1]) } else { text(own[1]) };
            let own = read.attributes.entry((kind, id)).or_default().entry(name).or_default();
            match &names[1..] {
                [] => own.templates.push(value),
                [variable, keys @ ..] => {
                    let keys: String = keys.iter().map(|key| format!("['{key}']")).collect();
                    own.variables.insert(format!("{variable}{keys}"), value);
                }
            }
        }
        let has_default = read.nodes.iter().map(|node| &node.1).chain(read.edges.iter().map(|edge| &edge.graph));
        if has_default.into_iter().any(|graph| graph == DEFAULT) {
            read.graphs.entry(DEFAULT.to_owned()).or_default();
        }
        // What is in a graph that nobody names is drawn nowhere.
        let Clingraph { graphs, nodes, edges, .. } = &mut read;
        nodes.retain(|(_, graph)| graphs.contains_key(graph));
        edges.retain(|edge| graphs.contains_key(&edge.graph));
        for name in read.graphs.keys() {
            if read.chain(name).len() > MOST_NESTED {
                let text = format!("{source}: the graph {name} lies in itself, or in more than {MOST_NESTED} others");
                return Err(Diagnostic::error(text).help("wanted: graph(Id,Parent), no graph in itself").into());
            }
        }
        let warning = (!others.is_empty() && !read.is_empty()).then(|| {
            let names = others.into_iter().collect::<Vec<_>>().join(", ");
            Diagnostic::warning(format!("{source}: of a graph's attributes these are not drawn: {names}"))
                .help("-f dot has them all, for Graphviz")
        });
        Ok((read, warning.into_iter().collect()))
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty()
    }

    /// The graph and those around it, the outermost one first.
    fn chain(&self, graph: &str) -> Vec<&str> {
        let around = |name: &&str| self.graphs.get(*name).and_then(|parent| parent.as_deref());
        let first = self.graphs.get_key_value(graph).map(|(name, _)| name.as_str());
        let mut chain: Vec<&str> = std::iter::successors(first, around).take(MOST_NESTED + 1).collect();
        chain.reverse();
        chain
    }

    fn own(&self, kind: &str, id: &str) -> Attributes {
        let own = self.attributes.get(&(kind.to_owned(), id.to_owned()));
        own.into_iter().flatten().map(|(name, value)| (name.clone(), value.text(name))).collect()
    }

    /// The attributes of an element, with those that all of its graphs have.
    fn attributes(&self, kind: &str, id: &str, graph: &str) -> Attributes {
        let common = self.chain(graph).into_iter().map(|graph| self.own(&format!("graph_{kind}s"), graph));
        common.chain([self.own(kind, id)]).flatten().collect()
    }

    fn children<'a>(&'a self, parent: Option<&'a str>) -> impl Iterator<Item = &'a String> {
        self.graphs.iter().filter(move |(_, own)| own.as_deref() == parent).map(|(name, _)| name)
    }

    fn is_directed(&self, root: &str) -> bool {
        self.own("graph", root).get("type").is_some_and(|kind| kind == "digraph")
    }

    /// The graph as it is laid and drawn here.
    pub fn graph(&self, title: &str) -> Graph {
        self.graph_with_groups(title).0
    }

    /// The same, and the graph that each node is in.
    fn graph_with_groups(&self, title: &str) -> (Graph, Vec<&str>) {
        let mut graph = Graph { title: title.to_owned(), dot: Some(self.dot()), ..Graph::default() };
        let mut groups = Vec::new();
        // Graphs that lie in no other have nothing in common.
        let mut numbers: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let ends = self.edges.iter().flat_map(|edge| [(&edge.from, &edge.graph), (&edge.to, &edge.graph)]);
        for (id, group) in self.nodes.iter().map(|(id, group)| (id, group)).chain(ends) {
            numbers.entry((self.chain(group)[0], id)).or_insert_with(|| {
                graph.nodes.push(node(id, &self.attributes("node", id, group)));
                graph.sites.push(Site { nodes: vec![groups.len()], label: String::new() });
                groups.push(group.as_str());
                groups.len() - 1
            });
        }
        for edge in &self.edges {
            let root = self.chain(&edge.graph)[0];
            let attributes = self.attributes("edge", &edge.id, &edge.graph);
            let ends = [&edge.from, &edge.to].map(|end| numbers[&(root, end.as_str())]);
            graph.arcs.extend(arc(ends, &attributes, self.is_directed(root)));
        }
        (graph, groups)
    }

    /// A file for Graphviz: each graph that lies in no other, with all attributes as they are.
    fn dot(&self) -> String {
        let mut text = String::new();
        for root in self.children(None) {
            self.write_dot(root, &mut text, 0, self.is_directed(root));
        }
        text
    }

    fn write_dot(&self, graph: &str, text: &mut String, depth: usize, is_directed: bool) {
        let indent = "  ".repeat(depth);
        let _ = match (depth, is_directed) {
            (0, true) => writeln!(text, "digraph {} {{", quoted(graph)),
            (0, false) => writeln!(text, "graph {} {{", quoted(graph)),
            _ => writeln!(text, "{indent}subgraph {} {{", quoted(&format!("cluster_{graph}"))),
        };
        for (word, kind) in [("graph", "graph"), ("node", "graph_nodes"), ("edge", "graph_edges")] {
            let mut attributes = self.own(kind, graph);
            attributes.retain(|name, _| (kind, name.as_str()) != ("graph", "type"));
            if !attributes.is_empty() {
                let _ = writeln!(text, "{indent}  {word}{};", listed(&attributes));
            }
        }
        for child in self.children(Some(graph)) {
            self.write_dot(child, text, depth + 1, is_directed);
        }
        for (id, _) in self.nodes.iter().filter(|(_, own)| own == graph) {
            let _ = writeln!(text, "{indent}  {}{};", quoted(id), listed(&self.own("node", id)));
        }
        let sign = if is_directed { "->" } else { "--" };
        for Edge { id, from, to, .. } in self.edges.iter().filter(|edge| edge.graph == graph) {
            let (from, to) = (quoted(from), quoted(to));
            let _ = writeln!(text, "{indent}  {from} {sign} {to}{};", listed(&self.own("edge", id)));
        }
        let _ = writeln!(text, "{indent}}}");
    }

    pub fn picture(&self, title: &str) -> Picture {
        let (graph, groups) = self.graph_with_groups(title);
        let labels = self.children(None).filter_map(|root| self.own("graph", root).remove("label"));
        let captions: Vec<String> = labels.collect();
        let captions = if captions.len() == 1 { captions } else { Vec::new() };
        if graph.nodes.len() + graph.arcs.len() > MOST_DRAWN {
            let text = format!("{} nodes and {} edges are too many to draw", graph.nodes.len(), graph.arcs.len());
            let sprite = Sprite::still(Look::Text { size: TEXT }, Paint::Grey, text, (0.0, 0.0));
            return Picture { title: title.to_owned(), sprites: vec![sprite], captions };
        }
        let mut sprites = Vec::new();
        let placed = self.placed(&graph, &groups).unwrap_or_else(|| {
            let mut places = vec![(0.0, 0.0); graph.nodes.len()];
            for (group, low, high) in self.lay(None, &graph, &groups).1.put((0.0, 0.0), &mut places) {
                let is_alone = self.graphs[&group].is_none() && self.children(None).count() == 1;
                sprites.extend(if is_alone { Vec::new() } else { self.panel(&group, low, high) });
            }
            Placed { places, ways: Vec::new(), scale: 1.0 }
        });
        sprites.extend(graph::lay(&graph, &placed).draw(&graph));
        Picture { title: title.to_owned(), sprites, captions }
    }

    /// Where the attribute `pos` has everything.
    fn placed(&self, graph: &Graph, groups: &[&str]) -> Option<Placed> {
        let place = |(node, group): (&Node, &&str)| {
            let text = self.attributes("node", &node.id, group).remove("pos")?;
            let (x, y) = text.trim_end_matches('!').split_once(',')?;
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.abs() < 1e6);
            // The ordinate of Graphviz goes upwards.
            Some((number(x)?, -number(y)?))
        };
        let places: Vec<Point> = graph.nodes.iter().zip(groups).map(place).collect::<Option<_>>()?;
        let has_size = graph.nodes.iter().any(|node| node.outline.is_some_and(|outline| outline.size.is_some()));
        let scale = if has_size { INCH } else { graph::scale(graph, &places) };
        Some(Placed { places, ways: Vec::new(), scale })
    }

    /// How large a graph is, and where its nodes and graphs stand.
    fn lay(&self, group: Option<&str>, graph: &Graph, groups: &[&str]) -> ((f64, f64), Block) {
        let children: Vec<&String> = self.children(group).collect();
        let own = (0..groups.len()).filter(|&node| Some(groups[node]) == group);
        let nodes: Vec<usize> = own.collect();
        let blocks: Vec<((f64, f64), Block)> =
            children.iter().map(|child| self.lay(Some(child), graph, groups)).collect();
        let item_of = |node: usize| match nodes.binary_search(&node) {
            Ok(item) => Some(item),
            Err(_) => {
                let chain = self.chain(groups[node]);
                let child = children.iter().position(|child| chain.contains(&child.as_str()));
                child.map(|child| nodes.len() + child)
            }
        };
        let items: Vec<Option<usize>> = (0..groups.len()).map(item_of).collect();
        let between = graph.arcs.iter().filter_map(|arc| Some((items[arc.from]?, items[arc.to]?)));
        let between: BTreeSet<(usize, usize)> = between.filter(|(from, to)| from != to).collect();
        let chain = group.map_or(Vec::new(), |group| self.chain(group));
        let attribute =
            |graph: &&&str| self.own("graph", graph).get("rankdir").is_some_and(|way| way == "LR" || way == "RL");
        let is_sideways = chain.iter().any(|graph| attribute(&graph));
        let turned = |(x, y): (f64, f64)| if is_sideways { (y, x) } else { (x, y) };
        let sizes = nodes.iter().map(|&node| graph::size(&graph.nodes[node])).chain(blocks.iter().map(|block| block.0));
        let sizes: Vec<(f64, f64)> = sizes.collect();
        let apart = |&(width, height): &(f64, f64)| turned((width + 16.0, height + 22.0));
        let roomy: Vec<(f64, f64)> = sizes.iter().map(apart).collect();
        let places =
            layout::boxes(&roomy, &between.into_iter().collect::<Vec<_>>(), &Stop::new()).into_iter().map(turned);
        let places: Vec<Point> = places.collect();
        let corners = places.iter().zip(&sizes).flat_map(|(place, size)| {
            let half = (size.0 / 2.0, size.1 / 2.0);
            [(place.0 - half.0, place.1 - half.1), (place.0 + half.0, place.1 + half.1)]
        });
        let (low, high) = if places.is_empty() { ((0.0, 0.0), (0.0, 0.0)) } else { picture::frame(corners) };
        let middle = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
        let moved = |(x, y): Point, by: f64| (x - middle.0, y - middle.1 + by);
        let by = if group.is_some() { HEAD / 2.0 } else { 0.0 };
        let size = (high.0 - low.0 + 2.0 * MARGIN, high.1 - low.1 + 2.0 * MARGIN + 2.0 * by);
        let label = group.map_or(0.0, |group| picture::text_width(&self.label(group), TEXT) + MARGIN);
        let size = (size.0.max(label), size.1);
        let block = Block {
            group: group.map(|group| (group.to_owned(), size)),
            nodes: nodes.iter().zip(&places).map(|(&node, &place)| (node, moved(place, by))).collect(),
            blocks: blocks
                .into_iter()
                .zip(&places[nodes.len()..])
                .map(|(block, &at)| (block.1, moved(at, by)))
                .collect(),
        };
        (size, block)
    }

    fn label(&self, group: &str) -> String {
        let is_root = self.graphs.get(group).is_some_and(Option::is_none);
        let label = self.own("graph", group).remove("label").map(|label| plain(&label));
        label.unwrap_or_else(|| if is_root { group.to_owned() } else { String::new() })
    }

    /// What shows where a graph is.
    fn panel(&self, group: &str, low: Point, high: Point) -> Vec<Sprite> {
        let attributes = self.own("graph", group);
        let (width, height) = (high.0 - low.0, high.1 - low.1);
        let middle = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
        let corner = (width / 2.0, height / 2.0);
        let corners = [(-corner.0, -corner.1), (corner.0, -corner.1), corner, (-corner.0, corner.1)];
        let style = attributes.get("style").map_or("", String::as_str);
        let filled = ["fillcolor", "bgcolor", "color"].iter().find_map(|name| named(attributes.get(*name)?));
        let fill =
            filled.filter(|_| style.contains("filled")).or(attributes.get("bgcolor").and_then(|name| named(name)));
        let line = attributes.get("color").and_then(|name| named(name)).unwrap_or(LINE);
        let is_dashed = style.contains("dotted") || style.contains("dashed");
        let look = Look::Shape { curves: vec![Curve::polygon(&corners)], width: 1.0, is_dashed, fill };
        let frame = Sprite::still(look, Paint::Color(line), "", middle);
        let label = self.label(group);
        let ink = fill.map_or(BLACK, ink);
        let look = Look::Label { width, height: TEXT, is_bold: false };
        let label = Sprite::still(look, Paint::Color(ink), label, (middle.0, low.1 + HEAD / 2.0));
        vec![frame, label]
    }
}

/// Where the nodes and graphs of a graph stand, around its middle.
struct Block {
    group: Option<(String, (f64, f64))>,
    nodes: Vec<(usize, Point)>,
    blocks: Vec<(Block, Point)>,
}

impl Block {
    /// Puts everything around a place, and says where graphs are, the outer ones first.
    fn put(&self, (x, y): Point, places: &mut [Point]) -> Vec<(String, Point, Point)> {
        for &(node, at) in &self.nodes {
            places[node] = (x + at.0, y + at.1);
        }
        let own = self.group.iter().map(|(group, (width, height))| {
            (group.clone(), (x - width / 2.0, y - height / 2.0), (x + width / 2.0, y + height / 2.0))
        });
        let mut groups: Vec<_> = own.collect();
        for (block, at) in &self.blocks {
            groups.extend(block.put((x + at.0, y + at.1), places));
        }
        groups
    }
}

impl Value {
    /// The template with its variables, or one variable after the other.
    fn text(&self, name: &str) -> String {
        if self.templates.is_empty() {
            return self.variables.values().cloned().collect();
        }
        let template = self.templates.join(if name == "style" { "," } else { " " });
        let mut pieces = template.split("{{");
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let Some((variable, rest)) = piece.split_once("}}") else {
                text.push_str(piece);
                continue;
            };
            let variable = variable.trim().replace('"', "'");
            let of_data = variable.strip_prefix("data['").and_then(|rest| rest.strip_suffix("']"));
            text.push_str(self.variables.get(of_data.unwrap_or(&variable)).map_or("", String::as_str));
            text.push_str(rest);
        }
        text
    }
}

/// The parts of a tuple.
fn parts(symbol: asp::Symbol) -> Option<Vec<asp::Symbol>> {
    signature_of(symbol).filter(|(name, _)| name.is_empty())?;
    symbol.arguments().ok()
}

fn node(id: &str, attributes: &Attributes) -> Node {
    let get = |name: &str| attributes.get(name).map(String::as_str);
    let style = get("style").unwrap_or_default();
    let shape = match get("shape").unwrap_or("ellipse") {
        "circle" | "Mcircle" => Shape::Disc,
        "doublecircle" => Shape::Ring,
        "ellipse" | "oval" | "egg" => Shape::Ellipse,
        "diamond" | "Mdiamond" => Shape::Diamond,
        "triangle" => Shape::Triangle,
        "plaintext" | "plain" | "none" => Shape::Plain,
        "point" => Shape::Point,
        _ => Shape::Box,
    };
    let is_filled = style.contains("filled");
    let color = get("color").and_then(named);
    let fill = is_filled.then(|| get("fillcolor").and_then(named).or(color).unwrap_or(FILLED));
    let inches =
        |name: &str| get(name).and_then(|text| text.parse::<f64>().ok()).map(|size| size.clamp(0.1, 20.0) * INCH);
    let is_square = matches!(get("shape"), Some("square" | "circle" | "doublecircle"));
    let size = match (inches("width"), inches("height")) {
        (None, None) => None,
        (Some(side), None) | (None, Some(side)) if is_square => Some((side, side)),
        (width, height) => Some((width.unwrap_or(0.75 * INCH), height.unwrap_or(0.5 * INCH))),
    };
    let is_hidden = style.contains("invis");
    let outline = Outline {
        line: color.unwrap_or(BLACK),
        width: get("penwidth").and_then(|text| text.parse::<f64>().ok()).map_or(1.0, |width| width.clamp(0.0, 20.0)),
        is_dashed: style.contains("dashed") || style.contains("dotted"),
        fill: if is_hidden { None } else { Some(fill.unwrap_or(Rgb(0xff, 0xff, 0xff))) },
        ink: get("fontcolor").and_then(named).unwrap_or_else(|| fill.map_or(BLACK, ink)),
        size,
    };
    Node {
        id: id.to_owned(),
        name: if is_hidden {
            String::new()
        } else {
            get("label").map_or_else(|| id.to_owned(), |label| plain(&label.replace("\\N", id)))
        },
        shape: if is_hidden { Shape::Plain } else { shape },
        outline: Some(outline),
        hint: get("tooltip").unwrap_or(id).to_owned(),
        ..Node::default()
    }
}

/// `None` for one that nobody sees.
fn arc([from, to]: [usize; 2], attributes: &Attributes, is_directed: bool) -> Option<Arc> {
    let get = |name: &str| attributes.get(name).map(String::as_str);
    let style = get("style").unwrap_or_default();
    let width = get("penwidth").and_then(|text| text.parse::<f64>().ok()).map(|width| width.clamp(0.5, 12.0));
    let width = width.unwrap_or(if style.contains("bold") { 2.6 } else { 1.3 });
    let is_dashed = style.contains("dashed") || style.contains("dotted");
    let dir = get("dir").unwrap_or(if is_directed { "forward" } else { "none" });
    let (from, to) = if dir == "back" { (to, from) } else { (from, to) };
    let arc = Arc {
        from,
        to,
        label: get("label").map(plain).unwrap_or_default(),
        badge: get("xlabel").map(plain).unwrap_or_default(),
        emphasis: if is_dashed { Emphasis::Jump } else { Emphasis::Plain },
        line: Some((get("color").and_then(named).unwrap_or(LINE), width)),
        has_no_head: dir == "none" || get("arrowhead") == Some("none"),
    };
    (!style.contains("invis")).then_some(arc)
}

/// The first of several colours.
fn named(text: &str) -> Option<Rgb> {
    Rgb::named(text.split([':', ';']).next()?.trim())
}

fn ink(ground: Rgb) -> Rgb {
    if ground.is_dark() { Rgb(0xff, 0xff, 0xff) } else { BLACK }
}

/// A label without its tags and ends of lines.
fn plain(label: &str) -> String {
    let inside = label.strip_prefix('<').and_then(|label| label.strip_suffix('>'));
    let text = inside.map_or_else(
        || label.to_owned(),
        |inside| inside.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, rest)| rest)).collect(),
    );
    let text = ["\\n", "\\l", "\\r", "\n"].iter().fold(text, |text, end| text.replace(end, " "));
    graph::dot::plain(text.trim())
}

fn listed(attributes: &Attributes) -> String {
    let list: Vec<String> =
        attributes.iter().map(|(name, value)| format!("{}={}", quoted(name), quoted(value))).collect();
    if list.is_empty() { String::new() } else { format!(" [{}]", list.join(", ")) }
}

/// As Graphviz reads it: HTML where its brackets fit, else a string in which backslashes are Graphviz's own.
fn quoted(text: &str) -> String {
    let depth = |depth: Option<u32>, sign: char| match sign {
        '<' => Some(depth? + 1),
        '>' => depth?.checked_sub(1),
        _ => depth.filter(|&depth| depth > 0),
    };
    let is_html = text.starts_with('<') && text.chars().fold(Some(0), depth) == Some(0);
    if is_html {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    let mut is_escaped = false;
    for sign in text.chars() {
        match sign {
            '"' if is_escaped => quoted.push_str("\\\\\""),
            '"' => quoted.push_str("\\\""),
            '\n' => quoted.push_str("\\n"),
            sign if sign.is_control() => quoted.push(' '),
            sign => quoted.push(sign),
        }
        is_escaped = sign == '\\' && !is_escaped;
    }
    quoted.push_str(if is_escaped { "\\\"" } else { "\"" });
    quoted
}
