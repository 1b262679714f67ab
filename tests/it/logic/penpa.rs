//! Addresses of penpa-edit: a board, its drawing and the board of the drawing are the same, and
//! what a solver or an author has drawn counts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::types::{PuzzleFile, each_type};
use crate::support::{run, run_line};

mod each {
    use super::{check_type, each_type};

    each_type!(check_type);
}

/// The drawing of the type's board, with and without a solution, is the same board.
fn check_type(puzzle: &PuzzleFile) {
    let (name, path) = (&puzzle.name, puzzle.instance());
    let facts = puzzle.board().facts();
    for options in ["", " --answer 1"] {
        let ran = run_line(&format!("{path} -f penpa{options}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        let address = ran.out.trim();
        let read = puzzle.logic.facts_from(&base::document::Document::in_memory("address", address));
        assert_eq!(read.unwrap_or_else(|failure| panic!("{name}: {failure}")), facts, "{name}\n{address}");
        // The title names the puzzle, and the solution in the address is ours.
        let solved = run([address, "-f", "json", "-n", "1"]);
        assert_eq!((solved.code, solved.err.as_str()), (0, ""), "{name}\n{address}");
        assert_eq!(solved.json()["puzzle"], name.as_str());
    }
}

fn unpack(packed: &str) -> String {
    let packed = STANDARD.decode(packed).expect("base64");
    String::from_utf8(miniz_oxide::inflate::decompress_to_vec(&packed).expect("compressed data")).expect("a text")
}

fn pack(text: &str) -> String {
    STANDARD.encode(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 6))
}

/// The address of a board, as the lines of its drawing.
fn drawing(board: &str) -> Vec<String> {
    let address = run_line(&format!("{board} -f penpa")).out;
    let (_, packed) = address.trim().split_once("&p=").expect("a drawing");
    unpack(packed).split('\n').map(str::to_owned).collect()
}

fn address(lines: &[String], more: &str) -> String {
    format!("https://swaroopg92.github.io/penpa-edit/#m=edit&p={}{more}", pack(&lines.join("\n")))
}

const QUESTION: usize = 3;
const PLAYER: usize = 4;

/// A drawing of a board whose line `line` has another layer.
fn with_layer(board: &str, line: usize, layer: &str, short: &str, value: &Value) -> Vec<String> {
    let mut lines = drawing(board);
    let empty = format!("{short}:{{}}");
    assert!(lines[line].contains(&empty), "{layer} of {board}: {}", lines[line]);
    lines[line] = lines[line].replace(&empty, &format!("{short}:{value}"));
    lines
}

/// The number of a cell without white space around the board.
fn cell(columns: usize, row: usize, column: usize) -> String {
    ((row + 1) * (columns + 4) + column + 1).to_string()
}

#[test]
fn the_drawing_of_a_solver_counts_as_marks() {
    let mark = |number: i32| json!({ cell(9, 1, 3): [number.to_string(), 2, "1"] });
    let ran = run(["instances/sudoku.txt", "-f", "json"]);
    let grid = &ran.json()["answers"][0]["grid"];
    let right: i32 = grid[0][2].as_str().expect("a number").parse().expect("a number");
    let address_of = |number: i32| {
        let lines = with_layer("instances/sudoku.txt", PLAYER, "number", "zN", &mark(number));
        address(&lines, "&l=solvedup")
    };
    let ran = run([&*address_of(right), "-q"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    // A number that its row has already.
    let board = PuzzleFile::of("sudoku").board();
    let (_, given) = board.signs.iter().find(|((row, column), _)| *row == 1 && *column != 3).expect("a given number");
    let ran = run(["why", &*address_of(given.to_string().parse().expect("a number"))]);
    assert!(ran.out.contains("the player's mark at row 1, column 3"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_solution_in_an_address_is_compared_with_ours() {
    let ran = run_line("instances/nurikabe.txt -f penpa --answer 1");
    let address = ran.out.trim().to_owned();
    let (drawing, solution) = address.split_once("&a=").expect("a solution");
    let lists: Vec<Vec<String>> = serde_json::from_str(&unpack(solution)).expect("lists");
    let mut other = lists.clone();
    other[0].pop();
    let changed = format!("{drawing}&a={}", pack(&json!(other).to_string()));
    for (text, expected) in
        [(&address, ""), (&changed, "the solution in the address differs from ours: ours has a shaded cell in row")]
    {
        let ran = run([text.as_str()]);
        assert!(
            ran.code == 0 && ran.err.contains(expected) && ran.err.is_empty() == expected.is_empty(),
            "{}",
            ran.err
        );
        let warnings = run([text.as_str(), "-f", "json"]).json()["warnings"].to_string();
        assert_eq!(warnings.contains("differs from ours"), !expected.is_empty(), "{warnings}");
    }
}

#[test]
fn what_an_author_has_drawn_of_a_solution_is_compared_with_ours() {
    for (number, differs) in [(None, false), (Some(1), true)] {
        let ran = run(["instances/sudoku.txt", "-f", "json"]);
        let right: i32 = ran.json()["answers"][0]["grid"][0][2].as_str().expect("a number").parse().expect("a number");
        let number = number.map_or(right, |step| (right + step - 1) % 9 + 1);
        let mark = json!({ cell(9, 1, 3): [number, 2, "1"] });
        let lines = with_layer("instances/sudoku.txt", PLAYER, "number", "zN", &mark);
        let ran = run([&*address(&lines, "")]);
        assert_eq!((ran.code, ran.err.contains("it has a number in row 1, column 3")), (0, differs), "{}", ran.err);
    }
}

#[test]
fn what_a_puzzle_does_not_have_is_refused_with_its_place() {
    let slither = "instances/slither.txt";
    let columns = drawing(slither)[0].split(',').nth(1).expect("a size").parse().expect("a number");
    let at = cell(columns, 2, 2);
    for (layer, short, value, expected) in [
        (
            "surface",
            "zS",
            json!({ &*at: 4 }),
            "the colour 4 of a cell in row 2, column 2, which the puzzle does not have",
        ),
        ("symbol", "zY", json!({ &*at: [2, "star", 2] }), "the symbol `star` 2 in row 2, column 2"),
        ("numberS", "z1", json!({ "9999999": ["3", 1] }), "is not supported"),
        (
            "line",
            "zL",
            json!({ format!("{at},{}", at.parse::<usize>().expect("a number") + 1): 5 }),
            "a line in row 2, column 2",
        ),
        ("cage", "zC", json!({ "1,2": 10 }), "is not supported"),
        ("lineE", "zE", json!({ "1,2": 2 }), "is not supported"),
    ] {
        let lines = with_layer(slither, QUESTION, layer, short, &value);
        let ran = run([&*address(&lines, ""), "-q"]);
        assert!(ran.code == 2 && ran.err.contains(expected), "{layer}: {}{}", ran.out, ran.err);
    }
    let mut turned = drawing(slither);
    turned[0] = turned[0].replacen(",0,1,1,", ",90,1,1,", 1);
    let ran = run([&*address(&turned, ""), "-q"]);
    assert!(ran.code == 2 && ran.err.contains("turned or mirrored"), "{}", ran.err);
}

#[test]
fn a_drawing_without_a_name_is_guessed_or_needs_one() {
    let unnamed = |board: &str| {
        let mut lines = drawing(board);
        let title = lines[0].split(',').find(|part| part.starts_with("Title: ")).expect("a title").to_owned();
        lines[0] = lines[0].replace(&title, "Title: Untold");
        let tags = lines.len() - 2;
        lines[tags] = "[]".to_owned();
        address(&lines, "")
    };
    let ran = run([&*unnamed("instances/tents.txt"), "-f", "json"]);
    assert_eq!(ran.json()["puzzle"], "tents", "{}", ran.err);
    let ran = run([&*unnamed("instances/nurikabe.txt"), "-q"]);
    assert!(
        ran.code == 2 && ran.err.contains("neither the tags nor the title of the drawing name a puzzle"),
        "{}",
        ran.err
    );
    let ran = run([&*unnamed("instances/nurikabe.txt"), "-q", "-p", "nurikabe"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn damaged_addresses_are_rejected() {
    let whole = run_line("instances/masyu.txt -f penpa --answer 1").out.trim().to_owned();
    let (drawing, solution) = whole.split_once("&a=").expect("a solution");
    for text in [
        whole[..whole.len() / 2].to_owned(),
        whole.replace("&p=", "&p=AAAA"),
        format!("{drawing}&a={}", pack("[[1]")),
        format!("{drawing}&a={}", pack("{}")),
        format!("{}&p={}", "https://swaroopg92.github.io/penpa-edit/#m=edit", pack("")),
        format!("{}&p={}", "https://swaroopg92.github.io/penpa-edit/#m=edit", pack(&"9,9,38".repeat(100))),
        format!("{drawing}&a={}", &solution[..solution.len() / 2]),
    ] {
        let ran = run([text.as_str(), "-q"]);
        assert!(ran.code == 2 && ran.err.contains("penpa-edit"), "{text}\n{}{}", ran.out, ran.err);
    }
}
