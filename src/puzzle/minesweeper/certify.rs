//! Certificates of what is said of a board, by its program: that no layout fits, or that all layouts agree on some cells.
//!
//! The latter is that no answer differs from a certain layout in what it shows, where nothing is shown but these cells.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use rustc_hash::FxHashSet;

use super::board::Board;
use super::grounded;
use crate::asp;
use crate::certificate::{self, Asked, Claim, Contradiction, Shown};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::{Certified, Verdict};
use crate::job::Job;

/// Of cells that are a mine (`true`) or safe in all layouts, or that there is none.
pub fn certified(board: &Board, decided: &[(usize, bool)], verdict: Verdict, job: &Job) -> Result<Certified, Failure> {
    let of = if verdict == Verdict::Impossible { "none" } else { "certain" };
    if decided.is_empty() && verdict != Verdict::Impossible {
        return Ok(Certified::not(of, "no cell is certain"));
    }
    let program = grounded::program(board, job);
    let mut solver = asp::Solver::new(&job.settings, &job.stop)?;
    let ground = solver.control().observe()?;
    solver.load(&program)?;
    solver.ground_program(&program)?;
    solver.check_inputs(&program)?;
    let known = solver.control().known_atoms()?;
    let facts: FxHashSet<u64> =
        known.iter().filter(|(_, is_fact)| *is_fact).map(|(atom, _)| asp::id_of(*atom)).collect();
    let overlooked = |what: &str| Failure::from(Diagnostic::error(format!("a layout was overlooked: {what}")));
    let mut shown = Shown::new();
    for &(cell, is_mine) in decided {
        let [row, column] = board.coordinates(cell);
        let mine = grounded::atom("mine", board, cell);
        let is_fact = facts.contains(&asp::id_of(mine));
        let condition = match solver.control().literal(mine).filter(|_| !is_fact) {
            Some(literal) => vec![if is_mine { literal } else { -literal }],
            None if is_fact == is_mine => Vec::new(),
            None => return Err(overlooked(&board.words(cell))),
        };
        let name = if is_mine { "mine" } else { "safe" };
        shown.insert(format!("{name}({row},{column})"), vec![condition]);
    }
    solver.control().prepare()?;
    let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
    let mut claim = Claim { is_of_shown: true, ..Claim::default() };
    if verdict != Verdict::Impossible {
        let mut first = |atoms: &[u32], _: Vec<i64>, _: bool| {
            claim.answers.push(atoms.to_vec());
            ControlFlow::Break(())
        };
        let stop = &mut |_| job.stop.requested().is_some();
        if let Err(why) = certificate::answers(&ground, &shown, Asked::default(), stop, &mut first) {
            return Ok(Certified::not(of, why));
        }
        if let Some(layout) = claim.answers.first() {
            let holds = |literal: &i32| layout.binary_search(&literal.unsigned_abs()).is_ok() == (*literal > 0);
            let differs = shown.iter().find(|(_, conditions)| !conditions[0].iter().all(holds));
            differs.map_or(Ok(()), |(cell, _)| Err(overlooked(&format!("not {cell}"))))?;
        }
    }
    let made = certificate::certify(&ground, &shown, &claim, of, job.certify, &job.stop);
    made.map_err(|contradiction| match contradiction {
        Contradiction::Missed(layout) => overlooked(&layout),
        wrong => wrong.into(),
    })
}
