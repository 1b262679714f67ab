//! The taquin as a space to search.

use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;

use super::automaton::{Automaton, Trail};
use super::shape::{Cells, Shape};
use crate::search::{Cost, Space, Step};

/// A heuristic that is kept up to date from move to move.
pub trait Heuristic: Sync {
    /// What it needs of a board.
    type Memory: Clone + Send + Sync;
    /// Of a whole board; `tiles[cell]` is a tile.
    fn first(&self, tiles: &[u16]) -> Self::Memory;
    fn value(&self, memory: &Self::Memory) -> Cost;
    /// After a tile went from one cell to another; `cells` is the board after that. Gives up as soon as the value is known to
    /// exceed `most`; it is then a lower bound, and the rest means nothing.
    fn after(&self, memory: &Self::Memory, slide: Slide, cells: &impl Cells, most: Cost) -> (Self::Memory, Cost);
}

/// A tile goes from one cell to another.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slide {
    pub tile: usize,
    pub from: usize,
    pub to: usize,
}

/// A board, and what the heuristic keeps. Where the free cell is, the trail knows.
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

/// A board to solve with a heuristic.
pub struct Sliding<'a, C, H> {
    pub shape: Shape,
    start: Vec<u16>,
    goal: C,
    pub heuristic: &'a H,
    automaton: &'a Automaton,
    /// Those of the automaton, at hand.
    turns: &'a [[Trail; 4]],
}

impl<'a, C: Cells, H: Heuristic> Sliding<'a, C, H> {
    pub fn new(shape: Shape, start: &[u16], heuristic: &'a H, automaton: &'a Automaton) -> Self {
        let goal: Vec<u16> = (0..shape.cells() as u16).collect();
        Sliding { shape, start: start.to_vec(), goal: C::pack(&goal), heuristic, automaton, turns: automaton.turns() }
    }
}

impl<C: Cells, H: Heuristic> Space for Sliding<'_, C, H> {
    type State = Position<C, H::Memory>;
    /// The cell whose tile goes to the free cell.
    type Move = u16;
    type Trail = Trail;

    fn start(&self) -> Self::State {
        Position { cells: C::pack(&self.start), memory: self.heuristic.first(&self.start) }
    }

    #[inline(always)]
    fn is_goal(&self, state: &Self::State) -> bool {
        state.cells == self.goal
    }

    fn no_trail(&self, state: &Self::State) -> Trail {
        let free = (0..self.shape.cells()).find(|&cell| state.cells.get(cell) == self.shape.home);
        self.automaton.no_trail(free.expect("a board has a free cell"))
    }

    #[inline(always)]
    fn successors(
        &self,
        state: &Self::State,
        trail: Trail,
        budget: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let most = budget.map_or(Cost::MAX, |budget| budget.saturating_sub(1));
        for turn in self.turns[trail.state()] {
            if turn.is_none() {
                break;
            }
            let (from, to) = (turn.free(), trail.free());
            let slide = Slide { tile: state.cells.get(from), from, to };
            let cells = state.cells.slide(slide.tile, from, to, self.shape.home);
            let (memory, estimate) = self.heuristic.after(&state.memory, slide, &cells, most);
            let state = Position { cells, memory };
            visit(Step { action: from as u16, cost: 1, estimate, state, trail: turn })?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn estimate(&self, state: &Self::State) -> Cost {
        self.heuristic.value(&state.memory)
    }
}
