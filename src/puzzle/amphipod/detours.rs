//! The amphipods as a search for the cheapest detours.
//!
//! The minimum cost of each amphipod is known in advance: the way up from where they are, the way along the hallway to their
//! own door, the way down to the cells that are still to be filled, which some amphipod of the kind pays. An amphipod
//! above whose own room it is, but with a stranger below, has to step aside and back: two steps. The rest is detours: who leaves
//! a room and stops at a place that is not between the two doors pays for the way there and back.
//!
//! **A way home is taken at once.** It costs nothing beyond that least sum, and only makes room. So a state is what remains
//! after all ways home: how many have left each room, and who stands in the hallway. A move of the search takes the topmost
//! stranger of a room to a stopping place.
//!
//! **Nobody stops between the two doors**, its room's and its home's:
//!
//! ```text
//!   #..........B..........#    While B waits there, nobody goes past it: what happens until it goes home happens on its left
//!   ###.#####.....#####.###    or on its right, and neither side touches the other. Let the side of its home act first, while
//!     room A         room B    B is still in room A. Then the way home is free: up to the stop as it was when B set out, from
//!                              there on as it is when B goes home. B takes it at once, at the same cost, and is on nobody's
//!                              way when the other side acts. So some best plan has no such stop, from any state on.
//! ```
//!
//! **What it costs to clear the rooms** is the heuristic. A room is clear when all who must leave it have left. Take any plan
//! from a state on, without stops between doors, and one of its rooms, R; let S be the rooms that are clear before R is. At
//! the moment when R becomes clear, these stand in the hallway:
//!
//! - who stands there now and is at home in a room that is not in S: it cannot have gone home;
//! - who has left R since, unless it could go home before: to a room in S, past none of these.
//!
//! Those who left R stand between the nearest of the former on both sides of its door, each on a stop of its own, who left
//! earlier farther out, not between its two doors; and no two are on each other's way home, or neither would ever arrive. The
//! cheapest such arrangement, where everybody who can go home pays nothing, costs no more than they really pay. Everybody
//! pays for one room, the one it leaves, so that the arrangements add up: the cheapest order of clearing the rooms, found over
//! their sets, is a lower bound of the detours. Where no order works, nobody ever comes home: the state is dead.
//!
//! With more rooms in S fewer stand in the way, and a room costs no more; so a room that costs nothing is cleared next, and no
//! other is tried. What an arrangement costs depends on little: the room, how many have left it, which rooms are open to them,
//! the stops within reach. Such questions come again and again, and the answers are kept. Whether two are on each other's way is
//! asked of neighbours alone, so that what is left after each stop is a question of the same kind.
//!
//! `ROOMS` is the greatest number of rooms. For [`USUAL_ROOMS`] it is the exact number, so that loops over rooms are unrolled.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use super::burrow::{Burrow, Kind, column_of_room, column_of_stop, price};
use super::moves::{Move, Place};
use crate::search::{Cost, Space, Step, UNREACHABLE};

/// The usual number of rooms.
pub const USUAL_ROOMS: usize = 4;

/// What does not change during a search: for exactly `ROOMS` rooms if that is [`USUAL_ROOMS`], for at most `ROOMS` otherwise.
pub struct Detours<const ROOMS: usize> {
    rooms: usize,
    start: State,
    /// For each room, the strangers and those above them, the topmost first.
    leavers: [[Kind; 8]; ROOMS],
    /// For each room and how many have left, the kinds of those who are still to leave.
    kinds: [[usize; 9]; ROOMS],
    /// The levels on which they are.
    levels: [[usize; 8]; ROOMS],
    /// How many of a room must leave.
    must_leave: [u8; ROOMS],
    /// For each room and each kind, what it costs to go from the room to a stop and on to the kind's room, beyond the least.
    detours: [[[Cost; 16]; ROOMS]; ROOMS],
    /// For each stop and kind, the stops that must be free for the way home.
    way_home: [[u16; ROOMS]; 16],
    /// For each pair of rooms, the stops between the doors.
    between: [[u16; ROOMS]; ROOMS],
    /// What all pay at the least.
    pub least: u64,
    /// Questions that were asked before, each with its answer in the lower half, where the upper bits of its hash say.
    asked: Box<[AtomicU64]>,
    shift: u32,
}

/// What remains when all ways home are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// For each stop, four bits: 0 for nobody, or the kind plus one.
    hallway: u64,
    /// For each room, four bits: how many have left.
    left: u32,
}

/// A question: what do the detours of those cost who are still to leave a room?
#[derive(Clone, Copy)]
struct Clearing {
    room: usize,
    /// How many have left.
    left: usize,
    /// A bit for each room to which they may go home.
    homes: usize,
    /// They reach the stops from here to before there.
    lo: usize,
    hi: usize,
    /// Who of the same room stands beside these stops: 0 for nobody, or the kind plus one.
    at_lo: usize,
    at_hi: usize,
}

