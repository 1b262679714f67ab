//! The numbers of a way in a line, with the moves that lead from each to the next.

use super::{Board, Way, numbers_of, replay};
use crate::graph::{self, Arc, Emphasis, Graph, Node, Placed, Shape, Site};
use crate::picture::{Look, Paint, Picture, Point, Rgb, Sprite, text_width};
use crate::puzzle::native;

/// Numbers in a row; the next row goes back. Narrow enough for a phone.
const ROW: usize = 4;

/// The way; without one the start and the goals.
pub fn graph(board: &Board, way: Option<&Way<u64>>) -> Graph {
    let numbers = numbers(board, way);
    let node = |(step, number): (usize, &u64)| {
        let (shape, paint, hint) = match number {
            number if board.goals.contains(number) => (Shape::Ring, Paint::White, "a goal"),
            _ if step == 0 => (Shape::Box, Paint::Color(Rgb::of_rank(1)), "the start"),
            _ => (Shape::Box, Paint::Grey, ""),
        };
        let (id, name, note) = (number.to_string(), number.to_string(), String::new());
        Node { id, name, note, shape, paint, hint: hint.to_owned(), ..Node::default() }
    };
    let moves = if way.is_some() { numbers.len() - 1 } else { 0 };
    let arc = |step: usize| {
        let leads = |text: &&str| replay::leads(text, numbers[step]) == Some(numbers[step + 1]);
        let badge = board.moves.iter().map(|made| &*made.text).find(leads).unwrap_or_default().to_owned();
        Arc { from: step, to: step + 1, badge, emphasis: Emphasis::Strong, ..Arc::default() }
    };
    Graph {
        title: native::count(moves as u64, "move", "moves"),
        nodes: numbers.iter().enumerate().map(node).collect(),
        arcs: (0..moves).map(arc).collect(),
        sites: (0..numbers.len()).map(|node| Site { nodes: vec![node], label: String::new() }).collect(),
        ..Graph::default()
    }
}

fn numbers(board: &Board, way: Option<&Way<u64>>) -> Vec<u64> {
    let goals = || [board.start].into_iter().chain(board.goals.iter().copied()).collect();
    way.map_or_else(goals, |way| numbers_of(board, way))
}

/// A mark goes from number to number.
pub fn picture(board: &Board, way: Option<&Way<u64>>) -> Picture {
    let graph = graph(board, way);
    let widest =
        |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text_width(text, 12.0)).fold(0.0, f64::max);
    let name = widest(&mut graph.nodes.iter().map(|node| &node.name));
    let apart = name + widest(&mut graph.arcs.iter().map(|arc| &arc.badge)) + 70.0;
    let place = |step: usize| -> Point {
        let (row, column) = (step / ROW, step % ROW);
        let column = if row % 2 == 0 { column } else { ROW - 1 - column };
        (apart * column as f64, 74.0 * row as f64)
    };
    let places = (0..graph.nodes.len()).map(place).collect();
    let mut laid = graph::lay(&graph, &Placed { places, ways: Vec::new(), scale: 1.0 });
    let mut sprites = laid.draw(&graph);
    let moves = graph.arcs.len();
    let look = Look::Halo { radius: name.max(34.0) / 2.0 + 6.0 };
    let ways = (0..moves).map(|step| laid.way(&graph, step)).collect();
    sprites.push(Sprite { ways, ..Sprite::moving(look, Paint::Accent, "", laid.at[..=moves].to_vec()) });
    let told = |step: usize| match step {
        0 if moves == 0 => "no move".to_owned(),
        0 => format!("from {}", graph.nodes[0].name),
        _ => format!("{step} of {moves}: {} gives {}", graph.arcs[step - 1].badge, graph.nodes[step].name),
    };
    Picture { title: graph.title.clone(), sprites, captions: (0..=moves).map(told).collect() }
}
