//! Random networks and small changes of them.
//!
//! A network has a start, a target, losses, forks, and gates with two sides each. The ends of the
//! arcs are random. Small networks are shuffled: every fork and every side of a gate is the end of
//! some arc, an eighth of the arcs end at a loss, and the other arcs lead anywhere. If large
//! networks were built like this, most trips would be cycles. Their nodes are therefore arranged in
//! levels, which double in size up to a maximum width, and most arcs lead to the next level.
//!
//! *Planar* networks begin with a drawing: nodes are at the points of a slightly perturbed grid in
//! which each square has one diagonal. Arcs follow only the lines of the grid, so no two arcs
//! cross. In a *plan*, the tracks follow these lines (`tracks.rs`).

use std::ops::Range;

use asp::Term;
use base::stop::CancelToken;

use super::tracks::Tracks;
use crate::network::{Branch, Color, Kind, Name, Network, Node, NodeId, free_letter};

/// The size and the kind of a network.
#[derive(Debug, Clone)]
pub struct NetworkSize {
    pub forks: usize,
    pub gates: usize,
    pub colors: usize,
    /// Minimum and maximum number of states of a lever.
    pub ways: (usize, usize),
    pub planar: bool,
    pub plan: bool,
}

/// A small change of a network.
#[derive(Debug, Clone, Copy)]
pub enum DesignChange {
    /// Exchanges the ends of two branches.
    Exchange(Branch, Branch),
    /// Redirects a branch to a node.
    Lead(Branch, NodeId),
}

/// A network under construction, whose arcs can be redirected.
#[derive(Debug, Clone)]
pub struct Design {
    pub network: Network,
    /// All branches, in the order of nodes.
    pub branches: Vec<Branch>,
    /// For each node, the nodes at which its arcs can end. `None` if there is no restriction.
    allowed: Option<Vec<Vec<NodeId>>>,
    /// If the design is a plan, the tracks from which the arcs follow.
    pub tracks: Option<Tracks>,
}

/// The information that is needed to undo a change.
pub enum Undo {
    Ways(Vec<(Branch, NodeId)>),
    Whole(Box<Design>),
}

/// Maximum number of forks of a shuffled network. Larger networks are arranged in levels.
const MAX_SHUFFLED: usize = 60;
/// The names of forks, as in Deponia. Other letters are used for losses, the target and the sides
/// of gates.
const LETTERS: &str = "abcdefghijklmnoqruvwxyz";
const COLORS: [&str; 12] =
    ["red", "yellow", "green", "blue", "orange", "violet", "cyan", "pink", "brown", "magenta", "white", "black"];

impl Design {
    /// Creates a random network. Returns `None` if no tracks were found for a plan.
    pub fn random(size: &NetworkSize, random: &mut fastrand::Rng, stop: &CancelToken) -> Option<Self> {
        let mut network = unconnected_network(size, random);
        let tracks = if size.plan { Some(lay_out_plan(&mut network, random, stop)?) } else { None };
        let allowed = (size.planar && !size.plan).then(|| lay_out_planar(&mut network, random));
        let mut design = Design { branches: network.branches(), network, allowed, tracks };
        if size.plan {
            return Some(design);
        } else if size.planar {
            for branch in design.branches.clone() {
                design.redirect(branch, random);
            }
        } else if size.forks <= MAX_SHUFFLED {
            design.shuffle(random);
        } else {
            design.lay_levels(random);
        }
        Some(design)
    }

    pub fn end(&self, branch: Branch) -> NodeId {
        self.network.end(branch).expect("every way leads somewhere")
    }

    fn set(&mut self, branch: Branch, end: NodeId) {
        self.network.redirect(branch, end);
    }

    /// Applies a change. Returns `None` if it is not possible.
    ///
    /// In a planar network, in which branches have few allowed ends, only the first branch is
    /// redirected: to the requested end if it is allowed, otherwise to a random one. In a plan, the
    /// tracks near the first branch are changed.
    pub fn change(&mut self, change: DesignChange, random: &mut fastrand::Rng) -> Option<Undo> {
        let (DesignChange::Exchange(one, _) | DesignChange::Lead(one, _)) = change;
        if self.tracks.is_some() {
            let requested = if let DesignChange::Lead(_, end) = change { Some(end) } else { None };
            let before = Box::new(self.clone());
            let Design { network, tracks: Some(tracks), .. } = self else { return None };
            if tracks.change(network, one.0, requested, random) {
                return Some(Undo::Whole(before));
            }
            *self = *before;
            return None;
        }
        self.apply(change, random).map(Undo::Ways)
    }

