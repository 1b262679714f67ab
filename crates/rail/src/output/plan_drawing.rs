//! Drawing of a plan of tracks: curved rails, forks whose set branch is a solid line, and the
//! train.
//!
//! Each thing (fork, gate, crossing or place) is rotated so that its ends face the things to which
//! they are joined. Each rail is the best of several curves that leave both ends in the directions
//! of the ends. A curve is better if it keeps its distance from other things, crosses fewer rails
//! and is shorter.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use asp::Term;
use base::sorting;
use base::stop::CancelToken;
use picture::graph::layout::{self, Layout};
use picture::graph::{self, Arc, Graph, GraphLayout, Node, Site};
use picture::{Curve, Look, Paint, Picture, Point, Rgb, Sprite, TEXT, between, distance, text_width};

use super::drawing;
use crate::network::plan::{End, Fork, ForkKind, Plan};
use crate::network::{Kind, Network, NodeId};
use crate::trips::Trip;

#[derive(Clone)]
pub struct PlanDrawing {
    plan: Plan,
    /// The position of each node of the network.
    pub at: Vec<Point>,
    /// The position of each thing.
    pub middles: BTreeMap<Term, Point>,
    pub ends: BTreeMap<End, Point>,
    /// For each end, the curve to the end to which it is joined.
    pub rails: BTreeMap<End, Curve>,
    /// For each node, the end at which a train visits it. `None` for the node of dead loops.
    arrivals: Vec<Option<End>>,
}

/// The distance between the text in a thing and its ends, in pixels.
const ARM: f64 = 12.0;
/// The angle between two neighbouring branches of a fork.
const SPREAD: f64 = 0.75;
/// The minimum distance between rails and things without a penalty, in pixels.
const CLEARANCE: f64 = 30.0;
const CROSSING_COST: f64 = 400.0;
/// Maximum number of things for which several curves are compared for each rail.
const MAX_THINGS_FOR_CHOICE: usize = 200;
const RAIL: Paint = Paint::Color(Rgb(96, 96, 92));

fn radius(thing: &Term) -> f64 {
    (text_width(&thing.text(), TEXT) / 2.0 + 3.0).max(10.0)
}

fn towards(from: Point, angle: f64, distance: f64) -> Point {
    (from.0 + distance * angle.cos(), from.1 + distance * angle.sin())
}

