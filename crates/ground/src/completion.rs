//! Clark's completion of a ground program, as clauses that every answer set satisfies.
//!
//! This file is trusted. Each clause is a *necessary* condition of an answer set. A refutation of
//! the clauses therefore refutes all answer sets, for every class of programs:
//!
//! - If the body of a rule holds, its head has a true atom; a constraint has no head atom.
//! - A true atom has a rule whose body holds, and it is the only true head atom if that rule is a
//!   disjunction. Otherwise the interpretation without the atom would be a smaller model of the
//!   reduct (completion of the shifted program).
//! - An auxiliary variable represents a body, a weight constraint or a node of its decision diagram
//!   (Tseitin's encoding). Its defining clauses make it equivalent to that, so that every
//!   interpretation of the atoms has exactly one extension to the auxiliary variables.
//!
//! Certificates use only [`Completion::of`]. Propagation for hints keeps weight constraints as sums
//! ([`Completion::for_propagation`]).
//!
//! The variables are the atoms by number, then [`Completion::true_var`], then the auxiliary
//! variables.

use std::collections::BTreeMap;

use super::hash::FastMap;
use super::program::{GroundProgram, Support, Truth};

/// Maximum number of an atom; greater numbers would only fill memory.
const MAX_ATOM: u32 = 1 << 24;
/// Maximum number of decision diagram nodes of one weight constraint, and of all together.
const MAX_BDD_NODES: usize = 1 << 22;
const MAX_TOTAL_BDD_NODES: usize = 1 << 24;

/// Shown terms with their conditions. A term is shown if all literals of one of its conditions
/// hold.
pub type ShownTerms = BTreeMap<String, Vec<Vec<i32>>>;

/// The clauses of a ground program. No clause contains a literal twice, or a literal and its
/// complement.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    pub clauses: Vec<Box<[i32]>>,
    /// The supports of each atom. Each atom of the program has an entry.
    pub supports: BTreeMap<u32, Vec<Support>>,
    /// The greatest variable in use.
    pub max_variable: i32,
    /// A variable that a unit clause makes true.
    pub true_var: i32,
    /// The sums that are not clauses; none in the completion of a certificate.
    pub sums: Vec<Sum>,
    /// The number of decision diagram nodes so far.
    bdd_nodes: usize,
    conjunction_cache: FastMap<Vec<i32>, i32>,
    ite_cache: FastMap<[i32; 3], i32>,
    sum_cache: FastMap<(WeightedLiterals, i64), i32>,
}

/// A variable that is true if and only if the weights of the true items reach the bound.
#[derive(Debug, Clone)]
pub struct Sum {
    pub variable: i32,
    /// Literals of distinct variables with positive weights, in descending order of weight.
    pub items: WeightedLiterals,
    pub bound: i64,
}

/// Literals with their weights.
pub type WeightedLiterals = Vec<(i32, i64)>;

impl Completion {
    /// Translates a program and the conditions of the shown terms.
    ///
    /// # Errors
    /// The reason why the program has no translation.
    pub fn of(ground: &GroundProgram, shown: &ShownTerms) -> Result<Completion, String> {
        if ground.has_theory {
            return Err("theory atoms are not supported".to_owned());
        }
        let in_bodies = ground.rules.iter().flat_map(|rule| &rule.body).map(|(literal, _)| literal);
        let in_costs = ground.costs.values().flatten().map(|(literal, _)| literal);
        let in_edges = ground.edges.iter().flat_map(|(.., condition)| condition);
        let literals =
            in_bodies.chain(in_costs).chain(in_edges).chain(shown.values().flatten().flatten()).chain(&ground.assumed);
        let mut atoms: Vec<u32> = ground.atoms().chain(literals.map(|literal| literal.unsigned_abs())).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let last = atoms.last().copied().unwrap_or(0);
        if last > MAX_ATOM {
            return Err(format!("an atom has the number {last}; at most {MAX_ATOM} can be translated"));
        }
        if ground.rules.iter().flat_map(|rule| &rule.body).any(|&(_, weight)| weight < 0) {
            return Err("a rule body has a negative weight".to_owned());
        }
        let mut completion = Completion::without_rules(atoms);
        completion.add_rules(ground, |completion, body, bound| completion.weight_constraint(body, bound))?;
        completion.add_externals(ground);
        for &literal in &ground.assumed {
            completion.add_clause(vec![literal]);
        }
        completion.add_support_clauses();
        Ok(completion)
    }

