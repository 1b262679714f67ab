//! Probabilities by sampling, where the frontier is too wide to count.
//!
//! A Markov chain over the layouts that fit. A step holds all but two windows of the board fixed, draws the layout of both
//! at once from all that fit the rest, with exact weights, and adds what a window then expects of its cells to the sums
//! (which says more than the layout that was drawn). What is outside makes a window's numbers smaller, so that inside it is
//! an ordinary frontier: the same boxes, elimination orders and chains count it.
//!
//! ```text
//!   ? ? ? ? ? ? ?      fixed                 A window is a strip as long as its cells allow, and as high as its count is
//!   2 ? 3 ? 1 ? 2      ───┐                  cheap: its states are those of a narrow board. Strips lie along the rows and
//!   ? ? ? ? ? ? ?         │ drawn again      along the columns, each in two tilings, one half a strip further than the
//!   3 ? 2 ? 2 ? 1      ───┘                  other, so that every cell is inside some window with its neighbours.
//!   ? ? ? ? ? ? ?      fixed
//! ```
//!
//! The total couples both windows with the free cells, of which only the number of mines counts. Two windows far from each
//! other can exchange mines, also where no cell is free. And chains may leave the total: a layout is less likely the more it
//! is off, which joins what the total keeps apart. A step counts with the share that layouts with the right total have in
//! it, and with what those expect alone. So the layouts that count are all equally likely (block Gibbs sampling with partial
//! blocks summed out: Hamze and de Freitas, "From fields to trees", 2004; Liu, Wong and Kong, "Covariance structure of the
//! Gibbs sampler", 1994).
//!
//! Chains start from layouts of clingo, which fit the numbers and not yet the total. A few rounds are thrown away.
//!
//! What is not guaranteed: that every layout can be reached from every other. Numbers may force a change of cells that no
//! two windows hold. Then the chains that started apart stay apart, their means differ, and the error bar, which is the
//! standard error of the mean over the chains, says so; layouts that no chain came near are missed nevertheless. So nothing
//! here is called proven but one thing: a value that a cell takes in some layout that was met, it can take.
//!
//! Measured on lattices (every second cell of every second row is open, no cell is free: the hardest there are), 24 boards
//! of 17×17 and 24 of 21×21: of 9,564 cells 91 % have the exact probability within two standard errors, 96 % within three;
//! with eight chains 91 % and 98 % are to be expected. The others are on four boards whose layouts fall into parts. The error
//! is 0.01 to 0.02 where it is not.
//!
//! Tried and lost: half as high windows (half as much is drawn in a step, and chains on locked boards stay where they are;
//! the error is twice as large for the same time); a total that is kept from the first step on (three cells in four hundred
//! more outside of two errors).

use super::count::{Budget, Chain, Polynomial};
use super::coupling::sums;
use super::elimination::{Order, order};
use super::frontier::{Component, Frontier, List, Witness};
use super::grid::Grid;
use crate::stop::{Reason, Stop};

/// Chains that know nothing of each other.
pub const CHAINS: usize = 8;
/// Rounds of a chain, each of which draws every box four times; and those before, of which nothing is kept.
pub const ROUNDS: usize = 20;
pub const BURN_IN: usize = ROUNDS / 5;
/// How many times less likely a layout is for each mine that it is off the total, as a logarithm.
const PENALTY: f64 = 0.5;
/// States that a window is expected to have at the most.
const STATES: f64 = 60_000.0;
/// Cells of a window at the most: the layouts of two are counted in floating point numbers.
const CELLS: usize = 360;
/// Rows of a strip along the rows at the most.
const HEIGHT: usize = 16;

/// What was seen of cells that are alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Of a mine in each of the cells.
    pub probability: f64,
    /// Its standard error.
    pub error: f64,
    /// The value that the cells had in all layouts that were met, if it is one.
    pub always: Option<bool>,
}

/// Chains on their way.
pub struct Sampler<'a> {
    whole: Whole<'a>,
    windows: Vec<Window>,
    walks: Vec<Walk>,
    /// Rounds of all chains whose layouts count.
    rounds: usize,
}

/// The boxes of all components, under common names.
struct Whole<'a> {
    grid: Grid,
    /// Cells and witnesses.
    boxes: Vec<(&'a [u32], List)>,
    /// Cells of witnesses.
    witnesses: Vec<usize>,
    free: &'a [u32],
    /// Mines in the boxes and the free cells, if that is known.
    mines: Option<usize>,
    /// Logarithms of factorials, up to the free cells.
    factorials: Vec<f64>,
}

