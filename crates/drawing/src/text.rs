//! Renders a grid for a terminal: cells between box-drawing characters, or without these if the
//! line is too narrow.
//!
//! If there are lines or edges, thin borders are drawn as dots at the corners of cells, so that
//! they do not hide a loop. Without colours, backgrounds are drawn as patterns, given texts are
//! distinguished from found ones by brackets, and highlighted cells are marked by arrows.

use std::collections::{BTreeMap, BTreeSet};

use anstyle::{AnsiColor, RgbColor, Style as Ansi};
use base::sorting;
use base::style::Style;
use base::words::sanitize;
use picture::Rgb;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::boxes::{Stroke, joined};
use super::frames::GridFrames;
use super::grid::{Border, CellContent, FOUND, Grid, LineStyle, SHADED, Side, Symbol};
use super::lattice::{Lattice, is_shifted, points_up};
use super::segment::{Coord, Direction, Extent, Segment};

/// Patterns that replace colours: first from light to dark, then others.
const PATTERNS: [char; 12] = ['░', '▒', '▓', '█', '▚', '▞', '▤', '▥', '▦', '▧', '▨', '▩'];

/// The contents of one column of a line: a character and its style. A wide character is followed by
/// a filler.
#[derive(Clone, Copy)]
struct Ink(char, Ansi);

const BLANK: Ink = Ink(' ', Ansi::new());
const FILLER: char = '\0';

/// Writes frames with a layout that all of them share.
struct TextWriter<'a> {
    style: &'a Style,
    extent: Extent,
    marks: &'a BTreeSet<Coord>,
    reasons: &'a BTreeSet<Coord>,
    /// The width of a cell in columns.
    width: usize,
    /// True if borders are drawn between cells.
    has_borders: bool,
    /// True if thin borders are drawn as dots.
    has_dots: bool,
    /// True if given texts are in brackets.
    has_brackets: bool,
    /// The pattern of each background: its character, and the one at the centre of the cell.
    grounds: BTreeMap<Rgb, [char; 2]>,
    /// By side: the number of texts next to a row or column, and the width of the widest text.
    around: BTreeMap<Side, (usize, usize)>,
}

pub fn text(grids: &GridFrames, style: &Style) -> String {
    let frames = || (1..=grids.frame_count()).map(|number| grids.frame(number));
    let writer = TextWriter::new(grids, style, frames());
    let mut text = String::new();
    for (index, grid) in frames().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        if let Some(writer) = &writer {
            writer.write(&grid, &mut text);
        }
        let caption = grids.caption(&grid, index + 1);
        if !caption.is_empty() {
            text.push_str(&sanitize(&caption));
            text.push('\n');
        }
    }
    text
}

