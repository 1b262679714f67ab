//! Many instances in one file.

use serde_json::Value;

use crate::support::{file, folder, run, run_line, run_with_input};

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

/// Instances of three puzzles, blank lines and bad ones.
const MIXED: &str = "..(10).(23).(12).(30)..\n\n1 2 3 4/5 6 7 8/9 10 11 12/13 14 . 15\n1 2 2 .\n{\"start\": 1, \"moves\": [\"n+1\"], \"goal\": [4]}\nhello\n2 1 3 .\n";

#[test]
fn objects_come_in_the_order_of_the_lines_whatever_the_threads() {
    for threads in [1, 2, 7] {
        let ran = run_with_input(&format!("- --batch --threads {threads}"), MIXED);
        assert_eq!(ran.code, 2, "two lines are bad");
        assert!(ran.err.contains("2 lines are no instance"), "{}", ran.err);
        let objects = objects(&ran.out);
        let lines: Vec<u64> = objects.iter().map(|object| object["line"].as_u64().expect("a number")).collect();
        assert_eq!(lines, [1, 3, 4, 5, 6, 7]);
        assert_eq!(objects[0]["answers"][0]["energy"], 12521);
        assert_eq!(objects[1]["answers"][0]["moves"], "L");
        assert_eq!(objects[2]["error"], "column 5: tile 2 is there twice");
        assert_eq!(objects[3]["answers"][0]["depth"], 3);
        assert!(objects[4]["error"].is_string());
        assert_eq!(objects[5]["verdict"], "impossible");
    }
}

#[test]
fn a_batch_goes_on_where_it_was_broken_off() {
    let folder = folder();
    let input = file(folder.path(), "boards.txt", MIXED);
    let output = folder.path().join("out.jsonl");
    let arguments = format!("{} --batch -o {}", input.display(), output.display());
    run_line(&arguments);
    let whole = std::fs::read_to_string(&output).expect("the output is there");
    // Three objects, and half of the fourth.
    let third = whole.match_indices('\n').nth(2).expect("there are more").0 + 1;
    std::fs::write(&output, &whole[..third + 20]).expect("the output can be written");
    let ran = run_line(&format!("{arguments} --resume"));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&output).expect("the output is there"), whole);
    let again = run_line(&format!("{arguments} --resume"));
    assert_eq!(again.code, 0, "nothing is left to do: {}", again.err);
    assert_eq!(std::fs::read_to_string(&output).expect("the output is there"), whole);
    std::fs::write(&output, "something else\n").expect("the output can be written");
    let ran = run_line(&format!("{arguments} --resume"));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is no object of a batch"), "{}", ran.err);
}

#[test]
fn the_time_limit_is_for_each_line() {
    let hard = "1 24 3 22 5/20 7 18 9 16/11 14 13 12 15/10 17 8 19 6/21 4 23 2 0";
    let input = format!("{hard}\n1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15\n{hard}\n");
    let ran = run_with_input("- --batch --heuristic manhattan --time-limit 0.3 --threads 1", &input);
    let objects = objects(&ran.out);
    assert_eq!(objects.len(), 3);
    assert_eq!(objects[1]["verdict"], "solved");
    for object in [&objects[0], &objects[2]] {
        assert!(object["verdict"] != "solved", "{object}");
    }
}

#[test]
fn what_does_not_fit_a_line_is_said() {
    let ran = run_with_input("- --batch", "a :- b.\n");
    assert_eq!(ran.code, 2);
    assert!(objects(&ran.out)[0]["error"].as_str().is_some_and(|error| error.contains("does not fit a line")));
    let ran = run(["instances/amphipod_article.txt", "instances/amphipod_midway.txt", "--batch"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("one file at a time"), "{}", ran.err);
    let ran = run_line("instances/amphipod_article.txt --resume");
    assert_eq!(ran.code, 2);
}

#[test]
fn a_long_file_goes_through_with_little_memory() {
    let line = "..(10).(01)..\n";
    let ran = run_with_input("- --batch", &line.repeat(20_000));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 20_000);
    assert!(ran.out.lines().last().is_some_and(|line| line.starts_with("{\"line\":20000,")));
}
