//! Random draws of models, compared with brute force.

#[path = "../../ground/tests/programs/mod.rs"]
mod programs;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use base::stop::{Canceller, StopReason};
use certificate::CostBound;
use count::{CountLimits, CountMode, Formula, Projection, formula_of, sample};
use fastrand::Rng;
use ground::GroundProgram;
use programs::{answers, contains, costs, random_program, seeds, shows};

/// Draws per answer, on average.
const DRAWS: u64 = 12;

/// The sum of several tests of uniformity.
#[derive(Default)]
struct ChiSquare {
    sum: f64,
    degrees: f64,
}

impl ChiSquare {
    /// Adds the numbers of draws of each of `answers` equally likely answers.
    fn add(&mut self, drawn: impl Iterator<Item = u64>, answers: usize, draws: u64) {
        let expected = draws as f64 / answers as f64;
        let squares: f64 = drawn.map(|number| (number as f64).powi(2)).sum();
        self.sum += squares / expected - draws as f64;
        self.degrees += answers as f64 - 1.0;
    }

    /// The distance of the sum from its expected value, in standard deviations.
    fn deviation(&self) -> f64 {
        (self.sum - self.degrees) / (2.0 * self.degrees).sqrt()
    }
}

/// Draws models and returns how often each set of atoms was drawn.
fn drawn(formula: &Formula, draws: u64, seed: u64, atoms: &BTreeSet<u32>) -> BTreeMap<u32, u64> {
    let mut random = Rng::with_seed(seed);
    // Without memory, the counts that a draw needs are found again.
    let cache_bytes = if random.bool() { random.usize(0..4_000) } else { 1 << 20 };
    let limits = CountLimits { cache_bytes, ..CountLimits::default() };
    let mut drawn = BTreeMap::new();
    let sampling = sample(formula, &limits, (draws, seed), &mut |values| {
        let set = atoms.iter().filter(|&&atom| values[atom as usize]).fold(0, |set, atom| set | 1_u32 << atom);
        *drawn.entry(set).or_insert(0) += 1;
        ControlFlow::Continue(())
    });
    assert_eq!((sampling.drawn, sampling.stopped), (drawn.values().sum(), None), "seed {seed}");
    drawn
}

/// Compares the draws of random programs with the expected classes of answers.
fn compare(
    programs: u64,
    mode_of: impl Fn(&mut Rng, &mut GroundProgram, &mut Vec<u32>) -> Option<CountMode>,
    class_of: impl Fn(&GroundProgram, &CountMode, u32) -> Vec<bool>,
) {
    let mut uniform = ChiSquare::default();
    let mut compared = 0;
    for seed in seeds(programs) {
        let mut random = Rng::with_seed(seed);
        let mut ground = random_program(&mut random);
        let mut answers = answers(&ground);
        let Some(mode) = mode_of(&mut random, &mut ground, &mut answers) else { continue };
        let Ok(formula) = formula_of(&ground, &mode) else { continue };
        let mut classes: BTreeMap<Vec<bool>, u64> =
            answers.iter().map(|&set| (class_of(&ground, &mode, set), 0)).collect();
        let draws = classes.len() as u64 * DRAWS;
        for (set, number) in drawn(&formula, draws.max(1), seed, &ground.atoms().collect()) {
            assert!(answers.contains(&set), "seed {seed}: {set:b} is no answer of {ground:?}");
            *classes.get_mut(&class_of(&ground, &mode, set)).expect("the class of an answer") += number;
        }
        if classes.len() > 1 {
            uniform.add(classes.values().copied(), classes.len(), draws);
            compared += 1;
        }
    }
    assert!(compared * 40 > programs, "{compared} programs with several answers");
    assert!(uniform.deviation().abs() < 6.0, "{} standard deviations", uniform.deviation());
}

fn all_atoms(_: &GroundProgram, _: &CountMode, set: u32) -> Vec<bool> {
    (1..u32::BITS as i32).map(|atom| contains(set, atom)).collect()
}

#[test]
fn answer_sets_are_drawn_uniformly() {
    compare(3_000, |_, _, _| Some(CountMode::default()), all_atoms);
}

#[test]
fn projections_to_what_is_shown_are_drawn_uniformly() {
    let mode = |random: &mut Rng, ground: &mut GroundProgram, _: &mut Vec<u32>| {
        let last = ground.last_atom();
        for _ in 0..random.usize(1..6) {
            let term = ["a", "b", "c", "d"][random.usize(0..4)].to_owned();
            let literal = |random: &mut Rng| (random.u32(1..=last) as i32) * if random.f64() < 0.8 { 1 } else { -1 };
            let condition = (0..random.usize(0..3)).map(|_| literal(random)).collect();
            ground.outputs.push((term, condition));
        }
        Some(CountMode { projection: Projection::Shown, bound: None })
    };
    compare(3_000, mode, |ground, _, set| shows(&prover::shown_terms(ground), set));
}

#[test]
fn projections_to_atoms_are_drawn_uniformly() {
    let mode = |random: &mut Rng, ground: &mut GroundProgram, _: &mut Vec<u32>| {
        let atoms = (1..=ground.last_atom()).filter(|_| random.bool()).collect();
        Some(CountMode { projection: Projection::Atoms(atoms), bound: None })
    };
    compare(3_000, mode, |_, mode, set| match &mode.projection {
        Projection::Atoms(atoms) => atoms.iter().map(|&atom| contains(set, atom as i32)).collect(),
        _ => unreachable!("see above"),
    });
}

