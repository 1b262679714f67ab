//! Plays the boards of HTML files in a real browser, by finger and by mouse.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::support::devtools::Browser;
use crate::support::programs::chromium;
use crate::support::{file, folder, page_data, run};

/// Pixels of a cell in a picture.
const CELL: f64 = 32.0;

type Point = (f64, f64);

/// Input that sets an atom.
enum Action {
    /// Drags repeatedly.
    Drag(Point, Point, usize),
    /// Clicks in a cell repeatedly.
    Click(Point, usize),
    /// Clicks in a cell, and then on the button with this sign.
    Write(Point, String),
}

fn corner(row: f64, column: f64) -> Point {
    (column * CELL, row * CELL)
}

fn middle(row: f64, column: f64) -> Point {
    corner(row + 0.5, column + 0.5)
}

fn action_for(atom: &str) -> Action {
    let (name, arguments) = atom.trim_end_matches(')').split_once('(').expect("an atom with arguments");
    let arguments: Vec<&str> = arguments.split(',').collect();
    let number = |index: usize| arguments[index].parse::<f64>().expect("a number");
    let cell = || middle(number(0), number(1));
    match name {
        "line" | "rectangle" => Action::Drag(cell(), middle(number(2), number(3)), 1),
        "edge" => Action::Drag(corner(number(0), number(1)), corner(number(2), number(3)), 1),
        // The edge between the two cells.
        "border" => {
            let (row, column) = (number(2), number(3));
            let end = if number(0) == row { (row + 1.0, column) } else { (row, column + 1.0) };
            Action::Drag(corner(row, column), corner(end.0, end.1), 1)
        }
        "bridges" => Action::Drag(cell(), middle(number(2), number(3)), number(4) as usize),
        "digit" | "number" | "letter" | "slash" | "bar" | "arrow" => {
            Action::Write(cell(), arguments[2].trim_matches('"').replace("\\\\", "\\"))
        }
        "half" => Action::Click(
            cell(),
            1 + ["ne", "nw", "se", "sw"].iter().position(|&corner| corner == arguments[2]).expect("a corner"),
        ),
        // The first click makes the cell black.
        "white" => Action::Click(cell(), 2),
        _ => Action::Click(cell(), 1),
    }
}

/// A page with a board in a browser, played by finger or by mouse.
struct Player {
    browser: Browser,
    by_finger: bool,
    /// The place of the picture's origin on the screen.
    origin: Point,
    /// Pixels of the screen in a unit of the picture.
    scale: f64,
}

impl Player {
    fn start(browser: &Path, by_finger: bool) -> Self {
        let mut browser = Browser::start(browser);
        browser.set_size(if by_finger { 390 } else { 1280 }, 844);
        browser.set_touch(by_finger);
        Player { browser, by_finger, origin: (0.0, 0.0), scale: 1.0 }
    }

    fn open(&mut self, page: &Path) {
        self.browser.open(&format!("file://{}", page.display()));
        self.browser.wait_until(
            "document.querySelector('#board')?.dataset.state === 'open' && document.querySelector('.place')",
        );
        let matrix =
            self.browser.evaluate("(({ a, e, f }) => [a, e, f])(document.querySelector('#picture').getScreenCTM())");
        let [scale, x, y] = [0, 1, 2].map(|index| matrix[index].as_f64().expect("a number"));
        (self.scale, self.origin) = (scale, (x, y));
    }

    fn on_screen(&self, (x, y): Point) -> Point {
        (self.origin.0 + x * self.scale, self.origin.1 + y * self.scale)
    }

    /// Waits until the page has handled all input.
    fn settle(&mut self) {
        self.browser.evaluate("game.queue");
    }

