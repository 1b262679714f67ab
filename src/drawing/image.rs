//! A grid as a picture.
//!
//! What is alike and there in the same frames is one path: all thin borders, all grounds of one colour, a loop. A text or symbol
//! that is alone in having left its place, as another one like it is in having come, has moved there.

use std::collections::{BTreeMap, BTreeSet};

use super::Drawing;
use super::grid::{Border, Cell, Corner, Grid, Half, Place, Side, Symbol, Way};
use super::lattice::{CELL, Lattice, corner};
use crate::picture::{Curve, Look, Paint, Picture, Point, Rgb, Sprite, text_width};
use crate::sorting;

/// Pixels: a text around the grid, and its lines.
const AROUND: f64 = 14.0;
const GAP: f64 = 5.0;
/// Between a cage and the border of its cells.
const INSET: f64 = 3.0;

const WHITE: Rgb = Rgb(0xff, 0xff, 0xff);
const BLACK: Rgb = Rgb(0x11, 0x11, 0x11);
const GREY: Rgb = Rgb(0x9a, 0x9a, 0x96);
/// What is found, on light grounds and on dark ones.
const FOUND: Rgb = Rgb(0x1f, 0x5f, 0xd0);
const FOUND_ON_DARK: Rgb = Rgb(0x9c, 0xd0, 0xff);
const MARK: Rgb = Rgb(0xd0, 0x30, 0x70);

/// What a piece of the picture looks like; later ones lie above.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Ground(Rgb),
    Side(Border),
    /// Down to the right, or up.
    Diagonal(bool, Option<Rgb>),
    Symbol(Symbol, Option<Rgb>),
    Line(bool, Option<Rgb>),
    ThickSide,
    /// The line of a cage along a side of a cell, and how far it goes at either end.
    Cage(Side, [Reach; 2]),
    Edge(Option<Rgb>),
    /// A symbol around a text.
    Badge(Symbol, Option<Rgb>),
    Text {
        is_found: bool,
        is_small: bool,
        is_on_dark: bool,
        text: String,
    },
    /// A small text, on a dark ground or on a light one.
    Corner(Corner, bool, String),
    /// With its number, from the grid outwards.
    Around(Side, i32, String),
    /// On borders and corners: a disc, open, filled or as ground for a text, and the text.
    Spot(Option<bool>),
    Between(String),
    Mark,
}

/// How far the line of a cage goes: to the cage's own corner, to that of the cell, or into the next cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Corner,
    Cell,
    Next,
}

/// In which frames a piece is there.
type Presence = Vec<bool>;

/// A picture that changes: each of its marks as SVG, from below to above, which of them are there at first, and which come
/// and go with each change.
#[derive(Default)]
pub struct Layers {
    pub view: (f64, f64, f64, f64),
    pub marks: Vec<String>,
    pub first: Vec<usize>,
    pub changes: Vec<[Vec<usize>; 2]>,
}

/// The layers of what `still` shows and each change adds; `whole` has all of it.
pub fn layers(whole: &Drawing, still: &Grid, changes: &[Grid]) -> Layers {
    let pieces_of = |grid: &Grid| {
        let mut pieces = BTreeSet::new();
        put_pieces(grid, &mut |kind, half| _ = pieces.insert((kind, half)));
        pieces
    };
    let first = pieces_of(still);
    let changes: Vec<[BTreeSet<(Kind, Half)>; 2]> = changes
        .iter()
        .map(|change| {
            let near = still.near(change);
            let (before, after) = (pieces_of(&near), pieces_of(&near.with(change)));
            [&after - &before, &before - &after]
        })
        .collect();
    let movable: BTreeSet<&(Kind, Half)> = changes.iter().flatten().flatten().collect();
    let mut kinds = BTreeMap::<&Kind, Vec<Half>>::new();
    first.iter().chain(movable.iter().copied()).for_each(|(kind, half)| kinds.entry(kind).or_default().push(*half));
    let widths = widths(kinds.keys().copied());
    let (mut layers, mut numbers, mut sprites) = (Layers::default(), BTreeMap::new(), Vec::new());
    for (kind, mut halves) in kinds {
        sorting::sort(&mut halves);
        halves.dedup();
        let (movable, fixed): (Vec<Half>, Vec<Half>) =
            halves.into_iter().partition(|&half| movable.contains(&(kind.clone(), half)));
        for made in made(whole, kind, fixed, widths) {
            layers.first.push(sprites.len());
            sprites.push(made);
        }
        for half in movable {
            let piece = (kind.clone(), half);
            layers.first.extend(first.contains(&piece).then_some(sprites.len()));
            numbers.insert(piece, sprites.len());
            sprites.extend(made(whole, kind, vec![half], widths));
        }
    }
    let number = |pieces: &BTreeSet<(Kind, Half)>| pieces.iter().map(|piece| numbers[piece]).collect();
    layers.changes = changes.iter().map(|change| [number(&change[0]), number(&change[1])]).collect();
    let picture = Picture { title: String::new(), sprites, captions: Vec::new() };
    (layers.view, layers.marks) = (picture.view(), picture.parts().ground);
    layers
}

