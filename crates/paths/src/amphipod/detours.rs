//! The search for the cheapest detours.
//!
//! The minimum energy of each amphipod is known in advance: the path up from its cell, along the
//! hallway to its own door, and down to one of the cells still to be filled (which member of the
//! kind takes which cell does not matter). An amphipod above a stranger in its own room has to step
//! aside and back: two more steps. Everything beyond that is a detour: an amphipod that leaves a
//! room and stops outside the range between the two doors pays for the path there and back.
//!
//! **A move home is made at once.** It costs nothing beyond the minimum, and only makes room. So a
//! state is what remains after all moves home: how many amphipods have left each room, and which
//! ones stand in the hallway. A move of the search takes the topmost stranger of a room to a stop.
//!
//! **No amphipod stops between its two doors**, that of the room it leaves and that of its own
//! room:
//!
//! ```text
//!   #..........B..........#   While B waits there, nothing passes it: until it goes home, all
//!   ###.#####.....#####.###   moves are to its left or to its right, and the two sides are
//!     room A         room B   independent. Let the side of its home act first, while B is still
//!                             in room A. Then the path home is free: up to the stop it is as when
//!                             B set out, from there on as when B goes home. B takes it at once,
//!                             at the same cost, and blocks nothing when the other side acts. So
//!                             from any state, some best plan has no such stop.
//! ```
//!
//! **The cost of clearing the rooms** is the heuristic. A room is clear when all amphipods that
//! must leave it have left. Consider a plan from a state without stops between doors, and one of
//! its rooms, R. Let S be the rooms that are clear before R is. At the moment when R becomes clear,
//! the hallway contains
//!
//! - the amphipods that are there now and whose room is not in S: they cannot have gone home;
//! - the amphipods that have left R since, except those that could go home before: to a room in S,
//!   without passing any of the others.
//!
//! Those that left R are between the nearest of the former on both sides of its door, each on its
//! own stop, those that left earlier farther out, and none between its two doors. No two are on
//! each other's path home, or neither would ever arrive. The cheapest such arrangement, in which
//! each amphipod that can go home pays nothing, costs no more than they actually pay. Each amphipod
//! pays for one room, the one it leaves, so the arrangements add up: the cheapest order of clearing
//! the rooms, found by a search over sets of rooms, is a lower bound on the detours. If no order
//! works, some amphipod never gets home: the state is a dead end.
//!
//! With more rooms in S, fewer amphipods are in the way, and clearing a room costs no more. So a
//! room that costs nothing is cleared next, and no alternative is tried. The cost of an arrangement
//! depends on little: the room, how many have left it, which rooms are open to the others, and the
//! stops within reach. The same subproblems recur, and their results are cached. Only neighbours
//! are tested for being on each other's path, so what remains after each stop is a subproblem of
//! the same kind.
//!
//! `ROOMS` is the maximum number of rooms. For [`USUAL_ROOMS`] it is the exact number, so that
//! loops over rooms are unrolled.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use statespace::search::{Cost, Space, Step, UNREACHABLE};

use super::burrow::{Burrow, Kind, column_of_room, column_of_stop, step_cost};
use super::moves::{Move, Place};

/// The number of rooms in the original task.
pub const USUAL_ROOMS: usize = 4;

/// The constants of a search: for exactly `ROOMS` rooms if that is `USUAL_ROOMS`, for at most
/// `ROOMS` otherwise.
pub struct Detours<const ROOMS: usize> {
    rooms: usize,
    start: State,
    /// For each room, the strangers and the amphipods above them, the topmost first.
    leavers: [[Kind; 8]; ROOMS],
    /// For each room and number of amphipods that have departed, the kinds of those yet to leave,
    /// as bits.
    kinds: [[usize; 9]; ROOMS],
    /// The levels of the leavers.
    levels: [[usize; 8]; ROOMS],
    /// The number of amphipods that must leave each room.
    must_leave: [u8; ROOMS],
    /// For each room, kind and stop, the extra cost of going from the room to the stop and on to
    /// the kind's room.
    detours: [[[Cost; 16]; ROOMS]; ROOMS],
    /// For each stop and kind, the stops that must be free for the path home.
    path_home: [[u16; ROOMS]; 16],
    /// For each pair of rooms, the stops between their doors.
    between: [[u16; ROOMS]; ROOMS],
    /// The minimum energy of all amphipods, without detours.
    pub min_energy: u64,
    /// A lossy hash table of the costs of subproblems. The cost is in the lower half of an entry,
    /// the packed subproblem in the upper half.
    cache: Box<[AtomicU64]>,
    shift: u32,
}

