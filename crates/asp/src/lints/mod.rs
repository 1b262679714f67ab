//! Warnings about programs that clingo accepts but that probably mean something else.
//!
//! | name | pattern |
//! |---|---|
//! | `arrow` | `a <- b.`, which is the comparison of `a` with `-b` |
//! | `comma-head` | `a, b.`, which is a disjunction and not two facts |
//! | `empty-extremum` | `#min { … } > 5`, if there is no element |
//! | `fixed-choice` | `1 { a(X) } 2 :- b(X).`, in which each choice has one element |
//! | `forced-conflict` | `:- p(X), p(Y), X != Y.`, if rules derive several atoms in every answer |
//! | `head-comparison` | `p(X) = q(X) :- r(X).`, which compares two terms |
//! | `lower-case-variable` | `p(x) :- q(x).`, if no atom has the constant `x` |
//! | `merged-tuples` | several elements of a sum with the same tuple, which counts once |
//! | `near-variables` | a variable that occurs once and may be a misspelling of another one |
//! | `odd-loop` | a negative loop through several rules: `a :- not b. b :- a.` |
//! | `overflow` | `p(X*Y)` with values that leave the range of 32 bits |
//! | `pool-arity` | `p(a,b;c)`, which stands for `p(a,b)` and `p(c)` |
//! | `self-negation` | `a :- not a.`, if no other rule derives `a` |
//! | `shown-condition` | `#show p(X) : q(X).` without another `#show`, which hides no atom |
//! | `shown-term` | `#show p.`, which shows a term, if there are atoms of `p/1` |
//! | `undefined-constant` | `X < n` with an undefined constant `n`; every number is less than a constant |
//! | `ungrounded-part` | `#program step(t).` without the loop that grounds it |
//! | `unmatched-constant` | a constant that no atom has as this argument, but a similar one occurs there |
//!
//! A false alarm is worse than none. Most lints therefore use clingo's syntax tree;
//! `unmatched-constant` and `lower-case-variable` check the grounded atoms, `overflow`,
//! `empty-extremum` and `forced-conflict` the values of terms ([`values`]), and `merged-tuples` an
//! answer ([`merging`]).
//!
//! Facts are removed before the text is parsed a second time, since there may be millions.

mod merging;
mod slips;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Fix, Place};
use base::document::Document;
use base::stop::CancelToken;

use self::merging::Sum;
use self::slips::LowerCase;
use self::values::CheckedTerm;
use super::arithmetic::{self, Constants};
use super::ffi::{CallError, Control, Model, Symbol};
use super::program::Program;
use super::repairs::{self, PREFERENCES};
use super::settings::{Settings, parse_warn_options};
use super::statement::{ProgramPart, Statement, statements_of};
use super::symbols::to_text;
use super::syntax::{self, Signature};
use super::tree::{AggregateFunction, Atom, Guard, Head, Literal, Part, Sign, SyntaxTree, Term, TermKind};

/// Parts of encodings that `generate`, `hint` and `rate` ground.
const TOOL_PARTS: [&str; 3] = ["clues", "areas", "techniques"];

/// Maximum number of rules. Larger programs are generated, and parsing them may take longer than
/// solving.
const MAX_RULES: usize = 3_000;
/// Predicates with more atoms are not checked for unmatched constants.
const MAX_ATOMS: usize = 20_000;

/// The lints of a program: diagnostics of its texts, and the state of the lints that need the
/// grounded atoms or an answer.
#[derive(Default)]
pub struct Lints {
    enabled: Vec<Code>,
    found: Vec<Diagnostic>,
    sums: Vec<Sum>,
    constants: Vec<ConstantUse>,
    lower_case: Vec<LowerCase>,
    values: Vec<CheckedTerm>,
    program: Program,
    /// The `#const` statements of the program, for the checks of sums.
    definitions: String,
    settings: Settings,
    stop: CancelToken,
    /// The number of answers, and the relevant atoms of the last one.
    answers: u64,
    answer: Vec<Symbol>,
}

/// A constant as an argument of a body atom.
struct ConstantUse {
    name: String,
    signature: Signature,
    argument: usize,
    place: Place,
    /// A variable of the statement that differs only in the case of its first letter.
    variable: Option<String>,
}

