//! Sources of atoms that may depend on themselves, and unfounded sets among those that lose theirs.

use rustc_hash::FxHashSet;

use super::completion::{Completion, Support};
use super::refute::literal_of;
use crate::asp::{Ground, GroundRule};

/// An unfounded set, the literals that join its clause, and the false literals of the clause but for an atom of the set.
#[derive(Debug, Clone)]
pub struct Lost {
    pub atoms: Vec<u32>,
    pub besides: Vec<i32>,
    pub clause: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// A rule as one that founds an atom of a component.
struct Way {
    head: u32,
    rule: Option<usize>,
    /// It can found the atom as long as this literal is not false.
    literal: u32,
    /// Atoms of the body in the same component.
    inner: Vec<u32>,
    is_sum: bool,
}

/// Atoms of components are numbered anew, from 0.
pub struct Sources {
    supports: Vec<Vec<Support>>,
    /// By number: the atom; by atom: its number.
    atoms: Vec<u32>,
    numbers: Vec<u32>,
    ways: Vec<Way>,
    /// By number of the atom: the ways that found it, and those that need it.
    founding: Vec<Vec<u32>>,
    needing: Vec<Vec<u32>>,
    /// By literal: ways to look at when it becomes false.
    hurt: Vec<Vec<u32>>,
    sources: Vec<u32>,
    /// Atoms without a source that are to be looked at, and whether each is among them.
    open: Vec<u32>,
    is_open: Vec<bool>,
    heard: usize,
}

impl Sources {
    pub fn new(ground: &Ground, completion: &Completion) -> Self {
        let last = completion.always as usize;
        let mut supports = vec![Vec::new(); last];
        completion.supports.iter().for_each(|(&atom, list)| supports[atom as usize] = list.clone());
        let component = components(ground, last);
        let mut atoms = Vec::new();
        let mut numbers = vec![NONE; last];
        for atom in 1..last {
            if component[atom] != NONE {
                numbers[atom] = atoms.len() as u32;
                atoms.push(atom as u32);
            }
        }
        let mut sources = Sources {
            supports,
            ways: Vec::new(),
            founding: vec![Vec::new(); atoms.len()],
            needing: vec![Vec::new(); atoms.len()],
            hurt: vec![Vec::new(); completion.variables as usize * 2 + 2],
            sources: vec![NONE; atoms.len()],
            open: (0..atoms.len() as u32).collect(),
            is_open: vec![true; atoms.len()],
            atoms,
            numbers,
            heard: 0,
        };
        for head in 0..sources.atoms.len() as u32 {
            let atom = sources.atoms[head as usize];
            for support in sources.supports[atom as usize].clone() {
                let is_near = |other: &u32| component[*other as usize] == component[atom as usize];
                let Some(rule) = support.rule.map(|rule| &ground.rules[rule]) else {
                    sources.add(
                        Way {
                            head,
                            rule: None,
                            literal: literal_of(support.literal),
                            inner: Vec::new(),
                            is_sum: false,
                        },
                        &[],
                    );
                    continue;
                };
                let mut inner: Vec<u32> = rule
                    .body
                    .iter()
                    .filter(|(literal, _)| *literal > 0)
                    .map(|(literal, _)| *literal as u32)
                    .filter(is_near)
                    .collect();
                inner.sort_unstable();
                inner.dedup();
                let inner: Vec<u32> = inner.into_iter().map(|atom| sources.numbers[atom as usize]).collect();
                // A disjunction may found several atoms that found each other.
                let is_shared = !rule.is_choice && rule.head.iter().any(|other| *other != atom && is_near(other));
                let literal = literal_of(if is_shared { support.body } else { support.literal });
                let is_sum = rule.bound.is_some() && !inner.is_empty();
                let hurting: Vec<u32> = match is_sum {
                    true => rule.body.iter().map(|&(literal, _)| literal_of(literal)).collect(),
                    false => Vec::new(),
                };
                sources.add(Way { head, rule: support.rule, literal, inner, is_sum }, &hurting);
            }
        }
        sources
    }

    /// There are more variables by now.
    pub fn grow(&mut self, variables: usize) {
        self.hurt.resize(variables * 2, Vec::new());
    }

    fn add(&mut self, way: Way, hurting: &[u32]) {
        let number = self.ways.len() as u32;
        self.founding[way.head as usize].push(number);
        way.inner.iter().for_each(|&atom| self.needing[atom as usize].push(number));
        [way.literal].iter().chain(hurting).for_each(|&literal| self.hurt[literal as usize].push(number));
        self.ways.push(way);
    }

    /// A variable is open again.
    pub fn opened(&mut self, variable: u32) {
        let Some(&number) = self.numbers.get(variable as usize).filter(|number| **number != NONE) else { return };
        if self.sources[number as usize] == NONE {
            self.look_at(number);
        }
    }

