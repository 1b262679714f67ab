//! The amphipods from outside: reference energies, agreement of engines, both notations.

use std::collections::HashMap;
use std::ops::ControlFlow;

use asp_solve::document::Document;
use asp_solve::puzzle::amphipod::{Burrow, Detours};
use asp_solve::search::{Cost, Space, UNREACHABLE};
use serde_json::Value;

use crate::support::{answers, extent, run_line, run_with_input};

fn table() -> Vec<(String, String)> {
    let path = format!("{}/tests/data/amphipod.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the table is there");
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .filter_map(|line| line.split_once(',').map(|(burrow, energy)| (burrow.to_owned(), energy.to_owned())))
        .collect()
}

fn batch(lines: &[String], arguments: &str) -> Vec<Value> {
    let ran = run_with_input(&format!("- --batch {arguments}"), &lines.join("\n"));
    // Some may be given up if there is a limit.
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
fn burrows_take_the_least_energy_that_others_found() {
    let table = table();
    assert!(table.len() > 100);
    let lines: Vec<String> = table.iter().map(|(burrow, _)| burrow.clone()).collect();
    let objects = batch(&lines, "");
    assert_eq!(objects.len(), table.len());
    for ((burrow, expected), object) in table.iter().zip(&objects) {
        assert_eq!(energy(object), *expected, "{burrow}");
    }
}

/// Numbers below a limit that a seed repeats.
fn random(mut state: u64) -> impl FnMut(usize) -> usize {
    move |limit| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

/// The compact form.
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

/// Burrows with everybody in the rooms, or some in the hallway.
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
fn deep_and_wide_burrows_agree_with_the_search_that_knows_nothing() {
    for (rooms, depth, count) in [(4, 2, 25), (3, 3, 25), (3, 4, 6), (5, 1, 10), (2, 6, 10)] {
        let lines = random_burrows(rooms, depth, extent::sample_size(count), extent::seed());
        let expected: Vec<String> = batch(&lines, "--engine memo").iter().map(energy).collect();
        let found: Vec<String> = batch(&lines, "").iter().map(energy).collect();
        for ((line, found), expected) in lines.iter().zip(found).zip(expected) {
            assert_eq!(found, expected, "{line}");
        }
    }
}

/// Burrows of any shape with a few who are anywhere, in rooms or in the hallway; the others are at home or do not exist.
fn scattered_burrows(count: usize, seed: u64) -> Vec<String> {
    let mut below = random(seed);
    let mut one = || {
        let (rooms, depth) = (1 + below(8), 1 + below(8));
        let mut kinds: Vec<usize> = (0..rooms * depth).map(|index| index % rooms).collect();
        for index in (1..kinds.len()).rev() {
            kinds.swap(index, below(index + 1));
        }
        let others = kinds.split_off(kinds.len().min(4 + below(5)));
        let mut hallway = vec![None; rooms + 3];
        // The lowest first.
        let mut cells = vec![Vec::new(); rooms];
        if below(2) == 0 {
            others.into_iter().for_each(|kind| cells[kind].push(Some(kind)));
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
    (0..count).map(|_| one()).collect()
}

/// Asks both searches, and the one that knows nothing as far as it comes.
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
fn burrows_of_any_shape_agree_with_the_search_that_knows_nothing() {
    compare_scattered(extent::sample_size(400), extent::seed());
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn thousands_of_burrows_of_any_shape_agree_with_the_search_that_knows_nothing() {
        for seed in extent::seeds(10) {
            compare_scattered(2000, seed);
        }
    }
}

/// What the rest costs, of every state that can be reached.
fn rest<S: Space<Pruning = ()>>(space: &S, state: &S::State, known: &mut HashMap<S::State, Cost>) -> Cost {
    if let Some(&cost) = known.get(state) {
        return cost;
    }
    let mut cost = if space.is_goal(state) { 0 } else { UNREACHABLE };
    let _ = space.successors(state, (), None, |step| {
        cost = cost.min(rest(space, &step.state, known).saturating_add(step.cost));
        ControlFlow::Continue(())
    });
    known.insert(state.clone(), cost);
    cost
}

#[test]
fn no_state_costs_less_than_its_estimate_and_most_that_lead_nowhere_are_known() {
    let (mut dead, mut seen) = (0, 0);
    let mut compare = |line: &str| {
        let burrow = Burrow::parse(&Document::in_memory("line", line)).expect("a burrow");
        let space = Detours::<4>::new(&burrow);
        let mut known = HashMap::new();
        rest(&space, &space.start(), &mut known);
        for (state, cost) in known {
            let estimate = space.heuristic(&state);
            assert!(estimate <= cost, "{line}: {state:?} costs {cost}, not {estimate}");
            dead += u32::from(cost == UNREACHABLE);
            seen += u32::from(estimate == UNREACHABLE);
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
    assert!(3 * seen > 2 * dead, "{seen} of {dead}");
}

#[test]
fn deep_burrows_take_a_few_hundred_states() {
    let lines: Vec<String> = table()
        .into_iter()
        .filter(|(burrow, energy)| burrow.len() == 31 && burrow.matches('.').count() == 7 && energy != "unsolvable")
        .map(|(burrow, _)| burrow)
        .collect();
    assert!(lines.len() > 50);
    let objects = batch(&lines, "--stats");
    let expanded = objects.iter().map(|object| object["statistics"]["expanded"].as_u64().expect("a count"));
    let mean = expanded.sum::<u64>() / lines.len() as u64;
    assert!(mean < 1000, "{mean} of each");
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
    let one = "..(10000000).(01111111).(22222222).(33333333).(44444444).(55555555).(66666666).(77777777)..";
    let ran = run_with_input("- -f json", one);
    assert_eq!(energy(&ran.json()), "46");
    let costly = "..(00000000).(11111111).(22222222).(33333333).(44444444).(55555555).(76666666).(67777777)..";
    let ran = run_with_input("- -f json", costly);
    // One of the two makes room: two steps more for the cheaper one.
    assert_eq!(energy(&ran.json()), (4 * 10_000_000 + 6 * 1_000_000).to_string());
}

#[test]
fn both_notations_and_the_indentation_that_people_paste_are_one_burrow() {
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
fn unfolding_is_the_second_part_of_the_task() {
    for (file, expected) in [("amphipod.txt", "44169"), ("amphipod_article.txt", "43413")] {
        let ran = run_line(&format!("instances/{file} --unfold -f json"));
        assert_eq!(energy(&ran.json()), expected);
    }
    let ran = run_line("instances/amphipod_midway.txt --unfold");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("all rooms are full"), "{}", ran.err);
}

#[test]
fn nobody_has_to_move_where_everybody_is_home() {
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
fn a_cost_of_millions_is_no_depth_limit() {
    let line = ["..(1).(0).(2).(3).(4).(5).(7).(6)..".to_owned()];
    assert_eq!(energy(&batch(&line, "--engine idastar")[0]), energy(&batch(&line, "")[0]));
}

#[test]
fn a_reason_whose_check_did_not_come_to_its_end_is_not_told() {
    // Those who are found to block each other are too many to be looked through cell by cell.
    let unfinished = "..(32112204).(24403122).(03304414).(32003104).(03121413)..";
    let value = run_with_input("- -f json", unfinished).json();
    assert_eq!((&value["verdict"], &value["because"]), (&Value::from("impossible"), &Value::Null));
    assert_eq!(value["statistics"]["reason"], Value::Null);
    let ran = run_with_input("-", unfinished);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(ran.out.starts_with("No plan: not everyone can get home; proven"), "{}", ran.out);
    let finished = "..(41241022).(03332042).(14310043).(20302411).(13413240)..";
    assert!(run_with_input("-", finished).out.contains("these 15 cannot all get home"));
}
