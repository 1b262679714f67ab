//! `asp-solve convert`: converts between plans of tracks and networks, or between their notations.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use asp::{Order, Solver, Symbol, Term, signature_of};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::StopReason;
use clap::Args;
use picture::graph::dot;
use picture::graph::layout::Layout;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::{Console, Encoding, OptionDeclaration, Tool, ToolOutput};
use serde_json::{Map, Value, json};

use super::require_facts_only;
use crate::encodings::TRACKS;
use crate::network::fact::{Fact, fact};
use crate::network::facts::Facts;
use crate::network::instance::instance_program;
use crate::network::{Network, instance, json, lines, plan, svg, writing};
use crate::output::drawing;
use crate::output::plan_drawing::PlanDrawing;
use crate::trips::replay::check_failure;

#[derive(Debug, Clone, Copy)]
pub struct Convert;

#[derive(Debug, Clone, Default, Args)]
pub struct ConvertOptions {
    /// Write the network that follows from a plan (always in DOT)
    #[arg(long)]
    network: bool,
    /// Write a plan from which a network follows, with the shortest tracks
    #[arg(long, conflicts_with = "network")]
    plan: bool,
}

impl Tool for Convert {
    fn name(&self) -> &'static str {
        "convert"
    }

    fn about(&self) -> &'static str {
        "Convert a plan of tracks or a network to another notation, or one to the other"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<ConvertOptions>()
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Asp, Format::Json, Format::Dot, Format::Svg]
    }

    fn encoding(&self) -> Option<&Encoding> {
        Some(&TRACKS)
    }

    fn run(&self, job: &Job, _console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<ConvertOptions>()?;
        require_facts_only("convert", job)?;
        let mut source = instance::read_documents(&job.sources.documents, &job.engine.settings, &job.stop)?;
        let mut facts = source.clone().into_network()?;
        let network = Network::from_facts(&facts)?;
        let mut incomplete_reason = None;
        if options.plan && facts.plan.is_none() {
            let (plan, verdict) = find_plan(&network, &facts, job)?;
            let Some(plan) = plan else {
                let text = match verdict {
                    Verdict::GaveUp(_) => "no plan was found",
                    _ => "no plan produces this network (only forks with levers, gates and places were tried)",
                };
                return Ok(ToolOutput {
                    output: String::new(),
                    verdict,
                    warnings: vec![Diagnostic::warning(Code::OmittedAnswers, text)],
                    certificate: None,
                });
            };
            if let Verdict::GaveUp(reason) = verdict {
                incomplete_reason = Some(reason);
            }
            source = plan;
            facts = source.clone().into_network()?;
        }
        let plan = facts.plan.as_deref().filter(|_| !options.network);
        let output_facts = if plan.is_some() { &source.facts } else { &facts.facts };
        let output = match (job.output.format, plan) {
            (Format::Dot, _) => dot::text(&drawing::graph(&network)),
            (Format::Json, _) => format!("{:#}\n", as_json(output_facts)?),
            (Format::Asp, _) => output_facts.iter().map(|fact| format!("{}.\n", fact.text)).collect(),
            (Format::Svg, Some(plan)) => {
                let PlanDrawing { middles, ends, rails, .. } = PlanDrawing::new(&network, plan, Layout::Map, &job.stop);
                svg::write(plan, &middles, &ends, &rails)?
            }
            (Format::Svg, None) => {
                let text = "a network has no tracks, which an SVG plan needs";
                return Err(Diagnostic::error(Code::Unsupported, text)
                    .help("--plan looks for some; asp-solve FILE -f svg draws a network")
                    .into());
            }
            (_, Some(plan)) => lines::write(plan, true)?,
            (_, None) => writing::program(&network, &[]),
        };
        Ok(match incomplete_reason {
            Some(reason) => ToolOutput::incomplete("there may be a plan with shorter tracks", output, reason),
            None => ToolOutput::solved(output),
        })
    }
}

/// Finds a track plan that yields the network. clingo searches for it, and the native reader of
/// plans confirms it.
///
/// The verdict is `Solved` if the tracks are the shortest possible, and `Impossible` if there is no
/// plan.
fn find_plan(network: &Network, facts: &Facts, job: &Job) -> Result<(Option<Facts>, Verdict), Failure> {
    let mut program = instance_program(facts, &job.sources.documents);
    program.encoding = job.sources.encodings.clone();
    let mut solver = Solver::with_program(&program, &job.engine.settings, &job.stop)?;
    // The program minimises, so the last answer is the best one.
    let mut best: Option<Vec<Symbol>> = None;
    let solved = solver.solve(&[], |model| {
        best = model.shown(Order::AsFound).ok().map(Iterator::collect);
        ControlFlow::Continue(())
    })?;
    let verdict = match solved.result.exhausted {
        true if best.is_some() => Verdict::Solved,
        true => Verdict::Impossible,
        false => Verdict::GaveUp(job.stop.requested().unwrap_or(StopReason::Unproven)),
    };
    let Some(atoms) = best else { return Ok((None, verdict)) };
    let terms = |atom: &Symbol| atom.arguments().unwrap_or_default().into_iter().map(Term::of).collect::<Vec<_>>();
    let facts = atoms.iter().filter_map(|atom| Some(fact(signature_of(*atom)?.0, &terms(atom))));
    let facts: BTreeSet<Fact> = facts.collect();
    let plan = Facts { facts: facts.into_iter().collect(), ..Facts::default() };
    if !Network::from_facts(&plan.clone().into_network()?)?.is_same(network) {
        return Err(check_failure("another network follows from the plan".to_owned()));
    }
    Ok((Some(plan), verdict))
}

/// Converts facts to a JSON object with one key for each predicate.
fn as_json(facts: &[Fact]) -> Result<Value, Failure> {
    let mut object = Map::new();
    for fact in facts {
        let value = |term: &_| {
            let end = plan::read_end(term).map(|(thing, which)| json!([json::value(&thing), json::value(&which)]));
            end.unwrap_or_else(|| json::value(term))
        };
        let values: Vec<Value> = fact.terms.iter().map(value).collect();
        let back = values.iter().map(|value| json::parse_argument(&fact.name, value));
        if back.collect::<Option<Vec<_>>>().as_ref() != Some(&fact.terms) {
            let text = format!("{}: JSON cannot express this name; -f asp writes facts", fact.text);
            return Err(Diagnostic::error(Code::Unsupported, text).into());
        }
        // Without brackets around it, a list would be read as several arguments.
        let row = if values.len() == 1 && !values[0].is_array() { values[0].clone() } else { json!(values) };
        let rows = object.entry(fact.name.clone()).or_insert_with(|| json!([]));
        rows.as_array_mut().expect("a list").push(row);
    }
    Ok(object.into())
}