/// The state after all possible moves home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// Four bits for each stop: 0 if it is free, otherwise the kind plus one.
    hallway: u64,
    /// Four bits for each room: the number of amphipods that have left it.
    departed: u32,
}

/// A subproblem of the heuristic: the cheapest detours of the amphipods that have yet to leave a
/// room.
#[derive(Clone, Copy)]
struct Clearing {
    room: usize,
    /// The number of amphipods that have left the room.
    departed: usize,
    /// The rooms that amphipods may enter, as bits.
    homes: usize,
    /// The stops within reach: `lo..hi`.
    lo: usize,
    hi: usize,
    /// The amphipods of the same room on the stops before `lo` and at `hi`: 0 for none, otherwise
    /// the kind plus one.
    at_lo: usize,
    at_hi: usize,
}

impl Clearing {
    /// Packs the subproblem into 32 bits; never 0.
    fn packed(self) -> u64 {
        let Clearing { room, departed, homes, lo, hi, at_lo, at_hi } = self;
        ((1 + homes) << 22 | lo << 18 | hi << 14 | at_lo << 10 | at_hi << 6 | departed << 3 | room) as u64
    }
}

/// A move of the topmost amphipod of a room to a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leave {
    pub room: u8,
    /// The number of amphipods that left the room before.
    pub rank: u8,
    pub stop: u8,
}

impl State {
    /// Returns the state before the first move.
    fn of(burrow: &Burrow) -> Self {
        let stops = burrow.hallway.iter().enumerate();
        let hallway = stops.map(|(stop, kind)| kind.map_or(0, |kind| u64::from(kind) + 1) << (4 * stop)).sum();
        State { hallway, departed: 0 }
    }

    #[inline(always)]
    fn kind_at(self, stop: usize) -> usize {
        (self.hallway >> (4 * stop) & 15) as usize
    }

    #[inline(always)]
    fn departed(self, room: usize) -> usize {
        (self.departed >> (4 * room) & 15) as usize
    }

    /// Returns the state after the topmost amphipod of a room moves to a stop.
    #[inline(always)]
    fn after(self, room: usize, kind: usize, stop: usize) -> State {
        State { hallway: self.hallway | (kind as u64 + 1) << (4 * stop), departed: self.departed + (1 << (4 * room)) }
    }

    /// Returns the occupied stops, as bits.
    #[inline(always)]
    fn occupied(self) -> u16 {
        let mut occupied = 0;
        let mut rest = self.hallway;
        while rest != 0 {
            let stop = rest.trailing_zeros() / 4;
            occupied |= 1 << stop;
            rest &= !(15 << (4 * stop));
        }
        occupied
    }
}

