//! The exact endgame: the move that wins in most of the remaining layouts.
//!
//! A state of the game tree is the set of layouts that fit the open cells. It does not matter which
//! other cells are open, as opening a cell that is safe in all layouts costs nothing. Such cells
//! are opened first and split the layouts by the numbers that they show. Otherwise a cell is
//! guessed: it loses the layouts where it is a mine and splits the others. A transposition table
//! stores the bound of each set under 128 random bits. These techniques keep the tree small:
//!
//! - *Dead* cells show the same number wherever they are safe. A plan that begins with a dead cell
//!   loses nothing by omitting it, so dead cells are not moves. Of layouts that differ in dead
//!   cells only, one can be won, so one of them represents all.
//! - *Cliques.* Two layouts without a cell that is safe in both and shows different numbers cannot
//!   be distinguished until one of them is lost: no plan wins both. Of layouts that are pairwise
//!   indistinguishable at most one is won. The layouts are covered with such cliques once
//!   (`cliques.rs`), and a set of layouts is won in at most as many of them as it has cliques. If
//!   guesses remain that no information can help, this bound is far below the number of layouts in
//!   which some cell is safe.
//! - *Dominated* cells: where one is safe, another one is safe too. The other one can be opened
//!   first at no loss.
//! - Cells are tried in the order of an upper bound on their wins, which is refined in stages: the
//!   layouts in which they are safe; then, for the one in front, the cliques in each group by the
//!   number shown; then the minimum of that and the bound from the safest living cell of the group.
//!
//! A search that uses up its work still returns the best of the cells that it tried at the root: in
//! two of three positions the first cell is the best one, and most of the work is spent on the
//! proof.
//!
//! Measurements, and techniques that were tried without a gain, are in `docs/notes/minesweeper.md`.
//!
//! The solvers of David Hill (JSMinesweeper, `BruteForceAnalysis.js`) drop dead cells and one of
//! two cells with equal mines, and bound by safety alone.

use std::ops::Range;

use base::stop::CancelToken;
use rustc_hash::FxHashMap;

use super::super::grid::Cell;
use super::super::layouts::Layouts;
use super::super::position::KnownPosition;
use super::cliques::{MINE, NUMBERS, cliques};

/// Returns the best move, or the best of those that were searched within `work`, if any. No cell
/// may be safe in all of the layouts.
pub fn best_move(position: &KnownPosition, layouts: &Layouts, work: u64, stop: &CancelToken) -> Option<BestMove> {
    let board = EndgameBoard::new(position, layouts);
    let result = board.search(work, stop);
    let is_safe = |&bit: &usize| layouts.all[0] >> bit & 1 == 0;
    let cell = match result.cell {
        Some(column) => board.cells[column],
        // No cell distinguishes the layouts, so they are equally good: choose a cell that is safe
        // in the first one.
        None if result.is_complete => layouts.cells[(0..layouts.cells.len()).find(is_safe)?],
        None => return None,
    };
    Some(BestMove { cell, wins: result.wins, is_proven: result.is_complete })
}

/// Returns the number of layouts in which the game is won after all cells that are safe in all
/// layouts are opened, or `None` if the run is stopped.
pub fn wins(position: &KnownPosition, layouts: &Layouts, stop: &CancelToken) -> Option<u32> {
    let result = EndgameBoard::new(position, layouts).search(u64::MAX, stop);
    result.is_complete.then_some(result.wins)
}

/// A move, and the number of layouts in which the game is won with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestMove {
    pub cell: usize,
    pub wins: u32,
    /// True if no other move is better.
    pub is_proven: bool,
}

/// Maximum number of layouts.
pub const MAX_LAYOUTS: usize = i16::MAX as usize;

/// The informative cells, and the layouts that differ in them.
struct EndgameBoard {
    /// The cells that distinguish most pairs of layouts come first.
    cells: Vec<usize>,
    /// For each cell, what it shows in each layout: a number or `MINE`.
    columns: Vec<Vec<u8>>,
    /// For each layout, the index of its clique.
    cliques: Vec<u16>,
}

