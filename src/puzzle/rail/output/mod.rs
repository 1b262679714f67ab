//! Trips for a person, for a program, and as pictures.

pub mod answer;
pub mod drawing;
pub mod text;
pub mod tracks;
