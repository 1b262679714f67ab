//! How an atom comes to hold in an answer: a tree of rules, each with what it needs.
//!
//! The atoms of the answer are given to a second grounding, where each may hold or not, and each rule K of the source, with the
//! variables X,…, becomes
//!
//! ```text
//! fires(K, head, (X,…), (a,…)) :- body.          a,…: the positive atoms of the body
//! inside(K, (X,…), b) :- fires(K,_,(X,…),_), …     b: an atom of an aggregate of the body
//! ```
//!
//! There no rule derives what a body speaks of. Solved with all atoms of the answer, it tells the instances of rules that
//! apply, whatever negation and aggregates they have. From its ground rules an order is made, exact for aggregates that depend
//! on themselves, too: an atom is there one round after all that one of its instances needs. Each atom is explained by an
//! instance that brought it first, so that nothing explains itself.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::PoisonError;

use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::{Kind, Line, Part, Switched, Words};
use crate::asp::statement::{Form, Head, Literal, Sign, Statement};
use crate::asp::syntax::{self, Token, name_of};
use crate::asp::transform::{rule, tuple};
use crate::asp::{
    Ground, Program, Rewritten, Settings, Signature, Solver, Symbol, brief, function, is_deep, predicate_of,
    sort_by_symbols, to_text,
};
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::picture::escaped;
use crate::report::Style;
use crate::stop::Stop;

const FIRES: &str = "__asp_solve_fires";
const FREE: &str = "__asp_solve_free";
const INSIDE: &str = "__asp_solve_inside";

/// Trees are no deeper.
const DEEPEST: usize = 40;

/// An instance of a rule that applies, and one atom of its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The number of the statement.
    pub rule: usize,
    pub values: Vec<Symbol>,
    pub head: Symbol,
    /// What it needs: the positive atoms of its body, those in aggregates among them.
    pub needs: Vec<Symbol>,
}

/// Which instance brings each atom of an answer.
#[derive(Debug, Default)]
pub struct Derivation {
    chosen: HashMap<Symbol, Instance>,
    /// The round in which an atom is there.
    rounds: HashMap<Symbol, usize>,
}

