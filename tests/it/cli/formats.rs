//! Tests the picture formats that `list` prints.

use crate::support::{extent, is_pencil_puzzle, run, run_line};

/// The output of `list` for a puzzle: its name, its picture formats and a board.
struct PuzzleListing {
    name: String,
    formats: Vec<String>,
    board: String,
}

impl PuzzleListing {
    fn of(name: &str) -> Self {
        let shown = run(["list", name]).out;
        let field = |word: &str| {
            let line = shown.lines().find_map(|line| line.strip_prefix("  ")?.strip_prefix(word)).unwrap_or_default();
            line.trim().to_owned()
        };
        let formats = field("pictures").split(", ").filter(|word| !word.is_empty()).map(str::to_owned).collect();
        PuzzleListing { name: name.to_owned(), formats, board: format!("instances/{}", field("board")) }
    }
}

#[test]
fn exactly_the_picture_formats_of_list_are_accepted() {
    let seed = extent::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let all = run_line("list").out;
    let lines = all.lines().filter_map(|line| line.strip_prefix("  ")?.split(':').next());
    let mut names: Vec<&str> = lines.collect();
    assert!(names.len() > 130, "{names:?}");
    names.retain(|name| extent::includes(name) || !is_pencil_puzzle(name));
    let puzzles: Vec<PuzzleListing> = names.into_iter().map(PuzzleListing::of).collect();
    // Other tests draw the boards of all puzzles; a sample is drawn here.
    let drawn: Vec<usize> = (0..8).map(|_| random.usize(..puzzles.len())).collect();
    for (number, PuzzleListing { name, formats, board }) in puzzles.iter().enumerate() {
        for format in ["svg", "html", "dot", "url", "penpa"] {
            let is_offered = formats.iter().any(|known| known == format);
            // Logic programs draw only if their rules do.
            let is_elsewhere = ["svg", "html"].contains(&format) && !drawn.contains(&number);
            if is_offered && (is_elsewhere || name == "program") {
                continue;
            }
            let ran = run([board, "-p", name, "-f", format]);
            let context = format!("seed {seed}: {board} -p {name} -f {format}: {}", ran.err);
            if is_offered {
                assert!([0, 1].contains(&ran.code) && !ran.out.is_empty(), "{context}");
            } else {
                assert!(ran.code == 2 && ran.err.contains(&format!("--format {format}: {name}")), "{context}");
            }
        }
    }
}

#[test]
fn custom_rules_may_draw_a_graph_for_any_puzzle() {
    let folder = crate::support::folder();
    let draw = crate::support::file(folder.path(), "draw.lp", "node((R,C)) :- cell(R,C).\n");
    let ran = run_line(&format!("instances/slither.txt -f dot --draw {}", draw.display()));
    assert_eq!(
        (ran.code, ran.out.starts_with("graph") || ran.out.starts_with("digraph")),
        (0, true),
        "{}{}",
        ran.out,
        ran.err
    );
}
