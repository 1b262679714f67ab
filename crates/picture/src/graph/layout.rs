//! Computes layered layouts of the sites of a graph, from top to bottom.
//!
//! The crate `rust-sugiyama` assigns ranks, reduces crossings and computes coordinates (Brandes and
//! Köpf). It takes half a second for 400 sites and half a minute for 1,000. The sites of graphs
//! with more than 500 are therefore placed in the layers of a breadth-first search.

use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use base::sorting;
use base::stop::CancelToken;
use indexmap::IndexMap;
use petgraph::unionfind::UnionFind;

use super::model::{Graph, Site};
use super::node;
use crate::{Frame, Point, frame};

/// Maximum number of sites that the crate lays out.
const LARGE: usize = 500;
/// Horizontal and vertical distance between the centres of sites, in pixels.
const ACROSS: f64 = 76.0;
const DOWN: f64 = 92.0;

/// The source of the positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Layout {
    /// As the map says, otherwise in layers
    #[default]
    Map,
    /// In layers
    Layered,
}

/// Positions of the sites of a graph.
#[derive(Debug, Clone, Default)]
pub struct GraphLayout {
    pub places: Vec<Point>,
    /// For each arc, the points in the layers that it passes; empty if it passes none. The list is
    /// empty if the layout does not compute them.
    pub bends: Vec<Vec<Point>>,
    /// The number of pixels for a unit of the positions.
    pub scale: f64,
}

/// Computes a layered layout in pixels, with components side by side. If cancelled, falls back to
/// rows of a breadth-first search.
pub fn layered(graph: &Graph, stop: &CancelToken) -> GraphLayout {
    let size = |site: &Site| (site_width(graph, site) + ACROSS * 0.1, DOWN * 0.55);
    let sizes: Vec<(f64, f64)> = graph.sites.iter().map(size).collect();
    let site_of = graph.site_of();
    let arcs: Vec<(usize, usize)> = graph.arcs.iter().map(|arc| (site_of[arc.from], site_of[arc.to])).collect();
    let layout = if sizes.len() > LARGE { None } else { side_by_side_in_time(&sizes, &arcs, stop) };
    let Some((places, bends)) = layout else {
        return GraphLayout { places: in_rows(&sizes, &arcs), bends: Vec::new(), scale: 1.0 };
    };
    GraphLayout { places, bends, scale: 1.0 }
}

/// Places rectangles with the widths and heights `sizes` without overlap and returns their centres.
/// Each component is laid out in layers along the arcs, and the components are placed on shelves.
/// If cancelled, all rectangles are placed on shelves.
pub fn boxes(sizes: &[(f64, f64)], arcs: &[(usize, usize)], stop: &CancelToken) -> Vec<Point> {
    side_by_side_in_time(sizes, arcs, stop).map_or_else(|| shelves(sizes), |(places, _)| places)
}

/// Like [`boxes`], but also returns the points at which each arc passes other layers.
fn side_by_side(sizes: &[(f64, f64)], arcs: &[(usize, usize)]) -> (Vec<Point>, Vec<Vec<Point>>) {
    let mut components = components(sizes.len(), arcs);
    sorting::sort_by_key(&mut components, |members| std::cmp::Reverse(members.len()));
    let mut places = vec![(0.0, 0.0); sizes.len()];
    let mut bends = vec![Vec::new(); arcs.len()];
    let mut extents = Vec::new();
    let mut arcs_of_component = Vec::new();
    for members in &components {
        let number: rustc_hash::FxHashMap<usize, usize> = members.iter().copied().zip(0..).collect();
        let component_sizes: Vec<(f64, f64)> = members.iter().map(|&member| sizes[member]).collect();
        let component_arcs: Vec<usize> = (0..arcs.len()).filter(|&arc| number.contains_key(&arcs[arc].0)).collect();
        let renumbered_arcs: Vec<(usize, usize)> =
            component_arcs.iter().map(|&arc| (number[&arcs[arc].0], number[&arcs[arc].1])).collect();
        let (at, component_bends) = match members.len() {
            1 => (vec![(0.0, 0.0)], Vec::new()),
            count if count <= LARGE => by_crate(&component_sizes, &renumbered_arcs),
            _ => (shelves(&component_sizes), Vec::new()),
        };
        let corners = at.iter().zip(&component_sizes).flat_map(|(at, size)| {
            [(at.0 - size.0 / 2.0, at.1 - size.1 / 2.0), (at.0 + size.0 / 2.0, at.1 + size.1 / 2.0)]
        });
        let (low, high) = frame(corners.chain(component_bends.iter().flatten().copied()));
        let moved = |at: Point| (at.0 - low.0, at.1 - low.1);
        for (&member, at) in members.iter().zip(at) {
            places[member] = moved(at);
        }
        for (&arc, component_bends) in component_arcs.iter().zip(component_bends) {
            bends[arc] = component_bends.into_iter().map(moved).collect();
        }
        extents.push((high.0 - low.0, high.1 - low.1));
        arcs_of_component.push(component_arcs);
    }
    for (number, (middle, extent)) in shelves(&extents).into_iter().zip(&extents).enumerate() {
        let moved = |at: &mut Point| *at = (at.0 + middle.0 - extent.0 / 2.0, at.1 + middle.1 - extent.1 / 2.0);
        for &member in &components[number] {
            moved(&mut places[member]);
        }
        for &arc in &arcs_of_component[number] {
            bends[arc].iter_mut().for_each(moved);
        }
    }
    (places, bends)
}

