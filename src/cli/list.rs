//! `asp-solve list`: the puzzles.

use std::fmt::Write as _;

use base::words::{self, sanitize};
use puzzle::{AnyPuzzle, Encoding, Format};
use serde_json::{Map, Value, json};

use super::args::List;
use super::gallery;
use super::puzzles::{LIST_WIDTH, groups, kind, registry, solving_command};

/// Prints the puzzles, or one of them, and returns the exit code.
pub fn list(args: &List) -> i32 {
    let entry = args.name.as_deref().and_then(|name| registry().by_name(name));
    let text = match (args.format_args.format, entry) {
        (Format::Html, _) => return gallery::gallery(entry, args),
        (Format::Json, Some(entry)) => pretty(&json(&**entry)),
        (Format::Json, None) => pretty(&registry().all().iter().map(|entry| json(&**entry)).collect()),
        (_, Some(entry)) => sanitize(&details(&**entry)),
        (_, None) => sanitize(&overview()),
    };
    args.output_args.conclude(&text, || 0)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Returns one line for each puzzle.
fn overview() -> String {
    let mut out = String::new();
    for (heading, group) in groups() {
        let _ = writeln!(out, "{heading} ({}):", group.len());
        for about in group.iter().map(|entry| entry.about()) {
            let _ =
                writeln!(out, "{}", words::truncate_words(&format!("  {}: {}", about.name, about.summary), LIST_WIDTH));
        }
        out.push('\n');
    }
    out + "asp-solve list NAME shows the input format, the engines and a board.\n"
}

/// Returns the encodings that stand alone.
fn whole_encodings(entry: &dyn AnyPuzzle) -> impl Iterator<Item = &Encoding> {
    let encodings = entry.about().encodings;
    encodings.iter().filter(|encoding| !encoding.adds_to(&encodings[0]))
}

fn files(encoding: &Encoding) -> Vec<String> {
    encoding.files.iter().map(|file| format!("asp/{}", file.path)).collect()
}

fn tool_names(entry: &dyn AnyPuzzle) -> Vec<&'static str> {
    entry.tools().iter().map(|tool| tool.name()).collect()
}

/// Returns the names of the picture formats. The output turns `svg` into `png`.
fn pictures(entry: &dyn AnyPuzzle) -> Vec<String> {
    let names = |format: &Format| {
        let png = (cfg!(feature = "png") && *format == Format::Svg).then(|| "png".to_owned());
        [format.name()].into_iter().chain(png)
    };
    entry.about().pictures.iter().flat_map(names).collect()
}

/// Returns everything about a puzzle.
fn details(entry: &dyn AnyPuzzle) -> String {
    let about = entry.about();
    let mut out = format!("{}: {}\n  input      {}\n", about.name, about.summary, about.input);
    for (word, lines) in about.more {
        for (number, line) in lines.iter().enumerate() {
            let _ = writeln!(out, "  {:<9}  {line}", if number == 0 { word } else { "" });
        }
    }
    let encodings: Vec<String> =
        whole_encodings(entry).map(|encoding| format!("{} ({})", encoding.name, files(encoding).join(", "))).collect();
    let lists = [
        ("engines", entry.engines().join(", ")),
        ("encodings", encodings.join(", ")),
        ("pictures", pictures(entry).join(", ")),
        ("commands", tool_names(entry).join(", ")),
    ];
    for (word, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        let _ = writeln!(out, "  {word:<9}  {list}");
    }
    if let Some((example, command)) = entry.example().zip(solving_command(entry)) {
        let _ = writeln!(out, "  board      {}", example.file_name);
        for line in example.text.trim_end().lines() {
            let _ = writeln!(out, "{}", format!("    {line}").trim_end());
        }
        let _ = writeln!(out, "  example    {command}");
    }
    out
}

/// Returns a puzzle as JSON.
fn json(entry: &dyn AnyPuzzle) -> Value {
    let about = entry.about();
    let engines = entry.engines();
    let encodings = whole_encodings(entry).map(|encoding| json!({"name": encoding.name, "files": files(encoding)}));
    let answer_sets = [Format::Asp, Format::ClingoJson].into_iter();
    let answer_sets = answer_sets.filter(|_| engines.iter().any(|engine| puzzle::reads_encodings(engine)));
    let formats = [Format::Text, Format::Json, Format::Lines].into_iter().chain(answer_sets);
    let formats: Vec<String> = formats.map(Format::name).chain(pictures(entry)).collect();
    let example = entry.example().map(|example| {
        let command = solving_command(entry);
        json!({"file": example.file_name, "text": example.text, "command": command})
    });
    let details: Map<String, Value> =
        about.more.iter().map(|(word, lines)| ((*word).to_owned(), json!(lines))).collect();
    json!({
        "name": about.name,
        "title": about.display_title(),
        "description": about.rules(),
        "kind": kind(entry),
        "input": about.input,
        "engines": engines,
        "encodings": encodings.collect::<Vec<_>>(),
        "formats": formats,
        "commands": tool_names(entry),
        "example": example,
        "details": details,
    })
}
