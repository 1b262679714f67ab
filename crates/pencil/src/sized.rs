//! Grids with a size line, a notation in which large collections of boards are published: the
//! numbers of rows and columns, then rows of words, in which `-` is an empty cell.
//!
//! ```text
//!   4 4              the size; some types add numbers, such as the number of stars
//!   4 - - -          the clues of the cells
//!   - - - -
//!   - - - -
//!   - - - -
//!   1 1 1 1          the area of each cell
//!   1 1 1 4
//!   2 1 1 1
//!   1 1 3 1
//! ```
//!
//! The notation does not name the puzzle. By default it has the clues of cells, and then perhaps
//! areas. A header changes that by a paragraph `Sized`, for example `Sized  signs("x" = "T"), top, left, cells`:
//!
//! | step | reads |
//! |---|---|
//! | `signs("Nb" = "*N")` | nothing: translates words to signs; N is any number |
//! | `signs("E" = even)` | nothing: the cells with the word E become a list `even` |
//! | `header(stars)` | a number of the size line, or a letter that counts from `a`: `stars(N)` |
//! | `side`, `side(2)` | a number of the size line that must be the number of columns, or 2 less |
//! | `fleet("11g", "21o")` | numbers of the size line, which count the ships of each kind: `bank(1,"11g")` |
//! | `top`, `left`, `bottom`, `right` | a line with a clue for each column or row |
//! | `lists(top)` | a line with a list of clues for each column |
//! | `cells` | a line for each row of cells |
//! | `corner` | a line for each row of corners |
//! | `stars("o")` | the stars in the grid `between`: 0 in the centre of the cell, 1 on its right border, 2 on its lower border, 3 at their corner |
//! | `areas` | a line for each row of cells, with the name of each cell's area; a cell with a translated word has that sign, and is an area by itself |
//! | `houses` | as `areas`, but each area must have as many cells as the board has rows |
//! | `cages(cage)` | the sums of cages in their cells, then areas: `cage(L,1,S)` and the cells of the cage |
//!
//! A step with a question mark may be missing at the end.

use std::collections::BTreeMap;

use base::document::Document;

use super::board::{Cell, Clue, ClueGrid, ClueLocation, ClueRanges, GridBoard, SIDES, SpanError, check_size};
use super::lines::{TextLine, lines, title_line};
use super::steps::{quoted, take_brackets, tokens};

/// What a header says about grids with a size line.
#[derive(Debug, PartialEq, Eq)]
pub struct SizedFormat {
    translations: Vec<Translation>,
    /// Each step, with true if it may be missing.
    steps: Vec<(SizedStep, bool)>,
}

#[derive(Debug, PartialEq, Eq)]
enum SizedStep {
    Header(String),
    Side(usize),
    Fleet(Vec<String>),
    /// The index of a side in [`SIDES`].
    Around(usize),
    Lists(usize),
    Cells,
    Corner,
    Stars(String),
    Areas,
    Houses,
    Cages(String),
}

/// The sign for the words that match a pattern, in which `N` is any number.
#[derive(Debug, PartialEq, Eq)]
struct Translation {
    pattern: String,
    sign: Translated,
}

#[derive(Debug, PartialEq, Eq)]
enum Translated {
    Sign(String),
    /// The name of a list of cells.
    List(String),
}

/// The lines of a text in this notation.
struct SizedText<'a> {
    title: Option<String>,
    /// The words of the size line after the numbers of rows and columns.
    extra: Vec<TextLine<'a>>,
    size_line: TextLine<'a>,
    size: Cell,
    rows: Vec<TextLine<'a>>,
}

/// Returns true if a text has a size line that no row of a plain board can be.
pub fn looks_sized(document: &Document) -> bool {
    sized_text(document).is_some()
}

