//! The amphipods as a search for the cheapest detours.
//!
//! What everybody pays at the least is known beforehand: the way up from where they are, the way along the hallway to their
//! own door, the way down to the cells that are still to be filled, which somebody of the kind pays, whoever it is. An amphipod
//! above whose own room it is, but with a stranger below, has to step aside and back: two steps. The rest is detours: who leaves
//! a room and stops at a place that is not between the two doors pays for the way there and back.
//!
//! **A way home is taken at once.** It costs nothing beyond that least sum, and only makes room. So a state is what remains
//! after all ways home: how many have left each room, and who stands in the hallway. A move of the search takes the topmost
//! stranger of a room to a stopping place.
//!
//! **Who must make a detour.** The heuristic counts detours of two steps, the smallest there are:
//!
//! ```text
//!   #.....................#    Each of B and A must be out of its room before the other can enter. Whoever leaves first waits in
//!   ###B#####...#####A#####    the hallway when the other one leaves; if it waits between the two doors, the other can only
//!     room A          room B   leave to the outside, else they would block each other for ever. So of all that change
//!                              places between two rooms, one side makes detours: at least the cheaper side.
//!
//!   #......B..............#    B waits for room B. A, who is in it, must go past B, and B past A: A cannot wait
//!   ###.#####...#####A#####    between, and leaves to the other side: a detour.
//! ```
//!
//! **Deadlocks.** Two in the hallway, each on the other's way home, are stuck; such a state is dropped when it is made. And until
//! its room is clear, nobody goes home: so when the next room becomes clear, all who had to leave it and whose own
//! rooms are not clear stand in the hallway, on stops that can be reached from its door past those who stand there now. If
//! no room has so many stops left, the state is dropped, too. The question is asked again with that room clear and
//! whoever belongs there gone, until all are.
//!
//! **The search.** A*: the values of g + h are few and far apart, and every
//! state is met from many sides (who leaves first seldom matters), so that IDA*, which remembers none, expands a hundred times
//! as many on burrows of depth 4. `cargo bench --bench search` shows both.
//!
//! Tried and lost: working out the cheapest way to clear each room with the order of those who leave it, and the cheapest order
//! of the rooms, as a heuristic. It saved a fifth of the states and took twice as long for each.
//!
//! The number of rooms is a constant of the type, so that the loops over rooms are unrolled: a third of the time.

use std::ops::ControlFlow;

use super::burrow::{Burrow, Kind, column_of_room, column_of_stop, price};
use super::moves::{Move, Place};
use crate::search::{Cost, Space, Step, UNREACHABLE};

/// What does not change during a search.
pub struct Detours<const ROOMS: usize> {
    start: State,
    /// For each room, the strangers and those above them, the topmost first.
    leavers: [[Kind; 8]; ROOMS],
    /// The levels on which they are.
    levels: Vec<Vec<usize>>,
    /// How many of a room must leave.
    must_leave: [u8; ROOMS],
    /// For each room and each kind, what it costs to go from the room to a stop and on to the kind's room, beyond the least.
    detours: [[[Cost; 16]; ROOMS]; ROOMS],
    /// For each room, how many have left, and each kind: twice the price of all of the kind that are still to leave.
    waiting: [[[Cost; ROOMS]; 16]; ROOMS],
    /// For each room and how many have left: four bits for each kind, how many of it are still to leave.
    crowds: [[u32; 16]; ROOMS],
    /// For each stop and kind, the stops that must be free for the way home.
    way_home: [[u16; ROOMS]; 16],
    /// For each pair of rooms, the stops between the doors.
    between: [[u16; ROOMS]; ROOMS],
    /// What all pay at the least.
    pub least: u64,
}

/// What remains when all ways home are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// For each stop, four bits: 0 for nobody, or the kind plus one.
    hallway: u64,
    /// For each room, four bits: how many have left.
    left: u32,
}

/// The topmost of a room goes to a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leave {
    pub room: u8,
    pub stop: u8,
}

impl State {
    /// Before anybody moves.
    fn of(burrow: &Burrow) -> Self {
        let stops = burrow.hallway.iter().enumerate();
        let hallway = stops.map(|(stop, kind)| kind.map_or(0, |kind| u64::from(kind) + 1) << (4 * stop)).sum();
        State { hallway, left: 0 }
    }

    #[inline(always)]
    fn kind_at(self, stop: usize) -> usize {
        (self.hallway >> (4 * stop) & 15) as usize
    }

    #[inline(always)]
    fn left(self, room: usize) -> usize {
        (self.left >> (4 * room) & 15) as usize
    }

