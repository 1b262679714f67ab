//! Minesweeper in play, on any board: one that is begun goes on.
//!
//! The mines lie in one of the layouts that fit what the board shows, drawn by a seed as soon as a cell is opened: on a board
//! that is all closed where the first cell has none, on any other whichever cell it is. Every layout is as likely as any other
//! (`sample.rs`).

use std::collections::BTreeSet;

use fastrand::Rng;

use super::adjacency::Shape;
use super::board::Board;
use super::count::Budget;
use super::grid::{Cell, Position};
use super::play::game::{Click, Game as Hidden};
use super::{Answer, Minesweeper, neighbors, sample, text};
use crate::diagnostic::{Diagnostic, Failure};
use crate::job::Job;
use crate::picture::{Paint, Picture, Sprite};
use crate::played::{Asks, Game, Move, Place, Played, Rectangle, State, no_such_move};
use crate::puzzle::native::count;
use crate::puzzle::playing::solved;

pub struct Swept {
    board: Board,
    job: Job,
    /// The mines of the last layout, with the seed and the first cell for which it was drawn.
    drawn: Option<((u64, usize), Vec<bool>)>,
}

/// After some moves.
struct Now {
    position: Position,
    /// Those of the player; what the board says is known to be a mine is one in the position.
    flags: BTreeSet<usize>,
    seed: u64,
    hidden: Option<Hidden>,
    state: State,
    /// The mine that was opened.
    exploded: Option<usize>,
}

impl Swept {
    pub fn new(board: &Board, job: &Job) -> Result<Self, Failure> {
        if board.position.mines.is_none() {
            let text = "the board does not say how many mines there are, and is not played without that";
            return Err(Diagnostic::error(text).help("a line `mines N` says it").into());
        }
        let mut board = board.clone();
        if board.position.adjacency.shape() == Shape::Own {
            // Those of the numbers that are open are not enough.
            board.position.adjacency = neighbors::of_all_cells(&board, job)?;
        }
        Ok(Swept { board, job: job.clone(), drawn: None })
    }

    /// "3,4", as a person counts.
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

    fn after(&mut self, moves: &[String]) -> Result<Now, Failure> {
        let position = self.board.position.clone();
        let mut now =
            Now { position, flags: BTreeSet::new(), seed: 1, hidden: None, state: State::Open, exploded: None };
        moves.iter().try_for_each(|name| self.make(name, &mut now))?;
        Ok(now)
    }