impl Lints {
    /// Checks the texts of a program that clingo accepts, and the files that it includes.
    /// `settings` gives the constants and the enabled lints.
    pub fn of(program: &Program, included: &[Document], settings: &Settings, stop: &CancelToken) -> Lints {
        let mut names = BTreeSet::new();
        let documents = program.documents().chain(included).filter(|document| names.insert(&*document.name)).cloned();
        let program = &Program { last_step: program.last_step, ..Program::of(documents) };
        let (enabled, _) = parse_warn_options(&settings.options);
        let settings = Settings { constants: settings.constants.clone(), ..Settings::default() };
        let mut found: Vec<Diagnostic> = program.documents().flat_map(comma_heads).collect();
        found.extend(program.documents().flat_map(slips::pool_arities));
        found.retain(|lint| enabled.contains(&lint.code));
        let without_rules = || Lints { found: found.clone(), ..Lints::default() };
        let rules: Vec<RuleText<'_>> = program.documents().filter_map(RuleText::of).collect();
        if enabled.is_empty() || rules.is_empty() || rules.iter().map(|rules| rules.number).sum::<usize>() > MAX_RULES {
            return without_rules();
        }
        let is_loaded = |file: &Option<String>| {
            file.as_ref()
                .is_some_and(|file| program.documents().any(|document| Path::new(&document.name).ends_with(file)))
        };
        let misses_includes = !rules.iter().flat_map(|rules| &rules.includes).all(is_loaded);
        let mut values = settings
            .constants
            .iter()
            .filter_map(|(name, term)| Some((name.clone(), arithmetic::value(term, &Constants::new())?)))
            .collect();
        arithmetic::define(&mut values, program.documents());
        let mut reader = ProgramReader { misses_includes, numbers: values, ..ProgramReader::default() };
        let texts = Program {
            instance: rules.iter().map(|rules| Document::in_memory(&*rules.document.name, &*rules.text)).collect(),
            last_step: program.is_incremental().then_some(0),
            ..Program::default()
        };
        let Ok(statements) = statements_of(&texts) else { return without_rules() };
        for statement in &statements {
            reader.read(program, statement);
        }
        reader.lints(program, Lints { found, enabled, settings, stop: stop.clone(), ..Lints::default() })
    }

    fn is_enabled(&self, lint: Code) -> bool {
        self.enabled.contains(&lint)
    }

    /// Checks the grounded atoms. All parts must be grounded.
    pub fn grounded(&mut self, control: &Control) {
        for constant in std::mem::take(&mut self.constants) {
            // Errors are ignored: the lint is then not reported.
            self.found.extend(constant.lint(control).ok().flatten());
        }
        for slip in std::mem::take(&mut self.lower_case) {
            let source = self.program.documents().find(|document| slip.is_in(document));
            self.found.extend(slip.lint(control, source).ok().flatten());
        }
        let mut of_values = values::lints(&self.values, &self.program, control, &self.settings, &self.stop);
        of_values.retain(|lint| self.is_enabled(lint.code));
        self.found.extend(of_values);
    }

    /// Records an answer.
    pub fn answered(&mut self, model: &mut Model<'_>) -> Result<(), CallError> {
        /// Maximum number of answers to inspect without optimisation.
        const MAX_ANSWERS: u64 = 3;
        self.answers += 1;
        if self.sums.is_empty() || self.answers > MAX_ANSWERS && model.costs()?.is_empty() {
            return Ok(());
        }
        let is_about = |atom: &Symbol| self.sums.iter().any(|sum| sum.is_about(*atom));
        self.answer = model.atoms()?.filter(is_about).collect();
        Ok(())
    }

    /// Returns all diagnostics.
    pub fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.answers > 0 {
            for sum in &self.sums {
                self.found.extend(sum.lint(&self.definitions, &self.answer, &self.settings, &self.stop));
            }
        }
        self.found
    }
}

/// Returns the `comma-head` lints of a text: `a, b.` is not two facts.
fn comma_heads(document: &Document) -> Vec<Diagnostic> {
    /// Maximum length of a text in bytes; longer texts are generated.
    const LONGEST: usize = 100_000;
    let text: &str = if document.text.len() < LONGEST { &document.text } else { "" };
    let lint = |statement: Range<usize>| {
        let tokens: Vec<_> = syntax::tokens(&text[statement.clone()]).collect();
        let head = tokens.iter().take_while(|token| ![":-", "."].contains(&token.text));
        let mut depth = 0;
        for token in head.clone() {
            match token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                ":" | ";" | "|" | "{" => return None,
                word if word.starts_with(['#', ':', '&']) => return None,
                "," if depth == 0 => {
                    let end = statement.start + head.last()?.end();
                    let place = Place::of_range(&document.name, text, statement.start..end);
                    let lint = info(
                        Code::CommaHead,
                        "the comma makes this a disjunction: one of its atoms is enough".to_owned(),
                        place,
                    );
                    return Some(
                        lint.help("end each fact with a period, write :- before conditions, or ; for the disjunction"),
                    );
                }
                _ => {}
            }
        }
        None
    };
    syntax::ranges(text).filter_map(lint).collect()
}

/// A text with its facts blanked out, so that the rules keep their places.
struct RuleText<'a> {
    document: &'a Document,
    text: String,
    /// The number of rules.
    number: usize,
    /// The included files.
    includes: Vec<Option<String>>,
}