/// Runs [`side_by_side`] in a thread. If cancelled, the thread is abandoned, since the crate cannot
/// be interrupted.
fn side_by_side_in_time(
    sizes: &[(f64, f64)],
    arcs: &[(usize, usize)],
    stop: &CancelToken,
) -> Option<(Vec<Point>, Vec<Vec<Point>>)> {
    const TICK: Duration = Duration::from_millis(5);
    const STACK_BYTES: usize = 64 << 20;
    let (sender, receiver) = mpsc::channel();
    let (sizes_copy, arcs_copy) = (sizes.to_vec(), arcs.to_vec());
    let lay = move || drop(sender.send(side_by_side(&sizes_copy, &arcs_copy)));
    if thread::Builder::new().stack_size(STACK_BYTES).spawn(lay).is_err() {
        return Some(side_by_side(sizes, arcs));
    }
    let output_deadline = stop.output_grace();
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(layout) => return Some(layout),
            Err(RecvTimeoutError::Timeout) if output_deadline.is_over().is_none() => {}
            Err(_) => return None,
        }
    }
}

fn components(nodes: usize, arcs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut sets = UnionFind::new(nodes);
    for &(from, to) in arcs {
        sets.union(from, to);
    }
    let mut components: IndexMap<usize, Vec<usize>> = IndexMap::new();
    for (node, set) in sets.into_labeling().into_iter().enumerate() {
        components.entry(set).or_default().push(node);
    }
    components.into_values().collect()
}

/// Places rectangles on shelves, from left to right and top to bottom, and returns their centres.
pub fn shelves(sizes: &[(f64, f64)]) -> Vec<Point> {
    const GAP: f64 = 24.0;
    let area: f64 = sizes.iter().map(|(width, height)| (width + GAP) * (height + GAP)).sum();
    let (mut x, mut y, mut tallest) = (0.0, 0.0, 0.0_f64);
    let mut shelf = |&(width, height): &(f64, f64)| {
        if x > 0.0 && x + width > 1.4 * area.sqrt() {
            (x, y, tallest) = (0.0, y + tallest + GAP, 0.0);
        }
        let place = (x + width / 2.0, y + height / 2.0);
        (x, tallest) = (x + width + GAP, tallest.max(height));
        place
    };
    sizes.iter().map(&mut shelf).collect()
}

/// Places rectangles of very different sizes so that little space is left between them, and
/// returns their centres. Each is placed as high as possible, and then as far to the left.
pub fn packed(sizes: &[(f64, f64)]) -> Vec<Point> {
    let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
    let area: f64 = sizes.iter().map(|(width, height)| width * height).sum();
    let widths = (0..WIDTHS).map(|step| widest.max(area.sqrt() * (0.8 + 0.1 * step as f64)));
    let places = widths.map(|width| packed_in(sizes, width));
    // The page should be full, and not much higher than wide.
    let cost = |places: &Vec<Point>| {
        let corners = places.iter().zip(sizes).map(|(at, size)| (at.0 + size.0 / 2.0, at.1 + size.1 / 2.0));
        let (_, (width, height)) = frame(corners);
        width * height * (1.0 + 0.2 * (width / height / 1.3).ln().abs())
    };
    places.min_by(|one, other| cost(one).total_cmp(&cost(other))).unwrap_or_default()
}

/// The number of widths that [`packed`] tries.
const WIDTHS: usize = 15;

/// Places rectangles in a strip of this width, which is at least that of the widest one.
fn packed_in(sizes: &[(f64, f64)], width: f64) -> Vec<Point> {
    const GAP: f64 = 24.0;
    let mut placed: Vec<Frame> = Vec::new();
    for &(across, down) in sizes {
        // In the best place, the rectangle is at the left or beside another one, and at the top or
        // below another one.
        let sorted = |end_of: fn(Point) -> f64| {
            let ends = placed.iter().map(|(_, corner)| end_of(*corner) + GAP);
            let mut sides: Vec<f64> = [0.0].into_iter().chain(ends).collect();
            sorting::sort_by(&mut sides, f64::total_cmp);
            sides
        };
        let (lefts, tops) = (sorted(|corner| corner.0), sorted(|corner| corner.1));
        let mut corners = tops.iter().flat_map(|&top| lefts.iter().map(move |&left| (left, top)));
        let is_free = |&(left, top): &Point| {
            let overlaps = |(low, high): &Frame| {
                left < high.0 + GAP && low.0 < left + across + GAP && top < high.1 + GAP && low.1 < top + down + GAP
            };
            left + across <= width + 0.1 && !placed.iter().any(overlaps)
        };
        // Below all others there is always room.
        let (left, top) = corners.find(is_free).unwrap_or((0.0, tops[tops.len() - 1]));
        placed.push(((left, top), (left + across, top + down)));
    }
    placed.iter().map(|(low, high)| ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0)).collect()
}

