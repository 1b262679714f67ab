//! Renders steps as sentences, on the board, and as a page that animates them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::iter;

use serde_json::json;

use super::phrase::{Cell, Conclusion, Phrase, capitalized, cells_in_words, enumerated, joined};
use super::steps::{HintStep, NextStep, StepSearch};
use super::techniques::Technique;
use super::{
    AtomConclusion, Blame, ExplainInput, ExplainQuery, Explanation, Part, QueryKind, ReasonList, RelaxedProgram, Step,
};
use crate::asp::{self, Settings, Symbol, Term, signature_of};
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::drawing::Drawing;
use crate::ending::Verdict;
use crate::job::Job;
use crate::page::Page;
use crate::report::Format;
use crate::stop::CancelToken;
use crate::words::{self, count, sanitize};

/// Maximum number of conclusions and reasons that are listed per step; JSON has all.
const MAX_LISTED: usize = 8;
/// Maximum number of characters of a caption on the page.
const MAX_PAGE_CAPTION: usize = 400;
/// Maximum number of characters of a picture's caption, which must not be much wider than the
/// board.
const MAX_CAPTION: usize = 100;
/// Colors of cells with new conclusions on the page: the background, and the border of cells that
/// already have a background.
const NEW_COLORS: [&str; 2] = ["#ffe9a8", "#e09f00"];
/// The same colors for the cells of the reasons.
const REASON_COLORS: [&str; 2] = ["#dbe8fb", "#3f7fd6"];

/// A step in words.
struct Line {
    technique: Option<Technique>,
    /// The conclusions: each atom, and true if it holds.
    follows: Vec<(Symbol, bool)>,
    /// Each conclusion in words.
    words: Vec<Phrase>,
    reasons: Vec<Part>,
    /// The constraints that would be violated if the conclusions were false, in words.
    violations: Vec<String>,
    /// The remaining values of the cells for which the step excludes a value.
    open: ValuesLeft,
}

/// Maps a predicate and a cell to the values that the predicate may still give the cell.
type ValuesLeft = BTreeMap<(&'static str, Cell), Vec<String>>;

/// If a cell has at most this number of values left, these are listed instead of the excluded ones.
const MAX_LISTED_VALUES: usize = 3;

/// Explains the next step, or all steps if the query asks for them.
pub fn explain(source: &ExplainInput, question: &ExplainQuery, job: &Job) -> Result<Explanation, Failure> {
    let wants_all = matches!(question.kind, QueryKind::Steps { all: true });
    let mut relaxed = relax_constraints(source, &job.settings, &job.stop)?;
    let title = job.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut board = BoardHistory::of(&mut relaxed)?;
    let values = values_of(relaxed.query_atoms());
    let deadline = job.stop.child_until(question.deadline);
    let mut steps = StepSearch::new(&mut relaxed, &deadline.token)?;
    board.add_frame(&steps);
    let (mut steps_found, mut open) = (Vec::new(), Vec::new());
    let end = loop {
        match steps.next_step()? {
            NextStep::Step(step) => {
                open.push(values_left(&step, &values, &steps));
                steps_found.push(step);
                board.add_frame(&steps);
                if !wants_all {
                    break None;
                }
            }
            end => break Some(end),
        }
    };
    let mut lines = lines(&relaxed, &steps_found)?;
    lines.iter_mut().zip(open).for_each(|(line, open)| line.open = open);
    let verdict = match end {
        Some(NextStep::Unknown(reason)) => Verdict::GaveUp(reason),
        _ if lines.is_empty() => Verdict::Impossible,
        _ => Verdict::Solved,
    };
    let style = &question.style;
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let label = if wants_all { format!("{}. ", number + 1) } else { String::new() };
        let conclusion = style.paint(anstyle::Style::new().bold(), &line.conclusion(MAX_LISTED));
        let _ =
            writeln!(text, "{label}{conclusion}\n{}{}", " ".repeat(label.len()), sanitize(&line.reason(MAX_LISTED)));
    }
    if let Some(end) = &end {
        let gap = if lines.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{}", ending(end, lines.len()));
    }
    let drawing = board.drawing(&title, lines.last().filter(|_| !wants_all))?;
    if drawing.has_grid() && !style.quiet && !matches!(end, Some(NextStep::Impossible)) {
        let _ = write!(text, "\n{}", drawing.text(style));
    }
    let steps: Vec<Step> = lines.iter().map(Line::step).collect();
    let json = json!({
        "schema": 1,
        "verdict": end.as_ref().map_or("step", name),
        "steps": steps.iter().map(Step::json).collect::<Vec<_>>(),
    });
    let summary = match &end {
        Some(end) => format!("{title}: {}. {}", count(lines.len(), "step", "steps"), ending(end, lines.len())),
        None => String::new(),
    };
    let html = (question.format == Format::Html).then(|| page(&title, &summary, &text, &lines, &board)).transpose()?;
    let svg = if question.format == Format::Svg { picture(&title, &lines, &board, wants_all)? } else { None };
    let lists = lines.iter().map(|line| ReasonList::of("", &line.reasons)).collect();
    Ok(Explanation { text, json, steps, lists, html, svg, ..Explanation::of(verdict) })
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

/// Returns the name of `end` in JSON.
pub fn name(end: &NextStep) -> &'static str {
    match end {
        NextStep::Step(_) => "step",
        NextStep::Solved => "solved",
        NextStep::Open(_) => "open",
        NextStep::Impossible => "impossible",
        NextStep::Unknown(_) => "gave-up",
    }
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
    let describe = |line: &Line| format!("{} {}", line.conclusion(MAX_LISTED), line.reason(MAX_LISTED));
    Ok(lines(relaxed, steps)?.iter().map(describe).collect())
}

