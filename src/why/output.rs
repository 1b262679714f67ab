//! Renders causes as text, JSON and HTML: each part as an underlined source line with an
//! explanation.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use annotate_snippets::{Group, Level, Renderer};
use serde_json::{Value, json};

use super::atom::MAX_TREE_LINES;
use super::cause::{EnumerationEnd, SubsetResult};
use super::derivation::DerivationTree;
use super::phrase::capitalized;
use super::{Blame, ExplainInput, ExplainQuery, Explanation, Part, PartKind, ReasonList};
use crate::diagnostic::{Diagnostic, Place};
use crate::ending::Verdict;
use crate::job::Job;
use crate::picture::escaped;
use crate::report::Format;
use crate::sorting;
use crate::underlined::excerpts;
use crate::words::{count, thousands};

/// The HTML head of a page and the beginning of its body.
pub const PAGE: &str = include_str!("page.html");

/// Maximum number of instances per source line that are listed in full.
pub const MAX_INSTANCES: usize = 4;
/// Maximum number of causes in text and HTML; JSON has all.
const MAX_CAUSES: usize = 200;
/// Maximum number of violated constraints that are listed individually.
const MAX_VIOLATED: usize = 12;

/// The result of a search for causes or for a correction.
#[derive(Debug, Default)]
pub struct CauseReport {
    /// The messages of the grounder.
    pub messages: Vec<Diagnostic>,
    /// Notes about predicates that are used but not defined: users should check these first.
    pub suspects: Vec<String>,
    /// The blamed parts, if they were specified.
    pub blamed: Vec<Blame>,
    /// The result of the search for the first cause or for the correction.
    pub found: SubsetResult,
    pub causes: Vec<Cause>,
    /// The end of the enumeration of causes, if there was one.
    pub ended: Option<EnumerationEnd>,
    /// The correction and its cost.
    pub fix: Vec<Part>,
    pub cost: u64,
    /// Derivations of the atoms that comments select, if there is an answer.
    pub trees: Vec<DerivationTree>,
}

/// Parts that contradict each other.
#[derive(Debug)]
pub struct Cause {
    pub parts: Vec<Part>,
    /// The constraints that the parts violate together; empty if constraints are blamed themselves.
    pub violated: Vec<Part>,
    /// A sentence about an atom that would hold together with its classical negation.
    pub clash: Option<String>,
}

impl CauseReport {
    fn is_least(&self) -> bool {
        matches!(self.found, SubsetResult::Parts { is_least: true, .. })
    }

    /// Returns true if `causes` is exhaustive.
    fn is_complete(&self) -> bool {
        self.ended == Some(EnumerationEnd::Complete)
    }

    fn verdict(&self) -> Verdict {
        match (&self.found, self.ended) {
            (&SubsetResult::GaveUp(reason), _) | (_, Some(EnumerationEnd::GaveUp(reason))) => Verdict::GaveUp(reason),
            (SubsetResult::Parts { .. }, _) => Verdict::Solved,
            _ if !self.trees.is_empty() => Verdict::Solved,
            (SubsetResult::Satisfiable | SubsetResult::NotTheCause, _) => Verdict::Impossible,
        }
    }

    fn json(&self, is_fix: bool) -> Value {
        let list = |parts: &[Part]| parts.iter().map(Part::json).collect::<Value>();
        let verdict = match self.found {
            SubsetResult::Parts { .. } => "unsatisfiable",
            SubsetResult::Satisfiable => "satisfiable",
            SubsetResult::NotTheCause => "not-the-cause",
            SubsetResult::GaveUp(_) => "gave-up",
        };
        let mut object = json!({ "schema": 1, "verdict": verdict });
        if is_fix {
            object["cheapest"] = json!(self.is_least());
            object["cost"] = json!(self.cost);
            object["fix"] = list(&self.fix);
            return object;
        }
        object["smallest"] = json!(self.is_least());
        object["minimal"] = json!(matches!(self.found, SubsetResult::Parts { is_minimal: true, .. }));
        if self.ended.is_some() {
            object["complete"] = json!(self.is_complete());
        }
        if !self.trees.is_empty() {
            object["traces"] = self.trees.iter().map(DerivationTree::json).collect();
        }
        object["causes"] = self.causes.iter().map(|cause| list(&cause.parts)).collect();
        if !self.suspects.is_empty() {
            object["suspects"] = json!(self.suspects);
        }
        let clashes: Vec<&String> = self.causes.iter().filter_map(|cause| cause.clash.as_ref()).collect();
        if !clashes.is_empty() {
            object["clashes"] = json!(clashes);
        }
        if self.causes.iter().any(|cause| !cause.violated.is_empty()) {
            object["through"] = self.causes.iter().map(|cause| list(&cause.violated)).collect();
        }
        object
    }

