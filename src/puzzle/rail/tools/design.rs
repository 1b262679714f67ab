//! Random networks, and small changes of them.
//!
//! A network has a start, a target, losses, forks and gates with two sides each. What is drawn by chance is where the arcs end. Small
//! networks are shuffled: every fork and every side of a gate is the end of some arc, one arc in eight ends in a loss, and the rest
//! lead anywhere. Large ones would be all cycles that way, so they are laid out in levels, each twice as large as the one before, up
//! to a width; most arcs lead to the next level.
//!
//! A *planar* network is drawn first: nodes stand on a grid, a little off their places, each square of which has one of its
//! diagonals; arcs lead along these lines only, so that no two cross. Of a *plan*, the tracks do (`tracks.rs`).

use std::ops::Range;

use super::tracks::Tracks;
use crate::asp::Term;
use crate::puzzle::rail::network::{Color, Kind, Name, Network, Node, NodeId, Way, free_letter};
use crate::stop::Stop;

/// How large a network is to be.
#[derive(Debug, Clone)]
pub struct Size {
    pub forks: usize,
    pub gates: usize,
    pub colors: usize,
    /// The fewest and the most states of a lever.
    pub ways: (usize, usize),
    pub planar: bool,
    pub plan: bool,
}

/// A small change of a network.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// The ends of both change places.
    Exchange(Way, Way),
    /// The way leads there.
    Lead(Way, NodeId),
}

/// A network whose arcs can be moved.
#[derive(Debug, Clone)]
pub struct Design {
    pub network: Network,
    /// In the order of their nodes.
    pub ways: Vec<Way>,
    /// For each node where its arcs may end; `None` for anywhere.
    allowed: Option<Vec<Vec<NodeId>>>,
    /// From which the arcs follow.
    pub tracks: Option<Tracks>,
}

/// What takes a change back.
pub enum Before {
    Ways(Vec<(Way, NodeId)>),
    Whole(Box<Design>),
}

/// Networks with more forks are laid out in levels.
const SHUFFLED: usize = 60;
/// The letters of Deponia, without those that other nodes have.
const LETTERS: &str = "abcdefghijklmnoqruvwxyz";
const COLORS: [&str; 12] =
    ["red", "yellow", "green", "blue", "orange", "violet", "cyan", "pink", "brown", "magenta", "white", "black"];

impl Design {
    /// None if no tracks were found for a plan of that size.
    pub fn random(size: &Size, random: &mut fastrand::Rng, stop: &Stop) -> Option<Self> {
        let mut network = bare(size, random);
        let tracks = if size.plan { Some(planned(&mut network, random, stop)?) } else { None };
        let allowed = (size.planar && !size.plan).then(|| plane(&mut network, random));
        let mut design = Design { ways: network.ways(), network, allowed, tracks };
        if size.plan {
            return Some(design);
        } else if size.planar {
            for way in design.ways.clone() {
                design.redirect(way, random);
            }
        } else if size.forks <= SHUFFLED {
            design.shuffle(random);
        } else {
            design.lay_levels(random);
        }
        Some(design)
    }

    pub fn end(&self, way: Way) -> NodeId {
        self.network.end(way).expect("every way leads somewhere")
    }

    fn set(&mut self, way: Way, end: NodeId) {
        self.network.redirect(way, end);
    }

    /// Changes the network a little; returns what it was before, or nothing if that change cannot be made. In a plane network,
    /// where few ends will do, the first way alone is redirected: there if it may, else by chance; of a plan the tracks are changed
    /// near it.
    pub fn change(&mut self, change: Change, random: &mut fastrand::Rng) -> Option<Before> {
        let (Change::Exchange(one, _) | Change::Lead(one, _)) = change;
        if self.tracks.is_some() {
            let wanted = if let Change::Lead(_, end) = change { Some(end) } else { None };
            let before = Box::new(self.clone());
            let Design { network, tracks: Some(tracks), .. } = self else { return None };
            if tracks.change(network, one.0, wanted, random) {
                return Some(Before::Whole(before));
            }
            *self = *before;
            return None;
        }
        self.moved(change, random).map(Before::Ways)
    }

