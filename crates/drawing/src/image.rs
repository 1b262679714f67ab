//! Draws a grid as a picture.
//!
//! Elements with the same appearance that are present in the same frames form a single path, for
//! example all thin borders, all backgrounds of one colour, or a loop. If between two frames
//! exactly one of several equal texts or symbols disappears and exactly one appears, this is drawn
//! as a move.

use std::collections::{BTreeMap, BTreeSet};

use base::sorting;
use picture::{Curve, Look, Paint, Picture, Point, Rgb, Sprite, text_width};

use super::frames::GridFrames;
use super::glyph::{ArrowForm, BLACK, WHITE, arrow, is_box_drawing, pipe, symbol_look};
use super::grid::{Border, CellContent, Corner, FOUND, Grid, Side, Symbol};
use super::lattice::{CELL, Lattice, corner};
use super::segment::{Coord, Direction, Extent, Segment};

/// Font size of a text around the grid, in pixels.
const AROUND: f64 = 14.0;
/// Gap between the grid and the texts around it, in pixels.
const GAP: f64 = 5.0;
/// Font size of the text of a cage, in pixels.
const CAGE_TEXT: f64 = 8.5;
/// Length of a line beyond the border of the board that it leaves, in pixels.
const EXIT: f64 = 4.0;
/// Distance between the outline of a cage and the borders of its cells, in pixels.
const INSET: f64 = 3.0;

const GREY: Rgb = Rgb(0x9a, 0x9a, 0x96);
/// The colour of the solution on dark backgrounds.
const FOUND_ON_DARK: Rgb = Rgb(0x9c, 0xd0, 0xff);
const MARK: Rgb = Rgb(0xd0, 0x30, 0x70);

/// The kind of a piece of the picture. Later kinds are drawn on top of earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PieceKind {
    Ground(Rgb),
    Side(Border),
    /// A diagonal; the flag is true if it descends to the right.
    Diagonal(bool, Option<Rgb>),
    Symbol(Symbol, Option<Rgb>),
    Line(bool, Option<Rgb>),
    /// A line that leaves the board by this step from its last cell.
    Exit(Coord, bool, Option<Rgb>),
    FoundSide,
    ThickSide,
    /// A part of the outline of a cage along a side of a cell, with the positions of its two ends.
    Cage(Side, [CageEnd; 2]),
    Edge(Option<Rgb>),
    /// The background of a text above lines.
    Plate(Rgb, PlateForm),
    /// A symbol around a text.
    Badge(Symbol, Option<Rgb>),
    /// Lines from the centre to the sides, as in a box-drawing character.
    Pipe(Rgb, char),
    Arrow(ArrowForm, Rgb, Side),
    Text {
        is_found: bool,
        is_on_dark: bool,
        form: TextForm,
        text: String,
    },
    /// A small text, its form, and a flag that is true if it is on a dark background.
    Corner(Corner, CornerForm, bool, String),
    /// A text around the grid, with its number, counted outwards from the grid.
    Around(Side, i32, String),
    /// A disc on a border or corner: filled (`Some(true)`), empty (`Some(false)`) or the background
    /// of a text (`None`), which is a separate piece.
    Spot(Option<bool>),
    Between(String),
    Mark,
}

/// The position of an end of a cage line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CageEnd {
    /// At a convex corner of the cage, inside the cell.
    Corner,
    /// At the corner of the cell.
    Cell,
    /// At a concave corner of the cage, in the next cell.
    Next,
}

/// The form of the background of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PlateForm {
    Round,
    /// For a text of several characters.
    Wide,
    /// In a corner, for a text of this many characters.
    Corner(Corner, usize),
}

/// The size and the position of a text in its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TextForm {
    Middle,
    /// Small, above another text.
    Small,
    /// Below an arrow or small texts at the top.
    Low,
    /// Left of an arrow.
    Left,
}

/// The size of a small text in a corner or at a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CornerForm {
    /// In a quarter of the cell, which shows nothing else.
    Quarter,
    /// Beside other contents of the cell.
    Small,
    /// Above the outline of a cage, which it interrupts.
    Cage,
}

