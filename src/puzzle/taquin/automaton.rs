//! Which sequences of moves a depth-first search need not follow.
//!
//! ```text
//!   Right Left                    leads nowhere                         forbidden: the second move
//!   R D L U R D  and  D R U L D R lead to the same board (a turn        forbidden: the one that
//!   of the same three tiles)                                            comes later in the order
//! ```
//!
//! Different sequences from one cell of the free cell lead to the same board whatever the tiles are. Of all that do, only
//! the first in the order (shorter first, then in the order of [`Direction::ALL`]) need be followed. A way that is first
//! among the shortest from its start to its end has no other sequence inside, so that cutting every other sequence keeps at
//! least one optimal way. A breadth-first search from each cell to a depth finds the sequences; those whose own parts are
//! not forbidden already become the words of an automaton that reads moves and remembers the longest end that may still
//! become a forbidden word (Aho and Corasick, 1975; the idea: Taylor and Korf, *Pruning duplicate nodes in depth-first
//! search*, 1993).
//!
//! To depth 2 the automaton only forbids turning back: that is the plain search.

use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::shape::{Cells, Direction, Shape};

/// Reads moves of the free cell.
pub struct Automaton {
    /// For each state, its moves; [`Trail::NONE`] after the last. Packed tight: the automaton shares the cache with tables.
    turns: Vec<[Trail; 4]>,
}

/// What of the way to a board matters: where the free cell is, and the state of the automaton. It stands for the last move as
/// well, in which the tile of that cell went to where the free cell was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trail(u32);

/// Boards have fewer cells than fit so many bits.
const CELL_BITS: u32 = 11;

impl Trail {
    const NONE: Trail = Trail(u32::MAX);

    fn new(state: u32, free: usize) -> Self {
        Trail(state << CELL_BITS | free as u32)
    }

    #[inline(always)]
    pub fn is_none(self) -> bool {
        self == Trail::NONE
    }

    #[inline(always)]
    pub fn state(self) -> usize {
        (self.0 >> CELL_BITS) as usize
    }

    /// Where the free cell is.
    #[inline(always)]
    pub fn free(self) -> usize {
        (self.0 & ((1 << CELL_BITS) - 1)) as usize
    }
}

/// A sequence of moves: two bits for each, the first one highest, behind a leading 1.
type Word = u64;

impl Automaton {
    /// The one that was built before in this process, or a new one.
    pub fn shared(shape: Shape, depth: usize) -> Arc<Self> {
        static BUILT: Mutex<Vec<(Shape, usize, Arc<Automaton>)>> = Mutex::new(Vec::new());
        let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = built.iter().find(|known| (known.0, known.1) == (shape, depth)) {
            return known.2.clone();
        }
        // Boards of many shapes in one run are not worth more memory.
        built.truncate(16);
        let automaton = Arc::new(Automaton::new(shape, depth));
        built.push((shape, depth, automaton.clone()));
        automaton
    }

    /// `depth`: the longest words; at least 2, at most 24.
    pub fn new(shape: Shape, depth: usize) -> Self {
        let words = redundant_words(shape, depth);
        // Each state is a beginning of a forbidden word: first the empty ones, by their cells.
        let beginnings = words
            .iter()
            .flat_map(|&(cell, word)| (1..length_of(word)).map(move |length| (cell, beginning(word, length))));
        let states: States = (0..shape.cells()).map(|cell| (cell, 1)).chain(beginnings).collect();
        Automaton { turns: states.iter().map(|&state| turns(shape, state, &states, &words)).collect() }
    }

    /// The state in which nothing is known of the way.
    #[inline(always)]
    pub fn no_trail(&self, free: usize) -> Trail {
        Trail::new(free as u32, free)
    }

    /// What may be done next, for each [`Trail::state`].
    pub fn turns(&self) -> &[[Trail; 4]] {
        &self.turns
    }
}

fn length_of(word: Word) -> usize {
    (Word::BITS - 1 - word.leading_zeros()) as usize / 2
}

fn beginning(word: Word, length: usize) -> Word {
    word >> (2 * (length_of(word) - length))
}

