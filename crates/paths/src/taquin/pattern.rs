//! Pattern databases: for a few tiles, the least number of moves of these tiles that brings them to
//! their goal cells.
//!
//! ```text
//!   1  2  3  4     A B B B   The other tiles are indistinguishable, and their moves are not
//!   5  6  7  8     A A B B   counted. So the values of patterns that share no tile may be added:
//!   9 10 11 12     A A B B   an admissible heuristic (Korf and Felner, *Disjoint pattern database
//!  13 14 15        A A B .   heuristics*, 2002).
//! ```
//!
//! An abstract state, a *view*, is the cells of the pattern's tiles and the region that the blank
//! can reach without moving any of them. The views are the nodes of an undirected graph whose edges
//! are the moves of the tiles, and the value of a view is its distance to the goal's view. It is
//! admissible, because every path of the board to the goal contains a path of the view to its goal.
//! It is at least as large as the value of the usual table, which ignores the region.
//!
//! An edge moves one tile by one step, so the parity of a view is that of its tiles' Manhattan
//! distance, and the values at the two ends of an edge differ by exactly one. Given one of them, a
//! single **bit** is enough to determine the other: the second lowest, which differs between n − 1
//! and n + 1. The table consists of these bits (the idea: Breyer and Korf, *1.6-bit pattern
//! databases*, 2010). The value of the start board is found by a descent to the goal.
//!
//! # The position of a bit
//!
//! The occupied cells and the region select a *block*. A block has a bit for each *order* of the
//! tiles, that is, their sequence when the cells are read row by row. The order is packed in 3 bits
//! for each tile and ranked by two small tables.
//!
//! ```text
//!   . 3 . .   A tile that moves left or right keeps its place in the order: 3 1 0 2. One that
//!   1 . 0 .   moves up or down jumps over the tiles between, at most one fewer than there are
//!   . 2 . .   columns: when 1 moves down, 3 0 2 1. Either way, a single permutation maps the
//!             orders of one block to those of another.
//! ```
//!
//! # Construction
//!
//! A table is built by a breadth-first search from the goal. A layer is a set of bits in each
//! block. A block collects the layer's bits from its neighbours, whole words if the order stays the
//! same, and bit by bit through a small table if a tile jumps; new bits become its part of the next
//! layer. The chessboard colours of the cells give the parity of a block. The blocks of one parity
//! are read while those of the other are written, so threads share the work without a lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::pages::{Pages, zeroed};
use super::shape::Shape;

/// A set of tiles, represented by their goal cells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub shape: Shape,
    /// At most [`MAX_TILES`], in ascending order.
    pub tiles: Vec<u8>,
}

/// Maximum number of tiles in a pattern: the order of eight tiles fits 24 bits, and its rank 16.
pub const MAX_TILES: usize = 8;

/// A set of cells, as bits.
type CellSet = u32;

/// The positions of a pattern's tiles on a board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The occupied cells.
    occupied: CellSet,
    /// Three bits for each occupied cell, the lowest for the first cell: the index in the pattern
    /// of the tile on it.
    order: u32,
}

impl Pattern {
    fn occupied(&self) -> CellSet {
        self.tiles.iter().map(|&tile| 1 << tile).sum()
    }

