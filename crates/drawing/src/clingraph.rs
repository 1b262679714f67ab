//! Graphs in the vocabulary of clingraph (Hahn, Sabuncu, Schaub and Stolzmann, "Clingraph: a system
//! for ASP-based visualization", Theory and Practice of Logic Programming 24, 2024).
//!
//! Nodes are `node(Id)` or `node(Id,Graph)`. Edges are `edge((A,B))` or `edge((A,B,Number))`, each
//! with a graph as an optional second argument. Graphs are `graph(Id)`, or `graph(Id,Parent)`
//! within another graph. All other properties are attributes `attr(Kind,Id,Name,Value)`, with the
//! attribute names of Graphviz. A value may be a template with `{{variable}}`; the attribute
//! `(Name,Variable)` gives the variable its value. Edges are undirected unless their graph has the
//! type `digraph` or they have the attribute `dir`.
//!
//! If there are no other edges, those in the common form `edge(A,B)` of textbooks are drawn, each
//! pair of nodes once. Without attributes, such a graph has the colours of its colouring.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use asp::functions::SVG_COLOR;
use asp::{Term, signature_of, to_text};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use picture::graph::{self, Arc, Emphasis, Graph, GraphLayout, Node, Outline, Shape, Site, layout};
use picture::{Curve, Look, Paint, Picture, Point, Rgb, Sprite, TEXT};
use rustc_hash::FxHashSet;

use super::color::color;
use super::coloring;
use super::read;
use super::template::{self, Data};

/// The notation of the atoms.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// The prefix of the predicates: with `viz_`, a node is `viz_node(Id)`.
    pub prefix: String,
    /// The default type of graphs: true if their edges are directed.
    pub is_directed: bool,
    /// The graph of nodes and edges that name no graph; if `None`, it is called `default`.
    pub default_graph: Option<String>,
}

impl Vocabulary {
    /// Returns the predicate of a graph atom without its prefix, and its arity.
    fn word(&self, atom: asp::Symbol) -> Option<(&'static str, usize)> {
        let (name, size) = signature_of(atom)?;
        let word = name.strip_prefix(self.prefix.as_str())?;
        matches!((word, size), ("graph" | "node" | "edge", 1 | 2) | ("attr", 4)).then_some((word, size))
    }

    /// Selects the atoms and terms of an answer that are drawn: all `draw` atoms, the `draw` terms
    /// in `shown`, and the graph atoms in `shown`, or if there are none, all graph atoms in `all`.
    pub fn drawn_atoms(&self, shown: &[asp::Symbol], all: &[asp::Symbol]) -> Vec<asp::Symbol> {
        let is_graph_atom = |atom: &asp::Symbol| self.word(*atom).is_some();
        let draws = |atom: &asp::Symbol| read::is_draw_atom(*atom);
        let drawn: Vec<asp::Symbol> = all.iter().copied().filter(draws).collect();
        let seen: FxHashSet<asp::Symbol> = drawn.iter().copied().collect();
        let terms = shown.iter().copied().filter(|atom| draws(atom) && !seen.contains(atom));
        let graph_atoms = if shown.iter().any(is_graph_atom) { shown } else { all };
        let graph_atoms: BTreeSet<asp::Symbol> = graph_atoms.iter().copied().filter(is_graph_atom).collect();
        let graph_atoms: Vec<asp::Symbol> = graph_atoms.into_iter().collect();
        let colors = coloring::coloring_atoms(&self.textbook_nodes(&graph_atoms), all);
        drawn.iter().copied().chain(terms).chain(graph_atoms).chain(colors).collect()
    }

    /// Returns the nodes of a textbook's graph: its edges are `edge(A,B)`, and it has no
    /// attributes. For another graph, returns no nodes.
    fn textbook_nodes(&self, atoms: &[asp::Symbol]) -> FxHashSet<asp::Symbol> {
        let mut nodes = FxHashSet::default();
        for &atom in atoms {
            let arguments = atom.arguments().unwrap_or_default();
            match (self.word(atom), &arguments[..]) {
                (Some(("node", 1)), &[node]) => _ = nodes.insert(node),
                (Some(("edge", 2)), &[from, to]) => nodes.extend([from, to]),
                (Some(_), _) => return FxHashSet::default(),
                (None, _) => {}
            }
        }
        nodes
    }
}

