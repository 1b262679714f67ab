//! Tests the check of answer sets, and the completion, against their definitions: on random programs
//! and all interpretations of their atoms.

mod programs;

use std::collections::BTreeSet;

use fastrand::Rng;
use ground::{Completion, Flaw, GroundProgram, ShownTerms, Truth, check_answer, is_answer_set};
use programs::{contains, costs, holds, is_answer, random_program, seeds};

/// Returns all sets of atoms. Atom 0 does not exist.
fn subsets(ground: &GroundProgram) -> impl Iterator<Item = u32> + use<> {
    (0..1_u32 << ground.last_atom()).map(|set| set << 1)
}

/// Returns true if a set satisfies all rules, assumptions and external values, and each of its atoms
/// has a rule: one whose body is true, and in whose head a disjunction has no other true atom.
fn is_supported_model(ground: &GroundProgram, set: u32) -> bool {
    let has = |atom: u32| contains(set, atom as i32);
    let has_body = |rule: &&ground::GroundRule| rule.weight(|literal| holds(set, literal)) >= rule.required_weight();
    let heads: BTreeSet<u32> = ground.rules.iter().flat_map(|rule| rule.head.clone()).collect();
    let given = |atom: u32| {
        let is_external = !heads.contains(&atom) || ground.frozen.get(&atom) == Some(&true);
        ground.externals.get(&atom).filter(|_| is_external)
    };
    let supports = |rule: &ground::GroundRule, atom: u32| {
        rule.head.contains(&atom) && (rule.is_choice || rule.head.iter().all(|&other| other == atom || !has(other)))
    };
    let is_supported = |atom: u32| {
        given(atom).is_some_and(|value| *value != Truth::False)
            || ground.rules.iter().filter(has_body).any(|rule| supports(rule, atom))
    };
    let has_value = |atom: u32| match given(atom) {
        Some(Truth::True) => has(atom),
        Some(Truth::False) => !has(atom),
        _ => true,
    };
    let is_satisfied = |rule: &ground::GroundRule| rule.is_choice || rule.head.iter().any(|&atom| has(atom));
    ground.rules.iter().filter(has_body).all(is_satisfied)
        && (1..=ground.last_atom()).all(|atom| has_value(atom) && (!has(atom) || is_supported(atom)))
        && ground.assumed.iter().all(|&literal| holds(set, literal))
}

/// Returns true if a set satisfies the clauses. The variables that are no atoms follow from the
/// atoms by unit propagation.
fn satisfies(completion: &Completion, set: u32) -> bool {
    let mut values = vec![None; completion.max_variable as usize + 1];
    for atom in 1..completion.true_var {
        values[atom as usize] = Some(contains(set, atom));
    }
    loop {
        let mut has_changed = false;
        for clause in &completion.clauses {
            let value =
                |literal: i32| values[literal.unsigned_abs() as usize].map(|value: bool| value == (literal > 0));
            if clause.iter().any(|&literal| value(literal) == Some(true)) {
                continue;
            }
            let mut open = clause.iter().copied().filter(|&literal| value(literal).is_none());
            match (open.next(), open.next()) {
                (None, _) => return false,
                (Some(literal), None) => {
                    values[literal.unsigned_abs() as usize] = Some(literal > 0);
                    has_changed = true;
                }
                _ => {}
            }
        }
        if !has_changed {
            assert!(values[1..].iter().all(Option::is_some), "each variable follows from the atoms");
            return true;
        }
    }
}

#[test]
fn exactly_the_answer_sets_are_accepted() {
    let (mut accepted, mut not_minimal, mut cyclic) = (0, 0, 0);
    for seed in seeds(1000) {
        let mut ground = random_program(&mut Rng::with_seed(seed));
        // Assumptions are no part of a program.
        ground.assumed.clear();
        for set in subsets(&ground) {
            let checked = is_answer_set(&ground, |atom| contains(set, atom as i32));
            assert_eq!(checked.is_ok(), is_answer(&ground, set), "seed {seed}, set {set:b}: {checked:?}\n{ground:?}");
            accepted += usize::from(checked.is_ok());
            not_minimal += usize::from(matches!(checked, Err(Flaw::UnfoundedAtom(_) | Flaw::UnfoundedSet(_))));
            cyclic += usize::from(matches!(checked, Err(Flaw::Cycle(_))));
        }
    }
    let events = [accepted, not_minimal, cyclic];
    assert!(events.iter().all(|&count| count >= 10), "accepted, not minimal, cyclic: {events:?}");
}

#[test]
fn wrong_costs_are_a_flaw() {
    let mut answers = 0;
    for seed in seeds(200) {
        let mut ground = random_program(&mut Rng::with_seed(seed));
        ground.assumed.clear();
        for set in subsets(&ground).filter(|&set| !ground.costs.is_empty() && is_answer(&ground, set)) {
            let check = |costs: &[i64]| check_answer(&ground, |atom| contains(set, atom as i32), costs);
            let mut costs = costs(&ground, set);
            assert!(check(&costs).is_ok(), "seed {seed}, set {set:b}");
            costs[0] += 1;
            assert!(matches!(check(&costs), Err(Flaw::Costs { .. })), "seed {seed}, set {set:b}");
            answers += 1;
        }
    }
    assert!(answers >= 20, "{answers}");
}

#[test]
fn the_completion_has_exactly_the_supported_models() {
    let (mut models, mut answers) = (0, 0);
    for seed in seeds(300) {
        let mut ground = random_program(&mut Rng::with_seed(seed));
        let last = ground.last_atom();
        ground.assumed.retain(|literal| literal.unsigned_abs() <= last);
        let completion = Completion::of(&ground, &ShownTerms::new()).expect("the program is supported");
        // Atoms that do not occur are no variables of the completion.
        let occurs = |set: u32| programs::atoms_of(set).iter().all(|atom| completion.supports.contains_key(atom));
        for set in subsets(&ground).filter(|&set| occurs(set)) {
            let is_model = satisfies(&completion, set);
            assert_eq!(is_model, is_supported_model(&ground, set), "seed {seed}, set {set:b}\n{ground:?}");
            let is_answer = is_answer(&ground, set);
            assert!(is_model || !is_answer, "seed {seed}, set {set:b}: an answer set is a model\n{ground:?}");
            models += usize::from(is_model);
            answers += usize::from(is_answer);
        }
    }
    assert!(answers >= 100 && models > answers, "{models} models, {answers} answers");
}
