//! Reads and writes sections.

use std::collections::{BTreeMap, BTreeSet};

use super::super::board::{Cell, Clue, ClueGrid, ClueLocation, ClueRanges, GridBoard, SIDES, SpanError};
use super::super::codecs;
use super::super::link::Link;
use super::lines::{FileText, FileWord};
use super::marks::FileMarks;
use super::places::{FilePlace, FilePlaces};
use super::section::FileSection;
use super::table::{WordContent, WordTable};

pub(super) fn read_section(
    section: &FileSection,
    file: &mut FileText,
    board: &mut GridBoard,
    ranges: &mut ClueRanges,
    link: Option<&Link>,
) -> Result<(), SpanError> {
    match section {
        FileSection::Flag(flag) => {
            let is_next = |line: &[FileWord]| matches!(line, [word] if word.text == *flag);
            if file.peek().is_some_and(is_next) {
                let word = file.word("a flag")?;
                add_flag(board, flag, &word, link)?;
            }
        }
        FileSection::Line(words) => read_line(words, file, board, link)?,
        FileSection::Header(name, _) => {
            let number = file.number(&format!("the number `{name}`"))?;
            board.header.insert((name.clone(), vec![Clue::Number(number)]));
        }
        FileSection::Outer(name) => {
            let word = file.word("the number of an outer border")?;
            let inside = num_inner_borders(board);
            let number = word.text.parse().ok().and_then(|number: i32| number.checked_sub(inside));
            let number = number.filter(|number| (0..2 * (board.rows + board.columns) as i32).contains(number));
            let number = number.ok_or_else(|| (format!("`{}` is not an outer border", word.text), word.range))?;
            board.header.insert((name.clone(), vec![Clue::Number(number)]));
        }
        FileSection::Bank => read_bank(file, board)?,
        FileSection::Rest => file.skip_rest(),
        FileSection::Always(flag) => drop(board.header.insert(("flag".to_owned(), vec![Clue::text(flag)]))),
        FileSection::Gates => number_gates(board),
        FileSection::Rooms => read_rooms(file, board)?,
        FileSection::Crossings => read_crossings(file, board, ranges)?,
        FileSection::Bridges => read_bridges(file, board)?,
        FileSection::Grid { cells, outside, places } => {
            read_grid(cells, outside.as_ref(), places, file, board, ranges)?;
        }
    }
    Ok(())
}

/// Appends the lines of a section. The error names what it cannot write.
pub(super) fn write_section(
    section: &FileSection,
    board: &GridBoard,
    marks: &FileMarks<'_>,
    text: &mut String,
) -> Result<(), String> {
    let has_flag = |flag: &str| board.header.contains(&("flag".to_owned(), vec![Clue::text(flag)]));
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    let number = |name: &str| match board.header.iter().find(|(other, _)| other == name).map(|(_, words)| &words[..]) {
        Some([Clue::Number(number)]) => Some(*number),
        _ => None,
    };
    match section {
        FileSection::Flag(flag) if has_flag(flag) => line(flag),
        FileSection::Flag(_) | FileSection::Rest | FileSection::Always(_) | FileSection::Gates => {}
        FileSection::Line(words) => {
            let is_set = |(_, flag): &&(String, Option<String>)| flag.as_ref().is_some_and(|flag| has_flag(flag));
            line(&words.iter().find(is_set).unwrap_or(&words[0]).0);
        }
        FileSection::Header(name, default) => {
            let number = number(name).or(*default).ok_or_else(|| format!("a board without a number `{name}`"))?;
            line(&number.to_string());
        }
        FileSection::Outer(name) => {
            let number = number(name).ok_or_else(|| format!("a board without a border `{name}`"))?;
            line(&(number + num_inner_borders(board)).to_string());
        }
        FileSection::Bank => {
            let bank: Vec<&Clue> =
                board.header.iter().filter(|(name, _)| name == "bank").filter_map(|(_, words)| words.last()).collect();
            let is_set = board.header.iter().any(|(name, words)| name == "bank" && words.len() == 1);
            if !is_set {
                line(&bank.len().to_string());
            }
            bank.iter().for_each(|piece| line(&piece.to_string()));
        }
        FileSection::Rooms => {
            let areas = if board.areas.is_empty() { board.enclosed_areas() } else { board.areas.clone() };
            line(&areas.values().max().unwrap_or(&0).to_string());
            for row in 1..=board.rows {
                let rooms = (1..=board.columns).map(|column| format!("{} ", areas[&(row, column)] - 1));
                line(&rooms.collect::<String>());
            }
        }
        FileSection::Crossings => write_crossings(board, &mut line)?,
        FileSection::Bridges => write_bridges(board, marks, &mut line),
        FileSection::Grid { cells, outside, places } => {
            write_grid(cells, outside.as_ref(), places, board, marks, &mut line)?;
        }
    }
    Ok(())
}