/// Pieces of one kind that are always there together.
fn made(drawing: &Drawing, kind: &Kind, halves: Vec<Half>, widths: [f64; 2]) -> Vec<Sprite> {
    match kind {
        Kind::Symbol(..) | Kind::Badge(..) | Kind::Text { .. } | Kind::Corner(..) => {
            let lattice = drawing.still.lattice;
            halves.into_iter().map(|half| thing(lattice, kind, &[lattice.middle(half.from)], Vec::new())).collect()
        }
        Kind::Around(side, number, text) => {
            let label = |half: Half| around(text, outside(drawing, *side, *number, half.from, widths));
            halves.into_iter().map(label).collect()
        }
        Kind::Spot(_) | Kind::Between(_) => halves.into_iter().map(|half| spot(kind, half.from)).collect(),
        _ if halves.is_empty() => Vec::new(),
        _ => {
            let (look, paint) = path(drawing.still.lattice, kind, halves);
            vec![Sprite::still(look, paint, "", (0.0, 0.0))]
        }
    }
}

fn around(text: &str, place: Point) -> Sprite {
    let look = Look::Label { width: text_width(text, AROUND), height: AROUND, is_bold: false };
    Sprite::still(look, Paint::Color(BLACK), text, place)
}

/// What lies on a border or corner.
fn spot(kind: &Kind, (y, x): Place) -> Sprite {
    let place = ((f64::from(x) / 2.0 + 1.0) * CELL, (f64::from(y) / 2.0 + 1.0) * CELL);
    match kind {
        Kind::Between(text) => {
            let look = Look::Label { width: 14.0, height: 12.0, is_bold: false };
            Sprite::still(look, Paint::Color(BLACK), text, place)
        }
        _ => {
            let fill = Some(if *kind == Kind::Spot(Some(true)) { BLACK } else { WHITE });
            let (radius, width) = if *kind == Kind::Spot(None) { (7.0, 0.0) } else { (5.5, 1.2) };
            let look = Look::Shape { curves: vec![Curve::ellipse(radius, radius)], width, is_dashed: false, fill };
            Sprite::still(look, Paint::Color(BLACK), "", place)
        }
    }
}

/// How wide the texts on the left and on the right are.
fn widths<'a>(kinds: impl Iterator<Item = &'a Kind> + Clone) -> [f64; 2] {
    [Side::Left, Side::Right].map(|side| {
        let texts = kinds.clone().filter_map(|kind| match kind {
            Kind::Around(of, _, text) if *of == side => Some(text_width(text, AROUND)),
            _ => None,
        });
        texts.fold(AROUND / 2.0, f64::max) + GAP
    })
}

