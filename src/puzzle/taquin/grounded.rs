//! The engine `asp`: clingo looks for a solution of 0 moves, then 1, then 2, ….

use std::ops::ControlFlow;

use serde_json::json;

use super::Way;
use super::board::Board;
use crate::asp::{self, AnswerAtoms};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::puzzle::{Found, native};
use crate::stop::Reason;

/// The instance as facts, with the encodings.
pub fn program(board: &Board, encodings: &[Document]) -> asp::Program {
    let columns = board.shape.columns;
    let mut facts = Vec::new();
    for (cell, &tile) in board.tiles.iter().enumerate() {
        let (tile, at) = (usize::from(tile), [cell / columns, cell % columns]);
        if tile == board.shape.home {
            facts.extend(asp::fact("free", &at));
        } else {
            facts.extend(asp::fact("tile", &[tile, at[0], at[1]]));
            facts.extend(asp::fact("goal", &[tile, tile / columns, tile % columns]));
        }
    }
    let mut encoding = encodings.to_vec();
    // The solver runs programs in steps that say so.
    encoding.push(Document::in_memory("<steps>", "#include <incmode>.\n"));
    asp::Program { encoding, facts, ..asp::Program::default() }
}

pub fn solve(board: &Board, job: &Job, found: Found<'_, Way<u16>>) -> Result<Ending<native::Proof>, Failure> {
    let columns = board.shape.columns;
    let program = program(board, &job.encodings);
    let mut solver = asp::Solver::new(&job.settings, &job.stop)?;
    solver.load(&program)?;
    let steps = asp::Steps {
        least: 0,
        most: job.limits.depth.map(|depth| depth.saturating_add(1)),
        until: asp::Until::Satisfiable,
    };
    let mut read = None;
    let (solved, count) = asp::solve_steps(
        &mut solver,
        &steps,
        &job.stop,
        |_| (),
        |model| {
            let way = model.shown(asp::Order::AsFound).map_err(|error| asp::AtomError(error.text)).and_then(|atoms| {
                AnswerAtoms::new(atoms.collect::<Vec<_>>().into_iter()).rows::<3>("slide", "slide(Row, Column, Step)")
            });
            read = Some(way);
            ControlFlow::Break(())
        },
    )?;
    let mut statistics = json!({ "steps": count });
    if job.stats {
        statistics["clingo"] = solver.statistics();
    }
    let verdict = match (read, job.stop.requested()) {
        (Some(rows), _) => {
            let of_encoding = |text: String| native::wrong_answer(&job.encodings, &text);
            let mut rows = rows.map_err(|asp::AtomError(text)| of_encoding(text))?;
            rows.sort_by_key(|row| row[2].number());
            let cell = |[row, column, step]: &[asp::Term; 3]| {
                let wrong =
                    || of_encoding(format!("slide({},{},{}) names no cell", row.text(), column.text(), step.text()));
                let (row, column) = row.number().zip(column.number()).ok_or_else(wrong)?;
                let is_cell = (0..board.shape.rows as i32).contains(&row) && (0..columns as i32).contains(&column);
                is_cell.then(|| (row * columns as i32 + column) as u16).ok_or_else(wrong)
            };
            if let Some(step) = (1..).zip(&rows).find_map(|(step, row)| (row[2].number() != Some(step)).then_some(step))
            {
                return Err(of_encoding(format!("no tile, or not one alone, slides in step {step}")).into());
            }
            let cells = rows.iter().map(cell).collect::<Result<Vec<_>, Diagnostic>>()?;
            let _: ControlFlow<()> = found(Way(cells))?;
            Verdict::Solved
        }
        (None, Some(reason)) => Verdict::GaveUp(reason),
        (None, None) if solved.result.unsatisfiable => Verdict::GaveUp(Reason::DepthLimit),
        (None, None) => Verdict::GaveUp(Reason::Unproven),
    };
    let complete = verdict == Verdict::Solved;
    // A step that was broken off says nothing.
    let lower_bound = Some(u64::from(solved.refuted.steps()));
    let proof = native::Proof { lower_bound, ..native::Proof::default() };
    let warnings = solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    Ok(Ending { verdict, complete, proof, statistics, warnings })
}
