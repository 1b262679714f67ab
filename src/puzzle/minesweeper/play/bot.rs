//! The player: opens what is safe, and chooses where to guess.
//!
//! With few layouts left the game tree decides (`endgame.rs`). Before that, cells nearly as good as the best are compared by
//! what they lead to: for each number that a cell may show, the position after it is counted, and what it is worth is
//! estimated. A position with safe cells is worth more the more of them there are; one without is worth what its safest cell
//! is. Only cells count whose numbers tell something, and a cell is credited with the risk that would have to be taken later
//! anyway (`untold.rs`), so that it may be worth more than a safer one.
//!
//! `docs/notes/minesweeper.md` tells how the constants were found, and what else was tried.

use super::super::count::Budget;
use super::super::explain::Stage;
use super::super::grid::{Cell, Position};
use super::super::layouts::layouts;
use super::super::obvious;
use super::super::pattern;
use super::super::probability::{Analysis, Certainty};
use super::endgame;
use super::untold::{credits, is_living};
use crate::sorting;
use crate::stop::Reason;

/// How to guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Strategy {
    /// The three stages of the article, then the cell of least probability
    Article,
    /// Look-ahead, and the whole game tree when few layouts are left
    #[default]
    Best,
}

/// A cell to open, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    pub cell: usize,
    pub stage: Stage,
    /// The number that makes it safe, where that is obvious.
    pub number: Option<usize>,
    /// That it is no mine; 1 but for a guess.
    pub safety: f64,
    /// The chance to win from here on, where the game tree was searched.
    pub chance: Option<f64>,
}

impl Move {
    fn certain(cell: usize, stage: Stage) -> Self {
        Move { stage, ..Move::guess(cell, 1.0) }
    }

    pub fn guess(cell: usize, safety: f64) -> Self {
        Move { cell, stage: Stage::Guess, number: None, safety, chance: None }
    }
}

/// Layouts that the game tree may have, and layouts that may be looked at in it.
const LAYOUTS: usize = 32_000;
const WORK: u64 = 8_000_000;
/// So few cells have fewer layouts than that, and are always searched through.
const SMALL: usize = 16;

/// Cells rated lower than this part of the best are no candidates, and no more than so many are compared.
const NEARLY_AS_GOOD: f64 = 0.8;
const CANDIDATES: usize = 24;
/// What a position without a living safe cell is worth: so much, and so much of what its safest living cell is.
const STUCK: [f64; 2] = [0.2, 0.75];
/// What one without a living cell is worth, before all that is closed is known.
const DEAD: f64 = 0.6;
/// What one with a single safe cell is worth less than won, and how much of that is left with each further one, of so many.
const SINGLE: f64 = 0.05;
const FURTHER: f64 = 0.5;
const SINGLES: usize = 6;

/// One game's player.
pub struct Bot {
    strategy: Strategy,
    logarithms: std::sync::Arc<Factorials>,
    budget: Budget,
    /// Cells that are known to be safe.
    safe: Vec<Move>,
    /// Numbers that may say something new.
    queue: Vec<usize>,
    hardest: Stage,
}

impl Bot {
    pub fn new(strategy: Strategy, logarithms: std::sync::Arc<Factorials>, budget: &Budget) -> Self {
        let (budget, hardest) = (budget.clone(), Stage::Obvious);
        Bot { strategy, logarithms, budget, safe: Vec::new(), queue: Vec::new(), hardest }
    }

    /// The next cell to open, once those of `opened` have been, unless a limit ends the search for it. Marks in the position what
    /// is proven.
    pub fn next(&mut self, position: &mut Position, opened: &[usize]) -> Result<Move, Reason> {
        match self.certain(position, opened)? {
            Ok(certain) => Ok(certain),
            Err(analysis) => {
                let scale = self.logarithms.of(position);
                Look { position, analysis: &analysis, scale, budget: &self.budget }.guess(self.strategy)
            }
        }
    }

    /// A cell that is safe, or else the count that proves that there is none.
    pub fn certain(
        &mut self,
        position: &mut Position,
        opened: &[usize],
    ) -> Result<Result<Move, Box<Analysis<f64>>>, Reason> {
        self.queue.extend_from_slice(opened);
        for &cell in opened {
            self.queue.extend(position.open_around(cell));
        }
        loop {
            let safe = &mut self.safe;
            let marked = obvious::mark(position, &mut self.queue, |found| {
                if !found.is_mine {
                    let number = Some(found.number);
                    safe.push(Move { number, ..Move::certain(found.cell, Stage::Obvious) });
                }
            });
            marked.expect("a game fits itself");
            // Zeros may have opened some of them.
            while let Some(safe) = self.safe.pop() {
                if position.cells[safe.cell] == Cell::Safe {
                    return Ok(Ok(safe));
                }
            }
            let analysis = analyse(position, &self.logarithms.of(position), &self.budget)?;
            let analysis = analysis.expect("a game fits itself");
            let decided = analysis.decided();
            if decided.is_empty() {
                return Ok(Err(Box::new(analysis)));
            }
            self.put(position, &decided)?;
        }
    }