impl EndgameBoard {
    fn new(position: &KnownPosition, layouts: &Layouts) -> Self {
        debug_assert!(layouts.cells.iter().all(|&cell| position.cells[cell] == Cell::Closed));
        assert!(layouts.all.len() <= MAX_LAYOUTS);
        let mut mines = vec![vec![0_u8; layouts.all.len()]; layouts.cells.len()];
        for (bit, mines) in mines.iter_mut().enumerate() {
            for (is_mine, &layout) in mines.iter_mut().zip(&layouts.all) {
                *is_mine = (layout >> bit & 1) as u8;
            }
        }
        let mut living = Vec::new();
        for (&cell, cell_mines) in layouts.cells.iter().zip(&mines) {
            let around = position.around(cell);
            let mut column = vec![0; layouts.all.len()];
            for (_, mines) in layouts.cells.iter().zip(&mines).filter(|(neighbor, _)| around.contains(neighbor)) {
                for (shown, is_mine) in column.iter_mut().zip(mines) {
                    *shown += is_mine;
                }
            }
            for (shown, &is_mine) in column.iter_mut().zip(cell_mines) {
                *shown = if is_mine == 1 { MINE } else { *shown };
            }
            let mut counts = [0_u64; MINE as usize + 1];
            for &shown in &column {
                counts[shown as usize] += 1;
            }
            let numbers = &counts[..NUMBERS];
            let safe: u64 = numbers.iter().sum();
            // Twice the number of pairs that the cell distinguishes.
            let distinguished_pairs: u64 = numbers.iter().map(|count| count * (safe - count)).sum();
            if distinguished_pairs > 0 {
                living.push((distinguished_pairs, cell, column));
            }
        }
        living.sort_by_key(|&(distinguished_pairs, ..)| std::cmp::Reverse(distinguished_pairs));
        let (cells, columns): (_, Vec<Vec<u8>>) = living.into_iter().map(|(_, cell, column)| (cell, column)).unzip();
        // Sort the layouts so that similar layouts are close to each other, and equal ones
        // adjacent.
        let mut order: Vec<usize> = (0..layouts.all.len()).collect();
        for columns in columns.chunks(32).rev() {
            order.sort_by_cached_key(|&layout| {
                columns.iter().fold(0, |key, column| key << 4 | u128::from(column[layout]))
            });
        }
        order.dedup_by(|a, b| columns.iter().all(|column| column[*a] == column[*b]));
        let columns = in_order(&columns, &order);
        let (order, cliques) = cliques(&columns, order.len());
        EndgameBoard { cells, columns: in_order(&columns, &order), cliques }
    }

    fn search(&self, work: u64, stop: &CancelToken) -> TreeResult {
        match self.columns.len() {
            0..=16 => GameTree::<16>::new(self, work, stop).search(),
            17..=32 => GameTree::<32>::new(self, work, stop).search(),
            33..=48 => GameTree::<48>::new(self, work, stop).search(),
            49..=64 => GameTree::<64>::new(self, work, stop).search(),
            _ => GameTree::<128>::new(self, work, stop).search(),
        }
    }
}

fn in_order(columns: &[Vec<u8>], order: &[usize]) -> Vec<Vec<u8>> {
    let mut sorted = vec![vec![0; order.len()]; columns.len()];
    for (sorted, column) in sorted.iter_mut().zip(columns) {
        for (shown, &layout) in sorted.iter_mut().zip(order) {
            *shown = column[layout];
        }
    }
    sorted
}

/// A layout: for each cell, the number that it shows, as a bit, or the sign bit for a mine.
type Row<const CELLS: usize> = [i16; CELLS];

/// Returns true if a cell with these observations can show more than one number.
#[inline(always)]
fn is_living(observed: i16) -> bool {
    let numbers = observed & i16::MAX;
    numbers & numbers.wrapping_sub(1) != 0
}

