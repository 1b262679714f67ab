//! One-player games that a file describes: no line of Rust is needed for a new game.
//!
//! | module | contents |
//! |---|---|
//! | [`planning`] | games as logic programs: moves with conditions and effects |
//! | [`game`] | games as operations on a few numbers, in JSON |
//!
//! A game of [`planning`] is a file in `asp/games/` or of the user: its rules derive the start, the
//! goal, the moves, and what each move requires and changes. clingo grounds the rules once (crates
//! `asp`, `pencil`); the result is a task of `statespace::planning`, whose searches find an optimal
//! plan. A replay that reads only the ground atoms checks it. A [`game`] is smaller: from a number to
//! another by moves such as `2*n`.
//!
//! Both implement `OnePlayer` of the crate `puzzle`, from which play, hints, formats and the engine
//! `asp` come.
//!
//! ```
//! use games::game::Game;
//! use puzzle::Run;
//!
//! let result = Run::new(Game, r#"{"start": 1, "moves": ["2*n", "n+1"], "goal": [42]}"#.into())?.solve()?;
//! assert_eq!(result.answers()[0].0.len(), 7);
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```

#![forbid(unsafe_code)]

pub mod game;
pub mod planning;