/// The properties of the whole drawing that determine the pieces of each frame.
#[derive(Clone, Copy)]
struct Context {
    /// As [`GridFrames::board`].
    board: Option<Extent>,
    /// True if lines of the solution may go through cells.
    has_found_lines: bool,
}

impl Context {
    fn of(grids: &GridFrames) -> Context {
        Context { board: grids.board, has_found_lines: grids.has_found_lines() }
    }
}

/// By frame: true if a piece is present.
type Presence = Vec<bool>;

/// A picture that changes by showing and hiding marks.
#[derive(Default)]
pub struct Layers {
    /// The left, the top, the width and the height of the picture.
    pub view: (f64, f64, f64, f64),
    /// The marks as SVG, in drawing order.
    pub marks: Vec<String>,
    /// The indices of the marks that are visible at first.
    pub first: Vec<usize>,
    /// For each change, the indices of the marks that it adds, and of those that it removes.
    pub changes: Vec<[Vec<usize>; 2]>,
}

/// Computes the layers of `still` and of each of `changes`. The drawing `whole` contains all of
/// them; it determines the positions.
pub fn layers(whole: &GridFrames, still: &Grid, changes: &[Grid]) -> Layers {
    let context = Context::of(whole);
    let pieces_of = |grid: &Grid| {
        let mut pieces = BTreeSet::new();
        put_pieces(grid, context, &mut |kind, segment| _ = pieces.insert((kind, segment)));
        pieces
    };
    let first = pieces_of(still);
    let changes: Vec<[BTreeSet<(PieceKind, Segment)>; 2]> = changes
        .iter()
        .map(|change| {
            let near = still.neighbourhood(change);
            let (before, after) = (pieces_of(&near), pieces_of(&near.with(change)));
            [&after - &before, &before - &after]
        })
        .collect();
    let movable: BTreeSet<&(PieceKind, Segment)> = changes.iter().flatten().flatten().collect();
    let mut kinds = BTreeMap::<&PieceKind, Vec<Segment>>::new();
    for (kind, segment) in first.iter().chain(movable.iter().copied()) {
        kinds.entry(kind).or_default().push(*segment);
    }
    let widths = widths(kinds.keys().copied());
    let mut layers = Layers::default();
    let mut numbers = BTreeMap::new();
    let mut sprites = Vec::new();
    for (kind, mut segments) in kinds {
        sorting::sort(&mut segments);
        segments.dedup();
        let (movable, fixed): (Vec<Segment>, Vec<Segment>) =
            segments.into_iter().partition(|&segment| movable.contains(&(kind.clone(), segment)));
        for sprite in sprites_of(whole, kind, fixed, widths) {
            layers.first.push(sprites.len());
            sprites.push(sprite);
        }
        for segment in movable {
            let piece = (kind.clone(), segment);
            layers.first.extend(first.contains(&piece).then_some(sprites.len()));
            numbers.insert(piece, sprites.len());
            sprites.extend(sprites_of(whole, kind, vec![segment], widths));
        }
    }
    let number = |pieces: &BTreeSet<(PieceKind, Segment)>| pieces.iter().map(|piece| numbers[piece]).collect();
    layers.changes = changes.iter().map(|change| [number(&change[0]), number(&change[1])]).collect();
    let picture = Picture { title: String::new(), sprites, captions: Vec::new() };
    (layers.view, layers.marks) = (picture.view(), picture.parts().ground);
    layers
}

/// Returns the sprites for pieces of the same kind that are always visible together.
fn sprites_of(grids: &GridFrames, kind: &PieceKind, segments: Vec<Segment>, widths: [f64; 2]) -> Vec<Sprite> {
    match kind {
        _ if kind.is_glyph() => {
            let lattice = grids.still.lattice;
            segments
                .into_iter()
                .map(|segment| glyph(lattice, kind, &[lattice.middle(segment.from)], Vec::new()))
                .collect()
        }
        PieceKind::Around(side, number, text) => {
            let label =
                |segment: Segment| around_text(text, outside_position(grids, *side, *number, segment.from, widths));
            segments.into_iter().map(label).collect()
        }
        PieceKind::Spot(_) | PieceKind::Between(_) => {
            segments.into_iter().map(|segment| spot(kind, segment.from)).collect()
        }
        _ if segments.is_empty() => Vec::new(),
        _ => {
            let (look, paint) = path(grids.still.lattice, kind, segments);
            vec![Sprite::still(look, paint, "", (0.0, 0.0))]
        }
    }
}

