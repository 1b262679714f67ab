//! Draws graphs whose sites have positions.
//!
//! Nodes have a legible size, so the positions are scaled until the nearest two nodes do not touch.
//! An arc is a straight line, unless another arc joins the same two nodes or a node is in the way.
//! In that case it bends as little as possible. An arc that leaves a site of several nodes, such as
//! a gate, is drawn from the node that is nearest to its destination, as if it passed through the
//! site. It is labelled with the name of the node at which it starts.

use base::sorting;
use rustc_hash::FxHashMap;

use super::layout::GraphLayout;
use super::model::{Arc, Emphasis, Graph, Node, Shape, Site};
use super::node::{HEIGHT, name_width, node_sprites, size};
use super::routing::{Body, Router, Taken};
use crate::{Curve, Frame, Look, Paint, Point, Sprite, TEXT, between, distance, text_width};

/// Minimum gap between two sites in pixels.
const GAP: f64 = 36.0;
/// Usual distance between the centres of two sites in pixels.
const USUAL: f64 = 64.0;
/// Maximum factor by which the scale exceeds the usual one. If two nodes are much nearer than the
/// others, a larger scale would separate them but move all others far apart.
const MOST_SCALE: f64 = 4.0;
/// Sites of a graph with more of them are not moved apart.
const MAX_SEPARATED: usize = 300;
/// How often each pair of sites that are too close is moved apart.
const SEPARATIONS: usize = 6;
/// Line widths.
const PLAIN: f64 = 1.3;
const STRONG: f64 = 3.0;
/// Penalties for a label that overlaps a node, a label, an arrowhead or a line.
const ON_NODE: f64 = 100.0;
const ON_LABEL: f64 = 60.0;
const ON_HEAD: f64 = 80.0;
const ON_LINE: f64 = 2.0;
/// Half the size of the box that stands for a piece of a line, in pixels.
const LINE: f64 = 1.5;

/// The positions of nodes, arcs and labels. Drawings of the same graph with different emphasis
/// share them.
#[derive(Debug, Clone, Default)]
pub struct RoutedGraph {
    /// The centre of each node.
    pub at: Vec<Point>,
    /// For each arc: its curve between the borders of its nodes, its label, and the label's
    /// position.
    arcs: Vec<(Curve, String, Point)>,
    taken: Taken,
}

/// Positions the nodes and routes the arcs.
pub fn route(graph: &Graph, layout: &GraphLayout) -> RoutedGraph {
    let mut at = vec![(0.0, 0.0); graph.nodes.len()];
    for (site, place) in graph.sites.iter().zip(&layout.places) {
        let widths: Vec<f64> = site.nodes.iter().map(|&node| size(&graph.nodes[node]).0).collect();
        let mut left = place.0 * layout.scale - widths.iter().sum::<f64>() / 2.0;
        for (&node, width) in site.nodes.iter().zip(widths) {
            at[node] = (left + width / 2.0, place.1 * layout.scale);
            left += width;
        }
    }
    let bodies: Vec<Body> = graph.nodes.iter().zip(&at).map(|(node, &at)| body(node, at)).collect();
    let curves = curves(graph, layout, &bodies);
    let mut taken = Taken::default();
    for (body, node) in bodies.iter().zip(&graph.nodes) {
        taken.put(body.frame(), ON_NODE);
        taken.put(around(body.at, (name_width(node), TEXT)), ON_NODE);
    }
    for (place, size, _) in site_labels(graph, &at) {
        taken.put(around(place, size), ON_LABEL);
    }
    for (_, curve) in &curves {
        let points = curve.points(6.0);
        for &point in &points {
            taken.put(around(point, (2.0 * LINE, 2.0 * LINE)), ON_LINE);
        }
        let (tip, from) = (curve.end(), back(&points, crate::head(STRONG)));
        let head = crate::frame([tip, from]);
        let half = crate::head(STRONG) * 0.5;
        taken.put(((head.0.0 - half, head.0.1 - half), (head.1.0 + half, head.1.1 + half)), ON_HEAD);
    }
    let arcs = graph.arcs.iter().zip(curves).map(|(arc, (start, curve))| {
        let passes_site = start != arc.from && arc.label.is_empty();
        let label = if passes_site { graph.nodes[arc.from].name.clone() } else { arc.label.clone() };
        let size = (text_width(&label, TEXT) + 2.0, TEXT);
        let place = if label.is_empty() { curve.start() } else { taken.place(size, ON_LABEL, beside(&curve, size)) };
        (curve, label, place)
    });
    let arcs = arcs.collect();
    RoutedGraph { at, arcs, taken: taken.shared() }
}

