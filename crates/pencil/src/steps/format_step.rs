//! A step, and how it reads and writes its part of a link.

use super::super::board::{Clue, GridBoard, SpanError};
use super::super::codecs::Codec;
use super::super::cursor::Cursor;
use super::places::Places;
use super::writer::BodyWriter;
use super::{borders, cages, clues, header_lines, layout, signs};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FormatStep {
    Signs(Codec, Places),
    Decimals(Places),
    Borders,
    Fences,
    Cages,
    Crossings,
    /// The name, and the default number.
    Header(String, Option<i32>),
    Point(String),
    Cell(Clue),
    Text(String),
    Curves,
    Bank,
    Blocks,
    Bricks,
    Triangles,
    Mark(char),
    Comparisons,
    End,
}

impl FormatStep {
    /// Returns true if an optional step is missing at the character `next`.
    pub fn is_missing_at(&self, next: char) -> bool {
        match self {
            FormatStep::Borders => !next.is_ascii_alphanumeric(),
            _ => matches!(next, '/' | '&' | '"' | '#' | '?'),
        }
    }

    pub fn read(&self, text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
        match self {
            FormatStep::Header(name, _) => header_lines::read_number(text, board, name),
            FormatStep::Point(name) => header_lines::read_point(text, board, name),
            FormatStep::Text(name) => header_lines::read_text(text, board, name),
            FormatStep::Curves => header_lines::read_curves(text, board),
            FormatStep::Bank => header_lines::read_bank(text, board),
            FormatStep::Borders => borders::read_borders(text, board),
            FormatStep::Fences => borders::read_fences(text, board),
            FormatStep::Cages => cages::read_cages(text, board),
            FormatStep::Blocks => layout::lay_blocks(text, board),
            FormatStep::Bricks => layout::lay_bricks(text, board),
            FormatStep::Triangles => layout::lay_triangles(text, board),
            FormatStep::Cell(sign) => clues::read_cell(text, board, sign),
            FormatStep::Crossings => clues::read_crossings(text, board),
            FormatStep::Comparisons => clues::read_comparisons(text, board),
            FormatStep::Decimals(places) => clues::read_decimals(text, board, places),
            FormatStep::Signs(codec, places) => signs::read_signs(text, board, codec, places),
            FormatStep::Mark(mark) => text.expect(*mark),
            FormatStep::End if header_lines::is_at_end(text) => Ok(()),
            FormatStep::End => Err(text.expected(text.at, "the end")),
        }
    }

    /// Writes the part of the board that this step reads. The error names what it cannot write.
    pub fn write(&self, writer: &mut BodyWriter<'_>, is_optional: bool) -> Result<(), String> {
        let board = writer.board;
        match self {
            FormatStep::Header(name, default) => header_lines::write_number(writer, name, *default)?,
            FormatStep::Point(name) => header_lines::write_point(writer, name)?,
            FormatStep::Text(name) => header_lines::write_text(writer, name)?,
            FormatStep::Curves => writer.text.push_str(&header_lines::write_curves(board)),
            FormatStep::Bank => writer.text.push_str(&header_lines::write_bank(board)),
            FormatStep::Borders if is_optional && board.walls.is_empty() => {
                writer.pending.push_str(&borders::write_borders(board));
            }
            FormatStep::Borders => writer.text.push_str(&borders::write_borders(board)),
            FormatStep::Fences => writer.text.push_str(&borders::write_fences(&board.walls, board)),
            FormatStep::Cages => writer.text.push_str(&cages::write_cages(board)?),
            FormatStep::Blocks => layout::unlay_blocks(writer),
            FormatStep::Bricks => layout::unlay_bricks(writer)?,
            FormatStep::Triangles => layout::unlay_triangles(writer),
            FormatStep::Cell(sign) => clues::write_cell(writer, sign)?,
            FormatStep::Crossings => clues::write_crossings(writer)?,
            FormatStep::Comparisons => clues::write_comparisons(writer),
            FormatStep::Decimals(places) => clues::write_decimals(writer, places)?,
            FormatStep::Signs(codec, places) => signs::write_signs(writer, codec, places, is_optional)?,
            FormatStep::Mark(_) if is_optional && writer.unwritten.is_empty() => {}
            FormatStep::Mark(mark) => writer.text.push(*mark),
            FormatStep::End => {}
        }
        Ok(())
    }
}
