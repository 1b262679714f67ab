//! Header lines with cells, such as cages and thermometers, and how they are drawn.
//!
//! ```text
//! % Penpa      line cage = killercages value     a list of cells; a number in a corner of the first one
//! %            line even = square_L 3            a symbol in the only cell
//! %            line white = pair circle_SS 1     a symbol between the two cells
//! %            line region = surface 3           a colour of all cells, which are connected
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::board::{Cell, Clue, GridBoard};
use super::super::super::header::Header;
use super::drawing::{DrawnElements, Lettering, centre};
use super::look::{Look, SignLooks, look};
use super::points::DrawnPlace;
use super::reading::{beside, not_read};

/// The quarter of a cell that has the value of a cage.
pub const VALUE_QUARTER: u8 = 0;

/// The kind of a header line's drawing.
pub enum LineKind {
    /// A list of cells in a layer, and true if a value is in a corner of the first cell.
    List(String, bool),
    Cell(Look),
    Pair(Look),
    Surface(i64),
}

pub fn kind(words: &str) -> Option<LineKind> {
    const LISTS: [&str; 6] = ["killercages", "thermo", "nobulbthermo", "arrows", "direction", "squareframe"];
    match words.split_once(' ') {
        Some((list, "value")) if LISTS.contains(&list) => Some(LineKind::List(list.to_owned(), true)),
        None if LISTS.contains(&words) => Some(LineKind::List(words.to_owned(), false)),
        Some(("pair", symbol)) => Some(LineKind::Pair(look(symbol)?)),
        Some(("surface", color)) => Some(LineKind::Surface(color.parse().ok()?)),
        _ => Some(LineKind::Cell(look(words)?)),
    }
}

/// The word of a header line for a cell.
fn word((row, column): Cell) -> Clue {
    Clue::Text(format!("r{row}c{column}"))
}

/// Reads header lines of a drawing. What they mean is removed from the drawing.
pub fn take_lines(
    drawing: &mut DrawnElements,
    board: &mut GridBoard,
    looks: &SignLooks,
    mentioned: &str,
) -> Result<(), String> {
    let kinds: Vec<(&str, LineKind)> =
        looks.lines.iter().filter_map(|(name, words)| Some((name.as_str(), kind(words)?))).collect();
    take_lists(drawing, board, &kinds, mentioned)?;
    let on_board =
        |(y, x): DrawnPlace| (1..2 * drawing.size.0 as i64).contains(&y) && (1..2 * drawing.size.1 as i64).contains(&x);
    let mut areas = BTreeMap::<(&str, i64), BTreeSet<Cell>>::new();
    for (&position, spot) in drawing.spots.iter_mut().filter(|(position, _)| on_board(**position)) {
        let is_cell = position.0 % 2 == 1 && position.1 % 2 == 1;
        let is_side = (position.0 + position.1) % 2 == 1;
        let cell = ((position.0 as usize).div_ceil(2), (position.1 as usize).div_ceil(2));
        spot.looks.retain(|seen| {
            let words = kinds.iter().find_map(|(name, kind)| match kind {
                LineKind::Cell(look) if is_cell && look.resembles(seen) => Some((*name, vec![word(cell)])),
                LineKind::Pair(look) if is_side && look.resembles(seen) => {
                    let (one, other) = beside(position);
                    Some((*name, vec![word(one), word(other)]))
                }
                LineKind::Surface(_) => match seen {
                    Look::Surface(color) if is_cell => {
                        areas.entry((name, *color)).or_default().insert(cell);
                        Some((*name, Vec::new()))
                    }
                    _ => None,
                },
                _ => None,
            });
            if let Some((name, words)) = &words
                && !words.is_empty()
            {
                board.header.insert(((*name).to_owned(), words.clone()));
            }
            words.is_none()
        });
    }
    drawing.spots.retain(|_, spot| !spot.looks.is_empty() || !spot.letters.is_empty());
    for ((name, _), mut cells) in areas {
        while let Some(&first) = cells.first() {
            let mut open = vec![first];
            let mut part = BTreeSet::new();
            while let Some(cell) = open.pop() {
                if cells.remove(&cell) {
                    part.insert(cell);
                    open.extend(board.neighbours(cell));
                }
            }
            board.header.insert((name.to_owned(), part.into_iter().map(word).collect()));
        }
    }
    Ok(())
}

