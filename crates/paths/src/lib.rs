//! Puzzles whose answer is a shortest path, with searches of their own.
//!
//! | module | contents |
//! |---|---|
//! | [`taquin`] | the 15-puzzle and other sizes: IDA* with pattern databases |
//! | [`amphipod`] | the amphipods of Advent of Code 2021, day 23, with burrows of any shape |
//!
//! Each puzzle implements `OnePlayer` of the crate `puzzle` and gives the searches of
//! `statespace::search` a space with packed states, a heuristic and pruned moves. The rules that
//! replay a plan share no code with the space. Each puzzle also has a logic program (`asp/taquin/`,
//! `asp/amphipod/`), so that clingo can answer the same question.
//!
//! Games whose rules are given as data, without a space of their own, are in the crate `games`.
//!
//! ```
//! use paths::taquin::Taquin;
//! use puzzle::Run;
//!
//! let result = Run::new(Taquin, "1 2 3\n4 5 6\n. 7 8".into())?.solve()?;
//! assert_eq!(result.answers()[0].0.len(), 2);
//! assert!(result.complete());
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```

#![forbid(unsafe_code)]

pub mod amphipod;
pub mod taquin;
