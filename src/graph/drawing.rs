//! Makes a picture of a graph whose sites have places.
//!
//! Nodes have a size that people can read, so the places are drawn apart until the nearest two do not touch. An arc is a straight
//! line, unless another one runs between the same two nodes or a node stands in the way: then it bends, as little as will do.

use super::{Arc, Emphasis, Graph, Node, Shape};
use crate::picture::{Look, Paint, Point, Sprite};

/// Pixels.
const RADIUS: f64 = 15.0;
const SIDE: f64 = 34.0;
const NEAREST: f64 = 56.0;
const MARGIN: f64 = 34.0;
/// A drawing whose nearest nodes are much nearer than the others would be all distance.
const MOST_SCALE: f64 = 4.0;
/// Arcs times nodes: beyond it arcs go straight whatever stands in the way.
const MOST_LOOKED_AT: usize = 8_000_000;

/// Where everything stands, whatever is emphasised: many drawings of one graph share it.
#[derive(Debug, Clone, Default)]
pub struct Laid {
    pub width: f64,
    pub height: f64,
    /// The middle of each node.
    pub at: Vec<Point>,
    /// How far each arc's middle is off the straight line, to the left, as a part of its length.
    bends: Vec<f64>,
}

/// Stands the nodes; `places` has a point for each site, in a unit of `scale` pixels.
pub fn lay(graph: &Graph, places: &[Point], scale: f64) -> Laid {
    let left = places.iter().map(|place| place.0).fold(f64::INFINITY, f64::min);
    let top = places.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
    let spread = graph.sites.iter().map(|site| half_width(site.nodes.len())).fold(0.0, f64::max);
    let mut at = vec![(0.0, 0.0); graph.nodes.len()];
    let (mut width, mut height) = (0.0_f64, 0.0_f64);
    for (site, place) in graph.sites.iter().zip(places) {
        let (x, y) = ((place.0 - left) * scale + MARGIN + spread, (place.1 - top) * scale + MARGIN);
        for (index, &node) in site.nodes.iter().enumerate() {
            let aside = (index as f64 - (site.nodes.len() - 1) as f64 / 2.0) * SIDE;
            at[node] = (x + aside, y);
        }
        (width, height) = (width.max(x + MARGIN + spread), height.max(y + MARGIN));
    }
    let bends = bends(graph, &at);
    // What bends out of the picture moves it.
    let (mut low, mut high) = ((0.0_f64, 0.0_f64), (width, height));
    for (arc, &bend) in graph.arcs.iter().zip(&bends) {
        let (from, to) = (at[arc.from], at[arc.to]);
        for part in 1..8 {
            let (x, y) = along(from, pull(from, to, bend), to, f64::from(part) / 8.0);
            low = (low.0.min(x - 8.0), low.1.min(y - 8.0));
            high = (high.0.max(x + 8.0), high.1.max(y + 8.0));
        }
    }
    let mut laid = Laid { width, height, at, bends };
    laid.hold(low, high);
    laid
}

impl Laid {
    /// Grows the picture until the rectangle is within; everything moves if that is to the left or above.
    pub fn hold(&mut self, low: Point, high: Point) {
        let (left, top) = (low.0.min(0.0), low.1.min(0.0));
        self.at.iter_mut().for_each(|place| *place = (place.0 - left, place.1 - top));
        (self.width, self.height) = (self.width.max(high.0) - left, self.height.max(high.1) - top);
    }
}

/// Draws a graph with the nodes and arcs of the one that was laid.
pub fn draw(graph: &Graph, laid: &Laid) -> Vec<Sprite> {
    let mut sprites = Vec::new();
    let mut marks = Vec::new();
    for (arc, &bend) in graph.arcs.iter().zip(&laid.bends) {
        sprites.push(line(graph, arc, &laid.at, bend));
        marks.extend(marks_of(graph, arc, &laid.at, bend));
    }
    sprites.extend(graph.nodes.iter().zip(&laid.at).map(|(node, &place)| node_sprite(node, place)));
    for site in graph.sites.iter().filter(|site| !site.label.is_empty()) {
        let middle = site.nodes.iter().map(|&node| laid.at[node].0).sum::<f64>() / site.nodes.len() as f64;
        let place = (middle, laid.at[site.nodes[0]].1 + 20.0);
        sprites.push(Sprite::still(Look::Text { size: 10.0 }, Paint::Grey, site.label.clone(), place));
    }
    sprites.extend(marks);
    sprites
}

