//! The step for the cages of a Sudoku, which fill the board.

use std::collections::BTreeMap;

use super::super::board::{Cell, Clue, GridBoard, SpanError};
use super::super::codecs::{Codec, Scheme};
use super::super::cursor::Cursor;
use super::borders::{read_walls, write_fences};

/// The name of the header lines.
pub(super) const LINE: &str = "cage";

pub(super) fn read_cages(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let mut layout = GridBoard::of_size(board.rows, board.columns);
    layout.walls = read_walls(text, &layout)?;
    text.expect(',')?;
    let begin = text.at;
    let sums = Codec::of_scheme(Scheme::Decimal).decode(text, board.rows * board.columns)?;
    let mut cages = BTreeMap::<usize, (Option<Clue>, Vec<Clue>)>::new();
    for (((row, column), cage), sum) in layout.enclosed_areas().into_iter().zip(sums) {
        let (total, cells) = cages.entry(cage).or_default();
        cells.push(Clue::Text(format!("r{row}c{column}")));
        if sum.is_some() && total.is_some() {
            let what = format!("begins the sums of cages; the cage of row {row}, column {column} has two of them");
            return Err(text.wrong(begin, &what));
        }
        *total = total.take().or(sum);
    }
    board.header.extend(cages.into_values().map(|(total, cells)| {
        let words = [total.unwrap_or_else(|| Clue::text("?"))].into_iter().chain(cells).collect();
        (LINE.to_owned(), words)
    }));
    Ok(())
}

pub(super) fn write_cages(board: &GridBoard) -> Result<String, String> {
    let mut cage_of = BTreeMap::<Cell, usize>::new();
    let mut sums = BTreeMap::new();
    for (cage, (_, words)) in board.header.iter().filter(|(name, _)| name == LINE).enumerate() {
        let mut cells: Vec<Cell> = words.iter().filter_map(Clue::cell).collect();
        cells.sort_unstable();
        if let (Some(Clue::Number(sum)), Some(first)) = (words.first(), cells.first()) {
            sums.insert(*first, Clue::Number(*sum));
        }
        for cell @ (row, column) in cells {
            if cage_of.insert(cell, cage).is_some() {
                return Err(format!("row {row}, column {column} in two cages"));
            }
        }
    }
    if let Some((row, column)) = board.cells().find(|cell| !cage_of.contains_key(cell)) {
        return Err(format!("row {row}, column {column} in no cage"));
    }
    let pairs = board.cells().flat_map(|cell| board.neighbours(cell).map(move |other| (cell, other)));
    let walls = pairs.filter(|(one, other)| one < other && cage_of[one] != cage_of[other]).collect();
    let signs: Vec<Option<&Clue>> = board.cells().map(|cell| sums.get(&cell)).collect();
    let sums = Codec::of_scheme(Scheme::Decimal)
        .encode(&signs)
        .map_err(|index| format!("the sum {}", signs[index].expect("a sum")))?;
    Ok(format!("{},{sums}", write_fences(&walls, board)))
}
