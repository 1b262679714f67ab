//! Splits the search for the answers of a logic program into cubes.

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use count::Projection;
use ground::GroundRule;
use rustc_hash::{FxHashMap, FxHashSet};

use super::certifying;
use crate::counting::{projected_atoms, projection_of};
use crate::cubes::{Cube, CubeLiteral, program_name};

/// Grounds a program and splits the cubes `of` until there are `count` cubes, or none can be split. Each new
/// cube gets the least `at_most` of the cubes `of`. If they are counted, the cubes differ in what is shown, if possible:
/// then answers that show the same may count as one.
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
    let is_counted = of.iter().any(|cube| cube.is_counted);
    let (mut solver, ground) = certifying::ground_open(program, settings, stop)?;
    let mode = solver.solve_mode()?;
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
    let is_decided = |rule: &&GroundRule| rule.is_choice || rule.head.len() > 1;
    let decided = ground.rules.iter().filter(is_decided).flat_map(|rule| &rule.head).copied();
    let mut candidates: Vec<u32> = decided.filter(|atom| names.contains_key(atom)).collect();
    let retain = |candidates: &mut Vec<u32>, atoms: &FxHashSet<u32>| candidates.retain(|atom| atoms.contains(atom));
    let projected = if is_counted { projected_atoms(&projection_of(mode, &ground)?, &ground) } else { None };
    if let Some(projected) = &projected {
        retain(&mut candidates, projected);
    }
    if candidates.is_empty() {
        candidates = names.keys().copied().collect();
        projected.iter().for_each(|projected| retain(&mut candidates, projected));
    }
    let also_projected = ground.projected.clone().map(Projection::Atoms);
    for projection in also_projected.into_iter().chain([Projection::Shown]).filter(|_| is_counted) {
        let mut preferred = candidates.clone();
        projected_atoms(&projection, &ground).iter().for_each(|projected| retain(&mut preferred, projected));
        if !preferred.is_empty() {
            candidates = preferred;
        }
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
        is_counted,
    };
    Ok(cubes.into_iter().map(cube).collect())
}
