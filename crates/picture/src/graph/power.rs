//! Computes power graphs, in which nodes that share neighbours are grouped, and a line between
//! groups represents all arcs between their members.
//!
//! ```text
//!   o ──> z     ┌───┐     ┌───┐
//!   o ──> p     │ o │ ──> │ z │
//!   r ──> z     │ r │     │ p │
//!   r ──> p     └───┘     └───┘
//! ```
//!
//! Two groups are disjoint or nested, so that they can be drawn as boxes in boxes. The aim is a
//! minimum number of lines plus groups (Royer, Reimann, Andreopoulos and Schroeder, "Unraveling
//! protein networks with power graph analysis", PLoS Computational Biology 4, 2008). There are two
//! kinds. With [`Kind::Arcs`], all arcs of a line have the same direction. With [`Kind::Edges`], it
//! suffices that any two members of the two groups are joined in some direction. The line records
//! the arcs in the opposite direction, so that no information is lost, and fewer lines suffice.
//!
//! The search is greedy over the concepts of the graph (all sources that share some targets, with
//! all targets that they share). It repeatedly chooses the concept that saves most lines, reduced
//! so that its two sides are compatible with the existing groups. Afterwards, some random choices
//! are repeatedly undone and redone, and the result is kept if it is not worse. For the railway of
//! Deponia with its 46 arcs, the first attempt has 24 lines and 11 groups, and the repetitions save
//! one group. With [`Kind::Arcs`], both have 29 lines and 10 groups. It is not proven that the
//! result is optimal.

use std::collections::{BTreeSet, BinaryHeap};

use base::sorting;
use base::stop::{CancelToken, OutputGrace};

/// A compressed graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PowerGraph {
    /// The sorted node indices of each group. Two groups are disjoint or nested.
    pub groups: Vec<Vec<usize>>,
    pub lines: Vec<Line>,
}

/// A line, which represents the arcs from each member of one end to each member of the other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub from: Member,
    pub to: Member,
    /// Pairs of members that are joined only by an arc from `to` to `from`.
    pub reversed: Vec<(usize, usize)>,
    /// Arcs from `to` to `from` that exist in addition to the opposite ones.
    pub additional: Vec<(usize, usize)>,
}

/// An end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Member {
    Node(usize),
    /// An index into [`PowerGraph::groups`].
    Group(usize),
}

/// The arcs that a line may represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Any two members are joined, in either direction
    Edges,
    /// All arcs go the same way
    Arcs,
}

/// Maximum number of rounds.
const ROUNDS: usize = 4_000;
/// Maximum total work of all rounds. The work of a round is the square of the number of arcs.
const WORK: usize = 8_000_000;

impl PowerGraph {
    /// Describes a line, as in "o, r → z, p; but the other way: p → o".
    pub fn describe<'a>(&self, line: &Line, name: impl Fn(usize) -> &'a str) -> String {
        let names = |end: &Member| self.members(end).iter().map(|&node| name(node)).collect::<Vec<_>>().join(", ");
        let mut text = format!("{} → {}", names(&line.from), names(&line.to));
        for (words, arcs) in [("but the other way", &line.reversed), ("and also", &line.additional)] {
            let arcs: Vec<String> = arcs.iter().map(|&(from, to)| format!("{} → {}", name(from), name(to))).collect();
            if !arcs.is_empty() {
                text += &format!("; {words}: {}", arcs.join(", "));
            }
        }
        text
    }

    /// Returns all arcs that the lines represent. These are exactly the arcs of the original graph.
    pub fn expanded(&self) -> BTreeSet<(usize, usize)> {
        let mut arcs = BTreeSet::new();
        for line in &self.lines {
            for &from in self.members(&line.from) {
                for &to in self.members(&line.to) {
                    if !line.reversed.contains(&(to, from)) {
                        arcs.insert((from, to));
                    }
                }
            }
            arcs.extend(line.reversed.iter().chain(&line.additional));
        }
        arcs
    }

    /// Returns the nodes at an end of a line.
    pub fn members<'a>(&'a self, member: &'a Member) -> &'a [usize] {
        match member {
            Member::Node(node) => std::slice::from_ref(node),
            Member::Group(group) => &self.groups[*group],
        }
    }

    /// Returns the size of the drawing, to be compared lexicographically: the number of lines and
    /// groups, the number of lines, and the number of exceptions.
    fn cost(&self) -> (usize, usize, usize) {
        let exceptions = self.lines.iter().map(|line| line.reversed.len() + line.additional.len()).sum();
        (self.lines.len() + self.groups.len(), self.lines.len(), exceptions)
    }
}

