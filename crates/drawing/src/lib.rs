//! Drawings that a logic program derives as atoms.
//!
//! Any program can define the appearance of its answers by atoms `draw(Thing)`, or for animations
//! `draw(Thing,Frame)`. The drawing elements of a grid are cells with their contents, borders
//! between them, lines through them and edges along them. Graphs have the vocabulary of clingraph.
//!
//! A [`Drawing`] becomes a text for a terminal, a picture or a graph of the crate `picture`. It is
//! made of atoms alone (crate `asp`), so nothing here knows which program or puzzle derived them.
//!
//! ```
//! use asp::parse_term;
//! use drawing::Drawing;
//! use base::style::Style;
//!
//! let atoms = ["draw(given(1,1,3))", "draw(found(1,2,4))", "draw(border(1,1,1,2,thick))"];
//! let atoms: Vec<_> = atoms.into_iter().filter_map(parse_term).collect();
//! let (drawing, _warnings) = Drawing::of(&atoms, "sums.lp")?;
//! assert_eq!(drawing.text(&Style::default()), "┏━━━┳━━━┓\n┃[3]┃ 4 ┃\n┗━━━┻━━━┛\n");
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `drawing.rs` | a drawing: reading it, and what can be made of it |
//! | `read.rs` | reads the atoms |
//! | `lattice.rs` | squares, hexagons and triangles |
//! | `segment.rs` | cells, and the steps between them |
//! | `grid.rs`, `frames.rs` | the contents of one frame, and of all |
//! | `text.rs`, `boxes.rs` | renders the grid for a terminal |
//! | `image.rs`, `glyph.rs` | renders the grid as a picture; the shapes of symbols and arrows |
//! | `spot.rs` | clickable parts of a grid |
//! | `clingraph.rs`, `template.rs`, `color.rs` | graphs in the vocabulary of clingraph, with templates and colours of their attributes |
//! | `coloring.rs` | the colouring of a textbook's graph |
//! | `rules.rs` | programs that derive a drawing from an answer |

#![forbid(unsafe_code)]

mod boxes;
mod clingraph;
mod color;
mod coloring;
mod drawing;
mod frames;
mod glyph;
mod grid;
mod image;
mod lattice;
mod read;
mod rules;
mod segment;
mod spot;
mod template;
mod text;

pub use clingraph::Vocabulary;
pub use drawing::Drawing;
pub use image::Layers;
pub use lattice::Lattice;
pub use read::ELEMENTS;
pub use rules::{DerivedAtoms, DrawingRules, draws};
pub use spot::{Spot, SpotWeight};
