//! Routes arcs around other nodes, and places labels.
//!
//! Of several candidate curves, the cheapest is chosen. A curve is cheap if it does not come near
//! nodes other than its ends, crosses few earlier arcs, and bends little. If all candidates come
//! near nodes, A* finds the shortest path over points around the nodes, whose corners are rounded.

use std::sync::Arc;

use base::sorting;
use rustc_hash::FxHashMap;

use crate::{Curve, Frame, Point, between, distance, frame};

/// Minimum distance between an arc and nodes other than its ends, in pixels.
const CLEAR: f64 = 6.0;
/// Penalties in pixels of path length: for a bend in a detour, for a crossing, and for a node that
/// the arc comes too near.
const BEND: f64 = 25.0;
const CROSSING: f64 = 30.0;
const TOO_NEAR: f64 = 10_000.0;
/// Maximum number of nodes that a detour considers, the nearest ones.
const MAX_DETOUR_NODES: usize = 40;
/// Maximum number of detours in one picture.
const MAX_DETOURS: usize = 50;
/// Maximum length of a piece of an arc.
const PIECE: f64 = 6.0;
/// Maximum number of arcs times nodes for which arcs avoid nodes. In denser graphs, detours would
/// not be visible.
const MAX_ARCS_TIMES_NODES: usize = 1_000_000;
/// Size of a square of the spatial hash, in pixels.
const SQUARE: f64 = 64.0;

/// The shape of a node, which is an obstacle for arcs.
#[derive(Debug, Clone)]
pub struct Body {
    pub at: Point,
    /// Half of the width and half of the height.
    pub half: Point,
    pub is_round: bool,
}

impl Body {
    /// Returns the distance of a point from the border, which is negative for points inside.
    pub fn distance(&self, point: Point) -> f64 {
        let (across, down) = self.half;
        if self.is_round && across == down {
            return distance(point, self.at) - across;
        }
        if self.is_round {
            let relative = ((point.0 - self.at.0) / across).hypot((point.1 - self.at.1) / down);
            return (relative - 1.0) * across.min(down);
        }
        let (x, y) = ((point.0 - self.at.0).abs() - self.half.0, (point.1 - self.at.1).abs() - self.half.1);
        if x < 0.0 && y < 0.0 { x.max(y) } else { x.max(0.0).hypot(y.max(0.0)) }
    }

    pub fn frame(&self) -> Frame {
        let ((x, y), (across, down)) = (self.at, self.half);
        ((x - across, y - down), (x + across, y + down))
    }

    /// Returns the points around the node through which detours may lead.
    fn around(&self) -> impl Iterator<Item = Point> {
        let stretch = if self.is_round { 1.0 / 2_f64.sqrt() } else { 1.0 };
        let (across, down) = (self.half.0 + CLEAR + 3.0, self.half.1 + CLEAR + 3.0);
        let signs =
            [(-1.0, -1.0), (0.0, -1.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (-1.0, 1.0), (-1.0, 0.0)];
        signs.into_iter().map(move |(x, y): Point| {
            let factor = if x != 0.0 && y != 0.0 { stretch } else { 1.0 };
            (self.at.0 + x * across * factor, self.at.1 + y * down * factor)
        })
    }
}

/// Routes one arc after the other.
pub struct Router<'a> {
    bodies: &'a [Body],
    /// By square: the nodes near it.
    squares: FxHashMap<(i32, i32), Vec<usize>>,
    /// By square: the pieces of the arcs routed so far that begin in it.
    routed: FxHashMap<(i32, i32), Vec<[Point; 2]>>,
    /// The number of detours so far.
    detours: usize,
    /// True if arcs ignore nodes and other arcs.
    is_blind: bool,
}

fn square(point: Point) -> (i32, i32) {
    ((point.0 / SQUARE).floor() as i32, (point.1 / SQUARE).floor() as i32)
}

/// Returns the squares of the spatial hash that a frame touches.
fn squares((low, high): Frame) -> impl Iterator<Item = (i32, i32)> {
    let (low, high) = (square(low), square(high));
    (low.0..=high.0).flat_map(move |x| (low.1..=high.1).map(move |y| (x, y)))
}

