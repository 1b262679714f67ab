//! Proofs for VeriPB 3, a checker of pseudo-Boolean proofs
//! (<https://gitlab.com/MIAOresearch/software/VeriPB>).
//!
//! VeriPB has no rule for unfounded sets. The loop nogoods and the clauses of cycles are therefore
//! part of the formula, and the proof shows that the formula has no model. Only `verify.rs` checks
//! that these clauses follow from the program.

use std::borrow::Cow;
use std::fmt::Write;

use certificate::{ProofStep, Verifier};
use ground::{Completion, GroundProgram};

/// A formula (`.opb`) and a proof (`.pbp`) that it is unsatisfiable.
#[derive(Debug, Clone)]
pub struct VeriPb {
    pub formula: String,
    pub proof: String,
}

/// Exports steps that `verify` has accepted.
pub fn export(ground: &GroundProgram, completion: &Completion, steps: &[ProofStep]) -> Result<VeriPb, String> {
    let mut verifier = Verifier::new(Cow::Borrowed(ground), Cow::Borrowed(completion));
    let mut formula: Vec<Box<[i32]>> = completion.clauses.clone();
    // The number of each clause in the VeriPB proof. RUP clauses follow the whole formula.
    let mut numbers: Vec<u32> = (0..=formula.len() as u32).collect();
    let mut learnt = Vec::new();
    for step in steps {
        let clause = match step {
            ProofStep::LoopNogood { atoms, context } => verifier.loop_nogood(atoms, context)?,
            ProofStep::Cycle { edges } => verifier.cycle_clause(edges)?,
            ProofStep::Answer { .. } => return Err("an answer is no step of this proof".to_owned()),
            ProofStep::Delete { .. } => continue,
            ProofStep::Rup { clause, hints } => {
                learnt.push((numbers.len(), clause, hints));
                numbers.push(0);
                continue;
            }
        };
        // Tautologies are dropped: no hint refers to them.
        formula.extend(Completion::normalize(clause, completion.true_var));
        numbers.push(formula.len() as u32);
    }
    let mut text = format!("* #variable= {} #constraint= {}\n", completion.max_variable, formula.len());
    for clause in &formula {
        let _ = writeln!(text, "{} ;", constraint(clause));
    }
    let mut proof = format!("pseudo-Boolean proof version 3.0\nf {};\n", formula.len());
    let mut last = formula.iter().position(|clause| clause.is_empty()).map_or(0, |place| place as u32 + 1);
    for (next, (number, clause, hints)) in (formula.len() as u32 + 1..).zip(learnt) {
        let hints: String = hints.iter().map(|&hint| format!(" {}", numbers[hint as usize])).collect();
        let _ = writeln!(proof, "rup {} :{hints};", constraint(clause));
        (numbers[number], last) = (next, next);
    }
    let _ = write!(proof, "output NONE;\nconclusion UNSAT : {last};\nend pseudo-Boolean proof;\n");
    Ok(VeriPb { formula: text, proof })
}

fn constraint(clause: &[i32]) -> String {
    let mut text = String::new();
    for literal in clause {
        let _ = write!(text, "1 {}x{} ", if *literal < 0 { "~" } else { "" }, literal.unsigned_abs());
    }
    text + ">= 1"
}
