//! Whose rules a run goes by.
//!
//! Encodings are edited: that is what they are for. So a verdict rests on one of two things. Rules are *shipped* if the
//! texts in use say what ships under a name, whatever files they came from, and the instance adds nothing to them but its
//! facts: then the native engines and the replay know them too, and what is said is proven. Any other rules are *yours*:
//! then the encoding alone decides, nothing is replayed against rules that are not its own, and nothing is called proven.

use std::collections::BTreeSet;

use super::About;
use crate::asp::syntax::{self, Kind};
use crate::document::{Document, Notation};
use crate::job::Rules;

/// A logic program that ships with a puzzle; of several files where it shares rules with others.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// For `-e`.
    pub name: &'static str,
    pub files: &'static [Shipped],
}

/// A file of an encoding.
#[derive(Debug, Clone, Copy)]
pub struct Shipped {
    /// Below the folder of encodings.
    pub path: &'static str,
    /// The copy inside the program.
    pub text: &'static str,
}

/// The file at a path below `asp/`, with its text.
macro_rules! shipped {
    ($path:literal) => {
        $crate::puzzle::Shipped { path: $path, text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/asp/", $path)) }
    };
}
pub(crate) use shipped;

impl Rules {
    /// The rules of a run: of the encodings in use, where `known` ship, and of an instance that may say more than facts.
    /// `facts` are the predicates of an instance, if it is a logic program.
    pub fn of(known: &[Encoding], facts: &[&str], encodings: &[Document], instance: &[Document]) -> Rules {
        if known.is_empty() {
            return Rules::Shipped("");
        }
        if let Some(encoding) = known.iter().find(|encoding| encoding.is_written_in(encodings)) {
            return Rules::with(encoding, facts, instance);
        }
        // Those that add rules to the usual one go together.
        let texts: Vec<String> = encodings.iter().map(|document| syntax::squeezed(&document.text)).collect();
        let is_there = |file: &Shipped| texts.contains(&syntax::squeezed(file.text));
        let together =
            || known.iter().filter(|encoding| encoding.adds_to(&known[0]) && encoding.files.iter().all(is_there));
        let files: BTreeSet<&str> = together().flat_map(|encoding| encoding.files).map(|file| file.path).collect();
        if !files.is_empty() && files.len() == encodings.len() {
            let mut rules = together().map(|encoding| Rules::with(encoding, facts, instance));
            return rules.find(|rules| !rules.are_shipped()).unwrap_or(Rules::Shipped(known[0].name));
        }
        let files = || known.iter().flat_map(|encoding| encoding.files);
        let own = |document: &&Document| !files().any(|file| file.is_written_in(document));
        let own: Vec<&Document> = encodings.iter().filter(own).collect();
        let decisive = if own.is_empty() { encodings.iter().collect() } else { own };
        Rules::Yours(decisive.iter().map(|document| document.name.clone()).collect())
    }

    /// The rules of an encoding that ships, unless the instance adds others.
    pub fn with(encoding: &Encoding, facts: &[&str], instance: &[Document]) -> Rules {
        let adding = instance.iter().filter(|document| adds_rules(encoding, facts, document));
        let adding: Vec<String> = adding.map(|document| document.name.clone()).collect();
        if adding.is_empty() { Rules::Shipped(encoding.name) } else { Rules::Yours(adding) }
    }
}

impl Encoding {
    /// Whether it is another one with more rules.
    pub fn adds_to(&self, usual: &Encoding) -> bool {
        let has = |file: &Shipped| self.files.iter().any(|own| own.path == file.path);
        self.files.len() > usual.files.len() && usual.files.iter().all(has)
    }

    fn is_written_in(&self, documents: &[Document]) -> bool {
        documents.len() == self.files.len()
            && self.files.iter().all(|file| documents.iter().any(|document| file.is_written_in(document)))
    }
}

impl Shipped {
    /// White space and comments aside.
    pub fn is_written_in(&self, document: &Document) -> bool {
        *document.text == *self.text || syntax::are_same(&document.text, self.text)
    }
}

/// Whether a logic program says more than an instance: it constrains, chooses, or speaks of what the encoding derives.
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
            // What clingo includes, nobody has read.
            None => !decides_nothing(text),
        }
    })
}

/// Returns true if a statement without a head leaves the answers as they are. What clingo's lexer does not know is not trusted.
fn decides_nothing(text: &str) -> bool {
    if syntax::tokens(text).any(|token| token.kind == Kind::Invalid) {
        return false;
    }
    let words: Vec<&str> = syntax::words(text).take(3).collect();
    matches!(words[..], ["#const" | "#defined" | "#show", ..] | ["#program", "base", "."])
}

/// Whether a logic program with facts of a puzzle is about something else: it, or another one that speaks of nothing that the
/// puzzle derives, chooses atoms that the puzzle does not know.
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
        // A fact has braces in its strings alone.
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
