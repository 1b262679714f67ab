//! A plan of tracks as it is drawn, and the network that a train meets on it; `asp/rail/plan.lp` says the same.
//!
//! ```text
//!            1                      A track joins two ends. From the stem, a train takes the branch that is set; from a
//!   stem ───<    left ─|gate|─ right   branch, from behind, it goes on at the stem and meets nothing. So of each fork the
//!            2                      network has one node, of each gate one for each side, and of a place one.
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Fact, Facts, fact, term};
use crate::asp::{Symbol, Term};
use crate::diagnostic::{Diagnostic, Failure};

/// What an end belongs to, and which of its ends it is: `(a,stem)`.
pub type End = (Term, Term);

/// A plan in which every end is joined to one other.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub forks: BTreeMap<Term, Fork>,
    pub gates: BTreeSet<Term>,
    pub crossings: BTreeSet<Term>,
    pub places: BTreeSet<Term>,
    pub starts: Vec<Term>,
    pub joined: BTreeMap<End, End>,
    pub positions: BTreeMap<Term, (i32, i32)>,
    /// Names that were given to nodes.
    pub names: BTreeMap<End, Term>,
    /// Its facts.
    pub said: Vec<Fact>,
    /// The fact of each track, for each of its ends.
    tracks: BTreeMap<End, Fact>,
}

#[derive(Debug, Clone, Default)]
pub struct Fork {
    pub points: Points,
    /// Its branches are numbered from 1.
    pub branches: i32,
}

/// What sets a fork.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Points {
    /// The lever of a colour.
    Lever(Term),
    /// From the stem always to the first branch.
    #[default]
    Sprung,
    /// A train from behind sets it to where that came from.
    Lazy,
    /// A train from the stem sets it to the next branch.
    Flip,
}

/// The predicates of a plan that a network does not have, and what their arguments are.
pub const PREDICATES: [(&str, &str); 6] = [
    ("track", "track(End, End)"),
    ("fork", "fork(Fork)"),
    ("gate", "gate(Gate)"),
    ("kind", "kind(Fork, Kind)"),
    ("crossing", "crossing(Crossing)"),
    ("name", "name(End, Node)"),
];

const MOST_BRANCHES: i32 = 99;
const ENDS: &str =
    "an end is (Fork,stem), (Fork,1), (Fork,2), …, (Gate,left), (Gate,right), (Place,end) or (Crossing,1..4)";

/// The node of trains that meet nothing for ever.
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

/// The end as a term.
pub fn tuple((thing, which): &End) -> Term {
    term(&format!("({thing},{which})"))
}

/// The end that a term says.
pub fn read_end(term: &Term) -> Option<End> {
    let Term::Other(symbol) = term else { return None };
    let parts: Vec<Symbol> = symbol.arguments().ok()?;
    match parts[..] {
        [thing, which] if term.to_string().starts_with('(') => Some((Term::of(thing), Term::of(which))),
        _ => None,
    }
}

/// Takes an atom that is derived, and the end whose track it is at.
type Say<'a> = dyn FnMut(&str, &[Term], Option<&End>) + 'a;

impl Fork {
    /// The colour of its lever; one of its own is called like the fork.
    pub fn lever<'a>(&'a self, fork: &'a Term) -> Option<&'a Term> {
        match &self.points {
            Points::Lever(color) => Some(color),
            Points::Sprung => None,
            Points::Lazy | Points::Flip => Some(fork),
        }
    }
}

impl Plan {
    /// Refuses a plan with an end that is joined twice or never, or that nothing has.
    pub fn read(facts: &Facts) -> Result<Self, Failure> {
        let plan = Plan { said: facts.facts.clone(), ..Plan::default() };
        let mut reader = Reader { facts, plan, declared: BTreeMap::new(), errors: Vec::new() };
        reader.things();
        reader.tracks();
        if reader.errors.is_empty() { Ok(reader.plan) } else { Err(Failure(reader.errors)) }
    }

    /// The ends of a thing.
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

    /// All things that stand somewhere.
    pub fn things(&self) -> impl Iterator<Item = &Term> {
        self.forks.keys().chain(&self.gates).chain(&self.crossings).chain(&self.places)
    }

    /// The node at which a train is that arrives at an end; `None` where it goes on at once.
    pub fn node(&self, at: &End) -> Option<Term> {
        let (thing, which) = at;
        let is_stem = *which == name("stem");
        match self.forks.get(thing).map(|fork| &fork.points) {
            Some(Points::Sprung) => None,
            Some(Points::Lazy) if !is_stem => Some(self.called(at)),
            Some(_) => is_stem.then(|| thing.clone()),
            None if self.gates.contains(thing) => Some(self.called(at)),
            None => self.places.contains(thing).then(|| thing.clone()),
        }
    }

