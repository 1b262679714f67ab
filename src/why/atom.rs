//! Explains why an atom holds in every answer, in none, or only in some, and how such answers
//! differ.
//!
//! Two queries decide the case: is there an answer with the atom, and is there one without it? If
//! the atom holds in every answer because of the facts alone, its derivation is shown. If it
//! otherwise holds in all answers or in none, that follows from some parts of the program: no
//! answer satisfies these parts and the opposite truth value. The smallest such set of parts is
//! shown. If the atom holds only in some answers, two answers are shown that differ as little as
//! possible.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use anstyle::Style as Ansi;
use serde_json::{Value, json};

use super::cause::{AssumptionOracle, SubsetResult, cheapest_mcs, smallest_mus};
use super::derivation::{Derivation, DerivationTree};
use super::phrase::enumerated;
use super::{
    Blame, ExplainInput, ExplainQuery, Explanation, Part, PartKind, ReasonList, RelaxedProgram, output, parse_literal,
};
use crate::asp::tree::{Literal, Term};
use crate::asp::{
    ADDED_PREFIX, Signature, Symbol, function_of, is_deep, predicate_of, sort_by_symbols, to_text, to_text_truncated,
};
use crate::diagnostic::{Code, Diagnostic, Failure, Place};
use crate::ending::Verdict;
use crate::job::Job;
use crate::picture::escaped;
use crate::stop::{CancelToken, StopReason};
use crate::words::count;

/// Maximum number of lines of a tree in text output.
pub const MAX_TREE_LINES: usize = 40;

/// Explains the atom that the text `asked` contains.
pub fn explain(source: &ExplainInput, asked: &str, question: &ExplainQuery, job: &Job) -> Result<Explanation, Failure> {
    let (atom, _) = parse_literal(asked).ok_or_else(|| {
        let text = format!("{asked} is neither a file nor an atom such as queen(1,4) or not queen(1,4)");
        Failure::from(Diagnostic::error(Code::Usage, text))
    })?;
    let blamed = match &question.blame[..] {
        [] => &[Blame::Facts, Blame::Constraints],
        blamed => blamed,
    };
    let mut relaxed = RelaxedProgram::new(source, blamed, &job.settings, &job.stop)?;
    check_predicate(&mut relaxed, atom)?;
    let enforced: Vec<usize> = (0..relaxed.len()).collect();
    let literal = relaxed.literal(atom);
    let with = literal.map_or(Ok(None), |literal| relaxed.model(&enforced, &[literal]))?;
    let negation: Vec<i32> = literal.iter().map(|literal| -literal).collect();
    let without = relaxed.model(&enforced, &negation)?;
    if let Some(reason) = job.stop.requested() {
        return Ok(gave_up(atom, reason));
    }
    let mut query = AtomQuery { source, question, job, relaxed, atom, ground_facts: OnceCell::new() };
    match (with, without) {
        (None, None) => Ok(query.no_answer()),
        (Some(answer), None) if query.is_ground_fact()? => {
            let tree = query.tree(&answer)?;
            let summary = format!("{} holds in every answer: it follows from the facts.", to_text(atom));
            Ok(query.render(&summary, "always", &Justification::Derived(tree), json!({})))
        }
        (Some(_), None) => query.follows("always", negation),
        (None, Some(_)) => match literal {
            Some(literal) => query.follows("never", vec![literal]),
            None => query.is_underivable(),
        },
        (Some(with), Some(_)) => query.holds_sometimes(with, negation),
    }
}

/// A query about one atom.
struct AtomQuery<'a> {
    source: &'a ExplainInput,
    question: &'a ExplainQuery,
    job: &'a Job,
    relaxed: RelaxedProgram,
    atom: Symbol,
    /// The atoms that are facts of the ground program, computed on first use.
    ground_facts: OnceCell<HashSet<Symbol>>,
}

/// The answer that differs least from another answer.
struct NearestAnswer {
    answer: Vec<Symbol>,
    /// Indices of the query atoms in which the two answers differ.
    differ: BTreeSet<usize>,
    /// True if it is proven that no answer differs less.
    is_least: bool,
}

