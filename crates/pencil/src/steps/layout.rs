//! Steps that read nothing: the cells of the link are laid out as other cells.

use super::super::board::{Cell, Clue, GridBoard, SpanError, check_size};
use super::super::cursor::Cursor;
use super::writer::BodyWriter;

fn set_size(text: &Cursor<'_>, board: &mut GridBoard, (rows, columns): Cell) -> Result<(), SpanError> {
    check_size(rows, columns).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
    (board.rows, board.columns) = (rows, columns);
    Ok(())
}

/// Sets the areas by a number of each cell that all cells of an area share.
fn set_areas_by(board: &mut GridBoard, number: impl Fn(Cell) -> usize) {
    board.set_areas(&board.cells().map(|cell| (cell, Clue::Number(number(cell) as i32))).collect());
}

pub(super) fn lay_triangles(text: &Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    set_size(text, board, (3 * board.rows, 3 * board.columns))?;
    let columns = board.columns;
    set_areas_by(board, |(row, column)| (row - 1) / 3 * columns + (column - 1) / 3);
    Ok(())
}

pub(super) fn unlay_triangles(writer: &mut BodyWriter<'_>) {
    writer.size = (writer.board.rows / 3, writer.board.columns / 3);
}

/// The size in the link is that of a block.
pub(super) fn lay_blocks(text: &Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let (width, height) = (board.rows, board.columns);
    set_size(text, board, (width * height, width * height))?;
    set_areas_by(board, |(row, column)| (row - 1) / height * height + (column - 1) / width);
    Ok(())
}

pub(super) fn unlay_blocks(writer: &mut BodyWriter<'_>) {
    let board = writer.board;
    let is_last = |&column: &usize| board.walls.contains(&((1, column), (1, column + 1)));
    let width = (1..board.columns).find(is_last).unwrap_or(board.columns);
    writer.size = (width, board.rows / width);
}

fn shape_of(board: &GridBoard) -> Result<i32, String> {
    let shape = board.header.iter().find(|(name, _)| name == "shape").map(|(_, values)| &values[..]);
    match shape {
        Some([Clue::Number(shape @ 0..4)]) => Ok(*shape),
        _ => Err("a shape of bricks is a number from 0 to 3".to_owned()),
    }
}

/// Returns the number of columns that the bricks of the first row do not cover.
fn extra_columns(shape: i32) -> usize {
    [0, 1, 1, 2][shape as usize]
}

/// Lays out the board as bricks. The number `shape` defines the second row: indented at both ends
/// (0), shifted to the right (1), shifted to the left (2), or protruding at both ends (3).
pub(super) fn lay_bricks(text: &Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let shape = shape_of(board).map_err(|what| text.wrong(text.at, &format!("begins a board: {what}")))?;
    set_size(text, board, (board.rows, 2 * board.columns + extra_columns(shape)))?;
    let columns = board.columns;
    set_areas_by(board, |(row, column)| {
        let is_set_off = (row % 2 == 1) == (shape > 1);
        row * (columns + 2) + (column + usize::from(!is_set_off)) / 2
    });
    Ok(())
}

pub(super) fn unlay_bricks(writer: &mut BodyWriter<'_>) -> Result<(), String> {
    let columns = writer.board.columns.checked_sub(extra_columns(shape_of(writer.board)?));
    writer.size.1 = columns.ok_or("a board of too few columns for its shape")? / 2;
    Ok(())
}
