//! Steps in words, on the board, and as a page that plays them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::iter;

use serde_json::{Value, json};

use super::steps::{Next, Step, Steps};
use super::techniques::Technique;
use super::{Asks, Blame, List, Part, Question, Source, Switched, Told};
use crate::asp::{self, Settings, Symbol, Term, signature_of};
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::drawing::Drawing;
use crate::ending::Verdict;
use crate::job::Job;
use crate::page::Page;
use crate::report::Format;
use crate::stop::Stop;
use crate::words::{self, count, shown};

/// A person reads no more of one step; JSON has all.
const MOST_TOLD: usize = 8;
/// As long as a caption may be.
const MOST_CAPTION: usize = 400;
/// As long as that of a picture may be, which must not be much wider than the board.
const MOST_BELOW: usize = 100;
/// The ground of cells in which a step has found something, on the page, and a rim around those that have a ground of their own.
const FRESH: [&str; 2] = ["#ffe9a8", "#e09f00"];
/// Those of the cells of its reasons.
const REASON: [&str; 2] = ["#dbe8fb", "#3f7fd6"];

/// A step, as it is told.
struct Line {
    technique: Option<Technique>,
    atoms: Vec<String>,
    follows: Vec<String>,
    because: Vec<Part>,
    /// What else would be wrong.
    broken: Vec<String>,
    /// What cells may still have of which something is excluded.
    open: BTreeMap<Cell, Vec<String>>,
}

/// Row and column.
type Cell = (i32, i32);

/// So many values of a cell are told rather than those that it cannot have.
const FEW: usize = 3;

