//! Pictures of sprites that move from frame to frame, and their SVG.

use std::fmt::Write;

use base::words::sanitize;

use crate::color::Rgb;
use crate::curve::{Curve, Point, distance, tidy};

/// A picture of sprites, with one or more frames. Its size is determined by the sprites.
#[derive(Debug, Clone)]
pub struct Picture {
    pub title: String,
    pub sprites: Vec<Sprite>,
    /// A text for each frame, which is wrapped to the width of the picture; may be empty.
    pub captions: Vec<String>,
}

/// A rectangle: its upper left and its lower right corner.
pub type Frame = (Point, Point);

/// A shape with its position in each frame.
#[derive(Debug, Clone)]
pub struct Sprite {
    pub look: Look,
    pub paint: Paint,
    pub label: String,
    /// A second, smaller line of text; only discs show it.
    pub note: String,
    /// The tooltip; may be empty.
    pub hint: String,
    /// The centre in each frame; a single point if the sprite never moves.
    pub places: Vec<Point>,
    /// The path from each position to the next; empty if the sprite moves in straight lines.
    pub paths: Vec<Curve>,
    /// Visibility in each frame; empty if the sprite is always visible.
    pub shown: Vec<bool>,
    /// The name by which reactions refer to the sprite.
    pub id: String,
    /// Reactions as words `event___id___property___value`: if the event occurs on the sprite `id`,
    /// this sprite sets the CSS property. The event `init`, without an id, sets the initial value.
    pub reacts: String,
}

impl Sprite {
    /// Creates a sprite that does not move.
    pub fn still(look: Look, paint: Paint, label: impl Into<String>, place: Point) -> Self {
        Sprite::moving(look, paint, label, vec![place])
    }

    pub fn moving(look: Look, paint: Paint, label: impl Into<String>, places: Vec<Point>) -> Self {
        let (note, hint, paths, shown) = (String::new(), String::new(), Vec::new(), Vec::new());
        let (id, reacts) = (String::new(), String::new());
        Sprite { look, paint, label: label.into(), note, hint, places, paths, shown, id, reacts }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Sprite { hint: hint.into(), ..self }
    }

    pub fn reacting(self, id: &str, reacts: &str) -> Self {
        Sprite { id: id.to_owned(), reacts: reacts.to_owned(), ..self }
    }

    /// Returns the attributes that the script for reactions reads.
    fn reactions(&self) -> String {
        let first = self.reacts.split_whitespace().filter_map(|word| word.strip_prefix("init___")?.split_once("___"));
        let style: String = first.map(|(property, value)| format!("{property}:{value};")).collect();
        let [id, reacts, style] = [&self.id.replace(' ', ""), &self.reacts, &style].map(|text| escaped(text));
        format!(" data-id=\"{id}\" data-reacts=\"{reacts}\" style=\"{style}\"")
    }

    /// Returns the extent relative to the centre.
    fn size(&self) -> Frame {
        let text = |size: f64| text_width(&self.label, size) / 2.0;
        let (across, down) = match &self.look {
            Look::Tile { width, height } => (width / 2.0, height / 2.0),
            Look::Cell { width, height } => (width / 2.0, height / 2.0),
            Look::Panel { width, height } => (text(TEXT).max(width / 2.0), height / 2.0),
            Look::Disc { radius } => (*radius, *radius),
            Look::Ring { radius } => (radius + 4.0, radius + 4.0),
            Look::Halo { radius } => (radius + 2.0, radius + 2.0),
            Look::Square { side, .. } => (side / 2.0, side / 2.0),
            Look::Hexagon { width, .. } => (width / 2.0, width / 3.0_f64.sqrt()),
            Look::Text { size } => (text(*size), size * 0.6),
            Look::Label { width, height, .. } => (width / 2.0, height / 2.0),
            Look::Curve { curve, .. } => return frame(curve.points(8.0)),
            Look::Shape { curves, width, .. } => {
                let (low, high) = frame(curves.iter().flat_map(|curve| curve.0.iter().copied()));
                let half = width / 2.0;
                return ((low.0 - half, low.1 - half), (high.0 + half, high.1 + half));
            }
        };
        ((-across, -down), (across, down))
    }
}

