//! Draws compressed graphs: groups as nested boxes, and lines between boxes and nodes.

use base::sorting;
use base::stop::CancelToken;

use super::layout;
use super::model::Graph;
use super::node::node_sprites;
use super::power::{Line, Member, PowerGraph};
use crate::{Curve, Look, Paint, Point, Rgb, Sprite, between, distance, head};

/// Sizes in pixels.
const NODE: (f64, f64) = (40.0, 40.0);
const GAP: f64 = 20.0;
const PADDING: f64 = 12.0;
/// How far the middle of a line may lie beside the straight line, relative to half of its length.
/// A line gets the first of these bends with which it crosses the fewest nodes.
const BENDS: [f64; 9] = [0.1, -0.1, 0.2, -0.2, 0.35, -0.35, 0.5, -0.5, 0.7];
/// A line crosses a node if it comes nearer than this to the node's frame, in pixels: 2 pixels inside
/// it do not count.
const CLEAR: f64 = -2.0;
/// The colour of lines that represent several arcs.
const BLUE: Rgb = Rgb(0x1d, 0x4d, 0xe2);

/// Draws the nodes of `graph` in the groups of a power graph, and the lines of the power graph.
pub fn draw_compressed(graph: &Graph, power: &PowerGraph, stop: &CancelToken) -> Vec<Sprite> {
    let forest = Forest::new(graph.nodes.len(), power);
    let sizes: Vec<(f64, f64)> = forest.roots.iter().map(|&root| forest.size(root)).collect();
    let root_of = |member: &Member| forest.roots.iter().position(|root| *root == forest.root(*member)).unwrap_or(0);
    let mut arcs: Vec<(usize, usize)> = power
        .lines
        .iter()
        .map(|line| (root_of(&line.from), root_of(&line.to)))
        .filter(|(from, to)| from != to)
        .collect();
    arcs.sort_unstable();
    arcs.dedup();
    let places = layout::boxes(&sizes, &arcs, stop);
    let mut frames =
        Frames { nodes: vec![Frame::default(); graph.nodes.len()], groups: vec![Frame::default(); power.groups.len()] };
    for (&root, place) in forest.roots.iter().zip(&places) {
        forest.place(root, *place, &mut frames);
    }
    let mut sprites = Vec::new();
    // Smaller groups are drawn on top of larger ones.
    let mut groups: Vec<usize> = (0..power.groups.len()).collect();
    sorting::sort_by_key(&mut groups, |&group| std::cmp::Reverse(power.groups[group].len()));
    for group in groups {
        let frame = frames.groups[group];
        let look = Look::Tile { width: frame.size.0, height: frame.size.1 };
        let names: Vec<&str> = power.groups[group].iter().map(|&node| graph.nodes[node].name.as_str()).collect();
        let names = names.join(", ");
        sprites.push(Sprite::still(look, Paint::White, "", frame.middle).hint(names));
    }
    for line in &power.lines {
        sprites.extend(drawn_line(graph, power, &frames, line));
    }
    sprites.extend(graph.nodes.iter().zip(&frames.nodes).flat_map(|(node, frame)| node_sprites(node, frame.middle)));
    sprites
}

#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    middle: Point,
    size: (f64, f64),
}

impl Frame {
    /// Returns the distance of a point from the border, which is negative for points inside.
    fn distance(&self, point: Point) -> f64 {
        let x = (point.0 - self.middle.0).abs() - self.size.0 / 2.0;
        let y = (point.1 - self.middle.1).abs() - self.size.1 / 2.0;
        x.max(y)
    }
}

struct Frames {
    nodes: Vec<Frame>,
    groups: Vec<Frame>,
}

impl Frames {
    fn of(&self, member: &Member) -> Frame {
        match *member {
            Member::Node(node) => self.nodes[node],
            Member::Group(group) => self.groups[group],
        }
    }
}

/// The nesting of the groups.
struct Forest {
    roots: Vec<Member>,
    /// The parts of each group.
    parts: Vec<Vec<Member>>,
    node_parents: Vec<Option<usize>>,
    group_parents: Vec<Option<usize>>,
}

impl Forest {
    fn new(nodes: usize, power: &PowerGraph) -> Self {
        let smallest = |node: usize, larger_than: usize| {
            let contains_node = |group: &usize| {
                power.groups[*group].len() > larger_than && power.groups[*group].binary_search(&node).is_ok()
            };
            (0..power.groups.len()).filter(contains_node).min_by_key(|&group| power.groups[group].len())
        };
        let node_parents: Vec<_> = (0..nodes).map(|node| smallest(node, 1)).collect();
        let group_parents: Vec<_> = power.groups.iter().map(|group| smallest(group[0], group.len())).collect();
        let mut parts = vec![Vec::new(); power.groups.len()];
        let mut roots = Vec::new();
        let members = (0..power.groups.len()).map(Member::Group).chain((0..nodes).map(Member::Node));
        let parents = group_parents.iter().chain(&node_parents);
        for (member, parent) in members.zip(parents) {
            parent.map_or(&mut roots, |parent| &mut parts[parent]).push(member);
        }
        Forest { roots, parts, node_parents, group_parents }
    }