impl Derivation {
    /// Explains the atoms of an answer on which those depend that are `asked`.
    pub fn of(
        statements: &[Statement],
        last_step: Option<u32>,
        answer: &[Symbol],
        asked: &[Symbol],
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Derivation, Failure> {
        let rules = depended_on(statements, asked);
        let rewritten = Rewritten::of(statements.iter().enumerate(), |number, statement| match statement.head {
            Head::Directive if statement.text.starts_with("#const") => statement.text.clone(),
            _ if rules.contains(&number) => instances_of(number, statement),
            _ => String::new(),
        });
        // The text of deep atoms would be too long: they are given as terms, from which they are free.
        let (deep, shallow): (Vec<Symbol>, Vec<Symbol>) = answer.iter().copied().partition(|&atom| is_deep(atom));
        let mut free: String = shallow.iter().map(|&atom| format!("{{ {} }}.\n", to_text(atom))).collect();
        for predicate in deep.iter().filter_map(|&atom| predicate_of(atom)).collect::<BTreeSet<Signature>>() {
            let variables: Vec<String> = (0..predicate.arity).map(|number| format!("X{number}")).collect();
            let atom = predicate.atom(&variables);
            free += &format!("{{ {atom} }} :- {FREE}({atom}).\n");
        }
        let facts = deep.iter().filter_map(|&atom| function(FREE, &[atom])).collect();
        // clingo would print all atoms that it may have to show, however long.
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
            holding = ground.lock().unwrap_or_else(PoisonError::into_inner).holding(model);
            ControlFlow::Break(())
        })?;
        let holding = holding?;
        let mut known = Vec::new();
        for (atom, is_fact) in solver.control().known_atoms()? {
            let number = solver.control().literal(atom).map_or(0, i32::unsigned_abs);
            known.extend((is_fact || holding.contains(&number)).then_some((atom, (!is_fact).then_some(number))));
        }
        let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
        let is_disjunction = |rule: usize| matches!(statements[rule].head, Head::Disjunction { .. });
        Ok(Derivation::in_order(&ground, &holding, &known, answer, is_disjunction))
    }

    /// Chooses the instance that brings each atom first. `known` are the atoms that hold, with their numbers if they are no
    /// facts.
    fn in_order(
        ground: &Ground,
        holding: &FxHashSet<u32>,
        known: &[(Symbol, Option<u32>)],
        answer: &[Symbol],
        is_disjunction: impl Fn(usize) -> bool,
    ) -> Derivation {
        let of_answer: HashSet<Symbol> = answer.iter().copied().collect();
        let mut instances = instances(known, &of_answer);
        // A disjunction brings an atom where none of its others holds.
        let mut heads: HashMap<(usize, Vec<Symbol>), HashSet<Symbol>> = HashMap::new();
        for (_, instance, _) in instances.iter().filter(|(_, instance, _)| is_disjunction(instance.rule)) {
            heads.entry((instance.rule, instance.values.clone())).or_default().insert(instance.head);
        }
        instances.retain(|(_, instance, _)| {
            let heads = heads.get(&(instance.rule, instance.values.clone()));
            heads.is_none_or(|heads| heads.len() == 1)
        });
        let numbers: HashMap<Symbol, u32> = known.iter().filter_map(|&(atom, number)| Some((atom, number?))).collect();
        let firing: HashMap<u32, &Instance> =
            instances.iter().filter_map(|(number, instance, _)| Some(((*number)?, instance))).collect();
        let mut lacking: Vec<i64> = Vec::with_capacity(ground.rules.len());
        let mut users: HashMap<u32, Vec<(usize, i32)>> = HashMap::new();
        for (number, rule) in ground.rules.iter().enumerate() {
            let is_true = |literal: i32| holding.contains(&literal.unsigned_abs()) == (literal > 0);
            // Choices only let the atoms of the answer hold.
            let counts = !rule.is_choice && rule.weight(is_true) >= rule.wanted();
            let at_once = rule.weight(|literal| literal < 0 && is_true(literal));
            lacking.push(if counts { rule.wanted() - at_once } else { i64::MAX });
            for &(literal, weight) in
                rule.body.iter().filter(|(literal, _)| counts && *literal > 0 && is_true(*literal))
            {
                users.entry(literal as u32).or_default().push((number, weight));
            }
        }
        let mut derivation = Derivation::default();
        // What no rule brings comes from outside.
        let heads: HashSet<Symbol> = instances.iter().map(|(_, instance, _)| instance.head).collect();
        let outside: Vec<Symbol> = of_answer.iter().filter(|atom| !heads.contains(atom)).copied().collect();
        derivation.rounds.extend(outside.iter().map(|&atom| (atom, 0)));
        let mut fresh: Vec<u32> = outside.iter().filter_map(|atom| numbers.get(atom).copied()).collect();
        let mut ready: Vec<usize> = (0..lacking.len()).filter(|&rule| lacking[rule] <= 0).collect();
        let mut fired: Vec<&Instance> =
            instances.iter().filter(|(number, ..)| number.is_none()).map(|(_, instance, _)| instance).collect();
        let inside: HashMap<(usize, &[Symbol]), &[Symbol]> = instances
            .iter()
            .map(|(_, instance, inside)| ((instance.rule, &instance.values[..]), &inside[..]))
            .collect();
        let mut there: FxHashSet<u32> = FxHashSet::default();
        for round in 1.. {
            // What stands between the atoms of the answer takes no time.
            loop {
                while let Some(atom) = fresh.pop() {
                    if !there.insert(atom) {
                        continue;
                    }
                    fired.extend(firing.get(&atom).copied());
                    for &(rule, weight) in users.get(&atom).into_iter().flatten() {
                        let lacked = lacking[rule] > 0;
                        lacking[rule] -= i64::from(weight);
                        ready.extend((lacked && lacking[rule] <= 0).then_some(rule));
                    }
                }
                let Some(rule) = ready.pop() else { break };
                fresh.extend(ground.rules[rule].head.iter().filter(|atom| !there.contains(atom)));
            }
            fired.retain(|instance| !derivation.rounds.contains_key(&instance.head));
            if fired.is_empty() {
                break;
            }
            // The shortest is the clearest.
            let are_deep = |instance: &&Instance| instance.values.iter().any(|&value| is_deep(value));
            sort_by_symbols(&mut fired, are_deep, |instance| {
                (instance.needs.len(), instance.rule, instance.values.clone())
            });
            for instance in fired.drain(..) {
                let is_before = |atom: &&Symbol| derivation.rounds.get(atom).is_some_and(|&before| before < round);
                let inside = inside.get(&(instance.rule, &instance.values[..])).copied().unwrap_or_default();
                let inside = inside.iter().filter(|atom| is_before(atom) && !instance.needs.contains(atom));
                let needs = instance.needs.iter().chain(inside).copied().collect();
                if let Entry::Vacant(first) = derivation.rounds.entry(instance.head) {
                    first.insert(round);
                    derivation.chosen.insert(instance.head, Instance { needs, ..instance.clone() });
                    fresh.extend(numbers.get(&instance.head));
                }
            }
        }
        derivation
    }

    /// Leaves out what comments say.
    pub fn mute(&mut self, words: &Words, answer: &[Symbol]) -> Result<(), Failure> {
        let muted: HashSet<Symbol> = words.muted(answer)?.into_iter().collect();
        for instance in self.chosen.values_mut() {
            instance.needs.retain(|need| !muted.contains(need) && !words.is_muted(instance.rule));
        }
        Ok(())
    }

    /// The instance that brings an atom; none if it comes from outside.
    pub fn instance(&self, atom: Symbol) -> Option<&Instance> {
        self.chosen.get(&atom)
    }

    /// In which round an atom is there; all that it needs is there before.
    pub fn round(&self, atom: Symbol) -> Option<usize> {
        self.rounds.get(&atom).copied()
    }
}

