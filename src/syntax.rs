//! Just enough of the language's surface to find statements: comments, strings, and the dot that ends a statement.
//!
//! clingo parses programs; this finds *where* a fact stands, so that an error about a fact can underline it, and which
//! predicates a text defines, so that a puzzle can be recognised before anything is grounded.

use std::borrow::Cow;
use std::ops::Range;

/// A predicate: its name and its number of arguments.
pub type Signature = (String, usize);

/// One statement of a logic program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its bytes, from the first letter to the closing dot.
    pub range: Range<usize>,
    /// The predicate of a plain head; `None` for directives, constraints, choices, disjunctions and aggregates.
    pub head: Option<Signature>,
    /// Whether it is a head and nothing else.
    pub is_fact: bool,
}

/// The predicate of an atom, as it is written, its name with a minus where it is classically negated.
pub fn signature(atom: &str) -> Option<Signature> {
    let atom = atom.trim();
    let (sign, bare) = atom.strip_prefix('-').map_or(("", atom), |bare| ("-", bare));
    let (name, arity) = statements(&format!("{bare}.")).into_iter().next()?.head?;
    Some((format!("{sign}{name}"), arity))
}

/// All statements of `text`, in order. What does not end with a dot is left out.
pub fn statements(text: &str) -> Vec<Statement> {
    ranges(text).map(|range| statement(text, range)).collect()
}

/// The bytes of each statement, without a look at what it says.
pub fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut start = None;
        while at < bytes.len() {
            let after = skip(bytes, at);
            if after > at && bytes[at] != b'"' {
                at = after;
                continue;
            }
            if start.is_none() && !bytes[at].is_ascii_whitespace() {
                start = Some(at);
            }
            if bytes[at] == b'.' {
                let run = bytes[at..].iter().take_while(|&&byte| byte == b'.').count();
                at += run;
                if run == 1 {
                    return start.map(|from| from..at);
                }
                continue;
            }
            at = after.max(at + 1);
        }
        None
    })
}

/// Where the comment or string that starts at `at` ends; `at` itself if none starts there.
#[inline]
pub fn skip(bytes: &[u8], at: usize) -> usize {
    // Nearly every byte is neither, and texts may have millions.
    if matches!(bytes[at], b'%' | b'"') { skip_hidden(bytes, at) } else { at }
}

/// Words, strings, and signs one by one; comments between them are skipped.
pub fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at = skip_blank(bytes, at);
        let start = at;
        let word = bytes.get(at..)?.iter().take_while(|&&byte| is_word(char::from(byte))).count();
        at = (at + word).max(skip(bytes, at.min(bytes.len().checked_sub(1)?)));
        if at == start && at < bytes.len() {
            at = text.ceil_char_boundary(at + 1);
        }
        (at > start).then_some(start..at)
    })
}

/// The bytes of the comments that have a line to themselves, each from its `%` to the end of the line. What stands in a block
/// comment or in a string is none of them.
pub fn line_comments(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            at = skip(bytes, at).max(at + 1);
            let is_line = bytes[start] == b'%' && bytes.get(start + 1) != Some(&b'*');
            if is_line && text[..start].rsplit('\n').next().unwrap_or_default().trim().is_empty() {
                return Some(start..start + text[start..at].trim_end().len());
            }
        }
        None
    })
}

fn skip_hidden(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let end = match rest {
        [b'%', b'*', ..] => rest.windows(2).skip(2).position(|pair| pair == b"*%").map(|found| found + 4),
        [b'%', ..] => rest.iter().position(|&byte| byte == b'\n'),
        [b'"', ..] => {
            let mut escaped = false;
            let close = rest.iter().skip(1).position(|&byte| {
                let closes = byte == b'"' && !escaped;
                escaped = byte == b'\\' && !escaped;
                closes
            });
            close.map(|found| found + 2)
        }
        _ => Some(0),
    };
    at + end.unwrap_or(rest.len())
}

fn statement(text: &str, range: Range<usize>) -> Statement {
    // Without blanks `not p.` would be the fact `notp.`.
    let is_negated = text[range.clone()].strip_prefix("not").is_some_and(|rest| !rest.starts_with(is_word));
    let source = normal(&text[range.clone()]);
    let name = source.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '\'')).next().unwrap_or_default();
    if !name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_lowercase()) || is_negated {
        return Statement { range, head: None, is_fact: false };
    }
    let (arity, end) = arguments(&source[name.len()..]);
    let rest = &source[name.len() + end..];
    let head = (rest.starts_with('.') || rest.starts_with(":-")).then(|| (name.to_owned(), arity));
    Statement { range, is_fact: head.is_some() && rest == ".", head }
}

