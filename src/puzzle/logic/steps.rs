//! The format of the body of a link or a game id, as a list of steps in a puzzle's header.
//!
//! ```text
//!   Link  slither, slitherlink: number4, unlike(f)
//!   Link  heyawake: borders, number16 of areas
//!   Link  starbattle: header(stars = 1), borders
//!   Link  tents: number16 of around(top, left), sparse("T")
//! ```
//!
//! | step | reads (or sets, if it reads nothing) |
//! |---|---|
//! | a codec (see [`codecs`]) | signs of all cells |
//! | … `of areas` | a sign for each area, in its first cell |
//! | … `of holes` | signs of all cells; a cell with a sign is surrounded by borders, so that it is an area by itself |
//! | … `of shaded` | a sign for each area, which all its cells get in the grid `shade` |
//! | … `of "#"` | signs for the cells with this placeholder, which they replace |
//! | … `of cells(top, bottom)` | signs of all cells, then a clue for each line at these sides |
//! | … `of bricks`, `of triangles` | signs of the bricks or triangles that the step of this name lays out |
//! | … `of around(top, left)` | a clue for each line at these sides |
//! | … `of corner`, `of between`, `of shade` | signs of all places of that grid |
//! | … `of edges` | a sign for each border between two cells, in the grid `between`; borders right of cells come first |
//! | … `of sides` | for each cell except the last, a sign for the border to its right and one for the border below it |
//! | … `of twice(top, left)` | two clues for each line at these sides, the second one first |
//! | … `of seconds(top, left)` | a second clue for each line at these sides that has a first clue |
//! | … `of lists(top, left)` | a list of clues for each line at these sides, at half as many places as the line has cells, in reverse order |
//! | `decimals of …` | clues in base 10: `,3,0` for `around`, `2.1/3` for `lists` |
//! | `borders` | walls, which enclose areas |
//! | `fences` | walls, as the gaps between them: first the walls to the right of cells, then those below cells, column by column; each area has as many cells as the board has rows |
//! | `crossings` | down and across clues; the board gets a row above the cells and a column to their left, which have clues too |
//! | `slash`, `comma` | a slash, a comma |
//! | `compared` | for each cell its number or 0, a letter for each side with a smaller neighbour, and a comma: `0UR,` |
//! | … `of inner` | signs of the corners inside the board, in the grid `corner` |
//! | `header(name)` | a number up to a slash or the end: `name(N)` |
//! | `header(name = 1)` | as `header(name)`; boards without the number are written with this default |
//! | `point(name)` | a cell, as column and row: `name(R,C)` |
//! | `cell("o")` | the number of the cell with this sign, in reading order from 0 |
//! | `text(name)` | letters and digits up to a slash or the end: `name("…")` |
//! | `curves` | `b` and borders, if there are any, then the width, height and course of each curve, `3/2/5e`: `curve(1,3,2,"5e")` |
//! | `bank` | the letter of a set of pieces, `//t`: `bank("t")`; or the number of pieces and each piece, `/2/23bg/11u`: `bank(1,"23bg")` |
//! | `end` | nothing: the text must end here |
//! | `blocks` | nothing: the size in the link is that of a block; the board has as many rows, and as many columns, as a block has cells |
//! | `bricks` | nothing: each cell of the link is a brick of two columns; the header `shape` defines how rows of bricks are shifted |
//! | `triangles` | nothing: each cell of the link becomes three rows and columns, with triangles above, left, right and below the middle |
//! | `flags(b)` | nothing: these flags become facts `flag("b")`; other flags are rejected |
//! | `wanted(d)` | nothing: links without this flag use the notation of an old applet and are rejected |
//! | `unlike(o = "…")` | nothing: links with this flag are rejected; the text describes the rules that the flag selects |
//!
//! A step with a question mark, as in `borders?`, may be missing at the end of a body.

use std::collections::BTreeMap;

use super::board::{Cell, Clue, ClueGrid, GRIDS, GridBoard, SIDES, SpanError, check_size};
use super::codecs::{self, Codec, Cursor, Key, Scheme};
use crate::sorting;
use crate::words;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steps {
    /// Each step, with true if it may be missing.
    steps: Vec<(FormatStep, bool)>,
    pub flags: Vec<String>,
    /// Flags that every link must have; they select the current notation.
    pub required: Vec<String>,
    /// Flags that select other rules, with a description of these rules.
    pub unsupported: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum FormatStep {
    Signs(Codec, Places),
    Decimals(Places),
    Borders,
    Fences,
    Crossings,
    /// The name, and the default number.
    Header(String, Option<i32>),
    Point(String),
    Cell(Clue),
    Text(String),
    Curves,
    Bank,
    Blocks,
    Bricks,
    Triangles,
    Mark(char),
    Comparisons,
    End,
}

/// The places of signs on a board. Sides are indices into [`SIDES`].
#[derive(Debug, Clone, PartialEq, Eq)]
enum Places {
    Cells,
    Holes,
    CellsAround(Vec<usize>),
    Areas,
    Shaded,
    Placeholders(Clue),
    Bricks,
    Triangles,
    Grid(&'static str),
    /// The places of the grid `corner` that are not on the edge of the board.
    Inner,
    Edges,
    Sides,
    Around(Vec<usize>),
    Twice(Vec<usize>),
    Seconds(Vec<usize>),
    Lists(Vec<usize>),
}

/// Splits a text into words, quoted strings and punctuation.
fn tokens(text: &str) -> Result<Vec<&str>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let length = match first {
            '"' => 2 + rest[1..].find('"').ok_or("a quote without its end")?,
            _ if is_word(first) => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Takes the arguments in brackets from the front of `tokens`, split at commas. Returns no
/// arguments if there is no bracket.
fn take_brackets<'a>(tokens: &mut &[&'a str]) -> Result<Vec<Vec<&'a str>>, String> {
    let Some(rest) = tokens.strip_prefix(&["("]) else { return Ok(Vec::new()) };
    let end = rest.iter().position(|&token| token == ")").ok_or("a bracket without its end")?;
    *tokens = &rest[end + 1..];
    Ok(rest[..end].split(|&token| token == ",").map(<[_]>::to_vec).collect())
}

