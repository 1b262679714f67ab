//! Deadlocks: a smallest set of amphipods that cannot all reach their rooms even with every other
//! one removed.
//!
//! Removing an amphipod only makes room, so a plan for all amphipods contains one for any subset.
//! Hence, if a subset cannot get home, neither can all. The search tries all sets of two, three, …
//! amphipods up to a number of sets, and then shrinks the full set by deletion.
//!
//! ```text
//!   #############
//!   #...D.A.....#   D belongs to the right of A, and A to the left of D: whatever the others do,
//!   ###.#B#C#.###   each of the two blocks the other's path home.
//! ```

use std::cell::Cell;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use explain::{Part, PartKind};
use puzzle::native::PathProof;
use puzzle::one_player::ExplainBoard;
use statespace::search::{self, Limits, Outcome};

use super::burrow::{Burrow, Kind, column_of_room, name};
use super::moves::Place;
use super::options::Amphipod;
use super::plain::PlainSpace;
use super::solve::solvable;

/// Maximum number of sets tried, the smallest first.
const MAX_SETS: usize = 20_000;
/// Maximum number of nodes for the search with a set, and for the check of the result.
const MAX_NODES: u64 = 200_000;

/// A set of amphipods that cannot all get home.
#[derive(Debug)]
pub struct Deadlock {
    pub members: Vec<(Kind, Place)>,
    /// True if every proper subset can get home.
    pub is_minimal: bool,
    /// True if no smaller set is deadlocked.
    pub is_smallest: bool,
}

impl ExplainBoard<Amphipod> for Amphipod {
    fn explain_unsolvable(&self, burrow: &Burrow, stop: &CancelToken) -> Result<Option<PathProof>, Failure> {
        let deadlock = find_deadlock(burrow, stop);
        let is_checked =
            check_deadlock(burrow, &deadlock, stop).map_err(|error| Diagnostic::error(Code::RejectedClaim, error))?;
        let proof =
            || PathProof::unsolvable(Some(deadlock.summary(burrow)), deadlock.parts(burrow), deadlock.is_smallest);
        Ok(is_checked.then(proof))
    }
}

/// Finds a deadlock of a burrow in which not all amphipods can get home.
fn find_deadlock(burrow: &Burrow, stop: &CancelToken) -> Deadlock {
    let limits = Limits { stop: stop.clone(), nodes: Some(MAX_NODES), depth: None, memory: None, threads: 1 };
    // If a search reaches the node limit, its set may be deadlocked or not.
    let is_unsure = Cell::new(false);
    let is_blocked = |members: &[(Kind, Place)]| {
        let outcome = solvable(&restricted_to(burrow, members), &limits);
        is_unsure.set(is_unsure.get() || matches!(outcome, Outcome::GaveUp(_)));
        outcome == Outcome::Impossible
    };
    let amphipods = burrow.amphipods();
    let mut tried = 0;
    let mut size = 2;
    while size < amphipods.len() && stop.requested().is_none() {
        tried += subsets(amphipods.len(), size).take(MAX_SETS + 1).count();
        if tried > MAX_SETS {
            break;
        }
        let mut sets =
            subsets(amphipods.len(), size).map(|set| set.into_iter().map(|index| amphipods[index]).collect());
        if let Some(members) = sets.find(|members: &Vec<_>| is_blocked(members)) {
            return Deadlock { members, is_minimal: !is_unsure.get(), is_smallest: !is_unsure.get() };
        }
        size += 1;
    }
    let without = |members: &[(Kind, Place)], amphipod: (Kind, Place)| -> Vec<(Kind, Place)> {
        members.iter().copied().filter(|&other| other != amphipod).collect()
    };
    let mut members = amphipods.clone();
    for &amphipod in amphipods.iter().rev() {
        let rest = without(&members, amphipod);
        if stop.requested().is_none() && is_blocked(&rest) {
            members = rest;
        }
    }
    let can_without = |&amphipod: &_| {
        matches!(solvable(&restricted_to(burrow, &without(&members, amphipod)), &limits), Outcome::Solved(_))
    };
    let is_minimal = members.iter().all(can_without);
    // All smaller sets were tried.
    Deadlock { is_minimal, is_smallest: is_minimal && !is_unsure.get() && members.len() <= size, members }
}

