//! How signs look in drawings: the paragraph `Penpa` of a header, and looks that need no header.
//!
//! ```text
//! % Penpa      "o" = circle_L 1, "#" = surface 5    a sign is a symbol and its shape, or a colour of the cell
//! %            cells = surface 4                    the background of all cells with a sign
//! %            numbers = style 6                    the style of numbers; 6 and 7 are circles
//! %            numbers = surface 4                  the background of numbers
//! %            numbers = list                       clues are lists of numbers
//! %            between "*" = circle_SS 2            a sign of another grid: between, corner or shade
//! %            centre "*" = triup_M 2               a sign of the grid `between` in the middle of a cell
//! %            line cage = killercages value        each header line `cage …` is a cage
//! %            empty = circle_M 4                   all cells without a sign
//! %            areas = boxes                        without areas, the board has standard boxes
//! %            grid = dashed                        lines between cells: dashed, open (without a frame), dots or none
//! ```
//!
//! Looks are written by the first entry of a sign. All entries are read, with symbols in all sizes.

use super::super::super::header::Header;
use super::super::super::signs::SignSet;

/// Looks of signs that headers need not state.
const COMMON_LOOKS: &str = r##"
    "#" = surface 4, "o" = circle_L 1, "*" = circle_L 2, "^" = arrow_S 3, ">" = arrow_S 5, "v" = arrow_S 7, "<" = arrow_S 1,
    between "o" = circle_SS 1, between "*" = circle_SS 2, between "=" = circle_SS 5,
    between "<" = inequality 1, between "^" = inequality 2, between ">" = inequality 3, between "v" = inequality 4,
    corner "o" = circle_SS 1, corner "*" = circle_SS 2, shade "#" = surface 3
"##;

/// Further looks that are read, but not written.
const OTHER_LOOKS: &str = r##"
    "#" = surface 1, "#" = surface 3, "#" = surface 8, "#" = square 2, "#" = kakuro 2, "#" = kakuro 4,
    "o" = circle 6, "o" = circle 8, "o" = ox 1, "=" = circle 3, "=" = circle 5, "=" = circle 9, "=" = math 7, "+" = math 2,
    "*" = star 2, "T" = tents 1, "m" = sun_moon 2, "s" = sun_moon 1, "t" = triup 1, "t" = triup 2, "x" = ox 4, "x" = star 0,
    ">" = firefly 1, "v" = firefly 2, "<" = firefly 3, "^" = firefly 4,
    "v" = arrow_fouredge 2, ">" = arrow_fouredge 1, "<" = arrow_fouredge 3, "^" = arrow_fouredge 4, "<" = arrow_fouredge 5,
    "^" = arrow_fouredge 6, ">" = arrow_fouredge 7, "v" = arrow_fouredge 8,
    "<" = arrow_cross 1, "^" = arrow_cross 2, ">" = arrow_cross 3, "v" = arrow_cross 4, between "o" = circle 2,
    between "o" = circle 6, between "o" = circle 8, between "=" = circle 3, between "=" = circle 9,
    shade "#" = surface 1, shade "#" = surface 4, shade "#" = surface 8
"##;

/// The appearance of a sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    Nothing,
    Surface(i64),
    /// The name and the shape of a symbol.
    Symbol(String, i64),
}

/// The grid to which a sign belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignGrid {
    Cells,
    Between,
    /// Positions of the grid `between` in the middle of cells.
    Centre,
    Corner,
    Shade,
}

/// The lines of the grid between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridLines {
    Solid,
    Dashed,
    /// Dashed, without a frame.
    Open,
    Dots,
    None,
}

/// The looks of a puzzle's signs.
pub struct SignLooks {
    entries: Vec<(SignGrid, String, Look)>,
    /// The number of entries of headers, and of those that are written; further ones are only
    /// read.
    num_stated: usize,
    num_written: usize,
    /// The background of cells with signs.
    pub background: Option<Look>,
    /// The background of cells with numbers.
    pub number_background: Option<Look>,
    /// The style of numbers in cells.
    pub style: Option<i64>,
    pub has_lists: bool,
    /// The look of cells without signs.
    pub empty: Option<Look>,
    /// True if thick lines surround the standard boxes of a board without areas.
    pub has_standard_boxes: bool,
    pub grid: GridLines,
    /// The names of header lines, each with the words for its look.
    pub lines: Vec<(String, String)>,
    /// The signs of cells and of other grids; `None` allows all.
    of_cells: Option<SignSet>,
    of_grids: Option<SignSet>,
}

