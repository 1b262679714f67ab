//! Save files of sgt-puzzles, Simon Tatham's Portable Puzzle Collection: the id of a board, and the
//! player's moves.
//!
//! ```text
//!   SAVEFILE:41:Simon Tatham's Portable Puzzle Collection
//!   GAME    :4:Solo
//!   PARAMS  :3:3x3
//!   DESC    :57:a6c5b3_4c1c2a…
//!   STATEPOS:1:2                       number of moves made, plus one
//!   MOVE    :6:R3,0,7
//! ```
//!
//! The header of a puzzle file defines its moves, with a line for each argument order: `Marks  X,Y:
//! R = number(Y,X,N), E =, P` defines letters before a column and a row, both from 0, and an
//! optional number. An empty right side clears the place, as the number 0 does. `again`, as in `L
//! again = bulb(Y,X)`, removes the mark if it is present. A letter without an equals sign does not
//! affect the board. Letters that the header does not define are reported as unread.
//!
//! | argument order | move |
//! |---|---|
//! | `X,Y`, `Y,X` | a cell and an optional number |
//! | `X,Y,W,H` | all cells of a rectangle |
//! | `I,N` | cells by their indices in reading order, and a number for all |
//! | `X,Y,X',Y',N` | two cells and an optional number |
//! | `X,Y above`, `X,Y left` | a cell and the one above it, or left of it |
//! | `X,Y,W,H border`, `X,Y,W,H inside` | clears the pairs of cells inside a rectangle, and with `border` marks those at its border |
//! | `RULD,X,Y`, `X,Y,URDLurdl` | a cell and its neighbours, with a bit for each side in this order; small letters mark the opposite |
//! | `2X,2Y` | a cell, or the two cells at an edge: the centre of the first cell is 1,1 |
//! | `2X,2Y,X',Y'` | a cell, and a centre of point symmetry: the opposite cell gets the same mark |
//! | `E` | the corners at the ends of an edge, whose number precedes the letter |

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base::diagnostic::{Code, Diagnostic, Place};
use base::document::Document;

/// The move that removes all marks.
const RESTART: &str = "RESTART";
/// The move that records that sgt-puzzles has solved the board.
const SOLVE: &str = "SOLVE";

/// The other keys of a save file. (`PRIVDESC`, the private description of the board, occurs only in
/// Minesweeper.)
const KEYS: [&str; 12] = [
    "SAVEFILE", "VERSION", "GAME", "PARAMS", "CPARAMS", "SEED", "DESC", "PRIVDESC", "UI", "TIME", "NSTATES", "STATEPOS",
];

