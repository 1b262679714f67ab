//! Self-contained web pages: results as a table with a picture of each answer, whose frames can be
//! played; and boards to play.
//!
//! A page loads nothing: it contains style, script and data. The data are the
//! [`parts`](Picture::parts) of the pictures; parts shared by many pictures (the network of all
//! trips) occur once.

use base::words::capitalized;
use indexmap::IndexSet;
use serde_json::{Value, json};

use crate::{Parts, Picture, escaped};

/// Maximum number of marks on a page, for the sake of browsers. Further answers are omitted, and
/// the page reports this.
const MAX_MARKS: usize = 1_500_000;

/// A picture with zoom and steps: its elements, its style, and the script that draws the
/// [`parts`](Picture::parts) of pictures.
pub const PICTURE: &str = include_str!("picture.html");
pub const PICTURE_STYLE: &str = include_str!("picture.css");
pub const PICTURE_SCRIPT: &str = include_str!("picture.js");

/// Style and scripts for clickable places and moves. The script sends each move to a function `ask`
/// of the page, which returns the board.
pub const PLAY_STYLE: &str = include_str!("play.css");
pub const PLAY_SCRIPT: &str = concat!(include_str!("places.js"), include_str!("play.js"));

/// Returns a page with a playable board. `sheet` contains its places, its marks, and the hashes of
/// its solutions.
pub fn playable_page(title: &str, rules: &str, sheet: &Value) -> String {
    let (name, rules) = rules.split_once(": ").unwrap_or((rules, ""));
    let parts: [(&str, &str); 4] =
        [("title", &escaped(title)), ("name", &escaped(name)), ("rules", &escaped(rules)), ("picture", PICTURE)];
    let styles = [PICTURE_STYLE, PLAY_STYLE, include_str!("sheet.css"), crate::STYLE];
    with_script(
        include_str!("sheet.html"),
        parts,
        &styles,
        sheet,
        &[PICTURE_SCRIPT, PLAY_SCRIPT, include_str!("sheet.js")],
    )
}

/// Returns the data of a single picture, for pages that receive pictures one at a time.
pub fn picture(picture: &Picture) -> Value {
    let Parts { ground, movers } = picture.parts();
    json!({
        "view": picture.view(), "title": picture.title,
        "ground": ground, "movers": movers, "captions": picture.captions,
    })
}

/// The content of a page.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub title: String,
    /// The complete text output
    pub text: String,
    pub columns: Vec<String>,
    /// The index of the row's picture, and its cells
    pub rows: Vec<(usize, Vec<String>)>,
    /// Names and values of settings, if the first cells of a row are a setting
    pub settings: Vec<(String, Vec<String>)>,
    /// Each row is a step that leads to this number of further frames of its picture; if 0, each
    /// row is an answer
    pub frames_per_row: usize,
    /// The singular and plural noun of a row
    pub nouns: [String; 2],
    /// A remark about all rows
    pub note: String,
    /// Index of the picture that is shown first
    pub chosen: usize,
    /// Number of omitted answers
    pub left_out: usize,
    pictures: Vec<Value>,
    /// The static marks of all pictures, without repetition
    marks: IndexSet<String>,
    /// Number of marks on the page
    used: usize,
}

impl Page {
    /// Creates a page that plays steps; `text` may contain terminal styles.
    pub fn of_steps(title: &str, text: &str) -> Self {
        let nouns = ["step", "steps"].map(str::to_owned);
        Page { frames_per_row: 1, nouns, ..Page::of_text(title, text) }
    }

    /// Creates a page with a text, which may contain terminal styles.
    pub fn of_text(title: &str, text: &str) -> Self {
        let text = anstream::adapter::strip_str(text).to_string();
        Page { title: title.to_owned(), text, ..Page::default() }
    }

    /// Returns true if the page has too many marks for further answers.
    pub fn is_full(&self) -> bool {
        self.used > MAX_MARKS
    }

