//! Why a board cannot be solved: its parity, shown by the cycles in which the tiles would have to go home.
//!
//! A cycle of n tiles comes home by n − 1 exchanges of two, and every move is one exchange, of a tile with the free cell, and
//! one step of the free cell. So the exchanges and the steps that the free cell is from its goal are even together, or odd
//! together: forever.
//!
//! ```text
//!   2 1 3        (1 2): one exchange, but the free cell is at home, 0 steps away
//!   4 5 6
//!   7 8 .
//! ```

use super::board::Board;
use super::shape::Shape;
use crate::puzzle::native::count;
use crate::why::{Kind, Part};

/// Tiles on a single line that would have to pass each other, or a parity that no move changes.
pub enum Cause {
    /// Two cells, the first of them before the second; their tiles belong the other way round.
    Order([usize; 2]),
    Parity(Parity),
}

pub struct Parity {
    /// Cells, each with the tile that belongs to the next one.
    pub cycles: Vec<Vec<usize>>,
    /// Of the free cell from its goal.
    pub steps: usize,
}

impl Parity {
    /// Of two, until all are at home.
    fn exchanges(&self) -> usize {
        self.cycles.iter().map(|cycle| cycle.len() - 1).sum()
    }
}

/// Why there is no solution, if there is none.
pub fn cause(board: &Board) -> Option<Cause> {
    let Shape { rows, columns, home } = board.shape;
    let free = board.free();
    if rows == 1 || columns == 1 {
        let tiles: Vec<usize> = (0..board.tiles.len()).filter(|&cell| cell != free).collect();
        let pair = tiles.windows(2).find(|pair| board.tiles[pair[0]] > board.tiles[pair[1]]);
        return pair.map(|pair| Cause::Order([pair[0], pair[1]]));
    }
    let mut seen = vec![false; board.tiles.len()];
    let mut cycles = Vec::new();
    for cell in 0..board.tiles.len() {
        let (mut cycle, mut next) = (Vec::new(), cell);
        while !std::mem::replace(&mut seen[next], true) {
            cycle.push(next);
            next = usize::from(board.tiles[next]);
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    let parity = Parity { cycles, steps: board.shape.distance(free, home) };
    (parity.exchanges() % 2 != parity.steps % 2).then_some(Cause::Parity(parity))
}

/// "even" or "odd".
fn word(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "even" } else { "odd" }
}

impl Cause {
    /// In a sentence without its end.
    pub fn summary(&self) -> String {
        match self {
            Cause::Order(_) => {
                "on a single line the tiles cannot pass each other, and they are in another order".to_owned()
            }
            Cause::Parity(parity) => format!(
                "the goal is an {} permutation of the board, but the free cell is an {} number of steps from its goal; \
                 every move changes both",
                word(parity.exchanges()),
                word(parity.steps)
            ),
        }
    }

    pub fn parts(&self, board: &Board) -> Vec<Part> {
        let part = |kind: Kind, text: String, words: String| Part { kind, text, place: None, words };
        let label = |&cell: &usize| match board.label(cell) {
            "" => "free".to_owned(),
            label => label.to_owned(),
        };
        match self {
            Cause::Order([first, second]) => {
                let [first, second] = [first, second].map(label);
                let words = format!("tile {first} stands before tile {second}, and belongs behind it");
                let rule = "on a single line no tile passes another".to_owned();
                vec![part(Kind::Fact, format!("{first} {second}"), words), part(Kind::Rule, rule.clone(), rule)]
            }
            Cause::Parity(parity) => {
                let cycle = |cells: &Vec<usize>| format!("({})", cells.iter().map(label).collect::<Vec<_>>().join(" "));
                let cycles: Vec<String> = parity.cycles.iter().map(cycle).collect();
                let exchanges = parity.exchanges();
                let home = match &cycles[..] {
                    [] => "all tiles are at home, which takes 0 exchanges of two: even".to_owned(),
                    cycles => format!(
                        "each tile belongs where the next of its cycle lies: {}; a cycle of n takes n − 1 exchanges of two, \
                         {exchanges} in all: {}",
                        cycles.join(" "),
                        word(exchanges)
                    ),
                };
                let steps = count(parity.steps, "step", "steps");
                let free = format!("the free cell is {steps} from its goal: {}", word(parity.steps));
                let rule = "every move is one exchange and one step of the free cell: the two numbers stay even together, or odd \
                            together";
                vec![
                    part(Kind::Fact, cycles.join(""), home),
                    part(Kind::Fact, "the free cell".to_owned(), free),
                    part(Kind::Rule, "a move".to_owned(), rule.to_owned()),
                ]
            }
        }
    }
}
