//! Boards in the addresses of puzzle editors: penpa-edit, SudokuPad and f-puzzles. An address
//! contains its whole board, so nothing is downloaded.
//!
//! ```text
//!   https://swaroopg92.github.io/penpa-edit/#m=edit&p=…     base64, raw deflate, lines: size, margins, …, layers
//!   https://www.f-puzzles.com/?load=…                       lz-string, JSON
//!   https://sudokupad.app/scl… or …/fpuz…                   lz-string, abbreviated JSON, or JSON of f-puzzles
//! ```
//!
//! A drawing does not define the meaning of a number, a circle or a black cell. The `Signs` and the
//! `Input` of the puzzle's header do. The meaning of a constraint such as a cage or a thermometer
//! is defined by the `Address` of a variant's header. Anything else in a drawing is an error, since
//! ignoring it could change the rules.
//!
//! ```text
//!   Address    killercage: cage value cells      each object becomes a header line `cage 15 r1c1 r1c2`
//!              arrow: arrow lines cells=1        each of its lines becomes one; they must begin in its only cell
//!              ratio: black pair value=2         the object must have two cells, and the value 2 or none
//!              antiknight: variant antiknight    selects the variant if the value is true
//! ```

mod boxes;
mod constraints;
mod drawn_clues;
mod editor_board;
mod interpret;
mod penpa;
mod sudoku;
mod sudoku_pad;
mod writing;

use super::lines::{one_line, unescaped_characters};
pub use boxes::standard_boxes;
pub use editor_board::EditorBoard;
use penpa::PenpaDrawing;
pub use penpa::{DrawnPuzzle, EmbeddedSolution, address};
use sudoku::f_puzzles;
use sudoku_pad::sudoku_pad;
pub use writing::sudoku_pad_address;

/// Reads the drawing in the address of an editor. Returns `None` if the text is not such an
/// address.
pub fn read(text: &str) -> Option<Result<EditorBoard, String>> {
    const MARKERS: [&str; 5] = ["penpa-edit", "f-puzzles.", "sudokupad.", "crackingthecryptic.", "m="];
    let line = one_line(text)?;
    let first_word = line.text.split_whitespace().next()?;
    // In an address that begins with http, plus signs may have been replaced by blanks.
    let is_address = first_word.len() == line.text.len() || first_word.starts_with("http");
    if !is_address || !MARKERS.iter().any(|marker| first_word.contains(marker)) {
        return None;
    }
    let address: String = unescaped_characters(line).into_iter().map(|(_, character)| character).collect();
    let (host, rest) = address
        .split_once("://")
        .map_or(("", &*address), |(_, rest)| rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())));
    let parameter = |name: &str| {
        let mut pairs = rest.split(['?', '#', '&']).filter_map(|pair| pair.split_once('='));
        pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
    };
    let is_mode = |mode: &str| matches!(mode, "edit" | "solve" | "solve_sol" | "compsolve");
    if let (Some(mode), Some(packed)) = (parameter("m"), parameter("p")) {
        // A solver's copy has the solver's drawing; otherwise it is the author's solution.
        let drawing = || PenpaDrawing::read(packed, parameter("a"), parameter("l") == Some("solvedup"));
        return is_mode(mode).then(|| drawing().map(EditorBoard::of_penpa));
    }
    if host.ends_with("f-puzzles.com") {
        let none = || "the address contains no board: expected a part `load=`".to_owned();
        return Some(parameter("load").ok_or_else(none).and_then(f_puzzles));
    }
    if host.ends_with("sudokupad.app") || host.ends_with("crackingthecryptic.com") {
        let id = parameter("puzzleid").unwrap_or_else(|| rest.trim_start_matches('/').trim_start_matches("sudoku/"));
        return Some(sudoku_pad(id.split(['?', '&']).next().unwrap_or_default()));
    }
    None
}