pub fn picture(drawing: &Drawing, title: &str) -> Picture {
    let count = drawing.count();
    let mut pieces = BTreeMap::<Kind, BTreeMap<Half, Presence>>::new();
    let mut captions = Vec::new();
    for number in 1..=count {
        let grid = drawing.frame(number);
        captions.push(drawing.caption(&grid, number));
        let mut put = |kind: Kind, half: Half| {
            let presence = pieces.entry(kind).or_default().entry(half).or_default();
            presence.resize(count, false);
            presence[number - 1] = true;
        };
        put_pieces(&grid, &mut put);
        drawing.marks.iter().for_each(|&place| put(Kind::Mark, Half::above(place)));
    }
    if captions.iter().all(String::is_empty) {
        captions.clear();
    }
    let widths = widths(pieces.keys());
    let mut sprites = Vec::new();
    for (kind, pieces) in &pieces {
        match kind {
            Kind::Symbol(..) | Kind::Badge(..) | Kind::Text { .. } | Kind::Corner(..) => {
                for (places, presence) in tracks(drawing.still.lattice, pieces, count) {
                    sprites.push(thing(drawing.still.lattice, kind, &places, presence));
                }
            }
            Kind::Spot(_) | Kind::Between(_) => {
                for (&half, presence) in pieces {
                    sprites.push(Sprite { shown: shown(presence), ..spot(kind, half.from) });
                }
            }
            Kind::Around(side, number, text) => {
                for (&half, presence) in pieces {
                    let sprite = around(text, outside(drawing, *side, *number, half.from, widths));
                    sprites.push(Sprite { shown: shown(presence), ..sprite });
                }
            }
            _ => {
                let mut groups = BTreeMap::<&Presence, Vec<Half>>::new();
                pieces.iter().for_each(|(&half, presence)| groups.entry(presence).or_default().push(half));
                for (presence, halves) in groups {
                    let (look, paint) = path(drawing.still.lattice, kind, halves);
                    let sprite = Sprite::still(look, paint, "", (0.0, 0.0));
                    sprites.push(Sprite { shown: shown(presence), ..sprite });
                }
            }
        }
    }
    Picture { title: title.to_owned(), sprites, captions }
}

/// What is there in all frames needs no word.
fn shown(presence: &Presence) -> Presence {
    if presence.iter().all(|&is_there| is_there) { Vec::new() } else { presence.clone() }
}

fn put_pieces(grid: &Grid, put: &mut impl FnMut(Kind, Half)) {
    for (&place, cell) in &grid.cells {
        let half = Half::above(place);
        put(Kind::Ground(cell.fill.unwrap_or(WHITE)), half);
        put_texts(cell, half, put);
    }
    for (half, border) in grid.sides() {
        put(if border == Border::Thick { Kind::ThickSide } else { Kind::Side(border) }, half);
    }
    grid.lines.iter().for_each(|(&half, line)| put(Kind::Line(line.is_double, line.paint), half));
    grid.edges.iter().for_each(|(&half, &paint)| put(Kind::Edge(paint), half));
    for (&(row, column), names) in &grid.cages {
        for name in names {
            let has = |rows: i32, columns: i32| {
                grid.cages.get(&(row + rows, column + columns)).is_some_and(|names| names.contains(name))
            };
            for side in [Side::Left, Side::Right, Side::Top, Side::Bottom] {
                let ((rows, columns), (down, right)) = ways(side);
                if has(rows, columns) {
                    continue;
                }
                let reach = [-1, 1].map(|way| {
                    match (has(way * down, way * right), has(rows + way * down, columns + way * right)) {
                        (false, _) => Reach::Corner,
                        (true, false) => Reach::Cell,
                        (true, true) => Reach::Next,
                    }
                });
                put(Kind::Cage(side, reach), Half::above((row, column)));
            }
        }
    }
    for (&place, text) in &grid.between {
        let is_filled = ["o", "*"].iter().position(|known| known == text).map(|index| index == 1);
        put(Kind::Spot(is_filled), Half::above(place));
        if is_filled.is_none() {
            put(Kind::Between(text.clone()), Half::above(place));
        }
    }
    for (&(side, rank), texts) in &grid.around {
        let last = texts.last_key_value().map_or(0, |(&last, _)| last);
        for (&number, texts) in texts {
            let outwards = if matches!(side, Side::Left | Side::Top) { last - number } else { number - 1 };
            put(Kind::Around(side, outwards, texts.join(" ")), Half::above((rank, rank)));
        }
    }
}

