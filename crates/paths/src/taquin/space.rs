//! The search space of sliding-tile puzzles.

use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;

use statespace::search::{Cost, Space, Step};

use super::automaton::{Automaton, PruningState};
use super::shape::{Cells, Shape};

/// A heuristic that is updated incrementally.
pub trait Heuristic: Sync {
    /// The state of the heuristic for a board.
    type Memory: Clone + Send + Sync;
    /// Computes the state for a board from scratch; `tiles[cell]` is a tile.
    fn initial_memory(&self, tiles: &[u16]) -> Self::Memory;
    fn value(&self, memory: &Self::Memory) -> Cost;
    /// Returns the state and the value after a slide; `cells` is the board after it. The update may
    /// stop as soon as the value is known to exceed `most`: the returned value is then a lower
    /// bound, and the state is invalid.
    fn update(&self, memory: &Self::Memory, slide: Slide, cells: &impl Cells, most: Cost) -> (Self::Memory, Cost);
}

/// The slide of a tile from one cell to another.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slide {
    pub tile: usize,
    pub from: usize,
    pub to: usize,
}

/// A board and the state of the heuristic. The position of the blank is part of the pruning state.
#[derive(Clone)]
pub struct Position<C, M> {
    pub cells: C,
    memory: M,
}

impl<C: Cells, M> PartialEq for Position<C, M> {
    fn eq(&self, other: &Self) -> bool {
        self.cells == other.cells
    }
}

impl<C: Cells, M> Eq for Position<C, M> {}

impl<C: Cells, M> Hash for Position<C, M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.cells.hash(state);
    }
}

/// The search space of a board and a heuristic.
pub struct Sliding<'a, C, H> {
    pub shape: Shape,
    start: Vec<u16>,
    goal: C,
    pub heuristic: &'a H,
    automaton: &'a Automaton,
    /// The transitions of `automaton`, borrowed to save an indirection.
    transitions: &'a [[PruningState; 4]],
}

impl<'a, C: Cells, H: Heuristic> Sliding<'a, C, H> {
    pub fn new(shape: Shape, start: &[u16], heuristic: &'a H, automaton: &'a Automaton) -> Self {
        let goal: Vec<u16> = (0..shape.cells() as u16).collect();
        Sliding {
            shape,
            start: start.to_vec(),
            goal: C::pack(&goal),
            heuristic,
            automaton,
            transitions: automaton.transitions(),
        }
    }
}

impl<C: Cells, H: Heuristic> Space for Sliding<'_, C, H> {
    type State = Position<C, H::Memory>;
    /// The cell whose tile slides into the blank.
    type Move = u16;
    type Pruning = PruningState;

    fn start(&self) -> Self::State {
        Position { cells: C::pack(&self.start), memory: self.heuristic.initial_memory(&self.start) }
    }

    #[inline(always)]
    fn is_goal(&self, state: &Self::State) -> bool {
        state.cells == self.goal
    }

    fn initial_pruning(&self, state: &Self::State) -> PruningState {
        let blank = (0..self.shape.cells()).find(|&cell| state.cells.get(cell) == self.shape.home);
        self.automaton.initial_state(blank.expect("a board has a free cell"))
    }

    #[inline(always)]
    fn successors(
        &self,
        state: &Self::State,
        pruning: PruningState,
        budget: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let most = budget.map_or(Cost::MAX, |budget| budget.saturating_sub(1));
        for next in self.transitions[pruning.state()] {
            if next.is_none() {
                break;
            }
            let (from, to) = (next.blank(), pruning.blank());
            let slide = Slide { tile: state.cells.get(from), from, to };
            let cells = state.cells.slide(slide.tile, from, to, self.shape.home);
            let (memory, estimate) = self.heuristic.update(&state.memory, slide, &cells, most);
            let state = Position { cells, memory };
            visit(Step { action: from as u16, cost: 1, estimate, state, pruning: next })?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn heuristic(&self, state: &Self::State) -> Cost {
        self.heuristic.value(&state.memory)
    }
}