impl<'a> RuleText<'a> {
    /// Returns `None` if the document contains only facts.
    fn of(document: &'a Document) -> Option<Self> {
        let whole: &str = &document.text;
        if syntax::is_ground_format(whole) {
            return None;
        }
        let (ranges, includes): (Vec<Range<usize>>, Vec<Option<String>>) = syntax::includes(whole).into_iter().unzip();
        let mut text = String::new();
        let mut number = 0;
        let mut end = 0;
        let mut position = 0;
        let next = |from: usize| Some((from, syntax::ranges(&whole[from..]).next()?));
        while let Some((from, range)) = next(syntax::end_of_facts(whole, position)) {
            let range = from + range.start..from + range.end;
            position = range.end;
            let is_included = ranges.iter().any(|include| include.contains(&range.start));
            if is_included || is_fact(&whole.as_bytes()[range.clone()]) {
                continue;
            }
            text += &blank(&whole[end..range.start]);
            text += &whole[range.clone()];
            (end, number) = (range.end, number + 1);
        }
        let position = syntax::end_of_facts(whole, position);
        text += &blank(&whole[end..position]);
        text += &whole[position..];
        (number > 0 || !includes.is_empty()).then_some(RuleText { document, text, number, includes })
    }
}

fn is_fact(statement: &[u8]) -> bool {
    let is_name = statement.first().is_some_and(|first| first.is_ascii_lowercase() || *first == b'_');
    is_name && !statement.iter().any(|byte| matches!(byte, b':' | b'{' | b'#' | b'<' | b'|' | b';'))
}

/// Returns as many newlines as a text has, and as many blanks as its last line has bytes.
fn blank(text: &str) -> String {
    let lines = text.bytes().filter(|&byte| byte == b'\n').count();
    let column = text.len() - text.rfind('\n').map_or(0, |newline| newline + 1);
    "\n".repeat(lines) + &" ".repeat(column)
}

/// Collects from the statements of a program what the lints need.
#[derive(Default)]
struct ProgramReader {
    /// True if some included file was not found.
    misses_includes: bool,
    found: Vec<Diagnostic>,
    sums: Vec<Sum>,
    constants: Vec<ConstantUse>,
    lower_case: Vec<LowerCase>,
    values: Vec<CheckedTerm>,
    /// The values of constants that are numbers.
    numbers: Constants,
    definitions: String,
    /// The names that `#const` defines.
    defined: BTreeSet<String>,
    /// Constants in ordered comparisons or as bounds, with their first places.
    compared: BTreeMap<String, Place>,
    /// Constants that are arguments or occur in equations.
    used_as_values: BTreeSet<String>,
    /// Constants in heads of rules that occur in no positive literal of the body, and bounds of
    /// intervals.
    introduced: BTreeSet<String>,
    /// The number of occurrences of each constant.
    occurrences: BTreeMap<String, usize>,
    /// The number of statements that derive each predicate.
    derived: BTreeMap<Signature, usize>,
    /// The number of body literals and `#show` statements that use each predicate.
    used: BTreeMap<Signature, usize>,
    /// True if the predicates of some heads are unknown.
    has_unknown_heads: bool,
    /// The predicate of each rule `a :- not a, …`, true if the rule has no other literal, and the
    /// lint.
    self_negations: Vec<(Signature, bool, Diagnostic)>,
    /// A rule of each predicate whose head has only variables as arguments. `odd-loop` uses it if
    /// it is the only rule of the predicate.
    rules: BTreeMap<Signature, Rule>,
    /// The parts that are not grounded, with the places of their directives.
    parts: Vec<(Arc<ProgramPart>, Place)>,
    /// The parts that unit tests ground.
    tested: Vec<String>,
    /// The constraints that allow one atom of a predicate.
    allow_one: Vec<(Signature, Statement)>,
    /// The predicates in choices and disjunctions.
    chosen: BTreeSet<Signature>,
    /// A rule with a body for each predicate.
    derived_by: BTreeMap<Signature, Place>,
    /// Names in `#show name.`, with their places.
    shown: Vec<(String, Place)>,
    /// The places of `#show term : condition.`, with the terms.
    shown_conditions: Vec<(String, Place)>,
    /// True if a statement `#show.` or `#show p/1.` hides atoms.
    hides_atoms: bool,
}

