//! The commands about railways: what else can be done with one than to solve it.

pub mod copies;
mod design;
pub mod expand;
pub mod generate;
mod measure;
pub mod rate;
pub mod repair;
