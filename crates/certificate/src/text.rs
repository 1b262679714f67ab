//! Certificates as text: the ground program in aspif, the claim, and the steps.
//!
//! ```text
//! certificate 1
//! asp 1 0 0
//! 1 1 2 1 2 0 0
//! 1 0 0 0 2 1 2
//! 4 1 a 1 1
//! 4 1 b 1 2
//! 0
//! claim shown
//! a 1 0
//! a 2 0
//! a 0
//! ```
//!
//! A proof about cubes has a line `within LITERALS 0` before the answers and steps of each.

use std::fmt::Write as _;
use std::io::{self, Write};

use ground::{GroundProgram, GroundRule, ShownTerms, Truth};

use super::check::{Certificate, Section};
use super::claim::{Claim, CostBound};
use super::verify::ProofStep;

/// The first line of a certificate.
pub const TITLE: &str = "certificate 1";
const ASPIF: &str = "asp 1 0 0";

/// Shortens a quotation to `length` bytes.
pub(super) fn shortened(text: &str, length: usize) -> String {
    let end = text.floor_char_boundary(length);
    format!("{}{}", &text[..end], if end < text.len() { "…" } else { "" })
}

fn preview(text: &str) -> String {
    shortened(text, 20)
}

/// Formats numbers with a blank before each.
fn spaced<T: std::fmt::Display>(numbers: impl IntoIterator<Item = T>) -> String {
    numbers.into_iter().fold(String::new(), |mut text, number| {
        let _ = write!(text, " {number}");
        text
    })
}

/// Formats the number of items, then the items, with a blank before each.
fn counted<T: std::fmt::Display + Copy>(numbers: &[T]) -> String {
    format!(" {}{}", numbers.len(), spaced(numbers))
}

/// Formats the number of weighted literals, then each literal and its weight, with a blank before
/// each.
fn weighted_literals(weighted: &[(i32, i32)]) -> String {
    format!(" {}{}", weighted.len(), spaced(weighted.iter().flat_map(|&(literal, weight)| [literal, weight])))
}

/// Writes everything except the steps.
pub fn write_head(out: &mut dyn Write, ground: &GroundProgram, shown: &ShownTerms, claim: &Claim) -> io::Result<()> {
    writeln!(out, "{TITLE}\n{ASPIF}")?;
    write_program(out, ground)?;
    write_shown(out, shown)?;
    let scope = if claim.projects_to_shown { "shown" } else { "atoms" };
    let bound = match &claim.bound {
        None => String::new(),
        Some(CostBound { costs, is_strict }) => {
            format!(" {}{}", if *is_strict { "less" } else { "most" }, spaced(costs))
        }
    };
    writeln!(out, "0\nclaim {scope}{bound}")?;
    write_answers(out, &claim.answers)
}

/// Writes the beginning of the section about a cube: everything except the steps.
pub fn write_cube(out: &mut dyn Write, cube: &[i32], answers: &[Vec<u32>]) -> io::Result<()> {
    writeln!(out, "within{} 0", spaced(cube))?;
    write_answers(out, answers)
}

fn write_answers(out: &mut dyn Write, answers: &[Vec<u32>]) -> io::Result<()> {
    answers.iter().try_for_each(|answer| writeln!(out, "a{} 0", spaced(answer)))
}

/// Writes the statements of a ground program except those that show terms.
pub fn write_program(out: &mut dyn Write, ground: &GroundProgram) -> io::Result<()> {
    for GroundRule { is_choice, head, body, bound } in &ground.rules {
        let literals: Vec<i32> = body.iter().map(|&(literal, _)| literal).collect();
        let body = match bound {
            None => format!("0{}", counted(&literals)),
            Some(bound) => format!("1 {bound}{}", weighted_literals(body)),
        };
        writeln!(out, "1 {}{} {body}", u8::from(*is_choice), counted(head))?;
    }
    for (priority, literals) in &ground.costs {
        writeln!(out, "2 {priority}{}", weighted_literals(literals))?;
    }
    let rules = ground.rules_by_head();
    for (&atom, &value) in &ground.externals {
        // Externals that rules define have no external value, unless they are frozen.
        if rules.of(atom).is_empty() || ground.frozen.get(&atom) == Some(&true) {
            let value = match value {
                Truth::Free => 0,
                Truth::True => 1,
                Truth::False => 2,
            };
            writeln!(out, "5 {atom} {value}")?;
        }
    }
    if !ground.assumed.is_empty() {
        writeln!(out, "6{}", counted(&ground.assumed))?;
    }
    for (from, to, condition) in &ground.edges {
        writeln!(out, "8 {from} {to}{}", counted(condition))?;
    }
    Ok(())
}

