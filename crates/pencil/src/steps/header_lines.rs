//! Steps for lines of the board's header: numbers, words, points, pieces and curves.

use super::super::board::{Clue, GridBoard, SpanError};
use super::super::codecs::{Codec, Scheme};
use super::super::cursor::Cursor;
use super::borders::{read_borders, write_borders};
use super::writer::BodyWriter;

/// Returns true if no step can read the next character.
pub(super) fn is_at_end(text: &Cursor<'_>) -> bool {
    text.peek().is_none_or(|next| matches!(next, '&' | '"' | '#' | '?'))
}

pub(super) fn read_number(text: &mut Cursor<'_>, board: &mut GridBoard, name: &str) -> Result<(), SpanError> {
    let number = Clue::Number(text.decimal()? as i32);
    board.header.insert((name.to_owned(), vec![number]));
    if is_at_end(text) { Ok(()) } else { text.expect('/') }
}

pub(super) fn write_number(writer: &mut BodyWriter<'_>, name: &str, default: Option<i32>) -> Result<(), String> {
    let number = match (writer.header_line(name), default) {
        (Some([Clue::Number(number)]), _) => *number,
        (None, Some(number)) => number,
        _ => return Err(format!("a board without a number `{name}`")),
    };
    writer.text.push_str(&format!("{number}/"));
    Ok(())
}

pub(super) fn read_point(text: &mut Cursor<'_>, board: &mut GridBoard, name: &str) -> Result<(), SpanError> {
    let number = Codec::of_scheme(Scheme::Number16);
    let column = number.decode(text, 1)?.remove(0);
    let row = number.decode(text, 1)?.remove(0);
    let point = row.zip(column).map(|(row, column)| vec![row, column]);
    let point = point.ok_or_else(|| text.expected(text.at - 1, "a column and a row"))?;
    board.header.insert((name.to_owned(), point));
    Ok(())
}

pub(super) fn write_point(writer: &mut BodyWriter<'_>, name: &str) -> Result<(), String> {
    let Some([row, column]) = writer.header_line(name) else {
        return Err(format!("a board without a cell `{name}`"));
    };
    let number = Codec::of_scheme(Scheme::Number16);
    for sign in [column, row] {
        writer.text.push_str(&number.encode(&[Some(sign)]).map_err(|_| format!("`{sign}`"))?);
    }
    Ok(())
}

pub(super) fn read_text(text: &mut Cursor<'_>, board: &mut GridBoard, name: &str) -> Result<(), SpanError> {
    board.header.insert((name.to_owned(), vec![read_word(text)?]));
    Ok(())
}

pub(super) fn write_text(writer: &mut BodyWriter<'_>, name: &str) -> Result<(), String> {
    let Some([word]) = writer.header_line(name) else {
        return Err(format!("a board without a word `{name}`"));
    };
    writer.text.push_str(&word.to_string());
    Ok(())
}

/// Reads letters and digits.
fn read_word(text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    let mut word = String::new();
    while let Some(character) = text.peek().filter(char::is_ascii_alphanumeric) {
        word.push(character);
        text.at += 1;
    }
    let number = Clue::text(&word);
    if word.is_empty() {
        return Err(text.expected(text.at, "letters or digits"));
    }
    // Leading zeros are significant.
    Ok(if number.to_string() == word { number } else { Clue::Text(word) })
}

pub(super) fn read_curves(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    if text.skip('b') {
        read_borders(text, board)?;
        text.expect('/')?;
    }
    for number in 1.. {
        let [width, height] = [0; 2].map(|_| {
            let number = text.decimal()?;
            text.expect('/')?;
            Ok::<_, SpanError>(Clue::Number(number as i32))
        });
        board.header.insert(("curve".to_owned(), vec![Clue::Number(number), width?, height?, read_word(text)?]));
        if !text.skip('/') || text.peek().is_none() {
            break;
        }
    }
    Ok(())
}

pub(super) fn write_curves(board: &GridBoard) -> String {
    let mut text = String::new();
    if !board.walls.is_empty() {
        text = format!("b{}/", write_borders(board));
    }
    for (_, values) in board.header.iter().filter(|(name, _)| name == "curve") {
        for value in values.iter().skip(1) {
            text.push_str(&format!("{value}/"));
        }
    }
    text
}

/// Reads the available pieces: the letter of a set, or a list of pieces.
pub(super) fn read_bank(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    text.expect('/')?;
    if text.skip('/') {
        let letter = text.next("the letter of a set of pieces")?;
        board.header.insert(("bank".to_owned(), vec![Clue::text(&letter.to_string())]));
        return Ok(());
    }
    for number in 1..=text.decimal()? {
        text.expect('/')?;
        let piece = Clue::Text(read_word(text)?.to_string());
        board.header.insert(("bank".to_owned(), vec![Clue::Number(number as i32), piece]));
    }
    Ok(())
}

pub(super) fn write_bank(board: &GridBoard) -> String {
    let bank: Vec<&[Clue]> =
        board.header.iter().filter(|(name, _)| name == "bank").map(|(_, values)| &values[..]).collect();
    match &bank[..] {
        [[letter]] => format!("//{letter}"),
        pieces => {
            let pieces: Vec<String> = pieces.iter().filter_map(|piece| Some(piece.last()?.to_string())).collect();
            [vec![format!("/{}", pieces.len())], pieces].concat().join("/")
        }
    }
}
