//! Pattern databases: for a few tiles alone, the least number of their own moves that brings them home.
//!
//! ```text
//!   1  2  3  4        A A A A      The other tiles are all alike, and their moves are not counted. So the numbers of patterns
//!   5  6  7  8        B C C A      that share no tile may be added: an admissible heuristic (Korf and Felner, *Disjoint pattern
//!   9 10 11 12        B B C C      database heuristics*, 2002).
//!  13 14 15           B B C
//! ```
//!
//! A table is built backwards from the goal, breadth first, over placements of the tiles together with the region in which
//! the free cell can go about without moving any of them: all cells of a region are the same. A look-up does not know the
//! region and takes the least number over all of them.
//!
//! A placement is a number of 4 or 5 bits a tile, as boards keep it ([`super::additive`]). There are two kinds of table:
//!
//! - Direct tables ([`super::direct`]) are read at the placement itself. Half of the entries mean nothing (two tiles on one cell), but nothing
//!   is quicker. Six tiles of a board of up to 16 cells take 17 MB.
//! - [`Ranked`] tables are for larger ones. The lower and the higher half of a placement are each ranked among the
//!   placements of so many tiles by a small table, and the two ranks make the index. An entry holds half of what the number
//!   exceeds the Manhattan distance of the tiles by, which is always even, in 4 bits.

use super::pages::Pages;
use super::shape::Shape;

/// Tiles, by the cells where they belong.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub shape: Shape,
    pub tiles: Vec<u8>,
}

impl Pattern {
    /// The same question, asked the same way for all patterns that are each other's images by turning and reflecting the
    /// frame: a table for one serves them all. With it comes the image of each cell.
    ///
    /// Where the free cell ends does not matter if it can go everywhere between the tiles at home.
    pub fn canonical(&self) -> (Pattern, [u8; 32]) {
        let Shape { rows, columns, .. } = self.shape;
        let identity = std::array::from_fn(|cell| cell as u8);
        let taken: Region = self.tiles.iter().map(|&tile| 1 << tile).sum();
        let regions = Regions::new(self.shape, 0);
        let free = regions.all & !taken;
        if rows != columns || regions.region(free & free.wrapping_neg(), taken) != free {
            return (self.clone(), identity);
        }
        let symmetries = (0..8usize).map(|symmetry| {
            std::array::from_fn::<u8, 32, _>(|cell| {
                let (mut row, mut column) = (cell / columns % rows, cell % columns);
                if symmetry & 1 != 0 {
                    (row, column) = (column, row);
                }
                if symmetry & 2 != 0 {
                    row = rows - 1 - row;
                }
                if symmetry & 4 != 0 {
                    column = columns - 1 - column;
                }
                (row * columns + column) as u8
            })
        });
        let image_of = |image: &[u8; 32]| {
            let mut tiles: Vec<u8> = self.tiles.iter().map(|&tile| image[usize::from(tile)]).collect();
            tiles.sort_unstable();
            tiles
        };
        let image = symmetries.min_by_key(image_of).unwrap_or(identity);
        let tiles = image_of(&image);
        let home = (0..self.shape.cells()).find(|&cell| !tiles.contains(&(cell as u8))).unwrap_or(self.shape.home);
        (Pattern { shape: Shape { home, ..self.shape }, tiles }, image)
    }
}

/// Tiles on cells, 4 or 5 bits each, the first tile lowest.
type Placement = u64;

/// Bits that name a cell.
pub fn bits_of_cell(shape: Shape) -> u32 {
    if shape.cells() <= 16 { 4 } else { 5 }
}

/// Explores a pattern and calls `record` for each placement once, with the placement and the least number of moves from
/// it to the goal. `None` when `stop` says so, or there is no memory for it.
pub fn explore(
    pattern: &Pattern,
    stop: &(dyn Fn() -> bool + Sync),
    mut record: impl FnMut(usize, usize),
) -> Option<()> {
    let entries = 1 << (bits_of_cell(pattern.shape) as usize * pattern.tiles.len());
    let index = |placement| placement as usize;
    Explorer::new(pattern, entries, index)?.run(stop, |index, moves, _| record(index, moves))
}