    pub fn undo(&mut self, before: Before) {
        match before {
            Before::Ways(ways) => ways.into_iter().for_each(|(way, end)| self.set(way, end)),
            Before::Whole(design) => *self = *design,
        }
    }

    fn moved(&mut self, change: Change, random: &mut fastrand::Rng) -> Option<Vec<(Way, NodeId)>> {
        let (Change::Exchange(one, _) | Change::Lead(one, _)) = change;
        let before = self.end(one);
        if let Some(allowed) = &self.allowed {
            let wanted = match change {
                Change::Exchange(_, other) => self.end(other),
                Change::Lead(_, end) => end,
            };
            if allowed[one.0].contains(&wanted) {
                self.set(one, wanted);
            } else {
                self.redirect(one, random);
            }
            return (self.end(one) != before).then(|| vec![(one, before)]);
        }
        let other = match change {
            Change::Exchange(_, other) => other,
            Change::Lead(_, end) if before == end || !self.may_end(one, end) => return None,
            Change::Lead(_, end) => {
                self.set(one, end);
                return Some(vec![(one, before)]);
            }
        };
        let after = self.end(other);
        if before == after || !self.may_end(one, after) || !self.may_end(other, before) {
            return None;
        }
        self.set(one, after);
        self.set(other, before);
        Some(vec![(one, before), (other, after)])
    }

    /// Whether a change may lead the way there.
    pub fn may_lead(&self, way: Way, end: NodeId) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed[way.0].contains(&end))
    }

    fn redirect(&mut self, way: Way, random: &mut fastrand::Rng) {
        if let Some(allowed) = &self.allowed
            && let Some(&end) = random.choice(&allowed[way.0])
        {
            self.set(way, end);
        }
    }

    /// Not at itself, and not at the other side of the same gate.
    fn may_end(&self, (node, _): Way, end: NodeId) -> bool {
        let gate = |node: NodeId| match self.network.nodes[node].kind {
            Kind::Gate { gate, .. } => Some(gate),
            _ => None,
        };
        node != end && (gate(node).is_none() || gate(node) != gate(end))
    }

    fn nodes_of(&self, wanted: impl Fn(&Kind) -> bool) -> Vec<NodeId> {
        (0..self.network.nodes.len()).filter(|&node| wanted(&self.network.nodes[node].kind)).collect()
    }

    fn shuffle(&mut self, random: &mut fastrand::Rng) {
        let inner = self.nodes_of(|kind| matches!(kind, Kind::Fork { .. } | Kind::Gate { .. }));
        let target = self.nodes_of(|kind| *kind == Kind::Target)[0];
        let loss = self.nodes_of(|kind| *kind == Kind::Loss)[0];
        let start = self.network.starts[0];
        let mut ends: Vec<NodeId> = inner.iter().copied().filter(|&node| node != start).collect();
        ends.push(target);
        ends.extend(std::iter::repeat_n(loss, (self.ways.len() / 8).max(1)));
        ends.truncate(self.ways.len());
        while ends.len() < self.ways.len() {
            ends.push(inner[random.usize(..inner.len())]);
        }
        random.shuffle(&mut ends);
        for (index, way) in self.ways.clone().into_iter().enumerate() {
            let fits = (index..ends.len()).find(|&at| self.may_end(way, ends[at])).unwrap_or(index);
            ends.swap(index, fits);
            self.set(way, ends[index]);
        }
    }

    fn lay_levels(&mut self, random: &mut fastrand::Rng) {
        let start = self.network.starts[0];
        let target = self.nodes_of(|kind| *kind == Kind::Target)[0];
        let loss = self.nodes_of(|kind| *kind == Kind::Loss)[0];
        let mut inner = self.nodes_of(|kind| matches!(kind, Kind::Fork { .. } | Kind::Gate { .. }));
        inner.retain(|&node| node != start);
        random.shuffle(&mut inner);
        let width = (inner.len() / 32).max(8);
        let mut levels = vec![vec![start]];
        let mut rest = &inner[..];
        while !rest.is_empty() {
            let size = (2 * levels[levels.len() - 1].len()).min(width).min(rest.len());
            let (level, after) = rest.split_at(size);
            levels.push(level.to_vec());
            rest = after;
        }
        let mut to_target = false;
        for level in 0..levels.len() {
            let mut ways: Vec<Way> = Vec::new();
            for &node in &levels[level] {
                let first = self.ways.partition_point(|way| way.0 < node);
                ways.extend(self.ways[first..].iter().take_while(|way| way.0 == node));
            }
            random.shuffle(&mut ways);
            let next = levels.get(level + 1);
            for (index, way) in ways.into_iter().enumerate() {
                let end = match next {
                    None if !to_target => {
                        to_target = true;
                        target
                    }
                    None => loss,
                    // Every node of the next level is an end; a few arcs lead anywhere.
                    Some(next) if index < next.len() => next[index],
                    Some(_) if random.u8(..30) == 0 => loss,
                    Some(_) if random.u8(..30) == 0 => inner[random.usize(..inner.len())],
                    Some(next) => next[random.usize(..next.len())],
                };
                self.set(way, if self.may_end(way, end) { end } else { loss });
            }
        }
    }
}

