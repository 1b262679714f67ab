//! A plan as lines, for people.
//!
//! ```text
//! start s: end a.stem                          % what a thing is, what it is called, and what its ends are joined to
//! a green: stem s, 1 b.stem, 2 f.stem          % a fork and the colour that sets it (or sprung, lazy, flip); s alone is its end
//! gate 1: left h.stem, right i.1               % gate 2 sets red 1: … ; crossing x: 1 …, 2 …, 3 …, 4 …
//! name 1.left p1l                              % lever red R; fixed red 2; own red; target t; final u; at a 83 83
//! ```
//!
//! A track stands at one of its ends or at both.

use std::fmt::Write;
use std::ops::Range;

use super::facts::{Fact, Placed, fact, free_text, term};
use super::plan::{End, Plan, Points, read_end, tuple};
use crate::asp::Term;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;

/// The facts of a document of such lines, some of which join ends.
pub fn facts(document: &Document) -> Result<Vec<Placed>, Failure> {
    let mut found = Vec::new();
    let wrong = |(what, range): (String, Range<usize>)| {
        Failure::from(Diagnostic::error(what).at(Some(Place::of_range(&document.name, &document.text, range))))
    };
    read(&document.text, 0, &mut found).map_err(wrong)?;
    if !found.iter().any(|(fact, _)| fact.name == "track") {
        return Err(wrong(("no line joins ends, such as a red: stem b.1, 1 c.stem, 2 d".to_owned(), 0..0)));
    }
    Ok(found)
}

/// Adds the facts of lines that begin so far in a text.
pub fn read(text: &str, begin: usize, found: &mut Vec<Placed>) -> Result<(), (String, Range<usize>)> {
    let (mut at, mut levers) = (begin, 0);
    for line in text.split_inclusive('\n') {
        let said = line.split('%').next().unwrap_or_default().trim_end();
        let range = at + (said.len() - said.trim_start().len())..at + said.len();
        at += line.len();
        let (head, ends) = said.split_once(':').unwrap_or((said, ""));
        let words: Vec<&str> = head.split_whitespace().collect();
        let mut say = |name: &str, terms: &[Term]| found.push((fact(name, terms), range.clone()));
        let thing = match words[..] {
            [] => continue,
            [what @ ("start" | "target" | "gate" | "crossing"), name] => {
                say(what, &[term(name)]);
                name
            }
            ["final", name] => {
                say("final_node", &[term(name)]);
                name
            }
            ["gate", name, "sets", color, state] => {
                say("gate", &[term(name)]);
                say("sets", &[term(name), term(color), term(state)]);
                name
            }
            ["lever", color, letter] => {
                levers += 1;
                say("lever", &[Term::Number(levers), term(color), Term::Text(letter.to_owned())]);
                continue;
            }
            ["fixed", color, state] => {
                say("fixed", &[term(color), term(state)]);
                continue;
            }
            ["own", color] if !said.contains(':') => {
                say("own", &[term(color)]);
                continue;
            }
            ["name", at, node] => {
                say("name", &[tuple(&end(at)), term(node)]);
                continue;
            }
            ["at", name, x, y] => {
                say("position", &[term(name), term(x), term(y)]);
                continue;
            }
            // A fork of which it is forgotten what sets it: the plan says so.
            [name] if said.contains(':') => {
                say("fork", &[term(name)]);
                name
            }
            [name, set] => {
                say("fork", &[term(name)]);
                let is_kind = matches!(set, "sprung" | "lazy" | "flip");
                say(if is_kind { "kind" } else { "color" }, &[term(name), term(set)]);
                name
            }
            _ => {
                let what = format!(
                    "\"{}\"; expected a thing and its ends, such as a red: stem b.1, 1 c.stem, 2 d",
                    said.trim()
                );
                return Err((what, range));
            }
        };
        for part in ends.split(',').filter(|_| !ends.trim().is_empty()) {
            let [which, other] = part.split_whitespace().collect::<Vec<_>>()[..] else {
                let what =
                    format!("\"{}\" is not an end of {thing} and what it is joined to, such as stem b.1", part.trim());
                return Err((what, range));
            };
            say("track", &[tuple(&(term(thing), term(which))), tuple(&end(other))]);
        }
    }
    Ok(())
}

/// `b.stem`, or `s` for the end of a place.
pub fn end(text: &str) -> End {
    text.rsplit_once('.').map_or_else(|| (term(text), term("end")), |(thing, which)| (term(thing), term(which)))
}

/// The end in a line.
pub fn end_text((thing, which): &End) -> String {
    let thing = free_text(thing);
    if *which == term("end") { thing } else { format!("{thing}.{which}") }
}

/// The plan as lines, without what is joined where that is said elsewhere; an error for names that lines cannot have.
pub fn write(plan: &Plan, has_tracks: bool) -> Result<String, Failure> {
    let mut text = String::new();
    for fact in &plan.said {
        let parts =
            |term: &Term| read_end(term).map_or_else(|| vec![term.clone()], |(thing, which)| vec![thing, which]);
        let words: Vec<String> = fact.terms.iter().flat_map(parts).map(|term| free_text(&term)).collect();
        if let Some(word) = words.iter().find(|word| word.contains([' ', '.', ',', ':', '%'])) {
            return Err(Diagnostic::error(format!("{word}: lines have no such names; -f asp writes facts")).into());
        }
        let _ = match (fact.name.as_str(), &words[..]) {
            ("lever", [_, color, letter]) => writeln!(text, "lever {color} {letter}"),
            ("fixed", [color, state]) => writeln!(text, "fixed {color} {state}"),
            ("own", [color]) => writeln!(text, "own {color}"),
            ("position", [thing, x, y]) if has_tracks => writeln!(text, "at {thing} {x} {y}"),
            _ => Ok(()),
        };
    }
    for (end, node) in &plan.names {
        let _ = writeln!(text, "name {} {}", end_text(end), free_text(node));
    }
    for thing in plan.things() {
        let name = free_text(thing);
        let says = |what: &str| plan.said.iter().find(|fact| fact.name == what && fact.terms[0] == *thing);
        let set = |fact: &Fact| format!(" sets {} {}", free_text(&fact.terms[1]), free_text(&fact.terms[2]));
        let head = match plan.forks.get(thing).map(|fork| &fork.points) {
            Some(Points::Lever(color)) => format!("{name} {}", free_text(color)),
            Some(points) => format!("{name} {}", format!("{points:?}").to_lowercase()),
            None if plan.gates.contains(thing) => format!("gate {name}{}", says("sets").map_or_else(String::new, set)),
            None if plan.crossings.contains(thing) => format!("crossing {name}"),
            None if plan.starts.contains(thing) => {
                text += &says("target").map_or_else(String::new, |_| format!("target {name}\n"));
                format!("start {name}")
            }
            None if says("target").is_some() => format!("target {name}"),
            None => format!("final {name}"),
        };
        // Each track once, but a stem always: a fork's line is known by it.
        let is_first =
            |end: &&End| end.1 == term("stem") || **end < plan.joined[*end] && plan.joined[*end].1 != term("stem");
        let ends: Vec<End> = plan.ends(thing).into_iter().filter(|end| has_tracks && is_first(&end)).collect();
        let ends: Vec<String> = ends.iter().map(|end| format!("{} {}", end.1, end_text(&plan.joined[end]))).collect();
        let _ = writeln!(text, "{head}{}{}", if ends.is_empty() { "" } else { ": " }, ends.join(", "));
    }
    Ok(text)
}
