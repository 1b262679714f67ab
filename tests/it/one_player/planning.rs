//! One-player games that are logic programs: random games against brute force, and the built-in
//! games against their published values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use base::stop::{CancelToken, StopReason};
use serde_json::Value;
use statespace::planning::{Action, Condition, Effect, Heuristic, PackedSpace, Reduction, SearchTask, Task, WithSpace};
use statespace::search::{self, Limits, Outcome, SearchResult};

use crate::support::process::*;
use crate::support::{answers, command, extent, file, folder, run_line, run_output, run_with_input};

/// A random game with a few fluents. About half of the games have costs.
fn random_task(random: &mut fastrand::Rng) -> Task {
    let fluents = random.usize(3..9);
    let fluent = |random: &mut fastrand::Rng| random.u32(0..fluents as u32);
    let some = |random: &mut fastrand::Rng, max: usize| -> Vec<u32> {
        let number = random.usize(0..=max);
        (0..number).map(|_| fluent(random)).collect::<BTreeSet<u32>>().into_iter().collect()
    };
    let has_costs = random.bool();
    let action = |random: &mut fastrand::Rng| {
        let holds = some(random, 2);
        let fails = some(random, 2).into_iter().filter(|fluent| !holds.contains(fluent)).collect();
        let effect = |random: &mut fastrand::Rng| Effect {
            fluent: fluent(random),
            holds: random.bool(),
            condition: (random.usize(0..3) == 0).then(|| fluent(random)),
        };
        let effects = (0..random.usize(1..5)).map(|_| effect(random)).collect();
        let cost = if has_costs { random.u32(0..4) } else { 1 };
        Action { precondition: Condition { holds, fails }, effects, cost }
    };
    let actions = (0..random.usize(1..9)).map(|_| action(random)).collect();
    let holds = some(random, 3);
    let fails: Vec<u32> = some(random, 2).into_iter().filter(|fluent| !holds.contains(fluent)).collect();
    let holds = if holds.is_empty() && fails.is_empty() { vec![0] } else { holds };
    let start = some(random, fluents);
    Task { fluents, start, goal: Condition { holds, fails }, actions, symmetries: Vec::new() }
}

/// The state after an action, if the action is applicable.
fn after(state: &BTreeSet<u32>, action: &Action) -> Option<BTreeSet<u32>> {
    let fits = action.precondition.holds.iter().all(|fluent| state.contains(fluent))
        && !action.precondition.fails.iter().any(|fluent| state.contains(fluent));
    let happens = |effect: &&Effect| effect.condition.is_none_or(|given| state.contains(&given));
    let of = |holds: bool| -> BTreeSet<u32> {
        let effects = action.effects.iter().filter(|effect| effect.holds == holds);
        effects.filter(happens).map(|effect| effect.fluent).collect()
    };
    fits.then(|| state.difference(&of(false)).copied().chain(of(true)).collect())
}

/// The cost of the best plans, and their number if all moves have positive costs.
fn brute_force(task: &Task) -> Option<(u32, Option<u64>)> {
    let start: BTreeSet<u32> = task.start.iter().copied().collect();
    let mut open = BTreeMap::from([((0, start.clone()), 1_u64)]);
    let mut done = BTreeMap::<BTreeSet<u32>, u32>::new();
    let mut best: Option<(u32, u64)> = None;
    while let Some(((cost, state), plans)) = open.pop_first() {
        if best.is_some_and(|(least, _)| cost > least) {
            break;
        }
        if done.insert(state.clone(), cost).is_some_and(|known| known < cost) {
            continue;
        }
        let fits = task.goal.holds.iter().all(|fluent| state.contains(fluent))
            && !task.goal.fails.iter().any(|fluent| state.contains(fluent));
        if fits {
            let known = best.map_or(0, |(_, plans)| plans);
            best = Some((cost, known + plans));
            continue;
        }
        for action in &task.actions {
            let Some(next) = after(&state, action).filter(|next| *next != state) else { continue };
            if done.get(&next).is_none_or(|&known| known >= cost + action.cost) && !done.contains_key(&next) {
                *open.entry((cost + action.cost, next)).or_default() += plans;
            }
        }
    }
    let are_counted = task.actions.iter().all(|action| action.cost > 0);
    best.map(|(cost, plans)| (cost, are_counted.then_some(plans)))
}