impl RoutedGraph {
    /// Draws `graph`, which may differ from the graph that was laid out only in emphasis and
    /// badges.
    pub fn draw(&mut self, graph: &Graph) -> Vec<Sprite> {
        let mut sprites = Vec::new();
        let mut marks = Vec::new();
        for (arc, (curve, label, place)) in graph.arcs.iter().zip(&self.arcs) {
            sprites.push(line(graph, arc, curve));
            if !label.is_empty() {
                marks.push(Sprite::still(Look::Text { size: TEXT }, Paint::White, label.clone(), *place));
            }
        }
        // Short arcs have the least choice of places for their badges.
        let mut badges: Vec<usize> = (0..graph.arcs.len()).filter(|&arc| !graph.arcs[arc].badge.is_empty()).collect();
        sorting::sort_by_key(&mut badges, |&arc| self.arcs[arc].0.length() as u64);
        for arc in badges {
            let (badge, curve) = (&graph.arcs[arc].badge, &self.arcs[arc].0);
            let (width, height) = (8.0 + 7.5 * badge.chars().count() as f64, 16.0);
            let points = curve.points(4.0);
            let fractions = (0..=12).flat_map(|step| [0.5 + f64::from(step) * 0.03, 0.5 - f64::from(step) * 0.03]);
            let on_line = fractions.map(|fraction| points[(fraction * (points.len() - 1) as f64) as usize]);
            let places = on_line.chain(beside(curve, (width, height)));
            let place = self.taken.place((width, height), ON_LABEL, places);
            marks.push(Sprite::still(Look::Tile { width, height }, Paint::Accent, badge.clone(), place));
        }
        sprites.extend(graph.nodes.iter().zip(&self.at).flat_map(|(node, &place)| node_sprites(node, place)));
        for (place, _, label) in site_labels(graph, &self.at) {
            sprites.push(Sprite::still(Look::Text { size: TEXT }, Paint::Grey, label, place));
        }
        sprites.extend(marks);
        sprites
    }

    /// Returns a position near `node` for a line of text, and reserves it.
    pub fn place_label(&mut self, node: usize, text: &str) -> Point {
        let (x, y) = self.at[node];
        let size = (text_width(text, TEXT), TEXT + 2.0);
        let rows = [-1.0, 1.0, -1.9, 1.9, -2.8, 2.8, -3.7].map(|row| row * (TEXT + 2.0));
        let sides = [0.0, -0.4, 0.4, -0.8, 0.8].map(|fraction| fraction * size.0);
        let places =
            rows.into_iter().flat_map(|row| sides.map(|side| (x + side, y + row + row.signum() * HEIGHT / 3.0)));
        self.taken.place(size, ON_NODE, places)
    }

    /// Returns the path along an arc from the centre of its first node to the centre of the other.
    pub fn path(&self, graph: &Graph, arc: usize) -> Curve {
        let curve = &self.arcs[arc].0;
        let mut path = Curve::line(self.at[graph.arcs[arc].from], curve.start());
        path.append(curve);
        path.append(&Curve::line(curve.end(), self.at[graph.arcs[arc].to]));
        path
    }
}

