//! A plan of tracks, and how trains run on it.
//!
//! ```text
//!            1
//!   stem ───<    left ─|gate|─ right
//!            2
//! ```
//!
//! A track joins two ends. A train that enters a fork at the stem takes the branch that is set. A
//! train that enters it at a branch leaves at the stem, without visiting a node. The network
//! therefore has a node for each fork, for each side of a gate, and for each place. (Lazy and flip
//! forks also have nodes at their branches, at which passing trains set the fork.)

use std::collections::{BTreeMap, BTreeSet};

use asp::{Symbol, Term};

use super::fact::{Fact, term};

/// An end of a fork, gate, crossing or place: the name of this thing, and that of the end, such as
/// `(a,stem)`.
pub type End = (Term, Term);

/// A valid plan, in which every end is joined to exactly one other end.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub forks: BTreeMap<Term, Fork>,
    pub gates: BTreeSet<Term>,
    pub crossings: BTreeSet<Term>,
    pub places: BTreeSet<Term>,
    pub starts: Vec<Term>,
    pub joined: BTreeMap<End, End>,
    pub positions: BTreeMap<Term, (i32, i32)>,
    /// The names of nodes in `name` facts.
    pub names: BTreeMap<End, Term>,
    /// The facts of the plan.
    pub facts: Vec<Fact>,
    /// For each end, the fact of its track.
    pub tracks: BTreeMap<End, Fact>,
}

#[derive(Debug, Clone, Default)]
pub struct Fork {
    pub kind: ForkKind,
    /// Number of branches; they are numbered from 1.
    pub branches: i32,
}

/// The rule by which a train takes a branch from the stem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ForkKind {
    /// The lever of a colour.
    Lever(Term),
    /// Always the first branch.
    #[default]
    Sprung,
    /// The branch from which the last train came.
    Lazy,
    /// Each branch in turn.
    Flip,
}

/// The name of the node for trains in a dead loop, in which they never visit another node. The node
/// leads to itself.
pub const CIRCLE: &str = "circle";

pub fn name(text: &str) -> Term {
    Term::Name(text.to_owned())
}

pub fn end(thing: &Term, which: &str) -> End {
    (thing.clone(), term(which))
}

/// Converts an end to a term.
pub fn tuple((thing, which): &End) -> Term {
    term(&format!("({thing},{which})"))
}

/// Converts a term to an end, the inverse of [`tuple`].
pub fn read_end(term: &Term) -> Option<End> {
    let Term::Other(symbol) = term else { return None };
    let parts: Vec<Symbol> = symbol.arguments().ok()?;
    match parts[..] {
        [thing, which] if term.to_string().starts_with('(') => Some((Term::of(thing), Term::of(which))),
        _ => None,
    }
}

impl Fork {
    /// Returns the colour of the fork's lever. A lazy or flip fork has a lever with the fork's
    /// name.
    pub fn lever<'a>(&'a self, fork: &'a Term) -> Option<&'a Term> {
        match &self.kind {
            ForkKind::Lever(color) => Some(color),
            ForkKind::Sprung => None,
            ForkKind::Lazy | ForkKind::Flip => Some(fork),
        }
    }
}

impl Plan {
    pub fn ends(&self, thing: &Term) -> Vec<End> {
        match self.forks.get(thing) {
            Some(fork) => {
                let branches = (1..=fork.branches).map(|branch| (thing.clone(), Term::Number(branch)));
                [end(thing, "stem")].into_iter().chain(branches).collect()
            }
            None if self.gates.contains(thing) => vec![end(thing, "left"), end(thing, "right")],
            None if self.crossings.contains(thing) => (1..=4).map(|k| (thing.clone(), Term::Number(k))).collect(),
            None => vec![end(thing, "end")],
        }
    }

    /// Returns all forks, gates, crossings and places.
    pub fn things(&self) -> impl Iterator<Item = &Term> {
        self.forks.keys().chain(&self.gates).chain(&self.crossings).chain(&self.places)
    }

    /// Returns the node that a train visits when it arrives at an end, if any.
    pub fn node(&self, at: &End) -> Option<Term> {
        let (thing, which) = at;
        let is_stem = *which == name("stem");
        match self.forks.get(thing).map(|fork| &fork.kind) {
            Some(ForkKind::Sprung) => None,
            Some(ForkKind::Lazy) if !is_stem => Some(self.node_name(at)),
            Some(_) => is_stem.then(|| thing.clone()),
            None if self.gates.contains(thing) => Some(self.node_name(at)),
            None => self.places.contains(thing).then(|| thing.clone()),
        }
    }

    /// Returns the name of the node at an end: the one in a `name` fact, otherwise the end as a
    /// tuple.
    pub fn node_name(&self, at: &End) -> Term {
        self.names.get(at).cloned().unwrap_or_else(|| tuple(at))
    }

    /// Returns the end at which a train leaves that has arrived at the given end, unless a lever
    /// decides it.
    pub fn exit(&self, (thing, which): &End) -> End {
        let is = |word: &str| *which == name(word);
        match which.number() {
            Some(side) if self.crossings.contains(thing) => (thing.clone(), Term::Number((side + 1) % 4 + 1)),
            _ if is("left") => end(thing, "right"),
            _ if is("right") => end(thing, "left"),
            _ if is("stem") => end(thing, "1"),
            _ => end(thing, "stem"),
        }
    }

    /// Follows a train that leaves at the end `from` up to the first node. Returns the ends at
    /// which it arrives, and the node, or `None` if it is in a dead loop.
    pub fn follow(&self, from: &End) -> (Vec<End>, Option<Term>) {
        let mut arrived = vec![self.joined[from].clone()];
        loop {
            let at = &arrived[arrived.len() - 1];
            let node = self.node(at);
            if node.is_some() || arrived.len() > self.joined.len() {
                return (arrived, node);
            }
            arrived.push(self.joined[&self.exit(at)].clone());
        }
    }

    /// Returns the things on dead loops, for which the network has the node [`CIRCLE`].
    pub fn circle(&self) -> BTreeSet<Term> {
        let mut things = BTreeSet::new();
        for (mut arrived, node) in self.joined.keys().map(|from| self.follow(from)) {
            if let (Some(last), None) = (arrived.pop(), node) {
                things.extend(arrived.into_iter().rev().take_while(|end| *end != last).map(|(thing, _)| thing));
                things.insert(last.0);
            }
        }
        things
    }

    /// Returns, for each node of the network, the end at which a train visits it.
    pub fn nodes(&self) -> BTreeMap<Term, End> {
        let ends = self.things().flat_map(|thing| self.ends(thing));
        let node = |end: End| {
            let is_flip = self.forks.get(&end.0).is_some_and(|fork| fork.kind == ForkKind::Flip);
            let node = self.node(&end).or_else(|| is_flip.then(|| self.node_name(&end)))?;
            Some((node, end))
        };
        ends.filter_map(node).collect()
    }
}
