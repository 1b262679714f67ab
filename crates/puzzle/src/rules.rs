//! The rules of a run: built-in or custom.
//!
//! Users may edit encodings, so the rules of a run are of two kinds. Rules are *built-in* if the
//! texts in use, from any files, are the same program as an embedded encoding, and the instance
//! adds only facts. The native engines and the replay implement these rules, too, and verdicts are
//! proven. All other rules are *custom*: the encoding alone defines them, answers are not replayed
//! against other rules, and nothing is reported as proven.

use std::borrow::Cow;
use std::collections::BTreeSet;

use asp::syntax::{self, TokenKind};
use base::document::{Document, Notation};

use crate::job::Rules;

/// A built-in logic program of a puzzle, in several files if it shares rules with others.
#[derive(Debug, Clone)]
pub struct Encoding {
    /// The name for `-e`
    pub name: Cow<'static, str>,
    pub files: Cow<'static, [BuiltinFile]>,
}

/// An embedded file of an encoding.
#[derive(Debug, Clone)]
pub struct BuiltinFile {
    /// Path below the folder of encodings
    pub path: Cow<'static, str>,
    /// The embedded text
    pub text: &'static str,
}

/// Embeds an encoding: its name, and the paths of its files below `asp/`.
#[macro_export]
macro_rules! builtin_encoding {
    ($name:literal, $($path:literal),+) => {
        $crate::Encoding {
            name: std::borrow::Cow::Borrowed($name),
            files: std::borrow::Cow::Borrowed(&[$($crate::BuiltinFile {
                path: std::borrow::Cow::Borrowed($path),
                text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../asp/", $path)),
            }),+]),
        }
    };
}

impl Rules {
    /// Determines the rules of a run from the encodings in use and an instance that may contain
    /// rules. `builtin` are the built-in encodings; `facts` are the predicates of an instance, if
    /// it is a logic program.
    pub fn in_use(builtin: &[Encoding], facts: &[&str], encodings: &[Document], instance: &[Document]) -> Rules {
        if builtin.is_empty() {
            return Rules::default();
        }
        if let Some(encoding) = builtin.iter().find(|encoding| encoding.is_written_in(encodings)) {
            return Rules::of_encoding(encoding, facts, instance);
        }
        // Encodings that add rules to the default one can be combined.
        let texts: Vec<String> =
            encodings.iter().map(|document| syntax::normalize_whitespace(&document.text)).collect();
        let is_used = |file: &BuiltinFile| texts.contains(&syntax::normalize_whitespace(file.text));
        let combined =
            || builtin.iter().filter(|encoding| encoding.adds_to(&builtin[0]) && encoding.files.iter().all(is_used));
        let files: BTreeSet<&str> = combined().flat_map(|encoding| &*encoding.files).map(|file| &*file.path).collect();
        if !files.is_empty() && files.len() == encodings.len() {
            let mut rules = combined().map(|encoding| Rules::of_encoding(encoding, facts, instance));
            return rules.find(|rules| !rules.is_builtin()).unwrap_or(Rules::BuiltIn(builtin[0].name.clone()));
        }
        let files = || builtin.iter().flat_map(|encoding| &*encoding.files);
        let is_edited = |document: &&Document| !files().any(|file| file.is_written_in(document));
        let edited: Vec<&Document> = encodings.iter().filter(is_edited).collect();
        let decisive = if edited.is_empty() { encodings.iter().collect() } else { edited };
        Rules::Custom(decisive.iter().map(|document| document.name.clone()).collect())
    }

    /// The rules of a built-in encoding, unless the instance adds rules.
    pub fn of_encoding(encoding: &Encoding, facts: &[&str], instance: &[Document]) -> Rules {
        let adding = instance.iter().filter(|document| adds_rules(encoding, facts, document));
        let adding: Vec<String> = adding.map(|document| document.name.clone()).collect();
        if adding.is_empty() { Rules::BuiltIn(encoding.name.clone()) } else { Rules::Custom(adding) }
    }
}

impl Encoding {
    /// Returns true if this encoding contains all files of `base` and more.
    pub fn adds_to(&self, base: &Encoding) -> bool {
        let has = |file: &BuiltinFile| self.files.iter().any(|other| other.path == file.path);
        self.files.len() > base.files.len() && base.files.iter().all(has)
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
    let in_encoding = encoding.files.iter().flat_map(|file| syntax::predicates(file.text));
    let in_encoding: BTreeSet<&str> = in_encoding.filter(|name| !facts.contains(name)).collect();
    syntax::statements(&document.text).iter().any(|statement| {
        let text = document.text[statement.range.clone()].trim_start();
        match statement.head {
            Some((name, 0)) if statement.is_fact => encoding.files.iter().any(|file| syntax::uses(file.text, name)),
            Some((name, _)) if statement.is_fact => in_encoding.contains(name),
            Some(_) => syntax::predicates(text).any(|name| in_encoding.contains(name)),
            // Included texts are not available here.
            None => !cannot_affect_answers(text),
        }
    })
}

/// Returns true if a statement without a head cannot affect the answers. Returns false if clingo's
/// lexer would reject it.
fn cannot_affect_answers(text: &str) -> bool {
    if syntax::tokens(text).any(|token| token.kind == TokenKind::Invalid) {
        return false;
    }
    let words: Vec<&str> = syntax::words(text).take(3).collect();
    matches!(words[..], ["#const" | "#defined" | "#show", ..] | ["#program", "base", "."])
}

/// Returns true if `document`, which contains facts of a puzzle, belongs to another program: it, or
/// another document that uses no predicates that the puzzle derives, chooses atoms of predicates
/// that do not occur in the puzzle.
pub fn belongs_to_another_program(
    encodings: &[Encoding],
    facts: &[&str],
    document: &Document,
    documents: &[Document],
) -> bool {
    let is_program = |document: &Document| document.notation() == Notation::Program && document.text.contains('{');
    if document.notation() != Notation::Program || facts.is_empty() || !documents.iter().any(is_program) {
        return false;
    }
    let files = encodings.iter().flat_map(|encoding| &*encoding.files);
    let known = files.flat_map(|file| syntax::predicates(file.text));
    let known: BTreeSet<&str> = known.chain(facts.iter().copied()).collect();
    let is_fact = |statement: &syntax::Statement<'_>| {
        statement.is_fact && statement.head.is_some_and(|(name, _)| facts.contains(&name))
    };
    let chooses = |text: &str, statement: &syntax::Statement<'_>| {
        let head = text[statement.range.clone()].split(":-").next().unwrap_or_default();
        // A fact has braces only in strings.
        let Some((_, chosen)) = head.split_once('{').filter(|_| !statement.is_fact) else { return false };
        let atoms = chosen.split(';').map(|element| element.split(':').next().unwrap_or_default());
        let mut chosen = atoms.flat_map(syntax::predicates).peekable();
        chosen.peek().is_some() && !chosen.any(|name| known.contains(name))
    };
    let is_independent = |other: &&Document| {
        let derived = |name| known.contains(name) && !facts.contains(&name);
        std::ptr::eq(*other, document) || !syntax::predicates(&other.text).any(derived)
    };
    let has_choices = |other: &Document| {
        is_program(other) && syntax::statements(&other.text).iter().any(|statement| chooses(&other.text, statement))
    };
    syntax::statements(&document.text).iter().any(is_fact) && documents.iter().filter(is_independent).any(has_choices)
}
