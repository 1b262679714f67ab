//! A picture as a value: things that move from frame to frame. Its readers make SVG of it, and pages.

use crate::report::shown;
use std::fmt::Write;

/// Things on a ground, over one or more frames.
pub struct Picture {
    /// In pixels; the captions come below.
    pub width: f64,
    pub height: f64,
    pub title: String,
    pub sprites: Vec<Sprite>,
    /// A line for each frame.
    pub captions: Vec<String>,
}

/// A point in pixels: to the right, and down.
pub type Point = (f64, f64);

/// Something that is drawn, and where it is in each frame.
pub struct Sprite {
    pub look: Look,
    pub paint: Paint,
    pub label: String,
    /// What one reads when pointing at it; may be empty.
    pub hint: String,
    /// The middle, in each frame; one place for what never moves.
    pub places: Vec<Point>,
}

impl Sprite {
    /// Something that never moves.
    pub fn still(look: Look, paint: Paint, label: impl Into<String>, place: Point) -> Self {
        Sprite { look, paint, label: label.into(), hint: String::new(), places: vec![place] }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Sprite { hint: hint.into(), ..self }
    }
}

/// How something is coloured. Hues are angles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Paint {
    Grey,
    /// A light ground of that hue; a line in it is dark.
    Hue(u16),
    /// From green for 0 to red for 1.
    Heat(f64),
    /// The label has that hue, on white.
    Ink(u16),
    White,
    Dark,
    /// What one is to look at.
    Accent,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Look {
    /// A rounded rectangle with its label.
    Tile { width: f64, height: f64 },
    /// A disc with its label.
    Disc { radius: f64 },
    /// A disc in a double frame, with its label.
    Ring { radius: f64 },
    /// A circle around something else.
    Halo { radius: f64 },
    /// An empty rectangle.
    Cell { width: f64, height: f64 },
    /// A square with its label, perhaps in a thick frame.
    Square { side: f64, is_framed: bool },
    /// A faint rounded rectangle behind other things, its label at its top.
    Panel { width: f64, height: f64 },
    /// The label alone.
    Text { size: f64 },
    /// A line from `from` to `to`, pulled towards `bend`, each as seen from the middle.
    Curve { from: Point, bend: Point, to: Point, width: f64, is_dashed: bool, has_arrow: bool },
}

/// A picture for a page that shows one frame at a time.
pub struct Parts {
    /// What never moves, each thing as SVG.
    pub ground: Vec<String>,
    /// What moves, as SVG around the origin, and where it is in each frame.
    pub movers: Vec<(String, Vec<Point>)>,
}

/// What a picture's marks look like, wherever it is shown.
pub const STYLE: &str = ".ground { fill: #f4f4f2 } .cell { fill: #fff; stroke: #bbb } .panel { fill: #e7e7e3 } \
    .mark text { fill: #111; text-anchor: middle; dominant-baseline: central; font-family: sans-serif } .mark .free { paint-order: stroke; stroke: #f4f4f2; stroke-width: 3px } .caption { fill: #888; text-anchor: middle; dominant-baseline: central }";

/// Seconds that a frame lasts, and the pause at the end.
const FRAME_SECONDS: f64 = 0.4;
const PAUSE_SECONDS: f64 = 2.0;
const CAPTION_HEIGHT: f64 = 28.0;

