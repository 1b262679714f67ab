//! `asp-solve convert`: a plan or a network in another notation, or the network that follows from a plan.

use clap::Args;
use serde_json::{Map, Value, json};

use super::only_facts;
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Verdict;
use crate::graph::dot;
use crate::graph::layout::Layout;
use crate::job::Job;
use crate::puzzle::rail::network::facts::Fact;
use crate::puzzle::rail::network::plan;
use crate::puzzle::rail::network::{Network, instance, json, lines, svg, writing};
use crate::puzzle::rail::output::{drawing, tracks::Tracks};
use crate::puzzle::{Console, Done, Tool, has_options};
use crate::report::Format;

#[derive(Debug, Clone, Copy)]
pub struct Convert;

#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Write the network that follows from a plan (always in DOT)
    #[arg(long)]
    network: bool,
}

impl Tool for Convert {
    has_options!(Options);

    fn name(&self) -> &'static str {
        "convert"
    }

    fn about(&self) -> &'static str {
        "Write a plan of tracks or a network in another notation, or the network of a plan"
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Asp, Format::Json, Format::Dot, Format::Svg]
    }

    fn run(&self, job: &Job, _console: &mut Console<'_>) -> Result<Done, Failure> {
        only_facts("convert", job)?;
        let written = instance::written(&job.documents, &job.settings, &job.stop)?;
        let facts = written.clone().network()?;
        let network = Network::from_facts(&facts)?;
        let plan = facts.plan.as_deref().filter(|_| !job.options::<Options>().network);
        let said = if plan.is_some() { &written.facts } else { &facts.facts };
        let output = match (job.format, plan) {
            (Format::Dot, _) => dot::text(&drawing::graph(&network)),
            (Format::Json, _) => format!("{:#}\n", as_json(said)?),
            (Format::Asp, _) => said.iter().map(|fact| format!("{}.\n", fact.text)).collect(),
            (Format::Svg, Some(plan)) => {
                let Tracks { ends, rails, .. } = Tracks::new(&network, plan, Layout::Map, &job.stop);
                svg::write(plan, &ends, &rails)?
            }
            (Format::Svg, None) => {
                let text = "a network names no tracks, which a drawing of its plan would need";
                return Err(Diagnostic::error(text).help("asp-solve FILE -f svg draws a network").into());
            }
            (_, Some(plan)) => lines::write(plan, true)?,
            (_, None) => writing::program(&network, &[]),
        };
        Ok(Done { output, verdict: Verdict::Solved, warnings: Vec::new() })
    }
}

/// One key for each predicate.
fn as_json(facts: &[Fact]) -> Result<Value, Failure> {
    let mut object = Map::new();
    for fact in facts {
        let value = |term: &_| {
            let end = plan::read_end(term).map(|(thing, which)| json!([json::value(&thing), json::value(&which)]));
            end.unwrap_or_else(|| json::value(term))
        };
        let values: Vec<Value> = fact.terms.iter().map(value).collect();
        let back = values.iter().map(|value| json::argument(&fact.name, value));
        if back.collect::<Option<Vec<_>>>().as_ref() != Some(&fact.terms) {
            let text = format!("{}: JSON has no such names; -f asp writes facts", fact.text);
            return Err(Diagnostic::error(text).into());
        }
        let row = if values.len() == 1 { values[0].clone() } else { json!(values) };
        let rows = object.entry(fact.name.clone()).or_insert_with(|| json!([]));
        rows.as_array_mut().expect("a list").push(row);
    }
    Ok(object.into())
}
