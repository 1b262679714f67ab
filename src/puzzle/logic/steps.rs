//! The steps in a puzzle's header that describe the body of a link or a game id.
//!
//! ```text
//!   Link  slither, slitherlink: number4, unlike(f)
//!   Link  heyawake: borders, number16 of areas
//!   Link  starbattle: header(stars = 1), borders
//!   Link  tents: number16 of around(top, left), sparse("T")
//! ```
//!
//! | step | what it reads |
//! |---|---|
//! | a codec (see [`codecs`]) | signs of all cells |
//! | … `of areas` | a sign for each area, in its first cell |
//! | … `of holes` | signs of all cells; borders surround a cell with a sign, which is in no area with others |
//! | … `of shaded` | a sign for each area, in all its cells, of the grid `shade` |
//! | … `of "#"` | signs of the cells that have this one until now, in its place |
//! | … `of cells(top, bottom)` | signs of all cells, and then a clue for each line at these sides |
//! | … `of bricks`, `of triangles` | signs of what the steps `bricks` and `triangles` make |
//! | … `of around(top, left)` | a clue for each line at these sides |
//! | … `of corner`, `of between`, `of shade` | signs of all places of that grid |
//! | … `of edges` | a sign for each border between two cells, first those right of cells, in the grid `between` |
//! | … `of sides` | a sign for the border right of each cell and one for that below it, without those of the last cell |
//! | … `of twice(top, left)` | two clues for each line at these sides, the second one first |
//! | … `of seconds(top, left)` | a second clue for each line at these sides that has a first one |
//! | … `of lists(top, left)` | clues for each line, half as many as it has cells, the last one first |
//! | `decimals of …` | the same in base 10: `,3,0` around, or lists with dots, `2.1/3` |
//! | `borders` | walls, and so areas |
//! | `fences` | the same, as gaps before the walls right of cells, and column by column below cells; areas have a cell for each row |
//! | `crossings` | clues down and across, with the row above and the column left of the board |
//! | `slash`, `comma` | a slash, a comma |
//! | `compared` | for each cell its number, 0 for none, letters of the sides at which the cells are smaller (`0UR,`), and a comma |
//! | … `of inner` | signs of the corners inside the board |
//! | `header(name)` | a number up to a slash or the end: `name(N)` |
//! | `header(name = 1)` | the same; a board without the number is written with this one |
//! | `point(name)` | a cell, as column and row: `name(R,C)` |
//! | `cell("o")` | a cell by its number, in reading order from 0: the sign there |
//! | `text(name)` | letters and digits up to a slash or the end: `name("…")` |
//! | `curves` | `b` and borders if there are any, then lines by width, height and course, `3/2/5e`: `curve(1,3,2,"5e")` |
//! | `bank` | a letter for a set of pieces, `//t`: `bank("t")`; or the pieces, `/2/23bg/11u`: `bank(1,"23bg")` |
//! | `end` | nothing, and nothing may follow |
//! | `blocks` | nothing: the size is that of a block; the board has a row for each cell of a block |
//! | `bricks` | nothing: cells are bricks, two columns wide, that lie as the number `shape` says |
//! | `triangles` | nothing: each cell is three rows and columns, and has triangles up, left, right and down |
//! | `flags(b)` | nothing: these flags become facts `flag("b")`; others are refused |
//! | `wanted(d)` | nothing: links have this flag; those without it are written as in an old applet, and refused |
//! | `unlike(o = "…")` | nothing: links with this flag are refused; the text says which other rules it stands for |
//!
//! A step with a question mark, `borders?`, may be missing at the end.

use std::collections::BTreeMap;

use super::board::{Board, Cell, GRIDS, Grid, SIDES, Sign, Wrong, check_size};
use super::codecs::{self, Alphabet, Codec, Cursor, Key};
use crate::sorting;
use crate::words;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steps {
    /// And whether it may be missing.
    steps: Vec<(Step, bool)>,
    /// Flags that links may have.
    pub flags: Vec<String>,
    /// Flags that every link has; they say how it is written.
    pub wanted: Vec<String>,
    /// Flags that change the rules, and how.
    pub unlike: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Signs(Codec, Places),
    Decimals(Places),
    Borders,
    Fences,
    Crossings,
    /// And the number of a board that does not name one.
    Header(String, Option<i32>),
    Point(String),
    Cell(Sign),
    Text(String),
    Curves,
    Bank,
    Blocks,
    Bricks,
    Triangles,
    Mark(char),
    Compared,
    End,
}

