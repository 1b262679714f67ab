//! Who keeps whom from going home for ever: the fewest amphipods that cannot all get home, even on their own.
//!
//! Whoever is taken out of a burrow is on nobody's way any more, so that a plan for all is one for some of them. Hence what
//! some cannot do, all cannot; and what keeps all from getting home are some who cannot get home by themselves. Sets of one,
//! two, three, … are tried as long as they are few enough; then one after the other is left out of all.
//!
//! ```text
//!   #############
//!   #...D.A.....#        D belongs to the right of A, and A to the left of D: whatever the others do,
//!   ###.#B#C#.###        each of the two stays on the other's way home.
//! ```

use std::cell::Cell;

use super::burrow::{Burrow, Kind, column_of_room, name};
use super::plain::Plain;
use super::{Place, solvable};
use crate::search::{self, Conclusion, Limits};
use crate::stop::Stop;
use crate::why::{self, Part};

/// Sets that are tried, the smallest first.
const MOST_SETS: usize = 20_000;
/// Nodes that a set may take, and its check.
const NODES: u64 = 200_000;

/// Amphipods that cannot all get home.
#[derive(Debug)]
pub struct Blockade {
    pub who: Vec<(Kind, Place)>,
    /// None of them can be left out.
    pub is_minimal: bool,
    /// No fewer amphipods keep each other from home.
    pub is_smallest: bool,
}

/// Of a burrow in which not everybody can get home.
pub fn blockade(burrow: &Burrow, stop: &Stop) -> Blockade {
    let limits = Limits { stop: stop.clone(), nodes: Some(NODES), depth: None, memory: None, threads: 1 };
    // What takes too long to look through is not known to be blocked.
    let is_unsure = Cell::new(false);
    let is_blocked = |who: &[(Kind, Place)]| {
        let outcome = solvable(&only(burrow, who), &limits);
        is_unsure.set(is_unsure.get() || matches!(outcome, Conclusion::GaveUp(_)));
        outcome == Conclusion::Impossible
    };
    let everybody = burrow.everybody();
    let (mut tried, mut size) = (0, 2);
    while size < everybody.len() && stop.requested().is_none() {
        tried = match binomial(everybody.len(), size).and_then(|sets| sets.checked_add(tried)) {
            Some(tried) if tried <= MOST_SETS => tried,
            _ => break,
        };
        let mut sets =
            subsets(everybody.len(), size).map(|set| set.into_iter().map(|index| everybody[index]).collect());
        if let Some(who) = sets.find(|who: &Vec<_>| is_blocked(who)) {
            return Blockade { who, is_minimal: !is_unsure.get(), is_smallest: !is_unsure.get() };
        }
        size += 1;
    }
    let without = |who: &[(Kind, Place)], one: (Kind, Place)| -> Vec<(Kind, Place)> {
        who.iter().copied().filter(|&other| other != one).collect()
    };
    let mut who = everybody.clone();
    for &one in everybody.iter().rev() {
        let rest = without(&who, one);
        if stop.requested().is_none() && is_blocked(&rest) {
            who = rest;
        }
    }
    let can = |&one: &_| matches!(solvable(&only(burrow, &without(&who, one)), &limits), Conclusion::Solved(_));
    let is_minimal = who.iter().all(can);
    // All sets that are smaller were tried.
    Blockade { is_minimal, is_smallest: is_minimal && !is_unsure.get() && who.len() <= size, who }
}

/// The burrow with these amphipods alone, as far down in their rooms as they can be: for getting home levels make no difference.
pub fn only(burrow: &Burrow, who: &[(Kind, Place)]) -> Burrow {
    let hallway = vec![None; burrow.hallway.len()];
    let mut only = Burrow { depth: burrow.depth, hallway, rooms: vec![vec![None; burrow.depth]; burrow.rooms.len()] };
    // From the bottom.
    for &(kind, place) in who.iter().rev() {
        match place {
            Place::Stop(stop) => only.hallway[stop] = Some(kind),
            Place::Room(room, _) => {
                let room = &mut only.rooms[room];
                let free = room.iter().rposition(Option::is_none).expect("a room has a cell for everybody in it");
                room[free] = Some(kind);
            }
        }
    }
    only
}