/// The statements that derive something on which an atom depends, by the names of predicates.
fn depended_on(statements: &[Statement], asked: &[Symbol]) -> HashSet<usize> {
    let mut names: Vec<String> = asked.iter().map(|&atom| name_of(&brief(atom)).to_owned()).collect();
    let mut known: HashSet<String> = names.iter().cloned().collect();
    let mut found = HashSet::new();
    while let Some(name) = names.pop() {
        for (number, statement) in statements.iter().enumerate().filter(|(_, statement)| !statement.is_elsewhere()) {
            if statement.heads().iter().any(|(atom, _)| name_of(atom) == name) && found.insert(number) {
                let atoms = statement.literals().filter_map(positive).map(|atom| name_of(atom).to_owned());
                names.extend(atoms.filter(|name| known.insert(name.clone())));
            }
        }
    }
    found
}

/// The atom of a literal that is an atom without a sign.
fn positive(literal: &Literal) -> Option<&str> {
    match &literal.form {
        Form::Atom(atom) if literal.sign == Sign::Positive => Some(atom),
        _ => None,
    }
}

/// The rules that tell which instances of a rule apply, and which atoms of its aggregates hold.
fn instances_of(number: usize, statement: &Statement) -> String {
    let (mut rules, values) = (String::new(), tuple(&statement.variables));
    for (head, condition) in statement.heads() {
        let (body, needs) = named(statement.body.iter().chain(condition).filter(|literal| !is_of_theory(literal)));
        rules += &rule(&format!("{FIRES}({number},{head},{values},{})", tuple(&needs)), &body);
    }
    for literal in statement.body.iter().filter(|literal| literal.sign == Sign::Positive) {
        let Form::Elements(elements) = &literal.form else { continue };
        for element in elements {
            let (mut body, atoms) = named(element.iter());
            body.insert(0, format!("{FIRES}({number},_,{values},_)"));
            rules.extend(atoms.iter().map(|atom| rule(&format!("{INSIDE}({number},{values},{atom})"), &body)));
        }
    }
    rules
}

/// No theory gives it a meaning here.
fn is_of_theory(literal: &Literal) -> bool {
    matches!(literal.form, Form::Other) && literal.text.trim_start_matches("not ").starts_with('&')
}

/// Literals whose anonymous variables have names, so that it is known which atoms were met; and the atoms among them.
fn named<'a>(literals: impl Iterator<Item = &'a Literal>) -> (Vec<String>, Vec<String>) {
    let (mut all, mut atoms) = (Vec::new(), Vec::new());
    for (place, literal) in literals.enumerate() {
        let name = |token: Token<'_>| (token.text == "_").then(|| format!("__A{place}x{}", token.start));
        let atom = positive(literal).map(|atom| syntax::renamed(atom, name));
        all.push(atom.clone().unwrap_or_else(|| literal.text.clone()));
        atoms.extend(atom);
    }
    (all, atoms)
}

/// An instance that applies, with its number in the ground program, and the atoms of its aggregates.
type Applied = (Option<u32>, Instance, Vec<Symbol>);

