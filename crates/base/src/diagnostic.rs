//! A message about an input: a stable code, a severity, a text, the places of the problem, advice,
//! and edits that fix it.
//!
//! Programs that read messages should compare codes, not texts. [`Code`] lists all codes.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::lines::LineIndex;
pub use crate::lines::Position;

/// The severity of a message.
///
/// `Info` is the level of clingo's own notices, such as "atom does not occur in any rule head".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// Declares [`Code`]: for each code its variant, its name and its documentation.
macro_rules! codes {
    ($($variant:ident $name:literal $meaning:literal,)*) => {
        /// The kind of a message. Its name is stable; the text of a message may change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $meaning] #[serde(rename = $name)] $variant,)*
        }

        impl Code {
            /// All codes, in the order of the documentation.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The name in JSON, in editors and in the documentation, for instance
            /// `missing-period`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$variant => $name,)*
                }
            }

            /// One sentence that explains the kind of message.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Code::$variant => $meaning,)*
                }
            }
        }
    };
}

codes! {
    // The command line, files and the system.
    Usage "usage" "The options or arguments do not fit together, or a value is out of range.",
    UnknownName "unknown-name" "There is no puzzle, engine, step, move, test or atom of this name.",
    Unsupported "unsupported" "The puzzle, the engine or the format cannot do what was asked.",
    UnreadableFile "unreadable-file" "A file or folder is missing or cannot be read.",
    UnwritableFile "unwritable-file" "The output or a file cannot be written.",
    InvalidJson "invalid-json" "A text is not JSON, or lacks a key or a value.",
    InvalidReport "invalid-report" "A report of `play`, a part of a split or the output of a batch cannot be continued or added up.",
    System "system" "The operating system refused a process, a thread, a port, memory or a display.",
    Stopped "stopped" "A limit or an interrupt ended the work before its result.",
    Defect "defect" "asp-solve found an error of its own; please report it.",
    RebuiltCache "rebuilt-cache" "A stored table was damaged and is built again.",

    // Instances.
    UnrecognisedInstance "unrecognised-instance" "No puzzle recognises the input.",
    AmbiguousInstance "ambiguous-instance" "Several puzzles recognise the input.",
    MissingInstance "missing-instance" "An encoding was given without an instance, or the instance lacks an input of the encoding.",
    InvalidInstance "invalid-instance" "The text of an instance is malformed, or states something that the puzzle does not allow.",
    InvalidLink "invalid-link" "The address or the game id of a board cannot be read or written.",
    IgnoredInput "ignored-input" "A part of the input has no effect.",
    OtherGoal "other-goal" "The board is much nearer to another usual goal than to the one that it is solved to.",
    NoSolution "no-solution" "The instance has no solution, so what was asked of its solution has no answer.",
    Unfulfilled "unfulfilled" "No instance with the requested properties was generated.",

    // Answers and claims.
    RejectedAnswer "rejected-answer" "The independent checker rejected an answer, so it is not printed.",
    UncheckedAnswer "unchecked-answer" "An answer or a claim could not be checked.",
    RejectedClaim "rejected-claim" "The independent checker refuted a claim about all answers.",
    InvalidCertificate "invalid-certificate" "A certificate is malformed or does not prove its claim.",
    OmittedAnswers "omitted-answers" "More answers exist than are shown, or some may be missing.",

    // Logic programs.
    SyntaxError "syntax-error" "clingo cannot parse the program.",
    MissingPeriod "missing-period" "A statement does not end with a period.",
    MissingToken "missing-token" "A comma, `:-` or a closing bracket is missing.",
    ForeignOperator "foreign-operator" "An operator or word of another language stands for one of clingo's.",
    UnknownDirective "unknown-directive" "clingo has no directive of this name.",
    CapitalPredicate "capital-predicate" "A predicate's name begins with a capital letter, as variables do.",
    UnsafeVariable "unsafe-variable" "A variable occurs in no positive literal of the body.",
    UndefinedAtom "undefined-atom" "No rule head has an atom that a body uses.",
    UndefinedOperation "undefined-operation" "A term has no value: an undefined constant, a division by zero or an unknown function.",
    Overflow "overflow" "Arithmetic leaves the range of 32 bits, or is never defined.",
    MissingInclude "missing-include" "An included file was not found or may not be read.",
    Theory "theory" "The program has theory atoms, which no theory interprets.",
    Clingo "clingo" "Another message of clingo.",
    Arrow "arrow" "`<-` compares with a negative number; `:-` was probably meant.",
    CommaHead "comma-head" "A comma in a head means `or`.",
    EmptyExtremum "empty-extremum" "The minimum or maximum of no element is compared.",
    FixedChoice "fixed-choice" "The body fixes the elements of a choice, so that its bounds leave no choice.",
    ForcedConflict "forced-conflict" "A constraint forbids atoms that rules derive in every answer.",
    HeadComparison "head-comparison" "A head compares two terms; `:-` was probably meant.",
    LowerCaseVariable "lower-case-variable" "A constant is used like a variable, and no atom has it.",
    MergedTuples "merged-tuples" "Elements of a sum have equal tuples, so they count once.",
    NearVariables "near-variables" "Two variables of a rule differ by a slip, and one occurs once.",
    OddLoop "odd-loop" "Atoms depend on each other through an odd number of negations.",
    PoolArity "pool-arity" "The alternatives of a pool have different numbers of arguments.",
    SelfNegation "self-negation" "A rule derives an atom from its own negation, and so acts as a constraint.",
    ShownCondition "shown-condition" "`#show` with a condition hides no atom.",
    ShownTerm "shown-term" "`#show p.` shows a term in every answer, and no atom.",
    UndefinedConstant "undefined-constant" "A comparison uses a constant that nothing defines.",
    UngroundedPart "ungrounded-part" "A part of the program is never grounded.",
    UnmatchedConstant "unmatched-constant" "A constant in a body matches no atom.",

    // Tools for encodings.
    NoAnswer "no-answer" "The program has no answer set; the labels are a smallest cause.",
    UnusedRule "unused-rule" "With the chosen board, a rule never fires or a constraint excludes nothing.",
    InvalidAnnotation "invalid-annotation" "A `%!trace` or `@test` comment is malformed or matches no statement.",
    FailedTest "failed-test" "A test of an encoding failed.",
    UndecidedTest "undecided-test" "A limit ended a test of an encoding.",
    SurvivingMutant "surviving-mutant" "No test fails when a statement is changed.",
    InvalidMutants "invalid-mutants" "The list of equivalent mutants does not fit the encoding.",
    InvalidDrawing "invalid-drawing" "Atoms that describe a drawing are malformed or contradict each other.",
    EmptyDrawing "empty-drawing" "There is nothing to draw, or a part of the drawing is left out.",
}

