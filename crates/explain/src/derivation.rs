//! Derivations of the atoms in an answer: a tree of rule instances, each with the atoms it needs.
//!
//! The program is rewritten and grounded a second time. The atoms of the answer become choices, and
//! each rule K of the source, with the variables X,…, becomes
//!
//! ```text
//! fires(K, head, (X,…), (a,…)) :- body.          a,…: the positive atoms of the body
//! inside(K, (X,…), b) :- fires(K,_,(X,…),_), …     b: an atom of an aggregate of the body
//! ```
//!
//! In the rewritten program, no rule derives an atom that occurs in a body. Solved with all atoms
//! of the answer assumed, it yields the rule instances that apply, with correct negation and
//! aggregates. Its ground rules define an order, also for recursive aggregates: an atom is derived
//! one round after all the atoms that one of its instances needs. Each atom is explained by an
//! instance that derives it in the earliest round, so explanations are never circular.
//!
//! Several atoms of a disjunction hold only if they depend on each other. No order of the rules
//! derives them all, so the derivation then assumes one of them.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use asp::statement::Statement;
use asp::syntax::{self, Token};
use asp::transform::{rule, tuple};
use asp::tree::{Atom, Head, Literal, Sign, Term};
use asp::{
    Program, RewrittenProgram, Settings, Signature, Solver, Symbol, function, function_of, is_deep, predicate_of,
    sort_by_symbols, to_text, to_text_truncated,
};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;
use ground::{GroundProgram, holds_in};
use rustc_hash::FxHashSet;

use super::{Part, Phrase, RelaxedProgram, Wording};

const FIRES: &str = "__asp_solve_fires";
const FREE: &str = "__asp_solve_free";
const INSIDE: &str = "__asp_solve_inside";

/// Maximum number of further derivations of an atom.
const MAX_OTHERS: usize = 1_000;

/// Maximum depth of a tree.
const MAX_DEPTH: usize = 40;

/// An instance of a rule whose body holds, with one atom of its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The index of the statement.
    pub rule: usize,
    pub values: Vec<Symbol>,
    pub head: Symbol,
    /// The positive atoms of the body, including those in aggregates.
    pub needs: Vec<Symbol>,
}

/// Maps each atom of an answer to the instances that derive it.
#[derive(Debug, Default)]
pub struct Derivation {
    /// The instance that derives the atom first.
    chosen: HashMap<Symbol, Instance>,
    others: HashMap<Symbol, Vec<Instance>>,
    /// The round in which each atom is derived.
    rounds: HashMap<Symbol, usize>,
}

impl Derivation {
    /// Derives the atoms in `asked` and the atoms on which they depend.
    pub fn of(
        statements: &[Statement],
        last_step: Option<u32>,
        answer: &[Symbol],
        asked: &[Symbol],
        settings: &Settings,
        stop: &CancelToken,
    ) -> Result<Derivation, Failure> {
        let rules = dependencies(statements, asked);
        let rewritten = RewrittenProgram::of(statements.iter().enumerate(), |number, statement| match statement.head {
            Head::Const { .. } => statement.text.clone(),
            _ if rules.contains(&number) => tracing_rules(number, statement),
            _ => String::new(),
        });
        // Deep atoms are passed as terms, since their text would be too long.
        let (deep, shallow): (Vec<Symbol>, Vec<Symbol>) = answer.iter().copied().partition(|&atom| is_deep(atom));
        let mut free: String = shallow.iter().map(|&atom| format!("{{ {} }}.\n", to_text(atom))).collect();
        for predicate in deep.iter().filter_map(|&atom| predicate_of(atom)).collect::<BTreeSet<Signature>>() {
            let variables: Vec<String> = (0..predicate.arity).map(|number| format!("X{number}")).collect();
            let atom = predicate.atom(&variables);
            free += &format!("{{ {atom} }} :- {FREE}({atom}).\n");
        }
        let facts = deep.iter().filter_map(|&atom| function(FREE, &[atom])).collect();
        // clingo would otherwise print every atom that might be shown, however long.
        free += "#show.";
        let instance = vec![rewritten.document(), Document::in_memory("<answer>", free)];
        let program = Program { instance, facts, last_step, ..Program::default() };
        let settings = Settings { constants: settings.constants.clone(), ..Settings::default() };
        let mut solver = Solver::new(&settings, stop)?;
        let ground = solver.control().observe()?;
        solver.load(&program)?;
        solver.ground_program(&program)?;
        let mut holding = Ok(FxHashSet::default());
        let assumed: Vec<(Symbol, bool)> = answer.iter().map(|&atom| (atom, true)).collect();
        solver.solve(&assumed, |model| {
            holding = model.true_atoms(&ground.lock());
            ControlFlow::Break(())
        })?;
        let holding = holding?;
        let mut known = Vec::new();
        for (atom, is_fact) in solver.control().known_atoms()? {
            let number = solver.control().literal(atom).map_or(0, i32::unsigned_abs);
            known.extend((is_fact || holding.contains(&number)).then_some((atom, (!is_fact).then_some(number))));
        }
        let ground = ground.lock();
        let is_disjunction = |rule: usize| matches!(statements[rule].head, Head::Disjunction(_));
        Ok(Derivation::in_order(&ground, &holding, &known, answer, is_disjunction))
    }