fn around_text(text: &str, place: Point) -> Sprite {
    let look = Look::Label { width: text_width(text, AROUND), height: AROUND, is_bold: false };
    Sprite::still(look, Paint::Color(BLACK), text, place)
}

/// Returns the sprite of a piece on a border or corner.
fn spot(kind: &PieceKind, (y, x): Coord) -> Sprite {
    let place = ((f64::from(x) / 2.0 + 1.0) * CELL, (f64::from(y) / 2.0 + 1.0) * CELL);
    match kind {
        PieceKind::Between(text) => {
            let look = Look::Label { width: 14.0, height: 12.0, is_bold: false };
            Sprite::still(look, Paint::Color(BLACK), text, place)
        }
        _ => {
            let fill = Some(if *kind == PieceKind::Spot(Some(true)) { BLACK } else { WHITE });
            let (radius, width) = if *kind == PieceKind::Spot(None) { (7.0, 0.0) } else { (5.5, 1.2) };
            let look = Look::Shape { curves: vec![Curve::ellipse(radius, radius)], width, is_dashed: false, fill };
            Sprite::still(look, Paint::Color(BLACK), "", place)
        }
    }
}

/// Returns the widths of the columns for texts on the left and on the right of the grid.
fn widths<'a>(kinds: impl Iterator<Item = &'a PieceKind> + Clone) -> [f64; 2] {
    [Side::Left, Side::Right].map(|side| {
        let texts = kinds.clone().filter_map(|kind| match kind {
            PieceKind::Around(text_side, _, text) if *text_side == side => Some(text_width(text, AROUND)),
            _ => None,
        });
        texts.fold(AROUND / 2.0, f64::max) + GAP
    })
}

pub fn picture(grids: &GridFrames, title: &str) -> Picture {
    let count = grids.frame_count();
    let mut pieces = BTreeMap::<PieceKind, BTreeMap<Segment, Presence>>::new();
    let mut captions = Vec::new();
    let context = Context::of(grids);
    for number in 1..=count {
        let grid = grids.frame(number);
        captions.push(grids.caption(&grid, number));
        let mut put = |kind: PieceKind, segment: Segment| {
            let presence = pieces.entry(kind).or_default().entry(segment).or_default();
            presence.resize(count, false);
            presence[number - 1] = true;
        };
        put_pieces(&grid, context, &mut put);
        for &place in &grids.marks {
            put(PieceKind::Mark, Segment::above(place));
        }
    }
    if captions.iter().all(String::is_empty) {
        captions.clear();
    }
    let widths = widths(pieces.keys());
    let mut sprites = Vec::new();
    for (kind, pieces) in &pieces {
        match kind {
            _ if kind.is_glyph() => {
                for (places, presence) in tracks(grids.still.lattice, pieces, count) {
                    sprites.push(glyph(grids.still.lattice, kind, &places, presence));
                }
            }
            PieceKind::Spot(_) | PieceKind::Between(_) => {
                for (&segment, presence) in pieces {
                    sprites.push(Sprite { shown: visibility(presence), ..spot(kind, segment.from) });
                }
            }
            PieceKind::Around(side, number, text) => {
                for (&segment, presence) in pieces {
                    let sprite = around_text(text, outside_position(grids, *side, *number, segment.from, widths));
                    sprites.push(Sprite { shown: visibility(presence), ..sprite });
                }
            }
            _ => {
                let mut groups = BTreeMap::<&Presence, Vec<Segment>>::new();
                for (&segment, presence) in pieces {
                    groups.entry(presence).or_default().push(segment);
                }
                for (presence, segments) in groups {
                    let (look, paint) = path(grids.still.lattice, kind, segments);
                    let sprite = Sprite::still(look, paint, "", (0.0, 0.0));
                    sprites.push(Sprite { shown: visibility(presence), ..sprite });
                }
            }
        }
    }
    Picture { title: title.to_owned(), sprites, captions }
}

