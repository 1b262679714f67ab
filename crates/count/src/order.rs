//! An order of decisions, from a tree decomposition.
//!
//! Deciding all variables of a bag separates the parts of the formula that hang together only by
//! this bag. Decisions therefore prefer variables near the middle of the tree (Korhonen and
//! Järvisalo, "Integrating tree decompositions into decision heuristics of propositional model
//! counters", 2021).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::stop::CancelToken;
use rustc_hash::FxHashSet;

/// Maximum number of neighbors of an eliminated variable. Wider decompositions give no guidance.
const MAX_WIDTH: usize = 250;
/// Minimum number of variables for each variable of the widest bag. In formulas that hang together
/// more closely, the lengths of clauses are the better guide.
const MIN_RATIO: usize = 3;
/// Maximum number of pairs of neighbors that elimination visits.
const MAX_WORK: usize = 50_000_000;

/// How near to the middle of the tree the variables are.
pub struct TreeDecomposition {
    /// By variable: the distance of the nearest bag with it from the root.
    pub depth: Vec<u32>,
    /// The greatest number of variables of a bag, minus 1.
    pub width: usize,
}

/// Decomposes the graph with an edge for each two variables of a clause. Returns `None` if the
/// decomposition would be wide, or after a stop.
pub fn decompose(
    variables: usize,
    clauses: impl Iterator<Item = Vec<u32>>,
    stop: &CancelToken,
) -> Option<TreeDecomposition> {
    let mut neighbors: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); variables];
    let mut work = 0;
    for clause in clauses {
        work += clause.len() * clause.len();
        if clause.len() > MAX_WIDTH || work > MAX_WORK || stop.requested().is_some() {
            return None;
        }
        for &variable in &clause {
            neighbors[variable as usize].extend(clause.iter().filter(|&&other| other != variable));
        }
    }
    let bags = eliminate(neighbors, work, stop)?;
    let width = bags.iter().map(|bag| bag.len() - 1).max().unwrap_or(0);
    let decomposition = TreeDecomposition { depth: depths(variables, &bags), width };
    (width * MIN_RATIO <= decomposition.size()).then_some(decomposition)
}

/// Eliminates the variables with neighbors, those with the fewest first, and connects the neighbors
/// of each. Returns the bags: each variable with its neighbors at that time.
fn eliminate(mut neighbors: Vec<FxHashSet<u32>>, mut work: usize, stop: &CancelToken) -> Option<Vec<Vec<u32>>> {
    let mut queue: BinaryHeap<Reverse<(usize, u32)>> = BinaryHeap::new();
    queue.extend((0..).zip(&neighbors).filter(|(_, set)| !set.is_empty()).map(|(at, set)| Reverse((set.len(), at))));
    let mut is_eliminated = vec![false; neighbors.len()];
    let mut bags = Vec::new();
    while let Some(Reverse((degree, variable))) = queue.pop() {
        if is_eliminated[variable as usize] || neighbors[variable as usize].len() != degree {
            continue;
        }
        is_eliminated[variable as usize] = true;
        let mut bag: Vec<u32> = neighbors[variable as usize].drain().collect();
        bag.sort_unstable();
        work += bag.len() * bag.len();
        if bag.len() > MAX_WIDTH || work > MAX_WORK || stop.requested().is_some() {
            return None;
        }
        for &one in &bag {
            let set = &mut neighbors[one as usize];
            set.remove(&variable);
            set.extend(bag.iter().filter(|&&other| other != one));
            queue.push(Reverse((set.len(), one)));
        }
        bag.insert(0, variable);
        bags.push(bag);
    }
    Some(bags)
}

/// Returns by variable the least distance of a bag with it from the root, a bag in the middle. The
/// bags of later eliminations have greater numbers, and so have the parents.
fn depths(variables: usize, bags: &[Vec<u32>]) -> Vec<u32> {
    let mut bag_of = vec![usize::MAX; variables];
    for (number, bag) in bags.iter().enumerate() {
        bag_of[bag[0] as usize] = number;
    }
    // The parent of a bag is that of its variable that is eliminated next.
    let parents: Vec<Option<usize>> =
        bags.iter().map(|bag| bag[1..].iter().map(|&variable| bag_of[variable as usize]).min()).collect();
    let mut adjacent: Vec<Vec<usize>> = vec![Vec::new(); bags.len()];
    let mut size = vec![1; bags.len()];
    for (bag, &parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            adjacent[bag].push(parent);
            adjacent[parent].push(bag);
            size[parent] += size[bag];
        }
    }
    let mut root_of: Vec<usize> = (0..bags.len()).collect();
    for bag in (0..bags.len()).rev() {
        if let Some(parent) = parents[bag] {
            root_of[bag] = root_of[parent];
        }
    }
    // The bags whose subtree has half of the tree are on one path; the middle is its end.
    let mut middle_of = vec![usize::MAX; bags.len()];
    for (bag, &root) in root_of.iter().enumerate() {
        if middle_of[root] == usize::MAX && size[bag] * 2 >= size[root] {
            middle_of[root] = bag;
        }
    }
    let mut depth = vec![u32::MAX; variables];
    for &middle in middle_of.iter().filter(|&&middle| middle < usize::MAX) {
        let mut open = vec![(middle, usize::MAX, 0)];
        while let Some((bag, from, distance)) = open.pop() {
            for &variable in &bags[bag] {
                let depth = &mut depth[variable as usize];
                *depth = distance.min(*depth);
            }
            open.extend(adjacent[bag].iter().filter(|&&next| next != from).map(|&next| (next, bag, distance + 1)));
        }
    }
    depth
}

impl TreeDecomposition {
    /// Returns the number of its variables.
    pub fn size(&self) -> usize {
        self.depth.iter().filter(|&&depth| depth < u32::MAX).count()
    }
}