    /// Chooses for each atom the instance that derives it in the earliest round. `known` has the
    /// atoms that hold, each with its literal, or `None` if it is a fact.
    fn in_order(
        ground: &GroundProgram,
        holding: &FxHashSet<u32>,
        known: &[(Symbol, Option<u32>)],
        answer: &[Symbol],
        is_disjunction: impl Fn(usize) -> bool,
    ) -> Derivation {
        let answer_atoms: HashSet<Symbol> = answer.iter().copied().collect();
        let mut instances = applied_instances(known, &answer_atoms);
        let shared = split_off_shared_heads(&mut instances, is_disjunction);
        let numbers: HashMap<Symbol, u32> = known.iter().filter_map(|&(atom, number)| Some((atom, number?))).collect();
        let firing: HashMap<u32, &AppliedInstance> =
            instances.iter().filter_map(|applied| Some((applied.number?, applied))).collect();
        let mut propagation = Propagation::new(ground, holding);
        let mut derivation = Derivation::default();
        // Atoms without a rule are external input.
        let heads: HashSet<Symbol> = instances.iter().map(|applied| applied.instance.head).collect();
        let external: Vec<Symbol> = answer_atoms.iter().filter(|atom| !heads.contains(atom)).copied().collect();
        derivation.rounds.extend(external.iter().map(|&atom| (atom, 0)));
        let mut fresh: Vec<u32> = external.iter().filter_map(|atom| numbers.get(atom).copied()).collect();
        let mut fired: Vec<&AppliedInstance> = instances.iter().filter(|applied| applied.number.is_none()).collect();
        for round in 1.. {
            let derived = propagation.derive(std::mem::take(&mut fresh));
            fired.extend(derived.iter().filter_map(|atom| firing.get(atom).copied()));
            fired.retain(|applied| !derivation.rounds.contains_key(&applied.instance.head));
            if fired.is_empty() {
                match shared.iter().find(|disjunction| derivation.needs_one_of(disjunction, &propagation)) {
                    Some(disjunction) => fired.push(&disjunction[0]),
                    None => break,
                }
            }
            // Prefer the instance with the fewest needs, which is the easiest to read.
            let are_deep = |applied: &&AppliedInstance| applied.instance.values.iter().any(|&value| is_deep(value));
            sort_by_symbols(&mut fired, are_deep, |AppliedInstance { instance, .. }| {
                (instance.needs.len(), instance.rule, instance.values.clone())
            });
            for applied in fired.drain(..) {
                if derivation.choose(applied, round) {
                    fresh.extend(numbers.get(&applied.instance.head));
                }
            }
        }
        instances.iter().for_each(|applied| derivation.add_other(applied));
        derivation
    }

    /// Adds an instance to the others of its head, unless it is the chosen one.
    fn add_other(&mut self, AppliedInstance { instance, inside, .. }: &AppliedInstance) {
        let head = instance.head;
        let is_chosen = |chosen: &Instance| {
            let is_start = chosen.needs.starts_with(&instance.needs);
            (chosen.rule, &chosen.values) == (instance.rule, &instance.values) && is_start
        };
        if self.chosen.get(&head).is_some_and(|chosen| !is_chosen(chosen)) {
            let inside = inside.iter().filter(|atom| self.rounds.contains_key(atom) && !instance.needs.contains(atom));
            let needs = instance.needs.iter().chain(inside).copied().collect();
            self.others.entry(head).or_default().push(Instance { needs, ..instance.clone() });
        }
    }

