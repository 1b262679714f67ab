//! Counts the models of a formula.

use std::cmp::Reverse;

use base::stop::{CancelToken, StopReason};
use ground::Literal;
use num_bigint::BigUint;

use super::cache::{Cache, Key};
use super::components::{Component, Components};
use super::estimate::{Estimate, estimate};
use super::formula::{Formula, Role};
use super::isomorphism::Trials;
use super::order;
use super::propagation::Propagation;
use super::simplify::simplify;

/// Limits of a count.
#[derive(Clone)]
pub struct CountLimits {
    /// Bytes for the counts of components. Without enough memory, counting takes longer. It is given
    /// up if the components that are not finished take half as much.
    pub cache_bytes: usize,
    /// The maximum number of decisions.
    pub decisions: Option<u64>,
    pub stop: CancelToken,
}

impl Default for CountLimits {
    fn default() -> Self {
        CountLimits { cache_bytes: 1 << 30, decisions: None, stop: CancelToken::new() }
    }
}

/// The result of counting.
#[derive(Debug, Clone, PartialEq)]
pub struct Count {
    /// Proven bounds of the number of models; equal if counting has ended.
    pub at_least: BigUint,
    pub at_most: BigUint,
    /// The reason why counting was stopped.
    pub stopped: Option<StopReason>,
    /// An estimate, if counting was stopped. It is not proven.
    pub estimate: Option<Estimate>,
    pub stats: CountStats,
}

/// Statistics of a count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountStats {
    pub decisions: u64,
    pub conflicts: u64,
    pub cache_hits: u64,
    pub cached_components: usize,
    /// The number of components with the count of an isomorphic one.
    pub isomorphic: u64,
    /// The width of the tree decomposition that guides decisions, if there is one.
    pub width: Option<usize>,
}

impl Count {
    fn of(number: BigUint, stats: CountStats) -> Self {
        Count { at_least: number.clone(), at_most: number, stopped: None, estimate: None, stats }
    }

    /// The count of a formula without models.
    pub(crate) fn none() -> Self {
        Count::of(BigUint::ZERO, CountStats::default())
    }

    /// Returns the number of models if it is known.
    pub fn exact(&self) -> Option<&BigUint> {
        (self.at_least == self.at_most).then_some(&self.at_least)
    }
}

/// Counts the models of a formula.
pub fn count(formula: &Formula, limits: &CountLimits) -> Count {
    let formula = &simplify(formula, &limits.stop).formula;
    Counter::start(formula, limits).map_or_else(Count::none, |mut counter| counter.count())
}

/// The search for the count of one component: the sum over the cases of a decision.
struct SearchFrame {
    component: Component,
    /// `None` for the part that is counted, before the first decision.
    key: Option<Key>,
    /// The key of isomorphic components, if it was worth trying.
    shared_key: Option<Key>,
    /// The cost of all decisions before it.
    start: u64,
    /// One model is enough, since no counted variable is left.
    is_existential: bool,
    /// The literals of the decision that are still to be tried, the next one last. Each model makes exactly
    /// one of a decision's literals true.
    cases: Vec<Literal>,
    /// The number of assigned literals before the decision.
    trail_len: usize,
    /// The sum over the finished cases.
    total: BigUint,
    /// The product of the finished components below the current case.
    product: BigUint,
    /// The components below the current case that are not finished.
    pending: Vec<(Component, Key)>,
}

impl SearchFrame {
    /// Estimates its memory, in bytes.
    fn bytes(&self) -> usize {
        self.component.bytes() + self.shared_key.as_ref().map_or(0, Key::bytes)
    }
}

pub(crate) struct Counter<'a> {
    pub formula: &'a Formula,
    pub propagation: Propagation,
    pub components: Components,
    pub cache: Cache,
    trials: Trials,
    /// By variable: its place in the order of decisions.
    order: Vec<(u32, Reverse<usize>)>,
    stack: Vec<SearchFrame>,
    /// The bytes of the stack's components.
    stack_bytes: usize,
    limits: &'a CountLimits,
    stats: CountStats,
}

