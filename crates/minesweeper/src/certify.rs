//! Certificates for a board, based on its ground program: no layout exists, or all layouts agree on
//! some cells.
//!
//! The second claim means that the program has a single answer when only these cells are shown.

use std::ops::ControlFlow;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use certificate::{Certificate, Claim};
use ground::ShownTerms;
use prover::{Certification, Contradiction, EnumerationMode};
use puzzle::certifying;
use puzzle::job::Job;
use rustc_hash::FxHashSet;

use super::board::Board;
use super::clingo;

/// Certifies that the cells of `decided` are mines (true) or safe in all layouts, or that no layout
/// exists.
pub fn certify(
    board: &Board,
    decided: &[(usize, bool)],
    verdict: Verdict,
    job: &Job,
) -> Result<Certification, Failure> {
    let claim_name = if verdict == Verdict::Impossible { "none" } else { "certain" };
    if decided.is_empty() && verdict != Verdict::Impossible {
        return Ok(Certification::uncertified(claim_name, "no cell is certain"));
    }
    let (mut solver, ground) = certifying::ground(&clingo::program(board, job), &job.engine.settings, &job.stop)?;
    let overlooked =
        |what: &str| Failure::from(Diagnostic::error(Code::RejectedClaim, format!("a layout was overlooked: {what}")));
    let mut cells = CellLiterals::of(board, &mut solver)?;
    let mut shown = ShownTerms::new();
    for &(cell, is_mine) in decided {
        let Some((name, condition)) = cells.shown_term(cell, is_mine) else {
            return Err(overlooked(&board.describe_cell(cell)));
        };
        shown.insert(name, vec![condition]);
    }
    let ground = ground.lock();
    let mut claim = Claim { projects_to_shown: true, ..Claim::default() };
    if verdict != Verdict::Impossible {
        let mut visit_first = |atoms: &[u32], _: Vec<i64>, _: bool| {
            claim.answers.push(atoms.to_vec());
            ControlFlow::Break(())
        };
        let stop = &mut |_| job.stop.requested().is_some();
        if let Err(reason) =
            prover::enumerate_answers(&ground, &shown, EnumerationMode::default(), stop, &mut visit_first)
        {
            return Ok(Certification::uncertified(claim_name, reason));
        }
        if let Some(layout) = claim.answers.first() {
            let holds = |literal: &i32| layout.binary_search(&literal.unsigned_abs()).is_ok() == (*literal > 0);
            let differs = shown.iter().find(|(_, conditions)| !conditions[0].iter().all(holds));
            differs.map_or(Ok(()), |(cell, _)| Err(overlooked(&format!("not {cell}"))))?;
        }
    }
    let certified = prover::certify(&ground, &shown, &claim, claim_name, job.question.certify, &job.stop);
    certified.map_err(|contradiction| match contradiction {
        Contradiction::MissedAnswer(layout) => overlooked(&layout),
        other => other.into(),
    })
}

/// Returns the first difference between the program of a certificate and that of the board. The
/// certificate may show any set of cells.
pub fn difference(board: &Board, job: &Job, certificate: &Certificate) -> Result<Option<String>, Failure> {
    let (mut solver, ground) = certifying::ground(&clingo::program(board, job), &job.engine.settings, &job.stop)?;
    let mut cells = CellLiterals::of(board, &mut solver)?;
    let mut shown = ShownTerms::new();
    for cell in board.position.grid.cells() {
        for is_mine in [false, true] {
            let term = cells.shown_term(cell, is_mine).filter(|(name, _)| certificate.shown.contains_key(name));
            shown.extend(term.map(|(name, condition)| (name, vec![condition])));
        }
    }
    let ground = ground.lock();
    Ok(certificate.difference(&ground, &[shown]))
}

/// The literals of the cells in the ground program.
struct CellLiterals<'a> {
    board: &'a Board,
    solver: &'a mut asp::Solver,
    facts: FxHashSet<u64>,
}

impl<'a> CellLiterals<'a> {
    fn of(board: &'a Board, solver: &'a mut asp::Solver) -> Result<Self, Failure> {
        let atoms = solver.control().known_atoms()?;
        let facts = atoms.iter().filter(|(_, is_fact)| *is_fact).map(|(atom, _)| asp::id_of(*atom)).collect();
        Ok(CellLiterals { board, solver, facts })
    }

    /// Returns the term for "the cell is a mine" or "is safe" and the condition under which it is
    /// shown; `None` if it never holds.
    fn shown_term(&mut self, cell: usize, is_mine: bool) -> Option<(String, Vec<i32>)> {
        let [row, column] = self.board.coordinates(cell);
        let mine = clingo::atom("mine", self.board, cell);
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
