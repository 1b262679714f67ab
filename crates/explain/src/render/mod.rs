//! Renders explanations as text, JSON, HTML, pictures and lists.

mod candidates;
mod html;
mod json;
mod sentences;
mod text;

use asp::to_text_truncated;
use base::diagnostic::Failure;
use base::style::Style;
use sentences::{Sources, count_words, described, exclusion_summary};
use serde_json::Value;

use super::atom::AtomFinding;
use super::contradiction::Cause;
use super::derivation::DerivationTree;
use super::exclusion::ExcludedPart;
use super::explanation::{Explanation, Findings, NativeFinding};
use super::lists::{ReasonLine, ReasonList};

impl Explanation {
    fn places(&self) -> Sources<'_> {
        Sources(&self.sources)
    }

    /// The command's text output, without colours.
    pub fn text(&self) -> String {
        self.styled_text(&Style::default())
    }

    /// Renders the text that the command prints. The text of a puzzle's own explanation is in the
    /// style of the query.
    pub fn styled_text(&self, style: &Style) -> String {
        match &self.findings {
            Findings::NoAnswer(report) => text::causes(report, self.places(), style),
            Findings::Atom(report) => text::atom(report, self.places(), style),
            Findings::Steps(report) => text::steps(report, style),
            Findings::Rating(report) => text::rating(report),
            Findings::Exclusion(report) => text::exclusion(report, style),
            Findings::Native(native) => native.text.clone(),
        }
    }

    /// Renders the JSON that the command prints.
    pub fn json(&self) -> Value {
        match &self.findings {
            Findings::NoAnswer(report) => json::causes(report),
            Findings::Atom(report) => json::atom(report),
            Findings::Steps(report) => json::steps(report, &self.steps()),
            Findings::Rating(report) => json::rating(report),
            Findings::Exclusion(report) => json::exclusion(report),
            Findings::Native(report) => json::native(report),
        }
    }

    /// Renders a page, if there is one.
    ///
    /// # Errors
    /// The board cannot be drawn.
    pub fn html(&self, style: &Style) -> Result<Option<String>, Failure> {
        Ok(match &self.findings {
            Findings::NoAnswer(report) => Some(html::causes(report, self.places())),
            Findings::Atom(report) => html::atom(report, self.places(), style),
            Findings::Steps(report) => Some(html::steps(report, &text::steps(report, style))?),
            Findings::Rating(_) | Findings::Exclusion(_) => None,
            Findings::Native(report) => html::native(report),
        })
    }

    /// Renders a picture of the step, or an animation of all steps, if something is drawn.
    ///
    /// # Errors
    /// The board cannot be drawn.
    pub fn svg(&self) -> Result<Option<String>, Failure> {
        match &self.findings {
            Findings::Steps(report) => html::picture(report),
            Findings::Native(report) => Ok(html::native_picture(report)),
            _ => Ok(None),
        }
    }

    /// Returns the steps, causes or derivations as lists, for a page that shows them next to the
    /// program.
    pub fn lists(&self) -> Vec<ReasonList> {
        let of_tree = |title: &str, trees: &[DerivationTree]| ReasonList {
            title: title.to_owned(),
            lines: trees.iter().flat_map(DerivationTree::all).map(tree_line).collect(),
        };
        match &self.findings {
            Findings::NoAnswer(report) => {
                let cause = |(number, cause): (usize, &Cause)| {
                    let title = match report.causes.len() {
                        1 => "Because of".to_owned(),
                        _ => format!("Cause {}", number + 1),
                    };
                    let violated = ReasonList::of("Constraints that would be violated", &cause.violated);
                    [ReasonList::of(&title, &cause.parts), violated]
                };
                let causes = report.causes.iter().enumerate().flat_map(cause);
                let others = [ReasonList::of("Give up", &report.fix), of_tree("Derivation", &report.trees)];
                causes.chain(others).filter(|list| !list.lines.is_empty()).collect()
            }
            Findings::Atom(report) => match &report.finding {
                AtomFinding::GaveUp(_) | AtomFinding::NoAnswer => Vec::new(),
                AtomFinding::Derived(tree) => vec![of_tree("", std::slice::from_ref(tree))],
                AtomFinding::Undecided(pair) => vec![of_tree("", std::slice::from_ref(&pair.tree))],
                AtomFinding::Entailed { parts, .. } | AtomFinding::Underivable(parts) => {
                    vec![ReasonList::of("", parts)]
                }
            },
            Findings::Steps(report) => report.steps.iter().map(|step| ReasonList::of("", &step.reasons)).collect(),
            Findings::Rating(_) => Vec::new(),
            Findings::Exclusion(report) => {
                let line = |excluded: &ExcludedPart| {
                    let words = format!("{}: {}", count_words(&excluded.count), described(&excluded.part));
                    ReasonLine { words, ..ReasonLine::of(&excluded.part) }
                };
                let lines = report.parts.iter().map(line).collect();
                vec![ReasonList { title: exclusion_summary(report), lines }]
            }
            Findings::Native(report) => match &report.finding {
                NativeFinding::Verdict { cause, .. } => {
                    cause.iter().map(|parts| ReasonList::of("Because of", parts)).collect()
                }
                NativeFinding::Deductions { steps, .. } => {
                    steps.iter().map(|step| ReasonList::of("", &step.because)).collect()
                }
                _ => Vec::new(),
            },
        }
    }
}

/// Returns a line whose children are the lines of the needs.
fn tree_line(tree: &DerivationTree) -> ReasonLine {
    let line = tree.part.as_ref().map(ReasonLine::of).unwrap_or_default();
    let children = tree.needs().iter().flat_map(DerivationTree::all).map(tree_line).collect();
    ReasonLine { atom: Some(to_text_truncated(tree.atom)), children, ..line }
}
