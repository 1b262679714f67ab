//! Certificates of what is said of a board, by its program: that no layout fits, or that all layouts agree on some cells.
//!
//! The latter is that no answer differs from a certain layout in what it shows, where nothing is shown but these cells.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use rustc_hash::FxHashSet;

use super::board::Board;
use super::grounded;
use crate::asp;
use crate::certificate::{self, Asked, Certificate, Claim, Contradiction, Shown};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::{Certified, Verdict};
use crate::job::Job;
use crate::puzzle::certifying;

/// Of cells that are a mine (`true`) or safe in all layouts, or that there is none.
pub fn certified(board: &Board, decided: &[(usize, bool)], verdict: Verdict, job: &Job) -> Result<Certified, Failure> {
    let of = if verdict == Verdict::Impossible { "none" } else { "certain" };
    if decided.is_empty() && verdict != Verdict::Impossible {
        return Ok(Certified::not(of, "no cell is certain"));
    }
    let (mut solver, ground) = certifying::grounded(&grounded::program(board, job), &job.settings, &job.stop)?;
    let overlooked = |what: &str| Failure::from(Diagnostic::error(format!("a layout was overlooked: {what}")));
    let mut cells = Cells::of(board, &mut solver)?;
    let mut shown = Shown::new();
    for &(cell, is_mine) in decided {
        let Some((name, condition)) = cells.shown(cell, is_mine) else { return Err(overlooked(&board.words(cell))) };
        shown.insert(name, vec![condition]);
    }
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

/// The first difference between the program of a certificate and that of the board. The certificate may show any cells.
pub fn difference(board: &Board, job: &Job, certificate: &Certificate) -> Result<Option<String>, Failure> {
    let (mut solver, ground) = certifying::grounded(&grounded::program(board, job), &job.settings, &job.stop)?;
    let mut cells = Cells::of(board, &mut solver)?;
    let mut shown = Shown::new();
    for cell in board.position.grid.cells() {
        for is_mine in [false, true] {
            let term = cells.shown(cell, is_mine).filter(|(name, _)| certificate.shown.contains_key(name));
            shown.extend(term.map(|(name, condition)| (name, vec![condition])));
        }
    }
    let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(certificate.difference(&ground, &[shown]))
}

/// The literals of cells in the ground program.
struct Cells<'a> {
    board: &'a Board,
    solver: &'a mut asp::Solver,
    facts: FxHashSet<u64>,
}

impl<'a> Cells<'a> {
    fn of(board: &'a Board, solver: &'a mut asp::Solver) -> Result<Self, Failure> {
        let known = solver.control().known_atoms()?;
        let facts = known.iter().filter(|(_, is_fact)| *is_fact).map(|(atom, _)| asp::id_of(*atom)).collect();
        Ok(Cells { board, solver, facts })
    }

    /// The term that says that a cell is a mine, or safe, and the condition under which it is shown; `None` if it never holds.
    fn shown(&mut self, cell: usize, is_mine: bool) -> Option<(String, Vec<i32>)> {
        let [row, column] = self.board.coordinates(cell);
        let mine = grounded::atom("mine", self.board, cell);
        let is_fact = self.facts.contains(&asp::id_of(mine));
        let condition = match self.solver.control().literal(mine).filter(|_| !is_fact) {
            Some(literal) => vec![if is_mine { literal } else { -literal }],
            None if is_fact == is_mine => Vec::new(),
            None => return None,
        };
        let name = if is_mine { "mine" } else { "safe" };
        Some((format!("{name}({row},{column})"), condition))
    }
}
