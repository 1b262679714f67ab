//! `asp-solve generate minesweeper`: boards, and boards that need no guess.
//!
//! A board that logic alone solves is found by mending one that it does not: the solver plays from the first click; where it is
//! stuck, one mine next to what is open changes places with a cell further off, and what gets further, or as far, is kept.
//! The certificate is the last of these plays itself: every cell was opened because no layout had a mine there.

use std::sync::Arc;

use clap::Args;

use super::count::Budget;
use super::explain::Stage;
use super::grid::{Cell, Position};
use super::play::Field;
use super::play::bot::{Bot, Factorials, Strategy};
use super::play::game::{Click, Game, Setup, Start};
use crate::diagnostic::{Diagnostic, Failure};
use crate::job::Job;
use crate::puzzle::{Console, Done, Takes, Tool, has_options};
use crate::stop::Reason;

#[derive(Debug, Clone, Copy)]
pub struct Generate;

#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    field: Field,
    /// Row and column of the first click, from 1; an opening [default: the middle]
    #[arg(long, value_name = "R,C", value_parser = place)]
    first: Option<(usize, usize)>,
    /// Solvable by logic from the first click
    #[arg(long)]
    no_guess: bool,
    /// Like --no-guess, and this is the hardest stage of reasoning needed
    #[arg(long, value_enum, value_name = "STAGE")]
    hardest: Option<Stage>,
    /// Include the layout, in lines that begin with %
    #[arg(long)]
    solution: bool,
}

fn place(text: &str) -> Result<(usize, usize), String> {
    let number = |part: &str| part.trim().parse().ok().filter(|&number: &usize| number > 0);
    let parts = text.split_once(',').and_then(|(row, column)| number(row).zip(number(column)));
    parts.ok_or("expected row,column, counted from 1".to_owned())
}

/// Mends of one board before another is begun.
const MENDS: usize = 2000;
/// Boards that are begun before it is given up.
const BOARDS: usize = 2000;

impl Tool for Generate {
    has_options!(Options);

    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a Minesweeper board, as it is after the first click"
    }

    fn takes(&self) -> Takes {
        Takes::Seed
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<Done, Failure> {
        let options = &*job.options::<Options>();
        let rules = options.field.rules(Start::Opening, 0)?;
        let grid = rules.grid;
        let (row, column) = options.first.unwrap_or((grid.rows.div_ceil(2), grid.columns.div_ceil(2)));
        if row > grid.rows || column > grid.columns {
            let text = format!("--first {row},{column}: the board has {} rows of {}", grid.rows, grid.columns);
            return Err(Diagnostic::error(text).into());
        }
        let first = grid.cell(row - 1, column - 1);
        let mut random = fastrand::Rng::with_seed(job.seed);
        let is_plain = !options.no_guess && options.hardest.is_none();
        let layout = if is_plain {
            Ok(mines(&rules, &mut random, first))
        } else {
            solvable(&rules, &mut random, first, options.hardest, job, console)
        };
        Ok(match layout {
            Ok(is_mine) => Done::solved(written(&rules, &is_mine, first, options.solution)),
            Err(reason) => Done::short_of("no board was found that logic alone solves", String::new(), reason),
        })
    }
}

fn mines(rules: &Setup, random: &mut fastrand::Rng, first: usize) -> Vec<bool> {
    let game = rules.game(random, first);
    (0..rules.grid.extent()).map(|cell| game.is_mine(cell)).collect()
}

