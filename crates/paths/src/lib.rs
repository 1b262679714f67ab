//! Puzzles whose answer is a shortest path, with searches of their own.
//!
//! | module | contents |
//! |---|---|
//! | [`taquin`] | the 15-puzzle and other sizes: IDA* with pattern databases |
//! | [`amphipod`] | the amphipods of Advent of Code 2021, day 23, with burrows of any shape |

#![forbid(unsafe_code)]

pub mod amphipod;
pub mod taquin;
