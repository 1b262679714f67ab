//! A burrow (a hallway, rooms below it, amphipods in both) and its two notations.
//!
//! ```text
//!   #############     ..(10).(23).(12).(30)..
//!   #...........#
//!   ###B#C#B#D###     Brackets are rooms, the top cell first. Outside of them are the cells of the
//!     #A#D#C#A#       hallway, except those in front of a door, where stopping is forbidden.
//!     #########       A digit k, or the letter of that rank, is an amphipod of the k-th room
//!                     whose step costs 10^k.
//! ```
//!
//! The side walls, the floor and any blanks of a drawing may be missing, as in text that was
//! copied.

use std::fmt::Write;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::{Document, Notation};
use base::words::count;
use puzzle::cells;

/// The packed states of the search hold at most this many rooms and cells in a room.
pub const MAX_ROOMS: usize = 8;
pub const MAX_DEPTH: usize = 8;

/// The kind of an amphipod: the index of its room. A step costs 10 to the power of the kind.
pub type Kind = u8;

/// Returns the energy of a step.
#[inline]
pub fn step_cost(kind: Kind) -> u64 {
    10u64.pow(u32::from(kind))
}

/// The position of every amphipod. There is no gap below an amphipod, and no kind has more members
/// than its room has cells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Burrow {
    pub depth: usize,
    /// The contents of the stops, the hallway cells where stopping is allowed: two left of the
    /// first door, one between each two doors, two right of the last door.
    pub hallway: Vec<Option<Kind>>,
    /// For each room, the contents of its cells from top to bottom.
    pub rooms: Vec<Vec<Option<Kind>>>,
}

/// Returns the column of a stop in the hallway, counted from 0.
#[inline]
pub fn column_of_stop(rooms: usize, stop: usize) -> usize {
    match stop {
        0 => 0,
        _ if stop == rooms + 2 => 2 * rooms + 2,
        _ => 2 * stop - 1,
    }
}

/// Returns the column of a room, counted from 0.
#[inline]
pub fn column_of_room(room: usize) -> usize {
    2 * room + 2
}

/// A cell of the text that may hold an amphipod, and its byte offset.
type ParsedCell = (Option<Kind>, usize);

impl Burrow {
    /// Parses a burrow in either notation.
    pub fn parse(document: &Document) -> Result<Burrow, Failure> {
        let text = &document.text;
        let is_compact = text.contains('(') && !is_drawing(text);
        let (hallway, rooms) = if is_compact { parse_compact(document)? } else { parse_drawing(document)? };
        let (number, depth) = (rooms.len(), rooms.first().map_or(0, Vec::len));
        if number > MAX_ROOMS || depth > MAX_DEPTH {
            let text = format!(
                "{}: {number} rooms with {depth} cells each; at most {MAX_ROOMS} rooms and {MAX_DEPTH} cells are possible",
                document.name
            );
            return Err(Diagnostic::error(Code::InvalidInstance, text).into());
        }
        let mut counts = vec![0; number];
        for &(kind, offset) in hallway.iter().chain(rooms.iter().flatten()) {
            let Some(kind) = kind else { continue };
            let Some(members) = counts.get_mut(usize::from(kind)) else {
                let text = format!("amphipod {} has no room: there are {number} rooms", name(kind));
                return Err(error_at(document, offset, text).into());
            };
            *members += 1;
            if *members > depth {
                let cells = count(depth, "cell", "cells");
                let text = format!("one amphipod {} too many: its room has {cells}", name(kind));
                return Err(error_at(document, offset, text).into());
            }
        }
        let mut neighbours = rooms.iter().flat_map(|room| room.windows(2));
        if let Some(pair) = neighbours.find(|pair| pair[0].0.is_some() && pair[1].0.is_none()) {
            let text = "a gap below an amphipod: amphipods go down as far as they can";
            return Err(error_at(document, pair[1].1, text).into());
        }
        let kinds = |spots: &Vec<ParsedCell>| spots.iter().map(|spot| spot.0).collect();
        Ok(Burrow { depth, hallway: kinds(&hallway), rooms: rooms.iter().map(kinds).collect() })
    }

