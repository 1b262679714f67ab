//! The studio: requests of its page and their responses, as values.
//!
//! A request is sent as JSON to `POST TOKEN/ask`:
//!
//! ```text
//!   {"id": 7, "files": [{"name": "mine.lp", "text": "1 { a; b } 1."}], "ask": {"solve": {"models": 20}}}
//! ```
//!
//! It contains all texts, so the response depends only on the request. A newer `solve` or `play`
//! cancels an older one, whose response is `{"id": 6, "cancelled": true}`; `why`, `hint` and
//! `tests` cancel each other in the same way, and a change of the texts cancels all requests.
//! `GET TOKEN/picture/NAME` returns a picture of an example of the gallery.
//! `GET TOKEN/events` streams `file` (a file changed on disk) and `progress` (id and seconds of a
//! long run).
//!
//! | `ask` | response |
//! |---|---|
//! | `{"solve": {"models": N}}` | [`SolveResponse`]: the verdict, at most N answers with their pictures, and their common atoms |
//! | `{"why": {"about": ATOM or null, "fix": BOOL}}` | the explanation: `text` and `json` of `why`, and its [`lists`] |
//! | `{"count": {}}` | the number of answers: `words`, `count` (`null` if it is not known), `at_least`, `at_most`, and `costs`, `null` unless only optima count |
//! | `{"hint": {}}` | the next step, as for `hint` |
//! | `{"places": {}}` | `places`: the places of atoms in the pictures of answers |
//! | `{"tests": {}}` | `json` of `test` |
//! | `{"picture": {}}` | `svg`: the board without a solution, if it is drawn |
//! | `{"play": {"moves": […], "asks": "nothing"}}` | `play::GameView`: the board after these moves, and its state |
//!
//! All responses have the id of the request, seconds and diagnostics. A range in a text has lines
//! and columns from 1, and an exclusive end; columns count UTF-16 units, as browsers do.
//!
//! `examples/response.rs` reads a request and prints a response with the errors of its texts.

#![forbid(unsafe_code)]

#[cfg(not(target_family = "wasm"))]
pub mod serve;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use asp::syntax;
use base::diagnostic::{Code, Diagnostic, Failure, Place, Position};
use base::document::Document;
use base::lines::{LineIndex, utf16_column};
use base::words::thousands;
use explain::{ReasonLine, ReasonList};
use picture::{Picture, page};
use puzzle::report::RenderedAnswer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A request of the page.
#[derive(Debug, Deserialize)]
pub struct Request {
    pub id: u64,
    pub files: Vec<File>,
    pub ask: Query,
}

/// A text with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub name: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Query {
    /// Solve, with a maximum number of answers; 0 for all
    Solve { models: u64 },
    /// Explain why there is no answer or why an atom holds; with `fix`, also find the cheapest
    /// change that permits an answer
    Why {
        about: Option<String>,
        #[serde(default)]
        fix: bool,
    },
    /// Count the answers without enumerating them
    Count {},
    /// Find the next step of a solution
    Hint {},
    /// Find the places of atoms in pictures of answers
    Places {},
    /// Run the tests in the texts
    Tests {},
    /// Draw the board without a solution
    Picture {},
    /// Return the board after these moves, with the answer to the query `asks`
    Play {
        moves: Vec<String>,
        #[serde(default)]
        asks: String,
    },
}

/// The common part of all responses.
#[derive(Debug, Default, Serialize)]
pub struct Response {
    pub id: u64,
    pub seconds: f64,
    pub diagnostics: Vec<Value>,
    #[serde(flatten)]
    pub rest: Value,
}

/// The response to `solve`.
#[derive(Debug, Default, Serialize)]
pub struct SolveResponse {
    pub puzzle: String,
    /// `solved`, `impossible`, `gave-up` or `error`.
    pub verdict: &'static str,
    /// The verdict as text
    pub words: String,
    /// True if `answers` are all answers or, when costs are minimised, the optimum
    pub complete: bool,
    pub answers: Vec<Value>,
    /// The board alone, if there is no answer
    pub board: Option<Value>,
    /// Atoms of all answers; `None` if unknown
    pub always: Option<Vec<String>>,
    /// Atoms of some answers but not all; `None` if unknown
    pub sometimes: Option<Vec<String>>,
    /// A picture of the atoms of all answers
    pub shared: Option<Value>,
    /// The encodings read in addition to the files of the page
    pub encoding: Vec<File>,
    pub playable: bool,
}

