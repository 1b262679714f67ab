//! Pattern databases: for a few tiles alone, the least number of their own moves that brings them home.
//!
//! ```text
//!   1  2  3  4        A B B B      The other tiles are all alike, and their moves are not counted. So the numbers of patterns
//!   5  6  7  8        A A B B      that share no tile may be added: an admissible heuristic (Korf and Felner, *Disjoint pattern
//!   9 10 11 12        A A B B      database heuristics*, 2002).
//!  13 14 15           A A B .
//! ```
//!
//! What a pattern sees of a board is where its tiles are, and the region in which the free cell can go about without moving
//! any of them; all cells of a region are the same to it. These *views* are the nodes of a graph whose edges are the moves of the
//! tiles, there and back, and the number of a view is its distance from the goal's. It is admissible, since every way of the
//! board home holds a way of the view home, and no less than that of the usual table, which forgets the region.
//!
//! An edge takes one tile one step, and every view has the parity of its tiles' steps home. So the numbers at both ends of an
//! edge differ by exactly one, and whoever knows one of them needs a single **bit** to know the other: the second lowest, which
//! differs between n − 1 and n + 1. That is all a table holds (the idea: Breyer and Korf, *1.6-bit pattern databases*, 2010).
//! The first number of a board is counted by going down to the goal.
//!
//! # Where a bit lies
//!
//! The cells that are taken, and the region, choose a *block*; in a block there is a bit for each *order* of the tiles: as they
//! come when the cells are read row by row. The order is packed in 3 bits a tile and ranked by two small tables.
//!
//! ```text
//!   . 3 . .       A tile that goes to the left or the right keeps its place in the order: 3 1 0 2. One that goes up or down
//!   1 . 0 .       jumps over those between, at most one fewer than there are columns: when 1 goes down, 3 0 2 1. Either way
//!   . 2 . .       the orders of one block become those of another by one and the same permutation.
//! ```
//!
//! # Building
//!
//! Breadth first from the goal. A layer is a set of bits in each block; a block collects the layer's bits of its neighbours,
//! whole words where the order stays, and bit by bit through a small table where a tile jumps, and what it has not met becomes
//! its part of the next layer. The cells' colours, as on a chessboard, give a block's parity, so that the blocks of a layer are
//! read while those of the next are written: threads share the work without a lock.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustc_hash::FxHashMap;

use super::pages::{Pages, zeroed};
use super::shape::Shape;

/// Tiles, by the cells where they belong.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub shape: Shape,
    /// At most [`MOST_TILES`], in ascending order.
    pub tiles: Vec<u8>,
}

/// An order of them fits 24 bits, and a rank of it 16.
pub const MOST_TILES: usize = 8;

/// A set of cells.
type Region = u32;

/// The tiles of a pattern on a board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The cells that they are on.
    taken: Region,
    /// Which of them is on the first of these cells (in the lowest 3 bits), on the second, and so on.
    order: u32,
}

impl Pattern {
    fn taken(&self) -> Region {
        self.tiles.iter().map(|&tile| 1 << tile).sum()
    }

