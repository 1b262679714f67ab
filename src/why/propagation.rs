//! What follows at once: unit propagation over a ground program, sound for all of its answer sets.
//!
//! A person who solves a puzzle looks at one reason at a time, so a search for small reasons tries many sets of few
//! assumptions: thousands each second, where a call of the solver takes a millisecond. For that a propagator suffices that
//! takes assumptions, tells what they imply, and takes them back. It is the one of smodels and clasp (Gebser, Kaufmann and Schaub,
//! "Conflict-driven answer set solving: from theory to practice", 2012) without learning:
//!
//! ```text
//!   a :- b, not c.        every body is a variable of its own, true if and only if its literals reach its bound
//!   a :- 2 { d; e; f }.   true bodies make their heads true (choices do not)
//!                         an atom is false once all bodies that support it are, and needs the last one that is not
//!   x :- y.  y :- x.      atoms that only support each other are false: each atom of a cycle has a source, a body
//!                         that holds without the atom, and what finds none is unfounded
//! ```
//!
//! What it misses is what needs a case distinction. Heads of disjunctions support each of their atoms, which is sound and not all.
//!
//! Every implied literal remembers why, so that a conflict tells the assumptions that it needs. Among several reasons the earliest
//! is taken: propagation goes breadth first, hence explanations are short, though not shortest.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::asp::{Ground, GroundRule, Truth};

/// A ground program under assumptions. A literal is an atom's number, or its negative; atoms that the program does not have
/// are false.
pub struct Propagation {
    /// The program's atoms are the variables 1 to `atoms`; then comes one that is true, then the bodies.
    atoms: i32,
    bodies: Vec<Body>,
    /// By literal: the bodies that have it, and its weight there.
    occurrences: Vec<Vec<(u32, i64)>>,
    /// By literal: the atoms that are true where it is, as it is all of the body of a rule.
    forced: Vec<Vec<i32>>,
    /// By literal: the atoms that it supports.
    supported: Vec<Vec<i32>>,
    /// By literal: the disjunctions that it makes true.
    disjoined: Vec<Vec<u32>>,
    /// By atom: the literals that support it.
    supports: Vec<Vec<i32>>,
    /// By atom: the literals that make it true.
    forcing: Vec<Vec<i32>>,
    /// By atom: the disjunctions that it is in.
    alternatives: Vec<Vec<u32>>,
    /// Bodies and heads of rules with several heads.
    disjunctions: Vec<(i32, Vec<i32>)>,
    /// By atom: the cycle through positive bodies that it is in, 0 for none.
    cycles: Vec<u32>,

    values: Vec<i8>,
    reasons: Vec<Reason>,
    positions: Vec<u32>,
    trail: Vec<i32>,
    propagated: usize,
    levels: Vec<Level>,
    conflict: Option<(i32, Reason)>,
    /// By atom: how many literals may still support it.
    open: Vec<u32>,
    /// By atom in a cycle: a literal that founds it, 0 for none.
    sources: Vec<i32>,
    /// Atoms whose source is to be looked at, and whether it is lost for sure.
    unsure: Vec<(i32, bool)>,
    loops: Vec<i32>,
}

/// True if and only if the weights of its true literals reach the bound.
struct Body {
    /// The heaviest first.
    items: Vec<(i32, i64)>,
    bound: i64,
    total: i64,
    /// What true literals weigh, and what those weigh that are not false.
    sure: i64,
    most: i64,
    is_conjunction: bool,
    /// All heavier literals have the value that the body implies for them; the largest number where that is not known.
    scanned: i64,
    /// It is a sum in which an atom counts that it supports itself.
    is_recursive_sum: bool,
}

/// What there was before some assumptions.
#[derive(Clone, Copy)]
struct Level {
    trail: usize,
    loops: usize,
    conflict: Option<(i32, Reason)>,
}

#[derive(Clone, Copy)]
enum Reason {
    Assumed,
    /// A body and its literals.
    Body(u32),
    /// One other literal.
    Literal(i32),
    /// An atom and those that support it.
    Support(i32),
    Disjunction(u32),
    /// No source is left: where the list of false literals stands, and how long it is.
    Unfounded(u32, u32),
}