impl Picture {
    /// An SVG that plays by itself, without script, and begins again after a pause.
    pub fn svg(&self) -> String {
        let (width, height) = (tidy(self.whole_width()), tidy(self.height + CAPTION_HEIGHT));
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\">"
        );
        let _ = writeln!(svg, "<title>{}</title>", escaped(&self.title));
        let _ = writeln!(svg, "<style>{STYLE}</style>");
        let _ = writeln!(svg, "<rect class=\"ground\" width=\"{width}\" height=\"{}\" rx=\"6\"/>", tidy(self.height));
        for sprite in &self.sprites {
            let Some(&(x, y)) = sprite.places.first() else { continue };
            let _ = write!(svg, "<g class=\"mark\" transform=\"translate({} {})\">", tidy(x), tidy(y));
            sprite.write_mark(&mut svg);
            self.write_moves(&mut svg, &sprite.places);
            svg.push_str("</g>\n");
        }
        self.write_captions(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    /// The picture without its frame, captions and clock.
    pub fn parts(&self) -> Parts {
        let mut parts = Parts { ground: Vec::new(), movers: Vec::new() };
        for sprite in &self.sprites {
            let Some(&(x, y)) = sprite.places.first() else { continue };
            if sprite.places.len() > 1 {
                let mut mark = String::new();
                sprite.write_mark(&mut mark);
                let places = sprite.places.iter().map(|&(x, y)| (tidy(x), tidy(y))).collect();
                parts.movers.push((mark, places));
            } else {
                let mut mark = format!("<g class=\"mark\" transform=\"translate({} {})\">", tidy(x), tidy(y));
                sprite.write_mark(&mut mark);
                parts.ground.push(mark + "</g>");
            }
        }
        parts
    }

    /// With room for the longest caption.
    fn whole_width(&self) -> f64 {
        self.captions.iter().map(|caption| text_width(caption, 12.0) + 16.0).fold(self.width, f64::max)
    }

    fn frames(&self) -> usize {
        self.captions.len().max(1)
    }

    fn seconds(&self) -> f64 {
        self.frames() as f64 * FRAME_SECONDS + PAUSE_SECONDS
    }

    /// When a frame begins, as a part of the whole.
    fn time(&self, frame: usize) -> f64 {
        (frame as f64 * FRAME_SECONDS / self.seconds() * 1e5).round() / 1e5
    }

    /// A move takes the frame before the one in which it is done.
    fn write_moves(&self, svg: &mut String, places: &[Point]) {
        let mut moves: Vec<(f64, Point)> = vec![(0.0, places[0])];
        for frame in 1..places.len() {
            let (before, now) = (places[frame - 1], places[frame]);
            if before != now {
                moves.push((self.time(frame), before));
                moves.push((self.time(frame) + self.time(1) * 0.6, now));
            }
        }
        if moves.len() == 1 {
            return;
        }
        moves.push((1.0, moves[moves.len() - 1].1));
        let times: Vec<String> = moves.iter().map(|(time, _)| format!("{time:.5}")).collect();
        let places: Vec<String> = moves.iter().map(|&(_, (x, y))| format!("{} {}", tidy(x), tidy(y))).collect();
        let _ = write!(
            svg,
            "<animateTransform attributeName=\"transform\" type=\"translate\" dur=\"{:.2}s\" repeatCount=\"indefinite\" keyTimes=\"{}\" values=\"{}\"/>",
            self.seconds(),
            times.join(";"),
            places.join(";")
        );
    }

    fn write_captions(&self, svg: &mut String) {
        let (x, y) = (tidy(self.whole_width() / 2.0), tidy(self.height + CAPTION_HEIGHT / 2.0));
        if let [caption] = &self.captions[..] {
            let _ = writeln!(
                svg,
                "<text class=\"caption\" x=\"{x}\" y=\"{y}\" font-size=\"12\">{}</text>",
                escaped(caption)
            );
            return;
        }
        for (frame, caption) in self.captions.iter().enumerate().filter(|(_, caption)| !caption.is_empty()) {
            let end = if frame + 1 == self.frames() { 1.0 } else { self.time(frame + 1) };
            let _ = writeln!(
                svg,
                "<text class=\"caption\" x=\"{x}\" y=\"{y}\" font-size=\"12\" visibility=\"hidden\">{}<animate attributeName=\"visibility\" dur=\"{:.2}s\" repeatCount=\"indefinite\" calcMode=\"discrete\" keyTimes=\"0;{:.5};{end:.5}\" values=\"hidden;visible;{}\"/></text>",
                escaped(caption),
                self.seconds(),
                self.time(frame),
                if end == 1.0 { "visible" } else { "hidden" }
            );
        }
    }
}

impl Sprite {
    /// The mark around the origin.
    fn write_mark(&self, svg: &mut String) {
        if !self.hint.is_empty() {
            let _ = write!(svg, "<title>{}</title>", escaped(&self.hint));
        }
        let fill = self.paint.fill();
        let rect = |width: f64, height: f64, rest: &str| {
            let (x, y) = (tidy(-width / 2.0), tidy(-height / 2.0));
            format!("<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" {rest}/>", tidy(width), tidy(height))
        };
        let circle = |radius: f64, rest: &str| format!("<circle r=\"{}\" {rest}/>", tidy(radius));
        let filled = |rest: &str| format!("fill=\"{fill}\" {rest}");
        svg.push_str(&match self.look {
            Look::Tile { width, height } => rect(width, height, &filled("rx=\"5\" stroke=\"#555\"")),
            Look::Disc { radius } => circle(radius, &filled("stroke=\"#555\"")),
            Look::Ring { radius } => {
                circle(radius + 3.0, "fill=\"#fff\" stroke=\"#222\" stroke-width=\"2\"")
                    + &circle(radius, &filled("stroke=\"#222\""))
            }
            Look::Halo { radius } => circle(radius, &format!("fill=\"none\" stroke=\"{fill}\" stroke-width=\"4\"")),
            Look::Cell { width, height } => rect(width, height, "class=\"cell\""),
            Look::Square { side, is_framed: true } => {
                rect(side, side, &filled("rx=\"2\" stroke=\"#111\" stroke-width=\"3\""))
            }
            Look::Square { side, .. } => rect(side, side, &filled("rx=\"2\" stroke=\"#bbb\"")),
            Look::Panel { width, height } => rect(width, height, "class=\"panel\" rx=\"8\""),
            Look::Text { .. } => String::new(),
            Look::Curve { .. } => self.curve(),
        });
        if !self.label.is_empty() {
            let size = match self.look {
                Look::Square { side, .. } => format!(" font-size=\"{:.0}\"", side * 0.45),
                Look::Text { size } => format!(" class=\"free\" font-size=\"{}\"", tidy(size)),
                Look::Disc { radius } | Look::Ring { radius } => fitting(radius * 1.8, radius * 1.2, &self.label),
                Look::Tile { width, height } => fitting(width * 0.9, height * 0.75, &self.label),
                Look::Panel { height, .. } => format!(" y=\"{}\" font-size=\"12\"", tidy(10.0 - height / 2.0)),
                _ => String::new(),
            };
            let ink = match (self.paint, self.look) {
                (Paint::Ink(hue), _) => format!(" style=\"fill: hsl({hue} 80% 38%)\" font-weight=\"bold\""),
                (Paint::Hue(hue), Look::Text { .. }) => {
                    format!(" style=\"fill: hsl({hue} 80% 28%)\" font-weight=\"bold\"")
                }
                (Paint::Grey, Look::Text { .. } | Look::Panel { .. }) => " style=\"fill: #666\"".to_owned(),
                (Paint::Accent | Paint::Dark, _) => " style=\"fill: #fff\" font-weight=\"bold\"".to_owned(),
                _ => String::new(),
            };
            let _ = write!(svg, "<text{ink}{size}>{}</text>", escaped(&self.label));
        }
    }

    fn curve(&self) -> String {
        let mut svg = String::new();
        let Look::Curve { from, bend, to, width, is_dashed, has_arrow } = self.look else { return svg };
        let stroke = match self.paint {
            Paint::Hue(hue) => format!("hsl({hue} 70% 38%)"),
            Paint::Accent => Paint::Accent.fill(),
            Paint::Ink(_) => "#111".to_owned(),
            _ => "#8a8a86".to_owned(),
        };
        // The line ends where the head begins, so that its tip stays sharp.
        let head = 4.0 + 2.0 * width;
        let (dx, dy) = (to.0 - bend.0, to.1 - bend.1);
        let length = dx.hypot(dy).max(1e-9);
        let (dx, dy) = (dx / length, dy / length);
        let end = if has_arrow { (to.0 - dx * head * 0.8, to.1 - dy * head * 0.8) } else { to };
        let _ = write!(
            svg,
            "<path d=\"M{} {}Q{} {} {} {}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{}\"{}/>",
            tidy(from.0),
            tidy(from.1),
            tidy(bend.0),
            tidy(bend.1),
            tidy(end.0),
            tidy(end.1),
            tidy(width),
            if is_dashed { " stroke-dasharray=\"5 4\"" } else { "" }
        );
        if has_arrow {
            let base = (to.0 - dx * head, to.1 - dy * head);
            let half = head * 0.42;
            let _ = write!(
                svg,
                "<path d=\"M{} {}L{} {}L{} {}Z\" fill=\"{stroke}\"/>",
                tidy(to.0),
                tidy(to.1),
                tidy(base.0 - dy * half),
                tidy(base.1 + dx * half),
                tidy(base.0 + dy * half),
                tidy(base.1 - dx * half)
            );
        }
        svg
    }
}

impl Paint {
    fn fill(self) -> String {
        match self {
            Paint::Grey => "#ddd".to_owned(),
            Paint::Hue(hue) => format!("hsl({hue} 65% 72%)"),
            // Small risks differ most: the root spreads them out.
            Paint::Heat(heat) => format!("hsl({:.0} 70% 72%)", 130.0 * (1.0 - heat.clamp(0.0, 1.0).sqrt())),
            Paint::Ink(_) | Paint::White => "#fff".to_owned(),
            Paint::Dark => "#444".to_owned(),
            Paint::Accent => "#1f5fd0".to_owned(),
        }
    }
}

/// A size of letters at which the label fits, at most the usual one.
fn fitting(width: f64, height: f64, label: &str) -> String {
    let size = (width / (0.6 * label.chars().count() as f64)).min(height);
    if size >= 16.0 { String::new() } else { format!(" font-size=\"{}\"", tidy(size)) }
}

/// About as many pixels as the text takes, rather more than less.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.62 * size * text.chars().count() as f64
}

/// Tenths of pixels are enough.
fn tidy(number: f64) -> f64 {
    (number * 10.0).round() / 10.0 + 0.0
}

/// Text between tags, or in an attribute.
pub fn escaped(text: &str) -> String {
    shown(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