impl SignLooks {
    /// The looks of a puzzle and its variants.
    pub fn of<'h>(header: &'h Header, variants: impl Iterator<Item = &'h Header>) -> Result<Self, String> {
        let signs = |head: &str| header.paragraph(head).filter(|signs| signs != "any").map(|it| SignSet::parse(&it));
        let mut looks = SignLooks {
            entries: Vec::new(),
            num_stated: 0,
            num_written: 0,
            background: None,
            number_background: None,
            style: None,
            has_lists: false,
            empty: None,
            has_standard_boxes: false,
            grid: GridLines::Solid,
            lines: Vec::new(),
            of_cells: signs("Signs"),
            of_grids: signs("Grid signs"),
        };
        for header in [header].into_iter().chain(variants) {
            looks.add(&header.paragraph("Penpa").unwrap_or_default())?;
        }
        looks.num_stated = looks.entries.len();
        looks.add(COMMON_LOOKS)?;
        looks.num_written = looks.entries.len();
        looks.add(OTHER_LOOKS)?;
        Ok(looks)
    }

    fn add(&mut self, paragraph: &str) -> Result<(), String> {
        for entry in paragraph.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            self.add_entry(entry).ok_or_else(|| format!("Penpa  {entry}: this is not a look"))?;
        }
        Ok(())
    }

    fn add_entry(&mut self, entry: &str) -> Option<()> {
        let (left, right) = entry.rsplit_once(" = ")?;
        match left {
            "cells" => self.background = Some(look(right)?),
            "empty" => self.empty = Some(look(right)?),
            "areas" if right == "boxes" => self.has_standard_boxes = true,
            "numbers" if right == "list" => self.has_lists = true,
            "numbers" => match right.strip_prefix("style ") {
                Some(style) => self.style = Some(style.parse().ok()?),
                None => self.number_background = Some(look(right)?),
            },
            "grid" => {
                self.grid = match right {
                    "dashed" => GridLines::Dashed,
                    "open" => GridLines::Open,
                    "dots" => GridLines::Dots,
                    "none" => GridLines::None,
                    _ => return None,
                }
            }
            _ => {
                if let Some(name) = left.strip_prefix("line ") {
                    self.lines.push((name.to_owned(), right.to_owned()));
                    return Some(());
                }
                let (grid, sign) = left.split_once(' ').unwrap_or(("cell", left));
                let grid = match grid {
                    "cell" => SignGrid::Cells,
                    "between" => SignGrid::Between,
                    "centre" => SignGrid::Centre,
                    "corner" => SignGrid::Corner,
                    "shade" => SignGrid::Shade,
                    _ => return None,
                };
                let sign = sign.strip_prefix('"')?.strip_suffix('"')?;
                self.entries.push((grid, sign.to_owned(), look(right)?));
            }
        }
        Some(())
    }

    /// Returns the look of a sign.
    pub fn look_of(&self, grid: SignGrid, sign: &str) -> Option<&Look> {
        entries_of(&self.entries[..self.num_written], grid).find(|(_, known, _)| known == sign).map(|(.., look)| look)
    }

    /// Returns true if the puzzle has symbols of its own for arrows.
    pub fn has_own_arrows(&self) -> bool {
        self.entries[..self.num_stated].iter().any(|(grid, sign, _)| *grid == SignGrid::Cells && sign == "^")
    }

    /// Returns the sign with this look.
    pub fn sign_of(&self, grid: SignGrid, seen: &Look) -> Option<&str> {
        let is_allowed = |sign: &str| sign.is_empty() || self.allows(grid, sign);
        let mut entries = entries_of(&self.entries, grid).filter(|(_, sign, _)| is_allowed(sign));
        entries.find(|(.., look)| look.resembles(seen)).map(|(_, sign, _)| sign.as_str())
    }

    /// Returns true if a blank text is an unknown clue. Puzzles with any signs have blank cells.
    pub fn has_blank_clues(&self, grid: SignGrid) -> bool {
        (grid != SignGrid::Cells || self.of_cells.is_some()) && self.allows(grid, "?")
    }

    /// Returns true if cells can have numbers on both sides of a diagonal.
    pub fn has_halves(&self) -> bool {
        self.of_cells.is_some() && self.allows(SignGrid::Cells, "\\")
    }

    /// Returns true if a sign is one of the puzzle's, or each of its parts is.
    pub fn allows(&self, grid: SignGrid, sign: &str) -> bool {
        let known = if grid == SignGrid::Cells { &self.of_cells } else { &self.of_grids };
        let parts = super::super::super::board::Clue::text(sign).parts();
        known.as_ref().is_none_or(|known| parts.iter().all(|part| known.has(part)))
    }
}

