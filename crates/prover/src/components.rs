//! Strongly connected components: of the positive dependency graph, and of the graph that must be
//! acyclic.

use ground::GroundProgram;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns the strongly connected components that contain a cycle. Nodes are numbers from 0.
pub fn cyclic_components(edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
    let graph = DiGraph::<(), ()>::from_edges(edges);
    let is_cyclic = |nodes: &[_]| match *nodes {
        [node] => graph.contains_edge(node, node),
        _ => true,
    };
    let components = kosaraju_scc(&graph).into_iter().filter(|nodes| is_cyclic(nodes));
    components.map(|nodes| nodes.into_iter().map(|node| node.index() as u32).collect()).collect()
}

/// Returns true if the edges between nodes below `nodes` form no cycle: nodes without incoming edges
/// are removed, with their edges, until none is left.
fn is_acyclic(nodes: usize, edges: &[(u32, u32)]) -> bool {
    let mut incoming = vec![0_u32; nodes];
    // The index of the first edge from each node.
    let mut first = vec![0_usize; nodes + 1];
    for &(from, to) in edges {
        first[from as usize + 1] += 1;
        incoming[to as usize] += 1;
    }
    for node in 0..nodes {
        first[node + 1] += first[node];
    }
    let mut next = first.clone();
    let mut targets = vec![0_u32; edges.len()];
    for &(from, to) in edges {
        let place = &mut next[from as usize];
        targets[*place] = to;
        *place += 1;
    }
    let mut open: Vec<usize> = (0..nodes).filter(|&node| incoming[node] == 0).collect();
    let mut removed = 0;
    while let Some(node) = open.pop() {
        removed += 1;
        for &target in &targets[first[node]..first[node + 1]] {
            incoming[target as usize] -= 1;
            if incoming[target as usize] == 0 {
                open.push(target as usize);
            }
        }
    }
    removed == nodes
}

/// Returns by atom the number of its strongly connected component of the positive dependency
/// graph, from 1; 0 for atoms that do not depend on themselves. The head atoms of a disjunction
/// do not depend on each other.
pub fn positive_components(ground: &GroundProgram) -> Vec<u32> {
    let mut edges = Vec::new();
    for rule in &ground.rules {
        for &(literal, _) in rule.body.iter().filter(|(literal, _)| *literal > 0) {
            edges.extend(rule.head.iter().map(|&head| (literal as u32, head)));
        }
    }
    let mut component_of = vec![0; ground.last_atom() as usize + 1];
    // Most programs, and faster than their components.
    if is_acyclic(component_of.len(), &edges) {
        return component_of;
    }
    for (number, component) in (1..).zip(cyclic_components(&edges)) {
        for atom in component {
            component_of[atom as usize] = number;
        }
    }
    component_of
}

/// Returns the edges of a cycle of edges whose conditions hold, as indices, in the order in
/// which they follow each other.
pub fn edge_cycle(ground: &GroundProgram, is_true: impl Fn(i32) -> bool) -> Option<Vec<u32>> {
    if ground.edges.is_empty() {
        return None;
    }
    let exists = |edge: &usize| ground.edges[*edge].2.iter().all(|&literal| is_true(literal));
    let existing: Vec<usize> = (0..ground.edges.len()).filter(exists).collect();
    let mut indices = FxHashMap::default();
    let mut index_of = |node: i32| {
        let next = indices.len() as u32;
        *indices.entry(node).or_insert(next)
    };
    let edges: Vec<(u32, u32)> = existing
        .iter()
        .map(|&edge| {
            let (from, to, _) = ground.edges[edge];
            (index_of(from), index_of(to))
        })
        .collect();
    let component: FxHashSet<u32> = cyclic_components(&edges).into_iter().next()?.into_iter().collect();
    // By node of the component: an edge to another node of the component.
    let inner = |(from, to): (u32, u32)| component.contains(&from) && component.contains(&to);
    let next: FxHashMap<u32, usize> =
        (0..edges.len()).rev().filter(|&at| inner(edges[at])).map(|at| (edges[at].0, at)).collect();
    let mut path = vec![next[component.iter().min()?]];
    loop {
        let target = edges[path[path.len() - 1]].1;
        if let Some(start) = path.iter().position(|&at| edges[at].0 == target) {
            return Some(path[start..].iter().map(|&at| existing[at] as u32).collect());
        }
        path.push(next[&target]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_without_cyclic_components_are_acyclic() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut acyclic = 0;
        for _ in 0..1_000 {
            let nodes = random.u32(1..12);
            let edges: Vec<(u32, u32)> =
                (0..random.u32(0..14)).map(|_| (random.u32(..nodes), random.u32(..nodes))).collect();
            let is_acyclic = is_acyclic(nodes as usize, &edges);
            assert_eq!(is_acyclic, cyclic_components(&edges).is_empty(), "{edges:?}");
            acyclic += usize::from(is_acyclic);
        }
        assert!((200..800).contains(&acyclic), "{acyclic}");
    }

    #[test]
    fn a_cycle_of_edges_does_not_contain_the_nodes_that_it_leads_to() {
        let edge = |from, to, literal| (from, to, vec![literal]);
        let edges = vec![edge(7, 1, 1), edge(1, 0, 2), edge(9, 8, 1), edge(8, 9, 1), edge(9, 1, 1), edge(5, 9, 1)];
        let ground = GroundProgram { edges, ..GroundProgram::default() };
        assert_eq!(edge_cycle(&ground, |literal| literal == 1), Some(vec![2, 3]));
        assert_eq!(edge_cycle(&ground, |literal| literal == 2), None);
    }
}
