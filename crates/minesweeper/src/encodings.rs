//! The built-in encodings: one for each neighbourhood.

use puzzle::Encoding;

// The first file has the rules of a layout. The second defines which cells a number counts.
pub const LAYOUT: Encoding = puzzle::builtin_encoding!("layout", "minesweeper/layout.lp", "minesweeper/king.lp");
pub const TORUS: Encoding = puzzle::builtin_encoding!("torus", "minesweeper/layout.lp", "minesweeper/torus.lp");
pub const HEXAGONS: Encoding =
    puzzle::builtin_encoding!("hexagons", "minesweeper/layout.lp", "minesweeper/hexagons.lp");
pub const KNIGHT: Encoding = puzzle::builtin_encoding!("knight", "minesweeper/layout.lp", "minesweeper/knight.lp");
