//! Steps of a solution in words.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use asp::{Settings, Symbol, Term, signature_of};
use base::diagnostic::Failure;
use base::document::Document;
use base::ending::Verdict;
use base::stop::CancelToken;
use base::words::{capitalized, count};
use drawing::Drawing;

use super::board::{BoardHistory, StepCells};
use super::phrase::{Cell, Conclusion, Phrase, cells_in_words, enumerated, joined};
use super::steps::{HintStep, NextStep, StepSearch};
use super::techniques::Technique;
use super::{Blame, ExplainContext, ExplainInput, ExplainQuery, Part, RelaxedProgram};

/// Maximum number of conclusions and reasons that are listed per step; JSON has all.
pub const MAX_LISTED: usize = 8;
/// The steps that were found.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The names of the documents.
    pub title: String,
    pub steps: Vec<DescribedStep>,
    /// The end of the search; `None` after the step that was requested.
    pub end: Option<NextStep>,
    /// True if all steps were requested.
    pub has_all: bool,
    pub board: BoardHistory,
    /// The board after the last step.
    pub drawing: Drawing,
}

impl StepReport {
    pub fn verdict(&self) -> Verdict {
        match self.end {
            Some(NextStep::Unknown(reason)) => Verdict::GaveUp(reason),
            _ if self.steps.is_empty() => Verdict::Impossible,
            _ => Verdict::Solved,
        }
    }
}

/// A step in words.
#[derive(Debug, Clone)]
pub struct DescribedStep {
    pub technique: Option<Technique>,
    /// The conclusions: each atom, and true if it holds.
    pub conclusions: Vec<(Symbol, bool)>,
    /// Each conclusion in words.
    words: Vec<Phrase>,
    pub reasons: Vec<Part>,
    /// The constraints that would be violated if the conclusions were false, in words.
    violations: Vec<String>,
    /// The remaining values of the cells for which the step excludes a value.
    open: ValuesLeft,
    /// The cells of the atoms in the reasons, if these are few.
    atom_cells: BTreeSet<Cell>,
}

