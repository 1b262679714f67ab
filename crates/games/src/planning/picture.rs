//! Pictures of plans, and pieces to click.

use drawing::{Lattice, Spot};
use picture::Picture;
use puzzle::Describe;
use puzzle::one_player::{BoardPieces, DrawPlan, OnePlayer, Piece, Plan};

use super::board::{PlanningBoard, PlanningGame};
use super::read;
use super::replay::FluentSet;

impl DrawPlan<PlanningGame> for PlanningGame {
    fn picture(&self, board: &PlanningBoard, plan: Option<&Plan<u32>>) -> Picture {
        let nothing = Plan(Vec::new());
        let plan = plan.unwrap_or(&nothing);
        let states: Vec<FluentSet> = self.boards_along(board, plan).into_iter().map(|board| board.state).collect();
        // An invalid drawing of the first state was reported when the board was read; a long plan
        // may be too large to draw.
        let drawn = board.game.display.drawing(&states).or_else(|_| board.game.display.drawing(&states[..1]));
        let mut picture = drawn.unwrap_or_default().grid_picture(self.name());
        let caption = |(step, &action): (usize, &u32)| {
            format!("{} of {}: {}", step + 1, plan.0.len(), board.game.display.describe_move(action))
        };
        picture.captions = ["the start".to_owned()].into_iter().chain(plan.0.iter().enumerate().map(caption)).collect();
        picture
    }
}

impl BoardPieces<PlanningGame> for PlanningGame {
    fn pieces(&self, board: &PlanningBoard) -> Vec<Piece<u32>> {
        let words = |(row, column): read::Position| format!("row {row}, column {column}");
        let at = |place: read::Position| Spot::Cell(place).bounds(Lattice::Squares);
        let legal = self.moves(board);
        let mut pieces: Vec<(read::Position, Piece<u32>)> = Vec::new();
        for &(action, from, to) in board.game.ground.clicks.iter().filter(|click| legal.contains(&click.0)) {
            let pick = || {
                let words = [format!("pick up what is at {}", words(from)), "put it back".to_owned()];
                (format!("pick({},{})", from.0, from.1), words)
            };
            let index = pieces.iter().position(|(place, _)| *place == from).unwrap_or_else(|| {
                let piece = Piece { at: at(from), words: words(from), moves: Vec::new(), pick: None };
                pieces.push((from, piece));
                pieces.len() - 1
            });
            let piece = &mut pieces[index].1;
            if to.is_some() && piece.pick.is_none() {
                piece.pick = Some(pick());
            }
            piece.moves.push((action, to.map(|to| (at(to), words(to)))));
        }
        pieces.into_iter().map(|(_, piece)| piece).collect()
    }
}
