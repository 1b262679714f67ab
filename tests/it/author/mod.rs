//! Tests of the commands for authors of encodings: tests, coverage, mutants, profile and
//! comparison.

mod compare;
mod coverage;
mod mutants;
mod profile;
mod tests;
