//! `asp-solve split`: splits a board into a batch so that several machines share its search;
//! `asp-solve merge` combines the results.
//!
//! Every shortest solution passes through one of the boards at distance d from the start, and ends
//! with a shortest solution of that board. The lower bounds of these boards therefore give one for
//! the whole: d plus their minimum.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::{Value, json};

use super::board::{Board, Goal};
use super::{Taquin, Plan, why};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::Document;
use crate::job::Job;
use crate::puzzle::one_player::OnePlayer;
use crate::puzzle::{Console, ToolOutput, Tool, has_options, only_document};
use crate::report::Format;
use crate::words;

#[derive(Debug, Clone, Copy)]
pub struct Split;

/// Maximum number of boards.
const MAX_BOARDS: usize = 1_000_000;

#[derive(Debug, Clone, Args)]
pub struct SplitOptions {
    /// Minimum number of boards: the nearest distance with as many boards is chosen
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=MAX_BOARDS as i64))]
    boards: u32,
    /// The goal, as solving takes it: free-first, free-last, or a board in one line
    #[arg(long, value_name = "GOAL")]
    goal: Option<Goal>,
}

impl Tool for Split {
    has_options!(SplitOptions);

    fn name(&self) -> &'static str {
        "split"
    }

    fn about(&self) -> &'static str {
        "Split a sliding-tile puzzle into a batch of boards, whose results `merge` combines"
    }

    fn run(&self, job: &Job, _: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let SplitOptions { boards: enough, goal } = &*job.options::<SplitOptions>();
        let board = Board::parse(only_document("taquin", job)?, goal.as_ref())?;
        if why::cause(&board).is_some() {
            return Err(Diagnostic::error(Code::NoSolution, "there is no solution to search for; `asp-solve why` explains why").into());
        }
        let boards = frontier(&board, |_, boards| boards >= *enough as usize).ok_or_else(|| {
            Diagnostic::error(Code::Usage, "the search is too small to split")
                .help("--boards N asks for fewer")
        })?;
        let whole = text(&board, &board.tiles);
        let goal = goal_of(&board);
        let line = |(tiles, path): (&Vec<u16>, &Vec<u16>)| {
            let id = json!({ "board": format!("{whole}{goal}"), "moves": board.letters(path) });
            json!({ "id": id, "instance": format!("{}{goal}", text(&board, tiles)) }).to_string() + "\n"
        };
        Ok(ToolOutput::solved(boards.iter().map(line).collect()))
    }

    fn merge(&self, reports: &[(String, Value)], format: Format) -> Option<Result<String, Failure>> {
        Some(merge_reports(reports).map(|sum| match format {
            Format::Json => format!("{:#}\n", sum.json()),
            _ => sum.text(),
        }))
    }
}

/// The rows of a board with other tiles.
fn text(board: &Board, tiles: &[u16]) -> String {
    Board { tiles: tiles.to_vec(), ..board.clone() }.lines().join("\n")
}

/// The rows of the goal after a blank line; empty if the goal is the default one.
fn goal_of(board: &Board) -> String {
    let alone = Board::parse(&Document::in_memory("board", text(board, &board.tiles)), None);
    let goal: Vec<u16> = (0..board.tiles.len() as u16).collect();
    if alone.is_ok_and(|alone| alone == *board) { String::new() } else { format!("\n\n{}", text(board, &goal)) }
}

/// The tiles of the boards at some distance, and the first path to each.
type Frontier = BTreeMap<Vec<u16>, Vec<u16>>;

/// The first layer that `is_enough` accepts, given its distance and size. `None` if the goal is
/// nearer, or the layer would exceed [`MAX_BOARDS`].
fn frontier(board: &Board, is_enough: impl Fn(usize, usize) -> bool) -> Option<Frontier> {
    let mut before = Frontier::new();
    let mut boards = Frontier::from([(board.tiles.clone(), Vec::new())]);
    let goal: Vec<u16> = (0..board.tiles.len() as u16).collect();
    for moves in 0.. {
        if boards.is_empty() || boards.contains_key(&goal) {
            return None;
        }
        if is_enough(moves, boards.len()) {
            break;
        }
        if boards.len() >= MAX_BOARDS {
            return None;
        }
        let mut next = Frontier::new();
        for (tiles, path) in &boards {
            let here = Board { tiles: tiles.clone(), ..board.clone() };
            for cell in Taquin.moves(&here) {
                let mut there = here.clone();
                Taquin.apply(&mut there, cell).expect("a move of this board");
                if !before.contains_key(&there.tiles) {
                    next.entry(there.tiles).or_insert_with(|| [&path[..], &[cell]].concat());
                }
            }
        }
        before = std::mem::replace(&mut boards, next);
    }
    Some(boards)
}

/// The combined results for the board that was split.
struct MergedResult {
    board: Board,
    boards: usize,
    /// The shortest solution found.
    path: Option<Vec<u16>>,
    lower_bound: u64,
    expanded: u64,
    generated: u64,
}