/// Boxes that are drawn together, in parts without a witness in common.
struct Window {
    parts: Vec<Part>,
    /// Row and column of its witnesses, at the least and at the most.
    low: [usize; 2],
    high: [usize; 2],
}

struct Part {
    component: Component,
    order: Order,
    /// Names in the whole.
    boxes: Vec<u32>,
}

/// Where a chain is, and what it has seen.
struct Walk {
    random: fastrand::Rng,
    /// Mines of each box, and of all.
    taken: Vec<u8>,
    mines: usize,
    seen: Vec<Seen>,
    free: Seen,
}

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Mines that were expected, and the share of layouts with the right total, summed over the steps.
    expected: f64,
    weight: f64,
    /// A bit for each number of mines.
    possible: u16,
}

impl<'a> Sampler<'a> {
    /// Chains over the layouts of a frontier with so many mines, from layouts that fit its numbers.
    pub fn new(grid: Grid, frontier: &'a Frontier, mines: Option<usize>, starts: &[Vec<usize>]) -> Self {
        let whole = Whole::new(grid, frontier, mines);
        let walks = starts.iter().zip(0..).map(|(start, seed)| Walk::new(&whole, start, seed)).collect();
        let windows = if starts.is_empty() { Vec::new() } else { whole.windows() };
        Sampler { whole, windows, walks, rounds: 0 }
    }

    /// So many rounds of all chains, side by side, so that there is something to compare whenever the time is over.
    pub fn walk(&mut self, rounds: usize, stop: &Stop) -> Result<(), Reason> {
        for _ in 0..rounds {
            let Sampler { whole, windows, walks, .. } = self;
            walks.iter_mut().try_for_each(|walk| walk.round(whole, windows, stop))?;
            self.rounds += 1;
        }
        Ok(())
    }

    /// Whether there are chains to compare, which went so far that it says something.
    pub fn is_telling(&self) -> bool {
        self.walks.len() > 1 && self.rounds >= BURN_IN
    }

    /// Throws away what was seen until now, but for the values that are possible.
    pub fn forget(&mut self) {
        self.walks.iter_mut().for_each(Walk::forget);
        self.rounds = 0;
    }

    /// What was seen of each set of cells that are alike; nothing of cells that fewer than two chains have drawn.
    pub fn estimates(&self) -> Vec<(&'a [u32], Estimate)> {
        let boxes = self.whole.boxes.iter().enumerate();
        let of_box = |(index, &(cells, _)): (usize, &(&'a [u32], List))| {
            Some((cells, estimate(cells.len(), self.walks.iter().map(|walk| walk.seen[index]))?))
        };
        let free = self.whole.free;
        let of_free = || match self.whole.mines {
            _ if free.is_empty() => None,
            None => Some((free, Estimate { probability: 0.5, error: 0.0, always: None })),
            Some(_) => Some((free, estimate(free.len(), self.walks.iter().map(|walk| walk.free))?)),
        };
        boxes.filter_map(of_box).chain(of_free()).collect()
    }
}

/// The mean of the chains, and its standard error.
fn estimate(cells: usize, seen: impl Iterator<Item = Seen> + Clone) -> Option<Estimate> {
    let seen = seen.filter(|seen| seen.weight > 0.0);
    let chains = seen.clone().count() as f64;
    if chains < 2.0 {
        return None;
    }
    let possible = seen.clone().fold(0, |possible, seen| possible | seen.possible);
    let weight: f64 = seen.clone().map(|seen| seen.weight).sum();
    let means = seen.map(|seen| seen.expected / seen.weight / cells as f64);
    let mean = means.clone().sum::<f64>() / chains;
    let variance = means.map(|other| (other - mean).powi(2)).sum::<f64>() / (chains - 1.0);
    let always = if possible == 1 { Some(false) } else { (possible == 1 << cells.min(15)).then_some(true) };
    // What is rarer can have been overlooked in so many layouts.
    let rare = 1.0 / (weight + 2.0);
    Some(Estimate { probability: mean.clamp(rare, 1.0 - rare), error: (variance / chains).sqrt().max(rare), always })
}

impl<'a> Whole<'a> {
    fn new(grid: Grid, frontier: &'a Frontier, mines: Option<usize>) -> Self {
        let (mut boxes, mut witnesses) = (Vec::new(), Vec::new());
        for component in &frontier.components {
            let first = witnesses.len() as u32;
            boxes.extend(component.boxes.iter().map(|class| {
                let mut names = List::default();
                class.witnesses.iter().for_each(|witness| names.push(first + witness as u32));
                (class.cells.as_slice(), names)
            }));
            witnesses.extend(component.witnesses.iter().map(|witness| witness.cell));
        }
        let mut factorials = vec![0.0];
        for number in 1..=frontier.free.len() {
            factorials.push(factorials[number - 1] + (number as f64).ln());
        }
        Whole { grid, boxes, witnesses, free: &frontier.free, mines, factorials }
    }

