//! Game ids of sgt-puzzles, Simon Tatham's Portable Puzzle Collection: columns x rows, parameters, a colon, the board.
//!
//! ```text
//!   Game  loopy t0: number10               7x7t0:01e10a2a3d012b2h33b2b22a2a3a22a3
//!   Game  tents: runs("T"), decimals of around(top, left)
//! ```
//!
//! A save file has the id of its board as well (see `puzzle/saved.rs`).
//!
//! An id does not name its game; the parameter after the game's name tells kinds of boards apart, and must be there. Steps
//! are those of a link (see [`steps`](super::steps)).

use super::board::{Board, Wrong, check_size, failure};
use super::codecs::Cursor;
use super::link::{characters, only_line};
use super::steps::Steps;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;

/// What a puzzle's header says of its game ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    pub name: String,
    parameter: String,
    steps: Steps,
}

/// Whether a text is a game id of some game.
pub fn looks_like(text: &str) -> bool {
    let Some(line) = only_line(text) else { return false };
    let size = line.text.split(':').next().filter(|size| size.len() < line.text.len()).unwrap_or_default();
    let is_number = |text: &str| text.starts_with(|digit: char| digit.is_ascii_digit());
    // Boards of games on squares have one number, and signs of which there are many in their ids.
    let is_square = || is_number(size) && size.len() <= 4 && line.text.matches(['/', ',']).count() > 3;
    size.split_once('x').map_or_else(is_square, |(columns, rest)| {
        columns.bytes().all(|digit| digit.is_ascii_digit()) && is_number(columns) && is_number(rest)
    })
}

impl Game {
    /// Whether the game of a header's paragraph is called so: `rect` is Rectangles. Parameters, as in `palisade:5x5n4`, must fit.
    pub fn is_called(paragraph: &str, name: &str) -> bool {
        let mut own = paragraph.split(':').next().unwrap_or_default().split(' ');
        let (game, parameter) = (own.next().unwrap_or_default(), own.next().unwrap_or_default());
        let (name, parameters) = name.split_once(':').unwrap_or((name, parameter));
        (name == game || game == "rect" && name == "rectangles") && parameters.contains(parameter)
    }

    /// Reads the paragraph of a header.
    pub fn parse(text: &str) -> Result<Game, String> {
        let (name, steps) = text.split_once(':').ok_or("a colon was expected: `game parameter: steps`")?;
        let mut words = name.split_whitespace().map(str::to_owned);
        let name = words.next().ok_or("a game was expected before the colon")?;
        Ok(Game { name, parameter: words.next().unwrap_or_default(), steps: Steps::parse(steps)? })
    }

    pub fn looks_like(&self, text: &str) -> bool {
        looks_like(text) && text.split(':').next().is_some_and(|parameters| parameters.contains(&self.parameter))
    }

    pub fn read(&self, document: &Document) -> Result<Board, Failure> {
        let line = only_line(&document.text).ok_or_else(|| {
            let what = format!("a game id of {} was expected: columns x rows {}:…", self.name, self.parameter);
            failure(document, (what, 0..0))
        })?;
        let characters = characters(line);
        self.board(Cursor { characters: &characters, at: 0 }).map_err(|wrong| failure(document, wrong))
    }

    fn board(&self, mut text: Cursor<'_>) -> Result<Board, Wrong> {
        let columns = text.decimal()?;
        let rows = if text.skip('x') { text.decimal()? } else { columns };
        check_size(rows, columns).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
        let begin = text.at;
        let rest = text.characters[begin..].iter().map(|entry| entry.1);
        let parameters: String = rest.take_while(|&character| character != ':').collect();
        if !parameters.contains(&self.parameter) {
            let what = format!("where `{}` was wanted: other boards of {} are not read", self.parameter, self.name);
            return Err(text.wrong(begin, &what));
        }
        let place_of = |other: &str| parameters.split_once(other).map(|(before, _)| begin + before.chars().count());
        let other = self.steps.unlike.iter().find_map(|(other, rules)| Some((place_of(other)?, other, rules)));
        if let Some((at, other, rules)) = other {
            return Err(
                text.wrong(at, &format!("begins the parameter `{other}`, which stands for other rules: {rules}"))
            );
        }
        text.at = begin + parameters.chars().count() + 1;
        let mut board = Board::of_size(rows, columns);
        self.steps.read(&mut text, &mut board)?;
        match text.peek() {
            Some(_) => Err(text.wrong(text.at, "comes after the last place of the board")),
            None => Ok(board),
        }
    }

    pub fn write(&self, board: &Board) -> Result<String, Failure> {
        let ((rows, columns), body) = self.steps.write(board).map_err(|what| {
            Failure::from(Diagnostic::error(format!("{what}: no game id of {} can carry that", self.name)))
        })?;
        Ok(format!("{columns}x{rows}{}:{body}", self.parameter))
    }
}