/// Returns the visibility of a sprite in each frame; empty if it is present in all frames.
fn visibility(presence: &Presence) -> Presence {
    if presence.iter().all(|&is_present| is_present) { Vec::new() } else { presence.clone() }
}

/// Calls `put` with each piece of the grid: its kind and its position.
fn put_pieces(grid: &Grid, context: Context, put: &mut impl FnMut(PieceKind, Segment)) {
    for (&place, cell) in &grid.cells {
        let segment = Segment::above(place);
        put(PieceKind::Ground(cell.fill.unwrap_or(WHITE)), segment);
        put_texts(cell, context.has_found_lines, segment, put);
        put_corners(cell, context.has_found_lines, grid.cages.contains_key(&place), segment, put);
    }
    for (segment, border) in grid.sides() {
        let kind = match border {
            Border::Thick => PieceKind::ThickSide,
            Border::Found => PieceKind::FoundSide,
            _ => PieceKind::Side(border),
        };
        put(kind, segment);
    }
    for (&segment, line) in &grid.lines {
        match segment.exit(context.board).filter(|_| grid.lattice == Lattice::Squares) {
            Some((last, step)) => put(PieceKind::Exit(step, line.is_double, line.paint), Segment::above(last)),
            None => put(PieceKind::Line(line.is_double, line.paint), segment),
        }
    }
    for (&segment, &paint) in &grid.edges {
        put(PieceKind::Edge(paint), segment);
    }
    for (&(row, column), names) in &grid.cages {
        for name in names {
            let has = |rows: i32, columns: i32| {
                grid.cages.get(&(row + rows, column + columns)).is_some_and(|names| names.contains(name))
            };
            for side in [Side::Left, Side::Right, Side::Top, Side::Bottom] {
                let ((rows, columns), (down, right)) = side_offsets(side);
                if has(rows, columns) {
                    continue;
                }
                let ends = [-1, 1].map(|sign| {
                    match (has(sign * down, sign * right), has(rows + sign * down, columns + sign * right)) {
                        (false, _) => CageEnd::Corner,
                        (true, false) => CageEnd::Cell,
                        (true, true) => CageEnd::Next,
                    }
                });
                put(PieceKind::Cage(side, ends), Segment::above((row, column)));
            }
        }
    }
    for (&place, text) in &grid.between {
        let is_filled = ["o", "*"].iter().position(|disc| disc == text).map(|index| index == 1);
        put(PieceKind::Spot(is_filled), Segment::above(place));
        if is_filled.is_none() {
            put(PieceKind::Between(text.clone()), Segment::above(place));
        }
    }
    for (&(side, rank), texts) in &grid.around {
        let last = texts.last_key_value().map_or(0, |(&last, _)| last);
        for (&number, texts) in texts {
            let outwards = if matches!(side, Side::Left | Side::Top) { last - number } else { number - 1 };
            put(PieceKind::Around(side, outwards, texts.join(" ")), Segment::above((rank, rank)));
        }
    }
}

/// Returns the offset to the cell beyond a side, and the offset along the side, each as rows and
/// columns.
fn side_offsets(side: Side) -> (Coord, Coord) {
    match side {
        Side::Left => ((0, -1), (1, 0)),
        Side::Right => ((0, 1), (1, 0)),
        Side::Top => ((-1, 0), (0, 1)),
        Side::Bottom => ((1, 0), (0, 1)),
    }
}