    /// The trail was cut to this length.
    pub fn heard(&mut self, length: usize) {
        self.heard = self.heard.min(length);
    }

    fn look_at(&mut self, number: u32) {
        if !std::mem::replace(&mut self.is_open[number as usize], true) {
            self.open.push(number);
        }
    }

    fn is_false(&self, number: u32, values: &[i8]) -> bool {
        values[self.atoms[number as usize] as usize * 2] < 0
    }

    /// An unfounded set whose atoms are not all false, once units are propagated.
    pub fn unfounded(&mut self, ground: &Ground, trail: &[u32], values: &[i8]) -> Option<Lost> {
        if self.atoms.is_empty() {
            return None;
        }
        self.lose(trail);
        self.find(ground, values);
        // What is false needs no source until it is open again.
        let first = loop {
            let &number = self.open.last()?;
            if self.sources[number as usize] == NONE && !self.is_false(number, values) {
                break number;
            }
            self.open.pop();
            self.is_open[number as usize] = false;
        };
        Some(self.lost_with(first, ground, values))
    }

    /// Atoms whose source is hurt lose it, and so do all that rely on them.
    fn lose(&mut self, trail: &[u32]) {
        let mut losing = Vec::new();
        for &literal in &trail[self.heard..] {
            for &way in &self.hurt[(literal ^ 1) as usize] {
                let head = self.ways[way as usize].head;
                if self.sources[head as usize] == way {
                    self.sources[head as usize] = NONE;
                    losing.push(head);
                }
            }
        }
        self.heard = trail.len();
        while let Some(atom) = losing.pop() {
            self.look_at(atom);
            for &way in &self.needing[atom as usize] {
                let head = self.ways[way as usize].head;
                if self.sources[head as usize] == way {
                    self.sources[head as usize] = NONE;
                    losing.push(head);
                }
            }
        }
    }

    /// New sources for atoms without one.
    fn find(&mut self, ground: &Ground, values: &[i8]) {
        let mut fresh = Vec::new();
        for at in 0..self.open.len() {
            let atom = self.open[at];
            if self.sources[atom as usize] != NONE || self.is_false(atom, values) {
                continue;
            }
            let found = self.founding[atom as usize].iter().copied().find(|&way| self.founds(way, ground, values));
            if let Some(way) = found {
                self.sources[atom as usize] = way;
                fresh.push(atom);
            }
        }
        while let Some(atom) = fresh.pop() {
            for at in 0..self.needing[atom as usize].len() {
                let way = self.needing[atom as usize][at];
                let head = self.ways[way as usize].head;
                let is_wanted = self.sources[head as usize] == NONE && !self.is_false(head, values);
                if is_wanted && self.founds(way, ground, values) {
                    self.sources[head as usize] = way;
                    fresh.push(head);
                }
            }
        }
    }

    /// Whether a way founds its atom by atoms that have a source.
    fn founds(&self, way: u32, ground: &Ground, values: &[i8]) -> bool {
        let Way { rule, literal, inner, is_sum, .. } = &self.ways[way as usize];
        if values[*literal as usize] < 0 {
            return false;
        }
        let has_source = |number: u32| self.sources[number as usize] != NONE;
        match rule {
            Some(rule) if *is_sum => {
                let lacks = |atom: u32| {
                    let number = self.numbers[atom as usize];
                    number != NONE && inner.binary_search(&number).is_ok() && !has_source(number)
                };
                most(&ground.rules[*rule], |literal| {
                    values[literal_of(literal) as usize] >= 0 && !(literal > 0 && lacks(literal as u32))
                })
            }
            _ => inner.iter().all(|&number| has_source(number)),
        }
    }

    /// What must be in an unfounded set with an atom: of each body that is not false the atoms without a source.
    fn lost_with(&self, first: u32, ground: &Ground, values: &[i8]) -> Lost {
        let (mut set, mut at) = (vec![first], 0);
        let mut is_in = FxHashSet::default();
        is_in.insert(first);
        while let Some(&atom) = set.get(at) {
            at += 1;
            for &way in &self.founding[atom as usize] {
                let Way { literal, inner, is_sum, .. } = &self.ways[way as usize];
                if values[*literal as usize] < 0 {
                    continue;
                }
                let mut lacking = inner
                    .iter()
                    .copied()
                    .filter(|&number| self.sources[number as usize] == NONE && !self.is_false(number, values));
                if *is_sum {
                    set.extend(lacking.filter(|&number| is_in.insert(number)));
                } else if !lacking.clone().any(|number| is_in.contains(&number)) {
                    let one = lacking.next().expect("else it would found the atom");
                    is_in.insert(one);
                    set.push(one);
                }
            }
        }
        let atoms = set.into_iter().map(|number| self.atoms[number as usize]).collect();
        self.explained(ground, atoms, values)
    }