/// Number and length of an argument list at the start of `text`.
pub fn arguments(text: &str) -> (usize, usize) {
    if !text.starts_with('(') {
        return (0, 0);
    }
    let bytes = text.as_bytes();
    let (mut depth, mut commas, mut at) = (0, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = skip(bytes, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 1 => commas += 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    (if text.starts_with("()") { 0 } else { commas + 1 }, at)
}

/// Without white space and comments, as clingo prints a ground atom.
fn normal(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if !bytes.iter().any(|&byte| byte == b'%' || byte.is_ascii_whitespace()) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let after = skip(bytes, at);
        if bytes[at] == b'"' {
            out.extend_from_slice(&bytes[at..after]);
            at = after;
        } else if after > at {
            at = after;
        } else {
            if !bytes[at].is_ascii_whitespace() {
                out.push(bytes[at]);
            }
            at += 1;
        }
    }
    Cow::Owned(String::from_utf8(out).unwrap_or_default())
}

/// The bytes of the fact `atom` (as clingo prints it), without its dot.
pub fn find_fact(text: &str, atom: &str) -> Option<Range<usize>> {
    let name = atom.split('(').next().unwrap_or(atom);
    statements(text).into_iter().filter(|statement| statement.is_fact).find_map(|Statement { range, .. }| {
        let source = &text[range.clone()];
        let is_it = source.starts_with(name) && normal(source).strip_suffix('.') == Some(atom);
        is_it.then(|| range.start..range.start + source.trim_end_matches('.').trim_end().len())
    })
}

/// Whether `text` has `name` as a word outside comments and strings.
pub fn uses(text: &str, name: &str) -> bool {
    uses_any(text, &[name])
}

/// Whether it has one of the names so.
pub fn uses_any(text: &str, names: &[&str]) -> bool {
    let names: Vec<&[u8]> = names.iter().filter(|name| text.contains(**name)).map(|name| name.as_bytes()).collect();
    if names.is_empty() {
        return false;
    }
    let is_used = |range: Range<usize>| {
        let (bytes, mut at) = (&text.as_bytes()[..range.end], range.start);
        while at < bytes.len() {
            let word = bytes[at..].iter().take_while(|&&byte| is_word(char::from(byte))).count();
            if word > 0 && names.contains(&&bytes[at..at + word]) {
                return true;
            }
            at = if word > 0 { at + word } else { skip(bytes, at).max(at + 1) };
        }
        false
    };
    ranges(text).any(is_used)
}

pub fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '\''
}

/// With one blank for each run of white space and comments: texts that differ in nothing else are the same program.
pub fn squeezed(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend(squeezed_bytes(text));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether two texts differ in white space and comments alone.
pub fn is_same(text: &str, other: &str) -> bool {
    // Most texts differ in their first statement.
    text == other || squeezed_bytes(text).eq(squeezed_bytes(other))
}

fn squeezed_bytes(text: &str) -> impl Iterator<Item = u8> + '_ {
    let bytes = text.as_bytes();
    let (mut at, mut end_of_string) = (skip_blank(bytes, 0), 0);
    std::iter::from_fn(move || {
        let byte = *bytes.get(at)?;
        if at < end_of_string {
            at += 1;
            return Some(byte);
        }
        let after = skip_blank(bytes, at);
        if after > at {
            at = after;
            // Nothing comes behind the last blanks.
            return (at < bytes.len()).then_some(b' ');
        }
        if byte == b'"' {
            end_of_string = skip(bytes, at);
        }
        at += 1;
        Some(byte)
    })
}

/// Names with an argument list, outside comments and strings: predicates, and functions, which look the same.
pub fn predicates(text: &str) -> impl Iterator<Item = String> {
    let text = squeezed(text).replace(" (", "(");
    let (mut found, mut word, mut at) = (Vec::new(), String::new(), 0);
    while let Some(&byte) = text.as_bytes().get(at) {
        if is_word(char::from(byte)) {
            word.push(char::from(byte));
        } else {
            let name = std::mem::take(&mut word);
            if byte == b'(' && name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_lowercase()) {
                found.push(name);
            }
        }
        at = skip(text.as_bytes(), at).max(at + 1);
    }
    found.into_iter()
}

