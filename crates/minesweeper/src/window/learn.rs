//! Learns a skin from a marked board: an image, and a text that states what each cell shows.

use base::diagnostic::{Code, Diagnostic, Failure, Place};
use screen::{Image, wrong};

use super::super::grid::Grid;
use super::calibrate::{Lattice, calibrate};
use super::skin::{Restart, Sign, Skin, Sprite, Thumbnail};

/// The tolerance of a new skin. The distance between sprites of different signs is two to twenty
/// times as large.
const TOLERANCE: f32 = 6.0;
/// A sprite is added unless a sprite of the same sign is within this fraction of the tolerance.
const DUPLICATE_FRACTION: f32 = 0.25;

/// The corner of the board and the size of a cell, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    pub left: f64,
    pub top: f64,
    pub size: f64,
}

/// Returns the skin extended by the marked cells. If there is no `known` skin, `corner` is
/// required.
pub fn learn(
    name: &str,
    image: &Image,
    marks: (&str, &str),
    corner: Option<Corner>,
    known: Option<Skin>,
) -> Result<Skin, Failure> {
    let (grid, signs) = parse_marks(marks)?;
    let lattice = match (corner, &known) {
        (Some(Corner { left, top, size }), _) => Some(Lattice { left, top, size, grid }),
        (None, Some(skin)) => calibrate(image, skin),
        (None, None) => {
            let text =
                format!("--at is required: no skin of {name} states where the board begins and how large a cell is");
            return Err(wrong(text));
        }
    };
    let lattice = lattice
        .ok_or_else(|| wrong(format!("no board in the picture looks like {name}; use --at to say where it is")))?;
    if lattice.grid != grid {
        let Grid { rows, columns } = lattice.grid;
        return Err(wrong(format!(
            "the picture has {columns}×{rows} cells, and {}×{} are marked",
            grid.columns, grid.rows
        )));
    }
    let board = lattice.rectangle();
    if board.left + board.width > image.width || board.top + board.height > image.height {
        return Err(wrong(format!("the board ends outside the picture of {}×{} pixels", image.width, image.height)));
    }
    let mut skin = known.unwrap_or_else(|| Skin {
        class: name.to_owned(),
        command: Vec::new(),
        windows_command: Vec::new(),
        least_columns: 0,
        seconds_between_games: 0,
        cell: lattice.size.round() as usize,
        sizes: [lattice.size.floor() as usize, lattice.size.ceil() as usize],
        tolerance: TOLERANCE,
        restart: Restart::Key { key: "n".to_owned() },
        sprite: Vec::new(),
    });
    for (cell, sign) in grid.cells().zip(signs) {
        let rows = Thumbnail::of(image, lattice.cell(cell));
        let (nearest, distance) = skin.nearest(&rows);
        if sign.is_some_and(|sign| sign != nearest || distance > DUPLICATE_FRACTION * skin.tolerance) {
            skin.sprite.extend(sign.map(|sign| Sprite { sign, rows }));
        }
    }
    Ok(skin)
}

/// Parses rows of signs, with `_` for a cell to ignore; blank lines and comments are skipped.
fn parse_marks((name, text): (&str, &str)) -> Result<(Grid, Vec<Option<Sign>>), Failure> {
    let mut signs = Vec::new();
    let (mut rows, mut columns) = (0, 0);
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let row = line.trim_end();
        let error_at = |what: String, at: usize| {
            let place = Place::of_range(name, text, begin + at..begin + at + 1);
            Failure::from(Diagnostic::error(Code::UnreadableFile, what).at(Some(place)))
        };
        if !row.is_empty() && !row.starts_with('%') {
            let row_begin = signs.len();
            for (at, sign) in row.char_indices() {
                let meaning = Sign::of(sign);
                if meaning.is_none() && sign != '_' {
                    return Err(error_at(format!("found {sign}; expected 0 to 8, #, F, *, !, x or _"), at));
                }
                signs.push(meaning);
            }
            let width = signs.len() - row_begin;
            if rows > 0 && width != columns {
                return Err(error_at(format!("a row of {width} cells, expected {columns} as in the first"), 0));
            }
            (rows, columns) = (rows + 1, width);
        }
        begin += line.len();
    }
    if rows == 0 {
        return Err(wrong(format!("{name}: no board: expected a row of signs for each row of cells")));
    }
    Ok((Grid { rows, columns }, signs))
}