    /// A bit for each stop where somebody stands.
    #[inline(always)]
    fn taken(self) -> u16 {
        let mut taken = 0;
        let mut rest = self.hallway;
        while rest != 0 {
            let stop = rest.trailing_zeros() / 4;
            taken |= 1 << stop;
            rest &= !(15 << (4 * stop));
        }
        taken
    }
}

impl<const ROOMS: usize> Detours<ROOMS> {
    pub fn new(burrow: &Burrow) -> Self {
        assert_eq!(burrow.rooms.len(), ROOMS, "a search is made for a number of rooms");
        let (rooms, stops) = (ROOMS, ROOMS + 3);
        let mut detours = Detours {
            start: State::of(burrow),
            leavers: [[0; 8]; ROOMS],
            levels: Vec::with_capacity(rooms),
            must_leave: [0; ROOMS],
            detours: [[[0; 16]; ROOMS]; ROOMS],
            waiting: [[[0; ROOMS]; 16]; ROOMS],
            crowds: [[0; 16]; ROOMS],
            way_home: [[0; ROOMS]; 16],
            between: [[0; ROOMS]; ROOMS],
            least: 0,
        };
        let columns: Vec<usize> = (0..stops).map(|stop| column_of_stop(rooms, stop)).collect();
        let stops_between = |a: usize, b: usize| -> u16 {
            (0..stops).filter(|&stop| columns[stop] > a.min(b) && columns[stop] < a.max(b)).map(|stop| 1 << stop).sum()
        };
        let mut to_enter = [0usize; 8];
        for (number, room) in burrow.rooms.iter().enumerate() {
            let door = column_of_room(number);
            for kind in 0..rooms {
                let home = column_of_room(kind);
                let least = if kind == number { 2 } else { door.abs_diff(home) };
                for (stop, &column) in columns.iter().enumerate() {
                    let steps = door.abs_diff(column) + column.abs_diff(home) - least;
                    detours.detours[number][kind][stop] = steps as Cost * price(kind as Kind) as Cost;
                }
                detours.between[number][kind] = stops_between(door, home);
            }
            // Those at home lie at the bottom.
            let settled = room.iter().rev().take_while(|cell| **cell == Some(number as Kind)).count();
            let (mut leavers, mut levels) = (Vec::new(), Vec::new());
            for (level, kind) in room[..burrow.depth - settled].iter().enumerate() {
                let Some(kind) = *kind else { continue };
                let home = usize::from(kind);
                let along = if home == number { 2 } else { door.abs_diff(column_of_room(home)) };
                detours.least += (level + 1 + along) as u64 * price(kind);
                to_enter[home] += 1;
                leavers.push(kind);
                levels.push(level);
            }
            detours.must_leave[number] = leavers.len() as u8;
            for left in 0..=leavers.len() {
                detours.crowds[number][left] = leavers[left..].iter().map(|kind| 1 << (4 * kind)).sum();
                for &kind in leavers[left..].iter().filter(|&&kind| usize::from(kind) != number) {
                    detours.waiting[number][left][usize::from(kind)] += 2 * price(kind) as Cost;
                }
            }
            detours.leavers[number][..leavers.len()].copy_from_slice(&leavers);
            detours.levels.push(levels);
        }
        for (stop, &column) in columns.iter().enumerate() {
            for kind in 0..rooms {
                detours.way_home[stop][kind] = stops_between(column, column_of_room(kind));
            }
            if let Some(kind) = burrow.hallway[stop] {
                let home = usize::from(kind);
                detours.least += column.abs_diff(column_of_room(home)) as u64 * price(kind);
                to_enter[home] += 1;
            }
        }
        for (number, room) in burrow.rooms.iter().enumerate() {
            let settled = room.iter().rev().take_while(|cell| **cell == Some(number as Kind)).count();
            let levels = (0..to_enter[number]).map(|entered| (burrow.depth - settled - entered) as u64);
            detours.least += levels.sum::<u64>() * price(number as Kind);
        }
        let taken = detours.start.taken();
        let mut start = detours.start;
        detours.settle(&mut start, taken, |_| ());
        detours.start = start;
        detours
    }

    /// The kind of the topmost that must leave a room.
    #[inline(always)]
    fn topmost(&self, state: State, room: usize) -> Option<usize> {
        (!self.is_clear(state, room)).then(|| usize::from(self.leavers[room][state.left(room) % 8]))
    }

    #[inline(always)]
    fn is_clear(&self, state: State, room: usize) -> bool {
        state.left(room) == usize::from(self.must_leave[room])
    }