fn take_lists(
    drawing: &mut DrawnElements,
    board: &mut GridBoard,
    kinds: &[(&str, LineKind)],
    mentioned: &str,
) -> Result<(), String> {
    for (layer, positions) in std::mem::take(&mut drawing.lists) {
        let of_layer = kinds.iter().filter_map(|(name, kind)| match kind {
            LineKind::List(known, has_value) if *known == layer => Some((*name, *has_value)),
            _ => None,
        });
        let candidates: Vec<(&str, bool)> = of_layer.collect();
        let named = candidates.iter().filter(|(name, _)| mentioned.contains(name));
        let (name, has_value) = match (&candidates[..], &named.collect::<Vec<_>>()[..]) {
            ([only], _) => *only,
            (_, [only]) => **only,
            ([], _) => return Err(format!("`{layer}` is not supported: it may change the rules")),
            _ => {
                let names: Vec<&str> = candidates.iter().map(|(name, _)| *name).collect();
                return Err(format!("`{layer}` can mean {}: the title should name one of them", names.join(" or ")));
            }
        };
        let mut words = Vec::new();
        let cell = |&(y, x): &DrawnPlace| ((y + 1) as usize / 2, (x + 1) as usize / 2);
        let is_on_board = |&(y, x): &DrawnPlace| {
            (1..=2 * drawing.size.0 as i64).contains(&y) && (1..=2 * drawing.size.1 as i64).contains(&x)
        };
        if let Some(outside) = positions.iter().find(|position| !is_on_board(position)) {
            return Err(not_read(&format!("a cell of `{layer}`"), *outside));
        }
        if has_value {
            // The value is in the corner of the first cell in reading order.
            let value = positions.iter().min().and_then(|first| take_value(drawing, *first));
            words.push(value.map_or(Clue::text("?"), |value| Clue::text(&value)));
        }
        words.extend(positions.iter().map(|position| word(cell(position))));
        board.header.insert((name.to_owned(), words));
    }
    Ok(())
}

/// Removes the text in the first quarter of a cell.
fn take_value(drawing: &mut DrawnElements, position: DrawnPlace) -> Option<String> {
    let spot = drawing.spots.get_mut(&position)?;
    let at =
        spot.letters.iter().position(|it| matches!(it, Lettering::Quarter(VALUE_QUARTER, text) if !text.is_empty()))?;
    match spot.letters.remove(at) {
        Lettering::Quarter(_, text) => Some(text),
        _ => None,
    }
}

/// Reads the diagonals of a board as variants.
pub fn take_diagonals(drawing: &mut DrawnElements, board: &mut GridBoard, variants: &[&str]) -> Result<(), String> {
    let diagonals = std::mem::take(&mut drawing.diagonals);
    let (rows, columns) = (drawing.size.0 as i64, drawing.size.1 as i64);
    let whole = |is_down: bool| -> BTreeSet<(DrawnPlace, DrawnPlace)> {
        let corner = |at: i64| (2 * at, if is_down { 2 * at } else { 2 * (columns - at) });
        (0..rows).map(|at| (corner(at), corner(at + 1))).collect()
    };
    let mut found = Vec::new();
    let mut rest = diagonals;
    for (is_down, name) in [(true, "diagonal_down"), (false, "diagonal_up")] {
        let line = whole(is_down);
        if rows == columns && variants.contains(&name) && line.is_subset(&rest) {
            rest = rest.difference(&line).copied().collect();
            found.push(name);
        }
    }
    if let Some((from, _)) = rest.first() {
        return Err(not_read("a diagonal line", *from));
    }
    let name = match found[..] {
        [] => return Ok(()),
        [only] => only,
        _ => "diagonal",
    };
    // The rules may state it, too.
    let mut stated = board.header.iter().filter(|(name, _)| name == "variant").flat_map(|(_, words)| words);
    if !stated.any(|word| word.to_string().starts_with("diagonal")) {
        board.header.insert(("variant".to_owned(), vec![Clue::text(name)]));
    }
    Ok(())
}

/// Reads the lines `name: words` of the rules that name an input of the puzzle.
pub fn read_rules(board: &mut GridBoard, rules: &str, headers: &[&Header]) {
    for line in rules.split('\n') {
        let Some((name, words)) = line.trim().split_once(": ") else { continue };
        let is_input = headers.iter().any(|header| header.inputs().contains(&name));
        if is_input || ["flag", "variant"].contains(&name) {
            board.header.insert((name.to_owned(), words.split_whitespace().map(Clue::text).collect()));
        }
    }
}

/// Returns a header line as drawings show it: some have no order of cells, and single symbols do not
/// belong together.
pub fn as_drawn((name, mut words): (String, Vec<Clue>), looks: &SignLooks) -> Vec<(String, Vec<Clue>)> {
    let line = looks.lines.iter().find(|(known, _)| *known == name);
    match line.and_then(|(_, words)| kind(words)) {
        Some(LineKind::Pair(_) | LineKind::Surface(_)) => words.sort_by_key(Clue::cell),
        Some(LineKind::Cell(_)) => return words.into_iter().map(|word| (name.clone(), vec![word])).collect(),
        _ => {}
    }
    vec![(name, words)]
}

/// Returns true if a header line is drawn, and not written under the rules.
pub fn is_drawn(name: &str, looks: &SignLooks) -> bool {
    ["stars", "letters"].contains(&name) || looks.lines.iter().any(|(known, _)| known == name)
}

/// The position of the symbol between two adjacent cells.
pub fn between(one: Cell, other: Cell) -> Option<DrawnPlace> {
    let ((y, x), (v, u)) = (centre(one), centre(other));
    ((y - v).abs() + (x - u).abs() == 2).then_some(((y + v) / 2, (x + u) / 2))
}
