//! Sentences that text and HTML have in common.

use std::borrow::Cow;
use std::collections::HashMap;

use asp::{to_text, to_text_truncated};
use base::diagnostic::Place;
use base::document::Document;
use base::sorting;
use base::style::Style;
use base::words::{capitalized, count, thousands};
use count::Count;

use crate::atom::{AnswerPair, AtomFinding, AtomReport};
use crate::cause::{EnumerationEnd, SubsetResult};
use crate::contradiction::{CauseReport, MAX_INSTANCES};
use crate::derivation::{DerivationTree, TreeChildren};
use crate::exclusion::ExclusionReport;
use crate::part::{Blame, Part, PartKind};
use crate::phrase::enumerated;

/// Maximum number of lines of a tree, and of atoms of an answer, in text output.
pub const MAX_TREE_LINES: usize = 40;
/// Maximum number of causes in text and HTML; JSON has all.
const MAX_CAUSES: usize = 200;
/// Maximum number of violated constraints that are listed individually.
const MAX_VIOLATED: usize = 12;

/// The documents that contain the places of parts.
#[derive(Clone, Copy)]
pub struct Sources<'a>(pub &'a [Document]);

impl<'a> Sources<'a> {
    /// Returns the text of the first document that contains `place`.
    pub fn text_of(self, place: &Place) -> Option<Cow<'a, str>> {
        self.0.iter().find(|document| document.name == place.file).map(|document| Cow::from(&*document.text))
    }
}

/// Describes the result in a sentence.
pub fn summary(report: &CauseReport) -> String {
    let whichever = |text: &str| match &report.blamed[..] {
        [] => format!("whichever facts, constraints and rules {text}"),
        [Blame::Facts] => format!("whichever facts {text}"),
        [Blame::Constraints] => format!("whichever constraints {text}"),
        [Blame::Rules] => format!("whichever rules {text}"),
        _ => format!("whichever of the parts that may be blamed {text}"),
    };
    match &report.found {
        SubsetResult::Satisfiable if report.is_of_board => {
            let shown = if report.trees.is_empty() { "" } else { " In the first:" };
            format!(
                "This board has a solution, so there is nothing to explain. The option --unique tells whether it is \
                 the only one, and the command hint shows the next step.{shown}"
            )
        }
        SubsetResult::Satisfiable => {
            let shown = if report.trees.is_empty() { "" } else { " In the first:" };
            format!("There is an answer: nothing in the program contradicts itself.{shown}")
        }
        SubsetResult::NotTheCause => format!(
            "There is no answer, and there is none {}: the cause lies elsewhere (proven).",
            whichever("are left out")
        ),
        SubsetResult::GaveUp(reason) => format!("Gave up: {}.", reason.words()),
        SubsetResult::Parts { .. } if report.is_fix => {
            let cost = if report.cost == report.fix.len() as u64 {
                String::new()
            } else {
                format!(" at a cost of {}", thousands(report.cost))
            };
            let proof = match report.found {
                SubsetResult::Parts { is_least: true, .. } => "no other change is cheaper (proven)",
                SubsetResult::Parts { is_minimal: true, .. } => {
                    "all of it is needed, but another change may be cheaper"
                }
                _ => "some of it may not be needed, since time was up",
            };
            format!("There is an answer without {}{cost}: {proof}.", these(&report.fix))
        }
        SubsetResult::Parts { parts, is_least, is_minimal } => {
            let proof = match (is_least, is_minimal, parts.len()) {
                (_, _, 1) => " alone rules out every answer.",
                (true, ..) => " together rule out every answer; no smaller set does (proven).",
                (_, true, _) => " together rule out every answer. Each of them is needed, but a smaller set may exist.",
                _ => " together rule out every answer. Some of them may not be needed, since time was up.",
            };
            capitalized(&these(&report.causes[0].parts)) + proof
        }
    }
}

