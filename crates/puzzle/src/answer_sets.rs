//! Streamed answer sets: as text, as JSON, and in the two formats of the clingo command.
//!
//! Answers are not stored, except the last one if its presentation depends on the next one (the
//! optimum, the consequences). The text of each atom is formatted once and stored.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Instant;

use crate::format::Format;
use anstyle::{AnsiColor, Style as Ansi};
use asp::{MaximizedPriorities, Model, Order, ReasoningMode, SolveMode};
use base::diagnostic::Failure;
use base::ending::{Uniqueness, Verdict};
use base::stop::StopReason;
use base::style::Style;
use base::words::{count, sanitize};
use drawing::Drawing;
use ground::Optimisation;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::any_result::{AnyRunResult, uniqueness_words};
use super::closing::{ClingoStatus, ClosingLine, ModelStats, Proven, Times};
use super::costs::{AnswerCosts, numbers};
use super::report::{Header, Output, Report, output_result, write_json_head, write_json_tail};
use super::selection::Selection;
use crate::job::{Job, Rules};

/// The report of a run that prints answer sets.
pub struct AnswerSetReport {
    header: Header,
    request: ReportRequest,
    output: Output,
    began: Instant,
    atom_texts: AtomTexts,
    /// The text of the current answer; the buffer is reused
    line: Vec<u8>,
    /// The text of the current answer with its title; the buffer is reused
    page: Vec<u8>,
    counts: AnswerCounts,
    call: SolveCall,
    last: LastAnswer,
    /// JSON answers that follow the optimum: improvements, newest last
    earlier: Vec<Vec<u8>>,
    maximized: MaximizedPriorities,
    status: ClingoStatus,
    /// The cause of unsatisfiability, as JSON
    cause: Option<Value>,
    /// The head of the output is written. If an error comes before it, the output stays empty
    is_begun: bool,
    failed: Option<io::Error>,
}

/// What is printed, and how.
#[derive(Clone, Copy)]
struct ReportRequest {
    format: Format,
    style: Style,
    solve_mode: SolveMode,
    /// The job asks whether there is exactly one answer
    asks_unique: bool,
    /// Omit drawing atoms in `Format::Lines`
    hides_drawing: bool,
}

/// Numbers of answers in all calls.
#[derive(Default)]
struct AnswerCounts {
    found: u64,
    written: u64,
    /// Answers omitted because their text was printed before
    repeated: u64,
    /// Answers that have passed a check, if answers are checked
    checked: Option<u64>,
    /// Number of solve calls
    calls: u32,
}

/// The current solve call: in a program in steps, the last step.
#[derive(Default)]
struct SolveCall {
    /// Number of answers of earlier calls
    found_before: u64,
    /// Number of answers that are proven optimal (`--opt-mode=optN`)
    optimal: u64,
    written: u32,
    /// The texts printed, if different answers may have equal texts
    printed: Option<FxHashSet<Vec<u8>>>,
}

#[derive(Default)]
struct LastAnswer {
    costs: AnswerCosts,
    atoms: usize,
    /// It is proven optimal
    is_optimal: bool,
    /// clingo's number of the answer
    number: u64,
    /// Its text, if its presentation depends on the next answer
    held: Option<Vec<u8>>,
}

/// The texts of atoms, formatted as the output format requires.
#[derive(Default)]
struct AtomTexts {
    is_json: bool,
    is_text_format: bool,
    ranges: FxHashMap<u64, (u32, u32)>,
    text: Vec<u8>,
}

impl AtomTexts {
    fn of(&mut self, symbol: asp::Symbol) -> &[u8] {
        let known = self.ranges.get(&asp::id_of(symbol)).copied();
        let (start, end) = known.unwrap_or_else(|| self.put(symbol));
        &self.text[start as usize..end as usize]
    }