/// A node with its name, at most [`SIDE`] wide and high but for its frame.
pub(super) fn node_sprite(node: &Node, place: Point) -> Sprite {
    let look = match node.shape {
        Shape::Disc => Look::Disc { radius: RADIUS },
        Shape::Ring => Look::Ring { radius: RADIUS },
        Shape::Box => Look::Tile { width: SIDE, height: 26.0 },
    };
    Sprite::still(look, node.paint, node.name.clone(), place).hint(node.hint.clone())
}

fn half_width(nodes: usize) -> f64 {
    (nodes as f64 - 1.0) / 2.0 * SIDE
}

/// Pixels for a unit of the places: the nearest two do not touch.
pub fn scale(places: &[Point]) -> f64 {
    let mut sorted: Vec<Point> = places.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    let mut nearest = f64::INFINITY;
    for (index, one) in sorted.iter().enumerate() {
        for other in &sorted[index + 1..] {
            if other.0 - one.0 > nearest {
                break;
            }
            let distance = (other.0 - one.0).hypot(other.1 - one.1);
            if distance > 1e-6 {
                nearest = nearest.min(distance);
            }
        }
    }
    if !nearest.is_finite() {
        return 1.0;
    }
    // The unit is unknown, so that the size of the whole tells how far it may be drawn apart.
    let extent = |of: fn(&Point) -> f64| {
        let all = places.iter().map(of);
        all.clone().fold(f64::NEG_INFINITY, f64::max) - all.fold(f64::INFINITY, f64::min)
    };
    let extent = extent(|place| place.0).max(extent(|place| place.1));
    let common = NEAREST * (places.len() as f64).sqrt() / extent;
    (NEAREST / nearest).min(common * MOST_SCALE).max(common * 0.8)
}

/// The bend of each arc.
fn bends(graph: &Graph, at: &[Point]) -> Vec<f64> {
    const TRIED: [f64; 9] = [0.0, 0.12, -0.12, 0.24, -0.24, 0.38, -0.38, 0.55, -0.55];
    let mut between: rustc_hash::FxHashMap<(usize, usize), Vec<f64>> = rustc_hash::FxHashMap::default();
    let mut count = between.clone();
    for arc in &graph.arcs {
        count.entry((arc.from.min(arc.to), arc.from.max(arc.to))).or_default().push(0.0);
    }
    // With very many nodes nobody sees which of them a line crosses.
    let avoids_nodes = graph.arcs.len() * at.len() <= MOST_LOOKED_AT;
    let mut by_row: Vec<usize> = (0..at.len()).collect();
    by_row.sort_by(|&a, &b| at[a].1.total_cmp(&at[b].1));
    let rows: Vec<f64> = by_row.iter().map(|&node| at[node].1).collect();
    graph
        .arcs
        .iter()
        .map(|arc| {
            let pair = (arc.from.min(arc.to), arc.from.max(arc.to));
            let taken = between.entry(pair).or_default();
            let is_alone = count[&pair].len() == 1;
            // Seen from the end with the smaller number, so that the bends of both directions compare.
            let sign = if arc.from == pair.0 { 1.0 } else { -1.0 };
            let best = TRIED
                .iter()
                .copied()
                .filter(|bend| (is_alone || *bend != 0.0) && !taken.contains(&(sign * bend)))
                .map(|bend| {
                    let met = if avoids_nodes { collisions(arc, at, bend, &by_row, &rows) } else { 0 };
                    (met as f64 + bend.abs(), bend)
                })
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .map_or(0.0, |(_, bend)| bend);
            taken.push(sign * best);
            best
        })
        .collect()
}

/// Nodes that stand in the way.
fn collisions(arc: &Arc, at: &[Point], bend: f64, by_row: &[usize], rows: &[f64]) -> usize {
    let (from, to) = (at[arc.from], at[arc.to]);
    let pull = pull(from, to, bend);
    let low = from.1.min(to.1).min(pull.1) - RADIUS - 4.0;
    let high = from.1.max(to.1).max(pull.1) + RADIUS + 4.0;
    let first = rows.partition_point(|&row| row < low);
    by_row[first..]
        .iter()
        .take_while(|&&node| at[node].1 <= high)
        .filter(|&&node| node != arc.from && node != arc.to)
        .filter(|&&node| {
            (1..12).any(|part| {
                let (x, y) = along(from, pull, to, f64::from(part) / 12.0);
                (x - at[node].0).hypot(y - at[node].1) < RADIUS + 4.0
            })
        })
        .count()
}

