//! A network as a Graphviz file.
//!
//! ```dot
//! digraph {
//!   levers = "red=R yellow=J green=V";          // optional: order and letters of the colours
//!   a [start=true, color=green, pos="83,83!"];  // a fork
//!   p1l [gate=1];  t [target=true];  s [final=true];
//!   fixed = "green=2";  q [gate=3, sets="red=1"];  // optional: a lever's first state; what a gate sets
//!   own = "yellow";                             // optional: levers that are forks' own, each in a line
//!   a -> b [label=1];  a -> t [label=2];  p1l -> s;
//! }
//! ```
//!
//! Graphviz has no types: what reads as a term that clingo prints is that term (`1`, `a`, `f(1)`, and `"\"a\""` is the string `"a"`),
//! and anything else is a string.

use std::collections::BTreeSet;
use std::ops::Range;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::{Pair, Pairs};
use pest_derive::Parser;

use super::facts::{Placed, fact, term};
use crate::asp::Term;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::graph::dot;

#[derive(Parser)]
#[grammar = "puzzle/rail/network/dot.pest"]
struct Dot;

/// Subgraphs that may lie in each other: the parser goes down into them.
const MOST_NESTED: usize = 100;

/// The facts of a Graphviz document.
pub fn facts(document: &Document) -> Result<Vec<Placed>, Failure> {
    let text = &document.text;
    let wrong = |what: String, range: Range<usize>| {
        Failure::from(Diagnostic::error(what).at(Some(Place::of_range(&document.name, text, range))))
    };
    if let Some(at) = too_deep(text) {
        return Err(wrong(format!("brackets nest more than {MOST_NESTED} deep"), at..at + 1));
    }
    let statements = Dot::parse(Rule::file, text).map_err(|error| {
        let range = match error.location {
            InputLocation::Pos(at) => at..at + text[at..].chars().next().map_or(0, char::len_utf8),
            InputLocation::Span((begin, end)) => begin..end,
        };
        let wanted: BTreeSet<&str> = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives.iter().map(|rule| words(*rule)).collect(),
            ErrorVariant::CustomError { .. } => BTreeSet::new(),
        };
        let wanted = if wanted.is_empty() { "a name".to_owned() } else { Vec::from_iter(wanted).join(" or ") };
        wrong(format!("not a Graphviz file: {wanted} was wanted"), range)
    })?;
    let mut found = Vec::new();
    collect(statements, &mut found).map_err(|(what, range)| wrong(what, range))?;
    Ok(found)
}

