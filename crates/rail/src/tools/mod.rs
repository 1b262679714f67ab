//! The commands for railways, except for solving.

pub mod convert;
mod copies;
mod design;
pub mod expand;
pub mod generate;
mod measure;
pub mod rate;
pub mod repair;
mod tracks;

use base::diagnostic::{Code, Diagnostic, Failure};
use picture::graph::layout::Layout;
use puzzle::job::{Job, Rules};
use puzzle::unsupported_rules;

use super::encodings::DYNAMIC_GATE;
use super::network::fact::NAMES;
use super::network::instance;

/// Rejects instances that contain rules. `what` implements only the built-in rules.
fn require_facts_only(what: &str, job: &Job) -> Result<(), Failure> {
    require_builtin(what, &Rules::of_encoding(&DYNAMIC_GATE, &NAMES, &instance::programs(&job.sources.documents)))
}

/// Like [`require_facts_only`], and also rejects custom encodings.
fn require_builtin_rules(what: &str, job: &Job) -> Result<(), Failure> {
    require_facts_only(what, job)?;
    require_builtin(what, &job.rules)
}

/// Rejects a layout if nothing is drawn.
fn check_layout(layout: Option<Layout>, job: &Job) -> Result<(), Failure> {
    if layout.is_none() || job.output.format.is_picture() {
        return Ok(());
    }
    Err(Diagnostic::error(Code::Usage, "--layout: it goes with a format that draws").into())
}

fn require_builtin(what: &str, rules: &Rules) -> Result<(), Failure> {
    if rules.is_builtin() { Ok(()) } else { Err(unsupported_rules(what, rules).into()) }
}