    /// The hardest stage that found anything so far.
    pub fn hardest(&self) -> Stage {
        self.hardest
    }

    /// Marks cells that the count decides; the article's player takes those that a window finds first.
    fn put(&mut self, position: &mut Position, decided: &[(usize, bool)]) -> Result<(), Reason> {
        let window = if self.strategy == Strategy::Article {
            let cells: Vec<usize> = decided.iter().map(|&(cell, _)| cell).collect();
            pattern::Windows::default().first(position, &cells, &self.budget)?
        } else {
            None
        };
        let (stage, decided) = match window {
            Some((_, found)) => (Stage::Pattern, found),
            None => (Stage::Csp, decided.to_vec()),
        };
        self.hardest = self.hardest.max(stage);
        for (cell, is_mine) in decided {
            if position.cells[cell] == Cell::Closed {
                position.prove(cell, is_mine, &mut self.queue);
                if !is_mine {
                    self.safe.push(Move::certain(cell, stage));
                }
            }
        }
        Ok(())
    }
}

/// A position without a safe cell, and what is known of it.
struct Look<'a> {
    position: &'a Position,
    analysis: &'a Analysis<f64>,
    scale: Scale<'a>,
    budget: &'a Budget,
}

/// A cell that may be opened.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    cell: usize,
    safety: f64,
    /// The safety with the credit for what is lost anyway.
    rated: f64,
}

impl Look<'_> {
    fn guess(&self, strategy: Strategy) -> Result<Move, Reason> {
        let whole = self.analysis.coupled.whole;
        let mut open: Vec<(usize, f64)> = Vec::new();
        self.analysis.masses(|cells, certainty, mass| {
            if certainty == Certainty::Open {
                let safety = 1.0 - mass / (whole * cells.len() as f64);
                open.extend(cells.iter().map(|&cell| (cell as usize, safety)));
            }
        });
        sorting::sort_by(&mut open, |a, b| b.1.total_cmp(&a.1));
        let (safest, safety) = open[0];
        if strategy == Strategy::Article {
            return Ok(Move::guess(safest, safety));
        }
        let work = if open.len() <= SMALL { u64::MAX } else { WORK };
        // A count with rounding errors, and a list that ends when it is too long.
        if self.scale.count(whole) <= 1.01 * LAYOUTS as f64
            && let Some(layouts) = layouts(self.position, self.analysis, LAYOUTS)
            && let Some(best) = endgame::best(self.position, &layouts, work, &self.budget.stop)
        {
            self.budget.stop.requested().map_or(Ok(()), Err)?;
            let safety = open.iter().find(|&&(cell, _)| cell == best.cell).map_or(safety, |&(_, safety)| safety);
            let chance = best.is_proven.then(|| f64::from(best.wins) / layouts.all.len() as f64);
            return Ok(Move { chance, ..Move::guess(best.cell, safety) });
        }
        let candidates = self.candidates(&open)?;
        let mut best = (0.0, candidates[0]);
        if candidates.len() > 1 {
            for &guess in &candidates {
                let worth = if guess.rated > best.0 { self.worth(guess, best.0)? } else { 0.0 };
                if worth > best.0 {
                    best = (worth, guess);
                }
            }
        }
        Ok(Move::guess(best.1.cell, best.1.safety))
    }

    /// Cells to look closer at, the best rated first: nearly as good as the best; of the cells that no number touches, a few
    /// of each kind; no dead ones, if there are others.
    fn candidates(&self, open: &[(usize, f64)]) -> Result<Vec<Candidate>, Reason> {
        let Look { position, analysis, scale, budget } = self;
        let mut risks = vec![1.0; position.grid.extent()];
        open.iter().for_each(|&(cell, safety)| risks[cell] = 1.0 - safety);
        let cells: Vec<usize> = open.iter().map(|&(cell, _)| cell).collect();
        let credits = credits(position, &cells, &risks, |next, changed| {
            let mut queue: Vec<usize> = changed.iter().flat_map(|&cell| next.open_around(cell)).collect();
            obvious::mark(next, &mut queue, |_| ()).ok()?;
            Some(analyse(next, scale, budget).ok()??.coupled.whole / analysis.coupled.whole)
        });
        budget.stop.requested().map_or(Ok(()), Err)?;
        let rated = |&(cell, safety): &(usize, f64)| {
            let rated = safety + credits[cell].min(safety).min(1.0 - safety);
            Candidate { cell, safety, rated }
        };
        let mut open: Vec<Candidate> = open.iter().map(rated).collect();
        sorting::sort_by(&mut open, |a, b| b.rated.total_cmp(&a.rated));
        let least = open[0].rated * NEARLY_AS_GOOD;
        let is_free = |cell: usize| analysis.frontier.free.binary_search(&(cell as u32)).is_ok();
        let mut kinds: Vec<(usize, usize, usize)> = Vec::new();
        let mut candidates = Vec::new();
        for &candidate in open.iter().take_while(|candidate| candidate.rated >= least) {
            let cell = candidate.cell;
            if is_free(cell) {
                // Alike are cells with as much wall, as many closed cells and as much frontier around them.
                let frontier = position.near(cell, Cell::Closed).filter(|&near| !is_free(near)).count();
                let [wall, closed] = [Cell::Wall, Cell::Closed].map(|kind| position.count_around(cell, kind));
                let most = if frontier == 0 { 1 } else { 3 };
                if kinds.iter().filter(|&&other| other == (wall, closed, frontier)).count() >= most {
                    continue;
                }
                kinds.push((wall, closed, frontier));
            }
            if is_living(position, cell) {
                candidates.push(candidate);
            }
            if candidates.len() == CANDIDATES {
                break;
            }
        }
        Ok(if candidates.is_empty() { vec![open[0]] } else { candidates })
    }

    /// What a click is worth: the sum over the numbers that it may show, and as much more as its credit is to its safety.
    /// Ends early if it cannot exceed `bound`.
    fn worth(&self, Candidate { cell, safety, rated }: Candidate, bound: f64) -> Result<f64, Reason> {
        let Look { position, analysis, scale, budget } = self;
        let (factor, whole) = (rated / safety, analysis.coupled.whole);
        let [mines, closed] = [Cell::Mine, Cell::Closed].map(|kind| position.count_around(cell, kind) as u8);
        let (mut worth, mut left) = (0.0, safety);
        for number in mines..=mines + closed {
            if (worth + left) * factor <= bound {
                break;
            }
            let mut next = (*position).clone();
            next.cells[cell] = Cell::Open(number);
            if let Some((weight, value)) = value(&mut next, cell, scale, budget)? {
                worth += weight / whole * value;
                left -= weight / whole;
            }
        }
        Ok(worth * factor)
    }
}

