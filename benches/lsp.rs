//! Measures the latency from a keystroke to its diagnostics in an editor, on all shipped files:
//! `cargo bench --bench lsp`.
//!
//! A real server receives each text, and then versions with further characters, so that everything
//! is read and grounded again. The measurement ends with the first diagnostics for the new text.
//! Results of tests and causes arrive later and are not measured.

#[path = "../tests/it/support/editor.rs"]
mod editor;
#[path = "../tests/it/support/program.rs"]
mod program;

use std::path::{Path, PathBuf};
use std::time::Instant;

use editor::Editor;
use serde_json::json;

const KEYSTROKES: usize = 10;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn main() {
    let mut editor = Editor::new();
    let mut milliseconds = Vec::new();
    for path in
        files(Path::new("asp")).into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "lp"))
    {
        let name = std::path::absolute(&path).expect("a path").display().to_string();
        let text = std::fs::read_to_string(&path).expect("a text");
        editor.open(&name, &text);
        editor.checked(&name, 1);
        for keystroke in 0..KEYSTROKES {
            // Every second keystroke adds a syntax error in the middle of the text.
            let middle = text.len() / 2 + text[text.len() / 2..].find('\n').unwrap_or_default();
            let typed =
                format!("{}{}{}", &text[..middle], [" ", "\na"][keystroke % 2].repeat(keystroke + 1), &text[middle..]);
            let version = keystroke as i32 + 2;
            let started = Instant::now();
            editor.change(&name, version, &typed);
            editor.diagnostics(&name, version, |_| true);
            milliseconds.push(started.elapsed().as_secs_f64() * 1000.0);
        }
        let uri = editor.uri(&name);
        editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    milliseconds.sort_by(f64::total_cmp);
    let at = |share: f64| milliseconds[((milliseconds.len() - 1) as f64 * share) as usize];
    println!(
        "{} keystrokes: median {:.1} ms, 95th percentile {:.1} ms, longest {:.1} ms",
        milliseconds.len(),
        at(0.5),
        at(0.95),
        at(1.0)
    );
    editor.shut_down();
}
