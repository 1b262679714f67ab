//! A straightforward search space: every cell is stored, every move is generated, and no result is
//! precomputed.
//!
//! For teaching: `backtracking` tries all paths, and `memo` stores the remaining cost of every
//! state. Both agree with the search for detours, but they are slower.

use std::ops::ControlFlow;

use statespace::search::{Cost, Space, Step};

use super::burrow::{Burrow, Kind, column_of_room, column_of_stop, step_cost};
use super::moves::{Move, Place};

/// The cells: the stops of the hallway, then the rooms one after the other, each from top to
/// bottom. An empty cell is 0, an amphipod is its kind plus one.
pub type State = Box<[u8]>;

pub struct PlainSpace {
    start: State,
    rooms: usize,
    depth: usize,
}

impl PlainSpace {
    pub fn new(burrow: &Burrow) -> Self {
        let cells = burrow.hallway.iter().chain(burrow.rooms.iter().flatten());
        let start = cells.map(|cell| cell.map_or(0, |kind| kind + 1)).collect();
        PlainSpace { start, rooms: burrow.rooms.len(), depth: burrow.depth }
    }

    fn stops(&self) -> usize {
        self.rooms + 3
    }

    fn room<'a>(&self, state: &'a State, room: usize) -> &'a [u8] {
        let begin = self.stops() + room * self.depth;
        &state[begin..begin + self.depth]
    }

    fn cell(&self, place: Place) -> usize {
        match place {
            Place::Stop(stop) => stop,
            Place::Room(room, level) => self.stops() + room * self.depth + level,
        }
    }

    /// Returns true if all stops strictly between two columns are free.
    fn is_free(&self, state: &State, from: usize, to: usize) -> bool {
        (0..self.stops()).all(|stop| {
            let column = column_of_stop(self.rooms, stop);
            state[stop] == 0 || column <= from.min(to) || column >= from.max(to)
        })
    }

    fn step(&self, state: &State, kind: Kind, from: Place, to: Place) -> Step<Self> {
        let action = Move { kind, from, to };
        let mut after = state.clone();
        after.swap(self.cell(from), self.cell(to));
        let cost = (action.steps(self.rooms) as u64 * step_cost(kind)) as Cost;
        Step { action, cost, estimate: 0, state: after, pruning: () }
    }
}

impl Space for PlainSpace {
    type State = State;
    type Move = Move;
    type Pruning = ();

    fn start(&self) -> State {
        self.start.clone()
    }

    fn is_goal(&self, state: &State) -> bool {
        state[..self.stops()].iter().all(|&cell| cell == 0)
            && (0..self.rooms)
                .all(|room| self.room(state, room).iter().all(|&cell| cell == 0 || usize::from(cell) == room + 1))
    }

    fn initial_pruning(&self, _: &State) {}

    fn successors(
        &self,
        state: &State,
        (): (),
        _: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Moves home from the hallway.
        for stop in (0..self.stops()).filter(|&stop| state[stop] > 0) {
            let home = usize::from(state[stop]) - 1;
            let room = self.room(state, home);
            let is_open = room.iter().all(|&cell| cell == 0 || usize::from(cell) == home + 1);
            if is_open && self.is_free(state, column_of_stop(self.rooms, stop), column_of_room(home)) {
                let level = room.iter().rposition(|&cell| cell == 0).expect("its room has a cell for each of its kind");
                visit(self.step(state, home as Kind, Place::Stop(stop), Place::Room(home, level)))?;
            }
        }
        // Moves out of a room.
        for number in 0..self.rooms {
            let room = self.room(state, number);
            let Some(level) = room.iter().position(|&cell| cell > 0) else { continue };
            if room[level..].iter().all(|&cell| usize::from(cell) == number + 1) {
                continue;
            }
            for stop in (0..self.stops()).filter(|&stop| state[stop] == 0) {
                if self.is_free(state, column_of_room(number), column_of_stop(self.rooms, stop)) {
                    visit(self.step(state, room[level] - 1, Place::Room(number, level), Place::Stop(stop)))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
