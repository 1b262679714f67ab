//! The engine `asp`: clingo looks for the plan with the least energy.
//!
//! Nobody moves more than twice, out of a room and home, so that the horizon is known: two steps for everybody who is
//! in a room that it must leave, one for everybody in the hallway.

use std::ops::ControlFlow;

use serde_json::json;

use super::burrow::{Burrow, column_of_room, column_of_stop, price};
use super::moves::{Move, Place};
use super::{Plan, Way};
use crate::asp::{self, AnswerAtoms, Symbol, Term};
use crate::diagnostic::Failure;
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::puzzle::{Found, native};
use crate::stop::Reason;

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

pub fn solve(burrow: &Burrow, job: &Job, found: Found<'_, Plan>) -> Result<Ending<native::Proof>, Failure> {
    let program = program(burrow, job);
    let mut solver = asp::Solver::with_program(&program, &job.settings, &job.stop)?;
    let mut best = None;
    let solved = solver.solve(&[], |model| {
        let rows = model.shown(asp::Order::AsFound).map_err(|error| asp::AtomError(error.text)).and_then(|atoms| {
            let atoms: Vec<Symbol> = atoms.collect();
            AnswerAtoms::new(atoms.into_iter()).rows::<4>("go", "go(Amphipod, Row, Column, Step)")
        });
        best = Some(rows);
        ControlFlow::Continue(())
    })?;
    let mut statistics = json!({});
    if job.stats {
        statistics["clingo"] = solver.statistics();
    }
    // Where nobody has to move there is nothing to minimise, and the first answer is the only one.
    let is_proven = solved.result.exhausted || horizon(burrow) == 0;
    let mut energy = None;
    let verdict = match (best, job.stop.requested()) {
        (Some(rows), _) => {
            let of_encoding = |text: String| native::wrong_answer(&job.encodings, &text);
            let mut rows = rows.map_err(|asp::AtomError(text)| of_encoding(text))?;
            rows.sort_by_key(|row| row[3].number());
            let mut places = burrow.everybody();
            let mut moves = Vec::new();
            for row in &rows {
                let read = |term: &Term| term.number().and_then(|number| usize::try_from(number).ok());
                let to = read(&row[1]).zip(read(&row[2])).and_then(|(row, column)| Place::of([row, column], burrow));
                let who = read(&row[0]).filter(|&who| who < places.len());
                let Some((who, to)) = who.zip(to) else {
                    let words: Vec<String> = row.iter().map(Term::text).collect();
                    return Err(of_encoding(format!("go({}) names no amphipod or no cell", words.join(","))).into());
                };
                let (kind, from) = places[who];
                places[who].1 = to;
                moves.push(Move { kind, from, to });
            }
            let plan = Way(moves);
            energy = Some(plan.energy(burrow));
            let _: ControlFlow<()> = found(plan)?;
            job.stop.requested().filter(|_| !is_proven).map_or(Verdict::Solved, Verdict::GaveUp)
        }
        (None, Some(reason)) => Verdict::GaveUp(reason),
        (None, None) if solved.result.unsatisfiable => Verdict::Impossible,
        (None, None) => Verdict::GaveUp(Reason::Unproven),
    };
    let warnings = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    let complete = verdict == Verdict::Impossible || verdict == Verdict::Solved && is_proven;
    let proof = native::Proof { lower_bound: energy.filter(|_| complete), ..native::Proof::default() };
    Ok(Ending { verdict, complete, proof, statistics, warnings })
}
