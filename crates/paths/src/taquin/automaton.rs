//! The pruning automaton: move sequences that a depth-first search need not follow.
//!
//! ```text
//!   Right Left                     leads back              forbidden: the second move
//!   R D L U R D  and  D R U L D R  reach the same board    forbidden: the sequence that comes
//!                                  (3 tiles rotated)       later in the order
//! ```
//!
//! From a given cell of the blank, two move sequences may lead to the same board whatever the tiles
//! are. Among all sequences that do, only the first one (shorter first, then in the order of
//! [`Direction::ALL`]) needs to be followed. A path that is first among the shortest from its start
//! to its end contains no other sequence, so pruning all others keeps at least one optimal path. A
//! breadth-first search from each cell finds the sequences up to a depth. Those that contain no
//! shorter forbidden sequence become the words of an automaton that reads moves and remembers the
//! longest suffix that is a prefix of a forbidden word (Aho and Corasick, 1975; the idea: Taylor
//! and Korf, *Pruning duplicate nodes in depth-first search*, 1993).
//!
//! At depth 2 the automaton only forbids undoing the last move, as in a plain search.

use std::sync::Arc;

use indexmap::IndexSet;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::shape::{Cells, Direction, Shape};

/// A deterministic automaton over the moves of the blank.
pub struct Automaton {
    /// The allowed moves of each state, padded with [`PruningState::NONE`]. The table is compact,
    /// because it competes with the pattern databases for the processor's cache.
    transitions: Vec<[PruningState; 4]>,
}

/// The cell of the blank and the state of the automaton. Given the previous cell of the blank, it
/// also represents a move: the tile on the new cell slides to the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruningState(u32);

/// Boards have fewer than 2¹¹ cells.
const CELL_BITS: u32 = 11;

impl PruningState {
    const NONE: PruningState = PruningState(u32::MAX);

    fn new(state: u32, blank: usize) -> Self {
        PruningState(state << CELL_BITS | blank as u32)
    }

    #[inline(always)]
    pub fn is_none(self) -> bool {
        self == PruningState::NONE
    }

    #[inline(always)]
    pub fn state(self) -> usize {
        (self.0 >> CELL_BITS) as usize
    }

    /// The cell of the blank.
    #[inline(always)]
    pub fn blank(self) -> usize {
        (self.0 & ((1 << CELL_BITS) - 1)) as usize
    }
}

/// A sequence of moves: two bits for each, the first one highest, after a leading 1.
type Word = u64;

impl Automaton {
    /// Returns the automaton for `shape` and `depth`, which is built once in a process.
    pub fn shared(shape: Shape, depth: usize) -> Arc<Self> {
        static BUILT: Mutex<Vec<(Shape, usize, Arc<Automaton>)>> = Mutex::new(Vec::new());
        let mut built = BUILT.lock();
        if let Some(entry) = built.iter().find(|entry| (entry.0, entry.1) == (shape, depth)) {
            return entry.2.clone();
        }
        // Bound the memory of a run over boards of many shapes.
        built.truncate(16);
        let automaton = Arc::new(Automaton::new(shape, depth));
        built.push((shape, depth, automaton.clone()));
        automaton
    }

    /// Builds the automaton with words of up to `depth` moves, 2 to 24.
    pub fn new(shape: Shape, depth: usize) -> Self {
        let words = redundant_words(shape, depth);
        // Each state is a prefix of a forbidden word. The empty ones come first, in the order of
        // their cells.
        let prefixes =
            words.iter().flat_map(|&(cell, word)| (1..length_of(word)).map(move |length| (cell, prefix(word, length))));
        let states: States = (0..shape.cells()).map(|cell| (cell, 1)).chain(prefixes).collect();
        Automaton { transitions: states.iter().map(|&state| transitions(shape, state, &states, &words)).collect() }
    }

    /// Returns the state before the first move, with the blank on `blank`.
    #[inline(always)]
    pub fn initial_state(&self, blank: usize) -> PruningState {
        PruningState::new(blank as u32, blank)
    }

    /// The allowed moves for each [`PruningState::state`], padded to four.
    pub fn transitions(&self) -> &[[PruningState; 4]] {
        &self.transitions
    }
}

fn length_of(word: Word) -> usize {
    (Word::BITS - 1 - word.leading_zeros()) as usize / 2
}

fn prefix(word: Word, length: usize) -> Word {
    word >> (2 * (length_of(word) - length))
}