impl<'a> TextWriter<'a> {
    fn new(grids: &'a GridFrames, style: &'a Style, frames: impl Iterator<Item = Grid>) -> Option<Self> {
        let mut writer = TextWriter {
            style,
            extent: grids.extent?,
            marks: &grids.marks,
            reasons: &grids.reasons,
            width: 1,
            has_borders: true,
            has_dots: grids.grids().any(|grid| !grid.lines.is_empty() || !grid.edges.is_empty()),
            has_brackets: false,
            grounds: fill_patterns(grids.grids().flat_map(|grid| grid.cells.values()).filter_map(|cell| cell.fill)),
            around: BTreeMap::new(),
        };
        let (mut given, mut found, mut labels, mut rooms) = (BTreeSet::new(), BTreeSet::new(), 1, [0; 2]);
        for grid in frames {
            for (place, cell) in &grid.cells {
                let is_given = !cell.given.is_empty() || cell.corner_text().is_some();
                given.extend(is_given.then_some(cell.fill));
                let is_found = !cell.found.is_empty() || cell.diagonal_sign(true).is_some();
                found.extend(is_found.then_some(cell.fill));
                let label = writer.label(cell, 1).len();
                let has_ends = !style.color
                    && (cell.fill.is_some() || grids.marks.contains(place) || grids.reasons.contains(place));
                labels = labels.max(label);
                let room = label + if has_ends { 2 } else { 0 };
                let brackets = if is_given { 2 } else { 0 };
                rooms = [rooms[0].max(room), rooms[1].max(room + brackets)];
            }
            for (&(side, _), texts) in &grid.around {
                let (count, widest) = writer.around.entry(side).or_default();
                *count = (*count).max(texts.last_key_value().map_or(0, |(&last, _)| last as usize));
                *widest = texts.values().map(|texts| texts.join(" ").width()).max().unwrap_or(0).max(*widest);
            }
        }
        // If given and found texts have the same background, brackets distinguish them.
        writer.has_brackets = !style.color && given.intersection(&found).next().is_some();
        let columns = [Side::Top, Side::Bottom].iter().filter_map(|side| writer.around.get(side));
        labels = columns.fold(labels, |most, (_, widest)| most.max(*widest));
        let side_widths: usize = [Side::Left, Side::Right].map(|side| writer.side_width(side)).iter().sum();
        let fits = |cell: usize, border: usize| {
            style.width.is_none_or(|width| writer.extent.columns() * (cell + border) + border + side_widths <= width)
        };
        let full = rooms[usize::from(writer.has_brackets)].max(labels).max(3) | 1;
        (writer.width, writer.has_borders) = if fits(full, 1) {
            (full, true)
        } else if fits(labels, 1) || writer.needs_borders(grids) {
            (labels, true)
        } else {
            (if labels > 1 { labels + 1 } else { 1 }, false)
        };
        Some(writer)
    }

    /// Returns true if information would be lost without borders.
    fn needs_borders(&self, grids: &GridFrames) -> bool {
        let is_meaningful = |border: &Border| matches!(border, Border::Thick | Border::Found | Border::Dashed);
        let needs_borders = |grid: &Grid| {
            let is_diagonal = |segment: &Segment| !matches!(segment.direction, Direction::Right | Direction::Down);
            let has_side_contents =
                !grid.edges.is_empty() || !grid.between.is_empty() || grid.lattice != Lattice::Squares;
            has_side_contents || grid.lines.keys().any(is_diagonal) || grid.borders.values().any(is_meaningful)
        };
        grids.grids().any(needs_borders)
    }

    /// Returns the width of all texts on the left or right, in columns.
    fn side_width(&self, side: Side) -> usize {
        self.around.get(&side).map_or(0, |(count, widest)| count * (widest + 1))
    }

    fn write(&self, grid: &Grid, text: &mut String) {
        let Extent { first, end } = self.extent;
        self.write_columns(grid, Side::Top, text);
        for row in first.0..=end.0 {
            if self.has_borders {
                let mut line = vec![BLANK; self.side_width(Side::Left)];
                match grid.lattice {
                    Lattice::Squares => self.put_border(grid, row, &mut line),
                    Lattice::Hexagons => self.put_bricks(grid, row, &mut line),
                    Lattice::Triangles => self.put_bases(grid, row, &mut line),
                }
                self.write_line(line, text);
            }
            if row < end.0 {
                let mut line = self.texts(grid, Side::Left, row);
                if grid.lattice == Lattice::Hexagons && is_shifted(row) {
                    line.resize(line.len() + self.width.div_ceil(2), BLANK);
                }
                for column in first.1..end.1 {
                    self.put_cell(grid, (row, column), &mut line);
                }
                if self.has_borders {
                    self.put_side(grid, (row, end.1), &mut line);
                }
                line.extend(self.texts(grid, Side::Right, row));
                self.write_line(line, text);
            }
        }
        self.write_columns(grid, Side::Bottom, text);
    }

