//! `asp-solve split`: a board as a batch of many, so that machines share its search; `asp-solve merge` adds up what they find.
//!
//! After some moves each shortest solution is at one of the boards that are so many moves away, and ends with a shortest
//! solution of that board. So none is shorter than the least that these boards need.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::{Value, json};

use super::board::{Board, Goal};
use super::{Taquin, Way, why};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::job::Job;
use crate::puzzle::one_player::OnePlayer;
use crate::puzzle::{Console, Done, Tool, has_options, only_document};
use crate::report::Format;
use crate::words;

#[derive(Debug, Clone, Copy)]
pub struct Split;

/// More boards nobody asks for.
const MOST_BOARDS: usize = 1_000_000;

#[derive(Debug, Clone, Args)]
pub struct Options {
    /// At least so many boards: all those that are the fewest moves away of which there are as many
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=MOST_BOARDS as i64))]
    boards: u32,
    /// The goal, as solving takes it: free-first, free-last, or a board in one line
    #[arg(long, value_name = "GOAL")]
    goal: Option<Goal>,
}

impl Tool for Split {
    has_options!(Options);

    fn name(&self) -> &'static str {
        "split"
    }

    fn about(&self) -> &'static str {
        "Split a taquin into a batch of boards, whose results `merge` adds up"
    }

    fn run(&self, job: &Job, _: &mut Console<'_>) -> Result<Done, Failure> {
        let Options { boards: enough, goal } = &*job.options::<Options>();
        let board = Board::parse(only_document("taquin", job)?, goal.as_ref())?;
        if why::cause(&board).is_some() {
            return Err(Diagnostic::error("there is no solution to search for; asp-solve why tells why").into());
        }
        let boards = frontier(&board, |_, boards| boards >= *enough as usize).ok_or_else(|| {
            Diagnostic::error("so few boards lie before the goal that nothing is gained by a split")
                .help("--boards N asks for fewer")
        })?;
        let (whole, goal) = (text(&board, &board.tiles), goal_of(&board));
        let line = |(tiles, way): (&Vec<u16>, &Vec<u16>)| {
            let id = json!({ "board": format!("{whole}{goal}"), "moves": board.letters(way) });
            json!({ "id": id, "instance": format!("{}{goal}", text(&board, tiles)) }).to_string() + "\n"
        };
        Ok(Done::solved(boards.iter().map(line).collect()))
    }

    fn merge(&self, reports: &[(String, Value)], format: Format) -> Option<Result<String, Failure>> {
        Some(merged(reports).map(|sum| match format {
            Format::Json => format!("{:#}\n", sum.json()),
            _ => sum.text(),
        }))
    }
}

/// The rows of a board with other tiles.
fn text(board: &Board, tiles: &[u16]) -> String {
    Board { tiles: tiles.to_vec(), ..board.clone() }.lines().join("\n")
}

/// The rows of the goal behind a blank line, where it is not the one that a board alone has.
fn goal_of(board: &Board) -> String {
    let alone = Board::parse(&Document::in_memory("board", text(board, &board.tiles)), None);
    let goal: Vec<u16> = (0..board.tiles.len() as u16).collect();
    if alone.is_ok_and(|alone| alone == *board) { String::new() } else { format!("\n\n{}", text(board, &goal)) }
}

/// The tiles of boards that are so many moves away, and the first way to each.
type Frontier = BTreeMap<Vec<u16>, Vec<u16>>;

/// The first boards that are enough, by how many moves away they are and how many there are; `None` if the goal is nearer, or
/// more boards than anybody asks for.
fn frontier(board: &Board, is_enough: impl Fn(usize, usize) -> bool) -> Option<Frontier> {
    let (mut before, mut boards) = (Frontier::new(), Frontier::from([(board.tiles.clone(), Vec::new())]));
    let goal: Vec<u16> = (0..board.tiles.len() as u16).collect();
    for moves in 0.. {
        if boards.is_empty() || boards.contains_key(&goal) {
            return None;
        }
        if is_enough(moves, boards.len()) {
            break;
        }
        if boards.len() >= MOST_BOARDS {
            return None;
        }
        let mut next = Frontier::new();
        for (tiles, way) in &boards {
            let here = Board { tiles: tiles.clone(), ..board.clone() };
            for cell in Taquin.moves(&here) {
                let mut there = here.clone();
                Taquin.make(&mut there, cell).expect("a move of this board");
                if !before.contains_key(&there.tiles) {
                    next.entry(there.tiles).or_insert_with(|| [&way[..], &[cell]].concat());
                }
            }
        }
        before = std::mem::replace(&mut boards, next);
    }
    Some(boards)
}

/// What the results of all boards say of the one that was split.
struct Sum {
    board: Board,
    boards: usize,
    /// The shortest solution that was found.
    way: Option<Vec<u16>>,
    lower_bound: u64,
    expanded: u64,
    generated: u64,
}