fn instances(known: &[(Symbol, Option<u32>)], of_answer: &HashSet<Symbol>) -> Vec<Applied> {
    let (mut fires, mut inside) = (Vec::new(), HashMap::<(Symbol, Symbol), Vec<Symbol>>::new());
    for &(atom, number) in known {
        match (crate::asp::signature_of(atom), atom.arguments().unwrap_or_default().as_slice()) {
            (Some((FIRES, 4)), &[rule, head, values, needs]) => fires.push((rule, head, values, needs, number)),
            (Some((INSIDE, 3)), &[rule, values, atom]) => inside.entry((rule, values)).or_default().push(atom),
            _ => {}
        }
    }
    let are_deep = |&(rule, head, values, needs, _): &(Symbol, Symbol, Symbol, Symbol, Option<u32>)| {
        [rule, head, values, needs].into_iter().any(is_deep)
    };
    sort_by_symbols(&mut fires, are_deep, |&fired| fired);
    let instance = |(rule, head, values, needs, number): (Symbol, Symbol, Symbol, Symbol, Option<u32>)| {
        let mut needs = needs.arguments().unwrap_or_default();
        let mut seen = HashSet::new();
        needs.retain(|&atom| seen.insert(atom));
        let mut inside = inside.get(&(rule, values)).cloned().unwrap_or_default();
        sort_by_symbols(&mut inside, |&atom| is_deep(atom), |&atom| atom);
        let rule = rule.number().ok().and_then(|rule| usize::try_from(rule).ok())?;
        // A pool gives atoms that the body did not meet.
        let holds = of_answer.contains(&head) && needs.iter().all(|atom| of_answer.contains(atom));
        let values = values.arguments().unwrap_or_default();
        holds.then_some((number, Instance { rule, values, head, needs }, inside))
    };
    fires.into_iter().filter_map(instance).collect()
}

/// A derivation as it is told: a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    pub atom: Symbol,
    /// What the atom is called.
    pub words: String,
    /// The rule or fact; none of what comes from outside.
    pub part: Option<Part>,
    /// A comment gives the rule words, which are told in place of its text.
    has_words: bool,
    pub below: Below,
}

/// What stands below an atom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Below {
    /// What the rule needs.
    Needs(Vec<Tree>),
    /// It holds in every answer, by the facts alone, and whoever wants to know why may ask.
    Given,
    /// It is explained elsewhere in the tree.
    Elsewhere,
    /// Too deep to print.
    TooDeep,
}

impl Tree {
    /// The tree of an atom. What is `given` is not explained, but for the atom itself.
    pub fn of(
        derivation: &Derivation,
        atom: Symbol,
        given: &dyn Fn(Symbol) -> bool,
        switched: &Switched,
    ) -> Result<Tree, Failure> {
        let is_folded = |other: Symbol| other != atom && given(other) && !given(atom);
        // Each atom is explained once, where it is met first, level by level.
        let mut parents = HashMap::from([(atom, None)]);
        let (mut met, mut waiting) = (vec![atom], VecDeque::from([(atom, 0)]));
        while let Some((next, depth)) = waiting.pop_front() {
            if is_folded(next) || depth == DEEPEST {
                continue;
            }
            for &need in derivation.instance(next).map_or(&[][..], |instance| &instance.needs) {
                parents.entry(need).or_insert_with(|| {
                    met.push(need);
                    waiting.push_back((need, depth + 1));
                    Some(next)
                });
            }
        }
        let words: HashMap<Symbol, String> = met.iter().copied().zip(switched.words().of_atoms(&met)?).collect();
        let explained: Vec<&Instance> = met.iter().filter_map(|&atom| derivation.instance(atom)).collect();
        let instances: Vec<(usize, Vec<Symbol>)> =
            explained.iter().map(|instance| (instance.rule, instance.values.clone())).collect();
        let heads = explained.iter().map(|instance| instance.head);
        let parts: HashMap<Symbol, Part> = heads.zip(switched.instances(&instances)?).collect();
        let told = switched.words();
        Ok(Telling { derivation, told, words, parts, is_folded: &is_folded, parents }.tree(atom, None))
    }

    /// As JSON: the rule's keys, and below `because` what it needs.
    pub fn json(&self) -> Value {
        let mut object = json!({ "atom": brief(self.atom) });
        if let Some(Value::Object(part)) = self.part.as_ref().map(Part::json) {
            object.as_object_mut().expect("it is an object").extend(part);
        }
        match &self.below {
            Below::Needs(needs) => object["because"] = needs.iter().map(Tree::json).collect(),
            Below::Given => object["given"] = json!(true),
            Below::Elsewhere => object["elsewhere"] = json!(true),
            Below::TooDeep => object["deeper"] = json!(true),
        }
        object
    }

    /// As a line above those of what it needs.
    pub fn line(&self) -> Line {
        let line = self.part.as_ref().map(Line::of).unwrap_or_default();
        Line { atom: Some(brief(self.atom)), below: self.needs().iter().map(Tree::line).collect(), ..line }
    }

