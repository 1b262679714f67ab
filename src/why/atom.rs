//! Why an atom holds or does not: in every answer, in none, or in some, and where those differ.
//!
//! Two questions tell which it is: whether an answer has the atom, and whether one has it not. What holds in every answer by
//! the facts alone is derived. Anything else that holds in all or in none follows from parts of the program: with them, and
//! the contrary assumed, there is no answer; the fewest such parts are told. Of what holds in some answers, two are shown that
//! differ in as little as possible.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use anstyle::Style as Ansi;
use serde_json::{Value, json};

use super::cause::{Assumed, Found, cheapest_correction, smallest};
use super::derivation::{Derivation, Tree};
use super::{Blame, Kind, List, Part, Question, Source, Switched, Told, literal, output};
use crate::asp::statement::Form;
use crate::asp::syntax::name_of;
use crate::asp::{ADDED, Signature, Symbol, brief, is_deep, predicate_of, sort_by_symbols, to_text};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::ending::Verdict;
use crate::job::Job;
use crate::picture::escaped;
use crate::stop::{Reason, Stop};
use crate::words::count;

/// Lines of a tree that are shown as text.
pub const READABLE: usize = 40;

/// Tells why an atom holds or not.
pub fn explain(source: &Source, asked: &str, question: &Question, job: &Job) -> Result<Told, Failure> {
    let (atom, _) = literal(asked).ok_or_else(|| {
        let text = format!("{asked} is neither a file nor an atom such as queen(1,4) or not queen(1,4)");
        Failure::from(Diagnostic::error(text))
    })?;
    let blamed = match &question.blame[..] {
        [] => &[Blame::Facts, Blame::Constraints],
        blamed => blamed,
    };
    let mut switched = Switched::new(source, blamed, &job.settings, &job.stop)?;
    check_known(&mut switched, atom)?;
    let enforced: Vec<usize> = (0..switched.len()).collect();
    let literal = switched.literal(atom);
    let with = literal.map_or(Ok(None), |literal| switched.model(&enforced, &[literal]))?;
    let contrary: Vec<i32> = literal.iter().map(|literal| -literal).collect();
    let without = switched.model(&enforced, &contrary)?;
    if let Some(reason) = job.stop.requested() {
        return Ok(gave_up(atom, reason));
    }
    let mut about = About { source, question, job, switched, atom, given: OnceCell::new() };
    match (with, without) {
        (None, None) => Ok(about.no_answer()),
        (Some(answer), None) if about.is_given()? => {
            let tree = about.tree(&answer)?;
            let summary = format!("{} holds in every answer: it follows from the facts.", to_text(atom));
            Ok(about.told(&summary, "always", &Because::Derived(tree), json!({})))
        }
        (Some(_), None) => about.follows("always", contrary),
        (None, Some(_)) => match literal {
            Some(literal) => about.follows("never", vec![literal]),
            None => about.is_underivable(),
        },
        (Some(with), Some(_)) => about.holds_sometimes(with, contrary),
    }
}

/// An atom in question.
struct About<'a> {
    source: &'a Source,
    question: &'a Question,
    job: &'a Job,
    switched: Switched,
    atom: Symbol,
    /// What holds whatever is chosen, as the grounder knows.
    given: OnceCell<HashSet<Symbol>>,
}

/// An answer near to another one, and the places of the questions in which they differ.
struct Near {
    answer: Vec<Symbol>,
    differ: BTreeSet<usize>,
    is_least: bool,
}

/// What holds whatever is chosen, as the grounder knows: the program is grounded as it is for that.
pub fn given(source: &Source, job: &Job) -> Result<HashSet<Symbol>, Failure> {
    let mut whole = Switched::new(source, &[], &job.settings, &job.stop)?;
    let known = whole.known_atoms()?;
    Ok(known.into_iter().filter(|(.., is_fact)| *is_fact).map(|(atom, ..)| atom).collect())
}

/// How atoms come to hold in an answer: a tree of each, without what comments mute.
pub fn trees(
    switched: &Switched,
    asked: &[Symbol],
    answer: &[Symbol],
    given: &HashSet<Symbol>,
    job: &Job,
) -> Result<Vec<Tree>, Failure> {
    let (statements, last_step) = (switched.statements(), switched.last_step());
    let mut derivation = Derivation::of(statements, last_step, answer, asked, &job.settings, &job.stop)?;
    derivation.mute(switched.words(), answer)?;
    asked.iter().map(|&atom| Tree::of(&derivation, atom, &|atom| given.contains(&atom), switched)).collect()
}

