//! Text boards: one general format for all puzzles on a grid.
//!
//! ```text
//!   stars 2                a header line: stars(2).
//!   left 3 1, 2            clues beside the rows: left(1,1,3). left(1,2,1). left(2,1,2).
//!
//!   +---+---+---+          a drawing, whose borders are walls and enclose areas; or plain rows, in
//!   | 2<    | # |          which each cell is a word if a row contains blanks, otherwise a character
//!   +   +---+---+
//!   | .   .   1 |
//!   +---+---+---+
//!
//!   area                   a name on a line of its own begins another grid of the same size
//!   a b b
//!   a a b
//! ```
//!
//! Lines that begin with `%` are comments. Reading takes linear time, since boards come from
//! untrusted sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

use base::diagnostic::Failure;
use base::document::{Document, Notation};
use base::{syntax, words};

use super::board::{
    Cell, Clue, ClueGrid, ClueLocation, ClueRanges, GridBoard, MAX_BYTES, MAX_CELLS, MAX_CLUE_LENGTH, SIDES, SpanError,
    check_size, failure,
};
use super::definition::Catalogue;
use super::lines::{TextLine, is_name, lines, title_line};
use super::signs::PuzzleSigns;

/// A single line of n² signs is read as a square if n is at least this number.
const MIN_SQUARE_SIDE: usize = 4;

/// Returns true if a line only separates rows, as in printed sudokus: `------+-------+------`.
fn is_separator(text: &str, signs: &PuzzleSigns) -> bool {
    let text = text.trim();
    (text.contains("--") || text.contains("=="))
        && text.chars().all(|sign| "+-=|".contains(sign))
        && !signs.occur_in(text)
}

/// Returns true if bars only separate columns: all rows have the same number of bars, and there are
/// several signs between some two bars.
fn is_barred(lines: &[TextLine<'_>], signs: &PuzzleSigns) -> bool {
    if signs.has_character('|') {
        return false;
    }
    let rows = || lines.iter().map(|line| line.text).filter(|text| !is_separator(text, signs));
    let bars = rows().next().map_or(0, |row| row.matches('|').count());
    // Drawn borders have a plus sign at each column, and a word between bars is a single clue.
    let border = lines.first().map(|line| line.text).filter(|text| is_border(text, signs));
    let has_several =
        |part: &str| part.split_whitespace().count() > 1 || border.is_none() && part.trim().chars().count() > 1;
    bars > 0
        && border.is_none_or(|border| border.matches('+').count() == bars)
        && rows().all(|row| row.matches('|').count() == bars)
        && rows().any(|row| row.split('|').any(has_several))
}

/// The lines of a grid before parsing.
#[derive(Default)]
struct RawGrid<'a> {
    name: Option<&'a str>,
    lines: Vec<TextLine<'a>>,
}

/// The range of a line `left …`, `right …`, `top …` or `bottom …`, and its words for each row or
/// column.
type ClueLists<'a> = (Range<usize>, Vec<Vec<TextLine<'a>>>);

struct BoardReader<'a> {
    document: &'a Document,
    signs: &'a PuzzleSigns,
    /// The puzzles whose names are titles.
    catalogue: &'a Catalogue,
    board: GridBoard,
    /// The clues at each of [`SIDES`].
    lists: [Option<ClueLists<'a>>; 4],
    places: ClueRanges,
    /// The numbers of rows and columns in the header, and the ranges of their lines.
    size: [Option<(Range<usize>, usize)>; 2],
}

impl GridBoard {
    /// Returns true if a text is likely to be a board and not a logic program: it has no rule and
    /// no atom with arguments.
    pub fn looks_like(document: &Document) -> bool {
        GridBoard::looks_like_one_of(document, &PuzzleSigns::default())
    }

