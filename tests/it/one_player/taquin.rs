//! Taquins: reference lengths, agreement of engines and heuristics, limits, tables.

use serde_json::Value;

use crate::support::process::*;
use crate::support::{
    answers, command, extent, file, folder, run_command_with_input, run_line, run_output, run_with_input,
};

/// The fields of a reference table, without comments and the heading.
fn table(name: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the table");
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Runs a batch without stored tables, which other tests may share, and returns its objects.
fn batch(lines: &[String], arguments: &str) -> Vec<Value> {
    let cache = folder();
    let mut command = command();
    command.env("XDG_CACHE_HOME", cache.path()).env("HOME", cache.path());
    let ran = run_command_with_input(command, &format!("- --batch {arguments}"), &lines.join("\n"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let objects: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    assert_eq!(objects.len(), lines.len());
    objects
}

fn length(object: &Value) -> String {
    match object["verdict"].as_str() {
        Some("solved") => {
            assert_eq!(object["complete"], true);
            answers(object)[0]["length"].to_string()
        }
        Some("impossible") => "unsolvable".to_owned(),
        other => panic!("{other:?}: {object}"),
    }
}

#[test]
fn small_boards_have_the_lengths_of_a_complete_search() {
    let table = table("taquin-small");
    let lines: Vec<String> = table
        .iter()
        .map(|row| {
            let columns: usize = row[1].parse().expect("a number");
            let cells: Vec<&str> = row[2].split(' ').collect();
            cells.chunks(columns).map(|row| row.join(" ")).collect::<Vec<_>>().join(" / ")
        })
        .collect();
    let objects = batch(&lines, "");
    assert_eq!(objects.len(), table.len());
    for (row, object) in table.iter().zip(&objects) {
        assert_eq!(length(object), row[3], "{row:?}");
    }
}

#[test]
fn the_easier_half_of_korfs_boards_has_the_known_lengths() {
    let mut table = table("korf100");
    table.sort_by_key(|row| row[4].parse::<u64>().expect("a number"));
    table.truncate(50);
    let lines: Vec<String> = table.iter().map(|row| row[1].clone()).collect();
    for (row, object) in table.iter().zip(batch(&lines, "")) {
        assert_eq!(length(&object), row[3], "{row:?}");
    }
}

#[test]
fn a_batch_builds_tables_once_its_boards_together_are_worth_them() {
    let mut table = table("korf100");
    table.sort_by_key(|row| row[4].parse::<u64>().expect("a number"));
    table.truncate(20);
    // Each board alone would be solved without tables.
    let lines: Vec<String> = table.iter().map(|row| row[1].clone()).collect();
    let objects = batch(&lines, "--threads 1");
    let heuristics: Vec<&str> =
        objects.iter().filter_map(|object| object["statistics"]["heuristic"].as_str()).collect();
    assert_eq!((heuristics[0], heuristics[19]), ("manhattan", "pdb"), "{heuristics:?}");
    let nodes: u64 = objects.iter().filter_map(|object| object["statistics"]["generated"].as_u64()).sum();
    assert!((2_000_000..6_000_000).contains(&nodes), "{nodes}");
}

#[test]
fn a_node_limit_covers_all_heuristics_together() {
    let tiles = table("hardest17")[0][1].clone();
    let rows: Vec<String> = tiles.split(' ').collect::<Vec<_>>().chunks(4).map(|row| row.join(" ")).collect();
    let ran = run_with_input("- -f json --threads 1 --node-limit 2500000", &rows.join("\n"));
    assert_eq!(ran.code, 3, "{}", ran.err);
    let value = ran.json();
    assert_eq!(value["statistics"]["heuristic"], "pdb");
    let expanded = value["statistics"]["expanded"].as_u64().expect("a count");
    assert!((2_500_000..2_520_000).contains(&expanded), "{expanded}");
    assert!(value["statistics"]["lower_bound"].as_u64().is_some_and(|bound| (60..=80).contains(&bound)));
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn all_of_korfs_boards_and_the_hardest_have_the_known_lengths() {
        for name in ["korf100", "hardest17"] {
            let table = table(name);
            let lines: Vec<String> = table.iter().map(|row| row[1].clone()).collect();
            for (row, object) in table.iter().zip(batch(&lines, "")) {
                assert_eq!(length(&object), row[3], "{row:?}");
            }
        }
    }
}

/// Korf's counts include the start.
#[test]
fn ida_star_with_the_manhattan_distance_generates_the_nodes_that_korf_published() {
    let mut table = table("korf100");
    table.retain(|row| row[4].parse::<u64>().expect("a number") < 3_000_000);
    assert!(table.len() >= 6);
    let lines: Vec<String> = table.iter().map(|row| row[1].clone()).collect();
    for (row, object) in table.iter().zip(batch(&lines, "--engine idastar --heuristic manhattan")) {
        assert_eq!(length(&object), row[3]);
        assert_eq!((object["statistics"]["generated"].as_u64().expect("a count") + 1).to_string(), row[4]);
    }
}

/// A generator of random boards with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// A board that is `moves` random moves away from the goal.
    fn walk(&mut self, rows: usize, columns: usize, moves: usize) -> String {
        let mut tiles: Vec<usize> = (1..rows * columns).chain([0]).collect();
        let mut free = rows * columns - 1;
        for _ in 0..moves {
            let (row, column) = (free / columns, free % columns);
            let next = match self.below(4) {
                0 if row > 0 => free - columns,
                1 if row + 1 < rows => free + columns,
                2 if column > 0 => free - 1,
                3 if column + 1 < columns => free + 1,
                _ => free,
            };
            tiles.swap(free, next);
            free = next;
        }
        let rows: Vec<String> =
            tiles.chunks(columns).map(|row| row.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")).collect();
        rows.join("/")
    }
}

#[test]
fn every_engine_and_heuristic_finds_the_same_length() {
    let mut random = Random(7);
    let shapes = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (1, 5), (4, 1)];
    let lines: Vec<String> = (0..120)
        .map(|number| {
            let (rows, columns) = shapes[number % shapes.len()];
            random.walk(rows, columns, 40)
        })
        .collect();
    let expected: Vec<String> = batch(&lines, "--engine bfs").iter().map(length).collect();
    for arguments in [
        "",
        "--engine astar",
        "--engine ids",
        "--engine idastar --heuristic manhattan",
        "--engine idastar --heuristic linear-conflict",
        "--engine astar --heuristic linear-conflict",
    ] {
        // All of these engines solve random walks of 40 moves on small boards.
        let found: Vec<String> = batch(&lines, arguments).iter().map(length).collect();
        assert_eq!(found, expected, "{arguments}");
    }
    // Pattern databases need several rows and columns.
    let wide: Vec<String> = lines.iter().filter(|line| line.contains('/') && line.contains(' ')).cloned().collect();
    assert!(wide.len() * 2 > lines.len(), "{} of {}", wide.len(), lines.len());
    let expected: Vec<String> = batch(&wide, "--engine bfs").iter().map(length).collect();
    for arguments in ["--heuristic pdb", "--engine astar --heuristic pdb"] {
        let found: Vec<String> = batch(&wide, arguments).iter().map(length).collect();
        assert_eq!(found, expected, "{arguments}");
    }
}

#[test]
fn the_logic_program_finds_the_same_length() {
    let mut random = Random(11);
    let lines: Vec<String> = [(2, 2, 20), (2, 3, 14), (3, 3, 10), (1, 4, 8)]
        .into_iter()
        .cycle()
        .take(60)
        .map(|(rows, columns, moves)| random.walk(rows, columns, moves))
        .collect();
    let native: Vec<String> = batch(&lines, "").iter().map(length).collect();
    let grounded: Vec<String> = batch(&lines, "--engine asp").iter().map(length).collect();
    assert_eq!(native, grounded);
}

#[test]
fn a_walk_from_the_goal_is_never_solved_in_more_moves() {
    let mut random = Random(3);
    let walks = [(4, 4, 30), (3, 5, 30), (5, 5, 30), (6, 7, 18), (4, 4, 60)];
    let lines: Vec<(String, u64)> = (0..50)
        .map(|number| {
            let (rows, columns, moves) = walks[number % walks.len()];
            (random.walk(rows, columns, moves), moves as u64)
        })
        .collect();
    let boards: Vec<String> = lines.iter().map(|(line, _)| line.clone()).collect();
    for ((line, moves), object) in lines.iter().zip(batch(&boards, "")) {
        let found: u64 = length(&object).parse().expect("a number");
        assert!(found <= *moves, "{line}: {found}");
    }
}

#[test]
fn a_goal_in_any_corner_or_elsewhere_is_reached() {
    for (board, expected) in [
        ("1 . 2\n3 4 5\n6 7 8\n\n. 1 2\n3 4 5\n6 7 8\n", "1"),
        ("1 2 .\n3 4 5\n6 7 8\n\n. 1 2\n3 4 5\n6 7 8\n", "2"),
        ("1 2 3\n4 5 6\n7 8 .\n\n1 2 3\n4 . 6\n7 5 8\n", "2"),
        ("10 20\n. 30\n\n. 20\n10 30\n", "1"),
        ("4 1 2 3\n5 . 6 7\n8 9 10 11\n12 13 14 15\n\n. 1 2 3\n4 5 6 7\n8 9 10 11\n12 13 14 15\n", "2"),
        // 5 and the free cell have changed places, two steps apart: an odd permutation.
        ("5 1 2 3\n4 . 6 7\n8 9 10 11\n12 13 14 15\n\n. 1 2 3\n4 5 6 7\n8 9 10 11\n12 13 14 15\n", "unsolvable"),
    ] {
        for engine in ["bfs", "idastar"] {
            let ran = run_with_input(&format!("- -f json --engine {engine}"), board);
            assert_eq!(length(&ran.json()), expected, "{engine}: {board}");
        }
    }
}

#[test]
fn the_logic_program_accepts_the_largest_depth_limit() {
    let value = run_with_input("- -f json --engine asp --depth-limit 4294967295", "1 2 3\n4 . 6\n7 5 8\n").json();
    assert_eq!(length(&value), "2");
}

#[test]
fn impossible_boards_are_detected_by_parity() {
    let ran = run_line("instances/taquin_impossible.txt -f json");
    assert_eq!(ran.code, 1);
    let value = ran.json();
    assert_eq!(value["verdict"], "impossible");
    assert!(value["statistics"]["reason"].as_str().is_some_and(|reason| reason.contains("permutation")));
    let ran = run_with_input("-", "4x1: 2 1 3 0");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("cannot pass each other"), "{}", ran.out);
}

#[test]
fn breadth_first_search_ends_at_its_memory_limit_with_a_lower_bound() {
    let ran = run_line("instances/taquin_exam.txt --engine bfs --memory-limit 200 -f json");
    assert_eq!(ran.code, 3);
    let value = ran.json();
    assert_eq!(value["verdict"], "gave-up");
    assert_eq!(value["reason"], "the memory limit was reached");
    assert!(value["statistics"]["lower_bound"].as_u64().is_some_and(|bound| (10..=50).contains(&bound)));
}

#[test]
fn a_hard_board_gives_up_with_a_bound_and_is_solved_quickly_with_a_gap() {
    // A board of 113 moves, far too hard for the time limit.
    let row = table("korf24").into_iter().find(|row| row[3] == "113").expect("a board of 113 moves");
    let cells: Vec<&str> = row[1].split(' ').collect();
    let board = &cells.chunks(5).map(|row| row.join(" ")).collect::<Vec<_>>().join("/");
    let bound = retry_with_longer_limits(|limit| {
        let ran = run_with_input(&format!("- --heuristic manhattan --time-limit {limit} -f json"), board);
        assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
        ran.json()["statistics"]["lower_bound"].as_u64()
    });
    assert!(bound >= 40);
    let quick = run_with_input("- --quick -f json", board);
    assert_eq!(quick.code, 0, "{}", quick.err);
    let value = quick.json();
    assert_eq!(value["complete"], false);
    let length = answers(&value)[0]["length"].as_u64().expect("a length");
    let bound = value["statistics"]["lower_bound"].as_u64().expect("a bound");
    assert!(bound <= 113 && (113..300).contains(&length), "{bound} {length}");
}

#[test]
fn large_boards_are_solved_quickly() {
    let mut random = Random(5);
    let board = random.walk(6, 7, 2000);
    let ran = run_with_input("- --quick -f json --time-limit 900", &board);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn tables_are_stored_checked_and_built_again_if_they_are_damaged() {
    let cache = folder();
    let run = |arguments: &[&str]| {
        let mut command = command();
        command.env("XDG_CACHE_HOME", cache.path()).env("HOME", cache.path());
        run_output(command.args(["instances/taquin_exam.txt", "--heuristic", "pdb"]).args(arguments).finished())
    };
    let first = run(&[]);
    assert_eq!(first.code, 0, "{}", first.err);
    let mut tables: Vec<_> = std::fs::read_dir(cache.path().join("asp-solve"))
        .expect("the folder of tables")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    tables.sort();
    let names: Vec<_> = tables.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    let expected = ["0-bits-1", "15-bits-2-3-6-7-10-11-14", "7-bits-0-1-2-3-4-5-6"];
    assert_eq!(names, expected.map(|name| format!("taquin-4x4-{name}")));
    let again = run(&[]);
    assert_eq!((again.code, &again.out, again.err.as_str()), (0, &first.out, ""));
    // A changed byte, a missing end, other content, and an empty file.
    let whole = std::fs::read(&tables[0]).expect("a readable table");
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    for damaged in [changed, whole[..whole.len() - 1].to_vec(), b"hello".to_vec(), Vec::new()] {
        std::fs::write(&tables[0], &damaged).expect("a writable table");
        let ran = run(&[]);
        assert_eq!(ran.code, 0);
        assert_eq!(ran.out, first.out);
        assert!(ran.err.contains("warning") && ran.err.contains("the table is built again"), "{}", ran.err);
        assert_eq!(std::fs::read(&tables[0]).expect("a readable table"), whole);
    }
    // Without a cache.
    let mut command = command();
    command.env("XDG_CACHE_HOME", "/proc/no/such/folder").env("HOME", "/proc/no/such/folder");
    let ran = run_output(command.args(["instances/taquin_exam.txt", "--heuristic", "pdb"]).finished());
    assert_eq!((ran.code, &ran.out, ran.err.as_str()), (0, &first.out, ""));
}

#[test]
fn the_picture_is_well_formed_and_has_every_tile() {
    let folder = folder();
    let path = folder.path().join("exam.svg");
    let ran = run_line(&format!("instances/taquin_exam.txt -f svg -o {}", path.display()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let svg = std::fs::read_to_string(path).expect("a picture");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(svg.matches("<g ").count(), 15);
    assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    assert!(!svg.contains("<script"));
    let path = file(folder.path(), "program.lp", "a.\n");
    let ran = run_line(&format!("{} -f svg", path.display()));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is nothing to draw"), "{}", ran.err);
}

#[test]
fn tiles_of_a_single_column_go_up_and_down() {
    for (board, moves) in [("1\n.\n\n.\n1\n", "D"), (".\n1\n2\n\n1\n2\n.\n", "UU"), ("1 .\n\n. 1\n", "R")] {
        assert_eq!(run_with_input("- -f json", board).json()["answers"][0]["moves"], moves, "{board}");
    }
}

#[test]
fn frames_show_every_board_of_the_plan() {
    let folder = folder();
    let path = file(folder.path(), "near.txt", "1 2 3\n4 . 6\n7 5 8\n");
    let ran = run_line(&format!("{} -v", path.display()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!(ran.out);
}

/// Splits a board, and returns the number of its parts and the lines of their results.
fn results_of_parts(board: &str, boards: usize, more: &str) -> (usize, String) {
    let split = run_with_input(&format!("split - --boards {boards}"), board);
    assert_eq!(split.code, 0, "{}", split.err);
    let results = run_with_input(&format!("- --batch {more}"), &split.out);
    (split.out.lines().count(), results.out)
}

#[test]
fn a_split_board_has_the_same_length_as_the_whole() {
    let mut random = extent::random();
    for shape in ["3x3", "2x5", "4x4", "3x3 --goal free-first"] {
        let (size, goal) = shape.split_at(3);
        let moves = if size == "4x4" { 32 } else { 16 };
        let board = run_line(&format!("generate taquin --size {size} --moves {moves} --seed {}", random.u32(..))).out;
        let whole = run_with_input(&format!("- -f json{goal}"), &board);
        // The free cell at the other corner may be out of reach.
        let Some(length) = whole.json()["answers"][0]["length"].as_u64() else { continue };
        let split = run_with_input(&format!("split - --boards 20{goal}"), &board);
        assert!(split.code == 0 && split.out.lines().count() >= 20, "{}", split.err);
        let results = run_with_input("- --batch", &split.out).out;
        let merged = run_with_input("merge - -f json", &results).json();
        let found = (&merged["answers"][0]["length"], &merged["complete"], &merged["statistics"]["lower_bound"]);
        assert_eq!(found, (&length.into(), &true.into(), &length.into()), "{board}");
        let text = run_with_input("merge -", &results).out;
        assert!(text.starts_with(&format!("Solved in {length} moves (proven optimal by")), "{text}");
    }
}

#[test]
fn unsolved_parts_of_a_board_leave_a_lower_bound() {
    let board = "8 6 7\n2 5 4\n3 . 1\n";
    let (boards, results) = results_of_parts(board, 30, "--depth-limit 20");
    let merged = run_with_input("merge - -f json", &results).json();
    assert_eq!((&merged["verdict"], &merged["boards"]), (&"gave-up".into(), &boards.into()));
    let bound = merged["statistics"]["lower_bound"].as_u64().expect("a bound");
    assert!((22..=31).contains(&bound), "{bound}");
    assert!(run_with_input("merge -", &results).out.starts_with("Not solved yet; no solution is shorter than"));
    let (first, rest) = results.split_once('\n').expect("several results");
    let other = first.replace("8 6 7", "8 6 5").replacen("5 4", "7 4", 1);
    let twisted = first.replacen("\"answers\": []", "\"answers\": [{\"length\":1,\"moves\":\"X\"}]", 1);
    for (results, expected) in [
        (rest.to_owned(), "have no result, such as the one after"),
        (format!("{results}{first}\n"), "have a second result"),
        (format!("{rest}{other}\n"), "/id/board differs from that of the first result"),
        (format!("{rest}{twisted}\n"), "no tile moves X"),
        (format!("{rest}{}\n", first.replace("\"expanded\"", "\"seen\"")), "/statistics/expanded is missing"),
        (first.replace("\"moves\"", "\"way\""), "expected a text at /id/moves"),
        (
            format!("{rest}{}\n", first.replace("\"check_sum\":", "\"check_sum\":1")),
            "is not a result for the board after",
        ),
        (format!("{rest}{}\n", first.replace("\"shipped\"", "\"my.lp\"")), "is not a result for the board after"),
        (
            first.replacen("\"moves\":\"", &format!("\"moves\":\"{}", "L".repeat(100)), 1),
            "no split has boards that are 1",
        ),
        (first.replacen("8 6 7\\n2 5 4\\n3 . 1", "1 2 3\\n4 5 6\\n7 8 .", 1), "no split has boards that are"),
    ] {
        let ran = run_with_input("merge -", &results);
        assert!(ran.code == 2 && ran.err.contains(expected), "{expected}: {} {}", ran.out, ran.err);
    }
    // With another goal on the command line the bounds apply to other boards.
    let (_, results) = results_of_parts(board, 30, "--depth-limit 3 --goal free-first");
    let ran = run_with_input("merge -", &results);
    assert!(ran.code == 2 && ran.err.contains("is not a result for the board after"), "{} {}", ran.out, ran.err);
    let (_, results) = results_of_parts(board, 30, "");
    let bold = results.replace("\"lower_bound\":", "\"lower_bound\":9");
    let ran = run_with_input("merge -", &bold);
    assert!(
        ran.code == 2 && ran.err.contains("its solution is shorter than its lower bound"),
        "{} {}",
        ran.out,
        ran.err
    );
    for (board, more, expected) in [
        ("1 2 3\n4 5 6\n8 7 .\n", "", "there is no solution to search for"),
        ("1 2 3\n4 5 6\n7 . 8\n", "", "--boards N asks for fewer"),
        (board, "--boards 1000000", "--boards N asks for fewer"),
        (board, "--boards 0", "0 is not in"),
    ] {
        let ran = run_with_input(&format!("split - {more}"), board);
        assert!(ran.code == 2 && ran.err.contains(expected), "{expected}: {} {}", ran.out, ran.err);
    }
}