/// The way to a side of a cell, and the way along it, in rows and columns.
fn ways(side: Side) -> (Place, Place) {
    match side {
        Side::Left => ((0, -1), (1, 0)),
        Side::Right => ((0, 1), (1, 0)),
        Side::Top => ((-1, 0), (0, 1)),
        Side::Bottom => ((1, 0), (0, 1)),
    }
}

fn put_texts(cell: &Cell, half: Half, put: &mut impl FnMut(Kind, Half)) {
    let (given, found) = (cell.given.join(" "), cell.texts().skip(cell.given.len()).cloned().collect::<Vec<_>>());
    let has_text = !given.is_empty() || !found.is_empty();
    let mut is_on_dark = cell.fill.is_some_and(Rgb::is_dark);
    for (&symbol, &paint) in &cell.symbols {
        put(if has_text { Kind::Badge(symbol, paint) } else { Kind::Symbol(symbol, paint) }, half);
        is_on_dark = match symbol {
            Symbol::Disc => paint.is_none_or(Rgb::is_dark),
            Symbol::Circle => false,
            _ => is_on_dark,
        };
    }
    cell.diagonals.iter().for_each(|(&is_down, &paint)| put(Kind::Diagonal(is_down, paint), half));
    for (&corner, texts) in &cell.corners {
        put(Kind::Corner(corner, is_on_dark, texts.join(" ")), half);
    }
    let is_small = !given.is_empty() && !found.is_empty();
    for (text, is_found) in [(given, false), (found.join(" "), true)] {
        if !text.is_empty() {
            put(Kind::Text { is_found, is_small: is_small && !is_found, is_on_dark, text }, half);
        }
    }
}

/// Where a text around the grid stands.
fn outside(drawing: &Drawing, side: Side, outwards: i32, place: Place, widths: [f64; 2]) -> Point {
    let Some(extent) = drawing.extent else { return (0.0, 0.0) };
    let lattice = drawing.still.lattice;
    let [(left, top), (right, bottom)] = lattice.bounds(extent);
    let ((x, y), steps) = (lattice.middle(place), f64::from(outwards) + 0.5);
    match side {
        Side::Left => (left - GAP / 2.0 - steps * widths[0], y),
        Side::Right => (right + GAP / 2.0 + steps * widths[1], y),
        Side::Top => (x, top - GAP / 2.0 - steps * (AROUND + 2.0)),
        Side::Bottom => (x, bottom + GAP / 2.0 + steps * (AROUND + 2.0)),
    }
}

/// Steps that go on straight are one, in rows and columns of squares.
pub fn runs(lattice: Lattice, mut halves: Vec<Half>) -> Vec<(Place, Place)> {
    let is_straight = |half: &Half| match half.way {
        Way::Right => true,
        Way::Down => lattice == Lattice::Squares,
        _ => false,
    };
    sorting::sort_by_key(&mut halves, |half| match half.way {
        Way::Down => (half.way, half.from.1, half.from.0),
        _ => (half.way, half.from.0, half.from.1),
    });
    let mut runs: Vec<(Half, Place)> = Vec::new();
    for half in halves {
        match runs.last_mut() {
            Some((first, end)) if first.way == half.way && *end == half.from && is_straight(&half) => *end = half.to(),
            _ => runs.push((half, half.to())),
        }
    }
    runs.into_iter().map(|(first, end)| (first.from, end)).collect()
}

