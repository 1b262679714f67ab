//! Random plans of tracks and small changes of them.
//!
//! The things of a plan (forks, gates and places) are at the points of the grid of a planar
//! network. Tracks are lines of the grid, so no two tracks cross, and each thing has as many tracks
//! as ends. A random walk finds them: a thing that lacks a track takes one from a neighbour, which
//! then lacks one, and so on until two neighbours both lack a track. The stem of a fork is an end
//! opposite to the others, so that trains can pass without sharp turns.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

use asp::Term;

use crate::network::fact::{Fact, fact, term};
use crate::network::facts::Facts;
use crate::network::plan::tuple;
use crate::network::{Kind, Network, NodeId};

/// The tracks of a plan. Things are numbered in this order: forks, gates, then places in the order
/// of their nodes, beginning with the start.
#[derive(Debug, Clone)]
pub struct Tracks {
    forks: usize,
    gates: usize,
    places: Vec<(i32, i32)>,
    /// For each thing, its neighbours on the grid.
    near: Vec<Vec<usize>>,
    /// For each thing, the things to which its ends are joined. The first one is at the stem of a
    /// fork, or at the left end of a gate.
    joined: Vec<Vec<usize>>,
}

/// Maximum number of steps of the walk for each thing.
const WALK_STEPS: usize = 40;
/// Minimum angle between a branch of a fork and its stem.
const MIN_ANGLE: f64 = 0.45 * PI;

impl Tracks {
    /// Lays random tracks between things at `places`. Returns `None` if the walk fails or the
    /// tracks are not connected.
    pub fn random(
        network: &Network,
        places: &[(i32, i32)],
        lines: &[(usize, usize)],
        random: &mut fastrand::Rng,
    ) -> Option<Self> {
        let (forks, gates) = (network.fork_count(), network.gates.len());
        let mut near = vec![Vec::new(); places.len()];
        for &(one, other) in lines {
            near[one].push(other);
            near[other].push(one);
        }
        let ends = |thing: usize| match &network.nodes[if thing < forks { thing } else { thing + gates }].kind {
            Kind::Fork { ways, .. } => ways.len() + 1,
            _ => 1 + usize::from((forks..forks + gates).contains(&thing)),
        };
        let mut missing_tracks: Vec<usize> = (0..places.len()).map(ends).collect();
        let mut incomplete_things: Vec<usize> =
            (0..places.len()).flat_map(|thing| vec![thing; missing_tracks[thing]]).collect();
        let joined = vec![Vec::new(); places.len()];
        let mut tracks = Tracks { forks, gates, places: places.to_vec(), near, joined };
        for _ in 0..WALK_STEPS * places.len() {
            if incomplete_things.is_empty() {
                break;
            }
            let one = incomplete_things.swap_remove(random.usize(..incomplete_things.len()));
            missing_tracks[one] -= 1;
            let neighbours = tracks.near[one].iter().copied().filter(|other| !tracks.joined[one].contains(other));
            let (incomplete_neighbours, others): (Vec<usize>, Vec<usize>) =
                neighbours.partition(|&other| missing_tracks[other] > 0);
            if let Some(other) = random.choice(incomplete_neighbours) {
                missing_tracks[other] -= 1;
                incomplete_things
                    .swap_remove(incomplete_things.iter().position(|&thing| thing == other).expect("it lacks one"));
                tracks.join(one, other);
            } else {
                let other = random.choice(others)?;
                let end = random.usize(..tracks.joined[other].len());
                let taken = tracks.joined[other].swap_remove(end);
                tracks.joined[taken].retain(|&thing| thing != other);
                tracks.join(one, other);
                missing_tracks[taken] += 1;
                incomplete_things.push(taken);
            }
        }
        if !incomplete_things.is_empty() || !tracks.is_connected() {
            return None;
        }
        for fork in 0..forks {
            tracks.orient_fork(fork);
        }
        Some(tracks)
    }

    fn join(&mut self, one: usize, other: usize) {
        self.joined[one].push(other);
        self.joined[other].push(one);
    }

    fn is_connected(&self) -> bool {
        let (mut reached, mut open) = (BTreeSet::from([0]), vec![0]);
        while let Some(thing) = open.pop() {
            open.extend(self.joined[thing].iter().filter(|&&next| reached.insert(next)));
        }
        reached.len() == self.joined.len()
    }

    /// Returns the angle at the thing `at` between the directions to two other things, from 0 to π.
    fn angle(&self, at: usize, one: usize, other: usize) -> f64 {
        let direction = |to: usize| {
            let [(x, y), (to_x, to_y)] = [self.places[at], self.places[to]];
            f64::from(to_y - y).atan2(f64::from(to_x - x))
        };
        let between = (direction(one) - direction(other)).rem_euclid(TAU);
        between.min(TAU - between)
    }