/// Compresses a graph of `nodes` nodes. The same seed gives the same result unless `stop` is
/// requested, which ends the improvement.
pub fn compress(
    nodes: usize,
    arcs: &BTreeSet<(usize, usize)>,
    kind: Kind,
    seed: u64,
    stop: &CancelToken,
) -> PowerGraph {
    let mut random = fastrand::Rng::with_seed(seed);
    let graph = Graph::new(nodes, arcs, kind, stop.output_grace());
    let mut current = graph.greedy(Vec::new(), None);
    let mut best = graph.power(&current);
    let mut rounds_without_gain = 0;
    let mut cost = best.cost();
    for _ in 0..(WORK / arcs.len().pow(2).max(1)).min(ROUNDS) {
        if graph.output_deadline.is_over().is_some() {
            break;
        }
        // Undo more choices if the result has not improved for many rounds.
        let undone_count = 1 + random.usize(..2 + rounds_without_gain / 60);
        let mut remaining = current.clone();
        random.shuffle(&mut remaining);
        remaining.truncate(current.len().saturating_sub(undone_count));
        let next = graph.greedy(remaining, Some(&mut random));
        let power = graph.power(&next);
        rounds_without_gain += 1;
        if power.cost() <= cost || random.usize(..400) == 0 {
            (current, cost) = (next, power.cost());
        }
        if power.cost() < best.cost() {
            (best, rounds_without_gain) = (power, 0);
        }
    }
    best
}

/// A set of nodes, as sorted indices.
type Set = Vec<usize>;

/// Sources and targets such that each source is joined to each target.
type Concept = (Set, Set);

struct Graph<'a> {
    kind: Kind,
    arcs: &'a BTreeSet<(usize, usize)>,
    /// For each node, the neighbours to which a line from it may lead.
    after: Vec<BTreeSet<usize>>,
    /// For each node, the neighbours from which a line to it may come.
    before: Vec<BTreeSet<usize>>,
    concepts: BTreeSet<Concept>,
    output_deadline: OutputGrace<'a>,
}

/// The state of a greedy search: the pairs that no line covers yet, and the groups in use.
struct Partial {
    pairs: BTreeSet<(usize, usize)>,
    groups: Vec<Set>,
}

impl<'a> Graph<'a> {
    fn new(nodes: usize, arcs: &'a BTreeSet<(usize, usize)>, kind: Kind, output_deadline: OutputGrace<'a>) -> Self {
        let (mut after, mut before) = (vec![BTreeSet::new(); nodes], vec![BTreeSet::new(); nodes]);
        for &(from, to) in arcs {
            after[from].insert(to);
            before[to].insert(from);
            if kind == Kind::Edges {
                after[to].insert(from);
                before[from].insert(to);
            }
        }
        let mut graph = Graph { kind, arcs, after, before, concepts: BTreeSet::new(), output_deadline };
        graph.concepts = graph.concepts();
        graph
    }

    /// Returns the concepts of the neighbourhood of each node and of each pair of sources.
    fn concepts(&self) -> BTreeSet<Concept> {
        let mut concepts = BTreeSet::new();
        let mut add = |from: Set, to: Set| {
            if from.len() * to.len() > 1 {
                concepts.insert((from, to));
            }
        };
        for (node, (after, before)) in self.after.iter().zip(&self.before).enumerate() {
            if self.output_deadline.is_over().is_some() {
                break;
            }
            add(common(&self.before, after), list(after));
            add(vec![node], list(after));
            add(list(before), common(&self.after, before));
            add(list(before), vec![node]);
            let others: BTreeSet<usize> =
                after.iter().flat_map(|&to| self.before[to].range(node + 1..).copied()).collect();
            for other in others {
                let shared: BTreeSet<usize> = after.intersection(&self.after[other]).copied().collect();
                if shared.len() > 1 {
                    add(common(&self.before, &shared), list(&shared));
                }
            }
        }
        concepts
    }

    /// Returns the representative of a pair of nodes, which does not depend on the direction of
    /// edges.
    fn pair(&self, from: usize, to: usize) -> (usize, usize) {
        if self.kind == Kind::Edges && from > to { (to, from) } else { (from, to) }
    }

