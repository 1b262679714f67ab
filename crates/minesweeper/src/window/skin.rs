//! Skins: the appearance of a program, and the ways to start and use it. A skin is a file, so a new
//! program needs no code.
//!
//! A cell is recognized by its thumbnail, which consists of the mean colours of 8×8 parts.
//! Thumbnails do not depend on the size of a cell, capture colours as well as shapes, and can be
//! learnt from a single board. A cell shows the sign of the nearest sprite, if that is within the
//! tolerance.

use std::fmt;
use std::path::{Path, PathBuf};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::words::io_error;
use screen::{Color, Image, Rectangle};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::play::game::Setup;

/// The built-in skins; a file in the folder `skins` takes precedence.
const BUILTIN: [(&str, &str); 3] = [
    ("xdemineur", include_str!("../../../../skins/xdemineur.toml")),
    ("sgt-mines", include_str!("../../../../skins/sgt-mines.toml")),
    ("winemine", include_str!("../../../../skins/winemine.toml")),
];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skin {
    /// The class of the window. It is compared without case. If the class of an X window is a path, its
    /// last component is compared, without the extension `.exe`.
    pub class: String,
    /// The command that starts the program if its window is not open: `{columns}`, `{rows}` and
    /// `{mines}` are replaced by the numbers of the board.
    #[serde(default)]
    pub command: Vec<String>,
    /// The command on Windows, if it differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows_command: Vec<String>,
    /// The minimum number of columns; levels with fewer are played with this many.
    #[serde(default)]
    pub least_columns: usize,
    /// The time between two games. A program that draws the mines by the second of the clock would
    /// otherwise repeat games, and most often those that were lost soon.
    #[serde(default)]
    pub seconds_between_games: u64,
    /// The usual size of a cell in pixels.
    pub cell: usize,
    /// The smallest and the largest size of a cell in pixels.
    pub sizes: [usize; 2],
    /// The largest distance of a cell from the nearest sprite: the mean difference of the colour
    /// channels, which range from 0 to 255.
    pub tolerance: f32,
    pub restart: Restart,
    pub sprite: Vec<Sprite>,
}

/// The way to start a new game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Restart {
    Key {
        key: String,
    },
    /// A button above the board. `across` is its horizontal position as a fraction of the width of
    /// the board, `above` its distance from the board in cells.
    Click {
        across: f32,
        above: f32,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sprite {
    pub sign: Sign,
    pub rows: Thumbnail,
}

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sign {
    Open(u8),
    Closed,
    Flag,
    /// A mine that is shown at the end of the game.
    Mine,
    Exploded,
    /// A flag on a cell without a mine.
    WrongFlag,
}

const SIGNS: [(char, Sign); 5] =
    [('#', Sign::Closed), ('F', Sign::Flag), ('*', Sign::Mine), ('!', Sign::Exploded), ('x', Sign::WrongFlag)];

impl Sign {
    pub fn of(sign: char) -> Option<Sign> {
        match sign {
            '0'..='8' => Some(Sign::Open(sign as u8 - b'0')),
            '.' => Some(Sign::Open(0)),
            '?' => Some(Sign::Closed),
            _ => SIGNS.iter().find(|(known, _)| *known == sign).map(|&(_, sign)| sign),
        }
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sign::Open(number) => write!(f, "{number}"),
            _ => SIGNS.iter().filter(|(_, sign)| sign == self).try_for_each(|(sign, _)| write!(f, "{sign}")),
        }
    }
}

impl Serialize for Sign {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sign {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sign: char = Deserialize::deserialize(deserializer)?;
        Sign::of(sign).ok_or_else(|| D::Error::custom(format!("{sign}: expected 0 to 8, #, F, *, ! or x")))
    }
}

/// Number of parts of a cell along each side.
pub const SIDE: usize = 8;

/// The mean colour of each part of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thumbnail(pub [Color; SIDE * SIDE]);

impl Thumbnail {
    /// Computes the thumbnail of a part of an image; a pixel on the border of two parts counts for
    /// each in proportion to its share.
    pub fn of(image: &Image, Rectangle { left, top, width, height }: Rectangle) -> Self {
        let mut sums = [[0_u32; 3]; SIDE * SIDE];
        // In units of 1/8 pixel, the length of a part equals the side of the cell in pixels.
        let shares = |at: usize, side: usize| {
            let (begin, end) = (at * SIDE, (at + 1) * SIDE);
            (begin / side..=(end - 1) / side)
                .map(move |part| (part, (end.min((part + 1) * side) - begin.max(part * side)) as u32))
        };
        let across: Vec<(usize, usize, u32)> =
            (0..width).flat_map(|x| shares(x, width).map(move |(part, share)| (x, part, share))).collect();
        for y in 0..height {
            let row = &image.pixels[(top + y) * image.width + left..][..width];
            let mut row_sums = [[0_u32; 3]; SIDE];
            for &(x, part, share) in &across {
                for (sum, &color) in row_sums[part].iter_mut().zip(&row[x]) {
                    *sum += share * u32::from(color);
                }
            }
            for (part, share) in shares(y, height) {
                let sums = sums[part * SIDE..][..SIDE].as_flattened_mut();
                for (sum, &row_sums) in sums.iter_mut().zip(row_sums.as_flattened()) {
                    *sum += share * row_sums;
                }
            }
        }
        let area = (width * height) as u32;
        Thumbnail(sums.map(|sum| sum.map(|channel| ((channel + area / 2) / area) as u8)))
    }

