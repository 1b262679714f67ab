//! Amphipods: reference energies, agreement of engines, both notations.

use std::collections::HashMap;
use std::ops::ControlFlow;

use base::document::Document;
use paths::amphipod::{Burrow, Detours};
use serde_json::Value;
use statespace::search::{Cost, Space, UNREACHABLE};

use crate::support::{answers, extent, run_line, run_with_input};

fn table() -> Vec<(String, String)> {
    let path = format!("{}/tests/data/amphipod.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the table");
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .filter_map(|line| line.split_once(',').map(|(burrow, energy)| (burrow.to_owned(), energy.to_owned())))
        .collect()
}

fn batch(lines: &[String], arguments: &str) -> Vec<Value> {
    let ran = run_with_input(&format!("- --batch {arguments}"), &lines.join("\n"));
    // With a limit, some boards may be given up.
    assert!(ran.code == 0 || ran.code == 3 && arguments.contains("limit"), "{}{}", ran.out, ran.err);
    let objects: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    assert_eq!(objects.len(), lines.len(), "{}", ran.err);
    objects
}

fn energy(object: &Value) -> String {
    match object["verdict"].as_str() {
        Some("solved") => {
            assert_eq!(object["complete"], true);
            let answer = &answers(object)[0];
            let moves = answer["moves"].as_array().expect("moves are a list");
            let sum: u64 = moves.iter().map(|action| action["energy"].as_u64().expect("an energy")).sum();
            assert_eq!(answer["energy"], sum);
            sum.to_string()
        }
        Some("impossible") => "unsolvable".to_owned(),
        other => panic!("{other:?}: {object}"),
    }
}

#[test]
fn burrows_take_the_energy_of_the_reference_table() {
    let table = table();
    assert!(table.len() > 100);
    let lines: Vec<String> = table.iter().map(|(burrow, _)| burrow.clone()).collect();
    let objects = batch(&lines, "");
    assert_eq!(objects.len(), table.len());
    for ((burrow, expected), object) in table.iter().zip(&objects) {
        assert_eq!(energy(object), *expected, "{burrow}");
    }
}