fn body(node: &Node, at: Point) -> Body {
    let (width, height) = size(node);
    let is_disc = matches!(node.shape, Shape::Disc | Shape::Ring | Shape::Point);
    let half = (if is_disc { height } else { width } / 2.0, height / 2.0);
    Body { at, half, is_round: is_disc || node.shape == Shape::Ellipse }
}

fn around((x, y): Point, (width, height): (f64, f64)) -> Frame {
    ((x - width / 2.0, y - height / 2.0), (x + width / 2.0, y + height / 2.0))
}

/// Returns the labels of sites: the position below the site, the size and the text of each.
fn site_labels(graph: &Graph, at: &[Point]) -> Vec<(Point, (f64, f64), String)> {
    let labelled = graph.sites.iter().filter(|site| !site.label.is_empty());
    let label = labelled.map(|site| {
        let (low, high) = crate::frame(site.nodes.iter().map(|&node| at[node]));
        let place = ((low.0 + high.0) / 2.0, low.1 + HEIGHT / 2.0 + TEXT * 0.7);
        (place, (text_width(&site.label, TEXT), TEXT), site.label.clone())
    });
    label.collect()
}

/// Returns the width and the height of a site, whose nodes are side by side.
fn site_size(graph: &Graph, site: &Site) -> (f64, f64) {
    let sizes = site.nodes.iter().map(|&node| size(&graph.nodes[node]));
    sizes.fold((0.0, 0.0), |whole, size| (whole.0 + size.0, f64::max(whole.1, size.1)))
}

/// Returns the number of pixels for a unit of the positions, such that the gaps between sites are
/// at least `GAP`.
pub fn scale(graph: &Graph, places: &[Point]) -> f64 {
    let sizes: Vec<(f64, f64)> = graph.sites.iter().map(|site| site_size(graph, site)).collect();
    // The unit of the positions is unknown. Their extent and number determine the usual scale.
    let (low, high) = crate::frame(places.iter().copied());
    let extent = (high.0 - low.0).max(high.1 - low.1);
    if extent < 1e-6 {
        return 1.0;
    }
    let common = USUAL * (places.len() as f64).sqrt() / extent;
    let scale_between = |first: f64, second: f64, size: f64, other_size: f64| {
        ((size + other_size) / 2.0 + GAP) / (first - second).abs().max(1e-9)
    };
    let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
    let mut needed = common * 0.8;
    let mut order: Vec<usize> = (0..places.len()).collect();
    sorting::sort_by(&mut order, |&one, &other| places[one].0.total_cmp(&places[other].0));
    for (index, &one) in order.iter().enumerate() {
        for &other in &order[index + 1..] {
            // The remaining sites, further to the right, are far enough away.
            if scale_between(places[one].0, places[other].0, widest, widest) <= needed || needed >= common * MOST_SCALE
            {
                break;
            }
            // Two sites need to be separated in one direction only.
            let horizontal = scale_between(places[one].0, places[other].0, sizes[one].0, sizes[other].0);
            needed =
                needed.max(horizontal.min(scale_between(places[one].1, places[other].1, sizes[one].1, sizes[other].1)));
        }
    }
    needed.min(common * MOST_SCALE)
}

/// Moves sites of a map apart that would otherwise almost touch, so that arrowheads fit between
/// them. Nothing moves if straight arcs would then cross each other or other sites more often.
pub fn separated(graph: &Graph, layout: GraphLayout) -> GraphLayout {
    if layout.places.len() > MAX_SEPARATED {
        return layout;
    }
    let (scale, mut places) = (layout.scale, layout.places.clone());
    let radius = |site: &Site| {
        let (width, height) = site_size(graph, site);
        (width + height) / 4.0
    };
    let radii: Vec<f64> = graph.sites.iter().map(radius).collect();
    for _ in 0..SEPARATIONS {
        for one in 0..places.len() {
            for other in one + 1..places.len() {
                let (needed, far) = ((radii[one] + radii[other] + GAP) / scale, distance(places[one], places[other]));
                if far >= needed || far < 1e-6 {
                    continue;
                }
                let middle = between(places[one], places[other], 0.5);
                // Half of the way, since other sites may be close, too.
                let factor = 1.0 + 0.5 * (needed / far - 1.0);
                for site in [one, other] {
                    places[site] = between(middle, places[site], factor);
                }
            }
        }
    }
    let radii: Vec<f64> = radii.iter().map(|radius| radius / scale).collect();
    let is_worse = conflicts(graph, &places, &radii) > conflicts(graph, &layout.places, &radii);
    if is_worse { layout } else { GraphLayout { places, ..layout } }
}

