//! Moves of single amphipods, and their check against the rules, cell by cell.

use super::burrow::{Burrow, Kind, column_of_room, column_of_stop, name, step_cost};

/// A cell where stopping is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A stop of the hallway, counted from the left.
    Stop(usize),
    /// A room, and a level in it counted from the top.
    Room(usize, usize),
}

/// The move of an amphipod between two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    pub kind: Kind,
    pub from: Place,
    pub to: Place,
}

impl Place {
    /// Returns the row and column inside the walls; row 0 is the hallway.
    pub fn at(self, rooms: usize) -> [usize; 2] {
        match self {
            Place::Stop(stop) => [0, column_of_stop(rooms, stop)],
            Place::Room(room, level) => [level + 1, column_of_room(room)],
        }
    }

    /// Returns the place at a row and column, if stopping is allowed there.
    pub fn of([row, column]: [usize; 2], burrow: &Burrow) -> Option<Place> {
        let rooms = burrow.rooms.len();
        if row == 0 {
            return (0..rooms + 3).find(|&stop| column_of_stop(rooms, stop) == column).map(Place::Stop);
        }
        let room = (0..rooms).find(|&room| column_of_room(room) == column)?;
        (1..=burrow.depth).contains(&row).then(|| Place::Room(room, row - 1))
    }
}

impl Move {
    /// Returns the number of steps: up, along the hallway, down.
    pub fn steps(self, rooms: usize) -> usize {
        let ([from_row, from], [to_row, to]) = (self.from.at(rooms), self.to.at(rooms));
        from_row + from.abs_diff(to) + to_row
    }

    pub fn energy(self, rooms: usize) -> u64 {
        self.steps(rooms) as u64 * step_cost(self.kind)
    }
}

impl Burrow {
    fn cell_mut(&mut self, place: Place) -> &mut Option<Kind> {
        match place {
            Place::Stop(stop) => &mut self.hallway[stop],
            Place::Room(room, level) => &mut self.rooms[room][level],
        }
    }

    /// Returns all amphipods with their places: first those in the hallway from left to right, then
    /// those in the rooms, each from top to bottom.
    pub fn amphipods(&self) -> Vec<(Kind, Place)> {
        let hallway = self.hallway.iter().enumerate().map(|(stop, &kind)| (kind, Place::Stop(stop)));
        let rooms = self.rooms.iter().enumerate().flat_map(|(room, cells)| {
            cells.iter().enumerate().map(move |(level, &kind)| (kind, Place::Room(room, level)))
        });
        hallway.chain(rooms).filter_map(|(kind, place)| Some((kind?, place))).collect()
    }

    /// Returns the amphipod at a place.
    pub fn occupant(&self, place: Place) -> Option<Kind> {
        match place {
            Place::Stop(stop) => self.hallway[stop],
            Place::Room(room, level) => self.rooms[room][level],
        }
    }

    /// Returns the amphipod at a row and column, or an error if there is a wall.
    fn at(&self, [row, column]: [usize; 2]) -> Result<Option<Kind>, String> {
        match Place::of([row, column], self) {
            Some(place) => Ok(self.occupant(place)),
            None if row == 0 && column < 2 * self.rooms.len() + 3 => Ok(None),
            None => Err(format!("row {row}, column {column} is a wall")),
        }
    }

    /// Checks a move; the error names the rule that forbids it.
    pub fn check_move(&self, action: Move) -> Result<(), String> {
        let rooms = self.rooms.len();
        let (mut at, to) = (action.from.at(rooms), action.to.at(rooms));
        let who = name(action.kind);
        if self.at(at)? != Some(action.kind) {
            return Err(format!("no amphipod {who} is at row {}, column {}", at[0], at[1]));
        }
        // Walk cell by cell.
        while at != to {
            at = if at[1] != to[1] && at[0] > 0 {
                [at[0] - 1, at[1]]
            } else if at[1] != to[1] {
                [at[0], if at[1] < to[1] { at[1] + 1 } else { at[1] - 1 }]
            } else {
                [at[0] + 1, at[1]]
            };
            if let Some(other) = self.at(at)? {
                return Err(format!("{who} meets {} at row {}, column {}", name(other), at[0], at[1]));
            }
        }
        match (action.from, action.to) {
            (Place::Stop(_), Place::Stop(_)) => {
                return Err(format!("{who} moves along the hallway without going home"));
            }
            (_, Place::Room(room, level)) => {
                if room != usize::from(action.kind) {
                    return Err(format!("{who} enters room {}, which is not its own", room + 1));
                }
                if self.rooms[room].iter().flatten().any(|&kind| kind != action.kind) {
                    return Err(format!("{who} goes home while there is another kind"));
                }
                if self.rooms[room][level + 1..].iter().any(Option::is_none) {
                    return Err(format!("{who} leaves a gap below"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the legal moves of an amphipod.
    pub fn legal_moves(&self, kind: Kind, from: Place) -> Vec<Move> {
        let stops = (0..self.hallway.len()).map(Place::Stop);
        let levels = (0..self.depth).map(|level| Place::Room(usize::from(kind), level));
        let moves = stops.chain(levels).map(|to| Move { kind, from, to });
        moves.filter(|&action| action.to != from && self.check_move(action).is_ok()).collect()
    }

    /// Makes a move without checking the rules.
    pub fn make_move(&mut self, action: Move) {
        *self.cell_mut(action.from) = None;
        *self.cell_mut(action.to) = Some(action.kind);
    }

    /// Returns a lower bound on an amphipod's energy: that of the direct path to the top cell of
    /// its room.
    pub fn min_home_cost(&self, kind: Kind, place: Place) -> u64 {
        let home = usize::from(kind);
        let is_inside = matches!(place, Place::Room(room, _) if room == home);
        let top = Move { kind, from: place, to: Place::Room(home, 0) };
        if is_inside { 0 } else { top.energy(self.rooms.len()) }
    }
}