    fn drag(&mut self, from: Point, to: Point) {
        let part = |part: f64| (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        let points: Vec<Point> = [0.0, 0.5, 1.0].map(|at| self.on_screen(part(at))).to_vec();
        self.browser.drag(&points, self.by_finger);
        self.settle();
    }

    fn tap(&mut self, at: Point) {
        self.browser.drag(&[self.on_screen(at)], self.by_finger);
        self.settle();
    }

    /// Returns true if something can be set in the cell.
    fn is_place(&mut self, (x, y): Point) -> bool {
        self.browser.evaluate(&format!(
            "game.look.places.some(({{ at: [x, y, width, height], ends, options }}) => !ends && options.length && \
             x < {x} && {x} < x + width && y < {y} && {y} < y + height)"
        )) == true
    }

    fn set(&mut self, atom: &str) {
        match action_for(atom) {
            Action::Drag(from, to, times) => {
                for _ in 0..times {
                    self.drag(from, to);
                }
            }
            // Nothing can be set in the cell of a given clue.
            Action::Click(cell, _) | Action::Write(cell, _) if !self.is_place(cell) => {}
            Action::Click(cell, times) => {
                for _ in 0..times {
                    self.tap(cell);
                }
            }
            Action::Write(cell, sign) => {
                self.tap(cell);
                let button = format!(
                    "(() => {{ const ends = ({{ firstChild }}) => [{sign:?}, 'an arrow ' + {sign:?}].includes(firstChild.textContent) || \
                     firstChild.textContent.startsWith('an arrow ' + {sign:?} + ' ') || firstChild.textContent.endsWith(' is ' + {sign:?}); \
                     const found = [...document.querySelectorAll('#options button')].find(ends); \
                     if (!found) throw new Error('no button for {atom}'); \
                     const {{ x, y, width, height, bottom }} = found.getBoundingClientRect(); \
                     return bottom <= innerHeight ? [x + width / 2, y + height / 2] : null; }})()"
                );
                let at = self.browser.evaluate(&button);
                let at = [0, 1].map(|index| at[index].as_f64().expect("a visible button"));
                self.browser.drag(&[(at[0], at[1])], self.by_finger);
                self.settle();
            }
        }
    }

    /// Changes the value of an atom that is set.
    fn spoil(&mut self, atom: &str) {
        match action_for(atom) {
            Action::Write(_, sign) => {
                let (cell, _) = atom.rsplit_once(',').expect("a value");
                let others =
                    [["1", "2"], ["/", "\\\\"], ["-", "|"], ["<", ">"], ["^", "<"], ["v", "^"], ["A", "B"], ["C", "A"]];
                let other = others.iter().find_map(|[one, other]| match sign.as_str() {
                    sign if sign == *one => Some(*other),
                    "\\" => Some("/"),
                    sign if sign == *other => Some(*one),
                    _ => None,
                });
                self.set(&format!("{cell},{})", other.unwrap_or("1")));
            }
            // A tap removes a rectangle.
            Action::Drag(from, ..) if atom.starts_with("rectangle") => self.tap(from),
            Action::Drag(from, to, _) => self.drag(from, to),
            Action::Click(cell, _) => self.tap(cell),
        }
    }

    fn state(&mut self) -> Value {
        self.settle();
        self.browser.evaluate("document.querySelector('#board').dataset.state")
    }
}

/// Plays the selected types to the end.
fn play_types(by_finger: bool, is_played: impl Fn(usize) -> bool) {
    let Some(browser) = chromium() else { return };
    let folder = folder();
    let mut player = Player::start(&browser, by_finger);
    let names = std::fs::read_dir("asp/puzzles").expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut names: Vec<String> = names
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 119, "{names:?}");
    // The buttons for their cells have words, which this player does not read.
    let omitted = ["doppelblock", "roma"];
    let others = names.into_iter().filter(|name| !omitted.contains(&name.as_str()));
    for (_, name) in others.enumerate().filter(|(index, _)| is_played(*index)) {
        let instance = format!("instances/{name}.txt");
        let solved = run([&instance, "-f", "json", "--unique"]).json();
        let atoms = solved["answers"][0]["atoms"].as_array().expect("atoms").iter();
        let atoms: Vec<&str> = atoms.map(|atom| atom.as_str().expect("a text")).collect();
        let page = run([&instance, "-f", "html"]).out;
        let spoiling = atoms.iter().find(|atom| page.contains(**atom));
        assert_eq!(spoiling, None, "{name}: the source has an atom of the solution");
        let advice = ["--unique", "-n 0", "asp-solve hint"].iter().find(|advice| page.contains(**advice));
        assert_eq!(advice, None, "{name}");
        player.open(&file(folder.path(), &format!("{name}.html"), page));
        let fits = "document.documentElement.scrollWidth <= innerWidth && document.querySelector('#view').scrollWidth <= document.querySelector('#view').clientWidth";
        assert_eq!(player.browser.evaluate(fits), true, "{name} is wider than the screen");
        let all: Vec<&&str> = atoms.iter().collect();
        let (last, others) = all.split_last().expect("a solution");
        for atom in others {
            player.set(atom);
        }
        // If the last atom is given, the board is already solved.
        let is_given =
            matches!(action_for(last), Action::Click(cell, _) | Action::Write(cell, _) if !player.is_place(cell));
        assert_eq!(player.state(), if is_given { "won" } else { "open" }, "{name}, but for {last}");
        player.browser.click("#mistake");
        player.settle();
        let status = player.browser.evaluate("document.querySelector('#told').innerText");
        let unsolved = ["This is not the solution", "No mistake "];
        let is_rejected = status.as_str().is_some_and(|status| unsolved.iter().any(|begin| status.starts_with(begin)));
        assert_eq!(is_rejected, !is_given, "{name}: {status}");
        player.set(last);
        assert_eq!(player.state(), "won", "{name}");
        let status = player.browser.evaluate("document.querySelector('#told').innerText");
        assert!(status.as_str().is_some_and(|status| status.starts_with("Solved in ")), "{name}: {status}");
        // After any further change the board is not solved.
        let is_set = |atom: &&&str, player: &mut Player| match action_for(atom) {
            Action::Drag(..) => true,
            Action::Click(cell, _) | Action::Write(cell, _) => player.is_place(cell),
        };
        // Atoms that are derived from the loop cannot be set directly.
        let drawn = atoms.iter().find(|atom| matches!(action_for(atom), Action::Drag(..)));
        let wrong =
            drawn.or_else(|| atoms.iter().find(|atom| is_set(atom, &mut player))).expect("an atom that can be changed");
        player.spoil(wrong);
        assert_eq!(player.state(), "open", "{name}: {wrong} was changed");
        // A tap that selects a cell with few values is a separate move.
        player.browser.key("Ctrl+z");
        if player.state() != "won" {
            player.browser.key("Ctrl+z");
        }
        assert_eq!(player.state(), "won", "{name}");
    }
    assert_eq!(player.browser.errors, Vec::<String>::new());
}