    /// Derives the head of an instance in `round`, with the atoms in aggregates that were derived
    /// before as further needs. Returns false if another instance has derived it.
    fn choose(&mut self, AppliedInstance { instance, inside, .. }: &AppliedInstance, round: usize) -> bool {
        let head = instance.head;
        if self.rounds.contains_key(&head) {
            return false;
        }
        let is_before = |atom: &&Symbol| self.rounds.get(atom).is_some_and(|&before| before < round);
        let inside = inside.iter().filter(|atom| is_before(atom) && !instance.needs.contains(atom));
        let needs = instance.needs.iter().chain(inside).copied().collect();
        self.rounds.insert(head, round);
        self.chosen.insert(head, Instance { needs, ..instance.clone() });
        true
    }

    /// Returns true if the body of a disjunction, given as its instances, is derived but none of
    /// its atoms.
    fn needs_one_of(&self, disjunction: &[AppliedInstance], propagation: &Propagation<'_>) -> bool {
        disjunction.iter().all(|AppliedInstance { number, instance, .. }| {
            number.is_none_or(|number| propagation.derived.contains(&number))
                && !self.rounds.contains_key(&instance.head)
        })
    }

    /// Removes the atoms that comments mute from the needs of the instances.
    pub fn mute(&mut self, words: &Wording, answer: &[Symbol]) -> Result<(), Failure> {
        let muted: HashSet<Symbol> = words.muted(answer)?.into_iter().collect();
        for instance in self.chosen.values_mut().chain(self.others.values_mut().flatten()) {
            instance.needs.retain(|need| !muted.contains(need) && !words.is_muted(instance.rule));
        }
        Ok(())
    }

    /// Returns the instance that derives `atom`, or `None` if the atom is external input.
    pub fn instance(&self, atom: Symbol) -> Option<&Instance> {
        self.chosen.get(&atom)
    }

    /// Returns the other instances that derive `atom` from atoms that do not depend on it.
    fn others(&self, atom: Symbol) -> Vec<&Instance> {
        let others = self.others.get(&atom).map_or(&[][..], |others| others);
        let mut found: Vec<&Instance> = Vec::new();
        for instance in others.iter().take(MAX_OTHERS) {
            if !found.contains(&instance) && !self.depends_on(&instance.needs, atom) {
                found.push(instance);
            }
        }
        found
    }

    /// Returns true if the chosen derivation of one of `needs` uses `atom`.
    fn depends_on(&self, needs: &[Symbol], atom: Symbol) -> bool {
        let round = |atom: Symbol| self.round(atom).unwrap_or(usize::MAX);
        let mut seen: HashSet<Symbol> = needs.iter().copied().collect();
        let mut open = needs.to_vec();
        while let Some(need) = open.pop() {
            if need == atom {
                return true;
            }
            // The needs of an atom are derived before it.
            if round(need) > round(atom) {
                let needs = self.instance(need).map_or(&[][..], |instance| &instance.needs);
                open.extend(needs.iter().filter(|need| seen.insert(**need)));
            }
        }
        false
    }

    /// Returns the round in which `atom` is derived. The atoms that it needs are derived in earlier
    /// rounds.
    pub fn round(&self, atom: Symbol) -> Option<usize> {
        self.rounds.get(&atom).copied()
    }
}

/// Returns the indices of the statements on which the atoms in `asked` depend, judged by the names
/// of predicates.
fn dependencies(statements: &[Statement], asked: &[Symbol]) -> HashSet<usize> {
    let asked = asked.iter().filter_map(|&atom| function_of(atom));
    let mut names: Vec<(bool, &str)> = asked.map(|(is_positive, name, _)| (is_positive, name)).collect();
    let mut seen: HashSet<(bool, &str)> = names.iter().copied().collect();
    let name_of = |literal: &Literal| literal.positive_atom().and_then(Term::name);
    let mut dependencies = HashSet::new();
    while let Some(name) = names.pop() {
        for (number, statement) in statements.iter().enumerate().filter(|(_, statement)| statement.is_grounded()) {
            if statement.heads().iter().any(|(head, _)| name_of(head) == Some(name)) && dependencies.insert(number) {
                names.extend(statement.literals().filter_map(name_of).filter(|&name| seen.insert(name)));
            }
        }
    }
    dependencies
}