/// A range in a source; `end` is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub start: Position,
    pub end: Position,
    /// The text below the underlined range; may be empty.
    pub label: String,
}

/// A change that fixes the problem of a message. An editor applies all its edits together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// An imperative for a menu, for instance "Replace `<-` with `:-`".
    pub title: String,
    pub edits: Vec<Edit>,
}

/// Replaces the text of a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub place: Place,
    pub replacement: String,
}

/// A message about an input or a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    /// The first label is the place of the problem; the others help to understand it.
    pub labels: Vec<Place>,
    /// Advice to the user, or the expected input.
    pub help: Option<String>,
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Diagnostic { code, severity: Severity::Error, message, labels: Vec::new(), help: None, fixes: Vec::new() }
    }

    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    pub fn info(code: Code, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Info, ..Diagnostic::error(code, message) }
    }

    pub fn at(mut self, place: Option<Place>) -> Self {
        self.labels.extend(place);
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn fix(mut self, fix: Option<Fix>) -> Self {
        self.fixes.extend(fix);
        self
    }

    /// Converts the message to JSON for users' programs. The place has the keys `file`, `line` and
    /// `column` (in bytes, from 1); keys without a value are absent.
    pub fn json(&self) -> serde_json::Value {
        let mut json = serde_json::json!({
            "code": self.code.name(),
            "severity": self.severity.to_string(),
            "message": self.message,
        });
        if let Some(place) = self.labels.first() {
            json["file"] = place.file.as_str().into();
            json["line"] = place.start.line.into();
            json["column"] = place.start.column.into();
        }
        if let Some(help) = &self.help {
            json["help"] = help.as_str().into();
        }
        if !self.fixes.is_empty() {
            json["fixes"] = self.fixes.iter().map(Fix::json).collect();
        }
        json
    }
}

impl Fix {
    /// Creates a fix that replaces a range of `text`, the text of `file`.
    pub fn replace(file: &str, text: &str, range: Range<usize>, replacement: &str) -> Self {
        Fix::at(Place::of_range(file, text, range.clone()), &text[range], replacement)
    }

    /// Creates a fix that replaces `old`, the text of `place`, or inserts if `old` is empty.
    pub fn at(place: Place, old: &str, replacement: &str) -> Self {
        let title = match (old.is_empty(), replacement.is_empty()) {
            (true, _) => format!("Insert `{}`", replacement.trim()),
            (false, true) => format!("Remove `{old}`"),
            (false, false) => format!("Replace `{old}` with `{}`", replacement.trim()),
        };
        Fix { title, edits: vec![Edit { place, replacement: replacement.to_owned() }] }
    }

    fn json(&self) -> serde_json::Value {
        let edit = |edit: &Edit| {
            serde_json::json!({
                "file": edit.place.file,
                "start": edit.place.start,
                "end": edit.place.end,
                "replacement": edit.replacement,
            })
        };
        serde_json::json!({ "title": self.title, "edits": self.edits.iter().map(edit).collect::<Vec<_>>() })
    }
}

impl Place {
    /// The place of a byte range in `text`.
    pub fn of_range(file: &str, text: &str, range: Range<usize>) -> Self {
        let lines = LineIndex::new(text);
        Place {
            file: file.to_owned(),
            start: lines.position(range.start),
            end: lines.position(range.end),
            label: String::new(),
        }
    }

    /// The byte range of the place in its text.
    pub fn range_in(&self, text: &str) -> Range<usize> {
        let lines = LineIndex::new(text);
        lines.offset(self.start)..lines.offset(self.end)
    }

    /// Returns true if `other` begins inside this place.
    pub fn contains(&self, other: &Place) -> bool {
        let [start, at, end] = [self.start, other.start, self.end].map(|position| (position.line, position.column));
        self.file == other.file && (start..=end).contains(&at)
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One line, as compilers print it: `file:4:14: error: text`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.labels.first() {
            write!(f, "{}:{}:{}: ", place.file, place.start.line, place.start.column)?;
        }
        write!(f, "{}: {}", self.severity, self.message)
    }
}

/// The messages of an operation that failed; the last error ended it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure(pub Vec<Diagnostic>);

impl Failure {
    /// The code of the error that ended the operation.
    pub fn code(&self) -> Option<Code> {
        self.0.iter().rfind(|diagnostic| diagnostic.severity == Severity::Error).map(|error| error.code)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure(vec![diagnostic])
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Failure {}
