//! Layered layout of the sites of a graph, from top to bottom.
//!
//! The crate `rust-sugiyama` computes it (ranks, crossings, Brandes and Köpf). It takes half a
//! second for 400 sites and half a minute for 1,000, so larger graphs than 500 sites use the layers
//! of a breadth-first search.

use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::drawing;
use super::{Graph, Site};
use crate::picture::{Point, frame};
use crate::sorting;
use crate::stop::CancelToken;

/// Larger graphs get the simple layout.
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
    /// For each arc, the gaps between nodes that it passes through, if the layout knows; empty for
    /// an arc that is free.
    pub bends: Vec<Vec<Point>>,
    /// Pixels for a unit of the positions.
    pub scale: f64,
}

/// Layered layout in pixels, with components side by side. Falls back to a simpler one if
/// cancelled.
pub fn layered(graph: &Graph, stop: &CancelToken) -> GraphLayout {
    let size = |site: &Site| (site_width(graph, site) + ACROSS * 0.1, DOWN * 0.55);
    let sizes: Vec<(f64, f64)> = graph.sites.iter().map(size).collect();
    let site_of = graph.site_of();
    let arcs: Vec<(usize, usize)> = graph.arcs.iter().map(|arc| (site_of[arc.from], site_of[arc.to])).collect();
    let laid = if sizes.len() > LARGE { None } else { side_by_side_in_time(&sizes, &arcs, stop) };
    let Some((places, bends)) = laid else {
        return GraphLayout { places: in_rows(&sizes, &arcs), bends: Vec::new(), scale: 1.0 };
    };
    GraphLayout { places, bends, scale: 1.0 }
}

/// Centres of rectangles with these widths and heights so that none overlap: each component in
/// layers along the arcs, the components on shelves. If cancelled, all rectangles are placed on
/// shelves.
pub fn boxes(sizes: &[(f64, f64)], arcs: &[(usize, usize)], stop: &CancelToken) -> Vec<Point> {
    side_by_side_in_time(sizes, arcs, stop).map_or_else(|| shelves(sizes), |(places, _)| places)
}

/// Like [`boxes`], and the bends of each arc where it passes other layers.
fn side_by_side(sizes: &[(f64, f64)], arcs: &[(usize, usize)]) -> (Vec<Point>, Vec<Vec<Point>>) {
    let mut components = components(sizes.len(), arcs);
    sorting::sort_by_key(&mut components, |members| std::cmp::Reverse(members.len()));
    let mut places = vec![(0.0, 0.0); sizes.len()];
    let mut bends = vec![Vec::new(); arcs.len()];
    let mut extents = Vec::new();
    let mut own_arcs_of = Vec::new();
    for members in &components {
        let number: rustc_hash::FxHashMap<usize, usize> = members.iter().copied().zip(0..).collect();
        let own_sizes: Vec<(f64, f64)> = members.iter().map(|&member| sizes[member]).collect();
        let own: Vec<usize> = (0..arcs.len()).filter(|&arc| number.contains_key(&arcs[arc].0)).collect();
        let own_arcs: Vec<(usize, usize)> =
            own.iter().map(|&arc| (number[&arcs[arc].0], number[&arcs[arc].1])).collect();
        let (at, own_bends) = match members.len() {
            1 => (vec![(0.0, 0.0)], Vec::new()),
            few if few <= LARGE => by_crate(&own_sizes, &own_arcs),
            _ => (shelves(&own_sizes), Vec::new()),
        };
        let corners = at.iter().zip(&own_sizes).flat_map(|(at, size)| {
            [(at.0 - size.0 / 2.0, at.1 - size.1 / 2.0), (at.0 + size.0 / 2.0, at.1 + size.1 / 2.0)]
        });
        let (low, high) = frame(corners.chain(own_bends.iter().flatten().copied()));
        let moved = |at: Point| (at.0 - low.0, at.1 - low.1);
        for (&member, at) in members.iter().zip(at) {
            places[member] = moved(at);
        }
        for (&arc, own_bends) in own.iter().zip(own_bends) {
            bends[arc] = own_bends.into_iter().map(moved).collect();
        }
        extents.push((high.0 - low.0, high.1 - low.1));
        own_arcs_of.push(own);
    }
    for (number, (middle, extent)) in shelves(&extents).into_iter().zip(&extents).enumerate() {
        let moved = |at: &mut Point| *at = (at.0 + middle.0 - extent.0 / 2.0, at.1 + middle.1 - extent.1 / 2.0);
        for &member in &components[number] {
            moved(&mut places[member]);
        }
        for &arc in &own_arcs_of[number] {
            bends[arc].iter_mut().for_each(moved);
        }
    }
    (places, bends)
}

/// Runs [`side_by_side`] in a thread that is abandoned if cancelled: the crate cannot be
/// interrupted.
fn side_by_side_in_time(
    sizes: &[(f64, f64)],
    arcs: &[(usize, usize)],
    stop: &CancelToken,
) -> Option<(Vec<Point>, Vec<Vec<Point>>)> {
    const TICK: Duration = Duration::from_millis(5);
    const STACK_BYTES: usize = 64 << 20;
    let (sender, laid) = mpsc::channel();
    let (own_sizes, own_arcs) = (sizes.to_vec(), arcs.to_vec());
    let lay = move || drop(sender.send(side_by_side(&own_sizes, &own_arcs)));
    if thread::Builder::new().stack_size(STACK_BYTES).spawn(lay).is_err() {
        return Some(side_by_side(sizes, arcs));
    }
    let telling = stop.output_grace();
    loop {
        match laid.recv_timeout(TICK) {
            Ok(laid) => return Some(laid),
            Err(RecvTimeoutError::Timeout) if telling.is_over().is_none() => {}
            Err(_) => return None,
        }
    }
}

fn components(nodes: usize, arcs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); nodes];
    for &(from, to) in arcs {
        near[from].push(to);
        near[to].push(from);
    }
    let mut visited = vec![false; nodes];
    let mut components = Vec::new();
    for root in 0..nodes {
        if visited[root] {
            continue;
        }
        visited[root] = true;
        let mut members = vec![root];
        let mut next = 0;
        while let Some(&node) = members.get(next) {
            next += 1;
            members.extend(near[node].iter().filter(|&&other| !std::mem::replace(&mut visited[other], true)));
        }
        components.push(members);
    }
    components
}

/// Centres of rectangles placed on shelves, from left to right and top to bottom.
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

/// Layered layout by the crate. It reserves room for arcs that pass a layer but does not report
/// where, so a second round inserts a small vertex wherever an arc passes a layer of the first
/// round.
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
    // Each pair once.
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

/// The layers of a breadth-first search, each in a few centred rows.
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

/// Width of all nodes of a site, side by side.
fn site_width(graph: &Graph, site: &Site) -> f64 {
    site.nodes.iter().map(|&node| drawing::size(&graph.nodes[node]).0).sum()
}