/// Maximum nesting of graphs.
const MAX_NESTED: usize = 50;
/// Maximum number of nodes and edges in a readable picture.
const MAX_DRAWN: usize = 3_000;
/// Number of pixels for an inch in attributes of Graphviz.
const INCH: f64 = 48.0;
/// Space around the nodes of a subgraph, and height of its label, in pixels.
const MARGIN: f64 = 14.0;
const HEAD: f64 = 20.0;

const BLACK: Rgb = Rgb(0x22, 0x22, 0x22);
const LINE: Rgb = Rgb(0x66, 0x66, 0x62);
const WHITE: Rgb = Rgb(0xff, 0xff, 0xff);
/// The default fill colour of Graphviz.
const DEFAULT_FILL: Rgb = Rgb(0xd3, 0xd3, 0xd3);

/// The attributes that this program draws. Graphviz draws further ones.
const DRAWN_ATTRIBUTES: [&str; 20] = [
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
    "fontsize",
    "colorscheme",
    "class",
];

/// The clingraph atoms of an answer. Graphs, nodes and edges are identified by their text.
#[derive(Debug, Clone, Default)]
pub struct Clingraph {
    /// Each graph with its parent.
    graphs: BTreeMap<String, Option<String>>,
    /// The graphs in the order of their atoms.
    order: Vec<String>,
    /// Each node with its graph.
    nodes: Vec<(String, String)>,
    edges: Vec<Edge>,
    /// The attributes of each element, by its kind and identifier.
    attributes: BTreeMap<(String, String), Attributes>,
    is_directed: bool,
}

#[derive(Debug, Clone)]
struct Edge {
    id: String,
    from: String,
    to: String,
    graph: String,
}

/// The value of an attribute: templates, and the values of their variables.
#[derive(Debug, Clone, Default)]
struct AttributeValue {
    templates: Vec<String>,
    variables: Data,
}

type Attributes = BTreeMap<String, String>;