/// A table with an entry of 4 bits for each pair of ranks.
pub struct Ranked {
    pub pattern: Pattern,
    ranks: Ranks,
    /// Two entries in a byte, the even index in the lower half.
    pub excess: Pages,
}

/// The most that 4 bits hold; a larger excess is cut to it, which is still admissible.
const MOST: usize = 15;

impl Ranked {
    /// Bytes of its table.
    pub fn bytes(pattern: &Pattern) -> usize {
        Ranks::entries(pattern).div_ceil(2)
    }

    /// `None` when `stop` says so, or there is no memory for it. Needs a byte for each entry, besides the half that stays.
    pub fn build(pattern: Pattern, stop: &(dyn Fn() -> bool + Sync)) -> Option<Self> {
        let mut excess = Pages::zeroed(Self::bytes(&pattern))?;
        let ranks = Ranks::new(&pattern);
        Explorer::new(&pattern, Ranks::entries(&pattern), |placement| ranks.index(placement as usize))?.run(
            stop,
            |index, number, steps| {
                excess[index / 2] |= (((number - steps) / 2).min(MOST) as u8) << (index % 2 * 4);
            },
        )?;
        Some(Ranked { pattern, ranks, excess })
    }

    /// From entries that were built before, as many as [`Ranked::bytes`] says.
    pub fn with(pattern: Pattern, excess: Pages) -> Self {
        Ranked { ranks: Ranks::new(&pattern), pattern, excess }
    }

    /// Half of what the tiles need beyond their Manhattan distance.
    #[inline(always)]
    pub fn excess(&self, placement: usize) -> u32 {
        let index = self.ranks.index(placement);
        u32::from(self.excess[index / 2] >> (index % 2 * 4) & 15)
    }
}

/// Ranks of the two halves of a placement; those of the higher are multiplied, so that the sum is the index.
struct Ranks {
    low: Vec<u32>,
    high: Vec<u32>,
    low_bits: u32,
}

impl Ranks {
    fn halves(pattern: &Pattern) -> (usize, usize) {
        (pattern.tiles.len().div_ceil(2), pattern.tiles.len() / 2)
    }

    fn entries(pattern: &Pattern) -> usize {
        let (low, high) = Self::halves(pattern);
        placements(pattern.shape.cells(), low) * placements(pattern.shape.cells(), high)
    }

    fn new(pattern: &Pattern) -> Self {
        let (bits, (low, high)) = (bits_of_cell(pattern.shape), Self::halves(pattern));
        let cells = pattern.shape.cells();
        Ranks {
            low: ranks(cells, low, bits, 1),
            high: ranks(cells, high, bits, placements(cells, low)),
            low_bits: bits * low as u32,
        }
    }

    #[inline(always)]
    fn index(&self, placement: usize) -> usize {
        let low = self.low[placement & (self.low.len() - 1)];
        let high = self.high[placement >> self.low_bits];
        (low + high) as usize
    }
}

/// Ways to put so many tiles on cells.
fn placements(cells: usize, tiles: usize) -> usize {
    (0..tiles).map(|placed| cells - placed).product()
}

/// For each number of `tiles` cells, its rank among those without repetition, times `factor`.
fn ranks(cells: usize, tiles: usize, bits: u32, factor: usize) -> Vec<u32> {
    let mut ranks = vec![0; 1 << (bits as usize * tiles)];
    let mut next = 0;
    for (number, rank) in ranks.iter_mut().enumerate() {
        let cell = |tile: usize| number >> (bits as usize * tile) & ((1 << bits) - 1);
        let is_placement =
            (0..tiles).all(|tile| cell(tile) < cells && (0..tile).all(|other| cell(other) != cell(tile)));
        if is_placement {
            *rank = (next * factor) as u32;
            next += 1;
        }
    }
    ranks
}

/// A set of cells.
type Region = u32;

/// A placement and a free cell, packed: the cell below the placement.
type State = u64;

