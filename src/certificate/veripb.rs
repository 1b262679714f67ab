//! Proofs for VeriPB 3, a checker of pseudo-Boolean proofs (<https://gitlab.com/MIAOresearch/software/VeriPB>).
//!
//! VeriPB knows no unfounded sets: the clauses of unfounded sets and of cycles join the formula, and what is proven is that
//! the formula has no model. That they are right, `verify.rs` alone tells.

use std::fmt::Write;

use super::completion::Completion;
use super::verify::{Step, Verifier};
use crate::asp::Ground;

/// A formula (`.opb`), and the proof (`.pbp`) that it has no model.
#[derive(Debug, Clone)]
pub struct VeriPb {
    pub formula: String,
    pub proof: String,
}

/// Of steps that were verified.
pub fn export(ground: &Ground, completion: &Completion, steps: &[Step]) -> Result<VeriPb, String> {
    let mut verifier = Verifier::new(ground, completion);
    let mut formula: Vec<Box<[i32]>> = completion.clauses.clone();
    // By number of a clause here: its number there. What is learnt comes behind the whole formula.
    let mut numbers: Vec<u32> = (0..=formula.len() as u32).collect();
    let mut learnt = Vec::new();
    for step in steps {
        let clause = match step {
            Step::Unfounded { atoms, besides } => verifier.unfounded(atoms, besides)?,
            Step::Cycle { edges } => verifier.cycle(edges)?,
            Step::Delete { .. } => continue,
            Step::Learnt { literals, hints } => {
                learnt.push((numbers.len(), literals, hints));
                numbers.push(0);
                continue;
            }
        };
        // What says nothing is used by nobody.
        formula.extend(Completion::normal(clause, completion.always));
        numbers.push(formula.len() as u32);
    }
    let mut text = format!("* #variable= {} #constraint= {}\n", completion.variables, formula.len());
    for clause in &formula {
        let _ = writeln!(text, "{} ;", constraint(clause));
    }
    let mut proof = format!("pseudo-Boolean proof version 3.0\nf {};\n", formula.len());
    let mut last = formula.iter().position(|clause| clause.is_empty()).map_or(0, |place| place as u32 + 1);
    for (next, (number, literals, hints)) in (formula.len() as u32 + 1..).zip(learnt) {
        let hints: String = hints.iter().map(|&hint| format!(" {}", numbers[hint as usize])).collect();
        let _ = writeln!(proof, "rup {} :{hints};", constraint(literals));
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