    /// Returns the mean absolute difference of the colour channels.
    pub fn distance(&self, other: &Thumbnail) -> f32 {
        let pairs = self.0.as_flattened().iter().zip(other.0.as_flattened());
        let sum: u32 = pairs.map(|(&a, &b)| u32::from(a.abs_diff(b))).sum();
        sum as f32 / (3 * SIDE * SIDE) as f32
    }
}

/// Serializes each row of parts as a string of colours in hexadecimal digits.
impl Serialize for Thumbnail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let color = |[red, green, blue]: &Color| format!("{red:02x}{green:02x}{blue:02x}");
        let row = |row: &[Color]| row.iter().map(color).collect::<Vec<String>>().join(" ");
        serializer.collect_seq(self.0.chunks(SIDE).map(row))
    }
}

impl<'de> Deserialize<'de> for Thumbnail {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows: Vec<String> = Deserialize::deserialize(deserializer)?;
        let color = |word: &str| {
            let number = u32::from_str_radix(word, 16).ok().filter(|_| word.len() == 6);
            let [_, color @ ..] = number
                .ok_or_else(|| D::Error::custom(format!("{word}: expected a colour such as c0c0c0")))?
                .to_be_bytes();
            Ok(color)
        };
        let colors: Vec<Color> =
            rows.iter().flat_map(|row| row.split_whitespace()).map(color).collect::<Result<_, _>>()?;
        let colors = colors.try_into().map(Thumbnail);
        colors.map_err(|_| D::Error::custom(format!("expected {SIDE} rows of {SIDE} colours")))
    }
}

impl Skin {
    /// Loads a skin from `file`, from the folder `skins`, or a built-in one.
    pub fn find(name: &str, file: Option<&Path>) -> Result<Skin, Failure> {
        let path = file.map_or_else(|| PathBuf::from(format!("skins/{name}.toml")), Path::to_owned);
        let builtin = BUILTIN.iter().find(|(builtin, _)| *builtin == name && file.is_none());
        match (std::fs::read_to_string(&path), builtin) {
            (Ok(text), _) => Skin::parse(&path.display().to_string(), &text),
            (Err(_), Some((_, text))) => Skin::parse(name, text),
            (Err(error), None) => {
                let names = BUILTIN.map(|(name, _)| name).join(", ");
                let text = format!("{}: cannot read a skin for the window: {}", path.display(), io_error(&error));
                let help = format!("{names} are known; --learn makes a skin for another program");
                Err(Diagnostic::error(Code::UnreadableFile, text).help(help).into())
            }
        }
    }

    pub fn parse(name: &str, text: &str) -> Result<Skin, Failure> {
        let skin: Skin = toml::from_str(text).map_err(|error| {
            let place = error.span().map(|span| base::diagnostic::Place::of_range(name, text, span));
            Diagnostic::error(Code::UnreadableFile, format!("{name}: {}", error.message())).at(place)
        })?;
        let [least, most] = skin.sizes;
        let problem = if !(4..=skin.cell).contains(&least) || !(skin.cell..=256).contains(&most) {
            "sizes: expected pixels from 4 to 256, with cell between them"
        } else if !skin.sprite.iter().any(|sprite| sprite.sign == Sign::Closed) {
            "no sprite of a closed cell (#)"
        } else {
            return Ok(skin);
        };
        Err(Diagnostic::error(Code::UnreadableFile, format!("{name}: {problem}")).into())
    }

    /// Returns the sign of the nearest sprite, and its distance.
    pub fn nearest(&self, thumbnail: &Thumbnail) -> (Sign, f32) {
        let distances = self.sprite.iter().map(|sprite| (sprite.sign, sprite.rows.distance(thumbnail)));
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((Sign::Closed, f32::INFINITY))
    }

    /// Returns the sign of a cell, if it matches any sprite.
    pub fn sign(&self, thumbnail: &Thumbnail) -> Option<Sign> {
        let (sign, distance) = self.nearest(thumbnail);
        (distance <= self.tolerance).then_some(sign)
    }

    /// Returns the command line that starts the program with the given board.
    pub fn command_for(&self, setup: &Setup) -> Vec<String> {
        let numbers = [("{columns}", setup.grid.columns), ("{rows}", setup.grid.rows), ("{mines}", setup.mines)];
        let fill_in = |word: &String| {
            numbers.iter().fold(word.clone(), |word, (name, number)| word.replace(name, &number.to_string()))
        };
        let is_for_windows = cfg!(windows) && !self.windows_command.is_empty();
        let command = if is_for_windows { &self.windows_command } else { &self.command };
        command.iter().map(fill_in).collect()
    }
}