    /// The same question, asked the same way for all patterns that are each other's images by turning and reflecting the
    /// frame: a table for one serves them all. With it comes the image of each cell.
    ///
    /// Where the free cell ends does not matter if it can go everywhere between the tiles at home.
    pub fn canonical(&self) -> (Pattern, [u8; 32]) {
        let Shape { rows, columns, .. } = self.shape;
        let identity = std::array::from_fn(|cell| cell as u8);
        if rows != columns || Frame::new(self.shape).regions(self.taken()).len() > 1 {
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

    /// Where they are on a board.
    pub fn placement(&self, tile_on: impl Fn(usize) -> usize) -> Placement {
        let mut placement = Placement::default();
        for cell in (0..self.shape.cells()).rev() {
            if let Some(number) = self.tiles.iter().position(|&tile| usize::from(tile) == tile_on(cell)) {
                placement.taken |= 1 << cell;
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
    /// After a tile went from one cell to one next to it.
    #[inline(always)]
    pub fn slide(self, from: usize, to: usize) -> Self {
        let (first, last) = (from.min(to), from.max(to));
        let below = |cell: usize| (1 << cell) - 1;
        let taken = self.taken ^ 1 << from ^ 1 << to;
        if last - first == 1 {
            return Placement { taken, order: self.order };
        }
        let place = 3 * (self.taken & below(first)).count_ones();
        let jumped = 3 * (self.taken & below(last) & !below(first + 1)).count_ones();
        Placement {
            taken,
            order: if from < to { rise(self.order, place, jumped) } else { sink(self.order, place, jumped) },
        }
    }
}

/// The tile at a place jumps over those that follow; both are in bits.
#[inline(always)]
fn rise(order: u32, place: u32, jumped: u32) -> u32 {
    let part = order >> place & ((8 << jumped) - 1);
    order ^ (part ^ (part >> 3 | (part & 7) << jumped)) << place
}

/// The other way round: the last one of those jumps to the place.
#[inline(always)]
fn sink(order: u32, place: u32, jumped: u32) -> u32 {
    let part = order >> place & ((8 << jumped) - 1);
    order ^ (part ^ (part << 3 & ((8 << jumped) - 1) | part >> jumped)) << place
}

/// The cells as sets.
struct Frame {
    shape: Shape,
    /// The cells that have a neighbour to the left, to the right.
    left: Region,
    right: Region,
}

impl Frame {
    fn new(shape: Shape) -> Self {
        let column = |column: usize| (0..shape.cells()).skip(column).step_by(shape.columns).map(|cell| 1 << cell).sum();
        let (first, last): (Region, Region) = (column(0), column(shape.columns - 1));
        let all = (1 << shape.cells()) - 1;
        Frame { shape, left: all & !first, right: all & !last }
    }

    /// The cells next to those of a set.
    fn beside(&self, cells: Region) -> Region {
        (cells & self.left) >> 1
            | (cells & self.right) << 1
            | cells >> self.shape.columns
            | cells << self.shape.columns & ((1 << self.shape.cells()) - 1)
    }

    /// The regions of the cells that are not taken, that of the first cell first.
    fn regions(&self, taken: Region) -> Vec<Region> {
        let mut free = !taken & ((1 << self.shape.cells()) - 1);
        let mut regions = Vec::new();
        while free != 0 {
            let mut region = free & free.wrapping_neg();
            loop {
                let grown = (region | self.beside(region)) & free;
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

/// The numbers of blocks, of even parity first.
struct Blocks {
    frame: Frame,
    /// Sets are numbered by their higher part and, among those with as many cells in it, the lower.
    base: Vec<u32>,
    rank: Vec<u16>,
    /// For each set, its first block and its row.
    sets: Vec<(u32, u32)>,
    /// Which region a cell is in, for all sets that have the same.
    rows: Vec<[u8; 32]>,
    /// What each block stands for.
    all: Vec<(Region, Region)>,
    even: usize,
}

const LOW_CELLS: usize = 13;

impl Blocks {
    fn new(pattern: &Pattern) -> Self {
        let (shape, tiles, goal) = (pattern.shape, pattern.tiles.len() as u32, pattern.taken());
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
        let dark: Region = (0..shape.cells()).filter(dark).map(|cell| 1 << cell).sum();
        let mut rows: FxHashMap<[u8; 32], u32> = FxHashMap::default();
        for is_odd in [false, true] {
            for taken in subsets(shape.cells(), tiles) {
                if ((taken ^ goal) & dark).count_ones() % 2 != u32::from(is_odd) {
                    continue;
                }
                let (first, mut row) = (blocks.all.len() as u32, [0; 32]);
                for (number, region) in blocks.frame.regions(taken).into_iter().enumerate() {
                    for cell in cells_of(region) {
                        row[cell] = number as u8;
                    }
                    blocks.all.push((taken, region));
                }
                let next = rows.len() as u32;
                let row = *rows.entry(row).or_insert_with_key(|&row| {
                    blocks.rows.push(row);
                    next
                });
                let number = blocks.number(taken);
                blocks.sets[number] = (first, row);
            }
            if !is_odd {
                blocks.even = blocks.all.len();
            }
        }
        blocks
    }

    #[inline(always)]
    fn number(&self, taken: Region) -> usize {
        let low = taken & ((1 << LOW_CELLS) - 1);
        self.base[(taken >> LOW_CELLS) as usize] as usize + usize::from(self.rank[low as usize])
    }

    #[inline(always)]
    fn block(&self, taken: Region, free: usize) -> usize {
        let (first, row) = self.sets[self.number(taken)];
        first as usize + usize::from(self.rows[row as usize][free % 32])
    }
}

/// All sets of so many cells, in the order of their numbers.
fn subsets(cells: usize, count: u32) -> impl Iterator<Item = Region> {
    let first: u64 = (1 << count) - 1;
    let next = |set: &u64| {
        // Gosper: the lowest cell that can goes one up, and those below it to the beginning.
        let low = set & set.wrapping_neg();
        let up = set + low;
        (low > 0).then(|| up | (((set ^ up) >> 2) / low))
    };
    std::iter::successors(Some(first), next).take_while(move |set| set >> cells == 0).map(|set| set as Region)
}

fn cells_of(mut set: Region) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (cell < 32).then_some(cell as usize)
    })
}

/// The numbers of orders: that of the later tiles, and among those with the same, that of the first four.
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
        // How the first four compare with each other is all that matters: the factorial number system.
        for part in sequences(tiles, low_tiles) {
            let tile = |place: usize| part >> (3 * place) & 7;
            let smaller = |place: usize| (place + 1..low_tiles).filter(|&later| tile(later) < tile(place)).count();
            let rank = (0..low_tiles).fold(0, |rank, place| rank * (low_tiles - place) + smaller(place));
            low[part as usize] = rank as u8;
        }
        let ways: usize = (1..=low_tiles).product();
        for (number, part) in sequences(tiles, tiles - low_tiles).into_iter().enumerate() {
            high[part as usize] = (number * ways) as u16;
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

    /// All orders, by their ranks.
    fn all(&self) -> Vec<u32> {
        let mut all = sequences(self.tiles, self.tiles);
        all.sort_unstable_by_key(|&order| self.rank(order));
        all
    }
}

/// All sequences of so many different tiles, packed as an order is; in the order of these numbers.
fn sequences(tiles: usize, length: usize) -> Vec<u32> {
    let mut sequences = vec![0];
    for place in 0..length as u32 {
        let has = |sequence: u32, tile: u32| (0..place).any(|other| sequence >> (3 * other) & 7 == tile);
        let longer = |tile: u32| {
            let rest = sequences.iter().filter(move |&&rest| !has(rest, tile));
            rest.map(move |rest| rest | tile << (3 * place))
        };
        sequences = (0..tiles as u32).flat_map(longer).collect();
    }
    sequences
}

/// Where the bit of each view lies.
pub struct Layout {
    pub pattern: Pattern,
    blocks: Blocks,
    orders: Orders,
    /// Of a block.
    words: usize,
}

/// A pattern database.
pub struct Table {
    layout: Layout,
    bits: Pages,
}

impl Layout {
    pub fn new(pattern: Pattern) -> Self {
        assert!((1..=MOST_TILES).contains(&pattern.tiles.len()) && pattern.tiles.is_sorted(), "{pattern:?}");
        let orders = Orders::new(pattern.tiles.len());
        Layout { blocks: Blocks::new(&pattern), words: orders.count().div_ceil(64), orders, pattern }
    }

    /// Of the table.
    pub fn bytes(&self) -> usize {
        self.blocks.all.len() * self.words * 8
    }

    /// Builds the table, with some threads. `None` when `stop` says so, or there is no memory for it: three times as much as
    /// the table needs.
    pub fn build(self, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<Table> {
        let (words, blocks) = (self.words, &self.blocks.all);
        let jumps = Jumps::new(&self);
        let mut bits = zeroed(self.bytes())?;
        let half = |count: usize| {
            let bytes = count * words * 8;
            Some(Half { layer: zeroed(bytes)?, met: zeroed(bytes)?, has_part: vec![false; count] })
        };
        let mut halves = [half(self.blocks.even)?, half(blocks.len() - self.blocks.even)?];
        let goal = self.pattern.goal();
        let (block, rank) = (self.blocks.block(goal.taken, self.pattern.shape.home), self.orders.rank(goal.order));
        let byte = block * words * 8 + rank / 8;
        (halves[0].layer[byte], halves[0].met[byte]) = (1 << (rank % 8), 1 << (rank % 8));
        halves[0].has_part[block] = true;
        // Enough pieces that no thread waits long for another.
        let piece = (blocks.len() / 512).max(1);
        for number in 1.. {
            let is_odd = number % 2 == 1;
            let here = if is_odd { self.blocks.even..blocks.len() } else { 0..self.blocks.even };
            let there = if is_odd { 0 } else { self.blocks.even };
            let [even, odd] = &mut halves;
            let (last, next) = if is_odd { (even, odd) } else { (odd, even) };
            let length = piece * words * 8;
            let pieces = blocks[here.clone()]
                .chunks(piece)
                .zip(next.layer.chunks_mut(length))
                .zip(next.has_part.chunks_mut(piece))
                .zip(next.met.chunks_mut(length))
                .zip(bits[here.start * words * 8..here.end * words * 8].chunks_mut(length));
            let (last, had_part) = (Words(&last.layer), &last.has_part);
            let pieces = Mutex::new(pieces);
            let (is_stopped, is_over) = (AtomicBool::new(false), AtomicBool::new(true));
            let work = || {
                let mut collected = vec![0; words];
                loop {
                    let piece = pieces.lock().map(|mut pieces| pieces.next());
                    let Ok(Some(((((blocks, next), has_part), met), bits))) = piece else { break };
                    if is_stopped.load(Ordering::Relaxed) || stop() {
                        is_stopped.store(true, Ordering::Relaxed);
                        break;
                    }
                    for (index, (&block, has_part)) in blocks.iter().zip(has_part).enumerate() {
                        let own = index * words * 8..(index + 1) * words * 8;
                        if jumps.collect(block, there, had_part, &last, &mut collected) {
                            let is_marked = number / 2 % 2 == 1;
                            let own = (&mut met[own.clone()], &mut bits[own.clone()], &mut next[own]);
                            *has_part = meet(&collected, own, is_marked);
                        } else if std::mem::take(has_part) {
                            next[own].fill(0);
                        }
                        if *has_part {
                            is_over.store(false, Ordering::Relaxed);
                        }
                    }
                }
            };
            thread::scope(|scope| {
                for _ in 1..threads {
                    // Those that can be started do the work.
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
        Some(Table { layout: self, bits })
    }

    /// With what was built before, as many bytes as [`Layout::bytes`] says.
    pub fn with(self, bits: Pages) -> Table {
        assert_eq!(bits.len(), self.bytes(), "a bit for each view");
        Table { layout: self, bits }
    }
}

/// Of the blocks of one parity what was met, and the last layer: its bits, and which blocks have a part of it.
struct Half {
    met: Pages,
    layer: Pages,
    has_part: Vec<bool>,
}

/// Bytes as words.
struct Words<'b>(&'b [u8]);

impl Words<'_> {
    fn of_block(&self, block: usize, words: usize) -> impl Iterator<Item = u64> {
        let bytes = &self.0[block * words * 8..(block + 1) * words * 8];
        bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word))
    }
}

/// Of the views that a block has collected, the new ones become its part of the layer.
fn meet(collected: &[u64], (met, bits, next): (&mut [u8], &mut [u8], &mut [u8]), is_marked: bool) -> bool {
    let words = met.as_chunks_mut().0.iter_mut().zip(bits.as_chunks_mut().0).zip(next.as_chunks_mut().0);
    let mut all_new = 0;
    for (&collected, ((met, bits), next)) in collected.iter().zip(words) {
        let old = u64::from_le_bytes(*met);
        let new = collected & !old;
        *met = (old | new).to_le_bytes();
        if is_marked {
            *bits = (u64::from_le_bytes(*bits) | new).to_le_bytes();
        }
        *next = new.to_le_bytes();
        all_new |= new;
    }
    all_new != 0
}

/// What becomes of orders when a tile goes up or down.
struct Jumps<'l> {
    layout: &'l Layout,
    /// For each place and number of tiles that are jumped over, the rank after it of each rank: to a later place, and to an
    /// earlier one.
    ranks: Vec<[Vec<u16>; 2]>,
}

impl<'l> Jumps<'l> {
    fn new(layout: &'l Layout) -> Self {
        let (tiles, columns, orders) = (layout.pattern.tiles.len(), layout.pattern.shape.columns, &layout.orders);
        let all = orders.all();
        let ranks = |place: usize, jumped: usize, turn: fn(u32, u32, u32) -> u32| {
            if jumped == 0 || place + jumped >= tiles {
                return Vec::new();
            }
            all.iter().map(|&order| orders.rank(turn(order, 3 * place as u32, 3 * jumped as u32)) as u16).collect()
        };
        let places = (0..tiles).flat_map(|place| (0..columns).map(move |jumped| (place, jumped)));
        Jumps {
            layout,
            ranks: places.map(|(place, jumped)| [rise, sink].map(|turn| ranks(place, jumped, turn))).collect(),
        }
    }

    /// Collects the views of a block that are next to the last layer; `false` when there are none.
    fn collect(
        &self,
        (taken, region): (Region, Region),
        there: usize,
        had_part: &[bool],
        last: &Words<'_>,
        collected: &mut [u64],
    ) -> bool {
        let (blocks, words) = (&self.layout.blocks, collected.len());
        let mut is_empty = true;
        for from in cells_of(taken & blocks.frame.beside(region)) {
            for to in cells_of(blocks.frame.beside(1 << from) & region) {
                let other = blocks.block(taken ^ 1 << from ^ 1 << to, from) - there;
                if !had_part[other] {
                    continue;
                }
                if std::mem::take(&mut is_empty) {
                    collected.fill(0);
                }
                let part = last.of_block(other, words);
                let (first, end) = (from.min(to), from.max(to));
                let before = (taken & ((1 << first) - 1)).count_ones() as usize;
                let jumped = ((taken & ((1 << end) - 1)) >> (first + 1)).count_ones() as usize;
                if jumped == 0 {
                    part.zip(&mut *collected).for_each(|(part, collected)| *collected |= part);
                    continue;
                }
                // There the tile is on the other cell, and comes back.
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

impl Table {
    /// The entries, for a file.
    pub fn bytes(&self) -> &[u8] {
        &self.bits
    }

    pub fn pattern(&self) -> &Pattern {
        &self.layout.pattern
    }

    /// The second lowest bit of the number of a view.
    #[inline(always)]
    fn bit(&self, placement: Placement, free: usize) -> u8 {
        let block = self.layout.blocks.block(placement.taken, free);
        let rank = self.layout.orders.rank(placement.order);
        self.bits[block * self.layout.words * 8 + rank / 8] >> (rank % 8) & 1
    }

    /// The number of a view, from that of one a move away; `free` is where the tile came from.
    #[inline(always)]
    pub fn next_to(&self, number: u8, placement: Placement, free: usize) -> u8 {
        let greater = number + 1;
        greater - 2 * ((greater >> 1 ^ self.bit(placement, free)) & 1)
    }

    /// The number of a view from nothing: the steps of a way down.
    pub fn number(&self, placement: Placement, free: usize) -> u8 {
        let (blocks, goal) = (&self.layout.blocks, self.pattern().goal());
        let goal_block = blocks.block(goal.taken, self.pattern().shape.home);
        let block = blocks.block(placement.taken, free);
        // All that the bits tell is the number's remainder by four.
        let remainder = |placement: Placement, free: usize| {
            let is_odd = blocks.block(placement.taken, free) >= blocks.even;
            self.bit(placement, free) << 1 | u8::from(is_odd)
        };
        let (mut here, mut block, mut steps) = (placement, block, 0);
        let mut own = remainder(placement, free);
        while (here.order, block) != (goal.order, goal_block) {
            let (taken, region) = blocks.all[block];
            let ways = cells_of(taken).flat_map(|from| {
                cells_of(blocks.frame.beside(1 << from) & region).map(move |to| (from, here.slide(from, to)))
            });
            own = (own + 3) % 4;
            let mut down = ways.filter(|&(free, next)| remainder(next, free) == own);
            let (free, next) =
                down.next().expect("the table is whole: from every view a move leads nearer to the goal");
            (here, block, steps) = (next, blocks.block(next.taken, free), steps + 1);
        }
        steps
    }
}