impl Clingraph {
    /// Reads the graphs among `atoms`. Also returns warnings about nodes, edges and attributes that
    /// are not drawn.
    pub fn of(
        atoms: &[asp::Symbol],
        source: &str,
        vocabulary: &Vocabulary,
    ) -> Result<(Clingraph, Vec<Diagnostic>), Failure> {
        let default = vocabulary.default_graph.as_deref().unwrap_or("default");
        let mut clingraph = Clingraph { is_directed: vocabulary.is_directed, ..Clingraph::default() };
        let text = |symbol: asp::Symbol| Term::of(symbol).text();
        let of_kind = |name: &'static str| {
            let is_of_kind = move |atom: &&asp::Symbol| vocabulary.word(**atom).is_some_and(|(word, _)| word == name);
            atoms.iter().filter(is_of_kind).map(|atom| atom.arguments().unwrap_or_default())
        };
        for terms in of_kind("graph") {
            clingraph.add_graph(text(terms[0]), terms.get(1).map(|&parent| text(parent)));
        }
        let parents: Vec<String> = clingraph.graphs.values().flatten().cloned().collect();
        let undeclared: BTreeSet<String> =
            parents.into_iter().filter(|parent| !clingraph.graphs.contains_key(parent)).collect();
        for parent in undeclared {
            clingraph.add_graph(parent, None);
        }
        for terms in of_kind("node") {
            clingraph.nodes.push((text(terms[0]), terms.get(1).map_or(default.to_owned(), |&graph| text(graph))));
        }
        let mut undrawn = clingraph.read_attributes(of_kind("attr"), source)?;
        let has_graphs = !clingraph.graphs.is_empty();
        let has_clingraph_edges = clingraph.read_edges(of_kind("edge"), default);
        if !has_clingraph_edges {
            clingraph.color_nodes(&coloring::coloring_atoms(&vocabulary.textbook_nodes(atoms), atoms));
        }
        let mut graphs_of_elements =
            clingraph.nodes.iter().map(|node| &node.1).chain(clingraph.edges.iter().map(|edge| &edge.graph));
        if graphs_of_elements.any(|graph| graph == default) && !clingraph.graphs.contains_key(default) {
            clingraph.add_graph(default.to_owned(), None);
        }
        let mut missing = clingraph.drop_undeclared();
        for name in clingraph.graphs.keys() {
            if clingraph.chain(name).len() > MAX_NESTED {
                let text = format!(
                    "{source}: the graph {name} contains itself, or is nested in more than {MAX_NESTED} others"
                );
                return Err(Diagnostic::error(Code::InvalidDrawing, text)
                    .help("expected graph(Id,Parent) without cycles")
                    .into());
            }
        }
        let warning = |what: &str, names: BTreeSet<String>, help: &str| {
            let names: Vec<String> = names.into_iter().collect();
            (!names.is_empty()).then(|| {
                let text = format!("{source}: {what} are not drawn: {}", names.join(", "));
                Diagnostic::warning(Code::EmptyDrawing, text).help(help)
            })
        };
        // The predicates may have other meanings.
        if !has_graphs && !has_clingraph_edges {
            missing.clear();
        }
        if clingraph.is_empty() {
            undrawn.clear();
        }
        let warnings = [
            warning("nodes and edges of these undeclared graphs", missing, "expected an atom graph(Id) for each"),
            warning("these attributes of graphs", undrawn, "-f dot keeps all attributes, for Graphviz"),
        ];
        Ok((clingraph, warnings.into_iter().flatten().collect()))
    }

    /// Reads the terms of the atoms `edge`. If no edge has clingraph's form, edges in the common form
    /// `edge(A,B)` are edges of the graph `default`. Returns true if some edge has clingraph's form.
    fn read_edges(&mut self, edges: impl Iterator<Item = Vec<asp::Symbol>>, default: &str) -> bool {
        let text = |symbol: asp::Symbol| Term::of(symbol).text();
        let nodes: FxHashSet<&str> = self.nodes.iter().map(|(node, _)| node.as_str()).collect();
        let mut plain = Vec::new();
        for terms in edges {
            let ends = tuple_parts(terms[0]).filter(|parts| matches!(parts.len(), 2 | 3));
            let graph = terms.get(1).map_or(default.to_owned(), |&graph| text(graph));
            // `edge((1,1),(1,2))` joins two nodes whose names are tuples.
            let is_node = |name: &asp::Symbol| tuple_parts(*name).is_some() || nodes.contains(graph.as_str());
            let is_graph = graph == default || self.graphs.contains_key(&graph) || !terms.get(1).is_some_and(is_node);
            match (&terms[..], ends) {
                ([id, ..], Some(ends)) if is_graph => {
                    self.edges.push(Edge { id: to_text(*id), from: text(ends[0]), to: text(ends[1]), graph });
                }
                ([from, to], _) => {
                    let id = format!("({},{})", to_text(*from), to_text(*to));
                    plain.push(Edge { id, from: text(*from), to: text(*to), graph: default.to_owned() });
                }
                _ => {}
            }
        }
        let has_clingraph_edges = !self.edges.is_empty();
        if !has_clingraph_edges {
            if !self.is_directed(default) {
                self.drop_reversed(&mut plain);
            }
            self.edges = plain;
        }
        has_clingraph_edges
    }

    /// Drops undirected edges whose reverse is there too, unless they have attributes.
    fn drop_reversed(&self, edges: &mut Vec<Edge>) {
        let mut pairs = FxHashSet::default();
        edges.retain(|Edge { id, from, to, .. }| {
            let has_attributes = self.attributes.contains_key(&("edge".to_owned(), id.clone()));
            pairs.insert((from.min(to).clone(), from.max(to).clone())) || has_attributes
        });
    }

    /// Fills the nodes of a textbook's graph with the colours of its colouring.
    fn color_nodes(&mut self, atoms: &[asp::Symbol]) {
        for (node, color) in coloring::node_colors(atoms) {
            let fill = [("style", "filled".to_owned()), ("fillcolor", color)];
            let fill = fill.map(|(name, value)| (name.to_owned(), value));
            self.attributes.insert(("node".to_owned(), node), Attributes::from(fill));
        }
    }

    /// Drops nodes and edges of undeclared graphs, as clingraph does, and returns the names of these
    /// graphs.
    fn drop_undeclared(&mut self) -> BTreeSet<String> {
        let Clingraph { graphs, nodes, edges, .. } = self;
        let mut missing = BTreeSet::new();
        let mut is_declared = |graph: &String| graphs.contains_key(graph) || !missing.insert(graph.clone());
        nodes.retain(|(_, graph)| is_declared(graph));
        edges.retain(|edge| is_declared(&edge.graph));
        missing
    }

    /// Reads the terms of the atoms `attr`. Returns the names of attributes that are not drawn.
    fn read_attributes(
        &mut self,
        attributes: impl Iterator<Item = Vec<asp::Symbol>>,
        source: &str,
    ) -> Result<BTreeSet<String>, Failure> {
        let text = |symbol: asp::Symbol| Term::of(symbol).text();
        let mut undrawn = BTreeSet::new();
        let mut values = BTreeMap::<(String, String), BTreeMap<String, AttributeValue>>::new();
        for terms in attributes {
            let (kind, value) = (text(terms[0]), text(terms[3]));
            if !["graph", "node", "edge", "graph_nodes", "graph_edges"].contains(&kind.as_str()) {
                let atom = terms.iter().map(|&term| to_text(term)).collect::<Vec<_>>().join(",");
                let text = format!("{source}: attr({atom}) cannot be drawn: unknown kind {kind}");
                let expected =
                    "expected attr(Kind,Id,Name,Value) with Kind one of graph, node, edge, graph_nodes, graph_edges";
                return Err(Diagnostic::error(Code::InvalidDrawing, text).help(expected).into());
            }
            let names = tuple_parts(terms[2]).unwrap_or_else(|| vec![terms[2]]);
            let names: Vec<String> = names.into_iter().map(text).collect();
            let name = names.first().cloned().unwrap_or_default();
            if !DRAWN_ATTRIBUTES.contains(&name.as_str()) {
                undrawn.insert(name.clone());
            }
            let id = if kind == "edge" { to_text(terms[1]) } else { text(terms[1]) };
            let attribute = values.entry((kind, id)).or_default().entry(name).or_default();
            match &names[1..] {
                [] => attribute.templates.push(value),
                [variable] => attribute.variables.entry(variable.clone()).or_default().text = value,
                [variable, keys @ ..] => {
                    let keyed = &mut attribute.variables.entry(variable.clone()).or_default().keyed;
                    keyed.insert(keys.join(","), template::TemplateValue::from(value));
                }
            }
        }
        for ((kind, id), values) in values {
            let mut texts = Attributes::new();
            for (name, value) in values {
                let text = value.text(&name).map_err(|what| {
                    let text = format!(
                        "{source}: the attribute {name} of the {kind} {id} cannot be drawn: {what} in its template"
                    );
                    Diagnostic::error(Code::InvalidDrawing, text)
                        .help("templates are written in Jinja's language: {{variable}}, {% if … %}, {% for … in … %}")
                })?;
                texts.insert(name, text);
            }
            self.attributes.insert((kind, id), texts);
        }
        Ok(undrawn)
    }

    fn add_graph(&mut self, name: String, parent: Option<String>) {
        if self.graphs.insert(name.clone(), parent).is_none() {
            self.order.push(name);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty()
    }

    /// Returns the ancestors of `graph` and the graph itself, the outermost first.
    fn chain(&self, graph: &str) -> Vec<&str> {
        let parent_of = |name: &&str| self.graphs.get(*name).and_then(|parent| parent.as_deref());
        let first = self.graphs.get_key_value(graph).map(|(name, _)| name.as_str());
        let mut chain: Vec<&str> = std::iter::successors(first, parent_of).take(MAX_NESTED + 1).collect();
        chain.reverse();
        chain
    }

    /// Returns the attributes of an element, without inherited ones.
    fn own_attributes(&self, kind: &str, id: &str) -> Attributes {
        self.attributes.get(&(kind.to_owned(), id.to_owned())).cloned().unwrap_or_default()
    }

    /// Returns the attributes of an element in `graph`, including those that it inherits from its
    /// graphs.
    fn attributes(&self, kind: &str, id: &str, graph: &str) -> Attributes {
        let common = self.chain(graph).into_iter().map(|graph| self.own_attributes(&format!("graph_{kind}s"), graph));
        common.chain([self.own_attributes(kind, id)]).flatten().collect()
    }

    fn children<'a>(&'a self, parent: Option<&'a str>) -> impl Iterator<Item = &'a String> {
        self.order.iter().filter(move |name| self.graphs[*name].as_deref() == parent)
    }

    fn is_directed(&self, root: &str) -> bool {
        self.own_attributes("graph", root).get("type").map_or(self.is_directed, |kind| kind == "digraph")
    }

    /// Returns the graph in the form that is laid out and drawn.
    pub fn graph(&self, title: &str) -> Graph {
        self.graph_with_groups(title).0
    }

    /// Returns the graph, and for each node the name of its innermost graph.
    fn graph_with_groups(&self, title: &str) -> (Graph, Vec<&str>) {
        let mut graph = Graph { title: title.to_owned(), dot: Some(self.dot()), ..Graph::default() };
        let mut groups = Vec::new();
        // Nodes are identified by their top-level graph and their name, since top-level graphs
        // share no nodes.
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
            graph.arcs.extend(arc(&edge.id, ends, &attributes, self.is_directed(root)));
        }
        (graph, groups)
    }

    /// Returns the source for Graphviz. It has each top-level graph, with all attributes unchanged.
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
            let mut attributes = self.own_attributes(kind, graph);
            attributes.retain(|name, _| (kind, name.as_str()) != ("graph", "type"));
            if !attributes.is_empty() {
                let _ = writeln!(text, "{indent}  {word}{};", listed(&attributes));
            }
        }
        for child in self.children(Some(graph)) {
            self.write_dot(child, text, depth + 1, is_directed);
        }
        for (id, _) in self.nodes.iter().filter(|(_, group)| group == graph) {
            let _ = writeln!(text, "{indent}  {}{};", quoted(id), listed(&self.own_attributes("node", id)));
        }
        let sign = if is_directed { "->" } else { "--" };
        for Edge { id, from, to, .. } in self.edges.iter().filter(|edge| edge.graph == graph) {
            let (from, to) = (quoted(from), quoted(to));
            let _ = writeln!(text, "{indent}  {from} {sign} {to}{};", listed(&self.own_attributes("edge", id)));
        }
        let _ = writeln!(text, "{indent}}}");
    }

    pub fn picture(&self, title: &str, stop: &CancelToken) -> Picture {
        let (graph, groups) = self.graph_with_groups(title);
        let labels = self.children(None).filter_map(|root| self.own_attributes("graph", root).remove("label"));
        let captions: Vec<String> = labels.map(|label| single_line(Some(&label))).collect();
        let captions = if captions.len() == 1 { captions } else { Vec::new() };
        if graph.nodes.len() + graph.arcs.len() > MAX_DRAWN {
            let text = format!("{} nodes and {} edges are too many to draw", graph.nodes.len(), graph.arcs.len());
            let sprite = Sprite::still(Look::Text { size: TEXT }, Paint::Grey, text, (0.0, 0.0));
            return Picture { title: title.to_owned(), sprites: vec![sprite], captions };
        }
        let mut sprites = Vec::new();
        let mut places = vec![(0.0, 0.0); graph.nodes.len()];
        let is_alone = self.children(None).count() == 1;
        for (group, low, high) in self.lay_out(None, &graph, &groups, stop).1.place((0.0, 0.0), &mut places) {
            sprites.extend(self.panel(&group, low, high, is_alone && self.graphs[&group].is_none()));
        }
        sprites.extend(graph::route(&graph, &GraphLayout { places, bends: Vec::new(), scale: 1.0 }).draw(&graph));
        Picture { title: title.to_owned(), sprites, captions }
    }

    /// Returns the nodes of a top-level graph with their positions in pixels, if all have the
    /// attribute `pos`.
    fn fixed_positions(&self, root: &str, graph: &Graph, groups: &[&str]) -> Option<(Vec<usize>, Vec<Point>)> {
        let place = |&node: &usize| {
            let text = self.attributes("node", &graph.nodes[node].id, groups[node]).remove("pos")?;
            let (x, y) = text.trim_end_matches('!').split_once(',')?;
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.abs() < 1e6);
            // The y axis of Graphviz points upwards.
            Some((number(x)?, -number(y)?))
        };
        let nodes: Vec<usize> = (0..groups.len()).filter(|&node| self.chain(groups[node])[0] == root).collect();
        let places: Vec<Point> = nodes.iter().map(place).collect::<Option<_>>()?;
        let placed_nodes: Vec<Node> = nodes.iter().map(|&node| graph.nodes[node].clone()).collect();
        let has_size = placed_nodes.iter().any(|node| node.outline.is_some_and(|outline| outline.size.is_some()));
        let sites = (0..placed_nodes.len()).map(|node| Site { nodes: vec![node], label: String::new() }).collect();
        let placed_graph = Graph { nodes: placed_nodes, sites, ..Graph::default() };
        let scale = if has_size { INCH } else { graph::scale(&placed_graph, &places) };
        Some((nodes, places.into_iter().map(|(x, y)| (x * scale, y * scale)).collect()))
    }

    /// Computes the size of the graph `group`, or of all if it is `None`, and the positions of its
    /// nodes and subgraphs.
    fn lay_out(&self, group: Option<&str>, graph: &Graph, groups: &[&str], stop: &CancelToken) -> SizedBlock {
        let is_root = |group: &&str| self.graphs[*group].is_none();
        let placed = group.filter(is_root).and_then(|root| self.fixed_positions(root, graph, groups));
        let (nodes, blocks, places) = match placed {
            Some((nodes, places)) => (nodes, Vec::new(), places),
            None => self.layered(group, graph, groups, stop),
        };
        let sizes = nodes.iter().map(|&node| graph::size(&graph.nodes[node])).chain(blocks.iter().map(|block| block.0));
        let sizes: Vec<(f64, f64)> = sizes.collect();
        let corners = places.iter().zip(&sizes).flat_map(|(place, size)| {
            let half = (size.0 / 2.0, size.1 / 2.0);
            [(place.0 - half.0, place.1 - half.1), (place.0 + half.0, place.1 + half.1)]
        });
        let (low, high) = if places.is_empty() { ((0.0, 0.0), (0.0, 0.0)) } else { picture::frame(corners) };
        let middle = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
        let moved = |(x, y): Point, by: f64| (x - middle.0, y - middle.1 + by);
        let shift = if group.is_some() { HEAD / 2.0 } else { 0.0 };
        let size = (high.0 - low.0 + 2.0 * MARGIN, high.1 - low.1 + 2.0 * MARGIN + 2.0 * shift);
        let label = group.map_or(0.0, |group| picture::text_width(&self.label(group), TEXT) + MARGIN);
        let size = (size.0.max(label), size.1);
        let block = Block {
            group: group.map(|group| (group.to_owned(), size)),
            nodes: nodes.iter().zip(&places).map(|(&node, &place)| (node, moved(place, shift))).collect(),
            blocks: blocks
                .into_iter()
                .zip(&places[nodes.len()..])
                .map(|(block, &at)| (block.1, moved(at, shift)))
                .collect(),
        };
        (size, block)
    }

    /// Returns the nodes and subgraphs of the graph `group`, and their positions in a layered
    /// layout.
    fn layered(
        &self,
        group: Option<&str>,
        graph: &Graph,
        groups: &[&str],
        stop: &CancelToken,
    ) -> (Vec<usize>, Vec<SizedBlock>, Vec<Point>) {
        let children: Vec<&String> = self.children(group).collect();
        let in_group = (0..groups.len()).filter(|&node| Some(groups[node]) == group);
        let nodes: Vec<usize> = in_group.collect();
        let blocks: Vec<SizedBlock> =
            children.iter().map(|child| self.lay_out(Some(child), graph, groups, stop)).collect();
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
        let attribute = |graph: &&&str| {
            self.own_attributes("graph", graph)
                .get("rankdir")
                .is_some_and(|direction| direction == "LR" || direction == "RL")
        };
        let is_sideways = chain.iter().any(|graph| attribute(&graph));
        let turned = |(x, y): (f64, f64)| if is_sideways { (y, x) } else { (x, y) };
        let sizes = nodes.iter().map(|&node| graph::size(&graph.nodes[node])).chain(blocks.iter().map(|block| block.0));
        let sizes: Vec<(f64, f64)> = sizes.collect();
        let with_gap = |&(width, height): &(f64, f64)| turned((width + 16.0, height + 22.0));
        let roomy: Vec<(f64, f64)> = sizes.iter().map(with_gap).collect();
        let places = layout::boxes(&roomy, &between.into_iter().collect::<Vec<_>>(), stop).into_iter().map(turned);
        let places = places.collect();
        (nodes, blocks, places)
    }

    fn label(&self, group: &str) -> String {
        let is_root = self.graphs.get(group).is_some_and(Option::is_none);
        let label = self.own_attributes("graph", group).remove("label").map(|label| single_line(Some(&label)));
        label.unwrap_or_else(|| if is_root { group.to_owned() } else { String::new() })
    }

    /// Draws the background and the label of a graph. If `is_alone`, it is the only top-level
    /// graph, and only its background is drawn.
    fn panel(&self, group: &str, low: Point, high: Point, is_alone: bool) -> Vec<Sprite> {
        let attributes = self.own_attributes("graph", group);
        let (width, height) = (high.0 - low.0, high.1 - low.1);
        let middle = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
        let corner = (width / 2.0, height / 2.0);
        let corners = [(-corner.0, -corner.1), (corner.0, -corner.1), corner, (-corner.0, corner.1)];
        let style = attributes.get("style").map_or("", String::as_str);
        let colored = |name: &str| colored(&attributes, name);
        let filled = ["fillcolor", "bgcolor", "color"].into_iter().find_map(colored);
        let fill = filled.filter(|_| style.contains("filled")).or(colored("bgcolor"));
        if is_alone && fill.is_none() {
            return Vec::new();
        }
        // Several top-level graphs have the background of a page.
        let fill = fill.or(self.graphs[group].is_none().then_some(WHITE));
        let line = colored("color").unwrap_or(LINE);
        let is_dashed = style.contains("dotted") || style.contains("dashed");
        let is_hidden = is_alone || style.contains("invis");
        let look = Look::Shape {
            curves: vec![Curve::polygon(&corners)],
            width: if is_hidden { 0.0 } else { 1.0 },
            is_dashed,
            fill,
        };
        let frame = Sprite::still(look, Paint::Color(line), "", middle);
        let label = if is_alone { String::new() } else { self.label(group) };
        let ink = fill.map_or(BLACK, ink);
        let look = Look::Label { width, height: TEXT, is_bold: false };
        let label = Sprite::still(look, Paint::Color(ink), label, (middle.0, low.1 + HEAD / 2.0));
        vec![frame, label]
    }
}