fn quoted(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}

impl Steps {
    pub fn parse(text: &str) -> Result<Steps, String> {
        let tokens = tokens(text)?;
        let mut tokens = &tokens[..];
        let mut steps = Steps::default();
        while let Some((&name, rest)) = tokens.split_first() {
            tokens = rest;
            let arguments = take_brackets(&mut tokens)?;
            let mut words = arguments.iter().map(|argument| argument.concat());
            if name == "unlike" {
                let flag = |argument: &Vec<&str>| match argument[..] {
                    [flag, "=", rules] => Some((flag.to_owned(), quoted(rules)?.to_owned())),
                    [flag] => Some((flag.to_owned(), String::new())),
                    _ => None,
                };
                let flags = arguments.iter().map(flag).collect::<Option<Vec<_>>>();
                steps.unsupported.extend(flags.ok_or("expected unlike(FLAG = \"other rules\")")?);
            } else if name == "flags" {
                steps.flags.extend(words);
            } else if name == "wanted" {
                steps.required.extend(words);
            } else {
                let step = match name {
                    "borders" => FormatStep::Borders,
                    "fences" => FormatStep::Fences,
                    "crossings" => FormatStep::Crossings,
                    "blocks" => FormatStep::Blocks,
                    "slash" => FormatStep::Mark('/'),
                    "comma" => FormatStep::Mark(','),
                    "compared" => FormatStep::Comparisons,
                    "bank" => FormatStep::Bank,
                    "bricks" => FormatStep::Bricks,
                    "triangles" => FormatStep::Triangles,
                    "curves" => FormatStep::Curves,
                    "text" => FormatStep::Text(words.next().ok_or("expected text(NAME)")?),
                    "cell" => {
                        let word = words.next().unwrap_or_default();
                        FormatStep::Cell(Clue::text(quoted(&word).ok_or("expected cell(\"SIGN\")")?))
                    }
                    "end" => FormatStep::End,
                    "header" => parse_header_step(&words.next().ok_or("expected header(NAME)")?)?,
                    "point" => FormatStep::Point(words.next().ok_or("expected point(NAME)")?),
                    "decimals" => FormatStep::Decimals(parse_places(&mut tokens)?),
                    _ => FormatStep::Signs(parse_codec(name, &arguments)?, parse_places(&mut tokens)?),
                };
                let is_optional = tokens.strip_prefix(&["?"]);
                tokens = is_optional.unwrap_or(tokens);
                steps.steps.push((step, is_optional.is_some()));
            }
            match tokens.split_first() {
                Some((&",", rest)) => tokens = rest,
                Some((other, _)) => return Err(format!("expected a comma, found `{other}`")),
                None => {}
            }
        }
        if steps.steps.is_empty() { Err("there is no step".to_owned()) } else { Ok(steps) }
    }
}

/// Parses `stars`, or `stars=1` with a default.
fn parse_header_step(word: &str) -> Result<FormatStep, String> {
    let Some((name, default)) = word.split_once('=') else { return Ok(FormatStep::Header(word.to_owned(), None)) };
    let default = default.parse().map_err(|_| format!("expected a number, found `{default}`"))?;
    Ok(FormatStep::Header(name.to_owned(), Some(default)))
}

fn parse_codec(name: &str, arguments: &[Vec<&str>]) -> Result<Codec, String> {
    let mut codec = Codec::of_name(name).ok_or_else(|| {
        let names: Vec<&str> = codecs::SCHEMES.iter().map(|entry| entry.0).collect();
        let known = format!(
            "{}, borders, fences, crossings, header, point, cell, text, curves, bank, blocks, bricks, triangles, slash, comma, compared, \
             end, decimals, flags, wanted, unlike",
            names.join(", ")
        );
        format!("`{name}` is not a codec; known codecs and steps are {known}")
    })?;
    for argument in arguments {
        let wrong = || format!("`{}` is not a sign for {name}: \"?\", 1 = \"o\", \".\" = \"#\"", argument.concat());
        match argument[..] {
            ["short"] => codec.is_short = true,
            [sign] => codec.signs.push(quoted(sign).ok_or_else(wrong)?.to_owned()),
            [key, "=", sign] => {
                let sign = quoted(sign).ok_or_else(wrong)?;
                let character = |text: &str| text.chars().next().filter(|_| text.chars().count() == 1);
                match quoted(key) {
                    _ if key == "run" => codec.run = Some(Clue::text(sign)),
                    _ if key == "gap" => {
                        codec.gap = Some(character(sign).filter(|gap| gap.is_digit(36)).ok_or_else(wrong)?);
                    }
                    Some(key) => codec.keys.push((Key::Character(character(key).ok_or_else(wrong)?), Clue::text(sign))),
                    None => codec.keys.push((Key::Number(key.parse().map_err(|_| wrong())?), Clue::text(sign))),
                }
            }
            _ => return Err(wrong()),
        }
    }
    Ok(codec)
}

