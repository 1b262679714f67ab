//! What parts of a program are called: the words that comments give rules and atoms, in the form of xclingo (Cabalar, Fandinno
//! and Muñiz, "A System for Explainable Answer Set Programming", 2020), and where there are none, their text.
//!
//! ```text
//! %!trace_rule {"row % has % twice",R,V}                     before a rule, a constraint or a choice with bounds
//! %!trace_rule {twice(R,V),"row % has % twice",R,V}          the same, with what the part `techniques` calls it
//! %!trace {"% stands at row %, column %",V,R,C} number(R,C,V).   for atoms
//! %!trace {number(R,C,V),"% stands here",V} :- number(R,C,V).    the same, as xclingo 2 writes it
//! %!trace {"row %, column % is white",R,C} not shaded(R,C).      for atoms that do not hold
//! %!obvious                                                  before a constraint that is no reason to a person
//! %!mute p(X) : body.            %!mute {p(X)} :- body.          atoms that derivations leave out, with what stands below them
//! %!mute_body                                                before a rule: the same of its body
//! %!show_trace p(X) : body.      %!show_trace {p(X)} :- body.    atoms that are derived where nobody asks for one
//! ```
//!
//! clingo evaluates the terms, only for the instances that are reported.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::asp::syntax::{self, Kind, Remark};
use crate::asp::{self, Program, Settings, Solver, Statement, Symbol, Term, brief, is_deep, signature_of, to_text};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::stop::Stop;

const WORDS: &str = "__asp_solve_words";

/// A comment that gives words.
#[derive(Debug, Clone)]
struct Trace {
    label: String,
    /// The terms that fill the label, as written.
    terms: String,
    /// What a comment about atoms is about, and under which condition, if any.
    atom: String,
    condition: String,
    /// It is about the atom where that does not hold.
    is_negative: bool,
    place: Place,
}

/// The comments of a program that give its parts words.
#[derive(Debug, Default)]
pub struct Words {
    /// By the number of the statement that follows.
    rules: BTreeMap<usize, Trace>,
    atoms: Vec<Trace>,
    obvious: Vec<usize>,
    muted: Vec<Trace>,
    muted_bodies: Vec<usize>,
    shown: Vec<Trace>,
    /// What conditions of comments may ask for: atoms that hold in every answer.
    pub given: Vec<Symbol>,
}