/// The game tree over some layouts. Sets of layouts are ranges of a stack of indices, ascending.
struct GameTree<'a, const CELLS: usize> {
    board: &'a EndgameBoard,
    rows: Vec<Row<CELLS>>,
    /// Random numbers; their XOR over a set is its key.
    keys: Vec<u128>,
    table: FxHashMap<u128, TableEntry>,
    stack: Vec<u16>,
    /// The number of layouts that may still be visited.
    work: u64,
    stop: &'a CancelToken,
    /// Number of sets visited.
    sets: u64,
}

/// Number of sets between two polls of the cancellation token.
const POLL_INTERVAL: u64 = 1024;

/// The stored upper bound on the number of layouts of a set that can be won.
#[derive(Debug, Clone, Copy)]
struct TableEntry {
    at_most: u16,
    is_exact: bool,
}

/// The number of layouts won, and the first cell, if any is informative.
struct TreeResult {
    wins: u32,
    cell: Option<usize>,
    /// False if the work was used up or the run was stopped.
    is_complete: bool,
}

/// For each cell, the numbers that it shows in a set of layouts, and the number of layouts in which
/// it is a mine.
struct SetScan<const CELLS: usize> {
    observed: Row<CELLS>,
    mines: [i16; CELLS],
}

/// A cell to guess, with an upper bound on its wins; each stage refines the bound.
#[derive(Debug, Clone, Copy)]
struct EndgameMove {
    at_most: u32,
    basis: Bound,
    cell: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bound {
    Safety,
    Cliques,
    Groups,
}

/// The layouts in which a cell is safe, grouped by the number that it shows: the ends of the
/// groups, and an upper bound on the wins of each.
struct Groups {
    ends: [usize; NUMBERS + 1],
    at_most: [u32; NUMBERS],
}

impl Groups {
    fn iter(&self) -> impl Iterator<Item = (Range<usize>, u32)> {
        let ranges = self.ends.array_windows().map(|&[begin, end]| begin..end);
        ranges.zip(self.at_most).filter(|(group, _)| !group.is_empty())
    }

    fn at_most(&self) -> u32 {
        self.at_most.iter().sum()
    }
}

impl<'a, const CELLS: usize> GameTree<'a, CELLS> {
    fn new(board: &'a EndgameBoard, work: u64, stop: &'a CancelToken) -> Self {
        let row = |layout: usize| {
            let mut row = [0; CELLS];
            for (cell, column) in row.iter_mut().zip(&board.columns) {
                *cell = 1 << column[layout];
            }
            row
        };
        let rows: Vec<Row<CELLS>> = (0..board.cliques.len()).map(row).collect();
        let mut random = fastrand::Rng::with_seed(1);
        let keys = rows.iter().map(|_| random.u128(..)).collect();
        let stack = (0..rows.len() as u16).collect();
        GameTree { board, rows, keys, table: FxHashMap::default(), stack, work, stop, sets: 0 }
    }

    fn search(&mut self) -> TreeResult {
        self.best_move_in(0..self.rows.len(), 0)
    }

    /// Returns the number of layouts won if it exceeds `bound`; otherwise an upper bound on it that
    /// is at most `bound`. `None` if the work is used up or the run is stopped.
    fn wins(&mut self, set: Range<usize>, bound: u32) -> Option<u32> {
        if self.sets.is_multiple_of(POLL_INTERVAL) && self.stop.requested().is_some() {
            return None;
        }
        self.sets += 1;
        self.work = self.work.checked_sub(set.len() as u64 + 4)?;
        if set.len() == 2 {
            let [a, b] = [set.start, set.start + 1].map(|at| &self.rows[self.stack[at] as usize]);
            // Of two indistinguishable layouts one is won.
            return Some(1 + u32::from(a.iter().zip(b).any(|(&a, &b)| a != b && a | b > 0)));
        }
        let mut key = 0;
        for &layout in &self.stack[set.clone()] {
            key ^= self.keys[layout as usize];
        }
        if let Some(entry) = self.table.get(&key)
            && (entry.is_exact || u32::from(entry.at_most) <= bound)
        {
            return Some(entry.at_most.into());
        }
        let TreeResult { wins, is_complete: true, .. } = self.best_move_in(set, bound) else { return None };
        self.table.insert(key, TableEntry { at_most: wins as u16, is_exact: wins > bound });
        Some(wins)
    }