    fn lists(&self) -> Vec<ReasonList> {
        let cause = |(number, cause): (usize, &Cause)| {
            let title = match self.causes.len() {
                1 => "Because of".to_owned(),
                _ => format!("Cause {}", number + 1),
            };
            [
                ReasonList::of(&title, &cause.parts),
                ReasonList::of("Constraints that would be violated", &cause.violated),
            ]
        };
        let causes = self.causes.iter().enumerate().flat_map(cause);
        let traces =
            ReasonList { title: "Derivation".to_owned(), lines: self.trees.iter().map(DerivationTree::line).collect() };
        causes.chain([ReasonList::of("Give up", &self.fix), traces]).filter(|list| !list.lines.is_empty()).collect()
    }

    /// Returns the text that precedes the parts.
    fn summary(&self, is_fix: bool) -> String {
        let whichever = |text: &str| match &self.blamed[..] {
            [] => format!("whichever facts, constraints and rules {text}"),
            [Blame::Facts] => format!("whichever facts {text}"),
            [Blame::Constraints] => format!("whichever constraints {text}"),
            [Blame::Rules] => format!("whichever rules {text}"),
            _ => format!("whichever of the parts that may be blamed {text}"),
        };
        match &self.found {
            SubsetResult::Satisfiable => {
                let shown = if self.trees.is_empty() { "" } else { " In the first:" };
                format!("There is an answer: nothing in the program contradicts itself.{shown}")
            }
            SubsetResult::NotTheCause => format!(
                "There is no answer, and there is none {}: the cause lies elsewhere (proven).",
                whichever("are left out")
            ),
            SubsetResult::GaveUp(reason) => format!("Gave up: {}.", reason.words()),
            SubsetResult::Parts { .. } if is_fix => {
                let cost = if self.cost == self.fix.len() as u64 {
                    String::new()
                } else {
                    format!(" at a cost of {}", thousands(self.cost))
                };
                let proof = match self.found {
                    SubsetResult::Parts { is_least: true, .. } => "no other change is cheaper (proven)",
                    SubsetResult::Parts { is_minimal: true, .. } => {
                        "all of it is needed, but another change may be cheaper"
                    }
                    _ => "some of it may not be needed, since time was up",
                };
                format!("There is an answer without {}{cost}: {proof}.", these(&self.fix))
            }
            SubsetResult::Parts { parts, is_least, is_minimal } => {
                let proof = match (is_least, is_minimal, parts.len()) {
                    (_, _, 1) => " alone rules out every answer.",
                    (true, ..) => " together rule out every answer; no smaller set does (proven).",
                    (_, true, _) => {
                        " together rule out every answer. Each of them is needed, but a smaller set may exist."
                    }
                    _ => " together rule out every answer. Some of them may not be needed, since time was up.",
                };
                capitalized(&these(&self.causes[0].parts)) + proof
            }
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

/// Returns the text of the document that contains `place`. The user's documents take precedence
/// over generated ones.
pub fn text_of<'a>(place: &Place, source: &'a ExplainInput, job: &'a Job) -> Option<Cow<'a, str>> {
    let mut documents = job.documents.iter().chain(source.program.documents()).chain(&job.included);
    documents.find(|document| document.name == place.file).map(|document| Cow::from(&*document.text))
}

/// Renders a report in the requested formats.
pub fn render(report: &CauseReport, source: &ExplainInput, question: &ExplainQuery, job: &Job) -> Explanation {
    let text_of = |place: &Place| text_of(place, source, job);
    let mut sections: Vec<Section<'_>> = Vec::new();
    let summary = report.summary(question.fix);
    if question.fix {
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
    let more = report.causes.len().saturating_sub(MAX_CAUSES);
    let last = match (report.ended, report.causes.len()) {
        _ if more > 0 => format!("{} more were found (-f json has all).", thousands(more)),
        (Some(EnumerationEnd::Complete), 1) => "There is no other cause.".to_owned(),
        (Some(EnumerationEnd::Complete), number) => format!("These are all {}.", count(number, "cause", "causes")),
        (Some(_), _) => "There may be other causes.".to_owned(),
        (None, _) => String::new(),
    };
    let mut text = question.style.paint(anstyle::Style::new().bold(), &summary) + "\n";
    let suspects = report.suspects.iter().filter(|_| !report.causes.is_empty());
    let suspects: String = suspects.map(|suspect| format!("Look at this first: {suspect}.\n")).collect();
    if !question.style.quiet {
        text += &suspects;
        let lines = if question.style.verbose { usize::MAX } else { MAX_TREE_LINES };
        report.trees.iter().for_each(|tree| text += &format!("\n{}", tree.text(lines, &question.style)));
        for section in &sections {
            if !section.heading.is_empty() {
                let _ = write!(text, "\n{}\n", section.heading);
            }
            text += &underlined(&section.parts, text_of, question.style.color);
            let (title, lines) = section.describe_violated();
            if !title.is_empty() {
                let _ = writeln!(text, "{}", [vec![title], lines].concat().join("\n  "));
            }
        }
        if !last.is_empty() {
            let _ = write!(text, "\n{last}\n");
        }
    }
    Explanation {
        text,
        json: report.json(question.fix),
        causes: report.causes.iter().map(|cause| cause.parts.clone()).collect(),
        is_smallest: !question.fix && report.is_least(),
        lists: report.lists(),
        html: (question.format == Format::Html)
            .then(|| page(&format!("{summary}\n{suspects}"), &sections, &report.trees, &last, text_of)),
        warnings: report.messages.clone(),
        ..Explanation::of(report.verdict())
    }
}

/// Returns the places of the parts with labels. A place with several labels is repeated for each; a
/// place without a label has an empty one.
fn labelled(parts: &[Part]) -> Vec<Place> {
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

/// Returns a line for each part without a place in a document that `is_known`.
fn elsewhere(parts: &[Part], is_known: impl Fn(&Place) -> bool) -> impl Iterator<Item = String> {
    parts.iter().filter_map(move |part| match &part.place {
        Some(place) if is_known(place) => None,
        Some(place) => Some(format!("{}:{}: {}", place.file, place.start.line, part.text)),
        None => Some(part.text.clone()),
    })
}

/// Renders parts as underlined source lines.
pub fn underlined<'t>(parts: &[Part], text_of: impl Fn(&Place) -> Option<Cow<'t, str>>, color: bool) -> String {
    let mut text = String::new();
    let mut places = labelled(parts);
    places.retain(|place| text_of(place).is_some());
    let excerpts = excerpts(&places, &text_of);
    if !excerpts.is_empty() {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let elements = excerpts.iter().map(|excerpt| excerpt.element(|_| true));
        text = renderer.render(&[Group::with_level(Level::NOTE).elements(elements)]) + "\n";
    }
    for line in elsewhere(parts, |place| text_of(place).is_some()) {
        let _ = writeln!(text, "  {line}");
    }
    text
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
    fn describe_violated(&self) -> (String, Vec<String>) {
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

/// Renders a page without scripts: source lines with the blamed parts marked.
pub fn page<'t>(
    summary: &str,
    sections: &[Section<'_>],
    trees: &[DerivationTree],
    last: &str,
    text_of: impl Fn(&Place) -> Option<Cow<'t, str>>,
) -> String {
    let mut html = String::from(PAGE);
    let (title, rest) = summary.split_once('\n').unwrap_or((summary, ""));
    let _ = writeln!(html, "<h1>{}</h1>", escaped(title));
    html.extend(rest.lines().map(|line| format!("<p>{}</p>\n", escaped(line))));
    for section in sections {
        if !section.heading.is_empty() {
            let _ = writeln!(html, "<h2>{}</h2>", escaped(&section.heading));
        }
        let mut places = labelled(&section.parts);
        places.retain(|place| text_of(place).is_some());
        for window in excerpts(&places, &text_of) {
            let _ = write!(html, "<figure><figcaption>{}</figcaption><pre>", escaped(&window.places[0].file));
            let mut marked: Vec<(std::ops::Range<usize>, &Place)> =
                window.places.iter().map(|place| (window.range_of(place), *place)).collect();
            sorting::sort_by_key(&mut marked, |(range, _)| range.start);
            let mut at = 0;
            for (range, place) in marked.into_iter().filter(|(range, _)| !range.is_empty()) {
                if range.start < at {
                    continue;
                }
                let _ = write!(
                    html,
                    "{}<mark title=\"{}\">{}</mark>",
                    escaped(&window.text[at..range.start]),
                    escaped(&place.label),
                    escaped(&window.text[range.clone()])
                );
                at = range.end;
            }
            let _ = writeln!(html, "{}</pre></figure>\n<ul>", escaped(&window.text[at..]));
            for words in window.places.iter().flat_map(|place| place.label.lines()) {
                let _ = writeln!(html, "<li>{}</li>", escaped(words));
            }
            html += "</ul>\n";
        }
        for line in elsewhere(&section.parts, |place| text_of(place).is_some()) {
            let _ = writeln!(html, "<p><code>{}</code></p>", escaped(&line));
        }
        let (title, lines) = section.describe_violated();
        let items: String = lines.iter().map(|line| format!("<li>{}</li>\n", escaped(line))).collect();
        if !title.is_empty() {
            let _ = write!(html, "<p>{}</p>\n<ul>\n{items}</ul>\n", escaped(&title));
        }
    }
    html.extend(trees.iter().map(DerivationTree::html));
    let _ = writeln!(html, "<p>{}</p>\n</body></html>", escaped(last));
    html
}
