//! Output of trips: text, JSON and pictures.

pub mod answer;
pub mod drawing;
pub mod text;
pub mod plan_drawing;