/// An error in a save file, with its byte range.
type ReadError = (&'static str, Range<usize>);

/// The content of a save file.
pub struct SavedGame {
    /// The name of the game in lower case, without blanks
    pub game: String,
    pub id: String,
    /// Byte offsets in the file of the two parts of the id: parameters and board
    begins: [usize; 2],
    moves: Vec<String>,
}

impl SavedGame {
    /// Reads the fields `KEY     :length:value`; values may contain any bytes. Returns `None` if
    /// the text is not a save file.
    pub fn read(text: &str) -> Option<Result<SavedGame, ReadError>> {
        let begin = text.len() - text.trim_start().len();
        text[begin..].starts_with("SAVEFILE:").then(|| SavedGame::fields(text, begin))
    }

    /// Reads a document as a saved game. Returns `None` if it is not a save file.
    pub fn of(document: &Document) -> Result<Option<SavedGame>, Diagnostic> {
        let wrong = |(what, range): ReadError| {
            Diagnostic::error(Code::InvalidInstance, what).at(Some(Place::of_range(
                &document.name,
                &document.text,
                range,
            )))
        };
        SavedGame::read(&document.text).transpose().map_err(wrong)
    }

    fn fields(text: &str, mut at: usize) -> Result<SavedGame, ReadError> {
        let mut fields = BTreeMap::<&str, &str>::new();
        let mut moves = Vec::new();
        while at < text.len() {
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
            let cut_off = ("the saved game is cut off in this line", at..end);
            let mut parts = text[at..].splitn(3, ':');
            let (key, length) = parts.next().zip(parts.next()).ok_or_else(|| cut_off.clone())?;
            let length = length.parse().map_err(|_| cut_off.clone())?;
            let value = parts.next().and_then(|behind| behind.get(..length)).ok_or(cut_off)?;
            match key.trim() {
                "MOVE" => moves.push(value.to_owned()),
                "SOLVE" => moves.push(SOLVE.to_owned()),
                "RESTART" => moves.push(RESTART.to_owned()),
                key if !KEYS.contains(&key) => return Err(("unknown key in the saved game", at..end)),
                key if fields.insert(key, value).is_some() => {
                    return Err(("duplicate key in the saved game", at..end));
                }
                _ => {}
            }
            at = value.as_ptr() as usize - text.as_ptr() as usize + length;
            at = text.len() - text[at..].trim_start().len();
        }
        let end = || text.trim_end().len()..text.trim_end().len();
        let field =
            |key: &str| fields.get(key).copied().ok_or(("the saved game is cut off: fields are missing", end()));
        let number =
            |key: &str| field(key)?.parse::<usize>().map_err(|_| ("the saved game has no number of moves", end()));
        let game = field("GAME")?.chars().filter(|sign| !sign.is_whitespace()).collect::<String>();
        let (parameters, board) = (field("PARAMS")?, field("DESC")?);
        let begins = [parameters, board].map(|part| part.as_ptr() as usize - text.as_ptr() as usize);
        if number("NSTATES")? > moves.len() + 1 {
            return Err(("the saved game is cut off: moves are missing", end()));
        }
        moves.truncate(number("STATEPOS")?.max(1) - 1);
        Ok(SavedGame { game: game.to_ascii_lowercase(), id: format!("{parameters}:{board}"), begins, moves })
    }

    /// Converts a place in the id to a place in the file.
    pub fn place_in(&self, document: &Document, place: &Place) -> Place {
        let colon = self.id.find(':').expect("an id has one");
        let in_file = |at: usize| match at.checked_sub(colon + 1) {
            Some(at) => self.begins[1] + at,
            None => self.begins[0] + at,
        };
        let Range { start, end } = place.range_in(&self.id);
        Place::of_range(&document.name, &document.text, in_file(start)..in_file(end).max(in_file(start)))
    }

    /// Returns the name of the game with its parameters: `palisade:5x5n4`.
    pub fn game_with_parameters(&self) -> String {
        format!("{}:{}", self.game, self.id.split(':').next().unwrap_or_default())
    }

    /// Returns the letters and the numbers of each move. A line may contain several moves:
    /// `T3,0;N1,2`, `B,3,0W,1,2` or, with the numbers first, `12y13n`.
    pub fn move_parts(&self) -> impl Iterator<Item = (&str, Vec<usize>)> {
        let is_number = |sign: char| sign.is_ascii_digit() || matches!(sign, ',' | '_' | '-' | ' ');
        self.moves.iter().flat_map(move |made| {
            let numbers_first = made.starts_with(is_number) && made.ends_with(|sign: char| sign.is_ascii_alphabetic());
            let mut rest = made.as_str();
            std::iter::from_fn(move || {
                rest = rest.trim_start_matches([';', ' ']);
                let mut take = |of_number: bool| {
                    let is_other = |sign: char| is_number(sign) != of_number || sign == ';';
                    let (taken, behind) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
                    rest = behind;
                    taken
                };
                let (one, other) = (take(numbers_first), take(!numbers_first));
                let (letters, numbers) = if numbers_first { (other, one) } else { (one, other) };
                let numbers = numbers.split(|sign: char| !sign.is_ascii_digit()).filter(|number| !number.is_empty());
                // A number that is too large becomes one that is outside every board.
                let part = (letters, numbers.map(|number| number.parse().unwrap_or(usize::MAX)).collect());
                (!one.is_empty() || !other.is_empty()).then_some(part)
            })
        })
    }

    /// Returns the player's marks after all moves; the lines of a header define the moves.
    pub fn marks(&self, header: &[String]) -> Marks {
        let meanings: Vec<Meaning<'_>> = header.iter().flat_map(|line| Meaning::of_line(line)).collect();
        let mut size = self.id.split([':', 'x']).map_while(|number| number.parse().ok());
        let columns = size.next().unwrap_or(1).max(1);
        let size = [columns, size.next().unwrap_or(columns)];
        let mut marks = BTreeMap::<Vec<usize>, Mark<'_>>::new();
        let mut unread = BTreeSet::new();
        for (letter, numbers) in self.move_parts() {
            if letter == RESTART {
                marks.clear();
                continue;
            }
            let Some(meaning) = meanings.iter().find(|meaning| meaning.letter == letter) else {
                unread.insert(letter.to_owned());
                continue;
            };
            let Some(literal) = meaning.literal else { continue };
            let Some(targets) = targets(meaning.order, &numbers, size) else {
                unread.insert(letter.to_owned());
                continue;
            };
            for target in targets {
                let before = marks.remove(&target.cells);
                let is_same = |mark: &Mark<'_>| mark.literal == literal && mark.target == target;
                let is_removed = meaning.is_again && before.as_ref().is_some_and(is_same);
                let opposite = [before.and_then(|before| before.target.opposite()), target.opposite()];
                for cells in opposite.iter().flatten() {
                    marks.remove(cells);
                }
                if !literal.is_empty() && target.number != Some(0) && !target.is_cleared && !is_removed {
                    if let Some(cells) = target.opposite() {
                        marks.insert(cells.clone(), Mark { literal, target: Target { cells, ..target.clone() } });
                    }
                    marks.insert(target.cells.clone(), Mark { literal, target });
                }
            }
        }
        let literals = marks.into_iter().map(|(cells, mark)| (cells, mark.text())).collect();
        Marks { literals, unread }
    }
}

/// The marks of a player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The literals, by the row and column (from 1) of each cell
    pub literals: BTreeMap<Vec<usize>, String>,
    /// Letters of moves that the header does not define, or whose numbers do not fit the definition
    pub unread: BTreeSet<String>,
}

