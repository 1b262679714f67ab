//! `asp-solve split`: splits a board into a batch so that several machines share its search;
//! `asp-solve merge` combines the results.
//!
//! Every shortest solution passes through one of the boards at distance d from the start, and ends
//! with a shortest solution of that board. So d plus the minimum of the lower bounds of these
//! boards is a lower bound of the original board.

use std::collections::BTreeMap;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::words;
use clap::Args;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::one_player::{OnePlayer, Plan};
use puzzle::{Console, OptionDeclaration, Tool, ToolInput, ToolOutput, only_document};
use serde_json::{Value, json};

use super::board::{Board, Goal};
use super::options::Taquin;
use super::why;

#[derive(Debug, Clone, Copy)]
pub struct Split;

/// Maximum number of boards.
const MAX_BOARDS: usize = 1_000_000;

#[derive(Debug, Clone, Args)]
pub struct SplitOptions {
    /// Sliding tiles: minimum number of boards; the nearest distance with as many boards is chosen
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=MAX_BOARDS as i64))]
    boards: u32,
    /// Sliding tiles: the goal, as solving takes it: free-first, free-last, spiral, or a board in one line
    #[arg(long, value_name = "GOAL")]
    goal: Option<Goal>,
}

impl Tool for Split {
    fn name(&self) -> &'static str {
        "split"
    }

    fn about(&self) -> &'static str {
        "Split a sliding-tile puzzle into a batch of boards, whose results `merge` combines"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<SplitOptions>()
    }

    fn input(&self) -> ToolInput {
        ToolInput::Batch
    }

    fn run(&self, job: &Job, _: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let SplitOptions { boards: min_boards, goal } = &*job.tool_options::<SplitOptions>()?;
        let board = Board::parse(only_document("taquin", job)?, goal.as_ref())?;
        if why::cause(&board).is_some() {
            return Err(Diagnostic::error(
                Code::NoSolution,
                "there is no solution to search for; `asp-solve why` explains why",
            )
            .into());
        }
        let boards = frontier(&board, |_, boards| boards >= *min_boards as usize).ok_or_else(|| {
            Diagnostic::error(Code::Usage, "the search is too small to split").help("--boards N asks for fewer")
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

/// Formats the rows of `board` with `tiles` in place of its own.
fn text(board: &Board, tiles: &[u16]) -> String {
    Board { tiles: tiles.to_vec(), ..board.clone() }.lines().join("\n")
}

/// Returns a blank line and the rows of the goal, or an empty text if the goal is the default one.
fn goal_of(board: &Board) -> String {
    let without_goal = Board::parse(&Document::in_memory("board", text(board, &board.tiles)), None);
    let goal: Vec<u16> = (0..board.tiles.len() as u16).collect();
    if without_goal.is_ok_and(|without_goal| without_goal == *board) {
        String::new()
    } else {
        format!("\n\n{}", text(board, &goal))
    }
}

/// The tiles of each board at some distance, and the first path to it.
type Frontier = BTreeMap<Vec<u16>, Vec<u16>>;

/// Returns the first layer for which `is_enough` returns true, given its distance and size. Returns
/// `None` if the goal is no farther away, or if the layer would exceed [`MAX_BOARDS`].
fn frontier(board: &Board, is_enough: impl Fn(usize, usize) -> bool) -> Option<Frontier> {
    let mut previous = Frontier::new();
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
            let current = Board { tiles: tiles.clone(), ..board.clone() };
            for cell in Taquin.moves(&current) {
                let mut successor = current.clone();
                Taquin.apply(&mut successor, cell).expect("a move of this board");
                if !previous.contains_key(&successor.tiles) {
                    next.entry(successor.tiles).or_insert_with(|| [&path[..], &[cell]].concat());
                }
            }
        }
        previous = std::mem::replace(&mut boards, next);
    }
    Some(boards)
}

/// The combined result for a board that was split.
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
    let error =
        |name: &str, what: String| Failure::from(Diagnostic::error(Code::InvalidReport, format!("{name}: {what}")));
    let string_at = |(name, report): &(String, Value), path: &str| -> Result<String, Failure> {
        let string_at = report.pointer(path).and_then(Value::as_str).map(str::to_owned);
        string_at.ok_or_else(|| error(name, format!("expected a text at {path}, as in the results of split boards")))
    };
    let first = string_at(&reports[0], "/id/board")?;
    let board = Board::parse(&Document::in_memory(format!("{}: /id/board", reports[0].0), &*first), None)?;
    let moves = string_at(&reports[0], "/id/moves")?.len();
    let boards = frontier(&board, |distance, _| distance == moves)
        .ok_or_else(|| error(&reports[0].0, format!("no split has boards that are {moves} moves away")))?;
    let goal = goal_of(&board);
    let check_sum_of = |tiles: &Vec<u16>| crc32fast::hash(format!("{}{goal}", text(&board, tiles)).as_bytes());
    let mut missing: BTreeMap<String, u32> =
        boards.iter().map(|(tiles, path)| (board.letters(path), check_sum_of(tiles))).collect();
    let mut merged =
        MergedResult { boards: missing.len(), path: None, lower_bound: u64::MAX, expanded: 0, generated: 0, board };
    for report in reports {
        let (name, value) = report;
        let letters = string_at(report, "/id/moves")?;
        if string_at(report, "/id/board")? != first {
            return Err(error(name, "/id/board differs from that of the first result".to_owned()));
        }
        let Some(check_sum) = missing.remove(&letters) else {
            return Err(error(
                name,
                format!("the moves {letters} have a second result or do not belong to this split"),
            ));
        };
        // A bound for another board, goal or rule set does not apply.
        if value["check_sum"] != check_sum || value["rules"] != "shipped" || value["statistics"]["goal"] != Value::Null
        {
            return Err(error(
                name,
                format!("is not a result for the board after {letters}, its goal and the built-in rules"),
            ));
        }
        let number = |key: &str| {
            let number = value.pointer(&format!("/statistics/{key}")).and_then(Value::as_u64);
            number.ok_or_else(|| error(name, format!("/statistics/{key} is missing")))
        };
        merged.expanded = merged.expanded.saturating_add(number("expanded")?);
        merged.generated = merged.generated.saturating_add(number("generated")?);
        let lower_bound = (moves as u64).saturating_add(number("lower_bound")?);
        merged.lower_bound = merged.lower_bound.min(lower_bound);
        if value.pointer("/answers/0").is_some() {
            let letters = letters + &string_at(report, "/answers/0/moves")?;
            let path = replay(&merged.board, &letters).map_err(|what| error(name, what))?;
            if (path.len() as u64) < lower_bound {
                return Err(error(name, format!("its solution is shorter than its lower bound, {lower_bound} moves")));
            }
            merged.path = merged.path.into_iter().chain([path]).min_by_key(Vec::len);
        }
    }
    match missing.keys().next() {
        Some(letters) => {
            let [boards, missing] = [merged.boards, missing.len()].map(words::thousands);
            Err(Diagnostic::error(
                Code::InvalidReport,
                format!("{missing} of {boards} boards have no result, such as the one after {letters}"),
            )
            .into())
        }
        None => Ok(merged),
    }
}

