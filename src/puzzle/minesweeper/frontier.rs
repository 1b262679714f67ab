//! What the open numbers say of the closed cells around them: boxes, witnesses, components.
//!
//! A *witness* is an open number that still has closed cells around it, and the mines that it lacks. Closed cells with the
//! same witnesses are one *box*: only how many of them are mines matters. Boxes and witnesses that hang together are a
//! *component*; the layouts of different components have nothing but the total of mines in common.
//!
//! ```text
//!   a b b c d        The cells a have one witness, the left 2; b have the first two; c all three, …
//!     2 2 1
//! ```

use super::grid::{Cell, Position};
use super::obvious::Contradiction;

/// An open number, and what it lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Witness {
    pub cell: usize,
    /// Mines among the closed cells.
    pub need: u8,
    /// Closed cells around it.
    pub closed: u8,
    pub boxes: List,
}

/// Closed cells that the same witnesses see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    pub witnesses: List,
    pub cells: Vec<u32>,
}

/// At most eight indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct List {
    items: [u32; 8],
    len: u8,
}

impl List {
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

/// Boxes and witnesses that hang together; they name each other by their places in these lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Component {
    pub witnesses: Vec<Witness>,
    pub boxes: Vec<Class>,
}

/// All of it.
#[derive(Debug, Clone, Default)]
pub struct Frontier {
    pub components: Vec<Component>,
    /// Closed cells that no number touches.
    pub free: Vec<u32>,
}

impl Frontier {
    /// Of a position; an error if a number cannot hold.
    pub fn new(position: &Position) -> Result<Self, Contradiction> {
        const NONE: u32 = u32::MAX;
        let mut needs = vec![0; position.grid.extent()];
        for number in position.numbers() {
            needs[number] = position.lacks(number).ok_or(Contradiction { numbers: vec![number] })?;
        }
        let mut frontier = Frontier::default();
        // By number: its component, and its place among the witnesses there.
        let mut place = vec![(NONE, 0); needs.len()];
        for cell in position.all(Cell::Closed) {
            let Some(first) = position.open_around(cell).next() else {
                frontier.free.push(cell as u32);
                continue;
            };
            if place[first].0 == NONE {
                let name = frontier.components.len() as u32;
                place[first].0 = name;
                let (mut numbers, mut next) = (vec![first], 0);
                while let Some(&number) = numbers.get(next) {
                    next += 1;
                    for near in position.near(number, Cell::Closed) {
                        for other in position.open_around(near) {
                            if place[other].0 == NONE {
                                place[other].0 = name;
                                numbers.push(other);
                            }
                        }
                    }
                }
                numbers.sort_unstable();
                numbers.iter().enumerate().for_each(|(index, &number)| place[number].1 = index as u32);
                let witness = |&cell: &usize| {
                    let closed = position.count_around(cell, Cell::Closed) as u8;
                    Witness { cell, need: needs[cell], closed, boxes: List::default() }
                };
                let witnesses = numbers.iter().map(witness).collect();
                frontier.components.push(Component { witnesses, boxes: Vec::new() });
            }
            let mut witnesses = List::default();
            for number in position.open_around(cell) {
                witnesses.push(place[number].1);
            }
            frontier.components[place[first].0 as usize].add(cell as u32, witnesses);
        }
        Ok(frontier)
    }
}

impl Component {
    /// Puts a cell into the box of those that the same witnesses see.
    fn add(&mut self, cell: u32, witnesses: List) {
        let siblings = self.witnesses[witnesses.first()].boxes;
        if let Some(same) = siblings.iter().find(|&sibling| self.boxes[sibling].witnesses == witnesses) {
            self.boxes[same].cells.push(cell);
            return;
        }
        let index = self.boxes.len() as u32;
        for witness in witnesses.iter() {
            self.witnesses[witness].boxes.push(index);
        }
        self.boxes.push(Class { witnesses, cells: vec![cell] });
    }
}
