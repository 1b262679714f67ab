//! Steps in words, on the board, as a page that plays them, and as a difficulty.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Instant;

use serde_json::{Value, json};

use super::steps::{Next, Round, Step, Steps};
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
use crate::words::{count, shown};

/// A person reads no more of one step; JSON has all.
const MOST_TOLD: usize = 8;
/// As long as a caption may be.
const MOST_CAPTION: usize = 400;
/// The ground of cells in which a step has found something, on the page.
const FRESH: &str = "#ffe9a8";

/// A step, as it is told.
struct Line {
    atoms: Vec<String>,
    follows: Vec<String>,
    because: Vec<Part>,
    /// What else would be wrong.
    broken: Vec<String>,
}

/// Tells the first step, or all of them.
pub fn explain(source: &Source, question: &Question, job: &Job) -> Result<Told, Failure> {
    let wants_all = matches!(question.asks, Asks::Steps { all: true });
    let mut switched = taken_apart(source, &job.settings, &job.stop)?;
    let title = job.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut board = Board::of(&mut switched)?;
    let mut steps = Steps::new(&mut switched, &job.stop)?;
    board.look(&steps);
    let mut found = Vec::new();
    let end = loop {
        match steps.next_step()? {
            Next::Step(step) => {
                found.push(step);
                board.look(&steps);
                if !wants_all {
                    break None;
                }
            }
            end => break Some(end),
        }
    };
    let lines = lines(&switched, &found)?;
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
    let drawing = board.drawing(&title, !wants_all)?;
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
    let lists = lines.iter().map(|line| List::of("", &line.because)).collect();
    Ok(Told { text, json, lists, html, verdict: Some(verdict), ..Told::default() })
}

/// Tells how hard it is: what each round finds, how large its reasons are, and how large what plain deletion would say.
pub fn rate(source: &Source, question: &Question, job: &Job) -> Result<Told, Failure> {
    let begun = Instant::now();
    let mut switched = taken_apart(source, &job.settings, &job.stop)?;
    let mut steps = Steps::new(&mut switched, &job.stop)?;
    let deletion = match question.asks {
        Asks::Rating { deletion: true } => Some(steps.by_deletion()?),
        _ => None,
    };
    let grounded = begun.elapsed();
    let begun = Instant::now();
    let (mut rounds, mut slowest) = (0, 0_f64);
    // What is proven to be the smallest comes before what may be larger.
    let mut sizes = BTreeMap::<(usize, bool), usize>::new();
    let end = loop {
        let before = Instant::now();
        let next = steps.next_round()?;
        slowest = slowest.max(before.elapsed().as_secs_f64());
        match next {
            Ok(Round { found, size, is_exact }) => *sizes.entry((size, !is_exact)).or_default() += found,
            Err(end) => break end,
        }
        rounds += 1;
    };
    let seconds = begun.elapsed().as_secs_f64();
    let number: usize = sizes.values().sum();
    let sum: usize = sizes.iter().map(|(&(size, _), number)| size * number).sum();
    let largest = sizes.last_key_value().map_or(0, |(&(size, _), _)| size);
    let is_exact = !sizes.keys().any(|&(_, is_bound)| is_bound);
    let least = |is_bound: bool| if is_bound { "at least " } else { "" };
    let mut text = format!(
        "{} in {}: the hardest needs {}{}, all together {}{sum}.\n",
        count(number, "step", "steps"),
        count(rounds, "round", "rounds"),
        least(sizes.last_key_value().is_some_and(|(&(_, is_bound), _)| is_bound)),
        count(largest, "reason", "reasons"),
        least(!is_exact),
    );
    for (&(size, is_bound), number) in &sizes {
        let _ = writeln!(
            text,
            "  {} of {}{}",
            count(*number, "step", "steps"),
            least(is_bound),
            count(size, "reason", "reasons")
        );
    }
    if end != Next::Solved {
        let _ = writeln!(text, "{}", ending(&end, number));
    }
    if let Some(sizes) = &deletion
        && let (Some(smallest), Some(largest)) = (sizes.first(), sizes.last())
    {
        let median = sizes[sizes.len() / 2];
        let _ = writeln!(
            text,
            "Plain deletion has {smallest} to {largest} reasons for what is to be found, in the middle {median}."
        );
    }
    let of_size = |(&(size, is_bound), number): (&(usize, bool), &usize)| {
        (format!("{size}{}", if is_bound { "+" } else { "" }), json!(number))
    };
    let mut json = json!({
        "schema": 1,
        "verdict": name(&end),
        "steps": number, "rounds": rounds, "largest": largest, "sum": sum, "exact": is_exact,
        "sizes": sizes.iter().map(of_size).collect::<serde_json::Map<_, _>>(),
        "seconds": rounded(seconds), "slowest": rounded(slowest), "preparation": rounded(grounded.as_secs_f64()),
    });
    if let Some(sizes) = deletion {
        json["deletion"] = json!(sizes);
    }
    let verdict = match end {
        Next::Unknown(reason) => Verdict::GaveUp(reason),
        Next::Impossible => Verdict::Impossible,
        _ => Verdict::Solved,
    };
    Ok(Told { text, json, verdict: Some(verdict), ..Told::default() })
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1e4).round() / 1e4
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
fn name(end: &Next) -> &'static str {
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
        (Next::Impossible, _) => "There is no solution; asp-solve why tells the cause.".to_owned(),
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
        let term =
            |&(atom, holds): &(Symbol, bool)| format!("{}{}", if holds { "" } else { "not " }, asp::to_text(atom));
        let atoms = step.follows.iter().map(term).collect();
        let follows = words.by_ref().take(step.follows.len()).collect();
        let because: Vec<Part> = parts.by_ref().take(step.because.len()).collect();
        let broken = step.because.iter().zip(&because).map(|(&part, told)| switched.broken(part, told)).collect();
        Line { atoms, follows, because, broken }
    };
    Ok(steps.iter().map(line).collect())
}

