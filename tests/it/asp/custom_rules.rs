//! Tests that custom rules are followed and their results never called proven, and that copies of
//! built-in rules are recognised in any file.

use serde_json::Value;

use crate::support::{RunOutput, answers, file, folder, run, run_with_input};

fn built_in_encoding(path: &str) -> String {
    std::fs::read_to_string(format!("asp/{path}")).expect("an encoding that ships")
}

/// Returns an encoding after replacements; every text to be replaced must occur.
fn edited_encoding(path: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(built_in_encoding(path), |text, (from, to)| {
        assert!(text.contains(from), "{path} has no {from}");
        text.replace(from, to)
    })
}

/// Runs with a custom encoding.
fn run_with_encoding(encoding: &str, arguments: &str) -> RunOutput {
    let folder = folder();
    let path = file(folder.path(), "mine.lp", encoding);
    run(arguments.split_whitespace().chain(["-e", path.to_str().expect("UTF-8")]))
}

const CARRIES: &str = "pointing(C,L,T+1)  :- pointing(C,L,T), not moved(C,T), path(_,T+1).";
const WINS: &str = "game(win,T)   :- path(N,T), target(N).";
const MOVES: &str = "moved(C,T)         :- path(N,T), side(G,N), gate_color(G,C).";

#[test]
fn a_mistake_in_an_encoding_is_never_a_proof() {
    let rail = "rail/dynamic_gate.lp";
    let cases = [
        (edited_encoding(rail, &[(CARRIES, "")]), "72 of 72 configurations have no trip", 2),
        (built_in_encoding(rail) + ":- path(_,1).\n", "72 of 72 configurations have no trip", 1),
        (edited_encoding(rail, &[(WINS, "")]), "4 of 72 configurations have no trip", 2),
        (edited_encoding(rail, &[(":- enter(N).", ":- entered(N).")]), "72 of 72 configurations have no trip", 2),
        (
            edited_encoding(rail, &[("moved(C,T)         :-", "moved(C)           :-")]),
            "63 lose and 9 cycle; none wins (by the rules of ",
            1,
        ),
        (built_in_encoding("rail/states.lp") + &built_in_encoding("rail/expanded.lp"), "expected gate_color/2", 2),
    ];
    for (encoding, words, code) in cases {
        for arguments in ["instances/deponia.lp", "instances/deponia.lp -n 0", "instances/deponia.lp -n 0 -f json"] {
            let ran = run_with_encoding(&encoding, arguments);
            let output = format!("{}{}", ran.out, ran.err);
            assert_eq!(ran.code, code, "{arguments}: {output}");
            assert!(!output.contains("proven"), "{arguments}: {output}");
            assert!(!output.contains("accounted for: "), "{arguments}: {output}");
            if !arguments.ends_with("json") {
                assert!(output.contains(words), "{arguments}: {output}");
                assert!(output.contains("mine.lp"), "{arguments}: {output}");
            } else if code < 2 {
                assert_eq!(ran.json()["rules"], "custom");
            }
        }
    }
}

#[test]
fn custom_rules_work_in_every_format() {
    let rail = "rail/dynamic_gate.lp";
    let all_levers = edited_encoding(rail, &[(MOVES, "moved(C,T)         :- path(N,T), side(_,N), lever(C).")]);
    let no_red_gate = built_in_encoding(rail) + ":- gate_color(_,red).\n";
    let only_wins = built_in_encoding(rail) + ":- not game(win,_).\n";
    let red_is_one = built_in_encoding(rail) + ":- initial(red,2).\n";
    for (encoding, counts, code) in [
        (&all_levers, [0, 72, 0], 1),
        (&no_red_gate, [0, 32, 40], 1),
        (&only_wins, [4, 0, 68], 0),
        (&red_is_one, [1, 35, 36], 0),
    ] {
        let ran = run_with_encoding(encoding, "instances/deponia.lp -n 0 --outcome any -f json");
        assert_eq!(ran.code, 0, "{}", ran.err);
        let value = ran.json();
        let configurations = &value["statistics"]["configurations"];
        let [wins, losses, missing] = counts;
        assert_eq!(configurations["win"], wins.to_string());
        assert_eq!(configurations["loss"], losses.to_string());
        assert_eq!(answers(&value).len(), wins + losses);
        assert_eq!(wins + losses + missing, 72);
        assert_eq!((&value["rules"], &value["complete"]), (&"custom".into(), &true.into()));
        for format in ["text", "svg", "html", "lines", "dot"] {
            let ran = run_with_encoding(encoding, &format!("instances/deponia.lp -n 0 -f {format}"));
            // A page always contains all trips.
            assert_eq!(ran.code, if format == "html" { 0 } else { code }, "{format}: {}", ran.err);
            assert!(ran.err.is_empty() && !ran.out.contains("proven"), "{format}: {}{}", ran.err, ran.out);
        }
        let text = run_with_encoding(encoding, "instances/deponia.lp -n 0").out;
        assert!(text.lines().next().is_some_and(|line| line.contains("by the rules of ")), "{text}");
    }
    // The text also describes the effect of gates by the custom encoding.
    let ran = run_with_encoding(&all_levers, "instances/deponia.lp --configuration 211RR");
    assert!(ran.out.contains("red 2→1") && ran.out.contains("green 1→2"), "{}", ran.out);
}

