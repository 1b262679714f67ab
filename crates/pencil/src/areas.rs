//! Generation of the areas of a board: at random, and again near the cells in which two solutions
//! differ.
//!
//! The part `areas` of a puzzle's file defines the possible areas by these atoms:
//!
//! - `area_size(N)`: an area can have N cells.
//! - `number_of_areas(N)`: the board has N areas. Without it, their number is arbitrary.
//! - `rectangles`: areas are rectangles if possible.
//! - `no_board(TEXT)`: boards of this size are impossible, for the reason TEXT.

use std::collections::{BTreeMap, BTreeSet};

use asp::{Symbol, Term};

use super::board::{Cell, GridBoard};

/// The area of each cell, numbered from 0.
pub type AreaMap = BTreeMap<Cell, usize>;

/// The rules for the areas of a board.
pub struct AreaRules {
    /// Not empty; does not contain 0.
    sizes: BTreeSet<usize>,
    number: Option<usize>,
    are_rectangles: bool,
}

/// Maximum number of attempts to partition a region.
const MAX_DRAWS: usize = 200;

impl AreaRules {
    /// Reads the atoms of the part `areas`. Returns `None` if they define no sizes.
    pub fn of(atoms: &[Symbol]) -> Option<AreaRules> {
        let numbers = |name: &str| {
            let atoms = atoms.iter().filter(move |&&atom| asp::signature_of(atom) == Some((name, 1)));
            let number = |atom: &Symbol| usize::try_from(Term::of(*atom.arguments().ok()?.first()?).number()?).ok();
            atoms.filter_map(number).collect::<Vec<_>>()
        };
        let sizes: BTreeSet<usize> = numbers("area_size").into_iter().filter(|&size| size > 0).collect();
        Some(sizes).filter(|sizes| !sizes.is_empty()).map(|sizes| AreaRules {
            sizes,
            number: numbers("number_of_areas").first().copied(),
            are_rectangles: atoms.iter().any(|&atom| asp::signature_of(atom) == Some(("rectangles", 0))),
        })
    }

    fn max_size(&self) -> usize {
        self.sizes.last().copied().unwrap_or(0)
    }

    fn allows(&self, area: &BTreeSet<Cell>) -> bool {
        self.sizes.contains(&area.len())
    }

    /// Draws areas for the whole board. Returns `None` if all attempts failed.
    pub fn draw(&self, board: &GridBoard, random: &mut fastrand::Rng) -> Option<AreaMap> {
        let all = board.cells().collect();
        Some(numbered(self.partition(board, &all, self.number, random)?))
    }