const CELL_BITS: u32 = 5;

/// Goes through all placements, from the goal on.
struct Explorer<'p, I> {
    pattern: &'p Pattern,
    index: I,
    bits: u32,
    regions: Regions,
    /// For each index, the regions of the free cell that were met; all ones when they were all met.
    met: Pages,
    neighbours: [Region; 32],
    /// Steps home of each tile from each cell.
    steps: Vec<[u8; 32]>,
}

impl<'p, I: Fn(Placement) -> usize> Explorer<'p, I> {
    /// `None` where there is no memory for so many entries.
    fn new(pattern: &'p Pattern, entries: usize, index: I) -> Option<Self> {
        let shape = pattern.shape;
        let mut neighbours = [0; 32];
        for (cell, neighbours) in neighbours.iter_mut().enumerate().take(shape.cells()) {
            *neighbours =
                (0..shape.cells()).filter(|&other| shape.distance(cell, other) == 1).map(|other| 1 << other).sum();
        }
        let steps_of = |&tile: &u8| {
            let mut steps = [0; 32];
            for (cell, steps) in steps.iter_mut().enumerate().take(shape.cells()) {
                *steps = shape.distance(cell, usize::from(tile)) as u8;
            }
            steps
        };
        Some(Explorer {
            pattern,
            index,
            bits: bits_of_cell(shape),
            regions: Regions::new(shape, pattern.tiles.len()),
            met: Pages::zeroed(entries)?,
            neighbours,
            steps: pattern.tiles.iter().map(steps_of).collect(),
        })
    }

    /// Calls `record` for each placement once, with its index, the least number of moves from it to the goal, and its
    /// Manhattan distance.
    fn run(mut self, stop: &(dyn Fn() -> bool + Sync), mut record: impl FnMut(usize, usize, usize)) -> Option<()> {
        let tiles = &self.pattern.tiles;
        let goal = tiles.iter().rev().fold(0, |placement, &tile| placement << self.bits | Placement::from(tile));
        let taken: Region = tiles.iter().map(|&tile| 1 << tile).sum();
        let home = self.pattern.shape.home;
        self.meet((self.index)(goal), taken, home);
        record((self.index)(goal), 0, 0);
        let mut layer = vec![goal << CELL_BITS | home as State];
        let mut moves = 0;
        while !layer.is_empty() {
            moves += 1;
            let mut next = Vec::new();
            for (number, &state) in layer.iter().enumerate() {
                if number % 4096 == 0 {
                    // A tile has four neighbours.
                    if stop() || next.try_reserve(4096 * 4 * tiles.len()).is_err() {
                        return None;
                    }
                }
                let placement = state >> CELL_BITS;
                let mut taken: Region = 0;
                let mut steps = 0;
                for (tile, steps_of) in self.steps.iter().enumerate() {
                    let cell = self.cell(placement, tile);
                    taken |= 1 << cell;
                    steps += usize::from(steps_of[cell]);
                }
                let region = self.regions.region(1 << (state & ((1 << CELL_BITS) - 1)), taken);
                for tile in 0..tiles.len() {
                    let from = self.cell(placement, tile);
                    let mut open = self.neighbours[from] & region;
                    while open != 0 {
                        let to = open.trailing_zeros() as usize;
                        open &= open - 1;
                        let after = placement ^ ((from ^ to) as Placement) << (self.bits as usize * tile);
                        let index = (self.index)(after);
                        let met = self.met[index];
                        if met == u8::MAX || !self.meet(index, taken ^ 1 << from ^ 1 << to, from) {
                            continue;
                        }
                        if met == 0 {
                            let steps_of = &self.steps[tile];
                            let steps = steps + usize::from(steps_of[to]) - usize::from(steps_of[from]);
                            record(index, moves, steps);
                        }
                        next.push(after << CELL_BITS | from as State);
                    }
                }
            }
            // In the order of the table, its parts are read one after the other instead of here and there.
            next.sort_unstable();
            layer = next;
        }
        Some(())
    }