fn parse_places(tokens: &mut &[&str]) -> Result<Places, String> {
    let Some((&"of", rest)) = tokens.split_first() else { return Ok(Places::Cells) };
    let (&name, rest) = rest.split_first().ok_or("expected a place after `of`")?;
    *tokens = rest;
    let side = |words: &Vec<&str>| {
        let side = SIDES.iter().position(|side| words[..] == [*side]);
        side.ok_or_else(|| format!("`{}` is not a side; sides are {}", words.concat(), SIDES.join(", ")))
    };
    if let Some(mark) = quoted(name) {
        return Ok(Places::Placeholders(Clue::text(mark)));
    }
    let grid = GRIDS.iter().find(|grid| **grid == name);
    let sides: Vec<usize> = take_brackets(tokens)?.iter().map(side).collect::<Result<_, _>>()?;
    match name {
        "areas" => Ok(Places::Areas),
        "shaded" => Ok(Places::Shaded),
        "holes" => Ok(Places::Holes),
        "bricks" => Ok(Places::Bricks),
        "triangles" => Ok(Places::Triangles),
        "sides" => Ok(Places::Sides),
        "cells" if !sides.is_empty() => Ok(Places::CellsAround(sides)),
        "twice" if !sides.is_empty() => Ok(Places::Twice(sides)),
        "edges" => Ok(Places::Edges),
        "inner" => Ok(Places::Inner),
        "around" if !sides.is_empty() => Ok(Places::Around(sides)),
        "seconds" if !sides.is_empty() => Ok(Places::Seconds(sides)),
        "lists" if !sides.is_empty() => Ok(Places::Lists(sides)),
        _ => grid.map(|grid| Places::Grid(grid)).ok_or_else(|| {
            let grids = GRIDS.join(", ");
            format!(
                "`of {name}`: expected areas, holes, shaded, edges, sides, inner, bricks, triangles, {grids}, a sign, or cells, around, \
                 twice, seconds or lists(top, left)"
            )
        }),
    }
}

/// The index of a grid and a place in it. Grids are numbered in this order: the sides, the cells,
/// then [`GRIDS`].
type GridPlace = (usize, Cell);
const CELLS: usize = SIDES.len();

fn grid_mut(board: &mut GridBoard, grid: usize) -> &mut ClueGrid {
    match grid.checked_sub(CELLS + 1) {
        Some(other) => board.grids.entry(GRIDS[other].to_owned()).or_default(),
        None => board.around.get_mut(grid).unwrap_or(&mut board.signs),
    }
}

impl Places {
    /// Returns the places in the order in which a link has their signs.
    fn resolve(&self, board: &GridBoard) -> Vec<GridPlace> {
        let lines = |side: usize| if side < 2 { board.rows } else { board.columns };
        let number = |name: &str| CELLS + 1 + GRIDS.iter().position(|grid| *grid == name).expect("a known grid");
        match self {
            Places::Cells | Places::Holes => board.cells().map(|cell| (CELLS, cell)).collect(),
            Places::CellsAround(sides) => {
                [Places::Cells.resolve(board), Places::Around(sides.clone()).resolve(board)].concat()
            }
            Places::Areas => board.first_cells().into_iter().map(|cell| (CELLS, cell)).collect(),
            Places::Shaded => board.first_cells().into_iter().map(|cell| (number("shade"), cell)).collect(),
            Places::Placeholders(mark) => {
                let marked = board.signs.iter().filter(|(_, sign)| *sign == mark);
                marked.map(|(cell, _)| (CELLS, *cell)).collect()
            }
            // The half bricks at the ends of rows have no signs.
            Places::Bricks => {
                let is_brick = |&(row, column): &Cell| {
                    column < board.columns && !board.walls.contains(&((row, column), (row, column + 1)))
                };
                board.first_cells().into_iter().filter(is_brick).map(|cell| (CELLS, cell)).collect()
            }
            Places::Triangles => {
                let middle = board.cells().filter(|&(row, column)| row % 3 == 2 && column % 3 == 2);
                let around =
                    |(row, column): Cell| [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)];
                middle.flat_map(around).map(|cell| (CELLS, cell)).collect()
            }
            Places::Grid(name) => {
                let (rows, columns) = board.grid_size(name);
                GridBoard::of_size(rows, columns).cells().map(|cell| (number(name), cell)).collect()
            }
            Places::Inner => {
                let inside = board.cells().filter(|&(row, column)| row > 1 && column > 1);
                inside.map(|cell| (number("corner"), cell)).collect()
            }
            Places::Edges => {
                let middle = |((row, column), (other_row, other_column)): (Cell, Cell)| {
                    (number("between"), (row + other_row - 1, column + other_column - 1))
                };
                borders(board).into_iter().flatten().map(middle).collect()
            }
            Places::Sides => {
                let mut places: Vec<GridPlace> = board
                    .cells()
                    .flat_map(|(row, column)| [(2 * row - 1, 2 * column), (2 * row, 2 * column - 1)])
                    .map(|border| (number("between"), border))
                    .collect();
                places.truncate(places.len() - 2);
                places
            }
            Places::Around(sides) => {
                sides.iter().flat_map(|&side| (1..=lines(side)).map(move |line| (side, (line, 1)))).collect()
            }
            Places::Twice(sides) => {
                let both = |&(side, (line, _)): &GridPlace| [(side, (line, 2)), (side, (line, 1))];
                Places::Around(sides.clone()).resolve(board).iter().flat_map(both).collect()
            }
            Places::Seconds(sides) => {
                let clues =
                    sides.iter().flat_map(|&side| board.around[side].keys().map(move |&(line, at)| (side, (line, at))));
                clues.filter(|&(_, (_, at))| at == 1).map(|(side, (line, _))| (side, (line, 2))).collect()
            }
            Places::Lists(sides) => {
                let half = |side: usize| (board.rows + board.columns - lines(side)).div_ceil(2);
                let list = |(side, line)| (1..=half(side)).map(move |from_end| (side, (line, from_end)));
                sides.iter().flat_map(|&side| (1..=lines(side)).map(move |line| (side, line))).flat_map(list).collect()
            }
        }
    }
}