/// Writes the statements that show terms.
pub fn write_shown(out: &mut dyn Write, shown: &ShownTerms) -> io::Result<()> {
    for (text, conditions) in shown {
        for condition in conditions {
            writeln!(out, "4 {} {text}{}", text.len(), counted(condition))?;
        }
    }
    Ok(())
}

/// Writes the steps. Their clauses are numbered from `first`.
pub fn write_steps(out: &mut dyn Write, first: u32, steps: &[ProofStep]) -> io::Result<()> {
    let mut number = first;
    for step in steps {
        match step {
            ProofStep::Rup { clause, hints } => writeln!(out, "l {number}{} 0{} 0", spaced(clause), spaced(hints))?,
            ProofStep::LoopNogood { atoms, context } => {
                writeln!(out, "u {number}{} 0{} 0", spaced(atoms), spaced(context))?
            }
            ProofStep::Cycle { edges } => writeln!(out, "e {number}{} 0", spaced(edges.iter().map(|edge| edge + 1)))?,
            ProofStep::Answer { atoms } => writeln!(out, "a{} 0", spaced(atoms))?,
            ProofStep::Delete { clauses } => {
                writeln!(out, "d{} 0", spaced(clauses))?;
                continue;
            }
        }
        number += 1;
    }
    Ok(())
}

/// Parses a number without a plus sign.
fn plain_number<T: std::str::FromStr>(word: &str) -> Option<T> {
    word.parse().ok().filter(|_| !word.starts_with('+'))
}

/// Reads the words of a line from left to right.
struct LineReader<'t>(std::str::SplitAsciiWhitespace<'t>);

impl LineReader<'_> {
    fn number<T: std::str::FromStr>(&mut self) -> Result<T, String> {
        let word = self.0.next().ok_or("expected a number, found the end of the line")?;
        plain_number(word).ok_or_else(|| format!("expected a number in range, found `{}`", preview(word)))
    }

    fn numbers<T: std::str::FromStr>(&mut self) -> Result<Vec<T>, String> {
        let count: usize = self.number()?;
        (0..count).map(|_| self.number()).collect()
    }

    fn weighted(&mut self) -> Result<Vec<(i32, i32)>, String> {
        let count: usize = self.number()?;
        (0..count).map(|_| Ok((literal(self.number()?)?, self.number()?))).collect()
    }

    fn literals(&mut self) -> Result<Vec<i32>, String> {
        self.numbers()?.into_iter().map(literal).collect()
    }

    fn atoms(&mut self) -> Result<Vec<u32>, String> {
        self.numbers()?.into_iter().map(atom).collect()
    }

    /// Reads numbers up to a zero.
    fn list<T: std::str::FromStr + PartialEq + Default>(&mut self) -> Result<Box<[T]>, String> {
        let mut list = Vec::new();
        loop {
            match self.number()? {
                number if number == T::default() => return Ok(list.into()),
                number => list.push(number),
            }
        }
    }

    fn end(&mut self) -> Result<(), String> {
        self.0.next().map_or(Ok(()), |word| Err(format!("expected the end of the line, found `{}`", preview(word))))
    }
}

fn literal(number: i32) -> Result<i32, String> {
    (number != 0 && number != i32::MIN).then_some(number).ok_or_else(|| format!("expected a literal, found {number}"))
}

fn atom(number: i32) -> Result<u32, String> {
    u32::try_from(number).ok().filter(|&atom| atom > 0).ok_or_else(|| format!("expected an atom, found {number}"))
}

