//! Links of puzz.link and related sites. A link contains its whole board, so nothing is downloaded.
//!
//! ```text
//!   https://puzz.link/p?slither/4/4/dgdh2c71         name / columns / rows / body
//!   slither/4/4/dgdh2c71                             the same
//!   https://pzv.jp/p.html?yajilin/b/10/10/w32a…      letters before the size are flags: flag("b")
//! ```
//!
//! The header of a puzzle defines the meaning of the body by a line `Link  name, other name: steps`
//! (see [`steps`](super::steps)), so a new type of links needs no code here.

use std::collections::BTreeMap;
use std::ops::Range;

use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::words;

use super::board::{Clue, GridBoard, SpanError, check_size, failure};
use super::cursor::Cursor;
use super::editors;
use super::lines::{TextLine, only_line, scheme, unescaped_characters};
use super::square;
use super::steps::Steps;

/// The format of a puzzle's links, from its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The names of the types of links that can be read. Links are written with the first name.
    names: Vec<String>,
    steps: Steps,
}

/// Returns the type of a link. Returns `None` if the text is not a single link.
pub fn link_type(text: &str) -> Option<&str> {
    /// The type occurs within this number of bytes.
    const MAX_PREFIX: usize = 1 << 10;
    let TextLine { text, .. } = only_line(text)?;
    let text = &text[..text.floor_char_boundary(MAX_PREFIX)];
    let characters = unescaped_characters(TextLine { offset: 0, text });
    let name = type_name(&characters)?;
    Some(&text[characters[name.start].0.start..characters[name.end - 1].0.end])
}

/// Like [`failure`], for an address instead of a board.
fn invalid_link(document: &Document, error: SpanError) -> Failure {
    let mut failure = failure(document, error);
    for diagnostic in &mut failure.0 {
        diagnostic.code = Code::InvalidLink;
    }
    failure
}

impl Link {
    /// Parses the paragraph `Link` of a header.
    pub fn parse(text: &str) -> Result<Link, String> {
        let (_, steps) = text.split_once(':').ok_or("expected a colon: `names of types: steps`")?;
        let names: Vec<String> = Link::names_in(text).map(str::to_owned).collect();
        match names.iter().find(|name| name.is_empty() || !name.chars().all(is_part_of_a_name)) {
            Some(name) => Err(format!("`{name}` is not the name of a type")),
            None => Ok(Link { names, steps: Steps::parse(steps)? }),
        }
    }

    /// Returns the names of types in a paragraph `Link` without parsing its steps.
    pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
        text.split_once(':').into_iter().flat_map(|(names, _)| names.split(',').map(str::trim))
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns a description of the rules that an unsupported flag selects.
    pub fn unsupported_flag(&self, flag: &str) -> Option<&str> {
        self.steps.unsupported.get(flag).map(String::as_str)
    }

    pub fn read(&self, document: &Document) -> Result<GridBoard, Failure> {
        self.read_with_warning(document).map(|(board, _)| board)
    }

    /// Reads a board. Text after the board is ignored, as in puzz.link, with a warning.
    pub fn read_with_warning(&self, document: &Document) -> Result<(GridBoard, Option<Diagnostic>), Failure> {
        let wrong = |what: String| invalid_link(document, (what, 0..0));
        let line = only_line(&document.text).ok_or_else(|| wrong("expected a link".to_owned()))?;
        let characters = unescaped_characters(line);
        let Some(name) = type_name(&characters) else {
            return Err(wrong(format!(
                "`{}` is not a link with a board: …?name/columns/rows/…",
                words::preview(line.text)
            )));
        };
        let mut text = Cursor { characters: &characters, at: name.start };
        let mut board = self.board(&mut text, name.clone()).map_err(|error| invalid_link(document, error))?;
        let read: String = characters[name.end..text.at].iter().map(|&(_, character)| character).collect();
        board.link = Some(format!("{}{}", self.prefix(), read.trim_end_matches('/')));
        text.skip('/');
        let warning = text.peek().map(|_| {
            let (words, range) = text.wrong(text.at, "comes after the last place of the board; the rest is ignored");
            Diagnostic::warning(Code::IgnoredInput, words).at(Some(Place::of_range(
                &document.name,
                &document.text,
                range,
            )))
        });
        Ok((board, warning))
    }

    fn prefix(&self) -> String {
        format!("https://puzz.link/p?{}", self.names[0])
    }