    /// By how many mines the boxes are too many, or too few.
    fn distance(&self, mines: usize) -> usize {
        let Some(total) = self.mines else { return 0 };
        mines.saturating_sub(total) + total.saturating_sub(mines + self.free.len())
    }

    /// The logarithm of what the free cells make of so many mines in the boxes.
    fn logarithm(&self, mines: usize) -> f64 {
        match (self.mines, self.distance(mines)) {
            (Some(total), 0) => {
                let (free, taken) = (self.free.len(), total - mines);
                self.factorials[free] - self.factorials[taken] - self.factorials[free - taken]
            }
            (_, distance) => -PENALTY * distance as f64,
        }
    }

    /// Strips along both axes, in two tilings each.
    fn windows(&self) -> Vec<Window> {
        let mut box_of = vec![u32::MAX; self.grid.extent()];
        for (index, (cells, _)) in self.boxes.iter().enumerate() {
            box_of[cells[0] as usize] = index as u32;
        }
        let place = |index: u32| self.grid.place(self.boxes[index as usize].0[0] as usize);
        let mut windows = Vec::new();
        for across in [0, 1] {
            for shift in [0, HEIGHT / 2] {
                let strip = |index: &u32| (place(*index)[across] + shift) / HEIGHT;
                let mut boxes: Vec<u32> = (0..self.boxes.len() as u32).collect();
                boxes.sort_by_key(|index| (strip(index), place(*index)[1 - across]));
                let is_same = |a: &u32, b: &u32| strip(a) == strip(b);
                // In one tiling pieces end where those of the other have their middle.
                let first = CELLS / if shift == 0 { 1 } else { 2 };
                let mut strips: Vec<(Vec<u32>, usize)> =
                    boxes.chunk_by(is_same).map(|boxes| (boxes.to_vec(), HEIGHT)).collect();
                while let Some((boxes, height)) = strips.pop() {
                    let pieces: Vec<Window> =
                        self.pieces(&boxes, first).map(|piece| self.window(piece, &box_of)).collect();
                    if height == 1 || pieces.iter().all(|piece| piece.states() <= STATES) {
                        windows.extend(pieces);
                        continue;
                    }
                    let half = height / 2;
                    let is_upper = |index: &u32| (place(*index)[across] + shift) % height < half;
                    let (upper, lower) = boxes.into_iter().partition(is_upper);
                    strips.extend([(upper, half), (lower, half)]);
                }
            }
        }
        windows
    }

    /// A strip in pieces of so many cells, the first one of `first`.
    fn pieces<'b>(&'b self, mut boxes: &'b [u32], first: usize) -> impl Iterator<Item = &'b [u32]> {
        let mut room = first;
        std::iter::from_fn(move || {
            let mut cells = 0;
            let fits = |index: &&u32| {
                cells += self.boxes[**index as usize].0.len();
                cells <= room
            };
            let len = boxes.iter().take_while(fits).count();
            let (piece, rest) = boxes.split_at(len);
            (boxes, room) = (rest, CELLS);
            (len > 0).then_some(piece)
        })
    }

    fn window(&self, boxes: &[u32], box_of: &[u32]) -> Window {
        let mut touched: Vec<u32> =
            boxes.iter().flat_map(|&index| self.boxes[index as usize].1.iter()).map(|witness| witness as u32).collect();
        touched.sort_unstable();
        touched.dedup();
        let asleep = |&witness: &u32| {
            let cell = self.witnesses[witness as usize];
            Witness { cell, need: 0, closed: 0, boxes: List::default() }
        };
        let mut all = Component { witnesses: touched.iter().map(asleep).collect(), boxes: Vec::new() };
        for &index in boxes {
            let (cells, witnesses) = self.boxes[index as usize];
            let mut names = List::default();
            for witness in witnesses.iter() {
                let name = touched.binary_search(&(witness as u32)).expect("it is touched");
                all.witnesses[name].closed += cells.len() as u8;
                // What it lacks is not known yet; the middle has the most states.
                all.witnesses[name].need = all.witnesses[name].closed / 2;
                names.push(name as u32);
            }
            cells.iter().for_each(|&cell| all.add(cell, names));
        }
        let mut window = Window { parts: Vec::new(), low: [usize::MAX; 2], high: [0; 2] };
        for &witness in &touched {
            let place = self.grid.place(self.witnesses[witness as usize]);
            for axis in [0, 1] {
                window.low[axis] = window.low[axis].min(place[axis]);
                window.high[axis] = window.high[axis].max(place[axis]);
            }
        }
        for component in all.split() {
            let boxes = component.boxes.iter().map(|class| box_of[class.cells[0] as usize]).collect();
            window.parts.push(Part { order: order(&component, self.grid.stride()), component, boxes });
        }
        window
    }
}

impl Window {
    fn states(&self) -> f64 {
        self.parts.iter().map(|part| part.order.states).fold(0.0, f64::max)
    }

