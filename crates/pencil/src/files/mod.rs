//! Files of puzz.link: the board, and the player's marks.
//!
//! ```text
//!   pzprv3           the version after a point, as in pzprv3.1
//!   hitori           the type
//!   2                rows
//!   3                columns
//!   1 2 2            the sections of the type, here the numbers …
//!   3 1 2
//!   . # .            … and the marks
//!   . . +
//! ```
//!
//! A slash can replace the end of a line, so a file may be one line, or a part of an address. The
//! header of a puzzle lists the sections: `File  TYPE: section, section`. The type may be left out
//! if it is the name of the puzzle.
//!
//! | section | lines |
//! |---|---|
//! | a table (see `table.rs`) | a word for each cell |
//! | … `of inside` | a word for each cell that is in neither the first row nor the first column |
//! | … `of edges` | a word for each border to the right of a cell, then for each border below one |
//! | … `of frame`, `of lattice` | likewise, including the outer borders; in marks of `lattice`, corners name a border |
//! | … `of corners` | a word for each corner of a cell |
//! | … `of dots` | a character for each place of the grid `between` |
//! | … `inside TABLE of around(top, left)` | the cells, surrounded by clues at these sides, whose words the second table has |
//! | … `inside TABLE of pairs(top)`, `… of lists(top)` | likewise, with a letter and a number, or with a list, for each line |
//! | `rooms` | the number of rooms, then for each cell the number of its room, from 0 |
//! | `crossings` | sums across and down; the board gets a row above the cells and a column to their left |
//! | `bridges` | the number of bridges over each border, which become marks between islands |
//! | `header(name = 1)` | a number: `name(N)`; boards without it are written with the default |
//! | `outer(name)` | the number of an outer border: `name(N)`, where N counts from the first outer border |
//! | `rest` | all further lines, which are ignored |
//! | `always(c)` | none: all boards of the type have the flag `c` |
//! | `gates` | none: the numbers of gates, as in `:4`, become those of the black cells at their ends |
//! | `bank` | the letter of a set of pieces, or the number of pieces and each piece |
//! | `flag(b)` | the word `b`, if the board has this flag |
//! | `line("a", "b" = e)` | one of these words; `b` stands for the flag `e` |
//!
//! A table begins with the name of a layout. In brackets are the predicate of its marks and further
//! pairs `"word" = "clue"`, `"word" = literal`, or `"word" =` for an empty place. `wall`, `gray`,
//! `hole` and `alone` stand for a wall, a shaded cell, a cell that is not on the board, and one
//! that walls surround. See
//! `template.rs` for the variables. `section before 1` and `section from 1` are only in files of
//! these versions. A literal after `&` only decides which of several words is written. `open`
//! before a literal limits it to cells without a clue, and to borders between two cells of the
//! board. A word for `else` and a literal is written at all places that have no other mark in a
//! solution.

mod grid;
mod lines;
mod marks;
mod places;
mod section;
mod table;
mod template;

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::words;

use super::board::{Clue, ClueRanges, GridBoard, SpanError, check_size, failure};
use super::link::Link;
use grid::{read_section, write_section};
use lines::FileText;
pub use lines::file_type;
pub use marks::FileMarks;
use section::{FileSection, VersionedSection};

/// The format of a puzzle's files, from its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFormat {
    /// The type, if it is not the name of the puzzle.
    name: Option<String>,
    sections: Vec<VersionedSection>,
}

impl FileFormat {
    /// Parses the paragraph `File` of a header.
    pub fn parse(text: &str) -> Result<FileFormat, String> {
        let name = FileFormat::name_in(text);
        let sections = name.map_or(text, |name| &text[name.len() + 1..]);
        let sections = table::split_outside(sections.trim(), ',').into_iter().map(VersionedSection::parse);
        Ok(FileFormat { name: name.map(str::to_owned), sections: sections.collect::<Result<_, _>>()? })
    }

