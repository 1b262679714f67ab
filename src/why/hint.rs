//! Steps in words, on the board, and as a page that plays them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::iter;

use serde_json::{Value, json};

use super::phrase::{Cell, Conclusion, Phrase, capitalized, cells_in_words, enumerated, joined};
use super::steps::{NextStep, HintStep, StepSearch};
use super::techniques::Technique;
use super::{QueryKind, Blame, ReasonList, Part, ExplainQuery, ExplainInput, RelaxedProgram, Explanation};
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
const MOST_TOLD: usize = 8;
const MOST_CAPTION: usize = 400;
/// Maximum length of the caption of a picture, which must not be much wider than the board.
const MOST_BELOW: usize = 100;
/// On the page: the background of cells with new conclusions, and the border for cells that have
/// their own background.
const FRESH: [&str; 2] = ["#ffe9a8", "#e09f00"];
/// The same for the cells of the reasons.
const REASON: [&str; 2] = ["#dbe8fb", "#3f7fd6"];

/// A step in words.
struct Line {
    technique: Option<Technique>,
    /// The conclusions: an atom, and whether it holds.
    follows: Vec<(Symbol, bool)>,
    /// The same in words.
    words: Vec<Phrase>,
    because: Vec<Part>,
    /// The violations that would occur otherwise.
    broken: Vec<String>,
    /// The remaining values of cells for which a value is excluded.
    open: ValuesLeft,
}

/// The values that a predicate may still give a cell.
type ValuesLeft = BTreeMap<(&'static str, Cell), Vec<String>>;

/// If a cell has at most this number of values left, they are listed instead of the excluded ones.
const FEW: usize = 3;

/// Explains the first step, or all of them.
pub fn explain(source: &ExplainInput, question: &ExplainQuery, job: &Job) -> Result<Explanation, Failure> {
    let wants_all = matches!(question.kind, QueryKind::Steps { all: true });
    let mut switched = relax_constraints(source, &job.settings, &job.stop)?;
    let title = job.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut board = BoardHistory::of(&mut switched)?;
    let values = values_of(switched.query_atoms());
    let soon = job.stop.child_until(question.deadline);
    let mut steps = StepSearch::new(&mut switched, &soon.token)?;
    board.look(&steps);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let end = loop {
        match steps.next_step()? {
            NextStep::Step(step) => {
                open.push(values_left(&step, &values, &steps));
                found.push(step);
                board.look(&steps);
                if !wants_all {
                    break None;
                }
            }
            end => break Some(end),
        }
    };
    let mut lines = lines(&switched, &found)?;
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
        let conclusion = style.paint(anstyle::Style::new().bold(), &line.conclusion(MOST_TOLD));
        let _ = writeln!(text, "{label}{conclusion}\n{}{}", " ".repeat(label.len()), sanitize(&line.reason(MOST_TOLD)));
    }
    if let Some(end) = &end {
        let gap = if lines.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{}", ending(end, lines.len()));
    }
    let drawing = board.drawing(&title, lines.last().filter(|_| !wants_all))?;
    if drawing.has_grid() && !style.quiet && !matches!(end, Some(NextStep::Impossible)) {
        let _ = write!(text, "\n{}", drawing.text(style));
    }
    let json = json!({
        "schema": 1,
        "verdict": end.as_ref().map_or("step", name),
        "steps": lines.iter().map(Line::json).collect::<Vec<_>>(),
    });
    let summary = match &end {
        Some(end) => format!("{title}: {}. {}", count(lines.len(), "step", "steps"), ending(end, lines.len())),
        None => String::new(),
    };
    let html = (question.format == Format::Html).then(|| page(&title, &summary, &text, &lines, &board)).transpose()?;
    let svg = if question.format == Format::Svg { picture(&title, &lines, &board, wants_all)? } else { None };
    let lists = lines.iter().map(|line| ReasonList::of("", &line.because)).collect();
    Ok(Explanation { text, json, lists, html, svg, verdict: Some(verdict), ..Explanation::default() })
}

/// Adds the fact `hint` for encodings that draw excluded candidates.
pub fn relax_constraints(source: &ExplainInput, settings: &Settings, stop: &CancelToken) -> Result<RelaxedProgram, Failure> {
    let mut source = source.clone();
    if source.program.documents().any(|document| document.text.contains("#defined hint/0")) {
        source.program.additions.push(Document::in_memory("<hint>", "hint."));
    }
    RelaxedProgram::new(&source, &[Blame::Constraints], settings, stop)
}

