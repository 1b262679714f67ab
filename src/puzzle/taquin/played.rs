//! The taquin in play: tiles slide by a click or an arrow.

use super::board::Board;
use super::shape::Direction;
use super::{Taquin, Way, text};
use crate::picture::Picture;
use crate::played::{Move, Place};
use crate::puzzle::native;
use crate::puzzle::playing::Stand;

#[derive(Clone)]
pub struct Slid {
    pub board: Board,
    pub moves: u64,
}

impl Slid {
    /// A move for each neighbour of the free cell, with that cell.
    fn slides(&self) -> impl Iterator<Item = (usize, Move)> + '_ {
        let free = self.board.free();
        Direction::ALL.into_iter().filter_map(move |direction| {
            let cell = self.board.shape.neighbour(free, direction)?;
            let letter = direction.letter_of_tile();
            let (way, key) = match letter {
                'U' => ("up", "ArrowUp"),
                'D' => ("down", "ArrowDown"),
                'L' => ("left", "ArrowLeft"),
                _ => ("right", "ArrowRight"),
            };
            Some((cell, Move::new(letter, format!("{} goes {way}", self.board.label(cell))).on_key(key)))
        })
    }
}

impl Stand for Slid {
    type Puzzle = Taquin;

    fn puzzle(&self) -> Taquin {
        Taquin
    }

    fn board(&self) -> Board {
        self.board.clone()
    }

    fn picture(&self) -> Picture {
        let picture = text::picture(&self.board, &Way(Vec::new()));
        Picture { title: "taquin".to_owned(), captions: Vec::new(), ..picture }
    }

    fn places(&self) -> Vec<Place> {
        let (board, columns) = (&self.board, self.board.shape.columns);
        let place = |cell: usize| {
            let options: Vec<Move> =
                self.slides().filter(|(other, _)| *other == cell).map(|(_, slide)| slide).collect();
            let (row, column) = (cell / columns, cell % columns);
            Place {
                at: [text::TILE * column as f64, text::TILE * row as f64, text::TILE, text::TILE],
                words: format!("{}, row {}, column {}", board.label(cell), row + 1, column + 1),
                next: (!options.is_empty()).then_some(0),
                options,
                atoms: Vec::new(),
            }
        };
        (0..board.shape.cells()).filter(|&cell| cell != board.free()).map(place).collect()
    }

    fn moves(&self) -> Vec<Move> {
        self.slides().map(|(_, slide)| slide).collect()
    }

    fn after(&self, name: &str) -> Option<Self> {
        let (cell, _) = self.slides().find(|(_, slide)| slide.name == name)?;
        let mut board = self.board.clone();
        let free = board.free();
        board.tiles.swap(free, cell);
        Some(Slid { board, moves: self.moves + 1 })
    }

    fn is_won(&self) -> bool {
        self.board.tiles.iter().enumerate().all(|(cell, &tile)| usize::from(tile) == cell)
    }

    fn paid(&self) -> u64 {
        self.moves
    }

    fn left(&self, way: &Way) -> (u64, Option<String>) {
        (way.0.len() as u64, self.board.letters(&way.0).get(..1).map(str::to_owned))
    }

    fn cost(&self, cost: u64) -> String {
        native::count(cost, "move", "moves")
    }
}
