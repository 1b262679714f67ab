//! Minesweeper played by hand, from any board, including that of a game in progress.
//!
//! The mines are a layout that fits the visible board, drawn when a cell is first opened. If all
//! cells are closed, the first cell is kept free; otherwise any cell may be a mine. Every layout is
//! equally likely (`sample.rs`).

use std::collections::BTreeSet;
use std::sync::Arc;

use ::play::{Game, GameState, GameView, Move, Place, PlayQuery, Rectangle, no_such_move};
use base::diagnostic::{Code, Diagnostic, Failure};
use fastrand::Rng;
use picture::{Paint, Picture, Sprite};
use puzzle::Playable;
use puzzle::job::Job;
use puzzle::native::count;
use puzzle::playing::solve_for_play;

use super::adjacency::Topology;
use super::board::Board;
use super::count::Budget;
use super::grid::Cell;
use super::play::game::{Click, Game as HiddenGame};
use super::position::KnownPosition;
use super::probability::{Likelihood, has_prior, likelihood};
use super::text_board::TOTAL_HELP;
use super::{Answer, Minesweeper, neighbors, sample, text};

pub struct Session {
    board: Board,
    job: Job,
    /// The last layout that was drawn, with its seed and first cell.
    drawn: Option<((u64, usize), Vec<bool>)>,
}