/// Whether a text shows terms (`#show a : b.`) besides atoms.
pub fn shows_terms(text: &str) -> bool {
    let is_of_term = |range: Range<usize>| {
        let statement = &text[range];
        let shown = statement.strip_prefix("#show").map_or(Cow::Borrowed(""), normal);
        let shown = shown.trim_end_matches('.');
        let signature = |(name, arity): (&str, &str)| {
            let name = name.strip_prefix('-').unwrap_or(name);
            name.chars().all(is_word) && !arity.is_empty() && arity.bytes().all(|digit| digit.is_ascii_digit())
        };
        !shown.is_empty() && !shown.split_once('/').is_some_and(signature)
    };
    text.contains("#show") && ranges(text).any(is_of_term)
}

/// Whether it is a ground program in gringo's own format (aspif).
pub fn is_ground_format(text: &str) -> bool {
    text.trim_start().starts_with("asp ")
}

/// Whether the beginning of `text` has what only a logic program has: an arrow, or a statement that begins like one.
pub fn looks_like_a_program(text: &str) -> bool {
    const LOOKED_AT: usize = 1 << 16;
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    if is_ground_format(text) {
        return true;
    }
    let begins_like_one = |source: &str| {
        let source = source.trim_start_matches(['-', ' ']);
        let rest = source.trim_start_matches(is_word);
        let is_name = source.trim_start_matches('_').starts_with(|first: char| first.is_ascii_lowercase());
        let is_directive =
            source.strip_prefix('#').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_lowercase()));
        is_directive
            || source.starts_with(['&', '{'])
            || is_name && rest.trim_start().starts_with(['(', '.', ';', ',', '|', ':'])
    };
    let is_statement = |statement: Statement| {
        let source = &text[statement.range];
        begins_like_one(source) || source.contains(['{', '@'])
    };
    text.contains(":-") || text.contains(":~") || statements(text).into_iter().any(is_statement) || {
        let start = squeezed(text);
        begins_like_one(&start) && start.contains('(')
    }
}

/// The bytes of each `#include "file".`, and the file; none for `#include <incmode>.`
pub fn includes(text: &str) -> Vec<(Range<usize>, Option<String>)> {
    if !text.contains("#include") {
        return Vec::new();
    }
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let after = skip(bytes, at);
        if after > at || !bytes[at..].starts_with(b"#include") {
            at = after.max(text.ceil_char_boundary(at + 1));
            continue;
        }
        let start = at;
        let quote = skip_blank(bytes, at + "#include".len());
        let end = if bytes.get(quote) == Some(&b'"') { skip(bytes, quote) } else { quote };
        let file =
            text.get(quote + 1..end.saturating_sub(1)).map(|file| file.replace("\\\"", "\"").replace("\\\\", "\\"));
        at = end;
        // The file may have dots of its own, and so may comments behind it.
        while at < bytes.len() && bytes[at] != b'.' {
            at = skip(bytes, at).max(at + 1);
        }
        at = bytes.len().min(at + 1);
        found.push((start..at, file));
    }
    found
}

/// The bytes at which lines begin.
pub fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect()
}

/// What the statements that follow nothing else belong to.
pub const BASE: &str = "#program base.";

/// A text whose includes have been read, or some of them. As in clingo, what follows one belongs to the part `base`.
pub fn without_includes(text: &str, is_read: impl Fn(Option<&str>) -> bool) -> String {
    let mut left = text.to_owned();
    for (range, _) in includes(text).into_iter().rev().filter(|(_, file)| is_read(file.as_deref())) {
        let newlines = text[range.clone()].matches('\n').count();
        let length = range.len() - newlines;
        left.replace_range(range, &format!("{BASE:length$}{}", "\n".repeat(newlines)));
    }
    left
}

/// The text with blanks for some of its bytes; lines stay lines.
pub fn blanked(text: &str, ranges: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for byte in ranges.into_iter().flatten() {
        if bytes[byte] != b'\n' {
            bytes[byte] = b' ';
        }
    }
    // Statements begin and end with whole characters.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Where white space and comments end.
fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && (bytes[at] == b'%' || bytes[at].is_ascii_whitespace()) {
        at = skip(bytes, at).max(at + 1);
    }
    at
}

/// Whether `text` has nothing but white space and comments.
pub fn is_blank(text: &str) -> bool {
    skip_blank(text.as_bytes(), 0) == text.len()
}

