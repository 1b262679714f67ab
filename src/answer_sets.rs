//! Answer sets as they come: for a person, as JSON, and in the two formats of the clingo command.
//!
//! Nothing is stored but the texts of the atoms met so far (an atom is put into words once, not once per answer) and, where
//! the last answer is special (the optimum, the consequences), that one answer.

use std::io::{self, Write};
use std::time::Instant;

use anstyle::{AnsiColor, Style as Ansi};
use rustc_hash::FxHashMap;

use crate::asp::{self, Model, Order};
use crate::diagnostic::Failure;
use crate::ending::{Ending, Verdict};
use crate::report::{Format, Header, Output, Report, Style, write_json_head, write_json_tail, written};
use crate::stop::Reason;

/// Whether answers are answer sets, or ever closer bounds of what all or some answer sets have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    AnswerSets,
    Brave,
    Cautious,
}

/// How the search ended, in the terms of the clingo command.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    pub satisfiable: bool,
    pub exhausted: bool,
    /// How often clingo was asked to solve.
    pub calls: u32,
    pub times: Times,
}

/// Seconds, as the clingo command reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    pub solving: f64,
    /// Until the first answer.
    pub first_model: f64,
    /// From the last answer to the proof that there is no more.
    pub unsat: f64,
    pub cpu: f64,
}

/// The report of a run of clingo.
pub struct AnswerSets {
    header: Header,
    output: Output,
    format: Format,
    style: Style,
    mode: Mode,
    began: Instant,
    words: Words,
    found: u64,
    found_before_call: u64,
    /// Answers proven optimal with `--opt-mode=optN`.
    optimal: u64,
    costs: Vec<i64>,
    atoms: usize,
    /// The last answer, where the next one decides how it is to be called.
    held: Option<Vec<u8>>,
    written: u64,
    summary: Summary,
    calls_written: u32,
    /// Whether the head of the output is written; an error in the program leaves the output empty.
    begun: bool,
    failed: Option<io::Error>,
}

/// The text of each atom, in the form that the format wants.
#[derive(Default)]
struct Words {
    quoted: bool,
    places: FxHashMap<u64, (u32, u32)>,
    text: Vec<u8>,
}

impl Words {
    fn of(&mut self, symbol: asp::Symbol) -> &[u8] {
        let (start, end) = *self.places.entry(asp::id_of(symbol)).or_insert_with(|| {
            let start = self.text.len();
            asp::text_of(symbol, &mut self.text);
            if self.quoted {
                let quoted = serde_json::to_string(&String::from_utf8_lossy(&self.text[start..])).unwrap_or_default();
                self.text.truncate(start);
                self.text.extend_from_slice(quoted.as_bytes());
            }
            (start as u32, self.text.len() as u32)
        });
        &self.text[start as usize..end as usize]
    }

    /// Four gigabytes of text are as many as the places can tell apart; long before that it is better to forget.
    fn make_room(&mut self) {
        if self.text.len() > 256 << 20 {
            self.text.clear();
            self.places.clear();
        }
    }
}

impl AnswerSets {
    /// A report for the answers of `mode`.
    pub fn new(header: Header, mode: Mode) -> impl FnOnce(Output, Format, Style) -> Self {
        move |output, format, style| {
            let words = Words { quoted: matches!(format, Format::Json | Format::ClingoJson), ..Words::default() };
            AnswerSets {
                header,
                output,
                format,
                style,
                mode,
                began: Instant::now(),
                words,
                found: 0,
                found_before_call: 0,
                optimal: 0,
                costs: Vec::new(),
                atoms: 0,
                held: None,
                written: 0,
                summary: Summary::default(),
                calls_written: 0,
                begun: false,
                failed: None,
            }
        }
    }