    /// A set that was found to be unfounded under a total assignment.
    pub fn needless(&self, ground: &Ground, atoms: Vec<u32>, values: &[i8]) -> Lost {
        self.explained(ground, atoms, values)
    }

    /// The clause of an unfounded set.
    fn explained(&self, ground: &Ground, atoms: Vec<u32>, values: &[i8]) -> Lost {
        let set: FxHashSet<u32> = atoms.iter().copied().collect();
        let is_false = |literal: i32| values[literal_of(literal) as usize] < 0;
        let is_in = |literal: i32| literal > 0 && set.contains(&(literal as u32));
        let mut besides = Vec::new();
        for support in atoms.iter().flat_map(|&atom| &self.supports[atom as usize]) {
            let Some(rule) = support.rule.map(|rule| &ground.rules[rule]).filter(|_| !is_false(support.body)) else {
                continue;
            };
            if !most(rule, |literal| !is_in(literal)) {
                continue;
            }
            // It would found the set but for an atom of the head outside of it, or for literals of a sum that are false.
            let of_others = |&&other: &&u32| !set.contains(&other) && is_false(-(other as i32));
            if let Some(&other) = rule.head.iter().find(of_others).filter(|_| !rule.is_choice) {
                besides.push(-(other as i32));
            } else {
                let literals = rule.body.iter().map(|&(literal, _)| literal);
                besides.extend(literals.filter(|&literal| !is_in(literal) && is_false(literal)));
            }
        }
        besides.sort_unstable();
        besides.dedup();
        let joins = |literal: i32| besides.binary_search(&literal).is_ok();
        let mut clause: Vec<u32> = besides.iter().map(|&literal| literal_of(literal)).collect();
        for &atom in &atoms {
            for support in &self.supports[atom as usize] {
                let Some(rule) = support.rule.map(|rule| &ground.rules[rule]) else { continue };
                let others = || rule.head.iter().filter(|&&other| other != atom && !rule.is_choice);
                let is_of_others = others().any(|&other| !set.contains(&other) && joins(-(other as i32)));
                if most(rule, |literal| !is_in(literal) && !joins(literal)) && !is_of_others {
                    let is_shared = others().any(|other| set.contains(other));
                    clause.push(literal_of(if is_shared { support.body } else { support.literal }));
                }
            }
        }
        clause.sort_unstable();
        clause.dedup();
        Lost { atoms, besides, clause }
    }
}

/// Whether the body can hold by the literals that count.
fn most(rule: &GroundRule, counts: impl Fn(i32) -> bool) -> bool {
    rule.weight(counts) >= rule.wanted()
}

/// By atom: its component of the positive dependencies, where atoms depend on themselves; the atoms of a disjunction's head
/// are not tied together.
fn components(ground: &Ground, last: usize) -> Vec<u32> {
    let mut below = vec![Vec::new(); last];
    let mut is_own = vec![false; last];
    for rule in &ground.rules {
        for &(literal, _) in rule.body.iter().filter(|(literal, _)| *literal > 0) {
            for &head in &rule.head {
                below[head as usize].push(literal as u32);
                is_own[head as usize] |= head == literal as u32;
            }
        }
    }
    let (mut component, mut index, mut low) = (vec![NONE; last], vec![0_u32; last], vec![0_u32; last]);
    let (mut stack, mut is_on_stack, mut count, mut found) = (Vec::new(), vec![false; last], 0, 0);
    for root in 1..last {
        if index[root] > 0 {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some(&mut (atom, ref mut next)) = calls.last_mut() {
            if *next == 0 {
                count += 1;
                (index[atom], low[atom]) = (count, count);
                stack.push(atom);
                is_on_stack[atom] = true;
            }
            if let Some(&other) = below[atom].get(*next) {
                *next += 1;
                let other = other as usize;
                if index[other] == 0 {
                    calls.push((other, 0));
                } else if is_on_stack[other] {
                    low[atom] = low[atom].min(index[other]);
                }
                // Without a body the first visit is the last.
                continue;
            }
            calls.pop();
            if let Some(&(above, _)) = calls.last() {
                low[above] = low[above].min(low[atom]);
            }
            if low[atom] == index[atom] {
                let members =
                    stack.split_off(stack.iter().rposition(|&other| other == atom).expect("it is on the stack"));
                let is_circular = members.len() > 1 || is_own[atom];
                for &member in &members {
                    is_on_stack[member] = false;
                    component[member] = if is_circular { found } else { NONE };
                }
                found += 1;
            }
        }
    }
    component
}