    /// As text, with at most this many lines.
    pub fn text(&self, lines: usize, style: &Style) -> String {
        let depth = (1..).find(|&depth| self.lines(depth) > lines || self.lines(depth) == self.lines(depth + 1));
        let depth = depth.map_or(1, |depth| if self.lines(depth) > lines { depth - 1 } else { depth }.max(2));
        let mut out = String::new();
        self.write(&mut out, "", "", depth, style);
        out
    }

    /// As nested elements of a page, which can be folded.
    pub fn html(&self) -> String {
        let because = format!("<small>{}</small>", escaped(&self.because()));
        let line = format!("{}{because}", escaped(&self.words));
        match self.needs() {
            [] => format!("<details><summary>{line}</summary></details>\n"),
            needs => {
                let below: String = needs.iter().map(Tree::html).collect();
                format!("<details open><summary>{line}</summary>\n{below}</details>\n")
            }
        }
    }

    fn needs(&self) -> &[Tree] {
        if let Below::Needs(needs) = &self.below { needs } else { &[] }
    }

    fn lines(&self, depth: usize) -> usize {
        let lines = |tree: &Tree| if tree.below == Below::Given { 0 } else { tree.lines(depth - 1) };
        1 + if depth == 0 { 0 } else { self.needs().iter().map(lines).sum() }
    }

    /// The rule and where it stands.
    fn because(&self) -> String {
        match (&self.part, &self.below) {
            (_, Below::Elsewhere) => "(explained elsewhere)".to_owned(),
            (_, Below::Given) => "(in every answer)".to_owned(),
            (Some(part), _) => {
                let place = part.place.as_ref().map(|place| format!("{}:{}", place.file, place.start.line));
                let rule = match part.kind {
                    Kind::Fact => String::new(),
                    _ => format!("{}  ", if self.has_words { &part.words } else { &part.text }),
                };
                rule + &place.unwrap_or_default()
            }
            (None, _) => "(from outside)".to_owned(),
        }
    }

    fn write(&self, out: &mut String, first: &str, rest: &str, depth: usize, style: &Style) {
        let dim = |text: &str| style.paint(anstyle::Style::new().dimmed(), text);
        let because = dim(&format!("  {}", self.because()));
        *out += &format!("{first}{}{because}\n", style.paint(anstyle::Style::new(), &self.words));
        let needs = self.needs();
        if self.below == Below::TooDeep || depth == 0 && !needs.is_empty() {
            *out += &format!("{rest}└─ …\n");
            return;
        }
        let (given, told): (Vec<&Tree>, Vec<&Tree>) = needs.iter().partition(|tree| tree.below == Below::Given);
        let given: Vec<&str> = given.into_iter().map(|tree| tree.words.as_str()).collect();
        let mut left = told.len() + usize::from(!given.is_empty());
        let mut branch = || {
            left -= 1;
            if left == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") }
        };
        for tree in told {
            let (branch, bar) = branch();
            tree.write(out, &format!("{rest}{branch}"), &format!("{rest}{bar}"), depth - 1, style);
        }
        if !given.is_empty() {
            *out += &format!("{rest}{}{}{}\n", branch().0, given.join(", "), dim("  (in every answer)"));
        }
    }
}

/// What telling a tree needs to know.
struct Telling<'a> {
    derivation: &'a Derivation,
    told: &'a Words,
    words: HashMap<Symbol, String>,
    parts: HashMap<Symbol, Part>,
    is_folded: &'a dyn Fn(Symbol) -> bool,
    /// Below which atom each is explained.
    parents: HashMap<Symbol, Option<Symbol>>,
}

impl Telling<'_> {
    fn tree(&self, atom: Symbol, parent: Option<Symbol>) -> Tree {
        let words = self.words.get(&atom).cloned().unwrap_or_else(|| brief(atom));
        let part = self.parts.get(&atom).cloned();
        let needs = self.derivation.instance(atom).map_or(&[][..], |instance| &instance.needs);
        let is_explained = |need: &Symbol| self.parents.contains_key(need);
        let below = match needs {
            [] => Below::Needs(Vec::new()),
            _ if (self.is_folded)(atom) => Below::Given,
            _ if self.parents.get(&atom) != Some(&parent) => Below::Elsewhere,
            needs if !needs.iter().all(is_explained) => Below::TooDeep,
            needs => Below::Needs(needs.iter().map(|&need| self.tree(need, Some(atom))).collect()),
        };
        let has_words = self.derivation.instance(atom).is_some_and(|instance| self.told.has(instance.rule));
        Tree { atom, words, part, has_words, below }
    }
}