    /// Meets a placement with the free cell on a cell; whether its region is new there.
    #[inline(always)]
    fn meet(&mut self, index: usize, taken: Region, free: usize) -> bool {
        let row = self.regions.row(taken);
        let (mark, met) = (row[free], self.met[index]);
        if met & mark != 0 {
            return false;
        }
        let met = met | mark;
        self.met[index] = if met == row[ALL_MARKS] { u8::MAX } else { met };
        true
    }

    #[inline(always)]
    fn cell(&self, placement: Placement, tile: usize) -> usize {
        (placement >> (self.bits as usize * tile)) as usize & ((1 << self.bits) - 1) & 31
    }
}

/// For every set of so many taken cells, the regions that the others make: each region has a mark of one bit.
struct Regions {
    columns: usize,
    all: Region,
    /// The cells that have a neighbour to the left, to the right.
    left: Region,
    right: Region,
    /// Sets are numbered by their higher part and, among those with as many cells in it, the lower.
    base: Vec<u32>,
    rank: Vec<u32>,
    /// The mark of each free cell's region, and at [`ALL_MARKS`] all of them.
    rows: Vec<[u8; 32]>,
}

const LOW_CELLS: usize = 13;
const ALL_MARKS: usize = 31;

impl Regions {
    fn new(shape: Shape, taken: usize) -> Self {
        let all: Region = (1 << shape.cells()) - 1;
        let column = |column: usize| -> Region {
            (0..shape.cells()).filter(|cell| cell % shape.columns == column).map(|cell| 1 << cell).sum()
        };
        let low_cells = LOW_CELLS.min(shape.cells());
        let mut counts = vec![0u32; low_cells + 1];
        let rank: Vec<u32> = (0..1u32 << low_cells)
            .map(|low| {
                let count = &mut counts[low.count_ones() as usize];
                *count += 1;
                *count - 1
            })
            .collect();
        let mut sets = 0;
        let base: Vec<u32> = (0..1u32 << (shape.cells() - low_cells))
            .map(|high| {
                let rest = (taken as u32).checked_sub(high.count_ones());
                let base = sets;
                sets += rest.and_then(|rest| counts.get(rest as usize)).copied().unwrap_or(0);
                base
            })
            .collect();
        let (left, right) = (all & !column(0), all & !column(shape.columns - 1));
        let mut regions = Regions { columns: shape.columns, all, left, right, base, rank, rows: Vec::new() };
        regions.rows = vec![[0; 32]; sets as usize];
        for set in (0..=all).filter(|set| set.count_ones() as usize == taken) {
            let number = regions.number(set);
            regions.rows[number] = regions.marks(set);
        }
        regions
    }

    fn number(&self, set: Region) -> usize {
        (self.base[(set >> LOW_CELLS) as usize] + self.rank[(set & ((1 << LOW_CELLS) - 1)) as usize]) as usize
    }

    #[inline(always)]
    fn row(&self, taken: Region) -> &[u8; 32] {
        &self.rows[self.number(taken)]
    }

    fn marks(&self, taken: Region) -> [u8; 32] {
        let mut row = [0; 32];
        let (mut rest, mut mark) = (self.all & !taken, 1u8);
        while rest != 0 {
            let region = self.region(rest & rest.wrapping_neg(), taken);
            rest &= !region;
            for (cell, entry) in row.iter_mut().enumerate().take(ALL_MARKS) {
                if region >> cell & 1 == 1 {
                    *entry = mark;
                }
            }
            row[ALL_MARKS] |= mark;
            assert!(rest == 0 || mark < 1 << 7, "the tiles of a pattern cut off at most eight regions");
            mark <<= 1;
        }
        row
    }

    /// The free cells that hang together with `seed`.
    fn region(&self, seed: Region, taken: Region) -> Region {
        let free = self.all & !taken;
        let mut region = seed;
        loop {
            let grown = (region
                | (region & self.left) >> 1
                | (region & self.right) << 1
                | region >> self.columns
                | region << self.columns)
                & free;
            if grown == region {
                return region;
            }
            region = grown;
        }
    }
}
