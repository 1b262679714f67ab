//! Random plans of tracks and small changes of them.
//!
//! Forks, gates and places stand on the grid of a planar network. Tracks are lines of the grid, so
//! no two cross, and each thing has as many tracks as ends. A random walk finds them: a thing that
//! lacks a track takes one from a neighbour, and so on until two neighbours both lack one. The stem
//! of a fork is an end opposite to the others, so that trains can pass without sharp turns.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

use crate::asp::Term;
use crate::puzzle::rail::network::facts::{Fact, Facts, fact, term};
use crate::puzzle::rail::network::plan::tuple;
use crate::puzzle::rail::network::{Kind, Network, NodeId};

/// The tracks of a plan. Things are numbered: forks, then gates, then places in order of their
/// nodes, the start first.
#[derive(Debug, Clone)]
pub struct Tracks {
    forks: usize,
    gates: usize,
    places: Vec<(i32, i32)>,
    /// For each thing, its neighbours on the grid.
    near: Vec<Vec<usize>>,
    /// For each thing, the things that its ends are joined to. The stem of a fork and the left end
    /// of a gate come first.
    joined: Vec<Vec<usize>>,
}

/// Maximum steps of the walk per thing.
const WALK_STEPS: usize = 40;
/// Minimum angle between a branch of a fork and its stem.
const MIN_ANGLE: f64 = 0.45 * PI;

impl Tracks {
    /// Lays random tracks between things at `places`; `None` if the walk fails or the tracks are
    /// not connected.
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
        let mut lacks: Vec<usize> = (0..places.len()).map(ends).collect();
        let mut lacking: Vec<usize> = (0..places.len()).flat_map(|thing| vec![thing; lacks[thing]]).collect();
        let joined = vec![Vec::new(); places.len()];
        let mut tracks = Tracks { forks, gates, places: places.to_vec(), near, joined };
        for _ in 0..WALK_STEPS * places.len() {
            if lacking.is_empty() {
                break;
            }
            let one = lacking.swap_remove(random.usize(..lacking.len()));
            lacks[one] -= 1;
            let free = tracks.near[one].iter().copied().filter(|other| !tracks.joined[one].contains(other));
            let (fit, others): (Vec<usize>, Vec<usize>) = free.partition(|&other| lacks[other] > 0);
            if let Some(other) = random.choice(fit) {
                lacks[other] -= 1;
                lacking.swap_remove(lacking.iter().position(|&thing| thing == other).expect("it lacks one"));
                tracks.join(one, other);
            } else {
                let other = random.choice(others)?;
                let end = random.usize(..tracks.joined[other].len());
                let taken = tracks.joined[other].swap_remove(end);
                tracks.joined[taken].retain(|&thing| thing != other);
                tracks.join(one, other);
                lacks[taken] += 1;
                lacking.push(taken);
            }
        }
        if !lacking.is_empty() || !tracks.is_connected() {
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
        let (mut seen, mut open) = (BTreeSet::from([0]), vec![0]);
        while let Some(thing) = open.pop() {
            open.extend(self.joined[thing].iter().filter(|&&next| seen.insert(next)));
        }
        seen.len() == self.joined.len()
    }

    /// The angle at `at` between the directions to two things, from 0 to π.
    fn angle(&self, at: usize, one: usize, other: usize) -> f64 {
        let direction = |to: usize| {
            let [(x, y), (to_x, to_y)] = [self.places[at], self.places[to]];
            f64::from(to_y - y).atan2(f64::from(to_x - x))
        };
        let between = (direction(one) - direction(other)).rem_euclid(TAU);
        between.min(TAU - between)
    }

    /// The smallest angle between a branch and the stem, if `stem` were the stem of the fork.
    fn opening(&self, fork: usize, stem: usize) -> f64 {
        let ends = &self.joined[fork];
        let others = ends.iter().enumerate().filter(|(end, _)| *end != stem);
        others.map(|(_, &other)| self.angle(fork, ends[stem], other)).fold(PI, f64::min)
    }

    /// Chooses another stem if a branch is too close to the current one.
    fn orient_fork(&mut self, fork: usize) {
        if fork < self.forks && self.opening(fork, 0) < MIN_ANGLE {
            let best = (0..self.joined[fork].len())
                .max_by(|&one, &other| self.opening(fork, one).total_cmp(&self.opening(fork, other)));
            self.joined[fork].swap(0, best.expect("a fork has ends"));
        }
    }

    /// Changes the tracks near a node and redirects the arcs of the network; false if that is not
    /// possible.
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
                let fits = self.opening(thing, stem) >= MIN_ANGLE;
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

    /// Exchanges two places.
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

    /// Replaces two tracks by two others between the same four things.
    fn redirect(&mut self, one: usize, random: &mut fastrand::Rng) -> bool {
        let free =
            |from: usize, to: usize| from != to && self.near[from].contains(&to) && !self.joined[from].contains(&to);
        let mut fit = Vec::new();
        for (end, &other) in self.joined[one].iter().enumerate() {
            for &to in self.near[one].iter().filter(|&&to| free(one, to)) {
                let ends = self.joined[to].iter().enumerate().filter(|&(_, &from)| from != one && free(other, from));
                fit.extend(ends.map(|(at, &from)| ([(one, end), (to, at)], other, from)));
            }
        }
        let Some(([(one, end), (to, at)], other, from)) = random.choice(fit) else { return false };
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

    /// The node that a train reaches from an end of a thing; `None` in a dead loop.
    fn destination(&self, thing: usize, end: usize) -> Option<NodeId> {
        let (mut came, mut at) = (thing, self.joined[thing][end]);
        for _ in 0..self.joined.len() {
            if at >= self.forks + self.gates {
                return Some(at + self.gates);
            } else if at >= self.forks {
                let side = usize::from(self.joined[at][0] != came);
                return Some(self.forks + 2 * (at - self.forks) + side);
            } else if self.joined[at][0] == came {
                return Some(at);
            }
            (came, at) = (at, self.joined[at][0]);
        }
        None
    }

    /// Redirects the arcs of a network to follow the tracks; false if there is a dead loop, or if
    /// the start leads straight to a place.
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

    /// The facts of the plan, with the node names of the network.
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

    /// The tracks as lines between positions.
    pub fn lines(&self) -> Vec<((i32, i32), (i32, i32))> {
        let ends = self.joined.iter().enumerate().flat_map(|(one, ends)| ends.iter().map(move |&other| (one, other)));
        ends.map(|(one, other)| (self.places[one], self.places[other])).collect()
    }
}

/// Exchanges the colours of two forks, if the colours differ and the forks have equally many ways.
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