fn put_texts(cell: &CellContent, has_found_lines: bool, segment: Segment, put: &mut impl FnMut(PieceKind, Segment)) {
    let found: Vec<String> = cell.texts().skip(cell.given.len()).cloned().collect();
    let has_text = !cell.given.is_empty() || !found.is_empty();
    let mut is_on_dark = cell.fill.is_some_and(Rgb::is_dark);
    for (&symbol, &paint) in &cell.symbols {
        put(if has_text { PieceKind::Badge(symbol, paint) } else { PieceKind::Symbol(symbol, paint) }, segment);
        is_on_dark = match symbol {
            Symbol::Disc => paint.is_none_or(Rgb::is_dark),
            Symbol::Circle => false,
            _ => is_on_dark,
        };
    }
    for (&is_down, &paint) in &cell.diagonals {
        put(PieceKind::Diagonal(is_down, paint), segment);
    }
    let is_round = [Symbol::Circle, Symbol::Disc].iter().any(|symbol| cell.symbols.contains_key(symbol));
    let both = !cell.given.is_empty() && !found.is_empty();
    for (texts, is_found) in [(&cell.given, false), (&found, true)] {
        let color = text_color(is_found, is_on_dark);
        let (arrows, words): (Vec<&String>, Vec<&String>) =
            texts.iter().partition(|text| Side::of_arrow(text).is_some());
        let text = words.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let mut form = match cell.corners.keys().any(|corner| corner.offset().1 < 0.0) {
            _ if both && !is_found => TextForm::Small,
            true => TextForm::Low,
            false => TextForm::Middle,
        };
        for side in arrows.into_iter().filter_map(|arrow| Side::of_arrow(arrow)) {
            let arrow = match (text.is_empty(), is_round) {
                (_, true) => ArrowForm::Rim,
                (true, _) if is_found && has_found_lines => ArrowForm::Head,
                (true, _) => ArrowForm::Large,
                (false, _) => ArrowForm::Slim,
            };
            if arrow == ArrowForm::Slim {
                form = if matches!(side, Side::Left | Side::Right) { TextForm::Low } else { TextForm::Left };
            }
            put(PieceKind::Arrow(arrow, color, side), segment);
        }
        if text.is_empty() {
            continue;
        }
        if let Some(sign) = text.chars().next().filter(|_| is_box_drawing(&text)) {
            put(PieceKind::Pipe(color, sign), segment);
            continue;
        }
        // Lines cross gates, which are drawn by dashes.
        let is_gate = text.chars().all(|sign| ('\u{2500}'..'\u{2580}').contains(&sign));
        if has_found_lines && !is_round && !is_gate {
            let form = if text.chars().count() > 1 { PlateForm::Wide } else { PlateForm::Round };
            put(PieceKind::Plate(cell.fill.unwrap_or(WHITE), form), segment);
        }
        put(PieceKind::Text { is_found, is_on_dark, form, text }, segment);
    }
}

fn put_corners(
    cell: &CellContent,
    has_found_lines: bool,
    is_in_cage: bool,
    segment: Segment,
    put: &mut impl FnMut(PieceKind, Segment),
) {
    let form = match cell.texts().next() {
        _ if is_in_cage => CornerForm::Cage,
        None if cell.diagonals.is_empty() && !has_found_lines => CornerForm::Quarter,
        _ => CornerForm::Small,
    };
    let is_on_dark = cell.fill.is_some_and(Rgb::is_dark);
    for (&corner, texts) in &cell.corners {
        let text = texts.join(" ");
        if is_in_cage {
            let plate = PlateForm::Corner(corner, text.chars().count());
            put(PieceKind::Plate(cell.fill.unwrap_or(WHITE), plate), segment);
        }
        put(PieceKind::Corner(corner, form, is_on_dark, text), segment);
    }
}

fn text_color(is_found: bool, is_on_dark: bool) -> Rgb {
    match (is_found, is_on_dark) {
        (true, false) => FOUND,
        (true, true) => FOUND_ON_DARK,
        (false, false) => BLACK,
        (false, true) => WHITE,
    }
}

impl PieceKind {
    /// Returns true for the contents of a single cell, which may move to another cell.
    fn is_glyph(&self) -> bool {
        matches!(
            self,
            PieceKind::Symbol(..)
                | PieceKind::Badge(..)
                | PieceKind::Text { .. }
                | PieceKind::Corner(..)
                | PieceKind::Arrow(..)
                | PieceKind::Pipe(..)
        )
    }
}

