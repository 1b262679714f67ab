//! Answer sets as they come: for a person, as JSON, and in the two formats of the clingo command.
//!
//! Nothing is stored but the texts of the atoms met so far (an atom is put into words once, not once per answer) and, where
//! the last answer is special (the optimum, the consequences), that one answer.

use serde_json::Value;
use std::io::{self, Write};
use std::time::Instant;

use anstyle::{AnsiColor, Style as Ansi};
use rustc_hash::{FxHashMap, FxHashSet};

use super::closing::{Closing, Proof, Seen, Summary, Times, numbers};
use super::pipeline::{Conclusion, uniqueness_words};
use super::report::{Header, Output, Report, write_json_head, write_json_tail, written};
use crate::asp::{self, Mode, Model, Optimisation, Order, Question};
use crate::diagnostic::Failure;
use crate::drawing::Drawing;
use crate::ending::{Uniqueness, Verdict};
use crate::job::{Job, Rules};
use crate::report::{Format, Style};
use crate::stop::Reason;
use crate::words::{count, shown};

/// The report of a run of clingo.
pub struct AnswerSets {
    header: Header,
    /// Whether there is exactly one answer is the question.
    asks_unique: bool,
    /// A program that draws streams its lines as any other; what is drawn is no part of them.
    hides_drawing: bool,
    output: Output,
    format: Format,
    style: Style,
    question: Question,
    began: Instant,
    words: Words,
    found: u64,
    found_before_call: u64,
    /// Answers of the last call proven optimal with `--opt-mode=optN`, and whether the last one is.
    optimal: u64,
    is_last_optimal: bool,
    costs: Vec<i64>,
    atoms: usize,
    /// The last answer, where the next one decides how it is to be called.
    held: Option<Vec<u8>>,
    /// Why there is no answer.
    because: Option<Value>,
    written: u64,
    summary: Summary,
    /// How many answers were checked, if any were.
    checked: Option<u64>,
    /// How often clingo was asked to solve.
    calls: u32,
    calls_written: u32,
    /// The words of the answer at hand; kept for the next one to use its room.
    line: Vec<u8>,
    /// Whether the head of the output is written; an error in the program leaves the output empty.
    begun: bool,
    failed: Option<io::Error>,
    /// What was printed in this search, where answers that clingo tells apart may print the same, and how many have done so.
    printed: Option<FxHashSet<Vec<u8>>>,
    repeated: u64,
}

/// The text of each atom, in the form that the format wants.
#[derive(Default)]
struct Words {
    quoted: bool,
    is_for_a_person: bool,
    places: FxHashMap<u64, (u32, u32)>,
    text: Vec<u8>,
}

impl Words {
    fn of(&mut self, symbol: asp::Symbol) -> &[u8] {
        let known = self.places.get(&asp::id_of(symbol)).copied();
        let (start, end) = known.unwrap_or_else(|| self.put(symbol));
        &self.text[start as usize..end as usize]
    }

