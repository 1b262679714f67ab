//! Counts of random formulas and programs, compared with brute force.

#[path = "../../ground/tests/programs/mod.rs"]
mod programs;

use std::collections::BTreeSet;

use certificate::CostBound;
use count::{CountLimits, CountMode, Estimate, Formula, Projection, count, formula_of};
use fastrand::Rng;
use ground::GroundProgram;
use num_bigint::BigUint;
use programs::{answers, costs, random_program, seeds, shows};

fn exact(formula: &Formula, limits: &CountLimits) -> u64 {
    let counted = count(formula, limits);
    let number = counted.exact().expect("nothing stops the count").clone();
    u64::try_from(number).expect("the formula is small")
}

/// A limit of memory that makes the cache drop counts in many cases.
fn random_limits(random: &mut Rng) -> CountLimits {
    let cache_bytes = if random.bool() { random.usize(0..4_000) } else { 1 << 20 };
    CountLimits { cache_bytes, ..CountLimits::default() }
}

#[test]
fn the_models_of_clauses_are_counted() {
    let mut consistent = 0;
    for seed in seeds(4_000) {
        let mut random = Rng::with_seed(seed);
        let variables = random.usize(1..14);
        let clauses: Vec<Vec<i32>> = (0..random.usize(0..30))
            .map(|_| {
                let length = random.choice([1, 2, 2, 3, 3, 3, 4, 5]).expect("a length");
                let literal = |_| (random.usize(1..=variables) as i32) * if random.bool() { 1 } else { -1 };
                (0..length).map(literal).collect()
            })
            .collect();
        let is_model = |set: &u32| {
            let holds = |&literal: &i32| (set >> (literal.abs() - 1) & 1 > 0) == (literal > 0);
            clauses.iter().all(|clause| clause.iter().any(holds))
        };
        let expected = (0..1_u32 << variables).filter(is_model).count() as u64;
        let formula = Formula::of_clauses(variables, &clauses);
        assert_eq!(exact(&formula, &random_limits(&mut random)), expected, "seed {seed}: {clauses:?}");
        consistent += usize::from(expected > 0);
    }
    assert!((400..3_900).contains(&consistent), "{consistent}");
}

/// Returns clauses that make exactly one of the literals true.
fn exactly_one(literals: &[i32]) -> Vec<Vec<i32>> {
    let pairs = (0..literals.len()).flat_map(|at| literals[..at].iter().map(move |one| vec![-one, -literals[at]]));
    [literals.to_vec()].into_iter().chain(pairs).collect()
}

/// Returns the clauses of the Latin squares of an order, with a variable for each cell and value.
fn latin_squares(order: usize) -> Vec<Vec<i32>> {
    let mut clauses = Vec::new();
    for one in 0..order {
        for other in 0..order {
            let lines: [&dyn Fn(usize) -> i32; 3] = [
                &|value| latin_variable(order, (one, other), value),
                &|row| latin_variable(order, (row, one), other),
                &|column| latin_variable(order, (one, column), other),
            ];
            clauses.extend(lines.iter().flat_map(|line| exactly_one(&(0..order).map(line).collect::<Vec<i32>>())));
        }
    }
    clauses
}

fn latin_variable(order: usize, (row, column): (usize, usize), value: usize) -> i32 {
    ((row * order + column) * order + value + 1) as i32
}

#[test]
fn latin_squares_are_counted() {
    for (order, number) in (1..=6).zip([1, 2, 12, 576, 161_280, 812_851_200]) {
        let formula = Formula::of_clauses(order * order * order, &latin_squares(order));
        assert_eq!(exact(&formula, &CountLimits::default()), number, "order {order}");
    }
}

/// Counts the ways to fill the cells from a number on, by trying all values.
fn filled(order: usize, cell: usize, allowed: &[bool], used: &mut [bool]) -> u64 {
    if cell == order * order {
        return 1;
    }
    let mut number = 0;
    for value in 0..order {
        let in_row = cell / order * order + value;
        let in_column = (order + cell % order) * order + value;
        if allowed[cell * order + value] && !used[in_row] && !used[in_column] {
            (used[in_row], used[in_column]) = (true, true);
            number += filled(order, cell + 1, allowed, used);
            (used[in_row], used[in_column]) = (false, false);
        }
    }
    number
}