fn merged(reports: &[(String, Value)]) -> Result<Sum, Failure> {
    let wrong = |name: &str, what: String| Failure::from(Diagnostic::error(format!("{name}: {what}")));
    let word = |(name, report): &(String, Value), path: &str| -> Result<String, Failure> {
        let word = report.pointer(path).and_then(Value::as_str).map(str::to_owned);
        word.ok_or_else(|| wrong(name, format!("{path} is no text, as the results of split boards have it")))
    };
    let first = word(&reports[0], "/id/board")?;
    let board = Board::parse(&Document::in_memory(format!("{}: /id/board", reports[0].0), &*first), None)?;
    let moves = word(&reports[0], "/id/moves")?.len();
    let boards = frontier(&board, |made, _| made == moves)
        .ok_or_else(|| wrong(&reports[0].0, format!("no split has boards that are {moves} moves away")))?;
    let goal = goal_of(&board);
    let sum_of = |tiles: &Vec<u16>| crc32fast::hash(format!("{}{goal}", text(&board, tiles)).as_bytes());
    let mut left: BTreeMap<String, u32> =
        boards.iter().map(|(tiles, way)| (board.letters(way), sum_of(tiles))).collect();
    let mut sum = Sum { boards: left.len(), way: None, lower_bound: u64::MAX, expanded: 0, generated: 0, board };
    for report in reports {
        let (name, value) = report;
        let letters = word(report, "/id/moves")?;
        if word(report, "/id/board")? != first {
            return Err(wrong(name, "/id/board is another one than before".to_owned()));
        }
        let Some(check_sum) = left.remove(&letters) else {
            return Err(wrong(name, format!("a second result of the moves {letters}, or none of this split")));
        };
        // A bound for another board, another goal or other rules is none for this one.
        if value["check_sum"] != check_sum || value["rules"] != "shipped" || value["statistics"]["goal"] != Value::Null
        {
            return Err(wrong(name, format!("is not about the board after {letters}, its goal and the usual rules")));
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
            let way = replayed(&sum.board, &letters).map_err(|what| wrong(name, what))?;
            if (way.len() as u64) < lower_bound {
                return Err(wrong(name, format!("its solution is shorter than {lower_bound} moves, its bound")));
            }
            sum.way = sum.way.into_iter().chain([way]).min_by_key(Vec::len);
        }
    }
    match left.keys().next() {
        Some(letters) => {
            let [boards, left] = [sum.boards, left.len()].map(words::thousands);
            Err(Diagnostic::error(format!("{left} of {boards} boards have no result, such as the one after {letters}"))
                .into())
        }
        None => Ok(sum),
    }
}

/// The cells of a solution that letters tell.
fn replayed(board: &Board, letters: &str) -> Result<Vec<u16>, String> {
    let (mut here, mut way) = (board.clone(), Vec::new());
    for letter in letters.chars() {
        let cell = Taquin.moves(&here).into_iter().find(|&cell| here.letters(&[cell]) == letter.to_string());
        let cell = cell.ok_or_else(|| format!("no tile moves {letter} after {} moves", way.len()))?;
        Taquin.make(&mut here, cell)?;
        way.push(cell);
    }
    Taquin.is_goal(&here).map(|()| way)
}

impl Sum {
    fn is_proven(&self) -> bool {
        self.way.as_ref().is_some_and(|way| way.len() as u64 <= self.lower_bound)
    }

    fn json(&self) -> Value {
        let answers: Vec<Value> = self.way.iter().map(|way| Taquin.json(&self.board, &Way(way.clone()))).collect();
        json!({
            "schema": 1,
            "puzzle": "taquin",
            "boards": self.boards,
            "answers": answers,
            "verdict": if self.way.is_some() { "solved" } else { "gave-up" },
            "complete": self.is_proven(),
            "statistics": { "lower_bound": self.lower_bound, "expanded": self.expanded, "generated": self.generated },
        })
    }

    fn text(&self) -> String {
        let cost = |moves: u64| Taquin::WORDS.cost(moves);
        let [boards, expanded] = [self.boards as u64, self.expanded].map(words::thousands);
        let by = format!("proven by {boards} boards ({expanded} nodes)");
        let bound = format!("no solution is shorter than {}: {by}", cost(self.lower_bound));
        match &self.way {
            Some(way) => {
                let moves = format!("Tiles move: {}", self.board.letters(way));
                let length = cost(way.len() as u64);
                match self.is_proven() {
                    true => format!("Solved in {length}, and no solution is shorter: {by}.\n{moves}\n"),
                    false => format!("Solved in {length}; {bound}.\n{moves}\n"),
                }
            }
            None => format!("Not solved yet; {bound}.\n"),
        }
    }
}
