//! A plan of tracks in lines, which is the notation for writing plans by hand.
//!
//! ```text
//! start s: end a.stem                          % kind and name of a thing, and what its ends are joined to
//! a green: stem s, 1 b.stem, 2 f.stem          % a fork with its colour (or sprung, lazy, flip); s is short for s.end
//! gate 1: left h.stem, right i.1               % gate 2 sets red 1: … ; crossing x: 1 …, 2 …, 3 …, 4 …
//! name 1.left p1l                              % lever red R; fixed red 2; own red; target t; final u; at a 83 83
//! ```
//!
//! A track can be stated in the line of either of its ends, or in both.

use std::fmt::Write;
use std::ops::Range;

use asp::Term;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::{Document, Notation};
use base::words::did_you_mean;

use super::fact::{Fact, SpannedFact, fact, term, term_source};
use super::plan::{End, ForkKind, Plan, read_end, tuple};

/// The first words of lines that do not begin with the name of a fork.
pub const KINDS: [&str; 10] = ["start", "target", "final", "gate", "crossing", "lever", "fixed", "own", "name", "at"];

/// Returns true if a document that is neither JSON, Graphviz nor SVG is a plan: it has a line that
/// joins ends of track elements, or both a `start` and a `target` line without ends.
pub fn is_plan(document: &Document) -> bool {
    let text = document.text.trim_start();
    document.notation() == Notation::Program
        && (lines_with(text, ':').any(is_line_of_ends)
            || ["start", "target"].iter().all(|place| has_place(text, place)))
}

/// Returns the lines that contain `sign`, without splitting the whole text, which may be long.
fn lines_with(mut text: &str, sign: char) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let begin = text[..text.find(sign)?].rfind('\n').map_or(0, |end| end + 1);
        let line;
        (line, text) = text[begin..].split_once('\n').unwrap_or((&text[begin..], ""));
        Some(line)
    })
}

/// Returns true for a line of a plan that joins ends of track elements:
/// `a red: stem s.end, 1 b.stem` or `gate g: left a.1`.
fn is_line_of_ends(line: &str) -> bool {
    let Some((head, ends)) = line.split('%').next().and_then(|code| code.split_once(':')) else { return false };
    let keywords: &[&str] = match head.split_whitespace().collect::<Vec<_>>()[..] {
        ["start" | "target" | "final", _] => &["end "],
        ["gate", _] | ["gate", _, "sets", _, _] => &["left ", "right "],
        ["crossing", _] => &["1 ", "2 ", "3 ", "4 "],
        // A fork, with or without a colour.
        [_] | [_, _] => &["stem "],
        _ => return false,
    };
    ends.split(',').any(|end| keywords.iter().any(|keyword| end.trim_start().starts_with(keyword)))
}

/// Returns true if a line consists of the keyword `place` and a name, such as `start s`.
fn has_place(text: &str, place: &str) -> bool {
    let mut code = text.lines().filter_map(|line| line.trim_start().strip_prefix(place)?.split('%').next());
    text.contains(&format!("{place} "))
        && code.any(|rest| {
            rest.starts_with(' ') && rest.split_whitespace().count() == 1 && !rest.contains(['.', '(', ':'])
        })
}

/// Parses a document. Fails if no line joins two ends.
pub fn facts(document: &Document) -> Result<Vec<SpannedFact>, Failure> {
    let mut found = Vec::new();
    let wrong = |(what, range): (String, Range<usize>)| {
        Failure::from(Diagnostic::error(Code::InvalidInstance, what).at(Some(Place::of_range(
            &document.name,
            &document.text,
            range,
        ))))
    };
    read(&document.text, 0, &mut found).map_err(wrong)?;
    if !found.iter().any(|(fact, _)| fact.name == "track") {
        return Err(wrong(("no line joins two ends, as in `a red: stem b.1, 1 c.stem, 2 d`".to_owned(), 0..0)));
    }
    Ok(found)
}