/// The components that are not finished may always take half of this.
const MIN_STACK_BYTES: usize = 16 << 20;

impl<'a> Counter<'a> {
    /// Prepares the count of a simplified formula; `None` if it is clear that it has no models.
    pub fn start(formula: &'a Formula, limits: &'a CountLimits) -> Option<Self> {
        Some(Counter::new(formula, Propagation::new(formula)?, limits))
    }

    fn new(formula: &'a Formula, propagation: Propagation, limits: &'a CountLimits) -> Self {
        let variables = formula.roles.len();
        let open_clauses = formula.clauses.iter().filter(|clause| !clause.iter().any(|&at| propagation.is_true(at)));
        let unassigned = open_clauses.map(|clause| {
            let variables = clause.iter().map(|literal| literal.variable());
            variables.filter(|&variable| !propagation.is_assigned(variable)).collect()
        });
        let decomposition = order::decompose(variables, unassigned, &limits.stop);
        let stats = CountStats { width: decomposition.as_ref().map(|found| found.width), ..CountStats::default() };
        let components = Components::new(variables, &propagation);
        let clauses = &propagation.clauses;
        let place = |variable: u32| {
            let depth = decomposition.as_ref().map_or(0, |found| found.depth[variable as usize]);
            let literal = Literal::positive(variable);
            let binary = clauses.implied[literal].len() + clauses.implied[!literal].len();
            (depth, Reverse(components.clauses_with(variable).len() + binary))
        };
        let order = (0..variables as u32).map(place).collect();
        Counter {
            components,
            formula,
            propagation,
            cache: Cache::new(limits.cache_bytes),
            trials: Trials::new(variables),
            order,
            stack: Vec::new(),
            stack_bytes: 0,
            limits,
            stats,
        }
    }

    /// Counts the models of the formula.
    pub fn count(&mut self) -> Count {
        let counted = self.count_part(self.whole());
        let mut stats = self.stats;
        (stats.cache_hits, stats.cached_components) = (self.cache.hits, self.cache.len());
        match counted {
            Ok(number) => Count::of(number, stats),
            Err(reason) => {
                let (at_least, at_most) = self.bounds();
                let estimate = self.estimate();
                Count { at_least, at_most, stopped: Some(reason), estimate, stats }
            }
        }
    }

    pub fn stop_requested(&self) -> Option<StopReason> {
        self.limits.stop.requested()
    }

    /// Returns all variables of the formula as one component.
    pub fn whole(&self) -> Component {
        let variables = (1..self.formula.roles.len() as u32).filter(|&variable| self.role(variable) != Role::Unused);
        Component { variables: variables.collect(), clauses: Vec::new() }
    }

    /// Returns the number of models of what the current assignment leaves of a component. No other
    /// search may be running.
    pub fn count_part(&mut self, component: Component) -> Result<BigUint, StopReason> {
        self.stack_bytes += component.bytes();
        self.stack.push(SearchFrame {
            component,
            key: None,
            shared_key: None,
            start: self.trials.cost(),
            is_existential: false,
            cases: Vec::new(),
            trail_len: self.propagation.trail_len(),
            total: BigUint::ZERO,
            product: BigUint::ZERO,
            pending: Vec::new(),
        });
        self.split();
        loop {
            let frame = self.stack.last_mut().expect("the first frame is the last to be removed");
            if let Some((component, key)) = frame.pending.pop() {
                let reason = if self.limits.decisions.is_some_and(|limit| self.stats.decisions >= limit) {
                    Some(StopReason::NodeLimit)
                } else if self.stack_bytes > self.limits.cache_bytes.max(MIN_STACK_BYTES) / 2 {
                    Some(StopReason::MemoryLimit)
                } else {
                    self.limits.stop.requested()
                };
                if let Some(reason) = reason {
                    frame.pending.push((component, key));
                    return Err(reason);
                }
                self.search(component, key);
                continue;
            }
            frame.total += std::mem::take(&mut frame.product);
            let trail_len = frame.trail_len;
            self.propagation.undo(trail_len);
            if (!frame.is_existential || frame.total == BigUint::ZERO)
                && let Some(literal) = frame.cases.pop()
            {
                self.decide(literal);
                continue;
            }
            let frame = self.stack.pop().expect("it was there above");
            self.stack_bytes -= frame.bytes();
            if self.stack.is_empty() {
                return Ok(frame.total);
            }
            self.trials.searched(frame.component.variables.len(), self.trials.cost() - frame.start);
            if let Some(key) = frame.shared_key {
                self.cache.insert(key, frame.total.clone());
            }
            self.finish(frame.key.expect("only the first frame has none"), frame.total);
        }
    }