impl Words {
    /// Reads the comments of texts whose statements are these.
    pub fn of(documents: &[Document], statements: &[Statement]) -> Result<Words, Failure> {
        let mut words = Words::default();
        for document in documents.iter().filter(|document| document.text.contains("%!")) {
            for Remark { range, word, rest } in syntax::remarks(&document.text) {
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
                            let text = format!("`%!{word}` wants an atom: `%!{word} atom : condition.`, or `%!{word} {{atom}} :- condition.`");
                            Diagnostic::error(text).at(Some(place))
                        })?;
                        if word == "mute" { &mut words.muted } else { &mut words.shown }.push(atoms);
                    }
                    "trace_rule" | "trace" => {
                        let trace = Trace::parse(rest.trim(), place.clone()).ok_or_else(|| {
                            let text = format!("`%!{word}` wants {{\"words with a % for each term\",Term,…}}");
                            Diagnostic::error(text).at(Some(place))
                        })?;
                        match (word, next()) {
                            ("trace", _) if !trace.atom.is_empty() => words.atoms.push(trace),
                            ("trace_rule", Some(rule)) => drop(words.rules.insert(rule, trace)),
                            _ => {
                                let text = format!("`%!{word}` stands before nothing that it could be about");
                                return Err(Diagnostic::error(text).at(Some(trace.place)).into());
                            }
                        }
                    }
                    // xclingo has more of them, and somebody may have comments of their own.
                    _ => {}
                }
            }
        }
        Ok(words)
    }

    /// A text of a constraint, with the terms of its words in the head; of any other statement, as it is.
    pub fn in_head(&self, statement: usize, text: &str) -> String {
        match self.rules.get(&statement) {
            Some(trace) => text.replacen("#false :-", &format!("{WORDS}({}) :-", trace.terms_or_empty()), 1),
            None => text.to_owned(),
        }
    }

    /// Whether a constraint is always applied and never given as a reason.
    pub fn is_obvious(&self, statement: usize) -> bool {
        self.obvious.contains(&statement)
    }

    /// Whether some comment has a condition.
    pub fn have_conditions(&self) -> bool {
        self.atoms.iter().any(|trace| !trace.condition.is_empty())
    }

    /// Whether some comment says which atoms to derive.
    pub fn show_atoms(&self) -> bool {
        !self.shown.is_empty()
    }

    /// The atoms of an answer that are derived where nobody asks for one.
    pub fn shown(&self, answer: &[Symbol]) -> Result<Vec<Symbol>, Failure> {
        among(&self.shown, answer)
    }

    /// The atoms of an answer that derivations leave out.
    pub fn muted(&self, answer: &[Symbol]) -> Result<Vec<Symbol>, Failure> {
        among(&self.muted, answer)
    }

    /// Whether derivations leave out what a rule needs.
    pub fn is_muted(&self, statement: usize) -> bool {
        self.muted_bodies.contains(&statement)
    }

    /// Whether a comment gives it words.
    pub fn has(&self, statement: usize) -> bool {
        self.rules.contains_key(&statement)
    }

    /// Instances of statements that have words: their numbers, their comments, and what gives the variables their values: a body,
    /// and the steps, which are constants there.
    fn traced<'a>(
        &'a self,
        statements: &'a [Statement],
        instances: &'a [(usize, Vec<Symbol>)],
    ) -> impl Iterator<Item = (usize, &'a Trace, String, BTreeMap<&'a str, String>)> {
        // A rule that is blamed as a whole has no values. Deep values are too long for the texts that clingo would have to read.
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

    /// Rules that derive `because(Step,Name)` for the reasons of a step, as their comments name them.
    pub fn names(&self, step: usize, statements: &[Statement], instances: &[(usize, Vec<Symbol>)]) -> String {
        let traced = self.traced(statements, instances).filter(|(_, trace, ..)| !trace.atom.is_empty());
        traced.map(|(_, trace, body, _)| format!("because({step},{}) :- {body}.\n", trace.atom)).collect()
    }

    /// The words for instances of statements, each with the values of its variables.
    pub fn of_instances(
        &self,
        statements: &[Statement],
        instances: &[(usize, Vec<Symbol>)],
    ) -> Result<Vec<String>, Failure> {
        let rules = self.traced(statements, instances).map(|(number, trace, body, steps)| {
            (format!("{WORDS}({number},({},)) :- {body}.", with_values(trace.terms_or_empty(), &steps)), trace)
        });
        let told = told(&rules.collect::<Vec<_>>(), &[])?;
        let default = |(number, (statement, values)): (usize, &(usize, Vec<Symbol>))| {
            told.get(&asp::number(number as i32)).cloned().unwrap_or_else(|| {
                let statement = &statements[*statement];
                let values = statement.variables.iter().zip(values);
                with_values(&statement.said(), &values.map(|(name, value)| (name.as_str(), brief(*value))).collect())
            })
        };
        Ok(instances.iter().enumerate().map(default).collect())
    }

    /// The words for atoms: as a comment has them, or as clingo prints them.
    pub fn of_atoms(&self, atoms: &[Symbol]) -> Result<Vec<String>, Failure> {
        self.of_literals(&atoms.iter().map(|&atom| (atom, true)).collect::<Vec<_>>())
    }

    /// The words for atoms, each of which holds or does not.
    pub fn of_literals(&self, literals: &[(Symbol, bool)]) -> Result<Vec<String>, Failure> {
        let told_of = |holds: bool| -> Result<HashMap<Symbol, String>, Failure> {
            let traces = self.atoms.iter().filter(|trace| trace.is_negative != holds);
            let atoms: Vec<Symbol> =
                literals.iter().filter(|literal| literal.1 == holds).map(|literal| literal.0).collect();
            if atoms.is_empty() {
                return Ok(HashMap::new());
            }
            let known = [&atoms[..], &self.given].concat();
            let mut told = told(&traces.map(|trace| (trace.rule(), trace)).collect::<Vec<_>>(), &known)?;
            let is_asked: HashSet<Symbol> = atoms.iter().copied().collect();
            told.retain(|atom, _| is_asked.contains(atom));
            Ok(told)
        };
        let (holding, failing) = (told_of(true)?, told_of(false)?);
        let words = |&(atom, holds): &(Symbol, bool)| {
            let told = if holds { &holding } else { &failing }.get(&atom).cloned();
            told.unwrap_or_else(|| format!("{}{}", if holds { "" } else { "not " }, brief(atom)))
        };
        Ok(literals.iter().map(words).collect())
    }
}

impl Trace {
    /// `{"label",terms} atom : condition` or `{atom,"label",terms} :- condition`, with or without a final dot.
    fn parse(text: &str, place: Place) -> Option<Trace> {
        let inside = text.strip_prefix('{')?;
        let (mut depth, mut label) = (0_usize, None);
        let close = syntax::tokens(inside).find(|token| {
            match token.text {
                "{" | "(" | "[" => depth += 1,
                "}" if depth == 0 => return true,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                // A string among the atom's arguments is none.
                _ if token.kind == Kind::Text && depth == 0 => _ = label.get_or_insert(token.range()),
                _ => {}
            }
            false
        });
        let (close, range) = (close?.start, label?);
        let label = inside[range.clone()].strip_prefix('"')?.strip_suffix('"')?;
        let terms = inside[range.end..close].trim().trim_start_matches(',').trim();
        let rest = inside[close + 1..].trim().trim_end_matches('.').trim();
        let (atom, condition) = match inside[..range.start].trim() {
            "" => rest.split_once(" : ").unwrap_or((rest, "")),
            atom => (atom.strip_suffix(',')?.trim(), rest.strip_prefix(":-").unwrap_or(rest).trim()),
        };
        let (atom, is_negative) = atom.strip_prefix("not ").map_or((atom, false), |atom| (atom.trim(), true));
        let label = label.replace("\\\"", "\"").replace("\\n", " ").replace("\\\\", "\\");
        let (terms, atom, condition) = (terms.to_owned(), atom.trim().to_owned(), condition.trim().to_owned());
        Some(Trace { label, terms, atom, condition, is_negative, place })
    }

