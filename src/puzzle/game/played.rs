//! The game on numbers in play: its moves are what one can do, as long as they lead to a number.

use super::{Board, Game, Way, drawing};
use crate::picture::Picture;
use crate::played::{Move, Place};
use crate::puzzle::native;
use crate::puzzle::playing::Stand;

#[derive(Clone)]
pub struct Counted {
    pub board: Board,
    /// The numbers until now, the start first.
    pub way: Vec<u64>,
}

impl Counted {
    fn now(&self) -> u64 {
        self.way.last().copied().unwrap_or(self.board.start)
    }

    /// The moves that lead to a number of 64 bits, with that number.
    fn steps(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        let leads = |step: &super::Expression| Some((step.to_string(), step.value(self.now()).ok()??));
        self.board.moves.iter().filter_map(leads)
    }
}

impl Stand for Counted {
    type Puzzle = Game;

    fn puzzle(&self) -> Game {
        Game
    }

    fn board(&self) -> Board {
        Board { start: self.now(), ..self.board.clone() }
    }

    fn picture(&self) -> Picture {
        let picture = drawing::picture(&self.board, Some(&Way(self.way.clone())));
        Picture { title: "game".to_owned(), ..picture.last_frame() }
    }

    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    fn moves(&self) -> Vec<Move> {
        let told = |(rank, (step, number)): (usize, (String, u64))| {
            let made = Move::new(&step, format!("{step} gives {number}"));
            if rank < 9 { made.on_key((rank + 1).to_string()) } else { made }
        };
        self.steps().enumerate().map(told).collect()
    }

    fn after(&self, name: &str) -> Option<Self> {
        let (_, number) = self.steps().find(|(step, _)| step == name)?;
        let way = self.way.iter().copied().chain([number]).collect();
        Some(Counted { way, ..self.clone() })
    }

    fn is_won(&self) -> bool {
        self.board.goals.contains(&self.now())
    }

    fn paid(&self) -> u64 {
        self.way.len() as u64 - 1
    }

    fn left(&self, way: &Way) -> (u64, Option<String>) {
        let next = way.0.get(1);
        let first = self.steps().find(|(_, number)| Some(number) == next);
        (way.0.len() as u64 - 1, first.map(|(step, _)| step))
    }

    fn cost(&self, cost: u64) -> String {
        native::count(cost, "move", "moves")
    }
}
