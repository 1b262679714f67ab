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
//! What a move is the header of a puzzle says: `Marks  X,Y: R = number(Y,X,N), E = ` for a letter with column and row, both from 0,
//! or in the order `Y,X`, and perhaps a number, 0 for none; nothing behind the equals sign clears the cell.

use std::collections::BTreeMap;

/// All marks go.
const RESTART: &str = "RESTART";

/// What a save file holds.
pub struct Saved {
    /// The game's name in small letters, without blanks.
    pub game: String,
    pub id: String,
    moves: Vec<String>,
}

impl Saved {
    /// Reads the lines `KEY     :length:value`; a value may have any bytes.
    pub fn read(text: &str) -> Option<Saved> {
        let mut rest = text.trim_start().strip_prefix("SAVEFILE:").map(|_| text.trim_start())?;
        let (mut fields, mut moves) = (BTreeMap::<&str, &str>::new(), Vec::new());
        while let Some((key, behind)) = rest.split_once(':') {
            let (length, behind) = behind.split_once(':')?;
            let value = behind.get(..length.parse().ok()?)?;
            match key.trim() {
                "MOVE" => moves.push(value.to_owned()),
                "SOLVE" => moves.push(String::new()),
                "RESTART" => moves.push(RESTART.to_owned()),
                key => drop(fields.insert(key, value)),
            }
            rest = behind[value.len()..].trim_start();
        }
        moves.truncate(
            fields.get("STATEPOS").and_then(|state| state.parse().ok()).map_or(0, |state: usize| state.max(1) - 1),
        );
        let game = fields.get("GAME")?.chars().filter(|sign| !sign.is_whitespace()).collect::<String>();
        let id = format!("{}:{}", fields.get("PARAMS")?, fields.get("DESC")?);
        Some(Saved { game: game.to_ascii_lowercase(), id, moves })
    }

    /// Letters and numbers of a move, of which one line may have several.
    pub fn parts(&self) -> impl Iterator<Item = (&str, Vec<usize>)> {
        let parts = self.moves.iter().flat_map(|made| made.split(';').map(str::trim));
        parts.map(|part| {
            let end = part.find(|sign: char| sign.is_ascii_digit()).unwrap_or(part.len());
            let numbers = part[end..].split(|sign: char| !sign.is_ascii_digit());
            (part[..end].trim_end_matches([',', ' ']), numbers.filter_map(|number| number.parse().ok()).collect())
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
        let mut marks = BTreeMap::<(usize, usize), (&str, usize)>::new();
        for (letter, numbers) in self.parts() {
            if letter == RESTART {
                marks.clear();
            }
            let (Some(mark), [first, second, value @ ..]) = (meaning(letter), &numbers[..]) else { continue };
            let cell = if order == "Y,X" { (first + 1, second + 1) } else { (second + 1, first + 1) };
            let mark = (mark, value.first().copied().unwrap_or(1));
            // The same once more takes a mark without a number back.
            let is_taken_back = value.is_empty() && marks.get(&cell) == Some(&mark);
            if mark.0.is_empty() || mark.1 == 0 || is_taken_back {
                marks.remove(&cell);
            } else {
                marks.insert(cell, mark);
            }
        }
        let literal = |(cell, (mark, value)): ((usize, usize), (&str, usize))| {
            let filled = mark.replace('X', &cell.1.to_string()).replace('Y', &cell.0.to_string());
            (cell, filled.replace('N', &value.to_string()))
        };
        marks.into_iter().map(literal).collect()
    }
}
