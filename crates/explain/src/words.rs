//! Describes the parts of a program in words. Comments describe rules and atoms, in the syntax of
//! xclingo (Cabalar, Fandinno and Muñiz, "A System for Explainable Answer Set Programming", 2020).
//! Parts without such a comment are printed as their source text.
//!
//! ```text
//! %!trace_rule {"row % has % twice",R,V}                     before a rule, a constraint or a choice with bounds
//! %!trace_rule {twice(R,V),"row % has % twice",R,V}          the same, with a name for the part `techniques`
//! %!trace {"% stands at row %, column %",V,R,C} number(R,C,V).   for atoms
//! %!trace {number(R,C,V),"% stands here",V} :- number(R,C,V).    the same in the syntax of xclingo 2
//! %!trace {"row %, column % is white",R,C} not shaded(R,C).      for atoms that do not hold
//! %!obvious                                                  before a constraint that is never shown as a reason
//! %!mute p(X) : body.            %!mute {p(X)} :- body.          derivations omit these atoms and all that they need
//! %!mute_body                                                before a rule: derivations omit the atoms of its body
//! %!show_trace p(X) : body.      %!show_trace {p(X)} :- body.    atoms that are derived if no atom is requested
//! ```
//!
//! clingo evaluates the terms, and only for the instances that are reported.

use std::collections::{BTreeMap, HashMap, HashSet};

use asp::syntax::{self, Annotation, TokenKind};
use asp::{Program, Settings, Solver, Statement, Symbol, Term, is_deep, signature_of, to_text, to_text_truncated};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::stop::CancelToken;

use super::phrase::Phrase;

const WORDS: &str = "__asp_solve_words";

/// A comment that describes a rule or atoms.
#[derive(Debug, Clone)]
struct Trace {
    label: String,
    /// The terms that fill the placeholders of the label, as source text.
    terms: String,
    /// The atoms that the comment describes; in a `trace_rule`, the name of the rule. May be empty.
    atom: String,
    /// The condition under which the comment applies to an atom; may be empty.
    condition: String,
    /// True if the comment describes atoms that do not hold.
    is_negative: bool,
    place: Place,
}

/// The comments of a program that describe its parts.
#[derive(Debug, Default)]
pub struct Wording {
    /// The comments before rules, by the index of the statement that follows.
    rules: BTreeMap<usize, Trace>,
    atoms: Vec<Trace>,
    obvious: Vec<usize>,
    muted: Vec<Trace>,
    muted_bodies: Vec<usize>,
    shown: Vec<Trace>,
    /// The facts to which conditions of comments may refer.
    pub given: Vec<Symbol>,
}

impl Wording {
    /// Reads the comments of `documents`, whose statements are `statements`.
    pub fn of(documents: &[Document], statements: &[Statement]) -> Result<Wording, Failure> {
        let mut words = Wording::default();
        for document in documents.iter().filter(|document| document.text.contains("%!")) {
            for Annotation { range, word, rest } in syntax::annotations(&document.text) {
                let place = Place::of_range(&document.name, &document.text, range);
                let line = place.start.line;
                let next = || {
                    let comes_after = |statement: &Statement| {
                        statement.place.file == document.name && statement.place.start.line > line
                    };
                    statements.iter().position(comes_after)
                };
                match word {
                    "obvious" => words.obvious.extend(next()),
                    "mute_body" => words.muted_bodies.extend(next()),
                    "mute" | "show_trace" => {
                        let atoms = Trace::of_atoms(rest.trim(), place.clone()).ok_or_else(|| {
                            let text = format!(
                                "expected an atom: `%!{word} atom : condition.` or `%!{word} {{atom}} :- condition.`"
                            );
                            Diagnostic::error(Code::InvalidAnnotation, text).at(Some(place))
                        })?;
                        if word == "mute" { &mut words.muted } else { &mut words.shown }.push(atoms);
                    }
                    "trace_rule" | "trace" => {
                        let trace = Trace::parse(rest.trim(), place.clone()).ok_or_else(|| {
                            let text = format!("expected {{\"words with a % for each term\",Term,…}} after `%!{word}`");
                            Diagnostic::error(Code::InvalidAnnotation, text).at(Some(place))
                        })?;
                        match (word, next()) {
                            ("trace", _) if !trace.atom.is_empty() => words.atoms.push(trace),
                            ("trace_rule", Some(rule)) => drop(words.rules.insert(rule, trace)),
                            _ => {
                                let text = format!("nothing follows that `%!{word}` could describe");
                                return Err(Diagnostic::error(Code::InvalidAnnotation, text)
                                    .at(Some(trace.place))
                                    .into());
                            }
                        }
                    }
                    // Other annotations, such as further ones of xclingo, are ignored.
                    _ => {}
                }
            }
        }
        Ok(words)
    }