/// Returns the borders to the right of cells, and those below cells. The two groups are packed
/// separately.
fn borders(board: &GridBoard) -> [Vec<(Cell, Cell)>; 2] {
    let right = board.cells().filter(|cell| cell.1 < board.columns).map(|cell| (cell, (cell.0, cell.1 + 1)));
    let below = board.cells().filter(|cell| cell.0 < board.rows).map(|cell| (cell, (cell.0 + 1, cell.1)));
    [right.collect(), below.collect()]
}

impl Steps {
    /// Adds the default number of each `header` step whose number the board lacks.
    pub fn add_defaults(&self, board: &mut GridBoard) {
        for (step, _) in &self.steps {
            if let FormatStep::Header(name, Some(default)) = step
                && !board.header.iter().any(|(other, _)| other == name)
            {
                board.header.insert((name.clone(), vec![Clue::Number(*default)]));
            }
        }
    }

    pub fn read(&self, text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
        for (step, is_optional) in &self.steps {
            let ends_body = |next: char| match step {
                FormatStep::Borders => !next.is_ascii_alphanumeric(),
                _ => matches!(next, '/' | '&' | '"' | '#' | '?'),
            };
            if *is_optional && text.peek().is_none_or(ends_body) {
                continue;
            }
            let is_at_end = |text: &Cursor<'_>| text.peek().is_none_or(|next| matches!(next, '&' | '"' | '#' | '?'));
            match step {
                FormatStep::Header(name, _) => {
                    let number = Clue::Number(text.decimal()? as i32);
                    board.header.insert((name.clone(), vec![number]));
                    if !is_at_end(text) && !text.skip('/') {
                        return Err(text.expected(text.at, "`/`"));
                    }
                }
                FormatStep::Point(name) => {
                    let number = Codec::of_scheme(Scheme::Number16);
                    let column = number.decode(text, 1)?.remove(0);
                    let row = number.decode(text, 1)?.remove(0);
                    let point = row.zip(column).map(|(row, column)| vec![row, column]);
                    let point = point.ok_or_else(|| text.expected(text.at - 1, "a column and a row"))?;
                    board.header.insert((name.clone(), point));
                }
                FormatStep::Cell(sign) => {
                    let begin = text.at;
                    let cell = board.cells().nth(text.decimal()?).filter(|cell| !board.signs.contains_key(cell));
                    let cell =
                        cell.ok_or_else(|| text.wrong(begin, "begins a number that is not the number of a free cell"))?;
                    board.signs.insert(cell, sign.clone());
                }
                FormatStep::Text(name) => {
                    board.header.insert((name.clone(), vec![read_word(text)?]));
                }
                FormatStep::Curves => read_curves(text, board)?,
                FormatStep::Bricks => lay_bricks(text, board)?,
                FormatStep::Triangles => {
                    (board.rows, board.columns) = (3 * board.rows, 3 * board.columns);
                    check_size(board.rows, board.columns).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
                    let columns = board.columns;
                    let of = |(row, column): Cell| ((row - 1) / 3 * columns + (column - 1) / 3) as i32;
                    board.set_areas(&board.cells().map(|cell| (cell, Clue::Number(of(cell)))).collect());
                }
                FormatStep::Bank => read_bank(text, board)?,
                FormatStep::End if !is_at_end(text) => return Err(text.expected(text.at, "the end")),
                FormatStep::End => {}
                FormatStep::Borders => read_borders(text, board)?,
                FormatStep::Fences => read_fences(text, board)?,
                FormatStep::Mark(mark) => {
                    if !text.skip(*mark) {
                        return Err(text.expected(text.at, &format!("`{mark}`")));
                    }
                }
                FormatStep::Comparisons => read_comparisons(text, board)?,
                FormatStep::Crossings => read_crossings(text, board)?,
                FormatStep::Blocks => {
                    let (width, height) = (board.rows, board.columns);
                    let size = width * height;
                    check_size(size, size).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
                    (board.rows, board.columns) = (size, size);
                    let block =
                        |&(row, column): &Cell| Clue::from(((row - 1) / height * height + (column - 1) / width) as i32);
                    board.set_areas(&board.cells().map(|cell| (cell, block(&cell))).collect());
                }
                FormatStep::Decimals(places) => read_decimals(text, board, places)?,
                FormatStep::Signs(codec, places) => {
                    let at = places.resolve(board);
                    let signs = codec.decode(text, at.len())?;
                    let found = at.into_iter().zip(signs).filter_map(|(place, sign)| Some((place, sign?)));
                    let (rows, columns) = board.grid_size("between");
                    match places {
                        Places::Shaded => {
                            let of_area: BTreeMap<usize, Clue> =
                                found.filter_map(|((_, cell), sign)| Some((*board.areas.get(&cell)?, sign))).collect();
                            let shade = |(cell, area): (&Cell, &usize)| Some((*cell, of_area.get(area)?.clone()));
                            let shaded: ClueGrid = board.areas.iter().filter_map(shade).collect();
                            if !shaded.is_empty() {
                                board.grids.insert("shade".to_owned(), shaded);
                            }
                        }
                        Places::Holes => {
                            for ((_, cell), sign) in found {
                                board.signs.insert(cell, sign);
                                let around = board.neighbours(cell).map(|other| (cell.min(other), cell.max(other)));
                                board.walls.extend(around);
                                board.areas = board.enclosed_areas();
                            }
                        }
                        // Signs on the outer border of the board have no meaning.
                        Places::Sides => {
                            for ((grid, place @ (row, column)), sign) in found {
                                if row <= rows && column <= columns {
                                    grid_mut(board, grid).insert(place, sign);
                                }
                            }
                        }
                        _ => {
                            for ((grid, place), sign) in found {
                                grid_mut(board, grid).insert(place, sign);
                            }
                        }
                    }
                }
            }
            if let FormatStep::Signs(_, Places::Lists(sides)) = step {
                for &side in sides {
                    let side = &mut board.around[side];
                    let mut lists = BTreeMap::<usize, Vec<Clue>>::new();
                    for ((line, _), sign) in std::mem::take(side).into_iter().rev() {
                        lists.entry(line).or_default().push(sign);
                    }
                    let clues =
                        lists.into_iter().flat_map(|(line, list)| (1..).map(move |index| (line, index)).zip(list));
                    side.extend(clues);
                }
            }
        }
        Ok(())
    }

