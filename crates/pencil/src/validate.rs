//! Checks a board against the headers of its puzzle and variants.

use std::collections::BTreeSet;
use std::ops::Range;

use asp::syntax;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::words;

use super::board::{self, ClueLocation, ClueRanges, GridBoard, SIDES};
use super::definition::{LogicPuzzle, Variant};
use super::header::Header;
use super::signs::SignSet;

impl LogicPuzzle {
    /// Checks that a board has all inputs that the header requires, and only signs that the header
    /// lists.
    pub(super) fn check_board(
        &self,
        board: &GridBoard,
        places: &ClueRanges,
        document: &Document,
        encodings: &[Document],
    ) -> Result<(), Failure> {
        let name = &*self.name;
        let header = &self.definition.header;
        let wrong = |text: String| Err(board_error(document, text, None));
        let wrong_at = |text: String, range: Option<Range<usize>>| Err(board_error(document, text, range));
        self.check_signs(board, places, document)?;
        let names = board.header.iter().map(|(name, _)| name).chain(board.grids.keys());
        let variants = self.definition.variants.iter();
        let headers = [header].into_iter().chain(variants.clone().map(|variant| &variant.header));
        let mut inputs: Vec<&str> = headers.flat_map(Header::inputs).collect();
        inputs.sort();
        inputs.dedup();
        for (name, words) in board.header.iter().filter(|_| !self.definition.variants.is_empty()) {
            self.check_variant_line(board, name, words).map_err(|text| {
                let place = places.get(&ClueLocation::Header(name.clone(), words.clone())).cloned();
                let place = place.map(|range| Place::of_range(&document.name, &document.text, range));
                Diagnostic::error(Code::InvalidInstance, text).at(place)
            })?;
        }
        if let Some(stranger) =
            names.into_iter().find(|known| !inputs.contains(&known.as_str()) && *known != "flag" && !inputs.is_empty())
        {
            let names_stranger = |location: &ClueLocation| match location {
                ClueLocation::Header(name, _) | ClueLocation::Named(name, _) => name == stranger,
                _ => false,
            };
            let range = places.iter().find(|(location, _)| names_stranger(location)).map(|(_, range)| range.clone());
            return wrong_at(
                format!("`{stranger}` is not an input of {name}; its inputs are {}", inputs.join(", ")),
                range,
            );
        }
        let requires_rows = |line: &String| line.starts_with("sign(") && !line.contains("optional");
        if board.rows == 0 && (inputs.is_empty() || header.lines("Input").iter().any(requires_rows)) {
            return wrong("no board: neither rows of cells, nor clues beside and above them".to_owned());
        }
        self.check_size(board.rows, board.columns).or_else(wrong)?;
        let facts = board.facts();
        let is_used = |variant: &&Variant| encodings.iter().any(|document| document.name.ends_with(variant.path));
        let headers = [header].into_iter().chain(variants.filter(is_used).map(|variant| &variant.header));
        for input in headers.flat_map(|header| header.lines("Input")).filter(|line| !line.contains("optional")) {
            let Some(predicate) = syntax::predicates(input).next() else { continue };
            // A link states the whole board, so an input without facts is empty, not missing.
            let is_needed = board.link.is_none() && !["rows", "columns", "sign", "part", "wall"].contains(&predicate);
            let is_given = || {
                let mut heads = syntax::statements(&facts).into_iter().filter_map(|statement| statement.head);
                facts.contains(predicate) && heads.any(|(name, _)| name == predicate)
            };
            if is_needed && !is_given() {
                let how = if predicate == "area" { ": draw their borders, or add a grid `area`" } else { "" };
                return wrong(format!("a board of {name} has {predicate}, and this one has none{how}"));
            }
        }
        Ok(())
    }

