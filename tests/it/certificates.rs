//! Tests certificates of runs: what is certified, how certificates are written and verified, and the
//! reasons why something is not certified.

mod other_checkers;
mod tampered;

#[path = "../../crates/certificate/tests/claims/mod.rs"]
mod claims;

use crate::support::process::retry_with_longer_limits;
use crate::support::{run, run_line, run_with_input};

#[test]
fn proven_results_are_certified() {
    for (line, text, of, expected) in [
        ("- --certify", ":- not a.", "none", "There is no answer (proven, certified in 0 steps)."),
        ("- -n 0 --certify", "1 { a; b } 1.", "all", "2 answers, and no others (proven, certified in "),
        ("- --unique --certify", "a :- not b. b :- not a. :- b.", "no other", "One solution (proven, certified in "),
        (
            "- --certify",
            "1 { a; b }. #minimize { 2 : a; 1 : b }.",
            "least",
            "Optimum found (proven, certified in … steps): no answer costs less than 1.",
        ),
        ("- --opt-mode optN -n 0 --certify", "1 { a; b }. #minimize { 1 : a; 1 : b }.", "all", "certified in "),
        ("- -n 0 --project --certify", "1 { a; b }. #show c : a. #show c : b.", "all", "certified in "),
        ("- -n 0 --certify", "a; b. a :- b. b :- a.", "all", "1 answer, and no other (proven, certified in "),
        (
            "- -n 0 --certify",
            "{ e(1..3) }. #edge (N,(N\\3)+1) : e(N).",
            "all",
            "7 answers, and no others (proven, certified",
        ),
        ("- -n 0 --certify", "#external e. [free] a :- e.", "all", "2 answers, and no others (proven, certified in "),
        (
            "- -n 0 --certify",
            "{ a; b }. c :- #sum { -1 : a; 2 : b; 1 : c } >= 1.",
            "all",
            "answers, and no others (proven, certified in ",
        ),
    ] {
        let ran = run_with_input(line, text);
        let is_printed = expected.split('…').all(|part| ran.out.contains(part));
        assert!(is_printed, "{line} {text}\n{}{}", ran.out, ran.err);
        let json = run_with_input(&format!("{line} -f json"), text).json();
        assert_eq!(json["certificate"]["checked"], true, "{line} {text}\n{json}");
        assert_eq!(json["certificate"]["of"], of, "{line} {text}\n{json}");
    }
}

#[test]
fn uncertified_results_name_the_reason() {
    for (line, text, why) in [
        ("- --certify", "{ a }.", "nothing is proven"),
        ("- --certify --unique", "{ a }.", "two answers that differ"),
        ("- --certify --enum-mode brave -n 0", "{ a }.", "what answers have in common"),
        ("- --certify -n 0", "#theory t { x { - : 1, unary }; &d/0 : x, any }. a :- &d { 1 }.", "theory atoms"),
        ("- --certify -n 0 --project", "{ a; b }. #project a.", "projected to atoms"),
        ("- --certify -n 0 --clingo=--supp-models", "a :- b. b :- a.", "nothing is proven"),
        (
            "- --certify",
            "#include <incmode>. #program step(t). { p(t) }. #program check(t). :- query(t), not p(t).",
            "nothing is proven",
        ),
    ] {
        let ran = run_with_input(line, text);
        assert!(ran.out.contains("Not certified: ") && ran.out.contains(why), "{line} {text}\n{}{}", ran.out, ran.err);
        let json = run_with_input(&format!("{line} -f json"), text).json();
        assert!(json["certificate"]["checked"].is_null(), "{json}");
        assert!(json["certificate"]["why"].as_str().is_some_and(|text| text.contains(why)), "{json}");
    }
}