impl Playable<Minesweeper> for Minesweeper {
    fn game(&self, board: &Arc<Board>, job: &Job) -> Result<Box<dyn Game>, Failure> {
        Ok(Box::new(Session::new(board, job)?))
    }
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
        let mut board = board.clone();
        if !has_prior(&board.position)
            && let Ok(Ok(Likelihood { mines: [least, most], .. })) = likelihood(&board.position, &Budget::of(job))
            && least == most
        {
            board.position.mines = Some(least);
        }
        if !has_prior(&board.position) {
            let text = "the board does not state the number of mines, which is needed to play it";
            return Err(Diagnostic::error(Code::InvalidInstance, text).help(TOTAL_HELP).into());
        }
        if board.position.adjacency.topology() == Topology::Custom {
            // The neighbourhoods of the open numbers alone are not enough.
            board.position.adjacency = neighbors::of_all_cells(&board, job)?;
        }
        Ok(Session { board, job: job.clone(), drawn: None })
    }

    /// Formats a cell as "3,4", counted from 1, or as in the facts of a program.
    fn name(&self, cell: usize) -> String {
        let [row, column] = self.board.coordinates(cell);
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
        let mut current = SessionState {
            position,
            flags: BTreeSet::new(),
            seed: 1,
            hidden: None,
            state: GameState::Open,
            exploded: None,
        };
        moves.iter().try_for_each(|name| self.make(name, &mut current))?;
        Ok(current)
    }

    fn make(&mut self, name: &str, current: &mut SessionState) -> Result<(), Failure> {
        let error = || no_such_move(name);
        let (action, place) = name.split_once(' ').ok_or_else(error)?;
        if action == "layout" && current.hidden.is_none() {
            current.seed = place.parse().map_err(|_| error())?;
            return Ok(());
        }
        let cell = self.cell_named(place).filter(|_| current.state == GameState::Open).ok_or_else(error)?;
        let is_closed = current.position.cells[cell] == Cell::Closed;
        match action {
            "flag" if is_closed => _ = current.flags.insert(cell),
            "unflag" if current.flags.remove(&cell) => {}
            "open" if is_closed && !current.flags.contains(&cell) => self.open(cell, current)?,
            "around" if !current.chord_cells(cell).is_empty() => {
                for neighbor in current.chord_cells(cell) {
                    if current.state == GameState::Open && current.position.cells[neighbor] == Cell::Closed {
                        self.open(neighbor, current)?;
                    }
                }
            }
            _ => return Err(error()),
        }
        Ok(())
    }

    fn open(&mut self, cell: usize, current: &mut SessionState) -> Result<(), Failure> {
        if current.hidden.is_none() {
            let mines = self.mines(current.seed, cell)?;
            current.hidden = Some(HiddenGame::resume(&self.board.position, mines));
        }
        let Some(hidden) = &mut current.hidden else { return Ok(()) };
        match hidden.click(cell, &mut Vec::new()) {
            Click::Mine => (current.state, current.exploded) = (GameState::Lost, Some(cell)),
            Click::Won => current.state = GameState::Won,
            Click::Open => {}
        }
        current.position = hidden.position.clone();
        let position = &current.position;
        current.flags.retain(|&flag| position.cells[flag] == Cell::Closed);
        Ok(())
    }

    /// Draws a layout that fits the board, or returns the last one if its seed and first cell are
    /// the same.
    fn mines(&mut self, seed: u64, first: usize) -> Result<Vec<bool>, Failure> {
        let key = (seed, if self.is_closed() { first } else { 0 });
        if let Some((_, mines)) = self.drawn.as_ref().filter(|(known, _)| *known == key) {
            return Ok(mines.clone());
        }
        let mut work = self.board.position.clone();
        let mines_left = work.mines.map(|mines| mines.saturating_sub(work.count(Cell::Mine)));
        if self.is_closed() && mines_left.is_none_or(|mines_left| mines_left < work.count(Cell::Closed)) {
            work.cells[first] = Cell::Safe;
        }
        let mines = sample::draw_layout(&work, &mut Rng::with_seed(seed), &Budget::of(&self.job))
            .map_err(|reason| {
                Diagnostic::error(Code::Usage, format!("the mines cannot be placed: {}", reason.words()))
            })?
            .map_err(|_| Diagnostic::error(Code::Usage, "the board is contradictory: no layout of mines fits it"))?;
        self.drawn = Some((key, mines.clone()));
        Ok(mines)
    }

    fn at(&self, cell: usize) -> Rectangle {
        text::cell_rectangle(&self.board, cell)
    }

    fn place(&self, cell: usize, current: &SessionState) -> Place {
        let name = self.name(cell);
        let words = self.board.describe_cell(cell);
        let is_flag = current.flags.contains(&cell);
        let option = |what: &str, words: &str| Move::new(format!("{what} {name}"), words);
        let (content, mut options) = match current.position.cells[cell] {
            Cell::Closed if is_flag => ("a flag".to_owned(), vec![option("unflag", "take the flag away").on_key("f")]),
            Cell::Closed => {
                ("closed".to_owned(), vec![option("open", "open it"), option("flag", "put a flag").on_key("f")])
            }
            Cell::Open(number) if current.chord_cells(cell).is_empty() => (number.to_string(), Vec::new()),
            Cell::Open(number) => (number.to_string(), vec![option("around", "open all around that have no flag")]),
            _ => ("a mine".to_owned(), Vec::new()),
        };
        if current.state != GameState::Open {
            options.clear();
        }
        let next = (!options.is_empty()).then_some(0);
        Place { at: self.at(cell), words: format!("{words}: {content}"), options, next, ..Place::default() }
    }

    fn picture(&self, current: &SessionState) -> Picture {
        let mut position = current.position.clone();
        for &flag in &current.flags {
            position.cells[flag] = Cell::Mine;
        }
        let is_over = current.state != GameState::Open;
        let shown = Board { position, ..self.board.clone() };
        let mine_at = |cell: usize| is_over && current.hidden.as_ref().is_some_and(|hidden| hidden.is_mine(cell));
        let mut picture =
            text::board_picture(&shown, "minesweeper".to_owned(), String::new(), |cell, sprite| match mine_at(cell) {
                true if Some(cell) == current.exploded => {
                    Sprite { label: "✹".to_owned(), paint: Paint::Heat(1.0), ..sprite }
                }
                true if !current.flags.contains(&cell) => Sprite { label: "✹".to_owned(), ..sprite },
                false if is_over && current.flags.contains(&cell) => {
                    Sprite { label: "×".to_owned(), paint: Paint::Heat(0.5), ..sprite }
                }
                _ => sprite,
            });
        picture.captions = Vec::new();
        picture
    }

    /// Explains the position: a wrong flag, a safe cell, or the best guess.
    fn explain(&self, current: &SessionState, query: PlayQuery, view: &mut GameView) -> Result<(), Failure> {
        let board = Board { position: current.position.clone(), ..self.board.clone() };
        let solved = solve_for_play(Minesweeper, board.clone(), &self.job)?;
        let Some(answer) = solved.answers.first() else {
            let text = "The numbers contradict each other, or there was no time to find out what they imply.";
            view.explanation = Some(text.to_owned());
            return Ok(());
        };
        let open =
            |cell: usize| Move::new(format!("open {}", self.name(cell)), format!("open {}", board.describe_cell(cell)));
        let wrong_flag = current.flags.iter().copied().find(|flag| answer.safe.contains(flag));
        let safe = answer.reasons.iter().map(|reason| reason.cell).find(|cell| answer.safe.contains(cell));
        let best = answer.best.iter().copied().find(|cell| !current.flags.contains(cell));
        let (cell, words) = if let Some(wrong_flag) = wrong_flag {
            let reason = reason(&board, answer, wrong_flag);
            (
                wrong_flag,
                format!("The flag at {} is wrong: that cell is safe{reason}.", board.describe_cell(wrong_flag)),
            )
        } else if query == PlayQuery::Mistake {
            view.words += " No mistake.";
            return Ok(());
        } else if let Some(cell) = safe {
            view.moves = vec![open(cell)];
            (cell, format!("{} is safe{}.", board.describe_cell(cell), reason(&board, answer, cell)))
        } else {
            view.moves = best.into_iter().map(open).collect();
            view.explanation = Some(text::summary(&board, answer));
            view.marked = best.into_iter().map(|cell| self.at(cell)).collect();
            return Ok(());
        };
        view.marked = vec![self.at(cell)];
        view.explanation = Some(words);
        Ok(())
    }
}

