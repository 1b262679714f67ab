//! A picture as a value: things that move from frame to frame. Its readers make SVG of it.

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

/// Something that is drawn, and where it is in each frame.
pub struct Sprite {
    pub look: Look,
    pub paint: Paint,
    pub label: String,
    /// The middle, in each frame; one place for what never moves.
    pub places: Vec<(f64, f64)>,
}

/// How something is coloured. Hues are angles.
#[derive(Clone, Copy)]
pub enum Paint {
    Grey,
    /// A light ground of that hue.
    Hue(u16),
    /// From green for 0 to red for 1.
    Heat(f64),
    /// The label has that hue, on white.
    Ink(u16),
}

#[derive(Clone, Copy)]
pub enum Look {
    /// A rounded rectangle with its label.
    Tile { width: f64, height: f64 },
    /// A disc with its label.
    Disc { radius: f64 },
    /// An empty rectangle.
    Cell { width: f64, height: f64 },
    /// A square with its label, perhaps in a thick frame.
    Square { side: f64, is_framed: bool },
}

/// Seconds that a frame lasts, and the pause at the end.
const FRAME_SECONDS: f64 = 0.4;
const PAUSE_SECONDS: f64 = 2.0;
const CAPTION_HEIGHT: f64 = 28.0;

impl Picture {
    /// An SVG that plays by itself, without script, and begins again after a pause.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width, self.height + CAPTION_HEIGHT);
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\">"
        );
        let _ = writeln!(svg, "<title>{}</title>", escaped(&self.title));
        let _ = writeln!(
            svg,
            "<style>.ground {{ fill: #f4f4f2 }} .cell {{ fill: #fff; stroke: #bbb }} text {{ fill: #111; text-anchor: middle; dominant-baseline: central }} .caption {{ fill: #888 }}</style>"
        );
        let _ = writeln!(svg, "<rect class=\"ground\" width=\"{width}\" height=\"{}\" rx=\"6\"/>", self.height);
        for sprite in &self.sprites {
            self.write_sprite(&mut svg, sprite);
        }
        self.write_captions(&mut svg);
        svg.push_str("</svg>\n");
        svg
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

    fn write_sprite(&self, svg: &mut String, sprite: &Sprite) {
        let Some(&(x, y)) = sprite.places.first() else { return };
        let _ = write!(svg, "<g transform=\"translate({x} {y})\">");
        let fill = match sprite.paint {
            Paint::Grey => "#ddd".to_owned(),
            Paint::Hue(hue) => format!("hsl({hue} 60% 75%)"),
            // Small risks differ most: the root spreads them out.
            Paint::Heat(heat) => format!("hsl({:.0} 70% 72%)", 130.0 * (1.0 - heat.clamp(0.0, 1.0).sqrt())),
            Paint::Ink(_) => "#fff".to_owned(),
        };
        let _ = match sprite.look {
            Look::Tile { width, height } => write!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"5\" fill=\"{fill}\" stroke=\"#555\"/>",
                -width / 2.0,
                -height / 2.0
            ),
            Look::Disc { radius } => write!(svg, "<circle r=\"{radius}\" fill=\"{fill}\" stroke=\"#555\"/>"),
            Look::Cell { width, height } => write!(
                svg,
                "<rect class=\"cell\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\"/>",
                -width / 2.0,
                -height / 2.0
            ),
            Look::Square { side, is_framed } => write!(
                svg,
                "<rect x=\"{0}\" y=\"{0}\" width=\"{side}\" height=\"{side}\" rx=\"2\" fill=\"{fill}\" {1}/>",
                -side / 2.0,
                if is_framed { "stroke=\"#111\" stroke-width=\"3\"" } else { "stroke=\"#bbb\"" }
            ),
        };
        if !sprite.label.is_empty() {
            let ink = match (sprite.paint, sprite.look) {
                (Paint::Ink(hue), _) => format!(" style=\"fill: hsl({hue} 80% 38%)\" font-weight=\"bold\""),
                (_, Look::Square { side, .. }) => format!(" font-size=\"{:.0}\"", side * 0.45),
                _ => String::new(),
            };
            let _ = write!(svg, "<text{ink}>{}</text>", escaped(&sprite.label));
        }
        // A move takes the frame before the one in which it is done.
        let mut moves: Vec<(f64, (f64, f64))> = vec![(0.0, (x, y))];
        for frame in 1..sprite.places.len() {
            let (before, now) = (sprite.places[frame - 1], sprite.places[frame]);
            if before != now {
                moves.push((self.time(frame), before));
                moves.push((self.time(frame) + self.time(1) * 0.6, now));
            }
        }
        if moves.len() > 1 {
            moves.push((1.0, moves[moves.len() - 1].1));
            let times: Vec<String> = moves.iter().map(|(time, _)| format!("{time:.5}")).collect();
            let places: Vec<String> = moves.iter().map(|(_, (x, y))| format!("{x} {y}")).collect();
            let _ = write!(
                svg,
                "<animateTransform attributeName=\"transform\" type=\"translate\" dur=\"{:.2}s\" repeatCount=\"indefinite\" keyTimes=\"{}\" values=\"{}\"/>",
                self.seconds(),
                times.join(";"),
                places.join(";")
            );
        }
        svg.push_str("</g>\n");
    }

    fn write_captions(&self, svg: &mut String) {
        let (x, y) = (self.width / 2.0, self.height + CAPTION_HEIGHT / 2.0);
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
