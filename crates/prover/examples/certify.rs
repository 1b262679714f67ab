//! Finds the answer sets of a ground program, certifies that there are no others, and prints the
//! certificate.

use std::ops::ControlFlow;

use base::stop::CancelToken;
use certificate::{Claim, read};
use ground::{GroundProgram, GroundRule};
use prover::{CertifyMode, EnumerationMode, certify, enumerate_answers, shown_terms};

fn main() -> Result<(), String> {
    // 1 { a; b } 1. c :- a. c :- b.
    let rule = |is_choice, head: &[u32], body: &[(i32, i32)], bound| GroundRule {
        is_choice,
        head: head.to_vec(),
        body: body.to_vec(),
        bound,
    };
    let (a, b, c) = (1, 2, 3);
    let rules = vec![
        rule(true, &[a, b], &[], None),
        rule(false, &[], &[(1, 1), (2, 1)], None),
        rule(false, &[], &[(-1, 1), (-2, 1)], None),
        rule(false, &[c], &[(1, 1)], None),
        rule(false, &[c], &[(2, 1)], None),
    ];
    let outputs = [("a", a), ("b", b), ("c", c)].map(|(name, atom)| (name.to_owned(), vec![atom as i32])).to_vec();
    let ground = GroundProgram { rules, outputs, ..GroundProgram::default() };
    let shown = shown_terms(&ground);

    let mut answers = Vec::new();
    enumerate_answers(&ground, &shown, EnumerationMode::default(), &mut |_| false, &mut |atoms, _, _| {
        answers.push(atoms.to_vec());
        ControlFlow::Continue(())
    })?;

    let claim = Claim { answers, ..Claim::default() };
    let certified = certify(&ground, &shown, &claim, "all", CertifyMode::Write, &CancelToken::new())
        .map_err(|contradiction| format!("{contradiction:?}"))?;
    let text = certified.text.ok_or_else(|| certified.why.unwrap_or_default())?;
    print!("{text}");

    // The receiver of the text needs only the crates `certificate` and `ground`.
    let steps = read(&text).map_err(|(line, error)| format!("line {line}: {error}"))?.check()?;
    eprintln!("checked in {steps} steps");
    Ok(())
}
