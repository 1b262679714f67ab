//! Text output of a solution (the moves, and with `--verbose` every board), its picture, and pieces
//! to click.

use std::fmt::Write;

use base::style::Style;
use picture::{Look, Paint, Picture, Rgb, Sprite};
use puzzle::one_player::{BoardPieces, DrawPlan, OnePlayer, Piece, Plan};
use puzzle::{RunResult, native};

use super::board::Board;
use super::options::Taquin;
use super::why::solvable_goals;

/// Width of a page in columns.
const WIDTH: usize = 80;
/// Maximum number of moves on a line, in groups of five.
const LINE: usize = (WIDTH - 2) / 6 * 5;

pub fn format_solutions(board: &Board, solutions: &[Plan<u16>], style: &Style) -> String {
    let mut page = String::new();
    if solutions.iter().any(|plan| !plan.0.is_empty()) {
        let _ = writeln!(page, "The tiles move left (L), right (R), up (U) or down (D):");
    }
    for (number, plan) in solutions.iter().enumerate() {
        let letters: Vec<char> = board.letters(&plan.0).chars().collect();
        if number > 0 && (style.verbose || letters.len() > LINE) {
            page.push('\n');
        }
        for line in letters.chunks(LINE) {
            let groups: Vec<String> = line.chunks(5).map(|group| group.iter().collect()).collect();
            let _ = writeln!(page, "  {}", groups.join(" "));
        }
        if style.verbose {
            page.push_str(&frames(board, plan));
        }
    }
    page
}

/// Explains why there is no solution, and names the usual goals for which there is one.
pub fn impossible(result: &RunResult<Taquin>) -> String {
    let cause = result.proof().reason.as_deref();
    let goals = if result.proof().solvable_to.is_some() { solvable_goals(result.board()) } else { Vec::new() };
    let words: Vec<String> =
        goals.iter().map(|(goal, board)| format!("{}: use --goal {goal}", goal.words(board))).collect();
    let other = match &words[..] {
        [] => String::new(),
        words => format!(" But it can be solved to {}.", words.join("; or to ")),
    };
    format!("No solution: {}.{other}", cause.unwrap_or("every reachable board was searched"))
}

/// Formats every board along the solution, as many side by side as fit.
fn frames(board: &Board, plan: &Plan<u16>) -> String {
    let letters = board.letters(&plan.0);
    let titles = (1..).zip(letters.chars()).map(|(step, letter)| format!("{step} {letter}"));
    let frames = std::iter::once("start".to_owned()).chain(titles).zip(board.follow(&plan.0));
    let frames: Vec<Vec<String>> = frames.map(|(title, board)| [vec![title], board.lines()].concat()).collect();
    let width = frames[0][1].len().max(6) + 3;
    let mut page = String::new();
    for frames in frames.chunks(((WIDTH - 2) / width).max(1)) {
        page.push('\n');
        for number in 0..frames[0].len() {
            let line: String = frames.iter().map(|frame| format!("{:<width$}", frame[number])).collect();
            let _ = writeln!(page, "  {}", line.trim_end());
        }
    }
    page
}

/// The side of a tile, including the gap to the next.
const TILE: f64 = 48.0;

impl DrawPlan<Taquin> for Taquin {
    /// Draws the board with its tiles, which move along the plan.
    fn picture(&self, board: &Board, plan: Option<&Plan<u16>>) -> Picture {
        let plan = plan.map_or(&[][..], |plan| &plan.0);
        let boards = board.follow(plan);
        let columns = board.shape.columns;
        let sprite = |tile: usize| {
            let place = |board: &Board| {
                let cell = board.tiles.iter().position(|&other| usize::from(other) == tile).expect("tiles stay");
                (TILE * (cell % columns) as f64 + TILE / 2.0, TILE * (cell / columns) as f64 + TILE / 2.0)
            };
            // Tiles with the same goal row share a colour.
            let paint = Paint::Color(Rgb::of_rank(tile / columns));
            let look = Look::Tile { width: TILE - 4.0, height: TILE - 4.0 };
            Sprite::moving(look, paint, board.labels[tile].clone(), boards.iter().map(place).collect())
        };
        let captions = (0..=plan.len()).map(|step| format!("{step} of {}", plan.len())).collect();
        Picture {
            title: native::count(plan.len(), "move", "moves"),
            sprites: (0..board.shape.cells()).filter(|&tile| tile != board.shape.home).map(sprite).collect(),
            captions,
        }
    }
}

impl BoardPieces<Taquin> for Taquin {
    fn pieces(&self, board: &Board) -> Vec<Piece<u16>> {
        let moves = self.moves(board);
        let columns = board.shape.columns;
        let piece = |cell: usize| {
            let (row, column) = (cell / columns, cell % columns);
            let at = [TILE * column as f64, TILE * row as f64, TILE, TILE];
            let words = format!("{}, row {}, column {}", board.label(cell), row + 1, column + 1);
            let cell_moves = moves.iter().filter(|&&other| usize::from(other) == cell);
            Piece { at, words, moves: cell_moves.map(|&action| (action, None)).collect(), pick: None }
        };
        (0..board.shape.cells()).filter(|&cell| cell != board.blank()).map(piece).collect()
    }
}