/// The point that pulls a line out by `bend` of its length.
fn pull(from: Point, to: Point, bend: f64) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    ((from.0 + to.0) / 2.0 + 2.0 * bend * dy, (from.1 + to.1) / 2.0 - 2.0 * bend * dx)
}

/// A point of the curve, from 0 to 1.
fn along(from: Point, pull: Point, to: Point, part: f64) -> Point {
    let mix = |a: f64, b: f64, c: f64| (1.0 - part).powi(2) * a + 2.0 * part * (1.0 - part) * b + part * part * c;
    (mix(from.0, pull.0, to.0), mix(from.1, pull.1, to.1))
}

/// Where the curve enters or leaves a node.
fn border(node: Shape, middle: Point, towards: Point) -> Point {
    let (dx, dy) = (towards.0 - middle.0, towards.1 - middle.1);
    let length = dx.hypot(dy).max(1e-9);
    let radius = match node {
        Shape::Disc => RADIUS + 1.0,
        Shape::Ring => RADIUS + 4.0,
        Shape::Box => (SIDE / 2.0 * length / dx.abs().max(1e-9)).min(13.0 * length / dy.abs().max(1e-9)) + 1.0,
    };
    (middle.0 + dx / length * radius, middle.1 + dy / length * radius)
}

/// Both ends of an arc, at the borders of its nodes, and the point that pulls it.
fn ends(graph: &Graph, arc: &Arc, at: &[Point], bend: f64) -> [Point; 3] {
    let (from, to) = (at[arc.from], at[arc.to]);
    let pull = if arc.from == arc.to { (from.0 + 40.0, from.1 - 40.0) } else { pull(from, to, bend) };
    let (start, end) = if arc.from == arc.to {
        ((from.0, from.1 - RADIUS), (from.0 + RADIUS + 1.0, from.1))
    } else {
        (border(graph.nodes[arc.from].shape, from, pull), border(graph.nodes[arc.to].shape, to, pull))
    };
    [start, pull, end]
}

fn line(graph: &Graph, arc: &Arc, at: &[Point], bend: f64) -> Sprite {
    let [from, bend, to] = ends(graph, arc, at, bend);
    let (paint, width) = match arc.emphasis {
        Emphasis::Plain => (Paint::Grey, 1.2),
        Emphasis::Strong => (Paint::Accent, 3.0),
        Emphasis::Jump => (Paint::Grey, 1.2),
    };
    let is_dashed = arc.emphasis == Emphasis::Jump;
    let look = Look::Curve { from, bend, to, width, is_dashed, has_arrow: true };
    let name = |node: usize| &graph.nodes[node].name;
    let with = if arc.label.is_empty() { String::new() } else { format!(" at {}", arc.label) };
    Sprite::still(look, paint, "", (0.0, 0.0)).hint(format!("{} → {}{with}", name(arc.from), name(arc.to)))
}

/// The label near the beginning, the badge further on.
fn marks_of(graph: &Graph, arc: &Arc, at: &[Point], bend: f64) -> Vec<Sprite> {
    let [from, pull, to] = ends(graph, arc, at, bend);
    let length = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
    let mut marks = Vec::new();
    if !arc.label.is_empty() {
        let (x, y) = along(from, pull, to, (11.0 / length).clamp(0.1, 0.4));
        // Beside the line, on the side to which it bends.
        let side = if bend < 0.0 { -1.0 } else { 1.0 };
        let (dx, dy) = ((to.0 - from.0) / length, (to.1 - from.1) / length);
        let place = (x + side * dy * 6.5, y - side * dx * 6.5);
        marks.push(Sprite::still(Look::Text { size: 10.0 }, Paint::White, arc.label.clone(), place));
    }
    if !arc.badge.is_empty() {
        let look = Look::Tile { width: 8.0 + 6.5 * arc.badge.chars().count() as f64, height: 14.0 };
        marks.push(Sprite::still(look, Paint::Accent, arc.badge.clone(), along(from, pull, to, 0.55)));
    }
    marks
}
