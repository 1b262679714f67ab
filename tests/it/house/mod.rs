//! Promises of the sources and the docs themselves.

mod documentation;
mod extent;
mod figures;
mod floors;
mod limits;
