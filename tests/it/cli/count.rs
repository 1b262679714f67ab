//! Tests of the command `count`.

use base::words::thousands;

use crate::support::{extent, file, folder, run, run_line, run_with_input};

/// Programs, a constant, and the known number of answers.
const KNOWN: [(&str, &str, &str); 36] = [
    ("independent_sets", "n=1", "2"),
    ("independent_sets", "n=2", "7"),
    ("independent_sets", "n=3", "63"),
    ("independent_sets", "n=4", "1234"),
    ("independent_sets", "n=5", "55447"),
    ("independent_sets", "n=6", "5598861"),
    ("independent_sets", "n=7", "1280128950"),
    ("independent_sets", "n=8", "660647962955"),
    ("independent_sets", "n=10", "2030049051145980050"),
    ("matchings", "n=2", "7"),
    ("matchings", "n=3", "131"),
    ("matchings", "n=4", "10012"),
    ("matchings", "n=5", "2810694"),
    ("matchings", "n=6", "2989126727"),
    ("dominoes", "n=2", "2"),
    ("dominoes", "n=3", "0"),
    ("dominoes", "n=4", "36"),
    ("dominoes", "n=6", "6728"),
    ("dominoes", "n=8", "12988816"),
    ("latin_squares", "n=3", "12"),
    ("latin_squares", "n=4", "576"),
    ("latin_squares", "n=5", "161280"),
    ("latin_squares", "n=6", "812851200"),
    ("latin_squares", "n=7", "61479419904000"),
    ("connected_graphs", "n=1", "1"),
    ("connected_graphs", "n=2", "1"),
    ("connected_graphs", "n=3", "4"),
    ("connected_graphs", "n=4", "38"),
    ("connected_graphs", "n=5", "728"),
    ("connected_graphs", "n=6", "26704"),
    ("connected_graphs", "n=7", "1866256"),
    ("spanning_trees", "n=5", "125"),
    ("spanning_trees", "n=7", "16807"),
    ("hamiltonian_cycles", "n=5", "24"),
    ("hamiltonian_cycles", "n=7", "720"),
    ("sudoku", "n=4", "288"),
];

#[test]
fn known_numbers_are_counted() {
    for (name, constant, number) in KNOWN {
        let ran = run(["count", &format!("tests/data/counting/{name}.lp"), "-c", constant]);
        let plural = if number == "1" { "" } else { "s" };
        assert_eq!(ran.out, format!("{} answer{plural}.\n", thousands(number)), "{name} {constant}: {}", ran.err);
        assert_eq!(ran.code, i32::from(number == "0"), "{name} {constant}");
    }
}

#[test]
fn queens_are_counted() {
    for (size, number) in (4..=9).zip([2, 10, 4, 40, 92, 352]) {
        let ran = run(["count", "instances/queens.lp", "-c", &format!("n={size}")]);
        assert_eq!(ran.out, format!("{number} answers.\n"), "{size}: {}", ran.err);
    }
}

#[test]
fn small_programs_are_counted() {
    let cases = [
        ("", "1 answer.\n", 0),
        ("a. b :- a.", "1 answer.\n", 0),
        ("a. :- a.", "0 answers.\n", 1),
        (":- not a. #external a.", "0 answers.\n", 1),
        ("a :- not b. b :- not a.", "2 answers.\n", 0),
        ("a :- b. b :- a.", "1 answer.\n", 0),
        ("{ a }. a :- b. b :- a.", "2 answers.\n", 0),
        ("a :- not a.", "0 answers.\n", 1),
        ("a ; b ; c.", "3 answers.\n", 0),
        ("{ a(1..62) }. 1 { b(1..3) } 1.", "13,835,058,055,282,163,712 answers.\n", 0),
        ("{ a(1..5) } 3. :- #sum { X : a(X) } > 6.", "13 answers.\n", 0),
        ("{ a(1..6) }. b(1) :- 2 #count { X : a(X); 7 : b(2) }. b(2) :- b(1), a(1).", "64 answers.\n", 0),
        ("{ e(1,2); e(2,3); e(3,1); e(2,1) }. #edge (X,Y) : e(X,Y).", "11 answers.\n", 0),
        ("{ a(1..4) } 2. #maximize { 1,X : a(X) }.", "6 optimal answers of cost -2.\n", 0),
        ("{ a }. :- a. :- not a. #minimize { 1 : a }.", "0 optimal answers.\n", 1),
    ];
    for (program, expected, code) in cases {
        let ran = run_with_input("count - -p program", program);
        assert_eq!((&*ran.out, ran.code), (expected, code), "{program}: {}", ran.err);
    }
}

#[test]
fn answers_that_show_the_same_are_counted_once_with_project() {
    let cases = [
        ("{ a(1..10) }. b :- a(X). #show b/0.", "1,024 answers.\n", "2 answers by what is shown.\n"),
        ("{ a(1..3) }. #show. #show t : a(X).", "8 answers.\n", "2 answers by what is shown.\n"),
        ("{ a(1..3) }. #show. #show X/2 : a(X).", "8 answers.\n", "4 answers by what is shown.\n"),
        ("{ a(1..3) }. #show.", "8 answers.\n", "1 answer by what is shown.\n"),
        (
            "{ a(1..3) }. :- a(1), a(2). :- not a(1). :- not a(2). #show.",
            "0 answers.\n",
            "0 answers by what is shown.\n",
        ),
        (
            "{ a(1..3) }. b :- a(1). #show b/0. #minimize { 1 : a(2) }.",
            "4 optimal answers of cost 0.\n",
            "2 optimal answers of cost 0 by what is shown.\n",
        ),
    ];
    for (program, all, projected) in cases {
        assert_eq!(run_with_input("count - -p program", program).out, all, "{program}");
        assert_eq!(run_with_input("count - -p program --project", program).out, projected, "{program}");
    }
    let program = "{ a(1..3) }. #project a(1). #project a(2).";
    let ran = run_with_input("count - -p program --clingo=--project=project", program);
    assert_eq!(ran.out, "4 answers by the atoms of #project.\n", "{}", ran.err);
    let ran = run_with_input("count - -p program --opt-mode=ignore", "{ a(1..3) }. #minimize { X : a(X) }.");
    assert_eq!(ran.out, "8 answers.\n", "{}", ran.err);
}

