//! The built-in encodings: one for each neighbourhood.

use crate::puzzle::{Encoding, rules};

// The first file has the rules of a layout. The second defines which cells a number counts.
pub const LAYOUT: Encoding = rules::builtin_encoding!("layout", "minesweeper/layout.lp", "minesweeper/king.lp");
pub const TORUS: Encoding = rules::builtin_encoding!("torus", "minesweeper/layout.lp", "minesweeper/torus.lp");
pub const HEXAGONS: Encoding = rules::builtin_encoding!("hexagons", "minesweeper/layout.lp", "minesweeper/hexagons.lp");
pub const KNIGHT: Encoding = rules::builtin_encoding!("knight", "minesweeper/layout.lp", "minesweeper/knight.lp");