/// Returns the number of borders between two cells.
fn num_inner_borders(board: &GridBoard) -> i32 {
    (2 * board.rows * board.columns - board.rows - board.columns) as i32
}

/// Sets a flag that the links of the type have.
fn add_flag(board: &mut GridBoard, flag: &str, word: &FileWord, link: Option<&Link>) -> Result<(), SpanError> {
    if let Some(rules) = link.and_then(|link| link.unsupported_flag(flag)) {
        let colon = if rules.is_empty() { "" } else { ": " };
        return Err((
            format!("`{}` is not supported; it selects other rules{colon}{rules}", word.text),
            word.range.clone(),
        ));
    }
    board.header.insert(("flag".to_owned(), vec![Clue::text(flag)]));
    Ok(())
}

fn read_line(
    words: &[(String, Option<String>)],
    file: &mut FileText,
    board: &mut GridBoard,
    link: Option<&Link>,
) -> Result<(), SpanError> {
    let known: Vec<&str> = words.iter().map(|(word, _)| &**word).filter(|word| !word.is_empty()).collect();
    let expected = known.join(" or ");
    let line = file.line(&expected)?.to_vec();
    let text = line.first().map_or("", |word| &word.text);
    match (words.iter().find(|(word, _)| word == text), line.first()) {
        (Some((_, Some(flag))), Some(word)) => add_flag(board, flag, word, link),
        (Some(_), _) => Ok(()),
        (None, Some(word)) => Err((format!("expected {expected}, found `{text}`"), word.range.clone())),
        (None, None) => file.word(&expected).map(drop),
    }
}

fn read_bank(file: &mut FileText, board: &mut GridBoard) -> Result<(), SpanError> {
    let first = file.word("the letter of a set of pieces, or the number of pieces")?;
    let Ok(count) = first.text.parse::<i32>() else {
        board.header.insert(("bank".to_owned(), vec![Clue::text(&first.text)]));
        return Ok(());
    };
    for number in 1..=count {
        let piece = file.word("a piece")?;
        board.header.insert(("bank".to_owned(), vec![Clue::Number(number), Clue::Text(piece.text)]));
    }
    Ok(())
}

fn read_rooms(file: &mut FileText, board: &mut GridBoard) -> Result<(), SpanError> {
    let count = file.number("the number of rooms")?;
    let mut names = ClueGrid::new();
    let mut first = None;
    for row in 1..=board.rows {
        for (column, word) in (1..).zip(file.row(board.columns, false)?) {
            let number = word.text.parse().ok().filter(|number| (0..count).contains(number));
            let wrong = || (format!("expected a room, 0 to {}, found `{}`", count - 1, word.text), word.range.clone());
            names.insert((row, column), Clue::Number(number.ok_or_else(wrong)?));
            first.get_or_insert(word.range);
        }
    }
    let found = names.values().collect::<BTreeSet<_>>().len();
    if let Some(first) = first.filter(|_| found as i32 != count) {
        return Err((format!("expected {count} rooms, as the line before says, found {found}"), first));
    }
    board.walls.clear();
    let pairs = board.cells().flat_map(|cell| board.neighbours(cell).map(move |other| (cell, other)));
    let walls = pairs.filter(|(cell, other)| cell < other && names.get(cell) != names.get(other)).collect();
    board.walls = walls;
    board.areas = board.enclosed_areas();
    Ok(())
}

