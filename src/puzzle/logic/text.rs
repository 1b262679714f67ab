//! A board as people write it: one general rule for every puzzle on a grid.
//!
//! ```text
//!   stars 2                a header line: stars(2).
//!   left 3 1, 2            clues beside the rows: left(1,1,3). left(1,2,1). left(2,1,2).
//!
//!   +---+---+---+          a drawing of borders: walls, and the areas that they enclose;
//!   | 2<    | # |          or plain rows, in which a cell is a word where a row has blanks, else a character
//!   +   +---+---+
//!   | .   .   1 |
//!   +---+---+---+
//!
//!   area                   a name on a line of its own begins another grid of the same size
//!   a b b
//!   a a b
//! ```
//!
//! A line that begins with `%` is a comment. All reading is linear in the text: a board comes from anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

use super::board::{
    Board, Cell, Clue, Grid, LONGEST_SIGN, MOST_BYTES, MOST_CELLS, Places, SIDES, Sign, Wrong, check_size, failure,
};
use super::signs::Signs;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::{Document, Notation};
use crate::syntax;
use crate::words;

/// A line of the text and where it begins.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    pub offset: usize,
    pub text: &'a str,
}

impl<'a> Line<'a> {
    fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    pub fn trimmed(&self) -> Line<'a> {
        let text = self.text.trim_start();
        Line { offset: self.offset + self.text.len() - text.len(), text }
    }

    /// Its words, each a line of its own.
    fn words(self) -> impl Iterator<Item = Line<'a>> {
        self.cells(false)
    }

    /// The same, where bars may set them apart as well.
    fn cells(self, is_barred: bool) -> impl Iterator<Item = Line<'a>> {
        let is_gap = move |sign: char| sign.is_whitespace() || is_barred && sign == '|';
        self.text.split(is_gap).filter(|word| !word.is_empty()).map(move |word| Line {
            offset: self.offset + (word.as_ptr() as usize - self.text.as_ptr() as usize),
            text: word,
        })
    }
}

/// A single line of as many signs as the square of this, or of a larger number, is a square.
const LEAST_SQUARE: usize = 4;

/// Returns true if a line only sets rows apart, as newspapers' sudokus have it: `------+-------+------`.
fn is_separator(text: &str, signs: &Signs) -> bool {
    let text = text.trim();
    (text.contains("--") || text.contains("=="))
        && text.chars().all(|sign| "+-=|".contains(sign))
        && !signs.are_in(text)
}

/// Returns true if bars only set columns apart: each row has as many, and between two of them stand several signs.
fn is_barred(lines: &[Line<'_>], signs: &Signs) -> bool {
    if signs.has_character('|') {
        return false;
    }
    let rows = || lines.iter().map(|line| line.text).filter(|text| !is_separator(text, signs));
    let bars = rows().next().map_or(0, |row| row.matches('|').count());
    // Borders that are drawn have a plus sign at each column, and a word is one sign.
    let border = lines.first().map(|line| line.text).filter(|text| is_border(text, signs));
    let has_several =
        |part: &str| part.split_whitespace().count() > 1 || border.is_none() && part.trim().chars().count() > 1;
    bars > 0
        && border.is_none_or(|border| border.matches('+').count() == bars)
        && rows().all(|row| row.matches('|').count() == bars)
        && rows().any(|row| row.split('|').any(has_several))
}

/// The rows of a grid, before they are read.
#[derive(Default)]
struct Rows<'a> {
    name: Option<&'a str>,
    lines: Vec<Line<'a>>,
}

/// The line of clues, and their words by row or column.
type Lists<'a> = (Range<usize>, Vec<Vec<Line<'a>>>);

struct Reader<'a> {
    document: &'a Document,
    signs: &'a Signs,
    board: Board,
    /// The lists of clues at each side, and the line that has them.
    lists: [Option<Lists<'a>>; 4],
    /// Where clues stand.
    places: Places,
    /// Numbers of rows and columns that the header says.
    size: [Option<(Range<usize>, usize)>; 2],
}