#[test]
fn latin_squares_without_some_values_are_counted_by_isomorphic_components() {
    let order = 5;
    let mut isomorphic = 0;
    for seed in seeds(10) {
        let mut random = Rng::with_seed(seed);
        let mut allowed = vec![true; order * order * order];
        let mut clauses = latin_squares(order);
        for _ in 0..random.usize(0..12) {
            let excluded = random.usize(0..allowed.len());
            allowed[excluded] = false;
            clauses.push(vec![-(excluded as i32 + 1)]);
        }
        let expected = filled(order, 0, &allowed, &mut vec![false; 2 * order * order]);
        let counted = count(&Formula::of_clauses(allowed.len(), &clauses), &CountLimits::default());
        assert_eq!(counted.exact(), Some(&BigUint::from(expected)), "seed {seed}: {clauses:?}");
        isomorphic += counted.stats.isomorphic;
    }
    assert!(isomorphic > 100, "{isomorphic}");
}

#[test]
fn colorings_of_graphs_are_counted() {
    let mut consistent = 0;
    for seed in seeds(300) {
        let mut random = Rng::with_seed(seed);
        let colors = random.usize(2..=4);
        let vertices = random.usize(4..=7);
        let pairs = (0..vertices).flat_map(|one| (0..one).map(move |other| (one, other)));
        let edges: Vec<(usize, usize)> = pairs.filter(|_| random.f64() < 0.4).collect();
        // Colors that a vertex must not have.
        let excluded: Vec<(usize, usize)> =
            (0..random.usize(0..3)).map(|_| (random.usize(0..vertices), random.usize(0..colors))).collect();
        let variable = |vertex, color| (vertex * colors + color + 1) as i32;
        let all_colors = |vertex| (0..colors).map(move |color| variable(vertex, color)).collect::<Vec<i32>>();
        let mut clauses: Vec<Vec<i32>> = (0..vertices).flat_map(|vertex| exactly_one(&all_colors(vertex))).collect();
        for &(one, other) in &edges {
            clauses.extend((0..colors).map(|color| vec![-variable(one, color), -variable(other, color)]));
        }
        clauses.extend(excluded.iter().map(|&(vertex, color)| vec![-variable(vertex, color)]));
        let is_coloring = |number: &usize| {
            let color = |vertex: usize| number / colors.pow(vertex as u32) % colors;
            edges.iter().all(|&(one, other)| color(one) != color(other))
                && excluded.iter().all(|&(vertex, excluded)| color(vertex) != excluded)
        };
        let expected = (0..colors.pow(vertices as u32)).filter(is_coloring).count() as u64;
        let formula = Formula::of_clauses(vertices * colors, &clauses);
        assert_eq!(exact(&formula, &random_limits(&mut random)), expected, "seed {seed}: {edges:?} {excluded:?}");
        consistent += usize::from(expected > 0);
    }
    assert!(consistent > 100, "{consistent}");
}

/// Returns the formula, or `None` for a disjunction on a cycle.
fn translated(ground: &GroundProgram, mode: &CountMode, seed: u64) -> Option<Formula> {
    match formula_of(ground, mode) {
        Ok(formula) => Some(formula),
        Err(why) => {
            assert_eq!(why, "atoms of one disjunction depend on each other", "seed {seed}");
            None
        }
    }
}

#[test]
fn the_answer_sets_of_programs_are_counted() {
    let (mut counted, mut consistent) = (0, 0);
    for seed in seeds(6_000) {
        let mut random = Rng::with_seed(seed);
        let ground = random_program(&mut random);
        let Some(formula) = translated(&ground, &CountMode::default(), seed) else { continue };
        let expected = answers(&ground).len() as u64;
        assert_eq!(exact(&formula, &random_limits(&mut random)), expected, "seed {seed}: {ground:?}");
        counted += 1;
        consistent += usize::from(expected > 1);
    }
    assert!(counted > 4_500, "{counted}");
    assert!(consistent > 1_000, "{consistent}");
}