/// Sides are numbered as in [`SIDES`].
#[derive(Debug, Clone, PartialEq, Eq)]
enum Places {
    Cells,
    Holes,
    CellsAround(Vec<usize>),
    Areas,
    Shaded,
    Instead(Sign),
    Bricks,
    Triangles,
    Grid(&'static str),
    /// Of the grid `corner`, without its rim.
    Inner,
    Edges,
    Sides,
    Around(Vec<usize>),
    Twice(Vec<usize>),
    Seconds(Vec<usize>),
    Lists(Vec<usize>),
}

/// Words, strings in quotes, and marks.
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

/// Takes what stands in brackets, if there are any, without the commas.
fn brackets<'a>(tokens: &mut &[&'a str]) -> Result<Vec<Vec<&'a str>>, String> {
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
        let (mut tokens, mut steps) = (&tokens[..], Steps::default());
        while let Some((&name, rest)) = tokens.split_first() {
            tokens = rest;
            let arguments = brackets(&mut tokens)?;
            let mut words = arguments.iter().map(|argument| argument.concat());
            if name == "unlike" {
                let flag = |argument: &Vec<&str>| match argument[..] {
                    [flag, "=", rules] => Some((flag.to_owned(), quoted(rules)?.to_owned())),
                    [flag] => Some((flag.to_owned(), String::new())),
                    _ => None,
                };
                let flags = arguments.iter().map(flag).collect::<Option<Vec<_>>>();
                steps.unlike.extend(flags.ok_or("unlike(FLAG = \"other rules\") was expected")?);
            } else if name == "flags" {
                steps.flags.extend(words);
            } else if name == "wanted" {
                steps.wanted.extend(words);
            } else {
                let step = match name {
                    "borders" => Step::Borders,
                    "fences" => Step::Fences,
                    "crossings" => Step::Crossings,
                    "blocks" => Step::Blocks,
                    "slash" => Step::Mark('/'),
                    "comma" => Step::Mark(','),
                    "compared" => Step::Compared,
                    "bank" => Step::Bank,
                    "bricks" => Step::Bricks,
                    "triangles" => Step::Triangles,
                    "curves" => Step::Curves,
                    "text" => Step::Text(words.next().ok_or("text(NAME) was expected")?),
                    "cell" => {
                        let word = words.next().unwrap_or_default();
                        Step::Cell(Sign::text(quoted(&word).ok_or("cell(\"SIGN\") was expected")?))
                    }
                    "end" => Step::End,
                    "header" => header(&words.next().ok_or("header(NAME) was expected")?)?,
                    "point" => Step::Point(words.next().ok_or("point(NAME) was expected")?),
                    "decimals" => Step::Decimals(places(&mut tokens)?),
                    _ => Step::Signs(codec(name, &arguments)?, places(&mut tokens)?),
                };
                let is_optional = tokens.strip_prefix(&["?"]);
                tokens = is_optional.unwrap_or(tokens);
                steps.steps.push((step, is_optional.is_some()));
            }
            match tokens.split_first() {
                Some((&",", rest)) => tokens = rest,
                Some((other, _)) => return Err(format!("`{other}` where a comma was expected")),
                None => {}
            }
        }
        if steps.steps.is_empty() { Err("there is no step".to_owned()) } else { Ok(steps) }
    }
}

/// `stars`, or `stars=1` with a default.
fn header(word: &str) -> Result<Step, String> {
    let Some((name, default)) = word.split_once('=') else { return Ok(Step::Header(word.to_owned(), None)) };
    let default = default.parse().map_err(|_| format!("`{default}` where a number was expected"))?;
    Ok(Step::Header(name.to_owned(), Some(default)))
}

fn codec(name: &str, arguments: &[Vec<&str>]) -> Result<Codec, String> {
    let mut codec = Codec::of_name(name).ok_or_else(|| {
        let names: Vec<&str> = codecs::ALPHABETS.iter().map(|entry| entry.0).collect();
        let known = format!(
            "{}, borders, fences, crossings, header, point, cell, text, curves, bank, blocks, bricks, triangles, slash, comma, compared, \
             end, decimals, flags, wanted, unlike",
            names.join(", ")
        );
        format!("`{name}` is not a codec; there are {known}")
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
                    _ if key == "run" => codec.run = Some(Sign::text(sign)),
                    _ if key == "gap" => {
                        codec.gap = Some(character(sign).filter(|gap| gap.is_digit(36)).ok_or_else(wrong)?);
                    }
                    Some(key) => codec.keys.push((Key::Character(character(key).ok_or_else(wrong)?), Sign::text(sign))),
                    None => codec.keys.push((Key::Number(key.parse().map_err(|_| wrong())?), Sign::text(sign))),
                }
            }
            _ => return Err(wrong()),
        }
    }
    Ok(codec)
}

