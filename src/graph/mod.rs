//! Graphs for people: layout, drawing, Graphviz output, compression.
//!
//! Nodes belong to *sites*. Most sites have one node. Nodes that belong together (the sides of a
//! gate) share a site and are drawn side by side.
//!
//! | file | content |
//! |---|---|
//! | `layout.rs` | positions of sites, and bends of arcs |
//! | `routing.rs` | routes of arcs around nodes, and placement of labels |
//! | `drawing.rs` | pictures of graphs with positioned sites |
//! | `dot.rs` | Graphviz output |
//! | `power.rs` | compression by groups of nodes that share neighbours |
//! | `nested.rs` | pictures of compressed graphs |

pub mod dot;
mod drawing;
pub mod layout;
mod nested;
pub mod power;
mod routing;

pub use drawing::{RoutedGraph, route, scale, size};
pub use layout::GraphLayout;
pub use nested::draw_compressed;

use crate::picture::{Paint, Rgb};

/// A directed graph; arcs without a head are undirected. Parallel arcs are allowed.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub title: String,
    /// Graphviz attributes of the graph.
    pub attributes: Vec<(&'static str, String)>,
    pub nodes: Vec<Node>,
    pub arcs: Vec<Arc>,
    pub sites: Vec<Site>,
    /// The Graphviz source, if the graph came from one that says more than is drawn here.
    pub dot: Option<String>,
}

/// The nodes at one place, by index, from left to right.
#[derive(Debug, Clone, Default)]
pub struct Site {
    pub nodes: Vec<usize>,
    /// The name of the group; empty for a single node.
    pub label: String,
}

#[derive(Debug, Clone, Default)]
pub struct Node {
    /// A unique identifier, for Graphviz.
    pub id: String,
    /// The displayed name; may have several lines.
    pub name: String,
    /// A note of a letter or two, displayed below the name.
    pub note: String,
    pub shape: Shape,
    pub paint: Paint,
    /// Explicit style, if given.
    pub outline: Option<Outline>,
    /// The tooltip.
    pub hint: String,
    /// As in [`Sprite::reacts`](crate::picture::Sprite).
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
    /// The name alone.
    Plain,
    /// A small disc without the name.
    Point,
}

/// Explicit style of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    pub line: Rgb,
    pub width: f64,
    pub is_dashed: bool,
    pub fill: Option<Rgb>,
    /// The colour of the name.
    pub ink: Rgb,
    /// Width and height in pixels; by default the name determines them.
    pub size: Option<(f64, f64)>,
    /// Font size; by default as large as fits.
    pub text: Option<f64>,
}

#[derive(Debug, Clone, Default)]
pub struct Arc {
    pub from: usize,
    pub to: usize,
    /// Drawn near the start of the arc.
    pub label: String,
    /// Drawn on a badge further along, such as the steps of a trip.
    pub badge: String,
    pub emphasis: Emphasis,
    /// Explicit style of the line: its colour and its width.
    pub line: Option<(Rgb, f64)>,
    pub has_no_head: bool,
    /// Identifier for scripts.
    pub id: String,
    pub reacts: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Emphasis {
    #[default]
    Plain,
    /// On the highlighted path.
    Strong,
    /// Leads elsewhere.
    Jump,
}

impl Graph {
    /// The site of each node.
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
