//! Splits the search for the answers of a logic program into cubes.

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use rustc_hash::FxHashMap;

use super::certifying;
use crate::cubes::{Cube, CubeLiteral, program_name};

/// Grounds a program and splits its search into `count` cubes, or fewer if there are not so many. The
/// search is all of it, or the literals of the cubes `of`. The least of their bounds holds for all.
///
/// # Errors
/// Errors of the program, or the reason why it cannot be split.
pub fn split_program(
    program: &asp::Program,
    settings: &asp::Settings,
    of: &[Cube],
    count: usize,
    stop: &CancelToken,
) -> Result<Vec<Cube>, Failure> {
    let unsupported = |what: &str| Failure::from(Diagnostic::error(Code::Unsupported, format!("split: {what}")));
    if program.documents().any(asp::is_incremental) {
        return Err(unsupported("a program in steps cannot be split"));
    }
    of.iter().try_for_each(|cube| cube.check_program(program, settings))?;
    let (mut solver, ground) = certifying::ground_open(program, settings, stop)?;
    let control = solver.control();
    let mut names = FxHashMap::default();
    let mut numbers = FxHashMap::default();
    for (symbol, _) in control.known_atoms()?.into_iter().filter(|(_, is_fact)| !is_fact) {
        if let Some(atom) = control.literal(symbol).and_then(|literal| u32::try_from(literal).ok()) {
            let name = asp::to_text(symbol);
            numbers.insert(name.clone(), atom as i32);
            names.entry(atom).or_insert(name);
        }
    }
    control.prepare()?;
    let ground = ground.lock();
    if !ground.assumed.is_empty() {
        return Err(unsupported("a program with assumptions cannot be split"));
    }
    let is_decided = |rule: &&ground::GroundRule| rule.is_choice || rule.head.len() > 1;
    let decided = ground.rules.iter().filter(is_decided).flat_map(|rule| &rule.head).copied();
    let mut candidates: Vec<u32> = decided.filter(|atom| names.contains_key(atom)).collect();
    if candidates.is_empty() {
        candidates = names.keys().copied().collect();
    }
    candidates.sort_unstable();
    candidates.dedup();
    let number = |literal: &CubeLiteral| {
        let atom = numbers.get(&literal.atom).ok_or_else(|| {
            let text = format!("expected an atom of the ground program in the cube, found `{}`", literal.atom);
            Diagnostic::error(Code::InvalidReport, text)
        })?;
        Ok(if literal.is_true { *atom } else { -atom })
    };
    let cubes = of.iter().map(|cube| cube.literals.iter().map(number).collect());
    let cubes = cubes.collect::<Result<Vec<Vec<i32>>, Failure>>()?;
    let cubes = prover::split_cubes(&ground, &candidates, cubes, count, stop);
    if stop.requested().is_some() {
        return Err(unsupported("stopped before the search was split"));
    }
    let name = program_name(program, settings);
    let literal = |literal: i32| CubeLiteral { atom: names[&literal.unsigned_abs()].clone(), is_true: literal > 0 };
    let at_most = of.iter().filter_map(|cube| cube.at_most.as_ref()).min();
    let cube = |literals: Vec<i32>| Cube {
        program: name.clone(),
        literals: literals.into_iter().map(literal).collect(),
        at_most: at_most.cloned(),
    };
    Ok(cubes.into_iter().map(cube).collect())
}
