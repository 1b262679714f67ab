//! `asp-solve generate minesweeper`: generates boards, on request boards that need no guess.
//!
//! A board that logic alone solves is found by local search. The solver plays from the first click;
//! where it is stuck, the contents of a closed cell next to the open ones and of another cell are
//! exchanged, and the exchange is accepted if the solver then gets at least as far. The last of
//! these games is the certificate: every cell was opened because no layout had a mine there.

use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::StopReason;
use clap::Args;
use puzzle::job::Job;
use puzzle::{Console, OptionDeclaration, Tool, ToolInput, ToolOutput};

use super::count::Budget;
use super::explain::Stage;
use super::grid::Cell;
use super::play::BoardOptions;
use super::play::bot::{Bot, LogFactorials, Strategy};
use super::play::game::{Click, Game, Setup, Start};
use super::position::KnownPosition;

#[derive(Debug, Clone, Copy)]
pub struct GenerateField;

#[derive(Debug, Clone, Args)]
pub struct FieldGeneratorOptions {
    #[command(flatten)]
    field: BoardOptions,
    /// Row and column of the first click, from 1; an opening [default: the middle]
    #[arg(long, value_name = "R,C", value_parser = parse_cell)]
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

fn parse_cell(text: &str) -> Result<(usize, usize), String> {
    let number = |part: &str| part.trim().parse().ok().filter(|&number: &usize| number > 0);
    let parts = text.split_once(',').and_then(|(row, column)| number(row).zip(number(column)));
    parts.ok_or("expected row,column, counted from 1".to_owned())
}

/// Maximum number of repairs of a board before a new one is drawn.
const MAX_REPAIRS: usize = 2000;
/// Maximum number of boards before the generator gives up.
const MAX_BOARDS: usize = 2000;

impl Tool for GenerateField {
    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a Minesweeper board, as it is after the first click"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<FieldGeneratorOptions>()
    }

    fn input(&self) -> ToolInput {
        ToolInput::Seed
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<FieldGeneratorOptions>()?;
        let setup = options.field.setup(Start::Opening, 0)?;
        let grid = setup.grid;
        let (row, column) = options.first.unwrap_or((grid.rows.div_ceil(2), grid.columns.div_ceil(2)));
        if row > grid.rows || column > grid.columns {
            let text = format!("--first {row},{column}: the board has {} rows of {}", grid.rows, grid.columns);
            return Err(Diagnostic::error(Code::Usage, text).into());
        }
        let first = grid.cell(row - 1, column - 1);
        let mut random = fastrand::Rng::with_seed(job.seed);
        let is_plain = !options.no_guess && options.hardest.is_none();
        let layout = if is_plain {
            Ok(random_layout(&setup, &mut random, first))
        } else {
            find_solvable_layout(&setup, &mut random, first, options.hardest, job, console)
        };
        Ok(match layout {
            Ok(is_mine) => {
                let text = board_text(&setup, &is_mine, first, options.solution);
                ToolOutput::solved(format!("{text}% seed {}; --seed N for another\n", job.seed))
            }
            Err(reason) => ToolOutput::incomplete("no board was found that logic alone solves", String::new(), reason),
        })
    }
}

fn random_layout(setup: &Setup, random: &mut fastrand::Rng, first: usize) -> Vec<bool> {
    let game = setup.game(random, first);
    (0..setup.grid.extent()).map(|cell| game.is_mine(cell)).collect()
}