    /// Changes areas near one of the cells `near`: moves a cell to an adjacent area, or partitions
    /// two adjacent areas again. Returns `None` if all attempts failed.
    pub fn redraw(
        &self,
        board: &GridBoard,
        areas: &AreaMap,
        near: &[Cell],
        random: &mut fastrand::Rng,
    ) -> Option<AreaMap> {
        let mut parts: BTreeMap<usize, BTreeSet<Cell>> = BTreeMap::new();
        for (&cell, &area) in areas {
            parts.entry(area).or_default().insert(cell);
        }
        for _ in 0..MAX_DRAWS {
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
                let (shrunk, grown) = (&parts[&from], &parts[&to]);
                if !self.allows(shrunk) || !self.allows(grown) || !is_connected(board, shrunk) {
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

    /// Partitions the cells `whole` into areas: into `number` areas, or any number if it is `None`.
    fn partition(
        &self,
        board: &GridBoard,
        whole: &BTreeSet<Cell>,
        number: Option<usize>,
        random: &mut fastrand::Rng,
    ) -> Option<Vec<BTreeSet<Cell>>> {
        (0..MAX_DRAWS).find_map(|_| {
            let mut free = whole.clone();
            let mut areas: Vec<BTreeSet<Cell>> = Vec::new();
            if let Some(number) = number {
                areas = random.choose_multiple(whole.iter(), number).into_iter().map(|&cell| [cell].into()).collect();
                free.retain(|cell| !areas.iter().any(|area| area.contains(cell)));
                while !free.is_empty() {
                    let area = random.choice(&mut areas).filter(|area| area.len() < self.max_size())?;
                    if let Some(cell) = adjacent_free_cell(board, area, &free, random) {
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
                        let Some(cell) = adjacent_free_cell(board, &area, &rest, random) else { break };
                        area.insert(cell);
                    }
                    area
                };
                free.retain(|cell| !area.contains(cell));
                areas.push(area);
            }
            // Merge each area of invalid size with its smallest neighbour.
            while let Some(small) = areas.iter().position(|area| !self.allows(area)) {
                let small = areas.swap_remove(small);
                let beside = |area: &BTreeSet<Cell>| small.iter().any(|&cell| touches(board, cell, area));
                let other = areas.iter_mut().filter(|area| beside(area)).min_by_key(|area| area.len())?;
                other.extend(small);
            }
            number.is_none_or(|all| all == areas.len()).then_some(areas)
        })
    }

    /// Draws a rectangle of free cells with `first` as its top left corner.
    fn rectangle(&self, first: Cell, free: &BTreeSet<Cell>, random: &mut fastrand::Rng) -> BTreeSet<Cell> {
        let (rows, columns) = (1..=self.max_size(), 1..=self.max_size());
        let is_too_small = |size| self.sizes.first().is_some_and(|&least| size < least);
        let cells = |height: usize, width: usize| {
            (first.0..first.0 + height).flat_map(move |row| (first.1..first.1 + width).map(move |column| (row, column)))
        };
        let shapes = rows.flat_map(|height| columns.clone().map(move |width| (height, width)));
        let fitting = shapes.filter(|&(height, width)| {
            (self.sizes.contains(&(height * width)) || is_too_small(height * width))
                && cells(height, width).all(|cell| free.contains(&cell))
        });
        // As in published boards, narrow rectangles are unlikely, and long narrow ones even more
        // so.
        let weight = |height: usize, width: usize| match height.min(width) {
            _ if is_too_small(height * width) || height * width == 1 => 1,
            short => (12 * short * short / height.max(width)).max(1),
        };
        let weighted = fitting.flat_map(|(height, width)| vec![(height, width); weight(height, width)]);
        let (height, width) = random.choice(weighted.collect::<Vec<_>>()).unwrap_or((1, 1));
        cells(height, width).collect()
    }
}

/// Returns a random free cell adjacent to the area. A cell that touches it on several sides is more
/// likely.
fn adjacent_free_cell(
    board: &GridBoard,
    area: &BTreeSet<Cell>,
    free: &BTreeSet<Cell>,
    random: &mut fastrand::Rng,
) -> Option<Cell> {
    let beside = area.iter().flat_map(|&cell| board.neighbours(cell)).filter(|cell| free.contains(cell));
    random.choice(beside.collect::<Vec<_>>())
}

fn touches(board: &GridBoard, cell: Cell, area: &BTreeSet<Cell>) -> bool {
    board.neighbours(cell).any(|other| area.contains(&other))
}

fn is_connected(board: &GridBoard, area: &BTreeSet<Cell>) -> bool {
    let mut reached: BTreeSet<Cell> = area.first().copied().into_iter().collect();
    let mut open: Vec<Cell> = reached.iter().copied().collect();
    while let Some(cell) = open.pop() {
        open.extend(board.neighbours(cell).filter(|other| area.contains(other) && reached.insert(*other)));
    }
    reached.len() == area.len()
}

fn numbered(areas: Vec<BTreeSet<Cell>>) -> AreaMap {
    let numbers = areas.into_iter().enumerate();
    numbers.flat_map(|(number, area)| area.into_iter().map(move |cell| (cell, number))).collect()
}