    /// `atom : condition` or `{atom} :- condition`, with or without a final dot: atoms without words.
    fn of_atoms(text: &str, place: Place) -> Option<Trace> {
        let text = text.trim_end_matches('.');
        let colon = syntax::tokens(text).find(|token| token.text.starts_with(':'));
        let (atom, rest) = text.split_at(colon.map_or(text.len(), |colon| colon.start));
        let (is_braced, condition) = match rest.strip_prefix(":-") {
            Some(condition) => (true, condition),
            None => (atom.starts_with('{'), rest.strip_prefix(':').unwrap_or(rest)),
        };
        let atom = match is_braced {
            true => atom.trim().strip_prefix('{')?.strip_suffix('}')?,
            false => atom,
        };
        let (atom, condition) = (atom.trim().to_owned(), condition.trim().to_owned());
        let is_atom = syntax::is_name(atom.trim_start_matches('-'));
        let (label, terms) = (String::new(), String::new());
        is_atom.then_some(Trace { label, terms, atom, condition, is_negative: false, place })
    }

    /// The rule that fills the words for atoms.
    fn rule(&self) -> String {
        let Trace { atom, condition, .. } = self;
        let body = if condition.is_empty() { atom.clone() } else { format!("{atom}, {condition}") };
        format!("{WORDS}({atom},({},)) :- {body}.", self.terms_or_empty())
    }

    fn terms_or_empty(&self) -> &str {
        if self.terms.is_empty() { "0" } else { &self.terms }
    }

    fn filled(&self, terms: &[Symbol]) -> String {
        let mut terms = terms.iter().map(|&term| match Term::of(term) {
            Term::Other(deep) => brief(deep),
            plain => plain.text(),
        });
        let mut words = String::new();
        for (number, piece) in self.label.split('%').enumerate() {
            if number > 0 {
                words += &terms.next().unwrap_or_else(|| "%".to_owned());
            }
            words += piece;
        }
        words
    }
}

/// The atoms of an answer that comments are about.
fn among(traces: &[Trace], answer: &[Symbol]) -> Result<Vec<Symbol>, Failure> {
    if traces.is_empty() {
        return Ok(Vec::new());
    }
    let found = told(&traces.iter().map(|trace| (trace.rule(), trace)).collect::<Vec<_>>(), answer)?;
    Ok(answer.iter().copied().filter(|&atom| found.contains_key(&atom)).collect())
}

/// What rules derive as `words(whose,terms)`, the labels filled in; each rule with the comment that it came from.
fn told(rules: &[(String, &Trace)], facts: &[Symbol]) -> Result<HashMap<Symbol, String>, Failure> {
    let mut told = HashMap::new();
    // Each comment is grounded by itself, so that a wrong one is blamed.
    let mut by_place: Vec<(&Trace, String)> = Vec::new();
    for (rule, trace) in rules {
        match by_place.iter_mut().find(|(known, _)| std::ptr::eq(*known, *trace)) {
            Some((_, text)) => text.push_str(rule),
            None => by_place.push((trace, rule.clone())),
        }
    }
    for (trace, text) in by_place {
        let name = trace.place.file.clone();
        // clingo would print all atoms that it may have to show, however long.
        let hidden = Document::in_memory("<hidden>", "#show.");
        let instance = vec![Document::in_memory(name, text), hidden];
        let program = Program { instance, facts: facts.to_vec(), ..Program::default() };
        let wrong = |failure: Failure| {
            let what = failure.0.last().map_or(String::new(), |error| format!(": {}", error.text));
            let text = format!("the terms of this comment have no words{what}");
            Failure::from(Diagnostic::error(text).at(Some(trace.place.clone())))
        };
        // Nothing is solved, so that there is nothing to stop.
        let mut solver = Solver::with_program(&program, &Settings::default(), &Stop::new()).map_err(wrong)?;
        let known = solver.control().known_atoms()?;
        for (atom, _) in known {
            if signature_of(atom) != Some((WORDS, 2)) {
                continue;
            }
            let arguments = atom.arguments().unwrap_or_default();
            let [whose, terms] = arguments[..] else { continue };
            let terms = terms.arguments().unwrap_or_default();
            told.entry(whose).or_insert_with(|| trace.filled(&terms));
        }
    }
    Ok(told)
}

/// A text with values for variables.
fn with_values(text: &str, values: &BTreeMap<&str, String>) -> String {
    syntax::renamed(text, |token| values.get(token.text).cloned())
}

impl Statement {
    /// What it says, for a person: a constraint without the arrow.
    fn said(&self) -> String {
        match &self.head {
            crate::asp::statement::Head::Nothing => self.body_text().replace("; ", ", "),
            _ => self.text.trim_end_matches('.').replace("; ", ", "),
        }
    }
}
