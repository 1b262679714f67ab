//! Layout, drawing, compression and Graphviz output of graphs.
//!
//! Nodes belong to *sites*. Most sites have one node. Nodes that belong together (the sides of a
//! gate) share a site and are drawn side by side.
//!
//! | file | content |
//! |---|---|
//! | `model.rs` | graphs |
//! | `node.rs` | sizes and pictures of nodes |
//! | `layout.rs` | positions of sites, and bends of arcs |
//! | `routing.rs` | routes of arcs around nodes, and placement of labels |
//! | `drawing.rs` | pictures of graphs with positioned sites |
//! | `dot.rs` | Graphviz output |
//! | `power.rs` | compression by groups of nodes that share neighbours |
//! | `nested.rs` | pictures of compressed graphs |

pub mod dot;
mod drawing;
pub mod layout;
mod model;
mod nested;
mod node;
pub mod power;
mod routing;

pub use drawing::{RoutedGraph, route, scale, separated};
pub use layout::GraphLayout;
pub use model::{Arc, Emphasis, Graph, Node, Outline, Shape, Site};
pub use nested::draw_compressed;
pub use node::size;