    /// Formats a symbol, adds it to the table, and returns its range.
    #[cold]
    fn put(&mut self, symbol: asp::Symbol) -> (u32, u32) {
        let start = self.text.len();
        asp::text_of(symbol, &mut self.text);
        // Most texts stay as they are.
        let is_plain = !self.is_json && self.text[start..].iter().all(|byte| matches!(byte, b' '..=b'~'));
        let changed = match String::from_utf8_lossy(if is_plain { b"" } else { &self.text[start..] }) {
            _ if is_plain => None,
            text if self.is_json => Some(serde_json::to_string(&text).unwrap_or_default()),
            text if self.is_text_format && text.contains(char::is_control) => Some(sanitize(&text)),
            _ => None,
        };
        if let Some(changed) = changed {
            self.text.truncate(start);
            self.text.extend_from_slice(changed.as_bytes());
        }
        let place = (start as u32, self.text.len() as u32);
        self.ranges.insert(asp::id_of(symbol), place);
        place
    }

    /// Clears the table when it is large: ranges have 32 bits, and memory matters long before that.
    fn make_room(&mut self) {
        if self.text.len() > 256 << 20 {
            self.text.clear();
            self.ranges.clear();
        }
    }
}

impl AnswerSetReport {
    /// Returns the constructor of a report for the answers in `solve_mode`; it takes the output,
    /// the format and the style.
    pub fn new(header: Header, job: &Job, solve_mode: SolveMode) -> impl FnOnce(Output, Format, Style) -> Self + use<> {
        let asks_unique = job.question.is_unique;
        // Each selected answer is reported, and not only the last one.
        let optimisation = match job.question.selection {
            Selection::First => solve_mode.optimisation,
            _ => Optimisation::None,
        };
        let solve_mode = SolveMode { optimisation, ..solve_mode };
        move |output, format, style| {
            let is_json = matches!(format, Format::Json | Format::ClingoJson);
            AnswerSetReport {
                header,
                request: ReportRequest { format, style, solve_mode, asks_unique, hides_drawing: false },
                output,
                began: Instant::now(),
                atom_texts: AtomTexts { is_json, is_text_format: format == Format::Text, ..AtomTexts::default() },
                line: Vec::new(),
                page: Vec::new(),
                counts: AnswerCounts::default(),
                call: SolveCall::default(),
                last: LastAnswer::default(),
                earlier: Vec::new(),
                maximized: MaximizedPriorities::default(),
                // The status until the search reports its end.
                status: ClingoStatus { is_stopped: true, ..ClingoStatus::default() },
                cause: None,
                is_begun: false,
                failed: None,
            }
        }
    }

    /// Sets the priorities whose costs are printed as values.
    pub fn set_maximized(&mut self, maximized: MaximizedPriorities) {
        self.maximized = maximized;
    }

    /// Hides drawing atoms in lines.
    pub fn hide_drawing(&mut self) {
        self.request.hides_drawing = true;
    }

    /// Merges answers with equal texts, except in clingo's own formats: for clingo an atom and a
    /// shown term of the same text differ.
    pub fn merge_equal_texts(&mut self) {
        let merges = !self.request.format.is_answer_sets() && self.request.solve_mode.mode == ReasoningMode::AnswerSets;
        self.call.printed = merges.then(FxHashSet::default);
    }

