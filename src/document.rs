//! One text as it was read: its name, and where clingo can read it again.

use std::path::PathBuf;
use std::sync::Arc;

/// An input file, the standard input, an encoding, or a few lines that a puzzle adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// As the person gave it; `<stdin>` for the standard input.
    pub name: String,
    /// Where it lies on disk, if it does: clingo reads the file itself, so that its `#include`s resolve.
    pub path: Option<PathBuf>,
    /// Its text, shared by all clones. Bytes that are not UTF-8 are replaced.
    pub text: Arc<str>,
}

impl Document {
    /// Text that lies in no file.
    pub fn in_memory(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Document { name: name.into(), path: None, text: text.into() }
    }
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// A logic program, or anything that is not one of the others.
    Program,
    Json,
    /// Graphviz.
    Dot,
}

impl Document {
    /// By the name's ending, or else by how the text begins: JSON with a brace and a quote or closing brace, Graphviz with
    /// `graph` or `digraph`, perhaps a name, and a brace (a fact `graph(a).` is no Graphviz).
    pub fn notation(&self) -> Notation {
        let ending = self.path.as_ref().and_then(|path| path.extension()).and_then(|ending| ending.to_str());
        let text = self.text.trim_start();
        let inside_brace = text.strip_prefix('{').map(str::trim_start);
        if ending == Some("json") || inside_brace.is_some_and(|rest| rest.starts_with(['"', '}'])) {
            Notation::Json
        } else if matches!(ending, Some("dot" | "gv")) || begins_like_dot(text) {
            Notation::Dot
        } else {
            Notation::Program
        }
    }
}

fn begins_like_dot(mut text: &str) -> bool {
    // Comments, of which a logic program has no such.
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
    fn notations_are_told_by_how_texts_begin() {
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