    /// Like `wins`, but also returns the move.
    fn best_move_in(&mut self, set: Range<usize>, bound: u32) -> TreeResult {
        let scan = self.scan(set.clone());
        // The safe cell that shows the most different numbers; of several, the last.
        let (mut safe, mut most) = (None, 0);
        for cell in 0..CELLS {
            let observed = scan.observed[cell];
            if observed > 0 && is_living(observed) && observed.count_ones() >= most {
                (safe, most) = (Some(cell), observed.count_ones());
            }
        }
        match safe {
            Some(cell) => {
                let wins = self.wins_after(set, cell, bound);
                TreeResult { wins: wins.unwrap_or(0), cell: Some(cell), is_complete: wins.is_some() }
            }
            None => self.guess(set, &scan, bound),
        }
    }

    /// Guesses in a set without an informative safe cell; the cell with the largest bound is tried
    /// first.
    fn guess(&mut self, set: Range<usize>, scan: &SetScan<CELLS>, bound: u32) -> TreeResult {
        let mut candidates = Vec::with_capacity(CELLS);
        for cell in (0..CELLS).filter(|&cell| is_living(scan.observed[cell])) {
            let at_most = (set.len() as i16 - scan.mines[cell]) as u32;
            candidates.push(EndgameMove { at_most, basis: Bound::Safety, cell });
        }
        let (mut best, mut rest) = (TreeResult { wins: 1, cell: None, is_complete: true }, 1);
        while let Some(first) = candidates.iter_mut().max_by_key(|candidate| (candidate.at_most, candidate.basis)) {
            let floor = best.wins.max(bound);
            if first.at_most <= floor {
                // None of the remaining cells wins more.
                rest = rest.max(first.at_most);
                break;
            }
            let cell = first.cell;
            match first.basis {
                Bound::Safety => {
                    first.basis = Bound::Cliques;
                    first.at_most = self.cliques_after(set.clone(), cell);
                }
                Bound::Cliques => {
                    first.basis = Bound::Groups;
                    first.at_most = self.at_most_after(set.clone(), scan, cell, floor);
                }
                Bound::Groups => {
                    first.at_most = 0;
                    let Some(wins) = self.wins_after(set.clone(), cell, floor) else {
                        return TreeResult { is_complete: false, ..best };
                    };
                    if wins > floor {
                        best = TreeResult { wins, cell: Some(cell), ..best };
                    } else {
                        rest = rest.max(wins);
                    }
                }
            }
        }
        if best.wins <= bound {
            best.wins = best.wins.max(rest).min(bound);
        }
        best
    }

    /// Returns the wins after a click on a cell, or, if they are at most `bound`, an upper bound
    /// that is at most `bound`.
    fn wins_after(&mut self, set: Range<usize>, cell: usize, bound: u32) -> Option<u32> {
        let height = self.stack.len();
        let groups = self.partition(set, cell);
        // An upper bound on the wins of the remaining groups.
        let mut remaining = groups.at_most();
        let mut wins = 0;
        for (group, at_most) in groups.iter() {
            if wins + remaining <= bound {
                break;
            }
            remaining -= at_most;
            wins += if at_most == 1 { 1 } else { self.wins(group, bound.saturating_sub(wins + remaining))? };
        }
        self.stack.truncate(height);
        Some(wins + remaining)
    }