/// Returns true if a text that [`looks_sized`] can only be clues or areas, and not the numbered
/// tiles of a frame.
pub fn names_no_puzzle(document: &Document) -> bool {
    sized_text(document).is_some_and(|text| {
        let words: Vec<&str> = text.rows.iter().flat_map(|row| row.words()).map(|word| word.text).collect();
        let mut numbers: Vec<&str> = words.iter().copied().filter(|word| word.parse::<u32>().is_ok()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let are_tiles = words.len() == text.size.0 * text.size.1 && numbers.len() + 1 >= words.len();
        text.title.is_none() && !are_tiles
    })
}

fn sized_text(document: &Document) -> Option<SizedText<'_>> {
    let named = |line: &TextLine<'_>| line.text.trim_start().strip_prefix("puzzle ").map(|name| name.trim().to_owned());
    let title = title_line(&document.text);
    let mut written = lines(&document.text).filter(|line| !line.text.is_empty()).peekable();
    let mut name = None;
    while let Some(line) = written.peek() {
        let title = title.as_ref().filter(|(_, offset)| *offset == line.offset).map(|(name, _)| name.clone());
        let Some(found) = named(line).or(title) else { break };
        name = Some(found.to_ascii_lowercase());
        written.next();
    }
    let size_line = written.next()?;
    let words: Vec<TextLine<'_>> = size_line.words().collect();
    let [rows, columns, extra @ ..] = &words[..] else { return None };
    let number = |word: &TextLine<'_>| word.text.parse::<usize>().ok().filter(|&number| number > 0);
    let size = (number(rows)?, number(columns)?);
    let is_extra = |word: &TextLine<'_>| {
        word.text.parse::<u32>().is_ok()
            || word.text.len() == 1 && word.text.bytes().all(|sign| sign.is_ascii_alphabetic())
    };
    check_size(size.0, size.1).ok()?;
    let all: Vec<TextLine<'_>> = written.collect();
    let count = |line: &TextLine<'_>| line.words().count();
    // A plain board has rows of one length, clues above a board are indented, and rows with gaps
    // have wide blanks.
    let is_plain = all.iter().all(|line| count(line) == words.len());
    let is_single_spaced = size_line.text.split(' ').all(|word| !word.is_empty() && !word.contains('\t'));
    let is_row = |line: &&TextLine<'_>| count(line) == size.1;
    let num_rows = all.iter().filter(is_row).count();
    let are_rows_last = all.len() >= size.0
        && all[all.len() - size.0..].iter().all(|line| is_row(&line))
        && all.iter().all(|line| [size.0, size.1].contains(&count(line)));
    let are_corners = all.len() == size.0 + 1 && all.iter().all(|line| count(line) == size.1 + 1);
    let are_numbers = |line: &TextLine<'_>| line.words().all(|word| word.text.parse::<u32>().is_ok());
    let are_lists = all.len() == size.0 + size.1 && all.iter().all(are_numbers);
    let are_sides = all.iter().map(count).eq([size.1, size.0]);
    let names_grid =
        |line: &TextLine<'_>| line.text.len() > 2 && line.text.bytes().all(|sign| sign.is_ascii_lowercase());
    // A board of cells with a few rows of a wrong length.
    let is_flawed = extra.is_empty() && 2 * num_rows > all.len() && all.len() + 1 >= size.0;
    let fits = are_rows_last || are_corners || extra.is_empty() && are_lists || are_sides || is_flawed;
    let fits = fits && !is_plain && !all.iter().any(names_grid) && is_single_spaced && extra.iter().all(is_extra);
    fits.then(|| SizedText { title: name, extra: extra.to_vec(), size_line, size, rows: all })
}

impl SizedFormat {
    /// Parses the paragraph `Sized` of a header.
    pub fn parse(text: &str) -> Result<SizedFormat, String> {
        let tokens = tokens(text)?;
        let mut tokens = &tokens[..];
        let mut format = SizedFormat { translations: Vec::new(), steps: Vec::new() };
        while let Some((&name, rest)) = tokens.split_first() {
            tokens = rest;
            let arguments = take_brackets(&mut tokens)?;
            if name == "signs" {
                for argument in &arguments {
                    format.translations.push(parse_translation(argument)?);
                }
            } else {
                let rest = tokens.strip_prefix(&["?"]);
                tokens = rest.unwrap_or(tokens);
                format.steps.push((parse_step(name, &arguments)?, rest.is_some()));
            }
            match tokens.split_first() {
                Some((&",", rest)) => tokens = rest,
                Some((other, _)) => return Err(format!("expected a comma, found `{other}`")),
                None => {}
            }
        }
        Ok(format)
    }

