//! One-player games that a file describes.
//!
//! | module | contents |
//! |---|---|
//! | [`planning`] | games as logic programs: moves with conditions and effects |
//! | [`game`] | games as operations on a few numbers, in JSON |

#![forbid(unsafe_code)]

pub mod game;
pub mod planning;
