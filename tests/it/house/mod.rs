//! Tests of the sources and the documentation.

mod documentation;
mod extent;
mod figures;
mod floors;
mod language;
mod limits;
