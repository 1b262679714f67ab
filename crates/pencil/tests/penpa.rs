//! Addresses of penpa-edit: boards of all types are drawn and read again.

use std::collections::BTreeSet;
use std::path::Path;

use base::document::Document;
use pencil::board::GridBoard;
use pencil::link::link_type;
use pencil::{Catalogue, LogicPuzzle};

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn puzzles() -> Vec<LogicPuzzle> {
    Catalogue::builtin().in_folder("puzzles").collect()
}

fn read(puzzle: &LogicPuzzle, text: &str) -> GridBoard {
    let read = puzzle.read(&Document::in_memory("board", text));
    read.unwrap_or_else(|failure| panic!("{text}\n{failure}")).expect("a board")
}

/// Draws a board and reads the drawing; returns an error if it differs.
fn check(puzzle: &LogicPuzzle, board: &GridBoard) -> Result<(), String> {
    let address = puzzle.penpa_address(board, None).map_err(|failure| failure.to_string())?;
    let read = puzzle.read(&Document::in_memory("address", address.as_str()));
    let read = read.map_err(|failure| failure.to_string())?.expect("a board");
    // Some lines of cells are drawn without an order, and single cells without their list.
    let cells = |facts: &str| -> BTreeSet<String> {
        let facts = facts.split_whitespace().filter(|fact| fact.contains(",("));
        facts.filter_map(|fact| Some(format!("{}{}", fact.split_once('(')?.0, fact.rsplit_once('(')?.1))).collect()
    };
    let others = |facts: &str| -> BTreeSet<String> {
        facts.split_whitespace().filter(|fact| !fact.contains(",(")).map(str::to_owned).collect()
    };
    let (drawn, given) = (read.facts(), board.facts());
    if drawn == given || !cells(&given).is_empty() && cells(&drawn) == cells(&given) && others(&drawn) == others(&given)
    {
        Ok(())
    } else {
        Err(format!("{}\n{}", board.facts(), read.facts()))
    }
}

#[test]
fn boards_of_all_types_survive_a_drawing() {
    use puzzle::Describe;
    let mut wrong = Vec::new();
    let mut count = 0;
    for puzzle in puzzles() {
        let name = puzzle.name().to_owned();
        let board = read(&puzzle, &text(&format!("instances/{name}.txt")));
        count += 1;
        wrong.extend(check(&puzzle, &board).err().map(|error| format!("{name}: {error}")));
    }
    assert!(wrong.is_empty() && count > 100, "{count}\n{}", wrong.join("\n"));
}

#[test]
fn samples_of_all_types_survive_a_drawing() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let samples = text("tests/data/samples.tsv");
    let links: BTreeSet<&str> =
        samples.lines().filter(|line| !line.starts_with('%')).filter_map(|line| line.split('\t').next()).collect();
    let catalogue = Catalogue::builtin();
    for link in links {
        let puzzle = catalogue.find(link_type(link).expect("a link")).expect("a known type");
        let board = read(&puzzle, link);
        count += 1;
        wrong.extend(check(&puzzle, &board).err().map(|error| format!("{link}: {error}")));
    }
    assert!(wrong.is_empty() && count > 300, "{count}\n{}", wrong.join("\n"));
}

#[test]
fn variants_of_sudoku_survive_a_drawing() {
    let puzzle = Catalogue::builtin().find("sudoku").expect("sudoku");
    let mut wrong = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances");
    let names = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.starts_with("sudoku"));
    for name in &names {
        let board = read(&puzzle, &text(&format!("instances/{name}")));
        wrong.extend(check(&puzzle, &board).err().map(|error| format!("{name}: {error}")));
    }
    assert!(wrong.is_empty() && names.len() > 15, "{}\n{}", names.len(), wrong.join("\n"));
}