/// The number of reachable states, the number of goals among them, and the distance of each from a
/// goal, if it can be reached.
fn all_states(task: &Task) -> (usize, usize, Vec<Option<u32>>) {
    let start: BTreeSet<u32> = task.start.iter().copied().collect();
    let mut known = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        for next in task.actions.iter().filter_map(|action| after(&state, action)) {
            if known.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let from = |state: &BTreeSet<u32>| Task { start: state.iter().copied().collect(), ..task.clone() };
    let distances: Vec<Option<u32>> =
        known.iter().map(|state| brute_force(&from(state)).map(|(cost, _)| cost)).collect();
    let is_goal = |state: &&BTreeSet<u32>| {
        task.goal.holds.iter().all(|fluent| state.contains(fluent))
            && !task.goal.fails.iter().any(|fluent| state.contains(fluent))
    };
    (known.len(), known.iter().filter(is_goal).count(), distances)
}

#[derive(Clone, Copy)]
enum Algorithm {
    Astar,
    /// A* with the plan for the start itself.
    Unfolded,
    Idastar,
    Bfs,
    Bidirectional,
    All(u32),
}

impl WithSpace for Algorithm {
    type Output = (SearchResult<u32>, u64);

    fn run<const W: usize>(self, space: PackedSpace<'_, W>) -> Self::Output {
        let limits = Limits::none();
        let mut plans = 0;
        let searched = match self {
            Algorithm::Astar => search::astar(&space, &limits),
            Algorithm::Unfolded => {
                let mut searched = search::astar(&space, &limits);
                if let Outcome::Solved(plan) = searched.outcome {
                    searched.outcome = Outcome::Solved(space.unfold(plan));
                }
                searched
            }
            Algorithm::Idastar => search::idastar(&space, &Limits { depth: Some(60), ..limits }),
            Algorithm::Bfs => search::bfs(&space, &limits),
            Algorithm::Bidirectional => search::bidirectional_bfs(&space, &space.backwards(), &limits),
            Algorithm::All(cost) => search::all_optimal_plans(&space, cost, &limits, &mut |_, _| Ok(true), &mut |_| {
                plans += 1;
                std::ops::ControlFlow::Continue(())
            }),
        };
        (searched, plans)
    }
}

#[test]
fn random_games_have_the_optimum_of_brute_force_with_every_heuristic() {
    let mut random = extent::random();
    let (mut solved, mut impossible, mut both_ways, mut counted) = (0, 0, 0, 0);
    for number in 0..extent::sample_size(3000) {
        let task = random_task(&mut random);
        let expected = brute_force(&task);
        let prepared =
            SearchTask::of(task.clone(), &CancelToken::new()).unwrap_or_else(|_| panic!("game {number} is small"));
        let cost_of = |searched: SearchResult<u32>| match searched.outcome {
            Outcome::Solved(plan) => Some(plan.cost),
            Outcome::Impossible => None,
            Outcome::GaveUp(reason) => panic!("game {number}: gave up: {}", reason.words()),
        };
        if prepared.unsolvable_goal().is_some() || prepared.invariant(&CancelToken::new()).is_some() {
            assert_eq!(expected, None, "game {number} has an obstacle: {task:?}");
            impossible += 1;
            continue;
        }
        let heuristics = [
            Heuristic::Blind,
            Heuristic::Hmax,
            Heuristic::Lmcut,
            Heuristic::Patterns,
            Heuristic::Potentials,
            Heuristic::Tokens,
        ];
        for heuristic in heuristics {
            let estimates = heuristic.build(&prepared, &CancelToken::new());
            let least = estimates.estimate(prepared.start());
            assert!(
                expected.is_none_or(|(cost, _)| least <= cost),
                "game {number}: {heuristic:?} estimates {least} of {expected:?}: {task:?}"
            );
            let (searched, _) = prepared.run(&*estimates, Reduction::None, Algorithm::Astar);
            assert_eq!(cost_of(searched), expected.map(|(cost, _)| cost), "game {number}, {heuristic:?}: {task:?}");
            let (searched, _) = prepared.run(&*estimates, Reduction::Walks, Algorithm::Unfolded);
            assert_plan(
                &task,
                &searched,
                expected.map(|(cost, _)| cost),
                &format!("game {number}, {heuristic:?}, walks"),
            );
            if prepared.has_positive_costs() {
                let (searched, _) = prepared.run(&*estimates, Reduction::None, Algorithm::Idastar);
                let found = match searched.outcome {
                    // Without a plan, the bound may grow until no stack is large enough.
                    Outcome::GaveUp(StopReason::DepthLimit | StopReason::MemoryLimit) => None,
                    _ => cost_of(searched),
                };
                assert_eq!(found, expected.map(|(cost, _)| cost), "game {number}, {heuristic:?}, idastar: {task:?}");
            }
            if let Some((cost, Some(plans))) = expected.filter(|_| prepared.has_positive_costs()) {
                let (_, found) = prepared.run(&*estimates, Reduction::None, Algorithm::All(cost));
                assert_eq!(found, plans, "game {number}, {heuristic:?}: plans of cost {cost}: {task:?}");
                counted += 1;
            }
        }
        let blind = Heuristic::Blind.build(&prepared, &CancelToken::new());
        if prepared.has_unit_costs() {
            let (searched, _) = prepared.run(&*blind, Reduction::None, Algorithm::Bfs);
            assert_eq!(cost_of(searched), expected.map(|(cost, _)| cost), "game {number}, bfs: {task:?}");
        }
        if prepared.supports_bidirectional() {
            let (searched, _) = prepared.run(&*blind, Reduction::None, Algorithm::Bidirectional);
            assert_eq!(cost_of(searched), expected.map(|(cost, _)| cost), "game {number}, from both ends: {task:?}");
            both_ways += 1;
        }
        solved += usize::from(expected.is_some());
        impossible += usize::from(expected.is_none());
    }
    extent::expect_counts([("solved", solved, 500), ("impossible", impossible, 500)]);
    extent::expect_counts([("both ways", both_ways, 5), ("counted", counted, 500)]);
}

/// Checks that a search found a plan of the expected cost, and that its moves reach the goal.
fn assert_plan(task: &Task, searched: &SearchResult<u32>, expected: Option<u32>, what: &str) {
    let Outcome::Solved(plan) = &searched.outcome else {
        return assert_eq!(expected, None, "{what}: {:?}: {task:?}", searched.outcome);
    };
    let (mut state, mut cost) = (task.start.iter().copied().collect::<BTreeSet<u32>>(), 0);
    for &action in &plan.moves {
        let action = &task.actions[action as usize];
        state = after(&state, action).unwrap_or_else(|| panic!("{what}: a move is not possible: {task:?}"));
        cost += action.cost;
    }
    let is_goal = task.goal.holds.iter().all(|fluent| state.contains(fluent))
        && !task.goal.fails.iter().any(|fluent| state.contains(fluent));
    assert_eq!((is_goal, Some(cost), Some(plan.cost)), (true, expected, expected), "{what}: {task:?}");
}

/// A random warehouse: a worker walks on the floor and pushes boxes to as many goals. Some steps
/// lead only one way.
fn random_warehouse(random: &mut fastrand::Rng) -> Task {
    let (rows, columns) = (random.i32(3..5), random.i32(3..6));
    let mut cells: Vec<(i32, i32)> = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
    cells.retain(|_| random.u32(0..8) > 0);
    random.shuffle(&mut cells);
    let floor = cells.len() as u32;
    let cell = |row: i32, column: i32| cells.iter().position(|&known| known == (row, column)).map(|cell| cell as u32);
    let (step_cost, push_cost) = (random.u32(0..3), random.u32(1..3));
    let is_one_way = random.bool();
    let change = |fluent, holds| Effect { fluent, holds, condition: None };
    let mut actions = Vec::new();
    for (from, &(row, column)) in (0..).zip(&cells) {
        for (down, right) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            let Some(next) = cell(row + down, column + right) else { continue };
            let walk = [change(from, false), change(next, true)];
            if !is_one_way || random.u32(0..5) > 0 {
                let precondition = Condition { holds: vec![from], fails: vec![floor + next] };
                actions.push(Action { precondition, effects: walk.to_vec(), cost: step_cost });
            }
            let Some(beyond) = cell(row + 2 * down, column + 2 * right) else { continue };
            let precondition = Condition { holds: vec![from, floor + next], fails: vec![floor + beyond] };
            let push = [change(floor + next, false), change(floor + beyond, true)];
            actions.push(Action { precondition, effects: [walk, push].concat(), cost: push_cost });
        }
    }
    let boxes = random.usize(1..4).min(cells.len().saturating_sub(1));
    let mut places: Vec<u32> = (0..floor).collect();
    random.shuffle(&mut places);
    let start = places.iter().take(1).copied().chain(places.iter().skip(1).take(boxes).map(|place| floor + place));
    let start: Vec<u32> = start.collect();
    let mut state: BTreeSet<u32> = start.iter().copied().collect();
    if random.u32(0..4) > 0 {
        for _ in 0..100 {
            let next: Vec<BTreeSet<u32>> = actions.iter().filter_map(|action| after(&state, action)).collect();
            state = random.choice(next).unwrap_or(state);
        }
    } else {
        random.shuffle(&mut places);
        state = places.iter().take(boxes).map(|place| floor + place).collect();
    }
    let goal = Condition { holds: state.into_iter().filter(|&fluent| fluent >= floor).collect(), fails: Vec::new() };
    Task { fluents: 2 * cells.len(), start, goal, actions, symmetries: Vec::new() }
}