    fn is_apart_from(&self, other: &Window) -> bool {
        (0..2).any(|axis| self.high[axis] < other.low[axis] || other.high[axis] < self.low[axis])
    }
}

impl Part {
    /// Counts the layouts that fit what is outside.
    fn chain(&mut self, taken: &[u8]) -> Result<Chain<f64>, Reason> {
        for witness in &mut self.component.witnesses {
            witness.need = witness.boxes.iter().map(|class| taken[self.boxes[class] as usize]).sum();
        }
        Chain::new(&self.component, self.order.clone(), usize::MAX - 1, &Budget::none())
    }
}

impl Walk {
    /// Begins at a layout.
    fn new(whole: &Whole<'_>, start: &[usize], seed: u64) -> Self {
        let is_mine = |cell: &&u32| start.binary_search(&(**cell as usize)).is_ok();
        let taken: Vec<u8> = whole.boxes.iter().map(|(cells, _)| cells.iter().filter(is_mine).count() as u8).collect();
        let mines = taken.iter().map(|&taken| usize::from(taken)).sum();
        let seen = vec![Seen::default(); taken.len()];
        Walk { random: fastrand::Rng::with_seed(seed), taken, mines, seen, free: Seen::default() }
    }

    fn forget(&mut self) {
        for seen in self.seen.iter_mut().chain([&mut self.free]) {
            *seen = Seen { possible: seen.possible, ..Seen::default() };
        }
    }

    /// Draws every window once, by twos where they are apart.
    fn round(&mut self, whole: &Whole<'_>, windows: &mut [Window], stop: &Stop) -> Result<(), Reason> {
        const TRIES: usize = 8;
        let mut left: Vec<usize> = (0..windows.len()).collect();
        self.random.shuffle(&mut left);
        while let Some(one) = left.pop() {
            if let Some(reason) = stop.requested() {
                return Err(reason);
            }
            let is_apart = |&at: &usize| windows[one].is_apart_from(&windows[left[at]]);
            let other = (left.len().saturating_sub(TRIES)..left.len()).rev().find(is_apart);
            match other.map(|at| left.swap_remove(at)) {
                Some(other) => self.step(whole, windows, &[one, other])?,
                None => self.step(whole, windows, &[one])?,
            }
        }
        Ok(())
    }

