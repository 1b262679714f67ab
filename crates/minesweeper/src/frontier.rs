//! The constraints of the open numbers: groups of cells, witnesses, and components.
//!
//! A *witness* is an open number with closed cells around it, together with the number of mines
//! that it still needs. Closed cells with the same witnesses form a *group*: only the number of
//! mines among them matters. Connected groups and witnesses form a *component*; the layouts of
//! different components depend on each other only by the total of mines.
//!
//! ```text
//!   a b b c d        The cells a have one witness, the left 2; b have the first two; c all three, …
//!     2 2 1
//! ```

use super::grid::Cell;
use super::obvious::Contradiction;
use super::position::KnownPosition;

/// An open number that has closed cells around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Witness {
    pub cell: usize,
    /// The number of mines among these closed cells.
    pub need: u8,
    /// The number of closed cells around the number.
    pub closed: u8,
    pub groups: IndexList,
}

/// Closed cells with the same witnesses, which are the open numbers next to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellGroup {
    pub witnesses: IndexList,
    pub cells: Vec<u32>,
}

/// At most eight indices, without heap storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexList {
    items: [u32; 8],
    len: u8,
}

impl IndexList {
    #[inline]
    pub fn push(&mut self, item: u32) {
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone {
        self.items[..usize::from(self.len)].iter().map(|&item| item as usize)
    }

    #[inline]
    pub fn first(&self) -> usize {
        self.items[0] as usize
    }
}

/// Connected groups and witnesses, which refer to each other by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Component {
    pub witnesses: Vec<Witness>,
    pub groups: Vec<CellGroup>,
}

/// The components of a position, and its free cells, which no number counts.
#[derive(Debug, Clone, Default)]
pub struct Frontier {
    pub components: Vec<Component>,
    pub free: Vec<u32>,
}

impl Frontier {
    /// Builds the frontier of a position; fails if a number cannot be satisfied.
    pub fn new(position: &KnownPosition) -> Result<Self, Contradiction> {
        const NONE: u32 = u32::MAX;
        let mut needs = vec![0; position.grid.extent()];
        for number in position.numbers() {
            needs[number] = position.missing_mines(number).ok_or(Contradiction { numbers: vec![number] })?;
        }
        let mut frontier = Frontier::default();
        // For each number, its component, and its index among the witnesses of the component.
        let mut location = vec![(NONE, 0); needs.len()];
        for cell in position.cells_of(Cell::Closed) {
            let Some(first) = position.open_around(cell).next() else {
                frontier.free.push(cell as u32);
                continue;
            };
            if location[first].0 == NONE {
                let component = frontier.components.len() as u32;
                location[first].0 = component;
                let mut numbers = vec![first];
                let mut next = 0;
                while let Some(&number) = numbers.get(next) {
                    next += 1;
                    for neighbor in position.cells_around(number, Cell::Closed) {
                        for other in position.open_around(neighbor) {
                            if location[other].0 == NONE {
                                location[other].0 = component;
                                numbers.push(other);
                            }
                        }
                    }
                }
                numbers.sort_unstable();
                for (index, &number) in numbers.iter().enumerate() {
                    location[number].1 = index as u32;
                }
                let witness = |&cell: &usize| {
                    let closed = position.count_around(cell, Cell::Closed) as u8;
                    Witness { cell, need: needs[cell], closed, groups: IndexList::default() }
                };
                let witnesses = numbers.iter().map(witness).collect();
                frontier.components.push(Component { witnesses, groups: Vec::new() });
            }
            let mut witnesses = IndexList::default();
            for number in position.open_around(cell) {
                witnesses.push(location[number].1);
            }
            frontier.components[location[first].0 as usize].add(cell as u32, witnesses);
        }
        Ok(frontier)
    }
}

impl Component {
    /// Adds a cell to the group with the same witnesses.
    fn add(&mut self, cell: u32, witnesses: IndexList) {
        let siblings = self.witnesses[witnesses.first()].groups;
        if let Some(group) = siblings.iter().find(|&sibling| self.groups[sibling].witnesses == witnesses) {
            self.groups[group].cells.push(cell);
            return;
        }
        let index = self.groups.len() as u32;
        for witness in witnesses.iter() {
            self.witnesses[witness].groups.push(index);
        }
        self.groups.push(CellGroup { witnesses, cells: vec![cell] });
    }
}