#[test]
fn random_warehouses_have_the_optimum_of_brute_force_with_tokens_and_walks() {
    let mut random = extent::random();
    let (mut solved, mut dead, mut merged, mut exact) = (0, 0, 0, 0);
    for number in 0..extent::sample_size(4000) {
        let task = random_warehouse(&mut random);
        let expected = brute_force(&task).map(|(cost, _)| cost);
        let prepared =
            SearchTask::of(task.clone(), &CancelToken::new()).unwrap_or_else(|_| panic!("warehouse {number} is small"));
        let mut expanded = Vec::new();
        for heuristic in [Heuristic::Blind, Heuristic::Tokens] {
            let estimates = heuristic.build(&prepared, &CancelToken::new());
            let least = estimates.estimate(prepared.start());
            dead += usize::from(least == u32::MAX);
            exact += usize::from(Some(least) == expected && least > 2);
            for reduction in [Reduction::None, Reduction::Walks] {
                let (searched, _) = prepared.run(&*estimates, reduction, Algorithm::Unfolded);
                assert_plan(&task, &searched, expected, &format!("warehouse {number}, {heuristic:?}, {reduction:?}"));
                expanded.push(searched.stats.expanded());
            }
        }
        merged += usize::from(expanded[1] < expanded[0]);
        solved += usize::from(expected.is_some());
    }
    extent::expect_counts([("solved", solved, 500), ("dead", dead, 20), ("merged", merged, 500), ("exact", exact, 20)]);
}

/// The bound of the start is the optimum, since the penalties of two and three boxes are added to
/// the matching.
#[test]
fn a_level_of_ten_boxes_is_solved_with_few_states() {
    let ran = run_line("tests/data/xsokoban-2.txt -c count=pushes --heuristic tokens -f json");
    let value = ran.json();
    assert_eq!((&value["answers"][0]["cost"], &value["complete"]), (&131.into(), &true.into()), "{}", ran.err);
    let expanded = value["statistics"]["expanded"].as_u64();
    assert!(expanded.is_some_and(|nodes| nodes < 2_000), "{}", value["statistics"]);
}

