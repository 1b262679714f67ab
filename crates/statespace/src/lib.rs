//! Shortest paths in state spaces.
//!
//! | module | contents |
//! |---|---|
//! | [`search`] | IDA*, A*, breadth-first and bidirectional search for any [`Space`](search::Space) |
//! | [`planning`] | tasks of actions with conditions and effects, and heuristics for them |
//! | [`cache`] | tables that are stored between runs |

#![forbid(unsafe_code)]

pub mod cache;
pub mod planning;
pub mod search;