/// Grounds the unmodified program and returns the atoms that are facts of the ground program: they
/// hold in every answer.
pub fn ground_facts(source: &ExplainInput, job: &Job) -> Result<HashSet<Symbol>, Failure> {
    let mut unmodified = RelaxedProgram::new(source, &[], &job.settings, &job.stop)?;
    let known = unmodified.known_atoms()?;
    Ok(known.into_iter().filter(|(.., is_fact)| *is_fact).map(|(atom, ..)| atom).collect())
}

/// Builds a derivation tree for each atom in `asked`. Muted atoms and the atoms in `given` are not
/// explained in them.
pub fn derivation_trees(
    relaxed: &RelaxedProgram,
    asked: &[Symbol],
    answer: &[Symbol],
    given: &HashSet<Symbol>,
    job: &Job,
) -> Result<Vec<DerivationTree>, Failure> {
    let statements = relaxed.statements();
    let last_step = relaxed.last_step();
    let mut derivation = Derivation::of(statements, last_step, answer, asked, &job.settings, &job.stop)?;
    derivation.mute(relaxed.words(), answer)?;
    asked.iter().map(|&atom| DerivationTree::of(&derivation, atom, &|atom| given.contains(&atom), relaxed)).collect()
}

enum Justification {
    Derived(DerivationTree),
    Parts(Vec<Part>),
}