/// All pieces of one kind as one path.
fn path(lattice: Lattice, kind: &Kind, halves: Vec<Half>) -> (Look, Paint) {
    let (width, is_dashed, paint) = match kind {
        Kind::Side(Border::Dashed) => (1.5, true, Paint::Color(BLACK)),
        Kind::ThickSide => (3.0, false, Paint::Color(BLACK)),
        Kind::Edge(paint) => (4.0, false, Paint::Color(paint.unwrap_or(FOUND))),
        Kind::Line(is_double, paint) => {
            (if *is_double { 2.5 } else { 4.0 }, false, Paint::Color(paint.unwrap_or(FOUND)))
        }
        Kind::Cage(..) => (1.0, true, Paint::Color(BLACK)),
        Kind::Mark => (3.0, false, Paint::Color(MARK)),
        Kind::Diagonal(_, paint) => (1.0, false, Paint::Color(paint.unwrap_or(BLACK))),
        _ => (1.0, false, Paint::Color(GREY)),
    };
    let line = |[from, to]: [Point; 2]| Curve::line(from, to);
    let is_square = lattice == Lattice::Squares;
    let curves: Vec<Curve> = match kind {
        Kind::Mark => halves.iter().map(|half| Curve::polygon(&lattice.outline(half.from, 3.0))).collect(),
        Kind::Diagonal(is_down, _) => {
            let diagonal = |half: &Half| {
                let (row, column) = half.from;
                let (from, to) = if *is_down { (row, row + 1) } else { (row + 1, row) };
                line([corner((from, column)), corner((to, column + 1))])
            };
            halves.iter().map(diagonal).collect()
        }
        Kind::Cage(side, reach) => {
            let cage = |half: &Half| {
                let ((rows, columns), (down, right)) = ways(*side);
                let ((x, y), away) = (lattice.middle(half.from), CELL / 2.0 - INSET);
                line([(-1.0, reach[0]), (1.0, reach[1])].map(|(way, reach)| {
                    let along = way
                        * match reach {
                            Reach::Corner => away,
                            Reach::Cell => CELL / 2.0,
                            Reach::Next => CELL / 2.0 + INSET,
                        };
                    let (right, down) = (f64::from(right) * along, f64::from(down) * along);
                    (x + f64::from(columns) * away + right, y + f64::from(rows) * away + down)
                }))
            };
            halves.iter().map(cage).collect()
        }
        Kind::Ground(_) if is_square => {
            runs(lattice, halves).into_iter().map(|(from, to)| rectangle(from, to)).collect()
        }
        Kind::Ground(_) => halves.iter().map(|half| Curve::polygon(&lattice.outline(half.from, 0.0))).collect(),
        Kind::Line(is_double, _) => {
            let ways = runs(lattice, halves).into_iter().map(|(from, to)| [lattice.middle(from), lattice.middle(to)]);
            ways.flat_map(|way| if *is_double { beside(way).map(line).to_vec() } else { vec![line(way)] }).collect()
        }
        _ if is_square => {
            runs(lattice, halves).into_iter().map(|(from, to)| line([corner(from), corner(to)])).collect()
        }
        _ => halves.into_iter().map(|half| line(lattice.ends(half))).collect(),
    };
    let fill = if let Kind::Ground(color) = kind { Some(*color) } else { None };
    (Look::Shape { curves, width: if fill.is_some() { 0.0 } else { width }, is_dashed, fill }, paint)
}

/// Two lines in place of one.
fn beside([from, to]: [Point; 2]) -> [[Point; 2]; 2] {
    let (right, down) = (to.0 - from.0, to.1 - from.1);
    let length = right.hypot(down);
    let (x, y) = (3.5 * down / length, -3.5 * right / length);
    let sides = if down == 0.0 { [-1.0, 1.0] } else { [1.0, -1.0] };
    sides.map(|by| [(from.0 + by * x, from.1 + by * y), (to.0 + by * x, to.1 + by * y)])
}

/// The cells from one to before another one in the same row.
fn rectangle(from: Place, to: Place) -> Curve {
    let ((left, top), (right, bottom)) = (corner(from), corner((to.0 + 1, to.1)));
    Curve::polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
}

