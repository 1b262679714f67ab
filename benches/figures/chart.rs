//! Draws curves as pictures and tables. The pictures have logarithmic axes and the name of each curve at its end.
//!
//! No chart crate is used, since they fix the colours, but these pictures follow the light or dark
//! theme of the reader. A picture is as wide as the screen of a phone, and two fit side by side on
//! larger screens, so that text is never scaled. The colours are those of Okabe and Ito, which
//! remain distinguishable with colour vision deficiencies. Each curve also has its own marker.

use std::fmt::Write;

use picture::{escaped, text_width};
use serde_json::Value;

use super::significant;

const WIDTH: f64 = 390.0;
const HEIGHT: f64 = 290.0;
/// The left, the top and the bottom of the area of the curves.
const LEFT: f64 = 52.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 246.0;
/// Font size in pixels.
const LETTERS: f64 = 12.0;

const STYLE: &str = "\
    .ground { fill: #fff } text { fill: #24292f; font: 12px sans-serif } .title { font-weight: bold } .tick { fill: #57606a }\
    .grid { stroke: #d8dee4 } .line { fill: none; stroke-width: 2 } .mark { stroke-width: 2 } .lead { stroke: #8c959f; stroke-width: .7 }\
    .c0 { --c: #0072b2 } .c1 { --c: #d55e00 } .c2 { --c: #009e73 } .c3 { --c: #b05a8e } .c4 { --c: #a87900 } .c5 { --c: #3a3f45 } .c6 { --c: #2b8fc4 } .c7 { --c: #7a5cc4 }\
    .line, .mark { stroke: var(--c) } .mark { fill: var(--c) } .open { fill: none }\
    @media (prefers-color-scheme: dark) { .ground { fill: #161b22 } text { fill: #e6edf3 } .tick { fill: #9ea7b3 } .grid { stroke: #30363d }\
    .c0 { --c: #4ea8de } .c1 { --c: #f0883e } .c2 { --c: #3fc99a } .c3 { --c: #e39ac5 } .c4 { --c: #e6b93c } .c5 { --c: #c9d1d9 } .c6 { --c: #7cc7f2 } .c7 { --c: #b79df2 } }";

/// The time and memory of an engine as functions of the input size.
struct Curve<'r> {
    name: &'r str,
    /// The meaning of the size.
    x: &'r str,
    /// The size, the seconds and the megabytes of each point.
    points: Vec<[f64; 3]>,
    /// The reason why the curve ends.
    end: &'r str,
}

/// A measured quantity, as an index into the numbers of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Time = 1,
    Memory = 2,
}

impl<'r> Curve<'r> {
    fn of(row: &'r Value) -> Self {
        let numbers =
            |value: &Value| -> Vec<f64> { value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect() };
        let point = |value: &Value| numbers(value).try_into().expect("a point is a size, seconds and megabytes");
        Curve {
            name: row["row"].as_str().unwrap_or_default(),
            x: row["x"].as_str().unwrap_or_default(),
            points: row["points"].as_array().into_iter().flatten().map(point).collect(),
            end: row["beyond"].as_str().or(row["end"].as_str()).unwrap_or("–"),
        }
    }
}

/// Returns the two pictures of a chart and a table of its largest sizes, as Markdown.
pub fn table(name: &str, rows: &[&Value]) -> String {
    let curves: Vec<Curve<'_>> = rows.iter().map(|row| Curve::of(row)).collect();
    let mut text = format!(
        "![Time](figures/{name}-time.svg) ![Memory](figures/{name}-memory.svg)\n\n\
         | | {} | seconds | MB | end |\n|---|---|---|---|---|\n",
        curves[0].x
    );
    for Curve { name, points, end, .. } in curves {
        let [size, seconds, megabytes] = points.last().map_or(Default::default(), |last| last.map(significant));
        let _ = writeln!(text, "| {name} | {size} | {seconds} | {megabytes} | {end} |");
    }
    text
}