/// The nodes, all of whose ways lead to the loss.
fn bare(size: &Size, random: &mut fastrand::Rng) -> Network {
    let number = |number: usize| Name::of(Term::Number(number as i32));
    let mut letters = Vec::new();
    let mut colors: Vec<Color> = Vec::new();
    for index in 0..size.colors {
        let name = COLORS.get(index).map_or_else(|| format!("color{}", index + 1), |name| (*name).to_owned());
        let letter = free_letter(&name, &letters);
        letters.push(letter);
        let states = random.usize(size.ways.0..=size.ways.1);
        colors.push(Color {
            name: Name::of(Term::Name(name)),
            letter,
            states: (1..=states).map(number).collect(),
            fixed: None,
            is_own: false,
        });
    }
    let mut color_of: Vec<usize> = (0..size.forks).map(|fork| fork % size.colors).collect();
    random.shuffle(&mut color_of);
    let loss = size.forks + 2 * size.gates;
    let name = |fork: usize| match LETTERS.chars().nth(fork) {
        Some(letter) if size.forks <= LETTERS.len() => letter.to_string(),
        _ => format!("f{}", fork + 1),
    };
    let node = |name: String, kind| Node { name: Name::of(Term::Name(name)), kind, position: None };
    let mut nodes: Vec<Node> = (color_of.iter().enumerate())
        .map(|(fork, &color)| node(name(fork), Kind::Fork { color, ways: vec![loss; colors[color].states.len()] }))
        .collect();
    for gate in 0..size.gates {
        for side in ["l", "r"] {
            nodes.push(node(format!("p{}{side}", gate + 1), Kind::Gate { gate, next: Some(loss) }));
        }
    }
    nodes.push(node("s".to_owned(), Kind::Loss));
    nodes.push(node("t".to_owned(), Kind::Target));
    let gates: Vec<Name> = (1..=size.gates).map(number).collect();
    let sets = vec![None; gates.len()];
    Network { nodes, colors, gates, sets, starts: vec![0] }
}

/// Pixels from one place of the grid to the next, and how far a node stands off its place.
const STEP: i32 = 100;
const OFF: i32 = 14;
/// Grids on which tracks are looked for.
const TRIES: usize = 10_000;
/// Few things need room around them: some spots of their grid stay empty.
const FEWEST_SPOTS: usize = 8;

