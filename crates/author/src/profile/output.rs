//! Renders a profile as text and as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style as Ansi};
use asp::{syntax, to_text_truncated};
use base::diagnostic::Place;
use base::ending::Verdict;
use base::sorting;
use base::stop::StopReason;
use base::style::Style;
use base::words::{count, sanitize, thousands};
use serde_json::{Value, json};

use super::{Cost, Phase, Profile, StepProfile};

/// Maximum number of statements in the list of the slowest statements.
const MAX_HOTTEST: usize = 10;
/// Maximum number of consecutive lines without costs that are printed; longer runs are omitted.
const MAX_QUIET: usize = 6;
/// Maximum number of characters of a statement in the output.
const MAX_SOURCE_WIDTH: usize = 70;
/// Number of the columns before the source line.
const COLUMNS: usize = 4;
/// Width of a column before the source line.
const COLUMN_WIDTH: usize = 11;

/// Returns the text of the file that contains a place.
pub type TextOf<'a> = &'a dyn Fn(&Place) -> Option<Cow<'a, str>>;

impl Profile {
    /// Renders the profile as text: a summary, the slowest statements, and the annotated source.
    pub fn text(&self, stopped: Option<StopReason>, text_of: TextOf<'_>, style: &Style) -> String {
        let mut out = self.summary(stopped, text_of, style);
        if !style.quiet {
            out += &self.hottest(text_of, style);
            out += &self.annotated(text_of, style);
        }
        out
    }

    /// Describes the current phase in a few words.
    pub fn progress(&self) -> String {
        match (self.phase, self.at_work) {
            (Phase::Grounding, Some((number, _))) => match self.statements.get(number) {
                Some(statement) => format!("grounding {}:{}", statement.place.file, statement.place.start.line),
                None => "grounding".to_owned(),
            },
            (Phase::Solving, _) => "solving".to_owned(),
            _ => "reading".to_owned(),
        }
    }

    fn summary(&self, stopped: Option<StopReason>, text_of: TextOf<'_>, style: &Style) -> String {
        let mut out = String::new();
        let bold = Ansi::new().bold();
        if let Some(reason) = stopped {
            let _ = write!(out, "gave up: {}; ", reason.words());
        }
        let seconds = seconds_of(self.grounding);
        let grounded = match self.phase {
            Phase::Reading => "the program was still being read".to_owned(),
            Phase::Grounding => format!("grounding had not finished after {seconds}"),
            _ => format!("grounded in {seconds}"),
        };
        out += &style.paint(bold, &grounded);
        match &self.search {
            Some(search) => {
                let verdict = match search.verdict {
                    Verdict::Solved => count(search.answers, "answer", "answers"),
                    Verdict::Impossible => "no answer".to_owned(),
                    Verdict::GaveUp(StopReason::DepthLimit) => "no answer in the last step".to_owned(),
                    Verdict::GaveUp(_) => {
                        format!("unfinished, {} so far", count(search.answers, "answer", "answers"))
                    }
                };
                let words = format!(
                    ", solved in {}: {verdict}; {}, {}",
                    seconds_of(self.solving),
                    count(search.choices, "choice", "choices"),
                    count(search.conflicts, "conflict", "conflicts"),
                );
                out += &style.paint(bold, &words);
            }
            None if self.phase == Phase::Solving => {
                let _ = write!(out, ", solving had not finished after {}", seconds_of(self.solving));
            }
            None => {}
        }
        out.push('\n');
        if !style.quiet {
            out += &self.by_step();
        }
        for (number, words) in self.growing().into_iter().take(MAX_HOTTEST).zip(self.growing_words()) {
            let statement = &self.statements[number];
            let _ = writeln!(
                out,
                "  {}:{}  {}\n      {words}",
                sanitize(&statement.place.file),
                statement.place.start.line,
                truncated(&self.source(number, text_of))
            );
        }
        out
    }

    /// Renders a table of the last steps of an incremental program.
    fn by_step(&self) -> String {
        if self.steps.is_empty() {
            return String::new();
        }
        let names = ["step", "grounding", "solving", "rules", "conflicts"];
        let mut out = names.map(|name| format!("{name:>COLUMN_WIDTH$}")).concat() + "\n";
        for (number, step) in self.steps.iter().enumerate().skip(self.steps.len().saturating_sub(MAX_HOTTEST)) {
            let StepProfile { grounding, solving, rules, conflicts } = step;
            let [grounding, solving] = [grounding, solving].map(|time| format!("{:.3}", time.as_secs_f64()));
            let columns = [number.to_string(), grounding, solving, short(*rules), short(*conflicts)];
            out += &(columns.map(|cell| format!("{cell:>COLUMN_WIDTH$}")).concat() + "\n");
        }
        out
    }