impl AtomQuery<'_> {
    /// Returns true if the atom is a fact of the ground program.
    fn is_ground_fact(&self) -> Result<bool, Failure> {
        Ok(self.ground_facts()?.contains(&self.atom))
    }

    /// Returns the facts of the ground program. It is grounded on the first call only.
    fn ground_facts(&self) -> Result<&HashSet<Symbol>, Failure> {
        if let Some(given) = self.ground_facts.get() {
            return Ok(given);
        }
        let given = ground_facts(self.source, self.job)?;
        Ok(self.ground_facts.get_or_init(|| given))
    }

    fn tree(&self, answer: &[Symbol]) -> Result<DerivationTree, Failure> {
        let mut trees = derivation_trees(&self.relaxed, &[self.atom], answer, self.ground_facts()?, self.job)?;
        Ok(trees.remove(0))
    }

    /// Explains by the smallest set of parts that contradicts `negation`, and describes the atom as
    /// `holds`: "always" or "never".
    fn follows(&mut self, holds: &str, negation: Vec<i32>) -> Result<Explanation, Failure> {
        let relaxed = &mut self.relaxed;
        let groups = (0..relaxed.len()).map(|part| relaxed.assumptions(part).to_vec()).collect();
        let enough = self.job.stop.child_until(self.question.deadline);
        let mut oracle = AssumptionOracle { relaxed, always: negation, groups };
        let (parts, is_least, is_minimal) = match smallest_mus(&mut oracle, &enough.token)? {
            SubsetResult::Parts { parts, is_least, is_minimal } => (parts, is_least, is_minimal),
            SubsetResult::NotTheCause | SubsetResult::Satisfiable => (Vec::new(), true, true),
            SubsetResult::GaveUp(reason) => return Ok(gave_up(self.atom, reason)),
        };
        let parts = self.relaxed.parts(&parts)?;
        let when = if holds == "always" { "holds in every answer" } else { "holds in no answer" };
        let why = match (parts.len(), is_least) {
            (0, _) => "whichever of the blamed parts are left out".to_owned(),
            (1, _) => format!("because of {}", count_by_kind(&parts)),
            (_, true) => format!("because of {} together: no fewer suffice (proven)", count_by_kind(&parts)),
            _ if is_minimal => {
                format!("because of {} together: all are needed, but a smaller set may exist", count_by_kind(&parts))
            }
            _ => format!("because of {} together: some may not be needed, since time ran out", count_by_kind(&parts)),
        };
        let summary = format!("{} {when}, {why}.", to_text(self.atom));
        let explanation = self.render(&summary, holds, &Justification::Parts(parts), json!({ "smallest": is_least }));
        Ok(Explanation { is_smallest: is_least, ..explanation })
    }

    /// Explains that no rule can derive the atom, whichever of the blamed facts hold.
    fn is_underivable(&self) -> Result<Explanation, Failure> {
        let statements = self.relaxed.statements().iter().enumerate();
        let asked = to_text(self.atom);
        let asked_name = function_of(self.atom).map(|(is_positive, name, _)| (is_positive, name));
        let is_of_predicate = |(head, _): &(&Literal, _)| head.positive_atom().and_then(Term::name) == asked_name;
        let of_predicate = statements.filter(|(_, statement)| statement.heads().iter().any(is_of_predicate));
        let rules: Vec<(usize, Vec<Symbol>)> = of_predicate
            .filter(|(_, statement)| !statement.is_fact())
            .map(|(number, _)| (number, Vec::new()))
            .collect();
        let rules = self.relaxed.instances(&rules)?;
        let rule = match rules.len() {
            0 => "it is not a fact, and no rule derives it",
            1 => "it is not a fact, and this rule cannot derive it",
            _ => "it is not a fact, and these rules cannot derive it",
        };
        let summary = format!("{asked} holds in no answer: {rule}.");
        Ok(self.render(&summary, "never", &Justification::Parts(rules), json!({})))
    }

    /// Reports two answers: one with the atom, and one without it that differs from the first as
    /// little as possible.
    fn holds_sometimes(&mut self, mut with: Vec<Symbol>, negation: Vec<i32>) -> Result<Explanation, Failure> {
        let query_atoms: Vec<(Symbol, i32)> =
            self.relaxed.query_atoms().iter().copied().filter(|(atom, _)| *atom != self.atom).collect();
        let enough = self.job.stop.child_until(self.question.deadline);
        let mut nearest = match self.nearest(&query_atoms, &with, &negation, &enough.token)? {
            Ok(nearest) => nearest,
            Err(reason) => return Ok(gave_up(self.atom, reason)),
        };
        // Alternately replace the answer with the atom and the one without it by the nearest to the
        // other, as long as their distance decreases.
        let with_atom: Vec<i32> = negation.iter().map(|literal| -literal).collect();
        while !nearest.differ.is_empty() && enough.token.requested().is_none() {
            let Ok(nearer) = self.nearest(&query_atoms, &nearest.answer, &with_atom, &enough.token)? else { break };
            if nearer.differ.len() >= nearest.differ.len() {
                break;
            }
            let Ok(back) = self.nearest(&query_atoms, &nearer.answer, &negation, &enough.token)? else { break };
            (with, nearest) = (nearer.answer, back);
        }
        let NearestAnswer { answer: without, differ, is_least } = nearest;
        let tree = self.tree(&with)?;
        let holding: HashSet<Symbol> = with.iter().copied().collect();
        let atoms: Vec<Symbol> = differ.iter().map(|&place| query_atoms[place].0).collect();
        let literals: Vec<(Symbol, bool)> = atoms.iter().map(|&atom| (atom, !holding.contains(&atom))).collect();
        let words = self.relaxed.words().of_literals(&literals)?;
        let of_answer = |answer: &[Symbol]| -> Vec<String> {
            let is_query_atom =
                |atom: &&Symbol| **atom == self.atom || query_atoms.iter().any(|(known, _)| known == *atom);
            let mut shown: Vec<Symbol> = answer.iter().filter(is_query_atom).copied().collect();
            sort_by_symbols(&mut shown, |&atom| is_deep(atom), |&atom| atom);
            shown.into_iter().map(to_text_truncated).collect()
        };
        let atom = to_text(self.atom);
        let mut lines = vec![format!("{atom} holds in some answers, and not in others.")];
        let truncated = |mut atoms: Vec<String>| {
            let more =
                atoms.len().saturating_sub(if self.question.style.verbose { usize::MAX } else { MAX_TREE_LINES });
            atoms.truncate(atoms.len() - more);
            atoms.extend((more > 0).then(|| format!("… and {more} more (-v shows them)")));
            atoms.join(" ")
        };
        lines.push(format!("With it:    {}", truncated(of_answer(&with))));
        lines.push(format!("Without it: {}", truncated(of_answer(&without))));
        let nearest_note = if is_least { "; no answer without it is closer to the first (proven)" } else { "" };
        lines.push(match words.len() {
            0 => "They differ in nothing else.".to_owned(),
            number => {
                let atoms = count(number, "more atom", "more atoms");
                format!("The second differs in {atoms}{nearest_note}: {}.", enumerated(&words, " and "))
            }
        });
        lines.push(format!("\nIn the first answer, {atom} holds because:"));
        let sign = |holds: bool| if holds { "" } else { "not " };
        let differences: Vec<String> =
            literals.iter().map(|&(atom, holds)| format!("{}{}", sign(holds), to_text_truncated(atom))).collect();
        let more = json!({
            "with": of_answer(&with), "without": of_answer(&without), "differ": differences, "fewest": is_least,
        });
        Ok(self.render(&lines.join("\n"), "sometimes", &Justification::Derived(tree), more))
    }

    /// Returns the answer in which `literals` hold that differs from the answer `to` in the fewest
    /// query atoms, or the reason why none was found.
    fn nearest(
        &mut self,
        query_atoms: &[(Symbol, i32)],
        to: &[Symbol],
        literals: &[i32],
        enough: &CancelToken,
    ) -> Result<Result<NearestAnswer, StopReason>, Failure> {
        let holding: HashSet<Symbol> = to.iter().copied().collect();
        let same_value =
            |&(atom, literal): &(Symbol, i32)| vec![if holding.contains(&atom) { literal } else { -literal }];
        let groups: Vec<Vec<i32>> = query_atoms.iter().map(same_value).collect();
        let relaxed = &mut self.relaxed;
        let enforced = (0..relaxed.len()).flat_map(|part| relaxed.assumptions(part));
        let always: Vec<i32> = enforced.chain(literals).copied().collect();
        let mut oracle = AssumptionOracle { relaxed, always: always.clone(), groups: groups.clone() };
        let (differ, is_least) = match cheapest_mcs(&mut oracle, &vec![1; groups.len()], enough)? {
            SubsetResult::Parts { parts, is_least, .. } => (parts, is_least),
            // The answers differ in no other query atom.
            SubsetResult::Satisfiable | SubsetResult::NotTheCause => (Vec::new(), true),
            SubsetResult::GaveUp(reason) => return Ok(Err(reason)),
        };
        let differ: BTreeSet<usize> = differ.into_iter().collect();
        let unchanged =
            (0..groups.len()).filter(|place| !differ.contains(place)).flat_map(|place| groups[place].clone());
        let assumed: Vec<i32> = always.into_iter().chain(unchanged).collect();
        let answer = self.relaxed.model(&[], &assumed)?;
        let reason = || self.job.stop.requested().unwrap_or(StopReason::Unproven);
        Ok(answer.map(|answer| NearestAnswer { answer, differ, is_least }).ok_or_else(reason))
    }

    fn no_answer(&self) -> Explanation {
        let text = "There is no answer at all, with the atom or without; ask why without an atom.\n";
        let json = json!({ "schema": 1, "atom": to_text(self.atom), "holds": null, "verdict": "unsatisfiable" });
        Explanation { text: text.to_owned(), json, ..Explanation::of(Verdict::Impossible) }
    }

    fn render(&self, summary: &str, holds: &str, justification: &Justification, more: Value) -> Explanation {
        let style = &self.question.style;
        let text_of = |place: &Place| output::text_of(place, self.source, self.job);
        let (title, rest) = summary.split_once('\n').unwrap_or((summary, ""));
        let mut text = style.paint(Ansi::new().bold(), title) + "\n";
        let mut json = json!({ "schema": 1, "atom": to_text(self.atom), "holds": holds });
        if !rest.is_empty() {
            text += &format!("{rest}\n");
        }
        if !style.quiet {
            let lines = if style.verbose { usize::MAX } else { MAX_TREE_LINES };
            text += &match justification {
                Justification::Derived(tree) => tree.text(lines, style),
                Justification::Parts(parts) => output::underlined(parts, text_of, style.color),
            };
        }
        json["because"] = match justification {
            Justification::Derived(tree) => tree.json(),
            Justification::Parts(parts) => parts.iter().map(Part::json).collect(),
        };
        let causes = match justification {
            Justification::Derived(_) => Vec::new(),
            Justification::Parts(parts) => vec![parts.clone()],
        };
        let lists = vec![match justification {
            Justification::Derived(tree) => ReasonList { title: String::new(), lines: vec![tree.line()] },
            Justification::Parts(parts) => ReasonList::of("", parts),
        }];
        json.as_object_mut().expect("it is an object").extend(more.as_object().cloned().unwrap_or_default());
        let html = match justification {
            Justification::Derived(tree) => {
                let rest: String = rest.lines().map(|line| format!("<p>{}</p>\n", escaped(line))).collect();
                let title = escaped(title);
                format!("{}<h1>{title}</h1>\n{rest}{}</body></html>\n", output::PAGE, tree.html())
            }
            Justification::Parts(parts) => output::page(
                title,
                &[output::Section { parts: parts.into(), ..Default::default() }],
                &[],
                rest,
                text_of,
            ),
        };
        Explanation { text, json, causes, lists, html: Some(html), ..Explanation::of(Verdict::Solved) }
    }
}