/// Computes a layered layout with the crate. The crate reserves room for arcs that pass a layer,
/// but does not report where. Therefore the layout is computed twice: for the second time, small
/// vertices are inserted where an arc passes a layer of the first layout.
fn by_crate(sizes: &[(f64, f64)], arcs: &[(usize, usize)]) -> (Vec<Point>, Vec<Vec<Point>>) {
    let lay = |sizes: &[(f64, f64)], arcs: &[(usize, usize)]| {
        let sites: Vec<(u32, (f64, f64))> = sizes.iter().enumerate().map(|(site, &size)| (site as u32, size)).collect();
        let arcs: Vec<(u32, u32)> = arcs.iter().map(|&(from, to)| (from as u32, to as u32)).collect();
        let config = rust_sugiyama::configure::Config { vertex_spacing: 30.0, ..Default::default() };
        let mut places = vec![(0.0, 0.0); sizes.len()];
        for (component, ..) in rust_sugiyama::from_vertices_and_edges(&sites, &arcs, &config) {
            for (site, at) in component {
                places[site] = at;
            }
        }
        places
    };
    // Each pair of sites occurs once.
    let mut seen = rustc_hash::FxHashSet::default();
    let pairs = arcs.iter().copied().filter(|&(from, to)| from != to && seen.insert((from.min(to), from.max(to))));
    let first = lay(sizes, &pairs.collect::<Vec<_>>());
    let mut heights: Vec<f64> = first.iter().map(|at| at.1).collect();
    sorting::sort_by(&mut heights, f64::total_cmp);
    heights.dedup_by(|one, other| (*one - *other).abs() < 1.0);
    let layer = |site: usize| heights.partition_point(|height| *height < first[site].1 - 0.5);
    let mut sizes = sizes.to_vec();
    let mut steps = Vec::new();
    let mut chains = Vec::new();
    for &(from, to) in arcs {
        let (upper, lower) = if layer(from) < layer(to) { (from, to) } else { (to, from) };
        let between = layer(lower).saturating_sub(layer(upper) + 1);
        let chain = sizes.len()..sizes.len() + between;
        sizes.extend(std::iter::repeat_n((6.0, 1.0), between));
        if from != to {
            let on_way: Vec<usize> = [upper].into_iter().chain(chain.clone()).chain([lower]).collect();
            steps.extend(on_way.windows(2).map(|pair| (pair[0], pair[1])));
        }
        chains.push((chain, upper == from));
    }
    steps.sort_unstable();
    steps.dedup();
    let second = lay(&sizes, &steps);
    let bends = |(chain, is_down): (std::ops::Range<usize>, bool)| {
        let mut bends = second[chain].to_vec();
        if !is_down {
            bends.reverse();
        }
        bends
    };
    let bends = chains.into_iter().map(bends).collect();
    (second[..first.len()].to_vec(), bends)
}

/// Places the layers of a breadth-first search, each in one or more centred rows.
fn in_rows(sizes: &[(f64, f64)], arcs: &[(usize, usize)]) -> Vec<Point> {
    let sites = sizes.len();
    let mut after = vec![Vec::new(); sites];
    for &(from, to) in arcs {
        after[from].push(to);
    }
    let mut layer = vec![usize::MAX; sites];
    let (mut layers, mut queue): (Vec<Vec<usize>>, _) = (Vec::new(), VecDeque::new());
    for root in 0..sites {
        if layer[root] != usize::MAX {
            continue;
        }
        layer[root] = 0;
        queue.push_back(root);
        while let Some(site) = queue.pop_front() {
            if layers.len() <= layer[site] {
                layers.push(Vec::new());
            }
            layers[layer[site]].push(site);
            for &next in &after[site] {
                if layer[next] == usize::MAX {
                    layer[next] = layer[site] + 1;
                    queue.push_back(next);
                }
            }
        }
    }
    let widest = (sites as f64).sqrt().ceil() as usize + 4;
    let rows = layers.iter().flat_map(|layer| layer.chunks(widest));
    let mut places = vec![(0.0, 0.0); sites];
    for (row, members) in rows.enumerate() {
        let width = |site: usize| sizes[site].0 + ACROSS * 0.45;
        let mut left = -members.iter().map(|&site| width(site)).sum::<f64>() / 2.0;
        for &site in members {
            places[site] = (left + width(site) / 2.0, DOWN * row as f64);
            left += width(site);
        }
    }
    places
}

/// Returns the width of all nodes of a site, side by side.
fn site_width(graph: &Graph, site: &Site) -> f64 {
    site.nodes.iter().map(|&node| node::size(&graph.nodes[node]).0).sum()
}