/// Returns the bounding box of all sprites in all frames.
pub fn extent<'a>(sprites: impl IntoIterator<Item = &'a Sprite>) -> Frame {
    let corners = sprites.into_iter().flat_map(|sprite| {
        let ((left, top), (right, bottom)) = sprite.size();
        let (low, high) = frame(sprite.places.iter().copied());
        [(low.0 + left, low.1 + top), (high.0 + right, high.1 + bottom)]
    });
    frame(corners)
}

/// Returns the bounding box of all points.
pub fn frame(points: impl IntoIterator<Item = Point>) -> Frame {
    let none = ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    points.into_iter().fold(none, |(low, high), (x, y)| ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y))))
}

/// The colours of a sprite.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Paint {
    Grey,
    /// The colour of the background, or of a line, which is darkened until it is readable.
    Color(Rgb),
    /// A colour from light green for 0 to dark red for 1.
    Heat(f64),
    /// The colour of the label, on a white background.
    Ink(Rgb),
    /// Light grey with a grey label.
    Faded,
    #[default]
    White,
    Dark,
    /// Highlighted.
    Accent,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Look {
    /// A rounded rectangle with its label.
    Tile { width: f64, height: f64 },
    /// A disc with its label.
    Disc { radius: f64 },
    /// A disc with a double border and its label.
    Ring { radius: f64 },
    /// A circle around another sprite.
    Halo { radius: f64 },
    /// An empty rectangle.
    Cell { width: f64, height: f64 },
    /// A square with its label, optionally with a thick border.
    Square { side: f64, is_framed: bool },
    /// A hexagon with a vertex at the top and this width, with its label and optionally a thick
    /// border.
    Hexagon { width: f64, is_framed: bool },
    /// A faint rounded rectangle in the background, with its label at the top.
    Panel { width: f64, height: f64 },
    /// Only the label.
    Text { size: f64 },
    /// Only the label, in exactly its colour and as large as fits.
    Label { width: f64, height: f64, is_bold: bool },
    /// A line relative to the centre.
    Curve { curve: Curve, width: f64, is_dashed: bool, has_arrow: bool },
    /// Lines relative to the centre in exactly their colour, or the areas that they enclose.
    Shape { curves: Vec<Curve>, width: f64, is_dashed: bool, fill: Option<Rgb> },
}

/// A picture for a page that shows one frame at a time.
pub struct Parts {
    /// The sprites that never change, each as SVG.
    pub ground: Vec<String>,
    pub movers: Vec<Mover>,
}

/// A sprite that changes: its SVG around the origin, its position in each frame, the paths between
/// these positions, its visibility in each frame, and the number of ground sprites below it.
pub type Mover = (String, Vec<Point>, Vec<String>, Vec<bool>, usize);

/// The style sheet of all pictures.
pub const STYLE: &str = ".ground { fill: #f4f4f2 } .cell { fill: #fff; stroke: #bbb } .panel { fill: #e7e7e3 } \
    .mark { fill: #111 } .mark text { text-anchor: middle; font-family: sans-serif } .mark .free { paint-order: stroke; stroke: #f4f4f2; stroke-width: 3px } .caption { fill: #555; text-anchor: middle }";

/// The script that implements the reactions.
const REACTIONS: &str = "const all = [...document.querySelectorAll('[data-id]')]; \
    for (const one of all) for (const event of ['click', 'mouseenter', 'mouseleave', 'contextmenu']) \
    one.addEventListener(event, happened => { \
    if (event === 'contextmenu') happened.preventDefault(); \
    for (const other of all) for (const word of other.dataset.reacts.split(/\\s+/)) { \
    const [kind, id, property, value] = word.split('___'); \
    if (kind === event) if (id === one.dataset.id) other.style[property] = value; } });";

/// The usual font size in pixels.
pub const TEXT: f64 = 12.0;
/// The smallest font size in pixels.
pub const SMALLEST_TEXT: f64 = 10.0;
const MARGIN: f64 = 8.0;
const CAPTION_TEXT: f64 = 14.0;
/// The distance between the lines of a caption, and the space above and below them together.
const CAPTION_LEADING: f64 = 18.0;
const CAPTION_GAP: f64 = 12.0;
/// Captions of narrower pictures are wrapped to this width.
const NARROWEST_CAPTION: f64 = 280.0;
/// Pause after the last frame, in seconds.
const PAUSE_SECONDS: f64 = 2.0;