/// Returns rules that derive `FIRES` for the applied instances of a statement and `INSIDE` for the
/// true atoms in its aggregates.
fn tracing_rules(number: usize, statement: &Statement) -> String {
    let mut rules = String::new();
    let values = tuple(&statement.variables);
    for (head, condition) in statement.heads() {
        let (body, needs) =
            with_named_variables(statement.body.iter().chain(condition).filter(|literal| !is_theory_literal(literal)));
        rules += &rule(&format!("{FIRES}({number},{head},{values},{})", tuple(&needs)), &body);
    }
    for literal in statement.body.iter().filter(|literal| literal.sign == Sign::Positive) {
        for element in literal.elements() {
            let (mut body, atoms) = with_named_variables(element.literals());
            body.insert(0, format!("{FIRES}({number},_,{values},_)"));
            rules.extend(atoms.iter().map(|atom| rule(&format!("{INSIDE}({number},{values},{atom})"), &body)));
        }
    }
    rules
}

/// Returns true for theory atoms, which have no meaning in the second grounding.
fn is_theory_literal(literal: &Literal) -> bool {
    matches!(literal.atom, Atom::Theory(_))
}

/// Gives the anonymous variables of `literals` names, so that the matched atoms can be identified.
/// Returns the texts of all literals, and those of the positive atoms.
fn with_named_variables<'a>(literals: impl Iterator<Item = &'a Literal>) -> (Vec<String>, Vec<String>) {
    let mut all = Vec::new();
    let mut atoms = Vec::new();
    for (place, literal) in literals.enumerate() {
        let name = |token: Token<'_>| (token.text == "_").then(|| format!("__A{place}x{}", token.start));
        let atom = literal.positive_atom().map(|atom| syntax::rename_words(&atom.to_string(), name));
        all.push(atom.clone().unwrap_or_else(|| literal.to_string()));
        atoms.extend(atom);
    }
    (all, atoms)
}

/// The rules of the rewritten program that derive atoms of the answer or auxiliary atoms.
struct Propagation<'a> {
    ground: &'a GroundProgram,
    /// By rule: the weight that its body still needs from derived atoms; `i64::MAX` if the rule
    /// derives nothing.
    missing_weight: Vec<i64>,
    /// By true atom: the deriving rules whose bodies contain it, with its weight there.
    rules_of_atom: HashMap<u32, Vec<(usize, i32)>>,
    /// Rules that need no more weight and are not yet applied.
    ready: Vec<usize>,
    derived: FxHashSet<u32>,
}

impl<'a> Propagation<'a> {
    fn new(ground: &'a GroundProgram, holding: &FxHashSet<u32>) -> Self {
        let is_true = |literal: i32| holds_in(literal, |atom| holding.contains(&atom));
        let mut missing_weight: Vec<i64> = vec![i64::MAX; ground.rules.len()];
        let mut rules_of_atom: HashMap<u32, Vec<(usize, i32)>> = HashMap::new();
        for (number, rule) in ground.rules.iter().enumerate() {
            // Choices permit the atoms of the answer but do not derive them.
            if rule.is_choice || rule.weight(is_true) < rule.required_weight() {
                continue;
            }
            missing_weight[number] = rule.required_weight() - rule.weight(|literal| literal < 0 && is_true(literal));
            for &(literal, weight) in rule.body.iter().filter(|(literal, _)| *literal > 0 && is_true(*literal)) {
                rules_of_atom.entry(literal as u32).or_default().push((number, weight));
            }
        }
        let ready = (0..missing_weight.len()).filter(|&rule| missing_weight[rule] <= 0).collect();
        Propagation { ground, missing_weight, rules_of_atom, ready, derived: FxHashSet::default() }
    }

    /// Derives the atoms in `fresh` and all that follow from the derived atoms. Returns the new
    /// ones, in the order in which they are derived.
    fn derive(&mut self, mut fresh: Vec<u32>) -> Vec<u32> {
        let mut new = Vec::new();
        loop {
            while let Some(atom) = fresh.pop() {
                if !self.derived.insert(atom) {
                    continue;
                }
                new.push(atom);
                for &(rule, weight) in self.rules_of_atom.get(&atom).into_iter().flatten() {
                    let was_waiting = self.missing_weight[rule] > 0;
                    self.missing_weight[rule] -= i64::from(weight);
                    self.ready.extend((was_waiting && self.missing_weight[rule] <= 0).then_some(rule));
                }
            }
            let Some(rule) = self.ready.pop() else { return new };
            fresh.extend(self.ground.rules[rule].head.iter().filter(|atom| !self.derived.contains(atom)));
        }
    }
}

struct AppliedInstance {
    /// The number of its atom in the ground program; `None` for a fact.
    number: Option<u32>,
    instance: Instance,
    /// The atoms of its aggregates.
    inside: Vec<Symbol>,
}

