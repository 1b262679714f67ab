//! Graphs to look at: laid out, drawn, written for Graphviz, compressed.
//!
//! Nodes stand on *sites*. Mostly a site has one node; nodes that belong together (the sides of a gate) share one and stand side
//! by side, joined.
//!
//! | file | what it does |
//! |---|---|
//! | `layout.rs` | finds a place for each site, and ways for arcs |
//! | `routing.rs` | finds ways around nodes, and room for labels |
//! | `drawing.rs` | makes a picture of a graph whose sites have places |
//! | `dot.rs` | writes a graph for Graphviz |
//! | `power.rs` | groups nodes that share neighbours, so that few lines stand for many arcs |
//! | `nested.rs` | makes a picture of such groups |

pub mod dot;
mod drawing;
pub mod layout;
mod nested;
pub mod power;
mod routing;

pub use drawing::{Laid, lay, scale, size};
pub use layout::Placed;
pub use nested::draw_compressed;

use crate::picture::{Paint, Rgb};

/// A directed graph, but for arcs that are not; there may be several arcs between the same two nodes.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub title: String,
    /// For Graphviz.
    pub attributes: Vec<(&'static str, String)>,
    pub nodes: Vec<Node>,
    pub arcs: Vec<Arc>,
    pub sites: Vec<Site>,
    /// All of it for Graphviz, where somebody says more than is drawn here.
    pub dot: Option<String>,
}

/// A place for the nodes that stand on it, by index, from left to right.
#[derive(Debug, Clone, Default)]
pub struct Site {
    pub nodes: Vec<usize>,
    /// What the nodes are together; empty for a single one.
    pub label: String,
}

#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Unlike any other's, for Graphviz.
    pub id: String,
    /// What one reads, perhaps in several lines.
    pub name: String,
    /// What one reads below it, of a letter or two.
    pub note: String,
    pub shape: Shape,
    pub paint: Paint,
    /// How it is drawn, where somebody says so.
    pub outline: Option<Outline>,
    /// What one reads when pointing at it.
    pub hint: String,
    /// As in [`Sprite::reacts`](crate::picture::Sprite).
    pub reacts: String,
    /// For Graphviz, besides those that follow from the rest.
    pub attributes: Vec<(&'static str, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    #[default]
    Disc,
    /// In a double frame.
    Ring,
    Box,
    Ellipse,
    Diamond,
    Triangle,
    /// The name alone.
    Plain,
    /// A small disc without its name.
    Point,
}

/// A node as somebody wants it drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    pub line: Rgb,
    pub width: f64,
    pub is_dashed: bool,
    pub fill: Option<Rgb>,
    /// The colour of its name.
    pub ink: Rgb,
    /// Pixels, if it is not as large as its name wants it.
    pub size: Option<(f64, f64)>,
    /// How high its letters are, if not as there is room.
    pub text: Option<f64>,
}

#[derive(Debug, Clone, Default)]
pub struct Arc {
    pub from: usize,
    pub to: usize,
    /// Stands near where the arc begins.
    pub label: String,
    /// Stands on a badge further on, such as the steps of a trip.
    pub badge: String,
    pub emphasis: Emphasis,
    /// How its line is drawn, where somebody says so: its colour and its width.
    pub line: Option<(Rgb, f64)>,
    pub has_no_head: bool,
    /// For scripts.
    pub id: String,
    pub reacts: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Emphasis {
    #[default]
    Plain,
    /// On the way that one is to look at.
    Strong,
    /// To somewhere else.
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