/// Where brackets first nest too deep.
fn too_deep(text: &str) -> Option<usize> {
    let (mut braces, mut angles, mut at) = (0_usize, 0_usize, 0);
    while at < text.len() {
        // Between angles there are neither comments nor quotes.
        if let Some(length) = skipped(&text[at..]).filter(|_| angles == 0) {
            at += length;
            continue;
        }
        match text.as_bytes()[at] {
            b'<' => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            b'{' if angles == 0 => braces += 1,
            b'}' if angles == 0 => braces = braces.saturating_sub(1),
            _ => {}
        }
        if braces + angles > MOST_NESTED {
            return Some(at);
        }
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// The length of the comment or the quoted name that a text begins with.
fn skipped(text: &str) -> Option<usize> {
    let to = |begin: usize, end: &str| text[begin..].find(end).map_or(text.len(), |at| begin + at + end.len());
    match text.as_bytes() {
        [b'#', ..] | [b'/', b'/', ..] => Some(to(1, "\n")),
        [b'/', b'*', ..] => Some(to(2, "*/")),
        [b'"', ..] => {
            let mut is_escaped = false;
            let end = text[1..].find(|sign| {
                let is_end = sign == '"' && !is_escaped;
                is_escaped = sign == '\\' && !is_escaped;
                is_end
            });
            Some(end.map_or(text.len(), |at| at + 2))
        }
        _ => None,
    }
}

/// What is wrong, and where.
type Wrong = (String, Range<usize>);

fn words(rule: Rule) -> &'static str {
    match rule {
        Rule::node | Rule::node_id | Rule::id | Rule::name | Rule::quoted | Rule::number => "a name",
        Rule::edge | Rule::subgraph | Rule::word_subgraph | Rule::assignment | Rule::defaults | Rule::kind => {
            "a statement"
        }
        Rule::attribute => "an attribute",
        Rule::EOI => "the end",
        _ => "a graph",
    }
}

/// The bytes of a part of the text.
fn range(pair: &Pair<'_, Rule>) -> Range<usize> {
    pair.as_span().start()..pair.as_span().end()
}

/// Adds the facts of statements; the nodes that they name come back, as they may be an end of an edge.
fn collect(statements: Pairs<'_, Rule>, found: &mut Vec<Placed>) -> Result<Vec<Term>, Wrong> {
    let mut nodes = Vec::new();
    for statement in statements {
        let place = range(&statement);
        match statement.as_rule() {
            Rule::node => {
                let mut parts = statement.into_inner();
                let name = parts.next().map(node).unwrap_or(Term::Number(0));
                let attributes: Vec<(String, Written)> = parts.map(attribute).collect();
                for (key, value) in &attributes {
                    node_facts(&name, key, value, found)?;
                }
                let of = |wanted: &str| attributes.iter().find(|(key, _)| key == wanted).map(|(_, value)| value);
                if let (Some(gate), Some(sets)) = (of("gate"), of("sets")) {
                    let [color, state] = state(&dot::plain(&sets.text), sets)?;
                    found.push((fact("sets", &[gate.term(), color, state]), sets.place.clone()));
                }
                nodes.push(name);
            }
            Rule::edge => {
                let (attributes, ends): (Vec<_>, Vec<_>) =
                    statement.into_inner().partition(|part| part.as_rule() == Rule::attribute);
                let mut labels = attributes.into_iter().map(attribute).filter(|(key, _)| key == "label");
                let label = labels.next_back().map_or(Term::Number(1), |(_, label)| label.term());
                let mut before: Vec<Term> = Vec::new();
                for end in ends {
                    let ends = match end.as_rule() {
                        Rule::subgraph => collect(end.into_inner(), found)?,
                        _ => vec![node(end)],
                    };
                    for from in &before {
                        let arcs = ends.iter().map(|to| fact("rel", &[from.clone(), label.clone(), to.clone()]));
                        found.extend(arcs.map(|arc| (arc, place.clone())));
                    }
                    nodes.extend(ends.iter().cloned());
                    before = ends;
                }
            }
            Rule::assignment => {
                let (key, value) = attribute(statement);
                graph_facts(&key, &value, found)?;
            }
            Rule::defaults => {
                let mut parts = statement.into_inner();
                let is_of_graph = parts.next().is_some_and(|kind| kind.as_str().eq_ignore_ascii_case("graph"));
                for (key, value) in parts.map(attribute) {
                    if is_of_graph {
                        graph_facts(&key, &value, found)?;
                    } else if ["start", "target", "final", "gate", "label"].contains(&key.as_str()) {
                        return Err((format!("{key} is not read as a default; each node or edge has its own"), place));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(nodes)
}

fn node(pair: Pair<'_, Rule>) -> Term {
    pair.into_inner().next().map_or(Term::Number(0), |name| Written::of(name).term())
}

/// A key and its value; a key alone is true.
fn attribute(pair: Pair<'_, Rule>) -> (String, Written) {
    let place = range(&pair);
    let mut parts = pair.into_inner().map(Written::of);
    let key = parts.next().map_or_else(String::new, |key| key.text);
    (key, parts.next().unwrap_or(Written { text: "true".to_owned(), place }))
}

/// A name or a value, as it is meant.
struct Written {
    text: String,
    place: Range<usize>,
}

impl Written {
    fn of(pair: Pair<'_, Rule>) -> Written {
        let place = range(&pair);
        let text = pair.into_inner().map(|part| match part.as_rule() {
            Rule::quoted => unescaped(&part.as_str()[1..part.as_str().len() - 1]),
            _ => part.as_str().to_owned(),
        });
        Written { text: text.collect(), place }
    }

    fn term(&self) -> Term {
        term(&dot::plain(&self.text))
    }
}

fn unescaped(text: &str) -> String {
    let mut signs = text.chars();
    let mut plain = String::new();
    while let Some(sign) = signs.next() {
        plain.push(match (sign, sign == '\\') {
            (sign, false) => sign,
            // A line of a label that is set to the middle, to the left or to the right.
            _ => match signs.next() {
                Some('n' | 'l' | 'r') => '\n',
                // A line that goes on.
                Some('\n') | None => continue,
                Some(sign) => sign,
            },
        });
    }
    plain
}

fn graph_facts(key: &str, value: &Written, found: &mut Vec<Placed>) -> Result<(), Wrong> {
    let levers = dot::plain(&value.text);
    for line in levers.lines().filter(|line| !line.is_empty()) {
        match key {
            "fixed" => found.push((fact("fixed", &state(line, value)?), value.place.clone())),
            "own" => found.push((fact("own", &[term(line)]), value.place.clone())),
            _ => {}
        }
    }
    if key != "levers" {
        return Ok(());
    }
    // Each in a line of its own, where a name may have blanks.
    let is_blank = |c: char| if levers.contains('\n') { c == '\n' } else { c.is_whitespace() };
    let levers = levers.split(is_blank).filter(|lever| !lever.is_empty());
    for (rank, lever) in (1..).zip(levers) {
        let (color, letter) = (lever.rsplit_once('=').filter(|(_, letter)| !letter.is_empty()))
            .or(lever.strip_suffix("==").map(|color| (color, "=")))
            .ok_or((format!("levers has \"{lever}\"; color=Letter was wanted"), value.place.clone()))?;
        let lever = fact("lever", &[Term::Number(rank), term(color), Term::Text(letter.to_owned())]);
        found.push((lever, value.place.clone()));
    }
    Ok(())
}

/// A colour, and a state of its lever.
fn state(text: &str, value: &Written) -> Result<[Term; 2], Wrong> {
    let parts = text.split_once('=').map(|(color, state)| [term(color), term(state)]);
    parts.ok_or_else(|| (format!("\"{text}\"; color=State was wanted"), value.place.clone()))
}

fn node_facts(name: &Term, key: &str, value: &Written, found: &mut Vec<Placed>) -> Result<(), Wrong> {
    let wrong =
        |wanted: &str| (format!("node {name} has {key}={:?}; {wanted} was wanted", value.text), value.place.clone());
    let flag = || match value.text.as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(wrong("true or false")),
    };
    let fact = match key {
        "start" if flag()? => fact("start", std::slice::from_ref(name)),
        "target" if flag()? => fact("target", std::slice::from_ref(name)),
        "final" if flag()? => fact("final_node", std::slice::from_ref(name)),
        "color" => fact("color", &[name.clone(), value.term()]),
        "gate" => fact("gate", &[value.term(), name.clone()]),
        "pos" => {
            let place = value.text.trim_end_matches('!').split_once(',');
            let round = |text: &str| text.trim().parse::<f64>().ok().map(|number| Term::Number(number.round() as i32));
            let place = place.and_then(|(x, y)| Some((round(x)?, round(y)?)));
            let (x, y) = place.ok_or_else(|| wrong("\"x,y\""))?;
            fact("position", &[name.clone(), x, y])
        }
        _ => return Ok(()),
    };
    found.push((fact, value.place.clone()));
    Ok(())
}