    /// The node at an end, by the name that it was given.
    fn called(&self, at: &End) -> Term {
        self.names.get(at).cloned().unwrap_or_else(|| tuple(at))
    }

    /// Where a train leaves that arrives at an end and meets nothing there but what sets a lazy fork.
    pub fn passed(&self, (thing, which): &End) -> End {
        let is = |word: &str| *which == name(word);
        match which.number() {
            Some(side) if self.crossings.contains(thing) => (thing.clone(), Term::Number((side + 1) % 4 + 1)),
            _ if is("left") => end(thing, "right"),
            _ if is("right") => end(thing, "left"),
            _ if is("stem") => end(thing, "1"),
            _ => end(thing, "stem"),
        }
    }

    /// The ends at which a train arrives that leaves by an end, up to the first node; no node where it goes round for ever.
    pub fn run(&self, from: &End) -> (Vec<End>, Option<Term>) {
        let mut arrived = vec![self.joined[from].clone()];
        loop {
            let at = &arrived[arrived.len() - 1];
            let node = self.node(at);
            if node.is_some() || arrived.len() > self.joined.len() {
                return (arrived, node);
            }
            arrived.push(self.joined[&self.passed(at)].clone());
        }
    }

    /// The things over which trains go round that are at the node [`CIRCLE`].
    pub fn circle(&self) -> BTreeSet<Term> {
        let mut things = BTreeSet::new();
        for (mut arrived, node) in self.joined.keys().map(|from| self.run(from)) {
            if let (Some(last), None) = (arrived.pop(), node) {
                things.extend(arrived.into_iter().rev().take_while(|end| *end != last).map(|(thing, _)| thing));
                things.insert(last.0);
            }
        }
        things
    }

    /// The facts of the network, each with that of the plan which it comes from.
    pub fn network(&self, facts: &Facts) -> Result<Vec<(Fact, Option<Fact>)>, Failure> {
        let shared =
            self.said.iter().filter(|fact| ["target", "sets", "fixed", "own", "lever"].contains(&fact.name.as_str()));
        let mut derived: Vec<(Fact, Option<Fact>)> = shared.map(|fact| (fact.clone(), None)).collect();
        let colors: BTreeSet<&Term> = self.forks.iter().filter_map(|(fork, known)| known.lever(fork)).collect();
        let labels = self.forks.iter().filter(|(fork, known)| known.lever(fork).is_some());
        let states = labels.map(|(_, fork)| fork.branches).max().unwrap_or(1);
        let mut circles = None;
        let mut say = |name: &str, terms: &[Term], from: Option<&End>| {
            derived.push((fact(name, terms), from.map(|from| self.tracks[from].clone())));
        };
        let mut leads = |from: &End| {
            let (_, node) = self.run(from);
            if node.is_none() {
                circles = Some(from.clone());
            }
            node.unwrap_or_else(|| name(CIRCLE))
        };
        let always = |say: &mut Say<'_>, node: &Term, to: &Term, from: Option<&End>| {
            (1..=states).for_each(|state| say("rel", &[node.clone(), Term::Number(state), to.clone()], from));
        };
        for start in &self.starts {
            let from = end(start, "end");
            let node = leads(&from);
            if self.places.contains(&node) {
                let text = format!("the train from {start} comes to {node} without meeting a fork or a gate");
                return Err(Diagnostic::error(text).at(facts.place(&self.tracks[&from])).into());
            }
            say("start", &[node], Some(&from));
        }
        for place in &self.places {
            say("final_node", std::slice::from_ref(place), None);
        }
        for (fork, known) in &self.forks {
            let Some(color) = known.lever(fork) else { continue };
            let has_gates = matches!(known.points, Points::Lazy | Points::Flip);
            say("color", &[fork.clone(), color.clone()], None);
            if has_gates {
                say("own", std::slice::from_ref(color), None);
            }
            for branch in 1..=known.branches {
                let out = (fork.clone(), Term::Number(branch));
                let (mut to, gate) = (leads(&out), self.called(&out));
                if has_gates {
                    let next = if known.points == Points::Lazy { branch } else { branch % known.branches + 1 };
                    say("gate", &[tuple(&out), gate.clone()], None);
                    say("sets", &[tuple(&out), fork.clone(), Term::Number(next)], None);
                }
                if known.points == Points::Lazy {
                    let stem = end(fork, "stem");
                    always(&mut say, &gate, &leads(&stem), Some(&stem));
                } else if known.points == Points::Flip {
                    always(&mut say, &gate, &to, Some(&out));
                    to = gate;
                }
                say("rel", &[fork.clone(), Term::Number(branch), to], Some(&out));
            }
        }
        for gate in &self.gates {
            for side in self.ends(gate) {
                let (node, out) = (self.called(&side), self.passed(&side));
                say("gate", &[gate.clone(), node.clone()], None);
                always(&mut say, &node, &leads(&out), Some(&out));
            }
        }
        for (node, (thing, _)) in self.nodes() {
            if let Some(&(x, y)) = self.positions.get(&thing) {
                say("position", &[node, Term::Number(x), Term::Number(y)], None);
            }
        }
        if let Some(from) = circles {
            let circle = name(CIRCLE);
            let nodes = derived.iter().filter_map(|(fact, _)| match (fact.name.as_str(), &fact.terms[..]) {
                ("final_node" | "color", [node, ..]) | ("gate", [_, node]) => Some(node),
                _ => None,
            });
            let problem = if colors.is_empty() {
                Some("and no lever of the plan could say so in a network")
            } else if { nodes }.any(|known| *known == circle) {
                Some("at the node circle, but the plan uses this name for something else")
            } else {
                None
            };
            if let Some(problem) = problem {
                let text = format!("a train from {} meets nothing for ever, {problem}", tuple(&from));
                return Err(Diagnostic::error(text).at(facts.place(&self.tracks[&from])).into());
            }
            derived.extend(colors.first().map(|&color| (fact("color", &[circle.clone(), color.clone()]), None)));
            let around = |state| (fact("rel", &[circle.clone(), Term::Number(state), circle.clone()]), None);
            let fork = self.forks.iter().find(|(fork, known)| known.lever(fork) == colors.first().copied());
            derived.extend((1..=fork.map_or(0, |(_, fork)| fork.branches)).map(around));
        }
        Ok(derived)
    }

    /// The thing at which each node of the network is, and the end at which a train arrives there.
    pub fn nodes(&self) -> BTreeMap<Term, End> {
        let ends = self.things().flat_map(|thing| self.ends(thing));
        let node = |end: End| {
            let is_flip = self.forks.get(&end.0).is_some_and(|fork| fork.points == Points::Flip);
            let node = self.node(&end).or_else(|| is_flip.then(|| self.called(&end)))?;
            Some((node, end))
        };
        ends.filter_map(node).collect()
    }
}

