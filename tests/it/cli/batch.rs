//! Tests batches: many instances in one file.

use serde_json::Value;

use crate::support::process::*;
use crate::support::{command, extent, file, folder, run, run_line, run_output, run_with_input};

/// Runs with input that need not be UTF-8.
fn run_with_bytes(line: &str, input: &[u8]) -> crate::support::RunOutput {
    let folder = folder();
    let file = file(folder.path(), "input", input);
    run_line(&format!("{} {line}", file.display()))
}

/// Runs a batch to its end and returns its output.
fn output_of(arguments: &str, output: &std::path::Path) -> String {
    let ran = run_line(&format!("{arguments} -o {}", output.display()));
    assert!([0, 2].contains(&ran.code), "{}", ran.err);
    std::fs::read_to_string(output).expect("the output exists")
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

/// Instances of three puzzles, blank lines and invalid lines.
const MIXED: &str = "..(10).(23).(12).(30)..\n\n1 2 3 4/5 6 7 8/9 10 11 12/13 14 . 15\n1 2 2 .\n{\"start\": 1, \"moves\": [\"n+1\"], \"goal\": [4]}\nhello\n2 1 3 .\n";

#[test]
fn objects_are_in_the_order_of_the_lines_with_any_number_of_threads() {
    for threads in [1, 2, 7, 64] {
        let ran = run_with_input(&format!("- --batch --threads {threads}"), MIXED);
        assert_eq!(ran.code, 2, "two lines are bad");
        assert!(ran.err.contains("2 lines are invalid"), "{}", ran.err);
        let objects = objects(&ran.out);
        let lines: Vec<u64> = objects.iter().map(|object| object["line"].as_u64().expect("a number")).collect();
        assert_eq!(lines, [1, 3, 4, 5, 6, 7]);
        assert_eq!(objects[0]["answers"][0]["energy"], 12521);
        assert_eq!(objects[1]["answers"][0]["moves"], "L");
        assert_eq!(objects[2]["error"], "column 5: tile 2 appears twice");
        assert_eq!(objects[3]["answers"][0]["depth"], 3);
        assert!(objects[4]["error"].is_string());
        assert_eq!(objects[5]["verdict"], "impossible");
    }
}

#[test]
fn an_interrupted_batch_is_resumed() {
    let folder = folder();
    let input = file(folder.path(), "boards.txt", MIXED);
    let output = folder.path().join("out.jsonl");
    let arguments = format!("{} --batch -o {}", input.display(), output.display());
    run_line(&arguments);
    let complete = std::fs::read_to_string(&output).expect("the output exists");
    // Keeps three objects and half of the fourth.
    let third = complete.match_indices('\n').nth(2).expect("a third line").0 + 1;
    std::fs::write(&output, &complete[..third + 20]).expect("the output is writable");
    let ran = run_line(&format!("{arguments} --resume"));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&output).expect("the output exists"), complete);
    let again = run_line(&format!("{arguments} --resume"));
    assert_eq!(again.code, 2, "nothing is left to do, but two lines are bad: {}", again.err);
    assert_eq!(again.err, ran.err);
    assert_eq!(std::fs::read_to_string(&output).expect("the output exists"), complete);
    std::fs::write(&output, "something else\n").expect("the output is writable");
    let ran = run_line(&format!("{arguments} --resume"));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is not an object of a batch"), "{}", ran.err);
}

#[test]
fn resuming_solves_corrected_lines_at_their_places() {
    let folder = folder();
    let text = "1 2 3/4 5 6/7 . 8\n1 2 2 .\n1 2 3/4 5 6/. 7 8\nhello\n1 2 3/4 5 6/7 8 .\n1 2 3/4 6 6/. 7 8\n";
    let input = file(folder.path(), "boards.txt", text);
    let output = folder.path().join("out.jsonl");
    let arguments = format!("{} --batch", input.display());
    let before = output_of(&arguments, &output);
    // A line is corrected, one is left out, and one stays invalid.
    std::fs::write(&input, text.replace("1 2 2", "1 2 3").replace("hello", "% hello")).expect("the file is writable");
    let after = output_of(&format!("{arguments} --resume"), &output);
    let summary: Vec<_> =
        objects(&after).iter().map(|object| (object["line"].as_u64(), object.get("error").is_some())).collect();
    let expected = [(1, false), (2, false), (3, false), (5, false), (6, true)];
    assert_eq!(summary, expected.map(|(line, is_invalid)| (Some(line), is_invalid)));
    // The other objects are kept as they were.
    for (old, new) in [(0, 0), (2, 2), (4, 3)] {
        assert_eq!(before.lines().nth(old), after.lines().nth(new));
    }
}

