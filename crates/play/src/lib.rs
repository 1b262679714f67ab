//! Boards in play, move by move.
//!
//! A [`Game`] shows a board after a list of moves. The list is the whole state, so undo removes its
//! last move. The view is a value ([`GameView`]): the picture, the clickable places with their
//! options, other moves, and the answer to a query: mistakes, the next step, or the distance to the
//! end. A terminal, a page and the studio show the same views.
//!
//! Any logic program that draws its answers can be played ([`of_program`]); some puzzles implement
//! their own game. [`playable_page`] computes what a page needs to be played without a server. The
//! crate builds on `drawing` (where an atom is), `explain` (why a move is a mistake) and `prover`
//! (what follows from the moves).
//!
//! | file | contents |
//! |---|---|
//! | `game.rs` | the trait of games, and the views of boards in play |
//! | `program.rs` | the game of a logic program, whose assumptions are the player's values |
//! | `places.rs` | the places of atoms in the picture |
//! | `mistake.rs` | mistakes and their reasons |
//! | `playable.rs` | the data of a playable page without a server |
//!
//! `examples/by_hand.rs` plays two moves of a Latin square.

#![forbid(unsafe_code)]

mod game;
mod mistake;
mod places;
mod playable;
mod program;

pub use game::{Game, GameState, GameView, Move, Place, PlayQuery, QUERY_TIME_LIMIT, Rectangle, no_such_move};
pub use playable::{Solutions, playable_page};
pub use program::of_program;