/// A rule for the search for loops: the variables of its head, and its body atoms that have only
/// variables as arguments, each with true if it is negated.
struct Rule {
    variables: Vec<&'static str>,
    atoms: Vec<(Signature, Vec<&'static str>, bool)>,
    place: Place,
}

impl Rule {
    fn of(statement: &Statement) -> Option<(Signature, Rule)> {
        let Head::Atom(head) = &statement.head else { return None };
        let (signature, variables) = variables_of_atom(head.atom()?)?;
        let are_distinct = variables.iter().collect::<BTreeSet<_>>().len() == variables.len();
        let atoms = statement.body.iter().filter_map(|literal| {
            let (signature, variables) = variables_of_atom(literal.atom()?)?;
            Some((signature, variables, literal.sign == Sign::Negative))
        });
        let atoms = atoms.collect();
        are_distinct.then(|| (signature, Rule { variables, atoms, place: statement.place.clone() }))
    }
}

/// Returns the predicate and the arguments of an atom whose arguments are all variables.
fn variables_of_atom(atom: &Term) -> Option<(Signature, Vec<&'static str>)> {
    let arguments = match &atom.kind {
        TermKind::Unary(_, inner) => {
            return variables_of_atom(inner).map(|(signature, variables)| (signature.negated(), variables));
        }
        TermKind::Function { arguments, .. } => &arguments[..],
        TermKind::Symbol(_) => &[],
        _ => return None,
    };
    Some((atom.signature()?, arguments.iter().map(Term::variable).collect::<Option<_>>()?))
}

/// Extends `path` to a loop with an odd number of negations: the rule of each predicate contains an
/// atom of the next one with the same values, and the last rule an atom of the first. Returns false
/// if there is none.
fn odd_loop<'r>(
    rules: &'r BTreeMap<Signature, Rule>,
    path: &mut Vec<&'r Signature>,
    values: &[usize],
    is_odd: bool,
) -> bool {
    /// Maximum number of rules of a loop.
    const LONGEST: usize = 6;
    let Some(rule) = path.last().and_then(|last| rules.get(*last)) else { return false };
    for (signature, variables, is_negated) in &rule.atoms {
        let value = |name| rule.variables.iter().position(|variable| variable == name).map(|at| values[at]);
        let Some(values) = variables.iter().map(value).collect::<Option<Vec<usize>>>() else { continue };
        let is_odd = is_odd != *is_negated;
        if signature == path[0] && path.len() > 1 && is_odd && values.iter().copied().eq(0..values.len()) {
            return true;
        }
        // A loop is searched only from the least of its predicates.
        if path.len() < LONGEST && signature > path[0] && !path.contains(&signature) {
            path.push(signature);
            if odd_loop(rules, path, &values, is_odd) {
                return true;
            }
            path.pop();
        }
    }
    false
}

/// Calls `fix` with the document that contains `place`, and returns its result.
fn fix_in(program: &Program, place: &Place, fix: impl FnOnce(&Document) -> Option<Fix>) -> Option<Fix> {
    program.documents().find(|document| document.name == place.file).and_then(fix)
}

fn info(code: Code, text: String, place: Place) -> Diagnostic {
    Diagnostic::info(code, text).at(Some(place))
}

impl ProgramReader {
    fn read(&mut self, program: &Program, statement: &Statement) {
        match &statement.head {
            Head::Program { .. } => return self.part(statement),
            Head::Const { name, .. } => {
                self.definitions += &statement.text;
                self.defined.insert((*name).to_owned());
            }
            Head::External { .. } => self.has_unknown_heads = true,
            _ => {}
        }
        if !statement.is_grounded() {
            return;
        }
        let signatures = statement.head_signatures();
        self.has_unknown_heads |= statement.heads().len() > signatures.len();
        if matches!(statement.head, Head::Choice(_) | Head::Disjunction(_)) {
            self.chosen.extend(signatures.iter().cloned());
        } else if let ([signature], false) = (&signatures[..], statement.body.is_empty()) {
            self.derived_by.entry(signature.clone()).or_insert_with(|| statement.place.clone());
        }
        self.allow_one.extend(values::allows_one(statement).map(|signature| (signature, statement.clone())));
        for signature in signatures {
            *self.derived.entry(signature).or_default() += 1;
        }
        let variables = self.names(statement);
        self.near_variables(program, statement, &variables);
        self.comparisons(statement);
        self.arrow(program, statement);
        self.self_negation(statement);
        self.found.extend(slips::fixed_choice(statement, &self.numbers));
        self.found.extend(slips::head_comparison(statement));
        self.lower_case.extend(slips::lower_case(statement));
        self.values.extend(values::checked_terms(statement));
        self.introduced_constants(statement);
        self.rules.extend(Rule::of(statement));
        for literal in &statement.body {
            self.literal(literal, statement, &variables);
        }
        match &statement.head {
            Head::ShowTerm(term)
                if statement.body.is_empty() && term.signature().is_some_and(|signature| signature.arity == 0) =>
            {
                self.shown.push((term.to_string(), statement.place.clone()));
            }
            Head::ShowTerm(term @ Term { kind: TermKind::Function { .. }, .. })
                if !statement.body.is_empty() && !statement.variables.is_empty() =>
            {
                self.shown_conditions.push((term.to_string(), statement.place.clone()));
            }
            Head::Show(None) => self.hides_atoms = true,
            Head::Show(Some(shown)) => {
                self.hides_atoms = true;
                *self.used.entry(shown.clone()).or_default() += 1;
            }
            _ => {}
        }
        self.sums.extend(merging::sums_of(statement));
    }