impl<const ROOMS: usize> Detours<ROOMS> {
    pub fn new(burrow: &Burrow) -> Self {
        let rooms = burrow.rooms.len();
        assert!(
            rooms == ROOMS || rooms < ROOMS && ROOMS != USUAL_ROOMS,
            "{rooms} rooms do not fit a search for {ROOMS}"
        );
        let mut detours = Detours {
            rooms,
            start: State::of(burrow),
            leavers: [[0; 8]; ROOMS],
            kinds: [[0; 9]; ROOMS],
            levels: [[0; 8]; ROOMS],
            must_leave: [0; ROOMS],
            detours: [[[0; 16]; ROOMS]; ROOMS],
            path_home: [[0; ROOMS]; 16],
            between: [[0; ROOMS]; ROOMS],
            min_energy: 0,
            cache: Box::default(),
            shift: 0,
        };
        // For each room, the number of its lowest levels that are still to be filled.
        let mut to_fill = [burrow.depth; ROOMS];
        for (number, room) in burrow.rooms.iter().enumerate() {
            let door = column_of_room(number);
            for kind in 0..rooms {
                let home = column_of_room(kind);
                let least = if kind == number { 2 } else { door.abs_diff(home) };
                for stop in 0..rooms + 3 {
                    let column = column_of_stop(rooms, stop);
                    let steps = door.abs_diff(column) + column.abs_diff(home) - least;
                    detours.detours[number][kind][stop] = steps as Cost * step_cost(kind as Kind) as Cost;
                }
                detours.between[number][kind] = stops_between(door, home);
            }
            // Amphipods at home are at the bottom.
            to_fill[number] -= room.iter().rev().take_while(|cell| **cell == Some(number as Kind)).count();
            let mut leave = 0;
            for (level, kind) in room[..to_fill[number]].iter().enumerate() {
                let Some(kind) = *kind else { continue };
                let home = usize::from(kind);
                let along = if home == number { 2 } else { door.abs_diff(column_of_room(home)) };
                detours.min_energy += (level + 1 + along) as u64 * step_cost(kind);
                (detours.leavers[number][leave], detours.levels[number][leave]) = (kind, level);
                leave += 1;
            }
            for departed in (0..leave).rev() {
                detours.kinds[number][departed] =
                    detours.kinds[number][departed + 1] | 1 << detours.leavers[number][departed];
            }
            detours.must_leave[number] = leave as u8;
        }
        for stop in 0..rooms + 3 {
            let column = column_of_stop(rooms, stop);
            for kind in 0..rooms {
                detours.path_home[stop][kind] = stops_between(column, column_of_room(kind));
            }
            if let Some(kind) = burrow.hallway[stop] {
                detours.min_energy += column.abs_diff(column_of_room(usize::from(kind))) as u64 * step_cost(kind);
            }
        }
        let leavers = (0..rooms).flat_map(|room| &detours.leavers[room][..usize::from(detours.must_leave[room])]);
        for &kind in leavers.chain(burrow.hallway.iter().flatten()) {
            let level = &mut to_fill[usize::from(kind)];
            detours.min_energy += *level as u64 * step_cost(kind);
            *level -= 1;
        }
        // The table is large enough for nearly all subproblems of burrows of any size.
        let leavers: usize = detours.must_leave.iter().map(|&leavers| usize::from(leavers)).sum();
        let most = (8 * leavers * leavers).next_power_of_two().max(2);
        detours.shift = 64 - most.trailing_zeros();
        detours.cache = (0..most).map(|_| AtomicU64::new(0)).collect();
        let occupied = detours.start.occupied();
        let mut start = detours.start;
        detours.settle(&mut start, occupied, |_| ());
        detours.start = start;
        detours
    }

    /// Returns the number of rooms.
    #[inline(always)]
    fn rooms(&self) -> usize {
        if ROOMS == USUAL_ROOMS { USUAL_ROOMS } else { self.rooms }
    }

    /// Returns the kind of the topmost amphipod that must leave a room.
    #[inline(always)]
    fn topmost(&self, state: State, room: usize) -> Option<usize> {
        (!self.is_clear(state, room)).then(|| usize::from(self.leavers[room][state.departed(room) % 8]))
    }

    #[inline(always)]
    fn is_clear(&self, state: State, room: usize) -> bool {
        state.departed(room) == usize::from(self.must_leave[room])
    }

    /// Returns true if the topmost amphipod of a room, of this kind, can go home.
    #[inline(always)]
    fn goes_home(&self, state: State, occupied: u16, room: usize, kind: usize) -> bool {
        kind != room && self.is_clear(state, kind) && occupied & self.between[room][kind] == 0
    }

