//! A plan of tracks, and the network that follows from it. `asp/rail/plan.lp` derives the same
//! network.
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

use super::facts::{Fact, Facts, fact, term, term_source};
use super::lines;
use crate::asp::{Symbol, Term};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::words::nearest_name;

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
    tracks: BTreeMap<End, Fact>,
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

/// The names of the predicates that only plans have, and their arguments.
pub const PREDICATES: [(&str, &str); 6] = [
    ("track", "track(End, End)"),
    ("fork", "fork(Fork)"),
    ("gate", "gate(Gate)"),
    ("kind", "kind(Fork, Kind)"),
    ("crossing", "crossing(Crossing)"),
    ("name", "name(End, Node)"),
];

const MAX_BRANCHES: i32 = 99;
const ENDS: &str =
    "an end is (Fork,stem), (Fork,1), (Fork,2), …, (Gate,left), (Gate,right), (Place,end) or (Crossing,1..4)";
/// Like [`ENDS`], in the notation of lines.
const ENDS_IN_LINES: &str =
    "an end is FORK.stem, FORK.1, FORK.2, …, GATE.left, GATE.right, PLACE or CROSSING.1 to CROSSING.4";

/// The name of the node for trains in a dead loop, in which they never visit another node. The node
/// leads to itself.
pub const CIRCLE: &str = "circle";

pub fn is_plan(facts: &[Fact]) -> bool {
    let has = |name: &str, arity: usize| facts.iter().any(|fact| fact.name == name && fact.terms.len() == arity);
    has("track", 2) && !has("rel", 3)
}

fn name(text: &str) -> Term {
    Term::Name(text.to_owned())
}

fn end(thing: &Term, which: &str) -> End {
    (thing.clone(), term(which))
}

/// Converts an end to a term.
pub fn tuple((thing, which): &End) -> Term {
    term(&format!("({thing},{which})"))
}

