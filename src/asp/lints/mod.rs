//! Warnings about programs that clingo accepts but that probably mean something else.
//!
//! | name | what it is |
//! |---|---|
//! | `arrow` | `a <- b.`, which is the comparison of `a` with `-b` |
//! | `merged-tuples` | two elements of a sum with one tuple, which counts once |
//! | `near-variables` | a variable that occurs once, beside another that differs by a slip |
//! | `odd-loop` | the same through several rules: `a :- not b. b :- a.` |
//! | `self-negation` | `a :- not a.` where nothing else derives `a` |
//! | `shown-term` | `#show p.` where there are atoms of `p/1`: it shows a term |
//! | `undefined-constant` | `X < n` where nothing defines `n`: every number is less than a constant |
//! | `ungrounded-part` | `#program step(t).` without the loop that grounds it |
//! | `unmatched-constant` | a constant that no atom has at its place, while one that differs by a slip is there |
//!
//! A false alarm is worse than none. So most look at clingo's own syntax tree, the last at the
//! atoms that were grounded, and the second at an answer: only what happened there is told ([`merging`]).
//!
//! Facts are left out before the text is parsed once more, for there may be millions.

mod merging;

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use self::merging::Sum;
use super::ffi::ast::{Attribute, Node, NodeKind};
use super::ffi::{CallError, Control, Model, Symbol};
use super::repairs::PREFERENCES;
use super::solver::{Program, Settings};
use super::statement::{Called, Form, Head, ProgramPart, Sign, Statement, for_each, signature_of_term};
use super::{Signature, syntax, to_text};
use crate::diagnostic::{Diagnostic, Level, Place};
use crate::document::Document;
use crate::stop::Stop;

const ARROW: &str = "arrow";
const COMMA_HEAD: &str = "comma-head";
const MERGED_TUPLES: &str = "merged-tuples";
const NEAR_VARIABLES: &str = "near-variables";
const ODD_LOOP: &str = "odd-loop";
const SELF_NEGATION: &str = "self-negation";
const SHOWN_TERM: &str = "shown-term";
const UNDEFINED_CONSTANT: &str = "undefined-constant";
const UNGROUNDED_PART: &str = "ungrounded-part";
/// What `generate`, `hint` and `rate` ground of an encoding.
const OF_TOOLS: [&str; 3] = ["clues", "areas", "techniques"];
const UNMATCHED_CONSTANT: &str = "unmatched-constant";

/// What `-W no-NAME` silences, besides clingo's own messages.
pub const NAMES: [&str; 10] = [
    ARROW,
    COMMA_HEAD,
    MERGED_TUPLES,
    NEAR_VARIABLES,
    ODD_LOOP,
    SELF_NEGATION,
    SHOWN_TERM,
    UNDEFINED_CONSTANT,
    UNGROUNDED_PART,
    UNMATCHED_CONSTANT,
];

/// Larger programs are generated; parsing them would take longer than solving.
const MOST_RULES: usize = 3_000;
/// Of a predicate with more atoms nobody asks which constants it has.
const MOST_ATOMS: usize = 20_000;

/// The lints that options leave (`-Wnone`, `--warn=no-arrow`), and the options without those that clingo does not know.
pub fn wanted(options: &[String]) -> (Vec<&'static str>, Vec<String>) {
    let (mut wanted, mut rest, mut words) = (NAMES.to_vec(), Vec::new(), options.iter());
    while let Some(word) = words.next() {
        let glued = word.strip_prefix("--warn=").or_else(|| word.strip_prefix("-W").filter(|name| !name.is_empty()));
        let is_apart = word == "-W" || word == "--warn";
        let Some(value) = glued.or_else(|| words.as_slice().first().map(String::as_str).filter(|_| is_apart)) else {
            rest.push(word.clone());
            continue;
        };
        let own = NAMES.into_iter().find(|name| value.trim_start_matches("no-") == *name);
        match (own, value) {
            (Some(name), _) => {
                wanted.retain(|one| *one != name);
                wanted.extend((value == name).then_some(name));
            }
            (None, "none") => wanted.clear(),
            (None, "all") => wanted = NAMES.to_vec(),
            (None, _) => {}
        }
        if own.is_none() {
            rest.push(format!("--warn={value}"));
        }
        if is_apart {
            words.next();
        }
    }
    (wanted, rest)
}