#[test]
fn solutions_of_boards_are_counted_as_they_are_enumerated() {
    let folder = folder();
    let boards = [
        ("sudoku", ". . . .\n. . . .\n. . . .\n. . . ."),
        ("sudoku", "1 1 . .\n. . . .\n. . . .\n. . . ."),
        ("sudoku", "1 . . .\n. 2 . .\n. . 3 .\n. . . 4"),
    ];
    for (number, (puzzle, board)) in boards.into_iter().enumerate() {
        let path = file(folder.path(), &format!("{number}.txt"), board).display().to_string();
        let counted = run(["count", &path, "-p", puzzle, "-f", "json"]);
        let listed = run([&*path, "-p", puzzle, "-n", "0", "-f", "json"]).json();
        let listed = listed["answers"].as_array().map_or(0, Vec::len);
        assert_eq!(counted.json()["count"], listed.to_string(), "{board}: {}", counted.err);
        assert_eq!(counted.code, i32::from(listed == 0), "{board}");
    }
    for name in extent::TYPES {
        let path = format!("instances/{name}.txt");
        let counted = run(["count", &path, "-f", "json", "--time-limit", "20"]);
        if counted.code == 3 {
            let bounds = counted.json();
            assert_ne!(bounds["at_most"], "0", "{path}");
            continue;
        }
        let listed = run([&*path, "-n", "50", "-f", "json"]).json();
        let listed = listed["answers"].as_array().map_or(0, Vec::len);
        let number: u64 = counted.json()["count"].as_str().expect("a number").parse().expect("a small number");
        assert_eq!(number.min(50), listed as u64, "{path}: {}", counted.err);
    }
}

#[test]
fn a_count_that_reaches_its_limit_prints_bounds() {
    // Latin squares hang together too closely for this time.
    let ran = run_line("count tests/data/counting/latin_squares.lp -c n=12 --time-limit 2");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("At least ") && ran.out.contains(", and at most "), "{}", ran.out);
    assert!(ran.out.contains("(the time limit was reached).\n"), "{}", ran.out);
    let json = run_line("count tests/data/counting/latin_squares.lp -c n=12 --time-limit 2 -f json").json();
    assert_eq!((&json["verdict"], &json["count"]), (&"gave-up".into(), &serde_json::Value::Null), "{json}");
    assert!(json["at_least"].is_string() && json["at_most"].is_string(), "{json}");
}

#[test]
fn a_cache_within_a_memory_limit_changes_no_number() {
    let ran = run_line("count tests/data/counting/dominoes.lp -c n=10 --memory-limit 60");
    assert_eq!(ran.out, "258,584,046,368 answers.\n", "{}", ran.err);
}

#[test]
fn programs_that_cannot_be_counted_are_refused() {
    let cases = [
        ("a ; b. a :- b. b :- a.", "", "atoms of one disjunction depend on each other"),
        ("#include <incmode>. #program step(t). { a(t) }.", "", "programs in steps"),
        ("{ a }.", "--enum-mode=brave", "what answers have in common"),
        ("{ a }.", "--clingo=--opt-mode=opt,3", "bounds of --opt-mode"),
        ("{ a }.", "--clingo=--supp-models", "options that leave answers out"),
        ("a :- b", "", "period"),
    ];
    for (program, options, message) in cases {
        let ran = run_with_input(&format!("count - -p program {options}"), program);
        assert_eq!(ran.code, 2, "{program} {options}: {}", ran.out);
        assert!(ran.err.contains(message), "{program} {options}: {}", ran.err);
    }
    let ran = run_line("count instances/game_42.txt");
    assert_eq!(ran.code, 2, "{}", ran.out);
}

#[test]
fn railways_are_counted_by_their_accepted_outcomes() {
    for (instance, number) in [("no_solution.lp", 0), ("latch.plan", 2), ("mine.json", 2), ("three_ways.lp", 4)] {
        let path = format!("instances/{instance}");
        let json = run(["count", &path, "-f", "json"]).json();
        assert_eq!(json["count"], number.to_string(), "{instance}: {json}");
        let listed = run([path.as_str(), "-n", "0", "-f", "json"]).json();
        assert_eq!(json["verdict"], listed["verdict"], "{instance}");
    }
    let json = run_line("count instances/no_solution.lp --outcome loss -f json").json();
    assert_eq!(json["count"], "6", "{json}");
}

#[test]
fn a_count_has_the_warnings_of_the_program() {
    let program = "a(X) :- b(X). c(X) :- X = 1..1/0. { d }.";
    let counted = run_with_input("count -", program);
    assert_eq!(counted.out, "2 answers.\n");
    for message in ["atom does not occur in any rule head", "operation undefined"] {
        assert!(counted.err.contains(message), "{}", counted.err);
    }
    assert_eq!(run_with_input("count - -W none", program).err, "");
}