    /// Returns true if a game id states one number for both rows and columns.
    pub fn has_one_size(&self) -> bool {
        self.steps.iter().any(|(step, _)| *step == FormatStep::Fences)
    }

    /// Returns the numbers of rows and columns in the link, and its body. The error names a part of
    /// the board that no step can write.
    pub fn write(&self, board: &GridBoard) -> Result<(Cell, String), String> {
        let mut text = String::new();
        let mut size = (board.rows, board.columns);
        // Signs that no step has written yet.
        let mut unwritten: ClueGrid = board.signs.clone();
        let mut num_clues: usize = board.around.iter().chain(board.grids.values()).map(ClueGrid::len).sum();
        // The text of optional steps that is inserted only if a later step writes something.
        let mut pending = String::new();
        // The signs that a later step writes in place of a placeholder.
        let mut replacements = ClueGrid::new();
        for (step, _) in &self.steps {
            if let FormatStep::Signs(codec, Places::Placeholders(mark)) = step {
                for (cell, sign) in unwritten.iter_mut().filter(|(_, sign)| **sign != *mark && codec.can_encode(sign)) {
                    replacements.insert(*cell, std::mem::replace(sign, mark.clone()));
                }
            }
        }
        for (step, is_optional) in &self.steps {
            let begin = text.len();
            match step {
                FormatStep::Header(name, default) => {
                    let found = board.header.iter().find(|(other, _)| other == name);
                    let number = match (found.map(|(_, values)| &values[..]), default) {
                        (Some([Clue::Number(number)]), _) | (None, Some(number)) => number,
                        _ => return Err(format!("a board without a number `{name}`")),
                    };
                    text.push_str(&format!("{number}/"));
                }
                FormatStep::Point(name) => {
                    let found = board.header.iter().find(|(other, _)| other == name);
                    let [row, column] = found.map_or(&[][..], |(_, values)| values) else {
                        return Err(format!("a board without a cell `{name}`"));
                    };
                    let number = Codec::of_scheme(Scheme::Number16);
                    for sign in [column, row] {
                        text.push_str(&number.encode(&[Some(sign)]).map_err(|_| format!("`{sign}`"))?);
                    }
                }
                FormatStep::Bank => text.push_str(&write_bank(board)),
                FormatStep::Cell(sign) => {
                    let cell = unwritten.iter().find(|(_, other)| *other == sign).map(|(cell, _)| *cell);
                    let cell = cell.ok_or_else(|| format!("a board without `{sign}`"))?;
                    unwritten.remove(&cell);
                    text.push_str(&((cell.0 - 1) * board.columns + cell.1 - 1).to_string());
                }
                FormatStep::Text(name) => {
                    let found = board.header.iter().find(|(other, _)| other == name);
                    let [word] = found.map_or(&[][..], |(_, values)| values) else {
                        return Err(format!("a board without a word `{name}`"));
                    };
                    text.push_str(&word.to_string());
                }
                FormatStep::Curves => text.push_str(&write_curves(board)),
                FormatStep::Triangles => size = (board.rows / 3, board.columns / 3),
                FormatStep::Bricks => {
                    let columns = board.columns.checked_sub(extra_columns(shape_of(board)?));
                    size.1 = columns.ok_or("a board of too few columns for its shape")? / 2;
                }
                FormatStep::Borders if *is_optional && board.walls.is_empty() => {
                    pending.push_str(&write_borders(board))
                }
                FormatStep::Borders => text.push_str(&write_borders(board)),
                FormatStep::Fences => text.push_str(&write_fences(board)),
                FormatStep::Mark(_) if *is_optional && unwritten.is_empty() => {}
                FormatStep::Mark(mark) => text.push(*mark),
                FormatStep::Comparisons => num_clues -= write_comparisons(&mut text, board, &mut unwritten)?,
                FormatStep::End => {}
                FormatStep::Crossings => {
                    size = (board.rows - 1, board.columns - 1);
                    text.push_str(&write_crossings(board, &mut unwritten)?);
                }
                FormatStep::Blocks => {
                    let first = |&column: &usize| board.walls.contains(&((1, column), (1, column + 1)));
                    let width = (1..board.columns).find(first).unwrap_or(board.columns);
                    size = (width, board.rows / width);
                }
                FormatStep::Decimals(places) => num_clues -= write_decimals(&mut text, board, places)?,
                FormatStep::Signs(codec, places) => {
                    let can_encode = |sign: &Clue| codec.can_encode(sign);
                    let signs: Vec<Option<Clue>> = match places {
                        Places::Placeholders(mark) => {
                            let marked = board
                                .signs
                                .iter()
                                .filter(|(cell, sign)| *sign == mark || replacements.contains_key(cell));
                            marked.map(|(cell, _)| replacements.get(cell).cloned()).collect()
                        }
                        Places::Areas => {
                            let areas = board.enclosed_areas();
                            let mut signs = vec![None; places.resolve(board).len()];
                            for (cell, sign) in std::mem::take(&mut unwritten) {
                                let of_area: &mut Option<Clue> = &mut signs[areas[&cell] - 1];
                                if of_area.is_none() && can_encode(&sign) {
                                    *of_area = Some(sign);
                                } else {
                                    unwritten.insert(cell, sign);
                                }
                            }
                            signs
                        }
                        Places::Lists(_) => {
                            let from_end = |(side, (line, from_end)): GridPlace| {
                                let list = board.around[side].range((line, 1)..(line + 1, 1));
                                list.rev().nth(from_end - 1).map(|(_, sign)| sign.clone())
                            };
                            places.resolve(board).into_iter().map(from_end).collect()
                        }
                        _ => {
                            let mut all = board.clone();
                            std::mem::swap(&mut all.signs, &mut unwritten);
                            // Several steps may write signs of the same cells or edges.
                            let belongs_to_step =
                                |number, sign: &Clue| number != CELLS && *places != Places::Edges || can_encode(sign);
                            let take = |(number, place)| {
                                let grid = grid_mut(&mut all, number);
                                let sign = grid.remove(&place)?;
                                if belongs_to_step(number, &sign) {
                                    return Some(sign);
                                }
                                grid.insert(place, sign);
                                None
                            };
                            let signs = places.resolve(board).into_iter().map(take).collect();
                            unwritten = all.signs;
                            signs
                        }
                    };
                    num_clues -= match places {
                        Places::Shaded => board.grids.get("shade").map_or(0, ClueGrid::len),
                        Places::Areas | Places::Placeholders(_) => 0,
                        _ => {
                            let at = places.resolve(board).into_iter().zip(&signs);
                            at.filter(|((grid, _), sign)| *grid != CELLS && sign.is_some()).count()
                        }
                    };
                    let is_missing = *is_optional && signs.iter().all(Option::is_none);
                    let signs: Vec<Option<&Clue>> = signs.iter().map(Option::as_ref).collect();
                    let body = codec.encode(&signs).map_err(|index| format!("`{}`", signs[index].expect("a sign")))?;
                    if is_missing { pending.push_str(&body) } else { text.push_str(&body) }
                }
            }
            if text.len() > begin {
                let pending = std::mem::take(&mut pending);
                text.insert_str(begin, if *is_optional { &pending } else { "" });
            }
        }
        text.truncate(text.trim_end_matches('/').len());
        match unwritten.first_key_value() {
            Some(((row, column), sign)) => Err(format!("`{sign}` in row {row}, column {column}")),
            None if num_clues > 0 => Err(format!("{} outside the cells", words::count(num_clues, "clue", "clues"))),
            None => Ok((size, text)),
        }
    }
}