/// A graph that is laid out: the positions of its nodes and subgraphs, relative to its centre.
struct Block {
    group: Option<(String, (f64, f64))>,
    nodes: Vec<(usize, Point)>,
    blocks: Vec<(Block, Point)>,
}

/// The width and height of a block, and the block.
type SizedBlock = ((f64, f64), Block);

impl Block {
    /// Centres the block at a position and stores the positions of its nodes in `places`. Returns
    /// the corners of all its graphs, outer ones first.
    fn place(&self, (x, y): Point, places: &mut [Point]) -> Vec<(String, Point, Point)> {
        for &(node, at) in &self.nodes {
            places[node] = (x + at.0, y + at.1);
        }
        let outer = self.group.iter().map(|(group, (width, height))| {
            (group.clone(), (x - width / 2.0, y - height / 2.0), (x + width / 2.0, y + height / 2.0))
        });
        let mut groups: Vec<_> = outer.collect();
        for (block, at) in &self.blocks {
            groups.extend(block.place((x + at.0, y + at.1), places));
        }
        groups
    }
}

impl AttributeValue {
    /// Renders the templates, or if there are none, the values of all variables in order. `name` is
    /// the name of the attribute.
    fn text(&self, name: &str) -> Result<String, String> {
        if self.templates.is_empty() {
            return Ok(template::joined(&self.variables));
        }
        template::render(&self.templates.join(if name == "style" { "," } else { " " }), &self.variables)
    }
}