/// The program has four answers. Some versions of clingo find only two of them.
#[test]
fn an_answer_lost_by_clingo_is_an_error() {
    let text = "asp 1 0 0\n1 1 2 1 2 1 1 2 -3 1 -1 1\n4 1 a 1 1\n4 1 c 1 2\n0\n";
    let all = run_with_input("- -n 0 -f json", text).json()["answers"].as_array().map_or(0, Vec::len);
    let ran = run_with_input("- -n 0 --certify", text);
    match all {
        4 => assert!(ran.out.contains("certified in"), "{}{}", ran.out, ran.err),
        _ => assert!(ran.code == 2 && ran.err.contains("clingo missed an answer"), "{}{}", ran.out, ran.err),
    }
}

#[test]
fn certificates_are_written_and_verified_separately() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sudoku.proof");
    let path = path.to_str().expect("UTF-8");
    let ran = run(["instances/sudoku.txt", "--unique", "--proof", path]);
    assert!(ran.code == 0 && ran.out.contains("One solution (proven, certified in "), "{}{}", ran.out, ran.err);
    let ran = run(["verify", path]);
    assert!(ran.code == 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.starts_with("1 answer by the 569 terms that can be shown, and no other: certified in "),
        "{}",
        ran.out
    );
    let json = run(["verify", path, "-f", "json"]).json();
    assert_eq!(json["certificate"]["checked"], true);

    let text = std::fs::read_to_string(path).expect("the file was written");
    let claim = text.find("\nclaim").expect("a claim");
    let (head, rest) = text.split_at(claim);
    let without_answer: String =
        rest.lines().filter(|line| !line.starts_with("a ")).map(|line| format!("{line}\n")).collect();
    let ran = run_with_input("verify -", &format!("{head}{without_answer}"));
    assert!(ran.code == 1 && ran.out.starts_with("The certificate is refused: "), "{}{}", ran.out, ran.err);
    for (text, expected) in [
        ("", "expected `certificate 1`, found the end of the file"),
        (
            &format!("certificate 1\nasp 1 0 0\n1 0 {}\n", "9".repeat(1000)),
            ": expected a number in range, found `99999999999999999999…`",
        ),
        ("certificate 1\nasp 1 0 0\n1 8 1 1 0 0\n0\nclaim atoms\n", "expected a head of kind 0 or 1, found 8"),
        (
            "certificate 1\nasp 1 0 0\n0\nclaim atoms\nl 4294967295 0 0\nl 0 0 0\n",
            "expected clause 4294967295, found clause 0",
        ),
        ("hello", "expected `certificate 1`, found `hello`"),
        ("certificate 1\nasp 1 0 0\n1 0 1 x 0 0\n0\nclaim atoms\n", "expected a number in range, found `x`"),
        ("certificate 1\nasp 1 0 0\n0\n", "expected the line `claim`, found the end of the file"),
        ("certificate 1\nasp 1 0 0\n0\nclaim atoms less x\n", "expected a cost, found `x`"),
        ("certificate 1\nasp 1 0 0\n0\nclaim atoms\nq 1\n", "expected a step l, u, e or d, found `q`"),
        ("certificate 1\nasp 1 0 0\n1 0 1 1 0 99999999999 1\n0\nclaim atoms\n", "found the end of the line"),
    ] {
        let ran = run_with_input("verify -", text);
        assert!(ran.code == 2 && ran.err.contains(expected) && ran.err.len() < 1000, "{text}: {}{}", ran.out, ran.err);
    }
    for text in [
        // The answer violates an assumption.
        "certificate 1\nasp 1 0 0\n1 0 1 1 0 0\n1 1 1 2 0 0\n6 1 2\n0\nclaim atoms\na 1 0\na 1 2 0\n",
        "certificate 1\nasp 1 0 0\n1 1 1 2000000000 0 0\n0\nclaim atoms\n",
        "certificate 1\nasp 1 0 0\n1 1 1 1 0 0\n2 0 1 1 1\n0\nclaim atoms less 9223372036854775807\na 1 0\n",
        "certificate 1\nasp 1 0 0\n1 1 1 1 0 0\n0\nclaim atoms\nd 1 0\nl 9 0 1 2 0\n",
        "certificate 1\nasp 1 0 0\n1 1 1 1 0 0\n0\nclaim atoms\nu 5 7 0 9 -9 0\n",
    ] {
        let ran = run_with_input("verify -", text);
        assert!(ran.code == 1 && ran.out.starts_with("The certificate is refused"), "{text}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn each_line_of_a_batch_reports_its_certificate() {
    let boards = std::fs::read_to_string("tests/data/links.tsv").expect("links");
    let links = boards.lines().filter(|line| !line.starts_with('%')).filter_map(|line| line.split('\t').nth(1));
    let lines: Vec<&str> = links.take(3).collect();
    let ran = run_with_input("- --batch --unique --certify", &lines.join("\n"));
    assert_eq!(ran.out.matches("\"checked\":true,\"of\":\"no other\"").count(), lines.len(), "{}{}", ran.out, ran.err);
}

/// Boards with a shared ground program are certified by its clauses, whatever boards came before. The
/// number of steps is left out, since it depends on these.
#[test]
fn boards_of_a_batch_that_share_a_program_are_certified() {
    let boards = [
        "1 2 3 4/3 4 1 2/2 1 4 ./4 3 . .", // unique
        "1 2 3 4/3 4 1 2/2 1 . ./. . . .", // unique
        "1 2 3 4/3 4 1 2/. . . ./. . . .", // several
        "1 1 . ./. . . ./. . . ./. . . .", // none
        "4 3 2 1/2 1 4 3/3 4 1 ./1 2 . .", // unique
    ];
    let batch = |boards: &[&str]| {
        let ran = run_with_input("- -p sudoku --batch --unique --certify -t 1", &(boards.join("\n") + "\n"));
        let objects = ran.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")));
        objects.map(|object: serde_json::Value| object["certificate"].clone()).collect::<Vec<_>>()
    };
    let alone: Vec<_> = boards.iter().flat_map(|board| batch(&[board])).collect();
    let other = serde_json::json!({ "checked": true, "of": "no other" });
    assert_eq!((&alone[0], &alone[1], &alone[4]), (&other, &other, &other));
    assert_eq!(alone[3], serde_json::json!({ "checked": true, "of": "none" }));
    assert_eq!(batch(&boards), alone);
    let reversed: Vec<&str> = boards.iter().rev().copied().collect();
    assert_eq!(batch(&reversed).into_iter().rev().collect::<Vec<_>>(), alone);
}

/// Certifying takes several times as long as solving with a shared ground program.
#[test]
fn lines_of_a_batch_are_certified_only_on_request() {
    let board = "1 2 3 4/3 4 1 2/2 1 4 ./4 3 . .";
    let ran = run_with_input("- -p sudoku --batch --unique", &format!("{board}\n{board}\n"));
    assert_eq!(ran.out.matches("\"unique\": true").count(), 2, "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("certificate"), "{}", ran.out);
}

#[test]
fn limits_hold_for_certificates() {
    // Finding the answers takes a fraction of a second; certifying them takes many times the limit.
    let stopped = "262,144 answers, and no others (proven). Not certified: the time limit was reached.";
    retry_with_longer_limits(|limit| {
        let ran = run_with_input(&format!("- -n 0 --certify -q --time-limit {limit}"), "{ a(1..18) }.");
        ran.out.contains(stopped).then_some(())
    });
}

#[test]
fn unique_solutions_are_certified_by_default_if_it_is_cheap() {
    let ran = run_line("instances/sudoku.txt --unique -q");
    assert!(ran.out.starts_with("One solution (proven, certified in "), "{}{}", ran.out, ran.err);
    let json = run_line("instances/sudoku.txt --unique -f json").json();
    assert_eq!(json["certificate"]["of"], "no other", "{json}");
    let ran = run_line("instances/sudoku.txt --unique -q --certify=never");
    assert_eq!(ran.out, "One solution (proven).\n", "{}", ran.err);
    assert!(run_line("instances/sudoku.txt --unique -f json --certify=never").json()["certificate"].is_null());
    // Certificates by default are silent about what is not certified.
    let ran = run_with_input("- --unique", "puzzle sudoku\n1 . . .\n. . . .\n. . . .\n. . . 1\n");
    assert!(ran.out.starts_with("More than one solution (proven).\n"), "{}{}", ran.out, ran.err);
    let ran = run_with_input("- --unique -q", "{ a } . :- a.");
    assert_eq!(ran.out, "One solution (proven).\n", "programs are certified only on request");
}

#[test]
fn large_boards_are_not_certified_by_default() {
    for (side, expected) in [(5, "One solution (proven, certified in "), (7, "One solution (proven).\n")] {
        let numbers = side * side;
        let number = |row: usize, column: usize| (side * (row % side) + row / side + column) % numbers + 1;
        let cell =
            |row, column| if (row + column) % 3 == 0 { ". ".to_owned() } else { format!("{} ", number(row, column)) };
        let row = |row| (0..numbers).map(|column| cell(row, column)).collect::<String>() + "\n";
        let board = "puzzle sudoku\n".to_owned() + &(0..numbers).map(row).collect::<String>();
        let ran = run_with_input("- --unique -q", &board);
        assert!(ran.out.starts_with(expected), "{numbers}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn generated_boards_have_certificates() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("board-{n}.proof");
    let path = path.to_str().expect("UTF-8");
    let ran = run(["generate", "sudoku", "--size", "4x4", "--count", "2", "--proof", path]);
    assert_eq!(ran.out.matches(": exactly one solution, certified; ").count(), 2, "{}{}", ran.out, ran.err);
    for number in ["1", "2"] {
        let ran = run(["verify", &path.replace("{n}", number)]);
        assert!(
            ran.code == 0 && ran.out.starts_with("1 answer by the 52 terms that can be shown, and no other: "),
            "{}",
            ran.out
        );
    }
    for (line, expected) in [
        ("generate sudoku --proof src", "cannot write src: is a directory"),
        ("generate sudoku --count 2 --proof x", "--count with --proof: the name must have {n} in it"),
        ("generate taquin --proof x", "--proof: only boards of puzzles that are logic programs"),
        ("generate sudoku -o x --proof x", "--output and --proof name one file"),
    ] {
        let ran = run_line(line);
        assert!(ran.code == 2 && ran.err.contains(expected) && ran.out.is_empty(), "{line}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn certain_cells_are_certified() {
    let board = "mines 2\n01?\n12?\n???\n";
    let ran = run_with_input("- --certify", board);
    assert!(ran.out.lines().next().is_some_and(|line| line.contains(" Certified in ")), "{}{}", ran.out, ran.err);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cells.proof");
    let path = path.to_str().expect("UTF-8");
    let json = run_with_input(&format!("- --proof {path} -f json"), board).json();
    assert_eq!(json["certificate"]["checked"], true, "{json}");
    assert_eq!(json["certificate"]["of"], "certain", "{json}");
    let certain = |name: &str| json["answers"][0][name].as_array().map_or(0, Vec::len);
    let verified = run(["verify", path, "-f", "json"]).json();
    let atoms = verified["answers"][0]["atoms"].as_array().expect("the certain atoms").clone();
    assert_eq!(atoms.len(), certain("safe") + certain("mines"), "{verified} {json}");
    // A certificate for another value of a certain cell is rejected.
    let text = std::fs::read_to_string(path).expect("the file was written");
    let (line, end) = text.split_once("\nclaim").expect("a claim");
    let wrong: String =
        line.lines().filter(|line| !line.starts_with("1 0 0")).map(|line| line.to_owned() + "\n").collect();
    let ran = run_with_input("verify -", &format!("{wrong}claim{end}"));
    assert_eq!(ran.code, 1, "without the numbers nothing is certain: {}", ran.out);
    let ran = run_with_input("- --certify -q", "mines 1\n2?\n??\n");
    assert!(ran.code == 1 && ran.out.contains("Certified in "), "{}{}", ran.out, ran.err);
    let ran = run_with_input("- --certify -q", "mines 1\n1?\n??\n");
    assert!(ran.out.contains("Not certified: no cell is certain."), "{}{}", ran.out, ran.err);
    let torus = run_with_input("- --certify -q -e torus", "mines 1\n0???\n????\n????\n???0\n");
    assert!(torus.out.contains("Certified in "), "{}{}", torus.out, torus.err);
}

/// Certificates cover the answers of the program: winning trips, losing trips if all are counted,
/// and cycles.
#[test]
fn trips_of_a_railway_are_certified() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trips.proof");
    let path = path.to_str().expect("UTF-8");
    let none = "start(a). target(t). final_node(s). color(a,red). rel(a,1,s). rel(a,2,s).";
    let cycle = "start(a). target(t). final_node(s). color(a,red). rel(a,1,b). rel(a,2,s). color(b,red). rel(b,1,a). rel(b,2,t).";
    let deponia = std::fs::read_to_string("instances/deponia.lp").expect("an instance");
    for (line, text, of, trips) in [
        ("- ", none, "none", 0),
        ("- --unique", none, "none", 0),
        ("- -n 0", none, "all", 1),
        ("- ", cycle, "all", 1),
        ("- -n 0", cycle, "all", 2),
        ("- -n 0", &deponia, "all", 24),
        ("- -n 0 -e no-gate", &deponia, "all", 8),
        ("- --configuration 111**", &deponia, "all", 1),
        ("- --configuration 111** --outcome win", &deponia, "all", 1),
        ("- --outcome stuck", &deponia, "none", 0),
        ("- --outcome win -n 30", &deponia, "all", 2),
    ] {
        let json = run_with_input(&format!("{line} --engine asp --proof {path} -f json"), text).json();
        assert_eq!(json["certificate"]["checked"], true, "{line}: {json}");
        assert_eq!(json["certificate"]["of"], of, "{line}: {json}");
        let ran = run(["verify", path]);
        assert!(ran.code == 0 && ran.out.lines().count() == 1 + trips, "{line}: {}{}", ran.out, ran.err);
    }
    // The certificate lists each trip; without one of them it is rejected.
    let text = std::fs::read_to_string(path).expect("the file was written");
    let first = text.find("\na ").expect("an answer") + 1;
    let end = first + text[first..].find('\n').expect("the end of the line") + 1;
    let ran = run_with_input("verify -", &format!("{}{}", &text[..first], &text[end..]));
    assert!(ran.code == 1 && ran.out.starts_with("The certificate is refused: "), "{}{}", ran.out, ran.err);

    let ran = run_with_input("- --certify -q", none);
    assert!(
        ran.code == 1 && ran.out.contains(" (proven for 2 configurations). Certified in "),
        "{}{}",
        ran.out,
        ran.err
    );
    let ran = run_line("instances/deponia.lp --certify -q");
    assert!(
        ran.out.contains("Not certified: nothing is proven."),
        "a trip was found, and no more asked for: {}",
        ran.out
    );
    let ran = run_line("instances/deponia.lp --certify -q --unique");
    assert_eq!(ran.out.matches("Not certified: two answers that differ need no proof.").count(), 1, "{}", ran.out);
    let ran = run_line("instances/deponia.lp --certify -q --outcome win -n 30");
    assert!(ran.out.starts_with("2 trips, and no others of this kind (proven for "), "{}", ran.out);
    for engine in ["simulation", "backward"] {
        let ran = run_with_input(&format!("- --certify -q --engine {engine}"), none);
        assert!(ran.out.contains("Not certified: no program stands behind this engine"), "{}{}", ran.out, ran.err);
    }
}

#[test]
fn answers_projected_to_atoms_are_certified() {
    let ran =
        run_with_input("- -n 0 --clingo=--project=project --certify -q", "{ a; b; c }. #project a/0. #project b/0.");
    assert!(
        ran.out.starts_with("4 answers that look different, and no others (proven, certified in "),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
fn tests_and_comparisons_are_certified() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| crate::support::file(folder.path(), name, text).display().to_string();
    let file = write(
        "colours.lp",
        "#program base.\n1 { color(N,(red;green)) } 1 :- node(N).\n:- edge(X,Y), color(X,C), color(Y,C).\n#defined edge/2. #defined node/1.\n\
         %**@test(name = \"a triangle\", input = \"node(1..3). edge(1,2). edge(2,3). edge(1,3).\", assert = { @noAnswerSet })**%\n\
         %**@test(name = \"an edge\", input = \"node(1..2). edge(1,2).\", assert = { @trueInExactly(number = 1, atoms = \"color(1,red).\") })**%\n",
    );
    let ran = run(["test", &file, "--certify"]);
    assert!(ran.code == 0 && ran.out.matches("... ok, certified in ").count() == 2, "{}{}", ran.out, ran.err);
    let json = run(["test", &file, "--certify", "-f", "json"]).json();
    assert_eq!(json["tests"][0]["certificate"]["checked"], true, "{json}");
    assert!(run(["test", &file, "-f", "json"]).json()["tests"][0]["certificate"].is_null());
    let best = write(
        "best.lp",
        "{ a; b }. #minimize { 1 : a; 2 : b }.\n%**@test(name = \"best\", assert = { @trueInAll(atoms = \"not a. not b.\") })**%\n",
    );
    let ran = run(["test", &best, "--certify"]);
    assert!(
        ran.code == 0 && ran.out.contains("ok, not certified: the best answer sets count"),
        "{}{}",
        ran.out,
        ran.err
    );

    for (one, other, expected) in [
        (
            "{ a }. { b } :- a. #show a/0. #show b/0.",
            "1 { n; x; y } 1. a :- x. a :- y. b :- y. #show a/0. #show b/0.",
            "the same: 3 answers; certified in ",
        ),
        ("a. :- a. #show a/0.", ":- not a. { a }. :- a. #show a/0.", "the same: no answer; certified in "),
        (
            "1 { a; b }. #minimize { 1 : a; 2 : b }.",
            "a. #minimize { 1 : a }. { b } :- not a.",
            "the same: 1 answer at cost 1; certified in ",
        ),
    ] {
        let one = write("one.lp", one);
        let other = write("other.lp", other);
        let ran = run(["compare", &one, &other, "--certify", "--runs", "0"]);
        assert!(ran.code == 0 && ran.out.contains(expected), "{}{}", ran.out, ran.err);
        let json = run(["compare", &one, &other, "--certify", "--runs", "0", "-f", "json"]).json();
        assert_eq!(json["instances"][0]["certificate"]["checked"], true, "{json}");
    }
}

#[test]
fn options_for_certificates_are_rejected_without_effect() {
    for (line, expected) in [
        ("queens.lp --certify -f asp", "--certify: it goes with --format text or json or html"),
        ("queens.lp --proof x -f clingo-json", "--proof: it goes with --format text or json or html"),
        ("deponia.lp --certify -f svg", "--certify: it goes with --format text or json or html"),
        ("taquin_one.txt --proof x", "a search or a simulation, which has no proof of this kind"),
        ("sudoku.txt --batch --proof x", "--proof certifies one instance"),
        ("sudoku.txt --unique --proof instances/sudoku.txt", "--proof instances/sudoku.txt is the input"),
        ("sudoku.txt --unique --proof no/such/x", "error: cannot write no/such/x: there is no such file or folder"),
        ("sudoku.txt --unique --proof src", "error: cannot write src: is a directory"),
        ("sudoku.txt --unique --proof x -o ./x", "--output and --proof name one file"),
        ("sudoku.txt --unique --proof x.pbp -o x.opb", "--output and the formula of --proof name one file"),
    ] {
        let ran = run_line(&format!("instances/{line}"));
        assert!(ran.err.contains(expected) || ran.out.contains(expected), "{line}: {}{}", ran.out, ran.err);
        assert!(!ran.out.contains("proven"), "nothing is solved first: {}", ran.out);
    }
    let ran = run_line("watch instances/sudoku.txt --certify");
    assert!(ran.code == 2 && ran.err.contains("--certify and --proof do not go with it"), "{}", ran.err);
}
