//! A page for a browser in one file: what was found as a table, and each answer's picture, frame by frame; or a board to be played.
//!
//! The page loads nothing: style, script and data stand in it. The data are the [`parts`](Picture::parts) of the pictures; what
//! many pictures share (the network below all trips) is there once.

use indexmap::IndexSet;
use serde_json::{Value, json};

use crate::picture::{self, Parts, Picture, escaped};

/// A page with more marks than this is too much for a browser; further answers are left out, and the page says so.
const MOST_MARKS: usize = 1_500_000;

/// A picture that one can zoom, and step through: its elements, their style, and the script that knows what a page has
/// [`parts`](Picture::parts) for.
pub const PICTURE: &str = include_str!("picture.html");
pub const PICTURE_STYLE: &str = include_str!("picture.css");
pub const PICTURE_SCRIPT: &str = include_str!("picture.js");

/// The same with places that one can point at, and moves; whoever judges these is asked by the script.
pub const PLAY_STYLE: &str = include_str!("play.css");
pub const PLAY_SCRIPT: &str = concat!(include_str!("places.js"), include_str!("play.js"));

/// A board to be played: `sheet` has its places, its marks, and hashes of its solutions.
pub fn sheet(title: &str, rules: &str, sheet: &Value) -> String {
    let (name, rules) = rules.split_once(": ").unwrap_or((rules, ""));
    let parts: [(&str, &str); 4] =
        [("title", &escaped(title)), ("name", &escaped(name)), ("rules", &escaped(rules)), ("picture", PICTURE)];
    let styles = [PICTURE_STYLE, PLAY_STYLE, include_str!("sheet.css"), picture::STYLE];
    with_script(
        include_str!("sheet.html"),
        parts,
        &styles,
        sheet,
        &[PICTURE_SCRIPT, PLAY_SCRIPT, include_str!("sheet.js")],
    )
}

/// A picture by itself, for a page that is told of one after the other.
pub fn picture(picture: &Picture) -> Value {
    let Parts { ground, movers } = picture.parts();
    json!({
        "view": picture.view(), "title": picture.title,
        "ground": ground, "movers": movers, "captions": picture.captions,
    })
}

/// What a page shows.
#[derive(Default)]
pub struct Page {
    pub title: String,
    /// All of the output for a person.
    pub text: String,
    pub columns: Vec<String>,
    /// Cells by column, and the number of the row's picture.
    pub rows: Vec<(usize, Vec<String>)>,
    /// What one can set, and to what: together the first cells of a row.
    pub settings: Vec<(String, Vec<String>)>,
    /// Whether the rows are the frames of one picture, behind a first frame that has none.
    pub plays_rows: bool,
    /// The picture that is shown at first.
    pub chosen: usize,
    /// How many answers are not on the page.
    pub left_out: usize,
    pictures: Vec<Value>,
    /// What never moves in some picture, each once.
    marks: IndexSet<String>,
    used: usize,
}

impl Page {
    /// A page that plays steps; its text may be painted for a terminal.
    pub fn of_steps(title: &str, text: &str) -> Self {
        let text = anstream::adapter::strip_str(text).to_string();
        Page { title: title.to_owned(), text, plays_rows: true, ..Page::default() }
    }

    /// Whether a browser could show more.
    pub fn is_full(&self) -> bool {
        self.used > MOST_MARKS
    }

    /// Adds a picture and returns its number.
    pub fn add(&mut self, picture: &Picture) -> usize {
        let parts = picture.parts();
        let ground: Vec<usize> = parts.ground.into_iter().map(|mark| self.marks.insert_full(mark).0).collect();
        let places: usize =
            parts.movers.iter().map(|(_, places, ways, shown, _)| places.len() + 4 * ways.len() + shown.len()).sum();
        self.used += ground.len() + places;
        self.pictures.push(json!({
            "view": picture.view(), "title": picture.title,
            "ground": ground, "movers": parts.movers, "captions": picture.captions,
        }));
        self.pictures.len() - 1
    }

    /// The whole file.
    pub fn html(&self) -> String {
        let (summary, rest) = self.text.split_once('\n').unwrap_or((&self.text, ""));
        let left_out = match self.left_out {
            0 => String::new(),
            number => format!("<p>{number} more answers are not on this page.</p>"),
        };
        let parts: [(&str, &str); 5] = [
            ("title", &escaped(&self.title)),
            ("summary", &escaped(summary)),
            ("left-out", &left_out),
            ("picture", PICTURE),
            ("text", &escaped(rest.trim_matches('\n'))),
        ];
        let styles = [PICTURE_STYLE, include_str!("page.css"), picture::STYLE];
        let scripts = [PICTURE_SCRIPT, include_str!("page.js")];
        with_script(include_str!("page.html"), parts, &styles, &self.data(), &scripts)
    }

    fn data(&self) -> Value {
        let marks: Vec<&String> = self.marks.iter().collect();
        json!({
            "columns": self.columns, "rows": self.rows, "playsRows": self.plays_rows, "chosen": self.chosen,
            "settings": self.settings,
            "marks": marks, "pictures": self.pictures,
        })
    }
}

/// A sheet to print: boards with their names, and their solutions at the end, on a page of their own; pictures are SVG.
pub fn printed(boards: &[[String; 3]]) -> String {
    let figures = |picture: usize| -> String {
        let figure = |board: &[String; 3]| {
            format!("<figure>{}<figcaption>{}</figcaption></figure>\n", board[picture], escaped(&board[0]))
        };
        boards.iter().map(figure).collect()
    };
    let title = boards.first().map_or("", |board| &board[0]);
    let parts: [(&str, &str); 3] = [("title", &escaped(title)), ("boards", &figures(1)), ("solutions", &figures(2))];
    filled(include_str!("printed.html"), parts)
}

/// A page with its styles, its data, and the scripts that read these.
pub fn with_script<const N: usize>(
    template: &str,
    parts: [(&str, &str); N],
    styles: &[&str],
    data: &Value,
    scripts: &[&str],
) -> String {
    // Nothing in the data can end their element.
    let data = data.to_string().replace('<', "\\u003c");
    let tail = [("style", &*styles.join("\n")), ("data", &data), ("script", &scripts.join("\n"))];
    filled(template, parts) + &filled(include_str!("tail.html"), tail)
}

/// A template with a value for each `<!--name-->`, in their order.
fn filled<const N: usize>(template: &str, parts: [(&str, &str); N]) -> String {
    let (mut html, mut rest) = (String::new(), template);
    // Each is looked for behind the last one, so that what is filled in is never read as a place to fill.
    for (name, value) in parts {
        let (before, after) =
            rest.split_once(&format!("<!--{name}-->")).expect("the template has every place, in order");
        html.push_str(before);
        html.push_str(value);
        rest = after;
    }
    html + rest
}

/// The page with a word at its scripts and styles by which a browser knows them from those of others. What was filled in has
/// no element of its own: it is escaped.
pub fn with_nonce(html: &str, nonce: &str) -> String {
    let named = |element: &str| (format!("<{element}"), format!("<{element} nonce=\"{nonce}\""));
    ["script", "style"].map(named).iter().fold(html.to_owned(), |html, (from, to)| html.replace(from, to))
}