    /// Clues of cells, then perhaps areas.
    pub fn usual() -> SizedFormat {
        SizedFormat { translations: Vec::new(), steps: vec![(SizedStep::Cells, false), (SizedStep::Areas, true)] }
    }

    /// Reads a document that [`looks_sized`].
    pub fn read(&self, document: &Document) -> Result<(GridBoard, ClueRanges), SpanError> {
        let text = sized_text(document).ok_or_else(|| ("expected a size line and rows".to_owned(), 0..0))?;
        let (rows, columns) = text.size;
        let board = GridBoard { puzzle: text.title.clone(), ..GridBoard::of_size(rows, columns) };
        let translations = &self.translations[..];
        let mut reader = SizedReader { text, board, translations, places: ClueRanges::new(), next: 0 };
        for (step, is_optional) in &self.steps {
            let is_missing = *is_optional && reader.next == reader.text.rows.len();
            if !is_missing {
                reader.read_step(step)?;
            }
        }
        let left = reader.text.extra.first().map(|word| (word, "expected the end of the size line"));
        let left = left.or_else(|| Some((reader.text.rows.get(reader.next)?, "expected no more rows")));
        match left {
            Some((found, what)) => {
                Err((format!("{what}, found `{}`", base::words::preview(found.text)), found.range()))
            }
            None => Ok((reader.board, reader.places)),
        }
    }
}

/// Parses `"WORD" = "SIGN"` or `"WORD" = LIST`.
fn parse_translation(argument: &[&str]) -> Result<Translation, String> {
    let [pattern, "=", sign] = argument else {
        return Err(format!("expected \"WORD\" = \"SIGN\", found `{}`", argument.concat()));
    };
    let pattern = quoted(pattern).ok_or_else(|| format!("expected a word in quotes, found `{pattern}`"))?;
    let sign = match quoted(sign) {
        Some(sign) => Translated::Sign(sign.to_owned()),
        None => Translated::List((*sign).to_owned()),
    };
    Ok(Translation { pattern: pattern.to_owned(), sign })
}

fn parse_step(name: &str, arguments: &[Vec<&str>]) -> Result<SizedStep, String> {
    let word = || arguments.first().map_or(String::new(), |argument| argument.concat());
    let side = |name: &str| SIDES.iter().position(|side| *side == name);
    let text = |argument: &Vec<&str>| match argument[..] {
        [text] => quoted(text).map(str::to_owned).ok_or_else(|| format!("expected a text in quotes, found `{text}`")),
        _ => Err("expected a text in quotes".to_owned()),
    };
    Ok(match name {
        "header" => SizedStep::Header(word()),
        "side" => SizedStep::Side(word().parse().unwrap_or(0)),
        "fleet" => SizedStep::Fleet(arguments.iter().map(text).collect::<Result<_, _>>()?),
        "lists" => SizedStep::Lists(side(&word()).ok_or("expected lists(SIDE)")?),
        "cells" => SizedStep::Cells,
        "corner" => SizedStep::Corner,
        "stars" => SizedStep::Stars(text(arguments.first().ok_or("expected stars(\"SIGN\")")?)?),
        "areas" => SizedStep::Areas,
        "houses" => SizedStep::Houses,
        "cages" => SizedStep::Cages(word()),
        _ => SizedStep::Around(side(name).ok_or_else(|| format!("unknown step `{name}`"))?),
    })
}

struct SizedReader<'a> {
    translations: &'a [Translation],
    text: SizedText<'a>,
    board: GridBoard,
    places: ClueRanges,
    /// The index of the next row.
    next: usize,
}