/// Maximum number of marks in a picture; a browser draws so many in a few seconds.
const MAX_MARKS: usize = 50_000;

/// Rejects pictures that are too large for a browser.
pub fn check_drawable(picture: &Picture) -> Result<(), Diagnostic> {
    let marks = picture.sprites.len();
    if marks <= MAX_MARKS {
        return Ok(());
    }
    let most = thousands(MAX_MARKS);
    let words = format!("too large to be shown here: {} marks, {most} at most", thousands(marks));
    Err(Diagnostic::warning(Code::EmptyDrawing, words).help("as a picture of its own: asp-solve … -f svg -o FILE"))
}

/// The data of a picture, unless it is too large for a browser.
pub fn picture(picture: Option<&Picture>) -> Option<Value> {
    picture.filter(|picture| check_drawable(picture).is_ok()).map(page::picture)
}

/// An answer in JSON.
pub fn answer(answer: &RenderedAnswer) -> Value {
    json!({
        "text": answer.text,
        "atoms": answer.atoms,
        "picture": picture(answer.picture.as_ref()),
        "places": [],
    })
}

/// Returns the atoms that are in every answer, and the atoms that are only in some answers.
pub fn compare_answers(answers: &[RenderedAnswer]) -> (Vec<String>, Vec<String>) {
    let sets: Vec<BTreeSet<&String>> = answers.iter().map(|answer| answer.atoms.iter().collect()).collect();
    let mut seen = BTreeSet::new();
    let atoms = answers.iter().flat_map(|answer| &answer.atoms).filter(|atom| seen.insert(*atom));
    atoms.cloned().partition(|atom| sets.iter().all(|set| set.contains(atom)))
}

/// The initial text of a studio without files.
pub const EXAMPLE: &str = include_str!("page/example.lp");

/// The lists of an explanation in JSON, with places in the texts.
pub fn lists<'a>(lists: &[ReasonList], text_of: impl Fn(&Place) -> Option<Cow<'a, str>>) -> Value {
    fn line(reason_line: &ReasonLine, at: &dyn Fn(&Place) -> Value) -> Value {
        let part = reason_line.part.as_ref();
        json!({
            "atom": reason_line.atom,
            "words": reason_line.words,
            "source": part.map(|part| &part.text),
            "place": part.and_then(|part| part.place.as_ref()).map(at),
            "below": reason_line.children.iter().map(|below| line(below, at)).collect::<Vec<_>>(),
        })
    }
    let at = |place: &Place| place_json(place, &text_of);
    let lines = |list: &ReasonList| list.lines.iter().map(|reason_line| line(reason_line, &at)).collect::<Vec<_>>();
    lists.iter().map(|list| json!({ "title": list.title, "lines": lines(list) })).collect()
}

/// Diagnostics in JSON.
pub fn diagnostics<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    text_of: impl Fn(&Place) -> Option<Cow<'a, str>>,
) -> Vec<Value> {
    let place = |place: &Place| place_json(place, &text_of);
    let diagnostic = |diagnostic: &Diagnostic| {
        json!({
            "level": diagnostic.severity.to_string(),
            "text": diagnostic.message,
            "help": diagnostic.help,
            "places": diagnostic.labels.iter().map(place).collect::<Vec<_>>(),
        })
    };
    diagnostics.into_iter().map(diagnostic).collect()
}

fn place_json<'a>(place: &Place, text_of: &dyn Fn(&Place) -> Option<Cow<'a, str>>) -> Value {
    let text = text_of(place);
    let lines = text.as_deref().map(LineIndex::new);
    let point = |position: Position| {
        let line = text.as_deref().zip(lines.as_ref()).map_or("", |(text, lines)| &text[lines.range(position.line)]);
        // Without the text, every byte counts as one unit.
        let column = utf16_column(line, position.column) + (position.column - 1).saturating_sub(line.len());
        [position.line, column + 1]
    };
    json!({ "file": place.file, "start": point(place.start), "end": point(place.end), "label": place.label })
}

/// Returns the paths at which clingo looks for an included file: in the current folder, and in the
/// folder of the including file.
pub fn candidate_paths(includer: &str, name: &str) -> [PathBuf; 2] {
    let sibling = Path::new(includer).parent().unwrap_or(Path::new("")).join(name);
    [PathBuf::from(name), sibling]
}

