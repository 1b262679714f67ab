//! Lints that need one statement or one text: pools of different arity, choices without a choice,
//! comparisons as heads, and constants that are probably variables.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};

use base::diagnostic::{Code, Diagnostic, Edit, Fix, Place};
use base::document::Document;

use crate::arithmetic::{self, Constants};
use crate::ffi::{CallError, Control};
use crate::statement::Statement;
use crate::syntax::{self, Signature, Token};
use crate::tree::{Aggregate, Atom, Element, Guard, Head, Literal, Part, Relation, Sign, Term, TermKind};

/// Maximum length of a text in bytes; longer texts are generated.
const LONGEST: usize = 100_000;
/// Predicates with more atoms are not checked for the values of constants.
const MAX_ATOMS: usize = 20_000;

/// Returns the `pool-arity` lints of a text: `p(a,b;c)` stands for `p(a,b)` and `p(c)`.
pub fn pool_arities(document: &Document) -> Vec<Diagnostic> {
    let text: &str = if document.text.len() < LONGEST { &document.text } else { "" };
    let mut found = Vec::new();
    for range in syntax::ranges(text) {
        let statement = &text[range.clone()];
        // Theories have a syntax of their own.
        if statement.contains(';') && !statement.contains('&') && !statement.starts_with("#theory") {
            found.extend(first_uneven_pool(statement).map(|pool| pool.lint(document, range.start)));
        }
    }
    found
}

/// A term `name(…;…)` whose alternatives have different numbers of arguments.
struct UnevenPool<'a> {
    name: Token<'a>,
    /// The byte ranges of the arguments of each alternative, in the statement.
    alternatives: Vec<Vec<Range<usize>>>,
    end: usize,
}

fn first_uneven_pool(statement: &str) -> Option<UnevenPool<'_>> {
    let tokens: Vec<Token<'_>> = syntax::tokens(statement).collect();
    tokens.windows(2).enumerate().find_map(|(at, pair)| {
        let is_term = syntax::is_name(pair[0].text) && pair[0].text != "not" && pair[1].text == "(";
        let pool = is_term.then(|| pool_at(&tokens, at)).flatten()?;
        let arity = pool.alternatives[0].len();
        let is_empty = |argument: &Range<usize>| statement[argument.clone()].trim().is_empty();
        // `;;` is the notation of gringo 3.
        let has_empty = pool.alternatives.iter().flatten().any(is_empty);
        let is_uneven = pool.alternatives.iter().any(|alternative| alternative.len() != arity);
        (is_uneven && !has_empty).then_some(pool)
    })
}

/// Reads the alternatives of the term whose name is the token `at`.
fn pool_at<'a>(tokens: &[Token<'a>], at: usize) -> Option<UnevenPool<'a>> {
    let mut alternatives = vec![Vec::new()];
    let mut depth = 0;
    let mut start = tokens[at + 1].end();
    for token in &tokens[at + 1..] {
        match token.text {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth -= 1,
            "," | ";" if depth == 1 => {}
            _ => continue,
        }
        let ends_argument = matches!(token.text, "," | ";") || depth == 0;
        if ends_argument {
            alternatives.last_mut()?.push(start..token.start);
            start = token.end();
        }
        if depth == 0 {
            return Some(UnevenPool { name: tokens[at], alternatives, end: token.end() });
        }
        if token.text == ";" && depth == 1 {
            alternatives.push(Vec::new());
        }
    }
    None
}