/// The words of the first row and column are sums; the others are cells with two sums.
fn read_crossings(file: &mut FileText, board: &mut GridBoard, ranges: &mut ClueRanges) -> Result<(), SpanError> {
    (board.rows, board.columns) = (board.rows + 1, board.columns + 1);
    let sum = |text: &str| match text {
        "-1" | "." => Some(None),
        _ => text.parse().ok().filter(|sum: &i32| *sum >= 0).map(Some),
    };
    for row in 1..=board.rows {
        for (column, word) in (1..).zip(file.row(board.columns, false)?) {
            let wrong = || (format!("`{}` is not a sum", word.text), word.range.clone());
            let clue = match (row, column) {
                (1, 1) => codecs::join_crossed(None, None),
                (1, _) => codecs::join_crossed(sum(&word.text).ok_or_else(wrong)?, None),
                (_, 1) => codecs::join_crossed(None, sum(&word.text).ok_or_else(wrong)?),
                _ if word.text == "." => continue,
                _ => {
                    let (across, down) = word.text.split_once(',').ok_or_else(wrong)?;
                    codecs::join_crossed(sum(down).ok_or_else(wrong)?, sum(across).ok_or_else(wrong)?)
                }
            };
            board.signs.insert((row, column), clue);
            ranges.insert(ClueLocation::Cell((row, column)), word.range);
        }
    }
    Ok(())
}

fn write_crossings(board: &GridBoard, line: &mut impl FnMut(&str)) -> Result<(), String> {
    let word_of = |sum: Option<i32>| sum.map_or("-1".to_owned(), |sum| sum.to_string());
    for row in 1..=board.rows {
        let mut words = String::new();
        for column in 1..=board.columns {
            let sign = board.signs.get(&(row, column));
            let sums = sign.map(|sign| codecs::split_crossed(sign).ok_or_else(|| format!("`{sign}`"))).transpose()?;
            words += &match ((row, column), sums) {
                ((1, 1), _) => "0".to_owned(),
                ((1, _), sums) => word_of(sums.and_then(|sums| sums.0)),
                ((_, 1), sums) => word_of(sums.and_then(|sums| sums.1)),
                (_, Some((down, across))) => format!("{},{}", word_of(across), word_of(down)),
                (_, None) => ".".to_owned(),
            };
            words.push(' ');
        }
        line(&words);
    }
    Ok(())
}

/// Returns the islands that the borders to the right of and below each island lead to, with these
/// borders.
fn island_pairs(board: &GridBoard) -> Vec<(Vec<usize>, Vec<Vec<usize>>)> {
    let mut pairs = Vec::new();
    for &(row, column) in board.signs.keys() {
        for (down, right) in [(0, 1), (1, 0)] {
            let mut borders = Vec::new();
            let (mut y, mut x) = (row, column);
            while y + down <= board.rows && x + right <= board.columns {
                borders.push(vec![y, x, y + down, x + right]);
                (y, x) = (y + down, x + right);
                if board.signs.contains_key(&(y, x)) {
                    pairs.push((vec![row, column, y, x], borders));
                    break;
                }
            }
        }
    }
    pairs
}

fn read_bridges(file: &mut FileText, board: &mut GridBoard) -> Result<(), SpanError> {
    let mut counts = BTreeMap::new();
    for places in FilePlaces::Edges.rows(board, None) {
        for (word, place) in file.row(places.len(), false)?.into_iter().zip(places) {
            let count = word.text.parse().ok().filter(|count: &i32| (-1..=2).contains(count));
            let count = count.ok_or_else(|| (format!("`{}` is not a number of bridges", word.text), word.range))?;
            counts.insert(place.mark, count);
        }
    }
    for (islands, borders) in island_pairs(board) {
        let count = borders.iter().map(|border| counts[border]).max().unwrap_or(0);
        let [row, column, other_row, other_column] = islands[..] else { continue };
        let between = format!("{row},{column},{other_row},{other_column}");
        let literal = match count {
            0 => continue,
            -1 => format!("not bridge(1,{between})"),
            count => format!("bridge({count},{between})"),
        };
        board.player_marks.insert(islands, literal);
    }
    Ok(())
}

fn write_bridges(board: &GridBoard, marks: &FileMarks<'_>, line: &mut impl FnMut(&str)) {
    let mut counts = BTreeMap::new();
    for (islands, borders) in island_pairs(board) {
        let between = islands.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let is_mark = |literal: String| match marks {
            FileMarks::Player => board.player_marks.get(&islands) == Some(&literal),
            FileMarks::Solution(atoms) => atoms.contains(&literal),
        };
        let words = [
            ("1", [format!("bridge(1,{between})"), format!("bridges({between},1)")]),
            ("2", [format!("bridge(2,{between})"), format!("bridges({between},2)")]),
            ("-1", [format!("not bridge(1,{between})"), String::new()]),
        ];
        let word = words.into_iter().find(|(_, literals)| literals.iter().cloned().any(&is_mark));
        counts.extend(borders.into_iter().filter_map(|border| Some((border, word.as_ref()?.0))));
    }
    for places in FilePlaces::Edges.rows(board, None) {
        let words = places.iter().map(|place| counts.get(&place.mark).copied().unwrap_or("0"));
        line(&words.map(|word| format!("{word} ")).collect::<String>());
    }
}