impl Board {
    /// Whether a text is rather a board than a logic program: it has no rule and no atom with arguments.
    pub fn looks_like(document: &Document) -> bool {
        Board::looks_like_one_of(document, &Signs::default())
    }

    /// The same of a board of a puzzle that has these signs: a row of them is no rule.
    pub fn looks_like_one_of(document: &Document, signs: &Signs) -> bool {
        const LOOKED_AT: usize = 1 << 16;
        let text = &document.text[..document.text.floor_char_boundary(LOOKED_AT)];
        let mut lines = lines(text).filter(|line| !line.text.trim().is_empty()).peekable();
        let is_atom = |text: &str| {
            let name = text.trim_start().trim_start_matches(|sign: char| sign.is_alphanumeric() || sign == '_');
            name.starts_with('(') && name.contains(')')
        };
        let begins_atom = |text: &&str| text.trim_start().starts_with(|first: char| first.is_ascii_lowercase());
        let is_directive = |text: &str| {
            let mut tokens = syntax::tokens(text).map(|token| token.text);
            tokens.any(|word| syntax::DIRECTIVES.contains(&word))
        };
        let is_statement = |line: Line<'_>| {
            let is_one = [":-", ":~"].iter().any(|word| line.text.contains(word))
                || line.text.trim_start().starts_with('{') && line.text.contains('}')
                || is_atom(line.text)
                || line.text.split(". ").skip(1).filter(begins_atom).any(is_atom)
                || is_directive(line.text);
            is_one && !signs.is_row(line.text)
        };
        // No program begins so, and a row of signs may look like a rule.
        let is_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_');
        let names_puzzle = |line: &Line<'_>| match line.text.split_whitespace().collect::<Vec<_>>()[..] {
            ["puzzle", name] => name.chars().all(is_name),
            _ => false,
        };
        document.notation() == Notation::Program
            && lines.peek().is_some()
            && (lines.peek().is_some_and(names_puzzle) || !lines.any(is_statement))
    }

    pub fn read(document: &Document) -> Result<Board, Failure> {
        Board::read_with_places(document).map(|(board, _)| board)
    }

    /// The board, and where its clues stand.
    pub fn read_with_places(document: &Document) -> Result<(Board, Places), Failure> {
        Board::read_with_signs(document, &Signs::default())
    }

    /// The board of a puzzle that has these signs, and where its clues stand.
    pub fn read_with_signs(document: &Document, signs: &Signs) -> Result<(Board, Places), Failure> {
        let (board, places) = (Board::default(), Places::new());
        let reader = Reader { document, signs, board, lists: Default::default(), places, size: [None, None] };
        reader.read().map_err(|wrong| failure(document, wrong))
    }

    /// A board whose rows are read sign by sign, full stops and blanks within them too. A blank line or a title ends the board.
    pub fn read_as_written(document: &Document) -> Result<(Board, Places), Failure> {
        let (mut board, mut places) = (Board::default(), Places::new());
        let mut has_ended = false;
        for line in lines(&document.text) {
            match line.text.trim().split_once(char::is_whitespace) {
                Some(("puzzle", name)) => board.puzzle = Some(name.trim().to_ascii_lowercase()),
                _ if is_title(line.text) => has_ended = board.rows > 0,
                _ if has_ended => {
                    let text = "a second board begins here; one at a time was wanted".to_owned();
                    let place = Place::of_range(&document.name, &document.text, line.range());
                    let help = "--batch with --puzzle NAME solves one after the other";
                    return Err(Diagnostic::error(text).at(Some(place)).help(help).into());
                }
                _ => {
                    board.rows += 1;
                    let signs = line.text.char_indices().filter(|(_, sign)| !is_empty(*sign));
                    for (at, sign) in signs {
                        let cell = (board.rows, line.text[..at].chars().count() + 1);
                        places.insert(Clue::Sign(cell), line.offset + at..line.offset + at + sign.len_utf8());
                        board.signs.insert(cell, Sign::Text(sign.to_string()));
                    }
                    board.columns = board.columns.max(line.text.chars().count());
                }
            }
        }
        let size = check_size(board.rows, board.columns).and(match board.rows {
            0 => Err("no board: no rows of cells".to_owned()),
            _ => Ok(()),
        });
        size.map_err(|what| failure(document, (what, 0..0)))?;
        Ok((board, places))
    }

    /// As a text that [`Board::read`] reads back to the same: with borders where there are walls or areas.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(puzzle) = &self.puzzle {
            let _ = writeln!(text, "puzzle {puzzle}");
        }
        for (name, arguments) in &self.header {
            let arguments: Vec<String> = arguments.iter().map(Sign::to_string).collect();
            let _ = writeln!(text, "{name} {}", arguments.join(" "));
        }
        for (side, grid) in self.around.iter().enumerate().filter(|(_, grid)| !grid.is_empty()) {
            let count = if side < 2 { self.rows } else { self.columns };
            let are_single = grid.keys().all(|&(_, index)| index == 1);
            let lists: Vec<String> = (1..=count)
                .map(|line| {
                    let last = grid.range((line, 1)..(line + 1, 1)).next_back().map_or(0, |(&(_, index), _)| index);
                    let last = if are_single { 1 } else { last };
                    let clue = |index| grid.get(&(line, index)).map_or(".".to_owned(), Sign::to_string);
                    (1..=last).map(clue).collect::<Vec<_>>().join(" ")
                })
                .collect();
            let comma = if are_single { " " } else { ", " };
            // One list alone has a comma as well, or it would be one for each line.
            let end = if count == 1 && !are_single { "," } else { "" };
            let _ = writeln!(text, "{} {}{end}", SIDES[side], lists.join(comma));
        }
        let has_header = !text.is_empty();
        if self.walls.is_empty() && self.areas.is_empty() {
            let rows = self.plain(&self.signs, "");
            if self.columns == 1 && rows.split('\n').any(|row| row.chars().count() > 1) {
                text.push_str("columns 1\n");
            }
            // Without it, such a row is a square.
            if self.rows == 1 && self.columns >= LEAST_SQUARE.pow(2) {
                text.push_str("rows 1\n");
            }
            text.push_str(if has_header { "\n" } else { "" });
            text.push_str(&rows);
        } else {
            text.push_str(if has_header { "\n" } else { "" });
            text.push_str(&self.drawn());
            if self.areas != self.enclosed() {
                let names = self.areas.iter().map(|(&cell, &area)| (cell, Sign::Number(area as i32))).collect();
                let _ = write!(text, "\narea\n{}", self.plain(&names, "area"));
            }
        }
        for (name, grid) in &self.grids {
            let _ = write!(text, "\n{name}\n{}", self.plain(grid, name));
        }
        text
    }

    /// Characters where all signs are, else words.
    fn plain(&self, grid: &Grid, name: &str) -> String {
        let (width, (rows, columns)) = (width_of(grid), self.size_of(name));
        let mut text = String::new();
        for row in 1..=rows {
            let signs = (1..=columns).map(|column| grid.get(&(row, column)).map_or(".".to_owned(), Sign::to_string));
            let words: Vec<String> = signs.map(|sign| format!("{sign:>width$}")).collect();
            let _ = writeln!(text, "{}", words.join(if width > 1 { " " } else { "" }));
        }
        text
    }

    fn drawn(&self) -> String {
        let width = width_of(&self.signs) + 2;
        let mut text = String::new();
        for row in 0..=self.rows {
            if row > 0 {
                for column in 1..=self.columns {
                    let is_wall = column == 1 || self.walls.contains(&((row, column - 1), (row, column)));
                    text.push(if is_wall { '|' } else { ' ' });
                    let sign = self.signs.get(&(row, column)).map_or(".".to_owned(), Sign::to_string);
                    let _ = write!(text, "{sign:^width$}");
                }
                text.push_str("|\n");
            }
            for column in 1..=self.columns {
                let is_wall = row == 0 || row == self.rows || self.walls.contains(&((row, column), (row + 1, column)));
                text.push('+');
                text.extend(std::iter::repeat_n(if is_wall { '-' } else { ' ' }, width));
            }
            text.push_str("+\n");
        }
        text
    }
}