/// Removes the instances of disjunctions that have several true head atoms, and returns them,
/// grouped by disjunction: a disjunction derives an atom only if none of its other atoms holds.
fn split_off_shared_heads(
    instances: &mut Vec<AppliedInstance>,
    is_disjunction: impl Fn(usize) -> bool,
) -> Vec<Vec<AppliedInstance>> {
    let mut groups: HashMap<(usize, Vec<Symbol>), Vec<AppliedInstance>> = HashMap::new();
    let mut order = Vec::new();
    for applied in instances.extract_if(.., |applied| is_disjunction(applied.instance.rule)) {
        let key = (applied.instance.rule, applied.instance.values.clone());
        let group = groups.entry(key.clone()).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(applied);
    }
    let groups = order.iter().filter_map(|key| groups.remove(key));
    let has_shared_heads =
        |group: &Vec<AppliedInstance>| group.iter().any(|applied| applied.instance.head != group[0].instance.head);
    let (shared, sole): (Vec<_>, Vec<_>) = groups.partition(has_shared_heads);
    instances.extend(sole.into_iter().flatten());
    shared
}

fn applied_instances(known: &[(Symbol, Option<u32>)], answer_atoms: &HashSet<Symbol>) -> Vec<AppliedInstance> {
    let (mut fires, mut inside) = (Vec::new(), HashMap::<(Symbol, Symbol), Vec<Symbol>>::new());
    for &(atom, number) in known {
        match (asp::signature_of(atom), atom.arguments().unwrap_or_default().as_slice()) {
            (Some((FIRES, 4)), &[rule, head, values, needs]) => fires.push((rule, head, values, needs, number)),
            (Some((INSIDE, 3)), &[rule, values, atom]) => inside.entry((rule, values)).or_default().push(atom),
            _ => {}
        }
    }
    let are_deep = |&(rule, head, values, needs, _): &(Symbol, Symbol, Symbol, Symbol, Option<u32>)| {
        [rule, head, values, needs].into_iter().any(is_deep)
    };
    sort_by_symbols(&mut fires, are_deep, |&key| key);
    let instance = |(rule, head, values, needs, number): (Symbol, Symbol, Symbol, Symbol, Option<u32>)| {
        let mut needs = needs.arguments().unwrap_or_default();
        let mut seen = HashSet::new();
        needs.retain(|&atom| seen.insert(atom));
        let mut inside = inside.get(&(rule, values)).cloned().unwrap_or_default();
        sort_by_symbols(&mut inside, |&atom| is_deep(atom), |&atom| atom);
        let rule = rule.number().ok().and_then(|rule| usize::try_from(rule).ok())?;
        // The expansion of a pool yields atoms that the body did not match.
        let holds = answer_atoms.contains(&head) && needs.iter().all(|atom| answer_atoms.contains(atom));
        let values = values.arguments().unwrap_or_default();
        holds.then_some(AppliedInstance { number, instance: Instance { rule, values, head, needs }, inside })
    };
    fires.into_iter().filter_map(instance).collect()
}

/// A derivation as a printable tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivationTree {
    pub atom: Symbol,
    /// The atom in words.
    pub words: String,
    /// The rule or fact; `None` for external input.
    pub part: Option<Part>,
    /// True if a comment describes the rule; the description is printed in place of its text.
    pub has_words: bool,
    pub children: TreeChildren,
    /// The number of this derivation, from 1, and the number of derivations of the atom.
    pub number: (usize, usize),
    /// Further derivations of the atom, as many as were requested.
    pub others: Vec<DerivationTree>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeChildren {
    /// The needs of the rule.
    Nodes(Vec<DerivationTree>),
    /// The atom holds in every answer because of the facts alone. The tree does not explain it, but
    /// a separate query does.
    Given,
    /// The atom is explained at another node of the tree.
    Elsewhere,
    /// The tree is too deep to print.
    TooDeep,
}