/// Tells the first step, or all of them.
pub fn explain(source: &Source, question: &Question, job: &Job) -> Result<Told, Failure> {
    let wants_all = matches!(question.asks, Asks::Steps { all: true });
    let mut switched = taken_apart(source, &job.settings, &job.stop)?;
    let title = job.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut board = Board::of(&mut switched)?;
    let values = values_of(switched.questions());
    let soon = job.stop.by(question.deadline);
    let mut steps = Steps::new(&mut switched, &soon.stop)?;
    board.look(&steps);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let end = loop {
        match steps.next_step()? {
            Next::Step(step) => {
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
        Some(Next::Unknown(reason)) => Verdict::GaveUp(reason),
        _ if lines.is_empty() => Verdict::Impossible,
        _ => Verdict::Solved,
    };
    let style = &question.style;
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let label = if wants_all { format!("{}. ", number + 1) } else { String::new() };
        let conclusion = style.paint(anstyle::Style::new().bold(), &line.conclusion(MOST_TOLD));
        let _ = writeln!(text, "{label}{conclusion}\n{}{}", " ".repeat(label.len()), shown(&line.reason(MOST_TOLD)));
    }
    if let Some(end) = &end {
        let gap = if lines.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{}", ending(end, lines.len()));
    }
    let drawing = board.drawing(&title, lines.last().filter(|_| !wants_all))?;
    if drawing.has_grid() && !style.quiet && !matches!(end, Some(Next::Impossible)) {
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
    let lists = lines.iter().map(|line| List::of("", &line.because)).collect();
    Ok(Told { text, json, lists, html, svg, verdict: Some(verdict), ..Told::default() })
}

/// Encodings that draw what is known not to hold, where a player would mark it, are told that this is wanted.
pub fn taken_apart(source: &Source, settings: &Settings, stop: &Stop) -> Result<Switched, Failure> {
    let mut source = source.clone();
    if source.program.documents().any(|document| document.text.contains("#defined hint/0")) {
        source.program.additions.push(Document::in_memory("<hint>", "hint."));
    }
    Switched::new(&source, &[Blame::Constraints], settings, stop)
}

/// The end of the steps, in JSON.
pub fn name(end: &Next) -> &'static str {
    match end {
        Next::Step(_) => "step",
        Next::Solved => "solved",
        Next::Open(_) => "open",
        Next::Impossible => "impossible",
        Next::Unknown(_) => "gave-up",
    }
}

/// The end of the steps, in a sentence.
pub fn ending(end: &Next, steps: usize) -> String {
    match (end, steps) {
        (Next::Solved, 0) => "Nothing is left to find.".to_owned(),
        (Next::Solved, _) => "That is the solution.".to_owned(),
        (Next::Open(0), _) => "There is nothing to find.".to_owned(),
        (Next::Open(left), steps) => {
            let more = if steps == 0 { "Nothing" } else { "Nothing more" };
            format!("{more} follows: {} not the same in all solutions.", count(*left, "atom is", "atoms are"))
        }
        (Next::Impossible, _) => "There is no solution; asp-solve why shows the cause.".to_owned(),
        (Next::Unknown(reason), _) => format!("Gave up: {}.", reason.words()),
        (Next::Step(_), _) => String::new(),
    }
}

/// What follows, and why.
pub fn in_words(switched: &Switched, steps: &[Step]) -> Result<Vec<String>, Failure> {
    let told = |line: &Line| format!("{} {}", line.conclusion(MOST_TOLD), line.reason(MOST_TOLD));
    Ok(lines(switched, steps)?.iter().map(told).collect())
}

/// Steps in words; asked for all at once, as clingo fills in the terms.
fn lines(switched: &Switched, steps: &[Step]) -> Result<Vec<Line>, Failure> {
    let literals: Vec<(Symbol, bool)> = steps.iter().flat_map(|step| step.follows.iter().copied()).collect();
    let mut words = switched.words().of_literals(&literals)?.into_iter();
    let parts: Vec<usize> = steps.iter().flat_map(|step| step.because.iter().copied()).collect();
    let mut parts = switched.parts(&parts)?.into_iter();
    let line = |step: &Step| {
        let term = |&(atom, holds): &(Symbol, bool)| format!("{}{}", if holds { "" } else { "not " }, asp::brief(atom));
        let atoms = step.follows.iter().map(term).collect();
        let follows = words.by_ref().take(step.follows.len()).collect();
        let because: Vec<Part> = parts.by_ref().take(step.because.len()).collect();
        let broken = step.because.iter().zip(&because).map(|(&part, told)| switched.broken(part, told));
        // Instances of a rule may differ in what nobody is told.
        let mut said = BTreeSet::new();
        let broken = broken.filter(|words| said.insert(words.clone())).collect();
        Line { technique: step.technique.clone(), atoms, follows, because, broken, open: BTreeMap::new() }
    };
    Ok(steps.iter().map(line).collect())
}

impl Line {
    fn conclusion(&self, most: usize) -> String {
        let technique = self.technique.as_ref().map_or(String::new(), |technique| technique.words() + ": ");
        format!("{technique}{}.", listed(&grouped(&self.candidates()), most, ", ", ", and "))
    }

    /// What follows, that a cell has none of several values in one sentence.
    fn candidates(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        let mut excluded = BTreeMap::<Cell, Vec<&str>>::new();
        let value = |words: &'_ str| -> Option<(Cell, usize)> {
            let (before, cell, behind) = of_cell(words)?;
            let value = before.strip_prefix("no ")?.strip_suffix(" at ")?;
            (behind.is_empty() && !value.contains(' ')).then_some((cell, value.len()))
        };
        for words in &self.follows {
            if let Some((cell, length)) = value(words) {
                excluded.entry(cell).or_default().push(&words[3..3 + length]);
            }
        }
        for words in &self.follows {
            let Some((cell, _)) =
                value(words).filter(|(cell, _)| excluded.get(cell).is_none_or(|values| values.len() > 1))
            else {
                told.push(words.clone());
                continue;
            };
            let Some(values) = excluded.remove(&cell) else { continue };
            let place = format!("row {}, column {}", cell.0, cell.1);
            told.push(match self.open.get(&cell) {
                Some(open) if (2..=FEW).contains(&open.len()) => {
                    format!("only {} fit at {place}", enumerated(open, " and "))
                }
                _ => format!("no {} at {place}", enumerated(&values, " or ")),
            });
        }
        told
    }

    /// The cells that what follows is about, and those of the reasons.
    fn cells(&self) -> [BTreeSet<Cell>; 2] {
        let follows: BTreeSet<Cell> = self.follows.iter().flat_map(|words| cells_of(words)).collect();
        let named = self.technique.iter().flat_map(|technique| technique.cells.iter().copied());
        let because = self.because.iter().flat_map(|part| cells_of(&part.words)).chain(named);
        let because = because.filter(|cell| !follows.contains(cell)).collect();
        [follows, because]
    }

    fn reason(&self, most: usize) -> String {
        match self.broken.len() {
            0 => "The rules alone say so.".to_owned(),
            _ => format!("Otherwise {}.", listed(&self.broken, most, ", or ", ", or ")),
        }
    }

    fn json(&self) -> Value {
        let mut told = json!({
            "follows": self.atoms,
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
        let cells = if self.cells.is_empty() { String::new() } else { format!("in {}", told_cells(&self.cells)) };
        [self.name.as_str(), &values, &cells].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Atoms that give a cell a value, by their name and cell: with their literals, the values.
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
        Term::Other(deep) => asp::brief(deep),
        plain => plain.text(),
    };
    Some(((name, cell), value))
}

/// What cells of which a step excludes a value may still have.
fn values_left(step: &Step, values: &Values, steps: &Steps<'_>) -> BTreeMap<Cell, Vec<String>> {
    let excluded = step.follows.iter().filter(|(_, holds)| !holds).filter_map(|&(atom, _)| value_of(atom));
    let excluded: BTreeSet<(&str, Cell)> = excluded.map(|(key, _)| key).collect();
    let mut left = BTreeMap::<Cell, Vec<String>>::new();
    for key in excluded {
        let open = values.get(&key).into_iter().flatten().filter(|(literal, _)| steps.value(*literal) != Some(false));
        left.entry(key.1).or_default().extend(open.map(|(_, value)| value.clone()));
    }
    left.retain(|_, values| !values.is_empty());
    left
}

/// "1, 3 and 4".
fn enumerated(words: &[impl AsRef<str>], last: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [words @ .., end] if !words.is_empty() => format!("{}{last}{end}", words.join(", ")),
        words => words.join(", "),
    }
}

/// Words about one cell: what stands before "row 2, column 3", the cell, and what stands behind.
fn of_cell(words: &str) -> Option<(&str, Cell, &str)> {
    let begin = words.find("row ")?;
    let number = |text: &str| {
        let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
        Some((text[..end].parse::<i32>().ok()?, end))
    };
    let (row, end) = number(&words[begin + 4..])?;
    let rest = words[begin + 4 + end..].strip_prefix(", column ")?;
    let (column, end) = number(rest)?;
    let behind = &rest[end..];
    (!behind.contains("row ")).then_some((&words[..begin], (row, column), behind))
}

/// The cells that words are about: "row 2, column 3" and "(2,3)"; corners are none.
fn cells_of(words: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    for piece in words.split("row ").skip(1) {
        cells.extend(of_cell(&format!("row {piece}")).map(|(_, cell, _)| cell));
    }
    let mut before = "";
    for (number, piece) in words.split('(').enumerate() {
        let pair = piece.split(')').next().and_then(|pair| pair.split_once(','));
        if number > 0
            && !before.trim_end().ends_with("corner")
            && !words.contains("corner (")
            && let Some((Ok(row), Ok(column))) = pair.map(|(row, column)| (row.parse(), column.parse()))
        {
            cells.push((row, column));
        }
        before = piece;
    }
    cells
}

/// What is said of several cells, in one sentence; and lines of a loop in one.
fn grouped(words: &[String]) -> Vec<String> {
    // By what is said before and behind the cell.
    let mut groups: Vec<(&str, &str, Vec<Cell>)> = Vec::new();
    for words in words {
        let (before, cell, behind) = match (of_cell(words), words.find(" (")) {
            (Some((before, cell, behind)), _) => (before, Some(cell), behind),
            (None, Some(at)) => (&words[..=at], None, &words[at + 1..]),
            (None, None) => (&**words, None, ""),
        };
        match groups.iter_mut().find(|(one, other, cells)| (*one, *other) == (before, behind) && !cells.is_empty()) {
            Some((.., cells)) => cells.extend(cell),
            None => groups.push((before, behind, cell.into_iter().collect())),
        }
    }
    let mut told: Vec<String> = Vec::new();
    // The sentence that the last of `told` begins with, where others may be added to it.
    let mut last = "";
    for (before, behind, mut cells) in groups {
        cells.sort_unstable();
        if cells.is_empty() && !behind.is_empty() && before == last {
            let sentence = told.last_mut().expect("one was told");
            *sentence += &format!(", {behind}");
            continue;
        }
        last = if cells.is_empty() && !behind.is_empty() { before } else { "" };
        let behind = match behind.strip_prefix(" is ") {
            Some(rest) if cells.len() > 1 => format!(" are {rest}"),
            _ => behind.to_owned(),
        };
        let before = if cells.len() > 1 { plural(before) } else { before.to_owned() };
        told.push(format!("{before}{}{behind}", told_cells(&cells)));
    }
    told
}

/// "tents are at " for "a tent is at ", before several cells.
fn plural(before: &str) -> String {
    let thing = before.strip_prefix("a ").or(before.strip_prefix("an ")).and_then(|rest| rest.strip_suffix(" is at "));
    let Some(thing) = thing else { return before.to_owned() };
    // A sign stands behind its word: "a line /".
    let (word, sign) = thing.split_once(' ').unwrap_or((thing, ""));
    [word, "s ", sign, if sign.is_empty() { "" } else { " " }, "are at "].concat()
}

/// "row 2, columns 1 to 3", "rows 2 and 3, column 4"; none for no cells.
fn told_cells(cells: &[Cell]) -> String {
    let mut rows = BTreeMap::<i32, Vec<i32>>::new();
    cells.iter().for_each(|&(row, column)| rows.entry(row).or_default().push(column));
    let lines = |name: &str, numbers: &[i32]| {
        let mut runs: Vec<[i32; 2]> = Vec::new();
        for &number in numbers {
            match runs.last_mut() {
                Some(run) if run[1] + 1 == number => run[1] = number,
                _ => runs.push([number, number]),
            }
        }
        let told = |run: &[i32; 2]| match run[1] - run[0] {
            0 => vec![run[0].to_string()],
            1 => vec![run[0].to_string(), run[1].to_string()],
            _ => vec![format!("{} to {}", run[0], run[1])],
        };
        let plural = if numbers.len() > 1 { "s" } else { "" };
        format!("{name}{plural} {}", enumerated(&runs.iter().flat_map(told).collect::<Vec<_>>(), " and "))
    };
    let all: Vec<i32> = rows.keys().copied().collect();
    let columns: Vec<&Vec<i32>> = rows.values().collect();
    match columns.first() {
        Some(first) if all.len() > 1 && columns.iter().all(|columns| columns == first) => {
            format!("{}, {}", lines("row", &all), lines("column", first))
        }
        _ => {
            let told: Vec<String> =
                rows.iter().map(|(row, columns)| format!("row {row}, {}", lines("column", columns))).collect();
            enumerated(&told, " and ")
        }
    }
}

/// The first of some texts, and how many there are besides.
fn listed(texts: &[String], most: usize, separator: &str, last: &str) -> String {
    match texts.len() {
        number if number > most => {
            let shown = texts[..most - 1].join(separator);
            format!("{shown}{last}{} more", number - most + 1)
        }
        _ => texts.join(separator),
    }
}

/// What the program draws of what is known, from step to step. What is known stays known.
struct Board {
    /// Atoms `draw(Thing)`, each with its literal, and the first look that saw it.
    things: Vec<(Symbol, i32, Option<usize>)>,
    looks: usize,
}

impl Board {
    fn of(switched: &mut Switched) -> Result<Self, Failure> {
        let is_drawn = |atom: Symbol| signature_of(atom) == Some(("draw", 1));
        let known = switched.known_atoms()?.into_iter().filter(|(atom, ..)| is_drawn(*atom));
        let things = known.map(|(atom, literal, is_fact)| (atom, literal, is_fact.then_some(0)));
        Ok(Board { things: things.collect(), looks: 0 })
    }

    fn look(&mut self, steps: &Steps<'_>) {
        for (_, literal, since) in self.things.iter_mut().filter(|(.., since)| since.is_none()) {
            *since = (steps.value(*literal) == Some(true)).then_some(self.looks);
        }
        self.looks += 1;
    }

    /// The things that a look has seen.
    fn seen(&self, look: usize) -> impl Iterator<Item = Symbol> + '_ {
        let there = move |since: Option<usize>| since.is_some_and(|since| since <= look);
        self.things.iter().filter(move |(.., since)| there(*since)).map(|(atom, ..)| *atom)
    }

    fn drawn(&self, source: &str, look: usize) -> Result<Drawing, Failure> {
        Ok(Drawing::of(&self.seen(look).collect::<Vec<_>>(), source)?.0)
    }

    /// What the last look saw, with marks where it saw more than the one before and at the cells of the step.
    fn drawing(&self, source: &str, step: Option<&Line>) -> Result<Drawing, Failure> {
        let last = self.drawn(source, self.looks - 1)?;
        let Some(step) = step.filter(|_| self.looks > 1) else { return Ok(last) };
        let [follows, because] = step.cells().map(|cells| cells.into_iter().filter(|&cell| last.has_cell(cell)));
        let mut marks = last.differences(&self.drawn(source, self.looks - 2)?);
        marks.extend(follows);
        let because: BTreeSet<Cell> = because.filter(|cell| !marks.contains(cell)).collect();
        Ok(last.marked(&marks).with_reasons(&because))
    }

    /// Each look as a frame of one drawing, the cells in which it saw something new on a ground of their own.
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
                    // A line may cross the ground between cells.
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

/// The board after a step, which is its caption, or all steps one after the other; nothing, if nothing is drawn.
fn picture(title: &str, lines: &[Line], board: &Board, plays: bool) -> Result<Option<String>, Failure> {
    let told = |line: &Line| words::cut(&line.conclusion(MOST_TOLD), MOST_BELOW);
    let captions: Vec<String> = iter::once("What is known at once.".to_owned()).chain(lines.iter().map(told)).collect();
    let film = board.film(title, &captions, lines)?;
    let why = |line: &Line| format!("{title}: {} {}", line.conclusion(MOST_TOLD), line.reason(MOST_TOLD));
    let title = lines.first().filter(|_| !plays).map_or(title.to_owned(), why);
    let picture = film.has_grid().then(|| film.grid_picture(&title));
    Ok(picture.map(|picture| if plays { picture } else { picture.last_frame() }.svg()))
}

/// A page that plays the steps on the board.
fn page(title: &str, summary: &str, text: &str, lines: &[Line], board: &Board) -> Result<String, Failure> {
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
