//! The studio: requests of its page, and answers, as values.
//!
//! A request goes as JSON to `POST TOKEN/ask`: `{"id": 7, "files": [{"name": "mine.lp", "text": "1 { a; b } 1."}], "ask":
//! {"solve": {"models": 20}}}`. It has all texts, and an answer depends on nothing but its request. A newer `solve` or
//! `play` cancels the older one (`{"id": 6, "cancelled": true}`), as do `why`, `hint` and `tests` among themselves; new
//! texts cancel all. `GET TOKEN/events` streams `file` (a file changed on disk) and `progress` (id and seconds of a long run).
//!
//! | `ask` | answer |
//! |---|---|
//! | `{"solve": {"models": N}}` | [`Solved`]: the verdict, at most N answers with their pictures, what they share |
//! | `{"why": {"about": ATOM or null, "fix": BOOL}}` | the reason: `text` and `json` of `why`, and its [`lists`] |
//! | `{"hint": {}}` | the next step: the same of `hint` |
//! | `{"places": {}}` | `places`: where atoms stand in the pictures of answers |
//! | `{"tests": {}}` | `json` of `test` |
//! | `{"play": {"moves": […], "asks": "nothing"}}` | [`Played`](crate::played::Played): the board after these moves, and how it stands |
//!
//! All answers have the id of the request, seconds and diagnostics. A place in a text is a line and a column, from 1, without
//! its end; columns count UTF-16 units, as browsers do.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::asp::syntax;
use crate::diagnostic::{Diagnostic, Failure, Level, Place, Position};
use crate::document::Document;
use crate::page;
use crate::picture::{self, Picture};
use crate::puzzle::report::Answered;
use crate::why::{Line, List};
use crate::words::thousands;

/// What the page wants to know about its texts.
#[derive(Debug, Deserialize)]
pub struct Request {
    pub id: u64,
    pub files: Vec<File>,
    pub ask: Ask,
}

/// A text and its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub name: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// The answers; 0 for all.
    Solve { models: u64 },
    /// Why there is no answer, or why an atom holds; the cheapest change after which there is one.
    Why {
        about: Option<String>,
        #[serde(default)]
        fix: bool,
    },
    /// What a person could find next.
    Hint {},
    /// Where in pictures of answers the atoms stand that a person can ask about.
    Places {},
    /// Whether the tests in the texts pass.
    Tests {},
    /// The board after these moves, and the answer to a question about it.
    Play {
        moves: Vec<String>,
        #[serde(default)]
        asks: String,
    },
}

/// What there is to say whatever was asked.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    pub id: u64,
    pub seconds: f64,
    pub diagnostics: Vec<Value>,
    #[serde(flatten)]
    pub rest: Value,
}

/// How solving ended, and with which answers.
#[derive(Debug, Default, Serialize)]
pub struct Solved {
    pub puzzle: &'static str,
    /// `solved`, `impossible`, `gave-up` or `error`.
    pub verdict: &'static str,
    /// For a person.
    pub words: String,
    /// Whether these are all answers, or the best one.
    pub complete: bool,
    pub answers: Vec<Value>,
    /// The board alone, where there is no answer.
    pub board: Option<Value>,
    /// Atoms of all answers, and of some but not all; none where that is not known.
    pub always: Option<Vec<String>>,
    pub sometimes: Option<Vec<String>>,
    /// What all answers share, drawn.
    pub shared: Option<Value>,
    /// What was read besides the files of the page.
    pub encoding: Vec<File>,
    pub playable: bool,
}

/// A browser takes some seconds for a picture of so many marks.
const MOST_MARKS: usize = 50_000;

/// Says what is too large for a browser.
pub fn drawable(picture: &Picture) -> Result<(), Diagnostic> {
    let marks = picture.sprites.len();
    if marks <= MOST_MARKS {
        return Ok(());
    }
    let most = thousands(MOST_MARKS);
    let words = format!("too large to be shown here: {} marks, {most} at most", thousands(marks));
    Err(Diagnostic::warning(words).help("as a picture of its own: asp-solve … -f svg -o FILE"))
}

/// A picture that a browser can show.
pub fn picture(picture: Option<&Picture>) -> Option<Value> {
    picture.filter(|picture| drawable(picture).is_ok()).map(page::picture)
}

/// An answer, as the page has it.
pub fn answer(answered: &Answered) -> Value {
    json!({
        "text": answered.text,
        "atoms": answered.atoms,
        "picture": picture(answered.picture.as_ref()),
        "places": [],
    })
}

