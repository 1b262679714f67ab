//! Tests parts of a run: games and instances from a number on, and merged reports.

use serde_json::{Value, json};

use crate::support::{RunOutput, file, folder, run_line, run_with_input};

const GAMES: &str = "play minesweeper --size 8x8 --mines 10 --seed 7 -f json";

fn without_times(mut report: Value) -> Value {
    for key in ["seconds", "seconds_per_game"] {
        assert!(report[key].take().is_number(), "{key}");
    }
    report
}

fn run_merge(reports: &str) -> RunOutput {
    run_with_input("merge - -f json", reports)
}

#[test]
fn parts_of_a_run_are_merged_in_any_order() {
    for options in ["", "--strategy article", "--start opening"] {
        let played = |from: u64, games: u64| run_line(&format!("{GAMES} {options} --from {from} --games {games}")).out;
        let complete = run_line(&format!("{GAMES} {options} --games 90")).json();
        // Compares the order of keys too.
        let keys =
            |report: &Value| Vec::from_iter(report.as_object().into_iter().flatten().map(|(key, _)| key.clone()));
        assert_eq!(keys(&run_merge(&complete.to_string()).json()), keys(&complete));
        assert_eq!(complete["played"], json!([{ "seed": 7, "from": 0, "games": 90 }]));
        let complete = without_times(complete);
        for cuts in [&[0, 90][..], &[0, 1, 90], &[0, 40, 40, 75, 90]] {
            let mut parts: Vec<String> = cuts.windows(2).map(|cut| played(cut[0], cut[1] - cut[0])).collect();
            parts.reverse();
            assert_eq!(without_times(run_merge(&parts.concat()).json()), complete, "{cuts:?}");
        }
        // The order of merging does not matter.
        let [first, second, third] = [(0, 30), (30, 50), (80, 10)].map(|(from, games)| played(from, games));
        let left = run_merge(&(run_merge(&(first.clone() + &third)).out + &second)).json();
        let right = run_merge(&(first + &run_merge(&(second + &third)).out)).json();
        assert_eq!(without_times(left), complete);
        assert_eq!(without_times(right), complete);
    }
}

#[test]
fn reports_of_several_seeds_and_files_are_merged_in_text_and_json() {
    let folder = folder();
    let one = run_line(&format!("{GAMES} --games 20")).out;
    let other = run_line(&format!("{} --from 5 --games 10", GAMES.replace("--seed 7", "--seed 8"))).out;
    let third = run_line(&format!("{GAMES} --from 30 --games 10")).out;
    let sum: u64 = [&one, &other, &third]
        .map(|text| serde_json::from_str::<Value>(text).expect("a report")["wins"].as_u64().expect("wins"))
        .iter()
        .sum();
    let lines = [&other, &third].map(|text| text.replace('\n', "") + "\n").concat();
    let first = file(folder.path(), "first.json", &one);
    let rest = file(folder.path(), "rest.jsonl", lines);
    let ran = run_line(&format!("merge {} {} -f json", first.display(), rest.display()));
    let report = ran.json();
    assert_eq!((&report["games"], &report["wins"], &report["seed"]), (&40.into(), &sum.into(), &Value::Null));
    let range = |seed, from, games| json!({ "seed": seed, "from": from, "games": games });
    assert_eq!(report["played"], json!([range(7, 0, 20), range(7, 30, 10), range(8, 5, 10)]));
    let output = folder.path().join("sum.txt");
    let ran = run_line(&format!("merge {} {} -o {}", first.display(), rest.display(), output.display()));
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    let text = std::fs::read_to_string(output).expect("the output exists");
    assert!(text.starts_with(&format!("{sum} of 40 games won: ")), "{text}");
    let parts = [&one, &one].map(|text| serde_json::from_str::<Value>(text).expect("a report")["seconds"].as_f64());
    assert!(report["seconds"].as_f64() > parts[0]);
}