/// Parses lines into `found`. `begin` is the offset of `text` in its document.
pub fn read(text: &str, begin: usize, found: &mut Vec<SpannedFact>) -> Result<(), (String, Range<usize>)> {
    let (mut at, mut levers) = (begin, 0);
    for line in text.split_inclusive('\n') {
        let content = line.split('%').next().unwrap_or_default().trim_end();
        let range = at + (content.len() - content.trim_start().len())..at + content.len();
        at += line.len();
        let (head, ends) = content.split_once(':').unwrap_or((content, ""));
        let words: Vec<&str> = head.split_whitespace().collect();
        if let Some(colon) = colon_without_ends(content, &words) {
            let what = format!("expected the end of the line after `{}`, found `{}`", head.trim(), &content[colon..]);
            return Err((what, range.end - (content.len() - colon)..range.end));
        }
        let mut emit = |name: &str, terms: &[Term]| found.push((fact(name, terms), range.clone()));
        let thing = match words[..] {
            [] => continue,
            [what @ ("start" | "target" | "gate" | "crossing"), name] => {
                emit(what, &[term(name)]);
                name
            }
            ["final", name] => {
                emit("final_node", &[term(name)]);
                name
            }
            ["gate", name, "sets", color, state] => {
                emit("gate", &[term(name)]);
                emit("sets", &[term(name), term(color), term(state)]);
                name
            }
            ["lever", color, letter] => {
                levers += 1;
                emit("lever", &[Term::Number(levers), term(color), Term::Text(letter.to_owned())]);
                continue;
            }
            ["fixed", color, state] => {
                emit("fixed", &[term(color), term(state)]);
                continue;
            }
            ["own", color] if !content.contains(':') => {
                emit("own", &[term(color)]);
                continue;
            }
            ["name", at, node] => {
                emit("name", &[tuple(&end(at)), term(node)]);
                continue;
            }
            ["at", name, x, y] => {
                emit("position", &[term(name), term(x), term(y)]);
                continue;
            }
            // A fork without a colour, which [`Plan::read`] reports.
            [name] if content.contains(':') => {
                emit("fork", &[term(name)]);
                name
            }
            [name, set] => {
                emit("fork", &[term(name)]);
                let is_kind = matches!(set, "sprung" | "lazy" | "flip");
                emit(if is_kind { "kind" } else { "color" }, &[term(name), term(set)]);
                name
            }
            _ => {
                let what = format!(
                    "expected a thing and its ends, such as `a red: stem b.1, 1 c.stem, 2 d`, found `{}`{}",
                    content.trim(),
                    did_you_mean(words[0], KINDS)
                );
                return Err((what, range));
            }
        };
        for ends in joined_ends(thing, ends).map_err(|what| (what, range.clone()))? {
            emit("track", &ends);
        }
    }
    Ok(())
}

/// Returns the offset of the colon in a line of a kind that states no ends.
fn colon_without_ends(content: &str, words: &[&str]) -> Option<usize> {
    let has_no_ends = matches!(words, ["lever" | "fixed" | "name", _, _] | ["at", _, _, _]);
    content.find(':').filter(|_| has_no_ends)
}

/// Parses the ends of `thing` with those that they join: `stem b.1, 1 c.stem`.
fn joined_ends(thing: &str, ends: &str) -> Result<Vec<[Term; 2]>, String> {
    let joined = |part: &str| match part.split_whitespace().collect::<Vec<_>>()[..] {
        [which, other] => Ok([tuple(&(term(thing), term(which))), tuple(&end(other))]),
        _ => {
            Err(format!("expected an end of {thing} and the end it joins, such as `stem b.1`, found `{}`", part.trim()))
        }
    };
    if ends.trim().is_empty() { Ok(Vec::new()) } else { ends.split(',').map(joined).collect() }
}

/// Parses `b.stem`, or `s` for the end of a place.
pub fn end(text: &str) -> End {
    text.rsplit_once('.').map_or_else(|| (term(text), term("end")), |(thing, which)| (term(thing), term(which)))
}

