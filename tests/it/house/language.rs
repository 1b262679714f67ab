//! The English of the source: plain sentences, one meaning per name, and messages that say what
//! they expected.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::floors::{crates, files};

/// Words and phrases that hide the subject or the verb of a sentence. Some are fine in some
/// sentences, so a few may occur.
const EVASIVE: [&str; 24] = [
    "told",
    "tells",
    "nobody",
    "somebody",
    "everybody",
    "whoever",
    "whatever",
    "besides",
    "anew",
    "lest",
    "so many",
    "so much",
    "was wanted",
    "were wanted",
    "those of",
    "is none",
    "are none",
    "what comes",
    "what came",
    "stands",
    "in vain",
    "of one s own",
    "as far as",
    "no matter",
];
/// A comment that begins so defines its item by a clause instead of a noun or a verb.
const CLAUSES: [&str; 7] = ["whether", "what", "who", "where", "of", "such", "which"];
/// The maximum share of evasive lines among the comment lines of a module, in per cent.
const MAX_EVASIVE: f64 = 3.0;
/// Types that may share a name, associated types not counted.
const MAX_TYPES: usize = 3;

fn sources() -> impl Iterator<Item = (PathBuf, String)> {
    crates().into_values().flat_map(|folder| files(&folder, "rs")).map(|path| {
        let text = std::fs::read_to_string(&path).expect("the file was just listed");
        (path, text)
    })
}

/// Returns the crate of a file, or its folder in the root package.
fn module_of(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    match &parts[..] {
        [_, file] => file.trim_end_matches(".rs").to_owned(),
        [_, name, ..] => name.clone().into_owned(),
        _ => String::new(),
    }
}

/// The text of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim())
}

/// Returns true if the comment has an evasive phrase, or defines its item by a clause.
fn is_evasive(comment: &str) -> bool {
    let plain: String = comment.chars().map(|letter| if letter.is_alphanumeric() { letter } else { ' ' }).collect();
    let words: Vec<String> = plain.split_whitespace().map(str::to_lowercase).collect();
    let text = format!(" {} ", words.join(" "));
    let begins_sentence = comment.starts_with(|first: char| first.is_uppercase());
    let is_clause = begins_sentence && words.first().is_some_and(|first| CLAUSES.contains(&first.as_str()));
    is_clause || EVASIVE.iter().any(|phrase| text.contains(&format!(" {phrase} ")))
}

#[test]
fn comments_are_plain_sentences() {
    let mut modules = BTreeMap::<String, (usize, Vec<String>)>::new();
    for (path, text) in sources() {
        let (lines, evasive) = modules.entry(module_of(&path)).or_default();
        for comment in text.lines().filter_map(comment) {
            *lines += 1;
            if is_evasive(comment) {
                evasive.push(format!("{}: {comment}", path.display()));
            }
        }
    }
    assert!(modules.len() > 20, "{:?}", modules.keys());
    for (module, (lines, evasive)) in modules {
        // Two such lines are allowed in every module, because a small module has few comment lines.
        let share = 100.0 * evasive.len().saturating_sub(2) as f64 / lines.max(1) as f64;
        assert!(share < MAX_EVASIVE, "{module}: {} of {lines} comment lines\n{}", evasive.len(), evasive.join("\n"));
    }
}

#[test]
fn evasive_comments_are_recognised() {
    for comment in ["What is known of a run.", "Whether it holds", "the one that nobody gave", "it is told apart"] {
        assert!(is_evasive(comment), "{comment}");
    }
    for comment in ["Returns true if it holds.", "the part of what follows", "The result of a run."] {
        assert!(!is_evasive(comment), "{comment}");
    }
}

#[test]
fn messages_say_what_they_expected() {
    let wrong: Vec<String> = sources()
        .flat_map(|(path, text)| {
            let is_message = |line: &&str| comment(line).is_none() && line.contains('"');
            let is_old =
                |line: &&str| ["was wanted", "were wanted", "wanted:"].iter().any(|words| line.contains(words));
            let lines: Vec<String> = text.lines().filter(is_message).filter(is_old).map(str::to_owned).collect();
            lines.into_iter().map(move |line| format!("{}: {line}", path.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "write \"expected X, found Y\":\n{}", wrong.join("\n"));
}

#[test]
fn a_name_has_one_meaning() {
    let mut types = BTreeMap::<String, Vec<String>>::new();
    for (path, text) in sources() {
        let code = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
        for line in code.lines() {
            // Associated types are indented.
            let is_nested = line.starts_with(' ');
            let declaration = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
            let mut words = declaration.trim_start_matches("pub ").split(|sign: char| !sign.is_alphanumeric());
            let kind = words.next().unwrap_or_default();
            let is_type = ["struct", "enum", "trait"].contains(&kind) || kind == "type" && !is_nested;
            if let (true, Some(name)) = (is_type, words.next()) {
                types.entry(name.to_owned()).or_default().push(path.display().to_string());
            }
        }
    }
    assert!(types.len() > 500, "{}", types.len());
    for (name, files) in types {
        assert!(files.len() <= MAX_TYPES, "{} types have the name {name}: {}", files.len(), files.join(", "));
    }
}
