//! Tests of the puzzles that the user's files define, beside the built-in ones.

use base::document::Document;
use pencil::{Catalogue, FOLDER};
use puzzle::{Describe, PuzzleFile, Registry, recognise};

use asp_solve::builtin;

fn file(name: &str, header: &str) -> PuzzleFile {
    PuzzleFile { folder: FOLDER, name: name.to_owned(), text: format!("{header}\n%\n% Input      rows(R)\n").into() }
}

/// The name of the puzzle that a registry recognises, if any.
fn recognised(registry: &Registry, text: &str) -> Option<String> {
    recognise(registry, &[Document::in_memory("board", text)], &[], &[]).ok().map(|found| found.entry.name().to_owned())
}

#[test]
fn registries_with_different_files_recognise_different_boards() {
    let own = builtin::registry_with(&[file("mypuzzle", "% Own dots of mine: no rules.")]);
    for text in ["puzzle mypuzzle\n. .\n. .\n", "Own dots of mine\n. .\n. .\n"] {
        assert_eq!(recognised(&own, text).as_deref(), Some("mypuzzle"), "{text}");
        assert_ne!(recognised(builtin::registry(), text).as_deref(), Some("mypuzzle"), "{text}");
    }
    assert_eq!(own.by_any_name("Own dots of mine").map(|puzzle| puzzle.name()), Some("mypuzzle"));
    assert_eq!(own.all().len(), builtin::registry().all().len() + 1);
}

#[test]
fn a_file_overrides_the_built_in_puzzle_of_its_name() {
    let files = [file("sudoku", "% Not a sudoku: no rules.")];
    let catalogue = Catalogue::with_files(&files);
    let summary = |catalogue: &Catalogue| catalogue.find("sudoku").expect("a sudoku").about().summary.to_owned();
    assert_eq!(summary(&catalogue), "Not a sudoku: no rules");
    assert_ne!(summary(Catalogue::builtin()), "Not a sudoku: no rules");
    let names =
        |catalogue: &Catalogue| -> Vec<String> { catalogue.puzzles().map(|puzzle| puzzle.name().to_owned()).collect() };
    assert_eq!(names(&catalogue), names(Catalogue::builtin()));
    assert!(catalogue.in_folder(FOLDER).is_sorted_by_key(|puzzle| puzzle.name().to_owned()));
}
