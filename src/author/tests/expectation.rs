//! What a test expects of the answer sets of its program, and the search for one that breaks it.
//!
//! Each condition becomes an atom `holds(K)` of the program, so that the solver can be asked for answer sets in which it
//! holds or does not. Each answer set that decides something is checked by the definition, and where clingo is known to lose
//! some, nothing follows from there being none.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::sync::PoisonError;

use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::annotation::{self, Call};
use super::{ASSERT, CANNOT, PREFIX, Test, is_assert, is_cannot};
use crate::asp::statement::Head;
use crate::asp::{
    Ground, GroundRule, Message, Model, Order, Program, Settings, Signature, Solver, Statement, Symbol, function,
    is_added, is_safe, parse_term, signature_of, statements_of, syntax, to_text,
};
use crate::certificate::{self, Certify, Claim, Shown};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::ending::Certified;
use crate::stop::{Reason, Stop};
use crate::words::count;

/// How a test ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub verdict: Verdict,
    /// What was expected and is not so; empty where the test passed.
    pub words: String,
    /// The expectation.
    pub place: Place,
    /// The answer set that breaks it.
    pub answer: Option<Answer>,
    /// The atom whose holding, or not holding, is the question.
    pub about: Option<String>,
    /// What came of certifying that there are no more answer sets, where that decides.
    pub certificate: Option<Certified>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    GaveUp(Reason),
}

/// An answer set, without what the test itself has added.
#[derive(Debug, Clone)]
pub struct Answer {
    pub shown: Vec<Symbol>,
    /// Those that are not shown among them.
    pub atoms: Vec<Symbol>,
}

impl Outcome {
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }

    /// Nobody knows.
    pub fn gave_up(reason: Reason, place: Place) -> Outcome {
        let words = reason.words().to_owned();
        Outcome { verdict: Verdict::GaveUp(reason), words, place, answer: None, about: None, certificate: None }
    }

    /// As `asp-solve test -f json` tells it.
    pub fn json(&self, test: &Test) -> Value {
        let passed = match self.verdict {
            Verdict::Passed => json!(true),
            Verdict::Failed => json!(false),
            Verdict::GaveUp(_) => Value::Null,
        };
        let mut object =
            json!({ "name": test.name, "file": test.place.file, "line": test.place.start.line, "passed": passed });
        if !self.passed() {
            let Place { file, start, end, .. } = &self.place;
            object["words"] = json!(self.words);
            object["place"] =
                json!({ "file": file, "start": [start.line, start.column], "end": [end.line, end.column] });
        }
        if let Some(answer) = &self.answer {
            object["answer"] = answer.shown.iter().map(|&atom| to_text(atom)).collect();
        }
        if let Some(about) = &self.about {
            object["about"] = json!(about);
        }
        if let Some(certificate) = &self.certificate {
            object["certificate"] = certificate.json();
        }
        object
    }
}

/// In how many answer sets a condition holds.
#[derive(Debug, Clone)]
pub struct Expectation {
    quantifier: Quantifier,
    condition: Condition,
    place: Place,
    /// As the author wrote it.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantifier {
    All,
    AtLeast(u64),
    AtMost(u64),
    Exactly(u64),
}

#[derive(Debug, Clone)]
enum Condition {
    True,
    /// Nothing derives `misses(K)`, where K is the expectation's number.
    Met,
    /// An atom of the program holds.
    Atom(Symbol),
    /// So much does the best answer cost at a level.
    Cost {
        cost: i64,
        level: i32,
    },
}

const MISSES: &str = "__asp_solve_misses";
const HOLDS: &str = "__asp_solve_holds";
const FIRED: &str = "__asp_solve_fired";
/// What a part expects, in words.
const NO_CANNOT: &str = "no cannot";