fn read_borders(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    for pairs in borders(board) {
        let values = codecs::unpack(text, 2, 5, pairs.len())?;
        board.walls.extend(pairs.into_iter().zip(values).filter(|(_, value)| *value > 0).map(|(pair, _)| pair));
    }
    board.areas = board.enclosed_areas();
    Ok(())
}

fn write_borders(board: &GridBoard) -> String {
    let is_wall = |pair: &(Cell, Cell)| u32::from(board.walls.contains(pair));
    borders(board).iter().map(|pairs| codecs::pack(&pairs.iter().map(is_wall).collect::<Vec<_>>(), 2, 5)).collect()
}

/// Returns the borders to the right of cells, followed by those below cells, column by column.
fn fence_borders(board: &GridBoard) -> Vec<(Cell, Cell)> {
    let [mut all, mut below] = borders(board);
    sorting::sort_by_key(&mut below, |((row, column), _)| (*column, *row));
    all.extend(below);
    all
}

fn read_fences(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let begin = text.at;
    let pairs = fence_borders(board);
    let signs = Codec::of_scheme(Scheme::Runs).decode(text, pairs.len())?;
    board.walls = pairs.into_iter().zip(signs).filter(|(_, sign)| sign.is_some()).map(|(pair, _)| pair).collect();
    board.areas = board.enclosed_areas();
    let mut sizes = BTreeMap::<usize, usize>::new();
    for area in board.areas.values() {
        *sizes.entry(*area).or_default() += 1;
    }
    match sizes.values().find(|size| **size != board.rows) {
        Some(size) => {
            let what = format!(
                "begins areas; one has {}, but the board has {} rows",
                words::count(size, "cell", "cells"),
                board.rows
            );
            Err(text.wrong(begin, &what))
        }
        None => Ok(()),
    }
}