/// Returns the position of a text around the grid. `outwards` counts the texts between it and the
/// grid.
fn outside_position(grids: &GridFrames, side: Side, outwards: i32, place: Coord, widths: [f64; 2]) -> Point {
    let Some(extent) = grids.extent else { return (0.0, 0.0) };
    let lattice = grids.still.lattice;
    let [(left, top), (right, bottom)] = lattice.bounds(extent);
    let ((x, y), steps) = (lattice.middle(place), f64::from(outwards) + 0.5);
    match side {
        Side::Left => (left - GAP / 2.0 - steps * widths[0], y),
        Side::Right => (right + GAP / 2.0 + steps * widths[1], y),
        Side::Top => (x, top - GAP / 2.0 - steps * (AROUND + 2.0)),
        Side::Bottom => (x, bottom + GAP / 2.0 + steps * (AROUND + 2.0)),
    }
}

/// Merges consecutive segments in the same row or, on squares, in the same column. Returns the ends
/// of the merged segments.
pub fn runs(lattice: Lattice, mut segments: Vec<Segment>) -> Vec<(Coord, Coord)> {
    let is_straight = |segment: &Segment| match segment.direction {
        Direction::Right => true,
        Direction::Down => lattice == Lattice::Squares,
        _ => false,
    };
    sorting::sort_by_key(&mut segments, |segment| match segment.direction {
        Direction::Down => (segment.direction, segment.from.1, segment.from.0),
        _ => (segment.direction, segment.from.0, segment.from.1),
    });
    let mut runs: Vec<(Segment, Coord)> = Vec::new();
    for segment in segments {
        match runs.last_mut() {
            Some((first, end))
                if first.direction == segment.direction && *end == segment.from && is_straight(&segment) =>
            {
                *end = segment.to()
            }
            _ => runs.push((segment, segment.to())),
        }
    }
    runs.into_iter().map(|(first, end)| (first.from, end)).collect()
}