/// Reads a certificate.
///
/// # Errors
/// The number of the wrong line, from 1, and the reason.
pub fn read(text: &str) -> Result<Certificate, (usize, String)> {
    let mut lines = (1..).zip(text.lines());
    let mut last = 1;
    for expected in [TITLE, ASPIF] {
        match lines.next() {
            Some((_, line)) if line.trim_end() == expected => {}
            Some((number, line)) => {
                return Err((number, format!("expected `{expected}`, found `{}`", preview(line))));
            }
            None => return Err((last, format!("expected `{expected}`, found the end of the file"))),
        }
    }
    let mut ground = GroundProgram::default();
    let mut shown = ShownTerms::new();
    for (number, line) in lines.by_ref() {
        last = number;
        if line.trim_end() == "0" {
            break;
        }
        parse_statement(line, &mut ground, &mut shown).map_err(|error| (number, error))?;
    }
    let mut claim = None;
    let mut sections = vec![Section::default()];
    let mut is_in_cubes = false;
    let mut next: Option<(u32, u32)> = None;
    for (number, line) in lines {
        last = number;
        let at = |error: String| (number, error);
        let Some(Claim { answers, .. }) = &mut claim else {
            claim = Some(parse_claim(line).map_err(at)?);
            continue;
        };
        let is_empty = sections.len() == 1 && sections[0].steps.is_empty() && answers.is_empty();
        let section = sections.last_mut().expect("there is a section");
        let mut words = LineReader(line.split_ascii_whitespace());
        match line.split_ascii_whitespace().next() {
            Some("claim") => return Err(at("expected one claim, found a second one".to_owned())),
            Some("within") if is_in_cubes || is_empty => {
                words.0.next();
                let cube = words.list::<i32>().and_then(|cube| words.end().map(|()| cube.into_vec())).map_err(at)?;
                let section = Section { cube, answers: answers.len()..answers.len(), ..Section::default() };
                if std::mem::replace(&mut is_in_cubes, true) {
                    sections.push(section);
                } else {
                    sections[0] = section;
                }
                next = None;
            }
            Some("a") if !section.steps.is_empty() && !is_in_cubes => {
                return Err(at("expected a step, found an answer; answers come before the first step".to_owned()));
            }
            Some("a") => {
                words.0.next();
                let atoms = words.list::<u32>().and_then(|atoms| words.end().map(|()| atoms)).map_err(at)?;
                answers.push(atoms.to_vec());
                section.answers.end = answers.len();
                if !section.steps.is_empty() {
                    section.steps.push(ProofStep::Answer { atoms });
                    next = next.map(|(first, next)| (first, next.saturating_add(1)));
                }
            }
            _ => {
                section.steps.push(parse_step(line, &mut next).map_err(at)?);
                section.first_clause = next.map(|(first, _)| first);
            }
        }
    }
    let claim = claim.ok_or((last, "expected the line `claim`, found the end of the file".to_owned()))?;
    Ok(Certificate { ground, shown, claim, sections })
}

fn parse_statement(line: &str, ground: &mut GroundProgram, shown: &mut ShownTerms) -> Result<(), String> {
    let mut words = LineReader(line.split_ascii_whitespace());
    match words.number::<u32>()? {
        1 => {
            let is_choice = match words.number()? {
                0 => false,
                1 => true,
                other => return Err(format!("expected a head of kind 0 or 1, found {other}")),
            };
            let head = words.atoms()?;
            let (bound, body) = match words.number()? {
                0 => (None, words.literals()?.into_iter().map(|literal| (literal, 1)).collect()),
                1 => (Some(words.number()?), words.weighted()?),
                other => return Err(format!("expected a body of kind 0 or 1, found {other}")),
            };
            ground.rules.push(GroundRule { is_choice, head, body, bound });
        }
        2 => {
            let priority = words.number()?;
            ground.costs.entry(priority).or_default().extend(words.weighted()?);
        }
        4 => {
            let (text, rest) = shown_term(line)?;
            words = LineReader(rest.split_ascii_whitespace());
            shown.entry(text.to_owned()).or_default().push(words.literals()?);
        }
        5 => {
            let atom = atom(words.number()?)?;
            let value = match words.number()? {
                0 => Truth::Free,
                1 => Truth::True,
                2 => Truth::False,
                other => return Err(format!("expected an external value of 0, 1 or 2, found {other}")),
            };
            if ground.externals.insert(atom, value).is_some() {
                return Err(format!("expected one external value of atom {atom}, found a second one"));
            }
            ground.frozen.insert(atom, true);
        }
        6 => ground.assumed.extend(words.literals()?),
        8 => ground.edges.push((words.number()?, words.number()?, words.literals()?)),
        other => return Err(format!("expected a statement of kind 1, 2, 4, 5, 6 or 8, found {other}")),
    }
    words.end()
}

