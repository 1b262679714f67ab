//! Save files of sgt-puzzles, Simon Tatham's Portable Puzzle Collection: the id of a board, and the moves that were made.
//!
//! ```text
//!   SAVEFILE:41:Simon Tatham's Portable Puzzle Collection
//!   GAME    :4:Solo
//!   PARAMS  :3:3x3
//!   DESC    :57:a6c5b3_4c1c2a…
//!   STATEPOS:1:2                       one move more than were made
//!   MOVE    :6:R3,0,7
//! ```
//!
//! What a move is the header of a puzzle says: `Marks  X,Y: R = number(Y,X,N), E = ` for letters that stand before column and
//! row, both from 0, and perhaps a number. Nothing behind the equals sign clears the cell, as the number 0 does.
//!
//! | order | a move |
//! |---|---|
//! | `X,Y`, `Y,X` | one cell, and perhaps its number |
//! | `X,Y again` | the same once more takes the mark back |
//! | `X,Y,W,H` | all cells of a rectangle |
//! | `I,N` | cells by their places in reading order, and the number of all |

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Place};
use crate::document::Document;

/// All marks go.
const RESTART: &str = "RESTART";

/// Where a save file is not one, and why.
type Wrong = (&'static str, std::ops::Range<usize>);

/// What a save file holds.
pub struct Saved {
    /// The game's name in small letters, without blanks.
    pub game: String,
    pub id: String,
    moves: Vec<String>,
}

impl Saved {
    /// Reads the lines `KEY     :length:value`; a value may have any bytes. None if the text is no save file at all.
    pub fn read(text: &str) -> Option<Result<Saved, Wrong>> {
        let begin = text.len() - text.trim_start().len();
        text[begin..].starts_with("SAVEFILE:").then(|| Saved::fields(text, begin))
    }

    /// The saved game that a document is.
    pub fn of(document: &Document) -> Result<Option<Saved>, Diagnostic> {
        let wrong = |(what, range): Wrong| {
            Diagnostic::error(what).at(Some(Place::of_range(&document.name, &document.text, range)))
        };
        Saved::read(&document.text).transpose().map_err(wrong)
    }

    fn fields(text: &str, mut at: usize) -> Result<Saved, Wrong> {
        let (mut fields, mut moves) = (BTreeMap::<&str, &str>::new(), Vec::new());
        while at < text.len() {
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
            let cut_off = ("the saved game is cut off in this line", at..end);
            let mut parts = text[at..].splitn(3, ':');
            let (key, length) = parts.next().zip(parts.next()).ok_or_else(|| cut_off.clone())?;
            let length = length.parse().map_err(|_| cut_off.clone())?;
            let value = parts.next().and_then(|behind| behind.get(..length)).ok_or(cut_off)?;
            match key.trim() {
                "MOVE" => moves.push(value.to_owned()),
                "SOLVE" => moves.push(String::new()),
                "RESTART" => moves.push(RESTART.to_owned()),
                key => drop(fields.insert(key, value)),
            }
            at = value.as_ptr() as usize - text.as_ptr() as usize + length;
            at = text.len() - text[at..].trim_start().len();
        }
        let end = || text.trim_end().len()..text.trim_end().len();
        let field =
            |key: &str| fields.get(key).copied().ok_or(("the saved game is cut off: fields are missing", end()));
        let number =
            |key: &str| field(key)?.parse::<usize>().map_err(|_| ("the saved game has no number of moves", end()));
        let game = field("GAME")?.chars().filter(|sign| !sign.is_whitespace()).collect::<String>();
        let id = format!("{}:{}", field("PARAMS")?, field("DESC")?);
        if number("NSTATES")? > moves.len() + 1 {
            return Err(("the saved game is cut off: moves are missing", end()));
        }
        moves.truncate(number("STATEPOS")?.max(1) - 1);
        Ok(Saved { game: game.to_ascii_lowercase(), id, moves })
    }

    /// Whether the player has made a move.
    pub fn has_moves(&self) -> bool {
        !self.moves.is_empty()
    }

    /// Letters and numbers of a move, of which one line may have several: `T3,0;N1,2` or `B,3,0W,1,2`.
    pub fn parts(&self) -> impl Iterator<Item = (&str, Vec<usize>)> {
        let is_number = |sign: char| sign.is_ascii_digit() || matches!(sign, ',' | '_' | ' ');
        self.moves.iter().flat_map(move |made| {
            let mut rest = made.as_str();
            std::iter::from_fn(move || {
                rest = rest.trim_start_matches([';', ' ']);
                let end = rest.find(|sign| is_number(sign) || sign == ';').unwrap_or(rest.len());
                let (letters, behind) = rest.split_at(end);
                let end = behind.find(|sign| !is_number(sign)).unwrap_or(behind.len());
                let numbers = behind[..end].split(|sign: char| !sign.is_ascii_digit());
                let part = (letters, numbers.filter_map(|number| number.parse().ok()).collect());
                (!std::mem::replace(&mut rest, &behind[end..]).is_empty()).then_some(part)
            })
        })
    }

    /// The cells that the player has marked, by row and column from 1, and the literal that each stands for, by what a header
    /// says of moves.
    pub fn marks(&self, header: &str) -> BTreeMap<(usize, usize), String> {
        let (order, meanings) = header.split_once(':').unwrap_or_default();
        let meaning = |letter: &str| {
            let known = meanings.split(", ").filter_map(|mark| mark.split_once('='));
            known.map(|(known, mark)| (known.trim(), mark.trim())).find(|known| known.0 == letter).map(|known| known.1)
        };
        let columns = self.id.split(|sign: char| !sign.is_ascii_digit()).next().and_then(|number| number.parse().ok());
        let columns: usize = columns.unwrap_or(1).max(1);
        let mut marks = BTreeMap::<(usize, usize), (&str, usize)>::new();
        for (letter, numbers) in self.parts() {
            if letter == RESTART {
                marks.clear();
            }
            let Some(mark) = meaning(letter) else { continue };
            let (cells, value): (Vec<(usize, usize)>, Option<usize>) = match (order, &numbers[..]) {
                ("X,Y,W,H", &[x, y, width, height]) if width.max(height) <= 1000 => {
                    ((y..y + height).flat_map(|y| (x..x + width).map(move |x| (y, x))).collect(), None)
                }
                ("I,N", [places @ .., value]) => {
                    (places.iter().map(|place| (place / columns, place % columns)).collect(), Some(*value))
                }
                ("Y,X", &[y, x, ref value @ ..]) => (vec![(y, x)], value.first().copied()),
                ("X,Y" | "X,Y again", &[x, y, ref value @ ..]) => (vec![(y, x)], value.first().copied()),
                _ => continue,
            };
            for cell in cells.into_iter().map(|(row, column)| (row + 1, column + 1)) {
                let mark = (mark, value.unwrap_or(1));
                let is_taken_back = order.ends_with("again") && marks.get(&cell) == Some(&mark);
                if mark.0.is_empty() || mark.1 == 0 || is_taken_back {
                    marks.remove(&cell);
                } else {
                    marks.insert(cell, mark);
                }
            }
        }
        let literal = |(cell, (mark, value)): ((usize, usize), (&str, usize))| {
            let filled = mark.replace('X', &cell.1.to_string()).replace('Y', &cell.0.to_string());
            (cell, filled.replace('N', &value.to_string()))
        };
        marks.into_iter().map(literal).collect()
    }
}