    /// Draws the line above a row of squares.
    fn put_border(&self, grid: &Grid, row: i32, line: &mut Vec<Ink>) {
        let Extent { first, end } = self.extent;
        for column in first.1..=end.1 {
            let segments = [
                Segment::left_of((row - 1, column)),
                Segment::above((row, column)),
                Segment::left_of((row, column)),
                Segment::above((row, column - 1)),
            ];
            let diagonals = [
                grid.lines
                    .get(&Segment { from: (row - 1, column - 1), direction: Direction::DownRight })
                    .map(|line_style| ('╲', line_style)),
                grid.lines
                    .get(&Segment { from: (row - 1, column), direction: Direction::DownLeft })
                    .map(|line_style| ('╱', line_style)),
            ];
            let spot =
                between(grid, (2 * row - 2, 2 * column - 2)).or_else(|| slanted(diagonals.into_iter().flatten()));
            line.push(spot.unwrap_or_else(|| self.corner(grid, segments.map(Some))));
            if column < end.1 {
                let (weight, sign, ink) = self.side(grid, Segment::above((row, column)));
                let start = line.len();
                line.resize(start + self.width, Ink(sign, ink));
                if let Some(line_style) = grid.lines.get(&Segment::down((row - 1, column))) {
                    line[start + self.width / 2] = crossing(line_style, weight, true);
                }
                if let Some(ink) = between(grid, (2 * row - 2, 2 * column - 1)) {
                    line[start + self.width / 2] = ink;
                }
            }
        }
    }

    /// Returns the character of a corner, where the sides above, right, below and left of it meet.
    fn corner(&self, grid: &Grid, segments: [Option<Segment>; 4]) -> Ink {
        let arms = segments.map(|segment| segment.map(|segment| self.side(grid, segment)).unwrap_or_default());
        // Where borders meet, a given one is above one of the solution.
        let is_given = arms.iter().any(|arm| arm.0 == Stroke::Heavy && arm.2 == Ansi::new());
        let inks = arms.iter().map(|arm| arm.2).find(|style| *style != Ansi::new());
        let ink = inks.filter(|_| !is_given).unwrap_or_default();
        let is_dot =
            self.has_dots && segments.into_iter().flatten().any(|segment| grid.border(segment) == Border::Thin);
        match joined(arms.map(|arm| arm.0)) {
            ' ' if is_dot => Ink('·', Ansi::new().dimmed()),
            sign => Ink(sign, ink),
        }
    }

    /// Draws the line above a row of hexagons. They are drawn as bricks, each above two others.
    fn put_bricks(&self, grid: &Grid, row: i32, line: &mut Vec<Ink>) {
        let Extent { first, end } = self.extent;
        let length = self.width.div_ceil(2);
        let cell = |row: i32, half: i32| (row, first.1 + (half - i32::from(is_shifted(row))).div_euclid(2));
        let flat = |half: i32| grid.lattice.side(cell(row - 1, half), cell(row, half));
        // The side between two bricks in a row, if there is one at this half column.
        let upright = |row: i32, half: i32| grid.lattice.side(cell(row, half - 1), cell(row, half));
        for half in 0..=2 * (end.1 - first.1) + 1 {
            let arms = [upright(row - 1, half), flat(half), upright(row, half), flat(half - 1)];
            line.push(self.corner(grid, arms));
            let side = flat(half);
            let (_, sign, ink) = side.map(|side| self.side(grid, side)).unwrap_or_default();
            let start = line.len();
            line.resize(start + length - 1, Ink(if sign == '\0' { ' ' } else { sign }, ink));
            if let Some((side, way)) = side.and_then(|side| Some((side, grid.lines.get(&side)?))) {
                let sign = slant(grid.lattice, side);
                line[start + (length - 1) / 2] = slanted([(sign, way)].into_iter()).expect("there is one");
            }
        }
    }

