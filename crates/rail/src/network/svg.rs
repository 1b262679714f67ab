//! A plan as an SVG drawing: each named circle is an end, and a path between two circles is a
//! track.
//!
//! The name of a circle is its Inkscape label, its title or its id: `a.stem`, `a.1`, `1.left`, or
//! `s` for the end of a place. The fill of a fork's stem is the colour of the fork. Everything
//! else, such as `start s`, is written as [`lines`] in a `<desc>`. Circles at which no path ends
//! are ignored.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use asp::Term;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::lines::{LineIndex, Position};
use picture::{Curve, Point, Rgb, distance, escaped, frame};
use roxmltree::Node;
use svgtypes::{PointsParser, SimplePathSegment, SimplifyingPathParser, Transform};

use super::fact::{SpannedFact, fact, term};
use super::lines;
use super::plan::{End, Plan, tuple};

/// A named circle and its range in the document.
struct Circle {
    end: End,
    at: Point,
    radius: f64,
    fill: Option<String>,
    range: Range<usize>,
}

/// Maximum distance between the rim of a circle and the end of its path, in pixels.
const MAX_GAP: f64 = 2.0;

pub fn facts(document: &Document) -> Result<Vec<SpannedFact>, Failure> {
    let text = &document.text;
    let wrong = |what: String, range: Range<usize>| {
        Failure::from(Diagnostic::error(Code::InvalidInstance, what).at(Some(Place::of_range(
            &document.name,
            text,
            range,
        ))))
    };
    let tree = roxmltree::Document::parse(text).map_err(|error| {
        let place = error.pos();
        let position = Position { line: place.row as usize, column: place.col as usize };
        let at = LineIndex::new(text).offset(position).min(text.len());
        wrong(format!("not SVG: {error}"), at..at)
    })?;
    let elements: Vec<Node<'_, '_>> = tree.descendants().filter(Node::is_element).collect();
    let elements_named = |name: &'static str| elements.iter().filter(move |node| node.tag_name().name() == name);
    let mut found = Vec::new();
    for part in elements_named("desc").filter_map(Node::first_child) {
        lines::read(part.text().unwrap_or_default(), part.range().start, &mut found)
            .map_err(|(what, range)| wrong(what, range))?;
    }
    let circles: Vec<Circle> = elements.iter().filter_map(circle).collect();
    let mut touched = BTreeMap::<&End, &Circle>::new();
    for path in &elements {
        let Some([from, to]) = ends(path) else { continue };
        let mut joined = Vec::new();
        for point in [from, to] {
            let gap = |circle: &&Circle| distance(circle.at, point) - circle.radius;
            let near = circles.iter().filter(|circle| gap(circle) <= MAX_GAP);
            let near = near.min_by(|one, other| distance(one.at, point).total_cmp(&distance(other.at, point)));
            let Some(circle) = near else {
                let text = format!("a track ends at {:.1}, {:.1}, where there is no named circle", point.0, point.1);
                return Err(wrong(text, path.range()));
            };
            touched.insert(&circle.end, circle);
            joined.push(tuple(&circle.end));
        }
        found.push((fact("track", &joined), path.range()));
    }
    let first_terms: Vec<(String, Term)> =
        found.iter().map(|(fact, _)| (fact.name.clone(), fact.terms[0].clone())).collect();
    let is_stated = |name: &str, thing: &Term| first_terms.iter().any(|(known, first)| known == name && first == thing);
    let mut places = BTreeMap::<&Term, Vec<&Circle>>::new();
    for (end, circle) in touched {
        let (thing, range) = (&end.0, || circle.range.clone());
        places.entry(thing).or_default().push(circle);
        let which = end.1.text();
        if let ("stem", Some(fill), false) = (which.as_str(), &circle.fill, is_stated("fork", thing)) {
            found.push((fact("fork", std::slice::from_ref(thing)), range()));
            found.push((fact("color", &[thing.clone(), term(fill)]), range()));
        } else if matches!(which.as_str(), "left" | "right") && !is_stated("gate", thing) {
            found.push((fact("gate", std::slice::from_ref(thing)), range()));
        }
    }
    for (thing, circles) in places.into_iter().filter(|(thing, _)| !is_stated("position", thing)) {
        let mean = |coordinate: fn(Point) -> f64| {
            let sum: f64 = circles.iter().map(|circle| coordinate(circle.at)).sum();
            Term::Number((sum / circles.len() as f64).round() as i32)
        };
        let position = fact("position", &[thing.clone(), mean(|at| at.0), mean(|at| at.1)]);
        found.push((position, circles[0].range.clone()));
    }
    Ok(found)
}

