//! Boards in play, through the library.

use std::collections::HashSet;
use std::io;

use asp_solve::document::Document;
use asp_solve::played::{Asks, Game, Played, State};
use asp_solve::puzzle::{self, Request, Role, Task};
use asp_solve::report::{Format, Slot, Style};
use asp_solve::stop::Stop;

fn shipped(name: &str) -> String {
    let path = format!("{}/instances/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("it ships")
}

/// The game of a text, as the command would find it.
fn game(text: &str) -> Box<dyn Game> {
    let document = Document::in_memory("board", text);
    let documents = vec![document];
    let recognised = puzzle::recognise(&documents, &[]).expect("a puzzle");
    let entry = puzzle::drawn(recognised.entry, documents.iter(), false);
    let usual = entry.about().encodings.first();
    let is_whole = recognised.roles.contains(&Role::Program);
    let files = usual.into_iter().filter(|_| !is_whole).flat_map(|usual| usual.files);
    let encodings = files.map(|file| Document::in_memory(file.path, file.text)).collect();
    let task = Task {
        documents,
        request: Request { encodings, ..Request::default() },
        format: Format::Text,
        stop: Stop::new(),
        slot: Slot::new(Box::new(io::sink()), Format::Text, Style::default()),
    };
    entry.game(&task).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn look(game: &mut Box<dyn Game>, moves: &[String], asks: Asks) -> Played {
    game.look(moves, asks).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// Takes hints until the board is won.
fn played_by_hints(game: &mut Box<dyn Game>) -> Vec<String> {
    let mut moves: Vec<String> = Vec::new();
    loop {
        let played = look(game, &moves, Asks::Hint);
        if played.state == State::Won {
            return moves;
        }
        let told: Vec<String> = played.moves.iter().map(|one| one.name.clone()).collect();
        assert!(!told.is_empty(), "{:?} after {moves:?}", played.because);
        moves.extend(told);
    }
}

const NAMES: [&str; 24] = [
    "akari",
    "country",
    "fillomino",
    "hashi",
    "heyawake",
    "hitori",
    "kakuro",
    "kurodoko",
    "lits",
    "masyu",
    "nonogram",
    "norinori",
    "nurikabe",
    "ripple",
    "shakashaka",
    "shikaku",
    "simpleloop",
    "slither",
    "starbattle",
    "sudoku",
    "tapa",
    "tents",
    "yajilin",
    "yinyang",
];

#[test]
fn every_board_that_ships_is_won_by_its_hints_and_none_comes_twice() {
    for name in NAMES {
        let moves = played_by_hints(&mut game(&shipped(&format!("{name}.txt"))));
        let different: HashSet<&String> = moves.iter().collect();
        assert_eq!(different.len(), moves.len(), "{name}");
    }
}