/// Stands the nodes on a grid, with more losses among them, and returns where the arcs of each may end.
fn plane(network: &mut Network, random: &mut fastrand::Rng) -> Vec<Vec<NodeId>> {
    // A gate's sides share a place.
    let mut stands: Vec<Vec<NodeId>> = Vec::new();
    for (id, node) in network.nodes.iter().enumerate() {
        match node.kind {
            Kind::Gate { gate, .. } => {
                let known = stands.iter().position(
                    |stand| matches!(network.nodes[stand[0]].kind, Kind::Gate { gate: other, .. } if other == gate),
                );
                match known {
                    Some(known) => stands[known].push(id),
                    None => stands.push(vec![id]),
                }
            }
            _ => stands.push(vec![id]),
        }
    }
    stands.extend(add_losses(network, network.nodes.len() / 8).map(|node| vec![node]));
    // The start stands in the corner, the others anywhere.
    random.shuffle(&mut stands[1..]);
    let (places, lines) = grid(stands.len(), random);
    let mut around = vec![Vec::new(); network.nodes.len()];
    for (stand, &place) in stands.iter().zip(&places) {
        for &node in stand {
            network.nodes[node].position = Some(place);
        }
    }
    for (one, other) in lines {
        for (from, to) in [(one, other), (other, one)] {
            let is_rightwards = places[from].0 < places[to].0;
            // One comes into a gate on the side that one comes from, and leaves it on the other.
            let near = |stand: &[NodeId], left: bool| stand[if stand.len() == 2 && !left { 1 } else { 0 }];
            let end = near(&stands[to], is_rightwards);
            if stands[from].len() == 1 {
                around[stands[from][0]].push(end);
            } else {
                around[near(&stands[from], is_rightwards)].push(end);
            }
        }
    }
    // At the border of the plane nothing lies beyond a gate: there one comes out where one came in.
    for stand in stands.iter().filter(|stand| stand.len() == 2) {
        for (side, other) in [(stand[0], stand[1]), (stand[1], stand[0])] {
            if around[side].is_empty() {
                around[side] = around[other].clone();
            }
        }
    }
    around
}

/// Adds losses beside the first one.
fn add_losses(network: &mut Network, number: usize) -> Range<NodeId> {
    let known = network.nodes.len();
    let loss =
        |number: usize| Node { name: Name::of(Term::Name(format!("s{number}"))), kind: Kind::Loss, position: None };
    network.nodes.extend((1..=number).map(loss));
    known..network.nodes.len()
}

/// Where things stand on a grid, and the lines between them.
fn grid(number: usize, random: &mut fastrand::Rng) -> (Vec<Point>, Vec<(usize, usize)>) {
    let columns = (number as f64 * 1.6).sqrt().ceil() as usize;
    let mut off = || random.i32(-OFF..=OFF);
    let places = (0..number)
        .map(|at| ((at % columns) as i32 * STEP + STEP / 2 + off(), (at / columns) as i32 * STEP + STEP / 2 + off()))
        .collect();
    let mut lines = Vec::new();
    for at in 0..number {
        if (at + 1) % columns != 0 {
            lines.push((at, at + 1));
            lines.push(if random.bool() { (at, at + columns + 1) } else { (at + 1, at + columns) });
        }
        lines.push((at, at + columns));
    }
    lines.retain(|&(one, other)| one < number && other < number);
    (places, lines)
}

