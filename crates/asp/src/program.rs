//! Programs: their texts and facts, and the parts that are grounded.

use base::document::Document;

use super::ffi::{self, GroundPart, Symbol};
use super::syntax;

/// The texts of a program, by their role, and its facts.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The texts of the user's instance.
    pub instance: Vec<Document>,
    /// The encoding; if empty, the instance is the whole program.
    pub encoding: Vec<Document>,
    /// Statements that a puzzle adds to an encoding, such as `#project`.
    pub additions: Vec<Document>,
    /// Facts, passed to clingo without text.
    pub facts: Vec<Symbol>,
    /// The step up to which an incremental program is grounded at once. If `None`, only the part
    /// `base` is grounded.
    pub last_step: Option<u32>,
}

impl Program {
    /// Creates a program whose texts are all part of the instance.
    pub fn of(texts: impl IntoIterator<Item = Document>) -> Self {
        Program { instance: texts.into_iter().collect(), ..Program::default() }
    }

    /// Returns all texts in the order in which they are loaded.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.instance.iter().chain(&self.encoding).chain(&self.additions)
    }

    /// Returns the program without the parts after `base` of the texts of its encoding. clingo parses
    /// and rewrites all parts, of whatever is grounded. The texts must have no syntax errors.
    pub fn without_later_parts(&self) -> Program {
        let without = |document: &Document| match base_part(&document.text) {
            // clingo reads files by itself.
            Some(base) if document.path.is_none() => Document { text: base.into(), ..document.clone() },
            _ => document.clone(),
        };
        Program { encoding: self.encoding.iter().map(without).collect(), ..self.clone() }
    }

    pub fn is_incremental(&self) -> bool {
        self.last_step.is_some() || self.documents().any(is_incremental)
    }

    /// Returns the parts of each grounding call: the part `base`, or the parts of each step.
    pub(super) fn grounding_sequence(&self) -> impl Iterator<Item = Vec<OwnedPart>> {
        let last = self.last_step;
        (0..=last.unwrap_or(0)).map(move |step| {
            let mut parts = if last.is_some() { parts_of(step) } else { vec![("base", Vec::new())] };
            parts.extend((last == Some(step)).then_some((FINAL_PART_NAME, Vec::new())));
            parts
        })
    }

    /// Returns the directive that must precede rules about the whole ground program.
    pub fn final_part(&self) -> &'static str {
        if self.is_incremental() { FINAL_PART_DIRECTIVE } else { "" }
    }

    pub(super) fn last_query(&self) -> Option<Document> {
        let step = self.last_step?;
        let text = format!("#defined query/1. {FINAL_PART_DIRECTIVE} query({step}).");
        Some(Document::in_memory("<incmode>", text))
    }
}

/// Returns the text before the first line that begins with `#program`. Returns `None` if no line
/// does, or if a later line continues the part `base`.
fn base_part(text: &str) -> Option<&str> {
    const MARK: &str = "#program";
    let (base, later) = text.split_at(text.find(&format!("\n{MARK}"))? + 1);
    let mut names = later.split(MARK).skip(1).map(|part| syntax::words(part).next());
    names.all(|name| name.is_some_and(|name| name != "base")).then_some(base)
}

/// Returns true if another text can include the document: it is a file whose name is UTF-8, and not
/// a ground program.
pub(super) fn can_be_included(document: &Document) -> bool {
    let is_named = document.path.as_deref().is_some_and(|path| path.to_str().is_some());
    is_named && !syntax::is_ground_format(&document.text)
}

/// Returns true if a text contains `#include <incmode>.`
pub fn is_incremental(document: &Document) -> bool {
    document.text.contains("incmode")
        && syntax::ranges(&document.text)
            .any(|range| syntax::words(&document.text[range]).eq(["#include", "<", "incmode", ">", "."]))
}

/// Name of the final part, which is grounded in the final step after all other parts.
pub const FINAL_PART_NAME: &str = "__last";
/// The directive that begins the final part.
pub const FINAL_PART_DIRECTIVE: &str = "#program __last.";

/// The name of a part to ground and the values of its parameters.
pub(super) type OwnedPart = (&'static str, Vec<Symbol>);

pub(super) fn as_parts(parts: &[OwnedPart]) -> Vec<GroundPart<'_>> {
    parts.iter().map(|(name, values)| (*name, &values[..])).collect()
}

/// Returns the parts that the loop grounds in a step.
pub(super) fn parts_of(step: u32) -> Vec<OwnedPart> {
    let time = vec![ffi::number(step as i32)];
    match step {
        0 => vec![("base", Vec::new()), ("check", time)],
        _ => vec![("check", time.clone()), ("step", time)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_the_part_base_ends() {
        assert_eq!(base_part("a.\n#program clues.\nb.\n#program areas(n).\nc."), Some("a.\n"));
        assert_eq!(base_part("a.\n#program clues.\nb.\n#program base.\nc."), None);
        assert_eq!(base_part("a.\n#program base .\nc."), None);
        assert_eq!(base_part("a. #program clues. b."), None);
        let encoding = vec![Document::in_memory("a.lp", "a.\n#program clues.\nb."), Document::in_memory("c.lp", "c.")];
        let program = Program { encoding, ..Program::default() }.without_later_parts();
        let texts: Vec<&str> = program.documents().map(|document| &*document.text).collect();
        assert_eq!(texts, ["a.\n", "c."]);
    }
}
