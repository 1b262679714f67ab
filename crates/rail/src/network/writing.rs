//! Writes a network as a logic program.

use std::fmt::Write;

use asp::Term;

use crate::network::fact::fact;
use crate::network::{Kind, Name, Network};

pub fn comment_lines(comments: &[String]) -> String {
    comments.iter().map(|comment| format!("{}\n", format!("% {comment}").trim_end())).collect()
}

/// Returns the facts of a network as a logic program, after comment lines.
pub fn program(network: &Network, comments: &[String]) -> String {
    let mut text = comment_lines(comments);
    let name = |node: usize| network.nodes[node].name.term.clone();
    let fact_text = |name: &str, terms: &[Term]| format!("{}.", fact(name, terms).text);
    let number = |number: usize| Term::Number(number as i32);

    let mut line: Vec<String> = network.starts.iter().map(|&start| fact_text("start", &[name(start)])).collect();
    for (id, node) in network.nodes.iter().enumerate() {
        match node.kind {
            Kind::Target => line.extend([fact_text("target", &[name(id)]), fact_text("final_node", &[name(id)])]),
            Kind::Loss => line.push(fact_text("final_node", &[name(id)])),
            _ => {}
        }
    }
    let _ = writeln!(text, "\n{}\n", line.join(" "));
    for (rank, color) in network.colors.iter().enumerate() {
        let letter = Term::Text(color.letter.to_string());
        let _ = write!(text, "{}", fact_text("lever", &[number(rank + 1), color.name.term.clone(), letter]));
        let fixed =
            color.fixed.map(|state| fact_text("fixed", &[color.name.term.clone(), color.states[state].term.clone()]));
        let own = color.is_own.then(|| fact_text("own", std::slice::from_ref(&color.name.term)));
        let _ = writeln!(text, "{}", fixed.into_iter().chain(own).map(|fact| format!(" {fact}")).collect::<String>());
    }
    text.push('\n');
    for (id, node) in network.nodes.iter().enumerate() {
        if let Kind::Fork { color, ways } = &node.kind {
            let color = &network.colors[*color];
            let way = |(state, &to): (&Name, &usize)| fact_text("rel", &[name(id), state.term.clone(), name(to)]);
            let ways: Vec<String> = color.states.iter().zip(ways).map(way).collect();
            let _ = writeln!(text, "{} {}", fact_text("color", &[name(id), color.name.term.clone()]), ways.join(" "));
        }
    }
    text.push('\n');
    for (id, node) in network.nodes.iter().enumerate() {
        if let Kind::Gate { gate, next } = node.kind {
            let _ = write!(text, "{}", fact_text("gate", &[network.gates[gate].term.clone(), name(id)]));
            if let Some(next) = next {
                let _ = write!(text, " {}", fact_text("rel", &[name(id), number(1), name(next)]));
            }
            text.push('\n');
        }
    }
    for (gate, set) in network.gates.iter().zip(&network.sets) {
        if let Some((color, state)) = *set {
            let color = &network.colors[color];
            let terms = [gate, &color.name, &color.states[state]].map(|name| name.term.clone());
            let _ = writeln!(text, "{}", fact_text("sets", &terms));
        }
    }
    let position = |(id, node): (usize, &crate::network::Node)| {
        let (x, y) = node.position?;
        Some(fact_text("position", &[name(id), Term::Number(x), Term::Number(y)]))
    };
    let positions: Vec<String> = network.nodes.iter().enumerate().filter_map(position).collect();
    for line in positions.chunks(5) {
        let _ = writeln!(text, "{}{}", if line[0] == positions[0] { "\n" } else { "" }, line.join(" "));
    }
    text
}
