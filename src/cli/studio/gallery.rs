//! The gallery of the studio: an example of each puzzle, with a picture of its board.

use axum::http::StatusCode;
use axum::response::Response;
use parking_lot::Mutex;
use puzzle::AnyPuzzle;
use puzzle::example::Example;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};
use studio::serve;

use super::lanes::{GALLERY_LANE, Lanes, RequestOutcome};
use crate::cli::puzzles::{heading, kind, registry};

/// An example that the page can open.
#[derive(Serialize)]
pub struct GalleryEntry {
    name: String,
    summary: String,
    group: &'static str,
    file: &'static str,
    text: &'static str,
}

pub struct Gallery {
    pub entries: Vec<GalleryEntry>,
    /// The pictures that were requested so far, by the name of the entry.
    pictures: Mutex<FxHashMap<String, String>>,
    /// Pictures are drawn one after another.
    turn: tokio::sync::Mutex<()>,
}

impl Gallery {
    /// Returns an example of each puzzle, and further ones of variants: `sudoku-killer`.
    pub fn new() -> Self {
        let mut entries: Vec<GalleryEntry> = registry().all().iter().flat_map(|puzzle| entries_of(&**puzzle)).collect();
        entries.sort_by(|one, other| one.group.cmp(other.group).reverse().then_with(|| one.name.cmp(&other.name)));
        Gallery { entries, pictures: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    /// Returns true if an example has this file name.
    pub fn has_file(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.file == name)
    }

    /// Returns the picture of an example's board.
    pub async fn picture(&self, name: String, lanes: &Lanes) -> Response {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else {
            return serve::refuse(StatusCode::NOT_FOUND, "there is no such example");
        };
        let _turn = self.turn.lock().await;
        let known = self.pictures.lock().get(&name).cloned();
        if let Some(svg) = known {
            return serve::svg(svg);
        }
        let files = json!([{ "name": entry.file, "text": entry.text }]);
        let request = json!({ "id": 0, "files": files, "ask": { "picture": {} } }).to_string();
        match lanes.ask(GALLERY_LANE, &request, |_| ()).await {
            RequestOutcome::Answered(line) => {
                let response: Value = serde_json::from_str(&line).unwrap_or_default();
                let Some(svg) = response["svg"].as_str() else {
                    return serve::refuse(StatusCode::NOT_FOUND, "this board is not drawn");
                };
                self.pictures.lock().insert(name, svg.to_owned());
                serve::svg(svg.to_owned())
            }
            RequestOutcome::Cancelled => serve::refuse(StatusCode::SERVICE_UNAVAILABLE, "cancelled"),
            RequestOutcome::Failed(words) => serve::refuse(StatusCode::INTERNAL_SERVER_ERROR, &words),
        }
    }
}

fn entries_of(puzzle: &dyn AnyPuzzle) -> Vec<GalleryEntry> {
    let about = puzzle.about();
    let group = match kind(puzzle) {
        "native" => "More",
        kind => heading(kind),
    };
    let entry = |name: &str, example: Example| GalleryEntry {
        name: name.to_owned(),
        summary: about.summary.to_owned(),
        group,
        file: example.file_name,
        text: example.text,
    };
    let Some(example) = puzzle.example() else { return Vec::new() };
    let prefix = format!("{}-", about.name);
    let variants = Example::all().filter_map(|example| {
        let name = example.file_name.strip_suffix(".txt")?;
        name.starts_with(&prefix).then(|| entry(name, example))
    });
    [entry(about.name, example)].into_iter().chain(variants).collect()
}
