//! A burrow: a hallway, rooms below it, amphipods in both; and its two notations.
//!
//! ```text
//!   #############       ..(10).(23).(12).(30)..
//!   #...........#
//!   ###B#C#B#D###       Brackets are rooms, the top cell first. What is outside are the cells of the hallway, without
//!     #A#D#C#A#         those in front of a door, where nobody may stop. A digit k, or the letter of that rank, is
//!     #########         an amphipod whose room is the k-th and whose step costs 10^k.
//! ```
//!
//! Of a drawing the walls at its sides, the floor and all blanks may be missing, as text is copied.

use std::fmt::Write;

use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::puzzle::cells;

/// Rooms, and cells of a room, that the packed states of the search hold.
pub const MOST_ROOMS: usize = 8;
pub const MOST_DEPTH: usize = 8;

/// The rank of an amphipod's room; its step costs 10 to that power.
pub type Kind = u8;

/// What an amphipod of a kind pays for a step.
#[inline]
pub fn price(kind: Kind) -> u64 {
    10u64.pow(u32::from(kind))
}

/// Where every amphipod is. No gap is below an amphipod, and no kind has more members than its room has cells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Burrow {
    pub depth: usize,
    /// The cells where one may stop: two left of the first door, one between doors, two right of the last.
    pub hallway: Vec<Option<Kind>>,
    /// Top to bottom.
    pub rooms: Vec<Vec<Option<Kind>>>,
}

/// The column of a stopping place in the hallway, from 0.
#[inline]
pub fn column_of_stop(rooms: usize, stop: usize) -> usize {
    match stop {
        0 => 0,
        _ if stop == rooms + 2 => 2 * rooms + 2,
        _ => 2 * stop - 1,
    }
}

/// The column of a room.
#[inline]
pub fn column_of_room(room: usize) -> usize {
    2 * room + 2
}

/// A cell of a text that may hold an amphipod, and where it stands.
type Spot = (Option<Kind>, usize);

impl Burrow {
    /// From either notation.
    pub fn parse(document: &Document) -> Result<Burrow, Failure> {
        let text = &document.text;
        let is_compact = text.contains('(') && !is_drawing(text);
        let (hallway, rooms) = if is_compact { compact(document)? } else { drawing(document)? };
        let (count, depth) = (rooms.len(), rooms.first().map_or(0, Vec::len));
        if count > MOST_ROOMS || depth > MOST_DEPTH {
            let text = format!(
                "{}: {count} rooms with {depth} cells each; at most {MOST_ROOMS} rooms and {MOST_DEPTH} cells are possible",
                document.name
            );
            return Err(Diagnostic::error(text).into());
        }
        let mut counts = vec![0; count];
        for &(kind, offset) in hallway.iter().chain(rooms.iter().flatten()) {
            let Some(kind) = kind else { continue };
            let Some(members) = counts.get_mut(usize::from(kind)) else {
                let text = format!("amphipod {} has no room: there are {count} rooms", name(kind));
                return Err(wrong(document, offset, text).into());
            };
            *members += 1;
            if *members > depth {
                let text = format!("one amphipod {} too many: its room has {depth} cells", name(kind));
                return Err(wrong(document, offset, text).into());
            }
        }
        let mut neighbours = rooms.iter().flat_map(|room| room.windows(2));
        if let Some(pair) = neighbours.find(|pair| pair[0].0.is_some() && pair[1].0.is_none()) {
            let text = "a gap below an amphipod: amphipods go down as far as they can";
            return Err(wrong(document, pair[1].1, text).into());
        }
        let kinds = |spots: &Vec<Spot>| spots.iter().map(|spot| spot.0).collect();
        Ok(Burrow { depth, hallway: kinds(&hallway), rooms: rooms.iter().map(kinds).collect() })
    }

