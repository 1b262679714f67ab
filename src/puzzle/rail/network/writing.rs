//! Writes a network as a logic program.

use std::fmt::Write;

use crate::asp::Term;
use crate::puzzle::rail::network::facts::fact;
use crate::puzzle::rail::network::{Kind, Name, Network};

pub fn comment_lines(comments: &[String]) -> String {
    comments.iter().map(|comment| format!("{}\n", format!("% {comment}").trim_end())).collect()
}

/// The facts of a network, preceded by comment lines.
pub fn program(network: &Network, comments: &[String]) -> String {
    let mut text = comment_lines(comments);
    let name = |node: usize| network.nodes[node].name.term.clone();
    let say = |name: &str, terms: &[Term]| format!("{}.", fact(name, terms).text);
    let number = |number: usize| Term::Number(number as i32);

    let mut line: Vec<String> = network.starts.iter().map(|&start| say("start", &[name(start)])).collect();
    for (id, node) in network.nodes.iter().enumerate() {
        match node.kind {
            Kind::Target => line.extend([say("target", &[name(id)]), say("final_node", &[name(id)])]),
            Kind::Loss => line.push(say("final_node", &[name(id)])),
            _ => {}
        }
    }
    let _ = writeln!(text, "\n{}\n", line.join(" "));
    for (rank, color) in network.colors.iter().enumerate() {
        let letter = Term::Text(color.letter.to_string());
        let _ = write!(text, "{}", say("lever", &[number(rank + 1), color.name.term.clone(), letter]));
        let fixed = color.fixed.map(|state| say("fixed", &[color.name.term.clone(), color.states[state].term.clone()]));
        let own = color.is_own.then(|| say("own", std::slice::from_ref(&color.name.term)));
        let _ = writeln!(text, "{}", fixed.into_iter().chain(own).map(|fact| format!(" {fact}")).collect::<String>());
    }
    text.push('\n');
    for (id, node) in network.nodes.iter().enumerate() {
        if let Kind::Fork { color, ways } = &node.kind {
            let color = &network.colors[*color];
            let way = |(state, &to): (&Name, &usize)| say("rel", &[name(id), state.term.clone(), name(to)]);
            let ways: Vec<String> = color.states.iter().zip(ways).map(way).collect();
            let _ = writeln!(text, "{} {}", say("color", &[name(id), color.name.term.clone()]), ways.join(" "));
        }
    }
    text.push('\n');
    for (id, node) in network.nodes.iter().enumerate() {
        if let Kind::Gate { gate, next } = node.kind {
            let _ = write!(text, "{}", say("gate", &[network.gates[gate].term.clone(), name(id)]));
            if let Some(next) = next {
                let _ = write!(text, " {}", say("rel", &[name(id), number(1), name(next)]));
            }
            text.push('\n');
        }
    }
    for (gate, set) in network.gates.iter().zip(&network.sets) {
        if let Some((color, state)) = *set {
            let color = &network.colors[color];
            let terms = [gate, &color.name, &color.states[state]].map(|name| name.term.clone());
            let _ = writeln!(text, "{}", say("sets", &terms));
        }
    }
    let position = |(id, node): (usize, &crate::puzzle::rail::network::Node)| {
        let (x, y) = node.position?;
        Some(say("position", &[name(id), Term::Number(x), Term::Number(y)]))
    };
    let positions: Vec<String> = network.nodes.iter().enumerate().filter_map(position).collect();
    for line in positions.chunks(5) {
        let _ = writeln!(text, "{}{}", if line[0] == positions[0] { "\n" } else { "" }, line.join(" "));
    }
    text
}