    /// Returns the representative of all patterns that are images of each other under the
    /// symmetries of the frame, so that they share a table, and the image of each cell.
    ///
    /// This requires that the goal of the blank does not matter: the tiles on their goal cells
    /// leave a single region. Any other pattern represents itself.
    pub fn canonical(&self) -> (Pattern, [u8; 32]) {
        let Shape { rows, columns, .. } = self.shape;
        let identity = std::array::from_fn(|cell| cell as u8);
        if rows != columns || Frame::new(self.shape).regions(self.occupied()).len() > 1 {
            return (self.clone(), identity);
        }
        let symmetries = (0..8).map(|symmetry| {
            std::array::from_fn::<u8, 32, _>(|cell| {
                let (row, column) = (cell / columns % rows, cell % columns);
                let (row, column) = if symmetry & 1 != 0 { (column, row) } else { (row, column) };
                let row = if symmetry & 2 != 0 { rows - 1 - row } else { row };
                let column = if symmetry & 4 != 0 { columns - 1 - column } else { column };
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

    /// Returns the placement of the pattern's tiles on a board.
    pub fn placement(&self, tile_on: impl Fn(usize) -> usize) -> Placement {
        let mut placement = Placement::default();
        for cell in (0..self.shape.cells()).rev() {
            if let Some(number) = self.tiles.iter().position(|&tile| usize::from(tile) == tile_on(cell)) {
                placement.occupied |= 1 << cell;
                placement.order = placement.order << 3 | number as u32;
            }
        }
        placement
    }

    fn goal(&self) -> Placement {
        self.placement(|cell| cell)
    }
}

impl Placement {
    /// Returns the placement after the tile on `from` moves to the adjacent cell `to`.
    #[inline(always)]
    pub fn slide(self, from: usize, to: usize) -> Self {
        let (first, last) = (from.min(to), from.max(to));
        let below = |cell: usize| (1 << cell) - 1;
        let occupied = self.occupied ^ 1 << from ^ 1 << to;
        if last - first == 1 {
            return Placement { occupied, order: self.order };
        }
        let place = 3 * (self.occupied & below(first)).count_ones();
        let jumped = 3 * (self.occupied & below(last) & !below(first + 1)).count_ones();
        Placement {
            occupied,
            order: if from < to { rise(self.order, place, jumped) } else { sink(self.order, place, jumped) },
        }
    }
}

/// Moves the tile at bit offset `place` behind the tiles in the next `jumped` bits.
#[inline(always)]
fn rise(order: u32, place: u32, jumped: u32) -> u32 {
    let part = order >> place & ((8 << jumped) - 1);
    order ^ (part ^ (part >> 3 | (part & 7) << jumped)) << place
}

/// The inverse of [`rise`]: moves the tile at bit offset `place + jumped` back to `place`.
#[inline(always)]
fn sink(order: u32, place: u32, jumped: u32) -> u32 {
    let part = order >> place & ((8 << jumped) - 1);
    order ^ (part ^ (part << 3 & ((8 << jumped) - 1) | part >> jumped)) << place
}

/// A frame with the masks for operations on sets of its cells.
struct Frame {
    shape: Shape,
    /// The cells with a neighbour to the left.
    has_left: CellSet,
    /// The cells with a neighbour to the right.
    has_right: CellSet,
}

impl Frame {
    fn new(shape: Shape) -> Self {
        let column = |column: usize| (0..shape.cells()).skip(column).step_by(shape.columns).map(|cell| 1 << cell).sum();
        let (first, last): (CellSet, CellSet) = (column(0), column(shape.columns - 1));
        let all = (1 << shape.cells()) - 1;
        Frame { shape, has_left: all & !first, has_right: all & !last }
    }

    /// Returns the cells that are adjacent to a cell of the set.
    fn neighbours_of(&self, cells: CellSet) -> CellSet {
        (cells & self.has_left) >> 1
            | (cells & self.has_right) << 1
            | cells >> self.shape.columns
            | cells << self.shape.columns & ((1 << self.shape.cells()) - 1)
    }

    /// Returns the connected regions of the unoccupied cells, in the order of their first cells.
    fn regions(&self, occupied: CellSet) -> Vec<CellSet> {
        let mut free = !occupied & ((1 << self.shape.cells()) - 1);
        let mut regions = Vec::new();
        while free != 0 {
            let mut region = free & free.wrapping_neg();
            loop {
                let grown = (region | self.neighbours_of(region)) & free;
                if grown == region {
                    break;
                }
                region = grown;
            }
            free &= !region;
            regions.push(region);
        }
        regions
    }
}

/// The numbering of blocks; those of even parity come first.
struct Blocks {
    frame: Frame,
    /// The rank of a set of cells is the entry of `base` for its upper cells plus that of `rank`
    /// for its lower cells. The latter is a rank among all sets of as many lower cells.
    base: Vec<u32>,
    rank: Vec<u16>,
    /// For each set of occupied cells, its first block and its row in `rows`.
    sets: Vec<(u32, u32)>,
    /// For each cell, the index of its region. Sets with the same regions share a row.
    rows: Vec<[u8; 32]>,
    /// The occupied cells and the region of each block.
    all: Vec<(CellSet, CellSet)>,
    /// The number of blocks of even parity.
    even: usize,
}

const LOW_CELLS: usize = 13;

impl Blocks {
    fn new(pattern: &Pattern) -> Self {
        let (shape, tiles, goal) = (pattern.shape, pattern.tiles.len() as u32, pattern.occupied());
        let low_cells = LOW_CELLS.min(shape.cells());
        let mut counts = vec![0u16; low_cells + 1];
        let mut next_of = |low: u32| {
            let count = &mut counts[low.count_ones() as usize];
            *count += 1;
            *count - 1
        };
        let rank: Vec<u16> = (0..1u32 << low_cells).map(&mut next_of).collect();
        let mut sets = 0;
        let base: Vec<u32> = (0..1u32 << (shape.cells() - low_cells))
            .map(|high| {
                let rest = tiles.checked_sub(high.count_ones()).and_then(|rest| counts.get(rest as usize));
                sets += rest.map_or(0, |&count| u32::from(count));
                sets - rest.map_or(0, |&count| u32::from(count))
            })
            .collect();
        let sets = vec![(0, 0); sets as usize];
        let frame = Frame::new(shape);
        let mut blocks = Blocks { frame, base, rank, sets, rows: Vec::new(), all: Vec::new(), even: 0 };
        let dark = |cell: &usize| (cell / shape.columns + cell % shape.columns) % 2 == 1;
        let dark: CellSet = (0..shape.cells()).filter(dark).map(|cell| 1 << cell).sum();
        let mut rows: FxHashMap<[u8; 32], u32> = FxHashMap::default();
        for is_odd in [false, true] {
            for occupied in subsets(shape.cells(), tiles) {
                if ((occupied ^ goal) & dark).count_ones() % 2 != u32::from(is_odd) {
                    continue;
                }
                let (first, mut row) = (blocks.all.len() as u32, [0; 32]);
                for (number, region) in blocks.frame.regions(occupied).into_iter().enumerate() {
                    for cell in cells_of(region) {
                        row[cell] = number as u8;
                    }
                    blocks.all.push((occupied, region));
                }
                let next = rows.len() as u32;
                let row = *rows.entry(row).or_insert_with_key(|&row| {
                    blocks.rows.push(row);
                    next
                });
                let number = blocks.number(occupied);
                blocks.sets[number] = (first, row);
            }
            if !is_odd {
                blocks.even = blocks.all.len();
            }
        }
        blocks
    }

    #[inline(always)]
    fn number(&self, occupied: CellSet) -> usize {
        let low = occupied & ((1 << LOW_CELLS) - 1);
        self.base[(occupied >> LOW_CELLS) as usize] as usize + usize::from(self.rank[low as usize])
    }

    #[inline(always)]
    fn block(&self, occupied: CellSet, blank: usize) -> usize {
        let (first, row) = self.sets[self.number(occupied)];
        first as usize + usize::from(self.rows[row as usize][blank % 32])
    }
}

/// Enumerates all sets of `count` cells, in numerical order.
fn subsets(cells: usize, count: u32) -> impl Iterator<Item = CellSet> {
    let first: u64 = (1 << count) - 1;
    let next = |set: &u64| {
        // Gosper's hack: the lowest movable cell moves up by one, and those below it return to the
        // start.
        let low = set & set.wrapping_neg();
        let up = set + low;
        (low > 0).then(|| up | (((set ^ up) >> 2) / low))
    };
    std::iter::successors(Some(first), next).take_while(move |set| set >> cells == 0).map(|set| set as CellSet)
}

fn cells_of(mut set: CellSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (cell < 32).then_some(cell as usize)
    })
}

/// Ranks orders: by the later tiles, then by the first four.
struct Orders {
    tiles: usize,
    low_bits: u32,
    low: Vec<u8>,
    high: Vec<u16>,
}

impl Orders {
    fn new(tiles: usize) -> Self {
        let low_tiles = tiles.min(4);
        let (mut low, mut high) = (vec![0; 1 << (3 * low_tiles)], vec![0; 1 << (3 * (tiles - low_tiles))]);
        // The first four are ranked by their relative order alone, in the factorial number system.
        for part in sequences(tiles, low_tiles) {
            let tile = |place: usize| part >> (3 * place) & 7;
            let smaller = |place: usize| (place + 1..low_tiles).filter(|&later| tile(later) < tile(place)).count();
            let rank = (0..low_tiles).fold(0, |rank, place| rank * (low_tiles - place) + smaller(place));
            low[part as usize] = rank as u8;
        }
        let low_orders: usize = (1..=low_tiles).product();
        for (number, part) in sequences(tiles, tiles - low_tiles).into_iter().enumerate() {
            high[part as usize] = (number * low_orders) as u16;
        }
        Orders { tiles, low_bits: 3 * low_tiles as u32, low, high }
    }

    #[inline(always)]
    fn rank(&self, order: u32) -> usize {
        let low = order & ((1 << self.low_bits) - 1);
        usize::from(self.high[(order >> self.low_bits) as usize]) + usize::from(self.low[low as usize])
    }

    fn count(&self) -> usize {
        (1..=self.tiles).product()
    }

    /// Returns all orders, sorted by rank.
    fn all(&self) -> Vec<u32> {
        let mut all = sequences(self.tiles, self.tiles);
        all.sort_unstable_by_key(|&order| self.rank(order));
        all
    }
}

/// Returns all sequences of `length` distinct tiles, packed like an order.
fn sequences(tiles: usize, length: usize) -> Vec<u32> {
    let mut sequences = vec![0];
    for place in 0..length as u32 {
        let contains = |sequence: u32, tile: u32| (0..place).any(|other| sequence >> (3 * other) & 7 == tile);
        let longer = |tile: u32| {
            let rest = sequences.iter().filter(move |&&rest| !contains(rest, tile));
            rest.map(move |rest| rest | tile << (3 * place))
        };
        sequences = (0..tiles as u32).flat_map(longer).collect();
    }
    sequences
}

/// Maps each view (an abstract state) to the position of its bit.
pub struct TableLayout {
    pub pattern: Pattern,
    blocks: Blocks,
    orders: Orders,
    /// Words in a block.
    words: usize,
}

/// A pattern database.
pub struct BitTable {
    layout: TableLayout,
    bits: Pages,
}

impl TableLayout {
    pub fn new(pattern: Pattern) -> Self {
        assert!((1..=MAX_TILES).contains(&pattern.tiles.len()) && pattern.tiles.is_sorted(), "{pattern:?}");
        let orders = Orders::new(pattern.tiles.len());
        TableLayout { blocks: Blocks::new(&pattern), words: orders.count().div_ceil(64), orders, pattern }
    }

    /// Returns the size of the table in bytes.
    pub fn bytes(&self) -> usize {
        self.blocks.all.len() * self.words * 8
    }

    /// Builds the table on `threads` threads. Returns `None` if `stop` returns true or memory is
    /// exhausted; the construction needs three times the memory of the table.
    pub fn build(self, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<BitTable> {
        let (words, blocks) = (self.words, &self.blocks.all);
        let jumps = Jumps::new(&self);
        let mut bits = zeroed(self.bytes())?;
        let half = |count: usize| {
            let bytes = count * words * 8;
            Some(Half { layer: zeroed(bytes)?, visited: zeroed(bytes)?, has_part: vec![false; count] })
        };
        let mut halves = [half(self.blocks.even)?, half(blocks.len() - self.blocks.even)?];
        let goal = self.pattern.goal();
        let (block, rank) = (self.blocks.block(goal.occupied, self.pattern.shape.home), self.orders.rank(goal.order));
        let byte = block * words * 8 + rank / 8;
        (halves[0].layer[byte], halves[0].visited[byte]) = (1 << (rank % 8), 1 << (rank % 8));
        halves[0].has_part[block] = true;
        // The pieces are so small that no thread waits long for another.
        let piece = (blocks.len() / 512).max(1);
        for distance in 1.. {
            let is_odd = distance % 2 == 1;
            let next_blocks = if is_odd { self.blocks.even..blocks.len() } else { 0..self.blocks.even };
            let last_begin = if is_odd { 0 } else { self.blocks.even };
            let [even, odd] = &mut halves;
            let (last, next) = if is_odd { (even, odd) } else { (odd, even) };
            let length = piece * words * 8;
            let pieces = blocks[next_blocks.clone()]
                .chunks(piece)
                .zip(next.layer.chunks_mut(length))
                .zip(next.has_part.chunks_mut(piece))
                .zip(next.visited.chunks_mut(length))
                .zip(bits[next_blocks.start * words * 8..next_blocks.end * words * 8].chunks_mut(length));
            let (last, had_part) = (Words(&last.layer), &last.has_part);
            let pieces = Mutex::new(pieces);
            let (is_stopped, is_over) = (AtomicBool::new(false), AtomicBool::new(true));
            let work = || {
                let mut collected = vec![0; words];
                loop {
                    let piece = pieces.lock().next();
                    let Some(((((blocks, next), has_part), visited), bits)) = piece else { break };
                    if is_stopped.load(Ordering::Relaxed) || stop() {
                        is_stopped.store(true, Ordering::Relaxed);
                        break;
                    }
                    for (index, (&block, has_part)) in blocks.iter().zip(has_part).enumerate() {
                        let range = index * words * 8..(index + 1) * words * 8;
                        if jumps.collect(block, last_begin, had_part, &last, &mut collected) {
                            let writes_table = distance / 2 % 2 == 1;
                            let parts = (&mut visited[range.clone()], &mut bits[range.clone()], &mut next[range]);
                            *has_part = mark_new(&collected, parts, writes_table);
                        } else if std::mem::take(has_part) {
                            next[range].fill(0);
                        }
                        if *has_part {
                            is_over.store(false, Ordering::Relaxed);
                        }
                    }
                }
            };
            thread::scope(|scope| {
                for _ in 1..threads {
                    // If a thread cannot be started, the others do its work.
                    let _ = thread::Builder::new().spawn_scoped(scope, work);
                }
                work();
            });
            if is_stopped.into_inner() {
                return None;
            }
            if is_over.into_inner() {
                break;
            }
        }
        drop((halves, jumps));
        Some(BitTable { layout: self, bits })
    }

    /// Returns a table with the given bits, those of a table that was built earlier.
    pub fn with_bits(self, bits: Pages) -> BitTable {
        assert_eq!(bits.len(), self.bytes(), "a bit for each view");
        BitTable { layout: self, bits }
    }
}

/// The blocks of one parity during construction: the visited views, the last layer, and for each
/// block, whether it has a part of that layer.
struct Half {
    visited: Pages,
    layer: Pages,
    has_part: Vec<bool>,
}

/// Bytes read as little-endian words.
struct Words<'b>(&'b [u8]);

impl Words<'_> {
    fn of_block(&self, block: usize, words: usize) -> impl Iterator<Item = u64> {
        let bytes = &self.0[block * words * 8..(block + 1) * words * 8];
        bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word))
    }
}

