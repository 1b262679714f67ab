//! Output of trips: text, JSON and pictures.

pub mod answer;
pub mod drawing;
pub mod plan_drawing;
pub mod text;