/// Returns the number of pairs of arcs that cross, plus the number of sites that each arc hits. Arcs
/// are straight, and sites are discs with the centres `places` and these radii.
fn conflicts(graph: &Graph, places: &[Point], radii: &[f64]) -> usize {
    let site_of = graph.site_of();
    let mut arcs: Vec<[usize; 2]> = graph.arcs.iter().map(|arc| [site_of[arc.from], site_of[arc.to]]).collect();
    arcs.retain(|[from, to]| from != to);
    let crosses = |one: [usize; 2], other: [usize; 2]| {
        let separates = |arc: [usize; 2], sites: [usize; 2]| {
            let [from, to] = arc.map(|site| places[site]);
            let side = |(x, y): Point| (to.0 - from.0) * (y - from.1) - (to.1 - from.1) * (x - from.0);
            side(places[sites[0]]) * side(places[sites[1]]) < 0.0
        };
        other.iter().all(|site| !one.contains(site)) && separates(one, other) && separates(other, one)
    };
    let hits = |arc: [usize; 2], site: usize| {
        let ([from, to], at) = (arc.map(|site| places[site]), places[site]);
        let along = (at.0 - from.0) * (to.0 - from.0) + (at.1 - from.1) * (to.1 - from.1);
        let part = along / distance(from, to).powi(2).max(1e-9);
        let nearest = between(from, to, part.clamp(0.0, 1.0));
        !arc.contains(&site) && distance(at, nearest) < radii[site]
    };
    let conflicts_of = |(number, &arc): (usize, &[usize; 2])| {
        let crossed = arcs[number + 1..].iter().filter(|&&other| crosses(arc, other)).count();
        crossed + (0..places.len()).filter(|&site| hits(arc, site)).count()
    };
    arcs.iter().enumerate().map(conflicts_of).sum()
}