fn circle(node: &Node<'_, '_>) -> Option<Circle> {
    let number = |name: &str| node.attribute(name).map_or(Some(0.0), |text| text.trim_end_matches("px").parse().ok());
    let radius = match node.tag_name().name() {
        "circle" => number("r")?,
        "ellipse" => f64::max(number("rx")?, number("ry")?),
        _ => return None,
    };
    let label = node.attributes().find(|attribute| attribute.name() == "label").map(|label| label.value());
    let title = node.children().find(|child| child.tag_name().name() == "title").and_then(|title| title.text());
    let name = label.or(title).or(node.attribute("id"))?.trim();
    let style = node.attribute("style").unwrap_or_default().split(';').filter_map(|part| part.split_once(':'));
    let fill = style.filter(|(name, _)| name.trim() == "fill").map(|(_, value)| value.trim()).next_back();
    let fill = fill.or(node.attribute("fill")).filter(|fill| *fill != "none").map(str::to_owned);
    let at = transform(node, (number("cx")?, number("cy")?));
    Some(Circle { end: lines::end(name), at, radius, fill, range: node.range() })
}

/// Returns the first and the last point of a path or line.
fn ends(node: &Node<'_, '_>) -> Option<[Point; 2]> {
    let number = |name: &str| node.attribute(name).map_or(Some(0.0), |text| text.parse().ok());
    let points: Vec<Point> = match node.tag_name().name() {
        "line" => vec![(number("x1")?, number("y1")?), (number("x2")?, number("y2")?)],
        "polyline" => PointsParser::from(node.attribute("points")?).collect(),
        "path" => {
            let end = |segment: SimplePathSegment| match segment {
                SimplePathSegment::MoveTo { x, y }
                | SimplePathSegment::LineTo { x, y }
                | SimplePathSegment::CurveTo { x, y, .. }
                | SimplePathSegment::Quadratic { x, y, .. } => Some((x, y)),
                SimplePathSegment::ClosePath => None,
            };
            SimplifyingPathParser::from(node.attribute("d")?).filter_map(|segment| end(segment.ok()?)).collect()
        }
        _ => return None,
    };
    Some([points.first()?, points.last()?].map(|&point| transform(node, point)))
}

/// Applies the transforms of an element and its ancestors to a point.
fn transform(node: &Node<'_, '_>, point: Point) -> Point {
    node.ancestors()
        .filter_map(|node| node.attribute("transform")?.parse::<Transform>().ok())
        .fold(point, |(x, y), Transform { a, b, c, d, e, f }| (a * x + c * y + e, b * x + d * y + f))
}

/// Draws a plan so that [`facts`] can read it. `middles` and `ends` are the positions of its things
/// and of their ends, and `rails` the curves of its tracks.
pub fn write(
    plan: &Plan,
    middles: &BTreeMap<Term, Point>,
    ends: &BTreeMap<End, Point>,
    rails: &BTreeMap<End, Curve>,
) -> Result<String, Failure> {
    let (low, high) = frame(rails.values().flat_map(|rail| rail.points(8.0)));
    let (left, top, width, height) = (low.0 - 20.0, low.1 - 20.0, high.0 - low.0 + 40.0, high.1 - low.1 + 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.1} {top:.1} {width:.1} {height:.1}\">\n<desc>\n{}</desc>\n",
        escaped(&lines::write(plan, false)?)
    );
    let _ = writeln!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#fff\"/>"
    );
    for (end, rail) in rails.iter().filter(|(end, _)| **end < plan.joined[*end]) {
        let to = lines::end_text(&plan.joined[end]);
        let title = escaped(&format!("{} to {to}", lines::end_text(end)));
        let d = rail.d();
        let _ = writeln!(
            svg,
            "<path d=\"{d}\" fill=\"none\" stroke=\"#60605c\" stroke-width=\"3\"><title>{title}</title></path>"
        );
    }
    for (end, (x, y)) in ends {
        let color =
            plan.forks.get(&end.0).and_then(|fork| fork.lever(&end.0)).and_then(|color| Rgb::by_name(&color.text()));
        let (fill, id) = (color.map_or("#8a8a86".to_owned(), Rgb::hex), escaped(&lines::end_text(end)));
        let _ = writeln!(
            svg,
            "<circle id=\"{id}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\"><title>{id}</title></circle>"
        );
    }
    svg += "<g font-family=\"sans-serif\" text-anchor=\"middle\" fill=\"#333\">\n";
    // Reading ignores texts: the ids of the circles are the names.
    let mut text = |(x, y): Point, size: f64, text: &str| {
        let text = escaped(text);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" dy=\".35em\" font-size=\"{size}\">{text}</text>");
    };
    for (thing, &middle) in middles {
        text(middle, 12.0, &thing.text());
    }
    for (end, &(x, y)) in ends {
        let Some(&middle) = middles.get(&end.0).filter(|_| !plan.places.contains(&end.0)) else { continue };
        let far = distance(middle, (x, y)).max(1e-9);
        // The name is beside the end, where no track leaves it.
        let (dx, dy) = ((x - middle.0) / far, (y - middle.1) / far);
        let which = end.1.text();
        let away = 7.0 + 2.5 * which.chars().count() as f64 * dy.abs();
        text((x - dy * away, y + dx * away), 8.0, &which);
    }
    Ok(svg + "</g>\n</svg>\n")
}
