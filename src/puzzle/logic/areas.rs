//! Areas of a new board: drawn at random, and redrawn near what is to be mended.
//!
//! The part `areas` of a puzzle's file says which there can be: `area_size(N)`, an area can have N cells; `number_of_areas(N)`,
//! there are N of them (any number without it); `rectangles`, each is one as far as possible. `no_board(TEXT)` says why there is no
//! board of this size.

use std::collections::{BTreeMap, BTreeSet};

use super::board::{Board, Cell};
use crate::asp::{self, Symbol, Term};

/// The areas of cells, by numbers from 0.
pub type Areas = BTreeMap<Cell, usize>;

/// Which areas a board can have.
pub struct Kind {
    /// Not empty, and without 0.
    sizes: BTreeSet<usize>,
    number: Option<usize>,
    are_rectangles: bool,
}

/// Draws of one part of the board before it is left as it is.
const DRAWS: usize = 200;

impl Kind {
    /// As the part `areas` says it; none where it says nothing.
    pub fn of(atoms: &[Symbol]) -> Option<Kind> {
        let numbers = |name: &str| {
            let atoms = atoms.iter().filter(move |&&atom| asp::signature_of(atom) == Some((name, 1)));
            let number = |atom: &Symbol| usize::try_from(Term::of(*atom.arguments().ok()?.first()?).number()?).ok();
            atoms.filter_map(number).collect::<Vec<_>>()
        };
        let sizes: BTreeSet<usize> = numbers("area_size").into_iter().filter(|&size| size > 0).collect();
        Some(sizes).filter(|sizes| !sizes.is_empty()).map(|sizes| Kind {
            sizes,
            number: numbers("number_of_areas").first().copied(),
            are_rectangles: atoms.iter().any(|&atom| asp::signature_of(atom) == Some(("rectangles", 0))),
        })
    }

    fn most(&self) -> usize {
        self.sizes.last().copied().unwrap_or(0)
    }

    fn has(&self, area: &BTreeSet<Cell>) -> bool {
        self.sizes.contains(&area.len())
    }

    /// Areas of the whole board; none where none were found.
    pub fn drawn(&self, board: &Board, random: &mut fastrand::Rng) -> Option<Areas> {
        let all = board.cells().collect();
        Some(numbered(self.partition(board, &all, self.number, random)?))
    }

    /// The areas with a cell of another, or with two of them drawn anew, beside one of these cells; none where none were found.
    pub fn changed(&self, board: &Board, areas: &Areas, near: &[Cell], random: &mut fastrand::Rng) -> Option<Areas> {
        let mut parts: BTreeMap<usize, BTreeSet<Cell>> = BTreeMap::new();
        for (&cell, &area) in areas {
            parts.entry(area).or_default().insert(cell);
        }
        for _ in 0..DRAWS {
            let &(row, column) = random.choice(near)?;
            let cell = (row + random.usize(..3), column + random.usize(..3));
            let cell = (cell.0.saturating_sub(1), cell.1.saturating_sub(1));
            let Some(&from) = areas.get(&cell) else { continue };
            let beside = board.neighbours(cell).map(|other| areas[&other]).filter(|&area| area != from);
            let Some(to) = random.choice(beside.collect::<Vec<_>>()) else { continue };
            let mut parts = parts.clone();
            if !self.are_rectangles && random.f64() < 0.7 {
                parts.get_mut(&from)?.remove(&cell);
                parts.get_mut(&to)?.insert(cell);
                let (left, grown) = (&parts[&from], &parts[&to]);
                if !self.has(left) || !self.has(grown) || !is_connected(board, left) {
                    continue;
                }
            } else {
                let both: BTreeSet<Cell> = parts.remove(&from)?.union(&parts.remove(&to)?).copied().collect();
                let Some(new) = self.partition(board, &both, self.number.map(|_| 2), random) else { continue };
                parts = new.into_iter().chain(parts.into_values()).enumerate().collect();
            }
            return Some(numbered(parts.into_values().collect()));
        }
        None
    }