/// The definition of a move, by its letter.
struct Meaning<'a> {
    order: &'a str,
    letter: &'a str,
    is_again: bool,
    /// `None` if the letter does not affect the board
    literal: Option<&'a str>,
}

impl Meaning<'_> {
    fn of_line(line: &str) -> impl Iterator<Item = Meaning<'_>> {
        let (order, meanings) = line.split_once(':').unwrap_or_default();
        meanings.split(", ").map(move |meaning| {
            let (letter, literal) = match meaning.split_once(" =") {
                Some((letter, literal)) => (letter.trim(), Some(literal.trim())),
                None => (meaning.trim(), None),
            };
            let again = letter.strip_suffix(" again");
            Meaning { order, letter: again.unwrap_or(letter), is_again: again.is_some(), literal }
        })
    }
}

/// The cells that a move marks, and the details of the mark.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Target {
    /// Row and column, from 1, of a cell or of two cells
    cells: Vec<usize>,
    number: Option<usize>,
    /// Row and column of a centre of point symmetry, in half cells: the centre of the first cell is
    /// 1,1. The opposite cell has the same mark
    center: Option<[usize; 2]>,
    /// The mark is negated
    is_negated: bool,
    is_cleared: bool,
}

struct Mark<'a> {
    literal: &'a str,
    target: Target,
}

impl Target {
    fn at(cells: Vec<usize>) -> Target {
        Target { cells, ..Target::default() }
    }

    fn opposite(&self) -> Option<Vec<usize>> {
        let [y, x] = self.center?;
        Some(vec![(y + 1).checked_sub(self.cells[0])?, (x + 1).checked_sub(self.cells[1])?])
    }
}

impl Mark<'_> {
    fn text(&self) -> String {
        let Target { cells, number, center, is_negated, .. } = &self.target;
        let all: Vec<usize> = cells.iter().chain(center.iter().flatten()).copied().collect();
        let names = ["Y", "X", "Y'", "X'"].into_iter().zip(all).rev().chain([("N", number.unwrap_or(1))]);
        // Names with a prime are replaced first, because they contain the names without.
        let fill = |text: String, (name, number): (&str, usize)| text.replace(name, &number.to_string());
        let text = names.fold(self.literal.to_owned(), fill);
        if *is_negated { format!("not {text}") } else { text }
    }
}