/// Returns the file of the page that a text of the page includes by this name, if any.
pub fn included<'a>(files: &'a [File], includer: &str, name: &str) -> Option<&'a File> {
    let candidates = candidate_paths(includer, name).map(|path| plain(&path));
    files.iter().find(|file| candidates.contains(&plain(Path::new(&file.name))))
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => _ = plain.pop(),
            part => plain.push(part),
        }
        plain
    })
}

/// Converts the page's files to documents. Removes the includes of texts that are among the files.
///
/// `resolve` returns the path of an included file, or the reason why it is not read.
pub fn documents(
    files: &[File],
    resolve: impl Fn(&File, &str) -> Result<String, String>,
) -> Result<Vec<Document>, Failure> {
    let document = |file: &File| {
        let read = Document::from_bytes(file.name.clone(), None, file.text.clone().into_bytes());
        let mut text = read.text.to_string();
        for (range, name) in syntax::includes(&read.text).into_iter().rev() {
            let Some(name) = name else { continue };
            let path = included(files, &file.name, &name)
                .map_or_else(|| resolve(file, &name), |on_page| Ok(on_page.name.clone()));
            let path = path.map_err(|words| {
                let place = Place::of_range(&file.name, &read.text, range.clone());
                Diagnostic::error(Code::MissingInclude, format!("#include \"{name}\": {words}")).at(Some(place))
            })?;
            let is_on_page = files.iter().any(|other| other.name == path);
            let directive = if is_on_page { " ".repeat(range.len()) } else { format!("#include {}.", json!(path)) };
            text.replace_range(range, &directive);
        }
        Ok(Document::in_memory(read.name, text))
    };
    files.iter().map(document).collect()
}

const STYLES: [&str; 4] = [page::PICTURE_STYLE, page::PLAY_STYLE, include_str!("page/studio.css"), picture::STYLE];

/// The scripts of the page, with the one that reaches the program.
const fn scripts(engine: &'static str) -> [&'static str; 5] {
    [page::PICTURE_SCRIPT, page::PLAY_SCRIPT, include_str!("page/editor.js"), engine, include_str!("page/studio.js")]
}

/// The studio's page, with its initial state.
pub fn html(nonce: &str, start: &Value) -> String {
    let parts = [("head", ""), ("picture", page::PICTURE)];
    let scripts = scripts(include_str!("page/server.js"));
    page::with_nonce(&page::with_script(include_str!("page/studio.html"), parts, &STYLES, start, &scripts), nonce)
}

/// The program as WebAssembly, in the folder of a static page.
pub const WASM: &str = "asp-solve.wasm";

/// The Content Security Policy of the static page. It permits files of the same origin, and
/// WebAssembly.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; img-src data:; worker-src 'self'; base-uri 'none'; form-action 'none'";

/// Returns the files of a static page, which reaches the program [`WASM`] in its own folder instead
/// of a server: names and contents. `version` must change whenever the program does.
pub fn static_files(start: &Value, version: &str) -> [(&'static str, String); 7] {
    let head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<link rel=\"stylesheet\" href=\"studio.css\">"
    );
    let parts = [("head", &*head), ("picture", page::PICTURE)];
    [
        ("index.html", page::with_linked_script(include_str!("page/studio.html"), parts, start, "studio.js")),
        ("studio.css", STYLES.join("\n")),
        ("studio.js", scripts(concat!(include_str!("page/links.js"), include_str!("page/browser.js"))).join("\n")),
        ("worker.js", include_str!("page/worker.js").to_owned()),
        ("offline.js", include_str!("page/offline.js").replace("<!--version-->", version)),
        ("embed.js", include_str!("page/embed.js").replace("/*<!--links-->*/", include_str!("page/links.js"))),
        ("example.html", include_str!("page/example.html").to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn texts_include_each_other_by_paths_that_clingo_would_find() {
        let files = [
            file("made/main.lp", "#include \"facts.lp\". #include \"./made/../more.lp\"."),
            file("made/facts.lp", "#include \"made/main.lp\"."),
            file("more.lp", "#include \"else.lp\"."),
        ];
        let resolve =
            |_: &File, name: &str| if name == "else.lp" { Ok("/else.lp".to_owned()) } else { Err(name.into()) };
        let read: Vec<String> =
            documents(&files, resolve).expect("all files are found").iter().map(|read| read.text.to_string()).collect();
        assert_eq!(read.iter().map(|text| text.trim()).collect::<Vec<_>>(), ["", "", "#include \"/else.lp\"."]);
        assert!(documents(&files[..2], resolve).is_err(), "more.lp is missing");
        assert!(included(&files, "made/main.lp", "../../more.lp").is_none());
    }
}