fn merge_reports(reports: &[(String, Value)]) -> Result<MergedResult, Failure> {
    let wrong = |name: &str, what: String| Failure::from(Diagnostic::error(Code::InvalidReport, format!("{name}: {what}")));
    let word = |(name, report): &(String, Value), path: &str| -> Result<String, Failure> {
        let word = report.pointer(path).and_then(Value::as_str).map(str::to_owned);
        word.ok_or_else(|| wrong(name, format!("expected a text at {path}, as in the results of split boards")))
    };
    let first = word(&reports[0], "/id/board")?;
    let board = Board::parse(&Document::in_memory(format!("{}: /id/board", reports[0].0), &*first), None)?;
    let moves = word(&reports[0], "/id/moves")?.len();
    let boards = frontier(&board, |made, _| made == moves)
        .ok_or_else(|| wrong(&reports[0].0, format!("no split has boards that are {moves} moves away")))?;
    let goal = goal_of(&board);
    let sum_of = |tiles: &Vec<u16>| crc32fast::hash(format!("{}{goal}", text(&board, tiles)).as_bytes());
    let mut left: BTreeMap<String, u32> =
        boards.iter().map(|(tiles, path)| (board.letters(path), sum_of(tiles))).collect();
    let mut sum = MergedResult { boards: left.len(), path: None, lower_bound: u64::MAX, expanded: 0, generated: 0, board };
    for report in reports {
        let (name, value) = report;
        let letters = word(report, "/id/moves")?;
        if word(report, "/id/board")? != first {
            return Err(wrong(name, "/id/board differs from that of the first result".to_owned()));
        }
        let Some(check_sum) = left.remove(&letters) else {
            return Err(wrong(name, format!("the moves {letters} have a second result or do not belong to this split")));
        };
        // A bound for another board, goal or rule set does not apply.
        if value["check_sum"] != check_sum || value["rules"] != "shipped" || value["statistics"]["goal"] != Value::Null
        {
            return Err(wrong(name, format!("is not a result for the board after {letters}, its goal and the built-in rules")));
        }
        let number = |key: &str| {
            let number = value.pointer(&format!("/statistics/{key}")).and_then(Value::as_u64);
            number.ok_or_else(|| wrong(name, format!("/statistics/{key} is missing")))
        };
        sum.expanded = sum.expanded.saturating_add(number("expanded")?);
        sum.generated = sum.generated.saturating_add(number("generated")?);
        let lower_bound = (moves as u64).saturating_add(number("lower_bound")?);
        sum.lower_bound = sum.lower_bound.min(lower_bound);
        if value.pointer("/answers/0").is_some() {
            let letters = letters + &word(report, "/answers/0/moves")?;
            let path = replay(&sum.board, &letters).map_err(|what| wrong(name, what))?;
            if (path.len() as u64) < lower_bound {
                return Err(wrong(name, format!("its solution is shorter than its lower bound, {lower_bound} moves")));
            }
            sum.path = sum.path.into_iter().chain([path]).min_by_key(Vec::len);
        }
    }
    match left.keys().next() {
        Some(letters) => {
            let [boards, left] = [sum.boards, left.len()].map(words::thousands);
            Err(Diagnostic::error(Code::InvalidReport, format!("{left} of {boards} boards have no result, such as the one after {letters}"))
                .into())
        }
        None => Ok(sum),
    }
}

/// The cells of a solution given as letters; the error says where it is invalid.
fn replay(board: &Board, letters: &str) -> Result<Vec<u16>, String> {
    let mut here = board.clone();
    let mut path = Vec::new();
    for letter in letters.chars() {
        let cell = Taquin.moves(&here).into_iter().find(|&cell| here.letters(&[cell]) == letter.to_string());
        let cell = cell.ok_or_else(|| format!("no tile moves {letter} after {} moves", path.len()))?;
        Taquin.apply(&mut here, cell)?;
        path.push(cell);
    }
    Taquin.is_goal(&here).map(|()| path)
}

impl MergedResult {
    fn is_proven(&self) -> bool {
        self.path.as_ref().is_some_and(|path| path.len() as u64 <= self.lower_bound)
    }

    fn json(&self) -> Value {
        let answers: Vec<Value> = self.path.iter().map(|path| Taquin.json(&self.board, &Plan(path.clone()))).collect();
        json!({
            "schema": 1,
            "puzzle": "taquin",
            "boards": self.boards,
            "answers": answers,
            "verdict": if self.path.is_some() { "solved" } else { "gave-up" },
            "complete": self.is_proven(),
            "statistics": { "lower_bound": self.lower_bound, "expanded": self.expanded, "generated": self.generated },
        })
    }

    fn text(&self) -> String {
        let cost = |moves: u64| Taquin::WORDS.cost(moves);
        let [boards, expanded] = [self.boards as u64, self.expanded].map(words::thousands);
        let by = format!("proven by {boards} boards ({expanded} nodes)");
        let bound = format!("no solution is shorter than {}: {by}", cost(self.lower_bound));
        match &self.path {
            Some(path) => {
                let moves = format!("Tiles move: {}", self.board.letters(path));
                let length = cost(path.len() as u64);
                if self.is_proven() {
                    format!("Solved in {length}, and no solution is shorter: {by}.\n{moves}\n")
                } else {
                    format!("Solved in {length}; {bound}.\n{moves}\n")
                }
            }
            None => format!("Not solved yet; {bound}.\n"),
        }
    }
}
