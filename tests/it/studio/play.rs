//! Tests games in play through the library.

use std::collections::HashSet;

use asp_solve::Job;
use base::diagnostic::{Code, Failure};
use base::document::Document;
use play::{Game, GameState, GameView, Move, Place, PlayQuery};
use serde_json::Value;

use crate::support::{answers, extent, run_line};

fn instance(name: &str) -> String {
    let path = format!("{}/instances/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a built-in file")
}

fn game(text: &str) -> Box<dyn Game> {
    try_game(text).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn game_failure(text: &str) -> Failure {
    try_game(text).err().expect("the game is rejected")
}

/// Opens the game of a text as the command does.
fn try_game(text: &str) -> Result<Box<dyn Game>, Failure> {
    let document = Document::in_memory("board", text);
    let documents = vec![document];
    let recognised = puzzle::recognise(asp_solve::builtin::registry(), &documents, &[], &[]).expect("a puzzle");
    recognised.entry.open(Job { sources: documents.into(), ..Job::default() })?.game()
}

fn look(game: &mut Box<dyn Game>, moves: &[String], asks: PlayQuery) -> GameView {
    game.view_after(moves, asks).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// Plays hints until the board is won and returns the moves.
fn solve_by_hints(game: &mut Box<dyn Game>) -> Vec<String> {
    let mut moves: Vec<String> = Vec::new();
    loop {
        let played = look(game, &moves, PlayQuery::Hint);
        if played.state == GameState::Won {
            return moves;
        }
        let hints: Vec<String> = played.moves.iter().map(|step| step.name.clone()).collect();
        assert!(!hints.is_empty(), "{:?} after {moves:?}", played.explanation);
        moves.extend(hints);
    }
}

/// Types that cover each kind of move: signs, numbers, lines, borders and areas.
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

/// Returns the types to play: by default a random third of them.
fn some_names() -> Vec<&'static str> {
    let mut names = NAMES.to_vec();
    extent::random().shuffle(&mut names);
    names.truncate(if extent::is_complete() { NAMES.len() } else { NAMES.len() / 3 });
    names
}

/// Returns the unique solution of a built-in board.
fn solution(name: &str) -> Vec<String> {
    let value = run_line(&format!("instances/{name}.txt --format json --unique")).json();
    let [answer] = &answers(&value)[..] else { panic!("{name} has one solution") };
    let atoms = answer["atoms"].as_array().expect("atoms");
    atoms.iter().map(|atom| atom.as_str().expect("a text").to_owned()).collect()
}

fn has_option(place: &Place, name: &str) -> bool {
    place.options.iter().any(|option| option.name == name)
}

#[test]
fn boards_are_won_by_the_last_move_of_their_solution() {
    for name in some_names() {
        let game = &mut game(&instance(&format!("{name}.txt")));
        let places = look(game, &[], PlayQuery::Nothing).places;
        let is_move = |atom: &String| places.iter().any(|place| has_option(place, atom));
        let moves: Vec<String> = solution(name).into_iter().filter(is_move).collect();
        for number in [0, moves.len() / 2, moves.len() - 1] {
            let played = look(game, &moves[..number], PlayQuery::Mistake);
            assert_eq!((played.state, played.explanation), (GameState::Open, None), "{name} after {number}");
        }
        let left = look(game, &moves[..moves.len() - 2], PlayQuery::Distance).distance;
        assert_eq!(left.as_deref(), Some("2 places are left to set."), "{name}");
        assert_eq!(look(game, &moves, PlayQuery::Nothing).state, GameState::Won, "{name}");
    }
}

#[test]
fn boards_are_won_by_hints_without_repetition() {
    for name in some_names() {
        let moves = solve_by_hints(&mut game(&instance(&format!("{name}.txt"))));
        let different: HashSet<&String> = moves.iter().collect();
        assert_eq!(different.len(), moves.len(), "{name}");
    }
}

#[test]
fn every_deviation_from_the_unique_solution_is_a_mistake() {
    for name in some_names() {
        let game = &mut game(&instance(&format!("{name}.txt")));
        let places = look(game, &[], PlayQuery::Nothing).places;
        let solution = solution(name);
        let is_move = |atom: &&String| places.iter().any(|place| has_option(place, atom));
        let moves: Vec<String> = solution.iter().filter(is_move).cloned().collect();
        let (mut broken, mut wrong) = (0, 0);
        for place in places.iter().step_by(5) {
            let is_wrong = |option: &&Move| match option.name.strip_prefix("not ") {
                Some(atom) => solution.iter().any(|own| own == atom),
                None => option.key.as_deref() != Some("Backspace") && !solution.contains(&option.name),
            };
            let Some(option) = place.options.iter().find(is_wrong) else { continue };
            let right = moves[..moves.len() / 2].iter().filter(|name| !has_option(place, name)).cloned();
            let played = look(game, &right.chain([option.name.clone()]).collect::<Vec<_>>(), PlayQuery::Mistake);
            let because = played.explanation.unwrap_or_else(|| panic!("{name}: {} is a mistake", option.name));
            let is_broken = because.starts_with("This cannot be right: ");
            let count = if is_broken { &mut broken } else { &mut wrong };
            *count += 1;
            assert!(is_broken || because.starts_with("No rule is broken yet, but "), "{name}: {because}");
            assert!(played.marked.contains(&place.at), "{name}: {because}");
        }
        assert!(broken + wrong > 0, "{name}");
    }
}

#[test]
fn undoing_removes_the_last_move() {
    let game = &mut game(&instance("slither.txt"));
    let moves: Vec<String> = solve_by_hints(game).into_iter().take(6).collect();
    let looks: Vec<Value> = (0..6).map(|number| look(game, &moves[..number], PlayQuery::Nothing).json()).collect();
    for number in (0..6).rev() {
        assert_eq!(look(game, &moves[..number], PlayQuery::Nothing).json(), looks[number]);
    }
    assert_ne!(looks[0], looks[5]);
}

/// Clicks a place repeatedly and returns the name of each move.
fn click(game: &mut Box<dyn Game>, words: &str, clicks: usize) -> Vec<String> {
    let (mut moves, mut names) = (Vec::new(), Vec::new());
    for _ in 0..clicks {
        let played = look(game, &moves, PlayQuery::Nothing);
        let is_there = |place: &&Place| place.words.starts_with(words);
        let place = played.places.iter().find(is_there).unwrap_or_else(|| panic!("{words} is a place"));
        let next = &place.options[place.next.expect("a click does something")];
        moves.push(next.name.clone());
        names.push(next.name.clone());
    }
    names
}

#[test]
fn a_click_selects_the_next_value_of_the_choice() {
    let sudoku = "puzzle sudoku\n\n1 . . .\n. . 1 .\n. . . .\n. . . .\n";
    let sudoku = &mut game(sudoku);
    let numbers = click(sudoku, "row 1, column 2", 6);
    assert_eq!(
        numbers,
        ["number(1,2,1)", "number(1,2,2)", "number(1,2,3)", "number(1,2,4)", "clear row 1, column 2", "number(1,2,1)"]
    );
    let places = look(sudoku, &[], PlayQuery::Nothing).places;
    assert!(!places.iter().any(|place| place.words == "row 1, column 1"), "what is given stays");
    let keys: Vec<_> = places[0].options.iter().filter_map(|option| option.key.clone()).collect();
    assert_eq!(keys, ["1", "2", "3", "4"]);

    let shaded =
        click(&mut game("puzzle norinori\n\n+---+---+---+\n|           |\n+---+---+---+\n"), "row 1, column 2", 4);
    assert_eq!(shaded, ["shaded(1,2)", "not shaded(1,2)", "clear row 1, column 2", "shaded(1,2)"]);
    let bridges = "puzzle hashi\n\n2 . 2\n";
    let bridges = click(&mut game(bridges), "from row 1, column 1 to row 1, column 3", 3);
    let names = ["bridges(1,1,1,3,1)", "bridges(1,1,1,3,2)", "clear from row 1, column 1 to row 1, column 3"];
    assert_eq!(bridges, names);
    let rectangles = click(&mut game("puzzle shikaku\n\n. 2 .\n2 . 2\n"), "row 1, column 2", 2);
    assert_eq!(rectangles, ["rectangle(1,1,1,2)", "rectangle(1,2,1,3)"]);
}

#[test]
fn negative_marks_are_set_only_by_the_player() {
    let game = &mut game(&instance("tents.txt"));
    let mut has_dot = |moves: &[&str], place: &str| {
        let picture = look(game, &names(moves), PlayQuery::Nothing).picture.expect("a picture");
        picture.svg().contains(&format!("<title>{place}</title>"))
    };
    assert!(!has_dot(&[], "row 1, column 2"), "no tent is possible there, but the player has not marked it");
    assert!(!has_dot(&[], "row 1, column 1") && has_dot(&["not tent(1,1)"], "row 1, column 1"));
}

#[test]
fn a_mistake_has_a_reason_and_a_place() {
    let game = &mut game("puzzle sudoku\n\n1 . . .\n. . 1 .\n. . . .\n. . . 2\n");
    let mut find_mistake = |moves: &[&str]| {
        let moves: Vec<String> = moves.iter().map(|&name| name.to_owned()).collect();
        let played = look(game, &moves, PlayQuery::Mistake);
        (played.explanation.unwrap_or_default(), played.marked)
    };
    let at = |row: f64, column: f64| [32.0 * column, 32.0 * row, 32.0, 32.0];
    assert_eq!(
        find_mistake(&["number(3,1,1)"]),
        ("This cannot be right: column 1 would have 1 twice.".to_owned(), vec![at(3.0, 1.0)])
    );
    let (twice, marked) = find_mistake(&["number(3,1,3)", "number(1,2,2)", "number(3,3,3)"]);
    assert_eq!(
        (twice.as_str(), marked),
        ("This cannot be right: row 3 would have 3 twice.", vec![at(3.0, 1.0), at(3.0, 3.0)])
    );
    let (alone, _) = find_mistake(&["number(3,2,2)"]);
    assert!(alone.is_empty(), "{alone}");
    let (wrong, marked) = find_mistake(&["number(4,2,1)", "number(3,3,4)"]);
    assert_eq!(wrong, "");
    assert!(marked.is_empty());
}

#[test]
fn a_board_without_a_solution_is_reported_after_any_move() {
    // No number is possible in the last cell of the first row.
    let unsolvable = &mut game("puzzle sudoku\n\n1 2 3 .\n. . . 4\n. . . .\n. . . .\n");
    for moves in [&[][..], &["number(3,1,3)"], &["number(3,1,3)", "number(4,2,4)"]] {
        for asks in [PlayQuery::Mistake, PlayQuery::Hint, PlayQuery::Distance] {
            let played = look(unsolvable, &names(moves), asks);
            let because = played.explanation.expect("a reason");
            let expected = "No rule is broken yet, but the board has no solution.";
            assert!(because.starts_with(expected), "{moves:?}: {because}");
            assert!(played.marked.is_empty(), "nothing that is set is to blame: {because}");
        }
    }
    let broken = look(&mut game("puzzle sudoku\n\n1 . 1 .\n. . . .\n. . . .\n. . . .\n"), &[], PlayQuery::Mistake);
    assert_eq!(broken.explanation.as_deref(), Some("The board itself cannot be right: row 1 would have 1 twice."));
}

#[test]
fn values_have_signs_and_keys() {
    let board = format!("puzzle sudoku\n\n{}", format!("{}\n", ". ".repeat(16)).repeat(16));
    let places = look(&mut game(&board), &[], PlayQuery::Nothing).places;
    let numbers: Vec<String> = (1..=16).map(|number: u32| number.to_string()).collect();
    let collect = |of: &dyn Fn(&Move) -> Option<String>| places[0].options.iter().filter_map(of).collect::<Vec<_>>();
    assert_eq!(collect(&|option| option.sign.clone()), numbers);
    assert_eq!(collect(&|option| option.key.clone()), numbers);
    // Options that differ in more than the last argument have no sign, even if the last argument
    // happens to be unique.
    let rectangles = look(&mut game("puzzle shikaku\n\n. 2 .\n2 . 2\n"), &[], PlayQuery::Nothing).places;
    let options: Vec<&Move> = rectangles.iter().flat_map(|place| &place.options).collect();
    assert!(!options.is_empty() && options.iter().all(|option| option.sign.is_none()));
    let colors = "1 { color(1,1,(red;green;blue)) } 1. draw(cell(1,1)). draw(fill(R,C,X)) :- color(R,C,X).";
    let options = look(&mut game(colors), &[], PlayQuery::Nothing).places.remove(0).options;
    let signs: Vec<_> = options.iter().map(|option| (option.sign.as_deref(), option.key.as_deref())).collect();
    assert_eq!(signs, [(Some("blue"), Some("1")), (Some("green"), Some("2")), (Some("red"), Some("3"))]);
}

#[test]
fn pencil_marks_are_stored_and_do_not_affect_the_board() {
    let game = &mut game("puzzle sudoku\n\n1 . . .\n. . 1 .\n. . . .\n. . . 2\n");
    let place = |played: &GameView| played.places[0].clone();
    let mut look = |moves: &[&str], asks: PlayQuery| self::look(game, &names(moves), asks);
    let empty = look(&[], PlayQuery::Mistake);
    // The row already contains 1.
    let noted = look(&["pencil number(1,2,3)", "pencil number(1,2,1)"], PlayQuery::Mistake);
    assert_eq!((place(&noted).pencilled, &noted.explanation), (vec![0, 2], &None));
    assert_eq!(place(&noted).words, "row 1, column 2, pencilled in: 1, 3");
    assert_eq!((&noted.words, noted.state), (&empty.words, empty.state));
    let svg = |played: &GameView| played.picture.as_ref().expect("a picture").svg();
    assert_eq!(svg(&look(&["pencil number(1,2,3)"], PlayQuery::Nothing)), svg(&empty));
    assert!(place(&look(&["pencil number(1,2,3)", "pencil number(1,2,3)"], PlayQuery::Nothing)).pencilled.is_empty());
    // A value hides pencil marks. Clearing the value shows them again; clearing once more removes
    // them.
    let note = "pencil number(1,2,3)";
    let set = "number(1,2,2)";
    let clear = "clear row 1, column 2";
    let set_too = place(&look(&[note, set], PlayQuery::Nothing));
    assert_eq!((set_too.pencilled, set_too.words), (vec![], "row 1, column 2 is 2".to_owned()));
    assert_eq!(place(&look(&[note, set, clear], PlayQuery::Nothing)).pencilled, [2]);
    let noted = place(&look(&[note], PlayQuery::Nothing));
    assert!(has_option(&noted, clear) && !has_option(&place(&empty), clear));
    assert!(place(&look(&[note, set, clear, clear], PlayQuery::Nothing)).pencilled.is_empty());
    for wrong in ["pencil number(1,1,1)", "pencil clear row 1, column 2", "pencil pencil number(1,2,3)", "pencil "] {
        let failed = game.view_after(&names(&[wrong]), PlayQuery::Nothing).err().expect("the move is rejected");
        assert_eq!(failed.code(), Some(Code::UnknownName));
        assert!(failed.to_string().contains(&format!("`{wrong}`")), "{failed}");
    }
    let shaded = &mut self::game("puzzle norinori\n\n+---+---+---+\n|           |\n+---+---+---+\n");
    assert!(
        shaded.view_after(&names(&["pencil shaded(1,2)"]), PlayQuery::Nothing).is_err(),
        "one value needs no notes"
    );
}

#[test]
fn a_custom_program_with_a_drawing_is_playable() {
    let queens = "{ queen(1..4,1..4) } = 4. draw(cell(1..4,1..4)). draw(symbol(R,C,disc)) :- queen(R,C).\n\
        %!trace_rule {\"two queens in row %\",R}.\n:- R = 1..4, { queen(R,C) } > 1.\n\
        :- C = 1..4, { queen(R,C) } > 1. :- queen(R,C), queen(R+D,C+E), D = 1..3, E = (D;-D).";
    let queens = &mut game(queens);
    let set = |columns: &[u8]| -> Vec<String> {
        columns.iter().enumerate().map(|(row, column)| format!("queen({},{column})", row + 1)).collect()
    };
    assert_eq!(click(queens, "row 2, column 3", 2), ["queen(2,3)", "clear row 2, column 3"]);
    assert_eq!(look(queens, &set(&[2, 4, 1, 3]), PlayQuery::Nothing).state, GameState::Won);
    assert_eq!(look(queens, &set(&[3, 1, 4, 2]), PlayQuery::Nothing).state, GameState::Won);
    let one_queen = look(queens, &set(&[2, 4, 1, 3])[..1], PlayQuery::Mistake);
    assert_eq!((one_queen.explanation, one_queen.words.as_str()), (None, "1 place is set. No mistake."));
    let corner = look(queens, &set(&[1]), PlayQuery::Mistake).explanation.expect("a mistake");
    assert!(corner.starts_with("No rule is broken yet, but queen(1,1): there is no solution with that."), "{corner}");
    let row = look(queens, &["queen(1,2)".to_owned(), "queen(1,3)".to_owned()], PlayQuery::Mistake);
    assert_eq!(row.explanation.as_deref(), Some("This cannot be right: two queens in row 1."));
    let both = look(queens, &["queen(1,2)".to_owned(), "queen(4,2)".to_owned()], PlayQuery::Hint);
    assert!(
        both.explanation.is_some_and(|because| because.starts_with("This cannot be right: ")),
        "a mistake comes before a hint"
    );
    // Each move is in a solution; no solution contains both.
    let contradiction =
        look(queens, &["queen(1,2)".to_owned(), "queen(2,1)".to_owned(), "queen(4,2)".to_owned()], PlayQuery::Mistake);
    assert!(contradiction.explanation.is_some());
    let unknown =
        queens.view_after(&["queen(5,5)".to_owned()], PlayQuery::Nothing).err().expect("the move is rejected");
    assert_eq!(unknown.code(), Some(Code::UnknownName));
    assert!(unknown.to_string().contains("`queen(5,5)`"), "{unknown}");
}

#[test]
fn a_program_without_drawn_answers_is_not_playable() {
    let failed = game_failure("{ a; b }. draw(cell(1,1)).");
    assert_eq!(failed.code(), Some(Code::InvalidInstance));
    assert!(failed.0[0].message.contains("nothing can be set"), "{failed:?}");
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn option_names(place: &Place) -> Vec<&str> {
    place.options.iter().map(|option| option.name.as_str()).collect()
}

#[test]
fn tiles_slide_by_clicks_and_arrows_and_the_engine_reports_the_distance() {
    let game = &mut game(&instance("taquin_near.txt"));
    let first = look(game, &[], PlayQuery::Distance);
    assert_eq!(first.distance.as_deref(), Some("2 moves to go; no solution is shorter."));
    let keys: Vec<_> =
        first.moves.iter().map(|slide| (slide.name.as_str(), slide.key.as_deref().unwrap_or(""))).collect();
    assert_eq!(keys, [("U", "ArrowUp"), ("L", "ArrowLeft"), ("R", "ArrowRight"), ("D", "ArrowDown")]);
    let five = first.places.iter().find(|place| place.words == "5, row 3, column 2").expect("tile 5 is a place");
    assert_eq!((five.at, option_names(five), five.next), ([48.0, 96.0, 48.0, 48.0], vec!["U"], Some(0)));
    let seven = first.places.iter().find(|place| place.words == "7, row 3, column 1").expect("tile 7 is a place");
    assert_eq!((option_names(seven), seven.next), (vec![], None));
    let hint = look(game, &[], PlayQuery::Hint);
    assert_eq!(hint.explanation.as_deref(), Some("5 goes up: 2 moves to go; no solution is shorter."));
    assert_eq!((hint.moves.len(), hint.marked), (1, vec![five.at]));
    let won = look(game, &names(&["U", "L"]), PlayQuery::Nothing);
    assert_eq!((won.state, won.words.as_str()), (GameState::Won, "Solved: 2 moves."));
    assert_eq!(
        look(game, &names(&["U"]), PlayQuery::Distance).distance.as_deref(),
        Some("1 move to go; no solution is shorter.")
    );
    assert!(game.view_after(&names(&["U", "U"]), PlayQuery::Nothing).is_err(), "no tile is below");
    let odd = &mut self::game("2 1 3\n4 5 6\n7 8 .\n");
    let mistake = look(odd, &[], PlayQuery::Mistake);
    assert_eq!(mistake.state, GameState::Stuck);
    assert!(mistake.explanation.is_some_and(|because| because.starts_with("The goal cannot be reached from here")));
}

#[test]
fn amphipods_follow_clicks_and_hints() {
    let game = &mut game(&instance("amphipod.txt"));
    let first = look(game, &[], PlayQuery::Distance);
    assert_eq!(first.distance.as_deref(), Some("12,521 units of energy to go; no plan costs less."));
    let bee = first.places.iter().find(|place| place.words == "B, room A level 1").expect("B is a place");
    assert_eq!((bee.at, bee.next), ([72.0, 36.0, 36.0, 36.0], Some(0)));
    assert_eq!(option_names(bee)[0], "pick 1,2");
    assert!(option_names(bee).contains(&"B 1,2 to 0,3"));
    let picked = look(game, &names(&["pick 1,2"]), PlayQuery::Nothing);
    assert_eq!((picked.marked, picked.words.as_str()), (vec![bee.at], "0 units of energy so far."));
    let hallway = picked.places.iter().find(|place| place.words == "hallway 4").expect("the hallway is reachable");
    assert_eq!(option_names(hallway), ["B 1,2 to 0,3"]);
    let moved = look(game, &names(&["pick 1,2", "B 1,2 to 0,3"]), PlayQuery::Nothing);
    assert_eq!(moved.words, "20 units of energy so far.");
    assert!(moved.marked.is_empty());
    let away = look(game, &names(&["pick 1,2", "pick 1,2"]), PlayQuery::Nothing);
    assert_eq!(away.json(), look(game, &[], PlayQuery::Nothing).json());
    let moves = solve_by_hints(game);
    assert_eq!(look(game, &moves, PlayQuery::Nothing).words, "Solved: 12,521 units of energy.");
    assert!(
        game.view_after(&names(&["B 1,2 to 0,2"]), PlayQuery::Nothing).is_err(),
        "amphipods may not stop in front of a door"
    );
}

#[test]
fn a_number_game_is_won_by_hints() {
    let game = &mut game(&instance("game_42.json"));
    let first = look(game, &[], PlayQuery::Nothing);
    let moves: Vec<_> = first.moves.iter().map(|step| (step.name.as_str(), step.words.as_str())).collect();
    assert_eq!(moves, [("2*n", "2*n gives 2"), ("n+1", "n+1 gives 2")]);
    let moves = solve_by_hints(game);
    assert_eq!((moves.len(), look(game, &moves, PlayQuery::Nothing).words.as_str()), (7, "Solved: 7 moves."));
    let overshot = look(game, &names(&["2*n", "2*n", "2*n", "2*n", "2*n", "2*n"]), PlayQuery::Mistake);
    assert!(
        overshot
            .explanation
            .is_some_and(|because| because.contains("Undo that move.") || because.contains("unreachable")),
        "64 is too much for 42"
    );
}

#[test]
fn four_of_seventy_two_lever_settings_win() {
    let game = &mut game(&instance("deponia.lp"));
    let first = look(game, &[], PlayQuery::Nothing);
    assert_eq!((first.state, first.moves[0].name.as_str()), (GameState::Open, "go"));
    let lever = first.places.iter().find(|place| place.words == "lever of red at 1").expect("a lever is a place");
    assert_eq!((option_names(lever), lever.next), (vec!["lever red 1", "lever red 2"], Some(1)));
    let [_, _, width, height] = lever.at;
    assert!(width >= 60.0 && height >= 60.0, "a lever is large enough for a finger: {width} by {height}");
    assert!(first.usage.is_some_and(|usage| usage.starts_with("Click a lever")), "{:?}", first.usage);
    let fork =
        first.places.iter().find(|place| place.words == "fork a, lever of green at 1").expect("forks are places");
    assert_eq!(option_names(fork), ["lever green 1", "lever green 2"]);
    let gate = first.places.iter().find(|place| place.words.starts_with("p1l, gate ")).expect("gates are places");
    assert_eq!(gate.options.len(), 3);
    let gates = ["1", "2"];
    let colors = ["red", "yellow", "green"];
    let mut wins = 0;
    for number in 0..72 {
        let lever = |color: usize| format!("lever {} {}", colors[color], (number >> color) % 2 + 1);
        let gate = |gate: usize| format!("gate {} {}", gates[gate], colors[number / [8, 24][gate] % 3]);
        let moves: Vec<String> = (0..3).map(lever).chain((0..2).map(gate)).chain(["go".to_owned()]).collect();
        let gone = look(game, &moves, PlayQuery::Nothing);
        let left = look(game, &moves[..5], PlayQuery::Distance).distance.expect("a setting wins");
        assert_eq!(
            gone.state == GameState::Won,
            left == "With the current levers and gates the trolley wins.",
            "{moves:?}: {left}"
        );
        if gone.state != GameState::Won {
            let lost = look(game, &moves, PlayQuery::Mistake).words;
            assert!(lost.contains(" The setting was wrong: ") && !lost.contains("No mistake"), "{lost}");
        }
        wins += usize::from(gone.state == GameState::Won);
        assert_eq!(gone.moves[0].name, "back");
    }
    assert_eq!(wins, 4);
    let hinted = look(game, &[], PlayQuery::Hint).moves;
    assert!(hinted[0].name != "go" && hinted[1].name == "go", "the trolley can start beside a hint: {hinted:?}");
    let (state, moves) = play_hints_to_end(game, &[]);
    assert_eq!(state, GameState::Won);
    assert_eq!(moves.last().map(String::as_str), Some("go"));
    let back = look(game, &[&moves[..], &names(&["back"])].concat(), PlayQuery::Nothing);
    assert_eq!(back.state, GameState::Open);
    assert!(game.view_after(&names(&["lever red 3"]), PlayQuery::Nothing).is_err());
}

/// Plays hints until the game is over and returns its state and the moves.
fn play_hints_to_end(game: &mut Box<dyn Game>, first: &[String]) -> (GameState, Vec<String>) {
    let mut moves = first.to_vec();
    loop {
        let played = look(game, &moves, PlayQuery::Hint);
        if played.state != GameState::Open {
            return (played.state, moves);
        }
        moves.push(played.moves[0].name.clone());
    }
}

#[test]
fn minesweeper_is_won_by_hints_or_lost_by_a_guess() {
    let (mut won, mut lost) = (0, 0);
    for seed in 1..=12 {
        for text in [
            "mines 8\n????????\n????????\n????????\n????????\n????????\n????????\n????????\n????????\n",
            "mines 3\n1???\n12??\n????\n",
        ] {
            let game = &mut game(text);
            let (state, moves) = play_hints_to_end(game, &[format!("layout {seed}")]);
            let before = look(game, &moves[..moves.len() - 1], PlayQuery::Hint).explanation.expect("a hint");
            let is_guess = before.starts_with("No cell is safe.");
            match state {
                GameState::Won => won += 1,
                _ => lost += usize::from(is_guess),
            }
            assert!(state == GameState::Won || is_guess, "{text} {moves:?}: {before}");
            assert_eq!(look(game, &moves[..1], PlayQuery::Nothing).state, GameState::Open);
        }
    }
    assert!(won > 4 && won + lost == 24, "{won} {lost}");
}

/// Opens the game of a text with some encodings.
fn try_game_with(text: &str, encodings: &[Document]) -> Result<Box<dyn Game>, Failure> {
    let documents = vec![Document::in_memory("board", text)];
    let recognised = puzzle::recognise(asp_solve::builtin::registry(), &documents, encodings, &[]).expect("a puzzle");
    let mut job = Job { sources: documents.into(), ..Job::default() };
    job.sources.encodings = encodings.to_vec();
    job.sources.names_encodings = true;
    recognised.entry.open(job)?.game()
}

#[test]
fn minesweeper_is_playable_if_the_neighbors_do_not_depend_on_the_board() {
    let shipped = |name: &str| {
        let path = format!("{}/asp/minesweeper/{name}.lp", env!("CARGO_MANIFEST_DIR"));
        Document::in_memory(name, std::fs::read_to_string(path).expect("a built-in file"))
    };
    let custom_rules = |text: &str| Document::in_memory("own", text);
    let beside = "neighbor(R,C,R+D,C) :- number(R,C,_), D = (-1;1), closed(R+D,C).\n\
                  neighbor(R,C,R,C+D) :- number(R,C,_), D = (-1;1), closed(R,C+D).\n";
    let (mut won, mut lost) = (0, 0);
    for neighbors in [shipped("torus"), shipped("knight"), shipped("hexagons"), custom_rules(beside)] {
        let encodings = [shipped("layout"), neighbors];
        for text in ["mines 5\n?????\n?????\n?????\n?????\n?????\n", "mines 2\n1????\n?????\n?????\n"] {
            for seed in 1..=4 {
                let mut game = try_game_with(text, &encodings).unwrap_or_else(|failure| panic!("{failure:?}"));
                let (state, moves) = play_hints_to_end(&mut game, &[format!("layout {seed}")]);
                let before = look(&mut game, &moves[..moves.len() - 1], PlayQuery::Hint).explanation.expect("a hint");
                let is_guess = before.starts_with("No cell is safe.");
                assert!(state == GameState::Won || is_guess, "{}: {moves:?}: {before}", encodings[1].name);
                *(if state == GameState::Won { &mut won } else { &mut lost }) += 1;
            }
        }
    }
    assert!(won > 4 && won + lost == 32, "{won} {lost}");
    // If the counted cells depend on the number, the number is unknown before its cell is open.
    let odd = custom_rules(&beside.replace("number(R,C,_)", "number(R,C,N), N > 0"));
    let failure =
        try_game_with("mines 2\n1????\n?????\n", &[shipped("layout"), odd]).err().expect("the game is rejected");
    assert_eq!(failure.code(), Some(Code::InvalidInstance));
    assert!(failure.to_string().contains("depends on the board"), "{failure}");
}

#[test]
fn wrong_flags_are_mistakes_and_satisfied_numbers_open_their_neighbors() {
    let game = &mut game("mines 1\n1?\n1?\n1?\n00\n");
    let closed = look(game, &[], PlayQuery::Nothing);
    let place = |played: &GameView, words: &str| {
        let place = played.places.iter().find(|place| place.words.starts_with(words));
        place.unwrap_or_else(|| panic!("{words}: {:?}", played.places)).clone()
    };
    assert_eq!(option_names(&place(&closed, "row 1, column 2: closed")), ["open 1,2", "flag 1,2"]);
    let wrong = look(game, &names(&["flag 1,2"]), PlayQuery::Mistake);
    assert_eq!(option_names(&place(&wrong, "row 1, column 2: a flag")), ["unflag 1,2"]);
    assert!(
        wrong.explanation.as_ref().is_some_and(|because| because.starts_with("The flag at row 1, column 2 is wrong")),
        "{:?}",
        wrong.explanation
    );
    assert_eq!(wrong.marked, [place(&closed, "row 1, column 2").at]);
    let right = look(game, &names(&["flag 2,2"]), PlayQuery::Mistake);
    assert_eq!((right.explanation, right.words.as_str()), (None, "1 mine, 1 flag. No mistake."));
    assert_eq!(
        option_names(&place(&look(game, &names(&["flag 2,2"]), PlayQuery::Nothing), "row 2, column 1: 1")),
        ["around 2,1"]
    );
    assert_eq!(look(game, &names(&["flag 2,2", "around 2,1"]), PlayQuery::Nothing).state, GameState::Won);
    assert_eq!(look(game, &names(&["flag 1,2", "around 2,1"]), PlayQuery::Nothing).state, GameState::Lost);
    assert_eq!(
        look(game, &names(&["flag 1,2", "unflag 1,2"]), PlayQuery::Nothing).json(),
        look(game, &[], PlayQuery::Nothing).json()
    );
    assert!(game.view_after(&names(&["open 1,1"]), PlayQuery::Nothing).is_err(), "it is open");
    let unknown = game_failure("1??\n???\n???\n");
    assert_eq!(unknown.code(), Some(Code::InvalidInstance));
    assert!(unknown.0[0].message.contains("the number of mines"), "{unknown:?}");
}
