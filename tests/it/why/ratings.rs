//! A rating does not depend on the orientation of the board.

use std::path::Path;

use serde_json::Value;

use crate::support::{extent, file, folder, run};

/// Boards whose lines have one sign for each cell.
const SIGNS: [&str; 14] = [
    "akari",
    "fillomino",
    "hashi",
    "hitori",
    "kurodoko",
    "masyu",
    "nurikabe",
    "shakashaka",
    "shikaku",
    "simpleloop",
    "slither",
    "sudoku",
    "tapa",
    "yinyang",
];
/// Boards whose lines have cells between borders.
const BORDERS: [&str; 6] = ["country", "heyawake", "lits", "norinori", "ripple", "starbattle"];

type Lines = Vec<Vec<String>>;

/// The header lines of a board, and the pieces of its other lines.
fn read(name: &str, has_borders: bool) -> (String, Lines) {
    let text = std::fs::read_to_string(format!("instances/{name}.txt")).expect("a board");
    let (header, lines): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("puzzle ") || line.starts_with("stars "));
    let lines: Lines = lines
        .into_iter()
        .filter(|line| !line.is_empty())
        .map(|line| {
            if has_borders {
                // A wall or a corner and the three signs of a cell or of a border alternate.
                let signs: Vec<char> = line.chars().collect();
                let pairs = signs.chunks(4).map(|chunk| [chunk[..1].iter().collect(), chunk[1..].iter().collect()]);
                pairs.flatten().filter(|piece: &String| !piece.is_empty()).collect()
            } else if line.contains(' ') {
                line.split_whitespace().map(str::to_owned).collect()
            } else {
                line.chars().map(String::from).collect()
            }
        })
        .collect();
    assert!(lines.len() > 3 && lines.iter().all(|line| line.len() == lines[0].len()), "{name}: {lines:?}");
    (header.join("\n"), lines)
}

/// The board upside down, mirrored, and transposed.
fn turned(lines: &Lines, has_borders: bool) -> [Lines; 3] {
    let reversed = |line: &Vec<String>| line.iter().rev().cloned().collect();
    let border = |piece: &str| match piece {
        "|" => "---",
        " " => "   ",
        "---" => "|",
        "   " => " ",
        other => panic!("no border: {other}"),
    };
    let transposed = |column: usize| {
        let piece = |row: usize| match &lines[row][column] {
            piece if has_borders && row % 2 != column % 2 => border(piece).to_owned(),
            piece => piece.clone(),
        };
        (0..lines.len()).map(piece).collect()
    };
    [
        lines.iter().rev().cloned().collect(),
        lines.iter().map(reversed).collect(),
        (0..lines[0].len()).map(transposed).collect(),
    ]
}

/// The rating of a board without its times.
fn rated(folder: &Path, header: &str, lines: &Lines, has_borders: bool) -> Value {
    let separator = if has_borders { "" } else { " " };
    let text: String = lines.iter().map(|line| line.join(separator) + "\n").collect();
    let path = file(folder, "board.txt", format!("{header}\n{text}"));
    let ran = run(["rate", path.to_str().expect("a name"), "-f", "json"]);
    assert_eq!(ran.code, 0, "{}\n{text}", ran.err);
    let mut rated = ran.json();
    for time in ["seconds", "slowest", "preparation"] {
        rated.as_object_mut().expect("an object").remove(time).expect("a time");
    }
    rated
}

#[test]
fn a_board_has_the_same_rating_in_every_orientation() {
    let folder = folder();
    let boards = SIGNS.iter().map(|name| (name, false)).chain(BORDERS.iter().map(|name| (name, true)));
    let mut boards: Vec<_> = boards.collect();
    extent::random().shuffle(&mut boards);
    boards.truncate(extent::sample_size(boards.len()));
    let mut differ = Vec::new();
    for (name, has_borders) in boards {
        let (header, lines) = read(name, has_borders);
        let plain = rated(folder.path(), &header, &lines, has_borders);
        assert_eq!(plain["verdict"], "solved", "{name}");
        assert!(plain["steps"].as_u64() > Some(5), "{name}: {plain}");
        for turned in turned(&lines, has_borders) {
            let other = rated(folder.path(), &header, &turned, has_borders);
            if other != plain {
                differ.push(format!("{name}: {plain} {other}"));
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
