//! The engine `asp`: clingo looks for the plan with the least energy.
//!
//! Nobody moves more than twice, out of a room and home, so that the horizon is known: two steps for everybody who is
//! in a room that it must leave, one for everybody in the hallway.

use super::burrow::{Burrow, column_of_room, column_of_stop, price};
use super::moves::{Move, Place};
use crate::asp::{self, AnswerAtoms, AtomError, Symbol, Term};
use crate::job::Job;
use crate::sorting;

/// The instance as facts.
pub fn program(burrow: &Burrow, job: &Job) -> asp::Program {
    let rooms = burrow.rooms.len();
    let mut facts: Vec<Option<Symbol>> = Vec::new();
    for (number, (kind, place)) in burrow.everybody().into_iter().enumerate() {
        let [row, column] = place.at(rooms);
        let price = usize::try_from(price(kind)).expect("a price fits");
        facts.extend([
            asp::fact("kind", &[number, kind.into()]),
            asp::fact("price", &[number, price]),
            asp::fact("at", &[number, row, column]),
        ]);
    }
    facts.extend((0..rooms).map(|room| asp::fact("door", &[room, column_of_room(room)])));
    facts.extend((0..rooms + 3).map(|stop| asp::fact("stop", &[column_of_stop(rooms, stop)])));
    facts.extend((1..=burrow.depth).map(|level| asp::fact("level", &[level])));
    facts.push(asp::fact("horizon", &[horizon(burrow)]));
    asp::Program {
        encoding: job.encodings.clone(),
        facts: facts.into_iter().flatten().collect(),
        ..asp::Program::default()
    }
}

/// Steps that are enough.
fn horizon(burrow: &Burrow) -> usize {
    let moves = |&(kind, place): &(u8, Place)| match place {
        Place::Stop(_) => 1,
        Place::Room(room, level) => {
            let is_home = burrow.rooms[room][level..].iter().all(|&below| below == Some(room as u8));
            if is_home && usize::from(kind) == room { 0 } else { 2 }
        }
    };
    burrow.everybody().iter().map(moves).sum()
}

/// The moves of an answer, in the order of their steps.
pub fn moves(burrow: &Burrow, atoms: &AnswerAtoms) -> Result<Vec<Move>, AtomError> {
    let mut rows = atoms.rows::<4>("go", "go(Amphipod, Row, Column, Step)")?;
    sorting::sort_by_key(&mut rows, |row| row[3].number());
    let mut places = burrow.everybody();
    let action = |row: &[Term; 4]| {
        let read = |term: &Term| term.number().and_then(|number| usize::try_from(number).ok());
        let to = read(&row[1]).zip(read(&row[2])).and_then(|(row, column)| Place::of([row, column], burrow));
        let who = read(&row[0]).and_then(|who| places.get_mut(who));
        let Some(((kind, place), to)) = who.zip(to) else {
            let words: Vec<String> = row.iter().map(Term::text).collect();
            return Err(AtomError(format!("go({}) names no amphipod or no cell", words.join(","))));
        };
        Ok(Move { kind: *kind, from: std::mem::replace(place, to), to })
    };
    rows.iter().map(action).collect()
}