    fn board(&self, text: &mut Cursor<'_>, name: Range<usize>) -> Result<GridBoard, SpanError> {
        let found: String = text.characters[name.clone()].iter().map(|&(_, character)| character).collect();
        if !self.names.contains(&found) {
            let what = format!("begins the type `{}`; expected {}", words::preview(&found), self.names.join(" or "));
            return Err(text.wrong(name.start, &what));
        }
        text.at = name.end;
        let has_suffix =
            |suffix: &str| text.characters[name.end..].iter().map(|entry| entry.1).take(5).eq(suffix.chars());
        text.at += if has_suffix("_edit") || has_suffix("_play") { 5 } else { 0 };
        let slash = |text: &mut Cursor<'_>| if text.skip('/') { Ok(()) } else { Err(text.expected(text.at, "`/`")) };
        slash(text)?;
        let mut board = GridBoard::default();
        let begin = text.at;
        if let Some(variant) =
            variant_segment(text.characters, name.start).or_else(|| variant_segment(text.characters, begin))
        {
            let variant_name = text.characters[variant + 2..].iter().map(|entry| entry.1);
            let variant_name: String = variant_name.take_while(|&sign| sign != '/').collect();
            let variant_name =
                if variant_name.is_empty() { String::new() } else { format!(" `{}`", words::preview(&variant_name)) };
            let what = format!("begins variant rules (`v:`){variant_name}, which links of {found} do not support");
            return Err(text.wrong(variant, &what));
        }
        text.at = after_flags(text.characters, begin);
        let flags: String = text.characters[begin..text.at].iter().map(|&(_, flag)| flag).collect();
        for flags in flags.split('/').filter(|flags| !flags.is_empty()) {
            for flag in flags.split("").filter(|flag| !flag.is_empty()) {
                if let Some(rules) = self.steps.unsupported.get(flag) {
                    let colon = if rules.is_empty() { "" } else { ": " };
                    let what = format!("begins the flag `{flag}`, which selects other rules{colon}{rules}");
                    return Err(text.wrong(begin, &what));
                }
                if self.steps.required.iter().any(|wanted| wanted == flag) {
                    continue;
                }
                if !self.steps.flags.iter().any(|known| known == flag) {
                    let known = self.steps.flags.join("`, `");
                    let known = if known.is_empty() { String::new() } else { format!(": it has `{known}`") };
                    return Err(
                        text.wrong(begin, &format!("begins the flag `{flag}`, which {found} does not have{known}"))
                    );
                }
                board.header.insert(("flag".to_owned(), vec![Clue::text(flag)]));
            }
        }
        if let Some(wanted) = self.steps.required.iter().find(|wanted| !flags.contains(&wanted[..])) {
            let (position, range) = text.expected(text.at, &format!("the flag `{wanted}`"));
            let what = format!("{position}; links of {found} without it use the notation of an old applet");
            return Err((what, range));
        }
        let begin = text.at;
        board.columns = text.decimal()?;
        slash(text)?;
        board.rows = text.decimal()?;
        check_size(board.rows, board.columns).map_err(|what| text.wrong(begin, &format!("begins {what}")))?;
        if text.at < text.characters.len() {
            slash(text)?;
        }
        self.steps.read(text, &mut board)?;
        Ok(board)
    }

    /// Returns a link to a board: the link from which the board was read, if it is unmodified,
    /// otherwise a new one.
    ///
    /// # Errors
    /// Fails if a link cannot express the whole board.
    pub fn write(&self, board: &GridBoard) -> Result<String, Failure> {
        if let Some(link) = &board.link
            && self.read(&Document::in_memory("", link.as_str())).is_ok_and(|read| read == *board)
        {
            return Ok(link.clone());
        }
        let (size, body) = self.steps.write(board).map_err(|what| {
            let name = &self.names[0];
            Failure::from(Diagnostic::error(
                Code::InvalidLink,
                format!("{what}: links of the type `{name}` cannot express that"),
            ))
        })?;
        let mut flags = self.steps.required.concat();
        for flag in board.header.iter().filter(|(name, _)| name == "flag").flat_map(|(_, flags)| flags) {
            flags.push_str(&flag.to_string());
        }
        if !flags.is_empty() {
            flags.push('/');
        }
        let (rows, columns) = size;
        let link = format!("{}/{flags}{columns}/{rows}/{body}", self.prefix());
        let mut with_defaults = board.clone();
        self.steps.add_defaults(&mut with_defaults);
        let comparable = |board: &GridBoard| {
            let mut board = GridBoard { puzzle: None, link: None, player_marks: BTreeMap::new(), ..board.clone() };
            board.grids.retain(|_, grid| !grid.is_empty());
            board
        };
        match self.read(&Document::in_memory("the link", link.as_str())) {
            Ok(read) if comparable(&read) == comparable(&with_defaults) => Ok(link),
            _ => {
                let text = format!("the board has more than a link of the type `{}` can express", self.names[0]);
                Err(Diagnostic::error(Code::InvalidLink, text).into())
            }
        }
    }
}

fn is_part_of_a_name(character: char) -> bool {
    character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-'
}

/// Returns the range of the type's name in a link.
fn type_name(characters: &[(Range<usize>, char)]) -> Option<Range<usize>> {
    let find = |from: usize, wanted: char| (from..characters.len()).find(|&at| characters[at].1 == wanted);
    let question = find(0, '?');
    let mut begin = question.map_or(0, |at| at + 1);
    let end = find(begin, '/').unwrap_or(characters.len());
    // Skip parameters such as `type=editor&`.
    begin = (begin..end).rev().find(|&at| characters[at].1 == '&').map_or(begin, |at| at + 1);
    if characters[begin..].iter().map(|entry| entry.1).take(2).eq("v:".chars()) {
        begin = end + 1;
    }
    let is_part = |at: &usize| characters.get(*at).is_some_and(|entry| is_part_of_a_name(entry.1));
    let end = (begin..).find(|at| !is_part(at)).unwrap_or(begin);
    let is_name = characters.get(begin).is_some_and(|first| first.1.is_ascii_lowercase());
    let is_digit = |at: usize| characters.get(at).is_some_and(|entry| entry.1.is_ascii_digit());
    // A name without a board can be any word.
    let is_parameter = characters.get(end).is_some_and(|entry| entry.1 == '=');
    let is_link = question.is_some() && !is_parameter
        || find(end, '/') == Some(end) && is_digit(after_flags(characters, end + 1));
    (is_name && is_link).then_some(begin..end)
}