impl UnevenPool<'_> {
    fn lint(&self, document: &Document, offset: usize) -> Diagnostic {
        let text: &str = &document.text;
        let place =
            |range: Range<usize>| Place::of_range(&document.name, text, range.start + offset..range.end + offset);
        let source = |range: &Range<usize>| text[range.start + offset..range.end + offset].trim();
        let atom = |alternative: &Vec<Range<usize>>| {
            let arguments: Vec<&str> = alternative.iter().map(source).collect();
            format!("{}({})", self.name.text, arguments.join(","))
        };
        let mut words: Vec<String> = self.alternatives.iter().take(3).map(atom).collect();
        if self.alternatives.len() > words.len() {
            words.push("…".to_owned());
        }
        let message = format!("`;` separates whole lists of arguments: this stands for {}", words.join("; "));
        let lint = Diagnostic::info(Code::PoolArity, message).at(Some(place(self.name.start..self.end)));
        let (first, rest) = (&self.alternatives[0], &self.alternatives[1..]);
        let Some(last) = first.last().filter(|_| first.len() > 1 && rest.iter().all(|other| other.len() == 1)) else {
            return lint.help("brackets make a pool of one argument: p(a,(b;c))");
        };
        let pool: Vec<&str> = [last].into_iter().chain(rest.iter().flatten()).map(source).collect();
        let replacement = format!("({})", pool.join(";"));
        let from = last.start + text[last.start + offset..].len() - text[last.start + offset..].trim_start().len();
        let edit = Edit { place: place(from..self.end - 1), replacement: replacement.clone() };
        let fix = Fix { title: format!("Write `{replacement}`"), edits: vec![edit] };
        lint.help(format!("write {replacement} for a pool of the last argument")).fix(Some(fix))
    }
}

/// Returns the `fixed-choice` lint of a choice whose bounds leave no choice, since the body fixes
/// its elements.
pub fn fixed_choice(statement: &Statement, constants: &Constants) -> Option<Diagnostic> {
    let Head::Choice(choice) = &statement.head else { return None };
    if choice.function.is_some() || choice.left.is_none() && choice.right.is_none() {
        return None;
    }
    let mut globals = Vec::new();
    statement.body.iter().for_each(|literal| literal.collect_global_variables(&mut globals));
    let mut fixed: Vec<&str> = Vec::new();
    let mut atoms = BTreeSet::new();
    for element in &choice.elements {
        atoms.insert(element.literal.as_ref()?.atom()?.to_string());
        fixed.extend(fixed_variables(element, &globals)?);
    }
    fixed.sort_unstable();
    fixed.dedup();
    let most = atoms.len() as i32;
    let possible = possible_counts(choice, most, constants)?;
    let [lowest, highest] = [possible.first(), possible.last()];
    let count = if most == 1 { "one element".to_owned() } else { format!("{most} elements") };
    let exceeds = || bounds(choice, constants).is_some_and(|bounds| bounds.iter().any(|(_, bound)| *bound > most));
    let effect = match (lowest, highest) {
        (None, _) => "its bounds cannot hold",
        (Some(1), _) if most == 1 => "its bounds leave no choice",
        (Some(0), Some(1)) if most == 1 && exceeds() => "its bound cannot be reached",
        _ => return None,
    };
    if fixed.is_empty() {
        return None;
    }
    let (names, verb) = (fixed.join(", "), if fixed.len() == 1 { "is" } else { "are" });
    let message = format!("the body fixes {names}: each choice has {count}, and {effect}");
    let moved = match (&choice.elements[..], &statement.body[..]) {
        ([Element { literal: Some(literal), condition, .. }], [binding]) => {
            let conditions: Vec<String> = condition.iter().chain([binding]).map(ToString::to_string).collect();
            format!("{{ {literal} : {} }}", conditions.join(", "))
        }
        _ => "{ p(X) : q(X) }".to_owned(),
    };
    let whom = if verb == "is" { names } else { "them".to_owned() };
    let help = format!("to choose among several values, move what binds {whom} into the braces: {moved}");
    Some(Diagnostic::info(Code::FixedChoice, message).at(Some(statement.place.clone())).help(help))
}

/// Returns the variables of the atom of an element; `None` if the element may stand for several
/// atoms with the same values of `globals`.
fn fixed_variables<'t>(element: &'t Element, globals: &[String]) -> Option<Vec<&'t str>> {
    let mut variables = Vec::new();
    let mut is_fixed = true;
    Part::Literal(element.literal.as_ref()?).walk(&mut |part| {
        let Part::Term(term) = part else { return };
        match term.kind {
            TermKind::Interval(_) | TermKind::Pool(_) => is_fixed = false,
            TermKind::Function { is_external, .. } => is_fixed &= !is_external,
            TermKind::Variable(name) => {
                is_fixed &= globals.iter().any(|global| global == name);
                variables.push(name);
            }
            _ => {}
        }
    });
    is_fixed.then_some(variables)
}