    /// Returns the smallest angle between a branch and the stem of a fork whose stem is the end
    /// `stem`.
    fn stem_angle(&self, fork: usize, stem: usize) -> f64 {
        let ends = &self.joined[fork];
        let others = ends.iter().enumerate().filter(|(end, _)| *end != stem);
        others.map(|(_, &other)| self.angle(fork, ends[stem], other)).fold(PI, f64::min)
    }

    /// Chooses another stem if the angle between a branch and the current one is too small.
    fn orient_fork(&mut self, fork: usize) {
        if fork < self.forks && self.stem_angle(fork, 0) < MIN_ANGLE {
            let best = (0..self.joined[fork].len())
                .max_by(|&one, &other| self.stem_angle(fork, one).total_cmp(&self.stem_angle(fork, other)));
            self.joined[fork].swap(0, best.expect("a fork has ends"));
        }
    }

    /// Changes the tracks near the node `near`, and redirects the arcs of the network. Returns
    /// false if that is not possible.
    pub fn change(
        &mut self,
        network: &mut Network,
        near: NodeId,
        requested: Option<NodeId>,
        random: &mut fastrand::Rng,
    ) -> bool {
        let thing = match near {
            fork if fork < self.forks => fork,
            side if side < self.forks + 2 * self.gates => self.forks + (side - self.forks) / 2,
            place => place - self.gates,
        };
        let first = self.forks + self.gates;
        let requested = requested.and_then(|node| node.checked_sub(self.gates)).filter(|&place| place >= first);
        let changed = match random.u8(..4) {
            0 if requested.is_some() => {
                let places = self.joined[thing].iter().copied().filter(|&other| other >= first);
                let place = random.choice(places.collect::<Vec<_>>());
                place.zip(requested).is_some_and(|(place, requested)| self.exchange(place, requested))
            }
            0 => self.exchange(random.usize(first..self.joined.len()), random.usize(first..self.joined.len())),
            1 if thing < self.forks => {
                let stem = random.usize(1..self.joined[thing].len());
                let fits = self.stem_angle(thing, stem) >= MIN_ANGLE;
                if fits {
                    self.joined[thing].swap(0, stem);
                }
                fits
            }
            2 if thing < self.forks => swap_colors(network, thing, random.usize(..self.forks)),
            _ => self.redirect(thing, random),
        };
        changed && self.connect_arcs(network)
    }

    /// Exchanges the positions and the tracks of two places.
    fn exchange(&mut self, one: usize, other: usize) -> bool {
        let [near_one, near_other] = [one, other].map(|place| self.joined[place][0]);
        if one == other || near_one == near_other {
            return false;
        }
        for (near, from, to) in [(near_one, one, other), (near_other, other, one)] {
            let end = self.joined[near].iter_mut().find(|end| **end == from);
            *end.expect("a track has two ends") = to;
        }
        self.joined.swap(one, other);
        self.places.swap(one, other);
        self.near.swap(one, other);
        for thing in self.near.iter_mut().flatten() {
            if *thing == one {
                *thing = other;
            } else if *thing == other {
                *thing = one;
            }
        }
        true
    }

    /// Replaces two tracks by two other tracks between the same four things.
    fn redirect(&mut self, one: usize, random: &mut fastrand::Rng) -> bool {
        let is_possible_track =
            |from: usize, to: usize| from != to && self.near[from].contains(&to) && !self.joined[from].contains(&to);
        let mut candidates = Vec::new();
        for (end, &other) in self.joined[one].iter().enumerate() {
            for &to in self.near[one].iter().filter(|&&to| is_possible_track(one, to)) {
                let ends = self.joined[to]
                    .iter()
                    .enumerate()
                    .filter(|&(_, &from)| from != one && is_possible_track(other, from));
                candidates.extend(ends.map(|(at, &from)| ([(one, end), (to, at)], other, from)));
            }
        }
        let Some(([(one, end), (to, at)], other, from)) = random.choice(candidates) else { return false };
        let end_of = |tracks: &Self, thing: usize, joined: usize| {
            tracks.joined[thing].iter().position(|&end| end == joined).expect("a track has two ends")
        };
        let (other_end, from_end) = (end_of(self, other, one), end_of(self, from, to));
        for (thing, end, joined) in [(one, end, to), (to, at, one), (other, other_end, from), (from, from_end, other)] {
            self.joined[thing][end] = joined;
        }
        for thing in [one, to, other, from] {
            self.orient_fork(thing);
        }
        self.is_connected()
    }