struct Reader<'a> {
    facts: &'a Facts,
    plan: Plan,
    /// What says that there is a thing, and what it is.
    declared: BTreeMap<Term, (&'static str, &'a Fact)>,
    errors: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn error(&mut self, text: String, facts: &[&Fact], help: &str) {
        let mut wrong = Diagnostic::error(text);
        facts.iter().for_each(|fact| wrong.places.extend(self.facts.place(fact)));
        self.errors.push(if help.is_empty() { wrong } else { wrong.help(help) });
    }

    /// Notes that there is such a thing.
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

    fn things(&mut self) {
        let mut kinds: BTreeMap<Term, (Points, &'a Fact)> = BTreeMap::new();
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
                    let points = match (fact.name.as_str(), fact.terms[1].text().as_str()) {
                        ("color", _) => Points::Lever(fact.terms[1].clone()),
                        (_, "sprung") => Points::Sprung,
                        (_, "lazy") => Points::Lazy,
                        (_, "flip") => Points::Flip,
                        (_, found) => {
                            let text = format!("{found} is not a kind of fork; expected sprung, lazy or flip");
                            self.error(text, &[fact], "");
                            continue;
                        }
                    };
                    if let Some((other, first)) = kinds.insert(fork.clone(), (points.clone(), fact))
                        && other != points
                    {
                        let text = format!("fork {fork} is set in two ways: {} and {}", fact.text, first.text);
                        self.error(text, &[fact, first], "a fork has one colour or one kind");
                    }
                }
                ("name", [at, node]) => match read_end(at) {
                    Some(end) => {
                        if self.plan.names.insert(end, node.clone()).is_some_and(|other| other != *node) {
                            self.error(format!("end {at} has two names"), &[fact], "");
                        }
                    }
                    None => self.error(format!("{at} is not an end"), &[fact], ENDS),
                },
                ("position", [thing, x, y]) => match (x.number(), y.number()) {
                    (Some(x), Some(y)) => drop(self.plan.positions.insert(thing.clone(), (x, y))),
                    _ => self.error(format!("{}: X and Y must be numbers", fact.text), &[fact], ""),
                },
                ("sets" | "lever", [_, _, _]) | ("track" | "fixed", [_, _]) | ("own", [_]) => {}
                (known, terms) => {
                    let wanted = PREDICATES.iter().chain(&super::facts::PREDICATES).find(|(name, _)| *name == known);
                    let wanted = wanted.map_or("", |(_, wanted)| wanted);
                    let arguments = crate::words::count(terms.len(), "argument", "arguments");
                    self.error(format!("{known} has {arguments}; expected {wanted}"), &[fact], "");
                }
            }
        }
        let uncolored: Vec<Term> = self.plan.forks.keys().filter(|fork| !kinds.contains_key(*fork)).cloned().collect();
        for fork in uncolored {
            let help = format!(
                "add color({fork}, Color). or kind({fork}, sprung).; in lines: {fork} Color: … or {fork} sprung: …"
            );
            self.error(format!("fork {fork} has no colour"), &[self.declared[&fork].1], &help);
        }
        for (fork, (points, fact)) in &kinds {
            let is_color = |(other, _): &(Points, &Fact)| *other == Points::Lever(fork.clone());
            if let (Points::Lazy | Points::Flip, Some((_, color))) =
                (points, kinds.values().find(|kind| is_color(kind)))
            {
                let text = format!("the lever of fork {fork} is called {fork}, and a colour is too");
                self.error(text, &[fact, color], "give the fork another name");
            }
        }
        for (fork, (points, _)) in kinds {
            self.plan.forks.insert(fork, Fork { points, branches: 2 });
        }
    }

    fn tracks(&mut self) {
        let mut mates: BTreeMap<End, Vec<(End, &'a Fact)>> = BTreeMap::new();
        for fact in self.facts.facts.iter().filter(|fact| fact.name == "track" && fact.terms.len() == 2) {
            let ends: Vec<End> = fact.terms.iter().filter_map(read_end).collect();
            let [one, other] = &ends[..] else {
                let wrong = fact.terms.iter().find(|term| read_end(term).is_none()).expect("one of them is none");
                self.error(format!("{wrong} is not an end"), &[fact], ENDS);
                continue;
            };
            if one == other {
                self.error(format!("end {} is joined to itself", tuple(one)), &[fact], "a place can end a track");
                continue;
            }
            for (one, other) in [(one, other), (other, one)] {
                let known = mates.entry(one.clone()).or_default();
                if !known.iter().any(|(mate, _)| mate == other) {
                    known.push((other.clone(), fact));
                }
            }
        }
        self.branches(&mates);
        for (end, joined) in &mates {
            let things = [&self.plan.gates, &self.plan.crossings, &self.plan.places];
            let is_thing = self.plan.forks.contains_key(&end.0) || things.iter().any(|known| known.contains(&end.0));
            let (text, help) = (tuple(end), ENDS.to_owned());
            if !is_thing {
                let text = format!("end {text}: the plan has no fork, gate, crossing or place {}", end.0);
                self.error(text, &[joined[0].1], &help);
            } else if !self.plan.ends(&end.0).contains(end) {
                let known: Vec<String> = self.plan.ends(&end.0).iter().map(|end| tuple(end).to_string()).collect();
                let text = format!("there is no end {text}: {} has {}", end.0, known.join(", "));
                self.error(text, &[joined[0].1], &help);
            } else if let [(one, first), (other, second), ..] = &joined[..] {
                let text = format!("end {text} is joined twice, to {} and to {}", tuple(one), tuple(other));
                self.error(text, &[second, first], "an end is joined to one other");
            }
        }
        let things: Vec<Term> = self.plan.things().cloned().collect();
        let ends: Vec<End> = things.iter().flat_map(|thing| self.plan.ends(thing)).collect();
        for end in ends.into_iter().filter(|end| !mates.contains_key(end)) {
            let (text, declared) = (tuple(&end), self.declared[&end.0].1);
            self.error(format!("end {text} is joined to nothing"), &[declared], &format!("add track({text}, End)."));
        }
        for (one, joined) in mates {
            let (other, fact) = joined[0].clone();
            self.plan.tracks.insert(one.clone(), fact.clone());
            self.plan.joined.insert(one, other);
        }
    }

    /// A fork has as many branches as any of its colour.
    fn branches(&mut self, mates: &BTreeMap<End, Vec<(End, &'a Fact)>>) {
        let mut most: BTreeMap<(bool, Term), i32> = BTreeMap::new();
        let lever =
            |fork: &Term, known: &Fork| (known.points == Points::Sprung, known.lever(fork).unwrap_or(fork).clone());
        for (fork, which) in mates.keys() {
            if let (Some(known), Some(branch)) = (self.plan.forks.get(fork), which.number())
                && branch <= MOST_BRANCHES
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
