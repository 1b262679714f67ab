//! Graphs, with the style of their nodes and arcs.

use crate::{Paint, Rgb};

/// A directed graph, in which arcs without a head are undirected. Parallel arcs are allowed.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub title: String,
    /// Graphviz attributes of the graph.
    pub attributes: Vec<(&'static str, String)>,
    pub nodes: Vec<Node>,
    pub arcs: Vec<Arc>,
    pub sites: Vec<Site>,
    /// The Graphviz source, if it has more attributes than this program draws.
    pub dot: Option<String>,
}

/// Nodes that share a position.
#[derive(Debug, Clone, Default)]
pub struct Site {
    pub nodes: Vec<usize>,
    /// The name of the site; may be empty.
    pub label: String,
}

#[derive(Debug, Clone, Default)]
pub struct Node {
    /// A unique identifier, for Graphviz.
    pub id: String,
    /// The displayed name, which may have several lines.
    pub name: String,
    /// A note of one or two letters, displayed below the name.
    pub note: String,
    pub shape: Shape,
    pub paint: Paint,
    /// The style; if `None`, the shape and the paint determine it.
    pub outline: Option<Outline>,
    /// The tooltip.
    pub hint: String,
    /// The reactions to events, in the notation of [`Sprite::reacts`](crate::Sprite).
    pub reacts: String,
    /// Further Graphviz attributes.
    pub attributes: Vec<(&'static str, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    #[default]
    Disc,
    /// A disc with a double border.
    Ring,
    Box,
    Ellipse,
    Diamond,
    Triangle,
    /// Only the name, without a border.
    Plain,
    /// A small disc without the name.
    Point,
}

/// The explicit style of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    pub line: Rgb,
    pub width: f64,
    pub is_dashed: bool,
    pub fill: Option<Rgb>,
    /// The colour of the name.
    pub ink: Rgb,
    /// The width and height in pixels. If `None`, the name determines them.
    pub size: Option<(f64, f64)>,
    /// The font size in pixels. If `None`, the name is as large as fits.
    pub text: Option<f64>,
}

#[derive(Debug, Clone, Default)]
pub struct Arc {
    pub from: usize,
    pub to: usize,
    /// A text near the start of the arc.
    pub label: String,
    /// A text on a badge in the middle of the arc, such as the numbers of the steps of a trip.
    pub badge: String,
    pub emphasis: Emphasis,
    /// The colour and the width of the line; if `None`, the emphasis determines them.
    pub line: Option<(Rgb, f64)>,
    pub has_no_head: bool,
    /// The identifier to which reactions refer.
    pub id: String,
    pub reacts: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Emphasis {
    #[default]
    Plain,
    /// The arc is on the highlighted path.
    Strong,
    /// The arc leads to another place without a visible connection; it is dashed.
    Jump,
}

impl Graph {
    /// Returns the index of the site of each node.
    pub fn site_of(&self) -> Vec<usize> {
        let mut site_of = vec![0; self.nodes.len()];
        for (site, nodes) in self.sites.iter().enumerate() {
            for &node in &nodes.nodes {
                site_of[node] = site;
            }
        }
        site_of
    }
}