/// The end of the steps as it appears in JSON.
pub fn name(end: &NextStep) -> &'static str {
    match end {
        NextStep::Step(_) => "step",
        NextStep::Solved => "solved",
        NextStep::Open(_) => "open",
        NextStep::Impossible => "impossible",
        NextStep::Unknown(_) => "gave-up",
    }
}

/// The end of the steps as a sentence.
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
pub fn describe_steps(switched: &RelaxedProgram, steps: &[HintStep]) -> Result<Vec<String>, Failure> {
    let told = |line: &Line| format!("{} {}", line.conclusion(MOST_TOLD), line.reason(MOST_TOLD));
    Ok(lines(switched, steps)?.iter().map(told).collect())
}

/// Describes all steps in one call, since clingo evaluates the terms.
fn lines(switched: &RelaxedProgram, steps: &[HintStep]) -> Result<Vec<Line>, Failure> {
    let literals: Vec<(Symbol, bool)> = steps.iter().flat_map(|step| step.follows.iter().copied()).collect();
    let mut words = switched.words().of_literals(&literals)?.into_iter();
    let parts: Vec<usize> = steps.iter().flat_map(|step| step.because.iter().copied()).collect();
    let mut parts = switched.parts(&parts)?.into_iter();
    let line = |step: &HintStep| {
        let follows = step.follows.clone();
        let words = words.by_ref().take(step.follows.len()).collect();
        let because: Vec<Part> = parts.by_ref().take(step.because.len()).collect();
        let broken = step.because.iter().zip(&because).map(|(&part, told)| switched.violation_text(part, told));
        // Instances of a rule may differ only in terms that are not printed.
        let mut said = BTreeSet::new();
        let broken = broken.filter(|words| said.insert(words.clone())).collect();
        Line { technique: step.technique.clone(), follows, words, because, broken, open: BTreeMap::new() }
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
            let left = key.and_then(|key| self.open.get(&key)).filter(|open| (2..=FEW).contains(&open.len()));
            (words.clone(), *holds, left.map(Vec::as_slice))
        };
        let all: Vec<_> = self.words.iter().zip(&self.follows).map(conclusion).collect();
        let all: Vec<Conclusion<'_>> =
            all.iter().map(|(words, holds, left)| Conclusion { words, holds: *holds, left: *left }).collect();
        joined(&all)
    }

    /// The cells of the conclusions, and those of the reasons.
    fn cells(&self) -> [BTreeSet<Cell>; 2] {
        let follows: BTreeSet<Cell> = self.words.iter().flat_map(Phrase::cells).collect();
        let named = self.technique.iter().flat_map(|technique| technique.cells.iter().copied());
        let because = self.because.iter().flat_map(|part| part.words.cells()).chain(named);
        let because = because.filter(|cell| !follows.contains(cell)).collect();
        [follows, because]
    }

    fn reason(&self, most: usize) -> String {
        match self.broken.len() {
            0 => "This follows from the rules alone.".to_owned(),
            _ => format!("Otherwise {}.", listed(&self.broken, most, ", or ", ", or ")),
        }
    }

    fn json(&self) -> Value {
        let term = |&(atom, holds): &(Symbol, bool)| {
            format!("{}{}", if holds { "" } else { "not " }, asp::to_text_truncated(atom))
        };
        let mut told = json!({
            "follows": self.follows.iter().map(term).collect::<Vec<_>>(),
            "because": self.because.iter().map(Part::json).collect::<Vec<_>>(),
            "size": self.because.len(),
            "words": format!("{} {}", self.conclusion(usize::MAX), self.reason(usize::MAX)),
        });
        if let Some(Technique { name, values, cells, .. }) = &self.technique {
            told["technique"] = json!({ "name": name, "values": values, "cells": cells });
        }
        told
    }
}

