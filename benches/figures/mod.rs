//! Stores measurements as data and renders them. Each measurement is a line of
//! `docs/figures.jsonl`, from which the README, `docs/figures.md` and the curves ([`chart`]) are
//! rendered.
//!
//! ```sh
//! cargo bench --bench search -- korf100 --record # any bench; its rows replace those of the same name
//! cargo bench --bench figures                    # renders; a test fails if this was forgotten
//! ```
//!
//! Figures that were measured in another way (by hand, or with a program that is not available
//! here) also have a line, with a note in `by`. In a text, figures are between marks, below the
//! template from which they are rendered:
//!
//! ```text
//! <!-- figures
//! | Korf's hundred | [[search: Korf's 100, one core: seconds]] s |
//! -->
//! | Korf's hundred | 0.783 s |
//! <!-- /figures -->
//! ```
//!
//! `[[TABLE]]` is a whole table, `[[TABLE: ROW: COLUMN]]` one value, and `[[… ÷ …]]` the ratio of
//! two. Below the tables between two marks, a note states how, when and where they were measured.

// Each bench uses only a part of this module.
#![allow(dead_code)]

pub mod chart;
pub mod measure;

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// The texts that contain figures.
pub const TEXTS: [&str; 2] = ["README.md", "docs/figures.md"];
const DATA: &str = "docs/figures.jsonl";
/// The keys of a row that are not columns.
const ABOUT: [&str; 5] = ["table", "row", "by", "on", "machine"];

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns all rows, in the order in which they are displayed.
pub fn rows() -> Vec<Value> {
    let text = std::fs::read_to_string(path(DATA)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a row is an object")).collect()
}

/// Returns the arguments after `--`, without those for cargo and [`record`].
pub fn arguments() -> Vec<String> {
    std::env::args().skip(1).filter(|argument| argument != "--bench" && argument != "--record").collect()
}

/// Prints a row. With `--record` also stores it: replaces the row of the same name, or adds it at
/// the end of its table.
pub fn record(table: &str, name: &str, values: Value) {
    let Value::Object(values) = values else { unreachable!("values have names") };
    let line: Vec<String> = values.iter().map(|(column, value)| format!("{column}: {}", shown(value))).collect();
    println!("{name:<44} {}", line.join(", "));
    if !std::env::args().any(|argument| argument == "--record") {
        return;
    }
    let words = arguments();
    let after = if words.is_empty() { String::new() } else { format!(" -- {}", words.join(" ")) };
    let by = format!("`cargo bench --bench {}{after}`", env!("CARGO_CRATE_NAME"));
    let mut row = Map::from_iter([("table".to_owned(), json!(table)), ("row".to_owned(), json!(name))]);
    row.extend(values);
    row.extend(
        [("by", by), ("on", today()), ("machine", machine())].map(|(key, value)| (key.to_owned(), json!(value))),
    );
    let mut rows = rows();
    match rows.iter().position(|row| row["table"] == table && row["row"] == name) {
        Some(place) => rows[place] = row.into(),
        None => {
            let last = rows.iter().rposition(|row| row["table"] == table).map_or(rows.len(), |last| last + 1);
            rows.insert(last, row.into());
        }
    }
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    std::fs::create_dir_all(path("docs")).expect("the project's folder can be written to");
    std::fs::write(path(DATA), text).expect("the data can be written");
}

fn today() -> String {
    let date = std::process::Command::new("date").args(["-u", "+%F"]).output();
    date.map_or(String::new(), |date| String::from_utf8_lossy(&date.stdout).trim().to_owned())
}

/// Describes the machine by its processor and memory, without its name.
fn machine() -> String {
    let system = sysinfo::System::new_all().expect("the system can be asked");
    let brand = system.cpus().first().map_or("", |cpu| cpu.brand());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{brand}, {cores} cores, {} GB", (system.total_memory() as f64 / 1e9).round())
}

/// Renders a text again: replaces everything between its marks.
pub fn rendered(text: &str, rows: &[Value]) -> String {
    const BEGIN: &str = "<!-- figures\n";
    const END: &str = "<!-- /figures -->";
    let mut parts = text.split(BEGIN);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (template, rest) = part.split_once("\n-->\n").expect("a template ends");
        let (_, after) = rest.split_once(END).expect("what is rendered ends");
        let _ = write!(whole, "{BEGIN}{template}\n-->\n{}\n{END}{after}", filled(template, rows));
    }
    whole
}

