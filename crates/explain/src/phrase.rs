//! Phrases about a board that record the cells and values that they name, and sentences that join
//! several phrases.
//!
//! A phrase results from the label of a `%!trace` comment. In a label, `row %, column %` stands for
//! a cell, `(%,%)` for a point such as a corner, and any other `%` for a value.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Range};

/// Row and column.
pub type Cell = (i32, i32);

/// The placeholder for a cell in a label.
const CELL: &str = "row %, column %";
/// The placeholder for a point in a label.
const POINT: &str = "(%,%)";

/// A text, and the ranges in it that name cells, points and values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phrase {
    text: String,
    marks: Vec<(Range<usize>, Mark)>,
}

/// The thing that a range of a phrase names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Cell(Cell),
    Point,
    Value,
}

impl Phrase {
    /// Replaces each `%` in `label` by the next of `terms`. A `%` without a term remains.
    pub fn new(label: &str, terms: &[String]) -> Phrase {
        let mut phrase = Phrase::default();
        let mut terms = terms.iter();
        let mut rest = label;
        while let Some(at) = rest.find('%') {
            let piece = [CELL, POINT, "%"].into_iter().find(|piece| {
                let before = piece.find('%').expect("each has one");
                at.checked_sub(before).is_some_and(|start| rest[start..].starts_with(piece))
            });
            let piece = piece.expect("a single % always fits");
            let start = at - piece.find('%').expect("each has one");
            phrase.text += &rest[..start];
            phrase.push(piece, &mut terms);
            rest = &rest[start + piece.len()..];
        }
        phrase.text += rest;
        phrase
    }

    fn push<'a>(&mut self, piece: &str, terms: &mut impl Iterator<Item = &'a String>) {
        let start = self.text.len();
        let mut values = Vec::new();
        for (number, text) in piece.split('%').enumerate() {
            if number > 0 {
                let value = terms.next().map_or("%", String::as_str);
                self.text += value;
                values.push(value);
            }
            self.text += text;
        }
        let mark = match (piece, &values[..]) {
            (CELL, [row, column]) => match (row.parse(), column.parse()) {
                (Ok(row), Ok(column)) => Mark::Cell((row, column)),
                _ => return,
            },
            (POINT, _) => Mark::Point,
            _ => Mark::Value,
        };
        self.marks.push((start..self.text.len(), mark));
    }

    /// Returns the cells that the phrase names.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.marks.iter().filter_map(|(_, mark)| if let Mark::Cell(cell) = mark { Some(*cell) } else { None })
    }

    /// Splits a phrase that names exactly one cell into the text before it, the cell and the text
    /// after it.
    fn split_at_cell(&self) -> Option<(&str, Cell, &str)> {
        let mut cells = self.marks.iter().filter(|(_, mark)| matches!(mark, Mark::Cell(_)));
        let (Some((range, Mark::Cell(cell))), None) = (cells.next(), cells.next()) else { return None };
        Some((&self.text[..range.start], *cell, &self.text[range.end..]))
    }

    /// Splits a phrase that ends with a value into the text before it and the value.
    fn split_at_value(&self) -> Option<(&str, &str)> {
        let (range, mark) = self.marks.last()?;
        (*mark == Mark::Value && range.end == self.text.len()).then(|| self.text.split_at(range.start))
    }

    /// Splits a phrase in front of the first point or cell that it names.
    fn split_at_point(&self) -> Option<(&str, &str)> {
        let (range, _) = self.marks.iter().find(|(_, mark)| *mark != Mark::Value)?;
        Some(self.text.split_at(range.start))
    }
}

impl Deref for Phrase {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Self {
        Phrase { text, marks: Vec::new() }
    }
}

/// A conclusion about an atom.
pub struct Conclusion<'a> {
    pub words: &'a Phrase,
    /// True if the atom holds; false if `words` denies it.
    pub holds: bool,
    /// If the atom gives a cell a value and does not hold: the values that the cell may still have,
    /// if these are few.
    pub left: Option<&'a [String]>,
}

