//! A way as a line of boards, with the moves that lead from each to the next: the drawing of puzzles of one player that have no other.

use super::one_player::{OnePlayer, Way};
use crate::graph::{self, Arc, Emphasis, Graph, Node, Placed, Shape, Site};
use crate::picture::{Look, Paint, Picture, Point, Rgb, Sprite, text_width};

/// Boards in a row; the next row goes back. Narrow enough for a phone.
const ROW: usize = 4;

/// The way; without one the start and the goals.
pub fn graph<P: OnePlayer>(puzzle: P, board: &P::Board, way: Option<&Way<P::Move>>) -> Graph {
    let (mut boards, mut badges) = (vec![board.clone()], Vec::new());
    match way {
        None => boards.extend(puzzle.goals(board)),
        Some(way) => {
            for &action in &way.0 {
                let mut next = boards[boards.len() - 1].clone();
                badges.push(puzzle.told(&next, action).name);
                puzzle.make(&mut next, action).expect("a way was replayed before it is drawn");
                boards.push(next);
            }
        }
    }
    let node = |(step, board): (usize, &P::Board)| {
        let (shape, paint, hint) = match step {
            _ if puzzle.is_goal(board).is_ok() => (Shape::Ring, Paint::White, "a goal"),
            0 => (Shape::Box, Paint::Color(Rgb::of_rank(1)), "the start"),
            _ => (Shape::Box, Paint::Grey, ""),
        };
        let name = puzzle.label(board);
        Node { id: name.clone(), name, shape, paint, hint: hint.to_owned(), ..Node::default() }
    };
    let arc = |(step, badge)| Arc { from: step, to: step + 1, badge, emphasis: Emphasis::Strong, ..Arc::default() };
    Graph {
        title: puzzle.words(board).cost(way.map_or(0, |way| puzzle.cost(board, way))),
        nodes: boards.iter().enumerate().map(node).collect(),
        arcs: badges.into_iter().enumerate().map(arc).collect(),
        sites: (0..boards.len()).map(|node| Site { nodes: vec![node], label: String::new() }).collect(),
        ..Graph::default()
    }
}

/// A mark goes from board to board.
pub fn picture<P: OnePlayer>(puzzle: P, board: &P::Board, way: Option<&Way<P::Move>>) -> Picture {
    let graph = graph(puzzle, board, way);
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