impl Line {
    fn conclusion(&self, most: usize) -> String {
        format!("{}.", listed(&self.follows, most, ", ", ", and "))
    }

    fn reason(&self, most: usize) -> String {
        match self.broken.len() {
            0 => "The rules alone say so.".to_owned(),
            _ => format!("Else {}.", listed(&self.broken, most, ", or ", ", or ")),
        }
    }

    fn json(&self) -> Value {
        json!({
            "follows": self.atoms,
            "because": self.because.iter().map(Part::json).collect::<Vec<_>>(),
            "size": self.because.len(),
            "words": format!("{} {}", self.conclusion(usize::MAX), self.reason(usize::MAX)),
        })
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

    /// What the last look saw, with marks where it saw more than the one before.
    fn drawing(&self, source: &str, marks: bool) -> Result<Drawing, Failure> {
        let last = self.drawn(source, self.looks - 1)?;
        match self.looks {
            2.. if marks => Ok(last.marked(&last.differences(&self.drawn(source, self.looks - 2)?))),
            _ => Ok(last),
        }
    }

    /// Each look as a frame of one drawing, the cells in which it saw something new on a ground of their own.
    fn film(&self, source: &str, captions: &[String]) -> Result<Drawing, Failure> {
        let frame = |look: usize| asp::number(i32::try_from(look + 1).unwrap_or(i32::MAX));
        let made = |name: &str, arguments: &[Symbol]| asp::function(name, arguments).expect("the name has no NUL");
        let mut atoms: Vec<Symbol> = self.seen(0).collect();
        let mut before = self.drawn(source, 0)?;
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
            for (row, column) in now.differences(&before) {
                // A line may cross the ground between cells.
                if now.has_cell((row, column))
                    && !filled.contains(&(Term::Number(row), Term::Number(column)))
                    && let Some(color) = asp::string(FRESH)
                {
                    let ground = made("fill", &[asp::number(row), asp::number(column), color]);
                    atoms.push(made("draw", &[ground, frame(look)]));
                }
            }
            before = now;
        }
        Ok(Drawing::of(&atoms, source)?.0)
    }
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
    let film = board.film(title, &captions)?;
    if film.has_grid() {
        page.add(&film.picture(title));
    }
    page.columns = ["step", "what follows", "why", "reasons"].map(str::to_owned).to_vec();
    let row = |(number, line): (usize, &Line)| {
        let size = line.because.len().to_string();
        (0, vec![(number + 1).to_string(), line.conclusion(usize::MAX), line.reason(usize::MAX), size])
    };
    page.rows = lines.iter().enumerate().map(row).collect();
    Ok(page.html())
}
