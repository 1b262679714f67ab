//! Reads a plan from its facts, and reports what is wrong with it.

use std::collections::BTreeMap;

use asp::Term;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::words::nearest_name;

use super::fact::{Fact, PLAN_PREDICATES, PREDICATES, term_source};
use super::facts::Facts;
use super::lines;
use super::plan::{End, Fork, ForkKind, Plan, end, read_end, tuple};

const MAX_BRANCHES: i32 = 99;
const ENDS: &str =
    "an end is (Fork,stem), (Fork,1), (Fork,2), …, (Gate,left), (Gate,right), (Place,end) or (Crossing,1..4)";
/// Like [`ENDS`], in the notation of lines.
const ENDS_IN_LINES: &str =
    "an end is FORK.stem, FORK.1, FORK.2, …, GATE.left, GATE.right, PLACE or CROSSING.1 to CROSSING.4";

/// Formats an end for a message: `a.2` in lines, `(a,2)` in other notations.
pub fn end_in_source(end: &End, is_in_lines: bool) -> String {
    if is_in_lines { lines::end_text(end) } else { tuple(end).to_string() }
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
                    let expected = PLAN_PREDICATES.iter().chain(&PREDICATES).find(|(name, _)| *name == known);
                    let expected = expected.map_or("", |(_, expected)| expected);
                    let arguments = base::words::count(terms.len(), "argument", "arguments");
                    self.error(format!("{known} has {arguments}; expected {expected}"), &[fact], "");
                }
            }
        }
        self.set_kinds(kinds);
    }

    /// Sets the kinds of the forks. Reports forks without one, and levers with the name of another
    /// colour.
    fn set_kinds(&mut self, kinds: BTreeMap<Term, (ForkKind, &'a Fact)>) {
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