    /// Returns the node that a train reaches from an end of a thing, or `None` in a dead loop.
    fn destination(&self, thing: usize, end: usize) -> Option<NodeId> {
        let (mut previous, mut current) = (thing, self.joined[thing][end]);
        for _ in 0..self.joined.len() {
            if current >= self.forks + self.gates {
                return Some(current + self.gates);
            } else if current >= self.forks {
                let side = usize::from(self.joined[current][0] != previous);
                return Some(self.forks + 2 * (current - self.forks) + side);
            } else if self.joined[current][0] == previous {
                return Some(current);
            }
            (previous, current) = (current, self.joined[current][0]);
        }
        None
    }

    /// Redirects the arcs of a network according to the tracks. Returns false if there is a dead
    /// loop, or if the track from the start leads to a place without a fork or gate in between.
    pub fn connect_arcs(&self, network: &mut Network) -> bool {
        let first = self.forks + self.gates;
        let start = self.destination(first, 0).filter(|&start| start < first + self.gates);
        let Some(start) = start else { return false };
        network.starts = vec![start];
        for thing in 0..first {
            for end in 0..self.joined[thing].len() {
                let Some(to) = self.destination(thing, end) else { return false };
                match thing.checked_sub(self.forks) {
                    None if end == 0 => {}
                    None => network.redirect((thing, end - 1), to),
                    // A train that arrives at one side leaves by the other.
                    Some(gate) => network.redirect((self.forks + 2 * gate + 1 - end, 0), to),
                }
            }
        }
        true
    }

    /// Returns the facts of the plan, with the node names of the network.
    pub fn facts(&self, network: &Network) -> Facts {
        let first = self.forks + self.gates;
        let name = |thing: usize| match thing.checked_sub(self.forks) {
            Some(gate) if gate < self.gates => network.gates[gate].term.clone(),
            None => network.nodes[thing].name.term.clone(),
            _ => network.nodes[thing + self.gates].name.term.clone(),
        };
        let end = |thing: usize, end: usize| {
            let which = match thing {
                fork if fork < self.forks && end == 0 => term("stem"),
                fork if fork < self.forks => Term::Number(end as i32),
                gate if gate < first => term(["left", "right"][end]),
                _ => term("end"),
            };
            tuple(&(name(thing), which))
        };
        let mut facts: Vec<Fact> = vec![fact("start", &[name(first)])];
        for (thing, joined) in self.joined.iter().enumerate() {
            let (x, y) = self.places[thing];
            facts.push(fact("position", &[name(thing), Term::Number(x), Term::Number(y)]));
            for (at, &other) in joined.iter().enumerate().filter(|(_, other)| thing < **other) {
                let back = self.joined[other].iter().position(|&back| back == thing).expect("a track has two ends");
                facts.push(fact("track", &[end(thing, at), end(other, back)]));
            }
            match thing {
                fork if fork < self.forks => {
                    if let Kind::Fork { color, .. } = network.nodes[fork].kind {
                        facts.push(fact("color", &[name(fork), network.colors[color].name.term.clone()]));
                    }
                }
                gate if gate < first => {
                    facts.push(fact("gate", &[name(gate)]));
                    let side = |side: usize| &network.nodes[self.forks + 2 * (gate - self.forks) + side].name.term;
                    facts.extend([0, 1].map(|at| fact("name", &[end(gate, at), side(at).clone()])));
                }
                place if network.nodes[place + self.gates].kind == Kind::Target => {
                    facts.push(fact("target", &[name(place)]));
                }
                place => facts.push(fact("final_node", &[name(place)])),
            }
        }
        for (rank, color) in (1..).zip(&network.colors) {
            let letter = Term::Text(color.letter.to_string());
            facts.push(fact("lever", &[Term::Number(rank), color.name.term.clone(), letter]));
        }
        Facts { facts: facts.into_iter().collect::<BTreeSet<_>>().into_iter().collect(), ..Facts::default() }
    }

    /// Returns the tracks as lines between positions.
    pub fn lines(&self) -> Vec<((i32, i32), (i32, i32))> {
        let ends = self.joined.iter().enumerate().flat_map(|(one, ends)| ends.iter().map(move |&other| (one, other)));
        ends.map(|(one, other)| (self.places[one], self.places[other])).collect()
    }
}

/// Exchanges the colours of two forks. Returns false if the colours are equal, or if the forks have
/// different numbers of ways.
fn swap_colors(network: &mut Network, one: usize, other: usize) -> bool {
    let color = |fork: usize| match &network.nodes[fork].kind {
        Kind::Fork { color, ways } => (*color, ways.len()),
        _ => unreachable!("forks come first"),
    };
    let ((a, ways), (b, others)) = (color(one), color(other));
    for (fork, to) in [(one, b), (other, a)] {
        if let Kind::Fork { color, .. } = &mut network.nodes[fork].kind
            && ways == others
        {
            *color = to;
        }
    }
    a != b && ways == others
}
