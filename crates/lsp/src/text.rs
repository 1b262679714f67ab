//! A text as an editor represents it: positions as lines and UTF-16 columns. Its names, and the
//! files that it refers to.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use asp::syntax::{self, Signature};
use asp::{Name, Names};
use base::diagnostic::Place;
use base::lines::{LineIndex, Position, utf16_column};
use lsp_types as lsp;
use pencil::Header;

/// A text with lazily computed information about it.
#[derive(Default)]
pub struct Text {
    pub name: String,
    /// Newlines are `\n`; every character keeps its position in the editor.
    pub text: Arc<str>,
    lines: LineIndex,
    /// True if all characters are ASCII, so that columns are bytes.
    is_ascii: bool,
    names: OnceCell<Names>,
    links: OnceCell<(Vec<FileName>, Vec<FileName>)>,
    predicate_docs: OnceCell<Vec<PredicateDoc>>,
}

/// The byte range of a file name in a text, and the name.
pub type FileName = (Range<usize>, String);

/// A predicate that the header describes.
pub struct PredicateDoc {
    pub range: Range<usize>,
    pub signature: Signature,
    pub arguments: Vec<String>,
    pub words: String,
}

impl PredicateDoc {
    /// `p(R,C)`
    pub fn form(&self) -> String {
        let arguments = self.arguments.join(",");
        if arguments.is_empty() { self.signature.signed() } else { format!("{}({arguments})", self.signature.signed()) }
    }
}

impl Text {
    pub fn new(name: &str, text: &str) -> Text {
        // A carriage return ends a line too, and byte offsets must not shift.
        let text = if text.contains('\r') { text.replace("\r\n", " \n").replace('\r', "\n") } else { text.to_owned() };
        let lines = LineIndex::new(&text);
        let is_ascii = text.is_ascii();
        Text { name: name.to_owned(), lines, is_ascii, text: text.into(), ..Text::default() }
    }

    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(&self.text))
    }

    pub fn header(&self) -> Header {
        Header::of(&self.name, &self.text)
    }

    /// Returns the byte offset of a position; for a position beyond a line or the text, that of its
    /// end.
    pub fn offset(&self, position: lsp::Position) -> usize {
        let line = self.line(position.line as usize);
        let mut remaining = position.character as usize;
        let signs = self.text[line.clone()].char_indices();
        let found = signs.map(|(at, sign)| (line.start + at, sign.len_utf16())).find(|(_, width)| {
            let is_inside = remaining < *width;
            remaining = remaining.saturating_sub(*width);
            is_inside
        });
        found.map_or(line.end, |(at, _)| at)
    }

    pub fn position(&self, at: usize) -> lsp::Position {
        let at = self.text.floor_char_boundary(at.min(self.text.len()));
        let Position { line, column } = self.lines.position(at);
        // Lines may be long, and this runs for each name.
        let character =
            if self.is_ascii { column - 1 } else { utf16_column(&self.text[self.lines.range(line)], column) };
        lsp::Position::new(line as u32 - 1, character as u32)
    }

    pub fn range(&self, range: &Range<usize>) -> lsp::Range {
        lsp::Range::new(self.position(range.start), self.position(range.end))
    }

    /// Returns the byte range of a place.
    pub fn bytes(&self, place: &Place) -> Range<usize> {
        let range = self.lines.offset(place.start)..self.lines.offset(place.end);
        let end = self.text.ceil_char_boundary(range.end.min(self.text.len()));
        self.text.floor_char_boundary(range.start.min(end))..end
    }

    /// Returns the byte range of a line, without its newline; lines count from 0.
    pub fn line(&self, number: usize) -> Range<usize> {
        self.lines.range(number + 1)
    }

    pub fn line_count(&self) -> usize {
        self.lines.count()
    }

    pub fn source(&self, name: &Name) -> &str {
        &self.text[name.range.clone()]
    }

    /// Returns the byte range of the comment at the start of the text.
    pub fn heading(&self) -> Range<usize> {
        let lines = (0..self.lines.count()).map(|number| self.line(number));
        0..lines.take_while(|line| self.text[line.clone()].starts_with('%')).last().map_or(0, |line| line.end)
    }

    /// Returns the files named in `#include`, and those of the header's `Goes with`, each with the
    /// byte range of its name.
    pub fn links(&self) -> &(Vec<FileName>, Vec<FileName>) {
        self.links.get_or_init(|| self.read_links())
    }

    fn read_links(&self) -> (Vec<FileName>, Vec<FileName>) {
        let included = syntax::includes(&self.text).into_iter().filter_map(|(range, file)| {
            let quoted = range.start + self.text[range.clone()].find('"')? + 1;
            let file = file?;
            Some((quoted..quoted + file.len(), file))
        });
        let heading = self.heading();
        let goes_with = self.header().goes_with().into_iter().filter_map(|file| {
            let at = self.text[heading.clone()].find(&file)?;
            Some((at..at + file.len(), file))
        });
        (included.collect(), goes_with.collect())
    }

    /// Returns the predicates that the header's tables describe, one per line; continuation lines
    /// extend the description.
    pub fn predicate_docs(&self) -> &[PredicateDoc] {
        self.predicate_docs.get_or_init(|| self.read_predicate_docs())
    }

    fn read_predicate_docs(&self) -> Vec<PredicateDoc> {
        let mut found: Vec<PredicateDoc> = Vec::new();
        let heading = self.heading();
        for number in 0..self.position(heading.end).line as usize + usize::from(heading.end > 0) {
            let line = self.line(number);
            let source = &self.text[line.clone()];
            // A row of a table is an atom, two blanks, and words. It follows the title of a
            // paragraph, or is indented below it.
            let body = source.trim_start_matches('%');
            let inner = match body.strip_prefix(' ').and_then(|body| body.split_once("  ")) {
                Some((head, rest)) if head.starts_with(|sign: char| sign.is_ascii_uppercase()) => rest,
                _ if body.starts_with("   ") => body,
                _ => continue,
            };
            let rest = inner.trim_start();
            let start = line.end - rest.len();
            let (atom, words) = rest.split_once("  ").unwrap_or((rest, ""));
            match Signature::of(atom).filter(|_| !words.is_empty() && !atom.contains(' ')) {
                Some(signature) => {
                    let inside = atom.split_once('(').map_or("", |(_, inside)| inside.trim_end_matches(')'));
                    let arguments = inside.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
                    let name = start + usize::from(!signature.is_positive);
                    let range = name..name + signature.name.len();
                    found.push(PredicateDoc { range, signature, arguments, words: words.trim().to_owned() });
                }
                None => {
                    let is_below = body.starts_with("       ");
                    if let Some(last) = found.last_mut().filter(|_| is_below) {
                        last.words += &format!(" {}", rest.trim());
                    }
                }
            }
        }
        found
    }

    /// Returns the byte ranges at which the heading mentions a predicate with its arguments.
    pub fn heading_mentions(&self, Signature { name: bare, arity, .. }: &Signature) -> Vec<Range<usize>> {
        let heading = &self.text[self.heading()];
        let is_boundary = |at: Option<char>| at.is_none_or(|sign| !syntax::is_word(sign));
        let is_mention = |at: &usize| {
            let rest = &heading[at + bare.len()..];
            let is_documented = || self.predicate_docs().iter().any(|doc| doc.range.start == *at);
            is_boundary(heading[..*at].chars().next_back())
                && is_boundary(rest.chars().next())
                && syntax::arguments(rest).0 == *arity
                && (*arity > 0 || is_documented())
        };
        heading
            .match_indices(bare.as_str())
            .map(|(at, _)| at)
            .filter(is_mention)
            .map(|at| at..at + bare.len())
            .collect()
    }
}