fn tuple_parts(symbol: asp::Symbol) -> Option<Vec<asp::Symbol>> {
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
    let color = colored(attributes, "color");
    let fill = is_filled.then(|| colored(attributes, "fillcolor").or(color).unwrap_or(DEFAULT_FILL));
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
        fill: match shape {
            _ if is_hidden => None,
            Shape::Point => Some(colored(attributes, "fillcolor").or(color).unwrap_or(BLACK)),
            _ => Some(fill.unwrap_or(WHITE)),
        },
        // Scripts may change the fill to a light colour.
        ink: colored(attributes, "fontcolor").unwrap_or_else(|| match get("fillcolor") {
            Some(SVG_COLOR) => BLACK,
            _ => fill.map_or(BLACK, ink),
        }),
        size,
        // The font size is in points, of which an inch has 72.
        text: get("fontsize")
            .and_then(|text| text.parse::<f64>().ok())
            .map(|points| points.clamp(6.0, 200.0) * INCH / 72.0),
    };
    Node {
        id: id.to_owned(),
        name: if is_hidden {
            String::new()
        } else {
            get("label").map_or_else(|| id.to_owned(), |label| plain_text(&label.replace("\\N", id)))
        },
        shape: if is_hidden { Shape::Plain } else { shape },
        outline: Some(outline),
        hint: get("tooltip").unwrap_or(id).to_owned(),
        reacts: get("class").unwrap_or_default().to_owned(),
        ..Node::default()
    }
}