    /// Takes all ways home; `home` hears of each. Returns the stops that are still taken.
    #[inline(always)]
    fn settle(&self, state: &mut State, mut taken: u16, mut home: impl FnMut(Homecoming)) -> u16 {
        loop {
            let mut somebody = false;
            let mut rest = taken;
            while rest != 0 {
                let stop = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let kind = state.kind_at(stop) - 1;
                if self.is_clear(*state, kind) && taken & self.way_home[stop][kind] == 0 {
                    state.hallway &= !(15 << (4 * stop));
                    taken &= !(1 << stop);
                    home(Homecoming::FromStop(stop));
                    somebody = true;
                }
            }
            for room in 0..ROOMS {
                while let Some(kind) = self.topmost(*state, room) {
                    if kind == room || !self.is_clear(*state, kind) || taken & self.between[room][kind] != 0 {
                        break;
                    }
                    state.left += 1 << (4 * room);
                    home(Homecoming::FromRoom(room));
                    somebody = true;
                }
            }
            if !somebody {
                return taken;
            }
        }
    }

    /// Whether somebody of a kind at a stop and somebody who stands there already are on each other's way.
    #[inline(always)]
    fn blocks(&self, state: State, taken: u16, stop: usize, kind: usize) -> bool {
        let mut rest = taken & self.way_home[stop][kind];
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.way_home[other][state.kind_at(other) - 1] >> stop & 1 == 1 {
                return true;
            }
        }
        false
    }

    /// A lower bound of the detours that are still to be made.
    #[inline(always)]
    fn remaining(&self, state: State, taken: u16) -> Cost {
        // For each room, the kinds in it that cannot go past those who wait for it.
        let mut forced = [0u8; ROOMS];
        let mut rest = taken;
        while rest != 0 {
            let stop = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let room = state.kind_at(stop) - 1;
            let left_of_stop = ((1u16 << self.doors_before(stop)) - 1) as u8;
            forced[room] |= if room >= self.doors_before(stop) { left_of_stop } else { !left_of_stop };
        }
        let mut sum: Cost = 0;
        for room in 0..ROOMS {
            let waiting = &self.waiting[room][state.left(room)];
            for other in 0..ROOMS {
                if forced[room] >> other & 1 == 1 {
                    sum += waiting[other];
                } else if other < room && forced[other] >> room & 1 == 0 {
                    sum += waiting[other].min(self.waiting[other][state.left(other)][room]);
                }
            }
        }
        sum
    }

    /// `UNREACHABLE` if somebody can never come home.
    #[inline(always)]
    fn estimate_with(&self, state: State, taken: u16) -> Cost {
        if self.is_stuck(state, taken) { UNREACHABLE } else { self.remaining(state, taken) }
    }

    /// Doors to the left of a stop.
    #[inline(always)]
    fn doors_before(&self, stop: usize) -> usize {
        stop.saturating_sub(1).min(ROOMS)
    }

    /// Whether some rooms can never be cleared.
    #[inline(always)]
    fn is_stuck(&self, state: State, taken: u16) -> bool {
        let all = (1u32 << ROOMS) - 1;
        // Whoever's room is clear is taken to be home.
        let mut clear = 0;
        let mut stops_of = [0u16; ROOMS];
        for room in 0..ROOMS {
            clear |= u32::from(self.is_clear(state, room)) << room;
        }
        let mut rest = taken;
        while rest != 0 {
            let stop = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            stops_of[state.kind_at(stop) - 1] |= 1 << stop;
        }
        loop {
            let (mut blocked, mut unclear) = (0u32, 0u32);
            for (kind, &stops) in stops_of.iter().enumerate() {
                let is_clear = clear >> kind & 1;
                blocked |= u32::from(stops) * (1 - is_clear);
                unclear |= (15 * (1 - is_clear)) << (4 * kind);
            }
            let before = clear;
            for room in 0..ROOMS {
                // Four bits for each kind: how many of it leave for the hallway and stay there.
                let crowd = self.crowds[room][state.left(room)] & unclear;
                let pairs = (crowd & 0x0f0f_0f0f) + (crowd >> 4 & 0x0f0f_0f0f);
                let needed = pairs.wrapping_mul(0x0101_0101) >> 24;
                let left = (blocked & ((1 << (room + 2)) - 1)).leading_zeros() - (30 - room as u32);
                let right = (blocked >> (room + 2) | 1 << (ROOMS + 1 - room)).trailing_zeros();
                clear |= u32::from(needed <= left + right) << room;
            }
            if clear == all {
                return false;
            }
            if clear == before {
                return true;
            }
        }
    }

    /// Every single move of a plan: those of the search, and the ways home between them. Somebody who goes from room to
    /// room stops at a place between, so that each move has one end in the hallway.
    pub fn plan(&self, burrow: &Burrow, leaves: &[Leave]) -> Vec<Move> {
        let mut burrow = burrow.clone();
        let mut state = State::of(&burrow);
        let mut moves = Vec::new();
        let mut play = |from: Place, to: Option<Place>| {
            let kind = burrow.who(from).expect("a plan moves somebody");
            let home = || {
                let free = burrow.rooms[usize::from(kind)].iter().rposition(Option::is_none);
                Place::Room(usize::from(kind), free.expect("its room has a cell for everybody"))
            };
            let action = Move { kind, from, to: to.unwrap_or_else(home) };
            burrow.make(action).expect("the search keeps to the rules");
            moves.push(action);
        };
        let mut told = Vec::new();
        let taken = state.taken();
        self.settle(&mut state, taken, |homecoming| told.push(Event::Home(homecoming)));
        for &leave in leaves {
            let room = usize::from(leave.room);
            let kind = self.topmost(state, room).expect("a plan moves somebody") as u64;
            state.left += 1 << (4 * room);
            state.hallway |= (kind + 1) << (4 * leave.stop);
            told.push(Event::Leave(leave));
            let taken = state.taken();
            self.settle(&mut state, taken, |homecoming| told.push(Event::Home(homecoming)));
        }
        let mut gone = [0; 8];
        for event in told {
            let mut topmost = |room: usize| {
                gone[room] += 1;
                Place::Room(room, self.levels[room][gone[room] - 1])
            };
            match event {
                Event::Leave(leave) => {
                    play(topmost(usize::from(leave.room)), Some(Place::Stop(usize::from(leave.stop))))
                }
                Event::Home(Homecoming::FromStop(stop)) => play(Place::Stop(stop), None),
                Event::Home(Homecoming::FromRoom(room)) => {
                    let from = topmost(room);
                    let Place::Room(_, level) = from else { unreachable!("the topmost is in a room") };
                    let home = usize::from(self.leavers[room][gone[room] - 1]);
                    let between = Place::Stop(self.between[room][home].trailing_zeros() as usize);
                    play(Place::Room(room, level), Some(between));
                    play(between, None);
                }
            }
        }
        moves
    }
}