    /// Returns the `text` of a constraint with an atom of the terms of its comment as its head.
    /// Returns the text of statements without a comment unchanged.
    pub fn with_words_in_head(&self, statement: usize, text: &str) -> String {
        match self.rules.get(&statement) {
            Some(trace) => text.replacen("#false :-", &format!("{WORDS}({}) :-", trace.terms_or_empty()), 1),
            None => text.to_owned(),
        }
    }

    /// Returns true for a constraint that is always enforced and never given as a reason.
    pub fn is_obvious(&self, statement: usize) -> bool {
        self.obvious.contains(&statement)
    }

    /// Returns true if some comment has a condition.
    pub fn has_conditions(&self) -> bool {
        self.atoms.iter().any(|trace| !trace.condition.is_empty())
    }

    /// Returns true if some comment selects atoms to explain.
    pub fn has_shown_atoms(&self) -> bool {
        !self.shown.is_empty()
    }

    /// Returns the atoms of an answer that are explained if no atom is requested.
    pub fn shown(&self, answer: &[Symbol]) -> Result<Vec<Symbol>, Failure> {
        matching_atoms(&self.shown, answer)
    }

    /// Returns the atoms of an answer that derivations omit.
    pub fn muted(&self, answer: &[Symbol]) -> Result<Vec<Symbol>, Failure> {
        matching_atoms(&self.muted, answer)
    }

    /// Returns true if derivations omit the body of this rule.
    pub fn is_muted(&self, statement: usize) -> bool {
        self.muted_bodies.contains(&statement)
    }

    /// Returns true if a comment describes the statement.
    pub fn has(&self, statement: usize) -> bool {
        self.rules.contains_key(&statement)
    }

    /// Returns the instances whose statements have a comment. For each: its index, the comment, a
    /// body that binds the variables, and the values of the parameters of a program part, such as
    /// the steps of an incremental program.
    fn traced<'a>(
        &'a self,
        statements: &'a [Statement],
        instances: &'a [(usize, Vec<Symbol>)],
    ) -> impl Iterator<Item = (usize, &'a Trace, String, BTreeMap<&'a str, String>)> {
        // A rule that is blamed as a whole has no values. The text of deep values would be too long
        // for clingo.
        let has_values = |(_, (statement, values)): &(usize, &(usize, Vec<Symbol>))| {
            statements[*statement].variables.len() == values.len() && !values.iter().any(|&value| is_deep(value))
        };
        instances.iter().enumerate().filter(has_values).filter_map(|(number, (statement, values))| {
            let trace = self.rules.get(statement)?;
            let binding = |(name, value): (&String, &Symbol)| format!("{name} = {}", to_text(*value));
            let Statement { variables, part, .. } = &statements[*statement];
            let is_step = |(name, _): &(&String, &Symbol)| part.parameters.contains(name);
            let (steps, values): (Vec<_>, Vec<_>) = variables.iter().zip(values).partition(is_step);
            let steps = steps.into_iter().map(|(name, value)| (name.as_str(), to_text(*value))).collect();
            let bindings: Vec<String> = values.into_iter().map(binding).collect();
            let body = if bindings.is_empty() { "#true".to_owned() } else { bindings.join(", ") };
            Some((number, trace, body, steps))
        })
    }

    /// Returns rules that derive `because(Step,Name)` for each of the `instances`, the reasons of a
    /// step, whose comment has a name, and `because(Step,other)` if some have none.
    pub fn names(&self, step: usize, statements: &[Statement], instances: &[(usize, Vec<Symbol>)]) -> String {
        let traced = self.traced(statements, instances).filter(|(_, trace, ..)| !trace.atom.is_empty());
        let rules: Vec<String> =
            traced.map(|(_, trace, body, _)| format!("because({step},{}) :- {body}.\n", trace.atom)).collect();
        let other = if rules.len() < instances.len() { format!("because({step},other).\n") } else { String::new() };
        rules.concat() + &other
    }

    /// Describes instances of statements, each given by its statement and the values of its
    /// variables.
    pub fn of_instances(
        &self,
        statements: &[Statement],
        instances: &[(usize, Vec<Symbol>)],
    ) -> Result<Vec<Phrase>, Failure> {
        let rules = self.traced(statements, instances).map(|(number, trace, body, steps)| {
            (format!("{WORDS}({number},({},)) :- {body}.", with_values(trace.terms_or_empty(), &steps)), trace)
        });
        let words_of = evaluate_labels(&rules.collect::<Vec<_>>(), &[])?;
        let default = |(number, (statement, values)): (usize, &(usize, Vec<Symbol>))| {
            words_of.get(&asp::number(number as i32)).cloned().unwrap_or_else(|| {
                let statement = &statements[*statement];
                let values = statement.variables.iter().zip(values);
                with_values(
                    &display_text(statement),
                    &values.map(|(name, value)| (name.as_str(), to_text_truncated(*value))).collect(),
                )
                .into()
            })
        };
        Ok(instances.iter().enumerate().map(default).collect())
    }

    /// Describes atoms by a comment, or if they have none, as clingo prints them.
    pub fn of_atoms(&self, atoms: &[Symbol]) -> Result<Vec<Phrase>, Failure> {
        self.of_literals(&atoms.iter().map(|&atom| (atom, true)).collect::<Vec<_>>())
    }

    /// Describes atoms together with their truth values.
    pub fn of_literals(&self, literals: &[(Symbol, bool)]) -> Result<Vec<Phrase>, Failure> {
        let words_of_sign = |holds: bool| -> Result<HashMap<Symbol, Phrase>, Failure> {
            let traces = self.atoms.iter().filter(|trace| trace.is_negative != holds);
            let atoms: Vec<Symbol> =
                literals.iter().filter(|literal| literal.1 == holds).map(|literal| literal.0).collect();
            if atoms.is_empty() {
                return Ok(HashMap::new());
            }
            let known = [&atoms[..], &self.given].concat();
            let mut words_of = evaluate_labels(&traces.map(|trace| (trace.rule(), trace)).collect::<Vec<_>>(), &known)?;
            let is_asked: HashSet<Symbol> = atoms.iter().copied().collect();
            words_of.retain(|atom, _| is_asked.contains(atom));
            Ok(words_of)
        };
        let (holding, failing) = (words_of_sign(true)?, words_of_sign(false)?);
        let words = |&(atom, holds): &(Symbol, bool)| {
            let found = if holds { &holding } else { &failing }.get(&atom).cloned();
            found.unwrap_or_else(|| format!("{}{}", if holds { "" } else { "not " }, to_text_truncated(atom)).into())
        };
        Ok(literals.iter().map(words).collect())
    }
}

