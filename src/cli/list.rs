//! `asp-solve list`: the puzzles.

use std::fmt::Write as _;
use std::sync::Arc;

use base::words;

use super::puzzles::registry;

/// Renders the details of one puzzle, or one line per puzzle.
pub fn list(name: Option<&str>) -> String {
    const WIDTH: usize = 100;
    let mut out = String::new();
    if name.is_none() {
        let kind = |entry: &Arc<dyn puzzle::AnyPuzzle>| {
            let about = entry.about();
            let folder = about.encodings.first().and_then(|encoding| encoding.files[0].path.split('/').next());
            match folder {
                _ if about.more.is_empty() => "Puzzles with engines of their own",
                Some("games") => "One-player games",
                _ => "Pencil puzzles",
            }
        };
        for group in registry().all().chunk_by(|entry, next| kind(entry) == kind(next)) {
            let _ = writeln!(out, "{} ({}):", kind(&group[0]), group.len());
            for about in group.iter().map(|entry| entry.about()) {
                let _ =
                    writeln!(out, "{}", words::truncate_words(&format!("  {}: {}", about.name, about.summary), WIDTH));
            }
            out.push('\n');
        }
        return out + "asp-solve list NAME shows the input format, the engines and an example.\n";
    }
    for (entry, about) in registry().all().iter().map(|entry| (entry, entry.about())) {
        if name.is_some_and(|name| name != about.name) {
            continue;
        }
        let _ = writeln!(out, "{}: {}", about.name, about.summary);
        let _ = writeln!(out, "  input      {}", about.input);
        for (word, lines) in about.more {
            for (number, line) in lines.iter().enumerate() {
                let _ = writeln!(out, "  {:<9}  {line}", if number == 0 { word } else { "" });
            }
        }
        let _ = writeln!(out, "  engines    {}", entry.engines().join(", "));
        let files = |encoding: &puzzle::Encoding| {
            encoding.files.iter().map(|file| format!("asp/{}", file.path)).collect::<Vec<_>>().join(", ")
        };
        let is_whole = |encoding: &&puzzle::Encoding| !encoding.adds_to(&about.encodings[0]);
        let encodings: Vec<String> = about
            .encodings
            .iter()
            .filter(is_whole)
            .map(|encoding| format!("{} ({})", encoding.name, files(encoding)))
            .collect();
        if !encodings.is_empty() {
            let _ = writeln!(out, "  encodings  {}", encodings.join(", "));
        }
        let pictures: Vec<String> = about.pictures.iter().map(|format| format.name()).collect();
        if !pictures.is_empty() {
            let _ = writeln!(out, "  pictures   {}", pictures.join(", "));
        }
        let commands: Vec<&str> = entry.tools().iter().map(|tool| tool.name()).collect();
        if !commands.is_empty() {
            let _ = writeln!(out, "  commands   {}", commands.join(", "));
        }
        if let Some(example) = entry.example() {
            out.push_str("  board\n");
            for line in example.text.trim_end().lines() {
                let _ = writeln!(out, "{}", format!("    {line}").trim_end());
            }
            let _ = writeln!(out, "  example    asp-solve examples {} | asp-solve - {}", about.name, example.options);
        }
    }
    out
}