/// Returns the folder of a file.
pub fn folder_of(name: &str) -> String {
    std::path::Path::new(name).parent().map_or(String::new(), |folder| folder.display().to_string())
}

/// Returns the file name for a URI; a URI of another scheme is itself the name.
pub fn name_of(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else { return uri.to_owned() };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let code = (byte == b'%').then(|| behind.get(..2)).flatten().and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(coded) => {
                bytes.push(coded);
                rest = &behind[2..];
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `file:///c:/x` is `c:/x`.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    if is_drive { plain_name(&path[1..]) } else { path }
}

/// Returns the name of a file on Windows with `/` and a small drive letter, so that it has one name:
/// editors and Windows write both letters and both separators.
pub fn plain_name(path: &str) -> String {
    let mut name = path.replace('\\', "/");
    if name.as_bytes().get(1) == Some(&b':') {
        name[..1].make_ascii_lowercase();
    }
    name
}

/// Returns the URI of a file; the name of a text that is not in a file is itself a URI.
pub fn uri_of(name: &str) -> Option<lsp::Uri> {
    let is_path = name.starts_with('/') || name.as_bytes().get(1) == Some(&b':');
    if !is_path {
        return name.parse().ok().filter(|_| name.contains(':') && !name.starts_with("embedded:"));
    }
    let mut uri = if name.starts_with('/') { "file://".to_owned() } else { "file:///".to_owned() };
    for &byte in name.replace('\\', "/").as_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units() {
        let text = Text::new("a", "p(\"♛𝄞é\").\r\nq.\rr.");
        let at = |line, character| text.offset(lsp::Position::new(line, character));
        assert_eq!(
            [at(0, 3), at(0, 4), at(0, 6), at(0, 7), at(1, 1), at(2, 0), at(9, 0), at(1, 9)],
            [3, 6, 10, 12, 18, 20, 22, 19]
        );
        for offset in (0..=text.text.len()).filter(|&at| text.text.is_char_boundary(at)) {
            let position = text.position(offset);
            assert_eq!(text.offset(position), offset, "{position:?}");
        }
    }

    #[test]
    fn file_uris_are_converted_to_paths() {
        for name in ["/a b/é%.lp", "/x/y.lp"] {
            assert_eq!(name_of(uri_of(name).expect("an address").as_str()), name);
        }
        assert_eq!(name_of("file:///c%3A/x.lp"), "c:/x.lp");
        assert_eq!(name_of("file:///C:/x.lp"), plain_name("C:\\x.lp"));
        assert_eq!(name_of("untitled:one"), "untitled:one");
        assert_eq!(uri_of("embedded:a.lp"), None);
    }

    #[test]
    fn a_header_describes_predicates() {
        let text = "% Loop: draw.\n%\n% Input      sign(R,C,N)   the number;\n%                          see sign(R,C,N)\n%            hint   steps\n% Goes with  shared/grid.lp\n\nsign(1,2,3).";
        let text = Text::new("a", text);
        let predicate_docs = text.predicate_docs();
        let first = &predicate_docs[0];
        assert_eq!(
            (first.signature.clone(), first.words.as_str()),
            (Signature::new("sign", 3), "the number; see sign(R,C,N)")
        );
        assert_eq!(first.arguments, ["R", "C", "N"]);
        assert_eq!(predicate_docs[1].signature, Signature::new("hint", 0));
        assert_eq!(text.heading_mentions(&Signature::new("sign", 3)).len(), 2);
        assert_eq!(text.links().1.len(), 1);
    }
}
