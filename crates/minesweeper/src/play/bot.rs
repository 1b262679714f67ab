//! The bot: opens safe cells, and chooses where to guess.
//!
//! If few layouts are left, the game tree decides (`endgame.rs`). Otherwise, cells nearly as good
//! as the best are compared by look-ahead: for each number that a cell may show, the resulting
//! position is counted and its value estimated. The value of a position grows with the number of
//! its safe cells; without a safe cell, it depends on the safest one. Only cells whose numbers give
//! information count. A cell is credited with the risk of a guess that would be unavoidable later
//! (`fifty_fifty.rs`), so it may be preferred to a safer one.
//!
//! `docs/notes/minesweeper.md` explains how the constants were determined, and which alternatives
//! were tried.

use base::sorting;
use base::stop::StopReason;

use super::super::count::Budget;
use super::super::explain::Stage;
use super::super::grid::Cell;
use super::super::layouts::layouts;
use super::super::obvious;
use super::super::pattern;
use super::super::position::KnownPosition;
use super::super::probability::{Analysis, Certainty};
use super::endgame;
use super::fifty_fifty::{is_living, unavoidable_guesses};

/// The guessing strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Strategy {
    /// The three stages of the article, then the cell of least probability
    Article,
    /// Look-ahead, and the whole game tree when few layouts are left
    #[default]
    Best,
}

/// A cell to open, and the reason.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BotMove {
    pub cell: usize,
    pub stage: Stage,
    /// The number that makes the cell safe, for the stage `Obvious`.
    pub number: Option<usize>,
    /// The probability that the cell is not a mine: 1 except for a guess.
    pub safety: f64,
    /// The probability of winning from this position, if the game tree was searched.
    pub chance: Option<f64>,
}

impl BotMove {
    fn certain(cell: usize, stage: Stage) -> Self {
        BotMove { stage, ..BotMove::guess(cell, 1.0) }
    }

    pub fn guess(cell: usize, safety: f64) -> Self {
        BotMove { cell, stage: Stage::Guess, number: None, safety, chance: None }
    }
}

/// Limits of the game tree: layouts at the root, and layouts visited in all nodes.
const MAX_TREE_LAYOUTS: usize = 32_000;
const MAX_TREE_WORK: u64 = 8_000_000;
/// Positions with at most this many undecided cells have fewer layouts than `MAX_TREE_LAYOUTS`, and
/// are always searched to the end.
const MAX_CELLS_ALWAYS_SEARCHED: usize = 16;

/// Only cells whose rating is at least this fraction of the best are compared, and at most
/// `MAX_CANDIDATES` of them.
const MIN_RELATIVE_RATING: f64 = 0.8;
const MAX_CANDIDATES: usize = 24;
/// The value of a position without a living safe cell: a constant, plus a factor times the safety
/// of its safest living cell.
const NO_SAFE_CELL: [f64; 2] = [0.2, 0.75];
/// Value of a position without a living cell, while cells are still undecided.
const ALL_DEAD: f64 = 0.6;
/// Penalty for a position with one safe cell, its decay with each further one, and the number of
/// safe cells that are considered.
const SINGLE_SAFE_PENALTY: f64 = 0.05;
const PENALTY_DECAY: f64 = 0.5;
const MAX_COUNTED_SAFE: usize = 6;

/// A bot that plays one game.
pub struct Bot {
    strategy: Strategy,
    log_factorials: std::sync::Arc<LogFactorials>,
    budget: Budget,
    /// Cells that are proven safe.
    safe: Vec<BotMove>,
    /// Numbers that may decide further cells.
    queue: Vec<usize>,
    hardest: Stage,
}

impl Bot {
    pub fn new(strategy: Strategy, log_factorials: std::sync::Arc<LogFactorials>, budget: &Budget) -> Self {
        let budget = budget.clone();
        let hardest = Stage::Obvious;
        Bot { strategy, log_factorials, budget, safe: Vec::new(), queue: Vec::new(), hardest }
    }

