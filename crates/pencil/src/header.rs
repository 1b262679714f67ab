//! The header of a puzzle's file: the comment at its top.
//!
//! ```text
//! % Slitherlink: draw one loop along the edges of cells; a number counts the loop's edges of its cell.
//! %
//! % Input      sign(R,C,N)   the cell at row R, column C shows N
//! % Link       slither: number4("?")
//! % Goes with  shared/grid.lp, shared/loop.lp
//! ```
//!
//! A title and the rules come first, then paragraphs. A paragraph begins with a head of one or two
//! words, followed by at least two blanks.

use asp::syntax;

/// A parsed header.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// The text before the first colon, or the name of the file if there is no colon.
    pub title: String,
    pub rules: String,
    /// The head and the lines of each paragraph, in the order of the file.
    paragraphs: Vec<(String, Vec<String>)>,
}

impl Header {
    /// Parses the comment at the beginning of `text`. `name` is the title if the comment has none.
    pub fn of(name: &str, text: &str) -> Header {
        let mut header = Header::default();
        let mut about: Vec<&str> = Vec::new();
        for line in text.lines().map_while(|line| line.strip_prefix('%')).map(str::trim_end) {
            let line = line.strip_prefix(' ').unwrap_or(line);
            match head_of(line) {
                Some((head, rest)) => header.paragraphs.push((head.to_owned(), vec![rest.to_owned()])),
                None => match header.paragraphs.last_mut() {
                    Some((_, lines)) if line.starts_with("  ") => lines.push(line.trim_start().to_owned()),
                    // Text without a head after the first paragraph is not part of the header.
                    None if !line.is_empty() => about.push(line.trim()),
                    _ => {}
                },
            }
        }
        let about = about.join(" ");
        let (title, rules) = about.split_once(": ").unwrap_or((name, &about));
        header.title = title.to_owned();
        header.rules = rules.to_owned();
        header
    }

    /// Returns the lines of the paragraph `head`, or none if it is missing.
    pub fn lines(&self, head: &str) -> &[String] {
        self.paragraphs.iter().find(|(known, _)| known == head).map_or(&[], |(_, lines)| lines)
    }

    /// Returns the lines of the paragraph `head`, joined by blanks.
    pub fn paragraph(&self, head: &str) -> Option<String> {
        let lines = self.lines(head);
        (!lines.is_empty()).then(|| lines.join(" "))
    }

    /// Returns the files that the puzzle needs in addition to its own, relative to the folder of
    /// puzzles.
    pub fn goes_with(&self) -> Vec<String> {
        let paragraph = self.paragraph("Goes with").unwrap_or_default();
        let files = paragraph.split([',', ' ']).map(|file| file.trim().trim_end_matches('.'));
        files.filter(|file| file.ends_with(".lp")).map(str::to_owned).collect()
    }

    /// Returns the names of the predicates that are listed under `Input`.
    pub fn inputs(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.lines("Input").iter().filter_map(|line| syntax::predicates(line).next()).collect();
        names.dedup();
        names
    }
}

/// Splits a line such as `Goes with  shared/grid.lp` into its head and the rest.
fn head_of(line: &str) -> Option<(&str, &str)> {
    let (head, rest) = line.split_once("  ")?;
    let is_head = head.starts_with(|letter: char| letter.is_ascii_uppercase())
        && head.len() <= 12
        && head.chars().all(|letter| letter.is_ascii_alphabetic() || letter == ' ');
    is_head.then_some((head, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_a_title_with_rules_and_paragraphs() {
        let text = "% Loop: draw one\n% loop.\n%\n% Input      rows(R)  rows\n%            sign(R,C,N)  a number\n% Goes with  shared/a.lp, shared/b.lp.\n\n% Not in it  x\n";
        let header = Header::of("slither", text);
        assert_eq!((header.title.as_str(), header.rules.as_str()), ("Loop", "draw one loop."));
        assert_eq!(header.inputs(), ["rows", "sign"]);
        assert_eq!(header.goes_with(), ["shared/a.lp", "shared/b.lp"]);
        assert_eq!(header.paragraph("Not in it"), None);
        assert_eq!(Header::of("mine", "a.").title, "mine");
    }
}