    /// Returns the number of cliques after a click on a cell, summed over the groups.
    fn cliques_after(&mut self, set: Range<usize>, cell: usize) -> u32 {
        self.work = self.work.saturating_sub(set.len() as u64);
        let mut last = [u16::MAX; MINE as usize + 1];
        let mut count = 0;
        for &layout in &self.stack[set] {
            let (shown, clique) =
                (self.board.columns[cell][layout as usize] & MINE, self.board.cliques[layout as usize]);
            count += u32::from(shown != MINE && last[shown as usize] != clique);
            last[shown as usize] = clique;
        }
        count
    }

    /// Returns an upper bound on the wins of a click, summed over the groups, or 0 if the cell is
    /// dominated. The sum ends early once the bound is at most `floor`.
    fn at_most_after(&mut self, set: Range<usize>, scan: &SetScan<CELLS>, cell: usize, floor: u32) -> u32 {
        let height = self.stack.len();
        let groups = self.partition(set, cell);
        self.work = self.work.saturating_sub((self.stack.len() - height) as u64);
        let mut at_most = groups.at_most();
        let mut observed = [0; CELLS];
        for (group, cliques) in groups.iter() {
            let len = group.len();
            let group = self.scan(group);
            at_most -= cliques.saturating_sub(group.at_most(len));
            for (observed, group) in observed.iter_mut().zip(group.observed) {
                *observed |= group;
            }
            if at_most <= floor {
                break;
            }
        }
        self.stack.truncate(height);
        // Of two cells that dominate each other, the first one is not counted as dominated.
        let order = |cell: usize| (scan.mines[cell], cell);
        let dominates =
            |other: usize| observed[other] > 0 && order(other) < order(cell) && is_living(scan.observed[other]);
        if at_most > floor && (0..CELLS).any(dominates) { 0 } else { at_most }
    }

    /// Pushes the layouts in which a cell is safe, grouped by the number that it shows.
    fn partition(&mut self, set: Range<usize>, cell: usize) -> Groups {
        self.work = self.work.saturating_sub(set.len() as u64);
        let column = &self.board.columns[cell][..];
        const VALUES: usize = MINE as usize + 1;
        let (mut sizes, mut cliques, mut last) = ([0; VALUES], [0; VALUES], [u16::MAX; VALUES]);
        for &layout in &self.stack[set.clone()] {
            let (shown, clique) = ((column[layout as usize] & MINE) as usize, self.board.cliques[layout as usize]);
            sizes[shown] += 1;
            cliques[shown] += u32::from(last[shown] != clique);
            last[shown] = clique;
        }
        let mut ends = [self.stack.len(); NUMBERS + 1];
        for number in 0..NUMBERS {
            ends[number + 1] = ends[number] + sizes[number];
        }
        self.stack.resize(ends[NUMBERS], 0);
        let mut next = ends;
        for index in set {
            let layout = self.stack[index];
            let shown = column[layout as usize] as usize;
            if shown < NUMBERS {
                self.stack[next[shown]] = layout;
                next[shown] += 1;
            }
        }
        Groups { ends, at_most: std::array::from_fn(|number| cliques[number]) }
    }

    #[inline(always)]
    fn scan(&self, set: Range<usize>) -> SetScan<CELLS> {
        let mut scan = SetScan { observed: [0; CELLS], mines: [0; CELLS] };
        for &layout in &self.stack[set] {
            let row = &self.rows[layout as usize];
            for (cell, &shown) in row.iter().enumerate() {
                scan.observed[cell] |= shown;
                scan.mines[cell] -= shown >> 15;
            }
        }
        scan
    }
}

impl<const CELLS: usize> SetScan<CELLS> {
    /// Returns an upper bound on the wins in `layouts` layouts: no living cell is safer than the
    /// safest one, and a single layout can always be won.
    #[inline(always)]
    fn at_most(&self, layouts: usize) -> u32 {
        let mut most = 1;
        for cell in 0..CELLS {
            let safe = if is_living(self.observed[cell]) { layouts as i16 - self.mines[cell] } else { 0 };
            most = most.max(safe);
        }
        most as u32
    }
}