#[test]
fn trips_follow_custom_rules() {
    // With these rules the trolley breaks down in step 12.
    let breakdown = edited_encoding(
        "rail/dynamic_gate.lp",
        &[
            ("last_step(H), T < H.", "last_step(H), T < H, T < 12."),
            ("game(cycle,T) :-", "game(loss,12) :- path(N,12), not end(N).\ngame(cycle,T) :-"),
        ],
    );
    let value = run_with_encoding(&breakdown, "instances/deponia.lp -n 0 --outcome any -f json").json();
    assert_eq!(value["statistics"]["configurations"]["win"], "3");
    let lost =
        answers(&value).iter().find(|answer| answer["configuration"] == "112RV").expect("the configuration is listed");
    assert_eq!((&lost["outcome"], &lost["steps"]), (&"loss".into(), &12.into()));
    // The encoding decides which trips are cycles.
    let value =
        run_with_encoding(&(built_in_encoding("rail/dynamic_gate.lp") + "mine.\n"), "instances/cycle.lp -n 0 -f json")
            .json();
    assert!(answers(&value).iter().any(|answer| answer["outcome"] == "cycle"), "{value}");
    assert_eq!(value["rules"], "custom");
}

#[test]
fn violations_of_the_contract_name_the_configuration() {
    for (edit, words) in [
        ((CARRIES, "pointing(C,L,T+1) :- pointing(C,L,T), path(_,T+1)."), "one node in each step"),
        (("#show game/2.", "#show game/2. #show path(nowhere,T) : path(_,T)."), "an error"),
    ] {
        let ran = run_with_encoding(&edited_encoding("rail/dynamic_gate.lp", &[edit]), "instances/deponia.lp -n 0");
        if words != "an error" {
            assert!(ran.err.contains("configuration ") && ran.err.contains(words), "{}", ran.err);
        }
        assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    }
}

#[test]
fn copies_of_built_in_rules_are_recognised() {
    let commented =
        "% My copy.\n".to_owned() + &built_in_encoding("rail/dynamic_gate.lp").replace("%%% Generate", "% generate");
    let ran = run_with_encoding(&commented, "instances/deponia.lp -n 0");
    assert!(ran.out.contains("All configurations are accounted for: 24"), "{}{}", ran.out, ran.err);
    assert_eq!(run_with_encoding(&commented, "instances/deponia.lp -f json").json()["rules"], "shipped");
    let ran = run_with_encoding(
        &built_in_encoding("rail/no_gate.lp"),
        "instances/deponia.lp --engine simulation -n 0 -f json",
    );
    let trips = ran.json()["statistics"]["trips"].clone();
    let number: u64 = ["win", "loss", "stuck"].iter().filter_map(|outcome| trips[outcome].as_u64()).sum();
    assert_eq!(number, 8, "{}", ran.err);
}