/// A random game of wheels with `places` positions and moves that turn some wheels by one position.
/// Wheels with two positions are lights.
fn random_wheels(places: u32, random: &mut fastrand::Rng) -> Task {
    let wheels = random.u32(2..5);
    let on = |wheel: u32, place: u32| wheel * places + place % places;
    let action = |random: &mut fastrand::Rng| {
        let turned = (0..wheels).filter(|_| random.bool()).collect::<Vec<u32>>();
        let effect = |wheel: u32, place: u32| {
            [(place, false), (place + 1, true)].map(|(other, holds)| Effect {
                fluent: on(wheel, other),
                holds,
                condition: Some(on(wheel, place)),
            })
        };
        let effects = turned.into_iter().flat_map(|wheel| (0..places).flat_map(move |place| effect(wheel, place)));
        Action { precondition: Condition::default(), effects: effects.collect(), cost: 1 }
    };
    let actions = (0..random.u32(1..4)).map(|_| action(random)).collect();
    let start = (0..wheels).map(|wheel| on(wheel, random.u32(0..places))).collect();
    let goal = Condition { holds: (0..wheels).map(|wheel| on(wheel, 0)).collect(), fails: Vec::new() };
    Task { fluents: (wheels * places) as usize, start, goal, actions, symmetries: Vec::new() }
}

/// Linear equations decide whether such a game has a solution, so each game without one has an
/// invariant.
#[test]
fn games_of_wheels_without_a_solution_have_an_invariant_that_the_rules_confirm() {
    let folder = folder();
    let mut random = extent::random();
    let mut checked = 0;
    for number in 0..extent::sample_size(400) {
        let task = random_wheels(random.u32(2..4), &mut random);
        let prepared =
            SearchTask::of(task.clone(), &CancelToken::new()).unwrap_or_else(|_| panic!("game {number} is small"));
        let is_excluded = prepared.unsolvable_goal().is_some() || prepared.invariant(&CancelToken::new()).is_some();
        assert_eq!(is_excluded, brute_force(&task).is_none(), "game {number}: {task:?}");
        if prepared.unsolvable_goal().is_some() || !is_excluded {
            continue;
        }
        checked += 1;
        let game = file(folder.path(), "game.lp", program(&task));
        let ran = run_line(&format!("{}", game.display()));
        assert!(ran.code == 1 && ran.out.contains("and no move changes that"), "{number}: {}", ran.out);
    }
    extent::expect_counts([("games", checked, 3)]);
}

/// The facts of a game.
fn program(task: &Task) -> String {
    let mut text = String::new();
    let mut all = |name: &str, fluents: &[u32]| {
        for fluent in fluents {
            let _ = writeln!(text, "{name}(f({fluent})).");
        }
    };
    all("init", &task.start);
    all("goal", &task.goal.holds);
    all("goal_not", &task.goal.fails);
    for (number, action) in task.actions.iter().enumerate() {
        let name = format!("m({number})");
        let _ = writeln!(text, "move({name}). cost({name},{}).", action.cost);
        for fluent in &action.precondition.holds {
            let _ = writeln!(text, "needs({name},f({fluent})).");
        }
        for fluent in &action.precondition.fails {
            let _ = writeln!(text, "forbids({name},f({fluent})).");
        }
        for effect in &action.effects {
            let word = if effect.holds { "adds" } else { "removes" };
            let given = effect.condition.map_or(String::new(), |given| format!(",f({given})"));
            let _ = writeln!(text, "{word}({name},f({}){given}).", effect.fluent);
        }
    }
    text
}

/// The command reads random games, and its optimum is that of the engine `asp`, which plans step by
/// step.
#[test]
fn the_command_and_the_stepwise_program_agree_on_random_games() {
    let folder = folder();
    let mut random = extent::random();
    let mut by_clingo = 0;
    for number in 0..extent::sample_size(60) {
        let task = random_task(&mut random);
        let expected = brute_force(&task);
        let asp = folder.path().join("asp/games");
        std::fs::create_dir_all(&asp).expect("a folder");
        file(&asp, "random.lp", "% Random: a game.\n% Input  rows(R)  rows (optional)\n");
        let game = file(folder.path(), "board.lp", program(&task));
        let line = format!("{} -p random --asp-dir {} -f json", game.display(), folder.path().join("asp").display());
        let ran = run_line(&line);
        let value = ran.json();
        match expected {
            Some((cost, _)) => {
                assert_eq!(
                    (ran.code, &value["answers"][0]["cost"]),
                    (0, &cost.into()),
                    "{number}: {} {task:?}",
                    ran.err
                );
                assert_eq!(value["complete"], true, "{number}");
            }
            None => {
                assert_eq!((ran.code, &value["verdict"]), (1, &"impossible".into()), "{number}: {} {task:?}", ran.err)
            }
        }
        let rated = run_line(&format!("rate {line}")).json();
        let (states, goals, distances) = all_states(&task);
        let rating = |key: &str| rated[key].as_u64();
        let dead = distances.iter().filter(|distance| distance.is_none()).count();
        assert_eq!(
            [rating("states"), rating("goals"), rating("dead_ends")],
            [states, goals, dead].map(|count| Some(count as u64)),
            "{number}: {rated} {task:?}"
        );
        let cost = expected.map(|(cost, _)| cost);
        let farthest = distances.iter().flatten().max().copied();
        assert_eq!(
            [rating("cost"), rating("farthest")],
            [cost, farthest].map(|cost| cost.map(u64::from)),
            "{number}: {task:?}"
        );
        let has_unit_costs = task.actions.iter().all(|action| action.cost == 1);
        if let Some((cost, _)) = expected.filter(|_| has_unit_costs) {
            let value = run_line(&format!("{line} --engine asp")).json();
            assert_eq!(value["answers"][0]["cost"], cost, "{number}, clingo: {task:?}");
            by_clingo += 1;
        }
    }
    extent::expect_counts([("games by clingo", by_clingo, 1)]);
}