/// Returns "this fact", or "these 10 facts".
fn these(parts: &[Part]) -> String {
    let kind = parts.first().map(|part| part.kind).filter(|&kind| parts.iter().all(|part| part.kind == kind));
    let (singular, plural) = match kind {
        Some(PartKind::Fact) => ("fact", "facts"),
        Some(PartKind::Constraint) => ("constraint", "constraints"),
        Some(PartKind::Rule) => ("rule", "rules"),
        None => ("part of the program", "parts of the program"),
    };
    if parts.len() == 1 {
        format!("this {singular}")
    } else {
        format!("these {}", count(parts.len(), singular, plural))
    }
}

/// Returns advice about predicates that are used but not defined, as lines.
pub fn suspects(report: &CauseReport) -> String {
    let suspects = report.suspects.iter().filter(|_| !report.causes.is_empty());
    suspects.map(|suspect| format!("Look at this first: {suspect}.\n")).collect()
}

/// Returns the correction and the causes.
pub fn sections(report: &CauseReport) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    if report.is_fix {
        sections.push(Section { parts: Cow::from(&report.fix), ..Section::default() });
    }
    let mut occurrences: HashMap<(&str, &str), usize> = HashMap::new();
    for part in report.causes.iter().flat_map(|cause| &cause.parts) {
        *occurrences.entry((&part.text, &part.words)).or_default() += 1;
    }
    for (number, cause) in report.causes.iter().enumerate().take(MAX_CAUSES) {
        let heading = if number == 0 { String::new() } else { format!("Another cause: {}.", these(&cause.parts)) };
        // Parts that distinguish a cause from the others must not be among those that are omitted.
        let mut parts = cause.parts.clone();
        sorting::sort_by_key(&mut parts, |part| occurrences[&(&*part.text, &*part.words)] >= report.causes.len());
        let clash = cause.clash.as_deref().unwrap_or_default();
        sections.push(Section { heading, parts: parts.into(), violated: &cause.violated, clash });
    }
    sections
}

/// Describes whether there are other causes; empty if only one was searched.
pub fn other_causes(report: &CauseReport) -> String {
    let more = report.causes.len().saturating_sub(MAX_CAUSES);
    match (report.ended, report.causes.len()) {
        _ if more > 0 => format!("{} more were found (-f json has all).", thousands(more)),
        (Some(EnumerationEnd::Complete), 1) => "There is no other cause.".to_owned(),
        (Some(EnumerationEnd::Complete), number) => format!("These are all {}.", count(number, "cause", "causes")),
        (Some(_), _) => "There may be other causes.".to_owned(),
        (None, _) => String::new(),
    }
}

/// Returns the places of the parts with labels. A place with several labels is repeated for each; a
/// place without a label has an empty one.
pub fn labelled(parts: &[Part]) -> Vec<Place> {
    let mut places: Vec<(&Place, Vec<&str>)> = Vec::new();
    for part in parts {
        let Some(place) = &part.place else { continue };
        let at = places.iter().position(|&(other, _)| other == place).unwrap_or_else(|| {
            places.push((place, Vec::new()));
            places.len() - 1
        });
        // A label is redundant if the sign of a clue is underlined, or if the source spells out the
        // part.
        let text = part.text.trim_end_matches('.');
        let is_written_out = match place.start.line == place.end.line {
            true => place.end.column <= place.start.column + text.len() + 1,
            // A line may contain many facts, as in a saved game.
            false => part.kind != PartKind::Fact,
        };
        // "8 in row 1, column 6", with the 8 underlined.
        let sign = text.get(place.end.column.saturating_sub(place.start.column)..);
        let is_sign = part.kind == PartKind::Fact && sign.is_some_and(|rest| rest.starts_with(" in row"));
        let is_redundant = is_sign || &*part.words == text && is_written_out;
        if !is_redundant && !places[at].1.contains(&&*part.words) {
            places[at].1.push(&part.words);
        }
    }
    let labelled = places.into_iter().flat_map(|(place, mut words)| {
        let left_out = words.len().saturating_sub(MAX_INSTANCES);
        let more = format!("… and {left_out} more");
        if left_out > 1 {
            words.truncate(MAX_INSTANCES);
            words.push(&more);
        }
        if words.is_empty() {
            words.push("");
        }
        let label = |words: &str| Place { label: words.to_owned(), ..place.clone() };
        words.into_iter().map(label).collect::<Vec<Place>>()
    });
    labelled.collect()
}