    /// Records the count of a component of the last frame.
    fn finish(&mut self, key: Key, count: BigUint) {
        let frame = self.stack.last_mut().expect("the frame of the component");
        frame.product *= &count;
        if count == BigUint::ZERO {
            frame.pending.clear();
        }
        self.cache.insert(key, count);
    }

    pub fn role(&self, variable: u32) -> Role {
        self.formula.roles[variable as usize]
    }

    /// Returns true for a component without counted variables, of which one model is enough.
    pub fn is_existential(&self, component: &Component) -> bool {
        !component.variables.iter().any(|&variable| is_counted(self.role(variable)))
    }

    /// Starts the search of a component, unless an isomorphic one is in the cache.
    fn search(&mut self, component: Component, key: Key) {
        let shared_key = self.trials.key(&component, &self.propagation, &self.formula.roles);
        if let Some(count) = shared_key.as_ref().and_then(|key| self.cache.get(key)).cloned() {
            self.stats.isomorphic += 1;
            self.trials.found(component.variables.len());
            self.finish(key, count);
            return;
        }
        self.stats.decisions += 1;
        let is_existential = self.is_existential(&component);
        let cases = self.cases(&component, is_existential);
        let frame = SearchFrame {
            component,
            key: Some(key),
            shared_key,
            start: self.trials.cost(),
            is_existential,
            cases,
            trail_len: self.propagation.trail_len(),
            total: BigUint::ZERO,
            product: BigUint::ZERO,
            pending: Vec::new(),
        };
        self.stack_bytes += frame.bytes();
        self.stack.push(frame);
    }

    /// Starts a case of the last frame.
    fn decide(&mut self, literal: Literal) {
        let frame = self.stack.last().expect("the frame of the decision");
        self.trials.decided(frame.component.variables.len());
        if self.propagation.decide(literal) {
            self.split();
        } else {
            self.stats.conflicts += 1;
        }
    }

    /// Splits what is left of the last frame's component. The product of the frame becomes that of
    /// the components whose count is known; the others are pending.
    fn split(&mut self) {
        let Counter { stack, components, propagation, cache, formula, .. } = self;
        let frame = stack.last_mut().expect("the frame of the decision");
        let mut free = 0_u64;
        frame.product = BigUint::from(1_u32);
        components.start();
        for at in 0..frame.component.variables.len() {
            let variable = frame.component.variables[at];
            let Some(component) = components.component_of(variable, propagation) else { continue };
            let role = |variable: u32| formula.roles[variable as usize];
            let known = match component.variables[..] {
                [variable] if role(variable) != Role::Copy => {
                    free += u64::from(role(variable) == Role::Counted);
                    continue;
                }
                // Propagation has ended without assigning them.
                _ if component.variables.iter().all(|&variable| role(variable) == Role::Copy) => Some(BigUint::ZERO),
                _ => None,
            };
            let known = match known {
                Some(count) => count,
                None => {
                    let key = Key::of(&component);
                    match cache.get(&key) {
                        Some(count) => count.clone(),
                        None => {
                            frame.pending.push((component, key));
                            continue;
                        }
                    }
                }
            };
            frame.product *= known;
            if frame.product == BigUint::ZERO {
                frame.pending.clear();
                return;
            }
        }
        frame.product <<= free;
        // Small components first: they show soonest that there is no model.
        frame.pending.sort_by_key(|(component, _)| Reverse(component.variables.len()));
    }