    /// Draws the line above a row of triangles: the bases of the triangles above that point up, and
    /// of the triangles below that point down.
    fn put_bases(&self, grid: &Grid, row: i32, line: &mut Vec<Ink>) {
        let Extent { first, end } = self.extent;
        let base = |column: i32| grid.lattice.side((row - 1, column), (row, column));
        let drawn = |column: i32| base(column).map(|side| self.side(grid, side)).filter(|side| side.0 != Stroke::None);
        for column in first.1..=end.1 {
            let (_, sign, ink) =
                drawn(column).or_else(|| drawn(column - 1)).unwrap_or((Stroke::None, ' ', Ansi::new()));
            line.push(Ink(sign, ink));
            if column < end.1 {
                let (weight, sign, ink) = drawn(column).unwrap_or((Stroke::None, ' ', Ansi::new()));
                let start = line.len();
                line.resize(start + self.width, Ink(sign, ink));
                if let Some(way) = base(column).and_then(|side| grid.lines.get(&side)) {
                    line[start + self.width / 2] = crossing(way, weight, true);
                }
            }
        }
    }

    /// Draws the left side of a cell.
    fn put_side(&self, grid: &Grid, (row, column): Coord, line: &mut Vec<Ink>) {
        let Some(segment) = grid.lattice.side((row, column - 1), (row, column)) else { return };
        let (weight, mut sign, ink) = self.side(grid, segment);
        if grid.lattice == Lattice::Triangles && matches!(sign, '│' | '─') {
            sign = if points_up((row, column)) { '╱' } else { '╲' };
        }
        let way = grid.lines.get(&Segment::right((row, column - 1)));
        let way = way.map(|way| crossing(way, weight, false));
        line.push(between(grid, (2 * row - 1, 2 * column - 2)).or(way).unwrap_or(Ink(sign, ink)));
    }

    /// Returns the weight, the character and the style of a side.
    fn side(&self, grid: &Grid, segment: Segment) -> (Stroke, char, Ansi) {
        // On other lattices, the direction of a side is the direction from one cell to the other.
        let upright = if grid.lattice == Lattice::Squares { Direction::Down } else { Direction::Right };
        let is_upright = segment.direction == upright;
        if let Some(paint) = grid.edges.get(&segment) {
            return (Stroke::Heavy, if is_upright { '┃' } else { '━' }, line_style(*paint));
        }
        let (weight, signs) = match grid.border(segment) {
            Border::Thin if !self.has_dots => (Stroke::Light, ['─', '│']),
            Border::Thin | Border::None => (Stroke::None, [' ', ' ']),
            Border::Dashed => (Stroke::Light, ['┄', '┆']),
            Border::Thick | Border::Found => (Stroke::Heavy, ['━', '┃']),
        };
        let ink = if grid.border(segment) == Border::Found { line_style(None) } else { Ansi::new() };
        (weight, signs[usize::from(is_upright)], ink)
    }