    /// Adds a picture and returns its index.
    pub fn add(&mut self, picture: &Picture) -> usize {
        let parts = picture.parts();
        let ground: Vec<usize> = parts.ground.into_iter().map(|mark| self.marks.insert_full(mark).0).collect();
        let places: usize = parts
            .movers
            .iter()
            .map(|(_, places, paths, visible, _)| places.len() + 4 * paths.len() + visible.len())
            .sum();
        self.used += ground.len() + places;
        self.pictures.push(json!({
            "view": picture.view(), "title": picture.title,
            "ground": ground, "movers": parts.movers, "captions": picture.captions,
        }));
        self.pictures.len() - 1
    }

    /// Returns the complete page.
    pub fn html(&self) -> String {
        let (summary, rest) = self.text.split_once('\n').unwrap_or((&self.text, ""));
        let left_out = match self.left_out {
            0 => String::new(),
            number => format!("<p>{number} more answers are not on this page.</p>"),
        };
        let words = match rest.trim_matches('\n') {
            "" => String::new(),
            text => {
                format!("<details id=\"words\"><summary>In words</summary>\n<pre>{}</pre>\n</details>", escaped(text))
            }
        };
        let parts: [(&str, &str); 6] = [
            ("title", &escaped(&self.title)),
            ("summary", &escaped(summary)),
            ("left-out", &left_out),
            ("picture", PICTURE),
            ("note", &escaped(&self.note)),
            ("words", &words),
        ];
        let styles = [PICTURE_STYLE, include_str!("page.css"), crate::STYLE];
        let scripts = [PICTURE_SCRIPT, include_str!("page.js")];
        with_script(include_str!("page.html"), parts, &styles, &self.data(), &scripts)
    }

    fn data(&self) -> Value {
        let marks: Vec<&String> = self.marks.iter().collect();
        json!({
            "columns": self.columns, "rows": self.rows, "framesPerRow": self.frames_per_row,
            "nouns": self.nouns, "chosen": self.chosen, "settings": self.settings,
            "marks": marks, "pictures": self.pictures,
        })
    }
}

/// Boards to print.
pub struct PrintSheet<'a> {
    /// The name of the puzzle.
    pub name: &'a str,
    pub rules: &'a str,
    /// The number of the first board.
    pub first: u64,
    pub boards: &'a [PrintedBoard],
    pub page_size: PageSize,
}

/// A board to print, with pictures in SVG.
pub struct PrintedBoard {
    /// The size of the board and its seed, which stand below the solution.
    pub origin: String,
    pub picture: String,
    pub solution: String,
}

/// The size of printed pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum PageSize {
    A3,
    #[default]
    A4,
    A5,
    Letter,
    Legal,
}

impl PageSize {
    /// The name in CSS, and the number of boards side by side.
    fn style(self) -> (&'static str, &'static str) {
        match self {
            PageSize::A3 => ("A3", "3"),
            PageSize::A4 => ("A4", "2"),
            PageSize::A5 => ("A5", "1"),
            PageSize::Letter => ("letter", "2"),
            PageSize::Legal => ("legal", "2"),
        }
    }
}

/// Returns a page to print: the rules, numbered boards, and their solutions on a separate page at
/// the end.
pub fn print_sheet(sheet: &PrintSheet<'_>) -> String {
    let name = escaped(sheet.name);
    let figures = |of: fn(&PrintedBoard) -> (&str, &str)| -> String {
        let figure = |(number, board): (u64, &PrintedBoard)| {
            let (picture, origin) = of(board);
            let origin = if origin.is_empty() { String::new() } else { format!("<small>{}</small>", escaped(origin)) };
            format!("<figure>{picture}<figcaption>{name} {number}{origin}</figcaption></figure>\n")
        };
        (sheet.first..).zip(sheet.boards).map(figure).collect()
    };
    let (page_size, columns) = sheet.page_size.style();
    // The rules follow the name in a summary, and are a sentence here.
    let rules = capitalized(sheet.rules);
    let rules = if rules.is_empty() { rules } else { format!("{}.", rules.trim_end_matches('.')) };
    let boards = figures(|board| (&board.picture, ""));
    let solutions = figures(|board| (&board.solution, &board.origin));
    let parts: [(&str, &str); 8] = [
        ("title", &name),
        ("page-size", page_size),
        ("columns", columns),
        ("name", &name),
        ("rules", &escaped(&rules)),
        ("boards", &boards),
        ("name", &name),
        ("solutions", &solutions),
    ];
    fill_template(include_str!("printed.html"), parts)
}