    /// With the two rows that the second part of the task folds out below the first row.
    pub fn unfolded(mut self) -> Result<Burrow, String> {
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

    /// The compact form.
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

    /// The lines of the drawing.
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

    /// Whether everybody is home.
    pub fn is_organised(&self) -> bool {
        let is_home = |(number, room): (usize, &Vec<Option<Kind>>)| {
            room.iter().flatten().all(|&kind| usize::from(kind) == number)
        };
        self.hallway.iter().all(Option::is_none) && self.rooms.iter().enumerate().all(is_home)
    }
}

/// The letter of a kind.
pub fn name(kind: Kind) -> char {
    char::from(b'A' + kind)
}

/// What a character stands for; `None` if for nothing.
fn cell(character: char) -> Option<Option<Kind>> {
    match character {
        '.' => Some(None),
        '0'..='9' => Some(Some(character as u8 - b'0')),
        'A'..='Z' => Some(Some(character as u8 - b'A')),
        'a'..='z' => Some(Some(character as u8 - b'a')),
        _ => None,
    }
}

/// The hallway and the rooms, as they were read.
type Parts = (Vec<Spot>, Vec<Vec<Spot>>);

/// An error about the character at an offset.
fn wrong(document: &Document, offset: usize, what: impl Into<String>) -> Diagnostic {
    let length = document.text[offset..].chars().next().map_or(0, char::len_utf8);
    let place = Place::of_range(&document.name, &document.text, offset..offset + length);
    Diagnostic::error(what).at(Some(place))
}

fn compact(document: &Document) -> Result<Parts, Diagnostic> {
    let wrong = |offset: usize, what: String| {
        Err(wrong(document, offset, what).help("wanted: a burrow such as ..(10).(23).(12).(30).."))
    };
    // Where each section begins, and its cells: by turns a part of the hallway and a room.
    let mut sections: Vec<(usize, Vec<Spot>)> = vec![(0, Vec::new())];
    let mut is_over = false;
    for (begin, line) in cells::lines(&document.text) {
        for (at, character) in line.char_indices().chain([(line.len(), '\n')]) {
            let (offset, is_in_room) = (begin + at, sections.len().is_multiple_of(2));
            match (character, cell(character)) {
                _ if character.is_whitespace() => is_over |= sections.len() > 1 || !sections[0].1.is_empty(),
                _ if is_over => {
                    let what = format!("found {character} after the burrow; one burrow was wanted (more with --batch)");
                    return wrong(offset, what);
                }
                ('(', _) if is_in_room => return wrong(offset, "found ( inside a room".to_owned()),
                (')', _) if !is_in_room => return wrong(offset, "found ) without a room".to_owned()),
                ('(' | ')', _) => sections.push((offset + 1, Vec::new())),
                (_, Some(cell)) => sections.last_mut().expect("there is always a last").1.push((cell, offset)),
                (_, None) => {
                    let wanted = "a digit, a letter, a dot or a bracket was wanted";
                    return wrong(offset, format!("found {character:?}; {wanted}"));
                }
            }
        }
    }
    let last = sections.len() - 1;
    if last % 2 == 1 {
        return wrong(sections[last].0 - 1, "the room is not closed".to_owned());
    }
    if last == 0 {
        return wrong(0, "there is no room".to_owned());
    }
    for (number, (begin, section)) in sections.iter().enumerate().step_by(2) {
        let (place, wanted) = match number / 2 {
            0 => ("before the first room".to_owned(), 2),
            _ if number == last => ("after the last room".to_owned(), 2),
            room => (format!("between rooms {room} and {}", room + 1), 1),
        };
        if section.len() != wanted {
            let offset = section.first().map_or(*begin.min(&document.text.len()), |spot| spot.1);
            let were = if wanted == 1 { "was" } else { "were" };
            let found = section.len();
            return wrong(offset, format!("found {found} hallway cells {place}; {wanted} {were} wanted"));
        }
    }
    let depth = sections[1].1.len();
    for (number, (begin, room)) in sections.iter().enumerate().skip(1).step_by(2) {
        let number = number / 2 + 1;
        match room.first() {
            Some(_) if room.len() == depth => {}
            None => return wrong(*begin, format!("room {number} has no cell")),
            Some(&(_, offset)) => {
                let found = format!("room {number} has {} cells", room.len());
                return wrong(offset, format!("{found}; {depth} were wanted, as in the first"));
            }
        }
    }
    let part =
        |which: usize| sections.iter().skip(which).step_by(2).map(|section| section.1.clone()).collect::<Vec<_>>();
    Ok((part(0).concat(), part(1)))
}

/// Whether there is a drawing: a wall on top, or else a hallway with what can be rooms below it.
pub fn is_drawing(text: &str) -> bool {
    let lines = drawn_lines(text);
    let Some(&(_, first)) = lines.first() else { return false };
    if is_wall(first) {
        // No board of another puzzle has open cells right below closed ones.
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

/// The lines of the first drawing: what stands before it and after it is text.
fn drawn_lines(text: &str) -> Vec<(usize, &str)> {
    let is_first = |line: &str| {
        line.len() >= 5
            && line.chars().all(|sign| matches!(sign, '#' | '.' | 'A'..='Z' | 'a'..='z'))
            && line.contains("..")
            || line.len() >= 5 && is_wall(line)
    };
    const LOOKED_AT: usize = 1000;
    let lines = cells::lines(text).take(LOOKED_AT).skip_while(|(_, line)| !is_first(line));
    lines.take_while(|(_, line)| !line.is_empty()).collect()
}

/// The drawing, however it is indented and whatever blanks or walls were lost around it.
fn drawing(document: &Document) -> Result<Parts, Diagnostic> {
    let text = &document.text;
    let wrong = |offset: usize, what: String| Err(wrong(document, offset, what));
    let mut lines = drawn_lines(text).into_iter().peekable();
    let top = lines.next_if(|(_, line)| is_wall(line));
    let Some((offset, line)) = lines.next() else {
        let offset = top.map_or(text.len() - text.trim_start().len(), |top| top.0);
        return wrong(offset, "a wall of # and the hallway below it were wanted".to_owned());
    };
    let inside = line.trim_matches('#');
    let offset = offset + line.find(inside).unwrap_or(0);
    let length = inside.chars().count();
    if length < 5 || length % 2 == 0 {
        let what = format!("the hallway has {length} cells; 5, 7, 9, … were wanted (two more for each room)");
        return wrong(offset, what);
    }
    let rooms = (length - 3) / 2;
    let mut hallway = Vec::new();
    for (column, (place, character)) in inside.char_indices().enumerate() {
        let place = offset + place;
        let is_door = column >= 2 && column % 2 == 0 && column < 2 * rooms + 2;
        match cell(character) {
            None => return wrong(place, format!("found {character:?} in the hallway; a letter or a dot was wanted")),
            Some(Some(kind)) if is_door => {
                let what = format!("amphipod {} stands in front of a door, where nobody may stop", name(kind));
                return wrong(place, what);
            }
            Some(_) if is_door => {}
            Some(cell) => hallway.push((cell, place)),
        }
    }
    let (mut levels, mut has_floor, mut last): (Vec<Vec<Spot>>, _, _) = (Vec::new(), false, offset);
    for (offset, line) in lines {
        if has_floor {
            return wrong(offset, "found a line below the floor; one burrow was wanted".to_owned());
        }
        last = offset;
        if is_wall(line) {
            has_floor = true;
            continue;
        }
        let mut level = Vec::new();
        for (place, character) in line.char_indices().filter(|&(_, character)| character != '#' && character != ' ') {
            let Some(cell) = cell(character) else {
                let what = format!("found {character:?} in a room; a letter or a dot was wanted");
                return wrong(offset + place, what);
            };
            level.push((cell, offset + place));
        }
        if level.len() != rooms {
            let found = format!("found cells of {} rooms", level.len());
            return wrong(offset, format!("{found}; the hallway has doors for {rooms}"));
        }
        levels.push(level);
    }
    if levels.is_empty() {
        return wrong(last, "there are no rooms below the hallway".to_owned());
    }
    let column = |room: usize| levels.iter().map(|level| level[room]).collect();
    Ok((hallway, (0..rooms).map(column).collect()))
}
