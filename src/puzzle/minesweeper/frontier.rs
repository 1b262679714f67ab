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
    pub fn push(&mut self, item: u32) {
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone {
        self.items[..usize::from(self.len)].iter().map(|&item| item as usize)
    }

    pub fn first(&self) -> usize {
        self.items[0] as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn renamed(mut self, names: &[u32]) -> List {
        for item in &mut self.items[..usize::from(self.len)] {
            *item = names[*item as usize];
        }
        self
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
        let grid = position.grid;
        let mut whole = Component::default();
        let mut witness_at = vec![u32::MAX; grid.extent()];
        for cell in grid.cells() {
            let Cell::Open(number) = position.cells[cell] else { continue };
            let closed = position.count_around(cell, Cell::Closed);
            let need = usize::from(number).checked_sub(position.count_around(cell, Cell::Mine));
            let need = need.filter(|&need| need <= closed).ok_or(Contradiction { numbers: vec![cell] })?;
            if closed > 0 {
                witness_at[cell] = whole.witnesses.len() as u32;
                let boxes = List::default();
                whole.witnesses.push(Witness { cell, need: need as u8, closed: closed as u8, boxes });
            }
        }
        let mut free = Vec::new();
        for cell in grid.cells().filter(|&cell| position.cells[cell] == Cell::Closed) {
            let mut witnesses = List::default();
            for near in position.counted_by(cell) {
                if witness_at[near] != u32::MAX {
                    witnesses.push(witness_at[near]);
                }
            }
            if witnesses.is_empty() {
                free.push(cell as u32);
            } else {
                whole.add(cell as u32, witnesses);
            }
        }
        Ok(Frontier { components: whole.split(), free })
    }
}

impl Component {
    /// Puts a cell into the box of those that the same witnesses see.
    pub fn add(&mut self, cell: u32, witnesses: List) {
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

    /// The parts that do not hang together, in the order of their first boxes.
    pub fn split(mut self) -> Vec<Component> {
        const NONE: u32 = u32::MAX;
        let mut components: Vec<Component> = Vec::new();
        let (mut box_names, mut witness_names) = (vec![NONE; self.boxes.len()], vec![NONE; self.witnesses.len()]);
        let mut queue = Vec::new();
        for first in 0..self.boxes.len() {
            if box_names[first] != NONE {
                continue;
            }
            queue.push(first as u32);
            box_names[first] = 0;
            let (mut boxes, mut witnesses) = (Vec::new(), Vec::new());
            while let Some(class) = queue.pop() {
                boxes.push(class);
                for witness in self.boxes[class as usize].witnesses.iter() {
                    if std::mem::replace(&mut witness_names[witness], 0) == 0 {
                        continue;
                    }
                    witnesses.push(witness as u32);
                    for near in self.witnesses[witness].boxes.iter() {
                        if std::mem::replace(&mut box_names[near], 0) == NONE {
                            queue.push(near as u32);
                        }
                    }
                }
            }
            boxes.sort_unstable();
            witnesses.sort_unstable();
            let name = |names: &mut [u32], members: &[u32]| {
                for (index, &member) in members.iter().enumerate() {
                    names[member as usize] = index as u32;
                }
            };
            name(&mut box_names, &boxes);
            name(&mut witness_names, &witnesses);
            let mut component = Component::default();
            for &class in &boxes {
                let Class { witnesses, cells } = &mut self.boxes[class as usize];
                let witnesses = witnesses.renamed(&witness_names);
                component.boxes.push(Class { witnesses, cells: std::mem::take(cells) });
            }
            for &witness in &witnesses {
                let witness = &self.witnesses[witness as usize];
                let boxes = witness.boxes.renamed(&box_names);
                component.witnesses.push(Witness { boxes, ..*witness });
            }
            components.push(component);
        }
        components
    }
}
