//! Pictures as values: sprites that move from frame to frame, as SVG and in pages; and graphs, which
//! become such pictures.
//!
//! A [`Picture`] is a list of [`Sprite`]s in drawing order. A sprite has a [`Look`] (its shape), a
//! [`Paint`] (its colours), a label, and its centre in each frame; lengths are pixels, and y grows
//! downwards. The size of a picture follows from its sprites. Nothing here knows puzzles or logic
//! programs, and nothing writes files: [`Picture::svg`] returns a text.
//!
//! ```
//! use picture::{Look, Paint, Picture, Sprite};
//!
//! let disc = Sprite::moving(Look::Disc { radius: 12.0 }, Paint::Accent, "a", vec![(0.0, 0.0), (60.0, 0.0)]);
//! let captions = vec!["start".to_owned(), "end".to_owned()];
//! let svg = Picture { title: "A move".to_owned(), sprites: vec![disc], captions }.svg();
//! assert!(svg.contains("<title>A move</title>") && svg.contains("animateTransform"));
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `picture.rs` | pictures, sprites, and their SVG |
//! | `color.rs`, `curve.rs` | colours; points and curves |
//! | [`graph`] | graphs: layout in layers, routing of edges, power graphs, Graphviz |
//! | [`page`] | self-contained web pages that show answers or can be played |

#![forbid(unsafe_code)]

mod color;
mod curve;
pub mod graph;
pub mod page;
mod picture;

pub use color::{PALETTE, Rgb};
pub use curve::{Curve, Point, between, distance};
pub use picture::{
    Frame, Look, Mover, Paint, Parts, Picture, SMALLEST_TEXT, STYLE, Sprite, TEXT, escaped, extent, frame, head,
    text_width,
};