/// Every third type is played by mouse, and every twelfth by finger, because a touch screen waits
/// long between touches.
#[test]
#[ignore = "needs a browser"]
fn types_are_played_to_the_end_by_finger_on_a_phone() {
    play_types(true, |index| index % 12 == 1);
}

#[test]
#[ignore = "needs a browser"]
fn types_are_played_to_the_end_by_mouse() {
    play_types(false, |index| index % 3 == 0);
}

mod campaign {
    /// Plays the types that the tests above leave out.
    #[test]
    #[ignore = "needs a browser and takes minutes"]
    fn each_type_is_played_to_the_end_by_finger_and_by_mouse() {
        super::play_types(true, |index| index % 12 != 1);
        super::play_types(false, |index| index % 3 != 0);
    }
}

/// Opens the page of a board.
fn open_page(board: &str) -> Option<(Player, tempfile::TempDir)> {
    let browser = chromium()?;
    let folder = folder();
    let instance = file(folder.path(), "board.txt", board);
    let page = run([instance.to_str().expect("UTF-8"), "-f", "html"]).out;
    let mut player = Player::start(&browser, false);
    player.open(&file(folder.path(), "board.html", page));
    Some((player, folder))
}

const FOUR: &str = "puzzle sudoku\n1...\n..3.\n.2..\n...4\n";