impl Technique {
    /// "naked pair 3 and 7 in row 2, columns 1 and 5".
    fn words(&self) -> String {
        let values = enumerated(&self.values, " and ");
        let cells = if self.cells.is_empty() { String::new() } else { format!("in {}", cells_in_words(&self.cells)) };
        [self.name.as_str(), &values, &cells].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Literals and values of atoms that give a cell a value, by predicate and cell.
type Values = HashMap<(&'static str, Cell), Vec<(i32, String)>>;

fn values_of(questions: &[(Symbol, i32)]) -> Values {
    let mut values = Values::new();
    for &(atom, literal) in questions {
        if let Some((key, value)) = value_of(atom) {
            values.entry(key).or_default().push((literal, value));
        }
    }
    values
}

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
    let excluded = step.follows.iter().filter(|(_, holds)| !holds).filter_map(|&(atom, _)| value_of(atom));
    let excluded: BTreeSet<(&'static str, Cell)> = excluded.map(|(key, _)| key).collect();
    let mut left = ValuesLeft::new();
    for key in excluded {
        let open = values.get(&key).into_iter().flatten().filter(|(literal, _)| steps.value(*literal) != Some(false));
        left.entry(key).or_default().extend(open.map(|(_, value)| value.clone()));
    }
    left.retain(|_, values| !values.is_empty());
    left
}

/// Joins the first texts and counts the others.
fn listed(texts: &[String], most: usize, separator: &str, last: &str) -> String {
    match texts.len() {
        number if number > most => {
            let shown = texts[..most - 1].join(separator);
            format!("{shown}{last}{} more", number - most + 1)
        }
        _ => texts.join(separator),
    }
}

/// The drawing of the known atoms after each step. Known atoms remain known.
struct BoardHistory {
    /// Atoms `draw(Thing)`, each with its literal and the first look in which it was known.
    things: Vec<(Symbol, i32, Option<usize>)>,
    looks: usize,
}

impl BoardHistory {
    fn of(switched: &mut RelaxedProgram) -> Result<Self, Failure> {
        let is_drawn = |atom: Symbol| signature_of(atom) == Some(("draw", 1));
        let known = switched.known_atoms()?.into_iter().filter(|(atom, ..)| is_drawn(*atom));
        let things = known.map(|(atom, literal, is_fact)| (atom, literal, is_fact.then_some(0)));
        Ok(BoardHistory { things: things.collect(), looks: 0 })
    }

    fn look(&mut self, steps: &StepSearch<'_>) {
        for (_, literal, since) in self.things.iter_mut().filter(|(.., since)| since.is_none()) {
            *since = (steps.value(*literal) == Some(true)).then_some(self.looks);
        }
        self.looks += 1;
    }

    /// The things that are known in a look.
    fn seen(&self, look: usize) -> impl Iterator<Item = Symbol> + '_ {
        let there = move |since: Option<usize>| since.is_some_and(|since| since <= look);
        self.things.iter().filter(move |(.., since)| there(*since)).map(|(atom, ..)| *atom)
    }

    fn drawn(&self, source: &str, look: usize) -> Result<Drawing, Failure> {
        Ok(Drawing::of(&self.seen(look).collect::<Vec<_>>(), source)?.0)
    }

    /// The drawing of the last look, with marks on the cells that changed and on the cells of the
    /// step.
    fn drawing(&self, source: &str, step: Option<&Line>) -> Result<Drawing, Failure> {
        let last = self.drawn(source, self.looks - 1)?;
        let Some(step) = step.filter(|_| self.looks > 1) else { return Ok(last) };
        let [follows, because] = step.cells().map(|cells| cells.into_iter().filter(|&cell| last.has_cell(cell)));
        let mut marks = last.differences(&self.drawn(source, self.looks - 2)?);
        marks.extend(follows);
        let because: BTreeSet<Cell> = because.filter(|cell| !marks.contains(cell)).collect();
        Ok(last.with_marks(&marks).with_reasons(&because))
    }

    /// One drawing with each look as a frame; cells that changed get a background.
    fn film(&self, source: &str, captions: &[String], lines: &[Line]) -> Result<Drawing, Failure> {
        let frame = |look: usize| asp::number(i32::try_from(look + 1).unwrap_or(i32::MAX));
        let made = |name: &str, arguments: &[Symbol]| asp::function(name, arguments).expect("the name has no NUL");
        let mut atoms: Vec<Symbol> = self.seen(0).collect();
        let mut before = self.drawn(source, 0)?;
        let is_of = |atom: &Symbol, name: &str| {
            atom.arguments().is_ok_and(|thing| signature_of(thing[0]).is_some_and(|of| of.0 == name))
        };
        let has_corners = !self.things.iter().any(|(atom, ..)| is_of(atom, "lattice"));
        for look in 0..self.looks {
            let thing = |atom: Symbol| atom.arguments().unwrap_or_default();
            for &(atom, ..) in self.things.iter().filter(|(.., since)| since.is_some_and(|at| at > 0 && at <= look)) {
                atoms.push(made("draw", &[thing(atom)[0], frame(look)]));
            }
            if let Some(caption) = captions.get(look).and_then(|caption| asp::string(caption)) {
                atoms.push(made("draw", &[made("caption", &[caption]), frame(look)]));
            }
            if look == 0 {
                continue;
            }
            let now = self.drawn(source, look)?;
            let filled: BTreeSet<(Term, Term)> = self
                .seen(look)
                .filter_map(|atom| thing(atom).first().copied())
                .filter(|&fill| signature_of(fill) == Some(("fill", 3)))
                .map(thing)
                .map(|terms| (Term::of(terms[0]), Term::of(terms[1])))
                .collect();
            let [follows, because] = lines.get(look - 1).map(Line::cells).unwrap_or_default();
            let fresh: BTreeSet<Cell> = now.differences(&before).union(&follows).copied().collect();
            let because = because.difference(&fresh).map(|&cell| (cell, REASON));
            for ((row, column), colors) in fresh.iter().map(|&cell| (cell, FRESH)).chain(because) {
                let [ground, rim] = colors.map(|color| asp::string(color).expect("a color has no NUL"));
                let [top, left, bottom, right] = [row, column, row + 1, column + 1].map(asp::number);
                let marks = match filled.contains(&(Term::Number(row), Term::Number(column))) {
                    // A line may cross the gaps between cells.
                    _ if !now.has_cell((row, column)) => continue,
                    false => vec![made("fill", &[top, left, ground])],
                    true if has_corners => [
                        [top, left, top, right],
                        [bottom, left, bottom, right],
                        [top, left, bottom, left],
                        [top, right, bottom, right],
                    ]
                    .map(|[from, along, to, across]| made("edge", &[from, along, to, across, rim]))
                    .to_vec(),
                    true => continue,
                };
                atoms.extend(marks.into_iter().map(|mark| made("draw", &[mark, frame(look)])));
            }
            before = now;
        }
        Ok(Drawing::of(&atoms, source)?.0)
    }
}

/// The board after one step, with a caption, or an animation of all steps; `None` if nothing is
/// drawn.
fn picture(title: &str, lines: &[Line], board: &BoardHistory, plays: bool) -> Result<Option<String>, Failure> {
    let told = |line: &Line| words::truncate_words(&line.conclusion(MOST_TOLD), MOST_BELOW);
    let captions: Vec<String> = iter::once("What is known at once.".to_owned()).chain(lines.iter().map(told)).collect();
    let film = board.film(title, &captions, lines)?;
    let why = |line: &Line| format!("{title}: {} {}", line.conclusion(MOST_TOLD), line.reason(MOST_TOLD));
    let title = lines.first().filter(|_| !plays).map_or(title.to_owned(), why);
    let picture = film.has_grid().then(|| film.grid_picture(&title));
    Ok(picture.map(|picture| if plays { picture } else { picture.last_frame() }.svg()))
}

/// A page that plays the steps on the board.
fn page(title: &str, summary: &str, text: &str, lines: &[Line], board: &BoardHistory) -> Result<String, Failure> {
    let mut page = Page::of_steps(title, format!("{summary}\n{text}").trim_start());
    let cut = |text: String| match text.char_indices().nth(MOST_CAPTION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    let told = lines.iter().enumerate().map(|(number, line)| {
        cut(format!("{}. {} {}", number + 1, line.conclusion(MOST_TOLD), line.reason(MOST_TOLD)))
    });
    let captions: Vec<String> = ["What is known at once.".to_owned()].into_iter().chain(told).collect();
    let film = board.film(title, &captions, lines)?;
    if film.has_grid() {
        page.add(&film.grid_picture(title));
    }
    page.columns = ["step", "what follows", "why", "reasons"].map(str::to_owned).to_vec();
    let row = |(number, line): (usize, &Line)| {
        let size = line.because.len().to_string();
        (0, vec![(number + 1).to_string(), line.conclusion(usize::MAX), line.reason(usize::MAX), size])
    };
    page.rows = lines.iter().enumerate().map(row).collect();
    Ok(page.html())
}
