//! The shapes of symbols, arrows and box-drawing characters, relative to the centres of their cells.

use picture::{Curve, Look, Paint, Point, Rgb};

use super::grid::{Side, Symbol};
use super::lattice::CELL;

pub const WHITE: Rgb = Rgb(0xff, 0xff, 0xff);
pub const BLACK: Rgb = Rgb(0x11, 0x11, 0x11);

/// The form of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArrowForm {
    /// As large as its cell.
    Large,
    /// Slim, above or on the right of a text.
    Slim,
    /// A triangle at the rim of a circle.
    Rim,
    /// The head of a line that ends in the cell.
    Head,
}

/// Box-drawing characters that are drawn as lines from the centre of their cell, each with its arms
/// up, right, down and left.
const PIPES: [(char, [bool; 4]); 7] = [
    ('─', [false, true, false, true]),
    ('│', [true, false, true, false]),
    ('┌', [false, true, true, false]),
    ('┐', [false, false, true, true]),
    ('└', [true, true, false, false]),
    ('┘', [true, false, false, true]),
    ('┼', [true, true, true, true]),
];

/// Returns true if `text` is a box-drawing character that is drawn as lines.
pub fn is_box_drawing(text: &str) -> bool {
    PIPES.iter().any(|(sign, _)| text.chars().eq([*sign]))
}

/// Returns the lines of a box-drawing character.
pub fn pipe(sign: char) -> Look {
    let arms = PIPES.iter().find(|(other, _)| *other == sign).map_or([false; 4], |(_, arms)| *arms);
    let sides = [Side::Top, Side::Right, Side::Bottom, Side::Left];
    let arms = sides.into_iter().zip(arms).filter(|(_, is_drawn)| *is_drawn);
    let curves = arms.map(|(side, _)| {
        let end = turned_point((0.0, -CELL / 2.0 + 2.0), side);
        Curve::line((0.0, 0.0), end)
    });
    Look::Shape { curves: curves.collect(), width: 4.0, is_dashed: false, fill: None }
}

/// Returns an arrow that points to `side`.
pub fn arrow(form: ArrowForm, color: Rgb, side: Side) -> Look {
    let large = [(0.0, -11.0), (8.0, -2.0), (3.0, -2.0), (3.0, 11.0), (-3.0, 11.0), (-3.0, -2.0), (-8.0, -2.0)];
    let slim = [(0.0, -9.0), (4.0, -3.0), (1.0, -3.0), (1.0, 9.0), (-1.0, 9.0), (-1.0, -3.0), (-4.0, -3.0)];
    let curve = match form {
        ArrowForm::Large => turned(&large, side),
        ArrowForm::Slim => {
            let is_across = matches!(side, Side::Left | Side::Right);
            turned(&slim, side).shifted(if is_across { (0.0, -9.5) } else { (9.5, 0.0) })
        }
        ArrowForm::Rim => turned(&[(0.0, -16.5), (6.0, -9.5), (-6.0, -9.5)], side),
        ArrowForm::Head => turned(&[(0.0, -11.0), (7.5, 3.0), (-7.5, 3.0)], side),
    };
    Look::Shape { curves: vec![curve], width: 0.0, is_dashed: false, fill: Some(color) }
}

/// Returns the polygon of `points`, whose upper side becomes `side`.
fn turned(points: &[Point], side: Side) -> Curve {
    Curve::polygon(&points.iter().map(|&point| turned_point(point, side)).collect::<Vec<_>>())
}

fn turned_point((x, y): Point, side: Side) -> Point {
    match side {
        Side::Top => (x, y),
        Side::Right => (-y, x),
        Side::Bottom => (-x, -y),
        Side::Left => (y, -x),
    }
}

/// Returns the appearance of a symbol, relative to the centre of its cell.
pub fn symbol_look(symbol: Symbol, paint: Option<Rgb>) -> (Look, Paint) {
    let half = CELL / 2.0;
    let star = |points: usize, outer: f64, inner: f64| {
        let corner = |index: usize| {
            let radius = if index.is_multiple_of(2) { outer } else { inner };
            let angle = std::f64::consts::PI * index as f64 / points as f64;
            (radius * angle.sin(), -radius * angle.cos())
        };
        Curve::polygon(&(0..2 * points).map(corner).collect::<Vec<_>>())
    };
    let stroke = |width: f64, ends: [(Point, Point); 2]| (ends.map(|(from, to)| Curve::line(from, to)).to_vec(), width);
    let color = |default: Rgb| paint.unwrap_or(default);
    let large_arrow = |side: Side| (arrow(ArrowForm::Large, color(BLACK), side), Paint::Color(BLACK));
    // The outlines, the width and the colour of their lines, and the fill.
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
        Symbol::Up => return large_arrow(Side::Top),
        Symbol::Right => return large_arrow(Side::Right),
        Symbol::Down => return large_arrow(Side::Bottom),
        Symbol::Left => return large_arrow(Side::Left),
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
