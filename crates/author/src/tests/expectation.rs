//! Checks the expectations of a test about the answer sets of its program, by searching for
//! counterexamples.
//!
//! Each condition becomes an atom `holds(K)` of the program, so that the solver can search for
//! answer sets in which the condition holds or does not hold. Every answer set that decides an
//! expectation is checked against the definition of answer sets. If clingo is known to lose answer
//! sets of the program, the absence of one proves nothing.

use std::ops::{ControlFlow, Range};

use asp::tree::Head;
use asp::{
    Message, Model, Order, Program, Settings, Signature, Solver, Statement, Symbol, function, is_added, is_safe,
    parse_term, signature_of, statements_of, syntax, to_text,
};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::stop::{CancelToken, StopReason};
use base::words::count;
use certificate::Claim;
use ground::{GroundProgram, GroundRule, ShownTerms};
use prover::{Certification, CertifyMode};
use serde_json::{Value, json};

use super::annotation::{self, Call};
use super::case::{ASSERT, CANNOT, Condition, Expectation, PREFIX, Quantifier, Test, is_assert, is_cannot};

#[derive(Debug, Clone)]
pub struct TestOutcome {
    pub verdict: TestVerdict,
    /// The failed expectation in words; empty if the test passed.
    pub words: String,
    /// The place of the failed expectation, or the place of the test if it passed.
    pub place: Place,
    /// The answer set that violates the expectation.
    pub answer: Option<AnswerSet>,
    /// The `cannot` atom that holds, for a further explanation.
    pub about: Option<String>,
    /// The certificate that there are no further answer sets, if the result depends on that.
    pub certificate: Option<Certification>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestVerdict {
    Passed,
    Failed,
    GaveUp(StopReason),
}

/// An answer set, without auxiliary atoms and the atoms that the test adds.
#[derive(Debug, Clone)]
pub struct AnswerSet {
    pub shown: Vec<Symbol>,
    /// All true atoms, including those that are not shown.
    pub atoms: Vec<Symbol>,
}

impl TestOutcome {
    pub fn passed(&self) -> bool {
        self.verdict == TestVerdict::Passed
    }

    /// Returns the outcome of an undecided test.
    pub fn gave_up(reason: StopReason, place: Place) -> TestOutcome {
        let words = reason.words().to_owned();
        TestOutcome { verdict: TestVerdict::GaveUp(reason), words, place, answer: None, about: None, certificate: None }
    }

