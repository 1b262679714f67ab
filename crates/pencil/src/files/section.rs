//! A section of a file, from a puzzle's header.

use super::super::board::SIDES;
use super::places::FilePlaces;
use super::table::{LAYOUTS, WordTable, split_outside};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileSection {
    /// An optional line with this flag.
    Flag(String),
    /// A line with one of these words, of which some set a flag. The first one is the default.
    Line(Vec<(String, Option<String>)>),
    /// A line with a number: its name, and the default number.
    Header(String, Option<i32>),
    /// A line with the number of an outer border.
    Outer(String),
    Bank,
    /// All further lines, which are ignored.
    Rest,
    /// The flag of all boards of the type, without a line.
    Always(String),
    Rooms,
    /// No line: numbers of gates become those of the black cells at their ends.
    Gates,
    Crossings,
    Bridges,
    Grid {
        cells: WordTable,
        outside: Option<WordTable>,
        places: FilePlaces,
    },
}

impl FileSection {
    /// Returns true if the section has nothing but marks, so that it may be missing.
    pub fn has_only_marks(&self) -> bool {
        match self {
            FileSection::Bridges | FileSection::Rest => true,
            FileSection::Grid { cells, outside: None, .. } => !cells.has_clues(),
            _ => false,
        }
    }
}

/// A section, and the versions of files that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VersionedSection {
    pub section: FileSection,
    pub from: u32,
    /// The first version without the section.
    pub before: u32,
}

impl VersionedSection {
    pub fn is_in(&self, version: u32) -> bool {
        (self.from..self.before).contains(&version)
    }

    /// Parses a section such as `rooms before 1` or `shading inside number of around(top, left)`.
    pub fn parse(text: &str) -> Result<VersionedSection, String> {
        let (mut from, mut before) = (0, u32::MAX);
        let mut words: Vec<&str> = split_outside(text, ' ').into_iter().filter(|word| !word.is_empty()).collect();
        while let [.., key @ ("from" | "before"), number] = words[..] {
            let number = number.parse().map_err(|_| format!("`{number}` is not a version"))?;
            *(if key == "from" { &mut from } else { &mut before }) = number;
            words.truncate(words.len() - 2);
        }
        Ok(VersionedSection { section: parse_section(&words)?, from, before })
    }
}

/// Splits `name(a, b)` into the name and the arguments.
fn split_call(text: &str) -> Result<(&str, Vec<&str>), String> {
    match text.split_once('(') {
        None => Ok((text, Vec::new())),
        Some((name, rest)) => {
            let inside = rest.strip_suffix(')').ok_or_else(|| format!("`{text}`: a bracket without its end"))?;
            Ok((name, split_outside(inside, ',')))
        }
    }
}

fn parse_section(words: &[&str]) -> Result<FileSection, String> {
    let (first, rest) = words.split_first().ok_or("a section without a name")?;
    let (name, arguments) = split_call(first)?;
    let argument = || arguments.first().copied().ok_or_else(|| format!("expected {name}(NAME)"));
    Ok(match name {
        "flag" => FileSection::Flag(argument()?.to_owned()),
        "line" => FileSection::Line(arguments.iter().map(|word| parse_line_word(word)).collect::<Result<_, _>>()?),
        "header" => {
            let word = argument()?;
            match word.split_once('=') {
                Some((name, number)) => {
                    let number = number.trim().parse().map_err(|_| format!("`{word}`: expected a number"))?;
                    FileSection::Header(name.trim().to_owned(), Some(number))
                }
                None => FileSection::Header(word.to_owned(), None),
            }
        }
        "outer" => FileSection::Outer(argument()?.to_owned()),
        "bank" => FileSection::Bank,
        "rest" => FileSection::Rest,
        "always" => FileSection::Always(argument()?.to_owned()),
        "gates" => FileSection::Gates,
        "rooms" => FileSection::Rooms,
        "crossings" => FileSection::Crossings,
        "bridges" => FileSection::Bridges,
        _ => parse_grid(name, &arguments, rest)?,
    })
}

/// Parses `"word"` or `"word" = flag`.
fn parse_line_word(text: &str) -> Result<(String, Option<String>), String> {
    let (word, flag) = text.split_once('=').map_or((text, None), |(word, flag)| (word, Some(flag.trim().to_owned())));
    let word = word.trim().strip_prefix('"').and_then(|word| word.strip_suffix('"'));
    Ok((word.ok_or_else(|| format!("`{text}`: expected \"word\" = flag"))?.to_owned(), flag))
}

/// Parses `table [inside table] [of places]`.
fn parse_grid(name: &str, arguments: &[&str], mut rest: &[&str]) -> Result<FileSection, String> {
    let mut outside = None;
    if let ["inside", table, after @ ..] = rest {
        outside = Some(split_call(table)?);
        rest = after;
    }
    let places = match rest {
        [] => FilePlaces::Cells,
        ["of", places] => parse_places(places)?,
        _ => return Err(format!("`{}`: expected `inside TABLE` or `of PLACES`", rest.join(" "))),
    };
    let table = |name: &str, arguments: &[&str], empty: &str| {
        WordTable::of(name, arguments, empty).unwrap_or_else(|| {
            let names: Vec<&str> = LAYOUTS.iter().map(|entry| entry.0).collect();
            Err(format!(
                "`{name}` is not a section; sections are flag, line, header, outer, bank, rest, always, rooms, gates, crossings, bridges, {}",
                names.join(", ")
            ))
        })
    };
    let outside = outside.map(|(name, arguments)| table(name, &arguments, ".")).transpose()?;
    Ok(FileSection::Grid { cells: table(name, arguments, places.empty_word())?, outside, places })
}

fn parse_places(text: &str) -> Result<FilePlaces, String> {
    let (name, arguments) = split_call(text)?;
    let side = |word: &&str| {
        let side = SIDES.iter().position(|side| side == word);
        side.ok_or_else(|| format!("`{word}` is not a side; sides are {}", SIDES.join(", ")))
    };
    let sides = arguments.iter().map(side).collect::<Result<Vec<_>, _>>()?;
    Ok(match name {
        "cells" => FilePlaces::Cells,
        "inside" => FilePlaces::Inside,
        "edges" => FilePlaces::Edges,
        "frame" => FilePlaces::Frame,
        "lattice" => FilePlaces::Lattice,
        "corners" => FilePlaces::Corners,
        "dots" => FilePlaces::Dots,
        "around" => FilePlaces::Around(sides),
        "pairs" => FilePlaces::Pairs(sides),
        "lists" => FilePlaces::Lists(sides),
        _ => {
            return Err(format!(
                "`of {name}`: expected cells, inside, edges, frame, lattice, corners, dots, or around, pairs or lists(top, left)"
            ));
        }
    })
}