    /// Checks that a board has only signs that the header lists.
    pub(super) fn check_signs(
        &self,
        board: &GridBoard,
        places: &ClueRanges,
        document: &Document,
    ) -> Result<(), Failure> {
        let name = &*self.name;
        let header = &self.definition.header;
        let wrong_at = |text: String, range: Option<Range<usize>>| Err(board_error(document, text, range));
        let signs = |head: &str| header.paragraph(head).filter(|signs| signs != "any");
        let of_cells = signs("Signs");
        // Without `Side signs`, clues beside the board have the same signs as cells.
        let of_sides = signs("Side signs").or_else(|| of_cells.clone());
        let stranger = |signs: &Option<String>, grid: &board::ClueGrid| {
            let signs = signs.as_ref()?;
            let listed = SignSet::parse(signs);
            let stranger = grid.iter().find(|(_, sign)| !sign.parts().iter().all(|part| listed.has(part)));
            stranger.map(|(&place, sign)| (place, sign.clone(), signs.clone()))
        };
        for (side, grid) in SIDES.iter().zip(&board.around) {
            if let Some(((line, index), sign, signs)) = stranger(&of_sides, grid) {
                let range = places.get(&ClueLocation::Named((*side).to_owned(), (line, index)));
                return wrong_at(
                    format!("`{sign}` beside row or column {line} is not a clue of {name}: expected {signs}"),
                    range.cloned(),
                );
            }
        }
        if let Some((cell @ (row, column), sign, signs)) = stranger(&of_cells, &board.signs) {
            let range = places.get(&ClueLocation::Cell(cell)).cloned();
            return wrong_at(
                format!("`{sign}` in row {row}, column {column} is not a clue of {name}: expected {signs}"),
                range,
            );
        }
        let of_grids = signs("Grid signs");
        for (grid, signs) in &board.grids {
            if let Some((place @ (row, column), sign, signs)) = stranger(&of_grids, signs) {
                let range = places.get(&ClueLocation::Named(grid.clone(), place)).cloned();
                let what = format!(
                    "`{sign}` in row {row}, column {column} of the grid `{grid}` is not a clue of {name}: expected {signs}"
                );
                return wrong_at(what, range);
            }
        }
        Ok(())
    }

    /// Rejects clues and walls that no rule reads because the headers do not list them as inputs.
    pub(super) fn check_no_unread_input(
        &self,
        board: &GridBoard,
        places: &ClueRanges,
        document: &Document,
    ) -> Result<(), Failure> {
        let headers =
            [&self.definition.header].into_iter().chain(self.definition.variants.iter().map(|variant| &variant.header));
        let inputs: BTreeSet<&str> = headers.flat_map(Header::inputs).collect();
        let reads = |names: &[&str]| names.iter().any(|name| inputs.contains(*name));
        let side = SIDES.iter().zip(&board.around).find(|(side, grid)| !grid.is_empty() && !reads(&[side]));
        let sign = board.signs.iter().next().filter(|_| !reads(&["sign", "part"]));
        let (unread, location) = match (side, sign) {
            _ if inputs.is_empty() => return Ok(()),
            (Some((side, grid)), _) => {
                let location = grid.keys().next().map(|&place| ClueLocation::Named((*side).to_owned(), place));
                (format!("clues `{side}`"), location)
            }
            (None, Some((&cell @ (row, column), sign))) => {
                (format!("`{sign}` in row {row}, column {column}"), Some(ClueLocation::Cell(cell)))
            }
            _ if !board.walls.is_empty() && !reads(&["wall", "area"]) => ("borders between cells".to_owned(), None),
            _ => return Ok(()),
        };
        let inputs = inputs.into_iter().collect::<Vec<_>>().join(", ");
        let text = format!("the board has {unread}; {} reads only {inputs}", self.name);
        Err(board_error(document, text, location.and_then(|location| places.get(&location).cloned())))
    }

