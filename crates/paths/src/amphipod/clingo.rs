//! The engine `asp`: clingo searches for the plan with the least energy.
//!
//! No amphipod moves more than twice, out of a room and home, so the horizon is known: two steps
//! for each amphipod that must leave its room, one for each in the hallway.

use asp::{AnswerAtoms, AtomError, Symbol, Term};
use base::diagnostic::Failure;
use base::sorting;
use puzzle::ClingoProgram;
use puzzle::job::Job;
use puzzle::one_player::PlanProgram;

use super::burrow::{Burrow, column_of_room, column_of_stop, step_cost};
use super::moves::{Move, Place};
use super::options::Amphipod;

impl ClingoProgram<Amphipod> for Amphipod {
    /// Returns the program: the instance as facts, and the encodings.
    fn program(&self, burrow: &Burrow, job: &Job) -> Result<asp::Program, Failure> {
        let rooms = burrow.rooms.len();
        let mut facts: Vec<Option<Symbol>> = Vec::new();
        for (number, (kind, place)) in burrow.amphipods().into_iter().enumerate() {
            let [row, column] = place.at(rooms);
            let step_cost = usize::try_from(step_cost(kind)).expect("a price fits");
            facts.extend([
                asp::fact("kind", &[number, kind.into()]),
                asp::fact("price", &[number, step_cost]),
                asp::fact("at", &[number, row, column]),
            ]);
        }
        facts.extend((0..rooms).map(|room| asp::fact("door", &[room, column_of_room(room)])));
        facts.extend((0..rooms + 3).map(|stop| asp::fact("stop", &[column_of_stop(rooms, stop)])));
        facts.extend((1..=burrow.depth).map(|level| asp::fact("level", &[level])));
        facts.push(asp::fact("horizon", &[horizon(burrow)]));
        Ok(asp::Program {
            encoding: job.sources.encodings.clone(),
            facts: facts.into_iter().flatten().collect(),
            ..asp::Program::default()
        })
    }
}

impl PlanProgram<Amphipod> for Amphipod {
    /// Reads the moves of an answer, in the order of their steps.
    fn read_moves(&self, burrow: &Burrow, atoms: &AnswerAtoms) -> Result<Vec<Move>, AtomError> {
        let mut rows = atoms.rows::<4>("go", "go(Amphipod, Row, Column, Step)")?;
        sorting::sort_by_key(&mut rows, |row| row[3].number());
        let mut places = burrow.amphipods();
        let action = |row: &[Term; 4]| {
            let index_of = |term: &Term| term.number().and_then(|number| usize::try_from(number).ok());
            let to =
                index_of(&row[1]).zip(index_of(&row[2])).and_then(|(row, column)| Place::of([row, column], burrow));
            let amphipod = index_of(&row[0]).and_then(|amphipod| places.get_mut(amphipod));
            let Some(((kind, place), to)) = amphipod.zip(to) else {
                let words: Vec<String> = row.iter().map(Term::text).collect();
                return Err(AtomError(format!("go({}) does not name an amphipod and a cell", words.join(","))));
            };
            Ok(Move { kind: *kind, from: std::mem::replace(place, to), to })
        };
        rows.iter().map(action).collect()
    }
}

/// Returns a number of steps that suffices for a cheapest plan.
fn horizon(burrow: &Burrow) -> usize {
    let moves = |&(kind, place): &(u8, Place)| match place {
        Place::Stop(_) => 1,
        Place::Room(room, level) => {
            let is_home = burrow.rooms[room][level..].iter().all(|&below| below == Some(room as u8));
            if is_home && usize::from(kind) == room { 0 } else { 2 }
        }
    };
    burrow.amphipods().iter().map(moves).sum()
}