/// Joins conclusions that differ only in a cell, a value or a point. The result has one clause for
/// each group of such conclusions, in the order of their first members.
pub fn joined(conclusions: &[Conclusion<'_>]) -> Vec<String> {
    by_cells(&by_values(conclusions))
}

/// A clause that expresses one conclusion, or several that were joined.
#[derive(Clone)]
struct Clause {
    /// The text before the cells or points.
    before: String,
    cells: Vec<Cell>,
    /// The text after the cells; if there are no cells, the points.
    after: String,
    holds: bool,
}

/// Joins conclusions about the values of one cell: "row 1, column 2 cannot be 1, 3 or 4", or if few
/// values are left, "the only values left for row 1, column 2 are 2 and 5".
fn by_values(conclusions: &[Conclusion<'_>]) -> Vec<Clause> {
    let denied = |conclusion: &Conclusion<'_>| {
        let (words, value) = conclusion.words.split_at_value().filter(|_| !conclusion.holds)?;
        let (_, cell, _) = conclusion.words.split_at_cell()?;
        Some((words.to_owned(), cell, value.to_owned()))
    };
    let mut values = BTreeMap::<(String, Cell), Vec<String>>::new();
    for (words, cell, value) in conclusions.iter().filter_map(denied) {
        values.entry((words, cell)).or_default().push(value);
    }
    let mut clauses = Vec::new();
    for conclusion in conclusions {
        let phrase = conclusion.words;
        let group = denied(conclusion).map(|(words, cell, _)| (words, cell));
        let Some(group) = group.filter(|group| values.get(group).is_none_or(|values| values.len() > 1)) else {
            clauses.push(Clause::of(phrase, conclusion.holds));
            continue;
        };
        // The clause takes the position of the first member of the group.
        let Some(values) = values.remove(&group) else { continue };
        let (before, cell, after) = phrase.split_at_cell().expect("it is about one cell");
        let (before, after) = match (conclusion.left, phrase.split_at_value()) {
            (Some(left), _) => ("the only values left for ", format!(" are {}", enumerated(left, " and "))),
            (None, Some((_, value))) => {
                let words = after.strip_suffix(value).unwrap_or(after);
                (before, format!("{words}{}", enumerated(&values, " or ")))
            }
            (None, None) => (before, after.to_owned()),
        };
        let before = before.to_owned();
        clauses.push(Clause { before, cells: vec![cell], after, holds: false });
    }
    clauses
}

impl Clause {
    fn of(phrase: &Phrase, holds: bool) -> Clause {
        let (before, cells, after) = match (phrase.split_at_cell(), phrase.split_at_point()) {
            (Some((before, cell, after)), _) => (before, vec![cell], after),
            (None, Some((before, after))) => (before, Vec::new(), after),
            (None, None) => (phrase.as_ref(), Vec::new(), ""),
        };
        Clause { before: before.to_owned(), cells, after: after.to_owned(), holds }
    }
}

impl AsRef<str> for Phrase {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// Joins clauses that differ in cells or points: "row 2, columns 1 to 3 are black", "the loop runs
/// along (1,1)–(1,2) and (1,2)–(1,3)".
fn by_cells(clauses: &[Clause]) -> Vec<String> {
    let mut groups: Vec<(Clause, Vec<String>)> = Vec::new();
    for clause in clauses {
        let is_same = |(other, _): &&mut (Clause, Vec<String>)| {
            let same_words = other.before == clause.before && other.holds == clause.holds;
            match (other.cells.is_empty(), clause.cells.is_empty()) {
                (false, false) => same_words && other.after == clause.after,
                (true, true) => same_words && !clause.after.is_empty() && !other.after.is_empty(),
                _ => false,
            }
        };
        match groups.iter_mut().find(is_same) {
            Some((first, points)) => {
                first.cells.extend(&clause.cells);
                points.push(clause.after.clone());
            }
            None => groups.push((clause.clone(), vec![clause.after.clone()])),
        }
    }
    let finish = |(mut clause, points): (Clause, Vec<String>)| {
        if clause.cells.is_empty() {
            let last = if clause.holds { " and " } else { " or " };
            format!("{}{}", clause.before, enumerated(&points, last))
        } else {
            clause.cells.sort_unstable();
            let after = if clause.cells.len() > 1 { plural(&clause.after) } else { clause.after.clone() };
            format!("{}{}{after}", clause.before, cells_in_words(&clause.cells))
        }
    };
    groups.into_iter().map(finish).collect()
}

/// Adapts the text after a cell to several cells: returns " are black" for " is black".
fn plural(after: &str) -> String {
    let verbs = [(" is", " are"), (" has", " have"), (" does", " do"), (" shows", " show"), (" belongs", " belong")];
    let with_plural = |(singular, plural): (&str, &str)| {
        let rest = after.strip_prefix(singular)?;
        (rest.is_empty() || rest.starts_with(' ')).then(|| format!("{plural}{rest}"))
    };
    verbs.into_iter().find_map(with_plural).unwrap_or_else(|| after.to_owned())
}

/// Describes cells, as in "row 2, columns 1 to 3" or "rows 2 and 3, column 4". Returns an empty
/// text for no cells.
pub fn cells_in_words(cells: &[Cell]) -> String {
    let mut rows = BTreeMap::<i32, Vec<i32>>::new();
    for &(row, column) in cells {
        rows.entry(row).or_default().push(column);
    }
    let all: Vec<i32> = rows.keys().copied().collect();
    let columns: Vec<&Vec<i32>> = rows.values().collect();
    match columns.first() {
        Some(first) if all.len() > 1 && columns.iter().all(|columns| columns == first) => {
            format!("{}, {}", lines("row", &all), lines("column", first))
        }
        _ => {
            let rows = rows.iter().map(|(row, columns)| format!("row {row}, {}", lines("column", columns)));
            enumerated(&rows.collect::<Vec<_>>(), " and ")
        }
    }
}

/// Describes sorted numbers of rows or columns, as in "column 4" or "columns 1 to 3 and 5".
fn lines(name: &str, numbers: &[i32]) -> String {
    let mut runs: Vec<[i32; 2]> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some(run) if run[1] + 1 == number => run[1] = number,
            _ => runs.push([number, number]),
        }
    }
    let in_words = |run: &[i32; 2]| match run[1] - run[0] {
        0 => vec![run[0].to_string()],
        1 => vec![run[0].to_string(), run[1].to_string()],
        _ => vec![format!("{} to {}", run[0], run[1])],
    };
    let plural = if numbers.len() > 1 { "s" } else { "" };
    format!("{name}{plural} {}", enumerated(&runs.iter().flat_map(in_words).collect::<Vec<_>>(), " and "))
}