fn write_fences(board: &GridBoard) -> String {
    let wall = Codec::of_scheme(Scheme::Runs).sign(0);
    let signs: Vec<Option<&Clue>> =
        fence_borders(board).iter().map(|pair| board.walls.contains(pair).then_some(&wall)).collect();
    Codec::of_scheme(Scheme::Runs).encode(&signs).expect("it has the sign")
}

/// Reads letters and digits.
fn read_word(text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    let mut word = String::new();
    while let Some(character) = text.peek().filter(char::is_ascii_alphanumeric) {
        word.push(character);
        text.at += 1;
    }
    let number = Clue::text(&word);
    if word.is_empty() {
        return Err(text.expected(text.at, "letters or digits"));
    }
    // Leading zeros are significant.
    Ok(if number.to_string() == word { number } else { Clue::Text(word) })
}

fn read_curves(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let slash = |text: &mut Cursor<'_>| if text.skip('/') { Ok(()) } else { Err(text.expected(text.at, "`/`")) };
    if text.skip('b') {
        read_borders(text, board)?;
        slash(text)?;
    }
    for number in 1.. {
        let [width, height] = [0; 2].map(|_| {
            let number = text.decimal()?;
            slash(text)?;
            Ok::<_, SpanError>(Clue::Number(number as i32))
        });
        board.header.insert(("curve".to_owned(), vec![Clue::Number(number), width?, height?, read_word(text)?]));
        if !text.skip('/') || text.peek().is_none() {
            break;
        }
    }
    Ok(())
}

fn write_curves(board: &GridBoard) -> String {
    let mut text = String::new();
    if !board.walls.is_empty() {
        text = format!("b{}/", write_borders(board));
    }
    for (_, values) in board.header.iter().filter(|(name, _)| name == "curve") {
        for value in values.iter().skip(1) {
            text.push_str(&format!("{value}/"));
        }
    }
    text
}

fn shape_of(board: &GridBoard) -> Result<i32, String> {
    let shape = board.header.iter().find(|(name, _)| name == "shape").map(|(_, values)| &values[..]);
    match shape {
        Some([Clue::Number(shape @ 0..4)]) => Ok(*shape),
        _ => Err("a shape of bricks is a number from 0 to 3".to_owned()),
    }
}

/// Returns the number of columns that the bricks of the first row do not cover.
fn extra_columns(shape: i32) -> usize {
    [0, 1, 1, 2][shape as usize]
}

/// Lays out the board as bricks. The number `shape` defines the second row: indented at both ends
/// (0), shifted to the right (1), shifted to the left (2), or protruding at both ends (3).
fn lay_bricks(text: &Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let shape = shape_of(board).map_err(|what| text.wrong(text.at, &format!("begins a board: {what}")))?;
    board.columns = 2 * board.columns + extra_columns(shape);
    check_size(board.rows, board.columns).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
    let columns = board.columns;
    let brick = |(row, column): Cell| {
        let is_set_off = (row % 2 == 1) == (shape > 1);
        (row * (columns + 2) + (column + usize::from(!is_set_off)) / 2) as i32
    };
    board.set_areas(&board.cells().map(|cell| (cell, Clue::Number(brick(cell)))).collect());
    Ok(())
}

/// Reads the available pieces: the letter of a set, or a list of pieces.
fn read_bank(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let slash = |text: &mut Cursor<'_>| if text.skip('/') { Ok(()) } else { Err(text.expected(text.at, "`/`")) };
    slash(text)?;
    if text.skip('/') {
        let letter = text.next("the letter of a set of pieces")?;
        board.header.insert(("bank".to_owned(), vec![Clue::text(&letter.to_string())]));
        return Ok(());
    }
    for number in 1..=text.decimal()? {
        slash(text)?;
        let piece = Clue::Text(read_word(text)?.to_string());
        board.header.insert(("bank".to_owned(), vec![Clue::Number(number as i32), piece]));
    }
    Ok(())
}

fn write_bank(board: &GridBoard) -> String {
    let bank: Vec<&[Clue]> =
        board.header.iter().filter(|(name, _)| name == "bank").map(|(_, values)| &values[..]).collect();
    match &bank[..] {
        [[letter]] => format!("//{letter}"),
        pieces => {
            let pieces: Vec<String> = pieces.iter().filter_map(|piece| Some(piece.last()?.to_string())).collect();
            [vec![format!("/{}", pieces.len())], pieces].concat().join("/")
        }
    }
}

/// Reads down and across clues. The cells of the link lie below the first row and to the right of
/// the first column, which have only clues.
fn read_crossings(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let codec = Codec::of_scheme(Scheme::Crossed);
    let cells: Vec<Cell> = board.cells().map(|(row, column)| (row + 1, column + 1)).collect();
    let signs = codec.decode(text, cells.len())?;
    board.signs = cells.into_iter().zip(signs).filter_map(|(cell, sign)| Some((cell, sign?))).collect();
    (board.rows, board.columns) = (board.rows + 1, board.columns + 1);
    for (clue, cell, is_down) in edge_clues(board) {
        let sum = if board.signs.contains_key(&cell) { None } else { codecs::decode_sum(text)? };
        board
            .signs
            .insert(clue, if is_down { codecs::join_crossed(sum, None) } else { codecs::join_crossed(None, sum) });
    }
    board.signs.insert((1, 1), codecs::join_crossed(None, None));
    Ok(())
}