    /// Returns the type in a paragraph `File` without parsing its sections.
    pub fn name_in(text: &str) -> Option<&str> {
        let (name, _) = text.split_once(':')?;
        name.bytes().all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit()).then_some(name)
    }

    /// Reads a board and the ranges of its clues. `link` has the flags of the type.
    pub fn read(&self, document: &Document, link: Option<&Link>) -> Result<(GridBoard, ClueRanges), Failure> {
        let file = FileText::of(&document.text);
        let file = file.ok_or_else(|| failure(document, ("expected a file of puzz.link".to_owned(), 0..0)))?;
        self.board(file, link).map_err(|wrong| failure(document, wrong))
    }

    fn board(&self, mut file: FileText, link: Option<&Link>) -> Result<(GridBoard, ClueRanges), SpanError> {
        if let Some(variant) = &file.variant {
            let what = format!("`{}` is not supported: variant rules of {}", words::preview(&variant.text), file.name);
            return Err((what, variant.range.clone()));
        }
        let rows = file.number("the number of rows")? as usize;
        // A Sudoku has a single number.
        let is_square = file.name == "sudoku";
        let columns = if is_square { rows } else { file.number("the number of columns")? as usize };
        check_size(rows, columns).map_err(|what| (format!("the file has {what}"), 0..0))?;
        let mut board = GridBoard::of_size(rows, columns);
        let mut ranges = ClueRanges::new();
        let version = file.version;
        let is_empty = file.is_at_end();
        for VersionedSection { section, .. } in self.sections.iter().filter(|section| section.is_in(version)) {
            // Files of older versions lack sections that have only marks.
            if file.is_at_end() && (is_empty || section.has_only_marks()) {
                continue;
            }
            read_section(section, &mut file, &mut board, &mut ranges, link)?;
        }
        file.expect_end()?;
        self.finish(&mut board);
        Ok((board, ranges))
    }

    /// Returns true if a section has marks for some of these atoms, or there are none.
    fn can_write(&self, atoms: &BTreeSet<String>) -> bool {
        let is_shown = |name: &str| atoms.iter().any(|atom| atom.split('(').next() == Some(name));
        let is_written = |versioned: &VersionedSection| match &versioned.section {
            FileSection::Bridges => is_shown("bridges"),
            FileSection::Grid { cells, .. } => cells.predicates().iter().any(|name| is_shown(name)),
            _ => false,
        };
        atoms.is_empty() || self.sections.iter().any(is_written)
    }

    /// Sets the areas that walls enclose.
    fn finish(&self, board: &mut GridBoard) {
        let is_about_walls = |versioned: &VersionedSection| match &versioned.section {
            FileSection::Rooms => true,
            FileSection::Grid { cells, .. } => cells.is_about_walls(),
            _ => false,
        };
        if board.areas.is_empty() && (!board.walls.is_empty() || self.sections.iter().any(is_about_walls)) {
            board.areas = board.enclosed_areas();
        }
        board.grids.retain(|_, grid| !grid.is_empty());
    }

    /// Writes a board. `puzzle` is the name of its type, if the format has no other.
    ///
    /// # Errors
    /// Fails if a file cannot express the whole board.
    pub fn write(
        &self,
        board: &GridBoard,
        puzzle: &str,
        link: Option<&Link>,
        marks: &FileMarks<'_>,
    ) -> Result<String, Failure> {
        let name = self.name.as_deref().unwrap_or(puzzle);
        let cannot = |what: String| {
            Failure::from(Diagnostic::error(
                Code::InvalidLink,
                format!("{what}: files of the type `{name}` cannot express that"),
            ))
        };
        let versions = self.sections.iter().flat_map(|section| [section.from, section.before]);
        if let FileMarks::Solution(atoms) = marks
            && !self.can_write(atoms)
        {
            return Err(cannot("a solution".to_owned()));
        }
        let version = versions.filter(|version| *version < u32::MAX).max().unwrap_or(0);
        let point = if version > 0 { format!(".{version}") } else { String::new() };
        let mut body = String::new();
        let mut size = (board.rows, board.columns);
        for VersionedSection { section, .. } in self.sections.iter().filter(|section| section.is_in(version)) {
            if *section == FileSection::Crossings {
                size = (board.rows - 1, board.columns - 1);
            }
            write_section(section, board, marks, &mut body).map_err(cannot)?;
        }
        let (rows, columns) = size;
        let columns = if name == "sudoku" && rows == columns { String::new() } else { format!("{columns}\n") };
        let text = format!("pzprv3{point}\n{name}\n{rows}\n{columns}{body}");
        let mut complete = board.clone();
        for VersionedSection { section, .. } in &self.sections {
            if let FileSection::Header(name, Some(default)) = section
                && !complete.header.iter().any(|(other, _)| other == name)
            {
                complete.header.insert((name.clone(), vec![Clue::Number(*default)]));
            }
        }
        let comparable = |board: &GridBoard| {
            let mut board = GridBoard { puzzle: None, link: None, player_marks: BTreeMap::new(), ..board.clone() };
            board.grids.retain(|_, grid| !grid.is_empty());
            board
        };
        match self.read(&Document::in_memory("the file", text.as_str()), link) {
            Ok((read, _)) if comparable(&read) == comparable(&complete) => Ok(text),
            _ => Err(cannot("the board has more than its cells, clues and marks".to_owned())),
        }
    }
}