/// What there is to say of a program: at once, when it is grounded, and of an answer.
#[derive(Default)]
pub struct Lints {
    wanted: Vec<&'static str>,
    found: Vec<Diagnostic>,
    sums: Vec<Sum>,
    constants: Vec<Constant>,
    /// The `#const` of the program, for sums that are looked at once more.
    definitions: String,
    settings: Settings,
    stop: Stop,
    /// How many answers were seen, and what sums are about in the last of them.
    answers: u64,
    answer: Vec<Symbol>,
}

/// A constant of an atom in a body.
struct Constant {
    name: String,
    signature: Signature,
    argument: usize,
    place: Place,
    /// A variable of the statement that differs by its first letter's case alone.
    variable: Option<String>,
}

impl Lints {
    /// A program is looked at that clingo takes, with the files that it includes. Of the settings the constants count, and which
    /// messages are silenced.
    pub fn of(program: &Program, included: &[Document], settings: &Settings, stop: &Stop) -> Lints {
        let mut names = BTreeSet::new();
        let documents = program.documents().chain(included).filter(|document| names.insert(&*document.name)).cloned();
        let program = &Program { last_step: program.last_step, ..Program::of(documents) };
        let (wanted, _) = wanted(&settings.options);
        let settings = Settings { constants: settings.constants.clone(), ..Settings::default() };
        let is_wanted = wanted.contains(&COMMA_HEAD);
        let found: Vec<Diagnostic> = program.documents().filter(|_| is_wanted).flat_map(comma_heads).collect();
        let none = || Lints { found: found.clone(), ..Lints::default() };
        let rules: Vec<Rules<'_>> = program.documents().filter_map(Rules::of).collect();
        if wanted.is_empty() || rules.is_empty() || rules.iter().map(|rules| rules.number).sum::<usize>() > MOST_RULES {
            return none();
        }
        let is_there = |file: &Option<String>| {
            file.as_ref().is_some_and(|file| program.documents().any(|one| Path::new(&one.name).ends_with(file)))
        };
        let includes = !rules.iter().flat_map(|rules| &rules.includes).all(is_there);
        let mut reader = Reader { includes, ..Reader::default() };
        let texts = Program {
            instance: rules.iter().map(|rules| Document::in_memory(&*rules.document.name, &*rules.text)).collect(),
            last_step: program.is_in_steps().then_some(0),
            ..Program::default()
        };
        if for_each(&texts, |node, statement| reader.read(program, node, statement)).is_err() {
            return none();
        }
        reader.lints(program, Lints { found, wanted, settings, stop: stop.clone(), ..Lints::default() })
    }

    fn wants(&self, name: &str) -> bool {
        self.wanted.contains(&name)
    }

    /// Looks at the atoms that were grounded, all of them.
    pub fn grounded(&mut self, control: &Control) {
        for constant in std::mem::take(&mut self.constants) {
            // What cannot be asked is not told.
            self.found.extend(constant.lint(control).ok().flatten());
        }
    }

    /// Looks at an answer.
    pub fn answered(&mut self, model: &mut Model<'_>) -> Called<()> {
        /// Of many answers some are enough, unless each is better than the one before.
        const MOST_ANSWERS: u64 = 3;
        self.answers += 1;
        if self.sums.is_empty() || self.answers > MOST_ANSWERS && model.costs()?.is_empty() {
            return Ok(());
        }
        let is_about = |atom: &Symbol| self.sums.iter().any(|sum| sum.is_about(*atom));
        self.answer = model.atoms()?.filter(is_about).collect();
        Ok(())
    }