/// Marks the new views among those collected for a block, and makes them the block's part of the
/// next layer. If `writes_table`, also sets their bits in the table. Returns true if there are new
/// views.
fn mark_new(collected: &[u64], (visited, bits, next): (&mut [u8], &mut [u8], &mut [u8]), writes_table: bool) -> bool {
    let words = visited.as_chunks_mut().0.iter_mut().zip(bits.as_chunks_mut().0).zip(next.as_chunks_mut().0);
    let mut all_new = 0;
    for (&collected, ((visited, bits), next)) in collected.iter().zip(words) {
        let old = u64::from_le_bytes(*visited);
        let new = collected & !old;
        *visited = (old | new).to_le_bytes();
        if writes_table {
            *bits = (u64::from_le_bytes(*bits) | new).to_le_bytes();
        }
        *next = new.to_le_bytes();
        all_new |= new;
    }
    all_new != 0
}

/// The permutations of ranks that vertical moves induce.
struct Jumps<'l> {
    layout: &'l TableLayout,
    /// For each place and number of jumped tiles, the maps from old to new ranks: for the move to
    /// the later place, and for the move back.
    ranks: Vec<[Vec<u16>; 2]>,
}

impl<'l> Jumps<'l> {
    fn new(layout: &'l TableLayout) -> Self {
        let (tiles, columns, orders) = (layout.pattern.tiles.len(), layout.pattern.shape.columns, &layout.orders);
        let all = orders.all();
        let ranks = |place: usize, jumped: usize, jump: fn(u32, u32, u32) -> u32| {
            if jumped == 0 || place + jumped >= tiles {
                return Vec::new();
            }
            all.iter().map(|&order| orders.rank(jump(order, 3 * place as u32, 3 * jumped as u32)) as u16).collect()
        };
        let places = (0..tiles).flat_map(|place| (0..columns).map(move |jumped| (place, jumped)));
        Jumps {
            layout,
            ranks: places.map(|(place, jumped)| [rise, sink].map(|jump| ranks(place, jumped, jump))).collect(),
        }
    }

