//! What an author of encodings has: where the time goes, and whether two encodings are the same.
//!
//! | file | what it holds |
//! |---|---|
//! | `compare.rs` | whether two encodings say the same, and how long each takes |
//! | `profile/` | where grounding and solving go, statement by statement |
//! | `flame.rs` | times within times, as a picture |

pub mod compare;
pub mod flame;
pub mod profile;