fn grown((low, high): Frame, by: f64) -> Frame {
    ((low.0 - by, low.1 - by), (high.0 + by, high.1 + by))
}

fn overlap(one: Frame, other: Frame) -> bool {
    one.0.0 < other.1.0 && other.0.0 < one.1.0 && one.0.1 < other.1.1 && other.0.1 < one.1.1
}

impl<'a> Router<'a> {
    pub fn new(bodies: &'a [Body], arcs: usize) -> Self {
        let mut near: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (number, body) in bodies.iter().enumerate() {
            for square in squares(grown(body.frame(), CLEAR)) {
                near.entry(square).or_default().push(number);
            }
        }
        Router {
            bodies,
            squares: near,
            routed: FxHashMap::default(),
            detours: 0,
            is_blind: arcs * bodies.len() > MAX_ARCS_TIMES_NODES,
        }
    }

    /// Returns the part of a curve between the centres of two nodes that is outside both.
    pub fn outside(&self, curve: &Curve, [from, to]: [usize; 2]) -> Curve {
        curve.outside(|point| self.bodies[from].distance(point) < 1.0, |point| self.bodies[to].distance(point) < 1.0)
    }

    /// Chooses the cheapest of several curves between two nodes. Each is given with its cost,
    /// without the penalties for nodes and crossings. If the cheapest comes near a node, tries a
    /// detour. Returns the index of the curve, and the curve between the borders of the nodes.
    pub fn choose<'c>(&mut self, curves: impl Iterator<Item = (f64, &'c Curve)>, ends: [usize; 2]) -> (usize, Curve) {
        let mut best = (f64::INFINITY, 0, Curve::default());
        for (number, (cost, whole)) in curves.enumerate() {
            let curve = self.outside(whole, ends);
            let cost = if self.is_blind { cost } else { cost + self.cost(&curve, ends) };
            if cost < best.0 {
                best = (cost, number, curve);
            }
            if best.0 == 0.0 {
                break;
            }
        }
        let (cost, number, mut curve) = best;
        if cost >= TOO_NEAR && self.detours < MAX_DETOURS {
            self.detours += 1;
            if let Some(points) = self.around(ends) {
                curve = self.outside(&Curve::rounded_polyline(&points, 22.0), ends);
            }
        }
        if !self.is_blind {
            for piece in curve.points(PIECE).windows(2) {
                let piece = [piece[0], piece[1]];
                self.routed.entry(square(piece[0])).or_default().push(piece);
            }
        }
        (number, curve)
    }

    fn cost(&self, curve: &Curve, ends: [usize; 2]) -> f64 {
        let points = curve.points(PIECE);
        let mut near_nodes: Vec<usize> = points.iter().flat_map(|&point| self.nodes_near(point, ends)).collect();
        near_nodes.sort_unstable();
        near_nodes.dedup();
        TOO_NEAR * near_nodes.len() as f64 + CROSSING * self.crossings(&points) as f64
    }

    /// Returns the nodes other than `ends` that are too near to `point`.
    fn nodes_near(&self, point: Point, ends: [usize; 2]) -> impl Iterator<Item = usize> {
        let near = self.squares.get(&square(point)).map_or(&[][..], Vec::as_slice).iter().copied();
        near.filter(move |body| !ends.contains(body) && self.bodies[*body].distance(point) < CLEAR)
    }

    /// Returns the number of crossings of a polyline with the arcs routed so far.
    fn crossings(&self, points: &[Point]) -> usize {
        let turn = |a: Point, b: Point, c: Point| (b.0 - a.0) * (c.1 - a.1) > (b.1 - a.1) * (c.0 - a.0);
        let crosses = |piece: &[Point], other: &[Point; 2]| {
            turn(piece[0], piece[1], other[0]) != turn(piece[0], piece[1], other[1])
                && turn(other[0], other[1], piece[0]) != turn(other[0], other[1], piece[1])
        };
        let crossings_of = |piece: &[Point]| {
            // A piece is stored in the square in which it begins.
            let near = squares(grown(frame([piece[0], piece[1]]), PIECE)).filter_map(|square| self.routed.get(&square));
            near.flatten().filter(|other| crosses(piece, other)).count()
        };
        points.windows(2).map(crossings_of).sum()
    }

    /// Returns the shortest path around other nodes between the centres of the nodes `ends`, if
    /// there is one.
    fn around(&self, ends: [usize; 2]) -> Option<Vec<Point>> {
        let [from, to] = ends.map(|end| self.bodies[end].at);
        let detour = |body: &usize| distance(from, self.bodies[*body].at) + distance(self.bodies[*body].at, to);
        let mut near: Vec<usize> = (0..self.bodies.len()).collect();
        sorting::sort_by(&mut near, |one, other| detour(one).total_cmp(&detour(other)));
        let is_free = |point: &Point| self.nodes_near(*point, [usize::MAX; 2]).next().is_none();
        let mut points: Vec<Point> =
            near.iter().take(MAX_DETOUR_NODES).flat_map(|&body| self.bodies[body].around()).collect();
        points.retain(is_free);
        points.splice(..0, [from, to]);
        let is_open = |one: Point, other: Point| {
            let steps = (distance(one, other) / 5.0).ceil().max(1.0);
            (0..=steps as usize)
                .all(|step| self.nodes_near(between(one, other, step as f64 / steps), ends).next().is_none())
        };
        // For each point: its distance from the start, its predecessor, and true if it is done.
        let mut search = vec![(f64::INFINITY, usize::MAX, false); points.len()];
        search[0].0 = 0.0;
        loop {
            let estimate = |point: usize| search[point].0 + distance(points[point], to);
            let open = (0..points.len()).filter(|&point| !search[point].2 && search[point].0.is_finite());
            let here = open.min_by(|&one, &other| estimate(one).total_cmp(&estimate(other)))?;
            if here == 1 {
                break;
            }
            search[here].2 = true;
            for next in 1..points.len() {
                let length = search[here].0 + distance(points[here], points[next]) + BEND;
                if !search[next].2 && length < search[next].0 && is_open(points[here], points[next]) {
                    search[next] = (length, here, false);
                }
            }
        }
        let mut path = vec![1];
        while path[path.len() - 1] != 0 {
            path.push(search[path[path.len() - 1]].1);
        }
        Some(path.into_iter().rev().map(|point| points[point]).collect())
    }
}