const KUDAMONO: &str = "addresses of Kudamono (`W=…&H=…&L=…&G=…`) are not supported: draw the board on puzz.link or penpa-edit, or write it as a text";

/// A part of the address of each site whose addresses contain no readable board, and the error.
const SITES: [(&str, &str); 6] = [
    ("pedros.works", KUDAMONO),
    ("penpa-edit", "an address of penpa-edit without a drawing: expected a part `m=edit&p=`"),
    ("tinyurl", "a short address redirects to another one, which the browser shows when it is opened"),
    ("kakuroconquest", "the boards of Kakuro Conquest are not in their addresses"),
    ("puzzle-", "the boards of this site are not in their addresses"),
    ("krazydad", "the boards of KrazyDad are not in their addresses"),
];

/// Returns an error if `text` is an address without a readable board. `name` is the name of the
/// document.
pub fn explain_unreadable_address(name: &str, text: &str) -> Option<Diagnostic> {
    const HELP: &str = "nothing is fetched; addresses of puzz.link and penpa-edit, and ids of sgt-puzzles contain their boards, and any board can \
                        be written as a text: asp-solve list PUZZLE shows how";
    let drawn = editors::read(text);
    if let Some(Err(what)) = drawn {
        return Some(Diagnostic::error(Code::InvalidLink, format!("{name}: {what}")).help(HELP));
    }
    let line = only_line(text)?;
    match drawn {
        Some(_) => return None,
        None if square::read(&Document::in_memory("", text)).is_some() => return None,
        None => {}
    }
    let characters = unescaped_characters(line);
    let address: String = characters.iter().map(|&(_, character)| character).collect();
    let scheme = scheme(&address);
    let rest = scheme.map_or(&*address, |scheme| &address[scheme.len() + "://".len()..]);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = [".com", ".io", ".app", ".org"].iter().any(|end| host.ends_with(end));
    let site = SITES.iter().find(|(site, _)| host.contains(site) || *site == "penpa-edit" && rest.contains(site));
    let parameters: Vec<&str> =
        rest.split(['?', '&']).skip(1).filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
    let is_kudamono = ["W", "G"].iter().all(|name| parameters.contains(name));
    let is_of_a_file = scheme == Some("file") && !rest.contains('?');
    // `…?size=4` does not name a board.
    let has_board = type_name(&characters).is_some_and(|name| {
        matches!(characters.get(name.end), Some((_, '/'))) || address.contains("_edit/") || address.contains("_play/")
    });
    let what = match site {
        _ if is_kudamono && scheme.is_some() => KUDAMONO.to_owned(),
        Some(&(_, what)) if scheme.is_some() || is_host => what.to_owned(),
        None if is_of_a_file => {
            let is_drive = rest.strip_prefix('/').is_some_and(|path| path.as_bytes().get(1) == Some(&b':'));
            let path = if is_drive { &rest[1..] } else { rest };
            format!("this is the address of a file, not of a board; name the file itself, `{}`", words::preview(path))
        }
        None if scheme.is_some() && !has_board => "the address contains no board".to_owned(),
        _ => return None,
    };
    Some(Diagnostic::error(Code::InvalidLink, format!("{name}: {what}")).help(HELP))
}

/// Returns the position of a segment `v:…` directly before or after `place`, or with only flags in
/// between.
fn variant_segment(characters: &[(Range<usize>, char)], place: usize) -> Option<usize> {
    let is_variant = |at: &usize| characters[*at..].iter().map(|entry| entry.1).take(2).eq("v:".chars());
    let is_begin = |at: &usize| *at == 0 || matches!(characters[at - 1].1, '?' | '&' | '/');
    let before = (0..place).rev().find(|&at| matches!(characters[at].1, '?' | '&')).map_or(0, |at| at + 1);
    (before..after_flags(characters, place)).find(|at| is_begin(at) && is_variant(at))
}

/// Returns the position of the size: the first one after `begin` that is not in a segment `v:…/` or
/// in flags.
fn after_flags(characters: &[(Range<usize>, char)], mut begin: usize) -> usize {
    while let Some(length) = characters.get(begin..).and_then(|rest| rest.iter().position(|entry| entry.1 == '/')) {
        let mut segment = characters[begin..begin + length].iter().map(|entry| entry.1);
        let is_variant = segment.clone().take(2).eq("v:".chars());
        if !is_variant && !segment.all(|flag| flag.is_ascii_lowercase()) {
            break;
        }
        begin += length + 1;
    }
    begin
}