/// Returns the targets of a move, or `None` if the numbers do not fit the argument order.
fn targets(order: &str, numbers: &[usize], [columns, rows]: [usize; 2]) -> Option<Vec<Target>> {
    // The numbers of saved games are smaller.
    let most = if matches!(order, "I,N" | "E") { 1_000_000 } else { 1000 };
    if numbers.iter().any(|&number| number > most) {
        return None;
    }
    let cell = |x: usize, y: usize| vec![y + 1, x + 1];
    let pair = |one: Vec<usize>, other: Vec<usize>| {
        if one < other { Target::at([one, other].concat()) } else { Target::at([other, one].concat()) }
    };
    let sides = |names: &str, x: usize, y: usize, bits: usize| {
        // The upper and left sides are the lower and right sides of neighbours.
        let right_or_below =
            names.chars().enumerate().filter(|&(bit, _)| bits >> bit & 1 > 0).filter_map(|(_, side)| {
                let other = match side.to_ascii_uppercase() {
                    'R' => cell(x + 1, y),
                    'D' => cell(x, y + 1),
                    _ => return None,
                };
                Some(Target { is_negated: side.is_ascii_lowercase(), ..pair(cell(x, y), other) })
            });
        right_or_below.collect()
    };
    // A cell, or the two cells at an edge.
    let doubled = |x: usize, y: usize| match (x % 2, y % 2) {
        (1, 1) => Some(Target::at(cell(x / 2, y / 2))),
        (0, 1) => Some(pair(cell((x / 2).checked_sub(1)?, y / 2), cell(x / 2, y / 2))),
        (1, 0) => Some(pair(cell(x / 2, (y / 2).checked_sub(1)?), cell(x / 2, y / 2))),
        _ => None,
    };
    let area = |x: usize, y: usize, width: usize, height: usize| {
        (y..y + height).flat_map(move |y| (x..x + width).map(move |x| (x, y)))
    };
    Some(match (order, numbers) {
        ("X,Y,W,H", &[x, y, width, height]) => area(x, y, width, height).map(|(x, y)| Target::at(cell(x, y))).collect(),
        ("X,Y,W,H border" | "X,Y,W,H inside", &[x, y, width, height]) => {
            let is_in = |column, row| (x..x + width).contains(&column) && (y..y + height).contains(&row);
            let (above, left) = (y.saturating_sub(1), x.saturating_sub(1));
            let around = area(left, above, x + width - left, y + height - above);
            let pairs = around.flat_map(|(x, y)| [((x, y), (x + 1, y)), ((x, y), (x, y + 1))]);
            let target = |((x, y), (other_x, other_y))| {
                let is_cleared = is_in(x, y) && is_in(other_x, other_y);
                let is_marked = order.ends_with("border") && is_in(x, y) != is_in(other_x, other_y);
                let is_target = (is_cleared || is_marked) && other_x < columns && other_y < rows;
                is_target.then(|| Target { is_cleared, ..pair(cell(x, y), cell(other_x, other_y)) })
            };
            pairs.filter_map(target).collect()
        }
        ("I,N", [places @ .., number]) => {
            let at = |place: &usize| Target::at(cell(place % columns, place / columns));
            places.iter().map(|place| Target { number: Some(*number), ..at(place) }).collect()
        }
        ("Y,X", &[y, x, ..]) | ("X,Y", &[x, y, ..]) => {
            vec![Target { number: numbers.get(2).copied(), ..Target::at(cell(x, y)) }]
        }
        ("X,Y above", &[x, y]) => vec![pair(cell(x, y.checked_sub(1)?), cell(x, y))],
        ("X,Y left", &[x, y]) => vec![pair(cell(x.checked_sub(1)?, y), cell(x, y))],
        ("X,Y,X',Y',N", &[x, y, other_x, other_y, ..]) => {
            vec![Target { number: numbers.get(4).copied(), ..pair(cell(x, y), cell(other_x, other_y)) }]
        }
        ("RULD,X,Y", &[bits, x, y]) => sides("RULD", x, y, bits),
        ("X,Y,URDLurdl", &[x, y, bits]) => sides("URDLurdl", x, y, bits),
        ("2X,2Y", &[x, y]) => vec![doubled(x, y)?],
        ("2X,2Y,X',Y'", &[x, y, ref center @ ..]) => {
            let center = center.first_chunk().map(|&[x, y]| [y, x]);
            vec![Target { center, ..doubled(x, y)? }]
        }
        ("E", &[edge]) => vec![edge_of_squares(edge, columns)],
        _ => return None,
    })
}

/// Returns the corners at the ends of an edge. Edges are numbered cell by cell, clockwise from the
/// upper edge of each cell, without the edges of earlier cells.
///
/// ```text
///    +--0--+--4--+
///    3     1     5
///    +--2--+--6--+
///    9     7    10
///    +--8--+-11--+
/// ```
fn edge_of_squares(edge: usize, columns: usize) -> Target {
    let (first, other) = (3 * columns + 1, 2 * columns + 1);
    let (y, in_row, sides) = match edge.checked_sub(first) {
        None => (0, edge, "URDL"),
        Some(behind) => (1 + behind / other, behind % other, "RDL"),
    };
    // The first cell of a row also has its left edge.
    let edges_per_cell = sides.len() - 1;
    let x = in_row.saturating_sub(1) / edges_per_cell;
    let side = in_row - if x == 0 { 0 } else { x * edges_per_cell + 1 };
    let (top, left) = (y + 1, x + 1);
    Target::at(match sides.as_bytes()[side] {
        b'U' => vec![top, left, top, left + 1],
        b'R' => vec![top, left + 1, top + 1, left + 1],
        b'D' => vec![top + 1, left, top + 1, left + 1],
        _ => vec![top, left, top + 1, left],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The edges of the drawing in the documentation of [`edge_of_squares`], with one more row.
    #[test]
    fn edges_of_squares_are_numbered_cell_by_cell() {
        let [across, down] = [[0, 1], [1, 0]];
        let edges = [
            (1, 1, across),
            (1, 2, down),
            (2, 1, across),
            (1, 1, down),
            (1, 2, across),
            (1, 3, down),
            (2, 2, across),
            (2, 2, down),
            (3, 1, across),
            (2, 1, down),
            (2, 3, down),
            (3, 2, across),
            (3, 2, down),
        ];
        for (edge, (row, column, [down, right])) in edges.into_iter().enumerate() {
            assert_eq!(edge_of_squares(edge, 2).cells, [row, column, row + down, column + right], "{edge}");
        }
    }
}