    /// Returns the next cell to open after those of `opened`, or the limit that ended the search.
    /// Marks the proven cells in the position.
    pub fn next(&mut self, position: &mut KnownPosition, opened: &[usize]) -> Result<BotMove, StopReason> {
        match self.next_certain(position, opened)? {
            Ok(certain) => Ok(certain),
            Err(analysis) => {
                let scale = self.log_factorials.scale_for(position);
                GuessSearch { position, analysis: &analysis, scale, budget: &self.budget }.guess(self.strategy)
            }
        }
    }

    /// Returns a safe cell, or else the count that proves that there is none.
    pub fn next_certain(
        &mut self,
        position: &mut KnownPosition,
        opened: &[usize],
    ) -> Result<Result<BotMove, Box<Analysis<f64>>>, StopReason> {
        self.queue.extend_from_slice(opened);
        for &cell in opened {
            self.queue.extend(position.open_around(cell));
        }
        loop {
            let safe = &mut self.safe;
            let result = obvious::mark(position, &mut self.queue, |deduction| {
                if !deduction.is_mine {
                    let number = Some(deduction.number);
                    safe.push(BotMove { number, ..BotMove::certain(deduction.cell, Stage::Obvious) });
                }
            });
            result.expect("a game fits itself");
            // Some of these cells may already have been opened around a zero.
            while let Some(safe) = self.safe.pop() {
                if position.cells[safe.cell] == Cell::Safe {
                    return Ok(Ok(safe));
                }
            }
            let analysis = analyze(position, &self.log_factorials.scale_for(position), &self.budget)?;
            let analysis = analysis.expect("a game fits itself");
            let decided = analysis.decided();
            if decided.is_empty() {
                return Ok(Err(Box::new(analysis)));
            }
            self.mark_decided(position, &decided)?;
        }
    }

    /// Returns the hardest stage that has decided a cell so far.
    pub fn hardest(&self) -> Stage {
        self.hardest
    }

    /// Marks the cells that the count decides. The strategy `Article` marks only the cells of the
    /// smallest deciding window, if there is one.
    fn mark_decided(&mut self, position: &mut KnownPosition, decided: &[(usize, bool)]) -> Result<(), StopReason> {
        let window = if self.strategy == Strategy::Article {
            let cells: Vec<usize> = decided.iter().map(|&(cell, _)| cell).collect();
            pattern::WindowSearch::default().smallest_deciding(position, &cells, &self.budget)?
        } else {
            None
        };
        let (stage, decided) = match window {
            Some((_, window_cells)) => (Stage::Pattern, window_cells),
            None => (Stage::Csp, decided.to_vec()),
        };
        self.hardest = self.hardest.max(stage);
        for (cell, is_mine) in decided {
            if position.cells[cell] == Cell::Closed {
                position.prove(cell, is_mine, &mut self.queue);
                if !is_mine {
                    self.safe.push(BotMove::certain(cell, stage));
                }
            }
        }
        Ok(())
    }
}

/// The choice of a guess in a position without a safe cell.
struct GuessSearch<'a> {
    position: &'a KnownPosition,
    analysis: &'a Analysis<f64>,
    scale: Scale<'a>,
    budget: &'a Budget,
}

/// A candidate for a guess.
#[derive(Debug, Clone, Copy)]
struct Guess {
    cell: usize,
    safety: f64,
    /// The safety plus the credit for unavoidable guesses.
    rating: f64,
}