    /// Returns the variables of a statement with their numbers of occurrences, and counts its
    /// constants.
    fn names(&mut self, statement: &SyntaxTree) -> BTreeMap<String, usize> {
        let mut variables = BTreeMap::new();
        statement.walk(&mut |part| {
            let Part::Term(term) = part else { return };
            match &term.kind {
                TermKind::Variable(name) => *variables.entry((*name).to_owned()).or_default() += 1,
                TermKind::Symbol(_) => *self.occurrences.entry(term.to_string()).or_default() += 1,
                TermKind::Function { arguments, .. } | TermKind::Pool(arguments) => {
                    self.used_as_values.extend(arguments.iter().filter_map(Term::constant).map(str::to_owned));
                }
                _ => {}
            }
        });
        variables
    }

    /// Collects the constants that a rule may introduce.
    fn introduced_constants(&mut self, statement: &Statement) {
        let mut in_body = BTreeSet::new();
        for literal in statement.literals().filter(|literal| literal.sign == Sign::Positive) {
            Part::Literal(literal).walk(&mut |part| {
                if let Part::Term(term) = part {
                    in_body.extend(term.constant());
                }
            });
        }
        let introduced = &mut self.introduced;
        statement.head.for_each_child(&mut |part| {
            part.walk(&mut |part| {
                if let Part::Term(term) = part {
                    introduced.extend(term.constant().filter(|name| !in_body.contains(name)).map(str::to_owned));
                }
            });
        });
        statement.walk(&mut |part| {
            if let Part::Term(Term { kind: TermKind::Interval(bounds), .. }) = part {
                introduced.extend([&bounds.0, &bounds.1].into_iter().filter_map(Term::constant).map(str::to_owned));
            }
        });
    }