/// Maps a predicate and a cell to the values that the predicate may still give the cell.
type ValuesLeft = BTreeMap<(&'static str, Cell), Vec<String>>;

/// Maximum number of cells of the atoms in the reasons that are highlighted. Some constraints, such
/// as that of a single loop, are about the whole board.
const MAX_ATOM_CELLS: usize = 16;

/// If a cell has at most this number of values left, these are listed instead of the excluded ones.
const MAX_LISTED_VALUES: usize = 3;

/// Finds the next step, or all steps.
pub fn explain(
    source: &ExplainInput,
    has_all: bool,
    question: &ExplainQuery,
    context: &ExplainContext<'_>,
) -> Result<StepReport, Failure> {
    let mut relaxed = relax_constraints(source, context.settings, context.stop)?;
    let title = context.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
    let deadline = context.stop.child_until(question.deadline);
    find_steps(&mut relaxed, title, has_all, &deadline.token)
}

/// Finds the next step, or all steps, of a program with relaxed constraints.
pub fn find_steps(
    relaxed: &mut RelaxedProgram,
    title: String,
    has_all: bool,
    stop: &CancelToken,
) -> Result<StepReport, Failure> {
    let mut board = BoardHistory::of(relaxed)?;
    let values = values_of(relaxed.query_atoms());
    let mut search = StepSearch::new(relaxed, stop)?;
    board.add_frame(&search);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let end = loop {
        match search.next_step()? {
            NextStep::Step(step) => {
                open.push(values_left(&step, &values, &search));
                found.push(step);
                board.add_frame(&search);
                if !has_all {
                    break None;
                }
            }
            end => break Some(end),
        }
    };
    let mut steps = described(relaxed, &found)?;
    steps.iter_mut().zip(open).for_each(|(step, open)| step.open = open);
    let drawing = board.drawing(&title, steps.last().filter(|_| !has_all).map(DescribedStep::cells))?;
    Ok(StepReport { title, steps, end, has_all, board, drawing })
}

/// Relaxes the constraints of a program. Adds the fact `hint` if the encoding uses it, to draw
/// excluded candidates.
pub fn relax_constraints(
    source: &ExplainInput,
    settings: &Settings,
    stop: &CancelToken,
) -> Result<RelaxedProgram, Failure> {
    let mut source = source.clone();
    if source.program.documents().any(|document| document.text.contains("#defined hint/0")) {
        source.program.additions.push(Document::in_memory("<hint>", "hint."));
    }
    RelaxedProgram::new(&source, &[Blame::Constraints], settings, stop)
}

/// Describes the end of the search after `steps` steps in a sentence.
pub fn ending(end: &NextStep, steps: usize) -> String {
    match (end, steps) {
        (NextStep::Solved, 0) => "Nothing is left to find.".to_owned(),
        (NextStep::Solved, _) => "That is the solution.".to_owned(),
        (NextStep::Open(0), _) => "There is nothing to find.".to_owned(),
        (NextStep::Open(left), steps) => {
            let more = if steps == 0 { "Nothing" } else { "Nothing more" };
            format!("{more} follows: {} between solutions.", count(*left, "value differs", "values differ"))
        }
        (NextStep::Impossible, _) => "There is no solution; asp-solve why shows the cause.".to_owned(),
        (NextStep::Unknown(reason), _) => format!("Gave up: {}.", reason.words()),
        (NextStep::Step(_), _) => String::new(),
    }
}

/// Returns each step as a sentence with its reason.
pub fn describe_steps(relaxed: &RelaxedProgram, steps: &[HintStep]) -> Result<Vec<String>, Failure> {
    let describe = |step: &DescribedStep| format!("{} {}", step.conclusion(MAX_LISTED), step.reason(MAX_LISTED));
    Ok(described(relaxed, steps)?.iter().map(describe).collect())
}

/// Describes all steps together, since each evaluation of terms grounds a program.
fn described(relaxed: &RelaxedProgram, steps: &[HintStep]) -> Result<Vec<DescribedStep>, Failure> {
    let literals: Vec<(Symbol, bool)> = steps.iter().flat_map(|step| step.conclusions.iter().copied()).collect();
    let mut words = relaxed.words().of_literals(&literals)?.into_iter();
    let parts: Vec<usize> = steps.iter().flat_map(|step| step.reasons.iter().copied()).collect();
    let mut parts = relaxed.parts(&parts)?.into_iter();
    let described = |step: &HintStep| {
        let words = words.by_ref().take(step.conclusions.len()).collect();
        let reasons: Vec<Part> = parts.by_ref().take(step.reasons.len()).collect();
        let violations =
            step.reasons.iter().zip(&reasons).map(|(&part, part_shown)| relaxed.violation_text(part, part_shown));
        // Instances of a rule may differ only in terms that are not printed.
        let mut seen = BTreeSet::new();
        let violations = violations.filter(|words| seen.insert(words.clone())).collect();
        let (technique, conclusions) = (step.technique.clone(), step.conclusions.clone());
        let atom_cells: BTreeSet<Cell> = step.atoms.iter().filter_map(|&atom| cell_of(atom)).collect();
        let atom_cells = if atom_cells.len() > MAX_ATOM_CELLS { BTreeSet::new() } else { atom_cells };
        DescribedStep { technique, conclusions, words, reasons, violations, open: BTreeMap::new(), atom_cells }
    };
    Ok(steps.iter().map(described).collect())
}

impl DescribedStep {
    /// Returns the conclusions as a sentence, of at most `most` clauses.
    pub fn conclusion(&self, most: usize) -> String {
        let technique = self.technique.as_ref().map_or(String::new(), |technique| technique.words() + ": ");
        let clauses = listed(&self.clauses(), most, "; ", "; ");
        capitalized(&format!("{technique}{clauses}."))
    }

    fn clauses(&self) -> Vec<String> {
        let conclusion = |(words, (atom, holds)): (&'_ Phrase, &(Symbol, bool))| {
            let key = value_of(*atom).filter(|_| !holds).map(|(key, _)| key);
            let left =
                key.and_then(|key| self.open.get(&key)).filter(|open| (2..=MAX_LISTED_VALUES).contains(&open.len()));
            (words.clone(), *holds, left.map(Vec::as_slice))
        };
        let all: Vec<_> = self.words.iter().zip(&self.conclusions).map(conclusion).collect();
        let all: Vec<Conclusion<'_>> =
            all.iter().map(|(words, holds, left)| Conclusion { words, holds: *holds, left: *left }).collect();
        joined(&all)
    }

    /// Returns the cells of the conclusions and the cells of the reasons.
    pub fn cells(&self) -> StepCells {
        let conclusion_cells: BTreeSet<Cell> = self.words.iter().flat_map(Phrase::cells).collect();
        let technique_cells = self.technique.iter().flat_map(|technique| technique.cells.iter().copied());
        let reason_cells = self.reasons.iter().flat_map(|part| part.words.cells()).chain(technique_cells);
        let reason_cells = reason_cells.filter(|cell| !conclusion_cells.contains(cell)).collect();
        [conclusion_cells, reason_cells]
    }

    /// Returns the cells of the conclusions and all cells that the reasons are about, for a picture.
    pub fn cells_in_picture(&self) -> StepCells {
        let [conclusion_cells, mut reason_cells] = self.cells();
        reason_cells.extend(self.technique.iter().flat_map(|technique| technique.seen.iter().copied()));
        if reason_cells.is_empty() {
            reason_cells.clone_from(&self.atom_cells);
        }
        reason_cells.retain(|cell| !conclusion_cells.contains(cell));
        [conclusion_cells, reason_cells]
    }

    /// Returns the reasons as a sentence, of at most `most` clauses.
    pub fn reason(&self, most: usize) -> String {
        match self.violations.len() {
            0 => "This follows from the rules alone.".to_owned(),
            _ => format!("Otherwise {}.", listed(&self.violations, most, ", or ", ", or ")),
        }
    }
}

impl Technique {
    /// Describes the technique, as in "naked pair 3 and 7 in row 2, columns 1 and 5".
    fn words(&self) -> String {
        let values = enumerated(&self.values, " and ");
        let cells = if self.cells.is_empty() { String::new() } else { format!("in {}", cells_in_words(&self.cells)) };
        [self.name.as_str(), &values, &cells].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Maps a predicate and a cell to the atoms that give the cell a value: each atom's literal and
/// value.
type Values = HashMap<(&'static str, Cell), Vec<(i32, String)>>;

fn values_of(query_atoms: &[(Symbol, i32)]) -> Values {
    let mut values = Values::new();
    for &(atom, literal) in query_atoms {
        if let Some((key, value)) = value_of(atom) {
            values.entry(key).or_default().push((literal, value));
        }
    }
    values
}

/// Reads `name(Row,Column,Value)` as a predicate, a cell and a value.
fn value_of(atom: Symbol) -> Option<((&'static str, Cell), String)> {
    let Some((name, 3)) = signature_of(atom) else { return None };
    let arguments = atom.arguments().ok()?;
    let cell = (arguments[0].number().ok()?, arguments[1].number().ok()?);
    let value = match Term::of(arguments[2]) {
        Term::Other(deep) => asp::to_text_truncated(deep),
        plain => plain.text(),
    };
    Some(((name, cell), value))
}

/// Reads the first two arguments of an atom as a cell.
fn cell_of(atom: Symbol) -> Option<Cell> {
    let arguments = atom.arguments().ok()?;
    Some((arguments.first()?.number().ok()?, arguments.get(1)?.number().ok()?))
}

/// Returns the remaining values of the cells for which a step excludes a value.
fn values_left(step: &HintStep, values: &Values, steps: &StepSearch<'_>) -> ValuesLeft {
    let excluded = step.conclusions.iter().filter(|(_, holds)| !holds).filter_map(|&(atom, _)| value_of(atom));
    let excluded: BTreeSet<(&'static str, Cell)> = excluded.map(|(key, _)| key).collect();
    let mut left = ValuesLeft::new();
    for key in excluded {
        let open = values.get(&key).into_iter().flatten().filter(|(literal, _)| steps.value(*literal) != Some(false));
        left.entry(key).or_default().extend(open.map(|(_, value)| value.clone()));
    }
    left.retain(|_, values| !values.is_empty());
    left
}

/// Joins at most `most` texts; if there are more, the last item is the number of the others.
fn listed(texts: &[String], most: usize, separator: &str, last: &str) -> String {
    match texts.len() {
        number if number > most => {
            let shown = texts[..most - 1].join(separator);
            format!("{shown}{last}{} more", number - most + 1)
        }
        _ => texts.join(separator),
    }
}
