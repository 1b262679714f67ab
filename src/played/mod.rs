//! Boards that a person plays, one move after the other.
//!
//! A [`Game`] is asked what a board looks like after some moves: the moves are the whole of its state, so that taking one
//! back is asking with one move less. What it says is a value ([`Played`]): the picture, the places on it that can be
//! clicked with what they can be set to, the other moves, and whatever was asked besides: where a mistake is, what can be
//! found next, how far it is to the end.
//!
//! Any logic program that draws its answers is such a game ([`of_program`]); puzzles that are more than that have games of
//! their own.
//!
//! | file | what it holds |
//! |---|---|
//! | `program.rs` | the game of a logic program: what is set is assumed |
//! | `places.rs` | which atoms stand where in the picture |
//! | `mistake.rs` | why what is set is wrong |
//! | `sheet.rs` | the same board for a page that has nobody to ask |

mod mistake;
mod places;
mod program;
mod sheet;

use std::time::Duration;

use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Failure};
use crate::page;
use crate::picture::{Picture, Point};
use crate::stop::Reason;

pub use program::of_program;
pub use sheet::{Solutions, sheet_of_program};

/// So long a person waits for what was asked besides.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// A left upper corner, a width and a height, in the units of a picture.
pub type Rectangle = [f64; 4];

/// A board in play.
pub trait Game: Send {
    /// What there is after these moves, and the answer to a question.
    ///
    /// # Errors
    /// A move that there is not, or not now.
    fn look(&mut self, moves: &[String], asks: Asks) -> Result<Played, Failure>;
}

/// What somebody who plays wants to know besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Asks {
    #[default]
    Nothing,
    /// Whether something is wrong, where and why.
    Mistake,
    /// What to do next, and why.
    Hint,
    /// How much is left to do.
    Distance,
}

/// A board after some moves.
#[derive(Default)]
pub struct Played {
    pub picture: Option<Picture>,
    /// Those behind lie above.
    pub places: Vec<Place>,
    /// What can be done besides; after a hint, what it tells to do.
    pub moves: Vec<Move>,
    /// How it stands, in a sentence.
    pub words: String,
    pub state: State,
    /// What one is to look at.
    pub marked: Vec<Rectangle>,
    /// The answer to what was asked, in words.
    pub because: Option<String>,
    /// How much is left to do, in words.
    pub distance: Option<String>,
    /// Why the engine that was asked gave up.
    pub gave_up: Option<Reason>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    #[default]
    Open,
    Won,
    Lost,
    /// Nothing can be done any more.
    Stuck,
}

/// A part of the picture that one can click.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    pub at: Rectangle,
    /// Where it is and what is there.
    pub words: String,
    pub options: Vec<Move>,
    /// Which of the options a click takes.
    pub next: Option<usize>,
    /// The atoms that stand there, if they hold.
    pub atoms: Vec<String>,
    /// The options that are pencilled in: the move `pencil NAME` pencils in the one of that name, or rubs it out.
    pub pencilled: Vec<usize>,
    /// The points that a line here would join: who drags from one to the other sets it.
    pub ends: Option<[Point; 2]>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Move {
    /// What goes into the list of moves.
    pub name: String,
    pub words: String,
    /// A word or number that tells the value from all others of its place; such values can be pencilled in.
    pub sign: Option<String>,
    /// The key that does the same, as browsers call it; of a number its digits, one after the other.
    pub key: Option<String>,
    /// The cells that it borders: who drags from one corner of them to the other sets it.
    pub covers: Option<Rectangle>,
}

impl Asks {
    pub fn named(name: &str) -> Option<Asks> {
        [Asks::Nothing, Asks::Mistake, Asks::Hint, Asks::Distance].into_iter().find(|asks| asks.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Asks::Nothing => "nothing",
            Asks::Mistake => "mistake",
            Asks::Hint => "hint",
            Asks::Distance => "distance",
        }
    }
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Won => "won",
            State::Lost => "lost",
            State::Stuck => "stuck",
        }
    }
}

impl Move {
    pub fn new(name: impl Into<String>, words: impl Into<String>) -> Self {
        Move { name: name.into(), words: words.into(), ..Move::default() }
    }

    pub fn on_key(self, key: impl Into<String>) -> Self {
        Move { key: Some(key.into()), ..self }
    }

    fn json(&self) -> Value {
        json!({ "move": self.name, "words": self.words, "sign": self.sign, "key": self.key, "covers": self.covers })
    }
}

impl Place {
    pub fn json(&self) -> Value {
        let options: Vec<Value> = self.options.iter().map(Move::json).collect();
        json!({
            "at": self.at, "words": self.words, "options": options, "next": self.next, "atoms": self.atoms,
            "pencilled": self.pencilled, "ends": self.ends,
        })
    }
}

impl Played {
    pub fn json(&self) -> Value {
        json!({
            "picture": self.picture.as_ref().map(page::picture),
            "places": self.places.iter().map(Place::json).collect::<Vec<_>>(),
            "moves": self.moves.iter().map(Move::json).collect::<Vec<_>>(),
            "words": self.words,
            "state": self.state.name(),
            "marked": self.marked,
            "because": self.because,
            "distance": self.distance,
        })
    }
}

/// The error of a move that there is not.
pub fn no_such_move(name: &str) -> Failure {
    Diagnostic::error(format!("there is no move `{name}` here")).into()
}