fn read_grid(
    cells: &WordTable,
    outside: Option<&WordTable>,
    places: &FilePlaces,
    file: &mut FileText,
    board: &mut GridBoard,
    ranges: &mut ClueRanges,
) -> Result<(), SpanError> {
    for row in places.rows(board, None) {
        for (word, place) in file.row(row.len(), places.is_dense())?.into_iter().zip(row) {
            let table = if place.is_outside { outside } else { Some(cells) };
            // The words of corners between two sides have no meaning, and neither have outer borders.
            let Some(table) = table.filter(|_| !(place.is_outside && place.clue.is_none())) else { continue };
            let content = table.read(&word.text, &place.mark).ok_or_else(|| {
                (
                    format!(
                        "`{}` is not supported here: it is no word of this section",
                        base::words::preview(&word.text)
                    ),
                    word.range.clone(),
                )
            })?;
            apply(content, &place, &word, board, ranges)?;
        }
    }
    match places {
        FilePlaces::Lists(sides) => sides.iter().for_each(|&side| close_gaps(&mut board.around[side])),
        FilePlaces::Pairs(sides) => sides.iter().for_each(|&side| split_pairs(&mut board.around[side])),
        _ => {}
    }
    Ok(())
}

/// Adds the meaning of a word to the board.
fn apply(
    content: WordContent,
    place: &FilePlace,
    word: &FileWord,
    board: &mut GridBoard,
    ranges: &mut ClueRanges,
) -> Result<(), SpanError> {
    let cannot = || (format!("`{}` is not supported here", word.text), word.range.clone());
    if let Some(sign) = &content.sign {
        let clue = Clue::text(sign);
        match place.clue.clone().ok_or_else(cannot)? {
            ClueLocation::Cell(cell) => drop(board.signs.insert(cell, clue)),
            ClueLocation::Named(name, at) => drop(named_grid(board, &name).insert(at, clue)),
            _ => return Err(cannot()),
        }
        ranges.extend(place.clue.clone().map(|clue| (clue, word.range.clone())));
    }
    if content.is_special {
        match (place.wall, &place.clue, &place.mark[..]) {
            (Some(wall), _, _) => drop(board.walls.insert(wall)),
            (None, Some(ClueLocation::Cell(cell)), _) => {
                board.grids.entry("shade".to_owned()).or_default().insert(*cell, Clue::text("#"));
            }
            (None, _, &[row, column]) => drop(board.signs.insert((row, column), Clue::text("#"))),
            _ => return Err(cannot()),
        }
    }
    if let (true, &[row, column]) = (content.is_alone, &place.mark[..]) {
        let cell = (row, column);
        board.walls.extend(board.neighbours(cell).map(|other| (cell.min(other), cell.max(other))));
    }
    let is_given = match place.mark[..] {
        [row, column] => board.signs.contains_key(&(row, column)),
        [row, column, other_row, other_column] => {
            let hole = Clue::text("#");
            [(row, column), (other_row, other_column)].iter().any(|cell| board.signs.get(cell) == Some(&hole))
        }
        _ => false,
    };
    if let Some(literal) = content.literal.filter(|_| !(content.is_open && is_given)) {
        ranges.insert(ClueLocation::Mark(place.mark.clone()), word.range.clone());
        board.player_marks.insert(place.mark.clone(), literal);
    }
    Ok(())
}