/// The weight of a position in which a cell was just opened, and what it is worth; `None` if no layout fits.
fn value(
    position: &mut Position,
    opened: usize,
    scale: &Scale<'_>,
    budget: &Budget,
) -> Result<Option<(f64, f64)>, Reason> {
    let mut queue = vec![opened];
    queue.extend(position.open_around(opened));
    let mut safe = Vec::new();
    if obvious::mark(position, &mut queue, |found| safe.extend((!found.is_mine).then_some(found.cell))).is_err() {
        return Ok(None);
    }
    let Some(analysis) = analyse(position, scale, budget)? else { return Ok(None) };
    for (cell, is_mine) in analysis.decided() {
        position.cells[cell] = if is_mine { Cell::Mine } else { Cell::Safe };
        safe.extend((!is_mine).then_some(cell));
    }
    let whole = analysis.coupled.whole;
    let (mut safest, mut is_over) = (None, true);
    analysis.masses(|cells, certainty, mass| {
        if certainty == Certainty::Open {
            is_over = false;
            let safety = 1.0 - mass / (whole * cells.len() as f64);
            if safest.is_none_or(|safest| safety > safest)
                && cells.iter().any(|&cell| is_living(position, cell as usize))
            {
                safest = Some(safety);
            }
        }
    });
    let living = safe.into_iter().filter(|&cell| is_living(position, cell)).take(SINGLES).count();
    let value = match (position.cells[opened], living, safest) {
        // Whatever is around a zero comes for nothing.
        (Cell::Open(0), ..) => 1.0,
        (_, 1.., _) => 1.0 - SINGLE * FURTHER.powi(living as i32 - 1),
        (.., Some(safest)) => STUCK[0] + STUCK[1] * safest,
        (.., None) if is_over => 1.0,
        (.., None) => DEAD,
    };
    Ok(Some((whole, value)))
}

/// Counts a position; `None` if no layout fits.
fn analyse(position: &Position, scale: &Scale<'_>, budget: &Budget) -> Result<Option<Analysis<f64>>, Reason> {
    let analysis = Analysis::new(position, budget, |free, taken| scale.binomial(free, taken))?;
    budget.stop.requested().map_or(Ok(analysis.ok()), Err)
}

/// The logarithms of factorials.
pub struct Factorials(Vec<f64>);

impl Factorials {
    /// Up to a number.
    pub fn new(most: usize) -> Self {
        let mut logarithms = vec![0.0];
        for number in 1..=most {
            logarithms.push(logarithms[number - 1] + (number as f64).ln());
        }
        Factorials(logarithms)
    }

    /// Weights for a position and those after it: up to a factor that keeps them within floating point numbers.
    pub fn of(&self, position: &Position) -> Scale<'_> {
        let closed = position.count(Cell::Closed);
        let mines = position.mines.map_or(0, |mines| mines.saturating_sub(position.count(Cell::Mine)));
        Scale { logarithms: self, reference: self.binomial(closed, mines.min(closed)) }
    }

    fn binomial(&self, all: usize, taken: usize) -> f64 {
        self.0[all] - self.0[taken] - self.0[all - taken]
    }
}

/// What weights are divided by: the exponential of `reference`.
pub struct Scale<'a> {
    logarithms: &'a Factorials,
    reference: f64,
}

impl Scale<'_> {
    fn binomial(&self, all: usize, taken: usize) -> f64 {
        (self.logarithms.binomial(all, taken) - self.reference).exp()
    }

    /// Layouts, from their weight.
    fn count(&self, weight: f64) -> f64 {
        weight * self.reference.exp()
    }
}
