//! Fits the growth law of a curve, and extrapolates it to a limit.

use std::fmt::Write;

use serde_json::Value;

use super::significant;

/// The time up to which a law is extrapolated, in seconds.
const HOUR: f64 = 3600.0;
/// The memory up to which a law is extrapolated.
const GIGABYTES: f64 = 24.0;

/// The time and memory of an engine as functions of the input size.
pub struct Curve<'r> {
    pub name: &'r str,
    /// The meaning of the size.
    pub x: &'r str,
    /// Seconds and megabytes of a run without work.
    base: [f64; 2],
    /// The size, the seconds and the megabytes of each point.
    pub points: Vec<[f64; 3]>,
    /// The reason why the curve ends, if it is neither time nor memory.
    end: Option<&'r str>,
    /// A description of the first size for which time or memory did not suffice.
    beyond: Option<&'r str>,
}

/// A measured quantity, as an index into the numbers of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Time = 1,
    Memory = 2,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Law {
    /// y = e^start · n^slope
    Power,
    /// y = e^start · (e^slope)^n
    Exponential,
}

/// A straight line in logarithmic coordinates.
struct Fit {
    law: Law,
    start: f64,
    slope: f64,
    error: f64,
    residual: f64,
}

impl<'r> Curve<'r> {
    pub fn of(row: &'r Value) -> Self {
        let numbers =
            |value: &Value| -> Vec<f64> { value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect() };
        let point = |value: &Value| numbers(value).try_into().expect("a point is a size, seconds and megabytes");
        Curve {
            name: row["row"].as_str().unwrap_or_default(),
            x: row["x"].as_str().unwrap_or_default(),
            base: numbers(&row["base"]).try_into().expect("the base is seconds and megabytes"),
            points: row["points"].as_array().into_iter().flatten().map(point).collect(),
            end: row["end"].as_str(),
            beyond: row["beyond"].as_str(),
        }
    }

    /// Fits two laws to the excess of the largest sizes over the constant cost, and returns the
    /// better one. Returns `None` if the excess is more than half of the constant cost for fewer
    /// than three sizes, since a law would be fitted to noise.
    fn fit(&self, measure: Measure) -> Option<Fit> {
        let of = |point: &[f64; 3]| point[measure as usize];
        let first: Vec<f64> = self.points.iter().take(3).map(of).collect();
        let (least, most) =
            first.iter().fold((f64::MAX, 0.0_f64), |(least, most), &value| (least.min(value), most.max(value)));
        // If the smallest sizes have about the same cost, there is a constant cost (such as tables)
        // that does not depend on the size.
        let base = if most < 1.5 * least { least } else { self.base[measure as usize - 1] };
        let beyond = |point: &[f64; 3]| (point[0], of(point) - base);
        let points: Vec<(f64, f64)> =
            self.points.iter().map(beyond).filter(|&(_, beyond)| beyond > base / 2.0).collect();
        let largest = &points[points.len().saturating_sub(6)..];
        let fits = [Law::Power, Law::Exponential].map(|law| line(law, largest));
        fits.into_iter().flatten().min_by(|a, b| a.residual.total_cmp(&b.residual))
    }

    /// Describes the limit that is reached first as the size grows.
    fn limit(&self) -> String {
        if let (Some(end), None) = (self.end, self.beyond) {
            return end.to_owned();
        }
        let hour = ("time", self.fit(Measure::Time), HOUR);
        let full = ("memory", self.fit(Measure::Memory), GIGABYTES * 1e3);
        let at = |(name, fit, most): (&'static str, Option<Fit>, f64)| Some((name, fit?.size_at(most)?));
        let first = [hour, full].into_iter().filter_map(at).min_by(|a, b| a.1.total_cmp(&b.1));
        let unfitted = || self.beyond.unwrap_or("–").to_owned();
        first.map_or_else(unfitted, |(name, size)| format!("{} ({name})", rounded(size)))
    }
}

/// Fits a line by least squares, in the coordinates of `law`. Returns `None` for fewer than three
/// points.
fn line(law: Law, points: &[(f64, f64)]) -> Option<Fit> {
    if points.len() < 3 {
        return None;
    }
    let count = points.len() as f64;
    let points: Vec<(f64, f64)> =
        points.iter().map(|&(x, y)| (if law == Law::Power { x.ln() } else { x }, y.ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / spread;
    let start = y - slope * x;
    let residual: f64 = points.iter().map(|point| (point.1 - start - slope * point.0).powi(2)).sum();
    Some(Fit { law, start, slope, error: (residual / (count - 2.0) / spread).sqrt(), residual })
}

impl Fit {
    /// Returns the size at which the law reaches a value, if it grows significantly.
    fn size_at(&self, value: f64) -> Option<f64> {
        let at = (value.ln() - self.start) / self.slope;
        let size = if self.law == Law::Power { at.exp() } else { at };
        (self.slope > 2.0 * self.error && size < 1e15).then_some(size)
    }

    fn words(&self) -> String {
        match self.law {
            _ if self.slope < 2.0 * self.error => "constant".to_owned(),
            Law::Power => format!("n<sup>{:.2} ± {:.2}</sup>", self.slope, self.error),
            Law::Exponential if self.slope < 0.01 => format!("doubles every {}", rounded(2_f64.ln() / self.slope)),
            Law::Exponential => {
                let base = self.slope.exp();
                format!("({base:.2} ± {:.2})<sup>n</sup>", base * self.error)
            }
        }
    }
}

/// Formats an extrapolated size with two significant digits.
fn rounded(number: f64) -> String {
    let power = number.log10().floor() as i32;
    if power < 5 {
        let unit = 10_f64.powi(power - 1);
        return super::grouped(&((number / unit).round() * unit).round().to_string());
    }
    format!("{:.1}·10<sup>{power}</sup>", number / 10_f64.powi(power))
}

/// Returns the two pictures of a chart and a table of its laws, as Markdown.
pub fn table(name: &str, rows: &[&Value]) -> String {
    let curves: Vec<Curve<'_>> = rows.iter().map(|row| Curve::of(row)).collect();
    let mut text = format!(
        "![Time](figures/{name}-time.svg) ![Memory](figures/{name}-memory.svg)\n\n\
         | n: {0} | time | memory | largest | end |\n|---|---|---|---|---|\n",
        curves[0].x
    );
    for curve in &curves {
        let law = |measure| curve.fit(measure).map_or("–".to_owned(), |fit| fit.words());
        let (time, memory) = (law(Measure::Time), law(Measure::Memory));
        let largest = curve.points.last().map_or(String::new(), |&[size, seconds, megabytes]| {
            format!("{}: {} s, {} MB", rounded_size(size), significant(seconds), significant(megabytes))
        });
        let _ = writeln!(text, "| {} | {time} | {memory} | {largest} | {} |", curve.name, curve.limit());
    }
    text
}

fn rounded_size(size: f64) -> String {
    if size < 1e7 { super::grouped(&size.to_string()) } else { rounded(size) }
}
