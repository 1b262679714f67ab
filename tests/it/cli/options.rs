//! Tests that options without effect are rejected, and that the error names where they have one.

use crate::support::run_line;

#[test]
fn options_without_effect_are_rejected() {
    for (line, expected) in [
        ("deponia.lp --depth-limit 9", "--depth-limit: no engine of rail reads it"),
        ("deponia.lp --node-limit 9", "--node-limit: no engine of rail reads it"),
        ("deponia.lp --engine simulation -t 2", "--threads: the engine simulation of rail ignores it; it is for asp"),
        ("deponia.lp --layout layered", "--layout: it goes with --format svg or dot or html"),
        ("deponia.lp --compress", "--compress goes with --format svg"),
        ("deponia.lp --answer 2", "--answer requires --format svg, dot, html, penpa or pzprv3"),
        ("deponia.lp --project", "--project is an option of program, but the input is rail"),
        ("deponia.lp --quick", "--quick is an option of taquin, but the input is rail"),
        ("minesweeper.txt -t 2", "--threads: the engine csp of minesweeper ignores it; it is for asp"),
        ("minesweeper.txt --depth-limit 2", "--depth-limit: no engine of minesweeper reads it"),
        (
            "taquin_near.txt --engine bfs --heuristic pdb",
            "--heuristic: the engine bfs of taquin ignores it; it is for idastar",
        ),
        (
            "taquin_near.txt --engine asp --tables large",
            "--tables: the engine asp of taquin ignores it; it is for idastar",
        ),
        ("taquin_near.txt --engine asp --node-limit 9", "--node-limit: the engine asp of taquin ignores it"),
        ("taquin_near.txt -t 2 --engine ids", "--threads: the engine ids of taquin ignores it; it is for idastar, asp"),
        ("taquin_near.txt -c n=3", "--const: the engine idastar of taquin ignores it; it is for asp"),
        ("amphipod.txt --engine memo --depth-limit 9", "--depth-limit: the engine memo of amphipod ignores it"),
        ("amphipod.txt -t 2", "--threads: the engine astar of amphipod ignores it; it is for idastar, asp"),
        ("amphipod.txt --const n=3 -f json", "--const: the engine astar of amphipod ignores it; it is for asp"),
        ("game_42.json --const n=3", "--const: no engine of game reads it"),
        ("taquin_near.txt --quick --tables large", "--tables requires --heuristic pdb"),
        ("taquin_near.txt --heuristic manhattan --tables large", "--tables requires --heuristic pdb"),
        ("taquin_near.txt --quick -t 2", "--threads: --quick uses a single thread"),
        ("taquin_near.txt --batch --answer 2", "--answer requires --format svg, dot or html, not --batch"),
        ("deponia.lp --enum-mode brave", "with --format asp or clingo-json it applies to every puzzle"),
        ("queens.lp --depth-limit 9", "--depth-limit: no engine of program reads it"),
    ] {
        let ran = run_line(&format!("instances/{line}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.contains(expected), "{line}: {}", ran.err);
    }
    let ran = run_line("expand instances/deponia.lp --layout layered");
    assert!(ran.code == 2 && ran.err.contains("--layout: it goes with a format that draws"), "{}", ran.err);
}

#[test]
fn options_with_an_effect_are_accepted() {
    for line in [
        "deponia.lp --engine asp -t 2 -c n=3",
        "deponia.lp --engine simulation -c n=3 -t 1",
        "deponia.lp -f svg --layout layered",
        "deponia.lp -f asp --project --clingo=--seed=3",
        "minesweeper.txt --engine asp -t 2",
        "taquin_near.txt --heuristic manhattan -t 2 --depth-limit 50 --node-limit 1000000",
        "taquin_near.txt --quick --heuristic pdb --tables default",
        "taquin_near.txt --engine bfs --depth-limit 50 --node-limit 1000000",
        "taquin_near.txt --engine asp --depth-limit 50 -c n=3 -t 2",
        "amphipod_article.txt --engine idastar -t 2 --depth-limit 50000",
        "game_42.json --engine ids --depth-limit 50 --node-limit 1000000",
        "queens.lp -t 2 -c n=5 --project",
    ] {
        let ran = run_line(&format!("instances/{line}"));
        assert!(ran.code == 0 || line.contains("-f asp") && ran.code == 10, "{line}: {}", ran.err);
    }
    let ran = crate::support::run_with_input("- --batch -t 2", "..(10).(01)..\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn statistics_are_printed_with_every_format() {
    for format in ["text", "asp", "clingo-json", "lines"] {
        let ran = run_line(&format!("instances/queens.lp --stats -f {format}"));
        assert!(ran.err.contains("Choices      : "), "{format}: {}", ran.err);
        assert!(!ran.err.contains("clingo.solving"), "{format}: {}", ran.err);
    }
    let value = run_line("instances/queens.lp --stats -f json").json();
    assert!(value["statistics"]["clingo"]["solving"]["solvers"]["choices"].is_u64(), "{value}");
}

#[test]
fn statistics_are_laid_out_as_by_clingo() {
    // Not tight, with restarts and learnt constraints.
    let pigeons = "p(1..8). h(1..7). 1 {in(P,H) : h(H)} 1 :- p(P). :- in(P,H), in(Q,H), P < Q. x :- 2 {in(P,1)}.
        r(X) :- s(X). s(X) :- r(X), in(X,1). s(X) :- in(X,2).";
    for (program, line) in [(pigeons, ""), ("{a(1..20)}. :- a(X), a(X+1). #minimize {X,X : a(X)}.", "-n 0")] {
        let own = crate::support::run_with_input(&format!("- --stats {line}"), program);
        let clingos = crate::support::run_with_input(&format!("clingo --stats - {}", line.replace("-n ", "")), program);
        let rows = |text: &str| -> Vec<String> {
            let rows = text.lines().skip_while(|row| !row.starts_with("Models ")).filter(|row| !row.is_empty());
            let rows = rows.filter_map(|row| row.split_once(" : "));
            rows.map(|(key, _)| key.trim_end().to_owned()).collect()
        };
        let mut expected = rows(&clingos.out);
        expected.retain(|key| !["  Optimum", "Optimization"].contains(&key.as_str()));
        assert_eq!(rows(&own.err), expected, "{}", own.err);
        let shape = |text: &str, key: &str| {
            let row = text.lines().find(|row| row.starts_with(key)).unwrap_or_else(|| panic!("{key} is not in {text}"));
            row.trim_end().replace(|sign: char| sign.is_ascii_digit() || sign == ' ', "")
        };
        for key in
            ["Choices", "Conflicts", "Lemmas", "  Conflict", "Backjumps", "  Bounded", "Variables", "Constraints"]
        {
            assert_eq!(shape(&own.err, key), shape(&clingos.out, key), "{key}");
        }
    }
}