#[test]
fn built_in_games_have_their_published_optima() {
    let known = [
        ("klotski", 116),
        ("klotski.txt -c count=pieces", 81),
        ("hanoi", 31),
        ("hanoi-4-8", 33),
        ("wolf", 7),
        ("missionaries", 11),
        ("jugs", 6),
        ("sliding", 31),
        ("lightsout", 15),
        ("pocketcube", 11),
        ("rubik", 4),
        ("rubik-8", 8),
        ("rushhour", 8),
        ("pegs", 31),
        ("pegs-triangle", 13),
        ("pegs-french", 35),
        ("frogs", 15),
        ("bridge", 17),
        ("knights", 16),
    ];
    for (board, cost) in known {
        let line = if board.contains(' ') { board.to_owned() } else { format!("{board}.txt") };
        let ran = run_line(&format!("instances/{line} -f json"));
        let value = ran.json();
        assert_eq!((ran.code, &value["answers"][0]["cost"]), (0, &cost.into()), "{board}: {}", ran.err);
        assert_eq!((&value["complete"], &value["rules"]), (&true.into(), &"shipped".into()), "{board}");
        let answer = &answers(&value)[0];
        let (moves, states) = (answer["moves"].as_array(), answer["states"].as_array());
        assert_eq!(moves.map(|moves| moves.len() + 1), states.map(Vec::len), "{board}");
    }
}

#[test]
fn invalid_games_are_errors() {
    let board = "puzzle jugs\ncapacity 5, 3\ntarget 4, .\n";
    for (added, expected) in [
        ("{ move(x) } :- capacity(1,_,_).", "move(x) is not certain; a game has one answer set, without choices"),
        ("adds(nothing,f).", "adds(nothing,…): nothing is not a move"),
        ("cost(M,-1) :- move(M).", "costs -1; expected an integer from 0 to 100000"),
        ("cost(M,2147483647) :- move(M).", "costs 2147483647; expected an integer from 0 to 100000"),
        (":- capacity(1,_,_).", "the program of the game has no answer set"),
        ("error(\"too large\",N) :- capacity(1,_,N).", "own.lp: too large: 5"),
        ("cost(M,(1;2)) :- move(M).", "has two costs; expected one"),
        ("symmetry(s,in(1,0),in(1,1)).", "symmetry(s,…) is not a symmetry"),
        ("click(M,a,b) :- move(M).", "expected rows and columns as numbers"),
    ] {
        let folder = folder();
        let rules_text = file(folder.path(), "own.lp", added);
        let ran = run_with_input(&format!("- {} -p jugs", rules_text.display()), board);
        assert!(ran.code == 2 && ran.err.contains(expected), "{added}: {} {}", ran.code, ran.err);
    }
    for (line, expected) in [
        ("--engine bidirectional", "the engine bidirectional needs reversible moves that cost 1"),
        ("--heuristic manhattan --engine astar", "--heuristic manhattan: a game has auto, blind"),
        ("--heuristic lmcut --engine bfs", "--heuristic: the engine bfs of jugs ignores it"),
    ] {
        let ran = run_with_input(&format!("- {line}"), board);
        assert!(ran.code == 2 && ran.err.contains(expected), "{line}: {}", ran.err);
    }
    let ran = run_with_input("- ", "puzzle jugs\ncapacity 5, 3\ntarget 6, .\n");
    assert!(ran.code != 2 && ran.out.contains("cannot be reached (proven"), "{} {}", ran.out, ran.err);
}

