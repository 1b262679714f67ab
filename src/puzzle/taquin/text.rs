//! A solution for a person: the moves, and every board if wanted; and as a picture.

use std::fmt::Write;

use super::board::Board;
use super::{Taquin, Way};
use crate::picture::{Look, Paint, Picture, Rgb, Sprite};
use crate::puzzle::{Solved, native};
use crate::report::Style;

/// Columns of a page.
const WIDTH: usize = 80;
/// Moves on a line, in groups of five.
const LINE: usize = (WIDTH - 2) / 6 * 5;

pub fn ways(board: &Board, ways: &[Way<u16>], style: &Style) -> String {
    let mut page = String::new();
    if ways.iter().any(|way| !way.0.is_empty()) {
        let _ = writeln!(page, "The tiles move left (L), right (R), up (U) or down (D):");
    }
    for (number, way) in ways.iter().enumerate() {
        let letters: Vec<char> = board.letters(&way.0).chars().collect();
        if number > 0 && (style.verbose || letters.len() > LINE) {
            page.push('\n');
        }
        for line in letters.chunks(LINE) {
            let groups: Vec<String> = line.chunks(5).map(|group| group.iter().collect()).collect();
            let _ = writeln!(page, "  {}", groups.join(" "));
        }
        if style.verbose {
            page.push_str(&frames(board, way));
        }
    }
    page
}

/// Why there is no solution, and to which goal there is one.
pub fn impossible(known: &Solved<Taquin>) -> String {
    let cause = known.proof().cause.as_deref();
    let other = known.proof().solvable_to.map_or(String::new(), |goal| {
        let tiles = tiles(known.board());
        let tiles = match &tiles[..] {
            [first, second, _, .., last] => format!("{first}, {second}, …, {last}"),
            few => few.join(", "),
        };
        format!(" But it can be solved to free, {tiles}: --goal {goal} asks for that.")
    });
    format!("No solution: {}.{other}", cause.unwrap_or("every board that can be reached was looked at"))
}

/// What is written on the tiles, in the order of the goal.
fn tiles(board: &Board) -> Vec<&str> {
    board.labels.iter().map(String::as_str).filter(|label| !label.is_empty()).collect()
}

/// Every board of the way, as many side by side as fit.
fn frames(board: &Board, way: &Way<u16>) -> String {
    let boards = board.follow(&way.0);
    let letters = board.letters(&way.0);
    let titles: Vec<String> = std::iter::once("start".to_owned())
        .chain(letters.chars().enumerate().map(|(step, letter)| format!("{} {letter}", step + 1)))
        .collect();
    let width = boards[0].lines()[0].len().max(6) + 3;
    let mut page = String::new();
    for (row, boards) in boards.chunks(((WIDTH - 2) / width).max(1)).enumerate() {
        page.push('\n');
        let line = |cells: Vec<&str>| {
            let line: String = cells.iter().map(|cell| format!("{cell:<width$}")).collect();
            format!("  {}\n", line.trim_end())
        };
        let first = row * ((WIDTH - 2) / width).max(1);
        page.push_str(&line(titles[first..first + boards.len()].iter().map(String::as_str).collect()));
        let lines: Vec<Vec<String>> = boards.iter().map(Board::lines).collect();
        for number in 0..lines[0].len() {
            page.push_str(&line(lines.iter().map(|lines| lines[number].as_str()).collect()));
        }
    }
    page
}

/// A tile with its share of the gap to the next.
pub const TILE: f64 = 48.0;

/// The tiles on their ways.
pub fn picture(board: &Board, way: &[u16]) -> Picture {
    let boards = board.follow(way);
    let columns = board.shape.columns;
    let sprite = |tile: usize| {
        let place = |board: &Board| {
            let cell = board.tiles.iter().position(|&other| usize::from(other) == tile).expect("tiles stay");
            (TILE * (cell % columns) as f64 + TILE / 2.0, TILE * (cell / columns) as f64 + TILE / 2.0)
        };
        // Tiles of a row in the goal share a colour.
        let paint = Paint::Color(Rgb::of_rank(tile / columns));
        let look = Look::Tile { width: TILE - 4.0, height: TILE - 4.0 };
        Sprite::moving(look, paint, board.labels[tile].clone(), boards.iter().map(place).collect())
    };
    let captions = (0..=way.len()).map(|step| format!("{step} of {}", way.len())).collect();
    Picture {
        title: native::count(way.len(), "move", "moves"),
        sprites: (0..board.shape.cells()).filter(|&tile| tile != board.shape.home).map(sprite).collect(),
        captions,
    }
}
