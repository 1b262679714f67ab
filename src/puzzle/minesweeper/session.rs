//! Minesweeper played by hand, from any board, including one in progress.
//!
//! The mines are a layout that fits the visible board, drawn when a cell is first opened. If all
//! cells are closed, the first cell is kept free; otherwise any cell may be a mine. Every layout is
//! equally likely (`sample.rs`).

use std::collections::BTreeSet;

use fastrand::Rng;

use super::adjacency::Topology;
use super::board::Board;
use super::count::Budget;
use super::grid::{Cell, KnownPosition};
use super::play::game::{Click, Game as HiddenGame};
use super::{Answer, Minesweeper, neighbors, sample, text};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::job::Job;
use crate::picture::{Paint, Picture, Sprite};
use crate::play::{PlayQuery, Game, Move, Place, GameView, Rectangle, GameState, no_such_move};
use crate::puzzle::native::count;
use crate::puzzle::playing::solve_for_play;

pub struct Session {
    board: Board,
    job: Job,
    /// The last layout that was drawn, with its seed and first cell.
    drawn: Option<((u64, usize), Vec<bool>)>,
}

/// The state after some moves.
struct SessionState {
    position: KnownPosition,
    /// Flags of the player. Flags of the instance are mines in the position.
    flags: BTreeSet<usize>,
    seed: u64,
    hidden: Option<HiddenGame>,
    state: GameState,
    exploded: Option<usize>,
}

impl Session {
    pub fn new(board: &Board, job: &Job) -> Result<Self, Failure> {
        if board.position.mines.is_none() {
            let text = "the board does not state the number of mines, which is needed to play it";
            return Err(Diagnostic::error(Code::Usage, text).help("add a line `mines N`").into());
        }
        let mut board = board.clone();
        if board.position.adjacency.topology() == Topology::Custom {
            // The neighbourhoods of the open numbers are not enough.
            board.position.adjacency = neighbors::of_all_cells(&board, job)?;
        }
        Ok(Session { board, job: job.clone(), drawn: None })
    }

    /// Returns "3,4", counted from 1, or as in the facts of a program.
    fn name(&self, cell: usize) -> String {
        let [row, column] = self.board.place(cell);
        format!("{row},{column}")
    }

    fn cell_named(&self, name: &str) -> Option<usize> {
        self.board.position.grid.cells().find(|&cell| self.name(cell) == name)
    }

    fn is_closed(&self) -> bool {
        self.board.position.cells.iter().all(|cell| matches!(cell, Cell::Closed | Cell::Wall))
    }

    fn after(&mut self, moves: &[String]) -> Result<SessionState, Failure> {
        let position = self.board.position.clone();
        let mut now =
            SessionState { position, flags: BTreeSet::new(), seed: 1, hidden: None, state: GameState::Open, exploded: None };
        moves.iter().try_for_each(|name| self.make(name, &mut now))?;
        Ok(now)
    }