impl GuessSearch<'_> {
    fn guess(&self, strategy: Strategy) -> Result<BotMove, StopReason> {
        let total_weight = self.analysis.totals.total_weight;
        let mut undecided: Vec<(usize, f64)> = Vec::new();
        self.analysis.marginals(|cells, certainty, mine_weight| {
            if certainty == Certainty::Undecided {
                let safety = 1.0 - mine_weight / (total_weight * cells.len() as f64);
                undecided.extend(cells.iter().map(|&cell| (cell as usize, safety)));
            }
        });
        sorting::sort_by(&mut undecided, |a, b| b.1.total_cmp(&a.1));
        let (safest, safety) = undecided[0];
        if strategy == Strategy::Article {
            return Ok(BotMove::guess(safest, safety));
        }
        let work = if undecided.len() <= MAX_CELLS_ALWAYS_SEARCHED { u64::MAX } else { MAX_TREE_WORK };
        // The count has rounding errors; the enumeration stops when there are too many layouts.
        if self.scale.count(total_weight) <= 1.01 * MAX_TREE_LAYOUTS as f64
            && let Some(layouts) = layouts(self.position, self.analysis, MAX_TREE_LAYOUTS)
            && let Some(best) = endgame::best_move(self.position, &layouts, work, &self.budget.stop)
        {
            self.budget.stop.requested().map_or(Ok(()), Err)?;
            let safety = undecided.iter().find(|&&(cell, _)| cell == best.cell).map_or(safety, |&(_, safety)| safety);
            let chance = best.is_proven.then(|| f64::from(best.wins) / layouts.all.len() as f64);
            return Ok(BotMove { chance, ..BotMove::guess(best.cell, safety) });
        }
        let candidates = self.candidates(&undecided)?;
        let mut best = (0.0, candidates[0]);
        if candidates.len() > 1 {
            for &guess in &candidates {
                let value = if guess.rating > best.0 { self.evaluate(guess, best.0)? } else { 0.0 };
                if value > best.0 {
                    best = (value, guess);
                }
            }
        }
        Ok(BotMove::guess(best.1.cell, best.1.safety))
    }

    /// Returns the cells to compare, in descending order of their ratings: those nearly as good as
    /// the best, except that free cells are limited to a few of each kind, and dead cells are
    /// omitted if there are others.
    fn candidates(&self, undecided: &[(usize, f64)]) -> Result<Vec<Guess>, StopReason> {
        let GuessSearch { position, analysis, scale, budget } = self;
        let mut risks = vec![1.0; position.grid.extent()];
        for &(cell, safety) in undecided {
            risks[cell] = 1.0 - safety;
        }
        let cells: Vec<usize> = undecided.iter().map(|&(cell, _)| cell).collect();
        let credits = unavoidable_guesses(position, &cells, &risks, |next, changed| {
            let mut queue: Vec<usize> = changed.iter().flat_map(|&cell| next.open_around(cell)).collect();
            obvious::mark(next, &mut queue, |_| ()).ok()?;
            Some(analyze(next, scale, budget).ok()??.totals.total_weight / analysis.totals.total_weight)
        });
        budget.stop.requested().map_or(Ok(()), Err)?;
        let rating = |&(cell, safety): &(usize, f64)| {
            let rating = safety + credits[cell].min(safety).min(1.0 - safety);
            Guess { cell, safety, rating }
        };
        let mut undecided: Vec<Guess> = undecided.iter().map(rating).collect();
        sorting::sort_by(&mut undecided, |a, b| b.rating.total_cmp(&a.rating));
        let least = undecided[0].rating * MIN_RELATIVE_RATING;
        let is_free = |cell: usize| analysis.frontier.free.binary_search(&(cell as u32)).is_ok();
        let mut kinds: Vec<(usize, usize, usize)> = Vec::new();
        let mut candidates = Vec::new();
        for &candidate in undecided.iter().take_while(|candidate| candidate.rating >= least) {
            let cell = candidate.cell;
            if is_free(cell) {
                // Two free cells are of the same kind if they have the same numbers of wall, closed
                // and frontier cells around them.
                let frontier = position.cells_around(cell, Cell::Closed).filter(|&neighbor| !is_free(neighbor)).count();
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
            if candidates.len() == MAX_CANDIDATES {
                break;
            }
        }
        Ok(if candidates.is_empty() { vec![undecided[0]] } else { candidates })
    }

    /// Returns the value of a click: the sum over the numbers that it may show, scaled by the ratio
    /// of its rating to its safety. The sum ends early if it cannot exceed `bound`.
    fn evaluate(&self, Guess { cell, safety, rating }: Guess, bound: f64) -> Result<f64, StopReason> {
        let GuessSearch { position, analysis, scale, budget } = self;
        let factor = rating / safety;
        let total_weight = analysis.totals.total_weight;
        let [mines, closed] = [Cell::Mine, Cell::Closed].map(|kind| position.count_around(cell, kind) as u8);
        let mut value_sum = 0.0;
        let mut remaining = safety;
        for number in mines..=mines + closed {
            if (value_sum + remaining) * factor <= bound {
                break;
            }
            let mut next = (*position).clone();
            next.cells[cell] = Cell::Open(number);
            if let Some((weight, value)) = position_value(&mut next, cell, scale, budget)? {
                value_sum += weight / total_weight * value;
                remaining -= weight / total_weight;
            }
        }
        Ok(value_sum * factor)
    }
}