#[test]
fn an_output_that_another_run_writes_is_left_alone() {
    let folder = folder();
    let input = file(folder.path(), "boards.txt", "1 2 3/4 5 6/7 . 8\n");
    let output = file(folder.path(), "out.jsonl", "");
    let other = std::fs::OpenOptions::new().write(true).open(&output).expect("the output exists");
    other.try_lock().expect("the output is not locked");
    let arguments = format!("{} --batch -o {}", input.display(), output.display());
    for option in ["", " --resume"] {
        let ran = run_line(&format!("{arguments}{option}"));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("another run writes it"), "{}", ran.err);
    }
    assert_eq!(std::fs::read_to_string(&output).expect("the output exists"), "");
    drop(other);
    assert_eq!(run_line(&arguments).code, 0);
}

#[test]
fn resuming_a_finished_batch_keeps_its_exit_code() {
    let folder = folder();
    for (name, text, options, code) in [
        ("good.txt", "1 2 3/4 5 6/7 . 8\n", "", 0),
        ("hard.txt", "8 6 7/2 5 4/3 . 1\n1 2 3/4 5 6/7 . 8\n", "--node-limit 2 --engine ids", 3),
    ] {
        let input = file(folder.path(), name, text);
        let arguments = format!("{} --batch {options} -o {}.jsonl", input.display(), input.display());
        assert_eq!(run_line(&arguments).code, code, "{name}");
        assert_eq!(run_line(&format!("{arguments} --resume")).code, code, "{name}");
    }
}

#[test]
fn the_output_of_another_input_is_not_resumed() {
    let folder = folder();
    let input = file(folder.path(), "mine.txt", "1 2 3/4 5 6/7 . 8\n1 2 3/4 5 6/. 7 8\n");
    let output = folder.path().join("out.jsonl");
    let resume =
        |input: &std::path::Path| run_line(&format!("{} --batch --resume -o {}", input.display(), output.display()));
    assert_eq!(resume(&input).code, 0);
    let before = std::fs::read(&output).expect("the output exists");
    for (name, text) in [
        ("other board", "1 2 3/4 5 6/7 . 8\n1 2 3/. 5 6/4 7 8\n"),
        ("other lines", "1 2 3/4 5 6/7 . 8\n\n1 2 3/4 5 6/. 7 8\n"),
        ("shorter", "1 2 3/4 5 6/7 . 8\n"),
    ] {
        let other = file(folder.path(), "other.txt", text);
        let ran = resume(&other);
        assert_eq!(ran.code, 2, "{name}: {}", ran.err);
        assert!(ran.err.contains("requires the same input"), "{name}: {}", ran.err);
        assert_eq!(std::fs::read(&output).expect("the output exists"), before, "{name}");
    }
    // A file that is not an output is left unchanged, even if its text could be an incomplete line.
    let foreign = file(folder.path(), "foreign.txt", "foo");
    let ran = run_line(&format!("{} --batch --resume -o {}", input.display(), foreign.display()));
    assert_eq!((ran.code, std::fs::read(&foreign).expect("the file exists")), (2, b"foo".to_vec()), "{}", ran.err);
    // Resumes with the same lines in another file, followed by more lines.
    let moved = file(folder.path(), "moved.txt", "1 2 3/4 5 6/7 . 8\n1 2 3/4 5 6/. 7 8\n% more\n1 2 3/4 . 6/7 5 8\n");
    assert_eq!(resume(&moved).code, 0);
    assert_eq!(objects(&std::fs::read_to_string(&output).expect("the output exists"))[2]["line"], 4);
}

#[test]
fn thousands_of_blank_lines_and_comments_do_not_block() {
    let gap = format!("\n% a comment\n{}", "\n".repeat(4000));
    let text = format!("..(10).(01)..{gap}").repeat(20);
    for threads in [1, 8, 16, 64] {
        let ran = run_with_input(&format!("- --batch --threads {threads}"), &text);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(ran.out.lines().count(), 20, "{threads} threads");
    }
}