/// Returns the start node and the curve of each arc.
fn curves(graph: &Graph, layout: &GraphLayout, bodies: &[Body]) -> Vec<(usize, Curve)> {
    let site_of = graph.site_of();
    let mut router = Router::new(bodies, graph.arcs.len());
    let mut starts = Vec::new();
    let mut count: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    let mut directed_count: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for (number, arc) in graph.arcs.iter().enumerate() {
        let start = start(graph, arc, &site_of, bodies, layout.bends.get(number));
        starts.push(start);
        *count.entry((start.min(arc.to), start.max(arc.to))).or_default() += 1;
        *directed_count.entry((start, arc.to)).or_default() += 1;
    }
    // The bends in use between each pair of nodes, seen from the node with the smaller index.
    let mut taken_between: FxHashMap<(usize, usize), Vec<f64>> = FxHashMap::default();
    let mut curve = |number: usize, is_alone: bool| {
        let (arc, start) = (&graph.arcs[number], starts[number]);
        let ends = [start, arc.to];
        let (from, to) = (bodies[start].at, bodies[arc.to].at);
        let pair = (start.min(arc.to), start.max(arc.to));
        let sign = if start == pair.0 { 1.0 } else { -1.0 };
        // Arrowheads at the same end need room beside each other.
        let has_twin = directed_count[&(start, arc.to)] > 1;
        let taken = taken_between.entry(pair).or_default();
        let curves: Vec<(f64, Curve)> = match layout.bends.get(number) {
            Some(points) if !points.is_empty() => vec![(0.0, bent(from, to, 0.0)), (30.0, layered(from, points, to))],
            _ if site_of[start] == site_of[arc.to] => {
                let turns = (1..).zip(loops(from, to)).map(|(turn, curve)| (f64::from(turn), curve));
                let free: Vec<_> = turns.filter(|(turn, _)| !taken.contains(&(sign * turn))).collect();
                if free.is_empty() { vec![(0.0, loops(from, to).swap_remove(0))] } else { free }
            }
            _ => {
                let is_free = |bend: &f64| taken.iter().all(|taken| (taken - sign * bend).abs() >= APART);
                let further = 80.0 + APART * taken.len() as f64;
                let bent_arc = |bend: f64| {
                    let aside = if has_twin { (bend * 0.5).clamp(-ASIDE, ASIDE) } else { 0.0 };
                    let [from, to] = [from, to].map(|end| beside_line(end, (from, to), aside));
                    (bend, bent(from, to, bend - aside))
                };
                BENDS.into_iter().chain([further]).filter(is_free).map(bent_arc).collect()
            }
        };
        // Two parallel arcs both bend, unless a straight arc avoids a crossing.
        let cost = |bend: f64| if bend == 0.0 && !is_alone { 6.0 } else { bend.abs() * 0.5 };
        let costs = curves.iter().map(|(bend, curve)| (cost(*bend), curve));
        let (chosen, curve) = router.choose(costs, ends);
        taken.push(sign * curves[chosen].0);
        curve
    };
    // Arcs that must bend are routed last and avoid the others.
    let is_alone = |number: usize| {
        let (start, to) = (starts[number], graph.arcs[number].to);
        count[&(start.min(to), start.max(to))] == 1
    };
    let mut order: Vec<usize> = (0..graph.arcs.len()).collect();
    sorting::sort_by_key(&mut order, |&number| !is_alone(number));
    let mut curves = vec![Curve::default(); graph.arcs.len()];
    for number in order {
        curves[number] = curve(number, is_alone(number));
    }
    starts.iter().copied().zip(curves).collect()
}

/// The candidate offsets of the middle of an arc from the straight line, in pixels.
const BENDS: [f64; 11] = [0.0, 11.0, -11.0, 22.0, -22.0, 36.0, -36.0, 54.0, -54.0, 80.0, -80.0];

/// Minimum distance between the middles of two arcs that join the same nodes, in pixels.
const APART: f64 = 20.0;
/// Maximum distance by which the ends of arcs from one node to the same other node are moved aside,
/// so that their arrowheads do not cover each other.
const ASIDE: f64 = 6.0;

/// Moves `point` by the distance `aside`, perpendicular to the line.
fn beside_line(point: Point, (from, to): (Point, Point), aside: f64) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let factor = aside / dx.hypot(dy).max(1e-9);
    (point.0 + factor * dy, point.1 - factor * dx)
}

fn bent(from: Point, to: Point, bend: f64) -> Curve {
    Curve::quadratic(from, beside_line(between(from, to, 0.5), (from, to), 2.0 * bend), to)
}

/// Returns the node of the site from which the arc is drawn: the one nearest to its destination.
fn start(graph: &Graph, arc: &Arc, site_of: &[usize], bodies: &[Body], path: Option<&Vec<Point>>) -> usize {
    let site = &graph.sites[site_of[arc.from]];
    let to = match path {
        Some(points) if !points.is_empty() => points[0],
        _ if site_of[arc.to] == site_of[arc.from] => return arc.from,
        _ => bodies[arc.to].at,
    };
    let cost = |node: usize| distance(bodies[node].at, to) + if node == arc.from { 0.0 } else { 8.0 };
    site.nodes.iter().copied().min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(arc.from)
}