impl DerivationTree {
    /// Builds the tree of `atom`, with at most `most` derivations of each atom. Atoms for which
    /// `given` returns true are not explained, except if `given(atom)` is true itself.
    pub fn of(
        derivation: &Derivation,
        atom: Symbol,
        given: &dyn Fn(Symbol) -> bool,
        most: usize,
        relaxed: &RelaxedProgram,
    ) -> Result<DerivationTree, Failure> {
        let is_folded = |other: Symbol| other != atom && given(other) && !given(atom);
        // Each atom is explained once, at its first occurrence in breadth-first order.
        let mut parents = HashMap::from([(atom, None)]);
        let mut shown: Vec<(Vec<&Instance>, usize)> = Vec::new();
        let mut reached = vec![atom];
        let mut queue = VecDeque::from([(atom, 0)]);
        while let Some((current, depth)) = queue.pop_front() {
            let Some(first) = derivation.instance(current) else { continue };
            let mut all = vec![first];
            if !is_folded(current) {
                all.extend(derivation.others(current));
            }
            let total = all.len();
            all.truncate(most);
            if !is_folded(current) && depth < MAX_DEPTH {
                for &need in all.iter().flat_map(|instance| &instance.needs) {
                    parents.entry(need).or_insert_with(|| {
                        reached.push(need);
                        queue.push_back((need, depth + 1));
                        Some(current)
                    });
                }
            }
            shown.push((all, total));
        }
        let all = shown.iter().flat_map(|(instances, _)| instances);
        let keys: Vec<(usize, Vec<Symbol>)> = all.map(|one| (one.rule, one.values.clone())).collect();
        let mut parts = relaxed.instances(&keys)?.into_iter();
        let instances = shown.into_iter().map(|(instances, total)| {
            let head = instances[0].head;
            (head, AtomInstances { shown: instances.into_iter().cloned().zip(parts.by_ref()).collect(), total })
        });
        let instances = instances.collect();
        let words: HashMap<Symbol, Phrase> = reached.iter().copied().zip(relaxed.words().of_atoms(&reached)?).collect();
        let wording = relaxed.words();
        Ok(TreeBuilder { wording, words, instances, is_folded: &is_folded, parents }.tree(atom, None, true))
    }

    pub fn needs(&self) -> &[DerivationTree] {
        if let TreeChildren::Nodes(needs) = &self.children { needs } else { &[] }
    }

    /// Returns this derivation and the further ones of the atom.
    pub fn all(&self) -> impl Iterator<Item = &DerivationTree> {
        std::iter::once(self).chain(&self.others)
    }
}

/// The derivations of an atom.
struct AtomInstances {
    /// Those to show, with their parts.
    shown: Vec<(Instance, Part)>,
    total: usize,
}

struct TreeBuilder<'a> {
    wording: &'a Wording,
    words: HashMap<Symbol, Phrase>,
    instances: HashMap<Symbol, AtomInstances>,
    is_folded: &'a dyn Fn(Symbol) -> bool,
    /// The parent below which each atom is explained.
    parents: HashMap<Symbol, Option<Symbol>>,
}

impl TreeBuilder<'_> {
    /// Builds the tree of an atom below `parent`, which explains it only if it is its first
    /// occurrence there.
    fn tree(&self, atom: Symbol, parent: Option<Symbol>, is_first: bool) -> DerivationTree {
        let words = self.words.get(&atom).map_or_else(|| to_text_truncated(atom), ToString::to_string);
        let leaf = DerivationTree {
            atom,
            words,
            part: None,
            has_words: false,
            children: TreeChildren::Nodes(Vec::new()),
            number: (1, 1),
            others: Vec::new(),
        };
        let Some(AtomInstances { shown, total }) = self.instances.get(&atom) else { return leaf };
        let is_explained = |need: &Symbol| self.parents.contains_key(need);
        let mut seen = HashSet::new();
        let mut trees = (1..).zip(shown).map(|(number, (instance, part))| {
            let children = match &instance.needs[..] {
                [] => TreeChildren::Nodes(Vec::new()),
                _ if (self.is_folded)(atom) => TreeChildren::Given,
                _ if self.parents.get(&atom) != Some(&parent) || !is_first => TreeChildren::Elsewhere,
                needs if !needs.iter().all(is_explained) => TreeChildren::TooDeep,
                needs => TreeChildren::Nodes(
                    needs.iter().map(|&need| self.tree(need, Some(atom), seen.insert(need))).collect(),
                ),
            };
            DerivationTree {
                part: Some(part.clone()),
                has_words: self.wording.has(instance.rule),
                children,
                number: (number, *total),
                ..leaf.clone()
            }
        });
        let first = trees.next().unwrap_or_else(|| leaf.clone());
        let others = match first.children {
            TreeChildren::Given | TreeChildren::Elsewhere => Vec::new(),
            _ => trees.collect(),
        };
        DerivationTree { others, ..first }
    }
}
