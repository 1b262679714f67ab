//! A palette of colours that remain distinguishable with colour vision deficiencies.
//!
//! The twelve colours of [`PALETTE`] match their names. Any two have a distance of at least 22 (CIE
//! 1976, L\*a\*b\*) for normal vision and, in the simulation of Machado, Oliveira and Fernandes ("A
//! physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15, 2009), for
//! protanopia and deuteranopia. They were found by simulated annealing over the hues that match the
//! names. All other names of colours are those of CSS.

/// Red, green and blue, from 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// The named colours; the most distinct ones come first.
pub const PALETTE: [(&str, Rgb); 12] = [
    ("red", Rgb(0xdf, 0x33, 0x20)),
    ("yellow", Rgb(0xf3, 0xe8, 0x8b)),
    ("green", Rgb(0x20, 0x7a, 0x63)),
    ("blue", Rgb(0x1d, 0x4d, 0xe2)),
    ("orange", Rgb(0xff, 0xa5, 0x0a)),
    ("violet", Rgb(0x4f, 0x3c, 0x7a)),
    ("cyan", Rgb(0x6a, 0xe1, 0xff)),
    ("pink", Rgb(0xfc, 0x82, 0xaa)),
    ("brown", Rgb(0x5c, 0x30, 0x15)),
    ("magenta", Rgb(0xc4, 0x4d, 0xc4)),
    ("white", Rgb(0xff, 0xff, 0xff)),
    ("black", Rgb(0x2f, 0x2f, 0x2f)),
];

/// Names that CSS does not have, or has for a colour that is too similar to another. Each is
/// replaced by the second name.
const OTHER_NAMES: [(&str, &str); 14] = [
    ("rouge", "red"),
    ("jaune", "yellow"),
    ("vert", "green"),
    ("bleu", "blue"),
    ("brun", "brown"),
    ("rose", "pink"),
    ("noir", "black"),
    ("blanc", "white"),
    ("gris", "grey"),
    ("purple", "violet"),
    ("aqua", "cyan"),
    ("fuchsia", "magenta"),
    ("amber", "#ffbf00"),
    ("ochre", "#cc7722"),
];

impl Rgb {
    /// Returns a colour for an index. Consecutive colours are distinct.
    pub fn of_rank(rank: usize) -> Rgb {
        PALETTE[rank % (PALETTE.len() - 2)].1
    }

    /// Like [`Rgb::of_rank`], but light enough for the background of a text.
    pub fn light_of_rank(rank: usize) -> Rgb {
        Rgb::of_rank(rank).mix(Rgb(0xff, 0xff, 0xff), 0.5)
    }

    /// Returns true if text on this colour should be white.
    pub fn is_dark(self) -> bool {
        self.luminance() <= 0.18
    }

    /// Returns the colour of a name, or of the last word of a name, such as `amber`, `Dark_Red`,
    /// `red3`, `signal_red` or `"#aa5500"`.
    pub fn by_name(name: &str) -> Option<Rgb> {
        let plain = |name: &str| {
            let name = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, same)| same);
            let in_palette = PALETTE.iter().find(|(palette_name, _)| *palette_name == name).map(|(_, color)| *color);
            in_palette.or_else(|| {
                let [red, green, blue, _] = csscolorparser::parse(name).ok()?.to_rgba8();
                Some(Rgb(red, green, blue))
            })
        };
        let name = name.to_lowercase();
        let letters: String = name.chars().filter(|letter| letter.is_alphabetic()).collect();
        let words = name.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
        [name.trim_matches('"'), &letters].into_iter().chain(words.rev()).find_map(plain)
    }

    /// Returns the colour as `#rrggbb`, the notation of CSS and Graphviz.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Returns the relative luminance, from 0 to 1 (WCAG 2).
    pub fn luminance(self) -> f64 {
        let linear = |part: u8| match f64::from(part) / 255.0 {
            part if part <= 0.040_45 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Returns black or white as CSS, whichever is readable on this colour.
    pub fn ink(self) -> &'static str {
        if self.is_dark() { "#fff" } else { "#111" }
    }

    /// Returns the colour, darkened until it is readable on a light background.
    pub fn darkened(mut self) -> Rgb {
        while self.luminance() > 0.17 {
            self = self.mix(Rgb(0, 0, 0), 0.1);
        }
        self
    }

    /// Interpolates between this colour (`part` is 0) and `other` (`part` is 1).
    pub fn mix(self, other: Rgb, part: f64) -> Rgb {
        let mix = |one: u8, other: u8| (f64::from(one) + (f64::from(other) - f64::from(one)) * part).round() as u8;
        Rgb(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}