/// Returns the entries of a grid. The middles of cells have those of `between`, unless they have
/// entries of their own.
fn entries_of(
    entries: &[(SignGrid, String, Look)],
    wanted: SignGrid,
) -> impl Iterator<Item = &(SignGrid, String, Look)> {
    let has_own = entries.iter().any(|(grid, ..)| *grid == wanted);
    let wanted = if wanted == SignGrid::Centre && !has_own { SignGrid::Between } else { wanted };
    entries.iter().filter(move |(grid, ..)| *grid == wanted)
}

impl Look {
    /// Returns true if two looks differ only in the size of a symbol.
    pub fn resembles(&self, other: &Look) -> bool {
        match (self, other) {
            (Look::Symbol(name, shape), Look::Symbol(other, seen)) => family(name) == family(other) && shape == seen,
            _ => self == other,
        }
    }
}

/// Returns the name of a symbol without its size and colour: `circle` for `circle_SS`.
fn family(name: &str) -> &str {
    const WITH_OTHER_SHAPES: [&str; 4] = ["arrow_cross", "arrow_eight", "arrow_fourtip", "arrow_fouredge"];
    if let Some(own) = WITH_OTHER_SHAPES.iter().find(|own| name.starts_with(*own)) {
        return own;
    }
    if name.starts_with("arrow_") {
        return "arrow";
    }
    match name.rsplit_once('_') {
        Some((family, size)) if size.chars().all(|letter| letter.is_ascii_uppercase()) => family,
        _ => name,
    }
}

pub fn look(words: &str) -> Option<Look> {
    match words.split_once(' ') {
        None if words == "nothing" => Some(Look::Nothing),
        None if words == "erased" => Some(Look::Symbol(words.to_owned(), 0)),
        Some(("surface", color)) => Some(Look::Surface(color.parse().ok()?)),
        Some((name, shape)) => Some(Look::Symbol(name.to_owned(), shape.parse().ok()?)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_from_the_header_and_then_from_the_common_ones() {
        let header = Header::of(
            "x",
            "% X: y.\n%\n% Signs      \"o\", \"*\", \"#\"\n% Penpa      \"o\" = star 1, between \"*\" = circle_S 2, grid = dots\n",
        );
        let looks = SignLooks::of(&header, [].into_iter()).expect("valid looks");
        let star = Look::Symbol("star".to_owned(), 1);
        let circle = |size: &str, shape| Look::Symbol(format!("circle_{size}"), shape);
        assert_eq!(looks.look_of(SignGrid::Cells, "o"), Some(&star));
        assert_eq!(looks.sign_of(SignGrid::Cells, &circle("SS", 1)), Some("o"));
        assert_eq!(looks.sign_of(SignGrid::Centre, &circle("L", 2)), Some("*"));
        assert_eq!(looks.sign_of(SignGrid::Cells, &Look::Surface(8)), Some("#"));
        assert_eq!(looks.sign_of(SignGrid::Cells, &Look::Symbol("tents".to_owned(), 1)), None);
        assert_eq!(looks.grid, GridLines::Dots);
        let wrong = Header::of("x", "% X: y.\n%\n% Penpa      o = star 1\n");
        assert!(SignLooks::of(&wrong, [].into_iter()).is_err());
    }
}