/// How deep the terms of `text` nest, comments and strings left out: brackets, and operators one after the other.
pub fn nesting_depth(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut operators, mut deepest, mut at) = (0_usize, 0, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'%' | b'"' => {
                at = skip(bytes, at).max(at + 1);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'+' | b'-' | b'*' | b'/' | b'\\' | b'&' | b'?' | b'^' | b'~' => operators += 1,
            b',' | b';' | b':' | b'.' => operators = 0,
            _ => {}
        }
        deepest = deepest.max(depth + operators);
        at += 1;
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(text: &str) -> Vec<(String, usize, bool)> {
        statements(text)
            .into_iter()
            .filter_map(|statement| statement.head.map(|(name, arity)| (name, arity, statement.is_fact)))
            .collect()
    }

    #[test]
    fn facts_and_rules_are_told_apart() {
        assert!(heads("not a. not b(1).\nnot\tnot c. %*x*%not d.").is_empty());
        let found = heads("notable. a. b(1, f(2,3)) . c(X) :- d(X). { e }. :- f. g(1..3). #show h/1. \"x.\" .");
        let names: Vec<(&str, usize, bool)> =
            found.iter().map(|(name, arity, fact)| (name.as_str(), *arity, *fact)).collect();
        assert_eq!(names, [("notable", 0, true), ("a", 0, true), ("b", 2, true), ("c", 1, false), ("g", 1, true)]);
    }

    #[test]
    fn comments_and_strings_hide_dots() {
        let found = heads("% a. b.\nc(\"% . \\\" d.\"). %* e.\n f. *% g.");
        assert_eq!(found.iter().map(|head| head.0.as_str()).collect::<Vec<_>>(), ["c", "g"]);
    }

    #[test]
    fn a_fact_is_found_however_it_is_spaced() {
        let text = "x. color( b ,\n  red ) . color(b,yellow).";
        assert_eq!(find_fact(text, "color(b,red)").map(|range| &text[range]), Some("color( b ,\n  red )"));
        assert_eq!(find_fact(text, "color(b,green)"), None);
    }

    #[test]
    fn terms_are_shown_where_it_is_no_signature() {
        for (text, wanted) in [
            ("#show. #show p/1. #show -q/2. #show r / 0.", false),
            ("% #show a.\n\"#show a.\" #show p/1.", false),
            ("#show a.", true),
            ("p. #show p(X)/1 : q(X).", true),
            ("#show -1.", true),
            ("#show", false),
        ] {
            assert_eq!(shows_terms(text), wanted, "{text}");
        }
    }

    #[test]
    fn words_in_comments_and_strings_are_not_used() {
        let text = "a :- b'c, \"x\", not d. % e\n%* f. *% g(h)..i. j";
        let used = ["a", "b'c", "d", "g", "h", "i"];
        assert!(used.iter().all(|name| uses(text, name)));
        assert!(!uses_any(text, &["b", "c", "x", "e", "f", "j"]) && uses_any(text, &["x", "d"]));
    }

    #[test]
    fn a_program_is_the_same_whatever_its_comments() {
        assert_eq!(squeezed("a.  % one\n%* two *% b(\"% c\")."), squeezed("a.\n\n b(\"% c\"). % three"));
        assert_ne!(squeezed(":- not b."), squeezed(":- notb."));
        assert_eq!(predicates("a :- not b (X), \"c(1)\" < X. % d(1)\n{ e'(1) : f }.").collect::<Vec<_>>(), ["b", "e'"]);
    }

    #[test]
    fn includes_are_found_between_other_statements() {
        let text = ":~ a. [1@2]\n#include \"b/../c.lp\" .\n% #include \"d\".\n#include <incmode>. e(\"#include \").";
        let found: Vec<(&str, Option<String>)> =
            includes(text).into_iter().map(|(range, file)| (&text[range], file)).collect();
        assert_eq!(found, [("#include \"b/../c.lp\" .", Some("b/../c.lp".to_owned())), ("#include <incmode>.", None)]);
    }

    #[test]
    fn comments_hide_no_include() {
        let text = "#include%*.*% \"a\". #include % .\n\"b\"%*.*%. #include%*\"c\".*%<incmode>. c.";
        let found: Vec<(&str, Option<String>)> =
            includes(text).into_iter().map(|(range, file)| (&text[range], file)).collect();
        let named = |name: &str| Some(name.to_owned());
        let [a, b, c] = ["#include%*.*% \"a\".", "#include % .\n\"b\"%*.*%.", "#include%*\"c\".*%<incmode>."];
        assert_eq!(found, [(a, named("a")), (b, named("b")), (c, None)]);
    }

    #[test]
    fn unfinished_text_does_not_panic() {
        for text in [
            "",
            "a",
            "\"",
            "%*",
            "(",
            "a(",
            ".",
            "..",
            "a(\"",
            "é.",
            "a(é",
            "%* *",
            "\\",
            "#include",
            "#include \"",
            "#include \"é",
            "é#include<",
        ] {
            includes(text);
            statements(text);
            nesting_depth(text);
            uses(text, "a");
        }
    }
}