#[test]
fn rules_in_an_instance_are_custom_rules_for_every_engine() {
    let folder = folder();
    let path = file(folder.path(), "extra.lp", ":- initial(red,2).\n");
    let extra = path.to_str().expect("UTF-8");
    let ran = run(["instances/deponia.lp", extra, "-n", "0"]);
    assert!(
        ran.out.starts_with("Of 72 configurations, 1 wins, 35 lose and 36 have no trip; none cycles (by the rules of "),
        "{}",
        ran.out
    );
    for engine in ["simulation", "backward"] {
        let ran = run(["instances/deponia.lp", extra, "-n", "0", "--engine", engine]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("extra.lp"), "{}", ran.err);
    }
    // Files that clingo includes are not analysed, so they count as custom rules.
    let path = file(folder.path(), "includes.lp", "#include \"extra.lp\".\n");
    let ran = run(["instances/deponia.lp", path.to_str().expect("UTF-8"), "-n", "0"]);
    assert!(
        ran.out.starts_with("Of 72 configurations, 1 wins, 35 lose and 36 have no trip; none cycles (by the rules of "),
        "{}",
        ran.out
    );
    // `not` in a head is a constraint, and facts for a predicate of the encoding are not part of a
    // board.
    let path = file(folder.path(), "not.lp", "not path(b,2).\n");
    let ran = run(["instances/deponia.lp", path.to_str().expect("UTF-8"), "-n", "0", "-f", "json"]);
    assert_eq!(ran.json()["rules"], "custom", "{}", ran.err);
    assert_eq!(ran.json()["statistics"]["configurations"]["loss"].as_str().map(|losses| losses != "68"), Some(true));
    let path = file(folder.path(), "board.lp", "cell(1,1..4). number(1,1,1). mines(1). uncounted.\n");
    let ran = run([path.to_str().expect("UTF-8"), "-f", "json"]);
    assert_eq!((&ran.json()["rules"], &ran.json()["engine"]), (&"custom".into(), &"asp".into()), "{}", ran.err);
    // Facts derived by rules count as facts.
    let path = file(folder.path(), "more.lp", "number(1..2). final_node(N) :- target(N), number(2).\n");
    let ran = run(["instances/deponia.lp", path.to_str().expect("UTF-8"), "-n", "0", "-f", "json"]);
    assert_eq!(ran.json()["rules"], "shipped", "{}", ran.err);
}

#[test]
fn solutions_by_custom_rules_are_not_called_proven() {
    let delayed =
        edited_encoding("taquin/sliding.lp", &[(":- query(t), goal", ":- query(t), t < 3.\n:- query(t), goal")]);
    let ran = run_with_encoding(&delayed, "instances/taquin_one.txt");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("no solution is shorter by the rules of ") && !ran.out.contains("proven"), "{}", ran.out);
    let maximised = edited_encoding("amphipod/burrow.lp", &[("#minimize", "#maximize")]);
    let ran = run_with_encoding(&maximised, "instances/amphipod_swap.txt");
    assert!(
        ran.out.starts_with("Everyone gets home for 196 units of energy, the best by the rules of "),
        "{}{}",
        ran.out,
        ran.err
    );
    // Tiles may jump and amphipods may pass each other, so solutions are not replayed by the
    // built-in rules.
    let jumping = edited_encoding("taquin/sliding.lp", &[("|R-R'| + |C-C'| = 1", "|R-R'| + |C-C'| < 9")]);
    let swapped = run_with_input("- --engine asp", "1 2 3\n4 5 6\n8 7 0\n");
    assert_eq!(swapped.code, 1, "{}", swapped.out);
    let folder = folder();
    let board = file(folder.path(), "b.txt", "1 2 3\n4 5 6\n8 7 0\n");
    let encoding = file(folder.path(), "m.lp", jumping);
    for format in ["text", "json", "svg", "html"] {
        let board = board.to_str().expect("UTF-8");
        let encoding = encoding.to_str().expect("UTF-8");
        let ran = run([board, "-e", encoding, "-v", "-f", format]);
        assert_eq!(ran.code, 0, "{format}: {}", ran.err);
        assert!(!ran.out.contains("proven"), "{}", ran.out);
    }
}