/// Writes an encoding of sliding tiles whose grounding never ends.
fn endless_encoding(folder: &std::path::Path) -> String {
    let text = std::fs::read_to_string("asp/taquin/sliding.lp").expect("an encoding");
    file(folder, "endless.lp", text + "\nboom(1..1000000). boom(X,Y) :- boom(X), boom(Y).\n").display().to_string()
}

#[test]
fn a_line_beyond_its_time_limit_does_not_affect_the_others() {
    let folder = folder();
    let encoding = endless_encoding(folder.path());
    let input = "1 2 3/4 5 6/7 . 8\n1 2 2 .\n1 2 3/4 5 6/. 7 8\n";
    for threads in [1, 3] {
        let line = format!("- --batch -t {threads} --engine asp -e {encoding} --time-limit 0.2");
        let ran = run_with_input(&line, input);
        assert_eq!(ran.code, 2, "{}", ran.err);
        let objects = objects(&ran.out);
        assert_eq!(objects.len(), 3);
        for (object, line) in [(&objects[0], 1), (&objects[2], 3)] {
            assert_eq!(object["line"], line);
            assert_eq!((&object["verdict"], &object["puzzle"]), (&"gave-up".into(), &"taquin".into()));
            assert_eq!(object["reason"], "the time limit was reached");
        }
        assert_eq!(objects[1]["error"], "column 5: tile 2 appears twice");
    }
}

#[test]
fn workers_share_the_memory() {
    let hard = "1 24 3 22 5/20 7 18 9 16/11 14 13 12 15/10 17 8 19 6/21 4 23 2 0\n";
    let expanded = |threads: u32| {
        let line = format!("- --batch --engine bfs --memory-limit 400 -t {threads}");
        let ran = run_with_input(&line, hard);
        assert_eq!(ran.code, 3, "{}", ran.err);
        objects(&ran.out)[0]["statistics"]["expanded"].as_u64().expect("a number")
    };
    assert!(expanded(16) * 4 < expanded(1));
}

#[cfg(unix)]
#[test]
fn an_interrupted_batch_reports_its_progress_and_can_be_resumed() {
    let folder = folder();
    let encoding = endless_encoding(folder.path());
    let input = file(folder.path(), "boards.txt", "1 2 2 .\n1 2 3/4 5 6/7 . 8\n");
    let output = folder.path().join("out.jsonl");
    let mut command = command();
    command.arg(&input).args(["--batch", "--engine", "asp", "-e", &encoding, "-o"]).arg(&output);
    let child = command.stderr(std::process::Stdio::piped()).spawn().expect("the command starts");
    wait_until("a line is written", || std::fs::read_to_string(&output).is_ok_and(|text| text.ends_with('\n')));
    crate::cli::limits::interrupt(child.id());
    let ran = run_output(child.finished());
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("interrupted: 1 line done; continue with --resume"), "{}", ran.err);
    let ran = run_line(&format!("{} --batch -o {} --resume", input.display(), output.display()));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert_eq!(objects(&std::fs::read_to_string(&output).expect("the output exists"))[1]["verdict"], "solved");
}

#[test]
fn an_error_quotes_little_of_a_long_line() {
    let line = format!("{{\"start\": 1, \"moves\": [\"{}+1\"], \"goal\": [4]}}\n", "x".repeat(200_000));
    let ran = run_with_input("- --batch", &line);
    assert_eq!(ran.code, 2);
    assert!(ran.out.len() < 3000, "{} bytes", ran.out.len());
}

#[test]
fn the_time_limit_is_for_each_line() {
    let hard = "1 24 3 22 5/20 7 18 9 16/11 14 13 12 15/10 17 8 19 6/21 4 23 2 0";
    let input = format!("{hard}\n1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15\n{hard}\n");
    let objects = retry_with_longer_limits(|limit| {
        let line = format!("- --batch --heuristic manhattan --time-limit {limit} --threads 1");
        let objects = objects(&run_with_input(&line, &input).out);
        assert_eq!(objects.len(), 3);
        (objects[1]["verdict"] == "solved").then_some(objects)
    });
    for object in [&objects[0], &objects[2]] {
        assert!(object["verdict"] != "solved", "{object}");
    }
}