#[test]
fn optima_are_drawn_uniformly() {
    let mode = |_: &mut Rng, ground: &mut GroundProgram, answers: &mut Vec<u32>| {
        let best = answers.iter().map(|&set| costs(ground, set)).min().filter(|costs| !costs.is_empty())?;
        answers.retain(|&set| costs(ground, set) == best);
        let bound = Some(CostBound { costs: best, is_strict: false });
        Some(CountMode { bound, ..CountMode::default() })
    };
    // Few programs have several optima.
    let mut random = Rng::with_seed(1);
    let has_several = |seed: &u64| {
        let mut ground = random_program(&mut Rng::with_seed(*seed));
        let mut answers = answers(&ground);
        mode(&mut Rng::with_seed(1), &mut ground, &mut answers).is_some() && answers.len() > 1
    };
    assert!((0..1_000).filter(|_| has_several(&random.u64(..))).count() > 20, "there are some");
    let mut uniform = ChiSquare::default();
    for seed in seeds(4_000).filter(has_several) {
        let mut ground = random_program(&mut Rng::with_seed(seed));
        let mut answers = answers(&ground);
        let mode = mode(&mut Rng::with_seed(1), &mut ground, &mut answers).expect("it has optima");
        let Ok(formula) = formula_of(&ground, &mode) else { continue };
        let draws = answers.len() as u64 * DRAWS;
        let drawn = drawn(&formula, draws, seed, &ground.atoms().collect());
        assert!(drawn.keys().all(|set| answers.contains(set)), "seed {seed}: {ground:?}");
        uniform.add(drawn.into_values(), answers.len(), draws);
    }
    assert!(uniform.degrees > 50.0 && uniform.deviation().abs() < 6.0, "{} deviations", uniform.deviation());
}

/// Two components and a variable without clauses.
#[test]
fn models_of_independent_parts_are_drawn_uniformly_and_repeatably() {
    let clauses = [vec![1, 2, 3], vec![-1, -2], vec![4, -5], vec![-4, 5, 6], vec![3, -7]];
    let formula = Formula::of_clauses(8, &clauses);
    let is_model = |set: &u32| {
        let holds = |&literal: &i32| contains(*set, literal) == (literal > 0);
        clauses.iter().all(|clause| clause.iter().any(holds))
    };
    let models = (0..1_u32 << 8).map(|set| set << 1).filter(is_model).count();
    let draws = 5_000;
    let all = (1..=8).collect();
    let first = drawn(&formula, draws, 1, &all);
    assert_eq!(first.len(), models, "each model is drawn");
    let mut uniform = ChiSquare::default();
    uniform.add(first.values().copied(), models, draws);
    assert!(uniform.deviation().abs() < 3.0, "{}", uniform.deviation());
    assert_eq!(first, drawn(&formula, draws, 1, &all));
    assert_ne!(first, drawn(&formula, draws, 2, &all));
}

/// Each cell has exactly one value, which one decision draws.
#[test]
fn latin_squares_are_drawn_uniformly() {
    let cell = |row: i32, column: i32, value: i32| row * 9 + column * 3 + value + 1;
    let mut clauses = Vec::new();
    for one in 0..3 {
        for other in 0..3 {
            clauses.push((0..3).map(|value| cell(one, other, value)).collect());
            for (first, second) in [(0, 1), (0, 2), (1, 2)] {
                clauses.push(vec![-cell(one, other, first), -cell(one, other, second)]);
                clauses.push(vec![-cell(one, first, other), -cell(one, second, other)]);
                clauses.push(vec![-cell(first, one, other), -cell(second, one, other)]);
            }
        }
    }
    let formula = Formula::of_clauses(27, &clauses);
    let draws = 6_000;
    let drawn = drawn(&formula, draws, 1, &(1..=27).collect());
    assert_eq!(drawn.len(), 12);
    let mut uniform = ChiSquare::default();
    uniform.add(drawn.into_values(), 12, draws);
    assert!(uniform.deviation().abs() < 3.0, "{}", uniform.deviation());
}

#[test]
fn a_count_that_is_stopped_draws_nothing() {
    let clauses: Vec<Vec<i32>> = (1..40).map(|variable| vec![variable, -(variable + 1), variable % 7 + 1]).collect();
    let formula = Formula::of_clauses(40, &clauses);
    let none = &mut |_: &[bool]| -> ControlFlow<()> { panic!("nothing is drawn") };
    let few = CountLimits { decisions: Some(1), ..CountLimits::default() };
    assert_eq!(sample(&formula, &few, (3, 1), none).stopped, Some(StopReason::NodeLimit));
    let canceller = Canceller::new();
    canceller.request(StopReason::Interrupted);
    let stopped = CountLimits { stop: canceller.token(), ..CountLimits::default() };
    assert_eq!(sample(&formula, &stopped, (3, 1), none).stopped, Some(StopReason::Interrupted));
    let inconsistent = Formula::of_clauses(2, &[vec![1], vec![-1, 2], vec![-2]]);
    let sampling = sample(&inconsistent, &CountLimits::default(), (3, 1), none);
    assert_eq!((sampling.drawn, sampling.stopped), (0, None));
}