    /// Checks the words of a line in the board's header that belongs to variants. A line `variant`
    /// has names of variants. Any other line lists cells, after a number or `?` if the variant has
    /// a value.
    fn check_variant_line(&self, board: &GridBoard, name: &str, words: &[board::Clue]) -> Result<(), String> {
        if name == "variant" {
            let known: Vec<&str> = self.definition.variants.iter().flat_map(Variant::names).collect();
            let stranger = words.iter().map(board::Clue::to_string).find(|word| !known.contains(&word.as_str()));
            return stranger.map_or(Ok(()), |word| {
                let suggestion = words::did_you_mean(&word, known.iter().copied());
                Err(format!("{} has no variant {word}{suggestion}; its variants are {}", self.name, known.join(", ")))
            });
        }
        let lines = self.definition.variants.iter().flat_map(|variant| variant.header.lines("Input"));
        if !lines.clone().any(|line| line.starts_with(&format!("{name}("))) {
            return Ok(());
        }
        // The first word is a variable, which stands for a number, or one of some quoted words.
        let first = format!("{name}(L,1,");
        let values: Vec<&str> = lines.filter_map(|line| line.strip_prefix(&first)?.split(')').next()).collect();
        let has_value = values.iter().any(|value| !value.starts_with('('));
        let quoted: Vec<&str> = values
            .iter()
            .map(|value| value.trim_matches('"'))
            .filter(|_| values.iter().all(|value| value.starts_with('"')))
            .collect();
        let (value, cells) = words.split_at(usize::from(has_value).min(words.len()));
        let mut listed = BTreeSet::new();
        let text = || format!("{name} {}", words.iter().map(board::Clue::to_string).collect::<Vec<_>>().join(" "));
        match value {
            [] => {}
            [sign] if quoted.contains(&&*sign.to_string()) => {}
            [other] if !quoted.is_empty() => {
                return Err(format!("`{other}` in `{}`: expected {}, then cells", text(), quoted.join(" or ")));
            }
            [board::Clue::Number(_)] => {}
            [sign] if sign.to_string() == "?" => {}
            [other] => return Err(format!("`{other}` in `{}`: expected a number or ?, then cells", text())),
            _ => unreachable!("one value at most"),
        }
        for word in cells {
            let Some((row, column)) = word.cell() else {
                return Err(format!("`{word}` in `{}`: expected a cell such as r1c2", text()));
            };
            if !(1..=board.rows).contains(&row) || !(1..=board.columns).contains(&column) {
                return Err(format!(
                    "`{word}` in `{}` is not on the board of {}",
                    text(),
                    words::size(board.rows, board.columns)
                ));
            }
            if !listed.insert((row, column)) {
                return Err(format!("`{word}` occurs twice in `{}`", text()));
            }
        }
        if listed.is_empty() { Err(format!("`{}` has no cells, such as r1c2", text())) } else { Ok(()) }
    }

    /// Checks that the board is a square if rows and columns have the same variable in the header's
    /// `Input`.
    pub(super) fn check_size(&self, rows: usize, columns: usize) -> Result<(), String> {
        let variable = |name: &str| {
            let mut lines = self.definition.header.lines("Input").iter().filter_map(|line| line.strip_prefix(name));
            lines.find_map(|line| line.split_once(')')).map(|(variable, _)| variable)
        };
        match variable("rows(") {
            Some(side) if rows != columns && variable("columns(") == Some(side) => {
                Err(format!("{}; a board of {} is a square", words::size(rows, columns), self.name))
            }
            _ => Ok(()),
        }
    }
}

/// Creates an error about a board, at the range of the wrong clue if it is known.
fn board_error(document: &Document, text: String, range: Option<Range<usize>>) -> Failure {
    match range {
        Some(range) => {
            let place = Place::of_range(&document.name, &document.text, range);
            Diagnostic::error(Code::InvalidInstance, text).at(Some(place)).into()
        }
        None => Diagnostic::error(Code::InvalidInstance, format!("{}: {text}", document.name)).into(),
    }
}