    /// Returns the outcome as JSON, as printed by `asp-solve test -f json`.
    pub fn json(&self, test: &Test) -> Value {
        let passed = match self.verdict {
            TestVerdict::Passed => json!(true),
            TestVerdict::Failed => json!(false),
            TestVerdict::GaveUp(_) => Value::Null,
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

const MISSES: &str = "__asp_solve_misses";
const HOLDS: &str = "__asp_solve_holds";
const FIRED: &str = "__asp_solve_fired";
/// How the expectation of a test part is shown: that no `cannot` holds.
const NO_CANNOT: &str = "no cannot";

/// Returns the expectation of a test part and its rules. It expects that no `cannot` holds, in any
/// step of an incremental program, and that there is at least one answer set.
pub fn of_cannot<'a>(
    statements: impl Iterator<Item = (usize, &'a Statement)>,
    place: &Place,
    final_part: &str,
) -> (Vec<Document>, Vec<Expectation>) {
    let mut rules = format!("{final_part} {HOLDS}(0) :- not {MISSES}(0).\n");
    for (number, rule) in statements.filter(|(_, statement)| is_cannot(statement)) {
        let arity = rule.head.signature().map_or(0, |signature| signature.arity);
        let cannot = Signature::new(CANNOT, arity).atom(&vec!["_".to_owned(); arity]);
        rules += &format!("{MISSES}(0) :- {cannot}.\n");
        // Rules in the part of a step are evaluated in each step.
        let is_in_step_part = rule.part.is_grounded && !rule.part.parameters.is_empty();
        let mark = if is_in_step_part { rule.part.directive() } else { String::new() };
        rules += &format!("{mark} {}\n{final_part} ", rule.rule(&format!("{FIRED}({number})"), &[]));
    }
    let text = NO_CANNOT.to_owned();
    let expectation =
        Expectation { quantifier: Quantifier::All, condition: Condition::Met, place: place.clone(), text };
    (vec![Document::in_memory("<expected>", rules)], vec![expectation])
}

/// Returns the expectations of the assertions in a comment and their rules, which derive
/// `misses(K)` if the condition of expectation K does not hold.
pub fn of_assertions(
    document: &Document,
    assertions: &[Call],
    final_part: &str,
) -> Result<(Vec<Document>, Vec<Expectation>), Failure> {
    let mut rules = Vec::new();
    let mut expectations = Vec::new();
    for call in assertions {
        let place = Place::of_range(&document.name, &document.text, call.range.clone());
        let name = call.name.as_str();
        let (condition_name, quantifier_name) = match name.split_once("In").or_else(|| name.split_once("For")) {
            Some((condition_name @ ("true" | "false" | "constraint"), quantifier_name)) => {
                (condition_name, quantifier_name)
            }
            _ => (name, ""),
        };
        let counted = || call.number(document, "number");
        let quantifier = match (condition_name, quantifier_name) {
            ("noAnswerSet", "") => Quantifier::AtMost(0),
            ("bestModelCost", "") | (_, "All") => Quantifier::All,
            (_, "AtLeast") => match counted()? {
                0 => {
                    let text = format!("{name} 0 holds vacuously; expected a number from 1");
                    return Err(Diagnostic::error(Code::InvalidAnnotation, text).at(Some(place)).into());
                }
                number => Quantifier::AtLeast(number),
            },
            (_, "AtMost") => Quantifier::AtMost(counted()?),
            (_, "Exactly" | "AtExactly") => Quantifier::Exactly(counted()?),
            _ => return Err(unknown_assertion(call, place)),
        };
        let (names, middle): (&[&str], _) = match condition_name {
            "true" => (&["atoms", "atom"], " :- not "),
            "false" => (&["atoms", "atom"], " :- "),
            "constraint" => (&["constraint", "constraints"], " "),
            "bestModelCost" => (&["cost", "level"], ""),
            _ => (&[], ""),
        };
        let is_counted = !matches!(quantifier, Quantifier::All) && condition_name != "noAnswerSet";
        let keys: Vec<&str> = names.iter().copied().chain(is_counted.then_some("number")).collect();
        call.check_keys(document, &keys)?;
        let condition = match condition_name {
            "noAnswerSet" => Condition::True,
            "bestModelCost" => {
                Condition::Cost { cost: call.number(document, "cost")?, level: call.number(document, "level")? }
            }
            _ => {
                let number = expectations.len();
                let prefix = format!("{final_part} {MISSES}({number}){middle}");
                for text in call.texts(document, names)? {
                    match condition_name {
                        "constraint" => check_constraint(document, &text)?,
                        _ => check_atoms(document, &text)?,
                    }
                    rules.extend(statements_in(document, &text, &prefix));
                }
                let holds = format!("{final_part} {HOLDS}({number}) :- not {MISSES}({number}).");
                rules.push(Document::in_memory("<expected>", holds));
                Condition::Met
            }
        };
        let text = document.text[call.range.clone()].to_owned();
        expectations.push(Expectation { quantifier, condition, place, text });
    }
    Ok((rules, expectations))
}

fn unknown_assertion(call: &Call, place: Place) -> Failure {
    const HELP: &str = "there are @noAnswerSet, @trueInAll, @trueInAtLeast, @trueInAtMost, @trueInExactly, the same four with \
        `false`, @constraintForAll, @constraintInAtLeast, @constraintInAtMost, @constraintInExactly and @bestModelCost";
    Diagnostic::error(Code::InvalidAnnotation, format!("@{} is not an assertion", call.name))
        .at(Some(place))
        .help(HELP)
        .into()
}

/// Rejects a text that is not a constraint: after the prefix, it would form a separate rule.
fn check_constraint(document: &Document, text: &annotation::Text) -> Result<(), Failure> {
    if text.text.trim_start().starts_with(":-") {
        return Ok(());
    }
    let place = Place::of_range(&document.name, &document.text, text.range.clone());
    Err(Diagnostic::error(Code::InvalidAnnotation, "expected a constraint, which begins with :-")
        .at(Some(place))
        .into())
}

/// Rejects a text that would form a separate rule after the prefix, or have no meaning. Each
/// element must be an atom without variables, possibly after `not`. An atom with an interval means
/// all its instances.
fn check_atoms(document: &Document, text: &annotation::Text) -> Result<(), Failure> {
    let source = format!("{}.", text.text.trim_end().trim_end_matches('.'));
    for range in syntax::ranges(&source) {
        let element = source[range.clone()].trim_end_matches('.');
        let atom = element.strip_prefix("not ").unwrap_or(element);
        let document_of_atom = Document::in_memory("", format!("{atom}."));
        let is_atom = statements_of(&Program::of([document_of_atom.clone()]))
            .is_ok_and(|all| matches!(&all[..], [only] if only.is_fact() && only.head.signature().is_some()));
        if !is_atom || !is_safe(&document_of_atom) {
            const HELP: &str = "each ends with a dot: atoms = \"a. p(1).\"";
            let start = text.range.start + range.start;
            let place = Place::of_range(&document.name, &document.text, start..start + element.len());
            let text =
                if atom.is_empty() { "expected an atom".to_owned() } else { format!("{element} is not a ground atom") };
            return Err(Diagnostic::error(Code::InvalidAnnotation, text).at(Some(place)).help(HELP).into());
        }
    }
    Ok(())
}

/// Returns a document for each statement in `text`, which places it after `prefix` and at its
/// original position. The last statement need not end with a dot.
fn statements_in(document: &Document, text: &annotation::Text, prefix: &str) -> Vec<Document> {
    let source = text.text.trim_end();
    let source = if source.ends_with('.') { source.to_owned() } else { format!("{source}.") };
    let placed =
        |range: Range<usize>| annotation::placed(document, text.range.start + range.start, prefix, &source[range]);
    syntax::ranges(&source).map(placed).collect()
}

/// Replaces `@all(…)`, `@any(…)` and `@models(…)` in a rule for `assert` by function terms of the
/// same length.
pub fn with_names(rule: &str) -> String {
    ["all(", "any(", "models("]
        .iter()
        .fold(rule.to_owned(), |rule, name| rule.replace(&format!("@{name}"), &format!("_{name}")))
}

/// Runs a test. `statements` are the statements of its program. If `finds_undefined`, the test
/// fails if it uses a predicate that no rule derives.
pub fn run(
    program: &Program,
    statements: &[(usize, &Statement)],
    test: &Test,
    finds_undefined: bool,
    settings: &Settings,
    certify: CertifyMode,
    stop: &CancelToken,
) -> Result<TestOutcome, Failure> {
    let mut checker = ExpectationChecker::new(program, statements, settings, stop)?;
    checker.certify = certify;
    let mut expectations = test.expectations.clone();
    expectations.extend(checker.asserted_expectations(statements));
    let is_count_of_all = |expectation: &Expectation| matches!(expectation.condition, Condition::True);
    // Without answer sets, expectations about all or at most some of them hold vacuously.
    if !expectations.iter().any(is_count_of_all) {
        let place = test.place.clone();
        let text = "an answer set".to_owned();
        expectations.push(Expectation { quantifier: Quantifier::AtLeast(1), condition: Condition::True, place, text });
    }
    let mut outcome = TestOutcome {
        verdict: TestVerdict::Passed,
        words: String::new(),
        place: test.place.clone(),
        answer: None,
        about: None,
        certificate: None,
    };
    for (number, expectation) in expectations.iter().enumerate() {
        outcome.place = expectation.place.clone();
        let decided = checker.decide(number, expectation)?;
        outcome.certificate.clone_from(&checker.certified);
        match decided {
            Decision::Met => {}
            Decision::Unknown(reason) => {
                let outcome = TestOutcome::gave_up(reason, outcome.place);
                let words = checker.defect.map_or(outcome.words, |defect| defect.message);
                return Ok(TestOutcome { words, ..outcome });
            }
            Decision::Broken(words, found) => {
                outcome = TestOutcome { verdict: TestVerdict::Failed, words, ..outcome };
                if let Some(found) = found {
                    checker.blame(found, expectation, statements, &mut outcome);
                }
                return Ok(outcome);
            }
        }
    }
    if finds_undefined && let Some((words, place)) = checker.undefined_predicate(test, statements) {
        return Ok(TestOutcome { verdict: TestVerdict::Failed, words, place, ..outcome });
    }
    Ok(TestOutcome { place: test.place.clone(), ..outcome })
}

enum Decision {
    Met,
    /// The expectation does not hold: a description, and the answer set that shows it.
    Broken(String, Option<FoundAnswer>),
    Unknown(StopReason),
}

/// An answer set as returned by the solver.
struct FoundAnswer {
    shown: Vec<Symbol>,
    atoms: Vec<Symbol>,
}

/// The number of answer sets that satisfy a condition, up to a limit.
struct CountResult {
    number: u64,
    last: Option<FoundAnswer>,
    /// The reason why there may be more answer sets, if they were not all counted.
    unknown: Option<StopReason>,
}

struct ExpectationChecker {
    solver: Solver,
    stop: CancelToken,
    /// The cost of the best answer by level; `None` if nothing is minimised.
    best: Option<Vec<(i32, i64)>>,
    /// The reason why the best answer is unknown.
    unknown: Option<StopReason>,
    /// The defect of clingo because of which a missing answer set proves nothing.
    defect: Option<Diagnostic>,
    certify: CertifyMode,
    /// The certificate for all queries so far.
    certified: Option<Certification>,
}

impl ExpectationChecker {
    fn new(
        program: &Program,
        statements: &[(usize, &Statement)],
        settings: &Settings,
        stop: &CancelToken,
    ) -> Result<ExpectationChecker, Failure> {
        let settings = Settings { models: Some(0), check: true, ..settings.clone() };
        if !statements.iter().any(|(_, statement)| matches!(statement.head, Head::Minimize { .. })) {
            let solver = Solver::with_program(program, &settings, stop)?;
            return Ok(ExpectationChecker::with(solver, None, None, None, stop));
        }
        let mut solver = Solver::new(&settings, stop)?;
        let ground = solver.control().observe()?;
        solver.load(program)?;
        solver.ground_program(program)?;
        if ground.lock().costs.is_empty() {
            return Ok(ExpectationChecker::with(solver, Some(Vec::new()), None, None, stop));
        }
        let mut costs = Ok(Vec::new());
        let solved = solver.solve(&[], |model| {
            costs = model.costs();
            if costs.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let costs = costs?;
        let defect = solver.known_defect();
        let unknown =
            (!solved.result.exhausted || defect.is_some()).then(|| stop.requested().unwrap_or(StopReason::Unproven));
        let levels: Vec<i32> = ground.lock().costs.keys().rev().copied().collect();
        let best: Vec<(i32, i64)> = levels.into_iter().zip(costs).collect();
        if best.is_empty() {
            return Ok(ExpectationChecker::with(solver, Some(best), unknown, defect, stop));
        }
        // The second solver enumerates the answers whose cost is the minimum.
        let bounds: Vec<String> = best.iter().map(|(_, cost)| cost.to_string()).collect();
        let mut settings = settings;
        settings.options.push(format!("--opt-mode=enum,{}", bounds.join(",")));
        let solver = Solver::with_program(program, &settings, stop)?;
        Ok(ExpectationChecker::with(solver, Some(best), unknown, defect, stop))
    }

    fn with(
        solver: Solver,
        best: Option<Vec<(i32, i64)>>,
        unknown: Option<StopReason>,
        defect: Option<Diagnostic>,
        stop: &CancelToken,
    ) -> ExpectationChecker {
        ExpectationChecker {
            solver,
            stop: stop.clone(),
            best,
            unknown,
            defect,
            certify: CertifyMode::No,
            certified: None,
        }
    }

    /// Returns a message about a predicate in the test that no rule derives, and its place.
    /// Underivable atoms of other predicates are permitted, since the test may be about them.
    fn undefined_predicate(&self, test: &Test, statements: &[(usize, &Statement)]) -> Option<(String, Place)> {
        let of_test = |statement: &&Statement| statement.part.name.starts_with(PREFIX) || is_cannot(statement);
        let places =
            statements.iter().map(|(_, statement)| *statement).filter(of_test).map(|statement| &statement.place);
        let places: Vec<&Place> = places.chain([&test.place]).collect();
        let is_inside = |place: &Place| places.iter().any(|places| places.contains(place));
        let input = test.input.iter().flat_map(|(_, texts)| texts);
        let facts = input.map(|text| format!("{}.", text.text)).collect::<String>();
        let facts = syntax::statements(&facts).into_iter().filter_map(|fact| fact.head);
        let facts = facts.map(|(name, arity)| Signature::new(name, arity));
        let heads = statements.iter().flat_map(|(_, statement)| statement.head_signatures());
        let derived: Vec<Signature> = heads.chain(facts).collect();
        let is_derived = |message: &Message| message.undefined.as_ref().is_some_and(|name| derived.contains(name));
        let undefined = self.solver.messages().iter().filter(|message| message.is_undefined_atom());
        let messages = undefined.filter(|message| !is_derived(message));
        messages.map(|message| &message.diagnostic).find_map(|diagnostic| {
            let place = diagnostic.labels.first().filter(|place| is_inside(place))?;
            Some((diagnostic.message.clone(), place.clone()))
        })
    }

    /// Returns the expectations of `assert(@all(…))` and its variants. They are read from the atoms
    /// of the ground program, and from the heads of rules that have no ground instance.
    fn asserted_expectations(&mut self, statements: &[(usize, &Statement)]) -> Vec<Expectation> {
        let mut expectations = Vec::new();
        let rules: Vec<&Statement> =
            statements.iter().map(|&(_, statement)| statement).filter(|statement| is_assert(statement)).collect();
        if rules.is_empty() {
            return expectations;
        }
        let known = self.solver.control().known_atoms().unwrap_or_default();
        let grounded = known.into_iter().map(|(atom, _)| (atom, &rules[0].place));
        let from_heads = rules.iter().filter_map(|rule| {
            let Head::Atom(head) = &rule.head else { return None };
            Some((parse_term(&with_names(&head.to_string()))?, &rule.place))
        });
        let mut atoms: Vec<(Symbol, &Place)> = from_heads.chain(grounded).collect();
        let mut seen = std::collections::HashSet::new();
        atoms.retain(|(atom, _)| seen.insert(*atom));
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
            expectations.push(Expectation { quantifier, condition, place: place.clone(), text });
        }
        expectations
    }

    fn decide(&mut self, number: usize, expectation: &Expectation) -> Result<Decision, Failure> {
        if let Some(reason) = self.unknown {
            return Ok(Decision::Unknown(reason));
        }
        let assumed = match expectation.condition {
            Condition::True => None,
            Condition::Met => function(HOLDS, &[asp::number(number as i32)]),
            Condition::Atom(atom) => Some(atom),
            Condition::Cost { cost, level } => return self.decide_cost(cost, level),
        };
        let (least, most) = match expectation.quantifier {
            Quantifier::All => {
                let assumed: Vec<(Symbol, bool)> = assumed.map(|atom| (atom, false)).into_iter().collect();
                let counted = self.count(&assumed, 1)?;
                return Ok(match (counted.last, counted.unknown) {
                    (Some(found), _) => Decision::Broken("this answer set breaks it".to_owned(), Some(found)),
                    (None, Some(reason)) => Decision::Unknown(reason),
                    (None, None) => Decision::Met,
                });
            }
            Quantifier::AtLeast(least) => (least, u64::MAX),
            Quantifier::AtMost(most) => (0, most),
            Quantifier::Exactly(exactly) => (exactly, exactly),
        };
        let assumed: Vec<(Symbol, bool)> = assumed.map(|atom| (atom, true)).into_iter().collect();
        let limit = if most == u64::MAX { least } else { most.saturating_add(1) };
        if limit == 0 {
            return Ok(Decision::Met);
        }
        let counted = self.count(&assumed, limit)?;
        let in_which = if assumed.is_empty() { "" } else { " in which it holds" };
        Ok(match counted.unknown {
            _ if counted.number > most => {
                let words = match most {
                    0 => format!("there is an answer set{in_which}"),
                    most => {
                        format!(
                            "there are more than {}{in_which}, this one among them",
                            count(most, "answer set", "answer sets")
                        )
                    }
                };
                Decision::Broken(words, counted.last)
            }
            Some(reason) if counted.number < least => Decision::Unknown(reason),
            None if counted.number < least => {
                let words = match counted.number {
                    0 => format!("there is no answer set{in_which}"),
                    1 => format!("there is 1 answer set{in_which}, expected {least}"),
                    number => format!("there are {number} answer sets{in_which}, expected {least}"),
                };
                Decision::Broken(words, counted.last)
            }
            Some(reason) if most != u64::MAX => Decision::Unknown(reason),
            _ => Decision::Met,
        })
    }

    fn decide_cost(&mut self, cost: i64, level: i32) -> Result<Decision, Failure> {
        let counted = self.count(&[], 1)?;
        let Some(found) = counted.last else {
            return Ok(counted
                .unknown
                .map_or(Decision::Broken("there is no answer set".to_owned(), None), Decision::Unknown));
        };
        let best_cost = self.best.iter().flatten().find(|(other, _)| *other == level).map(|&(_, cost)| cost);
        Ok(match best_cost {
            Some(best) if best == cost => Decision::Met,
            Some(best) => Decision::Broken(format!("the best answer set costs {best} at level {level}"), Some(found)),
            // A level without terms costs nothing.
            None if cost == 0 => Decision::Met,
            None => Decision::Broken(format!("nothing is minimised at level {level}"), Some(found)),
        })
    }

    /// Counts the answer sets in which the literals `assumed` hold, up to `limit`.
    fn count(&mut self, assumed: &[(Symbol, bool)], limit: u64) -> Result<CountResult, Failure> {
        let mut number = 0;
        let mut last = None;
        let mut failed = None;
        let ground = self.certify.is_requested().then(|| self.solver.control().observe()).transpose()?;
        let mut listed = Vec::new();
        let solved = self.solver.solve(assumed, |model| {
            number += 1;
            if let Some(ground) = &ground {
                match model.sorted_true_atoms(&ground.lock()) {
                    Ok(holding) => listed.push(holding),
                    Err(error) => failed = Some(error),
                }
            }
            if number < limit {
                return ControlFlow::Continue(());
            }
            last = read_answer(model);
            ControlFlow::Break(())
        })?;
        let is_ended = solved.result.exhausted || solved.result.unsatisfiable;
        if is_ended && self.defect.is_none() {
            self.defect = self.solver.known_defect();
        }
        failed.map_or(Ok(()), Err)?;
        if let Some(ground) = ground.filter(|_| is_ended && number < limit) {
            let certification = self.certify_count(&ground.lock(), assumed, listed)?;
            self.certified = Some(match self.certified.take() {
                Some(certified) => certified.and(certification),
                None => certification,
            });
        }
        let is_all = number >= limit || is_ended && self.defect.is_none();
        let unknown = (!is_all).then(|| self.stop.requested().unwrap_or(StopReason::Unproven));
        Ok(CountResult { number, last, unknown })
    }

    /// Certifies that the answer sets in `listed` are all in which the literals `assumed` hold.
    fn certify_count(
        &mut self,
        ground: &GroundProgram,
        assumed: &[(Symbol, bool)],
        listed: Vec<Vec<u32>>,
    ) -> Result<Certification, Failure> {
        let of = if listed.is_empty() { "none" } else { "all" };
        if self.best.is_some() {
            return Ok(Certification::uncertified(of, "the best answer sets count, not all"));
        }
        let mut ground = ground.clone();
        for &(atom, value) in assumed {
            match self.solver.control().literal(atom) {
                Some(literal) => ground.assumed.push(if value { literal } else { -literal }),
                // An underivable atom is false.
                None if value => ground.rules.push(GroundRule::contradiction()),
                None => {}
            }
        }
        let claim = Claim { answers: listed, ..Claim::default() };
        Ok(prover::certify(&ground, &ShownTerms::default(), &claim, of, self.certify, &self.stop)?)
    }

    /// Adds the answer set `found`, which violates the expectation, to the outcome. If a `cannot`
    /// atom holds in it, adds this atom, about which the user can ask further.
    fn blame(
        &self,
        found: FoundAnswer,
        expectation: &Expectation,
        statements: &[(usize, &Statement)],
        outcome: &mut TestOutcome,
    ) {
        let atoms_of = |name: &str| {
            found
                .atoms
                .iter()
                .copied()
                .filter(|&atom| signature_of(atom).is_some_and(|(other, _)| other == name))
                .collect::<Vec<_>>()
        };
        let cannot = atoms_of(CANNOT);
        let is_of_part = expectation.text == NO_CANNOT;
        if is_of_part && !cannot.is_empty() {
            let mut texts: Vec<String> = cannot.iter().map(|&atom| to_text(atom)).collect();
            texts.sort();
            outcome.words = format!("{} in an answer set", texts.join(", "));
            outcome.about = texts.into_iter().next();
            let fired = atoms_of(FIRED).first().and_then(|fired| fired.arguments().ok()?.first()?.number().ok());
            let rule = statements.iter().find(|(number, _)| Some(*number as i32) == fired);
            if let Some((_, rule)) = rule {
                outcome.place = rule.place.clone();
            }
        }
        let is_of_program = |atom: &Symbol| {
            !is_added(*atom) && signature_of(*atom).is_none_or(|(name, _)| name != CANNOT && name != ASSERT)
        };
        let program_atoms = |atoms: Vec<Symbol>| {
            let mut atoms: Vec<Symbol> = atoms.into_iter().filter(is_of_program).collect();
            atoms.sort();
            atoms
        };
        outcome.answer = Some(AnswerSet { shown: program_atoms(found.shown), atoms: program_atoms(found.atoms) });
    }
}

fn read_answer(model: &mut Model<'_>) -> Option<FoundAnswer> {
    let shown = model.shown(Order::AsFound).ok()?.collect();
    let atoms = model.atoms().ok()?.collect();
    Some(FoundAnswer { shown, atoms })
}
