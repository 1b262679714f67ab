//! Pencil marks: the values that a cell may still have, drawn before it is solved.
//!
//! ```text
//!   frame 6          frame 7: a step excludes 5     frame 9: a step sets 2
//!   2                2                              (the value itself)
//!     5   6            5̶   6
//! ```

use drawing::{Drawing, Spot};
use picture::{Curve, Look, Paint, Rgb, Sprite};

use crate::board::BoardHistory;

/// Cells with fewer or more values have no pencil marks.
const NUM_VALUES: std::ops::RangeInclusive<usize> = 3..=16;
/// Maximum number of pencil marks times frames, for the sake of browsers.
const MAX_SHOWN: usize = 400_000;
/// Maximum number of characters of a pencil mark.
const MAX_LENGTH: usize = 2;
/// The part of a cell's height that a small text in a corner takes.
const CORNER_HEIGHT: f64 = 0.28;
/// The colour of marks that a step excludes.
const EXCLUDED: Rgb = Rgb(0xc0, 0x27, 0x1d);

/// Returns the pencil marks of all frames; `drawing` is the board in the last one.
pub fn pencil_marks(board: &BoardHistory, drawing: &Drawing) -> Vec<Sprite> {
    let (frames, lattice) = (board.frames(), board.lattice());
    let mut sprites = Vec::new();
    for (cell, mut values) in board.candidates() {
        let is_short = values.iter().all(|(text, _)| text.chars().count() <= MAX_LENGTH);
        if !is_short || !NUM_VALUES.contains(&values.len()) || !drawing.has_cell(cell) {
            continue;
        }
        values.sort_by_key(|(text, _)| (text.parse::<u32>().unwrap_or(u32::MAX), text.clone()));
        let learned = values.iter().filter_map(|(_, learned)| *learned);
        let solved = learned.filter(|learned| learned.holds).map(|learned| learned.frame).min().unwrap_or(frames);
        let num_columns = (1..).find(|side| side * side >= values.len()).unwrap_or(1);
        let [left, top, width, height] = Spot::Cell(cell).bounds(lattice);
        let above = if drawing.has_text_above(cell) { CORNER_HEIGHT * height } else { 0.0 };
        let (top, height) = (top + above, height - above);
        let [across, down] = [width, height].map(|side| 0.92 * side / num_columns as f64);
        for (number, (text, learned)) in values.iter().enumerate() {
            let excluded = learned.filter(|learned| !learned.holds).map_or(frames, |learned| learned.frame);
            let along = |slot: usize, step: f64, side: f64| 0.04 * side + step * (slot as f64 + 0.5);
            let x = left + along(number % num_columns, across, width);
            let y = top + along(number / num_columns, down, height);
            let mut add = |look: Look, paint: Paint, label: &str, from: usize, to: usize| {
                if from < to {
                    let shown = (0..frames).map(|frame| (from..to).contains(&frame)).collect();
                    sprites.push(Sprite { shown, ..Sprite::still(look, paint, label, (x, y)) });
                }
            };
            let label = |is_bold: bool| Look::Label { width: across, height: 0.95 * down, is_bold };
            add(label(false), Paint::Color(Rgb(0x55, 0x5f, 0x6e)), text, 0, excluded.min(solved));
            if (1..solved).contains(&excluded) {
                let half = 0.35 * across;
                let curves = vec![Curve::line((-half, half), (half, -half))];
                let stroke = Look::Shape { curves, width: 1.2, is_dashed: false, fill: None };
                add(label(true), Paint::Color(EXCLUDED), text, excluded, excluded + 1);
                add(stroke, Paint::Color(EXCLUDED), "", excluded, excluded + 1);
            }
        }
    }
    if sprites.len() * frames > MAX_SHOWN { Vec::new() } else { sprites }
}