    /// Collects the constants in comparisons, and the bounds of counts and sums.
    fn comparisons(&mut self, statement: &Statement) {
        let compare = &mut |part: Part<'_>| match part {
            Part::Literal(Literal { atom: Atom::Comparison(comparison), .. }) => {
                let (first, guards) = &**comparison;
                let has_order = guards.iter().any(|guard| guard.relation.is_ordered());
                for term in guards.iter().map(|guard| &guard.term).chain([first]) {
                    self.compared_term(term, has_order, statement);
                }
            }
            Part::Aggregate(aggregate)
                if !matches!(aggregate.function, Some(AggregateFunction::Min | AggregateFunction::Max)) =>
            {
                for Guard { term, .. } in aggregate.left.iter().chain(&aggregate.right) {
                    self.compared_term(term, true, statement);
                }
            }
            _ => {}
        };
        // Comparisons in heads are not checked.
        if statement.is_rule() && !matches!(statement.head, Head::Other(_)) {
            statement.head.for_each_child(&mut |part| part.walk(compare));
        }
        statement.body.iter().for_each(|literal| Part::Literal(literal).walk(compare));
    }

    /// Records a constant that is compared, in an order or with `=` and `!=`.
    fn compared_term(&mut self, term: &Term, has_order: bool, statement: &Statement) {
        match term.constant() {
            Some(name) if !has_order => {
                self.used_as_values.insert(name.to_owned());
            }
            Some(name) if !is_parameter(statement, name) => {
                self.compared.entry(name.to_owned()).or_insert_with(|| statement.place_of(term.span));
            }
            _ => {}
        }
    }

    fn near_variables(&mut self, program: &Program, statement: &Statement, variables: &BTreeMap<String, usize>) {
        let once = variables.iter().filter(|(name, times)| **times == 1 && !name.starts_with('_'));
        for (name, _) in once {
            let similar = variables.iter().filter(|(other, _)| is_misspelling(name, other));
            let Some((similar, _)) = similar.max_by_key(|(_, times)| **times) else { continue };
            let text = format!("the variable {name} occurs once; {similar} stands beside it");
            let mut lint = info(Code::NearVariables, text, statement.place.clone())
                .help(format!("write {similar}, or _ if any value will do"));
            for replacement in [similar.as_str(), "_"] {
                lint = lint.fix(fix_in(program, &statement.place, |source| {
                    repairs::replace_token(source, &statement.place, name, replacement)
                }));
            }
            self.found.push(lint);
        }
    }

    fn arrow(&mut self, program: &Program, statement: &Statement) {
        let Head::Other(head @ Literal { atom: Atom::Comparison(_), .. }) = &statement.head else { return };
        let document = program.documents().find(|document| document.name == statement.place.file);
        let source = document.and_then(|document| document.text.get(statement.place.range_in(&document.text)));
        if source.is_some_and(|source| source.contains("<-")) {
            let words = format!("`<-` is not an arrow: this compares, {head}");
            let lint = info(Code::Arrow, words, statement.place.clone()).help("write :- between head and body");
            self.found.push(lint.fix(fix_in(program, &statement.place, |source| {
                repairs::replace_text(source, &statement.place, "<-", ":-")
            })));
        }
    }

    fn self_negation(&mut self, statement: &Statement) {
        let Head::Atom(head) = &statement.head else { return };
        let Some(signature) = head.signature() else { return };
        if statement.body.iter().all(|literal| literal.sign != Sign::Negative) {
            return;
        }
        let text = head.to_string();
        let is_itself = |literal: &&Literal| {
            literal.sign == Sign::Negative && literal.atom().is_some_and(|atom| atom.to_string() == text)
        };
        let (self_literals, other_literals): (Vec<_>, Vec<_>) = statement.body.iter().partition(is_itself);
        if self_literals.is_empty() {
            return;
        }
        let other_literals: Vec<String> = other_literals.iter().map(ToString::to_string).collect();
        let lint = info(
            Code::SelfNegation,
            format!("{text} is derived only from not {text}: the rule acts as a constraint"),
            statement.place.clone(),
        );
        let remedy = if other_literals.is_empty() {
            format!("no answer set is left; derive {signature} elsewhere, or write a choice, {{ {text} }}")
        } else {
            format!("if that is meant, write `:- {}.`; else derive {signature} elsewhere", other_literals.join("; "))
        };
        self.self_negations.push((signature, other_literals.is_empty(), lint.help(remedy)));
    }

    fn part(&mut self, statement: &Statement) {
        let part = &statement.part;
        if part.name.starts_with("test") {
            self.tested.extend(part.parameters.iter().cloned());
            return;
        }
        if part.is_grounded {
            return;
        }
        self.parts.push((part.clone(), statement.place.clone()));
    }

    /// Collects the predicates of a literal, and the constants among the arguments of its atoms.
    fn literal(&mut self, literal: &Literal, statement: &Statement, variables: &BTreeMap<String, usize>) {
        let mut used = BTreeSet::new();
        Part::Literal(literal).walk(&mut |part| {
            let Part::Literal(Literal { atom: Atom::Symbolic(atom), .. }) = part else { return };
            used.extend(atom.signature());
            let TermKind::Function { name, arguments, .. } = &atom.kind else { return };
            let signature = Signature::new(*name, arguments.len());
            for (argument, term) in arguments.iter().enumerate() {
                let Some(name) = term.constant().filter(|name| !is_parameter(statement, name)) else { continue };
                let is_capitalised_form =
                    |variable: &&String| variable[..1].to_ascii_lowercase() + &variable[1..] == name;
                let variable = variables.keys().find(is_capitalised_form).cloned();
                let place = statement.place_of(term.span);
                let (name, signature) = (name.to_owned(), signature.clone());
                self.constants.push(ConstantUse { name, signature, argument, place, variable });
            }
        });
        for signature in used {
            *self.used.entry(signature).or_default() += 1;
        }
    }

    /// Completes `lints`, which has the settings, by the lints of the statements that were read.
    fn lints(mut self, program: &Program, mut lints: Lints) -> Lints {
        let mut found = std::mem::take(&mut self.found);
        // A script may ground any part and define any constant.
        let has_script = program.documents().any(|document| document.text.contains("#script"));
        if !has_script {
            found.extend(self.ungrounded_parts(program));
        }
        if !has_script && !self.misses_includes && lints.is_enabled(Code::UndefinedConstant) {
            found.extend(self.undefined_constants(program, &lints.settings));
        }
        if !self.misses_includes {
            found.extend(self.shown_terms(program));
            found.extend(self.shown_conditions());
        }
        if !self.misses_includes && !self.has_unknown_heads {
            found.extend(self.only_self_negations(program));
            found.extend(self.odd_loops(program));
        }
        found.retain(|lint| lints.is_enabled(lint.code));
        // In incremental programs, a later step may derive a matching atom.
        let checks_constants = lints.is_enabled(Code::UnmatchedConstant) && !program.is_incremental();
        self.constants.retain(|constant| checks_constants && self.occurrences.get(&constant.name) == Some(&1));
        lints.found.extend(found);
        if lints.is_enabled(Code::LowerCaseVariable) && !has_script && !self.misses_includes {
            lints.lower_case = self.lower_case_variables(program, &lints.settings);
        }
        let of_values = [Code::Overflow, Code::EmptyExtremum, Code::ForcedConflict];
        if of_values.iter().any(|&lint| lints.is_enabled(lint)) && !has_script && !program.is_incremental() {
            lints.values = std::mem::take(&mut self.values);
            lints.values.extend(self.conflicts());
        }
        lints.program = program.clone();
        if lints.is_enabled(Code::MergedTuples) {
            lints.sums = self.sums;
        }
        lints.constants = self.constants;
        lints.definitions = self.definitions;
        lints
    }

    fn ungrounded_parts(&self, program: &Program) -> Option<Diagnostic> {
        let is_grounded =
            |part: &ProgramPart| self.tested.contains(&part.name) || TOOL_PARTS.contains(&part.name.as_str());
        let parts: Vec<_> = self.parts.iter().filter(|(part, _)| !is_grounded(part)).collect();
        ungrounded(program, &parts)
    }

    fn undefined_constants(&self, program: &Program, settings: &Settings) -> Vec<Diagnostic> {
        let is_set_by_option = |name: &String| settings.constants.iter().any(|(known, _)| known == name);
        let mut found = Vec::new();
        for (name, place) in &self.compared {
            // If the constant also occurs as a value, the comparison of constants is intended.
            if !self.defined.contains(name) && !is_set_by_option(name) && !self.is_value(program, name) {
                let text = format!("nothing defines {name}: every number is less than such a constant");
                let help = format!("#const {name} = 8. or -c {name}=8 gives it a value");
                found.push(info(Code::UndefinedConstant, text, place.clone()).help(help));
            }
        }
        found
    }

    /// Returns true if a constant is an argument, occurs in an equation or occurs in a fact.
    fn is_value(&self, program: &Program, name: &str) -> bool {
        self.used_as_values.contains(name) || occurs_in_fact(program, name)
    }

    fn shown_terms(&self, program: &Program) -> Vec<Diagnostic> {
        if self.shown.is_empty() {
            return Vec::new();
        }
        let heads = program.documents().flat_map(|document| syntax::statements(&document.text));
        let heads = heads.filter_map(|statement| statement.head).map(|(name, arity)| Signature::new(name, arity));
        let heads: BTreeSet<Signature> = heads.chain(self.derived.keys().cloned()).collect();
        let mut found = Vec::new();
        for (term, place) in &self.shown {
            let others: Vec<&Signature> = heads.iter().filter(|signature| signature.signed() == *term).collect();
            if let Some(other) = others.last().filter(|_| others[0].arity > 0) {
                let text = format!("this shows the term {term} in every answer, and no atom");
                let better = format!("#show {other}.");
                let fix = fix_in(program, place, |source| repairs::replace_place(source, place, &better));
                found.push(info(Code::ShownTerm, text, place.clone()).help(format!("write {better}")).fix(fix));
            }
        }
        found
    }

    fn shown_conditions(&self) -> Option<Diagnostic> {
        let (term, place) = self.shown_conditions.first().filter(|_| !self.hides_atoms)?;
        let text = format!("this shows {term} beside all atoms: #show with a condition hides nothing");
        Some(info(Code::ShownCondition, text, place.clone()).help("add #show. to show nothing else"))
    }

    /// Returns the constraints that allow one atom of a predicate that no choice derives.
    fn conflicts(&self) -> Vec<CheckedTerm> {
        let is_forced = |signature: &Signature| !self.has_unknown_heads && !self.chosen.contains(signature);
        let forced = self.allow_one.iter().filter(|(signature, _)| is_forced(signature));
        forced
            .filter_map(|(signature, statement)| values::conflict(statement, self.derived_by.get(signature)?.clone()))
            .collect()
    }

    /// Returns the rules with constants that nothing introduces and that look like variables.
    fn lower_case_variables(&mut self, program: &Program, settings: &Settings) -> Vec<LowerCase> {
        let mut slips = std::mem::take(&mut self.lower_case);
        slips.retain_mut(|slip| {
            slip.retain(|name| {
                self.defined.contains(name)
                    || self.introduced.contains(name)
                    || settings.constants.iter().any(|(known, _)| known == name)
                    || occurs_in_fact(program, name)
            })
        });
        slips
    }

    /// Returns the lints of the rules `a :- not a, …` that are the only ones for their atom.
    fn only_self_negations(&self, program: &Program) -> Vec<Diagnostic> {
        let is_only = |signature: &Signature| self.derived.get(signature) == Some(&1) && !has_fact(program, signature);
        // An atom without other uses is an idiom for a constraint.
        let is_idiom = |signature: &Signature| self.used.get(signature).is_none_or(|&times| times <= 1);
        let of_only = self
            .self_negations
            .iter()
            .filter(|(signature, is_all, _)| (*is_all || !is_idiom(signature)) && is_only(signature));
        of_only.map(|(.., lint)| lint.clone()).collect()
    }

    fn odd_loops(&mut self, program: &Program) -> Vec<Diagnostic> {
        self.rules.retain(|signature, _| self.derived.get(signature) == Some(&1));
        let mut found = Vec::new();
        for (first, rule) in &self.rules {
            let values: Vec<usize> = (0..first.arity).collect();
            let mut path = vec![first];
            let has_loop = odd_loop(&self.rules, &mut path, &values, false);
            if !has_loop || path.iter().any(|signature| has_fact(program, signature)) {
                continue;
            }
            let names: Vec<String> = path.iter().map(ToString::to_string).collect();
            let text = format!(
                "{} depend on each other through an odd number of `not`, and on nothing else: their rules act as a constraint",
                names.join(", ")
            );
            let remedy =
                "if that is meant, write `:- …` with the rest of their bodies; else derive one of them elsewhere";
            found.push(info(Code::OddLoop, text, rule.place.clone()).help(remedy));
        }
        found
    }
}