/// Converts a solution from letters to cells. The error states where it is invalid.
fn replay(board: &Board, letters: &str) -> Result<Vec<u16>, String> {
    let mut current = board.clone();
    let mut path = Vec::new();
    for letter in letters.chars() {
        let cell = Taquin.moves(&current).into_iter().find(|&cell| current.letters(&[cell]) == letter.to_string());
        let cell = cell.ok_or_else(|| format!("no tile moves {letter} after {} moves", path.len()))?;
        Taquin.apply(&mut current, cell)?;
        path.push(cell);
    }
    Taquin.is_goal(&current).map(|()| path)
}

impl MergedResult {
    fn is_proven(&self) -> bool {
        self.path.as_ref().is_some_and(|path| path.len() as u64 <= self.lower_bound)
    }

    fn json(&self) -> Value {
        let answers: Vec<Value> =
            self.path.iter().map(|path| Taquin.plan_json(&self.board, &Plan(path.clone()))).collect();
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
        let by = format!("by {boards} boards, {expanded} nodes");
        let bound = format!("no solution is shorter than {} (proven {by})", cost(self.lower_bound));
        match &self.path {
            Some(path) => {
                let moves = format!("Tiles move: {}", self.board.letters(path));
                let length = cost(path.len() as u64);
                if self.is_proven() {
                    format!("Solved in {length} (proven optimal {by}).\n{moves}\n")
                } else {
                    format!("Solved in {length}; {bound}.\n{moves}\n")
                }
            }
            None => format!("Not solved yet; {bound}.\n"),
        }
    }
}
