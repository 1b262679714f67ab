//! The formula of a ground program.

use std::collections::BTreeSet;

use certificate::CostBound;
use ground::{Completion, GroundProgram, ShownTerms};

use super::formula::{Formula, Role};
use super::loops;

/// What counts as an answer.
#[derive(Debug, Clone, Default)]
pub struct CountMode {
    pub projection: Projection,
    /// Counts only answers within the bound.
    pub bound: Option<CostBound>,
}

/// When two answer sets count as one answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Projection {
    /// Never.
    #[default]
    None,
    /// If they show the same terms.
    Shown,
    /// If they have the same atoms among these.
    Atoms(Vec<u32>),
}

/// Translates a program: the formula has as many models as the program has answers.
///
/// # Errors
/// The reason why the program has no translation.
pub fn formula_of(ground: &GroundProgram, mode: &CountMode) -> Result<Formula, String> {
    let ground = loops::without_edges_and_recursive_sums(ground)?;
    let components = prover::positive_components(&ground);
    loops::check_disjunctions(&ground, &components)?;
    let shown = match mode.projection {
        Projection::Shown => prover::shown_terms(&ground),
        _ => ShownTerms::new(),
    };
    let mut completion = Completion::of(&ground, &shown)?;
    if let Some(bound) = &mode.bound {
        bound.assert_bound(&ground, &mut completion)?;
    }
    let projection: Option<BTreeSet<u32>> = match &mode.projection {
        Projection::None => None,
        Projection::Shown => {
            Some(shown.values().map(|conditions| completion.any_of(conditions).unsigned_abs()).collect())
        }
        // The completion may use the number of an atom without rules for an auxiliary variable.
        Projection::Atoms(atoms) => {
            Some(atoms.iter().copied().filter(|atom| completion.supports.contains_key(atom)).collect())
        }
    };
    let is_defined = defined_atoms(&ground);
    let is_used =
        |variable: i32| variable >= completion.true_var || completion.supports.contains_key(&(variable as u32));
    let role = |variable: i32| match &projection {
        _ if !is_used(variable) => Role::Unused,
        Some(projection) if projection.contains(&(variable as u32)) => Role::Counted,
        Some(_) => Role::Existential,
        None if variable < completion.true_var && !is_defined[variable as usize] => Role::Counted,
        None => Role::Defined,
    };
    let mut formula = Formula::new((1..=completion.max_variable).map(role));
    completion.clauses.iter().for_each(|clause| formula.add_clause(clause));
    loops::add_copies(&ground, &completion, &components, &mut formula);
    Ok(formula)
}

/// Returns a flag for each atom, indexed by the atom's number: true if rules define the atom by other
/// atoms. Such an atom is in no head of a choice or of a disjunction, and does not depend on itself,
/// neither positively nor negatively. The values of all other atoms determine the values of these.
fn defined_atoms(ground: &GroundProgram) -> Vec<bool> {
    let atoms = ground.assumed.iter().chain(ground.outputs.iter().flat_map(|(_, condition)| condition));
    let last = atoms.map(|literal| literal.unsigned_abs()).max().unwrap_or(0).max(ground.last_atom());
    let mut is_defined = vec![true; last as usize + 1];
    let mut edges = Vec::new();
    for rule in &ground.rules {
        for &head in &rule.head {
            is_defined[head as usize] &= !rule.is_choice && rule.head.len() == 1;
            edges.extend(rule.body.iter().map(|&(literal, _)| (literal.unsigned_abs(), head)));
        }
    }
    let on_cycles = prover::cyclic_components(&edges).into_iter().flatten();
    for atom in on_cycles.chain(ground.externals.keys().copied()) {
        is_defined[atom as usize] = false;
    }
    is_defined
}