#[test]
#[ignore = "needs a browser"]
fn notes_undo_and_moves_survive_a_reload() {
    let Some((mut player, folder)) = open_page(FOUR) else { return };
    player.browser.key("n");
    player.tap(middle(1.0, 2.0));
    player.browser.key("1");
    player.browser.key("3");
    player.settle();
    let notes = "[...document.querySelectorAll('#notes text')].map((note) => note.textContent).join('')";
    assert_eq!(player.browser.evaluate(notes), "13");
    player.browser.key("Ctrl+z");
    player.settle();
    assert_eq!(player.browser.evaluate(notes), "1");
    player.browser.key("n");
    player.tap(middle(1.0, 3.0));
    player.browser.key("4");
    player.settle();
    let label = "document.querySelector(\".place[aria-label^='row 1, column 3']\").ariaLabel";
    assert_eq!(player.browser.evaluate(label), "row 1, column 3: row 1, column 3 is 4");
    player.open(&folder.path().join("board.html"));
    assert_eq!(player.browser.evaluate(label), "row 1, column 3: row 1, column 3 is 4");
    assert_eq!(player.browser.evaluate(notes), "1");
    // The clock runs from the first move on.
    player.browser.wait_until("document.querySelector('#clock').textContent !== '0:00'");
    assert_eq!(player.browser.errors, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser"]
fn a_line_is_drawn_around_corners_and_undone_in_one_drag() {
    let Some((mut player, _folder)) = open_page("puzzle simpleloop\n...\n...\n...\n...\n") else {
        return;
    };
    let paths: [&[Point]; 2] = [
        &[middle(1.0, 1.0), middle(1.0, 3.0), middle(3.0, 3.0), middle(3.0, 2.0)],
        // To the corner and back.
        &[middle(3.0, 1.0), middle(1.0, 1.0), middle(3.0, 1.0)],
    ];
    let lines = "game.look.places.filter(({ words }) => words.includes(': ')).length";
    for (path, drawn) in paths.into_iter().zip([5, 5]) {
        let points: Vec<Point> = path.iter().map(|&point| player.on_screen(point)).collect();
        player.browser.drag(&points, false);
        player.settle();
        assert_eq!(player.browser.evaluate(lines), drawn, "{path:?}");
    }
    assert_eq!(player.browser.errors, Vec::<String>::new());
}

#[test]
fn the_page_of_an_answer_shows_it_without_atoms() {
    let page = run(["instances/sudoku.txt", "-f", "html", "--answer", "1"]).out;
    assert!(page.contains("Solution 1") && !page.contains("number(") && !page.contains("-n 0"), "{page}");
    assert!(!page.contains("hashes"));
    assert_eq!(run(["instances/sudoku.txt", "-f", "html", "--answer", "2"]).code, 2);
    // An answer of a program is no game and keeps its atoms.
    assert!(run(["instances/queens.lp", "-f", "html"]).out.contains("queen("));
}

#[test]
fn a_page_of_answers_has_a_column_for_each_key_and_says_what_they_share() {
    let folder = folder();
    let program = "1 { color(N,r;N,g) } 1 :- node(N). node(1..2). :- color(1,C), color(2,C). p(1) :- color(1,r).\n\
                   draw(found(1,N,C)) :- color(N,C).\n#show color/2. #show p/1. #show node/1. #show draw/1.\n";
    let path = file(folder.path(), "colors.lp", program);
    let data = page_data(&run([path.to_str().expect("UTF-8"), "-n", "0", "-f", "html"]).out);
    assert_eq!(data["columns"], serde_json::json!(["answer", "color(1,_)", "color(2,_)", "p/1"]));
    let cells: Vec<&Value> = data["rows"].as_array().expect("rows").iter().map(|row| &row[1]).collect();
    assert_eq!(cells, [&serde_json::json!(["1", "g", "r", ""]), &serde_json::json!(["2", "r", "g", "1"])]);
    assert_eq!(data["nouns"], serde_json::json!(["answer", "answers"]));
    let page = run([path.to_str().expect("UTF-8"), "-n", "0", "-f", "html"]).out;
    assert!(page.contains("All answers contain node(1) node(2)."), "{page}");
    // What all answers share takes no columns.
    let many = format!("{program}size(X,X*X) :- X = 1..20.\n#show size/2.\n");
    let path = file(folder.path(), "many.lp", &many);
    let data = page_data(&run([path.to_str().expect("UTF-8"), "-n", "0", "-f", "html"]).out);
    assert_eq!(data["columns"], serde_json::json!(["answer", "color(1,_)", "color(2,_)", "p/1"]));
}

/// The hints of a page of play.
fn hints_of(data: &Value) -> Value {
    let hints = STANDARD.decode(data["hints"].as_str().expect("a text")).expect("base64");
    serde_json::from_slice(&hints).expect("JSON")
}

#[test]
fn a_page_of_play_has_the_steps_of_the_solution_as_hints() {
    let page = run(["instances/tents.txt", "-f", "html"]).out;
    let data = page_data(&page);
    let hints = hints_of(&data);
    let steps = run(["hint", "--steps", "instances/tents.txt", "-f", "json"]).json();
    let steps = steps["steps"].as_array().expect("steps");
    assert_eq!(hints["steps"].as_array().map(Vec::len), Some(steps.len()));
    let first = hints["steps"][0]["words"].as_str().expect("words");
    assert!(steps[0]["words"].as_str().expect("words").starts_with(first), "{first}");
    assert_eq!(hints["decides"], true);
    // The source does not show them.
    assert!(!page.contains(first));
    // Each solution's atom is learned once.
    let learned: Vec<&Value> = hints["learned"].as_array().expect("a list").iter().collect();
    let atoms: std::collections::BTreeSet<u64> = learned.iter().filter_map(|atom| atom[0].as_u64()).collect();
    assert_eq!(atoms.len(), learned.len());
    assert!(learned.iter().all(|atom| atom[1].as_u64() <= Some(steps.len() as u64)), "{learned:?}");
    // Without a unique solution, the hints end early.
    let folder = folder();
    let path = file(folder.path(), "board.txt", "puzzle sudoku\n1...\n....\n....\n....\n");
    let hints = hints_of(&page_data(&run([path.to_str().expect("UTF-8"), "-f", "html"]).out));
    assert!(hints["ending"].as_str().is_some_and(|ending| ending.contains("several solutions")), "{hints}");
    assert_eq!(hints["decides"], false);
}

#[test]
#[ignore = "needs a browser"]
fn hints_show_the_next_step_and_wrong_values() {
    let Some((mut player, _folder)) = open_page(FOUR) else { return };
    let told = "document.querySelector('#told').innerText";
    let hint = |player: &mut Player| {
        player.browser.click("#hint");
        player.settle();
        player.browser.evaluate(told).as_str().expect("a text").to_owned()
    };
    let first = hint(&mut player);
    assert!(first.contains("Otherwise"), "{first}");
    assert_eq!(hint(&mut player), first, "the step is not on the board yet");
    assert_eq!(player.browser.evaluate("document.querySelectorAll('#marked .hinted').length > 0"), true);
    assert_eq!(player.browser.evaluate("document.querySelectorAll('#notes text').length > 0"), true);
    // A tap sets 1, which row 1 has already.
    player.tap(middle(1.0, 2.0));
    let wrong = hint(&mut player);
    assert!(wrong.contains("wrong"), "{wrong}");
    assert_eq!(player.browser.evaluate("document.querySelectorAll('#marked .marked').length"), 1);
    let check = |player: &mut Player| {
        player.browser.click("#mistake");
        player.settle();
        player.browser.evaluate(told).as_str().expect("a text").to_owned()
    };
    assert_eq!(check(&mut player), wrong);
    assert_eq!(player.browser.evaluate("document.querySelectorAll('#marked .marked').length"), 1);
    player.browser.key("Ctrl+z");
    player.settle();
    assert!(check(&mut player).starts_with("No mistake so far."));
    assert_eq!(hint(&mut player), first);
    assert_eq!(player.browser.errors, Vec::<String>::new());
}

#[test]
fn a_hint_of_a_page_has_the_cells_of_its_house_and_leaves_the_sums_of_cages_free() {
    let folder = folder();
    let board = "puzzle sudoku\n2 8 . . . . . 1 .\n. . 7 . . 1 . 2 .\n5 . 3 6 . . 8 . .\n1 . . 7 4 . 2 . .\n\
                 . . . . . . . . 8\n. . . . . . . 6 .\n. 4 . . . 5 3 . .\n. . . . 8 6 . . .\n7 2 . 9 3 . . . .\n";
    let path = file(folder.path(), "board.txt", board);
    let data = page_data(&run([path.to_str().expect("UTF-8"), "-f", "html"]).out);
    let step = &hints_of(&data)["steps"][0];
    assert!(step["why"].as_str().is_some_and(|why| why.contains("box 2")), "{step}");
    assert!(step["because"].as_array().is_some_and(|cells| !cells.is_empty()), "{step}");
    let is_low = |data: &Value| data["places"].as_array().expect("places").iter().any(|place| place["isLow"] == true);
    assert!(!is_low(&data));
    assert!(is_low(&page_data(&run(["instances/sudoku-killer.txt", "-f", "html"]).out)));
}

#[test]
fn a_page_states_whether_it_has_all_solutions() {
    let folder = folder();
    for (board, known, are_all) in [("1.../..../..../....", 72, true), ("..../..../..../....", 100, false)] {
        let path = file(folder.path(), "board.txt", format!("puzzle sudoku\n{}\n", board.replace('/', "\n")));
        let page = run([path.to_str().expect("UTF-8"), "-f", "html"]).out;
        let data = page_data(&page);
        assert_eq!(data["hashes"].as_array().map(Vec::len), Some(known), "{board}");
        assert_eq!(data["areAll"], are_all, "{board}");
    }
}