    /// Inserts the two rows of part two of the task below the first row.
    pub fn unfold(mut self) -> Result<Burrow, String> {
        const ROWS: [[Kind; 4]; 2] = [[3, 2, 1, 0], [3, 1, 0, 2]];
        let (rooms, depth) = (self.rooms.len(), self.depth);
        if (rooms, depth) != (4, 2) {
            return Err(format!("--unfold is for four rooms of two cells; there are {rooms} of {depth}"));
        }
        if self.rooms.iter().flatten().any(Option::is_none) {
            return Err("--unfold is for a burrow in which all rooms are full".to_owned());
        }
        for (number, room) in self.rooms.iter_mut().enumerate() {
            room.splice(1..1, ROWS.map(|row| Some(row[number])));
        }
        self.depth = 4;
        Ok(self)
    }

    /// Formats the burrow in the compact notation.
    pub fn compact(&self) -> String {
        let letter = |cell: &Option<Kind>| cell.map_or('.', |kind| char::from(b'0' + kind));
        let mut text: String = self.hallway[..1].iter().map(letter).collect();
        for (number, room) in self.rooms.iter().enumerate() {
            text.push(letter(&self.hallway[number + 1]));
            let _ = write!(text, "({})", room.iter().map(letter).collect::<String>());
        }
        text.extend(self.hallway[self.rooms.len() + 1..].iter().map(letter));
        text
    }

    /// Formats the burrow as the lines of a drawing.
    pub fn drawing(&self) -> Vec<String> {
        let letter = |cell: &Option<Kind>| cell.map_or('.', |kind| char::from(b'A' + kind));
        let width = 2 * self.rooms.len() + 5;
        let mut hallway = vec!['.'; width - 2];
        for (stop, cell) in self.hallway.iter().enumerate() {
            hallway[column_of_stop(self.rooms.len(), stop)] = letter(cell);
        }
        let mut lines = vec!["#".repeat(width), format!("#{}#", hallway.into_iter().collect::<String>())];
        for level in 0..self.depth {
            let cells: Vec<String> = self.rooms.iter().map(|room| letter(&room[level]).to_string()).collect();
            let (left, right) = if level == 0 { ("##", "##") } else { ("  ", "") };
            lines.push(format!("{left}#{}#{right}", cells.join("#")));
        }
        lines.push(format!("  {}", "#".repeat(width - 4)));
        lines
    }

    /// Returns true if every amphipod is home.
    pub fn is_solved(&self) -> bool {
        let is_home = |(number, room): (usize, &Vec<Option<Kind>>)| {
            room.iter().flatten().all(|&kind| usize::from(kind) == number)
        };
        self.hallway.iter().all(Option::is_none) && self.rooms.iter().enumerate().all(is_home)
    }
}

/// Returns the letter of a kind.
pub fn name(kind: Kind) -> char {
    char::from(b'A' + kind)
}

/// Parses a cell; `None` if the character is not valid.
fn cell(character: char) -> Option<Option<Kind>> {
    match character {
        '.' => Some(None),
        '0'..='9' => Some(Some(character as u8 - b'0')),
        'A'..='Z' => Some(Some(character as u8 - b'A')),
        'a'..='z' => Some(Some(character as u8 - b'a')),
        _ => None,
    }
}

/// The parsed hallway and rooms.
type Parts = (Vec<ParsedCell>, Vec<Vec<ParsedCell>>);

/// Returns an error about the character at an offset.
fn error_at(document: &Document, offset: usize, what: impl Into<String>) -> Diagnostic {
    let length = document.text[offset..].chars().next().map_or(0, char::len_utf8);
    cells::error_at(document, what, &(offset..offset + length))
}