/// Returns a curve through `points`. It is vertical where it passes a layer, so that it does not
/// touch the nodes on either side.
fn layered(from: Point, points: &[Point], to: Point) -> Curve {
    let mut curve = Curve(vec![from]);
    let mut last = from;
    let mut is_node = true;
    for (index, &next) in points.iter().chain([&to]).enumerate() {
        let is_last = index == points.len();
        let half = (next.1 - last.1) * 0.45;
        let first = if is_node { between(last, next, 0.25) } else { (last.0, last.1 + half) };
        let second = if is_last { between(next, last, 0.25) } else { (next.0, next.1 - half) };
        curve.0.extend([first, second, next]);
        (last, is_node) = (next, false);
    }
    curve
}

/// Returns candidate curves from a node to itself, or to its neighbour in the site.
fn loops(from: Point, to: Point) -> Vec<Curve> {
    const REACH: f64 = 74.0;
    if from != to {
        let over = |height: f64| Curve(vec![from, (from.0, from.1 + height), (to.0, to.1 + height), to]);
        return vec![over(-50.0), over(62.0), over(-76.0), over(88.0)];
    }
    let turn = |angle: f64| {
        let control =
            |angle: f64| (from.0 + REACH * angle.to_radians().cos(), from.1 - REACH * angle.to_radians().sin());
        Curve(vec![from, control(angle + 32.0), control(angle - 32.0), to])
    };
    [45.0, 135.0, -45.0, -135.0, 0.0, 180.0, 90.0, 270.0].map(turn).to_vec()
}

/// Returns the last point that is at least `length` pixels from the end.
fn back(points: &[Point], length: f64) -> Point {
    let tip = points[points.len() - 1];
    points.iter().rev().copied().find(|&point| distance(point, tip) >= length).unwrap_or(points[0])
}

fn line(graph: &Graph, arc: &Arc, curve: &Curve) -> Sprite {
    let (paint, width) = match arc.emphasis {
        _ if arc.line.is_some() => arc.line.map_or((Paint::Grey, PLAIN), |(color, width)| (Paint::Color(color), width)),
        Emphasis::Strong => (Paint::Accent, STRONG),
        Emphasis::Plain | Emphasis::Jump => (Paint::Grey, PLAIN),
    };
    let look = Look::Curve {
        curve: curve.clone(),
        width,
        is_dashed: arc.emphasis == Emphasis::Jump,
        has_arrow: !arc.has_no_head,
    };
    let name = |node: usize| graph.nodes[node].name.replace('\n', " ");
    let at_label = if arc.label.is_empty() { String::new() } else { format!(" at {}", arc.label) };
    let sign = if arc.has_no_head { '–' } else { '→' };
    Sprite::still(look, paint, "", (0.0, 0.0))
        .hint(format!("{} {sign} {}{at_label}", name(arc.from), name(arc.to)))
        .reacting(&arc.id, &arc.reacts)
}

/// Returns candidate positions for the label of a curve: first those next to the curve and near its
/// start, then those further away.
fn beside(curve: &Curve, size: (f64, f64)) -> impl Iterator<Item = Point> {
    let points = curve.points(4.0);
    let last = points.len() - 1;
    [3.0, 10.0, 18.0, 28.0, 40.0].into_iter().flat_map(move |gap| {
        let places: Vec<Point> = (2..=last.max(2))
            .flat_map(|index| {
                let index = index.min(last);
                let (here, before) = (points[index], points[index.saturating_sub(1)]);
                let length = distance(before, here).max(1e-9);
                let (dx, dy) = ((here.0 - before.0) / length, (here.1 - before.1) / length);
                // The distance at which the label does not touch the line.
                let away = gap + size.0 / 2.0 * dy.abs() + size.1 / 2.0 * dx.abs();
                [1.0, -1.0].map(|side| (here.0 + side * away * dy, here.1 - side * away * dx))
            })
            .collect();
        places
    })
}