/// Propagation has met what cannot be; [`Propagation::causes`] tells why.
struct Conflict;

/// Bodies that are known, by their weights and bound, with the literal of each.
type Bodies = FxHashMap<(Vec<(i32, i64)>, i64), i32>;

impl Propagation {
    pub fn new(ground: &Ground) -> Self {
        // Who gives external atoms their value may give them any.
        let given = ground.externals.iter().filter(|(_, value)| **value != Truth::False).map(|(&atom, _)| atom);
        let given = GroundRule { is_choice: true, head: given.collect(), body: Vec::new(), bound: None };
        let rules: Vec<&GroundRule> = ground.rules.iter().chain([&given]).collect();
        let atoms = ground.last_atom() as i32;
        let mut made = Propagation {
            atoms,
            bodies: Vec::new(),
            occurrences: Vec::new(),
            forced: Vec::new(),
            supported: Vec::new(),
            disjoined: Vec::new(),
            supports: vec![Vec::new(); atoms as usize + 1],
            forcing: vec![Vec::new(); atoms as usize + 1],
            alternatives: vec![Vec::new(); atoms as usize + 1],
            disjunctions: Vec::new(),
            cycles: vec![0; atoms as usize + 1],
            values: Vec::new(),
            reasons: Vec::new(),
            positions: Vec::new(),
            trail: Vec::new(),
            propagated: 0,
            levels: Vec::new(),
            conflict: None,
            open: Vec::new(),
            sources: vec![0; atoms as usize + 1],
            unsure: Vec::new(),
            loops: Vec::new(),
        };
        let mut known = FxHashMap::default();
        let bodies: Vec<i32> = rules.iter().map(|rule| made.body(&rule.body, rule.wanted(), &mut known)).collect();
        made.index(&rules, &bodies);
        made.find_cycles();
        let impossible = rules.iter().zip(&bodies).filter(|(rule, _)| rule.head.is_empty() && !rule.is_choice);
        let _ = made.begin(impossible.map(|(_, &body)| -body).collect());
        made
    }

    /// The literal that stands for a body.
    fn body(&mut self, items: &[(i32, i32)], bound: i64, known: &mut Bodies) -> i32 {
        let mut bound = bound;
        let mut items: Vec<(i32, i64)> = items
            .iter()
            .filter(|(_, weight)| *weight != 0)
            .map(|&(literal, weight)| match i64::from(weight) {
                // The literal counts for less: its contrary counts for more.
                weight @ ..0 => {
                    bound -= weight;
                    (-literal, -weight)
                }
                weight => (literal, weight),
            })
            .collect();
        items.sort_unstable_by_key(|&(literal, weight)| (-weight, literal));
        let total: i64 = items.iter().map(|(_, weight)| weight).sum();
        let truth = self.atoms + 1;
        match &items[..] {
            _ if bound <= 0 => truth,
            _ if total < bound => -truth,
            &[(literal, _)] => literal,
            _ => *known.entry((items, bound)).or_insert_with_key(|(items, bound)| {
                let is_conjunction = items.iter().all(|(_, weight)| total - weight < *bound);
                self.bodies.push(Body {
                    items: items.clone(),
                    bound: *bound,
                    total,
                    sure: 0,
                    most: total,
                    is_conjunction,
                    scanned: i64::MAX,
                    is_recursive_sum: false,
                });
                truth + self.bodies.len() as i32
            }),
        }
    }