/// Moves the number of each gate, as in `:4`, to the black cells at its ends. The smallest one counts.
fn number_gates(board: &mut GridBoard) {
    let gates = board.signs.iter().filter_map(|(&cell, sign)| {
        let sign = sign.to_string();
        let (kind, number) = sign.split_at_checked(1)?;
        Some((cell, kind.to_owned(), number.parse::<i32>().ok().filter(|_| matches!(kind, ":" | "="))?))
    });
    for (cell, kind, number) in gates.collect::<Vec<_>>() {
        board.signs.insert(cell, Clue::text(&kind));
        let is_gate = |sign: &Clue| sign.to_string().starts_with(&kind);
        let (down, right) = if kind == ":" { (1, 0) } else { (0, 1) };
        for sign in [1, -1] {
            let step = |(row, column): Cell| {
                Some((row.checked_add_signed(sign * down)?, column.checked_add_signed(sign * right)?))
            };
            let mut end = step(cell);
            while end.is_some_and(|end| board.signs.get(&end).is_some_and(is_gate)) {
                end = end.and_then(step);
            }
            let Some(end) = end else { continue };
            match board.signs.get(&end) {
                Some(Clue::Number(other)) if *other <= number => {}
                Some(Clue::Number(_)) => drop(board.signs.insert(end, Clue::Number(number))),
                Some(black) if *black == Clue::text("#") => drop(board.signs.insert(end, Clue::Number(number))),
                _ => {}
            }
        }
    }
}

fn named_grid<'a>(board: &'a mut GridBoard, name: &str) -> &'a mut ClueGrid {
    match SIDES.iter().position(|side| *side == name) {
        Some(side) => &mut board.around[side],
        None => board.grids.entry(name.to_owned()).or_default(),
    }
}

/// Numbers the clues of each line from 1.
fn close_gaps(side: &mut ClueGrid) {
    let mut lengths = BTreeMap::<usize, usize>::new();
    let clues = std::mem::take(side).into_iter().map(|((line, _), clue)| {
        let index = lengths.entry(line).or_default();
        *index += 1;
        ((line, *index), clue)
    });
    *side = clues.collect();
}

/// Splits each clue such as `B,2` into two.
fn split_pairs(side: &mut ClueGrid) {
    for ((line, _), clue) in std::mem::take(side) {
        let text = clue.to_string();
        side.extend((1..).map(|index| (line, index)).zip(text.split(',').map(Clue::text)));
    }
}

fn join_pairs(side: &ClueGrid) -> ClueGrid {
    let mut joined = BTreeMap::<usize, Vec<String>>::new();
    for ((line, _), clue) in side {
        joined.entry(*line).or_default().push(clue.to_string());
    }
    joined.into_iter().map(|(line, clues)| ((line, 1), Clue::Text(clues.join(",")))).collect()
}

fn write_grid(
    cells: &WordTable,
    outside: Option<&WordTable>,
    places: &FilePlaces,
    board: &GridBoard,
    marks: &FileMarks<'_>,
    line: &mut impl FnMut(&str),
) -> Result<(), String> {
    let around = match places {
        FilePlaces::Pairs(_) => board.around.each_ref().map(join_pairs),
        _ => board.around.clone(),
    };
    let separator = if places.is_dense() { "" } else { " " };
    for row in places.rows(board, Some(&around)) {
        let mut words = String::new();
        for place in row {
            let sign = place.clue.as_ref().and_then(|clue| match clue {
                ClueLocation::Cell(cell) => board.signs.get(cell),
                ClueLocation::Named(name, at) => match SIDES.iter().position(|side| side == name) {
                    Some(side) => around[side].get(at),
                    None => board.grids.get(name).and_then(|grid| grid.get(at)),
                },
                _ => None,
            });
            let table = if place.is_outside { outside } else { Some(cells) };
            let sign = sign.filter(|_| !places_only_marks(table)).map(Clue::to_string);
            let is_special = table.is_some_and(|table| table.has_special()) && is_special_at(board, &place);
            let word = match table {
                Some(table) => table.write(sign.as_deref(), is_special, &place.mark, (board, marks)),
                None => Some(places.empty_word().to_owned()),
            };
            words += &word.ok_or_else(|| format!("`{}`", sign.unwrap_or_else(|| "a wall or hole".to_owned())))?;
            words += separator;
        }
        line(&words);
    }
    Ok(())
}

/// Returns true if a table has no clues, so that those of the board are left to other sections.
fn places_only_marks(table: Option<&WordTable>) -> bool {
    table.is_some_and(|table| !table.has_clues())
}

fn is_special_at(board: &GridBoard, place: &FilePlace) -> bool {
    match (place.wall, &place.clue, &place.mark[..]) {
        (Some(wall), _, _) => board.walls.contains(&wall),
        (None, Some(ClueLocation::Cell(cell)), _) => {
            board.grids.get("shade").is_some_and(|grid| grid.contains_key(cell))
        }
        (None, _, &[row, column]) => board.signs.contains_key(&(row, column)),
        _ => false,
    }
}