/// Returns all pictures of the data, each with its file name and its content.
pub fn pictures(rows: &[Value]) -> Vec<(String, String)> {
    let mut names: Vec<&str> = Vec::new();
    let with_points = rows.iter().filter(|row| row.get("points").is_some());
    for name in with_points.filter_map(|row| row["table"].as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut pictures = Vec::new();
    for name in names {
        let curves: Vec<Curve<'_>> = rows.iter().filter(|row| row["table"] == name).map(Curve::of).collect();
        for (measure, word) in [(Measure::Time, "time"), (Measure::Memory, "memory")] {
            pictures.push((format!("docs/figures/{name}-{word}.svg"), svg(&curves, measure)));
        }
    }
    pictures
}

/// Maps values to positions on an axis.
struct Axis {
    is_logarithmic: bool,
    low: f64,
    high: f64,
    /// The positions of the ends of the axis.
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: &[f64], is_logarithmic: bool, from: f64, to: f64) -> Self {
        let (low, high) =
            values.iter().fold((f64::MAX, f64::MIN), |(low, high), &value| (low.min(value), high.max(value)));
        let (low, high) = if is_logarithmic && high < 10.0 * low {
            (10_f64.powf(low.log10().floor()), 10_f64.powf((high * 1.01).log10().ceil()))
        } else {
            (low, high)
        };
        Axis { is_logarithmic, low, high, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let on = |value: f64| if self.is_logarithmic { value.ln() } else { value };
        let part = (on(value) - on(self.low)) / (on(self.high) - on(self.low)).max(1e-9);
        ((self.from + part * (self.to - self.from)) * 10.0).round() / 10.0
    }

    /// Returns the values at which the axis has ticks: on a logarithmic axis about six powers of
    /// ten, with values between them if there are fewer than three, and on a linear axis round
    /// numbers.
    fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let powers: Vec<i32> = (self.low.log10().ceil() as i32..=self.high.log10().floor() as i32).collect();
            if powers.len() < 3 {
                let parts = (self.low.log10().floor() as i32..=self.high.log10().floor() as i32)
                    .flat_map(|power| [1.0, 2.0, 5.0].map(|part| part * 10_f64.powi(power)));
                return parts.filter(|tick| (self.low..=self.high).contains(tick)).collect();
            }
            let step = powers.len().div_ceil(6).max(1);
            return powers.into_iter().step_by(step).map(|power| 10_f64.powi(power)).collect();
        }
        let rough = (self.high - self.low) / 4.0;
        let unit = 10_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|part| part * unit).into_iter().find(|step| *step >= rough).unwrap_or(unit);
        let first = (self.low / step).ceil() as i64;
        (first..).map(|index| index as f64 * step).take_while(|tick| *tick <= self.high).collect()
    }
}