fn parse_compact(document: &Document) -> Result<Parts, Diagnostic> {
    let error_at = |offset: usize, what: String| {
        Err(error_at(document, offset, what).help("expected a burrow such as ..(10).(23).(12).(30).."))
    };
    // The sections with their offsets and cells: alternately a part of the hallway and a room.
    let mut sections: Vec<(usize, Vec<ParsedCell>)> = vec![(0, Vec::new())];
    let mut has_ended = false;
    for (begin, line) in cells::lines(&document.text) {
        for (at, character) in line.char_indices().chain([(line.len(), '\n')]) {
            let offset = begin + at;
            let is_in_room = sections.len().is_multiple_of(2);
            match (character, cell(character)) {
                _ if character.is_whitespace() => has_ended |= sections.len() > 1 || !sections[0].1.is_empty(),
                _ if has_ended => {
                    let what = format!(
                        "expected one burrow (--batch reads several), found `{}` after it",
                        character.escape_debug()
                    );
                    return error_at(offset, what);
                }
                ('(', _) if is_in_room => return error_at(offset, "found `(` inside a room".to_owned()),
                (')', _) if !is_in_room => return error_at(offset, "found `)` without `(`".to_owned()),
                ('(' | ')', _) => sections.push((offset + 1, Vec::new())),
                (_, Some(cell)) => sections.last_mut().expect("there is always a last").1.push((cell, offset)),
                (_, None) => {
                    let found = character.escape_debug();
                    return error_at(
                        offset,
                        format!("expected a digit, a letter, a dot or a bracket, found `{found}`"),
                    );
                }
            }
        }
    }
    let last = sections.len() - 1;
    if last % 2 == 1 {
        return error_at(sections[last].0 - 1, "the room is not closed".to_owned());
    }
    if last == 0 {
        return error_at(0, "there is no room".to_owned());
    }
    for (number, (begin, section)) in sections.iter().enumerate().step_by(2) {
        let (place, wanted) = match number / 2 {
            0 => ("before the first room".to_owned(), 2),
            _ if number == last => ("after the last room".to_owned(), 2),
            room => (format!("between rooms {room} and {}", room + 1), 1),
        };
        if section.len() != wanted {
            let offset = section.first().map_or(*begin.min(&document.text.len()), |spot| spot.1);
            let found = section.len();
            return error_at(
                offset,
                format!("expected {} {place}, found {found}", count(wanted, "hallway cell", "hallway cells")),
            );
        }
    }
    let depth = sections[1].1.len();
    for (number, (begin, room)) in sections.iter().enumerate().skip(1).step_by(2) {
        let number = number / 2 + 1;
        match room.first() {
            Some(_) if room.len() == depth => {}
            None => return error_at(*begin, format!("room {number} has no cells")),
            Some(&(_, offset)) => {
                let expected = count(depth, "cell", "cells");
                return error_at(
                    offset,
                    format!("expected {expected} in room {number} as in the first, found {}", room.len()),
                );
            }
        }
    }
    let part =
        |first: usize| sections.iter().skip(first).step_by(2).map(|section| section.1.clone()).collect::<Vec<_>>();
    Ok((part(0).concat(), part(1)))
}

/// Returns true if a document is a burrow in one of its two notations.
pub fn looks_like_a_burrow(document: &Document) -> bool {
    let fits = |character: char| character.is_whitespace() || "().0123456789ABCDEFGHabcdefgh".contains(character);
    let lines = || cells::lines(&document.text).map(|(_, line)| line).filter(|line| !line.is_empty());
    // Facts such as `a.` and `a(1).` consist of the same characters; but a burrow has rooms, and
    // two hallway cells right of the last one.
    let is_fact = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && (word.ends_with(").") || word.ends_with('.') && !word.contains('('))
    };
    let is_compact = lines().next().is_some_and(|line| line.starts_with(|first: char| first != '(' && fits(first)))
        && lines().any(|line| line.contains('('))
        && lines().all(|line| line.chars().all(fits) && !line.split_whitespace().any(is_fact));
    let is_drawing = is_drawing(&document.text);
    document.notation() == Notation::Program && (is_drawing || is_compact)
}

/// The share of signs of a burrow in a text that has its walls or rooms; 0 for other texts.
pub fn burrow_sign_share(text: &str) -> f64 {
    let is_sign = |character: char| matches!(character, '#' | '.' | '(' | ')' | 'A'..='H' | '0'..='7');
    let has_walls = text.contains("##") || text.contains('(') && text.contains("..");
    if has_walls { cells::share(text, is_sign) } else { 0.0 }
}