/// Where things of one kind are in each frame, and whether they are there.
fn tracks(lattice: Lattice, pieces: &BTreeMap<Half, Presence>, count: usize) -> Vec<(Vec<Point>, Presence)> {
    let middle = |place: Place| lattice.middle(place);
    let there = |frame: usize| pieces.iter().filter(move |(_, presence)| presence[frame]).map(|(&half, _)| half);
    let mut current: BTreeMap<Half, usize> = BTreeMap::new();
    let mut tracks: Vec<Vec<Option<Point>>> = Vec::new();
    let mut has_moved = false;
    for frame in 0..count {
        let here: BTreeSet<Half> = there(frame).collect();
        let gone: Vec<Half> = current.keys().filter(|half| !here.contains(half)).copied().collect();
        let come: Vec<Half> = here.iter().filter(|half| !current.contains_key(half)).copied().collect();
        let tracks_gone: Vec<usize> = gone.iter().filter_map(|half| current.remove(half)).collect();
        for &half in &come {
            match tracks_gone[..] {
                [track] if come.len() == 1 => {
                    current.insert(half, track);
                    has_moved = true;
                }
                _ => {
                    current.insert(half, tracks.len());
                    tracks.push(vec![None; count]);
                }
            }
        }
        current.iter().for_each(|(half, &track)| tracks[track][frame] = Some(middle(half.from)));
    }
    if !has_moved {
        return pieces.iter().map(|(half, presence)| (vec![middle(half.from)], shown(presence))).collect();
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
        (if places.iter().all(|place| *place == places[0]) { vec![places[0]] } else { places }, shown(&presence))
    };
    tracks.into_iter().map(track).collect()
}

/// A text or a symbol.
fn thing(lattice: Lattice, kind: &Kind, places: &[Point], presence: Presence) -> Sprite {
    let (look, paint, label) = match kind {
        Kind::Text { is_found, is_small, is_on_dark, text } => {
            let color = match (is_found, is_on_dark) {
                (true, false) => FOUND,
                (true, true) => FOUND_ON_DARK,
                (false, false) => BLACK,
                (false, true) => WHITE,
            };
            let height = if *is_small { 9.0 } else { 16.0 };
            let look = Look::Label { width: CELL - 3.0, height, is_bold: *is_found };
            (look, Paint::Color(color), text.clone())
        }
        Kind::Corner(_, is_on_dark, text) => {
            let look = Look::Label { width: CELL / 2.0 - 1.0, height: 11.0, is_bold: false };
            (look, Paint::Color(if *is_on_dark { WHITE } else { BLACK }), text.clone())
        }
        Kind::Symbol(symbol, paint) | Kind::Badge(symbol, paint) => {
            let (look, paint) = image(*symbol, *paint);
            (look, paint, String::new())
        }
        _ => return Sprite::still(Look::Text { size: AROUND }, Paint::White, "", (0.0, 0.0)),
    };
    let by = match kind {
        Kind::Text { is_small: true, .. } => (0.0, -9.0),
        Kind::Corner(corner, ..) => (7.5 * corner.way().0, 8.5 * corner.way().1),
        _ => (0.0, 0.0),
    };
    let hint = match places {
        [at] => {
            let (row, column) = lattice.place_of(*at);
            format!("row {row}, column {column}")
        }
        _ => String::new(),
    };
    let places = places.iter().map(|&(x, y)| (x + by.0, y + by.1)).collect();
    Sprite { shown: presence, hint, ..Sprite::moving(look, paint, label, places) }
}