/// Rules with a start and a goal but without effective moves are a broken game, not a plain
/// program.
#[test]
fn a_game_without_moves_or_without_effects_is_an_error_by_every_command() {
    let no_effects = "the game is broken: no move changes anything";
    let no_moves = "the game is broken: no rule derives a move";
    for (text, wrong) in [
        ("move(m0). goal(f0). init(f1). forbids(m0,f1).", no_effects),
        ("move(m). goal_not(f). start(f).", no_effects),
        ("move(m). goal(g). init(i). add(m,g).", no_effects),
        ("move(m). goal(g). init(i). adds(m).", no_effects),
        ("#defined start/1. move(m). goal(g) :- g. g. init(i). cost(M,2) :- move(M).", no_effects),
        ("goal(f0). init(f1). adds(m0,f0).", no_moves),
        ("goal(f0). init(f1). removes(m0,f1) :- moves(m0).", no_moves),
    ] {
        let folder = folder();
        let path = file(folder.path(), "game.lp", text);
        for command in ["", "hint", "why", "rate"] {
            let ran = run_line(&format!("{command} {}", path.display()));
            assert!(ran.code == 2 && ran.err.contains(wrong), "{command} {text}: {} {} {}", ran.code, ran.out, ran.err);
        }
    }
    // `#program` in a comment begins no part.
    let ran = run_with_input("- -f json", "init(x). goal(f). move(m). adds(m,f). % no #program here\n");
    assert_eq!(ran.json()["answers"][0]["length"], 1, "{}", ran.err);
    // A program that reads the start and the goal itself is not a game.
    for rules_text in [
        "at(F,0) :- init(F). at(G,1) :- at(F,0), edge(F,G). :- goal(G), not at(G,1). edge(i,g).",
        "{ done(M) : move(M) }. :- goal(G), not done(G).",
        "#show init/1.",
    ] {
        let ran = run_with_input("- -f json", &format!("move(g). goal(g). init(i). {rules_text}"));
        assert_eq!((ran.code, &ran.json()["puzzle"]), (0, &"program".into()), "{rules_text}: {}", ran.err);
    }
    let folder = folder();
    let board = file(folder.path(), "board.lp", "move(g). goal(g). init(i).");
    let rules_text = file(folder.path(), "own.lp", "{ done(M) : move(M) }. :- goal(G), not done(G).");
    let ran = run_line(&format!("{} -e {} -f json", board.display(), rules_text.display()));
    assert_eq!((ran.code, &ran.json()["puzzle"]), (0, &"program".into()), "{}", ran.err);
}

#[test]
fn invalid_boards_of_games_are_errors() {
    for (board, expected) in [
        ("puzzle sokoban\n######\n#@$.@#\n######\n", "expected one worker"),
        ("puzzle sokoban\n#######\n#     #\n#.$@$ #\n#######\n", "boxes: 2, goals: 1; expected a goal for each box"),
        ("puzzle keys\n@.@\n..*\n", "expected one start @"),
        ("puzzle klotski\nab\naa\n..\n", "a piece is not a rectangle: a"),
        ("puzzle rushhour\nXX.BB.B\n.......\n", "a car is not a line of two or more cells: B"),
        ("puzzle rushhour\nXX..\nB...\nBB..\n", "a car is not a line of two or more cells: B"),
        ("puzzle hanoi\n2..\n1..\n", "a disk is on a smaller one: 2"),
        ("puzzle rubik\nscramble R Rw U\n", "this is not a turn of the cube: Rw"),
        ("puzzle pocketcube\nscramble R L\n", "this is not a turn of the cube: L"),
        (
            "puzzle pocketcube\n..WW....\n..WW....\nOOGGRRBW\nOOGGRRBW\n..YY....\n..YY....\n",
            "no cube has these colours",
        ),
        ("puzzle pocketcube\nscramble R\n\n..WW....\n..WW....\nOOGGRRBB\nOOGGRRBB\n..YY....\n..YY....\n", "not both"),
    ] {
        let ran = run_with_input("-", board);
        assert!(ran.code == 2 && ran.err.contains(expected), "{board}: {} {} {}", ran.code, ran.out, ran.err);
    }
    let ran = run_with_input("- -f json", "puzzle bridge\nminutes 7\n");
    assert_eq!(ran.json()["answers"][0]["cost"], 7);
    // Facts that need neither rows nor a start.
    let ran = run_with_input("- -f json", "puzzle(wolf).\neats(\"wolf\",\"goat\"). eats(\"goat\",\"cabbage\").\n");
    assert_eq!(ran.json()["answers"][0]["length"], 7, "{}", ran.err);
    // `start` replaces `init`.
    let ran = run_with_input("- -f json", "init(x). start(y). goal(f). move(m). adds(m,f).\n");
    assert_eq!(ran.json()["answers"][0]["length"], 1, "{}", ran.err);
    let ran = run_with_input("- -f svg", "init(x). goal(f). move(m). adds(m,f).\n");
    assert!(ran.code == 2 && ran.err.contains("there is no picture"), "{}", ran.err);
}

#[test]
fn levels_of_sokoban_are_read_in_their_usual_format() {
    const LEVELS: &str = "; 1\n\n#####\n#@$.#\n#####\n\nLevel 2\n######\n#@ $.#\n######\n\n; 3\n##\n";
    let ran = run_with_input("- -p sokoban --batch", LEVELS);
    let objects: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(objects.len(), 3, "{}", ran.out);
    assert_eq!(objects[0]["answers"][0]["length"], 1);
    assert_eq!(objects[1]["answers"][0]["length"], 2);
    assert!(objects[2]["error"].as_str().is_some_and(|error| error.contains("expected one worker")));
    let lines: Vec<u64> = objects.iter().filter_map(|object| object["line"].as_u64()).collect();
    assert_eq!(lines, [3, 7, 13]);
    let ran = run_with_input("-", LEVELS);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("<stdin>:8:1") && ran.err.contains("expected one board; a second one begins here"),
        "{}",
        ran.err
    );
    // A single level needs no name.
    let ran = run_with_input("- -f json", "####\n# .#\n#  ###\n#*@  #\n#  $ #\n#  ###\n####\n");
    assert_eq!(
        (&ran.json()["puzzle"], ran.json()["complete"].as_bool()),
        (&"sokoban".into(), Some(true)),
        "{}",
        ran.err
    );
}