    fn put_cell(&self, grid: &Grid, place: Coord, line: &mut Vec<Ink>) {
        if self.has_borders {
            self.put_side(grid, place, line);
        }
        let nothing = CellContent::default();
        let cell = grid.cells.get(&place).unwrap_or(&nothing);
        let ground = self.ground(cell);
        let start = line.len();
        let middle = self.width / 2;
        match cell.fill.and_then(|fill| self.grounds.get(&fill)) {
            Some(&[sign, other]) if !self.style.color => {
                line.resize(start + self.width, Ink(sign, ground));
                line[start + middle].0 = other;
            }
            _ => line.resize(start + self.width, Ink(' ', ground)),
        }
        let inks = &mut line[start..];
        let (row, column) = place;
        let is_straight = |segment: &Segment| {
            segment.direction == Direction::Right
                || segment.direction == Direction::Down && grid.lattice != Lattice::Hexagons
        };
        let ways = [
            Segment::down((row - 1, column)),
            Segment::right(place),
            Segment::down(place),
            Segment::right((row, column - 1)),
        ];
        let ways = ways.map(|segment| grid.lines.get(&segment).filter(|_| is_straight(&segment)));
        let from_here = Direction::ALL.map(|(direction, _)| Segment { from: place, direction });
        let to_here =
            Direction::ALL.map(|(direction, (down, right))| Segment { from: (row - down, column - right), direction });
        let askew = from_here.into_iter().chain(to_here).filter(|segment| !is_straight(segment));
        let askew = askew.filter_map(|segment| Some((slant(grid.lattice, segment), grid.lines.get(&segment)?)));
        if let Some(way) = ways.into_iter().flatten().next() {
            let mut put = |at: usize, sign: char, way: &LineStyle| {
                let style = line_style(way.paint).bg_color(ground.get_bg_color());
                inks[at] = Ink(sign, style);
            };
            let across = |way: &LineStyle| if way.is_double { '═' } else { '─' };
            if let Some(left) = ways[3] {
                (0..middle).for_each(|at| put(at, across(left), left));
            }
            if let Some(right) = ways[1] {
                (middle + 1..self.width).for_each(|at| put(at, across(right), right));
            }
            put(middle, joined(ways.map(|way| way.map_or(Stroke::None, weight))), way);
        }
        if let Some(Ink(sign, style)) = slanted(askew) {
            let sign = if ways.iter().any(Option::is_some) { '•' } else { sign };
            inks[middle] = Ink(sign, style.bg_color(ground.get_bg_color()));
        }
        let label = self.label(cell, self.width);
        let from = (self.width.saturating_sub(label.len()) + usize::from(label.len() > 1)) / 2;
        for (ink, at) in label.into_iter().zip(from..self.width) {
            inks[at] = ink;
        }
        let is_marked = self.marks.contains(&place);
        if is_marked || self.reasons.contains(&place) {
            let signs = if is_marked { ['»', '«'] } else { ['›', '‹'] };
            for ink in inks.iter_mut() {
                ink.1 = if is_marked { ink.1.invert() } else { ink.1.underline() };
            }
            for (at, sign) in [(0, signs[0]), (self.width - 1, signs[1])] {
                if self.width > 2 && matches!(inks[at].0, ' ' | '─' | '═' | '░'..='▓' | '█') {
                    inks[at].0 = sign;
                }
            }
        }
    }

    fn ground(&self, cell: &CellContent) -> Ansi {
        match cell.fill {
            Some(fill) if self.style.color => Ansi::new().bg_color(Some(rgb(fill).into())),
            _ => Ansi::new(),
        }
    }

    /// Returns the text of a cell whose width is `width` columns.
    fn label(&self, cell: &CellContent, width: usize) -> Vec<Ink> {
        let ground = self.ground(cell);
        let ink = |paint: Option<Rgb>| match (cell.fill, paint) {
            (Some(fill), _) if self.style.color => {
                ground.fg_color(Some(if fill.is_dark() { AnsiColor::BrightWhite } else { AnsiColor::Black }.into()))
            }
            (_, Some(FOUND)) => ground.fg_color(Some(AnsiColor::Blue.into())).bold(),
            (_, Some(paint)) => ground.fg_color(Some(visible(paint).into())),
            _ => ground,
        };
        let mut inks = Vec::new();
        let mut put = |text: &str, style: Ansi| {
            for sign in sanitize(text).chars() {
                let columns = sign.width().unwrap_or(0);
                inks.extend((columns > 0).then_some(Ink(sign, style)));
                inks.extend((columns > 1).then_some(Ink(FILLER, style)));
            }
        };
        let given = joined_texts(cell.given.iter().cloned().chain(cell.corner_text()));
        let mut symbols = cell.symbols.clone();
        let diagonal = cell.diagonal_sign(true).map(String::from);
        let found: Vec<String> = cell.texts().skip(cell.given.len()).cloned().chain(diagonal).collect();
        let has_text = !given.is_empty() || !found.is_empty();
        let circle = if has_text { symbols.remove(&Symbol::Circle) } else { None };
        if let Some(paint) = circle {
            put("(", ink(paint));
        }
        if self.has_brackets && !given.is_empty() {
            put(&format!("[{given}]"), ink(None));
        } else {
            put(&given, ink(None));
        }
        let blue = if cell.fill.is_some() { ink(None) } else { ground.fg_color(Some(AnsiColor::Blue.into())) };
        for (index, text) in found.iter().enumerate() {
            put(if index > 0 || !given.is_empty() { " " } else { "" }, ground);
            put(text, blue.bold());
        }
        if let Some(paint) = circle {
            put(")", ink(paint));
        }
        for (symbol, paint) in symbols {
            match symbol {
                Symbol::HalfNorthWest if width > 2 && !has_text => put("█◤ ", ink(paint)),
                Symbol::HalfNorthEast if width > 2 && !has_text => put(" ◥█", ink(paint)),
                Symbol::HalfSouthWest if width > 2 && !has_text => put("█◣ ", ink(paint)),
                Symbol::HalfSouthEast if width > 2 && !has_text => put(" ◢█", ink(paint)),
                _ => put(&symbol.sign().to_string(), ink(paint)),
            }
        }
        inks
    }