    /// The first error of the output; nothing is written after it.
    pub fn failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed.get_or_insert(error);
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let out = &mut self.output;
        let (major, minor, revision) = asp::version();
        let files: Vec<&String> = self.header.instance.iter().chain(&self.header.encoding).collect();
        match self.format {
            Format::Json => write_json_head(out, &self.header.json()),
            Format::Asp => {
                let first =
                    files.first().map_or("stdin", |name| if *name == "<stdin>" { "stdin" } else { name.as_str() });
                writeln!(out, "clingo version {major}.{minor}.{revision}")?;
                writeln!(out, "Reading from {first}{}", if files.len() > 1 { " ..." } else { "" })
            }
            Format::ClingoJson => {
                let input = serde_json::to_string(&files).unwrap_or_default();
                write!(
                    out,
                    "{{\n  \"Solver\": \"clingo version {major}.{minor}.{revision}\",\n  \"Input\": {input},\n  \"Call\": ["
                )
            }
            _ => Ok(()),
        }
    }

    /// A search begins: the first, or the next step of an incremental program.
    pub fn begin_call(&mut self) {
        let begun = self.begin();
        self.keep(begun);
        let result = match self.format {
            Format::Asp => writeln!(self.output, "Solving..."),
            Format::ClingoJson => {
                let close = if self.summary.calls > 0 { self.close_call() } else { Ok(()) };
                close.and_then(|()| write!(self.output, "{}\n    {{", if self.summary.calls > 0 { "," } else { "" }))
            }
            _ => Ok(()),
        };
        self.summary.calls += 1;
        self.calls_written = 0;
        self.found_before_call = self.found;
        self.keep(result);
    }

    fn close_call(&mut self) -> io::Result<()> {
        write!(self.output, "{}}}", if self.calls_written > 0 { "\n      ]\n    " } else { "" })
    }

    /// Takes an answer. Says whether anybody still wants more.
    pub fn put(&mut self, model: &mut Model<'_>) -> bool {
        self.found += 1;
        let result = self.write(model);
        self.keep(result);
        self.failed.is_none()
    }

    fn write(&mut self, model: &mut Model<'_>) -> io::Result<()> {
        let told = |error: asp::CallError| io::Error::other(error.text);
        // The first answer of a search tells whether there is something to minimise.
        if self.found == self.found_before_call + 1 || !self.costs.is_empty() {
            self.costs = model.costs().map_err(told)?;
        }
        let proven = !self.costs.is_empty() && model.optimality_proven().map_err(told)?;
        self.optimal += u64::from(proven);
        let number = if self.costs.is_empty() { self.found } else { model.number().map_err(told)? };
        if self.style.quiet && self.format != Format::Json && self.mode == Mode::AnswerSets {
            return Ok(());
        }
        self.words.make_room();
        let holds = self.mode != Mode::AnswerSets || !self.costs.is_empty();
        let AnswerSets { words, output, .. } = self;
        let symbols =
            model.shown(if self.format.is_answer_sets() { Order::AsFound } else { Order::Sorted }).map_err(told)?;
        self.atoms = symbols.len();
        match self.format {
            Format::Asp if self.style.quiet => Ok(()),
            Format::ClingoJson if self.style.quiet => Ok(()),
            Format::Asp => {
                writeln!(output, "Answer: {number}")?;
                write_words(output, words, symbols, b" ")?;
                output.write_all(b"\n")?;
                if !self.costs.is_empty() {
                    writeln!(output, "Optimization: {}", numbers(&self.costs, " "))?;
                }
                Ok(())
            }
            Format::ClingoJson => {
                let opening = if self.calls_written == 0 { "\n      \"Witnesses\": [" } else { "," };
                write!(output, "{opening}\n        {{\"Value\": [")?;
                write_words(output, words, symbols, b", ")?;
                output.write_all(b"]")?;
                if !self.costs.is_empty() {
                    write!(output, ", \"Costs\": [{}]", numbers(&self.costs, ", "))?;
                }
                self.calls_written += 1;
                output.write_all(b"}")
            }
            Format::Json => {
                let mut held = b"{\"atoms\": [".to_vec();
                write_words(&mut held, words, symbols, b", ")?;
                write!(held, "], \"costs\": [{}]", numbers(&self.costs, ", "))?;
                if !holds {
                    return self.write_json_answer(held, false);
                }
                let last = self.held.replace(held);
                match last {
                    Some(last) if self.mode == Mode::AnswerSets && !proven => self.write_json_answer(last, false),
                    _ if proven => self.flush_held(true),
                    _ => Ok(()),
                }
            }
            Format::Lines => {
                let mut held = Vec::new();
                write_words(&mut held, words, symbols, b" ")?;
                held.push(b'\n');
                if !holds {
                    return output.write_all(&held);
                }
                self.held = Some(held);
                Ok(())
            }
            _ => {
                let title = Ansi::new().bold();
                let mut page = Vec::new();
                match self.mode {
                    Mode::AnswerSets => writeln!(page, "{}", self.style.paint(title, &format!("Answer {number}")))?,
                    Mode::Brave => writeln!(page, "{}", self.style.paint(title, "In some answer"))?,
                    Mode::Cautious => writeln!(page, "{}", self.style.paint(title, "In every answer"))?,
                }
                page.extend_from_slice(b"  ");
                if self.atoms == 0 {
                    page.extend_from_slice(self.style.paint(Ansi::new().dimmed(), "(no atoms)").as_bytes());
                }
                write_words(&mut page, words, symbols, b" ")?;
                page.push(b'\n');
                if !self.costs.is_empty() {
                    let best = if proven { ", proven optimal" } else { "" };
                    writeln!(
                        page,
                        "  {}{best}",
                        self.style.paint(AnsiColor::Cyan.on_default(), &format!("cost {}", numbers(&self.costs, ", ")))
                    )?;
                }
                if self.mode == Mode::AnswerSets {
                    return output.write_all(&page);
                }
                self.held = Some(page);
                Ok(())
            }
        }
    }

    fn write_json_answer(&mut self, mut answer: Vec<u8>, optimal: bool) -> io::Result<()> {
        write!(answer, ", \"optimal\": {optimal}}}")?;
        write!(self.output, "{}\n    ", if self.written == 0 { "" } else { "," })?;
        self.written += 1;
        self.output.write_all(&answer)
    }

    fn flush_held(&mut self, optimal: bool) -> io::Result<()> {
        match self.held.take() {
            Some(held) if self.format == Format::Json => self.write_json_answer(held, optimal),
            Some(held) => self.output.write_all(&held),
            None => Ok(()),
        }
    }

    /// Tells the report how the search ended.
    pub fn set_summary(&mut self, satisfiable: bool, exhausted: bool, times: Times) {
        self.summary = Summary { satisfiable, exhausted, times, ..self.summary };
    }

    fn is_optimum(&self) -> bool {
        !self.costs.is_empty() && self.summary.exhausted && self.found > 0
    }

    /// `SATISFIABLE` and its kin.
    fn result(&self) -> &'static str {
        match (self.found > 0 || self.summary.satisfiable, self.summary.exhausted) {
            (true, true) if self.is_optimum() => "OPTIMUM FOUND",
            (true, _) => "SATISFIABLE",
            (false, true) => "UNSATISFIABLE",
            (false, false) => "UNKNOWN",
        }
    }

    fn end(&mut self, ending: &Ending) -> io::Result<()> {
        let seconds = self.began.elapsed().as_secs_f64();
        match self.format {
            Format::Lines => self.flush_held(false),
            Format::Text | Format::Svg | Format::Dot | Format::Html => {
                self.flush_held(false)?;
                let text = self.closing_line(ending);
                writeln!(self.output, "{text}")
            }
            Format::Json => {
                let optimal = self.is_optimum();
                self.flush_held(optimal)?;
                write_json_tail(&mut self.output, self.written > 0, ending)
            }
            Format::Asp => self.end_asp(ending, seconds),
            Format::ClingoJson => self.end_clingo_json(ending, seconds),
        }
    }

    fn closing_line(&self, ending: &Ending) -> String {
        let plural = if self.found == 1 { "" } else { "s" };
        let bold = Ansi::new().bold();
        let gave_up = ending.verdict.gave_up_words();
        let count = format!("{} answer{plural}", self.found);
        let words = match (self.result(), self.mode) {
            _ if !gave_up.is_empty() => format!("{gave_up} {count} found; there may be more."),
            ("OPTIMUM FOUND", _) if self.optimal > 1 => format!(
                "{} optimal answers, of cost {}: all of them, proven.",
                self.optimal,
                numbers(&self.costs, ", ")
            ),
            ("OPTIMUM FOUND", _) => {
                format!("Optimum found: no answer costs less than {}, proven.", numbers(&self.costs, ", "))
            }
            ("UNSATISFIABLE", _) => "No answer: proven that there is none.".to_owned(),
            (_, Mode::Brave) if self.summary.exhausted => format!("{} atoms hold in some answer.", self.atoms),
            (_, Mode::Cautious) if self.summary.exhausted => format!("{} atoms hold in every answer.", self.atoms),
            (_, _) if self.summary.exhausted && ending.complete => format!("{count}: all of them."),
            (_, _) if self.summary.exhausted => format!("{count}, and perhaps more: see the warning."),
            _ => format!("{count}; there may be more (-n 0 finds all)."),
        };
        self.style.paint(bold, &words)
    }

    fn end_asp(&mut self, ending: &Ending, seconds: f64) -> io::Result<()> {
        let optimum = if self.summary.exhausted { "yes" } else { "unknown" };
        let more = if self.summary.exhausted { "" } else { "+" };
        writeln!(self.output, "{}\n", self.result())?;
        if let Verdict::GaveUp(reason) = ending.verdict {
            writeln!(
                self.output,
                "{}",
                if reason == Reason::TimeLimit { "TIME LIMIT   : 1" } else { "INTERRUPTED  : 1" }
            )?;
        }
        writeln!(self.output, "Models       : {}{more}", self.found)?;
        if !self.costs.is_empty() {
            writeln!(self.output, "  Optimum    : {optimum}")?;
            if self.optimal > 1 {
                writeln!(self.output, "  Optimal    : {}", self.optimal)?;
            }
        }
        match self.mode {
            Mode::AnswerSets => {}
            Mode::Brave => writeln!(self.output, "  Brave      : {optimum}\nConsequences : {}", self.atoms)?,
            Mode::Cautious => writeln!(self.output, "  Cautious   : {optimum}\nConsequences : {}", self.atoms)?,
        }
        if !self.costs.is_empty() {
            writeln!(self.output, "Optimization : {}", numbers(&self.costs, " "))?;
        }
        writeln!(self.output, "Calls        : {}", self.summary.calls.max(1))?;
        let Times { solving, first_model, unsat, cpu } = self.summary.times;
        writeln!(
            self.output,
            "Time         : {seconds:.3}s (Solving: {solving:.2}s 1st Model: {first_model:.2}s Unsat: {unsat:.2}s)\nCPU Time     : {cpu:.3}s"
        )
    }

    fn end_clingo_json(&mut self, ending: &Ending, seconds: f64) -> io::Result<()> {
        if self.summary.calls > 0 {
            self.close_call()?;
        }
        let yes = |known: bool| if known { "yes" } else { "unknown" };
        let exhausted = self.summary.exhausted;
        let result = self.result();
        let out = &mut self.output;
        write!(out, "\n  ],\n  \"Result\": \"{result}\",\n")?;
        if let Verdict::GaveUp(reason) = ending.verdict {
            writeln!(out, "  \"{}\": 1,", if reason == Reason::TimeLimit { "TIME LIMIT" } else { "INTERRUPTED" })?;
        }
        write!(
            out,
            "  \"Models\": {{\n    \"Number\": {},\n    \"More\": \"{}\"",
            self.found,
            if exhausted { "no" } else { "yes" }
        )?;
        match self.mode {
            Mode::AnswerSets => {}
            Mode::Brave => write!(
                out,
                ",\n    \"Brave\": \"{}\",\n    \"Consequences\": {{\"True\": {}}}",
                yes(exhausted),
                self.atoms
            )?,
            Mode::Cautious => write!(
                out,
                ",\n    \"Cautious\": \"{}\",\n    \"Consequences\": {{\"True\": {}}}",
                yes(exhausted),
                self.atoms
            )?,
        }
        if !self.costs.is_empty() {
            let optimal = if self.optimal > 0 { self.optimal } else { u64::from(exhausted) };
            write!(
                out,
                ",\n    \"Optimum\": \"{}\",\n    \"Optimal\": {optimal},\n    \"Costs\": [{}]",
                yes(exhausted),
                numbers(&self.costs, ", ")
            )?;
        }
        writeln!(out, "\n  }},\n  \"Calls\": {},\n  \"Time\": {{", self.summary.calls.max(1))?;
        let Times { solving, first_model, unsat, cpu } = self.summary.times;
        for (name, seconds) in [("Total", seconds), ("Solve", solving), ("Model", first_model), ("Unsat", unsat)] {
            writeln!(out, "    \"{name}\": {seconds:.3},")?;
        }
        writeln!(out, "    \"CPU\": {cpu:.3}\n  }}\n}}")
    }
}

impl Report for AnswerSets {
    fn finish(&mut self, ending: &Ending) -> Result<(), Failure> {
        written(match self.failed.take() {
            Some(error) => Err(error),
            None => self.begin().and_then(|()| self.end(ending)).and_then(|()| self.output.flush()),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn found(&self) -> u64 {
        self.found
    }
}

fn write_words(
    out: &mut impl Write,
    words: &mut Words,
    symbols: impl Iterator<Item = asp::Symbol>,
    between: &[u8],
) -> io::Result<()> {
    for (index, symbol) in symbols.enumerate() {
        if index > 0 {
            out.write_all(between)?;
        }
        out.write_all(words.of(symbol))?;
    }
    Ok(())
}

fn numbers(numbers: &[i64], between: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
