//! The rules of a run: built-in or custom.
//!
//! Users edit encodings, so a verdict rests on one of two foundations. Rules are *built-in* if the
//! texts in use are the same program as an embedded encoding, from any files, and
//! the instance adds only facts. The native engines and the replay then know these rules too, and
//! verdicts are proven. All other rules are *custom*: the encoding alone decides, nothing is
//! replayed against other rules, and nothing is called proven.

use std::collections::BTreeSet;

use super::About;
use crate::asp::syntax::{self, TokenKind};
use crate::document::{Document, Notation};
use crate::job::Rules;

/// A built-in logic program of a puzzle, in several files if it shares rules with others.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// The name for `-e`
    pub name: &'static str,
    pub files: &'static [BuiltinFile],
}

/// An embedded file of an encoding.
#[derive(Debug, Clone, Copy)]
pub struct BuiltinFile {
    /// Path below the folder of encodings
    pub path: &'static str,
    /// The embedded text
    pub text: &'static str,
}

/// Embeds the file at a path below `asp/`.
macro_rules! builtin_file {
    ($path:literal) => {
        $crate::puzzle::BuiltinFile { path: $path, text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/asp/", $path)) }
    };
}
pub(crate) use builtin_file;

impl Rules {
    /// Determines the rules of a run from the encodings in use and an instance that may contain
    /// rules. `known` are the built-in encodings; `facts` are the predicates of an instance, if it
    /// is a logic program.
    pub fn in_use(known: &[Encoding], facts: &[&str], encodings: &[Document], instance: &[Document]) -> Rules {
        if known.is_empty() {
            return Rules::BuiltIn("");
        }
        if let Some(encoding) = known.iter().find(|encoding| encoding.is_written_in(encodings)) {
            return Rules::of_encoding(encoding, facts, instance);
        }
        // Encodings that add rules to the default one can be combined.
        let texts: Vec<String> = encodings.iter().map(|document| syntax::normalize_whitespace(&document.text)).collect();
        let is_there = |file: &BuiltinFile| texts.contains(&syntax::normalize_whitespace(file.text));
        let together =
            || known.iter().filter(|encoding| encoding.adds_to(&known[0]) && encoding.files.iter().all(is_there));
        let files: BTreeSet<&str> = together().flat_map(|encoding| encoding.files).map(|file| file.path).collect();
        if !files.is_empty() && files.len() == encodings.len() {
            let mut rules = together().map(|encoding| Rules::of_encoding(encoding, facts, instance));
            return rules.find(|rules| !rules.is_builtin()).unwrap_or(Rules::BuiltIn(known[0].name));
        }
        let files = || known.iter().flat_map(|encoding| encoding.files);
        let own = |document: &&Document| !files().any(|file| file.is_written_in(document));
        let own: Vec<&Document> = encodings.iter().filter(own).collect();
        let decisive = if own.is_empty() { encodings.iter().collect() } else { own };
        Rules::Custom(decisive.iter().map(|document| document.name.clone()).collect())
    }

    /// The rules of a built-in encoding, unless the instance adds rules.
    pub fn of_encoding(encoding: &Encoding, facts: &[&str], instance: &[Document]) -> Rules {
        let adding = instance.iter().filter(|document| adds_rules(encoding, facts, document));
        let adding: Vec<String> = adding.map(|document| document.name.clone()).collect();
        if adding.is_empty() { Rules::BuiltIn(encoding.name) } else { Rules::Custom(adding) }
    }
}

impl Encoding {
    /// Returns true if this encoding contains all files of `usual` and more.
    pub fn adds_to(&self, usual: &Encoding) -> bool {
        let has = |file: &BuiltinFile| self.files.iter().any(|own| own.path == file.path);
        self.files.len() > usual.files.len() && usual.files.iter().all(has)
    }

    fn is_written_in(&self, documents: &[Document]) -> bool {
        documents.len() == self.files.len()
            && self.files.iter().all(|file| documents.iter().any(|document| file.is_written_in(document)))
    }
}

impl BuiltinFile {
    /// Compares the text, ignoring white space and comments.
    pub fn is_written_in(&self, document: &Document) -> bool {
        *document.text == *self.text || syntax::have_same_tokens(&document.text, self.text)
    }
}

/// Returns true if a logic program contains more than an instance: constraints, choices, or
/// predicates that the encoding derives.
fn adds_rules(encoding: &Encoding, facts: &[&str], document: &Document) -> bool {
    if document.notation() != Notation::Program || facts.is_empty() {
        return false;
    }
    let inside = encoding.files.iter().flat_map(|file| syntax::predicates(file.text));
    let inside: BTreeSet<&str> = inside.filter(|name| !facts.contains(name)).collect();
    syntax::statements(&document.text).iter().any(|statement| {
        let text = document.text[statement.range.clone()].trim_start();
        match statement.head {
            Some((name, 0)) if statement.is_fact => encoding.files.iter().any(|file| syntax::uses(file.text, name)),
            Some((name, _)) if statement.is_fact => inside.contains(name),
            Some(_) => syntax::predicates(text).any(|name| inside.contains(name)),
            // The text of includes is unknown here.
            None => !decides_nothing(text),
        }
    })
}

/// Returns true if a statement without a head does not affect the answers. Statements with tokens
/// unknown to clingo's lexer are not trusted.
fn decides_nothing(text: &str) -> bool {
    if syntax::tokens(text).any(|token| token.kind == TokenKind::Invalid) {
        return false;
    }
    let words: Vec<&str> = syntax::words(text).take(3).collect();
    matches!(words[..], ["#const" | "#defined" | "#show", ..] | ["#program", "base", "."])
}

/// Returns true if a logic program with facts of a puzzle is about something else: it, or another
/// program that uses nothing that the puzzle derives, chooses atoms unknown to the puzzle.
pub fn are_for_other_rules(about: &About, document: &Document, documents: &[Document]) -> bool {
    let is_program = |document: &Document| document.notation() == Notation::Program && document.text.contains('{');
    if document.notation() != Notation::Program || about.facts.is_empty() || !documents.iter().any(is_program) {
        return false;
    }
    let files = about.encodings.iter().flat_map(|encoding| encoding.files);
    let known = files.flat_map(|file| syntax::predicates(file.text));
    let known: BTreeSet<&str> = known.chain(about.facts.iter().copied()).collect();
    let is_fact = |statement: &syntax::Statement<'_>| {
        statement.is_fact && statement.head.is_some_and(|(name, _)| about.facts.contains(&name))
    };
    let chooses = |text: &str, statement: &syntax::Statement<'_>| {
        let head = text[statement.range.clone()].split(":-").next().unwrap_or_default();
        // A fact has braces only in strings.
        let Some((_, chosen)) = head.split_once('{').filter(|_| !statement.is_fact) else { return false };
        let atoms = chosen.split(';').map(|element| element.split(':').next().unwrap_or_default());
        let mut chosen = atoms.flat_map(syntax::predicates).peekable();
        chosen.peek().is_some() && !chosen.any(|name| known.contains(name))
    };
    let is_strange = |other: &&Document| {
        let derived = |name| known.contains(name) && !about.facts.contains(&name);
        std::ptr::eq(*other, document) || !syntax::predicates(&other.text).any(derived)
    };
    let has_choices = |other: &Document| {
        is_program(other) && syntax::statements(&other.text).iter().any(|statement| chooses(&other.text, statement))
    };
    syntax::statements(&document.text).iter().any(is_fact) && documents.iter().filter(is_strange).any(has_choices)
}