    fn make(&mut self, name: &str, now: &mut Now) -> Result<(), Failure> {
        let wrong = || no_such_move(name);
        let (what, place) = name.split_once(' ').ok_or_else(wrong)?;
        if what == "layout" && now.hidden.is_none() {
            now.seed = place.parse().map_err(|_| wrong())?;
            return Ok(());
        }
        let cell = self.cell_named(place).filter(|_| now.state == State::Open).ok_or_else(wrong)?;
        let is_closed = now.position.cells[cell] == Cell::Closed;
        match what {
            "flag" if is_closed => _ = now.flags.insert(cell),
            "unflag" if now.flags.remove(&cell) => {}
            "open" if is_closed && !now.flags.contains(&cell) => self.open(cell, now)?,
            "around" if !now.left_around(cell).is_empty() => {
                for near in now.left_around(cell) {
                    if now.state == State::Open && now.position.cells[near] == Cell::Closed {
                        self.open(near, now)?;
                    }
                }
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }

    fn open(&mut self, cell: usize, now: &mut Now) -> Result<(), Failure> {
        if now.hidden.is_none() {
            let mines = self.mines(now.seed, cell)?;
            now.hidden = Some(Hidden::begun(&self.board.position, mines));
        }
        let Some(hidden) = &mut now.hidden else { return Ok(()) };
        match hidden.click(cell, &mut Vec::new()) {
            Click::Mine => (now.state, now.exploded) = (State::Lost, Some(cell)),
            Click::Won => now.state = State::Won,
            Click::Open => {}
        }
        now.position = hidden.position.clone();
        let position = &now.position;
        now.flags.retain(|&flag| position.cells[flag] == Cell::Closed);
        Ok(())
    }

    /// A layout that fits.
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
        let mines = sample::layout(&work, &mut Rng::with_seed(seed), &Budget::of(&self.job))
            .map_err(|reason| Diagnostic::error(format!("no mines are laid: {}", reason.words())))?
            .map_err(|_| Diagnostic::error("the board is contradictory: no layout of mines fits it"))?;
        self.drawn = Some((key, mines.clone()));
        Ok(mines)
    }

    fn at(&self, cell: usize) -> Rectangle {
        text::place(&self.board, cell)
    }

    fn place(&self, cell: usize, now: &Now) -> Place {
        let (name, words) = (self.name(cell), self.board.words(cell));
        let is_flag = now.flags.contains(&cell);
        let can = |what: &str, words: &str| Move::new(format!("{what} {name}"), words);
        let (is, mut options) = match now.position.cells[cell] {
            Cell::Closed if is_flag => ("a flag".to_owned(), vec![can("unflag", "take the flag away").on_key("f")]),
            Cell::Closed => ("closed".to_owned(), vec![can("open", "open it"), can("flag", "put a flag").on_key("f")]),
            Cell::Open(number) if now.left_around(cell).is_empty() => (number.to_string(), Vec::new()),
            Cell::Open(number) => (number.to_string(), vec![can("around", "open all around that have no flag")]),
            _ => ("a mine".to_owned(), Vec::new()),
        };
        if now.state != State::Open {
            options.clear();
        }
        let next = (!options.is_empty()).then_some(0);
        Place { at: self.at(cell), words: format!("{words}: {is}"), options, next, ..Place::default() }
    }

    fn picture(&self, now: &Now) -> Picture {
        let mut position = now.position.clone();
        now.flags.iter().for_each(|&flag| position.cells[flag] = Cell::Mine);
        let is_over = now.state != State::Open;
        let shown = Board { position, ..self.board.clone() };
        let mine_at = |cell: usize| is_over && now.hidden.as_ref().is_some_and(|hidden| hidden.is_mine(cell));
        let mut picture =
            text::drawn_picture(&shown, "minesweeper".to_owned(), String::new(), |cell, sprite| match mine_at(cell) {
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

    /// What the numbers say.
    fn tell(&self, now: &Now, asks: Asks, played: &mut Played) -> Result<(), Failure> {
        let board = Board { position: now.position.clone(), ..self.board.clone() };
        let solved = solved(Minesweeper, board.clone(), &self.job)?;
        let Some(answer) = solved.answers.first() else {
            let text = "The numbers contradict each other, or there was no time to find out what they imply.";
            played.because = Some(text.to_owned());
            return Ok(());
        };
        let open = |cell: usize| Move::new(format!("open {}", self.name(cell)), format!("open {}", board.words(cell)));
        let wrong = now.flags.iter().copied().find(|flag| answer.safe.contains(flag));
        let safe = answer.reasons.iter().map(|reason| reason.cell).find(|cell| answer.safe.contains(cell));
        let best = answer.best.iter().copied().find(|cell| !now.flags.contains(cell));
        let (cell, words) = if let Some(wrong) = wrong {
            let reason = reason(&board, answer, wrong);
            (wrong, format!("The flag at {} is wrong: that cell is safe{reason}.", board.words(wrong)))
        } else if asks == Asks::Mistake {
            played.words += " No mistake.";
            return Ok(());
        } else if let Some(cell) = safe {
            played.moves = vec![open(cell)];
            (cell, format!("{} is safe{}.", board.words(cell), reason(&board, answer, cell)))
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

/// Why a cell is what it is, after a colon.
fn reason(board: &Board, answer: &Answer, cell: usize) -> String {
    let reason = answer.reasons.iter().find(|reason| reason.cell == cell);
    reason.map_or(String::new(), |reason| format!(": {}", text::told(board, reason)))
}

impl Now {
    /// What a click on a number opens: the closed cells around it, where it has its flags.
    fn left_around(&self, cell: usize) -> Vec<usize> {
        let Cell::Open(number) = self.position.cells[cell] else { return Vec::new() };
        let (flags, left): (Vec<usize>, Vec<usize>) =
            self.position.near(cell, Cell::Closed).partition(|near| self.flags.contains(near));
        let mines = flags.len() + self.position.count_around(cell, Cell::Mine);
        if mines == usize::from(number) { left } else { Vec::new() }
    }
}

impl Game for Swept {
    fn look(&mut self, moves: &[String], asks: Asks) -> Result<Played, Failure> {
        let now = self.after(moves)?;
        let mines = now.position.mines.unwrap_or(0);
        let flags = now.flags.len() + now.position.count(Cell::Mine);
        let left = now.position.count(Cell::Closed) + now.position.count(Cell::Mine) - mines;
        let cells = now.position.cells_that(|cell| cell != Cell::Wall);
        let mut played = Played {
            picture: Some(self.picture(&now)),
            places: cells.map(|cell| self.place(cell, &now)).collect(),
            state: now.state,
            words: match now.state {
                State::Won => "All cells without a mine are open.".to_owned(),
                State::Lost => "That was a mine.".to_owned(),
                _ => format!("{}, {}.", count(mines, "mine", "mines"), count(flags, "flag", "flags")),
            },
            ..Played::default()
        };
        if now.hidden.is_none() {
            let next = now.seed + 1;
            played.moves.push(Move::new(format!("layout {next}"), format!("lay the mines as in game {next}")));
        }
        match asks {
            Asks::Nothing => {}
            _ if now.state != State::Open => {}
            Asks::Distance => played.distance = Some(format!("{} left to open.", count(left, "cell is", "cells are"))),
            Asks::Mistake | Asks::Hint => self.tell(&now, asks, &mut played)?,
        }
        Ok(played)
    }
}