    /// Translates a program for any values of its external atoms. [`Completion::fix_externals`] adds
    /// their values.
    ///
    /// # Errors
    /// The reason why the program has no translation.
    pub fn of_any_externals(ground: &GroundProgram, shown: &ShownTerms) -> Result<Completion, String> {
        let mut free = ground.clone();
        free.externals.values_mut().for_each(|value| *value = Truth::Free);
        Completion::of(&free, shown)
    }

    /// Adds the values of the external atoms to a completion for any values. The clauses then have
    /// the models of [`Completion::of`]: there, too, an external atom that is not free has a unit
    /// clause.
    pub fn fix_externals(&mut self, ground: &GroundProgram) {
        for (&atom, &value) in &ground.externals {
            let is_free = |supports: &Vec<Support>| supports.iter().any(|support| support.rule.is_none());
            // The others have rules, which decide.
            if self.supports.get(&atom).is_some_and(is_free) {
                match value {
                    Truth::Free => {}
                    Truth::True => self.add_clause(vec![atom as i32]),
                    Truth::False => self.add_clause(vec![-(atom as i32)]),
                }
            }
        }
    }

    /// Translates a program for propagation alone. Weight constraints become sums, atoms that do not
    /// occur are false, external atoms that are not false may have any value, and the program's
    /// assumptions do not count.
    pub fn for_propagation(ground: &GroundProgram) -> Completion {
        let mut completion = Completion::without_rules((1..=ground.last_atom()).collect());
        let added = completion.add_rules(ground, |completion, body, bound| Ok(completion.sum(body, bound)));
        added.expect("sums have no limits");
        let externals = ground.externals.iter().filter(|(_, value)| **value != Truth::False);
        externals.for_each(|(&atom, _)| completion.add_free_external(atom));
        completion.add_support_clauses();
        completion
    }

    fn without_rules(atoms: Vec<u32>) -> Completion {
        let true_var = atoms.last().map_or(0, |&atom| atom as i32) + 1;
        let supports = atoms.into_iter().map(|atom| (atom, Vec::new())).collect();
        let mut completion = Completion { true_var, max_variable: true_var, supports, ..Completion::default() };
        completion.add_clause(vec![true_var]);
        completion
    }

    /// Adds the rules. `weight_constraint` translates the weight constraint of a body and a bound.
    fn add_rules(
        &mut self,
        ground: &GroundProgram,
        weight_constraint: impl Fn(&mut Self, &[(i32, i32)], i64) -> Result<i32, String>,
    ) -> Result<(), String> {
        for (number, rule) in ground.rules.iter().enumerate() {
            let mut heads: Vec<i32> = rule.head.iter().map(|&atom| atom as i32).collect();
            heads.sort_unstable();
            heads.dedup();
            let literals = || rule.body.iter().map(|&(literal, _)| literal);
            if let (None, [], false) = (rule.bound, &heads[..], rule.is_choice) {
                self.add_clause(literals().map(|literal| -literal).collect());
                continue;
            }
            let body = match rule.bound {
                None => self.conjunction(literals().collect()),
                Some(bound) => weight_constraint(self, &rule.body, i64::from(bound))?,
            };
            if !rule.is_choice {
                self.add_clause(heads.iter().copied().chain([-body]).collect());
            }
            for &head in &heads {
                let others = heads.iter().filter(|&&other| other != head && !rule.is_choice).map(|&other| -other);
                let literal = self.conjunction(others.chain([body]).collect());
                let support = Support { rule: Some(number), body, literal };
                self.supports.entry(head as u32).or_default().push(support);
            }
        }
        Ok(())
    }

    /// Adds the clauses that require a support of each true atom.
    fn add_support_clauses(&mut self) {
        let supports = std::mem::take(&mut self.supports);
        for (&atom, supports) in &supports {
            self.add_clause(supports.iter().map(|support| support.literal).chain([-(atom as i32)]).collect());
        }
        self.supports = supports;
    }

    fn add_free_external(&mut self, atom: u32) {
        let support = Support { rule: None, body: self.true_var, literal: self.true_var };
        self.supports.entry(atom).or_default().push(support);
    }