/// A card of a [`gallery`]; texts that are not known are empty.
#[derive(Debug, Clone, Default)]
pub struct Card {
    pub name: String,
    pub title: String,
    pub rules: String,
    pub source: String,
    /// The board as text
    pub board: String,
    /// A shell command that solves the board
    pub command: String,
    /// An address of the board
    pub link: String,
    /// The picture in SVG
    pub picture: String,
}

/// Returns a page with sections of cards.
pub fn gallery(title: &str, sections: &[(&str, Vec<Card>)]) -> String {
    let optional = |text: &str, html: String| if text.is_empty() { String::new() } else { html };
    let card = |card: &Card| {
        let [name, title, rules, source, board, command, link] =
            [&card.name, &card.title, &card.rules, &card.source, &card.board, &card.command, &card.link]
                .map(|text| escaped(text));
        let mut html = format!(
            "<article id=\"{name}\">\n<h3>{title} <code>{name}</code></h3>\n<figure>{}</figure>\n<p class=\"rules\">{rules}</p>\n",
            card.picture
        );
        html += &optional(&source, format!("<p class=\"source\">{source}</p>\n"));
        html += &optional(&link, format!("<p><a href=\"{link}\">{link}</a></p>\n"));
        let text = format!("<details><summary>Board</summary><pre>{board}</pre><pre>{command}</pre></details>\n");
        html + &optional(&board, text) + "</article>\n"
    };
    let section = |(heading, cards): &(&str, Vec<Card>)| {
        let articles: String = cards.iter().map(card).collect();
        format!("<h2>{} ({})</h2>\n<section>\n{articles}</section>\n", escaped(heading), cards.len())
    };
    let sections: String = sections.iter().filter(|(_, cards)| !cards.is_empty()).map(section).collect();
    let title = escaped(title);
    fill_template(include_str!("gallery.html"), [("title", &title), ("heading", &title), ("sections", &sections)])
}

/// Fills a template and appends styles, data and scripts.
pub fn with_script<const N: usize>(
    template: &str,
    parts: [(&str, &str); N],
    styles: &[&str],
    data: &Value,
    scripts: &[&str],
) -> String {
    let data = data_element(data);
    let tail = [("style", &*styles.join("\n")), ("data", &data), ("script", &scripts.join("\n"))];
    fill_template(template, parts) + &fill_template(include_str!("tail.html"), tail)
}

/// Fills a template and appends data and the address of a script.
pub fn with_linked_script<const N: usize>(
    template: &str,
    parts: [(&str, &str); N],
    data: &Value,
    script: &str,
) -> String {
    let tail = [("data", &*data_element(data)), ("script", script)];
    fill_template(template, parts) + &fill_template(include_str!("linked.html"), tail)
}

/// Escapes `<`, so that the data cannot end their element.
fn data_element(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

/// Replaces each `<!--name-->` of a template by its value, in order.
fn fill_template<const N: usize>(template: &str, parts: [(&str, &str); N]) -> String {
    let mut html = String::new();
    let mut rest = template;
    // The search continues after the inserted value, so that values are never read as templates.
    for (name, value) in parts {
        let (before, after) =
            rest.split_once(&format!("<!--{name}-->")).expect("the template has every place, in order");
        html.push_str(before);
        html.push_str(value);
        rest = after;
    }
    html + rest
}

/// Adds the CSP nonce to every script and style. Inserted values contain no elements, because they
/// are escaped.
pub fn with_nonce(html: &str, nonce: &str) -> String {
    let named = |element: &str| (format!("<{element}"), format!("<{element} nonce=\"{nonce}\""));
    ["script", "style"].map(named).iter().fold(html.to_owned(), |html, (from, to)| html.replace(from, to))
}