/// Somebody goes home.
#[derive(Debug, Clone, Copy)]
enum Homecoming {
    FromStop(usize),
    FromRoom(usize),
}

/// What happens in a plan.
#[derive(Debug, Clone, Copy)]
enum Event {
    Leave(Leave),
    Home(Homecoming),
}

impl<const ROOMS: usize> Space for Detours<ROOMS> {
    type State = State;
    type Move = Leave;
    type Trail = ();

    fn start(&self) -> State {
        self.start
    }

    #[inline(always)]
    fn is_goal(&self, state: &State) -> bool {
        state.hallway == 0 && (0..ROOMS).all(|room| self.is_clear(*state, room))
    }

    fn no_trail(&self, _: &State) {}

    #[inline(always)]
    fn successors(
        &self,
        state: &State,
        (): (),
        budget: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let taken = state.taken();
        for room in 0..ROOMS {
            let Some(kind) = self.topmost(*state, room) else { continue };
            let mut leave = |stop: usize| {
                if self.blocks(*state, taken, stop, kind) {
                    return ControlFlow::Continue(());
                }
                let mut after = *state;
                after.left += 1 << (4 * room);
                after.hallway |= (kind as u64 + 1) << (4 * stop);
                let taken = self.settle(&mut after, taken | 1 << stop, |_| ());
                // Without a budget the caller asks for the estimate itself, of states that are new to it.
                let estimate = if budget.is_some() { self.estimate_with(after, taken) } else { 0 };
                if estimate == UNREACHABLE {
                    return ControlFlow::Continue(());
                }
                visit(Step {
                    action: Leave { room: room as u8, stop: stop as u8 },
                    cost: self.detours[room][kind][stop],
                    estimate,
                    state: after,
                    trail: (),
                })
            };
            for stop in (0..room + 2).rev().take_while(|stop| taken >> stop & 1 == 0) {
                leave(stop)?;
            }
            for stop in (room + 2..ROOMS + 3).take_while(|stop| taken >> stop & 1 == 0) {
                leave(stop)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn estimate(&self, state: &State) -> Cost {
        self.estimate_with(*state, state.taken())
    }
}