    /// Collects the views of a block that are adjacent to the last layer. Returns false if there
    /// are none.
    fn collect(
        &self,
        (occupied, region): (CellSet, CellSet),
        last_begin: usize,
        had_part: &[bool],
        last: &Words<'_>,
        collected: &mut [u64],
    ) -> bool {
        let (blocks, words) = (&self.layout.blocks, collected.len());
        let mut is_empty = true;
        for from in cells_of(occupied & blocks.frame.neighbours_of(region)) {
            for to in cells_of(blocks.frame.neighbours_of(1 << from) & region) {
                let other = blocks.block(occupied ^ 1 << from ^ 1 << to, from) - last_begin;
                if !had_part[other] {
                    continue;
                }
                if std::mem::take(&mut is_empty) {
                    collected.fill(0);
                }
                let part = last.of_block(other, words);
                let (first, end) = (from.min(to), from.max(to));
                let before = (occupied & ((1 << first) - 1)).count_ones() as usize;
                let jumped = ((occupied & ((1 << end) - 1)) >> (first + 1)).count_ones() as usize;
                if jumped == 0 {
                    part.zip(&mut *collected).for_each(|(part, collected)| *collected |= part);
                    continue;
                }
                // In the neighbouring view, the tile is on `to` and moves to `from`.
                let ranks = &self.ranks[before * blocks.frame.shape.columns + jumped][usize::from(from < to)];
                for (part, ranks) in part.zip(ranks.chunks(64)) {
                    let mut part = part;
                    while part != 0 {
                        let rank = usize::from(ranks[part.trailing_zeros() as usize % ranks.len()]);
                        part &= part - 1;
                        collected[rank / 64] |= 1 << (rank % 64);
                    }
                }
            }
        }
        !is_empty
    }
}

