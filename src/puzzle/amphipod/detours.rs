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
//! **Deadlocks.** Two in the hallway, each on the other's way home, are stuck; such a state is dropped when it is made.
//!
//! Tried and lost: A* over single cells with the plain remainder heuristic is what [`super::plain`] would give; the
//! forced moves shrink the space by orders of magnitude. The figures are in the README; `cargo bench --bench search` measures A*
//! against IDA* on this space.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use super::burrow::{Burrow, Kind, column_of_room, column_of_stop, price};
use super::moves::{Move, Place};
use crate::search::{Cost, Space, Step, UNREACHABLE};

/// What does not change during a search.
pub struct Detours {
    rooms: usize,
    stops: usize,
    start: State,
    /// For each room, the strangers and those above them, the topmost first.
    leavers: Vec<Vec<Kind>>,
    /// The levels on which they are.
    levels: Vec<Vec<usize>>,
    /// How many of a room must leave.
    must_leave: [u8; 8],
    /// For each room and each kind, what it costs to go from the room to a stop and on to the kind's room, beyond the least.
    detours: [[[Cost; 11]; 8]; 8],
    /// For each room, how many have left, and each kind: twice the price of all of the kind that are still to leave.
    waiting: Vec<[[Cost; 8]; 9]>,
    /// What was worked out of [`Clearing`]s: the question in the upper half, the answer in the lower; none is 0.
    known: Vec<AtomicU64>,
    /// For each stop and kind, the stops that must be free for the way home.
    way_home: [[u16; 8]; 11],
    /// For each pair of rooms, the stops between the doors.
    between: [[u16; 8]; 8],
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

impl Detours {
    pub fn new(burrow: &Burrow) -> Self {
        let rooms = burrow.rooms.len();
        let stops = rooms + 3;
        let mut detours = Detours {
            rooms,
            stops,
            start: State::default(),
            leavers: Vec::with_capacity(rooms),
            levels: Vec::with_capacity(rooms),
            must_leave: [0; 8],
            detours: [[[0; 11]; 8]; 8],
            waiting: vec![[[0; 8]; 9]; rooms],
            known: (0..KNOWN).map(|_| AtomicU64::new(0)).collect(),
            way_home: [[0; 8]; 11],
            between: [[0; 8]; 8],
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
                for &kind in leavers[left..].iter().filter(|&&kind| usize::from(kind) != number) {
                    detours.waiting[number][left][usize::from(kind)] += 2 * price(kind) as Cost;
                }
            }
            detours.leavers.push(leavers);
            detours.levels.push(levels);
        }
        for (stop, &column) in columns.iter().enumerate() {
            for kind in 0..rooms {
                detours.way_home[stop][kind] = stops_between(column, column_of_room(kind));
            }
            if let Some(kind) = burrow.hallway[stop] {
                let home = usize::from(kind);
                detours.start.hallway |= (u64::from(kind) + 1) << (4 * stop);
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
        self.leavers[room].get(state.left(room)).map(|&kind| usize::from(kind))
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
            for room in 0..self.rooms {
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

    /// A lower bound of the detours that are still to be made; `UNREACHABLE` if somebody can never come home.
    #[inline(always)]
    fn remaining(&self, state: State, taken: u16) -> Cost {
        // For each room, the kinds in it that cannot go past those who wait for it.
        let mut forced = [0u8; 8];
        let mut rest = taken;
        while rest != 0 {
            let stop = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let room = state.kind_at(stop) - 1;
            let left_of_stop = ((1u16 << self.doors_before(stop)) - 1) as u8;
            forced[room] |= if room >= self.doors_before(stop) { left_of_stop } else { !left_of_stop };
        }
        let mut sum: Cost = 0;
        // The part of the sum that those in a room have to do with.
        let mut parts = [0; 8];
        for room in 0..self.rooms {
            let waiting = &self.waiting[room][state.left(room)];
            for other in 0..self.rooms {
                if forced[room] >> other & 1 == 1 {
                    sum += waiting[other];
                    parts[room] += waiting[other];
                } else if other < room && forced[other] >> room & 1 == 0 {
                    let cheaper = waiting[other].min(self.waiting[other][state.left(other)][room]);
                    sum += cheaper;
                    parts[room] += cheaper;
                    parts[other] += cheaper;
                }
            }
        }
        let all = ((1u16 << self.rooms) - 1) as u8;
        let mut clear = 0u8;
        for room in 0..self.rooms {
            clear |= u8::from(self.is_clear(state, room)) << room;
        }
        if clear == all {
            return sum;
        }
        // Some room becomes clear next: the cheapest to clear.
        let mut least = UNREACHABLE;
        let mut next = clear;
        self.clearings(state, taken, clear, |room, cost| {
            if cost != UNREACHABLE {
                next |= 1 << room;
                least = least.min(sum - parts[room] + parts[room].max(cost));
            }
        });
        // And then another one, until all are.
        while next != all {
            if next == clear {
                return UNREACHABLE;
            }
            clear = next;
            self.clearings(state, taken, clear, |room, cost| next |= u8::from(cost != UNREACHABLE) << room);
        }
        least
    }

    /// Doors to the left of a stop.
    #[inline(always)]
    fn doors_before(&self, stop: usize) -> usize {
        stop.saturating_sub(1).min(self.rooms)
    }

    /// What it costs to clear each room that is not, with some others clear.
    #[inline(always)]
    fn clearings(&self, state: State, taken: u16, clear: u8, mut tell: impl FnMut(usize, Cost)) {
        // Whoever's room is clear is taken to be home.
        let (mut blocked, mut rest) = (0u32, taken);
        while rest != 0 {
            let stop = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            blocked |= u32::from(clear >> (state.kind_at(stop) - 1) & 1 == 0) << stop;
        }
        for room in (0..self.rooms).filter(|room| clear >> room & 1 == 0) {
            let door = room + 2;
            let (left, right) = (blocked & ((1 << door) - 1), blocked >> door << door);
            let mut clearing = Clearing {
                room,
                gone: state.left(room),
                clear,
                left: left.leading_zeros() as usize - (30 - room),
                right: (right >> door | 1 << (self.stops - door)).trailing_zeros() as usize,
                not_left: 0,
                not_right: 0,
            };
            let mut rest = left;
            while rest != 0 {
                let stop = 31 - rest.leading_zeros() as usize;
                rest ^= 1 << stop;
                if state.kind_at(stop) > room {
                    clearing.not_left = self.doors_before(stop);
                    break;
                }
            }
            let mut rest = right;
            while rest != 0 {
                let stop = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if state.kind_at(stop) - 1 <= room {
                    clearing.not_right = self.rooms - self.doors_before(stop);
                    break;
                }
            }
            tell(room, self.clearing(clearing));
        }
    }

    fn clearing(&self, clearing: Clearing) -> Cost {
        let question = clearing.number();
        let known = &self.known[(question.wrapping_mul(0x9e37_79b1) >> (32 - KNOWN.trailing_zeros())) as usize];
        let entry = known.load(Ordering::Relaxed);
        if entry >> 32 == u64::from(question) {
            return entry as Cost;
        }
        let leavers = &self.leavers[clearing.room][clearing.gone..];
        let mut stay = [0u8; 8];
        let mut count = 0;
        for &kind in leavers.iter().filter(|&&kind| clearing.clear >> kind & 1 == 0) {
            stay[count] = kind;
            count += 1;
        }
        let mut best = UNREACHABLE;
        self.place(&clearing, &stay[..count], clearing.left, clearing.right, &mut [(0, 0); 8], 0, 0, &mut best);
        known.store(u64::from(question) << 32 | u64::from(best), Ordering::Relaxed);
        best
    }

    /// Tries all stops for those who leave a room and stay in the hallway, the topmost first.
    #[allow(clippy::too_many_arguments)]
    fn place(
        &self,
        clearing: &Clearing,
        stay: &[Kind],
        left: usize,
        right: usize,
        placed: &mut [(usize, usize); 8],
        count: usize,
        cost: Cost,
        best: &mut Cost,
    ) {
        let Some((&kind, rest)) = stay.split_first() else {
            *best = cost;
            return;
        };
        if left + right < stay.len() {
            return;
        }
        let (kind, door) = (usize::from(kind), clearing.room + 2);
        let may_left = kind >= clearing.not_left;
        let may_right = kind < self.rooms - clearing.not_right;
        let lefts = (0..if may_left { left } else { 0 }).map(|steps| (door - 1 - steps, steps, right));
        let rights = (0..if may_right { right } else { 0 }).map(|steps| (door + steps, left, steps));
        for (stop, left, right) in lefts.chain(rights) {
            let cost = cost + self.detours[clearing.room][kind][stop];
            let is_stuck = placed[..count].iter().any(|&(other, of)| {
                self.way_home[stop][kind] >> other & 1 == 1 && self.way_home[other][of] >> stop & 1 == 1
            });
            if cost < *best && !is_stuck {
                placed[count] = (stop, kind);
                self.place(clearing, rest, left, right, placed, count + 1, cost, best);
            }
        }
    }

    /// Every single move of a plan: those of the search, and the ways home between them. Somebody who goes from room to
    /// room stops at a place between, so that each move has one end in the hallway.
    pub fn plan(&self, burrow: &Burrow, leaves: &[Leave]) -> Vec<Move> {
        let mut burrow = burrow.clone();
        let mut state = State::default();
        for (stop, kind) in burrow.hallway.iter().enumerate() {
            state.hallway |= kind.map_or(0, |kind| u64::from(kind) + 1) << (4 * stop);
        }
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

/// The question what it costs, in detours, to get all out of a room who must leave it.
///
/// Until its room is clear, nobody goes home. So when the next room becomes clear, all who had to leave it and whose own
/// rooms are not clear stand in the hallway, on stops that can be reached from its door past those who stand there
/// now, nobody on the way of another. All others are taken to be home. The answer depends on little and is remembered.
struct Clearing {
    room: usize,
    /// How many have left it.
    gone: usize,
    /// A bit for each room that is clear.
    clear: u8,
    /// Free stops on both sides, up to somebody who stays.
    left: usize,
    right: usize,
    /// So many of the first kinds cannot stop on the left: their doors lie beyond somebody who must go past them. And so
    /// many of the last ones on the right.
    not_left: usize,
    not_right: usize,
}

/// Clearings that are remembered; a power of two.
const KNOWN: usize = 1 << 10;

impl Clearing {
    /// A number for each question; never 0.
    fn number(&self) -> u32 {
        let parts = [self.room + 1, self.gone, self.left, self.right, self.not_left, self.not_right];
        parts.into_iter().fold(u32::from(self.clear), |number, part| number << 4 | part as u32)
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

impl Space for Detours {
    type State = State;
    type Move = Leave;
    type Trail = ();

    fn start(&self) -> State {
        self.start
    }

    #[inline(always)]
    fn is_goal(&self, state: &State) -> bool {
        state.hallway == 0 && (0..self.rooms).all(|room| self.is_clear(*state, room))
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
        for room in 0..self.rooms {
            let Some(kind) = self.topmost(*state, room) else { continue };
            let mut leave = |stop: usize| {
                if self.blocks(*state, taken, stop, kind) {
                    return ControlFlow::Continue(());
                }
                let mut after = *state;
                after.left += 1 << (4 * room);
                after.hallway |= (kind as u64 + 1) << (4 * stop);
                let taken = self.settle(&mut after, taken | 1 << stop, |_| ());
                let estimate = if budget.is_some() { self.remaining(after, taken) } else { 0 };
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
            for stop in (room + 2..self.stops).take_while(|stop| taken >> stop & 1 == 0) {
                leave(stop)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn estimate(&self, state: &State) -> Cost {
        self.remaining(*state, state.taken())
    }
}