impl Trace {
    /// Parses `{"label",terms} atom : condition` or `{atom,"label",terms} :- condition`, with or
    /// without a final dot.
    fn parse(text: &str, place: Place) -> Option<Trace> {
        let inside = text.strip_prefix('{')?;
        let mut depth = 0_usize;
        let mut label = None;
        let close = syntax::tokens(inside).find(|token| {
            match token.text {
                "{" | "(" | "[" => depth += 1,
                "}" if depth == 0 => return true,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                // A string among the arguments of the atom is not the label.
                _ if token.kind == TokenKind::Str && depth == 0 => _ = label.get_or_insert(token.range()),
                _ => {}
            }
            false
        });
        let close = close?.start;
        let range = label?;
        let label = inside[range.clone()].strip_prefix('"')?.strip_suffix('"')?;
        let terms = inside[range.end..close].trim().trim_start_matches(',').trim();
        let rest = inside[close + 1..].trim().trim_end_matches('.').trim();
        let (atom, condition) = match inside[..range.start].trim() {
            "" => rest.split_once(" : ").unwrap_or((rest, "")),
            atom => (atom.strip_suffix(',')?.trim(), rest.strip_prefix(":-").unwrap_or(rest).trim()),
        };
        let (atom, is_negative) = atom.strip_prefix("not ").map_or((atom, false), |atom| (atom.trim(), true));
        let label = label.replace("\\\"", "\"").replace("\\n", " ").replace("\\\\", "\\");
        let terms = terms.to_owned();
        let atom = atom.trim().to_owned();
        let condition = condition.trim().to_owned();
        Some(Trace { label, terms, atom, condition, is_negative, place })
    }

    /// Parses atoms without words: `atom : condition` or `{atom} :- condition`, with or without a
    /// final dot.
    fn of_atoms(text: &str, place: Place) -> Option<Trace> {
        let text = text.trim_end_matches('.');
        let colon = syntax::tokens(text).find(|token| token.text.starts_with(':'));
        let (atom, rest) = text.split_at(colon.map_or(text.len(), |colon| colon.start));
        let (is_braced, condition) = match rest.strip_prefix(":-") {
            Some(condition) => (true, condition),
            None => (atom.starts_with('{'), rest.strip_prefix(':').unwrap_or(rest)),
        };
        let atom = if is_braced { atom.trim().strip_prefix('{')?.strip_suffix('}')? } else { atom };
        let atom = atom.trim().to_owned();
        let condition = condition.trim().to_owned();
        let is_atom = syntax::is_name(atom.trim_start_matches('-'));
        let label = String::new();
        let terms = String::new();
        is_atom.then_some(Trace { label, terms, atom, condition, is_negative: false, place })
    }