impl<'a> SizedReader<'a> {
    fn read_step(&mut self, step: &SizedStep) -> Result<(), SpanError> {
        let (rows, columns) = self.text.size;
        match step {
            SizedStep::Header(name) => self.read_header(name),
            SizedStep::Side(less) => self.read_side(*less),
            SizedStep::Fleet(ships) => self.read_fleet(ships),
            SizedStep::Around(side) => {
                let count = if *side < 2 { rows } else { columns };
                let words = self.take_row(count, &format!("the line of clues `{}`", SIDES[*side]))?;
                (1..).zip(words).try_for_each(|(line, word)| self.add_side_clue(*side, (line, 1), word))
            }
            SizedStep::Lists(side) => {
                for line in 1..=if *side < 2 { rows } else { columns } {
                    let row = self.take_line(&format!("a list of clues `{}`", SIDES[*side]))?;
                    (1..)
                        .zip(row.words())
                        .try_for_each(|(index, word)| self.add_side_clue(*side, (line, index), word))?;
                }
                Ok(())
            }
            SizedStep::Cells => self.read_cells(),
            SizedStep::Corner => self.read_corners(),
            SizedStep::Stars(sign) => self.read_stars(sign),
            SizedStep::Areas => self.read_areas(),
            SizedStep::Houses => self.read_houses(),
            SizedStep::Cages(name) => self.read_cages(name),
        }
    }