#[test]
fn inputs_that_do_not_fit_on_a_line_are_rejected() {
    let ran = run_with_input("- --batch", "a :- b.\n");
    assert_eq!(ran.code, 2);
    assert!(objects(&ran.out)[0]["error"].as_str().is_some_and(|error| error.contains("does not fit on a line")));
    let ran = run(["instances/amphipod_article.txt", "instances/amphipod_midway.txt", "--batch"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("one file at a time"), "{}", ran.err);
    let ran = run_line("instances/amphipod_article.txt --resume");
    assert_eq!(ran.code, 2);
}

#[test]
fn a_long_file_needs_little_memory() {
    let line = "..(10).(01)..\n";
    let ran = run_with_input("- --batch --threads 16", &line.repeat(20_000));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 20_000);
    assert!(ran.out.lines().last().is_some_and(|line| line.starts_with("{\"line\":20000,")));
}

/// Instances of five puzzles with ids of every JSON type, a game in JSON, and a line without an id.
const WITH_IDS: &str = r#"{"id": "k7", "instance": "1 2 3\n4 5 6\n7 . 8"}
{"instance": "a. b :- a.", "id": 7}
{"start": 1, "moves": ["n+1"], "goal": [4]}
{"id": null, "instance": "mines 1\n?1\n??\n"}
1 2 3/4 5 6/. 7 8
{"id": [1, {"b": 12345678901234567890123.50}], "instance": "{\"start\": 1, \"moves\": [\"n+1\"], \"goal\": [4]}"}
{"instance": "start(a). target(b). final_node(c). color(a,red). rel(a,1,b). rel(a,2,c)."}
"#;

#[test]
fn a_batch_into_a_file_ends_with_totals() {
    let folder = folder();
    let output = folder.path().join("out.jsonl");
    let boards = file(folder.path(), "boards", "1 2 3/4 5 6/7 . 8\n1 2 3/4 5 6/8 7 .\nhello\n1 2 3/4 5 6/. 7 8\n");
    let line = format!("{} --batch -o {}", boards.display(), output.display());
    let totals = "4 lines: 2 solved, 1 without a solution, 1 invalid\n";
    let ran = run_line(&line);
    assert!(ran.code == 2 && ran.err.contains(totals), "{}", ran.err);
    // The lines of the first run count, too.
    let again = run_line(&format!("{line} --resume"));
    assert!(again.err.contains(totals), "{}", again.err);
    assert!(!run_line(&format!("{line} -q")).err.contains("solved"));
    let ran = run_line(&format!("{} --batch", boards.display()));
    assert!(!ran.err.contains("solved"), "{}", ran.err);
    let boards = file(folder.path(), "links", "https://puzz.link/p?nurikabe/6/6/m8n8i9u\n");
    let ran = run_line(&format!("{} --batch --unique -o {}", boards.display(), output.display()));
    assert!(ran.err.contains("1 line: 1 with several solutions\n"), "{}", ran.err);
}

#[test]
fn the_name_of_an_instance_is_its_id_without_quotes() {
    let board = |id: &str| format!("{{\"id\": {id}, \"instance\": \"1 2 3/4 5 6/7 . 8\"}}\n");
    // As a file name, the third id would name another notation.
    let ids = ["\"b0\"", "7", "\"b.dot\""];
    let ran = run_with_input("- --batch", &ids.map(board).concat());
    let names: Vec<Value> = objects(&ran.out).iter().map(|object| object["instance"][0].clone()).collect();
    assert_eq!(names, ["b0", "7", "\"b.dot\""], "{}{}", ran.out, ran.err);
    let verdicts = objects(&ran.out).iter().filter(|object| object["verdict"] == "solved").count();
    assert_eq!(verdicts, 3, "{}", ran.out);
}

#[test]
fn ids_are_copied_verbatim_for_instances_of_any_puzzle() {
    for arguments in ["- --batch", "- --batch -t 1"] {
        let ran = run_with_input(arguments, WITH_IDS);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let lines: Vec<&str> = ran.out.lines().collect();
        let objects = objects(&ran.out);
        assert!(objects.iter().all(|object| object.get("id").is_some() != object.get("line").is_some()));
        assert_eq!(lines.len(), 7, "{}", ran.out);
        for (line, begin) in lines.iter().zip([
            r#"{"id":"k7","#,
            r#"{"id":7,"#,
            r#"{"line":3,"#,
            r#"{"id":null,"#,
            r#"{"line":5,"#,
            r#"{"id":[1, {"b": 12345678901234567890123.50}],"#,
            r#"{"line":7,"#,
        ]) {
            assert!(line.starts_with(begin), "{line}");
        }
        assert_eq!(objects[0]["answers"][0]["moves"], "L");
        assert_eq!(objects[1]["answers"][0]["atoms"], serde_json::json!(["a", "b"]));
        assert_eq!(objects[3]["answers"][0]["configurations"], "3");
        assert_eq!((&objects[2]["answers"], &objects[5]["answers"]), (&objects[5]["answers"], &objects[2]["answers"]));
        assert_eq!(objects[6]["puzzle"], "rail");
        assert_eq!(objects[6]["answers"][0]["outcome"], "win");
    }
}