    pub fn undo(&mut self, before: Undo) {
        match before {
            Undo::Ways(ways) => {
                for (way, end) in ways {
                    self.set(way, end);
                }
            }
            Undo::Whole(design) => *self = *design,
        }
    }

    fn apply(&mut self, change: DesignChange, random: &mut fastrand::Rng) -> Option<Vec<(Branch, NodeId)>> {
        let (DesignChange::Exchange(one, _) | DesignChange::Lead(one, _)) = change;
        let before = self.end(one);
        if let Some(allowed) = &self.allowed {
            let requested = match change {
                DesignChange::Exchange(_, other) => self.end(other),
                DesignChange::Lead(_, end) => end,
            };
            if allowed[one.0].contains(&requested) {
                self.set(one, requested);
            } else {
                self.redirect(one, random);
            }
            return (self.end(one) != before).then(|| vec![(one, before)]);
        }
        let other = match change {
            DesignChange::Exchange(_, other) => other,
            DesignChange::Lead(_, end) if before == end || !self.may_end(one, end) => return None,
            DesignChange::Lead(_, end) => {
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

    /// Returns true if a planar drawing allows the branch to lead to `end`.
    pub fn may_lead(&self, branch: Branch, end: NodeId) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed[branch.0].contains(&end))
    }

    fn redirect(&mut self, branch: Branch, random: &mut fastrand::Rng) {
        if let Some(allowed) = &self.allowed
            && let Some(&end) = random.choice(&allowed[branch.0])
        {
            self.set(branch, end);
        }
    }

    /// Returns false if the branch would be a loop, or lead to the other side of the same gate.
    fn may_end(&self, (node, _): Branch, end: NodeId) -> bool {
        let gate = |node: NodeId| match self.network.nodes[node].kind {
            Kind::Gate { gate, .. } => Some(gate),
            _ => None,
        };
        node != end && (gate(node).is_none() || gate(node) != gate(end))
    }

    fn nodes_of(&self, is_selected: impl Fn(&Kind) -> bool) -> Vec<NodeId> {
        (0..self.network.nodes.len()).filter(|&node| is_selected(&self.network.nodes[node].kind)).collect()
    }

    fn shuffle(&mut self, random: &mut fastrand::Rng) {
        let inner = self.nodes_of(|kind| matches!(kind, Kind::Fork { .. } | Kind::Gate { .. }));
        let target = self.nodes_of(|kind| *kind == Kind::Target)[0];
        let loss = self.nodes_of(|kind| *kind == Kind::Loss)[0];
        let start = self.network.starts[0];
        let mut ends: Vec<NodeId> = inner.iter().copied().filter(|&node| node != start).collect();
        ends.push(target);
        ends.extend(std::iter::repeat_n(loss, (self.branches.len() / 8).max(1)));
        ends.truncate(self.branches.len());
        while ends.len() < self.branches.len() {
            ends.push(inner[random.usize(..inner.len())]);
        }
        random.shuffle(&mut ends);
        for (index, branch) in self.branches.clone().into_iter().enumerate() {
            let fits = (index..ends.len()).find(|&at| self.may_end(branch, ends[at])).unwrap_or(index);
            ends.swap(index, fits);
            self.set(branch, ends[index]);
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
        let mut has_target_arc = false;
        for level in 0..levels.len() {
            let mut branches: Vec<Branch> = Vec::new();
            for &node in &levels[level] {
                let first = self.branches.partition_point(|branch| branch.0 < node);
                branches.extend(self.branches[first..].iter().take_while(|branch| branch.0 == node));
            }
            random.shuffle(&mut branches);
            let next = levels.get(level + 1);
            for (index, branch) in branches.into_iter().enumerate() {
                let end = match next {
                    None if !has_target_arc => {
                        has_target_arc = true;
                        target
                    }
                    None => loss,
                    // Every node of the next level is the end of an arc. A few other arcs lead
                    // elsewhere.
                    Some(next) if index < next.len() => next[index],
                    Some(_) if random.u8(..30) == 0 => loss,
                    Some(_) if random.u8(..30) == 0 => inner[random.usize(..inner.len())],
                    Some(next) => next[random.usize(..next.len())],
                };
                self.set(branch, if self.may_end(branch, end) { end } else { loss });
            }
        }
    }
}

/// Creates the nodes of a network in which all branches lead to the loss.
fn unconnected_network(size: &NetworkSize, random: &mut fastrand::Rng) -> Network {
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

/// The spacing of the grid, in pixels.
const STEP: i32 = 100;
/// The maximum offset of a node from its grid point, in pixels.
const MAX_OFFSET: i32 = 14;
/// Maximum number of grids on which tracks are tried.
const TRIES: usize = 10_000;
/// Minimum number of points of a grid, since a few things need empty points around them.
const MIN_POINTS: usize = 8;

/// Places the nodes on a grid and adds losses. Returns, for each node, the nodes at which its arcs
/// can end.
fn lay_out_planar(network: &mut Network, random: &mut fastrand::Rng) -> Vec<Vec<NodeId>> {
    // The nodes at each point. The sides of a gate share a point.
    let mut points: Vec<Vec<NodeId>> = Vec::new();
    for (id, node) in network.nodes.iter().enumerate() {
        match node.kind {
            Kind::Gate { gate, .. } => {
                let known = points.iter().position(
                    |point| matches!(network.nodes[point[0]].kind, Kind::Gate { gate: other, .. } if other == gate),
                );
                match known {
                    Some(known) => points[known].push(id),
                    None => points.push(vec![id]),
                }
            }
            _ => points.push(vec![id]),
        }
    }
    points.extend(add_losses(network, network.nodes.len() / 8).map(|node| vec![node]));
    // The start is at the corner.
    random.shuffle(&mut points[1..]);
    let (places, lines) = grid(points.len(), random);
    let mut around = vec![Vec::new(); network.nodes.len()];
    for (point, &place) in points.iter().zip(&places) {
        for &node in point {
            network.nodes[node].position = Some(place);
        }
    }
    for (one, other) in lines {
        for (from, to) in [(one, other), (other, one)] {
            let is_rightwards = places[from].0 < places[to].0;
            // A train enters a gate at the side that faces it, and leaves it at the other side.
            let side_facing = |point: &[NodeId], left: bool| point[if point.len() == 2 && !left { 1 } else { 0 }];
            let end = side_facing(&points[to], is_rightwards);
            if points[from].len() == 1 {
                around[points[from][0]].push(end);
            } else {
                around[side_facing(&points[from], is_rightwards)].push(end);
            }
        }
    }
    // If there is no node beyond a gate at the border, its arcs lead back to where trains come
    // from.
    for point in points.iter().filter(|point| point.len() == 2) {
        for (side, other) in [(point[0], point[1]), (point[1], point[0])] {
            if around[side].is_empty() {
                around[side] = around[other].clone();
            }
        }
    }
    around
}

/// Adds `number` losses and returns their nodes.
fn add_losses(network: &mut Network, number: usize) -> Range<NodeId> {
    let known = network.nodes.len();
    let loss =
        |number: usize| Node { name: Name::of(Term::Name(format!("s{number}"))), kind: Kind::Loss, position: None };
    network.nodes.extend((1..=number).map(loss));
    known..network.nodes.len()
}

/// Returns the positions of `number` things on a grid, and the lines between neighbours.
fn grid(number: usize, random: &mut fastrand::Rng) -> (Vec<Point>, Vec<(usize, usize)>) {
    let columns = (number as f64 * 1.6).sqrt().ceil() as usize;
    let mut offset = || random.i32(-MAX_OFFSET..=MAX_OFFSET);
    let places = (0..number)
        .map(|at| {
            ((at % columns) as i32 * STEP + STEP / 2 + offset(), (at / columns) as i32 * STEP + STEP / 2 + offset())
        })
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

/// Lays tracks between the nodes and adds losses, at which the other tracks end. The start becomes
/// a place of the plan.
fn lay_out_plan(network: &mut Network, random: &mut fastrand::Rng, stop: &CancelToken) -> Option<Tracks> {
    let (forks, gates) = (network.fork_count(), network.gates.len());
    let ends = network.branches().len() + forks + 2;
    // Forks with many branches need space, and without enough losses, some forks would have to be
    // joined to each other twice. The number of ends must be even.
    let third_branches = network.branches().len() - 2 * gates - 2 * forks;
    let min_losses = (network.nodes.len() / 8 + third_branches / 3).max(1);
    add_losses(network, min_losses + (ends + min_losses) % 2);
    let number = network.nodes.len() - gates;
    let mut thing_at: Vec<usize> = (0..number.max(MIN_POINTS)).collect();
    (0..TRIES).take_while(|_| stop.requested().is_none()).find_map(|_| {
        let (points, lines) = grid(thing_at.len(), random);
        // A fork needs a point with at least as many lines as it has ends. The start is at the
        // corner.
        let mut num_lines = vec![0; thing_at.len()];
        for &(one, other) in &lines {
            num_lines[one] += 1;
            num_lines[other] += 1;
        }
        random.shuffle(&mut thing_at);
        let start = thing_at.iter().position(|&thing| thing == forks + gates);
        thing_at.swap(0, start.expect("the start is a thing"));
        for point in 1..thing_at.len() {
            let fits = |thing: usize, point: usize| match &network.nodes[thing.min(forks)].kind {
                Kind::Fork { ways, .. } => num_lines[point] > ways.len(),
                _ => true,
            };
            if !fits(thing_at[point], point) {
                let mut others = 1..thing_at.len();
                let other = others.find(|&other| fits(thing_at[point], other) && fits(thing_at[other], point))?;
                thing_at.swap(point, other);
            }
        }
        let mut places = vec![(0, 0); number];
        let occupied = thing_at.iter().zip(points).filter(|(thing, _)| **thing < number);
        for (&thing, point) in occupied {
            places[thing] = point;
        }
        let lines = lines.into_iter().map(|(one, other)| (thing_at[one], thing_at[other]));
        let lines: Vec<(usize, usize)> = lines.filter(|&(one, other)| one < number && other < number).collect();
        Tracks::random(network, &places, &lines, random).filter(|tracks| tracks.connect_arcs(network))
    })
}

type Point = (i32, i32);
type Line = (Point, Point);

/// Returns the arcs as straight lines between positions, or `None` if a node has no position.
fn lines_of(network: &Network) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    for node in &network.nodes {
        let ends = match &node.kind {
            Kind::Fork { ways, .. } => ways.clone(),
            Kind::Gate { next, .. } => next.iter().copied().collect(),
            _ => Vec::new(),
        };
        for end in ends {
            lines.push((node.position?, network.nodes[end].position?));
        }
    }
    Some(lines)
}

/// Returns true if no two arcs (or tracks of a plan) cross when they are drawn as straight lines.
/// Lines that only share an end do not cross.
pub fn is_plane(design: &Design) -> bool {
    type WidePoint = (i64, i64);
    let lines = match &design.tracks {
        Some(tracks) => Some(tracks.lines()),
        None => lines_of(&design.network),
    };
    let Some(lines) = lines else { return false };
    let widen = |(x, y): (i32, i32)| (i64::from(x), i64::from(y));
    let ordered = |(one, other): Line| (widen(one.min(other)), widen(one.max(other)));
    let mut lines: Vec<(WidePoint, WidePoint)> = lines.into_iter().map(ordered).collect();
    lines.sort_unstable();
    lines.dedup();
    let turn =
        |a: WidePoint, b: WidePoint, c: WidePoint| ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum();
    let crosses = |one: &(WidePoint, WidePoint), other: &(WidePoint, WidePoint)| {
        let shared = [one.0, one.1].iter().any(|end| *end == other.0 || *end == other.1);
        let (a, b) = (turn(one.0, one.1, other.0), turn(one.0, one.1, other.1));
        let (c, d) = (turn(other.0, other.1, one.0), turn(other.0, other.1, one.1));
        // Collinear lines cross if they overlap; sharing an end does not count.
        match (a, b) {
            (0, 0) if shared => one.0.max(other.0) < one.1.min(other.1),
            (0, 0) => one.0.max(other.0) <= one.1.min(other.1),
            _ => !shared && a * b <= 0 && c * d <= 0,
        }
    };
    // Lines are sorted by their left ends. A line that begins beyond the right end of another line
    // cannot cross it.
    lines.iter().enumerate().all(|(index, one)| {
        let rest = lines[index + 1..].iter().take_while(|other| other.0.0 <= one.1.0);
        rest.into_iter().all(|other| !crosses(one, other))
    })
}