fn width_of(grid: &Grid) -> usize {
    grid.values().map(|sign| sign.to_string().chars().count()).max().unwrap_or(1).min(LONGEST_SIGN)
}

/// Lines without blanks at their ends; of comments nothing stays.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut offset = 0;
    let all = text.split_inclusive('\n').map(move |line| {
        offset += line.len();
        Line { offset: offset - line.len(), text: line.trim_end() }
    });
    all.filter(|line| !line.text.trim_start().starts_with('%'))
}

/// Whether a line between boards that are read sign by sign is none of their rows: it is blank, or a title.
pub fn is_title(line: &str) -> bool {
    let is_word = line.starts_with(|first: char| first.is_ascii_alphabetic()) && !line.contains('#');
    line.trim().is_empty() || line.starts_with(';') || is_word
}

/// Whether a sign of such a row says that the cell is empty.
pub fn is_empty(sign: char) -> bool {
    matches!(sign, ' ' | '-' | '_' | '\t')
}

/// A name of a predicate, of two letters or more: a single one is a sign.
fn is_name(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl<'a> Reader<'a> {
    fn read(mut self) -> Result<(Board, Places), Wrong> {
        let text = &*self.document.text;
        if text.len() > MOST_BYTES {
            let most = words::thousands(MOST_CELLS);
            return Err((format!("a text of {} MB; a board can have at most {most} cells", text.len() >> 20), 0..0));
        }
        let mut grids: Vec<Rows<'_>> = Vec::new();
        // Between grids: a header line may come, or a name.
        let mut is_between = true;
        let title = super::title(text).filter(|(name, offset)| {
            let line = text[*offset..].lines().next().unwrap_or_default();
            super::called(name).is_some_and(|entry| entry.name() == self.signs.puzzle || !self.signs.is_row(line))
        });
        for line in lines(text) {
            if let Some((name, _)) = title.as_ref().filter(|(_, offset)| *offset == line.offset) {
                self.board.puzzle = Some(name.clone());
                continue;
            }
            if line.text.is_empty() {
                is_between = true;
                continue;
            }
            if let Some((at, sign)) = line.text.char_indices().find(|&(_, sign)| is_no_text(sign)) {
                let begin = line.offset + at;
                return Err((no_text(sign), begin..begin + sign.len_utf8()));
            }
            let bare = line.trimmed();
            let last = grids.last().and_then(|grid| grid.lines.last());
            let is_other_row = |row: &Line<'_>| {
                is_between || !is_name(row.text) && row.text.trim().chars().count() != bare.text.chars().count()
            };
            let is_title = is_name(bare.text) && !self.signs.is_row(bare.text);
            if is_title && (bare.text == "area" || last.is_some_and(is_other_row)) {
                grids.push(Rows { name: Some(bare.text), lines: Vec::new() });
                is_between = false;
            } else if !(is_between && self.header(bare)?) {
                if grids.is_empty() {
                    grids.push(Rows::default());
                }
                grids.last_mut().expect("just pushed").lines.push(line);
                is_between = false;
            }
        }
        let is_header_alone =
            !self.board.header.is_empty() && self.size == [None, None] && self.lists.iter().all(Option::is_none);
        if grids.is_empty() && !is_header_alone {
            self.size_of_clues()?;
        }
        for grid in grids {
            let grid = self.without_clues_around(grid);
            self.grid(&grid)?;
        }
        self.clues()?;
        Ok((self.board, self.places))
    }

    /// Takes a line `name value …`; false if it is none.
    fn header(&mut self, line: Line<'a>) -> Result<bool, Wrong> {
        let Some((name, values)) = line.text.split_once(char::is_whitespace) else { return Ok(false) };
        let name = name.trim_end_matches([':', '=']);
        if !is_name(name) || self.signs.is_row(line.text) {
            return Ok(false);
        }
        let values = Line { offset: line.offset + line.text.len() - values.len(), text: values };
        let lists = || {
            values.text.split(',').map(|list| {
                let offset = values.offset + (list.as_ptr() as usize - values.text.as_ptr() as usize);
                Line { offset, text: list }.words().collect::<Vec<_>>()
            })
        };
        let has_lists = values.text.contains(',');
        let sign = |word: Line<'_>| Sign::read(word.text).map_err(|what| (what, word.range()));
        if let Some(side) = SIDES.iter().position(|&side| side == name) {
            let lists = if has_lists { lists().collect() } else { values.words().map(|word| vec![word]).collect() };
            if self.lists[side].replace((line.range(), lists)).is_some() {
                return Err((format!("a second line of clues `{name}`"), line.range()));
            }
        } else if name == "puzzle" {
            self.board.puzzle = Some(values.text.trim().to_ascii_lowercase());
        } else if let Some(way) = ["rows", "columns"].iter().position(|&way| way == name) {
            let number = values.text.trim().parse().ok().filter(|&number: &usize| number > 0);
            let number = number.ok_or_else(|| (format!("expected the number of {name}"), values.range()))?;
            self.size[way] = Some((line.range(), number));
        } else if has_lists {
            for (list, words) in (1..).zip(lists()) {
                for (index, word) in (1..).zip(words) {
                    if let Some(value) = sign(word)? {
                        let arguments = vec![Sign::Number(list), Sign::Number(index), value];
                        self.places.insert(Clue::Header(name.to_owned(), arguments.clone()), word.range());
                        self.board.header.insert((name.to_owned(), arguments));
                    }
                }
            }
        } else {
            let values = values.words().map(|word| Ok(sign(word)?.unwrap_or_else(|| Sign::Text(word.text.to_owned()))));
            let arguments = values.collect::<Result<Vec<Sign>, Wrong>>()?;
            // Each variant is a fact.
            let facts = if name == "variant" { arguments.chunks(1).collect() } else { vec![&arguments[..]] };
            for arguments in facts {
                self.places.insert(Clue::Header(name.to_owned(), arguments.to_vec()), line.range());
                self.board.header.insert((name.to_owned(), arguments.to_vec()));
            }
        }
        Ok(true)
    }

    /// A board without a grid is as large as the header or its clues say.
    fn size_of_clues(&mut self) -> Result<(), Wrong> {
        let [left, right, top, bottom] = &self.lists;
        let size = |way: usize, lists: [&Option<(Range<usize>, Vec<_>)>; 2]| {
            let clues = lists.into_iter().flatten().map(|(_, lists)| lists.len()).next();
            self.size[way].as_ref().map(|&(_, number)| number).or(clues)
        };
        let none = || ("no board: neither rows of cells, nor clues beside and above them".to_owned(), 0..0);
        let (rows, columns) = size(0, [left, right]).zip(size(1, [top, bottom])).ok_or_else(none)?;
        self.set_size(rows, columns, 0..0)
    }

    fn set_size(&mut self, rows: usize, columns: usize, range: Range<usize>) -> Result<(), Wrong> {
        check_size(rows, columns).map_err(|what| (what, range))?;
        for ((said, found), name) in self.size.iter().zip([rows, columns]).zip(["row", "column"]) {
            if let Some((range, said)) = said.as_ref().filter(|&&(_, said)| said != found) {
                let found = words::count(found, name, &format!("{name}s"));
                return Err((format!("the header says {name}s {said}, but the board has {found}"), range.clone()));
            }
        }
        (self.board.rows, self.board.columns) = (rows, columns);
        Ok(())
    }

    fn clues(&mut self) -> Result<(), Wrong> {
        for (side, lists) in self.lists.iter_mut().enumerate() {
            let Some((range, lists)) = lists else { continue };
            let (wanted, one, many) = match side {
                0 | 1 => (self.board.rows, "row", "rows"),
                _ => (self.board.columns, "column", "columns"),
            };
            // A comma at the end makes one list of several words.
            if lists.len() == wanted + 1 && lists.last().is_some_and(Vec::is_empty) {
                lists.pop();
            }
            if lists.len() != wanted {
                let found = words::count(lists.len(), "list", "lists");
                let wanted = words::count(wanted, one, many);
                return Err((format!("{found} of clues `{}` for {wanted}", SIDES[side]), range.clone()));
            }
            for (line, list) in (1..).zip(lists) {
                for (index, word) in (1..).zip(list) {
                    if let Some(sign) = Sign::read(word.text).map_err(|what| (what, word.range()))? {
                        self.places.insert(Clue::Named(SIDES[side].to_owned(), (line, index)), word.range());
                        self.board.around[side].insert((line, index), sign);
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes the clues around a board as it is printed: the line above the rows is indented, as one below may be, and each row
    /// begins, or begins and ends, with a clue.
    ///
    /// ```text
    ///     1 0 1
    ///   1 . T .
    ///   0 . . .
    /// ```
    fn without_clues_around(&mut self, grid: Rows<'a>) -> Rows<'a> {
        let words: Vec<Vec<Line<'a>>> = grid.lines.iter().map(|line| line.words().collect()).collect();
        let indent = |line: &Line<'a>| line.text.len() - line.text.trim_start().len();
        let [above, first, .., last] = &grid.lines[..] else { return grid };
        let columns = words[0].len();
        let has_below = indent(last) > indent(first) && words[words.len() - 1].len() == columns;
        let rows = 1..words.len() - usize::from(has_below);
        let beside = words[1].len().saturating_sub(columns);
        let has_lists = self.lists.iter().any(Option::is_some);
        if grid.name.is_some()
            || has_lists
            || indent(above) <= indent(first)
            || columns < 2
            || !(1..=2).contains(&beside)
            || words[rows.clone()].iter().any(|row| row.len() != columns + beside)
        {
            return grid;
        }
        let each = |words: &[Line<'a>]| words.iter().map(|&word| vec![word]).collect();
        let lines = &words[rows.clone()];
        let at = |index: usize| lines.iter().map(|row| vec![row[index]]).collect();
        self.lists[0] = Some((first.range(), at(0)));
        self.lists[1] = (beside == 2).then(|| (first.range(), at(columns + 1)));
        self.lists[2] = Some((above.range(), each(&words[0])));
        self.lists[3] = has_below.then(|| (last.range(), each(&words[words.len() - 1])));
        let text = &*self.document.text;
        let row = |row: &Vec<Line<'a>>| {
            let (begin, end) = (row[1].offset, row[columns].range().end);
            Line { offset: begin, text: &text[begin..end] }
        };
        Rows { name: None, lines: lines.iter().map(row).collect() }
    }

    fn grid(&mut self, grid: &Rows<'_>) -> Result<(), Wrong> {
        let range = grid.lines.first().map_or(0..0, Line::range);
        let is_drawn = grid.lines.first().is_some_and(|line| is_border(line.text, self.signs))
            && !is_barred(&grid.lines, self.signs);
        let (size, signs, walls) = if is_drawn { drawing(&grid.lines)? } else { self.rows(grid)? };
        if self.board.rows == 0 {
            self.set_size(size.0, size.1, range.clone())?;
        } else if let wanted = self.board.size_of(grid.name.unwrap_or_default())
            && size != wanted
        {
            let [rows, of_board] = [size.0, wanted.0].map(|rows| words::count(rows, "row", "rows"));
            let what = format!("the grid `{}` has {rows} of {}; ", grid.name.unwrap_or_default(), size.1);
            let wants = if wanted == (self.board.rows, self.board.columns) { "the board has" } else { "it needs" };
            return Err((format!("{what}{wants} {of_board} of {}", wanted.1), range.clone()));
        }
        if let Some(walls) = walls {
            self.board.walls = walls;
            self.board.areas = self.board.enclosed();
        }
        let clues = signs.iter().map(|(&cell, (_, range))| match grid.name {
            None => (Clue::Sign(cell), range.clone()),
            Some(name) => (Clue::Named(name.to_owned(), cell), range.clone()),
        });
        self.places.extend(clues.filter(|_| grid.name != Some("area")));
        let signs: Grid = signs.into_iter().map(|(cell, (sign, _))| (cell, sign)).collect();
        match grid.name {
            None => self.board.signs = signs,
            Some("area") => {
                self.board.set_areas(&signs);
            }
            Some(name) => {
                if self.board.grids.insert(name.to_owned(), signs).is_some() {
                    return Err((format!("a second grid `{name}`"), range));
                }
            }
        }
        Ok(())
    }

    /// Plain rows of words or characters.
    fn rows(&self, grid: &Rows<'_>) -> Result<Found, Wrong> {
        let is_barred = is_barred(&grid.lines, self.signs);
        let is_row = |line: &Line<'_>| !is_barred || !is_separator(line.text, self.signs);
        let grid = &Rows { name: grid.name, lines: grid.lines.iter().copied().filter(is_row).collect() };
        // Rows and columns that the grid has, as far as the header or an earlier grid says.
        let known = match self.board.rows {
            0 => [0, 1].map(|way| self.size[way].as_ref().map(|&(_, number)| number)),
            _ => <[usize; 2]>::from(self.board.size_of(grid.name.unwrap_or_default())).map(Some),
        };
        if let [line] = &grid.lines[..]
            && self.size[0].is_none()
            && known[0] != Some(1)
            && let text = line.text.trim()
            && let columns = text.chars().count().isqrt()
            && columns >= LEAST_SQUARE
            && columns * columns == text.chars().count()
            && !text.contains(char::is_whitespace)
        {
            // The rows of a square, one behind the other.
            let starts: Vec<usize> =
                text.char_indices().map(|(at, _)| at).step_by(columns).chain([text.len()]).collect();
            let row = |pair: &[usize]| Line { offset: line.trimmed().offset + pair[0], text: &text[pair[0]..pair[1]] };
            return self.rows(&Rows { name: grid.name, lines: starts.windows(2).map(row).collect() });
        }
        let has_words =
            known[1] == Some(1) || grid.lines.iter().any(|line| line.text.trim().contains(char::is_whitespace));
        let length = |line: &Line<'_>| match has_words {
            true => line.cells(is_barred).count(),
            false => line.text.trim().chars().filter(|&sign| !is_barred || sign != '|').count(),
        };
        let mut lengths = BTreeMap::<usize, usize>::new();
        grid.lines.iter().for_each(|line| *lengths.entry(length(line)).or_default() += 1);
        let first = grid.lines.first().map_or(0, length);
        let Some((&columns, _)) = lengths.iter().max_by_key(|&(&length, count)| (count, length == first)) else {
            return Err((format!("the grid `{}` has no rows", grid.name.unwrap_or_default()), 0..0));
        };
        if let Some(line) = grid.lines.iter().find(|line| length(line) != columns) {
            return Err((format!("a row of {} among rows of {columns}", length(line)), line.range()));
        }
        let range = grid.lines.first().map_or(0..0, Line::range);
        check_size(grid.lines.len(), columns).map_err(|what| (what, range))?;
        let mut signs = Placed::new();
        let mut put = |cell: Cell, line: Line<'_>| {
            let sign = Sign::read(line.text).map_err(|what| (what, line.range()))?;
            signs.extend(sign.map(|sign| (cell, (sign, line.range()))));
            Ok::<_, Wrong>(())
        };
        for (row, &line) in (1..).zip(&grid.lines) {
            if has_words {
                (1..).zip(line.cells(is_barred)).try_for_each(|(column, word)| put((row, column), word))?;
            } else {
                let begin = line.text.len() - line.text.trim_start().len();
                let signs = line.text[begin..].char_indices().filter(|&(_, sign)| !is_barred || sign != '|');
                for (column, (at, sign)) in (1..).zip(signs) {
                    let (offset, end) = (line.offset + begin + at, begin + at + sign.len_utf8());
                    put((row, column), Line { offset, text: &line.text[begin + at..end] })?;
                }
            }
        }
        Ok(((grid.lines.len(), columns), signs, None))
    }
}

/// What stands in cells, and where.
type Placed = BTreeMap<Cell, (Sign, Range<usize>)>;

/// The size of a grid, its signs, and its walls where it is drawn.
type Found = (Cell, Placed, Option<BTreeSet<(Cell, Cell)>>);

fn is_no_text(sign: char) -> bool {
    sign.is_control() && sign != '\t' || sign == char::REPLACEMENT_CHARACTER
}

fn no_text(sign: char) -> String {
    match sign {
        char::REPLACEMENT_CHARACTER => "not valid UTF-8".to_owned(),
        _ => format!("the control character U+{:04X}, where a sign was wanted", u32::from(sign)),
    }
}

fn is_border(text: &str, signs: &Signs) -> bool {
    let text = text.trim();
    text.len() > 1
        && text.starts_with('+')
        && text.ends_with('+')
        && text.bytes().all(|byte| b"+- ".contains(&byte))
        && !signs.are_in(text)
}

/// Rows between lines of borders; the `+` of the first line say where columns are.
fn drawing(lines: &[Line<'_>]) -> Result<Found, Wrong> {
    let corners: Vec<usize> =
        lines[0].text.chars().enumerate().filter(|&(_, sign)| sign == '+').map(|(at, _)| at).collect();
    let size @ (rows, columns) = (lines.len() / 2, corners.len() - 1);
    check_size(rows.max(1), columns).map_err(|what| (what, lines[0].range()))?;
    let (mut signs, mut walls) = (Placed::new(), BTreeSet::new());
    for (number, line) in lines.iter().enumerate() {
        // Where each character begins; borders are found by characters, places are bytes.
        let ends: Vec<usize> = line.text.char_indices().map(|(at, _)| at).chain([line.text.len()]).collect();
        let piece = |begin: usize, end: usize| {
            let [begin, end] = [begin, end].map(|at| ends[at.min(ends.len() - 1)]);
            Line { offset: line.offset + begin, text: &line.text[begin..end] }
        };
        let is_row = number % 2 == 1;
        let row = number.div_ceil(2);
        if ends.len() - 1 > corners[columns] + 1 {
            let rest = piece(corners[columns] + 1, usize::MAX);
            return Err(("a line that is longer than the first line of its drawing".to_owned(), rest.range()));
        }
        for (column, &corner) in corners.iter().enumerate() {
            let found = piece(corner, corner + 1);
            let is_frame = column == 0 || column == columns;
            match (is_row, found.text) {
                (true, "|" | "│" | "┃" | "║") if !is_frame => {
                    walls.insert(((row, column), (row, column + 1)));
                }
                (true, "|" | "│" | "┃" | "║") | (false, "+" | "-" | "|") => {}
                (true, " " | "") | (false, " ") if !is_frame => {}
                (true, _) => return Err((expected("`|`", is_frame, found), found.range())),
                (false, _) => return Err((expected("`+`", is_frame, found), found.range())),
            }
            let Some(&next) = corners.get(column + 1) else { break };
            let inside = piece(corner + 1, next);
            let text = inside.text.trim();
            if is_row {
                let word = Line { offset: inside.offset + inside.text.len() - inside.text.trim_start().len(), text };
                if text.contains(|sign: char| sign == '|' || sign.is_whitespace()) {
                    let what = format!(
                        "`{}` in one cell; the corners `+` of the first line set cells apart",
                        words::shortened(text)
                    );
                    return Err((what, word.range()));
                }
                let sign =
                    if text.is_empty() { None } else { Sign::read(text).map_err(|what| (what, word.range()))? };
                signs.extend(sign.map(|sign| ((row, column + 1), (sign, word.range()))));
            } else if !inside.text.is_empty() && inside.text.bytes().all(|byte| byte == b'-') {
                if row > 0 && number + 1 < lines.len() {
                    walls.insert(((row, column + 1), (row + 1, column + 1)));
                }
            } else if !text.is_empty() || inside.text.is_empty() || row == 0 || number + 1 == lines.len() {
                return Err((expected("`-`", row == 0 || number + 1 == lines.len(), inside), inside.range()));
            }
        }
    }
    if lines.len().is_multiple_of(2) || rows == 0 {
        let last = lines[lines.len() - 1];
        return Err(("the drawing ends without a border below its last row".to_owned(), last.range()));
    }
    Ok((size, signs, Some(walls)))
}

fn expected(what: &str, is_frame: bool, found: Line<'_>) -> String {
    let blank = if is_frame { ", as the drawing is closed" } else { " or a blank" };
    let found =
        if found.text.is_empty() { "the line's end".to_owned() } else { format!("`{}`", words::shortened(found.text)) };
    format!("{found} where a border was expected: {what}{blank}")
}