    /// Chooses the next decision in a component: literals of which each model makes exactly one true, the
    /// last one first.
    ///
    /// The next variable is the nearest to the middle of the decomposition, and of these the first of
    /// those in the most clauses. Programs mostly number neighbors one after the other, so that the
    /// first one leaves components that occur again. Its two values are the cases, unless it is in a
    /// clause with exactly one true literal: the literals of this clause leave fewer different
    /// components than its variables one by one.
    pub fn cases(&self, component: &Component, is_existential: bool) -> Vec<Literal> {
        let may_decide = |variable: u32| match self.role(variable) {
            Role::Copy | Role::Unused => false,
            Role::Existential => is_existential,
            Role::Counted | Role::Defined => true,
        };
        let candidates = component.variables.iter().copied().filter(|&variable| may_decide(variable));
        let next = candidates.min_by_key(|&variable| self.order[variable as usize]);
        let next = next.expect("a component of copies alone is never decided");
        let depth = |variable: u32| self.order[variable as usize].0;
        let is_alike = |literal: &Literal| may_decide(literal.variable()) && depth(literal.variable()) == depth(next);
        let clauses = self.components.clauses_with(next).iter().filter_map(|&clause| self.exclusive_literals(clause));
        let cases = clauses.filter(|literals| literals.iter().all(is_alike)).min_by_key(Vec::len);
        cases.unwrap_or_else(|| vec![!Literal::positive(next), Literal::positive(next)])
    }

    /// Returns the unassigned literals of a long clause if it is not satisfied and each model makes exactly
    /// one of them true.
    fn exclusive_literals(&self, clause: u32) -> Option<Vec<Literal>> {
        let literals = self.propagation.clauses.literals(clause);
        let is_satisfied = || literals.iter().any(|&literal| self.propagation.is_true(literal));
        if !self.propagation.clauses.is_exclusive(clause) || is_satisfied() {
            return None;
        }
        let open = literals.iter().copied().filter(|literal| !self.propagation.is_assigned(literal.variable()));
        let mut open: Vec<Literal> = open.collect();
        open.sort_unstable_by_key(|&literal| Reverse(literal));
        Some(open)
    }

    /// Estimates the number of models, after the search.
    fn estimate(&mut self) -> Option<Estimate> {
        let trail_len = self.stack.first()?.trail_len;
        self.propagation.undo(trail_len);
        let is_used = |variable: &u32| self.role(*variable) != Role::Unused;
        let mut variables: Vec<u32> = (1..self.formula.roles.len() as u32).filter(is_used).collect();
        variables.sort_by_key(|&variable| self.order[variable as usize]);
        estimate(self.formula, &mut self.propagation, &variables)
    }

    /// Returns bounds of the number of models: what is not finished has at least no model, and at
    /// most one for each assignment of its counted variables.
    fn bounds(&self) -> (BigUint, BigUint) {
        let most = |component: &Component| {
            let counted = component.variables.iter().filter(|&&variable| self.role(variable) == Role::Counted);
            BigUint::from(1_u32) << counted.count()
        };
        let mut inner = (BigUint::from(1_u32), BigUint::from(1_u32));
        for frame in self.stack.iter().rev() {
            let open = frame.pending.iter().map(|(component, _)| most(component)).product::<BigUint>();
            let least = if frame.pending.is_empty() { &frame.product * inner.0 } else { BigUint::ZERO };
            let mut at_most = &frame.total + &frame.product * inner.1 * open;
            for literal in &frame.cases {
                // One value of a counted variable has half of the assignments; one that is not counted may
                // have all.
                let is_counted = self.role(literal.variable()) == Role::Counted;
                at_most += most(&frame.component) >> u32::from(is_counted);
            }
            at_most = at_most.min(most(&frame.component));
            let at_least = &frame.total + least;
            inner = if frame.is_existential {
                let one = BigUint::from(1_u32);
                (at_least.min(one.clone()), at_most.min(one))
            } else {
                (at_least, at_most)
            };
        }
        inner
    }
}

fn is_counted(role: Role) -> bool {
    matches!(role, Role::Counted | Role::Defined)
}
