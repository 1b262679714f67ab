//! Draws plans of one-player puzzles: as the puzzle does, or else as a line of boards with the moves
//! between them.

use picture::graph::{self, Arc, Emphasis, Graph, GraphLayout, Node, Shape, Site};
use picture::{Look, Paint, Picture, Point, Rgb, Sprite, text_width};

use super::one_player::{DrawPlan, OnePlayer, Plan};

/// Number of boards in a row, narrow enough for a phone. Every second row runs from right to left.
const ROW_LENGTH: usize = 4;

/// The picture of a board, or of a plan from it.
pub fn picture_of<P: OnePlayer>(puzzle: &P, board: &P::Board, plan: Option<&Plan<P::Move>>) -> Picture {
    match puzzle.plan_capabilities().draw {
        Some(draw) => draw.picture(board, plan),
        None => self::picture(puzzle, board, plan),
    }
}

/// The number of frames that a move adds to [`picture_of`] a plan.
pub fn frames_per_move<P: OnePlayer>(puzzle: &P) -> usize {
    puzzle.plan_capabilities().draw.map_or(1, DrawPlan::frames_per_move)
}

/// The graph of a plan; without a plan, of the start and the goals.
pub fn graph<P: OnePlayer>(puzzle: &P, board: &P::Board, plan: Option<&Plan<P::Move>>) -> Graph {
    let names = puzzle.plan_capabilities().names.unwrap_or_default();
    let boards = match plan {
        None => [board.clone()].into_iter().chain((names.goals)(board)).collect(),
        Some(plan) => puzzle.boards_along(board, plan),
    };
    let moves = plan.map_or(&[][..], |plan| &plan.0);
    let badges = boards.iter().zip(moves).map(|(board, &action)| puzzle.describe_move(board, action).name);
    let node = |(step, board): (usize, &P::Board)| {
        let (shape, paint, hint) = match step {
            _ if puzzle.is_solved(board) => (Shape::Ring, Paint::White, "a goal"),
            0 => (Shape::Box, Paint::Color(Rgb::of_rank(1)), "the start"),
            _ => (Shape::Box, Paint::Grey, ""),
        };
        let name = (names.label)(board);
        Node { id: name.clone(), name, shape, paint, hint: hint.to_owned(), ..Node::default() }
    };
    let arc = |(step, badge)| Arc { from: step, to: step + 1, badge, emphasis: Emphasis::Strong, ..Arc::default() };
    Graph {
        title: puzzle.words(board).cost(plan.map_or(0, |plan| puzzle.cost(board, plan))),
        nodes: boards.iter().enumerate().map(node).collect(),
        arcs: badges.enumerate().map(arc).collect(),
        sites: (0..boards.len()).map(|node| Site { nodes: vec![node], label: String::new() }).collect(),
        ..Graph::default()
    }
}

/// The picture of the graph, with a marker that moves from board to board.
pub fn picture<P: OnePlayer>(puzzle: &P, board: &P::Board, plan: Option<&Plan<P::Move>>) -> Picture {
    let graph = graph(puzzle, board, plan);
    let widest =
        |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text_width(text, 12.0)).fold(0.0, f64::max);
    let name = widest(&mut graph.nodes.iter().map(|node| &node.name));
    let spacing = name + widest(&mut graph.arcs.iter().map(|arc| &arc.badge)) + 70.0;
    let place = |step: usize| -> Point {
        let (row, column) = (step / ROW_LENGTH, step % ROW_LENGTH);
        let column = if row % 2 == 0 { column } else { ROW_LENGTH - 1 - column };
        (spacing * column as f64, 74.0 * row as f64)
    };
    let places = (0..graph.nodes.len()).map(place).collect();
    let mut layout = graph::route(&graph, &GraphLayout { places, bends: Vec::new(), scale: 1.0 });
    let mut sprites = layout.draw(&graph);
    let moves = graph.arcs.len();
    let halo = Look::Halo { radius: name.max(34.0) / 2.0 + 6.0 };
    let paths = (0..moves).map(|step| layout.path(&graph, step)).collect();
    sprites.push(Sprite { paths, ..Sprite::moving(halo, Paint::Accent, "", layout.at[..=moves].to_vec()) });
    let caption = |step: usize| match step {
        0 if moves == 0 => "no move".to_owned(),
        0 => format!("from {}", graph.nodes[0].name),
        _ => format!("{step} of {moves}: {} gives {}", graph.arcs[step - 1].badge, graph.nodes[step].name),
    };
    Picture { title: graph.title.clone(), sprites, captions: (0..=moves).map(caption).collect() }
}