    /// Adds the values of external atoms that occur in no rule head or are frozen.
    fn add_externals(&mut self, ground: &GroundProgram) {
        for (&atom, &value) in &ground.externals {
            let has_rules = self.supports.get(&atom).is_some_and(|supports| !supports.is_empty());
            if has_rules && ground.frozen.get(&atom) != Some(&true) {
                continue;
            }
            match value {
                Truth::Free => {}
                Truth::True => self.add_clause(vec![atom as i32]),
                Truth::False => self.add_clause(vec![-(atom as i32)]),
            }
            if value != Truth::False {
                self.add_free_external(atom);
            }
        }
    }

    /// Sorts a clause and removes duplicate and false literals. Returns `None` for a tautology.
    pub fn normalize(mut literals: Vec<i32>, true_var: i32) -> Option<Box<[i32]>> {
        literals.retain(|&literal| literal != -true_var);
        literals.sort_unstable_by_key(|literal| (literal.abs(), *literal));
        literals.dedup();
        let is_tautology =
            literals.len() > 1 && literals.contains(&true_var) || literals.windows(2).any(|pair| pair[0] == -pair[1]);
        (!is_tautology).then(|| literals.into_boxed_slice())
    }

    pub fn add_clause(&mut self, literals: Vec<i32>) {
        self.clauses.extend(Completion::normalize(literals, self.true_var));
    }

    fn new_variable(&mut self) -> i32 {
        self.max_variable += 1;
        self.max_variable
    }

    /// Returns a literal that is equivalent to the conjunction of `literals`.
    pub fn conjunction(&mut self, mut literals: Vec<i32>) -> i32 {
        literals.retain(|&literal| literal != self.true_var);
        literals.sort_unstable_by_key(|literal| (literal.abs(), *literal));
        literals.dedup();
        match literals[..] {
            [] => return self.true_var,
            [literal] => return literal,
            _ if literals.windows(2).any(|pair| pair[0] == -pair[1]) => return -self.true_var,
            _ if literals.contains(&-self.true_var) => return -self.true_var,
            _ => {}
        }
        if let Some(&known) = self.conjunction_cache.get(&literals) {
            return known;
        }
        let all = self.new_variable();
        for &literal in &literals {
            self.add_clause(vec![-all, literal]);
        }
        self.add_clause(literals.iter().map(|literal| -literal).chain([all]).collect());
        self.conjunction_cache.insert(literals, all);
        all
    }

    /// Returns a literal that is equivalent to the disjunction of `literals`.
    pub fn disjunction(&mut self, literals: impl IntoIterator<Item = i32>) -> i32 {
        -self.conjunction(literals.into_iter().map(|literal| -literal).collect())
    }

    /// Returns a literal that is equivalent to the disjunction of `conditions`.
    pub fn any_of(&mut self, conditions: &[Vec<i32>]) -> i32 {
        let literals: Vec<i32> = conditions.iter().map(|condition| self.conjunction(condition.clone())).collect();
        self.disjunction(literals)
    }

    /// Returns a literal that is equivalent to a weight constraint: the weights of the true
    /// literals sum up to at least `bound`. The encoding is a binary decision diagram with a node
    /// for each index and each bound that the literals from this index on still have to reach.
    pub fn weight_constraint(&mut self, weighted: &[(i32, i32)], bound: i64) -> Result<i32, String> {
        let (items, bound) = normalize_sum(weighted, bound);
        // The sum and the greatest common divisor of the weights from each index on.
        let mut totals = vec![(0, 0); items.len() + 1];
        for at in (0..items.len()).rev() {
            let (total, divisor) = totals[at + 1];
            totals[at] = (total + items[at].1, gcd(divisor, items[at].1));
        }
        // Normalises the bound that the literals from `at` on have to reach: 0 if they always reach
        // it, `i64::MAX` if they never do.
        let needs = |at: usize, need: i64| match totals[at] {
            _ if need <= 0 => 0,
            (total, _) if need > total => i64::MAX,
            (_, divisor) => (need + divisor - 1) / divisor * divisor,
        };
        let mut layers = vec![vec![needs(0, bound)]];
        let mut nodes = 1;
        for (at, &(_, weight)) in items.iter().enumerate() {
            let open_needs = layers[at].iter().filter(|need| (1..i64::MAX).contains(*need));
            let mut next: Vec<i64> =
                open_needs.flat_map(|&need| [needs(at + 1, need - weight), needs(at + 1, need)]).collect();
            next.sort_unstable();
            next.dedup();
            nodes += next.len();
            layers.push(next);
            if nodes > MAX_BDD_NODES {
                return Err(format!("a sum has more than {MAX_BDD_NODES} partial sums"));
            }
        }
        self.bdd_nodes += nodes;
        if self.bdd_nodes > MAX_TOTAL_BDD_NODES {
            return Err(format!("the sums have more than {MAX_TOTAL_BDD_NODES} partial sums together"));
        }
        // The nodes of the layer below, in the order of their needs.
        let mut lower_layer: Vec<i32> = Vec::new();
        for (at, layer) in layers.iter().enumerate().rev() {
            let below = |need: i64| {
                let place = layers[at + 1].binary_search(&need).expect("the next layer has this need");
                lower_layer[place]
            };
            let mut nodes = Vec::with_capacity(layer.len());
            for &need in layer {
                nodes.push(match need {
                    0 => self.true_var,
                    i64::MAX => -self.true_var,
                    need => {
                        let (literal, weight) = items[at];
                        let (with, without) = (needs(at + 1, need - weight), needs(at + 1, need));
                        self.ite(literal, below(with), below(without))
                    }
                });
            }
            lower_layer = nodes;
        }
        Ok(lower_layer[0])
    }