    /// Describes each statement in [`Profile::growing`].
    fn growing_words(&self) -> Vec<String> {
        let words = |number: usize| {
            let cost = &self.costs[number];
            let mut words = count(cost.tried, "instance tried", "instances tried");
            if let Some((first, last)) = cost.span.filter(|(first, last)| last > first) {
                let rate = cost.tried as f64 / (last - first).as_secs_f64();
                let _ = write!(words, ", {} a second", short(rate as u64));
            }
            let values = self.statements[number].variables.iter().zip(&cost.last);
            let values: Vec<String> =
                values.map(|(name, &value)| format!("{name}={}", to_text_truncated(value))).collect();
            if !values.is_empty() {
                let _ = write!(words, "; the last: {}", sanitize(&values.join(", ")));
            }
            if let Some((_, silent)) = self.at_work.filter(|&(at_work, silent)| at_work == number && silent > SILENCE) {
                let _ = write!(words, "; its body has found nothing for {}", seconds_of(silent));
            }
            words
        };
        self.growing().into_iter().map(words).collect()
    }

    /// Renders the list of the slowest statements.
    fn hottest(&self, text_of: TextOf<'_>, style: &Style) -> String {
        let all = self.grounding.as_secs_f64().max(f64::MIN_POSITIVE);
        let mut hottest: Vec<usize> =
            (0..self.costs.len()).filter(|&number| self.costs[number].span.is_some()).collect();
        sorting::sort_by_key(&mut hottest, |&number| std::cmp::Reverse(self.costs[number].grounding));
        if hottest.is_empty() {
            return String::new();
        }
        let mut out = format!("\n{}  of grounding\n", heading());
        for &number in hottest.iter().take(MAX_HOTTEST) {
            let cost = &self.costs[number];
            let place = &self.statements[number].place;
            let share = cost.grounding.as_secs_f64() / all;
            let cells = format!("{} {:>10.1} %", cells(Some(cost)), share * 100.0);
            let place = format!("{}:{}", sanitize(&place.file), place.start.line);
            let _ = writeln!(
                out,
                "{}  {place}  {}",
                style.paint(heat(share), &cells),
                truncated(&self.source(number, text_of))
            );
        }
        let share = self.rest.grounding.as_secs_f64() / all;
        let cells = format!("{} {:>10.1} %", cells(Some(&self.rest)), share * 100.0);
        let _ = writeln!(out, "{cells}  facts and the end of grounding");
        out
    }

    /// Renders the source with the costs of each line.
    fn annotated(&self, text_of: TextOf<'_>, style: &Style) -> String {
        let mut files: BTreeMap<&str, BTreeMap<usize, Cost>> = BTreeMap::new();
        for (number, cost) in self.costs.iter().enumerate() {
            let Place { file, start, .. } = &self.statements[number].place;
            let lines = files.entry(file).or_default();
            if cost.span.is_some() {
                lines.entry(start.line).or_default().add(cost);
            }
        }
        let all = self.grounding.as_secs_f64().max(f64::MIN_POSITIVE);
        let mut out = String::new();
        for (file, costs) in files.iter().filter(|(_, costs)| !costs.is_empty()) {
            let first = self.statements.iter().find(|statement| statement.place.file == **file);
            let Some(text) = first.and_then(|statement| text_of(&statement.place)) else { continue };
            let lines: Vec<&str> = text.lines().collect();
            let width = lines.len().to_string().len();
            let _ = write!(out, "\n{}\n{}\n", style.paint(Ansi::new().bold(), file), heading());
            let mut line = 1;
            while line <= lines.len() {
                let quiet = (line..=lines.len()).take_while(|line| !costs.contains_key(line)).count();
                if quiet > MAX_QUIET {
                    let _ = writeln!(out, "{} {:>width$} ⋮", cells(None), "");
                    line += quiet;
                    continue;
                }
                let cost = costs.get(&line);
                let share = cost.map_or(0.0, |cost| cost.grounding.as_secs_f64() / all);
                let cells = style.paint(heat(share), &cells(cost));
                let _ = writeln!(out, "{cells} {line:>width$} │ {}", sanitize(lines[line - 1]));
                line += 1;
            }
        }
        out
    }

    /// Returns the source text of a statement on one line.
    fn source(&self, number: usize, text_of: TextOf<'_>) -> String {
        let statement = &self.statements[number];
        let source_text =
            text_of(&statement.place).and_then(|text| Some(text.get(statement.place.range_in(&text))?.to_owned()));
        source_text.map_or_else(|| statement.text.clone(), |source_text| syntax::normalize_whitespace(&source_text))
    }