/// Joins words by commas, and by `last` before the last one: "1, 3 and 4".
pub fn enumerated(words: &[impl AsRef<str>], last: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [words @ .., end] if !words.is_empty() => format!("{}{last}{end}", words.join(", ")),
        words => words.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use base::words::capitalized;

    use super::*;

    fn phrase(label: &str, terms: &[&str]) -> Phrase {
        Phrase::new(label, &terms.iter().map(|term| (*term).to_owned()).collect::<Vec<_>>())
    }

    fn sentences(phrases: &[(Phrase, bool)]) -> Vec<String> {
        let conclusion = |(words, holds): &'_ (Phrase, bool)| (words.clone(), *holds);
        let all: Vec<(Phrase, bool)> = phrases.iter().map(conclusion).collect();
        let conclusions: Vec<Conclusion<'_>> =
            all.iter().map(|(words, holds)| Conclusion { words, holds: *holds, left: None }).collect();
        joined(&conclusions)
    }

    #[test]
    fn a_label_is_filled_and_its_cells_are_recorded() {
        let filled = phrase("% at row %, column %: % (%,%)", &["5", "1", "2", "x", "3", "4"]);
        assert_eq!(&*filled, "5 at row 1, column 2: x (3,4)");
        assert_eq!(filled.cells().collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(&*phrase("100% of %", &["7"]), "1007 of %");
        assert_eq!(phrase("row %, column %", &["top", "2"]).cells().count(), 0);
    }

    #[test]
    fn conclusions_that_differ_in_a_cell_or_a_value_share_a_clause() {
        let denied = |row: &str, value: &str| (phrase("row %, column % cannot be %", &[row, "3", value]), false);
        let all = [denied("1", "2"), denied("1", "4"), denied("2", "2"), denied("2", "4"), denied("5", "7")];
        assert_eq!(sentences(&all), ["rows 1 and 2, column 3 cannot be 2 or 4", "row 5, column 3 cannot be 7"]);
        let black = |column: &str| (phrase("row %, column % is black", &["2", column]), true);
        assert_eq!(sentences(&[black("1"), black("2"), black("3")]), ["row 2, columns 1 to 3 are black"]);
    }

    #[test]
    fn points_and_pairs_of_cells_after_the_same_words_are_listed() {
        let line = |ends: [&str; 4]| (phrase("the loop runs along (%,%)–(%,%)", &ends), true);
        let all = [line(["1", "1", "1", "2"]), line(["1", "2", "2", "2"]), line(["2", "2", "2", "1"])];
        assert_eq!(sentences(&all), ["the loop runs along (1,1)–(1,2), (1,2)–(2,2) and (2,2)–(2,1)"]);
        let wall = |ends: [&str; 4]| (phrase("a wall parts row %, column % from row %, column %", &ends), true);
        let words = sentences(&[wall(["1", "1", "1", "2"]), wall(["1", "2", "2", "2"])]);
        assert_eq!(
            words,
            ["a wall parts row 1, column 1 from row 1, column 2 and row 1, column 2 from row 2, column 2"]
        );
    }

    #[test]
    fn few_remaining_values_are_named_instead_of_the_excluded_ones() {
        let words = [
            phrase("row %, column % cannot be %", &["1", "2", "3"]),
            phrase("row %, column % cannot be %", &["1", "2", "4"]),
        ];
        let left = ["5".to_owned(), "6".to_owned()];
        let conclusions: Vec<Conclusion<'_>> =
            words.iter().map(|words| Conclusion { words, holds: false, left: Some(&left) }).collect();
        assert_eq!(joined(&conclusions), ["the only values left for row 1, column 2 are 5 and 6"]);
    }

    #[test]
    fn sentences_begin_with_a_capital_letter_except_for_names() {
        assert_eq!(
            ["row 2", "p(1) holds", "x1 is set", "a-b"].map(capitalized),
            ["Row 2", "p(1) holds", "x1 is set", "A-b"]
        );
    }
}