/// Returns the appearance of all pieces of the same kind as a single path.
fn path(lattice: Lattice, kind: &PieceKind, segments: Vec<Segment>) -> (Look, Paint) {
    let (width, is_dashed, paint) = match kind {
        PieceKind::Side(Border::Dashed) => (1.5, true, Paint::Color(BLACK)),
        PieceKind::ThickSide => (3.0, false, Paint::Color(BLACK)),
        PieceKind::FoundSide => (3.5, false, Paint::Color(FOUND)),
        PieceKind::Edge(paint) => (4.0, false, Paint::Color(paint.unwrap_or(FOUND))),
        PieceKind::Line(is_double, paint) | PieceKind::Exit(_, is_double, paint) => {
            (if *is_double { 2.5 } else { 4.0 }, false, Paint::Color(paint.unwrap_or(FOUND)))
        }
        PieceKind::Cage(..) => (1.0, true, Paint::Color(BLACK)),
        PieceKind::Mark => (3.0, false, Paint::Color(MARK)),
        PieceKind::Diagonal(_, Some(FOUND)) => (3.0, false, Paint::Color(FOUND)),
        PieceKind::Diagonal(_, paint) => (1.0, false, Paint::Color(paint.unwrap_or(BLACK))),
        _ => (1.0, false, Paint::Color(GREY)),
    };
    let line = |[from, to]: [Point; 2]| Curve::line(from, to);
    let strokes = |is_double: bool, ends: [Point; 2]| match is_double {
        true => parallel_lines(ends).map(line).to_vec(),
        false => vec![line(ends)],
    };
    let is_square = lattice == Lattice::Squares;
    let curves: Vec<Curve> = match kind {
        PieceKind::Mark => segments.iter().map(|segment| Curve::polygon(&lattice.outline(segment.from, 3.0))).collect(),
        PieceKind::Diagonal(is_down, _) => {
            let diagonal = |segment: &Segment| {
                let (row, column) = segment.from;
                let (from, to) = if *is_down { (row, row + 1) } else { (row + 1, row) };
                line([corner((from, column)), corner((to, column + 1))])
            };
            segments.iter().map(diagonal).collect()
        }
        PieceKind::Cage(side, ends) => {
            let cage = |segment: &Segment| {
                let ((rows, columns), (down, right)) = side_offsets(*side);
                let ((x, y), away) = (lattice.middle(segment.from), CELL / 2.0 - INSET);
                line([(-1.0, ends[0]), (1.0, ends[1])].map(|(sign, end)| {
                    let along = sign
                        * match end {
                            CageEnd::Corner => away,
                            CageEnd::Cell => CELL / 2.0,
                            CageEnd::Next => CELL / 2.0 + INSET,
                        };
                    let (right, down) = (f64::from(right) * along, f64::from(down) * along);
                    (x + f64::from(columns) * away + right, y + f64::from(rows) * away + down)
                }))
            };
            segments.iter().map(cage).collect()
        }
        PieceKind::Exit((down, right), is_double, _) => {
            let exit = |segment: &Segment| {
                let (x, y) = lattice.middle(segment.from);
                let length = CELL / 2.0 + EXIT;
                strokes(*is_double, [(x, y), (x + f64::from(*right) * length, y + f64::from(*down) * length)])
            };
            segments.iter().flat_map(exit).collect()
        }
        PieceKind::Plate(_, form) => {
            let plate = match form {
                PlateForm::Round => Curve::ellipse(10.0, 10.0),
                PlateForm::Wide => Curve::ellipse(13.0, 10.0),
                PlateForm::Corner(corner, characters) => {
                    let (right, down) = corner.offset();
                    let [outer, inner] = [15.0, 13.0 - 0.62 * CAGE_TEXT * *characters as f64].map(|x| right * x);
                    let [above, below] = [15.0, 5.5].map(|y| down * y);
                    Curve::polygon(&[(outer, above), (inner, above), (inner, below), (outer, below)])
                }
            };
            segments.iter().map(|segment| plate.shifted(lattice.middle(segment.from))).collect()
        }
        PieceKind::Ground(_) if is_square => {
            runs(lattice, segments).into_iter().map(|(from, to)| rectangle(from, to)).collect()
        }
        PieceKind::Ground(_) => {
            segments.iter().map(|segment| Curve::polygon(&lattice.outline(segment.from, 0.0))).collect()
        }
        PieceKind::Line(is_double, _) => {
            let lines =
                runs(lattice, segments).into_iter().map(|(from, to)| [lattice.middle(from), lattice.middle(to)]);
            lines.flat_map(|ends| strokes(*is_double, ends)).collect()
        }
        _ if is_square => {
            runs(lattice, segments).into_iter().map(|(from, to)| line([corner(from), corner(to)])).collect()
        }
        _ => segments.into_iter().map(|segment| line(lattice.ends(segment))).collect(),
    };
    let fill = match kind {
        PieceKind::Ground(color) | PieceKind::Plate(color, _) => Some(*color),
        _ => None,
    };
    (Look::Shape { curves, width: if fill.is_some() { 0.0 } else { width }, is_dashed, fill }, paint)
}

/// Returns the ends of the two parallel lines of a double line.
fn parallel_lines([from, to]: [Point; 2]) -> [[Point; 2]; 2] {
    let (right, down) = (to.0 - from.0, to.1 - from.1);
    let length = right.hypot(down);
    let (x, y) = (3.5 * down / length, -3.5 * right / length);
    let sides = if down == 0.0 { [-1.0, 1.0] } else { [1.0, -1.0] };
    sides.map(|side| [(from.0 + side * x, from.1 + side * y), (to.0 + side * x, to.1 + side * y)])
}

/// Returns the rectangle of the cells from `from` up to, but not including, `to` in the same row.
fn rectangle(from: Coord, to: Coord) -> Curve {
    let ((left, top), (right, bottom)) = (corner(from), corner((to.0 + 1, to.1)));
    Curve::polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
}