/// Normalises an angle to -π..π.
fn normalized(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

impl PlanDrawing {
    pub fn new(network: &Network, plan: &Plan, layout: Layout, stop: &CancelToken) -> Self {
        let middles = place_things(plan, layout, stop);
        let mut angles = BTreeMap::new();
        for thing in plan.things() {
            angles.extend(end_directions(plan, thing, &middles));
        }
        let end = |(end, angle): (&End, &f64)| {
            let length = radius(&end.0) + if plan.places.contains(&end.0) { 4.0 } else { ARM };
            (end.clone(), towards(middles[&end.0], *angle, length))
        };
        let ends: BTreeMap<End, Point> = angles.iter().map(end).collect();
        let rails = route_rails(plan, &middles, &angles, &ends);
        let nodes = plan.nodes();
        let arrivals: Vec<Option<End>> = network.nodes.iter().map(|node| nodes.get(&node.name.term).cloned()).collect();
        let somewhere = middles.values().next().copied().unwrap_or_default();
        let mut tracks = PlanDrawing { plan: plan.clone(), at: Vec::new(), middles, ends, rails, arrivals };
        tracks.at =
            tracks.arrivals.iter().map(|end| end.as_ref().map_or(somewhere, |end| tracks.position(end))).collect();
        tracks
    }

    /// Returns the position of a train at the node of an end: the middle of the thing, or the
    /// branch of a fork that passing trains set.
    fn position(&self, end: &End) -> Point {
        let is_branch = self.plan.forks.contains_key(&end.0) && end.1.number().is_some();
        if is_branch { self.ends[end] } else { self.middles[&end.0] }
    }

    /// Returns the curve of a train from a node to the next, along the given branch. `from` is the
    /// position of the train at the node.
    fn route(&self, network: &Network, (node, state): (NodeId, usize), from: Point) -> Curve {
        let mut curve = Curve(vec![from]);
        let Some(at) = &self.arrivals[node] else {
            curve.append(&Curve::line(from, from));
            return curve;
        };
        let fork = self.plan.forks.get(&at.0);
        let is_flip_branch = at.1.number().is_some() && fork.is_some_and(|fork| fork.kind == ForkKind::Flip);
        let exit = match &network.nodes[node].kind {
            Kind::Fork { color, .. } => (at.0.clone(), network.colors[*color].states[state].term.clone()),
            _ if is_flip_branch => at.clone(),
            _ => self.plan.exit(at),
        };
        if !is_flip_branch {
            curve.append(&Curve::quadratic(from, self.middles[&at.0], self.ends[&exit]));
        }
        if fork.is_some_and(|fork| fork.kind == ForkKind::Flip) && !is_flip_branch {
            return curve;
        }
        let mut exit = exit;
        let (arrived, node) = self.plan.follow(&exit);
        for (number, end) in arrived.iter().enumerate() {
            curve.append(&self.rails[&exit]);
            exit = self.plan.exit(end);
            let is_last = number + 1 == arrived.len();
            let to = match is_last {
                true if node.is_some() => self.position(end),
                true => self.ends[end],
                false => self.ends[&exit],
            };
            curve.append(&Curve::quadratic(curve.end(), self.middles[&end.0], to));
        }
        curve
    }

    /// Draws the plan without a trip.
    pub fn picture(&self, network: &Network) -> Picture {
        drawing::with_caption(network, self.sprites(network, None))
    }

    /// Draws a trip, with the levers above it. Also returns the positions of each lever's knob, by
    /// colour and state.
    pub fn trip_picture(&self, network: &Network, trip: &Trip) -> (Picture, Vec<Vec<Point>>) {
        let mut place = self.at[trip.nodes[0]];
        let (mut places, mut curves) = (vec![place], Vec::new());
        for branch in trip.branches_taken(network) {
            let curve = self.route(network, branch, place);
            place = curve.end();
            places.push(place);
            curves.push(curve);
        }
        let place_label = |step: usize, _: &str| (self.at[trip.nodes[step]].0, self.at[trip.nodes[step]].1 - 30.0);
        drawing::animate_trip(network, trip, self.sprites(network, Some(trip)), place_label, (places, curves), true)
    }

    fn sprites(&self, network: &Network, trip: Option<&Trip>) -> Vec<Sprite> {
        let mut sprites = self.track_sprites();
        let palette = drawing::palette(network);
        let levers_at = trip.map(|trip| trip.levers_at(network)).unwrap_or_default();
        for (fork, known) in &self.plan.forks {
            let lever =
                known.lever(fork).and_then(|color| network.colors.iter().position(|known| known.name.term == *color));
            let paint = lever.map_or(RAIL, |color| Paint::Color(palette[color]));
            self.draw_branches(network, (fork, known), lever, paint, &levers_at, &mut sprites);
            let hint = match lever {
                Some(color) => format!("fork {fork}, {}", network.colors[color].name),
                None => format!("fork {fork}, sprung"),
            };
            let look = Look::Disc { radius: radius(fork) };
            sprites.push(Sprite::still(look, paint, fork.text(), self.middles[fork]).hint(hint));
        }
        for (gate, name) in network.gates.iter().enumerate().filter(|(_, name)| self.plan.gates.contains(&name.term)) {
            let color = network.sets[gate].map(|(color, _)| color).or(trip.and_then(|trip| trip.gates[gate]));
            let paint = color.map_or(Paint::Grey, |color| Paint::Color(palette[color]));
            let hint = match network.sets[gate] {
                Some((color, state)) => {
                    let color = &network.colors[color];
                    format!("gate {name}, which sets the lever of {} to {}", color.name, color.states[state])
                }
                None => format!("gate {name}"),
            };
            let look = Look::Square { side: 2.0 * radius(&name.term) + 2.0, is_framed: true };
            sprites.push(Sprite::still(look, paint, name.to_string(), self.middles[&name.term]).hint(hint));
        }
        let targets = network.nodes.iter().filter(|node| node.kind == Kind::Target).map(|node| &node.name.term);
        let targets: Vec<&Term> = targets.collect();
        for place in &self.plan.places {
            let (paint, what) = match () {
                _ if targets.contains(&place) => (Paint::White, "target"),
                _ if self.plan.starts.contains(place) => (Paint::Accent, "start"),
                _ => (Paint::Dark, "loss"),
            };
            let look = Look::Ring { radius: radius(place) };
            sprites.push(Sprite::still(look, paint, place.text(), self.middles[place]).hint(format!("{what} {place}")));
        }
        sprites
    }

    /// Draws the tracks outside of forks.
    fn track_sprites(&self) -> Vec<Sprite> {
        let mut sprites = Vec::new();
        for (width, paint) in [(7.0, RAIL), (3.0, Paint::Color(Rgb(244, 244, 242)))] {
            let once = self.rails.iter().filter(|(end, _)| **end < self.plan.joined[*end]);
            sprites.extend(once.map(|(_, curve)| stroke(curve.clone(), width, false, paint)));
            for thing in self.plan.gates.iter().chain(&self.plan.crossings).chain(&self.plan.places) {
                for end in self.plan.ends(thing) {
                    sprites.push(stroke(Curve::line(self.middles[thing], self.ends[&end]), width, false, paint));
                }
            }
        }
        sprites
    }

    /// Draws the branches of a fork: those that its lever does not select dashed, and over them
    /// those that it selects. `lever` is the number of its colour.
    fn draw_branches(
        &self,
        network: &Network,
        (fork, known): (&Term, &Fork),
        lever: Option<usize>,
        paint: Paint,
        levers_at: &[Vec<Option<usize>>],
        sprites: &mut Vec<Sprite>,
    ) {
        let stem = &self.ends[&(fork.clone(), Term::Name("stem".to_owned()))];
        let is_set = |levers: &Vec<Option<usize>>, branch: &Term| match lever {
            Some(color) => levers[color].is_some_and(|state| network.colors[color].states[state].term == *branch),
            None => branch.number() == Some(1),
        };
        for is_whole in [false, true] {
            for branch in (1..=known.branches).map(Term::Number) {
                let curve = Curve::quadratic(*stem, self.middles[fork], self.ends[&(fork.clone(), branch.clone())]);
                let mut shown: Vec<bool> = levers_at.iter().map(|levers| is_set(levers, &branch) == is_whole).collect();
                let is_ever = match shown[..] {
                    // Without a trip, no lever has a state.
                    [] => is_whole == (lever.is_some() || branch.number() == Some(1)),
                    _ => shown.contains(&true),
                };
                if !shown.contains(&false) {
                    shown.clear();
                }
                let strokes = if is_whole { &[(8.0, RAIL), (5.0, paint)][..] } else { &[(2.5, RAIL)] };
                for &(width, paint) in strokes.iter().filter(|_| is_ever) {
                    let shown = shown.clone();
                    sprites.push(Sprite { shown, ..stroke(curve.clone(), width, !is_whole, paint) });
                }
            }
        }
    }
}

fn stroke(curve: Curve, width: f64, is_dashed: bool, paint: Paint) -> Sprite {
    Sprite::still(Look::Shape { curves: vec![curve], width, is_dashed, fill: None }, paint, "", (0.0, 0.0))
}

/// Places the things: at their positions on the map if `layout` allows it and all have distinct
/// ones, otherwise in layers from the starts.
fn place_things(plan: &Plan, layout: Layout, stop: &CancelToken) -> BTreeMap<Term, Point> {
    let things: Vec<&Term> = plan.things().collect();
    let number: BTreeMap<&Term, usize> = things.iter().enumerate().map(|(number, &thing)| (thing, number)).collect();
    let mut graph = Graph::default();
    for (number, thing) in things.iter().enumerate() {
        graph.nodes.push(Node { name: thing.text(), ..Node::default() });
        graph.sites.push(Site { nodes: vec![number], label: String::new() });
    }
    // A breadth-first search from the starts. Arcs lead away from them.
    let mut order: Vec<&Term> = plan.starts.iter().collect();
    let mut next = 0;
    while let Some(&thing) = order.get(next).or_else(|| things.iter().find(|thing| !order.contains(thing))) {
        if next == order.len() {
            order.push(thing);
        }
        next += 1;
        for end in plan.ends(thing) {
            let other = plan.joined[&end].0.clone();
            if let (Some((&other, &to)), false) = (number.get_key_value(&other), order.contains(&&other)) {
                order.push(other);
                graph.arcs.push(Arc { from: number[thing], to, ..Arc::default() });
            }
        }
    }
    let map: Option<Vec<Point>> =
        things.iter().map(|&thing| plan.positions.get(thing).map(|&(x, y)| (x.into(), y.into()))).collect();
    let is_distinct = |map: &Vec<Point>| {
        let mut sorted = map.clone();
        sorting::sort_by(&mut sorted, |one, other| one.partial_cmp(other).expect("positions are whole numbers"));
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    let placed = match map.filter(|map| layout == Layout::Map && is_distinct(map)) {
        Some(places) => GraphLayout { scale: 0.9 * graph::scale(&graph, &places), places, bends: Vec::new() },
        None => layout::layered(&graph, stop),
    };
    let at = placed.places.iter().map(|place| (place.0 * placed.scale, place.1 * placed.scale));
    things.into_iter().cloned().zip(at).collect()
}

/// Returns the direction of each end of a thing. The ends face the things to which they are joined
/// as well as possible.
fn end_directions(plan: &Plan, thing: &Term, middles: &BTreeMap<Term, Point>) -> Vec<(End, f64)> {
    let middle = middles[thing];
    let ends = plan.ends(thing);
    let ideal_angle = |end: &End| {
        let (x, y) = middles[&plan.joined[end].0];
        (plan.joined[end].0 != *thing).then(|| (y - middle.1).atan2(x - middle.0))
    };
    let arms = |angle: f64| -> Vec<(End, f64)> {
        if plan.forks.contains_key(thing) {
            let mut branches: Vec<&End> = ends[1..].iter().collect();
            let side = |end: &End| ideal_angle(end).map_or(0.0, |ideal_angle| normalized(ideal_angle - angle - PI));
            sorting::sort_by(&mut branches, |one, other| side(one).total_cmp(&side(other)));
            let first = angle + PI - SPREAD * (branches.len() - 1) as f64 / 2.0;
            let arm = |(number, end): (usize, &&End)| ((*end).clone(), first + SPREAD * number as f64);
            return [(ends[0].clone(), angle)].into_iter().chain(branches.iter().enumerate().map(arm)).collect();
        }
        let spacing = TAU / ends.len() as f64;
        ends.iter().enumerate().map(|(number, end)| (end.clone(), angle + spacing * number as f64)).collect()
    };
    let cost = |arms: &[(End, f64)]| -> f64 {
        arms.iter()
            .map(|(end, angle)| ideal_angle(end).map_or(0.0, |ideal_angle| normalized(ideal_angle - angle).powi(2)))
            .sum()
    };
    let candidates = (0..72).map(|step| arms(TAU * f64::from(step) / 72.0));
    candidates.min_by(|one, other| cost(one).total_cmp(&cost(other))).expect("there are candidates")
}

fn route_rails(
    plan: &Plan,
    middles: &BTreeMap<Term, Point>,
    angles: &BTreeMap<End, f64>,
    ends: &BTreeMap<End, Point>,
) -> BTreeMap<End, Curve> {
    let mut rails: BTreeMap<End, Curve> = BTreeMap::new();
    let mut drawn: Vec<Vec<Point>> = Vec::new();
    let mut tracks: Vec<(&End, &End)> = plan.joined.iter().filter(|(one, other)| one < other).collect();
    sorting::sort_by(&mut tracks, |one, other| {
        distance(ends[one.0], ends[one.1]).total_cmp(&distance(ends[other.0], ends[other.1]))
    });
    for (one, other) in tracks {
        let (from, to) = (ends[one], ends[other]);
        let direct_length = distance(from, to).max(24.0);
        let cost = |points: &[Point]| {
            let closeness_cost = |(thing, middle): (&Term, &Point)| {
                let clearance = if *thing == one.0 || *thing == other.0 {
                    radius(thing) + 4.0
                } else {
                    radius(thing) + CLEARANCE - 9.0
                };
                let nearest = points.iter().map(|&point| distance(point, *middle)).fold(f64::INFINITY, f64::min);
                (clearance - nearest).max(0.0).powi(2)
            };
            let crossed =
                |other: &&Vec<Point>| points.windows(2).any(|one| other.windows(2).any(|other| crosses(one, other)));
            let length: f64 = points.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
            let crossings = drawn.iter().filter(crossed).count() as f64;
            middles.iter().map(closeness_cost).sum::<f64>() + CROSSING_COST * crossings + 2.0 * (length - direct_length)
        };
        let curve = |first: f64, second: f64, bow: f64| {
            let [a, b] =
                [towards(from, angles[one], first * direct_length), towards(to, angles[other], second * direct_length)];
            if bow == 0.0 {
                return Curve(vec![from, a, b, to]);
            }
            let (x, y) = (to.0 - from.0, to.1 - from.1);
            let (middle, (x, y)) = (between(from, to, 0.5), (x / 4.0, y / 4.0));
            let (bow_x, bow_y) = (middle.0 - 4.0 * y * bow, middle.1 + 4.0 * x * bow);
            Curve(vec![from, a, (bow_x - x, bow_y - y), (bow_x, bow_y), (bow_x + x, bow_y + y), b, to])
        };
        let lengths = [0.25, 0.5, 0.9, 1.6];
        let bows = [0.0, 0.2, -0.2, 0.5, -0.5];
        let candidates = lengths.iter().flat_map(|&first| lengths.iter().map(move |&second| (first, second)));
        let mut candidates: Vec<Curve> =
            candidates.flat_map(|(first, second)| bows.map(|bow| curve(first, second, bow))).collect();
        if middles.len() > MAX_THINGS_FOR_CHOICE {
            candidates.truncate(1);
        }
        let points = |curve: &Curve| curve.points(8.0);
        let best = candidates.into_iter().min_by(|one, other| cost(&points(one)).total_cmp(&cost(&points(other))));
        let best = best.expect("there are candidates");
        drawn.push(points(&best));
        rails.insert(other.clone(), Curve(best.0.iter().rev().copied().collect()));
        rails.insert(one.clone(), best);
    }
    rails
}

/// Returns true if two line segments cross.
fn crosses(one: &[Point], other: &[Point]) -> bool {
    let side = |a: Point, b: Point, c: Point| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    side(one[0], one[1], other[0]) * side(one[0], one[1], other[1]) < 0.0
        && side(other[0], other[1], one[0]) * side(other[0], other[1], one[1]) < 0.0
}