/// A layout that logic solves from the first click, and not without the stage `hardest`.
fn solvable(
    rules: &Setup,
    random: &mut fastrand::Rng,
    first: usize,
    hardest: Option<Stage>,
    job: &Job,
    console: &Console<'_>,
) -> Result<Vec<bool>, Reason> {
    let (logarithms, budget) = (Arc::new(Factorials::new(rules.grid.area())), Budget::of(job));
    let all = rules.grid.area() - rules.mines;
    for board in 0..BOARDS {
        (console.progress)(board as u64, BOARDS as u64);
        let mut layout = mines(rules, random, first);
        let mut solved = solve(rules, &layout, first, &logarithms, &budget)?;
        for _ in 0..MENDS {
            if let Some(reason) = job.stop.requested() {
                return Err(reason);
            }
            if solved.open == all {
                break;
            }
            let Some(mended) = mended(rules, &layout, &solved.position, first, random) else { break };
            let next = solve(rules, &mended, first, &logarithms, &budget)?;
            if next.open >= solved.open {
                (layout, solved) = (mended, next);
            }
        }
        if solved.open == all && hardest.is_none_or(|hardest| solved.hardest == hardest) {
            return Ok(layout);
        }
    }
    Err(Reason::Attempts)
}

/// How far logic comes.
struct Solved {
    position: Position,
    open: usize,
    /// The hardest stage that was needed.
    hardest: Stage,
}

/// Opens what is proven, with the easiest stage that finds anything, and guesses nothing.
fn solve(
    rules: &Setup,
    is_mine: &[bool],
    first: usize,
    logarithms: &Arc<Factorials>,
    budget: &Budget,
) -> Result<Solved, Reason> {
    let mut game = Game::new(rules.grid, is_mine.to_vec());
    let mut bot = Bot::new(Strategy::Article, logarithms.clone(), budget);
    let (mut opened, mut cell, mut open) = (Vec::new(), first, 0);
    loop {
        opened.clear();
        let click = game.click(cell, &mut opened);
        assert!(click != Click::Mine, "what is proven holds, and the first click is kept free");
        open += opened.len();
        if click == Click::Won {
            break;
        }
        match bot.certain(&mut game.position, &opened)? {
            Ok(next) => cell = next.cell,
            Err(_) => break,
        }
    }
    Ok(Solved { open, hardest: bot.hardest(), position: game.position })
}

/// The layout with one mine moved: from the closed cells next to what is open to any other closed cell, or the other way.
fn mended(
    rules: &Setup,
    is_mine: &[bool],
    stuck: &Position,
    first: usize,
    random: &mut fastrand::Rng,
) -> Option<Vec<bool>> {
    let grid = rules.grid;
    let kept: Vec<usize> = rules.kept_free(first).collect();
    let closed: Vec<usize> = stuck.all(Cell::Closed).collect();
    let is_near = |cell: usize| stuck.open_around(cell).next().is_some();
    let near: Vec<usize> = closed.iter().copied().filter(|&cell| is_near(cell)).collect();
    let one = *random.choice(if near.is_empty() { &closed } else { &near })?;
    // Mostly within what is closed; now and then, where that is a small pocket, anywhere.
    let anywhere: Vec<usize> = grid.cells().filter(|cell| !kept.contains(cell)).collect();
    let others = if random.u8(..4) == 0 { &anywhere } else { &closed };
    let other = (0..20).filter_map(|_| random.choice(others)).find(|&&other| is_mine[other] != is_mine[one])?;
    let mut mended = is_mine.to_vec();
    mended.swap(one, *other);
    Some(mended)
}

/// The board after the first click, as a text.
fn written(rules: &Setup, is_mine: &[bool], first: usize, with_solution: bool) -> String {
    let mut game = Game::new(rules.grid, is_mine.to_vec());
    game.click(first, &mut Vec::new());
    let grid = rules.grid;
    let mut text = format!("mines {}\n", rules.mines);
    for row in 0..grid.rows {
        for column in 0..grid.columns {
            text.push(match game.position.cells[grid.cell(row, column)] {
                Cell::Open(0) => '.',
                Cell::Open(number) => char::from(b'0' + number),
                _ => '?',
            });
        }
        text.push('\n');
    }
    if with_solution {
        text.push_str("% The mines:\n");
        for row in 0..grid.rows {
            text.push_str("% ");
            text.extend((0..grid.columns).map(|column| if is_mine[grid.cell(row, column)] { '*' } else { '.' }));
            text.push('\n');
        }
    }
    text
}