/// A generator of numbers below a limit.
fn random(mut state: u64) -> impl FnMut(usize) -> usize {
    move |limit| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

/// The compact notation of a burrow.
fn compact(hallway: &[Option<usize>], cells: &[Vec<Option<usize>>]) -> String {
    let letter = |cell: &Option<usize>| cell.map_or('.', |kind| char::from(b'0' + kind as u8));
    let mut text: String = hallway[..1].iter().map(letter).collect();
    for (number, room) in cells.iter().enumerate() {
        text.push(letter(&hallway[number + 1]));
        text += &format!("({})", room.iter().map(letter).collect::<String>());
    }
    text.extend(hallway[cells.len() + 1..].iter().map(letter));
    text
}

/// Random burrows, with all amphipods in the rooms or a few in the hallway.
fn random_burrows(rooms: usize, depth: usize, count: usize, seed: u64) -> Vec<String> {
    let mut below = random(seed);
    (0..count)
        .map(|_| {
            let mut kinds: Vec<usize> = (0..rooms * depth).map(|index| index % rooms).collect();
            for index in (1..kinds.len()).rev() {
                kinds.swap(index, below(index + 1));
            }
            let mut cells: Vec<Vec<Option<usize>>> =
                kinds.chunks(depth).map(|room| room.iter().copied().map(Some).collect()).collect();
            let mut hallway = vec![None; rooms + 3];
            for _ in 0..below(3) {
                let (room, stop) = (below(rooms), below(rooms + 3));
                if let (Some(level), None) = (cells[room].iter().position(Option::is_some), hallway[stop]) {
                    hallway[stop] = cells[room][level].take();
                }
            }
            compact(&hallway, &cells)
        })
        .collect()
}

#[test]
fn every_native_engine_finds_the_same_energy() {
    for (rooms, depth, count) in
        [(1, 1, 3), (1, 2, 3), (2, 1, 20), (2, 2, 80), (3, 1, 40), (3, 2, 80), (2, 3, 60), (4, 1, 40)]
    {
        let lines = random_burrows(rooms, depth, extent::sample_size(count), extent::seed());
        let expected: Vec<String> = batch(&lines, "--engine memo").iter().map(energy).collect();
        for engine in ["astar", "idastar"] {
            let found: Vec<String> = batch(&lines, &format!("--engine {engine}")).iter().map(energy).collect();
            for ((line, found), expected) in lines.iter().zip(found).zip(&expected) {
                assert_eq!(found, *expected, "{engine}: {line}");
            }
        }
    }
    let lines = random_burrows(3, 2, extent::sample_size(20), extent::seed());
    let expected: Vec<String> = batch(&lines, "").iter().map(energy).collect();
    assert_eq!(batch(&lines, "--engine backtracking").iter().map(energy).collect::<Vec<_>>(), expected);
}

#[test]
fn deep_and_wide_burrows_agree_with_uninformed_search() {
    for (rooms, depth, count) in [(4, 2, 25), (3, 3, 25), (3, 4, 6), (5, 1, 10), (2, 6, 10)] {
        let lines = random_burrows(rooms, depth, extent::sample_size(count), extent::seed());
        let expected: Vec<String> = batch(&lines, "--engine memo").iter().map(energy).collect();
        let found: Vec<String> = batch(&lines, "").iter().map(energy).collect();
        for ((line, found), expected) in lines.iter().zip(found).zip(expected) {
            assert_eq!(found, expected, "{line}");
        }
    }
}

/// Random burrows of any shape. A few amphipods are anywhere in rooms or in the hallway; the others
/// are at home or do not exist.
fn scattered_burrows(count: usize, seed: u64) -> Vec<String> {
    let mut below = random(seed);
    let mut burrow = || {
        let (rooms, depth) = (1 + below(8), 1 + below(8));
        let mut kinds: Vec<usize> = (0..rooms * depth).map(|index| index % rooms).collect();
        for index in (1..kinds.len()).rev() {
            kinds.swap(index, below(index + 1));
        }
        let others = kinds.split_off(kinds.len().min(4 + below(5)));
        let mut hallway = vec![None; rooms + 3];
        // Each room from its lowest cell up.
        let mut cells = vec![Vec::new(); rooms];
        if below(2) == 0 {
            for kind in others {
                cells[kind].push(Some(kind));
            }
        }
        for kind in kinds {
            let (room, stop) = (below(rooms), below(rooms + 3));
            if below(4) == 0 && hallway[stop].is_none() {
                hallway[stop] = Some(kind);
            } else if cells[room].len() < depth {
                cells[room].push(Some(kind));
            }
        }
        for room in &mut cells {
            room.resize(depth, None);
            room.reverse();
        }
        compact(&hallway, &cells)
    };
    (0..count).map(|_| burrow()).collect()
}

/// Compares both informed searches with the uninformed one, if that ends within its node limit.
fn compare_scattered(count: usize, seed: u64) {
    let lines = scattered_burrows(count, seed);
    let plain = batch(&lines, "--engine memo --node-limit 20000");
    let known: Vec<_> = lines.iter().zip(&plain).filter(|(_, object)| object["complete"] == true).collect();
    assert!(known.len() > count / 2, "{} of {count}", known.len());
    assert!(known.iter().any(|(_, object)| energy(object) == "unsolvable"));
    let lines: Vec<String> = known.iter().map(|(line, _)| (*line).clone()).collect();
    for (object, (line, plain)) in batch(&lines, "").iter().zip(&known) {
        assert_eq!(energy(object), energy(plain), "{line}");
    }
    for (object, (line, plain)) in batch(&lines, "--engine idastar --node-limit 20000").iter().zip(&known) {
        assert!(object["complete"] == false || energy(object) == energy(plain), "{line}");
    }
}

#[test]
fn burrows_of_any_shape_agree_with_uninformed_search() {
    compare_scattered(extent::sample_size(400), extent::seed());
}

#[test]
fn a_burrow_of_separate_digits_and_signs_is_not_taken_for_a_taquin() {
    let line = ["21(6).(.).(.).(7)5(.).(3).(.).(.)40".to_owned()];
    assert_eq!(energy(&batch(&line, "")[0]), energy(&batch(&line, "--puzzle amphipod")[0]));
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn thousands_of_burrows_of_any_shape_agree_with_uninformed_search() {
        for seed in extent::seeds(10) {
            compare_scattered(2000, seed);
        }
    }
}

/// The cost from a state to the goal. `known` receives the cost of every reachable state.
fn remaining_cost<S: Space<Pruning = ()>>(space: &S, state: &S::State, known: &mut HashMap<S::State, Cost>) -> Cost {
    if let Some(&cost) = known.get(state) {
        return cost;
    }
    let mut cost = if space.is_goal(state) { 0 } else { UNREACHABLE };
    let _ = space.successors(state, (), None, |step| {
        cost = cost.min(remaining_cost(space, &step.state, known).saturating_add(step.cost));
        ControlFlow::Continue(())
    });
    known.insert(state.clone(), cost);
    cost
}

#[test]
fn estimates_are_lower_bounds_and_detect_most_dead_ends() {
    let (mut dead, mut detected) = (0, 0);
    let mut compare = |line: &str| {
        let burrow = Burrow::parse(&Document::in_memory("line", line)).expect("a burrow");
        let space = Detours::<4>::new(&burrow);
        let mut known = HashMap::new();
        remaining_cost(&space, &space.start(), &mut known);
        for (state, cost) in known {
            let estimate = space.heuristic(&state);
            assert!(estimate <= cost, "{line}: {state:?} costs {cost}, not {estimate}");
            dead += u32::from(cost == UNREACHABLE);
            detected += u32::from(estimate == UNREACHABLE);
        }
    };
    compare("..(1330).(2213).(1102).(3020)..");
    for line in random_burrows(4, 3, extent::sample_size(10), extent::seed()).into_iter().chain(random_burrows(
        4,
        4,
        extent::sample_size(3),
        9,
    )) {
        compare(&line);
    }
    assert!(3 * detected > 2 * dead, "{detected} of {dead}");
}

#[test]
fn deep_burrows_expand_a_few_hundred_states() {
    let lines: Vec<String> = table()
        .into_iter()
        .filter(|(burrow, energy)| burrow.len() == 31 && burrow.matches('.').count() == 7 && energy != "unsolvable")
        .map(|(burrow, _)| burrow)
        .collect();
    assert!(lines.len() > 50);
    let objects = batch(&lines, "--stats");
    let expanded = objects.iter().map(|object| object["statistics"]["expanded"].as_u64().expect("a count"));
    let mean = expanded.sum::<u64>() / lines.len() as u64;
    assert!(mean < 1000, "{mean} states on average");
}

#[test]
fn the_logic_program_finds_the_same_energy() {
    let mut lines = random_burrows(2, 2, extent::sample_size(25), extent::seed());
    lines.extend(random_burrows(3, 1, extent::sample_size(15), extent::seed()));
    let native: Vec<String> = batch(&lines, "").iter().map(energy).collect();
    let grounded: Vec<String> = batch(&lines, "--engine asp").iter().map(energy).collect();
    assert_eq!(native, grounded);
    assert!(native.iter().any(|energy| energy != "unsolvable"));
}

#[test]
fn the_largest_burrow_is_searched() {
    let home = "..(00000000).(11111111).(22222222).(33333333).(44444444).(55555555).(66666666).(77777777)..";
    let ran = run_with_input("- -f json", home);
    assert_eq!(energy(&ran.json()), "0");
    let cheap = "..(10000000).(01111111).(22222222).(33333333).(44444444).(55555555).(66666666).(77777777)..";
    let ran = run_with_input("- -f json", cheap);
    assert_eq!(energy(&ran.json()), "46");
    let costly = "..(00000000).(11111111).(22222222).(33333333).(44444444).(55555555).(76666666).(67777777)..";
    let ran = run_with_input("- -f json", costly);
    // The cheaper one of the two makes room, which takes two more steps.
    assert_eq!(energy(&ran.json()), (4 * 10_000_000 + 6 * 1_000_000).to_string());
}

#[test]
fn both_notations_are_read_with_any_indentation() {
    let expected = "12521";
    for text in [
        "..(10).(23).(12).(30)..",
        "  ..(BA).(CD).(BC).(DA)..\n\n",
        "#############\n#...........#\n###B#C#B#D###\n  #A#D#C#A#\n  #########",
        "    #############\n    #...........#\n    ###B#C#B#D###\n      #A#D#C#A#\n      #########\n",
        "#############\r\n#...........#\r\n###B#C#B#D###\r\n#A#D#C#A#\r\n#########\r\n",
        "\n#############\n#...........#\n###B#C#B#D###  \n  #A#D#C#A#  \n  #########  \n",
    ] {
        let ran = run_with_input("- -f json", text);
        assert_eq!(ran.code, 0, "{text}{}", ran.err);
        assert_eq!(energy(&ran.json()), expected, "{text}");
    }
    let midway = "#############\n#.B.......CB#\n###.#C#.#D###\n  #A#D#.#A#\n  #########";
    assert_eq!(energy(&run_with_input("- -f json", midway).json()), "13029");
}

#[test]
fn unfolding_adds_the_rows_of_the_second_part() {
    for (file, expected) in [("amphipod.txt", "44169"), ("amphipod_article.txt", "43413")] {
        let ran = run_line(&format!("instances/{file} --unfold -f json"));
        assert_eq!(energy(&ran.json()), expected);
    }
    let ran = run_line("instances/amphipod_midway.txt --unfold");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("all rooms are full"), "{}", ran.err);
}