/// Returns true if the text contains a drawing: a wall at the top, or a hallway above lines that
/// can be rooms.
pub fn is_drawing(text: &str) -> bool {
    let lines = drawn_lines(text);
    let Some(&(_, first)) = lines.first() else { return false };
    if is_wall(first) {
        // In no other puzzle is a line of `#` followed by a line that contains dots.
        return lines.get(1).is_some_and(|(_, hallway)| hallway.contains('.'));
    }
    let inside = first.trim_matches('#');
    let has = |line: &str, wanted: usize| line.chars().filter(|&sign| sign != '#' && sign != ' ').count() == wanted;
    let is_part = |(_, line): &(usize, &str)| is_wall(line) || has(line, (inside.len() - 3) / 2);
    let fits = |sign: char| matches!(sign, '.' | '#' | ' ' | 'A'..='H');
    inside.len() >= 5
        && inside.len() % 2 == 1
        && inside.contains("..")
        && !inside.contains(['#', ' '])
        && lines.len() > 1
        && lines[1..].iter().all(is_part)
        && lines.iter().all(|(_, line)| line.chars().all(fits))
}

fn is_wall(line: &str) -> bool {
    line.chars().all(|character| character == '#')
}

/// Returns the lines of the first drawing, with their offsets, without the text before and after
/// it.
fn drawn_lines(text: &str) -> Vec<(usize, &str)> {
    let is_first = |line: &str| {
        line.len() >= 5
            && line.chars().all(|sign| matches!(sign, '#' | '.' | 'A'..='Z' | 'a'..='z'))
            && line.contains("..")
            || line.len() >= 5 && is_wall(line)
    };
    const MAX_LINES: usize = 1000;
    let lines = cells::lines(text).take(MAX_LINES).skip_while(|(_, line)| !is_first(line));
    lines.take_while(|(_, line)| !line.is_empty()).collect()
}

/// Parses a drawing with any indentation, even if blanks or walls around it are missing.
fn parse_drawing(document: &Document) -> Result<Parts, Diagnostic> {
    let text = &document.text;
    let error_at = |offset: usize, what: String| Err(error_at(document, offset, what));
    let mut lines = drawn_lines(text).into_iter().peekable();
    let top = lines.next_if(|(_, line)| is_wall(line));
    let Some((offset, line)) = lines.next() else {
        let offset = top.map_or(text.len() - text.trim_start().len(), |top| top.0);
        return error_at(offset, "expected a wall of `#` and the hallway below it".to_owned());
    };
    let inside = line.trim_matches('#');
    let offset = offset + line.find(inside).unwrap_or(0);
    let length = inside.chars().count();
    if length < 5 || length % 2 == 0 {
        let what = format!("expected a hallway of 5, 7, 9, … cells (two more for each room), found {length}");
        return error_at(offset, what);
    }
    let rooms = (length - 3) / 2;
    let mut hallway = Vec::new();
    for (column, (place, character)) in inside.char_indices().enumerate() {
        let place = offset + place;
        let is_door = column >= 2 && column % 2 == 0 && column < 2 * rooms + 2;
        match cell(character) {
            None => {
                return error_at(
                    place,
                    format!("expected a letter or a dot in the hallway, found `{}`", character.escape_debug()),
                );
            }
            Some(Some(kind)) if is_door => {
                let what = format!("amphipod {} is in front of a door, where stopping is forbidden", name(kind));
                return error_at(place, what);
            }
            Some(_) if is_door => {}
            Some(cell) => hallway.push((cell, place)),
        }
    }
    let (mut levels, mut has_floor, mut last): (Vec<Vec<ParsedCell>>, _, _) = (Vec::new(), false, offset);
    for (offset, line) in lines {
        if has_floor {
            return error_at(offset, "expected one burrow, found a line below its floor".to_owned());
        }
        last = offset;
        if is_wall(line) {
            has_floor = true;
            continue;
        }
        let mut level = Vec::new();
        for (place, character) in line.char_indices().filter(|&(_, character)| character != '#' && character != ' ') {
            let Some(cell) = cell(character) else {
                let what = format!("expected a letter or a dot in a room, found `{}`", character.escape_debug());
                return error_at(offset + place, what);
            };
            level.push((cell, offset + place));
        }
        if level.len() != rooms {
            let found = level.len();
            return error_at(
                offset,
                format!("expected cells of {}, one for each door, found {found}", count(rooms, "room", "rooms")),
            );
        }
        levels.push(level);
    }
    if levels.is_empty() {
        return error_at(last, "there are no rooms below the hallway".to_owned());
    }
    let column = |room: usize| levels.iter().map(|level| level[room]).collect();
    Ok((hallway, (0..rooms).map(column).collect()))
}