    /// Takes the next word of the size line.
    fn take_extra(&mut self, what: &str) -> Result<TextLine<'a>, SpanError> {
        if self.text.extra.is_empty() {
            return Err((format!("the size line ends: expected {what}"), self.text.size_line.range()));
        }
        Ok(self.text.extra.remove(0))
    }

    fn read_header(&mut self, name: &str) -> Result<(), SpanError> {
        let word = self.take_extra(&format!("`{name}`"))?;
        let letter = word.text.chars().next().filter(char::is_ascii_lowercase);
        let number = word.text.parse().ok().or_else(|| letter.map(|letter| letter as i32 - 'a' as i32 + 1));
        let number = number.ok_or_else(|| (format!("expected `{name}`, found `{}`", word.text), word.range()))?;
        self.add_header_line(name, vec![Clue::Number(number)], word);
        Ok(())
    }

    fn add_header_line(&mut self, name: &str, words: Vec<Clue>, place: TextLine<'_>) {
        self.places.insert(ClueLocation::Header(name.to_owned(), words.clone()), place.range());
        self.board.header.insert((name.to_owned(), words));
    }

    fn read_side(&mut self, less: usize) -> Result<(), SpanError> {
        let word = self.take_extra("a third number")?;
        let wanted = self.text.size.1.saturating_sub(less);
        if word.text.parse() == Ok(wanted) {
            return Ok(());
        }
        let what = format!(
            "expected {wanted} as the third number, found {}: boards with other numbers are not supported",
            word.text
        );
        Err((what, word.range()))
    }

    fn read_fleet(&mut self, ships: &[String]) -> Result<(), SpanError> {
        let mut number = 0;
        for ship in ships {
            if self.text.extra.is_empty() {
                break;
            }
            let word = self.take_extra("the number of ships")?;
            let count: i32 = word
                .text
                .parse()
                .map_err(|_| (format!("expected the number of ships, found `{}`", word.text), word.range()))?;
            let most = (self.text.size.0 * self.text.size.1) as i32;
            for _ in 0..count.min(most) {
                number += 1;
                self.add_header_line("bank", vec![Clue::Number(number), Clue::Text(ship.clone())], word);
            }
        }
        // A longer ship than the listed ones is an error unless there is none of it.
        self.text.extra.retain(|word| word.text != "0");
        Ok(())
    }

    fn take_line(&mut self, what: &str) -> Result<TextLine<'a>, SpanError> {
        let row = self.text.rows.get(self.next).copied();
        self.next += 1;
        row.ok_or_else(|| {
            let last = self.text.rows.last().copied().unwrap_or(self.text.size_line);
            (format!("the text ends: expected {what}"), last.range())
        })
    }

    /// Takes a line that has `count` words.
    fn take_row(&mut self, count: usize, what: &str) -> Result<Vec<TextLine<'a>>, SpanError> {
        let line = self.take_line(what)?;
        let words: Vec<TextLine<'a>> = line.words().collect();
        if words.len() == count {
            return Ok(words);
        }
        let what = format!("expected {what} with {count} words, as the size line says, found {}", words.len());
        Err((what, line.range()))
    }

    /// Takes the rows of a grid, and returns each word with its place.
    fn take_grid(&mut self, (rows, columns): Cell, what: &str) -> Result<Vec<(Cell, TextLine<'a>)>, SpanError> {
        let mut found = Vec::with_capacity(rows * columns);
        for row in 1..=rows {
            let words = self.take_row(columns, &format!("row {row} of {what}"))?;
            found.extend((1..).zip(words).map(|(column, word)| ((row, column), word)));
        }
        Ok(found)
    }

    fn add_side_clue(&mut self, side: usize, place: Cell, word: TextLine<'_>) -> Result<(), SpanError> {
        let sign = translate(self.translations, word.text).map_or(word.text.to_owned(), |(_, sign)| sign);
        if let Some(clue) = Clue::read(&sign).map_err(|what| (what, word.range()))? {
            self.places.insert(ClueLocation::Named(SIDES[side].to_owned(), place), word.range());
            self.board.around[side].insert(place, clue);
        }
        Ok(())
    }

    fn read_cells(&mut self) -> Result<(), SpanError> {
        let mut lists: BTreeMap<&str, (Vec<Clue>, TextLine<'a>)> = BTreeMap::new();
        for (cell @ (row, column), word) in self.take_grid(self.text.size, "cells")? {
            let translated = translate(self.translations, word.text);
            if let Some(Translated::List(name)) = translated.as_ref().map(|(sign, _)| *sign) {
                lists.entry(name).or_insert((Vec::new(), word)).0.push(Clue::Text(format!("r{row}c{column}")));
                continue;
            }
            let sign = translated.map_or(word.text.to_owned(), |(_, sign)| sign);
            if let Some(clue) = Clue::read(&sign).map_err(|what| (what, word.range()))? {
                self.places.insert(ClueLocation::Cell(cell), word.range());
                self.board.signs.insert(cell, clue);
            }
        }
        for (name, (cells, place)) in lists {
            self.add_header_line(name, cells, place);
        }
        Ok(())
    }

    fn read_corners(&mut self) -> Result<(), SpanError> {
        let (rows, columns) = self.text.size;
        let mut corners = ClueGrid::new();
        for (place, word) in self.take_grid((rows + 1, columns + 1), "corners")? {
            if let Some(clue) = Clue::read(word.text).map_err(|what| (what, word.range()))? {
                self.places.insert(ClueLocation::Named("corner".to_owned(), place), word.range());
                corners.insert(place, clue);
            }
        }
        self.board.grids.insert("corner".to_owned(), corners);
        Ok(())
    }

    fn read_stars(&mut self, sign: &str) -> Result<(), SpanError> {
        let mut stars = ClueGrid::new();
        let (last_row, last_column) = self.text.size;
        for ((row, column), word) in self.take_grid(self.text.size, "stars")? {
            let (right, down) = match word.text {
                "-" | "." | "_" => continue,
                "0" => (0, 0),
                "1" => (1, 0),
                "2" => (0, 1),
                "3" => (1, 1),
                other => {
                    return Err((format!("expected a star's place, 0 to 3, found `{other}`"), word.range()));
                }
            };
            if row + down > last_row || column + right > last_column {
                return Err((format!("`{}` puts a star on the edge of the board", word.text), word.range()));
            }
            let place = (2 * row - 1 + down, 2 * column - 1 + right);
            self.places.insert(ClueLocation::Named("between".to_owned(), place), word.range());
            stars.insert(place, Clue::text(sign));
        }
        self.board.grids.insert("between".to_owned(), stars);
        Ok(())
    }

    fn read_areas(&mut self) -> Result<(), SpanError> {
        let mut names = ClueGrid::new();
        for (cell @ (row, column), word) in self.take_grid(self.text.size, "areas")? {
            let name = match translate(self.translations, word.text) {
                Some((_, sign)) => {
                    self.places.insert(ClueLocation::Cell(cell), word.range());
                    self.board.signs.insert(cell, Clue::text(&sign));
                    Clue::Text(format!("r{row}c{column}"))
                }
                None if word.text.bytes().all(|sign| sign.is_ascii_alphanumeric()) => Clue::text(word.text),
                None => {
                    return Err((format!("expected the number of an area, found `{}`", word.text), word.range()));
                }
            };
            names.insert(cell, name);
        }
        self.board.set_areas(&names);
        Ok(())
    }

    fn read_houses(&mut self) -> Result<(), SpanError> {
        let first = self.text.rows.get(self.next).copied();
        self.read_areas()?;
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for area in self.board.areas.values() {
            *sizes.entry(*area).or_default() += 1;
        }
        match sizes.values().find(|&&size| size != self.board.rows) {
            Some(size) => {
                let what = format!("expected areas of {} cells, found one of {size}", self.board.rows);
                Err((what, first.map_or(0..0, |row| row.range())))
            }
            None => Ok(()),
        }
    }

    fn read_cages(&mut self, name: &str) -> Result<(), SpanError> {
        let sums = self.take_grid(self.text.size, "the sums of cages")?;
        let mut cages: BTreeMap<&str, (Vec<Clue>, TextLine<'a>)> = BTreeMap::new();
        for ((_, sum), ((row, column), cage)) in sums.into_iter().zip(self.take_grid(self.text.size, "cages")?) {
            let (words, place) = cages.entry(cage.text).or_insert_with(|| (vec![Clue::text("?")], sum));
            words.push(Clue::Text(format!("r{row}c{column}")));
            match Clue::read(sum.text).map_err(|what| (what, sum.range()))? {
                None => {}
                Some(clue @ Clue::Number(_)) if words[0] == Clue::text("?") => (words[0], *place) = (clue, sum),
                Some(Clue::Number(_)) => return Err((format!("a second sum in cage {}", cage.text), sum.range())),
                Some(other) => return Err((format!("expected the sum of a cage, found `{other}`"), sum.range())),
            }
        }
        for (words, place) in cages.into_values() {
            self.add_header_line(name, words, place);
        }
        Ok(())
    }
}

/// Returns the translation of a word, and its sign with the numbers of the word.
fn translate<'a>(translations: &'a [Translation], word: &str) -> Option<(&'a Translated, String)> {
    translations.iter().find_map(|Translation { pattern, sign }| {
        let numbers = numbers_in(pattern, word)?;
        let text = match sign {
            Translated::Sign(text) => text,
            Translated::List(name) => name,
        };
        let mut numbers = numbers.into_iter();
        let filled = |letter: char| match letter {
            'N' => numbers.next().unwrap_or_default().to_owned(),
            other => other.to_string(),
        };
        Some((sign, text.chars().map(filled).collect()))
    })
}

/// Returns the numbers in `word` for each `N` of the pattern, or `None` if it does not match.
fn numbers_in<'a>(pattern: &str, word: &'a str) -> Option<Vec<&'a str>> {
    let mut rest = word;
    let mut numbers = Vec::new();
    for letter in pattern.chars() {
        if letter == 'N' {
            let end = rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len());
            let (number, after) = rest.split_at(end);
            numbers.push(Some(number).filter(|number| !number.is_empty())?);
            rest = after;
        } else {
            rest = rest.strip_prefix(letter)?;
        }
    }
    rest.is_empty().then_some(numbers)
}