    fn index(&mut self, rules: &[&GroundRule], bodies: &[i32]) {
        let variables = self.atoms as usize + 2 + self.bodies.len();
        self.values = vec![0; variables];
        self.reasons = vec![Reason::Assumed; variables];
        self.positions = vec![0; variables];
        self.occurrences = vec![Vec::new(); 2 * variables];
        self.forced = vec![Vec::new(); 2 * variables];
        self.supported = vec![Vec::new(); 2 * variables];
        self.disjoined = vec![Vec::new(); 2 * variables];
        for (number, body) in self.bodies.iter().enumerate() {
            for &(literal, weight) in &body.items {
                self.occurrences[index_of(literal)].push((number as u32, weight));
            }
        }
        for (rule, &body) in rules.iter().zip(bodies) {
            for &atom in &rule.head {
                self.supports[atom as usize].push(body);
            }
            match &rule.head[..] {
                _ if rule.is_choice => {}
                [] => {}
                &[atom] => self.forcing[atom as usize].push(body),
                several => {
                    let number = self.disjunctions.len() as u32;
                    let heads: Vec<i32> = several.iter().map(|&atom| atom as i32).collect();
                    heads.iter().for_each(|&atom| self.alternatives[atom as usize].push(number));
                    self.disjoined[index_of(body)].push(number);
                    self.disjunctions.push((body, heads));
                }
            }
        }
        for atom in 1..=self.atoms {
            for (list, by_literal) in [(&mut self.supports, &mut self.supported), (&mut self.forcing, &mut self.forced)]
            {
                let list = &mut list[atom as usize];
                list.sort_unstable();
                list.dedup();
                list.iter().for_each(|&body| by_literal[index_of(body)].push(atom));
            }
        }
        self.open = self.supports.iter().map(|supports| supports.len() as u32).collect();
    }

    fn find_cycles(&mut self) {
        let mut edges = Vec::new();
        for atom in 1..=self.atoms {
            for &support in &self.supports[atom as usize] {
                self.positive_in(support, |other| edges.push((other as u32, atom as u32)));
            }
        }
        let graph = DiGraph::<(), ()>::from_edges(edges);
        let mut number = 0;
        for component in kosaraju_scc(&graph) {
            if component.len() > 1 || graph.contains_edge(component[0], component[0]) {
                number += 1;
                for atom in component {
                    self.cycles[atom.index()] = number;
                    self.unsure.push((atom.index() as i32, true));
                }
            }
        }
        for body in 0..self.bodies.len() {
            let literal = self.atoms + 2 + body as i32;
            let mut is_recursive = false;
            self.positive_in(literal, |other| {
                let cycle = self.cycles[other as usize];
                let mut heads = self.supported[index_of(literal)].iter();
                is_recursive |= cycle > 0 && heads.any(|&head| self.cycles[head as usize] == cycle);
            });
            self.bodies[body].is_recursive_sum = is_recursive && !self.bodies[body].is_conjunction;
        }
    }

    /// The atoms that a body has as positive literals.
    fn positive_in(&self, literal: i32, mut found: impl FnMut(i32)) {
        match self.number_of(literal) {
            Some(body) => {
                self.bodies[body].items.iter().filter(|(item, _)| *item > 0).for_each(|&(item, _)| found(item));
            }
            None if (1..=self.atoms).contains(&literal) => found(literal),
            None => {}
        }
    }

    /// The body that a literal stands for.
    fn number_of(&self, literal: i32) -> Option<usize> {
        (literal.unsigned_abs() as usize).checked_sub(self.atoms as usize + 2)
    }

    /// What holds without assumptions.
    fn begin(&mut self, literals: Vec<i32>) -> Result<(), Conflict> {
        self.imply(self.atoms + 1, Reason::Assumed)?;
        literals.into_iter().try_for_each(|literal| self.imply(literal, Reason::Assumed))?;
        (0..self.bodies.len()).try_for_each(|body| self.check_body(body as u32))?;
        (1..=self.atoms).try_for_each(|atom| self.check_support(atom))?;
        self.propagate()
    }

    /// Assumes literals, all at once, and tells whether they may hold together as far as one sees. Each call makes a level.
    pub fn assume(&mut self, literals: &[i32]) -> bool {
        self.levels.push(Level { trail: self.trail.len(), loops: self.loops.len(), conflict: self.conflict });
        if self.conflict.is_some() {
            return false;
        }
        let assumed = literals.iter().try_for_each(|&literal| {
            // The literal, or one that is false for an atom that the program does not have.
            let known = self.known(literal);
            self.imply(known, Reason::Assumed).inspect_err(|_| self.conflict = Some((literal, Reason::Assumed)))
        });
        assumed.and_then(|()| self.propagate()).is_ok()
    }