    /// Returns the texts to the left or right of a row.
    fn texts(&self, grid: &Grid, side: Side, row: i32) -> Vec<Ink> {
        let Some(&(count, widest)) = self.around.get(&side) else { return Vec::new() };
        let texts = grid.around.get(&(side, row));
        let text_count = texts.and_then(|texts| texts.last_key_value()).map_or(0, |(&last, _)| last as usize);
        let mut line = Vec::new();
        for number in 1..=count {
            let skipped = if side == Side::Left { count - text_count } else { 0 };
            let text = texts.and_then(|texts| texts.get(&(number.checked_sub(skipped)? as i32)));
            let text = text.map(|texts| sanitize(&texts.join(" "))).unwrap_or_default();
            let pad = vec![BLANK; widest - text.width()];
            let inks = text.chars().flat_map(to_inks);
            match side {
                Side::Left => line.extend(pad.into_iter().chain(inks).chain([BLANK])),
                _ => line.extend([BLANK].into_iter().chain(inks).chain(pad)),
            }
        }
        line
    }

    /// Writes the texts above or below the columns.
    fn write_columns(&self, grid: &Grid, side: Side, text: &mut String) {
        let Some(&(count, _)) = self.around.get(&side) else { return };
        let border = usize::from(self.has_borders);
        for number in 1..=count {
            let mut line = vec![BLANK; self.side_width(Side::Left) + border];
            for column in self.extent.first.1..self.extent.end.1 {
                let texts = grid.around.get(&(side, column));
                let text_count = texts.and_then(|texts| texts.last_key_value()).map_or(0, |(&last, _)| last as usize);
                let skipped = if side == Side::Top { count - text_count } else { 0 };
                let label = texts.and_then(|texts| texts.get(&(number.checked_sub(skipped)? as i32)));
                let label = label.map(|texts| sanitize(&texts.join(" "))).unwrap_or_default();
                let before = self.width.saturating_sub(label.width()).div_ceil(2);
                let end = line.len() + self.width + border;
                line.resize(line.len() + before, BLANK);
                line.extend(label.chars().flat_map(to_inks));
                line.resize(end.max(line.len()), BLANK);
            }
            self.write_line(line, text);
        }
    }

    fn write_line(&self, mut line: Vec<Ink>, text: &mut String) {
        while line.last().is_some_and(|ink| ink.0 == ' ' && (ink.1 == Ansi::new() || !self.style.color)) {
            line.pop();
        }
        for run in line.chunk_by(|one, other| one.1 == other.1) {
            let signs: String = run.iter().map(|ink| ink.0).filter(|&sign| sign != FILLER).collect();
            if run[0].1 == Ansi::new() {
                text.push_str(&signs)
            } else {
                text.push_str(&self.style.paint(run[0].1, &signs))
            }
        }
        text.push('\n');
    }
}

/// Joins the texts of a cell. An arrow follows directly after the text before it.
fn joined_texts(texts: impl Iterator<Item = String>) -> String {
    let (arrows, words): (Vec<String>, Vec<String>) = texts.partition(|text| Side::of_arrow(text).is_some());
    words.join(" ") + &arrows.concat()
}

