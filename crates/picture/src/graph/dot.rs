//! Writes graphs for Graphviz.

use std::fmt::Write;

use super::model::{Emphasis, Graph, Node, Shape};
use crate::Paint;

/// Returns the graph as a Graphviz file. Nodes that share a labelled site form a cluster.
pub fn text(graph: &Graph) -> String {
    if let Some(dot) = &graph.dot {
        return dot.clone();
    }
    let mut text = String::from("digraph {\n");
    let _ = writeln!(text, "  label={};", quoted(&graph.title));
    for (key, value) in &graph.attributes {
        let _ = writeln!(text, "  {key}={};", quoted(value));
    }
    text.push_str("  node [style=filled, fontname=\"sans-serif\"];\n");
    for (number, site) in graph.sites.iter().enumerate() {
        let is_cluster = !site.label.is_empty();
        if is_cluster {
            let _ = writeln!(text, "  subgraph cluster_{number} {{\n  label={};", quoted(&site.label));
        }
        for &node in &site.nodes {
            write_node(&mut text, &graph.nodes[node]);
        }
        if is_cluster {
            text.push_str("  }\n");
        }
    }
    for arc in &graph.arcs {
        let (from, to) = (&graph.nodes[arc.from].id, &graph.nodes[arc.to].id);
        let labels = [("label", &*arc.label), ("xlabel", &*arc.badge)].into_iter().filter(|(_, text)| !text.is_empty());
        let emphasis = match arc.emphasis {
            Emphasis::Plain => None,
            Emphasis::Strong => Some(("penwidth", "3")),
            Emphasis::Jump => Some(("style", "dashed")),
        };
        let attributes = attribute_list(labels.chain(emphasis), quoted);
        let _ = writeln!(text, "  {} -> {}{attributes};", quoted(from), quoted(to));
    }
    text.push_str("}\n");
    text
}

fn write_node(text: &mut String, node: &Node) {
    let shape = match node.shape {
        Shape::Disc => "circle",
        Shape::Ring => "doublecircle",
        Shape::Box => "box",
        Shape::Ellipse => "ellipse",
        Shape::Diamond => "diamond",
        Shape::Triangle => "triangle",
        Shape::Plain => "plaintext",
        Shape::Point => "point",
    };
    let fill = match node.paint {
        Paint::Color(color) => color.hex(),
        Paint::Grey => "gray85".to_owned(),
        _ => "white".to_owned(),
    };
    let ink = matches!(node.paint, Paint::Color(color) if color.ink() == "#fff").then_some(("fontcolor", "white"));
    let name = (node.name != node.id).then_some(("label", &*node.name));
    let further = node.attributes.iter().map(|(key, value)| (&**key, &**value));
    let attributes = [("shape", shape), ("fillcolor", &*fill)].into_iter().chain(ink).chain(name).chain(further);
    let _ = writeln!(text, "  {}{};", quoted(&node.id), attribute_list(attributes, quoted));
}

/// Returns an attribute list ` [name=value, …]`, or an empty text if there are no attributes.
pub fn attribute_list<'a>(attributes: impl Iterator<Item = (&'a str, &'a str)>, quoted: fn(&str) -> String) -> String {
    let all: Vec<String> = attributes.map(|(name, value)| format!("{}={}", quoted(name), quoted(value))).collect();
    if all.is_empty() { String::new() } else { format!(" [{}]", all.join(", ")) }
}

/// Quotes a text for Graphviz. Backslashes have different meanings in names and in labels, so the
/// output has none except before quotes. Other special characters become HTML entities.
fn quoted(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_keyword =
        ["node", "edge", "graph", "digraph", "subgraph", "strict"].contains(&text.to_ascii_lowercase().as_str());
    let is_number = !text.is_empty() && text.len() < 10 && text.chars().all(|c| c.is_ascii_digit());
    if is_plain && !is_keyword || is_number {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' | '&' => _ = write!(quoted, "&#{};", u32::from(character)),
            _ if character.is_control() => _ = write!(quoted, "&#{};", u32::from(character)),
            _ => quoted.push(character),
        }
    }
    quoted + "\""
}

/// Decodes HTML entities such as `&#92;`.
pub fn decode_entities(text: &str) -> String {
    let mut pieces = text.split('&');
    let mut decoded = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let coded = piece.split_once(';').and_then(|(code, rest)| {
            let character = match code {
                "amp" => '&',
                "quot" => '"',
                "lt" => '<',
                "gt" => '>',
                _ => char::from_u32(code.strip_prefix('#')?.parse().ok()?)?,
            };
            Some((character, rest))
        });
        match coded {
            Some((character, rest)) => {
                decoded.push(character);
                decoded.push_str(rest);
            }
            None => {
                decoded.push('&');
                decoded.push_str(piece);
            }
        }
    }
    decoded
}