    /// Like [`Self::looks_like`], for a puzzle with these signs, whose rows may resemble rules.
    pub fn looks_like_one_of(document: &Document, signs: &PuzzleSigns) -> bool {
        const SAMPLE_SIZE: usize = 1 << 16;
        let text = &document.text[..document.text.floor_char_boundary(SAMPLE_SIZE)];
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
        let is_statement = |line: TextLine<'_>| {
            let has_statement = [":-", ":~"].iter().any(|word| line.text.contains(word))
                || line.text.trim_start().starts_with('{') && line.text.contains('}')
                || is_atom(line.text)
                || line.text.split(". ").skip(1).filter(begins_atom).any(is_atom)
                || is_directive(line.text);
            has_statement && !signs.is_row(line.text)
        };
        // No program begins with a line `puzzle NAME`. Later rows of signs may resemble rules.
        let is_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_');
        let names_puzzle = |line: &TextLine<'_>| match line.text.split_whitespace().collect::<Vec<_>>()[..] {
            ["puzzle", name] => name.chars().all(is_name),
            _ => false,
        };
        document.notation() == Notation::Program
            && lines.peek().is_some()
            && (lines.peek().is_some_and(names_puzzle) || !lines.any(is_statement))
    }

    pub fn read(document: &Document) -> Result<GridBoard, Failure> {
        GridBoard::read_with_places(document).map(|(board, _)| board)
    }

    /// Reads a board and the ranges of its clues.
    pub fn read_with_places(document: &Document) -> Result<(GridBoard, ClueRanges), Failure> {
        GridBoard::read_with_signs(document, &PuzzleSigns::default(), Catalogue::builtin())
    }

    /// Reads a board of a puzzle with these signs, and the ranges of its clues. A line that names a
    /// puzzle of `catalogue` is a title.
    pub fn read_with_signs(
        document: &Document,
        signs: &PuzzleSigns,
        catalogue: &Catalogue,
    ) -> Result<(GridBoard, ClueRanges), Failure> {
        let (board, places) = (GridBoard::default(), ClueRanges::new());
        let reader =
            BoardReader { document, signs, catalogue, board, lists: Default::default(), places, size: [None, None] };
        reader.read().map_err(|wrong| failure(document, wrong))
    }

    /// Returns a text from which [`Self::read`] gets the same board. Borders are drawn if the board
    /// has walls or areas.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(puzzle) = &self.puzzle {
            let _ = writeln!(text, "puzzle {puzzle}");
        }
        for (name, arguments) in &self.header {
            let arguments: Vec<String> = arguments.iter().map(Clue::to_string).collect();
            let _ = writeln!(text, "{name} {}", arguments.join(" "));
        }
        for (side, grid) in self.around.iter().enumerate().filter(|(_, grid)| !grid.is_empty()) {
            let count = if side < 2 { self.rows } else { self.columns };
            let are_single = grid.keys().all(|&(_, index)| index == 1);
            let lists: Vec<String> = (1..=count)
                .map(|line| {
                    let last = grid.range((line, 1)..(line + 1, 1)).next_back().map_or(0, |(&(_, index), _)| index);
                    let last = if are_single { 1 } else { last };
                    let clue = |index| grid.get(&(line, index)).map_or(".".to_owned(), Clue::to_string);
                    (1..=last).map(clue).collect::<Vec<_>>().join(" ")
                })
                .collect();
            let comma = if are_single { " " } else { ", " };
            // Without a comma, each word of a single list would become a list.
            let end = if count == 1 && !are_single { "," } else { "" };
            let _ = writeln!(text, "{} {}{end}", SIDES[side], lists.join(comma));
        }
        let has_header = !text.is_empty();
        if self.walls.is_empty() && self.areas.is_empty() {
            let rows = self.plain_rows(&self.signs, "");
            if self.columns == 1 && rows.split('\n').any(|row| row.chars().count() > 1) {
                text.push_str("columns 1\n");
            }
            // Without a line `rows 1`, the row would be read as a square.
            if self.rows == 1 && self.columns >= MIN_SQUARE_SIDE.pow(2) {
                text.push_str("rows 1\n");
            }
            text.push_str(if has_header { "\n" } else { "" });
            text.push_str(&rows);
        } else {
            text.push_str(if has_header { "\n" } else { "" });
            text.push_str(&self.drawn_rows());
            if self.areas != self.enclosed_areas() {
                let names = self.areas.iter().map(|(&cell, &area)| (cell, Clue::Number(area as i32))).collect();
                let _ = write!(text, "\narea\n{}", self.plain_rows(&names, "area"));
            }
        }
        for (name, grid) in &self.grids {
            let _ = write!(text, "\n{name}\n{}", self.plain_rows(grid, name));
        }
        text
    }

    /// Writes plain rows: of characters if all clues are single characters, otherwise of words.
    fn plain_rows(&self, grid: &ClueGrid, name: &str) -> String {
        let (width, (rows, columns)) = (width_of(grid), self.grid_size(name));
        let mut text = String::new();
        for row in 1..=rows {
            let signs = (1..=columns).map(|column| grid.get(&(row, column)).map_or(".".to_owned(), Clue::to_string));
            let words: Vec<String> = signs.map(|sign| format!("{sign:>width$}")).collect();
            let _ = writeln!(text, "{}", words.join(if width > 1 { " " } else { "" }));
        }
        text
    }

    fn drawn_rows(&self) -> String {
        let width = width_of(&self.signs) + 2;
        let mut text = String::new();
        for row in 0..=self.rows {
            if row > 0 {
                for column in 1..=self.columns {
                    let is_wall = column == 1 || self.walls.contains(&((row, column - 1), (row, column)));
                    text.push(if is_wall { '|' } else { ' ' });
                    let sign = self.signs.get(&(row, column)).map_or(".".to_owned(), Clue::to_string);
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

fn width_of(grid: &ClueGrid) -> usize {
    grid.values().map(|sign| sign.to_string().chars().count()).max().unwrap_or(1).min(MAX_CLUE_LENGTH)
}

impl<'a> BoardReader<'a> {
    fn read(mut self) -> Result<(GridBoard, ClueRanges), SpanError> {
        let text = &*self.document.text;
        if text.len() > MAX_BYTES {
            let max_cells = words::thousands(MAX_CELLS);
            return Err((
                format!("a text of {} MB; a board can have at most {max_cells} cells", text.len() >> 20),
                0..0,
            ));
        }
        let mut grids: Vec<RawGrid<'_>> = Vec::new();
        // True between grids, where a header line or the name of a grid may follow.
        let mut is_between = true;
        let title = title_line(text).filter(|(name, offset)| {
            let line = text[*offset..].lines().next().unwrap_or_default();
            self.catalogue.find(name).is_some_and(|named| *named.name == self.signs.puzzle || !self.signs.is_row(line))
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
            if let Some((at, sign)) = line.text.char_indices().find(|&(_, sign)| is_invalid_character(sign)) {
                let begin = line.offset + at;
                return Err((describe_invalid_character(sign), begin..begin + sign.len_utf8()));
            }
            let trimmed = line.trimmed();
            let last = grids.last().and_then(|grid| grid.lines.last());
            let is_other_row = |row: &TextLine<'_>| {
                is_between || !is_name(row.text) && row.text.trim().chars().count() != trimmed.text.chars().count()
            };
            let is_grid_name = is_name(trimmed.text) && !self.signs.is_row(trimmed.text);
            let begins_board = grids.is_empty() && self.signs.names_grid(trimmed.text);
            if is_grid_name && (trimmed.text == "area" || begins_board || last.is_some_and(is_other_row)) {
                grids.push(RawGrid { name: Some(trimmed.text), lines: Vec::new() });
                is_between = false;
            } else if !(is_between && self.read_header_line(trimmed)?) {
                if grids.is_empty() {
                    grids.push(RawGrid::default());
                }
                grids.last_mut().expect("just pushed").lines.push(line);
                is_between = false;
            }
        }
        let is_header_alone =
            !self.board.header.is_empty() && self.size == [None, None] && self.lists.iter().all(Option::is_none);
        if grids.is_empty() && !is_header_alone {
            self.set_size_from_clues()?;
        }
        if let (Some(RawGrid { name: Some(_), .. }), [Some((range, rows)), Some((_, columns))]) =
            (grids.first(), self.size.clone())
        {
            self.set_size(rows, columns, range)?;
        }
        for grid in grids {
            let grid = self.take_clues_around(grid);
            self.read_grid(&grid)?;
        }
        self.add_side_clues()?;
        Ok((self.board, self.places))
    }

    /// Reads a line `name value …`. Returns false if it is not a header line.
    fn read_header_line(&mut self, line: TextLine<'a>) -> Result<bool, SpanError> {
        let Some((name, values)) = line.text.split_once(char::is_whitespace) else { return Ok(false) };
        let name = name.trim_end_matches([':', '=']);
        if !is_name(name) || self.signs.is_row(line.text) {
            return Ok(false);
        }
        let values = line.part(values);
        let lists = || values.split(|sign| sign == ',').map(|list| list.words().collect::<Vec<_>>());
        let has_lists = values.text.contains(',');
        let sign = |word: TextLine<'_>| Clue::read(word.text).map_err(|what| (what, word.range()));
        if let Some(side) = SIDES.iter().position(|&side| side == name) {
            let lists = if has_lists { lists().collect() } else { values.words().map(|word| vec![word]).collect() };
            if self.lists[side].replace((line.range(), lists)).is_some() {
                return Err((format!("a second line of clues `{name}`"), line.range()));
            }
        } else if name == "puzzle" {
            self.board.puzzle = Some(values.text.trim().to_ascii_lowercase());
        } else if let Some(axis) = ["rows", "columns"].iter().position(|&axis| axis == name) {
            let number = values.text.trim().parse().ok().filter(|&number: &usize| number > 0);
            let number = number.ok_or_else(|| (format!("expected the number of {name}"), values.range()))?;
            self.size[axis] = Some((line.range(), number));
        } else if has_lists {
            for (list, words) in (1..).zip(lists()) {
                for (index, word) in (1..).zip(words) {
                    if let Some(value) = sign(word)? {
                        let arguments = vec![Clue::Number(list), Clue::Number(index), value];
                        self.places.insert(ClueLocation::Header(name.to_owned(), arguments.clone()), word.range());
                        self.board.header.insert((name.to_owned(), arguments));
                    }
                }
            }
        } else {
            let values = values.words().map(|word| Ok(sign(word)?.unwrap_or_else(|| Clue::Text(word.text.to_owned()))));
            let arguments = values.collect::<Result<Vec<Clue>, SpanError>>()?;
            // Each variant becomes a fact.
            let facts = if name == "variant" { arguments.chunks(1).collect() } else { vec![&arguments[..]] };
            for arguments in facts {
                self.places.insert(ClueLocation::Header(name.to_owned(), arguments.to_vec()), line.range());
                self.board.header.insert((name.to_owned(), arguments.to_vec()));
            }
        }
        Ok(true)
    }

    /// Sets the size of a board without rows of cells: from the header, or from the number of
    /// clues.
    fn set_size_from_clues(&mut self) -> Result<(), SpanError> {
        let [left, right, top, bottom] = &self.lists;
        let size = |axis: usize, lists: [&Option<(Range<usize>, Vec<_>)>; 2]| {
            let clues = lists.into_iter().flatten().map(|(_, lists)| lists.len()).next();
            self.size[axis].as_ref().map(|&(_, number)| number).or(clues)
        };
        let none = || ("no board: neither rows of cells, nor clues beside and above them".to_owned(), 0..0);
        let (rows, columns) = size(0, [left, right]).zip(size(1, [top, bottom])).ok_or_else(none)?;
        self.set_size(rows, columns, 0..0)
    }

    fn set_size(&mut self, rows: usize, columns: usize, range: Range<usize>) -> Result<(), SpanError> {
        check_size(rows, columns).map_err(|what| (what, range))?;
        for ((stated, found), name) in self.size.iter().zip([rows, columns]).zip(["row", "column"]) {
            if let Some((range, stated)) = stated.as_ref().filter(|&&(_, stated)| stated != found) {
                let found = words::count(found, name, &format!("{name}s"));
                return Err((format!("the header says {name}s {stated}, but the board has {found}"), range.clone()));
            }
        }
        (self.board.rows, self.board.columns) = (rows, columns);
        Ok(())
    }

    /// Adds the clues of the header lines for sides to the board.
    fn add_side_clues(&mut self) -> Result<(), SpanError> {
        for (side, lists) in self.lists.iter_mut().enumerate() {
            let Some((range, lists)) = lists else { continue };
            let (num_lines, one, many) = match side {
                0 | 1 => (self.board.rows, "row", "rows"),
                _ => (self.board.columns, "column", "columns"),
            };
            // A comma at the end of the line, which makes the words a single list, is not a
            // separator.
            if lists.len() == num_lines + 1 && lists.last().is_some_and(Vec::is_empty) {
                lists.pop();
            }
            if lists.len() != num_lines {
                let num_lists = words::count(lists.len(), "list", "lists");
                let num_lines = words::count(num_lines, one, many);
                return Err((format!("{num_lists} of clues `{}` for {num_lines}", SIDES[side]), range.clone()));
            }
            for (line, list) in (1..).zip(lists) {
                for (index, word) in (1..).zip(list) {
                    if let Some(sign) = Clue::read(word.text).map_err(|what| (what, word.range()))? {
                        self.places.insert(ClueLocation::Named(SIDES[side].to_owned(), (line, index)), word.range());
                        self.board.around[side].insert((line, index), sign);
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes the clues around a board as it is printed: an indented line above the rows, perhaps
    /// one below them, and a clue at the beginning, or at both ends, of each row. Returns the
    /// remaining grid.
    fn take_clues_around(&mut self, grid: RawGrid<'a>) -> RawGrid<'a> {
        let words: Vec<Vec<TextLine<'a>>> = grid.lines.iter().map(|line| line.words().collect()).collect();
        let indent = |line: &TextLine<'a>| line.text.len() - line.text.trim_start().len();
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
        let single_lists = |words: &[TextLine<'a>]| words.iter().map(|&word| vec![word]).collect();
        let lines = &words[rows.clone()];
        let column_clues = |index: usize| lines.iter().map(|row| vec![row[index]]).collect();
        self.lists[0] = Some((first.range(), column_clues(0)));
        self.lists[1] = (beside == 2).then(|| (first.range(), column_clues(columns + 1)));
        self.lists[2] = Some((above.range(), single_lists(&words[0])));
        self.lists[3] = has_below.then(|| (last.range(), single_lists(&words[words.len() - 1])));
        let text = &*self.document.text;
        let row = |row: &Vec<TextLine<'a>>| {
            let (begin, end) = (row[1].offset, row[columns].range().end);
            TextLine { offset: begin, text: &text[begin..end] }
        };
        RawGrid { name: None, lines: lines.iter().map(row).collect() }
    }

    fn read_grid(&mut self, grid: &RawGrid<'_>) -> Result<(), SpanError> {
        let range = grid.lines.first().map_or(0..0, TextLine::range);
        let is_drawn = grid.lines.first().is_some_and(|line| is_border(line.text, self.signs))
            && !is_barred(&grid.lines, self.signs);
        let (size, signs, walls) = if is_drawn { parse_drawing(&grid.lines)? } else { self.parse_rows(grid)? };
        if self.board.rows == 0 {
            let name = grid.name.unwrap_or_default();
            let (rows, columns) = GridBoard::size_of_board(name, size).ok_or_else(|| {
                let rows = words::count(size.0, "row", "rows");
                (format!("no board has a grid `{name}` of {rows} of {}", size.1), range.clone())
            })?;
            self.set_size(rows, columns, range.clone())?;
        } else if let expected_size = self.board.grid_size(grid.name.unwrap_or_default())
            && size != expected_size
        {
            let [rows, of_board] = [size.0, expected_size.0].map(|rows| words::count(rows, "row", "rows"));
            let what = format!("the grid `{}` has {rows} of {}; ", grid.name.unwrap_or_default(), size.1);
            let requirement =
                if expected_size == (self.board.rows, self.board.columns) { "the board has" } else { "it needs" };
            return Err((format!("{what}{requirement} {of_board} of {}", expected_size.1), range.clone()));
        }
        if let Some(walls) = walls {
            self.board.walls = walls;
            self.board.areas = self.board.enclosed_areas();
        }
        let clues = signs.iter().map(|(&cell, (_, range))| match grid.name {
            None => (ClueLocation::Cell(cell), range.clone()),
            Some(name) => (ClueLocation::Named(name.to_owned(), cell), range.clone()),
        });
        self.places.extend(clues.filter(|_| grid.name != Some("area")));
        let signs: ClueGrid = signs.into_iter().map(|(cell, (sign, _))| (cell, sign)).collect();
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

    /// Returns true if rows of different lengths, the shortest of which is one character, are a
    /// single column of signs.
    fn is_ragged_column(&self, grid: &RawGrid<'_>) -> bool {
        let words = || grid.lines.iter().map(|line| line.text.trim());
        let lengths: BTreeSet<usize> = words().map(|word| word.chars().count()).collect();
        let is_name = |word: &str| word.bytes().all(|sign| sign.is_ascii_alphanumeric());
        let is_clue = |word: &str| if grid.name == Some("area") { is_name(word) } else { self.signs.is_word(word) };
        lengths.len() > 1 && lengths.contains(&1) && words().all(is_clue)
    }

    /// Parses plain rows of words or characters.
    fn parse_rows(&self, grid: &RawGrid<'_>) -> Result<ParsedGrid, SpanError> {
        let is_barred = is_barred(&grid.lines, self.signs);
        let is_row = |line: &TextLine<'_>| !is_barred || !is_separator(line.text, self.signs);
        let grid = &RawGrid { name: grid.name, lines: grid.lines.iter().copied().filter(is_row).collect() };
        // The numbers of rows and columns of the grid, if the header or an earlier grid determines
        // them.
        let known_size = match self.board.rows {
            0 => [0, 1].map(|axis| self.size[axis].as_ref().map(|&(_, number)| number)),
            _ => <[usize; 2]>::from(self.board.grid_size(grid.name.unwrap_or_default())).map(Some),
        };
        if let [line] = &grid.lines[..]
            && self.size[0].is_none()
            && known_size[0] != Some(1)
            && let text = line.text.trim()
            && let columns = text.chars().count().isqrt()
            && columns >= MIN_SQUARE_SIDE
            && columns * columns == text.chars().count()
            && !text.contains(char::is_whitespace)
        {
            // The line contains all rows of a square.
            let starts: Vec<usize> =
                text.char_indices().map(|(at, _)| at).step_by(columns).chain([text.len()]).collect();
            let row = |pair: &[usize]| line.part(&text[pair[0]..pair[1]]);
            return self.parse_rows(&RawGrid { name: grid.name, lines: starts.windows(2).map(row).collect() });
        }
        let has_words = known_size[1] == Some(1)
            || self.is_ragged_column(grid)
            || grid.lines.iter().any(|line| line.text.trim().contains(char::is_whitespace));
        let length = |line: &TextLine<'_>| {
            if has_words {
                line.cells(is_barred).count()
            } else {
                line.text.trim().chars().filter(|&sign| !is_barred || sign != '|').count()
            }
        };
        let mut lengths = BTreeMap::<usize, usize>::new();
        for line in &grid.lines {
            *lengths.entry(length(line)).or_default() += 1;
        }
        let first = grid.lines.first().map_or(0, length);
        let Some((&columns, _)) = lengths.iter().max_by_key(|&(&length, count)| (count, length == first)) else {
            return Err((format!("the grid `{}` has no rows", grid.name.unwrap_or_default()), 0..0));
        };
        if let Some(line) = grid.lines.iter().find(|line| length(line) != columns) {
            return Err((
                format!("expected {columns} cells as in the other rows, found {}", length(line)),
                line.range(),
            ));
        }
        let range = grid.lines.first().map_or(0..0, TextLine::range);
        check_size(grid.lines.len(), columns).map_err(|what| (what, range))?;
        let mut signs = LocatedClues::new();
        let mut add_clue = |cell: Cell, line: TextLine<'_>| {
            let sign = Clue::read(line.text).map_err(|what| (what, line.range()))?;
            signs.extend(sign.map(|sign| (cell, (sign, line.range()))));
            Ok::<_, SpanError>(())
        };
        for (row, &line) in (1..).zip(&grid.lines) {
            if has_words {
                (1..).zip(line.cells(is_barred)).try_for_each(|(column, word)| add_clue((row, column), word))?;
            } else {
                let signs = line.trimmed().characters().filter(|sign| !is_barred || sign.text != "|");
                (1..).zip(signs).try_for_each(|(column, sign)| add_clue((row, column), sign))?;
            }
        }
        Ok(((grid.lines.len(), columns), signs, None))
    }
}

/// The clue in each cell, and its range in the text.
type LocatedClues = BTreeMap<Cell, (Clue, Range<usize>)>;

/// The numbers of rows and columns of a grid, its clues, and its walls if it is drawn.
type ParsedGrid = (Cell, LocatedClues, Option<BTreeSet<(Cell, Cell)>>);

fn is_invalid_character(sign: char) -> bool {
    sign.is_control() && sign != '\t' || sign == char::REPLACEMENT_CHARACTER
}

fn describe_invalid_character(sign: char) -> String {
    match sign {
        char::REPLACEMENT_CHARACTER => "not valid UTF-8".to_owned(),
        _ => format!("expected a sign, found the control character U+{:04X}", u32::from(sign)),
    }
}

fn is_border(text: &str, signs: &PuzzleSigns) -> bool {
    let text = text.trim();
    text.len() > 1
        && text.starts_with('+')
        && text.ends_with('+')
        && text.bytes().all(|byte| b"+- ".contains(&byte))
        && !signs.occur_in(text)
}

/// Parses rows between drawn borders. The signs `+` of the first line delimit the columns.
fn parse_drawing(lines: &[TextLine<'_>]) -> Result<ParsedGrid, SpanError> {
    let corners: Vec<usize> =
        lines[0].text.chars().enumerate().filter(|&(_, sign)| sign == '+').map(|(at, _)| at).collect();
    let size @ (rows, columns) = (lines.len() / 2, corners.len() - 1);
    check_size(rows.max(1), columns).map_err(|what| (what, lines[0].range()))?;
    let (mut signs, mut walls) = (LocatedClues::new(), BTreeSet::new());
    for (number, line) in lines.iter().enumerate() {
        // The byte offset of each character. Columns are counted in characters, ranges in bytes.
        let ends: Vec<usize> = line.text.char_indices().map(|(at, _)| at).chain([line.text.len()]).collect();
        let piece = |begin: usize, end: usize| {
            let [begin, end] = [begin, end].map(|at| ends[at.min(ends.len() - 1)]);
            TextLine { offset: line.offset + begin, text: &line.text[begin..end] }
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
                (true, _) => return Err((expected_border("`|`", is_frame, found), found.range())),
                (false, _) => return Err((expected_border("`+`", is_frame, found), found.range())),
            }
            let Some(&next) = corners.get(column + 1) else { break };
            let inside = piece(corner + 1, next);
            let text = inside.text.trim();
            if is_row {
                let word = inside.part(text);
                if text.contains(|sign: char| sign == '|' || sign.is_whitespace()) {
                    let what = format!(
                        "`{}` in one cell; the corners `+` of the first line set cells apart",
                        words::preview(text)
                    );
                    return Err((what, word.range()));
                }
                let sign =
                    if text.is_empty() { None } else { Clue::read(text).map_err(|what| (what, word.range()))? };
                signs.extend(sign.map(|sign| ((row, column + 1), (sign, word.range()))));
            } else if !inside.text.is_empty() && inside.text.bytes().all(|byte| byte == b'-') {
                if row > 0 && number + 1 < lines.len() {
                    walls.insert(((row, column + 1), (row + 1, column + 1)));
                }
            } else if !text.is_empty() || inside.text.is_empty() || row == 0 || number + 1 == lines.len() {
                return Err((expected_border("`-`", row == 0 || number + 1 == lines.len(), inside), inside.range()));
            }
        }
    }
    if lines.len().is_multiple_of(2) || rows == 0 {
        let last = lines[lines.len() - 1];
        return Err(("the drawing ends without a border below its last row".to_owned(), last.range()));
    }
    Ok((size, signs, Some(walls)))
}

fn expected_border(what: &str, is_frame: bool, found: TextLine<'_>) -> String {
    let alternative = if is_frame { " (the drawing must be closed)" } else { " or a blank" };
    let found = if found.text.is_empty() {
        "the end of the line".to_owned()
    } else {
        format!("`{}`", words::preview(found.text))
    };
    format!("expected a border {what}{alternative}, found {found}")
}