/// Describes all steps together, since each evaluation of terms grounds a program.
fn lines(relaxed: &RelaxedProgram, steps: &[HintStep]) -> Result<Vec<Line>, Failure> {
    let literals: Vec<(Symbol, bool)> = steps.iter().flat_map(|step| step.conclusions.iter().copied()).collect();
    let mut words = relaxed.words().of_literals(&literals)?.into_iter();
    let parts: Vec<usize> = steps.iter().flat_map(|step| step.reasons.iter().copied()).collect();
    let mut parts = relaxed.parts(&parts)?.into_iter();
    let line = |step: &HintStep| {
        let follows = step.conclusions.clone();
        let words = words.by_ref().take(step.conclusions.len()).collect();
        let reasons: Vec<Part> = parts.by_ref().take(step.reasons.len()).collect();
        let violations =
            step.reasons.iter().zip(&reasons).map(|(&part, part_shown)| relaxed.violation_text(part, part_shown));
        // Instances of a rule may differ only in terms that are not printed.
        let mut seen = BTreeSet::new();
        let violations = violations.filter(|words| seen.insert(words.clone())).collect();
        Line { technique: step.technique.clone(), follows, words, reasons, violations, open: BTreeMap::new() }
    };
    Ok(steps.iter().map(line).collect())
}

impl Line {
    fn conclusion(&self, most: usize) -> String {
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
        let all: Vec<_> = self.words.iter().zip(&self.follows).map(conclusion).collect();
        let all: Vec<Conclusion<'_>> =
            all.iter().map(|(words, holds, left)| Conclusion { words, holds: *holds, left: *left }).collect();
        joined(&all)
    }

    /// Returns the cells of the conclusions and the cells of the reasons.
    fn cells(&self) -> [BTreeSet<Cell>; 2] {
        let conclusion_cells: BTreeSet<Cell> = self.words.iter().flat_map(Phrase::cells).collect();
        let technique_cells = self.technique.iter().flat_map(|technique| technique.cells.iter().copied());
        let reason_cells = self.reasons.iter().flat_map(|part| part.words.cells()).chain(technique_cells);
        let reason_cells = reason_cells.filter(|cell| !conclusion_cells.contains(cell)).collect();
        [conclusion_cells, reason_cells]
    }

    fn reason(&self, most: usize) -> String {
        match self.violations.len() {
            0 => "This follows from the rules alone.".to_owned(),
            _ => format!("Otherwise {}.", listed(&self.violations, most, ", or ", ", or ")),
        }
    }