/// Splits `4 LENGTH TERM …` into the term and the rest.
fn shown_term(line: &str) -> Result<(&str, &str), String> {
    let wrong = || format!("expected `4 LENGTH TERM`, found `{}`", preview(line));
    let (length, rest) = line.strip_prefix("4 ").and_then(|rest| rest.split_once(' ')).ok_or_else(wrong)?;
    let length: usize = plain_number(length).ok_or_else(wrong)?;
    let text = rest.get(..length).ok_or("expected a term of that length, found the end of the line")?;
    let rest = rest[length..].strip_prefix(' ').ok_or("expected a blank after the term; its length is wrong")?;
    // A blank outside of quotes would make the printed term look like two.
    let mut is_quoted = false;
    let mut is_escaped = false;
    let mut has_blank = text.is_empty();
    for sign in text.chars() {
        is_quoted ^= sign == '"' && !is_escaped;
        is_escaped = sign == '\\' && !is_escaped;
        has_blank |= !is_quoted && (sign.is_whitespace() || sign.is_control());
    }
    if has_blank || is_quoted {
        return Err(format!("expected a term, found `{}`", preview(text)));
    }
    Ok((text, rest))
}

fn parse_claim(line: &str) -> Result<Claim, String> {
    let mut words = line.split_ascii_whitespace();
    let wrong = || {
        let line = preview(line);
        format!("expected `claim shown` or `claim atoms`, then perhaps `less` or `most` with costs, found `{line}`")
    };
    let projects_to_shown = match (words.next(), words.next()) {
        (Some("claim"), Some("shown")) => true,
        (Some("claim"), Some("atoms")) => false,
        _ => return Err(wrong()),
    };
    let bound = match words.next() {
        None => None,
        Some(word @ ("less" | "most")) => {
            let cost =
                |word: &str| plain_number(word).ok_or_else(|| format!("expected a cost, found `{}`", preview(word)));
            let costs: Vec<i64> = words.map(cost).collect::<Result<_, _>>()?;
            if costs.is_empty() {
                return Err(format!("expected costs after `{word}`, found the end of the line"));
            }
            Some(CostBound { costs, is_strict: word == "less" })
        }
        Some(_) => return Err(wrong()),
    };
    Ok(Claim { answers: Vec::new(), projects_to_shown, bound })
}

/// Reads a step. Clauses have consecutive numbers, starting at any number.
fn parse_step(line: &str, next: &mut Option<(u32, u32)>) -> Result<ProofStep, String> {
    let mut words = line.split_ascii_whitespace();
    let kind = words.next().unwrap_or_default();
    let mut words = LineReader(words);
    if !["l", "u", "e", "d"].contains(&kind) {
        return Err(format!("expected a step l, u, e or d, found `{}`", preview(kind)));
    }
    if kind != "d" {
        let number = words.number()?;
        let (first, expected) = next.unwrap_or((number, number));
        if number != expected {
            return Err(format!("expected clause {expected}, found clause {number}"));
        }
        *next = Some((first, expected.saturating_add(1)));
    }
    let step = match kind {
        "l" => ProofStep::Rup { clause: words.list()?, hints: words.list()? },
        "u" => ProofStep::LoopNogood { atoms: words.list()?, context: words.list()? },
        "e" => ProofStep::Cycle { edges: words.list::<u32>()?.iter().map(|edge| edge - 1).collect() },
        _ => ProofStep::Delete { clauses: words.list()? },
    };
    words.end()?;
    Ok(step)
}