    /// Adds the best concepts to `chosen` until no concept saves a line. `random` varies the
    /// choice.
    fn greedy(&self, mut chosen: Vec<Concept>, mut random: Option<&mut fastrand::Rng>) -> Vec<Concept> {
        let pairs = self.arcs.iter().map(|&(from, to)| self.pair(from, to)).collect();
        let mut partial = Partial { pairs, groups: Vec::new() };
        for concept in &chosen {
            partial.cover(self, concept);
        }
        // The price of a new group, which is drawn and constrains others, and the random bonus of
        // each concept are in thousandths of a line.
        let price = random.as_mut().map_or(0, |random| random.i64(..900));
        let mut bonus = || random.as_mut().map_or(0, |random| random.i64(..1500));
        let concepts: Vec<(&Concept, i64)> = self.concepts.iter().map(|concept| (concept, bonus())).collect();
        // The score of a concept usually only decreases, so the first one in the queue is the best
        // if its score is unchanged since it was queued. The score increases only if a group that
        // the concept needs is added; this is treated as unchanged.
        let score =
            |partial: &Partial, number: usize| partial.best_cut(self, concepts[number].0, price, concepts[number].1);
        let is_over = || self.output_deadline.is_over().is_some();
        let queued = |number: usize| if is_over() { None } else { Some((score(&partial, number)?.0, number)) };
        let mut queue: BinaryHeap<(i64, usize)> = (0..concepts.len()).filter_map(queued).collect();
        while let (Some((queued_score, number)), false) = (queue.pop(), is_over()) {
            match score(&partial, number) {
                Some((score_now, concept)) if score_now >= queued_score => {
                    partial.cover(self, &concept);
                    chosen.push(concept);
                    // Other cuts of the same concept may still save lines.
                    queue.extend(score(&partial, number).map(|(score, _)| (score, number)));
                }
                Some((score_now, _)) => queue.push((score_now, number)),
                None => {}
            }
        }
        chosen
    }

    /// Returns the power graph with the chosen concepts as lines between groups, and with a line
    /// for each other arc.
    fn power(&self, chosen: &[Concept]) -> PowerGraph {
        let sides = chosen.iter().flat_map(|(from, to)| [from, to]).filter(|side| side.len() > 1);
        let groups: BTreeSet<Set> = sides.cloned().collect();
        let groups: Vec<Set> = groups.into_iter().collect();
        let member = |set: &Set| match set[..] {
            [node] => Member::Node(node),
            _ => Member::Group(groups.binary_search(set).expect("chosen sides are groups")),
        };
        let mut uncovered = self.arcs.clone();
        let mut lines: Vec<Line> = Vec::new();
        for (from, to) in chosen {
            let pairs = || from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
            let has = |from: usize, to: usize| self.arcs.contains(&(from, to));
            let back = |(from, to): (usize, usize)| (self.kind == Kind::Edges && has(to, from)).then_some((to, from));
            let (additional, reversed): (Vec<_>, Vec<_>) =
                pairs().filter_map(back).partition(|&(from, to)| has(to, from));
            for (from, to) in pairs() {
                uncovered.remove(&(from, to));
            }
            for arc in reversed.iter().chain(&additional) {
                uncovered.remove(arc);
            }
            // A line has the direction of most of its arcs.
            let all = from.len() * to.len();
            let forward = all - reversed.len();
            lines.push(if reversed.len() > forward {
                let reversed = pairs().filter(|&(from, to)| !has(to, from)).collect();
                let additional = additional.iter().map(|&(from, to)| (to, from)).collect();
                Line { from: member(to), to: member(from), reversed, additional }
            } else {
                Line { from: member(from), to: member(to), reversed, additional }
            });
        }
        for (from, to) in uncovered {
            // Two arcs between the same nodes become one line.
            let is_second = self.kind == Kind::Edges && from > to && self.arcs.contains(&(to, from));
            let additional = self.kind == Kind::Edges && from < to && self.arcs.contains(&(to, from));
            if !is_second {
                let additional = if additional { vec![(to, from)] } else { Vec::new() };
                lines.push(Line { from: Member::Node(from), to: Member::Node(to), reversed: Vec::new(), additional });
            }
        }
        sorting::sort(&mut lines);
        PowerGraph { groups, lines }
    }
}

