//! Explains why a board cannot be solved: by its parity, which is shown by the cycles of the
//! permutation that takes the tiles to their goal cells.
//!
//! A cycle of n tiles is resolved by n − 1 transpositions, and every move is one transposition, of
//! a tile with the blank, and one step of the blank. So the number of transpositions and the
//! distance of the blank from its goal always keep the same relative parity.
//!
//! ```text
//!   2 1 3   (1 2): one transposition, but the blank is at home, 0 steps away
//!   4 5 6
//!   7 8 .
//! ```

use explain::{Part, PartKind};
use puzzle::native::{PathProof, count};
use puzzle::one_player::ExplainBoard;

use super::board::{Board, Goal};
use super::options::Taquin;
use super::shape::Shape;

impl ExplainBoard<Taquin> for Taquin {
    fn obstacle(&self, board: &Board) -> Option<PathProof> {
        let found = cause(board)?;
        let proof = PathProof::unsolvable(Some(found.summary()), found.parts(board), true);
        let other = solvable_goals(board).into_iter().next();
        Some(PathProof { solvable_to: other.and_then(|(goal, _)| goal.name()), ..proof })
    }
}

/// Returns the board with each of the other usual goals that it can be solved to.
pub fn solvable_goals(board: &Board) -> Vec<(Goal, Board)> {
    let mut boards = board.with_other_goals();
    boards.retain(|(_, other)| cause(other).is_none());
    boards
}

/// The cause of unsolvability: two tiles on a single line that would have to pass each other, or a
/// parity that no move changes.
pub enum Cause {
    /// Two cells, the first before the second, whose tiles belong in the opposite order.
    Order([usize; 2]),
    Parity(Parity),
}

pub struct Parity {
    /// The cycles of cells: the goal of the tile on each cell is the next cell of the cycle.
    pub cycles: Vec<Vec<usize>>,
    /// Distance of the blank from its goal.
    pub steps: usize,
}

impl Parity {
    /// Returns the number of transpositions that take all tiles to their goal cells.
    fn transpositions(&self) -> usize {
        self.cycles.iter().map(|cycle| cycle.len() - 1).sum()
    }
}

/// Returns the cause of unsolvability, or `None` if the board is solvable.
pub fn cause(board: &Board) -> Option<Cause> {
    let Shape { rows, columns, home } = board.shape;
    let blank = board.blank();
    if rows == 1 || columns == 1 {
        let tiles: Vec<usize> = (0..board.tiles.len()).filter(|&cell| cell != blank).collect();
        let pair = tiles.windows(2).find(|pair| board.tiles[pair[0]] > board.tiles[pair[1]]);
        return pair.map(|pair| Cause::Order([pair[0], pair[1]]));
    }
    let mut visited = vec![false; board.tiles.len()];
    let mut cycles = Vec::new();
    for cell in 0..board.tiles.len() {
        let mut cycle = Vec::new();
        let mut next = cell;
        while !std::mem::replace(&mut visited[next], true) {
            cycle.push(next);
            next = usize::from(board.tiles[next]);
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    let parity = Parity { cycles, steps: board.shape.distance(blank, home) };
    (parity.transpositions() % 2 != parity.steps % 2).then_some(Cause::Parity(parity))
}

fn parity_word(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "even" } else { "odd" }
}

impl Cause {
    /// Returns a sentence without its final period.
    pub fn summary(&self) -> String {
        match self {
            Cause::Order(_) => {
                "on a single line the tiles cannot pass each other, but their order is not that of the goal".to_owned()
            }
            Cause::Parity(parity) => format!(
                "the goal is an {} permutation of the board, but the blank cell is an {} number of steps from its goal; \
                 every move changes both",
                parity_word(parity.transpositions()),
                parity_word(parity.steps)
            ),
        }
    }

    pub fn parts(&self, board: &Board) -> Vec<Part> {
        let label = |&cell: &usize| match board.label(cell) {
            "" => "free".to_owned(),
            label => label.to_owned(),
        };
        match self {
            Cause::Order([first, second]) => {
                let [first, second] = [first, second].map(label);
                let words = format!("tile {first} is before tile {second}, but belongs after it");
                let rule = "on a single line no tile passes another".to_owned();
                vec![
                    Part::new(PartKind::Fact, format!("{first} {second}"), words),
                    Part::new(PartKind::Rule, rule.clone(), rule),
                ]
            }
            Cause::Parity(parity) => {
                let cycle = |cells: &Vec<usize>| format!("({})", cells.iter().map(label).collect::<Vec<_>>().join(" "));
                let cycles: Vec<String> = parity.cycles.iter().map(cycle).collect();
                let transpositions = parity.transpositions();
                let permutation_words = match &cycles[..] {
                    [] => "all tiles are at home, which takes 0 exchanges of two: even".to_owned(),
                    cycles => format!(
                        "each tile belongs where the next of its cycle lies: {}; a cycle of n takes n − 1 exchanges of two, \
                         {transpositions} in all: {}",
                        cycles.join(" "),
                        parity_word(transpositions)
                    ),
                };
                let steps = count(parity.steps, "step", "steps");
                let blank_words = format!("the free cell is {steps} from its goal: {}", parity_word(parity.steps));
                let rule = "every move is one exchange and one step of the blank cell: the two numbers stay even together, or odd \
                            together";
                vec![
                    Part::new(PartKind::Fact, cycles.join(""), permutation_words),
                    Part::new(PartKind::Fact, "the free cell", blank_words),
                    Part::new(PartKind::Rule, "a move", rule.to_owned()),
                ]
            }
        }
    }
}
