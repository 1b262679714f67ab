//! Finds places for the sites of a graph, in layers from the top to the bottom.
//!
//! The crate `rust-sugiyama` does it (ranks, crossings, Brandes and Köpf); where somebody prefers it, the `dot` of Graphviz. 400
//! sites take the crate half a second and 1,000 half a minute, so that beyond 500 the layers are simply those of a breadth-first
//! search.

use std::collections::VecDeque;
use std::io::Write;
use std::process::{Command, Stdio};

use super::Graph;
use crate::picture::Point;

/// Larger graphs are laid out simply.
const LARGE: usize = 500;
/// Pixels from the middle of a site to that of the next.
const ACROSS: f64 = 76.0;
const DOWN: f64 = 88.0;

/// Who finds the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Layout {
    /// Where the map has them; layers if it has none
    #[default]
    Map,
    /// In layers
    Layered,
    /// As the installed program dot of Graphviz has them
    Dot,
}

/// In layers, what does not hang together side by side; in pixels.
pub fn layered(graph: &Graph) -> Vec<Point> {
    let size = |nodes: usize| (ACROSS * 0.55 * nodes as f64, DOWN * 0.55);
    let sizes: Vec<(f64, f64)> = graph.sites.iter().map(|site| size(site.nodes.len())).collect();
    let arcs = between_sites(graph);
    if sizes.len() > LARGE { in_rows(&sizes, &arcs) } else { boxes(&sizes, &arcs) }
}

/// Middles of rectangles of these widths and heights so that none overlap: what hangs together in layers along the arcs, one
/// component after the other on shelves.
pub fn boxes(sizes: &[(f64, f64)], arcs: &[(usize, usize)]) -> Vec<Point> {
    let mut components = components(sizes.len(), arcs);
    components.sort_by_key(|members| std::cmp::Reverse(members.len()));
    let mut places = vec![(0.0, 0.0); sizes.len()];
    let mut extents = Vec::new();
    for members in &components {
        let number: rustc_hash::FxHashMap<usize, usize> = members.iter().copied().zip(0..).collect();
        let own_sizes: Vec<(f64, f64)> = members.iter().map(|&member| sizes[member]).collect();
        let own_arcs: Vec<(usize, usize)> =
            arcs.iter().filter_map(|(from, to)| Some((*number.get(from)?, *number.get(to)?))).collect();
        let own = match members.len() {
            1 => vec![(0.0, 0.0)],
            few if few <= LARGE => by_crate(&own_sizes, &own_arcs),
            _ => shelves(&own_sizes),
        };
        let least = own.iter().zip(&own_sizes).fold((f64::INFINITY, f64::INFINITY), |least, (at, size)| {
            (least.0.min(at.0 - size.0 / 2.0), least.1.min(at.1 - size.1 / 2.0))
        });
        let mut extent = (0.0_f64, 0.0_f64);
        for ((&member, at), size) in members.iter().zip(own).zip(&own_sizes) {
            let at = (at.0 - least.0, at.1 - least.1);
            places[member] = at;
            extent = (extent.0.max(at.0 + size.0 / 2.0), extent.1.max(at.1 + size.1 / 2.0));
        }
        extents.push(extent);
    }
    for ((members, middle), extent) in components.iter().zip(shelves(&extents)).zip(&extents) {
        for &member in members {
            let at = places[member];
            places[member] = (at.0 + middle.0 - extent.0 / 2.0, at.1 + middle.1 - extent.1 / 2.0);
        }
    }
    places
}

fn components(nodes: usize, arcs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); nodes];
    for &(from, to) in arcs {
        near[from].push(to);
        near[to].push(from);
    }
    let mut met = vec![false; nodes];
    let mut components = Vec::new();
    for root in 0..nodes {
        if met[root] {
            continue;
        }
        met[root] = true;
        let (mut members, mut next) = (vec![root], 0);
        while let Some(&node) = members.get(next) {
            next += 1;
            members.extend(near[node].iter().filter(|&&other| !std::mem::replace(&mut met[other], true)));
        }
        components.push(members);
    }
    components
}

/// Middles of rectangles that stand on shelves, from left to right and from the top to the bottom.
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

/// Each pair of sites once.
fn between_sites(graph: &Graph) -> Vec<(usize, usize)> {
    let site_of = graph.site_of();
    let mut arcs: Vec<(usize, usize)> = Vec::new();
    let mut known = rustc_hash::FxHashSet::default();
    for arc in &graph.arcs {
        let (from, to) = (site_of[arc.from], site_of[arc.to]);
        if from != to && known.insert((from.min(to), from.max(to))) {
            arcs.push((from, to));
        }
    }
    arcs
}

fn by_crate(sizes: &[(f64, f64)], arcs: &[(usize, usize)]) -> Vec<Point> {
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
}

/// The layers of a breadth-first search, each in a few rows, centred.
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

/// As Graphviz has them: its program `dot` must be installed. The error says what is wrong.
pub fn by_dot(graph: &Graph) -> Result<Vec<Point>, String> {
    let mut text = String::from("digraph {\n  node [shape=box, fixedsize=true, height=0.5];\n");
    for (site, nodes) in graph.sites.iter().enumerate() {
        text += &format!("  {site} [width={}];\n", 0.5 * nodes.nodes.len() as f64);
    }
    for (from, to) in between_sites(graph) {
        text += &format!("  {from} -> {to};\n");
    }
    text += "}\n";
    let missing = |error: std::io::Error| format!("the program dot of Graphviz cannot be run: {error}");
    let mut child = Command::new("dot")
        .arg("-Tplain")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(missing)?;
    let mut input = child.stdin.take().expect("the input is piped");
    // In a thread of its own, so that neither side waits for the other.
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(missing)?;
    let _ = writer.join();
    let mut places = vec![None; graph.sites.len()];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["node", site, x, y, ..] = words[..]
            && let (Ok(site), Ok(x), Ok(y)) = (site.parse::<usize>(), x.parse::<f64>(), y.parse::<f64>())
            && let Some(place) = places.get_mut(site)
        {
            // Inches, upwards.
            *place = Some((x * 72.0, -y * 72.0));
        }
    }
    places.into_iter().collect::<Option<_>>().ok_or("the program dot of Graphviz did not place every node".to_owned())
}