impl Picture {
    /// Renders the picture as SVG, animated in a loop with a pause after the last frame. Viewers
    /// without animation show the first frame. The SVG contains a script only if the
    /// picture reacts to clicks or to the pointer.
    pub fn svg(&self) -> String {
        let (left, top, width, height) = self.view();
        let captions = self.caption_lines(width.max(NARROWEST_CAPTION) - 2.0 * MARGIN);
        let lines = captions.iter().flatten().map(|line| text_width(line, CAPTION_TEXT)).fold(0.0, f64::max);
        // The picture is wide enough for the longest line, which may be a single word.
        let whole_width = (lines + 2.0 * MARGIN).max(width);
        let left = tidy(left - (whole_width - width) / 2.0);
        let most_lines = captions.iter().map(Vec::len).max().unwrap_or(0);
        let below = if most_lines == 0 { 0.0 } else { CAPTION_GAP + CAPTION_LEADING * most_lines as f64 };
        let width = tidy(whole_width);
        let whole_height = tidy(height + below);
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left} {top} {width} {whole_height}\" width=\"{width}\" height=\"{whole_height}\" font-family=\"sans-serif\">"
        );
        let _ = writeln!(svg, "<title>{}</title>", escaped(&self.title));
        let _ = writeln!(svg, "<style>{STYLE}</style>");
        let _ = writeln!(
            svg,
            "<rect class=\"ground\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{whole_height}\" rx=\"6\"/>"
        );
        let is_reacting = self.sprites.iter().any(|sprite| !sprite.reacts.is_empty());
        for sprite in &self.sprites {
            let Some(&(x, y)) = sprite.places.first() else { continue };
            let reactions = if is_reacting && !sprite.id.is_empty() { sprite.reactions() } else { String::new() };
            let hidden = if sprite.shown.first() == Some(&false) { " visibility=\"hidden\"" } else { "" };
            let _ =
                write!(svg, "<g class=\"mark\" transform=\"translate({} {})\"{hidden}{reactions}>", tidy(x), tidy(y));
            let mut mark = String::new();
            sprite.write_mark(&mut mark);
            svg.push_str(&if reactions.is_empty() { mark } else { mark.replace("\"#111111\"", "\"currentColor\"") });
            self.write_moves(&mut svg, sprite);
            self.write_visibility(&mut svg, &sprite.shown);
            svg.push_str("</g>\n");
        }
        let first_line = top + height + (CAPTION_GAP + CAPTION_LEADING) / 2.0;
        self.write_captions(&mut svg, &captions, (left + width / 2.0, first_line));
        if is_reacting {
            let _ = writeln!(svg, "<script>{REACTIONS}</script>");
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Returns the first frame as a still picture.
    pub fn first_frame(self) -> Picture {
        self.still(0, |places| places.first())
    }

    /// Returns the last frame as a still picture.
    pub fn last_frame(self) -> Picture {
        let last = self.frames() - 1;
        self.still(last, |places| places.last())
    }

    /// Returns a frame as a still picture; `place` picks the position of each sprite in it.
    fn still(self, frame: usize, place: fn(&[Point]) -> Option<&Point>) -> Picture {
        let Picture { title, sprites, captions } = self;
        let is_visible = |sprite: &Sprite| sprite.shown.get(frame) != Some(&false);
        let still = |sprite: Sprite| Sprite {
            places: place(&sprite.places).copied().into_iter().collect(),
            paths: Vec::new(),
            shown: Vec::new(),
            ..sprite
        };
        let sprites = sprites.into_iter().filter(is_visible).map(still).collect();
        Picture { title, sprites, captions: captions.into_iter().skip(frame).take(1).collect() }
    }

    /// Returns the sprites for a page, without captions and timing.
    pub fn parts(&self) -> Parts {
        let mut parts = Parts { ground: Vec::new(), movers: Vec::new() };
        for sprite in &self.sprites {
            let Some(&(x, y)) = sprite.places.first() else { continue };
            if sprite.places.len() > 1 || !sprite.shown.is_empty() {
                let mut mark = String::new();
                sprite.write_mark(&mut mark);
                let places = sprite.places.iter().map(|&(x, y)| (tidy(x), tidy(y))).collect();
                let paths = sprite.paths.iter().map(Curve::d).collect();
                parts.movers.push((mark, places, paths, sprite.shown.clone(), parts.ground.len()));
            } else {
                let mut mark = format!("<g class=\"mark\" transform=\"translate({} {})\">", tidy(x), tidy(y));
                sprite.write_mark(&mut mark);
                parts.ground.push(mark + "</g>");
            }
        }
        parts
    }

    /// Returns the left, the top, the width and the height of the view.
    pub fn view(&self) -> (f64, f64, f64, f64) {
        // A picture without sprites may have captions.
        let (low, high) = if self.sprites.is_empty() { Frame::default() } else { extent(&self.sprites) };
        let (left, top) = (tidy(low.0 - MARGIN), tidy(low.1 - MARGIN));
        (left, top, tidy(high.0 + MARGIN - left), tidy(high.1 + MARGIN - top))
    }

    fn frames(&self) -> usize {
        self.captions.len().max(1)
    }

    /// Returns the duration of a frame, which is longer if there are curved paths.
    fn frame_seconds(&self) -> f64 {
        if self.sprites.iter().any(|sprite| !sprite.paths.is_empty()) { 0.9 } else { 0.4 }
    }

    fn seconds(&self) -> f64 {
        self.frames() as f64 * self.frame_seconds() + PAUSE_SECONDS
    }

    /// Returns the start of a frame as a fraction of the total duration.
    fn time(&self, frame: usize) -> f64 {
        (frame as f64 * self.frame_seconds() / self.seconds() * 1e5).round() / 1e5
    }

    /// Writes the animation of the position. A move takes the first 60 % of the duration of a
    /// frame.
    fn write_moves(&self, svg: &mut String, sprite: &Sprite) {
        let Sprite { places, paths, .. } = sprite;
        let moves: Vec<usize> = (1..places.len()).filter(|&frame| places[frame - 1] != places[frame]).collect();
        let Some(&last) = moves.last() else { return };
        let times = moves.iter().flat_map(|&frame| [self.time(frame), self.time(frame) + self.time(1) * 0.6]);
        let times: Vec<String> = [0.0].into_iter().chain(times).chain([1.0]).map(|time| format!("{time:.5}")).collect();
        let timing =
            format!("dur=\"{:.2}s\" repeatCount=\"indefinite\" keyTimes=\"{}\"", self.seconds(), times.join(";"));
        // The keyframes: the start and the end of each move, and of the whole animation.
        let steps = || [0].into_iter().chain(moves.iter().flat_map(|&frame| [frame - 1, frame])).chain([last]);
        if paths.is_empty() {
            let values: Vec<String> =
                steps().map(|frame| format!("{} {}", tidy(places[frame].0), tidy(places[frame].1))).collect();
            let _ = write!(
                svg,
                "<animateTransform attributeName=\"transform\" type=\"translate\" {timing} values=\"{}\"/>",
                values.join(";")
            );
            return;
        }
        // `animateMotion` adds the path to the position of the group.
        let mut path = Curve(vec![(0.0, 0.0)]);
        let mut lengths = vec![0.0];
        for leg in paths {
            path.append(&leg.shifted((-places[0].0, -places[0].1)));
            lengths.push(lengths[lengths.len() - 1] + leg.length());
        }
        let whole = lengths[lengths.len() - 1].max(1e-9);
        let points: Vec<String> = steps().map(|frame| format!("{:.5}", lengths[frame] / whole)).collect();
        let _ = write!(
            svg,
            "<animateMotion path=\"{}\" calcMode=\"linear\" {timing} keyPoints=\"{}\"/>",
            path.d(),
            points.join(";")
        );
    }

    /// Writes the animation of the visibility.
    fn write_visibility(&self, svg: &mut String, shown: &[bool]) {
        let word = |frame: usize| if shown[frame] { "visible" } else { "hidden" };
        let turns: Vec<usize> = (1..shown.len()).filter(|&frame| shown[frame - 1] != shown[frame]).collect();
        if turns.is_empty() {
            return;
        }
        let times: Vec<String> = turns.iter().map(|&frame| format!("{:.5}", self.time(frame))).collect();
        let words: Vec<&str> = [0].iter().chain(&turns).map(|&frame| word(frame)).collect();
        let _ = write!(
            svg,
            "<animate attributeName=\"visibility\" dur=\"{:.2}s\" repeatCount=\"indefinite\" calcMode=\"discrete\" keyTimes=\"0;{}\" values=\"{}\"/>",
            self.seconds(),
            times.join(";"),
            words.join(";")
        );
    }

    /// Returns the lines of each caption.
    fn caption_lines(&self, width: f64) -> Vec<Vec<String>> {
        self.captions.iter().map(|caption| wrapped(caption, CAPTION_TEXT, width)).collect()
    }

    fn write_captions(&self, svg: &mut String, captions: &[Vec<String>], place: Point) {
        let (x, y) = (tidy(place.0), tidy(place.1));
        let text = |lines: &[String], more: &str| {
            let start =
                format!("<text class=\"caption\" x=\"{x}\" y=\"{y}\" dy=\".35em\" font-size=\"{CAPTION_TEXT}\"{more}>");
            match lines {
                [line] => start + &escaped(line),
                _ => (0..lines.len()).fold(start, |start, line| {
                    let dy = if line == 0 { ".35em".to_owned() } else { CAPTION_LEADING.to_string() };
                    start + &format!("<tspan x=\"{x}\" dy=\"{dy}\">{}</tspan>", escaped(&lines[line]))
                }),
            }
        };
        if let [caption] = captions {
            let _ = writeln!(svg, "{}</text>", text(caption, ""));
            return;
        }
        for (frame, caption) in captions.iter().enumerate().filter(|(_, caption)| !caption.is_empty()) {
            let is_last = frame + 1 == self.frames();
            let (hidden, rest) =
                if frame == 0 { ("", "visible;visible") } else { (" visibility=\"hidden\"", "hidden;visible") };
            let _ = writeln!(
                svg,
                "{}<animate attributeName=\"visibility\" dur=\"{:.2}s\" repeatCount=\"indefinite\" calcMode=\"discrete\" keyTimes=\"0;{:.5};{:.5}\" values=\"{rest};{}\"/></text>",
                text(caption, hidden),
                self.seconds(),
                self.time(frame),
                if is_last { 1.0 } else { self.time(frame + 1) },
                if is_last { "visible" } else { "hidden" }
            );
        }
    }
}

