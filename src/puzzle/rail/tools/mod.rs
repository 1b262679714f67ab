//! The commands about railways: what else can be done with one than to solve it.

pub mod convert;
pub mod copies;
mod design;
pub mod expand;
pub mod generate;
mod measure;
pub mod rate;
pub mod repair;
mod tracks;

use super::DYNAMIC_GATE;
use super::network::facts::NAMES;
use crate::diagnostic::Failure;
use crate::job::{Job, Rules};
use crate::puzzle::knows_not;

/// What knows the rules that ship alone refuses an instance that says more than facts.
fn only_facts(what: &str, job: &Job) -> Result<(), Failure> {
    shipped(what, &Rules::with(&DYNAMIC_GATE, &NAMES, &job.documents))
}

/// The same, which refuses encodings that were edited as well.
fn only_shipped(what: &str, job: &Job) -> Result<(), Failure> {
    only_facts(what, job)?;
    shipped(what, &job.rules)
}

fn shipped(what: &str, rules: &Rules) -> Result<(), Failure> {
    if rules.are_shipped() { Ok(()) } else { Err(knows_not(what, rules).into()) }
}