enum Because {
    Derived(Tree),
    Parts(Vec<Part>),
}

impl About<'_> {
    /// Whether the atom holds whatever is chosen.
    fn is_given(&self) -> Result<bool, Failure> {
        Ok(self.given()?.contains(&self.atom))
    }

    /// The same of all atoms; the program is grounded as it is for that, once.
    fn given(&self) -> Result<&HashSet<Symbol>, Failure> {
        if let Some(given) = self.given.get() {
            return Ok(given);
        }
        let given = given(self.source, self.job)?;
        Ok(self.given.get_or_init(|| given))
    }

    fn tree(&self, answer: &[Symbol]) -> Result<Tree, Failure> {
        let mut trees = trees(&self.switched, &[self.atom], answer, self.given()?, self.job)?;
        Ok(trees.remove(0))
    }

    /// It follows from parts of the program, with which the contrary cannot be.
    fn follows(&mut self, holds: &str, contrary: Vec<i32>) -> Result<Told, Failure> {
        let switched = &mut self.switched;
        let groups = (0..switched.len()).map(|part| switched.assumptions(part).to_vec()).collect();
        let enough = self.job.stop.by(self.question.deadline);
        let mut oracle = Assumed { switched, always: contrary, groups };
        let (parts, is_least, is_minimal) = match smallest(&mut oracle, &enough.stop)? {
            Found::Parts { parts, is_least, is_minimal } => (parts, is_least, is_minimal),
            Found::NotTheCause | Found::Satisfiable => (Vec::new(), true, true),
            Found::GaveUp(reason) => return Ok(gave_up(self.atom, reason)),
        };
        let parts = self.switched.parts(&parts)?;
        let when = if holds == "always" { "holds in every answer" } else { "holds in no answer" };
        let why = match (parts.len(), is_least) {
            (0, _) => "whichever of the parts that may be blamed are left out".to_owned(),
            (1, _) => format!("because of {}", counted(&parts)),
            (_, true) => format!("because of {} together: no fewer suffice (proven)", counted(&parts)),
            _ if is_minimal => {
                format!("because of {} together: all are needed, but fewer others may suffice", counted(&parts))
            }
            _ => format!("because of {} together: fewer may suffice, since time was up", counted(&parts)),
        };
        let summary = format!("{} {when}, {why}.", to_text(self.atom));
        Ok(self.told(&summary, holds, &Because::Parts(parts), json!({ "smallest": is_least })))
    }

    /// No rule can bring it, whatever the facts that may be blamed.
    fn is_underivable(&self) -> Result<Told, Failure> {
        let statements = self.switched.statements().iter().enumerate();
        let asked = to_text(self.atom);
        let is_for_it = |(head, _): &(&str, _)| name_of(head) == name_of(&asked);
        let of_predicate = statements.filter(|(_, statement)| statement.heads().iter().any(is_for_it));
        let rules: Vec<(usize, Vec<Symbol>)> = of_predicate
            .filter(|(_, statement)| !statement.is_fact())
            .map(|(number, _)| (number, Vec::new()))
            .collect();
        let rules = self.switched.instances(&rules)?;
        let rule = match rules.len() {
            0 => "it is not a fact, and no rule derives it",
            1 => "it is not a fact, and this rule cannot derive it",
            _ => "it is not a fact, and these rules cannot derive it",
        };
        let summary = format!("{asked} holds in no answer: {rule}.");
        Ok(self.told(&summary, "never", &Because::Parts(rules), json!({})))
    }

    /// Two answers that differ in it, and in as little else as possible.
    fn holds_sometimes(&mut self, mut with: Vec<Symbol>, contrary: Vec<i32>) -> Result<Told, Failure> {
        let questions: Vec<(Symbol, i32)> =
            self.switched.questions().iter().copied().filter(|(atom, _)| *atom != self.atom).collect();
        let enough = self.job.stop.by(self.question.deadline);
        let mut near = match self.nearest(&questions, &with, &contrary, &enough.stop)? {
            Ok(near) => near,
            Err(reason) => return Ok(gave_up(self.atom, reason)),
        };
        // Another answer with it may be nearer to that one, and so on in turn.
        let itself: Vec<i32> = contrary.iter().map(|literal| -literal).collect();
        while !near.differ.is_empty() && enough.stop.requested().is_none() {
            let Ok(nearer) = self.nearest(&questions, &near.answer, &itself, &enough.stop)? else { break };
            if nearer.differ.len() >= near.differ.len() {
                break;
            }
            let Ok(back) = self.nearest(&questions, &nearer.answer, &contrary, &enough.stop)? else { break };
            (with, near) = (nearer.answer, back);
        }
        let Near { answer: without, differ, is_least } = near;
        let tree = self.tree(&with)?;
        let holding: HashSet<Symbol> = with.iter().copied().collect();
        let atoms: Vec<Symbol> = differ.iter().map(|&place| questions[place].0).collect();
        let literals: Vec<(Symbol, bool)> = atoms.iter().map(|&atom| (atom, !holding.contains(&atom))).collect();
        let words = self.switched.words().of_literals(&literals)?;
        let of_answer = |answer: &[Symbol]| -> Vec<String> {
            let asked = |atom: &&Symbol| **atom == self.atom || questions.iter().any(|(known, _)| known == *atom);
            let mut shown: Vec<Symbol> = answer.iter().filter(asked).copied().collect();
            sort_by_symbols(&mut shown, |&atom| is_deep(atom), |&atom| atom);
            shown.into_iter().map(brief).collect()
        };
        let atom = to_text(self.atom);
        let mut lines = vec![format!("{atom} holds in some answers, and not in others.")];
        let cut = |mut atoms: Vec<String>| {
            let more = atoms.len().saturating_sub(if self.question.style.verbose { usize::MAX } else { READABLE });
            atoms.truncate(atoms.len() - more);
            atoms.extend((more > 0).then(|| format!("… and {more} more (-v shows them)")));
            atoms.join(" ")
        };
        lines.push(format!("With it:    {}", cut(of_answer(&with))));
        lines.push(format!("Without it: {}", cut(of_answer(&without))));
        let is_nearest = if is_least { "; no answer without it is nearer to the first (proven)" } else { "" };
        lines.push(match words.len() {
            0 => "They differ in nothing else.".to_owned(),
            number => {
                let atoms = count(number, "other atom differs", "other atoms differ");
                format!("In the second {atoms}{is_nearest}: {}.", words.join(", "))
            }
        });
        lines.push(format!("\nIn the first, {atom} holds so:"));
        let sign = |holds: bool| if holds { "" } else { "not " };
        let differences: Vec<String> =
            literals.iter().map(|&(atom, holds)| format!("{}{}", sign(holds), brief(atom))).collect();
        let more = json!({
            "with": of_answer(&with), "without": of_answer(&without), "differ": differences, "fewest": is_least,
        });
        Ok(self.told(&lines.join("\n"), "sometimes", &Because::Derived(tree), more))
    }

    /// The answer where these literals hold that differs from another one in the fewest of the questions; or why there is none.
    fn nearest(
        &mut self,
        questions: &[(Symbol, i32)],
        to: &[Symbol],
        literals: &[i32],
        enough: &Stop,
    ) -> Result<Result<Near, Reason>, Failure> {
        let holding: HashSet<Symbol> = to.iter().copied().collect();
        let same = |&(atom, literal): &(Symbol, i32)| vec![if holding.contains(&atom) { literal } else { -literal }];
        let groups: Vec<Vec<i32>> = questions.iter().map(same).collect();
        let switched = &mut self.switched;
        let enforced = (0..switched.len()).flat_map(|part| switched.assumptions(part));
        let always: Vec<i32> = enforced.chain(literals).copied().collect();
        let mut oracle = Assumed { switched, always: always.clone(), groups: groups.clone() };
        let (differ, is_least) = match cheapest_correction(&mut oracle, &vec![1; groups.len()], enough)? {
            Found::Parts { parts, is_least, .. } => (parts, is_least),
            // They may differ in nothing else that is asked.
            Found::Satisfiable | Found::NotTheCause => (Vec::new(), true),
            Found::GaveUp(reason) => return Ok(Err(reason)),
        };
        let differ: BTreeSet<usize> = differ.into_iter().collect();
        let kept = (0..groups.len()).filter(|place| !differ.contains(place)).flat_map(|place| groups[place].clone());
        let assumed: Vec<i32> = always.into_iter().chain(kept).collect();
        let answer = self.switched.model(&[], &assumed)?;
        let reason = || self.job.stop.requested().unwrap_or(Reason::Unproven);
        Ok(answer.map(|answer| Near { answer, differ, is_least }).ok_or_else(reason))
    }

    fn no_answer(&self) -> Told {
        let text = "There is no answer at all, with the atom or without; ask why without an atom.\n";
        let json = json!({ "schema": 1, "atom": to_text(self.atom), "holds": null, "verdict": "unsatisfiable" });
        Told { text: text.to_owned(), json, verdict: Some(Verdict::Impossible), ..Told::default() }
    }

    fn told(&self, summary: &str, holds: &str, because: &Because, more: Value) -> Told {
        let style = &self.question.style;
        let text_of = |place: &Place| output::text_of(place, self.source, self.job);
        let (title, rest) = summary.split_once('\n').unwrap_or((summary, ""));
        let mut text = style.paint(Ansi::new().bold(), title) + "\n";
        let mut json = json!({ "schema": 1, "atom": to_text(self.atom), "holds": holds });
        if !rest.is_empty() {
            text += &format!("{rest}\n");
        }
        if !style.quiet {
            let lines = if style.verbose { usize::MAX } else { READABLE };
            text += &match because {
                Because::Derived(tree) => tree.text(lines, style),
                Because::Parts(parts) => output::underlined(parts, text_of, style.color),
            };
        }
        json["because"] = match because {
            Because::Derived(tree) => tree.json(),
            Because::Parts(parts) => parts.iter().map(Part::json).collect(),
        };
        let lists = vec![match because {
            Because::Derived(tree) => List { title: String::new(), lines: vec![tree.line()] },
            Because::Parts(parts) => List::of("", parts),
        }];
        json.as_object_mut().expect("it is an object").extend(more.as_object().cloned().unwrap_or_default());
        let html = match because {
            Because::Derived(tree) => {
                let rest: String = rest.lines().map(|line| format!("<p>{}</p>\n", escaped(line))).collect();
                let title = escaped(title);
                format!("{}<h1>{title}</h1>\n{rest}{}</body></html>\n", output::PAGE, tree.html())
            }
            Because::Parts(parts) => output::page(
                title,
                &[output::Section { parts: parts.into(), ..Default::default() }],
                &[],
                rest,
                text_of,
            ),
        };
        Told { text, json, lists, html: Some(html), svg: None, verdict: Some(Verdict::Solved), warnings: Vec::new() }
    }
}

