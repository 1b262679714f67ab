//! A network as a Graphviz file.
//!
//! ```dot
//! digraph {
//!   levers = "red=R yellow=J green=V";          // optional: the order and the letters of the colours
//!   a [start=true, color=green, pos="83,83!"];  // a fork
//!   p1l [gate=1];  t [target=true];  s [final=true];
//!   fixed = "green=2";                          // optional: the initial states of fixed levers
//!   q [gate=3, sets="red=1"];                   // optional: the state to which a gate sets a lever
//!   own = "yellow";                             // optional: levers that belong to a single fork, each in a line
//!   a -> b [label=1];  a -> t [label=2];  p1l -> s;
//! }
//! ```
//!
//! Graphviz has no types. A value in the format of a term in clingo's output is that term (`1`,
//! `a`, `f(1)`, and `"\"a\""` is the string `"a"`). Any other value is a string.

use std::collections::BTreeSet;
use std::ops::Range;

use asp::Term;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::{Pair, Pairs};
use pest_derive::Parser;
use picture::graph::dot;

use super::fact::{SpannedFact, fact, term};

#[derive(Parser)]
#[grammar = "network/dot.pest"]
struct Dot;

/// Maximum nesting of brackets, because the parser is recursive.
const MAX_NESTING: usize = 100;

/// Parses a Graphviz document.
pub fn facts(document: &Document) -> Result<Vec<SpannedFact>, Failure> {
    let text = &document.text;
    let wrong = |what: String, range: Range<usize>| {
        Failure::from(Diagnostic::error(Code::InvalidInstance, what).at(Some(Place::of_range(
            &document.name,
            text,
            range,
        ))))
    };
    if let Some(at) = find_deep_nesting(text) {
        return Err(wrong(format!("brackets nest more than {MAX_NESTING} deep"), at..at + 1));
    }
    let statements = Dot::parse(Rule::file, text).map_err(|error| {
        let range = match error.location {
            InputLocation::Pos(at) => at..at + text[at..].chars().next().map_or(0, char::len_utf8),
            InputLocation::Span((begin, end)) => begin..end,
        };
        let expected: BTreeSet<&str> = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives.iter().map(|rule| rule_name(*rule)).collect(),
            ErrorVariant::CustomError { .. } => BTreeSet::new(),
        };
        let expected = if expected.is_empty() { "a name".to_owned() } else { Vec::from_iter(expected).join(" or ") };
        wrong(format!("not a Graphviz file: expected {expected}"), range)
    })?;
    let mut found = Vec::new();
    collect(statements, &mut found).map_err(|(what, range)| wrong(what, range))?;
    Ok(found)
}