    /// Cuts a part of the board into areas, so many if it is said.
    fn partition(
        &self,
        board: &Board,
        whole: &BTreeSet<Cell>,
        number: Option<usize>,
        random: &mut fastrand::Rng,
    ) -> Option<Vec<BTreeSet<Cell>>> {
        (0..DRAWS).find_map(|_| {
            let mut free = whole.clone();
            let mut areas: Vec<BTreeSet<Cell>> = Vec::new();
            if let Some(number) = number {
                areas = random.choose_multiple(whole.iter(), number).into_iter().map(|&cell| [cell].into()).collect();
                free.retain(|cell| !areas.iter().any(|area| area.contains(cell)));
                while !free.is_empty() {
                    let area = random.choice(&mut areas).filter(|area| area.len() < self.most())?;
                    if let Some(cell) = edge(board, area, &free, random) {
                        free.remove(&cell);
                        area.insert(cell);
                    }
                }
            }
            while let Some(&first) = free.first() {
                let area = if self.are_rectangles {
                    self.rectangle(first, &free, random)
                } else {
                    let (&size, first) = (random.choice(&self.sizes)?, random.choice(&free)?);
                    let mut area = BTreeSet::from([*first]);
                    while area.len() < size {
                        let rest = free.difference(&area).copied().collect();
                        let Some(cell) = edge(board, &area, &rest, random) else { break };
                        area.insert(cell);
                    }
                    area
                };
                free.retain(|cell| !area.contains(cell));
                areas.push(area);
            }
            // One of another size joins the smallest beside it.
            while let Some(small) = areas.iter().position(|area| !self.has(area)) {
                let small = areas.swap_remove(small);
                let beside = |area: &BTreeSet<Cell>| small.iter().any(|&cell| touches(board, cell, area));
                let other = areas.iter_mut().filter(|area| beside(area)).min_by_key(|area| area.len())?;
                other.extend(small);
            }
            number.is_none_or(|all| all == areas.len()).then_some(areas)
        })
    }

    /// A rectangle of free cells, of which this is the first.
    fn rectangle(&self, first: Cell, free: &BTreeSet<Cell>, random: &mut fastrand::Rng) -> BTreeSet<Cell> {
        let (rows, columns) = (1..=self.most(), 1..=self.most());
        let is_too_small = |size| self.sizes.first().is_some_and(|&least| size < least);
        let cells = |height: usize, width: usize| {
            (first.0..first.0 + height).flat_map(move |row| (first.1..first.1 + width).map(move |column| (row, column)))
        };
        let shapes = rows.flat_map(|height| columns.clone().map(move |width| (height, width)));
        let fitting = shapes.filter(|&(height, width)| {
            (self.sizes.contains(&(height * width)) || is_too_small(height * width))
                && cells(height, width).all(|cell| free.contains(&cell))
        });
        // A strip of one row is rare, and a long one rarer: published boards have few.
        let weight = |height: usize, width: usize| match height.min(width) {
            _ if is_too_small(height * width) || height * width == 1 => 1,
            short => (12 * short * short / height.max(width)).max(1),
        };
        let weighted = fitting.flat_map(|(height, width)| vec![(height, width); weight(height, width)]);
        let (height, width) = random.choice(weighted.collect::<Vec<_>>()).unwrap_or((1, 1));
        cells(height, width).collect()
    }
}

/// A free cell beside the area; likely one that touches it at several sides.
fn edge(board: &Board, area: &BTreeSet<Cell>, free: &BTreeSet<Cell>, random: &mut fastrand::Rng) -> Option<Cell> {
    let beside = area.iter().flat_map(|&cell| board.neighbours(cell)).filter(|cell| free.contains(cell));
    random.choice(beside.collect::<Vec<_>>())
}

fn touches(board: &Board, cell: Cell, area: &BTreeSet<Cell>) -> bool {
    board.neighbours(cell).any(|other| area.contains(&other))
}

fn is_connected(board: &Board, area: &BTreeSet<Cell>) -> bool {
    let mut reached: BTreeSet<Cell> = area.first().copied().into_iter().collect();
    let mut open: Vec<Cell> = reached.iter().copied().collect();
    while let Some(cell) = open.pop() {
        open.extend(board.neighbours(cell).filter(|other| area.contains(other) && reached.insert(*other)));
    }
    reached.len() == area.len()
}

fn numbered(areas: Vec<BTreeSet<Cell>>) -> Areas {
    let numbers = areas.into_iter().enumerate();
    numbers.flat_map(|(number, area)| area.into_iter().map(move |cell| (cell, number))).collect()
}