/// The last `length` moves of a word.
fn suffix(word: Word, length: usize) -> Word {
    word & ((1 << (2 * length)) - 1) | 1 << (2 * length)
}

fn rank(direction: Direction) -> Word {
    Direction::ALL.iter().position(|&other| other == direction).expect("all directions are listed") as Word
}

/// Words, each with the cell on which it starts. The index of a word is its state.
type States = IndexSet<(usize, Word), FxBuildHasher>;

/// Returns the cells that the blank visits along a word, which starts on `begin`.
fn cells_on(shape: Shape, begin: usize, word: Word) -> Vec<usize> {
    let mut cells = vec![begin];
    for step in 1..=length_of(word) {
        let direction = Direction::ALL[(prefix(word, step) & 3) as usize];
        cells.push(shape.neighbour(cells[step - 1], direction).expect("words stay in the frame"));
    }
    cells
}

/// Returns the allowed moves of a state. Each leads to the longest suffix of the extended word that
/// is a state.
fn transitions(
    shape: Shape,
    (begin, word): (usize, Word),
    states: &States,
    forbidden: &FxHashSet<(usize, Word)>,
) -> [PruningState; 4] {
    let (cells, length) = (cells_on(shape, begin, word), length_of(word));
    let mut transitions = [PruningState::NONE; 4];
    let mut count = 0;
    for direction in Direction::ALL {
        let Some(cell) = shape.neighbour(cells[length], direction) else { continue };
        let longer = word << 2 | rank(direction);
        // The word and all its suffixes, the longest first.
        let mut suffixes = (0..=length).map(|cut| (cells[cut], suffix(longer, length + 1 - cut)));
        if !suffixes.clone().any(|suffix| forbidden.contains(&suffix)) {
            let next = suffixes.find_map(|suffix| states.get_index_of(&suffix)).unwrap_or(cell);
            transitions[count] = PruningState::new(next as u32, cell);
            count += 1;
        }
    }
    transitions
}

/// The forbidden words with their first cells. No word contains another.
fn redundant_words(shape: Shape, depth: usize) -> FxHashSet<(usize, Word)> {
    assert!((2..=24).contains(&depth), "words have two moves and fit 64 bits");
    let mut words = FxHashSet::default();
    for cell in 0..shape.cells() {
        let moves = Direction::ALL.into_iter().filter(|&direction| shape.neighbour(cell, direction).is_some());
        words.extend(moves.map(|direction| (cell, (4 | rank(direction)) << 2 | inverse(rank(direction)))));
        // Boards for which depth 2 is enough may be too large for the search below.
        if depth > 2 {
            add_duplicates(shape, cell, depth, &mut words);
        }
    }
    // Words that contain another one are redundant and would only enlarge the automaton. The search
    // extends only words that contain no forbidden word, so a contained word must be a suffix.
    let contains_another = |begin: usize, word: Word| {
        let (cells, length) = (cells_on(shape, begin, word), length_of(word));
        (1..length - 1).any(|cut| words.contains(&(cells[cut], suffix(word, length - cut))))
    };
    words.iter().copied().filter(|&(begin, word)| !contains_another(begin, word)).collect()
}

/// Returns the rank of the opposite direction.
fn inverse(rank: Word) -> Word {
    3 - rank
}

/// Adds the duplicates found by a breadth-first search from `begin`: the first word that reaches a
/// board is allowed, every later one is forbidden. Each layer is sorted by word, since the previous
/// layer is sorted.
fn add_duplicates(shape: Shape, begin: usize, depth: usize, words: &mut FxHashSet<(usize, Word)>) {
    let tiles: Vec<u16> = (0..shape.cells() as u16).collect();
    let start = u128::pack(&tiles);
    let mut visited = FxHashSet::from_iter([start]);
    let mut layer = vec![(start, begin, 1 as Word)];
    for _ in 0..depth {
        let mut next = Vec::new();
        for &(board, cell, word) in &layer {
            for direction in Direction::ALL {
                let Some(to) = shape.neighbour(cell, direction) else { continue };
                if word > 1 && word & 3 == inverse(rank(direction)) {
                    continue;
                }
                // Each tile is represented by its initial cell.
                let (board, longer) = (board.slide(board.get(to), to, cell, begin), word << 2 | rank(direction));
                if visited.insert(board) {
                    next.push((board, to, longer));
                } else {
                    words.insert((begin, longer));
                }
            }
        }
        layer = next;
    }
}