/// Returns the clues in the first row and column: the place of each, the cell below or to the right
/// of it, and true for a down clue.
fn edge_clues(board: &GridBoard) -> Vec<(Cell, Cell, bool)> {
    let above = (2..=board.columns).map(|column| ((1, column), (2, column), true));
    above.chain((2..=board.rows).map(|row| ((row, 1), (row, 2), false))).collect()
}

fn write_crossings(board: &GridBoard, unwritten: &mut ClueGrid) -> Result<String, String> {
    let inside: Vec<Cell> = board.cells().filter(|&(row, column)| row > 1 && column > 1).collect();
    let signs: Vec<Option<Clue>> = inside.iter().map(|cell| unwritten.remove(cell)).collect();
    let signs: Vec<Option<&Clue>> = signs.iter().map(Option::as_ref).collect();
    let body = Codec::of_scheme(Scheme::Crossed).encode(&signs);
    let mut text = body.map_err(|index| format!("`{}`", signs[index].expect("a sign")))?;
    for (clue, cell, is_down) in edge_clues(board) {
        let sign = unwritten.remove(&clue).unwrap_or(codecs::join_crossed(None, None));
        let sum = match codecs::split_crossed(&sign) {
            Some((sum, None)) if is_down => sum,
            Some((None, sum)) if !is_down => sum,
            _ => return Err(format!("`{sign}` at the board's edge")),
        };
        let is_black = board.signs.contains_key(&cell);
        if is_black && sum.is_some() {
            return Err(format!("`{sign}` beside a black cell"));
        }
        if !is_black {
            text.push_str(&codecs::encode_sum(sum).ok_or_else(|| format!("`{sign}`"))?);
        }
    }
    unwritten.remove(&(1, 1));
    Ok(text)
}

/// For each side of a cell: its letter, the sign of the border if the neighbour on this side is
/// smaller, and the offset of the border in the grid `between`.
const COMPARISONS: [(char, &str, (isize, isize)); 4] =
    [('U', "<", (-1, 0)), ('R', ">", (0, 1)), ('D', ">", (1, 0)), ('L', "<", (0, -1))];

fn border_at((row, column): Cell, (down, right): (isize, isize)) -> Cell {
    ((2 * row - 1).wrapping_add_signed(down), (2 * column - 1).wrapping_add_signed(right))
}

fn read_comparisons(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let (rows, columns) = board.grid_size("between");
    for cell in board.cells().collect::<Vec<_>>() {
        let number = text.decimal()?;
        if number > 0 {
            board.signs.insert(cell, Clue::Number(number as i32));
        }
        while let Some((_, sign, side)) =
            text.peek().and_then(|letter| COMPARISONS.iter().find(|known| known.0 == letter))
        {
            let border = border_at(cell, *side);
            if !(1..=rows).contains(&border.0) || !(1..=columns).contains(&border.1) {
                return Err(text.wrong(text.at, "is a side of the board"));
            }
            board.grids.entry("between".to_owned()).or_default().insert(border, Clue::text(sign));
            text.at += 1;
        }
        if !text.skip(',') && text.peek().is_some() {
            return Err(text.expected(text.at, "a comma"));
        }
    }
    Ok(())
}

/// Returns the number of border signs written.
fn write_comparisons(text: &mut String, board: &GridBoard, unwritten: &mut ClueGrid) -> Result<usize, String> {
    let mut count = 0;
    for cell in board.cells() {
        let number = unwritten.remove(&cell).unwrap_or(Clue::Number(0));
        text.push_str(&number.to_string());
        for (letter, sign, side) in COMPARISONS {
            let found = board.grids.get("between").and_then(|grid| grid.get(&border_at(cell, side)));
            if found == Some(&Clue::text(sign)) {
                text.push(letter);
                count += 1;
            }
        }
        text.push(',');
    }
    Ok(count)
}

fn read_decimals(text: &mut Cursor<'_>, board: &mut GridBoard, places: &Places) -> Result<(), SpanError> {
    let mut last = None;
    for (side, (line, index)) in places.resolve(board) {
        if let Places::Around(_) = places {
            if !text.skip(',') {
                return Err(text.expected(text.at, "a comma"));
            }
        } else if index > 1 {
            // Without a dot, the list of this line has ended.
            if !text.skip('.') {
                continue;
            }
        } else if last.replace((side, line)).is_some() && !text.skip('/') {
            return Err(text.expected(text.at, "`/`"));
        } else if matches!(text.peek(), None | Some('/' | ',')) {
            continue;
        }
        let number = Clue::Number(text.decimal()? as i32);
        board.around[side].insert((line, index), number);
    }
    Ok(())
}

/// Returns the number of clues written.
fn write_decimals(text: &mut String, board: &GridBoard, places: &Places) -> Result<usize, String> {
    let mut count = 0;
    let mut is_first = true;
    for (side, (line, index)) in places.resolve(board) {
        let clue = board.around[side].get(&(line, index));
        match (places, clue) {
            (Places::Lists(_), None) if index > 1 => continue,
            (Places::Lists(_), _) if index > 1 => text.push('.'),
            (Places::Lists(_), _) if !is_first => text.push('/'),
            (Places::Lists(_), _) => {}
            (_, None) => return Err(format!("no clue at the {} of line {line}", SIDES[side])),
            _ => text.push(','),
        }
        is_first = false;
        count += usize::from(clue.is_some());
        text.extend(clue.map(Clue::to_string));
    }
    Ok(count)
}
