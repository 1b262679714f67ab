//! The constraints of f-puzzles as lines of a board's header.

use base::words;

use super::super::board::Clue;
use super::super::fields::Field;

/// Keys of constraints in f-puzzles that do not change the rules.
const COSMETIC_KEYS_OF_CONSTRAINTS: [&str; 7] = ["baseC", "outlineC", "fontC", "size", "width", "height", "angle"];

/// Converts a constraint of f-puzzles to header lines. `words` is the rest of its `Address` line.
pub(super) fn header_lines(constraint: &Field<'_>, words: &str) -> Result<Vec<(String, Vec<Clue>)>, String> {
    let (line, words) =
        words.split_once(' ').ok_or_else(|| format!("`{}` has no words in the header", constraint.path()))?;
    if line == "variant" {
        let lines = constraint.flag()?.then(|| (line.to_owned(), vec![Clue::text(words)]));
        return Ok(lines.into_iter().collect());
    }
    let mut all = Vec::new();
    for object in constraint.list()? {
        let lists = object.object(|fields| {
            fields.skip(&COSMETIC_KEYS_OF_CONSTRAINTS);
            let mut lists = vec![Vec::new()];
            let mut first_cells = Vec::new();
            for word in words.split(' ') {
                match word.split_once('=').unwrap_or((word, "")) {
                    ("value", "") => {
                        let value = fields.take_stated("value", "").map(|value| value.natural()).transpose()?;
                        lists[0].push(value.map_or(Clue::text("?"), |value| Clue::Number(value as i32)));
                    }
                    ("value", expected) => {
                        let value = fields.take_stated("value", "");
                        let other = value
                            .filter(|value| value.natural().ok().map(|it| it.to_string()).as_deref() != Some(expected));
                        other.map_or(Ok(()), |other| Err(other.wrong(expected)))?;
                    }
                    ("cell", _) => lists[0].push(f_puzzles_cell(&fields.require("cell")?)?),
                    ("cells", "") => lists[0].extend(f_puzzles_cells(&fields.require("cells")?)?),
                    ("pair", _) => {
                        let cells = fields.require("cells")?;
                        lists[0].extend(f_puzzles_cells(&cells)?);
                        (lists[0].len() == 2).then_some(()).ok_or_else(|| cells.wrong("2 cells"))?;
                    }
                    ("cells", count) => {
                        let cells = fields.require("cells")?;
                        first_cells = f_puzzles_cells(&cells)?;
                        (first_cells.len().to_string() == count)
                            .then_some(())
                            .ok_or_else(|| cells.wrong(&words::count(count, "cell", "cells")))?;
                    }
                    ("lines", _) => {
                        let lines = fields.require("lines")?;
                        lists = lines.list()?.iter().map(f_puzzles_cells).collect::<Result<_, _>>()?;
                        (!lists.is_empty()).then_some(()).ok_or_else(|| lines.wrong("a line"))?;
                    }
                    (other, _) => {
                        return Err(format!("`{}` has the unknown word {other} in the header", constraint.path()));
                    }
                }
            }
            if lists.iter().all(|list| list.starts_with(&first_cells)) {
                Ok(lists)
            } else {
                Err(object.wrong("lines that begin in `cells`"))
            }
        })?;
        all.extend(lists.into_iter().map(|list| (line.to_owned(), list)));
    }
    Ok(all)
}

/// Parses a cell such as `R1C2`.
fn f_puzzles_cell(field: &Field<'_>) -> Result<Clue, String> {
    let sign = Clue::text(&field.text().unwrap_or_default().to_ascii_lowercase());
    sign.cell().map(|_| sign).ok_or_else(|| field.wrong("a cell such as R1C2"))
}

fn f_puzzles_cells(field: &Field<'_>) -> Result<Vec<Clue>, String> {
    let cells: Vec<Clue> = field.list()?.iter().map(f_puzzles_cell).collect::<Result<_, _>>()?;
    if cells.is_empty() { Err(field.wrong("a list of cells")) } else { Ok(cells) }
}
