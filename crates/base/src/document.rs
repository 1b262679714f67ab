//! Input texts, with their names and, where clingo can read them itself, their paths.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::syntax;

/// An input file, the standard input, an encoding, or lines that a puzzle adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The name given by the user; `<stdin>` for the standard input.
    pub name: String,
    /// The path, if the text is a file on disk. clingo then reads the file itself and resolves its
    /// `#include`s.
    pub path: Option<PathBuf>,
    /// The text, shared by all clones, with invalid UTF-8 replaced.
    pub text: Arc<str>,
}

impl Document {
    /// Creates a document without a file.
    pub fn in_memory(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Document { name: name.into(), path: None, text: text.into() }
    }

    /// Decodes a text in UTF-8, or in UTF-16 with a byte order mark (as PowerShell's `>` writes
    /// it), with any line ends. The mark is removed. Line ends become `\n` padded to the same
    /// number of bytes, so that positions stay the same as in an editor.
    pub fn from_bytes(name: String, path: Option<PathBuf>, mut bytes: Vec<u8>) -> Self {
        let marked = match bytes[..] {
            [0xEF, 0xBB, 0xBF, ..] => Some(bytes.split_off(3)),
            [0xFF, 0xFE, ..] => Some(from_utf16(&bytes[2..], u16::from_le_bytes)),
            [0xFE, 0xFF, ..] => Some(from_utf16(&bytes[2..], u16::from_be_bytes)),
            _ => None,
        };
        // The file must not be read by clingo, which does not skip the byte order mark.
        let path = path.filter(|_| marked.is_none());
        let mut bytes = marked.unwrap_or(bytes);
        let end = if bytes.contains(&b'\r') { bytes.len() } else { 0 };
        let mut has_bare_returns = false;
        for at in 0..end {
            if bytes[at] == b'\r' {
                let is_bare = bytes.get(at + 1) != Some(&b'\n');
                has_bare_returns |= is_bare;
                bytes[at] = if is_bare { b'\n' } else { b' ' };
            }
        }
        // The file must not be read by clingo, for which a bare return does not end a comment.
        let path = path.filter(|_| !has_bare_returns);
        let text =
            String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        // Terminal colours are invisible in a pasted board and are removed; in a program they may
        // be intended.
        let (text, path) = match text.contains('\u{1b}') && !syntax::looks_like_a_program(&text) {
            true => (anstream::adapter::strip_str(&text).to_string(), None),
            false => (text, path),
        };
        match facts_of_an_answer(&text) {
            Some(facts) => Document { name, path: None, text: facts.into() },
            None => Document { name, path, text: text.into() },
        }
    }
}

/// Converts the last answer in clingo's output to facts at the same positions; all other lines
/// become comments.
fn facts_of_an_answer(text: &str) -> Option<String> {
    const FIRST_WORDS: [&str; 4] = ["clingo version ", "Reading from ", "Solving...", "Answer: "];
    let start = text.trim_start();
    if !FIRST_WORDS.iter().any(|words| start.starts_with(words)) {
        return None;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let answer = 1 + lines.iter().rposition(|line| line.starts_with("Answer: "))?;
    let mut facts = String::with_capacity(text.len() + 1);
    let mut has_atoms = false;
    for (number, line) in lines.iter().enumerate() {
        if number == answer {
            let mut is_quoted = false;
            let mut is_escaped = false;
            let atoms = line.trim_end();
            has_atoms = !atoms.is_empty();
            facts.extend(atoms.chars().map(|sign| {
                is_quoted ^= sign == '"' && !is_escaped;
                is_escaped = sign == '\\' && !is_escaped;
                if sign == ' ' && !is_quoted { '.' } else { sign }
            }));
            facts.push_str(&line[atoms.len()..]);
        } else {
            // The period of the last fact is written to the next line.
            let mark = if number == answer + 1 && has_atoms { ".%" } else { "%" };
            let rest = line.get(mark.len()..).filter(|rest| !rest.is_empty());
            facts.push_str(mark);
            facts.push_str(rest.unwrap_or("\n"));
        }
    }
    if lines.len() == answer + 1 && has_atoms {
        facts.push('.');
    }
    Some(facts)
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units).into_bytes()
}

/// The notation of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// A logic program, or any text in no other notation.
    Program,
    Json,
    /// Graphviz.
    Dot,
    /// An SVG drawing.
    Svg,
}

impl Document {
    /// Detects the notation by the file extension, else by the beginning of the text. JSON begins
    /// with a brace and a quote or closing brace; Graphviz with `graph` or `digraph`, an optional
    /// name and a brace (a fact `graph(a).` is not Graphviz).
    pub fn notation(&self) -> Notation {
        let extension = Path::new(&self.name).extension().and_then(|extension| extension.to_str());
        let text = self.text.trim_start();
        let inside_brace = text.strip_prefix('{').map(str::trim_start);
        if extension == Some("json") || inside_brace.is_some_and(|rest| rest.starts_with(['"', '}'])) {
            Notation::Json
        } else if matches!(extension, Some("dot" | "gv")) || begins_like_dot(text) {
            Notation::Dot
        } else if ["<svg", "<?xml", "<!"].iter().any(|begin| text.starts_with(begin)) {
            Notation::Svg
        } else {
            Notation::Program
        }
    }
}

fn begins_like_dot(mut text: &str) -> bool {
    // Skips C comments, which logic programs do not have.
    while let Some((_, rest)) = text
        .strip_prefix("//")
        .and_then(|rest| rest.split_once('\n'))
        .or(text.strip_prefix("/*").and_then(|rest| rest.split_once("*/")))
    {
        text = rest.trim_start();
    }
    let head = text.split('{').next().filter(|head| head.len() < text.len()).unwrap_or_default();
    let mut words = head.split_whitespace().map(str::to_ascii_lowercase).peekable();
    words.next_if(|word| word == "strict");
    words.next().is_some_and(|word| word == "graph" || word == "digraph") && words.count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_clingo_is_read_as_facts_in_the_same_places() {
        let facts =
            |text: &str| Document::from_bytes("text".to_owned(), None, text.as_bytes().to_vec()).text.to_string();
        let printed = "Answer: 1\na\nAnswer: 2\nb(1) c(\"x \\\" y\",d) e\nSATISFIABLE\n\nModels : 2\n";
        assert_eq!(facts(printed), "%nswer: 1\n%\n%nswer: 2\nb(1).c(\"x \\\" y\",d).e\n.%TISFIABLE\n%\n%odels : 2\n");
        assert_eq!(facts("Answer: 1\na b"), "%nswer: 1\na.b.");
        for program in ["%* Answer: 1\na b *%", "a. %\nAnswer: 1\na b"] {
            assert_eq!(facts(program), program);
        }
    }

    #[test]
    fn notations_are_detected_by_the_beginning_of_a_text() {
        let notation = |text: &str| Document::in_memory("text", text).notation();
        for text in ["digraph {", "// A mine.\n/* Old. */ graph {", " strict graph G { a }", "graph\n{"] {
            assert_eq!(notation(text), Notation::Dot, "{text}");
        }
        for text in ["graph(a). { b }.", "graph. { b }.", "{ a }.", "digraph", "", "graph :- a. { b }."] {
            assert_eq!(notation(text), Notation::Program, "{text}");
        }
        for text in ["{\"rel\": []}", " { }"] {
            assert_eq!(notation(text), Notation::Json, "{text}");
        }
    }
}