    /// Draws the layout of some windows from all that fit the rest.
    fn step(&mut self, whole: &Whole<'_>, windows: &mut [Window], drawn: &[usize]) -> Result<(), Reason> {
        let mut chains = Vec::new();
        for &window in drawn {
            for part in &mut windows[window].parts {
                chains.push(part.chain(&self.taken)?);
            }
        }
        let parts = || drawn.iter().flat_map(|&window| &windows[window].parts);
        let inside = parts().flat_map(|part| &part.boxes).map(|&index| usize::from(self.taken[index as usize]));
        let outside = self.mines - inside.sum::<usize>();
        // What the parts before make of so many mines, and those after with all that is outside.
        let profiles: Vec<Polynomial<f64>> = chains.iter().map(Chain::profile).collect();
        let mut before = vec![Polynomial::<f64>::one()];
        for profile in &profiles {
            before.push(before[before.len() - 1].times(profile, usize::MAX - 1));
        }
        let all = &before[profiles.len()];
        let logarithms: Vec<f64> = (all.least..all.end()).map(|mines| whole.logarithm(outside + mines)).collect();
        let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let rest = Polynomial {
            least: all.least,
            weights: logarithms.iter().map(|logarithm| (logarithm - most).exp()).collect::<Vec<f64>>(),
        };
        // The same for layouts with the right total alone.
        let mut right = rest.clone();
        for (index, weight) in right.weights.iter_mut().enumerate() {
            if whole.distance(outside + all.least + index) > 0 {
                *weight = 0.0;
            }
        }
        let afters = |rest: Polynomial<f64>| {
            let mut after = vec![rest];
            for (profile, before) in profiles.iter().zip(&before).rev() {
                after.push(sums(before.least, before.weights.len(), profile, &after[after.len() - 1]));
            }
            after.reverse();
            after
        };
        let (after, right) = (afters(rest), afters(right));
        let sum = after[0].weights[0];
        let weight = right[0].weights[0] / sum;
        if let Some(total) = whole.mines {
            for (index, (ways, rest)) in all.weights.iter().zip(&right[profiles.len()].weights).enumerate() {
                if ways * rest > 0.0 {
                    let taken = total - outside - all.least - index;
                    self.free.expected += ways * rest / sum * taken as f64;
                    let [none, full] = [taken == 0, taken == whole.free.len()];
                    self.free.possible |= u16::from(!full) | u16::from(!none) << whole.free.len().min(15);
                }
            }
            self.free.weight += weight;
        }
        let mut used = 0;
        for (index, (chain, part)) in chains.iter().zip(parts()).enumerate() {
            let profile = &profiles[index];
            if weight > 0.0 {
                let goal = sums(profile.least, profile.weights.len(), &before[index], &right[index + 1]);
                for (mass, &name) in chain.masses(&goal).iter().zip(&part.boxes) {
                    let seen = &mut self.seen[name as usize];
                    seen.expected += mass.mines / sum;
                    seen.weight += weight;
                    seen.possible |= mass.possible;
                }
            }
            let weights = profile.weights.iter().enumerate().map(|(offset, ways)| {
                ways * after[index + 1].get(used + profile.least + offset).copied().unwrap_or(0.0)
            });
            let mines = profile.least + pick(weights, &mut self.random);
            for (class, taken) in chain.draw(mines, |weights| pick(weights.iter().copied(), &mut self.random)) {
                let name = part.boxes[class as usize] as usize;
                self.mines = self.mines - usize::from(self.taken[name]) + usize::from(taken);
                self.taken[name] = taken;
            }
            used += mines;
        }
        Ok(())
    }
}

/// One of some weights, by chance.
fn pick(weights: impl Iterator<Item = f64> + Clone, random: &mut fastrand::Rng) -> usize {
    let mut left = random.f64() * weights.clone().sum::<f64>();
    let mut last = 0;
    for (index, weight) in weights.enumerate().filter(|&(_, weight)| weight > 0.0) {
        last = index;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Cell, Position};
    use super::super::obvious;
    use super::super::probability::likelihood;
    use super::*;

    /// Every second cell of every second row is open, over random mines.
    fn lattice(side: usize, seed: u64) -> (Position, Vec<usize>) {
        let grid = Grid { rows: side, columns: side };
        let is_open = |cell: &usize| grid.place(*cell).iter().all(|at| at % 2 == 0);
        let mut closed: Vec<usize> = grid.cells().filter(|cell| !is_open(cell)).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut closed);
        closed.truncate(side * side * 245 / 1000);
        closed.sort_unstable();
        let mut position = Position::closed(grid, Some(closed.len()));
        for cell in grid.cells().filter(is_open) {
            let around = grid.around(cell).into_iter().filter(|near| closed.binary_search(near).is_ok()).count();
            position.cells[cell] = Cell::Open(around as u8);
        }
        (position, closed)
    }

    #[test]
    fn samples_are_as_far_from_the_exact_probabilities_as_they_say() {
        let (mut inside, mut all) = (0, 0);
        for seed in 0..6 {
            let (mut work, mines) = lattice(15, seed);
            let exact = likelihood(&work, &Budget::none()).expect("no limits").expect("a layout");
            obvious::mark_all(&mut work, |_| ()).expect("a layout");
            let frontier = Frontier::new(&work).expect("a layout");
            let left = work.mines.map(|mines| mines - work.count(Cell::Mine));
            let mut sampler = Sampler::new(work.grid, &frontier, left, &vec![mines; CHAINS]);
            sampler.walk(BURN_IN, &Stop::new()).expect("no stop");
            sampler.forget();
            sampler.walk(ROUNDS, &Stop::new()).expect("no stop");
            assert!(sampler.is_telling());
            for (cells, estimate) in sampler.estimates() {
                let exact = exact.of[cells[0] as usize];
                let off = (exact - estimate.probability).abs();
                assert!(off < 0.12, "seed {seed}, {cells:?}: {exact}, {estimate:?}");
                assert!(estimate.always.is_some() || exact % 1.0 != 0.0, "{cells:?}");
                (inside, all) = (inside + usize::from(off <= 2.0 * estimate.error), all + 1);
            }
        }
        assert!(all > 500 && inside * 100 > all * 80, "{inside} of {all}");
    }
}
