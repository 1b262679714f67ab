//! The result of a query: the conclusions with their reasons, as data.

use std::fmt;

use asp::{Symbol, to_text_truncated};
use base::diagnostic::Diagnostic;
use base::document::Document;
use base::ending::Verdict;
use picture::Picture;
use serde_json::{Map, Value};

use super::atom::{AtomFinding, AtomReport};
use super::contradiction::CauseReport;
use super::exclusion::ExclusionReport;
use super::hint::{DescribedStep, StepReport};
use super::part::Part;
use super::rating::RatingReport;
use super::techniques::Technique;

/// An explanation: what was found, which can be rendered as text, JSON and HTML.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// `Solved` if a step or cause was found; `Impossible` if it is proven that none exists, for
    /// instance because the board has a solution.
    pub verdict: Verdict,
    pub warnings: Vec<Diagnostic>,
    pub(super) findings: Findings,
    /// The documents that contain the places of parts.
    pub(super) sources: Vec<Document>,
}

/// What was found, by the kind of the query.
#[derive(Debug, Clone)]
pub enum Findings {
    NoAnswer(CauseReport),
    Atom(AtomReport),
    Steps(Box<StepReport>),
    Rating(RatingReport),
    Exclusion(ExclusionReport),
    Native(NativeReport),
}

/// An explanation by the engine of a puzzle.
#[derive(Debug, Clone)]
pub struct NativeReport {
    /// See [`Explanation::verdict`].
    pub verdict: Verdict,
    /// The sentences of the puzzle, in the style of the query.
    pub text: String,
    pub finding: NativeFinding,
    /// The page for `--format html`, and the picture for `--format svg`.
    pub page: Option<NativePage>,
}

/// The result of a puzzle's engine.
#[derive(Debug, Clone)]
pub enum NativeFinding {
    /// The verdict about a board and, if there is no answer, the cause.
    Verdict { of_board: Verdict, cause: Option<Vec<Part>>, is_smallest: bool },
    /// Moves of a game, the name of what follows them in JSON, and the number of frames that each
    /// move adds to the picture, 0 if the picture does not play them.
    Moves { steps: Vec<Step>, end: &'static str, frames_per_step: usize },
    /// The next deduction, or all, the name of what follows them in JSON, and further keys of the
    /// JSON object.
    Deductions { steps: Vec<Step>, has_all: bool, end: &'static str, details: Map<String, Value> },
    /// An atom that holds `always`, `never` or `sometimes`, unless the engine gave up, and
    /// further keys of the JSON object.
    Atom { atom: String, holds: Option<&'static str>, because: Vec<Part>, details: Map<String, Value> },
    /// Another subject: its JSON object, and [`Explanation::causes`].
    Other { json: Value, causes: Vec<Vec<Part>> },
}

/// A page that shows the text of a report below a picture.
#[derive(Debug, Clone)]
pub struct NativePage {
    pub title: String,
    /// The board, or an animation of the steps.
    pub picture: Option<Picture>,
}

impl From<NativeReport> for Explanation {
    fn from(report: NativeReport) -> Self {
        Explanation::new(Findings::Native(report), Vec::new())
    }
}

impl Explanation {
    pub(super) fn new(findings: Findings, sources: Vec<Document>) -> Self {
        let (verdict, warnings) = match &findings {
            Findings::NoAnswer(report) => (report.verdict(), report.messages.clone()),
            Findings::Atom(report) => (report.verdict(), Vec::new()),
            Findings::Steps(report) => (report.verdict(), Vec::new()),
            Findings::Rating(report) => (report.verdict(), Vec::new()),
            Findings::Exclusion(report) => (report.verdict(), Vec::new()),
            Findings::Native(report) => (report.verdict, Vec::new()),
        };
        Explanation { verdict, warnings, findings, sources }
    }

    /// Returns the causes that were found. The parts of a cause together exclude every answer. If
    /// the question is about an atom, they exclude every answer in which the atom has the opposite
    /// truth value; if it is about a move or a trip, they explain why it fails.
    pub fn causes(&self) -> Vec<&[Part]> {
        match &self.findings {
            Findings::NoAnswer(report) => report.causes.iter().map(|cause| &*cause.parts).collect(),
            Findings::Atom(report) => match &report.finding {
                AtomFinding::Entailed { parts, .. } | AtomFinding::Underivable(parts) => vec![parts],
                _ => Vec::new(),
            },
            Findings::Steps(_) | Findings::Rating(_) | Findings::Exclusion(_) => Vec::new(),
            Findings::Native(native) => match &native.finding {
                NativeFinding::Verdict { cause, .. } => cause.iter().map(Vec::as_slice).collect(),
                NativeFinding::Atom { because, .. } => {
                    Some(&because[..]).filter(|parts| !parts.is_empty()).into_iter().collect()
                }
                NativeFinding::Moves { .. } | NativeFinding::Deductions { .. } => Vec::new(),
                NativeFinding::Other { causes, .. } => causes.iter().map(Vec::as_slice).collect(),
            },
        }
    }

    /// Returns true if it is proven that no cause has fewer parts than the first.
    pub fn is_smallest(&self) -> bool {
        match &self.findings {
            Findings::NoAnswer(report) => !report.is_fix && report.is_least(),
            Findings::Atom(report) => matches!(report.finding, AtomFinding::Entailed { is_least: true, .. }),
            Findings::Steps(_) | Findings::Rating(_) | Findings::Exclusion(_) => false,
            Findings::Native(native) => matches!(native.finding, NativeFinding::Verdict { is_smallest: true, .. }),
        }
    }

    /// Returns the number of answers without each part, if these were counted.
    pub fn exclusion(&self) -> Option<&ExclusionReport> {
        match &self.findings {
            Findings::Exclusion(report) => Some(report),
            _ => None,
        }
    }

    /// Returns the next step of a solution, or all steps; none unless hints were requested.
    pub fn steps(&self) -> Vec<Step> {
        match &self.findings {
            Findings::Steps(report) => report.steps.iter().map(Step::of).collect(),
            Findings::Native(native) => match &native.finding {
                NativeFinding::Moves { steps, .. } | NativeFinding::Deductions { steps, .. } => steps.clone(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

/// A step of a solution: conclusions that follow from the board and the previous steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// The conclusions. If a solution is a sequence of moves, the only one is the name of the next
    /// move.
    pub conclusions: Vec<AtomConclusion>,
    /// The step and its reason as sentences.
    pub words: String,
    /// The parts of the rules and the board from which the conclusions follow; empty for a move.
    pub because: Vec<Part>,
    /// The solving technique, if the puzzle names techniques.
    pub technique: Option<Technique>,
    /// The stage of the engine that found the conclusions, if its stages have names.
    pub found_by: Option<&'static str>,
}

/// An atom and its truth value, displayed as `number(1,4,4)` or `not number(1,4,4)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomConclusion {
    /// The atom in clingo's syntax.
    pub atom: String,
    pub holds: bool,
}

impl Step {
    fn of(step: &DescribedStep) -> Step {
        let literal = |&(atom, holds): &(Symbol, bool)| AtomConclusion { atom: to_text_truncated(atom), holds };
        Step {
            conclusions: step.conclusions.iter().map(literal).collect(),
            words: format!("{} {}", step.conclusion(usize::MAX), step.reason(usize::MAX)),
            because: step.reasons.clone(),
            technique: step.technique.clone(),
            found_by: None,
        }
    }
}

impl fmt::Display for AtomConclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.holds { "" } else { "not " }, self.atom)
    }
}