fn places(tokens: &mut &[&str]) -> Result<Places, String> {
    let Some((&"of", rest)) = tokens.split_first() else { return Ok(Places::Cells) };
    let (&name, rest) = rest.split_first().ok_or("of what?")?;
    *tokens = rest;
    let side = |words: &Vec<&str>| {
        let side = SIDES.iter().position(|side| words[..] == [*side]);
        side.ok_or_else(|| format!("`{}` is not a side; sides are {}", words.concat(), SIDES.join(", ")))
    };
    if let Some(mark) = quoted(name) {
        return Ok(Places::Instead(Sign::text(mark)));
    }
    let grid = GRIDS.iter().find(|grid| **grid == name);
    let sides: Vec<usize> = brackets(tokens)?.iter().map(side).collect::<Result<_, _>>()?;
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

/// A sign's grid (a side, the cells, or one of [`GRIDS`]) and where it stands there.
type Place = (usize, Cell);
const CELLS: usize = SIDES.len();

fn grid_of(board: &mut Board, grid: usize) -> &mut Grid {
    match grid.checked_sub(CELLS + 1) {
        Some(other) => board.grids.entry(GRIDS[other].to_owned()).or_default(),
        None => board.around.get_mut(grid).unwrap_or(&mut board.signs),
    }
}

impl Places {
    /// In the order in which they are written.
    fn of(&self, board: &Board) -> Vec<Place> {
        let lines = |side: usize| if side < 2 { board.rows } else { board.columns };
        let number = |name: &str| CELLS + 1 + GRIDS.iter().position(|grid| *grid == name).expect("a known grid");
        match self {
            Places::Cells | Places::Holes => board.cells().map(|cell| (CELLS, cell)).collect(),
            Places::CellsAround(sides) => [Places::Cells.of(board), Places::Around(sides.clone()).of(board)].concat(),
            Places::Areas => board.firsts().into_iter().map(|cell| (CELLS, cell)).collect(),
            Places::Shaded => board.firsts().into_iter().map(|cell| (number("shade"), cell)).collect(),
            Places::Instead(mark) => {
                let marked = board.signs.iter().filter(|(_, sign)| *sign == mark);
                marked.map(|(cell, _)| (CELLS, *cell)).collect()
            }
            // What lies beside the bricks is half as wide.
            Places::Bricks => {
                let is_brick = |&(row, column): &Cell| {
                    column < board.columns && !board.walls.contains(&((row, column), (row, column + 1)))
                };
                board.firsts().into_iter().filter(is_brick).map(|cell| (CELLS, cell)).collect()
            }
            Places::Triangles => {
                let middle = board.cells().filter(|&(row, column)| row % 3 == 2 && column % 3 == 2);
                let around =
                    |(row, column): Cell| [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)];
                middle.flat_map(around).map(|cell| (CELLS, cell)).collect()
            }
            Places::Grid(name) => {
                let (rows, columns) = board.size_of(name);
                Board::of_size(rows, columns).cells().map(|cell| (number(name), cell)).collect()
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
                let mut places: Vec<Place> = board
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
                let both = |&(side, (line, _)): &Place| [(side, (line, 2)), (side, (line, 1))];
                Places::Around(sides.clone()).of(board).iter().flat_map(both).collect()
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

/// The borders right of cells, then those below; each kind fills its last character.
fn borders(board: &Board) -> [Vec<(Cell, Cell)>; 2] {
    let right = board.cells().filter(|cell| cell.1 < board.columns).map(|cell| (cell, (cell.0, cell.1 + 1)));
    let below = board.cells().filter(|cell| cell.0 < board.rows).map(|cell| (cell, (cell.0 + 1, cell.1)));
    [right.collect(), below.collect()]
}

impl Steps {
    /// Adds the numbers that a board does not name and a link does.
    pub fn add_defaults(&self, board: &mut Board) {
        for (step, _) in &self.steps {
            if let Step::Header(name, Some(default)) = step
                && !board.header.iter().any(|(other, _)| other == name)
            {
                board.header.insert((name.clone(), vec![Sign::Number(*default)]));
            }
        }
    }

    pub fn read(&self, text: &mut Cursor<'_>, board: &mut Board) -> Result<(), Wrong> {
        for (step, is_optional) in &self.steps {
            let is_behind = |next: char| match step {
                Step::Borders => !next.is_ascii_alphanumeric(),
                _ => matches!(next, '/' | '&' | '"' | '#' | '?'),
            };
            if *is_optional && text.peek().is_none_or(is_behind) {
                continue;
            }
            let is_over = |text: &Cursor<'_>| text.peek().is_none_or(|next| matches!(next, '&' | '"' | '#' | '?'));
            match step {
                Step::Header(name, _) => {
                    let number = Sign::Number(text.decimal()? as i32);
                    board.header.insert((name.clone(), vec![number]));
                    if !is_over(text) && !text.skip('/') {
                        return Err(text.wrong(text.at, "where `/` was wanted"));
                    }
                }
                Step::Point(name) => {
                    let number = Codec::of_alphabet(Alphabet::Number16);
                    let column = number.decode(text, 1)?.remove(0);
                    let row = number.decode(text, 1)?.remove(0);
                    let point = row.zip(column).map(|(row, column)| vec![row, column]);
                    let point = point.ok_or_else(|| text.wrong(text.at - 1, "where a column and a row were wanted"))?;
                    board.header.insert((name.clone(), point));
                }
                Step::Cell(sign) => {
                    let begin = text.at;
                    let cell = board.cells().nth(text.decimal()?).filter(|cell| !board.signs.contains_key(cell));
                    let cell = cell.ok_or_else(|| text.wrong(begin, "begins the number of no free cell"))?;
                    board.signs.insert(cell, sign.clone());
                }
                Step::Text(name) => {
                    board.header.insert((name.clone(), vec![word(text)?]));
                }
                Step::Curves => read_curves(text, board)?,
                Step::Bricks => lay_bricks(text, board)?,
                Step::Triangles => {
                    (board.rows, board.columns) = (3 * board.rows, 3 * board.columns);
                    check_size(board.rows, board.columns).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
                    let columns = board.columns;
                    let of = |(row, column): Cell| ((row - 1) / 3 * columns + (column - 1) / 3) as i32;
                    board.set_areas(&board.cells().map(|cell| (cell, Sign::Number(of(cell)))).collect());
                }
                Step::Bank => read_bank(text, board)?,
                Step::End if !is_over(text) => return Err(text.wrong(text.at, "where the end was wanted")),
                Step::End => {}
                Step::Borders => read_borders(text, board)?,
                Step::Fences => read_fences(text, board)?,
                Step::Mark(mark) => {
                    if !text.skip(*mark) {
                        return Err(text.wrong(text.at, &format!("where `{mark}` was wanted")));
                    }
                }
                Step::Compared => read_compared(text, board)?,
                Step::Crossings => read_crossings(text, board)?,
                Step::Blocks => {
                    let (width, height) = (board.rows, board.columns);
                    let size = width * height;
                    check_size(size, size).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
                    (board.rows, board.columns) = (size, size);
                    let block =
                        |&(row, column): &Cell| Sign::from(((row - 1) / height * height + (column - 1) / width) as i32);
                    board.set_areas(&board.cells().map(|cell| (cell, block(&cell))).collect());
                }
                Step::Decimals(places) => read_decimals(text, board, places)?,
                Step::Signs(codec, places) => {
                    let at = places.of(board);
                    let signs = codec.decode(text, at.len())?;
                    let found = at.into_iter().zip(signs).filter_map(|(place, sign)| Some((place, sign?)));
                    let (rows, columns) = board.size_of("between");
                    match places {
                        Places::Shaded => {
                            let of_area: BTreeMap<usize, Sign> =
                                found.filter_map(|((_, cell), sign)| Some((*board.areas.get(&cell)?, sign))).collect();
                            let shade = |(cell, area): (&Cell, &usize)| Some((*cell, of_area.get(area)?.clone()));
                            let shaded: Grid = board.areas.iter().filter_map(shade).collect();
                            if !shaded.is_empty() {
                                board.grids.insert("shade".to_owned(), shaded);
                            }
                        }
                        Places::Holes => {
                            for ((_, cell), sign) in found {
                                board.signs.insert(cell, sign);
                                let around = board.neighbours(cell).map(|other| (cell.min(other), cell.max(other)));
                                board.walls.extend(around);
                                board.areas = board.enclosed();
                            }
                        }
                        // Signs at the rim of the board say nothing.
                        Places::Sides => found
                            .filter(|((_, (row, column)), _)| *row <= rows && *column <= columns)
                            .for_each(|((grid, place), sign)| _ = grid_of(board, grid).insert(place, sign)),
                        _ => found.for_each(|((grid, place), sign)| _ = grid_of(board, grid).insert(place, sign)),
                    }
                }
            }
            if let Step::Signs(_, Places::Lists(sides)) = step {
                for &side in sides {
                    let side = &mut board.around[side];
                    let mut lists = BTreeMap::<usize, Vec<Sign>>::new();
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

    /// Returns true if a game id has the number of rows alone, which is that of the columns as well.
    pub fn has_one_size(&self) -> bool {
        self.steps.iter().any(|(step, _)| *step == Step::Fences)
    }

    /// The numbers of rows and columns that are told, and the body.
    pub fn write(&self, board: &Board) -> Result<(Cell, String), String> {
        let mut text = String::new();
        let mut size = (board.rows, board.columns);
        // Signs that no step has taken yet.
        let mut rest: Grid = board.signs.clone();
        let mut clues: usize = board.around.iter().chain(board.grids.values()).map(Grid::len).sum();
        // Steps that are missing at the end, unless one behind them is not.
        let mut missing = String::new();
        // Signs that a later step puts in the place of another.
        let mut instead = Grid::new();
        for (step, _) in &self.steps {
            if let Step::Signs(codec, Places::Instead(mark)) = step {
                for (cell, sign) in rest.iter_mut().filter(|(_, sign)| **sign != *mark && codec.can_encode(sign)) {
                    instead.insert(*cell, std::mem::replace(sign, mark.clone()));
                }
            }
        }
        for (step, is_optional) in &self.steps {
            let begin = text.len();
            match step {
                Step::Header(name, default) => {
                    let found = board.header.iter().find(|(other, _)| other == name);
                    let number = match (found.map(|(_, values)| &values[..]), default) {
                        (Some([Sign::Number(number)]), _) | (None, Some(number)) => number,
                        _ => return Err(format!("a board without a number `{name}`")),
                    };
                    text.push_str(&format!("{number}/"));
                }
                Step::Point(name) => {
                    let found = board.header.iter().find(|(other, _)| other == name);
                    let [row, column] = found.map_or(&[][..], |(_, values)| values) else {
                        return Err(format!("a board without a cell `{name}`"));
                    };
                    let number = Codec::of_alphabet(Alphabet::Number16);
                    for sign in [column, row] {
                        text.push_str(&number.encode(&[Some(sign)]).map_err(|_| format!("`{sign}`"))?);
                    }
                }
                Step::Bank => text.push_str(&write_bank(board)),
                Step::Cell(sign) => {
                    let cell = rest.iter().find(|(_, other)| *other == sign).map(|(cell, _)| *cell);
                    let cell = cell.ok_or_else(|| format!("a board without `{sign}`"))?;
                    rest.remove(&cell);
                    text.push_str(&((cell.0 - 1) * board.columns + cell.1 - 1).to_string());
                }
                Step::Text(name) => {
                    let found = board.header.iter().find(|(other, _)| other == name);
                    let [word] = found.map_or(&[][..], |(_, values)| values) else {
                        return Err(format!("a board without a word `{name}`"));
                    };
                    text.push_str(&word.to_string());
                }
                Step::Curves => text.push_str(&write_curves(board)),
                Step::Triangles => size = (board.rows / 3, board.columns / 3),
                Step::Bricks => {
                    let columns = board.columns.checked_sub(beside_bricks(shape_of(board)?));
                    size.1 = columns.ok_or("a board of too few columns for its shape")? / 2;
                }
                Step::Borders if *is_optional && board.walls.is_empty() => missing.push_str(&write_borders(board)),
                Step::Borders => text.push_str(&write_borders(board)),
                Step::Fences => text.push_str(&write_fences(board)),
                Step::Mark(_) if *is_optional && rest.is_empty() => {}
                Step::Mark(mark) => text.push(*mark),
                Step::Compared => clues -= write_compared(&mut text, board, &mut rest)?,
                Step::End => {}
                Step::Crossings => {
                    size = (board.rows - 1, board.columns - 1);
                    text.push_str(&write_crossings(board, &mut rest)?);
                }
                Step::Blocks => {
                    let first = |&column: &usize| board.walls.contains(&((1, column), (1, column + 1)));
                    let width = (1..board.columns).find(first).unwrap_or(board.columns);
                    size = (width, board.rows / width);
                }
                Step::Decimals(places) => clues -= write_decimals(&mut text, board, places)?,
                Step::Signs(codec, places) => {
                    let takes = |sign: &Sign| codec.can_encode(sign);
                    let signs: Vec<Option<Sign>> = match places {
                        Places::Instead(mark) => {
                            let marked =
                                board.signs.iter().filter(|(cell, sign)| *sign == mark || instead.contains_key(cell));
                            marked.map(|(cell, _)| instead.get(cell).cloned()).collect()
                        }
                        Places::Areas => {
                            let areas = board.enclosed();
                            let mut signs = vec![None; places.of(board).len()];
                            for (cell, sign) in std::mem::take(&mut rest) {
                                let of_area: &mut Option<Sign> = &mut signs[areas[&cell] - 1];
                                if of_area.is_none() && takes(&sign) {
                                    *of_area = Some(sign);
                                } else {
                                    rest.insert(cell, sign);
                                }
                            }
                            signs
                        }
                        Places::Lists(_) => {
                            let from_end = |(side, (line, from_end)): Place| {
                                let list = board.around[side].range((line, 1)..(line + 1, 1));
                                list.rev().nth(from_end - 1).map(|(_, sign)| sign.clone())
                            };
                            places.of(board).into_iter().map(from_end).collect()
                        }
                        _ => {
                            let mut all = board.clone();
                            std::mem::swap(&mut all.signs, &mut rest);
                            // Several steps may share the cells or the edges.
                            let is_own =
                                |number, sign: &Sign| number != CELLS && *places != Places::Edges || takes(sign);
                            let take = |(number, place)| {
                                let grid = grid_of(&mut all, number);
                                let sign = grid.remove(&place)?;
                                if is_own(number, &sign) {
                                    return Some(sign);
                                }
                                grid.insert(place, sign);
                                None
                            };
                            let signs = places.of(board).into_iter().map(take).collect();
                            rest = all.signs;
                            signs
                        }
                    };
                    clues -= match places {
                        Places::Shaded => board.grids.get("shade").map_or(0, Grid::len),
                        Places::Areas | Places::Instead(_) => 0,
                        _ => {
                            let at = places.of(board).into_iter().zip(&signs);
                            at.filter(|((grid, _), sign)| *grid != CELLS && sign.is_some()).count()
                        }
                    };
                    let is_missing = *is_optional && signs.iter().all(Option::is_none);
                    let signs: Vec<Option<&Sign>> = signs.iter().map(Option::as_ref).collect();
                    let body = codec.encode(&signs).map_err(|index| format!("`{}`", signs[index].expect("a sign")))?;
                    if is_missing { missing.push_str(&body) } else { text.push_str(&body) }
                }
            }
            if text.len() > begin {
                let missing = std::mem::take(&mut missing);
                text.insert_str(begin, if *is_optional { &missing } else { "" });
            }
        }
        text.truncate(text.trim_end_matches('/').len());
        match rest.first_key_value() {
            Some(((row, column), sign)) => Err(format!("`{sign}` in row {row}, column {column}")),
            None if clues > 0 => Err(format!("{} outside the cells", words::count(clues, "clue", "clues"))),
            None => Ok((size, text)),
        }
    }
}

fn read_borders(text: &mut Cursor<'_>, board: &mut Board) -> Result<(), Wrong> {
    for pairs in borders(board) {
        let values = codecs::unpack(text, 2, 5, pairs.len())?;
        board.walls.extend(pairs.into_iter().zip(values).filter(|(_, value)| *value > 0).map(|(pair, _)| pair));
    }
    board.areas = board.enclosed();
    Ok(())
}

fn write_borders(board: &Board) -> String {
    let is_wall = |pair: &(Cell, Cell)| u32::from(board.walls.contains(pair));
    borders(board).iter().map(|pairs| codecs::pack(&pairs.iter().map(is_wall).collect::<Vec<_>>(), 2, 5)).collect()
}

/// The borders right of cells, and then, column by column, those below.
fn fences(board: &Board) -> Vec<(Cell, Cell)> {
    let [mut all, mut below] = borders(board);
    sorting::sort_by_key(&mut below, |((row, column), _)| (*column, *row));
    all.extend(below);
    all
}

fn read_fences(text: &mut Cursor<'_>, board: &mut Board) -> Result<(), Wrong> {
    let (begin, pairs) = (text.at, fences(board));
    let signs = Codec::of_alphabet(Alphabet::Runs).decode(text, pairs.len())?;
    board.walls = pairs.into_iter().zip(signs).filter(|(_, sign)| sign.is_some()).map(|(pair, _)| pair).collect();
    board.areas = board.enclosed();
    let mut sizes = BTreeMap::<usize, usize>::new();
    board.areas.values().for_each(|area| *sizes.entry(*area).or_default() += 1);
    match sizes.values().find(|size| **size != board.rows) {
        Some(size) => {
            let what = format!(
                "begins areas, of which one has {}, and the board {} rows",
                words::count(size, "cell", "cells"),
                board.rows
            );
            Err(text.wrong(begin, &what))
        }
        None => Ok(()),
    }
}

fn write_fences(board: &Board) -> String {
    let wall = Codec::of_alphabet(Alphabet::Runs).sign(0);
    let signs: Vec<Option<&Sign>> =
        fences(board).iter().map(|pair| board.walls.contains(pair).then_some(&wall)).collect();
    Codec::of_alphabet(Alphabet::Runs).encode(&signs).expect("it has the sign")
}

/// Letters and digits.
fn word(text: &mut Cursor<'_>) -> Result<Sign, Wrong> {
    let mut word = String::new();
    while let Some(character) = text.peek().filter(char::is_ascii_alphanumeric) {
        word.push(character);
        text.at += 1;
    }
    let number = Sign::text(&word);
    match word.is_empty() {
        true => Err(text.wrong(text.at, "where letters or digits were wanted")),
        // Zeros before a number are part of the word.
        false => Ok(if number.to_string() == word { number } else { Sign::Text(word) }),
    }
}

fn read_curves(text: &mut Cursor<'_>, board: &mut Board) -> Result<(), Wrong> {
    let slash = |text: &mut Cursor<'_>| match text.skip('/') {
        true => Ok(()),
        false => Err(text.wrong(text.at, "where `/` was wanted")),
    };
    if text.skip('b') {
        read_borders(text, board)?;
        slash(text)?;
    }
    for number in 1.. {
        let [width, height] = [0; 2].map(|_| {
            let number = text.decimal()?;
            slash(text)?;
            Ok::<_, Wrong>(Sign::Number(number as i32))
        });
        board.header.insert(("curve".to_owned(), vec![Sign::Number(number), width?, height?, word(text)?]));
        if !text.skip('/') || text.peek().is_none() {
            break;
        }
    }
    Ok(())
}

fn write_curves(board: &Board) -> String {
    let mut text = String::new();
    if !board.walls.is_empty() {
        text = format!("b{}/", write_borders(board));
    }
    for (_, values) in board.header.iter().filter(|(name, _)| name == "curve") {
        values.iter().skip(1).for_each(|value| text.push_str(&format!("{value}/")));
    }
    text
}

fn shape_of(board: &Board) -> Result<i32, String> {
    let shape = board.header.iter().find(|(name, _)| name == "shape").map(|(_, values)| &values[..]);
    match shape {
        Some([Sign::Number(shape @ 0..4)]) => Ok(*shape),
        _ => Err("a shape of bricks is a number from 0 to 3".to_owned()),
    }
}

/// How many columns there are beside those of the first row's bricks.
fn beside_bricks(shape: i32) -> usize {
    [0, 1, 1, 2][shape as usize]
}

/// The second row may be set in at both ends (0), set off to the right (1), to the left (2), or stick out at both ends (3).
fn lay_bricks(text: &Cursor<'_>, board: &mut Board) -> Result<(), Wrong> {
    let shape = shape_of(board).map_err(|what| text.wrong(text.at, &format!("begins a board: {what}")))?;
    board.columns = 2 * board.columns + beside_bricks(shape);
    check_size(board.rows, board.columns).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
    let columns = board.columns;
    let brick = |(row, column): Cell| {
        let is_set_off = (row % 2 == 1) == (shape > 1);
        (row * (columns + 2) + (column + usize::from(!is_set_off)) / 2) as i32
    };
    board.set_areas(&board.cells().map(|cell| (cell, Sign::Number(brick(cell)))).collect());
    Ok(())
}

/// Pieces that may be used: a set by its letter, or each.
fn read_bank(text: &mut Cursor<'_>, board: &mut Board) -> Result<(), Wrong> {
    let slash = |text: &mut Cursor<'_>| match text.skip('/') {
        true => Ok(()),
        false => Err(text.wrong(text.at, "where `/` was wanted")),
    };
    slash(text)?;
    if text.skip('/') {
        let letter = text.next("the letter of a set of pieces")?;
        board.header.insert(("bank".to_owned(), vec![Sign::text(&letter.to_string())]));
        return Ok(());
    }
    for number in 1..=text.decimal()? {
        slash(text)?;
        let piece = Sign::Text(word(text)?.to_string());
        board.header.insert(("bank".to_owned(), vec![Sign::Number(number as i32), piece]));
    }
    Ok(())
}

fn write_bank(board: &Board) -> String {
    let bank: Vec<&[Sign]> =
        board.header.iter().filter(|(name, _)| name == "bank").map(|(_, values)| &values[..]).collect();
    match &bank[..] {
        [[letter]] => format!("//{letter}"),
        pieces => {
            let pieces: Vec<String> = pieces.iter().filter_map(|piece| Some(piece.last()?.to_string())).collect();
            [vec![format!("/{}", pieces.len())], pieces].concat().join("/")
        }
    }
}

/// The cells of the board in a link are those right of and below the clues.
fn read_crossings(text: &mut Cursor<'_>, board: &mut Board) -> Result<(), Wrong> {
    let codec = Codec::of_alphabet(Alphabet::Crossed);
    let cells: Vec<Cell> = board.cells().map(|(row, column)| (row + 1, column + 1)).collect();
    let signs = codec.decode(text, cells.len())?;
    board.signs = cells.into_iter().zip(signs).filter_map(|(cell, sign)| Some((cell, sign?))).collect();
    (board.rows, board.columns) = (board.rows + 1, board.columns + 1);
    for (clue, cell, is_down) in edge(board) {
        let sum = if board.signs.contains_key(&cell) { None } else { codecs::decode_sum(text)? };
        board.signs.insert(clue, if is_down { codecs::crossed(sum, None) } else { codecs::crossed(None, sum) });
    }
    board.signs.insert((1, 1), codecs::crossed(None, None));
    Ok(())
}

/// Clues above the board and left of it, with the cells beside them.
fn edge(board: &Board) -> Vec<(Cell, Cell, bool)> {
    let above = (2..=board.columns).map(|column| ((1, column), (2, column), true));
    above.chain((2..=board.rows).map(|row| ((row, 1), (row, 2), false))).collect()
}

fn write_crossings(board: &Board, rest: &mut Grid) -> Result<String, String> {
    let inside: Vec<Cell> = board.cells().filter(|&(row, column)| row > 1 && column > 1).collect();
    let signs: Vec<Option<Sign>> = inside.iter().map(|cell| rest.remove(cell)).collect();
    let signs: Vec<Option<&Sign>> = signs.iter().map(Option::as_ref).collect();
    let body = Codec::of_alphabet(Alphabet::Crossed).encode(&signs);
    let mut text = body.map_err(|index| format!("`{}`", signs[index].expect("a sign")))?;
    for (clue, cell, is_down) in edge(board) {
        let sign = rest.remove(&clue).unwrap_or(codecs::crossed(None, None));
        let sum = match codecs::crossing(&sign) {
            Some((sum, None)) if is_down => sum,
            Some((None, sum)) if !is_down => sum,
            _ => return Err(format!("`{sign}` at the board's edge")),
        };
        match board.signs.contains_key(&cell) {
            true if sum.is_some() => return Err(format!("`{sign}` beside a black cell")),
            true => {}
            false => text.push_str(&codecs::encode_sum(sum).ok_or_else(|| format!("`{sign}`"))?),
        }
    }
    rest.remove(&(1, 1));
    Ok(text)
}

/// The sides of a cell by their letters, the sign of a border whose cell there is smaller, and where that border is in `between`.
const SMALLER: [(char, &str, (isize, isize)); 4] =
    [('U', "<", (-1, 0)), ('R', ">", (0, 1)), ('D', ">", (1, 0)), ('L', "<", (0, -1))];

fn border_at((row, column): Cell, (down, right): (isize, isize)) -> Cell {
    ((2 * row - 1).wrapping_add_signed(down), (2 * column - 1).wrapping_add_signed(right))
}

fn read_compared(text: &mut Cursor<'_>, board: &mut Board) -> Result<(), Wrong> {
    let (rows, columns) = board.size_of("between");
    for cell in board.cells().collect::<Vec<_>>() {
        let number = text.decimal()?;
        if number > 0 {
            board.signs.insert(cell, Sign::Number(number as i32));
        }
        while let Some((_, sign, side)) = text.peek().and_then(|letter| SMALLER.iter().find(|known| known.0 == letter))
        {
            let border = border_at(cell, *side);
            if !(1..=rows).contains(&border.0) || !(1..=columns).contains(&border.1) {
                return Err(text.wrong(text.at, "is a side of the board"));
            }
            board.grids.entry("between".to_owned()).or_default().insert(border, Sign::text(sign));
            text.at += 1;
        }
        if !text.skip(',') && text.peek().is_some() {
            return Err(text.wrong(text.at, "where a comma was wanted"));
        }
    }
    Ok(())
}

/// How many signs of borders were written.
fn write_compared(text: &mut String, board: &Board, rest: &mut Grid) -> Result<usize, String> {
    let mut count = 0;
    for cell in board.cells() {
        let number = rest.remove(&cell).unwrap_or(Sign::Number(0));
        text.push_str(&number.to_string());
        for (letter, sign, side) in SMALLER {
            let found = board.grids.get("between").and_then(|grid| grid.get(&border_at(cell, side)));
            if found == Some(&Sign::text(sign)) {
                text.push(letter);
                count += 1;
            }
        }
        text.push(',');
    }
    Ok(count)
}

fn read_decimals(text: &mut Cursor<'_>, board: &mut Board, places: &Places) -> Result<(), Wrong> {
    let mut last = None;
    for (side, (line, index)) in places.of(board) {
        if let Places::Around(_) = places {
            if !text.skip(',') {
                return Err(text.wrong(text.at, "where a comma was wanted"));
            }
        } else if index > 1 {
            // The list of this line is over, or has one more.
            if !text.skip('.') {
                continue;
            }
        } else if last.replace((side, line)).is_some() && !text.skip('/') {
            return Err(text.wrong(text.at, "where `/` was wanted"));
        } else if matches!(text.peek(), None | Some('/' | ',')) {
            continue;
        }
        let number = Sign::Number(text.decimal()? as i32);
        board.around[side].insert((line, index), number);
    }
    Ok(())
}

/// How many clues were written.
fn write_decimals(text: &mut String, board: &Board, places: &Places) -> Result<usize, String> {
    let mut count = 0;
    let mut is_first = true;
    for (side, (line, index)) in places.of(board) {
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
        text.extend(clue.map(Sign::to_string));
    }
    Ok(count)
}