fn to_inks(sign: char) -> impl Iterator<Item = Ink> {
    let columns = sign.width().unwrap_or(0);
    [sign, FILLER].into_iter().take(columns).map(|sign| Ink(sign, Ansi::new()))
}

/// Returns the text on a border or corner, whose position is as in [`Grid::between`].
fn between(grid: &Grid, place: Coord) -> Option<Ink> {
    grid.between.get(&place).map(|text| Ink(single_char(text), Ansi::new()))
}

/// Returns a single character for a text on a border or corner. Numbers above 9 are circled.
fn single_char(text: &str) -> char {
    match (text, text.parse()) {
        ("o", _) => '○',
        ("*", _) => '●',
        (_, Ok(number @ 10..=20)) => char::from_u32(0x245f + number).expect("a number in a circle"),
        _ => text.chars().next().unwrap_or(' '),
    }
}

/// Returns the character at which a line crosses a side.
fn crossing(way: &LineStyle, side: Stroke, is_down: bool) -> Ink {
    let line = weight(way);
    let side = if way.is_double && side == Stroke::Heavy { Stroke::None } else { side };
    Ink(joined(if is_down { [line, side, line, side] } else { [side, line, side, line] }), line_style(way.paint))
}

/// Returns the character of a line between two rows.
fn slant(lattice: Lattice, segment: Segment) -> char {
    if lattice.middle(segment.from).0 < lattice.middle(segment.to()).0 { '╲' } else { '╱' }
}

/// Returns a single character for diagonal lines that meet, if there are any.
fn slanted<'a>(mut lines: impl Iterator<Item = (char, &'a LineStyle)>) -> Option<Ink> {
    let (first, way) = lines.next()?;
    let sign = if lines.all(|(other, _)| other == first) { first } else { '╳' };
    Some(Ink(sign, line_style(way.paint)))
}

fn weight(way: &LineStyle) -> Stroke {
    if way.is_double { Stroke::Double } else { Stroke::Light }
}

/// Returns the style of a line. It is blue by default, like found texts.
fn line_style(paint: Option<Rgb>) -> Ansi {
    Ansi::new().bold().fg_color(Some(paint.map_or(AnsiColor::Blue.into(), |paint| visible(paint).into())))
}

/// Returns the colour of a symbol or line, so dark or light that it is visible on light and on dark
/// backgrounds.
fn visible(mut paint: Rgb) -> RgbColor {
    while paint.luminance() > 0.35 {
        paint = paint.mix(Rgb(0, 0, 0), 0.1);
    }
    while paint.luminance() < 0.1 {
        paint = paint.mix(Rgb(0xff, 0xff, 0xff), 0.1);
    }
    rgb(paint)
}

fn rgb(Rgb(red, green, blue): Rgb) -> RgbColor {
    RgbColor(red, green, blue)
}

/// Chooses patterns that replace colours. If there are few colours, lighter ones get lighter
/// patterns.
fn fill_patterns(fills: impl Iterator<Item = Rgb>) -> BTreeMap<Rgb, [char; 2]> {
    let fills: BTreeSet<Rgb> = fills.filter(|fill| *fill != Rgb(0xff, 0xff, 0xff)).collect();
    let mut fills: Vec<Rgb> = fills.into_iter().collect();
    sorting::sort_by(&mut fills, |one, other| other.luminance().total_cmp(&one.luminance()));
    let count = fills.len();
    let pattern = |(rank, fill): (usize, Rgb)| {
        let is_last = rank + 1 == count;
        let number = match rank % PATTERNS.len() {
            _ if is_last && count < 5 && fill.is_dark() => 3,
            // Shading has the same pattern in all drawings, unless something darker is drawn.
            _ if is_last && count < 4 && fill == SHADED => 2,
            number => number,
        };
        let first = PATTERNS[number];
        (fill, [first, if rank < PATTERNS.len() { first } else { PATTERNS[rank / PATTERNS.len() % PATTERNS.len()] }])
    };
    fills.into_iter().enumerate().map(pattern).collect()
}
