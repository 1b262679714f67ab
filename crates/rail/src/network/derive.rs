//! Derives the network that follows from a plan, as `asp/rail/plan.lp` does.

use std::collections::BTreeSet;
use std::sync::Arc;

use asp::Term;
use base::diagnostic::{Code, Diagnostic, Failure};

use super::fact::{Fact, fact};
use super::facts::Facts;
use super::plan::{CIRCLE, End, Fork, ForkKind, Plan, end, name, tuple};
use super::plan_reader::end_in_source;

impl Facts {
    /// Returns the facts of the network. If `self` has the facts of a plan, derives them.
    pub fn into_network(self) -> Result<Facts, Failure> {
        if !describes_plan(&self.facts) {
            return Ok(self);
        }
        let plan = Plan::read(&self)?;
        let derived = network_facts(&plan, &self)?;
        let origin = |(fact, from): &(Fact, Option<Fact>)| Some((fact.text.clone(), from.as_ref()?.text.clone()));
        let origins = derived.iter().filter_map(origin).collect();
        let facts: BTreeSet<Fact> = derived.into_iter().map(|(fact, _)| fact).collect();
        Ok(Facts { facts: facts.into_iter().collect(), plan: Some(Arc::new(plan)), origins, ..self })
    }
}

fn describes_plan(facts: &[Fact]) -> bool {
    let has = |name: &str, arity: usize| facts.iter().any(|fact| fact.name == name && fact.terms.len() == arity);
    has("track", 2) && !has("rel", 3)
}

/// Returns the facts of the network, each with the fact of the plan from which it follows.
fn network_facts(plan: &Plan, facts: &Facts) -> Result<Vec<(Fact, Option<Fact>)>, Failure> {
    let shared = ["target", "sets", "fixed", "own", "lever"];
    let shared = plan.facts.iter().filter(|fact| shared.contains(&fact.name.as_str()));
    let with_levers = plan.forks.iter().filter(|(fork, details)| details.lever(fork).is_some());
    let mut network = DerivedNetwork {
        plan,
        facts,
        derived: shared.map(|fact| (fact.clone(), None)).collect(),
        states: with_levers.map(|(_, fork)| fork.branches).max().unwrap_or(1),
        loop_end: None,
    };
    network.derive_starts()?;
    for place in &plan.places {
        network.emit("final_node", std::slice::from_ref(place), None);
    }
    for (fork, details) in &plan.forks {
        if let Some(color) = details.lever(fork) {
            network.derive_fork(fork, details, color);
        }
    }
    for gate in &plan.gates {
        for side in plan.ends(gate) {
            let (node, out) = (plan.node_name(&side), plan.exit(&side));
            network.emit("gate", &[gate.clone(), node.clone()], None);
            let to = network.destination(&out);
            network.emit_for_all_states(&node, &to, &out);
        }
    }
    for (node, (thing, _)) in plan.nodes() {
        if let Some(&(x, y)) = plan.positions.get(&thing) {
            network.emit("position", &[node, Term::Number(x), Term::Number(y)], None);
        }
    }
    network.derive_circle()?;
    Ok(network.derived)
}

/// The facts of the network derived so far.
struct DerivedNetwork<'a> {
    plan: &'a Plan,
    /// The facts of the plan.
    facts: &'a Facts,
    derived: Vec<(Fact, Option<Fact>)>,
    /// The largest number of states of a lever.
    states: i32,
    /// An end from which a train comes into a dead loop.
    loop_end: Option<End>,
}