#[test]
fn projections_of_answer_sets_are_counted() {
    let mut merged = 0;
    for seed in seeds(4_000) {
        let mut random = Rng::with_seed(seed);
        let mut ground = random_program(&mut random);
        let last = ground.last_atom();
        let literal = |random: &mut Rng| (random.u32(1..=last) as i32) * if random.f64() < 0.8 { 1 } else { -1 };
        for _ in 0..random.usize(0..6) {
            let term = ["a", "b", "c", "d"][random.usize(0..4)].to_owned();
            let condition = (0..random.usize(0..3)).map(|_| literal(&mut random)).collect();
            ground.outputs.push((term, condition));
        }
        let shown = prover::shown_terms(&ground);
        let mode = CountMode { projection: Projection::Shown, bound: None };
        let Some(formula) = translated(&ground, &mode, seed) else { continue };
        let answers = answers(&ground);
        let expected = answers.iter().map(|&set| shows(&shown, set)).collect::<BTreeSet<_>>().len();
        assert_eq!(exact(&formula, &random_limits(&mut random)), expected as u64, "seed {seed}: {ground:?}");
        merged += usize::from(expected < answers.len());
        // The same for atoms instead of terms.
        let atoms: Vec<u32> = (1..=last).filter(|_| random.bool()).collect();
        let mode = CountMode { projection: Projection::Atoms(atoms.clone()), bound: None };
        let formula = formula_of(&ground, &mode).expect("the projection changes nothing else");
        let mask = atoms.iter().fold(0, |mask, atom| mask | 1_u32 << atom);
        let expected = answers.iter().map(|set| set & mask).collect::<BTreeSet<_>>().len();
        assert_eq!(exact(&formula, &random_limits(&mut random)), expected as u64, "seed {seed}: {atoms:?} {ground:?}");
    }
    assert!(merged > 400, "{merged}");
}

#[test]
fn the_optima_of_programs_are_counted() {
    let mut counted = 0;
    for seed in seeds(4_000) {
        let mut random = Rng::with_seed(seed);
        let ground = random_program(&mut random);
        let answers = answers(&ground);
        let Some(best) = answers.iter().map(|&set| costs(&ground, set)).min().filter(|costs| !costs.is_empty()) else {
            continue;
        };
        let bound = Some(CostBound { costs: best.clone(), is_strict: false });
        let Some(formula) = translated(&ground, &CountMode { bound, ..CountMode::default() }, seed) else { continue };
        let expected = answers.iter().filter(|&&set| costs(&ground, set) == best).count() as u64;
        assert_eq!(exact(&formula, &CountLimits::default()), expected, "seed {seed}: {ground:?}");
        counted += 1;
    }
    assert!(counted > 500, "{counted}");
}

#[test]
fn a_count_that_is_stopped_has_bounds_that_hold() {
    use base::stop::{Canceller, StopReason};
    let (mut open, mut found, mut excluded) = (0, 0, 0);
    for seed in seeds(200) {
        let mut random = Rng::with_seed(seed);
        let variables = 24;
        let literal = |random: &mut Rng| (random.usize(1..=variables) as i32) * if random.bool() { 1 } else { -1 };
        let clauses: Vec<Vec<i32>> =
            (0..random.usize(20..70)).map(|_| (0..3).map(|_| literal(&mut random)).collect()).collect();
        let formula = Formula::of_clauses(variables, &clauses);
        let all = count(&formula, &CountLimits::default());
        let decisions = random.u64(0..60);
        let part = count(&formula, &CountLimits { decisions: Some(decisions), ..CountLimits::default() });
        let number = all.exact().expect("nothing stops it");
        assert!(part.at_least <= *number && *number <= part.at_most, "seed {seed}: {part:?} {number}");
        if part.stopped == Some(StopReason::NodeLimit) {
            open += 1;
            found += usize::from(part.at_least > BigUint::ZERO);
            excluded += usize::from(part.at_most < formula.max_models());
        }
        let canceller = Canceller::new();
        canceller.request(StopReason::Interrupted);
        let none = count(&formula, &CountLimits { stop: canceller.token(), ..CountLimits::default() });
        assert!(none.at_least <= *number && *number <= none.at_most, "seed {seed}: {none:?} {number}");
    }
    assert!(open > 50 && found > 20 && excluded > 40, "{open} {found} {excluded}");
}