/// Returns a line for each part without a place in one of the sources.
pub fn elsewhere(parts: &[Part], sources: Sources<'_>) -> impl Iterator<Item = String> {
    parts.iter().filter_map(move |part| match &part.place {
        Some(place) if sources.text_of(place).is_some() => None,
        Some(place) => Some(format!("{}:{}: {}", place.file, place.start.line, part.text)),
        None => Some(part.text.clone()),
    })
}

/// Parts under a common heading.
#[derive(Debug, Default)]
pub struct Section<'a> {
    pub heading: String,
    pub parts: Cow<'a, [Part]>,
    pub violated: &'a [Part],
    pub clash: &'a str,
}

impl Section<'_> {
    /// Returns a title and a line for each constraint that the facts of a cause violate. If there
    /// are many, one line describes the first instance of a constraint and counts the others.
    pub fn describe_violated(&self) -> (String, Vec<String>) {
        let violated = self.violated;
        if violated.is_empty() {
            return (self.clash.to_owned(), Vec::new());
        }
        let is_fact = |part: &Part| part.kind == PartKind::Fact;
        let with = match (self.parts.iter().all(is_fact), self.parts.len()) {
            (true, 1) => "With this fact",
            (true, 2..) => "With these facts",
            _ => "Then",
        };
        let title = match violated.len() {
            1 => format!("{with}, this constraint is violated in every case:"),
            number => format!("{with}, at least one of these {number} constraints is violated in every case:"),
        };
        let mut lines: Vec<String> = violated.iter().map(|part| part.words.to_string()).collect();
        if lines.len() > MAX_VIOLATED {
            let mut kinds: Vec<(&Part, usize)> = Vec::new();
            for part in violated {
                match kinds.iter_mut().find(|(first, _)| first.text == part.text) {
                    Some((_, more)) => *more += 1,
                    None => kinds.push((part, 0)),
                }
            }
            let describe = |(part, more): (&Part, usize)| match more {
                0 => part.words.to_string(),
                _ => format!("{}, and {more} more of this kind", part.words),
            };
            lines = kinds.into_iter().map(describe).collect();
        }
        (title, lines)
    }
}

/// Returns why an atom holds or not: a sentence, and further lines.
pub fn atom_summary(AtomReport { atom, finding }: &AtomReport, style: &Style) -> (String, String) {
    let atom = to_text(*atom);
    let summary = match finding {
        AtomFinding::GaveUp(reason) => format!("Gave up: {}.", reason.words()),
        AtomFinding::NoAnswer => {
            "There is no answer at all, with the atom or without; ask why without an atom.".to_owned()
        }
        AtomFinding::Derived(_) => format!("{atom} holds in every answer: it follows from the facts."),
        AtomFinding::Entailed { holds, parts, is_least, is_minimal } => {
            let when = if *holds { "holds in every answer" } else { "holds in no answer" };
            let counts = count_by_kind(parts);
            let why = match (parts.len(), is_least) {
                (0, _) => "whichever of the blamed parts are left out".to_owned(),
                (1, _) => format!("because of {counts}"),
                (_, true) => format!("because of {counts} together: no fewer suffice (proven)"),
                _ if *is_minimal => {
                    format!("because of {counts} together: all are needed, but a smaller set may exist")
                }
                _ => format!("because of {counts} together: some may not be needed, since time ran out"),
            };
            format!("{atom} {when}, {why}.")
        }
        AtomFinding::Underivable(rules) => {
            let rule = match rules.len() {
                0 => "it is not a fact, and no rule derives it",
                1 => "it is not a fact, and this rule cannot derive it",
                _ => "it is not a fact, and these rules cannot derive it",
            };
            format!("{atom} holds in no answer: {rule}.")
        }
        AtomFinding::Undecided(pair) => {
            return (format!("{atom} holds in some answers, and not in others."), describe_pair(&atom, pair, style));
        }
    };
    (summary, String::new())
}