impl DerivedNetwork<'_> {
    /// Adds a fact. `from` is the end from whose track it follows.
    fn emit(&mut self, name: &str, terms: &[Term], from: Option<&End>) {
        self.derived.push((fact(name, terms), from.map(|from| self.plan.tracks[from].clone())));
    }

    fn emit_for_all_states(&mut self, node: &Term, to: &Term, from: &End) {
        for state in 1..=self.states {
            self.emit("rel", &[node.clone(), Term::Number(state), to.clone()], Some(from));
        }
    }

    /// Returns the node to which a train comes that leaves at the end `from`.
    fn destination(&mut self, from: &End) -> Term {
        let (_, node) = self.plan.follow(from);
        if node.is_none() {
            self.loop_end = Some(from.clone());
        }
        node.unwrap_or_else(|| name(CIRCLE))
    }

    fn error_at(&self, from: &End, text: String) -> Failure {
        Diagnostic::error(Code::InvalidInstance, text).at(self.facts.place(&self.plan.tracks[from])).into()
    }

    fn derive_starts(&mut self) -> Result<(), Failure> {
        for start in &self.plan.starts {
            let from = end(start, "end");
            let node = self.destination(&from);
            if self.plan.places.contains(&node) {
                let text = format!("the train from {start} comes to {node} without meeting a fork or a gate");
                return Err(self.error_at(&from, text));
            }
            self.emit("start", &[node], Some(&from));
        }
        Ok(())
    }

    /// Derives a fork with a lever. Trains that pass a lazy or flip fork set its lever, as at a
    /// gate on each branch.
    fn derive_fork(&mut self, fork: &Term, details: &Fork, color: &Term) {
        let has_gates = matches!(details.kind, ForkKind::Lazy | ForkKind::Flip);
        self.emit("color", &[fork.clone(), color.clone()], None);
        if has_gates {
            self.emit("own", std::slice::from_ref(color), None);
        }
        for branch in 1..=details.branches {
            let out = (fork.clone(), Term::Number(branch));
            let (mut to, gate) = (self.destination(&out), self.plan.node_name(&out));
            if has_gates {
                let next = if details.kind == ForkKind::Lazy { branch } else { branch % details.branches + 1 };
                self.emit("gate", &[tuple(&out), gate.clone()], None);
                self.emit("sets", &[tuple(&out), fork.clone(), Term::Number(next)], None);
            }
            if details.kind == ForkKind::Lazy {
                let stem = end(fork, "stem");
                let destination = self.destination(&stem);
                self.emit_for_all_states(&gate, &destination, &stem);
            } else if details.kind == ForkKind::Flip {
                self.emit_for_all_states(&gate, &to, &out);
                to = gate;
            }
            self.emit("rel", &[fork.clone(), Term::Number(branch), to], Some(&out));
        }
    }

    /// Derives the node [`CIRCLE`] if the plan has a dead loop.
    fn derive_circle(&mut self) -> Result<(), Failure> {
        let Some(from) = self.loop_end.clone() else { return Ok(()) };
        let forks = &self.plan.forks;
        let circle = name(CIRCLE);
        let color = forks.iter().filter_map(|(fork, details)| details.lever(fork)).min();
        let Some(color) = color else {
            return Err(self.dead_loop(&from, "and without a lever in the plan no network can express that"));
        };
        let mut nodes = self.derived.iter().filter_map(|(fact, _)| match (fact.name.as_str(), &fact.terms[..]) {
            ("final_node" | "color", [node, ..]) | ("gate", [_, node]) => Some(node),
            _ => None,
        });
        if nodes.any(|node| *node == circle) {
            return Err(self.dead_loop(&from, "at the node circle, but the plan uses this name for something else"));
        }
        let fork = forks.iter().find(|(fork, details)| details.lever(fork) == Some(color));
        self.emit("color", &[circle.clone(), color.clone()], None);
        for state in 1..=fork.map_or(0, |(_, fork)| fork.branches) {
            self.emit("rel", &[circle.clone(), Term::Number(state), circle.clone()], None);
        }
        Ok(())
    }

    fn dead_loop(&self, from: &End, problem: &str) -> Failure {
        let end = end_in_source(from, self.facts.is_from_lines(&self.plan.tracks[from]));
        self.error_at(from, format!("a train from {end} meets nothing for ever, {problem}"))
    }
}