/// With free moves, several states are at distance 0 from the goal, but only one of them is a goal.
#[test]
fn a_state_at_distance_zero_is_not_necessarily_a_goal() {
    let game = "init(p(0)). goal(p(2)). move(m(0..1)). needs(m(N),p(N)) :- move(m(N)). adds(m(N),p(N+1)) :- move(m(N)).\n\
                removes(m(N),p(N)) :- move(m(N)). cost(M,0) :- move(M).\n";
    let folder = folder();
    let file = file(folder.path(), "free.lp", game);
    let value = run_line(&format!("rate {} -f json", file.display())).json();
    assert_eq!(
        (&value["states"], &value["goals"], &value["rules"]),
        (&3.into(), &1.into(), &"custom".into()),
        "{value}"
    );
    let ran = run_line(&file.display().to_string());
    assert!(ran.out.starts_with("Solved at a cost of 0 units"), "{}", ran.out);
    let ran = run_line(&format!("rate {}", file.display()));
    assert!(ran.out.ends_with(&format!("All of this is by the rules of {}.\n", file.display())), "{}", ran.out);
}

/// Files form a game together, or by including each other; and a game may lack most predicates.
#[test]
fn a_game_is_what_its_files_derive_together() {
    const BOARD: &str = "init(x). goal(z).\n";
    const RULES: &str = "move(a). move(b). adds(a,y). removes(a,x). needs(b,y). adds(b,z).\n";
    let folder = folder();
    let board = file(folder.path(), "board.lp", BOARD).display().to_string();
    let rules = file(folder.path(), "rules.lp", RULES).display().to_string();
    let both = file(folder.path(), "both.lp", "#include \"board.lp\".\n#include \"rules.lp\".\n");
    let half = file(folder.path(), "half.lp", format!("#include \"board.lp\".\n{RULES}"));
    let whole = |name: &str, text: String| file(folder.path(), name, text).display().to_string();
    let lines = [
        format!("{board} {rules}"),
        format!("{rules} {board}"),
        both.display().to_string(),
        half.display().to_string(),
        whole("brace.lp", format!("{{p}}. {} {RULES}", BOARD.trim())),
        whole("nothing.lp", "move(a). move(b). adds(a,x). adds(b,y). needs(b,x). goal(y).".to_owned()),
    ];
    for line in &lines {
        let ran = run_line(line);
        assert!(ran.out.starts_with("Solved in 2 moves"), "{line}: {} {}", ran.out, ran.err);
    }
    let ran = run_line(&format!("{} --engine asp", lines[5]));
    assert!(ran.out.starts_with("Solved in 2 moves") && ran.err.is_empty(), "{} {}", ran.out, ran.err);
    let ran = run_line(&rules);
    assert!(ran.code == 2 && ran.err.contains("there is no goal: expected `goal(F)`"), "{}", ran.err);
    // A custom stepwise program is no game.
    for rules_text in ["holds(F,0) :- init(F).", "occurs(a,1).", "{ holds(F,T) : goal(F) } :- T = 1..2.", "holds(x)."] {
        let rules_text = file(folder.path(), "own.lp", rules_text);
        let ran = run_line(&format!("{board} {rules} {} -f json", rules_text.display()));
        assert_eq!(ran.json()["puzzle"], "program", "{}", ran.err);
    }
    let ran = run_with_input("- -f json", "move(a,b,c). adds(a,b). init(x). goal(x).");
    assert_eq!(ran.json()["puzzle"], "program", "{}", ran.err);
    let ran = run_line(&format!("-p game {rules}"));
    assert!(ran.code == 2 && ran.err.contains("a logic program") && ran.err.contains("--puzzle"), "{}", ran.err);
}

#[test]
fn boards_of_large_games_are_scrambled_by_default() {
    for name in ["rubik", "lightsout"] {
        let [first, second] = ["3", "4"].map(|seed| {
            let ran = run_line(&format!("generate {name} --seed {seed}"));
            assert_eq!(ran.code, 0, "{name}: {}", ran.err);
            assert!(ran.out.contains("to a goal were taken back at random"), "{}", ran.out);
            ran.out.lines().filter(|line| line.starts_with("start(")).collect::<Vec<_>>().join("\n")
        });
        assert!(!first.is_empty() && first != second, "{name}: {first}");
    }
}

#[test]
fn generated_boards_of_large_games_need_the_requested_number_of_moves() {
    for (line, moves) in [("pegs --moves 3", 3), ("rubik --moves 5 --seed 3", 5)] {
        let ran = run_line(&format!("generate {line}"));
        let comment = format!("{moves} moves to a goal were taken back at random");
        assert!(ran.code == 0 && ran.out.contains(&comment), "{line}: {} {}", ran.out, ran.err);
        let solved = run_with_input("- -f json", &ran.out).json();
        assert_eq!((&solved["answers"][0]["cost"], &solved["complete"]), (&moves.into(), &true.into()), "{line}");
    }
}