    /// Returns the rule that evaluates the terms of the label for the described atoms.
    fn rule(&self) -> String {
        let Trace { atom, condition, .. } = self;
        let body = if condition.is_empty() { atom.clone() } else { format!("{atom}, {condition}") };
        format!("{WORDS}({atom},({},)) :- {body}.", self.terms_or_empty())
    }

    fn terms_or_empty(&self) -> &str {
        if self.terms.is_empty() { "0" } else { &self.terms }
    }

    /// Returns the label with `terms` in place of its placeholders.
    fn fill(&self, terms: &[Symbol]) -> Phrase {
        let terms = terms.iter().map(|&term| match Term::of(term) {
            Term::Other(deep) => to_text_truncated(deep),
            plain => plain.text(),
        });
        Phrase::new(&self.label, &terms.collect::<Vec<_>>())
    }
}

/// Returns the atoms of an answer that some of the comments describe.
fn matching_atoms(traces: &[Trace], answer: &[Symbol]) -> Result<Vec<Symbol>, Failure> {
    if traces.is_empty() {
        return Ok(Vec::new());
    }
    let found = evaluate_labels(&traces.iter().map(|trace| (trace.rule(), trace)).collect::<Vec<_>>(), answer)?;
    Ok(answer.iter().copied().filter(|&atom| found.contains_key(&atom)).collect())
}

/// Returns the facts whose predicates may occur in a text.
fn facts_named_in(text: &str, facts: &[Symbol]) -> Vec<Symbol> {
    let mut is_named: HashMap<&str, bool> = HashMap::new();
    let mut may_occur = |&&fact: &&Symbol| {
        signature_of(fact).is_none_or(|(name, _)| *is_named.entry(name).or_insert_with(|| text.contains(name)))
    };
    facts.iter().filter(&mut may_occur).copied().collect()
}

/// Evaluates rules that derive `WORDS(subject,terms)`, each given with its comment, and returns the
/// label of the comment with these terms for each subject.
fn evaluate_labels(rules: &[(String, &Trace)], facts: &[Symbol]) -> Result<HashMap<Symbol, Phrase>, Failure> {
    let mut words_of = HashMap::new();
    // Each comment is grounded separately, so that an error can be attributed to it.
    let mut by_place: Vec<(&Trace, String)> = Vec::new();
    for (rule, trace) in rules {
        match by_place.iter_mut().find(|(other, _)| std::ptr::eq(*other, *trace)) {
            Some((_, text)) => text.push_str(rule),
            None => by_place.push((trace, rule.clone())),
        }
    }
    for (trace, text) in by_place {
        let name = trace.place.file.clone();
        // The other facts would only take time.
        let facts = facts_named_in(&text, facts);
        // clingo would otherwise print every atom that might be shown, however long.
        let hidden = Document::in_memory("<hidden>", "#show.");
        let instance = vec![Document::in_memory(name, text), hidden];
        let program = Program { instance, facts, ..Program::default() };
        let invalid_terms = |failure: Failure| {
            let detail = failure.0.last().map_or(String::new(), |error| format!(": {}", error.message));
            let text = format!("the terms of this comment cannot be evaluated{detail}");
            Failure::from(Diagnostic::error(Code::InvalidAnnotation, text).at(Some(trace.place.clone())))
        };
        // Grounding cannot be cancelled, and nothing is solved.
        let mut solver =
            Solver::with_program(&program, &Settings::default(), &CancelToken::new()).map_err(invalid_terms)?;
        let known = solver.control().known_atoms()?;
        for (atom, _) in known {
            if signature_of(atom) != Some((WORDS, 2)) {
                continue;
            }
            let arguments = atom.arguments().unwrap_or_default();
            let [subject, terms] = arguments[..] else { continue };
            let terms = terms.arguments().unwrap_or_default();
            words_of.entry(subject).or_insert_with(|| trace.fill(&terms));
        }
    }
    Ok(words_of)
}

/// Replaces the variables in `text` by their values.
fn with_values(text: &str, values: &BTreeMap<&str, String>) -> String {
    syntax::rename_words(text, |token| values.get(token.text).cloned())
}

/// Returns the text of a statement for display, without a period and, for a constraint, without its
/// arrow.
fn display_text(statement: &Statement) -> String {
    match &statement.head {
        asp::tree::Head::Constraint => statement.body_text().replace("; ", ", "),
        _ => statement.text.trim_end_matches('.').replace("; ", ", "),
    }
}