    /// Takes the last level back.
    pub fn undo(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        self.conflict = level.conflict;
        while self.trail.len() > level.trail {
            let literal = self.trail.pop().expect("it is longer");
            if self.propagated > self.trail.len() {
                self.propagated -= 1;
                // Only what has come to hold has had bodies looked through.
                for &(body, weight) in &self.occurrences[index_of(literal)] {
                    let body = &mut self.bodies[body as usize];
                    (body.sure, body.scanned) = (body.sure - weight, i64::MAX);
                }
                for &(body, weight) in &self.occurrences[index_of(-literal)] {
                    let body = &mut self.bodies[body as usize];
                    (body.most, body.scanned) = (body.most + weight, i64::MAX);
                }
                if let Some(body) = self.number_of(literal) {
                    self.bodies[body].scanned = i64::MAX;
                }
                for &atom in &self.supported[index_of(-literal)] {
                    self.open[atom as usize] += 1;
                }
            }
            self.values[literal.unsigned_abs() as usize] = 0;
            if literal < 0 && -literal <= self.atoms {
                let atom = -literal;
                if self.cycles[atom as usize] > 0 && self.sources[atom as usize] == 0 {
                    self.unsure.push((atom, true));
                }
            }
        }
        self.loops.truncate(level.loops);
    }

    /// Whether a literal is known to hold, or not to.
    pub fn value(&self, literal: i32) -> Option<bool> {
        let literal = self.known(literal);
        match self.values[literal.unsigned_abs() as usize] * literal.signum() as i8 {
            0 => None,
            value => Some(value > 0),
        }
    }