#[test]
fn errors_of_lines_have_their_line_and_id_and_do_not_affect_others() {
    let good = r#"{"id": "good", "instance": "1 2 3/4 5 6/7 . 8"}"#;
    for (bad, id, error) in [
        (r#"{"id": 1}"#.as_bytes(), "1", "no key \"instance\""),
        (r#"{"id": 1, "instance": 5}"#.as_bytes(), "1", "column 23: invalid type"),
        (r#"{"id": 1, "instance": ".", "seed": 3}"#.as_bytes(), "1", "unknown key \"seed\""),
        (r#"{"id": 1, "id": 2, "instance": "."}"#.as_bytes(), "2", "the key \"id\" twice"),
        (r#"{"id": "good", "instance": "1 2 3/4 5 6/7 . 8"}"#.as_bytes(), "\"good\"", "in line 1"),
        (r#"{"id": 1, "instance": "1 2 3/4"#.as_bytes(), "1", "column 30: EOF"),
        (r#"{"id": 1, "instance": "."} and more"#.as_bytes(), "1", "trailing characters"),
        (r#"{"id": 1, "instance": ""}"#.as_bytes(), "1", "nothing but white space"),
        (r#"{"id": 1, "instance": "1 2 3\n4 5 6\n7 7 ."}"#.as_bytes(), "1", "line 3, column 3: tile 7 appears twice"),
        (r#"{"id": 1, "instance": "1 2 \u0000 3"}"#.as_bytes(), "1", "NUL"),
        (b"{\"id\": 1, \"instance\": \"1 \xff\"}", "1", "invalid unicode"),
        (b"{\"id\": \"\xff\", \"instance\": \".\"}", "", "invalid unicode"),
        (b"{\"instance\": {}}", "", "invalid type"),
        (b"{\"id\"", "", "EOF"),
        (b"1 2 \x00 3", "", "NUL"),
        (b"\xff\xfe", "", "column 1: not valid UTF-8"),
        (b"{", "", ""),
        (b"[]", "", ""),
    ] {
        let input = [good.as_bytes(), b"\n", bad, b"\n", good.replace("good", "last").as_bytes()].concat();
        let ran = run_with_bytes("--batch", &input);
        let shown = String::from_utf8_lossy(bad);
        assert_eq!(ran.code, 2, "{shown}: {}", ran.err);
        let objects = objects(&ran.out);
        assert_eq!(objects.len(), 3, "{shown}: {}", ran.out);
        assert_eq!(objects[1]["line"], 2, "{shown}");
        let printed_id = objects[1].get("id").map(Value::to_string).unwrap_or_default();
        // Invalid JSON has no keys.
        assert_eq!(printed_id, if bad == b"{\"id\"" { "" } else { id }, "{shown}: {}", ran.out);
        let message = objects[1]["error"].as_str().expect("an error");
        assert!(message.contains(error), "{shown}: {message}");
        assert_eq!((&objects[0]["verdict"], &objects[2]["id"]), (&"solved".into(), &"last".into()));
    }
}

#[test]
fn an_overlong_line_is_skipped_in_little_memory() {
    let long = [b"1 2 3/4 5 6/7 . 8\n".to_vec(), vec![b'1'; 40 << 20], b"\n1 2 3/4 5 6/7 8 .\n".to_vec()].concat();
    let ran = run_with_bytes("--batch --memory-limit 200", &long);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let objects = objects(&ran.out);
    assert_eq!(objects.len(), 3);
    assert_eq!(objects[1]["error"], "longer than 16777216 bytes");
    assert_eq!((&objects[2]["line"], &objects[2]["verdict"]), (&3.into(), &"solved".into()));
}

#[test]
fn objects_are_in_the_order_of_the_lines_in_bounded_memory() {
    let slow = r#"{"id": "slow", "instance": "p(1..1000000). q(X,Y) :- p(X), p(Y)."}"#;
    let quick = |count: usize| "..(10).(01)..\n".repeat(count);
    let first = |count| {
        let ran = run_with_input("- --batch -t 2 --time-limit 0.5", &format!("{slow}\n{}", quick(count)));
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert_eq!(ran.out.lines().count(), count + 1);
        objects(&ran.out).iter().position(|object| object["id"] == "slow").expect("the file exists")
    };
    assert_eq!(first(100), 0);
    // With more lines than are in flight, the reader waits for the first line and then continues.
    assert_eq!(first(20_000), 0);
}

#[test]
fn a_batch_with_ids_is_resumed_after_its_lines_were_moved() {
    let folder = folder();
    let line = |id: usize| format!("{{\"id\": {id}, \"instance\": \"..({}{}).(01)..\"}}\n", id % 2, 1 - id % 2);
    let lines: Vec<String> = (0..300).map(line).collect();
    let input = file(folder.path(), "input.jsonl", lines.concat());
    let output = folder.path().join("out.jsonl");
    let arguments = format!("{} --batch", input.display());
    let complete = output_of(&arguments, &output);
    let mut sorted: Vec<&str> = complete.lines().collect();
    sorted.sort_unstable();
    let objects: Vec<&str> = complete.split_inclusive('\n').collect();
    // Keeps objects of moved lines, and a part of another object.
    let partial = [5, 3, 2, 120, 4, 0].map(|at| objects[at]).concat();
    let reversed = file(folder.path(), "input.jsonl", lines.iter().rev().map(String::as_str).collect::<String>());
    std::fs::write(&output, format!("{partial}{}", &objects[7][..30])).expect("the output is writable");
    let after = output_of(&format!("{} --batch --resume", reversed.display()), &output);
    assert!(after.starts_with(&partial));
    let mut after: Vec<&str> = after.lines().collect();
    after.sort_unstable();
    assert_eq!(after, sorted);
    // Changes the instance of an id.
    let other = file(folder.path(), "other.jsonl", lines.concat().replace("(01).(01)", "(10).(10)"));
    std::fs::write(&output, &partial).expect("the output is writable");
    let ran = run_line(&format!("{} --batch --resume -o {}", other.display(), output.display()));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("does not match the id "), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&output).expect("the output exists"), partial);
}

#[test]
fn lines_with_ids_have_the_same_objects_in_any_partition_of_the_input() {
    let lines: Vec<String> =
        WITH_IDS.lines().filter(|line| line.contains("\"id\"")).map(|line| format!("{line}\n")).collect();
    let run_batch = |lines: &[String]| run_with_input("- --batch", &lines.concat()).out;
    let complete = run_batch(&lines);
    let parts = run_batch(&lines[..1]) + &run_batch(&lines[1..]);
    let without_times = |text: &str| -> Vec<Value> {
        let mut objects = objects(text);
        for object in &mut objects {
            object["statistics"].take();
        }
        objects
    };
    assert_eq!(complete.lines().count(), 4);
    assert_eq!(without_times(&complete), without_times(&parts));
}

/// Returns a board and variants of it with some clues removed.
fn variants(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(format!("instances/{name}.txt")).expect("an instance of that name");
    let is_clue = |sign: char| sign.is_ascii_digit() || "#*o".contains(sign);
    let title = text.find('\n').expect("the title has a line");
    let clues: Vec<usize> =
        text.char_indices().filter(|&(at, sign)| at > title && is_clue(sign)).map(|(at, _)| at).collect();
    let without = |left_out: &[usize]| {
        let signs = text.char_indices().map(|(at, sign)| if left_out.contains(&at) { '.' } else { sign });
        signs.collect::<String>()
    };
    let one_in = |number: usize| clues.iter().copied().skip(number % 3).step_by(number + 2).collect::<Vec<_>>();
    std::iter::once(text.clone()).chain((0..clues.len().min(6)).map(|number| without(&one_in(number)))).collect()
}

#[test]
fn boards_with_a_shared_ground_program_have_their_own_answers() {
    let line = |id: String, board: &str| format!("{}\n", serde_json::json!({ "id": id, "instance": board }));
    // Finds all solutions of boards with one; without clues there are millions.
    let mut lines = Vec::new();
    let mut unique_lines = Vec::new();
    let types = ["sudoku", "akari", "slither", "hitori", "masyu", "nurikabe", "yinyang"];
    for name in types.into_iter().take(if extent::is_complete() { types.len() } else { 3 }) {
        let variants = variants(name);
        lines.extend(variants.iter().enumerate().map(|(number, board)| line(format!("{name} {number}"), board)));
        unique_lines.extend((0..3).map(|copy| line(format!("{name} {copy}"), &variants[0])));
    }
    // Adds contradictory clues, a value that no board had before, and a board with few clues.
    let sudokus = ["11.......", "9........", "3...4...2"];
    let rows = |first: &str| format!("{first}\n{}", ".........\n".repeat(8));
    lines.extend(sudokus.iter().map(|first| line((*first).to_owned(), &format!("puzzle sudoku\n{}", rows(first)))));
    let comparable = |text: &str| -> Vec<Value> {
        let normalise = |mut object: Value| {
            drop((object["statistics"].take(), object["line"].take(), object["instance"].take()));
            object
        };
        objects(text).into_iter().map(normalise).collect()
    };
    for options in ["", "--unique", "-n 0", "-n 3"] {
        let lines = if options == "-n 0" { &unique_lines } else { &lines };
        let in_batch = comparable(&run_with_input(&format!("- --batch -t 1 {options}"), &lines.concat()).out);
        let alone =
            lines.iter().flat_map(|line| comparable(&run_with_input(&format!("- --batch -t 1 {options}"), line).out));
        let alone: Vec<Value> = alone.collect();
        assert_eq!(in_batch.len(), lines.len());
        for (in_batch, single) in in_batch.iter().zip(&alone) {
            assert_eq!(in_batch, single, "{options}");
        }
        let verdicts = |name: &str| in_batch.iter().filter(|object| object["verdict"] == name).count();
        assert!(verdicts("solved") > 3, "{options}");
        assert!(options == "-n 0" || verdicts("impossible") > 0, "{options}");
    }
}

/// Writes lines to standard input and reads each object as it is printed.
#[test]
fn an_encoding_saved_during_a_batch_does_not_change_its_results() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    let folder = folder();
    let shipped = std::fs::read_to_string("asp/puzzles/sudoku.lp").expect("an encoding");
    let of_puzzle = file(folder.path(), "asp/puzzles/sudoku.lp", &shipped);
    let named = file(folder.path(), "own.lp", "p(X) :- n(X). #show p/1.");
    let drawing = file(folder.path(), "draw.lp", "draw(found(1,X,1)) :- p(X).");
    let asp_dir = folder.path().join("asp").display().to_string();
    let board = "{\"id\":1,\"instance\":\"puzzle sudoku\\n1 2 3 4\\n3 4 1 2\\n2 1 4 .\\n4 3 . .\"}";
    let fact = "{\"id\":1,\"instance\":\"n(1).\"}";
    for (line, arguments, saved, text) in [
        (board, vec!["--asp-dir", &asp_dir, "-n", "0"], &of_puzzle, format!("{shipped}\n:- #true.\n")),
        (fact, vec!["-e", named.to_str().expect("UTF-8")], &named, "q(X) :- n(X). #show q/1.".to_owned()),
        (
            fact,
            vec!["-e", named.to_str().expect("UTF-8"), "--draw", drawing.to_str().expect("UTF-8")],
            &drawing,
            "syntax error".to_owned(),
        ),
    ] {
        std::fs::write(&named, "p(X) :- n(X). #show p/1.").expect("the file is writable");
        let mut child = command()
            .args(["-", "--batch", "--threads", "1"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut input = child.stdin.take().expect("the input is piped");
        let (sender, objects) = std::sync::mpsc::channel();
        let output = BufReader::new(child.stdout.take().expect("the output is piped"));
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut ask = |line: &str| {
            writeln!(input, "{line}").expect("the command reads its input");
            let object = objects.recv_timeout(PATIENCE).expect("the command prints an object");
            serde_json::from_str::<Value>(&object).expect("a line is an object")
        };
        let before = ask(line);
        assert!(before["answers"][0].is_object(), "{before}");
        std::fs::write(saved, text).expect("the file is writable");
        let after = ask(&line.replace("\"id\":1", "\"id\":2"));
        assert_eq!(before["answers"], after["answers"], "{}", saved.display());
        drop(input);
        assert_eq!(child.ended().code(), Some(0));
    }
}