/// Returns the offset of the first bracket that is nested too deeply.
fn find_deep_nesting(text: &str) -> Option<usize> {
    let (mut braces, mut angles, mut at) = (0_usize, 0_usize, 0);
    while at < text.len() {
        // Angle brackets contain HTML, which has no comments or quoted strings.
        if let Some(length) = comment_or_string_len(&text[at..]).filter(|_| angles == 0) {
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
        if braces + angles > MAX_NESTING {
            return Some(at);
        }
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Returns the length of the comment or quoted string at the start of `text`, if there is one.
fn comment_or_string_len(text: &str) -> Option<usize> {
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

/// An error message and its range.
type ErrorAt = (String, Range<usize>);

fn rule_name(rule: Rule) -> &'static str {
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

fn range(pair: &Pair<'_, Rule>) -> Range<usize> {
    pair.as_span().start()..pair.as_span().end()
}

/// Adds the facts of statements to `found`. Returns the nodes in the statements, which are needed
/// if an edge begins or ends at a subgraph.
fn collect(statements: Pairs<'_, Rule>, found: &mut Vec<SpannedFact>) -> Result<Vec<Term>, ErrorAt> {
    let mut nodes = Vec::new();
    for statement in statements {
        let place = range(&statement);
        match statement.as_rule() {
            Rule::node => {
                let mut parts = statement.into_inner();
                let name = parts.next().map(node).unwrap_or(Term::Number(0));
                let attributes: Vec<(String, SpannedText)> = parts.map(attribute).collect();
                for (key, value) in &attributes {
                    node_facts(&name, key, value, found)?;
                }
                let value_of =
                    |expected: &str| attributes.iter().find(|(key, _)| key == expected).map(|(_, value)| value);
                if let (Some(gate), Some(sets)) = (value_of("gate"), value_of("sets")) {
                    let [color, state] = parse_setting(&dot::decode_entities(&sets.text), sets)?;
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
    pair.into_inner().next().map_or(Term::Number(0), |name| SpannedText::of(name).term())
}

/// Parses a key and its value. A key without a value has the value `true`.
fn attribute(pair: Pair<'_, Rule>) -> (String, SpannedText) {
    let place = range(&pair);
    let mut parts = pair.into_inner().map(SpannedText::of);
    let key = parts.next().map_or_else(String::new, |key| key.text);
    (key, parts.next().unwrap_or(SpannedText { text: "true".to_owned(), place }))
}

/// A name or value without its quoting, and its range.
struct SpannedText {
    text: String,
    place: Range<usize>,
}

impl SpannedText {
    fn of(pair: Pair<'_, Rule>) -> SpannedText {
        let place = range(&pair);
        let text = pair.into_inner().map(|part| match part.as_rule() {
            Rule::quoted => unescaped(&part.as_str()[1..part.as_str().len() - 1]),
            _ => part.as_str().to_owned(),
        });
        SpannedText { text: text.collect(), place }
    }

    fn term(&self) -> Term {
        term(&dot::decode_entities(&self.text))
    }
}

fn unescaped(text: &str) -> String {
    let mut signs = text.chars();
    let mut plain = String::new();
    while let Some(sign) = signs.next() {
        plain.push(match (sign, sign == '\\') {
            (sign, false) => sign,
            // A line break in a label, which is then centred, or aligned to the left or right.
            _ => match signs.next() {
                Some('n' | 'l' | 'r') => '\n',
                // An escaped line break continues the line.
                Some('\n') | None => continue,
                Some(sign) => sign,
            },
        });
    }
    plain
}

fn graph_facts(key: &str, value: &SpannedText, found: &mut Vec<SpannedFact>) -> Result<(), ErrorAt> {
    let levers = dot::decode_entities(&value.text);
    for line in levers.lines().filter(|line| !line.is_empty()) {
        match key {
            "fixed" => found.push((fact("fixed", &parse_setting(line, value)?), value.place.clone())),
            "own" => found.push((fact("own", &[term(line)]), value.place.clone())),
            _ => {}
        }
    }
    if key != "levers" {
        return Ok(());
    }
    // If a name contains blanks, each lever has its own line.
    let is_blank = |c: char| if levers.contains('\n') { c == '\n' } else { c.is_whitespace() };
    let levers = levers.split(is_blank).filter(|lever| !lever.is_empty());
    for (rank, lever) in (1..).zip(levers) {
        let (color, letter) = (lever.rsplit_once('=').filter(|(_, letter)| !letter.is_empty()))
            .or(lever.strip_suffix("==").map(|color| (color, "=")))
            .ok_or((format!("levers: expected color=Letter, found \"{lever}\""), value.place.clone()))?;
        let lever = fact("lever", &[Term::Number(rank), term(color), Term::Text(letter.to_owned())]);
        found.push((lever, value.place.clone()));
    }
    Ok(())
}

/// Parses `color=State`.
fn parse_setting(text: &str, value: &SpannedText) -> Result<[Term; 2], ErrorAt> {
    let parts = text.split_once('=').map(|(color, state)| [term(color), term(state)]);
    parts.ok_or_else(|| (format!("expected color=State, found \"{text}\""), value.place.clone()))
}

fn node_facts(name: &Term, key: &str, value: &SpannedText, found: &mut Vec<SpannedFact>) -> Result<(), ErrorAt> {
    let wrong = |expected: &str| {
        (format!("node {name}, {key}: expected {expected}, found {:?}", value.text), value.place.clone())
    };
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
