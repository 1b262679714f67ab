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
//! | a codec (see [`codecs`](super::codecs)) | signs of all cells |
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
//! | `cages` | the borders of cages as in `fences`, a comma, and a sum in a cell of each cage: `cage 10 r1c1 r2c1` |
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

mod borders;
mod cages;
mod clues;
mod format_step;
mod header_lines;
mod layout;
mod parse;
mod places;
mod signs;
mod writer;

use std::collections::BTreeMap;

use base::words;
use format_step::FormatStep;
use parse::parse_step;
pub(super) use parse::{quoted, take_brackets, tokens};
use places::Places;
use writer::BodyWriter;

use super::board::{Cell, Clue, GridBoard, SpanError};
use super::cursor::Cursor;

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

impl Steps {
    pub fn parse(text: &str) -> Result<Steps, String> {
        let tokens = tokens(text)?;
        let mut tokens = &tokens[..];
        let mut steps = Steps::default();
        while let Some((&name, rest)) = tokens.split_first() {
            tokens = rest;
            let arguments = take_brackets(&mut tokens)?;
            let words = arguments.iter().map(|argument| argument.concat());
            match name {
                "unlike" => {
                    let flag = |argument: &Vec<&str>| match argument[..] {
                        [flag, "=", rules] => Some((flag.to_owned(), quoted(rules)?.to_owned())),
                        [flag] => Some((flag.to_owned(), String::new())),
                        _ => None,
                    };
                    let flags = arguments.iter().map(flag).collect::<Option<Vec<_>>>();
                    steps.unsupported.extend(flags.ok_or("expected unlike(FLAG = \"other rules\")")?);
                }
                "flags" => steps.flags.extend(words),
                "wanted" => steps.required.extend(words),
                _ => {
                    let step = parse_step(name, &arguments, &mut tokens)?;
                    let is_optional = tokens.strip_prefix(&["?"]);
                    tokens = is_optional.unwrap_or(tokens);
                    steps.steps.push((step, is_optional.is_some()));
                }
            }
            match tokens.split_first() {
                Some((&",", rest)) => tokens = rest,
                Some((other, _)) => return Err(format!("expected a comma, found `{other}`")),
                None => {}
            }
        }
        if steps.steps.is_empty() { Err("there is no step".to_owned()) } else { Ok(steps) }
    }

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
            let is_missing = *is_optional && text.peek().is_none_or(|next| step.is_missing_at(next));
            if !is_missing {
                step.read(text, board)?;
            }
        }
        Ok(())
    }

    /// Returns true if the board has header lines that a step writes.
    pub fn have_lines(&self, board: &GridBoard) -> bool {
        let has_cages = || board.header.iter().any(|(name, _)| name == cages::LINE);
        self.steps.iter().any(|(step, _)| *step == FormatStep::Cages && has_cages())
    }

    /// Returns true if a game id states one number for both rows and columns.
    pub fn has_one_size(&self) -> bool {
        self.steps.iter().any(|(step, _)| *step == FormatStep::Fences)
    }

    /// Returns the numbers of rows and columns in the link, and its body. The error names a part of
    /// the board that no step can write.
    pub fn write(&self, board: &GridBoard) -> Result<(Cell, String), String> {
        let mut writer = BodyWriter::of(board);
        for (step, _) in &self.steps {
            if let FormatStep::Signs(codec, Places::Placeholders(mark)) = step {
                writer.use_placeholder(mark, |sign| codec.can_encode(sign));
            }
        }
        for (step, is_optional) in &self.steps {
            let begin = writer.text.len();
            step.write(&mut writer, *is_optional)?;
            if writer.text.len() > begin {
                let pending = std::mem::take(&mut writer.pending);
                writer.text.insert_str(begin, if *is_optional { &pending } else { "" });
            }
        }
        let BodyWriter { size, mut text, unwritten, num_clues, .. } = writer;
        text.truncate(text.trim_end_matches('/').len());
        match unwritten.first_key_value() {
            Some(((row, column), sign)) => Err(format!("`{sign}` in row {row}, column {column}")),
            None if num_clues > 0 => Err(format!("{} outside the cells", words::count(num_clues, "clue", "clues"))),
            None => Ok((size, text)),
        }
    }
}