/// By square: the occupied frames that touch it, each with its penalty.
type Squares = FxHashMap<(i32, i32), Vec<(Frame, f64)>>;

/// The space that nodes, lines and labels occupy.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// The part that all drawings of a graph share.
    shared: Arc<Squares>,
    /// The additions of one drawing.
    own: Squares,
}

impl Taken {
    pub fn put(&mut self, frame: Frame, weight: f64) {
        for square in squares(frame) {
            self.own.entry(square).or_default().push((frame, weight));
        }
    }

    /// Turns the space that is occupied so far into the part that all copies share.
    pub fn shared(self) -> Self {
        Taken { shared: Arc::new(self.own), own: Squares::default() }
    }

    /// Chooses the best of `places` for a box of this size, preferring earlier ones slightly.
    /// Occupies it with the penalty `weight`, and returns it.
    pub fn place(&mut self, size: (f64, f64), weight: f64, places: impl Iterator<Item = Point>) -> Point {
        let frame_at = |(x, y): Point| ((x - size.0 / 2.0, y - size.1 / 2.0), (x + size.0 / 2.0, y + size.1 / 2.0));
        let mut best = (f64::INFINITY, (0.0, 0.0));
        for (rank, place) in places.enumerate() {
            let frame = frame_at(place);
            let in_square = |square| [self.shared.get(&square), self.own.get(&square)].into_iter().flatten().flatten();
            let occupied = squares(frame).flat_map(in_square);
            let cost = occupied.filter(|(other, _)| overlap(frame, *other)).map(|(_, weight)| weight).sum::<f64>();
            let cost = cost + rank as f64 * 0.5;
            if cost < best.0 {
                best = (cost, place);
            }
            if best.0 <= rank as f64 * 0.5 {
                break;
            }
        }
        self.put(frame_at(best.1), weight);
        best.1
    }
}