    /// Writes a symbol that is not in the table yet, and returns its place.
    #[cold]
    fn put(&mut self, symbol: asp::Symbol) -> (u32, u32) {
        let start = self.text.len();
        asp::text_of(symbol, &mut self.text);
        let changed = match String::from_utf8_lossy(&self.text[start..]) {
            text if self.quoted => Some(serde_json::to_string(&text).unwrap_or_default()),
            text if self.is_for_a_person && text.contains(char::is_control) => Some(shown(&text)),
            _ => None,
        };
        if let Some(changed) = changed {
            self.text.truncate(start);
            self.text.extend_from_slice(changed.as_bytes());
        }
        let place = (start as u32, self.text.len() as u32);
        self.places.insert(asp::id_of(symbol), place);
        place
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
    /// A report for the answers to `question`.
    pub fn new(header: Header, job: &Job, question: Question) -> impl FnOnce(Output, Format, Style) -> Self + use<> {
        let asks_unique = job.asks_unique;
        move |output, format, style| {
            let quoted = matches!(format, Format::Json | Format::ClingoJson);
            let words = Words { quoted, is_for_a_person: format == Format::Text, ..Words::default() };
            AnswerSets {
                header,
                asks_unique,
                hides_drawing: false,
                output,
                format,
                style,
                question,
                began: Instant::now(),
                words,
                found: 0,
                found_before_call: 0,
                optimal: 0,
                is_last_optimal: false,
                costs: Vec::new(),
                atoms: 0,
                held: None,
                because: None,
                written: 0,
                // What holds while nobody says that the search has ended.
                summary: Summary { is_stopped: true, ..Summary::default() },
                checked: None,
                calls: 0,
                calls_written: 0,
                line: Vec::new(),
                begun: false,
                failed: None,
                printed: None,
                repeated: 0,
            }
        }
    }

    /// Tells the report that the program draws.
    pub fn hide_drawing(&mut self) {
        self.hides_drawing = true;
    }

    /// From now on answers that print the same are one answer, except in clingo's own formats: to clingo an atom and a shown
    /// term of the same name are two.
    pub fn tell_apart_by_words(&mut self) {
        let is_ours = !self.format.is_answer_sets() && self.question.mode == Mode::AnswerSets;
        self.printed = is_ours.then(FxHashSet::default);
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
                let close = if self.calls > 0 { self.close_call() } else { Ok(()) };
                close.and_then(|()| write!(self.output, "{}\n    {{", if self.calls > 0 { "," } else { "" }))
            }
            _ => Ok(()),
        };
        self.calls += 1;
        self.calls_written = 0;
        self.found_before_call = self.found;
        (self.optimal, self.is_last_optimal) = (0, false);
        self.costs.clear();
        self.printed.iter_mut().for_each(FxHashSet::clear);
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
        self.is_last_optimal = !self.costs.is_empty() && model.optimality_proven().map_err(told)?;
        self.optimal += u64::from(self.is_last_optimal);
        let number = if self.costs.is_empty() { self.found } else { model.number().map_err(told)? };
        let is_answer = self.question.mode == Mode::AnswerSets;
        let is_silent = self.style.quiet && self.format != Format::Json && is_answer;
        if is_silent && self.printed.is_none() {
            return Ok(());
        }
        self.words.make_room();
        let order = if self.format.is_answer_sets() { Order::AsFound } else { Order::Sorted };
        let symbols = model.shown(order).map_err(told)?;
        self.atoms = symbols.len();
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        match self.format {
            Format::Lines if self.hides_drawing => {
                write_words(&mut line, &mut self.words, symbols.filter(|&atom| !Drawing::is_of(atom)))
            }
            _ => write_words(&mut line, &mut self.words, symbols),
        }
        if let Some(printed) = &mut self.printed {
            // An optimum is proven by an answer that comes again.
            let costs = format!(" {:?}{}", self.costs, self.is_last_optimal);
            if !printed.insert([line.as_slice(), costs.as_bytes()].concat()) {
                (self.found, self.repeated) = (self.found - 1, self.repeated + 1);
                self.optimal -= u64::from(self.is_last_optimal);
                self.line = line;
                return Ok(());
            }
        }
        match self.format {
            _ if is_silent => {}
            Format::Asp | Format::ClingoJson if self.style.quiet => {}
            // clingo counts anew in each call.
            Format::Asp if self.costs.is_empty() => self.write_asp(self.found_in_call(), &line)?,
            Format::Asp => self.write_asp(number, &line)?,
            Format::ClingoJson => self.write_clingo_json(&line)?,
            Format::Json => self.write_json(&line)?,
            Format::Lines => {
                line.push(b'\n');
                if is_answer && !self.minimises() {
                    self.output.write_all(&line)?;
                } else {
                    self.held = Some(line.clone());
                }
            }
            _ => self.write_text(number, &line)?,
        }
        self.line = line;
        Ok(())
    }

    fn write_asp(&mut self, number: u64, line: &[u8]) -> io::Result<()> {
        writeln!(self.output, "Answer: {number}")?;
        self.output.write_all(line)?;
        self.output.write_all(b"\n")?;
        if !self.costs.is_empty() {
            writeln!(self.output, "Optimization: {}", numbers(&self.costs, " "))?;
        }
        Ok(())
    }

    fn write_clingo_json(&mut self, line: &[u8]) -> io::Result<()> {
        let opening = if self.calls_written == 0 { "\n      \"Witnesses\": [" } else { "," };
        write!(self.output, "{opening}\n        {{\"Value\": [")?;
        self.output.write_all(line)?;
        self.output.write_all(b"]")?;
        if !self.costs.is_empty() {
            write!(self.output, ", \"Costs\": [{}]", numbers(&self.costs, ", "))?;
        }
        self.calls_written += 1;
        self.output.write_all(b"}")
    }

    fn write_json(&mut self, line: &[u8]) -> io::Result<()> {
        let is_answer = self.question.mode == Mode::AnswerSets;
        let mut answer = b"{\"atoms\": [".to_vec();
        answer.extend_from_slice(line);
        // What answers have in common costs nothing.
        let costs = if is_answer { numbers(&self.costs, ", ") } else { String::new() };
        write!(answer, "], \"costs\": [{costs}]")?;
        if is_answer && !self.minimises() {
            return self.write_json_answer(answer, false);
        }
        match self.held.replace(answer) {
            // The first answer that is proven optimal is the one before it, found again.
            _ if is_answer && self.is_last_optimal => self.flush_held(true),
            // Where all optima are wanted, what is on the way is none of them.
            Some(last) if is_answer && self.question.optimisation != Optimisation::All => {
                self.write_json_answer(last, false)
            }
            _ => Ok(()),
        }
    }

    fn write_text(&mut self, number: u64, line: &[u8]) -> io::Result<()> {
        let title = match self.question.mode {
            Mode::AnswerSets => format!("Answer {number}"),
            _ if self.question.is_bounded || self.minimises() => "Consequences".to_owned(),
            Mode::Brave => "In some answer".to_owned(),
            Mode::Cautious => "In every answer".to_owned(),
        };
        let mut page = Vec::new();
        writeln!(page, "{}", self.style.paint(Ansi::new().bold(), &title))?;
        page.extend_from_slice(b"  ");
        if self.atoms == 0 {
            page.extend_from_slice(self.style.paint(Ansi::new().dimmed(), "(no atoms)").as_bytes());
        }
        page.extend_from_slice(line);
        page.push(b'\n');
        if self.question.mode != Mode::AnswerSets {
            self.held = Some(page);
            return Ok(());
        }
        if !self.costs.is_empty() {
            let best = if self.is_last_optimal { ", proven optimal" } else { "" };
            let cost = format!("cost {}", numbers(&self.costs, ", "));
            writeln!(page, "  {}{best}", self.style.paint(AnsiColor::Cyan.on_default(), &cost))?;
        }
        let is_on_the_way = self.asks_unique && self.minimises() && !self.is_last_optimal;
        self.held = is_on_the_way.then(|| std::mem::take(&mut page));
        self.output.write_all(&page)
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
    pub fn set_summary(&mut self, summary: Summary) {
        self.summary = summary;
    }

    /// Tells the report why there is no answer.
    pub fn set_because(&mut self, because: Option<Value>) {
        self.because = because;
    }

    /// Tells the report how many answers have passed a check.
    pub fn set_checked(&mut self, checked: u64) {
        self.checked = Some(checked);
    }

    /// Whether answers are looked for that cost less and less.
    fn minimises(&self) -> bool {
        self.question.optimisation != Optimisation::None && !self.costs.is_empty()
    }

    /// What may be said once the search has ended.
    pub fn proof(&self) -> Proof {
        Proof::of(self.question, self.summary, self.seen())
    }

    fn seen(&self) -> Seen {
        Seen { found: self.found_in_call(), has_costs: !self.costs.is_empty(), is_optimal: self.is_last_optimal }
    }

    /// Answers of the last call: of a program in steps, those of its last step.
    fn found_in_call(&self) -> u64 {
        self.found - self.found_before_call
    }

    /// Whether there is exactly one answer, if that is the question: where answers have costs, one optimum.
    pub fn uniqueness(&self, verdict: Verdict, complete: bool) -> Uniqueness {
        let is_of_optima = !self.costs.is_empty() && self.question.optimisation == Optimisation::All;
        let found = if is_of_optima { self.optimal } else { self.found_in_call() };
        match Uniqueness::of(self.asks_unique, verdict, complete, found) {
            // Those of earlier steps were told as well.
            Uniqueness::One | Uniqueness::NotOne if self.found_before_call > 0 => Uniqueness::Unknown,
            // What costs more is an answer as well, and was not looked for.
            Uniqueness::One | Uniqueness::NotOne
                if found > 0 && (self.minimises() && !is_of_optima || self.question.mode != Mode::AnswerSets) =>
            {
                Uniqueness::Unknown
            }
            uniqueness => uniqueness,
        }
    }

    /// As clingo sees it: it also calls the last of all answers an optimum.
    fn is_optimum(&self) -> bool {
        !self.costs.is_empty() && (self.summary.exhausted || self.is_last_optimal)
    }

    /// `SATISFIABLE` and its kin.
    fn result(&self) -> &'static str {
        match (self.found_in_call() > 0 || self.summary.satisfiable, self.summary.exhausted) {
            (true, _) if self.is_optimum() => "OPTIMUM FOUND",
            (true, _) => "SATISFIABLE",
            (false, true) => "UNSATISFIABLE",
            (false, false) => "UNKNOWN",
        }
    }

    fn end(&mut self, conclusion: &Conclusion) -> io::Result<()> {
        let seconds = self.began.elapsed().as_secs_f64();
        match self.format {
            Format::Lines => self.flush_held(false),
            Format::Text if let Some(error) = &conclusion.error => match self.found {
                // The message is enough.
                0 => Ok(()),
                _ => writeln!(self.output, "Ended by an error; there may be more answers: {}", shown(error)),
            },
            Format::Text | Format::Svg | Format::Dot | Format::Html | Format::Url => {
                self.flush_held(false)?;
                let text = self.closing_line(conclusion);
                writeln!(self.output, "{text}")
            }
            Format::Json => {
                self.flush_held(self.proof() == Proof::Optimum)?;
                write_json_tail(&mut self.output, self.written > 0, self.because.take(), conclusion)
            }
            Format::Asp => self.end_asp(conclusion, seconds),
            Format::ClingoJson => self.end_clingo_json(conclusion, seconds),
        }
    }

    fn closing_line(&self, conclusion: &Conclusion) -> String {
        let rules = Rules::default();
        let closing = Closing {
            question: self.question,
            summary: self.summary,
            found: self.found_in_call(),
            optimal: self.optimal,
            earlier: self.found_before_call,
            steps: self.calls,
            seen: self.seen(),
            nouns: ["answer", "answers"],
            atoms: self.atoms,
            costs: &self.costs,
            verdict: conclusion.verdict(),
            rules: &rules,
            tells_unique: false,
            style: self.style,
        };
        let words = match conclusion.unique() {
            Uniqueness::One if self.minimises() => Some("One optimum: proven.".to_owned()),
            Uniqueness::NotOne if self.minimises() => Some("More than one optimum: proven.".to_owned()),
            unique => uniqueness_words(unique, conclusion.verdict(), &rules),
        };
        let words = words.unwrap_or_else(|| closing.words());
        let certified = conclusion.certificate.as_ref().filter(|_| conclusion.unique() != Uniqueness::Unknown);
        let words = certified.map_or(words.clone(), |certified| certified.said(&words));
        let checked = match self.checked {
            None | Some(0) => String::new(),
            _ if conclusion.unique() != Uniqueness::NotAsked => String::new(),
            Some(all) if all == self.found + self.repeated => " Each answer has passed the check.".to_owned(),
            Some(some) => format!(" {} passed the check.", count(some, "answer", "answers")),
        };
        self.style.paint(Ansi::new().bold(), &(words + &checked))
    }

    /// What clingo calls the end of a search that somebody ended.
    fn interruption(&self, conclusion: &Conclusion) -> Option<&'static str> {
        match conclusion.verdict() {
            _ if !self.summary.is_stopped => None,
            Verdict::GaveUp(Reason::TimeLimit) => Some("TIME LIMIT"),
            // The program is wrong.
            Verdict::GaveUp(Reason::Unproven) => None,
            _ => Some("INTERRUPTED"),
        }
    }

    /// What ended a search in clingo's formats. clingo's own output does not have it, whose readers know of an error by the
    /// exit code; where no search has begun, the output is clingo's to the letter.
    fn late_error<'a>(&self, conclusion: &'a Conclusion) -> Option<&'a str> {
        conclusion.error.as_deref().filter(|_| self.calls > 0)
    }

    fn end_asp(&mut self, conclusion: &Conclusion, seconds: f64) -> io::Result<()> {
        let yes = |known: bool| if known { "yes" } else { "unknown" };
        let more = if self.summary.exhausted { "" } else { "+" };
        writeln!(self.output, "{}\n", self.result())?;
        if let Some(word) = self.interruption(conclusion) {
            writeln!(self.output, "{word:<13}: 1")?;
        }
        if let Some(error) = self.late_error(conclusion) {
            writeln!(self.output, "{:<13}: {}", "ERROR", shown(error))?;
        }
        writeln!(self.output, "Models       : {}{more}", self.found)?;
        let consequences = match self.question.mode {
            _ if self.found == 0 => None,
            Mode::AnswerSets => None,
            Mode::Brave => Some("Brave      "),
            Mode::Cautious => Some("Cautious   "),
        };
        if let Some(name) = consequences {
            writeln!(self.output, "  {name}: {}", yes(self.summary.exhausted))?;
        }
        if !self.costs.is_empty() {
            writeln!(self.output, "  Optimum    : {}", yes(self.is_optimum()))?;
        }
        if self.minimises() {
            if self.optimal > 1 {
                writeln!(self.output, "  Optimal    : {}", self.optimal)?;
            }
            writeln!(self.output, "Optimization : {}", numbers(&self.costs, " "))?;
        }
        // How many atoms are still open is known at the end alone.
        if consequences.is_some() && self.summary.exhausted {
            writeln!(self.output, "Consequences : {}", self.atoms)?;
        }
        writeln!(self.output, "Calls        : {}", self.calls.max(1))?;
        let Times { solving, first_model, unsat, cpu } = self.summary.times;
        writeln!(
            self.output,
            "Time         : {seconds:.3}s (Solving: {solving:.2}s 1st Model: {first_model:.2}s Unsat: {unsat:.2}s)\nCPU Time     : {cpu:.3}s"
        )
    }

    fn end_clingo_json(&mut self, conclusion: &Conclusion, seconds: f64) -> io::Result<()> {
        let late_error = self.late_error(conclusion).map(str::to_owned);
        // clingo counts a call before it reads the program.
        if self.calls == 0 {
            self.begin_call();
        }
        self.close_call()?;
        let yes = |known: bool| if known { "yes" } else { "unknown" };
        let exhausted = self.summary.exhausted;
        let (result, is_optimum, minimises) = (self.result(), self.is_optimum(), self.minimises());
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
            self.found,
            if exhausted { "no" } else { "yes" }
        )?;
        let name = if self.question.mode == Mode::Brave { "Brave" } else { "Cautious" };
        if self.question.mode != Mode::AnswerSets && self.found > 0 {
            write!(out, ",\n    \"{name}\": \"{}\"", yes(exhausted))?;
            if exhausted {
                write!(out, ",\n    \"Consequences\": {{\"True\": {}, \"Open\": 0}}", self.atoms)?;
            }
        }
        if minimises {
            let optimal = if self.optimal > 0 { self.optimal } else { u64::from(exhausted) };
            write!(
                out,
                ",\n    \"Optimum\": \"{}\",\n    \"Optimal\": {optimal},\n    \"Costs\": [{}]",
                yes(is_optimum),
                numbers(&self.costs, ", ")
            )?;
        }
        writeln!(out, "\n  }},\n  \"Calls\": {},\n  \"Time\": {{", self.calls.max(1))?;
        let Times { solving, first_model, unsat, cpu } = self.summary.times;
        for (name, seconds) in [("Total", seconds), ("Solve", solving), ("Model", first_model), ("Unsat", unsat)] {
            writeln!(out, "    \"{name}\": {seconds:.3},")?;
        }
        writeln!(out, "    \"CPU\": {cpu:.3}\n  }}\n}}")
    }
}

impl Report for AnswerSets {
    fn finish(&mut self, conclusion: Conclusion) -> Result<Conclusion, Failure> {
        written(match self.failed.take() {
            Some(error) => Err(error),
            None => self.begin().and_then(|()| self.end(&conclusion)).and_then(|()| self.output.flush()),
        })?;
        Ok(conclusion)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn is_begun(&self) -> bool {
        self.begun
    }

    fn found(&self) -> u64 {
        self.found
    }

    fn clingos_exit_code(&self) -> Option<i32> {
        let Summary { satisfiable, exhausted, is_stopped, .. } = self.summary;
        let found = satisfiable || self.found_in_call() > 0;
        (!is_stopped).then_some(if found { 10 } else { 0 } + if exhausted { 20 } else { 0 })
    }
}

fn write_words(out: &mut Vec<u8>, words: &mut Words, symbols: impl Iterator<Item = asp::Symbol>) {
    let between: &[u8] = if words.quoted { b", " } else { b" " };
    for (index, symbol) in symbols.enumerate() {
        if index > 0 {
            out.extend_from_slice(between);
        }
        out.extend_from_slice(words.of(symbol));
    }
}