/// Millions of paths lead to each state of the last moves; few of them are searched.
#[test]
fn depth_first_search_remembers_states_within_the_memory() {
    for (memory, threads, max_nodes) in [("100", 1, 20_000), ("100", 2, 60_000)] {
        let line = "instances/hanoi.txt --engine idastar --heuristic blind -f json";
        let ran = run_line(&format!("{line} --memory-limit {memory} -t {threads}"));
        let value = ran.json();
        assert_eq!((&value["answers"][0]["length"], &value["complete"]), (&31.into(), &true.into()), "{}", ran.err);
        assert!(
            value["statistics"]["expanded"].as_u64().is_some_and(|nodes| nodes < max_nodes),
            "{}",
            value["statistics"]
        );
    }
}

mod campaign {
    use super::*;

    /// The states of a cube exceed the memory of the machine.
    #[test]
    #[ignore = "takes a minute and most of the memory"]
    fn a_default_limit_is_not_reported_as_reached() {
        let ran = run_line("rate instances/rubik.txt");
        assert!(ran.out.starts_with("Gave up: more than ") && ran.out.contains("states can be reached"), "{}", ran.out);
        assert!(ran.code == 3 && !ran.err.contains("limit"), "{}", ran.err);
    }
}

#[test]
fn a_board_without_moves_has_no_solution() {
    for board in ["######\n#  #$#\n#.#@##\n######\n", "puzzle pegs\no\n"] {
        let ran = run_with_input("-", board);
        let is_reported = ran.out.starts_with("The goal cannot be reached (proven).");
        assert!(ran.code == 1 && is_reported, "{board}: {} {}", ran.out, ran.err);
        let ran = run_with_input("why - nothing", board);
        assert!(ran.code == 2 && ran.err.contains("it has no moves"), "{board}: {}", ran.err);
        assert_eq!(run_with_input("rate - -f json", board).json()["states"], 1, "{board}");
    }
    for (board, expected) in [
        ("puzzle sokoban\n#####\n#@$ #\n#####\n", "expected a goal, . or * or +"),
        ("puzzle keys\n@..\n...\n", "expected a treasure * or a key"),
        ("puzzle hanoi\n...\n...\n", "expected a disk"),
        ("puzzle jugs\ncapacity 5, 3\n", "expected a target"),
        ("puzzle knights\nw.\n..\n", "expected knights of both colours"),
        ("puzzle lightsout\n##\n##\n", "expected a light"),
        ("puzzle rushhour\nBB..\n....\n", "expected a red car"),
        ("puzzle sliding\n##\n##\n", "expected a tile"),
    ] {
        let ran = run_with_input("-", board);
        assert!(ran.code == 2 && ran.err.contains(expected), "{board}: {} {}", ran.out, ran.err);
    }
}

#[test]
fn boards_with_distinctive_signs_need_no_name() {
    for (board, puzzle) in [
        ("#####\n#$# #\n##  #\n#+# #\n#####\n", "sokoban"),
        ("######\n# @*##\n######\n", "sokoban"),
        ("IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM\n", "rushhour"),
        // Letters of a Sudoku.
        ("ABCDEFDEFABCBCAEFDEFDBCACABFDEFDECAB\n", "sudoku"),
    ] {
        let ran = run_with_input("- -f json", board);
        assert_eq!(ran.json()["puzzle"], puzzle, "{board}: {}", ran.err);
    }
    let ran = run_with_input("-", "puzzle rubik\nscramble\n");
    assert!(ran.code == 2 && ran.err.contains("nothing follows `scramble`"), "{}", ran.err);
}

/// A title belongs to a level, whether it comes before or after the level.
#[test]
fn titles_of_levels_are_not_boards() {
    let level = "#####\n#@$.#\n#####\n";
    let text = format!("Title: One\nAuthor: A\n\n{level}Title: Two\n\n; x\nTitle: Three\n\n{level}\nComment: none\n");
    let ran = run_with_input("- -p sokoban --batch", &text);
    let objects: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let solved: Vec<_> = objects.iter().map(|object| (&object["line"], &object["answers"][0]["length"])).collect();
    assert_eq!(solved, [(&4.into(), &1.into()), (&12.into(), &1.into())], "{}", ran.out);
    assert_eq!(ran.code, 0);
}

#[test]
fn tables_of_games_are_stored_and_built_again_if_they_are_damaged() {
    let cache = folder();
    let run = || {
        let mut command = command();
        command.env("XDG_CACHE_HOME", cache.path()).env("HOME", cache.path());
        run_output(command.args(["instances/pocketcube.txt", "--heuristic", "pdb"]).finished())
    };
    let first = run();
    assert_eq!(first.code, 0, "{}", first.err);
    let tables = std::fs::read_dir(cache.path().join("asp-solve")).expect("the folder of tables");
    let tables: Vec<_> = tables.map(|entry| entry.expect("an entry").path()).collect();
    let is_table =
        |path: &std::path::PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("game-"));
    assert!(!tables.is_empty() && tables.iter().all(is_table), "{tables:?}");
    let again = run();
    assert_eq!((again.code, &again.out, again.err.as_str()), (0, &first.out, ""));
    let whole = std::fs::read(&tables[0]).expect("a readable table");
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    for damaged in [changed, whole[..whole.len() - 1].to_vec(), Vec::new()] {
        std::fs::write(&tables[0], &damaged).expect("a writable table");
        let ran = run();
        assert_eq!((ran.code, &ran.out), (0, &first.out));
        assert!(ran.err.contains("warning") && ran.err.contains("the table is built again"), "{}", ran.err);
        assert_eq!(std::fs::read(&tables[0]).expect("a readable table"), whole);
    }
}