    /// Makes all moves home and passes each to `home`. Returns the stops that are still occupied.
    #[inline(always)]
    fn settle(&self, state: &mut State, mut occupied: u16, mut home: impl FnMut(Homecoming)) -> u16 {
        loop {
            let mut has_moved = false;
            let mut rest = occupied;
            while rest != 0 {
                let stop = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let kind = state.kind_at(stop) - 1;
                if self.is_clear(*state, kind) && occupied & self.path_home[stop][kind] == 0 {
                    state.hallway &= !(15 << (4 * stop));
                    occupied &= !(1 << stop);
                    home(Homecoming::FromStop(stop));
                    has_moved = true;
                }
            }
            for room in 0..self.rooms() {
                while let Some(kind) = self.topmost(*state, room) {
                    if !self.goes_home(*state, occupied, room, kind) {
                        break;
                    }
                    home(Homecoming::FromRoom(room, state.departed(room)));
                    state.departed += 1 << (4 * room);
                    has_moved = true;
                }
            }
            if !has_moved {
                return occupied;
            }
        }
    }

    /// Returns true if an amphipod leaving `room` may park at `stop`: not between the doors, and
    /// not in a deadlock with one already in the hallway.
    #[inline(always)]
    fn can_stop(&self, state: State, occupied: u16, room: usize, kind: usize, stop: usize) -> bool {
        if self.between[room][kind] >> stop & 1 == 1 {
            return false;
        }
        let mut rest = occupied & self.path_home[stop][kind];
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.block_each_other((stop, kind), (other, state.kind_at(other) - 1)) {
                return false;
            }
        }
        true
    }

    /// Returns true if each of two amphipods, given as stop and kind, is on the other's path home.
    #[inline(always)]
    fn block_each_other(&self, (stop, kind): (usize, usize), (other, other_kind): (usize, usize)) -> bool {
        self.path_home[stop][kind] >> other & self.path_home[other][other_kind] >> stop & 1 == 1
    }

    /// Returns a lower bound on the cost of the remaining detours, or `UNREACHABLE` if some
    /// amphipod can never get home.
    #[inline(always)]
    fn heuristic_with(&self, state: State, occupied: u16) -> Cost {
        let rooms = self.rooms();
        let all = (1 << rooms) - 1;
        let mut clear = 0;
        for room in 0..rooms {
            clear |= usize::from(self.is_clear(state, room)) << room;
        }
        if clear == all {
            return if occupied == 0 { 0 } else { UNREACHABLE };
        }
        let mut stops_of = [0u16; ROOMS];
        let mut rest = occupied;
        while rest != 0 {
            let stop = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            stops_of[state.kind_at(stop) - 1] |= 1 << stop;
        }
        // Dijkstra's algorithm over sets of cleared rooms: the least cost found so far for each
        // set, and for the open sets only. An array of 1 << ROOMS cannot be written, but a cube is
        // large enough: with a single room there are no strangers.
        let mut cubes = [[[[UNREACHABLE; ROOMS]; ROOMS]; ROOMS]; 2];
        let [least, open] = &mut cubes;
        let least = least.as_flattened_mut().as_flattened_mut();
        let open = &mut open.as_flattened_mut().as_flattened_mut()[..1 << rooms];
        let (mut set, mut so_far): (usize, Cost) = (clear, 0);
        loop {
            // The stops of the amphipods that wait until other rooms are clear.
            let mut waiting = 0;
            for (kind, stops) in stops_of.iter().enumerate() {
                waiting |= u32::from(*stops) * (1 - (set >> kind & 1) as u32);
            }
            let mut costs = [UNREACHABLE; ROOMS];
            let mut free = 0;
            for (room, cost) in costs.iter_mut().enumerate().take(rooms).filter(|(room, _)| set >> room & 1 == 0) {
                let lo = 32 - (waiting & ((1 << (room + 2)) - 1)).leading_zeros() as usize;
                let hi = ((waiting | 1 << (rooms + 3)) >> (room + 2)).trailing_zeros() as usize + room + 2;
                let departed = state.departed(room);
                *cost = self.cheapest(Clearing { room, departed, homes: set, lo, hi, at_lo: 0, at_hi: 0 });
                if *cost == 0 {
                    free = 1 << room;
                    break;
                }
            }
            if free != 0 {
                set |= free;
            } else {
                for (room, &cost) in costs.iter().enumerate().take(rooms) {
                    let (after, cost) = (set | 1 << room, so_far.saturating_add(cost));
                    if cost < least[after] {
                        (least[after], open[after]) = (cost, cost);
                    }
                }
                let (mut next, mut cost) = (0, UNREACHABLE);
                for (set, &reached) in open.iter().enumerate() {
                    if reached < cost {
                        (next, cost) = (set, reached);
                    }
                }
                if cost == UNREACHABLE {
                    return UNREACHABLE;
                }
                (set, so_far) = (next, cost);
                open[set] = UNREACHABLE;
            }
            if set == all {
                return so_far;
            }
        }
    }

    /// Returns the cost of the cheapest arrangement of the amphipods that have yet to leave a room.
    #[inline(always)]
    fn cheapest(&self, mut clearing: Clearing) -> Cost {
        let Clearing { room, homes, lo, hi, .. } = clearing;
        // Keep the doors between the neighbours on both sides; no amphipod can go home past these.
        clearing.homes = homes & ((1 << (hi - 1).min(self.rooms())) - (1 << lo.saturating_sub(2)));
        let leavers = &self.leavers[room][..usize::from(self.must_leave[room])];
        while clearing.departed < leavers.len() && clearing.homes >> leavers[clearing.departed] & 1 == 1 {
            clearing.departed += 1;
        }
        let Some(&kind) = leavers.get(clearing.departed) else { return 0 };
        // Normalise irrelevant parts of the subproblem, so that the table hits more often.
        clearing.homes &= self.kinds[room][clearing.departed];
        clearing.at_lo *= usize::from(lo > 2);
        clearing.at_hi *= usize::from(hi < self.rooms() + 1);
        let key = clearing.packed();
        let slot = &self.cache[(key.wrapping_mul(0xf135_7aea_2e62_a9c5) >> self.shift) as usize];
        let entry = slot.load(Ordering::Relaxed);
        if entry >> 32 == key {
            return entry as Cost;
        }
        let best = self.compute(clearing, usize::from(kind));
        slot.store(key << 32 | u64::from(best), Ordering::Relaxed);
        best
    }

    /// Computes an uncached subproblem: tries the next amphipod to leave, which is of this kind, on
    /// every stop.
    fn compute(&self, clearing: Clearing, kind: usize) -> Cost {
        let Clearing { room, departed, lo, hi, at_lo, at_hi, .. } = clearing;
        let mut best = UNREACHABLE;
        let mut place_on = |stop: usize, clearing: Clearing| {
            let detour = self.detours[room][kind][stop];
            if detour < best
                && self.between[room][kind] >> stop & 1 == 0
                && !(at_lo > 0 && self.block_each_other((stop, kind), (lo - 1, at_lo - 1)))
                && !(at_hi > 0 && self.block_each_other((stop, kind), (hi, at_hi - 1)))
            {
                best = best.min(self.cheapest(clearing).saturating_add(detour));
            }
            // Farther stops cost more.
            detour < best
        };
        let next = Clearing { departed: departed + 1, ..clearing };
        let _ = (lo..room + 2).rev().all(|stop| place_on(stop, Clearing { lo: stop + 1, at_lo: kind + 1, ..next }));
        let _ = (room + 2..hi).all(|stop| place_on(stop, Clearing { hi: stop, at_hi: kind + 1, ..next }));
        best
    }

    /// Expands a plan into single moves: those of the search, and the moves home between them. An
    /// amphipod that goes from room to room stops between them, so that each move has one end in
    /// the hallway.
    pub fn plan(&self, burrow: &Burrow, leaves: &[Leave]) -> Vec<Move> {
        let (mut burrow, mut state, mut moves) = (burrow.clone(), State::of(burrow), Vec::new());
        let mut make_move = |from: Place, to: Option<Place>| {
            let kind = burrow.occupant(from).expect("a plan moves an amphipod");
            let home = || {
                let free = burrow.rooms[usize::from(kind)].iter().rposition(Option::is_none);
                Place::Room(usize::from(kind), free.expect("its room has a cell for each of its kind"))
            };
            let action = Move { kind, from, to: to.unwrap_or_else(home) };
            burrow.make_move(action);
            moves.push(action);
        };
        let place = |room: usize, rank: usize| Place::Room(room, self.levels[room][rank]);
        // The first step, `None`, is for the amphipods that can go home before another one leaves.
        for leave in [None].into_iter().chain(leaves.iter().map(Some)) {
            if let Some(leave) = leave {
                let (room, stop) = (usize::from(leave.room), usize::from(leave.stop));
                make_move(place(room, state.departed(room)), Some(Place::Stop(stop)));
                let kind = self.topmost(state, room).expect("a plan moves an amphipod");
                state = state.after(room, kind, stop);
            }
            let occupied = state.occupied();
            self.settle(&mut state, occupied, |homecoming| match homecoming {
                Homecoming::FromStop(stop) => make_move(Place::Stop(stop), None),
                Homecoming::FromRoom(room, rank) => {
                    let home = usize::from(self.leavers[room][rank]);
                    let between = Place::Stop(self.between[room][home].trailing_zeros() as usize);
                    make_move(place(room, rank), Some(between));
                    make_move(between, None);
                }
            });
        }
        moves
    }
}