impl Clearing {
    /// In half a word, and never 0.
    fn packed(self) -> u64 {
        let Clearing { room, left, homes, lo, hi, at_lo, at_hi } = self;
        ((1 + homes) << 22 | lo << 18 | hi << 14 | at_lo << 10 | at_hi << 6 | left << 3 | room) as u64
    }
}

/// The topmost of a room goes to a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leave {
    pub room: u8,
    /// How many have left the room before.
    pub rank: u8,
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

    /// With the topmost of a room on a stop.
    #[inline(always)]
    fn after(self, room: usize, kind: usize, stop: usize) -> State {
        State { hallway: self.hallway | (kind as u64 + 1) << (4 * stop), left: self.left + (1 << (4 * room)) }
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
            way_home: [[0; ROOMS]; 16],
            between: [[0; ROOMS]; ROOMS],
            least: 0,
            asked: Box::default(),
            shift: 0,
        };
        // The lowest levels of each room that are still to be filled.
        let mut to_fill = [burrow.depth; ROOMS];
        for (number, room) in burrow.rooms.iter().enumerate() {
            let door = column_of_room(number);
            for kind in 0..rooms {
                let home = column_of_room(kind);
                let least = if kind == number { 2 } else { door.abs_diff(home) };
                for stop in 0..rooms + 3 {
                    let column = column_of_stop(rooms, stop);
                    let steps = door.abs_diff(column) + column.abs_diff(home) - least;
                    detours.detours[number][kind][stop] = steps as Cost * price(kind as Kind) as Cost;
                }
                detours.between[number][kind] = stops_between(door, home);
            }
            // Those at home lie at the bottom.
            to_fill[number] -= room.iter().rev().take_while(|cell| **cell == Some(number as Kind)).count();
            let mut leave = 0;
            for (level, kind) in room[..to_fill[number]].iter().enumerate() {
                let Some(kind) = *kind else { continue };
                let home = usize::from(kind);
                let along = if home == number { 2 } else { door.abs_diff(column_of_room(home)) };
                detours.least += (level + 1 + along) as u64 * price(kind);
                (detours.leavers[number][leave], detours.levels[number][leave]) = (kind, level);
                leave += 1;
            }
            for left in (0..leave).rev() {
                detours.kinds[number][left] = detours.kinds[number][left + 1] | 1 << detours.leavers[number][left];
            }
            detours.must_leave[number] = leave as u8;
        }
        for stop in 0..rooms + 3 {
            let column = column_of_stop(rooms, stop);
            for kind in 0..rooms {
                detours.way_home[stop][kind] = stops_between(column, column_of_room(kind));
            }
            if let Some(kind) = burrow.hallway[stop] {
                detours.least += column.abs_diff(column_of_room(usize::from(kind))) as u64 * price(kind);
            }
        }
        let leavers = (0..rooms).flat_map(|room| &detours.leavers[room][..usize::from(detours.must_leave[room])]);
        for &kind in leavers.chain(burrow.hallway.iter().flatten()) {
            let level = &mut to_fill[usize::from(kind)];
            detours.least += *level as u64 * price(kind);
            *level -= 1;
        }
        // Enough for nearly all questions of burrows of any size.
        let leavers: usize = detours.must_leave.iter().map(|&leavers| usize::from(leavers)).sum();
        let most = (8 * leavers * leavers).next_power_of_two().max(2);
        detours.shift = 64 - most.trailing_zeros();
        detours.asked = (0..most).map(|_| AtomicU64::new(0)).collect();
        let taken = detours.start.taken();
        let mut start = detours.start;
        detours.settle(&mut start, taken, |_| ());
        detours.start = start;
        detours
    }

    /// How many rooms there are.
    #[inline(always)]
    fn rooms(&self) -> usize {
        if ROOMS == USUAL_ROOMS { USUAL_ROOMS } else { self.rooms }
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

    /// Whether the topmost of a room, of a kind, can go home.
    #[inline(always)]
    fn goes_home(&self, state: State, taken: u16, room: usize, kind: usize) -> bool {
        kind != room && self.is_clear(state, kind) && taken & self.between[room][kind] == 0
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
            for room in 0..self.rooms() {
                while let Some(kind) = self.topmost(*state, room) {
                    if !self.goes_home(*state, taken, room, kind) {
                        break;
                    }
                    home(Homecoming::FromRoom(room, state.left(room)));
                    state.left += 1 << (4 * room);
                    somebody = true;
                }
            }
            if !somebody {
                return taken;
            }
        }
    }

    /// Whether whoever leaves a room may stop there: not between the doors, nor if it and somebody who stands there already are
    /// on each other's way.
    #[inline(always)]
    fn may_stop(&self, state: State, taken: u16, room: usize, kind: usize, stop: usize) -> bool {
        if self.between[room][kind] >> stop & 1 == 1 {
            return false;
        }
        let mut rest = taken & self.way_home[stop][kind];
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.block_each_other((stop, kind), (other, state.kind_at(other) - 1)) {
                return false;
            }
        }
        true
    }

    /// Whether each of two, at a stop and of a kind, stands on the other's way home.
    #[inline(always)]
    fn block_each_other(&self, (stop, kind): (usize, usize), (other, other_kind): (usize, usize)) -> bool {
        self.way_home[stop][kind] >> other & self.way_home[other][other_kind] >> stop & 1 == 1
    }

    /// A lower bound of the detours that are still to be made; `UNREACHABLE` if somebody can never come home.
    #[inline(always)]
    fn estimate_with(&self, state: State, taken: u16) -> Cost {
        let rooms = self.rooms();
        let all = (1 << rooms) - 1;
        let mut clear = 0;
        for room in 0..rooms {
            clear |= usize::from(self.is_clear(state, room)) << room;
        }
        if clear == all {
            return if taken == 0 { 0 } else { UNREACHABLE };
        }
        let mut stops_of = [0u16; ROOMS];
        let mut rest = taken;
        while rest != 0 {
            let stop = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            stops_of[state.kind_at(stop) - 1] |= 1 << stop;
        }
        // Dijkstra's algorithm: for each set of rooms the least at which it was cleared so far, and the same of those that are
        // still to be looked at. An array of so many cannot be written, but a cube is large enough: in a single room nobody
        // is a stranger.
        let mut cubes = [[[[UNREACHABLE; ROOMS]; ROOMS]; ROOMS]; 2];
        let [least, open] = &mut cubes;
        let least = least.as_flattened_mut().as_flattened_mut();
        let open = &mut open.as_flattened_mut().as_flattened_mut()[..1 << rooms];
        let (mut set, mut so_far): (usize, Cost) = (clear, 0);
        loop {
            // The stops of those who wait until other rooms are clear.
            let mut waiting = 0;
            for (kind, stops) in stops_of.iter().enumerate() {
                waiting |= u32::from(*stops) * (1 - (set >> kind & 1) as u32);
            }
            let mut costs = [UNREACHABLE; ROOMS];
            let mut free = 0;
            for (room, cost) in costs.iter_mut().enumerate().take(rooms).filter(|(room, _)| set >> room & 1 == 0) {
                let lo = 32 - (waiting & ((1 << (room + 2)) - 1)).leading_zeros() as usize;
                let hi = ((waiting | 1 << (rooms + 3)) >> (room + 2)).trailing_zeros() as usize + room + 2;
                let left = state.left(room);
                *cost = self.cheapest(Clearing { room, left, homes: set, lo, hi, at_lo: 0, at_hi: 0 });
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

    /// The cheapest arrangement of those who are still to leave a room.
    #[inline(always)]
    fn cheapest(&self, mut clearing: Clearing) -> Cost {
        let Clearing { room, homes, lo, hi, .. } = clearing;
        // Doors between the two; past them nobody goes home.
        clearing.homes = homes & ((1 << (hi - 1).min(self.rooms())) - (1 << lo.saturating_sub(2)));
        let leavers = &self.leavers[room][..usize::from(self.must_leave[room])];
        while clearing.left < leavers.len() && clearing.homes >> leavers[clearing.left] & 1 == 1 {
            clearing.left += 1;
        }
        let Some(&kind) = leavers.get(clearing.left) else { return 0 };
        // What makes no difference is left out of the question, so that fewer are asked.
        clearing.homes &= self.kinds[room][clearing.left];
        clearing.at_lo *= usize::from(lo > 2);
        clearing.at_hi *= usize::from(hi < self.rooms() + 1);
        let question = clearing.packed();
        let known = &self.asked[(question.wrapping_mul(0xf135_7aea_2e62_a9c5) >> self.shift) as usize];
        let entry = known.load(Ordering::Relaxed);
        if entry >> 32 == question {
            return entry as Cost;
        }
        let best = self.work_out(clearing, usize::from(kind));
        known.store(question << 32 | u64::from(best), Ordering::Relaxed);
        best
    }

    /// The same where it is not known: the first to leave, of a kind, is tried on every stop.
    fn work_out(&self, clearing: Clearing, kind: usize) -> Cost {
        let Clearing { room, left, lo, hi, at_lo, at_hi, .. } = clearing;
        let mut best = UNREACHABLE;
        let mut stand = |stop: usize, clearing: Clearing| {
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
        let next = Clearing { left: left + 1, ..clearing };
        let _ = (lo..room + 2).rev().all(|stop| stand(stop, Clearing { lo: stop + 1, at_lo: kind + 1, ..next }));
        let _ = (room + 2..hi).all(|stop| stand(stop, Clearing { hi: stop, at_hi: kind + 1, ..next }));
        best
    }

    /// Every single move of a plan: those of the search, and the ways home between them. Somebody who goes from room to
    /// room stops at a place between, so that each move has one end in the hallway.
    pub fn plan(&self, burrow: &Burrow, leaves: &[Leave]) -> Vec<Move> {
        let (mut burrow, mut state, mut moves) = (burrow.clone(), State::of(burrow), Vec::new());
        let mut play = |from: Place, to: Option<Place>| {
            let kind = burrow.who(from).expect("a plan moves somebody");
            let home = || {
                let free = burrow.rooms[usize::from(kind)].iter().rposition(Option::is_none);
                Place::Room(usize::from(kind), free.expect("its room has a cell for everybody"))
            };
            let action = Move { kind, from, to: to.unwrap_or_else(home) };
            burrow.put(action);
            moves.push(action);
        };
        let place = |room: usize, rank: usize| Place::Room(room, self.levels[room][rank]);
        // First those who can go home before anybody leaves a room.
        for leave in [None].into_iter().chain(leaves.iter().map(Some)) {
            if let Some(leave) = leave {
                let (room, stop) = (usize::from(leave.room), usize::from(leave.stop));
                play(place(room, state.left(room)), Some(Place::Stop(stop)));
                let kind = self.topmost(state, room).expect("a plan moves somebody");
                state = state.after(room, kind, stop);
            }
            let taken = state.taken();
            self.settle(&mut state, taken, |homecoming| match homecoming {
                Homecoming::FromStop(stop) => play(Place::Stop(stop), None),
                Homecoming::FromRoom(room, rank) => {
                    let home = usize::from(self.leavers[room][rank]);
                    let between = Place::Stop(self.between[room][home].trailing_zeros() as usize);
                    play(place(room, rank), Some(between));
                    play(between, None);
                }
            });
        }
        moves
    }
}

/// A bit for each stop strictly between two columns.
#[inline]
fn stops_between(a: usize, b: usize) -> u16 {
    let before = |column: usize| if column == 0 { 0 } else { column / 2 + 1 };
    (1u16 << before(a.max(b))).saturating_sub(1 << before(a.min(b) + 1))
}

/// Somebody goes home.
#[derive(Debug, Clone, Copy)]
enum Homecoming {
    FromStop(usize),
    /// The room, and how many had left it before.
    FromRoom(usize, usize),
}

impl<const ROOMS: usize> Space for Detours<ROOMS> {
    type State = State;
    type Move = Leave;
    type Trail = ();

    const ESTIMATES_LATE: bool = true;

    fn start(&self) -> State {
        self.start
    }

    #[inline(always)]
    fn is_goal(&self, state: &State) -> bool {
        state.hallway == 0 && (0..self.rooms()).all(|room| self.is_clear(*state, room))
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
        for room in 0..self.rooms() {
            let Some(kind) = self.topmost(*state, room) else { continue };
            let mut leave = |stop: usize| {
                if !self.may_stop(*state, taken, room, kind, stop) {
                    return ControlFlow::Continue(());
                }
                let mut after = state.after(room, kind, stop);
                let mut taken = taken | 1 << stop;
                // Before, nobody could go home: only this room may have changed that.
                let goes_home = |kind| self.goes_home(after, taken, room, kind);
                if self.topmost(after, room).is_none_or(goes_home) {
                    taken = self.settle(&mut after, taken, |_| ());
                }
                // Without a budget the caller asks for the estimate itself, of states that are new to it.
                let estimate = if budget.is_some() { self.estimate_with(after, taken) } else { 0 };
                if estimate == UNREACHABLE {
                    return ControlFlow::Continue(());
                }
                visit(Step {
                    action: Leave { room: room as u8, rank: state.left(room) as u8, stop: stop as u8 },
                    cost: self.detours[room][kind][stop],
                    estimate,
                    state: after,
                    trail: (),
                })
            };
            for stop in (0..room + 2).rev().take_while(|stop| taken >> stop & 1 == 0) {
                leave(stop)?;
            }
            for stop in (room + 2..self.rooms() + 3).take_while(|stop| taken >> stop & 1 == 0) {
                leave(stop)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn estimate(&self, state: &State) -> Cost {
        self.estimate_with(*state, state.taken())
    }

    /// Nobody leaves a room twice.
    fn most_moves(&self, _: Cost) -> u64 {
        self.must_leave.iter().map(|&leavers| u64::from(leavers)).sum()
    }
}