    fn step(&self) -> Step {
        let literal = |&(atom, holds): &(Symbol, bool)| AtomConclusion { atom: asp::to_text_truncated(atom), holds };
        Step {
            conclusions: self.follows.iter().map(literal).collect(),
            words: format!("{} {}", self.conclusion(usize::MAX), self.reason(usize::MAX)),
            because: self.reasons.clone(),
            technique: self.technique.clone(),
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

/// The drawing of the known atoms after each step, as frames. Known atoms remain known.
struct BoardHistory {
    /// Atoms `draw(Thing)`, each with its literal and the first frame in which it was known.
    things: Vec<(Symbol, i32, Option<usize>)>,
    frames: usize,
}

impl BoardHistory {
    fn of(relaxed: &mut RelaxedProgram) -> Result<Self, Failure> {
        let is_drawn = |atom: Symbol| signature_of(atom) == Some(("draw", 1));
        let known = relaxed.known_atoms()?.into_iter().filter(|(atom, ..)| is_drawn(*atom));
        let things = known.map(|(atom, literal, is_fact)| (atom, literal, is_fact.then_some(0)));
        Ok(BoardHistory { things: things.collect(), frames: 0 })
    }

    /// Adds a frame with the atoms that are known now.
    fn add_frame(&mut self, steps: &StepSearch<'_>) {
        for (_, literal, since) in self.things.iter_mut().filter(|(.., since)| since.is_none()) {
            *since = (steps.value(*literal) == Some(true)).then_some(self.frames);
        }
        self.frames += 1;
    }

    /// Returns the atoms that are known in `frame`.
    fn known_in(&self, frame: usize) -> impl Iterator<Item = Symbol> + '_ {
        let is_known = move |since: Option<usize>| since.is_some_and(|since| since <= frame);
        self.things.iter().filter(move |(.., since)| is_known(*since)).map(|(atom, ..)| *atom)
    }

    fn drawing_of(&self, source: &str, frame: usize) -> Result<Drawing, Failure> {
        Ok(Drawing::of(&self.known_in(frame).collect::<Vec<_>>(), source)?.0)
    }

    /// Returns the drawing of the last frame, with marks on the cells that changed and on the cells
    /// of `step`.
    fn drawing(&self, source: &str, step: Option<&Line>) -> Result<Drawing, Failure> {
        let last = self.drawing_of(source, self.frames - 1)?;
        let Some(step) = step.filter(|_| self.frames > 1) else { return Ok(last) };
        let [conclusion_cells, reason_cells] =
            step.cells().map(|cells| cells.into_iter().filter(|&cell| last.has_cell(cell)));
        let mut marks = last.differences(&self.drawing_of(source, self.frames - 2)?);
        marks.extend(conclusion_cells);
        let reason_cells: BTreeSet<Cell> = reason_cells.filter(|cell| !marks.contains(cell)).collect();
        Ok(last.with_marks(&marks).with_reasons(&reason_cells))
    }

    /// Returns an animated drawing of all frames, in which cells that changed get a background.
    fn animation(&self, source: &str, captions: &[String], lines: &[Line]) -> Result<Drawing, Failure> {
        let frame_number = |frame: usize| asp::number(i32::try_from(frame + 1).unwrap_or(i32::MAX));
        let function = |name: &str, arguments: &[Symbol]| asp::function(name, arguments).expect("the name has no NUL");
        let mut atoms: Vec<Symbol> = self.known_in(0).collect();
        let mut before = self.drawing_of(source, 0)?;
        let draws = |atom: &Symbol, name: &str| {
            atom.arguments().is_ok_and(|thing| signature_of(thing[0]).is_some_and(|signature| signature.0 == name))
        };
        let has_corners = !self.things.iter().any(|(atom, ..)| draws(atom, "lattice"));
        for frame in 0..self.frames {
            let thing = |atom: Symbol| atom.arguments().unwrap_or_default();
            for &(atom, ..) in self.things.iter().filter(|(.., since)| since.is_some_and(|at| at > 0 && at <= frame)) {
                atoms.push(function("draw", &[thing(atom)[0], frame_number(frame)]));
            }
            if let Some(caption) = captions.get(frame).and_then(|caption| asp::string(caption)) {
                atoms.push(function("draw", &[function("caption", &[caption]), frame_number(frame)]));
            }
            if frame == 0 {
                continue;
            }
            let now = self.drawing_of(source, frame)?;
            let filled: BTreeSet<(Term, Term)> = self
                .known_in(frame)
                .filter_map(|atom| thing(atom).first().copied())
                .filter(|&fill| signature_of(fill) == Some(("fill", 3)))
                .map(thing)
                .map(|terms| (Term::of(terms[0]), Term::of(terms[1])))
                .collect();
            let [conclusion_cells, reason_cells] = lines.get(frame - 1).map(Line::cells).unwrap_or_default();
            let new_cells: BTreeSet<Cell> = now.differences(&before).union(&conclusion_cells).copied().collect();
            let reason_cells = reason_cells.difference(&new_cells).map(|&cell| (cell, REASON_COLORS));
            for ((row, column), colors) in new_cells.iter().map(|&cell| (cell, NEW_COLORS)).chain(reason_cells) {
                let [ground, rim] = colors.map(|color| asp::string(color).expect("a color has no NUL"));
                let [top, left, bottom, right] = [row, column, row + 1, column + 1].map(asp::number);
                let marks = match filled.contains(&(Term::Number(row), Term::Number(column))) {
                    // A line may cross the gaps between cells.
                    _ if !now.has_cell((row, column)) => continue,
                    false => vec![function("fill", &[top, left, ground])],
                    true if has_corners => [
                        [top, left, top, right],
                        [bottom, left, bottom, right],
                        [top, left, bottom, left],
                        [top, right, bottom, right],
                    ]
                    .map(|[from, along, to, across]| function("edge", &[from, along, to, across, rim]))
                    .to_vec(),
                    true => continue,
                };
                atoms.extend(marks.into_iter().map(|mark| function("draw", &[mark, frame_number(frame)])));
            }
            before = now;
        }
        Ok(Drawing::of(&atoms, source)?.0)
    }
}

/// Renders the board after one step, with a caption, or if `plays`, an animation of all steps.
/// Returns `None` if nothing is drawn.
fn picture(title: &str, lines: &[Line], board: &BoardHistory, plays: bool) -> Result<Option<String>, Failure> {
    let caption = |line: &Line| words::truncate_words(&line.conclusion(MAX_LISTED), MAX_CAPTION);
    let captions: Vec<String> =
        iter::once("What is known at once.".to_owned()).chain(lines.iter().map(caption)).collect();
    let animation = board.animation(title, &captions, lines)?;
    let why = |line: &Line| format!("{title}: {} {}", line.conclusion(MAX_LISTED), line.reason(MAX_LISTED));
    let title = lines.first().filter(|_| !plays).map_or(title.to_owned(), why);
    let picture = animation.has_grid().then(|| animation.grid_picture(&title));
    Ok(picture.map(|picture| if plays { picture } else { picture.last_frame() }.svg()))
}

/// Renders a page that animates the steps on the board.
fn page(title: &str, summary: &str, text: &str, lines: &[Line], board: &BoardHistory) -> Result<String, Failure> {
    let mut page = Page::of_steps(title, format!("{summary}\n{text}").trim_start());
    let truncated = |text: String| match text.char_indices().nth(MAX_PAGE_CAPTION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    let step_captions = lines.iter().enumerate().map(|(number, line)| {
        truncated(format!("{}. {} {}", number + 1, line.conclusion(MAX_LISTED), line.reason(MAX_LISTED)))
    });
    let captions: Vec<String> = ["What is known at once.".to_owned()].into_iter().chain(step_captions).collect();
    let animation = board.animation(title, &captions, lines)?;
    if animation.has_grid() {
        page.add(&animation.grid_picture(title));
    }
    page.columns = ["step", "what follows", "why", "reasons"].map(str::to_owned).to_vec();
    let row = |(number, line): (usize, &Line)| {
        let size = line.reasons.len().to_string();
        (0, vec![(number + 1).to_string(), line.conclusion(usize::MAX), line.reason(usize::MAX), size])
    };
    page.rows = lines.iter().enumerate().map(row).collect();
    Ok(page.html())
}