    pub fn json(&self, text_of: TextOf<'_>) -> Value {
        let verdict = match &self.search {
            Some(search) => search.verdict,
            None => Verdict::GaveUp(StopReason::Unproven),
        };
        let verdict = match verdict {
            Verdict::Solved => "solved",
            Verdict::Impossible => "impossible",
            Verdict::GaveUp(_) => "gave-up",
        };
        let cost = |cost: &Cost| {
            json!({
                "seconds": seconds(cost.grounding), "tried": cost.tried, "rules": cost.rules, "literals": cost.literals,
            })
        };
        let statement = |number: usize| {
            let Place { file, start, .. } = &self.statements[number].place;
            let mut value = json!({
                "file": file, "line": start.line, "column": start.column, "text": self.source(number, text_of),
            });
            merge(&mut value, cost(&self.costs[number]));
            value
        };
        let growing = self.growing().into_iter().map(|number| {
            let values = self.statements[number].variables.iter().zip(&self.costs[number].last);
            let last: BTreeMap<&String, String> =
                values.map(|(name, &value)| (name, to_text_truncated(value))).collect();
            let mut value = statement(number);
            merge(&mut value, json!({ "last": last }));
            value
        });
        let mut value = json!({
            "schema": 1,
            "verdict": verdict,
            "seconds": {
                "reading": seconds(self.reading), "grounding": seconds(self.grounding), "solving": seconds(self.solving),
            },
            "statements": (0..self.costs.len()).filter(|&number| self.costs[number].span.is_some()).map(statement).collect::<Vec<_>>(),
            "rest": cost(&self.rest),
            "growing": growing.collect::<Vec<_>>(),
        });
        if let Some(search) = &self.search {
            let search = json!({
                "answers": search.answers, "choices": search.choices, "conflicts": search.conflicts,
                "restarts": search.restarts, "seconds": seconds(search.searching),
            });
            merge(&mut value, json!({ "search": search }));
        }
        if !self.steps.is_empty() {
            let step = |step: &StepProfile| {
                json!({
                    "grounding": seconds(step.grounding), "solving": seconds(step.solving), "rules": step.rules,
                    "conflicts": step.conflicts,
                })
            };
            merge(&mut value, json!({ "steps": self.steps.iter().map(step).collect::<Vec<_>>() }));
        }
        value
    }
}

/// A statement is reported if its body has found no instance for this time.
const SILENCE: Duration = Duration::from_millis(500);

impl Cost {
    fn add(&mut self, other: &Cost) {
        self.tried += other.tried;
        self.rules += other.rules;
        self.literals += other.literals;
        self.grounding += other.grounding;
    }
}

fn heading() -> String {
    ["seconds", "tried", "rules", "literals"].map(|name| format!("{name:>COLUMN_WIDTH$}")).concat()
}

fn cells(cost: Option<&Cost>) -> String {
    let cells = match cost {
        Some(cost) => {
            let [tried, rules, literals] = [cost.tried, cost.rules, cost.literals].map(short);
            [format!("{:.3}", cost.grounding.as_secs_f64()), tried, rules, literals]
        }
        None => [const { String::new() }; COLUMNS],
    };
    cells.map(|cell| format!("{cell:>COLUMN_WIDTH$}")).concat()
}

/// Returns the style in which a share of the total time is printed.
fn heat(share: f64) -> Ansi {
    let color = |color: AnsiColor| Ansi::new().fg_color(Some(color.into()));
    match share {
        0.25.. => color(AnsiColor::Red).bold(),
        0.05.. => color(AnsiColor::Yellow),
        _ => Ansi::new().dimmed(),
    }
}

/// Formats a number, with the unit M or G if it is large.
fn short(number: u64) -> String {
    match number {
        0..10_000_000 => thousands(number),
        10_000_000..10_000_000_000 => format!("{} M", thousands(number / 1_000_000)),
        _ => format!("{} G", thousands(number / 1_000_000_000)),
    }
}

fn truncated(text: &str) -> String {
    let text = sanitize(text).replace('\n', " ");
    match text.char_indices().nth(MAX_SOURCE_WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn seconds_of(duration: Duration) -> String {
    format!("{:.3} s", duration.as_secs_f64())
}

fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e6
}

fn merge(value: &mut Value, more: Value) {
    if let (Some(object), Value::Object(more)) = (value.as_object_mut(), more) {
        object.extend(more);
    }
}