fn gave_up(atom: Symbol, reason: Reason) -> Told {
    let json = json!({ "schema": 1, "atom": to_text(atom), "holds": null, "verdict": "gave-up" });
    let verdict = Some(Verdict::GaveUp(reason));
    Told { text: format!("{}\n", Verdict::GaveUp(reason).gave_up_words()), json, verdict, ..Told::default() }
}

/// "this fact", "2 facts and a constraint".
fn counted(parts: &[Part]) -> String {
    let of_kind = |kind: Kind| parts.iter().filter(|part| part.kind == kind).count();
    let told = [Kind::Fact, Kind::Constraint, Kind::Rule].map(|kind| (of_kind(kind), kind.name()));
    if let [only] = parts {
        return format!("this {}", only.kind.name());
    }
    let told = told.iter().filter(|(number, _)| *number > 0);
    told.map(|(number, name)| count(*number, name, &format!("{name}s"))).collect::<Vec<_>>().join(" and ")
}

/// An atom of a predicate that the program does not have was misspelt.
fn check_known(switched: &mut Switched, atom: Symbol) -> Result<(), Failure> {
    let Some(asked) = predicate_of(atom) else { return Ok(()) };
    let mut known: BTreeSet<Signature> =
        switched.known_atoms()?.into_iter().filter_map(|(atom, ..)| predicate_of(atom)).collect();
    for statement in switched.statements() {
        known.extend(statement.heads().into_iter().filter_map(|(head, _)| Signature::of(head)));
        known.extend(statement.body.iter().filter_map(|literal| match &literal.form {
            Form::Atom(atom) => Signature::of(atom),
            _ => None,
        }));
    }
    known.retain(|predicate| !predicate.name.starts_with(ADDED));
    if known.contains(&asked) {
        return Ok(());
    }
    let name = asked.signed();
    let distance =
        |other: &&Signature| (strsim::damerau_levenshtein(&other.signed(), &name), other.arity.abs_diff(asked.arity));
    let nearest = known.iter().min_by_key(distance).filter(|other| distance(other).0 <= 2.min(name.len() / 2));
    let error = Diagnostic::error(format!("{} is of no predicate of the program: there is no {asked}", to_text(atom)));
    Err(match nearest {
        Some(nearest) => error.help(format!("did you mean {nearest}?")),
        None => error,
    }
    .into())
}