/// Converts an edge. Returns `None` if it is invisible.
fn arc(id: &str, [from, to]: [usize; 2], attributes: &Attributes, is_directed: bool) -> Option<Arc> {
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
        label: single_line(get("label")),
        badge: single_line(get("xlabel")),
        emphasis: if is_dashed { Emphasis::Jump } else { Emphasis::Plain },
        line: Some((colored(attributes, "color").unwrap_or(LINE), width)),
        has_no_head: dir == "none" || get("arrowhead") == Some("none"),
        id: id.to_owned(),
        reacts: get("class").unwrap_or_default().to_owned(),
    };
    (!style.contains("invis")).then_some(arc)
}

fn colored(attributes: &Attributes, name: &str) -> Option<Rgb> {
    color(attributes.get(name)?, attributes.get("colorscheme").map(String::as_str))
}

fn ink(ground: Rgb) -> Rgb {
    if ground.is_dark() { Rgb(0xff, 0xff, 0xff) } else { BLACK }
}

fn single_line(label: Option<&str>) -> String {
    label.map(|label| plain_text(label).replace('\n', " ")).unwrap_or_default()
}

/// Returns the lines of a label without HTML tags. Each row of a table becomes a line.
fn plain_text(label: &str) -> String {
    let Some(inside) = label.strip_prefix('<').and_then(|label| label.strip_suffix('>')) else {
        let text = ["\\n", "\\l", "\\r"].iter().fold(label.to_owned(), |text, end| text.replace(end, "\n"));
        return graph::dot::decode_entities(text.trim());
    };
    let inside = inside.replace(char::is_whitespace, " ");
    let mut pieces = inside.split('<');
    let mut text = graph::dot::decode_entities(pieces.next().unwrap_or_default());
    let mut is_low = false;
    for piece in pieces {
        let (tag, rest) = piece.split_once('>').unwrap_or((piece, ""));
        let tag = tag.to_lowercase();
        match tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap_or_default() {
            "br" | "hr" => text.push('\n'),
            "tr" if tag.starts_with('/') => text.push('\n'),
            "td" if tag.starts_with('/') => text.push(' '),
            "sub" => is_low = !tag.starts_with('/'),
            _ => {}
        }
        let low = |sign: char| sign.to_digit(10).and_then(|digit| char::from_u32(0x2080 + digit)).unwrap_or(sign);
        let rest = graph::dot::decode_entities(rest);
        text.push_str(&if is_low { rest.chars().map(low).collect() } else { rest });
    }
    let mut lines: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    lines.dedup_by(|line, previous| line.is_empty() && previous.is_empty());
    lines.join("\n").trim().to_owned()
}

fn listed(attributes: &Attributes) -> String {
    graph::dot::attribute_list(attributes.iter().map(|(name, value)| (&**name, &**value)), quoted)
}

/// Quotes text for Graphviz: as HTML if its angle brackets are balanced, otherwise as a string in
/// which backslashes keep Graphviz's meaning.
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