/// Without its first moves.
fn ending(word: Word, length: usize) -> Word {
    word & ((1 << (2 * length)) - 1) | 1 << (2 * length)
}

fn rank(direction: Direction) -> Word {
    Direction::ALL.iter().position(|&other| other == direction).expect("all directions are listed") as Word
}

/// Words, each with the cell where it begins.
type States = IndexSet<(usize, Word), FxBuildHasher>;

/// The cells on the way of a word.
fn cells_on(shape: Shape, begin: usize, word: Word) -> Vec<usize> {
    let mut cells = vec![begin];
    for step in 1..=length_of(word) {
        let direction = Direction::ALL[(beginning(word, step) & 3) as usize];
        cells.push(shape.neighbour(cells[step - 1], direction).expect("words stay in the frame"));
    }
    cells
}

/// What may be done in a state, and the state after it: the longest end of the way that is one.
fn turns(
    shape: Shape,
    (begin, word): (usize, Word),
    states: &States,
    forbidden: &FxHashSet<(usize, Word)>,
) -> [Trail; 4] {
    let (cells, length) = (cells_on(shape, begin, word), length_of(word));
    let mut turns = [Trail::NONE; 4];
    let mut count = 0;
    for direction in Direction::ALL {
        let Some(cell) = shape.neighbour(cells[length], direction) else { continue };
        let longer = word << 2 | rank(direction);
        // The word and all its endings, the longest first.
        let mut endings = (0..=length).map(|cut| (cells[cut], ending(longer, length + 1 - cut)));
        if !endings.clone().any(|ending| forbidden.contains(&ending)) {
            let next = endings.find_map(|ending| states.get_index_of(&ending)).unwrap_or(cell);
            turns[count] = Trail::new(next as u32, cell);
            count += 1;
        }
    }
    turns
}

/// The forbidden words with their first cells. None has another inside.
fn redundant_words(shape: Shape, depth: usize) -> FxHashSet<(usize, Word)> {
    assert!((2..=24).contains(&depth), "words have two moves and fit 64 bits");
    let mut words = FxHashSet::default();
    for cell in 0..shape.cells() {
        let ways = Direction::ALL.into_iter().filter(|&direction| shape.neighbour(cell, direction).is_some());
        words.extend(ways.map(|direction| (cell, (4 | rank(direction)) << 2 | back(rank(direction)))));
        // Boards of which no more is wanted may be large.
        if depth > 2 {
            grow(shape, cell, depth, &mut words);
        }
    }
    // Words that hold another one are superfluous, and would only make the automaton larger. Without its last move a word
    // holds none, since it was followed: another one stands at its end.
    let holds_another = |begin: usize, word: Word| {
        let (cells, length) = (cells_on(shape, begin, word), length_of(word));
        (1..length - 1).any(|cut| words.contains(&(cells[cut], ending(word, length - cut))))
    };
    words.iter().copied().filter(|&(begin, word)| !holds_another(begin, word)).collect()
}

/// The move that undoes another.
fn back(rank: Word) -> Word {
    3 - rank
}

/// A breadth-first search from one cell: the first word that reaches a board stays, every later one is forbidden. A layer
/// is in the order of its words, since the one before it was.
fn grow(shape: Shape, begin: usize, depth: usize, words: &mut FxHashSet<(usize, Word)>) {
    let tiles: Vec<u16> = (0..shape.cells() as u16).collect();
    let start = u128::pack(&tiles);
    let mut seen = FxHashSet::from_iter([start]);
    let mut layer = vec![(start, begin, 1 as Word)];
    for _ in 0..depth {
        let mut next = Vec::new();
        for &(board, cell, word) in &layer {
            for direction in Direction::ALL {
                let Some(to) = shape.neighbour(cell, direction) else { continue };
                if word > 1 && word & 3 == back(rank(direction)) {
                    continue;
                }
                // The tiles keep the names of their first cells.
                let (board, longer) = (board.slide(board.get(to), to, cell, begin), word << 2 | rank(direction));
                if seen.insert(board) {
                    next.push((board, to, longer));
                } else {
                    words.insert((begin, longer));
                }
            }
        }
        layer = next;
    }
}