    /// Returns a literal that is equivalent to a weight constraint, without clauses if it is neither
    /// a conjunction nor a disjunction.
    fn sum(&mut self, weighted: &[(i32, i32)], bound: i64) -> i32 {
        let (items, bound) = normalize_sum(weighted, bound);
        let total: i64 = items.iter().map(|(_, weight)| weight).sum();
        let literals = || items.iter().map(|&(literal, _)| literal);
        if bound <= 0 {
            return self.true_var;
        }
        if total < bound {
            return -self.true_var;
        }
        if items.iter().all(|(_, weight)| total - weight < bound) {
            return self.conjunction(literals().collect());
        }
        if items.iter().all(|(_, weight)| *weight >= bound) {
            return self.disjunction(literals());
        }
        let key = (items, bound);
        if let Some(&known) = self.sum_cache.get(&key) {
            return known;
        }
        let variable = self.new_variable();
        self.sums.push(Sum { variable, items: key.0.clone(), bound });
        self.sum_cache.insert(key, variable);
        variable
    }

    /// Returns a literal that is equivalent to "if `literal` then `with` else `without`", where
    /// `without` implies `with`.
    fn ite(&mut self, literal: i32, with: i32, without: i32) -> i32 {
        if with == without {
            return with;
        }
        if with == self.true_var {
            return self.disjunction([literal, without]);
        }
        if without == -self.true_var {
            return self.conjunction(vec![literal, with]);
        }
        if let Some(&known) = self.ite_cache.get(&[literal, with, without]) {
            return known;
        }
        let node = self.new_variable();
        self.add_clause(vec![-node, with]);
        self.add_clause(vec![-node, literal, without]);
        self.add_clause(vec![node, -without]);
        self.add_clause(vec![node, -literal, -with]);
        self.ite_cache.insert([literal, with, without], node);
        node
    }
}

/// Returns literals of distinct atoms with positive weights, in descending order of weight, and the
/// bound that they have to reach so that `weighted` reaches `bound`.
fn normalize_sum(weighted: &[(i32, i32)], bound: i64) -> (WeightedLiterals, i64) {
    let mut items = WeightedLiterals::with_capacity(weighted.len());
    let mut bound = bound;
    for &(literal, weight) in weighted {
        // w * (not a) = w - w * a.
        if literal < 0 {
            bound -= i64::from(weight);
        }
        items.push((literal.abs(), i64::from(weight) * i64::from(literal.signum())));
    }
    items.sort_unstable_by_key(|(atom, _)| *atom);
    items.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        first.1 += if is_same { later.1 } else { 0 };
        is_same
    });
    let with_positive_weight = |(atom, weight): (i32, i64)| if weight < 0 { (-atom, -weight) } else { (atom, weight) };
    bound += items.iter().filter(|(_, weight)| *weight < 0).map(|(_, weight)| -weight).sum::<i64>();
    let mut items: WeightedLiterals =
        items.into_iter().filter(|(_, weight)| *weight != 0).map(with_positive_weight).collect();
    items.sort_by_key(|&(literal, weight)| (-weight, literal.abs()));
    (items, bound)
}

fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { gcd(other, one % other) }
}