    /// What the last assumptions imply, they themselves among it, in the order in which it was found: atoms, or their
    /// negatives.
    pub fn implied(&self) -> impl Iterator<Item = i32> + '_ {
        let since = self.levels.last().map_or(0, |level| level.trail);
        self.trail[since..].iter().copied().filter(|literal| literal.abs() <= self.atoms)
    }

    /// The variables that the last assumptions have given a value, those of bodies among them.
    pub fn given(&self) -> impl Iterator<Item = u32> + '_ {
        let since = self.levels.last().map_or(0, |level| level.trail);
        self.trail[since..].iter().map(|literal| literal.unsigned_abs())
    }

    /// All variables that have a value.
    pub fn all(&self) -> impl Iterator<Item = u32> + '_ {
        self.trail.iter().map(|literal| literal.unsigned_abs())
    }

    /// One more than the greatest of its variables.
    pub fn variables(&self) -> usize {
        self.values.len()
    }

    /// Calls `found` with what is beside some variables: all that one of the inferences has in which they take part. What some
    /// assumptions imply remains the same as long as nothing beside it is given a value.
    pub fn beside(&self, variables: impl Iterator<Item = u32>, mut found: impl FnMut(u32)) {
        let (mut bodies, mut atoms) = (FxHashSet::default(), FxHashSet::default());
        let (mut disjunctions, mut cycles) = (FxHashSet::<u32>::default(), FxHashSet::default());
        for variable in variables {
            let literal = variable as i32;
            for sign in [index_of(literal), index_of(-literal)] {
                bodies.extend(self.occurrences[sign].iter().map(|(body, _)| *body as usize));
                atoms.extend(&self.supported[sign]);
                disjunctions.extend(&self.disjoined[sign]);
            }
            match self.number_of(literal) {
                Some(body) => drop(bodies.insert(body)),
                None if literal <= self.atoms => {
                    atoms.insert(literal);
                    disjunctions.extend(&self.alternatives[literal as usize]);
                }
                None => {}
            }
        }
        for &body in &bodies {
            let own = self.atoms + 2 + body as i32;
            found(own as u32);
            self.bodies[body].items.iter().for_each(|(item, _)| found(item.unsigned_abs()));
            cycles.extend(self.supported[index_of(own)].iter().map(|&atom| self.cycles[atom as usize]));
        }
        cycles.extend(atoms.iter().map(|&atom| self.cycles[atom as usize]));
        for &number in &disjunctions {
            let (body, heads) = &self.disjunctions[number as usize];
            heads.iter().chain([body]).for_each(|literal| found(literal.unsigned_abs()));
        }
        cycles.remove(&0);
        if !cycles.is_empty() {
            atoms.extend((1..=self.atoms).filter(|&atom| cycles.contains(&self.cycles[atom as usize])));
        }
        for atom in atoms {
            found(atom as u32);
            for &support in &self.supports[atom as usize] {
                found(support.unsigned_abs());
                let body = self.number_of(support).filter(|_| self.cycles[atom as usize] > 0);
                let items = body.into_iter().flat_map(|body| &self.bodies[body].items);
                items.for_each(|(item, _)| found(item.unsigned_abs()));
            }
        }
    }

    /// The assumptions that the conflict needs, of all levels; without one, none.
    pub fn causes(&self) -> Vec<i32> {
        let Some((literal, reason)) = self.conflict else { return Vec::new() };
        if self.levels.first().is_none_or(|level| level.conflict.is_some()) {
            return Vec::new();
        }
        if let Reason::Assumed = reason {
            let mut causes = self.causes_of(-literal);
            causes.push(literal);
            return causes;
        }
        let mut because = vec![-literal];
        self.antecedents(literal, reason, self.trail.len() as u32, &mut because);
        self.assumptions_behind(because)
    }

    /// The assumptions that a literal follows from which holds.
    pub fn causes_of(&self, literal: i32) -> Vec<i32> {
        self.assumptions_behind(vec![self.known(literal)])
    }

    fn assumptions_behind(&self, mut literals: Vec<i32>) -> Vec<i32> {
        let without = self.levels.first().map_or(self.trail.len(), |level| level.trail) as u32;
        let mut is_seen = vec![false; self.values.len()];
        let mut assumed = Vec::new();
        let mut because = Vec::new();
        while let Some(literal) = literals.pop() {
            let variable = literal.unsigned_abs() as usize;
            let position = self.positions[variable];
            if position < without || std::mem::replace(&mut is_seen[variable], true) {
                continue;
            }
            match self.reasons[variable] {
                Reason::Assumed => assumed.push(literal),
                reason => {
                    self.antecedents(literal, reason, position, &mut because);
                    literals.append(&mut because);
                }
            }
        }
        assumed
    }

    /// Literals that held before `position` and from which `literal` follows.
    fn antecedents(&self, literal: i32, reason: Reason, position: u32, found: &mut Vec<i32>) {
        let holds = |literal: i32| self.is_true(literal) && self.positions[literal.unsigned_abs() as usize] < position;
        match reason {
            Reason::Assumed => {}
            Reason::Literal(other) => found.push(other),
            Reason::Unfounded(from, length) => {
                found.extend_from_slice(&self.loops[from as usize..][..length as usize]);
            }
            Reason::Support(atom) => {
                if literal > 0 || literal != -atom {
                    found.push(atom);
                }
                let others = self.supports[atom as usize].iter().filter(|&&support| support != literal);
                found.extend(others.map(|support| -support));
            }
            Reason::Disjunction(number) => {
                let (body, heads) = &self.disjunctions[number as usize];
                found.extend(
                    [*body]
                        .into_iter()
                        .chain(heads.iter().map(|head| -head))
                        .filter(|&other| other != -literal && other != literal),
                );
            }
            Reason::Body(number) => {
                let body = &self.bodies[number as usize];
                let own = self.atoms + 2 + number as i32;
                let weight_of = |literal: i32| {
                    body.items.iter().find(|(item, _)| *item == literal).map_or(0, |(_, weight)| *weight)
                };
                // Which literals count, and what they have to weigh.
                let (sign, wanted) = if literal == own {
                    (1, body.bound)
                } else if literal == -own {
                    (-1, body.total - body.bound + 1)
                } else if holds(own) {
                    found.push(own);
                    (-1, body.total - weight_of(literal) - body.bound + 1)
                } else {
                    found.push(-own);
                    (1, body.bound - weight_of(-literal))
                };
                let mut counting: Vec<(u32, i32, i64)> = body
                    .items
                    .iter()
                    .filter(|(item, _)| item.abs() != literal.abs() && holds(sign * item))
                    .map(|&(item, weight)| (self.positions[item.unsigned_abs() as usize], sign * item, weight))
                    .collect();
                counting.sort_unstable();
                let mut weight = 0;
                for (_, item, more) in counting {
                    if weight >= wanted {
                        break;
                    }
                    weight += more;
                    found.push(item);
                }
            }
        }
    }

    /// The literal itself, or one that is false for an atom that the program does not have.
    fn known(&self, literal: i32) -> i32 {
        if literal.abs() <= self.atoms { literal } else { -literal.signum() * (self.atoms + 1) }
    }

    fn is_true(&self, literal: i32) -> bool {
        self.values[literal.unsigned_abs() as usize] == literal.signum() as i8
    }

    fn is_false(&self, literal: i32) -> bool {
        self.is_true(-literal)
    }

    fn imply(&mut self, literal: i32, reason: Reason) -> Result<(), Conflict> {
        if self.is_true(literal) {
            return Ok(());
        }
        if self.is_false(literal) {
            self.conflict = Some((literal, reason));
            return Err(Conflict);
        }
        let variable = literal.unsigned_abs() as usize;
        self.values[variable] = literal.signum() as i8;
        self.reasons[variable] = reason;
        self.positions[variable] = self.trail.len() as u32;
        self.trail.push(literal);
        Ok(())
    }

    fn propagate(&mut self) -> Result<(), Conflict> {
        loop {
            while self.propagated < self.trail.len() {
                let literal = self.trail[self.propagated];
                self.propagated += 1;
                self.count(literal);
                self.follow(literal)?;
            }
            if !self.falsify_unfounded()? {
                return Ok(());
            }
        }
    }

    /// Notes in all counters that a literal holds.
    fn count(&mut self, literal: i32) {
        for &(body, weight) in &self.occurrences[index_of(literal)] {
            self.bodies[body as usize].sure += weight;
        }
        for &(number, weight) in &self.occurrences[index_of(-literal)] {
            let body = &mut self.bodies[number as usize];
            body.most -= weight;
            if body.is_recursive_sum {
                let own = self.atoms + 2 + number as i32;
                let heads = self.supported[index_of(own)].iter().filter(|&&head| self.sources[head as usize] == own);
                self.unsure.extend(heads.map(|&head| (head, true)));
            }
        }
        for &atom in &self.supported[index_of(-literal)] {
            self.open[atom as usize] -= 1;
            if self.sources[atom as usize] == -literal {
                self.unsure.push((atom, false));
            }
        }
    }

    /// Implies what follows from a literal that has come to hold.
    fn follow(&mut self, literal: i32) -> Result<(), Conflict> {
        for sign in [literal, -literal] {
            for at in 0..self.occurrences[index_of(sign)].len() {
                self.check_body(self.occurrences[index_of(sign)][at].0)?;
            }
        }
        if let Some(body) = self.number_of(literal) {
            self.check_body(body as u32)?;
        }
        for at in 0..self.forced[index_of(literal)].len() {
            self.imply(self.forced[index_of(literal)][at], Reason::Literal(literal))?;
        }
        for at in 0..self.disjoined[index_of(literal)].len() {
            self.check_disjunction(self.disjoined[index_of(literal)][at])?;
        }
        for at in 0..self.supported[index_of(-literal)].len() {
            self.check_support(self.supported[index_of(-literal)][at])?;
        }
        let atom = literal.abs();
        if atom > self.atoms {
            return Ok(());
        }
        if literal > 0 {
            return self.check_support(atom);
        }
        for at in 0..self.forcing[atom as usize].len() {
            self.imply(-self.forcing[atom as usize][at], Reason::Literal(literal))?;
        }
        for at in 0..self.alternatives[atom as usize].len() {
            self.check_disjunction(self.alternatives[atom as usize][at])?;
        }
        Ok(())
    }

    fn check_body(&mut self, number: u32) -> Result<(), Conflict> {
        let own = self.atoms + 2 + number as i32;
        let reason = Reason::Body(number);
        let body = &self.bodies[number as usize];
        if body.sure >= body.bound {
            return self.imply(own, reason);
        }
        if body.most < body.bound {
            return self.imply(-own, reason);
        }
        let (slack, sign) = match self.values[own as usize] {
            0 => return Ok(()),
            // A literal is needed without which the bound is out of reach, and must not hold if it reaches the bound.
            1.. => (body.most - body.bound, 1),
            _ => (body.bound - body.sure - 1, -1),
        };
        if body.scanned <= slack {
            return Ok(());
        }
        for at in 0..self.bodies[number as usize].items.len() {
            let (literal, weight) = self.bodies[number as usize].items[at];
            if weight <= slack {
                break;
            }
            if self.values[literal.unsigned_abs() as usize] == 0 {
                self.imply(sign * literal, reason)?;
            }
        }
        self.bodies[number as usize].scanned = slack;
        Ok(())
    }

    fn check_support(&mut self, atom: i32) -> Result<(), Conflict> {
        match self.open[atom as usize] {
            0 => self.imply(-atom, Reason::Support(atom)),
            1 if self.is_true(atom) => {
                let last = self.supports[atom as usize].iter().find(|&&support| !self.is_false(support));
                last.copied().map_or(Ok(()), |last| self.imply(last, Reason::Support(atom)))
            }
            _ => Ok(()),
        }
    }

    fn check_disjunction(&mut self, number: u32) -> Result<(), Conflict> {
        let (body, heads) = &self.disjunctions[number as usize];
        let literals = || [-body].into_iter().chain(heads.iter().copied());
        if literals().any(|literal| self.is_true(literal)) {
            return Ok(());
        }
        let mut open = literals().filter(|&literal| !self.is_false(literal));
        match (open.next(), open.next()) {
            // All are false: the body must not hold, and does.
            (None, _) => self.imply(-*body, Reason::Disjunction(number)),
            (Some(last), None) => self.imply(last, Reason::Disjunction(number)),
            _ => Ok(()),
        }
    }

    /// Finds atoms of cycles that have no source left, makes them false, and tells whether there were any.
    fn falsify_unfounded(&mut self) -> Result<bool, Conflict> {
        if self.unsure.is_empty() {
            return Ok(false);
        }
        let mut lost = Vec::new();
        let mut losing: Vec<i32> = Vec::new();
        for (atom, is_lost) in std::mem::take(&mut self.unsure) {
            if is_lost || self.is_false(self.sources[atom as usize]) {
                losing.push(atom);
            }
        }
        let mut is_lost = FxHashSet::default();
        while let Some(atom) = losing.pop() {
            if !is_lost.insert(atom) {
                continue;
            }
            self.sources[atom as usize] = 0;
            lost.push(atom);
            self.each_founded_with(atom, |head, body| {
                if self.sources[head as usize] == body {
                    losing.push(head);
                }
            });
        }
        let mut seeking = lost.clone();
        while let Some(atom) = seeking.pop() {
            if self.sources[atom as usize] != 0 || self.is_false(atom) {
                continue;
            }
            let found = self.supports[atom as usize].iter().copied().find(|&support| self.founds(support, atom));
            if let Some(found) = found {
                self.sources[atom as usize] = found;
                self.each_founded_with(atom, |head, _| {
                    if self.sources[head as usize] == 0 {
                        seeking.push(head);
                    }
                });
            }
        }
        lost.retain(|&atom| self.sources[atom as usize] == 0 && !self.is_false(atom));
        for at in 0..lost.len() {
            if self.is_false(lost[at]) {
                continue;
            }
            let (set, because) = self.unfounded_with(lost[at]);
            let reason = Reason::Unfounded(self.loops.len() as u32, because.len() as u32);
            self.loops.extend(because);
            for atom in set {
                if let Err(conflict) = self.imply(-atom, reason) {
                    self.unsure.extend(lost.iter().map(|&atom| (atom, true)));
                    return Err(conflict);
                }
            }
        }
        Ok(!lost.is_empty())
    }

    /// Calls `found` with each atom of the same cycle that has `atom` in a body, and with the body.
    fn each_founded_with(&self, atom: i32, mut found: impl FnMut(i32, i32)) {
        let bodies = self.occurrences[index_of(atom)].iter().map(|&(body, _)| self.atoms + 2 + body as i32);
        for body in bodies.chain([atom]) {
            for &head in &self.supported[index_of(body)] {
                if self.cycles[head as usize] == self.cycles[atom as usize] {
                    found(head, body);
                }
            }
        }
    }

    /// Whether a body may hold without `atom`, and without atoms that have no source.
    fn founds(&self, support: i32, atom: i32) -> bool {
        let cycle = self.cycles[atom as usize];
        let has_no_source = |literal: i32| {
            let is_of_cycle = (1..=self.atoms).contains(&literal) && self.cycles[literal as usize] == cycle;
            is_of_cycle && self.sources[literal as usize] == 0
        };
        let counts = |literal: i32| !self.is_false(literal) && !has_no_source(literal);
        match self.number_of(support) {
            None => counts(support),
            Some(_) if self.is_false(support) => false,
            Some(number) => {
                let body = &self.bodies[number];
                let items = body.items.iter().filter(|&&(literal, _)| counts(literal));
                items.map(|(_, weight)| weight).sum::<i64>() >= body.bound
            }
        }
    }

    /// An unfounded set with `atom` in it, small, and literals that hold and leave it without a source.
    fn unfounded_with(&self, atom: i32) -> (Vec<i32>, Vec<i32>) {
        let cycle = self.cycles[atom as usize];
        let is_unfounded = |literal: i32| {
            literal > 0
                && literal <= self.atoms
                && self.cycles[literal as usize] == cycle
                && self.sources[literal as usize] == 0
                && !self.is_false(literal)
        };
        let mut set = vec![atom];
        let mut is_in = FxHashSet::from_iter([atom]);
        let mut at = 0;
        while at < set.len() {
            for &support in &self.supports[set[at] as usize] {
                if self.is_false(support) {
                    continue;
                }
                let inside: Vec<i32> = match self.number_of(support) {
                    None => vec![support],
                    Some(number) => {
                        let body = &self.bodies[number];
                        let inside = || body.items.iter().map(|&(literal, _)| literal).filter(|&one| is_unfounded(one));
                        match body.is_conjunction {
                            // One that lacks a source is enough.
                            true if inside().any(|literal| is_in.contains(&literal)) => Vec::new(),
                            true => inside().take(1).collect(),
                            false => inside().collect(),
                        }
                    }
                };
                set.extend(inside.into_iter().filter(|&literal| is_in.insert(literal)));
            }
            at += 1;
        }
        let mut because = Vec::new();
        for &support in set.iter().flat_map(|&atom| &self.supports[atom as usize]) {
            let items = match self.number_of(support) {
                None => &[(support, 1)][..],
                Some(number) => &self.bodies[number].items,
            };
            let bound = self.number_of(support).map_or(1, |number| self.bodies[number].bound);
            let outside = || items.iter().filter(|(literal, _)| !is_in.contains(literal));
            if outside().map(|(_, weight)| weight).sum::<i64>() < bound {
                continue;
            }
            if self.is_false(support) {
                because.push(-support);
            } else {
                because.extend(outside().filter(|&&(literal, _)| self.is_false(literal)).map(|&(literal, _)| -literal));
            }
        }
        because.sort_unstable();
        because.dedup();
        (set, because)
    }
}

fn index_of(literal: i32) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}