#[test]
fn a_burrow_in_its_goal_takes_no_energy() {
    let ran = run_with_input("- -f json", "..(00).(11)..");
    let value = ran.json();
    assert_eq!(ran.code, 0);
    assert_eq!(answers(&value)[0]["energy"], 0);
}

#[test]
fn frames_show_every_burrow_of_the_plan() {
    let ran = run_line("instances/amphipod_swap.txt -v");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.out);
}

#[test]
fn a_cost_of_millions_is_not_taken_for_a_depth_limit() {
    let line = ["..(1).(0).(2).(3).(4).(5).(7).(6)..".to_owned()];
    assert_eq!(energy(&batch(&line, "--engine idastar")[0]), energy(&batch(&line, "")[0]));
}

#[test]
fn a_reason_whose_check_does_not_finish_is_not_reported() {
    // Too many amphipods block each other for an exhaustive check.
    let unfinished = "..(32112204).(24403122).(03304414).(32003104).(03121413)..";
    let value = run_with_input("- -f json", unfinished).json();
    assert_eq!((&value["verdict"], &value["because"]), (&Value::from("impossible"), &Value::Null));
    assert_eq!(value["statistics"]["reason"], Value::Null);
    let ran = run_with_input("-", unfinished);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(ran.out.starts_with("Not everyone can get home (proven"), "{}", ran.out);
    let finished = "..(41241022).(03332042).(14310043).(20302411).(13413240)..";
    assert!(run_with_input("-", finished).out.contains("these 15 cannot all get home"));
}
