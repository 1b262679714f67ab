//! The pictures in `docs/puzzles.md` are those that the program draws now: one for each pencil
//! puzzle, and one for each variant that changes the drawing.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use puzzle::Format;

use super::types::puzzles;
use crate::support::run;

/// Columns of the table.
const COLUMNS: usize = 6;
/// The page has many pictures and must load quickly.
const MAX_BYTES: usize = 60_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures")
}

fn updates() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// Compares a picture with the one in the documentation. `UPDATE_DOCS=1` writes it.
pub fn check_documented_picture(name: &str, svg: &str) {
    assert!(svg.len() < MAX_BYTES, "{name}: {} bytes", svg.len());
    let path = folder().join(format!("{name}.svg"));
    if updates() {
        std::fs::create_dir_all(folder()).and_then(|()| std::fs::write(&path, svg)).expect("written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == svg, "{name} is drawn differently now: UPDATE_DOCS=1 writes new pictures");
}

/// The tests of boards compare the pictures of types. `UPDATE_DOCS=1` writes the table and all
/// pictures.
#[test]
fn the_documentation_shows_a_picture_of_each_type() {
    let mut named: Vec<(String, String)> = puzzles()
        .iter()
        .map(|puzzle| {
            (
                puzzle.name.clone(),
                puzzle.paragraph("").unwrap_or_default().split(':').next().unwrap_or_default().to_owned(),
            )
        })
        .collect();
    let mut variants: Vec<(String, String)> = std::fs::read_dir("asp/puzzles/sudoku")
        .expect("a folder")
        .filter_map(|entry| {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            // Other variants look like any Sudoku.
            text.contains("\n% Drawing ").then_some(())?;
            let title = text.trim_start_matches("% ").split(':').next().unwrap_or_default().to_owned();
            Some((format!("sudoku-{}", path.file_stem()?.to_string_lossy()), title))
        })
        .collect();
    variants.sort();
    for puzzle in puzzles().iter().filter(|_| updates()) {
        let printed = puzzle.printed(puzzle.job(), Format::Svg);
        check_documented_picture(&puzzle.name, &printed.unwrap_or_else(|failure| panic!("{failure}")).0);
    }
    for (name, _) in &variants {
        let drawn = run([format!("instances/{name}.txt"), "-f".to_owned(), "svg".to_owned()]);
        assert!(drawn.code == 0 && drawn.err.is_empty(), "{name}: {}", drawn.err);
        check_documented_picture(name, &drawn.out);
    }
    named.extend(variants);
    let mut table = format!("|{}\n|{}\n", " |".repeat(COLUMNS), "---|".repeat(COLUMNS));
    for row in named.chunks(COLUMNS) {
        let cells = row.iter().map(|(name, title)| {
            format!(" <img src=\"pictures/{name}.svg\" width=\"130\" alt=\"{title}\"><br>{title} |")
        });
        let _ = writeln!(table, "|{}", cells.collect::<String>());
    }
    let names: BTreeSet<String> = named.iter().map(|(name, _)| format!("{name}.svg")).collect();
    let files = std::fs::read_dir(folder()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let files: BTreeSet<String> = files.map(|name| name.to_string_lossy().into_owned()).collect();
    assert_eq!(files, names);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/puzzles.md");
    let text = std::fs::read_to_string(&page).expect("a page");
    let (begin, rest) = text.split_once("<!-- pictures -->\n").expect("the begin of the pictures");
    let (shown, end) = rest.split_once("<!-- end of pictures -->").expect("the end of the pictures");
    if updates() {
        std::fs::write(&page, format!("{begin}<!-- pictures -->\n{table}<!-- end of pictures -->{end}"))
            .expect("written");
    } else {
        assert_eq!(shown, table, "UPDATE_DOCS=1 writes the table");
    }
}
