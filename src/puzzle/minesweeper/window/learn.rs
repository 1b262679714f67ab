//! A skin from a marked board: a picture, and a text that says what each of its cells shows.

use super::super::grid::Grid;
use super::calibrate::{Lattice, calibrate};
use super::image::Image;
use super::skin::{Restart, Sign, Skin, Sprite, Thumbnail};
use super::wrong;
use crate::diagnostic::{Diagnostic, Failure, Place};

/// What a new skin takes for near: pictures of other signs are two to twenty times as far.
const TOLERANCE: f32 = 6.0;
/// A sprite is kept if no other of its sign is so near, as a part of the tolerance.
const ALIKE: f32 = 0.25;

/// Where the board begins, and how large a cell is, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    pub left: f64,
    pub top: f64,
    pub size: f64,
}

/// A skin that knows the marked cells, too; one of a new program needs to be told where the board is.
pub fn learn(
    name: &str,
    image: &Image,
    marks: (&str, &str),
    corner: Option<Corner>,
    known: Option<Skin>,
) -> Result<Skin, Failure> {
    let (grid, signs) = read(marks)?;
    let found = match (corner, &known) {
        (Some(Corner { left, top, size }), _) => Some(Lattice { left, top, size, grid }),
        (None, Some(skin)) => calibrate(image, skin),
        (None, None) => {
            let text = format!("--at: where the board begins and how large a cell is; no skin of {name} tells it");
            return Err(wrong(text));
        }
    };
    let lattice = found
        .ok_or_else(|| wrong(format!("no board in the picture looks like {name}; use --at to say where it is")))?;
    if lattice.grid != grid {
        let Grid { rows, columns } = lattice.grid;
        return Err(wrong(format!(
            "the picture has {columns}×{rows} cells, and {}×{} are marked",
            grid.columns, grid.rows
        )));
    }
    let end = lattice.rectangle();
    if end.left + end.width > image.width || end.top + end.height > image.height {
        return Err(wrong(format!("the board ends outside the picture of {}×{} pixels", image.width, image.height)));
    }
    let mut skin = known.unwrap_or_else(|| Skin {
        class: name.to_owned(),
        command: Vec::new(),
        least_columns: 0,
        cell: lattice.size.round() as usize,
        sizes: [lattice.size.floor() as usize, lattice.size.ceil() as usize],
        tolerance: TOLERANCE,
        restart: Restart::Key { key: "n".to_owned() },
        sprite: Vec::new(),
    });
    for (cell, sign) in grid.cells().zip(signs) {
        let rows = Thumbnail::of(image, lattice.cell(cell));
        let (nearest, distance) = skin.nearest(&rows);
        if sign.is_some_and(|sign| sign != nearest || distance > ALIKE * skin.tolerance) {
            skin.sprite.extend(sign.map(|sign| Sprite { sign, rows }));
        }
    }
    Ok(skin)
}

/// Rows of signs, `_` for a cell not to be learnt; blank lines and comments aside.
fn read((name, text): (&str, &str)) -> Result<(Grid, Vec<Option<Sign>>), Failure> {
    let mut signs = Vec::new();
    let (mut rows, mut columns) = (0, 0);
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let row = line.trim_end();
        let wrong = |what: String, at: usize| {
            let place = Place::of_range(name, text, begin + at..begin + at + 1);
            Failure::from(Diagnostic::error(what).at(Some(place)))
        };
        if !row.is_empty() && !row.starts_with('%') {
            let before = signs.len();
            for (at, sign) in row.char_indices() {
                let known = Sign::of(sign);
                if known.is_none() && sign != '_' {
                    return Err(wrong(format!("found {sign}; expected 0 to 8, #, F, *, !, x or _"), at));
                }
                signs.push(known);
            }
            let width = signs.len() - before;
            if rows > 0 && width != columns {
                return Err(wrong(format!("a row of {width} cells; the first has {columns}"), 0));
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