impl BitTable {
    /// Returns the bits as they are stored in a file.
    pub fn bytes(&self) -> &[u8] {
        &self.bits
    }

    pub fn pattern(&self) -> &Pattern {
        &self.layout.pattern
    }

    /// Returns the second lowest bit of the value of a view.
    #[inline(always)]
    fn bit(&self, placement: Placement, blank: usize) -> u8 {
        let block = self.layout.blocks.block(placement.occupied, blank);
        let rank = self.layout.orders.rank(placement.order);
        self.bits[block * self.layout.words * 8 + rank / 8] >> (rank % 8) & 1
    }

    /// Returns the value of a view, given the value of an adjacent one. `blank` is the cell that
    /// the moved tile has left.
    #[inline(always)]
    pub fn adjacent_distance(&self, adjacent: u8, placement: Placement, blank: usize) -> u8 {
        let greater = adjacent + 1;
        greater - 2 * ((greater >> 1 ^ self.bit(placement, blank)) & 1)
    }

    /// Computes the value of a view from scratch, by descending to the goal.
    pub fn distance(&self, placement: Placement, blank: usize) -> u8 {
        let (blocks, goal) = (&self.layout.blocks, self.pattern().goal());
        let goal_block = blocks.block(goal.occupied, self.pattern().shape.home);
        let block = blocks.block(placement.occupied, blank);
        // The bit and the parity give the value modulo 4.
        let remainder = |placement: Placement, blank: usize| {
            let is_odd = blocks.block(placement.occupied, blank) >= blocks.even;
            self.bit(placement, blank) << 1 | u8::from(is_odd)
        };
        let (mut here, mut block, mut steps) = (placement, block, 0);
        let mut current_remainder = remainder(placement, blank);
        while (here.order, block) != (goal.order, goal_block) {
            let (occupied, region) = blocks.all[block];
            let moves = cells_of(occupied).flat_map(|from| {
                cells_of(blocks.frame.neighbours_of(1 << from) & region).map(move |to| (from, here.slide(from, to)))
            });
            current_remainder = (current_remainder + 3) % 4;
            let mut descents = moves.filter(|&(blank, next)| remainder(next, blank) == current_remainder);
            let (blank, next) =
                descents.next().expect("the table is whole: from every view a move leads nearer to the goal");
            (here, block, steps) = (next, blocks.block(next.occupied, blank), steps + 1);
        }
        steps
    }
}