/// Replaces the placeholders of a template by figures, and adds the sources of its tables.
fn filled(template: &str, rows: &[Value]) -> String {
    let mut parts = template.split("[[");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    let mut tables: Vec<&Value> = Vec::new();
    for part in parts {
        let (what, after) = part.split_once("]]").expect("brackets are closed");
        match what.split_once(" ÷ ") {
            Some((dividend, divisor)) => {
                let number = |what: &str| value(what, rows).as_f64().unwrap_or_else(|| panic!("{what}: no number"));
                whole += &shown(&json!(number(dividend) / number(divisor)));
            }
            None if what.contains(": ") => whole += &shown(value(what, rows)),
            None => {
                let rows: Vec<&Value> = rows.iter().filter(|row| row["table"] == what).collect();
                whole += &table(what, &rows);
                tables.extend(rows);
            }
        }
        whole += after;
    }
    whole + &sources(&tables)
}

fn value<'r>(what: &str, rows: &'r [Value]) -> &'r Value {
    let mut parts = what.split(": ");
    let mut next = || parts.next().unwrap_or_else(|| panic!("[[{what}]]: table, row and column were wanted"));
    let (table, name, column) = (next(), next(), next());
    let row = rows.iter().find(|row| row["table"] == table && row["row"] == name);
    let value = row.and_then(|row| row.get(column));
    value.unwrap_or_else(|| panic!("[[{what}]]: there is no such figure in {DATA}"))
}

fn table(name: &str, rows: &[&Value]) -> String {
    assert!(!rows.is_empty(), "[[{name}]]: there is no such table in {DATA}");
    if rows[0].get("points").is_some() {
        return chart::table(name, rows);
    }
    let mut columns: Vec<&String> = Vec::new();
    for key in rows.iter().filter_map(|row| row.as_object()).flat_map(Map::keys) {
        if !ABOUT.contains(&key.as_str()) && !columns.contains(&key) {
            columns.push(key);
        }
    }
    let mut text = String::from("| |");
    for column in &columns {
        text += &format!(" {column} |");
    }
    text += &format!("\n|{}\n", "---|".repeat(columns.len() + 1));
    for row in rows {
        let cells = columns.iter().map(|column| row.get(*column).map_or(String::new(), shown));
        let _ = writeln!(
            text,
            "| {} | {} |",
            row["row"].as_str().unwrap_or_default(),
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
    text
}

/// Describes how, when and where the rows were measured, without duplicates.
fn sources(rows: &[&Value]) -> String {
    let mut sources: Vec<(String, Vec<&str>)> = Vec::new();
    for row in rows {
        let of = |key: &str| row[key].as_str().filter(|words| !words.is_empty());
        let place = ["on", "machine"].into_iter().filter_map(of).collect::<Vec<_>>().join(", ");
        let index = sources.iter().position(|source| source.0 == place).unwrap_or_else(|| {
            sources.push((place, Vec::new()));
            sources.len() - 1
        });
        let commands = &mut sources[index].1;
        commands.extend(of("by").filter(|by| !commands.contains(by)));
    }
    if sources.is_empty() {
        return String::new();
    }
    let words = sources.into_iter().map(|(place, mut commands)| {
        commands.extend(Some(&*place).filter(|place| !place.is_empty()));
        commands.join(", ")
    });
    format!("\n{}.", words.collect::<Vec<_>>().join("; "))
}

/// Formats a value: integers with all digits, other numbers with three significant digits.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if !number.is_f64() => grouped(&number.to_string()),
        other => other.as_f64().map_or(other.to_string(), significant),
    }
}

/// Formats a number with three significant digits, or all digits before the decimal point.
pub fn significant(number: f64) -> String {
    let before = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 + 1 };
    let after = (3 - before).clamp(0, 9) as usize;
    grouped(&format!("{number:.after$}"))
}

/// Groups the digits before the decimal point by commas.
fn grouped(number: &str) -> String {
    let whole = number.find('.').unwrap_or(number.len());
    let sign = |(place, sign): (usize, char)| {
        let needs_comma =
            place > 0 && place < whole && (whole - place).is_multiple_of(3) && number.as_bytes()[place - 1] != b'-';
        [needs_comma.then_some(','), Some(sign)].into_iter().flatten()
    };
    number.char_indices().flat_map(sign).collect()
}
