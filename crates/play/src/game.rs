//! The trait of games, and what a board in play shows.

use std::time::Duration;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::StopReason;
use picture::{Picture, Point, page};
use serde_json::{Value, json};

/// Time limit for queries during play.
pub const QUERY_TIME_LIMIT: Duration = Duration::from_secs(5);

/// Left, top, width and height, in the units of a picture.
pub type Rectangle = [f64; 4];

/// A board in play.
pub trait Game: Send {
    /// Returns the board after `moves`, with the answer to a query.
    ///
    /// # Errors
    /// A move does not exist, or is not possible when it is made.
    fn view_after(&mut self, moves: &[String], query: PlayQuery) -> Result<GameView, Failure>;

    /// Returns a picture that plays `moves` from the start, and the number of frames that each move
    /// adds; `None` if the game has no such picture or a move is not possible.
    fn picture_of_moves(&self, _moves: &[String]) -> Option<(Picture, usize)> {
        None
    }
}

/// A query about a board in play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlayQuery {
    #[default]
    Nothing,
    /// Is there a mistake? Where, and why?
    Mistake,
    /// What is the next step, and why?
    Hint,
    /// How much is left to do?
    Distance,
}

/// A board after some moves.
#[derive(Default)]
pub struct GameView {
    pub picture: Option<Picture>,
    /// Clickable places; later ones lie above earlier ones
    pub places: Vec<Place>,
    /// Moves without a place; after a hint, the recommended moves
    pub moves: Vec<Move>,
    /// A sentence about the state
    pub words: String,
    pub state: GameState,
    /// Highlighted places
    pub marked: Vec<Rectangle>,
    /// How to make moves, if that is not obvious
    pub usage: Option<&'static str>,
    /// The answer to the query
    pub explanation: Option<String>,
    /// The distance to the end, in words
    pub distance: Option<String>,
    /// The reason if the engine gave up
    pub gave_up: Option<StopReason>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GameState {
    #[default]
    Open,
    Won,
    Lost,
    /// No move is possible
    Stuck,
}

/// A clickable part of the picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    pub at: Rectangle,
    /// Describes its position and content
    pub words: String,
    pub options: Vec<Move>,
    /// Index of the option that a click selects
    pub next: Option<usize>,
    /// The atoms shown here if they hold
    pub atoms: Vec<String>,
    /// Indices of the options that are pencilled in; the move `pencil NAME` adds or removes a
    /// pencil mark
    pub pencilled: Vec<usize>,
    /// The end points, if the place is a line; dragging from one to the other sets it
    pub ends: Option<[Point; 2]>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Move {
    /// The name in the list of moves
    pub name: String,
    pub words: String,
    /// A word or number that identifies the value at its place, if values can be pencilled in
    pub sign: Option<String>,
    /// The key of the move, as browsers name it; for a number, its digits in sequence
    pub key: Option<String>,
    /// The cells that it encloses; dragging between opposite corners sets it
    pub covers: Option<Rectangle>,
}

impl PlayQuery {
    pub fn by_name(name: &str) -> Option<PlayQuery> {
        [PlayQuery::Nothing, PlayQuery::Mistake, PlayQuery::Hint, PlayQuery::Distance]
            .into_iter()
            .find(|query| query.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            PlayQuery::Nothing => "nothing",
            PlayQuery::Mistake => "mistake",
            PlayQuery::Hint => "hint",
            PlayQuery::Distance => "distance",
        }
    }
}

impl GameState {
    pub fn name(self) -> &'static str {
        match self {
            GameState::Open => "open",
            GameState::Won => "won",
            GameState::Lost => "lost",
            GameState::Stuck => "stuck",
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

    pub(crate) fn json(&self) -> Value {
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

impl GameView {
    pub fn json(&self) -> Value {
        json!({
            "picture": self.picture.as_ref().map(page::picture),
            "places": self.places.iter().map(Place::json).collect::<Vec<_>>(),
            "moves": self.moves.iter().map(Move::json).collect::<Vec<_>>(),
            "words": self.words,
            "state": self.state.name(),
            "marked": self.marked,
            "usage": self.usage,
            "because": self.explanation,
            "distance": self.distance,
        })
    }
}

/// The error for an unknown move.
pub fn no_such_move(name: &str) -> Failure {
    Diagnostic::error(Code::UnknownName, format!("there is no move `{name}` here")).into()
}