#[test]
fn incompatible_reports_are_rejected_with_file_and_key() {
    let folder = folder();
    let good: Value = serde_json::from_str(&run_line(&format!("{GAMES} --games 10")).out).expect("a report");
    let first = file(folder.path(), "first.json", good.to_string());
    let changed = |key: &str, value: Value| {
        let mut report = good.clone();
        report["played"][0]["from"] = 10.into();
        *report.pointer_mut(key).expect("the key exists") = value;
        report.to_string()
    };
    let with_value = |key: &str, value: Value| {
        let mut report = good.clone();
        report[key] = value;
        report.to_string()
    };
    for (text, expected) in [
        (changed("/strategy", "article".into()), "\"strategy\" is \"article\", but \"best\" in"),
        (changed("/start", "opening".into()), "\"start\" is \"opening\", but \"safe\" in"),
        (changed("/columns", 9.into()), "\"columns\" is 9, but 8 in"),
        (changed("/mines", 9.into()), "\"mines\" is 9"),
        (changed("/schema", 2.into()), "\"schema\" is 2"),
        (changed("/puzzle", "rail".into()), "\"puzzle\" is \"rail\""),
        (changed("/played/0/from", 9.into()), "\"played\" has game 9 of seed 7, and so does"),
        (good.to_string(), "\"played\" has game 0 of seed 7, and so does"),
        (changed("/played", json!([])), "\"played\" has 0 games, but \"games\" is 10"),
        (changed("/played/0/from", u64::MAX.into()), "\"played\""),
        (changed("/played/0/seed", "x".into()), "\"played\" is not a list of games"),
        (changed("/games", (-1).into()), "\"games\" is missing or not a valid number"),
        (changed("/wins", 11.into()), "\"wins\" is more than"),
        (changed("/wins", u64::MAX.into()), "\"wins\" is missing or not a valid number"),
        (changed("/clicks/csp", Value::Null), "\"clicks.csp\""),
        (changed("/guesses", 1_000_000.into()), "\"guesses\" is not"),
        (changed("/seconds", "long".into()), "\"seconds\""),
        (with_value("window", "xdemineur".into()), "\"window\" is present"),
        (with_value("colour", 1.into()), "\"colour\" is not a key"),
        ("{}".to_owned(), "\"schema\" is missing"),
        ("[1]".to_owned(), "\"schema\" is missing"),
        ("{".to_owned(), "invalid JSON"),
        (" \n".to_owned(), "contains no report"),
    ] {
        let second = file(folder.path(), "second.json", &text);
        let ran = run_line(&format!("merge {} {}", first.display(), second.display()));
        assert_eq!(ran.code, 2, "{text}: {}", ran.out);
        assert!(ran.err.contains("second.json") && ran.err.contains(expected), "{text}: {}", ran.err);
    }
    for (key, value) in [("schema", json!(2)), ("rows", json!("x")), ("mines", json!(-3)), ("seconds", json!(-5))] {
        let ran = run_merge(&with_value(key, value));
        assert_eq!(ran.code, 2, "{key}: {}", ran.out);
        assert!(ran.err.contains(&format!("\"{key}\"")), "{}", ran.err);
    }
    // A report merged with itself is named by its position.
    let ran = run_merge(&format!("{good}\n{good}\n"));
    assert!(ran.err.contains("<stdin>, report 2") && ran.err.contains("<stdin>, report 1"), "{}", ran.err);
    for (line, expected) in [
        ("merge", "REPORT"),
        ("merge no-such.json", "no-such.json: no such file"),
        ("merge instances/mine.json", "\"puzzle\" is null"),
        ("merge - -", "once"),
        ("merge instances/mine.json -f svg", "text, json"),
        ("play minesweeper --from 1 --window xdemineur", "--window"),
        ("play minesweeper --from 18446744073709551615", "--from"),
    ] {
        let ran = run_line(line);
        assert_eq!(ran.code, 2, "{line}");
        assert!(ran.err.contains(expected), "{line}: {}", ran.err);
    }
}

#[test]
fn generating_from_a_number_continues_the_same_series() {
    for maker in
        ["minesweeper --level beginner --no-guess", "minesweeper --size 5x4 --mines 5", "rail --forks 6 --gates 1"]
    {
        let (all, parts) = (folder(), folder());
        let name = |folder: &tempfile::TempDir| folder.path().join("{n}.lp").display().to_string();
        assert_eq!(run_line(&format!("generate {maker} --count 5 --seed 3 -o {}", name(&all))).code, 0);
        for options in ["--count 2", "--from 2", "--from 3 --count 2"] {
            assert_eq!(run_line(&format!("generate {maker} --seed 3 {options} -o {}", name(&parts))).code, 0);
        }
        for number in 1..=5 {
            let text = |folder: &tempfile::TempDir| std::fs::read_to_string(folder.path().join(format!("{number}.lp")));
            assert_eq!(
                text(&all).expect("generated in one run"),
                text(&parts).expect("generated in parts"),
                "{maker}: {number}"
            );
        }
    }
}
