//! The built-in encodings: one for each neighbourhood.

use crate::puzzle::{BuiltinFile, Encoding, rules};

/// The rules of a layout. Each encoding adds a file that defines which cells a number counts.
const RULES: BuiltinFile = rules::builtin_file!("minesweeper/layout.lp");
pub const LAYOUT: Encoding = Encoding { name: "layout", files: &[RULES, rules::builtin_file!("minesweeper/king.lp")] };
pub const TORUS: Encoding = Encoding { name: "torus", files: &[RULES, rules::builtin_file!("minesweeper/torus.lp")] };
pub const HEXAGONS: Encoding =
    Encoding { name: "hexagons", files: &[RULES, rules::builtin_file!("minesweeper/hexagons.lp")] };
pub const KNIGHT: Encoding =
    Encoding { name: "knight", files: &[RULES, rules::builtin_file!("minesweeper/knight.lp")] };
