//! Promises of the sources and the docs themselves.

mod documentation;
mod figures;
mod floors;
mod limits;
