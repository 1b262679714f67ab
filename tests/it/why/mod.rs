//! Explanations, hints and ratings.

mod atoms;
mod causes;
mod counts;
mod deep_terms;
mod hints;
mod puzzles;
mod ratings;
mod rewriting;
mod techniques;