    fn root(&self, member: Member) -> Member {
        let parent = match member {
            Member::Node(node) => self.node_parents[node],
            Member::Group(group) => self.group_parents[group],
        };
        parent.map_or(member, |parent| self.root(Member::Group(parent)))
    }

    /// Returns the parts of a group in rows. Each row has its members, its width and its height.
    fn rows(&self, group: usize) -> Vec<(Vec<Member>, f64, f64)> {
        let parts = &self.parts[group];
        let per_row = (parts.len() as f64).sqrt().ceil() as usize;
        let row = |members: &[Member]| {
            let sizes: Vec<(f64, f64)> = members.iter().map(|&member| self.size(member)).collect();
            let width = sizes.iter().map(|size| size.0).sum::<f64>() + GAP * (members.len() - 1) as f64;
            (members.to_vec(), width, sizes.iter().map(|size| size.1).fold(0.0, f64::max))
        };
        parts.chunks(per_row).map(row).collect()
    }

    fn size(&self, member: Member) -> (f64, f64) {
        let Member::Group(group) = member else { return NODE };
        let rows = self.rows(group);
        let width = rows.iter().map(|row| row.1).fold(0.0, f64::max);
        let height = rows.iter().map(|row| row.2).sum::<f64>() + GAP * (rows.len() - 1) as f64;
        (width + 2.0 * PADDING, height + 2.0 * PADDING)
    }

    fn place(&self, member: Member, middle: Point, frames: &mut Frames) {
        let size = self.size(member);
        let group = match member {
            Member::Node(node) => {
                frames.nodes[node] = Frame { middle, size };
                return;
            }
            Member::Group(group) => group,
        };
        frames.groups[group] = Frame { middle, size };
        let mut y = middle.1 - size.1 / 2.0 + PADDING;
        for (members, width, height) in self.rows(group) {
            let mut x = middle.0 - width / 2.0;
            for member in members {
                let part = self.size(member);
                self.place(member, (x + part.0 / 2.0, y + height / 2.0), frames);
                x += part.0 + GAP;
            }
            y += height + GAP;
        }
    }
}

/// Draws a line with an arrowhead in the direction of its arcs, or at both ends if some of them
/// have the opposite direction.
fn drawn_line(graph: &Graph, power: &PowerGraph, frames: &Frames, line: &Line) -> Vec<Sprite> {
    let (source, target) = (frames.of(&line.from), frames.of(&line.to));
    let curves = BENDS.map(|bend| {
        let (dx, dy) = (target.middle.0 - source.middle.0, target.middle.1 - source.middle.1);
        let middle = between(source.middle, target.middle, 0.5);
        let pull = (middle.0 + bend * dy, middle.1 - bend * dx);
        Curve::quadratic(border(source, pull), pull, border(target, pull))
    });
    let ends = [power.members(&line.from), power.members(&line.to)];
    let crossed = |curve: &Curve| {
        let points = curve.points(4.0);
        let others = (0..).zip(&frames.nodes).filter(|(node, _)| !ends.iter().any(|end| *end == [*node]));
        others.filter(|(_, frame)| points.iter().any(|&point| frame.distance(point) < CLEAR)).count()
    };
    // Of several minima, the first is chosen.
    let curve = curves.into_iter().min_by_key(crossed).unwrap_or_default();
    let arcs = ends[0].len() * ends[1].len() + line.additional.len();
    let hint = power.describe(line, |node| &graph.nodes[node].name);
    let width = 1.2 + 0.4 * (arcs as f64).ln();
    let paint = if arcs > 1 { Paint::Color(BLUE) } else { Paint::Grey };
    let arrow = |curve| {
        let look = Look::Curve { curve, width, is_dashed: false, has_arrow: true };
        Sprite::still(look, paint, "", (0.0, 0.0)).hint(hint.clone())
    };
    if line.reversed.is_empty() && line.additional.is_empty() {
        return vec![arrow(curve)];
    }
    // The line begins at the base of the second head, whose tip would otherwise be blunt.
    let (start, length) = (curve.start(), head(width));
    let rest = curve.outside(|point| distance(point, start) < length, |_| false);
    let second = Curve::line(rest.start(), start);
    vec![arrow(rest), arrow(second)]
}

/// Returns the point at which a line from the centre of the frame towards `towards` leaves the
/// frame.
fn border(frame: Frame, towards: Point) -> Point {
    let (dx, dy) = (towards.0 - frame.middle.0, towards.1 - frame.middle.1);
    let reach = (frame.size.0 / 2.0 / dx.abs().max(1e-9)).min(frame.size.1 / 2.0 / dy.abs().max(1e-9)).min(1.0);
    (frame.middle.0 + dx * reach, frame.middle.1 + dy * reach)
}