/// What a part with these rules expects, asked behind all steps where there are any: that no `cannot` holds, in one answer
/// set at least.
pub fn of_cannot<'a>(
    statements: impl Iterator<Item = (usize, &'a Statement)>,
    place: &Place,
    behind: &str,
) -> (Vec<Document>, Vec<Expectation>) {
    let mut rules = format!("{behind} {HOLDS}(0) :- not {MISSES}(0).\n");
    for (number, rule) in statements.filter(|(_, statement)| is_cannot(statement)) {
        let arity = rule.head.signature().map_or(0, |signature| signature.arity);
        let cannot = Signature::new(CANNOT, arity).atom(&vec!["_".to_owned(); arity]);
        rules += &format!("{MISSES}(0) :- {cannot}.\n");
        // What stands in a step is asked in each.
        let of_step = rule.part.is_grounded && !rule.part.parameters.is_empty();
        let mark = if of_step { rule.part.mark() } else { String::new() };
        rules += &format!("{mark} {}\n{behind} ", rule.rule(&format!("{FIRED}({number})"), &[]));
    }
    let text = NO_CANNOT.to_owned();
    let expectation =
        Expectation { quantifier: Quantifier::All, condition: Condition::Met, place: place.clone(), text };
    (vec![Document::in_memory("<expected>", rules)], vec![expectation])
}

/// What the assertions of a comment expect, and the rules that say so: `misses(K)` follows from whatever is not as it should
/// be.
pub fn of_assertions(
    document: &Document,
    assertions: &[Call],
    behind: &str,
) -> Result<(Vec<Document>, Vec<Expectation>), Failure> {
    let (mut rules, mut expectations) = (Vec::new(), Vec::new());
    for call in assertions {
        let place = Place::of_range(&document.name, &document.text, call.range.clone());
        let name = call.name.as_str();
        let (what, how) = match name.split_once("In").or_else(|| name.split_once("For")) {
            Some((what @ ("true" | "false" | "constraint"), how)) => (what, how),
            _ => (name, ""),
        };
        let counted = || call.number(document, "number");
        let quantifier = match (what, how) {
            ("noAnswerSet", "") => Quantifier::AtMost(0),
            ("bestModelCost", "") | (_, "All") => Quantifier::All,
            (_, "AtLeast") => match counted()? {
                0 => {
                    let text = format!("{name} 0 is so whatever the answer sets are: a number from 1 was wanted");
                    return Err(Diagnostic::error(text).at(Some(place)).into());
                }
                number => Quantifier::AtLeast(number),
            },
            (_, "AtMost") => Quantifier::AtMost(counted()?),
            (_, "Exactly" | "AtExactly") => Quantifier::Exactly(counted()?),
            _ => return Err(unknown(call, place)),
        };
        let (names, middle): (&[&str], _) = match what {
            "true" => (&["atoms", "atom"], " :- not "),
            "false" => (&["atoms", "atom"], " :- "),
            "constraint" => (&["constraint", "constraints"], " "),
            "bestModelCost" => (&["cost", "level"], ""),
            _ => (&[], ""),
        };
        let is_counted = !matches!(quantifier, Quantifier::All) && what != "noAnswerSet";
        let known: Vec<&str> = names.iter().copied().chain(is_counted.then_some("number")).collect();
        call.all_known(document, &known)?;
        let condition = match what {
            "noAnswerSet" => Condition::True,
            "bestModelCost" => {
                Condition::Cost { cost: call.number(document, "cost")?, level: call.number(document, "level")? }
            }
            _ => {
                let number = expectations.len();
                let prefix = format!("{behind} {MISSES}({number}){middle}");
                for text in call.texts(document, names)? {
                    match what {
                        "constraint" => is_constraint(document, &text)?,
                        _ => all_are_atoms(document, &text)?,
                    }
                    rules.extend(statements_in(document, &text, &prefix));
                }
                let holds = format!("{behind} {HOLDS}({number}) :- not {MISSES}({number}).");
                rules.push(Document::in_memory("<expected>", holds));
                Condition::Met
            }
        };
        let text = document.text[call.range.clone()].to_owned();
        expectations.push(Expectation { quantifier, condition, place, text });
    }
    Ok((rules, expectations))
}

