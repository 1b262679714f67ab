//! `-n 0` for puzzles with optimal solutions: all of them, against counts by brute force.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::support::{answers, extent, run_line, run_with_input};

fn batch(lines: &[String], arguments: &str) -> Vec<Value> {
    let ran = run_with_input(&format!("- --batch -n 0 {arguments}"), &lines.join("\n"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let objects: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    assert_eq!(objects.len(), lines.len(), "{}", ran.err);
    objects
}

/// The distance from the goal and the number of shortest solutions of each solvable board, by
/// breadth-first search.
fn counts(rows: usize, columns: usize) -> BTreeMap<Vec<u8>, (u64, u64)> {
    let cells = rows * columns;
    let home: Vec<u8> = (1..cells as u8).chain([0]).collect();
    let mut known = BTreeMap::from([(home.clone(), (0, 1))]);
    let mut layer = vec![home];
    for distance in 1.. {
        let mut next = BTreeMap::new();
        for board in &layer {
            let free = board.iter().position(|&tile| tile == 0).expect("a free cell");
            for other in 0..cells {
                let steps = (free / columns).abs_diff(other / columns) + (free % columns).abs_diff(other % columns);
                let mut moved = board.clone();
                moved.swap(free, other);
                if steps == 1 && !known.contains_key(&moved) {
                    *next.entry(moved).or_insert(0) += known[board].1;
                }
            }
        }
        if next.is_empty() {
            return known;
        }
        layer = next.keys().cloned().collect();
        known.extend(next.into_iter().map(|(board, plans)| (board, (distance, plans))));
    }
    unreachable!("every layer ends")
}

#[test]
fn a_taquin_has_as_many_shortest_solutions_as_a_complete_search_counts() {
    for (rows, columns, every, engines) in
        [(2, 3, 1, &["idastar", "ids", "astar", "bfs"][..]), (3, 3, 907, &["idastar"])]
    {
        let known = counts(rows, columns);
        assert_eq!(known.len(), if rows == 2 { 360 } else { 181_440 });
        let chosen: Vec<_> = known.iter().step_by(every).collect();
        let line = |board: &[u8]| {
            let row = |row: &[u8]| row.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
            board.chunks(columns).map(row).collect::<Vec<_>>().join(" / ")
        };
        let lines: Vec<String> = chosen.iter().map(|(board, _)| line(board)).collect();
        for engine in engines {
            for (&(board, &(distance, plans)), object) in
                chosen.iter().zip(batch(&lines, &format!("--engine {engine}")))
            {
                let moves: BTreeSet<&str> =
                    answers(&object).iter().filter_map(|answer| answer["moves"].as_str()).collect();
                assert_eq!(object["complete"], true, "{board:?}");
                assert_eq!((moves.len() as u64, answers(&object).len() as u64), (plans, plans), "{engine}: {board:?}");
                assert!(moves.iter().all(|moves| moves.len() as u64 == distance), "{board:?}");
            }
        }
    }
}

#[test]
fn optimal_solutions_of_larger_boards_are_counted() {
    for (line, expected) in [
        ("instances/taquin_exam.txt -n 0 -q", "1 shortest solution of 50 moves, and no other (proven; "),
        ("instances/taquin_goal_first.txt -n 0 -q", "3 shortest solutions of 26 moves each, and no others (proven; "),
        (
            "instances/amphipod_article.txt -n 0 -q",
            "2 cheapest plans of 16,489 units of energy each, and no others (proven; ",
        ),
    ] {
        let ran = run_line(line);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.starts_with(expected), "{}", ran.out);
    }
    let some = run_line("instances/taquin_goal_first.txt -n 2 -f json").json();
    assert_eq!((answers(&some).len(), &some["complete"], &some["verdict"]), (2, &Value::from(false), &"solved".into()));
    let text = run_line("instances/taquin_goal_first.txt -n 2").out;
    assert!(text.contains("There may be more; -n 0 finds them all."), "{text}");
    let cut = run_line("instances/taquin_exam.txt -n 0 --node-limit 1900000 --heuristic manhattan -f json");
    assert_eq!((cut.code, &cut.json()["complete"]), (3, &Value::from(false)), "{}", cut.out);
}

#[test]
fn engines_that_find_a_single_solution_reject_requests_for_more() {
    for (line, engine) in [
        ("instances/taquin_near.txt -n 0 --engine asp", "the engine asp"),
        ("instances/taquin_near.txt -n 3 --quick", "--quick"),
        ("instances/amphipod.txt -n 0 --engine memo", "the engine memo"),
        ("instances/amphipod_swap.txt -n 0 --engine asp", "the engine asp"),
    ] {
        let ran = run_line(line);
        assert_eq!(ran.code, 2, "{line}: {}", ran.out);
        assert!(ran.err.contains(&format!("{engine} finds one optimal solution")), "{}", ran.err);
        assert_eq!(run_line(&line.replace("-n 0", "-n 1").replace("-n 3", "-n 1")).code, 0, "{line}");
    }
}

#[test]
fn a_game_has_every_shortest_plan_once() {
    // 1 2 4 8 9, 1 2 4 8 9 by n + n, and 1 2 3 … are longer; to 12: 1 2 3 6 12.
    let game = |moves: &str, goal: &str| format!("{{\"start\": 1, \"moves\": {moves}, \"goal\": {goal}}}");
    for (moves, goal, plans) in [
        (r#"["2*n", "n+1"]"#, "[4]", vec![vec![1, 2, 4]]),
        (r#"["2*n", "n+n", "n+1"]"#, "[6]", vec![vec![1, 2, 3, 6]]),
        (r#"["2*n", "n+1", "n+2"]"#, "[6]", vec![vec![1, 2, 4, 6], vec![1, 3, 6]]),
        (r#"["n+1", "n+2"]"#, "[4]", vec![vec![1, 2, 4], vec![1, 3, 4]]),
        (r#"["n+1", "n+2"]"#, "[4, 5]", vec![vec![1, 2, 4], vec![1, 3, 4], vec![1, 3, 5]]),
    ] {
        let shortest = plans.iter().map(Vec::len).min();
        let plans: Vec<Vec<u64>> = plans.into_iter().filter(|plan| Some(plan.len()) == shortest).collect();
        for engine in ["idastar", "bfs", "ids", "astar"] {
            let value = run_with_input(&format!("- -n 0 -f json --engine {engine}"), &game(moves, goal)).json();
            let found: Vec<Vec<u64>> = answers(&value)
                .iter()
                .map(|answer| serde_json::from_value(answer["states"].clone()).expect("numbers"))
                .collect();
            assert_eq!((found, &value["complete"]), (plans.clone(), &Value::from(true)), "{engine}: {moves} {goal}");
        }
    }
}

/// The kind of amphipod on each cell of a burrow, or [`EMPTY`]. Rows and columns are as in JSON.
type Cells = BTreeMap<(usize, usize), usize>;
/// The cells that amphipods left, with the column of the stop; `None` for a stop between the cell
/// and their own room.
type Plan = BTreeSet<((usize, usize), Option<usize>)>;

const EMPTY: usize = 9;

fn door(room: usize) -> usize {
    2 * room + 2
}

/// The least energy from a state, and every plan that takes it. `known` stores the results.
fn plans(cells: &Cells, depth: usize, known: &mut HashMap<Cells, (u64, BTreeSet<Plan>)>) -> (u64, BTreeSet<Plan>) {
    let is_home = |(&(row, column), &kind): (&(usize, usize), &usize)| kind == EMPTY || row > 0 && column == door(kind);
    if cells.iter().all(is_home) {
        return (0, BTreeSet::from([Plan::new()]));
    }
    if let Some(result) = known.get(cells) {
        return result.clone();
    }
    let (mut least, mut best) = (u64::MAX, BTreeSet::new());
    let clear = |from: usize, to: usize| {
        (from.min(to)..=from.max(to))
            .all(|column| column == from || cells.get(&(0, column)).is_none_or(|&kind| kind == EMPTY))
    };
    let mut moves = Vec::new();
    for (&(row, column), &kind) in cells.iter().filter(|(_, kind)| **kind != EMPTY) {
        if row > 0 {
            let is_top = (1..row).all(|above| cells[&(above, column)] == EMPTY);
            // An amphipod in its own room with no other kind below stays.
            let stays = (row..=depth).all(|below| column == door(cells[&(below, column)]));
            for (&(other, stop), &taken) in cells {
                if other == 0 && taken == EMPTY && is_top && !stays && clear(column, stop) {
                    let straight = stop > column.min(door(kind)) && stop < column.max(door(kind));
                    moves.push((kind, (row, column), (0, stop), Some((!straight).then_some(stop))));
                }
            }
        } else {
            let own_room = (1..=depth).map(|level| cells[&(level, door(kind))]);
            let level = own_room.clone().take_while(|&other| other == EMPTY).count();
            if level > 0 && own_room.clone().all(|other| other == EMPTY || other == kind) && clear(column, door(kind)) {
                moves.push((kind, (0, column), (level, door(kind)), None));
            }
        }
    }
    for (kind, from, to, stop) in moves {
        let mut after = cells.clone();
        after.insert(from, EMPTY);
        after.insert(to, kind);
        let (rest, plans_on) = plans(&after, depth, known);
        let steps = from.0 + from.1.abs_diff(to.1) + to.0;
        let energy = rest.saturating_add(steps as u64 * 10u64.pow(kind as u32));
        if rest == u64::MAX || energy > least {
            continue;
        }
        if energy < least {
            best.clear();
        }
        least = energy;
        best.extend(plans_on.into_iter().map(|mut plan| {
            plan.extend(stop.map(|stop| (from, stop)));
            plan
        }));
    }
    known.insert(cells.clone(), (least, best.clone()));
    (least, best)
}

#[test]
fn a_burrow_has_as_many_cheapest_plans_as_brute_force_counts() {
    let mut random = extent::random();
    let (mut several, mut compared) = (0, 0);
    for (rooms, depth, count) in [(2, 1, 8), (2, 2, 25), (3, 1, 25), (3, 2, 25), (4, 1, 15), (2, 3, 15)] {
        let burrows: Vec<Vec<usize>> = (0..extent::sample_size(count))
            .map(|_| {
                let mut kinds: Vec<usize> = (0..rooms * depth).map(|index| index % rooms).collect();
                random.shuffle(&mut kinds);
                kinds
            })
            .collect();
        let line = |kinds: &Vec<usize>| {
            let room = |room: &[usize]| format!("({})", room.iter().map(usize::to_string).collect::<String>());
            format!("..{}..", kinds.chunks(depth).map(room).collect::<Vec<_>>().join("."))
        };
        let lines: Vec<String> = burrows.iter().map(line).collect();
        for engine in ["astar", "idastar"] {
            for (kinds, object) in burrows.iter().zip(batch(&lines, &format!("--engine {engine}"))) {
                let stops =
                    (0..2 * rooms + 3).filter(|column| column % 2 == 1 || *column == 0 || *column == 2 * rooms + 2);
                let mut cells: Cells = stops.map(|column| ((0, column), EMPTY)).collect();
                cells.extend(
                    kinds.iter().enumerate().map(|(index, &kind)| ((index % depth + 1, door(index / depth)), kind)),
                );
                let (energy, expected) = plans(&cells, depth, &mut HashMap::new());
                if energy == u64::MAX {
                    assert_eq!(object["verdict"], "impossible", "{kinds:?}");
                    continue;
                }
                let found: Vec<Plan> = answers(&object)
                    .iter()
                    .map(|answer| {
                        assert_eq!(answer["energy"], energy, "{kinds:?}");
                        let moves = answer["moves"].as_array().expect("moves");
                        let place = |value: &Value| -> (usize, usize) {
                            serde_json::from_value(value.clone()).expect("a place")
                        };
                        let departures =
                            moves.iter().map(|action| (&action["type"], place(&action["from"]), place(&action["to"])));
                        departures
                            .filter(|(_, from, _)| from.0 > 0)
                            .map(|(kind, from, (_, stop))| {
                                let kind = kind.as_str().map_or(0, |kind| usize::from(kind.as_bytes()[0] - b'A'));
                                let straight = stop > from.1.min(door(kind)) && stop < from.1.max(door(kind));
                                (from, (!straight).then_some(stop))
                            })
                            .collect()
                    })
                    .collect();
                assert_eq!(object["complete"], true);
                assert_eq!(found.len(), expected.len(), "{engine}: {kinds:?}");
                assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{engine}: {kinds:?}");
                several += usize::from(expected.len() > 1);
                compared += 1;
            }
        }
    }
    extent::expect_counts([("several plans", several, 30), ("compared", compared, 100)]);
}