#[test]
fn estimates_of_stopped_counts_are_near_the_number() {
    for seed in seeds(60) {
        let mut random = Rng::with_seed(seed);
        let variables = 40;
        let clauses: Vec<Vec<i32>> = (0..20)
            .map(|_| {
                let literal = |_| (random.usize(1..=variables) as i32) * if random.bool() { 1 } else { -1 };
                (0..3).map(literal).collect()
            })
            .collect();
        let formula = Formula::of_clauses(variables, &clauses);
        let all = count(&formula, &CountLimits::default());
        let number = all.exact().expect("nothing stops it").to_string().parse::<f64>().expect("a number");
        assert_eq!(all.estimate, None, "the number is known");
        let part = count(&formula, &CountLimits { decisions: Some(2), ..CountLimits::default() });
        if part.stopped.is_none() {
            continue;
        }
        let estimate = part.estimate.expect("few probes fail");
        let ratio = estimate.log2.exp2() / number;
        assert!((ratio - 1.0).abs() < 0.02 + 6.0 * estimate.relative_error, "seed {seed}: {estimate:?} {number}");
        assert!(estimate.relative_error < 0.2, "seed {seed}: {estimate:?}");
        let again = count(&formula, &CountLimits { decisions: Some(2), ..CountLimits::default() });
        assert_eq!(again.estimate, Some(estimate), "the seed repeats it");
        let (mantissa, exponent) = estimate.decimal();
        assert!((mantissa * 10_f64.powi(exponent as i32) / estimate.log2.exp2() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn estimates_are_written_with_one_digit_before_the_point() {
    for (number, expected) in [(1.0, "1.00e0"), (0.25, "2.50e-1"), (999_600.0, "1.00e6"), (123_456.0, "1.23e5")] {
        let estimate = Estimate { log2: f64::log2(number), relative_error: 0.0, probes: 2, seed: 1 };
        assert_eq!(estimate.to_string(), expected);
    }
}

#[test]
fn estimates_respect_foundedness() {
    // { a(1..30) }. p :- q. q :- p. { p } :- a(1), a(2). :- not p, a(3). :- a(4), a(5), a(6). :- a(6), a(7), a(8).
    let rule = |is_choice, head: Vec<u32>, body: &[i32]| ground::GroundRule {
        is_choice,
        head,
        body: body.iter().map(|&literal| (literal, 1)).collect(),
        bound: None,
    };
    let rules = vec![
        rule(true, (1..=30).collect(), &[]),
        rule(false, vec![31], &[32]),
        rule(false, vec![32], &[31]),
        rule(true, vec![31], &[1, 2]),
        rule(false, vec![], &[-31, 3]),
        rule(false, vec![], &[4, 5, 6]),
        rule(false, vec![], &[6, 7, 8]),
    ];
    let ground = GroundProgram { rules, ..GroundProgram::default() };
    let formula = formula_of(&ground, &CountMode::default()).expect("it has a translation");
    let number = count(&formula, &CountLimits::default()).exact().expect("nothing stops it").to_string();
    let part = count(&formula, &CountLimits { decisions: Some(1), ..CountLimits::default() });
    let estimate = part.estimate.expect("few probes fail");
    let ratio = estimate.log2.exp2() / number.parse::<f64>().expect("a number");
    assert!((ratio - 1.0).abs() < 0.02 + 6.0 * estimate.relative_error, "{estimate:?} {number}");
}