fn unknown(call: &Call, place: Place) -> Failure {
    const HELP: &str = "there are @noAnswerSet, @trueInAll, @trueInAtLeast, @trueInAtMost, @trueInExactly, the same four with \
        `false`, @constraintForAll, @constraintInAtLeast, @constraintInAtMost, @constraintInExactly and @bestModelCost";
    Diagnostic::error(format!("@{} is not an assertion", call.name)).at(Some(place)).help(HELP).into()
}

/// Refuses what would be another rule behind the prefix.
fn is_constraint(document: &Document, text: &annotation::Text) -> Result<(), Failure> {
    if text.text.trim_start().starts_with(":-") {
        return Ok(());
    }
    let place = Place::of_range(&document.name, &document.text, text.range.clone());
    Err(Diagnostic::error("a constraint was wanted here, which begins with :-").at(Some(place)).into())
}

/// Refuses what would be another rule behind the prefix, or mean nothing: each is to be an atom, or `not` and an atom, without
/// variables. An interval stands for all its atoms.
fn all_are_atoms(document: &Document, text: &annotation::Text) -> Result<(), Failure> {
    let source = format!("{}.", text.text.trim_end().trim_end_matches('.'));
    for range in syntax::ranges(&source) {
        let written = source[range.clone()].trim_end_matches('.');
        let atom = written.strip_prefix("not ").unwrap_or(written);
        let alone = Document::in_memory("", format!("{atom}."));
        let is_atom = statements_of(&Program::of([alone.clone()]))
            .is_ok_and(|all| matches!(&all[..], [only] if only.is_fact() && only.head.signature().is_some()));
        if !is_atom || !is_safe(&alone) {
            const HELP: &str = "each ends with a dot: atoms = \"a. p(1).\"";
            let start = text.range.start + range.start;
            let place = Place::of_range(&document.name, &document.text, start..start + written.len());
            let text = if atom.is_empty() { "no atom".to_owned() } else { format!("{written} is not a ground atom") };
            return Err(Diagnostic::error(text).at(Some(place)).help(HELP).into());
        }
    }
    Ok(())
}

/// Each statement of a text, behind a prefix, at its place. The last one may do without its dot.
fn statements_in(document: &Document, text: &annotation::Text, prefix: &str) -> Vec<Document> {
    let source = text.text.trim_end();
    let source = if source.ends_with('.') { source.to_owned() } else { format!("{source}.") };
    let placed =
        |range: Range<usize>| annotation::placed(document, text.range.start + range.start, prefix, &source[range]);
    syntax::ranges(&source).map(placed).collect()
}

/// In a rule for `assert`, `@all(…)`, `@any(…)` and `@models(…)` become terms of the same length.
pub fn with_names(rule: &str) -> String {
    ["all(", "any(", "models("]
        .iter()
        .fold(rule.to_owned(), |rule, name| rule.replace(&format!("@{name}"), &format!("_{name}")))
}

