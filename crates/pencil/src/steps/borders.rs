//! Steps for the borders between cells.

use std::collections::{BTreeMap, BTreeSet};

use base::{sorting, words};

use super::super::board::{Cell, Clue, GridBoard, SpanError};
use super::super::codecs::{self, Codec, Scheme};
use super::super::cursor::Cursor;
use super::places::borders;

pub(super) fn read_borders(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    for pairs in borders(board) {
        let values = codecs::unpack(text, 2, 5, pairs.len())?;
        board.walls.extend(pairs.into_iter().zip(values).filter(|(_, value)| *value > 0).map(|(pair, _)| pair));
    }
    board.areas = board.enclosed_areas();
    Ok(())
}

pub(super) fn write_borders(board: &GridBoard) -> String {
    let is_wall = |pair: &(Cell, Cell)| u32::from(board.walls.contains(pair));
    borders(board).iter().map(|pairs| codecs::pack(&pairs.iter().map(is_wall).collect::<Vec<_>>(), 2, 5)).collect()
}

/// Returns the borders to the right of cells, followed by those below cells, column by column.
fn fence_borders(board: &GridBoard) -> Vec<(Cell, Cell)> {
    let [mut all, mut below] = borders(board);
    sorting::sort_by_key(&mut below, |((row, column), _)| (*column, *row));
    all.extend(below);
    all
}

/// Reads walls as the gaps between them.
pub(super) fn read_walls(text: &mut Cursor<'_>, board: &GridBoard) -> Result<BTreeSet<(Cell, Cell)>, SpanError> {
    let pairs = fence_borders(board);
    let signs = Codec::of_scheme(Scheme::Runs).decode(text, pairs.len())?;
    Ok(pairs.into_iter().zip(signs).filter(|(_, sign)| sign.is_some()).map(|(pair, _)| pair).collect())
}

pub(super) fn read_fences(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let begin = text.at;
    board.walls = read_walls(text, board)?;
    board.areas = board.enclosed_areas();
    let mut sizes = BTreeMap::<usize, usize>::new();
    for area in board.areas.values() {
        *sizes.entry(*area).or_default() += 1;
    }
    match sizes.values().find(|size| **size != board.rows) {
        Some(size) => {
            let what = format!(
                "begins areas; one has {}, but the board has {} rows",
                words::count(size, "cell", "cells"),
                board.rows
            );
            Err(text.wrong(begin, &what))
        }
        None => Ok(()),
    }
}

/// Writes walls as the gaps between them.
pub(super) fn write_fences(walls: &BTreeSet<(Cell, Cell)>, board: &GridBoard) -> String {
    let wall = Codec::of_scheme(Scheme::Runs).sign(0);
    let signs: Vec<Option<&Clue>> =
        fence_borders(board).iter().map(|pair| walls.contains(pair).then_some(&wall)).collect();
    Codec::of_scheme(Scheme::Runs).encode(&signs).expect("it has the sign")
}