/// Returns the bounds of a choice, as relations of the number of its atoms; `None` if one is not a
/// number.
fn bounds(choice: &Aggregate, constants: &Constants) -> Option<Vec<(Relation, i32)>> {
    let left = choice.left.iter().map(|Guard { relation, term }| (relation.mirrored(), term));
    let right = choice.right.iter().map(|Guard { relation, term }| (*relation, term));
    let value =
        |(relation, term): (Relation, &Term)| Some((relation, arithmetic::value(&term.to_string(), constants)?));
    left.chain(right).map(value).collect()
}

/// Returns the numbers of atoms up to `most` that satisfy the bounds.
fn possible_counts(choice: &Aggregate, most: i32, constants: &Constants) -> Option<Vec<i32>> {
    let bounds = bounds(choice, constants)?;
    let holds = |count: i32| {
        bounds.iter().all(|&(relation, bound)| match relation {
            Relation::Greater => count > bound,
            Relation::Less => count < bound,
            Relation::LessEqual => count <= bound,
            Relation::GreaterEqual => count >= bound,
            Relation::NotEqual => count != bound,
            Relation::Equal => count == bound,
        })
    };
    let counts: RangeInclusive<i32> = 0..=most;
    Some(counts.filter(|&count| holds(count)).collect())
}

/// Returns the `head-comparison` lint: `p(X) = q(X) :- …`, in which a comparison stands for an arrow.
pub fn head_comparison(statement: &Statement) -> Option<Diagnostic> {
    let Head::Other(Literal { sign: Sign::Positive, atom: Atom::Comparison(comparison), .. }) = &statement.head else {
        return None;
    };
    let (left, guards) = &**comparison;
    let [Guard { relation: Relation::Equal, term: right }] = &guards[..] else { return None };
    let is_atom =
        |term: &Term| matches!(&term.kind, TermKind::Function { name, is_external: false, .. } if !name.is_empty());
    if !is_atom(left) || !is_atom(right) || left.signature() == right.signature() {
        return None;
    }
    let message = format!("`=` derives nothing: {left} and {right} are terms here, which are never equal");
    Some(
        Diagnostic::info(Code::HeadComparison, message)
            .at(Some(statement.place_of(left.span.cover(right.span))))
            .help("between head and body write :-"),
    )
}

/// Constants of a statement that are used like variables.
pub struct LowerCase {
    place: Place,
    /// By name: the body atoms that have it as an argument.
    uses: BTreeMap<&'static str, Vec<(Signature, usize)>>,
}

/// Returns the constants of a rule that occur in its head and in arguments of its body atoms, if one
/// of them is used like a variable: it is an operand of arithmetic, joins two body atoms, is the
/// small form of a variable of the rule, or is x, y or z.
pub fn lower_case(statement: &Statement) -> Option<LowerCase> {
    if statement.body.is_empty() || !matches!(statement.head, Head::Atom(_) | Head::Choice(_) | Head::Constraint) {
        return None;
    }
    let mut literals = BTreeMap::<&'static str, usize>::new();
    let mut operands = BTreeSet::new();
    let mut variables = BTreeSet::new();
    let mut count = |part: Part<'_>| {
        let mut names = BTreeSet::new();
        part.walk(&mut |part| {
            let Part::Term(term) = part else { return };
            match &term.kind {
                TermKind::Variable(name) => drop(variables.insert(*name)),
                TermKind::Binary(_, arguments) => {
                    operands.extend([&arguments.0, &arguments.1].into_iter().filter_map(Term::constant));
                }
                _ => names.extend(term.constant()),
            }
        });
        names.into_iter().for_each(|name| *literals.entry(name).or_default() += 1);
    };
    statement.head.for_each_child(&mut count);
    statement.body.iter().for_each(|literal| count(Part::Literal(literal)));
    let looks_like_variable = |name: &&'static str| {
        let capital = name[..1].to_ascii_uppercase() + &name[1..];
        name.len() == 1 || operands.contains(*name) || variables.contains(&*capital)
    };
    let mut uses = BTreeMap::<&'static str, Vec<(Signature, usize)>>::new();
    for atom in statement.body.iter().filter_map(Literal::positive_atom) {
        let TermKind::Function { arguments, .. } = &atom.kind else { continue };
        for (argument, term) in arguments.iter().enumerate() {
            let name = term.constant().filter(|name| literals.get(name).is_some_and(|&literals| literals > 1));
            let Some(name) = name.filter(looks_like_variable) else { continue };
            uses.entry(name).or_default().push((atom.signature()?, argument));
        }
    }
    let is_evident = |(name, uses): (&&'static str, &Vec<(Signature, usize)>)| {
        ["x", "y", "z"].contains(name) || name.len() > 1 || operands.contains(*name) || uses.len() > 1
    };
    let is_variable = |name: &&'static str| variables.contains(&*name.to_ascii_uppercase());
    let has_evidence = uses.iter().any(is_evident) || uses.keys().any(is_variable);
    has_evidence.then(|| LowerCase { place: statement.place.clone(), uses })
}