/// Tracks equal texts or symbols across frames. Returns for each its position in each frame (a
/// single one if it does not move) and its visibility.
fn tracks(lattice: Lattice, pieces: &BTreeMap<Segment, Presence>, count: usize) -> Vec<(Vec<Point>, Presence)> {
    let middle = |place: Coord| lattice.middle(place);
    let present_in =
        |frame: usize| pieces.iter().filter(move |(_, presence)| presence[frame]).map(|(&segment, _)| segment);
    let mut current: BTreeMap<Segment, usize> = BTreeMap::new();
    let mut tracks: Vec<Vec<Option<Point>>> = Vec::new();
    let mut has_moved = false;
    for frame in 0..count {
        let present: BTreeSet<Segment> = present_in(frame).collect();
        let disappeared: Vec<Segment> = current.keys().filter(|segment| !present.contains(segment)).copied().collect();
        let appeared: Vec<Segment> = present.iter().filter(|segment| !current.contains_key(segment)).copied().collect();
        let free_tracks: Vec<usize> = disappeared.iter().filter_map(|segment| current.remove(segment)).collect();
        for &segment in &appeared {
            match free_tracks[..] {
                [track] if appeared.len() == 1 => {
                    current.insert(segment, track);
                    has_moved = true;
                }
                _ => {
                    current.insert(segment, tracks.len());
                    tracks.push(vec![None; count]);
                }
            }
        }
        for (segment, &track) in &current {
            tracks[track][frame] = Some(middle(segment.from));
        }
    }
    if !has_moved {
        return pieces.iter().map(|(segment, presence)| (vec![middle(segment.from)], visibility(presence))).collect();
    }
    let track = |places: Vec<Option<Point>>| {
        let presence: Presence = places.iter().map(Option::is_some).collect();
        let mut last = places.iter().flatten().next().copied().unwrap_or_default();
        let places = places.into_iter().map(|place| {
            *(if let Some(place) = place {
                last = place;
                &last
            } else {
                &last
            })
        });
        let places: Vec<Point> = places.collect();
        (if places.iter().all(|place| *place == places[0]) { vec![places[0]] } else { places }, visibility(&presence))
    };
    tracks.into_iter().map(track).collect()
}

fn glyph(lattice: Lattice, kind: &PieceKind, places: &[Point], presence: Presence) -> Sprite {
    let label = |width: f64, height: f64, is_bold: bool| Look::Label { width, height, is_bold };
    let (look, paint, text, offset) = match kind {
        PieceKind::Text { is_found, is_on_dark, form, text } => {
            let (width, height, offset) = match form {
                TextForm::Middle => (CELL - 3.0, 16.0, (0.0, 0.0)),
                TextForm::Small => (CELL - 3.0, 9.0, (0.0, -9.0)),
                TextForm::Low => (CELL - 3.0, 15.0, (0.0, 3.5)),
                TextForm::Left => (CELL - 12.0, 15.0, (-4.5, 0.0)),
            };
            let color = text_color(*is_found, *is_on_dark);
            (label(width, height, *is_found), Paint::Color(color), text.clone(), offset)
        }
        PieceKind::Corner(corner, form, is_on_dark, text) => {
            let size = match form {
                CornerForm::Quarter => 13.0,
                CornerForm::Small => 10.0,
                CornerForm::Cage => CAGE_TEXT,
            };
            let (right, down) = corner.offset();
            // The text touches the corner or the side.
            let (x, y) = (CELL / 2.0 - 2.5 - text_width(text, size) / 2.0, CELL / 2.0 - 2.0 - size / 2.0);
            let color = text_color(false, *is_on_dark);
            (label(text_width(text, size), size, false), Paint::Color(color), text.clone(), (right * x, down * y))
        }
        PieceKind::Symbol(symbol, paint) | PieceKind::Badge(symbol, paint) => {
            let (look, paint) = symbol_look(*symbol, *paint);
            (look, paint, String::new(), (0.0, 0.0))
        }
        PieceKind::Arrow(form, color, side) => (arrow(*form, *color, *side), Paint::White, String::new(), (0.0, 0.0)),
        PieceKind::Pipe(color, sign) => (pipe(*sign), Paint::Color(*color), String::new(), (0.0, 0.0)),
        _ => return Sprite::still(Look::Text { size: AROUND }, Paint::White, "", (0.0, 0.0)),
    };
    let hint = match places {
        [at] => {
            let (row, column) = lattice.coord_at(*at);
            format!("row {row}, column {column}")
        }
        _ => String::new(),
    };
    let places = places.iter().map(|&(x, y)| (x + offset.0, y + offset.1)).collect();
    Sprite { shown: presence, hint, ..Sprite::moving(look, paint, text, places) }
}