/// Formats an end so that [`end`] parses it.
pub fn end_text((thing, which): &End) -> String {
    let thing = term_source(thing);
    if *which == term("end") { thing } else { format!("{thing}.{which}") }
}

/// Writes a plan as lines, with tracks and positions only if `with_tracks`. Fails for names that
/// lines cannot express.
pub fn write(plan: &Plan, with_tracks: bool) -> Result<String, Failure> {
    let mut text = String::new();
    for fact in &plan.facts {
        let parts =
            |term: &Term| read_end(term).map_or_else(|| vec![term.clone()], |(thing, which)| vec![thing, which]);
        let words: Vec<String> = fact.terms.iter().flat_map(parts).map(|term| term_source(&term)).collect();
        if let Some(word) = words.iter().find(|word| word.contains([' ', '.', ',', ':', '%'])) {
            return Err(Diagnostic::error(
                Code::Unsupported,
                format!("{word}: lines cannot express this name; -f asp writes facts"),
            )
            .into());
        }
        let _ = match (fact.name.as_str(), &words[..]) {
            ("lever", [_, color, letter]) => writeln!(text, "lever {color} {letter}"),
            ("fixed", [color, state]) => writeln!(text, "fixed {color} {state}"),
            ("own", [color]) => writeln!(text, "own {color}"),
            ("position", [thing, x, y]) if with_tracks => writeln!(text, "at {thing} {x} {y}"),
            _ => Ok(()),
        };
    }
    for (end, node) in &plan.names {
        let _ = writeln!(text, "name {} {}", end_text(end), term_source(node));
    }
    for thing in plan.things() {
        let name = term_source(thing);
        let find_fact = |what: &str| plan.facts.iter().find(|fact| fact.name == what && fact.terms[0] == *thing);
        let set = |fact: &Fact| format!(" sets {} {}", term_source(&fact.terms[1]), term_source(&fact.terms[2]));
        let head = match plan.forks.get(thing).map(|fork| &fork.kind) {
            Some(ForkKind::Lever(color)) => format!("{name} {}", term_source(color)),
            Some(kind) => format!("{name} {}", format!("{kind:?}").to_lowercase()),
            None if plan.gates.contains(thing) => {
                format!("gate {name}{}", find_fact("sets").map_or_else(String::new, set))
            }
            None if plan.crossings.contains(thing) => format!("crossing {name}"),
            None if plan.starts.contains(thing) => {
                text += &find_fact("target").map_or_else(String::new, |_| format!("target {name}\n"));
                format!("start {name}")
            }
            None if find_fact("target").is_some() => format!("target {name}"),
            None => format!("final {name}"),
        };
        // The stem identifies the line of a fork, so its track is written there. Any other track is
        // written in the line of its first end.
        let is_first =
            |end: &&End| end.1 == term("stem") || **end < plan.joined[*end] && plan.joined[*end].1 != term("stem");
        let ends: Vec<End> = plan.ends(thing).into_iter().filter(|end| with_tracks && is_first(&end)).collect();
        let ends: Vec<String> = ends.iter().map(|end| format!("{} {}", end.1, end_text(&plan.joined[end]))).collect();
        let _ = writeln!(text, "{head}{}{}", if ends.is_empty() { "" } else { ": " }, ends.join(", "));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_detected_by_a_line_that_joins_ends_or_by_their_places() {
        for text in [
            "start s: end g.left\ngate g: right t\ntarget t",
            "a: stem s, 1 t, 2 u",
            "a lazy: 1 t, stem s % said",
            "crossing x: 3 b.1",
            "start s\na red: 1 s, 2 t\ntarget t",
        ] {
            assert!(is_plan(&Document::in_memory("text", text)), "{text}");
        }
        for text in
            ["start s\n", "starts 5x5\nstart: 1 2", "start s.\ntarget t.", "% a: stem s", "gate: left 1", "a:1 b"]
        {
            assert!(!is_plan(&Document::in_memory("text", text)), "{text}");
        }
    }
}