/// Returns the stops strictly between two columns, as bits.
#[inline]
fn stops_between(a: usize, b: usize) -> u16 {
    let before = |column: usize| if column == 0 { 0 } else { column / 2 + 1 };
    (1u16 << before(a.max(b))).saturating_sub(1 << before(a.min(b) + 1))
}

/// A move home.
#[derive(Debug, Clone, Copy)]
enum Homecoming {
    FromStop(usize),
    /// The room, and the number of amphipods that left it before.
    FromRoom(usize, usize),
}

impl<const ROOMS: usize> Space for Detours<ROOMS> {
    type State = State;
    type Move = Leave;
    type Pruning = ();

    const LAZY_HEURISTIC: bool = true;

    fn start(&self) -> State {
        self.start
    }

    #[inline(always)]
    fn is_goal(&self, state: &State) -> bool {
        state.hallway == 0 && (0..self.rooms()).all(|room| self.is_clear(*state, room))
    }

    fn initial_pruning(&self, _: &State) {}

    #[inline(always)]
    fn successors(
        &self,
        state: &State,
        (): (),
        budget: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let occupied = state.occupied();
        for room in 0..self.rooms() {
            let Some(kind) = self.topmost(*state, room) else { continue };
            let mut leave = |stop: usize| {
                if !self.can_stop(*state, occupied, room, kind, stop) {
                    return ControlFlow::Continue(());
                }
                let mut after = state.after(room, kind, stop);
                let mut occupied = occupied | 1 << stop;
                // No amphipod could go home before this move, and only this room may have changed
                // that.
                let goes_home = |kind| self.goes_home(after, occupied, room, kind);
                if self.topmost(after, room).is_none_or(goes_home) {
                    occupied = self.settle(&mut after, occupied, |_| ());
                }
                // Without a budget the caller evaluates the heuristic itself, and for new states
                // only.
                let estimate = if budget.is_some() { self.heuristic_with(after, occupied) } else { 0 };
                if estimate == UNREACHABLE {
                    return ControlFlow::Continue(());
                }
                visit(Step {
                    action: Leave { room: room as u8, rank: state.departed(room) as u8, stop: stop as u8 },
                    cost: self.detours[room][kind][stop],
                    estimate,
                    state: after,
                    pruning: (),
                })
            };
            for stop in (0..room + 2).rev().take_while(|stop| occupied >> stop & 1 == 0) {
                leave(stop)?;
            }
            for stop in (room + 2..self.rooms() + 3).take_while(|stop| occupied >> stop & 1 == 0) {
                leave(stop)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn heuristic(&self, state: &State) -> Cost {
        self.heuristic_with(*state, state.occupied())
    }

    /// Each amphipod leaves a room at most once.
    fn max_moves(&self, _: Cost) -> u64 {
        self.must_leave.iter().map(|&leavers| u64::from(leavers)).sum()
    }
}