/// Describes the number of answers with all parts, and introduces those without each part.
pub fn exclusion_summary(report: &ExclusionReport) -> String {
    let [one, many] = if report.is_of_board { ["solution", "solutions"] } else { ["answer", "answers"] };
    let number = match report.count.exact() {
        Some(number) => count(number, one, many),
        None => format!("{} {many}", capitalized(&count_words(&report.count))),
    };
    let parts: Vec<Part> = report.parts.iter().map(|excluded| excluded.part.clone()).collect();
    let are_clues = report.is_of_board && parts.iter().all(|part| part.kind == PartKind::Fact);
    match parts.len() {
        0 => format!("{number}. There is nothing to leave out."),
        1 if are_clues => format!("{number}; without this clue:"),
        1 => format!("{number}; without {}:", these(&parts)),
        clues if are_clues => format!("{number}; without one of these {clues} clues:"),
        _ => format!("{number}; without one of {}:", these(&parts)),
    }
}

/// Returns an exact number of answers, or its bounds.
pub fn count_words(count: &Count) -> String {
    match count.exact() {
        Some(number) => thousands(number),
        None => format!("at least {}", thousands(&count.at_least)),
    }
}

/// Describes a part that is left out: a fact by its words, and a constraint or rule by its place and
/// source text, because the words of a constraint contain the values of one instance.
pub fn described(part: &Part) -> String {
    match (&part.place, part.kind) {
        (_, PartKind::Fact) => part.words.to_string(),
        (Some(place), _) => format!("{}:{}  {}", place.file, place.start.line, part.text),
        (None, _) => part.text.clone(),
    }
}

/// Describes two answers, and introduces the derivation of `atom` in the first.
fn describe_pair(atom: &str, pair: &AnswerPair, style: &Style) -> String {
    let truncated = |answer: &[asp::Symbol]| {
        let mut atoms: Vec<String> = answer.iter().map(|&atom| to_text_truncated(atom)).collect();
        let more = atoms.len().saturating_sub(if style.verbose { usize::MAX } else { MAX_TREE_LINES });
        atoms.truncate(atoms.len() - more);
        atoms.extend((more > 0).then(|| format!("… and {more} more (-v shows them)")));
        atoms.join(" ")
    };
    let nearest_note = if pair.is_least { "; no answer without it is closer to the first (proven)" } else { "" };
    let differences = match pair.words.len() {
        0 => "They differ in nothing else.".to_owned(),
        number => {
            let atoms = count(number, "more atom", "more atoms");
            format!("The second differs in {atoms}{nearest_note}: {}.", enumerated(&pair.words, " and "))
        }
    };
    format!(
        "With it:    {}\nWithout it: {}\n{differences}\n\nIn the first answer, {atom} holds because:",
        truncated(&pair.with),
        truncated(&pair.without)
    )
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

/// Returns the text and the place of the rule that derives the atom of a tree, or a note in
/// parentheses.
pub fn tree_reason(tree: &DerivationTree) -> String {
    match (&tree.part, &tree.children) {
        (_, TreeChildren::Elsewhere) => "(explained elsewhere)".to_owned(),
        (_, TreeChildren::Given) => "(in every answer)".to_owned(),
        (Some(part), _) => {
            let place = part.place.as_ref().map(|place| format!("{}:{}", place.file, place.start.line));
            let rule = match part.kind {
                PartKind::Fact => String::new(),
                _ if tree.has_words => format!("{}  ", part.words),
                _ => format!("{}  ", part.text),
            };
            rule + &place.unwrap_or_default() + &derivation_number(tree)
        }
        (None, _) => "(from outside)".to_owned(),
    }
}

/// "(1 of 2)" if the atom has several derivations, else nothing. If not all are shown, the first one
/// says how to see them.
fn derivation_number(tree: &DerivationTree) -> String {
    match tree.number {
        (_, 1) => String::new(),
        (1, total) if tree.others.len() + 1 < total => format!("  (1 of {total}: -n 0 shows all)"),
        (number, total) => format!("  ({number} of {total})"),
    }
}