impl Partial {
    /// Returns the cut of a concept that saves most, with its score, or `None` if no cut saves a
    /// line.
    fn best_cut(&self, graph: &Graph<'_>, concept: &Concept, price: i64, bonus: i64) -> Option<(i64, Concept)> {
        let score = |concept: Concept| {
            let covered = self.covered(graph, &concept);
            let new_groups = i64::from(self.is_new(&concept.0)) + i64::from(self.is_new(&concept.1));
            (covered > 1).then(|| ((covered as i64 - 1) * 1000 - price * new_groups + bonus, concept))
        };
        self.fitting(concept).into_iter().filter_map(score).max()
    }

    /// Returns all maximal parts of the concept whose sides are nodes or groups that do not cross
    /// others.
    fn fitting(&self, (from, to): &Concept) -> Vec<Concept> {
        let mut concepts = Vec::new();
        for from in self.cuts(from) {
            for to in self.cuts(to) {
                if from.len() == 1 || to.len() == 1 || !crosses(&from, &to) {
                    concepts.push((from.clone(), to));
                }
            }
        }
        concepts
    }

    /// Returns the maximal parts of a set that do not cross a group.
    fn cuts(&self, set: &Set) -> Vec<Set> {
        let mut done = Vec::new();
        let mut open = vec![set.clone()];
        while let Some(set) = open.pop() {
            match self.groups.iter().find(|group| set.len() > 1 && crosses(&set, group)) {
                None => done.push(set),
                Some(group) => {
                    let (inside, outside): (Set, Set) = set.iter().partition(|node| group.binary_search(node).is_ok());
                    open.extend([inside, outside]);
                }
            }
        }
        done
    }

    fn is_new(&self, set: &Set) -> bool {
        set.len() > 1 && !self.groups.contains(set)
    }

    /// Returns the number of uncovered pairs in the concept.
    fn covered(&self, graph: &Graph<'_>, (from, to): &Concept) -> usize {
        // The pairs of a node on both sides would be counted twice.
        if graph.kind == Kind::Edges && from.iter().any(|node| to.binary_search(node).is_ok()) {
            return 0;
        }
        let covers = |from: &usize| to.iter().filter(|to| self.pairs.contains(&graph.pair(*from, **to))).count();
        from.iter().map(covers).sum()
    }

    /// Covers the pairs of a concept and adds its sides as groups.
    fn cover(&mut self, graph: &Graph<'_>, (from, to): &Concept) {
        for set in [from, to] {
            if self.is_new(set) {
                self.groups.push(set.clone());
            }
        }
        for &from in from {
            for &to in to {
                self.pairs.remove(&graph.pair(from, to));
            }
        }
    }
}

fn list(set: &BTreeSet<usize>) -> Set {
    set.iter().copied().collect()
}

/// Returns the common neighbours of all nodes in a set.
fn common(neighbors: &[BTreeSet<usize>], set: &BTreeSet<usize>) -> Set {
    let mut all = set.iter().map(|&node| &neighbors[node]);
    let Some(first) = all.next() else { return Vec::new() };
    let rest: Vec<_> = all.collect();
    first.iter().copied().filter(|node| rest.iter().all(|other| other.contains(node))).collect()
}

/// Returns true if the sets are neither disjoint nor nested.
fn crosses(one: &Set, other: &Set) -> bool {
    let shared = one.iter().filter(|node| other.binary_search(node).is_ok()).count();
    shared > 0 && shared < one.len() && shared < other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_is_lossless_and_groups_do_not_cross() {
        let mut random = fastrand::Rng::with_seed(7);
        for case in 0..60 {
            let nodes = random.usize(1..14);
            let arcs: BTreeSet<(usize, usize)> =
                (0..random.usize(..40)).map(|_| (random.usize(..nodes), random.usize(..nodes))).collect();
            let kind = if case % 2 == 0 { Kind::Edges } else { Kind::Arcs };
            let power = compress(nodes, &arcs, kind, case, &CancelToken::new());
            assert_eq!(power.expanded(), arcs, "{power:?}");
            assert!(power.lines.len() <= arcs.len());
            assert!(kind == Kind::Edges || power.cost().2 == 0);
            for (index, one) in power.groups.iter().enumerate() {
                let others = &power.groups[..index];
                assert!(one.len() > 1 && others.iter().all(|other| other != one && !crosses(one, other)));
            }
        }
    }

    #[test]
    fn a_complete_bipartite_graph_is_one_line() {
        let arcs = (0..5).flat_map(|from| (5..9).map(move |to| (from, to))).collect();
        for kind in [Kind::Edges, Kind::Arcs] {
            let power = compress(9, &arcs, kind, 1, &CancelToken::new());
            assert_eq!(power.cost(), (3, 1, 0));
        }
    }
}
