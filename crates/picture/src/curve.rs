//! Curves composed of cubic Bézier curves.

use std::fmt::Write;

/// A point in pixels: its coordinates to the right, and downwards.
pub type Point = (f64, f64);

/// A sequence of cubic Bézier curves: the start point, followed by three points for each curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve(pub Vec<Point>);

impl Curve {
    pub fn line(from: Point, to: Point) -> Self {
        Curve(vec![from, between(from, to, 1.0 / 3.0), between(from, to, 2.0 / 3.0), to])
    }

    /// Returns a quadratic Bézier curve with the control point `pull`.
    pub fn quadratic(from: Point, pull: Point, to: Point) -> Self {
        Curve(vec![from, between(from, pull, 2.0 / 3.0), between(to, pull, 2.0 / 3.0), to])
    }

    /// Returns a polyline whose corners are rounded with `radius`.
    pub fn rounded_polyline(points: &[Point], radius: f64) -> Self {
        let mut curve = Curve(vec![points[0]]);
        for corner in points.windows(3) {
            let [before, middle, after] = [corner[0], corner[1], corner[2]];
            let begin = nearer(middle, before, radius);
            let end = nearer(middle, after, radius);
            curve.append(&Curve::line(curve.end(), begin));
            curve.append(&Curve::quadratic(begin, middle, end));
        }
        curve.append(&Curve::line(curve.end(), points[points.len() - 1]));
        curve
    }

    /// Returns a closed polygon.
    pub fn polygon(corners: &[Point]) -> Self {
        let mut curve = Curve(vec![corners[0]]);
        for &corner in corners[1..].iter().chain([&corners[0]]) {
            curve.append(&Curve::line(curve.end(), corner));
        }
        curve
    }

    /// Returns an ellipse around the origin with the radii `across` and `down`, approximated by
    /// four Bézier curves.
    pub fn ellipse(across: f64, down: f64) -> Self {
        const PULL: f64 = 0.5523;
        let quarter = [(1.0, PULL), (PULL, 1.0), (0.0, 1.0)];
        let turned = |turns: usize| quarter.map(|point| (0..turns).fold(point, |(x, y), _| (-y, x)));
        let points = [(1.0, 0.0)].into_iter().chain((0..4).flat_map(turned));
        Curve(points.map(|(x, y)| (x * across, y * down)).collect())
    }

    /// Appends a curve that starts where this one ends.
    pub fn append(&mut self, next: &Curve) {
        self.0.extend(&next.0[1..]);
    }

    pub fn start(&self) -> Point {
        self.0[0]
    }

    pub fn end(&self) -> Point {
        self.0[self.0.len() - 1]
    }

    /// Returns the curve translated by `by`.
    pub fn shifted(&self, by: Point) -> Self {
        Curve(self.0.iter().map(|point| (point.0 + by.0, point.1 + by.1)).collect())
    }

    /// Returns points along the curve, at most about `apart` pixels apart, including both ends.
    pub fn points(&self, apart: f64) -> Vec<Point> {
        let mut points = vec![self.start()];
        for piece in self.pieces() {
            let hull: f64 = piece.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
            let steps = (hull / apart).ceil().clamp(1.0, 200.0);
            points.extend((1..=steps as usize).map(|step| on(piece, step as f64 / steps)));
        }
        points
    }

    pub fn length(&self) -> f64 {
        self.points(4.0).windows(2).map(|pair| distance(pair[0], pair[1])).sum()
    }

    /// Returns the part of the curve from the point at which it leaves the shape `first` to the
    /// point at which it enters the shape `other`.
    pub fn outside(&self, first: impl Fn(Point) -> bool, other: impl Fn(Point) -> bool) -> Self {
        const STEPS: usize = 64;
        let pieces: Vec<&[Point]> = self.pieces().collect();
        let whole = pieces.len() * STEPS;
        let at = |time: f64| {
            let piece = (time as usize).min(pieces.len() - 1);
            on(pieces[piece], time - piece as f64)
        };
        let time = |step: usize| step as f64 / STEPS as f64;
        let leaves = (0..whole).find(|&step| !first(at(time(step + 1)))).unwrap_or(0);
        let enters = (leaves + 1..=whole).find(|&step| other(at(time(step)))).unwrap_or(whole);
        let exact = |mut inside: f64, mut outside: f64, is_inside: &dyn Fn(Point) -> bool| {
            for _ in 0..12 {
                let middle = (inside + outside) / 2.0;
                *(if is_inside(at(middle)) { &mut inside } else { &mut outside }) = middle;
            }
            outside
        };
        let begin = exact(time(leaves), time(leaves + 1), &first);
        let end = exact(time(enters), time(enters - 1), &other).max(begin);
        let mut points = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let (from, to) = ((begin - number as f64).max(0.0), (end - number as f64).min(1.0));
            if from < to {
                let part = between_times(piece, from, to);
                points.extend(&part[usize::from(!points.is_empty())..]);
            }
        }
        if points.is_empty() { Curve::line(self.start(), self.end()) } else { Curve(points) }
    }

    /// Returns the curve as the attribute `d` of an SVG path.
    pub fn d(&self) -> String {
        let number = |point: Point| format!("{} {}", tidy(point.0), tidy(point.1));
        let mut d = format!("M{}", number(self.start()));
        for piece in self.pieces() {
            // Most pieces are straight, and the command `L` is much shorter.
            let is_straight = [1, 2].iter().all(|&control| {
                let straight = between(piece[0], piece[3], control as f64 / 3.0);
                distance(piece[control], straight) < 0.05
            });
            let _ = if is_straight {
                write!(d, "L{}", number(piece[3]))
            } else {
                write!(d, "C{} {} {}", number(piece[1]), number(piece[2]), number(piece[3]))
            };
        }
        d
    }

    fn pieces(&self) -> impl Iterator<Item = &[Point]> {
        self.0.windows(4).step_by(3)
    }
}

/// Interpolates linearly between two points.
pub fn between(from: Point, to: Point, part: f64) -> Point {
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

pub fn distance(first: Point, second: Point) -> f64 {
    (first.0 - second.0).hypot(first.1 - second.1)
}

/// Returns the point at the distance `radius` from the corner towards `end`, but at most half-way.
fn nearer(corner: Point, end: Point, radius: f64) -> Point {
    between(corner, end, (radius / distance(corner, end).max(1e-9)).min(0.5))
}

/// Returns the point of a cubic curve at the parameter `time`.
fn on(piece: &[Point], time: f64) -> Point {
    between_times(piece, 0.0, time)[3]
}

/// Returns the part of a cubic curve between two parameters (de Casteljau).
fn between_times(piece: &[Point], from: f64, to: f64) -> [Point; 4] {
    let blossom = |[a, b, c]: [f64; 3]| {
        let first = [0, 1, 2].map(|index| between(piece[index], piece[index + 1], a));
        let second = [0, 1].map(|index| between(first[index], first[index + 1], b));
        between(second[0], second[1], c)
    };
    [[from; 3], [from, from, to], [from, to, to], [to; 3]].map(blossom)
}

/// Rounds to a tenth of a pixel.
pub(super) fn tidy(number: f64) -> f64 {
    (number * 10.0).round() / 10.0 + 0.0
}