/// Looks through all that these amphipods can do, cell by cell; an error if they get home after all. Whether it came to its end:
/// a blockade that takes too long to check is not told.
pub fn check(burrow: &Burrow, blockade: &Blockade, stop: &Stop) -> Result<bool, String> {
    let limits = Limits { stop: stop.clone(), nodes: Some(NODES), depth: None, memory: None, threads: 1 };
    match search::memo(&Plain::new(&only(burrow, &blockade.who)), &limits).outcome {
        Conclusion::Solved(_) => Err("those who are said to be blocked get home".to_owned()),
        outcome => Ok(outcome == Conclusion::Impossible),
    }
}

impl Blockade {
    /// "the D in hallway 4 and the A in hallway 6 block each other for ever"
    pub fn summary(&self, burrow: &Burrow) -> String {
        let who: Vec<String> = self.who.iter().map(|&one| words(burrow, one)).collect();
        match (&who[..], self.is_minimal) {
            ([one, other], true) => format!("{one} and {other} block each other for ever"),
            (_, true) => {
                let smallest = if self.is_smallest { ", and no fewer block each other" } else { "" };
                let number = self.who.len();
                format!("these {number} cannot all get home, even on their own{smallest}")
            }
            _ => format!("these {} cannot all get home", self.who.len()),
        }
    }

    /// Of each why it cannot just go home.
    pub fn parts(&self, burrow: &Burrow) -> Vec<Part> {
        let part = |&one: &(Kind, Place)| {
            let text = words(burrow, one);
            Part { kind: why::Kind::Fact, words: format!("{text} {}", self.hindrance(burrow, one)), text, place: None }
        };
        self.who.iter().map(part).collect()
    }

    fn hindrance(&self, burrow: &Burrow, (kind, place): (Kind, Place)) -> String {
        let rooms = burrow.rooms.len();
        let home = usize::from(kind);
        let [_, from] = place.at(rooms);
        let to = column_of_room(home);
        let list = |of: Vec<String>| of.join(" and ");
        let told = |is_meant: &dyn Fn(Kind, Place) -> bool| -> Vec<String> {
            let meant = self.who.iter().filter(|(kind, place)| is_meant(*kind, *place));
            meant.map(|&other| words(burrow, other)).collect()
        };
        let on_the_way = told(&|_, other| {
            let [row, column] = other.at(rooms);
            row == 0 && column > from.min(to) && column < from.max(to)
        });
        let strangers = |below: usize| {
            let is_inside = |place| matches!(place, Place::Room(room, level) if room == home && level >= below);
            told(&|kind, place| is_inside(place) && usize::from(kind) != home)
        };
        if let Place::Room(room, level) = place
            && room == home
        {
            return match strangers(level) {
                below if below.is_empty() => "is at home".to_owned(),
                below => format!("has to let {} out", list(below)),
            };
        }
        let mut waits = Vec::new();
        if !on_the_way.is_empty() {
            waits.push(format!("{} on its way home", list(on_the_way)));
        }
        match strangers(0) {
            inside if inside.is_empty() => {}
            inside => waits.push(format!("{} in its room", list(inside))),
        }
        if waits.is_empty() { "has to go home".to_owned() } else { format!("has {}", waits.join(", and ")) }
    }
}

/// "the D in hallway 4", "the A in room C, level 2"
fn words(burrow: &Burrow, (kind, place): (Kind, Place)) -> String {
    let who = name(kind);
    match place {
        Place::Stop(_) => format!("the {who} in hallway {}", place.at(burrow.rooms.len())[1] + 1),
        Place::Room(room, level) => format!("the {who} in room {}, level {}", name(room as Kind), level + 1),
    }
}

/// The number of ways to choose `chosen` of `all`; `None` if it is too large to count.
fn binomial(all: usize, chosen: usize) -> Option<usize> {
    (0..chosen).try_fold(1_usize, |sets, index| Some(sets.checked_mul(all - index)? / (index + 1)))
}

/// All sets of so many, in order.
fn subsets(all: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    std::iter::successors(Some((0..size).collect()), move |set: &Vec<usize>| {
        let at = (0..size).rposition(|at| set[at] < all - size + at)?;
        let first = set[at] + 1;
        Some(set[..at].iter().copied().chain(first..first + size - at).collect())
    })
}