/// Returns a layout that logic solves from the first click. If `hardest` is given, that stage must
/// be needed.
fn find_solvable_layout(
    setup: &Setup,
    random: &mut fastrand::Rng,
    first: usize,
    hardest: Option<Stage>,
    job: &Job,
    console: &Console<'_>,
) -> Result<Vec<bool>, StopReason> {
    let log_factorials = Arc::new(LogFactorials::new(setup.grid.area()));
    let budget = Budget::of(job);
    let safe_cells = setup.grid.area() - setup.mines;
    for board in 0..MAX_BOARDS {
        (console.progress)(board as u64, MAX_BOARDS as u64);
        let mut layout = random_layout(setup, random, first);
        let mut solved = solve_by_logic(setup, &layout, first, &log_factorials, &budget)?;
        for _ in 0..MAX_REPAIRS {
            if let Some(reason) = job.stop.requested() {
                return Err(reason);
            }
            if solved.open == safe_cells {
                break;
            }
            let Some(repaired) = repair_layout(setup, &layout, &solved.position, first, random) else { break };
            let next = solve_by_logic(setup, &repaired, first, &log_factorials, &budget)?;
            if next.open >= solved.open {
                (layout, solved) = (repaired, next);
            }
        }
        if solved.open == safe_cells && hardest.is_none_or(|hardest| solved.hardest == hardest) {
            return Ok(layout);
        }
    }
    Err(StopReason::AttemptLimit)
}

/// The position that logic reaches, its number of open cells, and the hardest stage that was
/// needed.
struct LogicResult {
    position: KnownPosition,
    open: usize,
    hardest: Stage,
}

/// Opens proven cells without guessing, always by the easiest stage that finds any.
fn solve_by_logic(
    setup: &Setup,
    is_mine: &[bool],
    first: usize,
    log_factorials: &Arc<LogFactorials>,
    budget: &Budget,
) -> Result<LogicResult, StopReason> {
    let mut game = Game::new(setup.grid, is_mine.to_vec());
    let mut bot = Bot::new(Strategy::Article, log_factorials.clone(), budget);
    let mut opened = Vec::new();
    let mut cell = first;
    let mut open = 0;
    loop {
        opened.clear();
        let click = game.click(cell, &mut opened);
        assert!(click != Click::Mine, "what is proven holds, and the first click is kept free");
        open += opened.len();
        if click == Click::Won {
            break;
        }
        match bot.next_certain(&mut game.position, &opened)? {
            Ok(next) => cell = next.cell,
            Err(_) => break,
        }
    }
    Ok(LogicResult { open, hardest: bot.hardest(), position: game.position })
}

/// Exchanges the contents of a closed cell, next to an open one if possible, and of another cell:
/// one is a mine, the other is not.
fn repair_layout(
    setup: &Setup,
    is_mine: &[bool],
    stuck: &KnownPosition,
    first: usize,
    random: &mut fastrand::Rng,
) -> Option<Vec<bool>> {
    let grid = setup.grid;
    let mine_free: Vec<usize> = setup.mine_free_cells(first).collect();
    let closed: Vec<usize> = stuck.cells_of(Cell::Closed).collect();
    let is_next_to_open = |cell: usize| stuck.open_around(cell).next().is_some();
    let frontier: Vec<usize> = closed.iter().copied().filter(|&cell| is_next_to_open(cell)).collect();
    let cell = *random.choice(if frontier.is_empty() { &closed } else { &frontier })?;
    // Usually a closed cell; with probability 1/4 any cell, in case the closed ones are a small
    // pocket.
    let anywhere: Vec<usize> = grid.cells().filter(|cell| !mine_free.contains(cell)).collect();
    let others = if random.u8(..4) == 0 { &anywhere } else { &closed };
    let other = (0..20).filter_map(|_| random.choice(others)).find(|&&other| is_mine[other] != is_mine[cell])?;
    let mut repaired = is_mine.to_vec();
    repaired.swap(cell, *other);
    Some(repaired)
}

/// Returns the board after the first click as text.
fn board_text(setup: &Setup, is_mine: &[bool], first: usize, with_solution: bool) -> String {
    let mut game = Game::new(setup.grid, is_mine.to_vec());
    game.click(first, &mut Vec::new());
    let grid = setup.grid;
    let mut text = format!("mines {}\n", setup.mines);
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
