//! What authors of encodings use: tests, coverage, mutants, profile, comparison.

mod compare;
mod coverage;
mod mutants;
mod profile;
mod tests;