/// Returns true if a name occurs in a fact.
fn occurs_in_fact(program: &Program, name: &str) -> bool {
    let occurs = |document: &Document| {
        let is_in = |range: Range<usize>| syntax::words(&document.text[range]).any(|word| word == name);
        syntax::statements(&document.text).into_iter().any(|statement| statement.is_fact && is_in(statement.range))
    };
    program.documents().any(occurs)
}

/// Returns true if a fact derives atoms of a predicate.
fn has_fact(program: &Program, signature: &Signature) -> bool {
    let head = Some((signature.name.as_str(), signature.arity));
    let is_of_head = |document: &Document| {
        syntax::statements(&document.text).iter().any(|statement| statement.is_fact && statement.head == head)
    };
    signature.is_positive && program.documents().any(is_of_head)
}

/// Returns one lint for all ungrounded parts, since they have the same remedy.
fn ungrounded(program: &Program, parts: &[&(Arc<ProgramPart>, Place)]) -> Option<Diagnostic> {
    let (first, place) = parts.first()?;
    let mut directives: Vec<String> =
        parts.iter().map(|(part, _)| part.directive().trim_end_matches('.').to_owned()).collect();
    directives.dedup();
    let similar = ["base", "step", "check"].into_iter().find(|part_name| {
        let has_parameters = first.parameters.len() == usize::from(*part_name != "base");
        has_parameters && strsim::damerau_levenshtein(part_name, &first.name) == 1
    });
    let text = format!("nothing grounds what stands behind {}", directives.join(", "));
    let lint = info(Code::UngroundedPart, text, place.clone());
    // These parts belong to other systems, which ground them.
    let all_parts_are = |names: &[&str]| parts.iter().all(|(part, _)| names.contains(&&*part.name));
    if all_parts_are(&["initial", "always", "dynamic", "final"]) {
        return Some(lint.help("telingo grounds these parts; here only base is grounded, and with #include <incmode>., step(t) and check(t)"));
    }
    if all_parts_are(&["preference"]) {
        return Some(lint.help(PREFERENCES));
    }
    Some(match similar {
        Some(similar) => {
            let fix = fix_in(program, place, |source| repairs::replace_token(source, place, &first.name, similar));
            lint.help(format!("did you mean {similar}?")).fix(fix)
        }
        None if program.is_incremental() => {
            lint.help("only base, step(t) and check(t) are grounded; the rules belong behind one of these")
        }
        None => lint.help("only base is grounded; with #include <incmode>., step(t) and check(t) are, too"),
    })
}

