//! A network as a Graphviz file.
//!
//! ```dot
//! digraph {
//!   levers = "red=R yellow=J green=V";          // optional: order and letters of the colours
//!   a [start=true, color=green, pos="83,83!"];  // a fork
//!   p1l [gate=1];  t [target=true];  s [final=true];
//!   a -> b [label=1];  a -> t [label=2];  p1l -> s;
//! }
//! ```
//!
//! Graphviz has no types: what reads as a term that clingo prints is that term (`1`, `a`, `f(1)`, and `"\"a\""` is the string `"a"`),
//! and anything else is a string.

use layout::gv::parser::DotParser;
use layout::gv::parser::ast::{AttrStmtTarget, Graph, Stmt};

use crate::asp::Term;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::graph::dot;
use crate::puzzle::rail::network::facts::{Fact, fact, term};

/// The facts of a Graphviz document.
pub fn facts(document: &Document) -> Result<Vec<Fact>, Failure> {
    let graph = DotParser::new(&document.text)
        .process()
        .map_err(|error| Diagnostic::error(format!("{}: not a Graphviz file: {error}", document.name)))?;
    let mut found = Vec::new();
    collect(&graph, &mut found).map_err(|text| Diagnostic::error(format!("{}: {text}", document.name)))?;
    Ok(found)
}

fn collect(graph: &Graph, found: &mut Vec<Fact>) -> Result<(), String> {
    for statement in &graph.list.list {
        match statement {
            Stmt::Node(node) => {
                let name = named(&node.id.name);
                for (key, value) in node.list.iter() {
                    node_facts(&name, key, value, found)?;
                }
            }
            Stmt::Edge(edge) => {
                let label =
                    edge.list.iter().find(|(key, _)| key == "label").map_or(Term::Number(1), |(_, label)| named(label));
                let mut from = named(&edge.from.name);
                for (to, _) in &edge.to {
                    let to = named(&to.name);
                    found.push(fact("rel", &[from, label.clone(), to.clone()]));
                    from = to;
                }
            }
            Stmt::Attribute(attribute) if matches!(attribute.target, AttrStmtTarget::Graph) => {
                for (_, levers) in attribute.list.iter().filter(|(key, _)| key == "levers") {
                    let levers = dot::plain(levers);
                    // Each in a line of its own, where a name may have blanks.
                    let is_blank = |c: char| if levers.contains('\n') { c == '\n' } else { c.is_whitespace() };
                    let levers = levers.split(is_blank).filter(|lever| !lever.is_empty());
                    for (rank, lever) in (1..).zip(levers) {
                        let (color, letter) = (lever.rsplit_once('=').filter(|(_, letter)| !letter.is_empty()))
                            .or(lever.strip_suffix("==").map(|color| (color, "=")))
                            .ok_or(format!("levers has \"{lever}\"; color=Letter was wanted"))?;
                        found.push(fact("lever", &[Term::Number(rank), term(color), Term::Text(letter.to_owned())]));
                    }
                }
            }
            Stmt::Attribute(_) => {}
            Stmt::SubGraph(below) => collect(below, found)?,
        }
    }
    Ok(())
}

fn named(text: &str) -> Term {
    term(&dot::plain(text))
}

fn node_facts(name: &Term, key: &str, value: &str, found: &mut Vec<Fact>) -> Result<(), String> {
    let flag = || match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("node {} has {key}={value}; true or false was wanted", name)),
    };
    match key {
        "start" if flag()? => found.push(fact("start", std::slice::from_ref(name))),
        "target" if flag()? => found.push(fact("target", std::slice::from_ref(name))),
        "final" if flag()? => found.push(fact("final_node", std::slice::from_ref(name))),
        "color" => found.push(fact("color", &[name.clone(), named(value)])),
        "gate" => found.push(fact("gate", &[named(value), name.clone()])),
        "pos" => {
            let place = value.trim_end_matches('!').split_once(',');
            let round = |text: &str| text.trim().parse::<f64>().ok().map(|number| Term::Number(number.round() as i32));
            let (x, y) = place
                .and_then(|(x, y)| Some((round(x)?, round(y)?)))
                .ok_or(format!("node {} has pos=\"{value}\"; \"x,y\" was wanted", name))?;
            found.push(fact("position", &[name.clone(), x, y]));
        }
        _ => {}
    }
    Ok(())
}