fn svg(curves: &[Curve<'_>], measure: Measure) -> String {
    let all = |place: usize| -> Vec<f64> {
        curves.iter().flat_map(|curve| curve.points.iter().map(move |point| point[place])).collect()
    };
    let sizes = all(0);
    let widest = curves.iter().map(|curve| text_width(curve.name, LETTERS)).fold(0.0, f64::max);
    let right = WIDTH - 0.9 * widest - 24.0;
    let span = sizes.iter().fold((f64::MAX, 0.0_f64), |(low, high), &size| (low.min(size), high.max(size)));
    let x = Axis::new(&sizes, span.1 >= 30.0 * span.0, LEFT + 6.0, right);
    let y = Axis::new(&all(measure as usize), true, BOTTOM - 6.0, TOP + 6.0);
    let title = match measure {
        Measure::Time => "processor time",
        Measure::Memory => "memory",
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\">\n\
         <title>{title} by {x}</title>\n<style>{STYLE}</style>\n<rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>\n\
         <text class=\"title\" x=\"12\" y=\"20\">{title}</text>\n\
         <text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{x}</text>\n",
        ((LEFT + right) / 2.0).max(text_width(curves[0].x, LETTERS) / 2.0),
        HEIGHT - 10.0,
        x = escaped(curves[0].x)
    );
    for tick in y.ticks() {
        let at = y.place(tick);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at}H{right}\"/><text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            with_unit(tick, measure)
        );
    }
    for tick in x.ticks() {
        let at = x.place(tick);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{at} {TOP}V{BOTTOM}\"/><text class=\"tick\" x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            BOTTOM + 16.0,
            short(tick)
        );
    }
    let (mut ends, mut near) = (Vec::new(), Vec::new());
    for (number, curve) in curves.iter().enumerate() {
        let places: Vec<(f64, f64)> =
            curve.points.iter().map(|point| (x.place(point[0]), y.place(point[measure as usize]))).collect();
        let Some(&last) = places.last() else { continue };
        let line: Vec<String> = places.iter().map(|(x, y)| format!("{x} {y}")).collect();
        let marks: String = places.iter().map(|&place| mark(number, place)).collect();
        let _ = writeln!(svg, "<g class=\"c{number}\"><path class=\"line\" d=\"M{}\"/>{marks}</g>", line.join("L"));
        if last.0 < (LEFT + right) / 2.0 {
            // The end of a short curve is far from the other names, so there is room for its name.
            let (x, mut y) = (last.0 + 7.0, last.1 - 2.0);
            while near
                .iter()
                .any(|&(other_x, other_y): &(f64, f64)| (x - other_x).abs() < 60.0 && (y - other_y).abs() < 13.0)
            {
                y += 1.0;
            }
            near.push((x, y));
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(curve.name));
        } else {
            ends.push((number, curve.name, last, last.1));
        }
    }
    // Place the names below each other, at a distance of at least one line, and move them up again
    // if they leave the picture.
    ends.sort_by(|a, b| a.3.total_cmp(&b.3));
    for index in 1..ends.len() {
        ends[index].3 = ends[index].3.max(ends[index - 1].3 + 15.0);
    }
    let mut lowest = BOTTOM;
    for end in ends.iter_mut().rev() {
        end.3 = end.3.min(lowest);
        lowest = end.3 - 15.0;
    }
    for (number, name, (end_x, end_y), at) in ends {
        let near = right + 12.0;
        let _ = writeln!(
            svg,
            "<path class=\"lead\" d=\"M{} {end_y}L{near} {at}\"/><g class=\"c{number}\">{}</g><text x=\"{}\" y=\"{}\">{}</text>",
            end_x + 6.0,
            mark(number, (near, at)),
            near + 8.0,
            at + 4.0,
            escaped(name)
        );
    }
    svg + "</svg>\n"
}

/// Returns the marker of a point. Each curve has a different one.
fn mark(number: usize, (x, y): (f64, f64)) -> String {
    let class = if number >= 4 { "mark open" } else { "mark" };
    let path = match number % 4 {
        0 => return format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"2.6\"/>"),
        1 => "m-2.5-2.5h5v5h-5z",
        2 => "m0-3.4l3.2 5.6h-6.4z",
        _ => "m0-3.6l3.2 3.6l-3.2 3.6l-3.2-3.6z",
    };
    format!("<path class=\"{class}\" d=\"M{x} {y}{path}\"/>")
}

fn with_unit(value: f64, measure: Measure) -> String {
    match measure {
        Measure::Time if value < 0.9e-3 => format!("{} µs", (value * 1e6).round()),
        Measure::Time if value < 0.9 => format!("{} ms", (value * 1e3).round()),
        Measure::Time => format!("{} s", value.round()),
        Measure::Memory if value < 999.0 => format!("{} MB", value.round()),
        Measure::Memory => format!("{} GB", (value / 1e3).round()),
    }
}

/// Formats a number as 1000, 10⁴, 10⁵ …
fn short(value: f64) -> String {
    if value < 10_000.0 {
        return value.to_string();
    }
    let superscript = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10).unwrap_or(0) as usize).unwrap_or(digit);
    let power = value.log10().floor();
    let exponent: String = power.to_string().chars().map(superscript).collect();
    let times = (value / 10_f64.powf(power) * 10.0).round() / 10.0;
    if times == 1.0 { format!("10{exponent}") } else { format!("{times}·10{exponent}") }
}