/// Runs a test on its program, of which these are the statements. An atom of the test that nothing derives is a mistake in the
/// test, unless a rule has been changed to see whether that is noticed.
pub fn run(
    program: &Program,
    statements: &[(usize, &Statement)],
    test: &Test,
    finds_undefined: bool,
    settings: &Settings,
    certify: Certify,
    stop: &Stop,
) -> Result<Outcome, Failure> {
    let mut search = Search::new(program, statements, settings, stop)?;
    search.certify = certify;
    let mut expectations = test.expectations.clone();
    expectations.extend(search.asserted(statements));
    let is_counted = |one: &Expectation| matches!(one.condition, Condition::True);
    // What holds in all answer sets of none, or in at most so many of none, says nothing.
    if !expectations.iter().any(is_counted) {
        let (place, text) = (test.place.clone(), "an answer set".to_owned());
        expectations.push(Expectation { quantifier: Quantifier::AtLeast(1), condition: Condition::True, place, text });
    }
    let mut outcome = Outcome {
        verdict: Verdict::Passed,
        words: String::new(),
        place: test.place.clone(),
        answer: None,
        about: None,
        certificate: None,
    };
    for (number, expectation) in expectations.iter().enumerate() {
        outcome.place = expectation.place.clone();
        let decided = search.decide(number, expectation)?;
        outcome.certificate.clone_from(&search.certified);
        match decided {
            Decided::Met => {}
            Decided::Unknown(reason) => {
                let outcome = Outcome::gave_up(reason, outcome.place);
                let words = search.defect.map_or(outcome.words, |defect| defect.text);
                return Ok(Outcome { words, ..outcome });
            }
            Decided::Broken(words, found) => {
                outcome = Outcome { verdict: Verdict::Failed, words, ..outcome };
                if let Some(found) = found {
                    search.blame(found, expectation, statements, &mut outcome);
                }
                return Ok(outcome);
            }
        }
    }
    if finds_undefined && let Some((words, place)) = search.undefined_in(test, statements) {
        return Ok(Outcome { verdict: Verdict::Failed, words, place, ..outcome });
    }
    Ok(Outcome { place: test.place.clone(), ..outcome })
}

enum Decided {
    Met,
    /// In words, and by which answer set.
    Broken(String, Option<Found>),
    Unknown(Reason),
}

/// An answer set as it was found.
struct Found {
    shown: Vec<Symbol>,
    atoms: Vec<Symbol>,
}

/// Answer sets with what an expectation wants, as far as they were counted.
struct Counted {
    number: u64,
    last: Option<Found>,
    /// Why there may be more.
    unknown: Option<Reason>,
}

struct Search {
    solver: Solver,
    stop: Stop,
    /// What the best answer costs, by level; none where nothing is minimised.
    best: Option<Vec<(i32, i64)>>,
    /// Why the best answer is not known.
    unknown: Option<Reason>,
    /// Why that there is no other answer set proves nothing.
    defect: Option<Diagnostic>,
    certify: Certify,
    /// Of all that was asked until now.
    certified: Option<Certified>,
}