    /// All that was found.
    pub fn told(mut self) -> Vec<Diagnostic> {
        if self.answers > 0 {
            for sum in &self.sums {
                self.found.extend(sum.lint(&self.definitions, &self.answer, &self.settings, &self.stop));
            }
        }
        self.found
    }
}

/// `a, b.` is not two facts.
fn comma_heads(document: &Document) -> Vec<Diagnostic> {
    /// Bytes: nobody writes a longer text by hand, and facts of machines are not to be read twice.
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
                    let told = info("the comma makes this a disjunction: one of its atoms is enough".to_owned(), place);
                    return Some(
                        told.help("end each fact with a period, write :- before conditions, or ; for the disjunction"),
                    );
                }
                _ => {}
            }
        }
        None
    };
    syntax::ranges(text).filter_map(lint).collect()
}

/// A text without its facts, each rule where it stood.
struct Rules<'a> {
    document: &'a Document,
    text: String,
    number: usize,
    /// The files that it includes.
    includes: Vec<Option<String>>,
}

impl<'a> Rules<'a> {
    /// None where there are but facts.
    fn of(document: &'a Document) -> Option<Self> {
        let whole: &str = &document.text;
        if syntax::is_ground_format(whole) {
            return None;
        }
        let (ranges, includes): (Vec<Range<usize>>, Vec<Option<String>>) = syntax::includes(whole).into_iter().unzip();
        let (mut text, mut number, mut end, mut behind) = (String::new(), 0, 0, 0);
        let next = |from: usize| Some((from, syntax::ranges(&whole[from..]).next()?));
        while let Some((from, range)) = next(syntax::after_facts(whole, behind)) {
            let range = from + range.start..from + range.end;
            behind = range.end;
            let is_included = ranges.iter().any(|include| include.contains(&range.start));
            if is_included || is_fact(&whole.as_bytes()[range.clone()]) {
                continue;
            }
            text += &blank(&whole[end..range.start]);
            text += &whole[range.clone()];
            (end, number) = (range.end, number + 1);
        }
        let behind = syntax::after_facts(whole, behind);
        text += &blank(&whole[end..behind]);
        text += &whole[behind..];
        (number > 0 || !includes.is_empty()).then_some(Rules { document, text, number, includes })
    }
}

fn is_fact(statement: &[u8]) -> bool {
    let is_name = statement.first().is_some_and(|first| first.is_ascii_lowercase() || *first == b'_');
    is_name && !statement.iter().any(|byte| matches!(byte, b':' | b'{' | b'#' | b'<' | b'|' | b';'))
}

/// As much room as a text takes.
fn blank(text: &str) -> String {
    let lines = text.bytes().filter(|&byte| byte == b'\n').count();
    let column = text.len() - text.rfind('\n').map_or(0, |newline| newline + 1);
    "\n".repeat(lines) + &" ".repeat(column)
}

