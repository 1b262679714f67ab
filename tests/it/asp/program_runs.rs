//! Tests runs of logic programs in every format, including the test programs of clingo.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::process::*;
use crate::support::{answers, file, folder, run, run_line, run_with_input};

/// Returns the answers as sorted lists of atoms.
fn atom_sets(program: &str, arguments: &str) -> Vec<Vec<String>> {
    let ran = run_with_input(&format!("- -f json {arguments}"), program);
    let mut sets: Vec<Vec<String>> = answers(&ran.json())
        .iter()
        .map(|answer| {
            let mut atoms: Vec<String> = answer["atoms"]
                .as_array()
                .expect("atoms")
                .iter()
                .map(|atom| atom.as_str().expect("text").to_owned())
                .collect();
            atoms.sort();
            atoms
        })
        .collect();
    sets.sort();
    sets
}

#[test]
fn standard_input_is_a_program() {
    assert_eq!(atom_sets("1 { a; b } 1.", "-n 0"), [["a"], ["b"]]);
    let ran = run_with_input("-", "p :- q(.");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("<stdin>:1:"), "{}", ran.err);
}

/// A directive is not read as a board, and brackets in it are not read as a burrow.
#[test]
fn a_directive_after_an_atom_is_not_read_as_a_burrow() {
    for program in ["a. #external p(1).", "a. #defined p/1. :- p(3).", "a. #external p(1). :- p(3)."] {
        assert_eq!(atom_sets(program, ""), [["a"]], "{program}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let folder = folder();
    let pipe = folder.path().join("pipe.lp");
    let status = command_of("mkfifo").arg(&pipe).finished().status;
    assert!(status.success());
    let writing = pipe.clone();
    let writer = std::thread::spawn(move || std::fs::write(writing, "a. b :- a.\n").expect("the pipe is read"));
    let ran = run([pipe.to_str().expect("UTF-8"), "-f", "json"]);
    writer.join().expect("the writer ends");
    assert_eq!(answers(&ran.json())[0]["atoms"], serde_json::json!(["a", "b"]), "{}", ran.err);
}

#[test]
fn huge_limits_are_no_limits() {
    let ran = run_with_input("- --time-limit 1e300 --memory-limit 18446744073709551615", "a.");
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn constants_are_taken_from_the_command_line() {
    assert_eq!(atom_sets("#const n = 1. p(1..n).", "-c n=2"), [["p(1)", "p(2)"]]);
}

#[test]
fn optimisation_prints_the_proven_optimum_and_improving_answers_only_on_request() {
    let program = "{ a(1..4) }. :- not a(1), not a(2). #minimize { X,X : a(X) }.";
    let optimum = serde_json::json!({ "atoms": ["a(1)"], "costs": [1], "optimal": true });
    let value = run_with_input("- -f json", program).json();
    assert_eq!(answers(&value), std::slice::from_ref(&optimum));
    assert_eq!(value["complete"], true);
    let value = run_with_input("- -f json -v", program).json();
    let [first, improvements @ ..] = answers(&value).as_slice() else { panic!("no answer: {value}") };
    assert_eq!(first, &optimum);
    assert!(!improvements.is_empty() && improvements.iter().all(|answer| answer["optimal"] == false), "{value}");
    let costs: Vec<i64> = improvements.iter().filter_map(|answer| answer["costs"][0].as_i64()).collect();
    assert!(costs.is_sorted() && costs[0] > 1, "the best comes first: {costs:?}");
    let text = run_with_input("-", program).out;
    assert_eq!(text, "Optimum\n  a(1)\n  cost 1\nOptimum found (proven): no answer costs less than 1.\n");
    let text = run_with_input("- -v", program).out;
    assert!(text.starts_with("Answer 1\n") && text.contains("Answer 2\n"), "{text}");
    assert!(text.ends_with("  cost 1\nOptimum found (proven): no answer costs less than 1.\n"), "{text}");
    assert_eq!(run_with_input("- -f lines", program).out, "a(1)\n");
    let text = run_with_input("- -n 1", program).out;
    assert!(text.starts_with("Answer 1\n") && text.ends_with("there may be better ones (-n 0 finds the best).\n"));
}

#[test]
fn maximised_values_are_printed_without_their_sign() {
    let program = "{ a(1..4) }. :- a(X), a(X+1). #maximize { X,X : a(X) }.";
    let text = run_with_input("-", program).out;
    assert_eq!(
        text,
        "Optimum\n  a(2) a(4)\n  value 6\nOptimum found (proven): no answer has a value of more than 6.\n"
    );
    let value = run_with_input("- -f json", program).json();
    let optimum = json!({ "atoms": ["a(2)", "a(4)"], "costs": [-6], "values": [6], "optimal": true });
    assert_eq!(*answers(&value), [optimum]);
    // clingo's own formats are unchanged.
    assert!(run_with_input("- -f asp", program).out.contains("\nOptimization: -6\nOPTIMUM FOUND\n"));
    // Drawn answers take another path.
    let drawn = format!("{program} draw(cell(1,X),X) :- a(X).");
    let text = run_with_input("-", &drawn).out;
    assert!(text.contains("  value 6, proven optimal\n"), "{text}");
    let mixed = "{ a(1..4) }. :- a(1..2). #maximize { X@2,X : a(X) }. #minimize { 1@1,X : a(X) }.";
    let text = run_with_input("-", mixed).out;
    let end = "  value 7, cost 2\nOptimum found (proven): no answer is better than value 7, cost 2.\n";
    assert!(text.ends_with(end), "{text}");
    let value = run_with_input("- -f json", mixed).json();
    assert_eq!((&answers(&value)[0]["costs"], &answers(&value)[0]["values"]), (&json!([-7, 2]), &json!([7, 2])));
    let native = run_with_input("- --engine native", mixed);
    assert!(native.out.ends_with(end), "{}{}", native.out, native.err);
}

#[test]
fn steps_without_an_answer_prove_nothing_about_later_steps() {
    let program = "#include <incmode>. #const imax = 3. #program check(t). :- query(t).";
    let ran = run_with_input("- -f json", program);
    assert_eq!((ran.code, &ran.json()["verdict"], &ran.json()["complete"]), (3, &json!("gave-up"), &json!(false)));
    assert!(run_with_input("-", program).out.contains("No answer in 3 steps."));
    assert_eq!(run_with_input("- -f asp", program).code, 20);
}

/// Returns programs with options of clingo and the output of clingo 5.8.3.
fn optimisation_cases() -> Vec<(String, Vec<String>, String, Value)> {
    let path = format!("{}/tests/data/optimisation.json", env!("CARGO_MANIFEST_DIR"));
    let data: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the data file is readable")).expect("JSON");
    let case = |case: &Value| {
        let name = case["program"].as_str().expect("a name");
        let options = case["options"].as_str().expect("options");
        let arguments = options.split(' ').filter(|option| !option.is_empty()).flat_map(|option| {
            if option.parse::<u32>().is_ok() {
                vec!["-n".to_owned(), option.to_owned()]
            } else {
                vec![format!("--clingo={option}")]
            }
        });
        let program = data["programs"][name].as_str().expect("a program").to_owned();
        (program, arguments.collect(), format!("{name}: {options}"), case.clone())
    };
    data["cases"].as_array().expect("cases").iter().map(case).collect()
}

#[test]
fn results_and_models_agree_with_clingo_in_every_optimisation_mode() {
    for (program, arguments, name, mut case) in optimisation_cases() {
        if case["models"]["More"] == "yes" {
            // Only clingo reports intermediate consequences.
            case["models"].as_object_mut().expect("an object").remove("Consequences");
            case["lines"].as_array_mut().expect("lines").retain(|line| !line.to_string().contains("Consequences"));
        }
        let ran = run_with_input(&format!("- -f asp {}", arguments.join(" ")), &program);
        let out = ran.out;
        let is_result = |line: &str| case["lines"][0] == line;
        let from = out.lines().position(is_result).unwrap_or_else(|| panic!("{name}: another result\n{out}"));
        let of_times = |line: &&str| ["Calls", "Time", "CPU Time"].iter().any(|start| line.starts_with(start));
        let lines: Vec<&str> = out.lines().skip(from).filter(|line| !line.is_empty() && !of_times(line)).collect();
        assert_eq!(json!(lines), case["lines"], "{name}");
        let is_found = if case["models"]["Number"] == 0 { 0 } else { 10 };
        let is_exhausted = if case["models"]["More"] == "no" { 20 } else { 0 };
        assert_eq!(ran.code, is_found + is_exhausted, "{name}");
        let value = run_with_input(&format!("- -f clingo-json {}", arguments.join(" ")), &program).json();
        assert_eq!((&value["Result"], &value["Models"]), (&case["lines"][0], &case["models"]), "{name}");
    }
}

#[test]
fn only_proven_results_are_called_optimal_complete_or_proven() {
    let cases = optimisation_cases();
    let mut table = String::new();
    for (program, arguments, name, _) in &cases {
        let json = run_with_input(&format!("- -f json {}", arguments.join(" ")), program);
        let value = json.json();
        let optimal_cases = cases.iter().filter(|case| &case.0 == program && case.3["options"] == "--opt-mode=optN 0");
        let least_costs = optimal_cases.map(|case| &case.3["models"]["Costs"]).next().unwrap_or(&Value::Null);
        let optimal = answers(&value).iter().filter(|answer| answer["optimal"] == true);
        assert!(
            optimal.clone().all(|answer| answer["costs"] == *least_costs || least_costs.is_null()),
            "{name}: {}",
            json.out
        );
        let text = run_with_input(&format!("- -q {}", arguments.join(" ")), program).out;
        table += &format!(
            "{name}\n    exit code {}, {}, complete {}, {} optimal\n    {}\n",
            json.code,
            value["verdict"].as_str().expect("a verdict"),
            value["complete"],
            optimal.count(),
            text.lines().last().expect("a last line")
        );
    }
    insta::assert_snapshot!(table);
}

#[test]
fn all_optima_are_found_on_request() {
    let sets = atom_sets("1 { a; b; c } 2. #minimize { 1,a : a; 1,b : b; 1,c : c }.", "-n 0 --opt-mode optN");
    for expected in [["a"], ["b"], ["c"]] {
        assert!(sets.iter().any(|set| set == &expected), "{sets:?}");
    }
}

#[test]
fn consequences_are_printed_as_one_answer() {
    let program = "1 { a; b } 1. c. d :- a. d :- b.";
    assert_eq!(atom_sets(program, "--enum-mode brave"), [["a", "b", "c", "d"]]);
    assert_eq!(atom_sets(program, "--enum-mode cautious"), [["c", "d"]]);
    let json = run_with_input("- -f json --enum-mode cautious", program).json();
    assert_eq!(json["consequences"], "cautious");
    assert_eq!(json["answers"], serde_json::json!([{"atoms": ["c", "d"]}]));
}

#[test]
fn projection_prints_each_answer_once() {
    assert_eq!(atom_sets("{ a; b }. #show a/0.", "-n 0 --project"), [vec![], vec!["a".to_owned()]]);
}

#[test]
fn answers_that_look_the_same_are_merged_by_projection() {
    let program = "{ a; b; c }. :- a, b. #show a/0. #show c/0. #show a : b.";
    let (a, c) = ("a".to_owned(), "c".to_owned());
    let mut sets = atom_sets(program, "-n 0 --project");
    sets.sort();
    assert_eq!(sets, [vec![], vec![a.clone()], vec![a, c.clone()], vec![c]]);
    let text = run_with_input("- -n 0 --project --check", program).out;
    assert!(
        text.ends_with("4 answers that look different, and no others (proven). Each answer has passed the check.\n"),
        "{text}"
    );
    assert!(text.contains("Answer 4") && !text.contains("Answer 5"), "{text}");
    assert!(run_with_input("- -n 0 --project -q", program).out.starts_with("4 answers that look different"));
    let lines = run_with_input("- -n 0 --project -f lines", program).out;
    assert_eq!(lines.lines().collect::<std::collections::BTreeSet<_>>().len(), lines.lines().count(), "{lines}");
    // The formats of clingo are unchanged, and without --project each answer set counts.
    assert!(run_with_input("- -n 0 --project -f asp", program).out.contains("Models       : 6\n"));
    assert!(run_with_input("- -n 0", program).out.contains("6 answers, and no others (proven)."));
    // Two of the optima look the same.
    let optima = format!("{program} #minimize {{ 1,c : c }}. :- not a, not b.");
    let text = run_with_input("- -n 0 --project --opt-mode optN", &optima).out;
    assert!(text.contains("No answer costs less") || text.contains("Optimum found"), "{text}");
}

#[test]
fn threads_find_the_same_answers() {
    assert_eq!(atom_sets("{ a(1..8) }.", "-n 0 --threads 2").len(), 256);
}

#[test]
fn externals_are_false_and_theory_atoms_are_unsupported() {
    assert_eq!(atom_sets("#external e. a :- not e.", "-n 0"), [["a"]]);
    let ran = run_with_input("-", "#theory t { x { + : 1, unary }; &p/0 : x, any }. a :- &p { 1 }.");
    assert!(ran.err.contains("theories are not supported"), "{}", ran.err);
}

#[test]
fn the_asp_format_is_that_of_clingo() {
    let ran = run_with_input("- -n 0 -f asp", "a.");
    let (major, minor, revision) = asp::version();
    let head = format!(
        "clingo version {major}.{minor}.{revision}\nReading from stdin\nSolving...\nAnswer: 1\na\nSATISFIABLE\n\nModels       : 1\nCalls        : 1\nTime         : "
    );
    assert!(ran.out.starts_with(&head), "{}", ran.out);
    assert_eq!(ran.code, 30);
    assert_eq!(run_with_input("- -f asp", "{a}.").code, 10);
    assert_eq!(run_with_input("- -f asp", "a. :- a.").code, 20);
    assert_eq!(run_with_input("- -f asp", "a :-").code, 65);
}

#[test]
fn clingraph_reads_the_clingo_json_format() {
    let ran = run_with_input(
        "- -n 0 -f clingo-json",
        "node(1). \"quoted\" .".replace("\"quoted\" .", "label(\"a \\\"b\\\"\").").as_str(),
    );
    let value = ran.json();
    assert_eq!(value["Result"], "SATISFIABLE");
    let atoms = value["Call"][0]["Witnesses"][0]["Value"].as_array().expect("atoms");
    assert!(atoms.contains(&"node(1)".into()) && atoms.contains(&"label(\"a \\\"b\\\"\")".into()), "{atoms:?}");
    assert_eq!(value["Models"]["Number"], 1);
    let none = run_with_input("- -f clingo-json", "a. :- a.");
    assert_eq!(none.json()["Result"], "UNSATISFIABLE");
    assert_eq!(none.code, 20);
    let optimum = run_with_input("- -f clingo-json", "{a}. #minimize { 1 : not a }.").json();
    assert_eq!(optimum["Result"], "OPTIMUM FOUND");
    assert_eq!(optimum["Models"]["Costs"], serde_json::json!([0]));
}

#[test]
fn exit_codes_depend_on_the_verdict() {
    assert_eq!(run_with_input("-", "a.").code, 0);
    assert_eq!(run_with_input("-", "a. :- a.").code, 1);
    assert_eq!(run_with_input("-", "a :-").code, 2);
}

#[test]
fn included_files_are_relative_to_the_includer_and_named_in_errors() {
    let folder = folder();
    let path = file(folder.path(), "main.lp", "#include \"part/more.lp\".\n");
    file(folder.path(), "part/more.lp", "a.\nb :- c(.\n");
    let ran = run([path]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("more.lp:2:8"), "{}", ran.err);
    assert!(ran.err.contains("b :- c(."), "the line is shown: {}", ran.err);
}

/// As in the clingo command, which reads each file once.
#[test]
fn a_file_given_or_included_twice_is_read_once() {
    let folder = folder();
    let constant = file(folder.path(), "constant.lp", "#const rate = 1. a.\n");
    let one = file(folder.path(), "one.lp", "#include \"constant.lp\". b(rate).\n");
    let other = file(folder.path(), "other.lp", "#include \"constant.lp\". c(rate).\n");
    for (files, atoms) in [
        (vec![&constant, &one], json!(["a", "b(1)"])),
        (vec![&one, &constant], json!(["a", "b(1)"])),
        (vec![&constant, &constant], json!(["a"])),
        (vec![&one, &other], json!(["a", "b(1)", "c(1)"])),
    ] {
        let arguments: Vec<&str> =
            files.iter().map(|path| path.to_str().expect("UTF-8")).chain(["-f", "json"]).collect();
        let ran = run(&arguments);
        let mut found: Vec<String> = serde_json::from_value(answers(&ran.json())[0]["atoms"].clone()).expect("atoms");
        found.sort();
        assert_eq!(json!(found), atoms, "{arguments:?}: {}", ran.err);
        assert!(
            ran.err.contains("already included file") && !ran.err.contains("<files>"),
            "{arguments:?}: {}",
            ran.err
        );
        let wrong = file(folder.path(), "wrong.lp", ":- a.\n");
        let names = files.iter().map(|path| path.to_str().expect("UTF-8")).chain([wrong.to_str().expect("UTF-8")]);
        let why = run(["why"].into_iter().chain(names));
        assert!(why.code == 0 && why.out.contains("constant.lp:1"), "{arguments:?}: {}{}", why.out, why.err);
    }
}

/// A file given under two names is read once, and its annotations apply.
#[test]
fn annotations_apply_to_a_file_given_under_two_names() {
    let folder = folder();
    let path = file(folder.path(), "a.lp", "%!trace_rule {\"never % \",X}.\n:- p(X).\np(1).\n");
    let path = path.to_str().expect("UTF-8");
    let other = path.replace("/a.lp", "/./a.lp");
    for files in [[path, &other], [&other, path]] {
        let why = run(["why", files[0], files[1], "--blame", "constraints"]);
        assert!(why.code == 0 && why.out.contains("never 1"), "{}{}", why.out, why.err);
    }
}

/// clingo has one answer for it, without atoms.
#[test]
fn a_file_of_comments_is_a_program() {
    let folder = folder();
    let comments = file(folder.path(), "comments.lp", "% Todo.\n%* all\nof it *%\n");
    let comments = comments.to_str().expect("UTF-8");
    let second_file = file(folder.path(), "more.lp", "a. :- b. { b }.\n");
    let ran = run([comments, "-n", "0", "-f", "json"]);
    let found = ran.json();
    assert_eq!((ran.code, answers(&found).len(), &answers(&found)[0]["atoms"]), (0, 1, &json!([])), "{}", ran.err);
    for files in [[comments, second_file.to_str().expect("UTF-8")], [second_file.to_str().expect("UTF-8"), comments]] {
        let ran = run([files[0], files[1], "-f", "json"]);
        assert_eq!(answers(&ran.json())[0]["atoms"], json!(["a"]), "{}", ran.err);
    }
    assert_eq!(run(["why", comments]).code, 1);
    let empty = file(folder.path(), "empty.lp", "");
    assert_eq!(run([empty.to_str().expect("UTF-8")]).code, 2);
}

/// Custom rules may use predicates such as `area`, so a file with a directive, names or choices
/// next to them is not a board.
#[test]
fn a_small_file_next_to_custom_rules_is_not_read_as_a_board() {
    let folder = folder();
    let rules = file(folder.path(), "rules.lp", "area(1..2). { q(X) } :- area(X), not b.\n");
    let rules = rules.to_str().expect("UTF-8");
    for (text, count) in [
        ("a. b.", 1),
        ("{ a; b }.", 10),
        ("#external b.", 4),
        ("#defined b/0.", 4),
        (":~ q(1). [1]", 0),
        ("#minimize { 1,X : q(X) }.", 0),
        ("#const n = 3.", 4),
    ] {
        let small = file(folder.path(), "small.lp", text);
        let ran = run([small.to_str().expect("UTF-8"), rules, "-n", "0", "-f", "json"]);
        let found = ran.json();
        assert_eq!(found["puzzle"], "program", "{text}: {}", ran.err);
        match count {
            0 => assert_eq!(answers(&found)[0]["optimal"], true, "{text}: {found:#}"),
            _ => assert_eq!(answers(&found).len(), count, "{text}: {found:#}"),
        }
    }
}

/// Many puzzles have cells and numbers.
#[test]
fn cells_and_numbers_with_other_facts_or_rules_are_not_minesweeper() {
    let facts = "number(1,4,12). area(1,1,1). cell(1,1). cell(1,2). goal(2,3).";
    assert_eq!(run_with_input("- -f json", facts).json()["puzzle"], "program");
    let folder = folder();
    let board = file(folder.path(), "board.lp", "cell(1,1..2). number(1,1,1).");
    let rules = file(folder.path(), "own.lp", "1 { target(X,Y) : cell(X,Y) } 1 :- number(R,C,N).");
    let puzzle = |files: &[&PathBuf]| {
        let files: Vec<&str> = files.iter().map(|path| path.to_str().expect("UTF-8")).chain(["-f", "json"]).collect();
        run(&files).json()["puzzle"].clone()
    };
    assert_eq!([puzzle(&[&board]), puzzle(&[&board, &rules])], ["minesweeper", "program"]);
}

#[test]
fn a_network_is_solved_by_an_encoding_given_as_a_second_file() {
    let ran = run_line("instances/deponia.lp asp/rail/no_gate.lp -n 0 -f json");
    assert_eq!(ran.json()["encoding"], serde_json::json!(["asp/rail/no_gate.lp", "asp/rail/railway.lp"]));
    assert_eq!(ran.json()["puzzle"], "rail");
    assert_eq!(answers(&ran.json()).len(), 8);
    let stuck = run_line("instances/deponia.lp asp/rail/no_gate.lp -n 0 -f json --outcome stuck");
    assert_eq!(answers(&stuck.json()).len(), 3);
}

/// Normalises an output as clingo's test runner does: the sorted answers of each step, and the
/// result.
fn normalise(out: &str) -> String {
    let mut lines = Vec::new();
    let mut current = Vec::<String>::new();
    let mut steps = 0;
    let mut ends = false;
    let mut takes = false;
    let mut result = "ERROR";
    for line in out.split('\n') {
        if std::mem::take(&mut ends) {
            if steps > 0 {
                lines.push(format!("Step: {steps}"));
                current.sort();
                lines.append(&mut current);
            }
            steps += 1;
            current.clear();
        }
        if std::mem::take(&mut takes) {
            let mut atoms: Vec<&str> = line.trim().split(' ').collect();
            atoms.sort_unstable();
            current.push(atoms.join(" "));
        } else if line.starts_with("Solving...") {
            ends = true;
        } else if line.starts_with("Answer: ") {
            takes = true;
        } else if let Some((_, name)) = [
            ("SATISFIABLE", "SAT"),
            ("UNSATISFIABLE", "UNSAT"),
            ("UNKNOWN", "UNKNOWN"),
            ("OPTIMUM FOUND", "OPTIMUM FOUND"),
        ]
        .into_iter()
        .find(|(word, _)| line.starts_with(word))
        {
            result = name;
            ends = true;
        }
    }
    lines.push(result.to_owned());
    lines.push(String::new());
    lines.join("\n")
}

/// Returns the folder of clingo's tests in the copy of clingo-sys that cargo unpacked.
fn clingo_test_folder() -> PathBuf {
    // Packages for other platforms may not be downloaded.
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = command_of(rustc).arg("-vV").finished().stdout;
    let version = String::from_utf8(version).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc prints its host");
    let output = command_of(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .finished();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let manifest = packages
        .iter()
        .find(|package| package["name"] == "clingo-sys")
        .and_then(|package| package["manifest_path"].as_str());
    PathBuf::from(manifest.expect("clingo-sys is a dependency")).with_file_name("clingo").join("app/clingo/tests")
}

#[test]
fn test_programs_of_clingo_have_their_answer_sets() {
    let mut tried = 0;
    for folder in ["lp", "lua", "python"] {
        let folder = clingo_test_folder().join(folder);
        for entry in std::fs::read_dir(&folder).expect("clingo-sys carries clingo's tests") {
            let path = entry.expect("an entry can be read").path();
            let Ok(expected) = std::fs::read_to_string(path.with_extension("sol")) else { continue };
            if path.extension().is_none_or(|extension| extension != "lp")
                || std::fs::read_to_string(&path).expect("text").contains("#script")
            {
                continue;
            }
            let options = std::fs::read_to_string(path.with_extension("cmd")).unwrap_or_default();
            let options = options.split_whitespace().map(|option| format!("--clingo={option}"));
            let arguments =
                [path.display().to_string(), "-n".to_owned(), "0".to_owned(), "-f".to_owned(), "asp".to_owned()];
            let ran = run(arguments.into_iter().chain(options));
            assert_eq!(normalise(&ran.out), expected, "{}\n{}", path.display(), ran.err);
            tried += 1;
        }
    }
    assert!(tried >= 8, "only {tried} programs were found");
}

#[test]
fn a_fact_of_letters_and_digits_is_not_read_as_a_burrow() {
    for program in ["a(1).", "b(1..3).", "ab(cd).", "a(f(1)). b(2)."] {
        let ran = run_with_input("- -f json", program);
        assert_eq!((ran.code, &ran.json()["puzzle"]), (0, &"program".into()), "{program}: {}", ran.err);
    }
    for program in ["a. b(", "a.\nb.\nc(", "a. b(a). d", "b(1). c(2"] {
        let ran = run_with_input("-", program);
        assert!(ran.code == 2 && ran.err.contains("syntax error"), "{program}: {}", ran.err);
    }
    let ran = run_with_input("- -c n=4294967301", "p(1..n).");
    assert!(ran.code == 2 && ran.err.contains("32 bits"), "{}", ran.err);
}

#[test]
fn control_characters_are_printed_visibly() {
    for color in ["always", "never"] {
        let ran = run_with_input(&format!("- --color {color}"), "a(\"\u{1b}[8mhidden\u{7}\").");
        assert!(ran.out.contains("␛[8mhidden␇"), "{}", ran.out);
        assert!(!ran.out.contains("\u{1b}[8m") && !ran.out.contains('\u{7}'), "{}", ran.out);
    }
    let railway = "start(\"\u{1b}[8ma\"). target(t). color(\"\u{1b}[8ma\",red). rel(\"\u{1b}[8ma\",1,t). rel(\"\u{1b}[8ma\",2,t).";
    for format in ["text", "svg", "html"] {
        let ran = run_with_input(&format!("- -n 0 --color always -f {format}"), railway);
        assert!(ran.code == 0 && ran.out.contains("␛[8ma"), "{format}: {}{}", ran.out, ran.err);
        assert!(!ran.out.contains("\u{1b}[8m"), "{format}: {}", ran.out);
    }
    let ran = run_with_input("- -f asp", "a(\"\u{1b}[8m\").");
    assert!(ran.out.contains('\u{1b}'), "clingo's own format is clingo's");
}

/// Formats of clingo have clingo's exit codes: 10 for several answers, 30 for one, 20 for none.
#[test]
fn unique_works_in_every_format() {
    let programs = [
        ("{a}.", 1, 30, "More than one solution (proven).", Some(false)),
        ("{a}. :- a.", 0, 30, "One solution (proven).", Some(true)),
        ("a. :- a.", 1, 20, "There is no solution (proven).", Some(false)),
        // If answers have costs, `--unique` asks for a unique optimum.
        ("{a}. #minimize{1:a}.", 0, 30, "One optimum (proven).", Some(true)),
        ("1{a;b;c}1. #minimize{1:a;1:b;2:c}.", 1, 10, "More than one optimum (proven).", Some(false)),
        // The same holds if answers are drawn.
        (
            "{a}. draw(cell(1,1),1) :- a. draw(cell(1,1),2) :- not a.",
            1,
            30,
            "More than one solution (proven).",
            Some(false),
        ),
        ("a. draw(cell(1,1),1).", 0, 30, "One solution (proven).", Some(true)),
    ];
    for (program, code, clingos, words, unique) in programs {
        for format in ["text", "json", "lines", "asp", "clingo-json", "svg", "html"] {
            let is_drawn = program.contains("draw");
            if !is_drawn && ["svg", "html"].contains(&format) {
                continue;
            }
            let ran = run_with_input(&format!("- --unique -f {format}"), program);
            let is_clingo = ["asp", "clingo-json"].contains(&format);
            assert_eq!(ran.code, if is_clingo { clingos } else { code }, "{program} {format}: {}{}", ran.out, ran.err);
            match format {
                "text" => assert!(ran.out.contains(words), "{program}: {}", ran.out),
                "json" => assert_eq!(ran.json()["unique"], unique.map_or(Value::Null, Value::from), "{program}"),
                _ => {}
            }
        }
        if program.contains("minimize") {
            let one = format!("{program} #const asked = 1.");
            let certified = run_with_input("- --unique --certify -f json", &one).json();
            assert_eq!(certified["certificate"]["of"], "no other", "{certified}");
            let only_optima =
                certified["answers"].as_array().expect("answers").iter().all(|one| one["optimal"] == true);
            assert!(only_optima, "{certified}");
            let output = run_with_input("- --unique --opt-mode opt", program);
            assert_eq!(output.code, 3, "{}", output.out);
        }
        let quiet = run_with_input("- --unique -q", program);
        assert_eq!((quiet.code, quiet.out.contains(words)), (code, true), "{program}: {}", quiet.out);
    }
}

#[test]
fn undefined_predicates_are_reported_with_a_similar_name() {
    for (program, expected) in [
        (
            "color(red). node(1..2). { c(N,C) : colour(C) } = 1 :- node(N).",
            Some("colour/1 is defined nowhere (did you mean color?)"),
        ),
        ("edge(1,2). p(X) :- edge(X).", Some("edge/1 is defined nowhere; there is edge/2")),
        ("-color(1). p(X) :- -colour(X).", Some("-colour/1 is defined nowhere (did you mean -color?)")),
        ("a. p :- not something.", None),
        // These names denote different things.
        ("_fluent(X) :- fluent(X).", None),
        ("models(N) :- N = #count { X : model(X) }.", None),
        ("precondition(1). p :- postcondition(1).", None),
        ("position(1) :- positionX(1).", None),
        // The predicate has other atoms.
        ("a. { seats(2) }. seatt(1) :- a. :- seats(1), a.", None),
    ] {
        let ran = run_with_input("-", program);
        assert!(ran.err.contains("atom does not occur in any rule head"), "{program}: {}", ran.err);
        assert_eq!(
            expected.is_some_and(|expected| ran.err.contains(expected)),
            ran.err.contains("help"),
            "{program}: {}",
            ran.err
        );
        assert_eq!(ran.err.contains("help"), expected.is_some(), "{program}: {}", ran.err);
    }
}