impl LowerCase {
    pub fn is_in(&self, document: &Document) -> bool {
        document.name == self.place.file
    }

    /// Removes the constants that `is_constant` knows. Returns false if none remain.
    pub fn retain(&mut self, is_constant: impl Fn(&str) -> bool) -> bool {
        self.uses.retain(|name, _| !is_constant(name));
        !self.uses.is_empty()
    }

    /// Returns the lint if body atoms exist, but none with the constants.
    pub fn lint(mut self, control: &Control, source: Option<&Document>) -> Result<Option<Diagnostic>, CallError> {
        let mut unmatched = BTreeMap::new();
        for (name, uses) in std::mem::take(&mut self.uses) {
            if control.constant(name)?.is_none()
                && uses
                    .iter()
                    .any(|(predicate, argument)| has_other_values(control, predicate, *argument, name).unwrap_or(false))
            {
                unmatched.insert(name, name[..1].to_ascii_uppercase() + &name[1..]);
            }
        }
        if unmatched.is_empty() {
            return Ok(None);
        }
        let list = |words: Vec<&str>| words.join(", ");
        let names = list(unmatched.keys().copied().collect());
        let capitals = list(unmatched.values().map(String::as_str).collect());
        let (are, values) = if unmatched.len() == 1 { ("is a constant", "it") } else { ("are constants", "them") };
        let message = format!("{names} {are} here, and no atom has {values}, so that the rule never fires");
        let lint = Diagnostic::info(Code::LowerCaseVariable, message).at(Some(self.place.clone()));
        let lint = lint.help(format!("variables start with a capital letter: {capitals}"));
        Ok(Some(lint.fix(source.and_then(|source| capitalized(source, &self.place, &unmatched)))))
    }
}

/// Returns true if atoms of a predicate exist and none has the constant `name` as this argument.
fn has_other_values(control: &Control, predicate: &Signature, argument: usize, name: &str) -> Result<bool, CallError> {
    let atoms = control.atoms_of(predicate, MAX_ATOMS)?;
    let mut has_atoms = false;
    for atom in &atoms {
        let value = atom.arguments()?.get(argument).copied();
        has_atoms = true;
        if value.is_some_and(|value| crate::ffi::signature_of(value) == Some((name, 0))) {
            return Ok(false);
        }
    }
    Ok(has_atoms && atoms.len() < MAX_ATOMS)
}

/// Returns the fix that writes names with a capital letter in the statement at `place`.
fn capitalized(source: &Document, place: &Place, names: &BTreeMap<&str, String>) -> Option<Fix> {
    let range = place.range_in(&source.text);
    let text = source.text.get(range.clone())?;
    let edits: Vec<Edit> = syntax::tokens(text)
        .filter_map(|token| {
            let capital = names.get(token.text)?;
            let token = range.start + token.start..range.start + token.end();
            let is_term = !source.text[token.end..].trim_start().starts_with('(');
            is_term.then(|| Edit {
                place: Place::of_range(&source.name, &source.text, token),
                replacement: capital.clone(),
            })
        })
        .collect();
    let capitals: Vec<&str> = names.values().map(String::as_str).collect();
    (!edits.is_empty()).then(|| Fix { title: format!("Write {}", capitals.join(", ")), edits })
}