    fn make(&mut self, name: &str, now: &mut SessionState) -> Result<(), Failure> {
        let wrong = || no_such_move(name);
        let (what, place) = name.split_once(' ').ok_or_else(wrong)?;
        if what == "layout" && now.hidden.is_none() {
            now.seed = place.parse().map_err(|_| wrong())?;
            return Ok(());
        }
        let cell = self.cell_named(place).filter(|_| now.state == GameState::Open).ok_or_else(wrong)?;
        let is_closed = now.position.cells[cell] == Cell::Closed;
        match what {
            "flag" if is_closed => _ = now.flags.insert(cell),
            "unflag" if now.flags.remove(&cell) => {}
            "open" if is_closed && !now.flags.contains(&cell) => self.open(cell, now)?,
            "around" if !now.chord_cells(cell).is_empty() => {
                for near in now.chord_cells(cell) {
                    if now.state == GameState::Open && now.position.cells[near] == Cell::Closed {
                        self.open(near, now)?;
                    }
                }
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }

    fn open(&mut self, cell: usize, now: &mut SessionState) -> Result<(), Failure> {
        if now.hidden.is_none() {
            let mines = self.mines(now.seed, cell)?;
            now.hidden = Some(HiddenGame::resume(&self.board.position, mines));
        }
        let Some(hidden) = &mut now.hidden else { return Ok(()) };
        match hidden.click(cell, &mut Vec::new()) {
            Click::Mine => (now.state, now.exploded) = (GameState::Lost, Some(cell)),
            Click::Won => now.state = GameState::Won,
            Click::Open => {}
        }
        now.position = hidden.position.clone();
        let position = &now.position;
        now.flags.retain(|&flag| position.cells[flag] == Cell::Closed);
        Ok(())
    }

    /// Draws a layout that fits the board, or returns the last one.
    fn mines(&mut self, seed: u64, first: usize) -> Result<Vec<bool>, Failure> {
        let key = (seed, if self.is_closed() { first } else { 0 });
        if let Some((_, mines)) = self.drawn.as_ref().filter(|(known, _)| *known == key) {
            return Ok(mines.clone());
        }
        let mut work = self.board.position.clone();
        let left = work.mines.unwrap_or(0).saturating_sub(work.count(Cell::Mine));
        if self.is_closed() && left < work.count(Cell::Closed) {
            work.cells[first] = Cell::Safe;
        }
        let mines = sample::draw_layout(&work, &mut Rng::with_seed(seed), &Budget::of(&self.job))
            .map_err(|reason| Diagnostic::error(Code::Usage, format!("the mines cannot be placed: {}", reason.words())))?
            .map_err(|_| Diagnostic::error(Code::Usage, "the board is contradictory: no layout of mines fits it"))?;
        self.drawn = Some((key, mines.clone()));
        Ok(mines)
    }

    fn at(&self, cell: usize) -> Rectangle {
        text::cell_rectangle(&self.board, cell)
    }

    fn place(&self, cell: usize, now: &SessionState) -> Place {
        let name = self.name(cell);
        let words = self.board.describe_cell(cell);
        let is_flag = now.flags.contains(&cell);
        let can = |what: &str, words: &str| Move::new(format!("{what} {name}"), words);
        let (is, mut options) = match now.position.cells[cell] {
            Cell::Closed if is_flag => ("a flag".to_owned(), vec![can("unflag", "take the flag away").on_key("f")]),
            Cell::Closed => ("closed".to_owned(), vec![can("open", "open it"), can("flag", "put a flag").on_key("f")]),
            Cell::Open(number) if now.chord_cells(cell).is_empty() => (number.to_string(), Vec::new()),
            Cell::Open(number) => (number.to_string(), vec![can("around", "open all around that have no flag")]),
            _ => ("a mine".to_owned(), Vec::new()),
        };
        if now.state != GameState::Open {
            options.clear();
        }
        let next = (!options.is_empty()).then_some(0);
        Place { at: self.at(cell), words: format!("{words}: {is}"), options, next, ..Place::default() }
    }

    fn picture(&self, now: &SessionState) -> Picture {
        let mut position = now.position.clone();
        for &flag in &now.flags {
            position.cells[flag] = Cell::Mine;
        }
        let is_over = now.state != GameState::Open;
        let shown = Board { position, ..self.board.clone() };
        let mine_at = |cell: usize| is_over && now.hidden.as_ref().is_some_and(|hidden| hidden.is_mine(cell));
        let mut picture =
            text::board_picture(&shown, "minesweeper".to_owned(), String::new(), |cell, sprite| match mine_at(cell) {
                true if Some(cell) == now.exploded => {
                    Sprite { label: "✹".to_owned(), paint: Paint::Heat(1.0), ..sprite }
                }
                true if !now.flags.contains(&cell) => Sprite { label: "✹".to_owned(), ..sprite },
                false if is_over && now.flags.contains(&cell) => {
                    Sprite { label: "×".to_owned(), paint: Paint::Heat(0.5), ..sprite }
                }
                _ => sprite,
            });
        picture.captions = Vec::new();
        picture
    }

    /// Explains the position: a wrong flag, a safe cell, or the best guess.
    fn explain(&self, now: &SessionState, asks: PlayQuery, played: &mut GameView) -> Result<(), Failure> {
        let board = Board { position: now.position.clone(), ..self.board.clone() };
        let solved = solve_for_play(Minesweeper, board.clone(), &self.job)?;
        let Some(answer) = solved.answers.first() else {
            let text = "The numbers contradict each other, or there was no time to find out what they imply.";
            played.because = Some(text.to_owned());
            return Ok(());
        };
        let open = |cell: usize| Move::new(format!("open {}", self.name(cell)), format!("open {}", board.describe_cell(cell)));
        let wrong = now.flags.iter().copied().find(|flag| answer.safe.contains(flag));
        let safe = answer.reasons.iter().map(|reason| reason.cell).find(|cell| answer.safe.contains(cell));
        let best = answer.best.iter().copied().find(|cell| !now.flags.contains(cell));
        let (cell, words) = if let Some(wrong) = wrong {
            let reason = reason(&board, answer, wrong);
            (wrong, format!("The flag at {} is wrong: that cell is safe{reason}.", board.describe_cell(wrong)))
        } else if asks == PlayQuery::Mistake {
            played.words += " No mistake.";
            return Ok(());
        } else if let Some(cell) = safe {
            played.moves = vec![open(cell)];
            (cell, format!("{} is safe{}.", board.describe_cell(cell), reason(&board, answer, cell)))
        } else {
            played.moves = best.into_iter().map(open).collect();
            played.because = Some(text::summary(&board, answer));
            played.marked = best.into_iter().map(|cell| self.at(cell)).collect();
            return Ok(());
        };
        played.marked = vec![self.at(cell)];
        played.because = Some(words);
        Ok(())
    }
}

/// Returns the reason for a cell after ": ", or an empty string.
fn reason(board: &Board, answer: &Answer, cell: usize) -> String {
    let reason = answer.reasons.iter().find(|reason| reason.cell == cell);
    reason.map_or(String::new(), |reason| format!(": {}", text::describe_reason_with_stage(board, reason)))
}

impl SessionState {
    /// The cells that a click on a number opens ("chord"): closed cells without a flag, if the
    /// number has all its flags.
    fn chord_cells(&self, cell: usize) -> Vec<usize> {
        let Cell::Open(number) = self.position.cells[cell] else { return Vec::new() };
        let (flags, left): (Vec<usize>, Vec<usize>) =
            self.position.near(cell, Cell::Closed).partition(|near| self.flags.contains(near));
        let mines = flags.len() + self.position.count_around(cell, Cell::Mine);
        if mines == usize::from(number) { left } else { Vec::new() }
    }
}

impl Game for Session {
    fn look(&mut self, moves: &[String], asks: PlayQuery) -> Result<GameView, Failure> {
        let now = self.after(moves)?;
        let mines = now.position.mines.unwrap_or(0);
        let flags = now.flags.len() + now.position.count(Cell::Mine);
        let left = now.position.count(Cell::Closed) + now.position.count(Cell::Mine) - mines;
        let cells = now.position.cells_where(|cell| cell != Cell::Wall);
        let mut played = GameView {
            picture: Some(self.picture(&now)),
            places: cells.map(|cell| self.place(cell, &now)).collect(),
            state: now.state,
            words: match now.state {
                GameState::Won => "All cells without a mine are open.".to_owned(),
                GameState::Lost => "That was a mine.".to_owned(),
                _ => format!("{}, {}.", count(mines, "mine", "mines"), count(flags, "flag", "flags")),
            },
            ..GameView::default()
        };
        if now.hidden.is_none() {
            let next = now.seed + 1;
            played.moves.push(Move::new(format!("layout {next}"), format!("lay the mines as in game {next}")));
        }
        match asks {
            PlayQuery::Nothing => {}
            _ if now.state != GameState::Open => {}
            PlayQuery::Distance => played.distance = Some(format!("{} left to open.", count(left, "cell is", "cells are"))),
            PlayQuery::Mistake | PlayQuery::Hint => self.explain(&now, asks, &mut played)?,
        }
        Ok(played)
    }
}