/// Returns the reason for a cell after ": ", or an empty string.
fn reason(board: &Board, answer: &Answer, cell: usize) -> String {
    let reason = answer.reasons.iter().find(|reason| reason.cell == cell);
    reason.map_or(String::new(), |reason| format!(": {}", text::describe_reason_with_stage(board, reason)))
}

impl SessionState {
    /// Returns the cells that a click on a number opens ("chord"): closed cells without a flag, if
    /// the number has all its flags.
    fn chord_cells(&self, cell: usize) -> Vec<usize> {
        let Cell::Open(number) = self.position.cells[cell] else { return Vec::new() };
        let (flags, unflagged): (Vec<usize>, Vec<usize>) =
            self.position.cells_around(cell, Cell::Closed).partition(|neighbor| self.flags.contains(neighbor));
        let mines = flags.len() + self.position.count_around(cell, Cell::Mine);
        if mines == usize::from(number) { unflagged } else { Vec::new() }
    }
}

impl Game for Session {
    fn view_after(&mut self, moves: &[String], query: PlayQuery) -> Result<GameView, Failure> {
        let current = self.after(moves)?;
        let mines = match (current.position.mines, current.position.density) {
            (None, Some(density)) => format!("{density} mines"),
            (mines, _) => count(mines.unwrap_or(0), "mine", "mines"),
        };
        let flags = current.flags.len() + current.position.count(Cell::Mine);
        let covered = current.position.count(Cell::Closed) + current.position.count(Cell::Mine);
        let cells = current.position.cells_where(|cell| cell != Cell::Wall);
        let mut view = GameView {
            picture: Some(self.picture(&current)),
            places: cells.map(|cell| self.place(cell, &current)).collect(),
            state: current.state,
            words: match current.state {
                GameState::Won => "All cells without a mine are open.".to_owned(),
                GameState::Lost => "That was a mine.".to_owned(),
                _ => format!("{mines}, {}.", count(flags, "flag", "flags")),
            },
            ..GameView::default()
        };
        if current.hidden.is_none() {
            let next = current.seed + 1;
            view.moves.push(Move::new(format!("layout {next}"), format!("lay the mines as in game {next}")));
        }
        match query {
            PlayQuery::Nothing => {}
            _ if current.state != GameState::Open => {}
            PlayQuery::Distance => {
                let safe_left = current.position.mines.map(|mines| covered - mines);
                view.distance = safe_left.map(|left| format!("{} left to open.", count(left, "cell is", "cells are")));
            }
            PlayQuery::Mistake | PlayQuery::Hint => self.explain(&current, query, &mut view)?,
        }
        Ok(view)
    }
}