/// What a symbol looks like around the middle of its cell.
fn image(symbol: Symbol, paint: Option<Rgb>) -> (Look, Paint) {
    let half = CELL / 2.0;
    let star = |points: usize, outer: f64, inner: f64| {
        let corner = |index: usize| {
            let radius = if index.is_multiple_of(2) { outer } else { inner };
            let angle = std::f64::consts::PI * index as f64 / points as f64;
            (radius * angle.sin(), -radius * angle.cos())
        };
        Curve::polygon(&(0..2 * points).map(corner).collect::<Vec<_>>())
    };
    let arrow = |turns: u8| {
        let points = [(0.0, -11.0), (8.0, -2.0), (3.0, -2.0), (3.0, 11.0), (-3.0, 11.0), (-3.0, -2.0), (-8.0, -2.0)];
        let turned = points.map(|point| (0..turns).fold(point, |(x, y), _| (-y, x)));
        vec![Curve::polygon(&turned)]
    };
    let stroke = |width: f64, ends: [(Point, Point); 2]| (ends.map(|(from, to)| Curve::line(from, to)).to_vec(), width);
    let color = |own: Rgb| paint.unwrap_or(own);
    // What is a line, how thick it is, its colour, and what it encloses.
    let (curves, width, line, fill) = match symbol {
        Symbol::Circle => (vec![Curve::ellipse(11.5, 11.5)], 2.0, color(BLACK), Some(WHITE)),
        Symbol::Disc => (vec![Curve::ellipse(11.0, 11.0)], 1.0, BLACK, Some(color(BLACK))),
        Symbol::Dot => (vec![Curve::ellipse(4.0, 4.0)], 0.0, BLACK, Some(color(BLACK))),
        Symbol::Star => (vec![star(5, 13.0, 5.2)], 0.0, BLACK, Some(color(BLACK))),
        Symbol::Cross => {
            let (curves, width) = stroke(3.0, [((-7.0, -7.0), (7.0, 7.0)), ((-7.0, 7.0), (7.0, -7.0))]);
            (curves, width, color(BLACK), None)
        }
        Symbol::Plus => {
            let (curves, width) = stroke(3.0, [((-8.0, 0.0), (8.0, 0.0)), ((0.0, 8.0), (0.0, -8.0))]);
            (curves, width, color(BLACK), None)
        }
        Symbol::Square => (
            vec![Curve::polygon(&[(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)])],
            0.0,
            BLACK,
            Some(color(BLACK)),
        ),
        Symbol::Diamond => (vec![star(2, 12.0, 9.0)], 0.0, BLACK, Some(color(BLACK))),
        Symbol::Triangle => {
            (vec![Curve::polygon(&[(0.0, -11.0), (11.0, 9.0), (-11.0, 9.0)])], 0.0, BLACK, Some(color(BLACK)))
        }
        Symbol::Bulb => {
            let base = Curve::polygon(&[(-3.5, 7.5), (3.5, 7.5), (3.5, 12.5), (-3.5, 12.5)]);
            let glass = Curve::ellipse(9.0, 9.0).shifted((0.0, -2.5));
            (vec![base, glass], 1.5, BLACK, Some(color(Rgb(0xff, 0xd7, 0x3a))))
        }
        Symbol::Tree => {
            let points = [(0.0, -13.0), (10.0, 6.0), (2.5, 6.0), (2.5, 12.0), (-2.5, 12.0), (-2.5, 6.0), (-10.0, 6.0)];
            (vec![Curve::polygon(&points)], 1.0, BLACK, Some(color(Rgb(0x20, 0x7a, 0x63))))
        }
        Symbol::Tent => {
            let points = [(0.0, -10.0), (12.0, 10.0), (4.0, 10.0), (0.0, 1.0), (-4.0, 10.0), (-12.0, 10.0)];
            (vec![Curve::polygon(&points)], 1.0, BLACK, Some(color(Rgb(0xff, 0xa5, 0x0a))))
        }
        Symbol::Mine => (vec![star(8, 12.5, 7.5)], 0.0, BLACK, Some(color(BLACK))),
        Symbol::Flag => {
            let points = [(-6.0, 12.0), (-6.0, -12.0), (10.0, -5.5), (-4.0, 1.0), (-4.0, 12.0)];
            (vec![Curve::polygon(&points)], 1.0, BLACK, Some(color(Rgb(0xdf, 0x33, 0x20))))
        }
        Symbol::Up => (arrow(0), 0.0, BLACK, Some(color(BLACK))),
        Symbol::Right => (arrow(1), 0.0, BLACK, Some(color(BLACK))),
        Symbol::Down => (arrow(2), 0.0, BLACK, Some(color(BLACK))),
        Symbol::Left => (arrow(3), 0.0, BLACK, Some(color(BLACK))),
        Symbol::HalfNorthWest | Symbol::HalfNorthEast | Symbol::HalfSouthEast | Symbol::HalfSouthWest => {
            let corners = [(-half, half), (-half, -half), (half, -half), (half, half)];
            let first = match symbol {
                Symbol::HalfNorthWest => 0,
                Symbol::HalfNorthEast => 1,
                Symbol::HalfSouthEast => 2,
                _ => 3,
            };
            let points = [0, 1, 2].map(|step| corners[(first + step) % 4]);
            (vec![Curve::polygon(&points)], 0.0, BLACK, Some(color(BLACK)))
        }
    };
    (Look::Shape { curves, width, is_dashed: false, fill }, Paint::Color(line))
}