fn gave_up(atom: Symbol, reason: StopReason) -> Explanation {
    let json = json!({ "schema": 1, "atom": to_text(atom), "holds": null, "verdict": "gave-up" });
    let verdict = Verdict::GaveUp(reason);
    Explanation { text: format!("{}\n", verdict.gave_up_words()), json, ..Explanation::of(verdict) }
}

/// "this fact", "2 facts and a constraint".
fn count_by_kind(parts: &[Part]) -> String {
    let of_kind = |kind: PartKind| parts.iter().filter(|part| part.kind == kind).count();
    let counts = [PartKind::Fact, PartKind::Constraint, PartKind::Rule].map(|kind| (of_kind(kind), kind.name()));
    if let [only] = parts {
        return format!("this {}", only.kind.name());
    }
    let counts = counts.iter().filter(|(number, _)| *number > 0);
    counts.map(|(number, name)| count(*number, name, &format!("{name}s"))).collect::<Vec<_>>().join(" and ")
}

/// Rejects an atom whose predicate does not occur in the program, and suggests the nearest one.
fn check_predicate(relaxed: &mut RelaxedProgram, atom: Symbol) -> Result<(), Failure> {
    let Some(predicate) = predicate_of(atom) else { return Ok(()) };
    let mut predicates: BTreeSet<Signature> =
        relaxed.known_atoms()?.into_iter().filter_map(|(atom, ..)| predicate_of(atom)).collect();
    for statement in relaxed.statements() {
        let heads = statement.heads().into_iter().map(|(head, _)| head);
        let atoms = heads.chain(&statement.body).filter_map(Literal::atom);
        predicates.extend(atoms.flat_map(Term::signatures));
    }
    predicates.retain(|predicate| !predicate.name.starts_with(ADDED_PREFIX));
    if predicates.contains(&predicate) {
        return Ok(());
    }
    let name = predicate.signed();
    let distance = |other: &&Signature| {
        (strsim::damerau_levenshtein(&other.signed(), &name), other.arity.abs_diff(predicate.arity))
    };
    let nearest = predicates.iter().min_by_key(distance).filter(|other| distance(other).0 <= 2.min(name.len() / 2));
    let error = Diagnostic::error(
        Code::UnknownName,
        format!("the program has no predicate {predicate}, as in {}", to_text(atom)),
    );
    Err(match nearest {
        Some(nearest) => error.help(format!("did you mean {nearest}?")),
        None => error,
    }
    .into())
}