/// Returns the weight of a position in which `opened` was just opened, and its value; `None` if no
/// layout fits.
fn position_value(
    position: &mut KnownPosition,
    opened: usize,
    scale: &Scale<'_>,
    budget: &Budget,
) -> Result<Option<(f64, f64)>, StopReason> {
    let mut queue = vec![opened];
    queue.extend(position.open_around(opened));
    let mut safe = Vec::new();
    if obvious::mark(position, &mut queue, |deduction| safe.extend((!deduction.is_mine).then_some(deduction.cell)))
        .is_err()
    {
        return Ok(None);
    }
    let Some(analysis) = analyze(position, scale, budget)? else { return Ok(None) };
    for (cell, is_mine) in analysis.decided() {
        position.cells[cell] = if is_mine { Cell::Mine } else { Cell::Safe };
        safe.extend((!is_mine).then_some(cell));
    }
    let total_weight = analysis.totals.total_weight;
    let mut safest = None;
    let mut is_decided = true;
    analysis.marginals(|cells, certainty, mine_weight| {
        if certainty == Certainty::Undecided {
            is_decided = false;
            let safety = 1.0 - mine_weight / (total_weight * cells.len() as f64);
            if safest.is_none_or(|safest| safety > safest)
                && cells.iter().any(|&cell| is_living(position, cell as usize))
            {
                safest = Some(safety);
            }
        }
    });
    let living = safe.into_iter().filter(|&cell| is_living(position, cell)).take(MAX_COUNTED_SAFE).count();
    let value = match (position.cells[opened], living, safest) {
        // The cells around a zero are opened for free.
        (Cell::Open(0), ..) => 1.0,
        (_, 1.., _) => 1.0 - SINGLE_SAFE_PENALTY * PENALTY_DECAY.powi(living as i32 - 1),
        (.., Some(safest)) => NO_SAFE_CELL[0] + NO_SAFE_CELL[1] * safest,
        (.., None) if is_decided => 1.0,
        (.., None) => ALL_DEAD,
    };
    Ok(Some((total_weight, value)))
}

/// Counts a position; returns `None` if no layout fits.
fn analyze(position: &KnownPosition, scale: &Scale<'_>, budget: &Budget) -> Result<Option<Analysis<f64>>, StopReason> {
    let analysis = Analysis::new(position, budget, |free, taken| scale.binomial(free, taken))?;
    budget.stop.requested().map_or(Ok(analysis.ok()), Err)
}

/// A table of the logarithms of factorials.
pub struct LogFactorials(Vec<f64>);

impl LogFactorials {
    /// Computes the table for the factorials of 0 to `most`.
    pub fn new(most: usize) -> Self {
        let mut log_factorials = vec![0.0];
        for number in 1..=most {
            log_factorials.push(log_factorials[number - 1] + (number as f64).ln());
        }
        LogFactorials(log_factorials)
    }

    /// Returns the scale for a position and its successors, which keeps their weights within `f64`.
    pub fn scale_for(&self, position: &KnownPosition) -> Scale<'_> {
        let closed = position.count(Cell::Closed);
        let mines = position.mines.map_or(0, |mines| mines.saturating_sub(position.count(Cell::Mine)));
        Scale { log_factorials: self, reference: self.binomial(closed, mines.min(closed)) }
    }

    fn binomial(&self, all: usize, taken: usize) -> f64 {
        self.0[all] - self.0[taken] - self.0[all - taken]
    }
}

/// A common divisor of weights: the exponential of `reference`.
pub struct Scale<'a> {
    log_factorials: &'a LogFactorials,
    reference: f64,
}

impl Scale<'_> {
    fn binomial(&self, all: usize, taken: usize) -> f64 {
        (self.log_factorials.binomial(all, taken) - self.reference).exp()
    }

    /// Converts a weight to a number of layouts.
    fn count(&self, weight: f64) -> f64 {
        weight * self.reference.exp()
    }
}