/// Formats an end for a message: `a.2` in lines, `(a,2)` in other notations.
fn end_in_source(end: &End, is_in_lines: bool) -> String {
    if is_in_lines { lines::end_text(end) } else { tuple(end).to_string() }
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

/// A callback that receives a derived fact, and the end from whose track it follows.
type Emit<'a> = dyn FnMut(&str, &[Term], Option<&End>) + 'a;

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
    /// Parses a plan. Fails unless every end exists and is joined exactly once.
    pub fn read(facts: &Facts) -> Result<Self, Failure> {
        let plan = Plan { facts: facts.facts.clone(), ..Plan::default() };
        let mut reader = Reader { facts, plan, declared: BTreeMap::new(), errors: Vec::new() };
        reader.read_things();
        reader.read_tracks();
        reader.check_misspelt_kinds();
        if reader.errors.is_empty() { Ok(reader.plan) } else { Err(Failure(reader.errors)) }
    }

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
    fn node_name(&self, at: &End) -> Term {
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

    /// Derives the facts of the network, each with the fact of the plan from which it follows.
    pub fn network_facts(&self, facts: &Facts) -> Result<Vec<(Fact, Option<Fact>)>, Failure> {
        let shared =
            self.facts.iter().filter(|fact| ["target", "sets", "fixed", "own", "lever"].contains(&fact.name.as_str()));
        let mut derived: Vec<(Fact, Option<Fact>)> = shared.map(|fact| (fact.clone(), None)).collect();
        let colors: BTreeSet<&Term> = self.forks.iter().filter_map(|(fork, details)| details.lever(fork)).collect();
        let labels = self.forks.iter().filter(|(fork, details)| details.lever(fork).is_some());
        let states = labels.map(|(_, fork)| fork.branches).max().unwrap_or(1);
        let mut loop_end = None;
        let mut emit = |name: &str, terms: &[Term], from: Option<&End>| {
            derived.push((fact(name, terms), from.map(|from| self.tracks[from].clone())));
        };
        let mut destination = |from: &End| {
            let (_, node) = self.follow(from);
            if node.is_none() {
                loop_end = Some(from.clone());
            }
            node.unwrap_or_else(|| name(CIRCLE))
        };
        let emit_for_all_states = |emit: &mut Emit<'_>, node: &Term, to: &Term, from: Option<&End>| {
            for state in 1..=states {
                emit("rel", &[node.clone(), Term::Number(state), to.clone()], from);
            }
        };
        for start in &self.starts {
            let from = end(start, "end");
            let node = destination(&from);
            if self.places.contains(&node) {
                let text = format!("the train from {start} comes to {node} without meeting a fork or a gate");
                return Err(Diagnostic::error(Code::InvalidInstance, text).at(facts.place(&self.tracks[&from])).into());
            }
            emit("start", &[node], Some(&from));
        }
        for place in &self.places {
            emit("final_node", std::slice::from_ref(place), None);
        }
        for (fork, details) in &self.forks {
            let Some(color) = details.lever(fork) else { continue };
            let has_gates = matches!(details.kind, ForkKind::Lazy | ForkKind::Flip);
            emit("color", &[fork.clone(), color.clone()], None);
            if has_gates {
                emit("own", std::slice::from_ref(color), None);
            }
            for branch in 1..=details.branches {
                let out = (fork.clone(), Term::Number(branch));
                let (mut to, gate) = (destination(&out), self.node_name(&out));
                if has_gates {
                    let next = if details.kind == ForkKind::Lazy { branch } else { branch % details.branches + 1 };
                    emit("gate", &[tuple(&out), gate.clone()], None);
                    emit("sets", &[tuple(&out), fork.clone(), Term::Number(next)], None);
                }
                if details.kind == ForkKind::Lazy {
                    let stem = end(fork, "stem");
                    emit_for_all_states(&mut emit, &gate, &destination(&stem), Some(&stem));
                } else if details.kind == ForkKind::Flip {
                    emit_for_all_states(&mut emit, &gate, &to, Some(&out));
                    to = gate;
                }
                emit("rel", &[fork.clone(), Term::Number(branch), to], Some(&out));
            }
        }
        for gate in &self.gates {
            for side in self.ends(gate) {
                let (node, out) = (self.node_name(&side), self.exit(&side));
                emit("gate", &[gate.clone(), node.clone()], None);
                emit_for_all_states(&mut emit, &node, &destination(&out), Some(&out));
            }
        }
        for (node, (thing, _)) in self.nodes() {
            if let Some(&(x, y)) = self.positions.get(&thing) {
                emit("position", &[node, Term::Number(x), Term::Number(y)], None);
            }
        }
        if let Some(from) = loop_end {
            let circle = name(CIRCLE);
            let nodes = derived.iter().filter_map(|(fact, _)| match (fact.name.as_str(), &fact.terms[..]) {
                ("final_node" | "color", [node, ..]) | ("gate", [_, node]) => Some(node),
                _ => None,
            });
            let problem = if colors.is_empty() {
                Some("and without a lever in the plan no network can express that")
            } else if { nodes }.any(|node| *node == circle) {
                Some("at the node circle, but the plan uses this name for something else")
            } else {
                None
            };
            if let Some(problem) = problem {
                let end = end_in_source(&from, facts.is_from_lines(&self.tracks[&from]));
                let text = format!("a train from {end} meets nothing for ever, {problem}");
                return Err(Diagnostic::error(Code::InvalidInstance, text).at(facts.place(&self.tracks[&from])).into());
            }
            derived.extend(colors.first().map(|&color| (fact("color", &[circle.clone(), color.clone()]), None)));
            let around = |state| (fact("rel", &[circle.clone(), Term::Number(state), circle.clone()]), None);
            let fork = self.forks.iter().find(|(fork, details)| details.lever(fork) == colors.first().copied());
            derived.extend((1..=fork.map_or(0, |(_, fork)| fork.branches)).map(around));
        }
        Ok(derived)
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

struct Reader<'a> {
    facts: &'a Facts,
    plan: Plan,
    /// For each thing, its kind and the first fact that declares it.
    declared: BTreeMap<Term, (&'static str, &'a Fact)>,
    errors: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn error(&mut self, text: String, facts: &[&Fact], help: &str) {
        let mut wrong = Diagnostic::error(Code::InvalidInstance, text);
        for fact in facts {
            wrong.labels.extend(self.facts.place(fact));
        }
        self.errors.push(if help.is_empty() { wrong } else { wrong.help(help) });
    }

    /// Formats an end in the notation of `fact`.
    fn end_text(&self, end: &End, fact: &Fact) -> String {
        end_in_source(end, self.facts.is_from_lines(fact))
    }

    /// Returns a help text that lists the ends of each kind of thing, in the notation of `fact`.
    fn ends_help(&self, fact: &Fact) -> &'static str {
        if self.facts.is_from_lines(fact) { ENDS_IN_LINES } else { ENDS }
    }

    /// Reports lines whose first word is a misspelt kind. For example, `gat g: right u` is parsed
    /// as a fork `gat` of colour `g`. Only forks without a stem are reported, since no valid plan
    /// has any. All other errors of such a plan are consequences, so they are dropped.
    fn check_misspelt_kinds(&mut self) {
        let mut errors = Vec::new();
        for fork in self.plan.forks.keys() {
            let (what, fact) = self.declared[fork];
            let word = fork.text();
            if what == "fork"
                && self.facts.is_from_lines(fact)
                && !self.plan.joined.contains_key(&end(fork, "stem"))
                && let Some(kind) = nearest_name(&word, lines::KINDS)
            {
                let text = format!("`{word}` is neither a kind of thing nor a fork with a stem");
                let error = Diagnostic::error(Code::InvalidInstance, text).at(self.facts.place(fact));
                errors.push(error.help(format!("did you mean {kind}?")));
            }
        }
        if !errors.is_empty() {
            self.errors = errors;
        }
    }

    /// Records a thing. Reports an error if it has been declared as another kind.
    fn declare(&mut self, thing: &Term, what: &'static str, fact: &'a Fact) {
        match self.declared.get(thing) {
            Some(&(other, first)) if other != what => {
                self.error(format!("{thing} is a {what} and a {other}"), &[fact, first], "");
            }
            Some(_) => {}
            None => drop(self.declared.insert(thing.clone(), (what, fact))),
        }
        match what {
            "fork" => drop(self.plan.forks.entry(thing.clone()).or_default()),
            "gate" => drop(self.plan.gates.insert(thing.clone())),
            "crossing" => drop(self.plan.crossings.insert(thing.clone())),
            _ => drop(self.plan.places.insert(thing.clone())),
        }
    }

    fn read_things(&mut self) {
        let mut kinds: BTreeMap<Term, (ForkKind, &'a Fact)> = BTreeMap::new();
        for fact in &self.facts.facts {
            match (fact.name.as_str(), &fact.terms[..]) {
                ("fork", [fork]) => self.declare(fork, "fork", fact),
                ("gate", [gate]) => self.declare(gate, "gate", fact),
                ("crossing", [crossing]) => self.declare(crossing, "crossing", fact),
                ("start", [place]) => {
                    self.declare(place, "place", fact);
                    self.plan.starts.push(place.clone());
                }
                ("target" | "final_node", [place]) => {
                    self.declare(place, "place", fact);
                }
                ("color", [fork, _]) | ("kind", [fork, _]) => {
                    self.declare(fork, "fork", fact);
                    let kind = match (fact.name.as_str(), fact.terms[1].text().as_str()) {
                        ("color", _) => ForkKind::Lever(fact.terms[1].clone()),
                        (_, "sprung") => ForkKind::Sprung,
                        (_, "lazy") => ForkKind::Lazy,
                        (_, "flip") => ForkKind::Flip,
                        (_, found) => {
                            let text = format!("{found} is not a kind of fork; expected sprung, lazy or flip");
                            self.error(text, &[fact], "");
                            continue;
                        }
                    };
                    if let Some((other, first)) = kinds.insert(fork.clone(), (kind.clone(), fact))
                        && other != kind
                    {
                        let source = |fact: &Fact| {
                            if self.facts.is_from_lines(fact) {
                                format!("`{} {}`", term_source(fork), term_source(&fact.terms[1]))
                            } else {
                                fact.text.clone()
                            }
                        };
                        let text = format!("fork {fork} is set in two ways: {} and {}", source(fact), source(first));
                        self.error(text, &[fact, first], "a fork has one colour or one kind");
                    }
                }
                ("name", [at, node]) => match read_end(at) {
                    Some(end) => {
                        if self.plan.names.insert(end, node.clone()).is_some_and(|other| other != *node) {
                            let at = read_end(at).map_or_else(String::new, |end| self.end_text(&end, fact));
                            self.error(format!("end {at} has two names"), &[fact], "");
                        }
                    }
                    None => self.error(format!("{at} is not an end"), &[fact], ENDS),
                },
                ("position", [thing, x, y]) => match (x.number(), y.number()) {
                    (Some(x), Some(y)) => drop(self.plan.positions.insert(thing.clone(), (x, y))),
                    _ => {
                        let source = if self.facts.is_from_lines(fact) {
                            format!("at {thing} {} {}", x.text(), y.text())
                        } else {
                            fact.text.clone()
                        };
                        self.error(format!("{source}: X and Y must be numbers"), &[fact], "");
                    }
                },
                ("sets" | "lever", [_, _, _]) | ("track" | "fixed", [_, _]) | ("own", [_]) => {}
                (known, terms) => {
                    let expected = PREDICATES.iter().chain(&super::facts::PREDICATES).find(|(name, _)| *name == known);
                    let expected = expected.map_or("", |(_, expected)| expected);
                    let arguments = crate::words::count(terms.len(), "argument", "arguments");
                    self.error(format!("{known} has {arguments}; expected {expected}"), &[fact], "");
                }
            }
        }
        let uncolored: Vec<Term> = self.plan.forks.keys().filter(|fork| !kinds.contains_key(*fork)).cloned().collect();
        for fork in uncolored {
            let fact = self.declared[&fork].1;
            let help = if self.facts.is_from_lines(fact) {
                format!("expected `{fork} COLOUR: …` or `{fork} sprung: …` (or lazy, flip)")
            } else {
                format!("add color({fork}, Color). or kind({fork}, sprung).")
            };
            self.error(format!("fork {fork} has no colour"), &[fact], &help);
        }
        for (fork, (kind, fact)) in &kinds {
            let is_color = |(other, _): &(ForkKind, &Fact)| *other == ForkKind::Lever(fork.clone());
            if let (ForkKind::Lazy | ForkKind::Flip, Some((_, color))) =
                (kind, kinds.values().find(|kind| is_color(kind)))
            {
                let text = format!("the lever of fork {fork} has the name of the colour {fork}");
                self.error(text, &[fact, color], "give the fork another name");
            }
        }
        for (fork, (kind, _)) in kinds {
            self.plan.forks.insert(fork, Fork { kind, branches: 2 });
        }
    }

    fn read_tracks(&mut self) {
        let mut mates: BTreeMap<End, Vec<(End, &'a Fact)>> = BTreeMap::new();
        for fact in self.facts.facts.iter().filter(|fact| fact.name == "track" && fact.terms.len() == 2) {
            let ends: Vec<End> = fact.terms.iter().filter_map(read_end).collect();
            let [one, other] = &ends[..] else {
                let wrong = fact.terms.iter().find(|term| read_end(term).is_none()).expect("one of them is none");
                self.error(format!("{wrong} is not an end"), &[fact], ENDS);
                continue;
            };
            if one == other {
                let text = format!("end {} is joined to itself", self.end_text(one, fact));
                self.error(text, &[fact], "a place can end a track");
                continue;
            }
            for (one, other) in [(one, other), (other, one)] {
                let known = mates.entry(one.clone()).or_default();
                if !known.iter().any(|(mate, _)| mate == other) {
                    known.push((other.clone(), fact));
                }
            }
        }
        self.count_branches(&mates);
        for (end, joined) in &mates {
            let things = [&self.plan.gates, &self.plan.crossings, &self.plan.places];
            let is_thing = self.plan.forks.contains_key(&end.0) || things.iter().any(|known| known.contains(&end.0));
            let fact = joined[0].1;
            let end_text = self.end_text(end, fact);
            if !is_thing {
                let text = format!("end {end_text}: the plan has no fork, gate, crossing or place {}", end.0);
                self.error(text, &[fact], self.ends_help(fact));
            } else if !self.plan.ends(&end.0).contains(end) {
                let known: Vec<String> = self.plan.ends(&end.0).iter().map(|end| self.end_text(end, fact)).collect();
                let text = format!("there is no end {end_text}: {} has {}", end.0, known.join(", "));
                self.error(text, &[fact], self.ends_help(fact));
            } else if let [(one, first), (other, second), ..] = &joined[..] {
                let [one, other] = [one, other].map(|end| self.end_text(end, fact));
                let text = format!("end {end_text} is joined twice, to {one} and to {other}");
                self.error(text, &[second, first], "an end is joined to one other");
            }
        }
        let things: Vec<Term> = self.plan.things().cloned().collect();
        let ends: Vec<End> = things.iter().flat_map(|thing| self.plan.ends(thing)).collect();
        for end in ends.into_iter().filter(|end| !mates.contains_key(end)) {
            let declared = self.declared[&end.0].1;
            let end_text = self.end_text(&end, declared);
            let help = if self.facts.is_from_lines(declared) {
                format!("add `{} END` to this line, or `… {end_text}` to the line of what it joins", end.1)
            } else {
                format!("add track({end_text}, End).")
            };
            self.error(format!("end {end_text} is joined to nothing"), &[declared], &help);
        }
        for (one, joined) in mates {
            let (other, fact) = joined[0].clone();
            self.plan.tracks.insert(one.clone(), fact.clone());
            self.plan.joined.insert(one, other);
        }
    }

    /// Sets the number of branches of each fork. Forks with the same lever have the same number.
    fn count_branches(&mut self, mates: &BTreeMap<End, Vec<(End, &'a Fact)>>) {
        let mut most: BTreeMap<(bool, Term), i32> = BTreeMap::new();
        let lever =
            |fork: &Term, known: &Fork| (known.kind == ForkKind::Sprung, known.lever(fork).unwrap_or(fork).clone());
        for (fork, which) in mates.keys() {
            if let (Some(known), Some(branch)) = (self.plan.forks.get(fork), which.number())
                && branch <= MAX_BRANCHES
            {
                let most = most.entry(lever(fork, known)).or_insert(2);
                *most = branch.max(*most);
            }
        }
        for (fork, known) in &mut self.plan.forks {
            known.branches = most.get(&lever(fork, known)).copied().unwrap_or(2);
        }
    }
}