impl ConstantUse {
    fn lint(&self, control: &Control) -> Result<Option<Diagnostic>, CallError> {
        let ConstantUse { name, signature, argument, .. } = self;
        if control.constant(name)?.is_some() {
            return Ok(None);
        }
        let atoms = control.atoms_of(signature, MAX_ATOMS)?;
        if atoms.is_empty() || atoms.len() == MAX_ATOMS {
            return Ok(None);
        }
        let mut values = Vec::new();
        for atom in atoms {
            values.extend(atom.arguments()?.get(*argument).map(|&value| to_text(value)));
        }
        values.sort_unstable();
        values.dedup();
        if values.contains(name) {
            return Ok(None);
        }
        let similar = values.iter().find(|value| is_misspelling(name, value));
        let remedy = match (similar, &self.variable) {
            (Some(similar), _) => format!("did you mean {similar}?"),
            (None, Some(variable)) => format!("{name} is a constant; {variable} is the variable of this rule"),
            (None, None) => return Ok(None),
        };
        let text = format!("no atom of {signature} has {name} here, so that none matches");
        let fix = similar.or(self.variable.as_ref()).map(|replacement| Fix::at(self.place.clone(), name, replacement));
        Ok(Some(info(Code::UnmatchedConstant, text, self.place.clone()).help(remedy).fix(fix)))
    }
}

/// Returns true if one name may be a misspelling of the other: they differ in case, or by one
/// inserted, deleted, replaced or transposed letter inside. Names that differ at their ends or in
/// digits are usually distinct.
fn is_misspelling(name: &str, other: &str) -> bool {
    let lengths = name.len().min(other.len())..=name.len().max(other.len());
    if name == other || *lengths.start() < 2 || *lengths.end() < 3 || !name.is_ascii() || !other.is_ascii() {
        return false;
    }
    if name.eq_ignore_ascii_case(other) {
        return true;
    }
    let ends = |name: &str| (name.as_bytes()[0], name.as_bytes()[name.len() - 1]);
    let is_word = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphabetic());
    // Short names that differ by one letter in the middle are usually distinct.
    let is_short = name.len() == other.len() && name.len() < 5;
    let is_swapped = is_short && name[1..2] == other[2..3];
    ends(name) == ends(other)
        && is_word(name)
        && is_word(other)
        && (is_swapped || !is_short)
        && strsim::damerau_levenshtein(name, other) == 1
}

/// Returns true if a constant is a parameter of the part of the statement.
fn is_parameter(statement: &Statement, name: &str) -> bool {
    statement.part.parameters.iter().any(|parameter| parameter == name)
}
