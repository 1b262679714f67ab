//! Times within times as a picture: a flame graph (Gregg, "The flame graph", CACM 59:6, 2016).
//!
//! Each part is as wide as the time that it took and lies on the one that it is a part of; what took longer comes first. Parts
//! that nobody would see are left out; pointing at one tells all of it.

use std::time::Duration;

use crate::picture::{Look, Paint, Picture, Rgb, Sprite};

/// A part of a run, and its parts.
#[derive(Debug, Clone, Default)]
pub struct Flame {
    pub name: String,
    pub time: Duration,
    pub parts: Vec<Flame>,
    /// What one reads besides when pointing at it.
    pub hint: String,
}

const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 22.0;
/// What is narrower is not drawn, and what has room for fewer signs has no name.
const NARROWEST: f64 = 0.5;
const FEWEST_SIGNS: usize = 3;
/// Pixels of a letter, the smallest there is.
const SIGN: f64 = 6.2;
const COLORS: [Rgb; 4] = [Rgb(0xf3, 0x9c, 0x4b), Rgb(0xf6, 0xc2, 0x5f), Rgb(0xee, 0x86, 0x5a), Rgb(0xf8, 0xd9, 0x7f)];

impl Flame {
    pub fn leaf(name: impl Into<String>, time: Duration) -> Self {
        Flame { name: name.into(), time, ..Flame::default() }
    }

    /// A part that is all of its parts.
    pub fn of(name: impl Into<String>, mut parts: Vec<Flame>) -> Self {
        parts.sort_by_key(|part| std::cmp::Reverse(part.time));
        Flame { name: name.into(), time: parts.iter().map(|part| part.time).sum(), parts, hint: String::new() }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Flame { hint: hint.into(), ..self }
    }

    pub fn picture(&self, title: &str) -> Picture {
        let mut sprites = Vec::new();
        self.draw((0.0, 0.0), WIDTH / self.time.as_secs_f64().max(f64::MIN_POSITIVE), self.time, &mut sprites);
        Picture { title: title.to_owned(), sprites, captions: Vec::new() }
    }

    /// From its left lower corner, at so many pixels a second.
    fn draw(&self, (left, bottom): (f64, f64), scale: f64, whole: Duration, sprites: &mut Vec<Sprite>) {
        let width = self.time.as_secs_f64() * scale;
        if width < NARROWEST {
            return;
        }
        let room = (width / SIGN) as usize;
        let label = match self.name.chars().count() {
            length if length <= room => self.name.clone(),
            _ if room < FEWEST_SIGNS => String::new(),
            _ => self.name.chars().take(room - 1).chain(['…']).collect(),
        };
        let seconds = self.time.as_secs_f64();
        let share = 100.0 * seconds / whole.as_secs_f64().max(f64::MIN_POSITIVE);
        let separator = if self.hint.is_empty() { "" } else { "\n" };
        let hint = format!("{}\n{seconds:.3} s, {share:.1} %{separator}{}", self.name, self.hint);
        let color = COLORS[sprites.len() % COLORS.len()];
        let look = Look::Tile { width, height: HEIGHT };
        let middle = (left + width / 2.0, bottom - HEIGHT / 2.0);
        sprites.push(Sprite::still(look, Paint::Color(color), label, middle).hint(hint));
        let mut left = left;
        for part in &self.parts {
            part.draw((left, bottom - HEIGHT), scale, whole, sprites);
            left += part.time.as_secs_f64() * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_on_what_they_are_parts_of_and_are_as_wide_as_their_time() {
        let part = |name, milliseconds| Flame::leaf(name, Duration::from_millis(milliseconds));
        let flame = Flame::of("all", vec![part("short", 250), part("none", 0), part("long", 750).hint("of it")]);
        let tiles: Vec<(String, f64, (f64, f64))> = flame
            .picture("run")
            .sprites
            .iter()
            .map(|sprite| match sprite.look {
                Look::Tile { width, .. } => (sprite.label.clone(), width, sprite.places[0]),
                _ => panic!("no tile"),
            })
            .collect();
        let expected =
            [("all", 1200.0, (600.0, -11.0)), ("long", 900.0, (450.0, -33.0)), ("short", 300.0, (1050.0, -33.0))];
        assert_eq!(tiles, expected.map(|(name, width, place)| (name.to_owned(), width, place)));
        assert!(flame.picture("run").svg().contains("<title>long\n0.750 s, 75.0 %\nof it</title>"));
    }

    #[test]
    fn a_name_is_cut_where_there_is_no_room_and_left_out_where_there_is_hardly_any() {
        let parts = vec![
            Flame::leaf("a".repeat(300), Duration::from_secs(80)),
            Flame::leaf("b".repeat(300), Duration::from_secs(1)),
        ];
        let labels: Vec<usize> =
            Flame::of("all", parts).picture("").sprites.iter().map(|sprite| sprite.label.chars().count()).collect();
        assert!(labels[1] < 200 && labels[1] > 150 && labels[2] < 3, "{labels:?}");
    }
}