#[test]
fn minesweeper_accepts_custom_neighbors() {
    let ran = run([
        "instances/minesweeper.txt",
        "-e",
        "minesweeper/layout.lp",
        "-e",
        "asp/minesweeper/torus.lp",
        "-f",
        "json",
    ]);
    assert_eq!(ran.json()["rules"], "shipped", "{}", ran.err);
    let folder = folder();
    let rook = "neighbor(R,C,R+DR,C+DC) :- number(R,C,_), DR = -1..1, DC = -1..1, |DR|+|DC| = 1, closed(R+DR,C+DC).\n";
    let path = file(folder.path(), "rook.lp", rook);
    let path = path.to_str().expect("UTF-8");
    let ran = run(["instances/minesweeper_facts.lp", "-e", "minesweeper/layout.lp", "-e", path, "-f", "json"]);
    assert_eq!(ran.json()["rules"], "custom", "{}", ran.err);
    let ran = run(["instances/minesweeper.txt", "-e", path]);
    assert!(
        ran.code == 2 && ran.err.contains("nothing derives mine/2: the rules of a layout are missing"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains(&format!("-e minesweeper/layout.lp -e {path}")) && !ran.err.contains("#show"),
        "{}",
        ran.err
    );
    let ran = run(["instances/minesweeper.txt", "-e", "minesweeper/layout.lp", "-e", path]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("by the rules of") && !ran.out.contains("proven"), "{}", ran.out);
}

#[test]
fn results_of_clingo_by_built_in_rules_are_confirmed_by_the_simulation() {
    // The simulation confirms a cycle cut off at the horizon, an impossible outcome, and that a few
    // answers are all answers.
    for (arguments, complete) in [("-n 5", true), ("--outcome cycle", true), ("-n 1", false)] {
        let ran =
            run(["instances/deponia.lp", "--engine", "asp", "-f", "json"].into_iter().chain(arguments.split(' ')));
        let value: Value = ran.json();
        assert_eq!(value["complete"], complete, "{arguments}: {}", ran.err);
        let counted: u64 = ["win", "loss", "cycle", "stuck"]
            .iter()
            .map(|outcome| {
                value["statistics"]["configurations"][outcome]
                    .as_str()
                    .expect("a number")
                    .parse::<u64>()
                    .expect("a number")
            })
            .sum();
        assert_eq!(counted == 72, complete, "{arguments}: {value}");
    }
}

/// Creates a folder of encodings with one edited encoding.
fn edited_folder(path: &str, edits: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = folder();
    file(folder.path(), path, edited_encoding(path, edits));
    folder
}

#[test]
fn tools_follow_edited_encodings_and_report_it() {
    let run_with_folder = |folder: &tempfile::TempDir, line: &str| {
        run(line.split(' ').chain(["--asp-dir", folder.path().to_str().expect("UTF-8")]))
    };
    // Redirects arcs only to targets.
    let redirected = edited_folder(
        "rail/repair.lp",
        &[("node(N')       :- old(_,_,N').", "node(N')       :- old(_,_,N').\n:- redirect(_,_,N), not target(N).")],
    );
    let ran = run_with_folder(&redirected, "repair instances/cycle.lp --engine asp");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("to t") && ran.out.contains("fewer do not suffice, by the rules of "), "{}", ran.out);
    assert!(!ran.out.contains("proven"), "{}", ran.out);
    let never =
        edited_folder("rail/repair.lp", &[("#const some_win = 1.", "#const some_win = 1.\n:- redirect(_,_,_).")]);
    let ran = run_with_folder(&never, "repair instances/cycle.lp --engine asp");
    assert!(ran.code == 1 && !ran.out.contains("proven"), "{}{}", ran.out, ran.err);
    // Tools that support only the built-in rules reject others.
    let folder = folder();
    let path = file(folder.path(), "extra.lp", ":- initial(red,2).\n");
    for tool in ["rate", "expand", "repair --engine search"] {
        let line = format!("{tool} instances/deponia.lp {}", path.display());
        let ran = run(line.split(' '));
        assert!(ran.code == 2 && ran.err.contains("extra.lp"), "{tool}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn edited_default_rules_are_followed_or_rejected() {
    let red = edited_folder("rail/dynamic_gate.lp", &[(WINS, &format!("{WINS}\n:- initial(red,2)."))]);
    let run_with_folder = |line: &str| run(line.split(' ').chain(["--asp-dir", red.path().to_str().expect("UTF-8")]));
    let ran = run_with_folder("instances/deponia.lp -n 0");
    assert!(ran.out.contains("by the rules of "), "{}{}", ran.out, ran.err);
    for line in [
        "instances/deponia.lp --engine simulation",
        "instances/deponia.lp --engine backward",
        "rate instances/deponia.lp",
        "expand instances/deponia.lp",
        "repair instances/cycle.lp",
        "generate rail",
    ] {
        let ran = run_with_folder(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}");
        assert!(
            ran.err.contains("supports only the built-in rules") && ran.err.contains("dynamic_gate.lp"),
            "{}",
            ran.err
        );
    }
    // Edits of another encoding do not matter.
    assert_eq!(run_with_folder("instances/deponia.lp --engine simulation -e no-gate -n 0 --outcome any").code, 0);
    // The native engine of a tool does not follow an edited encoding.
    let targets = edited_folder("rail/states.lp", &[("%%% Define", "extra. %%% Define")]);
    let line = "repair instances/cycle.lp --engine search";
    let ran = run(line.split(' ').chain(["--asp-dir", targets.path().to_str().expect("UTF-8")]));
    assert!(ran.code == 2 && ran.err.contains("states.lp"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_constraint_that_a_simpler_lexer_would_miss_counts_as_a_custom_rule() {
    let folder = folder();
    for hidden in [
        "#show #! \"\nnumber/3. :- number(1,1,2).\n#! \" .\n",
        "%* %* *% \n*% :- number(1,1,2). %* *%\n",
        "#show number/3. %* % *%\n*% :- number(1,1,2).\n",
        "#const n = 1. #const m = n. [default] :- number(1,1,2).\n",
        "#show \"a\\\\\" : #true. :- number(1,1,2). %\".\n",
        "#program base. :- number(1,1,2).\n",
    ] {
        let extra = file(folder.path(), "extra.lp", hidden);
        for options in ["--unique", "-n 0", "--unique -f json"] {
            let files = ["instances/sudoku.txt", extra.to_str().expect("UTF-8")];
            let ran = run(files.into_iter().chain(options.split(' ')));
            assert_eq!(ran.code, 1, "{hidden}{options}: {}{}", ran.out, ran.err);
            assert!(!ran.out.contains("proven"), "{hidden}{options}: {}", ran.out);
            if options.ends_with("json") {
                assert_eq!(ran.json()["rules"], "custom", "{hidden}");
            } else {
                assert!(ran.out.contains("by the rules of ") && ran.out.contains("extra.lp"), "{}", ran.out);
            }
        }
    }
}

#[test]
fn a_file_that_only_shows_defines_no_rules() {
    let folder = folder();
    let board = ["instances/sudoku.txt", "instances/sokoban.txt"];
    let show = file(folder.path(), "show.lp", "#show number/3. #show x : #false. % a\n#const unused = 1. [override]\n");
    let show = show.to_str().expect("UTF-8");
    let rule = file(folder.path(), "rule.lp", ":- number(1,1,1).\n");
    let rule = rule.to_str().expect("UTF-8");
    let ran = run([board[0], show, "--unique"]);
    assert!(ran.code == 0 && ran.out.starts_with("One solution (proven"), "{}{}", ran.out, ran.err);
    assert_eq!(run([board[0], show, "-f", "json"]).json()["rules"], "shipped");
    assert_eq!(run([board[1], show, "-f", "json"]).json()["rules"], "shipped");
    // The message names the file with a rule.
    for files in [[board[0], show, rule], [rule, board[0], show]] {
        let ran = run(files.into_iter().chain(["--unique"]));
        assert!(ran.out.starts_with(&format!("One solution by the rules of {rule}")), "{}{}", ran.out, ran.err);
        let ran = run(files.into_iter().chain(["--unique", "-f", "html"]));
        assert!(ran.code == 0 && !ran.out.contains(&format!("by the rules of {}", board[0])), "{}", ran.err);
    }
}

#[test]
fn both_spellings_of_minimize_are_recognised() {
    let folder = folder();
    for word in ["#minimize", "#minimise"] {
        let program = format!("1 {{ a; b; c }}. {word} {{ 2 : a; 1 : b; 1 : c }}.");
        let ran = run_with_input("- --unique", &program);
        assert!(ran.out.contains("More than one optimum (proven)."), "{word}: {}{}", ran.out, ran.err);
    }
    for (word, sign) in [("#minimize", 1), ("#minimise", 1), ("#maximize", -1), ("#maximise", -1)] {
        // The board has one solution with a nonzero cost.
        let extra = file(folder.path(), "extra.lp", format!("{word} {{ V,R,C : number(R,C,V), R = C }}.\n"));
        let files = ["instances/sudoku.txt", extra.to_str().expect("UTF-8")];
        let value = run(files.into_iter().chain(["-n", "0", "-f", "json"])).json();
        let cost: i64 = (2 + 3 + 1 + 3 + 1 + 5 + 4 + 2 + 7) * sign;
        assert_eq!(answers(&value)[0]["costs"], serde_json::json!([cost]), "{word}: {value}");
        let unique = run(files.into_iter().chain(["--unique"]));
        let words = if sign > 0 { "cost" } else { "value" };
        let optimal = format!("{words} {}, proven optimal", cost.abs());
        assert!(unique.out.contains(&optimal), "{word}: {}", unique.out);
        assert!(!unique.out.contains("One solution"), "{word}: {}", unique.out);
    }
}