impl Sprite {
    /// Writes the sprite as SVG around the origin.
    fn write_mark(&self, svg: &mut String) {
        if !self.hint.is_empty() {
            let _ = write!(svg, "<title>{}</title>", escaped(&self.hint));
        }
        svg.push_str(&self.shape());
        if !self.label.is_empty() {
            let (size, y) = self.label_size();
            let (_, is_bold) = self.ink();
            svg.push_str(&self.text(&self.label, y, size, is_bold));
        }
        if let Look::Disc { radius } = self.look
            && !self.note.is_empty()
        {
            svg.push_str(&self.text(&self.note, 0.52 * radius, SMALLEST_TEXT, true));
        }
    }

    /// Returns the sprite without its texts.
    fn shape(&self) -> String {
        let fill = self.paint.fill();
        let rect = |width: f64, height: f64, rest: &str| {
            let (x, y) = (tidy(-width / 2.0), tidy(-height / 2.0));
            format!("<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" {rest}/>", tidy(width), tidy(height))
        };
        let circle = |radius: f64, rest: &str| format!("<circle r=\"{}\" {rest}/>", tidy(radius));
        let filled = |rest: &str| format!("fill=\"{fill}\" {rest}");
        match &self.look {
            Look::Tile { width, height } => rect(*width, *height, &filled("rx=\"5\" stroke=\"#555\"")),
            Look::Disc { radius } => circle(*radius, &filled("stroke=\"#555\"")),
            Look::Ring { radius } => {
                circle(radius + 3.0, "fill=\"#fff\" stroke=\"#222\" stroke-width=\"2\"")
                    + &circle(*radius, &filled("stroke=\"#222\""))
            }
            Look::Halo { radius } => circle(*radius, &format!("fill=\"none\" stroke=\"{fill}\" stroke-width=\"4\"")),
            Look::Cell { width, height } => rect(*width, *height, "class=\"cell\""),
            Look::Square { side, is_framed: true } => {
                rect(*side, *side, &filled("rx=\"2\" stroke=\"#111\" stroke-width=\"3\""))
            }
            Look::Square { side, .. } => rect(*side, *side, &filled("rx=\"2\" stroke=\"#bbb\"")),
            Look::Hexagon { width, is_framed } => {
                let (x, y) = (tidy(width / 2.0), tidy(width / 3.0_f64.sqrt()));
                let (left, half) = (tidy(-width / 2.0), tidy(width / 12.0_f64.sqrt()));
                let (top, high) = (tidy(-width / 3.0_f64.sqrt()), tidy(-width / 12.0_f64.sqrt()));
                let frame = if *is_framed { "stroke=\"#111\" stroke-width=\"3\"" } else { "stroke=\"#bbb\"" };
                format!(
                    "<path d=\"M0,{top} {x},{high} {x},{half} 0,{y} {left},{half} {left},{high}Z\" {}/>",
                    filled(frame)
                )
            }
            Look::Panel { width, height } => rect(*width, *height, "class=\"panel\" rx=\"8\""),
            Look::Text { .. } | Look::Label { .. } => String::new(),
            Look::Shape { curves, width, is_dashed, fill } => self.curves(curves, *width, *is_dashed, *fill),
            Look::Curve { curve, width, is_dashed, has_arrow } => self.line(curve, *width, *is_dashed, *has_arrow),
        }
    }

    /// Returns the font size of the label, and the distance of its middle below the centre.
    fn label_size(&self) -> (f64, f64) {
        let label = &self.label;
        match &self.look {
            Look::Square { side, .. } | Look::Hexagon { width: side, .. } => {
                (fitting(side * 0.78, side * 0.5, label), 0.0)
            }
            Look::Text { size } => (*size, 0.0),
            Look::Label { width, height, .. } => (fitting_in(*width, *height, label), 0.0),
            Look::Disc { radius } | Look::Ring { radius } if self.note.is_empty() => {
                (fitting(radius * 1.8, *radius, label), 0.0)
            }
            Look::Disc { radius } | Look::Ring { radius } => {
                (fitting(radius * 1.7, radius * 0.85, label), -0.25 * radius)
            }
            Look::Tile { width, height } => (fitting(width * 0.95, height * 0.75, label), 0.0),
            Look::Panel { height, .. } => (TEXT, 10.0 - height / 2.0),
            _ => (16.0, 0.0),
        }
    }

    /// Returns the colour of the label, empty for black, and true if the label is bold.
    fn ink(&self) -> (String, bool) {
        match (self.paint, &self.look) {
            (paint, Look::Label { is_bold, .. }) => (paint.fill(), *is_bold),
            (Paint::Ink(color), _) => (color.darkened().hex(), true),
            (Paint::Color(color), Look::Text { .. }) => (color.darkened().hex(), true),
            (Paint::Color(color), _) => (color.ink().to_owned(), false),
            (Paint::Grey, Look::Text { .. } | Look::Panel { .. }) => ("#555".to_owned(), false),
            (Paint::Faded, _) => ("#8a8a86".to_owned(), false),
            (Paint::Accent | Paint::Dark, _) => ("#fff".to_owned(), true),
            _ => (String::new(), false),
        }
    }

    /// Returns a text in the colour of the label, with its middle `y` below the centre.
    fn text(&self, text: &str, y: f64, size: f64, is_bold: bool) -> String {
        let (ink, _) = self.ink();
        let class = if matches!(self.look, Look::Text { .. }) { " class=\"free\"" } else { "" };
        // The colour is an attribute, since a page may forbid inline styles.
        let fill = if ink.is_empty() || ink == "#111" { String::new() } else { format!(" fill=\"{ink}\"") };
        let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
        let y = if y == 0.0 { String::new() } else { format!(" y=\"{}\"", tidy(y)) };
        let (size, text) = (tidy(size), escaped(text));
        // Many programs do not support dominant-baseline.
        format!("<text{class}{fill}{weight}{y} dy=\".35em\" font-size=\"{size}\">{text}</text>")
    }

    fn curves(&self, curves: &[Curve], width: f64, is_dashed: bool, fill: Option<Rgb>) -> String {
        let d: String = curves.iter().map(Curve::d).collect();
        let fill = fill.map_or("none".to_owned(), Rgb::hex);
        let stroke = match (width, is_dashed) {
            (0.0, _) => String::new(),
            (_, false) => format!(" stroke=\"{}\" stroke-width=\"{}\"", self.paint.fill(), tidy(width)),
            (_, true) => {
                format!(" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"4 4\"", self.paint.fill(), tidy(width))
            }
        };
        format!("<path d=\"{d}\" fill=\"{fill}\"{stroke} stroke-linecap=\"round\" stroke-linejoin=\"round\"/>")
    }

    fn line(&self, curve: &Curve, width: f64, is_dashed: bool, has_arrow: bool) -> String {
        let stroke = match self.paint {
            Paint::Color(color) => color.darkened().hex(),
            Paint::Accent => Paint::Accent.fill(),
            Paint::Ink(_) => "#111".to_owned(),
            _ => "#8a8a86".to_owned(),
        };
        // The line ends where the arrowhead begins, so that the tip is sharp.
        let (mut line, to, head) = (curve.clone(), curve.end(), head(width));
        let last = line.0.len() - 1;
        let before =
            line.0[..last].iter().rev().find(|point| distance(**point, to) > 0.1).copied().unwrap_or((0.0, 0.0));
        let back = distance(before, to).max(1e-9);
        let (dx, dy) = ((to.0 - before.0) / back, (to.1 - before.1) / back);
        if has_arrow {
            for point in &mut line.0[last - 1..] {
                *point = (point.0 - dx * head * 0.8, point.1 - dy * head * 0.8);
            }
        }
        let dashes = if is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let mut svg = format!(
            "<path d=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{}\"{dashes}/>",
            line.d(),
            tidy(width)
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
            Paint::Faded => "#e9e9e6".to_owned(),
            Paint::Color(color) => color.hex(),
            Paint::Heat(heat) => {
                const SCALE: [Rgb; 3] = [Rgb(0xd5, 0xf0, 0xe4), Rgb(0xf8, 0xd8, 0x6a), Rgb(0xe0, 0x60, 0x3a)];
                // The square root spreads small values, whose differences matter most.
                let at = 2.0 * heat.clamp(0.0, 1.0).sqrt();
                let first = at.min(1.0) as usize;
                SCALE[first].mix(SCALE[first + 1], at - first as f64).hex()
            }
            Paint::Ink(_) | Paint::White => "#fff".to_owned(),
            Paint::Dark => "#444".to_owned(),
            Paint::Accent => "#1f5fd0".to_owned(),
        }
    }
}

/// Returns the length of the arrowhead of a line of this width.
pub fn head(width: f64) -> f64 {
    4.0 + 2.0 * width
}

/// Returns a font size at which the label fits, between [`SMALLEST_TEXT`] and 16.
fn fitting(width: f64, height: f64, label: &str) -> f64 {
    fitting_in(width, height, label).clamp(SMALLEST_TEXT, 16.0)
}

/// Like [`fitting`], but without a maximum. The text may be as small as `height`.
fn fitting_in(width: f64, height: f64, label: &str) -> f64 {
    (width / (0.6 * label.chars().count().max(1) as f64)).min(height).max(SMALLEST_TEXT.min(height))
}

/// Returns an estimate of the width of a text in pixels, which is rather too large.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.62 * size * text.chars().count() as f64
}

/// Breaks a text into lines of at most `width` pixels, unless a word is longer. Its own line breaks
/// remain.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && text_width(&line, size) + text_width(word, size) + size * 0.62 > width {
                lines.push(std::mem::take(&mut line));
            }
            line += if line.is_empty() { "" } else { " " };
            line += word;
        }
        lines.extend((!line.is_empty()).then_some(line));
    }
    lines
}

/// Escapes text for an element or an attribute.
pub fn escaped(text: &str) -> String {
    sanitize(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
