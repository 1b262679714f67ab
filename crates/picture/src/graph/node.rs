//! Sizes and pictures of nodes.

use super::model::{Node, Outline, Shape};
use crate::{Curve, Look, Paint, Point, SMALLEST_TEXT, Sprite, TEXT, text_width};

/// Sizes of nodes in pixels: the radius of discs, and the minimum width and the height of boxes.
const RADIUS: f64 = 17.0;
const SIDE: f64 = 36.0;
pub const HEIGHT: f64 = 28.0;
/// Distance between the lines of a name, relative to the font size.
const LEADING: f64 = 1.2;
/// Returns the sprites of a node and its name.
pub fn node_sprites(node: &Node, place: Point) -> Vec<Sprite> {
    if let Some(outline) = &node.outline {
        return outlined(node, outline, place);
    }
    let look = match node.shape {
        Shape::Disc | Shape::Point => Look::Disc { radius: RADIUS },
        Shape::Ring => Look::Ring { radius: RADIUS - 2.0 },
        _ => Look::Tile { width: size(node).0, height: HEIGHT },
    };
    vec![Sprite {
        note: node.note.clone(),
        ..Sprite::still(look, node.paint, node.name.clone(), place).hint(node.hint.clone())
    }]
}

/// Returns the sprites of a node with an explicit style, and of its name.
fn outlined(node: &Node, outline: &Outline, place: Point) -> Vec<Sprite> {
    let size = size(node);
    let (across, down) = (size.0 / 2.0, size.1 / 2.0);
    let corners: &[Point] = match node.shape {
        Shape::Diamond => &[(0.0, -down), (across, 0.0), (0.0, down), (-across, 0.0)],
        Shape::Triangle => &[(0.0, -down), (across, down), (-across, down)],
        _ => &[(-across, -down), (across, -down), (across, down), (-across, down)],
    };
    let curves = match node.shape {
        Shape::Disc | Shape::Ellipse | Shape::Point => vec![Curve::ellipse(across, down)],
        Shape::Ring => vec![Curve::ellipse(across, down), Curve::ellipse(across - 4.0, down - 4.0)],
        _ => vec![Curve::polygon(corners)],
    };
    let Outline { line, width, is_dashed, fill, ink, .. } = *outline;
    let look = Look::Shape { curves, width, is_dashed, fill };
    let reacting = |sprite: Sprite| sprite.reacting(&node.id, &node.reacts);
    let shape = Sprite::still(look, Paint::Color(line), "", place).hint(node.hint.clone());
    let low = if node.shape == Shape::Triangle { down * 0.3 } else { 0.0 };
    let height = outline.text.unwrap_or(TEXT + 2.0);
    let look = Look::Label { width: size.0, height, is_bold: false };
    let lines: Vec<&str> = node.name.lines().collect();
    let first = place.1 + low - height.max(SMALLEST_TEXT) * LEADING * (lines.len() as f64 - 1.0) / 2.0;
    let labels = (0..).zip(lines).map(|(line, text)| {
        let down = f64::from(line) * height.max(SMALLEST_TEXT) * LEADING;
        Sprite::still(look.clone(), Paint::Color(ink), text, (place.0, first + down))
    });
    let shapes = [shape].into_iter().filter(|_| node.shape != Shape::Plain);
    shapes.chain(labels.filter(|_| node.shape != Shape::Point)).map(reacting).collect()
}

/// Returns the width of the longest line of the name.
pub fn name_width(node: &Node) -> f64 {
    let size = node.outline.and_then(|outline| outline.text).unwrap_or(SMALLEST_TEXT).max(SMALLEST_TEXT);
    node.name.lines().map(|line| text_width(line, size)).fold(0.0, f64::max)
}

/// Returns the width and height of a node in pixels.
pub fn size(node: &Node) -> (f64, f64) {
    if let Some(size) = node.outline.and_then(|outline| outline.size) {
        return size;
    }
    let name = name_width(node);
    let text_size = node.outline.and_then(|outline| outline.text).unwrap_or(TEXT + 2.0).max(SMALLEST_TEXT);
    // The additional height of larger letters and further lines.
    let more =
        text_size * LEADING * (node.name.lines().count().max(1) as f64 - 1.0) + (text_size - TEXT - 2.0).max(0.0);
    let (width, height) = match node.shape {
        Shape::Disc | Shape::Ring if node.outline.is_some() => [name.max(2.0 * RADIUS) + 4.0; 2].into(),
        Shape::Ellipse => ((1.2 * name + 12.0).max(44.0), 32.0),
        Shape::Diamond | Shape::Triangle => ((1.5 * name + 16.0).max(44.0), 40.0),
        Shape::Plain => (name + 4.0, 18.0),
        Shape::Point => (8.0, 8.0),
        Shape::Disc => (name.max(2.0 * RADIUS), 2.0 * RADIUS),
        Shape::Ring => (name.max(2.0 * RADIUS + 4.0), 2.0 * RADIUS + 4.0),
        Shape::Box => (SIDE.max(name + 6.0), HEIGHT),
    };
    let is_round = matches!(node.shape, Shape::Ellipse | Shape::Diamond | Shape::Triangle);
    match node.shape {
        _ if node.outline.is_none() => (width, height),
        Shape::Point => (width, height),
        Shape::Disc | Shape::Ring => [width.max(height + more); 2].into(),
        _ => (width, height + if is_round { 1.4 * more } else { more }),
    }
}