/// The atoms that all answers have, and those that some have but not all.
pub fn compared(answers: &[Answered]) -> (Vec<String>, Vec<String>) {
    let sets: Vec<BTreeSet<&String>> = answers.iter().map(|answer| answer.atoms.iter().collect()).collect();
    let mut seen = BTreeSet::new();
    let atoms = answers.iter().flat_map(|answer| &answer.atoms).filter(|atom| seen.insert(*atom));
    atoms.cloned().partition(|atom| sets.iter().all(|set| set.contains(atom)))
}

/// The text of a studio that was given no file.
pub const EXAMPLE: &str = include_str!("page/example.lp");

/// The reasons of an answer, each with its place in a text.
pub fn lists<'a>(lists: &[List], text_of: impl Fn(&Place) -> Option<Cow<'a, str>>) -> Value {
    fn line(told: &Line, at: &dyn Fn(&Place) -> Value) -> Value {
        let part = told.part.as_ref();
        json!({
            "atom": told.atom,
            "words": told.words,
            "source": part.map(|part| &part.text),
            "place": part.and_then(|part| part.place.as_ref()).map(at),
            "below": told.below.iter().map(|below| line(below, at)).collect::<Vec<_>>(),
        })
    }
    let at = |place: &Place| place_json(place, &text_of);
    let lines = |list: &List| list.lines.iter().map(|told| line(told, &at)).collect::<Vec<_>>();
    lists.iter().map(|list| json!({ "title": list.title, "lines": lines(list) })).collect()
}

/// What there is to say about the texts.
pub fn diagnostics<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    text_of: impl Fn(&Place) -> Option<Cow<'a, str>>,
) -> Vec<Value> {
    let place = |place: &Place| place_json(place, &text_of);
    let diagnostic = |diagnostic: &Diagnostic| {
        json!({
            "level": if diagnostic.level == Level::Error { "error" } else { "warning" },
            "text": diagnostic.text,
            "help": diagnostic.help,
            "places": diagnostic.places.iter().map(place).collect::<Vec<_>>(),
        })
    };
    diagnostics.into_iter().map(diagnostic).collect()
}

fn place_json<'a>(place: &Place, text_of: &dyn Fn(&Place) -> Option<Cow<'a, str>>) -> Value {
    let text = text_of(place);
    let point = |position: Position| [position.line, in_utf16(text.as_deref(), position)];
    json!({ "file": place.file, "start": point(place.start), "end": point(place.end), "label": place.label })
}

/// The column of a position whose own counts bytes.
fn in_utf16(text: Option<&str>, Position { line, column }: Position) -> usize {
    let line = text.and_then(|text| text.split('\n').nth(line - 1)).unwrap_or_default();
    let before = line.floor_char_boundary((column - 1).min(line.len()));
    // Without the text all signs count as one byte.
    line[..before].encode_utf16().count() + 1 + (column - 1).saturating_sub(line.len())
}

/// Texts of the page as documents; included texts are taken from among them.
///
/// `found` says where a file lies that a text includes, or why it is not read.
pub fn documents(
    files: &[File],
    found: impl Fn(&File, &str) -> Result<String, String>,
) -> Result<Vec<Document>, Failure> {
    let document = |file: &File| {
        let read = Document::from_bytes(file.name.clone(), None, file.text.clone().into_bytes());
        let mut text = read.text.to_string();
        for (range, name) in syntax::includes(&read.text).into_iter().rev() {
            let Some(name) = name else { continue };
            let path = found(file, &name).map_err(|words| {
                let place = Place::of_range(&file.name, &read.text, range.clone());
                Diagnostic::error(format!("#include \"{name}\": {words}")).at(Some(place))
            })?;
            let is_here = files.iter().any(|other| other.name == path);
            let directive = if is_here { " ".repeat(range.len()) } else { format!("#include {}.", json!(path)) };
            text.replace_range(range, &directive);
        }
        Ok(Document::in_memory(read.name, text))
    };
    files.iter().map(document).collect()
}

/// The page, with what it begins with.
pub fn html(nonce: &str, start: &Value) -> String {
    let styles = [page::PICTURE_STYLE, page::PLAY_STYLE, include_str!("page/studio.css"), picture::STYLE];
    let (editor, studio) = (include_str!("page/editor.js"), include_str!("page/studio.js"));
    let scripts = [page::PICTURE_SCRIPT, page::PLAY_SCRIPT, editor, studio];
    let parts = [("picture", page::PICTURE)];
    page::with_nonce(&page::with_script(include_str!("page/studio.html"), parts, &styles, start, &scripts), nonce)
}