    /// The first error of the output; nothing is written after it.
    pub fn failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    fn record_error(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed.get_or_insert(error);
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_begun, true) {
            return Ok(());
        }
        let out = &mut self.output;
        let (major, minor, revision) = asp::version();
        let files: Vec<&String> = self.header.instance.iter().chain(&self.header.encoding).collect();
        match self.request.format {
            Format::Json => {
                let mut head = self.header.json();
                let name = match self.request.solve_mode.mode {
                    ReasoningMode::AnswerSets => None,
                    ReasoningMode::Brave => Some("brave"),
                    ReasoningMode::Cautious => Some("cautious"),
                };
                head.extend(name.map(|name| ("consequences".to_owned(), Value::from(name))));
                write_json_head(out, &head)
            }
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

    /// Begins a search: the first, or the next step of an incremental program.
    pub fn begin_call(&mut self) {
        let begun = self.begin().and_then(|()| self.end_call());
        self.record_error(begun);
        let result = match self.request.format {
            Format::Asp => writeln!(self.output, "Solving..."),
            Format::ClingoJson => {
                let close = if self.counts.calls > 0 { self.close_call() } else { Ok(()) };
                close.and_then(|()| write!(self.output, "{}\n    {{", if self.counts.calls > 0 { "," } else { "" }))
            }
            _ => Ok(()),
        };
        self.counts.calls += 1;
        self.call.written = 0;
        self.call.found_before = self.counts.found;
        (self.call.optimal, self.last.is_optimal) = (0, false);
        self.last.costs = AnswerCosts::default();
        if let Some(printed) = &mut self.call.printed {
            printed.clear();
        }
        self.record_error(result);
    }

    /// Writes or stores the best answer of an earlier step.
    fn end_call(&mut self) -> io::Result<()> {
        match self.request.format {
            _ if self.request.solve_mode.mode != ReasoningMode::AnswerSets => Ok(()),
            Format::Json => {
                self.earlier.extend(self.last.held.take());
                Ok(())
            }
            Format::Lines | Format::Asp | Format::ClingoJson => Ok(()),
            _ => self.flush_held(false),
        }
    }

    fn close_call(&mut self) -> io::Result<()> {
        write!(self.output, "{}}}", if self.call.written > 0 { "\n      ]\n    " } else { "" })
    }

    /// Writes an answer. Returns false after an output error.
    pub fn put(&mut self, model: &mut Model<'_>) -> bool {
        self.counts.found += 1;
        let result = self.write(model);
        self.record_error(result);
        self.failed.is_none()
    }

    fn write(&mut self, model: &mut Model<'_>) -> io::Result<()> {
        let to_io_error = |error: asp::CallError| io::Error::other(error.text);
        // The first answer of a search shows whether there are costs.
        if self.counts.found == self.call.found_before + 1 || !self.last.costs.is_empty() {
            self.last.costs = AnswerCosts::of(model, &self.maximized).map_err(to_io_error)?;
        }
        self.last.is_optimal = !self.last.costs.is_empty() && model.optimality_proven().map_err(to_io_error)?;
        self.call.optimal += u64::from(self.last.is_optimal);
        let number =
            if self.last.costs.is_empty() { self.counts.found } else { model.number().map_err(to_io_error)? };
        self.last.number = number;
        let is_answer = self.request.solve_mode.mode == ReasoningMode::AnswerSets;
        let is_silent = self.request.style.quiet && self.request.format != Format::Json && is_answer;
        if is_silent && self.call.printed.is_none() {
            return Ok(());
        }
        self.atom_texts.make_room();
        let order = if self.request.format.is_answer_sets() { Order::AsFound } else { Order::Sorted };
        let symbols = model.shown(order).map_err(to_io_error)?;
        self.last.atoms = symbols.len();
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        match self.request.format {
            Format::Lines if self.request.hides_drawing => {
                write_atoms(&mut line, &mut self.atom_texts, symbols.filter(|&atom| !Drawing::is_draw_atom(atom)))
            }
            _ => write_atoms(&mut line, &mut self.atom_texts, symbols),
        }
        if let Some(printed) = &mut self.call.printed {
            // clingo proves an optimum by reporting the answer again.
            let costs = format!(" {:?}{}", self.last.costs.costs, self.last.is_optimal);
            if !printed.insert([line.as_slice(), costs.as_bytes()].concat()) {
                (self.counts.found, self.counts.repeated) = (self.counts.found - 1, self.counts.repeated + 1);
                self.call.optimal -= u64::from(self.last.is_optimal);
                self.line = line;
                return Ok(());
            }
        }
        match self.request.format {
            _ if is_silent => {}
            Format::Asp | Format::ClingoJson if self.request.style.quiet => {}
            // clingo restarts its count in each call.
            Format::Asp if self.last.costs.is_empty() => self.write_asp(self.found_in_call(), &line)?,
            Format::Asp => self.write_asp(number, &line)?,
            Format::ClingoJson => self.write_clingo_json(&line)?,
            Format::Json => self.write_json(&line)?,
            Format::Lines => {
                line.push(b'\n');
                if is_answer && !self.minimises() {
                    self.output.write_all(&line)?;
                } else {
                    self.last.held = Some(line.clone());
                }
            }
            _ => self.write_text(&line)?,
        }
        self.line = line;
        Ok(())
    }

    fn write_asp(&mut self, number: u64, line: &[u8]) -> io::Result<()> {
        writeln!(self.output, "Answer: {number}")?;
        self.output.write_all(line)?;
        self.output.write_all(b"\n")?;
        if !self.last.costs.is_empty() {
            writeln!(self.output, "Optimization: {}", numbers(&self.last.costs.costs, " "))?;
        }
        Ok(())
    }

    fn write_clingo_json(&mut self, line: &[u8]) -> io::Result<()> {
        let opening = if self.call.written == 0 { "\n      \"Witnesses\": [" } else { "," };
        write!(self.output, "{opening}\n        {{\"Value\": [")?;
        self.output.write_all(line)?;
        self.output.write_all(b"]")?;
        if !self.last.costs.is_empty() {
            write!(self.output, ", \"Costs\": [{}]", numbers(&self.last.costs.costs, ", "))?;
        }
        self.call.written += 1;
        self.output.write_all(b"}")
    }

    fn write_json(&mut self, line: &[u8]) -> io::Result<()> {
        let is_answer = self.request.solve_mode.mode == ReasoningMode::AnswerSets;
        let mut answer = b"{\"atoms\": [".to_vec();
        answer.extend_from_slice(line);
        answer.push(b']');
        // Consequences have no costs.
        if is_answer {
            write!(answer, ", \"costs\": [{}]", numbers(&self.last.costs.costs, ", "))?;
        }
        if let Some(values) = self.last.costs.values().filter(|_| is_answer) {
            write!(answer, ", \"values\": [{}]", numbers(&values, ", "))?;
        }
        if is_answer && !self.minimises() {
            return self.write_json_answer(answer, self.last.is_optimal);
        }
        match self.last.held.replace(answer) {
            // The first answer proven optimal repeats the one before it.
            _ if is_answer && self.last.is_optimal => self.flush_held(true),
            Some(last) if is_answer && self.request.style.verbose => {
                self.earlier.push(last);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn write_text(&mut self, line: &[u8]) -> io::Result<()> {
        let is_answer = self.request.solve_mode.mode == ReasoningMode::AnswerSets;
        let is_improvable = self.minimises() && !self.last.is_optimal;
        let mut page = std::mem::take(&mut self.page);
        page.clear();
        let is_final = is_answer && (self.request.style.verbose || !is_improvable);
        if is_final {
            self.write_title(&mut page, false)?;
        }
        page.extend_from_slice(b"  ");
        if self.last.atoms == 0 {
            page.extend_from_slice(self.request.style.paint(Ansi::new().dimmed(), "(no atoms)").as_bytes());
        }
        page.extend_from_slice(line);
        page.push(b'\n');
        if is_answer && !self.last.costs.is_empty() {
            let best = if self.last.is_optimal { ", proven optimal" } else { "" };
            let cost = self.last.costs.words();
            writeln!(page, "  {}{best}", self.request.style.paint(AnsiColor::Cyan.on_default(), &cost))?;
        }
        if is_final {
            self.last.held = None;
            self.output.write_all(&page)?;
            self.page = page;
        } else {
            self.last.held = Some(page);
        }
        Ok(())
    }

    /// Writes the title of the last answer in text.
    fn write_title(&self, out: &mut impl Write, is_optimum: bool) -> io::Result<()> {
        let numbered = format_args!("Answer {}", self.last.number);
        let title: &dyn Display = match self.request.solve_mode.mode {
            ReasoningMode::AnswerSets if is_optimum => &"Optimum",
            ReasoningMode::AnswerSets => &numbered,
            _ if self.request.solve_mode.is_bounded || self.minimises() => &"Consequences",
            ReasoningMode::Brave => &"In some answer",
            ReasoningMode::Cautious => &"In every answer",
        };
        let bold = Ansi::new().bold();
        match self.request.style.color {
            true => writeln!(out, "{bold}{title}{bold:#}"),
            false => writeln!(out, "{title}"),
        }
    }

    fn write_json_answer(&mut self, mut answer: Vec<u8>, optimal: bool) -> io::Result<()> {
        if self.request.solve_mode.mode == ReasoningMode::AnswerSets {
            write!(answer, ", \"optimal\": {optimal}")?;
        }
        answer.push(b'}');
        write!(self.output, "{}\n    ", if self.counts.written == 0 { "" } else { "," })?;
        self.counts.written += 1;
        self.output.write_all(&answer)
    }

    fn flush_held(&mut self, optimal: bool) -> io::Result<()> {
        match self.last.held.take() {
            None => Ok(()),
            Some(held) if self.request.format == Format::Json => self.write_json_answer(held, optimal),
            Some(held) if self.request.format == Format::Lines => self.output.write_all(&held),
            Some(held) => {
                let mut page = std::mem::take(&mut self.page);
                page.clear();
                self.write_title(&mut page, optimal)?;
                page.extend_from_slice(&held);
                self.output.write_all(&page)?;
                self.page = page;
                Ok(())
            }
        }
    }

    /// Sets the end of the search.
    pub fn set_status(&mut self, status: ClingoStatus) {
        self.status = status;
    }

    /// Sets the cause of unsatisfiability.
    pub fn set_cause(&mut self, cause: Option<Value>) {
        self.cause = cause;
    }

    /// Sets the number of answers that have passed a check.
    pub fn set_checked(&mut self, checked: u64) {
        self.counts.checked = Some(checked);
    }

    /// Returns true if the search minimises costs.
    fn minimises(&self) -> bool {
        self.request.solve_mode.optimisation != Optimisation::None && !self.last.costs.is_empty()
    }

    /// Returns the claim that the search has proven.
    pub fn proof(&self) -> Proven {
        Proven::of(self.request.solve_mode, self.status, self.model_stats())
    }

    fn model_stats(&self) -> ModelStats {
        ModelStats {
            found: self.found_in_call(),
            has_costs: !self.last.costs.is_empty(),
            is_optimal: self.last.is_optimal,
        }
    }

    /// Number of answers of the last call; in a program in steps, of the last step.
    fn found_in_call(&self) -> u64 {
        self.counts.found - self.call.found_before
    }

    /// Returns whether there is exactly one answer or, with costs, exactly one optimum.
    pub fn uniqueness(&self, verdict: Verdict, complete: bool) -> Uniqueness {
        let is_of_optima = !self.last.costs.is_empty() && self.request.solve_mode.optimisation == Optimisation::All;
        let found = if is_of_optima { self.call.optimal } else { self.found_in_call() };
        match Uniqueness::of(self.request.asks_unique, verdict, complete, found) {
            // Answers of earlier steps were reported as well.
            Uniqueness::One | Uniqueness::NotOne if self.call.found_before > 0 => Uniqueness::Unknown,
            // The search skipped answers that cost more.
            Uniqueness::One | Uniqueness::NotOne
                if found > 0
                    && (self.minimises() && !is_of_optima
                        || self.request.solve_mode.mode != ReasoningMode::AnswerSets) =>
            {
                Uniqueness::Unknown
            }
            uniqueness => uniqueness,
        }
    }

    /// Returns true if the last answer is an optimum by clingo's definition: it is proven optimal,
    /// or it is the last answer of an exhausted search.
    fn is_optimum(&self) -> bool {
        !self.last.costs.is_empty() && (self.status.exhausted || self.last.is_optimal)
    }

    /// clingo's result: `SATISFIABLE` and others.
    fn result(&self) -> &'static str {
        match (self.found_in_call() > 0 || self.status.satisfiable, self.status.exhausted) {
            (true, _) if self.is_optimum() => "OPTIMUM FOUND",
            (true, _) => "SATISFIABLE",
            (false, true) => "UNSATISFIABLE",
            (false, false) => "UNKNOWN",
        }
    }

    fn end(&mut self, conclusion: &AnyRunResult) -> io::Result<()> {
        let seconds = self.began.elapsed().as_secs_f64();
        match self.request.format {
            Format::Lines => self.flush_held(false),
            Format::Text if let Some(error) = &conclusion.error_text() => match self.counts.found {
                // The error message suffices.
                0 => Ok(()),
                _ => {
                    self.flush_held(false)?;
                    writeln!(self.output, "Ended by an error; there may be more answers: {}", sanitize(error))
                }
            },
            Format::Json => {
                self.flush_held(self.proof() == Proven::Optimum)?;
                for answer in std::mem::take(&mut self.earlier).into_iter().rev() {
                    self.write_json_answer(answer, false)?;
                }
                write_json_tail(&mut self.output, self.counts.written > 0, self.cause.take(), conclusion)
            }
            Format::Asp => self.end_asp(conclusion, seconds),
            Format::ClingoJson => self.end_clingo_json(conclusion, seconds),
            _ => {
                self.flush_held(self.proof() == Proven::Optimum)?;
                let text = self.closing_line(conclusion);
                writeln!(self.output, "{text}")
            }
        }
    }

    fn closing_line(&self, conclusion: &AnyRunResult) -> String {
        let rules = Rules::default();
        let closing = ClosingLine {
            solve_mode: self.request.solve_mode,
            status: self.status,
            found: self.found_in_call(),
            optimal: self.call.optimal,
            earlier: self.call.found_before,
            steps: self.counts.calls,
            model_stats: self.model_stats(),
            nouns: ["answer", "answers"],
            atoms: self.last.atoms,
            costs: &self.last.costs,
            verdict: conclusion.verdict(),
            rules: &rules,
            selection: conclusion.selection.as_ref(),
            suggests_unique: false,
            style: self.request.style,
        };
        let words = match conclusion.unique() {
            Uniqueness::One if self.minimises() => Some("One optimum (proven).".to_owned()),
            Uniqueness::NotOne if self.minimises() => Some("More than one optimum (proven).".to_owned()),
            unique => uniqueness_words(unique, conclusion.verdict(), &rules),
        };
        let words = words.unwrap_or_else(|| closing.words());
        let certified = conclusion.certificate.as_ref().filter(|_| conclusion.unique() != Uniqueness::Unknown);
        let words = certified.map_or(words.clone(), |certified| certified.describe(&words));
        let checked = match self.counts.checked {
            None | Some(0) => String::new(),
            _ if conclusion.unique() != Uniqueness::NotAsked => String::new(),
            Some(all) if all == self.counts.found + self.counts.repeated => {
                " Each answer has passed the check.".to_owned()
            }
            Some(some) => format!(" {} passed the check.", count(some, "answer", "answers")),
        };
        self.request.style.paint(Ansi::new().bold(), &(words + &checked))
    }

    /// Returns clingo's name of the interruption, if the search was interrupted.
    fn interruption(&self, conclusion: &AnyRunResult) -> Option<&'static str> {
        match conclusion.verdict() {
            _ if !self.status.is_stopped => None,
            Verdict::GaveUp(StopReason::TimeLimit) => Some("TIME LIMIT"),
            // An error in the program
            Verdict::GaveUp(StopReason::Unproven) => None,
            _ => Some("INTERRUPTED"),
        }
    }

    /// Returns the error that ended a search, for clingo's formats. clingo itself reports errors by
    /// its exit code only; if no search has begun, the output equals clingo's.
    fn late_error(&self, conclusion: &AnyRunResult) -> Option<String> {
        conclusion.error_text().filter(|_| self.counts.calls > 0)
    }

    fn end_asp(&mut self, conclusion: &AnyRunResult, seconds: f64) -> io::Result<()> {
        let yes_or_unknown = |known: bool| if known { "yes" } else { "unknown" };
        let more = if self.status.exhausted { "" } else { "+" };
        writeln!(self.output, "{}\n", self.result())?;
        if let Some(word) = self.interruption(conclusion) {
            writeln!(self.output, "{word:<13}: 1")?;
        }
        if let Some(error) = self.late_error(conclusion) {
            writeln!(self.output, "{:<13}: {}", "ERROR", sanitize(&error))?;
        }
        writeln!(self.output, "Models       : {}{more}", self.counts.found)?;
        let consequences = match self.request.solve_mode.mode {
            _ if self.counts.found == 0 => None,
            ReasoningMode::AnswerSets => None,
            ReasoningMode::Brave => Some("Brave      "),
            ReasoningMode::Cautious => Some("Cautious   "),
        };
        if let Some(name) = consequences {
            writeln!(self.output, "  {name}: {}", yes_or_unknown(self.status.exhausted))?;
        }
        if !self.last.costs.is_empty() {
            writeln!(self.output, "  Optimum    : {}", yes_or_unknown(self.is_optimum()))?;
        }
        if self.minimises() {
            if self.call.optimal > 1 {
                writeln!(self.output, "  Optimal    : {}", self.call.optimal)?;
            }
            writeln!(self.output, "Optimization : {}", numbers(&self.last.costs.costs, " "))?;
        }
        // Until the search is exhausted, the number of consequences is not known.
        if consequences.is_some() && self.status.exhausted {
            writeln!(self.output, "Consequences : {}", self.last.atoms)?;
        }
        writeln!(self.output, "Calls        : {}", self.counts.calls.max(1))?;
        let Times { solving, first_model, unsat, cpu } = self.status.times;
        writeln!(
            self.output,
            "Time         : {seconds:.3}s (Solving: {solving:.2}s 1st Model: {first_model:.2}s Unsat: {unsat:.2}s)\nCPU Time     : {cpu:.3}s"
        )
    }

    fn end_clingo_json(&mut self, conclusion: &AnyRunResult, seconds: f64) -> io::Result<()> {
        let late_error = self.late_error(conclusion);
        // clingo counts a call before it reads the program.
        if self.counts.calls == 0 {
            self.begin_call();
        }
        self.close_call()?;
        let yes_or_unknown = |known: bool| if known { "yes" } else { "unknown" };
        let exhausted = self.status.exhausted;
        let result = self.result();
        let is_optimum = self.is_optimum();
        let minimises = self.minimises();
        let interruption = self.interruption(conclusion);
        let out = &mut self.output;
        write!(out, "\n  ],\n  \"Result\": \"{result}\",\n")?;
        if let Some(word) = interruption {
            writeln!(out, "  \"{word}\": 1,")?;
        }
        if let Some(error) = late_error {
            writeln!(out, "  \"ERROR\": {},", Value::from(error))?;
        }
        write!(
            out,
            "  \"Models\": {{\n    \"Number\": {},\n    \"More\": \"{}\"",
            self.counts.found,
            if exhausted { "no" } else { "yes" }
        )?;
        let name = if self.request.solve_mode.mode == ReasoningMode::Brave { "Brave" } else { "Cautious" };
        if self.request.solve_mode.mode != ReasoningMode::AnswerSets && self.counts.found > 0 {
            write!(out, ",\n    \"{name}\": \"{}\"", yes_or_unknown(exhausted))?;
            if exhausted {
                write!(out, ",\n    \"Consequences\": {{\"True\": {}, \"Open\": 0}}", self.last.atoms)?;
            }
        }
        if minimises {
            let optimal = if self.call.optimal > 0 { self.call.optimal } else { u64::from(exhausted) };
            write!(
                out,
                ",\n    \"Optimum\": \"{}\",\n    \"Optimal\": {optimal},\n    \"Costs\": [{}]",
                yes_or_unknown(is_optimum),
                numbers(&self.last.costs.costs, ", ")
            )?;
        }
        writeln!(out, "\n  }},\n  \"Calls\": {},\n  \"Time\": {{", self.counts.calls.max(1))?;
        let Times { solving, first_model, unsat, cpu } = self.status.times;
        for (name, seconds) in [("Total", seconds), ("Solve", solving), ("Model", first_model), ("Unsat", unsat)] {
            writeln!(out, "    \"{name}\": {seconds:.3},")?;
        }
        writeln!(out, "    \"CPU\": {cpu:.3}\n  }}\n}}")
    }
}

impl Report for AnswerSetReport {
    fn finish(&mut self, conclusion: AnyRunResult) -> Result<AnyRunResult, Failure> {
        output_result(match self.failed.take() {
            Some(error) => Err(error),
            None => self.begin().and_then(|()| self.end(&conclusion)).and_then(|()| self.output.flush()),
        })?;
        Ok(conclusion)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn is_begun(&self) -> bool {
        self.is_begun
    }

    fn found(&self) -> u64 {
        self.counts.found
    }

    fn best(&self) -> Option<String> {
        self.minimises().then(|| self.last.costs.words())
    }

    fn clingo_exit_code(&self) -> Option<i32> {
        let ClingoStatus { satisfiable, exhausted, is_stopped, .. } = self.status;
        let found = satisfiable || self.found_in_call() > 0;
        (!is_stopped).then_some(if found { 10 } else { 0 } + if exhausted { 20 } else { 0 })
    }
}

fn write_atoms(out: &mut Vec<u8>, texts: &mut AtomTexts, symbols: impl Iterator<Item = asp::Symbol>) {
    let between: &[u8] = if texts.is_json { b", " } else { b" " };
    for (index, symbol) in symbols.enumerate() {
        if index > 0 {
            out.extend_from_slice(between);
        }
        out.extend_from_slice(texts.of(symbol));
    }
}