/// Reads the statements of a program.
#[derive(Default)]
struct Reader {
    /// Of what is included something was not found.
    includes: bool,
    found: Vec<(&'static str, Diagnostic)>,
    sums: Vec<Sum>,
    constants: Vec<Constant>,
    definitions: String,
    /// The names that `#const` defines.
    defined: BTreeSet<String>,
    /// Constants that are compared with numbers, by name, each where it first is.
    compared: BTreeMap<String, Place>,
    /// Constants that are arguments, or that something equals.
    values: BTreeSet<String>,
    /// How often each constant occurs.
    occurrences: BTreeMap<String, usize>,
    /// By predicate, how many statements derive it.
    derived: BTreeMap<Signature, usize>,
    /// By predicate, how many statements use it.
    used: BTreeMap<Signature, usize>,
    /// Some heads have no predicate that is known.
    derives_unknown: bool,
    /// Predicates, whether the rule says nothing else, and what is to be said of it.
    self_negations: Vec<(Signature, bool, Diagnostic)>,
    /// By predicate, a rule whose arguments are variables. Loops matter where it is the only one.
    rules: BTreeMap<Signature, Rule>,
    /// Those that nothing grounds, and where they begin.
    parts: Vec<(Arc<ProgramPart>, Place)>,
    /// The parts that tests name.
    tested: Vec<String>,
    /// Names that are shown as terms, without a body.
    shown: Vec<(String, Place)>,
}

/// A rule as far as loops go through it: the variables of its head, and its atoms with theirs, each negated or not.
struct Rule {
    variables: Vec<String>,
    atoms: Vec<(Signature, Vec<String>, bool)>,
    place: Place,
}

impl Rule {
    fn of(statement: &Statement) -> Option<(Signature, Rule)> {
        let Head::Atom { text, .. } = &statement.head else { return None };
        let (signature, variables) = with_variables(text)?;
        let are_distinct = variables.iter().collect::<BTreeSet<_>>().len() == variables.len();
        let atoms = statement.body.iter().filter_map(|literal| {
            let Form::Atom(atom) = &literal.form else { return None };
            let (signature, variables) = with_variables(atom)?;
            Some((signature, variables, literal.sign == Sign::Negative))
        });
        let atoms = atoms.collect();
        are_distinct.then(|| (signature, Rule { variables, atoms, place: statement.place.clone() }))
    }
}

/// The predicate and the arguments of an atom that has variables alone.
fn with_variables(atom: &str) -> Option<(Signature, Vec<String>)> {
    let signature = Signature::of(atom)?;
    let words = syntax::words(atom).skip(usize::from(!signature.is_positive) + 1);
    let variables: Vec<String> = words.filter(|word| !["(", ",", ")"].contains(word)).map(str::to_owned).collect();
    let is_variable =
        |word: &String| word.trim_start_matches('_').starts_with(|first: char| first.is_ascii_uppercase());
    (variables.len() == signature.arity && variables.iter().all(is_variable)).then_some((signature, variables))
}

/// Predicates of which each has an atom of the next in its rule, the first that of the last, over the same values; an odd
/// number of these atoms are negated.
fn odd_loop<'r>(
    rules: &'r BTreeMap<Signature, Rule>,
    path: &mut Vec<&'r Signature>,
    values: &[usize],
    is_odd: bool,
) -> bool {
    /// Nobody would see a longer one as a loop.
    const LONGEST: usize = 6;
    let Some(rule) = path.last().and_then(|last| rules.get(*last)) else { return false };
    for (signature, variables, is_negated) in &rule.atoms {
        let value = |name| rule.variables.iter().position(|variable| variable == name).map(|at| values[at]);
        let Some(values) = variables.iter().map(value).collect::<Option<Vec<usize>>>() else { continue };
        let is_odd = is_odd != *is_negated;
        if signature == path[0] && path.len() > 1 && is_odd && values.iter().copied().eq(0..values.len()) {
            return true;
        }
        // Each loop begins with the least of its predicates.
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

fn info(text: String, place: Place) -> Diagnostic {
    Diagnostic { level: Level::Info, ..Diagnostic::error(text) }.at(Some(place))
}

impl Reader {
    fn read(&mut self, program: &Program, node: &Node, statement: Statement) -> Called<()> {
        match &statement.head {
            Head::Part => {
                self.part(statement);
                return Ok(());
            }
            Head::Directive if statement.text.starts_with("#const") => {
                self.definitions += &statement.text;
                self.defined.insert(node.string(Attribute::Name)?);
            }
            Head::Directive if statement.text.starts_with("#external") => self.derives_unknown = true,
            _ => {}
        }
        if statement.is_elsewhere() {
            return Ok(());
        }
        for signature in statement.head_signatures() {
            *self.derived.entry(signature.clone()).or_default() += 1;
        }
        self.derives_unknown |= statement.heads().len() > statement.head_signatures().len();
        let variables = self.names(node)?;
        self.near_variables(&statement, &variables);
        self.comparisons(node, &statement)?;
        self.arrow(program, node, &statement)?;
        self.self_negation(&statement);
        self.rules.extend(Rule::of(&statement));
        for literal in node.nodes(Attribute::Body)? {
            self.literal(&literal, &statement, &variables)?;
        }
        if let (Head::ShowTerm { term, signature: Some(Signature { arity: 0, .. }) }, []) =
            (&statement.head, &statement.body[..])
        {
            self.shown.push((term.clone(), statement.place.clone()));
        }
        if let Head::Show(Some(shown)) = &statement.head {
            *self.used.entry(shown.clone()).or_default() += 1;
        }
        self.sums.extend(merging::sums_of(node, &statement)?);
        Ok(())
    }

    /// The variables of a statement, with the number of times that each occurs; constants are counted besides.
    fn names(&mut self, statement: &Node) -> Called<BTreeMap<String, usize>> {
        let mut variables = BTreeMap::new();
        walk(statement, &mut |node, kind| {
            match kind {
                NodeKind::Variable => *variables.entry(node.string(Attribute::Name)?).or_default() += 1,
                NodeKind::SymbolicTerm => *self.occurrences.entry(node.text()?).or_default() += 1,
                NodeKind::Function | NodeKind::Pool => {
                    for argument in node.nodes(Attribute::Arguments)? {
                        self.values.extend(constant(&argument)?);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(variables)
    }

    /// Takes the constants that something is less or greater than, and those that are bounds of what is counted or summed up.
    fn comparisons(&mut self, statement: &Node, of: &Statement) -> Called<()> {
        // A comparison as a head is no condition.
        let head = if matches!(of.head, Head::Other(_)) { Vec::new() } else { statement.nodes(Attribute::Head)? };
        let compare = &mut |node: &Node, kind| {
            // clingo's numbers: of comparisons the first four have an order, of functions the last two no number.
            let has_order = |guard: &Node| Ok(matches!(guard.number(Attribute::Comparison)?, 0..4));
            let (first, guards) = match kind {
                NodeKind::Comparison => (node.nodes(Attribute::Term)?, node.nodes(Attribute::Guards)?),
                NodeKind::BodyAggregate | NodeKind::HeadAggregate if node.number(Attribute::Function)? > 2 => {
                    return Ok(());
                }
                NodeKind::Aggregate | NodeKind::BodyAggregate | NodeKind::HeadAggregate => {
                    let [left, right] = [Attribute::LeftGuard, Attribute::RightGuard].map(|side| node.nodes(side));
                    (Vec::new(), left?.into_iter().chain(right?).collect())
                }
                _ => return Ok(()),
            };
            let orders: Vec<bool> = guards.iter().map(has_order).collect::<Called<_>>()?;
            for terms in guards.iter().map(|guard| guard.nodes(Attribute::Term)).chain([Ok(first)]) {
                for term in terms? {
                    match constant(&term)? {
                        Some(name) if kind == NodeKind::Comparison && !orders.contains(&true) => {
                            self.values.insert(name);
                        }
                        Some(name) if !of.part.parameters.contains(&name) => {
                            let place = Place { file: of.place.file.clone(), ..term.place()? };
                            self.compared.entry(name).or_insert(place);
                        }
                        _ => {}
                    }
                }
            }
            Ok(())
        };
        head.iter().chain(&statement.nodes(Attribute::Body)?).try_for_each(|part| walk(part, compare))
    }

    fn near_variables(&mut self, statement: &Statement, variables: &BTreeMap<String, usize>) {
        let once = variables.iter().filter(|(name, times)| **times == 1 && !name.starts_with('_'));
        for (name, _) in once {
            let near = variables.iter().filter(|(other, _)| is_slip(name, other));
            let Some((near, _)) = near.max_by_key(|(_, times)| **times) else { continue };
            let text = format!("the variable {name} occurs once; {near} stands beside it");
            let lint = info(text, statement.place.clone());
            self.found.push((NEAR_VARIABLES, lint.help(format!("write {near}, or _ if any value will do"))));
        }
    }

    fn arrow(&mut self, program: &Program, node: &Node, statement: &Statement) -> Called<()> {
        let Head::Other(text) = &statement.head else { return Ok(()) };
        let Some(head) = node.node(Attribute::Head)? else { return Ok(()) };
        let is_comparison =
            head.node(Attribute::Atom)?.map(|atom| atom.kind()).transpose()? == Some(NodeKind::Comparison);
        let document = program.documents().find(|document| document.name == statement.place.file);
        let source = document.and_then(|document| document.text.get(statement.place.range_in(&document.text)));
        if is_comparison && source.is_some_and(|source| source.contains("<-")) {
            let lint = info(format!("`<-` is not an arrow: this compares, {text}"), statement.place.clone());
            self.found.push((ARROW, lint.help("write :- between head and body")));
        }
        Ok(())
    }

    fn self_negation(&mut self, statement: &Statement) {
        let Head::Atom { text, signature: Some(signature) } = &statement.head else { return };
        let is_itself = |form: &Form| matches!(form, Form::Atom(atom) if atom == text);
        let (own, rest): (Vec<_>, Vec<_>) =
            statement.body.iter().partition(|literal| literal.sign == Sign::Negative && is_itself(&literal.form));
        if own.is_empty() {
            return;
        }
        let rest: Vec<&str> = rest.iter().map(|literal| literal.text.as_str()).collect();
        let lint = info(
            format!("{text} is derived only from not {text}: the rule acts as a constraint"),
            statement.place.clone(),
        );
        let remedy = match rest.is_empty() {
            true => format!("no answer set is left; derive {signature} elsewhere, or write a choice, {{ {text} }}"),
            false => format!("if that is meant, write `:- {}.`; else derive {signature} elsewhere", rest.join("; ")),
        };
        self.self_negations.push((signature.clone(), rest.is_empty(), lint.help(remedy)));
    }

    fn part(&mut self, statement: Statement) {
        let part = &statement.part;
        if part.name.starts_with("test") {
            self.tested.extend(part.parameters.iter().cloned());
            return;
        }
        if part.is_grounded {
            return;
        }
        self.parts.push((part.clone(), statement.place));
    }

    /// Takes the constants of atoms below.
    fn literal(&mut self, literal: &Node, statement: &Statement, variables: &BTreeMap<String, usize>) -> Called<()> {
        let (mut found, mut used) = (Vec::new(), BTreeSet::new());
        walk(literal, &mut |node, kind| {
            let atom = (kind == NodeKind::SymbolicAtom).then(|| node.node(Attribute::Symbol)).transpose()?.flatten();
            let Some(atom) = atom else { return Ok(()) };
            used.extend(signature_of_term(&atom)?);
            if atom.kind()? != NodeKind::Function {
                return Ok(());
            }
            let arguments = atom.nodes(Attribute::Arguments)?;
            let signature = Signature::new(atom.string(Attribute::Name)?, arguments.len());
            for (argument, node) in arguments.iter().enumerate() {
                let name = constant(node)?.filter(|name| !statement.part.parameters.contains(name));
                let Some(name) = name else { continue };
                let is_alike = |variable: &&String| variable[..1].to_ascii_lowercase() + &variable[1..] == name;
                let variable = variables.keys().find(is_alike).cloned();
                let place = Place { file: statement.place.file.clone(), ..node.place()? };
                found.push(Constant { name, signature: signature.clone(), argument, place, variable });
            }
            Ok(())
        })?;
        self.constants.extend(found);
        used.into_iter().for_each(|signature| *self.used.entry(signature).or_default() += 1);
        Ok(())
    }

    fn lints(self, program: &Program, lints: Lints) -> Lints {
        let Reader {
            includes,
            mut found,
            sums,
            constants,
            definitions,
            defined,
            compared,
            values,
            occurrences,
            derived,
            used,
            parts,
            tested,
            shown,
            mut rules,
            ..
        } = self;
        let is_grounded = |part: &ProgramPart| tested.contains(&part.name) || OF_TOOLS.contains(&part.name.as_str());
        // A script grounds what it likes.
        let has_script = program.documents().any(|document| document.text.contains("#script"));
        let untested: Vec<_> = parts.into_iter().filter(|(part, _)| !has_script && !is_grounded(part)).collect();
        found.extend(ungrounded(&untested, program.is_in_steps()).map(|lint| (UNGROUNDED_PART, lint)));
        let given = || program.documents().flat_map(|document| syntax::statements(&document.text));
        // Where it is a value, too, constants are what is compared.
        let is_value = |name: &str| {
            let facts = |document: &Document| {
                let is_in = |range: Range<usize>| syntax::words(&document.text[range]).any(|word| word == name);
                syntax::statements(&document.text).into_iter().any(|one| one.is_fact && is_in(one.range))
            };
            values.contains(name) || program.documents().any(facts)
        };
        let given_value = |name: &String| lints.settings.constants.iter().any(|(known, _)| known == name);
        let is_known = includes || has_script;
        for (name, place) in compared.into_iter().filter(|_| !is_known && lints.wants(UNDEFINED_CONSTANT)) {
            if !defined.contains(&name) && !given_value(&name) && !is_value(&name) {
                let text = format!("nothing defines {name}: every number is less than such a constant");
                let lint = info(text, place).help(format!("#const {name} = 8. or -c {name}=8 gives it a value"));
                found.push((UNDEFINED_CONSTANT, lint));
            }
        }
        let is_fact = |signature: &Signature| {
            let head = signature.is_positive.then_some((signature.name.as_str(), signature.arity));
            head.is_some() && given().any(|statement| statement.is_fact && statement.head == head)
        };
        let heads = LazyCell::new(|| {
            let heads = given().filter_map(|statement| statement.head);
            let heads = heads.map(|(name, arity)| Signature::new(name, arity));
            heads.chain(derived.keys().cloned()).collect::<BTreeSet<Signature>>()
        });
        for (term, place) in shown.into_iter().filter(|_| !includes) {
            let others: Vec<&Signature> = heads.iter().filter(|signature| signature.signed() == term).collect();
            if let Some(other) = others.last().filter(|_| others[0].arity > 0) {
                let text = format!("this shows the term {term} in every answer, and no atom");
                found.push((SHOWN_TERM, info(text, place).help(format!("write #show {other}."))));
            }
        }
        // An atom that nothing else asks for is there for the sake of the constraint.
        let is_alone = |signature: &Signature, is_all: bool| {
            let is_asked_for = is_all || used.get(signature).is_some_and(|&times| times > 1);
            is_asked_for && derived.get(signature) == Some(&1) && !is_fact(signature)
        };
        if !includes && !self.derives_unknown {
            let alone = self.self_negations.into_iter().filter(|(signature, is_all, _)| is_alone(signature, *is_all));
            found.extend(alone.map(|(.., lint)| (SELF_NEGATION, lint)));
            rules.retain(|signature, _| derived.get(signature) == Some(&1));
            for (first, rule) in &rules {
                let values: Vec<usize> = (0..first.arity).collect();
                let mut path = vec![first];
                if odd_loop(&rules, &mut path, &values, false) && !path.iter().any(|signature| is_fact(signature)) {
                    let names: Vec<String> = path.iter().map(ToString::to_string).collect();
                    let text = format!(
                        "{} depend on each other through an odd number of `not`, and on nothing else: their rules act as a constraint",
                        names.join(", ")
                    );
                    let remedy = "if that is meant, write `:- …` with the rest of their bodies; else derive one of them elsewhere";
                    found.push((ODD_LOOP, info(text, rule.place.clone()).help(remedy)));
                }
            }
        }
        // Some steps may have what others lack.
        let are_grounded_at_once = !program.is_in_steps();
        let is_asked = |constant: &Constant| are_grounded_at_once && occurrences.get(&constant.name) == Some(&1);
        Lints {
            found: {
                let own = found.into_iter().filter(|(name, _)| lints.wants(name)).map(|(_, lint)| lint);
                lints.found.iter().cloned().chain(own).collect()
            },
            sums: sums.into_iter().filter(|_| lints.wants(MERGED_TUPLES)).collect(),
            constants: constants.into_iter().filter(|one| lints.wants(UNMATCHED_CONSTANT) && is_asked(one)).collect(),
            definitions,
            ..lints
        }
    }
}

/// One lint for all parts, since what is to be done is the same.
fn ungrounded(parts: &[(Arc<ProgramPart>, Place)], in_steps: bool) -> Option<Diagnostic> {
    let (first, place) = parts.first()?;
    let mut marks: Vec<String> = parts.iter().map(|(part, _)| part.mark().trim_end_matches('.').to_owned()).collect();
    marks.dedup();
    let near = ["base", "step", "check"].into_iter().find(|known| {
        let has_parameters = first.parameters.len() == usize::from(*known != "base");
        has_parameters && strsim::damerau_levenshtein(known, &first.name) == 1
    });
    let text = format!("nothing grounds what stands behind {}", marks.join(", "));
    let lint = info(text, place.clone());
    // Parts of systems that ground by programs of their own.
    let is_of = |names: &[&str]| parts.iter().all(|(part, _)| names.contains(&&*part.name));
    if is_of(&["initial", "always", "dynamic", "final"]) {
        return Some(lint.help("telingo grounds these parts; here only base is grounded, and with #include <incmode>., step(t) and check(t)"));
    }
    if is_of(&["preference"]) {
        return Some(lint.help(PREFERENCES));
    }
    Some(match near {
        Some(near) => lint.help(format!("did you mean {near}?")),
        None if in_steps => {
            lint.help("only base, step(t) and check(t) are grounded; the rules belong behind one of these")
        }
        None => lint.help("only base is grounded; with #include <incmode>., step(t) and check(t) are, too"),
    })
}

impl Constant {
    fn lint(&self, control: &Control) -> Result<Option<Diagnostic>, CallError> {
        let Constant { name, signature, argument, .. } = self;
        if control.constant(name)?.is_some() {
            return Ok(None);
        }
        let atoms = control.atoms_of(signature, MOST_ATOMS)?;
        if atoms.is_empty() || atoms.len() == MOST_ATOMS {
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
        let near = values.iter().find(|value| is_slip(name, value));
        let remedy = match (near, &self.variable) {
            (Some(near), _) => format!("did you mean {near}?"),
            (None, Some(variable)) => format!("{name} is a constant; {variable} is the variable of this rule"),
            (None, None) => return Ok(None),
        };
        let text = format!("no atom of {signature} has {name} here, so that none matches");
        Ok(Some(info(text, self.place.clone()).help(remedy)))
    }
}

/// Whether one name is the other with a slip inside: a letter more, less or other, or two that changed places, or large for
/// small. What differs at its ends or by digits are mostly names of two things.
fn is_slip(name: &str, other: &str) -> bool {
    let lengths = name.len().min(other.len())..=name.len().max(other.len());
    if name == other || *lengths.start() < 2 || *lengths.end() < 3 || !name.is_ascii() || !other.is_ascii() {
        return false;
    }
    if name.eq_ignore_ascii_case(other) {
        return true;
    }
    let ends = |name: &str| (name.as_bytes()[0], name.as_bytes()[name.len() - 1]);
    let is_word = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphabetic());
    // Short names differ by a letter in the middle because they are two.
    let is_short = name.len() == other.len() && name.len() < 5;
    let is_swapped = is_short && name[1..2] == other[2..3];
    ends(name) == ends(other)
        && is_word(name)
        && is_word(other)
        && (is_swapped || !is_short)
        && strsim::damerau_levenshtein(name, other) == 1
}

/// The name of a term that is a constant.
fn constant(term: &Node) -> Called<Option<String>> {
    let name = if term.kind()? == NodeKind::SymbolicTerm { Some(term.text()?) } else { None };
    Ok(name.filter(|name| syntax::is_name(name)))
}

/// Calls with each node, those below it behind it.
fn walk(node: &Node, found: &mut impl FnMut(&Node, NodeKind) -> Called<()>) -> Called<()> {
    found(node, node.kind()?)?;
    node.children()?.iter().try_for_each(|child| walk(child, found))
}