impl Search {
    fn new(
        program: &Program,
        statements: &[(usize, &Statement)],
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Search, Failure> {
        let settings = Settings { models: Some(0), check: true, ..settings.clone() };
        if !statements.iter().any(|(_, statement)| matches!(statement.head, Head::Minimize)) {
            let solver = Solver::with_program(program, &settings, stop)?;
            return Ok(Search::with(solver, None, None, None, stop));
        }
        let mut solver = Solver::new(&settings, stop)?;
        let ground = solver.control().observe()?;
        solver.load(program)?;
        solver.ground_program(program)?;
        if ground.lock().unwrap_or_else(PoisonError::into_inner).costs.is_empty() {
            return Ok(Search::with(solver, Some(Vec::new()), None, None, stop));
        }
        let mut costs = Ok(Vec::new());
        let solved = solver.solve(&[], |model| {
            costs = model.costs();
            if costs.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let costs = costs?;
        let defect = solver.known_defect();
        let unknown =
            (!solved.result.exhausted || defect.is_some()).then(|| stop.requested().unwrap_or(Reason::Unproven));
        let levels: Vec<i32> =
            ground.lock().unwrap_or_else(PoisonError::into_inner).costs.keys().rev().copied().collect();
        let best: Vec<(i32, i64)> = levels.into_iter().zip(costs).collect();
        if best.is_empty() {
            return Ok(Search::with(solver, Some(best), unknown, defect, stop));
        }
        // From now on answers that cost no more are all the same to the solver.
        let bounds: Vec<String> = best.iter().map(|(_, cost)| cost.to_string()).collect();
        let mut settings = settings;
        settings.options.push(format!("--opt-mode=enum,{}", bounds.join(",")));
        let solver = Solver::with_program(program, &settings, stop)?;
        Ok(Search::with(solver, Some(best), unknown, defect, stop))
    }

    fn with(
        solver: Solver,
        best: Option<Vec<(i32, i64)>>,
        unknown: Option<Reason>,
        defect: Option<Diagnostic>,
        stop: &Stop,
    ) -> Search {
        Search { solver, stop: stop.clone(), best, unknown, defect, certify: Certify::No, certified: None }
    }

    /// That a predicate of the test is derived nowhere. That one of its atoms is not may be the very thing that is tested.
    fn undefined_in(&self, test: &Test, statements: &[(usize, &Statement)]) -> Option<(String, Place)> {
        let of_test = |statement: &&Statement| statement.part.name.starts_with(PREFIX) || is_cannot(statement);
        let own = statements.iter().map(|(_, statement)| *statement).filter(of_test).map(|statement| &statement.place);
        let own: Vec<&Place> = own.chain([&test.place]).collect();
        let is_inside = |place: &Place| own.iter().any(|own| own.contains(place));
        let input = test.input.iter().flat_map(|(_, texts)| texts);
        let facts = input.map(|text| format!("{}.", text.text)).collect::<String>();
        let facts = syntax::statements(&facts).into_iter().filter_map(|fact| fact.head);
        let facts: Vec<Signature> = facts.map(|(name, arity)| Signature::new(name, arity)).collect();
        let heads = statements.iter().flat_map(|(_, statement)| statement.head_signatures());
        let derived: Vec<&Signature> = heads.chain(&facts).collect();
        let is_derived = |message: &Message| message.undefined_predicate().is_some_and(|name| derived.contains(&&name));
        let undefined = self.solver.messages().iter().filter(|message| message.undefined);
        let messages = undefined.filter(|message| !is_derived(message));
        messages.map(|message| &message.diagnostic).find_map(|diagnostic| {
            let place = diagnostic.places.first().filter(|place| is_inside(place))?;
            Some((diagnostic.text.clone(), place.clone()))
        })
    }

    /// What `assert(@all(…))` and its kin ask for, by the atoms that the grounder has met, and by the rules that it could never use.
    fn asserted(&mut self, statements: &[(usize, &Statement)]) -> Vec<Expectation> {
        let mut found = Vec::new();
        let rules: Vec<&Statement> =
            statements.iter().map(|&(_, statement)| statement).filter(|statement| is_assert(statement)).collect();
        if rules.is_empty() {
            return found;
        }
        let known = self.solver.control().known_atoms().unwrap_or_default();
        let met = known.into_iter().map(|(atom, _)| (atom, &rules[0].place));
        let written = rules.iter().filter_map(|rule| {
            let Head::Atom { text, .. } = &rule.head else { return None };
            Some((parse_term(&with_names(text))?, &rule.place))
        });
        let mut atoms: Vec<(Symbol, &Place)> = written.chain(met).collect();
        let mut told = std::collections::HashSet::new();
        atoms.retain(|(atom, _)| told.insert(*atom));
        for (atom, place) in atoms {
            let Some((ASSERT, 1)) = signature_of(atom) else { continue };
            let Some(argument) = atom.arguments().ok().and_then(|all| all.first().copied()) else { continue };
            let count =
                || argument.arguments().ok()?.first()?.number().ok().and_then(|number| u64::try_from(number).ok());
            let (quantifier, condition) = match signature_of(argument) {
                Some(("_all", _)) => (Quantifier::All, Condition::Atom(atom)),
                Some(("_any", _)) => (Quantifier::AtLeast(1), Condition::Atom(atom)),
                Some(("_models", 1)) => match count() {
                    Some(count) => (Quantifier::Exactly(count), Condition::True),
                    None => continue,
                },
                _ => continue,
            };
            let text = to_text(atom).replacen("(_", "(@", 1);
            found.push(Expectation { quantifier, condition, place: place.clone(), text });
        }
        found
    }

    fn decide(&mut self, number: usize, expectation: &Expectation) -> Result<Decided, Failure> {
        if let Some(reason) = self.unknown {
            return Ok(Decided::Unknown(reason));
        }
        let assumed = match expectation.condition {
            Condition::True => None,
            Condition::Met => function(HOLDS, &[crate::asp::number(number as i32)]),
            Condition::Atom(atom) => Some(atom),
            Condition::Cost { cost, level } => return self.decide_cost(cost, level),
        };
        let (least, most) = match expectation.quantifier {
            Quantifier::All => {
                let assumed: Vec<(Symbol, bool)> = assumed.map(|atom| (atom, false)).into_iter().collect();
                let counted = self.count(&assumed, 1)?;
                return Ok(match (counted.last, counted.unknown) {
                    (Some(found), _) => Decided::Broken("this answer set breaks it".to_owned(), Some(found)),
                    (None, Some(reason)) => Decided::Unknown(reason),
                    (None, None) => Decided::Met,
                });
            }
            Quantifier::AtLeast(least) => (least, u64::MAX),
            Quantifier::AtMost(most) => (0, most),
            Quantifier::Exactly(exactly) => (exactly, exactly),
        };
        let assumed: Vec<(Symbol, bool)> = assumed.map(|atom| (atom, true)).into_iter().collect();
        let limit = if most == u64::MAX { least } else { most.saturating_add(1) };
        if limit == 0 {
            return Ok(Decided::Met);
        }
        let counted = self.count(&assumed, limit)?;
        let it = if assumed.is_empty() { "" } else { " in which it holds" };
        Ok(match counted.unknown {
            _ if counted.number > most => {
                let words = match most {
                    0 => format!("there is an answer set{it}"),
                    most => {
                        format!(
                            "there are more than {}{it}, this one among them",
                            count(most, "answer set", "answer sets")
                        )
                    }
                };
                Decided::Broken(words, counted.last)
            }
            Some(reason) if counted.number < least => Decided::Unknown(reason),
            None if counted.number < least => {
                let words = match counted.number {
                    0 => format!("there is no answer set{it}"),
                    1 => format!("there is 1 answer set{it}, {least} were wanted"),
                    number => format!("there are {number} answer sets{it}, {least} were wanted"),
                };
                Decided::Broken(words, counted.last)
            }
            Some(reason) if most != u64::MAX => Decided::Unknown(reason),
            _ => Decided::Met,
        })
    }

    fn decide_cost(&mut self, cost: i64, level: i32) -> Result<Decided, Failure> {
        let counted = self.count(&[], 1)?;
        let Some(found) = counted.last else {
            return Ok(counted
                .unknown
                .map_or(Decided::Broken("there is no answer set".to_owned(), None), Decided::Unknown));
        };
        let known = self.best.iter().flatten().find(|(known, _)| *known == level).map(|&(_, cost)| cost);
        Ok(match known {
            Some(best) if best == cost => Decided::Met,
            Some(best) => Decided::Broken(format!("the best answer set costs {best} at level {level}"), Some(found)),
            // What no answer set has to pay for costs nothing.
            None if cost == 0 => Decided::Met,
            None => Decided::Broken(format!("nothing is minimised at level {level}"), Some(found)),
        })
    }

    /// Answer sets under an assumption, at most so many.
    fn count(&mut self, assumed: &[(Symbol, bool)], limit: u64) -> Result<Counted, Failure> {
        let (mut number, mut last, mut failed) = (0, None, None);
        let ground = self.certify.is_asked().then(|| self.solver.control().observe()).transpose()?;
        let mut listed = Vec::new();
        let solved = self.solver.solve(assumed, |model| {
            number += 1;
            if let Some(ground) = &ground {
                match ground.lock().unwrap_or_else(PoisonError::into_inner).holding(model) {
                    Ok(holding) => listed.push(holding),
                    Err(error) => failed = Some(error),
                }
            }
            if number < limit {
                return ControlFlow::Continue(());
            }
            last = found(model);
            ControlFlow::Break(())
        })?;
        let is_ended = solved.result.exhausted || solved.result.unsatisfiable;
        if is_ended && self.defect.is_none() {
            self.defect = self.solver.known_defect();
        }
        failed.map_or(Ok(()), Err)?;
        if let Some(ground) = ground.filter(|_| is_ended && number < limit) {
            let made = self.made(&ground.lock().unwrap_or_else(PoisonError::into_inner), assumed, listed)?;
            self.certified = Some(match self.certified.take() {
                Some(certified) => certified.and(made),
                None => made,
            });
        }
        let is_all = number >= limit || is_ended && self.defect.is_none();
        let unknown = (!is_all).then(|| self.stop.requested().unwrap_or(Reason::Unproven));
        Ok(Counted { number, last, unknown })
    }

    /// The certificate that no others than these are answer sets under an assumption.
    fn made(
        &mut self,
        ground: &Ground,
        assumed: &[(Symbol, bool)],
        listed: Vec<FxHashSet<u32>>,
    ) -> Result<Certified, Failure> {
        let of = if listed.is_empty() { "none" } else { "all" };
        if self.best.is_some() {
            return Ok(Certified::not(of, "the best answer sets count, not all"));
        }
        let mut ground = ground.clone();
        for &(atom, value) in assumed {
            match self.solver.control().literal(atom) {
                Some(literal) => ground.assumed.push(if value { literal } else { -literal }),
                // What nothing derives does not hold.
                None if value => ground.rules.push(GroundRule::contradiction()),
                None => {}
            }
        }
        let sorted = |holding: FxHashSet<u32>| holding.into_iter().collect::<BTreeSet<u32>>().into_iter().collect();
        let claim = Claim { answers: listed.into_iter().map(sorted).collect(), ..Claim::default() };
        Ok(certificate::certify(&ground, &Shown::default(), &claim, of, self.certify, &self.stop)?)
    }

    /// What of an answer set is told, and about which atom one may ask further.
    fn blame(
        &self,
        found: Found,
        expectation: &Expectation,
        statements: &[(usize, &Statement)],
        outcome: &mut Outcome,
    ) {
        let named = |name: &str| {
            found
                .atoms
                .iter()
                .copied()
                .filter(|&atom| signature_of(atom).is_some_and(|(known, _)| known == name))
                .collect::<Vec<_>>()
        };
        let cannot = named(CANNOT);
        let is_of_part = expectation.text == NO_CANNOT;
        if is_of_part && !cannot.is_empty() {
            let mut texts: Vec<String> = cannot.iter().map(|&atom| to_text(atom)).collect();
            texts.sort();
            outcome.words = format!("{} in an answer set", texts.join(", "));
            outcome.about = texts.into_iter().next();
            let fired = named(FIRED).first().and_then(|fired| fired.arguments().ok()?.first()?.number().ok());
            let rule = statements.iter().find(|(number, _)| Some(*number as i32) == fired);
            if let Some((_, rule)) = rule {
                outcome.place = rule.place.clone();
            }
        }
        let is_own = |atom: &Symbol| {
            !is_added(*atom) && signature_of(*atom).is_none_or(|(name, _)| name != CANNOT && name != ASSERT)
        };
        let own = |atoms: Vec<Symbol>| {
            let mut atoms: Vec<Symbol> = atoms.into_iter().filter(is_own).collect();
            atoms.sort();
            atoms
        };
        outcome.answer = Some(Answer { shown: own(found.shown), atoms: own(found.atoms) });
    }
}

fn found(model: &mut Model<'_>) -> Option<Found> {
    let shown = model.shown(Order::AsFound).ok()?.collect();
    let atoms = model.atoms().ok()?.collect();
    Some(Found { shown, atoms })
}