/// Returns the burrow with these amphipods only, moved down in their rooms as far as possible.
/// Whether they can get home does not depend on their levels.
pub fn restricted_to(burrow: &Burrow, members: &[(Kind, Place)]) -> Burrow {
    let hallway = vec![None; burrow.hallway.len()];
    let mut restricted =
        Burrow { depth: burrow.depth, hallway, rooms: vec![vec![None; burrow.depth]; burrow.rooms.len()] };
    // Fill the rooms from the bottom.
    for &(kind, place) in members.iter().rev() {
        match place {
            Place::Stop(stop) => restricted.hallway[stop] = Some(kind),
            Place::Room(room, _) => {
                let room = &mut restricted.rooms[room];
                let free = room.iter().rposition(Option::is_none).expect("a room has a cell for each amphipod in it");
                room[free] = Some(kind);
            }
        }
    }
    restricted
}

/// Checks a deadlock by an exhaustive search in [`PlainSpace`]. Returns false if the search reaches
/// the node limit; such a deadlock is not reported.
///
/// # Errors
/// Returns an error if the amphipods can get home after all.
fn check_deadlock(burrow: &Burrow, deadlock: &Deadlock, stop: &CancelToken) -> Result<bool, String> {
    let limits = Limits { stop: stop.clone(), nodes: Some(MAX_NODES), depth: None, memory: None, threads: 1 };
    match search::memo(&PlainSpace::new(&restricted_to(burrow, &deadlock.members)), &limits).outcome {
        Outcome::Solved(_) => Err("the amphipods reported as deadlocked get home".to_owned()),
        outcome => Ok(outcome == Outcome::Impossible),
    }
}

impl Deadlock {
    /// "the D in hallway 4 and the A in hallway 6 block each other forever"
    pub fn summary(&self, burrow: &Burrow) -> String {
        let members: Vec<String> = self.members.iter().map(|&first| describe(burrow, first)).collect();
        match (&members[..], self.is_minimal) {
            ([first, second], true) => format!("{first} and {second} block each other forever"),
            (_, true) => {
                let smallest = if self.is_smallest { ", and no fewer block each other" } else { "" };
                let number = self.members.len();
                format!("these {number} cannot all get home, even on their own{smallest}")
            }
            _ => format!("these {} cannot all get home", self.members.len()),
        }
    }

    /// Returns, for each amphipod, why it cannot simply go home.
    pub fn parts(&self, burrow: &Burrow) -> Vec<Part> {
        let part = |&amphipod: &(Kind, Place)| {
            let text = describe(burrow, amphipod);
            let words = format!("{text} {}", self.hindrance(burrow, amphipod));
            Part::new(PartKind::Fact, text, words)
        };
        self.members.iter().map(part).collect()
    }

    fn hindrance(&self, burrow: &Burrow, (kind, place): (Kind, Place)) -> String {
        let rooms = burrow.rooms.len();
        let home = usize::from(kind);
        let [_, from] = place.at(rooms);
        let to = column_of_room(home);
        let list = |of: Vec<String>| of.join(" and ");
        let describe_those = |is_included: &dyn Fn(Kind, Place) -> bool| -> Vec<String> {
            let included = self.members.iter().filter(|(kind, place)| is_included(*kind, *place));
            included.map(|&other| describe(burrow, other)).collect()
        };
        let on_the_way = describe_those(&|_, other| {
            let [row, column] = other.at(rooms);
            row == 0 && column > from.min(to) && column < from.max(to)
        });
        let strangers = |below: usize| {
            let is_inside = |place| matches!(place, Place::Room(room, level) if room == home && level >= below);
            describe_those(&|kind, place| is_inside(place) && usize::from(kind) != home)
        };
        if let Place::Room(room, level) = place
            && room == home
        {
            return match strangers(level) {
                below if below.is_empty() => "is at home".to_owned(),
                below => format!("has to let {} out", list(below)),
            };
        }
        let mut obstacles = Vec::new();
        if !on_the_way.is_empty() {
            obstacles.push(format!("{} on its way home", list(on_the_way)));
        }
        match strangers(0) {
            inside if inside.is_empty() => {}
            inside => obstacles.push(format!("{} in its room", list(inside))),
        }
        if obstacles.is_empty() { "has to go home".to_owned() } else { format!("has {}", obstacles.join(", and ")) }
    }
}

/// "the D in hallway 4", "the A in room C, level 2"
fn describe(burrow: &Burrow, (kind, place): (Kind, Place)) -> String {
    let letter = name(kind);
    match place {
        Place::Stop(_) => format!("the {letter} in hallway {}", place.at(burrow.rooms.len())[1] + 1),
        Place::Room(room, level) => format!("the {letter} in room {}, level {}", name(room as Kind), level + 1),
    }
}

/// Enumerates all sets of `size` indices in lexicographic order.
fn subsets(all: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    std::iter::successors(Some((0..size).collect()), move |set: &Vec<usize>| {
        let at = (0..size).rposition(|at| set[at] < all - size + at)?;
        let first = set[at] + 1;
        Some(set[..at].iter().copied().chain(first..first + size - at).collect())
    })
}