/// Tracks for the nodes, and more losses at their ends. The start is a place, too.
fn planned(network: &mut Network, random: &mut fastrand::Rng, stop: &Stop) -> Option<Tracks> {
    let (forks, gates) = (network.forks(), network.gates.len());
    let ends = network.ways().len() + forks + 2;
    // Forks of many branches need room, and without a loss few forks could only be joined twice. Each track has two ends.
    let third_branches = network.ways().len() - 2 * gates - 2 * forks;
    let fewest = (network.nodes.len() / 8 + third_branches / 3).max(1);
    add_losses(network, fewest + (ends + fewest) % 2);
    let number = network.nodes.len() - gates;
    let mut stands: Vec<usize> = (0..number.max(FEWEST_SPOTS)).collect();
    (0..TRIES).take_while(|_| stop.requested().is_none()).find_map(|_| {
        let (spots, lines) = grid(stands.len(), random);
        // Where a fork stands, as many lines begin as it has ends; the start is in the corner.
        let mut near = vec![0; stands.len()];
        lines.iter().for_each(|&(one, other)| [one, other].into_iter().for_each(|spot| near[spot] += 1));
        random.shuffle(&mut stands);
        let start = stands.iter().position(|&thing| thing == forks + gates);
        stands.swap(0, start.expect("the start is a thing"));
        for spot in 1..stands.len() {
            let fits = |thing: usize, spot: usize| match &network.nodes[thing.min(forks)].kind {
                Kind::Fork { ways, .. } => near[spot] > ways.len(),
                _ => true,
            };
            if !fits(stands[spot], spot) {
                let mut others = 1..stands.len();
                let other = others.find(|&other| fits(stands[spot], other) && fits(stands[other], spot))?;
                stands.swap(spot, other);
            }
        }
        let mut places = vec![(0, 0); number];
        let taken = stands.iter().zip(spots).filter(|(thing, _)| **thing < number);
        taken.for_each(|(&thing, spot)| places[thing] = spot);
        let lines = lines.into_iter().map(|(one, other)| (stands[one], stands[other]));
        let lines: Vec<(usize, usize)> = lines.filter(|&(one, other)| one < number && other < number).collect();
        Tracks::random(network, &places, &lines, random).filter(|tracks| tracks.lead(network))
    })
}

type Point = (i32, i32);
type Line = (Point, Point);

/// The arcs as straight lines between the nodes' positions; none if a node has no position.
fn lines_of(network: &Network) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    for drawn in &network.nodes {
        let ends = match &drawn.kind {
            Kind::Fork { ways, .. } => ways.clone(),
            Kind::Gate { next, .. } => next.iter().copied().collect(),
            _ => Vec::new(),
        };
        for end in ends {
            lines.push((drawn.position?, network.nodes[end].position?));
        }
    }
    Some(lines)
}

/// Whether no two arcs cross, or tracks of a plan, when drawn as straight lines; they may share ends.
pub fn is_plane(design: &Design) -> bool {
    type Far = (i64, i64);
    let lines = match &design.tracks {
        Some(tracks) => Some(tracks.lines()),
        None => lines_of(&design.network),
    };
    let Some(lines) = lines else { return false };
    let far = |(x, y): (i32, i32)| (i64::from(x), i64::from(y));
    let ordered = |(one, other): Line| (far(one.min(other)), far(one.max(other)));
    let mut lines: Vec<(Far, Far)> = lines.into_iter().map(ordered).collect();
    lines.sort_unstable();
    lines.dedup();
    let turn = |a: Far, b: Far, c: Far| ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum();
    let crosses = |one: &(Far, Far), other: &(Far, Far)| {
        let shared = [one.0, one.1].iter().any(|end| *end == other.0 || *end == other.1);
        let (a, b) = (turn(one.0, one.1, other.0), turn(one.0, one.1, other.1));
        let (c, d) = (turn(other.0, other.1, one.0), turn(other.0, other.1, one.1));
        // On one line they meet where one begins before the other ends; sharing an end is no crossing.
        match (a, b) {
            (0, 0) if shared => one.0.max(other.0) < one.1.min(other.1),
            (0, 0) => one.0.max(other.0) <= one.1.min(other.1),
            _ => !shared && a * b <= 0 && c * d <= 0,
        }
    };
    // Sorted by their left ends: what begins beyond a line's right end cannot cross it.
    lines.iter().enumerate().all(|(index, one)| {
        let rest = lines[index + 1..].iter().take_while(|other| other.0.0 <= one.1.0);
        rest.into_iter().all(|other| !crosses(one, other))
    })
}
